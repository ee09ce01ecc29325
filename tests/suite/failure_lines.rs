//! The lines of the source that failed calls ended at, by the steps of a node and the source maps of a
//! project. `hardhat2-steps.jsonl.gz` has all steps of the failed transactions of the small world.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use chainglass::test_api::abi::{Project, ProjectContracts};
use chainglass::test_api::chain::{Chains, CustomChain, Network};
use chainglass::test_api::net::{Provider, ProviderOptions};
use chainglass::test_api::rpc::RpcClient;
use serde_json::{Value, json};
use tokio::process::Command;
use url::Url;

use crate::architecture::root;
use crate::artifacts::{project, write};
use crate::demo_server_client::{ALICE, ServerClient};
use crate::fake_server::{FakeServer, Request};
use crate::node_chain::{follow, serve};
use crate::scripted_node::{client, node_with, read_lines, recorded_answer};
use crate::session::{Session, size};

pub(crate) const THROWER: &str = "0x5fc8d32690cc91d4c39d9d3abcbd16989f875707";
const COIN: &str = "0x5fbdb2315678afecb367f032d93f642f64180aa3";
pub(crate) const CUSTOM: &str =
    "0x3fd4765039d57be392fd1da465355250ef9e84b332915d2fadb8ffa29477f1d7";
const REASON: &str = "0x055dd91fa80d9502d3a66b75d8397400cbacf39bd567bd201e4349e0fa9a6186";
pub(crate) const PANIC: &str = "0xfdff72b4bb205e256be9369416cd13ce901576a736e2017698f9d336f013fae5";
pub(crate) const NOTHING: &str =
    "0x728eb16a65e8de0fda1be0e024c498ab5a46973d574d69310584e69805bd6c1b";
pub(crate) const INVALID: &str =
    "0xbd399201ead6b754893e648dd67de08b1aa8a7b0a8589b44b9319e764b840c41";
const TRANSFER: &str = "0x465c727f8126b841d2381adf17a3784ce23d39dbf8981d4874f67ba60e8bee6c";
const CREATION: &str = "0x86db98e861f3f0211700ca11c3ddffd4f7f692f73bb94025952f1b6c649fb49a";
pub(crate) const CATCH_ALL: &str =
    "0x41bced567a2f98dd6d4915561392e495a9d8b53820741e8f534a5600ea8ee131";

static STEPS: LazyLock<HashMap<String, Value>> = LazyLock::new(|| {
    let line = |mut it: Value| (it["params"].to_string(), it["result"].take());
    read_lines("hardhat2-steps").map(line).collect()
});

/// Hardhat 2 with its small world, and the steps of what failed there.
pub(crate) fn node() -> FakeServer {
    node_with(|method, params| match STEPS.get(&params.to_string()) {
        Some(steps) if method == "debug_traceTransaction" => json!({ "result": steps }),
        _ => recorded_answer("hardhat2", method, params),
    })
}

async fn serve_in(folder: &Path, node: &FakeServer) -> ServerClient {
    let project = Project::find(folder).map(ProjectContracts::new).map(Arc::new);
    serve(follow(client(node)).await.with_project(project)).await
}

fn ask(server: &ServerClient, transaction: &str, contract: &str, call: &str) -> (u16, Value) {
    let of = format!("/api/v2/transactions/{transaction}/failure-line?");
    let contract = if contract.is_empty() { String::new() } else { format!("contract={contract}") };
    let (status, body) = server.get(&format!("{of}{contract}{call}"));
    (status, serde_json::from_str(&body).unwrap())
}

