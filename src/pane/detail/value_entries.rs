//! Decoded values as entries that fold: an entry for each item, field and argument.

use crate::abi::{AbiValue, Argument, DecodedCall, SELECTOR_BYTES, ValueFormat};
use crate::chain::Bytes;
use crate::chain::amount::{Grouped, group_whole_integer};
use crate::messages::call;
use crate::pane::PaneContext;
use crate::ui::document::{DocumentEntry, EntryValue, MIN_WIDE_COLUMNS};

/// Bytes that are shown whole in a line.
const MAX_LINE_BYTES: usize = 32;
/// A longer array is folded at first.
const MAX_OPEN_ITEMS: usize = 16;
/// Further items of an array are counted.
const MAX_ITEMS: usize = 256;

/// More entries are not unfolded by themselves: no screen has so many lines.
const MAX_UNFOLDED_ENTRIES: usize = 600;
/// Bytes of a line of data.
const LINE_BYTES: usize = 32;

/// Unfolds what is shown whole with all else that is unfolded, in its order.
pub(in crate::pane) fn unfold_what_fits(entries: &mut [DocumentEntry], height: usize) {
    unfold_while(entries, |entries| shown_lines(entries) <= height);
}

/// Unfolds entries, from the first on, each if all of them fit.
pub(in crate::pane) fn unfold_while(
    entries: &mut [DocumentEntry],
    fit: impl Fn(&[DocumentEntry]) -> bool,
) {
    if entries.len() > MAX_UNFOLDED_ENTRIES || !fit(entries) {
        return;
    }
    for at in 0..entries.len() {
        let set = |entries: &mut [DocumentEntry], open| {
            if let Some(entry) = entries.get_mut(at) {
                entry.open = Some(open);
            }
        };
        if entries.get(at).is_some_and(|entry| entry.open == Some(false)) {
            set(entries, true);
            let fits = fit(entries);
            set(entries, fits);
        }
    }
}

/// Returns the lines of entries that no fold hides.
pub(in crate::pane) fn shown_lines(entries: &[DocumentEntry]) -> usize {
    let mut hidden = u8::MAX;
    let mut lines = 0;
    for entry in entries {
        if entry.level > hidden {
            continue;
        }
        hidden = if entry.open == Some(false) { entry.level } else { u8::MAX };
        lines += match &entry.value {
            EntryValue::Hex(bytes) => bytes.len().div_ceil(LINE_BYTES),
            _ => 1,
        };
    }
    lines
}

/// Returns the entries of arguments below a header.
pub(in crate::pane) fn argument_entries(arguments: &[Argument]) -> Vec<DocumentEntry> {
    let entries = arguments.iter().enumerate().flat_map(|(n, argument)| {
        value_entries(&label_of(&argument.name, n), &argument.type_name, &argument.value)
    });
    deeper(entries).collect()
}

pub(in crate::pane) fn deeper(
    entries: impl IntoIterator<Item = DocumentEntry>,
) -> impl Iterator<Item = DocumentEntry> {
    entries.into_iter().map(|entry| {
        let level = entry.level.saturating_add(1);
        entry.at_level(level)
    })
}

pub(in crate::pane) fn label_of(name: &str, n: usize) -> String {
    if name.is_empty() { format!("#{n}") } else { name.to_owned() }
}

/// Returns the label of an argument below its signature: without the type, which the signature has, where
/// that would push the value out of the column of all others.
pub(in crate::pane) fn argument_label(kind: &str, name: &str, cx: &PaneContext<'_>) -> String {
    typed_label(if cx.area.width < MIN_WIDE_COLUMNS { "" } else { kind }, name)
}

/// Returns the type, if it is known, and the name of a value.
fn typed_label(kind: &str, name: &str) -> String {
    if kind.is_empty() { name.to_owned() } else { format!("{kind} {name}") }
}

/// Returns the entry of a value with its type, if that is known, and the entries of its parts.
pub(in crate::pane) fn value_entries(
    name: &str,
    kind: &str,
    value: &AbiValue,
) -> Vec<DocumentEntry> {
    let label = &*typed_label(kind, name);
    match value {
        AbiValue::Bytes(bytes) => bytes_entries(label, bytes.clone()),
        AbiValue::Call(bytes, call) => call_entries(label, bytes, call),
        AbiValue::Array(_, items) => {
            list_entries(label, items, &value.format_full(ValueFormat::Natural))
        }
        AbiValue::Tuple(fields, values) => {
            let header = DocumentEntry::text(label, value.summary())
                .copy(value.format_full(ValueFormat::Natural))
                .fold(true);
            let fields = fields.iter().zip(values).enumerate().flat_map(|(n, (field, value))| {
                value_entries(&label_of(&field.name, n), &field.type_name(), value)
            });
            [header].into_iter().chain(deeper(fields)).collect()
        }
        AbiValue::Address(to) => {
            vec![DocumentEntry::text(label, value.summary()).link_address(*to)]
        }
        value => {
            let shown = value.summary();
            let shown =
                if kind.contains("int") { group_whole_integer(&shown) } else { (&*shown).into() };
            let entry = DocumentEntry::text(label, &*shown);
            vec![entry.copy(value.format_full(ValueFormat::Natural))]
        }
    }
}

