//! A scrollable document of labelled entries: foldable, each with a value to copy and perhaps
//! somewhere to go.
//!
//! The lines on the screen are laid out when the width, the entries or a fold changes, never while
//! drawing; hex is turned into text for the visible lines only.

mod mouse;
mod text;

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::format::{cut, wrap};
use super::theme::{Role, Styles};
use super::viewport::Viewport;
use crate::api::Field;
use crate::chain::Bytes;
use crate::chain::target::TargetKind;
use crate::sanitize::SafeText;
pub use mouse::DocumentClick;

/// One entry.
#[derive(Debug, Clone)]
pub struct DocumentEntry {
    /// How deep it is below the entries that can hide it.
    pub level: u8,
    /// What it is.
    pub label: SafeText,
    /// Its value.
    pub value: EntryValue,
    /// How the value looks.
    pub role: Role,
    /// How many bytes at the end of a text are an aside, drawn dim.
    pub side_note: usize,
    /// What copying it yields, where that is not the value as shown.
    pub copy: Option<CopyText>,
    /// Where it leads.
    pub link: Option<EntryLink>,
    /// Whether the deeper entries after it are shown; none when it hides nothing.
    pub open: Option<bool>,
}

/// Where an entry leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryLink {
    /// To something on the chain.
    Target(TargetKind),
    /// Out of the program: a stranger's web address, unchecked.
    Web(SafeText),
}

/// The value of an entry.
#[derive(Debug, Clone)]
pub enum EntryValue {
    /// Text, wrapped.
    Text(SafeText),
    /// Bytes, written as hex, as many to a line as fit.
    Hex(Bytes),
}

/// What copying an entry yields.
#[derive(Debug, Clone)]
pub enum CopyText {
    /// This text.
    Text(SafeText),
    /// A part of a text that many entries share, made fit for copying only when it is copied: a
    /// value of megabytes is held once, however many entries are about it.
    Part {
        /// The whole.
        of: Arc<str>,
        /// Which bytes of it.
        at: Range<usize>,
        /// How the part becomes what is copied.
        read: fn(&str) -> SafeText,
    },
}

impl DocumentEntry {
    /// A labelled text.
    pub fn text(label: &str, text: impl Into<SafeText>) -> Self {
        Self::new(label, EntryValue::Text(text.into()))
    }

    /// A labelled body.
    pub fn new(label: &str, body: EntryValue) -> Self {
        let label = SafeText::new(label);
        let role = Role::Plain;
        Self {
            level: 0,
            label,
            value: body,
            role,
            side_note: 0,
            copy: None,
            link: None,
            open: None,
        }
    }

    /// A labelled field, or the sign for what is missing.
    pub fn field<T>(label: &str, field: &Field<T>, show: impl FnOnce(&T) -> Self) -> Self {
        match field {
            Field::Absent => Self::text(label, "—").copy("").role(Role::Dim),
            Field::Present(value) => show(value),
            Field::Invalid(why) => {
                Self::text(label, format!("? ({why})")).copy("").role(Role::Warning)
            }
        }
    }

    /// A labelled field, as it is.
    pub fn from_display<T: ToString>(label: &str, field: &Field<T>) -> Self {
        Self::field(label, field, |value| Self::text(label, value.to_string()))
    }

    /// As drawn in `role`.
    #[must_use]
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// Leading somewhere.
    #[must_use]
    pub fn link(mut self, leads: EntryLink) -> Self {
        self.link = Some(leads);
        self
    }

    /// Copied as something else than what is shown.
    #[must_use]
    pub fn copy(mut self, text: impl Into<SafeText>) -> Self {
        self.copy = Some(CopyText::Text(text.into()));
        self
    }

    /// Copied as a part of a text that other entries share.
    #[must_use]
    pub fn copy_part(
        mut self,
        of: &Arc<str>,
        at: Range<usize>,
        read: fn(&str) -> SafeText,
    ) -> Self {
        self.copy = Some(CopyText::Part { of: Arc::clone(of), at, read });
        self
    }

    /// A text with an aside after it, which is drawn dim and not copied.
    #[must_use]
    pub fn side_note(mut self, aside: &str) -> Self {
        let EntryValue::Text(value) = &self.value else { return self };
        let aside = SafeText::new(aside);
        let shown = SafeText::new(&format!("{value} {aside}"));
        self.side_note = aside.len();
        self.copy.get_or_insert_with(|| CopyText::Text(value.clone()));
        self.value = EntryValue::Text(shown);
        self
    }

    /// Able to hide the deeper entries after it.
    #[must_use]
    pub fn fold(mut self, open: bool) -> Self {
        self.open = Some(open);
        self
    }

    /// Below another entry.
    #[must_use]
    pub fn at_level(mut self, level: u8) -> Self {
        self.level = level;
        self
    }

    /// What copying it yields, in full.
    pub fn copy_text(&self) -> SafeText {
        match (&self.copy, &self.value) {
            (Some(CopyText::Part { of, at, read }), _) => {
                read(of.get(at.clone()).unwrap_or_default())
            }
            (Some(CopyText::Text(text)), _) | (None, EntryValue::Text(text)) => text.clone(),
            (None, EntryValue::Hex(bytes)) => bytes.to_string().into(),
        }
    }
}

