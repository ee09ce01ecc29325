//! Internal transactions: calls between contracts.

use super::address::AddressRef;
use super::json_fields::{Field, json_object};
use super::reply::reply_data;
use crate::chain::call_kind::CallKind;
use crate::chain::{Timestamp, TxHash, U256};
use crate::sanitize::SafeText;

/// The error of a call that was reverted with its parent, in Blockscout's words.
pub const PARENT_REVERTED: &str = "Parent reverted";

json_object! {
    /// A call, creation or self-destruction within a transaction. The transaction's own call is not
    /// listed.
    pub struct InternalTransaction {
        pub transaction_hash: Field<TxHash> = "transaction_hash" | "tx_hash",
        /// The index among the transaction's calls.
        pub index: Field<u64>,
        /// The index of the transaction in the block. Sent by servers since version 6.9.
        pub transaction_index: Field<u64>,
        pub block_number: Field<u64> = "block_number" | "block",
        pub timestamp: Field<Timestamp>,
        /// `call`, `staticcall`, `create2`, `selfdestruct`, …: an open set.
        pub kind: Field<SafeText> = "type",
        pub from: Field<AddressRef>,
        /// The callee. Absent for a creation on most servers.
        pub to: Field<AddressRef>,
        pub created_contract: Field<AddressRef>,
        pub value: Field<U256>,
        pub gas_limit: Field<U256>,
        pub success: Field<bool>,
        pub error: Field<SafeText>,
    }
}

reply_data!(InternalTransaction: from, to, created_contract);

impl InternalTransaction {
    /// Returns `true` if it did not fail itself. Most explorers mark no such calls.
    pub fn is_reverted_with_parent(&self) -> bool {
        self.error.value().is_some_and(|error| error.eq_ignore_ascii_case(PARENT_REVERTED))
    }

    /// Returns `true` if it does not send its value, which its caller has.
    pub fn inherits_value(&self) -> bool {
        let kind = self.kind.value().map(|kind| CallKind::from_name(kind.as_bytes()));
        kind.is_some_and(CallKind::is_delegated) && self.value.value().is_some_and(|v| !v.is_zero())
    }
}
