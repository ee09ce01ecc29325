//! Internal transactions: of an address, newest first, and of a transaction, in the order of their calls.

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

/// What the list takes.
pub(crate) const PARAMETERS: &[ParamSpec] = &[
    FILTER_PARAM,
    ("block_number", ParamRule::IntegerOrNull),
    ("index", ParamRule::IntegerOrNull),
    ("transaction_index", ParamRule::Integer(0)),
    ITEMS_COUNT_PARAM,
];

/// What the list of a transaction takes.
pub(crate) const TRANSACTION_PARAMETERS: &[ParamSpec] = &[
    ("block_number", ParamRule::IntegerOrNull),
    ("index", ParamRule::IntegerOrNull),
    ("transaction_index", ParamRule::Integer(0)),
    ITEMS_COUNT_PARAM,
];

/// Lists what was called, made or destroyed by or at an address.
pub(crate) fn list<'a>(
    question: &RequestContext<'a>,
    whom: Address,
) -> Result<PageResponse<responses::InternalTransactionResponse<'a>>, DemoApiError> {
    let direction = DirectionFilter::from_params(question.params);
    let table = question.store.internals()?;
    let rows = after_cursor(table, question.params)
        .iter()
        .filter(|row| !row.is_top_call())
        .filter(|row| direction.matches(row.from == whom, row.is_received_by(whom)));

    let (page, next) = take_page(rows, question.page_size);
    let cursor = next.and(page.last()).map(|last| cursor(question.params, last, page.len()));
    let items = page.into_iter().map(|row| responses::internal_transaction(question.store, row));
    Ok(PageResponse { items: items.collect::<Result<_, _>>()?, next_page_params: cursor })
}

/// Lists what was called, made or destroyed inside a transaction.
pub(crate) fn list_in_transaction<'a>(
    question: &RequestContext<'a>,
    whole: &TransactionRecord,
) -> Result<PageResponse<responses::InternalTransactionResponse<'a>>, DemoApiError> {
    let table = question.store.internals()?;
    let place = (whole.block_number, whole.position);
    let of = |row: &InternalTransactionRecord| (row.block_number, row.transaction_index);
    let newer = table.partition_point(|row| of(row) > place);
    let rows = table.get(newer..).unwrap_or_default();
    let rows = rows.iter().take_while(|row| of(row) == place).collect::<Vec<_>>();
    let read: Option<u32> = question.params.get("index");
    let unread = |row: &&InternalTransactionRecord| {
        !row.is_top_call() && read.is_none_or(|read| row.index > read)
    };

    let (page, next) = take_page(rows.into_iter().rev().filter(unread), question.page_size);
    let cursor = next.and(page.last()).map(|last| cursor(question.params, last, page.len()));
    let items = page.into_iter().map(|row| responses::internal_transaction(question.store, row));
    Ok(PageResponse { items: items.collect::<Result<_, _>>()?, next_page_params: cursor })
}

fn after_cursor<'a>(
    table: &'a [InternalTransactionRecord],
    params: &QueryParams,
) -> &'a [InternalTransactionRecord] {
    let mark = || {
        Some((params.get("block_number")?, params.get("transaction_index")?, params.get("index")?))
    };
    let read = mark().map_or(0, |mark| table.partition_point(|row| row.position() >= mark));
    table.get(read..).unwrap_or_default()
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
