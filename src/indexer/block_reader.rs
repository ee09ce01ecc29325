//! Reads consecutive blocks from a node, in as few requests as it takes.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use serde_json::json;

use crate::chain::B256;
use crate::rpc::capabilities::NodeCapabilities;
use crate::rpc::wire::block::RpcBlock;
use crate::rpc::wire::call::{RpcCall, RpcCalls};
use crate::rpc::wire::receipt::RpcReceipt;
use crate::rpc::wire::transaction::RpcTransaction;
use crate::rpc::{CallSource, CallSupport, RpcClient, RpcError, RpcRequest};

use super::plan::PlannedBlock;
use super::rows::{BlockAnswer, BlockError};

/// Requests whose responses are in memory at once.
const BATCH_REQUESTS: usize = 100;

/// Blocks cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReadError {
    #[error(transparent)]
    Rpc(#[from] RpcError),
    #[error(transparent)]
    Block(#[from] BlockError),
    #[error("the node changed from chain {before} to chain {now}")]
    OtherChain { before: u64, now: u64 },
}

type Calls = HashMap<B256, Vec<RpcCall>>;
type MinedBlock = RpcBlock<RpcTransaction>;

/// Reads the blocks of a node that can do some things and not others.
pub(super) struct BlockReader<'a> {
    pub(super) client: &'a RpcClient,
    /// Unknown until a block with transactions was read.
    pub(super) capabilities: Option<&'a NodeCapabilities>,
}

