//! Columns of labels and values.

use super::{DocumentEntry, EntryValue, code};
use crate::ui::format::{fits, width as text_width};
use crate::ui::text::{HEX_OFFSET_COLUMNS, WORD_LINE_COLUMNS};

/// Least width of the labels of a document with one column of values.
const MIN_LABEL_COLUMNS: u16 = 11;
/// The most columns that labels take from all values where there are few.
const MAX_NARROW_LABELS: u16 = 18;
/// Least width of a document with space for long labels.
pub const MIN_WIDE_COLUMNS: u16 = 90;
/// Maximum columns between the values of a fold and of its parts that are closed: all begin in one column.
const MAX_STEP_COLUMNS: u16 = 2;
/// The most columns that labels take from all values of a tree, on narrow and on wide screens: an address with its
/// name has space after them, and on wide ones a hash.
const MAX_TREE_LABELS: [u16; 2] = [19, 36];

/// Columns of a hash.
pub(super) const HASH_COLUMNS: u16 = 66;

/// The place where the values of a document begin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ValueColumns {
    /// In a column for each group of siblings.
    #[default]
    BySiblings,
    /// In one column, after the widest label.
    One,
    /// In one column, after the usual labels of a tree, such as JSON.
    Tree,
}

/// The columns where an entry's label and its value begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryColumns {
    pub(super) label: u16,
    pub(super) value: u16,
}

/// Returns the columns where label and value begin, if the label has an additional indent.
///
/// Values are aligned, except after labels that do not fit: arguments and JSON keys can be of any
/// length, and take up to half of the width. Deep entries are indented while that leaves some of
/// their labels.
fn label_columns(entry: &DocumentEntry, extra: u16, usual: u16, width: u16) -> (u16, u16) {
    let indent = u16::from(entry.level) * 2 + extra;
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
    let body = usual.max(indent.saturating_add(label).saturating_add(1).min(width / 2));
    (indent.min(body.saturating_sub(1 + label.min(9))), body)
}

/// Entries that are hidden together.
#[derive(Debug, Clone)]
struct Siblings {
    /// The siblings of their parent, by the number of the first.
    parent: Option<usize>,
    /// Column after the widest label.
    column: u16,
    /// The column from which on texts are broken in two, such as a hash, that fit on a line next to
    /// their own labels.
    max_column: u16,
}

impl Siblings {
    fn breaks_text(&self) -> bool {
        self.column > self.max_column
    }
}

/// Returns the column of the values in a document with one column of them.
pub fn value_column(entries: &[DocumentEntry], width: u16) -> u16 {
    let columns = entry_columns(entries, width, ValueColumns::One);
    let labelled = entries.iter().zip(columns).filter(|(entry, _)| has_label(entry));
    labelled.map(|(_, columns)| columns.value).min().unwrap_or_default()
}

/// Returns the column of values next to labels that are not long.
pub fn usual_value_column(width: u16) -> u16 {
    match width {
        // Leaves 66 columns for a hash, in a frame on a screen of 80.
        76..78 => 10,
        ..80 => 12,
        80..MIN_WIDE_COLUMNS => 14,
        _ => 22,
    }
}

/// Returns the columns of each entry. Labels in a fold begin to the right of its label.
pub(super) fn entry_columns(
    entries: &[DocumentEntry],
    width: u16,
    places: ValueColumns,
) -> Vec<EntryColumns> {
    let usual = match places {
        ValueColumns::BySiblings => usual_value_column(width),
        ValueColumns::One | ValueColumns::Tree => MIN_LABEL_COLUMNS,
    };
    let own: Vec<(u16, u16)> = entries
        .iter()
        .zip(extra_indents(entries))
        .map(|(entry, extra)| label_columns(entry, extra, usual, width))
        .collect();
    let values = match places {
        ValueColumns::BySiblings => value_columns(entries, &own, width),
        ValueColumns::One => single_column(
            entries,
            &own,
            (width / 3).min(if width < 90 { MAX_NARROW_LABELS } else { u16::MAX }),
        ),
        ValueColumns::Tree => tree_columns(entries, &own, width),
    };
    let columns = own.into_iter().zip(values);
    let mut columns: Vec<_> =
        columns.map(|((label, _), value)| EntryColumns { label, value }).collect();
    align_data(entries, &mut columns, width);
    columns
}

/// Moves data below the value of their fold where a line of 32 bytes fits, or else to where one does.
fn align_data(entries: &[DocumentEntry], columns: &mut [EntryColumns], width: u16) {
    let mut above = 0_u16;
    for (entry, own) in entries.iter().zip(columns) {
        match entry.value {
            EntryValue::Hex(_) if entry.label.is_empty() => {
                let aligned = above.saturating_sub(HEX_OFFSET_COLUMNS);
                let is_whole = |left: u16| left.saturating_add(WORD_LINE_COLUMNS) <= width;
                if aligned >= own.value && is_whole(aligned) {
                    own.value = aligned;
                } else if !is_whole(own.value) && is_whole(0) {
                    own.value = width - WORD_LINE_COLUMNS;
                }
            }
            _ => above = own.value,
        }
    }
}

