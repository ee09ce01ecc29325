//! Answers of a server that is still indexing: numbers and fields that are not there yet. The
//! objects are shortened answers of Blockscout 11.2.7.

use std::time::Duration;

use chainglass::test_api::api::{
    AddressQuery, ApiError, BlockQuery, ChainQuery, Cursor, Query, TransactionQuery,
};
use chainglass::test_api::app_message::{ChainRequest, Effect, Msg};

use crate::session::{ALICE, Session, size};

const HASH: &str = "0x37ca3b6399aebb6b6cf5ee3eb9d988cf80d95df42ed4a3a03c7cfc169effcba6";
const ZEROS: &str = r#"{"transactions_count":"0"}"#;
/// A transaction of which only the hash is known.
const ROW: &str =
    r#"{"hash":"0x37ca3b6399aebb6b6cf5ee3eb9d988cf80d95df42ed4a3a03c7cfc169effcba6"}"#;
/// The fields of a creation that failed.
const CREATION: &str = r#""status":"error","result":"execution reverted","block_number":4,
    "to":null,"created_contract":{"hash":"0x973Adb9DE34C974C3A421A870203C5be9059E9Fa","is_contract":true}"#;

fn page(items: &str) -> String {
    format!(r#"{{"items":[{items}],"next_page_params":null}}"#)
}

fn transaction(fields: &str) -> String {
    format!(r#"{{"hash":"{HASH}","from":{{"hash":"{ALICE}"}},{fields}}}"#)
}

fn missing<T>() -> Result<T, ApiError> {
    Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#))
}

/// Opens an address whose object, counters and transactions are these.
async fn address(object: &'static str, counters: [&'static str; 2], rows: &'static str) -> Session {
    let mut asked = 0;
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Address(_, AddressQuery::Details) => Ok(format!(r#"{{"hash":"{ALICE}"{object}}}"#)),
        Query::Address(_, AddressQuery::Counters) => {
            asked += 1;
            Ok(counters[usize::from(asked > 1)].to_owned())
        }
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(rows)),
        _ => missing(),
    };
    Session::canned(size(120, 40), ALICE, answer).await
}

fn count_requests(session: &Session) -> usize {
    let is_counters =
        |(query, _): &&(Query, _)| matches!(query, Query::Address(_, AddressQuery::Counters));
    session.requests.iter().filter(is_counters).count()
}

#[tokio::test]
async fn contradicted_zeros_are_unknown_and_asked_for_once_more() {
    let counted = r#"{"transactions_count":"51"}"#;
    for (counters, rows, requests) in [
        ([ZEROS, counted], ROW, 2),
        ([ZEROS, ZEROS], ROW, 2),
        ([counted, counted], ROW, 1),
        ([ZEROS, ZEROS], "", 1),
    ] {
        let session = address("", counters, rows).await;
        let screen = session.screen();
        assert_eq!(screen.contains(" Tx 0 "), rows.is_empty(), "{screen}");
        assert_eq!(count_requests(&session), requests, "{counters:?}");
    }
}

#[tokio::test]
async fn header_has_the_balance_and_its_value() {
    for (object, shown) in [
        (
            r#","coin_balance":"9999999379289104186775358","exchange_rate":"2500.17""#,
            " 9,999,999.38 ETH ≈ $25B ",
        ),
        (r#","coin_balance":"9999999379289104186775358""#, " 9,999,999.38 ETH "),
        (r#","exchange_rate":"2500.17""#, " — ETH "),
    ] {
        let screen = address(object, [ZEROS, ZEROS], "").await.screen();
        assert!(screen.contains(shown), "{shown}: {screen}");
        assert_eq!(screen.contains('≈'), shown.contains('≈'), "{screen}");
    }
}

#[tokio::test]
async fn contradicted_zeros_are_asked_for_after_two_seconds() {
    let mut session = address("", [ZEROS, ZEROS], ROW).await;
    let asked = session.press("r");
    let id = asked.iter().find_map(|effect| match effect {
        Effect::Request {
            id,
            request: ChainRequest::Fetch { query: Query::Address(_, AddressQuery::Counters), .. },
            ..
        } => Some(*id),
        _ => None,
    });
    let query = Query::Address(ALICE.parse().unwrap(), AddressQuery::Counters);
    let reply = query.decode(ZEROS.as_bytes(), None);
    let effects = session.app.update(Msg::Fetched { id: id.unwrap(), query, reply });
    let [Effect::StartTimer(timer, delay)] = effects[..] else { panic!("{effects:?}") };
    assert_eq!(delay, Duration::from_secs(2));
    let woken = session.app.update(Msg::TimerFired(timer));
    assert!(matches!(woken[..], [Effect::Request { .. }]), "{woken:?}");
    assert_eq!(session.app.update(Msg::TimerFired(timer)), [], "only once");
}

#[tokio::test]
async fn unknown_revert_reason_is_neither_absent_nor_empty() {
    let unknown = "? (the explorer does not know it yet)";
    for (reason, shown) in [
        (r#"{"raw":null}"#, unknown),
        (r#"{"raw":""}"#, unknown),
        (r#""""#, unknown),
        ("{}", unknown),
        (r#"{"raw":"0x"}"#, "empty"),
        (r#"{"raw":"0x08c379a0"}"#, "0x08c379a0"),
        ("null", "—"),
        (
            r#"{"method_call":"Error(string reason)","method_id":"08c379a0","parameters":[{"name":"reason","type":"string","value":""}]}"#,
            "“”",
        ),
    ] {
        let body =
            transaction(&format!(r#""status":"error","block_number":4,"revert_reason":{reason}"#));
        let session = Session::canned(size(100, 40), HASH, move |_, _| Ok(body.clone())).await;
        let screen = session.content();
        let line = screen
            .lines()
            .find(|line| line.trim_start_matches(['▸', '▾', ' ']).starts_with("revert "))
            .unwrap_or_default();
        if reason.contains("string") {
            assert!(line.is_empty() && screen.contains(shown), "the head has it: {screen}");
            continue;
        }
        assert!(line.trim_end().ends_with(&format!("  {shown}")), "{reason}: {screen}");
    }
}

#[tokio::test]
async fn struct_in_an_error_has_the_names_of_its_fields() {
    let reason = r#"{"method_call":"BadOrder(uint256 index, (address to, string memo) order)",
        "method_id":"01020304","parameters":[{"name":"index","type":"uint256","value":"2"},
        {"name":"order","type":"(address,string)",
         "value":["0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266","the bad one"]}]}"#;
    let body =
        transaction(&format!(r#""status":"error","block_number":4,"revert_reason":{reason}"#));
    let mut session = Session::canned(size(120, 60), HASH, move |_, _| Ok(body.clone())).await;
    session.keys("z R").await;
    let screen = session.content();
    let mut lines = screen.lines();
    let is_field = |line: &str| line.trim_start().starts_with("string memo");
    assert!(lines.any(|line| is_field(line) && line.contains("the bad one")), "{screen}");
}

#[tokio::test]
async fn error_that_the_explorer_did_not_decode_has_all_its_arguments() {
    let text = "AA21 did not pay its prefund, because the account has too little";
    let digits = "4141323120646964206e6f7420706179206974732070726566756e642c206265\
                  636175736520746865206163636f756e742068617320746f6f206c6974746c65";
    let raw = format!("0x220266b6{:064x}{:064x}{:064x}{digits}", 2, 64, 64);
    let body = transaction(&format!(
        r#""status":"error","block_number":4,"revert_reason":{{"raw":"{raw}"}}"#
    ));
    let mut session = Session::canned(size(120, 60), HASH, move |_, _| Ok(body.clone())).await;
    session.keys("z R").await;
    let screen = session.content();
    let has = |start: &str, text: &str| {
        let mut lines = screen.lines().map(|line| line.trim_start_matches(['▸', '▾', ' ']));
        lines.any(|line| line.starts_with(start) && line.contains(text))
    };
    // The head ends before.
    assert!(has("string reason", &text[..50]) && has("revert data", "0x220266b6…"), "{screen}");
}

#[tokio::test]
async fn transaction_of_a_list_is_asked_for_in_full() {
    let listed = transaction(
        r#""status":"error","block_number":4,"token_transfers":null,"confirmations":9,
           "revert_reason":{"raw":null}"#,
    );
    let full = transaction(
        r#""status":"error","block_number":4,"token_transfers":[],"confirmations":9,
           "revert_reason":{"raw":"0x1234"}"#,
    );
    for (width, keys) in [(120, "enter"), (160, "tab")] {
        let (listed, full) = (listed.clone(), full.clone());
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(&listed)),
            Query::Transaction(_, TransactionQuery::Details) => Ok(full.clone()),
            _ => missing(),
        };
        let mut session = Session::canned(size(width, 44), ALICE, answer).await;
        session.keys(keys).await;
        let screen = session.screen();
        assert!(screen.contains("0x1234") && !screen.contains(": not loaded"), "{screen}");
    }
}

#[tokio::test]
async fn unknown_moves_of_coin_are_not_none() {
    let account = r#"{"hash":"0x973Adb9DE34C974C3A421A870203C5be9059E9Fa","is_contract":false}"#;
    let not_indexed = "internal transfers: not indexed by the explorer";
    for (fields, shown) in [
        (r#""status":"ok","value":"0","raw_input":"0x1234""#, not_indexed),
        (r#""status":null,"value":"0","raw_input":"0x""#, "? its outcome is unknown"),
        (r#""status":"ok","value":"0","raw_input":null"#, not_indexed),
        (
            r#""status":"ok","value":null,"raw_input":"0x""#,
            "? its value or a party of it is unknown",
        ),
        (r#""status":"ok","value":"0","raw_input":"0x""#, "none"),
    ] {
        let body = transaction(&format!(
            r#"{fields},"block_number":4,"to":{account},"token_transfers":[],
               "has_error_in_internal_transactions":null"#
        ));
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Transaction(_, TransactionQuery::Details) => Ok(body.clone()),
            _ => missing(),
        };
        let screen = Session::canned(size(120, 50), HASH, answer).await.screen();
        assert_eq!(says_none(&screen), shown == "none", "{fields}: {screen}");
        assert!(screen.contains(shown), "{fields}: {screen}");
    }
}

/// Returns `true` if a panel has no lines.
fn says_none(screen: &str) -> bool {
    screen.lines().any(|line| line.split('│').any(|part| part.trim() == "none"))
}

#[tokio::test]
async fn preview_of_a_call_on_a_node_without_traces_is_not_none() {
    let account = r#"{"hash":"0x973Adb9DE34C974C3A421A870203C5be9059E9Fa","is_contract":true}"#;
    for (counted, known) in [("null", false), ("false", true)] {
        let row = transaction(&format!(
            r#""status":"ok","value":"0","raw_input":"0x1234","block_number":4,"to":{account},
               "token_transfers":[],"has_error_in_internal_transactions":{counted}"#
        ));
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(&row)),
            Query::Transaction(_, TransactionQuery::InternalTransactions) => {
                Ok(r#"{"items":[],"next_page_params":null}"#.to_owned())
            }
            _ => missing(),
        };
        let mut session = Session::node(size(160, 44), ALICE, answer).await;
        session.keys("tab").await;
        let screen = session.screen();
        assert_eq!(says_none(&screen), known, "{counted}: {screen}");
        let is_missing = screen.contains("internal transfers: not loaded");
        assert_eq!(is_missing, !known, "{counted}: {screen}");
    }
}

/// A node's list marks the calls that were reverted with their parents, so the others count.
#[tokio::test]
async fn coin_of_calls_next_to_a_failed_one_is_known_where_reverted_calls_are_marked() {
    let account = r#"{"hash":"0x973Adb9DE34C974C3A421A870203C5be9059E9Fa","is_contract":true}"#;
    let body = transaction(&format!(
        r#""status":"ok","value":"5","raw_input":"0x1234","block_number":4,"to":{account},
           "token_transfers":[],"has_error_in_internal_transactions":true"#
    ));
    let call = |index: u8, value: u8, outcome: &str| {
        format!(
            r#"{{"index":{index},"type":"call","value":"{value}","from":{account},"to":{account},{outcome}}}"#
        )
    };
    let failed = r#""success":false,"error":"Reverted""#;
    let undone = r#""success":false,"error":"Parent reverted""#;
    let to_alice = call(3, 7, r#""success":true"#).replacen(
        &format!(r#""to":{account}"#),
        &format!(r#""to":{{"hash":"{ALICE}"}}"#),
        1,
    );
    let calls = [call(1, 0, failed), call(2, 9, undone), to_alice].join(",");
    let calls = format!(r#"{{"items":[{calls}],"next_page_params":null}}"#);
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => Ok(body.clone()),
        Query::Transaction(_, TransactionQuery::InternalTransactions) => Ok(calls.clone()),
        Query::Transaction(_, TransactionQuery::TokenTransfers) => {
            Ok(r#"{"items":[],"next_page_params":null}"#.to_owned())
        }
        _ => missing(),
    };
    let hash = format!("0x{}", "11".repeat(32));
    let explorer = Session::explorer(size(120, 44), &hash, answer.clone()).await.screen();
    assert!(explorer.contains("transfers (internal ones: see Trace)"), "{explorer}");
    assert!(explorer.contains("may have been reverted: see Trace"), "{explorer}");
    let node = Session::node(size(120, 44), &hash, answer).await.screen();
    assert!(node.contains("Balance changes (without the fee)"), "{node}");
    assert!(node.contains("+2 wei") && !node.contains("9 wei"), "{node}");
    for screen in [explorer, node] {
        assert!(screen.contains("! 1 of 4 calls failed"), "{screen}");
    }
}

#[tokio::test]
async fn row_is_shown_until_the_transaction_is_loaded() {
    let listed = transaction(r#""status":"ok","block_number":4,"token_transfers":null"#);
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(&listed)),
        _ => missing(),
    };
    let mut session = Session::canned(size(120, 44), ALICE, answer).await;
    session.press("enter");
    let screen = session.screen();
    assert!(
        screen.contains("✓ ok · block 4") && screen.contains("token transfers: not loaded"),
        "{screen}"
    );
    assert!(screen.contains(" loading ─") && !screen.contains("r loads"), "{screen}");
}

#[tokio::test]
async fn failed_creation_has_no_contract_on_its_page_and_in_its_trace() {
    let body = transaction(CREATION);
    let trace = r#"[{"action":{"creationMethod":"create","from":"0x976ea74026e726554db657fa54763abd0c3a0aa9",
        "gas":"0x6c79a","init":"0x60","value":"0x0"},"error":"Reverted",
        "result":{"address":"0x973adb9de34c974c3a421a870203c5be9059e9fa","code":"0x","gasUsed":"0x108"},
        "subtraces":0,"traceAddress":[],"type":"create"}]"#;
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(&body)),
        Query::Transaction(_, TransactionQuery::Details) => Ok(body.clone()),
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(trace.to_owned()),
        _ => missing(),
    };
    let mut session = Session::canned(size(120, 40), ALICE, answer).await;
    let list = session.screen();
    assert!(list.contains("+ —") && !list.to_lowercase().contains("0x973a"), "{list}");
    assert!(!session.copied_row().await.to_lowercase().contains("0x973a"));
    session.keys("enter").await;
    for tab in ["1", "2"] {
        session.keys(tab).await;
        let screen = session.screen();
        let is_note = |line: &str| line.contains("created ") && line.contains(" — (failed)");
        assert!(screen.lines().any(is_note), "{tab}: {screen}");
    }
}

#[tokio::test]
async fn mined_transaction_without_a_status_is_not_pending() {
    let result = r#""result":"awaiting_internal_transactions""#;
    for (fields, cell, word, status) in [
        (
            format!(r#""status":null,"block_number":4,{result}"#),
            "?",
            "?",
            "? (awaiting_internal_transactions)",
        ),
        (
            format!(r#""status":"error","block_number":4,{result}"#),
            "✗",
            "failed",
            "failed: reason not indexed yet",
        ),
        (
            format!(r#""status":null,"block_number":null,{result}"#),
            "…",
            "pending",
            "awaiting_internal_transactions",
        ),
    ] {
        let body = transaction(&fields);
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(&body)),
            Query::Transaction(_, TransactionQuery::Details) => Ok(body.clone()),
            _ => missing(),
        };
        let mut session = Session::canned(size(120, 40), ALICE, answer).await;
        let list = session.content();
        assert!(
            list.lines().any(|line| line.trim_start().starts_with(&format!("{cell} "))),
            "{cell}: {list}"
        );
        let row = session.copied_row().await;
        assert!(row.replace('"', "").starts_with(&format!("{word},")), "{row}");
        session.keys("enter").await;
        let screen = session.content();
        let head = screen.lines().find(|line| line.contains(status));
        assert!(head.is_some(), "{status}: {screen}");
        assert_eq!(screen.matches("awaiting").count(), status.matches("awaiting").count());
    }
}

#[tokio::test]
async fn internal_transactions_say_whether_they_succeeded() {
    for (success, error, end) in [
        ("true", "null", "ok"),
        ("false", "null", "failed"),
        ("false", r#""Parent reverted""#, "failed: Parent reverted"),
        ("null", "null", "—"),
    ] {
        let row = format!(
            r#"{{"transaction_hash":"{HASH}","index":1,"success":{success},"error":{error}}}"#
        );
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Address(_, AddressQuery::InternalTransactions { .. }) => Ok(page(&row)),
            _ => missing(),
        };
        let mut session = Session::canned(size(120, 40), ALICE, answer).await;
        session.keys("2").await;
        let shown = words(&session.content());
        assert!(shown.contains(&format!("{end} trace call #2 ·")), "{}", session.screen());
        let csv = session.copied_row().await;
        let status = end.split(':').next().unwrap_or_default().replace('—', "");
        let error = error.trim_matches('"').replace("null", "");
        assert!(csv.replace('"', "").starts_with(&format!("{error},{status},")), "{csv}");
    }
}

/// Returns the words of a text, each one blank apart.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn method_of_a_call_is_named_by_its_calldata() {
    let to = r#""to":{"hash":"0x973Adb9DE34C974C3A421A870203C5be9059E9Fa","is_contract":false}"#;
    let counted = r#""has_error_in_internal_transactions""#;
    for (fields, cell) in [
        (format!(r#""raw_input":"0xa9059cbb","method":null,{counted}:null"#), "transfer?"),
        (format!(r#""raw_input":"0x00f714ce","method":null,{counted}:null"#), "0x00f714ce"),
        (format!(r#""raw_input":"0xa9059cbb","method":null,{counted}:false"#), "—"),
        (format!(r#""raw_input":"0x","method":null,{counted}:null"#), "send"),
        (r#""raw_input":"0xa9059cbb","method":"0xa9059cbb""#.to_owned(), "transfer?"),
        (r#""method":"0xa9059cbb""#.to_owned(), "transfer?"),
        (r#""method":"0x00f714ce""#.to_owned(), "0x00f714ce"),
        (r#""raw_input":"0xa9059cbb","method":"pay""#.to_owned(), "pay"),
    ] {
        let body = transaction(&format!(r#""status":"ok","block_number":4,{to},{fields}"#));
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Address(_, AddressQuery::Transactions { .. })
            | Query::Chain(ChainQuery::Transactions) => Ok(page(&body)),
            _ => missing(),
        };
        let feed = words(&Session::canned(size(120, 40), "", answer.clone()).await.screen());
        assert!(feed.contains(&format!("0x37ca…cba6 {cell} ")), "{cell}: {feed}");
        let mut session = Session::canned(size(120, 40), ALICE, answer).await;
        let list = words(&session.content());
        assert!(list.contains(&format!("0x37ca…cba6 {cell} ")), "{cell}: {list}");
        session.keys("/").await;
        session.type_text(&format!("fn:{}", cell.trim_end_matches('?'))).await;
        assert!(!session.screen().contains("no match"), "{cell}: {}", session.screen());
        session.keys("enter enter").await;
        let screen = session.screen();
        let shown = format!("call                  {cell}");
        assert_eq!(screen.contains(&shown), cell != "send", "{cell}: {screen}");
        let title = format!("{cell} 0x37ca…cba6");
        assert_eq!(screen.contains(&title), cell != "—", "{cell}: {screen}");
    }
}

#[tokio::test]
async fn row_from_before_the_code_does_not_hide_the_method() {
    let fields = |method: &str, is_contract: bool, counted: &str| {
        let to = format!(
            r#""to":{{"hash":"0x973Adb9DE34C974C3A421A870203C5be9059E9Fa","is_contract":{is_contract}}}"#
        );
        transaction(&format!(
            r#""status":"ok","block_number":4,"raw_input":"0x00f714ce","method":{method},{to},
               "has_error_in_internal_transactions":{counted}"#
        ))
    };
    for (named, shown) in [(r#""wind""#, "wind"), ("null", "—")] {
        let (row, full) = (fields("null", false, "false"), fields(named, true, "false"));
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(&row)),
            Query::Transaction(_, TransactionQuery::Details) => Ok(full.clone()),
            _ => missing(),
        };
        let mut session = Session::canned(size(120, 40), ALICE, answer).await;
        assert!(words(&session.content()).contains("0x37ca…cba6 —"), "{}", session.screen());
        session.keys("enter esc r").await;
        let list = words(&session.content());
        assert!(list.contains(&format!("0x37ca…cba6 {shown} ")), "{shown}: {list}");
        session.keys("/").await;
        session.type_text("fn:wind").await;
        let screen = session.screen();
        assert_eq!(screen.contains("no match"), shown == "—", "{screen}");
    }
}

#[tokio::test]
async fn time_ahead_of_the_last_block_is_not_cut() {
    let body =
        transaction(r#""status":"ok","block_number":4,"timestamp":"2023-11-15T00:07:30.000000Z""#);
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(page(&body)),
        _ => missing(),
    };
    let mut session = Session::canned(size(120, 40), ALICE, answer).await;
    assert!(session.screen().contains(" +14m 2s "), "{}", session.screen());
    session.keys("enter").await;
    assert!(session.screen().contains("(in 14m 2s)"), "{}", session.screen());
}

#[tokio::test]
async fn zero_of_a_counter_is_left_to_the_list() {
    // The list cannot be loaded.
    let other = r#"{"transactions_count":"0","token_transfers_count":"294"}"#;
    let counted = r#"{"transactions_count":"269","token_transfers_count":"294"}"#;
    for (counters, label, requests) in [
        ([other, counted], "1 Tx 269 ", 2),
        ([other, other], "1 Tx ─", 2),
        ([ZEROS, ZEROS], "1 Tx ─", 1),
    ] {
        let mut asked = 0;
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Address(_, AddressQuery::Details) => Ok(format!(r#"{{"hash":"{ALICE}"}}"#)),
            Query::Address(_, AddressQuery::Counters) => {
                asked += 1;
                Ok(counters[usize::from(asked > 1)].to_owned())
            }
            _ => missing(),
        };
        let session = Session::canned(size(120, 40), ALICE, answer).await;
        let screen = session.screen();
        assert!(screen.contains(label), "{label}: {screen}");
        assert_eq!(count_requests(&session), requests, "{label}");
    }
}

/// A block that was replaced in a reorganization, and what else is said of it.
fn block(kind: &str, gas_used: u64) -> String {
    format!(
        r#"{{"hash":"{HASH}","height":490,"type":"{kind}","gas_used":"{gas_used}","gas_limit":"60000000",
            "transactions_count":0,"internal_transactions_count":0,"withdrawals_count":0}}"#
    )
}

#[tokio::test]
async fn replaced_block_does_not_lack_transactions() {
    let empty = ["no transactions in this block", "1 Tx 0 "];
    let replaced = ["replaced in a reorg: no transactions listed any more", "reorg"];
    for (kind, gas_used, shown, hidden) in
        [("reorg", 21_000, replaced, empty), ("block", 0, empty, replaced)]
    {
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Block(_, BlockQuery::Details) => Ok(block(kind, gas_used)),
            Query::Block(_, BlockQuery::Transactions) => Ok(page("")),
            _ => missing(),
        };
        let link = format!("https://explorer.example/blocks/{HASH}");
        let screen = Session::canned(size(120, 40), &link, answer).await.screen();
        for text in shown {
            assert!(screen.contains(text), "{kind}: no {text}\n{screen}");
        }
        for text in hidden {
            assert!(!screen.contains(text), "{kind}: {text}\n{screen}");
        }
    }
}

#[tokio::test]
async fn list_is_empty_only_when_it_is_loaded() {
    let mut session = address("", [ZEROS, ZEROS], "").await;
    session.press("enter");
    assert!(session.screen().contains("the list is empty"), "{}", session.screen());
    session.press("2");
    session.press("enter");
    assert!(session.screen().contains("still loading"), "{}", session.screen());
    assert!(!session.screen().contains("the list is empty"), "{}", session.screen());
}

#[tokio::test]
async fn block_time_of_zero_is_not_computed_yet() {
    for (time, is_shown) in [("0.0", false), ("0", false), ("1500.0", true)] {
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Stats => Ok(format!(
                r#"{{"average_block_time":{time},"network_utilization_percentage":50}}"#
            )),
            Query::Chain(ChainQuery::Blocks) => {
                Ok(r#"{"items":[{"height":7,"hash":null}]}"#.to_owned())
            }
            _ => missing(),
        };
        let screen = Session::canned(size(120, 40), "", answer).await.screen();
        assert_eq!(screen.contains("s a block"), is_shown, "{time}: {screen}");
        assert!(screen.contains("50% full"), "{screen}");
    }
}

#[tokio::test]
async fn short_name_is_not_called_unknown() {
    for (name, shown) in [
        ("gl", "too short: explorers search for three characters or more"),
        ("gld", "name not found"),
    ] {
        let answer = |query: &Query, _: Option<&Cursor>| match query {
            Query::Redirect(_) => Ok(r#"{"parameter":null,"redirect":false,"type":null}"#.into()),
            Query::Search(_) => Ok(page("")),
            _ => missing(),
        };
        let mut session = Session::canned(size(120, 40), "", answer).await;
        session.keys("s").await;
        session.type_text(name).await;
        session.keys("enter").await;
        assert!(session.screen().contains(shown), "{name}: {}", session.screen());
    }
}

#[tokio::test]
async fn tabs_have_the_counts_of_lists_that_were_not_opened() {
    let counted = r#"{"transactions_count":51,"internal_txs_count":50,"logs_count":0}"#;
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Address(_, AddressQuery::Details) => Ok(format!(r#"{{"hash":"{ALICE}"}}"#)),
        Query::Address(_, AddressQuery::TabCounters) => Ok(counted.to_owned()),
        _ => missing(),
    };
    let session = Session::canned(size(150, 40), ALICE, answer).await;
    let screen = session.screen();
    for label in ["1 Tx 50+ ", "2 Internal 50 ", "3 Token transfers ─", "6 Logs 0 "] {
        assert!(screen.contains(label), "{label}: {screen}");
    }
    let asked = session.requests.iter();
    let asked = asked.filter(|(query, _)| matches!(query, Query::Address(..))).count();
    assert_eq!(asked, 4, "the lists of other tabs are not asked for");
}
