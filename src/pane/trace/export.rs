//! A trace for other programs: the forms that a file, or the command `trace`, writes it in.

mod folded;
mod frame_names;
mod gas;
mod json_rows;
mod speedscope;
mod tree;

use std::io::{self, Write};
use std::ops::Range;

use clap::ValueEnum;

use super::call_labels::CallFormatter;
use crate::chain::TxHash;
use crate::chain::amount::group_digits;
use crate::trace::tree::to_index;
use crate::trace::{CallFrame, CallTree};
use crate::ui::theme::Styles;

/// In which form a trace is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TraceExportFormat {
    /// For reading: a call a line, indented.
    Tree,
    /// The objects of `jsonl` as one array.
    Json,
    /// An object a line for every call, in the order in which they were made.
    Jsonl,
    /// Folded stacks with the gas that each call used itself, for flame graphs.
    Folded,
    /// Gas on a time line, for <https://www.speedscope.app>.
    Speedscope,
}

/// The most that is held of a trace's lines at once; a million calls come to half of it.
const MAX_EXPORT_BYTES: usize = 1 << 30;

/// The endings of files, longer ones before those they end with.
const EXTENSIONS: [(&str, TraceExportFormat); 5] = [
    (".speedscope.json", TraceExportFormat::Speedscope),
    (".jsonl", TraceExportFormat::Jsonl),
    (".json", TraceExportFormat::Json),
    (".folded", TraceExportFormat::Folded),
    (".txt", TraceExportFormat::Tree),
];

impl TraceExportFormat {
    /// The form that a file's ending asks for; the error says which endings there are.
    pub fn from_file_name(path: &str) -> Result<Self, String> {
        let lower = path.to_ascii_lowercase();
        let known = EXTENSIONS.iter().find(|(ending, _)| lower.ends_with(ending));
        known.map(|(_, format)| *format).ok_or_else(|| {
            let endings: Vec<&str> = EXTENSIONS.iter().rev().map(|(ending, _)| *ending).collect();
            format!("the ending says in which form: {}", endings.join(", "))
        })
    }
}

/// Which calls of a trace are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportScope {
    range: Range<u32>,
    /// How deep the first call is.
    root_depth: u16,
    /// How many levels below it are written; all, if there is no number.
    levels: Option<u16>,
}

impl ExportScope {
    /// All calls.
    pub fn all(tree: &CallTree) -> Self {
        Self { range: 0..tree.len(), root_depth: 0, levels: None }
    }

    /// A call and all below it.
    pub fn below(tree: &CallTree, node: u32) -> Self {
        let top = tree.get(node).map_or(0, |frame| frame.depth);
        Self { range: tree.subtree(node), root_depth: top, levels: None }
    }

    /// Only so many levels below the first call.
    #[must_use]
    pub fn levels(self, levels: Option<u16>) -> Self {
        Self { levels, ..self }
    }

    /// Which of the calls in the range one is.
    fn position(&self, number: u32) -> usize {
        to_index(number.wrapping_sub(self.range.start))
    }

    /// The calls with their numbers.
    fn calls<'a>(&self, tree: &'a CallTree) -> impl Iterator<Item = (u32, &'a CallFrame)> {
        let deepest = self.levels.map_or(u16::MAX, |levels| self.root_depth.saturating_add(levels));
        let calls = self.range.clone().filter_map(|number| Some((number, tree.get(number)?)));
        calls.filter(move |(_, frame)| frame.depth <= deepest)
    }
}

/// What is written.
#[derive(Clone, Copy)]
pub struct TraceExport<'a> {
    /// The trace, and what its calls are named with.
    pub names: CallFormatter<'a>,
    /// Whose trace it is.
    pub transaction: TxHash,
    /// Which of its calls.
    pub scope: &'a ExportScope,
    /// The colours of a tree; none, if nobody sees them.
    pub styles: Option<&'a Styles>,
    /// Whether a tree has only ASCII.
    pub ascii: bool,
}

impl TraceExport<'_> {
    /// Writes it.
    pub fn write(&self, format: TraceExportFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            TraceExportFormat::Tree => self.tree(out),
            TraceExportFormat::Json => self.json(out),
            TraceExportFormat::Jsonl => self.jsonl(out),
            TraceExportFormat::Folded => self.folded(out),
            TraceExportFormat::Speedscope => self.speedscope(out),
        }
    }

    /// It as lines; the error says that they are too many. Deep calls have long lines, so a hostile
    /// trace comes to a thousand times its own size.
    pub fn lines(&self, format: TraceExportFormat) -> Result<Vec<String>, String> {
        let mut lines = LineBuffer { bytes_left: MAX_EXPORT_BYTES, ..LineBuffer::default() };
        self.write(format, &mut lines).map_err(|e| e.to_string())?;
        Ok(lines.lines)
    }

    /// What the form cannot say of these calls.
    pub fn warning(&self, format: TraceExportFormat) -> Option<String> {
        if !matches!(format, TraceExportFormat::Folded | TraceExportFormat::Speedscope) {
            return None;
        }
        let calls = self.scope.calls(self.names.tree);
        let words = match calls.filter(|(_, frame)| frame.gas_used().is_none()).count() {
            0 => return None,
            1 => "1 call has unknown gas and is left out".into(),
            n => {
                format!("{} calls have unknown gas and are left out", group_digits(&n.to_string()))
            }
        };
        Some(words + ": what they used counts as their callers' own")
    }
}

/// What is written, in lines.
#[derive(Default)]
struct LineBuffer {
    lines: Vec<String>,
    partial: Vec<u8>,
    /// How many bytes more there may be.
    bytes_left: usize,
}

impl Write for LineBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.bytes_left.checked_sub(bytes.len());
        self.bytes_left = left.ok_or_else(|| io::Error::other("more than 1 GB in this form"))?;
        let mut pieces = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            self.partial.extend_from_slice(piece);
            if pieces.peek().is_some() {
                self.lines.push(String::from_utf8_lossy(&self.partial).into_owned());
                self.partial.clear();
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_their_ends_and_bounded() {
        let mut lines = LineBuffer { bytes_left: 12, ..LineBuffer::default() };
        for piece in ["a", "b\n", "", "\nc", "d\ne"] {
            lines.write_all(piece.as_bytes()).unwrap();
        }
        assert_eq!(lines.lines, ["ab", "", "cd"]);
        assert!(lines.write_all(b"12345").is_err());
    }

    #[test]
    fn the_longer_ending_counts() {
        for (path, format) in [
            ("a.txt", TraceExportFormat::Tree),
            ("a.JSON", TraceExportFormat::Json),
            ("b/a.jsonl", TraceExportFormat::Jsonl),
            ("a.folded", TraceExportFormat::Folded),
            ("a.speedscope.json", TraceExportFormat::Speedscope),
        ] {
            assert_eq!(TraceExportFormat::from_file_name(path), Ok(format), "{path}");
        }
        let words = TraceExportFormat::from_file_name("a.svg").unwrap_err();
        assert!(words.ends_with(".txt, .folded, .json, .jsonl, .speedscope.json"), "{words}");
    }
}
