//! Places that were visited lately, and the lines they are kept in.

use std::fmt;

use crate::chain::target::TargetKind;
use crate::chain::{Address, TxHash};

/// Places that are kept.
pub const MAX_RECENTS: usize = 50;

/// A place that can be visited again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecentEntry {
    /// An address.
    Address(Address),
    /// A transaction.
    Transaction(TxHash),
    /// The instances of a token.
    Token(Address),
}

/// What happens to the list of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecentsChange {
    /// This was visited just now.
    Add(RecentEntry),
    /// This is to be forgotten.
    Remove(RecentEntry),
}

/// The places of one chain, each once, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recents(Vec<RecentEntry>);

impl RecentEntry {
    /// What it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Address(_) => "address",
            Self::Transaction(_) => "transaction",
            Self::Token(_) => "token",
        }
    }

    /// The address it is about.
    pub fn address(&self) -> Option<Address> {
        match self {
            Self::Address(address) | Self::Token(address) => Some(*address),
            Self::Transaction(_) => None,
        }
    }

    /// The address or the hash, in full.
    pub fn hash(&self) -> String {
        match self {
            Self::Address(address) | Self::Token(address) => address.to_string(),
            Self::Transaction(hash) => hash.to_string(),
        }
    }

    fn parse(line: &str) -> Option<Self> {
        let (kind, hash) = line.trim().split_once(' ')?;
        Some(match (kind, hash.parse().ok()?) {
            ("address", TargetKind::Address(address)) => Self::Address(address),
            ("token", TargetKind::Address(address)) => Self::Token(address),
            ("transaction", TargetKind::Transaction(hash)) => Self::Transaction(hash),
            _ => return None,
        })
    }
}

impl fmt::Display for RecentEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind(), self.hash())
    }
}

impl Recents {
    /// Reads a line a place; what is no place is left out.
    pub fn parse(text: &str) -> Self {
        let mut visits = Self::default();
        // The first of two that are the same is the newer one.
        for visit in text.lines().filter_map(RecentEntry::parse) {
            if visits.0.len() < MAX_RECENTS && !visits.0.contains(&visit) {
                visits.0.push(visit);
            }
        }
        visits
    }

    /// A line a place.
    pub fn to_text(&self) -> String {
        self.0.iter().flat_map(|visit| [visit.to_string(), "\n".to_owned()]).collect()
    }

    /// Takes a step in.
    pub fn apply(&mut self, step: RecentsChange) {
        let (RecentsChange::Add(visit) | RecentsChange::Remove(visit)) = step;
        self.0.retain(|known| *known != visit);
        if matches!(step, RecentsChange::Add(_)) {
            self.0.insert(0, visit);
            self.0.truncate(MAX_RECENTS);
        }
    }

    /// The newest first.
    pub fn entries(&self) -> &[RecentEntry] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(n: u64) -> RecentEntry {
        RecentEntry::Address(Address::left_padding_from(&n.to_be_bytes()))
    }

    #[test]
    fn the_newest_is_first_and_each_is_there_once() {
        let mut visits = Recents::default();
        for n in (0..60).chain([30]) {
            visits.apply(RecentsChange::Add(address(n)));
        }
        assert_eq!(visits.entries().len(), MAX_RECENTS);
        assert_eq!(visits.entries().first(), Some(&address(30)));
        assert_eq!(visits.entries().iter().filter(|visit| **visit == address(30)).count(), 1);
        visits.apply(RecentsChange::Remove(address(30)));
        assert_eq!(visits.entries().first(), Some(&address(59)));
    }

    #[test]
    fn what_is_written_is_read_again_and_what_is_no_place_is_not() {
        let mut visits = Recents::default();
        let token = RecentEntry::Token(Address::repeat_byte(7));
        for visit in [address(1), token, RecentEntry::Transaction(TxHash::repeat_byte(9))] {
            visits.apply(RecentsChange::Add(visit));
        }
        assert_eq!(Recents::parse(&visits.to_text()), visits);
        let odd = format!("\u{1b}[2J\n{token}\naddress 0x12\ntransaction {}\n", token.hash());
        assert_eq!(Recents::parse(&odd).entries(), [token]);
        assert_eq!(Recents::parse(&visits.to_text().repeat(3)), visits);
    }
}
