//! The demo's chain as an anvil tells it: everything that is served of it equals the demo.
//!
//! `tests/data/node/devnet-blocks.jsonl.gz` has what the node answered about each block, without
//! what is not read. Its traces are those of the demo.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use chainglass::test_api::abi::{Project, ProjectContracts};
use chainglass::test_api::demo_server::{ApiServer, ApiServerOptions, DemoChain};
use chainglass::test_api::indexer::{IndexLimits, NodeChain};
use chainglass::test_api::rpc::RpcClient;
use chainglass::test_api::store::ServedChain;
use flate2::read::GzDecoder;
use serde_json::{Value, json};

use crate::architecture::root;
use crate::artifacts::{codes, project};
use crate::demo_items::{SWALLOW_ALL, SWAP, TREE_11_2};
use crate::demo_server_client::{ALICE, ServerClient, demo_server};
use crate::scripted_node::{name_call_as_recorded, read_lines, simulated_client};

/// Answers of a node about the demo's chain.
struct DemoOnAnvil {
    blocks: Vec<Value>,
    receipts: Vec<Value>,
    /// The calls of each transaction.
    traces: HashMap<String, Value>,
    state: HashMap<(String, String), Value>,
}

static NODE: LazyLock<DemoOnAnvil> = LazyLock::new(|| {
    let lines = read_lines("devnet-blocks")
        .map(|mut it: Value| (it["block"].take(), it["receipts"].take()));
    let (blocks, mut receipts): (Vec<Value>, Vec<Value>) = lines.unzip();
    receipts.iter_mut().for_each(hide_deposits);
    let demo = DemoChain::open().unwrap();
    let snapshot = demo.snapshot().unwrap();
    let traces = snapshot.transactions(u64::MAX).unwrap().map(|transaction| {
        let trace = demo.raw_trace(transaction).unwrap().unwrap();
        let mut calls: Value = serde_json::from_str(trace.get()).unwrap();
        let hash = transaction.hash.to_string();
        for call in calls.as_array_mut().unwrap() {
            call["transactionHash"] = hash.clone().into();
        }
        (hash, calls)
    });
    let state = read_lines("devnet-state").map(|mut it: Value| {
        let key = (it["method"].as_str().unwrap().to_owned(), it["params"].to_string());
        let has_error = it.get("error").is_some();
        let member = if has_error { "error" } else { "result" };
        (key, json!({ member: it[member].take() }))
    });
    DemoOnAnvil { blocks, receipts, traces: traces.collect(), state: state.collect() }
});

/// A vault that emits the events of a contract that wraps the coin. Its deposits are transfers on a node,
/// as on a real server; the demo's table lacks them.
const VAULT: &str = "0xa7918d253764e42d60c3ce2010a34d5a1e7c1398";

/// Gives the vault's events of a block another signature.
fn hide_deposits(receipts: &mut Value) {
    let logs = receipts.as_array_mut().unwrap().iter_mut();
    let logs = logs.flat_map(|receipt| receipt["logs"].as_array_mut().unwrap());
    for log in logs.filter(|log| log["address"] == VAULT) {
        log["topics"][0] = format!("0x{:064x}", 1).into();
    }
}

impl DemoOnAnvil {
    fn answer(&self, method: &str, params: &Value) -> Value {
        let number = params[0].as_str().and_then(|it| it.strip_prefix("0x"));
        let number = number.and_then(|digits| usize::from_str_radix(digits, 16).ok());
        let result = match method {
            "eth_chainId" => json!("0x7a69"),
            "web3_clientVersion" => json!("anvil/v1.7.1"),
            "eth_getBlockByNumber" if params[0] == "latest" => self.blocks.last().cloned().into(),
            "eth_getBlockByNumber" => {
                number.and_then(|number| self.blocks.get(number)).cloned().into()
            }
            "eth_getBlockReceipts" => self.receipts[number.unwrap()].clone(),
            "trace_block" => {
                let block = &self.blocks[number.unwrap()];
                let sent = block["transactions"].as_array().unwrap().iter();
                let calls = sent.flat_map(|it| self.trace(&it["hash"]).as_array().unwrap());
                calls.cloned().collect()
            }
            "trace_transaction" => self.trace(&params[0]).clone(),
            _ => return self.state_answer(method, params),
        };
        let mut result = result;
        if method == "eth_getBlockByNumber" && params[1] == false {
            for transaction in result["transactions"].as_array_mut().into_iter().flatten() {
                *transaction = transaction["hash"].take();
            }
        }
        json!({ "result": result })
    }

