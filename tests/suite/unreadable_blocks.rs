//! Blocks of which a node sends something that cannot be decoded: each costs itself, not the chain.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use chainglass::test_api::api::{AddressQuery, ApiError, BlockQuery, Query};
use chainglass::test_api::app_message::{ChainIndex, Msg, NetworkEvent};
use chainglass::test_api::indexer::{IndexCoverage, IndexLimits, IndexProgress, NodeChain};
use chainglass::test_api::messages::node::NodeErrorCode;
use chainglass::test_api::rpc::RpcClient;
use chainglass::test_api::store::Snapshot;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::changing_node::{NodeOperation, Personality, SimulatedChain, client_of};
use crate::demo_server_client::{ALICE, ServerClient};
use crate::fake_server::FakeServer;
use crate::index_coverage::{HEAD, get, hash, long_chain, message, number, of, start};
use crate::random_histories::{rows, settled};
use crate::scripted_node::{node_with, simulated_client};
use crate::session::{Session, size};

const UNREADABLE: u64 = 70;
const PAGE_SIZE: usize = 1_000;
/// A value that cannot be decoded, at a place of the answers about one block.
#[derive(Clone, Copy)]
struct Damage {
    method: &'static str,
    place: &'static str,
    json: &'static str,
    /// Reason in the error.
    why: &'static str,
}

const BLOCK: &str = "eth_getBlockByNumber";
const RECEIPT: &str = "eth_getTransactionReceipt";
/// A number past 2^64.
const TOO_LARGE: &str = r#""0x10000000000000001""#;
const BAD_NONCE: Damage =
    Damage { method: BLOCK, place: "transactions/0/nonce", json: TOO_LARGE, why: "no `nonce`" };

fn damages() -> [(Damage, u64); 11] {
    let damage = |method, place, json, why| Damage { method, place, json, why };
    [
        (damage(BLOCK, "number", TOO_LARGE, "no `number`"), UNREADABLE),
        (damage(BLOCK, "transactions/0/from", "\"0xab\"", "invalid string length"), 0),
        (damage(BLOCK, "transactions/0", "7", "invalid type: integer `7`"), HEAD),
        (damage(BLOCK, "transactions", "null", "invalid type: null"), HEAD),
        (damage(BLOCK, "timestamp", TOO_LARGE, "no `timestamp`"), UNREADABLE),
        (BAD_NONCE, 0),
        (damage(BLOCK, "transactions/0/to", "\"0x\"", "a value cannot be read"), HEAD),
        (damage(BLOCK, "transactions/0/type", "\"0x\"", "a value cannot be read"), 0),
        (damage(BLOCK, "transactions/0/type", "\"0x1ff\"", "no `type`"), HEAD),
        (damage(RECEIPT, "logs", "{}", "invalid type: map"), HEAD),
        (damage(RECEIPT, "gasUsed", "\"all\"", "no `gasUsed`"), HEAD),
    ]
}

/// The long chain, damaged at a block.
fn damaged(method: &str, params: &Value, damage: Damage, block: u64) -> Value {
    let mut answer = long_chain(method, params, 0);
    let is_damaged = method == damage.method
        && if params[0] == "latest" { block == HEAD } else { number(&params[0]) == block };
    if is_damaged && let Some(value) = answer.pointer_mut(&format!("/result/{}", damage.place)) {
        *value = serde_json::from_str(damage.json).unwrap();
    }
    answer
}

async fn damaged_node(damage: Damage, block: u64) -> (Arc<ServerClient>, FakeServer) {
    let node = node_with(move |method, params| damaged(method, params, damage, block));
    let server = start(&node, IndexLimits::default(), PAGE_SIZE);
    while get(&server, of(ALICE, "transactions")).await.1["coverage"]["reason"] == "unread" {}
    (server, node)
}

