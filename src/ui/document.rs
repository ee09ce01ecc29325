//! A scrollable document of labelled entries that can be folded, copied and opened.
//!
//! Lines are laid out when the width, the entries or a fold changes, never while drawing. Hex
//! digits are written for the visible lines only.

mod cells;
mod code;
mod draw;
mod entry;
mod label_columns;
mod layout;
mod line_columns;
mod mouse;
mod search;
mod text;

use std::collections::{HashMap, VecDeque};
use std::ops::{Range, RangeInclusive};

use ratatui::layout::Rect;

use super::format::width;
use super::frame::ScrollExtent;
use super::viewport::Viewport;
use crate::abi::SignatureHash;
use crate::chain::Address;
use crate::sanitize::SafeText;

pub use cells::{EntryCell, Rule, RuleSplit, fact_lines, flow_cells};
pub use code::CodeLine;
pub use entry::{CopyText, DocumentEntry, EntryLink, EntryValue};
pub use label_columns::{MIN_WIDE_COLUMNS, ValueColumns, usual_value_column, value_column};
pub use line_columns::LineColumns;
pub use mouse::DocumentClick;

/// A line: an entry, and a range of its value's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DocumentLine {
    entry: usize,
    range: Range<usize>,
    /// The column where the label begins.
    label: u16,
    /// The column where the value begins.
    left: u16,
    /// `true` for the line with the label.
    has_label: bool,
}

/// Most lines by which the first of two columns is longer or shorter for a whole field at the top of the second one.
const MAX_UNEVEN_LINES: usize = 4;

#[derive(Debug, Clone, Default)]
pub struct Document {
    entries: Vec<DocumentEntry>,
    lines: Vec<DocumentLine>,
    width: u16,
    viewport: Viewport,
    /// Column of the cursor in a line of cells.
    column: u16,
    value_columns: ValueColumns,
    /// Columns of data that continue beyond the other values.
    data_width: Option<u16>,
    /// The entry that begins the second of two columns, as far as both have space.
    second_column: Option<usize>,
}

impl Document {
    /// Creates a document whose values begin in one column, after the widest label.
    pub fn with_one_column() -> Self {
        Self { value_columns: ValueColumns::One, ..Self::default() }
    }

    /// Chooses the place where values begin from the next layout on.
    pub fn set_value_columns(&mut self, value_columns: ValueColumns) {
        self.value_columns = value_columns;
    }

    /// Lets data continue beyond the other values from the next layout on.
    pub fn set_data_width(&mut self, columns: Option<u16>) {
        self.data_width = columns;
    }

    pub fn has_second_column(&self) -> bool {
        self.second_column.is_some()
    }

    /// Chooses the entry that begins the second of two columns.
    pub fn set_second_column(&mut self, entry: Option<usize>) {
        self.second_column = entry;
    }

    /// Replaces the entries. The cursor stays at the entry of the same name, level and order. Folds stay
    /// too: they are matched by label, level and order.
    pub fn set(&mut self, mut entries: Vec<DocumentEntry>) {
        let mut known: HashMap<(&str, u8), VecDeque<bool>> = HashMap::new();
        for old in &self.entries {
            if let Some(open) = old.open {
                known.entry((&*old.label, old.level)).or_default().push_back(open);
            }
        }
        for entry in entries.iter_mut().filter(|e| e.open.is_some()) {
            let same = known.get_mut(&(&*entry.label, entry.level));
            entry.open = same.and_then(VecDeque::pop_front).or(entry.open);
        }
        let place = |entry: &DocumentEntry| (entry.name(), entry.level);
        let selected = self.selected().map(place).filter(|(name, _)| !name.is_empty());
        let at = self.lines.get(self.viewport.selected).map_or(0, |line| line.entry);
        let before = self.entries.iter().take(at).map(place);
        let same_before = before.filter(|other| Some(other) == selected.as_ref()).count();
        self.entries = entries;
        self.layout();
        let is_same = |(_, entry): &(usize, &DocumentEntry)| Some(place(entry)) == selected;
        let same = self.entries.iter().enumerate().filter(is_same).map(|(entry, _)| entry);
        if let Some(entry) = same.take(same_before + 1).last() {
            self.viewport.selected = self.first_line_of(entry);
        }
    }

