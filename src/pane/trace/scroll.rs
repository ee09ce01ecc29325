//! Moves the selection and scrolls the calls.

use super::{TracePane, TraceView};
use crate::action::Action;
use crate::pane::PaneContext;

impl TracePane {
    /// Moves the selection by rows. Returns whether the action does that.
    pub(super) fn move_selection(&mut self, action: Action, cx: &PaneContext<'_>) -> bool {
        let height = self.layout(cx).rows.height;
        let Some(by) = action.row_delta(height) else { return false };
        match &mut self.view {
            TraceView::Functions(view) => view.move_selection(by),
            TraceView::ValueFlow(view) => view.move_selection(by, height),
            _ => self.select_row(self.visible.row_of(self.selected).saturating_add_signed(by)),
        }
        self.select_call_of_function();
        true
    }

    /// Selects the hottest call of the selected function, if functions are shown.
    pub(super) fn select_call_of_function(&mut self) {
        if let TraceView::Functions(view) = &self.view {
            self.selected = view.selected_call().unwrap_or(self.selected);
        }
    }

    /// Selects the call in a row, or in the last row if there are fewer.
    pub(super) fn select_row(&mut self, row: usize) {
        let rows = self.visible.rows();
        self.selected = rows.get(row).or(rows.last()).copied().unwrap_or(self.selected);
    }

    /// Moves in the icicle: down to a child, left and right to siblings. Returns whether the action does
    /// that.
    pub(super) fn move_in_icicle(&mut self, action: Action) -> bool {
        let to = match action {
            Action::NextRow => self.tree.children(self.selected).next(),
            Action::PreviousRow => self.tree.parent(self.selected),
            Action::NextCell => return self.jump(Action::NextSibling),
            Action::PreviousCell => return self.jump(Action::PreviousSibling),
            _ => return false,
        };
        if let Some(to) = to {
            self.go_to(to);
        }
        true
    }

    /// Scrolls the selected row to a place on the screen. Returns whether the action does that.
    pub(super) fn scroll(&mut self, action: Action, cx: &PaneContext<'_>) -> bool {
        let height = usize::from(self.layout(cx).rows.height).max(1);
        let row = self.visible.row_of(self.selected);
        self.first_row = match action {
            Action::ScrollTop => row,
            Action::ScrollMiddle => row.saturating_sub(height / 2),
            Action::ScrollBottom => (row + 1).saturating_sub(height),
            _ => return false,
        };
        true
    }
}
