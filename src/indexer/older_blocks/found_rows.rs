//! Rows before the index that a node found for one response.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::messages::chain_data::{BlockError, ChainDataError};
use crate::rpc::RpcError;
use crate::store::{Segment, StoreError};

use crate::indexer::block_rows::BlockRows;
use crate::indexer::contract_reader::unavailable;
use crate::indexer::segment_list::IndexedSegment;

/// Number of rows after which a response needs no further search.
pub(super) const ENOUGH_ROWS: usize = 51;

/// Rows that were found, by block.
pub(super) type HistoryRows = BTreeMap<u64, BlockRows>;

/// Returns a segment for each block, without its other rows.
pub(super) fn segments(rows: HistoryRows, untraced: Option<&ChainDataError>) -> Vec<Arc<Segment>> {
    rows.into_values()
        .filter_map(|mut rows| {
            rows.transactions.sort_unstable_by_key(|row| row.index);
            rows.internal_transactions
                .sort_unstable_by_key(|row| (row.transaction_index, row.index));
            rows.transfers.sort_unstable_by_key(|row| row.position);
            IndexedSegment::new(rows, untraced.cloned()).map(Into::into)
        })
        .collect()
}

pub(super) fn unreadable(error: BlockError) -> StoreError {
    unavailable(&RpcError::Unreadable { why: error.describe() })
}
