//! Tokens of odd kinds on a running anvil: what is shown of their balances, holders and changes is what
//! plain JSON-RPC says.
//!
//! `tests/nodes/run anvil -- cargo test --locked --test suite running_tokens -- --ignored`. Their source
//! is `tests/nodes/world/Oddities.sol`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy_primitives::keccak256;
use chainglass::test_api::demo_server::{ApiServer, ApiServerOptions};
use chainglass::test_api::indexer::{IndexLimits, NodeChain};
use serde_json::{Value, json};

use crate::architecture::root;
use crate::demo_server_client::{ALICE, ServerClient};
use crate::running_anvil::{Anvil, client, free_port, rows_at_head};

const BOB: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const CAROL: &str = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
/// Address of the treasury of an old token, which no transaction but its creation names.
const TREASURY: &str = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";
const ZERO: &str = "0x0000000000000000000000000000000000000000";
/// The code of a Safe's proxy (1.3.0), without its metadata.
const SAFE_PROXY: &str = "0x608060405273ffffffffffffffffffffffffffffffffffffffff600054167fa619486e0000000000000000000000000000000000000000000000000000000060003514156050578060005260206000f35b3660008037600080366000845af43d6000803e60008114156070573d6000fd5b3d6000f3fe";

fn word(value: &str) -> String {
    match value.strip_prefix("0x") {
        Some(hex) => format!("{hex:0>64}"),
        None => format!("{:064x}", value.parse::<u128>().unwrap()),
    }
}

fn number(answer: &Value) -> Option<u128> {
    let hex = answer.as_str()?.strip_prefix("0x")?;
    if hex.len() == 64 { u128::from_str_radix(&hex[32..], 16).ok() } else { None }
}

/// A node with the odd contracts.
struct World {
    anvil: Anvil,
    contracts: Value,
    /// The contracts by their names.
    at: BTreeMap<&'static str, String>,
    /// The accounts that anything was ever done with.
    accounts: BTreeSet<String>,
}

impl World {
    /// Sends a transaction in a block of its own. Returns its hash.
    async fn send(&self, from: &str, to: Option<&str>, data: String, value: u64) -> String {
        let sent = json!([{
            "from": from, "to": to, "data": data, "value": format!("{value:#x}"), "gas": "0x4c4b40",
        }]);
        let hash = self.anvil.call("eth_sendTransaction", sent).await;
        let receipt = self.anvil.receipt(&hash).await;
        assert_eq!(receipt["status"], "0x1", "{receipt}");
        hash.as_str().unwrap().to_owned()
    }

    async fn create(&mut self, name: &'static str, arguments: &[&str]) {
        let code = self.contracts[name]["code"].as_str().unwrap().to_owned();
        let words: String = arguments.iter().map(|it| word(it)).collect();
        let hash = self.send(ALICE, None, code + &words, 0).await;
        let receipt = self.anvil.receipt(&hash.into()).await;
        let address = receipt["contractAddress"].as_str().unwrap().to_owned();
        self.accounts.insert(address.clone());
        self.at.insert(name, address);
    }

    /// Calls a function in a transaction.
    async fn invoke(&self, from: &str, name: &str, function: &str, arguments: &[&str]) -> String {
        self.pay(from, [name, function], arguments, 0).await
    }

    async fn pay(
        &self,
        from: &str,
        [name, function]: [&str; 2],
        arguments: &[&str],
        value: u64,
    ) -> String {
        let hash = keccak256(function);
        let selector = hash[..4].iter().map(|it| format!("{it:02x}"));
        let words = arguments.iter().map(|it| word(it));
        let data = ["0x".to_owned()].into_iter().chain(selector).chain(words).collect();
        self.send(from, Some(&self.at[name]), data, value).await
    }

    /// Returns a balance at a block, as the token reports it.
    async fn balance(&self, token: &str, holder: &str, block: &str) -> Option<u128> {
        let data = format!("0x70a08231{}", word(holder));
        let call = json!([{ "to": token, "data": data }, block]);
        self.anvil.client.call::<Value>("eth_call", call).await.ok().as_ref().and_then(number)
    }