/// The number of the line of a contract in the world's source that begins so.
fn line_with(contract: &str, text: &str) -> usize {
    let world = fs::read_to_string(root().join("tests/nodes/world/World.sol")).unwrap();
    let head = format!("contract {contract} {{");
    let lines = world.lines().enumerate().skip_while(|(_, line)| *line != head);
    let (at, _) = { lines }.find(|(_, line)| line.trim_start().starts_with(text)).unwrap();
    at + 1
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_calls_end_at_their_lines() {
    let (folder, node) = (project("hardhat2"), node());
    let server = serve_in(folder.path(), &node).await;
    let check = move || {
        let failed = [
            (REASON, THROWER, "Thrower", "revert(\""),
            (CUSTOM, THROWER, "Thrower", "revert Forbidden"),
            (PANIC, THROWER, "Thrower", "return 1 /"),
            (NOTHING, THROWER, "Thrower", "revert();"),
            (INVALID, THROWER, "Thrower", "invalid()"),
            (TRANSFER, COIN, "Coin", "if (balance < value) revert Insufficient"),
            (CREATION, "", "Child", "require(n != 13"),
        ];
        for (transaction, contract, name, text) in failed {
            let (status, found) = ask(&server, transaction, contract, "");
            assert_eq!(status, 200, "{found}");
            let line = line_with(name, text);
            assert_eq!(
                (&found["file_path"], &found["line"]),
                (&json!("contracts/World.sol"), &json!(line))
            );
            let around = found["source_code"].as_str().unwrap().lines().nth(2).unwrap();
            assert!(around.trim_start().starts_with(text), "{found}");
            assert_eq!(
                (&found["first_line"], &found["is_exact"]),
                (&json!(line - 2), &json!(true))
            );
        }
        // Calls inside another are told apart by what gas they began with.
        let trace = server.json(&format!("/api/v2/transactions/{CATCH_ALL}/raw-trace"));
        let failed = trace.as_array().unwrap().iter().filter(|call| call["error"].is_string());
        let lines = failed.map(|call| {
            let gas =
                u64::from_str_radix(&call["action"]["gas"].as_str().unwrap()[2..], 16).unwrap();
            let depth = call["traceAddress"].as_array().unwrap().len();
            let call = format!("&depth={depth}&gas={gas}");
            ask(&server, CATCH_ALL, THROWER, &call).1["line"].as_u64().unwrap()
        });
        let contract = line_with("Thrower", "contract") as u64;
        let expected = ["revert(\"", "revert Forbidden", "return 1 /"]
            .map(|it| line_with("Thrower", it) as u64);
        assert_eq!(lines.take(4).collect::<Vec<_>>(), [&[contract], &expected[..]].concat());
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_told_says_why() {
    let (folder, node) = (project("hardhat2"), node());
    let server = serve_in(folder.path(), &node).await;
    let stepless = node_with(|method, params| match method {
        "debug_traceTransaction" => json!({ "result": { "structLogs": [], "gas": 21_000 } }),
        _ => recorded_answer("hardhat2", method, params),
    });
    let without_steps = serve_in(folder.path(), &stepless).await;
    let check = move || {
        let why = |server: &ServerClient, contract: &str, call: &str| {
            let (status, answer) = ask(server, CUSTOM, contract, call);
            assert_eq!(status, 501, "{answer}");
            answer["message"].as_str().unwrap().to_owned()
        };
        for (contract, call) in [(ALICE, ""), ("", ""), ("", "depth=1&gas=5")] {
            assert_eq!(why(&server, contract, call), "not compiled in this project");
        }
        assert_eq!(why(&server, THROWER, "&depth=1&gas=5"), "the node's steps have no such call");
        assert_eq!(why(&server, COIN, ""), "the node's steps do not fit this code");
        let stepless_why = "no steps recorded: start anvil with --steps-tracing";
        assert_eq!(why(&without_steps, THROWER, ""), stepless_why);
        // A source map that is none, or of files that are gone.
        let build = folder.path().join("artifacts/build-info/5f.json");
        let whole = fs::read_to_string(&build).unwrap();
        let broken = |change: &dyn Fn(&mut Value)| {
            let mut build: Value = serde_json::from_str(&whole).unwrap();
            change(&mut build);
            write(folder.path(), "artifacts/build-info/5f.json", &build.to_string());
            why(&server, THROWER, "")
        };
        let code = "/output/contracts/contracts~1World.sol/Thrower/evm/deployedBytecode/sourceMap";
        let map = |map: Value| broken(&|build| *build.pointer_mut(code).unwrap() = map.clone());
        assert_eq!(map(Value::Null), "the artifact has no source map");
        assert_eq!(map(json!("x:y:z")), "the source map cannot be read");
        assert_eq!(map(json!("0:0:7")), "no step of the call is from a source");
        let far = json!("9007199254740991:9007199254740991:0");
        assert_eq!(map(far), "the source map does not fit the source");
        let path = "/input/sources/contracts~1World.sol/content";
        let gone = broken(&|build| *build.pointer_mut(path).unwrap() = Value::Null);
        assert_eq!(gone, "contracts/World.sol is not in the compiler's input");
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn stack_of_a_failure_has_each_call_with_its_line() {
    let (folder, node) = (project("hardhat2"), node());
    let server = serve_in(folder.path(), &node).await;
    let check = move || {
        let stack = server.json(&format!("/api/v2/transactions/{CUSTOM}/failure-stack"));
        let calls = stack["calls"].as_array().unwrap();
        assert_eq!((calls.len(), &stack["left_out"]), (1, &json!(0)), "{stack}");
        let line = line_with("Thrower", "revert Forbidden");
        assert_eq!(
            (&calls[0]["contract"]["name"], &calls[0]["function"], &calls[0]["line"]),
            (&json!("Thrower"), &json!("custom"), &json!(line))
        );
        let stack = server.json(&format!("/api/v2/transactions/{CREATION}/failure-stack"));
        assert_eq!(stack["calls"][0]["function"], "Child.constructor");
        let creation = server.json(&format!("/api/v2/transactions/{CREATION}"));
        let decoded = &creation["decoded_input"];
        assert_eq!(decoded["method_call"], "Child(uint256 n)", "{creation}");
        assert_eq!(decoded["parameters"][0]["value"], "13");
        let invalid = "invalid opcode (0xfe): an old assert, or data run as code";
        for (transaction, cause) in [(NOTHING, "revert without a reason"), (INVALID, invalid)] {
            let stack = server.json(&format!("/api/v2/transactions/{transaction}/failure-stack"));
            assert_eq!(stack["cause"], cause, "{stack}");
        }
        // Nothing failed with it, and it survived these.
        let stack = server.json(&format!("/api/v2/transactions/{CATCH_ALL}/failure-stack"));
        assert_eq!(stack["calls"], json!([]));
        let caught = stack["caught"].as_array().unwrap();
        let lines: Vec<u64> = caught
            .iter()
            .filter_map(|failure| {
                let [call] = &failure["calls"].as_array().unwrap()[..] else { panic!("{failure}") };
                call["line"].as_u64()
            })
            .collect();
        let expected = ["revert(\"", "revert Forbidden", "return 1 /"]
            .map(|text| line_with("Thrower", text) as u64);
        assert!(lines.windows(3).any(|lines| lines == expected), "{lines:?}");
        assert_eq!(stack["caught_left_out"], 0);
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn caught_revert_without_data_has_the_name_of_the_error() {
    let (folder, node) = (tempfile::tempdir().unwrap(), node());
    let server = serve_in(folder.path(), &node).await;
    let check = move || {
        let stack = server.json(&format!("/api/v2/transactions/{CATCH_ALL}/failure-stack"));
        let caught = stack["caught"].as_array().unwrap();
        let errors: Vec<&str> =
            caught.iter().filter_map(|failure| failure["error"].as_str()).collect();
        assert!(errors.contains(&"Reverted"), "{stack}");
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

// The response is made again with the accounts. A public node is paid for each trace.
#[tokio::test(flavor = "multi_thread")]
async fn stack_and_trace_of_a_transaction_are_traced_once() {
    let (folder, node) = (tempfile::tempdir().unwrap(), node());
    let server = serve_in(folder.path(), &node).await;
    let check = move || {
        let transaction = format!("/api/v2/transactions/{CATCH_ALL}");
        let trace = server.json(&format!("{transaction}/raw-trace"));
        assert_eq!(trace, server.json(&format!("{transaction}/raw-trace")));
        server.json(&format!("{transaction}/failure-stack"));
    };
    tokio::task::spawn_blocking(check).await.unwrap();
    let is_trace = |request: &&Request| {
        let body = String::from_utf8_lossy(&request.body);
        ["debug_traceTransaction", CATCH_ALL].iter().all(|part| body.contains(part))
            && !body.contains("disableStack")
    };
    assert_eq!(node.requests().iter().filter(is_trace).count(), 1);
}

// Its steps take a node seconds and gigabytes.
#[tokio::test(flavor = "multi_thread")]
async fn printed_trace_asks_for_the_stack_only_if_it_shows_it() {
    let (home, node) = (tempfile::tempdir().unwrap(), node());
    for (format, is_shown) in [("tree", true), ("jsonl", true), ("folded", false)] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
        let chain = node.base().to_string();
        program.args(["trace", CATCH_ALL, "--format", format, "--chain", &chain, "--log", "-"]);
        for variable in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
            program.env(variable, home.path());
        }
        let printed = program.kill_on_drop(true).output().await.unwrap();
        let requests = String::from_utf8_lossy(&printed.stderr);
        assert!(printed.status.success() && requests.contains("raw-trace"), "{requests}");
        assert_eq!(requests.contains("failure-stack"), is_shown, "{format}: {requests}");
    }
}

/// Needs `tests/nodes/run hardhat2`, without which there is nothing to check.
#[tokio::test(flavor = "multi_thread")]
async fn running_hardhat_2_names_a_lack_of_gas() {
    let Ok(url) = std::env::var("HARDHAT2_URL") else { return };
    let node = RpcClient::new(url.parse::<Url>().unwrap().try_into().unwrap()).unwrap();
    let snapshot: Value = node.call("evm_snapshot", json!([])).await.unwrap();
    // JUMPDEST GAS GAS SSTORE PUSH1 0 JUMP
    let sent = json!([{ "from": ALICE, "data": "0x5b5a5a55600056", "gas": "0x7a120" }]);
    let answer = node.call::<Value>("eth_sendTransaction", sent).await;
    let block: Value = node.call("eth_getBlockByNumber", json!(["latest", true])).await.unwrap();
    let hash = block["transactions"][0]["hash"].as_str().unwrap_or_else(|| panic!("{answer:?}"));
    let (path, chain) = (format!("/api/v2/transactions/{hash}"), follow(node.clone()).await);
    let server = serve(chain).await;
    let check = move || {
        let transaction = server.json(&path);
        assert_eq!(transaction["result"], "Out of gas", "{transaction}");
        let trace = server.json(&format!("{path}/raw-trace"));
        assert_eq!(trace[0]["error"], "Out of gas", "{trace}");
    };
    tokio::task::spawn_blocking(check).await.unwrap();
    node.call::<Value>("evm_revert", json!([snapshot])).await.unwrap();
}

/// A node without the steps of what it mined, which repeats transactions with these.
fn repeating_node(repeated: Value) -> FakeServer {
    node_with(move |method, params| match method {
        "debug_traceTransaction" => json!({ "result": { "structLogs": [], "gas": 21_000 } }),
        "debug_traceCall" => {
            let overrides = &params[2]["blockOverrides"];
            let is_at_block_before = params[1].as_str().is_some_and(|before| {
                let number = |hex: &str| u64::from_str_radix(&hex[2..], 16).unwrap();
                number(before) + 1 == number(overrides["number"].as_str().unwrap())
            });
            assert!(is_at_block_before && overrides["time"].is_string(), "{params}");
            json!({ "result": repeated })
        }
        _ => recorded_answer("hardhat2", method, params),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn node_without_steps_repeats_the_first_transaction_of_a_block() {
    let recorded = |hash: &str| {
        let asked = STEPS.keys().find(|params| params.contains(hash)).unwrap();
        STEPS[asked].clone()
    };
    let folder = project("hardhat2");
    let node = repeating_node(recorded(REASON));
    let server = serve_in(folder.path(), &node).await;
    let mut other_gas = recorded(REASON);
    other_gas["gas"] = json!(other_gas["gas"].as_u64().unwrap() + 1);
    let other_node = repeating_node(other_gas);
    let other = serve_in(folder.path(), &other_node).await;
    let check = move || {
        let (status, found) = ask(&server, REASON, THROWER, "");
        assert_eq!(status, 200, "{found}");
        assert_eq!(found["line"], line_with("Thrower", "revert(\""));
        // Another run is not this transaction's.
        let (status, found) = ask(&other, REASON, THROWER, "");
        let why = "no steps recorded: start anvil with --steps-tracing";
        assert_eq!((status, &found["message"]), (501, &json!(why)));
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

fn network(node: &FakeServer) -> Network {
    let rpc = Some(node.base().to_string());
    let own = CustomChain { key: "mine".into(), rpc, ..CustomChain::default() };
    Chains::new(vec![own], false).unwrap().resolve("mine").unwrap()
}

async fn open(folder: &Path, node: &FakeServer, transaction: &str) -> Session {
    let network = network(node);
    let project = Project::find(folder).map(ProjectContracts::new).map(Arc::new);
    let options = ProviderOptions { project, ..ProviderOptions::default() };
    let provider = Provider::with_options(&network, options);
    let mut session = Session::at(provider, network, size(120, 40), transaction).await;
    session.keys("2").await;
    session
}

/// The line under the cursor.
async fn line_under_cursor(session: &mut Session) -> String {
    session.keys("y y").await;
    session.copied().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn inner_failures_of_a_node_without_a_tracer_are_in_the_head() {
    let (folder, node) = (project("hardhat2"), node());
    let mut session = open(folder.path(), &node, CATCH_ALL).await;
    session.keys("1").await;
    let screen = session.screen();
    let head = screen.lines().find(|line| line.contains("✓ ok")).unwrap();
    assert!(head.contains("! ") && head.contains(" calls failed"), "{screen}");
    assert!(!screen.contains("inner calls"), "{screen}");
}

fn steps_asked(node: &FakeServer) -> usize {
    let body = |it: &Request| String::from_utf8_lossy(&it.body).into_owned();
    node.requests()
        .iter()
        .filter(|it| body(it).contains("disableStack") && body(it).contains(CUSTOM))
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn line_of_a_revert_is_shown_and_opened() {
    let (folder, node) = (project("hardhat2"), node());
    let mut session = open(folder.path(), &node, CUSTOM).await;
    assert_eq!(steps_asked(&node), 1, "the reason and the lines share an answer");
    let place = format!("contracts/World.sol:{}", line_with("Thrower", "revert Forbidden"));
    session.keys("g r").await;
    let screen = session.screen();
    assert!(
        screen.contains(&place) && screen.contains("revert Forbidden(msg.sender, 42);"),
        "{screen}"
    );
    session.keys("g d").await;
    let selected = line_under_cursor(&mut session).await;
    assert_eq!(selected.trim(), "revert Forbidden(msg.sender, 42);");
    assert_eq!(steps_asked(&node), 1);

    // Without the other key first, it asks, and opens with the answer.
    let mut session = open(folder.path(), &node, CUSTOM).await;
    session.keys("g d").await;
    let selected = line_under_cursor(&mut session).await;
    assert_eq!(selected.trim(), "revert Forbidden(msg.sender, 42);");
    assert_eq!(steps_asked(&node), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn copied_trace_has_the_line_of_a_failure() {
    let (folder, node) = (project("hardhat2"), node());
    let mut session = open(folder.path(), &node, CUSTOM).await;
    session.keys("y T").await;
    let line = line_with("Thrower", "revert Forbidden");
    let copied = session.copied().unwrap_or_default();
    assert!(copied.ends_with(&format!(" (contracts/World.sol:{line})")), "{copied}");
    session.keys("y k").await;
    let command = session.copied().unwrap_or_default();
    let (command, url) = command.split_once(" --rpc-url ").expect(command);
    assert!(command.contains(" --block ") && url.starts_with("http://127.0.0.1:"), "{url}");
    assert_eq!(steps_asked(&node), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn function_has_one_name_without_a_project() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = open(folder.path(), &node(), TRANSFER).await;
    let call = "World Coin.transfer?(0x7099…79C8, 999,999,999)";
    assert!(session.screen().contains(call), "{}", session.screen());
    session.keys("1").await;
    let page = session.screen();
    assert!(page.contains(&format!("#3 → {call}")), "{page}");
    assert!(page.contains("?  World Coin.transfer?"), "the stack: {page}");
    assert!(page.contains("transfer(address to, uint256 amount) (? by its selector"), "{page}");
    assert!(page.contains("uint256 amount") && !page.contains("not compiled"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_a_failure_begins_with_its_reason_and_line() {
    let (folder, node) = (project("hardhat2"), node());
    let mut session = open(folder.path(), &node, CUSTOM).await;
    session.keys("1").await;
    let screen = session.screen();
    let line = line_with("Thrower", "revert Forbidden");
    let order = [
        "Forbidden(",
        &format!("World.sol:{line}"),
        &format!("▸{line:>4} "),
        "─ Stack ─",
        &format!("contracts/World.sol:{line}  Thrower.custom  revert Forbidden"),
    ];
    let places: Vec<_> = order.iter().map(|text| screen.find(*text)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {screen}");
    session.keys("g d").await;
    let selected = line_under_cursor(&mut session).await;
    assert_eq!(selected.trim(), "revert Forbidden(msg.sender, 42);");

    // A failed creation leaves no contract.
    let mut session = open(folder.path(), &node, CREATION).await;
    session.keys("1 g d").await;
    let screen = session.screen();
    assert!(screen.contains("a constructor failed: there is no contract to open"), "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn line_of_the_stack_opens_its_contract() {
    let (folder, node) = (project("hardhat2"), node());
    let mut session = open(folder.path(), &node, CUSTOM).await;
    session.keys("1 /").await;
    session.type_text("contracts/World.sol").await;
    session.keys("enter").await;
    let title = session.screen().lines().next().unwrap().to_owned();
    assert!(title.contains("› Thrower "), "{title}");
}

#[tokio::test(flavor = "multi_thread")]
async fn page_names_reason_and_line_of_a_caught_failure() {
    let (folder, node) = (project("hardhat2"), node());
    let mut session = open(folder.path(), &node, CATCH_ALL).await;
    session.keys("1").await;
    let screen = session.screen();
    let line = line_with("Thrower", "revert Forbidden");
    let row = screen.lines().find(|line| line.contains("Thrower.custom")).expect(&screen);
    assert!(row.contains("Forbidden(") && row.contains(&format!("World.sol:{line}")), "{row}");
    // A known trace has the same calls.
    session.keys("2 1").await;
    let screen = session.screen();
    assert_eq!(screen.matches("Thrower.custom").count(), 1, "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn copied_trace_has_the_line_of_a_caught_failure() {
    let (folder, node) = (project("hardhat2"), node());
    let mut session = open(folder.path(), &node, CATCH_ALL).await;
    session.keys("y b").await;
    let copied = session.copied().unwrap();
    let line = line_with("Thrower", "revert Forbidden");
    assert!(copied.contains(&format!(" (contracts/World.sol:{line})")), "{copied}");
}

#[tokio::test(flavor = "multi_thread")]
async fn line_that_a_node_failed_to_tell_is_asked_for_again() {
    let folder = project("hardhat2");
    let is_failing = Arc::new(AtomicBool::new(true));
    let fails = Arc::clone(&is_failing);
    let node = node_with(move |method, params| match STEPS.get(&params.to_string()) {
        Some(_) if method == "debug_traceTransaction" && fails.load(Ordering::SeqCst) => {
            json!({ "error": { "code": -32000, "message": "execution timeout" } })
        }
        Some(steps) if method == "debug_traceTransaction" => json!({ "result": steps }),
        _ => recorded_answer("hardhat2", method, params),
    });
    let mut session = open(folder.path(), &node, CUSTOM).await;
    session.keys("g r").await;
    let screen = session.screen();
    assert!(screen.contains("execution timeout"), "{screen}");
    is_failing.store(false, Ordering::SeqCst);
    session.keys("g d").await;
    let selected = line_under_cursor(&mut session).await;
    assert_eq!(selected.trim(), "revert Forbidden(msg.sender, 42);");
}

#[tokio::test(flavor = "multi_thread")]
async fn source_opens_at_the_function_if_its_line_is_unknown() {
    let (folder, node) = (project("hardhat2"), node());
    let build = folder.path().join("artifacts/build-info/5f.json");
    let whole = fs::read_to_string(&build).unwrap();
    write(folder.path(), "artifacts/build-info/5f.json", &whole.replace("sourceMap", "noMap"));
    let mut session = open(folder.path(), &node, CUSTOM).await;
    session.keys("g r").await;
    let screen = session.screen();
    assert!(screen.contains("? (the artifact has no source map)"), "{screen}");
    session.keys("g d").await;
    assert_eq!(line_under_cursor(&mut session).await.trim(), "function custom() external {");
}