/// Returns the width of a fold's mark for each entry that is in a fold and has none itself.
fn extra_indents(entries: &[DocumentEntry]) -> impl Iterator<Item = u16> {
    let mut around: Vec<(u8, bool)> = Vec::new();
    entries.iter().map(move |entry| {
        around.retain(|(level, _)| *level < entry.level);
        let is_in_fold = around.last().is_some_and(|(_, is_fold)| *is_fold);
        around.push((entry.level, entry.open.is_some()));
        if is_in_fold && entry.open.is_none() && has_label(entry) { 2 } else { 0 }
    })
}

/// Returns one column for all values, unless their labels go beyond the column `most`.
fn single_column(entries: &[DocumentEntry], own: &[(u16, u16)], most: u16) -> Vec<u16> {
    let labels = || entries.iter().zip(own).filter(|(entry, _)| has_label(entry));
    let values = labels().map(|(_, (_, value))| *value);
    let column = values.filter(|value| *value <= most).max().unwrap_or(most);
    entries
        .iter()
        .zip(own)
        .map(|(entry, (_, own))| if has_label(entry) { column.max(*own) } else { *own })
        .collect()
}

/// Returns one column for all values of a tree, after its usual labels.
fn tree_columns(entries: &[DocumentEntry], own: &[(u16, u16)], width: u16) -> Vec<u16> {
    let [narrow, wide] = MAX_TREE_LABELS;
    let before_hash = width.saturating_sub(HASH_COLUMNS);
    let most = if width < MIN_WIDE_COLUMNS { narrow } else { wide.min(before_hash) }.min(width / 2);
    let labelled = entries.iter().zip(own).filter(|(entry, _)| has_label(entry));
    let values = labelled.map(|(_, (_, value))| *value);
    let column = values.filter(|value| *value <= most).max().unwrap_or(most);
    let value = |(entry, (_, own)): (_, &(u16, u16))| if has_label(entry) { column } else { *own };
    entries.iter().zip(own).map(value).collect()
}

/// Returns the column of each entry's value: the same for siblings, and not to the left of their
/// parent's, if that breaks no text.
fn value_columns(entries: &[DocumentEntry], own: &[(u16, u16)], width: u16) -> Vec<u16> {
    let own: Vec<u16> = own.iter().map(|(_, value)| *value).collect();
    let (numbers, mut siblings) = group_siblings(entries);
    for ((entry, column), number) in entries.iter().zip(own.iter().copied()).zip(&numbers) {
        let Some(all) = siblings.get_mut(*number).filter(|_| has_label(entry)) else { continue };
        if column <= width / 3 {
            all.column = all.column.max(column);
        }
        let space = width.saturating_sub(column);
        if let EntryValue::Text(text) = &entry.value
            && fits(text, usize::from(space))
        {
            let text = u16::try_from(text_width(text)).unwrap_or(width);
            all.max_column = all.max_column.min(width.saturating_sub(text));
        }
    }
    // Parents come before their children. A step of a column between both would look like a mistake,
    // but where there is little space the values need it.
    let closed = if width < MIN_WIDE_COLUMNS { 0 } else { siblings.len() };
    for at in (0..closed).rev() {
        let Some(Siblings { parent: Some(parent), column, .. }) = siblings.get(at).cloned() else {
            continue;
        };
        if let Some(above) = siblings.get_mut(parent)
            && (above.column..=above.column + MAX_STEP_COLUMNS).contains(&column)
            && column <= above.max_column
        {
            above.column = column;
        }
    }
    for at in 0..siblings.len() {
        let parent = siblings.get(at).and_then(|all| siblings.get(all.parent?));
        let column = parent.filter(|parent| !parent.breaks_text()).map(|parent| parent.column);
        if let (Some(column), Some(all)) = (column, siblings.get_mut(at))
            && column <= all.max_column
        {
            all.column = all.column.max(column);
        }
    }
    let column = |((entry, own), number): ((&DocumentEntry, &u16), &usize)| {
        let all = siblings.get(*number).filter(|all| has_label(entry) && !all.breaks_text());
        all.map_or(*own, |all| all.column.max(*own))
    };
    entries.iter().zip(&own).zip(&numbers).map(column).collect()
}

fn has_label(entry: &DocumentEntry) -> bool {
    !entry.label.is_empty() && !matches!(entry.value, EntryValue::Code(_))
}

