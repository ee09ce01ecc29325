//! Mouse input of a document.

use ratatui::layout::{Position, Rect};

use super::Document;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentClick {
    Line,
    SelectedLine,
    FoldMark,
}

impl Document {
    pub fn scroll(&mut self, by: isize, height: u16) {
        self.viewport.scroll(by, self.lines.len(), usize::from(height));
    }

    /// Moves the cursor to a position of `area`, or toggles the fold whose mark is there. Returns
    /// `None` if there is no line.
    pub fn click(&mut self, at: Position, area: Rect) -> Option<DocumentClick> {
        let place = self.viewport.line_at(at, area, self.lines.len())?;
        let line = self.lines.get(place)?;
        let entry = self.entries.get(line.entry)?;
        let again = place == self.viewport.selected;
        let on_mark = (at.x - area.x) / 2 == line.label / 2 && line.has_label;
        let folds = on_mark && entry.open.is_some();
        if !self.can_select(place) {
            return None;
        }
        self.viewport.selected = place;
        self.column = at.x - area.x;
        if folds {
            self.fold(None, area.height);
            return Some(DocumentClick::FoldMark);
        }
        Some(if again { DocumentClick::SelectedLine } else { DocumentClick::Line })
    }
}
