//! The chain of a node as it is served.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use lru::LruCache;
use parking_lot::Mutex;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::{timeout, timeout_at};

use crate::abi::{CompiledContracts, ProjectContracts};
use crate::chain::{Address, B256, Bytes, Timestamp, U256};
use crate::disk_cache::DiskCache;
use crate::messages::chain_data::{ChainDataError, StepsError};
use crate::messages::node::{ABANDONED, ResponseDefect};
use crate::rpc::wire::Readable;
use crate::rpc::wire::block::{RpcBlock, RpcBlockHeader};
use crate::rpc::wire::call::RpcCalls;
use crate::rpc::{BlockTag, NodeCapabilities, RpcClient, RpcError, RpcRequest, calls_with_logs};
use crate::store::{
    AccountRecord, BalanceShift, BlockBalance, CallFailure, ConsoleLineRecord, ContractCode,
    FailedCall, InternalTransactionRecord, LogOrigin, ServedChain, Snapshot, StateKey,
    StorageChanges, StoreError, StoreResult, TokenHolding, TransactionRecord, UndoneLog,
};

use super::block_by_time::newest_block_until;

use super::block_rows::internal_records;
use super::console_lines::console_lines;
use super::follower::Follower;
use super::node_error::{call_failure, refused, state_error};
use super::older_blocks::OlderBlocksReader;
use super::pending_transactions::{pending_transaction, pool};
use super::progress::IndexProgress;
use super::published_index::{IndexWatch, PublishedIndex};
use super::segment_list::IndexLimits;
use super::state_reader::StateReader;
use super::traces::failed_steps::failed_steps;
use super::traces::log_origins::log_origins;
use super::traces::transaction_failures::FailureReader;
use super::traces::transaction_steps::{BareStepsReader, TransactionInclusion};
use super::traces::undone_logs::{has_reported_all_logs, undone_logs};

/// Time that a request waits for the first blocks, which is less than the server gives it.
const BLOCKS_TIMEOUT: Duration = Duration::from_secs(8);
/// Time between two responses that a request makes while older blocks are read.
const RESPONSE_INTERVAL: Duration = Duration::from_millis(200);

/// Maximum size of a trace that is kept for the requests about its failures.
const MAX_KEPT_TRACE_BYTES: usize = 16 << 20;
/// Transactions whose console output is remembered.
const MAX_KNOWN_CONSOLES: NonZeroUsize = NonZeroUsize::new(500).unwrap();

/// The chain of a node, followed until this is dropped.
#[derive(Debug)]
pub struct NodeChain {
    pub(super) client: RpcClient,
    state: StateReader,
    older_blocks: OlderBlocksReader,
    failures: FailureReader,
    pub(super) bare_steps: Arc<BareStepsReader>,
    pub(super) published: watch::Receiver<PublishedIndex>,
    runtime: Handle,
    follower: AbortHandle,
    /// Lets the follower look for new blocks at once.
    wake: Arc<Notify>,
    last_trace: LastAnswer<Box<RawValue>>,
    last_origins: LastAnswer<Vec<LogOrigin>>,
    last_undone_logs: LastAnswer<Arc<[UndoneLog]>>,
    last_storage: LastAnswer<Arc<StorageChanges>>,
    /// Console output of transactions on a node that lists no calls: a list asks for many again.
    console_lines: Mutex<LruCache<TransactionInclusion, Vec<ConsoleLineRecord>>>,
}

/// The answer about the last transaction. Several requests need it: each page of its logs, and the
/// accounts in them afterwards.
#[derive(Debug)]
struct LastAnswer<T>(Mutex<Option<(TransactionInclusion, T)>>);

impl<T> Default for LastAnswer<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> LastAnswer<T> {
    fn get_or_read<E>(
        &self,
        inclusion: TransactionInclusion,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(answer) = self.get(inclusion) {
            return Ok(answer);
        }
        let answer = read()?;
        self.put(inclusion, answer.clone());
        Ok(answer)
    }

    fn get(&self, inclusion: TransactionInclusion) -> Option<T> {
        let last = self.0.lock();
        last.as_ref().filter(|(asked, _)| *asked == inclusion).map(|(_, answer)| answer.clone())
    }

    fn put(&self, inclusion: TransactionInclusion, answer: T) {
        *self.0.lock() = Some((inclusion, answer));
    }
}

impl NodeChain {
    /// Begins to follow a node. Must be called in a runtime.
    pub fn follow(client: RpcClient, limits: IndexLimits) -> Self {
        Self::follow_with_cache(client, limits, None)
    }

