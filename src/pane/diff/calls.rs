//! The details of the selected call in both traces: side by side on wide screens, one above the other elsewhere.

use std::collections::{HashMap, VecDeque};

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use super::folds::DiffLine;
use super::format::sent_coin;
use super::{DiffPane, PaneContext};
use crate::calls::formatter::CallFormatter;
use crate::messages::diff::DiffText;
use crate::pane::addresses::labels::label_entries;
use crate::pane::addresses::lookalike_marks::mark_addresses;
use crate::pane::trace::{compared_entries, shorten_addresses};
use crate::route::DiffBaseline;
use crate::trace::diff::DiffRow;
use crate::ui::document::{Document, DocumentEntry, EntryValue};
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// Columns of the letter of a trace.
const SIDE_COLUMNS: u16 = 3;
/// Columns between two details side by side.
const SIDE_GAP: u16 = 2;
/// Minimum columns of two details side by side.
const MIN_COLUMNS_SIDE_BY_SIDE: u16 = 110;

#[derive(Debug)]
pub(super) struct CallDetails {
    documents: [Document; 2],
    /// The line that they describe.
    line: Option<DiffLine>,
    /// The first visible line of both: fields of one name stay next to each other.
    offset: usize,
    has_focus: bool,
}

impl CallDetails {
    pub(super) fn new() -> Self {
        let documents = [Document::with_one_column(), Document::with_one_column()];
        Self { documents, line: None, offset: 0, has_focus: false }
    }

    pub(super) fn has_focus(&self) -> bool {
        self.has_focus
    }

    pub(super) fn set_focus(&mut self, has_focus: bool) {
        self.has_focus = has_focus;
    }

    /// Divides the space below the rows.
    pub(super) fn areas(&self, below: Rect) -> [Rect; 2] {
        if below.width >= MIN_COLUMNS_SIDE_BY_SIDE {
            let sides = Layout::horizontal([Constraint::Fill(1); 2]).spacing(SIDE_GAP);
            return below.layout(&sides);
        }
        let lines = |document: &Document| u16::try_from(document.line_count()).unwrap_or(u16::MAX);
        let [first, second] = self.documents.each_ref().map(lines);
        let height = first.min(below.height.saturating_sub(second).max(below.height / 2));
        below.layout(&Layout::vertical([Constraint::Length(height), Constraint::Fill(1)]))
    }

    /// Returns the lines that do not fit in the areas, or 0 if there is no space for the details at all.
    pub(super) fn hidden_lines(&self, areas: [Rect; 2]) -> usize {
        let sides = self.documents.iter().zip(areas).filter(|(_, area)| area.height > 0);
        let hidden = |(document, area): (&Document, Rect)| {
            document.line_count().saturating_sub(area.height.into())
        };
        sides.map(hidden).max().unwrap_or_default()
    }

    pub(super) fn scroll(&mut self, by: isize, areas: [Rect; 2]) {
        self.offset = self.offset.saturating_add_signed(by).min(self.hidden_lines(areas));
        for (document, area) in self.documents.iter_mut().zip(areas) {
            document.show_from(self.offset, area.height);
        }
    }

    pub(super) fn draw(&self, areas: [Rect; 2], cx: &PaneContext<'_>, buf: &mut Buffer) {
        let role = if self.has_focus { Role::Accent } else { Role::Dim };
        for ((side, area), document) in ["A", "B"].into_iter().zip(areas).zip(&self.documents) {
            draw_text(buf, area, side, cx.styles.of(role));
            document.draw_lines(call_area(area), None, buf, cx.styles);
        }
    }
}

