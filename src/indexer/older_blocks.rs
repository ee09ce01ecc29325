//! Reads blocks before the index for one response: by number, of a transaction, or those with the
//! transactions of an address.
//!
//! The latter are found by the node, with the method that Otterscan uses of Erigon and that anvil has. It
//! finds transactions in whose calls the address takes part. Of these, lists have the ones that the
//! address sent or received, as they do in the index.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::json;

use crate::chain::{Address, B256};
use crate::messages::chain_data::{BlockError, ChainDataError, ReadError};
use crate::messages::node::ResponseDefect;
use crate::rpc::wire::transaction::{RpcTransaction, RpcTransactionPage};
use crate::rpc::{RpcClient, RpcError};
use crate::store::{HistoryEnd, Segment, Snapshot, StateKey, StoreError};

use super::block_reader::BlockReader;
use super::contract_reader::unavailable;
use super::published_index::PublishedIndex;
use super::rows::BlockRows;
use super::segment_list::IndexedSegment;

/// Maximum transactions of a search: Erigon refuses more.
const SEARCH_SIZE: u8 = 25;
/// Maximum searches for one response: an address may take part in the calls of others only.
const MAX_SEARCHES: usize = 8;
/// Number of transactions after which a response needs no further search.
const ENOUGH_TRANSACTIONS: usize = 51;

#[derive(Debug)]
pub(super) struct OlderBlocksReader {
    client: RpcClient,
    /// `true` if the node has answered a search, `false` if it has no such method.
    has_search: OnceLock<bool>,
    /// The last block that was read: each list of its transactions needs it.
    last_block: Mutex<Option<(BlockKey, Arc<Segment>)>>,
}

/// The number of a block, and of the rollbacks before it was read.
type BlockKey = (u64, Option<u32>);

/// Transactions of an address, by block, and the end of the search for them.
type FoundTransactions = (BTreeMap<u64, BlockRows>, HistoryEnd);

impl OlderBlocksReader {
    pub(super) fn new(client: RpcClient) -> Self {
        Self { client, has_search: OnceLock::new(), last_block: Mutex::default() }
    }

