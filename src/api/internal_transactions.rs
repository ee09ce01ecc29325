//! Internal transactions: calls between contracts.

use serde_json::value::RawValue;

use super::address::AddressRef;
use super::json_fields::{Field, FromJson, RawObject};
use crate::chain::{Timestamp, TxHash, U256};
use crate::sanitize::SafeText;

/// A call, creation or self-destruction within a transaction. The transaction's own call is not
/// listed.
#[derive(Debug, Clone)]
pub struct InternalTransaction {
    pub transaction_hash: Field<TxHash>,
    /// The index among the transaction's calls.
    pub index: Field<u64>,
    /// The index of the transaction in the block. Sent by servers since version 6.9.
    pub transaction_index: Field<u64>,
    pub block_number: Field<u64>,
    pub timestamp: Field<Timestamp>,
    /// `call`, `staticcall`, `create2`, `selfdestruct`, …: an open set.
    pub kind: Field<SafeText>,
    pub from: Field<AddressRef>,
    /// The callee. Absent for a creation on most servers.
    pub to: Field<AddressRef>,
    pub created_contract: Field<AddressRef>,
    pub value: Field<U256>,
    pub gas_limit: Field<U256>,
    pub success: Field<bool>,
    pub error: Field<SafeText>,
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
