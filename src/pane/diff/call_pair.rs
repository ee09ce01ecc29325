//! The details of the selected call in both traces as one list of fields: a column for each trace on wide screens,
//! the values of a field one below the other elsewhere.

use ratatui::buffer::Buffer;
use ratatui::layout::{Layout, Rect};

use super::fields::{ComparedField, pair_fields};
use super::folds::DiffLine;
use super::format::sent_coin;
use super::{ComparedTrace, DiffPane, PaneContext};
use crate::calls::formatter::CallFormatter;
use crate::chain::call_kind::CallKind;
use crate::messages::diff::DiffText;
use crate::pane::addresses::labels::label_entries;
use crate::pane::addresses::lookalike_marks::mark_addresses;
use crate::pane::trace::{compared_entries, shorten_addresses};
use crate::trace::diff::DiffRow;
use crate::ui::document::{Document, DocumentEntry, EntryValue, Rule};
use crate::ui::format::width;
use crate::ui::frame::{ScrollExtent, draw_frame_title, draw_scrollbar};
use crate::ui::text::WORD_LINE_COLUMNS;
use crate::ui::theme::Role;

/// Columns of the letter of a trace, of both on a line.
const SIDE_COLUMNS: u16 = 3;
/// Number of the column after the labels, with the letters of traces on narrow screens.
const FIRST_COLUMN: usize = 1;
/// Columns between labels and values, and between two values side by side.
const GAP: u16 = 2;
/// Columns of a frame before its title, with a blank.
const TITLE_INSET: u16 = 3;
/// Minimum columns of two details side by side.
const MIN_COLUMNS_SIDE_BY_SIDE: u16 = 110;

/// The fields in three columns: labels and the values of both traces or, on narrow screens, labels, letters of
/// traces and values.
#[derive(Debug)]
pub(super) struct CallDetails {
    columns: [Document; 3],
    /// The line that they describe.
    line: Option<DiffLine>,
    /// The first visible line of all columns.
    offset: usize,
    has_focus: bool,
    /// `true` if data begin in the column after the labels, for want of space in the column of values.
    has_wide_data: bool,
}

impl CallDetails {
    pub(super) fn new() -> Self {
        let columns = [0, 1, 2].map(|_| Document::with_one_column());
        Self { columns, line: None, offset: 0, has_focus: false, has_wide_data: false }
    }

    pub(super) fn has_focus(&self) -> bool {
        self.has_focus
    }

    pub(super) fn set_focus(&mut self, has_focus: bool) {
        self.has_focus = has_focus;
    }

    /// Divides the space below the rows.
    fn areas(&self, below: Rect) -> [Rect; 3] {
        below.layout(
            &Layout::horizontal(self.columns.each_ref().map(Document::columns)).spacing(GAP),
        )
    }

    /// Returns the lines that do not fit, or 0 if there is no space for the details at all.
    pub(super) fn hidden_lines(&self, area: Rect) -> usize {
        let [labels, ..] = &self.columns;
        if area.height == 0 { 0 } else { labels.line_count().saturating_sub(area.height.into()) }
    }

    /// Returns the lines after those that are visible.
    pub(super) fn lines_below(&self, area: Rect) -> usize {
        self.hidden_lines(area).saturating_sub(self.offset)
    }

    pub(super) fn scroll(&mut self, by: isize, area: Rect) {
        self.offset = self.offset.saturating_add_signed(by).min(self.hidden_lines(area));
        for column in &mut self.columns {
            column.show_from(self.offset, area.height);
        }
    }

    fn set(&mut self, columns: [Vec<DocumentEntry>; 3], widths: [u16; 3]) {
        let mut rest = widths.iter().sum::<u16>() + 2 * GAP;
        let documents = self.columns.iter_mut().zip(widths).zip(columns).enumerate();
        for (n, ((document, width), entries)) in documents {
            let has_data = self.has_wide_data && n == FIRST_COLUMN;
            document.set_data_width(Some(rest).filter(|_| has_data));
            rest = rest.saturating_sub(width + GAP);
            document.resize(Rect { width, ..Rect::default() });
            document.set(entries);
        }
        Document::align(&mut self.columns);
    }

