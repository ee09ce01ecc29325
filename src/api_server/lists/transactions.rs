//! The transactions of an address, newest first or sorted by value or fee, and of the chain and of a
//! block, newest first.

use std::cmp::Ordering;

use alloy_primitives::{Address, B256, U256};
use serde::Serialize;
use serde_json::Value;

use super::{
    BLOCK_NUMBER_PARAM, FILTER_PARAM, INDEX_PARAM, ITEMS_COUNT_PARAM, ListEnd, NULLABLE_DIGITS,
    NULLABLE_INTEGER, PageResponse, matches_filter, page, page_of_all, page_of_history, read_page,
};
use crate::api_server::{
    cursor::NextPageParams,
    error::ApiServerError,
    query_params::{ParamRule, ParamSpec, QueryParams},
    request::{JsonResult, RequestContext, to_json},
    responses::{self, TransactionResponse},
};
use crate::messages::chain_data::ChainDataError;
use crate::store::{
    BlockRecord, HistoryList, Snapshot, StoreError, StoreResult, TransactionPosition,
    TransactionRecord,
};

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    FILTER_PARAM,
    ("sort", ParamRule::OneOf(&["block_number", "value", "fee"])),
    ("order", ParamRule::OneOf(&["asc", "desc"])),
    ("block_number", NULLABLE_INTEGER),
    ("index", NULLABLE_INTEGER),
    ("inserted_at", ParamRule::Time),
    ("hash", ParamRule::Hash),
    ("value", NULLABLE_DIGITS),
    ("fee", ParamRule::Digits),
    ITEMS_COUNT_PARAM,
];

pub(crate) const CHAIN_PARAMETERS: &[ParamSpec] = &[
    ("filter", ParamRule::OneOf(&["validated", "pending"])),
    ("type", ParamRule::Text),
    ("method", ParamRule::Text),
    BLOCK_NUMBER_PARAM,
    INDEX_PARAM,
    ("inserted_at", ParamRule::Time),
    ("hash", ParamRule::Hash),
    ITEMS_COUNT_PARAM,
];

pub(crate) const BLOCK_PARAMETERS: &[ParamSpec] =
    &[BLOCK_NUMBER_PARAM, INDEX_PARAM, ITEMS_COUNT_PARAM];

/// Transactions on the start page of an explorer.
const HOME_TRANSACTIONS: usize = 6;

/// Returns the fee by which a transaction is sorted, zero if it is unknown.
fn sort_fee(row: &TransactionRecord) -> U256 {
    row.fee().unwrap_or_default()
}

#[derive(Clone, Copy, Debug)]
struct TransactionSortKey {
    position: TransactionPosition,
    value: U256,
    fee: U256,
}

impl TransactionSortKey {
    fn from_record(row: &TransactionRecord) -> Self {
        Self { position: row.position(), value: row.value, fee: sort_fee(row) }
    }

    fn from_cursor(params: &QueryParams) -> Option<Self> {
        Some(Self {
            position: TransactionPosition {
                block_number: params.get("block_number")?,
                index: params.get("index")?,
            },
            value: params.get("value").unwrap_or_default(),
            fee: params.get("fee").unwrap_or_default(),
        })
    }
}

/// Returns the requested order, unless that is newest first.
fn comparator(
    params: &QueryParams,
) -> Option<fn(&TransactionSortKey, &TransactionSortKey) -> Ordering> {
    // Blockscout ignores `sort` and `order` unless it gets both.
    match (params.raw("sort"), params.raw("order")) {
        (Some("block_number"), Some("asc")) => Some(|a, b| a.position.cmp(&b.position)),
        (Some("value"), Some("asc")) => {
            Some(|a, b| a.value.cmp(&b.value).then(b.position.cmp(&a.position)))
        }
        (Some("value"), Some("desc")) => {
            Some(|a, b| (b.value, b.position).cmp(&(a.value, a.position)))
        }
        (Some("fee"), Some("asc")) => {
            Some(|a, b| a.fee.cmp(&b.fee).then(b.position.cmp(&a.position)))
        }
        (Some("fee"), Some("desc")) => Some(|a, b| (b.fee, b.position).cmp(&(a.fee, a.position))),
        _ => None,
    }
}

