//! The segments of an index: blocks are added at both ends and cut off at the newer one.

use std::sync::Arc;

use jiff::Timestamp;

use crate::chain::B256;
use crate::messages::chain_data::ChainDataError;
use crate::store::{BlockNumHash, Segment, StoreError, Table};

use super::block_rows::BlockRows;
use super::progress::TransactionInBlock;

/// The part of an index's limits up to which small segments are merged. At the limits, segments are
/// dropped whole.
const MERGED_PART: usize = 256;

/// Limits of an index. Older blocks are left out.
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

/// A segment with the facts that decide about it.
pub(super) struct IndexedSegment {
    segment: Arc<Segment>,
    last: BlockNumHash,
    transactions: usize,
    bytes: usize,
    /// Reason why the calls of its transactions are unknown.
    untraced: Option<ChainDataError>,
}

/// The indexed blocks, without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IndexedBlocks {
    pub(super) first: u64,
    pub(super) last: BlockNumHash,
}

/// Segments by block numbers, without gaps. Neighbours are merged while they are small and about as
/// large as one another, so that there are few and each row is copied a few times only.
pub(super) struct SegmentList {
    limits: IndexLimits,
    segments: Vec<IndexedSegment>,
}

impl SegmentList {
    pub(super) fn new(limits: IndexLimits) -> Self {
        Self { limits, segments: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub(super) fn indexed_blocks(&self) -> Option<IndexedBlocks> {
        let (first, last) = (self.segments.first()?, self.segments.last()?);
        Some(IndexedBlocks { first: first.segment.first_block, last: last.last })
    }

    /// Returns the number of the oldest block and the hash of its parent, if they can be read.
    pub(super) fn parent_of_first(&self) -> Option<(u64, B256)> {
        let oldest = &self.segments.first()?.segment;
        let block = oldest.block(oldest.first_block).ok()??;
        Some((block.number, block.parent_hash?))
    }

    /// Returns the time of the newest block, if it can be read.
    pub(super) fn head_time(&self) -> Option<Timestamp> {
        let newest = self.segments.last()?;
        Some(newest.segment.block(newest.last.number).ok()??.timestamp)
    }

    pub(super) fn transaction_count(&self) -> usize {
        self.segments.iter().map(|segment| segment.transactions).sum()
    }

    pub(super) fn unreadable_count(&self) -> usize {
        self.segments.iter().map(|indexed| indexed.segment.unreadable.len()).sum()
    }

    pub(super) fn hash(&self, number: u64) -> Option<B256> {
        let after = self.segments.partition_point(|indexed| indexed.segment.first_block <= number);
        self.segments.get(after.checked_sub(1)?)?.segment.block_hash(number).ok()?
    }

    pub(super) fn to_published(&self) -> Arc<[Arc<Segment>]> {
        self.segments.iter().map(|indexed| Arc::clone(&indexed.segment)).collect()
    }

    pub(super) fn exceeds_limits(&self) -> bool {
        let bytes: usize = self.segments.iter().map(|segment| segment.bytes).sum();
        self.transaction_count() > self.limits.transactions || bytes > self.limits.bytes
    }

    pub(super) fn append(&mut self, read: Option<IndexedSegment>) {
        self.segments.extend(read);
        while let [.., older, newer] = &*self.segments
            && older.bytes <= 2 * newer.bytes
            && let Some(merged) = self.merge(older, newer)
        {
            self.segments.truncate(self.segments.len() - 2);
            self.segments.push(merged);
        }
    }

    pub(super) fn prepend(&mut self, read: Option<IndexedSegment>) {
        self.segments.splice(..0, read);
        while let [older, newer, ..] = &*self.segments
            && newer.bytes <= 2 * older.bytes
            && let Some(merged) = self.merge(older, newer)
        {
            self.segments.splice(..2, [merged]);
        }
    }

    pub(super) fn clear(&mut self) {
        self.segments.clear();
    }

    /// Drops the oldest segment, but not the only one. Returns its last block.
    pub(super) fn drop_oldest(&mut self) -> Option<u64> {
        (self.segments.len() > 1).then(|| self.segments.remove(0).last.number)
    }

    /// Drops a block and all after it.
    pub(super) fn truncate(&mut self, first_dropped: u64) {
        self.segments.retain(|indexed| indexed.segment.first_block < first_dropped);
        let cut = self.segments.pop_if(|indexed| indexed.last.number >= first_dropped);
        self.segments.extend(cut.and_then(|cut| {
            let mut kept = BlockRows::default();
            copy_rows(&cut.segment, first_dropped, &mut kept);
            IndexedSegment::new(kept, cut.untraced)
        }));
    }

    fn merge(&self, older: &IndexedSegment, newer: &IndexedSegment) -> Option<IndexedSegment> {
        let is_traced_alike = older.untraced == newer.untraced;
        let transactions = older.transactions + newer.transactions;
        if transactions > self.limits.transactions / MERGED_PART
            || older.bytes + newer.bytes > self.limits.bytes / MERGED_PART
            || older.transactions > 0 && newer.transactions > 0 && !is_traced_alike
        {
            return None;
        }
        let mut rows = BlockRows::default();
        copy_rows(&older.segment, u64::MAX, &mut rows);
        copy_rows(&newer.segment, u64::MAX, &mut rows);
        IndexedSegment::new(rows, older.untraced.clone().or_else(|| newer.untraced.clone()))
    }
}

impl IndexedSegment {
    /// Creates a segment of rows that are oldest first. Returns `None` without blocks.
    pub(super) fn new(mut rows: BlockRows, untraced: Option<ChainDataError>) -> Option<Self> {
        let readable = rows.blocks.first().map(|block| block.number);
        let unreadable = rows.unreadable.first().map(|unreadable| unreadable.block.number);
        let first_block = readable.into_iter().chain(unreadable).min()?;
        let transactions = rows.transactions.len();
        let bytes = rows.bytes();
        let untraced = untraced.filter(|_| transactions > 0);
        rows.blocks.shrink_to_fit();
        let segment = Segment {
            first_block,
            blocks: Table::loaded(rows.blocks),
            transactions: newest_first(rows.transactions),
            internal_transactions: match &untraced {
                Some(why) => Table::failed(StoreError::Unsupported(why.clone())),
                None => newest_first(rows.internal_transactions),
            },
            console_lines: match &untraced {
                Some(why) => Table::failed(StoreError::Unsupported(why.clone())),
                None => newest_first(rows.console_lines),
            },
            transfers: newest_first(rows.transfers),
            logs: newest_first(rows.logs),
            unreadable: rows.unreadable,
        };
        let last = segment.last_block().ok()??;
        Some(Self { segment: Arc::new(segment), last, transactions, bytes, untraced })
    }
}

impl IndexedSegment {
    /// Returns the newest failed transaction.
    pub(super) fn last_failure(&self) -> Option<TransactionInBlock> {
        let transactions = self.segment.transactions.get().ok()?;
        let failed = transactions.iter().find(|transaction| transaction.error.is_some())?;
        Some(TransactionInBlock { hash: failed.hash, block: failed.block_number })
    }
}

impl From<IndexedSegment> for Arc<Segment> {
    fn from(indexed: IndexedSegment) -> Self {
        indexed.segment
    }
}

fn newest_first<T: Send + 'static>(mut rows: Vec<T>) -> Table<Vec<T>> {
    rows.reverse();
    rows.shrink_to_fit();
    Table::loaded(rows)
}

/// Copies the rows of a segment that are before a block.
fn copy_rows(segment: &Segment, end: u64, rows: &mut BlockRows) {
    let blocks = segment.blocks.get().into_iter().flatten().cloned();
    rows.blocks.extend(blocks.take_while(|block| block.number < end));
    let transactions = oldest_first(&segment.transactions);
    rows.transactions.extend(transactions.take_while(|row| row.block_number < end));
    let calls = oldest_first(&segment.internal_transactions);
    rows.internal_transactions.extend(calls.take_while(|row| row.block_number < end));
    let lines = oldest_first(&segment.console_lines);
    rows.console_lines.extend(lines.take_while(|row| row.block_number < end));
    let transfers = oldest_first(&segment.transfers);
    rows.transfers.extend(transfers.take_while(|row| row.position.block_number < end));
    rows.logs.extend(oldest_first(&segment.logs).take_while(|row| row.block_number < end));
    let unreadable = segment.unreadable.iter().cloned();
    rows.unreadable.extend(unreadable.take_while(|unreadable| unreadable.block.number < end));
}

fn oldest_first<T: Clone>(table: &Table<Vec<T>>) -> impl Iterator<Item = T> {
    table.get().map_or(&[][..], Vec::as_slice).iter().rev().cloned()
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;

    use super::super::tests::block_record;
    use super::*;

    fn segment(numbers: std::ops::Range<u64>) -> Option<IndexedSegment> {
        let blocks =
            numbers.map(|number| block_record(number, B256::from(U256::from(number)))).collect();
        IndexedSegment::new(BlockRows { blocks, ..BlockRows::default() }, None)
    }

    #[test]
    fn limits_are_exceeded_above_them() {
        let bytes = segment(0..3).unwrap().bytes;
        for (bytes, is_exceeded) in [(bytes, false), (bytes - 1, true)] {
            let mut list = SegmentList::new(IndexLimits { transactions: 0, bytes });
            list.append(segment(0..3));
            assert_eq!(list.exceeds_limits(), is_exceeded);
        }
    }

    #[test]
    fn neighbours_of_similar_sizes_are_merged() {
        let mut list = SegmentList::new(IndexLimits::default());
        let append = |numbers| {
            list.append(segment(numbers));
            list.segments.len()
        };
        assert_eq!([0..3, 3..4, 4..5].map(append), [1, 2, 1]);
    }

    fn numbers(list: &SegmentList) -> Vec<u64> {
        let segments = list.to_published();
        let blocks = segments.iter().flat_map(|segment| segment.blocks.get().unwrap());
        blocks.map(|block| block.number).collect()
    }

    #[test]
    fn a_day_of_blocks_is_in_few_segments() {
        let mut list = SegmentList::new(IndexLimits::default());
        (50_000..86_400).for_each(|number| list.append(segment(number..number + 1)));
        (0..1_000).rev().for_each(|n| list.prepend(segment(n * 50..n * 50 + 50)));
        assert!(list.segments.len() < 50, "{}", list.segments.len());
        for cut in [86_400, 86_399, 70_001, 50_000, 49_999, 7, 1] {
            list.truncate(cut);
            assert!(numbers(&list).into_iter().eq(0..cut));
            let newest = list.indexed_blocks().unwrap().last;
            assert_eq!((newest.number, Some(newest.hash)), (cut - 1, list.hash(cut - 1)));
        }
        list.truncate(0);
        assert!(list.is_empty());
    }
}
