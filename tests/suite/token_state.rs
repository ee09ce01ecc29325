//! Statements of a node's tokens about themselves, and those that are missing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::demo_api::rpc;
use crate::demo_server_client::ALICE;
use crate::fake_server::{Behavior, fake_server, json as json_response};
use crate::node_chain::{follow, serve};
use crate::scripted_node::{client, node_with, recorded_answer, respond};

/// The ERC-20 token of the small world.
const COIN: &str = "0x5fbdb2315678afecb367f032d93f642f64180aa3";

fn is_decimals_of_coin(method: &str, params: &Value) -> bool {
    method == "eth_call" && params[0]["to"] == COIN && params[0]["data"] == "0x313ce567"
}

#[tokio::test(flavor = "multi_thread")]
async fn function_that_uses_all_its_gas_is_called_once() {
    for words in [
        "EVM error OutOfGas",
        "Transaction ran out of gas",
        "VM Exception while processing transaction: out of gas",
    ] {
        let asked = Arc::new(AtomicUsize::new(0));
        let node = node_with({
            let asked = Arc::clone(&asked);
            move |method, params| {
                if method == "eth_call" {
                    let gas = params[0]["gas"].as_str().expect("a call has a limit of its gas");
                    let gas = u64::from_str_radix(&gas[2..], 16).unwrap();
                    // Above 16,777,216 Hardhat refuses it.
                    assert!((300_000..16_777_216).contains(&gas), "{gas}");
                }
                if is_decimals_of_coin(method, params) {
                    asked.fetch_add(1, Ordering::Relaxed);
                    return json!({ "error": { "code": -32000, "message": words } });
                }
                recorded_answer("anvil", method, params)
            }
        });
        let server = serve(follow(client(&node)).await).await;
        let check = move || {
            for _ in 0..3 {
                let token = server.json(&format!("/api/v2/tokens/{COIN}"));
                assert_eq!(token["decimals"], Value::Null);
                assert_eq!(token["name"], "World Coin", "the rest is there");
            }
        };
        tokio::task::spawn_blocking(check).await.unwrap();
        assert_eq!(asked.load(Ordering::Relaxed), 1, "{words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn list_does_not_wait_for_metadata_that_does_not_come() {
    let node = fake_server(|request, _| {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        if body.contains("0x313ce567") {
            return Behavior::Stall(Vec::new());
        }
        let answer = |method: &str, params: &Value| recorded_answer("anvil", method, params);
        json_response(200, respond(&request.body, answer))
    });
    let server = serve(follow(client(&node)).await).await;
    let check = move || {
        let started = Instant::now();
        let path = format!("/api/v2/addresses/{ALICE}/token-transfers");
        let items = server.all_items(&path, "");
        assert_eq!(items.len(), 3);
        assert!(items.iter().all(|it| it["token"]["decimals"].is_null()), "{items:?}");
        assert!(started.elapsed() < Duration::from_secs(7), "{:?}", started.elapsed());
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn blocks_beyond_the_head_are_named_in_the_same_words_for_all_nodes() {
    for (block, head, code, words) in [
        ("0x3e7", "0xa", -32602, "block height is 10 but requested was 999"),
        ("0x3e7", "0xa", -32000, "header not found"),
        // The index lags behind the node.
        ("0x3e7", "0x3e7", -32000, "execution reverted"),
        // Behind one address are nodes of which one lags behind the index.
        ("0x17", "0xa", -32000, "execution reverted"),
    ] {
        let future = json!(block);
        let future_block = future.clone();
        let node = node_with(move |method, params| {
            let is_state = matches!(method, "eth_call" | "eth_getStorageAt");
            if is_state && params.as_array().unwrap().last() == Some(&future_block) {
                return json!({ "error": { "code": code, "message": words } });
            }
            match method {
                "eth_blockNumber" => json!({ "result": head }),
                _ => recorded_answer("anvil", method, params),
            }
        });
        let server = serve(follow(client(&node)).await).await;
        let call = json!([{ "to": COIN, "data": "0x313ce567" }, future]);
        let slot = json!([COIN, format!("{:#066x}", 0), future]);
        let check = move || {
            for (method, params) in [("eth_call", call), ("eth_getStorageAt", slot)] {
                let error = rpc(&server, method, &params);
                let is_future = error["message"] == "no block 999 yet";
                let is_expected = block == "0x3e7" && head == "0xa";
                assert_eq!(is_future, is_expected, "{method} {block}: {error}");
            }
        };
        tokio::task::spawn_blocking(check).await.unwrap();
    }
}
