//! What may lie on top of the place.

use super::filters::Filters;
use super::help::Help;
use super::picker::Picker;
use super::plain_text_view::Print;
use super::prompt::Field;
use super::request_log::Inspector;
use crate::chain::network::Network;
use crate::chain::target::Subject;
use crate::msg::Action;
use crate::pane::Confirm;

/// Something on top of the place.
#[derive(Debug)]
pub(super) enum Overlay {
    Field(Field),
    Filters(Filters),
    Confirm(Confirm),
    Help(Help),
    Picker(Picker, Picking),
    Requests(Inspector),
    Print(Print),
}

/// What a picker's entries stand for, in their order.
#[derive(Debug)]
pub(super) enum Picking {
    /// What can be done, or gone to.
    Palette(Vec<Choice>),
    /// Chains to switch to.
    Chains(Vec<Network>),
}

/// What an entry of the palette stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    /// Something to do, as its key would.
    Act(Action),
    /// A place of the history.
    Return(usize),
    /// Something an answer named.
    Go(Subject),
}
