//! Transactions: in lists, and by their hash.

use std::borrow::Cow;

use alloy_primitives::hex;

use super::address::AddressRef;
use super::decoded_input::{AbiIdentifier, DecodedInput, JsonText, RevertReason};
use super::json_fields::{ExtraFields, Field, FromObject, RawObject, json_object};
use super::reply::{NamedPart, ReplyData, own_parts};
use super::token::Token;
use super::token_transfers::TokenTransfer;
use crate::chain::fiat_value::ExchangeRate;
use crate::chain::{Bytes, TRANSFER_GAS, Timestamp, TxHash, U256};
use crate::messages::node::ResponseDefect::MissingField;
use crate::messages::transaction::{
    DROPPED_FROM_POOL, INNER_CALLS_FAILED, NOT_IN_POOL, NOTHING_PAID, PoolMessage,
    REASON_NOT_INDEXED,
};
use crate::sanitize::SafeText;

json_object! {
    pub struct Transaction {
        pub hash: TxHash,
        /// `ok` or `error`. Absent while pending or not indexed.
        pub status: Field<SafeText>,
        /// The result: `success`, `pending`, `dropped/replaced`, `Reverted`, … an open set.
        pub result: Field<SafeText>,
        /// The block number. Absent while pending.
        pub block_number: Field<u64> = "block_number" | "block",
        pub timestamp: Field<Timestamp>,
        /// The index in the block.
        pub position: Field<u64>,
        pub nonce: Field<u64>,
        /// The transaction type (0 legacy, 2 EIP-1559, 4 EIP-7702, 100 and more on rollups).
        pub kind: Field<u64> = "type",
        pub from: Field<AddressRef>,
        /// The recipient. Absent for a creation.
        pub to: Field<AddressRef>,
        /// The address of the new contract, also if its creation failed (see [`Self::created`]).
        pub created_contract: Field<AddressRef>,
        pub value: Field<U256>,
        /// The fee, or its maximum while pending.
        pub fee: Field<TransactionFee>,
        pub gas: TransactionGas,
        /// The called method's name, or its selector.
        pub method: Field<AbiIdentifier>,
        /// The calldata, or the init code of a creation.
        pub raw_input: Field<Bytes>,
        pub decoded_input: Field<DecodedInput>,
        pub revert_reason: Field<RevertReason>,
        /// Up to ten token transfers. Absent in lists.
        pub token_transfers: Field<Vec<TokenTransfer>>,
        pub token_transfers_overflow: Field<bool>,
        /// `coin_transfer`, `contract_call`, … an open set.
        pub transaction_types: Field<Vec<SafeText>> = "transaction_types" | "tx_types",
        /// A private tag of the explorer's user.
        pub transaction_tag: Field<SafeText> = "transaction_tag" | "tx_tag",
        /// `true` if an internal call failed.
        pub has_inner_error: Field<bool> =
            "has_error_in_internal_transactions" | "has_error_in_internal_txs",
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
        /// The versioned hashes of its blobs (EIP-4844).
        pub blob_hashes: Field<Vec<SafeText>> = "blob_versioned_hashes",
        /// The number of lines on the console. Only servers of nodes report it.
        pub console_line_count: Field<u64>,
        /// The error of the last call of a transaction that reverted without data. Only servers of nodes report it.
        pub last_call_error: Field<SafeText>,
        /// Set when a live list of pending transactions no longer has the transaction.
        pub pool_exit: Field<PoolExit> = "left_pool",
        /// The sender's nonces before it of which no transaction is known. Only servers of nodes report them.
        pub awaited_nonces: Field<Vec<u64>>,
        /// Fields of one kind of chain only, or of newer servers.
        pub extra_fields: ExtraFields,
    }
}

impl ReplyData for Transaction {
    fn parties(&self) -> Vec<&AddressRef> {
        let parties = [&self.from, &self.to, self.created()];
        parties.into_iter().filter_map(Field::value).collect()
    }

    fn named_parts(&self) -> Vec<NamedPart<'_>> {
        let transfers = self.token_transfers.value().into_iter().flatten();
        own_parts(self).into_iter().chain(transfers.flat_map(ReplyData::named_parts)).collect()
    }
}

