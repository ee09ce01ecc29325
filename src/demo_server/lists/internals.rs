//! Internal transactions of an address, newest first, and of a transaction, in call order.

use alloy_primitives::Address;

use super::{
    DirectionFilter, FILTER_PARAM, ITEMS_COUNT_PARAM, PageResponse, RequestContext, take_page,
};
use crate::demo_server::{
    cursor::DemoCursor,
    error::DemoApiError,
    models::{InternalTransactionRecord, TransactionRecord},
    query_params::{ParamRule, ParamSpec, QueryParams},
    responses,
};

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    FILTER_PARAM,
    ("block_number", ParamRule::IntegerOrNull),
    ("index", ParamRule::IntegerOrNull),
    ("transaction_index", ParamRule::Integer(0)),
    ITEMS_COUNT_PARAM,
];

pub(crate) const TRANSACTION_PARAMETERS: &[ParamSpec] = &[
    ("block_number", ParamRule::IntegerOrNull),
    ("index", ParamRule::IntegerOrNull),
    ("transaction_index", ParamRule::Integer(0)),
    ITEMS_COUNT_PARAM,
];

pub(crate) fn list<'a>(
    request: &RequestContext<'a>,
    address: Address,
) -> Result<PageResponse<responses::InternalTransactionResponse<'a>>, DemoApiError> {
    let direction = DirectionFilter::from_params(request.params);
    let table = request.store.internals()?;
    let rows = after_cursor(table, request.params)
        .iter()
        .filter(|row| !row.is_top_call())
        .filter(|row| direction.matches(row.from == address, row.is_received_by(address)));

    let (page, next) = take_page(rows, request.page_size);
    let cursor = next.and(page.last()).map(|last| cursor(request.params, last, page.len()));
    let items = page.into_iter().map(|row| responses::internal_transaction(request.store, row));
    Ok(PageResponse { items: items.collect::<Result<_, _>>()?, next_page_params: cursor })
}

pub(crate) fn list_in_transaction<'a>(
    request: &RequestContext<'a>,
    transaction: &TransactionRecord,
) -> Result<PageResponse<responses::InternalTransactionResponse<'a>>, DemoApiError> {
    let table = request.store.internals()?;
    let position = (transaction.block_number, transaction.position);
    let position_of = |row: &InternalTransactionRecord| (row.block_number, row.transaction_index);
    let start = table.partition_point(|row| position_of(row) > position);
    let rows = table.get(start..).unwrap_or_default();
    let rows = rows.iter().take_while(|row| position_of(row) == position).collect::<Vec<_>>();
    let after: Option<u32> = request.params.get("index");
    let is_listed = |row: &&InternalTransactionRecord| {
        !row.is_top_call() && after.is_none_or(|after| row.index > after)
    };

    let (page, next) = take_page(rows.into_iter().rev().filter(is_listed), request.page_size);
    let cursor = next.and(page.last()).map(|last| cursor(request.params, last, page.len()));
    let items = page.into_iter().map(|row| responses::internal_transaction(request.store, row));
    Ok(PageResponse { items: items.collect::<Result<_, _>>()?, next_page_params: cursor })
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

fn cursor(
    params: &QueryParams,
    last: &InternalTransactionRecord,
    items_count: usize,
) -> DemoCursor {
    DemoCursor::echo(params)
        .with("block_number", last.block_number)
        .with("transaction_index", last.transaction_index)
        .with("index", last.index)
        .with("items_count", items_count)
}
