//! Columns of labels and values.

use super::{DocumentEntry, EntryValue, code};
use crate::ui::format::{fits, width as text_width};

/// Returns the columns where label and value begin.
///
/// Values are aligned, except after labels that do not fit: arguments and JSON keys can be of any
/// length, and take up to half of the width. Deep entries are indented while that leaves some of
/// their labels.
pub(super) fn label_columns(entry: &DocumentEntry, width: u16) -> (u16, u16) {
    let indent = u16::from(entry.level) * 2;
    if let EntryValue::Code(_) = entry.value {
        return (0, code::NUMBER_WIDTH);
    }
    if entry.label.is_empty() {
        return (indent, indent);
    }
    let mark = if entry.open.is_some() { 2 } else { 0 };
    // A column takes at most four bytes, so long labels are not measured.
    let own = match entry.label.len() {
        bytes if bytes > usize::from(width) * 4 => width,
        _ => u16::try_from(text_width(&entry.label)).unwrap_or(width),
    };
    let label = own.saturating_add(mark);
    // Leaves 66 columns for a hash, in a frame on a screen of 80.
    let usual = match width {
        ..80 => 12,
        80..90 => 14,
        _ => 22,
    };
    let body = usual.max(indent.saturating_add(label).saturating_add(1).min(width / 2));
    (indent.min(body.saturating_sub(1 + label.min(9))), body)
}

/// Entries that are hidden together.
#[derive(Debug, Clone, Default)]
struct Siblings {
    /// Column after the widest label.
    column: u16,
    /// `true` if the column breaks a text in two, such as a hash, that fits on a line next to its own
    /// label.
    breaks_text: bool,
}

/// Returns the column of each entry's value: the same for siblings, if that breaks no text.
pub(super) fn value_columns(entries: &[DocumentEntry], width: u16) -> Vec<u16> {
    let own: Vec<u16> = entries.iter().map(|entry| label_columns(entry, width).1).collect();
    let numbers = sibling_numbers(entries);
    let mut siblings = vec![Siblings::default(); entries.len()];
    let labelled = || {
        let all = entries.iter().zip(own.iter().copied()).zip(numbers.iter().copied());
        all.filter(|((entry, _), _)| has_label(entry))
    };
    for ((_, column), number) in labelled().filter(|((_, column), _)| *column <= width / 3) {
        siblings[number].column = siblings[number].column.max(column);
    }
    for ((entry, column), number) in labelled() {
        let EntryValue::Text(text) = &entry.value else { continue };
        let fits_after = |column: u16| fits(text, usize::from(width.saturating_sub(column)));
        let all = &mut siblings[number];
        all.breaks_text |= fits_after(column) && !fits_after(all.column.max(column));
    }
    let column = |((entry, own), number): ((&DocumentEntry, &u16), &usize)| {
        let all = &siblings[*number];
        if has_label(entry) && !all.breaks_text { all.column.max(*own) } else { *own }
    };
    entries.iter().zip(&own).zip(&numbers).map(column).collect()
}

fn has_label(entry: &DocumentEntry) -> bool {
    !entry.label.is_empty() && !matches!(entry.value, EntryValue::Code(_))
}

/// Returns a number for each entry, equal for entries with the same parent.
fn sibling_numbers(entries: &[DocumentEntry]) -> Vec<usize> {
    // The levels around an entry, with the first of its siblings on each.
    let mut open: Vec<(u8, usize)> = Vec::new();
    let number = |(at, entry): (usize, &DocumentEntry)| {
        let is_rule = matches!(entry.value, EntryValue::Rule(_));
        open.retain(|(level, _)| *level <= entry.level && !is_rule);
        match open.last() {
            Some((level, first)) if *level == entry.level => *first,
            _ => {
                open.push((entry.level, at));
                at
            }
        }
    };
    entries.iter().enumerate().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column_of(label: &str, level: u8, width: u16) -> (u16, u16) {
        label_columns(&DocumentEntry::text(label, "").at_level(level).fold(true), width)
    }

    #[test]
    fn long_labels_push_the_value_to_the_right() {
        assert_eq!(column_of("hash", 0, 80), (0, 14));
        assert_eq!(column_of("hash", 0, 120), (0, 22));
        assert_eq!(column_of("Background Colour", 2, 80), (4, 24));
        assert_eq!(column_of(&"k".repeat(1 << 20), 2, 80), (4, 40), "never more than half");
        assert_eq!(column_of("description", 30, 80), (30, 40), "something of the label is left");
        assert_eq!(column_of("a", 5, 80), (10, 14));
    }

    #[test]
    fn siblings_have_one_column_unless_it_breaks_a_text() {
        let columns = |hash: usize| {
            let entries = [
                DocumentEntry::text("optimization", "yes"),
                DocumentEntry::text("hash", "x".repeat(hash)),
                DocumentEntry::text("settings", "").fold(true),
                DocumentEntry::text("external_url", "").at_level(1),
                DocumentEntry::text("k".repeat(40).as_str(), "").at_level(1),
                DocumentEntry::text("name", "").at_level(1),
                DocumentEntry::new("", EntryValue::Text("wide".into())),
            ];
            value_columns(&entries, 78)
        };
        assert_eq!(columns(65), [13, 13, 13, 15, 39, 15, 0]);
        assert_eq!(columns(66), [13, 12, 12, 15, 39, 15, 0]);
        assert_eq!(columns(67), [13, 13, 13, 15, 39, 15, 0], "it is broken anyway");
    }
}
