//! Mouse input of a list.

use ratatui::layout::Position;

use super::super::{Command, PaneContext};
use super::regions::table_area;
use super::{ListPane, LoadAll};

impl ListPane {
    /// Selects the cell under the mouse, or opens it if it is selected. A title sorts by its column.
    pub(super) fn on_click(&mut self, at: Position, cx: &PaneContext<'_>) -> Option<Vec<Command>> {
        self.leave_selection();
        if let Some(grid) = self.grid(cx) {
            let card = self.card_at(at, grid)?;
            let is_selected = card == self.viewport.selected;
            return Some(if is_selected { self.open(cx) } else { self.move_to(card, cx) });
        }
        let [header, rows, _] = self.regions(cx);
        if header.contains(at) {
            return Some(self.sort_by(self.column_at(at.x, cx)?, None, cx));
        }
        let place = self.viewport.line_at(at, rows, self.len())?;
        let column = self.column_at(at.x, cx).unwrap_or(self.column);
        if (place, column) == (self.viewport.selected, self.column) {
            return Some(self.unfold(cx).unwrap_or_else(|| self.open(cx)));
        }
        self.column = column;
        Some(self.move_to(place, cx))
    }

    /// Returns the selectable column at screen column `x`.
    fn column_at(&self, x: u16, cx: &PaneContext<'_>) -> Option<usize> {
        let mut left = table_area(cx.area, cx).x;
        for (n, (placed, column)) in self.layout(cx).1.iter().zip(self.kind.columns).enumerate() {
            if placed.width == 0 {
                continue;
            }
            let right = left.saturating_add(placed.width);
            if (left..right).contains(&x) {
                return (!column.title.is_empty()).then_some(n);
            }
            left = right.saturating_add(placed.gap);
        }
        None
    }

    pub(super) fn on_wheel(&mut self, by: isize, cx: &PaneContext<'_>) -> Vec<Command> {
        self.leave_selection();
        self.load_all = LoadAll::Off;
        if let Some(grid) = self.grid(cx) {
            let to = self.viewport.selected.saturating_add_signed(grid.cards_in(by));
            return self.move_to(to, cx);
        }
        // The line after the last row can be scrolled to.
        self.viewport.scroll(by, self.len() + 1, self.visible_rows(cx));
        self.select(self.viewport.selected, cx);
        self.prefetch(cx)
    }
}
