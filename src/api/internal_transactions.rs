//! An address's internal transactions: calls between contracts.

use serde_json::value::RawValue;

use super::address::AddressRef;
use super::json_fields::{Field, FromJson, RawObject};
use crate::chain::{Timestamp, TxHash, U256};
use crate::sanitize::SafeText;

/// A call, creation or self-destruction inside a transaction. The transaction's own call is not listed.
#[derive(Debug, Clone)]
pub struct InternalTransaction {
    /// The transaction it happened in.
    pub transaction_hash: Field<TxHash>,
    /// Its place among that transaction's calls.
    pub index: Field<u64>,
    /// That transaction's place in the block: servers since 6.9.
    pub transaction_index: Field<u64>,
    /// The block.
    pub block_number: Field<u64>,
    /// When that block was made.
    pub timestamp: Field<Timestamp>,
    /// `call`, `staticcall`, `create2`, `selfdestruct`, …: an open set.
    pub kind: Field<SafeText>,
    /// The caller.
    pub from: Field<AddressRef>,
    /// The callee. Absent for a creation on most servers.
    pub to: Field<AddressRef>,
    /// What was created.
    pub created_contract: Field<AddressRef>,
    /// Wei sent along.
    pub value: Field<U256>,
    /// Gas it was given.
    pub gas_limit: Field<U256>,
    /// Whether there is no error text.
    pub success: Field<bool>,
    /// Why it failed.
    pub error: Field<SafeText>,
    /// Fields this build does not know.
    pub extra_fields: Vec<(SafeText, SafeText)>,
}

impl FromJson for InternalTransaction {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        Ok(Self {
            transaction_hash: object.field(&["transaction_hash", "tx_hash"]),
            index: object.field(&["index"]),
            transaction_index: object.field(&["transaction_index"]),
            block_number: object.field(&["block_number", "block"]),
            timestamp: object.field(&["timestamp"]),
            kind: object.field(&["type"]),
            from: object.field(&["from"]),
            to: object.field(&["to"]),
            created_contract: object.field(&["created_contract"]),
            value: object.field(&["value"]),
            gas_limit: object.field(&["gas_limit"]),
            success: object.field(&["success"]),
            error: object.field(&["error"]),
            extra_fields: object.extra_fields(),
        })
    }
}
