//! The empty fields of objects in JSON: joined in a folded line after the other fields of each object.

use std::collections::HashSet;
use std::iter;

use super::value_entries::{deeper, unfold_what_fits};
use crate::messages::Count;
use crate::ui::document::DocumentEntry;
use crate::ui::format::width;

const LABEL: &str = "empty";
/// Columns of the names on a line of a narrow screen.
pub(in crate::pane) const NAME_COLUMNS: usize = 52;
/// The sign of further names.
const MORE_NAMES: &str = ", …";

/// The empty fields of an object, and the place of their line among the entries.
struct EmptyFields {
    at: usize,
    fields: Vec<DocumentEntry>,
}

/// Unfolds what fits into some lines of a tree of JSON, with a folded line for the empty fields of each object that has
/// several: their number, and the names that fit into some columns.
pub(in crate::pane) fn unfold_but_empty_fields(
    entries: Vec<DocumentEntry>,
    height: usize,
    columns: usize,
) -> Vec<DocumentEntry> {
    let (mut shown, empty) = join_empty_fields(entries, columns);
    unfold_what_fits(&mut shown, height);
    fold_uneven_accounts(&mut shown);
    let mut empty = empty.into_iter().peekable();
    let with_fields = shown.into_iter().enumerate().flat_map(|(at, entry)| {
        let joined = empty.next_if(|joined| joined.at == at);
        let entry = if joined.is_some() { entry.fold(false) } else { entry };
        let fields = joined.into_iter().flat_map(|joined| deeper(joined.fields));
        iter::once(entry).chain(fields)
    });
    with_fields.collect()
}

/// Folds all accounts of an object if one of them is folded: sender and recipient are compared.
fn fold_uneven_accounts(entries: &mut [DocumentEntry]) {
    let mut around: Vec<usize> = Vec::new();
    let parents = entries.iter().enumerate().map(|(at, entry)| {
        around.truncate(entry.level.into());
        let parent = around.last().copied();
        around.push(at);
        parent
    });
    let parents: Vec<Option<usize>> = parents.collect();
    let is_account = |entry: &DocumentEntry| entry.open.is_some() && entry.address().is_some();
    let with_parents = entries.iter().zip(&parents);
    let folded = with_parents.filter(|(entry, _)| is_account(entry) && entry.open == Some(false));
    let uneven: HashSet<Option<usize>> = folded.map(|(_, parent)| *parent).collect();
    for (entry, parent) in entries.iter_mut().zip(&parents) {
        if is_account(entry) && uneven.contains(parent) {
            entry.open = Some(false);
        }
    }
}

/// Replaces the empty fields of each object, if they are several, by a line after its other fields.
fn join_empty_fields(
    entries: Vec<DocumentEntry>,
    columns: usize,
) -> (Vec<DocumentEntry>, Vec<EmptyFields>) {
    let mut shown: Vec<DocumentEntry> = Vec::new();
    let mut joined = Vec::new();
    // The empty fields of the objects around an entry, from the outermost.
    let mut open: Vec<Vec<DocumentEntry>> = Vec::new();
    let mut close = |shown: &mut Vec<DocumentEntry>, fields: Vec<DocumentEntry>| {
        if let [first, _, ..] = &*fields {
            let line = DocumentEntry::note(LABEL, names_of(&fields, columns));
            let line = line.at_level(first.level);
            joined.push(EmptyFields { at: shown.len(), fields });
            shown.push(line);
        } else {
            shown.extend(fields);
        }
    };
    for entry in entries {
        while open.len() > usize::from(entry.level) + 1 {
            close(&mut shown, open.pop().unwrap_or_default());
        }
        open.resize(usize::from(entry.level) + 1, Vec::new());
        match open.last_mut().filter(|_| is_empty_field(&entry)) {
            Some(fields) => fields.push(entry),
            None => shown.push(entry),
        }
    }
    while let Some(fields) = open.pop() {
        close(&mut shown, fields);
    }
    (shown, joined)
}

/// Returns the number of fields and their names, as far as these fit into some columns.
fn names_of(fields: &[DocumentEntry], columns: usize) -> String {
    let mut text = format!("{}: ", Count(fields.len(), "field"));
    for (n, field) in fields.iter().enumerate() {
        let comma = if n == 0 { "" } else { ", " };
        let is_last = n + 1 == fields.len();
        let rest = if is_last { 0 } else { MORE_NAMES.len() };
        if width(&text) + comma.len() + width(&field.label) + rest > columns {
            return text + if n == 0 { "…" } else { MORE_NAMES };
        }
        text.extend([comma, &*field.label]);
    }
    text
}

/// Judges by the source: a text such as `"null"` is a value.
fn is_empty_field(entry: &DocumentEntry) -> bool {
    let is_alone = entry.open.is_none() && entry.link.is_none() && !entry.label.starts_with('#');
    let is_empty = |json: &str| {
        let inside = |[open, close]: [char; 2]| json.strip_prefix(open)?.strip_suffix(close);
        let is_container = [['[', ']'], ['{', '}']]
            .into_iter()
            .filter_map(inside)
            .any(|inside| inside.trim_ascii().is_empty());
        is_container || matches!(json, "null" | r#""""#)
    };
    is_alone && entry.json_source().is_some_and(is_empty)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::chain::Address;
    use crate::ui::json_view::json_entries;

    #[test]
    fn only_fields_without_a_value_are_joined() {
        let json = r#"{"name":"null","symbol":"[]","a":{"x":""},"b":{"p":null,"q":[ ],"r":1},"s":{},"t":""}"#;
        let json: Box<RawValue> = serde_json::from_str(json).unwrap();
        let entries = json_entries("JSON", &json, &|_| None);
        let shown = unfold_but_empty_fields(entries, 100, NAME_COLUMNS);
        let lines: Vec<_> =
            shown.iter().map(|entry| (entry.level, &*entry.label, entry.open)).collect();
        let expected = [
            (0, "JSON", Some(true)),
            (1, "name", None),
            (1, "symbol", None),
            (1, "a", Some(true)),
            (2, "x", None),
            (1, "b", Some(true)),
            (2, "r", None),
            (2, LABEL, Some(false)),
            (3, "p", None),
            (3, "q", None),
            (1, LABEL, Some(false)),
            (2, "s", None),
            (2, "t", None),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn names_take_the_columns_of_the_screen() {
        let fields = ["max_fee_per_gas", "max_priority_fee_per_gas"]
            .map(|name| DocumentEntry::text(name, "null"));
        assert_eq!(names_of(&fields, 50), "2 fields: max_fee_per_gas, …");
        assert_eq!(names_of(&fields, 51), "2 fields: max_fee_per_gas, max_priority_fee_per_gas");
    }

    #[test]
    fn accounts_of_an_object_are_open_or_folded_together() {
        let account = |label, open| {
            [
                DocumentEntry::text(label, "").link_address(Address::ZERO).fold(open),
                DocumentEntry::text("is_contract", "false").at_level(1),
            ]
        };
        let open = |from, to| {
            let fee = [DocumentEntry::text("fee", "").fold(true)];
            let mut entries = [&account("from", from)[..], &account("to", to), &fee].concat();
            fold_uneven_accounts(&mut entries);
            entries.iter().filter_map(|entry| entry.open).collect::<Vec<_>>()
        };
        assert_eq!(open(true, true), [true; 3]);
        assert_eq!(open(true, false), [false, false, true]);
        assert_eq!(open(false, true), [false, false, true]);
    }
}
