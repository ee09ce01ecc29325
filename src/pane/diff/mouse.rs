//! Mouse input of a comparison.

use ratatui::layout::Position;

use super::{Command, DiffPane, PaneContext};
use crate::action::Action;

impl DiffPane {
    /// Selects the clicked line, opens it if it is selected, or folds it at its fold mark.
    pub(super) fn on_click(&mut self, at: Position, cx: &PaneContext<'_>) -> Option<Vec<Command>> {
        let rows = self.layout(cx).rows;
        let position = self.top + rows.contains(at).then(|| usize::from(at.y - rows.y))?;
        let line = *self.folds.lines().get(position)?;
        let was_selected = line == self.selected;
        self.selected = line;
        let on_fold_mark =
            self.fold_mark_column(line, rows.width) == Some(usize::from(at.x - rows.x));
        let commands = if on_fold_mark && self.folds.is_expanded(&self.diff, line).is_some() {
            self.fold(Action::Toggle);
            Vec::new()
        } else if was_selected {
            self.open(cx)
        } else {
            Vec::new()
        };
        self.keep_selection_visible(cx);
        Some(commands)
    }

    pub(super) fn on_wheel(&mut self, delta: isize, at: Position, cx: &PaneContext<'_>) {
        let calls = self.layout(cx).calls;
        if calls.contains(at) {
            return self.calls.scroll(delta, calls);
        }
        let lines = self.folds.lines().len();
        let height = usize::from(self.layout(cx).rows.height).max(1);
        self.top = self.top.saturating_add_signed(delta).min(lines.saturating_sub(height));
        let position = self.folds.position(self.selected).clamp(self.top, self.top + height - 1);
        self.selected = self.folds.line_at(position.min(lines.saturating_sub(1)));
        self.keep_selection_visible(cx);
    }
}
