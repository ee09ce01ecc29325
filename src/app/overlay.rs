//! What may lie on top of the place.

use super::filters::FilterMenu;
use super::help::HelpView;
use super::picker::Picker;
use super::plain_text_view::PlainTextView;
use super::prompt::PromptState;
use super::request_log::RequestLogView;
use crate::chain::network::Network;
use crate::chain::target::TargetKind;
use crate::msg::Action;
use crate::pane::Confirmation;

/// Something on top of the place.
#[derive(Debug)]
pub(super) enum Overlay {
    Prompt(PromptState),
    Filters(FilterMenu),
    Confirm(Confirmation),
    Help(HelpView),
    Picker(Picker, PickerItems),
    RequestLog(RequestLogView),
    PlainText(PlainTextView),
}

/// What a picker's entries stand for, in their order.
#[derive(Debug)]
pub(super) enum PickerItems {
    /// What can be done, or gone to.
    Palette(Vec<PaletteItem>),
    /// Chains to switch to.
    Chains(Vec<Network>),
}

/// What an entry of the palette stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PaletteItem {
    /// Something to do, as its key would.
    Run(Action),
    /// A place of the history.
    History(usize),
    /// Something an answer named.
    Target(TargetKind),
}
