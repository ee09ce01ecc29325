//! The blocks of the chain, newest first, those that an address validated, and withdrawals.

use alloy_primitives::Address;

use super::{BLOCK_NUMBER_PARAM, INDEX_PARAM, ITEMS_COUNT_PARAM, ListEnd, page};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext, to_json},
    responses,
};
use crate::messages::chain_data::ChainDataError;
use crate::store::{BlockRecord, StoreError, StoreResult, WithdrawalRecord};

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    ("type", ParamRule::OneOf(&["block", "uncle", "reorg"])),
    BLOCK_NUMBER_PARAM,
    ITEMS_COUNT_PARAM,
];

pub(crate) const VALIDATED_PARAMETERS: &[ParamSpec] = &[BLOCK_NUMBER_PARAM, ITEMS_COUNT_PARAM];

pub(crate) const WITHDRAWAL_PARAMETERS: &[ParamSpec] = &[INDEX_PARAM, ITEMS_COUNT_PARAM];

/// Blocks on the start page of an explorer.
const HOME_BLOCKS: usize = 4;

pub(crate) fn list(request: &RequestContext<'_>) -> JsonResult {
    // Blocks that are not of the chain are not kept.
    let is_main = request.params.raw("type").is_none_or(|kind| kind == "block");
    list_some(request, |_| is_main)
}

pub(crate) fn list_validated(request: &RequestContext<'_>, address: Address) -> JsonResult {
    list_some(request, |block| block.miner == Some(address))
}

fn list_some(request: &RequestContext<'_>, passes: impl Fn(&BlockRecord) -> bool) -> JsonResult {
    let RequestContext { snapshot, params, .. } = *request;
    let after: Option<u64> = params.get("block_number");
    let rows = snapshot
        .blocks(after.map_or(u64::MAX, |after| after.saturating_sub(1)))?
        .filter(|block| after != Some(0) && passes(block));
    let cursor = |last: &&BlockRecord, next: NextPageParams| next.with("block_number", last.number);
    page(request, rows, ListEnd::INDEXED, cursor, |row| responses::block(snapshot, row))
}

pub(crate) fn latest(request: &RequestContext<'_>) -> JsonResult {
    let rows = request
        .snapshot
        .blocks(u64::MAX)?
        .take(HOME_BLOCKS)
        .map(|row| responses::block(request.snapshot, row));
    to_json(&rows.collect::<Result<Vec<_>, _>>()?)
}

/// Lists the withdrawals in a block, newest first.
pub(crate) fn list_withdrawals(request: &RequestContext<'_>, block: &BlockRecord) -> JsonResult {
    respond_withdrawals(request, block_withdrawals(block)?.iter().rev(), ListEnd::Complete)
}

pub(crate) fn list_all_withdrawals(request: &RequestContext<'_>) -> JsonResult {
    list_some_withdrawals(request, |_| true)
}

pub(crate) fn list_address_withdrawals(
    request: &RequestContext<'_>,
    address: Address,
) -> JsonResult {
    list_some_withdrawals(request, |row| row.receiver == address)
}

fn list_some_withdrawals(
    request: &RequestContext<'_>,
    passes: impl Fn(&WithdrawalRecord) -> bool,
) -> JsonResult {
    let snapshot = request.snapshot;
    let blocks =
        snapshot.blocks(u64::MAX)?.map(block_withdrawals).collect::<Result<Vec<_>, _>>()?;
    let rows = blocks.into_iter().flat_map(|rows| rows.iter().rev()).filter(|row| passes(row));
    respond_withdrawals(request, rows, ListEnd::INDEXED)
}

fn block_withdrawals(block: &BlockRecord) -> StoreResult<&[WithdrawalRecord]> {
    let unknown = || StoreError::Unsupported(ChainDataError::NoWithdrawals);
    block.withdrawals.0.as_deref().ok_or_else(unknown)
}

fn respond_withdrawals<'a>(
    request: &RequestContext<'_>,
    rows: impl Iterator<Item = &'a WithdrawalRecord>,
    end: ListEnd,
) -> JsonResult {
    let after: Option<u64> = request.params.get("index");
    let rows = rows.filter(|row| after.is_none_or(|after| row.index < after));
    let cursor = |last: &&WithdrawalRecord, next: NextPageParams| next.with("index", last.index);
    page(request, rows, end, cursor, |row| responses::withdrawal(request.snapshot, row))
}