    /// Begins to follow a node. The empty blocks of a development node on this machine are kept in
    /// the cache.
    pub fn follow_with_cache(
        client: RpcClient,
        limits: IndexLimits,
        cache: Option<Arc<DiskCache>>,
    ) -> Self {
        let (sender, published) = watch::channel(PublishedIndex::default());
        let bare_steps = Arc::new(BareStepsReader::new(client.clone()));
        let failures = FailureReader::new(client.clone(), Arc::clone(&bare_steps), sender.clone());
        let follower = Follower::new(client.clone(), limits, cache, sender);
        Self {
            state: StateReader::new(client.clone(), None),
            older_blocks: OlderBlocksReader::new(client.clone()),
            failures,
            bare_steps,
            client,
            published,
            runtime: Handle::current(),
            wake: follower.waker(),
            follower: tokio::spawn(follower.run().boxed()).abort_handle(),
            last_trace: LastAnswer::default(),
            last_origins: LastAnswer::default(),
            last_undone_logs: LastAnswer::default(),
            last_storage: LastAnswer::default(),
            console_lines: Mutex::new(LruCache::new(MAX_KNOWN_CONSOLES)),
        }
    }

    /// Names contracts after the artifacts of a project.
    #[must_use]
    pub fn with_project(mut self, project: Option<Arc<ProjectContracts>>) -> Self {
        self.state = StateReader::new(self.client.clone(), project);
        self
    }

    /// Returns the project, which may only name the contracts of some chains.
    fn project(&self) -> Option<&ProjectContracts> {
        let project = self.state.project()?;
        project.set_chain_local(self.published.borrow().progress.is_local);
        Some(project)
    }

    /// Returns the progress of the index.
    pub fn progress(&self) -> IndexProgress {
        self.published.borrow().progress.clone()
    }

    /// Returns the rows so far, perhaps without older ones.
    pub fn published(&self) -> Option<Snapshot> {
        self.published.borrow().snapshot()
    }

    /// Reports the progress from here on.
    pub fn watch(&self) -> IndexWatch {
        let mut published = self.published.clone();
        published.mark_changed();
        IndexWatch(published)
    }

    /// Waits for a change of the chain or of the progress.
    pub async fn changed(&mut self) -> bool {
        self.published.changed().await.is_ok()
    }

    fn inclusion(&self, tx: &TransactionRecord) -> TransactionInclusion {
        let snapshot = self.published.borrow().snapshot();
        let block = snapshot.as_ref().and_then(|at| at.block(tx.block_number).ok().flatten());
        TransactionInclusion::new(tx, block)
    }

    /// Waits for the first blocks, or until the node fails.
    async fn first_snapshot(&self) -> StoreResult<Snapshot> {
        let mut published = self.published.clone();
        let is_settled =
            |index: &PublishedIndex| index.segments.is_some() || index.progress.error.is_some();
        drop(timeout(BLOCKS_TIMEOUT, published.wait_for(is_settled)).await);
        let index = published.borrow();
        index.snapshot().ok_or_else(|| StoreError::Unavailable(index.progress.outage()))
    }

    /// Waits until all blocks are indexed, or for a while, but at least for some more.
    async fn next_snapshot(&self, before: &Snapshot, deadline: Instant) -> Option<Snapshot> {
        let mut published = self.published.clone();
        let has_failed = |index: &PublishedIndex| index.progress.error.is_some();
        let is_other = |index: &PublishedIndex| {
            (index.segments.as_ref())
                .is_some_and(|segments| !Arc::ptr_eq(segments, &before.segments))
        };
        let is_settled = |index: &PublishedIndex| !index.is_unindexed() || has_failed(index);
        let soon = deadline.min(Instant::now() + RESPONSE_INTERVAL);
        drop(timeout_at(soon.into(), published.wait_for(is_settled)).await);
        let changed = published.wait_for(|index| is_other(index) || has_failed(index));
        timeout_at(deadline.into(), changed).await.ok()?.ok()?;
        let index = published.borrow();
        if is_other(&index) { index.snapshot() } else { None }
    }

