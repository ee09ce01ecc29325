//! Availability of actions, with reasons: dispatch, footer and palette all use it.

use std::borrow::Cow;

use super::navigation::pane_instance::PaneInstance;
use super::screen::layout::MIN_SPLIT_WIDTH;
use super::{App, PaneSlot};
use crate::action::Action;
use crate::messages::unavailable;
use crate::pane::{Availability, PaneContext};

impl App {
    /// Returns the reason why an action does not work now, or `None` if it works.
    pub fn disabled_reason(&self, action: Action) -> Option<Cow<'static, str>> {
        self.refusal(action).map(|reason| self.pane_keys().expand(reason))
    }

    /// Returns the reason why an action does not work now, before keys are named in it.
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
        move |action| match &self.overlays.top {
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

    /// Returns `true` if the header of the page can have the focus.
    pub(super) fn has_header_cells(&self) -> bool {
        self.pane_availability(PaneSlot::Header, Action::CopyCell) == Availability::Enabled
    }

    /// Returns the availability of an action that moves the focus, or of the split view.
    pub(super) fn split_availability(&self, action: Action) -> Availability {
        match action {
            Action::ToggleSplit => Availability::enabled_if(
                self.display.size.width >= MIN_SPLIT_WIDTH,
                unavailable::NARROW_SPLIT,
            ),
            Action::SwitchPane => {
                let is_narrow = self.display.size.width < MIN_SPLIT_WIDTH;
                let to_header =
                    self.nav.is_header_focused() || is_narrow && self.has_header_cells();
                Availability::supported_if(self.nav.preview().is_some() || to_header)
            }
            Action::NextRow if self.nav.is_header_focused() => Availability::Enabled,
            Action::FocusHeader => Availability::supported_if(self.has_header_cells()),
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
pub(super) fn tab_availability(action: Action, active: usize, count: usize) -> Availability {
    match (action, tab_index(action)) {
        (Action::NextTab | Action::PreviousTab, _) => Availability::supported_if(count > 1),
        (_, Some(tab)) if tab == active => Availability::Disabled(unavailable::SAME_TAB),
        (_, Some(tab)) => Availability::supported_if(tab < count),
        _ => Availability::Unsupported,
    }
}

pub(super) fn tab_index(action: Action) -> Option<usize> {
    Action::TABS.iter().position(|tab| *tab == action)
}