json_object! {
    /// The reason why a transaction left the pool without being in a block, or its block. All are absent
    /// while that is unknown.
    pub struct PoolExit {
        /// A transaction with the same sender and nonce.
        pub replaced_by: Field<TxHash>,
        /// The block of the replacement. Only servers of nodes report it.
        pub replaced_in: Field<u64>,
        /// The block that it was in. Only servers of nodes report it.
        pub rolled_back_from: Field<u64>,
        /// `true` if there is none, `false` if one was not found.
        pub is_dropped: Field<bool>,
    }
}

/// The fee of a transaction, in the coin or in a token.
#[derive(Debug, Clone)]
pub struct TransactionFee {
    /// `actual`, or `maximum` while pending.
    pub kind: Field<SafeText>,
    pub value: Field<U256>,
    /// The token of the fee and of the prices of gas. Absent if they are in the coin.
    pub token: Field<Box<Token>>,
}

json_object! {
    pub struct SentFee {
        pub kind: Field<SafeText> = "type",
        pub value: Field<U256>,
        pub token: Field<Box<Token>>,
    }
}

json_object! {
    pub struct CeloFields {
        pub gas_token: Field<Box<Token>>,
    }
}

json_object! {
    /// The fee on Stability, which has no coin.
    pub struct StabilityFee {
        pub token: Field<Box<Token>>,
        pub total_fee: Field<U256>,
    }
}

impl FromObject for Field<TransactionFee> {
    fn from_object(object: &RawObject<'_>, names: &[&str]) -> Result<Self, SafeText> {
        let sent: Field<SentFee> = object.field(names);
        if let Field::Present(fee) = object.peek::<StabilityFee>("stability_fee") {
            let kind = sent.value().map_or(Field::Absent, |sent| sent.kind.clone());
            let token = match fee.token {
                Field::Absent => Field::Invalid(MissingField("token").into()),
                token => token,
            };
            return Ok(Field::Present(TransactionFee { kind, value: fee.total_fee, token }));
        }
        let celo = object.peek::<CeloFields>("celo").and_then(|celo| celo.gas_token);
        Ok(sent.and_then(|SentFee { kind, value, token }| {
            let token = if matches!(token, Field::Absent) { celo } else { token };
            Field::Present(TransactionFee { kind, value, token })
        }))
    }
}

impl TransactionFee {
    /// Returns the fee in wei, unless it was paid in a token.
    pub fn wei(&self) -> Option<&U256> {
        self.value.value().filter(|_| self.is_in_coin())
    }

    pub fn is_in_coin(&self) -> bool {
        matches!(self.token, Field::Absent)
    }
}

json_object! {
    /// The gas of a transaction, and its prices in wei per unit.
    pub struct TransactionGas {
        pub limit: Field<u64> = "gas_limit",
        pub used: Field<u64> = "gas_used",
        pub price: Field<U256> = "gas_price",
        pub base_fee: Field<U256> = "base_fee_per_gas",
        pub max_fee: Field<U256> = "max_fee_per_gas",
        pub max_priority_fee: Field<U256> = "max_priority_fee_per_gas",
        /// The priority fee paid in total, in wei.
        pub priority_fee: Field<U256>,
        /// The fee burnt in total, in wei.
        pub burnt_fee: Field<U256> = "transaction_burnt_fee" | "tx_burnt_fee",
    }
}

json_object! {
    pub struct ProtocolAction {
        /// `uniswap_v3`, `aave_v3`, …
        pub protocol: Field<SafeText>,
        pub kind: Field<SafeText> = "type",
        pub data: Field<JsonText>,
    }
}

/// Progress of a transaction from the pool to a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolState {
    Pending,
    Mined(u64),
    Replaced(TxHash),
    Dropped,
    DroppedOrReplaced,
    /// It was in this block.
    RolledBack(u64),
    /// It is not in the pool any more.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionOutcome {
    Ok,
    /// Successful, with a failed internal call.
    OkInnerFailure,
    Failed,
    /// Replaced, or dropped from the pool: it is in no block, and nothing was paid.
    Dropped,
    /// Not included in a block, or not indexed yet.
    Pending,
    Unknown,
}

/// Kind of a transaction that calls nothing.
pub const PLAIN_SEND: &str = "send";
/// Kind of a transaction that creates a contract.
pub const DEPLOYMENT: &str = "deploy";
pub(super) const DROPPED: &str = "dropped/replaced";
/// The result of a transaction whose calls the server has not fetched yet.
pub const AWAITING: &str = "awaiting_internal_transactions";

