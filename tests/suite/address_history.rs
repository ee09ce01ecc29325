//! Rows of an address before the index, which archive nodes find themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use alloy_primitives::keccak256;
use chainglass::test_api::chain::MissingBlocks;
use chainglass::test_api::indexer::{IndexLimits, NodeChain};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::demo_server_client::{ALICE, Page, ServerClient};
use crate::fake_server::{FakeServer, Request};
use crate::index_coverage::{BOB, CAROL, HEAD, get, hash, long_chain, message, number, of, start};
use crate::node_chain::serve;
use crate::scripted_node::{node_with, simulated_client};

/// The first block of the index if it has few transactions.
const FIRST_INDEXED: u64 = 50;
/// An address without transactions.
const DEAD: &str = "0x000000000000000000000000000000000000dead";
/// A contract that is older than the index.
const OLD_CONTRACT: &str = "0x5fbdb2315678afecb367f032d93f642f64180aa3";

fn refusal(code: i64, message: &str) -> Value {
    json!({ "error": { "code": code, "message": message } })
}

/// Answers like Erigon: with at most 25 transactions and the rest of their last block, and about the
/// newest blocks if it is asked for those before the first.
fn search(params: &Value) -> Value {
    let (before, size) = (params[1].as_u64().unwrap(), params[2].as_u64().unwrap());
    if size > 25 {
        return refusal(-32000, "max allowed page size: 25");
    }
    let before = if before < 2 { HEAD + 1 } else { before };
    // All take part in each transaction; the first block has none.
    let found: Vec<u64> = (1..before).rev().take(usize::try_from(size).unwrap()).collect();
    let block = |n: &u64| long_chain("eth_getBlockByNumber", &json!([format!("{n:#x}"), true]), 0);
    let transaction = |n: &u64| {
        let mut sent = block(n)["result"]["transactions"][0].take();
        sent["blockNumber"] = format!("{n:#x}").into();
        sent["blockHash"] = hash("bb", *n).into();
        sent["transactionIndex"] = "0x0".into();
        sent
    };
    let receipt = |n: &u64| {
        let answer = long_chain("eth_getTransactionReceipt", &json!([hash("aa", *n)]), 0);
        let mut receipt = answer["result"].clone();
        let time = block(n)["result"]["timestamp"].as_str().unwrap()[2..].to_owned();
        receipt["timestamp"] = u64::from_str_radix(&time, 16).unwrap().into();
        receipt
    };
    json!({ "result": {
        "txs": found.iter().map(transaction).collect::<Vec<_>>(),
        "receipts": found.iter().map(receipt).collect::<Vec<_>>(),
        "firstPage": false,
        "lastPage": found.last().is_none_or(|last| *last == 1),
    } })
}

/// A node with the long chain and Otterscan's methods.
fn archive_node(method: &str, params: &Value) -> Value {
    match method {
        "ots_searchTransactionsBefore" => search(params),
        "ots_getContractCreator" if params[0] == OLD_CONTRACT => {
            json!({ "result": { "hash": hash("aa", 7), "creator": ALICE } })
        }
        "ots_getContractCreator" => json!({ "result": null }),
        "eth_getCode" if params[0] == OLD_CONTRACT => json!({ "result": "0x00" }),
        "eth_getTransactionByHash" => {
            let n = number(&params[0]);
            let found = (n <= HEAD).then(|| search(&json!([ALICE, n + 1, 1])));
            let sent = found.map(|mut found| found["result"]["txs"][0].take());
            json!({ "result": sent })
        }
        _ => long_chain(method, params, 0),
    }
}

fn limited(node: &FakeServer) -> Arc<ServerClient> {
    let limits = IndexLimits { transactions: 10, ..IndexLimits::default() };
    start(node, limits, 40)
}

async fn items(server: &Arc<ServerClient>, list: String, filters: &'static str) -> Vec<Value> {
    let server = Arc::clone(server);
    spawn_blocking(move || server.all_items(&list, filters)).await.unwrap()
}

