//! Availability of actions in a view, with reasons.

use crate::action::{Action, CALL_TREE};
use crate::messages::unavailable;

/// Availability of an action in the current view. Reasons may name keys, as in
/// [`KeyPlaceholders::expand`](crate::keymap::key_placeholders::KeyPlaceholders::expand).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    Enabled,
    /// The view has the action, but it does not work now, for this reason.
    Disabled(&'static str),
    /// The view does not have the action.
    Unsupported,
}

impl Availability {
    pub fn enabled_if(condition: bool, reason: &'static str) -> Self {
        if condition { Self::Enabled } else { Self::Disabled(reason) }
    }

    /// Returns this answer, or another part's if this one does not have the action.
    #[must_use]
    pub fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        if self == Self::Unsupported { other() } else { self }
    }

    pub fn supported_if(condition: bool) -> Self {
        if condition { Self::Enabled } else { Self::Unsupported }
    }
}

impl From<Option<&'static str>> for Availability {
    fn from(reason: Option<&'static str>) -> Self {
        reason.map_or(Self::Enabled, Self::Disabled)
    }
}

/// Returns the reason why an action does nothing in a view without it. `None` for actions of every
/// view.
pub fn unsupported_reason(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::Follow => unavailable::ONLY_LIVE_LISTS,
        Action::Filters => unavailable::ONLY_LISTS_FILTER,
        Action::Search | Action::NextMatch | Action::PreviousMatch => unavailable::ONLY_SEARCHED,
        Action::FilterRows => unavailable::ONLY_FILTERED,
        Action::AllFields => unavailable::ONLY_RAW_FIELDS,
        Action::Provenance => unavailable::ONLY_LISTS_AND_TRACES,
        Action::Export => unavailable::ONLY_EXPORTED,
        Action::Toggle => unavailable::NOTHING_TO_FOLD,
        Action::PreviousCell | Action::NextCell => unavailable::NO_OTHER_CELL,
        Action::Refresh => unavailable::NOTHING_TO_REFRESH,
        Action::Parent | Action::FoldAll | Action::UnfoldAll => unavailable::ONLY_TRACES_AND_DIFFS,
        Action::NextDifference | Action::PreviousDifference => unavailable::ONLY_DIFFS,
        Action::LookUp => unavailable::ONLY_SIGNATURES,
        Action::Focus => unavailable::NO_SPLIT,
        Action::Picture | Action::Gallery => unavailable::ONLY_PICTURES,
        Action::AllEvents => unavailable::ONLY_APPROVALS,
        Action::AtBlock => unavailable::ONLY_PAST_STATES,
        Action::Source => unavailable::ONLY_FAILING_LINES,
        Action::RemoveRow => unavailable::ONLY_START_PAGE,
        Action::CopyRequest => unavailable::ONLY_REQUEST_LOG,
        _ if action.subject() == CALL_TREE => unavailable::ONLY_TRACES,
        _ => return copy_unsupported_reason(action),
    })
}

fn copy_unsupported_reason(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::CopyCell => unavailable::NOTHING_TO_COPY,
        Action::CopyHash => unavailable::NO_TRANSACTION_TO_COPY,
        Action::CopyAddress => unavailable::NO_ADDRESS_TO_COPY,
        Action::CopyToken => unavailable::NO_TOKEN_TO_COPY,
        Action::CopyBlock => unavailable::NO_BLOCK_TO_COPY,
        Action::CopyMethod => unavailable::NO_METHOD_TO_COPY,
        Action::CopyReason => unavailable::NO_REASON_TO_COPY,
        Action::CopyValue => unavailable::NO_VALUE_TO_COPY,
        Action::CopyJson => unavailable::NO_JSON_TO_COPY,
        Action::CopyRow => unavailable::NO_ROW_TO_COPY,
        Action::CopyInput => unavailable::NO_CALLDATA_TO_COPY,
        Action::CopyOutput
        | Action::CopySelector
        | Action::CopyCall
        | Action::CopyCast
        | Action::CopyCastArguments => unavailable::ONLY_TRACES,
        Action::CopySubtree | Action::CopyTree => unavailable::ONLY_TRACES_AND_DIFFS,
        _ => return None,
    })
}