impl Transaction {
    pub fn outcome(&self) -> TransactionOutcome {
        match (&self.status, self.has_inner_error.value()) {
            (Field::Present(s), Some(true)) if s == "ok" => TransactionOutcome::OkInnerFailure,
            (Field::Present(s), _) if s == "ok" => TransactionOutcome::Ok,
            (Field::Present(s), _) if s == "error" => match self.result.value() {
                Some(result) if result == DROPPED => TransactionOutcome::Dropped,
                _ => TransactionOutcome::Failed,
            },
            (Field::Absent, _) => match self.pool_state() {
                PoolState::Pending => TransactionOutcome::Pending,
                PoolState::Mined(_) | PoolState::Unknown => TransactionOutcome::Unknown,
                _ => TransactionOutcome::Dropped,
            },
            _ => TransactionOutcome::Unknown,
        }
    }

    /// Returns `true` for the creation of a contract. An unreadable recipient is a recipient.
    pub fn is_creation(&self) -> bool {
        matches!(self.to, Field::Absent)
    }

    pub fn pool_state(&self) -> PoolState {
        let is_dropped = self.result.value().is_some_and(|result| result == DROPPED);
        match (self.block_number.value(), self.pool_exit.value()) {
            (Some(block), _) => PoolState::Mined(*block),
            (None, Some(PoolExit { rolled_back_from: Field::Present(block), .. })) => {
                PoolState::RolledBack(*block)
            }
            (None, Some(exit)) => match (exit.replaced_by.value(), exit.is_dropped.value()) {
                (Some(hash), _) => PoolState::Replaced(*hash),
                (None, Some(true)) => PoolState::Dropped,
                (None, Some(false)) => PoolState::DroppedOrReplaced,
                (None, None) => PoolState::Unknown,
            },
            (None, None) if is_dropped => PoolState::DroppedOrReplaced,
            (None, None) => PoolState::Pending,
        }
    }

