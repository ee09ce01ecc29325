//! Token transfers, of an address or of the whole chain, newest first.
//!
//! A batch is one log and many items, and a page may end inside it. The cursor then names the
//! item besides the last whole log.

use alloy_primitives::{Address, B256};

use super::{Direction, FILTER, ITEMS_COUNT, Page, Question, TYPE, split};
use crate::demo_server::{
    cursor::Cursor,
    demo_chain::Broken,
    error::Fault,
    query_params::{Declared, Params, Rule},
    responses,
    store::Ledger,
    transfer_batches::{Place, Transfer},
};

/// What the list of one address takes.
pub(crate) const PARAMETERS: &[Declared] = &[
    FILTER,
    TYPE,
    ("token", Rule::Address),
    BLOCK_NUMBER,
    INDEX,
    ITEMS_COUNT,
    BATCH_LOG_INDEX,
    BATCH_BLOCK_HASH,
    BATCH_TRANSACTION_HASH,
    INDEX_IN_BATCH,
];

/// What the list of the whole chain takes.
pub(crate) const GLOBAL_PARAMETERS: &[Declared] = &[
    TYPE,
    ("limit", Rule::Integer(1)),
    BLOCK_NUMBER,
    INDEX,
    BATCH_LOG_INDEX,
    BATCH_BLOCK_HASH,
    BATCH_TRANSACTION_HASH,
    INDEX_IN_BATCH,
];

const BLOCK_NUMBER: Declared = ("block_number", Rule::IntegerOrNull);
const INDEX: Declared = ("index", Rule::IntegerOrNull);
const BATCH_LOG_INDEX: Declared = ("batch_log_index", Rule::Integer(0));
const BATCH_BLOCK_HASH: Declared = ("batch_block_hash", Rule::Hash);
const BATCH_TRANSACTION_HASH: Declared = ("batch_transaction_hash", Rule::Hash);
const INDEX_IN_BATCH: Declared = ("index_in_batch", Rule::Integer(0));

/// From this limit on, the real service ignores it.
const LIMIT_END: usize = 51;

/// Lists the token transfers an address sent or received.
pub(crate) fn list<'a>(
    question: &Question<'a>,
    whom: Address,
) -> Result<Page<responses::Transfer<'a>>, Fault> {
    let direction = Direction::of(question.params);
    let token: Option<Address> = question.params.get("token");
    page(question, question.page_size, |row| {
        token.is_none_or(|token| row.token == token)
            && direction.admits(row.from == whom, row.to == whom)
    })
}

/// Lists the token transfers of the whole chain.
pub(crate) fn global<'a>(question: &Question<'a>) -> Result<Page<responses::Transfer<'a>>, Fault> {
    let limit = question.params.get("limit").filter(|&limit| limit < LIMIT_END);
    let listed = page(question, limit.unwrap_or(question.page_size), |_| true)?;
    // A limited list has one page.
    let next_page_params = listed.next_page_params.filter(|_| limit.is_none());
    Ok(Page { next_page_params, ..listed })
}

fn page<'a>(
    question: &Question<'a>,
    size: usize,
    wanted: impl Fn(&Transfer) -> bool,
) -> Result<Page<responses::Transfer<'a>>, Fault> {
    let Question { ledger, params, .. } = *question;
    let types = params.token_types();
    let rows = unread(ledger, params)?
        .iter()
        .filter(|row| types.as_ref().is_none_or(|types| types.contains(&row.token_type)))
        .filter(|row| wanted(row));

    let (page, next) = split(rows, size);
    let next_page_params =
        next.map(|next| cursor(ledger, params, &page, next)).transpose()?.flatten();
    let items = page.into_iter().map(|row| responses::transfer(ledger, row));
    Ok(Page { items: items.collect::<Result<_, _>>()?, next_page_params })
}

/// The rows after the cursor.
fn unread<'a>(ledger: &'a Ledger, params: &Params) -> Result<&'a [Transfer], Broken> {
    let table = ledger.transfers()?;
    let mark = inside_batch(ledger, params)?.or_else(|| {
        let (block_number, log_index) = (params.get("block_number")?, params.get("index")?);
        Some(Place { block_number, log_index, index_in_batch: 0 })
    });
    let read = mark.map_or(0, |mark| table.partition_point(|row| row.place() >= mark));
    Ok(table.get(read..).unwrap_or_default())
}

/// Where inside a batch the page before ended. The transaction tells the block; the hash of the
/// block is taken and not needed.
fn inside_batch(ledger: &Ledger, params: &Params) -> Result<Option<Place>, Broken> {
    let Some(hash) = params.get::<B256>("batch_transaction_hash") else { return Ok(None) };
    let transaction = ledger.transactions()?.get(hash);
    Ok(transaction.and_then(|transaction| {
        Some(Place {
            block_number: transaction.block_number,
            log_index: params.get("batch_log_index")?,
            index_in_batch: params.get("index_in_batch")?,
        })
    }))
}

fn cursor(
    ledger: &Ledger,
    params: &Params,
    page: &[&Transfer],
    next: &Transfer,
) -> Result<Option<Cursor>, Broken> {
    let Some(last) = page.last() else { return Ok(None) };
    let place = last.place();
    let cursor = Cursor::echo(params);
    if !place.same_log(next.place()) {
        return Ok(Some(after_log(cursor, place.block_number, place.log_index)));
    }
    let whole = page.iter().rev().map(|row| row.place()).find(|it| !it.same_log(place));
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

fn after_log(cursor: Cursor, block_number: u32, log_index: u32) -> Cursor {
    cursor.with("block_number", block_number).with("index", log_index)
}
