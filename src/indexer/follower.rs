//! Follows a node: asks for its head, reads what is new, and publishes snapshots.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::chain::B256;
use crate::rpc::capabilities::{CallSupport, ForkedNetwork, NodeCapabilities, NodeIdentity};
use crate::rpc::wire::block::RpcBlock;
use crate::rpc::{CallSource, RpcClient, RpcError, RpcRequest};
use crate::sanitize::SafeText;
use crate::store::{ChainState, Segment, Snapshot, StoreError, Table};

use super::block_reader::{BlockReader, ReadError};
use super::plan::{BlockId, CommonBlockSearch, IndexStep, KnownBlocks, NodeHead, next_step};
use super::progress::{IndexCoverage, IndexProgress, MissingBlocks, SetBack};
use super::rows::{BlockError, BlockRows};

/// Time between two looks at the head while the chain moves.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// The same when nothing has changed for [`QUIET_AFTER`].
const QUIET_POLL_INTERVAL: Duration = Duration::from_secs(2);
const QUIET_AFTER: Duration = Duration::from_mins(1);
/// Time until a node that cannot be reached is asked again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// What an index may hold. Older blocks are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexLimits {
    pub transactions: usize,
    pub bytes: usize,
}

impl Default for IndexLimits {
    fn default() -> Self {
        Self { transactions: 100_000, bytes: 256 << 20 }
    }
}

/// A snapshot with how far the index is.
#[derive(Debug, Clone, Default)]
pub(super) struct PublishedIndex {
    pub(super) snapshot: Option<Snapshot>,
    pub(super) capabilities: Option<NodeCapabilities>,
    pub(super) progress: IndexProgress,
}

impl PublishedIndex {
    /// Returns whether everything is read that will be.
    pub(super) fn is_whole(&self) -> bool {
        let coverage = self.progress.coverage.as_ref();
        let is_unread = coverage.is_some_and(|it| it.older == Some(MissingBlocks::Unread));
        self.snapshot.is_some() && !is_unread
    }
}

/// A segment and what is needed to decide about it.
struct IndexedSegment {
    segment: Arc<Segment>,
    last: BlockId,
    transactions: usize,
    bytes: usize,
}

pub(super) struct Follower {
    client: RpcClient,
    limits: IndexLimits,
    publisher: watch::Sender<PublishedIndex>,
    identity: Option<NodeIdentity>,
    capabilities: Option<NodeCapabilities>,
    /// By block numbers, without gaps.
    segments: Vec<IndexedSegment>,
    /// The block below which nothing is read, and why.
    oldest: (u64, Option<MissingBlocks>),
    /// The node's newest block when it was asked last.
    head: u64,
    set_back: Option<SetBack>,
    /// Whether the segments are not those that were published.
    is_unpublished: bool,
    moved_at: Instant,
}

impl Follower {
    pub(super) fn new(
        client: RpcClient,
        limits: IndexLimits,
        publisher: watch::Sender<PublishedIndex>,
    ) -> Self {
        Self {
            client,
            limits,
            publisher,
            identity: None,
            capabilities: None,
            segments: Vec::new(),
            oldest: (0, None),
            head: 0,
            set_back: None,
            is_unpublished: true,
            moved_at: Instant::now(),
        }
    }

    /// Follows the node until it is dropped.
    pub(super) async fn run(mut self) {
        loop {
            match self.advance().await {
                Ok(IndexStep::Wait) => {
                    self.publish(None);
                    let is_quiet = self.moved_at.elapsed() > QUIET_AFTER;
                    sleep(if is_quiet { QUIET_POLL_INTERVAL } else { POLL_INTERVAL }).await;
                }
                // Its blocks are read before the others are forgotten on the screen.
                Ok(IndexStep::CutBack) => self.moved_at = Instant::now(),
                Ok(IndexStep::Append(_) | IndexStep::Deepen(_)) => {
                    self.moved_at = Instant::now();
                    self.publish(None);
                }
                Err(ReadError::Block(BlockError::Inconsistent)) => sleep(POLL_INTERVAL).await,
                Err(error) => {
                    let wait = match &error {
                        ReadError::Rpc(RpcError::RateLimited { retry_after: Some(wait) }) => *wait,
                        _ => RETRY_INTERVAL,
                    };
                    self.publish(Some(error));
                    sleep(wait).await;
                }
            }
        }
    }

