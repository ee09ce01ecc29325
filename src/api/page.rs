//! Pages of lists and their items.
//!
//! An [`Item`] is a row with its JSON, or the reason why it cannot be read: the others of its page are not affected.
//! A page ends with a [`cursor`], the parameters of the next one, which only the server understands.
//! [`paged_rows`] joins pages to a list, whose last page may be loading, failed or the end.

pub mod cursor;
mod id_set;
pub mod paged_rows;

use std::sync::Arc;

use serde_json::value::RawValue;

use super::json::{Json, MemoryBudget, for_each_element, type_error};
use super::json_fields::{Field, FromJson, RawObject, error_text};
use crate::chain::amount::Grouped;
use crate::chain::coverage::{BlockCoverage, MissingBlocks};
use crate::messages::list::ListNotice;
use crate::sanitize::SafeText;
use cursor::Cursor;

/// An item of a list, with its original JSON.
#[derive(Debug, Clone)]
pub struct Item<T> {
    /// The parsed item, or why it is invalid.
    pub parsed: Result<T, SafeText>,
    pub raw: Arc<RawValue>,
}

/// Maximum number of items of a page: the service sends fifty.
const MAX_ITEMS: usize = 1_000;
/// Memory that an item of a list may take besides the size of its JSON, and an item by itself.
const LISTED_ITEM_BYTES: usize = 56 << 10;
const SINGLE_ITEM_BYTES: usize = 32 << 20;

impl<T: FromJson> Item<T> {
    /// Parses an item by itself. An invalid one is kept with its JSON.
    pub fn from_json(json: &RawValue) -> Self {
        Self::within(json, &MemoryBudget::new(json.get(), SINGLE_ITEM_BYTES))
    }

    /// Parses an item of a list again.
    pub fn of_list(json: &RawValue) -> Self {
        Self::within(json, &MemoryBudget::new(json.get(), LISTED_ITEM_BYTES))
    }

    /// Parses an item of a list without keeping its JSON: some of its fields, or all.
    pub fn parse_fields(json: &str, fields: Option<&[&str]>) -> Result<T, SafeText> {
        let budget = MemoryBudget::new(json, LISTED_ITEM_BYTES);
        let json = Json::within(json, &budget);
        T::from_json(fields.map_or(json, |fields| json.with_fields(fields)))
    }

    fn within(json: &RawValue, budget: &MemoryBudget) -> Self {
        let raw = Arc::from(json.to_owned());
        Self { parsed: T::from_json(Json::within(json.get(), budget)), raw }
    }
}

/// Parses an object that is not an item.
pub(super) fn parse_single<T: FromJson>(json: &RawValue) -> Result<T, SafeText> {
    T::from_json(Json::within(json.get(), &MemoryBudget::new(json.get(), SINGLE_ITEM_BYTES)))
}

/// A page of items of one type.
pub type Page<T> = ItemPage<Arc<Item<T>>>;

/// A page of a list.
#[derive(Debug, Clone)]
pub struct ItemPage<I> {
    pub items: Vec<I>,
    /// The number of further items, which are beyond the maximum.
    pub left_out: usize,
    /// The memory that the items take.
    pub bytes: usize,
    pub next: Next,
    /// The blocks that the list is of. `None` if that is the whole chain.
    pub coverage: Option<BlockCoverage>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    End,
    Page(Cursor),
    Invalid(SafeText),
}

impl<T> Page<T> {
    /// Creates a page of an item that was requested by itself.
    pub fn of_one(item: Arc<Item<T>>) -> Self {
        let bytes = size_of::<Item<T>>() + item.raw.get().len();
        Self { items: vec![item], left_out: 0, bytes, next: Next::End, coverage: None }
    }

    /// Returns the items that can be read.
    pub fn parsed(&self) -> impl Iterator<Item = &T> {
        self.items.iter().filter_map(|item| item.parsed.as_ref().ok())
    }
}

impl<I> ItemPage<I> {
    /// Returns the page with its items as something else.
    pub fn map<J>(self, convert: impl Fn(I) -> J) -> ItemPage<J> {
        let Self { items, left_out, bytes, next, coverage } = self;
        let items = items.into_iter().map(convert).collect();
        ItemPage { items, left_out, bytes, next, coverage }
    }

    /// Describes the number of items that the page lacks, if there are any.
    pub fn cut_note(&self) -> Option<SafeText> {
        let kept = self.items.len();
        let cut = ListNotice::PageCut { kept: Grouped(kept), all: Grouped(kept + self.left_out) };
        (self.left_out > 0).then(|| SafeText::new(&cut.to_string()))
    }
}

impl<T: FromJson> Page<T> {
    /// Parses a page, and each item by itself. `sent` is the cursor of the request.
    pub fn from_json(body: &RawValue, sent: Option<&Cursor>) -> Result<Self, SafeText> {
        let envelope = RawObject::parse(body)?;
        let items =
            envelope.raw(&["items"]).ok_or_else(|| type_error("an object with `items`", body))?;
        Self::from_envelope(&envelope, items, sent)
    }

