//! The logs of a contract, newest first, and of a transaction, in the order of their emission.

use alloy_primitives::{Address, B256};

use super::{BLOCK_NUMBER_PARAM, INDEX_PARAM, ITEMS_COUNT_PARAM, ListEnd, PageResponse, page};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext, to_json},
    responses,
};
use crate::store::{LogOrigin, LogRecord, TransactionRecord};

pub(crate) const PARAMETERS: &[ParamSpec] =
    &[TOPIC, BLOCK_NUMBER_PARAM, INDEX_PARAM, ITEMS_COUNT_PARAM];
pub(crate) const TRANSACTION_PARAMETERS: &[ParamSpec] =
    &[CALLS, BLOCK_NUMBER_PARAM, INDEX_PARAM, ITEMS_COUNT_PARAM];

/// `true` to add the calls that emitted the logs, for which a node traces the transaction. Not in the
/// API.
const CALLS: ParamSpec = ("calls", ParamRule::OneOf(&["true"]));
const TOPIC: ParamSpec = ("topic", ParamRule::Hash);

pub(crate) fn list(request: &RequestContext<'_>, address: Address) -> JsonResult {
    let params = request.params;
    let topic: Option<B256> = params.get("topic");
    let after: Option<(u64, u32)> = params.get("block_number").zip(params.get("index"));
    let rows = (request.snapshot.logs(after.map_or(u64::MAX, |(block, _)| block))?)
        .filter(|row| after.is_none_or(|after| row.position() < after))
        .filter(|row| row.address == address)
        .filter(|row| topic.is_none_or(|topic| row.topics.first() == Some(&topic)));
    respond(request, rows, ListEnd::INDEXED, |_| None)
}

pub(crate) fn list_in_transaction(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
) -> JsonResult {
    let after: Option<u32> = request.params.get("index");
    let all: Vec<&LogRecord> = request.snapshot.logs_of(transaction.position())?.rev().collect();
    let is_asked = request.params.get::<bool>("calls").is_some() && !all.is_empty();
    let known = is_asked.then(|| request.chain.log_origins(transaction)).flatten();
    // In another order or number, they belong to other logs.
    let origins = known.filter(|origins| {
        origins.iter().map(|origin| origin.emitter).eq(all.iter().map(|row| row.address))
    });
    let first = all.first().map_or(0, |row| row.index);
    let rows = all.iter().copied().filter(|row| after.is_none_or(|after| row.index > after));
    respond(request, rows, ListEnd::Complete, |row| {
        origins.as_ref()?.get(usize::try_from(row.index.checked_sub(first)?).ok()?)
    })
}

/// Lists the logs of failed calls, all on one page: they cost a run of the transaction.
pub(crate) fn list_undone_in_transaction(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
) -> JsonResult {
    let undone = request.chain.undone_logs(transaction)?;
    let items = undone.iter().map(|log| responses::undone_log(request.snapshot, log));
    to_json(&PageResponse {
        items: items.collect::<Result<Vec<_>, _>>()?,
        next_page_params: None,
        coverage: None,
    })
}

fn respond<'a>(
    request: &RequestContext<'a>,
    rows: impl Iterator<Item = &'a LogRecord>,
    end: ListEnd,
    origin: impl Fn(&LogRecord) -> Option<&'a LogOrigin>,
) -> JsonResult {
    let cursor = |last: &&LogRecord, next: NextPageParams| {
        next.with("block_number", last.block_number).with("index", last.index)
    };
    page(request, rows, end, cursor, |row| responses::log(request.snapshot, row, origin(row)))
}
