//! Transactions of an address before the index, which archive nodes find themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chainglass::test_api::indexer::IndexLimits;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::demo_server_client::{ALICE, Page, ServerClient};
use crate::fake_node::node_with;
use crate::fake_server::{FakeServer, Request};
use crate::index_coverage::{BOB, CAROL, HEAD, get, hash, long_chain, message, of, start};

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
            let n = crate::index_coverage::number(&params[0]);
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
