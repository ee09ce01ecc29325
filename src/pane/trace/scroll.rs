//! Moving in the pane, and turning it to look at it otherwise.

use super::{DetailMode, TracePane, TraceView};
use crate::msg::Action;
use crate::pane::{Command, PaneContext, Route};
use crate::sanitize::SafeText;
use crate::trace::value_flow;
use crate::ui::document::EntryLink;

impl TracePane {
    /// Whether the keys are the detail's.
    pub(super) fn detail_has_focus(&self) -> bool {
        self.detail_mode != DetailMode::Preview
    }

    /// Moves by rows of the tree, or to what is drawn next to it in the other views.
    pub(super) fn move_selection(&mut self, action: Action, cx: &PaneContext<'_>) -> bool {
        let Some(by) = action.row_delta(self.layout(cx).rows.height) else { return false };
        if let TraceView::ValueFlow(flow, at) = &mut self.view {
            let last = flow.accounts.len().saturating_sub(1);
            *at = at.saturating_add_signed(by).min(last);
            return true;
        }
        let last = self.visible.rows().len().saturating_sub(1);
        let row = self.visible.row_of(self.selected).saturating_add_signed(by).min(last);
        self.selected = self.visible.rows().get(row).copied().unwrap_or(self.selected);
        true
    }

    /// In the icicle, down is in, and left and right are siblings.
    pub(super) fn move_in_icicle(&mut self, action: Action) -> bool {
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

    /// Another way to look at it.
    pub(super) fn change_view(&mut self, action: Action) -> bool {
        match action {
            Action::Icicle => {
                self.view = match self.view {
                    TraceView::Icicle(_) => TraceView::Tree,
                    _ => TraceView::Icicle(0),
                };
            }
            Action::ValueFlow => {
                self.view = match self.view {
                    TraceView::ValueFlow(..) => TraceView::Tree,
                    _ => TraceView::ValueFlow(Box::new(value_flow::balance_changes(&self.tree)), 0),
                };
            }
            Action::ZoomIn => self.view = TraceView::Icicle(self.selected),
            Action::ZoomOut => {
                if let TraceView::Icicle(root) = self.view {
                    self.view = TraceView::Icicle(self.tree.parent(root).unwrap_or(root));
                }
            }
            Action::Percent => self.share_of_parent ^= true,
            Action::Indent => self.indent = (self.indent + 1).min(8),
            Action::Outdent => self.indent = self.indent.saturating_sub(1).max(1),
            Action::Focus if self.detail_has_focus() => self.detail_mode = DetailMode::Preview,
            Action::Focus => self.detail_mode = DetailMode::Focused,
            Action::Zoom if self.detail_mode == DetailMode::Fullscreen => {
                self.detail_mode = DetailMode::Preview
            }
            Action::Zoom => self.detail_mode = DetailMode::Fullscreen,
            Action::DisplayMode => {
                self.value_format = self.value_format.next();
                self.pending_notice = Some(Command::Notify(SafeText::from(format!(
                    "arguments as {}",
                    self.value_format.label()
                ))));
            }
            _ => return false,
        }
        true
    }

    pub(super) fn move_in_detail(
        &mut self,
        action: Action,
        cx: &PaneContext<'_>,
    ) -> Option<Vec<Command>> {
        let height = self.layout(cx).detail.height;
        if let Some(by) = action.row_delta(height) {
            self.detail.move_cursor(by, height);
            return Some(Vec::new());
        }
        match action {
            Action::NextCell => drop(self.detail.fold(Some(true), height)),
            Action::PreviousCell => drop(self.detail.fold(Some(false), height)),
            Action::Toggle => drop(self.detail.fold(None, height)),
            Action::Open => match self.detail.selected().and_then(|entry| entry.link.clone()) {
                Some(EntryLink::Target(subject)) => {
                    return Some(vec![Command::Navigate(Route::Target(subject))]);
                }
                _ => drop(self.detail.fold(None, height)),
            },
            Action::Back => self.detail_mode = DetailMode::Preview,
            _ => return None,
        }
        Some(Vec::new())
    }
}
