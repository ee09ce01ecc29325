//! `eth_getLogs` as Blockscout answers it: the oldest logs first, at most 1,000, and further ones after a
//! position. A filter without blocks is of the newest block only.

use std::time::Instant;

use alloy_primitives::{Address, B256, Bytes, U64};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::coverage::{CoverageResponse, OLDER_BLOCKS_TIMEOUT};
use crate::chain::coverage::MissingBlocks;
use crate::messages::chain_data::LogFilterError;
use crate::store::{LogRecord, ServedChain, Snapshot, StoreResult};

const MAX_LOGS: usize = 1_000;

/// The logs that a request asks for.
#[derive(Debug)]
pub(super) struct ReadFilter {
    contract: Option<Address>,
    /// Alternatives for each topic.
    topics: Vec<Vec<B256>>,
    from_block: BlockBound,
    to_block: BlockBound,
    after: Option<(u64, u32)>,
}

#[derive(Clone, Copy, Debug)]
enum BlockBound {
    Number(u64),
    Latest,
}

#[derive(Deserialize)]
struct FilterObject {
    address: Option<Address>,
    topics: Option<Vec<TopicAlternatives>>,
    #[serde(rename = "fromBlock")]
    from_block: Option<String>,
    #[serde(rename = "toBlock")]
    to_block: Option<String>,
    paging_options: Option<PagingOptions>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TopicAlternatives {
    One(B256),
    Any(Vec<B256>),
}

#[derive(Deserialize)]
struct PagingOptions {
    #[serde(rename = "blockNumber")]
    block_number: String,
    #[serde(rename = "logIndex")]
    log_index: String,
}

/// The logs of an answer, and the blocks that they are of, if not all.
#[derive(Serialize)]
pub(super) struct LogList {
    result: Vec<RpcLogResponse>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<CoverageResponse>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RpcLogResponse {
    address: Address,
    topics: Box<[B256]>,
    data: Bytes,
    block_number: U64,
    block_hash: Option<B256>,
    /// Not in Blockscout's answers.
    block_timestamp: Option<U64>,
    transaction_hash: Option<B256>,
    transaction_index: U64,
    log_index: U64,
    removed: bool,
}

/// Reads the filter of a request, as strictly as Blockscout does.
pub(super) fn read_filter(filter: &Value) -> Result<ReadFilter, LogFilterError> {
    let filter: FilterObject = FilterObject::deserialize(filter)
        .map_err(|error| LogFilterError::Invalid(error.to_string().into()))?;
    if filter.address.is_none() && filter.topics.as_ref().is_none_or(Vec::is_empty) {
        return Err(LogFilterError::NoAddressOrTopics);
    }
    let topics = filter.topics.unwrap_or_default().into_iter().map(|topic| match topic {
        TopicAlternatives::One(topic) => vec![topic],
        TopicAlternatives::Any(topics) => topics,
    });
    let after = filter.paging_options.map(|paging| {
        let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
        let index = number(&paging.log_index).and_then(|index| u32::try_from(index).ok());
        let block = number(&paging.block_number);
        block.zip(index).ok_or(LogFilterError::PagingOptions)
    });
    Ok(ReadFilter {
        contract: filter.address,
        topics: topics.collect(),
        from_block: read_block(filter.from_block.as_deref())?,
        to_block: read_block(filter.to_block.as_deref())?,
        after: after.transpose()?,
    })
}

fn read_block(block: Option<&str>) -> Result<BlockBound, LogFilterError> {
    match block {
        None | Some("latest") => Ok(BlockBound::Latest),
        Some("earliest") => Ok(BlockBound::Number(0)),
        Some(number) => {
            let digits = number.strip_prefix("0x").unwrap_or(number);
            let number = u64::from_str_radix(digits, 16).ok();
            number.map(BlockBound::Number).ok_or(LogFilterError::BlockNumber)
        }
    }
}

/// Lists the logs that a filter matches, after waiting a moment for blocks that are being read.
pub(super) fn list(chain: &dyn ServedChain, filter: &ReadFilter) -> StoreResult<LogList> {
    let deadline = Instant::now() + OLDER_BLOCKS_TIMEOUT;
    let mut snapshot = chain.snapshot()?;
    let is_unindexed = |snapshot: &Snapshot| {
        let coverage = snapshot.coverage.as_ref();
        coverage.is_some_and(|blocks| blocks.older == Some(MissingBlocks::Unindexed))
    };
    while is_unindexed(&snapshot)
        && Instant::now() < deadline
        && let Some(older) = chain.older_blocks(&snapshot, deadline)
    {
        snapshot = older;
    }
    let head = snapshot.head()?.map_or(0, |head| head.number);
    let number = |bound| if let BlockBound::Number(number) = bound { number } else { head };
    let (from, to) = (number(filter.from_block), number(filter.to_block));
    let mut found: Vec<&LogRecord> = snapshot
        .logs(to)?
        .take_while(|log| log.block_number >= from)
        .filter(|log| filter.matches(log))
        .collect();
    found.reverse();
    let logs = found.into_iter().take(MAX_LOGS);
    Ok(LogList {
        result: logs.map(|log| response(&snapshot, log)).collect::<Result<_, _>>()?,
        coverage: snapshot.coverage.as_ref().map(Into::into),
    })
}

impl ReadFilter {
    fn matches(&self, log: &LogRecord) -> bool {
        let mut topics = (0..).zip(&self.topics);
        self.contract.is_none_or(|contract| log.address == contract)
            && self.after.is_none_or(|after| log.position() > after)
            && topics.all(|(number, asked): (usize, _)| {
                log.topics.get(number).is_some_and(|topic| asked.contains(topic))
            })
    }
}

fn response(snapshot: &Snapshot, log: &LogRecord) -> StoreResult<RpcLogResponse> {
    let block = snapshot.block(log.block_number)?;
    Ok(RpcLogResponse {
        address: log.address,
        topics: log.topics.clone(),
        data: log.data.clone(),
        block_number: U64::from(log.block_number),
        block_hash: block.map(|block| block.hash),
        block_timestamp: block
            .and_then(|block| u64::try_from(block.timestamp.as_second()).ok().map(U64::from)),
        transaction_hash: snapshot.transaction_hash(log.transaction())?,
        transaction_index: U64::from(log.transaction_index),
        log_index: U64::from(log.index),
        removed: false,
    })
}