    /// Draws the line above the fields, with the letters of traces that have columns, and the fields.
    pub(super) fn draw(&self, [line, area]: [Rect; 2], cx: &PaneContext<'_>, buf: &mut Buffer) {
        Rule::default().draw(line, buf, cx.styles);
        let areas = self.areas(area);
        let len = area.height as usize + self.hidden_lines(area);
        let extent = ScrollExtent { area, offset: self.offset, len };
        let border = if self.has_focus { Role::BorderFocused } else { Role::Border };
        let right = cx.area.right();
        let has_margin = buf.cell((right, area.y)).is_some_and(|cell| cell.symbol() == " ");
        let width = right.saturating_add(1 + u16::from(has_margin)).saturating_sub(area.x);
        let frame = Rect { width, ..area };
        draw_scrollbar(buf, frame, &extent, cx.styles.of(border));
        let role = if self.has_focus { Role::Accent } else { Role::Title };
        if is_side_by_side(area.width) {
            let [_, values @ ..] = areas;
            for (side, values) in ["A", "B"].into_iter().zip(values) {
                let x = values.x.saturating_sub(TITLE_INSET);
                let title = Rect { x, width: line.right().saturating_sub(x), ..line };
                draw_frame_title(buf, title, side, cx.styles.in_frame(role));
            }
        }
        for (n, (document, own)) in self.columns.iter().zip(areas).enumerate() {
            let all = Rect { width: area.right().saturating_sub(own.x), ..own };
            let shown = if self.has_wide_data && n == FIRST_COLUMN { all } else { own };
            document.draw_lines(shown, None, buf, cx.styles);
        }
    }
}

impl DiffPane {
    /// Builds the details of the selected call, in which values that differ between the traces stand out.
    pub(super) fn show_calls(&mut self, cx: &PaneContext<'_>) {
        let row = self.selected.call().and_then(|row| self.diff.row(row));
        let columns = cx.area.width;
        let mut sides = row.map_or_else(Default::default, |row| self.entries(row, columns, cx));
        let labels = label_columns(&sides, columns);
        let values = columns.saturating_sub(labels + GAP);
        let is_wide = is_side_by_side(columns);
        let widths = if is_wide {
            let side = values.saturating_sub(GAP) / 2;
            [labels, side, side]
        } else {
            [labels, SIDE_COLUMNS - 1, values.saturating_sub(SIDE_COLUMNS - 1 + GAP)]
        };
        let [_, _, value_width] = widths;
        for entries in &mut sides {
            shorten_addresses(entries, value_width);
            label_entries(entries, cx.name_cache.labels());
            mark_addresses(entries, cx);
        }
        let are_both_there = row.is_some_and(|row| row.left.is_some() && row.right.is_some());
        let fields = pair_fields(sides, are_both_there);
        let absent = if are_both_there { "—" } else { "" };
        let has_wide_data = value_width < WORD_LINE_COLUMNS && columns >= WORD_LINE_COLUMNS;
        self.calls.has_wide_data = has_wide_data;
        let entries = if is_wide {
            side_by_side(fields, absent, has_wide_data)
        } else {
            below_each_other(fields, has_wide_data)
        };
        self.calls.set(entries, widths);
        if self.calls.line.replace(self.selected) != Some(self.selected) {
            self.calls.offset = 0;
        }
        let area = self.layout(cx).calls;
        self.calls.scroll(0, area);
        self.calls.has_focus &= self.calls.hidden_lines(area) > 0;
    }

    /// Returns the detail of a call in both traces. Of a call that one of them lacks, it says so.
    fn entries(
        &self,
        row: &DiffRow,
        columns: u16,
        cx: &PaneContext<'_>,
    ) -> [Vec<DocumentEntry>; 2] {
        let columns = if is_side_by_side(columns) { columns / 2 } else { columns };
        let entries = |trace: &ComparedTrace, side, frame: Option<u32>| {
            let Some(frame) = frame else { return vec![absence(row, side)] };
            let formatter =
                CallFormatter { short_amounts: true, ..self.row_formatter(row, trace, cx) };
            let mut entries = compared_entries(&formatter, frame, columns, cx.keys);
            if let Some((call, text)) = entries.first_mut().zip(sent_coin(&formatter, frame)) {
                call.value = EntryValue::Text(text.into());
            }
            entries
        };
        let mut sides = [entries(&self.left, "A", row.left), entries(&self.right, "B", row.right)];
        name_kinds(&mut sides);
        let [left, right] =
            self.sides(row).map(|(trace, frame)| Some(trace.tree.get(frame?)?.kind));
        // The lines of both transactions name the outermost call, and its arguments are below.
        if row.depth == 0 && left.is_some() && left == right && self.has_calls_in_head(cx) {
            for entries in &mut sides {
                entries.remove(0);
            }
        }
        sides
    }
}