impl DiffPane {
    /// Builds the details of the selected call, in which values that differ between the traces stand out.
    pub(super) fn show_calls(&mut self, cx: &PaneContext<'_>) {
        let widths = self.calls.areas(cx.area).map(|area| call_area(area).width);
        let mut sides = match self.selected.call().and_then(|row| self.diff.row(row)) {
            Some(row) => self.entries(row, widths, cx),
            None => Default::default(),
        };
        for entries in &mut sides {
            label_entries(entries, cx.name_cache.labels());
            mark_addresses(entries, cx);
        }
        if self.calls.line.replace(self.selected) != Some(self.selected) {
            self.calls.offset = 0;
        }
        for ((document, width), entries) in self.calls.documents.iter_mut().zip(widths).zip(sides) {
            document.resize(Rect { width, ..cx.area });
            document.set(entries);
        }
        let areas = self.layout(cx).calls;
        self.calls.scroll(0, areas);
        self.calls.has_focus &= self.calls.hidden_lines(areas) > 0;
    }

    fn entries(
        &self,
        row: &DiffRow,
        widths: [u16; 2],
        cx: &PaneContext<'_>,
    ) -> [Vec<DocumentEntry>; 2] {
        let entries = |trace: &DiffBaseline, side, frame: Option<u32>, width: u16| {
            let Some(frame) = frame else { return vec![absence(row, side)] };
            let formatter = CallFormatter { short_amounts: true, ..self.formatter(trace, cx) };
            let mut entries = compared_entries(&formatter, frame, width, cx.keys);
            if let Some((call, text)) = entries.first_mut().zip(sent_coin(&formatter, frame)) {
                call.value = EntryValue::Text(text.into());
            }
            entries
        };
        let [left, right] = widths;
        let mut sides =
            [entries(&self.left, "A", row.left, left), entries(&self.right, "B", row.right, right)];
        let [left, right] = &mut sides;
        shorten_addresses([(left, widths[0]), (right, widths[1])]);
        // Of calls of different functions, nearly everything differs.
        let selector = |trace: &DiffBaseline, frame: Option<u32>| trace.tree.selector(frame?);
        if selector(&self.left, row.left) == selector(&self.right, row.right) {
            mark_differences(&mut sides);
        }
        sides
    }
}

/// Says that a call is missing in a trace, or its place there.
fn absence(row: &DiffRow, side: &str) -> DocumentEntry {
    let text = match row.elsewhere {
        Some(call) => DiffText::elsewhere(side, call),
        None => DiffText::NotIn { side }.to_string(),
    };
    DocumentEntry::text("", text).role(Role::Dim)
}

/// Returns the area of a call's detail after the letter of its trace.
fn call_area(area: Rect) -> Rect {
    let x = area.x.saturating_add(SIDE_COLUMNS);
    Rect { x, width: area.width.saturating_sub(SIDE_COLUMNS), ..area }
}

/// Gives the entries of two calls that have the same label but another value the colour of a change. Of
/// several with one label, such as the fields of tuples, each is compared with the one in its place.
fn mark_differences([left, right]: &mut [Vec<DocumentEntry>; 2]) {
    let is_value = |entry: &DocumentEntry| matches!(entry.value, EntryValue::Text(_));
    let key = |entry: &DocumentEntry| (entry.label.clone(), entry.level);
    let mut others: HashMap<_, VecDeque<&mut DocumentEntry>> = HashMap::new();
    for other in right.iter_mut().filter(|other| is_value(other)) {
        others.entry(key(other)).or_default().push_back(other);
    }
    for entry in left.iter_mut().filter(|entry| is_value(entry)) {
        let same = others.get_mut(&key(entry)).and_then(VecDeque::pop_front);
        if let Some(other) = same.filter(|other| other.copy_text() != entry.copy_text()) {
            other.role = Role::Warning;
            entry.role = Role::Warning;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_one_label_are_compared_by_their_place() {
        let side = |values: [&str; 2]| values.map(|text| DocumentEntry::text("address", text));
        let mut sides = [side(["A", "B"]).to_vec(), side(["A", "C"]).to_vec()];
        mark_differences(&mut sides);
        for [first, second] in sides.map(|side| [0, 1].map(|n| side[n].role == Role::Warning)) {
            assert!(!first && second);
        }
    }
}
