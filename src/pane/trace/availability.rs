//! Why an action does nothing in a trace as it is.

use super::fetch::State;
use super::{Trace, View};
use crate::msg::Action;
use crate::pane::Cx;

impl Trace {
    /// Why an action of traces does nothing now; none when it does something.
    pub(super) fn why_idle(&self, action: Action, cx: &Cx<'_>) -> Option<&'static str> {
        let is_complete = matches!(self.fetch.state, State::Complete);
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
            | Action::CopyRow => action.elsewhere(),
            Action::Continue if !matches!(self.fetch.state, State::Paused) => {
                Some("reading is not paused")
            }
            Action::Refresh | Action::Continue | Action::CopyHash | Action::CopyCommand => None,
            _ if self.tree.is_empty() => action.elsewhere().map(|_| self.why_empty()),
            Action::Mark if !is_complete => Some("only a complete trace can be marked"),
            Action::Diff if cx.marked.is_none() => {
                Some("no trace is marked: {mark} marks one, then {diff} in another")
            }
            Action::Diff if !is_complete => Some("only a complete trace can be compared"),
            Action::NextMatch | Action::PreviousMatch if self.search.is_none() => {
                Some("nothing is searched for: {search} searches")
            }
            Action::ZoomOut => self.why_not_out(),
            _ if is_of_tree(action) && !matches!(self.view, View::Tree) && !self.is_entered() => {
                Some("only in the tree: {back} shows it")
            }
            Action::Toggle if !self.is_entered() && self.is_leaf() => {
                Some("this call makes no calls: nothing to fold")
            }
            _ => None,
        }
    }

    /// Why there are no calls.
    fn why_empty(&self) -> &'static str {
        match self.fetch.state {
            State::Pending => "no trace for a pending transaction: it has not run yet",
            State::Waiting | State::Reading | State::Paused => "the trace is still on its way",
            State::Unasked | State::Stopped => "the trace is not loaded: {refresh} loads it",
            State::Failed(_) => "there is no trace here: {refresh} asks for it again",
            State::Complete => "this trace has no calls",
        }
    }

    fn why_not_out(&self) -> Option<&'static str> {
        match self.view {
            View::Icicle(root) => {
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
fn is_of_tree(action: Action) -> bool {
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
