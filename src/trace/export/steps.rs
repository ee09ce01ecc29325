//! An export as lines, written in steps so that no key waits for a million calls.

use std::io::{self, Write};

use super::folded::FoldedExport;
use super::speedscope::SpeedscopeExport;
use super::{ExportScope, LineBuffer, TraceExport, TraceExportFormat};
use crate::trace::tree::to_index;

/// Calls that one step writes in the formats with a row for each call.
const CALLS_PER_STEP: u32 = 16;

/// The lines of an export so far. Every step needs the same [`TraceExport`].
#[derive(Debug)]
pub struct ExportSteps {
    writer: StepWriter,
    lines: LineBuffer,
}

#[derive(Debug)]
enum StepWriter {
    Calls(CallRows),
    Folded(FoldedExport),
    Speedscope(SpeedscopeExport),
}

/// The formats with a row for each call.
#[derive(Debug)]
struct CallRows {
    format: TraceExportFormat,
    /// The number of pieces that were written.
    pieces: u32,
    has_rows: bool,
}

impl ExportSteps {
    pub fn new(format: TraceExportFormat, scope: &ExportScope) -> Self {
        let writer = match format {
            TraceExportFormat::Folded => StepWriter::Folded(FoldedExport::new(scope)),
            TraceExportFormat::Speedscope => StepWriter::Speedscope(SpeedscopeExport::new(scope)),
            TraceExportFormat::Tree | TraceExportFormat::Json | TraceExportFormat::Jsonl => {
                StepWriter::Calls(CallRows { format, pieces: 0, has_rows: false })
            }
        };
        Self { writer, lines: LineBuffer::default() }
    }

    /// Writes the next part. Returns `true` after the last. Fails beyond a gigabyte: lines of deep calls
    /// are long, so the export of a hostile trace can be a thousand times as large as the trace.
    pub fn step(&mut self, export: &TraceExport<'_>) -> Result<bool, String> {
        self.writer.step(export, &mut self.lines).map_err(|error| error.to_string())
    }

    /// Returns the finished part in percent. A call counts as often as it is visited.
    pub fn percent(&self, scope: &ExportScope) -> usize {
        let calls = scope.range.len();
        let (left, visits) = match &self.writer {
            StepWriter::Calls(rows) => {
                let pieces = scope.piece_count(CALLS_PER_STEP).saturating_sub(rows.pieces);
                (to_index(pieces.saturating_mul(CALLS_PER_STEP)), 1)
            }
            StepWriter::Folded(folded) => (folded.calls_left(), 2),
            StepWriter::Speedscope(speedscope) => (speedscope.calls_left(), 3),
        };
        100 - (left * 100 / (calls * visits).max(1)).min(100)
    }

    pub fn into_lines(self) -> Vec<String> {
        self.lines.lines
    }
}

impl StepWriter {
    fn step(&mut self, export: &TraceExport<'_>, out: &mut dyn Write) -> io::Result<bool> {
        match self {
            Self::Calls(rows) => rows.step(export, out),
            Self::Folded(folded) => folded.step(export, out),
            Self::Speedscope(speedscope) => speedscope.step(export, out),
        }
    }
}

impl CallRows {
    fn step(&mut self, export: &TraceExport<'_>, out: &mut dyn Write) -> io::Result<bool> {
        let scope = export.scope.piece(self.pieces, CALLS_PER_STEP);
        let piece = TraceExport { scope: &scope, ..*export };
        let is_last = self.pieces + 1 >= export.scope.piece_count(CALLS_PER_STEP);
        match self.format {
            TraceExportFormat::Json => self.write_elements(&piece, is_last, out)?,
            format => piece.write(format, out)?,
        }
        self.pieces += 1;
        Ok(is_last)
    }

