//! Kinds and capabilities of nodes, judged by their answers.

use chainglass::test_api::chain::{TxHash, U256};
use chainglass::test_api::messages::chain_data::TracerError;
use chainglass::test_api::rpc::{
    CallSource, CallSupport, NodeCapabilities, NodeIdentity, RpcBlock, RpcClient, RpcError,
    RpcRequest, RpcTransaction,
};
use chainglass::test_api::sanitize::SafeText;
use serde_json::{Value, json};
use url::Url;

use crate::fake_server::{Behavior, FakeServer, response_head, scripted};
use crate::scripted_node::{NODES, client, node_with, recorded, recorded_block, recorded_node};

#[tokio::test]
async fn capabilities_are_found_by_what_nodes_answer() {
    let supported = CallSupport::Supported;
    for (node, block_receipts, calls) in [
        ("anvil", true, supported(CallSource::TraceBlock)),
        ("hardhat3", false, supported(CallSource::FlatCallTracer)),
        ("hardhat2", false, supported(CallSource::StructLogs)),
        ("ganache", false, supported(CallSource::StructLogs)),
    ] {
        let server = recorded_node(node);
        let found =
            NodeCapabilities::find(&client(&server), &recorded_block(node, 10)).await.unwrap();
        let expected =
            NodeCapabilities { block_receipts, calls, state_diff: false, judged_by_code: true };
        assert_eq!(found, Some(expected), "{node}");
    }
}

/// Needs `tests/nodes/run`, without which there is nothing to check.
#[tokio::test]
async fn running_nodes_are_what_was_recorded() {
    for (node, variable) in
        NODES.into_iter().zip(["ANVIL_URL", "HARDHAT3_URL", "HARDHAT2_URL", "GANACHE_URL"])
    {
        let Ok(url) = std::env::var(variable) else { continue };
        let url: Url = url.parse().unwrap();
        let running = RpcClient::new(url.try_into().unwrap()).unwrap();
        let block = recorded_block(node, 10);
        let found = NodeCapabilities::find(&running, &block).await.unwrap().unwrap();
        let server = recorded_node(node);
        let expected = NodeCapabilities::find(&client(&server), &block).await.unwrap().unwrap();
        let state_diff = matches!(node, "anvil" | "hardhat3"); // not recorded
        assert_eq!(found, NodeCapabilities { state_diff, ..expected }, "{node}");
        let identity = NodeIdentity::ask(&running).await.unwrap();
        assert_eq!(identity.run.is_some(), node != "ganache", "{node}");
        let call = RpcRequest::new("eth_getBlockByNumber", json!(["0xa", true]));
        for result in running.batch(&vec![call; 200]).await.unwrap() {
            let same: RpcBlock<RpcTransaction> = running.decode(&result.unwrap()).unwrap();
            assert_eq!(same.hash, block.hash, "{node}");
        }
    }
}

#[tokio::test]
async fn plain_transfer_cannot_tell_of_struct_logs() {
    for (node, expected) in [
        ("anvil", CallSupport::Supported(CallSource::TraceBlock)),
        ("hardhat3", CallSupport::Supported(CallSource::FlatCallTracer)),
        ("hardhat2", CallSupport::Undecided),
        ("ganache", CallSupport::Undecided),
    ] {
        // One of them pays a contract, which reverts.
        let mut block = recorded_block(node, 0x16);
        let found = call_support(&recorded_node(node), &block).await;
        assert!(matches!(found, CallSupport::Supported(_)), "{node}: {found:?}");
        block.transactions.retain(|sent| sent.value != Some(U256::from(3)));
        let found = call_support(&recorded_node(node), &block).await;
        assert_eq!(found, expected, "{node}");
    }
}

#[tokio::test]
async fn state_diff_has_both_states() {
    let block = recorded_block("anvil", 10);
    let states = json!({ "pre": {}, "post": { block.transactions[0].from.to_string(): {} } });
    let struct_logs = json!({ "failed": false, "gas": 1, "structLogs": [] });
    for (answer, expected) in
        [(states, true), (json!({}), false), (struct_logs, false), (Value::Null, false)]
    {
        let server = node_with_only([("debug_traceTransaction", json!({ "result": answer }))]);
        let found = NodeCapabilities::find(&client(&server), &block).await.unwrap().unwrap();
        assert_eq!(found.state_diff, expected, "{answer}");
    }
}

