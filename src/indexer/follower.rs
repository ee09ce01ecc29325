//! Follows a node: asks for its head, indexes new blocks, and publishes snapshots.
//!
//! Each step begins with the node's head, which is compared with the last indexed block. Another head
//! than before puts the identity of the node in doubt, as does an error: then it is asked for first. Only
//! then the rows of the step before are published: they are of a chain that the node has just confirmed.
//! The rest of the step reads newer blocks, older blocks, or nothing, or rolls the index back
//! ([`next_step`]). Long runs of empty blocks are on disk for the next start (`empty_blocks`).
//!
//! A step that fails is repeated, as nodes answer wrongly while their chain changes. An error that comes
//! again is accepted for the blocks that it concerns: absent blocks are pruned, calls unknown, blocks
//! unreadable. All other errors are published until a step succeeds, and none that is still to be accepted.

mod empty_blocks;
mod identity;
mod plan;
mod poll_interval;
mod publishing;

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::{Notify, watch};
use tokio::time::{sleep, timeout};

use crate::chain::B256;
use crate::chain::coverage::MissingBlocks;
use crate::chain::network::is_loopback;
use crate::disk_cache::DiskCache;
use crate::messages::chain_data::{BlockError, ReadError};
use crate::messages::index::Rollback;
use crate::rpc::capabilities::{CapabilityProbe, NodeCapabilities, NodeIdentity};
use crate::rpc::wire::block::{RpcBlock, RpcBlockHeader};
use crate::rpc::{BlockTag, RpcClient, RpcError};
use crate::store::{BlockNumHash, UnreadableBlock};

use super::block_reader::{BlockReader, FetchedBlock};
use super::block_rows::BlockRows;
use super::progress::TransactionInBlock;
use super::published_index::PublishedIndex;
use super::segment_list::{IndexLimits, IndexedSegment, SegmentList};
use empty_blocks::EmptyBlockCache;
use plan::{CommonBlockSearch, IndexStep, NodeHead, next_step};
use poll_interval::{POLL_INTERVAL, PollInterval};

/// Times that an error of blocks comes, as when they change while they are read, until it is shown or
/// accepted.
const MAX_FAILURES: u32 = 3;
/// Times that a block or its receipts are absent until they count as pruned or unreadable: some nodes keep
/// no old blocks, a revert leaves gaps in anvil if it mines meanwhile, and receipts may come later.
const MAX_ABSENT: u32 = 8;
/// Polls in a row after which a head below the last indexed block is a rollback: ten seconds, or more on a quiet chain.
const MAX_LAGGING_POLLS: u32 = 40;
/// Maximum calls to code by which the capabilities of a node are judged.
const MAX_JUDGEMENTS: u8 = 2;

/// Returns the times that an error of blocks comes until it is shown or accepted.
fn max_failures(error: BlockError) -> u32 {
    match error {
        BlockError::Absent | BlockError::NoReceipts | BlockError::WrongReceipts => MAX_ABSENT,
        _ => MAX_FAILURES,
    }
}

pub(super) struct Follower {
    client: RpcClient,
    publisher: watch::Sender<PublishedIndex>,
    /// `true` if the node is known to be the same as at the last request.
    is_identified: bool,
    identity: Option<NodeIdentity>,
    /// The node's head when it was last known to be of this chain and run.
    identified_head: Option<BlockNumHash>,
    capabilities: Option<NodeCapabilities>,
    /// Calls to code by which the capabilities were judged.
    judgements: u8,
    segments: SegmentList,
    /// The empty blocks of the last start. Only of development nodes on this machine.
    empty_blocks: Option<EmptyBlockCache>,
    bound: IndexBound,
    /// The node's newest block when it was asked last.
    head: u64,
    /// Polls in a row at which the node may have lagged.
    lagging_polls: u32,
    rollback: Option<Rollback>,
    failure: Option<TransactionInBlock>,
    /// `true` if the segments have changed since the last snapshot.
    is_unpublished: bool,
    interval: PollInterval,
    /// Ends the wait for the next look at the head.
    wake: Arc<Notify>,
    /// Number of times that each error occurred since a step succeeded.
    failures: HashMap<BlockError, u32>,
    /// Number of times in a row that blocks were unreadable, for the blocks read last.
    unreadable: HashMap<u64, u32>,
}