    /// Lays the lines out for `area` and keeps the cursor visible.
    pub fn resize(&mut self, area: Rect) {
        if self.width != area.width {
            let under = self.lines.get(self.viewport.selected).map(|line| line.entry);
            self.width = area.width;
            self.layout();
            if let Some(entry) = under {
                self.viewport.selected = self.first_line_of(entry);
            }
        }
        self.scroll_into_view(area.height);
    }

    /// Moves the cursor by lines, to a line that can be selected. A wrapped text is one stop if it fits
    /// on the screen.
    pub fn move_cursor(&mut self, by: isize, height: u16) {
        let (len, height) = (self.lines.len(), usize::from(height));
        let before = self.viewport.selected;
        self.viewport.step(by, len, height);
        let at = self.viewport.selected;
        let ahead = (at..len).find(|line| self.is_stop(*line, height));
        let back = (0..=at).rev().find(|line| self.is_stop(*line, height));
        let found = if by < 0 { back.or(ahead) } else { ahead.or(back) }.unwrap_or(before);
        if let Some(last) = self.wrapped_lines(found).last().filter(|last| last - found < height) {
            self.viewport.show(last, height);
        }
        self.viewport.select(found, len, height);
    }

    /// Scrolls a document without focus: `first` is its first line, or an earlier one to fill the area.
    pub fn show_from(&mut self, first: usize, height: u16) {
        let last = self.lines.len().saturating_sub(usize::from(height));
        self.viewport.offset = first.min(last);
        self.viewport.selected = self.viewport.offset;
    }

    /// Scrolls by lines, with the cursor.
    pub fn scroll_page(&mut self, by: isize, height: u16) {
        let last = self.lines.len().saturating_sub(usize::from(height));
        self.viewport.offset = self.viewport.offset.saturating_add_signed(by).min(last);
        self.move_cursor(by, height);
    }

    fn is_stop(&self, line: usize, height: usize) -> bool {
        let lines = self.wrapped_lines(line);
        self.can_select(line) && (line == lines.start || lines.len() > height)
    }

    /// Returns the lines under the cursor: all of a text that is one stop, or a single one.
    fn selected_lines(&self, height: usize) -> Range<usize> {
        let line = self.viewport.selected;
        let all = self.wrapped_lines(line);
        if all.len() > height { line..line + 1 } else { all }
    }

    /// Returns the lines of the text that contains a line.
    fn wrapped_lines(&self, line: usize) -> Range<usize> {
        let entry = self.lines.get(line).map_or(0, |line| line.entry);
        match self.entries.get(entry).map(|entry| &entry.value) {
            Some(EntryValue::Text(_) | EntryValue::Code(_)) => {
                self.first_line_of(entry)..self.first_line_of(entry + 1)
            }
            _ => line..line + 1,
        }
    }

    pub fn columns(&self) -> u16 {
        self.width
    }

    pub fn line_count(&self) -> usize {
        self.lines.len()
    }

    pub fn selected(&self) -> Option<&DocumentEntry> {
        self.lines.get(self.viewport.selected).and_then(|line| self.entries.get(line.entry))
    }

    /// Returns the file under the cursor, with its line there.
    pub fn selected_code(&self) -> Option<(&DocumentEntry, Option<&CodeLine>)> {
        let at = self.lines.get(self.viewport.selected)?.entry;
        let file = self.entries.get(..=at)?.iter().rfind(|entry| entry.open.is_some())?;
        let EntryValue::Code(line) = &self.entries.get(at)?.value else {
            return Some((file, None));
        };
        Some((file, Some(line)))
    }

    /// Returns the link of the selected line, or of the selected cell in it.
    pub fn selected_link(&self) -> Option<&EntryLink> {
        match self.selected_cell() {
            Some(cell) => cell.link.as_ref(),
            None => self.selected()?.link.as_ref(),
        }
    }

    /// Returns the unknown signatures in the entry under the cursor and in the entries that it can
    /// hide.
    pub fn selected_signatures(&self) -> Vec<SignatureHash> {
        let Some(line) = self.lines.get(self.viewport.selected) else { return Vec::new() };
        let mut entries = self.entries.iter().skip(line.entry);
        let first = entries.next();
        let below =
            entries.take_while(|entry| first.is_some_and(|first| entry.level > first.level));
        let links = first.into_iter().chain(below).filter_map(|entry| entry.link.as_ref());
        let hashes = links.filter_map(|link| match link {
            EntryLink::Signature(hash) => Some(*hash),
            _ => None,
        });
        hashes.collect()
    }

