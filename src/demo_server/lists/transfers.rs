//! Token transfers, of an address or of the whole chain, newest first.
//!
//! A batch is one log and many items, and a page may end inside it. The cursor then names the
//! item besides the last whole log.

use alloy_primitives::{Address, B256};

use super::{
    DirectionFilter, FILTER_PARAM, ITEMS_COUNT_PARAM, PageResponse, RequestContext, TYPE_PARAM,
    take_page,
};
use crate::demo_server::{
    cursor::DemoCursor,
    demo_chain::DemoDataError,
    error::DemoApiError,
    query_params::{ParamRule, ParamSpec, QueryParams},
    responses,
    store::Store,
    transfer_batches::{DemoTransfer, TransferPosition},
};

/// What the list of one address takes.
pub(crate) const PARAMETERS: &[ParamSpec] = &[
    FILTER_PARAM,
    TYPE_PARAM,
    ("token", ParamRule::Address),
    BLOCK_NUMBER,
    INDEX,
    ITEMS_COUNT_PARAM,
    BATCH_LOG_INDEX,
    BATCH_BLOCK_HASH,
    BATCH_TRANSACTION_HASH,
    INDEX_IN_BATCH,
];

/// What the list of the whole chain takes.
pub(crate) const GLOBAL_PARAMETERS: &[ParamSpec] = &[
    TYPE_PARAM,
    ("limit", ParamRule::Integer(1)),
    BLOCK_NUMBER,
    INDEX,
    BATCH_LOG_INDEX,
    BATCH_BLOCK_HASH,
    BATCH_TRANSACTION_HASH,
    INDEX_IN_BATCH,
];

const BLOCK_NUMBER: ParamSpec = ("block_number", ParamRule::IntegerOrNull);
const INDEX: ParamSpec = ("index", ParamRule::IntegerOrNull);
const BATCH_LOG_INDEX: ParamSpec = ("batch_log_index", ParamRule::Integer(0));
const BATCH_BLOCK_HASH: ParamSpec = ("batch_block_hash", ParamRule::Hash);
const BATCH_TRANSACTION_HASH: ParamSpec = ("batch_transaction_hash", ParamRule::Hash);
const INDEX_IN_BATCH: ParamSpec = ("index_in_batch", ParamRule::Integer(0));

/// From this limit on, the real service ignores it.
const MIN_IGNORED_LIMIT: usize = 51;

/// Lists the token transfers an address sent or received.
pub(crate) fn list<'a>(
    question: &RequestContext<'a>,
    whom: Address,
) -> Result<PageResponse<responses::TransferResponse<'a>>, DemoApiError> {
    let direction = DirectionFilter::from_params(question.params);
    let token: Option<Address> = question.params.get("token");
    page(question, question.page_size, |row| {
        token.is_none_or(|token| row.token == token)
            && direction.matches(row.from == whom, row.to == whom)
    })
}

/// Lists the token transfers of the whole chain.
pub(crate) fn list_all<'a>(
    question: &RequestContext<'a>,
) -> Result<PageResponse<responses::TransferResponse<'a>>, DemoApiError> {
    let limit = question.params.get("limit").filter(|&limit| limit < MIN_IGNORED_LIMIT);
    let listed = page(question, limit.unwrap_or(question.page_size), |_| true)?;
    // A limited list has one page.
    let next_page_params = listed.next_page_params.filter(|_| limit.is_none());
    Ok(PageResponse { next_page_params, ..listed })
}

fn page<'a>(
    question: &RequestContext<'a>,
    size: usize,
    wanted: impl Fn(&DemoTransfer) -> bool,
) -> Result<PageResponse<responses::TransferResponse<'a>>, DemoApiError> {
    let RequestContext { store: ledger, params, .. } = *question;
    let types = params.parse_token_types();
    let rows = after_cursor(ledger, params)?
        .iter()
        .filter(|row| types.as_ref().is_none_or(|types| types.contains(&row.token_type)))
        .filter(|row| wanted(row));

    let (page, next) = take_page(rows, size);
    let next_page_params =
        next.map(|next| cursor(ledger, params, &page, next)).transpose()?.flatten();
    let items = page.into_iter().map(|row| responses::transfer(ledger, row));
    Ok(PageResponse { items: items.collect::<Result<_, _>>()?, next_page_params })
}

/// The rows after the cursor.
fn after_cursor<'a>(
    ledger: &'a Store,
    params: &QueryParams,
) -> Result<&'a [DemoTransfer], DemoDataError> {
    let table = ledger.transfers()?;
    let mark = position_in_batch(ledger, params)?.or_else(|| {
        let (block_number, log_index) = (params.get("block_number")?, params.get("index")?);
        Some(TransferPosition { block_number, log_index, index_in_batch: 0 })
    });
    let read = mark.map_or(0, |mark| table.partition_point(|row| row.position() >= mark));
    Ok(table.get(read..).unwrap_or_default())
}

/// Where inside a batch the page before ended. The transaction tells the block; the hash of the
/// block is taken and not needed.
fn position_in_batch(
    ledger: &Store,
    params: &QueryParams,
) -> Result<Option<TransferPosition>, DemoDataError> {
    let Some(hash) = params.get::<B256>("batch_transaction_hash") else { return Ok(None) };
    let transaction = ledger.transactions()?.get(hash);
    Ok(transaction.and_then(|transaction| {
        Some(TransferPosition {
            block_number: transaction.block_number,
            log_index: params.get("batch_log_index")?,
            index_in_batch: params.get("index_in_batch")?,
        })
    }))
}

fn cursor(
    ledger: &Store,
    params: &QueryParams,
    page: &[&DemoTransfer],
    next: &DemoTransfer,
) -> Result<Option<DemoCursor>, DemoDataError> {
    let Some(last) = page.last() else { return Ok(None) };
    let place = last.position();
    let cursor = DemoCursor::echo(params);
    if !place.is_same_log(next.position()) {
        return Ok(Some(after_log(cursor, place.block_number, place.log_index)));
    }
    let whole = page.iter().rev().map(|row| row.position()).find(|it| !it.is_same_log(place));
    let whole = whole.map(|it| (it.block_number, it.log_index));
    // The page may lie in the batch altogether: the last whole log is then on an earlier one.
    let earlier = || Some((params.get("block_number")?, params.get("index")?));
    let cursor = match whole.or_else(earlier) {
        Some((block, log)) => after_log(cursor, block, log),
        None => cursor,
    };
    let block = ledger.block(place.block_number)?;
    Ok(Some(
        cursor
            .with("batch_log_index", place.log_index)
            .with("batch_block_hash", block.map(|it| it.hash))
            .with("batch_transaction_hash", last.transaction_hash)
            .with("index_in_batch", place.index_in_batch),
    ))
}

fn after_log(cursor: DemoCursor, block_number: u32, log_index: u32) -> DemoCursor {
    cursor.with("block_number", block_number).with("index", log_index)
}
