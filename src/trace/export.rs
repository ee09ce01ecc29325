//! Trace export formats of the trace pane and of `chainglass trace`.
//!
//! A format is a variant of [`TraceExportFormat`], an extension in [`EXTENSIONS`], an arm in
//! [`TraceExport::write`] and a module here.

mod folded;
mod frame_names;
mod gas;
mod json_rows;
mod speedscope;
mod steps;
mod tree;

pub use self::steps::ExportSteps;
pub use self::tree::call_line;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;

use clap::ValueEnum;
use serde_json::value::RawValue;

use self::folded::FoldedExport;
use self::speedscope::SpeedscopeExport;
use super::tree::to_index;
use super::{CallFrame, CallOutcome, CallTree};
use crate::chain::{Address, TxHash};
use crate::messages::Count;
use crate::messages::export::{self, ExportNote};
use crate::sanitize::SafeText;

/// A trace export format. The variants' comments are part of `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TraceExportFormat {
    /// Indented text, one call per line
    Tree,
    /// The objects of `jsonl` in one array
    Json,
    /// One JSON object per call, in call order
    Jsonl,
    /// Folded stacks weighted by self gas, for flame graphs
    Folded,
    /// A gas profile for <https://www.speedscope.app>
    Speedscope,
}

/// Upper bound on an export held in memory; a million calls take most of it.
const MAX_EXPORT_BYTES: usize = 1 << 30;

/// File name extensions. A longer extension comes before any suffix of it.
const EXTENSIONS: [(&str, TraceExportFormat); 5] = [
    (".speedscope.json", TraceExportFormat::Speedscope),
    (".jsonl", TraceExportFormat::Jsonl),
    (".json", TraceExportFormat::Json),
    (".folded", TraceExportFormat::Folded),
    (".txt", TraceExportFormat::Tree),
];

impl TraceExportFormat {
    /// Returns `true` if failed calls have their places in the source.
    pub fn has_failure_places(self) -> bool {
        matches!(self, Self::Tree | Self::Json | Self::Jsonl)
    }

    /// Returns the format of a file name's extension, or an error that lists the extensions.
    pub fn from_file_name(path: &str) -> Result<Self, String> {
        let lower = path.to_ascii_lowercase();
        let known = EXTENSIONS.iter().find(|(extension, _)| lower.ends_with(extension));
        known.map(|(_, format)| *format).ok_or_else(|| {
            let all: Vec<&str> = EXTENSIONS.iter().rev().map(|(extension, _)| *extension).collect();
            ExportNote::UnknownExtension { extensions: &all.join(", ") }.to_string()
        })
    }
}

/// A function with the arguments and the result of a call.
pub struct ExportedFunction {
    pub name: Cow<'static, str>,
    /// `true` if it is known only by its selector.
    pub is_guess: bool,
    /// Names, types and values, as JSON.
    pub arguments: Option<String>,
    /// The returned values likewise.
    pub result: Option<String>,
}

/// Text for calls and addresses that the trace itself does not contain.
pub trait CallNames: Sync {
    /// Returns the contract, the function and its arguments.
    fn call_text(&self, call: u32) -> String;
    /// Returns the function's name alone, if it is known.
    fn function_name(&self, call: u32) -> Option<Cow<'_, str>>;
    /// Returns the function's name, with arguments and result as far as they can be decoded.
    fn function(&self, call: u32) -> Option<ExportedFunction>;
    /// Returns the decoded reason of a failed call.
    fn failure_reason(&self, call: u32) -> String;
    /// Returns the place in the source that a failed call ended at.
    fn failure_place(&self, call: u32) -> Option<&SafeText>;
    /// Returns the line that the call prints, if it calls the console.
    fn console_line(&self, call: u32) -> Option<SafeText>;
    /// Returns the value sent with the call, with its unit.
    fn sent_value(&self, call: u32) -> Option<String>;
    /// Returns the returned values or the error of a call, or an empty string.
    fn result_text(&self, call: u32) -> String;
    fn address_name(&self, address: &Address) -> Option<Cow<'_, str>>;
}

/// Events by their calls, each as JSON.
pub type CallEvents = HashMap<u32, Vec<Box<RawValue>>>;

/// Decorates a line of the tree format, for example with colours.
pub type LineStyle<'a> = dyn Fn(CallOutcome, &str) -> String + 'a;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportScope {
    range: Range<u32>,
    root_depth: u16,
    /// Levels below the root of the scope; `None` exports all of them.
    levels: Option<u16>,
}

impl ExportScope {
    pub fn all(tree: &CallTree) -> Self {
        Self { range: 0..tree.len(), root_depth: 0, levels: None }
    }

    pub fn subtree(tree: &CallTree, root: u32) -> Self {
        let root_depth = tree.get(root).map_or(0, |frame| frame.depth);
        Self { range: tree.subtree(root), root_depth, levels: None }
    }

