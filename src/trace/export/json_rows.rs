//! The JSON formats: one object per call, on lines or in one array.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write};
use std::num::NonZero;
use std::sync::mpsc;
use std::thread;

use alloy_primitives::hex;
use serde::{Deserialize, Serialize};

use super::{CallEvents, CallNames, ExportScope, TraceExport};
use crate::chain::checksum::checksummed;
use crate::sanitize::SafeText;
use crate::trace::frame_json::{declared_type, raw_json};
use crate::trace::{BodySpan, CallFrame, CallKind, CallOutcome, CallTree};

/// Calls in a piece of the output, which one thread formats.
const PIECE_CALLS: u32 = 256;
/// Pieces that a thread is ahead of the output.
const PIECES_AHEAD: usize = 2;
/// Maximum number of threads that format, because each holds pieces in memory.
const MAX_THREADS: usize = 16;

/// Writes the fields of an object, in order.
struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    separator: u8,
}

impl<'a> ObjectWriter<'a> {
    fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, separator: b'{' }
    }

    fn name(&mut self, name: &str) {
        self.out.push(std::mem::replace(&mut self.separator, b','));
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    fn field(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> serde_json::Result<()> {
        self.name(name);
        serde_json::to_writer(&mut *self.out, value)
    }

    /// Writes a value that is JSON already.
    fn json(&mut self, name: &str, json: Option<&str>) {
        self.name(name);
        self.out.extend_from_slice(json.unwrap_or("null").as_bytes());
    }

    /// Writes a text of digits as a string. Most of a row is such text, which need not be searched for characters
    /// to escape.
    fn digits(&mut self, name: &str, digits: Option<&[u8]>) {
        let Some(digits) = digits else { return self.json(name, None) };
        self.name(name);
        self.out.push(b'"');
        self.out.extend_from_slice(digits);
        self.out.push(b'"');
    }

    /// Writes an array of what is its JSON without brackets.
    fn array(&mut self, name: &str, elements: &[u8]) {
        self.name(name);
        self.out.push(b'[');
        self.out.extend_from_slice(elements);
        self.out.push(b']');
    }

    /// Writes a number as a string, because JSON readers round large numbers.
    fn number(&mut self, name: &str, number: Option<impl Display>) -> io::Result<()> {
        let Some(number) = number else {
            self.json(name, None);
            return Ok(());
        };
        self.name(name);
        write!(self.out, "\"{number}\"")
    }

    fn end(self) {
        self.out.push(b'}');
    }
}

/// The path of a call as JSON without brackets. The next call has the same caller or one around it, so most of
/// its path is written already.
#[derive(Default)]
struct PathText {
    text: Vec<u8>,
    /// The call and those around it from the outermost, each with the end of its path.
    calls: Vec<(u32, usize)>,
}

impl PathText {
    fn move_to(&mut self, tree: &CallTree, call: u32) {
        let caller = tree.parent(call);
        while self.calls.pop_if(|(known, _)| Some(*known) != caller).is_some() {}
        if let (Some((_, end)), Some(frame)) = (self.calls.last(), tree.get(call)) {
            self.text.truncate(*end);
            self.push(frame.child_index);
        } else {
            self.text.clear();
            tree.path(call).into_iter().for_each(|number| self.push(number));
        }
        self.calls.push((call, self.text.len()));
    }

    fn push(&mut self, number: u32) {
        let separator = if self.text.is_empty() { "" } else { "," };
        // Writing to a vector cannot fail.
        let _ = write!(self.text, "{separator}{number}");
    }
}

/// The rows of an export without their ends.
#[derive(Clone, Copy)]
struct JsonRows<'a> {
    tree: &'a CallTree,
    names: &'a dyn CallNames,
    scope: &'a ExportScope,
    events: Option<&'a CallEvents>,
    separator: &'static [u8],
}

