//! Messages of the start page.

use crate::chain::amount::Grouped;
use crate::chain::percent::Percent;
use crate::sanitize::SafeText;

super::sentences! {
    NOTHING_YET_WATCH = "nothing yet: {go_to} opens an address or transaction · {watch} adds it";
    NOTHING_YET = "nothing yet: {go_to} opens an address or transaction";
    NO_OTHER_PANEL = "no other panel";
    DEMO_STANDS_STILL = "the demo chain stands still";
    ONLY_OWN_ROWS = "only watched and recent rows can be removed";
    LIVE_FEED = "live: new rows appear on top";
    GO_TO_HINT = "an address, transaction, block, name or link";
    PASTE_HINT = " (or paste one)";
    LISTS_OF_CHAIN = "transfers, tokens and other lists";
    LISTS = "transfers, tokens";
    ALL_BLOCKS = "{blocks} lists all blocks";
    ALL_TRANSACTIONS = "{transactions} lists all transactions";
    ACCOUNT = "account";
}

/// Descriptions of places on the demo chain.
pub mod highlight {
    crate::messages::sentences! {
        ALICE = "the busiest account: 826 transactions, 58 NFT collections";
        SWAP = "a swap through four pools and five tokens: 26 calls";
        REENTRANCY = "a reentrancy attack: 1 ETH in, 6 ETH out";
        DEEP_REVERT = "an error seven calls deep reverts everything";
        SWALLOWED_ERRORS = "nine inner calls fail, and the transaction succeeds";
        RECURSOR = "a contract with 17,378 internal transactions";
        ZERO_ADDRESS = "where tokens are minted from and burnt to";
        HOSTILE_TOKEN = "a token whose name tries to take over the terminal";
        EXACTLY_51 = "51 transactions, one more than fits a page";
    }
}

/// A title or a note of the start page.
#[derive(Debug, strum::Display)]
pub enum StartNote<'a> {
    #[strum(to_string = "not available: {why}")]
    Unavailable { why: &'a str },
    /// The recent places, which end with the program then.
    #[strum(to_string = "(not saved: {why})")]
    NotSaved { why: &'a SafeText },
    /// The average time between blocks of the explorer, which are not those that are shown.
    #[strum(to_string = "avg {seconds} s a block")]
    BlockTime { seconds: &'a str },
    #[strum(to_string = "avg {seconds} s")]
    ShortBlockTime { seconds: &'a str },
    /// The average share of the gas limit that blocks use.
    #[strum(to_string = "{percent}% full")]
    Load { percent: Percent },
    /// A share that cannot be.
    #[strum(to_string = "?% full")]
    UnknownLoad,
    #[strum(to_string = "{count} tx in all")]
    AllTransactions { count: Grouped<u64> },
    /// A chart of the transactions per day.
    #[strum(to_string = "a day {chart}")]
    Daily { chart: &'a str },
}
