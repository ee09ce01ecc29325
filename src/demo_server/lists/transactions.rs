//! The transactions of an address, newest first or sorted by worth.

use std::cmp::Ordering;

use alloy_primitives::{Address, U256};

use super::{Direction, FILTER, ITEMS_COUNT, Page, Question, split};
use crate::demo_server::{
    cursor::Cursor,
    error::Fault,
    models,
    query_params::{Declared, Params, Rule},
    responses,
};

/// What the list takes.
pub(crate) const PARAMETERS: &[Declared] = &[
    FILTER,
    ("sort", Rule::Word(&["block_number", "value", "fee"])),
    ("order", Rule::Word(&["asc", "desc"])),
    ("block_number", Rule::IntegerOrNull),
    ("index", Rule::IntegerOrNull),
    ("inserted_at", Rule::Time),
    ("hash", Rule::Hash),
    ("value", Rule::DigitsOrNull),
    ("fee", Rule::Digits),
    ITEMS_COUNT,
];

/// Everything a row can be sorted by.
#[derive(Clone, Copy, Debug)]
struct Key {
    place: (u32, u32),
    value: U256,
    fee: U256,
}

impl Key {
    fn of(row: &models::Transaction) -> Self {
        Self { place: (row.block_number, row.position), value: row.value, fee: row.fee }
    }

    /// The key of the last row of the page before.
    fn marked(params: &Params) -> Option<Self> {
        Some(Self {
            place: (params.get("block_number")?, params.get("index")?),
            value: params.get("value").unwrap_or_default(),
            fee: params.get("fee").unwrap_or_default(),
        })
    }
}

/// How two rows compare; the lesser comes first.
fn order(params: &Params) -> fn(&Key, &Key) -> Ordering {
    // The real service sorts only when it is told both what by and which way.
    match (params.text("sort"), params.text("order")) {
        (Some("block_number"), Some("asc")) => |a, b| a.place.cmp(&b.place),
        (Some("value"), Some("asc")) => |a, b| a.value.cmp(&b.value).then(b.place.cmp(&a.place)),
        (Some("value"), Some("desc")) => |a, b| (b.value, b.place).cmp(&(a.value, a.place)),
        (Some("fee"), Some("asc")) => |a, b| a.fee.cmp(&b.fee).then(b.place.cmp(&a.place)),
        (Some("fee"), Some("desc")) => |a, b| (b.fee, b.place).cmp(&(a.fee, a.place)),
        _ => |a, b| b.place.cmp(&a.place),
    }
}

/// Lists the transactions an address sent, received, or was made by.
pub(crate) fn list<'a>(
    question: &Question<'a>,
    whom: Address,
) -> Result<Page<responses::Transaction<'a>>, Fault> {
    let direction = Direction::of(question.params);
    let order = order(question.params);
    let mark = Key::marked(question.params);
    let mut rows: Vec<_> = (question.ledger.transactions()?.rows.iter())
        .filter(|row| direction.admits(row.from == whom, row.reaches(whom)))
        .filter(|row| mark.is_none_or(|mark| order(&mark, &Key::of(row)).is_lt()))
        .collect();
    rows.sort_by(|a, b| order(&Key::of(a), &Key::of(b)));

    let (page, next) = split(rows.into_iter(), question.page_size);
    let cursor = next.and(page.last()).map(|last| cursor(question.params, last, page.len()));
    let items = page.into_iter().map(|row| responses::transaction(question.ledger, row));
    Ok(Page { items: items.collect::<Result<_, _>>()?, next_page_params: cursor })
}

fn cursor(params: &Params, last: &models::Transaction, items_count: usize) -> Cursor {
    Cursor::echo(params)
        .with("fee", &*last.fee.to_string())
        .with("value", &*last.value.to_string())
        .with("block_number", last.block_number)
        .with("index", last.position)
        .with("inserted_at", &*last.timestamp)
        .with("hash", last.hash)
        .with("items_count", items_count)
}
