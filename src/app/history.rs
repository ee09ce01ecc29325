//! One place in the history: what it is about, and its panes.

use super::split_view::state::SplitPane;
use super::tab::Tab;
use crate::chain::target::TargetKind;
use crate::msg::ChainIndex;
use crate::pane::{PaneKind, Route};
use crate::safety::address_poisoning::KnownAddresses;

/// A destination with its panes. All are made at once; each asks only when it is looked at.
#[derive(Debug)]
pub(super) struct HistoryEntry {
    pub(super) chain: ChainIndex,
    pub(super) route: Route,
    /// Above the tabs, on addresses.
    pub(super) header: Option<Tab>,
    pub(super) tabs: Vec<Tab>,
    pub(super) active: usize,
    /// Beside the active tab, where there is room for it and the tab is a list.
    pub(super) split: Option<SplitPane>,
    /// Addresses that must not be mistaken for others here.
    pub(super) known_addresses: KnownAddresses,
}

impl HistoryEntry {
    /// The place of a link on a chain that was followed `from` another; `panes` counts all panes ever
    /// made.
    pub(super) fn new(
        link: Route,
        chain: ChainIndex,
        panes: &mut u32,
        from: Option<&Self>,
    ) -> Self {
        let mut slots = Tab::create_all(&link, chain, panes);
        let header = slots
            .iter()
            .position(|slot| slot.kind == PaneKind::AddressHeader)
            .map(|at| slots.remove(at));
        let known = match &link {
            Route::Target(TargetKind::Address(address)) => KnownAddresses::viewed(*address),
            // What is looked at from an address is looked at with its eyes.
            _ => from
                .filter(|from| from.chain == chain)
                .map(|place| place.known_addresses.clone())
                .unwrap_or_default(),
        };
        Self {
            chain,
            route: link,
            header,
            tabs: slots,
            active: 0,
            split: None,
            known_addresses: known,
        }
    }
}
