//! Replies about a transaction, which the panes of its page share: what one of them has fetched, the
//! others do not request again, until one of them is refreshed. The chain of a node may roll back, so
//! its panes share nothing.

use std::collections::HashMap;

use super::ledger::{Ledger, Owner, PaneId, PendingKind};
use crate::api::{Cursor, Query, Reply, TransactionQuery};
use crate::app::{App, PaneSlot};
use crate::app_message::{ChainIndex, ChainRequest, Effect, Priority, RequestId};

/// A page of a list, or an object.
type ReplyKey = (Query, Option<Cursor>);

/// Replies to the panes of a page.
#[derive(Debug, Default)]
pub(in crate::app) struct SharedReplies {
    replies: HashMap<ReplyKey, Reply>,
    unanswered: HashMap<RequestId, ReplyKey>,
}

/// A reply that another pane has, on its way to the pane that requested it again.
#[derive(Debug)]
pub(in crate::app) struct KnownReply {
    pub(in crate::app) id: RequestId,
    pub(in crate::app) query: Query,
    pub(in crate::app) reply: Reply,
}

impl SharedReplies {
    /// Adds a request whose reply panes share, and removes those that failed or were cancelled.
    fn expect(&mut self, id: RequestId, key: ReplyKey, ledger: &Ledger) {
        self.unanswered.retain(|id, _| ledger.get(*id).is_some());
        self.unanswered.insert(id, key);
    }

    /// Adds a reply if it is to a request of the page.
    pub(super) fn add(&mut self, id: RequestId, reply: &Reply) {
        if let Some(key) = self.unanswered.remove(&id) {
            self.replies.insert(key, reply.clone());
        }
    }
}

/// Returns the key of the reply to a request if panes share it.
fn shared_key(request: &ChainRequest) -> Option<ReplyKey> {
    match request {
        ChainRequest::Fetch {
            query: Query::Transaction(_, TransactionQuery::RawTrace), ..
        } => None,
        ChainRequest::Fetch { query: query @ Query::Transaction(..), cursor, .. } => {
            Some((query.clone(), cursor.clone()))
        }
        _ => None,
    }
}

impl App {
    /// Sends the request of a pane, or prepares the reply that another pane of its page has: it is
    /// delivered after the pane's other commands.
    pub(in crate::app) fn request_for_pane(
        &mut self,
        (pane, chain): (PaneId, ChainIndex),
        request: ChainRequest,
        kind: PendingKind,
    ) -> Option<Effect> {
        let id = self.ledger.open(Owner::Pane(pane), chain, kind);
        let key = shared_key(&request).filter(|_| self.shares_replies(pane));
        if let Some(page) = self.nav.entry_mut() {
            if request.priority() == Priority::Refresh {
                page.replies = SharedReplies::default();
            }
            if let Some(key) = key {
                if let Some(reply) = page.replies.replies.get(&key).cloned() {
                    self.known_replies.push_back(KnownReply { id, query: key.0, reply });
                    return None;
                }
                page.replies.expect(id, key, &self.ledger);
            }
        }
        Some(Effect::Request { id, chain, request })
    }

    /// Returns `true` if a pane shares replies: a tab of a page of an explorer.
    fn shares_replies(&self, pane: PaneId) -> bool {
        matches!(self.nav.find_pane(pane), Some(PaneSlot::Tab(_)))
            && !self.session().network.endpoint.is_served_here()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_requests_in_flight_are_expected() {
        let (mut ledger, mut replies) = (Ledger::default(), SharedReplies::default());
        let pane = Owner::Pane(PaneId(1));
        let mut ids = Vec::new();
        for _ in 0..3 {
            let id = ledger.open(pane, ChainIndex(0), PendingKind::Request);
            replies.expect(id, (Query::Stats, None), &ledger);
            ids.push(id);
        }
        assert_eq!(replies.unanswered.len(), 3);
        ledger.close(ids[0]);
        let id = ledger.open(pane, ChainIndex(0), PendingKind::Request);
        replies.expect(id, (Query::Stats, None), &ledger);
        let mut expected: Vec<_> = replies.unanswered.keys().map(|id| id.0).collect();
        expected.sort_unstable();
        assert_eq!(expected, [ids[1].0, ids[2].0, id.0]);
        ledger.cancel(pane);
        let id = ledger.open(pane, ChainIndex(0), PendingKind::Request);
        replies.expect(id, (Query::Stats, None), &ledger);
        assert_eq!(replies.unanswered.len(), 1);
    }
}
