//! Transactions: in lists, and by their hash.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::address::AddressRef;
use super::decoded_input::{DecodedInput, JsonText, RevertReason};
use super::json_fields::{Field, FromJson, RawObject};
use super::token_transfers::TokenTransfer;
use crate::chain::{Bytes, Timestamp, TxHash, U256};
use crate::sanitize::SafeText;

#[derive(Debug, Clone)]
pub struct Transaction {
    pub hash: TxHash,
    /// `ok` or `error`. Absent while pending.
    pub status: Field<SafeText>,
    /// The result: `success`, `pending`, `dropped/replaced`, `Reverted`, … an open set.
    pub result: Field<SafeText>,
    /// The block number. Absent while pending.
    pub block_number: Field<u64>,
    pub timestamp: Field<Timestamp>,
    /// The index in the block.
    pub position: Field<u64>,
    pub nonce: Field<u64>,
    /// The transaction type (0 legacy, 2 EIP-1559, 4 EIP-7702, 100 and more on rollups).
    pub kind: Field<u64>,
    pub from: Field<AddressRef>,
    /// The recipient. Absent for a creation.
    pub to: Field<AddressRef>,
    pub created_contract: Field<AddressRef>,
    pub value: Field<U256>,
    /// The fee, or its maximum while pending.
    pub fee: Field<TransactionFee>,
    pub gas: TransactionGas,
    /// The called method's name, or its selector.
    pub method: Field<SafeText>,
    /// The calldata, or the init code of a creation.
    pub raw_input: Field<Bytes>,
    pub decoded_input: Field<DecodedInput>,
    pub revert_reason: Field<RevertReason>,
    /// Up to ten token transfers. Absent in lists.
    pub token_transfers: Field<Vec<TokenTransfer>>,
    pub token_transfers_overflow: Field<bool>,
    /// `coin_transfer`, `contract_call`, … an open set.
    pub transaction_types: Field<Vec<SafeText>>,
    /// A private tag of the explorer's user.
    pub transaction_tag: Field<SafeText>,
    /// Whether an internal call failed.
    pub has_inner_error: Field<bool>,
    /// Confirmations, with the transaction's own block.
    pub confirmations: Field<u64>,
    /// The time to confirmation in milliseconds: up to two numbers, a range.
    pub confirmation_duration: Field<Vec<SafeText>>,
    /// The price of the coin now, in US dollars, decimal.
    pub exchange_rate: Field<SafeText>,
    /// The price of the coin at the time of the transaction, in US dollars, decimal.
    pub historic_exchange_rate: Field<SafeText>,
    /// Actions in known protocols. Sent by servers before version 11.
    pub actions: Field<Vec<ProtocolAction>>,
    /// Delegations (EIP-7702), each as JSON.
    pub authorization_list: Field<Vec<JsonText>>,
    /// Other fields: those of one kind of chain, or of newer servers.
    pub extra_fields: Vec<(SafeText, SafeText)>,
}

#[derive(Debug, Clone)]
pub struct TransactionFee {
    /// `actual`, or `maximum` while pending.
    pub kind: Field<SafeText>,
    pub value: Field<U256>,
}

/// The gas of a transaction, and its prices in wei per unit.
#[derive(Debug, Clone)]
pub struct TransactionGas {
    pub limit: Field<u64>,
    pub used: Field<u64>,
    pub price: Field<U256>,
    pub base_fee: Field<U256>,
    pub max_fee: Field<U256>,
    pub max_priority_fee: Field<U256>,
    /// The priority fee paid in total, in wei.
    pub priority_fee: Field<U256>,
    /// The fee burnt in total, in wei.
    pub burnt_fee: Field<U256>,
}

#[derive(Debug, Clone)]
pub struct ProtocolAction {
    /// `uniswap_v3`, `aave_v3`, …
    pub protocol: Field<SafeText>,
    pub kind: Field<SafeText>,
    pub data: Field<JsonText>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionOutcome {
    Ok,
    /// Successful, with a failed internal call.
    OkInnerFailure,
    Failed,
    /// Not included in a block, or not indexed yet.
    Pending,
    Unknown,
}

impl Transaction {
    pub fn outcome(&self) -> TransactionOutcome {
        match (&self.status, self.has_inner_error.value()) {
            (Field::Present(s), Some(true)) if **s == *"ok" => TransactionOutcome::OkInnerFailure,
            (Field::Present(s), _) if **s == *"ok" => TransactionOutcome::Ok,
            (Field::Present(s), _) if **s == *"error" => TransactionOutcome::Failed,
            (Field::Absent, _) => TransactionOutcome::Pending,
            _ => TransactionOutcome::Unknown,
        }
    }

