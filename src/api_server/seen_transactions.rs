//! Transactions that were shown, for after they are in no block and in no pool any more.

use std::num::NonZeroUsize;

use alloy_primitives::B256;
use lru::LruCache;
use parking_lot::Mutex;

use super::error::ApiServerError;
use crate::chain::coverage::MissingBlocks;
use crate::messages::transaction::{DROPPED_BY_RESTART, NOT_IN_POOL, PoolMessage};
use crate::store::{Snapshot, StoreResult, TransactionRecord};

const MAX_SEEN: NonZeroUsize = NonZeroUsize::new(100).unwrap();

/// The transactions whose pages were requested last.
#[derive(Debug)]
pub(crate) struct SeenTransactions(Mutex<LruCache<B256, SeenTransaction>>);

#[derive(Debug)]
struct SeenTransaction {
    record: TransactionRecord,
    chain_start: Option<B256>,
    /// A transaction that took its place, which may be lost too.
    replaced_by: Option<B256>,
}

/// A transaction that is in no block and in no pool any more.
#[derive(Debug)]
pub(crate) enum LostTransaction {
    OfPool(Box<TransactionRecord>),
    OfBlock(Box<TransactionRecord>),
    /// It was in the chain before a restart of the node.
    BeforeRestart,
}

impl LostTransaction {
    /// Returns the error in place of its parts.
    pub(crate) fn error(&self) -> ApiServerError {
        ApiServerError::Dropped(match self {
            Self::OfPool(_) => NOT_IN_POOL.to_owned(),
            Self::OfBlock(record) => {
                PoolMessage::RolledBack { block: record.block_number }.to_string()
            }
            Self::BeforeRestart => DROPPED_BY_RESTART.to_owned(),
        })
    }
}

impl SeenTransactions {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(LruCache::new(MAX_SEEN)))
    }

    pub(crate) fn insert(&self, record: &TransactionRecord, chain_start: Option<B256>) {
        let seen = SeenTransaction { record: record.clone(), chain_start, replaced_by: None };
        self.0.lock().put(record.hash, seen);
    }

    /// Returns the replacement of a transaction: the one that is known now, else the last one.
    pub(crate) fn replacement(&self, hash: B256, now: Option<B256>) -> Option<B256> {
        let mut all = self.0.lock();
        let Some(seen) = all.get_mut(&hash) else { return now };
        seen.replaced_by = now.or(seen.replaced_by);
        seen.replaced_by
    }

    /// Returns a transaction as it was last. One that was seen before a restart of the node is of another chain.
    pub(crate) fn get(&self, hash: B256, chain_start: Option<B256>) -> Option<LostTransaction> {
        let mut all = self.0.lock();
        let SeenTransaction { record, chain_start: start, .. } = all.get(&hash)?;
        let is_other = start.zip(chain_start).is_some_and(|(then, now)| then != now);
        Some(match record.block_number {
            _ if is_other => LostTransaction::BeforeRestart,
            // The pool is above all blocks.
            u64::MAX => LostTransaction::OfPool(Box::new(record.clone())),
            _ => LostTransaction::OfBlock(Box::new(record.clone())),
        })
    }
}

/// Returns the hash of a chain's first block, or of the first one after its fork, if it is indexed.
pub(crate) fn chain_start(snapshot: &Snapshot) -> StoreResult<Option<B256>> {
    let is_fork = |older: &MissingBlocks| matches!(older, MissingBlocks::Forked { .. });
    let coverage = snapshot.coverage.as_ref();
    let fork = coverage.filter(|coverage| coverage.older.as_ref().is_some_and(is_fork));
    snapshot.block_hash(fork.map_or(0, |fork| fork.first_block))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn transactions_before_a_restart_are_not_remembered() {
        let [hash, start, other_start] = [1, 2, 3].map(B256::with_last_byte);
        let record = json!({
            "hash": hash, "block_number": 1, "position": 0, "value": "0", "gas_price": "1",
            "from": alloy_primitives::Address::ZERO, "to": null, "created_contract": null, "type": 2,
            "gas_used": "50000", "gas_limit": "90000", "max_fee_per_gas": null,
            "max_priority_fee_per_gas": null, "base_fee_per_gas": null, "nonce": 0,
            "raw_input": "0x", "result": "success", "revert_reason": null,
            "has_error_in_internal_transactions": false, "authorization_list": [],
        });
        let record: TransactionRecord = serde_json::from_str(&record.to_string()).unwrap();
        for (inserted, now, is_known) in [
            (Some(start), Some(start), true),
            (Some(start), None, true),
            (None, Some(start), true),
            (Some(start), Some(other_start), false),
        ] {
            let seen = SeenTransactions::new();
            seen.insert(&record, inserted);
            let lost = seen.get(hash, now);
            let is_of_chain =
                lost.is_some_and(|lost| !matches!(lost, LostTransaction::BeforeRestart));
            assert_eq!(is_of_chain, is_known, "{inserted:?} {now:?}");
        }
    }
}
