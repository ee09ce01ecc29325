//! The chain as it was at one moment.
//!
//! Lists read the segments from the newest to the oldest and end with the blocks of the index. While
//! older ones are being indexed, a list with rows is continued by the next request, and one without
//! rows is an error that the server waits out ([`Snapshot::end_of_indexed_blocks`]).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use alloy_primitives::{Address, B256, Bytes, U256};
use jiff::Timestamp;
use serde_json::value::RawValue;

use super::balance_shift::{BalanceShift, BlockBalance, TokenHolding};
use super::lazy_table::{StoreError, StoreResult, Table};
use super::records::{
    AccountRecord, BlockNumHash, BlockRecord, CallFailure, ConsoleLineRecord, ContractCode,
    FailedCall, InternalTransactionRecord, LogOrigin, LogRecord, StorageChanges,
    TransactionPosition, TransactionRecord, UndoneLog,
};
use super::segment::Segment;
use super::state::{ChainState, HistoryKey, HistoryList, StateKey, VerifiedContracts};
use super::transfer_batch::TransferRecord;
use crate::abi::CompiledContracts;
use crate::chain::coverage::{BlockCoverage, MissingBlocks};
use crate::messages::chain_data::StepsError;

/// Maximum number of unindexed blocks that a list waits for, instead of a search by the node.
const MAX_AWAITED_BLOCKS: u64 = 10_000;

/// A chain that is served. Its methods may block.
pub trait ServedChain: fmt::Debug + Send + Sync {
    /// Returns the chain as it is now.
    fn snapshot(&self) -> StoreResult<Snapshot>;

    /// Waits for blocks before a snapshot's first, until a deadline. Returns `None` if none come.
    fn older_blocks(&self, before: &Snapshot, deadline: Instant) -> Option<Snapshot>;

    /// Waits for blocks after a snapshot's last, until a deadline. Returns `None` if there are none.
    fn newer_blocks(&self, _before: &Snapshot, _deadline: Instant) -> Option<Snapshot> {
        None
    }

    /// Adds parts to the state of a snapshot.
    fn load(&self, snapshot: &Snapshot, parts: HashSet<StateKey>) -> StoreResult<Snapshot>;

    /// Returns a transaction that was sent and is in no block of a snapshot nor before, if the chain
    /// knows such. Its place, its outcome and the gas that it used say nothing.
    fn pending(&self, _: B256, _: &Snapshot) -> StoreResult<Option<TransactionRecord>> {
        Ok(None)
    }

    /// Returns the transactions that were sent and are in no block of a snapshot, the highest nonces
    /// first: all that the chain knows, or at least the ones that an address sent.
    fn pool(&self, _party: Option<Address>, _: &Snapshot) -> StoreResult<Vec<TransactionRecord>> {
        Ok(Vec::new())
    }

    /// Returns the nonce that an address uses next after its mined transactions, if the chain knows it.
    fn next_nonce(&self, _: Address) -> Option<u64> {
        None
    }

    /// Returns the accounts whose keys the chain's node has, of a chain that does not list all.
    fn node_accounts(&self) -> StoreResult<Vec<Address>> {
        Ok(Vec::new())
    }

    /// Returns the raw trace of a transaction, if there is one.
    fn raw_trace(&self, tx: &TransactionRecord) -> StoreResult<Option<Box<RawValue>>>;

    /// Calls a function that writes nothing, after a block. `None` is the newest.
    fn call(
        &self,
        to: Address,
        data: &Bytes,
        block: Option<u64>,
    ) -> StoreResult<Result<Bytes, CallFailure>>;

    /// Returns a word of a contract's storage after a block. `None` is the newest.
    fn storage_at(&self, address: Address, slot: U256, block: Option<u64>) -> StoreResult<U256>;

    /// Returns words of a contract's storage after a block, in the order of their slots.
    fn storage_words(
        &self,
        address: Address,
        slots: &[U256],
        block: Option<u64>,
    ) -> StoreResult<Vec<U256>> {
        slots.iter().map(|slot| self.storage_at(address, *slot, block)).collect()
    }

