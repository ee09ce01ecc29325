//! Writes frames to the terminal: rows that moved are moved there, then the cells that differ are drawn.

use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use ratatui::layout::{Position, Rect};

use super::cell_bounds::confine_symbols;
use super::pen::Pen;
use super::scrolled_rows::ScrolledRows;

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
        confine_symbols(next);
        let width = usize::from(next.area.width).max(1);
        let rows = self.shown.content.chunks(width).zip(next.content.chunks(width));
        let mut changed: Vec<usize> = (0..)
            .zip(rows)
            .filter(|(_, (shown, row))| differ(shown, row))
            .map(|(y, _)| y)
            .collect();
        let scrolled = ScrolledRows::find(&self.shown, next, &changed);
        if let Some(scrolled) = scrolled.filter(|_| !has_pictures) {
            scrolled.apply(&mut self.shown);
            scrolled.write(out);
            changed.retain(|y| !scrolled.rows.contains(y));
            changed.extend(scrolled.rows);
        }
        let mut pen = Pen::new(out, next.area.width);
        let rows: Vec<(&[Cell], &[Cell])> =
            self.shown.content.chunks(width).zip(next.content.chunks(width)).collect();
        for (y, (shown, row)) in changed.into_iter().filter_map(|y| Some((y, *rows.get(y)?))) {
            let y = next.area.y.saturating_add(u16::try_from(y).unwrap_or(u16::MAX));
            draw_row(&mut pen, Position { x: next.area.x, y }, shown, row);
        }
        pen.finish();
        std::mem::swap(&mut self.shown, next);
    }
}

/// Compares cells as `==` does, in less time: nearly all symbols are one byte.
fn look_same(one: &Cell, other: &Cell) -> bool {
    let is_same_symbol = match (one.symbol().as_bytes(), other.symbol().as_bytes()) {
        ([one], [other]) => one == other,
        (one, other) => one == other,
    };
    is_same_symbol
        && one.fg == other.fg
        && one.bg == other.bg
        && one.modifier == other.modifier
        && one.underline_color == other.underline_color
        && one.diff_option == other.diff_option
}

fn differ(some: &[Cell], others: &[Cell]) -> bool {
    some.len() != others.len() || some.iter().zip(others).any(|(one, other)| !look_same(one, other))
}

/// Draws the cells of a row that differ from the shown ones. A wide symbol's other cells are empty.
fn draw_row(pen: &mut Pen<'_>, start: Position, mut shown: &[Cell], mut row: &[Cell]) {
    let mut x = start.x;
    while let Some((cell, rest)) = row.split_first() {
        let columns = 1 + rest.iter().take_while(|cell| cell.symbol().is_empty()).count();
        let (span, after) = row.split_at(columns);
        let (before, shown_after) = shown.split_at(columns.min(shown.len()));
        let columns = u16::try_from(columns).unwrap_or(u16::MAX);
        if cell.diff_option != CellDiffOption::Skip && differ(span, before) {
            pen.draw(Position { x, ..start }, cell, columns);
        }
        (row, shown) = (after, shown_after);
        x = x.saturating_add(columns);
    }
}
