//! A scrollable document of labelled entries: foldable, each with a value to copy and perhaps
//! somewhere to go.
//!
//! The lines on the screen are laid out when the width, the entries or a fold changes, never while
//! drawing; hex is turned into text for the visible lines only.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::format::cut;
use super::theme::{Role, Styles};
use crate::chain::Bytes;
use crate::chain::subject::Subject;
use crate::text::Text;

/// One entry.
#[derive(Debug, Clone)]
pub struct Entry {
    /// How deep it is below the entries that can hide it.
    pub level: u8,
    /// What it is.
    pub label: Text,
    /// Its value.
    pub body: Body,
    /// How the value looks.
    pub role: Role,
    /// What copying it yields, where that is not the value as shown.
    pub copy: Option<Text>,
    /// Where it leads.
    pub link: Option<Subject>,
    /// Whether the deeper entries after it are shown; none when it hides nothing.
    pub open: Option<bool>,
}

/// The value of an entry.
#[derive(Debug, Clone)]
pub enum Body {
    /// Text, wrapped.
    Text(Text),
    /// Bytes, written as hex, as many to a line as fit.
    Hex(Bytes),
}

impl Entry {
    /// A labelled text.
    pub fn text(label: &str, text: impl Into<Text>) -> Self {
        Self::new(label, Body::Text(text.into()))
    }

    /// A labelled body.
    pub fn new(label: &str, body: Body) -> Self {
        let label = Text::new(label);
        Self { level: 0, label, body, role: Role::Plain, copy: None, link: None, open: None }
    }

    /// As drawn in `role`.
    #[must_use]
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// Leading somewhere.
    #[must_use]
    pub fn link(mut self, subject: Subject) -> Self {
        self.link = Some(subject);
        self
    }

    /// Copied as something else than what is shown.
    #[must_use]
    pub fn copy(mut self, text: impl Into<Text>) -> Self {
        self.copy = Some(text.into());
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
    pub fn under(mut self, level: u8) -> Self {
        self.level = level;
        self
    }

    /// What copying it yields, in full.
    pub fn copied(&self) -> Text {
        match (&self.copy, &self.body) {
            (Some(text), _) | (None, Body::Text(text)) => text.clone(),
            (None, Body::Hex(bytes)) => bytes.to_string().into(),
        }
    }
}

/// One line on the screen: which entry, and which bytes of its body.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    entry: usize,
    part: Range<usize>,
}

/// The document, and how it is looked at.
#[derive(Debug, Clone, Default)]
pub struct Document {
    entries: Vec<Entry>,
    lines: Vec<Line>,
    width: u16,
    cursor: usize,
    top: usize,
}

/// Where the body begins: after the label, or, without one, at the entry's indentation.
fn left(entry: &Entry, width: u16) -> u16 {
    match (entry.label.is_empty(), width) {
        (true, _) => u16::from(entry.level) * 2,
        (false, ..90) => 14, // the 66 columns of a hash are left of 80
        (false, _) => 22,
    }
}

impl Document {
    /// Shows other entries; folds and the cursor stay where the labels are the same.
    pub fn set(&mut self, mut entries: Vec<Entry>) {
        for entry in entries.iter_mut().filter(|e| e.open.is_some()) {
            let known = self
                .entries
                .iter()
                .find(|old| old.label == entry.label && old.level == entry.level);
            entry.open = known.map_or(entry.open, |old| old.open);
        }
        self.entries = entries;
        self.lay_out();
    }

    /// Makes room for `area`: lines are broken anew and the cursor stays in sight.
    pub fn resize(&mut self, area: Rect) {
        if self.width != area.width {
            let under = self.lines.get(self.cursor).map(|line| line.entry);
            self.width = area.width;
            self.lay_out();
            if let Some(entry) = under {
                self.cursor = self.lines.partition_point(|line| line.entry < entry);
            }
        }
        self.keep_in_sight(area.height);
    }

    /// Moves the cursor by lines.
    pub fn go(&mut self, by: isize, height: u16) {
        self.cursor = self.cursor.saturating_add_signed(by);
        self.keep_in_sight(height);
    }

    /// The entry under the cursor.
    pub fn selected(&self) -> Option<&Entry> {
        self.lines.get(self.cursor).and_then(|line| self.entries.get(line.entry))
    }

    /// The first entry of this label.
    pub fn find(&self, label: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| &*entry.label == label)
    }

    /// Folds or unfolds the entry under the cursor, or the one that it is under. `open` none means
    /// the other way than now. Whether there was anything to do.
    pub fn fold(&mut self, open: Option<bool>, height: u16) -> bool {
        let Some(mut at) = self.lines.get(self.cursor).map(|line| line.entry) else { return false };
        let level = self.entries.get(at).map_or(0, |e| e.level);
        let holds = |e: &Entry| e.open.is_some();
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
        self.lay_out();
        self.cursor = self.lines.partition_point(|line| line.entry < at);
        self.keep_in_sight(height);
        now != wanted
    }

    fn keep_in_sight(&mut self, height: u16) {
        let height = usize::from(height).max(1);
        self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
        self.top = self.top.clamp((self.cursor + 1).saturating_sub(height), self.cursor);
    }

    fn lay_out(&mut self) {
        self.lines.clear();
        let mut hidden = u8::MAX;
        for (at, entry) in self.entries.iter().enumerate() {
            if entry.level > hidden {
                continue;
            }
            hidden = if entry.open == Some(false) { entry.level } else { u8::MAX };
            let room = usize::from(self.width.saturating_sub(left(entry, self.width))).max(2);
            let parts = match &entry.body {
                Body::Text(text) => wrap(text, room),
                Body::Hex(bytes) => split(bytes.len(), bytes_per_line(room)),
            };
            self.lines.extend(parts.into_iter().map(|part| Line { entry: at, part }));
        }
        self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
    }

    /// Draws the lines in sight.
    pub fn view(&self, area: Rect, buf: &mut Buffer, styles: &Styles) {
        let below = self.lines.get(self.top..).unwrap_or_default();
        for (y, (n, line)) in (area.y..area.bottom()).zip(below.iter().enumerate()) {
            let Some(entry) = self.entries.get(line.entry) else { continue };
            let at = Rect { y, height: 1, ..area };
            draw_line(entry, line, at, buf, styles);
            if self.top + n == self.cursor {
                buf.set_style(at, styles.selection());
            }
        }
    }

    /// Which part is in sight: first line, last line, all lines.
    pub fn extent(&self, height: u16) -> (usize, usize, usize) {
        let last = (self.top + usize::from(height)).min(self.lines.len());
        (self.top + 1, last, self.lines.len())
    }
}

