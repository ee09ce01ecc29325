//! Lines of contracts with `console.log`, on a node's chain.

use chainglass::test_api::chain::{Chains, CustomChain};
use chainglass::test_api::net::Provider;
use serde_json::{Value, json};

use crate::artifacts::project;
use crate::demo_server_client::ServerClient;
use crate::node_chain::{follow, serve, server_in};
use crate::scripted_node::{client, recorded_node};
use crate::session::{Session, size};

/// The lines of a page, each with its transaction.
fn lines(page: &Value) -> Vec<(String, String)> {
    let items = page["items"].as_array().unwrap();
    let text = |field: &Value| field.as_str().unwrap().to_owned();
    items.iter().map(|it| (text(&it["transaction_hash"]), text(&it["text"]))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn console_of_the_chain_is_that_of_its_transactions_the_latest_first() {
    for node in ["anvil", "hardhat3"] {
        let folder = project("hardhat2");
        let (server, _node) = server_in(folder.path(), node).await;
        let check = move || {
            let all = server.json("/api/v2/console-lines");
            let listed = lines(&all);
            assert!(listed.len() > 3, "{node}: {all}");
            let mut transactions: Vec<&String> = listed.iter().map(|(hash, _)| hash).collect();
            transactions.dedup();
            let mut of_each = Vec::new();
            for hash in transactions {
                let page = server.json(&format!("/api/v2/transactions/{hash}/console-lines"));
                of_each.extend(lines(&page));
                let transaction = server.json(&format!("/api/v2/transactions/{hash}"));
                assert_eq!(transaction["console_line_count"], lines(&page).len(), "{node}");
            }
            assert_eq!(listed, of_each, "{node}");
            let oldest = &listed.last().unwrap().0;
            let mut items = all["items"].as_array().unwrap().iter();
            let first = items.find(|line| line["transaction_hash"] == **oldest).unwrap();
            assert_eq!(
                (&first["contract"]["name"], &first["function"]),
                (&json!("Talker"), &json!("talk")),
                "{node}: {first}"
            );
        };
        tokio::task::spawn_blocking(check).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn console_of_a_node_with_steps_alone_is_read_by_transaction() {
    let anvil = recorded_node("anvil");
    let traced = serve(follow(client(&anvil)).await).await;
    let node = recorded_node("hardhat2");
    let server = serve(follow(client(&node)).await).await;
    let check = move || {
        let expected = lines(&traced.json("/api/v2/console-lines"));
        let listed = server.all_items("/api/v2/console-lines", "");
        assert_eq!(lines(&json!({ "items": listed })), expected);
        let (hash, _) = expected.last().unwrap();
        let of_transaction = |server: &ServerClient| {
            lines(&server.json(&format!("/api/v2/transactions/{hash}/console-lines")))
        };
        assert_eq!(of_transaction(&server), of_transaction(&traced));
        let transaction = server.json(&format!("/api/v2/transactions/{hash}"));
        assert_eq!(transaction.get("console_line_count"), None);
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn overview_has_the_whole_console_and_lists_have_a_mark() {
    let node = recorded_node("anvil");
    let rpc = Some(node.base().to_string());
    let own = CustomChain { key: "mine".into(), rpc, ..CustomChain::default() };
    let network = Chains::new(vec![own], false).unwrap().resolve("mine").unwrap();
    let provider = Provider::new(&network);
    let mut session = Session::at(provider, network, size(120, 40), "").await;
    session.keys("g o").await;
    let shown = session.screen();
    assert!(shown.contains("Console"), "{shown}");
    session.keys("G enter").await;
    let shown = session.screen();
    assert!(shown.contains("─ Console ─"), "{shown}");
    session.keys("esc g t").await;
    assert!(session.screen().contains('»'), "{}", session.screen());
}