    fn trace(&self, hash: &Value) -> &Value {
        &self.traces[hash.as_str().unwrap()]
    }

    fn state_answer(&self, method: &str, params: &Value) -> Value {
        let mut params = params.clone();
        name_call_as_recorded(method, &mut params, self.blocks.len() as u64 - 1);
        if let Some(answer) = self.state.get(&(method.to_owned(), params.to_string())) {
            return answer.clone();
        }
        // A balance that is not recorded is zero.
        let data = params[0]["data"].as_str().unwrap_or_default();
        let is_balance = data.starts_with("0x70a08231") || data.starts_with("0x00fdd58e");
        match method {
            "eth_call" if is_balance => json!({ "result": format!("0x{:064x}", 0) }),
            "eth_call" => json!({ "error": { "code": 3, "message": "execution reverted" } }),
            "eth_getStorageAt" => json!({ "result": "0x0" }),
            "eth_getCode" => json!({ "result": "0x" }),
            _ => json!({ "error": { "code": -32601, "message": "Method not found" } }),
        }
    }
}

fn devnet_client() -> RpcClient {
    simulated_client(|method, params| NODE.answer(method, params))
}

/// The node's chain, read whole.
async fn devnet_chain() -> NodeChain {
    chain_of(devnet_client()).await
}

async fn chain_of(client: RpcClient) -> NodeChain {
    let mut chain = NodeChain::follow(client, IndexLimits::default());
    while chain.progress().coverage.is_none_or(|it| it.unindexed > 0) {
        assert!(chain.changed().await, "{:?}", chain.progress());
    }
    chain
}

/// Fields that the demo invents, or knows from the sources of its contracts.
const INVENTED: [&str; 29] = [
    // Counted of a token by itself.
    "holders_count",
    "animation_url",
    "ens_domain_name",
    "exchange_rate",
    "historic_exchange_rate",
    "fiat_value",
    "volume_24h",
    "icon_url",
    "circulating_market_cap",
    "circulating_supply",
    "metadata",
    "public_tags",
    "private_tags",
    "watchlist_names",
    "is_verified",
    "is_scam",
    "reputation",
    "name",
    // Of nodes only.
    "console_line_count",
    "last_call_error",
    "method",
    "decoded_input",
    "revert_reason",
    "implementations",
    "authorization_list",
    "confirmation_duration",
    "image_url",
    "media_url",
    "external_app_url",
];

fn without_invented(mut item: Value) -> Value {
    fn remove(value: &mut Value) {
        match value {
            Value::Object(object) => {
                object.retain(|key, _| !INVENTED.contains(&&**key));
                // Blockscout names the contract that there is not.
                if object.get("status").is_some_and(|status| status == "error") {
                    object.remove("created_contract");
                }
                object.values_mut().for_each(remove);
            }
            Value::Array(items) => items.iter_mut().for_each(remove),
            _ => {}
        }
    }
    remove(&mut item);
    item
}