    /// Returns the code of a contract, if the chain provides it.
    fn contract_code(&self, account: &AccountRecord, at: &Snapshot) -> StoreResult<ContractCode>;

    /// Returns the coin balances that a transaction changed, if the chain provides more than the
    /// balances at its head.
    fn coin_changes(
        &self,
        _: &TransactionRecord,
    ) -> StoreResult<Option<BTreeMap<Address, BalanceShift>>> {
        Ok(None)
    }

    /// Returns the storage slots that a transaction changed, if the chain provides them.
    fn storage_changes(&self, _: &TransactionRecord) -> StoreResult<Option<Arc<StorageChanges>>> {
        Ok(None)
    }

    /// Returns token balances before and after a block, each if its token reports it.
    fn block_balances(
        &self,
        _: u64,
        holdings: &[TokenHolding],
    ) -> StoreResult<Vec<Option<BlockBalance>>> {
        Ok(vec![None; holdings.len()])
    }

    /// Returns the internal transactions of a transaction, oldest first, if the chain provides them for
    /// one but lists none.
    fn internal_transactions(
        &self,
        _: &TransactionRecord,
    ) -> StoreResult<Option<Vec<InternalTransactionRecord>>> {
        Ok(None)
    }

    /// Returns the console output of a transaction in its order, if the chain provides it for one but
    /// lists none.
    fn console_lines(&self, _: &TransactionRecord) -> StoreResult<Option<Vec<ConsoleLineRecord>>> {
        Ok(None)
    }

    /// Returns the contracts of the project, if they are known.
    fn compiled(&self) -> Option<Arc<CompiledContracts>> {
        None
    }

    /// Returns the steps of failed calls of a transaction, as positions in the code that each ran.
    fn failed_steps(
        &self,
        _: &TransactionRecord,
        _: &[FailedCall],
    ) -> StoreResult<Vec<Result<Vec<usize>, StepsError>>> {
        Err(StoreError::Unsupported(StepsError::NoneOnChain.into()))
    }

    /// Returns the logs of failed calls of a transaction, in the order of emission.
    fn undone_logs(&self, _: &TransactionRecord) -> StoreResult<Arc<[UndoneLog]>> {
        Err(StoreError::Unsupported(StepsError::NoneOnChain.into()))
    }

    /// Returns the origins of a transaction's logs, in their order, if the chain provides them.
    fn log_origins(&self, _: &TransactionRecord) -> Option<Vec<LogOrigin>> {
        None
    }

    /// Returns the number of the newest block that is not newer than a time. Fails when the client does
    /// not wait for it any more.
    fn block_until(&self, time: Timestamp, _: &dyn Fn() -> bool) -> StoreResult<Option<u64>> {
        Ok(self.snapshot()?.block_until(time)?.map(|block| block.number))
    }

    /// Returns the coin balances of an address after some blocks, if the chain keeps those.
    fn coin_balances(&self, _: Address, _: &[u64]) -> StoreResult<Option<Vec<U256>>> {
        Ok(None)
    }
}

/// The end of a search for older rows of an address.
#[derive(Clone, Copy, Debug)]
pub struct HistoryEnd {
    /// The oldest block whose rows were found. `None` if there are no older ones.
    pub oldest: Option<u64>,
}

/// The chain as it was at one moment. Cloning it is cheap.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// By block numbers, without gaps in the blocks of the index: a block is a row or unreadable.
    /// Before them may be blocks that were read for one response.
    pub segments: Arc<[Arc<Segment>]>,
    /// The ends of the searches for rows before the index.
    pub histories: Arc<HashMap<HistoryKey, HistoryEnd>>,
    /// The blocks whose rows are in the segments. `None` if those are all of the chain.
    pub coverage: Option<BlockCoverage>,
    pub state: Arc<ChainState>,
}

