//! Progress of the index of a node's chain, and rollbacks of the chain.
//!
//! The follower publishes an [`IndexProgress`] with each snapshot. The app compares it with the one
//! before: another [`Rollback`] voids everything that is shown of the chain.

use crate::chain::B256;
use crate::chain::coverage::MissingBlocks;
use crate::chain::network::NewestBlock;
use crate::messages::index::{IndexedRange, Rollback};
use crate::messages::node::{NOT_ANSWERED, NodeOutage};
use crate::rpc::ForkedNetwork;

/// The blocks in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexCoverage {
    pub first_block: u64,
    /// The block before the first if there is none, as when a fork has not mined yet.
    pub last_block: u64,
    pub transactions: usize,
    /// The number of blocks whose rows are unknown, as they cannot be decoded.
    pub unreadable: u64,
    /// The number of blocks that are still to be indexed.
    pub unindexed: u64,
    /// Reason why older blocks are missing. `None` if there are none.
    pub older: Option<MissingBlocks>,
}

impl IndexCoverage {
    /// Returns the number of indexed blocks and of all blocks while there are more.
    pub fn indexing(&self) -> Option<IndexedRange> {
        let read = self.blocks();
        let all = read.saturating_add(self.unindexed);
        (self.unindexed > 0).then_some(IndexedRange::Indexing { read, all })
    }

    pub fn blocks(&self) -> u64 {
        self.last_block.saturating_add(1).saturating_sub(self.first_block)
    }
}

/// Progress of the index, and events of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexProgress {
    pub chain_id: Option<u64>,
    pub fork: Option<ForkedNetwork>,
    /// `true` if the chain is a development node's on this machine.
    pub is_local: bool,
    /// `None` before the first blocks.
    pub coverage: Option<IndexCoverage>,
    pub newest_block: Option<NewestBlock>,
    /// Reason why the node cannot be read now.
    pub error: Option<NodeOutage>,
    /// The last rollback.
    pub rollback: Option<Rollback>,
    /// The last transaction that failed while the chain was followed.
    pub failure: Option<TransactionInBlock>,
}

/// A transaction and its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionInBlock {
    pub hash: B256,
    pub block: u64,
}

impl IndexProgress {
    /// Returns `true` for a development node that forks no other chain.
    pub fn is_own_chain(&self) -> bool {
        self.is_local && self.fork.is_none()
    }

    /// Returns the reason why there are no rows yet.
    pub fn outage(&self) -> NodeOutage {
        self.error.clone().unwrap_or_else(|| NOT_ANSWERED.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_and_last_block_are_counted() {
        let coverage = |unindexed| IndexCoverage {
            first_block: 3,
            last_block: 7,
            transactions: 0,
            unreadable: 0,
            unindexed,
            older: None,
        };
        assert_eq!(coverage(4).indexing(), Some(IndexedRange::Indexing { read: 5, all: 9 }));
        assert_eq!(coverage(0).indexing(), None);
    }
}
