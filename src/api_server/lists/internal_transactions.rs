//! Internal transactions of the chain and of an address, newest first, and of a transaction or a
//! block, in call order.

use alloy_primitives::Address;

use super::{
    BLOCK_NUMBER_PARAM, FILTER_PARAM, INDEX_PARAM, ITEMS_COUNT_PARAM, ListEnd,
    TRANSACTION_INDEX_PARAM, matches_filter, page, page_of_history,
};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec, QueryParams},
    request::{JsonResult, RequestContext, to_json},
    responses,
};
use crate::store::{
    BlockRecord, HistoryList, InternalTransactionRecord, StoreResult, TransactionPosition,
    TransactionRecord,
};

pub(crate) const PARAMETERS: &[ParamSpec] =
    &[FILTER_PARAM, BLOCK_NUMBER_PARAM, INDEX_PARAM, TRANSACTION_INDEX_PARAM, ITEMS_COUNT_PARAM];
pub(crate) const TRANSACTION_PARAMETERS: &[ParamSpec] =
    &[BLOCK_NUMBER_PARAM, INDEX_PARAM, TRANSACTION_INDEX_PARAM, ITEMS_COUNT_PARAM];
pub(crate) const CHAIN_PARAMETERS: &[ParamSpec] = &[
    ("transaction_hash", ParamRule::Hash),
    ("limit", ParamRule::Integer(0)),
    BLOCK_NUMBER_PARAM,
    INDEX_PARAM,
    TRANSACTION_INDEX_PARAM,
    ITEMS_COUNT_PARAM,
];
pub(crate) const BLOCK_PARAMETERS: &[ParamSpec] = &[
    ("internal_type", ParamRule::Text),
    ("call_type", ParamRule::Text),
    BLOCK_NUMBER_PARAM,
    INDEX_PARAM,
    TRANSACTION_INDEX_PARAM,
    ITEMS_COUNT_PARAM,
];

pub(crate) fn list(request: &RequestContext<'_>, address: Address) -> JsonResult {
    let filter = request.params.raw("filter");
    let (rows, end) = listed_rows(request, |row| {
        // Creations at the top are left out here only.
        row.index > 0 && matches_filter(filter, row.from == address, row.is_received_by(address))
    });
    let rows: Vec<_> = rows.take(request.page_size + 1).collect();
    let history = (HistoryList::InternalTransactions, address);
    let after = cursor_position(request.params)
        .map(|(last, index)| (last.block_number, (last.index, index) > (0, 0)));
    let item = |row| responses::internal_transaction(request.snapshot, row);
    if end.is_ok()
        && let Some(page) = page_of_history(request, history, after, &rows, item)?
    {
        return to_json(&page);
    }
    respond(request, rows.into_iter(), ListEnd::Indexed(end))
}

pub(crate) fn list_all(request: &RequestContext<'_>) -> JsonResult {
    let transaction = match request.params.get("transaction_hash") {
        Some(hash) => match request.snapshot.transaction(hash)? {
            Some(transaction) => Some(transaction.position()),
            None => return super::empty(request),
        },
        None => None,
    };
    let (rows, end) = listed_rows(request, |row| {
        transaction.is_none_or(|position| row.transaction() == position)
    });
    respond(request, rows, ListEnd::Indexed(end))
}

/// Returns the internal transactions after the cursor that pass, newest first, and why not all.
fn listed_rows<'a>(
    request: &RequestContext<'a>,
    passes: impl Fn(&InternalTransactionRecord) -> bool,
) -> (impl Iterator<Item = &'a InternalTransactionRecord>, StoreResult<()>) {
    let after = cursor_position(request.params);
    let last_block = after.map_or(u64::MAX, |(transaction, _)| transaction.block_number);
    let (all, end) = request.snapshot.internal_transactions(last_block);
    let is_after =
        move |row: &InternalTransactionRecord| after.is_none_or(|after| row.position() < after);
    (all.filter(move |row| is_after(row) && passes(row)), end)
}

pub(crate) fn list_in_transaction(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
) -> JsonResult {
    let after: Option<u32> = request.params.get("index");
    let is_after = |row: &&InternalTransactionRecord| after.is_none_or(|after| row.index > after);
    match request.snapshot.internal_transactions_of(transaction.position()) {
        Ok(rows) => respond(request, rows.rev().filter(is_after), ListEnd::Complete),
        Err(error) => {
            let rows = request.chain.internal_transactions(transaction)?.ok_or(error)?;
            respond(request, rows.iter().filter(is_after), ListEnd::Complete)
        }
    }
}

/// Lists in call order.
pub(crate) fn list_in_block(request: &RequestContext<'_>, block: &BlockRecord) -> JsonResult {
    let after: Option<(u32, u32)> =
        request.params.get("transaction_index").zip(request.params.get("index"));
    let rows = request.snapshot.internal_transactions_in(block.number)?.rev();
    let is_after = |row: &&InternalTransactionRecord| {
        after.is_none_or(|after| (row.transaction_index, row.index) > after)
    };
    respond(request, rows.filter(is_after), ListEnd::Complete)
}

fn respond<'a>(
    request: &RequestContext<'_>,
    rows: impl Iterator<Item = &'a InternalTransactionRecord>,
    end: ListEnd,
) -> JsonResult {
    page(
        request,
        rows.filter(|row| !row.is_top_call()),
        end,
        |last, next| add_position(next, last.position()),
        |row| responses::internal_transaction(request.snapshot, row),
    )
}

/// Adds the keys that [`cursor_position`] reads.
pub(super) fn add_position(
    next: NextPageParams,
    (transaction, index): (TransactionPosition, u32),
) -> NextPageParams {
    let TransactionPosition { block_number, index: transaction_index } = transaction;
    next.with("block_number", block_number)
        .with("transaction_index", transaction_index)
        .with("index", index)
}

pub(super) fn cursor_position(params: &QueryParams) -> Option<(TransactionPosition, u32)> {
    let transaction = TransactionPosition {
        block_number: params.get("block_number")?,
        index: params.get("transaction_index")?,
    };
    Some((transaction, params.get("index")?))
}
