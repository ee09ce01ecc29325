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

use super::call_labels::Names;
use crate::chain::TxHash;
use crate::chain::amount::grouped;
use crate::trace::tree::at;
use crate::trace::{Frame, Tree};
use crate::ui::theme::Styles;

/// In which form a trace is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
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
const MOST: usize = 1 << 30;

/// The endings of files, longer ones before those they end with.
const ENDINGS: [(&str, Format); 5] = [
    (".speedscope.json", Format::Speedscope),
    (".jsonl", Format::Jsonl),
    (".json", Format::Json),
    (".folded", Format::Folded),
    (".txt", Format::Tree),
];

impl Format {
    /// The form that a file's ending asks for; the error says which endings there are.
    pub fn of_file(path: &str) -> Result<Self, String> {
        let lower = path.to_ascii_lowercase();
        let known = ENDINGS.iter().find(|(ending, _)| lower.ends_with(ending));
        known.map(|(_, format)| *format).ok_or_else(|| {
            let endings: Vec<&str> = ENDINGS.iter().rev().map(|(ending, _)| *ending).collect();
            format!("the ending says in which form: {}", endings.join(", "))
        })
    }
}

/// Which calls of a trace are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    range: Range<u32>,
    /// How deep the first call is.
    top: u16,
    /// How many levels below it are written; all, if there is no number.
    levels: Option<u16>,
}

impl Scope {
    /// All calls.
    pub fn all(tree: &Tree) -> Self {
        Self { range: 0..tree.len(), top: 0, levels: None }
    }

    /// A call and all below it.
    pub fn below(tree: &Tree, node: u32) -> Self {
        let top = tree.get(node).map_or(0, |frame| frame.depth);
        Self { range: tree.subtree(node), top, levels: None }
    }

    /// Only so many levels below the first call.
    #[must_use]
    pub fn levels(self, levels: Option<u16>) -> Self {
        Self { levels, ..self }
    }

    /// Which of the calls in the range one is.
    fn place(&self, number: u32) -> usize {
        at(number.wrapping_sub(self.range.start))
    }

    /// The calls with their numbers.
    fn calls<'a>(&self, tree: &'a Tree) -> impl Iterator<Item = (u32, &'a Frame)> {
        let deepest = self.levels.map_or(u16::MAX, |levels| self.top.saturating_add(levels));
        let calls = self.range.clone().filter_map(|number| Some((number, tree.get(number)?)));
        calls.filter(move |(_, frame)| frame.depth <= deepest)
    }
}

/// What is written.
#[derive(Clone, Copy)]
pub struct Export<'a> {
    /// The trace, and what its calls are named with.
    pub names: Names<'a>,
    /// Whose trace it is.
    pub transaction: TxHash,
    /// Which of its calls.
    pub scope: &'a Scope,
    /// The colours of a tree; none, if nobody sees them.
    pub styles: Option<&'a Styles>,
    /// Whether a tree has only ASCII.
    pub ascii: bool,
}

impl Export<'_> {
    /// Writes it.
    pub fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Tree => self.tree(out),
            Format::Json => self.json(out),
            Format::Jsonl => self.jsonl(out),
            Format::Folded => self.folded(out),
            Format::Speedscope => self.speedscope(out),
        }
    }

    /// It as lines; the error says that they are too many. Deep calls have long lines, so a hostile
    /// trace comes to a thousand times its own size.
    pub fn lines(&self, format: Format) -> Result<Vec<String>, String> {
        let mut lines = Lines { left: MOST, ..Lines::default() };
        self.write(format, &mut lines).map_err(|e| e.to_string())?;
        Ok(lines.whole)
    }

    /// What the form cannot say of these calls.
    pub fn shortcoming(&self, format: Format) -> Option<String> {
        if !matches!(format, Format::Folded | Format::Speedscope) {
            return None;
        }
        let calls = self.scope.calls(self.names.tree);
        let words = match calls.filter(|(_, frame)| frame.used().is_none()).count() {
            0 => return None,
            1 => "1 call has unknown gas and is left out".into(),
            n => format!("{} calls have unknown gas and are left out", grouped(&n.to_string())),
        };
        Some(words + ": what they used counts as their callers' own")
    }
}

/// What is written, in lines.
#[derive(Default)]
struct Lines {
    whole: Vec<String>,
    begun: Vec<u8>,
    /// How many bytes more there may be.
    left: usize,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left.checked_sub(bytes.len());
        self.left = left.ok_or_else(|| io::Error::other("more than 1 GB in this form"))?;
        let mut pieces = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            self.begun.extend_from_slice(piece);
            if pieces.peek().is_some() {
                self.whole.push(String::from_utf8_lossy(&self.begun).into_owned());
                self.begun.clear();
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
        let mut lines = Lines { left: 12, ..Lines::default() };
        for piece in ["a", "b\n", "", "\nc", "d\ne"] {
            lines.write_all(piece.as_bytes()).unwrap();
        }
        assert_eq!(lines.whole, ["ab", "", "cd"]);
        assert!(lines.write_all(b"12345").is_err());
    }

    #[test]
    fn the_longer_ending_counts() {
        for (path, format) in [
            ("a.txt", Format::Tree),
            ("a.JSON", Format::Json),
            ("b/a.jsonl", Format::Jsonl),
            ("a.folded", Format::Folded),
            ("a.speedscope.json", Format::Speedscope),
        ] {
            assert_eq!(Format::of_file(path), Ok(format), "{path}");
        }
        let words = Format::of_file("a.svg").unwrap_err();
        assert!(words.ends_with(".txt, .folded, .json, .jsonl, .speedscope.json"), "{words}");
    }
}