/// The oldest block to index.
#[derive(Debug, Default)]
struct IndexBound {
    first_block: u64,
    /// The reason why older blocks are not indexed. `None` if there are none.
    missing: Option<MissingBlocks>,
}

impl IndexBound {
    fn new(first_block: u64, missing: MissingBlocks) -> Self {
        Self { first_block, missing: Some(missing) }
    }
}

impl Follower {
    pub(super) fn new(
        client: RpcClient,
        limits: IndexLimits,
        cache: Option<Arc<DiskCache>>,
        publisher: watch::Sender<PublishedIndex>,
    ) -> Self {
        let cache = cache.filter(|_| is_loopback(client.url().expose()));
        let node = client.url().shown_address();
        let empty_blocks = cache.map(|disk| EmptyBlockCache::new(disk, &node));
        Self {
            client,
            publisher,
            is_identified: false,
            identity: None,
            identified_head: None,
            capabilities: None,
            judgements: 0,
            segments: SegmentList::new(limits),
            empty_blocks,
            bound: IndexBound::default(),
            head: 0,
            lagging_polls: 0,
            rollback: None,
            failure: None,
            is_unpublished: true,
            interval: PollInterval::default(),
            wake: Arc::default(),
            failures: HashMap::new(),
            unreadable: HashMap::new(),
        }
    }

    /// Returns the signal to look for new blocks at once.
    pub(super) fn waker(&self) -> Arc<Notify> {
        Arc::clone(&self.wake)
    }

    /// Follows the node until it is dropped.
    pub(super) async fn run(mut self) {
        loop {
            let result = self.advance().await;
            match &result {
                Err(ReadError::Block(error)) => *self.failures.entry(*error).or_default() += 1,
                _ => self.failures.clear(),
            }
            if result.is_err() {
                self.identified_head = None;
            }
            let interval = self.interval.after_step(result.as_ref());
            match result {
                Ok(IndexStep::Wait) => drop(timeout(interval, self.wake.notified()).await),
                Ok(_) => {}
                Err(ReadError::Block(error)) if self.failures(error) < max_failures(error) => {
                    self.is_identified &= self.failures(error) < MAX_FAILURES;
                    sleep(POLL_INTERVAL).await;
                }
                Err(error) => {
                    // Perhaps another node answers next, or this one did not say that it is a fork.
                    self.is_identified = false;
                    self.publish_error(&error);
                    sleep(interval).await;
                }
            }
        }
    }

    fn failures(&self, error: BlockError) -> u32 {
        self.failures.get(&error).copied().unwrap_or(0)
    }

    /// Returns `true` if an error that comes now has come often enough.
    fn is_last(&self, error: BlockError) -> bool {
        self.failures(error) + 1 >= max_failures(error)
    }

    /// Takes one step. What was read by the steps before is published first, if it is still the
    /// node's chain.
    async fn advance(&mut self) -> Result<IndexStep, ReadError> {
        if !self.is_identified {
            let identity = NodeIdentity::ask(&self.client).await?;
            self.set_identity(match &self.identity {
                Some(known) => identity.or_known(known),
                None => identity,
            });
            self.is_identified = true;
        }
        let head = self.ask_head().await?;
        let step = next_step(self.segments.indexed_blocks(), head, self.bound.first_block);
        // A chain that replaces another is shown with its first rows.
        let is_confirmed = match &step {
            IndexStep::Wait | IndexStep::Deepen(_) => true,
            IndexStep::Append(_) => !self.segments.is_empty(),
            IndexStep::RollBack => false,
        };
        if is_confirmed {
            self.publish();
        }
        self.is_unpublished |= step != IndexStep::Wait;
        if !self.segments.is_empty() && !matches!(step, IndexStep::Wait | IndexStep::Deepen(_)) {
            self.interval.on_change();
        }
        match &step {
            IndexStep::Wait => self.keep_empty_blocks().await,
            IndexStep::Append(numbers) => {
                let read = self.read(numbers.clone()).await?;
                self.append(read);
            }
            IndexStep::Deepen(numbers) => {
                let older = match self.kept_empty_blocks().await {
                    Some(kept) => Some(kept),
                    None => self.read(numbers.clone()).await?,
                };
                self.prepend(older);
            }
            IndexStep::RollBack => self.roll_back().await?,
        }
        Ok(step)
    }

