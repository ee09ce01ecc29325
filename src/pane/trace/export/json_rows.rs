//! Calls as JSON objects, one a line or in one array.

use std::io::{self, Write};

use alloy_primitives::hex::encode_prefixed;
use serde::{Deserialize, Serialize};

use super::super::call_labels::CallFormatter;
use super::super::frame_json;
use super::super::row::kind_name;
use super::TraceExport;
use crate::sanitize::{SafeText, sanitize};
use crate::trace::{BodySpan, CallFrame, CallKind, CallOutcome, CallTree, TraceFormat};

/// Of a nested entry, which holds all calls below it, no more than this is read again for its type.
const MAX_REPARSED_ENTRY_BYTES: u64 = 4 << 10;

/// A call. The order of the fields is that of the output.
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
    fn of(names: &CallFormatter<'_>, number: u32, frame: &CallFrame) -> Self {
        let tree = names.tree;
        let address = |span: BodySpan| tree.address(span).map(|address| format!("{address:#x}"));
        let decimal = |gas: Option<u64>| gas.map(|gas| gas.to_string());
        Self {
            depth: frame.depth,
            trace_address: trace_address(tree, number),
            kind: kind(tree, number, frame),
            call_type: is_call(frame.kind).then(|| kind_name(frame.kind)),
            from: address(frame.from),
            to: address(frame.to),
            value: tree.value(number).map(|wei| wei.to_string()),
            gas: decimal(frame.gas()),
            gas_used: decimal(frame.gas_used()),
            error: tree.text(frame.error).map(|words| words.to_string()),
            outcome: tree.outcome(number).map(outcome_name),
            selector: tree.selector(number).map(encode_prefixed),
            name: names.call_label(number).name.map(|name| sanitize(&name).into_owned()),
        }
    }
}

impl TraceExport<'_> {
    /// Writes an object a line.
    pub(super) fn jsonl(&self, out: &mut dyn Write) -> io::Result<()> {
        self.scope.calls(self.names.tree).try_for_each(|(number, frame)| {
            serde_json::to_writer(&mut *out, &JsonCall::of(&self.names, number, frame))?;
            writeln!(out)
        })
    }

    /// Writes one array.
    pub(super) fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "[")?;
        let mut comma = "\n";
        for (number, frame) in self.scope.calls(self.names.tree) {
            write!(out, "{comma}")?;
            serde_json::to_writer(&mut *out, &JsonCall::of(&self.names, number, frame))?;
            comma = ",\n";
        }
        writeln!(out, "\n]")
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

/// The type of an entry; of one that is not known here, the trace's own word for it.
fn kind(tree: &CallTree, number: u32, frame: &CallFrame) -> String {
    match frame.kind {
        CallKind::Call | CallKind::StaticCall | CallKind::DelegateCall | CallKind::CallCode => {
            "call".into()
        }
        CallKind::Other => {
            let word = declared_type(tree, number, frame).filter(|word| !word.is_empty());
            word.map_or_else(|| kind_name(CallKind::Other).into(), |word| word.to_lowercase())
        }
        known => kind_name(known).into(),
    }
}

fn declared_type(tree: &CallTree, number: u32, frame: &CallFrame) -> Option<SafeText> {
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
        _ => frame_json::raw_json(tree, number),
    };
    serde_json::from_str::<Typed>(&entry).ok().map(|typed| SafeText::new(&typed.word))
}

/// The path of a call as the trace says it, also where callers are missing in between: that happens
/// only where every entry has its own.
fn trace_address(tree: &CallTree, number: u32) -> Vec<u32> {
    let is_stray = |call: u32| tree.get(call).is_some_and(CallFrame::is_orphan);
    let is_off = || std::iter::once(number).chain(tree.ancestors(number)).any(is_stray);
    let said = (tree.orphan_count() > 0 && is_off()).then(|| declared_path(tree, number)).flatten();
    said.unwrap_or_else(|| tree.path(number))
}

fn declared_path(tree: &CallTree, number: u32) -> Option<Vec<u32>> {
    #[derive(Deserialize)]
    struct Placed {
        #[serde(rename = "traceAddress")]
        path: Vec<u32>,
    }
    serde_json::from_str::<Placed>(&frame_json::raw_json(tree, number))
        .ok()
        .map(|placed| placed.path)
}