    /// Parses the items of an envelope, its cursor and its coverage.
    fn from_envelope(
        envelope: &RawObject<'_>,
        items: &RawValue,
        sent: Option<&Cursor>,
    ) -> Result<Self, SafeText> {
        let (next, coverage) = read_envelope(envelope, sent)?;
        Ok(Self { next, coverage, ..Self::from_array(items)? })
    }

    /// Parses the answer of a node, whose items are its result.
    pub fn from_rpc(body: &RawValue, sent: Option<&Cursor>) -> Result<Self, SafeText> {
        let envelope = RawObject::parse(body)?;
        if let Some(error) = envelope.raw(&["error"]) {
            return Err(error_text(error.into()));
        }
        let items =
            envelope.raw(&["result"]).ok_or_else(|| type_error("an object with `result`", body))?;
        Self::from_envelope(&envelope, items, sent)
    }

    /// Parses items that are not in an envelope: there are no more.
    pub fn from_array(items: &RawValue) -> Result<Self, SafeText> {
        let (next, coverage) = (Next::End, None);
        let mut page = Self { items: Vec::new(), left_out: 0, bytes: 0, next, coverage };
        for_each_element(items, |json| {
            if page.items.len() == MAX_ITEMS {
                page.left_out += 1;
                return;
            }
            let budget = MemoryBudget::new(json.get(), LISTED_ITEM_BYTES);
            page.items.push(Arc::new(Item::within(json, &budget)));
            page.bytes += size_of::<Item<T>>() + json.get().len() + budget.spent();
        })?;
        Ok(page)
    }
}

/// Reads the cursor of the next page and the coverage, alike for items of all types.
fn read_envelope(
    envelope: &RawObject<'_>,
    sent: Option<&Cursor>,
) -> Result<(Next, Option<BlockCoverage>), SafeText> {
    // A list of some blocks must not pass for one of all.
    let coverage = match envelope.field(&["coverage"]) {
        Field::Absent => None,
        Field::Present(coverage) => Some(coverage),
        Field::Invalid(why) => return Err(why),
    };
    let next = match envelope.raw(&["next_page_params"]) {
        None => Next::End,
        Some(json) => Cursor::from_json(json, sent).map_or_else(Next::Invalid, Next::Page),
    };
    Ok((next, coverage))
}

impl FromJson for BlockCoverage {
    fn from_json(json: Json<'_>) -> Result<Self, SafeText> {
        let object = RawObject::parse(json)?;
        let number = |name| object.field::<u64>(&[name]).value().copied();
        let unknown = || type_error("the coverage of blocks", json);
        let unreadable = number("unreadable_blocks").unwrap_or(0);
        let reason: Field<SafeText> = object.field(&["reason"]);
        let mut older =
            reason.value().map(|reason| reason.parse()).transpose().map_err(|_| unknown())?;
        if let Some(MissingBlocks::Forked { chain_id }) = &mut older {
            *chain_id = number("forked_chain_id");
        }
        let is_whole = unreadable == 0 && older.is_none();
        let first_block = number("from_block").filter(|_| !is_whole).ok_or_else(unknown)?;
        let last_block = number("to_block").unwrap_or(first_block.saturating_sub(1));
        Ok(Self { first_block, last_block, unreadable, older })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::token::Token;

    fn page(items: &[serde_json::Value]) -> Page<Token> {
        Page::from_array(&to_raw_value(items).unwrap()).unwrap()
    }

    #[test]
    fn items_beyond_the_limit_are_counted() {
        let [whole, cut] = [0, 1].map(|more| page(&vec![json!({}); MAX_ITEMS + more]));
        assert_eq!((whole.items.len(), whole.left_out), (MAX_ITEMS, 0));
        assert_eq!(whole.cut_note(), None);
        assert_eq!((cut.items.len(), cut.left_out), (MAX_ITEMS, 1));
        assert!(cut.cut_note().is_some_and(|note| note.contains("1,001")));
    }

    #[test]
    fn texts_of_an_item_count_as_json_and_as_values() {
        let name = "a".repeat(10_000);
        assert!(page(&[json!({ "name": name })]).bytes > 20_000);
    }

    #[test]
    fn coverage_has_the_missing_blocks() {
        let coverage = |json: serde_json::Value| {
            let body = to_raw_value(&json!({ "items": [], "coverage": json })).unwrap();
            Page::<Token>::from_json(&body, None).map(|page| page.coverage.unwrap())
        };
        assert!(coverage(json!({ "from_block": 5, "to_block": 9 })).is_err(), "nothing is missing");
        let unreadable = json!({ "from_block": 5, "to_block": 9, "unreadable_blocks": 2 });
        let known = coverage(unreadable).unwrap();
        assert_eq!((known.first_block, known.last_block, known.unreadable), (5, 9, 2));
        let none = coverage(json!({ "from_block": 5, "reason": "pruned" })).unwrap();
        assert_eq!((none.first_block, none.last_block), (5, 4), "no block");
        assert_eq!(none.older, Some(MissingBlocks::Pruned));
    }
}
