//! The inputs of a request handler, and its result.

use std::cell::OnceCell;

use serde::Serialize;

use super::{error::ApiServerError, query_params::QueryParams};
use crate::chain::coverage::BlockCoverage;
use crate::chain::{Address, B256};
use crate::store::{ServedChain, Snapshot, StateKey, StoreResult, TransactionRecord};

/// The transactions in no block, read once for a response, which may be made several times.
pub(crate) type PoolOfResponse = OnceCell<StoreResult<Vec<TransactionRecord>>>;

#[derive(Debug)]
pub(crate) struct RequestContext<'a> {
    pub(crate) chain: &'a dyn ServedChain,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) pool: &'a PoolOfResponse,
    pub(crate) params: &'a QueryParams,
    pub(crate) page_size: usize,
    /// The blocks that the response depends on, unless these are all blocks, or known ones.
    pub(crate) coverage: Option<&'a BlockCoverage>,
}

impl RequestContext<'_> {
    /// Returns the transactions in no block: all, or at least the ones that an address sent.
    pub(crate) fn pool(&self, party: Option<Address>) -> StoreResult<Vec<TransactionRecord>> {
        self.pool.get_or_init(|| self.chain.pool(party, self.snapshot)).clone()
    }

    /// Returns a transaction that is in no block up to the last one. Perhaps it is in the next: then the response is
    /// made again.
    pub(crate) fn pending(&self, hash: B256) -> StoreResult<Option<TransactionRecord>> {
        self.snapshot.state.parts.look_up(StateKey::NewerBlocks);
        self.chain.pending(hash, self.snapshot)
    }

    /// Returns the error for something that the chain lacks, or that its indexed blocks lack.
    pub(crate) fn not_found(&self) -> ApiServerError {
        match self.snapshot.require_older_blocks() {
            Ok(()) => ApiServerError::NotFound(self.snapshot.coverage.clone()),
            Err(unindexed) => unindexed.into(),
        }
    }
}

/// The body of a response.
pub(crate) type JsonResult = Result<Vec<u8>, ApiServerError>;

pub(crate) fn to_json(value: &impl Serialize) -> JsonResult {
    serde_json::to_vec(value).map_err(ApiServerError::internal)
}
