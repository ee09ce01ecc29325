//! Writes frames to the terminal: rows that moved are moved there, then the cells that differ are drawn.

use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use ratatui::layout::{Position, Rect};
use ratatui::style::Color;

use super::cell_bounds::confine_symbols;
use super::cell_writer::{CellWriter, is_plain_blank};
use super::scrolled_rows::ScrolledRows;

/// Minimum blanks that are erased at once. That takes five bytes, and a move of the cursor six.
const MIN_ERASED_CELLS: usize = 12;

/// The frame on the terminal.
#[derive(Debug)]
pub struct FrameWriter {
    shown: Buffer,
}

impl FrameWriter {
    /// Returns a writer for a blank terminal.
    pub fn new(area: Rect) -> Self {
        Self { shown: Buffer::empty(area) }
    }

    /// Writes what turns the shown frame into `next`, and leaves the former in its place. Rows stay
    /// where they are if they have pictures, which some terminals would not move.
    pub fn write(&mut self, next: &mut Buffer, has_pictures: bool, out: &mut Vec<u8>) {
        let width = usize::from(next.area.width).max(1);
        let mut changed = Vec::new();
        let rows = self.shown.content.chunks(width).zip(next.content.chunks_mut(width));
        for (y, (shown, row)) in rows.enumerate() {
            // Most rows are shown already, with their symbols confined.
            if differ(shown, row) {
                confine_symbols(row);
                if differ(shown, row) {
                    changed.push(y);
                }
            }
        }
        let scrolled = ScrolledRows::find(&self.shown, next, &changed);
        if let Some(scrolled) = scrolled.filter(|_| !has_pictures) {
            scrolled.apply(&mut self.shown);
            scrolled.write(out);
            changed.retain(|y| !scrolled.rows.contains(y));
            changed.extend(scrolled.rows);
        }
        let mut writer = CellWriter::new(out, next.area.width);
        let rows: Vec<(&[Cell], &[Cell])> =
            self.shown.content.chunks(width).zip(next.content.chunks(width)).collect();
        for (y, (shown, row)) in changed.into_iter().filter_map(|y| Some((y, *rows.get(y)?))) {
            let y = next.area.y.saturating_add(u16::try_from(y).unwrap_or(u16::MAX));
            draw_row(&mut writer, Position { x: next.area.x, y }, shown, row);
        }
        writer.finish();
        std::mem::swap(&mut self.shown, next);
    }
}

/// Compares what is seen of cells. Nearly all symbols are one byte.
fn look_same(one: &Cell, other: &Cell) -> bool {
    let symbols = (one.symbol().as_bytes(), other.symbol().as_bytes());
    let is_same_symbol = match symbols {
        ([one], [other]) => one == other,
        (one, other) => one == other,
    };
    is_same_symbol
        && one.bg == other.bg
        && one.diff_option == other.diff_option
        && ((one.fg == other.fg
            && one.modifier == other.modifier
            && one.underline_color == other.underline_color)
            || (is_plain_blank(one) && is_plain_blank(other)))
}

fn differ(some: &[Cell], others: &[Cell]) -> bool {
    some.len() != others.len() || some.iter().zip(others).any(|(one, other)| !look_same(one, other))
}

/// Draws the cells of a row that differ from the shown ones. A wide symbol's other cells are empty.
fn draw_row(writer: &mut CellWriter<'_>, start: Position, shown: &[Cell], row: &[Cell]) {
    let (mut at, mut drawn, mut overdrawn) = (0, 0, 0);
    let position = |at: usize| {
        let x = start.x.saturating_add(u16::try_from(at).unwrap_or(u16::MAX));
        Position { x, ..start }
    };
    loop {
        if at >= overdrawn {
            let [shown, row] = [shown, row].map(|cells| cells.get(at..).unwrap_or_default());
            at += shown_run(shown, row);
        }
        let Some((cell, rest)) = row.get(at..).and_then(<[Cell]>::split_first) else { break };
        let is_wide = rest.first().is_some_and(|next| next.symbol().is_empty());
        let mut columns = if is_wide {
            1 + rest.iter().take_while(|cell| cell.symbol().is_empty()).count()
        } else {
            1
        };
        if cell.diff_option != CellDiffOption::Skip {
            writer.cross(position(drawn), row.get(drawn..at).unwrap_or_default());
            let count = if is_wide { 1 } else { run_length(cell, rest) };
            let blanks = blank_run(cell, rest);
            if blanks >= MIN_ERASED_CELLS {
                writer.erase(position(at), cell, blanks);
                columns = blanks;
            } else if count > 1 {
                writer.draw_run(position(at), cell, count);
                overdrawn = overdrawn.max(at + 2 * count);
                columns = count;
            } else {
                writer.draw(position(at), cell, u16::try_from(columns).unwrap_or(u16::MAX));
            }
            drawn = at + columns;
        }
        at += columns;
    }
}

/// Returns the number of cells at the start that are shown already. A wide symbol is, if all of its cells are.
fn shown_run(shown: &[Cell], row: &[Cell]) -> usize {
    let same = shown.iter().zip(row).take_while(|(one, other)| look_same(one, other)).count();
    let is_between_symbols =
        |end: &usize| row.get(*end).is_none_or(|next| !next.symbol().is_empty());
    (0..=same).rev().find(is_between_symbols).unwrap_or_default()
}

/// Returns the number of blanks from `cell` on that any terminal erases as they are drawn: without a background,
/// which some would leave out.
fn blank_run(cell: &Cell, rest: &[Cell]) -> usize {
    let is_erased = |cell: &&Cell| {
        is_plain_blank(cell) && cell.bg == Color::Reset && cell.diff_option == CellDiffOption::None
    };
    [cell].into_iter().chain(rest).take_while(is_erased).count()
}

/// Returns the number of equal cells from `cell` on, as in a line, that can be written without a move in
/// between: a terminal that draws their symbol in two columns reaches no other row, and no picture.
fn run_length(cell: &Cell, rest: &[Cell]) -> usize {
    if cell.symbol().is_ascii() || cell.symbol().chars().count() > 1 {
        return 1;
    }
    let most = rest.len().div_ceil(2);
    let count = 1 + rest.iter().take_while(|next| look_same(cell, next)).take(most).count();
    let count = count.min(most);
    let mut reached = rest.iter().take(2 * count);
    if reached.all(|cell| cell.diff_option != CellDiffOption::Skip) { count } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_symbol_is_shown_if_all_of_its_cells_are() {
        let shown = ["a", "漢", "", "b"].map(Cell::new);
        let run = |at: usize, change: fn(&mut Cell)| {
            let mut row = shown.clone();
            change(&mut row[at]);
            shown_run(&shown, &row)
        };
        let other: fn(&mut Cell) = |cell| cell.bg = Color::Red;
        assert_eq!([0, 1, 2, 3].map(|at| run(at, other)), [0, 1, 1, 3]);
        assert_eq!(run(0, |_| ()), shown.len());
    }
}
