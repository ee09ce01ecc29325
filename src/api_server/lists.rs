//! The lists of the API: their filters, order and pages.
//!
//! A page starts after the cursor's key, not after a number of rows, so that rows added between
//! two requests shift nothing.

pub(crate) mod accounts;
pub(crate) mod activity;
pub(crate) mod balance_history;
pub(crate) mod blocks;
pub(crate) mod console_lines;
pub(crate) mod holders;
pub(crate) mod hot_contracts;
pub(crate) mod internal_transactions;
pub(crate) mod logs;
pub(crate) mod nft_collections;
pub(crate) mod nft_instances;
pub(crate) mod state_changes;
pub(crate) mod token_balances;
pub(crate) mod token_transfers;
pub(crate) mod tokens;
pub(crate) mod transactions;

use alloy_primitives::Address;
use serde::Serialize;

use super::{
    coverage::CoverageResponse,
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext, to_json},
};
use crate::chain::coverage::{BlockCoverage, MissingBlocks};
use crate::store::{HistoryEnd, HistoryList, StoreResult};

#[derive(Debug, Serialize)]
struct PageResponse<T> {
    items: Vec<T>,
    next_page_params: Option<NextPageParams>,
    /// The blocks whose rows are listed, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<CoverageResponse>,
}

const FILTER_PARAM: ParamSpec = ("filter", ParamRule::OneOf(&["to", "from"]));
const BLOCK_NUMBER_PARAM: ParamSpec = ("block_number", ParamRule::Integer(0));
const INDEX_PARAM: ParamSpec = ("index", ParamRule::Integer(0));
const TRANSACTION_INDEX_PARAM: ParamSpec = ("transaction_index", ParamRule::Integer(0));
/// The number of items on the previous page, which Blockscout sends and this server ignores.
const ITEMS_COUNT_PARAM: ParamSpec = ("items_count", ParamRule::Range(1, MAX_ITEMS_COUNT));
const MAX_ITEMS_COUNT: u32 = 50;
const TYPE_PARAM: ParamSpec =
    ("type", ParamRule::AnyOf(&[ParamRule::Empty, ParamRule::TokenTypes]));
const NULLABLE_INTEGER: ParamRule =
    ParamRule::AnyOf(&[ParamRule::Integer(0), ParamRule::Empty, ParamRule::Null]);
const NULLABLE_DIGITS: ParamRule =
    ParamRule::AnyOf(&[ParamRule::Digits, ParamRule::Empty, ParamRule::Null]);

/// Returns `true` if a `filter` lists a row that the address sent or received.
fn matches_filter(filter: Option<&str>, sent: bool, received: bool) -> bool {
    match filter {
        Some("from") => sent,
        Some("to") => received,
        _ => sent || received,
    }
}

/// Responds with no rows.
pub(crate) fn empty(request: &RequestContext<'_>) -> JsonResult {
    to_json(&PageResponse::<()> {
        items: Vec::new(),
        next_page_params: None,
        coverage: request.coverage(),
    })
}

/// Responds with one page of rows. See [`read_page`].
fn page<R, T: Serialize>(
    request: &RequestContext<'_>,
    rows: impl IntoIterator<Item = R>,
    end: ListEnd,
    cursor: impl FnOnce(&R, NextPageParams) -> NextPageParams,
    item: impl FnMut(R) -> StoreResult<T>,
) -> JsonResult {
    to_json(&read_page(request, rows, end, cursor, item)?)
}

/// Returns one page of rows. `cursor` adds the keys of the last row to the parameters of the next page,
/// which has the filters and the number of rows, as far as the API allows it.
fn read_page<R, T>(
    request: &RequestContext<'_>,
    rows: impl IntoIterator<Item = R>,
    end: ListEnd,
    cursor: impl FnOnce(&R, NextPageParams) -> NextPageParams,
    item: impl FnMut(R) -> StoreResult<T>,
) -> StoreResult<PageResponse<T>> {
    let (rows, next) = take_page(request, rows.into_iter(), end)?;
    let count = u32::try_from(rows.len()).map_or(MAX_ITEMS_COUNT, |rows| rows.min(MAX_ITEMS_COUNT));
    let has_more = !matches!(next, NextRow::None);
    let next = NextPageParams::echo(request.params).with("items_count", count);
    let next_page_params = rows.last().filter(|_| has_more).map(|last| cursor(last, next));
    let items = rows.into_iter().map(item).collect::<Result<_, _>>()?;
    Ok(PageResponse { items, next_page_params, coverage: request.coverage() })
}

