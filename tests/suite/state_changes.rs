//! Balances that transactions change: of the demo chain as a real server told it, and of a node.

use std::collections::BTreeSet;
use std::fs;

use std::sync::Arc;

use chainglass::test_api::abi::{Project, ProjectContracts};
use chainglass::test_api::chain::Address;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::architecture::root;
use crate::artifacts::write;
use crate::demo_server_client::{ALICE, ServerClient, demo_server};
use crate::index_coverage::{BOB, CAROL, hash, long_chain, number};
use crate::node_chain::{follow, serve};
use crate::scripted_node::{client, node_with, recorded_answer};
use crate::session::{Session, size};

#[derive(Deserialize)]
struct RealChanges {
    transaction: String,
    /// Address, token, id, balance before and after, and the change: a number or ids.
    rows: BTreeSet<String>,
}

impl RealChanges {
    fn parse(line: &str) -> Self {
        let mut json: Value = serde_json::from_str(line).unwrap();
        let rows = json["rows"].as_array().unwrap().iter().map(ToString::to_string);
        let rows: Vec<String> = rows.filter(|row| !is_of_nothing(row)).collect();
        json["rows"] = json!(rows);
        serde_json::from_value(json).unwrap()
    }
}

/// Returns whether a row is of tokens that were burnt or not yet minted, of which only the real server
/// counts some.
fn is_of_nothing(row: &str) -> bool {
    let row: Value = serde_json::from_str(row).unwrap();
    row[0] == "0x0000000000000000000000000000000000000000" && row[1].is_string()
}

fn changes(server: &ServerClient, transaction: &str) -> Vec<Value> {
    server.all_items(&format!("/api/v2/transactions/{transaction}/state-changes"), "")
}

fn row(item: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let change = match item["change"].as_array() {
        None => item["change"].clone(),
        Some(moved) => {
            let moved = moved
                .iter()
                .map(|it| format!("{} {}", text(&it["direction"]), text(&it["total"]["token_id"])));
            json!(moved.collect::<BTreeSet<_>>())
        }
    };
    let (before, after) = (&item["balance_before"], &item["balance_after"]);
    let token = &item["token"]["address_hash"];
    json!([item["address"]["hash"], token, item["token_id"], before, after, change]).to_string()
}

#[test]
fn balances_are_those_of_a_real_server() {
    let server = demo_server(7);
    let file = root().join("tests/data/real/state_changes.jsonl");
    let mut rows = 0;
    for real in fs::read_to_string(file).unwrap().lines().map(RealChanges::parse) {
        let items = changes(&server, &real.transaction);
        let all: BTreeSet<String> = items.iter().map(row).collect();
        assert_eq!(all.len(), items.len(), "{}", real.transaction);
        let ours: BTreeSet<_> = all.into_iter().filter(|row| !is_of_nothing(row)).collect();
        assert_eq!(ours, real.rows, "{}", real.transaction);
        rows += ours.len();
    }
    assert!(rows > 60, "only {rows} rows");
}

