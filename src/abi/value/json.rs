//! Decoded values as JSON, the same in all formats for programs.

use alloy_primitives::hex;
use serde_json::{Value, json};

use super::{AbiValue, Argument, DecodedCall};

/// Returns a call or an error: its signature, where that is from, and the arguments.
pub fn call_json(call: &DecodedCall) -> Value {
    let alternatives: Vec<String> = call.alternatives.iter().map(ToString::to_string).collect();
    json!({
        "name": call.name.to_string(),
        "signature": call.signature.to_string(),
        "source": call.source.describe().to_string(),
        "is_guess": call.is_guess(),
        "alternatives": alternatives,
        "arguments": arguments_json(&call.arguments),
    })
}

/// Returns arguments with their names and types.
pub fn arguments_json(arguments: &[Argument]) -> Vec<Value> {
    arguments
        .iter()
        .map(|argument| {
            json!({
                "name": argument.name.to_string(),
                "type": argument.type_name.to_string(),
                "value": value_json(&argument.value),
            })
        })
        .collect()
}

/// Returns a value: numbers as decimal strings, bytes as hex, and a call in bytes as an object.
pub fn value_json(value: &AbiValue) -> Value {
    match value {
        AbiValue::Bool(is) => (*is).into(),
        AbiValue::Uint(number) => number.to_string().into(),
        AbiValue::Int(number) => number.to_string().into(),
        AbiValue::Address(address) => address.to_string().into(),
        AbiValue::FixedBytes(word, bytes) => {
            hex::encode_prefixed(word.get(..*bytes).unwrap_or_default()).into()
        }
        AbiValue::Bytes(bytes) => bytes.to_string().into(),
        AbiValue::String(text) => String::from_utf8_lossy(text).into_owned().into(),
        AbiValue::Call(bytes, call) => {
            json!({ "bytes": bytes.to_string(), "call": call_json(call) })
        }
        AbiValue::Array(_, items) => items.iter().map(value_json).collect(),
        AbiValue::Tuple(fields, values) => {
            let fields = fields.iter().zip(values).map(|(field, value)| {
                json!({
                    "name": field.name.to_string(),
                    "type": field.ty.to_string(),
                    "value": value_json(value),
                })
            });
            fields.collect()
        }
    }
}
