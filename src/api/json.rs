//! Unparsed JSON text, and the memory that its parsed values may take.

use std::borrow::Cow;
use std::cell::Cell;

use serde_json::value::RawValue;

use crate::safety::name_marks::replace_label_marks;
use crate::sanitize::{self, SafeText};

/// Reason why a value is not parsed when the budget is spent.
pub(super) const TOO_LARGE: &str = "too large";

/// Memory that parsed values of one row may still take: a few bytes of JSON can be an object of a
/// kilobyte.
#[derive(Debug)]
pub struct MemoryBudget {
    all: usize,
    left: Cell<usize>,
}

impl MemoryBudget {
    /// Creates a budget of as much as the JSON has, and `base` more.
    pub fn new(json: &str, base: usize) -> Self {
        let all = json.len().saturating_add(base);
        Self { all, left: Cell::new(all) }
    }

    pub fn spent(&self) -> usize {
        self.all - self.left.get()
    }
}

/// JSON text with the budget for its parsed values, which may be unlimited.
#[derive(Debug, Clone, Copy)]
pub struct Json<'a> {
    text: &'a str,
    budget: Option<&'a MemoryBudget>,
    /// The names of the fields to read, or `None` for all.
    fields: Option<&'a [&'a str]>,
}

impl<'a> From<&'a RawValue> for Json<'a> {
    fn from(text: &'a RawValue) -> Self {
        Self { text: text.get(), budget: None, fields: None }
    }
}

impl<'a> Json<'a> {
    pub fn within(text: &'a str, budget: &'a MemoryBudget) -> Self {
        Self { text, budget: Some(budget), fields: None }
    }

    /// Returns the text of an object of which only some fields are read.
    pub fn with_fields(self, fields: &'a [&'a str]) -> Self {
        Self { fields: Some(fields), ..self }
    }

    pub(super) fn fields(self) -> Option<&'a [&'a str]> {
        self.fields
    }

    pub fn get(self) -> &'a str {
        self.text
    }

    pub fn to_raw(self) -> Result<Box<RawValue>, SafeText> {
        RawValue::from_string(self.text.to_owned()).map_err(|_| type_error("JSON", self))
    }

    /// Returns a part of the text, with the same budget.
    pub fn part(self, text: &'a RawValue) -> Self {
        Self { text: text.get(), fields: None, ..self }
    }

    /// Takes memory that is about to be allocated from the budget.
    pub fn spend(self, bytes: usize) -> Result<(), SafeText> {
        let Some(MemoryBudget { left, .. }) = self.budget else { return Ok(()) };
        let rest = left.get().checked_sub(bytes).ok_or(TOO_LARGE)?;
        left.set(rest);
        Ok(())
    }

    /// Sanitizes text from the JSON, which can become three times as long.
    pub fn safe_text(self, text: &str) -> Result<SafeText, SafeText> {
        let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let longest = if is_plain { text.len() } else { 3 * text.len() };
        self.spend(longest)?;
        let safe = replace_label_marks(SafeText::new(text));
        if let Some(MemoryBudget { left, .. }) = self.budget {
            left.set(left.get() + longest.saturating_sub(safe.len()));
        }
        Ok(safe)
    }
}

/// Returns "expected …, found …" with the start of the text.
pub fn type_error<'a>(expected: &str, json: impl Into<Json<'a>>) -> SafeText {
    let text = json.into().get();
    let found: Cow<'_, str> = match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    };
    SafeText::new(&format!("expected {expected}, found {found}"))
}

/// Returns the contents of a string, or the text of a number: servers mix the two.
pub fn scalar<'a>(json: impl Into<Json<'a>>) -> Option<Cow<'a, str>> {
    let text = json.into().get();
    match text.as_bytes().first()? {
        b'"' => {
            if let Ok(plain) = serde_json::from_str::<&str>(text) {
                return Some(Cow::Borrowed(plain));
            }
            serde_json::from_str::<Cow<'_, str>>(text).ok()
        }
        b'-' | b'0'..=b'9' => Some(Cow::Borrowed(text)),
        _ => None,
    }
}

/// Strips the byte-order mark that some gateways add.
pub fn strip_bom(body: &[u8]) -> &[u8] {
    body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)
}

/// Calls `visit` with each element of an array, also with those before an error.
pub fn for_each_element<'a>(
    array: impl Into<Json<'a>>,
    visit: impl FnMut(&'a RawValue),
) -> Result<(), SafeText> {
    let json = array.into();
    sanitize::for_each_element(json.get(), visit).map_err(|_| type_error("an array", json))
}
