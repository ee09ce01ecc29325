//! Availability of actions, with reasons: dispatch, footer and palette all use it.

use std::borrow::Cow;

use super::actions::tab_index;
use super::navigation::pane_instance::PaneInstance;
use super::screen::layout::MIN_SPLIT_WIDTH;
use super::{App, PaneSlot};
use crate::action::Action;
use crate::messages::unavailable;
use crate::pane::availability::unsupported_reason;
use crate::pane::{Availability, PaneContext};

impl App {
    /// Returns the reason why an action does not work now, or `None` if it works.
    pub fn disabled_reason(&self, action: Action) -> Option<Cow<'static, str>> {
        self.refusal(action).map(|reason| self.pane_keys().expand(reason))
    }

    /// The same, before keys are named in it.
    pub(super) fn refusal(&self, action: Action) -> Option<&'static str> {
        match self.availability(action) {
            Availability::Enabled => None,
            Availability::Disabled(reason) => Some(reason),
            Availability::Unsupported => Some(self.unsupported_reason(action)),
        }
    }

    pub(super) fn availability(&self, action: Action) -> Availability {
        self.availabilities()(action)
    }

    /// Returns the availability of actions in the overlay, or else on the page. Shared inputs, such as
    /// the layout, are computed once.
    pub(super) fn availabilities(&self) -> impl Fn(Action) -> Availability {
        let pane = self.pane(self.nav.focused_slot());
        move |action| match self.overlays.top() {
            Some(overlay) => overlay.availability(action),
            None => self
                .split_availability(action)
                .or_else(|| pane_availability(pane.as_ref(), action))
                .or_else(|| self.app_availability(action)),
        }
    }

    /// Returns the availability of an action in a pane of the page.
    pub(super) fn pane_availability(&self, slot: PaneSlot, action: Action) -> Availability {
        pane_availability(self.pane(slot).as_ref(), action)
    }

    /// Returns the availability of an action of the split view.
    pub(super) fn split_availability(&self, action: Action) -> Availability {
        match action {
            Action::ToggleSplit => Availability::enabled_if(
                self.display.size.width >= MIN_SPLIT_WIDTH,
                unavailable::NARROW_SPLIT,
            ),
            Action::SwitchPane => Availability::supported_if(self.nav.preview().is_some()),
            Action::Zoom if !self.nav.is_trace() => {
                Availability::supported_if(self.nav.preview().is_some())
            }
            _ if !self.nav.is_preview_focused() => Availability::Unsupported,
            Action::Focus => Availability::Enabled,
            _ => self.nav.preview().map_or(Availability::Unsupported, |preview| {
                tab_availability(action, preview.active, preview.tabs.len())
            }),
        }
    }

    /// Returns the availability of an action of the page itself.
    fn app_availability(&self, action: Action) -> Availability {
        match action {
            Action::Back => {
                Availability::supported_if(self.nav.can_go(-1) || self.nav.is_preview_focused())
            }
            Action::HistoryBack => Availability::supported_if(self.nav.can_go(-1)),
            Action::HistoryForward => Availability::supported_if(self.nav.can_go(1)),
            Action::Token => self.token_availability(),
            Action::Label | Action::Watch => {
                Availability::supported_if(self.focused_address().is_some())
            }
            Action::OpenWeb => Availability::supported_if(self.web_page().is_some()),
            Action::RevertOrigin => Availability::supported_if(self.failure_tab().is_some()),
            Action::NextBlock | Action::PreviousBlock => {
                Availability::supported_if(self.neighbor_block(action).is_some())
            }
            Action::Close
            | Action::GoTo
            | Action::GoToHex
            | Action::Transfers
            | Action::Blocks
            | Action::Transactions
            | Action::Tokens
            | Action::Refresh
            | Action::Chains
            | Action::NextUnit
            | Action::NextTimes
            | Action::CopyCommand
            | Action::Pager
            | Action::Editor
            | Action::Help
            | Action::Palette
            | Action::Requests => Availability::Enabled,
            _ if action.is_global() => Availability::Enabled,
            _ => match (self.nav.focused_slot(), self.nav.entry()) {
                (PaneSlot::Tab(active), Some(entry)) => {
                    tab_availability(action, active, entry.tabs.len())
                }
                _ => Availability::Unsupported,
            },
        }
    }

    /// Returns the availability of a token to open: the header of an address knows if there is none.
    fn token_availability(&self) -> Availability {
        if !self.nav.is_preview_focused()
            && let Availability::Disabled(reason) =
                self.pane_availability(PaneSlot::Header, Action::Token)
        {
            return Availability::Disabled(reason);
        }
        Availability::supported_if(self.nav.focused_address().is_some())
    }

    /// Returns the reason why no part of the page has an action.
    fn unsupported_reason(&self, action: Action) -> &'static str {
        match action {
            Action::SwitchPane => self.split_unavailable_reason(),
            Action::Zoom if !self.nav.is_trace() => self.split_unavailable_reason(),
            Action::Back => unavailable::FIRST_PAGE,
            Action::HistoryBack => unavailable::HISTORY_START,
            Action::HistoryForward => unavailable::HISTORY_END,
            Action::NextTab | Action::PreviousTab => unavailable::NO_OTHER_TABS,
            Action::Token => unavailable::NO_TOKEN,
            Action::Label | Action::Watch => unavailable::NO_ADDRESS,
            Action::OpenWeb => unavailable::NO_WEB_PAGE,
            Action::RevertOrigin if self.nav.is_transaction() => unavailable::NO_FAILED_CALL,
            Action::NextBlock | Action::PreviousBlock => unavailable::NO_BLOCK,
            _ if tab_index(action).is_some() => unavailable::NO_SUCH_TAB,
            _ => unsupported_reason(action).unwrap_or(unavailable::NOT_HERE),
        }
    }
}

fn pane_availability(
    pane: Option<&(&PaneInstance, PaneContext<'_>)>,
    action: Action,
) -> Availability {
    pane.map_or(Availability::Unsupported, |(tab, cx)| match action {
        Action::Interrupt => Availability::supported_if(cx.is_busy),
        _ => tab.pane.availability(action, cx),
    })
}

/// Returns the availability of an action that chooses a tab.
fn tab_availability(action: Action, active: usize, count: usize) -> Availability {
    match (action, tab_index(action)) {
        (Action::NextTab | Action::PreviousTab, _) => Availability::supported_if(count > 1),
        (_, Some(tab)) if tab == active => Availability::Disabled(unavailable::SAME_TAB),
        (_, Some(tab)) => Availability::supported_if(tab < count),
        _ => Availability::Unsupported,
    }
}
