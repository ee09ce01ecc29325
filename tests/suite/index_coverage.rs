//! Responses and lists about a chain of which only some blocks are known.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use alloy_primitives::B256;
use chainglass::test_api::api::{AddressQuery, ApiError, Query, TransactionQuery};
use chainglass::test_api::app_message::{ChainIndex, Msg, NetworkEvent};
use chainglass::test_api::demo_server::{ApiServer, ApiServerOptions};
use chainglass::test_api::indexer::{IndexLimits, IndexProgress, NodeChain, TransactionInBlock};
use chainglass::test_api::messages::index::Rollback;
use chainglass::test_api::messages::node::NodeErrorCode;
use chainglass::test_api::messages::transaction::NOT_IN_POOL;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::demo_server_client::{ALICE, Page, ServerClient};
use crate::fake_server::{Behavior, FakeServer, Request, fake_host, json as json_response};
use crate::scripted_node::{client, node_with, recorded_answer, respond};
use crate::session::{Session, UNUSABLE_DIR, size};

pub(crate) const BOB: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
pub(crate) const CAROL: &str = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
/// Longer than a request waits.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The last block of the long chain, and the first one that is read at first.
pub(crate) const HEAD: u64 = 99;
const FIRST_READ: u64 = 50;
const UNREAD: &str = "nothing in blocks 50–99; earlier ones are being indexed";

pub(crate) fn start(node: &FakeServer, limits: IndexLimits, page_size: usize) -> Arc<ServerClient> {
    let chain = Arc::new(NodeChain::follow(client(node), limits));
    let options = ApiServerOptions { page_size, ..ApiServerOptions::default() };
    let server = ApiServer::start(chain, options);
    let server = tokio::task::block_in_place(|| tokio::runtime::Handle::current().block_on(server));
    Arc::new(ServerClient::new(server.unwrap()))
}

pub(crate) async fn get(server: &Arc<ServerClient>, target: String) -> (u16, Value) {
    let server = Arc::clone(server);
    let (status, body) = spawn_blocking(move || server.get(&target)).await.unwrap();
    (status, serde_json::from_str(&body).unwrap())
}

pub(crate) fn of(address: &str, list: &str) -> String {
    format!("/api/v2/addresses/{address}/{list}")
}

pub(crate) fn message((status, body): (u16, Value)) -> (u16, String) {
    (status, body["message"].as_str().unwrap_or_else(|| panic!("{body}")).to_owned())
}

pub(crate) fn hash(kind: &str, number: u64) -> String {
    format!("0x{kind}{number:062x}")
}

pub(crate) fn number(hash: &Value) -> u64 {
    let hash = hash.as_str().unwrap();
    u64::from_str_radix(&hash[hash.len().saturating_sub(16).max(2)..], 16).unwrap()
}

/// The time of a block of the long chain.
fn time_of(number: u64) -> u64 {
    0x6500_aa00 + 12 * number
}

/// A chain with a payment of Alice in each block, whose value is the block's number, and a call
/// inside it that pays Carol. Calls are known from `first_traced` on.
pub(crate) fn long_chain(method: &str, params: &Value, first_traced: u64) -> Value {
    let of_block = |n: u64| {
        let sent = json!({
            "hash": hash("aa", n), "from": ALICE, "to": BOB, "nonce": "0x1", "gas": "0x9999",
            "value": format!("{n:#x}"), "gasPrice": "0x1", "input": "0x12345678", "type": "0x0",
        });
        json!({
            "number": format!("{n:#x}"), "hash": hash("bb", n), "gasUsed": "0x5208",
            "parentHash": hash("bb", n.wrapping_sub(1)), "timestamp": format!("{:#x}", time_of(n)),
            "transactions": [if params[1] == true { sent } else { hash("aa", n).into() }],
        })
    };
    let calls = |n: u64| {
        let call = |from: &str, to: &str, value: u64, address: Value| {
            json!({
                "action": { "from": from, "to": to, "value": format!("{value:#x}"), "gas": "0x5208",
                    "input": "0x", "callType": "call" },
                "result": { "gasUsed": "0x1", "output": "0x" }, "type": "call",
                "traceAddress": address, "transactionHash": hash("aa", n),
            })
        };
        json!([call(ALICE, BOB, n, json!([])), call(BOB, CAROL, 1, json!([0]))])
    };
    let result = match method {
        "eth_chainId" => "0x7a69".into(),
        "eth_getBlockByNumber" if params[0] == "latest" => of_block(HEAD),
        "eth_getBlockByNumber" => of_block(number(&params[0])),
        "eth_getTransactionReceipt" => {
            let n = number(&params[0]);
            json!({ "transactionHash": hash("aa", n), "blockHash": hash("bb", n), "logs": [],
                "status": "0x1", "gasUsed": "0x5208", "effectiveGasPrice": "0x1" })
        }
        "trace_block" if number(&params[0]) >= first_traced => calls(number(&params[0])),
        "trace_block" => return json!({ "error": { "code": -32000, "message": "state pruned" } }),
        "eth_getCode" => "0x".into(),
        "eth_getStorageAt" | "eth_getBalance" => "0x0".into(),
        _ => return json!({ "error": { "code": -32601, "message": "no such method" } }),
    };
    json!({ "result": result })
}

