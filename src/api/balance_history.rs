//! The coin balance of an address over time.

use alloy_primitives::I256;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::json_fields::{Field, json_object};
use super::reply::ReplyData;
use crate::chain::{Timestamp, TxHash, U256};
use crate::sanitize::SafeText;

json_object! {
    /// The balance after a block that changed it.
    pub struct CoinBalanceChange {
        pub block_number: Field<u64> = "block_number" | "block",
        pub timestamp: Field<Timestamp> = "block_timestamp",
        /// The transaction that changed it, if there is only one.
        pub transaction_hash: Field<TxHash> = "transaction_hash" | "tx_hash",
        /// `true` if no transaction is known that changed it. Only servers of nodes report it.
        pub is_unexplained: Field<bool>,
        /// The balance in wei.
        pub value: Field<U256>,
        /// The difference to the balance before.
        pub delta: Field<I256>,
    }
}

impl ReplyData for CoinBalanceChange {}

json_object! {
    /// Balances at the end of days. Days without a change are left out.
    pub struct DailyBalances {
        pub items: Field<Vec<DailyBalance>>,
    }
}

impl ReplyData for DailyBalances {}

json_object! {
    pub struct DailyBalance {
        /// The day, as `2023-11-14`, possibly with a time.
        pub date: Field<SafeText>,
        /// The balance in wei.
        pub value: Field<U256>,
    }
}

impl DailyBalance {
    /// Returns the start of the day in UTC.
    pub fn start(&self) -> Option<Timestamp> {
        let text = self.date.value()?;
        // A date is not parsed from a time in UTC.
        let of_time = |_| text.parse().map(|then: Timestamp| then.to_zoned(TimeZone::UTC).date());
        let day = text.parse::<Date>().or_else(of_time).ok()?;
        Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp())
    }
}