    /// Waits for blocks after the last one of a snapshot, if the node has any. Its number of the newest one may
    /// be ahead of the blocks that it has, as behind a load balancer.
    async fn newer_snapshot(&self, before: &Snapshot, deadline: Instant) -> Option<Snapshot> {
        let known = before.head().ok()??.number;
        let latest = json!([BlockTag::Latest, false]);
        let latest: RpcBlockHeader = self.client.call("eth_getBlockByNumber", latest).await.ok()?;
        let head = latest.number.filter(|head| *head > known)?;
        self.wake.notify_one();
        let mut published = self.published.clone();
        let is_settled = |index: &PublishedIndex| {
            index.progress.coverage.as_ref().is_some_and(|blocks| blocks.last_block >= head)
                || index.progress.error.is_some()
        };
        drop(timeout_at(deadline.into(), published.wait_for(is_settled)).await);
        let now = published.borrow().snapshot()?;
        now.head().ok()?.is_some_and(|head| head.number > known).then_some(now)
    }

    async fn time_of_block(&self, number: u64) -> StoreResult<i64> {
        let params = json!([BlockTag::Number(number), false]);
        let block: Option<RpcBlock<B256>> = self
            .client
            .call("eth_getBlockByNumber", params)
            .await
            .map_err(|error| refused(&error, number))?;
        let seconds = block.and_then(|block| block.timestamp?.try_into().ok());
        seconds.ok_or(StoreError::Unsupported(ChainDataError::NoBlock { block: number }))
    }

    /// Returns the reason for a refusal if the block is newer than the head, which nodes say in different
    /// words.
    fn future_block_error(&self, error: &RpcError, block: Option<u64>) -> Option<StoreError> {
        let is_of_contract = matches!(error, RpcError::Other { data: Some(_), .. });
        let may_lack_block = error.is_refusal() && !is_of_contract;
        let indexed =
            self.published.borrow().snapshot().filter(|_| may_lack_block)?.head().ok()??;
        let block = block.filter(|block| *block > indexed.number)?;
        // The index may lag behind the node.
        let head: U256 = self.block_on(self.client.call("eth_blockNumber", json!([]))).ok()?;
        let error = StoreError::Unsupported(ChainDataError::NoBlockYet { block });
        (U256::from(block) > head).then_some(error)
    }

    fn storage_error(&self, error: &RpcError, block: Option<u64>) -> StoreError {
        let future = self.future_block_error(error, block);
        future.unwrap_or_else(|| state_error(error, block))
    }

    /// Waits for the node. All that it waits for has one type, so that tokio's code around it is compiled once.
    pub(super) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let future: Pin<&mut dyn Future<Output = T>> = pin!(future);
        self.runtime.block_on(future)
    }

    /// Asks for the balances of addresses after blocks.
    pub(super) async fn balances(&self, asked: &[(Address, u64)]) -> StoreResult<Vec<U256>> {
        let requests: Vec<RpcRequest> = asked
            .iter()
            .map(|(address, block)| RpcRequest::balance(*address, BlockTag::Number(*block)))
            .collect();
        let answers = self
            .client
            .batch(&requests)
            .await
            .map_err(|error| StoreError::Unavailable((&error).into()))?;
        let balance = |(answer, (_, block)): (Result<Box<RawValue>, _>, &(Address, u64))| {
            let balance = answer.and_then(|balance| self.client.decode(&balance));
            balance.map(|Readable(balance)| balance).map_err(|error| refused(&error, *block))
        };
        answers.into_iter().zip(asked).map(balance).collect()
    }
}

impl ServedChain for NodeChain {
    fn snapshot(&self) -> StoreResult<Snapshot> {
        self.block_on(self.first_snapshot())
    }

    fn older_blocks(&self, before: &Snapshot, deadline: Instant) -> Option<Snapshot> {
        self.block_on(self.next_snapshot(before, deadline))
    }

    fn newer_blocks(&self, before: &Snapshot, deadline: Instant) -> Option<Snapshot> {
        self.block_on(self.newer_snapshot(before, deadline))
    }

    fn load(&self, snapshot: &Snapshot, parts: HashSet<StateKey>) -> StoreResult<Snapshot> {
        self.project(); // the node may be another now
        let index = self.published.borrow().clone();
        self.block_on(async {
            let snapshot = self.older_blocks.load(snapshot, &parts, &index).await?;
            let is_local = index.progress.is_local;
            let failures =
                if is_local { self.failures.read(&snapshot, &parts).await } else { HashMap::new() };
            self.state.load(&snapshot, parts, &index.progress, failures).await
        })
    }

    fn pending(&self, hash: B256, snapshot: &Snapshot) -> StoreResult<Option<TransactionRecord>> {
        let is_fork = self.published.borrow().progress.fork.is_some();
        let head = snapshot.head()?.map(|head| head.number);
        let pending = self.block_on(pending_transaction(&self.client, hash, head, is_fork));
        pending.map_err(|error| StoreError::Unavailable((&error).into()))
    }

