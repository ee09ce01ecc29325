//! Paging, stale responses, history, copying and keys, with the number of requests.

use std::collections::{HashMap, HashSet};

use chainglass::test_api::api::{AddressQuery, ApiError, Cursor, Query, TransactionQuery};
use chainglass::test_api::app_message::{ChainRequest, CopyOutcome, Effect, Msg, Multiplexer};
use chainglass::test_api::chain::{Chains, Network};
use chainglass::test_api::net::Provider;

use super::demo_items::{DEEP_ERROR, REENTRANCY, SWALLOW_ALL, SWAP};
use super::fault_cases::{queries, query_kind};
use super::session::{ALICE, Session, now, size};
use super::user_data::assert_shows;

/// A token of which the demo chain knows nothing.
const SWAP_TOKEN: &str = "0xcdCDcDCdcdcDCdcDcdCdcdcdcdCDCDcDcdcDCDcD";
/// A transaction with calls to a depth of 1,025.
const TOO_DEEP: &str = "0x16384b53f98b9f9a842a74ffbde0b20567f18b22dc64d3b1025213b075c2836a";

#[tokio::test]
async fn opening_an_address_sends_four_requests() {
    let session = Session::demo(size(80, 24), ALICE).await;
    let paths: Vec<String> = session.requests.iter().map(|(query, _)| query.path()).collect();
    assert_eq!(
        paths,
        [
            format!("api/v2/addresses/{ALICE}/transactions"),
            format!("api/v2/addresses/{ALICE}"),
            format!("api/v2/addresses/{ALICE}/counters"),
            format!("api/v2/addresses/{ALICE}/tabs-counters"),
        ]
    );
}

#[tokio::test]
async fn scrolling_to_the_end_sends_each_request_once() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    let mut seen = HashSet::new();
    for _ in 0..1000 {
        seen.extend(session.screen().lines().filter(|l| l.contains("0x")).map(str::to_owned));
        if session.screen().contains("826 of 826") {
            break;
        }
        session.keys("j").await;
    }
    assert!(session.screen().contains("826 of 826"), "{}", session.screen());
    session.keys("g").await;
    session.keys("g").await;
    assert!(session.screen().contains("1 of 826"));
    assert_eq!(session.requests.len(), 17 + 3, "17 pages, the header and the counters");
    let distinct: HashSet<_> = session.requests.iter().collect();
    assert_eq!(distinct.len(), session.requests.len());
    assert!(seen.len() >= 826, "every row was shown");
}

#[tokio::test]
async fn pages_are_prefetched_without_jumps() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    for _ in 0..30 {
        let before = session.content();
        session.keys("j").await;
        let after = session.content();
        // Columns grow with ages: rows are told by their hashes.
        let hashes = |screen: &str| -> Vec<String> {
            let lines = screen.lines().skip(5).take(2);
            lines.map(|it| it[it.find("0x").unwrap_or(0)..].chars().take(11).collect()).collect()
        };
        let (old, new) = (hashes(&before), hashes(&after));
        assert!(old.contains(&new[0]), "{before}\n{after}");
        assert!(!after.contains("loading"), "{after}");
    }
}

#[tokio::test]
async fn pages_are_loaded_until_they_fill_the_screen() {
    for (height, pages) in [(24, 1), (40, 1), (70, 2), (120, 3)] {
        let session = Session::demo(size(100, height), ALICE).await;
        let asked = session.requests.iter().filter(|(query, _)| {
            matches!(query, Query::Address(_, AddressQuery::Transactions { .. }))
        });
        assert_eq!(asked.count(), pages, "{height} lines: {}", session.screen());
    }
}

#[tokio::test]
async fn second_g_loads_all_rows_and_esc_stops() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("G").await;
    session.keys("G").await;
    assert!(session.screen().contains("826 of 826"), "{}", session.screen());
    assert!(session.screen().contains("all rows loaded"));
    session.keys("esc").await;
    let screen = session.screen();
    assert!(screen.contains("826 of 826") && screen.contains("Esc goes back"), "too late to stop");
    session.keys("G").await;
    session.keys("G").await;
    assert!(session.screen().contains("all rows loaded"), "there was nothing left to load");
    session.keys("esc").await;
    assert!(session.screen().contains("Esc goes back"), "{}", session.screen());
    session.keys("esc").await;
    assert!(session.screen().contains("start of history"), "{}", session.screen());

    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.press("G");
    let effects = session.press("G");
    assert!(effects.is_empty(), "the page is already loading");
    session.press("esc");
    assert!(session.screen().contains("stopped"), "{}", session.screen());
    assert!(session.screen().contains("1 Tx "), "still on the list");
}

#[tokio::test]
async fn detail_is_asked_for_once_and_back_restores_the_list() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("j j j j j").await;
    let list = session.screen();
    let requests = session.requests.len();
    session.keys("enter").await;
    assert!(session.screen().contains("swapExactIn"), "{}", session.screen());
    assert_eq!(session.requests.len(), requests + 2, "the transaction, and the coin of its calls");
    session.keys("esc").await;
    // Without the other parties and the arguments: their names may be known since.
    let start = |line: &str| line.chars().take(40).collect::<String>();
    let is_call = |line: &&str| line.starts_with("│ call ");
    let starts = |screen: &str| -> Vec<String> {
        screen.lines().skip(1).take(20).filter(|line| !is_call(line)).map(start).collect()
    };
    assert_eq!(starts(&session.screen()), starts(&list));
    assert_eq!(session.requests.len(), requests + 2, "going back sends no request");
    session.keys("L").await;
    assert!(session.screen().contains("swapExactIn"));
    session.keys("H").await;
    assert!(session.screen().contains("1 Tx "));
    session.keys("j enter H").await;
    assert!(session.screen().contains("1 Tx "), "the page ahead gave way to another");
}

