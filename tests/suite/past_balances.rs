//! Token balances after a block, where Multicall3 was there then and where it was not: never a zero that no
//! contract answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use alloy_primitives::U256;
use chainglass::test_api::api::{AddressQuery, Page, Query, TokenBalance};
use chainglass::test_api::app_message::Priority;
use chainglass::test_api::chain::{Chains, CustomChain, Network};
use chainglass::test_api::net::Provider;
use serde_json::{Value, json};

use crate::approvals::{MULTICALL, address, respond_to_multicall};
use crate::fake_server::{Behavior, Request, fake_server, json as respond};
use crate::scripted_node::{node_with, recorded_answer};
use crate::session::ALICE;

/// The block that Multicall3 was deployed in, on the chain of these tests.
const DEPLOYED: u64 = 1_000;

/// Three tokens that the address has 7 of now.
fn holdings() -> String {
    let token = |n: u8| {
        json!({
            "token": { "address_hash": address(n), "name": "Gold", "symbol": "GLD", "decimals": "0",
                "type": "ERC-20" },
            "token_id": null, "value": "7",
        })
    };
    json!({ "items": [token(1), token(2), token(3)], "next_page_params": null }).to_string()
}

/// Answers a call of a token after a block: token 1 says 5, token 2 did not exist, token 3 fails.
fn token_answer(call: &Value) -> Value {
    match &*call["to"].as_str().unwrap().to_lowercase() {
        to if to == address(1) => json!({ "id": 1, "result": format!("0x{:064x}", 5) }),
        to if to == address(2) => json!({ "id": 1, "result": "0x" }),
        _ => json!({ "id": 1, "error": { "code": 3, "message": "execution reverted" } }),
    }
}

fn calls_multicall(request: &Value) -> bool {
    request["params"][0]["to"].as_str().is_some_and(|to| to.eq_ignore_ascii_case(MULTICALL))
}

/// Answers as an explorer that keeps the state of all blocks.
fn explorer(request: &Request) -> Behavior {
    if request.path().ends_with("/tokens") {
        return respond(200, holdings());
    }
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return respond(404, r#"{"message":"Not found"}"#);
    };
    let block = body["params"][1].as_str().unwrap().trim_start_matches("0x");
    let block = u64::from_str_radix(block, 16).unwrap();
    match calls_multicall(&body) {
        true if block >= DEPLOYED => respond_to_multicall(request, &token_answer),
        // There is no code to call.
        true => respond(200, json!({ "id": 1, "result": "0x" }).to_string()),
        false => respond(200, token_answer(&body["params"][0]).to_string()),
    }
}

/// The balance that a row has after the block, or the words in its place.
fn balance(row: &TokenBalance) -> Result<U256, String> {
    match row.balance_at_block.value() {
        Some(words) => Ok(words.first()),
        None => Err(format!("{:?}", row.balance_at_block)),
    }
}

async fn balances(network: &Network, block: u64) -> Vec<Result<U256, String>> {
    let query = AddressQuery::PastTokens { types: Vec::new(), block };
    let query = Query::Address(ALICE.parse().unwrap(), query);
    let reply = Provider::new(network).fetch(&query, None, Priority::Interactive).await.unwrap();
    let page: Page<TokenBalance> = reply.page().unwrap();
    page.parsed().map(balance).collect()
}

fn assert_unknown(balance: &Result<U256, String>, why: &str) {
    assert!(balance.as_ref().is_err_and(|text| text.contains(why)), "{balance:?}, not {why}");
}

#[tokio::test]
async fn balances_are_the_answers_of_multicall3_or_unknown() {
    let server = fake_server(|request, _| explorer(request));
    let network = Chains::default().network_at(&server.base());
    let [known, absent, failed] = &balances(&network, DEPLOYED).await[..] else { panic!() };
    assert_eq!(known, &Ok(U256::from(5)));
    assert_unknown(absent, "there may have been no contract");
    assert_unknown(failed, "the call");
    let calls = server.requests().iter().filter(|request| !request.body.is_empty()).count();
    assert_eq!(calls, 1, "all in one");
}

#[tokio::test]
async fn balances_before_multicall3_are_unknown_on_an_explorer() {
    let server = fake_server(|request, _| explorer(request));
    let network = Chains::default().network_at(&server.base());
    let found = balances(&network, DEPLOYED - 1).await;
    assert_eq!(found.len(), 3);
    for balance in &found {
        assert_unknown(balance, "Multicall3");
    }
    let calls = server.requests().iter().filter(|request| !request.body.is_empty()).count();
    assert_eq!(calls, 1, "a public explorer is not asked for each");
}

#[tokio::test]
async fn answer_of_another_contract_at_multicall3_is_no_balance() {
    for odd in ["0x01".to_owned(), format!("0x{:064x}", 0), format!("0x{:0256x}", 0)] {
        let server = fake_server(move |request, _| {
            let body = serde_json::from_slice::<Value>(&request.body);
            if body.is_ok_and(|body| calls_multicall(&body)) {
                return respond(200, json!({ "id": 1, "result": odd }).to_string());
            }
            explorer(request)
        });
        let network = Chains::default().network_at(&server.base());
        let found = balances(&network, DEPLOYED).await;
        assert!(found.len() == 3 && found.iter().all(Result::is_err), "{found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn node_without_multicall3_is_asked_for_each_token() {
    let (past, calls) = ("0x3", Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&calls);
    let node = node_with(move |method, params| {
        if method != "eth_call" || params[1] != past {
            return recorded_answer("anvil", method, params);
        }
        let call = &params[0];
        if call["to"].as_str().unwrap().eq_ignore_ascii_case(MULTICALL) {
            return json!({ "result": "0x" });
        }
        match counted.fetch_add(1, Ordering::Relaxed) {
            0 => json!({ "result": format!("0x{:064x}", 5) }),
            1 => json!({ "result": "0x" }),
            2 => json!({ "error": { "code": 3, "message": "execution reverted", "data": "0x" } }),
            3 => json!({ "error": { "code": -32000, "message": "missing trie node" } }),
            _ => json!({ "result": null }),
        }
    });
    let rpc = Some(node.base().to_string());
    let own = CustomChain { key: "mine".into(), rpc, ..CustomChain::default() };
    let network = Chains::new(vec![own], false).unwrap().resolve("mine").unwrap();
    let found = balances(&network, 3).await;
    assert!(found.len() > 1, "{found:?}");
    assert_eq!(calls.load(Ordering::Relaxed), found.len(), "each once");
    let known: Vec<U256> = found.iter().flatten().copied().collect();
    assert_eq!(known, [U256::from(5)], "the others are unknown: {found:?}");
}