    fn pool(
        &self,
        party: Option<Address>,
        snapshot: &Snapshot,
    ) -> StoreResult<Vec<TransactionRecord>> {
        let is_local = self.published.borrow().progress.is_local;
        let head = snapshot.head()?.map(|head| head.number);
        // The whole pool of a large chain is tens of megabytes.
        let pool = self.block_on(pool(&self.client, party.filter(|_| !is_local), head));
        pool.map_err(|error| match error {
            error if error.is_refusal() => StoreError::Unsupported(error.into()),
            error => StoreError::Unavailable((&error).into()),
        })
    }

    fn next_nonce(&self, address: Address) -> Option<u64> {
        let params = json!([address, BlockTag::Latest]);
        self.block_on(self.client.quantity("eth_getTransactionCount", params)).ok()
    }

    fn node_accounts(&self) -> StoreResult<Vec<Address>> {
        if !self.published.borrow().progress.is_local {
            return Ok(Vec::new()); // those of its keys are not the chain's
        }
        match self.block_on(self.client.call("eth_accounts", json!([]))) {
            Ok(accounts) => Ok(accounts),
            Err(error) if error.is_refusal() => Ok(Vec::new()),
            Err(error) => Err(StoreError::Unavailable((&error).into())),
        }
    }

    fn raw_trace(&self, tx: &TransactionRecord) -> StoreResult<Option<Box<RawValue>>> {
        let inclusion = self.inclusion(tx);
        if let Some(kept) = self.last_trace.get(inclusion) {
            return Ok(Some(kept));
        }
        let trace = self.read_raw_trace(tx)?;
        // A copy of a long one would double the memory that it takes.
        if let Some(short) =
            trace.as_ref().filter(|trace| trace.get().len() <= MAX_KEPT_TRACE_BYTES)
        {
            self.last_trace.put(inclusion, short.clone());
        }
        Ok(trace)
    }

    fn log_origins(&self, tx: &TransactionRecord) -> Option<Vec<LogOrigin>> {
        let read = || {
            let node = self.published.borrow().capabilities.clone();
            node.filter(NodeCapabilities::lists_calls)?;
            let RpcRequest { method, params } = calls_with_logs(tx.hash);
            let calls: RpcCalls = self.block_on(self.client.call(method, params)).ok()?;
            log_origins(&calls.0)
        };
        self.last_origins.get_or_read(self.inclusion(tx), || read().ok_or(())).ok()
    }

    fn call(
        &self,
        to: Address,
        data: &Bytes,
        block: Option<u64>,
    ) -> StoreResult<Result<Bytes, CallFailure>> {
        let params = json!([{ "to": to, "data": data }, BlockTag::from(block)]);
        match self.block_on(self.client.call("eth_call", params)) {
            Ok(answer) => Ok(Ok(answer)),
            Err(error) => match self.future_block_error(&error, block) {
                Some(why) => Err(why),
                None => call_failure(error, block).map(Err),
            },
        }
    }

    fn storage_at(&self, address: Address, slot: U256, block: Option<u64>) -> StoreResult<U256> {
        // Some nodes refuse slots with leading zeros, others all that are not whole words.
        let params = json!([address, B256::from(slot), BlockTag::from(block)]);
        let word = self.block_on(self.client.call("eth_getStorageAt", params));
        word.map_err(|error| self.storage_error(&error, block))
    }

    fn storage_words(
        &self,
        address: Address,
        slots: &[U256],
        block: Option<u64>,
    ) -> StoreResult<Vec<U256>> {
        let tag = BlockTag::from(block);
        let read = |slot: &U256| RpcRequest::storage(address, B256::from(*slot), tag);
        let requests: Vec<RpcRequest> = slots.iter().map(read).collect();
        let words = self.block_on(self.client.batch(&requests)).and_then(|answers| {
            answers.into_iter().map(|word| self.client.decode(&word?)).collect()
        });
        words.map_err(|error| self.storage_error(&error, block))
    }

    fn contract_code(&self, account: &AccountRecord, _: &Snapshot) -> StoreResult<ContractCode> {
        let code = self
            .block_on(self.client.call("eth_getCode", json!([account.hash, "latest"])))
            .map_err(|error| StoreError::Unavailable((&error).into()))?;
        Ok(ContractCode { creation: None, deployed: Some(code) })
    }

