//! Approvals of an address, by an emulated explorer that is as strict as Blockscout, and by the demo chain.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering};

use alloy_dyn_abi::{DynSolType, DynSolValue};
use alloy_primitives::{U256, hex, keccak256};
use chainglass::test_api::api::{AddressQuery, Approval, Next, Page, Query, Reply};
use chainglass::test_api::app_message::Priority;
use chainglass::test_api::chain::{Address, Chains, Network};
use chainglass::test_api::columns::{RowContext, csv_row};
use chainglass::test_api::net::Provider;
use serde_json::{Value, json};

use crate::demo_server_client::demo_server;
use crate::fake_server::{Behavior, FakeServer, Request, fake_server, json as respond};
use crate::session::{ALICE, Session, size};

const OWNER: &str = "000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const PERMIT2: &str = "0x000000000022d473030f116ddee9f6b43ac78ba3";
pub(crate) const MULTICALL: &str = "0xca11bde05977b3631167028862be2a173976ca11";
const MAX: &str = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";

/// A token or an account with this digit, as an address and as a word.
pub(crate) fn address(digit: u8) -> String {
    format!("0x{}", digit.to_string().repeat(40))
}

fn word(digit: u8) -> String {
    format!("0x{:0>64}", digit.to_string().repeat(40))
}

fn number(value: u64) -> String {
    format!("{value:064x}")
}

/// A log as an explorer renders it: without a time.
fn log(block: u64, contract: &str, topics: &[String], data: &str) -> Value {
    json!({
        "address": contract, "topics": topics, "data": format!("0x{data}"),
        "blockNumber": format!("{block:#x}"), "logIndex": "0x0", "removed": false,
        "transactionHash": format!("0x{block:064x}"), "transactionIndex": "0x0",
    })
}

fn owner() -> String {
    format!("0x{OWNER}")
}

fn topic(signature: &str) -> String {
    keccak256(signature).to_string()
}

const APPROVAL: &str = "Approval(address,address,uint256)";

/// Two approvals of token 1 for spender 7, one of token 2 that is revoked, all NFTs of 3, an NFT of 3 that
/// is kept and one that is sold, and allowances of Permit2: for token 1, an expired one, and a locked one.
fn history() -> Vec<Value> {
    let [approval, all, permit, lockdown] = [
        APPROVAL,
        "ApprovalForAll(address,address,bool)",
        "Permit(address,address,address,uint160,uint48,uint48)",
        "Lockdown(address,address,address)",
    ]
    .map(topic);
    let permit2 = |block, token, spender, amount, until: u64| {
        let data = number(amount) + &number(until) + &number(0);
        log(block, PERMIT2, &[permit.clone(), owner(), word(token), word(spender)], &data)
    };
    let item = |block, id| {
        let topics = [approval.clone(), owner(), word(7), format!("0x{}", number(id))];
        log(block, &address(3), &topics, "")
    };
    vec![
        log(1, &address(1), &[approval.clone(), owner(), word(7)], &number(5)),
        log(2, &address(2), &[approval.clone(), owner(), word(7)], &number(5)),
        log(3, &address(1), &[approval.clone(), owner(), word(7)], MAX),
        log(4, &address(2), &[approval.clone(), owner(), word(7)], &number(0)),
        log(5, &address(3), &[all, owner(), word(8)], &number(1)),
        item(6, 10),
        item(7, 11),
        permit2(8, 1, 9, 1_000, 0xffff_ffff_ffff),
        permit2(9, 2, 9, 1_000, 5),
        permit2(10, 2, 8, 1_000, 0xffff_ffff_ffff),
        log(11, PERMIT2, &[lockdown, owner()], &[&word(2)[2..], &word(8)[2..]].concat()),
    ]
}