impl Snapshot {
    /// Records that a response needs the blocks before the first segment. Fails while they are being
    /// read.
    pub fn require_older_blocks(&self) -> StoreResult<()> {
        self.end_of_indexed_blocks(false)
    }

    /// Ends a list, newest first, after the blocks of the segments. Fails while older ones are being
    /// read, which only a list without rows needs: others are continued.
    pub fn end_of_indexed_blocks(&self, has_rows: bool) -> StoreResult<()> {
        match &self.coverage {
            Some(coverage) if coverage.older == Some(MissingBlocks::Unindexed) => {
                if !has_rows {
                    self.state.parts.look_up(StateKey::OlderBlocks);
                }
                Err(StoreError::StillIndexing(coverage.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Returns the first block of the index if the node may have others before it that are not
    /// indexed, or not yet.
    pub fn first_indexed(&self) -> Option<u64> {
        let coverage = self.coverage.as_ref()?;
        let may_have_others =
            matches!(coverage.older, Some(MissingBlocks::Unindexed | MissingBlocks::OverLimit));
        may_have_others.then_some(coverage.first_block)
    }

    /// Returns the end of the search for rows of an address before a block, if the node finds them and
    /// the index will not have them soon.
    pub fn history_before(
        &self,
        list: HistoryList,
        address: Address,
        block: u64,
    ) -> Option<HistoryEnd> {
        let first_indexed = self.first_indexed()?;
        let is_unindexed = self.coverage.as_ref()?.older == Some(MissingBlocks::Unindexed);
        if is_unindexed && first_indexed <= MAX_AWAITED_BLOCKS {
            return None;
        }
        let key = HistoryKey { list, address, before: block.min(first_indexed) };
        self.state.parts.look_up(StateKey::History(key));
        self.histories.get(&key).copied()
    }

    pub fn contracts(&self) -> StoreResult<&VerifiedContracts> {
        self.state.contracts.get()
    }

    /// Returns the newest block, readable or not.
    pub fn head(&self) -> StoreResult<Option<BlockNumHash>> {
        self.segments.last().map_or(Ok(None), |newest| newest.last_block())
    }

    /// Returns a block. Fails if it is unreadable.
    pub fn block(&self, number: u64) -> StoreResult<Option<&BlockRecord>> {
        self.segment(number).map_or(Ok(None), |segment| segment.block(number))
    }

    pub fn block_time(&self, number: u64) -> StoreResult<Option<Timestamp>> {
        Ok(self.block(number)?.map(|block| block.timestamp))
    }

    /// Returns a block of a request, which may be before the index. Fails if it is unreadable.
    pub fn requested_block(&self, number: u64) -> StoreResult<Option<&BlockRecord>> {
        let block = self.block(number)?;
        if block.is_none() && self.first_indexed().is_some_and(|first| number < first) {
            self.state.parts.look_up(StateKey::Block(number));
        }
        Ok(block)
    }

    /// Returns the newest readable block that is not newer than a time.
    pub fn block_until(&self, time: Timestamp) -> StoreResult<Option<&BlockRecord>> {
        Ok(self.blocks(u64::MAX)?.find(|block| block.timestamp <= time))
    }

    /// Returns the hash of a block, readable or not.
    pub fn block_hash(&self, number: u64) -> StoreResult<Option<B256>> {
        self.segment(number).map_or(Ok(None), |segment| segment.block_hash(number))
    }

    /// Returns a block. Fails if it is unreadable.
    pub fn block_by_hash(&self, hash: B256) -> StoreResult<Option<&BlockRecord>> {
        let mut unreadable = self.segments.iter().flat_map(|segment| &segment.unreadable);
        if let Some(unreadable) = unreadable.find(|unreadable| unreadable.block.hash == hash) {
            return Err(unreadable.error());
        }
        Ok(self.rows(u64::MAX, |segment| &segment.blocks)?.find(|block| block.hash == hash))
    }

    pub fn transaction(&self, hash: B256) -> StoreResult<Option<&TransactionRecord>> {
        for segment in self.segments.iter().rev() {
            if let Some(found) = segment.transaction(hash)? {
                return Ok(Some(found));
            }
        }
        if self.first_indexed().is_some() {
            self.state.parts.look_up(StateKey::Transaction(hash));
        }
        Ok(None)
    }

    pub fn transaction_at(
        &self,
        position: TransactionPosition,
    ) -> StoreResult<Option<&TransactionRecord>> {
        let segment = self.segment(position.block_number);
        segment.map_or(Ok(None), |segment| segment.transaction_at(position))
    }

    pub fn transaction_hash(&self, position: TransactionPosition) -> StoreResult<Option<B256>> {
        Ok(self.transaction_at(position)?.map(|transaction| transaction.hash))
    }

    pub fn transaction_in_block(
        &self,
        block_number: u64,
        hash: B256,
    ) -> StoreResult<Option<&TransactionRecord>> {
        let segment = self.segment(block_number);
        segment.map_or(Ok(None), |segment| segment.transaction_in_block(block_number, hash))
    }

    /// Returns the creator of a contract, with the transaction, if it is known.
    pub fn creation(&self, contract: Address) -> StoreResult<Option<(Address, B256)>> {
        let mut sent = self.transactions(u64::MAX)?;
        if let Some(sent) =
            sent.find(|row| row.created_contract == Some(contract) && row.error.is_none())
        {
            return Ok(Some((sent.from, sent.hash)));
        }
        let (mut calls, _) = self.internal_transactions(u64::MAX);
        let created =
            calls.find(|row| row.created_contract == Some(contract) && row.error.is_none());
        let Some(call) = created else { return Ok(None) };
        let transaction = self.transaction_hash(call.transaction())?;
        Ok(transaction.map(|transaction| (call.from, transaction)))
    }

    /// Returns the transactions up to a block, newest first.
    pub fn transactions(
        &self,
        last_block: u64,
    ) -> StoreResult<impl Iterator<Item = &TransactionRecord>> {
        self.rows(last_block, |segment| &segment.transactions)
    }

    /// Returns the newest transactions before a position, as many as requested or more, without loading
    /// older segments for it.
    pub fn transactions_before(
        &self,
        before: Option<TransactionPosition>,
        count: usize,
    ) -> StoreResult<impl Iterator<Item = &TransactionRecord>> {
        let mut rows = Vec::new();
        let last_block = before.map_or(u64::MAX, |before| before.block_number);
        for segment in self.segments_up_to(last_block).iter().rev() {
            let known = segment.transactions.get()?;
            let start =
                before.map_or(0, |before| known.partition_point(|row| row.position() >= before));
            rows.push(known.get(start..).unwrap_or_default());
            if rows.iter().map(|rows| rows.len()).sum::<usize>() >= count {
                break;
            }
        }
        Ok(rows.into_iter().flatten())
    }

    /// Returns the newest transactions up to a block that are wanted, at most `count`, without loading older
    /// segments than have them.
    pub fn newest_transactions(
        &self,
        last_block: u64,
        count: usize,
        is_wanted: impl Fn(&TransactionRecord) -> bool,
    ) -> StoreResult<Vec<&TransactionRecord>> {
        let (found, end) =
            self.newest(last_block, count, |segment| &segment.transactions, is_wanted);
        end.map(|()| found)
    }

    /// Returns the newest token transfers that are wanted, as [`Snapshot::newest_transactions`] does.
    pub fn newest_transfers(
        &self,
        count: usize,
        is_wanted: impl Fn(&TransferRecord) -> bool,
    ) -> StoreResult<Vec<&TransferRecord>> {
        let (found, end) = self.newest(u64::MAX, count, |segment| &segment.transfers, is_wanted);
        end.map(|()| found)
    }

    /// Returns the newest logs that are wanted, as [`Snapshot::newest_transactions`] does.
    pub fn newest_logs(
        &self,
        count: usize,
        is_wanted: impl Fn(&LogRecord) -> bool,
    ) -> StoreResult<Vec<&LogRecord>> {
        let (found, end) = self.newest(u64::MAX, count, |segment| &segment.logs, is_wanted);
        end.map(|()| found)
    }

    /// Returns the newest internal transactions that are wanted, as far as they are known, and why not as
    /// many. Older segments than have them are not loaded.
    pub fn newest_internal_transactions(
        &self,
        count: usize,
        is_wanted: impl Fn(&InternalTransactionRecord) -> bool,
    ) -> (Vec<&InternalTransactionRecord>, StoreResult<()>) {
        self.newest(u64::MAX, count, |segment| &segment.internal_transactions, is_wanted)
    }

    /// Returns the block from which on all calls are known.
    pub(super) fn first_traced_block(&self) -> u64 {
        let is_untraced = |segment: &Arc<Segment>| segment.internal_transactions.get().is_err();
        let traced = self.segments.iter().rposition(is_untraced).map(|untraced| untraced + 1);
        let first = |at: usize| self.segments.get(at).map_or(u64::MAX, |next| next.first_block);
        traced.map_or(0, first)
    }

    /// Returns the internal transactions up to a block, newest first, as far as they are known, and
    /// why not further.
    pub fn internal_transactions(
        &self,
        last_block: u64,
    ) -> (impl Iterator<Item = &InternalTransactionRecord>, StoreResult<()>) {
        let tables = self
            .segments_up_to(last_block)
            .iter()
            .rev()
            .map(|segment| segment.internal_transactions.get());
        let end = tables.clone().find_map(Result::err).map_or(Ok(()), Err);
        (tables.map_while(Result::ok).flatten(), end)
    }

    /// Returns the console output up to a block, newest first, as far as it is known, and why not
    /// further.
    pub fn console_lines(
        &self,
        last_block: u64,
    ) -> (impl Iterator<Item = &ConsoleLineRecord>, StoreResult<()>) {
        let tables =
            self.segments_up_to(last_block).iter().rev().map(|segment| segment.console_lines.get());
        let end = tables.clone().find_map(Result::err).map_or(Ok(()), Err);
        (tables.map_while(Result::ok).flatten(), end)
    }

    /// Returns the console output of a transaction, the last line first.
    pub fn console_lines_of(
        &self,
        transaction: TransactionPosition,
    ) -> StoreResult<impl DoubleEndedIterator<Item = &ConsoleLineRecord> + ExactSizeIterator> {
        let key = ConsoleLineRecord::transaction;
        self.rows_at(transaction.block_number, |segment| &segment.console_lines, key, transaction)
    }

    /// Returns the internal transactions of a transaction, the last first.
    pub fn internal_transactions_of(
        &self,
        transaction: TransactionPosition,
    ) -> StoreResult<impl DoubleEndedIterator<Item = &InternalTransactionRecord>> {
        let key = InternalTransactionRecord::transaction;
        self.rows_at(
            transaction.block_number,
            |segment| &segment.internal_transactions,
            key,
            transaction,
        )
    }

    /// Returns the internal transactions of a block, the last first.
    pub fn internal_transactions_in(
        &self,
        block: u64,
    ) -> StoreResult<impl DoubleEndedIterator<Item = &InternalTransactionRecord>> {
        self.rows_at(block, |segment| &segment.internal_transactions, |row| row.block_number, block)
    }

    /// Returns the transactions of a block, newest first.
    pub fn transactions_in(
        &self,
        block: u64,
    ) -> StoreResult<impl Iterator<Item = &TransactionRecord>> {
        self.rows_at(block, |segment| &segment.transactions, |row| row.block_number, block)
    }

    /// Returns the token transfers of a block, newest first.
    pub fn transfers_in(&self, block: u64) -> StoreResult<impl Iterator<Item = &TransferRecord>> {
        self.rows_at(block, |segment| &segment.transfers, |row| row.position.block_number, block)
    }

    /// Returns the logs of a transaction, the last first.
    pub fn logs_of(
        &self,
        transaction: TransactionPosition,
    ) -> StoreResult<impl DoubleEndedIterator<Item = &LogRecord>> {
        let key = LogRecord::transaction;
        self.rows_at(transaction.block_number, |segment| &segment.logs, key, transaction)
    }

    /// Returns the token transfers up to a block, newest first.
    pub fn transfers(&self, last_block: u64) -> StoreResult<impl Iterator<Item = &TransferRecord>> {
        self.rows(last_block, |segment| &segment.transfers)
    }

    /// Returns the logs up to a block, newest first.
    pub fn logs(&self, last_block: u64) -> StoreResult<impl Iterator<Item = &LogRecord>> {
        self.rows(last_block, |segment| &segment.logs)
    }

    /// Returns the blocks up to a number, newest first.
    pub fn blocks(&self, last_block: u64) -> StoreResult<impl Iterator<Item = &BlockRecord>> {
        let segments = self.segments_up_to(last_block).iter().rev();
        let tables: Vec<_> =
            segments.map(|segment| segment.blocks.get()).collect::<Result<_, _>>()?;
        let blocks = tables.into_iter().flat_map(|blocks| blocks.iter().rev());
        Ok(blocks.skip_while(move |block| block.number > last_block))
    }

    fn rows<'a, T: 'a>(
        &'a self,
        last_block: u64,
        table: impl Fn(&'a Segment) -> &'a Table<Vec<T>> + 'a,
    ) -> StoreResult<impl Iterator<Item = &'a T>> {
        let segments = self.segments_up_to(last_block).iter().rev();
        segments.clone().try_for_each(|segment| table(segment).get().map(drop))?;
        Ok(segments.flat_map(move |segment| table(segment).get().map_or(&[][..], Vec::as_slice)))
    }

    /// Returns the newest rows that are wanted, at most `count`, up to the first segment without rows, and why it
    /// has none.
    fn newest<'a, T: 'a>(
        &'a self,
        last_block: u64,
        count: usize,
        table: impl Fn(&'a Segment) -> &'a Table<Vec<T>>,
        is_wanted: impl Fn(&T) -> bool,
    ) -> (Vec<&'a T>, StoreResult<()>) {
        let mut found = Vec::new();
        for segment in self.segments_up_to(last_block).iter().rev() {
            let rows = match table(segment).get() {
                Ok(rows) => rows,
                Err(why) => return (found, Err(why)),
            };
            let wanted = rows.iter().filter(|row| is_wanted(row));
            found.extend(wanted.take(count - found.len()));
            if found.len() == count {
                break;
            }
        }
        (found, Ok(()))
    }

    /// Returns the rows of a block that have a key, by which the rows of the table descend.
    fn rows_at<'a, T: 'a, K: Ord + Copy>(
        &'a self,
        block: u64,
        table: impl Fn(&'a Segment) -> &'a Table<Vec<T>>,
        key: impl Fn(&T) -> K,
        at: K,
    ) -> StoreResult<std::slice::Iter<'a, T>> {
        let rows = self
            .segment(block)
            .map(|segment| table(segment).get())
            .transpose()?
            .map_or(&[][..], Vec::as_slice);
        let start = rows.partition_point(|row| key(row) > at);
        let end = rows.partition_point(|row| key(row) >= at);
        Ok(rows.get(start..end).unwrap_or_default().iter())
    }

    fn segments_up_to(&self, last_block: u64) -> &[Arc<Segment>] {
        let end = self.segments.partition_point(|segment| segment.first_block <= last_block);
        self.segments.get(..end).unwrap_or_default()
    }

    fn segment(&self, block_number: u64) -> Option<&Segment> {
        self.segments_up_to(block_number).last().map(|segment| &**segment)
    }
}