fn requests(node: &FakeServer, method: &str) -> usize {
    let quoted = format!("\"{method}\"");
    let bodies = node.requests();
    let bodies = bodies.iter().map(|request| String::from_utf8_lossy(&request.body).into_owned());
    bodies.map(|body| body.matches(&quoted).count()).sum()
}

/// The facts of a transaction that are in its receipt.
fn without_calls(mut item: Value) -> Value {
    let traced = ["console_line_count", "has_error_in_internal_transactions", "confirmations"];
    item.as_object_mut().unwrap().retain(|field, _| !traced.contains(&&**field));
    item
}

#[tokio::test(flavor = "multi_thread")]
async fn list_continues_before_the_index_with_the_transactions_that_the_node_finds() {
    let node = node_with(archive_node);
    let server = limited(&node);
    let _ = get(&server, of(ALICE, "transactions")).await;
    assert_eq!(requests(&node, "ots_searchTransactionsBefore"), 0, "the page is full");
    let listed = items(&server, of(ALICE, "transactions"), "").await;
    let blocks: Vec<u64> = listed.iter().map(|it| it["block_number"].as_u64().unwrap()).collect();
    assert!(blocks.iter().copied().eq((1..=HEAD).rev()), "{blocks:?}");

    let other = node_with(archive_node);
    let whole = start(&other, IndexLimits::default(), 50);
    let expected = items(&whole, of(ALICE, "transactions"), "").await;
    for (item, expected) in listed.into_iter().zip(expected) {
        assert_eq!(without_calls(item), without_calls(expected));
    }
    let filtered = items(&server, of(ALICE, "transactions"), "filter=to").await;
    assert!(filtered.is_empty(), "{filtered:?}");
    let received = items(&server, of(BOB, "transactions"), "filter=to").await;
    assert_eq!(received.len(), 99);
}

