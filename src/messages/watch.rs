//! Messages of watched addresses.

use super::Count;
use super::failed_refresh::DataAge;
use crate::chain::Address;
use crate::chain::amount::Grouped;

super::sentences! {
    NOTHING_NEW_ON_DEMO = "the demo chain stands still: nothing new will come";
}

/// A note of `chainglass watch`.
#[derive(Debug, strum::Display)]
pub enum WatchNote<'a> {
    #[strum(to_string = "watching on {chain}; Ctrl-C ends")]
    Watching { chain: &'a str },
    /// A network or a server that does not work.
    #[strum(to_string = "{why}; retrying")]
    Outage { why: &'a str },
    #[strum(to_string = "works again; the last answer was {age}")]
    Recovered { age: DataAge },
    /// Rows before the pages that were read back.
    #[strum(to_string = "{address}: more than {rows} new rows, older ones left out")]
    LeftOut { address: Address, rows: Grouped<usize> },
    /// The text of a notification.
    #[strum(to_string = "{address}: {rows}")]
    NewRows { address: &'a str, rows: Count },
    #[strum(to_string = "{address}: cannot read a row: {why}")]
    UnreadableRow { address: Address, why: &'a str },
}

/// The number of unread transactions.
#[derive(Debug, strum::Display)]
pub enum UnreadMark {
    /// At a watched address.
    #[strum(to_string = "{unread} new")]
    Address { unread: usize },
    /// In the terminal's title.
    #[strum(to_string = "({unread}) chainglass")]
    Title { unread: usize },
}
