//! Reads rows of an address before the index, from a node's own history.
//!
//! The method that Otterscan uses of Erigon, and that anvil has, finds transactions in whose calls the
//! address takes part. The list of transactions has the ones that the address sent or received, and the
//! list of internal transactions the traced calls. Token transfers name the address in their logs only
//! (`transfer_search`).

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use serde_json::json;

use crate::chain::Address;
use crate::messages::chain_data::{BlockError, ChainDataError};
use crate::rpc::wire::call::{RpcCall, RpcCalls};
use crate::rpc::wire::receipt::RpcReceipt;
use crate::rpc::wire::transaction::{RpcTransaction, RpcTransactionPage};
use crate::rpc::{CallSource, CallSupport, RpcClient, RpcError, RpcRequest};
use crate::store::{HistoryEnd, HistoryKey, HistoryList, Segment, StoreError, StoreResult};

use super::found_rows::{ENOUGH_ROWS, HistoryRows, segments, unreadable};
use super::transfer_search::{SearchRange, search_transfers};
use crate::indexer::block_reader::is_wrong_root;
use crate::indexer::contract_reader::unavailable;

/// Maximum transactions of a search: Erigon refuses more.
const SEARCH_SIZE: u8 = 25;
/// Maximum searches for one response: an address may take part in the calls of others only.
const MAX_SEARCHES: usize = 8;
/// Maximum searches for one response if each transaction is traced.
const MAX_TRACED_SEARCHES: usize = 4;

#[derive(Debug)]
pub(super) struct AddressHistoryReader {
    client: RpcClient,
    /// `true` if the node has answered a search, `false` if it has no such method.
    has_search: OnceLock<bool>,
    /// The address whose logs were searched last.
    last_range: Mutex<Option<(Address, SearchRange)>>,
}

impl AddressHistoryReader {
    pub(super) fn new(client: RpcClient) -> Self {
        Self { client, has_search: OnceLock::new(), last_range: Mutex::default() }
    }

    /// Returns blocks with the rows of a list, each a segment of its own. Returns `None` if the node
    /// cannot find them.
    pub(super) async fn read(
        &self,
        HistoryKey { list, address, before }: HistoryKey,
        calls: Option<&CallSupport>,
    ) -> StoreResult<Option<(Vec<Arc<Segment>>, HistoryEnd)>> {
        let found = match (list, calls) {
            (HistoryList::Transactions, _) => self.search(address, before, None).await?,
            (HistoryList::TokenTransfers, _) => {
                let last = *self.last_range.lock();
                let known = last.filter(|(searched, _)| *searched == address);
                let mut range = known.map(|(_, range)| range).unwrap_or_default();
                let found = search_transfers(&self.client, address, before, &mut range).await?;
                *self.last_range.lock() = Some((address, range));
                found
            }
            (HistoryList::InternalTransactions, Some(&CallSupport::Supported(source)))
                if source != CallSource::StructLogs =>
            {
                self.search(address, before, Some(source)).await?
            }
            (HistoryList::InternalTransactions, _) => None,
        };
        let untraced = match list {
            HistoryList::InternalTransactions => None,
            _ => Some(ChainDataError::CallsOnDemand),
        };
        Ok(found.map(|(rows, end)| (segments(rows, untraced.as_ref()), end)))
    }