    async fn block_of(&self, hash: &str) -> u64 {
        let receipt = self.anvil.receipt(&hash.into()).await;
        u64::from_str_radix(&receipt["blockNumber"].as_str().unwrap()[2..], 16).unwrap()
    }
}

async fn world() -> (World, u16) {
    let port = free_port();
    let contracts = fs::read_to_string(root().join("tests/nodes/world/Oddities.json")).unwrap();
    let accounts = [ALICE, BOB, CAROL, TREASURY].map(str::to_lowercase);
    let mut world = World {
        anvil: Anvil::start(port).await,
        contracts: serde_json::from_str(&contracts).unwrap(),
        at: BTreeMap::new(),
        accounts: accounts.into(),
    };
    for name in ["Wrapped", "Router", "Fake", "FakePane", "Ambiguous", "Punks", "Looping"] {
        world.create(name, &[]).await;
    }
    world.create("Consecutive", &[BOB, "7"]).await;
    world.create("Old", &[TREASURY, "1000"]).await;
    (world, port)
}

/// Serves the node's chain, once it is read.
async fn serve(port: u16, world: &World) -> Arc<ServerClient> {
    let mut chain = NodeChain::follow(client(port), IndexLimits::default());
    rows_at_head(&mut chain, &world.anvil).await;
    let server = ApiServer::start(Arc::new(chain), ApiServerOptions::default()).await.unwrap();
    Arc::new(ServerClient::new(server))
}

async fn items(server: &Arc<ServerClient>, path: String) -> Vec<Value> {
    let server = Arc::clone(server);
    tokio::task::spawn_blocking(move || server.all_items(&path, "")).await.unwrap()
}

async fn object(server: &Arc<ServerClient>, path: String) -> Value {
    let server = Arc::clone(server);
    tokio::task::spawn_blocking(move || server.json(&path)).await.unwrap()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value}")).to_lowercase()
}

/// Everything that happens to the tokens. Returns the transactions.
async fn play(world: &World) -> Vec<String> {
    let (router, weth) = (world.at["Router"].clone(), world.at["Wrapped"].clone());
    let wrap_and_send = ["Router", "wrapAndSend(address,address)"];
    let mut sent = vec![
        world.pay(ALICE, ["Wrapped", "deposit()"], &[], 500).await,
        world.invoke(ALICE, "Wrapped", "withdraw(uint256)", &["100"]).await,
        world.invoke(ALICE, "Wrapped", "transfer(address,uint256)", &[BOB, "50"]).await,
        world.pay(ALICE, wrap_and_send, &[&weth, CAROL], 30).await,
        world.invoke(ALICE, "Old", "issue(address,uint256)", &[CAROL, "77"]).await,
        world.invoke(ALICE, "Old", "transfer(address,uint256)", &[BOB, "10"]).await,
        world
            .invoke(BOB, "Consecutive", "transferFrom(address,address,uint256)", &[BOB, CAROL, "3"])
            .await,
        world.invoke(ALICE, "FakePane", "pretend(address,uint256)", &[BOB, "9"]).await,
        world.invoke(ALICE, "Ambiguous", "pretend(address,uint256)", &[BOB, "9"]).await,
    ];
    for (token, function) in [("Fake", "mint"), ("Ambiguous", "mint"), ("Looping", "mint")] {
        let function = format!("{function}(address,uint256)");
        sent.push(world.invoke(ALICE, token, &function, &[BOB, "600"]).await);
    }
    let pretend = "pretend(address,address,uint256)";
    sent.push(world.invoke(ALICE, "Fake", pretend, &[BOB, CAROL, "400"]).await);
    for (owner, punk) in [(BOB, "1"), (CAROL, "2"), (CAROL, "3")] {
        let assign = "setInitialOwner(address,uint256)";
        sent.push(world.invoke(ALICE, "Punks", assign, &[owner, punk]).await);
    }
    sent.push(world.invoke(CAROL, "Punks", "transferPunk(address,uint256)", &[ALICE, "2"]).await);
    assert!(world.accounts.contains(&router));
    sent
}

