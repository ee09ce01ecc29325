//! The lines of entries: the column in which each value begins, and its wrapped text.

use std::ops::Range;

use super::label_columns::{EntryColumns, HASH_COLUMNS, ValueColumns, entry_columns};
use super::{CodeLine, Document, DocumentEntry, DocumentLine, EntryValue};
use crate::ui::address_mark::MARK_WIDTH;
use crate::ui::format::{fits, width, wrap};
use crate::ui::text::{bytes_per_line, line_ranges};

/// Columns by which the later lines of a declaration are indented, or of a line of code beyond its own indent.
const HANGING_COLUMNS: usize = 4;
/// Columns of the mark of a fold.
const FOLD_MARK_COLUMNS: u16 = 2;
/// Columns by which a value below its label is indented.
const LABEL_INDENT: u16 = 2;

impl Document {
    /// Lays out the entries that no fold hides.
    pub(super) fn layout(&mut self) {
        self.lines.clear();
        let divided = self.second_column.and_then(|at| self.entries.split_at_checked(at));
        let (first, second) = divided.unwrap_or((&self.entries, &[]));
        let columns = [first, second]
            .into_iter()
            .flat_map(|entries| entry_columns(entries, self.width, self.value_columns));
        let mut hidden = u8::MAX;
        for ((at, entry), columns) in self.entries.iter().enumerate().zip(columns) {
            let EntryColumns { label, value: mut left } = columns;
            if entry.level > hidden {
                continue;
            }
            hidden = if entry.open == Some(false) { entry.level } else { u8::MAX };
            let mut has_label = true;
            let place = match self.value_columns {
                ValueColumns::Tree => place_in_tree(entry, columns, self.width),
                _ => hash_place(entry, columns, self.width),
            };
            match place {
                Some(ValuePlace::AfterLabel(column)) => left = column,
                Some(ValuePlace::BelowLabel(column)) => {
                    let (range, left_of_none) = (Range::default(), self.width.saturating_add(1));
                    let alone =
                        DocumentLine { entry: at, range, label, left: left_of_none, has_label };
                    self.lines.push(alone);
                    (has_label, left) = (false, column);
                }
                None => {}
            }
            let mark = if entry.mark.is_some() { MARK_WIDTH } else { 0 };
            let width = usize::from(self.width.saturating_sub(left + mark)).max(2);
            let hanging_indent = hanging_columns(entry, width);
            let ranges = match &entry.value {
                EntryValue::Text(text) if hanging_indent > 0 => {
                    wrap_hanging(text, width, hanging_indent)
                }
                EntryValue::Text(text) if !entry.parts.is_empty() => wrap_arguments(text, width),
                EntryValue::Text(text) => wrap_value(text, entry.side_note, width),
                EntryValue::Code(CodeLine { text, .. }) => {
                    wrap_hanging(text, width, hanging_indent)
                }
                EntryValue::Hex(bytes) => {
                    let all = self.data_width.map_or(width, |all| usize::from(all - left.min(all)));
                    line_ranges(bytes.len(), bytes_per_line(all))
                }
                EntryValue::Cells(_) | EntryValue::Rule(_) => vec![Range::default()],
            };
            let hanging = u16::try_from(hanging_indent).unwrap_or_default();
            let lines = ranges.into_iter().enumerate().map(|(n, range)| {
                let left = if n == 0 { left } else { left + hanging };
                DocumentLine { entry: at, range, label, left, has_label: has_label && n == 0 }
            });
            self.lines.extend(lines);
        }
        self.viewport.selected = self.viewport.selected.min(self.lines.len().saturating_sub(1));
    }
}

/// The column of a value that is not next to its label in the column of values.
enum ValuePlace {
    AfterLabel(u16),
    BelowLabel(u16),
}