#[tokio::test]
async fn transaction_opened_by_hash_is_fetched() {
    let session = Session::demo(size(120, 40), SWAP).await;
    assert_eq!(session.requests.len(), 2, "and the coin that its calls moved");
    for line in [
        "swapExactIn",
        "+2,464 NIL",
        "2,490.26 WTH ($7.85M)",
        "fee 0.034277 ETH ($68.93 then)",
        SWAP,
    ] {
        assert!(session.screen().contains(line), "{line}\n{}", session.screen());
    }
}

#[tokio::test]
async fn invalid_cursor_is_not_the_end_of_the_moved_coin() {
    let answer = |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => {
            Ok(include_str!("../data/golden/tx_swap.json").to_owned())
        }
        Query::Transaction(_, TransactionQuery::InternalTransactions) => {
            Ok(r#"{"items":[],"next_page_params":7}"#.to_owned())
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let session = Session::canned(size(120, 40), SWAP, answer).await;
    let note = "? internal transfers: ";
    assert!(session.screen().contains(note), "{}", session.screen());
}

#[tokio::test]
async fn coin_of_a_selfdestruct_to_itself_is_uncertain_on_the_page() {
    let selfdestruct = format!(
        r#"{{"index":1,"type":"selfdestruct","success":true,"value":"3000000000000000000",
        "from":{{"hash":"{SWAP_TOKEN}"}},"to":{{"hash":"{SWAP_TOKEN}"}}}}"#
    );
    let creation = format!(
        r#"{{"index":0,"type":"create2","success":true,"value":"0","from":{{"hash":"{ALICE}"}},
        "created_contract":{{"hash":"{SWAP_TOKEN}"}}}},"#
    );
    for (created, shown, is_uncertain) in
        [("", "±0 ETH or −3 ETH", true), (&*creation, "−3 ETH", false)]
    {
        let calls = format!(r#"{{"items":[{created}{selfdestruct}],"next_page_params":null}}"#);
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Transaction(_, TransactionQuery::Details) => Ok(details_of_caught_failures("")
                .replace("_transactions\":true", "_transactions\":false")),
            Query::Transaction(_, TransactionQuery::InternalTransactions) => Ok(calls.clone()),
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        };
        let screen = Session::canned(size(120, 40), SWAP, answer).await.screen();
        assert!(screen.contains(shown), "{screen}");
        let note = "? 3 ETH selfdestructed to itself (burnt before Cancun)";
        assert_eq!(screen.contains(note), is_uncertain, "{screen}");
        assert_eq!(screen.contains(" or −3 ETH"), is_uncertain, "{screen}");
        assert!(!screen.contains(" → "), "no transfer: {screen}");
    }
}

#[tokio::test]
async fn rows_of_a_transaction_tell_contracts_and_amounts_apart() {
    let mut session = Session::demo(size(140, 40), SWAP).await;
    session.keys("4").await;
    assert_shows(&session, "from ▼● Pool·Cba6 · to ■△ Pool·e4EB · value 2,490.26 WTH");
    session.keys("6").await;
    let words = session.screen().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("9,999,999.7405 9,999,999.7062 −0.0343"), "{words}");
}

#[tokio::test]
async fn balance_changes_lead_to_accounts_and_tokens() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    assert_shows(&session, "−2,500 GLD ($2,501)");
    assert_shows(&session, "0.03427695006398364 ETH");
    session.keys("j j").await;
    session.keys("y y").await;
    assert_eq!(session.copied(), Some("0x70997970C51812dc3A010C7d01b50e0d17dc79C8"));
    session.keys("l y y").await;
    assert_eq!(session.copied(), Some("2500000000"), "in the smallest unit");
    session.keys("enter").await;
    assert_shows(&session, "Glass Dollar");
    session.keys("esc 2 V").await;
    assert!(!session.screen().contains("no transfers"), "tokens moved: {}", session.screen());
    assert_shows(&session, "−2,500 GLD ($2,501)");
    session.keys("enter").await;
    assert_shows(&session, "0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
}

#[tokio::test]
async fn tab_completes_what_was_seen() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("s").await;
    session.type_text("rout").await;
    session.keys("tab").await;
    assert_shows(&session, "0xCE3478A9E0167a6Bc5716DC39DbbbfAc38F27623");
    assert_shows(&session, "Router · 1 of 1");
    session.type_text("x").await;
    session.keys("tab").await;
    assert_shows(&session, "no completion");
}

#[tokio::test]
async fn reason_of_a_failure_is_copied() {
    let wrap = "0x71fb78a39596352559c92818f2dddfb2e604bebea82745ce71d6c1ee4af5482d";
    let mut session = Session::demo(size(80, 24), wrap).await;
    session.keys("y e").await;
    assert!(session.copied().unwrap().starts_with("Nested(0x3d71d898"), "{:?}", session.copied());
    let thrown = "0xac5a2b1dc02d53a5a12627095447c7615fad82ada4db8b41b84d0f8075ed410b";
    let mut session = Session::demo(size(80, 24), thrown).await;
    let message = Some("Thrower: something went wrong, because of reasons");
    session.keys("y e").await;
    assert_eq!(session.copied(), message, "{}", session.screen());
    session.keys("2 y a y e").await;
    assert_eq!(session.copied(), message, "{}", session.screen());
    session.keys("y").await;
    assert!(session.screen().contains("the failure's reason"), "{}", session.screen());
    let mut session = Session::demo(size(80, 24), SWAP).await;
    session.keys("y").await;
    assert!(!session.screen().contains("the failure's reason"), "{}", session.screen());
}

