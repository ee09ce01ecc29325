//! The selected line of a list.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::symbols::{block, shade};

use super::address_mark::is_mark_glyph;

/// Styles the selected line, in which no text is dim. Bars and marks keep their hues. In a reversed line
/// bars are hatched, as a full one would look like a hole, and marks look like text.
pub fn draw_selection(buf: &mut Buffer, line: Rect, style: Style) {
    let text = style.remove_modifier(Modifier::DIM);
    let is_reversed = style.add_modifier.contains(Modifier::REVERSED);
    for at in line.intersection(buf.area).positions() {
        let Some(cell) = buf.cell_mut(at) else { continue };
        let hue = cell.fg;
        cell.set_style(text);
        if is_reversed && cell.symbol() == block::FULL {
            cell.set_symbol(shade::DARK);
        } else if is_block(cell) || is_mark_glyph(cell.symbol()) && !is_reversed {
            cell.fg = hue;
        }
    }
}

fn is_block(cell: &Cell) -> bool {
    cell.symbol().starts_with(|c| matches!(c, '\u{2580}'..='\u{259f}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reversed_line_has_no_holes() {
        let mut buf = Buffer::with_lines(["ab ●▲ c  d ██▌  e"]);
        let line = buf.area;
        draw_selection(&mut buf, line, Style::new().reversed().bold());
        let both = Modifier::REVERSED | Modifier::BOLD;
        assert!(buf.content.iter().all(|cell| cell.modifier.contains(both)));
        let text: String = buf.content.iter().map(Cell::symbol).collect();
        assert_eq!(text, "ab ●▲ c  d ▓▓▌  e", "a full bar is not blank");
        let mut tinted = Buffer::with_lines(["●▲ c"]);
        draw_selection(&mut tinted, line, Style::new().on_blue());
        assert!(tinted.content.iter().all(|cell| cell.bg == ratatui::style::Color::Blue));
    }

    #[test]
    fn text_is_not_dim_and_bars_and_marks_keep_their_hues() {
        let mut buf = Buffer::with_lines(["▌●a"]);
        let line = buf.area;
        buf.set_style(line, Style::new().red().dim());
        draw_selection(&mut buf, line, Style::new().white().on_blue());
        assert!(buf.content.iter().all(|cell| !cell.modifier.contains(Modifier::DIM)));
        let inks = [0, 1, 2].map(|x| buf[(x, 0)].fg);
        let [red, white] = [ratatui::style::Color::Red, ratatui::style::Color::White];
        assert_eq!(inks, [red, red, white]);
    }
}
