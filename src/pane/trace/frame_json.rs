//! One entry of a trace as JSON of its own.

use serde_json::{Map, Value};

use crate::sanitize::{SafeText, json_line};
use crate::trace::input_data::MAX_SPAN_LEN;
use crate::trace::{BodySpan, CallFrame, CallTree, TraceFormat};

/// A call as the explorer sent it, on one line; of a nested one, without the calls in it.
pub fn frame_json(tree: &CallTree, number: u32) -> SafeText {
    SafeText::new(&json_line(&raw_json(tree, number)))
}

/// The JSON of a call, unescaped for nothing: it is shown through [`json_line`] or a tree of JSON.
pub fn raw_json(tree: &CallTree, number: u32) -> String {
    let Some(frame) = tree.get(number) else { return "null".into() };
    let whole = frame.entry.is_some() && frame.entry.len() < MAX_SPAN_LEN && !frame.is_unfinished();
    if whole && *tree.format() != TraceFormat::CallTracer {
        return String::from_utf8_lossy(&tree.body.bytes(frame.entry)).into_owned();
    }
    Value::Object(frame_fields(tree, frame)).to_string()
}

fn frame_fields(tree: &CallTree, frame: &CallFrame) -> Map<String, Value> {
    let text = |span: BodySpan| tree.text(span).map(|text| Value::String(text.to_string()));
    let gas = |gas: Option<u64>| gas.map(|gas| Value::String(format!("{gas:#x}")));
    let kind = super::row::kind_name(frame.kind);
    let fields = [
        ("type", Some(Value::String(kind.to_ascii_uppercase()))),
        ("from", text(frame.from)),
        ("to", text(frame.to)),
        ("value", text(frame.value)),
        ("gas", gas(frame.gas())),
        ("gasUsed", gas(frame.gas_used())),
        ("input", text(frame.input)),
        ("output", text(frame.output)),
        ("error", text(frame.error)),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