#[tokio::test]
async fn lines_of_a_raw_trace_name_calls() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("7").await;
    let screen = session.screen();
    let line = |text: &str| screen.lines().find(|line| line.contains(text)).unwrap_or_default();
    assert!(line("#1 ").contains(" Router.swapExactIn("), "{screen}");
    assert!(line("#2 ").contains(" Glass Dollar.transferFrom?("), "{screen}");
    assert!(line("#3 ").contains(" static Pool·Cba6.getReserves?() → 5,001,000 GLD, "), "{screen}");
    let column = |call: &str, name: &str| line(call).find(name);
    assert!(column("#5 ", "Pool·Cba6") < column("#6 ", "Wrapped Thing"), "by depth: {screen}");
    for text in [" gas        0x11f268 = 1,176,168 ", " 0x0 = 0 ETH ", "9a0 = 2,464 NIL"] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
}

#[tokio::test]
async fn internal_transactions_name_the_functions_of_the_trace() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("5 j").await;
    let screen = session.screen();
    for text in ["  method ", "  transferFrom?  ", "Pool·Cba6.getReserves?()"] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    let depth = |call: &str| {
        let line = screen.lines().find(|line| line.contains(call))?;
        line.split_whitespace().nth(2)
    };
    assert_eq!([depth(" #2 "), depth(" #6 ")], [Some("1"), Some("2")], "{screen}");
    session.keys("&").await;
    session.type_text("transfer").await;
    let screen = session.screen();
    let rows = screen.lines().filter(|line| line.starts_with("│"));
    let methods = rows.filter_map(|line| Some(line.split_once(" transfer")?.0));
    let columns: Vec<_> = methods.take(5).map(|before| before.chars().count()).collect();
    assert!(columns.iter().all(|column| *column == columns[0]), "no tree: {screen}");
}

#[tokio::test]
async fn logs_without_an_abi_have_the_names_of_decoded_ones() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("4").await;
    assert!(session.screen().contains("  Sync  "), "{}", session.screen());
}

#[tokio::test]
async fn failures_that_a_transaction_survived_are_listed() {
    let session = Session::demo(size(120, 40), SWALLOW_ALL).await;
    let screen = session.screen();
    for text in [
        "! 9 of 11 calls failed ·",
        "─ Inner calls that failed · gas (≈ estimated) ─",
        "│  #7  ◆◇ Thrower.",
        "unchanged but for the fee",
        "─ Other calls · gas ─",
        "│ 181,684  ▼▲ DeepThrower.swallow()",
        "│     399    static ◆◇ Thrower.",
    ] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    let reason = "Thrower: something went wrong, because of reasons";
    assert_eq!(screen.matches(reason).count(), 1, "{screen}");
    assert_eq!(screen.matches("≈60,000").count(), 1, "a failed call stands once: {screen}");
    let screen = Session::demo(size(200, 60), SWALLOW_ALL).await.screen();
    let first = screen.lines().find(|line| line.contains("│  #2  ")).unwrap();
    assert!(first.contains("│ call  "), "failed calls are next to the call: {screen}");
}

#[tokio::test]
async fn call_too_deep_for_a_narrow_page_has_its_depth() {
    let mut session = Session::demo(size(80, 80), TOO_DEEP).await;
    // Its trace is known then.
    session.keys("2 1").await;
    let screen = session.screen();
    assert_eq!(screen.matches(" depth 1,025 ").count(), 1, "{screen}");
}

#[tokio::test]
async fn reason_of_a_failed_transaction_stands_once_on_its_page() {
    let screen = Session::demo(size(200, 60), DEEP_ERROR).await.screen();
    assert!(!screen.contains("─ Calls · gas ─"), "all are on the path: {screen}");
    assert_eq!(screen.matches("because of reasons").count(), 1, "{screen}");
    let above_chart = screen.split("▾ JSON ").next().unwrap();
    assert_eq!(above_chart.matches("◀ origin").count(), 1, "{screen}");
    let path = screen.lines().find(|line| line.contains("│ ▼▲ DeepThrower.")).unwrap();
    assert!(path.contains("│ call  "), "the path is next to the call: {screen}");
}

#[tokio::test]
async fn json_of_a_wide_page_stands_next_to_the_gas_of_its_calls() {
    for target in [DEEP_ERROR, SWALLOW_ALL, "30"] {
        let mut session = Session::demo(size(200, 60), target).await;
        let has_both =
            |line: &str| line.contains("▾ JSON ") && line.contains("│ Gas of all calls ");
        let screen = session.screen();
        assert!(screen.lines().any(has_both), "{target}: {screen}");
        if target == "30" {
            continue;
        }
        // Folded, it leaves all columns to the calls.
        session.keys("G k h").await;
        let screen = session.screen();
        assert!(screen.contains("▸ JSON ") && !screen.lines().any(has_both), "{screen}");
    }
}

