//! One entry of a trace as JSON of its own.

use serde_json::{Map, Value};

use crate::sanitize::{Text, json_line};
use crate::trace::input_data::LONGEST;
use crate::trace::{Dialect, Frame, Span, Tree};

/// A call as the explorer sent it, on one line; of a nested one, without the calls in it.
pub fn json(tree: &Tree, number: u32) -> Text {
    Text::new(&json_line(&raw(tree, number)))
}

/// The JSON of a call, unescaped for nothing: it is shown through [`json_line`] or a tree of JSON.
pub fn raw(tree: &Tree, number: u32) -> String {
    let Some(frame) = tree.get(number) else { return "null".into() };
    let whole = frame.entry.is_some() && frame.entry.len() < LONGEST && !frame.is_open();
    if whole && *tree.dialect() != Dialect::CallTracer {
        return String::from_utf8_lossy(&tree.body.bytes(frame.entry)).into_owned();
    }
    Value::Object(fields(tree, frame)).to_string()
}

fn fields(tree: &Tree, frame: &Frame) -> Map<String, Value> {
    let text = |span: Span| tree.text(span).map(|text| Value::String(text.to_string()));
    let gas = |gas: Option<u64>| gas.map(|gas| Value::String(format!("{gas:#x}")));
    let kind = super::row::kind_name(frame.kind);
    let fields = [
        ("type", Some(Value::String(kind.to_ascii_uppercase()))),
        ("from", text(frame.from)),
        ("to", text(frame.to)),
        ("value", text(frame.value)),
        ("gas", gas(frame.gas())),
        ("gasUsed", gas(frame.used())),
        ("input", text(frame.input)),
        ("output", text(frame.output)),
        ("error", text(frame.error)),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
