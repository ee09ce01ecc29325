//! Writes calls in the format of `trace_transaction`. Unknown fields are left out.

use std::collections::HashMap;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::chain::U256;
use crate::chain::call_kind::CallKind;
use crate::rpc::wire::call::RpcCall;

pub(in crate::indexer) fn flat_trace(calls: &[RpcCall]) -> serde_json::Result<Box<RawValue>> {
    let mut children: HashMap<&[u32], usize> = HashMap::new();
    for call in calls {
        if let Some((_, parent)) = call.trace_address.split_last() {
            *children.entry(parent).or_default() += 1;
        }
    }
    let subtraces = |call: &RpcCall| children.get(&*call.trace_address).copied();
    // Each becomes text before the next: inputs are large.
    let entries = calls.iter().map(|call| to_raw_value(&entry(call, subtraces(call).unwrap_or(0))));
    to_raw_value(&entries.collect::<Result<Vec<_>, _>>()?)
}

fn entry(call: &RpcCall, subtraces: usize) -> Value {
    let RpcCall { from, to, value, input, output, error, .. } = call;
    let [gas, gas_used] = [call.gas, call.gas_used].map(|gas| gas.map(U256::from));
    let name = call.kind.name();
    let (kind, action, result) = match call.kind {
        CallKind::Create | CallKind::Create2 => (
            "create",
            json!({"from": from, "value": value, "gas": gas, "init": input, "creationMethod": name}),
            json!({"address": to, "code": output, "gasUsed": gas_used}),
        ),
        CallKind::SelfDestruct => (
            "suicide",
            json!({"address": from, "refundAddress": to, "balance": value}),
            Value::Null,
        ),
        _ => (
            "call",
            json!({
                "from": from, "to": to, "value": value, "gas": gas, "input": input, "callType": name,
            }),
            json!({"output": output, "gasUsed": gas_used}),
        ),
    };
    let has_result = error.is_none() || output.is_some();
    known(json!({
        "type": kind, "action": known(action), "result": has_result.then(|| known(result)),
        "error": error, "subtraces": subtraces, "traceAddress": call.trace_address,
    }))
}

fn known(mut object: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::wire::call::RpcCalls;

    #[test]
    fn entries_count_their_calls_and_leave_out_what_is_unknown() {
        let calls = r#"{"type":"CALL","calls":[
            {"type":"CALL","calls":[{"type":"STATICCALL"}]},
            {"type":"CALL","error":"out of gas"}]}"#;
        let calls: RpcCalls = serde_json::from_str(calls).unwrap();
        let trace: Vec<Value> = serde_json::from_str(flat_trace(&calls.0).unwrap().get()).unwrap();
        let counts: Vec<_> = trace.iter().map(|entry| entry["subtraces"].as_u64()).collect();
        assert_eq!(counts, [2, 1, 0, 0].map(Some));
        let has_result = |entry: &Value| entry.get("result").is_some();
        assert_eq!(trace.iter().map(has_result).collect::<Vec<_>>(), [true, true, true, false]);
        assert_eq!(trace[0]["action"], json!({ "callType": "call" }));
    }
}