#[tokio::test]
async fn fields_of_a_part_stand_next_to_their_json() {
    for (key, field, json) in [
        ("3", "│ amount  ", "▾ JSON"),
        ("4", "│ ▾ event  ", "▾ JSON"),
        ("5", "│ call  ", "▾ JSON"),
        ("6", "│ address  ", "▾ JSON"),
    ] {
        let mut session = Session::demo(size(200, 60), SWAP).await;
        session.keys(key).await;
        let screen = session.screen();
        let has_both = |line: &str| line.starts_with(field) && line.contains(json);
        assert!(screen.lines().any(has_both), "{key}: {screen}");
        assert!(screen.contains("reputation") || key != "3", "as sent: {screen}");
        let is_named = screen.contains("▸ empty ") && screen.contains(" fields: ");
        assert!(is_named || key == "4", "{key}: {screen}");
    }
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("3").await;
    assert!(session.screen().contains("│ ▾ JSON "), "in free lines: {}", session.screen());
}

#[tokio::test]
async fn balances_of_the_coin_have_as_many_digits_after_the_point() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("6").await;
    let screen = session.screen();
    for text in ["9,999,999.7405 ", " −0.0343 ", " 0.8174 ", " +0.0241 ", "5,000,000.00 "] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
}

#[tokio::test]
async fn calls_have_depth_and_functions_without_a_selector() {
    for columns in [80, 120] {
        let mut session = Session::demo(size(columns, 40), REENTRANCY).await;
        session.keys("2 5").await;
        let screen = session.screen();
        let header = screen.lines().find(|line| line.contains(" method ")).unwrap();
        assert!(header.contains(" depth ") && !header.contains(" type "), "all calls: {screen}");
        assert!(header.contains(" value ETH ") || columns == 80, "{screen}");
        let row = |number: &str| screen.lines().find(|line| line.contains(number)).unwrap();
        let words: Vec<&str> = row(" #6 ").split_whitespace().collect();
        assert!(words.contains(&"4") && words.contains(&"receive?"), "{screen}");
        assert!(row("#15 ").contains(" send "), "an account: {screen}");
    }
    let mut session = Session::demo(size(120, 40), SWALLOW_ALL).await;
    session.keys("2 5").await;
    let screen = session.screen();
    let header = screen.lines().find(|line| line.contains(" method ")).unwrap();
    assert!(header.contains(" type ") && !header.contains(" depth "), "{screen}");
}

#[tokio::test]
async fn low_screens_have_balances_before_their_change() {
    let mut session = Session::demo(size(80, 24), SWAP).await;
    session.keys("6").await;
    let screen = session.screen();
    let header = screen.lines().find(|line| line.contains(" after ")).unwrap();
    let row = screen.lines().find(|line| line.contains(" −0.0343")).unwrap();
    let end =
        |line: &str, text: &str| line[..line.find(text).unwrap() + text.len()].chars().count();
    assert_eq!(end(header, "before"), end(row, "9,999,999.74"), "{screen}");
    assert_eq!(end(header, "change"), end(row, "−0.03"), "{screen}");
    assert!(!screen.contains("−<"), "{screen}");
}

#[tokio::test]
async fn transfers_have_token_and_id_after_the_amount() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("3").await;
    let screen = session.screen();
    let header = screen.lines().find(|line| line.contains(" amount ")).unwrap();
    let titles: Vec<&str> = header.split_whitespace().collect();
    assert!(titles.windows(3).any(|three| three == ["amount", "token", "id"]), "{screen}");
    assert!(screen.contains("safeBatchTransferFrom"), "{screen}");
    assert_eq!(screen.matches("safeBatchTransferFrom").count(), 1, "of three rows: {screen}");
}

#[tokio::test]
async fn all_fields_join_the_empty_ones() {
    let mut session = Session::demo(size(160, 60), ALICE).await;
    session.keys("d").await;
    let screen = session.screen();
    assert_eq!(
        screen.matches(" hash ").count(),
        1,
        "the lines of the parties have theirs: {screen}"
    );
    assert!(screen.contains(" fields: authorization_list, created_contract, "), "{screen}");
    assert!(!screen.contains(" null "), "{screen}");
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("d").await;
    let screen = session.screen();
    // Below the label of the hash, and next to a long label.
    for line in ["│   0xf839", "│ max_priority_fee_per_gas 2,000,000,000 wei"] {
        assert!(screen.lines().any(|shown| shown.starts_with(line)), "{line}: {screen}");
    }
    assert!(
        screen.lines().any(|line| line.trim_matches(['│', ' ', '┃']) == "Clone Coin 31"),
        "{screen}"
    );
}

#[tokio::test]
async fn reasons_of_failed_calls_are_in_their_list() {
    let mut session = Session::demo(size(120, 40), SWALLOW_ALL).await;
    session.keys("2 5").await;
    let screen = session.screen();
    for text in [" reason ", " 0xda472023 (68 bytes) ", " Panic(0x01): assertion failed "] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("2 5").await;
    assert!(!session.screen().contains(" reason "), "no call failed: {}", session.screen());
}

/// A call whose two calls fail with these errors.
fn trace_of_caught_failures(errors: [&str; 2]) -> String {
    let call = |path: &str, end: &str| {
        format!(
            r#"{{"action":{{"callType":"call","from":"{ALICE}","to":"{ALICE}","gas":"0x10",
            "value":"0x0","input":"0x01020304"}},{end},"traceAddress":[{path}],"type":"call"}}"#
        )
    };
    let ok = r#""result":{"gasUsed":"0x8","output":"0x"}"#;
    let [first, second] = errors.map(|error| format!(r#""error":"{error}""#));
    format!("[{},{},{}]", call("", ok), call("0", &first), call("1", &second))
}

/// Returns the transaction of such a trace, with these token transfers.
fn details_of_caught_failures(transfers: &str) -> String {
    format!(
        r#"{{"hash":"{SWAP}","status":"ok","result":"success","block_number":4,"value":"0",
        "raw_input":"0x01020304","has_error_in_internal_transactions":true,"from":{{"hash":"{ALICE}"}},
        "to":{{"hash":"{SWAP_TOKEN}"}},"token_transfers":[{transfers}],
        "token_transfers_overflow":false}}"#
    )
}