    /// Takes one step.
    async fn advance(&mut self) -> Result<IndexStep, ReadError> {
        if self.identity.is_none() {
            let identity = NodeIdentity::ask(&self.client).await?;
            let fork = identity.run.as_ref().and_then(|run| run.forked_network.as_ref());
            self.oldest =
                fork.map_or((0, None), |ForkedNetwork { fork_block_number, chain_id }| {
                    (fork_block_number + 1, Some(MissingBlocks::Forked { chain_id: *chain_id }))
                });
            self.identity = Some(identity);
        }
        let head = self.ask_head().await?;
        self.head = head.number;
        let step = next_step(self.known_blocks(), head, self.oldest.0);
        self.is_unpublished |= step != IndexStep::Wait;
        match &step {
            IndexStep::Wait => {}
            IndexStep::Append(numbers) => {
                let read = self.read(numbers.clone()).await?;
                self.append(read);
            }
            IndexStep::Deepen(numbers) => {
                let read = self.read(numbers.clone()).await?;
                self.prepend(read);
            }
            IndexStep::CutBack => self.cut_back().await?,
        }
        Ok(step)
    }

    fn known_blocks(&self) -> Option<KnownBlocks> {
        let (first, last) = (self.segments.first()?, self.segments.last()?);
        Some(KnownBlocks { first: first.segment.first_block, last: last.last })
    }

    async fn ask_head(&self) -> Result<NodeHead, ReadError> {
        let header = |block: String| RpcRequest::new("eth_getBlockByNumber", json!([block, false]));
        let last = self.known_blocks().map(|known| known.last.number);
        let asked = ["latest".to_owned()].into_iter().chain(last.map(|last| format!("{last:#x}")));
        let mut results =
            self.client.batch(&asked.map(header).collect::<Vec<_>>()).await?.into_iter();
        let mut next = || -> Result<Option<RpcBlock<B256>>, RpcError> {
            results.next().map_or(Ok(None), |result| self.client.decode(&result?))
        };
        let number = next()?.and_then(|block| block.number);
        let number = number.ok_or(BlockError::Unreadable("number"))?;
        Ok(NodeHead { number, hash_of_last: next()?.and_then(|block| block.hash) })
    }

    /// Reads blocks, without those that the node has forgotten and those before them.
    async fn read(
        &mut self,
        numbers: RangeInclusive<u64>,
    ) -> Result<Option<IndexedSegment>, ReadError> {
        let reader = BlockReader { client: &self.client, capabilities: None };
        let mut blocks = reader.blocks(numbers).await?;
        if let Some(forgotten) = blocks.iter().rposition(RpcBlock::lacks_transactions) {
            let number = blocks.drain(..=forgotten).next_back().and_then(|block| block.number);
            let oldest = number.unwrap_or_default() + 1;
            self.oldest = (oldest, Some(MissingBlocks::Forgotten));
        }
        let is_decided = |node: &NodeCapabilities| node.calls != CallSupport::Undecided;
        if !self.capabilities.as_ref().is_some_and(is_decided)
            && let Some(mined) = blocks.iter().rev().find(|block| !block.transactions.is_empty())
        {
            self.capabilities = NodeCapabilities::find(&self.client, mined).await?;
        }
        let capabilities = self.capabilities.as_ref();
        let reader = BlockReader { client: &self.client, capabilities };
        let answers = reader.complete(blocks).await?;
        let mut rows = BlockRows::default();
        for answer in answers {
            rows.add(answer)?;
        }
        Ok(IndexedSegment::new(rows, capabilities.map(|node| &node.calls)))
    }

    fn transaction_count(&self) -> usize {
        self.segments.iter().map(|it| it.transactions).sum()
    }

    fn exceeds_limits(&self) -> bool {
        let transactions = self.transaction_count();
        let bytes: usize = self.segments.iter().map(|it| it.bytes).sum();
        transactions > self.limits.transactions || bytes > self.limits.bytes
    }

    /// Adds newer blocks, and forgets the oldest if that is more than the limits allow.
    fn append(&mut self, read: Option<IndexedSegment>) {
        let is_gap = self.segments.first().is_some_and(|it| it.segment.first_block < self.oldest.0);
        if is_gap {
            self.segments.clear(); // the node forgot blocks after these
        }
        self.segments.extend(read);
        while self.segments.len() > 1 && self.exceeds_limits() {
            let dropped = self.segments.remove(0);
            self.oldest = (dropped.last.number + 1, Some(MissingBlocks::OverLimit));
        }
    }

    /// Adds older blocks, the last ones if that is as much as the limits allow.
    fn prepend(&mut self, read: Option<IndexedSegment>) {
        self.segments.splice(..0, read);
        if let Some(known) = self.known_blocks()
            && known.first > self.oldest.0
            && self.exceeds_limits()
        {
            self.oldest = (known.first, Some(MissingBlocks::OverLimit));
        }
    }

