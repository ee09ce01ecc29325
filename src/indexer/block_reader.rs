//! Reads consecutive blocks from a node, in as few requests as it takes.
//!
//! Answers are decoded one by one, so that a block which cannot be decoded costs no other block:
//! [`BlockReader::blocks`] keeps its number and its hashes, by which the chain is followed, and
//! [`BlockReader::complete`] returns it as an [`UnreadableBlock`]. Calls that cannot be decoded cost
//! only the calls.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use serde::de::DeserializeOwned;
use serde_json::json;
use serde_json::value::RawValue;

use crate::chain::B256;
use crate::messages::chain_data::{BlockError, ChainDataError, ReadError};
use crate::messages::node::ResponseDefect;
use crate::rpc::capabilities::NodeCapabilities;
use crate::rpc::wire::block::{RpcBlock, RpcBlockHeader};
use crate::rpc::wire::call::{RpcCall, RpcCalls};
use crate::rpc::wire::receipt::RpcReceipt;
use crate::rpc::wire::transaction::RpcTransaction;
use crate::rpc::{BlockTag, CallSource, CallSupport, RpcClient, RpcError, RpcRequest};
use crate::sanitize::SafeText;
use crate::store::{BlockNumHash, UnreadableBlock};

use super::block_rows::{BlockAnswer, FIRST_ROLLUP_TYPE};

/// Requests whose responses are in memory at once.
const BATCH_REQUESTS: usize = 100;

type Calls = HashMap<B256, Vec<RpcCall>>;
type MinedBlock = RpcBlock<RpcTransaction>;
type RpcResult = Result<Box<RawValue>, RpcError>;
/// A block, or the error if only its header can be decoded.
type SentBlock = (RpcBlockHeader, Result<MinedBlock, SafeText>);

/// A block as the node sends it, without receipts and calls.
pub(super) struct FetchedBlock {
    pub(super) id: BlockNumHash,
    parent_hash: Option<B256>,
    /// The error if it cannot be decoded.
    pub(super) content: Result<MinedBlock, SafeText>,
}

impl FetchedBlock {
    fn transactions(&self) -> &[RpcTransaction] {
        self.content.as_ref().map_or(&[], |block| &block.transactions)
    }

    /// Returns `true` if the node has pruned the block's transactions.
    pub(super) fn lacks_transactions(&self) -> bool {
        self.content.as_ref().is_ok_and(RpcBlock::lacks_transactions)
    }
}

/// Returns `true` if the first call of a transaction belongs to another. Calls of a rollup's own types differ from
/// their transactions.
pub(super) fn is_wrong_root(sent: &RpcTransaction, root: Option<&RpcCall>) -> bool {
    sent.kind.is_none_or(|kind| kind < FIRST_ROLLUP_TYPE)
        && root.is_some_and(|root| {
            !root.may_be_root_of(sent.hash, [Some(sent.from), sent.to], sent.value)
        })
}

/// Reads the blocks of a node by the methods that it has.
pub(super) struct BlockReader<'a> {
    pub(super) client: &'a RpcClient,
    /// Unknown before the first block with transactions.
    pub(super) capabilities: Option<&'a NodeCapabilities>,
}

