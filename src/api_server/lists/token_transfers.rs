//! Token transfers: of an address, of a token or of the whole chain, newest first; of a transaction, in
//! the order of their logs.
//!
//! A batch is one log and several items, and a page may end inside it. The cursor then has the position
//! in the batch besides the last complete log.

use std::cmp::Reverse;

use alloy_primitives::{Address, B256};

use super::{
    BLOCK_NUMBER_PARAM, FILTER_PARAM, INDEX_PARAM, ITEMS_COUNT_PARAM, ListEnd, NextRow,
    PageResponse, TYPE_PARAM, matches_filter, page_of_history, take_page,
};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec, QueryParams},
    request::{JsonResult, RequestContext, to_json},
    responses,
};
use crate::store::{
    HistoryList, InstanceRecord, Snapshot, StoreResult, TransactionRecord, TransferPosition,
    TransferRecord,
};

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    FILTER_PARAM,
    TYPE_PARAM,
    ("token", ParamRule::Address),
    BLOCK_NUMBER_PARAM,
    INDEX_PARAM,
    ITEMS_COUNT_PARAM,
    BATCH_LOG_INDEX,
    BATCH_BLOCK_HASH,
    BATCH_TRANSACTION_HASH,
    INDEX_IN_BATCH,
];

pub(crate) const GLOBAL_PARAMETERS: &[ParamSpec] = &[
    TYPE_PARAM,
    ("limit", ParamRule::Integer(0)),
    BLOCK_NUMBER_PARAM,
    INDEX_PARAM,
    BATCH_LOG_INDEX,
    BATCH_BLOCK_HASH,
    BATCH_TRANSACTION_HASH,
    INDEX_IN_BATCH,
];

/// Of the transfers of a transaction, a token or an instance.
pub(crate) const SUBJECT_PARAMETERS: &[ParamSpec] = &[
    TYPE_PARAM,
    BLOCK_NUMBER_PARAM,
    INDEX_PARAM,
    ("token_id", ParamRule::Digits),
    BATCH_LOG_INDEX,
    BATCH_BLOCK_HASH,
    BATCH_TRANSACTION_HASH,
    INDEX_IN_BATCH,
];

const BATCH_LOG_INDEX: ParamSpec = ("batch_log_index", ParamRule::Integer(0));
const BATCH_BLOCK_HASH: ParamSpec = ("batch_block_hash", ParamRule::Hash);
const BATCH_TRANSACTION_HASH: ParamSpec = ("batch_transaction_hash", ParamRule::Hash);
const INDEX_IN_BATCH: ParamSpec = ("index_in_batch", ParamRule::Integer(0));

/// The greatest limit that has an effect. It counts logs, which are several items if batches.
const MAX_LIMIT: usize = 50;

pub(crate) fn list(request: &RequestContext<'_>, address: Address) -> JsonResult {
    let RequestContext { snapshot, params, .. } = *request;
    let filter = params.raw("filter");
    let token: Option<Address> = params.get("token");
    let rows = listed_rows(request, |row| {
        token.is_none_or(|token| row.token == token)
            && matches_filter(filter, row.from == address, row.to == address)
    })?;
    let rows: Vec<_> = rows.take(request.page_size + 1).collect();
    let history = (HistoryList::TokenTransfers, address);
    let after = cursor_position(snapshot, params)?
        .map(|after| (after.block_number, (after.log_index, after.index_in_batch) > (0, 0)));
    let item = |row| responses::transfer(snapshot, row);
    if let Some(page) = page_of_history(request, history, after, &rows, item)? {
        return to_json(&page);
    }
    to_json(&paged(request, rows.into_iter(), ListEnd::INDEXED, responses::transfer)?)
}

pub(crate) fn list_of_token(request: &RequestContext<'_>, token: Address) -> JsonResult {
    request.snapshot.state.token(token)?.ok_or_else(|| request.not_found())?;
    to_json(&page(request, |row| row.token == token)?)
}

pub(crate) fn list_of_instance(
    request: &RequestContext<'_>,
    instance: &InstanceRecord,
) -> JsonResult {
    to_json(&page(request, |row| row.token == instance.token && row.token_id == Some(instance.id))?)
}

/// Lists in the order of the logs, and the batches from their ends as elsewhere.
pub(crate) fn list_in_transaction(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
) -> JsonResult {
    let RequestContext { snapshot, params, .. } = *request;
    let types = params.token_types();
    let key = |position: TransferPosition| (position.log_index, Reverse(position.index_in_batch));
    let after = cursor_position(snapshot, params)?.map(key);
    let mut rows: Vec<_> = responses::transfers_in(snapshot, transaction)?
        .filter(|row| types.as_ref().is_none_or(|types| types.contains(&row.standard)))
        .filter(|row| after.is_none_or(|after| key(row.position) > after))
        .collect();
    rows.sort_unstable_by_key(|row| key(row.position));
    let listed = paged(request, rows.into_iter(), ListEnd::Complete, responses::nested_transfer)?;
    to_json(&listed)
}

pub(crate) fn list_all(request: &RequestContext<'_>) -> JsonResult {
    let limit: Option<usize> = request.params.get("limit");
    if let Some(limit) = limit.filter(|&limit| limit <= MAX_LIMIT) {
        return to_json(&first_logs(request, limit)?);
    }
    let mut listed = page(request, |_| true)?;
    if let Some(limit) = limit {
        listed.next_page_params = listed.next_page_params.map(|next| next.with("limit", limit));
    }
    to_json(&listed)
}

