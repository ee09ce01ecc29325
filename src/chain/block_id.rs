//! Identification of a block, by number or hash.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use super::B256;

/// A block by its number, or by its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockId {
    Number(u64),
    Hash(B256),
}

impl FromStr for BlockId {
    type Err = ();

    /// Parses digits, or `0x` and 64 hex digits.
    fn from_str(text: &str) -> Result<Self, ()> {
        if text.bytes().all(|b| b.is_ascii_digit()) {
            text.parse().map(Self::Number).map_err(drop)
        } else if text.starts_with("0x") || text.starts_with("0X") {
            text.get(2..).unwrap_or_default().parse().map(Self::Hash).map_err(drop)
        } else {
            Err(())
        }
    }
}

/// Parses the choice of a block's state: digits, which may be grouped, or nothing for the newest.
pub fn parse_block_choice(text: &str) -> Result<Option<u64>, ParseIntError> {
    let digits: String = text.trim().chars().filter(|c| !matches!(c, ',' | '_')).collect();
    match &*digits {
        "" | "latest" => Ok(None),
        digits => digits.parse().map(Some),
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Hash(hash) => write!(f, "{hash}"),
        }
    }
}
