//! Decides which blocks to read next: a pure function of the indexed blocks and the node's head.
//!
//! The newest blocks are read first, then those after them as they come, and in between the older ones
//! down to a bound. If the node has another block in place of the last indexed one, the chain is rolled
//! back to the last common block before anything else is read. If it only lacks that block, it may lag.

use std::ops::RangeInclusive;

use crate::chain::B256;
use crate::indexer::segment_list::IndexedBlocks;

/// Maximum blocks that are read at once.
const BATCH_BLOCKS: u64 = 50;

/// A node's report of its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeHead {
    pub(super) number: u64,
    /// The hash of the block with the number of our last one. `None` if the node lacks that block.
    pub(super) hash_of_last: Option<B256>,
    /// `true` if the node lacks that block, but perhaps only for now, as one of several behind a URL that lags.
    pub(super) may_lag: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IndexStep {
    Wait,
    /// Read newer blocks.
    Append(RangeInclusive<u64>),
    /// Read older blocks.
    Deepen(RangeInclusive<u64>),
    /// Find the last block that is still the node's, and drop the blocks after it.
    RollBack,
}

/// Returns the next step, of at most [`BATCH_BLOCKS`]. Blocks below `oldest` are not read.
///
/// The newest blocks come first, so that the screen has rows at once. Hashes of equal numbers are
/// compared: Hardhat's blocks do not name their parents.
pub(super) fn next_step(known: Option<IndexedBlocks>, node: NodeHead, oldest: u64) -> IndexStep {
    let Some(known) = known else {
        let first = node.number.saturating_sub(BATCH_BLOCKS - 1).max(oldest);
        return if first > node.number {
            IndexStep::Wait
        } else {
            IndexStep::Append(first..=node.number)
        };
    };
    if node.hash_of_last != Some(known.last.hash) {
        return if node.may_lag { IndexStep::Wait } else { IndexStep::RollBack };
    }
    if known.last.number < node.number {
        let last = known.last.number.saturating_add(BATCH_BLOCKS).min(node.number);
        return IndexStep::Append(known.last.number + 1..=last);
    }
    if known.first > oldest {
        let first = known.first.saturating_sub(BATCH_BLOCKS).max(oldest);
        return IndexStep::Deepen(first..=known.first - 1);
    }
    IndexStep::Wait
}

/// A binary search for the last common block: blocks are the node's up to some number, and not
/// after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommonBlockSearch {
    /// The first block that may not be common.
    low: u64,
    /// A block that is not common.
    high: u64,
}

impl CommonBlockSearch {
    /// Searches indexed blocks whose last one is not common.
    pub(super) fn new(known: IndexedBlocks) -> Self {
        Self { low: known.first, high: known.last.number }
    }

    /// Returns the number of the block to compare next, `None` when the search is over.
    pub(super) fn next(&self) -> Option<u64> {
        (self.low < self.high).then(|| self.low + (self.high - self.low) / 2)
    }

    pub(super) fn advance(&mut self, compared: u64, is_common: bool) {
        if is_common {
            self.low = compared + 1;
        } else {
            self.high = compared;
        }
    }

    /// Returns the first block to drop.
    pub(super) fn first_dropped(&self) -> u64 {
        self.high
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::BlockNumHash;

    fn hash(number: u64, chain: u8) -> B256 {
        let mut hash = B256::with_last_byte(chain);
        hash[..8].copy_from_slice(&number.to_be_bytes());
        hash
    }

    fn known(first: u64, last: u64) -> IndexedBlocks {
        IndexedBlocks { first, last: BlockNumHash { number: last, hash: hash(last, 0) } }
    }

    fn head(number: u64, last: u64) -> NodeHead {
        NodeHead { number, hash_of_last: Some(hash(last, 0)), may_lag: false }
    }

    fn step(known: Option<IndexedBlocks>, node: NodeHead, oldest: u64) -> IndexStep {
        next_step(known, node, oldest)
    }

    #[test]
    fn newest_blocks_are_read_first() {
        let nothing = NodeHead { number: 334, hash_of_last: None, may_lag: false };
        assert_eq!(step(None, nothing, 0), IndexStep::Append(285..=334));
        assert_eq!(step(None, NodeHead { number: 3, ..nothing }, 0), IndexStep::Append(0..=3));
        assert_eq!(step(None, nothing, 335), IndexStep::Wait);
        assert_eq!(step(None, nothing, 334), IndexStep::Append(334..=334));
        assert_eq!(step(Some(known(285, 334)), head(334, 334), 0), IndexStep::Deepen(235..=284));
        assert_eq!(step(Some(known(285, 334)), head(336, 334), 0), IndexStep::Append(335..=336));
        assert_eq!(step(Some(known(20, 334)), head(334, 334), 0), IndexStep::Deepen(0..=19));
        assert_eq!(step(Some(known(20, 334)), head(334, 334), 12), IndexStep::Deepen(12..=19));
        assert_eq!(step(Some(known(13, 334)), head(334, 334), 12), IndexStep::Deepen(12..=12));
        assert_eq!(step(Some(known(12, 334)), head(334, 334), 12), IndexStep::Wait);
        assert_eq!(step(Some(known(0, 334)), head(9_000, 334), 0), IndexStep::Append(335..=384));
    }

    #[test]
    fn other_hash_or_lower_head_rolls_back() {
        let gone = NodeHead { number: 300, hash_of_last: None, may_lag: false };
        assert_eq!(step(Some(known(0, 334)), gone, 0), IndexStep::RollBack);
        let lag = NodeHead { may_lag: true, ..gone };
        assert_eq!(step(Some(known(0, 334)), lag, 0), IndexStep::Wait);
        let other = NodeHead { hash_of_last: Some(hash(334, 1)), ..gone };
        assert_eq!(step(Some(known(0, 334)), other, 0), IndexStep::RollBack);
    }

    proptest! {
        #[test]
        fn search_finds_the_first_block_to_drop(
            first in 0_u64..1_000,
            length in 0_u64..1_000,
            common in 0_u64..2_000,
        ) {
            let known = known(first, first + length);
            let first_dropped = common.clamp(first, first + length);
            let mut search = CommonBlockSearch::new(known);
            let mut asked = 0;
            while let Some(number) = search.next() {
                search.advance(number, number < first_dropped);
                asked += 1;
            }
            prop_assert_eq!(search.first_dropped(), first_dropped);
            prop_assert!(asked <= 11);
        }
    }
}
