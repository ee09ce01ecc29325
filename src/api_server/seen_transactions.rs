//! Transactions that were shown, for after they are in no block and in no pool any more.

use std::num::NonZeroUsize;

use alloy_primitives::B256;
use lru::LruCache;
use parking_lot::Mutex;

use crate::store::TransactionRecord;

const MAX_SEEN: NonZeroUsize = NonZeroUsize::new(100).unwrap();

/// The transactions whose pages were requested last.
#[derive(Debug)]
pub(crate) struct SeenTransactions(Mutex<LruCache<B256, TransactionRecord>>);

impl SeenTransactions {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(LruCache::new(MAX_SEEN)))
    }

    pub(crate) fn insert(&self, record: &TransactionRecord) {
        self.0.lock().put(record.hash, record.clone());
    }

    /// Returns a transaction as it was last: in a block, or in the pool.
    pub(crate) fn get(&self, hash: B256) -> Option<TransactionRecord> {
        self.0.lock().get(&hash).cloned()
    }
}
