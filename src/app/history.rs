//! One page of the history: a route and its panes.

use super::PaneSlot;
use super::pane_instance::PaneInstance;
use super::split_state::SplitPane;
use crate::chain::target::TargetKind;
use crate::msg::{ChainIndex, Effect};
use crate::pane::{PaneKind, Route};
use crate::safety::address_poisoning::KnownAddresses;

/// A page. All of its panes are created at once; each sends requests when it is first activated.
#[derive(Debug)]
pub(super) struct HistoryEntry {
    pub(super) chain: ChainIndex,
    pub(super) route: Route,
    pub(super) header: Option<PaneInstance>,
    pub(super) tabs: Vec<PaneInstance>,
    pub(super) active: usize,
    /// Beside the active tab, if that is a list and the screen is wide enough.
    pub(super) split: Option<SplitPane>,
    /// Addresses that others may imitate here.
    pub(super) known_addresses: KnownAddresses,
}

impl HistoryEntry {
    /// Creates the page of a route that was opened from another page. `last_id` is the id of the pane
    /// created last.
    pub(super) fn new(
        route: Route,
        chain: ChainIndex,
        last_id: &mut u32,
        from: Option<&Self>,
    ) -> Self {
        let mut tabs = PaneInstance::create_all(&route, chain, last_id);
        let header = tabs.iter().position(|tab| tab.kind == PaneKind::AddressHeader);
        let header = header.map(|at| tabs.remove(at));
        let known_addresses = match &route {
            Route::Target(TargetKind::Address(address)) => KnownAddresses::viewed(*address),
            // Pages opened from an address inherit the addresses known there.
            _ => from
                .filter(|from| from.chain == chain)
                .map(|from| from.known_addresses.clone())
                .unwrap_or_default(),
        };
        Self { chain, route, header, tabs, active: 0, split: None, known_addresses }
    }

    pub(super) fn tab(&self, slot: PaneSlot) -> Option<&PaneInstance> {
        match slot {
            PaneSlot::Header => self.header.as_ref(),
            PaneSlot::Tab(at) => self.tabs.get(at),
            PaneSlot::Preview => self.split.as_ref()?.tab(),
        }
    }

    pub(super) fn tab_mut(
        &mut self,
        slot: PaneSlot,
    ) -> Option<(&mut PaneInstance, &KnownAddresses)> {
        let tab = match slot {
            PaneSlot::Header => self.header.as_mut()?,
            PaneSlot::Tab(at) => self.tabs.get_mut(at)?,
            PaneSlot::Preview => self.split.as_mut()?.tab_mut()?,
        };
        Some((tab, &self.known_addresses))
    }

    /// Hides every visible pane. Returns the effects that cancel their requests.
    pub(super) fn deactivate(&mut self) -> Vec<Effect> {
        let tabs = self.header.iter_mut().chain(self.tabs.get_mut(self.active));
        let mut effects: Vec<Effect> = tabs.filter_map(PaneInstance::deactivate).collect();
        effects.extend(self.split.as_mut().and_then(SplitPane::deactivate));
        effects
    }
}
