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
    cursor::Cursor,
    query_params::{Declared, Params, Rule},
    store::Ledger,
};

/// What is asked, and of what.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) params: &'a Params,
    pub(crate) page_size: usize,
}

/// One page of a list.
#[derive(Debug, Serialize)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next_page_params: Option<Cursor>,
}

/// The parameters of every list that can be narrowed to one direction.
const FILTER: Declared = ("filter", Rule::Word(&["to", "from"]));
/// How many items the page before had; nothing depends on it.
const ITEMS_COUNT: Declared = ("items_count", Rule::Integer(1));
const TYPE: Declared = ("type", Rule::TokenTypes);

/// Which side of a movement an address must be on.
#[derive(Clone, Copy, Debug)]
enum Direction {
    From,
    To,
    Either,
}

impl Direction {
    fn of(params: &Params) -> Self {
        match params.text("filter") {
            Some("from") => Self::From,
            Some("to") => Self::To,
            _ => Self::Either,
        }
    }

    fn admits(self, sent: bool, received: bool) -> bool {
        match self {
            Self::From => sent,
            Self::To => received,
            Self::Either => sent || received,
        }
    }
}

/// Takes one page of rows, and the row after it if there is one: only then is there a next page.
fn split<R>(mut rows: impl Iterator<Item = R>, size: usize) -> (Vec<R>, Option<R>) {
    let page: Vec<R> = rows.by_ref().take(size).collect();
    (page, rows.next())
}
