//! The coin balance of an address over time: what is served of the demo chain, and the tab.

use std::cell::RefCell;
use std::rc::Rc;

use chainglass::test_api::api::{AddressQuery, ApiError, BlockQuery, Cursor, Query};
use chainglass::test_api::chain::BlockId;
use chainglass::test_api::rpc::RpcClient;
use ratatui::layout::Size;
use serde_json::{Value, json};

use crate::demo_server_client::{ALICE, demo_server};
use crate::index_coverage::{long_chain, number};
use crate::node_chain::{follow, serve};
use crate::scripted_node::simulated_client;
use crate::session::{Session, size};

const ZERO: &str = "0x0000000000000000000000000000000000000000";
const BOB: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/// It lost and gained by destructed contracts.
const HEIR: &str = "0x14dc79964da2c08b23698b3d3cc7ca32193d9955";
const SPLITTER: &str = "0xbded0d2bf404bdcba897a74e6657f1f12e5c6fb6";
const RICH: &str = "0xdf3e18d64bc6a983f673ab319ccae4f1a57c7097";
/// Wei of each account of the development node in the chain's first block.
const GENESIS: i128 = 10_000_000_000_000_000_000_000_000;

fn history(address: &str) -> String {
    format!("/api/v2/addresses/{address}/coin-balance-history")
}

fn wei(amount: &Value) -> i128 {
    amount.as_str().unwrap().parse().unwrap()
}

#[test]
fn histories_lead_back_to_the_first_block() {
    let server = demo_server(50);
    for (address, first, rows) in [
        (ALICE, GENESIS, 214),
        (BOB, GENESIS, 0),
        (HEIR, GENESIS, 0),
        (ZERO, 0, 304),
        (SPLITTER, 0, 18),
        (RICH, GENESIS, 2),
        ("0x9999999999999999999999999999999999999999", 0, 0),
    ] {
        let rows_of = server.all_items(&history(address), "");
        assert!(rows == 0 || rows_of.len() == rows, "{address}: {} rows", rows_of.len());
        let mut after = rows_of.first().map_or(first, |row| wei(&row["value"]));
        for row in &rows_of {
            assert_eq!(wei(&row["value"]), after, "{address} {row}");
            after -= wei(&row["delta"]);
        }
        assert_eq!(after, first, "{address}");
        let days = server.json(&format!("{}-by-day", history(address)));
        let last = days["items"].as_array().unwrap().last().map(|day| day["value"].clone());
        assert_eq!(last, rows_of.first().map(|row| row["value"].clone()), "{address}");
    }
}

#[test]
fn balances_equal_those_that_a_real_server_recorded() {
    let server = demo_server(50);
    for (address, block, value, delta) in [
        (ZERO, 333, "3177367533755138424", "1626330895273000"),
        (ZERO, 332, "3175741202859865424", "78684"),
        (ZERO, 330, "3169737125909652956", "50541798041545475"),
        (ZERO, 270, "2789030160070349796", "2100000000000"),
        (ZERO, 222, "2505868091591273470", "37560783463616310"),
        (ZERO, 218, "2435178509349051600", "63000000060916"),
        (SPLITTER, 327, "4000000000000000026", "2"),
        (SPLITTER, 310, "4000000000000000024", "1"),
        (RICH, 37, "10000000000000000000000011", "9"),
    ] {
        let rows = server.all_items(&history(address), "");
        let row = rows.iter().find(|row| row["block_number"] == block).unwrap();
        assert_eq!((&row["value"], &row["delta"]), (&value.into(), &delta.into()), "{address}");
    }
}

#[tokio::test]
async fn balance_is_plotted_above_its_changes_at_every_size() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut session = Session::demo(size(width, height), ALICE).await;
        session.keys("8 j").await;
        let screen = session.screen();
        for text in ["0 changes · ", "█", " 2 of ", " 9,999,997."] {
            assert!(screen.contains(text), "{width}: {text}\n{screen}");
        }
        assert_eq!(screen.contains("of peak"), width > 80, "{screen}");
        let axis = screen.lines().find(|line| line.contains(" 9,999,997.")).unwrap();
        assert!(axis.contains(" ETH "), "its unit: {screen}");
        let in_details = screen.contains("│ block   332 · 2023-11-14 23:53:03 UTC");
        assert_eq!(in_details, height == 40, "{screen}");
        assert!(!in_details || screen.contains(" ETH (−$10.90 now)"), "{screen}");
        let (plot, list) = screen.split_once("change ").unwrap();
        assert!(plot.contains('▂') && list.contains("−0.0018085"), "{width}\n{screen}");
    }
    let mut session = Session::demo(size(60, 12), ALICE).await;
    session.keys("8").await;
    assert!(!session.screen().contains("changes · "), "{}", session.screen());
}