impl JsonRows<'_> {
    /// Formats the rows of one piece, each after a separator except for the first of all. They take about as many
    /// bytes as is said.
    fn piece(&self, number: u32, bytes: usize) -> io::Result<Vec<u8>> {
        let (mut piece, mut path) = (Vec::with_capacity(bytes), PathText::default());
        for (call, frame) in self.scope.piece(number, PIECE_CALLS).calls(self.tree) {
            if number > 0 || !piece.is_empty() {
                piece.extend_from_slice(self.separator);
            }
            self.push_row(call, frame, &mut path, &mut piece)?;
        }
        Ok(piece)
    }

    fn push_row(
        &self,
        call: u32,
        frame: &CallFrame,
        path: &mut PathText,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let Self { tree, names, .. } = *self;
        let address = |span| tree.address(span).map(|address| checksummed(&address));
        let [from, to] = [frame.from, frame.to].map(address);
        let mut row = ObjectWriter::new(out);
        row.field("depth", &frame.depth)?;
        if tree.orphan_count() == 0 {
            path.move_to(tree, call);
            row.array("trace_address", &path.text);
        } else {
            row.field("trace_address", &trace_address(tree, call))?;
        }
        // As lists of internal transactions have it.
        row.field("index", &call)?;
        row.field("type", &kind(tree, call, frame))?;
        row.field("call_type", &is_call(frame.kind).then(|| frame.kind.name()))?;
        row.digits("from", from.as_ref().map(|from| from.as_str().as_bytes()));
        row.digits("to", to.as_ref().map(|to| to.as_str().as_bytes()));
        row.number("value", tree.value(call))?;
        row.number("gas", frame.gas())?;
        row.number("gas_used", frame.stated_gas_used())?;
        let error = tree.text(frame.error).or_else(|| tree.reason_text(call));
        row.field("error", &error)?;
        row.field("outcome", &tree.outcome(call).map(outcome_name))?;
        self.push_function(call, &mut row)?;
        let reason = frame.failed().then(|| SafeText::new(&names.failure_reason(call)));
        row.field("reason", &reason.filter(|reason| Some(reason) != error.as_ref()))?;
        // The place in the source that a failed call ended at.
        row.field("reverted_at", &names.failure_place(call))?;
        row.field("console", &names.console_line(call))?;
        let events = self.events.map(|events| events.get(&call).map_or(&[][..], Vec::as_slice));
        row.field("events", &events)?;
        row.digits("input", hex_text(tree, frame.input).as_deref());
        // Returned data, revert data or deployed code.
        row.digits("output", hex_text(tree, frame.output).as_deref());
        row.end();
        Ok(())
    }

    fn push_function(&self, call: u32, row: &mut ObjectWriter<'_>) -> io::Result<()> {
        let Self { tree, names, .. } = *self;
        let selector = tree
            .selector(call)
            .map(|selector| hex::Buffer::<4, true>::new().format(&selector).to_owned());
        let exported = names.function(call);
        let function = exported.as_ref();
        row.digits("selector", selector.as_deref().map(str::as_bytes));
        row.field("name", &function.map(|function| &function.name))?;
        row.field("is_guess", &function.map(|function| function.is_guess))?;
        let contract = tree.target_address(call);
        let name = contract.as_ref().and_then(|contract| names.address_name(contract));
        row.field("contract", &name)?;
        row.json("arguments", function.and_then(|function| function.arguments.as_deref()));
        row.json("result", function.and_then(|function| function.result.as_deref()));
        Ok(())
    }

    /// Writes all rows. Each thread formats its share of the pieces, which are written in order.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let pieces = self.scope.piece_count(PIECE_CALLS);
        if pieces < 2 {
            return out.write_all(&self.piece(0, 0)?);
        }
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = cores.min(MAX_THREADS);
        thread::scope(|scope| {
            let formatted: Vec<_> = (0..threads)
                .map(|first| {
                    let (sender, formatted) = mpsc::sync_channel(PIECES_AHEAD);
                    let share = move || {
                        let mut bytes = 0;
                        (0..pieces).skip(first).step_by(threads).try_for_each(|number| {
                            let piece = self.piece(number, bytes);
                            bytes = piece.as_ref().map_or(0, Vec::len);
                            sender.send(piece).ok()
                        })
                    };
                    // The system may refuse a thread: nothing is received from it.
                    let _ = thread::Builder::new().spawn_scoped(scope, share);
                    formatted
                })
                .collect();
            let mut in_order = (0..pieces).zip(formatted.iter().cycle());
            in_order.try_for_each(|(number, formatted)| {
                let piece = formatted.recv().unwrap_or_else(|_| self.piece(number, 0));
                out.write_all(&piece?)
            })
        })
    }
}

