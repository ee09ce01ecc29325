//! The JSON formats: one object per call, on lines or in one array.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::mpsc;
use std::thread;

use alloy_primitives::hex;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{CallEvents, CallNames, ExportScope, ExportedFunction, TraceExport};
use crate::chain::hash_abbreviation::ADDRESS_WIDTH;
use crate::chain::{Address, U256};
use crate::sanitize::SafeText;
use crate::trace::frame_json::{declared_type, raw_json};
use crate::trace::{BodySpan, CallFrame, CallKind, CallOutcome, CallTree};

/// Calls in a piece of the output, which one of two threads formats.
const PIECE_CALLS: u32 = 4 << 10;

#[derive(Serialize)]
struct JsonCall<'a> {
    depth: u16,
    trace_address: Vec<u32>,
    /// Number of the call in the trace from 0, as lists of internal transactions have it.
    index: u32,
    #[serde(rename = "type")]
    kind: Cow<'static, str>,
    call_type: Option<&'static str>,
    from: Option<ChecksummedAddress>,
    to: Option<ChecksummedAddress>,
    value: Option<Quoted<U256>>,
    gas: Option<Quoted<u64>>,
    gas_used: Option<Quoted<u64>>,
    error: Option<SafeText>,
    outcome: Option<&'static str>,
    selector: Option<HexBytes<4>>,
    name: Option<Cow<'a, str>>,
    is_guess: Option<bool>,
    /// Name of the called contract.
    contract: Option<Cow<'a, str>>,
    arguments: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    reason: Option<SafeText>,
    /// Place in the source that a failed call ended at.
    reverted_at: Option<&'a SafeText>,
    console: Option<SafeText>,
    events: Option<&'a [Box<RawValue>]>,
    input: Option<Cow<'a, str>>,
    /// Returned data, revert data or deployed code.
    output: Option<Cow<'a, str>>,
}

/// An address with its checksum.
#[derive(Clone, Copy)]
struct ChecksummedAddress([u8; ADDRESS_WIDTH]);

impl Serialize for ChecksummedAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&String::from_utf8_lossy(&self.0))
    }
}

/// The checksums of the addresses in a piece: each costs a hash, and most calls have the addresses of others.
#[derive(Default)]
struct Checksums(HashMap<Address, ChecksummedAddress>);

impl Checksums {
    fn get(&mut self, tree: &CallTree, span: BodySpan) -> Option<ChecksummedAddress> {
        let address = tree.address(span)?;
        Some(*self.0.entry(address).or_insert_with(|| {
            let mut text = [0; ADDRESS_WIDTH];
            let _: &mut str = address.to_checksum_raw(&mut text, None);
            ChecksummedAddress(text)
        }))
    }
}

struct HexBytes<const BYTES: usize>([u8; BYTES]);

impl<const BYTES: usize> Serialize for HexBytes<BYTES> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(hex::Buffer::<BYTES, true>::new().format(&self.0))
    }
}

/// A number as a string, because JSON readers round large numbers.
struct Quoted<T>(T);

impl<T: Display> Serialize for Quoted<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'a> JsonCall<'a> {
    fn new(
        (tree, names): (&'a CallTree, &'a dyn CallNames),
        checksums: &mut Checksums,
        call: u32,
        frame: &CallFrame,
    ) -> Self {
        let function = names.function(call);
        let is_guess = function.as_ref().map(|function| function.is_guess);
        let (name, arguments, result) = match function {
            Some(ExportedFunction { name, arguments, result, .. }) => {
                (Some(name), arguments, result)
            }
            None => (None, None, None),
        };
        let error = tree.text(frame.error).or_else(|| tree.reason_text(call));
        let reason = frame
            .failed()
            .then(|| SafeText::new(&names.failure_reason(call)))
            .filter(|reason| Some(reason) != error.as_ref());
        Self {
            depth: frame.depth,
            trace_address: trace_address(tree, call),
            index: call,
            kind: kind(tree, call, frame),
            call_type: is_call(frame.kind).then(|| frame.kind.name()),
            from: checksums.get(tree, frame.from),
            to: checksums.get(tree, frame.to),
            value: tree.value(call).map(Quoted),
            gas: frame.gas().map(Quoted),
            gas_used: frame.stated_gas_used().map(Quoted),
            error,
            outcome: tree.outcome(call).map(outcome_name),
            selector: tree.selector(call).map(HexBytes),
            name,
            is_guess,
            contract: tree.target_address(call).and_then(|contract| names.address_name(&contract)),
            arguments,
            result,
            reason,
            reverted_at: names.failure_place(call),
            console: names.console_line(call),
            events: None,
            input: hex_text(tree, frame.input),
            output: hex_text(tree, frame.output),
        }
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
    /// Formats the rows of one piece, each after a separator except for the first of all.
    fn piece(&self, number: u32) -> serde_json::Result<Vec<u8>> {
        let (mut piece, mut checksums) = (Vec::new(), Checksums::default());
        for (call, frame) in self.scope.piece(number, PIECE_CALLS).calls(self.tree) {
            if number > 0 || !piece.is_empty() {
                piece.extend_from_slice(self.separator);
            }
            let mut row = JsonCall::new((self.tree, self.names), &mut checksums, call, frame);
            row.events =
                self.events.map(|events| events.get(&call).map(Vec::as_slice).unwrap_or_default());
            serde_json::to_writer(&mut piece, &row)?;
        }
        Ok(piece)
    }

    /// Writes all rows. A second thread formats every other piece.
    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        let pieces = self.scope.piece_count(PIECE_CALLS);
        if pieces < 2 {
            return out.write_all(&self.piece(0)?);
        }
        thread::scope(|threads| {
            let (formatted, odd_pieces) = mpsc::sync_channel(2);
            threads.spawn(move || {
                let mut odd = (1..pieces).step_by(2);
                odd.try_for_each(|number| formatted.send(self.piece(number)).ok())
            });
            for number in (0..pieces).step_by(2) {
                out.write_all(&self.piece(number)?)?;
                if let Some(odd) = odd_pieces.recv().ok().transpose()? {
                    out.write_all(&odd)?;
                }
            }
            Ok(())
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
        Ok(self.json_rows(b",\n").piece(0)?)
    }

    fn json_rows(&self, separator: &'static [u8]) -> JsonRows<'_> {
        let Self { tree, names, scope, events, .. } = *self;
        JsonRows { tree, names, scope, events, separator }
    }
}

/// Returns the hex in a span as the trace has it, or nothing if it is none.
fn hex_text(tree: &CallTree, span: BodySpan) -> Option<Cow<'_, str>> {
    if !span.is_some() {
        return None;
    }
    let text = match tree.body.bytes(span) {
        Cow::Borrowed(bytes) => Cow::Borrowed(str::from_utf8(bytes).ok()?),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8(bytes).ok()?),
    };
    let digits = text.strip_prefix("0x")?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(text)
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

/// Returns the path that the trace declares. It differs from the path in the tree below a missing
/// parent, which only formats with declared paths can have.
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
