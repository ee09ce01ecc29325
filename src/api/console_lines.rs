//! Lines that contracts printed with `console.log`: of a transaction, and of the whole chain.
//!
//! Only this program's own server lists them. It finds the calls of the console in a node's traces, and
//! formats their arguments as the development tools do. A line of a call that was undone is listed too:
//! often it says why.

use super::address::AddressRef;
use super::json_fields::{Field, json_object};
use super::reply::reply_data;
use crate::chain::{Timestamp, TxHash};
use crate::sanitize::SafeText;

json_object! {
    pub struct ConsoleLine {
        pub transaction_hash: Field<TxHash> = "transaction_hash" | "tx_hash",
        pub block_number: Field<u64> = "block_number" | "block",
        pub timestamp: Field<Timestamp>,
        /// The index of the call to the console in its transaction.
        pub index: Field<u64>,
        pub contract: Field<AddressRef>,
        /// The name of the function that ran, or its selector.
        pub function: Field<SafeText>,
        /// The arguments, formatted.
        pub text: Field<SafeText>,
        /// `true` if a call around it failed.
        pub is_undone: Field<bool>,
    }
}

reply_data!(ConsoleLine: contract);
