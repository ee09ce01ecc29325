//! The facts of a transaction side by side, where there is space for two columns of them.

use super::panels::PanelPair;
use crate::pane::PaneContext;
use crate::pane::addresses::labels::label_addresses;
use crate::ui::document::{DocumentEntry, EntryCell, EntryValue};
use crate::ui::theme::Role;

/// Least width of two columns.
pub(super) const MIN_FACT_COLUMNS: u16 = 112;
/// Columns between the longest label and its value, and between a value and the other column.
const LABEL_GAP: u16 = 1;
const MIDDLE_GAP: u16 = 2;

/// Returns facts in two columns if they have space, and after them those that fold, with what they hide.
pub(super) fn side_by_side(
    left: Vec<DocumentEntry>,
    right: Vec<DocumentEntry>,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let is_line = |entry: &DocumentEntry| {
        entry.level == 0 && entry.open.is_none() && matches!(entry.value, EntryValue::Text(_))
    };
    let [(left, left_rest), (right, right_rest)] =
        [left, right].map(|entries| entries.into_iter().partition::<Vec<_>, _>(is_line));
    let left_cells = column(&left, 0, cx);
    let most = left_cells.iter().flatten().map(EntryCell::end).max().unwrap_or_default();
    let middle = (cx.area.width / 2).max(most.saturating_add(MIDDLE_GAP));
    let right_cells = column(&right, middle.saturating_add(MIDDLE_GAP), cx);
    let end = right_cells.iter().flatten().map(EntryCell::end).max().unwrap_or_default();
    let rest = left_rest.into_iter().chain(right_rest);
    if end > cx.area.width {
        return left.into_iter().chain(right).chain(rest).collect();
    }
    let (titles, lines) = (Default::default(), [left_cells, right_cells]);
    PanelPair { middle, titles, lines }.entries().into_iter().chain(rest).collect()
}

/// Returns the lines of a column of facts.
fn column(entries: &[DocumentEntry], x: u16, cx: &PaneContext<'_>) -> Vec<Vec<EntryCell>> {
    let label = |entry: &DocumentEntry| EntryCell::new(entry.label.clone(), Role::Dim).at(x);
    let widest = entries.iter().map(|entry| label(entry).end()).max().unwrap_or(x);
    let values_x = widest.saturating_add(LABEL_GAP);
    entries.iter().map(|entry| vec![label(entry), value_cell(entry, cx).at(values_x)]).collect()
}

fn value_cell(entry: &DocumentEntry, cx: &PaneContext<'_>) -> EntryCell {
    let EntryValue::Text(text) = &entry.value else { return EntryCell::new("", Role::Plain) };
    let labelled = label_addresses(text, cx.name_cache.labels()).into_owned();
    let mut cell = EntryCell::new(labelled, entry.role).copy(entry.copy_text());
    cell.link.clone_from(&entry.link);
    cell.cell.address = entry.address();
    cell.cell.mark = entry.address().and_then(|address| cx.address_mark(&address));
    cell.cell.tail = entry.side_note;
    cell
}