impl BlockReader<'_> {
    /// Reads the headers and transactions of blocks that follow one another, perhaps after `parent`.
    /// Fails if one is absent, unless `may_be_absent`: then those after it are returned.
    pub(super) async fn blocks(
        &self,
        numbers: RangeInclusive<u64>,
        parent: Option<PlannedBlock>,
        may_be_absent: bool,
    ) -> Result<Vec<MinedBlock>, ReadError> {
        let request = |number: u64| {
            RpcRequest::new("eth_getBlockByNumber", json!([format!("{number:#x}"), true]))
        };
        let absent = |error| match error {
            RpcError::Pruned { .. } => Ok(None),
            error => Err(error),
        };
        let asked = numbers.clone().map(request).collect();
        let blocks: Vec<Option<MinedBlock>> = self.batch(asked, absent).await?;
        // A block that was there is gone, or another one was sent.
        let blocks = numbers
            .zip(blocks)
            .map(|(number, block)| block.filter(|block| block.number == Some(number)));
        let mut blocks: Vec<_> = blocks.collect();
        if let Some(absent) = blocks.iter().rposition(Option::is_none) {
            if !may_be_absent {
                return Err(BlockError::Absent.into());
            }
            blocks.drain(..=absent);
        }
        let blocks: Vec<MinedBlock> = blocks.into_iter().flatten().collect();
        self.check_links(parent, &blocks).await?;
        Ok(blocks)
    }

    /// Checks that blocks are of one chain. Those that the next one does not name as its parent are
    /// asked for again: many of Hardhat's name none.
    async fn check_links(
        &self,
        parent: Option<PlannedBlock>,
        blocks: &[MinedBlock],
    ) -> Result<(), ReadError> {
        let first = blocks.first().and_then(|block| block.number);
        let parent = parent.filter(|parent| parent.number.checked_add(1) == first);
        let earlier = parent.into_iter().map(|parent| (Some(parent.number), Some(parent.hash)));
        let earlier = earlier.chain(blocks.iter().map(|block| (block.number, block.hash)));
        let later = blocks.iter().skip(usize::from(parent.is_none()));
        let is_unlinked =
            |(earlier, later): &((_, Option<B256>), &MinedBlock)| later.parent_hash != earlier.1;
        let unlinked: Vec<_> = earlier.zip(later).filter(is_unlinked).map(|(it, _)| it).collect();
        let request = |(number, _): &(Option<u64>, _)| {
            let number = number.unwrap_or_default();
            RpcRequest::new("eth_getBlockByNumber", json!([format!("{number:#x}"), false]))
        };
        let again: Vec<Option<RpcBlock<B256>>> =
            self.batch(unlinked.iter().map(request).collect(), Err).await?;
        let hashes = again.into_iter().map(|block| block.and_then(|block| block.hash));
        let is_same = hashes.eq(unlinked.into_iter().map(|(_, hash)| hash));
        is_same.then_some(()).ok_or(BlockError::Inconsistent.into())
    }

    /// Reads what belongs to blocks. Also returns why their calls are unknown, if they are.
    pub(super) async fn complete(
        &self,
        blocks: Vec<MinedBlock>,
    ) -> Result<(Vec<BlockAnswer>, Option<String>), ReadError> {
        // The node answers the one while the other is decoded.
        let (receipts, calls) = tokio::try_join!(self.receipts(&blocks), self.calls(&blocks))?;
        let mut receipts = receipts.into_iter();
        let (mut calls, untraced) = match calls {
            Ok(calls) => (Some(calls), None),
            Err(why) => (None, Some(why)),
        };
        let answers = blocks.into_iter().map(|block| {
            let receipts = receipts.by_ref().take(block.transactions.len()).collect();
            let calls = calls.as_mut().map(|all| {
                let hashes = block.transactions.iter().map(|sent| sent.hash);
                hashes.filter_map(|hash| all.remove_entry(&hash)).collect()
            });
            BlockAnswer { block, receipts, calls }
        });
        Ok((answers.collect(), untraced))
    }

    /// Reads the receipts of all transactions of blocks, in their order.
    async fn receipts(&self, blocks: &[MinedBlock]) -> Result<Vec<RpcReceipt>, ReadError> {
        if self.capabilities.is_some_and(|node| node.block_receipts) {
            let of_block =
                |number| RpcRequest::new("eth_getBlockReceipts", json!([format!("{number:#x}")]));
            let requests = mined(blocks).map(|(number, _)| of_block(number)).collect();
            let receipts: Vec<Option<Vec<RpcReceipt>>> = self.batch(requests, Err).await?;
            return Ok(receipts.into_iter().flatten().flatten().collect());
        }
        let of_transaction =
            |hash: B256| RpcRequest::new("eth_getTransactionReceipt", json!([hash]));
        let transactions = blocks.iter().flat_map(|block| &block.transactions);
        let requests = transactions.map(|sent| of_transaction(sent.hash)).collect();
        let receipts: Vec<Option<RpcReceipt>> = self.batch(requests, Err).await?;
        receipts.into_iter().map(|it| it.ok_or(BlockError::Inconsistent.into())).collect()
    }

    /// Reads the calls of all transactions of blocks, or returns why the node does not tell them.
    async fn calls(&self, blocks: &[MinedBlock]) -> Result<Result<Calls, String>, ReadError> {
        let source = match self.capabilities.map(|node| &node.calls) {
            // They are asked for when a transaction is looked at: each is up to megabytes.
            Some(CallSupport::Supported(CallSource::StructLogs)) => {
                return Ok(
                    Err("this node lists no calls: open a transaction and its trace".into()),
                );
            }
            Some(CallSupport::Supported(source)) => source,
            Some(CallSupport::Unsupported { why }) => {
                return Ok(Err(format!("this node does not trace calls ({why})")));
            }
            Some(CallSupport::Undecided) | None => {
                return Ok(Err("unknown whether this node traces calls".into()));
            }
        };
        let transactions = || {
            blocks.iter().flat_map(|block| {
                let number = block.number.unwrap_or_default();
                block.transactions.iter().map(move |sent| (number, sent.hash))
            })
        };
        let asked: Vec<_> = match source {
            CallSource::TraceBlock => mined(blocks).collect(),
            _ => transactions().collect(),
        };
        let request = |&(number, hash): &(u64, B256)| source.request(number, hash);
        let traces: Vec<RpcCalls> = match self.batch(asked.iter().map(request).collect(), Err).await
        {
            Err(ReadError::Rpc(error)) if error.is_refusal() => {
                return Ok(Err(format!("this node does not trace all calls ({error})")));
            }
            traces => traces?,
        };
        let mut calls = Calls::new();
        for ((_, asked), RpcCalls(traced)) in asked.into_iter().zip(traces) {
            for call in traced {
                let hash = match source {
                    CallSource::TraceBlock => call.transaction_hash,
                    _ => Some(asked),
                };
                if let Some(hash) = hash {
                    calls.entry(hash).or_default().push(call);
                }
            }
        }
        // At the block of a fork, and for transactions that they forgot, nodes list none.
        Ok(match transactions().find(|(_, hash)| !calls.contains_key(hash)) {
            Some((number, _)) => Err(format!("this node lists no calls of block {number}")),
            None => Ok(calls),
        })
    }

    /// Sends requests in batches, and decodes the results off the asynchronous workers.
    async fn batch<T>(
        &self,
        requests: Vec<RpcRequest>,
        on_error: fn(RpcError) -> Result<T, RpcError>,
    ) -> Result<Vec<T>, ReadError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let mut decoded = Vec::with_capacity(requests.len());
        for requests in requests.chunks(BATCH_REQUESTS) {
            let results = self.client.batch(requests).await?;
            let client = self.client.clone();
            let decode = move || -> Result<Vec<T>, RpcError> {
                let results = results.into_iter();
                results.map(|it| it.map_or_else(on_error, |json| client.decode(&json))).collect()
            };
            let decode = tokio::task::spawn_blocking(decode).await;
            decoded.extend(decode.map_err(|_| RpcError::Unanswered)??);
        }
        Ok(decoded)
    }
}

/// Returns the number and the first transaction of the blocks that have any.
fn mined(blocks: &[MinedBlock]) -> impl Iterator<Item = (u64, B256)> {
    blocks.iter().filter_map(|block| Some((block.number?, block.transactions.first()?.hash)))
}