/// Returns the transfers of a number of logs, which have no further page.
fn first_logs<'a>(
    request: &RequestContext<'a>,
    limit: usize,
) -> StoreResult<PageResponse<responses::TransferResponse<'a>>> {
    let mut logs = 0;
    let mut last = None;
    let rows = listed_rows(request, |_| true)?.take_while(|row| {
        let position = last.replace(row.position);
        logs += usize::from(position.is_none_or(|newer| !newer.is_same_log(row.position)));
        logs <= limit
    });
    let items: Vec<_> =
        rows.map(|row| responses::transfer(request.snapshot, row)).collect::<Result<_, _>>()?;
    if items.len() < limit {
        request
            .snapshot
            .require_older_blocks()
            .or_else(|unindexed| if items.is_empty() { Err(unindexed) } else { Ok(()) })?;
    }
    Ok(PageResponse { items, next_page_params: None, coverage: request.coverage() })
}

fn listed_rows<'a>(
    request: &RequestContext<'a>,
    is_listed: impl Fn(&TransferRecord) -> bool,
) -> StoreResult<impl Iterator<Item = &'a TransferRecord>> {
    let types = request.params.token_types();
    let after = cursor_position(request.snapshot, request.params)?;
    let rows = request.snapshot.transfers(after.map_or(u64::MAX, |after| after.block_number))?;
    Ok(rows
        .filter(move |row| after.is_none_or(|after| row.position < after))
        .filter(move |row| types.as_ref().is_none_or(|types| types.contains(&row.standard)))
        .filter(move |row| is_listed(row)))
}

fn page<'a>(
    request: &RequestContext<'a>,
    is_listed: impl Fn(&TransferRecord) -> bool,
) -> StoreResult<PageResponse<responses::TransferResponse<'a>>> {
    let rows = listed_rows(request, is_listed)?;
    paged(request, rows, ListEnd::INDEXED, responses::transfer)
}

type RenderFn<'a> =
    fn(&'a Snapshot, &'a TransferRecord) -> StoreResult<responses::TransferResponse<'a>>;

fn paged<'a>(
    request: &RequestContext<'a>,
    rows: impl Iterator<Item = &'a TransferRecord>,
    end: ListEnd,
    item: RenderFn<'a>,
) -> StoreResult<PageResponse<responses::TransferResponse<'a>>> {
    let RequestContext { snapshot, params, .. } = *request;
    let (page, next) = take_page(request, rows, end)?;
    let next_page_params = match next {
        NextRow::None => None,
        NextRow::Known(next) => cursor(snapshot, params, &page, Some(next))?,
        NextRow::Unknown => cursor(snapshot, params, &page, None)?,
    };
    let items = page.into_iter().map(|row| item(snapshot, row)).collect::<Result<_, _>>()?;
    Ok(PageResponse { items, next_page_params, coverage: request.coverage() })
}

fn cursor_position(
    snapshot: &Snapshot,
    params: &QueryParams,
) -> StoreResult<Option<TransferPosition>> {
    Ok(position_in_batch(snapshot, params)?.or_else(|| {
        Some(TransferPosition {
            block_number: params.get("block_number")?,
            log_index: params.get("index")?,
            index_in_batch: 0,
        })
    }))
}

/// Returns the position in a batch where the previous page ended. The block follows from the
/// transaction, so the block hash is not used.
fn position_in_batch(
    snapshot: &Snapshot,
    params: &QueryParams,
) -> StoreResult<Option<TransferPosition>> {
    let Some(hash) = params.get::<B256>("batch_transaction_hash") else { return Ok(None) };
    let transaction = snapshot.transaction(hash)?;
    Ok(transaction.and_then(|transaction| {
        Some(TransferPosition {
            block_number: transaction.block_number,
            log_index: params.get("batch_log_index")?,
            index_in_batch: params.get("index_in_batch")?,
        })
    }))
}

fn cursor(
    snapshot: &Snapshot,
    params: &QueryParams,
    page: &[&TransferRecord],
    next: Option<&TransferRecord>,
) -> StoreResult<Option<NextPageParams>> {
    let Some(last) = page.last() else { return Ok(None) };
    let position = last.position;
    let cursor = NextPageParams::echo(params);
    if next.is_none_or(|next| !position.is_same_log(next.position)) {
        return Ok(Some(after_log(cursor, position.block_number, position.log_index)));
    }
    let complete = page
        .iter()
        .rev()
        .map(|row| row.position)
        .find(|other| !other.is_same_log(position))
        .map(|last| (last.block_number, last.log_index));
    // If the whole page is inside the batch, the last complete log is on an earlier page.
    let earlier = || Some((params.get("block_number")?, params.get("index")?));
    let cursor = match complete.or_else(earlier) {
        Some((block, log)) => after_log(cursor, block, log),
        None => cursor,
    };
    let block = snapshot.block(position.block_number)?;
    Ok(Some(
        cursor
            .with("batch_log_index", position.log_index)
            .with("batch_block_hash", block.map(|block| block.hash.to_string()))
            .with("batch_transaction_hash", last.transaction_hash.to_string())
            .with("index_in_batch", position.index_in_batch),
    ))
}

fn after_log(cursor: NextPageParams, block_number: u64, log_index: u32) -> NextPageParams {
    cursor.with("block_number", block_number).with("index", log_index)
}
