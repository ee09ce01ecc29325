//! The selected row of a view that draws bars.

use ratatui::layout::{Position, Rect};

#[derive(Debug, Clone, Copy, Default)]
pub struct ChartCursor {
    pub selected: usize,
}

impl ChartCursor {
    pub fn step(&mut self, by: isize, len: usize) {
        self.selected = self.selected.saturating_add_signed(by).min(len.saturating_sub(1));
    }

    /// Returns the first row on the screen.
    pub fn first(self, rows: Rect) -> usize {
        self.selected.saturating_sub(usize::from(rows.height).saturating_sub(1))
    }

    /// Selects the row at a position. Returns `true` if it was selected before, or `None` if there is
    /// no row.
    pub fn click(&mut self, at: Position, rows: Rect, len: usize) -> Option<bool> {
        let row = rows.contains(at).then(|| usize::from(at.y - rows.y) + self.first(rows))?;
        (row < len).then(|| std::mem::replace(&mut self.selected, row) == row)
    }
}