#[tokio::test]
async fn balances_that_did_not_change_are_named_next_to_transfers() {
    let trace = trace_of_caught_failures(["Reverted", "Reverted"]);
    let transfer = format!(
        r#"{{"transaction_hash":"{SWAP}","from":{{"hash":"{ALICE}"}},"to":{{"hash":"{ALICE}"}},
        "total":{{"value":"5","decimals":"0"}},"token":{{"address_hash":"{SWAP_TOKEN}",
        "symbol":"GLD","decimals":"0","type":"ERC-20"}},"log_index":1}}"#
    );
    let details = details_of_caught_failures(&transfer);
    for width in [80, 120] {
        let (trace, details) = (trace.clone(), details.clone());
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Transaction(_, TransactionQuery::Details) => Ok(details.clone()),
            Query::Transaction(_, TransactionQuery::RawTrace) => Ok(trace.clone()),
            Query::Transaction(_, TransactionQuery::InternalTransactions) => {
                let call = r#"{"index":1,"type":"call","success":false,"value":"0"}"#;
                Ok(format!(r#"{{"items":[{call},{call}],"next_page_params":null}}"#))
            }
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        };
        let screen = Session::canned(size(width, 40), SWAP, answer).await.screen();
        assert!(screen.contains("─ Inner calls that failed "), "{screen}");
        let title = screen.lines().position(|line| line.contains("─ Balance changes")).unwrap();
        let below = screen.lines().nth(title + 1).unwrap();
        assert!(below.trim_start_matches(['│', ' ']).starts_with("none "), "{screen}");
    }
}

#[tokio::test]
async fn repeated_token_transfer_is_counted_once() {
    let transfer = format!(
        r#"{{"transaction_hash":"{SWAP}","from":{{"hash":"{ALICE}"}},"to":{{"hash":"{SWAP_TOKEN}"}},
        "total":{{"value":"5","decimals":"0"}},"token":{{"address_hash":"{SWAP_TOKEN}",
        "symbol":"GLD","decimals":"0","type":"ERC-20"}},"log_index":1}}"#
    );
    let details = details_of_caught_failures(&[&*transfer, &transfer].join(","));
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(details.clone()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let screen = Session::canned(size(120, 40), SWAP, answer).await.screen();
    assert!(screen.contains("5 GLD") && !screen.contains("10 GLD"), "{screen}");
    assert!(screen.contains("3 Token transfers 1 "), "{screen}");
}

#[tokio::test]
async fn functions_are_requested_of_contracts_in_listed_calls() {
    const CALLED: &str = "0x00000000000000000000000000000000c0ffee00";
    let last = format!(
        r#"{{"action":{{"callType":"call","from":"{ALICE}","to":"{CALLED}","gas":"0x10",
        "value":"0x0","input":"0x01020304"}},"result":{{"gasUsed":"0x8","output":"0x"}},
        "traceAddress":[2],"type":"call"}}"#
    );
    let calls = trace_of_caught_failures(["Reverted", "Reverted"]);
    let trace = format!("{},{last}]", calls.trim_end_matches(']'));
    for (height, is_listed) in [(18, false), (60, true)] {
        let trace = trace.clone();
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Transaction(_, TransactionQuery::Details) => Ok(details_of_caught_failures("")),
            Query::Transaction(_, TransactionQuery::RawTrace) => Ok(trace.clone()),
            Query::Transaction(_, TransactionQuery::InternalTransactions) => {
                let call = r#"{"index":1,"type":"call","success":false,"value":"0"}"#;
                Ok(format!(r#"{{"items":[{call},{call}],"next_page_params":null}}"#))
            }
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        };
        let mut session = Session::unknown_explorer(size(120, height), SWAP, answer).await;
        let screen = session.screen();
        assert_eq!(screen.contains("─ Other calls · gas ─"), is_listed, "{screen}");
        let request = Query::Contract(CALLED.parse().unwrap());
        let times = |session: &Session| {
            session.requests.iter().filter(|(query, _)| *query == request).count()
        };
        assert_eq!(times(&session), usize::from(is_listed), "{screen}");
        session.resize(size(120, 61)).await;
        assert_eq!(times(&session), 1, "once the calls have space: {}", session.screen());
    }
}

#[tokio::test]
async fn reasons_that_a_panel_leaves_out_stand_at_the_calls() {
    let trace = trace_of_caught_failures(["Reverted", "Out of gas"]);
    for left_out in [0, 1] {
        let trace = trace.clone();
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Transaction(_, TransactionQuery::Details) => Ok(details_of_caught_failures("")),
            Query::Transaction(_, TransactionQuery::RawTrace) => Ok(trace.clone()),
            Query::Transaction(_, TransactionQuery::FailureStack) => Ok(format!(
                r#"{{"calls":[],"left_out":0,"caught":[{{"calls":[],"left_out":0,
                "trace_address":[0],"error":"Reverted"}}],"caught_left_out":{left_out}}}"#
            )),
            _ => Err(ApiError::from_error_body(404, b"")),
        };
        let mut session = Session::node(size(120, 60), SWAP, answer).await;
        session.keys("2 1").await;
        let screen = session.screen();
        assert!(screen.contains("─ Calls · gas ─"), "{screen}");
        let page = screen.split("─ Gas of all calls ─").next().unwrap();
        assert_eq!(page.contains("Out of gas"), left_out > 0, "{screen}");
    }
}

