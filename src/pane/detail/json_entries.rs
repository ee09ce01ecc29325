//! The JSON of a page as entries below or next to its fields: a tree in free lines, else the lines as received.

use std::borrow::Cow;
use std::iter;

use serde_json::value::RawValue;

use super::empty_fields::{NAME_COLUMNS, unfold_but_empty_fields};
use crate::chain::Address;
use crate::messages::page;
use crate::pane::PaneContext;
use crate::sanitize::{json_line, json_pretty};
use crate::ui::document::{DocumentEntry, EntryValue};
use crate::ui::json_view;

pub(in crate::pane) const JSON_LABEL: &str = "JSON";

/// Lines below the fields in which JSON is unfolded even if it has no space for all of its own.
const MIN_JSON_LINES: usize = 10;

/// The lines of folded JSON below the fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum JsonLines {
    /// Until a key or a click may unfold them.
    #[default]
    LeftOut,
    Added,
    /// Unfolded in free lines, until there are none.
    Unfolded,
    /// Folded by the user in free lines, for good.
    Folded,
}

/// Returns JSON as a tree in some lines, with a line for each value. Objects in it are folded if there is no space for
/// them, and all of it may be.
pub(super) fn json_tree(
    json: &RawValue,
    lines: usize,
    is_open: bool,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let name = |address: &Address| cx.name_cache.short_name(address).map(Cow::into_owned);
    let mut entries = json_view::quoted_json_entries(JSON_LABEL, json, &name);
    for entry in &mut entries {
        entry.open = entry.open.map(|_| false);
    }
    if let Some(head) = entries.first_mut() {
        head.open = head.open.map(|_| is_open);
        head.value = EntryValue::Text(page::AS_RECEIVED.into());
    }
    unfold_but_empty_fields(entries, lines, NAME_COLUMNS)
}

/// Returns JSON in some lines below the fields, if they have space for enough of it.
pub(in crate::pane) fn unfolded_json(
    json: &RawValue,
    lines: usize,
    cx: &PaneContext<'_>,
) -> Option<Vec<DocumentEntry>> {
    let has_space = lines >= MIN_JSON_LINES;
    let tree = (lines > 0).then(|| json_tree(json, lines + 1, has_space, cx));
    tree.filter(|tree| tree.first().is_some_and(|head| head.open == Some(true)))
}

/// Returns JSON as it was received, folded unless nothing else can be shown: its texts are not guarded. Folded lines
/// that no key can unfold are left out.
pub(super) fn json_entries(json: &str, open: bool, folded: JsonLines) -> Vec<DocumentEntry> {
    let header = DocumentEntry::text(JSON_LABEL, page::AS_RECEIVED).fold(open);
    if !open && folded == JsonLines::LeftOut {
        return vec![header];
    }
    let header = header.copy(json_line(json));
    let lines = json_pretty(json).into_iter();
    let body = lines.map(|line| DocumentEntry::text("", line).at_level(1));
    iter::once(header).chain(body).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folded_json_has_lines_once_it_can_be_unfolded() {
        use JsonLines::{Added, LeftOut};
        let lines = |open, folded| json_entries(r#"{"a":1}"#, open, folded).len();
        assert_eq!([lines(false, LeftOut), lines(false, Added), lines(true, LeftOut)], [1, 4, 4]);
    }
}
