//! Moves the selection and scrolls the calls.

use super::{TracePane, TraceView};
use crate::action::Action;
use crate::pane::PaneContext;
use crate::trace::log_rows::TraceRow;

impl TracePane {
    /// Moves the selection by rows. Returns whether the action does that.
    pub(super) fn move_selection(&mut self, action: Action, cx: &PaneContext<'_>) -> bool {
        let height = self.layout(cx).rows.height;
        let Some(by) = action.row_delta(height) else { return false };
        match &mut self.view {
            TraceView::Functions(view) => view.move_selection(by),
            TraceView::ValueFlow(view) => view.move_selection(by, height),
            _ => self.select_row(self.cursor_row().saturating_add_signed(by)),
        }
        self.select_call_of_function();
        true
    }

    /// Selects the hottest call of the selected function, if functions are shown.
    pub(super) fn select_call_of_function(&mut self) {
        if let TraceView::Functions(view) = &self.view {
            self.select(view.selected_call().unwrap_or(self.selected));
        }
    }

    /// Returns the number of rows of the tree.
    pub(super) fn row_total(&self) -> usize {
        self.logs.rows.count(&self.visible)
    }

    pub(super) fn cursor_row(&self) -> usize {
        let log = self.log_cursor.and_then(|row| self.logs.rows.row_of_log(row));
        log.unwrap_or_else(|| self.logs.rows.row_of_call(&self.visible, self.selected))
    }

    pub(super) fn select(&mut self, call: u32) {
        self.selected = call;
        self.log_cursor = None;
    }

    /// Selects what is in a row, or in the last row if there are fewer. Of a log without a place, the
    /// selected call is the outermost one.
    pub(super) fn select_row(&mut self, row: usize) {
        let last = self.row_total().saturating_sub(1);
        match self.logs.rows.get(&self.visible, row.min(last)) {
            Some(TraceRow::Call(call)) => self.select(call),
            Some(TraceRow::Log(log)) => {
                self.selected = self.logs.place(log).map_or(0, |place| place.call);
                self.log_cursor = Some(TraceRow::Log(log));
            }
            Some(TraceRow::Unplaced) => {
                (self.selected, self.log_cursor) = (0, Some(TraceRow::Unplaced));
            }
            None => {}
        }
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
        let row = self.cursor_row();
        self.first_row = match action {
            Action::ScrollTop => row,
            Action::ScrollMiddle => row.saturating_sub(height / 2),
            Action::ScrollBottom => (row + 1).saturating_sub(height),
            _ => return false,
        };
        true
    }
}
