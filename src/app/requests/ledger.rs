//! The ledger of everything in flight: requests, streams and timers, each until it ends or is
//! cancelled. A reply to a request that it no longer has is neither delivered nor cached.
//! Look-ups of signatures are not in it, as they belong to no chain: `signature_lookup` keeps them.

use std::collections::HashMap;

use crate::app_message::{ChainIndex, ChainRequest, RequestId};

/// Identifies a pane for as long as the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::app) struct PaneId(pub(in crate::app) u32);

/// The part of the app that waits for a request or a timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::app) enum Owner {
    Pane(PaneId),
    /// The prompt, while a name is resolved.
    GoTo,
    /// The search for the text in the prompt.
    Search,
    /// The names and ABIs of contracts that a pane shows.
    Contracts(PaneId),
    /// The tokens of the calls on the screen.
    Tokens,
    /// The tokens of the calls on the screen, until the user's moves rest.
    DelayedTokens,
    /// The panes of the page, until the user stays on it.
    DelayedPage,
    /// The pane of the preview, until the user stays on the row.
    DelayedPreview,
    /// The next attempt at what failed on the screen.
    Recovery,
    /// The lists of watched addresses.
    Watching,
    /// The coin of a chain.
    Coin,
    WhichKey,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum PendingKind {
    Request,
    /// A trace, which comes in chunks.
    Stream,
    /// A request that does not make its owner busy, and continues when the owner is hidden.
    Background,
    Timer,
}

