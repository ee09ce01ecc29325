//! The mouse in a trace.

use ratatui::layout::{Position, Rect};

use super::row::mark_column;
use super::{Side, Trace, View, icicle, value_flow};
use crate::msg::Action;
use crate::pane::{Cx, Want};
use crate::ui::document::Pressed;

impl Trace {
    /// Selects what is under the mouse; follows it, if it is selected already; folds on its mark.
    pub(super) fn clicked(&mut self, at: Position, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let parts = self.parts(cx);
        if parts.detail.contains(at) {
            return self.clicked_detail(at, parts.detail, cx);
        }
        if !parts.rows.contains(at) {
            return None;
        }
        self.side = Side::Beside;
        self.touched = true;
        let wants = match &mut self.view {
            View::Tree => self.clicked_call(at, parts.rows, cx),
            View::Icicle(root) => {
                let pieces = icicle::lay_out(&self.tree, *root, parts.rows);
                let here = Position { x: at.x, y: at.y - parts.rows.y };
                let piece = pieces.iter().find(|piece| piece.contains(here))?;
                let frame = piece.frame;
                self.chosen(frame, cx)
            }
            View::Flow(flow, selected) => {
                let line = value_flow::account_at(flow, *selected, parts.rows, at.y)?;
                if line == *selected {
                    return Some(self.open(cx));
                }
                *selected = line;
                Vec::new()
            }
        };
        self.follow_selection(cx);
        Some(wants)
    }

    fn clicked_call(&mut self, at: Position, rows: Rect, cx: &Cx<'_>) -> Vec<Want> {
        let place = self.top + usize::from(at.y - rows.y);
        let Some(number) = self.outline.rows().get(place).copied() else { return Vec::new() };
        let folds = self.tree.subtree(number).len() > 1;
        if folds && mark_column(&self.tree, self.step, number) == usize::from(at.x - rows.x) {
            self.selected = number;
            self.fold(Action::Toggle);
            return Vec::new();
        }
        self.chosen(number, cx)
    }

    /// A call was clicked on: it is selected, or followed.
    fn chosen(&mut self, number: u32, cx: &Cx<'_>) -> Vec<Want> {
        if number == self.selected {
            return self.open(cx);
        }
        self.selected = number;
        Vec::new()
    }

    fn clicked_detail(&mut self, at: Position, area: Rect, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let had_keys = self.is_entered();
        let pressed = self.detail.click(at, area)?;
        if !had_keys {
            self.side = Side::Entered;
        }
        let wants = match pressed {
            Pressed::Again if had_keys => self.move_in_detail(Action::Open, cx),
            _ => None,
        };
        self.follow_selection(cx);
        Some(wants.unwrap_or_default())
    }

    /// Scrolls what is under the mouse.
    pub(super) fn wheeled(&mut self, by: isize, at: Position, cx: &Cx<'_>) -> Vec<Want> {
        let parts = self.parts(cx);
        self.touched = true;
        if parts.detail.contains(at) {
            self.detail.scroll(by, parts.detail.height);
            return Vec::new();
        }
        if !matches!(self.view, View::Tree) {
            let step = if by < 0 { Action::PreviousRow } else { Action::NextRow };
            for _ in 0..by.unsigned_abs() {
                self.moves(step, cx);
            }
            self.follow_selection(cx);
            return Vec::new();
        }
        let (rows, height) = (self.outline.rows().len(), usize::from(parts.rows.height).max(1));
        self.top = self.top.saturating_add_signed(by).min(rows.saturating_sub(height));
        let place = self.outline.row(self.selected).clamp(self.top, self.top + height - 1);
        self.selected = self.outline.rows().get(place).copied().unwrap_or(self.selected);
        self.follow_selection(cx);
        Vec::new()
    }
}