/// One line on the screen: which entry, and which bytes of its body.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DocumentLine {
    entry: usize,
    range: Range<usize>,
}

/// The document, and how it is looked at.
#[derive(Debug, Clone, Default)]
pub struct Document {
    entries: Vec<DocumentEntry>,
    lines: Vec<DocumentLine>,
    width: u16,
    viewport: Viewport,
}

/// Where the label begins and where the body begins.
///
/// Bodies stand in one column, except after labels that would not fit before it: those are written
/// by strangers (arguments, keys of JSON), and may take up to half of the width. Deep entries are
/// indented as long as that leaves something of their labels.
fn label_columns(entry: &DocumentEntry, width: u16) -> (u16, u16) {
    let indent = u16::from(entry.level) * 2;
    if entry.label.is_empty() {
        return (indent, indent);
    }
    let mark = if entry.open.is_some() { 2 } else { 0 };
    // A text cannot be narrower than a quarter of its bytes, so long ones are not measured.
    let label = match entry.label.len() {
        bytes if bytes > usize::from(width) * 4 => width,
        _ => u16::try_from(entry.label.width()).unwrap_or(width),
    };
    let label = label.saturating_add(mark);
    let usual = if width < 90 { 14 } else { 22 }; // the 66 columns of a hash are left of 80
    let body = usual.max(indent.saturating_add(label).saturating_add(1).min(width / 2));
    (indent.min(body.saturating_sub(1 + label.min(9))), body)
}