    /// Returns the line under the cursor.
    pub fn cursor_line(&self) -> usize {
        self.viewport.selected
    }

    /// Returns the address that begins the line of cells under the cursor, or the line that it goes on.
    pub fn row_address(&self) -> Option<Address> {
        let before = self.lines.get(..=self.viewport.selected)?.iter().rev();
        let entries = before.filter_map(|line| self.entries.get(line.entry));
        entries
            .map_while(|entry| match &entry.value {
                EntryValue::Cells(cells) => Some(cells),
                _ => None,
            })
            .find_map(|cells| cells.first().filter(|cell| cell.x == 0))?
            .link
            .as_ref()?
            .address()
    }

    pub fn selected_address(&self) -> Option<Address> {
        self.selected_link()?.address()
    }

    /// Returns the text that the selected line, or the selected cell in it, copies.
    pub fn copied_text(&self) -> Option<SafeText> {
        match self.selected_cell() {
            Some(cell) => cell.copy.clone(),
            None => self.selected().map(DocumentEntry::copy_text),
        }
    }

    /// Folds (`Some(false)`), unfolds (`Some(true)`) or toggles the entry under the cursor, or the
    /// entry that contains it. Returns `true` if anything changed.
    pub fn fold(&mut self, open: Option<bool>, height: u16) -> bool {
        let Some((at, is_selected)) = self.foldable() else { return false };
        if open == Some(true) && !is_selected {
            return false;
        }
        let Some(entry) = self.entries.get_mut(at) else { return false };
        let now = entry.open.unwrap_or_default();
        let wanted = open.unwrap_or(!now);
        entry.open = Some(wanted);
        self.layout();
        self.viewport.selected = self.first_line_of(at);
        self.scroll_into_view(height);
        now != wanted
    }

    /// Folds or unfolds the outermost entries of a label.
    pub fn set_open(&mut self, label: &str, open: bool) {
        self.fold_entries(open, |entry| entry.level == 0 && &*entry.label == label);
    }

    /// Returns `true` if an outermost entry of a label is a fold that is closed.
    pub fn has_closed(&self, label: &str) -> bool {
        let is_closed = |entry: &DocumentEntry| entry.level == 0 && entry.open == Some(false);
        self.entries.iter().any(|entry| is_closed(entry) && &*entry.label == label)
    }

    /// Folds or unfolds everything.
    pub fn fold_all(&mut self, open: bool, height: u16) {
        self.fold_entries(open, |_| true);
        self.scroll_into_view(height);
    }

    /// Folds or unfolds some entries. The cursor stays on its entry, or goes to the entry that hides it.
    fn fold_entries(&mut self, open: bool, is_wanted: impl Fn(&DocumentEntry) -> bool) {
        let selected = self.lines.get(self.viewport.selected).map_or(0, |line| line.entry);
        let folds = self.entries.iter_mut().filter(|entry| entry.open.is_some());
        for entry in folds.filter(|entry| is_wanted(entry)) {
            entry.open = Some(open);
        }
        self.layout();
        let next = self.lines.partition_point(|line| line.entry <= selected);
        let shown = next.checked_sub(1).and_then(|line| self.lines.get(line));
        self.viewport.selected = self.first_line_of(shown.map_or(0, |line| line.entry));
    }

    /// Returns `true` if the entry under the cursor, or one that contains it, can be folded.
    pub fn can_fold(&self) -> bool {
        self.foldable().is_some()
    }

    /// Returns the entry that a fold at the cursor folds, and `true` if it is the one under the cursor.
    fn foldable(&self) -> Option<(usize, bool)> {
        let selected = self.lines.get(self.viewport.selected)?.entry;
        let level = self.entries.get(selected)?.level;
        (0..=selected)
            .rev()
            .find(|at| {
                let entry = self.entries.get(*at).filter(|entry| entry.open.is_some());
                entry.is_some_and(|entry| *at == selected || entry.level < level)
            })
            .map(|at| (at, at == selected))
    }

    fn scroll_into_view(&mut self, height: u16) {
        self.viewport.select(self.viewport.selected, self.lines.len(), usize::from(height));
    }

    fn first_line_of(&self, entry: usize) -> usize {
        self.lines.partition_point(|line| line.entry < entry)
    }

