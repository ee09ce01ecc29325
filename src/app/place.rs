//! One place in the history: what it is about, and its panes.

use crate::chain::lookalike::Known;
use crate::chain::subject::Subject;
use crate::msg::{ChainIndex, PaneId};
use crate::pane::{Kind, Link, Pane};

/// A destination with its panes. All are made at once; each asks only when it is looked at.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) chain: ChainIndex,
    pub(super) link: Link,
    /// Above the tabs, on addresses.
    pub(super) header: Option<Slot>,
    pub(super) tabs: Vec<Slot>,
    pub(super) active: usize,
    /// Addresses that must not be mistaken for others here.
    pub(super) known: Known,
}

/// A pane and its name.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) id: PaneId,
    pub(super) kind: Kind,
    pub(super) pane: Box<dyn Pane>,
}

impl Place {
    /// The place of a link on a chain that was followed `from` another; `panes` counts all panes ever
    /// made.
    pub(super) fn new(link: Link, chain: ChainIndex, panes: &mut u32, from: Option<&Self>) -> Self {
        let mut slots: Vec<Slot> = Kind::all(&link)
            .into_iter()
            .map(|(kind, pane)| {
                *panes += 1;
                Slot { id: PaneId(*panes), kind, pane }
            })
            .collect();
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
        Self { chain, link, header, tabs: slots, active: 0, known }
    }
}

impl Slot {
    /// It goes out of sight; its name when something of it was under way.
    pub(super) fn leave(&mut self) -> Option<PaneId> {
        let busy = self.pane.is_busy();
        self.pane.leave();
        busy.then_some(self.id)
    }
}
