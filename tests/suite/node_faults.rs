//! A node whose responses go wrong while it is followed: the index recovers, and equals a fresh one.

use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chainglass::test_api::http::TransportConfig;
use chainglass::test_api::indexer::{IndexLimits, NodeChain};
use chainglass::test_api::rpc::RpcClient;
use chainglass::test_api::store::Snapshot;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::changing_node::{NodeOperation, Personality, SimulatedChain, client_of};
use crate::fake_server::{Behavior, FakeServer, fake_host, json as json_response, response_head};
use crate::fault_cases::transport_faults;
use crate::random_histories::{rows, settled};
use crate::scripted_node::{client, recorded_answer, respond};
use crate::session::{ALICE, UNUSABLE_DIR};

const TIMEOUT: Duration = Duration::from_mins(1);
/// HTTP requests between two responses that go wrong, and how many do.
const FAULT_DISTANCE: usize = 5;
const FAULTS: usize = 3;
/// Less than the default, so that the test needs little memory.
const MAX_BODY_BYTES: u64 = 4 << 20;

/// Makes a faulty response of a valid body.
type Fault = Box<dyn Fn(&str) -> Behavior + Send + Sync>;

/// Changes the entries of a batch, or the only one.
fn entries(body: &str, change: impl Fn(&mut Vec<Value>)) -> Behavior {
    let body: Value = serde_json::from_str(body).unwrap();
    let is_batch = body.is_array();
    let mut entries = if let Value::Array(entries) = body { entries } else { vec![body] };
    change(&mut entries);
    let changed = if is_batch { entries.into() } else { entries.pop().unwrap_or(Value::Null) };
    json_response(200, changed.to_string())
}

/// Replaces a member wherever it is.
fn replace(json: &mut Value, name: &str, other: &Value) {
    if let Some(value) = json.get_mut(name) {
        *value = other.clone();
    }
    match json {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, name, other)),
        Value::Object(members) => members.values_mut().for_each(|it| replace(it, name, other)),
        _ => {}
    }
}

fn changed_entries(name: &'static str, change: fn(&mut Vec<Value>)) -> (&'static str, Fault) {
    (name, Box::new(move |body| entries(body, change)))
}

fn answer_faults() -> Vec<(&'static str, Fault)> {
    let past_64_bits = |name: &'static str, member: &'static str| -> (&'static str, Fault) {
        let number = json!("0x10000000000000001");
        let change = move |all: &mut Vec<Value>| {
            for entry in all.iter_mut() {
                replace(entry, member, &number);
            }
        };
        (name, Box::new(move |body| entries(body, &change)))
    };
    let padded = |megabytes: usize| -> Fault {
        Box::new(move |body| json_response(200, [body, &" ".repeat(megabytes << 20)].concat()))
    };
    vec![
        changed_entries("an id is missing", |all| drop(all[0]["id"].take())),
        changed_entries("an answer is missing", |all| drop(all.pop())),
        changed_entries("no answers", Vec::clear),
        changed_entries("ids are doubled", |all| all.iter_mut().for_each(|it| it["id"] = 1.into())),
        changed_entries("another order", |all| all.reverse()),
        changed_entries("answers come twice", |all| all.extend(all.clone())),
        changed_entries("ids of other requests", |all| {
            for it in all.iter_mut() {
                it["id"] = (it["id"].as_u64().unwrap() + 1).into();
            }
        }),
        changed_entries("ids are objects", |all| all[0]["id"] = json!({ "id": 1 })),
        changed_entries("results and errors", |all| all[0]["error"] = json!({ "code": 1 })),
        changed_entries("results are of another type", |all| all[0]["result"] = json!([[7]])),
        past_64_bits("a number past 2^64", "number"),
        past_64_bits("a time past 2^64", "timestamp"),
        past_64_bits("a result past 2^64", "result"),
        ("3 MB more", padded(3)),
        ("5 MB more", padded(5)),
    ]
}

/// All faults: those of any HTTP server, and those of JSON-RPC.
fn faults() -> Vec<(&'static str, Fault)> {
    let of_transport =
        transport_faults(r#"{"jsonrpc":"2.0"}"#).into_iter().enumerate().map(|(index, case)| {
            let fault = move |body: &str| transport_faults(body).swap_remove(index).behavior;
            (case.name, Box::new(fault) as Fault)
        });
    of_transport.chain(answer_faults()).collect()
}

/// A node that tells a chain, with each body changed.
fn changing_node(
    chain: &Arc<Mutex<SimulatedChain>>,
    change: impl Fn(String) -> Behavior + Send + Sync + 'static,
) -> FakeServer {
    let chain = Arc::clone(chain);
    fake_host(move |request, _| {
        let answer = |method: &str, params: &Value| chain.lock().unwrap().answer(method, params);
        change(respond(&request.body, answer))
    })
}