    /// Returns the server's reason of a failure, or the end of a transaction that is in no block.
    pub fn failure(&self) -> Option<Cow<'_, str>> {
        match self.outcome() {
            TransactionOutcome::Failed => self.result.value().map(|result| Cow::from(&**result)),
            TransactionOutcome::Dropped => Some(self.describe_outcome()),
            _ => None,
        }
    }

    /// Returns `true` if its failure is known without the reason, which a server of nodes may still read.
    pub fn awaits_reason(&self) -> bool {
        self.outcome() == TransactionOutcome::Failed && self.result == Field::Absent
    }

    /// Describes the outcome, with the server's reason, such as `Reverted`.
    pub fn describe_outcome(&self) -> Cow<'_, str> {
        match (self.outcome(), self.result.value()) {
            (TransactionOutcome::Ok, _) => "ok".into(),
            (TransactionOutcome::OkInnerFailure, _) => {
                ["ok · ", INNER_CALLS_FAILED].concat().into()
            }
            (TransactionOutcome::Failed, Some(reason)) if reason == AWAITING => {
                REASON_NOT_INDEXED.into()
            }
            (TransactionOutcome::Failed, Some(reason)) => format!("failed: {reason}").into(),
            (TransactionOutcome::Failed, None) => "failed".into(),
            (TransactionOutcome::Dropped, _) => match self.pool_state() {
                PoolState::Replaced(hash) => {
                    let block = self.pool_exit.value().and_then(|exit| exit.replaced_in.value());
                    PoolMessage::ReplacedBy { hash: &hash.to_string(), block: block.copied() }
                        .to_string()
                        .into()
                }
                PoolState::RolledBack(block) => {
                    PoolMessage::RolledBack { block }.to_string().into()
                }
                PoolState::Dropped => DROPPED_FROM_POOL.into(),
                _ => NOTHING_PAID.into(),
            },
            (TransactionOutcome::Pending, reason) => match self.awaited_nonces.value() {
                Some(nonces) if !nonces.is_empty() => {
                    PoolMessage::Awaits { nonces }.to_string().into()
                }
                _ => reason.map_or("pending".into(), |reason| Cow::Borrowed(&**reason)),
            },
            (TransactionOutcome::Unknown, _) if self.pool_state() == PoolState::Unknown => {
                NOT_IN_POOL.into()
            }
            (TransactionOutcome::Unknown, Some(result)) => format!("? ({result})").into(),
            (TransactionOutcome::Unknown, None) => "?".into(),
        }
    }

    /// Returns the price of the coin at the time of the transaction, else today's.
    pub fn coin_rate(&self) -> Option<ExchangeRate<'_>> {
        let rate = |field, is_current| {
            Field::value(field).map(|dollars: &SafeText| ExchangeRate { dollars, is_current })
        };
        rate(&self.historic_exchange_rate, false).or_else(|| rate(&self.exchange_rate, true))
    }

    /// Returns today's price of the coin, which goes with the prices of tokens, else the historic one.
    pub fn current_coin_rate(&self) -> Option<ExchangeRate<'_>> {
        match self.exchange_rate.value() {
            Some(dollars) => Some(ExchangeRate { dollars, is_current: true }),
            None => self.coin_rate(),
        }
    }

    /// Returns the fee, and `None` if it was not paid.
    pub fn paid_fee(&self) -> Option<&TransactionFee> {
        let is_paid =
            !matches!(self.outcome(), TransactionOutcome::Dropped | TransactionOutcome::Pending);
        self.fee.value().filter(|_| is_paid)
    }

    /// Returns the token of the fee and of the prices of gas, unless they are in the coin.
    pub fn fee_token(&self) -> Option<&Field<Box<Token>>> {
        Some(&self.fee.value()?.token).filter(|token| !matches!(token, Field::Absent))
    }

    /// Returns the tip and the burnt part of the fee. Explorers leave both out of a legacy transaction: then they
    /// are the parts by gas price and base fee, if those add up to the fee. A fee in a token has none: explorers
    /// compute them from base fees in the coin.
    pub fn fee_parts(&self) -> [Field<U256>; 2] {
        let gas = &self.gas;
        if self.fee_token().is_some() {
            return [Field::Absent, Field::Absent];
        }
        let sent = [gas.priority_fee.clone(), gas.burnt_fee.clone()];
        if sent != [Field::Absent, Field::Absent] {
            return sent;
        }
        self.legacy_fee_parts().map_or(sent, |parts| parts.map(Field::Present))
    }

    fn legacy_fee_parts(&self) -> Option<[U256; 2]> {
        // Rollups burn nothing. The fee of others has a part for the chain below.
        if self.extra_fields.iter().any(|(name, _)| matches!(&**name, "arbitrum" | "zksync")) {
            return None;
        }
        let fee = self.paid_fee()?.value.value()?;
        let used = U256::from(*self.gas.used.value()?);
        let burnt = self.gas.base_fee.value()?.checked_mul(used)?;
        let all = self.gas.price.value()?.checked_mul(used)?;
        let tip = all.checked_sub(burnt)?;
        (all == *fee && !burnt.is_zero()).then_some([tip, burnt])
    }

    /// Returns `true` if the fee is the most that it can be.
    pub fn has_maximum_fee(&self) -> bool {
        let kind = self.fee.value().and_then(|fee| fee.kind.value());
        kind.is_some_and(|kind| kind == "maximum")
    }

    /// Returns `true` if it calls nothing: it has a receiver, and no input.
    pub fn is_plain_send(&self) -> bool {
        self.method == Field::Absent
            && self.to.value().is_some()
            && self.raw_input.value().is_some_and(|input| input.is_empty())
    }

    /// Returns `true` if it is in no block, and its call may transfer what is not known before.
    pub fn may_yet_transfer(&self) -> bool {
        self.outcome() == TransactionOutcome::Pending && !self.is_plain_send()
    }

    /// Returns `true` if its gas is what every transaction costs: no code ran that costs gas, as events do.
    pub fn runs_no_code(&self) -> bool {
        self.gas.used.value() == Some(&TRANSFER_GAS)
    }

    /// Returns the kind of a transaction that calls no method.
    pub fn kind_without_method(&self) -> Option<&'static str> {
        let has_code = || self.raw_input.value().is_some_and(|input| !input.is_empty());
        let is_deployment =
            self.method == Field::Absent && matches!(self.to, Field::Absent) && has_code();
        let kind = if is_deployment { DEPLOYMENT } else { PLAIN_SEND };
        (is_deployment || self.is_plain_send()).then_some(kind)
    }

    /// Returns `true` if it may have emitted events: it may have run code, and succeeded.
    pub fn may_have_logs(&self) -> bool {
        use TransactionOutcome::{Ok, OkInnerFailure};
        let pays_account = self.is_plain_send()
            && self.to.value().is_some_and(|to| to.is_contract.value() == Some(&false));
        matches!(self.outcome(), Ok | OkInnerFailure) && !pays_account
    }

    /// Returns the method: its selector while the server has not indexed the called code.
    pub fn known_method(&self) -> Field<AbiIdentifier> {
        let is_mined = self.block_number.value().is_some();
        let is_unknown = is_mined && self.has_inner_error == Field::Absent;
        match (&self.method, self.selector()) {
            (Field::Absent, Some(selector)) if is_unknown => {
                Field::Present(AbiIdentifier(hex::encode_prefixed(selector).into()))
            }
            (method, _) => method.clone(),
        }
    }

    /// Returns the name of the method, which is more than its selector.
    pub fn method_name(&self) -> Option<&AbiIdentifier> {
        self.method.value().filter(|method| method.selector().is_none())
    }

    /// Returns the first four bytes of the calldata, which are a selector if there is code at the
    /// receiver.
    pub fn selector(&self) -> Option<[u8; 4]> {
        self.to.value()?;
        self.raw_input.value()?.first_chunk().copied()
    }

    /// Returns the created contract, which a failed creation does not have.
    pub fn created(&self) -> &Field<AddressRef> {
        match self.outcome() {
            TransactionOutcome::Failed | TransactionOutcome::Dropped => &Field::Absent,
            _ => &self.created_contract,
        }
    }

    /// Returns `true` if the server has sent all that it will know of a mined transaction.
    pub fn is_complete(&self) -> bool {
        let is_named =
            |token: &Token| token.symbol.value().is_some() || token.name.value().is_some();
        let mut transfers = self.token_transfers.value().into_iter().flatten();
        self.token_transfers.value().is_some()
            && self.is_indexed()
            && transfers.all(|transfer| transfer.token.value().is_none_or(is_named))
    }

    /// Returns `true` if the server has indexed the transaction's block, its calls and their code.
    pub fn is_indexed(&self) -> bool {
        let is_updating =
            |(name, json): &(SafeText, SafeText)| name == "is_pending_update" && json == "true";
        let is_awaiting = self.result.value().is_some_and(|result| result == AWAITING);
        self.block_number.value().is_some()
            && self.outcome() != TransactionOutcome::Unknown
            && self.has_inner_error.value().is_some()
            && !matches!(self.revert_reason, Field::Invalid(_))
            && !is_awaiting
            && !self.extra_fields.iter().any(is_updating)
            && self.is_callee_indexed()
    }

    /// Returns `true` if the server knows the code of the called or created contract: until then it
    /// takes a contract for an account and names no method.
    fn is_callee_indexed(&self) -> bool {
        let is_contract = |address: &AddressRef| address.is_contract.value() == Some(&true);
        let input_len = self.raw_input.value().map(|input| input.len());
        match self.to.value() {
            Some(to) if is_contract(to) => {
                self.method.value().is_some() || input_len.is_some_and(|len| len < 4)
            }
            Some(_) => input_len == Some(0) && self.gas.used.value() == Some(&TRANSFER_GAS),
            None => {
                self.outcome() == TransactionOutcome::Failed
                    || self.created_contract.value().is_some_and(is_contract)
            }
        }
    }
}

