//! The JSON formats: one object per call, on lines or in one array.

use std::io::{self, Write};

use alloy_primitives::hex::encode_prefixed;
use serde::{Deserialize, Serialize};

use super::{CallNames, TraceExport};
use crate::sanitize::{SafeText, sanitize};
use crate::trace::frame_json::raw_json;
use crate::trace::{BodySpan, CallFrame, CallKind, CallOutcome, CallTree, TraceFormat};

/// Upper bound on a nested entry, which contains its subtree, that is parsed again for its type.
const MAX_REPARSED_ENTRY_BYTES: u64 = 4 << 10;

#[derive(Serialize)]
struct JsonCall {
    depth: u16,
    trace_address: Vec<u32>,
    #[serde(rename = "type")]
    kind: String,
    call_type: Option<&'static str>,
    from: Option<String>,
    to: Option<String>,
    value: Option<String>,
    gas: Option<String>,
    gas_used: Option<String>,
    error: Option<String>,
    outcome: Option<&'static str>,
    selector: Option<String>,
    name: Option<String>,
}

impl JsonCall {
    fn new(tree: &CallTree, names: &dyn CallNames, call: u32, frame: &CallFrame) -> Self {
        let address = |span: BodySpan| tree.address(span).map(|address| format!("{address:#x}"));
        let decimal = |gas: Option<u64>| gas.map(|gas| gas.to_string());
        let error = tree.text(frame.error).or_else(|| tree.reason_text(call));
        Self {
            depth: frame.depth,
            trace_address: trace_address(tree, call),
            kind: kind(tree, call, frame),
            call_type: is_call(frame.kind).then(|| frame.kind.name()),
            from: address(frame.from),
            to: address(frame.to),
            value: tree.value(call).map(|wei| wei.to_string()),
            gas: decimal(frame.gas()),
            gas_used: decimal(frame.stated_gas_used()),
            error: error.map(|words| words.to_string()),
            outcome: tree.outcome(call).map(outcome_name),
            selector: tree.selector(call).map(encode_prefixed),
            name: names.function_name(call).map(|name| sanitize(&name).into_owned()),
        }
    }
}

impl TraceExport<'_> {
    pub(super) fn write_jsonl(&self, out: &mut dyn Write) -> io::Result<()> {
        self.scope.calls(self.tree).try_for_each(|(call, frame)| {
            self.write_row(call, frame, out)?;
            writeln!(out)
        })
    }

    pub(super) fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "[")?;
        let mut comma = "\n";
        for (call, frame) in self.scope.calls(self.tree) {
            write!(out, "{comma}")?;
            self.write_row(call, frame, out)?;
            comma = ",\n";
        }
        writeln!(out, "\n]")
    }

    fn write_row(&self, call: u32, frame: &CallFrame, out: &mut dyn Write) -> io::Result<()> {
        let row = JsonCall::new(self.tree, self.names, call, frame);
        Ok(serde_json::to_writer(out, &row)?)
    }
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

/// Returns the type of a call; of an unknown one, what the trace calls it.
fn kind(tree: &CallTree, call: u32, frame: &CallFrame) -> String {
    match frame.kind {
        kind if is_call(kind) => "call".into(),
        CallKind::Other => {
            let word = declared_type(tree, call, frame).filter(|word| !word.is_empty());
            word.map_or_else(|| CallKind::Other.name().into(), |word| word.to_lowercase())
        }
        known => known.name().into(),
    }
}

fn declared_type(tree: &CallTree, call: u32, frame: &CallFrame) -> Option<SafeText> {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(rename = "type")]
        word: String,
    }
    let entry = match tree.format() {
        TraceFormat::CallTracer if frame.entry.len() > MAX_REPARSED_ENTRY_BYTES => return None,
        TraceFormat::CallTracer => {
            String::from_utf8_lossy(&tree.body.bytes(frame.entry)).into_owned()
        }
        _ => raw_json(tree, call),
    };
    serde_json::from_str::<Typed>(&entry).ok().map(|typed| SafeText::new(&typed.word))
}

/// Returns the path that the trace declares. It differs from the path in the tree below a missing
/// parent, which only formats whose entries declare their paths can have.
fn trace_address(tree: &CallTree, call: u32) -> Vec<u32> {
    let is_stray = |call: u32| tree.get(call).is_some_and(CallFrame::is_orphan);
    let is_below_orphan = || std::iter::once(call).chain(tree.ancestors(call)).any(is_stray);
    let declared =
        (tree.orphan_count() > 0 && is_below_orphan()).then(|| declared_path(tree, call)).flatten();
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
