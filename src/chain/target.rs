//! Targets of a page: an address, a transaction or a block, and the chain of the link to it. `target_parser`
//! finds them in a text.

use std::fmt;
use std::str::FromStr;

use url::Url;

use super::{Address, BlockId, TxHash, U256};
use crate::sanitize::SafeText;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TargetKind {
    Address(Address),
    Transaction(TxHash),
    Block(BlockId),
}

impl fmt::Display for TargetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => address.fmt(f),
            Self::Transaction(hash) => write!(f, "{hash}"),
            Self::Block(id) => id.fmt(f),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub kind: TargetKind,
    /// The token page of the address, if the link is to one.
    pub token_page: Option<TokenPage>,
    /// The chain of a link, unless the link does not name it.
    pub chain: Option<LinkedChain>,
    /// `true` if the address is in mixed case with a wrong checksum: a digit may be mistyped.
    pub checksum_mismatch: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenPage {
    Token,
    Instance(U256),
}

/// The chain of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkedChain {
    /// The chain of the Blockscout instance at a base URL: everything before `/address/…` or `/tx/…`.
    At(Url),
    /// The chain with an id, on an explorer of another kind.
    Id(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetOrName {
    Target(Target),
    /// A name for the explorer's search: `vitalik.eth`, a token's symbol.
    Name(SafeText),
}

impl TargetOrName {
    pub fn linked_chain(&self) -> Option<&LinkedChain> {
        match self {
            Self::Target(target) => target.chain.as_ref(),
            Self::Name(_) => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseTargetError {
    Unknown,
    /// A time in a form that is not read.
    Time,
    /// The targets in a text that contains several, or the hash in one that contains more: it may be
    /// a private key.
    Unclear(Vec<Target>),
}

impl FromStr for TargetKind {
    type Err = ParseTargetError;

    fn from_str(text: &str) -> Result<Self, ParseTargetError> {
        let rest = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let hex = rest.filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        match hex.ok_or(ParseTargetError::Unknown)? {
            hex if hex.len() == 40 => hex.parse().map(Self::Address),
            hex => hex.parse().map(Self::Transaction),
        }
        .map_err(|_| ParseTargetError::Unknown)
    }
}

impl From<TargetKind> for Target {
    fn from(kind: TargetKind) -> Self {
        Self { kind, token_page: None, chain: None, checksum_mismatch: false }
    }
}

impl Target {
    pub(super) fn new(text: &str, kind: TargetKind) -> Self {
        let checksum_mismatch = has_checksum_mismatch(text, &kind);
        Self { checksum_mismatch, ..kind.into() }
    }
}

/// Returns `true` if an address is in mixed case but has a wrong checksum (EIP-55). It is not refused,
/// as servers accept any case.
pub fn has_checksum_mismatch(text: &str, kind: &TargetKind) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let has = |test: fn(&u8) -> bool| digits.bytes().any(|b| test(&b));
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let checksum = match kind {
        TargetKind::Address(address) => address.to_string(),
        TargetKind::Transaction(_) | TargetKind::Block(_) => return false,
    };
    mixed && checksum.strip_prefix("0x") != Some(digits)
}

pub(super) fn parse_block_number(text: &str) -> Option<TargetKind> {
    let number = parse_id(text)?.try_into().ok()?;
    Some(TargetKind::Block(BlockId::Number(number)))
}

pub(super) fn parse_id(text: &str) -> Option<U256> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Returns the words of a text, which may be hashes.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
}
