//! The chains of nodes, indexed and served like the demo chain.

use std::sync::Arc;
use std::time::Duration;

use chainglass::test_api::demo_server::{ApiServer, ApiServerOptions};
use chainglass::test_api::indexer::{IndexCoverage, IndexLimits, NodeChain};
use chainglass::test_api::rpc::RpcClient;
use serde_json::Value;
use tokio::time::timeout;

use crate::demo_server_client::{ALICE, ServerClient};
use crate::fake_node::{client, recorded_node};

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
