//! The kinds of overlays.

use super::filter_menu::FilterMenu;
use super::help::HelpView;
use super::picker::{Picker, PickerChoice};
use super::plain_text_view::PlainTextView;
use super::prompt::PromptState;
use super::request_log::RequestLogView;
use crate::action::Action;
use crate::api::ChainQuery;
use crate::app_message::Effect;
use crate::chain::Address;
use crate::chain::network::Network;
use crate::chain::target::{Target, TargetKind};
use crate::pane::{Availability, Confirmation, PaneKind};

/// Something that is drawn on top of the page and gets keys first.
#[derive(Debug)]
pub(in crate::app) enum Overlay {
    Prompt(PromptState),
    Filters(FilterMenu),
    Confirm(Confirmation),
    Help(HelpView),
    Picker(Box<Picker>, PickerItems),
    RequestLog(RequestLogView),
    PlainText(PlainTextView),
}

impl Overlay {
    /// Returns the availability of an action. An action that the overlay lacks closes it.
    pub(in crate::app) fn availability(&self, action: Action) -> Availability {
        let moves = action.is_row_move();
        Availability::supported_if(match self {
            _ if action == Action::Back || action.is_global() => true,
            Self::Prompt(prompt) if prompt.search.has_results() => moves || action == Action::Open,
            Self::Prompt(_) | Self::Confirm(_) => action == Action::Open,
            Self::Filters(_) => moves || matches!(action, Action::Open | Action::Toggle),
            Self::Picker(..) => moves || action == Action::Open,
            Self::Help(help) => {
                let is_section = matches!(action, Action::NextTab | Action::PreviousTab);
                let is_own = if help.is_typing { action == Action::Open } else { is_section };
                moves || is_own || action == Action::Search
            }
            Self::RequestLog(_) => moves || action == Action::CopyRequest,
            Self::PlainText(_) => moves,
        })
    }

    /// Returns `true` if the page below it is dimmed, as it is not what the user works with.
    pub(in crate::app) fn dims_page(&self) -> bool {
        !matches!(self, Self::Prompt(prompt) if prompt.kind.searches_page())
    }

    /// Returns the name of an action in the footer, if it differs here. An empty text hides it.
    pub(in crate::app) fn hint(&self, action: Action) -> Option<&'static str> {
        match (self, action) {
            (Self::Prompt(prompt), Action::Open) if prompt.has_error() => Some(""),
            (Self::Prompt(prompt), Action::Open) => Some(prompt.kind.words().accepts),
            (Self::Picker(picker, _), Action::Open) if !picker.has_choice() => Some(""),
            (Self::Picker(_, PickerItems::Chains(_)), Action::Open) => Some("switch"),
            (Self::Picker(picker, PickerItems::Palette(items)), Action::Open) => {
                let Some(PickerChoice::Entry(at)) = picker.choice() else { return None };
                let is_run = |item: &PaletteItem| {
                    use PaletteItem::{Run, RunInTrace};
                    matches!(item, Run(_) | RunInTrace(..))
                };
                items.get(at).is_some_and(is_run).then_some("run")
            }
            (Self::Filters(_), Action::Open) => Some("apply"),
            (Self::Confirm(confirmation), Action::Open) => match confirmation.effect {
                None => Some(""),
                Some(Effect::Copy { .. }) => Some("copy"),
                Some(_) => Some("open"),
            },
            (Self::Filters(_), Action::Toggle) => Some("toggle"),
            (Self::Help(help), Action::HalfPageDown) if !help.is_typing => Some("down"),
            (Self::Help(help), Action::HalfPageUp) if !help.is_typing => Some("up"),
            (Self::Help(help), Action::NextTab) if !help.is_typing => Some("section"),
            _ => None,
        }
    }
}

/// Items of a picker, in the order of its entries.
#[derive(Debug)]
pub(in crate::app) enum PickerItems {
    Palette(Vec<PaletteItem>),
    Chains(Vec<Network>),
}

/// Item of an entry of the palette.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::app) enum PaletteItem {
    Run(Action),
    /// Open the trace of the page's transaction in this tab, and run the action there.
    RunInTrace(usize, Action),
    History(usize),
    Tab(usize),
    /// Show a tab of the page that is hidden.
    HiddenTab(PaneKind),
    List(ChainQuery),
    /// Open something that a response named.
    Target(TargetKind),
    /// Open one of the targets in a text.
    Found(Target),
    Token(Address),
    Theme(String),
}
