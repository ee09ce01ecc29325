//! Moves the selection and scrolls the calls.

use super::TracePane;
use super::views::TraceView;
use crate::action::{Action, Step};
use crate::pane::{Command, PaneContext};
use crate::trace::log_rows::TraceRow;

impl TracePane {
    /// Moves the selection by rows.
    pub(super) fn move_selection(
        &mut self,
        action: Action,
        cx: &PaneContext<'_>,
    ) -> Option<Vec<Command>> {
        let height = self.layout(cx).rows.height;
        let by = action.row_delta(height)?;
        match &mut self.view {
            TraceView::Functions(view) => view.move_selection(by),
            TraceView::BalanceChanges(view) => view.move_selection(by, height),
            _ => self.select_row(self.cursor_row().saturating_add_signed(by)),
        }
        self.select_call_of_function();
        Some(Vec::new())
    }

    /// Selects the hottest call of the selected function, if functions are shown.
    pub(super) fn select_call_of_function(&mut self) {
        if let TraceView::Functions(view) = &self.view {
            self.select(view.selected_call().unwrap_or(self.cursor.call));
        }
    }

    /// Returns the number of rows of the tree.
    pub(super) fn row_total(&self) -> usize {
        self.logs.rows.count(&self.folding.visible)
    }

    pub(super) fn cursor_row(&self) -> usize {
        let log = self.cursor.log_row.and_then(|row| self.logs.rows.row_of_log(row));
        log.unwrap_or_else(|| self.logs.rows.row_of_call(&self.folding.visible, self.cursor.call))
    }

    pub(super) fn select(&mut self, call: u32) {
        self.cursor.call = call;
        self.cursor.log_row = None;
    }

    /// Selects the entry in a row, or in the last row if there are fewer. The selected call of a log
    /// without a place is the outermost one.
    pub(super) fn select_row(&mut self, row: usize) {
        let last = self.row_total().saturating_sub(1);
        match self.logs.rows.get(&self.folding.visible, row.min(last)) {
            Some(TraceRow::Call(call)) => self.select(call),
            Some(TraceRow::Log(log)) => {
                self.cursor.call = self.logs.place(log).map_or(0, |place| place.call);
                self.cursor.log_row = Some(TraceRow::Log(log));
            }
            Some(TraceRow::Unplaced) => {
                (self.cursor.call, self.cursor.log_row) = (0, Some(TraceRow::Unplaced));
            }
            None => {}
        }
    }

    /// Moves from cell to cell or from bar to bar in a view other than the tree.
    pub(super) fn move_in_chart(&mut self, action: Action) -> Option<Vec<Command>> {
        match &mut self.view {
            TraceView::Icicle(_) => self.move_in_icicle(action),
            TraceView::BalanceChanges(view) => {
                view.move_cell(match action {
                    Action::NextCell => Step::Next,
                    Action::PreviousCell => Step::Previous,
                    _ => return None,
                });
                Some(Vec::new())
            }
            TraceView::Tree | TraceView::Functions(_) => None,
        }
    }

    /// Moves in the icicle: down to a child, left and right to siblings. A call outside of those shown
    /// becomes the top.
    fn move_in_icicle(&mut self, action: Action) -> Option<Vec<Command>> {
        let to = match action {
            Action::NextRow => self.tree.children(self.cursor.call).next(),
            Action::PreviousRow => self.tree.parent(self.cursor.call),
            Action::NextCell | Action::PreviousCell => None,
            _ => return None,
        };
        let commands = match action {
            Action::NextCell => self.jump(Action::NextSibling),
            Action::PreviousCell => self.jump(Action::PreviousSibling),
            _ => Some(to.and_then(|to| self.go_to(to)).into_iter().collect()),
        };
        let selected = self.cursor.call;
        if let TraceView::Icicle(root) = &mut self.view
            && !self.tree.subtree(*root).contains(&selected)
        {
            *root = selected;
        }
        commands
    }

    /// Scrolls the selected row to a place on the screen.
    pub(super) fn scroll(&mut self, action: Action, cx: &PaneContext<'_>) -> Option<Vec<Command>> {
        let height = usize::from(self.layout(cx).rows.height).max(1);
        let row = self.cursor_row();
        self.cursor.first_row = match action {
            Action::ScrollTop => row,
            Action::ScrollMiddle => row.saturating_sub(height / 2),
            Action::ScrollBottom => (row + 1).saturating_sub(height),
            _ => return None,
        };
        Some(Vec::new())
    }
}
