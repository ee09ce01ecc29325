//! Blocks.

use alloy_primitives::{B256, U256};
use jiff::Timestamp;
use serde::Serialize;

use super::{AddressResponse, address, optional_address};
use crate::api_server::request::{JsonResult, RequestContext, to_json};
use crate::store::{BlockRecord, Snapshot, StoreResult, WithdrawalRecord, serde_util};

#[derive(Debug, Serialize)]
pub(crate) struct BlockResponse<'a> {
    height: u64,
    #[serde(with = "serde_util::text")]
    hash: B256,
    #[serde(with = "serde_util::time")]
    timestamp: Timestamp,
    #[serde(with = "serde_util::option")]
    parent_hash: Option<B256>,
    size: Option<u64>,
    #[serde(with = "serde_util::option")]
    gas_limit: Option<u64>,
    #[serde(with = "serde_util::option")]
    gas_used: Option<u64>,
    #[serde(with = "serde_util::option")]
    base_fee_per_gas: Option<u128>,
    miner: Option<AddressResponse<'a>>,
    transactions_count: usize,
    internal_transactions_count: Option<usize>,
    withdrawals_count: Option<usize>,
    #[serde(with = "serde_util::option")]
    transaction_fees: Option<U256>,
    #[serde(with = "serde_util::option")]
    priority_fee: Option<U256>,
    #[serde(with = "serde_util::option")]
    burnt_fees: Option<U256>,
    burnt_fees_percentage: Option<f64>,
    gas_used_percentage: Option<f64>,
    gas_target_percentage: Option<f64>,
    /// Fields that the tables do not have.
    difficulty: Option<&'static str>,
    total_difficulty: Option<&'static str>,
    nonce: Option<&'static str>,
    rewards: [(); 0],
    uncles_hashes: [(); 0],
    #[serde(rename = "type")]
    kind: &'static str,
    is_pending_update: bool,
}

/// Returns hundredths of a percent, `None` of nothing.
pub(crate) fn basis_points(part: U256, whole: U256) -> Option<i32> {
    let points = part.checked_mul(U256::from(10_000))?.checked_div(whole)?;
    points.try_into().ok()
}

pub(crate) fn percentage(basis_points: i32) -> f64 {
    f64::from(basis_points) / 100.0
}

pub(crate) fn block<'a>(
    snapshot: &'a Snapshot,
    record: &'a BlockRecord,
) -> StoreResult<BlockResponse<'a>> {
    let mut transactions_count = 0;
    let mut paid = Some(U256::ZERO);
    let mut paid_for_gas = U256::ZERO;
    let mut is_on_rollup = false;
    for transaction in snapshot.transactions_in(record.number)? {
        transactions_count += 1;
        paid = paid.zip(transaction.fee()).map(|(paid, fee)| paid.saturating_add(fee));
        paid_for_gas = paid_for_gas.saturating_add(transaction.gas_fee());
        is_on_rollup |= transaction.is_on_rollup();
    }
    let burnt = record
        .base_fee_per_gas
        .zip(record.gas_used)
        .filter(|_| !is_on_rollup)
        .map(|(fee, gas)| U256::from(fee) * U256::from(gas));
    let burnt_points = burnt.and_then(|burnt| basis_points(burnt, paid?));
    let gas = record.gas_used.zip(record.gas_limit);
    let gas_points =
        gas.and_then(|(used, limit)| basis_points(U256::from(used), U256::from(limit)));
    // The target is half of the limit.
    let target_points = gas_points.map(|points| points.saturating_mul(2) - 10_000);
    Ok(BlockResponse {
        height: record.number,
        hash: record.hash,
        timestamp: record.timestamp,
        parent_hash: record.parent_hash,
        size: record.size,
        gas_limit: record.gas_limit,
        gas_used: record.gas_used,
        base_fee_per_gas: record.base_fee_per_gas,
        miner: optional_address(snapshot, record.miner)?,
        transactions_count,
        internal_transactions_count: None,
        withdrawals_count: record.withdrawals.0.as_ref().map(|withdrawals| withdrawals.len()),
        transaction_fees: paid,
        priority_fee: burnt.and_then(|burnt| paid_for_gas.checked_sub(burnt)),
        burnt_fees: burnt,
        burnt_fees_percentage: burnt_points.map(percentage),
        gas_used_percentage: gas_points.map(percentage),
        gas_target_percentage: target_points.map(percentage),
        difficulty: None,
        total_difficulty: None,
        nonce: None,
        rewards: [],
        uncles_hashes: [],
        kind: "block",
        is_pending_update: false,
    })
}

/// Renders a block alone, with the number of its internal transactions.
pub(crate) fn block_detail(request: &RequestContext<'_>, record: &BlockRecord) -> JsonResult {
    let snapshot = request.snapshot;
    let mut detail = block(snapshot, record)?;
    // Unknown for a node that does not trace.
    let internals = snapshot.internal_transactions_in(record.number).ok();
    detail.internal_transactions_count =
        internals.map(|rows| rows.filter(|row| !row.is_top_call()).count());
    to_json(&detail)
}

#[derive(Debug, Serialize)]
pub(crate) struct WithdrawalResponse<'a> {
    #[serde(flatten)]
    record: &'a WithdrawalRecord,
    receiver: AddressResponse<'a>,
}

pub(crate) fn withdrawal<'a>(
    snapshot: &'a Snapshot,
    record: &'a WithdrawalRecord,
) -> StoreResult<WithdrawalResponse<'a>> {
    Ok(WithdrawalResponse { record, receiver: address(snapshot, record.receiver)? })
}
