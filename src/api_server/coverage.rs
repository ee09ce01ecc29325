//! The blocks that a response is about, if not all of the chain.

use std::time::Duration;

use serde::Serialize;

use super::request::{JsonResult, RequestContext, to_json};
use crate::chain::coverage::{BlockCoverage, MissingBlocks};

/// Time that a request waits for older blocks, if it needs them.
pub(super) const OLDER_BLOCKS_TIMEOUT: Duration = Duration::from_secs(3);

/// An addition to Blockscout's objects.
#[derive(Debug, Serialize)]
pub(crate) struct CoverageResponse {
    from_block: u64,
    /// `null` if no block is known.
    to_block: Option<u64>,
    /// The number of blocks between them whose rows are unknown, as they cannot be decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable_blocks: Option<u64>,
    /// Reason why earlier blocks are missing: `unread`, `forked`, `pruned` or `over_limit`, or
    /// `node_history` if the node listed their rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forked_chain_id: Option<u64>,
}

impl From<&BlockCoverage> for CoverageResponse {
    fn from(blocks: &BlockCoverage) -> Self {
        let BlockCoverage { first_block, last_block, unreadable, older } = blocks;
        let forked_chain_id =
            if let Some(MissingBlocks::Forked { chain_id }) = older { *chain_id } else { None };
        Self {
            from_block: *first_block,
            to_block: (first_block <= last_block).then_some(*last_block),
            unreadable_blocks: Some(*unreadable).filter(|count| *count > 0),
            reason: older.as_ref().map(Into::into),
            forked_chain_id,
        }
    }
}

impl RequestContext<'_> {
    pub(crate) fn coverage(&self) -> Option<CoverageResponse> {
        self.coverage.map(Into::into)
    }
}

#[derive(Debug, Serialize)]
struct IndexingStatusResponse {
    finished_indexing: bool,
    finished_indexing_blocks: bool,
    indexed_blocks_ratio: String,
    /// `null` if calls are unknown in some block.
    indexed_internal_transactions_ratio: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<CoverageResponse>,
}

/// Responds with the part of the chain that is indexed, of all that will be.
pub(crate) fn indexing_status(request: &RequestContext<'_>) -> JsonResult {
    let coverage = request.snapshot.coverage.as_ref();
    let unindexed = coverage.filter(|coverage| coverage.older == Some(MissingBlocks::Unindexed));
    let ratio = unindexed.map_or("1".to_owned(), |coverage| {
        let BlockCoverage { first_block, last_block, .. } = coverage;
        let all = last_block.saturating_add(1);
        format!("0.{:02}", u128::from(all.saturating_sub(*first_block)) * 100 / u128::from(all))
    });
    let (_, calls) = request.snapshot.internal_transactions(u64::MAX);
    to_json(&IndexingStatusResponse {
        finished_indexing: unindexed.is_none(),
        finished_indexing_blocks: unindexed.is_none(),
        indexed_internal_transactions_ratio: calls.ok().map(|()| ratio.clone()),
        indexed_blocks_ratio: ratio,
        coverage: request.coverage(),
    })
}
