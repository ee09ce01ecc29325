//! The indexed blocks of a chain, and the reason why others are missing.

use strum::{EnumString, IntoStaticStr};

/// Reason why blocks are missing.
#[derive(Debug, Clone, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum MissingBlocks {
    /// They are being indexed.
    #[strum(serialize = "unread")]
    Unindexed,
    /// They belong to the chain that the node forked, whose id may be unknown.
    Forked { chain_id: Option<u64> },
    /// The node has pruned their transactions.
    Pruned,
    /// They exceed the limits of the index.
    OverLimit,
    /// The list has their rows from the node, which keeps the history of each address.
    NodeHistory,
}

/// The indexed blocks of a chain that is not indexed whole. `messages::index` words it.
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

impl BlockCoverage {
    /// Returns `true` if there are indexed blocks, none of which can be decoded.
    pub fn is_unreadable(&self) -> bool {
        self.unreadable > 0 && self.unreadable > self.last_block.saturating_sub(self.first_block)
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
                text(21_000_000, 21_000_500, MissingBlocks::Unindexed),
                "in blocks 21,000,000–21,000,500; earlier ones are being indexed",
            ),
            (text(4, 9, MissingBlocks::Pruned), "in blocks 4–9; earlier ones are pruned"),
            (
                text(4, 9, MissingBlocks::OverLimit),
                "in blocks 4–9; earlier ones are over the index limit",
            ),
            (
                text(4, 9, MissingBlocks::NodeHistory),
                "in blocks 4–9 and, before them, in the node's own history",
            ),
        ] {
            assert_eq!(text, expected);
        }
        let mut blocks =
            BlockCoverage { first_block: 0, last_block: 9, unreadable: 1_000, older: None };
        assert_eq!(blocks.to_string(), "in blocks 0–9 (1,000 unreadable)");
        blocks.older = Some(MissingBlocks::Unindexed);
        let unindexed = "in blocks 0–9 (1,000 unreadable); earlier ones are being indexed";
        assert_eq!(blocks.to_string(), unindexed);
    }
}