async fn listed_blocks(server: &Arc<ServerClient>, list: String) -> (Vec<u64>, Value) {
    let (status, page) = get(server, list).await;
    assert_eq!(status, 200, "{page}");
    let items = page["items"].as_array().unwrap().iter();
    let blocks = items.map(|it| it.get("block_number").unwrap_or(&it["height"]).as_u64().unwrap());
    (blocks.collect(), page["coverage"].clone())
}

async fn check(damage: Damage, block: u64) {
    let Damage { place, why, .. } = damage;
    let (server, _node) = damaged_node(damage, block).await;
    let coverage = json!({ "from_block": 0, "to_block": HEAD, "unreadable_blocks": 1 });
    let readable: Vec<u64> = (0..=HEAD).rev().filter(|number| *number != block).collect();
    for list in [of(ALICE, "transactions"), "/api/v2/blocks".to_owned()] {
        let listed = listed_blocks(&server, list).await;
        assert_eq!(listed, (readable.clone(), coverage.clone()), "{place} {block}");
    }
    let words = format!("block {block} is unreadable: ");
    let unreadable = [
        format!("blocks/{block}"),
        format!("blocks/{}", hash("bb", block)),
        format!("blocks/{block}/transactions"),
        format!("search/check-redirect?q={block}"),
    ];
    for target in unreadable {
        let (status, message) = message(get(&server, format!("/api/v2/{target}")).await);
        assert!(message.starts_with(&words) && message.contains(why), "{place}: {message}");
        assert_eq!(status, 501);
    }
    let gone = get(&server, format!("/api/v2/transactions/{}", hash("aa", block))).await;
    let words = "not found in blocks 0–99 (1 unreadable)";
    assert_eq!(message(gone), (404, words.to_owned()), "{place} {block}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_block_costs_that_block() {
    let mut checks = JoinSet::new();
    for (damage, block) in damages() {
        checks.spawn(check(damage, block));
    }
    while let Some(checked) = checks.join_next().await {
        checked.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_counted_without_an_unreadable_block() {
    let (server, _node) = damaged_node(BAD_NONCE, UNREADABLE).await;
    let (_, counters) = get(&server, of(ALICE, "counters")).await;
    assert!(counters["transactions_count"].is_null(), "{counters}");
    let (_, stats) = get(&server, "/api/v2/stats".to_owned()).await;
    assert!(stats["total_blocks"].is_null() && stats["total_transactions"].is_null(), "{stats}");
    let (_, days) = get(&server, "/api/v2/stats/charts/transactions".to_owned()).await;
    assert_eq!(days["chart_data"], json!([]));
    let (_, account) = get(&server, format!("/api/v2/addresses/{ALICE}")).await;
    assert!(account["has_logs"].is_null(), "{account}");
    let (_, indexing) = get(&server, "/api/v2/main-page/indexing-status".to_owned()).await;
    assert_eq!(indexing["finished_indexing_blocks"], true);
}

/// A chain of nine blocks with transactions.
fn mined() -> Arc<Mutex<SimulatedChain>> {
    let history = (0..9).map(|_| (0, NodeOperation::Mine(3)));
    Arc::new(Mutex::new(SimulatedChain::new(Personality::Anvil, history.collect())))
}

/// A client of a node that sends something else for some requests, by how often each came.
fn lying_client(
    chain: &Arc<Mutex<SimulatedChain>>,
    lie: impl Fn(&str, &mut Value, usize) + Send + Sync + 'static,
) -> RpcClient {
    let chain = Arc::clone(chain);
    let times = Mutex::new(HashMap::<String, usize>::new());
    simulated_client(move |method, params| {
        let mut answer = chain.lock().unwrap().answer(method, params);
        let mut times = times.lock().unwrap();
        let request = format!("{method} {params}");
        let times = times.entry(request.clone()).or_default();
        lie(&request, &mut answer, *times);
        *times += 1;
        answer
    })
}

/// Damages a transaction of the block with a hash.
fn damage_block(answer: &mut Value, hash: &str) {
    if answer["result"]["hash"] == hash {
        answer["result"]["transactions"][0] = json!({ "hash": [] });
    }
}

async fn read_afresh(chain: &Arc<Mutex<SimulatedChain>>) -> Snapshot {
    let mut fresh = NodeChain::follow(client_of(chain), IndexLimits::default());
    settled(&mut fresh, chain).await
}

fn unreadable(chain: &NodeChain) -> (u64, Option<String>) {
    let IndexProgress { coverage, error, .. } = chain.progress();
    (coverage.unwrap().unreadable, error.map(|error| error.to_string()))
}

#[tokio::test(start_paused = true)]
async fn unreadable_head_is_followed_and_replaced() {
    let chain = mined();
    settled(&mut NodeChain::follow(client_of(&chain), IndexLimits::default()), &chain).await;
    let head = chain.lock().unwrap().head_hash().unwrap().to_owned();
    let client = lying_client(&chain, move |_, answer, _| damage_block(answer, &head));
    let mut followed = NodeChain::follow(client, IndexLimits::default());
    settled(&mut followed, &chain).await;
    assert_eq!(unreadable(&followed), (1, None));

    chain.lock().unwrap().apply(NodeOperation::Mine(2));
    let ours = settled(&mut followed, &chain).await;
    assert_eq!(unreadable(&followed), (1, None));
    assert_eq!(followed.progress().rollback, None, "the block is still there");
    assert!(ours.block(9).is_err() && ours.block(10).unwrap().is_some());

    chain.lock().unwrap().apply(NodeOperation::Replace(2));
    let ours = settled(&mut followed, &chain).await;
    assert_eq!(unreadable(&followed), (0, None));
    assert_eq!(followed.progress().rollback.unwrap().blocks, 2);
    assert!(ours.coverage.is_none());
    assert_eq!(rows(&ours, 0), rows(&read_afresh(&chain).await, 0));
    assert_eq!(chain.lock().unwrap().violations, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn reorg_below_an_unreadable_block_is_found() {
    let chain = mined();
    settled(&mut NodeChain::follow(client_of(&chain), IndexLimits::default()), &chain).await;
    let head = chain.lock().unwrap().head_hash().unwrap().to_owned();
    (0..3).for_each(|_| chain.lock().unwrap().apply(NodeOperation::Mine(1)));
    let client = lying_client(&chain, move |_, answer, _| damage_block(answer, &head));
    let mut followed = NodeChain::follow(client, IndexLimits::default());
    settled(&mut followed, &chain).await;
    chain.lock().unwrap().apply(NodeOperation::Replace(1));
    settled(&mut followed, &chain).await;
    assert_eq!(unreadable(&followed), (1, None), "it is below the blocks that were replaced");
    assert_eq!(followed.progress().rollback.unwrap().blocks, 1);
    chain.lock().unwrap().apply(NodeOperation::Replace(6));
    let ours = settled(&mut followed, &chain).await;
    assert_eq!(unreadable(&followed), (0, None));
    assert_eq!(followed.progress().rollback.unwrap().blocks, 6);
    assert_eq!(rows(&ours, 0), rows(&read_afresh(&chain).await, 0));
}

#[tokio::test(start_paused = true)]
async fn block_that_is_unreadable_in_passing_is_read() {
    let chain = mined();
    let client = lying_client(&chain, |request, answer, times| {
        let is_lie = times < 2 && (request.contains("Receipt") || request.contains("ByNumber"));
        let sent =
            ["/result/transactions/0", "/result/0"].map(|path| answer.pointer(path).is_some());
        if is_lie && sent[0] {
            answer["result"]["transactions"][0] = json!({});
        } else if is_lie && sent[1] {
            answer["result"][0] = json!({});
        }
    });
    let mut followed = NodeChain::follow(client, IndexLimits::default());
    let ours = settled(&mut followed, &chain).await;
    assert_eq!(unreadable(&followed), (0, None));
    assert_eq!(rows(&ours, 0), rows(&read_afresh(&chain).await, 0));
}

#[tokio::test(start_paused = true)]
async fn unreadable_trace_costs_the_calls_only() {
    let chain = mined();
    let client = lying_client(&chain, |request, answer, _| {
        if request == r#"trace_block ["0x5"]"# {
            answer["result"][0]["traceAddress"] = "root".into();
        }
    });
    let mut followed = NodeChain::follow(client, IndexLimits::default());
    let ours = settled(&mut followed, &chain).await;
    assert_eq!(unreadable(&followed), (0, None));
    let [blocks, transactions, calls, transfers, logs] = rows(&ours, 0);
    let fresh = rows(&read_afresh(&chain).await, 0);
    assert_eq!([blocks, transfers, logs], [&fresh[0], &fresh[3], &fresh[4]].map(Clone::clone));
    assert_eq!(transactions.unwrap().len(), 27);
    assert_eq!(calls, None);
}

/// An unreadable block, unreadable calls and an absent block in the same batch.
#[tokio::test(start_paused = true)]
async fn several_things_that_go_wrong_at_once_do_not_stop_the_chain() {
    let client = simulated_client(|method, params| {
        let mut answer = damaged(method, params, BAD_NONCE, 80);
        if method == "trace_block" && number(&params[0]) == 90 {
            answer["result"][0]["traceAddress"] = "root".into();
        }
        let is_absent = method == "eth_getBlockByNumber"
            && params[0] != "latest"
            && number(&params[0]) == UNREADABLE;
        if is_absent { json!({ "result": null }) } else { answer }
    });
    let mut chain = NodeChain::follow(client, IndexLimits::default());
    while chain.progress().coverage.is_none_or(|blocks| blocks.unindexed > 0) {
        assert!(chain.changed().await);
    }
    let IndexCoverage { first_block, unreadable, .. } = chain.progress().coverage.unwrap();
    assert_eq!((first_block, unreadable), (UNREADABLE + 1, 1));
    let (_, end) = chain.published().unwrap().internal_transactions(u64::MAX);
    assert!(end.is_err());
}

#[tokio::test]
async fn unreadable_blocks_are_on_the_screen() {
    let row = format!(r#"{{"hash":"{}","block_number":9}}"#, hash("aa", 9));
    let mut session = Session::canned(size(100, 30), ALICE, move |query, _| {
        let list = |items: &str| {
            let coverage = r#"{"from_block":0,"to_block":9,"unreadable_blocks":2}"#;
            format!(r#"{{"items":[{items}],"next_page_params":null,"coverage":{coverage}}}"#)
        };
        match query {
            Query::Address(_, AddressQuery::Details | AddressQuery::Counters) => {
                Ok(format!(r#"{{"hash":"{ALICE}"}}"#))
            }
            Query::Address(_, AddressQuery::Transactions { .. }) => Ok(list(&row)),
            Query::Block(_, BlockQuery::Details) => {
                let why = "block 7 is unreadable: no `nonce`".into();
                Err(ApiError::Node { code: NodeErrorCode::Unsupported, why })
            }
            _ => Ok(list("")),
        }
    })
    .await;
    let coverage = IndexCoverage {
        first_block: 0,
        last_block: 9,
        transactions: 1,
        unreadable: 2,
        unindexed: 0,
        older: None,
    };
    let progress = IndexProgress { coverage: Some(coverage), ..IndexProgress::default() };
    let event = NetworkEvent::Index(Box::new(progress));
    let effects = session.app.update(Msg::Network(ChainIndex::default(), event));
    session.settle(effects).await;
    session.keys("1").await;
    let screen = session.screen();
    assert!(screen.contains("no more in blocks 0–9 (2 unreadable) · 1 row"), "{screen}");
    assert!(screen.contains("block 9 · 2 unreadable · live"), "{screen}");
    session.keys("s").await;
    session.type_text("7").await;
    session.keys("enter").await;
    assert!(session.screen().contains("block 7 is unreadable: no `nonce`"), "{}", session.screen());
}