#[test]
fn coin_is_neither_made_nor_lost_but_for_what_is_burnt() {
    let server = demo_server(50);
    // Failed, failed inside, creating, destroying, through many contracts, and setting code.
    for hash in [
        crate::demo_items::SWAP,
        crate::demo_items::SWALLOW_ALL,
        crate::demo_items::DEEP_ERROR,
        "0xae67d57a8f9c1ec28c8ce9e5e30a00d9a62b2858e99bd1299bc6f8222d477efa",
        "0xe261b22a",
    ] {
        let found = server.all_items("/api/v2/transactions", "").into_iter();
        let mut found = found.filter(|it| it["hash"].as_str().unwrap().starts_with(hash));
        let transaction = found.next().unwrap();
        let number = |value: &Value| value.as_str().unwrap().parse::<i128>().unwrap();
        let gas = number(&transaction["gas_used"]);
        let burnt = number(&transaction["base_fee_per_gas"]) * gas;
        let items = changes(&server, transaction["hash"].as_str().unwrap());
        let coins = items.iter().filter(|item| item["type"] == "coin");
        let sum: i128 = coins.clone().map(|item| number(&item["change"])).sum();
        assert_eq!(sum, -burnt, "{hash}");
        for coin in coins {
            let moved = number(&coin["balance_after"]) - number(&coin["balance_before"]);
            assert_eq!(moved, number(&coin["change"]), "{hash}: {coin}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn node_tells_balances_if_it_has_the_tracer() {
    let owner = format!("0x{}", "ab".repeat(20));
    let diff = json!({
        "pre": { &owner: { "balance": "0x10", "nonce": 1 } },
        "post": { &owner: { "balance": "0x3", "nonce": 2 } },
    });
    for has_tracer in [true, false] {
        let (diff, owner) = (diff.clone(), owner.clone());
        let node = node_with(move |method, params| {
            if has_tracer && params[1]["tracer"] == "prestateTracer" {
                return json!({ "result": diff });
            }
            if method == "eth_getBalance" && params[1] != "latest" {
                return json!({ "error": { "code": -32000, "message": "missing trie node" } });
            }
            recorded_answer("anvil", method, params)
        });
        let server = serve(follow(client(&node)).await).await;
        let check = move || {
            let transfers = server.all_items("/api/v2/token-transfers", "type=ERC-20");
            let hash = transfers[0]["transaction_hash"].as_str().unwrap();
            if has_tracer {
                let items = changes(&server, hash);
                let coin = &items[0];
                assert_eq!(coin["address"]["hash"].as_str().unwrap().to_lowercase(), owner);
                assert_eq!([&coin["balance_before"], &coin["balance_after"]], ["16", "3"]);
                assert_eq!(coin["change"], "-13");
                let tokens = &items[1..];
                assert!(tokens.iter().any(|it| it["change"].as_str().unwrap().starts_with('-')));
                assert!(tokens.iter().all(|it| it["balance_before"].is_null()), "{tokens:?}");
            } else {
                let path = format!("/api/v2/transactions/{hash}/state-changes");
                let (status, body) = server.get(&path);
                assert_eq!(status, 501, "{body}");
                assert!(body.contains("this node has no state of block"), "{body}");
            }
        };
        tokio::task::spawn_blocking(check).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slots_without_a_layout_are_numbers_and_words() {
    const IMPLEMENTATION: &str =
        "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    let word = |n: u64| format!("0x{n:064x}");
    let contract = format!("0x{}", "ab".repeat(20));
    let diff = json!({
        "pre": { &contract: { "balance": "0x0", "storage": { word(1): word(7), word(2): word(5) } } },
        "post": { &contract: { "storage": { word(1): word(9), IMPLEMENTATION: word(0xcafe) } } },
    });
    let node = node_with(move |method, params| match method {
        _ if params[1]["tracer"] == "prestateTracer" => json!({ "result": diff }),
        _ => recorded_answer("anvil", method, params),
    });
    let server = serve(follow(client(&node)).await).await;
    let check = move || {
        let transfers = server.all_items("/api/v2/token-transfers", "type=ERC-20");
        let hash = transfers[0]["transaction_hash"].as_str().unwrap();
        let mut items = changes(&server, hash);
        items.retain(|item| item["type"] == "storage");
        let rows: Vec<_> = items
            .iter()
            .map(|it| [&it["slot"], &it["variable"], &it["word_before"], &it["word_after"]])
            .collect();
        let expected = [
            [json!(word(1)), json!(null), json!(word(7)), json!(word(9))],
            [json!(word(2)), json!(null), json!(word(5)), json!(word(0))],
            [
                json!(IMPLEMENTATION),
                json!("eip1967.proxy.implementation"),
                json!(word(0)),
                json!(word(0xcafe)),
            ],
        ];
        assert_eq!(rows, expected.each_ref().map(<[Value; 4]>::each_ref));
        assert!(items.iter().all(|it| it["stored_after"].is_null()));
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

/// Bob is a proxy whose constructor emitted nothing, upgraded in block 80.
fn upgraded_chain(method: &str, params: &Value) -> Value {
    const IMPLEMENTATION: &str =
        "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    const UPGRADED: &str = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b";
    let word = |n: u64| format!("0x{n:064x}");
    let code = |address: &str| match number(&json!(address)) {
        0x01d => UPGRADED_CODES[0],
        0x2e3 => UPGRADED_CODES[1],
        _ if address.eq_ignore_ascii_case(BOB) => UPGRADED_CODES[2],
        _ => "0x",
    };
    match method {
        _ if params[1]["tracer"] == "prestateTracer" => json!({ "result": {
            "pre": { BOB: { "balance": "0x0", "storage": { word(0): word(7) } } },
            "post": { BOB: { "storage": { word(0): word(9) } } },
        } }),
        "eth_getCode" => json!({ "result": code(params[0].as_str().unwrap()) }),
        "eth_getStorageAt" if params[1] == IMPLEMENTATION => {
            let is_bob = params[0].as_str().unwrap().eq_ignore_ascii_case(BOB);
            let is_old = params[2] != "latest" && number(&params[2]) < 80;
            let now = if is_old { 0x01d } else { 0x2e3 };
            json!({ "result": word(if is_bob { now } else { 0 }) })
        }
        "eth_getTransactionReceipt" if number(&params[0]) == 80 => {
            let mut receipt = long_chain(method, params, 0);
            receipt["result"]["logs"] = json!([{
                "address": BOB, "topics": [UPGRADED, word(0x2e3)], "data": "0x", "logIndex": "0x0",
                "transactionHash": hash("aa", 80), "transactionIndex": "0x0",
                "blockNumber": "0x50", "blockHash": hash("bb", 80), "removed": false,
            }]);
            receipt
        }
        _ => long_chain(method, params, 0),
    }
}

/// The codes of the first implementation, the second, and the proxy.
const UPGRADED_CODES: [&str; 3] = [
    "0x6080604052600080fd5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f01",
    "0x6080604052600080fd5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f02",
    "0x6080604052600080fd5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f03",
];

#[tokio::test(flavor = "multi_thread")]
async fn upgraded_proxy_has_the_variables_of_then_and_one_name() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "foundry.toml", "");
    let slot = |label: &str| {
        json!({ "storage": [{ "label": label, "offset": 0, "slot": "0", "type": "t_uint256" }],
            "types": { "t_uint256": { "encoding": "inplace", "label": "uint256", "numberOfBytes": "32" } } })
    };
    for (n, name) in ["Pool", "PoolV2", "Proxy"].into_iter().enumerate() {
        let layout = if n < 2 { slot(&format!("value{n}")) } else { json!(null) };
        let artifact = json!({
            "abi": [], "bytecode": { "object": "0x00" }, "storageLayout": layout,
            "deployedBytecode": { "object": UPGRADED_CODES[n] },
        });
        write(folder.path(), &format!("out/{name}.sol/{name}.json"), &artifact.to_string());
    }
    let node = node_with(upgraded_chain);
    let project = Project::find(folder.path()).map(ProjectContracts::new).map(Arc::new);
    let server = serve(follow(client(&node)).await.with_project(project)).await;
    let check = move || {
        for (block, variable) in [(70, "value0"), (90, "value1")] {
            let mut items = changes(&server, &hash("aa", block));
            items.retain(|item| item["type"] == "storage");
            assert_eq!(items[0]["variable"], variable, "{items:#?}");
            assert_eq!(items[0]["lacks_layout"], false);
        }
        let name = |block: u64| {
            let path = format!("/api/v2/transactions/{}", hash("aa", block));
            let to = server.json(&path)["to"].clone();
            (to["name"].clone(), to["was_upgraded"].clone())
        };
        assert_eq!([70, 90].map(name), [0; 2].map(|_| (json!("Proxy"), json!(true))));
    };
    tokio::task::spawn_blocking(check).await.unwrap();
    // Only Carol calls Bob.
    let called = node_with(|method, params| {
        let answer = upgraded_chain(method, params);
        if !["eth_getBlockByNumber", "trace_block"].contains(&method) {
            return answer;
        }
        let swapped = answer.to_string().replace(BOB, "bob").replace(CAROL, BOB);
        serde_json::from_str(&swapped.replace("bob", CAROL)).unwrap()
    });
    let project = Project::find(folder.path()).map(ProjectContracts::new).map(Arc::new);
    let server = serve(follow(client(&called)).await.with_project(project)).await;
    let check = move || {
        let path = format!("/api/v2/transactions/{}/internal-transactions", hash("aa", 70));
        let rows = server.json(&path)["items"].take();
        let parties = rows.as_array().unwrap().iter().map(|row| &row["to"]);
        let mut bob = parties.filter(|to| to["hash"].as_str().unwrap().eq_ignore_ascii_case(BOB));
        assert_eq!(bob.next().map(|to| &to["was_upgraded"]), Some(&json!(true)), "{rows:#}");
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

/// Bob's contract writes slot 1, and through a delegated call slot 2; slot 3 is as before.
#[tokio::test(flavor = "multi_thread")]
async fn slots_without_the_tracer_are_read_around_the_block() {
    let step = |op: &str, depth: u64, stack: &[&str]| {
        let stack: Vec<String> = stack.iter().map(|word| format!("{word:0>64}")).collect();
        json!({ "pc": 0, "op": op, "depth": depth, "gas": 50_000, "gasCost": 3, "stack": stack,
            "memory": [] })
    };
    let delegated = ["0", "0", "0", "0", "cafe", "7530"];
    let steps = json!([
        step("SSTORE", 1, &["9", "1"]),
        step("DELEGATECALL", 1, &delegated),
        step("SSTORE", 2, &["8", "2"]),
        step("STOP", 2, &[]),
        step("SSTORE", 1, &["1", "7", "3"]),
        step("STOP", 1, &["1"]),
    ]);
    for has_stack in [true, false] {
        let mut steps = steps.clone();
        if !has_stack {
            steps[1].as_object_mut().unwrap().remove("stack");
        }
        let node = node_with(move |method, params| match method {
            "debug_traceTransaction" if params[1]["tracer"].is_null() => {
                json!({ "result": { "structLogs": steps } })
            }
            "eth_getStorageAt" if params[1] == format!("0x{:064x}", 3) => {
                json!({ "result": "0x7" })
            }
            "eth_getStorageAt" if params[1].as_str().unwrap().starts_with("0x00") => {
                json!({ "result": params[2] })
            }
            "eth_getBalance" => json!({ "result": "0x7" }),
            _ => long_chain(method, params, 0),
        });
        let server = serve(follow(client(&node)).await).await;
        let check = move || {
            let mut items = changes(&server, &hash("aa", 70));
            items.retain(|item| item["type"] == "storage");
            if !has_stack {
                assert_eq!(items.len(), 1);
                assert_eq!(items[0]["unknown"], "the steps have no stack");
                return;
            }
            let words = |item: &Value| {
                ["address", "slot", "word_before", "word_after"].map(|key| match &item[key] {
                    Value::Object(address) => address["hash"].as_str().unwrap().to_lowercase(),
                    word => word
                        .as_str()
                        .unwrap()
                        .trim_start_matches("0x0")
                        .trim_start_matches('0')
                        .to_owned(),
                })
            };
            let rows: Vec<_> = items.iter().map(words).collect();
            let row = |slot: &str| [BOB, slot, "45", "46"].map(str::to_owned);
            assert_eq!(rows, [row("1"), row("2")]);
        };
        tokio::task::spawn_blocking(check).await.unwrap();
    }
}

/// Returns the changes of a transaction that writes slots, and the words in them as a node reports them.
async fn changes_with_slots(slots: u64, word: Value) -> Vec<Value> {
    let step = |op: &str, stack: [u64; 2]| {
        let stack = stack.map(|word| format!("{word:064x}"));
        json!({ "pc": 0, "op": op, "depth": 1, "gas": 50_000, "gasCost": 3, "stack": stack,
            "memory": [] })
    };
    let writes = (0..slots).map(|slot| step("SSTORE", [9, slot]));
    let steps: Vec<Value> = writes.chain([step("STOP", [0, 1])]).collect();
    let node = node_with(move |method, params| match method {
        "debug_traceTransaction" if params[1]["tracer"].is_null() => {
            json!({ "result": { "structLogs": steps } })
        }
        "eth_getStorageAt" => word.clone(),
        "eth_getBalance" if params[0] == *ALICE.to_lowercase() => {
            json!({ "result": if params[1] == "latest" { json!("0x7") } else { params[1].clone() } })
        }
        "eth_getBalance" => json!({ "result": "0x7" }),
        _ => long_chain(method, params, 0),
    });
    let server = serve(follow(client(&node)).await).await;
    tokio::task::spawn_blocking(move || changes(&server, &hash("aa", 70))).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn balances_are_listed_if_storage_fails() {
    let failure = json!({ "error": { "code": -32603, "message": "disk is full" } });
    let items = changes_with_slots(1, failure).await;
    assert_eq!((items.len(), &items[0]["type"]), (2, &json!("coin")));
    assert!(items[1]["unknown"].as_str().unwrap().contains("disk is full"), "{}", items[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn word_that_cannot_be_read_is_unknown() {
    let items = changes_with_slots(1, json!({ "result": "0xzz" })).await;
    assert!(items[1]["unknown"].as_str().unwrap().starts_with("cannot read"), "{items:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_too_many_slots_are_unknown() {
    let word = json!({ "result": "0x7" });
    let items = changes_with_slots(2_000, word.clone()).await;
    assert_eq!(items.len(), 1, "all slots are as before");
    let items = changes_with_slots(2_001, word).await;
    assert_eq!(items[1]["unknown"], "2,001 slots written: too many to ask the node for each");
}

/// Each of its blocks has one transaction, by which Alice pays Bob, who pays Carol one wei.
#[tokio::test(flavor = "multi_thread")]
async fn balances_around_a_block_are_those_of_its_only_transaction() {
    const KEPT: u64 = 60;
    let node = node_with(|method, params| match method {
        "eth_getBalance" if params[1] == "latest" => json!({ "result": "0x0" }),
        "eth_getBalance" if number(&params[1]) < KEPT => {
            json!({ "error": { "code": -32000, "message": "missing trie node" } })
        }
        "eth_getBalance" if params[0] == *ALICE.to_lowercase() => {
            json!({ "result": format!("{:#x}", 5_000 - 10 * number(&params[1])) })
        }
        "eth_getBalance" if params[0] == BOB => json!({ "result": "0x7" }),
        "eth_getBalance" => json!({ "result": params[1] }),
        _ => long_chain(method, params, 0),
    });
    let server = serve(follow(client(&node)).await).await;
    let check = move || {
        let mut items = changes(&server, &hash("aa", 70));
        let storage = items.pop().unwrap();
        assert!(storage["unknown"].as_str().unwrap().contains("method not supported"), "{storage}");
        let rows = items.iter().map(row).collect::<BTreeSet<_>>();
        let shift = |address: &str, before: &str, after: &str, change: &str| {
            let address = address.parse::<Address>().unwrap().to_string();
            json!([address, null, null, before, after, change]).to_string()
        };
        let expected = [shift(ALICE, "4310", "4300", "-10"), shift(CAROL, "69", "70", "1")];
        assert_eq!(rows, BTreeSet::from(expected));
        let path = format!("/api/v2/transactions/{}/state-changes", hash("aa", KEPT));
        let (status, body) = server.get(&path);
        assert!(status == 501 && body.contains("no state of block 59"), "{status} {body}");
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

#[tokio::test]
async fn change_of_a_token_without_a_price_has_a_dash() {
    let mut session = Session::demo(size(120, 40), crate::demo_items::SWAP).await;
    session.keys("6").await;
    let screen = session.screen();
    for (token, worth) in [("◆▲ GLD", "  −$2,501  "), ("◇▲ NIL", "  —  ")] {
        let line = screen.lines().find(|line| line.contains(token));
        assert!(line.is_some_and(|line| line.contains(worth)), "{token}: {screen}");
    }
}