impl FromObject for TxHash {
    fn from_object(object: &RawObject<'_>, names: &[&str]) -> Result<Self, SafeText> {
        match object.field(names) {
            Field::Present(hash) => Ok(hash),
            Field::Absent => Err(MissingField("hash").into()),
            Field::Invalid(reason) => Err(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::*;
    use crate::api::Item;

    /// Returns `true` if a mined transaction with these fields is indexed.
    fn is_indexed(fields: Value) -> bool {
        let mut json = json!({
            "hash": TxHash::ZERO, "block_number": 5, "status": "ok", "result": "success",
            "has_error_in_internal_transactions": false,
        });
        let Value::Object(fields) = fields else { panic!("{fields}") };
        json.as_object_mut().unwrap().extend(fields);
        let item = Item::<Transaction>::from_json(&to_raw_value(&json).unwrap());
        item.parsed.unwrap().is_indexed()
    }

    fn called(is_contract: bool) -> Value {
        json!({ "hash": "0x00000000000000000000000000000000000000aa", "is_contract": is_contract })
    }

    #[test]
    fn call_is_indexed_once_the_code_of_its_contract_is_known() {
        let (contract, account) = (called(true), called(false));
        for (called, method, input, gas_used, expected) in [
            (&contract, json!("transfer"), "0xa9059cbb", "50000", true),
            (&contract, Value::Null, "0xa9059cbb", "50000", false),
            (&contract, Value::Null, "0xa905", "50000", true),
            (&account, Value::Null, "0x", "21000", true),
            (&account, Value::Null, "0x", "30000", false),
            (&account, Value::Null, "0xa905", "21000", false),
            (&Value::Null, Value::Null, "0x", "50000", false),
        ] {
            let fields =
                json!({ "to": called, "method": method, "raw_input": input, "gas_used": gas_used });
            assert_eq!(is_indexed(fields.clone()), expected, "{fields}");
        }
    }

    #[test]
    fn transaction_whose_calls_are_awaited_is_not_indexed() {
        for (result, expected) in [("success", true), (AWAITING, false)] {
            let fields = json!({
                "to": called(true), "method": "transfer", "raw_input": "0xa9059cbb",
                "gas_used": "50000", "result": result,
            });
            assert_eq!(is_indexed(fields), expected, "{result}");
        }
    }

    #[test]
    fn payment_of_an_account_has_no_events() {
        let may_have_logs = |is_contract: bool| {
            let json = json!({
                "hash": TxHash::ZERO, "block_number": 5, "status": "ok", "result": "success",
                "to": called(is_contract), "method": null, "raw_input": "0x",
            });
            let item = Item::<Transaction>::from_json(&to_raw_value(&json).unwrap());
            item.parsed.unwrap().may_have_logs()
        };
        assert_eq!([false, true].map(may_have_logs), [false, true]);
    }

    #[test]
    fn dropped_creation_has_no_contract() {
        let created = |block: Option<u64>, result: &str| {
            let json = json!({
                "hash": TxHash::ZERO, "block_number": block, "status": block.map(|_| "ok"),
                "result": result, "to": null, "created_contract": called(true),
            });
            let item = Item::<Transaction>::from_json(&to_raw_value(&json).unwrap());
            item.parsed.unwrap().created().value().is_some()
        };
        assert!(created(Some(5), "success"));
        assert!(!created(None, "dropped/replaced"));
    }

    #[test]
    fn failure_is_indexed_once_its_reason_is_known() {
        for (reason, expected) in
            [(Value::Null, true), (json!({ "raw": "0x01" }), true), (json!({ "raw": null }), false)]
        {
            let call = json!({
                "status": "error", "to": called(true), "method": "transfer",
                "raw_input": "0xa9059cbb", "gas_used": "50000", "revert_reason": reason,
            });
            assert_eq!(is_indexed(call), expected, "{reason}");
        }
    }

    #[test]
    fn parts_of_a_legacy_fee_are_known_if_they_add_up_to_it() {
        let parts = |fee: &str, base_fee: &str, is_on_arbitrum: bool| {
            let mut json = json!({
                "hash": TxHash::ZERO, "status": "ok", "result": "success", "block_number": 1,
                "fee": {"type": "actual", "value": fee}, "gas_price": "5",
                "base_fee_per_gas": base_fee, "gas_used": "10",
            });
            if is_on_arbitrum {
                json["arbitrum"] = json!({ "batch_number": 1 });
            }
            let raw = to_raw_value(&json).unwrap();
            let transaction = Item::<Transaction>::from_json(&raw).parsed.unwrap();
            transaction.fee_parts().map(|part| part.value().copied())
        };
        let [tip, burnt] = [20, 30].map(|wei| Some(U256::from(wei)));
        assert_eq!(parts("50", "3", false), [tip, burnt]);
        assert_eq!(parts("50", "3", true), [None, None], "nothing is burnt");
        assert_eq!(parts("30", "3", false), [None, None], "no tip is taken");
        assert_eq!(parts("50", "0", false), [None, None], "nothing is burnt");
    }
}
