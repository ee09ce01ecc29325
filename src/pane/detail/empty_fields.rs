//! The empty fields of objects in JSON: joined in a folded line after the other fields of each object.

use super::value_entries::{deeper, unfold_what_fits};
use crate::messages::Count;
use crate::ui::document::{DocumentEntry, EntryValue};
use crate::ui::format::width;
use crate::ui::theme::Role;

const LABEL: &str = "empty";
const FIELD: &str = "field";
/// Most columns of the names on a line, and the sign of further ones.
const MAX_NAME_COLUMNS: usize = 52;
const MORE_NAMES: &str = ", …";

/// The empty fields of an object, and the place of their line among the entries.
struct EmptyFields {
    at: usize,
    fields: Vec<DocumentEntry>,
}

/// The folded line of some empty fields among all entries.
struct EmptyFieldsLine {
    at: usize,
    count: usize,
}

/// Unfolds what fits into some lines of a tree of JSON, with a folded line for the empty fields of each object that has
/// several.
pub(in crate::pane) fn unfold_but_empty_fields(
    entries: Vec<DocumentEntry>,
    height: usize,
) -> Vec<DocumentEntry> {
    fold_empty_fields(entries, height).0
}

/// Unfolds what fits into some lines of a tree of JSON, the empty fields of objects last.
pub(in crate::pane) fn unfold_with_empty_fields(
    entries: Vec<DocumentEntry>,
    height: usize,
) -> Vec<DocumentEntry> {
    let (mut shown, lines) = fold_empty_fields(entries, height);
    unfold_what_fits(&mut shown, height);
    for EmptyFieldsLine { at, count } in lines {
        if let Some(line) = shown.get_mut(at).filter(|line| line.open == Some(true)) {
            // The names are below.
            line.value = EntryValue::Text(Count(count, FIELD).to_string().into());
        }
    }
    shown
}

fn fold_empty_fields(
    entries: Vec<DocumentEntry>,
    height: usize,
) -> (Vec<DocumentEntry>, Vec<EmptyFieldsLine>) {
    let (mut joined, empty) = join_empty_fields(entries);
    unfold_what_fits(&mut joined, height);
    let mut empty = empty.into_iter().peekable();
    let (mut shown, mut lines) = (Vec::new(), Vec::new());
    for (at, entry) in joined.into_iter().enumerate() {
        let Some(EmptyFields { fields, .. }) = empty.next_if(|empty| empty.at == at) else {
            shown.push(entry);
            continue;
        };
        lines.push(EmptyFieldsLine { at: shown.len(), count: fields.len() });
        shown.push(entry.fold(false));
        shown.extend(deeper(fields));
    }
    (shown, lines)
}

/// Replaces the empty fields of each object, if they are several, by a line after its other fields.
fn join_empty_fields(entries: Vec<DocumentEntry>) -> (Vec<DocumentEntry>, Vec<EmptyFields>) {
    let mut shown: Vec<DocumentEntry> = Vec::new();
    let mut joined = Vec::new();
    // The empty fields of the objects around an entry, from the outermost.
    let mut open: Vec<Vec<DocumentEntry>> = Vec::new();
    let mut close = |shown: &mut Vec<DocumentEntry>, fields: Vec<DocumentEntry>| {
        if let [first, _, ..] = &*fields {
            let line = DocumentEntry::text(LABEL, names_of(&fields)).copy("").role(Role::Dim);
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

/// Returns the number of fields and their names, as many of which as a narrow screen has space for.
fn names_of(fields: &[DocumentEntry]) -> String {
    let mut text = format!("{}: ", Count(fields.len(), FIELD));
    for (n, field) in fields.iter().enumerate() {
        let comma = if n == 0 { "" } else { ", " };
        let is_last = n + 1 == fields.len();
        let rest = if is_last { 0 } else { MORE_NAMES.len() };
        if width(&text) + comma.len() + width(&field.label) + rest > MAX_NAME_COLUMNS {
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
    use crate::ui::json_view::json_entries;

    #[test]
    fn only_fields_without_a_value_are_joined() {
        let json = r#"{"name":"null","symbol":"[]","a":{"x":""},"b":{"p":null,"q":[ ],"r":1},"s":{},"t":""}"#;
        let json: Box<RawValue> = serde_json::from_str(json).unwrap();
        let entries = json_entries("JSON", &json, &|_| None);
        let shown = unfold_but_empty_fields(entries.clone(), 100);
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
        let opened = |height| {
            let entries = unfold_with_empty_fields(entries.clone(), height);
            let joined = entries.into_iter().filter(|entry| &*entry.label == LABEL);
            let is_count = |value: &EntryValue| matches!(value, EntryValue::Text(text) if &**text == "2 fields");
            joined
                .map(|entry| (entry.open == Some(true), is_count(&entry.value)))
                .collect::<Vec<_>>()
        };
        let [folded, unfolded] = [(false, false), (true, true)];
        let expected = [[folded; 2], [unfolded, folded], [unfolded; 2]];
        assert_eq!([9, 11, 13].map(opened), expected);
    }
}
