//! The internal transactions of an address, newest first.

use alloy_primitives::Address;

use super::{Direction, FILTER, ITEMS_COUNT, Page, Question, split};
use crate::explorer::{
    cursor::Cursor,
    fault::Fault,
    params::{Declared, Params, Rule},
    records::Internal,
    shapes,
};

/// What the list takes.
pub(crate) const PARAMETERS: &[Declared] = &[
    FILTER,
    ("block_number", Rule::IntegerOrNull),
    ("index", Rule::IntegerOrNull),
    ("transaction_index", Rule::Integer(0)),
    ITEMS_COUNT,
];

/// Lists what was called, made or destroyed by or at an address.
pub(crate) fn list<'a>(
    question: &Question<'a>,
    whom: Address,
) -> Result<Page<shapes::Internal<'a>>, Fault> {
    let direction = Direction::of(question.params);
    let table = question.ledger.internals()?;
    let rows = unread(table, question.params)
        .iter()
        .filter(|row| !row.is_top_call())
        .filter(|row| direction.admits(row.from == whom, row.reaches(whom)));

    let (page, next) = split(rows, question.page_size);
    let cursor = next.and(page.last()).map(|last| cursor(question.params, last, page.len()));
    let items = page.into_iter().map(|row| shapes::internal(question.ledger, row));
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
