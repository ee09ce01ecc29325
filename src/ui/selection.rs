//! The selected line of a list.

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use super::address_mark::is_mark_glyph;

/// Styles the selected line, in which no text is dim. Bars and marks keep their hues. In a reversed line
/// bars and the space around them are not reversed, as a full one would look like an empty one, and
/// marks look like text.
pub fn draw_selection(buf: &mut Buffer, line: Rect, style: Style) {
    let cells: Vec<Position> = line.intersection(buf.area).positions().collect();
    let text = style.remove_modifier(Modifier::DIM);
    let is_reversed = style.add_modifier.contains(Modifier::REVERSED);
    for at in &cells {
        let hue = buf[*at].fg;
        buf[*at].set_style(text);
        if is_block(&buf[*at]) || is_mark_glyph(buf[*at].symbol()) && !is_reversed {
            buf[*at].fg = hue;
        }
    }
    if !is_reversed {
        return;
    }
    let runs: Vec<&[Position]> =
        cells.chunk_by(|one, next| is_text(&buf[*one]) == is_text(&buf[*next])).collect();
    for run in runs {
        if run.iter().any(|at| is_block(&buf[*at])) {
            for at in run {
                buf[*at].modifier.remove(Modifier::REVERSED);
            }
        }
    }
}

fn is_block(cell: &Cell) -> bool {
    cell.symbol().starts_with(|c| matches!(c, '\u{2580}'..='\u{259f}'))
}

fn is_text(cell: &Cell) -> bool {
    cell.symbol() != " " && !is_block(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_not_reversed() {
        let mut buf = Buffer::with_lines(["ab ●▲ c  d ██▌  e"]);
        let line = buf.area;
        draw_selection(&mut buf, line, Style::new().reversed().bold());
        let reversed = buf.content.iter().map(|cell| match cell.modifier {
            both if both.contains(Modifier::REVERSED | Modifier::BOLD) => 'r',
            _ => '-',
        });
        assert_eq!(reversed.collect::<String>(), "rrrrrrrrrr------r");
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