/// A node that has no other methods than these.
fn node_with_only(others: impl Into<Vec<(&'static str, Value)>>) -> FakeServer {
    let others = others.into();
    node_with(move |method, _| {
        let other = others.iter().find(|(name, _)| *name == method);
        other.map_or(json!({ "error": { "code": -32601, "message": "no" } }), |(_, json)| {
            json.clone()
        })
    })
}

async fn call_support(server: &FakeServer, block: &RpcBlock<RpcTransaction>) -> CallSupport {
    NodeCapabilities::find(&client(server), block).await.unwrap().unwrap().calls
}

#[tokio::test]
async fn unsupported_traces_have_a_reason() {
    let block = recorded_block("hardhat3", 10);
    let failed = |error| CallSupport::Unsupported { why: TracerError::Failed(error) };
    let steps = |gas: u64| json!({ "result": { "gas": gas, "failed": false, "structLogs": [] } });
    let error = |message: &str| json!({ "error": { "code": -32000, "message": message } });
    let trace = "debug_traceTransaction";
    let code = |code: &str| ("eth_getCode", json!({ "result": code }));
    for (answers, expected) in [
        (vec![], CallSupport::Unsupported { why: TracerError::Unsupported }),
        (
            vec![(trace, error("no"))],
            failed(RpcError::Other {
                address: SafeText::default(),
                code: Some(-32000),
                message: "no".into(),
                data: None,
            }),
        ),
        (
            vec![(trace, steps(90_000)), code("0x00")],
            CallSupport::Unsupported { why: TracerError::NoSteps },
        ),
        // An access list or an authorization takes gas too.
        (vec![(trace, steps(48_000)), code("0x")], CallSupport::Undecided),
        (vec![(trace, steps(48_000))], CallSupport::Undecided),
        (vec![(trace, error("missing trie node"))], CallSupport::Undecided),
        // At a fork block and for an unknown hash, nodes list no calls.
        (
            vec![("trace_block", json!({ "result": [] })), (trace, json!({ "result": [] }))],
            failed(RpcError::Unreadable { why: SafeText::default() }),
        ),
        (
            vec![("trace_block", json!({ "result": null })), (trace, json!({ "result": {} }))],
            failed(RpcError::Unreadable { why: SafeText::default() }),
        ),
    ] {
        let found = call_support(&node_with_only(answers.clone()), &block).await;
        match found {
            CallSupport::Unsupported { why: TracerError::Failed(RpcError::Unreadable { why }) } => {
                assert!(!why.is_empty(), "{answers:?}");
                assert_eq!(expected, failed(RpcError::Unreadable { why: SafeText::default() }));
            }
            CallSupport::Unsupported {
                why: TracerError::Failed(RpcError::Other { address, code, message, data }),
            } => {
                assert!(address.starts_with("127.0.0.1:"), "{address}");
                let address = SafeText::default();
                assert_eq!(expected, failed(RpcError::Other { address, code, message, data }));
            }
            found => assert_eq!(found, expected, "{answers:?}"),
        }
    }
}

#[tokio::test]
async fn capabilities_need_a_transaction_and_a_node() {
    let mut block = recorded_block("hardhat3", 10);
    let limited = scripted([Behavior::Respond(response_head(429, &[]))]);
    let result = NodeCapabilities::find(&client(&limited), &block).await;
    let is_limited = matches!(result, Err(RpcError::RateLimited { retry_after: None, .. }));
    assert!(is_limited, "{result:?}");
    // Receipts of another block.
    let other: Value = recorded("anvil", &RpcRequest::new("eth_getBlockReceipts", json!(["0x7"])));
    let server = node_with_only([("eth_getBlockReceipts", json!({ "result": other }))]);
    let found = NodeCapabilities::find(&client(&server), &block).await.unwrap().unwrap();
    assert!(!found.block_receipts);
    block.transactions.clear();
    let result = NodeCapabilities::find(&client(&limited), &block).await;
    assert_eq!((result, limited.requests().len()), (Ok(None), 3), "tried three times");
}

#[tokio::test]
async fn identity_has_the_run_and_its_fork() {
    for (node, chain_id, version, has_run) in [
        ("anvil", 31_337, "anvil/v1.7.1", true),
        ("hardhat3", 31_337, "HardhatNetwork/3.18.0/@nomicfoundation/edr/0.3.8", true),
        ("hardhat2", 31_337, "HardhatNetwork/2.29.1/@nomicfoundation/edr/0.3.8", true),
        ("ganache", 31_337, "Ganache/v7.9.2/EthereumJS TestRPC/v7.9.2/ethereum-js", false),
    ] {
        let identity = NodeIdentity::ask(&client(&recorded_node(node))).await.unwrap();
        assert_eq!((identity.chain_id, identity.run.is_some()), (chain_id, has_run), "{node}");
        assert_eq!(identity.client_version.as_deref(), Some(version));
        let fork = identity.run.and_then(|run| run.forked_network);
        assert!(fork.is_none(), "{node}");
    }
    let instance = TxHash::repeat_byte(3);
    let fork = json!({ "chainId": 1, "forkBlockNumber": 300, "forkBlockHash": instance });
    let server = node_with(move |method, _| match method {
        "eth_chainId" => json!({ "result": "0x1" }),
        "web3_clientVersion" => json!({ "result": "\u{1b}[2Jx" }),
        _ => json!({ "result": { "instanceId": instance, "forkedNetwork": fork } }),
    });
    let identity = NodeIdentity::ask(&client(&server)).await.unwrap();
    assert_eq!(identity.client_version.as_deref(), Some("␛[2Jx"));
    let run = identity.run.unwrap();
    let fork = run.forked_network.unwrap();
    assert_eq!((run.instance_id, fork.chain_id, fork.fork_block_number), (instance, Some(1), 300));
}