async fn check_holders(world: &World, server: &Arc<ServerClient>) {
    let expected_counts =
        [("Wrapped", 3), ("Fake", 1), ("Ambiguous", 1), ("Punks", 3), ("Looping", 1)];
    let expected_counts = expected_counts.into_iter().chain([("Consecutive", 2), ("Old", 4)]);
    let listed = items(server, "/api/v2/tokens".into()).await;
    for (name, count) in expected_counts {
        let token = &world.at[name];
        let mut expected = BTreeMap::new();
        for account in &world.accounts {
            let balance = world.balance(token, account, "latest").await.unwrap();
            if balance > 0 {
                expected.insert(account.clone(), balance.to_string());
            }
        }
        assert_eq!(expected.len(), count, "{name}");
        let rows = items(server, format!("/api/v2/tokens/{token}/holders")).await;
        let holders: BTreeMap<String, String> =
            rows.iter().map(|it| (text(&it["address"]["hash"]), text(&it["value"]))).collect();
        assert_eq!((rows.len(), &holders), (expected.len(), &expected), "{name}");
        let count = count.to_string();
        let alone = object(server, format!("/api/v2/tokens/{token}")).await;
        let counters = object(server, format!("/api/v2/tokens/{token}/counters")).await;
        let in_list = listed.iter().find(|it| text(&it["address_hash"]) == *token).unwrap();
        assert_eq!(alone["holders_count"], count, "{name}");
        assert_eq!(in_list["holders_count"], count, "{name}");
        assert_eq!(counters["token_holders_count"].to_string().trim_matches('"'), count, "{name}");
        for (account, balance) in &expected {
            let path = format!("/api/v2/addresses/{account}/tokens");
            let balances = items(server, path).await;
            let row = balances.iter().find(|it| text(&it["token"]["address_hash"]) == *token);
            assert_eq!(row.unwrap()["value"], *balance, "{name} {account}");
        }
    }
}

/// Compares changed slots with the node's, before and after.
async fn check_storage(world: &World, rows: &[Value], blocks: [&str; 2]) {
    for row in rows {
        for (word, block) in ["word_before", "word_after"].into_iter().zip(blocks) {
            let place = json!([row["address"]["hash"], row["slot"], block]);
            assert_eq!(row[word], world.anvil.call("eth_getStorageAt", place).await, "{row}");
        }
    }
}