    /// Writes some elements of a JSON array.
    fn write_elements(
        &mut self,
        piece: &TraceExport<'_>,
        is_last: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if self.pieces == 0 {
            writeln!(out, "[")?;
        }
        let elements = piece.json_elements()?;
        if self.has_rows && !elements.is_empty() {
            writeln!(out, ",")?;
        }
        self.has_rows |= !elements.is_empty();
        out.write_all(&elements)?;
        if is_last { writeln!(out, "\n]") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::sync::atomic::{AtomicU32, Ordering};

    use clap::ValueEnum;

    use super::super::{CallNames, ExportedFunction};
    use super::*;
    use crate::chain::{Address, TxHash};
    use crate::sanitize::SafeText;
    use crate::trace::CallTree;
    use crate::trace::parser::parse_trace;

    /// Counts the calls that were asked for.
    #[derive(Default)]
    struct CountedNames(AtomicU32);

    impl CallNames for CountedNames {
        fn call_text(&self, _call: u32) -> String {
            self.0.fetch_add(1, Ordering::Relaxed);
            String::new()
        }
        fn function_name(&self, _call: u32) -> Option<Cow<'_, str>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            None
        }
        fn function(&self, _call: u32) -> Option<ExportedFunction> {
            self.0.fetch_add(1, Ordering::Relaxed);
            None
        }
        fn failure_reason(&self, _call: u32) -> String {
            String::new()
        }
        fn failure_place(&self, _call: u32) -> Option<&SafeText> {
            None
        }
        fn console_line(&self, _call: u32) -> Option<SafeText> {
            None
        }
        fn sent_value(&self, _call: u32) -> Option<String> {
            None
        }
        fn result_text(&self, _call: u32) -> String {
            String::new()
        }
        fn address_name(&self, _address: &Address) -> Option<Cow<'_, str>> {
            None
        }
    }

    /// A call with 999 others inside, each with some fields.
    fn thousand_calls(fields: &str) -> CallTree {
        let call = format!(r#"{{"type":"CALL",{fields}"to":"0x00"}}"#);
        let calls = vec![call; 999].join(",");
        parse_trace(format!(r#"{{"type":"CALL",{fields}"calls":[{calls}]}}"#).into())
    }

    #[test]
    fn percent_grows_with_every_visit() {
        let tree = thousand_calls(r#""gasUsed":"0x1","#);
        let (names, scope) = (&CountedNames::default(), &ExportScope::all(&tree));
        let (tree, transaction) = (&tree, TxHash::ZERO);
        let export =
            TraceExport { tree, names, transaction, scope, events: None, line_style: None };
        for format in TraceExportFormat::value_variants() {
            let mut steps = ExportSteps::new(*format, scope);
            assert_eq!(steps.percent(scope), 0, "{format:?}");
            for _ in 0..2 {
                assert!(!steps.step(&export).unwrap());
            }
            assert!((1..20).contains(&steps.percent(scope)), "{format:?}");
            while !steps.step(&export).unwrap() {}
            assert_eq!(steps.percent(scope), 100, "{format:?}");
        }
    }

    #[test]
    fn stacks_without_any_gas_are_refused() {
        for (fields, is_refused) in [("", true), (r#""gasUsed":"0x1","#, false)] {
            let tree = thousand_calls(fields);
            let (names, scope) = (&CountedNames::default(), &ExportScope::all(&tree));
            let (tree, transaction) = (&tree, TxHash::ZERO);
            let export =
                TraceExport { tree, names, transaction, scope, events: None, line_style: None };
            assert_eq!(export.warning(TraceExportFormat::Folded).is_err(), is_refused);
            assert_eq!(export.warning(TraceExportFormat::Jsonl), Ok(None));
        }
    }

    #[test]
    fn every_step_looks_at_few_calls() {
        let tree = thousand_calls(r#""gasUsed":"0x1","#);
        let scope = ExportScope::all(&tree);
        for format in TraceExportFormat::value_variants() {
            let names = CountedNames::default();
            let transaction = TxHash::ZERO;
            let (tree, names, scope) = (&tree, &names, &scope);
            let export =
                TraceExport { tree, names, transaction, scope, events: None, line_style: None };
            let mut steps = ExportSteps::new(*format, scope);
            let (mut before, mut is_done) = (0, false);
            while !is_done {
                is_done = steps.step(&export).unwrap();
                let asked = names.0.load(Ordering::Relaxed);
                assert!(asked - before <= 64, "{format:?}: {asked}");
                before = asked;
            }
            assert_eq!(before, 1_000, "{format:?}");
        }
    }
}
