//! Pages of lists and their items.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::cursor::Cursor;
use super::json_fields::{FromJson, RawObject, parse_array, type_error};
use crate::sanitize::SafeText;

/// An item of a list, with its original JSON.
#[derive(Debug, Clone)]
pub struct Item<T> {
    /// The parsed item, or why it is invalid.
    pub parsed: Result<T, SafeText>,
    pub raw: Arc<RawValue>,
}

impl<T: FromJson> Item<T> {
    /// Parses an item. An invalid one is kept with its JSON.
    pub fn from_json(json: &RawValue) -> Self {
        Self { parsed: T::from_json(json), raw: Arc::from(json.to_owned()) }
    }
}

#[derive(Debug, Clone)]
pub struct Page<T> {
    pub items: Vec<Arc<Item<T>>>,
    pub next: Next,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    End,
    Page(Cursor),
    Invalid(SafeText),
}

impl<T: FromJson> Page<T> {
    /// Parses a page, and each item by itself. `sent` is the cursor of the request.
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
