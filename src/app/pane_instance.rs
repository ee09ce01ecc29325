//! A pane on a page, with its id.

use crate::msg::{ChainIndex, Effect, PaneId, PaneRequest, Ticket};
use crate::pane::{Pane, PaneKind, Route};

#[derive(Debug)]
pub(super) struct PaneInstance {
    id: PaneId,
    chain: ChainIndex,
    pub(super) kind: PaneKind,
    pub(super) pane: Box<dyn Pane>,
    /// Whether blocks that it may show are gone.
    pub(super) is_stale: bool,
}

impl PaneInstance {
    /// Creates every tab of a route. `last_id` is the id given last.
    pub(super) fn create_all(route: &Route, chain: ChainIndex, last_id: &mut u32) -> Vec<Self> {
        let new_tab = |(kind, pane)| {
            *last_id += 1;
            Self { id: PaneId(*last_id), chain, kind, pane, is_stale: false }
        };
        PaneKind::create_all(route).into_iter().map(new_tab).collect()
    }

    pub(super) fn ticket(&self) -> Ticket {
        Ticket { chain: self.chain, pane: self.id, epoch: self.pane.state().epoch }
    }

    /// Hides the pane. Returns the effect that cancels its requests, if there are any.
    pub(super) fn deactivate(&mut self) -> Option<Effect> {
        let is_busy = self.pane.state().is_busy;
        self.pane.deactivate();
        is_busy.then(|| Effect::Request { ticket: self.ticket(), request: PaneRequest::Cancel })
    }
}