/// Returns the number of each entry's siblings, and all siblings, of which those that begin further up
/// come first.
fn group_siblings(entries: &[DocumentEntry]) -> (Vec<usize>, Vec<Siblings>) {
    // The levels around an entry, with its siblings on each.
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut all: Vec<Siblings> = Vec::new();
    let numbers = entries
        .iter()
        .map(|entry| {
            let is_rule = matches!(entry.value, EntryValue::Rule(_));
            open.retain(|(level, _)| *level <= entry.level && !is_rule);
            match open.last() {
                Some((level, number)) if *level == entry.level => *number,
                parent => {
                    let parent = parent.map(|(_, number)| *number);
                    all.push(Siblings { parent, column: 0, max_column: u16::MAX });
                    open.push((entry.level, all.len() - 1));
                    all.len() - 1
                }
            }
        })
        .collect();
    (numbers, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column_of(label: &str, level: u8, width: u16) -> (u16, u16) {
        let usual = if width < 90 { 14 } else { 22 };
        let entry = DocumentEntry::text(label, "").at_level(level).fold(true);
        label_columns(&entry, 0, usual, width)
    }

    fn values(entries: &[DocumentEntry], width: u16) -> Vec<u16> {
        entry_columns(entries, width, ValueColumns::BySiblings)
            .iter()
            .map(|columns| columns.value)
            .collect()
    }

    #[test]
    fn one_column_is_as_wide_as_the_labels() {
        let columns = |labels: [&str; 3]| {
            let entries = [0, 1, 2].map(|level| {
                let level_label = labels.get(usize::from(level)).copied().unwrap_or_default();
                DocumentEntry::text(level_label, "x").at_level(level)
            });
            let columns = entry_columns(&entries, 66, ValueColumns::One);
            columns.iter().map(|columns| columns.value).collect::<Vec<_>>()
        };
        assert_eq!(columns(["from", "to", "a"]), [11, 11, 11]);
        assert_eq!(columns(["from", "uint256 amount", "[0]"]), [17, 17, 17]);
        assert_eq!(columns(["from", "to", "uint256 amountOutMinimum"]), [11, 11, 29]);
    }

    #[test]
    fn tree_has_one_column_of_values() {
        let entries = [
            DocumentEntry::text("row", "").fold(true),
            DocumentEntry::text("token_transfers_overflow", "false").at_level(1),
            DocumentEntry::text("from", "").at_level(1).fold(true),
            DocumentEntry::text("hash", "x".repeat(66)).at_level(2),
            DocumentEntry::text(&"k".repeat(60), "").at_level(1),
        ];
        let columns = entry_columns(&entries, 78, ValueColumns::Tree);
        let labels: Vec<u16> = columns.iter().map(|columns| columns.label).collect();
        assert_eq!(labels, [0, 4, 2, 6, 4], "in a fold to the right of its label");
        let values = |width| {
            let columns = entry_columns(&entries, width, ValueColumns::Tree);
            columns.iter().map(|columns| columns.value).collect::<Vec<_>>()
        };
        assert_eq!(values(78), [11; 5], "values of long labels are below them");
        assert_eq!(values(198), [29; 5], "after the widest label but one");
        assert_eq!(values(94), [11; 5], "a hash is whole");
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
            values(&entries, 78)
        };
        assert_eq!(columns(65), [13, 13, 13, 17, 39, 17, 0]);
        assert_eq!(columns(66), [13, 12, 12, 17, 39, 17, 0]);
        assert_eq!(columns(67), [13, 13, 13, 17, 39, 17, 0], "it is broken anyway");
    }

    #[test]
    fn data_stand_below_their_size_where_they_fit() {
        let data = DocumentEntry::new("", EntryValue::Hex(vec![0; 64].into())).at_level(1);
        let size = DocumentEntry::text("raw input", "64 bytes").fold(true);
        let entries = [DocumentEntry::text("to", "x"), size, data];
        assert_eq!(values(&entries, 118), [22, 22, 15]);
        assert_eq!(values(&entries, 78), [12, 12, 5]);
        assert_eq!(values(&entries, 70), [12, 12, 2]);
    }

    #[test]
    fn values_of_parts_do_not_stand_a_column_further() {
        let entry = |label: &str, level| DocumentEntry::text(label, "x").at_level(level).fold(true);
        let call = |list| [entry("hash", 0), entry("call", 0), entry("#0", 1), entry(list, 2)];
        assert_eq!(values(&call("address[] a path"), 198), [23; 4]);
        assert_eq!(values(&call("address[] longer path"), 198), [22, 22, 22, 28]);
    }

    #[test]
    fn values_of_children_are_not_to_the_left_of_their_parents() {
        let columns = |hash: usize| {
            let entries = [
                DocumentEntry::text("has_error_in_internal_transactions", "false"),
                DocumentEntry::text("from", "").fold(true),
                DocumentEntry::text("hash", "x".repeat(hash)).at_level(1),
                DocumentEntry::text("tags", "").at_level(1).fold(true),
                DocumentEntry::text("#0", "").at_level(2),
            ];
            values(&entries, 118)
        };
        assert_eq!(columns(66), [35, 35, 35, 35, 35]);
        assert_eq!(columns(90), [35, 35, 22, 22, 22], "the text would be broken");
    }
}
