//! Finds text in a document, including folded entries.

use super::{Document, DocumentEntry, EntryLink, EntryValue};
use crate::action::Step;

/// Lines that stay free below what was asked for.
const ANSWER_LINES: usize = 4;

impl Document {
    /// Selects the next or previous entry that contains a text, wrapping around, and unfolds the
    /// entries that hide it. Returns its number among the matches, and their count.
    pub fn find(&mut self, text: &str, step: Step, height: u16) -> Option<(usize, usize)> {
        let text = text.to_lowercase();
        let here = self.lines.get(self.viewport.selected).map_or(0, |line| line.entry);
        let entries = self.entries.iter().enumerate();
        let matches: Vec<usize> =
            entries.filter(|(_, entry)| entry.contains(&text)).map(|(at, _)| at).collect();
        let next = match step {
            Step::Next => matches.iter().position(|at| *at > here).or(Some(0)),
            Step::Previous => {
                matches.iter().rposition(|at| *at < here).or(matches.len().checked_sub(1))
            }
        }?;
        self.show_entry(*matches.get(next)?, height);
        Some((next + 1, matches.len()))
    }

    /// Selects the entry with a link, with space below it for an answer.
    pub fn show_link(&mut self, link: &EntryLink, height: u16) {
        let Some(found) = self.entries.iter().position(|entry| entry.link.as_ref() == Some(link))
        else {
            return;
        };
        self.show_entry(found, height);
        let below = (self.viewport.selected + ANSWER_LINES).min(self.lines.len().saturating_sub(1));
        self.viewport.show(below, usize::from(height));
        self.viewport.show(self.viewport.selected, usize::from(height));
    }

    /// Selects a line of the code, counted over all files, and shows the lines after it.
    pub fn show_code_line(&mut self, line: usize, height: u16) {
        let is_code = |entry: &DocumentEntry| matches!(entry.value, EntryValue::Code(_));
        let mut code = self.entries.iter().enumerate().filter(|(_, entry)| is_code(entry));
        if let Some((entry, _)) = code.nth(line) {
            let before = self.viewport.offset;
            self.show_entry(entry, height);
            let height = usize::from(height);
            // The code stays in place while the line has code around it.
            let is_around = (before..before + height * 2 / 3).contains(&self.viewport.selected);
            let above = self.viewport.selected.saturating_sub(height / 6);
            self.viewport.offset = if is_around { before } else { above };
            self.viewport.fill(self.lines.len(), height);
        }
    }

    /// Scrolls the selected line of code to the top.
    pub fn scroll_to_selected(&mut self, height: u16) {
        self.viewport.offset = self.viewport.selected;
        self.viewport.fill(self.lines.len(), usize::from(height));
    }

    /// Selects the first entry with a link that `is_wanted`. Returns `false` if there is none.
    pub fn select_link(&mut self, is_wanted: impl Fn(&EntryLink) -> bool) -> bool {
        let mut entries = self.entries.iter();
        let found = entries.position(|entry| entry.link.as_ref().is_some_and(&is_wanted));
        if let Some(found) = found {
            self.viewport.selected = self.first_line_of(found);
        }
        found.is_some()
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
