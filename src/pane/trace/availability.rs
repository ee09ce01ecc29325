//! Why an action does nothing in a trace as it is.

use super::fetch::FetchState;
use super::{TracePane, TraceView};
use crate::msg::Action;
use crate::pane::PaneContext;

impl TracePane {
    /// Why an action of traces does nothing now; none when it does something.
    pub(super) fn trace_disabled_reason(
        &self,
        action: Action,
        cx: &PaneContext<'_>,
    ) -> Option<&'static str> {
        let is_complete = matches!(self.fetch.state, FetchState::Complete);
        match action {
            Action::Follow
            | Action::Filters
            | Action::NextDifference
            | Action::PreviousDifference
            | Action::CopyRequest
            | Action::Forget
            | Action::CopyToken
            | Action::CopyBlock
            | Action::CopyMethod
            | Action::CopyRow => action.unavailable_reason(),
            Action::Continue if !matches!(self.fetch.state, FetchState::Paused) => {
                Some("reading is not paused")
            }
            Action::Refresh | Action::Continue | Action::CopyHash | Action::CopyCommand => None,
            _ if self.tree.is_empty() => action.unavailable_reason().map(|_| self.empty_reason()),
            Action::Mark if !is_complete => Some("only a complete trace can be marked"),
            Action::Diff if cx.diff_baseline.is_none() => {
                Some("no trace is marked: {mark} marks one, then {diff} in another")
            }
            Action::Diff if !is_complete => Some("only a complete trace can be compared"),
            Action::NextMatch | Action::PreviousMatch if self.search.is_none() => {
                Some("nothing is searched for: {search} searches")
            }
            Action::ZoomOut => self.zoom_out_disabled_reason(),
            _ if is_tree_only(action)
                && !matches!(self.view, TraceView::Tree)
                && !self.detail_has_focus() =>
            {
                Some("only in the tree: {back} shows it")
            }
            Action::Toggle if !self.detail_has_focus() && self.is_leaf() => {
                Some("this call makes no calls: nothing to fold")
            }
            _ => None,
        }
    }

    /// Why there are no calls.
    fn empty_reason(&self) -> &'static str {
        match self.fetch.state {
            FetchState::Pending => "no trace for a pending transaction: it has not run yet",
            FetchState::Waiting | FetchState::Reading | FetchState::Paused => {
                "the trace is still on its way"
            }
            FetchState::NotRequested | FetchState::Stopped => {
                "the trace is not loaded: {refresh} loads it"
            }
            FetchState::Failed(_) => "there is no trace here: {refresh} asks for it again",
            FetchState::Complete => "this trace has no calls",
        }
    }

    fn zoom_out_disabled_reason(&self) -> Option<&'static str> {
        match self.view {
            TraceView::Icicle(root) => {
                self.tree.parent(root).is_none().then_some("this is the whole trace already")
            }
            _ => Some("only in the icicle ({icicle})"),
        }
    }

    fn is_leaf(&self) -> bool {
        self.tree.end(self.selected) <= self.selected.saturating_add(1)
    }
}

/// Whether an action changes nothing but how the tree is drawn; those that fold all may also select.
fn is_tree_only(action: Action) -> bool {
    matches!(
        action,
        Action::Toggle
            | Action::FoldSiblings
            | Action::FoldSiblingsDeep
            | Action::UnfoldSiblings
            | Action::UnfoldSiblingsDeep
            | Action::ScrollTop
            | Action::ScrollMiddle
            | Action::ScrollBottom
            | Action::Indent
            | Action::Outdent
    )
}
