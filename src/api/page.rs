//! A page of a list, and the items on it.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::cursor::Cursor;
use super::json_fields::{Object, Read, array, unlike};
use crate::sanitize::Text;

/// One row of a list: what could be read of it, and what the server really sent.
#[derive(Debug, Clone)]
pub struct Item<T> {
    /// The item, or why it cannot be read.
    pub read: Result<T, Text>,
    /// Its original JSON.
    pub raw: Arc<RawValue>,
}

impl<T: Read> Item<T> {
    /// Reads one item; one that cannot be read is kept as such.
    pub fn parse(json: &RawValue) -> Self {
        Self { read: T::read(json), raw: Arc::from(json.to_owned()) }
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
    Unread(Text),
}

impl<T: Read> Page<T> {
    /// Reads a page's envelope, then each item alone. `sent` is the cursor this page was asked with.
    pub fn parse(body: &RawValue, sent: Option<&Cursor>) -> Result<Self, Text> {
        let envelope = Object::parse(body)?;
        let items =
            envelope.raw(&["items"]).ok_or_else(|| unlike("an object with `items`", body))?;
        let items = array(items)?.into_iter().map(|json| Arc::new(Item::parse(json))).collect();
        let next = match envelope.raw(&["next_page_params"]) {
            None => Next::End,
            Some(json) => Cursor::read(json, sent).map_or_else(Next::Unread, Next::Page),
        };
        Ok(Self { items, next })
    }
}