fn is_side_by_side(columns: u16) -> bool {
    columns >= MIN_COLUMNS_SIDE_BY_SIDE
}

/// Returns the columns of the labels of all fields.
fn label_columns(sides: &[Vec<DocumentEntry>; 2], columns: u16) -> u16 {
    let widths = sides.iter().flatten().map(|entry| width(&field_label(entry.level, &entry.label)));
    u16::try_from(widths.max().unwrap_or_default()).unwrap_or(u16::MAX).min(columns / 4)
}

/// Returns a label, indented below the field that contains it.
fn field_label(level: u8, label: &str) -> String {
    format!("{:1$}{label}", "", usize::from(level) * 2)
}

/// Says that a call is missing in a trace, or its place there.
fn absence(row: &DiffRow, side: &str) -> DocumentEntry {
    let text = match row.elsewhere {
        Some(call) => DiffText::elsewhere(side, call),
        None => DiffText::NotIn { side }.to_string(),
    };
    DocumentEntry::text("", text).role(Role::Dim)
}

/// Gives the first fields, which are called after the kinds of the calls, one label. Kinds that differ are part
/// of the values.
fn name_kinds(sides: &mut [Vec<DocumentEntry>; 2]) {
    let [Some(left), Some(right)] = sides.each_mut().map(|entries| entries.first_mut()) else {
        return;
    };
    match [&left.label, &right.label].map(|label| &**label) {
        ["", kind] => left.label = kind.into(),
        [kind, ""] => right.label = kind.into(),
        [one, other] if one == other => {}
        _ => {
            for call in [left, right] {
                let text = format!("{} {}", call.label, call.copy_text());
                call.value = EntryValue::Text(text.into());
                call.label = CallKind::Call.name().into();
            }
        }
    }
}

fn label_entry(field: &ComparedField) -> DocumentEntry {
    let role = if field.differs { Role::Plain } else { Role::Dim };
    DocumentEntry::text("", field_label(field.level, &field.label)).role(role)
}

fn blank() -> DocumentEntry {
    DocumentEntry::text("", "")
}

/// Adds the data of a field in both traces one below the other, each after the letter of its trace: wide data of B
/// begin below the title of A.
fn push_data(field: ComparedField, columns: &mut [Vec<DocumentEntry>; 3]) {
    for (letter, data) in ["A", "B"].into_iter().zip(field.sides) {
        let Some(data) = data else { continue };
        for entry in [DocumentEntry::text("", letter).role(Role::Dim), data] {
            let [labels, letters, values] = &mut *columns;
            labels.push(blank());
            letters.push(entry);
            values.push(blank());
        }
    }
}

fn has_data(field: &ComparedField) -> bool {
    field.sides.iter().flatten().any(|entry| matches!(entry.value, EntryValue::Hex(_)))
}

/// Returns labels and values, with `absent` for fields that a trace lacks. Wide data have both columns.
fn side_by_side(
    fields: Vec<ComparedField>,
    absent: &'static str,
    has_wide_data: bool,
) -> [Vec<DocumentEntry>; 3] {
    let mut columns = [const { Vec::new() }; 3];
    for field in fields {
        if has_wide_data && has_data(&field) {
            push_data(field, &mut columns);
            continue;
        }
        let [labels, left, right] = &mut columns;
        labels.push(label_entry(&field));
        let is_data = has_data(&field);
        let shown = if is_data { "" } else { absent };
        for (side, column) in field.sides.into_iter().zip([left, right]) {
            column.push(side.unwrap_or_else(|| DocumentEntry::text("", shown).role(Role::Dim)));
        }
    }
    columns
}

/// Returns labels, letters and values. Wide data begin in the column of the letters.
fn below_each_other(fields: Vec<ComparedField>, has_wide_data: bool) -> [Vec<DocumentEntry>; 3] {
    let mut columns = [const { Vec::new() }; 3];
    for field in fields {
        if has_wide_data && has_data(&field) {
            push_data(field, &mut columns);
            continue;
        }
        let [labels, letters, values] = &mut columns;
        let mut label = Some(label_entry(&field));
        let shown = if field.is_same { ["AB", ""] } else { ["A", "B"] };
        for (letter, value) in shown.into_iter().zip(field.sides) {
            if let Some(value) = value.filter(|_| !letter.is_empty()) {
                labels.push(label.take().unwrap_or_else(blank));
                letters.push(DocumentEntry::text("", letter).role(Role::Dim));
                values.push(value);
            }
        }
    }
    columns
}
