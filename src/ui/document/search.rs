//! Finds text in a document, including folded entries.

use super::{Document, DocumentEntry, EntryValue};

impl Document {
    /// Selects the next or previous entry that contains a text, wrapping around, and unfolds the
    /// entries that hide it. Returns its number among the matches, and their count.
    pub fn find(&mut self, text: &str, backwards: bool, height: u16) -> Option<(usize, usize)> {
        let text = text.to_lowercase();
        let here = self.lines.get(self.viewport.selected).map_or(0, |line| line.entry);
        let entries = self.entries.iter().enumerate();
        let matches: Vec<usize> =
            entries.filter(|(_, entry)| entry.contains(&text)).map(|(at, _)| at).collect();
        let next = if backwards {
            matches.iter().rposition(|at| *at < here).or(matches.len().checked_sub(1))
        } else {
            matches.iter().position(|at| *at > here).or(Some(0))
        }?;
        self.show_entry(*matches.get(next)?, height);
        Some((next + 1, matches.len()))
    }

    /// Selects a line of the code, counted over all files, and shows the lines after it.
    pub fn show_code_line(&mut self, line: usize, height: u16) {
        let is_code = |entry: &DocumentEntry| matches!(entry.value, EntryValue::Code(_));
        let mut code = self.entries.iter().enumerate().filter(|(_, entry)| is_code(entry));
        if let Some((entry, _)) = code.nth(line) {
            self.show_entry(entry, height);
            let above = usize::from(height) / 6;
            self.viewport.offset = self.viewport.selected.saturating_sub(above);
            self.viewport.fill(self.lines.len(), usize::from(height));
        }
    }

    fn show_entry(&mut self, found: usize, height: u16) {
        if self.reveal(found) {
            self.layout();
        }
        let line = self.first_line_of(found);
        let visible = self.viewport.visible(self.lines.len(), usize::from(height));
        self.viewport.selected = line;
        if !visible.contains(&line) {
            self.viewport.offset = line.saturating_sub(usize::from(height) / 2);
            self.viewport.fill(self.lines.len(), usize::from(height));
        }
    }

    /// Unfolds the entries that hide `entry`. Returns `true` if there was one.
    fn reveal(&mut self, entry: usize) -> bool {
        let mut was_hidden = false;
        let mut level = self.entries.get(entry).map_or(0, |entry| entry.level);
        for above in self.entries.iter_mut().take(entry).rev() {
            if above.level < level {
                level = above.level;
                was_hidden |= above.open == Some(false);
                above.open = above.open.map(|_| true);
            }
        }
        was_hidden
    }
}

impl DocumentEntry {
    fn contains(&self, lower_case: &str) -> bool {
        let has_text = |text: &str| text.to_lowercase().contains(lower_case);
        has_text(&self.label)
            || match &self.value {
                EntryValue::Text(text) => has_text(text),
                EntryValue::Code(line) => has_text(&line.text),
                EntryValue::Cells(cells) => cells.iter().any(|cell| has_text(&cell.cell.text)),
                EntryValue::Hex(_) | EntryValue::Rule(_) => false,
            }
    }
}
