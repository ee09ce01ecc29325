//! The mouse in a list.

use ratatui::layout::Position;

use super::super::row::Row;
use super::super::{Cx, Want};
use super::{List, height, regions};

impl<T: Row> List<T> {
    /// Selects the cell under the mouse; follows it, if it is selected already.
    pub(super) fn clicked(&mut self, at: Position, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let rows = regions(cx.area).rows;
        let below = rows.contains(at).then(|| usize::from(at.y - rows.y))?;
        let place = self.sight.top + below;
        if place >= self.len() {
            return None;
        }
        let column = self.column_at(at.x, cx).unwrap_or(self.column);
        if (place, column) == (self.sight.selected, self.column) {
            return Some(self.open());
        }
        self.column = column;
        Some(self.go(place, cx))
    }

    /// The column that a cell can be selected in, on the screen's column `x`.
    fn column_at(&self, x: u16, cx: &Cx<'_>) -> Option<usize> {
        let mut left = cx.area.x;
        for (n, (width, column)) in self.layout(cx).1.iter().zip(T::columns()).enumerate() {
            if *width == 0 {
                continue;
            }
            let right = left.saturating_add(*width);
            if (left..right).contains(&x) {
                return (!column.title.is_empty()).then_some(n);
            }
            left = right.saturating_add(1);
        }
        None
    }

    /// Scrolls; the cursor comes along at the edge.
    pub(super) fn wheeled(&mut self, by: isize, cx: &Cx<'_>) -> Vec<Want> {
        self.pulling = false;
        self.at_last = false;
        self.sight.scroll(by, self.len(), height(cx));
        self.select(self.sight.selected, cx);
        self.ask_ahead(cx)
    }
}
