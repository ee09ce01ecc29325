//! A document as lines of text, for another program.

use unicode_width::UnicodeWidthStr;

use super::{Document, DocumentEntry, EntryValue, hex_line, line_ranges};

/// Labels that make room for all others' values in a text are not longer.
const MAX_ALIGNED_LABEL_WIDTH: usize = 40;

impl Document {
    /// All of it as lines of text, folded or not.
    pub fn text(&self) -> Vec<String> {
        let room = self.entries.iter().map(|e| usize::from(e.level) * 2 + e.label.width());
        let room = room.filter(|room| *room < MAX_ALIGNED_LABEL_WIDTH).max().unwrap_or(0) + 2;
        self.entries.iter().flat_map(|entry| entry_lines(entry, room)).collect()
    }
}

/// An entry as text: its label, and its value or the lines of its bytes.
fn entry_lines(entry: &DocumentEntry, room: usize) -> Vec<String> {
    let label = format!("{:1$}{2}", "", usize::from(entry.level) * 2, entry.label);
    match &entry.value {
        EntryValue::Text(text) if entry.label.is_empty() => vec![label + text],
        EntryValue::Text(text) => {
            let space = " ".repeat(room.saturating_sub(label.width()).max(1));
            vec![(label + &space + text).trim_end().to_owned()]
        }
        EntryValue::Hex(bytes) => {
            let lines = line_ranges(bytes.len(), 32).into_iter();
            lines
                .map(|at| {
                    label.clone() + &hex_line(bytes.get(at.clone()).unwrap_or_default(), at.start)
                })
                .collect()
        }
    }
}
