//! Messages of a transaction's page.

use std::fmt;

use crate::sanitize::SafeText;

/// A list of transfers that a transaction's page is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferList {
    Token,
    Internal,
}

impl fmt::Display for TransferList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Token => "token transfers",
            Self::Internal => "internal transfers",
        })
    }
}

/// Transfers that the page lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingTransfers {
    Unreadable(usize),
    UnreadableCalls(usize),
    /// Calls inside failed, and only the trace shows which others were reverted with them.
    SeeTrace,
    NotLoaded,
    Failed(TransferList, SafeText),
    /// Further pages are not loaded.
    FirstPages(TransferList, usize),
}

impl fmt::Display for MissingTransfers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(1) => f.write_str("? 1 transfer cannot be read: incomplete"),
            Self::Unreadable(count) => {
                write!(f, "? {count} transfers cannot be read: incomplete")
            }
            Self::UnreadableCalls(1) => f.write_str("? 1 call cannot be read: incomplete"),
            Self::UnreadableCalls(count) => {
                write!(f, "? {count} calls cannot be read: incomplete")
            }
            Self::SeeTrace => f.write_str("? internal transfers: see Trace"),
            Self::NotLoaded => f.write_str("internal transfers: not loaded"),
            Self::Failed(list, why) => write!(f, "? {list}: {why}"),
            Self::FirstPages(list, pages) => write!(f, "? {list}: only the first {pages} pages"),
        }
    }
}