/// Answers `eth_getLogs` as Blockscout does: by default of the newest block, the oldest logs first, at
/// most 1,000, and positions in hex digits without `0x`.
fn get_logs(filter: &Value, logs: &[Value]) -> Value {
    if filter["fromBlock"] != "0x0" || filter["toBlock"] != "latest" {
        return json!({ "id": 1, "result": [] });
    }
    let hex = |value: &Value| u64::from_str_radix(value.as_str()?, 16).ok();
    let after = match &filter["paging_options"] {
        Value::Null => None,
        paging => match (hex(&paging["blockNumber"]), hex(&paging["logIndex"])) {
            (Some(block), Some(index)) => Some((block, index)),
            _ => return json!({ "id": 1, "error": "invalid block number" }),
        },
    };
    let quantity = |value: &Value| u64::from_str_radix(&value.as_str().unwrap()[2..], 16).unwrap();
    let position = |log: &&Value| (quantity(&log["blockNumber"]), quantity(&log["logIndex"]));
    let asked = filter["topics"].as_array().unwrap();
    let matches = |log: &&Value| {
        let has = |(at, any): (usize, &Value)| any.as_array().unwrap().contains(&log["topics"][at]);
        asked.iter().enumerate().all(has)
    };
    let found = logs.iter().filter(matches).filter(|log| after.is_none_or(|at| position(log) > at));
    json!({ "id": 1, "result": found.take(1_000).collect::<Vec<_>>() })
}

/// Answers `module=logs` as Blockscout does: with the times of the logs, at most 1,000.
fn timed_logs(query: &[(String, String)], logs: &[Value]) -> Value {
    let param = |name: &str| {
        query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap()
    };
    assert_eq!(
        (param("module"), param("action"), param("topic0_1_opr")),
        ("logs", "getLogs", "and")
    );
    let [from, to] = ["fromBlock", "toBlock"].map(|name| param(name).parse::<u64>().unwrap());
    let block = |log: &Value| u64::from_str_radix(&log["blockNumber"].as_str().unwrap()[2..], 16);
    let matches = |log: &&Value| {
        (from..=to).contains(&block(log).unwrap())
            && log["topics"][0] == param("topic0")
            && log["topics"][1] == param("topic1")
    };
    let found = logs.iter().filter(matches).take(1_000).map(|log| {
        let mut log = log.clone();
        log["timeStamp"] = format!("{:#x}", 1_714_521_600 + block(&log).unwrap()).into();
        log
    });
    json!({ "message": "OK", "result": found.collect::<Vec<_>>(), "status": "1" })
}

/// Answers a call of a view function.
fn eth_call(call: &Value) -> Value {
    let (to, data) = (call["to"].as_str().unwrap().to_lowercase(), call["data"].as_str().unwrap());
    let (selector, arguments) = data.split_at(10);
    let result = |words: &[String]| json!({ "id": 1, "result": format!("0x{}", words.concat()) });
    let is = |signature: &str| *selector == keccak256(signature).to_string()[..10];
    let permit2 = &PERMIT2[2..];
    if to == MULTICALL {
        result(&[]) // no contract is there
    } else if is("allowance(address,address,address)") && to == PERMIT2 {
        let until = if arguments.contains(&word(2)[2..]) { 5 } else { 0xffff_ffff_ffff };
        result(&[number(1_000), number(until), number(0)])
    } else if is("allowance(address,address)") && arguments.ends_with(permit2) {
        result(&[number(600)])
    } else if is("allowance(address,address)") && to == address(1) {
        result(&[MAX.to_owned()])
    } else if is("balanceOf(address)") {
        result(&[number(2_500)])
    } else if is("isApprovedForAll(address,address)") {
        result(&[number(1)])
    } else if is("getApproved(uint256)") {
        result(&[word(7)[2..].to_owned()])
    } else if is("ownerOf(uint256)") {
        let is_sold = arguments == number(11);
        result(&[if is_sold { word(8)[2..].to_owned() } else { OWNER.to_owned() }])
    } else if is("name()") || is("symbol()") {
        result(&[number(32), number(3), format!("{:0<64}", hex::encode("USD"))])
    } else if is("decimals()") {
        result(&[number(2)])
    } else {
        json!({ "id": 1, "error": { "code": 3, "message": "\u{1b}[31mreverted" } })
    }
}

fn explorer(logs: Vec<Value>) -> FakeServer {
    fake_server(move |request, _| respond_as_explorer(request, &logs))
}