    /// Gives the entries of one place in several documents, of which none is folded, the same number of lines.
    pub fn align(documents: &mut [Self]) {
        let heights = |document: &Self| {
            let mut heights = vec![0_usize; document.entries.len()];
            for line in &document.lines {
                heights.get_mut(line.entry).into_iter().for_each(|height| *height += 1);
            }
            heights
        };
        let own: Vec<_> = documents.iter().map(heights).collect();
        for document in documents {
            for at in (0..document.entries.len()).rev() {
                let height = |all: &Vec<usize>| all.get(at).copied().unwrap_or_default();
                let end = document.lines.partition_point(|line| line.entry <= at);
                let start = document.lines.partition_point(|line| line.entry < at);
                let lacking =
                    own.iter().map(height).max().unwrap_or_default().saturating_sub(end - start);
                let Some(last) = document.lines.get(start..end).and_then(<[_]>::last) else {
                    continue;
                };
                let range = last.range.end..last.range.end;
                let blank = DocumentLine { range, has_label: false, ..last.clone() };
                document.lines.splice(end..end, std::iter::repeat_n(blank, lacking));
            }
        }
    }

    /// Returns the number of lines of entries in a document of some columns.
    pub fn lines_of(entries: Vec<DocumentEntry>, columns: u16) -> usize {
        let mut document = Self { entries, width: columns, ..Self::default() };
        document.layout();
        document.lines.len()
    }

    /// Returns the lines of the first of two columns of this height: as many of both, with a field, or else a part of one,
    /// at the top of the second one. Few lines are in the first column alone.
    pub fn first_column(&self, height: u16) -> u16 {
        let (len, height) = (self.lines.len(), usize::from(height));
        let least = len.saturating_sub(height);
        let chosen = self.second_column.map(|entry| self.first_line_of(entry));
        // The first entry may be the object itself.
        let fields = self.entries.iter().skip(1).map(|entry| entry.level).min();
        let level_at = |at: usize| {
            let line = self.lines.get(at).filter(|line| line.has_label)?;
            self.entries.get(line.entry).map(|entry| entry.level)
        };
        let lines = match chosen {
            Some(at) if (least..=height).contains(&at) => at,
            _ if len > 2 * height => height,
            _ if len <= height / 2 => len,
            _ => {
                let half = len.div_ceil(2);
                let breaks = (least..=height).filter_map(|at| Some((at, level_at(at)?)));
                let best = breaks.min_by_key(|(at, level)| {
                    let is_inside = fields.is_some_and(|fields| *level > fields);
                    let uneven = at.abs_diff(half);
                    (uneven + if is_inside { MAX_UNEVEN_LINES } else { 0 }, is_inside)
                });
                best.map_or(half, |(at, _)| at)
            }
        };
        u16::try_from(lines).unwrap_or(u16::MAX)
    }

    /// Returns the columns of the longest line of code, with its number.
    pub fn code_width(&self) -> u16 {
        let columns = self.entries.iter().map(|entry| match &entry.value {
            EntryValue::Code(line) => width(&line.text),
            _ => 0,
        });
        let longest = columns.max().unwrap_or(0);
        u16::try_from(longest).unwrap_or(u16::MAX).saturating_add(code::NUMBER_WIDTH)
    }

    pub fn extent(&self, area: Rect) -> ScrollExtent {
        self.viewport.extent(self.lines.len(), area)
    }

    /// Describes the visible lines, of code by their numbers in its file: `lines 1–20 of 57`. If all lines are
    /// visible there is nothing to say.
    pub fn describe_position(&self, height: u16) -> String {
        let visible = self.viewport.visible(self.lines.len(), usize::from(height));
        let code = self.visible_code(visible.clone());
        if code.is_none() && visible.len() == self.lines.len() {
            return String::new();
        }
        let of_document = (visible.start + 1..=visible.end, self.lines.len());
        let (shown, all) = code.unwrap_or(of_document);
        format!("lines {}–{} of {all}", shown.start(), shown.end())
    }

    /// Describes the visible lines, or the number of lines if all are visible.
    pub fn describe_all_or_position(&self, height: u16) -> String {
        match self.describe_position(height) {
            all if all.is_empty() => format!("all {} lines", self.lines.len()),
            position => position,
        }
    }

