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
}

type Calls = HashMap<B256, Vec<RpcCall>>;

/// Reads the blocks of a node that can do some things and not others.
pub(super) struct BlockReader<'a> {
    pub(super) client: &'a RpcClient,
    /// Unknown until a block with transactions was read.
    pub(super) capabilities: Option<&'a NodeCapabilities>,
}

impl BlockReader<'_> {
    /// Reads the headers and transactions of blocks.
    pub(super) async fn blocks(
        &self,
        numbers: RangeInclusive<u64>,
    ) -> Result<Vec<RpcBlock<RpcTransaction>>, ReadError> {
        let requests = numbers.map(|number| {
            RpcRequest::new("eth_getBlockByNumber", json!([format!("{number:#x}"), true]))
        });
        let blocks: Vec<Option<_>> = self.batch(requests.collect()).await?;
        // A block that was there is gone.
        blocks.into_iter().map(|block| block.ok_or(BlockError::Inconsistent.into())).collect()
    }

    /// Reads what belongs to blocks.
    pub(super) async fn complete(
        &self,
        blocks: Vec<RpcBlock<RpcTransaction>>,
    ) -> Result<Vec<BlockAnswer>, ReadError> {
        let mut receipts = self.receipts(&blocks).await?.into_iter();
        let mut calls = self.calls(&blocks).await?;
        let mut answers = Vec::with_capacity(blocks.len());
        for block in blocks {
            let receipts: Vec<_> = receipts.by_ref().take(block.transactions.len()).collect();
            let of_block = |all: &mut Calls| {
                let hashes = block.transactions.iter().map(|transaction| transaction.hash);
                let traced = hashes.map(|hash| Some((hash, all.remove(&hash)?)));
                traced.collect::<Option<Calls>>().ok_or(BlockError::Inconsistent)
            };
            let calls = calls.as_mut().map(of_block).transpose()?;
            answers.push(BlockAnswer { block, receipts, calls });
        }
        Ok(answers)
    }

    /// Reads the receipts of all transactions of blocks, in their order.
    async fn receipts(
        &self,
        blocks: &[RpcBlock<RpcTransaction>],
    ) -> Result<Vec<RpcReceipt>, ReadError> {
        if self.capabilities.is_some_and(|node| node.block_receipts) {
            let of_block =
                |number| RpcRequest::new("eth_getBlockReceipts", json!([format!("{number:#x}")]));
            let requests = mined(blocks).map(|(number, _)| of_block(number)).collect();
            let receipts: Vec<Option<Vec<RpcReceipt>>> = self.batch(requests).await?;
            return Ok(receipts.into_iter().flatten().flatten().collect());
        }
        let of_transaction =
            |hash: B256| RpcRequest::new("eth_getTransactionReceipt", json!([hash]));
        let transactions = blocks.iter().flat_map(|block| &block.transactions);
        let requests = transactions.map(|sent| of_transaction(sent.hash)).collect();
        let receipts: Vec<Option<RpcReceipt>> = self.batch(requests).await?;
        receipts.into_iter().map(|it| it.ok_or(BlockError::Inconsistent.into())).collect()
    }

    /// Reads the calls of all transactions of blocks, if the node tells them cheaply.
    async fn calls(&self, blocks: &[RpcBlock<RpcTransaction>]) -> Result<Option<Calls>, ReadError> {
        let Some(CallSupport::Supported(source)) = self.capabilities.map(|node| &node.calls) else {
            return Ok(None);
        };
        match source {
            CallSource::TraceBlock => {
                let request = |(number, first)| source.request(number, first);
                let requests = mined(blocks).map(request).collect();
                let traces: Vec<RpcCalls> = self.batch(requests).await?;
                let mut calls = Calls::new();
                for call in traces.into_iter().flat_map(|RpcCalls(calls)| calls) {
                    if let Some(hash) = call.transaction_hash {
                        calls.entry(hash).or_default().push(call);
                    }
                }
                Ok(Some(calls))
            }
            CallSource::FlatCallTracer | CallSource::CallTracer => {
                let transactions = blocks.iter().flat_map(|block| {
                    block
                        .transactions
                        .iter()
                        .map(|sent| (block.number.unwrap_or_default(), sent.hash))
                });
                let (requests, hashes): (Vec<_>, Vec<_>) =
                    transactions.map(|(number, hash)| (source.request(number, hash), hash)).unzip();
                let traces: Vec<RpcCalls> = self.batch(requests).await?;
                let calls = traces.into_iter().map(|RpcCalls(calls)| calls);
                Ok(Some(hashes.into_iter().zip(calls).collect()))
            }
            // They are asked for when a transaction is looked at: each is up to megabytes.
            CallSource::StructLogs => Ok(None),
        }
    }

    /// Sends requests in batches, and decodes the results off the asynchronous workers.
    async fn batch<T>(&self, requests: Vec<RpcRequest>) -> Result<Vec<T>, ReadError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let mut decoded = Vec::with_capacity(requests.len());
        for requests in requests.chunks(BATCH_REQUESTS) {
            let results = self.client.batch(requests).await?;
            let client = self.client.clone();
            let decode = move || -> Result<Vec<T>, RpcError> {
                results.into_iter().map(|result| client.decode(&result?)).collect()
            };
            let decode = tokio::task::spawn_blocking(decode).await;
            decoded.extend(decode.map_err(|_| RpcError::Unanswered)??);
        }
        Ok(decoded)
    }
}

/// Returns the number and the first transaction of the blocks that have any.
fn mined(blocks: &[RpcBlock<RpcTransaction>]) -> impl Iterator<Item = (u64, B256)> {
    blocks.iter().filter_map(|block| Some((block.number?, block.transactions.first()?.hash)))
}
