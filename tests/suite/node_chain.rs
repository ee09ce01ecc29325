//! The chains of nodes, indexed and served like the demo chain.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chainglass::test_api::abi::Project;
use chainglass::test_api::demo_server::{ApiServer, ApiServerOptions};
use chainglass::test_api::indexer::{IndexCoverage, IndexLimits, NodeChain};
use chainglass::test_api::rpc::RpcClient;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::artifacts::{project, write};
use crate::demo_server_client::{ALICE, ServerClient};
use crate::fake_node::{client, recorded_node};
use crate::fake_server::FakeServer;

const CAROL: &str = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const TIMEOUT: Duration = Duration::from_secs(30);
/// The last block of the small world on which all nodes agree.
const LAST_COMMON_BLOCK: u64 = 22;

/// Follows a node until all its blocks are read.
async fn follow(client: RpcClient) -> NodeChain {
    let mut chain = NodeChain::follow(client, IndexLimits::default());
    let read = async {
        while chain.progress().coverage.is_none_or(|it| it.older.is_some()) {
            assert!(chain.changed().await, "{:?}", chain.progress());
        }
    };
    timeout(TIMEOUT, read).await.unwrap();
    chain
}

async fn serve(chain: NodeChain) -> ServerClient {
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
    ]
}

/// What only traces tell of a transaction.
const TRACED_FIELDS: [&str; 3] = ["has_error_in_internal_transactions", "result", "revert_reason"];

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
            unread: 0,
            older: None,
        };
        assert_eq!(coverage, expected, "{node}");
        assert_eq!(chain.progress().set_back, None);
        let server = serve(chain).await;
        let items = tokio::task::spawn_blocking(move || {
            lists().iter().map(|list| items(&server, list, is_traced)).collect::<Vec<_>>()
        });
        listed.push((node, is_traced, items.await.unwrap()));
    }
    for (node, is_traced, items) in &listed {
        let counts: Vec<usize> = items.iter().map(Vec::len).collect();
        assert_eq!(counts, [42, 3, 2, 2, 26], "{node}");
        let anvils = listed.iter().find(|(_, other_is_traced, _)| other_is_traced == is_traced);
        let (_, _, anvils) = anvils.unwrap();
        for (list, (items, anvils)) in lists().iter().zip(items.iter().zip(anvils)) {
            for (item, anvils) in items.iter().zip(anvils) {
                assert_eq!(item, anvils, "{node} {list}");
            }
        }
    }
}

/// Follows a recorded node in the folder of a project.
async fn server_in(folder: &Path, node: &'static str) -> (ServerClient, FakeServer) {
    let recorded = recorded_node(node);
    let chain = follow(client(&recorded)).await.with_project(Project::find(folder));
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
                // One that failed, and one of a single byte.
                "Child", "—", "—", "Proxy",
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
            let proxy = through_proxy["to"]["hash"].as_str().unwrap();
            let contract = server.json(&format!("/api/v2/smart-contracts/{proxy}"));
            assert_eq!(
                (&contract["name"], &contract["is_verified"]),
                (&json!("Proxy"), &json!(true))
            );
            assert_eq!(contract["abi"][0]["type"], "constructor");
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