/// A node that tells a chain, but for some responses from `first` on. Also counts requests.
fn faulty_node(
    chain: &Arc<Mutex<SimulatedChain>>,
    fault: Fault,
    first: usize,
) -> (FakeServer, Arc<AtomicUsize>) {
    let requests = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&requests);
    let server = changing_node(chain, move |body| {
        let count = counter.fetch_add(1, Ordering::Relaxed);
        let is_faulty = (0..FAULTS).any(|n| count == first + n * FAULT_DISTANCE);
        if is_faulty { fault(&body) } else { json_response(200, body) }
    });
    (server, requests)
}

async fn check(name: &'static str, fault: Fault, personality: Personality, first: usize) {
    let mined = [NodeOperation::Mine(4), NodeOperation::Mine(3), NodeOperation::MineMany(60)];
    let history = mined.into_iter().chain([NodeOperation::Mine(4)]).map(|it| (0, it));
    let chain = Arc::new(Mutex::new(SimulatedChain::new(personality, history.collect())));
    let (node, requests) = faulty_node(&chain, fault, first);
    let transport = TransportConfig {
        response_timeout: Duration::from_secs(1),
        max_body_bytes: MAX_BODY_BYTES,
        ..TransportConfig::default()
    };
    let url = node.base().try_into().unwrap();
    let client = RpcClient::with_transport(url, transport).unwrap();
    let mut followed = NodeChain::follow(client, IndexLimits::default());
    // The faults come while it is read, or when it is read and looked at again.
    while requests.load(Ordering::Relaxed) <= first + FAULTS * FAULT_DISTANCE {
        settled(&mut followed, &chain).await;
    }
    let ours = settled(&mut followed, &chain).await;
    assert_eq!(followed.progress().error, None, "{name}");
    assert_is_fresh(name, &ours, &chain).await;
}

