//! The indexed blocks of a chain, and the reason why others are missing.

use std::cmp::Ordering;
use std::fmt;

use strum::{EnumString, IntoStaticStr};

use super::amount::group_digits;

/// Reason why blocks are missing.
#[derive(Debug, Clone, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum MissingBlocks {
    /// They are being read.
    Unread,
    /// They belong to the chain that the node forked, whose id may be unknown.
    Forked { chain_id: Option<u64> },
    /// The node has pruned their transactions.
    Pruned,
    /// They exceed the limits of the index.
    OverLimit,
}

/// The indexed blocks of a chain that is not indexed whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockCoverage {
    pub first_block: u64,
    /// The block before the first if none is indexed.
    pub last_block: u64,
    /// The number of blocks between them whose rows are unknown, as they cannot be decoded.
    pub unreadable: u64,
    /// `None` if the first block is the chain's.
    pub older: Option<MissingBlocks>,
}

impl fmt::Display for BlockCoverage {
    /// Continues a sentence about the contents of the blocks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |n: u64| group_digits(&n.to_string());
        let (first, last) = (number(self.first_block), number(self.last_block));
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
            write!(f, " ({} unreadable)", number(self.unreadable))?;
        }
        match self.older {
            None => Ok(()),
            Some(MissingBlocks::Unread) => write!(f, "; {earlier} are being indexed"),
            Some(MissingBlocks::Forked { chain_id: Some(id) }) => {
                write!(f, "; {earlier} belong to chain {id}")
            }
            Some(MissingBlocks::Forked { chain_id: None }) => {
                write!(f, "; {earlier} belong to the forked chain")
            }
            Some(MissingBlocks::Pruned) => write!(f, "; {earlier} are pruned"),
            Some(MissingBlocks::OverLimit) => write!(f, "; {earlier} are over the index limit"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coverage_says_what_is_known_and_why_not_the_rest() {
        let text = |first_block, last_block, older| {
            BlockCoverage { first_block, last_block, unreadable: 0, older: Some(older) }.to_string()
        };
        let forked = |chain_id| MissingBlocks::Forked { chain_id };
        for (text, expected) in [
            (text(4, 9, forked(Some(1))), "in blocks 4–9; earlier ones belong to chain 1"),
            (text(4, 4, forked(None)), "in block 4; earlier ones belong to the forked chain"),
            (text(4, 3, forked(Some(1))), "so far; earlier blocks belong to chain 1"),
            (
                text(21_000_000, 21_000_500, MissingBlocks::Unread),
                "in blocks 21,000,000–21,000,500; earlier ones are being indexed",
            ),
            (text(4, 9, MissingBlocks::Pruned), "in blocks 4–9; earlier ones are pruned"),
            (
                text(4, 9, MissingBlocks::OverLimit),
                "in blocks 4–9; earlier ones are over the index limit",
            ),
        ] {
            assert_eq!(text, expected);
        }
        let mut blocks =
            BlockCoverage { first_block: 0, last_block: 9, unreadable: 1_000, older: None };
        assert_eq!(blocks.to_string(), "in blocks 0–9 (1,000 unreadable)");
        blocks.older = Some(MissingBlocks::Unread);
        let unread = "in blocks 0–9 (1,000 unreadable); earlier ones are being indexed";
        assert_eq!(blocks.to_string(), unread);
    }
}
