//! The mouse in a trace.

use ratatui::layout::{Position, Rect};

use super::TracePane;
use super::rows::gas_columns::GasColumns;
use super::views::TraceView;
use crate::action::Action;
use crate::pane::icicle::layout::{Icicle, IcicleAreas};
use crate::pane::{Command, PaneContext};
use crate::trace::log_rows::TraceRow;
use crate::ui::format::width;

impl TracePane {
    /// Selects the row at a position, opens it if it is selected already, or toggles a fold on its
    /// mark.
    pub(super) fn on_click(&mut self, at: Position, cx: &PaneContext<'_>) -> Vec<Command> {
        self.finding.same_call = None;
        let layout = self.layout(cx);
        if layout.detail.contains(at) {
            return self.detail.click(at, layout.detail).unwrap_or_default();
        }
        if layout.titles.contains(at) && matches!(self.view, TraceView::Tree) {
            let column = usize::from(at.x - layout.titles.x);
            return self.click_title(column, layout.rows, cx).into_iter().collect();
        }
        if !layout.rows.contains(at) {
            return Vec::new();
        }
        self.detail.unfocus();
        self.user_interacted = true;
        match &mut self.view {
            TraceView::Tree => self.click_call(at, layout.rows, cx),
            &mut TraceView::Icicle(root) => {
                self.click_icicle(root, at, &self.icicle_areas(root, &layout, cx))
            }
            TraceView::Functions(view) => {
                let was_selected = view.click(at, layout.rows) == Some(true);
                self.select_call_of_function();
                if was_selected { self.handle_action(Action::Open, cx) } else { Vec::new() }
            }
            TraceView::BalanceChanges(view) => match view.click(at, layout.rows) {
                Some(true) => self.open_selected(),
                _ => Vec::new(),
            },
        }
    }

    fn columns_on_screen(&self, rows: Rect, cx: &PaneContext<'_>) -> GasColumns {
        self.with_painter(cx, rows, |painter| self.shown_columns(painter, rows))
    }

    /// Sorts siblings by the column, or switches the base of the percentages.
    fn click_title(&mut self, column: usize, rows: Rect, cx: &PaneContext<'_>) -> Option<Command> {
        // One column for the gutter.
        let order = self.columns_on_screen(rows, cx).order_at(column.saturating_sub(1));
        if order.is_none() {
            self.row_options.share_of_parent ^= true;
        }
        order.map(|order| self.sort_siblings(order))
    }

    fn click_call(&mut self, at: Position, rows: Rect, cx: &PaneContext<'_>) -> Vec<Command> {
        let row = self.cursor.first_row + usize::from(at.y - rows.y);
        let number = match self.logs.rows.get(&self.folding.visible, row) {
            Some(TraceRow::Call(number)) => number,
            Some(shown) if self.cursor.log_row == Some(shown) => return self.open_selected(),
            Some(_) => {
                self.select_row(row);
                return Vec::new();
            }
            None => return Vec::new(),
        };
        let columns = self.columns_on_screen(rows, cx);
        let branches = self.branches(rows.width).of_call(number);
        // One column for the gutter.
        let mark = 1 + columns.width() + width(&branches);
        if !self.is_leaf(number) && (mark..=mark + 1).contains(&usize::from(at.x - rows.x)) {
            self.select(number);
            return self.fold(Action::Toggle).unwrap_or_default();
        }
        self.select_or_open(number)
    }

    /// Selects or opens a bar, or zooms out to a call around the root.
    fn click_icicle(&mut self, root: u32, at: Position, areas: &IcicleAreas) -> Vec<Command> {
        if areas.ancestors.contains(at) {
            let line = usize::from(at.y - areas.ancestors.y);
            if let Some(call) = areas.ancestor_calls(&self.tree, root).get(line) {
                self.view = TraceView::Icicle(*call);
                self.select(*call);
            }
            return Vec::new();
        }
        let icicle = Icicle::new(&self.tree, root, self.cursor.call, areas.chart);
        let call = icicle.call_at(at, areas.chart);
        call.map(|call| self.select_or_open(call)).unwrap_or_default()
    }

    fn select_or_open(&mut self, number: u32) -> Vec<Command> {
        if number == self.cursor.call && self.cursor.log_row.is_none() {
            return self.open_selected();
        }
        self.select(number);
        Vec::new()
    }

    pub(super) fn on_wheel(
        &mut self,
        by: isize,
        at: Position,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        self.finding.same_call = None;
        let layout = self.layout(cx);
        self.user_interacted = true;
        if layout.detail.contains(at) {
            self.detail.scroll(by, layout.detail);
            return Vec::new();
        }
        if !matches!(self.view, TraceView::Tree) {
            let step = if by < 0 { Action::PreviousRow } else { Action::NextRow };
            let steps = 0..by.unsigned_abs();
            return steps.filter_map(|_| self.apply_view_action(step, cx)).flatten().collect();
        }
        let height = usize::from(layout.rows.height).max(1);
        let last_top = self.row_total().saturating_sub(height);
        self.cursor.first_row = self.cursor.first_row.saturating_add_signed(by).min(last_top);
        let row = self.cursor_row();
        self.select_row(row.clamp(self.cursor.first_row, self.cursor.first_row + height - 1));
        Vec::new()
    }
}