    /// Asks for the head. Another than before may be the first of another run or chain.
    async fn ask_head(&mut self) -> Result<NodeHead, ReadError> {
        let latest = json!(["latest", false]);
        let latest: Box<RawValue> = self.client.call("eth_getBlockByNumber", latest).await?;
        let block: Result<RpcBlock<IgnoredAny>, _> = self.client.decode(&latest);
        let latest: RpcBlockHeader = self.client.decode(&latest)?;
        let number = latest.number.ok_or(BlockError::MissingField("number"))?;
        let head = Some(BlockNumHash { number, hash: latest.hash });
        if self.identified_head != head {
            self.check_identity().await?;
            self.identified_head = head;
        }
        self.head = number;
        let lacks_transactions = block.is_ok_and(|block| block.lacks_transactions());
        let is_known_pruned =
            lacks_transactions && number.saturating_add(1) >= self.bound.first_block;
        if self.segments.is_empty() && !is_known_pruned {
            self.bound = self.fork_bound(); // the bound was of another chain
        }
        let last = self.segments.indexed_blocks().map(|known| known.last.number);
        let hash_of_last = match last {
            Some(last) if last < number => self.ask_hash(last).await?,
            Some(last) if last == number => Some(latest.hash),
            _ => None,
        };
        let may_lag = last.is_some()
            && hash_of_last.is_none()
            && self.may_lag(BlockNumHash { number, hash: latest.hash });
        self.lagging_polls = if may_lag { self.lagging_polls + 1 } else { 0 };
        Ok(NodeHead { number, hash_of_last, may_lag })
    }

    /// Returns `true` if a node that lacks the last indexed block may be one of several behind a URL that
    /// lags. Development nodes are one, and go back by `evm_revert`.
    fn may_lag(&self, head: BlockNumHash) -> bool {
        !self.identity.as_ref().is_some_and(NodeIdentity::is_development)
            && self.lagging_polls < MAX_LAGGING_POLLS
            && self.segments.hash(head.number).is_none_or(|ours| ours == head.hash)
    }

