//! Hashes that are typed or pasted: one is taken for a transaction's, and if the explorer has no
//! such transaction, for a block's.

use super::ledger::{Owner, PaneId};
use crate::api::{ApiError, BlockQuery, Query, Reply, ReplyResult, TransactionQuery};
use crate::app::{App, PaneSlot};
use crate::chain::target::TargetKind;
use crate::chain::{BlockId, TxHash};
use crate::msg::{ChainRequest, Effect, Priority};
use crate::pane::{PaneEvent, PaneKind, Route};
use crate::user_data::recents::{RecentEntry, RecentsChange};

/// Returns the error for the transaction, after its block was not found: of a node its own, which says
/// if more blocks may have it; of an explorer regardless of its response for the block.
fn not_found(block: &ApiError) -> ApiError {
    match block {
        ApiError::Node { .. } => block.clone(),
        _ => ApiError::Refused {
            status: 404,
            message: "Not found".into(),
            parameter: None,
            code: None,
        },
    }
}

impl App {
    /// Requests the block with the hash of a page whose transaction is unknown, and shows it. Only if
    /// there is none is the transaction reported as missing. Returns `None` for all other replies.
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
                let priority = Priority::Interactive;
                let request = ChainRequest::Fetch { query, cursor: None, priority };
                Some(vec![self.request(Owner::Pane(pane), self.nav.chain(), request)])
            }
            (Query::Block(BlockId::Hash(asked), BlockQuery::Details), reply) if *asked == hash => {
                Some(match reply {
                    Ok(block) => self.show_block_instead(hash, query, block),
                    Err(error) => {
                        let query = &Query::Transaction(hash, TransactionQuery::Details);
                        let reply = Err(not_found(error));
                        self.deliver(pane, PaneEvent::Reply { query, reply })
                    }
                })
            }
            _ => None,
        }
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

    fn show_block_instead(&mut self, hash: TxHash, query: &Query, block: &Reply) -> Vec<Effect> {
        let chain = self.nav.chain();
        let route = Route::Target(TargetKind::Block(BlockId::Hash(hash)));
        let entry = self.nav.create_entry(route, chain);
        let mut effects = self.hide_page();
        self.nav.replace(entry);
        let change = RecentsChange::Remove(RecentEntry::Transaction(hash));
        effects.extend(self.sessions.change_recents(chain, change));
        effects.extend(self.share_block(query, block));
        effects.extend(self.activate_page());
        effects
    }

    /// Passes a block to the header and to the details of its page, so that neither requests it again.
    pub(in crate::app) fn share_block(&mut self, query: &Query, block: &Reply) -> Vec<Effect> {
        let Some(entry) = self.nav.entry() else { return Vec::new() };
        let details = entry.tabs.iter().position(|tab| tab.kind == PaneKind::Block);
        let slots = [Some(PaneSlot::Header), details.map(PaneSlot::Tab)].into_iter().flatten();
        let reply = || PaneEvent::Reply { query, reply: Ok(block.clone()) };
        slots.flat_map(|slot| self.send_event(slot, reply())).collect()
    }
}
