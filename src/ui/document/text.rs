//! A document as lines of text, for external programs.

use super::super::format::width;
use super::{Document, DocumentEntry, EntryCell, EntryValue};
use crate::ui::text::{hex_line, line_ranges};

/// Minimum width of labels after which values are not aligned.
const MAX_ALIGNED_LABEL_WIDTH: usize = 40;

impl Document {
    /// Returns all entries as lines of text, folded or not.
    pub fn text(&self) -> Vec<String> {
        let widths = self.entries.iter().map(|e| usize::from(e.level) * 2 + width(&e.label));
        let label_width =
            widths.filter(|width| *width < MAX_ALIGNED_LABEL_WIDTH).max().unwrap_or(0) + 2;
        self.entries.iter().flat_map(|entry| entry_lines(entry, label_width)).collect()
    }
}

fn entry_lines(entry: &DocumentEntry, label_width: usize) -> Vec<String> {
    let label = format!("{:1$}{2}", "", usize::from(entry.level) * 2, entry.label);
    match &entry.value {
        EntryValue::Code(line) => vec![label + &line.text],
        EntryValue::Text(text) if entry.label.is_empty() => vec![label + text],
        EntryValue::Text(text) => {
            let space = " ".repeat(label_width.saturating_sub(width(&label)).max(1));
            vec![(label + &space + text).trim_end().to_owned()]
        }
        EntryValue::Cells(cells) => vec![cells_text(cells)],
        EntryValue::Rule(rule) => vec![rule.titles().collect::<Vec<_>>().join("  │  ")],
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

/// Returns cells at their columns.
fn cells_text(cells: &[EntryCell]) -> String {
    cells.iter().fold(String::new(), |line, cell| {
        let space = usize::from(cell.x).saturating_sub(width(&line));
        format!("{line}{:space$}{}", "", cell.cell)
    })
}
