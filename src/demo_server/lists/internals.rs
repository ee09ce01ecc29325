//! Internal transactions: of an address, newest first, and of a transaction, in the order of their calls.

use alloy_primitives::Address;

use super::{Direction, FILTER, ITEMS_COUNT, Page, Question, split};
use crate::demo_server::{
    cursor::Cursor,
    error::Fault,
    models::{Internal, Transaction},
    query_params::{Declared, Params, Rule},
    responses,
};

/// What the list takes.
pub(crate) const PARAMETERS: &[Declared] = &[
    FILTER,
    ("block_number", Rule::IntegerOrNull),
    ("index", Rule::IntegerOrNull),
    ("transaction_index", Rule::Integer(0)),
    ITEMS_COUNT,
];

/// What the list of a transaction takes.
pub(crate) const OWN_PARAMETERS: &[Declared] = &[
    ("block_number", Rule::IntegerOrNull),
    ("index", Rule::IntegerOrNull),
    ("transaction_index", Rule::Integer(0)),
    ITEMS_COUNT,
];

/// Lists what was called, made or destroyed by or at an address.
pub(crate) fn list<'a>(
    question: &Question<'a>,
    whom: Address,
) -> Result<Page<responses::Internal<'a>>, Fault> {
    let direction = Direction::of(question.params);
    let table = question.ledger.internals()?;
    let rows = unread(table, question.params)
        .iter()
        .filter(|row| !row.is_top_call())
        .filter(|row| direction.admits(row.from == whom, row.reaches(whom)));

    let (page, next) = split(rows, question.page_size);
    let cursor = next.and(page.last()).map(|last| cursor(question.params, last, page.len()));
    let items = page.into_iter().map(|row| responses::internal(question.ledger, row));
    Ok(Page { items: items.collect::<Result<_, _>>()?, next_page_params: cursor })
}

/// Lists what was called, made or destroyed inside a transaction.
pub(crate) fn inside<'a>(
    question: &Question<'a>,
    whole: &Transaction,
) -> Result<Page<responses::Internal<'a>>, Fault> {
    let table = question.ledger.internals()?;
    let place = (whole.block_number, whole.position);
    let of = |row: &Internal| (row.block_number, row.transaction_index);
    let newer = table.partition_point(|row| of(row) > place);
    let rows = table.get(newer..).unwrap_or_default();
    let rows = rows.iter().take_while(|row| of(row) == place).collect::<Vec<_>>();
    let read: Option<u32> = question.params.get("index");
    let unread = |row: &&Internal| !row.is_top_call() && read.is_none_or(|read| row.index > read);

    let (page, next) = split(rows.into_iter().rev().filter(unread), question.page_size);
    let cursor = next.and(page.last()).map(|last| cursor(question.params, last, page.len()));
    let items = page.into_iter().map(|row| responses::internal(question.ledger, row));
    Ok(Page { items: items.collect::<Result<_, _>>()?, next_page_params: cursor })
}

fn unread<'a>(table: &'a [Internal], params: &Params) -> &'a [Internal] {
    let mark = || {
        Some((params.get("block_number")?, params.get("transaction_index")?, params.get("index")?))
    };
    let read = mark().map_or(0, |mark| table.partition_point(|row| row.place() >= mark));
    table.get(read..).unwrap_or_default()
}

fn cursor(params: &Params, last: &Internal, items_count: usize) -> Cursor {
    Cursor::echo(params)
        .with("block_number", last.block_number)
        .with("transaction_index", last.transaction_index)
        .with("index", last.index)
        .with("items_count", items_count)
}
