//! Searches the logs of a node for token transfers of an address, newest first.
//!
//! Nodes limit the blocks or the logs of a request differently: a range grows while it has few logs, and
//! shrinks when it is refused.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;
use serde_json::json;

use crate::chain::{Address, B256};
use crate::messages::chain_data::BlockError;
use crate::messages::node::ResponseDefect;
use crate::rpc::wire::block::RpcBlock;
use crate::rpc::wire::receipt::{RpcLog, RpcReceipt};
use crate::rpc::wire::transaction::RpcTransaction;
use crate::rpc::{BlockTag, RpcClient, RpcError, RpcRequest};
use crate::store::{HistoryEnd, StoreResult};

use super::found_rows::{ENOUGH_ROWS, HistoryRows, unreadable};
use crate::indexer::contract_reader::unavailable;
use crate::indexer::transfer_logs::transfer_filters;

/// Blocks of the first request. Few nodes refuse as many.
const FIRST_RANGE_BLOCKS: u64 = 1_000;
/// Growth of the range after one without logs, and its shrinking when the first are refused.
const RANGE_FACTOR: u64 = 8;
/// Maximum ranges for one response, which reach from the first to a billion blocks.
const MAX_RANGES: usize = 10;

/// The ranges of blocks that a node answers for an address, by its answers so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchRange {
    next: u64,
    accepted: Option<u64>,
    refused: Option<u64>,
}

impl Default for SearchRange {
    fn default() -> Self {
        Self { next: FIRST_RANGE_BLOCKS, accepted: None, refused: None }
    }
}

impl SearchRange {
    /// Grows after an answer, at most halfway to a range that was refused.
    fn accept(&mut self, is_empty: bool) {
        let grown = self.next.saturating_mul(if is_empty { RANGE_FACTOR } else { 2 });
        self.accepted = Some(self.next);
        self.next = match self.refused {
            Some(refused) if grown >= refused => self.next.midpoint(refused.max(self.next)),
            _ => grown,
        };
    }

    /// Shrinks to a range that was answered, if there is one.
    fn refuse(&mut self) {
        let accepted = self.accepted.filter(|accepted| *accepted < self.next);
        self.refused = Some(self.next);
        self.next = accepted.unwrap_or(self.next / RANGE_FACTOR).max(1);
    }

    /// Lets the range grow again: other blocks may have fewer logs.
    fn relax(&mut self) {
        self.refused = self.refused.map(|refused| refused.saturating_mul(2));
    }
}

/// The block and the transaction of a log.
type LoggedTransaction = (u64, B256);

/// Searches for the transactions that moved tokens of an address before a block. Returns `None` if the
/// node refuses.
pub(super) async fn search_transfers(
    client: &RpcClient,
    address: Address,
    before: u64,
    range: &mut SearchRange,
) -> StoreResult<Option<(HistoryRows, HistoryEnd)>> {
    let (mut end, mut is_refused) = (before, false);
    let mut places: Vec<LoggedTransaction> = Vec::new();
    for _ in 0..MAX_RANGES {
        if end == 0 || places.len() >= ENOUGH_ROWS {
            break;
        }
        let first = end.saturating_sub(range.next);
        match logs(client, address, first, end - 1).await {
            Ok(found) => {
                range.accept(found.is_empty());
                places.extend(found);
                end = first;
            }
            Err(RpcError::TooLarge { .. }) => {
                is_refused = true;
                range.refuse();
            }
            Err(error @ RpcError::Unreadable { .. }) => return Err(unavailable(&error)),
            Err(error) if error.is_refusal() => break,
            Err(error) => return Err(unavailable(&error)),
        }
    }
    if !is_refused {
        range.relax();
    }
    if end == before {
        return Ok(None);
    }
    // A response needs no more, but whole blocks.
    places.sort_unstable_by_key(|(block, _)| Reverse(*block));
    if let Some((last, _)) = places.get(ENOUGH_ROWS - 1) {
        end = *last;
    }
    let found: BTreeSet<LoggedTransaction> =
        places.into_iter().filter(|(block, _)| *block >= end).collect();
    let rows = read(client, found).await?;
    Ok(Some((rows, HistoryEnd { oldest: (end > 0).then_some(end) })))
}