impl PendingKind {
    /// Returns the kind of a request that its owner waits for.
    pub(in crate::app) fn of(request: &ChainRequest) -> Self {
        match request {
            ChainRequest::Fetch { .. } => Self::Request,
            ChainRequest::FetchTrace { .. } => Self::Stream,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) struct Pending {
    pub(in crate::app) owner: Owner,
    pub(in crate::app) chain: ChainIndex,
    kind: PendingKind,
}

#[derive(Debug, Default)]
pub(in crate::app) struct Ledger {
    last_id: u64,
    pending: HashMap<RequestId, Pending>,
    /// The ids of each owner that has any, in the order of their requests.
    by_owner: HashMap<Owner, Vec<RequestId>>,
}

impl Ledger {
    pub(in crate::app) fn open(
        &mut self,
        owner: Owner,
        chain: ChainIndex,
        kind: PendingKind,
    ) -> RequestId {
        self.last_id += 1;
        let id = RequestId(self.last_id);
        self.pending.insert(id, Pending { owner, chain, kind });
        self.by_owner.entry(owner).or_default().push(id);
        id
    }

    pub(in crate::app) fn get(&self, id: RequestId) -> Option<Pending> {
        self.pending.get(&id).copied()
    }

    /// Ends a request or a timer. Returns `None` if that was cancelled.
    pub(in crate::app) fn close(&mut self, id: RequestId) -> Option<Pending> {
        let pending = self.pending.remove(&id)?;
        if let Some(ids) = self.by_owner.get_mut(&pending.owner) {
            ids.retain(|other| *other != id);
            if ids.is_empty() {
                self.by_owner.remove(&pending.owner);
            }
        }
        Some(pending)
    }

    fn owned(&self, owner: Owner) -> impl Iterator<Item = (RequestId, PendingKind)> {
        let ids = self.by_owner.get(&owner).map(Vec::as_slice).unwrap_or_default();
        ids.iter().filter_map(|id| Some((*id, self.pending.get(id)?.kind)))
    }

    /// Returns the chain of the first request of an owner.
    pub(in crate::app) fn chain_of(&self, owner: Owner) -> Option<ChainIndex> {
        let (id, _) = self.owned(owner).next()?;
        self.get(id).map(|pending| pending.chain)
    }

    pub(in crate::app) fn has(&self, owner: Owner) -> bool {
        self.by_owner.contains_key(&owner)
    }

    /// Returns `true` if the owner waits for a reply or a stream.
    pub(in crate::app) fn is_busy(&self, owner: Owner) -> bool {
        let is_awaited = |kind| matches!(kind, PendingKind::Request | PendingKind::Stream);
        self.owned(owner).any(|(_, kind)| is_awaited(kind))
    }

    pub(in crate::app) fn stream(&self, owner: Owner) -> Option<RequestId> {
        self.owned(owner).find(|(_, kind)| *kind == PendingKind::Stream).map(|(id, _)| id)
    }

    /// Ends everything of an owner. Returns the requests to cancel; a timer runs out without effect.
    pub(in crate::app) fn cancel(&mut self, owner: Owner) -> Vec<RequestId> {
        self.cancel_if(owner, |_| true)
    }

    /// Ends the requests and timers of an owner, except requests in the background.
    pub(in crate::app) fn cancel_awaited(&mut self, owner: Owner) -> Vec<RequestId> {
        self.cancel_if(owner, |kind| kind != PendingKind::Background)
    }

    fn cancel_if(&mut self, owner: Owner, ends: impl Fn(PendingKind) -> bool) -> Vec<RequestId> {
        let mut ended: Vec<_> = self.owned(owner).filter(|(_, kind)| ends(*kind)).collect();
        for (id, _) in &ended {
            self.close(*id);
        }
        ended.retain(|(_, kind)| *kind != PendingKind::Timer);
        ended.into_iter().map(|(id, _)| id).collect()
    }

    /// Ends all requests to a chain. Returns them with their owners.
    pub(in crate::app) fn cancel_chain(&mut self, chain: ChainIndex) -> Vec<(RequestId, Owner)> {
        let mut asked: Vec<_> = self
            .pending
            .iter()
            .filter(|(_, pending)| pending.chain == chain && pending.kind != PendingKind::Timer)
            .map(|(id, pending)| (*id, pending.owner))
            .collect();
        asked.sort_unstable_by_key(|(id, _)| id.0);
        for (id, _) in &asked {
            self.close(*id);
        }
        asked
    }

    pub(in crate::app) fn is_empty_except(&self, owner: Owner) -> bool {
        self.pending.values().all(|pending| pending.owner == owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAIN: ChainIndex = ChainIndex(0);
    const PANE: Owner = Owner::Pane(PaneId(1));

    #[test]
    fn request_is_closed_once() {
        let mut ledger = Ledger::default();
        let id = ledger.open(PANE, CHAIN, PendingKind::Request);
        assert_eq!(ledger.close(id).map(|pending| pending.owner), Some(PANE));
        assert_eq!(ledger.close(id), None);
        assert!(ledger.is_empty_except(Owner::Recovery) && !ledger.has(PANE));
        assert_ne!(ledger.open(PANE, CHAIN, PendingKind::Request), id);
    }

    #[test]
    fn owner_is_busy_with_requests_and_streams_only() {
        let kinds = [
            (PendingKind::Request, true),
            (PendingKind::Stream, true),
            (PendingKind::Background, false),
            (PendingKind::Timer, false),
        ];
        for (kind, is_busy) in kinds {
            let mut ledger = Ledger::default();
            let id = ledger.open(PANE, CHAIN, kind);
            assert_eq!((ledger.is_busy(PANE), ledger.has(PANE)), (is_busy, true), "{kind:?}");
            assert!(!ledger.is_busy(Owner::Search));
            ledger.close(id);
            assert!(!ledger.is_busy(PANE), "{kind:?}");
        }
    }

    #[test]
    fn cancelling_spares_other_owners() {
        let mut ledger = Ledger::default();
        let own = ledger.open(PANE, CHAIN, PendingKind::Request);
        let timer = ledger.open(PANE, CHAIN, PendingKind::Timer);
        let names = ledger.open(PANE, CHAIN, PendingKind::Background);
        let other = ledger.open(Owner::Search, CHAIN, PendingKind::Request);
        assert_eq!(ledger.cancel_awaited(PANE), [own], "the background goes on");
        assert_eq!(ledger.get(timer), None);
        assert_eq!(ledger.cancel(PANE), [names]);
        assert!(ledger.get(other).is_some());
    }

    #[test]
    fn rollback_keeps_only_timers() {
        let mut ledger = Ledger::default();
        let old = ledger.open(PANE, CHAIN, PendingKind::Stream);
        let names = Owner::Contracts(PaneId(1));
        let name = ledger.open(names, CHAIN, PendingKind::Background);
        let timer = ledger.open(Owner::WhichKey, CHAIN, PendingKind::Timer);
        let other = ledger.open(PANE, ChainIndex(1), PendingKind::Request);
        assert_eq!(ledger.cancel_chain(CHAIN), [(old, PANE), (name, names)]);
        assert_eq!(ledger.get(old), None);
        assert!(ledger.get(timer).is_some() && ledger.get(other).is_some());
    }
}
