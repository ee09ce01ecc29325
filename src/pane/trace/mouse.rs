//! The mouse in a trace.

use ratatui::layout::{Position, Rect};

use super::row::fold_mark_column;
use super::{DetailMode, TracePane, TraceView, icicle, value_flow};
use crate::msg::Action;
use crate::pane::{Command, PaneContext};
use crate::ui::document::DocumentClick;

impl TracePane {
    /// Selects what is under the mouse; follows it, if it is selected already; folds on its mark.
    pub(super) fn on_click(&mut self, at: Position, cx: &PaneContext<'_>) -> Option<Vec<Command>> {
        let parts = self.layout(cx);
        if parts.detail.contains(at) {
            return self.click_detail(at, parts.detail, cx);
        }
        if !parts.rows.contains(at) {
            return None;
        }
        self.detail_mode = DetailMode::Preview;
        self.user_interacted = true;
        let wants = match &mut self.view {
            TraceView::Tree => self.click_call(at, parts.rows, cx),
            TraceView::Icicle(root) => {
                let pieces = icicle::layout_bars(&self.tree, *root, parts.rows);
                let here = Position { x: at.x, y: at.y - parts.rows.y };
                let piece = pieces.iter().find(|piece| piece.contains(here))?;
                let frame = piece.frame;
                self.select_or_open(frame, cx)
            }
            TraceView::ValueFlow(flow, selected) => {
                let line = value_flow::account_at(flow, *selected, parts.rows, at.y)?;
                if line == *selected {
                    return Some(self.open_selected());
                }
                *selected = line;
                Vec::new()
            }
        };
        self.sync_to_selection(cx);
        Some(wants)
    }

    fn click_call(&mut self, at: Position, rows: Rect, cx: &PaneContext<'_>) -> Vec<Command> {
        let place = self.first_row + usize::from(at.y - rows.y);
        let Some(number) = self.visible.rows().get(place).copied() else { return Vec::new() };
        let folds = self.tree.subtree(number).len() > 1;
        if folds && fold_mark_column(&self.tree, self.indent, number) == usize::from(at.x - rows.x)
        {
            self.selected = number;
            self.fold(Action::Toggle);
            return Vec::new();
        }
        self.select_or_open(number, cx)
    }

    /// A call was clicked on: it is selected, or followed.
    fn select_or_open(&mut self, number: u32, cx: &PaneContext<'_>) -> Vec<Command> {
        if number == self.selected {
            return self.open_selected();
        }
        self.selected = number;
        Vec::new()
    }

    fn click_detail(
        &mut self,
        at: Position,
        area: Rect,
        cx: &PaneContext<'_>,
    ) -> Option<Vec<Command>> {
        let had_keys = self.detail_has_focus();
        let pressed = self.detail.click(at, area)?;
        if !had_keys {
            self.detail_mode = DetailMode::Focused;
        }
        let wants = match pressed {
            DocumentClick::SelectedLine if had_keys => self.move_in_detail(Action::Open, cx),
            _ => None,
        };
        self.sync_to_selection(cx);
        Some(wants.unwrap_or_default())
    }

    /// Scrolls what is under the mouse.
    pub(super) fn on_wheel(
        &mut self,
        by: isize,
        at: Position,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let parts = self.layout(cx);
        self.user_interacted = true;
        if parts.detail.contains(at) {
            self.detail.scroll(by, parts.detail.height);
            return Vec::new();
        }
        if !matches!(self.view, TraceView::Tree) {
            let step = if by < 0 { Action::PreviousRow } else { Action::NextRow };
            for _ in 0..by.unsigned_abs() {
                self.apply_view_action(step, cx);
            }
            self.sync_to_selection(cx);
            return Vec::new();
        }
        let (rows, height) = (self.visible.rows().len(), usize::from(parts.rows.height).max(1));
        self.first_row = self.first_row.saturating_add_signed(by).min(rows.saturating_sub(height));
        let place =
            self.visible.row_of(self.selected).clamp(self.first_row, self.first_row + height - 1);
        self.selected = self.visible.rows().get(place).copied().unwrap_or(self.selected);
        self.sync_to_selection(cx);
        Vec::new()
    }
}