impl TraceExport<'_> {
    pub(super) fn write_jsonl(&self, out: &mut dyn Write) -> io::Result<()> {
        self.json_rows(b"\n").write(out)?;
        writeln!(out)
    }

    pub(super) fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "[")?;
        self.json_rows(b",\n").write(out)?;
        writeln!(out, "\n]")
    }

    /// Returns the rows of a short array, without its ends.
    pub(super) fn json_elements(&self) -> io::Result<Vec<u8>> {
        self.json_rows(b",\n").piece(0, 0)
    }

    fn json_rows(&self, separator: &'static [u8]) -> JsonRows<'_> {
        let Self { tree, names, scope, events, .. } = *self;
        JsonRows { tree, names, scope, events, separator }
    }
}

/// Returns the hex in a span as the trace has it, or nothing if it is none.
fn hex_text(tree: &CallTree, span: BodySpan) -> Option<Cow<'_, [u8]>> {
    let text = tree.body.bytes(span);
    // Without a way out of the middle, many digits are compared at once.
    let is_hex =
        text.strip_prefix(b"0x")?.iter().fold(true, |is, digit| is & digit.is_ascii_hexdigit());
    is_hex.then_some(text)
}

fn is_call(kind: CallKind) -> bool {
    matches!(
        kind,
        CallKind::Call | CallKind::StaticCall | CallKind::DelegateCall | CallKind::CallCode
    )
}

fn outcome_name(outcome: CallOutcome) -> &'static str {
    match outcome {
        CallOutcome::Succeeded => "kept",
        CallOutcome::Failed => "failed",
        CallOutcome::Caught => "caught",
        CallOutcome::RolledBack => "undone",
    }
}

/// Returns the type of a call; for an unknown type, its name in the trace.
fn kind(tree: &CallTree, call: u32, frame: &CallFrame) -> Cow<'static, str> {
    match frame.kind {
        kind if is_call(kind) => "call".into(),
        CallKind::Other => {
            let word = declared_type(tree, call, frame).filter(|word| !word.is_empty());
            word.map_or(CallKind::Other.name().into(), |word| word.to_lowercase().into())
        }
        known => known.name().into(),
    }
}

/// Returns the path that a trace with orphans declares. It differs from the path in the tree below a missing
/// parent, which only formats with declared paths can have.
fn trace_address(tree: &CallTree, call: u32) -> Vec<u32> {
    let is_stray = |call: u32| tree.get(call).is_some_and(CallFrame::is_orphan);
    let is_below_orphan = std::iter::once(call).chain(tree.ancestors(call)).any(is_stray);
    let declared = is_below_orphan.then(|| declared_path(tree, call)).flatten();
    declared.unwrap_or_else(|| tree.path(call))
}

fn declared_path(tree: &CallTree, call: u32) -> Option<Vec<u32>> {
    #[derive(Deserialize)]
    struct Placed {
        #[serde(rename = "traceAddress")]
        path: Vec<u32>,
    }
    serde_json::from_str::<Placed>(&raw_json(tree, call)).ok().map(|placed| placed.path)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::test_util::{calls_by_level_ups, sample_tree};

    proptest! {
        #[test]
        fn paths_follow_each_other(
            ups in prop::collection::vec(0usize..4, 0..60),
            skipped in prop::collection::vec(any::<bool>(), 61),
        ) {
            let tree = sample_tree(&calls_by_level_ups(&ups));
            let mut path = PathText::default();
            let calls = (0..tree.len()).zip(skipped).filter(|(_, is_skipped)| !is_skipped);
            for (call, _) in calls {
                path.move_to(&tree, call);
                let numbers: Vec<String> = tree.path(call).iter().map(u32::to_string).collect();
                prop_assert_eq!(String::from_utf8_lossy(&path.text), numbers.join(","));
            }
        }
    }
}
