//! The mouse in a comparison.

use ratatui::layout::Position;

use super::{Command, DiffPane, PaneContext};
use crate::msg::Action;

impl DiffPane {
    /// Selects the line under the mouse; follows it, if it is selected already; folds on its mark.
    pub(super) fn on_click(&mut self, at: Position, cx: &PaneContext<'_>) -> Option<Vec<Command>> {
        let rows = self.parts(cx).rows;
        let place = self.top + rows.contains(at).then(|| usize::from(at.y - rows.y))?;
        let line = *self.folds.lines().get(place)?;
        let again = line == self.selected;
        self.selected = line;
        let on_mark = self.mark_column(line, rows.width) == Some(usize::from(at.x - rows.x));
        let wants = if on_mark && self.folds.is_expanded(&self.diff, line).is_some() {
            self.fold(Action::Toggle);
            Vec::new()
        } else if again {
            self.open(cx)
        } else {
            Vec::new()
        };
        self.keep_selection_visible(cx);
        Some(wants)
    }

    /// Scrolls; the selected line comes along at the edge.
    pub(super) fn on_wheel(&mut self, by: isize, cx: &PaneContext<'_>) {
        let (lines, height) =
            (self.folds.lines().len(), usize::from(self.parts(cx).rows.height).max(1));
        self.top = self.top.saturating_add_signed(by).min(lines.saturating_sub(height));
        let place = self.folds.position(self.selected).clamp(self.top, self.top + height - 1);
        self.selected = self.folds.line_at(place.min(lines.saturating_sub(1)));
        self.keep_selection_visible(cx);
    }
}
