//! The chains of nodes, indexed and served like the demo chain.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use chainglass::test_api::abi::{Project, ProjectContracts};
use chainglass::test_api::demo_server::{ApiServer, ApiServerOptions};
use chainglass::test_api::indexer::{IndexCoverage, IndexLimits, NodeChain};
use chainglass::test_api::rpc::{RpcCall, RpcCalls, RpcClient};
use chainglass::test_api::store::{ServedChain, Snapshot};
use chainglass::test_api::trace::CallKind;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::artifacts::{project, write};
use crate::demo_server_client::{ALICE, ServerClient};
use crate::fake_server::FakeServer;
use crate::scripted_node::{
    client, node_with, recorded_answer, recorded_block, recorded_node, simulated_client,
};

const CAROL: &str = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const TIMEOUT: Duration = Duration::from_secs(30);
/// The last block of the small world on which all nodes agree.
const LAST_COMMON_BLOCK: u64 = 22;

/// Follows a node until all its blocks are read.
pub(crate) async fn follow(client: RpcClient) -> NodeChain {
    let mut chain = NodeChain::follow(client, IndexLimits::default());
    let read = async {
        while chain.progress().coverage.is_none_or(|it| it.older.is_some()) {
            assert!(chain.changed().await, "{:?}", chain.progress());
        }
    };
    timeout(TIMEOUT, read).await.unwrap();
    chain
}

pub(crate) async fn serve(chain: NodeChain) -> ServerClient {
    let server = ApiServer::start(Arc::new(chain), ApiServerOptions::default()).await.unwrap();
    ServerClient::new(server)
}

/// The lists that nodes can tell without their developers' artifacts.
fn lists() -> Vec<String> {
    let of = |address, list| format!("/api/v2/addresses/{address}/{list}");
    vec![
        of(ALICE, "transactions"),
        of(ALICE, "token-transfers"),
        of(ALICE, "tokens"),
        of(CAROL, "nft/collections"),
        "/api/v2/token-transfers".to_owned(),
        "/api/v2/tokens".to_owned(),
    ]
}

/// Fields of a transaction that only traces have.
const TRACED_FIELDS: [&str; 5] = [
    "console_line_count",
    "has_error_in_internal_transactions",
    "last_call_error",
    "result",
    "revert_reason",
];