    /// Returns the snapshot with the blocks among `parts`. Blocks of a chain that the node forked are
    /// not read.
    pub(super) async fn load(
        &self,
        snapshot: &Snapshot,
        parts: &HashSet<StateKey>,
        index: &PublishedIndex,
    ) -> Result<Snapshot, StoreError> {
        let Some(first_indexed) = snapshot.first_indexed() else { return Ok(snapshot.clone()) };
        let mut snapshot = snapshot.clone();
        for part in parts.iter().filter(|_| index.progress.fork.is_none()) {
            let read = match *part {
                StateKey::Transaction(hash) => match self.block_of(hash).await? {
                    Some(number) if number < first_indexed => self.block(number, index).await?,
                    _ => None,
                },
                StateKey::Block(number) => self.block(number, index).await?,
                StateKey::History(address, before) => {
                    if let Some((found, end)) = self.search(address, before).await? {
                        Arc::make_mut(&mut snapshot.histories).insert((address, before), end);
                        snapshot = with_blocks(snapshot, found.into_values().filter_map(segment));
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
    async fn block_of(&self, hash: B256) -> Result<Option<u64>, StoreError> {
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
    ) -> Result<Option<Arc<Segment>>, StoreError> {
        let last = || self.last_block.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (number, index.progress.rollback.map(|rollback| rollback.ordinal));
        if let Some((_, block)) = last().as_ref().filter(|(read, _)| *read == key) {
            return Ok(Some(Arc::clone(block)));
        }
        let capabilities = index.capabilities.as_ref();
        let reader = BlockReader { client: &self.client, capabilities };
        let read = async {
            let blocks = reader.blocks(number..=number, None, true).await?;
            let (answers, untraced) = reader.complete(blocks).await?;
            let mut rows = BlockRows::default();
            answers.into_iter().try_for_each(|answer| rows.add(answer))?;
            Ok(IndexedSegment::new(rows, untraced).map(Arc::<Segment>::from))
        };
        let block = read.await.map_err(|error| match error {
            ReadError::Rpc(error) => unavailable(&error),
            _ => StoreError::Unsupported(ChainDataError::NoBlock { block: number }),
        })?;
        *last() = block.clone().map(|block| (key, block));
        Ok(block)
    }

    /// Searches for transactions of an address before a block. Returns `None` if the node has no
    /// search.
    async fn search(
        &self,
        address: Address,
        before: u64,
    ) -> Result<Option<FoundTransactions>, StoreError> {
        let mut found = BTreeMap::new();
        let (mut count, mut oldest) = (0, Some(before));
        for _ in 0..MAX_SEARCHES {
            // Nodes take 0, and Erigon also 1, for the newest block. The first has no transactions.
            oldest = oldest.filter(|block| *block > 1);
            let Some(before) = oldest.filter(|_| count < ENOUGH_TRANSACTIONS) else { break };
            let Some(page) = self.search_page(address, before).await? else { return Ok(None) };
            count += add_page(&mut found, &page, address, before).map_err(unreadable)?;
            let last = page.txs.iter().filter_map(|sent| sent.block_number).min();
            if last.is_none() && !page.last_page {
                return Err(unreadable(BlockError::MissingField("txs")));
            }
            oldest = last.filter(|_| !page.last_page);
        }
        Ok(Some((found, HistoryEnd { oldest })))
    }

    /// Returns `None` if the node has no such method, which it is asked once, or never answered a search,
    /// or if the history of this address is too much for it.
    async fn search_page(
        &self,
        address: Address,
        before: u64,
    ) -> Result<Option<RpcTransactionPage>, StoreError> {
        if self.has_search.get() == Some(&false) {
            return Ok(None);
        }
        let params = json!([address, before, SEARCH_SIZE]);
        match self.client.call("ots_searchTransactionsBefore", params).await {
            Err(RpcError::Unsupported | RpcError::NotJsonRpc { status: 400..=499, .. }) => {
                self.has_search.get_or_init(|| false);
                Ok(None)
            }
            Err(RpcError::TooLarge { .. } | RpcError::Pruned { .. } | RpcError::Unanswered) => {
                Ok(None)
            }
            Err(error) if error.is_refusal() && self.has_search.get().is_none() => Ok(None),
            page => {
                let page = page.map_err(|error| unavailable(&error))?;
                self.has_search.get_or_init(|| true);
                Ok(Some(page))
            }
        }
    }
}

/// Adds the transactions of a page that the address sent or received, and returns their number.
fn add_page(
    found: &mut BTreeMap<u64, BlockRows>,
    page: &RpcTransactionPage,
    address: Address,
    before: u64,
) -> Result<usize, BlockError> {
    if page.txs.len() != page.receipts.len() {
        return Err(BlockError::Inconsistent);
    }
    let mut count = 0;
    for (sent, receipt) in page.txs.iter().zip(&page.receipts) {
        let created = receipt.created_contract().filter(|_| sent.to.is_none());
        let number = sent
            .block_number
            .filter(|number| *number < before)
            .ok_or(BlockError::MissingField("blockNumber"))?;
        if [Some(sent.from), sent.to, created].contains(&Some(address)) {
            found.entry(number).or_default().add_listed(sent, receipt)?;
            count += 1;
        }
    }
    Ok(count)
}

fn unreadable(error: BlockError) -> StoreError {
    let why = match error {
        BlockError::MissingField(field) => ResponseDefect::MissingField(field).into(),
        error => error.to_string().as_str().into(),
    };
    unavailable(&RpcError::Unreadable { why })
}

/// Returns the transactions of a block without its other parts.
fn segment(mut rows: BlockRows) -> Option<Arc<Segment>> {
    rows.transactions.sort_by_key(|row| row.index);
    rows.transfers.sort_by_key(|row| row.position);
    IndexedSegment::new(rows, Some(ChainDataError::CallsOnDemand)).map(Into::into)
}

/// Adds blocks before the index. Each is a segment of its own, so that what is between them is absent.
fn with_blocks(snapshot: Snapshot, blocks: impl Iterator<Item = Arc<Segment>>) -> Snapshot {
    let known = snapshot.segments.iter().cloned();
    let segments: BTreeMap<u64, Arc<Segment>> =
        known.chain(blocks).map(|segment| (segment.first_block, segment)).collect();
    Snapshot { segments: segments.into_values().collect(), ..snapshot }
}
