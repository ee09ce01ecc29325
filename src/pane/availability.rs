//! Availability of actions in a view, with reasons.

use crate::action::{Action, CALL_TREE};

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
        Action::Follow => "only lists can be live",
        Action::Filters => "only lists have filters",
        Action::Search | Action::NextMatch | Action::PreviousMatch => {
            "only lists, details and call traces can be searched"
        }
        Action::FilterRows => "only lists and call traces can be filtered",
        Action::AllFields => "only rows and calls have raw fields",
        Action::Provenance => "only in lists and call traces",
        Action::Export => "only lists and call traces can be exported",
        Action::Toggle => "nothing to fold here",
        Action::PreviousCell | Action::NextCell => "nothing to the left or right",
        Action::Refresh => "nothing to refresh here",
        Action::Parent | Action::FoldAll | Action::UnfoldAll => {
            "only in call traces and trace diffs"
        }
        Action::NextDifference | Action::PreviousDifference => "only in trace diffs",
        Action::LookUp => "only in call traces, contracts and on the page of a log",
        Action::Focus => "no split view here",
        Action::RemoveRow => "only on the start page",
        Action::CopyRequest => "only in the request log",
        _ if action.subject() == CALL_TREE => "only in call traces",
        _ => return copy_unsupported_reason(action),
    })
}

fn copy_unsupported_reason(action: Action) -> Option<&'static str> {
    Some(match action {
        Action::CopyCell => "nothing to copy here",
        Action::CopyHash => "no transaction to copy here",
        Action::CopyAddress => "no address to copy here",
        Action::CopyToken => "no token to copy here",
        Action::CopyBlock => "no block number to copy here",
        Action::CopyMethod => "no method to copy here",
        Action::CopyValue => "no value to copy here",
        Action::CopyJson => "no JSON to copy here",
        Action::CopyRow => "no row to copy here",
        Action::CopyInput
        | Action::CopyOutput
        | Action::CopySelector
        | Action::CopyCall
        | Action::CopyCast => "only in call traces",
        Action::CopySubtree | Action::CopyTree => "only in call traces and trace diffs",
        _ => return None,
    })
}
