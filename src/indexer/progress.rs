//! Progress of the index of a node's chain, and rollbacks of the chain.
//!
//! The follower publishes an [`IndexProgress`] with each snapshot. The app compares it with the one
//! before: another [`Rollback`] voids everything that is shown of the chain.

use std::fmt;

use crate::chain::amount::group_digits;
use crate::chain::coverage::MissingBlocks;
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
    pub unread: u64,
    /// Reason why older blocks are missing. `None` if there are none.
    pub older: Option<MissingBlocks>,
}

impl IndexCoverage {
    /// Describes how many blocks are indexed while there are more.
    pub fn describe_reading(&self) -> Option<String> {
        let read = self.blocks();
        let all = read.saturating_add(self.unread);
        (self.unread > 0).then(|| format!("reading {} of {} blocks", number(read), number(all)))
    }

    pub fn blocks(&self) -> u64 {
        self.last_block.saturating_add(1).saturating_sub(self.first_block)
    }
}

/// Indexed blocks that the node's chain no longer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rollback {
    /// Counts from 1, so that two in a row differ.
    pub ordinal: u32,
    /// Last block that was kept. `None` if there is none: the node restarted.
    pub last_block: Option<u64>,
    pub blocks: u64,
    /// The number of transactions in the index before.
    pub transactions: usize,
}

impl fmt::Display for Rollback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, count, noun) = if let Some(last) = self.last_block {
            (format!("rolled back to block {}", number(last)), self.blocks, "block")
        } else {
            let transactions = u64::try_from(self.transactions).unwrap_or(u64::MAX);
            ("node restarted".to_owned(), transactions, "transaction")
        };
        let plural = if count == 1 { "" } else { "s" };
        match count {
            0 => f.write_str(&what),
            _ => write!(f, "{what}: {} {noun}{plural} dropped", number(count)),
        }
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
    /// Reason why the node cannot be read now.
    pub error: Option<NodeOutage>,
    /// The last rollback.
    pub rollback: Option<Rollback>,
}

impl IndexProgress {
    /// Returns the reason why there are no rows yet.
    pub fn outage(&self) -> NodeOutage {
        self.error.clone().unwrap_or_else(|| NOT_ANSWERED.into())
    }
}

fn number(n: u64) -> String {
    group_digits(&n.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rollbacks_name_the_dropped_rows() {
        let rollback = |last_block, blocks, transactions| {
            Rollback { ordinal: 1, last_block, blocks, transactions }.to_string()
        };
        assert_eq!(rollback(Some(16), 3, 9), "rolled back to block 16: 3 blocks dropped");
        assert_eq!(rollback(Some(0), 1, 9), "rolled back to block 0: 1 block dropped");
        let restarted = "node restarted: 2,458 transactions dropped";
        assert_eq!(rollback(None, 335, 2_458), restarted);
        assert_eq!(rollback(None, 1, 0), "node restarted");
    }
}
