//! The eight lists: what each filters, in which order, and where its pages end.
//!
//! A page is found by the cursor's key, never by counting: rows that arrive while a client
//! reads do not shift the pages after them.

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

/// What is asked, and of what.
#[derive(Debug)]
pub(crate) struct RequestContext<'a> {
    pub(crate) store: &'a Store,
    pub(crate) params: &'a QueryParams,
    pub(crate) page_size: usize,
}

/// One page of a list.
#[derive(Debug, Serialize)]
pub(crate) struct PageResponse<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next_page_params: Option<DemoCursor>,
}

/// The parameters of every list that can be narrowed to one direction.
const FILTER_PARAM: ParamSpec = ("filter", ParamRule::OneOf(&["to", "from"]));
/// How many items the page before had; nothing depends on it.
const ITEMS_COUNT_PARAM: ParamSpec = ("items_count", ParamRule::Integer(1));
const TYPE_PARAM: ParamSpec = ("type", ParamRule::TokenTypes);

/// Which side of a movement an address must be on.
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

/// Takes one page of rows, and the row after it if there is one: only then is there a next page.
fn take_page<R>(mut rows: impl Iterator<Item = R>, size: usize) -> (Vec<R>, Option<R>) {
    let page: Vec<R> = rows.by_ref().take(size).collect();
    (page, rows.next())
}