async fn check_state_changes(world: &World, server: &Arc<ServerClient>, sent: &[String]) {
    let mut denied = Vec::new();
    for hash in sent {
        let block = world.block_of(hash).await;
        let [before, after] = [block - 1, block].map(|block| format!("{block:#x}"));
        let mut rows = items(server, format!("/api/v2/transactions/{hash}/state-changes")).await;
        let slots: Vec<Value> = rows.extract_if(.., |row| row["type"] == "storage").collect();
        check_storage(world, &slots, [&before, &after]).await;
        for row in rows {
            let holder = text(&row["address"]["hash"]);
            let ours = [&row["balance_before"], &row["balance_after"]]
                .map(|it| it.as_str().map(|it| it.parse::<u128>().unwrap()));
            if row["type"] == "coin" {
                for (ours, block) in ours.into_iter().zip([&before, &after]) {
                    let theirs = world.anvil.call("eth_getBalance", json!([holder, block])).await;
                    let theirs = u128::from_str_radix(&theirs.as_str().unwrap()[2..], 16).unwrap();
                    assert_eq!(ours, Some(theirs), "{row}");
                }
                continue;
            }
            let token = text(&row["token"]["address_hash"]);
            if holder == ZERO || token == world.at["FakePane"] {
                assert_eq!(ours, [None, None], "{row}");
                continue;
            }
            let theirs = [
                world.balance(&token, &holder, &before).await,
                world.balance(&token, &holder, &after).await,
            ];
            assert_eq!(ours, theirs, "{row}");
            let change: i128 = match row["change"].as_str() {
                Some(change) => change.parse().unwrap(),
                None => row["change"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|it| if it["direction"] == "to" { 1 } else { -1 })
                    .sum(),
            };
            let [before, after] = theirs.map(|it| i128::try_from(it.unwrap()).unwrap());
            if after - before != change {
                denied.push((token, change));
            }
        }
    }
    let [fake, ambiguous] = ["Fake", "Ambiguous"].map(|name| world.at[name].clone());
    denied.sort_unstable();
    let mut expected = [(ambiguous, 1), (fake.clone(), -400), (fake, 400)];
    expected.sort_unstable();
    assert_eq!(denied, expected);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs anvil: see the top of this file"]
async fn holders_and_changes_are_those_that_tokens_report() {
    let (world, port) = world().await;
    let sent = play(&world).await;
    let server = serve(port, &world).await;
    check_holders(&world, &server).await;
    check_state_changes(&world, &server, &sent).await;

    // The router kept nothing of what it wrapped.
    let transfers =
        items(&server, format!("/api/v2/transactions/{}/token-transfers", sent[3])).await;
    let kinds: Vec<String> = transfers.iter().map(|it| text(&it["type"])).collect();
    assert_eq!(kinds, ["token_minting", "token_transfer"]);
    let changes = items(&server, format!("/api/v2/transactions/{}/state-changes", sent[3])).await;
    let router = world.at["Router"].clone();
    let of_router = changes.iter().filter(|it| text(&it["address"]["hash"]) == router);
    assert_eq!(of_router.count(), 0, "{changes:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs anvil: see the top of this file"]
async fn tokens_are_what_their_functions_say() {
    let (mut world, port) = world().await;
    play(&world).await;
    world.create("Beacon", &[&world.at["Fake"].clone()]).await;
    world.create("BeaconProxy", &[&world.at["Beacon"].clone()]).await;
    let safe = format!("0x{:040x}", 0x5afe);
    world.anvil.call("anvil_setCode", json!([safe, SAFE_PROXY])).await;
    let slot = [&safe[..], "0x0", &format!("0x{}", word(&world.at["Router"]))].map(str::to_owned);
    world.anvil.call("anvil_setStorageAt", json!(slot)).await;
    let started = Instant::now();
    let server = serve(port, &world).await;

    let token =
        async |name: &str| object(&server, format!("/api/v2/tokens/{}", world.at[name])).await;
    assert_eq!(token("Ambiguous").await["type"], "ERC-20");
    assert_eq!(token("Consecutive").await["type"], "ERC-721");
    let looping = token("Looping").await;
    assert_eq!((&looping["decimals"], &looping["name"]), (&Value::Null, &Value::Null));
    assert_eq!(looping["symbol"], "LOOP");

    // Of a fake NFT nothing is known, not nothing.
    let bobs = items(&server, format!("/api/v2/addresses/{BOB}/tokens")).await;
    let fake = bobs.iter().find(|it| text(&it["token"]["address_hash"]) == world.at["FakePane"]);
    assert_eq!(fake.unwrap()["value"], Value::Null);
    let collections = items(&server, format!("/api/v2/addresses/{BOB}/nft/collections")).await;
    let amount = |name: &str| {
        let is_of = |it: &&Value| text(&it["token"]["address_hash"]) == world.at[name];
        collections.iter().find(is_of).unwrap()["amount"].clone()
    };
    assert_eq!((amount("FakePane"), amount("Consecutive")), (Value::Null, json!("6")));

    // Each id that one event minted.
    let consecutive = &world.at["Consecutive"];
    let instances = items(&server, format!("/api/v2/tokens/{consecutive}/instances")).await;
    let owners: Vec<_> = instances.iter().rev().map(|it| text(&it["owner"]["hash"])).collect();
    assert_eq!(owners, [BOB, BOB, BOB, CAROL, BOB, BOB, BOB]);
    let minted = items(&server, format!("/api/v2/tokens/{consecutive}/transfers")).await;
    assert_eq!(minted.iter().filter(|it| it["type"] == "token_minting").count(), 7);

    for (address, kind, behind) in
        [(&world.at["BeaconProxy"], "eip1967_beacon", "Fake"), (&safe, "master_copy", "Router")]
    {
        let account = object(&server, format!("/api/v2/addresses/{address}")).await;
        assert_eq!(account["proxy_type"], kind);
        let implementation = text(&account["implementations"][0]["address_hash"]);
        assert_eq!(implementation, world.at[behind], "{account}");
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}
