//! Recently opened addresses, transactions and tokens, one per line of a text file.

use std::fmt;

use crate::chain::target::TargetKind;
use crate::chain::{Address, TxHash};

const MAX_RECENTS: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecentEntry {
    Address(Address),
    Transaction(TxHash),
    Token(Address),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecentsChange {
    Add(RecentEntry),
    Remove(RecentEntry),
}

/// The recent entries of one chain, newest first, without duplicates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recents(Vec<RecentEntry>);

impl RecentEntry {
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Address(_) => "address",
            Self::Transaction(_) => "transaction",
            Self::Token(_) => "token",
        }
    }

    pub fn address(&self) -> Option<Address> {
        match self {
            Self::Address(address) | Self::Token(address) => Some(*address),
            Self::Transaction(_) => None,
        }
    }

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
    /// Parses one entry per line and skips invalid lines.
    pub fn parse(text: &str) -> Self {
        let mut recents = Self::default();
        // Of two equal entries the first is newer.
        for entry in text.lines().filter_map(RecentEntry::parse) {
            if recents.0.len() < MAX_RECENTS && !recents.0.contains(&entry) {
                recents.0.push(entry);
            }
        }
        recents
    }

    pub fn to_text(&self) -> String {
        self.0.iter().flat_map(|entry| [entry.to_string(), "\n".to_owned()]).collect()
    }

    pub fn apply(&mut self, change: RecentsChange) {
        let (RecentsChange::Add(entry) | RecentsChange::Remove(entry)) = change;
        self.0.retain(|known| *known != entry);
        if matches!(change, RecentsChange::Add(_)) {
            self.0.insert(0, entry);
            self.0.truncate(MAX_RECENTS);
        }
    }

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
    fn newest_entry_is_first_and_entries_are_unique() {
        let mut recents = Recents::default();
        for n in (0..60).chain([30]) {
            recents.apply(RecentsChange::Add(address(n)));
        }
        assert_eq!(recents.entries().len(), MAX_RECENTS);
        assert_eq!(recents.entries().first(), Some(&address(30)));
        assert_eq!(recents.entries().iter().filter(|entry| **entry == address(30)).count(), 1);
        recents.apply(RecentsChange::Remove(address(30)));
        assert_eq!(recents.entries().first(), Some(&address(59)));
    }

    #[test]
    fn entries_round_trip_and_invalid_lines_are_skipped() {
        let mut recents = Recents::default();
        let token = RecentEntry::Token(Address::repeat_byte(7));
        for entry in [address(1), token, RecentEntry::Transaction(TxHash::repeat_byte(9))] {
            recents.apply(RecentsChange::Add(entry));
        }
        assert_eq!(Recents::parse(&recents.to_text()), recents);
        let odd = format!("\u{1b}[2J\n{token}\naddress 0x12\ntransaction {}\n", token.hash());
        assert_eq!(Recents::parse(&odd).entries(), [token]);
        assert_eq!(Recents::parse(&recents.to_text().repeat(3)), recents);
        let long: Vec<String> = (0..60).map(|n| address(n).to_string()).collect();
        let kept = Recents::parse(&long.join("\n"));
        assert_eq!(kept.entries().len(), MAX_RECENTS);
        assert_eq!(kept.entries().first(), Some(&address(0)));
    }
}
