//! Moving in the pane, and turning it to look at it otherwise.

use super::{Side, Trace, View};
use crate::msg::Action;
use crate::pane::{Cx, Link, Want};
use crate::sanitize::Text;
use crate::trace::value_flow;
use crate::ui::document::Leads;

impl Trace {
    /// Whether the keys are the detail's.
    pub(super) fn is_entered(&self) -> bool {
        self.side != Side::Beside
    }

    /// Moves by rows of the tree, or to what is drawn next to it in the other views.
    pub(super) fn go(&mut self, action: Action, cx: &Cx<'_>) -> bool {
        let Some(by) = action.rows(self.parts(cx).rows.height) else { return false };
        if let View::Flow(flow, at) = &mut self.view {
            let last = flow.accounts.len().saturating_sub(1);
            *at = at.saturating_add_signed(by).min(last);
            return true;
        }
        let last = self.outline.rows().len().saturating_sub(1);
        let row = self.outline.row(self.selected).saturating_add_signed(by).min(last);
        self.selected = self.outline.rows().get(row).copied().unwrap_or(self.selected);
        true
    }

    /// In the icicle, down is in, and left and right are siblings.
    pub(super) fn walk_icicle(&mut self, action: Action) -> bool {
        let at = self.selected;
        let to = match action {
            Action::NextRow => self.tree.children(at).next(),
            Action::PreviousRow => self.tree.parent(at),
            Action::NextCell => return self.jump(Action::NextSibling),
            Action::PreviousCell => return self.jump(Action::PreviousSibling),
            _ => return false,
        };
        if let Some(to) = to {
            self.go_to(to);
        }
        true
    }

    pub(super) fn scroll(&mut self, action: Action, cx: &Cx<'_>) -> bool {
        let height = usize::from(self.parts(cx).rows.height).max(1);
        let row = self.outline.row(self.selected);
        self.top = match action {
            Action::ScrollTop => row,
            Action::ScrollMiddle => row.saturating_sub(height / 2),
            Action::ScrollBottom => (row + 1).saturating_sub(height),
            _ => return false,
        };
        true
    }

    /// Another way to look at it.
    pub(super) fn turn(&mut self, action: Action) -> bool {
        match action {
            Action::Icicle => {
                self.view = match self.view {
                    View::Icicle(_) => View::Tree,
                    _ => View::Icicle(0),
                };
            }
            Action::ValueFlow => {
                self.view = match self.view {
                    View::Flow(..) => View::Tree,
                    _ => View::Flow(Box::new(value_flow::flow(&self.tree)), 0),
                };
            }
            Action::ZoomIn => self.view = View::Icicle(self.selected),
            Action::ZoomOut => {
                if let View::Icicle(root) = self.view {
                    self.view = View::Icicle(self.tree.parent(root).unwrap_or(root));
                }
            }
            Action::Percent => self.of_parent ^= true,
            Action::Indent => self.step = (self.step + 1).min(8),
            Action::Outdent => self.step = self.step.saturating_sub(1).max(1),
            Action::Focus if self.is_entered() => self.side = Side::Beside,
            Action::Focus => self.side = Side::Entered,
            Action::Zoom if self.side == Side::Alone => self.side = Side::Beside,
            Action::Zoom => self.side = Side::Alone,
            Action::DisplayMode => {
                self.mode = self.mode.next();
                self.said =
                    Some(Want::Say(Text::from(format!("arguments as {}", self.mode.words()))));
            }
            _ => return false,
        }
        true
    }

    pub(super) fn move_in_detail(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let height = self.parts(cx).detail.height;
        if let Some(by) = action.rows(height) {
            self.detail.go(by, height);
            return Some(Vec::new());
        }
        match action {
            Action::NextCell => drop(self.detail.fold(Some(true), height)),
            Action::PreviousCell => drop(self.detail.fold(Some(false), height)),
            Action::Toggle => drop(self.detail.fold(None, height)),
            Action::Open => match self.detail.selected().and_then(|entry| entry.leads.clone()) {
                Some(Leads::To(subject)) => {
                    return Some(vec![Want::Follow(Link::Subject(subject))]);
                }
                _ => drop(self.detail.fold(None, height)),
            },
            Action::Back => self.side = Side::Beside,
            _ => return None,
        }
        Some(Vec::new())
    }
}
