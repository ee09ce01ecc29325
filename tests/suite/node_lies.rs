//! Answers of nodes that should say that they do not know: none becomes an empty list.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use alloy_primitives::U256;
use chainglass::test_api::chain::MissingBlocks;
use chainglass::test_api::indexer::{IndexCoverage, IndexLimits, IndexProgress, NodeChain};
use chainglass::test_api::rpc::RpcClient;
use chainglass::test_api::store::ServedChain;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::demo_server_client::{ALICE, ServerClient};
use crate::fake_server::FakeServer;
use crate::index_coverage::{BOB, HEAD, get, hash, long_chain, message, number, of, start};
use crate::scripted_node::{node_with, recorded_answer, recorded_block, simulated_client};

/// A block of which something else is told than of the others.
const LIED_ABOUT: u64 = 70;
const ZERO: &str = "0x0000000000000000000000000000000000000000";
/// The event of a token transfer.
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/// A page that has all rows.
const PAGE_SIZE: usize = 1_000;

/// Returns anvil's answer for a trace that it does not have.
fn made_up_steps() -> Value {
    json!({ "result": { "failed": false, "gas": 0, "structLogs": [] } })
}

/// The long chain of a node that sends something else for some requests, read whole.
async fn lying_node(
    lie: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static,
) -> (Arc<ServerClient>, FakeServer) {
    let node = node_with(move |method, params| {
        lie(method, params).unwrap_or_else(|| long_chain(method, params, 0))
    });
    let server = start(&node, IndexLimits::default(), PAGE_SIZE);
    while get(&server, of(ALICE, "transactions")).await.1["coverage"]["reason"] == "unread" {}
    (server, node)
}

/// The first and the last block of a chain that is read whole, and why older ones are missing.
async fn read_whole(client: RpcClient) -> (u64, u64, Option<MissingBlocks>) {
    let mut chain = NodeChain::follow(client, IndexLimits::default());
    loop {
        assert!(chain.changed().await);
        if let Some(IndexCoverage { first_block, last_block, unindexed: 0, older, .. }) =
            chain.progress().coverage
        {
            return (first_block, last_block, older);
        }
    }
}