/// The lists of an address with their filters.
const LISTS: [(&str, &[&str]); 5] = [
    ("transactions", &["", "filter=to", "filter=from"]),
    ("internal-transactions", &["", "filter=to", "filter=from"]),
    (
        "token-transfers",
        &[
            "",
            "filter=to",
            "filter=from",
            "type=ERC-20",
            "type=ERC-721",
            "type=ERC-1155",
            "type=ERC-404",
        ],
    ),
    ("tokens", &["", "type=ERC-20", "type=ERC-721", "type=ERC-1155", "type=ERC-404"]),
    ("nft/collections", &["", "type=ERC-721", "type=ERC-1155"]),
];

/// Addresses with many transfers and with few, one with all that there is, and one with nothing.
fn addresses(demo: &ServerClient) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for item in demo.all_items("/api/v2/token-transfers", "") {
        for hash in ["/from/hash", "/to/hash", "/token/address_hash"] {
            let hash = item.pointer(hash).and_then(Value::as_str).unwrap();
            *counts.entry(hash.to_owned()).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let some = counts.into_iter().step_by(7).map(|(hash, _)| hash).take(15);
    some.chain([ALICE.to_owned(), format!("0x{:040x}", 0xdead_beef_u64)]).collect()
}

/// The lists, each with its filters.
fn lists(demo: &ServerClient) -> Vec<(String, &'static str)> {
    let mut lists = vec![("/api/v2/token-transfers".to_owned(), "")];
    for transaction in [TREE_11_2, SWALLOW_ALL] {
        lists.push((format!("/api/v2/transactions/{transaction}/internal-transactions"), ""));
    }
    let collections = demo.all_items(&format!("/api/v2/addresses/{ALICE}/nft/collections"), "");
    for collection in &collections[..3] {
        let token = collection["token"]["address_hash"].as_str().unwrap();
        lists.push((format!("/api/v2/tokens/{token}/instances"), ""));
    }
    for address in addresses(demo) {
        for (list, filters) in LISTS {
            let path = format!("/api/v2/addresses/{address}/{list}");
            lists.extend(filters.iter().map(|filter| (path.clone(), *filter)));
        }
    }
    lists
}

/// The pages of a list. Tokens are listed by what they are worth, which is invented.
fn pages(server: &ServerClient, path: &str, filter: &str) -> (Vec<usize>, Vec<Value>) {
    let pages = server.pages(path, filter);
    let sizes = pages.iter().map(|page| page.items.len()).collect();
    let items = pages.into_iter().flat_map(|page| page.items).map(without_invented);
    let mut items: Vec<Value> = items.collect();
    if path.ends_with("/tokens") {
        items.sort_by_key(|item| format!("{} {}", item["token"]["address_hash"], item["token_id"]));
    }
    (sizes, items)
}

#[test]
fn lists_equal_the_demo() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let chain: Arc<dyn ServedChain> = Arc::new(runtime.block_on(devnet_chain()));
    let (mut compared, mut rows) = (0, 0);
    // Small pages have more places at which a list can break off.
    for (page_size, has_filter) in [(10, false), (50, true)] {
        let options = ApiServerOptions { page_size, ..ApiServerOptions::default() };
        let node = runtime.block_on(ApiServer::start(Arc::clone(&chain), options));
        let (demo, node) = (demo_server(page_size), ServerClient::new(node.unwrap()));
        let lists = lists(&demo).into_iter().filter(|(_, filter)| has_filter != filter.is_empty());
        for (path, filter) in lists {
            let (expected, ours) = (pages(&demo, &path, filter), pages(&node, &path, filter));
            let place = format!("{path}?{filter} by {page_size}");
            assert_eq!(expected.0, ours.0, "{place}");
            for (expected, ours) in expected.1.iter().zip(&ours.1) {
                assert_eq!(expected, ours, "{place}");
            }
            compared += 1;
            rows += expected.1.len();
        }
    }
    assert_eq!(compared, 363);
    assert!(rows > 10_000, "{rows}");
}

/// A transaction that creates a contract and fails.
const FAILED_CREATION: &str = "0x37ca3b6399aebb6b6cf5ee3eb9d988cf80d95df42ed4a3a03c7cfc169effcba6";

