//! Exports a trace to a file or an external program. Formats with lines for each call are written in slices;
//! those that add calls up are written at once.

use super::TracePane;
use crate::calls::formatter::CallFormatter;
use crate::messages::export::{self, ExportNote};
use crate::messages::trace;
use crate::pane::export::ExportDestination;
use crate::pane::{Command, ExternalTool, PaneContext};
use crate::sanitize::SafeText;
use crate::time_slice::TimeSlice;
use crate::trace::export::{ExportScope, MAX_EXPORT_BYTES, TraceExport, TraceExportFormat};

/// Calls that are written between two checks of the time.
const CALLS_PER_PIECE: u32 = 16;

/// An export that is not complete yet.
#[derive(Debug)]
pub(super) struct CallExport {
    destination: ExportDestination,
    format: TraceExportFormat,
    scope: ExportScope,
    calls_per_piece: u32,
    /// The number of pieces that were written.
    written: u32,
    lines: Vec<String>,
    bytes: usize,
    /// Describes the calls.
    what: SafeText,
}

impl CallExport {
    /// Returns the finished part in percent.
    fn progress(&self) -> usize {
        let pieces = self.scope.piece_count(self.calls_per_piece).max(1);
        (u64::from(self.written) * 100 / u64::from(pieces)).try_into().unwrap_or(100)
    }
}

impl TracePane {
    pub(super) fn export_to_file(&mut self, path: &str, cx: &PaneContext<'_>) -> Option<Command> {
        let format = match TraceExportFormat::from_file_name(path) {
            Ok(format) => format,
            Err(message) => return Some(Command::Notify(message.into())),
        };
        self.begin_export(ExportDestination::File(path.into()), format, cx)
    }

    /// Opens the trace in a pager as a tree, or in an editor as JSON lines.
    pub(super) fn open_in(&mut self, tool: ExternalTool, cx: &PaneContext<'_>) -> Option<Command> {
        if self.tree.is_empty() {
            return Some(Command::Notify(trace::NO_CALLS.into()));
        }
        let (name, format) = match tool {
            ExternalTool::Pager => ("trace.txt", TraceExportFormat::Tree),
            ExternalTool::Editor => ("trace.jsonl", TraceExportFormat::Jsonl),
        };
        self.begin_export(ExportDestination::Program(tool, name.to_owned()), format, cx)
    }

    fn begin_export(
        &mut self,
        destination: ExportDestination,
        format: TraceExportFormat,
        cx: &PaneContext<'_>,
    ) -> Option<Command> {
        let scope = ExportScope::all(&self.tree);
        let formatter = self.export_formatter(cx);
        let warning = self.trace_export(&formatter, &scope).warning(format);
        self.call_export = Some(CallExport {
            destination,
            format,
            calls_per_piece: if format.has_line_per_call() { CALLS_PER_PIECE } else { u32::MAX },
            written: 0,
            lines: Vec::new(),
            bytes: 0,
            what: warning.unwrap_or_else(|| self.call_counts()).into(),
            scope,
        });
        self.continue_export(cx)
    }

    /// Writes the next lines of an export, and the file after the last.
    pub(super) fn continue_export(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let mut export = self.call_export.take()?;
        let formatter = self.export_formatter(cx);
        let slice = TimeSlice::begin();
        while export.written < export.scope.piece_count(export.calls_per_piece) {
            if slice.is_over() {
                self.call_export = Some(export);
                return None;
            }
            let piece = export.scope.piece(export.written, export.calls_per_piece);
            let lines = match self.trace_export(&formatter, &piece).lines(export.format) {
                Ok(lines) => lines,
                Err(error) => return Some(Command::notify(&ExportNote::Failed { why: &error })),
            };
            export.bytes += lines.iter().map(String::len).sum::<usize>();
            if export.bytes > MAX_EXPORT_BYTES {
                return Some(Command::notify(&ExportNote::Failed { why: export::TOO_LARGE }));
            }
            export.lines.extend(lines);
            export.written += 1;
        }
        Some(export.destination.write(export.lines, export.what))
    }

    /// Describes the finished part of an export.
    pub(super) fn export_progress(&self) -> Option<String> {
        let percent = self.call_export.as_ref()?.progress();
        Some(format!("{} ", ExportNote::Progress { percent }))
    }

    fn trace_export<'a>(
        &'a self,
        names: &'a CallFormatter<'a>,
        scope: &'a ExportScope,
    ) -> TraceExport<'a> {
        TraceExport {
            tree: &self.tree,
            names,
            transaction: self.transaction,
            scope,
            line_style: None,
        }
    }
}
