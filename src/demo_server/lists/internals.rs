//! Internal transactions of an address, newest first, and of a transaction, in call order.

use alloy_primitives::Address;

use super::{FILTER_PARAM, ITEMS_COUNT_PARAM, matches_filter, page};
use crate::demo_server::{
    cursor::DemoCursor,
    models::{InternalTransactionRecord, TransactionRecord},
    query_params::{ParamRule, ParamSpec, QueryParams},
    request::{JsonResult, RequestContext},
    responses,
};

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    FILTER_PARAM,
    ("block_number", ParamRule::Integer(0)),
    ("index", ParamRule::Integer(0)),
    ("transaction_index", ParamRule::Integer(0)),
    ITEMS_COUNT_PARAM,
];

pub(crate) const TRANSACTION_PARAMETERS: &[ParamSpec] = &[
    ("block_number", ParamRule::Integer(0)),
    ("index", ParamRule::Integer(0)),
    ("transaction_index", ParamRule::Integer(0)),
    ITEMS_COUNT_PARAM,
];

pub(crate) fn list(request: &RequestContext<'_>, address: Address) -> JsonResult {
    let filter = request.params.raw("filter");
    let rows = after_cursor(request.store.internals()?, request.params)
        .iter()
        // Creations at the top are left out here only.
        .filter(|row| row.index > 0)
        .filter(|row| matches_filter(filter, row.from == address, row.is_received_by(address)));
    respond(request, rows)
}

pub(crate) fn list_in_transaction(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
) -> JsonResult {
    let table = request.store.internals()?;
    let position = (transaction.block_number, transaction.position);
    let position_of = |row: &InternalTransactionRecord| (row.block_number, row.transaction_index);
    let start = table.partition_point(|row| position_of(row) > position);
    let rows = table.get(start..).unwrap_or_default();
    let rows = rows.iter().take_while(|row| position_of(row) == position).collect::<Vec<_>>();
    let after: Option<u32> = request.params.get("index");
    let rows = rows.into_iter().rev();
    respond(request, rows.filter(|row| after.is_none_or(|after| row.index > after)))
}

fn respond<'a>(
    request: &RequestContext<'_>,
    rows: impl Iterator<Item = &'a InternalTransactionRecord>,
) -> JsonResult {
    let cursor = |last: &&InternalTransactionRecord, items_count| {
        DemoCursor::echo(request.params)
            .with("block_number", last.block_number)
            .with("transaction_index", last.transaction_index)
            .with("index", last.index)
            .with("items_count", items_count)
    };
    page(request, rows.filter(|row| !row.is_top_call()), cursor, |row| {
        responses::internal_transaction(request.store, row)
    })
}

fn after_cursor<'a>(
    table: &'a [InternalTransactionRecord],
    params: &QueryParams,
) -> &'a [InternalTransactionRecord] {
    let after = || {
        Some((params.get("block_number")?, params.get("transaction_index")?, params.get("index")?))
    };
    let start = after().map_or(0, |after| table.partition_point(|row| row.position() >= after));
    table.get(start..).unwrap_or_default()
}
