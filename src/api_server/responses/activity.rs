//! Activity: a transaction, an internal transaction or a token transfer, with the fields of them all.

use alloy_primitives::{B256, U256};
use jiff::Timestamp;
use serde::Serialize;

use super::token_transfer::{TransferTotalResponse, total};
use super::{AddressResponse, address, created_contract, method, optional_address};
use crate::store::{
    InternalTransactionRecord, Snapshot, StoreResult, TokenRecord, TransactionRecord,
    TransferRecord, serde_util,
};

/// A row of a transaction: itself, a call inside it, or a token transfer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ActivityPart<'a> {
    Whole,
    Transfer(&'a TransferRecord),
    Call(&'a InternalTransactionRecord),
}

#[derive(Debug, Serialize)]
pub(crate) struct ActivityResponse<'a> {
    #[serde(with = "serde_util::text")]
    hash: B256,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(with = "serde_util::time_option")]
    timestamp: Option<Timestamp>,
    block_number: u64,
    transaction_index: u32,
    internal_transaction_index: Option<u32>,
    token_transfer_index: Option<u32>,
    token_transfer_batch_index: Option<u32>,
    from: AddressResponse<'a>,
    to: Option<AddressResponse<'a>>,
    created_contract: Option<AddressResponse<'a>>,
    method: Option<String>,
    #[serde(with = "serde_util::option")]
    value: Option<U256>,
    total: Option<TransferTotalResponse<'a>>,
    token: Option<&'a TokenRecord>,
    #[serde(with = "serde_util::option")]
    fee: Option<U256>,
    status: Option<&'a str>,
}

/// Returns the word for the kind of activity in the response.
pub(crate) fn activity_kind(
    transaction: &TransactionRecord,
    part: ActivityPart<'_>,
) -> &'static str {
    let (is_creation, is_payment) = match part {
        ActivityPart::Transfer(row) => return row.standard.into(),
        ActivityPart::Whole => (transaction.to.is_none(), transaction.input.is_empty()),
        ActivityPart::Call(call) => (
            call.created_contract.is_some(),
            call.sent_value().is_some_and(|value| !value.is_zero()),
        ),
    };
    match (is_creation, is_payment) {
        (true, _) => "contract_creation",
        (false, true) => "coin_transfer",
        (false, false) => "contract_interaction",
    }
}

pub(crate) fn activity<'a>(
    snapshot: &'a Snapshot,
    transaction: &'a TransactionRecord,
    part: ActivityPart<'a>,
) -> StoreResult<ActivityResponse<'a>> {
    let (from, to, created, value) = match part {
        ActivityPart::Whole => {
            let TransactionRecord { from, to, created_contract, value, .. } = transaction;
            (*from, *to, *created_contract, Some(*value))
        }
        ActivityPart::Transfer(row) => (row.from, Some(row.to), None, None),
        ActivityPart::Call(call) => (call.from, call.to, call.created_contract, call.sent_value()),
    };
    let (transfer, call) = match part {
        ActivityPart::Whole => (None, None),
        ActivityPart::Transfer(row) => (Some(row), None),
        ActivityPart::Call(call) => (None, Some(call)),
    };
    // A call may fail in a transaction that succeeds.
    let failure = call.and_then(|call| call.error.as_deref());
    let token = transfer.map(|row| snapshot.state.token(row.token)).transpose()?.flatten();
    let total = transfer.zip(token).map(|(row, token)| total(snapshot, row, token)).transpose()?;
    let is_batch = transfer.filter(|row| row.token_id.is_some() && row.value.is_some());
    Ok(ActivityResponse {
        hash: transaction.hash,
        kind: activity_kind(transaction, part),
        timestamp: snapshot.block_time(transaction.block_number)?,
        block_number: transaction.block_number,
        transaction_index: transaction.index,
        internal_transaction_index: call.map(|call| call.index),
        token_transfer_index: transfer.map(|row| row.position.log_index),
        token_transfer_batch_index: is_batch.map(|row| row.position.index_in_batch),
        from: address(snapshot, from)?,
        to: optional_address(snapshot, to)?,
        created_contract: created_contract(snapshot, created)?,
        // A call has a method of its own, which the trace knows.
        method: match call {
            Some(_) => None,
            None => method(snapshot, transaction)?,
        },
        value,
        total,
        token,
        fee: transaction.fee(),
        status: failure
            .or(transaction.error.as_deref())
            .or((!transaction.has_unknown_outcome).then_some("success")),
    })
}