#[tokio::test(flavor = "multi_thread")]
async fn page_says_that_the_node_listed_its_last_rows() {
    let node = node_with(archive_node);
    let server = limited(&node);
    let cursor = "transactions?block_number=41&index=0";
    let (_, page) = get(&server, of(ALICE, cursor)).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 40);
    let coverage =
        json!({ "from_block": FIRST_INDEXED, "to_block": HEAD, "reason": "node_history" });
    assert_eq!((&page["coverage"], &page["next_page_params"]), (&coverage, &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_that_only_call_the_address_are_left_out() {
    let node = node_with(archive_node);
    let server = limited(&node);
    let (status, page) = get(&server, of(CAROL, "transactions")).await;
    assert_eq!((status, &page["items"]), (200, &json!([])));
    assert!(page["next_page_params"].is_null(), "{page}");
    assert_eq!(requests(&node, "ots_searchTransactionsBefore"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_search_is_continued_by_the_next_page() {
    // Each search finds one block, and the address in the oldest only.
    let node = node_with(|method, params| match method {
        "ots_searchTransactionsBefore" => {
            let before = params[1].as_u64().unwrap();
            let mut page = search(&json!([CAROL, before, 1]));
            let transaction = &mut page["result"]["txs"][0];
            if transaction["blockNumber"] == "0x1" {
                transaction["to"] = CAROL.into();
            }
            page
        }
        _ => archive_node(method, params),
    });
    let server = limited(&node);
    let (_, page) = get(&server, of(CAROL, "transactions")).await;
    let next = json!({ "block_number": FIRST_INDEXED - 8, "index": 0 });
    assert_eq!((&page["items"], &page["next_page_params"]), (&json!([]), &next));
    let mut rows = 0;
    let mut query = String::new();
    for _ in 0..7 {
        let (_, page) = get(&server, of(CAROL, &format!("transactions{query}"))).await;
        let page: Page = serde_json::from_value(page).unwrap();
        rows += page.items.len();
        let Some(next) = page.query() else { break };
        query = format!("?{next}");
    }
    assert_eq!(rows, 1);
    assert_eq!(requests(&node, "ots_searchTransactionsBefore"), 8 + 49);
}

#[tokio::test(flavor = "multi_thread")]
async fn node_without_a_search_is_asked_once_and_one_that_refuses_again() {
    for (code, why, searches) in [
        (-32601, "Method not found", 1),
        (-32603, "unimplemented", 1),
        (-32000, "database is closed", 3),
    ] {
        let node = node_with(move |method, params| match method {
            "ots_searchTransactionsBefore" => refusal(code, why),
            _ => archive_node(method, params),
        });
        let server = limited(&node);
        // The index has nothing of them.
        for address in [CAROL, OLD_CONTRACT, DEAD] {
            let (_, page) = get(&server, of(address, "transactions")).await;
            assert_eq!(page["coverage"]["reason"], "over_limit");
        }
        assert_eq!(requests(&node, "ots_searchTransactionsBefore"), searches, "{why}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_search_is_an_error_and_is_repeated() {
    static SEARCHES: AtomicUsize = AtomicUsize::new(0);
    let node = node_with(|method, params| match method {
        "ots_searchTransactionsBefore" => match SEARCHES.fetch_add(1, Ordering::Relaxed) {
            1 => refusal(-32000, "database is closed"),
            2 => json!({ "result": { "txs": [], "receipts": [], "lastPage": false } }),
            3 => json!({ "result": { "txs": [{}], "receipts": [], "lastPage": false } }),
            _ => search(params),
        },
        _ => archive_node(method, params),
    });
    let server = limited(&node);
    let list = || of(ALICE, "transactions?block_number=21&index=0");
    assert_eq!(get(&server, list()).await.0, 200);
    for why in ["database is closed", "txs", "hash"] {
        let (status, words) = message(get(&server, list()).await);
        assert!(status == 503 && words.contains(why), "{status} {words}");
    }
    assert_eq!(get(&server, list()).await.0, 200);
}

/// A token that moves from Alice to Bob in each block, and to Carol in the last log of block 7.
const TOKEN: &str = "0x7070707070707070707070707070707070707070";
/// The logs of Bob's transfers in one request that the node answers.
const MAX_LOGS: usize = 20;

fn transfer_logs(n: u64) -> Vec<Value> {
    let topic = |address: &str| format!("0x{:0>64}", &address[2..]);
    // The first block has none.
    let receivers = match n {
        0 => &[][..],
        7 => &[BOB, BOB, CAROL],
        _ => &[BOB],
    };
    let logs = receivers.iter().enumerate().map(|(index, to)| {
        let transfer = keccak256("Transfer(address,address,uint256)").to_string();
        json!({
            "address": TOKEN, "topics": [transfer, topic(ALICE), topic(to)],
            "data": format!("0x{n:064x}"), "logIndex": format!("{index:#x}"), "removed": false,
            "blockNumber": format!("{n:#x}"), "blockHash": hash("bb", n),
            "transactionHash": hash("aa", n), "transactionIndex": "0x0",
        })
    });
    logs.collect()
}

/// Answers `eth_getLogs` by topics, for at most so many blocks.
fn logs(filter: &Value, most_blocks: u64) -> Value {
    let [first, last] = ["fromBlock", "toBlock"].map(|name| number(&filter[name]));
    if last - first >= most_blocks {
        return refusal(-32000, "exceed maximum block range");
    }
    let asked = filter["topics"].as_array().unwrap();
    let matches = |log: &Value| {
        asked.iter().enumerate().all(|(n, wanted)| match wanted {
            Value::Array(any) => any.contains(&log["topics"][n]),
            Value::Null => true,
            one => *one == log["topics"][n],
        })
    };
    let found: Vec<Value> = (first..=last).flat_map(transfer_logs).filter(matches).collect();
    if found.len() > MAX_LOGS {
        return refusal(-32005, "query returned more than 20 results");
    }
    json!({ "result": found })
}

/// The archive node with logs, of so many blocks at once, and with traces.
fn node_with_transfers(most_blocks: u64) -> FakeServer {
    node_with(move |method, params| match method {
        "eth_getLogs" => logs(&params[0], most_blocks),
        "eth_getTransactionReceipt" => {
            let mut answer = long_chain(method, params, 0);
            answer["result"]["logs"] = transfer_logs(number(&params[0])).into();
            answer
        }
        "trace_transaction" => traces(&params[0]),
        _ => archive_node(method, params),
    })
}

fn traces(transaction: &Value) -> Value {
    let block = format!("{:#x}", number(transaction));
    long_chain("trace_block", &json!([block]), 0)
}

#[tokio::test(flavor = "multi_thread")]
async fn token_transfers_before_the_index_are_found_in_the_logs() {
    let other = node_with_transfers(u64::MAX);
    let whole = start(&other, IndexLimits::default(), 50);
    for most_blocks in [u64::MAX, 16, 1] {
        let node = node_with_transfers(most_blocks);
        let server = limited(&node);
        for (address, filter, rows) in [
            (ALICE, "", 101),
            (BOB, "", 100),
            (BOB, "filter=from", 0),
            (CAROL, "", 1),
            (DEAD, "", 0),
        ] {
            let listed = items(&server, of(address, "token-transfers"), filter).await;
            assert_eq!(listed.len(), rows, "{address} {filter}, {most_blocks} blocks");
            let expected = items(&whole, of(address, "token-transfers"), filter).await;
            assert_eq!(listed, expected, "{address} {filter}, {most_blocks} blocks");
        }
        let (_, page) = get(&server, of(BOB, "token-transfers?block_number=30&index=0")).await;
        assert_eq!(page["coverage"]["reason"], "node_history");
    }
    assert_eq!(requests(&other, "eth_getLogs"), 0, "the index has all");
}

#[tokio::test(flavor = "multi_thread")]
async fn full_page_of_transfers_asks_for_no_logs() {
    let node = node_with_transfers(u64::MAX);
    let server = limited(&node);
    let (_, page) = get(&server, of(BOB, "token-transfers")).await;
    assert_eq!(page["items"].as_array().unwrap().len(), 40);
    assert_eq!(requests(&node, "eth_getLogs"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn node_that_refuses_logs_leaves_the_transfers_of_the_index() {
    let node = node_with(|method, params| match method {
        "eth_getLogs" => refusal(-32601, "no such method"),
        _ => archive_node(method, params),
    });
    let server = limited(&node);
    let (status, page) = get(&server, of(CAROL, "token-transfers")).await;
    assert_eq!((status, &page["items"]), (200, &json!([])));
    assert_eq!(page["coverage"]["reason"], "over_limit");
    assert!(page["next_page_params"].is_null(), "{page}");
}

type ChangeLog = fn(&mut Value);

#[tokio::test(flavor = "multi_thread")]
async fn logs_that_do_not_belong_here_are_an_error() {
    let with_logs = |change: ChangeLog| {
        node_with(move |method, params| match method {
            "eth_getLogs" => {
                let mut logs = transfer_logs(7);
                change(&mut logs[0]);
                json!({ "result": logs })
            }
            "eth_getTransactionByHash" if params[0] == hash("aa", 8) => json!({ "result": null }),
            _ => archive_node(method, params),
        })
    };
    let changes: [(ChangeLog, &str); 4] = [
        (|log| log["blockNumber"] = format!("{HEAD:#x}").into(), "blockNumber"),
        (|log| log["transactionHash"] = Value::Null, "transactionHash"),
        (|log| log["transactionHash"] = hash("aa", 8).into(), "logs and transactions disagree"),
        (|log| log["transactionHash"] = hash("aa", 9).into(), "logs and transactions disagree"),
    ];
    for (change, why) in changes {
        let node = with_logs(change);
        let server = limited(&node);
        let (status, words) = message(get(&server, of(CAROL, "token-transfers")).await);
        assert!(status == 503 && words.contains(why), "{status} {words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn internal_transactions_before_the_index_are_traced() {
    let (node, other) = (node_with_transfers(u64::MAX), node_with_transfers(u64::MAX));
    let (server, whole) = (limited(&node), start(&other, IndexLimits::default(), 50));
    for (address, filter, rows) in [(CAROL, "", 99), (BOB, "filter=to", 0), (BOB, "", 99)] {
        let listed = items(&server, of(address, "internal-transactions"), filter).await;
        assert_eq!(listed.len(), rows, "{address} {filter}");
        let mut expected = items(&whole, of(address, "internal-transactions"), filter).await;
        expected.retain(|row| row["block_number"] != 0);
        assert_eq!(listed, expected, "{address} {filter}");
    }
    let cursor = "internal-transactions?block_number=30&transaction_index=0&index=0";
    let (_, page) = get(&server, of(CAROL, cursor)).await;
    assert_eq!(page["coverage"]["reason"], "node_history");
    // Traces of a hundred transactions are enough for one response.
    let asked = requests(&node, "trace_transaction");
    let (_, page) = get(&server, of(ALICE, "internal-transactions")).await;
    assert_eq!((&page["items"], page["next_page_params"].is_null()), (&json!([]), true));
    assert!(requests(&node, "trace_transaction") - asked <= 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_the_node_leaves_out_are_not_taken_for_none() {
    for (answer, why) in [
        (json!({ "result": [] }), "lists no calls of block 49"),
        (refusal(-32000, "state pruned"), "does not trace all calls"),
        (traces(&hash("aa", 3).into()), "sent the calls of another transaction"),
    ] {
        let node = node_with(move |method, params| match method {
            "trace_transaction" => answer.clone(),
            _ => archive_node(method, params),
        });
        let server = limited(&node);
        let (status, words) = message(get(&server, of(DEAD, "internal-transactions")).await);
        assert!(status == 501 && words.contains(why), "{status} {words}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_and_blocks_before_the_index_open_like_others() {
    let (node, other) = (node_with(archive_node), node_with(archive_node));
    let (server, whole) = (limited(&node), start(&other, IndexLimits::default(), 50));
    let _ = get(&server, of(ALICE, "transactions")).await;
    items(&whole, of(ALICE, "transactions"), "").await;
    let old = hash("aa", 7);
    let asked = node.requests().len();
    for target in [
        format!("transactions/{old}"),
        format!("transactions/{old}/internal-transactions"),
        format!("transactions/{old}/logs"),
        format!("transactions/{old}/token-transfers"),
        "blocks/7".to_owned(),
        "blocks/7/transactions".to_owned(),
    ] {
        let target = format!("/api/v2/{target}");
        let (status, answer) = get(&server, target.clone()).await;
        assert_eq!((status, answer), get(&whole, target.clone()).await, "{target}");
    }
    let requests = node.requests();
    let body = |request: &Request| String::from_utf8_lossy(&request.body).into_owned();
    let blocks = requests[asked..].iter().filter(|request| {
        body(request).contains("\"eth_getBlockByNumber\",\"params\":[\"0x7\",true]")
    });
    assert_eq!(blocks.count(), 1, "the last block is kept");
    let unknown = get(&server, format!("/api/v2/transactions/{}", hash("aa", HEAD + 1))).await;
    assert_eq!(unknown.0, 404);
}

// The clock stands still while another thread works: the follower looks for blocks only because it is asked to.
#[tokio::test(start_paused = true)]
async fn transaction_before_the_index_needs_no_newer_block() {
    let head = Arc::new(AtomicUsize::new(98));
    let at_head = Arc::clone(&head);
    let node = simulated_client(move |method, params| match method {
        "eth_getBlockByNumber" if params[0] == "latest" => {
            let number = format!("{:#x}", at_head.load(Ordering::Relaxed));
            archive_node(method, &json!([number, params[1]]))
        }
        _ => archive_node(method, params),
    });
    let limits = IndexLimits { transactions: 10, ..IndexLimits::default() };
    let mut chain = NodeChain::follow(node, limits);
    let is_indexed = |chain: &NodeChain| {
        let blocks = chain.progress().coverage;
        blocks.is_some_and(|blocks| blocks.older == Some(MissingBlocks::OverLimit))
    };
    while !is_indexed(&chain) {
        assert!(chain.changed().await);
    }
    let server = serve(chain).await;
    head.store(99, Ordering::Relaxed);
    let get = move || server.json(&format!("/api/v2/transactions/{}", hash("aa", 7)));
    let transaction = spawn_blocking(get).await.unwrap();
    assert_eq!(transaction["confirmations"], 98 - 7 + 1, "{transaction}");
}

type ChangeReceipt = fn(&mut Value);

#[tokio::test(flavor = "multi_thread")]
async fn receipts_and_calls_that_do_not_belong_here_are_errors() {
    let changes: [ChangeReceipt; 4] = [
        |receipt| receipt["transactionHash"] = hash("aa", 9).into(),
        |receipt| receipt["blockHash"] = hash("bb", 9).into(),
        |receipt| receipt["logs"] = transfer_logs(9).into(),
        |receipt| {
            receipt["logs"] = transfer_logs(20).into();
            receipt["logs"][0]["removed"] = true.into();
        },
    ];
    for change in changes {
        let node = node_with(move |method, params| {
            let mut answer = archive_node(method, params);
            if method == "ots_searchTransactionsBefore" {
                change(&mut answer["result"]["receipts"][0]);
            }
            answer
        });
        let server = limited(&node);
        let list = of(ALICE, "transactions?block_number=21&index=0");
        let (status, words) = message(get(&server, list).await);
        assert!(status == 503 && words.contains("receipts of other"), "{status} {words}");
    }
    let node = node_with(|method, params| match method {
        "trace_transaction" => {
            let mut answer = traces(&params[0]);
            answer["result"][1]["action"]["callType"] = "authcall".into();
            answer
        }
        _ => archive_node(method, params),
    });
    let server = limited(&node);
    let (status, words) = message(get(&server, of(DEAD, "internal-transactions")).await);
    assert!(status == 501 && words.contains("cannot be read"), "{status} {words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn creator_of_an_old_contract_is_the_one_that_the_node_names() {
    let node = node_with(archive_node);
    let server = limited(&node);
    let (_, account) = get(&server, format!("/api/v2/addresses/{OLD_CONTRACT}")).await;
    assert_eq!(account["creation_transaction_hash"], hash("aa", 7));
    let creator = account["creator_address_hash"].as_str().unwrap();
    assert_eq!(creator.to_lowercase(), ALICE.to_lowercase());
    let (_, account) = get(&server, format!("/api/v2/addresses/{BOB}")).await;
    assert!(account["creation_transaction_hash"].is_null());
    assert_eq!(requests(&node, "ots_getContractCreator"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_index_and_forks_need_no_search() {
    let whole = node_with(archive_node);
    let fork = node_with(|method, params| match method {
        "hardhat_metadata" => json!({ "result": { "instanceId": hash("1d", 1),
            "forkedNetwork": { "forkBlockNumber": 9, "chainId": 1 } } }),
        _ => archive_node(method, params),
    });
    for (node, limits) in [
        (&whole, IndexLimits::default()),
        (&fork, IndexLimits { transactions: 10, ..IndexLimits::default() }),
    ] {
        let server = start(node, limits, 50);
        items(&server, of(ALICE, "transactions"), "").await;
        let _ = get(&server, format!("/api/v2/transactions/{}", hash("aa", HEAD + 1))).await;
        assert_eq!(requests(node, "ots_searchTransactionsBefore"), 0);
    }
    assert_eq!(requests(&fork, "eth_getTransactionByHash"), 0);
}
