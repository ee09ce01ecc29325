//! Blocks, transactions, receipts and calls as four nodes sent them, and as none should.

use chainglass::test_api::chain::{Address, TxHash, U256};
use chainglass::test_api::rpc::{
    CallSource, RpcBlock, RpcCall, RpcCalls, RpcLog, RpcReceipt, RpcRequest, RpcTransaction,
};
use chainglass::test_api::trace::CallKind;
use serde_json::{Value, json};

use crate::scripted_node::{NODES, recorded, recorded_block, recorded_response};

/// The block in which the nodes differ.
const LAST_BLOCK: u64 = 0x17;

fn blocks(node: &str) -> impl Iterator<Item = RpcBlock<RpcTransaction>> {
    (0..LAST_BLOCK).map(|number| recorded_block(node, number))
}

fn transactions(node: &str) -> impl Iterator<Item = RpcTransaction> {
    blocks(node).flat_map(|block| block.transactions)
}

fn block_at(node: &str, tag: &str) -> Option<RpcBlock<TxHash>> {
    let hashes = RpcRequest::new("eth_getBlockByNumber", json!([tag, false]));
    let full = RpcRequest::new("eth_getBlockByNumber", json!([tag, true]));
    let has_hashes = recorded_response(node, &hashes).is_some();
    recorded(node, if has_hashes { &hashes } else { &full })
}

#[test]
fn blocks_are_the_same_on_every_node() {
    let row = |block: RpcBlock<RpcTransaction>| {
        assert!(block.hash.is_some() && block.parent_hash.is_some() && block.size.is_some());
        assert!(block.base_fee_per_gas.is_some() && block.miner.is_some() && block.nonce.is_some());
        assert!(!block.lacks_transactions());
        (block.number, block.timestamp, block.transactions.len())
    };
    let expected: Vec<_> = blocks("anvil").map(row).collect();
    assert_eq!(expected[1], (Some(1), Some(1_700_000_012), 4));
    for node in NODES {
        assert_eq!(blocks(node).map(row).collect::<Vec<_>>(), expected, "{node}");
        assert!(block_at(node, "0x18").is_none(), "{node}");
    }
    let pending = ["anvil", "hardhat3"].map(|node| block_at(node, "pending").unwrap());
    assert_eq!((pending[0].number, pending[1].number, pending[1].nonce), (Some(24), None, None));
}

#[test]
fn transactions_are_the_same_on_every_node() {
    let row = |transaction: RpcTransaction| {
        let RpcTransaction { hash, from, to, kind, nonce, value, gas, .. } = transaction;
        assert!(transaction.block_hash.is_some() && transaction.gas_price.is_some());
        assert!(transaction.r.is_some() && transaction.s.is_some() && transaction.v.is_some());
        let fees = (transaction.max_fee_per_gas, transaction.max_priority_fee_per_gas);
        assert_eq!(fees.0.is_some(), kind == Some(2));
        let place = (transaction.block_number, transaction.transaction_index);
        (hash, from, to, (kind, nonce, value, gas), fees, place, transaction.input)
    };
    let expected: Vec<_> = transactions("anvil").map(row).collect();
    assert_eq!(expected.len(), 52);
    for node in NODES {
        assert_eq!(transactions(node).map(row).collect::<Vec<_>>(), expected, "{node}");
    }
}

#[test]
fn receipts_are_the_same_on_every_node() {
    let receipt = |node: &str, transaction: &RpcTransaction| {
        let params = json!([transaction.hash]);
        recorded::<RpcReceipt>(node, &RpcRequest::new("eth_getTransactionReceipt", params))
    };
    let row = |receipt: RpcReceipt| {
        assert!(receipt.gas_used.is_some() && receipt.effective_gas_price.is_some());
        let logs = receipt.logs.iter();
        assert!(logs.clone().all(|log| log.log_index.is_some() && log.removed != Some(true)));
        let logs = logs.map(|log| (log.address, log.topics.clone(), log.data.clone()));
        let logs: Vec<_> = logs.collect();
        (receipt.transaction_hash, receipt.status, receipt.created_contract(), logs)
    };
    let rows = |node: &'static str| {
        let rows = transactions(node).map(move |transaction| row(receipt(node, &transaction)));
        rows.collect::<Vec<_>>()
    };
    let expected = rows("anvil");
    assert!(
        expected.iter().any(|row| row.2.is_some()) && expected.iter().any(|row| row.3.len() > 1)
    );
    for node in NODES {
        assert_eq!(rows(node), expected, "{node}");
    }
    let of_block = RpcRequest::new("eth_getBlockReceipts", json!(["0x1"]));
    let rows: Vec<_> =
        recorded::<Vec<RpcReceipt>>("anvil", &of_block).into_iter().map(row).collect();
    assert_eq!(rows, expected[..4]);
}