#[tokio::test]
async fn change_without_a_known_transaction_is_no_change_of_a_whole_block() {
    let rows = json!([
        { "block_number": 9, "delta": "-1", "value": "4", "transaction_hash": null },
        { "block_number": 8, "delta": "2", "value": "5", "transaction_hash": null,
          "block_timestamp": "2023-11-14T22:00:00Z", "is_unexplained": true },
    ]);
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Address(_, AddressQuery::BalanceHistory) => {
            Ok(json!({ "items": rows, "next_page_params": null }).to_string())
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::canned(size(120, 40), ALICE, answer).await;
    session.keys("8").await;
    let screen = session.screen();
    for text in [" whole block ", " no known tx "] {
        assert_eq!(screen.matches(text).count(), 1, "{text}\n{screen}");
    }
    assert!(screen.contains(" ≤ 8 "), "its block is a bound: {screen}");
    session.keys("j").await;
    let screen = session.screen();
    assert!(
        screen.contains("block   ≤ 8 · ≤ ") && screen.contains("tx      no known tx"),
        "{screen}"
    );
    session.keys("enter").await;
    let is_block = |(query, _): &(Query, _)| matches!(query, Query::Block(..));
    assert!(!session.requests.iter().any(is_block), "it leads to no block: {}", session.screen());
}

/// A session with this answer to the question for the days.
async fn with_days(days: Result<Value, u16>) -> Session {
    with_days_in(size(120, 40), days).await
}

async fn with_days_in(screen: Size, days: Result<Value, u16>) -> Session {
    let row = |block: u64, delta: &str, value: &str| {
        json!({"block_number": block, "block_timestamp": "2023-01-01T00:00:00Z", "delta": delta,
            "value": value, "transaction_hash": null})
    };
    let rows = json!([
        row(9, "-2000000000000000000", "1000000000000000000"),
        row(8, "-1000000000000000000", "3000000000000000000"),
    ]);
    let mut session = Session::canned(screen, ALICE, move |query, _| match query {
        Query::Address(_, AddressQuery::DailyBalances) => match &days {
            Ok(days) => Ok(json!({"days": 10, "items": days}).to_string()),
            Err(status) => Err(ApiError::from_error_body(*status, b"")),
        },
        Query::Address(_, AddressQuery::BalanceHistory) => {
            Ok(json!({"items": rows, "next_page_params": null}).to_string())
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    session.keys("8").await;
    session
}

/// Checks the first and the last line of the plot below a heading: the range of the balance is there.
fn assert_axis(screen: &str, heading: &str, [high, low]: [&str; 2]) {
    let mut lines = screen.lines().skip_while(|line| !line.contains(heading)).skip(1);
    let mut begins_with = |begin: &str, line: usize| {
        let text = lines.nth(line).unwrap().trim_start_matches(['│', ' ']).to_owned();
        assert!(text.starts_with(begin), "{begin}: {text}\n{screen}");
    };
    begins_with(high, 0);
    begins_with(low, 6);
}

/// The withdrawals of a block that pays an address 5 gwei.
fn withdrawals(address: &str) -> Value {
    json!([{ "index": "0x1", "validatorIndex": "0x2", "address": address, "amount": "0x5" }])
}

/// The rows of a list of the server over a node.
async fn rows_of(node: RpcClient, path: String) -> Value {
    let server = serve(follow(node).await).await;
    tokio::task::spawn_blocking(move || server.json(&path)).await.unwrap()["items"].take()
}

/// A validator is paid in the blocks 93 and 97. Its balance grows in block 95 too, and at the end in block 98.
async fn validator_history(has_l1_fees: bool, list: &str) -> Value {
    const VALIDATOR: &str = "0x5555555555555555555555555555555555555555";
    let node = simulated_client(move |method, params| {
        let mut answer = long_chain(method, params, 0);
        let result = &mut answer["result"];
        match method {
            "eth_getBlockByNumber" if [93, 97].contains(&number(&result["number"])) => {
                result["withdrawals"] = withdrawals(VALIDATOR);
            }
            "eth_getTransactionReceipt" if has_l1_fees => result["l1Fee"] = "0x1".into(),
            "eth_getBalance" if params[1] != "latest" => {
                let gained = [(93, 5_000_000_000), (95, 1), (97, 5_000_000_000_u64), (98, 3)];
                let past = gained.iter().filter(|(block, _)| *block <= number(&params[1]));
                let balance: u64 = past.map(|(_, wei)| wei).sum();
                *result = format!("{balance:#x}").into();
            }
            _ => {}
        }
        answer
    });
    rows_of(node, [&history(VALIDATOR), list].concat()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn withdrawals_are_known_changes_and_fees_of_a_rollup_are_in_no_row() {
    for (has_l1_fees, unexplained) in [(false, &[(99, "3"), (96, "1")][..]), (true, &[])] {
        let rows = validator_history(has_l1_fees, "").await;
        let rows = rows.as_array().unwrap().iter();
        let (other, paid): (Vec<_>, Vec<_>) = rows.partition(|row| row["is_unexplained"] == true);
        let change = |row: &&Value| (row["block_number"].clone(), row["delta"].clone());
        let paid: Vec<_> = paid.iter().map(change).collect();
        let gwei = json!("5000000000");
        assert_eq!(paid, [(97.into(), gwei.clone()), (93.into(), gwei)]);
        let expected = unexplained.iter().map(|(block, wei)| (json!(block), json!(wei)));
        assert_eq!(other.iter().map(change).collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn last_day_ends_with_the_balance_at_the_head() {
    let days = validator_history(false, "-by-day").await;
    assert_eq!(days, json!([{ "date": "2023-09-12", "value": "10000000004" }]));
}

/// Returns whether the newest rows of Bob's history name a transaction, down to block 94. He is paid in each, and more in
/// block 95 than all rows say, by a withdrawal in block 97, and by the fee in block 98.
async fn rows_with_a_transaction(first_traced: u64) -> Vec<(u64, bool)> {
    let node = simulated_client(move |method, params| {
        let mut answer = long_chain(method, params, first_traced);
        let result = &mut answer["result"];
        match method {
            "eth_getBlockByNumber" if number(&result["number"]) == 97 => {
                result["withdrawals"] = withdrawals(BOB);
            }
            "eth_getBlockByNumber" if number(&result["number"]) == 98 => {
                result["miner"] = BOB.into();
            }
            "eth_getBalance" if params[1] != "latest" => {
                let block = number(&params[1]);
                let gained = [(95, 100), (97, 5_000_000_000), (98, 0x5208)];
                let others = gained.iter().filter(|(from, _)| *from <= block);
                let balance = (1..=block).map(|paid| paid - 1).chain(others.map(|(_, wei)| *wei));
                *result = format!("{:#x}", balance.sum::<u64>()).into();
            }
            _ => {}
        }
        answer
    });
    let rows = rows_of(node, history(BOB)).await;
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| (row["block_number"].as_u64().unwrap(), !row["transaction_hash"].is_null()))
        .take_while(|(block, _)| *block > 93)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn transaction_of_a_change_made_all_of_it() {
    let named = |blocks: &[u64]| -> Vec<(u64, bool)> {
        (94..=99).rev().map(|block| (block, blocks.contains(&block))).collect()
    };
    assert_eq!(rows_with_a_transaction(0).await, named(&[99, 96, 94]));
    assert_eq!(rows_with_a_transaction(u64::MAX).await, named(&[]), "calls are unknown");
}

#[tokio::test]
async fn days_are_plotted_where_the_server_has_some() {
    let day = |date: &str, value: &str| json!({"date": date, "value": value});
    let days =
        json!([day("2023-11-03", "4000000000000000000"), day("2023-11-02", "2500000000000000000")]);
    for keys in ["j", "r", "r r"] {
        let mut session = with_days(Ok(days.clone())).await;
        session.keys(keys).await;
        let screen = session.screen();
        let note = "whole block: the sum of all changes in it │";
        for text in ["balance by day · +1.5 ETH", note, "of 2 ─╯"] {
            assert!(screen.contains(text), "{text}\n{screen}");
        }
        assert_axis(&screen, "balance by day", ["4 ETH ", "2.5 ETH "]);
        let dates = screen.lines().find_map(|line| line.split_once("2023-11-02"));
        assert!(dates.is_some_and(|(_, end)| end.contains(" 2023-11-03 ")), "{screen}");
    }
    let hostile = "\u{1b}[31m2023-11-02T00:00:00 and much longer";
    let session = with_days(Ok(json!([day(hostile, "1"), day("2023", "2")]))).await;
    let screen = session.screen();
    assert!(screen.contains("balance by day ") && !screen.contains("much longer"), "{screen}");
}

/// Returns the dates below a plot.
fn plotted_dates(session: &Session) -> Vec<String> {
    let screen = session.screen();
    let is_date = |line: &&str| line.trim_start_matches(['│', ' ']).starts_with("202");
    let line = screen.lines().find(is_date).unwrap_or_else(|| panic!("{screen}"));
    let dates = line.trim_matches(['│', ' ']).split("  ");
    dates.filter(|date| !date.is_empty()).map(|date| date.trim().to_owned()).collect()
}

#[tokio::test]
async fn days_are_in_order_in_every_form() {
    let day = |date: &str, value: &str| json!({"date": date, "value": value});
    let days = json!([
        day("20231104", "3000000000000000000"),
        day("2023-11-05T00:00:00.000000Z", "4000000000000000000"),
        day("2023-11-02", "2500000000000000000"),
    ]);
    let session = with_days(Ok(days)).await;
    assert_eq!(plotted_dates(&session), ["2023-11-02", "2023-11-05"]);
    assert!(session.screen().contains("balance by day · +1.5 ETH"), "{}", session.screen());
}

#[tokio::test]
async fn long_amounts_leave_the_columns_to_the_plot() {
    let mut session = with_days_in(size(60, 30), Err(404)).await;
    session.keys("U U").await;
    assert_eq!(plotted_dates(&session), ["2023-01-01 00:00"; 2]);
    let largest = (0..77).map(|_| '9').collect::<String>();
    let days =
        json!([{"date": "2023-11-02", "value": "0"}, {"date": "2023-11-03", "value": largest}]);
    let session = with_days_in(size(60, 30), Ok(days)).await;
    assert_eq!(plotted_dates(&session), ["2023-11-02", "2023-11-03"]);
}

#[tokio::test]
async fn changes_are_plotted_in_the_zone_of_the_rows() {
    let mut session = with_days(Err(404)).await;
    session.keys("A").await;
    assert_eq!(plotted_dates(&session), ["2022-12-31 19:00"; 2]);
    let day = |date: &str| json!({"date": date, "value": "1"});
    let mut session = with_days(Ok(json!([day("2023-11-02"), day("2023-11-03")]))).await;
    session.keys("A").await;
    assert_eq!(plotted_dates(&session), ["2023-11-02", "2023-11-03"], "days are in UTC");
}

#[tokio::test]
async fn rows_are_plotted_where_the_server_has_no_days() {
    for days in [
        Err(404),
        Err(501),
        Ok(json!([])),
        Ok(json!([{"date": "2023-11-02", "value": "1"}])),
        Ok(json!("many")),
        Ok(json!([{"date": [], "value": {}}, 7])),
    ] {
        let screen = with_days(days.clone()).await.screen();
        let note = "whole block: the sum of all changes in it │";
        for text in ["last 2 changes · −3 ETH", note, "2023-01-01 "] {
            assert!(screen.contains(text), "{days:?} {text}\n{screen}");
        }
        assert_axis(&screen, "last 2 changes", ["4 ETH █", "1 ETH █"]);
    }
}

#[tokio::test]
async fn changes_without_a_balance_are_not_counted_as_plotted() {
    let row = |block: u64, value: Value| {
        json!({"block_number": block, "block_timestamp": "2023-01-01T00:00:00Z", "delta": "1",
            "value": value, "transaction_hash": null})
    };
    let rows = json!([row(9, json!("3")), row(8, Value::Null), row(7, json!("1"))]);
    let mut session = Session::canned(size(120, 40), ALICE, move |query, _| match query {
        Query::Address(_, AddressQuery::BalanceHistory) => {
            Ok(json!({"items": rows, "next_page_params": null}).to_string())
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    session.keys("8").await;
    assert!(session.screen().contains("2 of the last 3 changes · "), "{}", session.screen());
}

#[tokio::test]
async fn preview_of_a_whole_block_has_its_details() {
    let mut session = with_days(Err(404)).await;
    session.resize(size(200, 60)).await;
    session.keys("j").await;
    let is_asked = |part| {
        let asked = Query::Block(BlockId::Number(8), part);
        session.requests.iter().any(|(query, _)| *query == asked)
    };
    assert!(is_asked(BlockQuery::Details), "{}", session.screen());
    assert!(!is_asked(BlockQuery::Transactions), "{}", session.screen());
}

#[tokio::test]
async fn balances_are_asked_for_when_they_are_looked_at() {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&asked);
    let mut session = Session::canned(size(120, 40), ALICE, move |query, _| {
        log.borrow_mut().push(query.clone());
        Ok(r#"{"items":[],"next_page_params":null}"#.into())
    })
    .await;
    let address = ALICE.parse().unwrap();
    let wanted = [
        Query::Address(address, AddressQuery::BalanceHistory),
        Query::Address(address, AddressQuery::DailyBalances),
    ];
    assert!(!asked.borrow().iter().any(|query| wanted.contains(query)));
    asked.borrow_mut().clear();
    session.keys("8").await;
    assert_eq!(*asked.borrow(), wanted);
    session.keys("1 8").await;
    assert_eq!(*asked.borrow(), wanted, "they are kept");
}

#[tokio::test]
async fn changes_are_filtered_with_their_signs() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("8 G G G G G G").await;
    for (filter, found) in [("change:<0", 183), ("change:>0", 31), ("change:-1.5..-1", 7)] {
        session.keys("&").await;
        session.type_text(filter).await;
        let screen = session.screen();
        let found = format!("of {found} · 214 loaded");
        assert!(screen.contains(&found), "{filter}\n{screen}");
        session.keys("esc").await;
    }
}