/// Returns the place where a hash is whole, unless it is in the column of values.
fn hash_place(entry: &DocumentEntry, columns: EntryColumns, all: u16) -> Option<ValuePlace> {
    let EntryValue::Text(text) = &entry.value else { return None };
    let hash = text.split(' ').next().filter(|word| word.starts_with("0x"))?;
    let is_whole = |left: u16| hash.len() <= usize::from(all.saturating_sub(left));
    if entry.label.is_empty() || entry.mark.is_some() || is_whole(columns.value) {
        return None;
    }
    let after = label_end(entry, columns);
    let below = columns.label.saturating_add(LABEL_INDENT);
    match (is_whole(after), is_whole(below)) {
        (true, _) => Some(ValuePlace::AfterLabel(after)),
        (_, true) => Some(ValuePlace::BelowLabel(below)),
        _ => None,
    }
}

/// Returns the place of a heading's text, of the value of a label that is too long for its column, and of a hash that the
/// column of values would break: next to the label if it is whole there, or else below. All other values begin in that
/// column.
fn place_in_tree(entry: &DocumentEntry, columns: EntryColumns, all: u16) -> Option<ValuePlace> {
    let end = label_end(entry, columns);
    if entry.is_heading {
        return Some(ValuePlace::AfterLabel(end));
    }
    if entry.label.is_empty() {
        return None;
    }
    let EntryValue::Text(text) = &entry.value else { return None };
    let mark = if entry.mark.is_some() { MARK_WIDTH } else { 0 };
    let is_whole = |left: u16| fits(text, all.saturating_sub(left.saturating_add(mark)).into());
    let is_hash = text.len() == usize::from(HASH_COLUMNS) && text.starts_with("0x");
    let below = columns.label.saturating_add(LABEL_INDENT);
    if end > columns.value {
        let after = is_whole(end).then_some(ValuePlace::AfterLabel(end));
        return after.or(Some(ValuePlace::BelowLabel(below)));
    }
    (is_hash && !is_whole(columns.value) && is_whole(below))
        .then_some(ValuePlace::BelowLabel(below))
}

/// Returns the column after a label, with its mark, and a blank.
fn label_end(entry: &DocumentEntry, columns: EntryColumns) -> u16 {
    let mark = if entry.open.is_some() { FOLD_MARK_COLUMNS } else { 0 };
    let label = u16::try_from(width(&entry.label)).unwrap_or(u16::MAX);
    columns.label.saturating_add(mark).saturating_add(label).saturating_add(1)
}

/// Wraps a value before the note at its end rather than within that. A blank that a line ends before needs no column:
/// the next line does not begin with it.
fn wrap_value(text: &str, side_note: usize, columns: usize) -> Vec<Range<usize>> {
    let (value, note) = text.split_at(text.len().saturating_sub(side_note));
    if !value.is_empty() && width(text) > columns && (1..=columns).contains(&width(note)) {
        let mut lines = wrap_value(value.trim_end(), 0, columns);
        if let Some(last) = lines.last_mut() {
            last.end = value.len();
            if text.get(last.start..).is_some_and(|rest| width(rest) <= columns) {
                last.end = text.len();
                return lines;
            }
        }
        lines.push(value.len()..text.len());
        return lines;
    }
    let mut start = 0;
    let lines = wrap(text, columns).into_iter().map(|line| {
        let rest = text.get(line.end..).unwrap_or_default();
        let own = start..line.end + usize::from(rest.starts_with(' '));
        start = own.end;
        own
    });
    lines.collect()
}

/// Returns the columns by which the later lines of a declaration, or of a line of code, are indented: they are not to look
/// like others of their own.
fn hanging_columns(entry: &DocumentEntry, width: usize) -> usize {
    match &entry.value {
        EntryValue::Code(CodeLine { text, .. }) => {
            let indent = text.len() - text.trim_start().len();
            (indent + HANGING_COLUMNS).min(width / 2)
        }
        _ if entry.head > 0 && entry.label.is_empty() && entry.mark.is_none() => HANGING_COLUMNS,
        _ => 0,
    }
}