#[test]
fn calls_are_the_same_on_every_node_and_in_every_form() {
    let key = |call: &RpcCall| {
        // Hardhat's root has the transaction's gas limit, and a nested root all of its gas used. A
        // nested selfdestruct has zeros. What other failures than reverts used is in nested ones only.
        let is_root = call.trace_address.is_empty();
        let has_gas = !is_root && call.kind != CallKind::SelfDestruct;
        let gas_used = call.gas_used.filter(|_| call.error.is_none());
        let gas = has_gas.then_some((call.gas, gas_used));
        let data = [&call.input, &call.output].map(|data| data.clone().unwrap_or_default());
        let value = call.value.unwrap_or_default();
        (
            call.kind,
            call.from,
            call.to,
            value,
            data,
            call.trace_address.clone(),
            call.error.is_some(),
            gas,
        )
    };
    let calls = |node, source: CallSource, transaction: &RpcTransaction| {
        let request = source.request(transaction.block_number.unwrap(), transaction.hash);
        let mut calls = recorded::<RpcCalls>(node, &request).0;
        calls.retain(|call| call.transaction_hash.is_none_or(|hash| hash == transaction.hash));
        calls.iter().map(key).collect::<Vec<_>>()
    };
    let mut count = 0;
    for transaction in transactions("anvil") {
        let expected = calls("anvil", CallSource::TraceBlock, &transaction);
        count += expected.len();
        for (node, source) in [
            ("hardhat3", CallSource::FlatCallTracer),
            ("hardhat3", CallSource::CallTracer),
            ("anvil", CallSource::CallTracer),
        ] {
            assert_eq!(calls(node, source, &transaction), expected, "{node} {source:?}");
        }
    }
    assert!(count > 90, "{count}");
}

#[test]
fn unknown_fields_are_no_numbers_and_invalidate_nothing() {
    let hash = TxHash::repeat_byte(1);
    let from = Address::repeat_byte(2);
    let transaction: RpcTransaction = serde_json::from_value(json!({
        "hash": hash, "from": from, "nonce": "0x10000000000000000", "value": format!("0x{}", "f".repeat(65)),
        "gas": 21_000, "gasPrice": 1.5, "to": null, "input": "0xabc", "data": "0xabcd", "v": [1], "r": {"x": 1},
        "s": "0x0000000000000000000000000000000000000000000000000000000000000000000007",
        "accessList": null, "authorizationList": null, "blockTimestamp": 1_700_000_024, "extra": [[]],
    }))
    .unwrap();
    assert_eq!((transaction.nonce, transaction.value, transaction.gas), (None, None, Some(21_000)));
    assert_eq!((transaction.gas_price, transaction.to), (None, None));
    assert_eq!((transaction.input.as_ref(), transaction.input_len()), (None, 2));
    assert_eq!((transaction.v, transaction.r, transaction.s), (None, None, Some(U256::from(7))));
    for field in ["to", "type", "mint"] {
        let sent = json!({ "hash": hash, "from": from, field: "0x" });
        let sent: Result<RpcTransaction, _> = serde_json::from_value(sent);
        assert!(sent.is_err(), "the absence of `{field}` has a meaning");
    }
    let without_hash: Result<RpcTransaction, _> = serde_json::from_value(json!({ "from": from }));
    assert!(without_hash.is_err());
    let pruned: RpcBlock<TxHash> = serde_json::from_value(json!({
        "gasUsed": "0x5208", "transactions": [],
        "transactionsRoot": "0x6dd9a37bc2000000000000000000000000000000000000000000000000000000",
    }))
    .unwrap();
    assert!(pruned.lacks_transactions());
    let removed: RpcLog = serde_json::from_value(json!({
        "address": from, "topics": [], "data": "0x", "removed": true,
    }))
    .unwrap();
    assert!(removed.removed == Some(true) && removed.log_index.is_none());
}

#[test]
fn what_is_no_call_trace_is_refused() {
    let hash = transactions("ganache").next().unwrap().hash;
    for (node, source, hash) in [
        ("anvil", CallSource::FlatCallTracer, hash),
        ("ganache", CallSource::CallTracer, hash),
        ("ganache", CallSource::FlatCallTracer, hash),
        ("anvil", CallSource::CallTracer, TxHash::repeat_byte(0xab)),
    ] {
        let result: Value = recorded(node, &source.request(0, hash));
        assert!(
            !result.is_null() && serde_json::from_str::<RpcCalls>(&result.to_string()).is_err()
        );
    }
    let nested = r#"{"type":"CALL","calls":[{}]}"#;
    for json in ["{}", "null", "7", "[{}]", "[null]", r#"{"structLogs":[]}"#, nested] {
        assert!(serde_json::from_str::<RpcCalls>(json).is_err(), "{json}");
    }
    assert!(serde_json::from_str::<RpcCalls>("[]").unwrap().0.is_empty());
}