    async fn ask_block<T>(&self, number: u64) -> Result<Option<T>, RpcError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let params = json!([BlockTag::Number(number), false]);
        self.client.call("eth_getBlockByNumber", params).await
    }

    /// Asks for the hash of a block. Returns `None` if the node lacks the block.
    async fn ask_hash(&self, number: u64) -> Result<Option<B256>, RpcError> {
        let header: Option<RpcBlockHeader> = self.ask_block(number).await?;
        Ok(header.map(|header| header.hash))
    }

    /// Reads blocks, except pruned ones and all before them.
    async fn read(
        &mut self,
        numbers: RangeInclusive<u64>,
    ) -> Result<Option<IndexedSegment>, ReadError> {
        let reader = BlockReader { client: &self.client, capabilities: None };
        let parent = self.segments.indexed_blocks().map(|known| known.last);
        let may_be_absent = self.is_last(BlockError::Absent);
        let (first, last) = (*numbers.start(), *numbers.end());
        let mut blocks = reader.blocks(numbers, parent, may_be_absent).await?;
        let pruned = blocks.iter().rposition(FetchedBlock::lacks_transactions);
        blocks.drain(..pruned.map_or(0, |index| index + 1));
        let oldest = blocks.first().map_or(last.saturating_add(1), |block| block.id.number);
        self.probe(&blocks).await?;
        let capabilities = self.capabilities.as_ref();
        let reader = BlockReader { client: &self.client, capabilities };
        let (answers, untraced) = reader.complete(blocks).await?;
        if untraced.is_some()
            && capabilities.is_some_and(NodeCapabilities::lists_calls)
            && !self.is_last(BlockError::Untraced)
        {
            return Err(BlockError::Untraced.into()); // perhaps the blocks were rolled back
        }
        let mut rows = BlockRows::default();
        for answer in answers {
            rows.add(answer, |error| self.is_last(error))?;
        }
        if self.may_be_readable(&rows.unreadable) {
            return Err(BlockError::Unreadable.into());
        }
        if oldest > first {
            self.bound = IndexBound::new(oldest, MissingBlocks::Pruned);
        }
        if let Some(cache) = &mut self.empty_blocks {
            cache.count(&rows.blocks);
        }
        Ok(IndexedSegment::new(rows, untraced))
    }

    /// Returns the empty blocks before the first indexed one that the cache has.
    async fn kept_empty_blocks(&mut self) -> Option<IndexedSegment> {
        let is_local = self.is_local();
        let cache = self.empty_blocks.as_mut().filter(|_| is_local)?;
        let (number, parent_hash) = self.segments.parent_of_first()?;
        let blocks = cache.take_before(number, parent_hash, self.bound.first_block).await?;
        IndexedSegment::new(BlockRows { blocks, ..BlockRows::default() }, None)
    }

    /// Writes the empty blocks to the cache if many are new.
    async fn keep_empty_blocks(&mut self) {
        let is_local = self.is_local();
        if let Some(cache) = self.empty_blocks.as_mut().filter(|cache| is_local && cache.is_stale())
        {
            cache.write(self.segments.to_published()).await;
        }
    }

    /// Counts the times in a row that blocks are unreadable. Returns `true` if one of them may be
    /// readable the next time.
    fn may_be_readable(&mut self, unreadable: &[UnreadableBlock]) -> bool {
        let times = |number| self.unreadable.get(&number).map_or(1, |before| before + 1);
        let numbers = unreadable.iter().map(|unreadable| unreadable.block.number);
        self.unreadable = numbers.map(|number| (number, times(number))).collect();
        self.unreadable.values().any(|times| *times < MAX_FAILURES)
    }

    /// Determines the abilities of the node, if one of the blocks allows it. A missing ability is
    /// tested twice, and once more with another block that calls code: one wrong response would be
    /// believed for ever. If that response differs, everything is read again.
    async fn probe(&mut self, blocks: &[FetchedBlock]) -> Result<(), ReadError> {
        let blocks = blocks.iter().filter_map(|block| block.content.as_ref().ok());
        let has_transactions = blocks.clone().any(|block| !block.transactions.is_empty());
        if self.judgements == MAX_JUDGEMENTS || !has_transactions {
            return Ok(());
        }
        let probe = CapabilityProbe::new(&self.client, blocks).await?;
        let is_new = |probe: &CapabilityProbe<'_>| probe.calls_code || self.capabilities.is_none();
        let Some(probe) = probe.filter(is_new) else { return Ok(()) };
        let mined = probe.block;
        let found = Some(probe.run().await?);
        let is_complete = found.as_ref().is_some_and(NodeCapabilities::is_complete);
        let is_certain =
            is_complete || found == self.capabilities || found == Some(probe.run().await?);
        let number = mined.number.ok_or(BlockError::MissingField("number"))?;
        let again: Option<RpcBlock<IgnoredAny>> = self.ask_block(number).await?;
        if !is_certain
            || again.is_none_or(|block| block.hash != mined.hash || block.lacks_transactions())
        {
            return Err(BlockError::Inconsistent.into()); // it answered about another block
        }
        let judgements = self.judgements + u8::from(probe.calls_code);
        self.judgements = if is_complete { MAX_JUDGEMENTS } else { judgements };
        let calls = |node: &Option<NodeCapabilities>| node.as_ref().map(|node| node.calls.clone());
        let is_other = self.capabilities.is_some() && calls(&found) != calls(&self.capabilities);
        self.capabilities = found;
        if is_other && !self.segments.is_empty() {
            self.segments.clear(); // their calls are read in another way now
            return Err(BlockError::Inconsistent.into());
        }
        Ok(())
    }

    /// Adds newer blocks, and drops the oldest if the limits are exceeded.
    fn append(&mut self, read: Option<IndexedSegment>) {
        if self.segments.indexed_blocks().is_some_and(|known| known.first < self.bound.first_block)
        {
            self.segments.clear(); // the node pruned blocks after these
        }
        if !self.segments.is_empty() {
            self.failure = read.as_ref().and_then(IndexedSegment::last_failure).or(self.failure);
        }
        self.segments.append(read);
        while self.segments.exceeds_limits()
            && let Some(dropped) = self.segments.drop_oldest()
        {
            self.bound = IndexBound::new(dropped.saturating_add(1), MissingBlocks::OverLimit);
        }
        self.stop_at_limits();
    }

    fn prepend(&mut self, read: Option<IndexedSegment>) {
        self.segments.prepend(read);
        self.stop_at_limits();
    }

    /// Leaves out all older blocks if there are as many as the limits allow.
    fn stop_at_limits(&mut self) {
        if let Some(known) = self.segments.indexed_blocks()
            && known.first > self.bound.first_block
            && self.segments.exceeds_limits()
        {
            self.bound = IndexBound::new(known.first, MissingBlocks::OverLimit);
        }
    }

    /// Drops a block and all after it, which the node's chain no longer has.
    fn drop_from(&mut self, first_dropped: u64) {
        let Some(known) = self.segments.indexed_blocks() else { return };
        let transactions = self.segments.transaction_count();
        self.segments.truncate(first_dropped);
        self.failure = None;
        // There is space again, or nothing that the bound is for.
        if self.bound.missing == Some(MissingBlocks::OverLimit) || self.segments.is_empty() {
            self.bound = self.fork_bound();
        }
        self.rollback = Some(Rollback {
            ordinal: self.rollback.map_or(1, |before| before.ordinal.wrapping_add(1)),
            last_block: first_dropped.checked_sub(1).filter(|last| *last >= known.first),
            blocks: known
                .last
                .number
                .saturating_sub(first_dropped.max(known.first))
                .saturating_add(1),
            transactions,
        });
    }

    /// Finds the blocks that the node's chain no longer has, and drops them.
    async fn roll_back(&mut self) -> Result<(), ReadError> {
        let Some(known) = self.segments.indexed_blocks() else { return Ok(()) };
        let mut search = CommonBlockSearch::new(known);
        while let Some(number) = search.next() {
            let theirs = self.ask_hash(number).await?;
            search.advance(number, theirs.is_some() && theirs == self.segments.hash(number));
        }
        self.drop_from(search.first_dropped());
        self.is_identified &= !self.segments.is_empty(); // perhaps another node
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

    use serde_json::Value;
    use tokio::select;
    use tokio::time::Instant;

    use super::*;
    use crate::indexer::tests::{block_record, client, transaction};

    fn follower(answer: fn(&str, &Value) -> Value) -> Follower {
        let publisher = watch::Sender::new(PublishedIndex::default());
        Follower::new(client(answer), IndexLimits::default(), None, publisher)
    }

    fn unanswered(_: &str, _: &Value) -> Value {
        Value::Null
    }

    #[tokio::test(start_paused = true)]
    async fn third_failure_of_a_block_is_published() {
        // The head has no number.
        let follower = follower(|method, _| match method {
            "eth_chainId" => json!("0x1"),
            _ => json!({ "hash": B256::ZERO }),
        });
        let mut index = follower.publisher.subscribe();
        let started = Instant::now();
        select! {
            () = follower.run() => {}
            _ = index.wait_for(|index| index.progress.error.is_some()) => {}
        }
        let elapsed = started.elapsed();
        assert!(elapsed >= POLL_INTERVAL * 2 && elapsed < POLL_INTERVAL * 3, "{elapsed:?}");
    }

    #[tokio::test]
    async fn pruned_head_keeps_the_bound_of_pruned_blocks() {
        // Block 7 has used gas, but has no transactions.
        let head = |method: &str, _: &Value| match method {
            "eth_getBlockByNumber" => json!({ "number": "0x7", "hash": B256::ZERO,
                "parentHash": B256::ZERO, "timestamp": "0x1", "gasUsed": "0x5208",
                "transactionsRoot": B256::repeat_byte(1), "transactions": [] }),
            _ => json!("0x1"),
        };
        for (oldest, kept) in [(7, 7), (8, 8), (9, 0)] {
            let mut follower = follower(head);
            follower.bound = IndexBound::new(oldest, MissingBlocks::Pruned);
            follower.ask_head().await.unwrap();
            assert_eq!(follower.bound.first_block, kept, "{oldest}");
        }
    }

    #[test]
    fn blocks_before_those_that_the_node_pruned_are_dropped() {
        let segment = |number| {
            let blocks = vec![block_record(number, B256::with_last_byte(1))];
            IndexedSegment::new(BlockRows { blocks, ..BlockRows::default() }, None)
        };
        for (oldest, first) in [(5, 5), (6, 6)] {
            let mut follower = follower(unanswered);
            follower.append(segment(5));
            follower.bound = IndexBound::new(oldest, MissingBlocks::Pruned);
            follower.append(segment(6));
            assert_eq!(follower.segments.indexed_blocks().unwrap().first, first);
        }
    }

    /// Reads a chain to its end. Returns the blocks that were asked for.
    async fn blocks_asked(cache: &Arc<DiskCache>, answer: fn(&str, &Value) -> Value) -> usize {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        static ANSWER: Mutex<fn(&str, &Value) -> Value> = Mutex::new(unanswered);
        *ANSWER.lock().unwrap() = answer;
        ASKED.store(0, Ordering::Relaxed);
        let client = client(|method, params| {
            ASKED.fetch_add((method == "eth_getBlockByNumber").into(), Ordering::Relaxed);
            ANSWER.lock().unwrap()(method, params)
        });
        let (limits, publisher) = (IndexLimits::default(), watch::Sender::default());
        let mut follower = Follower::new(client, limits, Some(Arc::clone(cache)), publisher);
        while follower.advance().await.unwrap() != IndexStep::Wait {}
        let known = follower.segments.indexed_blocks().unwrap();
        assert_eq!((known.first, known.last.number), (0, 1_499));
        ASKED.load(Ordering::Relaxed)
    }

    /// A node with 1,500 empty blocks.
    fn quiet_node(chain: u8, version: &str, method: &str, params: &Value) -> Value {
        let hash = |number: u64| {
            B256::from(alloy_primitives::U256::from(number + 1)) | B256::repeat_byte(chain)
        };
        match method {
            "eth_chainId" if version.starts_with("anvil") => json!("0x7a69"),
            "eth_chainId" => json!("0x1"),
            "web3_clientVersion" => json!(version),
            "eth_getBlockByNumber" => {
                let number = params[0].as_str().and_then(|number| number.strip_prefix("0x"));
                let number = number.map_or(1_499, |hex| u64::from_str_radix(hex, 16).unwrap());
                json!({ "number": format!("{number:#x}"), "hash": hash(number),
                    "parentHash": number.checked_sub(1).map(hash), "timestamp": "0x1",
                    "gasUsed": "0x0", "transactions": [] })
            }
            _ => Value::Null,
        }
    }

    static LAST_BLOCK: AtomicU64 = AtomicU64::new(5);
    static OTHER_CHAIN: AtomicU64 = AtomicU64::new(0);

    /// A node with empty blocks up to [`LAST_BLOCK`], which are others from 3 on if asked to.
    fn node_of_head(chain_id: &str, method: &str, params: &Value) -> Value {
        let last = LAST_BLOCK.load(Ordering::Relaxed);
        let number = params[0].as_str().and_then(|number| number.strip_prefix("0x"));
        let number = number.map_or(last, |hex| u64::from_str_radix(hex, 16).unwrap_or(last));
        let hash = |number: u64| {
            let chain = if number < 3 { 0 } else { OTHER_CHAIN.load(Ordering::Relaxed) };
            B256::from(alloy_primitives::U256::from(number + 1 + 1_000 * chain))
        };
        match method {
            "eth_chainId" => json!(chain_id),
            "eth_getBlockByNumber" if number <= last => {
                json!({ "number": format!("{number:#x}"), "hash": hash(number), "gasUsed": "0x0",
                    "parentHash": number.checked_sub(1).map(hash), "timestamp": "0x1",
                    "transactions": [] })
            }
            _ => Value::Null,
        }
    }

    #[tokio::test]
    async fn lower_head_is_a_lag_for_some_polls_unless_a_development_node_has_it() {
        let public = |method: &str, params: &Value| node_of_head("0x1", method, params);
        let anvil = |method: &str, params: &Value| node_of_head("0x7a69", method, params);
        let set = |last, chain| {
            LAST_BLOCK.store(last, Ordering::Relaxed);
            OTHER_CHAIN.store(chain, Ordering::Relaxed);
        };
        for (node, lagging) in
            [(public as fn(&str, &Value) -> Value, MAX_LAGGING_POLLS), (anvil, 0)]
        {
            set(5, 0);
            let mut follower = follower(node);
            while follower.advance().await.unwrap() != IndexStep::Wait {}
            set(4, 0);
            for _ in 0..lagging {
                assert_eq!(follower.advance().await, Ok(IndexStep::Wait));
                assert_eq!(follower.rollback, None);
            }
            assert_eq!(follower.advance().await, Ok(IndexStep::RollBack));
            while follower.advance().await.unwrap() != IndexStep::Wait {}
            set(3, 1);
            assert_eq!(follower.advance().await, Ok(IndexStep::RollBack), "another block 3");
            assert_eq!(follower.segments.indexed_blocks().unwrap().last.number, 2);
        }
    }

    #[tokio::test]
    async fn empty_blocks_of_the_last_start_are_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Arc::new(DiskCache::new(folder.path().join("cache")));
        let geth = |method: &str, params: &Value| quiet_node(0, "Geth/v1", method, params);
        let anvil = |method: &str, params: &Value| quiet_node(0, "anvil/v1", method, params);
        let restarted = |method: &str, params: &Value| quiet_node(0x80, "anvil/v1", method, params);
        for answer in [geth, anvil] {
            assert!(blocks_asked(&cache, answer).await >= 1_500);
        }
        assert!(blocks_asked(&cache, geth).await >= 1_500, "only of development nodes");
        assert!(blocks_asked(&cache, anvil).await < 100);
        assert!(blocks_asked(&cache, restarted).await >= 1_500, "the blocks of another chain");
        assert!(blocks_asked(&cache, restarted).await < 100);
    }

    #[tokio::test]
    async fn node_whose_blocks_are_all_gone_is_identified_again() {
        let same = |_: &str, _: &Value| json!({ "hash": B256::with_last_byte(1), "number": "0x5", "parentHash": B256::ZERO });
        for (answer, is_identified) in
            [(same as fn(&str, &Value) -> Value, true), (unanswered, false)]
        {
            let mut follower = follower(answer);
            let blocks =
                [5, 6].map(|number| block_record(number, B256::with_last_byte(1))).to_vec();
            follower
                .append(IndexedSegment::new(BlockRows { blocks, ..BlockRows::default() }, None));
            follower.is_identified = true;
            follower.roll_back().await.unwrap();
            assert_eq!(follower.is_identified, is_identified);
        }
    }

    #[test]
    fn failures_are_those_after_the_first_blocks() {
        let segment = |number: u64| {
            let failed = json!({ "result": "Reverted", "block_number": number });
            let (block, failed) = (block_record(number, B256::ZERO), transaction(0, failed));
            let rows = BlockRows {
                blocks: vec![block],
                transactions: vec![failed],
                ..BlockRows::default()
            };
            IndexedSegment::new(rows, None)
        };
        let mut follower = follower(unanswered);
        follower.append(segment(5));
        assert_eq!(follower.failure, None);
        follower.append(segment(6));
        assert_eq!(follower.failure.unwrap().block, 6);
        follower.drop_from(6);
        assert_eq!(follower.failure, None);
    }

    fn block_that_calls_code() -> Value {
        json!({ "number": "0x7", "hash": B256::with_last_byte(7),
            "parentHash": B256::ZERO, "timestamp": "0x1", "transactions": [{
                "hash": B256::with_last_byte(1), "from": alloy_primitives::Address::ZERO,
                "to": alloy_primitives::Address::ZERO, "input": "0x01020304", "value": "0x0",
                "gas": "0x5208", "gasPrice": "0x1", "nonce": "0x0", "type": "0x0",
                "transactionIndex": "0x0",
            }] })
    }

    #[tokio::test]
    async fn node_without_tracers_is_judged_by_two_blocks_that_call_code() {
        let mut follower = follower(|method, _| match method {
            "eth_getBlockByNumber" => block_that_calls_code(),
            "eth_getCode" => json!("0x01"),
            _ => Value::Null,
        });
        let reading = BlockReader { client: &follower.client.clone(), capabilities: None };
        let blocks = reading.blocks(7..=7, None, false).await.unwrap();
        for judgements in [1, 2, 2] {
            follower.probe(&blocks).await.unwrap();
            assert_eq!(follower.judgements, judgements);
        }
    }

    #[tokio::test]
    async fn node_is_not_judged_by_an_ability_that_it_has_at_times() {
        static STEPS_ASKED: AtomicUsize = AtomicUsize::new(0);
        let mut follower = follower(|method, params| match method {
            "eth_getBlockByNumber" => block_that_calls_code(),
            "eth_getCode" => json!("0x01"),
            _ if params[1]["disableStorage"] == true
                && STEPS_ASKED.fetch_add(1, Ordering::Relaxed) == 0 =>
            {
                json!({ "structLogs": [{}] })
            }
            _ => Value::Null,
        });
        let reading = BlockReader { client: &follower.client.clone(), capabilities: None };
        let blocks = reading.blocks(7..=7, None, false).await.unwrap();
        assert!(follower.probe(&blocks).await.is_err());
        assert_eq!(follower.judgements, 0);
        follower.probe(&blocks).await.unwrap();
        assert_eq!(follower.judgements, 1);
    }
}
