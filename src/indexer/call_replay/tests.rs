//! Steps as no EVM takes them.

use serde_json::{Value, json};

use super::*;

const CALLEE: u64 = 0xcafe;

fn transaction() -> TransactionRecord {
    let zero = format!("0x{}", "0".repeat(64));
    let record = json!({
        "hash": zero, "block_number": 1, "position": 0, "value": "7", "gas_price": "1",
        "from": Address::ZERO, "to": Address::repeat_byte(1), "created_contract": null,
        "type": 2, "gas_used": "50000", "gas_limit": "90000", "max_fee_per_gas": null,
        "max_priority_fee_per_gas": null, "base_fee_per_gas": null, "nonce": 0,
        "raw_input": "0x", "result": "success", "revert_reason": null,
        "has_error_in_internal_transactions": false, "authorization_list": [],
    });
    serde_json::from_str(&record.to_string()).unwrap()
}

fn step(depth: u64, op: &str, stack: &[U256], memory: &Value) -> Value {
    let stack: Vec<String> = stack.iter().rev().map(|word| format!("{word:064x}")).collect();
    json!({"depth": depth, "op": op, "gas": 60_000, "gasCost": 3, "stack": stack, "memory": memory})
}

/// A call whose input is a part of the memory.
fn call(depth: u64, offset: U256, length: U256, memory: &Value) -> Value {
    let [gas, zero] = [U256::from(30_000), U256::ZERO];
    let stack = [gas, U256::from(CALLEE), U256::from(5), offset, length, zero, zero];
    step(depth, "CALL", &stack, memory)
}

fn replayed(steps: &[Value]) -> Result<Vec<RpcCall>, ReplayError> {
    let answer = json!({ "structLogs": steps }).to_string();
    replay(&RawValue::from_string(answer).unwrap(), &transaction(), true)
}

fn plain(depth: u64) -> Value {
    step(depth, "STOP", &[U256::ONE], &json!([]))
}

#[test]
fn steps_that_skip_a_call_are_refused() {
    let call = || call(1, U256::ZERO, U256::ZERO, &json!([]));
    let skipped = Err(ReplayError::Skipped);
    for depths in [vec![1, 2, 1], vec![3, 2, 3], vec![1, u64::MAX], vec![1, 0]] {
        let steps: Vec<Value> = depths.iter().map(|depth| plain(*depth)).collect();
        assert_eq!(replayed(&steps).map(|calls| calls.len()), skipped, "{depths:?}");
    }
    assert_eq!(replayed(&[call(), plain(3), plain(1)]).map(|calls| calls.len()), skipped);
    assert_eq!(replayed(&[call(), plain(2)]).map(|calls| calls.len()), skipped);
    assert_eq!(replayed(&[call(), plain(2), plain(1)]).map(|calls| calls.len()), Ok(2));
}

#[test]
fn creation_that_fails_calls_in_the_name_of_the_contract_that_is_not() {
    let failed =
        TransactionRecord { to: None, error: Some("Reverted".into()), nonce: 7, ..transaction() };
    let steps = [call(1, U256::ZERO, U256::ZERO, &json!([])), plain(2), plain(1)];
    let answer = json!({ "structLogs": steps }).to_string();
    let calls = replay(&RawValue::from_string(answer).unwrap(), &failed, true).unwrap();
    assert_eq!((calls[0].to, calls[1].from), (None, Some(failed.from.create(7))));
}

#[test]
fn what_steps_do_not_tell_is_unknown() {
    let (zero, word) = (U256::ZERO, U256::from(32));
    for memory in [json!(null), json!(7), json!(["zz"]), json!(["00"])] {
        let calls = replayed(&[call(1, zero, word, &memory), plain(2), plain(1)]).unwrap();
        assert_eq!((calls[1].input.as_ref(), calls[1].value), (None, Some(U256::from(5))));
    }
    // Memory is zero beyond its end.
    let memory = json!(["ff".repeat(32)]);
    let calls = replayed(&[call(1, U256::from(31), word, &memory), plain(2), plain(1)]).unwrap();
    assert_eq!(calls[1].input.as_ref().unwrap()[..2], [0xff, 0]);
    assert_eq!((calls[1].from, calls[1].gas), (Some(Address::repeat_byte(1)), Some(60_000)));
    let mut without_gas = plain(2);
    without_gas["gas"] = json!("0x10000000000000000");
    let calls = replayed(&[call(1, zero, zero, &memory), without_gas, plain(1)]).unwrap();
    assert_eq!((calls[1].gas, calls[1].gas_used), (None, None));
    let far = call(1, U256::MAX, word, &memory);
    assert_eq!(replayed(&[far, plain(2), plain(1)]).unwrap()[1].input, None);
}

#[test]
fn hostile_stacks_and_sizes_are_refused() {
    let too_large = Err(ReplayError::TooLarge);
    let huge = call(1, U256::ZERO, U256::MAX, &json!([]));
    assert_eq!(replayed(&[huge, plain(2), plain(1)]).map(|calls| calls.len()), too_large);
    // Each is zeros that the node need not send.
    let many = call(1, U256::ZERO, U256::from(9 << 20), &json!([]));
    let repeated: Vec<Value> = (0..8).flat_map(|_| [many.clone(), plain(2), plain(1)]).collect();
    assert_eq!(replayed(&repeated).map(|calls| calls.len()), too_large);
    // The places of nested calls take the square of their depth.
    let deep = (1..9_000).map(|depth| call(depth, U256::ZERO, U256::ZERO, &json!([])));
    assert_eq!(replayed(&deep.collect::<Vec<_>>()).map(|calls| calls.len()), too_large);
    for stack in [json!(null), json!([]), json!(["zz"]), json!(vec!["f".repeat(65); 7]), json!([7])]
    {
        let mut asked = call(1, U256::ZERO, U256::ZERO, &json!([]));
        asked["stack"] = stack;
        let calls = replayed(&[asked, plain(2)]);
        assert_eq!(calls.map(|calls| calls.len()), Err(ReplayError::NoStack));
    }
    assert!(matches!(replayed(&[json!({"op": "STOP"})]), Err(ReplayError::NotAStep)));
    assert_eq!(replayed(&[]).map(|calls| calls.len()), Err(ReplayError::NoSteps));
}
