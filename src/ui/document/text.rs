//! A document as lines of text, for another program.

use unicode_width::UnicodeWidthStr;

use super::{Body, Document, Entry, hex, split};

/// Labels that make room for all others' values in a text are not longer.
const LABEL: usize = 40;

impl Document {
    /// All of it as lines of text, folded or not.
    pub fn text(&self) -> Vec<String> {
        let room = self.entries.iter().map(|e| usize::from(e.level) * 2 + e.label.width());
        let room = room.filter(|room| *room < LABEL).max().unwrap_or(0) + 2;
        self.entries.iter().flat_map(|entry| text_of(entry, room)).collect()
    }
}

/// An entry as text: its label, and its value or the lines of its bytes.
fn text_of(entry: &Entry, room: usize) -> Vec<String> {
    let label = format!("{:1$}{2}", "", usize::from(entry.level) * 2, entry.label);
    match &entry.body {
        Body::Text(text) if entry.label.is_empty() => vec![label + text],
        Body::Text(text) => {
            let space = " ".repeat(room.saturating_sub(label.width()).max(1));
            vec![(label + &space + text).trim_end().to_owned()]
        }
        Body::Hex(bytes) => {
            let lines = split(bytes.len(), 32).into_iter();
            lines
                .map(|at| label.clone() + &hex(bytes.get(at.clone()).unwrap_or_default(), at.start))
                .collect()
        }
    }
}