#[tokio::test]
async fn error_of_the_last_failed_call_follows_the_number() {
    let deep = "0xbc152edc70c6a5600d3ef83afa7395a53c4686c5cba6c127efa1aa1c6d0fc70e";
    let session = Session::demo(size(120, 40), deep).await;
    let screen = session.screen();
    let failure = "failed: Reverted · raised 7 calls down in Thrower.0x31fe52e8: Out of gas";
    assert!(screen.contains(failure), "{screen}");
    assert!(!screen.contains("no data"), "{screen}");
}

#[tokio::test]
async fn copies_hold_full_values() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("j j j").await; // from 0x14dC… to alice, 1 ETH
    for (keys, copied) in [
        ("y h", "0x7b3ea21d872f869bed3aac4a1a0a06a1136ee63a68d0a756ff5b9c11d50f90e3"),
        ("y y", "0x7b3ea21d872f869bed3aac4a1a0a06a1136ee63a68d0a756ff5b9c11d50f90e3"),
        ("y a", "0x14dC79964da2C08b23698B3D3cc7Ca32193d9955"),
        ("y v", "1000000000000000000"),
        ("y b", "331"),
    ] {
        session.keys(keys).await;
        assert_eq!(session.copied(), Some(copied), "{keys}");
    }
    session.keys("y m").await;
    assert!(session.screen().contains("this row has no method"), "{}", session.screen());
    session.keys("y j").await;
    let json: serde_json::Value = serde_json::from_str(session.copied().unwrap()).unwrap();
    assert_eq!(json["value"], "1000000000000000000");
    session.keys("y r").await;
    let row = session.copied().unwrap();
    assert!(row.starts_with(r#""ok",,"false","2023-11-14T23:53:02Z",331,"0x7b3e"#), "{row}");
    assert!(row.contains(r#","0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266","alice.eth","#), "{row}");
    session.keys("l l").await; // method, from
    session.keys("y y").await;
    assert_eq!(session.copied(), Some("0x14dC79964da2C08b23698B3D3cc7Ca32193d9955"));
}

#[tokio::test]
async fn copy_notice_names_the_clipboard_used() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    for (way, message) in [
        (CopyOutcome::Clipboard, "copied the hash to the clipboard"),
        (CopyOutcome::Terminal(Multiplexer::None), "copied the hash by OSC 52 (p"),
        (CopyOutcome::Terminal(Multiplexer::Tmux), "to tmux, which may drop it · p shows"),
        (CopyOutcome::Failed("no display".into()), "cannot copy the hash: no display"),
    ] {
        session.app.update(Msg::Copied { what: "hash", outcome: way });
        assert!(session.screen().contains(message), "{}", session.screen());
    }
}

#[tokio::test]
async fn links_and_pasted_hashes_open() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("l l enter").await; // hash, method, to
    assert_shows(&session, "├─ 1 Tx ");
    let effects = session.app.update(Msg::Paste(format!("  {SWAP}\n")));
    session.settle(effects).await;
    assert!(session.screen().contains(SWAP), "{}", session.screen());
}

#[tokio::test]
async fn a_text_with_an_address_opens_it() {
    let mut session = Session::demo(size(120, 30), "").await;
    let effects = session.app.update(Msg::Paste(format!("address alice = {ALICE};\n")));
    session.settle(effects).await;
    assert!(session.screen().contains("alice.eth"), "{}", session.screen());
}

#[tokio::test]
async fn a_text_that_calls_its_hash_a_transaction_opens_it() {
    for text in [format!("tx: {SWAP}"), format!("hash {SWAP} and words")] {
        let mut session = Session::demo(size(120, 30), "").await;
        let effects = session.app.update(Msg::Paste(text));
        session.settle(effects).await;
        assert!(session.screen().contains("swapExactIn"), "{}", session.screen());
    }
}

/// The hash may be a private key: nothing is sent before the user confirms it.
#[tokio::test]
async fn a_text_with_a_hash_or_several_targets_asks_which() {
    for (text, keys) in
        [(format!("KEY={SWAP}"), "enter"), (format!("{ALICE} {SWAP}"), "down enter")]
    {
        let mut session = Session::demo(size(120, 30), "").await;
        assert_eq!(session.app.update(Msg::Paste(text.clone())), []);
        let screen = session.screen();
        assert!(screen.contains("Open which one?") && screen.contains(SWAP), "{screen}");
        session.keys(keys).await;
        assert!(session.screen().contains("swapExactIn"), "{text}: {}", session.screen());
    }
}

#[tokio::test]
async fn invalid_input_gets_one_line() {
    let mut session = Session::demo(size(80, 24), "").await;
    session.keys("s 0 x z z enter").await;
    assert!(
        session.screen().contains("not an address, hash, block number"),
        "{}",
        session.screen()
    );
    session.keys("esc").await;
    assert!(session.screen().contains("Try these"));
    let url = format!("https://eth.blockscout.com/address/{ALICE}");
    let effects = session.app.update(Msg::Paste(url));
    assert!(matches!(&effects[..], [Effect::OpenProvider { .. }]), "{effects:?}");
}

#[tokio::test]
async fn links_of_other_explorers_open_on_their_chain_or_on_this_one() {
    let mut session = Session::demo(size(120, 30), "").await;
    let link = format!("https://etherscan.io/address/{ALICE}");
    let effects = session.app.update(Msg::Paste(link));
    let [Effect::OpenProvider { network, .. }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(network.id, Some(1));
    for (link, notice) in [
        ("https://blockscan.com/address/", ""),
        ("https://forum.example/thread?about=", ""),
        (
            "https://bscscan.com/address/",
            "no explorer is known for chain 56 · opened on this chain",
        ),
    ] {
        let mut session = Session::demo(size(120, 30), "").await;
        let effects = session.app.update(Msg::Paste(format!("{link}{ALICE}")));
        session.settle(effects).await;
        let screen = session.screen();
        assert!(screen.contains(" ◆ demo › alice.eth") && screen.contains(notice), "{screen}");
    }
}

#[tokio::test]
async fn stale_response_is_ignored() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    let first = session.press("r"); // refresh: under way
    let second = session.press("r"); // and again
    let fetches =
        |effects: &[Effect]| effects.iter().filter(|e| is_fetch(e)).cloned().collect::<Vec<_>>();
    let (old, new) = (fetches(&first), fetches(&second));
    assert!(second.iter().any(is_cancel), "the old request is cancelled");
    session.settle(old).await;
    assert!(session.screen().contains(" loading ─"), "the old response is dropped");
    session.settle(new).await;
    assert!(session.screen().contains("1 of 826"), "{}", session.screen());
}

#[tokio::test]
async fn leaving_cancels_requests_and_returning_resends_them() {
    let mut session = Session::demo(size(80, 24), "").await;
    let asked = session.press("enter");
    assert_eq!(asked.len(), 3);
    let left = session.press("esc");
    assert_eq!(left.iter().filter(|e| is_cancel(e)).count(), 2);
    session.settle(asked).await;
    let back = session.press("L");
    assert_eq!(back.iter().filter(|e| is_fetch(e)).count(), 3);
    session.settle(back).await;
    assert!(session.screen().contains("1 of 826"), "{}", session.screen());
}

fn failing_second_page(query: &Query, cursor: Option<&Cursor>) -> Result<String, ApiError> {
    match (query, cursor) {
        (Query::Address(_, AddressQuery::Transactions { .. }), None) => {
            Ok(r#"{"items":[{"hash":"0x7b3ea21d872f869bed3aac4a1a0a06a1136ee63a68d0a756ff5b9c11d50f90e3"},7,{"hash":"0x12"}],"next_page_params":{"index":1}}"#.into())
        }
        (Query::Address(_, AddressQuery::Transactions { .. }), Some(_)) => Err(ApiError::TimedOut { seconds: 40 }),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    }
}

#[tokio::test]
async fn failed_page_keeps_rows_and_retries_on_r() {
    let mut session = Session::canned(size(100, 24), ALICE, failing_second_page).await;
    session.keys("j").await;
    let screen = session.screen();
    assert!(screen.contains("✗ no response within 40 s · retrying in 5 s"), "{screen}");
    assert!(screen.contains("0x7b3e…90e3"));
    let requests = session.requests.len();
    session.keys("j k j").await;
    assert_eq!(session.requests.len(), requests, "not with each key");
    session.keys("r").await;
    let (query, cursor) = session
        .requests
        .iter()
        .rev()
        .find(|(q, _)| matches!(q, Query::Address(_, AddressQuery::Transactions { .. })))
        .unwrap();
    assert!(
        matches!(query, Query::Address(_, AddressQuery::Transactions { .. })) && cursor.is_some(),
        "the same page"
    );
}

#[tokio::test]
async fn unreadable_row_shows_its_reason_and_json() {
    let mut session = Session::canned(size(100, 24), ALICE, failing_second_page).await;
    let screen = session.screen();
    assert!(screen.contains("unreadable row: expected an object, found 7"), "{screen}");
    assert!(screen.contains("unreadable row: expected a 32-byte hash"), "{screen}");
    session.keys("j j enter").await;
    assert!(session.screen().contains("\"hash\": \"0x12\""), "{}", session.screen());
    session.keys("y j").await;
    assert_eq!(session.copied(), Some(r#"{"hash":"0x12"}"#));
}

#[tokio::test]
async fn quit_and_interrupt_keys() {
    let mut session = Session::demo(size(80, 24), "").await;
    assert_eq!(session.press("Q"), [Effect::Quit]);
    assert_eq!(session.press("q"), [Effect::Quit]);
    session.press("enter");
    let stopped = session.press("ctrl-c");
    assert!(stopped.iter().filter(|e| is_cancel(e)).count() == 2);
    assert!(session.screen().contains("^c again quits"));
    assert_eq!(session.press("ctrl-c"), [Effect::Quit]);
    session.press("ctrl-c");
    session.press("j");
    assert_ne!(session.press("ctrl-c"), [Effect::Quit], "only twice in a row");
    assert!(!session.press("q").contains(&Effect::Quit), "q closes the view first");
}

#[tokio::test]
async fn tick_updates_ages_only() {
    let network = Chains::default().network_at(&"http://127.0.0.1:1".parse().unwrap());
    let source = Provider::new(&Network::demo());
    let mut session = Session::at(source, network, size(80, 24), ALICE).await;
    assert!(session.screen().contains(" 6m "), "{}", session.screen());
    let later = now() + jiff::SignedDuration::from_mins(60);
    assert!(session.app.update(Msg::Tick(later)).is_empty());
    assert!(session.screen().contains(" 1h "), "{}", session.screen());
    assert!(session.app.tick_interval().is_some());
    assert!(
        Session::demo(size(80, 24), "").await.app.tick_interval().is_none(),
        "no timer without ages"
    );
}

#[tokio::test]
async fn any_screen_size_can_be_drawn() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys("j j j j j j j j j j").await;
    for (width, height) in [(40, 10), (1, 1), (39, 9), (500, 200), (0, 0), (40, 10), (200, 60)] {
        session.resize(size(width, height)).await;
        session.screen();
        session.keys("G g g enter").await;
        session.screen();
        session.keys("? j esc s esc esc").await;
    }
}

fn is_fetch(effect: &Effect) -> bool {
    matches!(effect, Effect::Request { request: ChainRequest::Fetch { .. }, .. })
}

fn is_cancel(effect: &Effect) -> bool {
    matches!(effect, Effect::Cancel(_))
}

#[tokio::test]
async fn busy_pane_shows_for_how_long_it_waits() {
    let mut session = Session::demo(size(80, 24), "").await;
    let effects = session.press("enter");
    assert_eq!(session.app.tick_interval(), Some(std::time::Duration::from_millis(120)));
    for seconds in [0, 3] {
        session.app.update(Msg::Tick(now() + jiff::SignedDuration::from_secs(seconds)));
    }
    let screen = session.screen();
    for wait in ["⠙ loading… transactions of 0xf39F…2266 from demo ", " 3 s · ^c stops "] {
        assert!(screen.contains(wait), "{screen}");
    }
    assert_eq!((screen.matches("loading").count(), screen.matches("3 s").count()), (1, 1));
    session.settle(effects).await;
    assert!(!session.screen().contains("loading"), "{}", session.screen());
    assert_eq!(session.app.tick_interval(), None, "ages stand still");
}

#[tokio::test]
async fn wait_for_a_cancelled_request_does_not_count() {
    let mut session = Session::demo(size(80, 24), "").await;
    session.press("enter");
    let pass = |session: &mut Session, seconds: [i64; 2]| {
        for seconds in seconds {
            session.app.update(Msg::Tick(now() + jiff::SignedDuration::from_secs(seconds)));
        }
    };
    pass(&mut session, [0, 3]);
    for (key, seconds) in [("2", [4, 5]), ("1", [6, 8]), ("r", [9, 13])] {
        session.press(key);
        pass(&mut session, seconds);
        let wait = format!(" {} s · ^c stops ", seconds[1] - seconds[0]);
        assert!(session.screen().contains(&wait), "{key}\n{}", session.screen());
    }
}

#[tokio::test]
async fn ages_on_the_demo_chain_count_from_its_last_block() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    for _ in 0..2 {
        assert_shows(&session, "│   12s 0xf839…70ca ");
        assert_shows(&session, " 1m 4s ");
        session.app.update(Msg::Tick(now() + jiff::SignedDuration::from_hours(9)));
    }
}

#[tokio::test]
async fn age_of_a_transaction_grows_on_its_page() {
    let bodies = queries().into_iter().map(|(query, body)| (query_kind(&query), body));
    let bodies: HashMap<_, _> = bodies.collect();
    let answer = move |query: &Query, _: Option<&Cursor>| {
        let body = bodies.get(&query_kind(query)).cloned();
        body.ok_or_else(|| ApiError::from_error_body(501, b""))
    };
    let mut session = Session::explorer(size(120, 40), SWAP, answer).await;
    let age = |session: &Session| {
        let screen = session.screen();
        let age = screen.split(" (").find_map(|part| part.split_once(" ago)"));
        age.unwrap_or_else(|| panic!("{screen}")).0.to_owned()
    };
    let before = age(&session);
    session.app.update(Msg::Tick(now() + jiff::SignedDuration::from_hours(900)));
    assert_ne!(age(&session), before);
}

#[tokio::test]
async fn nested_calls_of_a_transaction_have_a_line_each() {
    let hash = "0x20337b4229c894f9ab51ba87ade1e4ff5dbfd4f4448c164aa8eba54c34daf47b";
    let session = Session::demo(size(120, 40), hash).await;
    assert_shows(&session, "▸ #2              0x203b4e79… 260 bytes");
    let mut session = Session::learning(size(120, 40), hash, None).await;
    for text in [
        "bytes[] d          3 items",
        "▸ #2               swapExactIn(…) 260 bytes",
        "gas price",
        "nonce",
    ] {
        assert_shows(&session, text);
    }
    session.keys("/").await;
    session.type_text("260 bytes").await;
    session.keys("enter y y").await;
    let copied = session.copied().unwrap();
    assert!(copied.starts_with("0x203b4e79") && copied.len() == 2 + 2 * 260, "{copied}");
    session.keys("l").await;
    assert_shows(&session, "▾ #2 ");
    for text in ["uint256 amt", "1,000,000"] {
        assert_shows(&session, text);
    }
    session.keys("2").await;
    assert_shows(&session, "Router.multicall([3 × swapExactIn(…)], true)");
}

#[tokio::test]
async fn worth_of_a_loss_has_its_sign() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("6").await;
    let screen = session.screen();
    let line = screen.lines().find(|line| line.contains("−2,500")).unwrap();
    assert!(line.contains(" −$2,50"), "{screen}");
}