#[test]
fn lists_have_authorizations_and_reasons_of_creations_and_no_invented_wait() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let chain: Arc<dyn ServedChain> = Arc::new(runtime.block_on(devnet_chain()));
    let node = runtime.block_on(ApiServer::start(chain, ApiServerOptions::default()));
    let node = ServerClient::new(node.unwrap());
    let delegated = "/api/v2/addresses/0xdf3e18d64bc6a983f673ab319ccae4f1a57c7097/transactions";
    let listed = node.all_items(delegated, "");
    let authorizations = listed.iter().flat_map(|it| it["authorization_list"].as_array().unwrap());
    assert_eq!(authorizations.map(|it| it["nonce"].clone()).collect::<Vec<_>>(), ["0"]);
    let failed = node.json(&format!("/api/v2/transactions/{FAILED_CREATION}"));
    let list =
        format!("/api/v2/addresses/{}/transactions", failed["from"]["hash"].as_str().unwrap());
    let in_list = node.all_items(&list, "").into_iter().find(|it| it["hash"] == FAILED_CREATION);
    for failed in [failed, in_list.unwrap()] {
        assert_eq!((&failed["to"], &failed["created_contract"]), (&Value::Null, &Value::Null));
        assert_ne!(failed["revert_reason"], json!({ "raw": "" }), "{failed}");
        assert!(failed["revert_reason"].is_object(), "{failed}");
        assert_eq!(failed["confirmation_duration"], json!([]));
    }
}

#[test]
fn logs_say_where_they_were_emitted_if_the_node_tells_it() {
    let receipts = NODE.receipts.iter().flat_map(|block| block.as_array().unwrap());
    let logs = receipts.clone().find(|it| it["transactionHash"] == SWAP).unwrap()["logs"].clone();
    let traces = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&traces);
    let client = simulated_client(move |method, params| {
        if params[1]["tracerConfig"]["withLog"] != true {
            return NODE.answer(method, params);
        }
        asked.fetch_add(1, Ordering::SeqCst);
        let mut logs = logs.as_array().unwrap().clone();
        for (n, log) in logs.iter_mut().enumerate() {
            log["position"] = format!("{n:#x}").into();
        }
        json!({ "result": { "type": "CALL", "logs": logs } })
    });
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let chain: Arc<dyn ServedChain> = Arc::new(runtime.block_on(chain_of(client)));
    let node = runtime.block_on(ApiServer::start(chain, ApiServerOptions::default()));
    let node = ServerClient::new(node.unwrap());
    let path = |hash: &str| format!("/api/v2/transactions/{hash}/logs");
    let items = |hash: &str| node.all_items(&path(hash), "calls=true");
    assert_eq!(node.all_items(&path(SWAP), "").len(), 14);
    assert_eq!(traces.load(Ordering::SeqCst), 0, "a list of logs costs no trace");
    let swap = items(SWAP);
    assert_eq!(swap.len(), 14);
    for (n, log) in swap.iter().enumerate() {
        assert_eq!((&log["trace_address"], &log["call_position"]), (&json!([]), &json!(n)));
    }
    let mut others = receipts.filter(|it| it["logs"].as_array().unwrap().len() == 1);
    let other = items(others.next().unwrap()["transactionHash"].as_str().unwrap());
    assert_eq!(other[0].get("trace_address"), None, "the node tells of other logs");
}