    /// Returns the numbers of the visible lines of the selected file, and its length.
    fn visible_code(&self, visible: Range<usize>) -> Option<(RangeInclusive<usize>, usize)> {
        let at = self.lines.get(self.viewport.selected)?.entry;
        self.entries.get(at).filter(|entry| matches!(entry.value, EntryValue::Code(_)))?;
        let is_heading = |entry: &DocumentEntry| entry.open.is_some();
        let start = self.entries.get(..at)?.iter().rposition(is_heading)?;
        let rest = self.entries.get(at..)?;
        let end = at + rest.iter().position(is_heading).unwrap_or(rest.len());
        let number = |entry: &DocumentEntry| match &entry.value {
            EntryValue::Code(line) => Some(line.number),
            _ => None,
        };
        let shown = self.lines.get(visible)?.iter().map(|line| line.entry);
        let mut numbers = shown
            .filter(|entry| (start..end).contains(entry))
            .filter_map(|entry| number(self.entries.get(entry)?));
        let first = numbers.next()?;
        let all = self.entries.get(start..end)?.iter().rev().find_map(number)?;
        Some((first..=numbers.next_back().unwrap_or(first), all))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::{Buffer, Cell};
    use ratatui::style::Color;

    use super::super::theme::{Role, Styles};
    use super::*;
    use crate::action::Step;
    use crate::chain::Bytes;

    fn area(width: u16, height: u16) -> Rect {
        Rect::new(0, 0, width, height)
    }

    fn document() -> Document {
        let mut document = Document::default();
        document.resize(area(80, 10));
        document.set(vec![
            DocumentEntry::text("hash", "0xabc"),
            DocumentEntry::text("input", "100 bytes").fold(false),
            DocumentEntry::new("", EntryValue::Hex(Bytes::from(vec![0xab; 100]))).at_level(1),
            DocumentEntry::text("end", "here"),
        ]);
        document
    }

    #[test]
    fn second_column_begins_with_a_field() {
        let column_below = |root: Option<DocumentEntry>, fields: usize, parts: u8, height: u16| {
            let mut document = Document::default();
            document.resize(area(80, height));
            let level = u8::from(root.is_some());
            let field = |_| {
                let head = DocumentEntry::text("field", "").fold(true).at_level(level);
                let part = |_| DocumentEntry::text("part", "x").at_level(level + 1);
                [head].into_iter().chain((0..parts).map(part)).collect::<Vec<_>>()
            };
            document.set(root.into_iter().chain((0..fields).flat_map(field)).collect());
            document.first_column(height)
        };
        let column = |fields, parts, height| column_below(None, fields, parts, height);
        assert_eq!(column(10, 0, 20), 10, "few lines are in the first alone");
        assert_eq!(column(12, 0, 20), 6);
        assert_eq!(column(5, 4, 20), 15, "not between the parts of a field");
        let root = DocumentEntry::text("trace", "").fold(true);
        assert_eq!(column_below(Some(root), 5, 4, 20), 11, "the second field of an object");
        assert_eq!(column(50, 0, 20), 20, "both are full");
        assert_eq!(column(2, 20, 22), 21, "a field");
        assert_eq!(column_below(None, 1, 30, 20), 16, "a part of a field that is too long");
    }

    #[test]
    fn folds_hide_deeper_entries() {
        let mut document = document();
        assert_eq!(document.lines.len(), 3);
        document.move_cursor(1, 10);
        assert!(document.fold(None, 10));
        assert_eq!(document.lines.len(), 7, "32 bytes a line");
        document.move_cursor(2, 10);
        assert!(document.fold(Some(false), 10), "from inside, the fold above closes");
        assert_eq!(document.lines.len(), 3);
        assert_eq!(&*document.selected().unwrap().label, "input");
        assert!(!document.fold(Some(false), 10));
    }

    #[test]
    fn cursor_stays_on_its_entry_and_visible() {
        let mut document = document();
        document.move_cursor(1, 10);
        document.fold(Some(true), 10);
        document.move_cursor(isize::MAX, 3);
        assert_eq!(&*document.selected().unwrap().label, "end");
        assert_eq!(document.describe_position(3), "lines 5–7 of 7");
        document.resize(area(40, 3));
        assert_eq!(&*document.selected().unwrap().label, "end");
        document.move_cursor(isize::MIN, 3);
        assert!(document.describe_position(3).starts_with("lines 1–"));
    }

    #[test]
    fn wrapped_text_is_one_stop_if_it_fits() {
        let mut document = Document::default();
        document.resize(area(28, 4)); // 14 columns for the value
        document.set(vec![
            DocumentEntry::text("a", "one"),
            DocumentEntry::text("b", "x".repeat(40)),
            DocumentEntry::text("c", "y".repeat(70)),
            DocumentEntry::text("d", "z".repeat(40)),
        ]);
        let mut stops = vec![document.viewport.selected];
        for _ in 0..7 {
            document.move_cursor(1, 4);
            stops.push(document.viewport.selected);
        }
        assert_eq!(stops, [0, 1, 4, 5, 6, 7, 8, 9], "a text beyond the screen is scrolled through");
        document.move_cursor(1, 4);
        document.move_cursor(1, 4);
        assert_eq!(document.describe_position(4), "lines 9–12 of 12", "all of the last is seen");
        assert_eq!(document.selected_lines(4), 9..12);
        document.move_cursor(-1, 4);
        assert_eq!(document.selected_lines(4), 8..9, "a line of a text that is scrolled through");
        document.move_cursor(isize::MIN, 4);
        document.move_cursor(1, 4);
        document.move_cursor(-1, 4);
        assert_eq!(document.viewport.selected, 0);
    }

    #[test]
    fn folds_of_equal_labels_are_matched_in_order() {
        let mut document = Document::default();
        document.resize(area(80, 10));
        let tree = || {
            let item = || {
                [DocumentEntry::text("#0", "").fold(true), DocumentEntry::text("x", "").at_level(1)]
            };
            [item(), item()].concat()
        };
        document.set(tree());
        document.move_cursor(2, 10);
        document.fold(Some(false), 10);
        document.set(tree());
        let open: Vec<_> = document.entries.iter().filter_map(|e| e.open).collect();
        assert_eq!(open, [true, false]);
    }

    #[test]
    fn cursor_stays_among_entries_of_equal_labels() {
        let mut document = Document::default();
        document.resize(area(80, 10));
        let items = |len| (0..len).map(|n| DocumentEntry::text("type", n.to_string())).collect();
        document.set(items(4));
        document.move_cursor(2, 10);
        document.set(items(4));
        assert_eq!(document.copied_text().as_deref(), Some("2"));
        document.set(items(2));
        assert_eq!(document.copied_text().as_deref(), Some("1"), "the last one that is left");
    }

    #[test]
    fn side_note_is_dim_and_not_copied() {
        let mut document = Document::default();
        document.resize(area(28, 3)); // 14 columns for the value: the side note is broken in two
        let entry = DocumentEntry::text("Power", "forty").side_note("of 99 [boost]");
        document.set(vec![DocumentEntry::text("selected", ""), entry]);
        let mut buf = Buffer::empty(area(28, 3));
        document.view(area(28, 3), None, &mut buf, &Styles::new(true));
        let dim = |cell: &&Cell| cell.fg == Color::DarkGray;
        let dim: String = buf.content().iter().filter(dim).map(Cell::symbol).collect();
        assert_eq!(dim, "Powerof 99 [boost]", "like the label");
        assert_eq!(&*document.entries[1].copy_text(), "forty");
    }

    #[test]
    fn cursor_goes_from_cell_to_cell_and_over_rules() {
        let cell = |x: u16, text: &str| EntryCell::new(text, Role::Plain).at(x).copy(text);
        let row = |cells: Vec<EntryCell>| DocumentEntry::new("", EntryValue::Cells(cells));
        let rule = || DocumentEntry::rule("");
        let mut document = Document::default();
        document.resize(area(40, 4));
        let divided = vec![cell(0, "left"), EntryCell::divider(9), cell(11, "right")];
        document.set(vec![row(vec![cell(0, "head")]), rule(), row(divided), rule()]);
        let copied = |document: &Document| document.copied_text().unwrap().to_string();
        document.move_cursor(1, 4);
        assert_eq!(copied(&document), "left", "the rule is passed");
        assert!(document.move_cell(Step::Next));
        assert_eq!(copied(&document), "right");
        document.move_cursor(1, 4);
        assert_eq!(copied(&document), "right", "nothing below can be selected");
        document.move_cursor(isize::MIN, 4);
        assert_eq!(copied(&document), "head");
        document.move_cursor(1, 4);
        assert_eq!(copied(&document), "right", "the column is kept");
        let mut buf = Buffer::empty(area(40, 4));
        document.view(area(40, 4), None, &mut buf, &Styles::new(true));
        assert_ne!(buf[(30, 2)].style(), buf[(5, 2)].style(), "only its panel is tinted");
    }

    #[test]
    fn copying_a_hidden_value_copies_all_of_it() {
        let document = document();
        assert_eq!(document.entries[2].copy_text().len(), 2 + 200);
    }
}
