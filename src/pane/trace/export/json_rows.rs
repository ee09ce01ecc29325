//! Calls as JSON objects, one a line or in one array.

use std::io::{self, Write};

use alloy_primitives::hex::encode_prefixed;
use serde::{Deserialize, Serialize};

use super::super::call_labels::Names;
use super::super::frame_json;
use super::super::row::kind_name;
use super::Export;
use crate::sanitize::{Text, clean};
use crate::trace::{Dialect, Frame, Kind, Outcome, Span, Tree};

/// Of a nested entry, which holds all calls below it, no more than this is read again for its type.
const ENTRY: u64 = 4 << 10;

/// A call. The order of the fields is that of the output.
#[derive(Serialize)]
struct Row {
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

impl Row {
    fn of(names: &Names<'_>, number: u32, frame: &Frame) -> Self {
        let tree = names.tree;
        let address = |span: Span| tree.address(span).map(|address| format!("{address:#x}"));
        let decimal = |gas: Option<u64>| gas.map(|gas| gas.to_string());
        Self {
            depth: frame.depth,
            trace_address: path(tree, number),
            kind: kind(tree, number, frame),
            call_type: is_call(frame.kind).then(|| kind_name(frame.kind)),
            from: address(frame.from),
            to: address(frame.to),
            value: tree.value(number).map(|wei| wei.to_string()),
            gas: decimal(frame.gas()),
            gas_used: decimal(frame.used()),
            error: tree.text(frame.error).map(|words| words.to_string()),
            outcome: tree.outcome(number).map(outcome_word),
            selector: tree.selector(number).map(encode_prefixed),
            name: names.called(number).name.map(|name| clean(&name).into_owned()),
        }
    }
}

impl Export<'_> {
    /// Writes an object a line.
    pub(super) fn jsonl(&self, out: &mut dyn Write) -> io::Result<()> {
        self.scope.calls(self.names.tree).try_for_each(|(number, frame)| {
            serde_json::to_writer(&mut *out, &Row::of(&self.names, number, frame))?;
            writeln!(out)
        })
    }

    /// Writes one array.
    pub(super) fn json(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "[")?;
        let mut comma = "\n";
        for (number, frame) in self.scope.calls(self.names.tree) {
            write!(out, "{comma}")?;
            serde_json::to_writer(&mut *out, &Row::of(&self.names, number, frame))?;
            comma = ",\n";
        }
        writeln!(out, "\n]")
    }
}

fn is_call(kind: Kind) -> bool {
    matches!(kind, Kind::Call | Kind::StaticCall | Kind::DelegateCall | Kind::CallCode)
}

fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Kept => "kept",
        Outcome::Failed => "failed",
        Outcome::Caught => "caught",
        Outcome::Undone => "undone",
    }
}

/// The type of an entry; of one that is not known here, the trace's own word for it.
fn kind(tree: &Tree, number: u32, frame: &Frame) -> String {
    match frame.kind {
        Kind::Call | Kind::StaticCall | Kind::DelegateCall | Kind::CallCode => "call".into(),
        Kind::Other => {
            let word = type_word(tree, number, frame).filter(|word| !word.is_empty());
            word.map_or_else(|| kind_name(Kind::Other).into(), |word| word.to_lowercase())
        }
        known => kind_name(known).into(),
    }
}

fn type_word(tree: &Tree, number: u32, frame: &Frame) -> Option<Text> {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(rename = "type")]
        word: String,
    }
    let entry = match tree.dialect() {
        Dialect::CallTracer if frame.entry.len() > ENTRY => return None,
        Dialect::CallTracer => String::from_utf8_lossy(&tree.body.bytes(frame.entry)).into_owned(),
        _ => frame_json::raw(tree, number),
    };
    serde_json::from_str::<Typed>(&entry).ok().map(|typed| Text::new(&typed.word))
}

/// The path of a call as the trace says it, also where callers are missing in between: that happens
/// only where every entry has its own.
fn path(tree: &Tree, number: u32) -> Vec<u32> {
    let is_stray = |call: u32| tree.get(call).is_some_and(Frame::is_stray);
    let is_off = || std::iter::once(number).chain(tree.above(number)).any(is_stray);
    let said = (tree.strays() > 0 && is_off()).then(|| said_path(tree, number)).flatten();
    said.unwrap_or_else(|| tree.path(number))
}

fn said_path(tree: &Tree, number: u32) -> Option<Vec<u32>> {
    #[derive(Deserialize)]
    struct Placed {
        #[serde(rename = "traceAddress")]
        path: Vec<u32>,
    }
    serde_json::from_str::<Placed>(&frame_json::raw(tree, number)).ok().map(|placed| placed.path)
}
