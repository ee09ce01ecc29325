//! An address's transactions, and one transaction by its hash.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::address::AddressRef;
use super::decoded_input::{DecodedInput, JsonText, RevertReason};
use super::json_fields::{Field, FromJson, RawObject};
use super::token_transfers::TokenTransfer;
use crate::chain::{Bytes, Timestamp, TxHash, U256};
use crate::sanitize::SafeText;

/// A transaction, as it stands in a list or by itself.
#[derive(Debug, Clone)]
pub struct Transaction {
    /// Its name.
    pub hash: TxHash,
    /// Whether it did what it was sent for. Absent while pending.
    pub status: Field<SafeText>,
    /// The outcome in words: `success`, `pending`, `dropped/replaced`, `Reverted`, … an open set.
    pub result: Field<SafeText>,
    /// The block it is in. Absent while pending.
    pub block_number: Field<u64>,
    /// When that block was made.
    pub timestamp: Field<Timestamp>,
    /// Its place in the block.
    pub position: Field<u64>,
    /// The sender's count of transactions before it.
    pub nonce: Field<u64>,
    /// The transaction type number (0 legacy, 2 EIP-1559, 4 EIP-7702, 100 and more on rollups).
    pub kind: Field<u64>,
    /// Who signed it.
    pub from: Field<AddressRef>,
    /// Who it calls. Absent for a creation.
    pub to: Field<AddressRef>,
    /// The contract it created.
    pub created_contract: Field<AddressRef>,
    /// Wei sent along.
    pub value: Field<U256>,
    /// What it cost, or may cost at most.
    pub fee: Field<TransactionFee>,
    /// Gas.
    pub gas: TransactionGas,
    /// The called method's name, or its selector.
    pub method: Field<SafeText>,
    /// Calldata, or a creation's init code.
    pub raw_input: Field<Bytes>,
    /// Calldata as the server decoded it.
    pub decoded_input: Field<DecodedInput>,
    /// Why it reverted.
    pub revert_reason: Field<RevertReason>,
    /// Up to ten of its token transfers. Absent in lists.
    pub token_transfers: Field<Vec<TokenTransfer>>,
    /// Whether there are more.
    pub token_transfers_overflow: Field<bool>,
    /// What it is about: `coin_transfer`, `contract_call`, … an open set.
    pub transaction_types: Field<Vec<SafeText>>,
    /// A private note of the explorer's user.
    pub transaction_tag: Field<SafeText>,
    /// Whether some call inside it failed.
    pub has_inner_error: Field<bool>,
    /// Blocks on top of its own, its own included.
    pub confirmations: Field<u64>,
    /// Milliseconds until confirmed: up to two numbers.
    pub confirmation_duration: Field<Vec<SafeText>>,
    /// US dollars for one coin today, decimal.
    pub exchange_rate: Field<SafeText>,
    /// US dollars for one coin when it was made, decimal.
    pub historic_exchange_rate: Field<SafeText>,
    /// What it did in terms of known protocols: servers before 11.
    pub actions: Field<Vec<ProtocolAction>>,
    /// Delegations it sets (EIP-7702), each as JSON.
    pub authorization_list: Field<Vec<JsonText>>,
    /// Fields this build does not know: those of one kind of chain, or of newer servers.
    pub extra_fields: Vec<(SafeText, SafeText)>,
}

/// What a transaction pays, in wei.
#[derive(Debug, Clone)]
pub struct TransactionFee {
    /// `actual`, or `maximum` while it is not final.
    pub kind: Field<SafeText>,
    /// Wei.
    pub value: Field<U256>,
}

/// Gas and its prices, in wei a unit.
#[derive(Debug, Clone)]
pub struct TransactionGas {
    /// At most.
    pub limit: Field<u64>,
    /// Used.
    pub used: Field<u64>,
    /// Price paid.
    pub price: Field<U256>,
    /// The block's base fee.
    pub base_fee: Field<U256>,
    /// The sender's limit for the price.
    pub max_fee: Field<U256>,
    /// The sender's limit for the tip.
    pub max_priority_fee: Field<U256>,
    /// The tip paid in all, wei.
    pub priority_fee: Field<U256>,
    /// Burnt in all, wei.
    pub burnt_fee: Field<U256>,
}

/// What a transaction did in terms of a known protocol.
#[derive(Debug, Clone)]
pub struct ProtocolAction {
    /// `uniswap_v3`, `aave_v3`, …
    pub protocol: Field<SafeText>,
    /// What was done.
    pub kind: Field<SafeText>,
    /// Its particulars, as JSON.
    pub data: Field<JsonText>,
}

/// How a transaction ended, in the four forms that a reader must tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionOutcome {
    /// In a block, and it did what it was sent for.
    Ok,
    /// As `Ok`, but some call inside it failed.
    OkInnerFailure,
    /// In a block, and undone.
    Failed,
    /// Not in a block, or the server does not know yet.
    Pending,
    /// The server says something this build does not know.
    Unknown,
}

impl Transaction {
    /// How it ended.
    pub fn outcome(&self) -> TransactionOutcome {
        match (&self.status, self.has_inner_error.value()) {
            (Field::Present(s), Some(true)) if **s == *"ok" => TransactionOutcome::OkInnerFailure,
            (Field::Present(s), _) if **s == *"ok" => TransactionOutcome::Ok,
            (Field::Present(s), _) if **s == *"error" => TransactionOutcome::Failed,
            (Field::Absent, _) => TransactionOutcome::Pending,
            _ => TransactionOutcome::Unknown,
        }
    }

    /// What went wrong or is missing, in the server's words: `Reverted`, `dropped/replaced`.
    pub fn describe_outcome(&self) -> Cow<'_, str> {
        match (self.outcome(), self.result.value()) {
            (TransactionOutcome::Ok, _) => "ok".into(),
            (TransactionOutcome::OkInnerFailure, _) => "ok, but a call inside it failed".into(),
            (TransactionOutcome::Failed, Some(why)) => format!("failed: {why}").into(),
            (TransactionOutcome::Failed, None) => "failed".into(),
            (TransactionOutcome::Pending, Some(why)) => Cow::Borrowed(&**why),
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
            Field::Invalid(why) => return Err(why),
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