    /// Searches for transactions of an address before a block, or for calls in them. Returns `None` if
    /// the node has no search.
    async fn search(
        &self,
        address: Address,
        before: u64,
        calls: Option<CallSource>,
    ) -> StoreResult<Option<(HistoryRows, HistoryEnd)>> {
        let mut found = HistoryRows::new();
        let (mut count, mut oldest) = (0, Some(before));
        let searches = if calls.is_some() { MAX_TRACED_SEARCHES } else { MAX_SEARCHES };
        for _ in 0..searches {
            // Nodes take 0, and Erigon also 1, for the newest block. The first has no transactions.
            oldest = oldest.filter(|block| *block > 1);
            let Some(before) = oldest.filter(|_| count < ENOUGH_ROWS) else { break };
            let Some(page) = self.search_page(address, before).await? else { return Ok(None) };
            let sent = numbered(&page, before).map_err(unreadable)?;
            count += match calls {
                None => add_transactions(&mut found, &sent, address).map_err(unreadable)?,
                Some(source) => {
                    let calls = self.calls(&sent, source).await?;
                    add_calls(&mut found, &sent, &calls, address).map_err(unreadable)?
                }
            };
            let last = sent.iter().map(|(number, ..)| *number).min();
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
    ) -> StoreResult<Option<RpcTransactionPage>> {
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

    /// Returns the calls of each transaction.
    async fn calls(
        &self,
        sent: &[NumberedTransaction<'_>],
        source: CallSource,
    ) -> StoreResult<Vec<Vec<RpcCall>>> {
        let requests: Vec<RpcRequest> = sent
            .iter()
            .map(|(number, sent, _)| source.request_for_one(*number, sent.hash))
            .collect();
        let traces = self.client.batch(&requests).await.map_err(|error| unavailable(&error))?;
        traces
            .into_iter()
            .zip(sent)
            .map(|(trace, (block, sent, _))| {
                match trace.and_then(|trace| self.client.decode(&trace)) {
                    Ok(RpcCalls(calls)) if calls.is_empty() => {
                        Err(StoreError::Unsupported(ChainDataError::NoCalls { block: *block }))
                    }
                    Ok(RpcCalls(calls)) if !calls.iter().all(RpcCall::is_listable) => {
                        Err(StoreError::Unsupported(ChainDataError::UnreadableCalls {
                            block: *block,
                        }))
                    }
                    Ok(RpcCalls(calls)) if is_wrong_root(sent, calls.first()) => {
                        Err(StoreError::Unsupported(ChainDataError::WrongCalls))
                    }
                    Ok(RpcCalls(calls)) => Ok(calls),
                    Err(error) if error.is_refusal() => {
                        Err(StoreError::Unsupported(ChainDataError::TraceRefused(error)))
                    }
                    Err(error) => Err(unavailable(&error)),
                }
            })
            .collect()
    }
}

/// A transaction with the number of its block and its receipt.
type NumberedTransaction<'a> = (u64, &'a RpcTransaction, &'a RpcReceipt);

/// Checks that the transactions of a page are before a block.
fn numbered(
    page: &RpcTransactionPage,
    before: u64,
) -> Result<Vec<NumberedTransaction<'_>>, BlockError> {
    if page.txs.len() != page.receipts.len() {
        return Err(BlockError::Inconsistent);
    }
    let numbered = page.txs.iter().zip(&page.receipts).map(|(sent, receipt)| {
        let number = sent.block_number.filter(|number| *number < before);
        Ok((number.ok_or(BlockError::MissingField("blockNumber"))?, sent, receipt))
    });
    numbered.collect()
}

/// Adds the transactions that the address sent or received, and returns their number.
fn add_transactions(
    found: &mut HistoryRows,
    sent: &[NumberedTransaction<'_>],
    address: Address,
) -> Result<usize, BlockError> {
    let mut count = 0;
    for (number, sent, receipt) in sent {
        let created = receipt.created_contract().filter(|_| sent.to.is_none());
        if [Some(sent.from), sent.to, created].contains(&Some(address)) {
            found.entry(*number).or_default().add_listed(sent, receipt, None)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Adds the transactions with calls of the address inside them, and returns the number of these calls.
fn add_calls(
    found: &mut HistoryRows,
    sent: &[NumberedTransaction<'_>],
    calls: &[Vec<RpcCall>],
    address: Address,
) -> Result<usize, BlockError> {
    let mut count = 0;
    for ((number, sent, receipt), calls) in sent.iter().zip(calls) {
        let own = calls.iter().skip(1).filter(|call| [call.from, call.to].contains(&Some(address)));
        let inner = own.count();
        if inner > 0 {
            found.entry(*number).or_default().add_listed(sent, receipt, Some(calls))?;
            count += inner;
        }
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::B256;

    const CALLED: Address = Address::repeat_byte(2);

    /// A page with one transaction of a block, whose receipt names a created contract.
    fn page(block: u64, created: Address) -> RpcTransactionPage {
        let sent = json!({
            "hash": B256::ZERO, "from": Address::repeat_byte(1), "to": CALLED, "input": "0x",
            "value": "0x0", "gas": "0x5208", "gasPrice": "0x1", "nonce": "0x0", "type": "0x0",
            "transactionIndex": "0x0", "blockNumber": format!("{block:#x}"),
        });
        let receipt = json!({
            "transactionHash": B256::ZERO, "status": "0x1", "logs": [], "contractAddress": created,
        });
        let page = json!({ "txs": [sent], "receipts": [receipt], "lastPage": true });
        serde_json::from_value(page).unwrap()
    }

    #[test]
    fn transactions_of_a_page_are_before_its_block() {
        let is_read = |block: u64| numbered(&page(block, Address::ZERO), 7).is_ok();
        assert_eq!([6, 7, 8].map(is_read), [true, false, false]);
    }

    #[test]
    fn transaction_itself_is_no_call_inside() {
        let page = page(6, Address::ZERO);
        let sent = numbered(&page, 7).unwrap();
        let call = RpcCall { from: Some(CALLED), to: Some(CALLED), ..RpcCall::default() };
        let mut found = HistoryRows::new();
        assert_eq!(add_calls(&mut found, &sent, &[vec![call]], CALLED).unwrap(), 0);
        assert!(found.is_empty());
    }

    #[test]
    fn call_creates_no_contract() {
        let created = Address::repeat_byte(3);
        let page = page(6, created);
        let sent = numbered(&page, 7).unwrap();
        let mut found = HistoryRows::new();
        assert_eq!(add_transactions(&mut found, &sent, created).unwrap(), 0);
        assert!(found.is_empty());
    }
}