impl BlockReader<'_> {
    /// Reads the headers and transactions of blocks that follow one another, perhaps after `parent`.
    /// Fails if one is absent, unless `may_be_absent`: then those after it are returned.
    pub(super) async fn blocks(
        &self,
        numbers: RangeInclusive<u64>,
        parent: Option<BlockNumHash>,
        may_be_absent: bool,
    ) -> Result<Vec<FetchedBlock>, ReadError> {
        let requests = numbers.clone().map(RpcRequest::block);
        let sent = self.batch(requests.collect(), decode_block).await?;
        let mut found = Vec::with_capacity(sent.len());
        for (number, sent) in numbers.zip(sent) {
            // The block was rolled back, or another one was sent.
            let sent = sent?.filter(|(header, _)| header.number.is_none_or(|sent| sent == number));
            found.push(sent.map(|(header, content)| FetchedBlock {
                id: BlockNumHash { number, hash: header.hash },
                parent_hash: header.parent_hash,
                content,
            }));
        }
        if let Some(absent) = found.iter().rposition(Option::is_none) {
            if !may_be_absent {
                return Err(BlockError::Absent.into());
            }
            found.drain(..=absent);
        }
        let blocks: Vec<FetchedBlock> = found.into_iter().flatten().collect();
        self.check_links(parent, &blocks).await?;
        Ok(blocks)
    }

    /// Checks that blocks are of one chain. Those that the next one does not name as its parent are
    /// asked for again: many of Hardhat's name none.
    async fn check_links(
        &self,
        parent: Option<BlockNumHash>,
        blocks: &[FetchedBlock],
    ) -> Result<(), ReadError> {
        let first = blocks.first().map(|block| block.id.number);
        let parent = parent.filter(|parent| parent.number.checked_add(1) == first);
        let earlier = parent.into_iter().chain(blocks.iter().map(|block| block.id));
        let later = blocks.iter().skip(usize::from(parent.is_none()));
        let unlinked: Vec<BlockNumHash> = earlier
            .zip(later)
            .filter(|(earlier, later)| later.parent_hash != Some(earlier.hash))
            .map(|(earlier, _)| earlier)
            .collect();
        let requests = unlinked.iter().map(|block| RpcRequest::block_header(block.number));
        let again = self.batch(requests.collect(), decode::<Option<RpcBlockHeader>>).await?;
        for (block, header) in unlinked.into_iter().zip(again) {
            if header?.is_none_or(|header| header.hash != block.hash) {
                return Err(BlockError::Inconsistent.into());
            }
        }
        Ok(())
    }

    /// Reads the receipts and calls of blocks. Also returns why calls are unknown, if they are.
    pub(super) async fn complete(
        &self,
        blocks: Vec<FetchedBlock>,
    ) -> Result<(Vec<Result<BlockAnswer, UnreadableBlock>>, Option<ChainDataError>), ReadError>
    {
        // Receipts are decoded while the node traces the calls.
        let (receipts, calls) = tokio::try_join!(self.receipts(&blocks), self.calls(&blocks))?;
        let (mut calls, untraced) = match calls {
            Ok(calls) => (Some(calls), None),
            Err(why) => (None, Some(why)),
        };
        let mut answers = Vec::with_capacity(blocks.len());
        for (FetchedBlock { id, content, .. }, receipts) in blocks.into_iter().zip(receipts) {
            let answer = content.and_then(|block| {
                let receipts = receipts?;
                let calls = calls.as_mut().map(|all| {
                    let hashes = block.transactions.iter().map(|sent| sent.hash);
                    hashes.filter_map(|hash| all.remove_entry(&hash)).collect()
                });
                Ok(BlockAnswer { id, block, receipts, calls })
            });
            answers.push(answer.map_err(|why| UnreadableBlock { block: id, why }));
        }
        Ok((answers, untraced))
    }

    /// Reads the receipts of each block, in the order of its transactions, without those that the node lacks.
    async fn receipts(
        &self,
        blocks: &[FetchedBlock],
    ) -> Result<Vec<Result<Vec<RpcReceipt>, SafeText>>, ReadError> {
        if self.capabilities.is_some_and(|node| node.block_receipts) {
            let requests = mined(blocks)
                .map(|(number, _)| {
                    RpcRequest::new("eth_getBlockReceipts", json!([BlockTag::Number(number)]))
                })
                .collect();
            let mut sent =
                self.batch(requests, decode::<Option<Vec<RpcReceipt>>>).await?.into_iter();
            let receipts = blocks.iter().map(|block| {
                let requests = usize::from(!block.transactions().is_empty());
                let of_block = sent.by_ref().take(requests).next().transpose();
                readable(
                    of_block.map(|sent| sent.flatten().unwrap_or_default()).map_err(Into::into),
                )
            });
            return receipts.collect();
        }
        let transactions = blocks.iter().flat_map(FetchedBlock::transactions);
        let requests = transactions
            .map(|sent| RpcRequest::new("eth_getTransactionReceipt", json!([sent.hash])))
            .collect();
        let mut sent = self.batch(requests, decode::<Option<RpcReceipt>>).await?.into_iter();
        let receipts = blocks.iter().map(|block| {
            let of_block: Result<Vec<_>, _> =
                sent.by_ref().take(block.transactions().len()).collect();
            readable(of_block.map(|sent| sent.into_iter().flatten().collect()).map_err(Into::into))
        });
        receipts.collect()
    }

    /// Returns the way to read the calls of whole blocks, or the reason why there is none.
    fn call_source(&self) -> Result<&CallSource, ChainDataError> {
        match self.capabilities.map(|node| &node.calls) {
            // They are asked for when a transaction is looked at: each is up to megabytes.
            Some(CallSupport::Supported(CallSource::StructLogs)) => {
                Err(ChainDataError::CallsOnDemand)
            }
            Some(CallSupport::Supported(source)) => Ok(source),
            Some(CallSupport::Unsupported { why }) => Err(ChainDataError::NoTracer(why.clone())),
            Some(CallSupport::Undecided) | None => Err(ChainDataError::UnknownTracer),
        }
    }

    /// Reads the calls of all transactions of blocks, or returns the reason why the node does not
    /// provide them.
    async fn calls(
        &self,
        blocks: &[FetchedBlock],
    ) -> Result<Result<Calls, ChainDataError>, ReadError> {
        let source = match self.call_source() {
            Ok(source) => source,
            Err(why) => return Ok(Err(why)),
        };
        let transactions = || {
            blocks.iter().flat_map(|block| {
                block.transactions().iter().map(|sent| (block.id.number, sent.hash))
            })
        };
        let asked: Vec<_> = match source {
            CallSource::TraceBlock => mined(blocks).collect(),
            _ => transactions().collect(),
        };
        let requests = asked.iter().map(|&(number, hash)| source.request(number, hash)).collect();
        let traces = self.batch(requests, decode::<RpcCalls>).await;
        let traces = match traces
            .and_then(|traces| Ok(traces.into_iter().collect::<Result<Vec<_>, _>>()?))
        {
            Err(ReadError::Rpc(error)) if error.is_refusal() => {
                return Ok(Err(ChainDataError::TraceRefused(error)));
            }
            traces => traces?,
        };
        let mut calls = Calls::new();
        for ((block, asked), RpcCalls(traced)) in asked.into_iter().zip(traces) {
            if !traced.iter().all(RpcCall::is_listable) {
                return Ok(Err(ChainDataError::UnreadableCalls { block }));
            }
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
        if blocks
            .iter()
            .flat_map(FetchedBlock::transactions)
            .any(|sent| is_wrong_root(sent, calls.get(&sent.hash).and_then(|own| own.first())))
        {
            return Ok(Err(ChainDataError::WrongCalls));
        }
        // At the block of a fork, and for pruned transactions, nodes list none.
        Ok(match transactions().find(|(_, hash)| !calls.contains_key(hash)) {
            Some((block, _)) => Err(ChainDataError::NoCalls { block }),
            None => Ok(calls),
        })
    }

    /// Sends requests in batches, and decodes the results off the asynchronous workers.
    async fn batch<T: Send + 'static>(
        &self,
        requests: Vec<RpcRequest>,
        decode: fn(&RpcClient, RpcResult) -> Result<T, RpcError>,
    ) -> Result<Vec<Result<T, RpcError>>, ReadError> {
        let mut decoded = Vec::with_capacity(requests.len());
        for requests in requests.chunks(BATCH_REQUESTS) {
            let results = self.client.batch(requests).await?;
            let client = self.client.clone();
            let results = tokio::task::spawn_blocking(move || -> Vec<_> {
                results.into_iter().map(|result| decode(&client, result)).collect()
            })
            .await;
            decoded.extend(results.map_err(|_| RpcError::Unanswered)?);
        }
        Ok(decoded)
    }
}