async fn internal_transactions(server: &Arc<ServerClient>, block: u64) -> (u16, Value) {
    let list = format!("/api/v2/transactions/{}/internal-transactions", hash("aa", block));
    get(server, list).await
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_object_of_a_tracer_is_no_trace() {
    let (server, _node) = lying_node(|method, params| {
        let error = json!({ "error": { "code": -32601, "message": "Method not found" } });
        match method {
            "eth_getCode" => Some(json!({ "result": "0x00" })),
            "trace_block" | "trace_transaction" => Some(error),
            "debug_traceTransaction" if params[1]["tracer"].is_null() => {
                Some(json!({ "result": { "failed": false, "gas": 50_000, "structLogs": [] } }))
            }
            "debug_traceTransaction" => Some(json!({ "result": {} })),
            _ => None,
        }
    })
    .await;
    let why = "debug_traceTransaction: no steps recorded";
    let list = message(get(&server, of(ALICE, "internal-transactions")).await);
    assert_eq!(list, (501, format!("this node does not trace calls ({why})")));
    let trace = format!("/api/v2/transactions/{}/raw-trace", hash("aa", HEAD));
    assert_eq!(message(get(&server, trace).await), (501, why.to_owned()));
}

/// A node that keeps steps and has no tracer. Only transactions in blocks with code call it: those of
/// the others pay for an access list.
fn node_of_steps(method: &str, params: &Value, has_code: fn(u64) -> bool) -> Option<Value> {
    let steps = |block| {
        let step =
            json!({ "pc": 0, "op": "STOP", "gas": 9, "gasCost": 0, "depth": 1, "stack": [] });
        let steps = if has_code(block) { vec![step] } else { vec![] };
        json!({ "result": { "gas": 45_000, "failed": false, "structLogs": steps } })
    };
    match method {
        "trace_block" | "trace_transaction" => {
            Some(json!({ "error": { "code": -32601, "message": "Method not found" } }))
        }
        "eth_getCode" if params[1] != "latest" => {
            Some(json!({ "result": if has_code(number(&params[1])) { "0x00" } else { "0x" } }))
        }
        "eth_getTransactionReceipt" => {
            let mut answer = long_chain(method, params, 0);
            answer["result"]["gasUsed"] = "0xafc8".into();
            Some(answer)
        }
        "debug_traceTransaction" if params[1]["tracer"].is_null() => {
            Some(steps(number(&params[0])))
        }
        "debug_traceTransaction" => Some(json!({ "result": {} })),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_without_calls_to_code_do_not_tell_that_a_node_keeps_no_steps() {
    for has_code in [|_| false, |block| block < LIED_ABOUT, |block| block < 20] {
        let (server, _node) =
            lying_node(move |method, params| node_of_steps(method, params, has_code)).await;
        for block in [HEAD, LIED_ABOUT, 7] {
            let trace = format!("/api/v2/transactions/{}/raw-trace", hash("aa", block));
            let (status, calls) = get(&server, trace).await;
            assert_eq!((status, calls.as_array().map(Vec::len)), (200, Some(1)), "{block} {calls}");
            let (status, list) = internal_transactions(&server, block).await;
            assert_eq!((status, &list["items"]), (200, &json!([])), "{block} {list}");
        }
        let list = message(get(&server, of(ALICE, "internal-transactions")).await);
        let why = if has_code(0) {
            "this node cannot list internal transactions; a transaction's trace has them"
        } else {
            "unknown whether this node traces calls"
        };
        assert_eq!(list, (501, why.to_owned()));
    }
}

/// The first answer is made up, as a node's that has forgotten a transaction.
#[tokio::test(flavor = "multi_thread")]
async fn node_that_seems_to_lack_traces_is_judged_again_by_the_next_call_to_code() {
    let (server, _node) = lying_node(|method, params| {
        if method == "debug_traceTransaction" && number(&params[0]) == HEAD {
            return Some(made_up_steps());
        }
        node_of_steps(method, params, |_| true)
    })
    .await;
    let list = message(get(&server, of(ALICE, "internal-transactions")).await);
    assert_eq!(
        list,
        (501, "this node cannot list internal transactions; a transaction's trace has them".into())
    );
}

/// A status that a node without a tracer sends, and the outcome on the page.
async fn check_outcome(sent: Option<Value>, outcome: Value) {
    let name = format!("{sent:?}");
    let (server, _node) = lying_node(move |method, params| {
        let mut answer = long_chain(method, params, 0);
        match method {
            "eth_getBlockByNumber" if params[1] == true => {
                answer["result"]["transactions"][0]["to"] = Value::Null;
            }
            "eth_getTransactionReceipt" => {
                let receipt = answer["result"].as_object_mut().unwrap();
                receipt.remove("status");
                receipt.extend(sent.clone().map(|status| ("status".to_owned(), status)));
            }
            "trace_block" | "trace_transaction" => {
                return Some(json!({ "error": { "code": -32601, "message": "no such method" } }));
            }
            _ => return None,
        }
        Some(answer)
    })
    .await;
    let page = get(&server, format!("/api/v2/transactions/{}", hash("aa", 7))).await.1;
    let created = !page["created_contract"].is_null();
    assert_eq!(page["status"], outcome, "{name}: {page}");
    assert_eq!(created, outcome == "ok", "{name}: {page}");
    assert_eq!(page["result"].is_null(), outcome.is_null(), "{name}: {page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn outcome_is_unknown_without_a_readable_status() {
    check_outcome(Some("0x1".into()), "ok".into()).await;
    check_outcome(Some("0x0".into()), "error".into()).await;
    for unknown in [None, Some(Value::Null), Some("0x".into()), Some(true.into()), Some(2.into())] {
        check_outcome(unknown, Value::Null).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn made_up_steps_are_no_trace() {
    let node = node_with(|method, params| {
        let is_whole = params[1]["enableMemory"] == true;
        match method {
            "debug_traceTransaction" if is_whole => made_up_steps(),
            _ => recorded_answer("hardhat2", method, params),
        }
    });
    let server = start(&node, IndexLimits::default(), PAGE_SIZE);
    let sent = recorded_block("hardhat2", 10).transactions[0].hash;
    for item in ["internal-transactions", "raw-trace"] {
        let answer = get(&server, format!("/api/v2/transactions/{sent}/{item}")).await;
        assert_eq!(message(answer), (501, "no steps recorded".to_owned()), "{item}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_calls_of_a_block_with_transactions_are_unknown_calls() {
    let (server, _node) = lying_node(|method, params| {
        let is_lie = method == "trace_block" && number(&params[0]) == LIED_ABOUT;
        is_lie.then(|| json!({ "result": [] }))
    })
    .await;
    let why = format!("this node lists no calls of block {LIED_ABOUT}");
    assert_eq!(message(internal_transactions(&server, LIED_ABOUT).await), (501, why));
}

#[tokio::test(flavor = "multi_thread")]
async fn call_of_an_unknown_kind_or_sender_makes_calls_unknown() {
    for (field, lie) in [("type", "EOFCREATE".into()), ("action/from", Value::Null)] {
        let (server, _node) = lying_node(move |method, params| {
            let is_lie = method == "trace_block" && number(&params[0]) == LIED_ABOUT;
            let mut answer = is_lie.then(|| long_chain(method, params, 0))?;
            *answer.pointer_mut(&format!("/result/1/{field}")).unwrap() = lie.clone();
            Some(answer)
        })
        .await;
        let why = format!("calls of block {LIED_ABOUT} cannot be read");
        assert_eq!(
            message(internal_transactions(&server, LIED_ABOUT).await),
            (501, why),
            "{field}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn balance_without_a_digit_is_unknown() {
    for sent in ["", "0x"] {
        let (server, _node) = lying_node(move |method, _| {
            (method == "eth_getBalance").then(|| json!({ "result": sent }))
        })
        .await;
        let account = get(&server, format!("/api/v2/addresses/{ALICE}")).await.1;
        assert_eq!(account["coin_balance"], Value::Null, "{account}");
        let history = get(&server, of(ALICE, "coin-balance-history")).await;
        let why = "cannot read the response: a value cannot be read";
        assert_eq!(message(history), (503, why.into()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nonce_without_a_digit_is_unknown() {
    for (sent, nonce) in [("0x7", Some(7)), ("0x", None), ("", None), ("7", None)] {
        let client = simulated_client(move |method, params| match method {
            "eth_getTransactionCount" => json!({ "result": sent }),
            _ => long_chain(method, params, 0),
        });
        let chain = NodeChain::follow(client, IndexLimits::default());
        let next = move || chain.next_nonce(ALICE.parse().unwrap());
        assert_eq!(spawn_blocking(next).await.unwrap(), nonce, "{sent}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_slot_of_ganache_is_zero() {
    for (sent, word) in [("0x0", Some(U256::ZERO)), ("0x", Some(U256::ZERO)), ("0xzz", None)] {
        let client = simulated_client(move |method, params| match method {
            "eth_getStorageAt" => json!({ "result": sent }),
            _ => long_chain(method, params, 0),
        });
        let chain = NodeChain::follow(client, IndexLimits::default());
        let read = move || {
            let account = ALICE.parse().unwrap();
            let words = chain.storage_words(account, &[U256::ZERO], Some(70));
            (chain.storage_at(account, U256::ZERO, Some(70)).ok(), words.ok())
        };
        assert_eq!(
            spawn_blocking(read).await.unwrap(),
            (word, word.map(|word| vec![word])),
            "{sent}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_another_transaction_are_refused() {
    let words = "the node sent the calls of another transaction";
    for (field, other) in [
        ("action/from", json!(BOB)),
        ("action/to", json!(ALICE)),
        ("action/value", json!("0x9")),
        ("type", json!("create")),
        ("transactionHash", json!(hash("aa", 71))),
    ] {
        let (server, _node) = lying_node(move |method, params| {
            let is_lie = method == "trace_transaction" && number(&params[0]) == LIED_ABOUT;
            let block = json!([format!("{LIED_ABOUT:#x}")]);
            let mut answer = is_lie.then(|| long_chain("trace_block", &block, 0))?;
            *answer.pointer_mut(&format!("/result/0/{field}")).unwrap() = other.clone();
            Some(answer)
        })
        .await;
        let trace = format!("/api/v2/transactions/{}/raw-trace", hash("aa", LIED_ABOUT));
        assert_eq!(message(get(&server, trace).await), (501, words.into()), "{field}");
    }
    let (server, _node) = lying_node(|method, params| {
        let is_lie = method == "trace_block" && number(&params[0]) == LIED_ABOUT;
        let mut answer = is_lie.then(|| long_chain(method, params, 0))?;
        answer["result"][0]["action"]["value"] = "0x9".into();
        Some(answer)
    })
    .await;
    let listed = internal_transactions(&server, LIED_ABOUT).await;
    assert_eq!(message(listed), (501, words.into()));
}

/// The receipt lacks the price of the blobs in one case.
#[tokio::test(flavor = "multi_thread")]
async fn blobs_of_a_transaction_have_their_gas_with_its_price() {
    for (price, fee) in [(Some("0x2"), json!("262144")), (None, Value::Null)] {
        let (server, _node) = lying_node(move |method, params| {
            let mut answer = long_chain(method, params, 0);
            let result = &mut answer["result"];
            match method {
                "eth_getBlockByNumber" if params[1] == true && result["number"] == "0x46" => {
                    let sent = &mut result["transactions"][0];
                    sent["type"] = "0x3".into();
                    sent["maxFeePerBlobGas"] = "0x9".into();
                    sent["blobVersionedHashes"] = json!([hash("01", 1)]);
                }
                "eth_getTransactionReceipt" if number(&params[0]) == LIED_ABOUT => {
                    result["blobGasUsed"] = "0x20000".into();
                    result["blobGasPrice"] = json!(price);
                }
                _ => {}
            }
            Some(answer)
        })
        .await;
        let path = format!("/api/v2/transactions/{}", hash("aa", LIED_ABOUT));
        let (_, shown) = get(&server, path.clone()).await;
        let price = price.map(|_| "2");
        for (field, expected) in [
            ("blob_versioned_hashes", json!([hash("01", 1)])),
            ("blob_gas_used", json!("131072")),
            ("blob_gas_price", json!(price)),
            ("max_fee_per_blob_gas", json!("9")),
            ("burnt_blob_fee", fee.clone()),
        ] {
            assert_eq!(shown[field], expected, "{field}");
        }
        assert_eq!(shown["transaction_types"], json!(["coin_transfer", "blob_transaction"]));
        let (_, blobs) = get(&server, format!("{path}/blobs")).await;
        assert_eq!(blobs["items"], json!([{ "hash": hash("01", 1) }]));
        let (_, other) = get(&server, format!("/api/v2/transactions/{}", hash("aa", 71))).await;
        assert!(other.get("blob_gas_used").is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn block_without_its_transactions_is_pruned() {
    let (server, _node) = lying_node(|method, params| {
        let mut answer = long_chain(method, params, 0);
        let is_lie = method == "eth_getBlockByNumber"
            && params[0] != "latest"
            && number(&params[0]) <= LIED_ABOUT;
        is_lie.then(|| answer["result"]["transactions"] = json!([]))?;
        Some(answer)
    })
    .await;
    let (_, page) = get(&server, of(ALICE, "transactions")).await;
    let coverage = json!({ "from_block": LIED_ABOUT + 1, "to_block": HEAD, "reason": "pruned" });
    assert_eq!(page["coverage"], coverage);
    let gone = format!("/api/v2/transactions/{}", hash("aa", LIED_ABOUT));
    let words = "not found in blocks 71–99; earlier ones are pruned";
    assert_eq!(message(get(&server, gone).await), (404, words.to_owned()));
    let blocks = get(&server, "/api/v2/search/check-redirect?q=7".to_owned()).await.1;
    assert_eq!((&blocks["redirect"], &blocks["coverage"]), (&false.into(), &coverage));
}

/// A change of the receipts of one block, which a node sends together.
type Damage = fn(&mut Vec<Value>);

#[tokio::test(start_paused = true)]
async fn block_with_other_receipts_than_its_own_costs_that_block() {
    let damages: [Damage; 3] = [
        Vec::clear,
        |sent| sent.push(sent[0].clone()),
        |sent| {
            sent[0]["transactionHash"] = hash("aa", 1).into();
        },
    ];
    for (damage, block) in damages.into_iter().zip([20, 10, 0]) {
        let client = simulated_client(move |method, params| {
            if method != "eth_getBlockReceipts" {
                return long_chain(method, params, 0);
            }
            let number = number(&params[0]);
            let sent = long_chain("eth_getTransactionReceipt", &json!([hash("aa", number)]), 0);
            let mut sent = vec![sent["result"].clone()];
            if number == block {
                damage(&mut sent);
            }
            json!({ "result": sent })
        });
        assert_one_is_unreadable(client).await;
    }
    let client = simulated_client(move |method, params| match method {
        "eth_getTransactionReceipt" if number(&params[0]) == LIED_ABOUT => {
            json!({ "result": null })
        }
        _ => long_chain(method, params, 0),
    });
    assert_one_is_unreadable(client).await;
}

/// Reads a chain to its end, without a word of an outage.
async fn assert_one_is_unreadable(client: RpcClient) {
    let chain = NodeChain::follow(client, IndexLimits::default());
    let mut watch = chain.watch();
    loop {
        let IndexProgress { coverage, error, .. } = watch.next().await.unwrap();
        assert_eq!(error, None);
        if let Some(IndexCoverage { first_block: 0, last_block: HEAD, unreadable, .. }) = coverage {
            assert_eq!(unreadable, 1);
            break;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn absent_blocks_below_the_head_are_pruned() {
    let pruned = json!({ "error": { "code": 4444, "message": "pruned history unavailable" } });
    for absent in [json!({ "result": null }), pruned] {
        let client = simulated_client(move |method, params| {
            let is_absent = method == "eth_getBlockByNumber"
                && params[0] != "latest"
                && [20, LIED_ABOUT].contains(&number(&params[0]));
            if is_absent { absent.clone() } else { long_chain(method, params, 0) }
        });
        let expected = (LIED_ABOUT + 1, HEAD, Some(MissingBlocks::Pruned));
        assert_eq!(read_whole(client).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn fork_that_is_not_told_at_first_is_found() {
    const FORK: u64 = 9;
    let asked = AtomicU64::new(0);
    let client = simulated_client(move |method, params| {
        let fork = json!({ "chainId": 1, "forkBlockNumber": FORK });
        let is_block = method == "eth_getBlockByNumber" && params[0] != "latest";
        match method {
            "hardhat_metadata" if asked.fetch_add(1, Ordering::Relaxed) > 0 => {
                json!({ "result": { "instanceId": hash("1d", 1), "forkedNetwork": fork } })
            }
            "hardhat_metadata" => json!({ "result": null }),
            _ if is_block && number(&params[0]) <= FORK => json!({ "result": null }),
            _ => long_chain(method, params, 0),
        }
    });
    let expected = (FORK + 1, HEAD, Some(MissingBlocks::Forked { chain_id: Some(1) }));
    assert_eq!(read_whole(client).await, expected);
}

#[tokio::test(start_paused = true)]
async fn chain_id_that_changes_between_answers_is_noticed() {
    let polls = AtomicU64::new(0);
    let client = simulated_client(move |method, params| {
        let poll = u64::from(params[0] == "latest");
        let is_other = polls.fetch_add(poll, Ordering::Relaxed) >= 20;
        match method {
            "eth_chainId" if is_other => json!({ "result": "0x1" }),
            _ if is_other => {
                let answer = long_chain(method, params, 0).to_string();
                serde_json::from_str(&answer.replace("\"0xbb", "\"0xcc")).unwrap()
            }
            _ => long_chain(method, params, 0),
        }
    });
    let chain = NodeChain::follow(client, IndexLimits::default());
    let mut watch = chain.watch();
    let mut seen = Vec::new();
    while seen.last() != Some(&(Some(1), None)) {
        let IndexProgress { chain_id, error, .. } = watch.next().await.unwrap();
        let now = (chain_id, error.map(|error| error.to_string()));
        if chain_id.is_some() && seen.last() != Some(&now) {
            seen.push(now);
        }
    }
    let noticed = "the node changed from chain 31337 to chain 1".to_owned();
    assert_eq!(seen, [(Some(31_337), None), (Some(31_337), Some(noticed)), (Some(1), None)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn blocks_that_name_no_parent_are_of_one_chain() {
    let (server, _node) = lying_node(|method, params| {
        let mut answer = long_chain(method, params, 0);
        answer.pointer_mut("/result/parentHash").map(|it| *it = hash("00", 0).into())?;
        Some(answer)
    })
    .await;
    let (_, page) = get(&server, of(ALICE, "transactions")).await;
    assert_eq!(page["items"].as_array().unwrap().len() as u64, HEAD + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn balance_that_changes_without_a_block_is_asked_for_each_time() {
    let balance = AtomicU64::new(0);
    let (server, _node) = lying_node(move |method, _| {
        let next = || format!("{:#x}", balance.fetch_add(1, Ordering::Relaxed));
        (method == "eth_getBalance").then(|| json!({ "result": next() }))
    })
    .await;
    for expected in ["0", "1", "2"] {
        let (_, account) = get(&server, format!("/api/v2/addresses/{ALICE}")).await;
        assert_eq!(account["coin_balance"], expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn blobs_whose_hashes_are_not_sent_are_not_taken_for_none() {
    let (server, _node) = lying_node(|method, params| {
        let mut answer = long_chain(method, params, 0);
        let result = &mut answer["result"];
        if method == "eth_getBlockByNumber" && params[1] == true && result["number"] == "0x46" {
            result["transactions"][0]["type"] = "0x3".into();
        }
        Some(answer)
    })
    .await;
    let blobs = |block| get(&server, format!("/api/v2/transactions/{}/blobs", hash("aa", block)));
    let why = "the node sends no hashes of blobs".to_owned();
    assert_eq!(message(blobs(LIED_ABOUT).await), (501, why));
    assert_eq!(blobs(LIED_ABOUT + 1).await.1["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn nft_whose_contract_names_no_owner_is_perhaps_held_by_the_last_receiver() {
    const NFT: &str = "0x7070707070707070707070707070707070707070";
    let word = |address: &str| format!("0x{:0>64}", &address[2..]);
    let (server, _node) = lying_node(move |method, params| {
        let mut answer = long_chain(method, params, 0);
        let moved = |from, to, id: u64| {
            let topics = json!([TRANSFER, word(from), word(to), format!("{id:#066x}")]);
            json!({ "address": NFT, "topics": topics, "data": "0x", "logIndex": format!("{id:#x}") })
        };
        match method {
            "eth_getTransactionReceipt" if number(&params[0]) == HEAD => {
                answer["result"]["logs"] = json!([moved(ZERO, BOB, 1), moved(BOB, ZERO, 2)]);
            }
            "eth_call" => answer = json!({ "error": { "code": 3, "message": "execution reverted" } }),
            _ => {}
        }
        Some(answer)
    })
    .await;
    let listed = |list: &str| get(&server, format!("/api/v2/tokens/{NFT}/instances{list}"));
    let (_, all) = listed("").await;
    let owner = |row: &Value| (row["id"].clone(), row["owner"].clone());
    let owners: Vec<_> = all["items"].as_array().unwrap().iter().map(owner).collect();
    let unknown = json!({ "hash": null });
    assert_eq!(owners, [(json!("2"), Value::Null), (json!("1"), unknown.clone())], "2 is burnt");
    let (_, held) = listed(&format!("?holder_address_hash={BOB}")).await;
    let row = &held["items"][0];
    assert_eq!((&row["id"], &row["owner"], &row["value"]), (&json!("1"), &unknown, &Value::Null));
    let (_, holders) = listed("/1/holders").await;
    assert_eq!(holders["items"][0]["value"], Value::Null, "{holders}");
}
