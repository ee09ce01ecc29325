//! A page of a list, and the items on it.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::cursor::Cursor;
use super::json_fields::{FromJson, RawObject, parse_array, type_error};
use crate::sanitize::SafeText;

/// One row of a list: what could be read of it, and what the server really sent.
#[derive(Debug, Clone)]
pub struct Item<T> {
    /// The item, or why it cannot be read.
    pub parsed: Result<T, SafeText>,
    /// Its original JSON.
    pub raw: Arc<RawValue>,
}

impl<T: FromJson> Item<T> {
    /// Reads one item; one that cannot be read is kept as such.
    pub fn from_json(json: &RawValue) -> Self {
        Self { parsed: T::from_json(json), raw: Arc::from(json.to_owned()) }
    }
}

/// One page of a list.
#[derive(Debug, Clone)]
pub struct Page<T> {
    /// The rows, in the server's order.
    pub items: Vec<Arc<Item<T>>>,
    /// What comes after them.
    pub next: Next,
}

/// What comes after a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Nothing: this was the last page.
    End,
    /// Another page.
    Page(Cursor),
    /// The server said something that is no cursor.
    Invalid(SafeText),
}

impl<T: FromJson> Page<T> {
    /// Reads a page's envelope, then each item alone. `sent` is the cursor this page was asked with.
    pub fn from_json(body: &RawValue, sent: Option<&Cursor>) -> Result<Self, SafeText> {
        let envelope = RawObject::parse(body)?;
        let items =
            envelope.raw(&["items"]).ok_or_else(|| type_error("an object with `items`", body))?;
        let items =
            parse_array(items)?.into_iter().map(|json| Arc::new(Item::from_json(json))).collect();
        let next = match envelope.raw(&["next_page_params"]) {
            None => Next::End,
            Some(json) => Cursor::from_json(json, sent).map_or_else(Next::Invalid, Next::Page),
        };
        Ok(Self { items, next })
    }
}