    fn block_until(
        &self,
        time: Timestamp,
        is_awaited: &dyn Fn() -> bool,
    ) -> StoreResult<Option<u64>> {
        let snapshot = self.snapshot()?;
        if let Some(block) = snapshot.block_until(time)? {
            return Ok(Some(block.number));
        }
        let first_indexed = snapshot.segments.first().map_or(0, |segment| segment.first_block);
        self.block_on(newest_block_until(time.as_second(), first_indexed, async |block| {
            if is_awaited() {
                self.time_of_block(block).await
            } else {
                Err(StoreError::Unavailable(ABANDONED.into()))
            }
        }))
    }

    fn coin_balances(&self, address: Address, blocks: &[u64]) -> StoreResult<Option<Vec<U256>>> {
        let asked: Vec<_> = blocks.iter().map(|block| (address, *block)).collect();
        self.block_on(self.balances(&asked)).map(Some)
    }

    fn coin_changes(
        &self,
        tx: &TransactionRecord,
    ) -> StoreResult<Option<BTreeMap<Address, BalanceShift>>> {
        let Some(diff) = self.block_on(self.state_diff(tx))? else {
            return self.changes_of_block(tx).map(Some);
        };
        let shift = |(address, (before, after))| (address, BalanceShift::between(before, after));
        let unreadable = RpcError::Unreadable { why: ResponseDefect::UnreadableValue.into() };
        let changed = diff.balances().ok_or_else(|| refused(&unreadable, tx.block_number))?;
        Ok(Some(changed.into_iter().map(shift).collect()))
    }

    fn storage_changes(&self, tx: &TransactionRecord) -> StoreResult<Option<Arc<StorageChanges>>> {
        self.last_storage
            .get_or_read(self.inclusion(tx), || match self.block_on(self.state_diff(tx))? {
                Some(diff) => Ok(Arc::new(self.storage_of_diff(tx, &diff))),
                None => self.storage_of_block(tx).map(Arc::new),
            })
            .map(Some)
    }

    fn block_balances(
        &self,
        block: u64,
        holdings: &[TokenHolding],
    ) -> StoreResult<Vec<Option<BlockBalance>>> {
        self.block_on(self.state.reader().block_balances(block, holdings))
    }

    fn compiled(&self) -> Option<Arc<CompiledContracts>> {
        self.project().and_then(ProjectContracts::current)
    }

    fn failed_steps(
        &self,
        tx: &TransactionRecord,
        calls: &[FailedCall],
    ) -> StoreResult<Vec<Result<Vec<usize>, StepsError>>> {
        let steps = self.bare_steps(tx)?;
        Ok(calls.iter().map(|call| failed_steps(&steps, call)).collect())
    }

    fn undone_logs(&self, tx: &TransactionRecord) -> StoreResult<Arc<[UndoneLog]>> {
        self.last_undone_logs.get_or_read(self.inclusion(tx), || {
            let reported = self.snapshot()?.logs_of(tx.position())?.count();
            let run = self.bare_steps(tx)?;
            if has_reported_all_logs(&run, reported) {
                return Ok(Arc::default());
            }
            let steps = self.steps_with_memory(tx)?;
            let replayed = self.block_on(self.replayed(&steps, tx))?;
            Ok(undone_logs(tx.position(), &replayed.calls).into())
        })
    }

    fn internal_transactions(
        &self,
        tx: &TransactionRecord,
    ) -> StoreResult<Option<Vec<InternalTransactionRecord>>> {
        let calls = self.unlisted_calls(tx)?;
        if calls.iter().flatten().any(|call| !call.is_listable()) {
            let block = tx.block_number;
            return Err(StoreError::Unsupported(ChainDataError::UnreadableCalls { block }));
        }
        Ok(calls.map(|calls| internal_records(tx.position(), &calls)))
    }

    fn console_lines(&self, tx: &TransactionRecord) -> StoreResult<Option<Vec<ConsoleLineRecord>>> {
        let inclusion = self.inclusion(tx);
        if let Some(lines) = self.console_lines.lock().get(&inclusion) {
            return Ok(Some(lines.clone()));
        }
        let Some(calls) = self.unlisted_calls(tx)? else { return Ok(None) };
        let lines = console_lines(tx.position(), &calls);
        self.console_lines.lock().put(inclusion, lines.clone());
        Ok(Some(lines))
    }
}

impl Drop for NodeChain {
    fn drop(&mut self) {
        self.follower.abort();
    }
}