fn draw_line(entry: &Entry, line: &Line, at: Rect, buf: &mut Buffer, styles: &Styles) {
    let label = left(entry, at.width);
    if line.part.start == 0 && !entry.label.is_empty() {
        let mark = match entry.open {
            Some(true) => "▾ ",
            Some(false) => "▸ ",
            None => "",
        };
        let indent = usize::from(entry.level) * 2;
        let text = format!("{:indent$}{mark}{}", "", entry.label);
        let room = usize::from(label.saturating_sub(1));
        buf.set_stringn(at.x, at.y, cut(&text, room), room, styles.of(Role::Title));
    }
    let room = usize::from(at.width.saturating_sub(label));
    let text: Cow<'_, str> = match &entry.body {
        Body::Text(text) => text.get(line.part.clone()).unwrap_or_default().into(),
        Body::Hex(bytes) => {
            hex(bytes.get(line.part.clone()).unwrap_or_default(), line.part.start).into()
        }
    };
    buf.set_stringn(at.x.saturating_add(label), at.y, text, room, styles.of(entry.role));
}

/// Calldata is read in 32-byte words; on a narrow screen in halves or quarters of them.
fn bytes_per_line(room: usize) -> usize {
    [32, 16, 8].into_iter().find(|n| n * 2 + 8 <= room).unwrap_or(4)
}

fn hex(bytes: &[u8], offset: usize) -> String {
    let mut out = format!("{offset:>6} ");
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

fn split(len: usize, by: usize) -> Vec<Range<usize>> {
    let starts = (0..len.max(1)).step_by(by);
    starts.map(|start| start..(start + by).min(len)).collect()
}

/// Breaks text into lines of at most `room` columns, at spaces where there are any near the end.
fn wrap(text: &str, room: usize) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let (mut start, mut used, mut space) = (0, 0, None);
    for (at, grapheme) in text.grapheme_indices(true) {
        let width = grapheme.width();
        if used + width > room && at > start {
            let end = space.filter(|s| s - start > room / 2).unwrap_or(at);
            lines.push(start..end);
            start = end;
            used = text.get(start..at).map_or(0, UnicodeWidthStr::width);
            space = None;
        }
        used += width;
        if grapheme == " " {
            space = Some(at + 1);
        }
    }
    lines.push(start..text.len());
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn area(width: u16, height: u16) -> Rect {
        Rect::new(0, 0, width, height)
    }

    fn document() -> Document {
        let mut document = Document::default();
        document.resize(area(80, 10));
        document.set(vec![
            Entry::text("hash", "0xabc"),
            Entry::text("input", "100 bytes").fold(false),
            Entry::new("", Body::Hex(Bytes::from(vec![0xab; 100]))).under(1),
            Entry::text("end", "here"),
        ]);
        document
    }

    #[test]
    fn folds_hide_what_is_below_them() {
        let mut document = document();
        assert_eq!(document.lines.len(), 3);
        document.go(1, 10);
        assert!(document.fold(None, 10));
        assert_eq!(document.lines.len(), 7, "32 bytes a line");
        document.go(2, 10);
        assert!(document.fold(Some(false), 10), "from inside, the fold above closes");
        assert_eq!(document.lines.len(), 3);
        assert_eq!(&*document.selected().unwrap().label, "input");
        assert!(!document.fold(Some(false), 10));
    }

    #[test]
    fn the_cursor_stays_on_its_entry_and_in_sight() {
        let mut document = document();
        document.go(1, 10);
        document.fold(Some(true), 10);
        document.go(isize::MAX, 3);
        assert_eq!(&*document.selected().unwrap().label, "end");
        assert_eq!(document.extent(3), (5, 7, 7));
        document.resize(area(40, 3));
        assert_eq!(&*document.selected().unwrap().label, "end");
        document.go(isize::MIN, 3);
        assert_eq!(document.extent(3).0, 1);
    }

    #[test]
    fn copying_yields_everything() {
        let document = document();
        assert_eq!(document.entries[2].copied().len(), 2 + 200);
    }

    proptest! {
        #[test]
        fn wrapping_loses_nothing(text in "[a-z 美💰é]{0,200}", room in 2usize..50) {
            let lines = wrap(&text, room);
            let joined: String = lines.iter().map(|part| &text[part.clone()]).collect();
            prop_assert_eq!(&joined, &text);
            for part in lines {
                prop_assert!(text[part].width() <= room);
            }
        }
    }
}
