//! Names of the contracts and accounts of a development node.

use std::sync::Arc;

use chainglass::test_api::abi::{Project, ProjectContracts};
use serde_json::{Value, json};

use crate::artifacts::{project, write};
use crate::demo_server_client::{ALICE, ServerClient};
use crate::node_chain::{follow, serve};
use crate::scripted_node::{client, recorded_node};

const THROWER: &str = "0x5fc8d32690cc91d4c39d9d3abcbd16989f875707";
const COIN: &str = "0x5fbdb2315678afecb367f032d93f642f64180aa3";

/// Answers paths about Hardhat's small world and its project.
async fn with_world(check: impl FnOnce(&ServerClient) + Send + 'static) {
    with_files(&[], check).await;
}

/// Answers paths about the small world and its project, which has further files.
async fn with_files(files: &[(&str, String)], check: impl FnOnce(&ServerClient) + Send + 'static) {
    let (folder, node) = (project("hardhat3"), recorded_node("hardhat3"));
    for (file, text) in files {
        write(folder.path(), file, text);
    }
    let project = Project::find(folder.path()).map(ProjectContracts::new).map(Arc::new);
    let server = serve(follow(client(&node)).await.with_project(project)).await;
    tokio::task::spawn_blocking(move || check(&server)).await.unwrap();
}

fn found(server: &ServerClient, text: &str) -> Vec<(String, Option<u64>)> {
    let found = server.json(&format!("/api/v2/search?q={text}"));
    let contract = |item: &Value| {
        let is_contract = item["type"] == "contract";
        let name = item["name"].as_str().filter(|_| is_contract)?.to_owned();
        Some((name, item["deployment_number"].as_u64()))
    };
    found["items"].as_array().unwrap().iter().filter_map(contract).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn contracts_of_the_project_are_found_by_name_newest_first() {
    with_world(|server| {
        assert_eq!(found(server, "throw"), [("Thrower".to_owned(), None)]);
        let children = found(server, "CHILD");
        let numbers: Vec<Option<u64>> = children.iter().map(|(_, number)| *number).collect();
        let count = u64::try_from(children.len()).unwrap();
        assert!(count > 2 && numbers == (1..=count).rev().map(Some).collect::<Vec<_>>());
        let coins: Vec<String> = found(server, "coin").into_iter().map(|(name, _)| name).collect();
        assert_eq!(coins, ["Coin", "Proxy"], "a proxy by its implementation");
        assert_eq!(found(server, "nothing"), []);
        let all = server.json("/api/v2/search?q=COIN")["items"].clone();
        let kinds: Vec<&str> =
            all.as_array().unwrap().iter().filter_map(|item| item["type"].as_str()).collect();
        assert_eq!(kinds[..2], ["contract", "token"], "the name itself before World Coin");
        assert_eq!(all[0]["name"], "Coin");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_and_default_accounts_have_the_same_name_everywhere() {
    with_world(|server| {
        assert_eq!(server.json(&format!("/api/v2/addresses/{ALICE}"))["name"], "#0");
        let sent = server.all_items(&format!("/api/v2/addresses/{ALICE}/transactions"), "");
        assert!(sent.iter().all(|row| row["from"]["name"] == "#0"));
        let coin = sent.iter().find(|row| row["to"]["name"] == "Proxy").unwrap();
        let token = coin["to"]["hash"].as_str().unwrap();
        let token = server.json(&format!("/api/v2/tokens/{token}"));
        let tag = json!({
            "slug": "world-coin", "name": "World Coin", "tagType": "name", "ordinal": 0, "meta": null
        });
        assert_eq!(coin["to"]["metadata"], json!({ "tags": [tag] }));
        assert_eq!(token["name"], "World Coin");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deployments_have_the_names_of_their_scripts() {
    let addresses = |names: &[(&str, &str)]| {
        let names = names.iter().map(|(name, address)| ((*name).to_owned(), json!(address)));
        Value::Object(names.collect()).to_string()
    };
    let metadata = json!({ "settings": { "compilationTarget": { "a.sol": "Coin" } } }).to_string();
    let gold = json!({ "address": COIN, "abi": [], "metadata": metadata }).to_string();
    let named = [("Main#Desk", THROWER), ("Main#Till", COIN), ("Main#Broken", "0x1")];
    let files = [
        ("ignition/deployments/chain-31337/deployed_addresses.json", addresses(&named)),
        (
            "ignition/deployments/chain-31337/artifacts/Main#Desk.json",
            json!({ "contractName": "Thrower" }).to_string(),
        ),
        // The code at the address is another contract's.
        (
            "ignition/deployments/old/deployed_addresses.json",
            addresses(&[("Old#Thrower", COIN), ("Old#X", THROWER)]),
        ),
        ("ignition/deployments/old/journal.jsonl", "\n{\"chainId\":31337}\n{".to_owned()),
        ("deployments/localhost/.chainId", "31337\n".to_owned()),
        ("deployments/localhost/Golden.json", gold),
        ("deployments/localhost/Bad.json", "{".to_owned()),
        ("deployments/sepolia/.chainId", "11155111".to_owned()),
        ("deployments/sepolia/Thrower.json", json!({ "address": THROWER }).to_string()),
    ];
    with_files(&files, |server| {
        let thrower = server.json(&format!("/api/v2/addresses/{THROWER}"));
        assert_eq!([&thrower["name"], &thrower["deployment_name"]], ["Thrower", "Desk"]);
        assert_eq!(found(server, "desk")[0].0, "Thrower");
        let coin = server.json(&format!("/api/v2/addresses/{COIN}"));
        let tag = &coin["metadata"]["tags"][0]["name"];
        assert_eq!([&coin["deployment_name"], tag], ["Golden", "Golden"]);
    })
    .await;
}
