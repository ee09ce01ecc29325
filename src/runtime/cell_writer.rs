//! Writes cells to the terminal in few bytes: the cursor is moved, and the style changed, only where
//! the last cell left them otherwise.

use std::io::Write as _;

use ratatui::buffer::{Cell, CellDiffOption};
use ratatui::layout::Position;
use ratatui::style::{Color, Modifier};

const FOREGROUND: u8 = 38;
const BACKGROUND: u8 = 48;
const UNDERLINE: u8 = 58;

/// The parameters that switch a modifier on and off. Some are switched off together.
const MODIFIERS: [(Modifier, u8, u8); 9] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::SLOW_BLINK, 5, 25),
    (Modifier::RAPID_BLINK, 6, 25),
    (Modifier::REVERSED, 7, 27),
    (Modifier::HIDDEN, 8, 28),
    (Modifier::CROSSED_OUT, 9, 29),
];

/// Maximum cells that are drawn again instead of a move, which takes five bytes or six.
const MAX_CROSSED_CELLS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct CellStyle {
    foreground: Color,
    background: Color,
    underline: Color,
    modifier: Modifier,
}

/// The modifiers that are seen on a blank.
const SEEN_ON_BLANKS: Modifier = Modifier::UNDERLINED
    .union(Modifier::SLOW_BLINK)
    .union(Modifier::RAPID_BLINK)
    .union(Modifier::REVERSED)
    .union(Modifier::CROSSED_OUT);

/// Returns `true` for a blank of which only the background is seen.
pub(super) fn is_plain_blank(cell: &Cell) -> bool {
    cell.symbol() == " " && !cell.modifier.intersects(SEEN_ON_BLANKS)
}

/// A writer that starts with the terminal's own style, anywhere.
pub(super) struct CellWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Number of columns of the terminal.
    width: u16,
    /// Line of the cursor, if it is certain.
    line: Option<u16>,
    /// Column of the cursor, if it is certain: terminals disagree about the widths of symbols.
    column: Option<u16>,
    style: CellStyle,
}