impl Document {
    /// Shows other entries; the cursor stays, and so do folds: the nth of a label and level is as
    /// the nth of them was.
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
        self.entries = entries;
        self.layout();
    }

    /// Makes room for `area`: lines are broken anew and the cursor stays in sight.
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

    /// Moves the cursor by lines.
    pub fn move_cursor(&mut self, by: isize, height: u16) {
        self.viewport.step(by, self.lines.len(), usize::from(height));
    }

    /// The entry under the cursor.
    pub fn selected(&self) -> Option<&DocumentEntry> {
        self.lines.get(self.viewport.selected).and_then(|line| self.entries.get(line.entry))
    }

    /// Folds or unfolds the entry under the cursor, or the one that it is under. `open` none means
    /// the other way than now. Whether there was anything to do.
    pub fn fold(&mut self, open: Option<bool>, height: u16) -> bool {
        let Some(mut at) = self.lines.get(self.viewport.selected).map(|line| line.entry) else {
            return false;
        };
        let level = self.entries.get(at).map_or(0, |e| e.level);
        let holds = |e: &DocumentEntry| e.open.is_some();
        if !self.entries.get(at).is_some_and(holds) {
            let above = self.entries.get(..at).unwrap_or_default();
            match above.iter().rposition(|e| holds(e) && e.level < level) {
                Some(parent) if open != Some(true) => at = parent,
                _ => return false,
            }
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

    /// Whether the entry under the cursor, or one that it is under, can be folded.
    pub fn can_fold(&self) -> bool {
        let Some(at) = self.lines.get(self.viewport.selected).map(|line| line.entry) else {
            return false;
        };
        let level = self.entries.get(at).map_or(0, |e| e.level);
        let holds =
            |(n, e): (usize, &DocumentEntry)| e.open.is_some() && (n == at || e.level < level);
        self.entries.iter().enumerate().take(at + 1).any(holds)
    }

    fn scroll_into_view(&mut self, height: u16) {
        self.viewport.select(self.viewport.selected, self.lines.len(), usize::from(height));
    }

    fn first_line_of(&self, entry: usize) -> usize {
        self.lines.partition_point(|line| line.entry < entry)
    }

    fn layout(&mut self) {
        self.lines.clear();
        let mut hidden = u8::MAX;
        for (at, entry) in self.entries.iter().enumerate() {
            if entry.level > hidden {
                continue;
            }
            hidden = if entry.open == Some(false) { entry.level } else { u8::MAX };
            let (_, left) = label_columns(entry, self.width);
            let room = usize::from(self.width.saturating_sub(left)).max(2);
            let parts = match &entry.value {
                EntryValue::Text(text) => wrap(text, room),
                EntryValue::Hex(bytes) => line_ranges(bytes.len(), bytes_per_line(room)),
            };
            self.lines
                .extend(parts.into_iter().map(|part| DocumentLine { entry: at, range: part }));
        }
        self.viewport.selected = self.viewport.selected.min(self.lines.len().saturating_sub(1));
    }

    /// Draws the lines in sight, the one under the cursor marked.
    pub fn view(&self, area: Rect, buf: &mut Buffer, styles: &Styles) {
        self.draw_lines(area, buf, styles);
        let lines = self.viewport.visible(self.lines.len(), usize::from(area.height));
        for (line, row) in lines.zip(area.rows()) {
            if line == self.viewport.selected {
                buf.set_style(row, styles.selection());
            }
        }
    }

    /// Draws the lines in sight of a document that does not have the keys.
    pub fn draw_lines(&self, area: Rect, buf: &mut Buffer, styles: &Styles) {
        let below = self.lines.iter().skip(self.viewport.offset);
        for (line, row) in below.zip(area.rows()) {
            if let Some(entry) = self.entries.get(line.entry) {
                draw_line(entry, line, row, buf, styles);
            }
        }
    }

    /// Which part is in sight: first line, last line, all lines.
    pub fn visible_lines(&self, height: u16) -> (usize, usize, usize) {
        let visible = self.viewport.visible(self.lines.len(), usize::from(height));
        (visible.start + 1, visible.end, self.lines.len())
    }
}

fn draw_line(
    entry: &DocumentEntry,
    line: &DocumentLine,
    at: Rect,
    buf: &mut Buffer,
    styles: &Styles,
) {
    let (indent, left) = label_columns(entry, at.width);
    if line.range.start == 0 && !entry.label.is_empty() {
        let mark = match entry.open {
            Some(true) => "▾ ",
            Some(false) => "▸ ",
            None => "",
        };
        let text = format!("{:1$}{mark}{2}", "", usize::from(indent), entry.label);
        let room = usize::from(left.saturating_sub(1));
        buf.set_stringn(at.x, at.y, cut(&text, room), room, styles.of(Role::Title));
    }
    let Range { start, end } = line.range;
    let (value, aside): (Cow<'_, str>, _) = match &entry.value {
        EntryValue::Text(text) => {
            let aside = text.len().saturating_sub(entry.side_note).clamp(start, end);
            let part = |part: Range<usize>| text.get(part).unwrap_or_default();
            (part(start..aside).into(), part(aside..end))
        }
        EntryValue::Hex(bytes) => {
            (hex_line(bytes.get(start..end).unwrap_or_default(), start).into(), "")
        }
    };
    let room = |x: u16| usize::from(at.right().saturating_sub(x));
    let x = at.x.saturating_add(left);
    let (x, _) = buf.set_stringn(x, at.y, value, room(x), styles.of(entry.role));
    buf.set_stringn(x, at.y, aside, room(x), styles.of(Role::Dim));
}

/// Calldata is read in 32-byte words; on a narrow screen in halves or quarters of them.
fn bytes_per_line(room: usize) -> usize {
    [32, 16, 8].into_iter().find(|n| n * 2 + 8 <= room).unwrap_or(4)
}

fn hex_line(bytes: &[u8], offset: usize) -> String {
    let mut out = format!("{offset:>6} ");
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

fn line_ranges(len: usize, by: usize) -> Vec<Range<usize>> {
    let starts = (0..len.max(1)).step_by(by);
    starts.map(|start| start..(start + by).min(len)).collect()
}

#[cfg(test)]
mod tests {
    use ratatui::buffer::Cell;
    use ratatui::style::Color;

    use super::*;

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
    fn folds_hide_what_is_below_them() {
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
    fn the_cursor_stays_on_its_entry_and_in_sight() {
        let mut document = document();
        document.move_cursor(1, 10);
        document.fold(Some(true), 10);
        document.move_cursor(isize::MAX, 3);
        assert_eq!(&*document.selected().unwrap().label, "end");
        assert_eq!(document.visible_lines(3), (5, 7, 7));
        document.resize(area(40, 3));
        assert_eq!(&*document.selected().unwrap().label, "end");
        document.move_cursor(isize::MIN, 3);
        assert_eq!(document.visible_lines(3).0, 1);
    }

    #[test]
    fn folds_of_one_label_are_told_apart() {
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
    fn long_labels_make_room_for_themselves() {
        let at = |label: &str, level, width| {
            label_columns(&DocumentEntry::text(label, "").at_level(level).fold(true), width)
        };
        assert_eq!(at("hash", 0, 80), (0, 14));
        assert_eq!(at("hash", 0, 120), (0, 22));
        assert_eq!(at("Background Colour", 2, 80), (4, 24));
        assert_eq!(at(&"k".repeat(1 << 20), 2, 80), (4, 40), "never more than half");
        assert_eq!(at("description", 30, 80), (30, 40), "something of the label is left");
        assert_eq!(at("a", 5, 80), (10, 14));
    }

    #[test]
    fn an_aside_is_dim_and_not_copied() {
        let mut document = Document::default();
        document.resize(area(28, 3)); // 14 columns for the value: the aside is broken in two
        let entry = DocumentEntry::text("Power", "forty").side_note("of 99 [boost]");
        document.set(vec![DocumentEntry::text("selected", ""), entry]);
        let mut buf = Buffer::empty(area(28, 3));
        document.view(area(28, 3), &mut buf, &Styles::new(true));
        let dim = |cell: &&Cell| cell.fg == Color::DarkGray;
        let dim: String = buf.content().iter().filter(dim).map(Cell::symbol).collect();
        assert_eq!(dim, "of 99 [boost]");
        assert_eq!(&*document.entries[1].copy_text(), "forty");
    }

    #[test]
    fn copying_yields_everything() {
        let document = document();
        assert_eq!(document.entries[2].copy_text().len(), 2 + 200);
    }
}