    #[must_use]
    pub fn levels(self, levels: Option<u16>) -> Self {
        Self { levels, ..self }
    }

    pub fn piece_count(&self, calls: u32) -> u32 {
        self.range.end.saturating_sub(self.range.start).div_ceil(calls)
    }

    /// Returns one of the pieces of this many calls.
    #[must_use]
    pub fn piece(&self, number: u32, calls: u32) -> Self {
        let start = self.range.start.saturating_add(number.saturating_mul(calls));
        Self { range: start..start.saturating_add(calls).min(self.range.end), ..*self }
    }

    fn position(&self, call: u32) -> usize {
        to_index(call.wrapping_sub(self.range.start))
    }

    fn calls<'a>(&self, tree: &'a CallTree) -> impl Iterator<Item = (u32, &'a CallFrame)> {
        let deepest = self.levels.map_or(u16::MAX, |levels| self.root_depth.saturating_add(levels));
        let calls = self.range.clone().filter_map(|call| Some((call, tree.get(call)?)));
        calls.filter(move |(_, frame)| frame.depth <= deepest)
    }
}

#[derive(Clone, Copy)]
pub struct TraceExport<'a> {
    pub tree: &'a CallTree,
    pub names: &'a dyn CallNames,
    pub transaction: TxHash,
    pub scope: &'a ExportScope,
    /// Events by their calls in the JSON formats, if they were asked for.
    pub events: Option<&'a CallEvents>,
    pub line_style: Option<&'a LineStyle<'a>>,
}

impl TraceExport<'_> {
    pub fn write(&self, format: TraceExportFormat, out: &mut dyn Write) -> io::Result<()> {
        match format {
            TraceExportFormat::Tree => self.write_tree(out),
            TraceExportFormat::Json => self.write_json(out),
            TraceExportFormat::Jsonl => self.write_jsonl(out),
            TraceExportFormat::Folded => {
                let mut folded = FoldedExport::new(self.scope);
                while !folded.step(self, out)? {}
                Ok(())
            }
            TraceExportFormat::Speedscope => {
                let mut speedscope = SpeedscopeExport::new(self.scope);
                while !speedscope.step(self, out)? {}
                Ok(())
            }
        }
    }

    /// Returns a note about calls that the format leaves out.
    ///
    /// # Errors
    ///
    /// Returns the reason if it leaves out all of them.
    pub fn warning(&self, format: TraceExportFormat) -> Result<Option<String>, &'static str> {
        if !matches!(format, TraceExportFormat::Folded | TraceExportFormat::Speedscope) {
            return Ok(None);
        }
        let calls = || self.scope.calls(self.tree);
        match calls().filter(|(_, frame)| frame.gas_used().is_none()).count() {
            0 => Ok(None),
            left_out if left_out == calls().count() => Err(export::NO_GAS),
            left_out => {
                let calls = Count(left_out, "call");
                Ok(Some(ExportNote::CallsLeftOut { calls }.to_string()))
            }
        }
    }
}

#[derive(Debug)]
struct LineBuffer {
    lines: Vec<String>,
    partial: Vec<u8>,
    bytes_left: usize,
}

impl Default for LineBuffer {
    fn default() -> Self {
        Self { lines: Vec::new(), partial: Vec::new(), bytes_left: MAX_EXPORT_BYTES }
    }
}

impl Write for LineBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.bytes_left.checked_sub(bytes.len());
        self.bytes_left = left.ok_or_else(|| io::Error::other(export::TOO_LARGE))?;
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            self.partial.extend_from_slice(&bytes[start..end]);
            self.lines.push(String::from_utf8_lossy(&self.partial).into_owned());
            self.partial.clear();
            start = end + 1;
        }
        self.partial.extend_from_slice(&bytes[start..]);
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
    fn line_buffer_splits_lines_and_is_bounded() {
        let mut buffer = LineBuffer { bytes_left: 12, ..LineBuffer::default() };
        for piece in ["a", "b\n", "", "\nc", "d\ne"] {
            buffer.write_all(piece.as_bytes()).unwrap();
        }
        assert_eq!(buffer.lines, ["ab", "", "cd"]);
        assert!(buffer.write_all(b"12345").is_err());
    }

    #[test]
    fn longest_extension_wins() {
        for (path, format) in [
            ("a.txt", TraceExportFormat::Tree),
            ("a.JSON", TraceExportFormat::Json),
            ("b/a.jsonl", TraceExportFormat::Jsonl),
            ("a.folded", TraceExportFormat::Folded),
            ("a.speedscope.json", TraceExportFormat::Speedscope),
        ] {
            assert_eq!(TraceExportFormat::from_file_name(path), Ok(format), "{path}");
        }
        let error = TraceExportFormat::from_file_name("a.svg").unwrap_err();
        assert!(error.ends_with(".txt, .folded, .json, .jsonl, .speedscope.json"), "{error}");
    }
}