pub(crate) fn list(request: &RequestContext<'_>, address: Address) -> JsonResult {
    let RequestContext { snapshot, params, .. } = *request;
    let after = TransactionSortKey::from_cursor(params);
    if let Some(order) = comparator(params) {
        let mut keyed: Vec<_> = (snapshot.transactions(u64::MAX)?)
            .filter(|row| is_listed(row, address, params))
            .map(|row| (TransactionSortKey::from_record(row), row))
            .filter(|(key, _)| after.is_none_or(|after| order(&after, key).is_lt()))
            .collect();
        keyed.sort_unstable_by(|(a, _), (b, _)| order(a, b));
        let rows = keyed.into_iter().map(|(_, row)| row);
        let cursor = |last: &&TransactionRecord, next| mined_cursor(snapshot, last, next);
        return page_of_all(request, rows, cursor, |row| responses::transaction(snapshot, row));
    }
    if after.is_some() {
        return to_json(&newest_first(request, address, after)?);
    }
    let (pool, pool_failure) = match request.pool(Some(address)) {
        Ok(pooled) => (pooled, None),
        Err(why) => (Vec::new(), Some(why.to_string())),
    };
    let pooled: Vec<_> = pool
        .into_iter()
        .filter(|row| is_listed(row, address, params) && follows_cursor(row, params))
        .collect();
    if pooled.len() > request.page_size {
        return page_of_pool(request, pooled.into_iter());
    }
    let page_size = (request.page_size - pooled.len()).max(1);
    let rest = RequestContext { page_size, ..*request };
    let PageResponse { items, next_page_params, coverage } =
        match newest_first(&rest, address, None) {
            Err(StoreError::StillIndexing(blocks)) if !pooled.is_empty() => PageResponse {
                items: Vec::new(),
                next_page_params: None,
                coverage: Some((&blocks).into()),
            },
            page => page?,
        };
    let pooled = pooled
        .iter()
        .map(|row| responses::listed_pending(snapshot, row))
        .map(|row| Ok(TransactionItem::Pooled(row?)));
    let mined = items.into_iter().map(|row| Ok(TransactionItem::Mined(Box::new(row))));
    let items = pooled.chain(mined).collect::<StoreResult<_>>()?;
    let page = PageResponse { items, next_page_params, coverage };
    to_json(&AddressTransactions { page, pool_failure })
}

fn is_listed(row: &TransactionRecord, address: Address, params: &QueryParams) -> bool {
    matches_filter(params.raw("filter"), row.from == address, row.is_received_by(address))
}

fn mined_cursor(
    snapshot: &Snapshot,
    last: &TransactionRecord,
    next: NextPageParams,
) -> NextPageParams {
    let block = snapshot.block(last.block_number).ok().flatten();
    next.with("fee", sort_fee(last).to_string())
        .with("value", last.value.to_string())
        .with("block_number", last.block_number)
        .with("index", last.index)
        .with("inserted_at", block.map(|block| format!("{:.6}", block.timestamp)))
        .with("hash", last.hash.to_string())
}

/// Returns a page of the transactions of an address that are in blocks.
fn newest_first<'a>(
    request: &RequestContext<'a>,
    address: Address,
    after: Option<TransactionSortKey>,
) -> StoreResult<PageResponse<TransactionResponse<'a>>> {
    let RequestContext { snapshot, params, .. } = *request;
    let item = |row| responses::transaction(snapshot, row);
    let last_block = after.map_or(u64::MAX, |after| after.position.block_number);
    let rows = snapshot.newest_transactions(last_block, request.page_size + 1, |row| {
        let follows = after.is_none_or(|after| row.position() < after.position);
        follows && is_listed(row, address, params)
    })?;
    let history = (HistoryList::Transactions, address);
    let place = after.map(|last| (last.position.block_number, last.position.index > 0));
    if let Some(page) = page_of_history(request, history, place, &rows, item)? {
        return Ok(page);
    }
    let cursor = |last: &&TransactionRecord, next| mined_cursor(snapshot, last, next);
    read_page(request, rows, ListEnd::INDEXED, cursor, item)
}