/// Responds with one page of rows that depend on all blocks, or on those that are known after some
/// time.
fn page_of_all<R, T: Serialize>(
    request: &RequestContext<'_>,
    rows: impl IntoIterator<Item = R>,
    cursor: impl FnOnce(&R, NextPageParams) -> NextPageParams,
    item: impl FnMut(R) -> StoreResult<T>,
) -> JsonResult {
    let read = request.snapshot.require_older_blocks();
    let mut rows = rows.into_iter().peekable();
    if rows.peek().is_none() {
        read?;
    }
    page(request, rows, ListEnd::Complete, cursor, item)
}

/// Returns the last rows of an address as a page whose next one the node finds in its own history, or `None` if
/// they are more than a page, or the node has no such history. It has the rows down to some block, and the next
/// page begins before that, where all place keys of the cursor are zero. There may be no rows: the node may have
/// found others.
///
/// `after` is the cursor's block, and `true` if rows of that block precede the cursor.
fn page_of_history<R: Copy, T>(
    request: &RequestContext<'_>,
    (list, address): (HistoryList, Address),
    after: Option<(u64, bool)>,
    rows: &[R],
    item: impl FnMut(R) -> StoreResult<T>,
) -> StoreResult<Option<PageResponse<T>>> {
    if rows.len() > request.page_size {
        return Ok(None);
    }
    let end_block =
        after.map_or(u64::MAX, |(block, has_earlier)| block.saturating_add(u64::from(has_earlier)));
    let Some(HistoryEnd { oldest }) = request.snapshot.history_before(list, address, end_block)
    else {
        return Ok(None);
    };
    let place_keys: &[&str] = match list {
        HistoryList::Transactions | HistoryList::TokenTransfers => &["index"],
        HistoryList::InternalTransactions => &["transaction_index", "index"],
    };
    let next_page_params = oldest.map(|oldest| {
        let next = NextPageParams::echo(request.params).with("block_number", oldest);
        place_keys.iter().fold(next, |next, key| next.with(key, 0))
    });
    let items = rows.iter().copied().map(item).collect::<Result<Vec<_>, _>>()?;
    let older = Some(MissingBlocks::NodeHistory);
    let coverage = request
        .coverage
        .map(|blocks| BlockCoverage { older, ..blocks.clone() })
        .as_ref()
        .map(Into::into);
    Ok(Some(PageResponse { items, next_page_params, coverage }))
}

/// The end of the rows of a list, after the last one that is known.
enum ListEnd {
    /// No row is missing.
    Complete,
    /// The rows end with the indexed blocks, or earlier for a reason.
    Indexed(StoreResult<()>),
}

impl ListEnd {
    const INDEXED: Self = Self::Indexed(Ok(()));
}

/// The end of a page.
enum NextRow<R> {
    None,
    Known(R),
    /// A row may be missing, of a block that is not indexed yet or lacks it.
    Unknown,
}

/// Splits off one page of rows, and the row after it: there is a next page only if it exists.
fn take_page<R>(
    request: &RequestContext<'_>,
    mut rows: impl Iterator<Item = R>,
    end: ListEnd,
) -> StoreResult<(Vec<R>, NextRow<R>)> {
    let page: Vec<R> = rows.by_ref().take(request.page_size).collect();
    if let Some(row) = rows.next() {
        return Ok((page, NextRow::Known(row)));
    }
    let end = match end {
        ListEnd::Complete => Ok(()),
        ListEnd::Indexed(read) => {
            read.and_then(|()| request.snapshot.end_of_indexed_blocks(!page.is_empty()))
        }
    };
    match end {
        Ok(()) => Ok((page, NextRow::None)),
        Err(why) if page.is_empty() => Err(why),
        Err(_) => Ok((page, NextRow::Unknown)),
    }
}