impl<'a> CellWriter<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>, width: u16) -> Self {
        Self { out, width, line: None, column: None, style: CellStyle::default() }
    }

    /// Draws a symbol of a number of columns. The columns of a wide one are blanked first, since some
    /// terminals draw it in fewer.
    pub(super) fn draw(&mut self, at: Position, cell: &Cell, columns: u16) {
        self.set_style(self.style_for(cell));
        self.move_to(at);
        if columns > 1 {
            self.out.extend((0..columns).map(|_| b' '));
            self.column = None;
            self.move_to(at);
        }
        let symbol = cell.symbol();
        self.out.extend_from_slice(symbol.as_bytes());
        self.column = Some(at.x + 1).filter(|next| symbol.is_ascii() && *next < self.width);
        // No terminal draws more than two columns for one character; several may reach the next line.
        let stays = symbol.is_ascii() || (symbol.chars().count() == 1 && at.x + 2 <= self.width);
        self.line = self.line.filter(|_| stays);
    }

    /// Draws a symbol of one character several times, without a move in between. A terminal that draws it
    /// in two columns covers as many columns after them.
    pub(super) fn draw_run(&mut self, at: Position, cell: &Cell, count: usize) {
        self.set_style(self.style_for(cell));
        self.move_to(at);
        for _ in 0..count {
            self.out.extend_from_slice(cell.symbol().as_bytes());
        }
        self.column = None;
    }

    /// Erases blanks like this one, which leaves the cursor at the first of them.
    pub(super) fn erase(&mut self, at: Position, blank: &Cell, count: usize) {
        self.set_style(self.style_for(blank));
        self.move_to(at);
        self.write(format_args!("\x1b[{count}X"));
    }

    /// Draws cells again that have not changed, if that takes fewer bytes than a move of the cursor to the
    /// cell after them.
    pub(super) fn cross(&mut self, at: Position, cells: &[Cell]) {
        let is_next = (self.line, self.column) == (Some(at.y), Some(at.x));
        let is_cheap = |cell: &Cell| {
            cell.symbol().len() == 1
                && cell.diff_option != CellDiffOption::Skip
                && self.style_for(cell) == self.style
        };
        if is_next && cells.len() <= MAX_CROSSED_CELLS && cells.iter().all(is_cheap) {
            for cell in cells {
                self.out.extend_from_slice(cell.symbol().as_bytes());
            }
            self.column = u16::try_from(cells.len()).ok().map(|columns| at.x + columns);
        }
    }

    /// Returns the style to draw a cell with.
    fn style_for(&self, cell: &Cell) -> CellStyle {
        if is_plain_blank(cell) {
            // The next symbol may have the colour of the last.
            let modifier = self.style.modifier.difference(SEEN_ON_BLANKS);
            return CellStyle { background: cell.bg, modifier, ..self.style };
        }
        CellStyle {
            foreground: cell.fg,
            background: cell.bg,
            underline: cell.underline_color,
            modifier: cell.modifier,
        }
    }

    /// Restores the terminal's own style.
    pub(super) fn finish(mut self) {
        self.set_style(CellStyle::default());
    }

    fn move_to(&mut self, at: Position) {
        if self.line != Some(at.y) {
            self.write(format_args!("\x1b[{};{}H", at.y + 1, at.x + 1));
        } else if self.column != Some(at.x) {
            self.write(format_args!("\x1b[{}G", at.x + 1));
        }
        (self.line, self.column) = (Some(at.y), Some(at.x));
    }

    fn set_style(&mut self, to: CellStyle) {
        let from = std::mem::replace(&mut self.style, to);
        if from == to {
            return;
        }
        if to == CellStyle::default() {
            self.out.extend_from_slice(b"\x1b[m");
            return;
        }
        self.out.extend_from_slice(b"\x1b[");
        self.change_modifiers(from.modifier, to.modifier);
        let colors = [
            (FOREGROUND, from.foreground, to.foreground),
            (BACKGROUND, from.background, to.background),
            (UNDERLINE, from.underline, to.underline),
        ];
        for (place, _, to) in colors.into_iter().filter(|(_, from, to)| from != to) {
            self.set_color(place, to);
        }
        self.out.pop(); // the last separator
        self.out.push(b'm');
    }

    fn change_modifiers(&mut self, from: Modifier, to: Modifier) {
        let mut left = from;
        for (modifier, _, off) in MODIFIERS {
            if left.contains(modifier) && !to.contains(modifier) {
                self.write(format_args!("{off};"));
                let same = MODIFIERS.into_iter().filter(|(.., other)| *other == off);
                same.for_each(|(modifier, ..)| left.remove(modifier));
            }
        }
        for (modifier, on, _) in MODIFIERS {
            if to.contains(modifier) && !left.contains(modifier) {
                self.write(format_args!("{on};"));
            }
        }
    }

    fn set_color(&mut self, place: u8, color: Color) {
        let index = match color {
            Color::Reset => return self.write(format_args!("{};", place + 1)),
            Color::Rgb(r, g, b) => return self.write(format_args!("{place};2;{r};{g};{b};")),
            Color::Indexed(index) => index,
            Color::Black => 0,
            Color::Red => 1,
            Color::Green => 2,
            Color::Yellow => 3,
            Color::Blue => 4,
            Color::Magenta => 5,
            Color::Cyan => 6,
            Color::Gray => 7,
            Color::DarkGray => 8,
            Color::LightRed => 9,
            Color::LightGreen => 10,
            Color::LightYellow => 11,
            Color::LightBlue => 12,
            Color::LightMagenta => 13,
            Color::LightCyan => 14,
            Color::White => 15,
        };
        self.write(format_args!("{place};5;{index};"));
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a vector cannot fail.
        let _ = self.out.write_fmt(text);
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::*;

    /// Returns the output of symbols at columns of the first line, with `^` for ESC.
    fn output(symbols: &[(u16, &'static str, Style)]) -> String {
        let mut out = Vec::new();
        let mut writer = CellWriter::new(&mut out, 20);
        for (x, symbol, style) in symbols {
            let mut cell = Cell::new(symbol);
            cell.set_style(*style);
            writer.draw(Position { x: *x, y: 0 }, &cell, 1);
        }
        writer.finish();
        String::from_utf8(out).unwrap().replace('\x1b', "^")
    }

    #[test]
    fn neighbours_of_one_style_are_written_without_sequences() {
        let red = Style::new().red();
        let text = [(3, "a", red), (4, "b", red), (5, "c", red)];
        assert_eq!(output(&text), "^[38;5;1m^[1;4Habc^[m");
        let plain = Style::new();
        assert_eq!(output(&[(0, "a", plain), (7, "b", plain)]), "^[1;1Ha^[8Gb");
    }

    #[test]
    fn cursor_is_moved_after_a_symbol_of_uncertain_width() {
        let plain = Style::new();
        let at = |x, symbol| output(&[(x, symbol, plain), (x + 1, "b", plain)]);
        assert_eq!(at(0, "→"), "^[1;1H→^[2Gb");
        assert_eq!(at(0, "e\u{301}"), "^[1;1He\u{301}^[1;2Hb", "it may have any width");
    }

    #[test]
    fn few_unchanged_cells_are_drawn_again_instead_of_a_move() {
        let crossed = |cells: &[(&'static str, Style)]| {
            let mut out = Vec::new();
            let mut writer = CellWriter::new(&mut out, 20);
            let red = Style::new().red();
            let cell = |&(symbol, style): &(&'static str, Style)| {
                let mut cell = Cell::new(symbol);
                cell.set_style(style);
                cell
            };
            let cells: Vec<Cell> = cells.iter().map(cell).collect();
            let next = u16::try_from(cells.len()).unwrap() + 10;
            writer.draw(Position { x: 9, y: 0 }, &cell(&("a", red)), 1);
            writer.cross(Position { x: 10, y: 0 }, &cells);
            writer.draw(Position { x: next, y: 0 }, &cell(&("z", red)), 1);
            writer.finish();
            String::from_utf8(out).unwrap().replace('\x1b', "^")
        };
        let (red, plain) = (Style::new().red(), Style::new());
        assert_eq!(crossed(&[("b", red), (" ", plain)]), "^[38;5;1m^[1;10Hab z^[m");
        assert_eq!(crossed(&[("b", plain)]), "^[38;5;1m^[1;10Ha^[12Gz^[m", "another style");
        assert_eq!(crossed(&[("→", red)]), "^[38;5;1m^[1;10Ha^[12Gz^[m", "an uncertain width");
        assert_eq!(crossed(&[("b", red); 5]), "^[38;5;1m^[1;10Ha^[16Gz^[m", "too many");
    }

    #[test]
    fn blanks_leave_the_colour_of_the_text() {
        let (red, plain) = (Style::new().red().bold(), Style::new());
        let words = [(0, "a", red), (1, " ", plain), (2, "b", red)];
        assert_eq!(output(&words), "^[1;38;5;1m^[1;1Ha b^[m");
        let underlined = [(0, "a", red), (1, " ", plain.underlined()), (2, " ", plain)];
        assert_eq!(output(&underlined), "^[1;38;5;1m^[1;1Ha^[22;4;39m ^[m ");
        let on_blue = [(0, "a", red), (1, " ", plain.on_blue())];
        assert_eq!(output(&on_blue), "^[1;38;5;1m^[1;1Ha^[48;5;4m ^[m");
    }

    #[test]
    fn only_changes_of_a_style_are_written() {
        let dim = Style::new().fg(Color::Rgb(1, 2, 3)).dim();
        let bold = Style::new().fg(Color::Rgb(1, 2, 3)).bold();
        let both = bold.dim().underlined();
        let styles = [(0, "a", dim), (1, "b", both), (2, "c", bold), (3, "d", Style::new())];
        let expected = "^[2;38;2;1;2;3m^[1;1Ha^[1;4mb^[22;24;1mc^[md";
        assert_eq!(output(&styles), expected);
        let on_blue = Style::new().on_blue().red();
        assert_eq!(
            output(&[(0, "a", on_blue), (1, "b", Style::new().on_blue())]),
            "^[38;5;1;48;5;4m^[1;1Ha^[39mb^[m"
        );
    }
}