/// Returns the entry of an array, which copies a text, and the entries of its items.
pub(in crate::pane) fn list_entries(
    label: &str,
    items: &[AbiValue],
    copied: &str,
) -> Vec<DocumentEntry> {
    let plural = if items.len() == 1 { "" } else { "s" };
    let shown = format!("{} item{plural}", Grouped(items.len()));
    let header = DocumentEntry::text(label, shown).copy(copied).fold(items.len() <= MAX_OPEN_ITEMS);
    let hidden = items.len().saturating_sub(MAX_ITEMS);
    let more = (hidden > 0).then(|| {
        let text = format!("{} more", Grouped(hidden));
        DocumentEntry::note("…", text)
    });
    let items = items
        .iter()
        .take(MAX_ITEMS)
        .enumerate()
        .flat_map(|(n, item)| value_entries(&format!("#{n}"), "", item));
    [header].into_iter().chain(deeper(items.chain(more))).collect()
}

/// Returns the line of a call that bytes are and, folded, its arguments.
fn call_entries(label: &str, bytes: &Bytes, call: &DecodedCall) -> Vec<DocumentEntry> {
    let entry = DocumentEntry::text(label, call.abbreviated()).copy(bytes.to_string());
    let guess = if call.is_guess() { call::GUESSED_CALL } else { "" };
    if call.arguments.is_empty() {
        return vec![entry.side_note(guess)];
    }
    let note = [&*size_text(bytes), guess].join(" ");
    let header = entry.side_note(note.trim_end()).fold(false);
    [vec![header], argument_entries(&call.arguments)].concat()
}

/// Returns a line of bytes and, folded, all of them.
pub(in crate::pane) fn bytes_entries(label: &str, bytes: Bytes) -> Vec<DocumentEntry> {
    let all = bytes.to_string();
    let entry = |shown: &str| DocumentEntry::text(label, shown).copy(&*all);
    if bytes.len() <= MAX_LINE_BYTES {
        return vec![entry(&all)];
    }
    let selector = all.get(..10).unwrap_or_default();
    let header = entry(&format!("{selector}…")).side_note(&size_text(&bytes)).fold(false);
    vec![header, DocumentEntry::new("", EntryValue::Hex(bytes)).at_level(1)]
}

pub(in crate::pane) const SELECTOR_LABEL: &str = "selector";

/// Returns the line of calldata that is a selector only, which has nothing to unfold.
pub(in crate::pane) fn only_selector_entry(label: &str, bytes: &Bytes) -> DocumentEntry {
    DocumentEntry::text(label, bytes.to_string()).side_note(call::ONLY_SELECTOR)
}

/// Returns the selector and the words of calldata, or the words of other data.
pub(in crate::pane) fn calldata_entries(
    bytes: &Bytes,
) -> impl Iterator<Item = DocumentEntry> + use<> {
    let is_call = bytes.len() % LINE_BYTES == SELECTOR_BYTES;
    let (selector, rest) = if is_call {
        (Some(bytes.slice(..SELECTOR_BYTES)), bytes.slice(SELECTOR_BYTES..))
    } else {
        (None, bytes.clone())
    };
    let named = selector.map(|bytes| DocumentEntry::text(SELECTOR_LABEL, bytes.to_string()));
    let words = (!rest.is_empty()).then(|| DocumentEntry::new("", EntryValue::Hex(rest)));
    [named, words].into_iter().flatten().map(|entry| entry.at_level(1))
}

fn size_text(bytes: &Bytes) -> String {
    format!("{} bytes", Grouped(bytes.len()))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn entries_without_space_are_laid_out_once_at_most() {
        for (count, expected) in [(3, 1), (MAX_UNFOLDED_ENTRIES + 1, 0)] {
            let mut entries = vec![DocumentEntry::text("a", "b").fold(false); count];
            let layouts = Cell::new(0);
            unfold_while(&mut entries, |_| {
                layouts.set(layouts.get() + 1);
                false
            });
            assert_eq!(layouts.get(), expected);
            assert!(entries.iter().all(|entry| entry.open == Some(false)));
        }
    }
}
