//! Replies about a transaction, which the panes of its page share: what one of them has fetched, the
//! others do not request again, until one of them is refreshed. The chain of a node may roll back, so
//! its panes share nothing.

use std::collections::HashMap;

use super::ledger::{Owner, PaneId, PendingKind};
use crate::api::{Cursor, Query, Reply, TransactionQuery};
use crate::app::{App, PaneSlot};
use crate::msg::{ChainIndex, ChainRequest, Effect, Priority, RequestId};

/// A page of a list, or an object.
type ReplyKey = (Query, Option<Cursor>);

/// Replies to the panes of a page.
#[derive(Debug, Default)]
pub(in crate::app) struct SharedReplies {
    replies: HashMap<ReplyKey, Reply>,
    unanswered: HashMap<RequestId, ReplyKey>,
}

impl SharedReplies {
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
    /// Sends the request of a pane, or passes it the reply that another pane of its page has.
    pub(in crate::app) fn request_for_pane(
        &mut self,
        (pane, chain): (PaneId, ChainIndex),
        request: ChainRequest,
        kind: PendingKind,
    ) -> Vec<Effect> {
        let key = shared_key(&request).filter(|_| self.shares_replies(pane));
        if let (Some(page), Priority::Refresh) = (self.nav.entry_mut(), request.priority()) {
            page.replies = SharedReplies::default();
        }
        let replies = self.nav.entry().map(|page| &page.replies.replies);
        let known = replies.zip(key.as_ref()).and_then(|(replies, key)| replies.get(key)).cloned();
        if let (Some(reply), Some((query, _))) = (known, &key) {
            return self.deliver_reply(pane, query, Ok(reply));
        }
        let id = self.ledger.open(Owner::Pane(pane), chain, kind);
        if let (Some(page), Some(key)) = (self.nav.entry_mut(), key) {
            page.replies.unanswered.insert(id, key);
        }
        vec![Effect::Request { id, chain, request }]
    }

    /// Returns `true` if a pane shares replies: a tab of a page of an explorer.
    fn shares_replies(&self, pane: PaneId) -> bool {
        matches!(self.nav.find_pane(pane), Some(PaneSlot::Tab(_)))
            && !self.session().network.endpoint.is_served_here()
    }
}