/// Compares with the reference tracer's trees through the demo's tests: the traces are the same.
#[test]
fn call_trees_equal_the_recorded_node() {
    let world = root().join("../shared/node/world/trace_block.jsonl.gz");
    let Ok(file) = File::open(world) else {
        return std::io::stderr().write_all(b"skipped: ../shared is not here\n").unwrap();
    };
    let mut compared = 0;
    for line in BufReader::new(GzDecoder::new(file)).lines() {
        let mut answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let mut traces: HashMap<String, Vec<Value>> = HashMap::new();
        for call in answer["result"].as_array_mut().unwrap().drain(..) {
            let hash = call["transactionHash"].as_str().unwrap().to_owned();
            traces.entry(hash).or_default().push(call);
        }
        for (hash, calls) in traces {
            let ours = NODE.trace(&hash.clone().into()).as_array().unwrap();
            assert_eq!(calls.len(), ours.len(), "{hash}");
            for (call, ours) in calls.iter().zip(ours) {
                for field in ["action", "result", "error", "traceAddress", "type"] {
                    assert_eq!(call[field], ours[field], "{hash} {field}");
                }
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 2_458);
}

/// Its code of three bytes is that of four contracts.
const WITHOUT_FUNCTIONS: &str = "0xd18d0cebb5da20f4d08d20fa764feae30f70fdcd";
/// An account that runs a contract's code (EIP-7702), and is none.
const DELEGATING_ACCOUNT: &str = "0xdf3e18d64bc6a983f673ab319ccae4f1a57c7097";

/// Reads the contracts of a server: the address, the name if the source is known, and how many
/// implementations there are.
fn contracts(server: &ServerClient) -> Vec<(String, Option<String>, usize)> {
    let of = |address: String| {
        let account = server.json(&format!("/api/v2/addresses/{address}"));
        let is_clone = account["proxy_type"] == "eip1167";
        let named = if is_clone { &account["implementations"][0] } else { &account };
        let name = named["name"].as_str();
        let is_compiled = account["compiled_artifact"].is_string();
        let name = name.filter(|_| is_compiled || account["is_verified"] == true);
        let implementations = account["implementations"].as_array().map_or(0, Vec::len);
        (address, name.map(str::to_owned), implementations)
    };
    codes("devnet-state.jsonl.gz").into_keys().map(of).collect()
}

/// Changes the hash of the sources at the end of each compiled code.
fn change_sources(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            change_sources(&path);
        } else if path.extension().is_some_and(|it| it == "json") {
            let mut artifact: Value =
                serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let Some(code) = artifact["deployedBytecode"]["object"].as_str() else { continue };
            let at = code.len().saturating_sub(40);
            let other = if code[at..].starts_with('0') { "1" } else { "0" };
            artifact["deployedBytecode"]["object"] =
                [&code[..at], other, code.get(at + 1..).unwrap_or("")].concat().into();
            std::fs::write(path, artifact.to_string()).unwrap();
        }
    }
}

#[test]
fn contracts_have_the_names_of_the_project_unless_it_was_changed() {
    let (runtime, folder) = (tokio::runtime::Runtime::new().unwrap(), project("foundry"));
    let named = || {
        let project = ProjectContracts::new(Project::find(folder.path()).unwrap());
        let chain = runtime.block_on(devnet_chain()).with_project(Some(Arc::new(project)));
        let node = ApiServer::start(Arc::new(chain), ApiServerOptions::default());
        contracts(&ServerClient::new(runtime.block_on(node).unwrap()))
    };
    let (demo, ours) = (contracts(&demo_server(50)), named());
    let mut verified = 0;
    for ((address, expected, _), (_, name, _)) in demo.iter().zip(&ours) {
        if let Some(expected) = expected {
            assert_eq!(name.as_ref(), Some(expected), "{address}");
            verified += 1;
        }
    }
    // Whose source the demo does not know, too.
    let clones = ours.iter().filter(|(_, name, count)| name.is_some() && *count == 1).count();
    assert_eq!((ours.len(), verified, clones), (205, 149, 117));
    let unnamed = ours.iter().filter(|(_, name, _)| name.is_none()).map(|(address, ..)| &**address);
    assert_eq!(unnamed.collect::<Vec<_>>(), [WITHOUT_FUNCTIONS, DELEGATING_ACCOUNT]);
    change_sources(folder.path());
    assert!(named().iter().all(|(_, name, _)| name.is_none()));
}