/// Returns the transactions with logs that name the address, in a range of blocks.
async fn logs(
    client: &RpcClient,
    address: Address,
    first: u64,
    last: u64,
) -> Result<Vec<LoggedTransaction>, RpcError> {
    let sent = client
        .batch(&transfer_filters(address).map(|topics| {
            let (first, last) = (BlockTag::Number(first), BlockTag::Number(last));
            let filter = json!({ "fromBlock": first, "toBlock": last, "topics": topics });
            RpcRequest::new("eth_getLogs", json!([filter]))
        }))
        .await?;
    let mut places = Vec::new();
    for logs in sent {
        let logs: Vec<RpcLog> = client.decode(&logs?)?;
        for log in logs.into_iter().filter(|log| log.removed != Some(true)) {
            let number = log.block_number.filter(|number| (first..=last).contains(number));
            let missing =
                |field| RpcError::Unreadable { why: ResponseDefect::MissingField(field).into() };
            let number = number.ok_or_else(|| missing("blockNumber"))?;
            places.push((number, log.transaction_hash.ok_or_else(|| missing("transactionHash"))?));
        }
    }
    Ok(places)
}

/// Reads transactions with their receipts and the times of their blocks.
async fn read(client: &RpcClient, places: BTreeSet<LoggedTransaction>) -> StoreResult<HistoryRows> {
    let hashes: Vec<B256> = places.iter().map(|(_, hash)| *hash).collect();
    let numbers: BTreeSet<u64> = places.iter().map(|(number, _)| *number).collect();
    let of_hash = |method| hashes.iter().map(move |hash| RpcRequest::new(method, json!([hash])));
    let sent: Vec<Option<RpcTransaction>> =
        ask(client, of_hash("eth_getTransactionByHash").collect()).await?;
    let receipts: Vec<Option<RpcReceipt>> =
        ask(client, of_hash("eth_getTransactionReceipt").collect()).await?;
    let requests = numbers.iter().map(|number| RpcRequest::block_header(*number));
    let blocks: Vec<Option<RpcBlock<B256>>> = ask(client, requests.collect()).await?;
    let times: BTreeMap<u64, Option<u64>> = numbers
        .into_iter()
        .zip(blocks)
        .map(|(number, block)| (number, block.and_then(|block| block.timestamp)))
        .collect();
    let mut rows = HistoryRows::new();
    for ((number, _), (sent, receipt)) in places.into_iter().zip(sent.into_iter().zip(receipts)) {
        let listed = sent.zip(receipt).filter(|(sent, _)| sent.block_number == Some(number));
        let (sent, mut receipt) = listed.ok_or_else(|| unreadable(BlockError::LogsDisagree))?;
        receipt.timestamp = times.get(&number).copied().flatten();
        rows.entry(number).or_default().add_listed(&sent, &receipt, None).map_err(unreadable)?;
    }
    Ok(rows)
}

async fn ask<T: DeserializeOwned>(
    client: &RpcClient,
    requests: Vec<RpcRequest>,
) -> StoreResult<Vec<T>> {
    let answers = client.batch(&requests).await.map_err(|error| unavailable(&error))?;
    let decoded = answers.into_iter().map(|answer| client.decode(&answer?));
    decoded.collect::<Result<_, _>>().map_err(|error| unavailable(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_settles_at_the_largest_that_is_answered() {
        for limit in [1, 8, 100, 2_000] {
            let mut range = SearchRange::default();
            let mut refused = 0;
            for _ in 0..100 {
                if range.next <= limit {
                    range.accept(true);
                } else {
                    range.refuse();
                    refused += 1;
                }
            }
            assert!(range.next == limit && refused <= 15, "{limit}: {range:?}, {refused} refused");
        }
    }
}
