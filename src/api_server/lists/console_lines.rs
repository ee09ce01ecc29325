//! The console output of the chain, the latest transaction first, and of a transaction, each in the order in
//! which it was printed. Explorers have no such list.

use super::internal_transactions::{add_position, cursor_position};
use super::{
    BLOCK_NUMBER_PARAM, INDEX_PARAM, ITEMS_COUNT_PARAM, ListEnd, PageResponse,
    TRANSACTION_INDEX_PARAM, page,
};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::ParamSpec,
    request::{JsonResult, RequestContext, to_json},
    responses,
};
use crate::messages::chain_data::ChainDataError;
use crate::store::{ConsoleLineRecord, StoreError, TransactionPosition, TransactionRecord};

pub(crate) const PARAMETERS: &[ParamSpec] =
    &[BLOCK_NUMBER_PARAM, TRANSACTION_INDEX_PARAM, INDEX_PARAM, ITEMS_COUNT_PARAM];

/// Transactions whose steps a page asks a node for.
const MAX_READ_TRANSACTIONS: usize = 25;

pub(crate) fn list_all(request: &RequestContext<'_>) -> JsonResult {
    let after = cursor_position(request.params);
    let last_block = after.map_or(u64::MAX, |(transaction, _)| transaction.block_number);
    let (all, end) = request.snapshot.console_lines(last_block);
    if matches!(end, Err(StoreError::Unsupported(ChainDataError::CallsOnDemand))) {
        return list_by_transaction(request, after, last_block);
    }
    let rows = in_printed_order(all).filter(|row| is_after(row, after));
    respond(request, rows, ListEnd::Indexed(end))
}

/// Returns `true` if a line comes after the last one of the page before.
fn is_after(row: &ConsoleLineRecord, last: Option<(TransactionPosition, u32)>) -> bool {
    last.is_none_or(|(last_transaction, last_index)| {
        let (transaction, index) = row.position();
        transaction < last_transaction || (transaction == last_transaction && index > last_index)
    })
}

/// Reverses the lines of each transaction.
fn in_printed_order<'a>(
    newest_first: impl Iterator<Item = &'a ConsoleLineRecord>,
) -> impl Iterator<Item = &'a ConsoleLineRecord> {
    let mut rows = newest_first.peekable();
    let transactions = std::iter::from_fn(move || {
        let last = rows.next()?;
        let is_same = |row: &&ConsoleLineRecord| row.position().0 == last.position().0;
        let mut lines = vec![last];
        while let Some(row) = rows.next_if(is_same) {
            lines.push(row);
        }
        lines.reverse();
        Some(lines)
    });
    transactions.flatten()
}

/// Reads the lines of one transaction after another, where the node lists no calls of blocks. A page may
/// be empty: the next one continues with older transactions.
fn list_by_transaction(
    request: &RequestContext<'_>,
    after: Option<(TransactionPosition, u32)>,
    last_block: u64,
) -> JsonResult {
    let all = request.snapshot.transactions(last_block)?;
    let mut transactions =
        all.filter(|tx| after.is_none_or(|(last, _)| tx.position() <= last)).peekable();
    let mut rows = Vec::new();
    let mut last = after;
    for transaction in transactions.by_ref().take(MAX_READ_TRANSACTIONS) {
        let lines = match request.chain.console_lines(transaction) {
            Ok(lines) => lines.unwrap_or_default(),
            Err(why) if rows.is_empty() => return Err(why.into()),
            // The next page begins with it.
            Err(_) => return respond_until(request, &rows, last),
        };
        rows.extend(lines.into_iter().filter(|row| is_after(row, after)));
        if rows.len() > request.page_size {
            rows.truncate(request.page_size);
            let last = rows.last().map(ConsoleLineRecord::position);
            return respond_until(request, &rows, last);
        }
        last = Some((transaction.position(), u32::MAX));
    }
    respond_until(request, &rows, last.filter(|_| transactions.peek().is_some()))
}

fn respond_until(
    request: &RequestContext<'_>,
    rows: &[ConsoleLineRecord],
    last: Option<(TransactionPosition, u32)>,
) -> JsonResult {
    let items = rows.iter().map(|row| responses::console_line(request.snapshot, row));
    let items = items.collect::<Result<Vec<_>, _>>()?;
    let next_page_params =
        last.map(|last| add_position(NextPageParams::echo(request.params), last));
    to_json(&PageResponse { items, next_page_params, coverage: request.coverage() })
}

pub(crate) fn list_in_transaction(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
) -> JsonResult {
    let after: Option<u32> = request.params.get("index");
    let is_after = |row: &&ConsoleLineRecord| after.is_none_or(|after| row.index > after);
    match request.snapshot.console_lines_of(transaction.position()) {
        Ok(rows) => respond(request, rows.rev().filter(is_after), ListEnd::Complete),
        Err(error) => {
            let rows = request.chain.console_lines(transaction)?.ok_or(error)?;
            respond(request, rows.iter().filter(is_after), ListEnd::Complete)
        }
    }
}

fn respond<'a>(
    request: &RequestContext<'_>,
    rows: impl Iterator<Item = &'a ConsoleLineRecord>,
    end: ListEnd,
) -> JsonResult {
    page(
        request,
        rows,
        end,
        |last, next| add_position(next, last.position()),
        |row| responses::console_line(request.snapshot, row),
    )
}
