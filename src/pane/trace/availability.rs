//! Whether an action works for a trace as it is now.

use super::fetch::FetchState;
use super::{TracePane, TraceView};
use crate::msg::Action;
use crate::pane::availability::unsupported_reason;
use crate::pane::{Availability, PaneContext};

impl TracePane {
    /// Whether an action works now.
    pub(super) fn action_availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        match action {
            Action::Back => Availability::supported_if(self.can_go_back()),
            Action::Interrupt => Availability::supported_if(self.fetch.is_in_flight()),
            Action::Refresh | Action::CopyHash => Availability::Enabled,
            Action::Continue => {
                let is_paused = matches!(self.fetch.state, FetchState::Paused);
                Availability::enabled_if(is_paused, "reading is not paused")
            }
            _ if action.is_row_move() => Availability::Enabled,
            _ if !is_trace_action(action) => Availability::Unsupported,
            _ if self.tree.is_empty() => Availability::Disabled(self.empty_reason()),
            _ => self.disabled_reason(action, cx).into(),
        }
    }

    /// Why an action of a loaded trace does not work now.
    fn disabled_reason(&self, action: Action, cx: &PaneContext<'_>) -> Option<&'static str> {
        let is_complete = matches!(self.fetch.state, FetchState::Complete);
        match action {
            Action::Mark if !is_complete => Some("only a complete trace can be marked"),
            Action::Diff if cx.diff_baseline.is_none() => {
                Some("no trace is marked: {mark} marks one, then {diff} in another")
            }
            Action::Diff if !is_complete => Some("only a complete trace can be compared"),
            Action::NextMatch | Action::PreviousMatch if self.search.is_none() => {
                Some("nothing is searched for: {search} searches")
            }
            Action::ZoomOut => self.zoom_out_disabled_reason(),
            Action::Focus if !self.detail_has_focus() && self.layout(cx).detail.height == 0 => {
                Some("no room for the detail: {zoom} shows it alone")
            }
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

/// Whether traces have an action: most of those that not every view has.
fn is_trace_action(action: Action) -> bool {
    let is_of_other_views = matches!(
        action,
        Action::Follow
            | Action::Filters
            | Action::NextDifference
            | Action::PreviousDifference
            | Action::CopyRequest
            | Action::Forget
            | Action::CopyToken
            | Action::CopyBlock
            | Action::CopyMethod
            | Action::CopyRow
    );
    matches!(action, Action::Open | Action::Zoom)
        || (unsupported_reason(action).is_some() && !is_of_other_views)
}
