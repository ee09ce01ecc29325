//! Reads blocks before the index for one response: by number, of a transaction, or those with the
//! history of an address.
//!
//! A response looks them up in a snapshot, which notes the missing ones. [`OlderBlocksReader::load`] reads them
//! and returns a snapshot with them, for this response alone; the response is then made again. A block is read
//! as for the index. A history is a page of rows: `address_history` finds its transactions and calls,
//! `transfer_search` its token transfers, and `found_rows` reads the blocks around them.

mod address_history;
mod found_rows;
mod transfer_search;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;

use crate::chain::B256;
use crate::messages::chain_data::{BlockError, ChainDataError, ReadError};
use crate::rpc::RpcClient;
use crate::rpc::wire::transaction::RpcTransaction;
use crate::store::{Segment, Snapshot, StateKey, StoreError, StoreResult};

use super::block_reader::BlockReader;
use super::block_rows::BlockRows;
use super::contract_reader::unavailable;
use super::published_index::PublishedIndex;
use super::segment_list::IndexedSegment;
use address_history::AddressHistoryReader;

#[derive(Debug)]
pub(super) struct OlderBlocksReader {
    client: RpcClient,
    histories: AddressHistoryReader,
    /// The last block that was read: each list of its transactions needs it.
    last_block: Mutex<Option<(BlockKey, Arc<Segment>)>>,
}

/// The number of a block, and of the rollbacks before it was read.
type BlockKey = (u64, Option<u32>);

impl OlderBlocksReader {
    pub(super) fn new(client: RpcClient) -> Self {
        let histories = AddressHistoryReader::new(client.clone());
        Self { client, histories, last_block: Mutex::default() }
    }

    /// Returns the snapshot with the blocks among `parts`. Blocks of a chain that the node forked are
    /// not read.
    pub(super) async fn load(
        &self,
        snapshot: &Snapshot,
        parts: &HashSet<StateKey>,
        index: &PublishedIndex,
    ) -> StoreResult<Snapshot> {
        let Some(first_indexed) = snapshot.first_indexed() else { return Ok(snapshot.clone()) };
        let mut snapshot = snapshot.clone();
        for part in parts.iter().filter(|_| index.progress.fork.is_none()) {
            let read = match *part {
                StateKey::Transaction(hash) => match self.block_of(hash).await? {
                    Some(number) if number < first_indexed => self.block(number, index).await?,
                    _ => None,
                },
                StateKey::Block(number) => self.block(number, index).await?,
                StateKey::History(history) => {
                    let calls = index.capabilities.as_ref().map(|node| &node.calls);
                    if let Some((blocks, end)) = self.histories.read(history, calls).await? {
                        Arc::make_mut(&mut snapshot.histories).insert(history, end);
                        snapshot = with_blocks(snapshot, blocks.into_iter());
                    }
                    None
                }
                _ => None,
            };
            snapshot = with_blocks(snapshot, read.into_iter());
        }
        Ok(snapshot)
    }

    /// Asks for the block of a transaction. A node that refuses does not have it.
    async fn block_of(&self, hash: B256) -> StoreResult<Option<u64>> {
        let sent = self.client.call("eth_getTransactionByHash", json!([hash])).await;
        let sent: Option<RpcTransaction> = match sent {
            Err(error) if error.is_refusal() => None,
            sent => sent.map_err(|error| unavailable(&error))?,
        };
        Ok(sent.filter(|sent| sent.hash == hash).and_then(|sent| sent.block_number))
    }

    async fn block(
        &self,
        number: u64,
        index: &PublishedIndex,
    ) -> StoreResult<Option<Arc<Segment>>> {
        let key = (number, index.progress.rollback.map(|rollback| rollback.ordinal));
        if let Some((_, block)) = self.last_block.lock().as_ref().filter(|(read, _)| *read == key) {
            return Ok(Some(Arc::clone(block)));
        }
        let capabilities = index.capabilities.as_ref();
        let reader = BlockReader { client: &self.client, capabilities };
        let read = async {
            let blocks = reader.blocks(number..=number, None, true).await?;
            let (answers, untraced) = reader.complete(blocks).await?;
            let mut rows = BlockRows::default();
            answers.into_iter().try_for_each(|answer| rows.add(answer, |_| false))?;
            Ok(IndexedSegment::new(rows, untraced).map(Arc::<Segment>::from))
        };
        let block = read.await.map_err(|error| match error {
            ReadError::Rpc(error) => unavailable(&error),
            ReadError::Block(BlockError::Absent) => {
                StoreError::Unsupported(ChainDataError::NoBlock { block: number })
            }
            error => StoreError::Unavailable(error.to_string().as_str().into()),
        })?;
        *self.last_block.lock() = block.clone().map(|block| (key, block));
        Ok(block)
    }
}

/// Adds blocks before the index. Each is a segment of its own, so that what is between them is absent.
fn with_blocks(snapshot: Snapshot, blocks: impl Iterator<Item = Arc<Segment>>) -> Snapshot {
    let known = snapshot.segments.iter().cloned();
    let segments: BTreeMap<u64, Arc<Segment>> =
        known.chain(blocks).map(|segment| (segment.first_block, segment)).collect();
    Snapshot { segments: segments.into_values().collect(), ..snapshot }
}