/// Returns the number and the first transaction of the blocks that have any.
fn mined(blocks: &[FetchedBlock]) -> impl Iterator<Item = (u64, B256)> {
    blocks.iter().filter_map(|block| Some((block.id.number, block.transactions().first()?.hash)))
}

fn decode<T: DeserializeOwned>(client: &RpcClient, result: RpcResult) -> Result<T, RpcError> {
    client.decode(&result?)
}

/// Decodes a block. Returns `None` if the node lacks it.
fn decode_block(client: &RpcClient, result: RpcResult) -> Result<Option<SentBlock>, RpcError> {
    let json = match result {
        Err(RpcError::Pruned { .. }) => return Ok(None),
        result => result?,
    };
    let block = client.decode::<Option<MinedBlock>>(&json);
    if let Err(RpcError::Unreadable { why }) = &block
        && let Ok(header) = client.decode(&json)
    {
        return Ok(Some((header, Err(why.clone()))));
    }
    let Some(block) = block? else { return Ok(None) };
    let missing = |field| SafeText::from(ResponseDefect::MissingField(field));
    let header = block.header().ok_or_else(|| RpcError::Unreadable { why: missing("hash") })?;
    let content = if header.number.is_some() { Ok(block) } else { Err(missing("number")) };
    Ok(Some((header, content)))
}

/// Takes out the error of a response that cannot be decoded: others are the node's.
fn readable<T>(sent: Result<T, ReadError>) -> Result<Result<T, SafeText>, ReadError> {
    match sent {
        Ok(sent) => Ok(Ok(sent)),
        Err(ReadError::Rpc(RpcError::Unreadable { why })) => Ok(Err(why)),
        Err(error) => Err(error),
    }
}