    /// Forgets the blocks that are the node's no more.
    async fn cut_back(&mut self) -> Result<(), ReadError> {
        let Some(known) = self.known_blocks() else { return Ok(()) };
        let mut search = CommonBlockSearch::new(known);
        while let Some(number) = search.next() {
            let params = json!([format!("{number:#x}"), false]);
            let block: Option<RpcBlock<B256>> =
                self.client.call("eth_getBlockByNumber", params).await?;
            let theirs = block.and_then(|block| block.hash);
            search.advance(number, theirs.is_some() && theirs == self.hash(number));
        }
        let transactions = self.transaction_count();
        self.segments.retain(|it| it.last.number < search.first_gone());
        let kept = self.known_blocks();
        let last_common = search.first_gone().checked_sub(1).filter(|last| *last >= known.first);
        self.set_back = Some(SetBack {
            ordinal: self.set_back.map_or(1, |before| before.ordinal.wrapping_add(1)),
            last_block: last_common,
            blocks: known.last.number + 1 - search.first_gone(),
            transactions,
        });
        if kept.is_none() {
            // Perhaps another chain: a reset forks it anew.
            self.identity = None;
            self.capabilities = None;
        }
        Ok(())
    }

    fn hash(&self, number: u64) -> Option<B256> {
        let after = self.segments.partition_point(|it| it.segment.first_block <= number);
        let segment = &self.segments.get(after.checked_sub(1)?)?.segment;
        Some(segment.block(number).ok()??.hash)
    }

    fn publish(&mut self, error: Option<ReadError>) {
        let coverage = self.known_blocks().map(|known| IndexCoverage {
            first_block: known.first,
            last_block: known.last.number,
            transactions: self.transaction_count(),
            unread: known.first.saturating_sub(self.oldest.0)
                + self.head.saturating_sub(known.last.number),
            older: if known.first > self.oldest.0 {
                Some(MissingBlocks::Unread)
            } else {
                self.oldest.1.clone()
            },
        });
        let is_known = self.identity.is_some() && (error.is_none() || !self.segments.is_empty());
        let error = error.map(|error| SafeText::new(&error.to_string()));
        let chain_id = self.identity.as_ref().map(|identity| identity.chain_id);
        let progress = IndexProgress { chain_id, coverage, error, set_back: self.set_back };
        let is_unchanged = self.publisher.borrow().progress == progress;
        if is_unchanged && !self.is_unpublished {
            return; // nothing wakes for an unchanged chain
        }
        self.is_unpublished = false;
        let segments = self.segments.iter().map(|it| Arc::clone(&it.segment)).collect();
        let state = Arc::new(ChainState::partial(HashSet::new()));
        let snapshot = is_known.then_some(Snapshot { segments, state });
        let capabilities = self.capabilities.clone();
        self.publisher.send_replace(PublishedIndex { snapshot, capabilities, progress });
    }
}

impl IndexedSegment {
    /// Creates a segment of rows that are oldest first. Returns `None` without blocks.
    fn new(mut rows: BlockRows, calls: Option<&CallSupport>) -> Option<Self> {
        let (first, last) = (rows.blocks.first()?, rows.blocks.last()?);
        let (first_block, last) = (first.number, BlockId { number: last.number, hash: last.hash });
        let transactions = rows.transactions.len();
        let bytes = rows.bytes();
        rows.transactions.reverse();
        rows.internal_transactions.reverse();
        rows.transfers.reverse();
        let internal_transactions = match calls {
            Some(CallSupport::Supported(source)) if *source != CallSource::StructLogs => {
                Table::loaded(rows.internal_transactions)
            }
            _ if transactions == 0 => Table::loaded(Vec::new()),
            calls => Table::failed(StoreError::Unsupported(untraced(calls).into())),
        };
        let segment = Segment {
            first_block,
            blocks: Table::loaded(rows.blocks),
            transactions: Table::loaded(rows.transactions),
            internal_transactions,
            transfers: Table::loaded(rows.transfers),
        };
        Some(Self { segment: Arc::new(segment), last, transactions, bytes })
    }
}

/// Says why there are no internal transactions.
fn untraced(calls: Option<&CallSupport>) -> String {
    match calls {
        Some(CallSupport::Unsupported { why }) => format!("this node does not trace calls ({why})"),
        Some(CallSupport::Supported(_)) => {
            "this node lists no calls: open a transaction and its trace".into()
        }
        Some(CallSupport::Undecided) | None => "unknown whether this node traces calls".into(),
    }
}