/// A node with the long chain that treats requests for its older blocks differently.
fn node_with_slow_blocks(slow: fn(Behavior) -> Behavior) -> FakeServer {
    slow_node(|method, params| long_chain(method, params, 0), slow)
}

fn slow_node(answer: fn(&str, &Value) -> Value, slow: fn(Behavior) -> Behavior) -> FakeServer {
    fake_host(move |request, _| {
        let body = respond(&request.body, answer);
        let response = json_response(200, body);
        let is_slow = |asked: &Value| {
            asked["method"] == "eth_getBlockByNumber"
                && asked["params"][1] == true
                && number(&asked["params"][0]) < FIRST_READ
        };
        if rpc_requests(request).iter().any(is_slow) { slow(response) } else { response }
    })
}

/// The requests of a batch, or the only one.
fn rpc_requests(request: &Request) -> Vec<Value> {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    body.as_array().cloned().unwrap_or_else(|| vec![body])
}

fn assert_ask_only_after(fork_block: u64, requests: &[Value]) {
    for request in requests {
        let params = request["params"].as_array().unwrap();
        for block in params.iter().filter(|it| it.as_str().is_some_and(|it| it.len() < 20)) {
            assert!(block == "latest" || number(block) > fork_block, "{request}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fork_tells_its_own_blocks_and_asks_for_no_others() {
    const FORK: u64 = 9;
    let node = node_with(|method, params| {
        let mut response = recorded_answer("anvil", method, params);
        if method == "hardhat_metadata" {
            response["result"]["forkedNetwork"] = json!({ "forkBlockNumber": FORK, "chainId": 1 });
        }
        response
    });
    let server = start(&node, IndexLimits::default(), 50);
    let coverage =
        json!({ "from_block": 10, "to_block": 23, "reason": "forked", "forked_chain_id": 1 });
    for list in [
        of(ALICE, "transactions"),
        of(ALICE, "transactions?sort=value&order=asc"),
        of(ALICE, "internal-transactions"),
        of(ALICE, "token-transfers"),
        of(ALICE, "tokens"),
        of(CAROL, "nft/collections"),
        "/api/v2/token-transfers".to_owned(),
        "/api/v2/token-transfers?limit=10".to_owned(),
        "/api/v2/tokens".to_owned(),
    ] {
        let (status, page) = get(&server, list.clone()).await;
        assert_eq!((status, &page["coverage"]), (200, &coverage), "{list}: {page}");
        assert!(page["next_page_params"].is_null(), "{list}");
    }
    let (_, counters) = get(&server, of(ALICE, "counters")).await;
    assert!(counters["transactions_count"].is_null() && counters["coverage"] == coverage);
    let (_, account) = get(&server, format!("/api/v2/addresses/{ALICE}")).await;
    assert_eq!(account["coverage"], coverage);
    assert!(account["creation_transaction_hash"].is_null());
    let (_, status) = get(&server, "/api/v2/main-page/indexing-status".to_owned()).await;
    assert_eq!((&status["finished_indexing"], &status["coverage"]), (&true.into(), &coverage));

    let known = "in blocks 10–23; earlier ones belong to chain 1";
    for item in [
        format!("transactions/{}", hash("11", 1)),
        format!("transactions/{}/raw-trace", hash("11", 1)),
        format!("tokens/{ALICE}"),
        format!("tokens/{ALICE}/instances"),
    ] {
        let answer = message(get(&server, format!("/api/v2/{item}")).await);
        assert_eq!(answer, (404, format!("not found {known}")), "{item}");
    }
    for (block, is_found) in [(FORK, false), (FORK + 1, true)] {
        let target = format!("/api/v2/search/check-redirect?q={block}");
        let (_, redirect) = get(&server, target).await;
        assert_eq!(redirect["redirect"], is_found, "{redirect}");
        assert_eq!(redirect.get("coverage"), (!is_found).then_some(&coverage));
    }
    let transactions = get(&server, of(ALICE, "transactions")).await.1;
    let newest = transactions["items"][0]["hash"].as_str().unwrap();
    get(&server, format!("/api/v2/transactions/{newest}/raw-trace")).await;
    let logs = get(&server, format!("/api/v2/transactions/{newest}/logs")).await.1;
    assert_eq!(logs.get("coverage"), None, "a transaction is known whole");

    let asked: Vec<Value> = node.requests().iter().flat_map(rpc_requests).collect();
    assert_ask_only_after(FORK, &asked);
    for method in ["eth_getBlockByNumber", "eth_call", "eth_getBalance", "trace_transaction"] {
        assert!(asked.iter().any(|request| request["method"] == method), "{method}");
    }
}

/// By its hash, it would be looked for in the chain that was forked.
#[tokio::test(flavor = "multi_thread")]
async fn fork_is_asked_for_its_pool_and_not_for_a_hash() {
    let (pooled, unknown) = (hash("cc", 1), hash("cc", 2));
    let sent = json!({
        "hash": pooled, "from": ALICE, "to": BOB, "nonce": "0x7", "gas": "0x5208", "value": "0x5",
        "maxFeePerGas": "0x3", "gasPrice": "0x2", "input": "0x", "type": "0x2",
        "blockHash": null, "blockNumber": null,
    });
    for method_of_pool in ["txpool_content", "eth_pendingTransactions"] {
        let sent = sent.clone();
        let is_gone = Arc::new(AtomicBool::new(false));
        let is_gone_now = is_gone.clone();
        let node = node_with(move |method, params| {
            let is_gone = is_gone_now.load(Ordering::Relaxed);
            let pool = match method {
                "txpool_content" if is_gone => json!({ "pending": {}, "queued": {} }),
                _ if is_gone => json!([]),
                "txpool_content" => json!({ "pending": {}, "queued": { ALICE: { "7": sent } } }),
                _ => json!([sent]),
            };
            match method {
                "hardhat_metadata" => json!({ "result": { "instanceId": hash("1d", 1),
                    "forkedNetwork": { "forkBlockNumber": 9, "chainId": 1 } } }),
                method if method == method_of_pool => json!({ "result": pool }),
                _ => long_chain(method, params, 0),
            }
        });
        let server = start(&node, IndexLimits::default(), 50);
        let (_, found) = get(&server, format!("/api/v2/transactions/{pooled}")).await;
        assert_eq!((&found["result"], &found["status"]), (&json!("pending"), &Value::Null));
        assert_eq!(found["fee"], json!({ "type": "maximum", "value": (21_000 * 3).to_string() }));
        for unknown in ["block_number", "position", "gas_used", "timestamp"] {
            assert!(found[unknown].is_null(), "{unknown}: {found}");
        }
        let (_, logs) = get(&server, format!("/api/v2/transactions/{pooled}/logs")).await;
        assert_eq!(logs["items"], json!([]));
        let trace = get(&server, format!("/api/v2/transactions/{pooled}/raw-trace")).await;
        assert_eq!(message(trace), (404, "pending: not in a block yet".to_owned()));
        assert_eq!(get(&server, format!("/api/v2/transactions/{unknown}")).await.0, 404);
        let asked: Vec<Value> = node.requests().iter().flat_map(rpc_requests).collect();
        assert!(asked.iter().all(|it| it["method"] != "eth_getTransactionByHash"));
        // It may be in a block that is not indexed yet.
        is_gone.store(true, Ordering::Relaxed);
        let (_, left) = get(&server, format!("/api/v2/transactions/{pooled}")).await;
        let exit = &left["left_pool"];
        assert_eq!((&left["result"], &exit["is_dropped"]), (&json!("pending"), &Value::Null));
        assert!(exit.is_object(), "{left}");
        let logs = get(&server, format!("/api/v2/transactions/{pooled}/logs")).await;
        assert_eq!(message(logs), (404, NOT_IN_POOL.to_owned()));
    }
}

/// The long chain, all of whose contracts are proxies.
fn chain_of_proxies(method: &str, params: &Value) -> Value {
    const IMPLEMENTATION: &str =
        "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
    match method {
        "eth_getCode" => json!({ "result": "0x60" }),
        "eth_getStorageAt" if params[1] == IMPLEMENTATION => {
            json!({ "result": format!("0x{:064x}", 0x2e3) })
        }
        _ => long_chain(method, params, 0),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn blocks_that_are_not_indexed_may_upgrade_a_proxy() {
    for (is_slow, may_be_upgraded) in [(true, json!(true)), (false, Value::Null)] {
        let slow: fn(Behavior) -> Behavior =
            if is_slow { |_| Behavior::Stall(Vec::new()) } else { |response| response };
        let node = slow_node(chain_of_proxies, slow);
        let server = start(&node, IndexLimits::default(), 10);
        if !is_slow {
            // By then all blocks are indexed.
            pending_nonces(&server, &of(ALICE, "transactions?sort=value&order=asc")).await;
        }
        let (_, sent) = get(&server, format!("/api/v2/transactions/{}", hash("aa", 90))).await;
        assert_eq!(sent["to"]["proxy_type"], "eip1967", "{sent}");
        assert_eq!(sent["to"]["was_upgraded"], may_be_upgraded);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn last_call_that_ran_out_of_gas_is_the_reason_of_a_bare_revert() {
    for (error, reported) in [("Out of gas", json!("Out of gas")), ("Reverted", Value::Null)] {
        let node = node_with(move |method, params| {
            let mut answer = long_chain(method, params, 0);
            match method {
                "trace_block" => {
                    let calls = &mut answer["result"];
                    calls[0]["error"] = json!("Reverted");
                    calls[1]["error"] = json!(error);
                    calls[1]["result"] = Value::Null;
                }
                "eth_getTransactionReceipt" => answer["result"]["status"] = json!("0x0"),
                _ => {}
            }
            answer
        });
        let server = start(&node, IndexLimits::default(), 10);
        pending_nonces(&server, &of(ALICE, "transactions?sort=value&order=asc")).await;
        let (_, list) = get(&server, of(ALICE, "transactions")).await;
        let sent = &list["items"][0];
        assert_eq!((&sent["result"], &sent["last_call_error"]), (&json!("Reverted"), &reported));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transaction_that_left_the_pool_keeps_its_page() {
    let [lost, other] = [1, 2].map(|number| hash("cc", number));
    let sent = |hash: &str| {
        json!({ "hash": hash, "from": ALICE, "to": CAROL, "gas": "0x5208", "nonce": "0x7777",
            "value": "0x5", "gasPrice": "0x2", "input": "0x" })
    };
    let phase = Arc::new(AtomicUsize::new(0));
    let (now, gone, pooled) = (phase.clone(), sent(&lost), sent(&other));
    let node = node_with(move |method, params| {
        let phase = now.load(Ordering::Relaxed);
        let pool = if phase == 1 { json!({ "7": pooled }) } else { json!({}) };
        match method {
            "eth_getTransactionByHash" if phase == 0 => json!({ "result": gone }),
            "eth_getTransactionByHash" => json!({ "result": null }),
            "txpool_content" => json!({ "result": { "pending": { ALICE: pool }, "queued": {} } }),
            "txpool_contentFrom" => json!({ "result": { "pending": pool, "queued": {} } }),
            _ => long_chain(method, params, 0),
        }
    });
    let server = start(&node, IndexLimits::default(), 10);
    let page = format!("/api/v2/transactions/{lost}");
    // By then all blocks are indexed.
    pending_nonces(&server, &of(ALICE, "transactions?sort=value&order=asc")).await;
    let (_, seen) = get(&server, page.clone()).await;
    assert_eq!((&seen["result"], seen.get("left_pool")), (&json!("pending"), None), "{seen}");
    // The node lost the replacement too in the end.
    for (at, replaced_by, is_dropped) in [
        (2, Value::Null, true.into()),
        (1, json!(other), Value::Null),
        (2, json!(other), Value::Null),
    ] {
        phase.store(at, Ordering::Relaxed);
        let (status, left) = get(&server, page.clone()).await;
        let exit = &left["left_pool"];
        assert_eq!((status, &left["nonce"]), (200, &json!(0x7777)), "{left}");
        assert_eq!((&exit["replaced_by"], &exit["is_dropped"]), (&replaced_by, &is_dropped));
        assert_eq!(left["result"], "dropped/replaced", "{left}");
        let logs = get(&server, [&page, "/logs"].concat()).await;
        assert_eq!(message(logs), (404, NOT_IN_POOL.to_owned()));
        let unseen = format!("/api/v2/transactions/{}", hash("cc", 3));
        assert_eq!(get(&server, unseen).await.0, 404);
    }
}

/// Follows the cursors of a list, and returns the nonces of its rows that are in no block.
async fn pending_nonces(server: &Arc<ServerClient>, path: &str) -> Vec<u64> {
    let (mut nonces, mut cursor) = (Vec::new(), String::new());
    for _ in 0..10 {
        let mark = if path.contains('?') { "&" } else { "?" };
        let (status, page) = get(server, [path, mark, &cursor].concat()).await;
        assert_eq!(status, 200, "{page}");
        let rows = page["items"].as_array().unwrap();
        let pending = rows.iter().filter(|row| row["block_number"].is_null());
        nonces.extend(pending.clone().map(|row| row["nonce"].as_u64().unwrap()));
        let Some(next) = page["next_page_params"].as_object() else { return nonces };
        if pending.count() < rows.len() {
            return nonces;
        }
        let next = next.iter().filter(|(_, value)| !value.is_null());
        let next =
            next.map(|(name, value)| format!("{name}={}", value.to_string().replace('"', "")));
        cursor = next.collect::<Vec<_>>().join("&");
    }
    panic!("no end: {nonces:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_transaction_waits_for_the_nonces_that_nothing_has() {
    let is_sent = Arc::new(AtomicBool::new(false));
    let sixth = Arc::clone(&is_sent);
    let node = node_with(move |method, params| {
        let sent = |nonce: u64| {
            json!({ "hash": hash("cc", nonce), "from": ALICE, "to": CAROL, "gas": "0x5208",
                "nonce": format!("{nonce:#x}"), "value": "0x5", "gasPrice": "0x2", "input": "0x" })
        };
        let pool = if sixth.load(Ordering::Relaxed) {
            json!({ "6": sent(6), "7": sent(7) })
        } else {
            json!({ "7": sent(7) })
        };
        match method {
            "eth_getTransactionByHash" => json!({ "result": sent(7) }),
            "eth_getTransactionCount" => json!({ "result": "0x5" }),
            "txpool_content" => json!({ "result": { "pending": {}, "queued": { ALICE: pool } } }),
            "txpool_contentFrom" => json!({ "result": { "pending": {}, "queued": pool } }),
            _ => long_chain(method, params, 0),
        }
    });
    let server = start(&node, IndexLimits::default(), 10);
    for awaited in [json!([5, 6]), json!([5])] {
        let (_, found) = get(&server, format!("/api/v2/transactions/{}", hash("cc", 7))).await;
        assert_eq!(found["awaited_nonces"], awaited, "{found}");
        is_sent.store(true, Ordering::Relaxed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pool_is_listed_page_by_page_before_the_blocks() {
    const POOLED: u64 = 25;
    let sent = |nonce: u64, from: &str| {
        json!({ "hash": hash("cc", nonce), "from": from, "to": CAROL, "gas": "0x5208",
            "nonce": format!("{nonce:#x}"), "value": "0x5", "gasPrice": "0x2", "input": "0x" })
    };
    let node = node_with(move |method, params| {
        let pooled = (0..POOLED).map(|nonce| (nonce.to_string(), sent(nonce, ALICE)));
        let pooled: serde_json::Map<String, Value> = pooled.collect();
        match method {
            "txpool_content" => json!({ "result": {
                "pending": { ALICE: pooled }, "queued": { BOB: { "99": sent(99, BOB) } } } }),
            "txpool_contentFrom" if params[0] == json!(ALICE) => {
                json!({ "result": { "pending": pooled, "queued": {} } })
            }
            _ => long_chain(method, params, 0),
        }
    });
    let server = start(&node, IndexLimits::default(), 10);
    let newest_first: Vec<u64> = (0..POOLED).rev().collect();
    let all = pending_nonces(&server, "/api/v2/transactions?filter=pending").await;
    assert_eq!(all, [&[99], &*newest_first].concat());
    let asked = node.requests().iter().flat_map(rpc_requests).collect::<Vec<_>>();
    let reads = asked.iter().filter(|request| request["method"] == "txpool_content").count();
    assert_eq!(reads, 3, "once a page, though parts of the state are loaded for a page");
    for (list, nonces) in
        [("transactions", &*newest_first), ("transactions?filter=from", &newest_first)]
    {
        assert_eq!(pending_nonces(&server, &of(ALICE, list)).await, nonces, "{list}");
    }
    assert!(pending_nonces(&server, &of(ALICE, "transactions?filter=to")).await.is_empty());
    let page = get(&server, "/api/v2/transactions?filter=pending".to_owned()).await.1;
    let first = &page["items"][0];
    assert_eq!((&first["result"], &first["status"]), (&json!("pending"), &Value::Null));
    assert_eq!(page.get("coverage"), None, "it has nothing to do with blocks");
}

/// The pool of a large chain is tens of megabytes, and Hardhat sends none of one sender.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_pool_of_a_development_node_is_read_as_a_whole() {
    let sent = json!({ "hash": hash("cc", 7), "from": ALICE, "to": CAROL, "gas": "0x5208",
        "nonce": "0x7", "value": "0x5", "gasPrice": "0x2", "input": "0x" });
    for (chain_id, method_of_pool) in [("0x7a69", "txpool_content"), ("0x1", "txpool_contentFrom")]
    {
        let sent = sent.clone();
        let node = node_with(move |method, params| match method {
            "eth_chainId" => json!({ "result": chain_id }),
            "txpool_content" if method == method_of_pool => {
                json!({ "result": { "pending": { ALICE: { "7": sent } }, "queued": {} } })
            }
            "txpool_contentFrom" if method == method_of_pool => {
                json!({ "result": { "pending": { "7": sent }, "queued": {} } })
            }
            _ => long_chain(method, params, 0),
        });
        let server = start(&node, IndexLimits::default(), 10);
        assert_eq!(pending_nonces(&server, &of(ALICE, "transactions")).await, [7], "{chain_id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn node_without_a_pool_says_so() {
    let node = node_with(|method, params| long_chain(method, params, 0));
    let server = start(&node, IndexLimits::default(), 10);
    let (status, _) = get(&server, "/api/v2/transactions?filter=pending".to_owned()).await;
    assert_eq!(status, 501);
    let (status, page) = get(&server, of(ALICE, "transactions")).await;
    assert_eq!((status, page["items"].as_array().map(Vec::len)), (200, Some(10)));
    assert!(page["pool_failure"].is_string(), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn balances_are_asked_for_at_their_blocks_as_far_as_the_node_has_them() {
    const KEPT: u64 = 93;
    let node = node_with(|method, params| match method {
        "eth_getBalance" if params[1] == "latest" => json!({ "result": "0x0" }),
        "eth_getBalance" if number(&params[1]) < KEPT => {
            json!({ "error": { "code": -32000, "message": "missing trie node" } })
        }
        "eth_getBalance" => {
            json!({ "result": format!("{:#x}", 5_000 - 10 * number(&params[1])) })
        }
        _ => long_chain(method, params, 0),
    });
    let server = start(&node, IndexLimits::default(), 5);
    let (status, page) = get(&server, of(ALICE, "coin-balance-history")).await;
    let rows = page["items"].as_array().unwrap_or_else(|| panic!("{status} {page}"));
    let row =
        |row: &Value| (row["block_number"].clone(), row["value"].clone(), row["delta"].clone());
    let expected = (95..=99_u64)
        .rev()
        .map(|block| (block.into(), (5_000 - 10 * block).to_string().into(), "-10".into()));
    assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    let named = rows.iter().find(|row| !row["transaction_hash"].is_null());
    assert_eq!(named, None, "the transactions alone changed it by more");
    let older = get(&server, of(ALICE, "coin-balance-history?block_number=95")).await;
    assert_eq!(message(older), (501, "this node has no state of block 92 any more".to_owned()));
    let days = get(&server, of(ALICE, "coin-balance-history-by-day")).await.1;
    assert_eq!(days["items"], json!([{ "date": "2023-09-12", "value": "4010" }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_blocks_are_neither_empty_nor_missing() {
    let node = node_with_slow_blocks(|_| Behavior::Stall(Vec::new()));
    let server = start(&node, IndexLimits::default(), 10);
    let started = Instant::now();
    let (status, page) = get(&server, of(ALICE, "transactions")).await;
    let page: Page = serde_json::from_value(page).unwrap();
    assert_eq!((status, page.items.len()), (200, 10));
    node.until_stalled(1).await;

    let empty = [
        of(CAROL, "transactions"),
        of(ALICE, "token-transfers"),
        of(ALICE, "tokens"),
        of(ALICE, "nft/collections"),
        of(ALICE, &format!("transactions?block_number={FIRST_READ}&index=0")),
        "/api/v2/token-transfers?limit=10".to_owned(),
        format!("/api/v2/transactions/{}", hash("aa", FIRST_READ - 1)),
        format!("/api/v2/tokens/{BOB}"),
        "/api/v2/search/check-redirect?q=7".to_owned(),
    ];
    let others = ["counters", "transactions?block_number=53&index=0", "transactions"];
    let asked = empty.iter().cloned().chain(others.map(|list| of(ALICE, list)));
    // All wait at once.
    let mut answers = Vec::new();
    for target in asked {
        let server = Arc::clone(&server);
        answers.push(tokio::spawn(async move { get(&server, target).await }));
    }
    let mut answers = answers.into_iter();
    for target in empty {
        let answer = answers.next().unwrap().await.unwrap();
        assert_eq!(message(answer), (503, UNREAD.to_owned()), "{target}");
    }
    let (_, counters) = answers.next().unwrap().await.unwrap();
    assert!(counters["transactions_count"].is_null(), "{counters}");
    let (_, page) = answers.next().unwrap().await.unwrap();
    let blocks = page["items"].as_array().unwrap().iter().map(|item| item["block_number"].clone());
    assert_eq!(blocks.collect::<Vec<_>>(), [52, 51, 50]);
    assert_eq!(page["next_page_params"]["block_number"], FIRST_READ);
    assert_eq!(page["coverage"]["reason"], "unread");
    assert_eq!(answers.next().unwrap().await.unwrap().0, 200);
    assert!(started.elapsed() < TIMEOUT);
    let (_, status) = get(&server, "/api/v2/main-page/indexing-status".to_owned()).await;
    assert_eq!(status["finished_indexing_blocks"], false);
    assert_eq!(status["indexed_blocks_ratio"], "0.50");
}

#[tokio::test(flavor = "multi_thread")]
async fn printed_list_does_not_wait_for_blocks_that_it_does_not_need() {
    let node = node_with_slow_blocks(|_| Behavior::Stall(Vec::new()));
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("chainglass")).unwrap();
    fs::write(home.path().join("chainglass/config.toml"), "[http]\ntimeout = 3600\n").unwrap();
    for list in [&["transactions", ALICE][..], &["internal", CAROL], &["transactions"], &["blocks"]]
    {
        let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
        program.arg("get").args(list).args(["--limit", "5", "--format", "jsonl"]);
        program.args(["--chain", node.base().as_str()]).env("XDG_CONFIG_HOME", home.path());
        program.env("XDG_STATE_HOME", UNUSABLE_DIR).env("XDG_CACHE_HOME", UNUSABLE_DIR);
        let printed = timeout(TIMEOUT, program.kill_on_drop(true).output()).await;
        let printed = printed.unwrap_or_else(|_| panic!("{list:?} waits")).unwrap();
        let rows = String::from_utf8(printed.stdout).unwrap();
        let errors = String::from_utf8(printed.stderr).unwrap();
        assert_eq!((rows.lines().count(), errors.as_str()), (5, ""), "{list:?}");
    }
}

/// Reads a list to its end, and asks again while nothing more is read.
fn read_all(server: &ServerClient, list: &str) -> Vec<u64> {
    let started = Instant::now();
    let mut blocks = Vec::new();
    let mut query = String::new();
    loop {
        assert!(started.elapsed() < TIMEOUT, "only {blocks:?}");
        let (status, body) = server.get(&format!("{list}?{query}"));
        if status == 503 {
            continue;
        }
        let page: Page = serde_json::from_str(&body).unwrap_or_else(|_| panic!("{body}"));
        blocks.extend(page.items.iter().map(|item| item["block_number"].as_u64().unwrap()));
        match page.query() {
            Some(next) => query = next,
            None => return blocks,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_continue_while_older_blocks_are_read() {
    let node = node_with_slow_blocks(|it| Behavior::Delay(Duration::from_millis(300), it.into()));
    for page_size in [7, 1_000] {
        let server = start(&node, IndexLimits::default(), page_size);
        for (address, list) in [(ALICE, "transactions"), (CAROL, "internal-transactions")] {
            let (server, list) = (Arc::clone(&server), of(address, list));
            let blocks = spawn_blocking(move || read_all(&server, &list)).await.unwrap();
            assert!(blocks.iter().copied().eq((0..=HEAD).rev()), "{blocks:?}");
        }
        let (_, counters) = get(&server, of(ALICE, "counters")).await;
        assert_eq!(counters["transactions_count"], (HEAD + 1).to_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn untraced_blocks_end_the_list_of_internal_transactions() {
    let node = node_with(|method, params| long_chain(method, params, FIRST_READ));
    let server = start(&node, IndexLimits::default(), 30);
    let blocks = thread::spawn({
        let server = Arc::clone(&server);
        move || read_all(&server, &of(ALICE, "transactions"))
    });
    assert_eq!(spawn_blocking(|| blocks.join().unwrap()).await.unwrap().len(), 100);
    let list = of(CAROL, "internal-transactions");
    let (_, page) = get(&server, list.clone()).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 30);
    let page: Page = serde_json::from_value(page).unwrap();
    let (_, page) = get(&server, format!("{list}?{}", page.query().unwrap())).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 20);
    let page: Page = serde_json::from_value(page).unwrap();
    let answer = get(&server, format!("{list}?{}", page.query().unwrap())).await;
    let (status, why) = message(answer);
    assert_eq!((status, why.contains("does not trace all calls")), (501, true), "{why}");
    for (block, status) in [(FIRST_READ, 200), (FIRST_READ - 1, 501)] {
        let target = format!("/api/v2/transactions/{}/internal-transactions", hash("aa", block));
        assert_eq!(get(&server, target).await.0, status, "{block}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn list_names_the_limits_that_older_blocks_exceed() {
    let node = node_with(|method, params| long_chain(method, params, 0));
    let limits = IndexLimits { transactions: 10, ..IndexLimits::default() };
    let server = start(&node, limits, 1_000);
    let (_, page) = get(&server, of(ALICE, "transactions")).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 50);
    let coverage = json!({ "from_block": FIRST_READ, "to_block": HEAD, "reason": "over_limit" });
    assert_eq!((&page["coverage"], &page["next_page_params"]), (&coverage, &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn block_of_a_time_before_the_index_is_asked_for() {
    let node = node_with(|method, params| long_chain(method, params, 0));
    let limits = IndexLimits { transactions: 10, ..IndexLimits::default() };
    let server = start(&node, limits, 1_000);
    let _ = get(&server, of(ALICE, "transactions")).await; // all that is indexed
    for (seconds, number, most) in [
        (time_of(77) + 3, "77", 0),
        (time_of(FIRST_READ), "50", 0),
        (time_of(FIRST_READ) - 1, "49", 6),
        (time_of(7) + 3, "7", 6),
        (time_of(0) - 1, "-1", 6),
    ] {
        let before = node.requests().len();
        let query = format!("timestamp={seconds}&closest=before");
        let target = format!("/api?module=block&action=getblocknobytime&{query}");
        let (_, answer) = get(&server, target).await;
        assert_eq!(answer["result"]["blockNumber"], number);
        let is_header = |asked: &Value| {
            asked["method"] == "eth_getBlockByNumber"
                && asked["params"][1] == false
                && asked["params"][0] != "latest"
        };
        let asked: Vec<Value> = node.requests()[before..].iter().flat_map(rpc_requests).collect();
        let asked = asked.into_iter().filter(is_header).count();
        assert!(asked <= most, "{seconds}: {asked} blocks");
    }
}

#[tokio::test]
async fn ends_of_lists_say_which_blocks_they_are_of() {
    const FORKED: &str = r#"{"from_block":4,"to_block":9,"reason":"forked","forked_chain_id":1}"#;
    let row = format!(r#"{{"hash":"{}","block_number":9}}"#, hash("aa", 9));
    let mut session = Session::canned(size(100, 30), ALICE, move |query, _| {
        let (items, coverage) = match query {
            Query::Address(_, AddressQuery::Details | AddressQuery::Counters) => {
                return Ok(format!(r#"{{"hash":"{ALICE}","transactions_count":null}}"#));
            }
            Query::Address(_, AddressQuery::Transactions { .. }) => (&*row, FORKED),
            Query::Address(_, AddressQuery::InternalTransactions { .. }) => ("", FORKED),
            Query::Address(_, AddressQuery::TokenTransfers { .. }) => {
                ("", r#"{"from_block":4,"reason":"over_limit"}"#)
            }
            Query::Address(_, AddressQuery::Logs) => {
                return Err(ApiError::Node {
                    code: NodeErrorCode::StillIndexing,
                    why: UNREAD.into(),
                });
            }
            _ => ("", r#"{"from_block":4,"reason":"eaten"}"#),
        };
        Ok(format!(r#"{{"items":[{items}],"next_page_params":null,"coverage":{coverage}}}"#))
    })
    .await;
    let known = "in blocks 4–9; earlier ones belong to chain 1";
    for (keys, words) in [
        ("1", format!("no more {known} · 1 row")),
        ("G G", format!("all rows loaded {known}")),
        ("2", format!("no internal transactions {known}")),
        ("3", "no token transfers so far; earlier blocks are over the index limit".to_owned()),
        ("4", "the coverage of blocks".to_owned()),
        ("6", UNREAD.to_owned()),
    ] {
        session.keys(keys).await;
        assert!(session.screen().contains(&words), "{words}: {}", session.screen());
    }
    let screen = session.screen();
    assert!(!screen.contains("failed"), "{screen}");
    for (count, tab) in [(1, "1 Tx"), (0, "2 Internal"), (0, "3 Transfers")] {
        assert!(screen.contains(tab) && !screen.contains(&format!("{tab} {count}")), "{screen}");
    }
    session.keys("1 &").await;
    session.type_text("nowhere").await;
    let words = format!("no row matches \"nowhere\" {known}");
    assert!(session.screen().contains(&words), "{}", session.screen());
}

#[tokio::test]
async fn rows_that_may_be_gone_are_not_kept() {
    let row = format!(r#"{{"hash":"{}","block_number":9}}"#, hash("aa", 9));
    let mut lists = 0;
    let mut session = Session::canned(size(100, 30), ALICE, move |query, _| {
        lists += usize::from(matches!(query, Query::Address(_, AddressQuery::Transactions { .. })));
        match (query, lists) {
            (Query::Address(_, AddressQuery::Transactions { .. }), 2..) => {
                Err(ApiError::TimedOut { seconds: 7 })
            }
            _ => Ok(format!(r#"{{"items":[{row}],"next_page_params":null}}"#)),
        }
    })
    .await;
    assert!(session.screen().contains("0xaa00"), "{}", session.screen());
    let rollback = Rollback { ordinal: 1, last_block: None, blocks: 3, transactions: 3 };
    let progress = IndexProgress { rollback: Some(rollback), ..IndexProgress::default() };
    let event = NetworkEvent::Index(Box::new(progress));
    let effects = session.app.update(Msg::Network(ChainIndex::default(), event));
    session.settle(effects).await;
    let screen = session.screen();
    assert!(!screen.contains("0xaa00") && screen.contains("no response within 7 s"), "{screen}");
}

#[tokio::test]
async fn failure_on_a_node_of_the_user_is_a_notice_once() {
    let mut session = Session::demo(size(120, 30), ALICE).await;
    let failure = TransactionInBlock { hash: B256::repeat_byte(0xab), block: 1_234 };
    for (is_local, is_new) in [(false, false), (true, true), (true, false)] {
        let failure = Some(failure).filter(|_| is_local);
        let progress = IndexProgress { failure, is_local, ..IndexProgress::default() };
        let event = NetworkEvent::Index(Box::new(progress));
        session.app.update(Msg::Network(ChainIndex::default(), event));
        let notice = "transaction 0xabab…abab failed in block 1,234 (gt lists it)";
        assert_eq!(session.screen().contains(notice), is_new, "{}", session.screen());
        session.keys("j").await;
    }
}

#[tokio::test]
async fn page_becomes_one_of_a_development_node_without_a_key() {
    let row = format!(r#"{{"hash":"{}","block_number":9,"confirmations":3}}"#, hash("aa", 9));
    let answer = move |query: &Query, _: Option<&_>| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(row.clone()),
        _ => Ok(r#"{"items":[],"next_page_params":null}"#.into()),
    };
    let mut session = Session::node(size(100, 30), &hash("aa", 9), answer).await;
    assert!(session.screen().contains("confirmed"), "{}", session.screen());
    let progress = IndexProgress { is_local: true, ..IndexProgress::default() };
    let event = NetworkEvent::Index(Box::new(progress));
    let effects = session.app.update(Msg::Network(ChainIndex::default(), event));
    session.settle(effects).await;
    assert!(!session.screen().contains("confirmed"), "{}", session.screen());
}

/// Each transaction calls another address, none of which has code.
#[tokio::test(flavor = "multi_thread")]
async fn addresses_that_are_not_known_in_time_are_no_hot_contracts() {
    let node = node_with(|method, params| {
        let mut answer = long_chain(method, params, 0);
        if method == "eth_getBlockByNumber" && params[1] == true {
            let block = &mut answer["result"];
            let called = 0x1000 + number(&block["number"]);
            block["transactions"][0]["to"] = format!("{called:#042x}").into();
        }
        answer
    });
    let server = start(&node, IndexLimits::default(), 1);
    let (status, body) = get(&server, "/api/v2/stats/hot-smart-contracts".to_owned()).await;
    assert_eq!((status, &body["items"]), (200, &json!([])), "{body}");
}
