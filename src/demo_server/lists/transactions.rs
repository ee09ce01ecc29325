//! The transactions of an address, newest first or sorted by worth.

use std::cmp::Ordering;

use alloy_primitives::{Address, U256};

use super::{
    DirectionFilter, FILTER_PARAM, ITEMS_COUNT_PARAM, PageResponse, RequestContext, take_page,
};
use crate::demo_server::{
    cursor::DemoCursor,
    error::DemoApiError,
    models,
    query_params::{ParamRule, ParamSpec, QueryParams},
    responses,
};

/// What the list takes.
pub(crate) const PARAMETERS: &[ParamSpec] = &[
    FILTER_PARAM,
    ("sort", ParamRule::OneOf(&["block_number", "value", "fee"])),
    ("order", ParamRule::OneOf(&["asc", "desc"])),
    ("block_number", ParamRule::IntegerOrNull),
    ("index", ParamRule::IntegerOrNull),
    ("inserted_at", ParamRule::Time),
    ("hash", ParamRule::Hash),
    ("value", ParamRule::DigitsOrNull),
    ("fee", ParamRule::Digits),
    ITEMS_COUNT_PARAM,
];

/// Everything a row can be sorted by.
#[derive(Clone, Copy, Debug)]
struct TransactionSortKey {
    position: (u32, u32),
    value: U256,
    fee: U256,
}

impl TransactionSortKey {
    fn from_record(row: &models::TransactionRecord) -> Self {
        Self { position: (row.block_number, row.position), value: row.value, fee: row.fee }
    }

    /// The key of the last row of the page before.
    fn from_cursor(params: &QueryParams) -> Option<Self> {
        Some(Self {
            position: (params.get("block_number")?, params.get("index")?),
            value: params.get("value").unwrap_or_default(),
            fee: params.get("fee").unwrap_or_default(),
        })
    }
}

/// How two rows compare; the lesser comes first.
fn comparator(params: &QueryParams) -> fn(&TransactionSortKey, &TransactionSortKey) -> Ordering {
    // The real service sorts only when it is told both what by and which way.
    match (params.raw("sort"), params.raw("order")) {
        (Some("block_number"), Some("asc")) => |a, b| a.position.cmp(&b.position),
        (Some("value"), Some("asc")) => {
            |a, b| a.value.cmp(&b.value).then(b.position.cmp(&a.position))
        }
        (Some("value"), Some("desc")) => |a, b| (b.value, b.position).cmp(&(a.value, a.position)),
        (Some("fee"), Some("asc")) => |a, b| a.fee.cmp(&b.fee).then(b.position.cmp(&a.position)),
        (Some("fee"), Some("desc")) => |a, b| (b.fee, b.position).cmp(&(a.fee, a.position)),
        _ => |a, b| b.position.cmp(&a.position),
    }
}

/// Lists the transactions an address sent, received, or was made by.
pub(crate) fn list<'a>(
    question: &RequestContext<'a>,
    whom: Address,
) -> Result<PageResponse<responses::TransactionResponse<'a>>, DemoApiError> {
    let direction = DirectionFilter::from_params(question.params);
    let order = comparator(question.params);
    let mark = TransactionSortKey::from_cursor(question.params);
    let mut rows: Vec<_> = (question.store.transactions()?.rows.iter())
        .filter(|row| direction.matches(row.from == whom, row.is_received_by(whom)))
        .filter(|row| {
            mark.is_none_or(|mark| order(&mark, &TransactionSortKey::from_record(row)).is_lt())
        })
        .collect();
    rows.sort_by(|a, b| {
        order(&TransactionSortKey::from_record(a), &TransactionSortKey::from_record(b))
    });

    let (page, next) = take_page(rows.into_iter(), question.page_size);
    let cursor = next.and(page.last()).map(|last| cursor(question.params, last, page.len()));
    let items = page.into_iter().map(|row| responses::transaction(question.store, row));
    Ok(PageResponse { items: items.collect::<Result<_, _>>()?, next_page_params: cursor })
}

fn cursor(
    params: &QueryParams,
    last: &models::TransactionRecord,
    items_count: usize,
) -> DemoCursor {
    DemoCursor::echo(params)
        .with("fee", &*last.fee.to_string())
        .with("value", &*last.value.to_string())
        .with("block_number", last.block_number)
        .with("index", last.position)
        .with("inserted_at", &*last.timestamp)
        .with("hash", last.hash)
        .with("items_count", items_count)
}
