//! Exports a trace to a file or an external program, in slices.

use std::sync::Arc;
use std::vec;

use super::TracePane;
use crate::api::Item;
use crate::api::logs::Log;
use crate::calls::formatter::CallFormatter;
use crate::calls::placed_logs::ExportedEvents;
use crate::messages::export::ExportNote;
use crate::messages::trace;
use crate::pane::export::ExportDestination;
use crate::pane::{Command, ExternalTool, PaneContext, PanePrompt};
use crate::sanitize::SafeText;
use crate::time_slice::{TimeSlice, free_in_background};
use crate::trace::export::{CallEvents, ExportScope, ExportSteps, TraceExport, TraceExportFormat};
use crate::trace::log_places::LogPlace;

/// An export that is not complete yet.
#[derive(Debug)]
pub(super) struct CallExport {
    destination: ExportDestination,
    scope: ExportScope,
    steps: ExportSteps,
    /// Describes the calls.
    what: SafeText,
    /// `None` if not all are known.
    events: Option<ExportedEvents>,
    /// Logs that are not decoded yet.
    logs: vec::IntoIter<(Arc<Item<Log>>, Option<LogPlace>)>,
}

impl CallExport {
    /// Decodes a log, or writes some lines once all are decoded. Returns `true` after the last line.
    fn step(&mut self, pane: &TracePane, names: &CallFormatter<'_>) -> Result<bool, String> {
        if let Some((events, (log, place))) = self.events.as_mut().zip(self.logs.next()) {
            events.add(&log, place, names.signatures);
            return Ok(false);
        }
        let events = self.events.as_ref().map(|events| &events.by_call);
        self.steps.step(&pane.trace_export(names, &self.scope, events))
    }

    /// Returns the command that writes the lines, with all that the events lack in place of the number of calls.
    fn into_command(self) -> Command {
        let notes: Vec<String> = self.events.iter().flat_map(ExportedEvents::notes).collect();
        let what = if notes.is_empty() { self.what } else { notes.join(" · ").into() };
        self.destination.write(self.steps.into_lines(), what)
    }
}

impl TracePane {
    pub(super) fn export_to_file(&mut self, path: &str, cx: &PaneContext<'_>) -> Option<Command> {
        let format = match TraceExportFormat::from_file_name(path) {
            Ok(format) => format,
            Err(why) => return Some(Command::RefusePrompt(PanePrompt::ExportTrace, why.into())),
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
        let warning = match self.trace_export(&formatter, &scope, None).warning(format) {
            Ok(warning) => warning,
            Err(why) => return Some(destination.refuse(why)),
        };
        let is_json = matches!(format, TraceExportFormat::Json | TraceExportFormat::Jsonl);
        let logs = is_json.then(|| self.known_logs()).flatten();
        self.call_export = Some(CallExport {
            destination,
            steps: ExportSteps::new(format, &scope),
            what: warning.unwrap_or_else(|| self.call_counts()).into(),
            events: logs.as_ref().map(|_| ExportedEvents::default()),
            logs: logs.unwrap_or_default().into_iter(),
            scope,
        });
        self.continue_export(cx)
    }

    /// Writes the next lines of an export, and the file after the last.
    pub(super) fn continue_export(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let mut export = self.call_export.take()?;
        let formatter = self.export_formatter(cx);
        let slice = TimeSlice::begin();
        loop {
            if slice.is_over() {
                self.call_export = Some(export);
                return None;
            }
            match export.step(self, &formatter) {
                Ok(false) => {}
                Ok(true) => break,
                Err(why) => return Some(export.destination.refuse(&why)),
            }
        }
        Some(export.into_command())
    }

    pub(super) fn stop_export(&mut self) {
        if let Some(export) = self.call_export.take() {
            free_in_background(export);
        }
    }

    /// Describes the finished part of an export.
    pub(super) fn export_progress(&self) -> Option<String> {
        let export = self.call_export.as_ref()?;
        let percent = export.steps.percent(&export.scope);
        Some(format!("{} ", ExportNote::Progress { percent }))
    }

    fn trace_export<'a>(
        &'a self,
        names: &'a CallFormatter<'a>,
        scope: &'a ExportScope,
        events: Option<&'a CallEvents>,
    ) -> TraceExport<'a> {
        TraceExport {
            tree: &self.tree,
            names,
            transaction: self.transaction,
            scope,
            events,
            line_style: None,
        }
    }
}
