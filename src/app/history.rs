//! One place in the history: what it is about, and its panes.

use super::split_view::state::Side;
use super::tab::Slot;
use crate::chain::target::Subject;
use crate::msg::ChainIndex;
use crate::pane::{Kind, Link};
use crate::safety::address_poisoning::Known;

/// A destination with its panes. All are made at once; each asks only when it is looked at.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) chain: ChainIndex,
    pub(super) link: Link,
    /// Above the tabs, on addresses.
    pub(super) header: Option<Slot>,
    pub(super) tabs: Vec<Slot>,
    pub(super) active: usize,
    /// Beside the active tab, where there is room for it and the tab is a list.
    pub(super) side: Option<Side>,
    /// Addresses that must not be mistaken for others here.
    pub(super) known: Known,
}

impl Place {
    /// The place of a link on a chain that was followed `from` another; `panes` counts all panes ever
    /// made.
    pub(super) fn new(link: Link, chain: ChainIndex, panes: &mut u32, from: Option<&Self>) -> Self {
        let mut slots = Slot::all(&link, panes);
        let header =
            slots.iter().position(|slot| slot.kind == Kind::Overview).map(|at| slots.remove(at));
        let known = match &link {
            Link::Subject(Subject::Address(address)) => Known::viewed(*address),
            // What is looked at from an address is looked at with its eyes.
            _ => from
                .filter(|from| from.chain == chain)
                .map(|place| place.known.clone())
                .unwrap_or_default(),
        };
        Self { chain, link, header, tabs: slots, active: 0, side: None, known }
    }
}
