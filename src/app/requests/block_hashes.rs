//! Hashes that are typed or pasted: one is taken for a transaction's, and if the explorer has no
//! such transaction, for a block's, then for a user operation's.

use super::ledger::{Owner, PaneId};
use crate::api::{ApiError, BlockQuery, Query, Reply, ReplyResult, TransactionQuery};
use crate::app::{App, PaneSlot};
use crate::app_message::{ChainRequest, Effect, Priority};
use crate::chain::target::TargetKind;
use crate::chain::{BlockId, TxHash};
use crate::pane::{PaneEvent, PaneKind, Route};
use crate::user_data::recents::{RecentEntry, RecentsChange};

/// Returns the error for the transaction, after nothing else has its hash: of a node its own, which says
/// if more blocks may have it; of an explorer regardless of its last response.
fn not_found(error: &ApiError) -> ApiError {
    match error {
        ApiError::Node { .. } => error.clone(),
        _ => ApiError::Refused {
            status: 404,
            message: "Not found".into(),
            parameter: None,
            is_absence: true,
            code: None,
        },
    }
}

impl App {
    /// Requests the block with the hash of a page whose transaction is unknown, then the user operation, and
    /// shows it. Only if there is neither is the transaction reported as missing. Returns `None` for all other
    /// replies.
    pub(in crate::app) fn on_hash_looked_up(
        &mut self,
        pane: PaneId,
        query: &Query,
        reply: &ReplyResult,
    ) -> Option<Vec<Effect>> {
        let hash = self.transaction_page(pane)?;
        match (query, reply) {
            (Query::Transaction(asked, TransactionQuery::Details), Err(error))
                if *asked == hash && error.is_not_found() =>
            {
                let query = Query::Block(BlockId::Hash(hash), BlockQuery::Details);
                Some(vec![self.look_up(pane, query)])
            }
            (Query::Block(BlockId::Hash(asked), BlockQuery::Details), reply) if *asked == hash => {
                Some(match reply {
                    Ok(block) => {
                        let route = Route::Target(TargetKind::Block(BlockId::Hash(hash)));
                        self.show_instead(hash, route, query, block)
                    }
                    // A node has no user operations.
                    Err(error @ ApiError::Node { .. }) => self.report_missing(pane, hash, error),
                    Err(_) => vec![self.look_up(pane, Query::UserOperation(hash))],
                })
            }
            (Query::UserOperation(asked), reply) if *asked == hash => Some(match reply {
                Ok(operation) => {
                    self.show_instead(hash, Route::UserOperation(hash), query, operation)
                }
                Err(error) => self.report_missing(pane, hash, error),
            }),
            _ => None,
        }
    }

    fn look_up(&mut self, pane: PaneId, query: Query) -> Effect {
        let request = ChainRequest::Fetch { query, cursor: None, priority: Priority::Interactive };
        self.request(Owner::Pane(pane), self.nav.chain(), request)
    }

    fn report_missing(&mut self, pane: PaneId, hash: TxHash, error: &ApiError) -> Vec<Effect> {
        let query = &Query::Transaction(hash, TransactionQuery::Details);
        self.deliver(pane, PaneEvent::Reply { query, reply: Err(not_found(error)) })
    }

    /// Returns the hash of the current page if it is a transaction's, and one of its tabs made the
    /// request.
    fn transaction_page(&self, pane: PaneId) -> Option<TxHash> {
        let Some(PaneSlot::Tab(_)) = self.nav.find_pane(pane) else { return None };
        match self.nav.entry()?.route {
            Route::Target(TargetKind::Transaction(hash)) => Some(hash),
            _ => None,
        }
    }

    fn show_instead(
        &mut self,
        hash: TxHash,
        route: Route,
        query: &Query,
        reply: &Reply,
    ) -> Vec<Effect> {
        let chain = self.nav.chain();
        let entry = self.nav.create_entry(route, chain);
        let mut effects = self.hide_page();
        self.nav.replace(entry);
        let change = RecentsChange::Remove(RecentEntry::Transaction(hash));
        effects.extend(self.sessions.change_recents(chain, change));
        effects.extend(self.share_reply(query, reply));
        effects.extend(self.activate_page());
        effects
    }

    /// Passes a block, or a user operation, to the header and to the details of its page, so that neither
    /// requests it again.
    pub(in crate::app) fn share_reply(&mut self, query: &Query, reply: &Reply) -> Vec<Effect> {
        let Some(entry) = self.nav.entry() else { return Vec::new() };
        let is_detail = |kind| matches!(kind, PaneKind::Block | PaneKind::UserOperation);
        let details = entry.tabs.iter().position(|tab| is_detail(tab.kind));
        let slots = [Some(PaneSlot::Header), details.map(PaneSlot::Tab)].into_iter().flatten();
        let event = || PaneEvent::Reply { query, reply: Ok(reply.clone()) };
        slots.flat_map(|slot| self.send_event(slot, event())).collect()
    }
}
