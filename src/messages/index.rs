//! The index of a node's chain: its blocks, its progress and its rollbacks.

use std::cmp::Ordering;
use std::fmt;

use crate::chain::amount::Grouped;
use crate::chain::coverage::{BlockCoverage, MissingBlocks};

super::sentences! {
    NO_BLOCKS = "no blocks yet";
    UNREACHABLE = "cannot be reached";
    UNUSABLE = "blocks cannot be read";
    OTHER_CHAIN = "another chain";
}

/// The newest known block of a chain, in the title.
#[derive(Debug, strum::Display)]
pub enum HeadNote<'a> {
    #[strum(to_string = "block {number} · {age}")]
    Newest { number: Grouped<u64>, age: &'a str },
    /// The demo chain comes with the program, and has a last block.
    #[strum(to_string = "offline · block {number}")]
    Offline { number: Grouped<u64> },
    #[strum(to_string = "✗ unreachable")]
    Unreachable,
}

/// Indexed blocks in the title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexedRange {
    Indexing { read: u64, all: u64 },
    None,
    All { last: u64 },
    Last { first: u64, last: u64 },
}

impl fmt::Display for IndexedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Indexing { read, all } => {
                write!(f, "indexing {} of {} blocks", Grouped(read), Grouped(all))
            }
            Self::None => f.write_str(NO_BLOCKS),
            Self::All { last } => write!(f, "block {}", Grouped(last)),
            Self::Last { first, last } => {
                write!(f, "blocks {}–{}", Grouped(first), Grouped(last))
            }
        }
    }
}

/// A transaction, block or token that the indexed blocks do not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not found {0}")]
pub struct NotFoundError(pub BlockCoverage);

impl fmt::Display for BlockCoverage {
    /// Continues a sentence about the contents of the blocks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = (Grouped(self.first_block), Grouped(self.last_block));
        let earlier = match self.first_block.cmp(&self.last_block) {
            Ordering::Less => {
                write!(f, "in blocks {first}–{last}")?;
                "earlier ones"
            }
            Ordering::Equal => {
                write!(f, "in block {first}")?;
                "earlier ones"
            }
            Ordering::Greater => {
                f.write_str("so far")?;
                "earlier blocks"
            }
        };
        if self.unreadable > 0 {
            write!(f, " ({} unreadable)", Grouped(self.unreadable))?;
        }
        match self.older {
            None => Ok(()),
            Some(MissingBlocks::Unindexed) => write!(f, "; {earlier} are being indexed"),
            Some(MissingBlocks::Forked { chain_id: Some(id) }) => {
                write!(f, "; {earlier} belong to chain {id}")
            }
            Some(MissingBlocks::Forked { chain_id: None }) => {
                write!(f, "; {earlier} belong to the forked chain")
            }
            Some(MissingBlocks::Pruned) => write!(f, "; {earlier} are pruned"),
            Some(MissingBlocks::OverLimit) => write!(f, "; {earlier} are over the index limit"),
            Some(MissingBlocks::NodeHistory) => {
                f.write_str(" and, before them, in the node's own history")
            }
        }
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
        let (count, noun) = if let Some(last) = self.last_block {
            write!(f, "rolled back to block {}", Grouped(last))?;
            (self.blocks, "block")
        } else {
            f.write_str("node restarted")?;
            (u64::try_from(self.transactions).unwrap_or(u64::MAX), "transaction")
        };
        let plural = if count == 1 { "" } else { "s" };
        match count {
            0 => Ok(()),
            _ => write!(f, ": {} {noun}{plural} dropped", Grouped(count)),
        }
    }
}
