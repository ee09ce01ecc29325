//! The console output of the chain, newest first, and of a transaction, in its order. Explorers have
//! no such list.

use super::internals::cursor_position;
use super::{BLOCK_NUMBER, INDEX, ITEMS_COUNT_PARAM, TRANSACTION_INDEX, page};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::ParamSpec,
    request::{JsonResult, RequestContext},
    responses,
};
use crate::store::{ConsoleLineRecord, StoreError, TransactionRecord};

pub(crate) const PARAMETERS: &[ParamSpec] =
    &[BLOCK_NUMBER, TRANSACTION_INDEX, INDEX, ITEMS_COUNT_PARAM];

pub(crate) fn list_all(request: &RequestContext<'_>) -> JsonResult {
    let after = cursor_position(request.params);
    let last_block = after.map_or(u64::MAX, |(transaction, _)| transaction.block_number);
    let (all, end) = request.snapshot.console_lines(last_block);
    let rows = all.filter(|row| after.is_none_or(|after| row.position() < after));
    let end = |has_rows| end.and_then(|()| request.snapshot.end_of_indexed_blocks(has_rows));
    respond(request, rows, end)
}

pub(crate) fn list_in_transaction(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
) -> JsonResult {
    let after: Option<u32> = request.params.get("index");
    let is_after = |row: &&ConsoleLineRecord| after.is_none_or(|after| row.index > after);
    match request.snapshot.console_lines_of(transaction.position()) {
        Ok(rows) => respond(request, rows.rev().filter(is_after), |_| Ok(())),
        Err(error) => {
            let rows = request.chain.console_lines(transaction)?.ok_or(error)?;
            respond(request, rows.iter().filter(is_after), |_| Ok(()))
        }
    }
}

fn respond<'a>(
    request: &RequestContext<'_>,
    rows: impl Iterator<Item = &'a ConsoleLineRecord>,
    end: impl FnOnce(bool) -> Result<(), StoreError>,
) -> JsonResult {
    let cursor = |last: &&ConsoleLineRecord, next: NextPageParams| {
        next.with("block_number", last.block_number)
            .with("transaction_index", last.transaction_index)
            .with("index", last.index)
    };
    page(request, rows, end, cursor, |row| responses::console_line(request.snapshot, row))
}