/// The items of a list up to the last common block, without what differs.
fn items(server: &ServerClient, list: &str, is_traced: bool) -> Vec<Value> {
    let mut items = server.all_items(list, "");
    items.retain(|item| {
        item["block_number"].as_u64().is_none_or(|number| number <= LAST_COMMON_BLOCK)
    });
    for item in items.iter_mut().filter_map(Value::as_object_mut) {
        item.remove("block_hash"); // of headers with other fields
        if !is_traced {
            item.retain(|field, _| !TRACED_FIELDS.contains(&&**field));
        }
    }
    items
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_the_same_on_all_nodes() {
    let mut listed = Vec::new();
    // The first two tell the calls of a block, the others those of one transaction.
    for (node, is_traced) in [
        ("anvil", true),
        ("hardhat3", true),
        ("anvil", false),
        ("hardhat2", false),
        ("ganache", false),
    ] {
        let recorded = recorded_node(node);
        let chain = follow(client(&recorded)).await;
        let coverage = chain.progress().coverage.unwrap();
        let expected = IndexCoverage {
            first_block: 0,
            last_block: 23,
            transactions: 55,
            unreadable: 0,
            unindexed: 0,
            older: None,
        };
        assert_eq!(coverage, expected, "{node}");
        assert_eq!(chain.progress().rollback, None);
        let server = serve(chain).await;
        let items = tokio::task::spawn_blocking(move || {
            lists().iter().map(|list| items(&server, list, is_traced)).collect::<Vec<_>>()
        });
        listed.push((node, is_traced, items.await.unwrap()));
    }
    for (node, is_traced, items) in &listed {
        let counts: Vec<usize> = items.iter().map(Vec::len).collect();
        assert_eq!(counts, [42, 3, 2, 2, 26, 5], "{node}");
        let anvils = listed.iter().find(|(_, other_is_traced, _)| other_is_traced == is_traced);
        let (_, _, anvils) = anvils.unwrap();
        for (list, (items, anvils)) in lists().iter().zip(items.iter().zip(anvils)) {
            for (item, anvils) in items.iter().zip(anvils) {
                assert_eq!(item, anvils, "{node} {list}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn value_of_a_delegated_call_is_no_transfer() {
    let value = "2000000000000000000";
    let node = node_with(|method, params| {
        let mut answer = recorded_answer("anvil", method, params);
        let calls = answer.get_mut("result").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten() {
            if call.pointer("/action/callType").is_some_and(|kind| kind == "delegatecall") {
                call["action"]["value"] = "0x1bc16d674ec80000".into();
            }
        }
        answer
    });
    let server = serve(follow(client(&node)).await).await;
    let [calls, all, coin] = tokio::task::spawn_blocking(move || {
        let activity = "/api/v2/advanced-filters";
        [
            server.all_items("/api/v2/internal-transactions", ""),
            server.all_items(activity, ""),
            server.all_items(activity, "transaction_types=COIN_TRANSFER&amount_from=2"),
        ]
    })
    .await
    .unwrap();
    let delegated: Vec<&Value> =
        calls.iter().filter(|call| call["type"] == "delegatecall").collect();
    assert!(!delegated.is_empty() && delegated.iter().all(|call| call["value"] == value));
    let inner = |rows: &[Value], index: &Value, hash: &Value| {
        let is_it =
            |row: &&Value| row["internal_transaction_index"] == *index && row["hash"] == *hash;
        rows.iter().find(is_it).cloned()
    };
    for call in delegated {
        let place = (&call["index"], &call["transaction_hash"]);
        let row = inner(&all, place.0, place.1).unwrap();
        assert_eq!((&row["type"], &row["value"]), (&"contract_interaction".into(), &"0".into()));
        assert_eq!(inner(&coin, place.0, place.1), None);
    }
}

/// Follows a recorded node in the folder of a project.
pub(crate) async fn server_in(folder: &Path, node: &'static str) -> (ServerClient, FakeServer) {
    let recorded = recorded_node(node);
    let project = Project::find(folder).map(ProjectContracts::new).map(Arc::new);
    let chain = follow(client(&recorded)).await.with_project(project);
    (serve(chain).await, recorded)
}

fn sent_by_alice(server: &ServerClient) -> Vec<Value> {
    server.all_items(&format!("/api/v2/addresses/{ALICE}/transactions"), "")
}

/// The names of the contracts that Alice created, the first first.
fn created_names(server: &ServerClient) -> Vec<String> {
    let sent = sent_by_alice(server);
    let created = sent.iter().rev().map(|item| &item["created_contract"]);
    let name = |it: &Value| it["name"].as_str().unwrap_or("—").to_owned();
    created.filter(|it| !it.is_null()).map(name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn contracts_have_the_names_and_methods_of_the_project() {
    for node in ["hardhat2", "hardhat3"] {
        let folder = project(node);
        let (server, _recorded) = server_in(folder.path(), node).await;
        let check = move || {
            let expected = [
                "Coin", "Panes", "Pots", "Clonable", "Factory", "Thrower", "Caller", "Talker",
                // One of a single byte.
                "Child", "—", "Proxy",
            ];
            assert_eq!(created_names(&server), expected);
            let sent = sent_by_alice(&server);
            let called = |name: &str, method: &str| {
                let is_call = |it: &&Value| it["to"]["name"] == name && it["method"] == method;
                sent.iter().find(is_call).unwrap_or_else(|| panic!("{name}.{method}"))
            };
            let through_proxy = called("Proxy", "transfer");
            let declaration = &through_proxy["decoded_input"]["method_call"];
            assert_eq!(declaration, "transfer(address to, uint256 value)");
            assert_eq!(through_proxy["to"]["implementations"][0]["name"], "Coin");
            let hash = through_proxy["hash"].as_str().unwrap();
            let logs = server.json(&format!("/api/v2/transactions/{hash}/logs"));
            let event = "Transfer(address indexed from, address indexed to, uint256 value)";
            assert_eq!(logs["items"][0]["decoded"]["method_call"], event);
            let proxy = through_proxy["to"]["hash"].as_str().unwrap();
            let contract = server.json(&format!("/api/v2/smart-contracts/{proxy}"));
            assert_eq!(
                (&contract["name"], &contract["is_verified"]),
                (&json!("Proxy"), &Value::Null),
                "a folder vouches for nothing"
            );
            for opinion in ["is_verified", "is_scam", "reputation"] {
                assert_eq!(through_proxy["to"].get(opinion), Some(&Value::Null), "{opinion}");
            }
            let artifact = contract["compiled_artifact"].as_str().unwrap();
            assert!(artifact.ends_with("/artifacts/contracts/World.sol/Proxy.json"), "{artifact}");
            assert_eq!(contract["abi"][0]["type"], "constructor");
            let coin = &through_proxy["to"]["implementations"][0]["address_hash"];
            let coin = server.json(&format!("/api/v2/smart-contracts/{}", coin.as_str().unwrap()));
            assert!(coin["source_code"].as_str().unwrap().contains("contract Coin {"), "{node}");
            if node == "hardhat3" {
                let failed = called("Thrower", "custom")["hash"].as_str().unwrap();
                let failed = server.json(&format!("/api/v2/transactions/{failed}"));
                assert_eq!(
                    failed["revert_reason"]["method_call"],
                    "Forbidden(address who, uint256 level)"
                );
            }
        };
        tokio::task::spawn_blocking(check).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_follow_the_compiler() {
    let (compiled, folder) = (project("hardhat3"), tempfile::tempdir().unwrap());
    write(folder.path(), "hardhat.config.ts", "");
    let (server, _recorded) = server_in(folder.path(), "hardhat3").await;
    let check = move || {
        let coin = "artifacts/contracts/World.sol/Coin.json";
        let artifact = fs::read_to_string(compiled.path().join(coin)).unwrap();
        let mut other: Value = serde_json::from_str(&artifact).unwrap();
        // Another version of the compiler, in the metadata at the end.
        let code = other["deployedBytecode"].as_str().unwrap();
        other["deployedBytecode"] = format!("{}ff", &code[..code.len() - 2]).into();
        write(folder.path(), coin, &other.to_string());
        assert_eq!(created_names(&server)[0], "—");
        write(folder.path(), coin, &artifact);
        let started = Instant::now();
        while created_names(&server)[0] != "Coin" {
            assert!(started.elapsed() < TIMEOUT);
        }
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

/// Returns a call without its gas: nodes differ in that of the outermost one.
fn call_key(call: &RpcCall) -> Value {
    let RpcCall { kind, from, to, value, input, output, error, trace_address, .. } = call;
    let gas = call.gas.filter(|_| !trace_address.is_empty());
    let data = [input, output].map(|data| data.clone().unwrap_or_default());
    let error = error.as_deref();
    json!([kind.name(), from, to, value, data, error, trace_address, gas, call.gas_used])
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_tell_the_calls_that_tracers_tell() {
    let anvil = recorded_node("anvil");
    let tracing = Arc::new(serve(follow(client(&anvil)).await).await);
    for (node, unknown_gas) in [("hardhat2", 0), ("ganache", 1)] {
        let recorded_steps = recorded_node(node);
        let server = serve(follow(client(&recorded_steps)).await).await;
        let tracing = Arc::clone(&tracing);
        let check = move || {
            let blocks = (0..=LAST_COMMON_BLOCK).map(|number| recorded_block("anvil", number));
            let hashes = blocks.flat_map(|it| it.transactions).map(|it| it.hash);
            let (mut calls, mut unknown) = (0, 0);
            for hash in hashes {
                let trace = format!("/api/v2/transactions/{hash}/raw-trace");
                let [replayed, traced] = [&server, &*tracing].map(|server| {
                    let trace = server.json(&trace).to_string();
                    serde_json::from_str::<RpcCalls>(&trace).unwrap().0
                });
                assert_eq!(replayed.len(), traced.len(), "{node} {hash}");
                for (replayed, mut traced) in replayed.iter().zip(traced) {
                    calls += 1;
                    // No step tells what a contract that selfdestructs had, nor ganache the cost of it.
                    if replayed.kind == CallKind::SelfDestruct {
                        traced.value = None;
                    }
                    if replayed.gas_used.is_none() && replayed.kind == CallKind::Call {
                        unknown += traced.gas_used.take().map_or(0, |_| 1);
                    }
                    assert_eq!(call_key(replayed), call_key(&traced), "{node} {hash}");
                }
                let list = format!("/api/v2/transactions/{hash}/internal-transactions");
                let [listed, expected] = [&server, &*tracing].map(|server| {
                    let mut items = server.all_items(&list, "");
                    for item in &mut items {
                        item["block_hash"].take();
                        item["to"].as_object_mut().map(|to| to.remove("is_contract")); // not recorded
                        if item["index"] == 0 {
                            item["gas_limit"].take(); // as above
                        }
                        if item["type"] == "selfdestruct" {
                            item["value"].take();
                        }
                    }
                    items
                });
                assert_eq!(listed, expected, "{node} {hash}");
            }
            assert_eq!((calls, unknown), (102, unknown_gas), "{node}");
        };
        tokio::task::spawn_blocking(check).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn balances_that_a_token_does_not_tell_are_unknown() {
    let refuses = Arc::new(AtomicBool::new(false));
    let node = node_with({
        let refuses = Arc::clone(&refuses);
        move |method, params| {
            let data = params[0]["data"].as_str().unwrap_or_default();
            let is_balance = data.starts_with("0x70a08231") || data.starts_with("0x00fdd58e");
            if method == "eth_call" && is_balance && refuses.load(Ordering::Relaxed) {
                return json!({ "error": { "code": 3, "message": "execution reverted" } });
            }
            recorded_answer("anvil", method, params)
        }
    });
    let server = serve(follow(client(&node)).await).await;
    let check = move || {
        let list = |name| server.all_items(&format!("/api/v2/addresses/{CAROL}/{name}"), "");
        let without_values = || {
            let mut balances = list("tokens");
            for balance in &mut balances {
                balance["value"].take();
            }
            balances.sort_by_key(|balance| balance["token_id"].to_string());
            (balances, list("nft/collections").len())
        };
        let known = without_values();
        assert!(!known.0.is_empty());
        assert!(list("tokens").iter().all(|balance| balance["value"].is_string()));
        refuses.store(true, Ordering::Relaxed);
        let token = |balance: &Value| balance["token"]["address_hash"].to_string();
        let (mut unknown, collections) = without_values();
        assert!(list("tokens").iter().all(|balance| balance["value"].is_null()));
        // Of what was given away since, too, the balance is unknown now.
        unknown.retain(|balance| known.0.iter().any(|known| token(known) == token(balance)));
        assert!(unknown.len() >= known.0.len() && collections >= known.1);
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn state_of_a_node_that_is_gone_is_an_error_with_its_reason() {
    let node = recorded_node("anvil");
    let server = serve(follow(client(&node)).await).await;
    node.stop().await;
    let list = format!("/api/v2/addresses/{ALICE}/tokens");
    let asked = move || server.get(&list);
    let asked = tokio::task::spawn_blocking(asked);
    let (status, body) = timeout(TIMEOUT, asked).await.unwrap().unwrap();
    // A connection of the client's pool may still be open when the node goes: it is reset or closed.
    let reasons = ["no node at", "connection reset", "connection was closed"];
    let has_reason = reasons.iter().any(|reason| body.contains(reason));
    assert!(status == 503 && has_reason, "{status} {body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_of_the_highest_standard_that_they_logged() {
    const PANES: &str = "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512";
    const COIN_LOGGER: &str = "0xfffffffffffffffffffffffffffffffffffffffe";
    let topic = |event: &str| alloy_primitives::keccak256(event).to_string();
    let transfer = topic("Transfer(address,address,uint256)");
    let word = format!("0x{:064x}", 1);
    let node = node_with(move |method, params| {
        let mut answer = recorded_answer("anvil", method, params);
        let logs = answer.pointer_mut("/result/0/logs").and_then(Value::as_array_mut);
        if method == "eth_getBlockReceipts"
            && let Some(logs) = logs
        {
            let log = |address, topics: &[&String]| json!({ "address": address, "topics": topics, "data": word });
            // EIP-7708, and an ERC-721 token that is also an ERC-20 one.
            logs.push(log(COIN_LOGGER, &[&transfer, &word, &word]));
            logs.push(log(PANES, &[&transfer, &word, &word]));
        }
        answer
    });
    let server = serve(follow(client(&node)).await).await;
    let check = move || {
        let transfers = server.all_items("/api/v2/token-transfers", "");
        let of = |address: &str| {
            let is_of = |it: &&Value| {
                it["token"]["address_hash"].as_str().unwrap().eq_ignore_ascii_case(address)
            };
            transfers.iter().filter(is_of).count()
        };
        assert!(of(PANES) > 23, "{}", of(PANES));
        assert_eq!(of(COIN_LOGGER), 0);
        assert_eq!(server.json(&format!("/api/v2/tokens/{PANES}"))["type"], "ERC-721");
        assert_eq!(server.get(&format!("/api/v2/tokens/{COIN_LOGGER}")).0, 404);
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

/// A node whose chain ends with a block of the small world.
fn node_until(head: Arc<AtomicUsize>) -> impl Fn(&str, &Value) -> Value + Send + Sync + 'static {
    move |method, params| {
        let number = json!(format!("{:#x}", head.load(Ordering::Relaxed)));
        match method {
            "eth_blockNumber" => json!({ "result": number }),
            "eth_getBlockByNumber" if params[0] == "latest" => {
                recorded_answer("anvil", method, &json!([number, params[1]]))
            }
            _ => recorded_answer("anvil", method, params),
        }
    }
}

// The clock stands still while another thread works: the follower looks for blocks only because it is asked to.
#[tokio::test(start_paused = true)]
async fn transaction_after_the_last_indexed_block_is_read_at_once() {
    let head = Arc::new(AtomicUsize::new(22));
    let server = serve(follow(simulated_client(node_until(Arc::clone(&head)))).await).await;
    let hash = recorded_block("anvil", 23).transactions[0].hash;
    head.store(23, Ordering::Relaxed);
    let get = move || server.json(&format!("/api/v2/transactions/{hash}"));
    let transaction = tokio::task::spawn_blocking(get).await.unwrap();
    assert_eq!(transaction["block_number"], 23, "{transaction}");
}

#[tokio::test(start_paused = true)]
async fn quiet_chain_is_read_when_a_response_needs_newer_blocks() {
    let head = Arc::new(AtomicUsize::new(22));
    let chain = follow(simulated_client(node_until(Arc::clone(&head)))).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    let newer = move |chain: &NodeChain, snapshot: &Snapshot| {
        chain.newer_blocks(snapshot, Instant::now() + Duration::from_mins(10))
    };
    let last = tokio::task::spawn_blocking(move || {
        let before = chain.snapshot().unwrap();
        assert!(newer(&chain, &before).is_none(), "there are none");
        head.store(23, Ordering::Relaxed);
        newer(&chain, &before).unwrap().head().unwrap().unwrap().number
    });
    assert_eq!(last.await.unwrap(), 23);
}

// As behind a load balancer. A response of the same blocks would be made again for nothing.
#[tokio::test(start_paused = true)]
async fn block_that_a_node_only_counts_is_no_newer_one() {
    let head = Arc::new(AtomicUsize::new(22));
    let [until_head, to_next] = [Arc::clone(&head), Arc::new(AtomicUsize::new(23))].map(node_until);
    let counted = Arc::clone(&head);
    // Of the next block only the header comes, and its number if that is asked for.
    let counting = simulated_client(move |method, params| match method {
        "eth_blockNumber" => json!({ "result": "0x63" }),
        "eth_getBlockByNumber"
            if params[0] == "latest" && counted.load(Ordering::Relaxed) == 23 =>
        {
            to_next(method, params)
        }
        "eth_getBlockByNumber" if params[0] == "0x17" => json!({ "result": null }),
        _ => until_head(method, params),
    });
    let chain = follow(counting).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    head.store(23, Ordering::Relaxed);
    let newer = tokio::task::spawn_blocking(move || {
        let before = chain.snapshot().unwrap();
        chain.newer_blocks(&before, Instant::now())
    });
    let newer = newer.await.unwrap();
    assert!(newer.is_none(), "{:?}", newer.map(|newer| newer.head().unwrap().unwrap().number));
}

#[tokio::test(start_paused = true)]
async fn quiet_chain_is_asked_less_and_less_often() {
    const QUIET: Duration = Duration::from_mins(10);
    let [polls, others] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
    let client = simulated_client({
        let (polls, others) = (Arc::clone(&polls), Arc::clone(&others));
        move |method, params| {
            let is_poll = method == "eth_getBlockByNumber" && params[0] == "latest";
            let count = if is_poll { &polls } else { &others };
            count.fetch_add(1, Ordering::Relaxed);
            recorded_answer("anvil", method, params)
        }
    });
    let chain = follow(client).await;
    let mut watch = chain.watch();
    watch.next().await.unwrap();
    polls.store(0, Ordering::Relaxed);
    others.store(0, Ordering::Relaxed);
    assert!(timeout(Duration::from_mins(1), watch.next()).await.is_err(), "it wakes");
    let in_first_minute = polls.swap(0, Ordering::Relaxed);
    assert!((52..=57).contains(&in_first_minute), "quick for ten seconds: {in_first_minute}");
    assert!(timeout(QUIET, watch.next()).await.is_err(), "it wakes");
    let later = polls.load(Ordering::Relaxed);
    assert!((118..=123).contains(&later), "{later}");
    assert_eq!(others.load(Ordering::Relaxed), 0);
}