async fn assert_is_fresh(name: &str, ours: &Snapshot, chain: &Arc<Mutex<SimulatedChain>>) {
    let mut fresh = NodeChain::follow(client_of(chain), IndexLimits::default());
    let fresh = settled(&mut fresh, chain).await;
    assert_eq!(rows(ours, 0), rows(&fresh, 0), "{name}");
    assert_eq!(chain.lock().unwrap().violations, Vec::<String>::new(), "{name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn index_recovers_from_every_fault() {
    let faults = faults();
    assert!(faults.len() > 50, "{}", faults.len());
    let mut checks = JoinSet::new();
    for (index, (name, fault)) in faults.into_iter().enumerate() {
        let nodes = [Personality::Anvil, Personality::Hardhat3, Personality::Geth];
        let check = check(name, fault, nodes[index % nodes.len()], index % FAULT_DISTANCE);
        let late = move |_| panic!("{name}: the index does not recover");
        checks.spawn(async move { timeout(TIMEOUT, check).await.unwrap_or_else(late) });
    }
    while let Some(checked) = checks.join_next().await {
        checked.unwrap();
    }
}

fn mined(blocks: [u8; 2]) -> Arc<Mutex<SimulatedChain>> {
    let history = blocks.map(|transactions| (0, NodeOperation::Mine(transactions)));
    Arc::new(Mutex::new(SimulatedChain::new(Personality::Anvil, history.into())))
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_without_end_are_told_while_they_come() {
    const TOO_LARGE: &str = ": too much at once: the response is larger than 64 MB";
    let (chain, is_endless) = (mined([4, 3]), Arc::new(AtomicBool::new(false)));
    let node = changing_node(&chain, {
        let is_endless = Arc::clone(&is_endless);
        move |body| {
            let begun = [&response_head(200, &[])[..], b"["].concat();
            let endless = || Behavior::Endless(begun, vec![b' '; 1 << 20]);
            if is_endless.load(Ordering::Relaxed) { endless() } else { json_response(200, body) }
        }
    });
    let mut followed = NodeChain::follow(client(&node), IndexLimits::default());
    let before = settled(&mut followed, &chain).await;
    is_endless.store(true, Ordering::Relaxed);
    while followed.progress().error.is_none() {
        timeout(TIMEOUT, followed.changed()).await.unwrap();
    }
    let error = followed.progress().error.map(|error| format!("{error:?}"));
    let error = error.unwrap_or_default();
    assert!(error.contains("127.0.0.1:") && error.contains(TOO_LARGE), "{error}");
    assert_eq!(rows(&followed.published().unwrap(), 0), rows(&before, 0));

    chain.lock().unwrap().apply(NodeOperation::Mine(2));
    is_endless.store(false, Ordering::Relaxed);
    let ours = settled(&mut followed, &chain).await;
    assert_eq!(followed.progress().error, None);
    assert_is_fresh("endless", &ours, &chain).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn traces_of_50_mb_are_read() {
    const LARGE_TRACES: usize = 2;
    let (chain, traces) = (mined([4, 3]), Arc::new(AtomicUsize::new(0)));
    let node = changing_node(&chain, {
        let traces = Arc::clone(&traces);
        move |body| {
            let is_large = body.contains("traceAddress")
                && traces.fetch_add(1, Ordering::Relaxed) < LARGE_TRACES;
            let input = || format!(r#""action":{{"input":"0x{}","#, "5b".repeat(25 << 20));
            let large = || body.replacen(r#""action":{"#, &input(), 1);
            json_response(200, if is_large { large() } else { body })
        }
    });
    let mut followed = NodeChain::follow(client(&node), IndexLimits::default());
    let ours = settled(&mut followed, &chain).await;
    assert_eq!(followed.progress().error, None);
    assert!(traces.load(Ordering::Relaxed) >= LARGE_TRACES);
    assert_is_fresh("50 MB", &ours, &chain).await;
}

/// Lists the transactions of a node whose URL does not say that it is one's.
fn listed(node: &FakeServer) -> Output {
    printed(node, &["transactions", ALICE, "--format", "jsonl"])
}

/// Prints a list of a node whose URL does not say that it is one's.
fn printed(node: &FakeServer, list: &[&str]) -> Output {
    let mut url = node.base();
    url.set_host(Some("localhost")).unwrap();
    url.set_path("/v2/some-key");
    let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
    program.arg("get").args(list).args(["--chain", url.as_str()]);
    let settings = tempfile::tempdir().unwrap();
    program.env("XDG_CONFIG_HOME", settings.path()).env("XDG_STATE_HOME", UNUSABLE_DIR);
    program.env("XDG_CACHE_HOME", UNUSABLE_DIR).output().unwrap()
}

#[test]
fn slow_or_limited_first_answers_of_a_node_are_waited_for() {
    let slow = |answer: Behavior| Behavior::Delay(Duration::from_millis(1_100), answer.into());
    let limited = |_| Behavior::Respond(response_head(429, &[("retry-after", "1")]));
    let first: [fn(Behavior) -> Behavior; 2] = [slow, limited];
    for first in first {
        let node = fake_host(move |request, before| {
            let answer = |method: &str, params: &Value| recorded_answer("anvil", method, params);
            let answer = json_response(200, respond(&request.body, answer));
            // Also the first answer to who follows the chain.
            if matches!(before, 0 | 2) { first(answer) } else { answer }
        });
        let output = listed(&node);
        let (rows, errors) = (String::from_utf8(output.stdout), String::from_utf8(output.stderr));
        assert!(output.status.success(), "{errors:?}");
        assert!(rows.unwrap().lines().count() > 5, "{errors:?}");
    }
}

#[test]
fn table_of_a_node_names_the_coin_of_its_chain() {
    let node = fake_host(|request, _| {
        let answer = |method: &str, params: &Value| recorded_answer("anvil", method, params);
        json_response(200, respond(&request.body, answer))
    });
    let output = printed(&node, &["blocks", "--limit", "3"]);
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.lines().next().unwrap().contains("fees ETH"), "{table}");
}

/// Returns the status of the program for an anvil node with changed answers, and what it says.
fn failure_with(change: fn(&str, &Value, &mut Value)) -> (Option<i32>, String) {
    let node = fake_host(move |request, _| {
        let answer = |method: &str, params: &Value| {
            let mut answer = recorded_answer("anvil", method, params);
            change(method, params, &mut answer);
            answer
        };
        json_response(200, respond(&request.body, answer))
    });
    let output = listed(&node);
    assert_eq!(output.stdout, b"");
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn list_of_unreadable_blocks_fails() {
    let (status, errors) = failure_with(|_, _, answer| {
        replace(answer, "timestamp", &json!("0xffffffffffffffff"));
    });
    assert_eq!(status, Some(1), "{errors}");
    let why = "no readable block in blocks 0–";
    assert!(errors.contains(why) && errors.contains(" unreadable)"), "{errors}");
}

#[test]
fn node_without_a_head_is_named_in_words() {
    let (status, errors) = failure_with(|method, params, answer| {
        if method == "eth_getBlockByNumber" && params[0] == "latest" {
            answer["result"] = Value::Null;
        }
    });
    assert_eq!(status, Some(1), "{errors}");
    assert!(errors.contains("cannot read the response: it is null"), "{errors}");
    let (_, errors) = failure_with(|method, params, answer| {
        if method == "eth_getBlockByNumber" && params[0] == "latest" {
            answer["result"] = json!(7);
        }
    });
    assert!(errors.contains("invalid type: integer `7`, expected an object"), "{errors}");
}