/// Transactions of an address, first the ones that are in no block.
#[derive(Debug, Serialize)]
struct AddressTransactions<'a> {
    #[serde(flatten)]
    page: PageResponse<TransactionItem<'a>>,
    /// The reason why transactions in no block are not listed. Not in the API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pool_failure: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum TransactionItem<'a> {
    Pooled(Value),
    Mined(Box<TransactionResponse<'a>>),
}

/// Returns `true` if a transaction in no block comes after the cursor, which has a nonce for the index.
fn follows_cursor(row: &TransactionRecord, params: &QueryParams) -> bool {
    let after: Option<(u64, B256)> = params.get("index").zip(params.get("hash"));
    after.is_none_or(|(nonce, hash)| {
        row.nonce.cmp(&nonce).reverse().then(row.hash.cmp(&hash)).is_gt()
    })
}

fn pool_cursor(last: &TransactionRecord, next: NextPageParams) -> NextPageParams {
    next.with("index", last.nonce).with("hash", last.hash.to_string())
}

/// Responds with the transactions in no block, whichever blocks are indexed.
fn list_pending(request: &RequestContext<'_>) -> JsonResult {
    let rows = request.pool(None)?.into_iter().filter(|row| follows_cursor(row, request.params));
    page_of_pool(request, rows)
}

fn page_of_pool(
    request: &RequestContext<'_>,
    rows: impl Iterator<Item = TransactionRecord>,
) -> JsonResult {
    let request = &RequestContext { coverage: None, ..*request };
    page(request, rows, ListEnd::Complete, pool_cursor, |row| {
        responses::listed_pending(request.snapshot, &row)
    })
}

pub(crate) fn list_all(request: &RequestContext<'_>) -> JsonResult {
    if request.params.raw("filter") == Some("pending") {
        return list_pending(request);
    }
    // One more says whether there is a next page.
    let count = request.page_size + 1;
    let rows = request.snapshot.transactions_before(position(request.params), count)?;
    respond(request, rows, ListEnd::INDEXED)
}

pub(crate) fn list_in_block(request: &RequestContext<'_>, block: &BlockRecord) -> JsonResult {
    let after = position(request.params);
    let rows = request.snapshot.transactions_in(block.number)?;
    let rows = rows.filter(|row| after.is_none_or(|after| row.position() < after));
    respond(request, rows, ListEnd::Complete)
}

pub(crate) fn latest(request: &RequestContext<'_>) -> JsonResult {
    let rows = request
        .snapshot
        .transactions_before(None, HOME_TRANSACTIONS)?
        .take(HOME_TRANSACTIONS)
        .map(|row| responses::transaction(request.snapshot, row));
    to_json(&rows.collect::<Result<Vec<_>, _>>()?)
}

/// Returns the position that the rows of a page precede: without an index, the end of the block.
fn position(params: &QueryParams) -> Option<TransactionPosition> {
    let index = params.get("index").unwrap_or(u32::MAX);
    params.get("block_number").map(|block_number| TransactionPosition { block_number, index })
}

/// Responds with rows that are newest first and follow the cursor's.
fn respond<'a>(
    request: &RequestContext<'a>,
    rows: impl Iterator<Item = &'a TransactionRecord>,
    end: ListEnd,
) -> JsonResult {
    let cursor = |last: &&TransactionRecord, next: NextPageParams| {
        next.with("block_number", last.block_number).with("index", last.index)
    };
    page(request, rows, end, cursor, |row| responses::transaction(request.snapshot, row))
}

#[derive(Debug, Serialize)]
struct BlobResponse {
    hash: B256,
}

/// Lists the blobs of a transaction, of which a node has the hashes only.
pub(crate) fn list_blobs(_: &RequestContext<'_>, transaction: &TransactionRecord) -> JsonResult {
    let hashes = match transaction.blobs() {
        Some(blobs) => blobs
            .hashes
            .as_deref()
            .ok_or(ApiServerError::Unsupported(ChainDataError::NoBlobHashes))?,
        None => &[],
    };
    to_json(&PageResponse {
        items: hashes.iter().map(|hash| BlobResponse { hash: *hash }).collect(),
        next_page_params: None,
        coverage: None,
    })
}
