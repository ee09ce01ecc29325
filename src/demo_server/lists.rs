//! The lists of the API: their filters, order and pages.
//!
//! A page starts after the cursor's key, not after a number of rows, so that rows added between
//! two requests shift nothing.

pub(crate) mod collections;
pub(crate) mod instances;
pub(crate) mod internals;
pub(crate) mod tokens;
pub(crate) mod transactions;
pub(crate) mod transfers;

use serde::Serialize;

use super::{
    cursor::DemoCursor,
    query_params::{ParamRule, ParamSpec, QueryParams},
    store::Store,
};

#[derive(Debug)]
pub(crate) struct RequestContext<'a> {
    pub(crate) store: &'a Store,
    pub(crate) params: &'a QueryParams,
    pub(crate) page_size: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct PageResponse<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next_page_params: Option<DemoCursor>,
}

const FILTER_PARAM: ParamSpec = ("filter", ParamRule::OneOf(&["to", "from"]));
/// The number of items on the previous page, which Blockscout sends and this server ignores.
const ITEMS_COUNT_PARAM: ParamSpec = ("items_count", ParamRule::Integer(1));
const TYPE_PARAM: ParamSpec = ("type", ParamRule::TokenTypes);

/// The side of a transfer on which the address has to be.
#[derive(Clone, Copy, Debug)]
enum DirectionFilter {
    From,
    To,
    Either,
}

impl DirectionFilter {
    fn from_params(params: &QueryParams) -> Self {
        match params.raw("filter") {
            Some("from") => Self::From,
            Some("to") => Self::To,
            _ => Self::Either,
        }
    }

    fn matches(self, sent: bool, received: bool) -> bool {
        match self {
            Self::From => sent,
            Self::To => received,
            Self::Either => sent || received,
        }
    }
}

/// Splits off one page of rows, and the row after it: there is a next page only if it exists.
fn take_page<R>(mut rows: impl Iterator<Item = R>, size: usize) -> (Vec<R>, Option<R>) {
    let page: Vec<R> = rows.by_ref().take(size).collect();
    (page, rows.next())
}