    /// Describes the outcome, with the server's reason: `Reverted`, `dropped/replaced`.
    pub fn describe_outcome(&self) -> Cow<'_, str> {
        match (self.outcome(), self.result.value()) {
            (TransactionOutcome::Ok, _) => "ok".into(),
            (TransactionOutcome::OkInnerFailure, _) => "ok, but a call inside it failed".into(),
            (TransactionOutcome::Failed, Some(reason)) => format!("failed: {reason}").into(),
            (TransactionOutcome::Failed, None) => "failed".into(),
            (TransactionOutcome::Pending, Some(reason)) => Cow::Borrowed(&**reason),
            (TransactionOutcome::Pending, None) => "pending".into(),
            (TransactionOutcome::Unknown, _) => "?".into(),
        }
    }
}

impl FromJson for Transaction {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = &RawObject::parse(json)?;
        let hash = match object.field(&["hash"]) {
            Field::Present(hash) => hash,
            Field::Absent => return Err("a transaction without `hash`".into()),
            Field::Invalid(reason) => return Err(reason),
        };
        let mut transaction = Self::from_object(hash, object);
        transaction.extra_fields = object.extra_fields();
        Ok(transaction)
    }
}

impl Transaction {
    fn from_object(hash: TxHash, object: &RawObject<'_>) -> Self {
        Self {
            hash,
            status: object.field(&["status"]),
            result: object.field(&["result"]),
            block_number: object.field(&["block_number", "block"]),
            timestamp: object.field(&["timestamp"]),
            position: object.field(&["position"]),
            nonce: object.field(&["nonce"]),
            kind: object.field(&["type"]),
            from: object.field(&["from"]),
            to: object.field(&["to"]),
            created_contract: object.field(&["created_contract"]),
            value: object.field(&["value"]),
            fee: object.field(&["fee"]),
            gas: TransactionGas::from_object(object),
            method: object.field(&["method"]),
            raw_input: object.field(&["raw_input"]),
            decoded_input: object.field(&["decoded_input"]),
            revert_reason: object.field(&["revert_reason"]),
            token_transfers: object.field(&["token_transfers"]),
            token_transfers_overflow: object.field(&["token_transfers_overflow"]),
            transaction_types: object.field(&["transaction_types", "tx_types"]),
            transaction_tag: object.field(&["transaction_tag", "tx_tag"]),
            has_inner_error: object
                .field(&["has_error_in_internal_transactions", "has_error_in_internal_txs"]),
            confirmations: object.field(&["confirmations"]),
            confirmation_duration: object.field(&["confirmation_duration"]),
            exchange_rate: object.field(&["exchange_rate"]),
            historic_exchange_rate: object.field(&["historic_exchange_rate"]),
            actions: object.field(&["actions"]),
            authorization_list: object.field(&["authorization_list"]),
            extra_fields: Vec::new(),
        }
    }
}

impl TransactionGas {
    fn from_object(object: &RawObject<'_>) -> Self {
        Self {
            limit: object.field(&["gas_limit"]),
            used: object.field(&["gas_used"]),
            price: object.field(&["gas_price"]),
            base_fee: object.field(&["base_fee_per_gas"]),
            max_fee: object.field(&["max_fee_per_gas"]),
            max_priority_fee: object.field(&["max_priority_fee_per_gas"]),
            priority_fee: object.field(&["priority_fee"]),
            burnt_fee: object.field(&["transaction_burnt_fee", "tx_burnt_fee"]),
        }
    }
}

impl FromJson for TransactionFee {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        Ok(Self { kind: object.field(&["type"]), value: object.field(&["value"]) })
    }
}

impl FromJson for ProtocolAction {
    fn from_json(json: &RawValue) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        Ok(Self {
            protocol: object.field(&["protocol"]),
            kind: object.field(&["type"]),
            data: object.field(&["data"]),
        })
    }
}
