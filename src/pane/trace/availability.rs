//! Availability of actions in a trace.

use super::TracePane;
use super::fetch::FetchState;
use super::views::TraceView;
use crate::action::Action;
use crate::messages::trace;
use crate::pane::availability::unsupported_reason;
use crate::pane::{Availability, PaneContext};
use crate::trace::CallFrame;
use crate::trace::log_rows::TraceRow;
use crate::trace::tree::FrameClass;

impl TracePane {
    pub(super) fn action_availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        match action {
            Action::Back => Availability::supported_if(self.can_go_back()),
            Action::Refresh | Action::CopyHash => Availability::Enabled,
            Action::Continue => {
                let is_paused = matches!(self.loading.fetch.state, FetchState::Paused);
                Availability::enabled_if(is_paused || self.logs.can_continue(), trace::NOT_PAUSED)
            }
            _ if action.is_row_move() => Availability::Enabled,
            Action::RevertOrigin if self.loading.fetch.is_in_flight() => Availability::Enabled,
            Action::RevertOrigin if !self.tree.is_empty() => {
                Availability::supported_if(!self.tree.frames_of(FrameClass::Failed).is_empty())
            }
            _ if !is_trace_action(action) => Availability::Unsupported,
            Action::Toggle if !matches!(self.view, TraceView::Tree) && !self.detail.has_focus() => {
                Availability::Unsupported
            }
            _ if self.tree.is_empty() => Availability::Disabled(self.empty_reason()),
            Action::CopyReason if !matches!(self.view, TraceView::BalanceChanges(_)) => {
                let call = self.tree.get(self.cursor.call);
                Availability::supported_if(call.is_some_and(CallFrame::failed))
            }
            _ => self.disabled_reason(action, cx).into(),
        }
    }

    fn disabled_reason(&self, action: Action, cx: &PaneContext<'_>) -> Option<&'static str> {
        let is_complete = self.loading.fetch.is_complete();
        match action {
            Action::Mark if !is_complete => Some(trace::ONLY_COMPLETE_MARKED),
            Action::Diff if cx.diff_baseline.is_none() => Some(trace::NONE_MARKED),
            Action::Diff if !is_complete => Some(trace::ONLY_COMPLETE_COMPARED),
            Action::NextMatch | Action::PreviousMatch if self.finding.search.is_none() => {
                Some(trace::NO_SEARCH)
            }
            Action::ZoomIn => self.zoom_in_disabled_reason(),
            Action::ZoomOut => self.zoom_out_disabled_reason(),
            Action::Focus if !self.detail.has_focus() && self.layout(cx).detail.height == 0 => {
                Some(trace::NO_SPACE_FOR_DETAIL)
            }
            _ if is_tree_only(action)
                && !matches!(self.view, TraceView::Tree)
                && !self.detail.has_focus() =>
            {
                Some(trace::ONLY_TREE)
            }
            _ if is_of_calls(action) && matches!(self.view, TraceView::BalanceChanges(_)) => {
                Some(trace::ONLY_TREE)
            }
            Action::Toggle if !self.detail.has_focus() => self.fold_disabled_reason(),
            _ => None,
        }
    }

    fn empty_reason(&self) -> &'static str {
        match self.loading.fetch.state {
            FetchState::Pending => trace::PENDING,
            FetchState::Waiting | FetchState::Reading | FetchState::Paused => trace::STILL_LOADING,
            FetchState::NotRequested | FetchState::Stopped => trace::NOT_LOADED,
            FetchState::Failed(_) => trace::NO_TRACE,
            FetchState::Complete => trace::NO_CALLS,
        }
    }

    fn zoom_in_disabled_reason(&self) -> Option<&'static str> {
        let TraceView::Icicle(root) = self.view else { return Some(trace::ONLY_ICICLE) };
        let selected = self.cursor.call;
        (root == selected).then_some(trace::ZOOMED_IN).or_else(|| {
            let is_leaf = self.tree.children(selected).next().is_none();
            is_leaf.then_some(trace::NO_INNER_CALLS_TO_SHOW)
        })
    }

    fn zoom_out_disabled_reason(&self) -> Option<&'static str> {
        match self.view {
            TraceView::Icicle(root) => {
                self.tree.parent(root).is_none().then_some(trace::WHOLE_TRACE)
            }
            _ => Some(trace::ONLY_ICICLE),
        }
    }

    fn fold_disabled_reason(&self) -> Option<&'static str> {
        match self.cursor.log_row {
            Some(TraceRow::Unplaced) => None,
            Some(_) => Some(trace::EVENT_WITHOUT_FOLD),
            None => self.is_leaf(self.cursor.call).then_some(trace::NO_INNER_CALLS),
        }
    }
}

/// Returns `true` if an action only changes the drawing of the tree.
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

/// Returns `true` if an action is of the selected call, or looks for others: balance changes hide it.
fn is_of_calls(action: Action) -> bool {
    matches!(
        action,
        Action::Search
            | Action::FilterRows
            | Action::NextMatch
            | Action::PreviousMatch
            | Action::AllFields
            | Action::CopyInput
            | Action::CopyOutput
            | Action::CopySelector
            | Action::CopyCall
            | Action::CopyReason
            | Action::CopyCast
            | Action::CopyCastArguments
            | Action::CopyJson
            | Action::CopySubtree
            | Action::Source
    )
}

/// Returns `true` if traces have an action: most of those that only some views have.
fn is_trace_action(action: Action) -> bool {
    let is_of_other_views = matches!(
        action,
        Action::Follow
            | Action::Filters
            | Action::NextDifference
            | Action::PreviousDifference
            | Action::CopyRequest
            | Action::Gallery
            | Action::Picture
            | Action::RemoveRow
            | Action::AllEvents
            | Action::AtBlock
            | Action::CopyToken
            | Action::CopyBlock
            | Action::CopyMethod
            | Action::CopyRow
    );
    matches!(action, Action::Open | Action::Zoom)
        || (unsupported_reason(action).is_some() && !is_of_other_views)
}