/// Wraps a text whose lines after the first are `hanging` columns shorter.
fn wrap_hanging(text: &str, columns: usize, hanging: usize) -> Vec<Range<usize>> {
    let mut lines = wrap(text, columns);
    lines.truncate(1);
    let start = lines.first().map_or(0, |first| first.end);
    let rest = text.get(start..).filter(|rest| !rest.is_empty());
    let shorter = columns.saturating_sub(hanging).max(2);
    let below = rest.into_iter().flat_map(|rest| wrap(rest, shorter));
    lines.extend(below.map(|line| line.start + start..line.end + start));
    lines
}

/// Wraps a call between its arguments, and within one only if it is longer than a line.
fn wrap_arguments(text: &str, columns: usize) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut line = 0..0;
    for end in text.match_indices(", ").map(|(at, comma)| at + comma.len()).chain([text.len()]) {
        let argument = text.get(start..end).unwrap_or_default();
        let whole = text.get(line.start..end).unwrap_or_default();
        if width(whole.trim_end()) > columns && !line.is_empty() {
            lines.push(std::mem::replace(&mut line, start..start));
        }
        let mut wrapped = wrap(argument.trim_end(), columns);
        let last = wrapped.pop().filter(|_| line.is_empty()).map_or(0, |last| last.start);
        if line.is_empty() {
            lines.extend(wrapped.into_iter().map(|part| part.start + start..part.end + start));
            line.start = start + last;
        }
        line.end = end;
        start = end;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;

    #[test]
    fn tree_breaks_no_hash_and_no_value_after_a_long_label() {
        let mut document = Document::default();
        document.set_value_columns(ValueColumns::Tree);
        document.resize(Rect::new(0, 0, 76, 9));
        let hash = format!("0x{}", "ab".repeat(32));
        document.set(vec![
            DocumentEntry::text("block_number_at", "1"),
            DocumentEntry::text("hash", hash),
            DocumentEntry::text("max_priority_fee_per_gas", "2,000,000 wei"),
            DocumentEntry::text("max_priority_fee_per_gas", "x".repeat(60)),
        ]);
        let lefts: Vec<u16> = document.lines.iter().map(|line| line.left).collect();
        assert_eq!(lefts, [16, 77, 2, 25, 77, 2], "next to their labels, or below");
    }

    #[test]
    fn values_are_broken_before_their_notes() {
        let lines = |text: &str, note: &str, columns: usize| {
            let lines = wrap_value(text, note.len(), columns).into_iter();
            lines.map(|range| text[range].to_owned()).collect::<Vec<_>>()
        };
        let (output, amount) = ("0x09a0 = 2,464 NIL", "= 2,464 NIL");
        assert_eq!(lines(output, amount, 18), [output]);
        assert_eq!(lines(output, amount, 15), ["0x09a0 ", amount]);
        assert_eq!(lines(output, amount, 10), ["0x09a0 = ", "2,464 NIL"], "too long");
        assert_eq!(lines(amount, amount, 8), ["= 2,464 ", "NIL"]);
        assert_eq!(lines("0x09a0b1c2 Pool", "Pool", 8), ["0x09a0b1", "c2 Pool"], "after its end");
    }

    #[test]
    fn calls_are_broken_between_arguments() {
        let lines = |text: &str, columns: usize| {
            let lines = wrap_arguments(text, columns).into_iter();
            lines.map(|range| text[range].to_owned()).collect::<Vec<_>>()
        };
        let call = "Router.swap(amt 2,500 GLD, min 0, to bob.eth)";
        assert_eq!(lines(call, 60), [call]);
        assert_eq!(lines(call, 36), ["Router.swap(amt 2,500 GLD, min 0, ", "to bob.eth)"]);
        assert_eq!(lines(call, 26), ["Router.swap(amt 2,500 GLD, ", "min 0, to bob.eth)"]);
        assert_eq!(lines(call, 16), ["Router.swap(amt ", "2,500 GLD, ", "min 0, ", "to bob.eth)"]);
        assert_eq!(lines("", 9), [""]);
    }
}