fn respond_as_explorer(request: &Request, logs: &[Value]) -> Behavior {
    let path = request.path();
    if path == "/api/eth-rpc" {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let answer = match body["method"].as_str() {
            Some("eth_getLogs") => get_logs(&body["params"][0], logs),
            Some("eth_call") => eth_call(&body["params"][0]),
            _ => json!({ "id": 1, "error": "Action not found." }),
        };
        return respond(200, answer.to_string());
    }
    if path == "/api" {
        return respond(200, timed_logs(&request.query(), logs).to_string());
    }
    let (_, end) = path.rsplit_once('/').unwrap();
    let found = match path.rsplit('/').nth(1) {
        Some("tokens") => json!({
            "address_hash": end, "symbol": "USD", "name": "Dollar", "type": "ERC-20",
            "decimals": "2", "exchange_rate": "1.5",
        }),
        Some("addresses") => json!({ "hash": end, "is_contract": true, "is_verified": false }),
        Some("blocks") => json!({
            "height": end.parse::<u64>().unwrap(), "timestamp": "2024-05-01T00:00:00Z",
        }),
        _ => return respond(404, r#"{"message":"Not found"}"#),
    };
    respond(200, found.to_string())
}

/// Answers as an explorer whose chain has Multicall3, in which calls of token 1 use up all gas.
fn respond_with_multicall(request: &Request, logs: &[Value]) -> Behavior {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let call = &body["params"][0];
    if body["method"] != "eth_call" || call["to"].as_str().unwrap().to_lowercase() != MULTICALL {
        return respond_as_explorer(request, logs);
    }
    respond_to_multicall(request, &|call| {
        let fails = call["to"] == address(1);
        if fails { Value::Null } else { eth_call(call) }
    })
}

/// Answers a call of Multicall3, in which each call is answered so.
pub(crate) fn respond_to_multicall(
    request: &Request,
    answer: &dyn Fn(&Value) -> Value,
) -> Behavior {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let call = &body["params"][0];
    let data = hex::decode(call["data"].as_str().unwrap()).unwrap();
    assert_eq!(data[..4], keccak256("aggregate3((address,bool,bytes)[])")[..4]);
    let calls = DynSolType::parse("((address,bool,bytes)[])").unwrap();
    let calls = calls.abi_decode_params(&data[4..]).unwrap();
    let calls = calls.as_tuple().unwrap()[0].as_array().unwrap().to_vec();
    let results = calls.into_iter().map(|call| {
        let [to, may_fail, data] = call.as_tuple().unwrap() else { panic!("{call:?}") };
        assert_eq!(may_fail.as_bool(), Some(true));
        let to = to.as_address().unwrap().to_string().to_lowercase();
        let data = hex::encode_prefixed(data.as_bytes().unwrap());
        let answer = answer(&json!({ "to": to, "data": data }));
        let returned = answer["result"].as_str();
        let data = hex::decode(returned.unwrap_or_default()).unwrap();
        DynSolValue::Tuple(vec![returned.is_some().into(), DynSolValue::Bytes(data)])
    });
    let results = DynSolValue::Tuple(vec![DynSolValue::Array(results.collect())]);
    let answer = json!({ "id": 1, "result": hex::encode_prefixed(results.abi_encode_params()) });
    respond(200, answer.to_string())
}

fn provider(server: &FakeServer) -> (Provider, Network) {
    let network = Chains::default().network_at(&server.base());
    (Provider::new(&network), network)
}

fn query(is_history: bool) -> Query {
    Query::Address(ALICE.parse().unwrap(), AddressQuery::Approvals { is_history })
}

async fn fetch(provider: &Provider, is_history: bool) -> Reply {
    provider.fetch(&query(is_history), None, Priority::Interactive).await.unwrap()
}

/// The columns of the rows in CSV from what was approved on.
fn rows(reply: &Reply) -> Vec<String> {
    let page: Page<Approval> = reply.page().unwrap();
    let plain = |row| csv_row(row, &RowContext::blank()).replace('"', "");
    let amounts =
        |row: String| row.splitn(10, ',').last().unwrap().trim_end_matches(',').to_owned();
    page.parsed().map(|row| amounts(plain(row))).collect()
}

#[tokio::test]
async fn last_event_of_each_permission_is_listed_with_what_is_allowed_now() {
    let server = explorer(history());
    let (provider, _) = provider(&server);
    let reply = fetch(&provider, false).await;
    assert_eq!(
        rows(&reply),
        [
            "1000,0,1970-01-01T00:00:05Z,2500,2,0.00", // expired
            "1000,1000,,2500,2,9.00",                  // only 600 through Permit2
            "#11,0,,,2,0.00",                          // sold
            "#10,#10,,,2,?",
            "all,all,,,2,?",
            &format!("{max},{max},,2500,2,37.50", max = U256::MAX),
        ]
    );
    assert_eq!(reply.next(), Some(&Next::End));
}

#[tokio::test]
async fn printed_approvals_of_unknown_risk_stand_before_those_of_none() {
    let server = explorer(history());
    let (provider, _) = provider(&server);
    let page: Page<Approval> = fetch(&provider, false).await.page().unwrap();
    let mut rows: Vec<&Approval> = page.parsed().collect();
    rows.sort_by_key(|row| Reverse(row.risk_rank()));
    let lines = rows.into_iter().map(|row| csv_row(row, &RowContext::blank()));
    let risks = lines.map(|line| line.rsplit(',').nth(1).unwrap().replace('"', ""));
    assert_eq!(risks.collect::<Vec<_>>(), ["37.50", "9.00", "?", "?", "0.00", "0.00"]);
}

#[tokio::test]
async fn calls_of_a_page_are_one_request_where_multicall3_is() {
    let logs = history();
    let server = fake_server(move |request, _| respond_with_multicall(request, &logs));
    let (first, _) = provider(&server);
    let together = fetch(&first, false).await;
    let calls = |server: &FakeServer| {
        let calls = server.requests().into_iter().filter(|request| asks(request, "eth_call"));
        calls.map(|call| String::from_utf8_lossy(&call.body).to_lowercase()).collect::<Vec<_>>()
    };
    let (own, of_multicall): (Vec<String>, Vec<String>) =
        calls(&server).into_iter().partition(|call| !call.contains(MULTICALL));
    assert_eq!(of_multicall.len(), 1);
    assert_eq!(own.len(), 3);
    assert!(own.iter().all(|call| call.contains(&address(1))), "the failed ones alone: {own:?}");
    let without = explorer(history());
    let (second, _) = provider(&without);
    assert_eq!(rows(&together), rows(&fetch(&second, false).await));
    let before = calls(&without).len();
    fetch(&second, false).await;
    assert_eq!(calls(&without).len(), before * 2 - 1, "a chain without it is asked once");
}

/// Counts the requests of a page of ten approvals, of ten tokens for ten spenders in ten blocks, with the
/// balance that the owner has of each.
async fn requests_of_ten_rows(balance: u64) -> Vec<String> {
    let event = |n: u64| {
        let topics = [topic(APPROVAL), owner(), format!("0x{:064x}", 0x700 + n)];
        log(n + 1, &format!("0x{:040x}", 0x100 + n), &topics, MAX)
    };
    let logs: Vec<Value> = (0..10).map(event).collect();
    let server = fake_server(move |request, _| {
        if asks(request, "eth_call") {
            return respond_to_multicall(request, &|call| {
                let data = call["data"].as_str().unwrap();
                match &data[..10] {
                    "0x70a08231" => {
                        json!({ "id": 1, "result": format!("0x{}", number(balance)) })
                    }
                    "0xdd62ed3e" => json!({ "id": 1, "result": format!("0x{MAX}") }),
                    _ => eth_call(call),
                }
            });
        }
        respond_as_explorer(request, &logs)
    });
    let (provider, _) = provider(&server);
    let reply = fetch(&provider, false).await;
    let page: Page<Approval> = reply.page().unwrap();
    assert_eq!(page.parsed().count(), 10);
    let times: Vec<_> =
        page.parsed().map(|row| row.timestamp.value().unwrap().as_second()).collect();
    assert_eq!(times, (1_714_521_601..=1_714_521_610).rev().collect::<Vec<_>>());
    let symbols =
        page.parsed().map(|row| row.token.value().unwrap().symbol.value().unwrap().clone());
    assert!(symbols.into_iter().all(|symbol| *symbol == *"USD"));
    server.requests().iter().map(|request| request.path().to_owned()).collect()
}

#[tokio::test]
async fn page_of_approvals_costs_few_requests() {
    let requests = requests_of_ten_rows(0).await;
    let of = |part: &str| requests.iter().filter(|path| path.contains(part)).count();
    assert_eq!((of("/eth-rpc"), of("/addresses/"), of("/tokens/"), of("/blocks/")), (2, 10, 0, 0));
    assert_eq!(requests.len(), 13, "and one for the times: {requests:?}");
    // The price of what is at risk is known to the explorer only.
    let requests = requests_of_ten_rows(5).await;
    assert_eq!(requests.iter().filter(|path| path.contains("/tokens/")).count(), 10);
}

#[tokio::test]
async fn failed_multicall_is_tried_again_for_the_next_page() {
    let (logs, has_failed) = (history(), AtomicBool::new(false));
    let server = fake_server(move |request, _| {
        let is_multicall =
            String::from_utf8_lossy(&request.body).to_lowercase().contains(MULTICALL);
        if is_multicall && !has_failed.swap(true, Ordering::Relaxed) {
            let error = json!({ "id": 1, "error": { "code": -32000, "message": "out of gas" } });
            return respond(200, error.to_string());
        }
        respond_with_multicall(request, &logs)
    });
    let (provider, _) = provider(&server);
    let alone = fetch(&provider, false).await;
    let before = server.requests().iter().filter(|request| asks(request, "eth_call")).count();
    assert_eq!(rows(&alone), rows(&fetch(&provider, false).await));
    let calls = server.requests().iter().filter(|request| asks(request, "eth_call")).count();
    assert_eq!(calls - before, 4, "Multicall3, and its failed calls alone");
}

#[tokio::test]
async fn history_has_all_events_and_asks_for_no_allowance() {
    let server = explorer(history());
    let (provider, _) = provider(&server);
    let reply = fetch(&provider, true).await;
    let page: Page<Approval> = reply.page().unwrap();
    let blocks: Vec<u64> = page.parsed().map(|row| row.position.block_number).collect();
    assert_eq!(blocks, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    let calls: Vec<_> =
        server.requests().into_iter().filter(|request| asks(request, "eth_call")).collect();
    let names = |call: &Request| asks(call, "95d89b41") && !asks(call, "dd62ed3e");
    assert!(calls.len() == 1 && names(&calls[0]), "the names of tokens, together: {calls:?}");
}

fn asks(request: &Request, method: &str) -> bool {
    String::from_utf8_lossy(&request.body).contains(method)
}

#[tokio::test]
async fn answers_with_a_thousand_logs_are_continued() {
    let approval = topic(APPROVAL);
    let spender = |n: u64| format!("0x{:064x}", n + 1);
    let event = |n: u64| {
        let topics = [approval.clone(), owner(), spender(n % 15)];
        log(n + 1, &address(1), &topics, &number(n + 1))
    };
    let server = explorer((0..2_010).map(event).collect());
    let (provider, _) = provider(&server);
    let first = fetch(&provider, false).await;
    let Some(Next::Page(cursor)) = first.next() else { panic!("{:?}", first.next()) };
    let next = provider.fetch(&query(false), Some(cursor), Priority::Interactive).await.unwrap();
    let listed: Vec<u64> = [&first, &next]
        .into_iter()
        .flat_map(|reply| reply.page::<Approval>().unwrap().parsed().map(block).collect::<Vec<_>>())
        .collect();
    assert_eq!(listed, (1_996..=2_010).rev().collect::<Vec<u64>>());
    assert_eq!(next.next(), Some(&Next::End));
    let lists = server.requests().iter().filter(|request| asks(request, "eth_getLogs")).count();
    assert_eq!(lists, 3, "the second page is of the same logs");
}

fn block(row: &Approval) -> u64 {
    row.position.block_number
}

#[tokio::test]
async fn server_without_logs_costs_one_line() {
    for (status, body, shown) in [
        (200, r#"{"id":1,"error":"Action not found."}"#, "(Action not found.)"),
        (404, r#"{"message":"Not found"}"#, "(Not found)"),
    ] {
        let server = fake_server(move |request, _| match request.path() {
            "/api/eth-rpc" => respond(status, body),
            _ => respond(404, r#"{"message":"Not found"}"#),
        });
        let (provider, network) = provider(&server);
        let mut session = Session::at(provider, network, size(120, 30), ALICE).await;
        session.keys("9").await;
        let screen = session.screen();
        let line = format!("✗ approvals unknown: eth_getLogs failed {shown}");
        assert!(screen.contains(&line), "{screen}");
        let asked = server.requests().iter().filter(|request| asks(request, "eth_getLogs")).count();
        assert_eq!(asked, 1);
    }
}

#[tokio::test]
async fn logs_of_another_owner_are_refused() {
    let stranger = [topic(APPROVAL), word(5), word(7)];
    let logs = json!({ "id": 1, "result": [log(1, &address(1), &stranger, MAX)] }).to_string();
    let server = fake_server(move |request, _| match request.path() {
        "/api/eth-rpc" => respond(200, logs.clone()),
        _ => respond(404, r#"{"message":"Not found"}"#),
    });
    let (provider, _) = provider(&server);
    let error = provider.fetch(&query(false), None, Priority::Interactive).await.unwrap_err();
    assert!(error.to_string().contains("approvals of other owners"), "{error}");
}

#[tokio::test]
async fn unanswered_questions_are_unknown() {
    let hostile = "\u{1b}]0;x\u{7}\u{202e}";
    let logs = history();
    let server = fake_server(move |request, _| match request.path() {
        "/api/eth-rpc" if asks(request, "eth_getLogs") => respond_as_explorer(request, &logs),
        "/api/eth-rpc" => respond(200, json!({ "id": 1, "error": hostile }).to_string()),
        path if path.contains("/tokens/") => {
            respond(200, json!({ "symbol": hostile, "name": 5, "decimals": "x" }).to_string())
        }
        _ => respond(500, "{}"),
    });
    let (provider, network) = provider(&server);
    let mut session = Session::at(provider, network, size(160, 30), ALICE).await;
    session.keys("9 I").await;
    let screen = session.screen();
    assert!(screen.contains("1 of 6") && screen.contains('?'), "{screen}");
    assert!(!screen.contains("$0"), "an unknown value is not zero: {screen}");
    assert!(!screen.contains('\u{1b}') && !screen.contains('\u{202e}'), "{screen:?}");
}

#[tokio::test]
async fn key_lists_all_events_and_goes_back() {
    let server = explorer(history());
    let (provider, network) = provider(&server);
    let mut session = Session::at(provider, network, size(120, 40), ALICE).await;
    session.keys("9").await;
    assert!(session.screen().contains("1 of 6"), "{}", session.screen());
    session.keys("e").await;
    assert!(session.screen().contains("[all events] 1 of 11"), "{}", session.screen());
    session.keys("e").await;
    assert!(session.screen().contains(" 1 of 6"), "{}", session.screen());
}

#[tokio::test]
async fn present_approvals_are_ordered_by_risk_and_added_up() {
    let server = explorer(history());
    let (provider, network) = provider(&server);
    let mut session = Session::at(provider, network, size(160, 40), ALICE).await;
    session.keys("9").await;
    let screen = session.screen();
    // Both spenders can take only the balance, $37.50; the price of NFTs is unknown.
    assert!(screen.contains("│ at least $37.50 at risk  "), "{screen}");
    assert!(screen.contains("at risk ↓"), "{screen}");
    let row = |text: &str| screen.lines().position(|line| line.contains(text)).unwrap();
    assert!(row("$37.50 ") < row("$9.00") && row("$9.00") < row("all NFTs"), "{screen}");
    assert!(row("all NFTs") < row("expired"), "an unknown price is not zero: {screen}");
    session.keys("e").await;
    let screen = session.screen();
    assert!(!screen.contains("at risk") && !screen.contains("  allowed  "), "{screen}");
    assert!(!screen.contains('↓'), "{screen}");
}

#[tokio::test]
async fn approvals_without_prices_are_ordered_by_amounts() {
    let server = fake_server(move |request, _| match request.path() {
        path if path.contains("/tokens/") => {
            respond(200, json!({ "decimals": "2", "symbol": "GOLD" }).to_string())
        }
        _ => respond_as_explorer(request, &history()),
    });
    let (provider, network) = provider(&server);
    let mut session = Session::at(provider, network, size(160, 40), ALICE).await;
    session.keys("9").await;
    let screen = session.screen();
    let row = |text: &str| screen.lines().position(|line| line.contains(text)).unwrap();
    assert!(screen.contains("at risk ↓"), "{screen}");
    let rows = [" 25 GOLD ", " 6 GOLD ", "all NFTs", "expired"].map(row);
    assert!(rows.is_sorted(), "{screen}");
}

#[tokio::test]
async fn risk_of_approvals_in_some_blocks_is_a_minimum() {
    let logs: Vec<Value> =
        history().into_iter().filter(|log| log["address"] == address(1)).collect();
    for (coverage, total) in [
        (json!(null), "│ $37.50 at risk "),
        (
            json!({ "from_block": 1, "to_block": 9, "reason": "over_limit" }),
            "│ at least $37.50 at risk ",
        ),
    ] {
        let logs = logs.clone();
        let server = fake_server(move |request, _| {
            if !asks(request, "eth_getLogs") {
                return respond_as_explorer(request, &logs);
            }
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            let mut answer = get_logs(&body["params"][0], &logs);
            answer["coverage"] = coverage.clone();
            respond(200, answer.to_string())
        });
        let (provider, network) = provider(&server);
        let mut session = Session::at(provider, network, size(160, 40), ALICE).await;
        session.keys("9").await;
        assert!(session.screen().contains(total), "{}", session.screen());
    }
}

#[tokio::test]
async fn value_below_a_cent_is_not_added_up_as_zero() {
    let logs: Vec<Value> =
        history().into_iter().filter(|log| log["address"] == address(1)).collect();
    let server = fake_server(move |request, _| match request.path() {
        path if path.contains("/tokens/") => {
            respond(200, json!({ "decimals": "2", "exchange_rate": "0.0001" }).to_string())
        }
        _ => respond_as_explorer(request, &logs),
    });
    let (provider, network) = provider(&server);
    let mut session = Session::at(provider, network, size(160, 40), ALICE).await;
    session.keys("9").await;
    let screen = session.screen();
    assert!(screen.contains("<$0.01") && !screen.contains("0 at risk"), "{screen}");
}

#[tokio::test]
async fn long_symbol_of_an_amount_at_risk_pushes_no_column_away() {
    let symbol = format!("GET{}", "FREE".repeat(20));
    let server = fake_server(move |request, _| match request.path() {
        path if path.contains("/tokens/") => {
            respond(200, json!({ "decimals": "2", "symbol": symbol }).to_string())
        }
        _ => respond_as_explorer(request, &history()),
    });
    let (provider, network) = provider(&server);
    let mut session = Session::at(provider, network, size(120, 40), ALICE).await;
    session.keys("9").await;
    let screen = session.screen();
    let titles = screen.lines().find(|line| line.contains("at risk ↓")).expect(&screen);
    for title in ["token", "spender", "allowed", "age"] {
        assert!(titles.contains(title), "{title}: {screen}");
    }
    assert!(screen.contains(" 25 GETFREE"), "{screen}");
}

#[tokio::test]
async fn nothing_is_asked_before_the_tab_is_looked_at() {
    let server = explorer(history());
    let (provider, network) = provider(&server);
    let mut session = Session::at(provider, network, size(120, 40), ALICE).await;
    session.keys("2 3").await;
    assert!(!server.requests().iter().any(|request| request.path() == "/api/eth-rpc"));
}

#[tokio::test]
async fn contracts_are_asked_about_the_rows_on_the_screen_only() {
    let event = |n: u64| {
        let topics = [topic(APPROVAL), owner(), format!("0x{:064x}", n + 1)];
        log(n + 1, &address(1), &topics, MAX)
    };
    let server = explorer((0..100).map(event).collect());
    let (provider, network) = provider(&server);
    let mut session = Session::at(provider, network, size(80, 24), ALICE).await;
    session.keys("9").await;
    assert!(session.screen().contains("1 of 20+"), "{}", session.screen());
    let calls = || server.requests().iter().filter(|request| asks(request, "eth_call")).count();
    assert_eq!(calls(), 1 + 20 + 2, "Multicall3, an allowance of each row, a page's balance");
}

#[test]
fn demo_server_lists_logs_as_blockscout_does() {
    let server = demo_server(50);
    let ask = |filter: Value| {
        let body =
            json!({ "jsonrpc": "2.0", "id": 7, "method": "eth_getLogs", "params": [filter] });
        let body = body.to_string();
        let head = format!(
            "POST /api/eth-rpc HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}",
            body.len()
        );
        let sent = format!("{head}\r\ncontent-type: application/json\r\n\r\n{body}");
        let answer = server.send(sent.as_bytes());
        serde_json::from_str::<Value>(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    let transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
    let all = |more: Value| {
        let mut filter = json!({ "fromBlock": "0x0", "toBlock": "latest", "topics": [[transfer]] });
        filter.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ask(filter)
    };
    let position = |log: &Value| {
        let quantity =
            |name: &str| u64::from_str_radix(&log[name].as_str().unwrap()[2..], 16).unwrap();
        (quantity("blockNumber"), quantity("logIndex"))
    };
    let (mut listed, mut more) = (Vec::new(), json!({}));
    loop {
        let logs = all(more)["result"].as_array().unwrap().clone();
        let is_full = logs.len() == 1_000;
        assert!(logs.len() <= 1_000);
        listed.extend(logs.iter().map(position));
        if !is_full {
            break;
        }
        let (block, index) = listed[listed.len() - 1];
        let [block, index] = [block, index].map(|number| format!("{number:x}"));
        more = json!({ "paging_options": { "blockNumber": block, "logIndex": index } });
    }
    assert!(listed.len() > 2_000 && listed.is_sorted(), "{}", listed.len());
    let error = |answer: Value| answer["error"].as_str().unwrap().to_owned();
    assert_eq!(error(ask(json!({ "fromBlock": "0x0" }))), "must supply one of address and topics");
    assert_eq!(error(all(json!({ "fromBlock": "genesis" }))), "invalid block number");
    let prefixed = json!({ "paging_options": { "blockNumber": "0x1", "logIndex": "0x0" } });
    assert!(error(all(prefixed)).starts_with("invalid paging_options"));
    assert!(error(all(json!({ "topics": ["x"] }))).starts_with("invalid filter"));
    let of_head = ask(json!({ "topics": [transfer] }));
    let of_head = of_head["result"].as_array().unwrap();
    assert!(of_head.iter().all(|log| position(log).0 == 334), "without blocks: the newest one");
}

#[tokio::test]
async fn demo_chain_has_approvals() {
    let provider = Provider::new(&Network::demo());
    let reply = fetch(&provider, false).await;
    let page: Page<Approval> = reply.page().unwrap();
    assert_eq!(page.parsed().count(), 6);
    let first = page.parsed().next().unwrap();
    assert_eq!(first.owner, ALICE.parse::<Address>().unwrap());
    let csv = csv_row(first, &RowContext::blank());
    assert!(csv.ends_with(",989953.16,"), "{csv}");
}

#[tokio::test]
async fn details_have_the_balance_that_limits_an_approval() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("9 j").await;
    let screen = session.screen();
    assert!(screen.contains("│ balance  989,656.265749 GLD ($989,953.16)"), "{screen}");
    assert!(screen.contains("│ approved block 7 · 2023-11-14 22:15:23 UTC"), "{screen}");
}

#[tokio::test]
async fn spenders_are_totalled_where_there_is_space() {
    let mut session = Session::demo(size(200, 60), ALICE).await;
    session.keys("9").await;
    for text in [
        "│ spenders □● 0xCE3478A9E0167a6Bc5716DC39DbbbfAc38F27623 Router · 5 approvals · at least $3.15B",
        " Glass Vault Share · 1 approval · $989,953 at risk ",
        "│ tx       0x63f23b64",
    ] {
        assert!(session.screen().contains(text), "{text}\n{}", session.screen());
    }
}

#[tokio::test]
async fn other_approvals_of_a_spender_are_below_its_details() {
    for (width, height) in [(120, 40), (200, 60)] {
        let mut session = Session::demo(size(width, height), ALICE).await;
        session.keys("9").await;
        let screen = session.screen();
        for text in [
            "│ may take ◆▲ 0x5FbDB2315678afecb367f032d93F642f64180aa3 Glass Dollar · ERC-20 GLD · unlimited · $989,953 ",
            " Sat Coin · ERC-20 SAT · unlimited · $0.12 ",
            " · unlimited · 991,192 NIL ",
        ] {
            assert!(screen.contains(text), "{text}\n{screen}");
        }
        let totals = screen.matches("at least $3.15B at risk").count();
        // The totals of the list, and of one of its spenders.
        assert_eq!(totals, 1 + screen.matches("│ spenders ").count(), "{screen}");
        session.keys("j").await;
        assert!(!session.screen().contains("│ may take "), "the only one: {}", session.screen());
    }
}
