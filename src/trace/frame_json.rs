//! The JSON of one call.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::sanitize::{SafeText, json_line};
use crate::trace::body::MAX_SPAN_LEN;
use crate::trace::{BodySpan, CallFrame, CallTree, TraceFormat};

/// Maximum bytes of an entry, with the subtree if it is nested, that is parsed again for its type.
pub const MAX_REPARSED_ENTRY_BYTES: u64 = 4 << 10;

/// Returns a call as the explorer sent it, on one line. For nested traces the inner calls are left out.
pub fn frame_json(tree: &CallTree, call: u32) -> SafeText {
    SafeText::new(&json_line(&raw_json(tree, call)))
}

/// Returns the JSON of a call, not sanitized. Show it through [`json_line`] or the JSON view only.
pub fn raw_json(tree: &CallTree, call: u32) -> String {
    let Some(frame) = tree.get(call) else { return "null".into() };
    let whole = frame.entry.is_some() && frame.entry.len() < MAX_SPAN_LEN && !frame.is_unfinished();
    if whole && *tree.format() != TraceFormat::CallTracer {
        return String::from_utf8_lossy(&tree.body.bytes(frame.entry)).into_owned();
    }
    Value::Object(frame_fields(tree, call, frame)).to_string()
}

/// Returns the type of a call in the words of the trace.
pub fn declared_type(tree: &CallTree, call: u32, frame: &CallFrame) -> Option<SafeText> {
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

fn frame_fields(tree: &CallTree, call: u32, frame: &CallFrame) -> Map<String, Value> {
    let text = |span: BodySpan| tree.text(span).map(|text| Value::String(text.to_string()));
    let gas = |gas: Option<u64>| gas.map(|gas| Value::String(format!("{gas:#x}")));
    let kind = frame.kind.name();
    let output = if tree.reason_text(call).is_some() { "revertReason" } else { "output" };
    let fields = [
        ("type", Some(Value::String(kind.to_ascii_uppercase()))),
        ("from", text(frame.from)),
        ("to", text(frame.to)),
        ("value", text(frame.value)),
        ("gas", gas(frame.gas())),
        ("gasUsed", gas(frame.stated_gas_used())),
        ("input", text(frame.input)),
        (output, text(frame.output)),
        ("error", text(frame.error)),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::parser::parse_trace;

    #[test]
    fn nested_call_has_only_what_the_node_stated() {
        for (sent, json) in [
            (
                r#"{"gas":"0x9","error":"out of gas"}"#,
                r#"{"error":"out of gas","gas":"0x9","type":"CALL"}"#,
            ),
            (
                r#"{"error":null,"revertReason":"too low","output":"0x"}"#,
                r#"{"revertReason":"too low","type":"CALL"}"#,
            ),
        ] {
            let tree = parse_trace(sent.replacen('{', r#"{"type":"CALL","calls":[],"#, 1).into());
            assert_eq!(&*frame_json(&tree, 0), json);
        }
    }
}
