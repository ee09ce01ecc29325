//! The blocks of the chain, newest first, and the withdrawals in one.

use super::{BLOCK_NUMBER, INDEX, ITEMS_COUNT_PARAM, page};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext, to_json},
    responses,
};
use crate::messages::chain_data::ChainDataError;
use crate::store::{BlockRecord, StoreError, WithdrawalRecord};

pub(crate) const PARAMETERS: &[ParamSpec] =
    &[("type", ParamRule::OneOf(&["block", "uncle", "reorg"])), BLOCK_NUMBER, ITEMS_COUNT_PARAM];

pub(crate) const WITHDRAWAL_PARAMETERS: &[ParamSpec] = &[INDEX, ITEMS_COUNT_PARAM];

/// Blocks on the home page of an explorer.
const HOME_BLOCKS: usize = 4;

pub(crate) fn list(request: &RequestContext<'_>) -> JsonResult {
    let RequestContext { snapshot, params, .. } = *request;
    let after: Option<u64> = params.get("block_number");
    let rows = snapshot.blocks(after.map_or(u64::MAX, |after| after.saturating_sub(1)))?;
    // Blocks that are not of the chain are not kept.
    let is_main = params.raw("type").is_none_or(|kind| kind == "block");
    let rows = rows.filter(|_| is_main && after != Some(0));
    let end = |has_rows| snapshot.end_of_read_blocks(has_rows);
    let cursor = |last: &&BlockRecord, next: NextPageParams| next.with("block_number", last.number);
    page(request, rows, end, cursor, |row| responses::block(snapshot, row))
}

pub(crate) fn latest(request: &RequestContext<'_>) -> JsonResult {
    let rows = request.snapshot.blocks(u64::MAX)?.take(HOME_BLOCKS);
    let rows = rows.map(|row| responses::block(request.snapshot, row));
    to_json(&rows.collect::<Result<Vec<_>, _>>()?)
}

/// Lists the withdrawals in a block, newest first.
pub(crate) fn list_withdrawals(request: &RequestContext<'_>, block: &BlockRecord) -> JsonResult {
    let unknown = || StoreError::Unsupported(ChainDataError::NoWithdrawals);
    let rows = block.withdrawals.0.as_ref().ok_or_else(unknown)?;
    let after: Option<u64> = request.params.get("index");
    let rows = rows.iter().rev().filter(|row| after.is_none_or(|after| row.index < after));
    let cursor = |last: &&WithdrawalRecord, next: NextPageParams| next.with("index", last.index);
    page(request, rows, |_| Ok(()), cursor, |row| responses::withdrawal(request.snapshot, row))
}
