//! The pane of a contract, and reading one, on the demo chain and with hostile servers.

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

use alloy_primitives::{hex, keccak256};
use chainglass::test_api::api::{AddressQuery, ApiError, Cursor, Query, TransactionQuery};
use chainglass::test_api::app_message::{
    ChainIndex, ChainRequest, Effect, Msg, NetworkEvent, RequestId,
};
use chainglass::test_api::chain::{Address, BlockId, Bytes, U256};
use chainglass::test_api::pane::MAX_NAMED_CONTRACTS;
use serde_json::{Value, json};

use super::demo_items::{DEEP_ERROR, SWAP};
use super::session::{ALICE, CannedResponse, Session, cancels, size, trace_events};

/// A token whose name is hostile, with a plain source.
const TOKEN: &str = "0x0165878A594ca255338adfa4d48449f69242Eb8F";
const GOLD: &str = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const PROXY: &str = "0x261d8c5e9742e6f7f1076fa1f560894524e19cad";
const UNVERIFIED: &str = "0x01aacf98cbd7b7e2b03840cbc512ea23ce61bd91";

/// Goes through the tabs to the one that asks for a contract.
async fn open_tab(session: &mut Session) {
    let asked = |session: &Session| {
        session.requests.iter().filter(|(query, _)| matches!(query, Query::Contract(_))).count()
    };
    let before = asked(session);
    for _ in 0..12 {
        session.keys("}").await;
        if asked(session) > before {
            return;
        }
    }
    panic!("no such tab in\n{}", session.screen());
}

async fn opened(address: &str, width: u16, height: u16) -> Session {
    let mut session = Session::demo(size(width, height), address).await;
    open_tab(&mut session).await;
    session
}

fn assert_shows(session: &Session, all: &[&str]) {
    let screen = session.screen();
    for part in all {
        assert!(screen.contains(part), "{part:?} is not in\n{screen}");
    }
}

async fn search(session: &mut Session, text: &str) {
    session.keys("/").await;
    session.type_text(text).await;
}

#[tokio::test]
async fn code_has_the_whole_pane_where_there_is_no_space_beside_it() {
    for key in ["Z", "tab"] {
        let mut session = Session::demo(size(80, 24), GOLD).await;
        session.keys("7").await;
        let before = session.screen();
        session.keys(key).await;
        let code = session.screen();
        assert!(code.contains("│  Tokens.sol:5 ") && code.contains("contract "), "{key}: {code}");
        session.keys("j j G").await;
        assert!(session.screen().contains(" of 113 "), "{key}: {}", session.screen());
        session.keys(key).await;
        assert_eq!(session.screen(), before, "{key}");
    }
}

#[tokio::test]
async fn verified_contract_has_settings_functions_and_arguments() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut session = opened(TOKEN, width, height).await;
        let facts = ["Token20 · verified · Solidity · optimized, 200 runs", "EVM Prague", "MIT"];
        assert_shows(&session, &facts);
        assert_shows(&session, &["0x70a08231 balanceOf(address) → uint256", "Tokens.sol · 113"]);
        assert_shows(&session, &["▾ read", "constructor", "bytes"]);
        let is_folded = width < 200;
        assert_eq!(session.screen().contains("▸ constructor"), is_folded, "{}", session.screen());
        search(&mut session, "string n").await;
        assert_shows(&session, &["▾ constructor"]);
    }
}

#[tokio::test]
async fn search_finds_lines_of_a_folded_source() {
    let mut session = opened(TOKEN, 120, 32).await;
    search(&mut session, "MKR-STYLE").await;
    assert_shows(&session, &["/// MKR-style token", "contract Bytes32Token {"]);
    assert_shows(&session, &["match 1 of 1 for \"MKR-STYLE\""]);
    search(&mut session, "contract ").await;
    let notice = |session: &Session| session.app.notice().unwrap().to_string();
    let first = notice(&session);
    session.keys("n n N").await;
    assert_ne!(notice(&session), first);
    session.keys("N").await;
    assert_eq!(notice(&session), first);
    search(&mut session, "no such text").await;
    assert_eq!(session.app.notice().map(|it| &**it), Some("no match for \"no such text\""));
}

/// Returns what the code beside the document shows: its title and its lines.
fn code_beside(session: &Session) -> String {
    // A scrollbar may be over the lines.
    let right = |line: &str| line.split(['│', '┃']).nth(2).map(str::to_owned);
    session.screen().lines().filter_map(right).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn source_stands_beside_what_is_selected_on_wide_screens() {
    assert_eq!(code_beside(&opened(TOKEN, 119, 40).await).trim(), "", "too narrow");
    for (width, height) in [(120, 40), (200, 60)] {
        let mut session = opened(TOKEN, width, height).await;
        let asked = session.requests.len();
        assert!(code_beside(&session).contains("    5 contract Token20 {"), "{}", session.screen());
        // A getter, a function, an event, an error and the file.
        for (entry, line, text) in [
            ("balanceOf(address)", 8, "public balanceOf;"),
            ("mint(address", 14, "function mint("),
            ("Approval(", 11, "event Approval("),
            ("InsufficientBalance(", 12, "error InsufficientBalance("),
            ("Tokens.sol", 1, "// SPDX-License"),
        ] {
            search(&mut session, entry).await;
            let code = code_beside(&session);
            let title = format!(" Tokens.sol:{line} ");
            assert!(code.contains(&title) && code.contains(text), "{entry}\n{}", session.screen());
        }
        assert_eq!(session.requests.len(), asked, "nothing more is asked for");
        assert_shows(&session, &["Tab whole source"]);
        session.keys("tab j j").await;
        assert_shows(&session, &[" Tokens.sol:3 "]);
        session.keys("g g esc").await;
        assert_shows(&session, &["7 Co", "lines 1–"]);
        // What only the code has is found there; Enter on a function without a call leads there.
        search(&mut session, "MKR-STYLE").await;
        assert_shows(&session, &["/// MKR-style token"]);
        session.keys("tab g g").await;
        search(&mut session, "burn(").await;
        session.keys("enter y y").await;
        let copied = session.copied().unwrap_or_default().trim_start();
        assert!(copied.starts_with("function burn("), "{copied}");
    }
}

#[tokio::test]
async fn long_lines_of_code_are_whole() {
    for (width, height) in [(120, 40), (200, 60)] {
        let mut session = opened(TOKEN, width, height).await;
        let code = code_beside(&session);
        assert!(!code.contains('…'), "{code}");
        let lines: Vec<&str> = code.lines().map(str::trim_end).collect();
        let at = lines.iter().position(|line| line.starts_with("   14     function mint")).unwrap();
        assert!(lines[at + 1].starts_with(&" ".repeat(14)), "a hanging indent: {code}");
        search(&mut session, "Tokens.sol").await;
        session.keys("tab").await;
        assert_eq!(code_beside(&session).trim(), "", "it has the whole pane");
    }
}

#[tokio::test]
async fn folds_of_a_contract_leave_no_line_out_for_a_few() {
    for (width, height) in [(80, 24), (120, 40)] {
        let session = opened(TOKEN, width, height).await;
        let screen = session.screen();
        let position = screen.lines().rfind(|line| line.contains('╰')).unwrap();
        assert!(!position.contains(" lines 1–"), "{screen}");
    }
    let screen = opened(TOKEN, 120, 40).await.screen();
    assert!(screen.contains("│ EVM Prague · MIT "), "not alone: {screen}");
    assert!(screen.contains("│ ▾ errors "), "{screen}");
}

#[tokio::test]
async fn enter_on_a_function_without_a_call_folds_nothing() {
    let mut session = opened(TOKEN, 80, 24).await;
    search(&mut session, "burn(").await;
    session.keys("enter y y").await;
    let copied = session.copied().unwrap_or_default();
    assert!(copied.contains("burn("), "{copied}\n{}", session.screen());
}

#[tokio::test]
async fn proxy_leads_to_its_implementation() {
    let mut session = opened(PROXY, 120, 50).await;
    assert_shows(&session, &["eip1967", "0x057ef64E23666F000b34aE31332854aCBd1c8544"]);
    let screen = session.screen();
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("no {text}\n{screen}"));
    assert!(at("▾ read") < at("▾ write") && at("▾ write") < at("▾ events"), "{screen}");
    assert_shows(&session, &["of Vault (Enter on one calls it)", "totalAssets()"]);
    search(&mut session, "0x06fdde03").await;
    session.keys("enter").await;
    assert_shows(&session, &["Glass Vault Share"]);
    session.keys("g g").await;
    search(&mut session, "0x057ef64").await;
    session.keys("enter").await;
    open_tab(&mut session).await;
    assert_shows(&session, &["totalAssets()"]);
}

#[tokio::test]
async fn unverified_contract_has_the_selectors_of_its_code() {
    let session = opened(UNVERIFIED, 120, 40).await;
    assert_shows(&session, &["verified", "no", "selectors", "code", "bytes"]);
}

#[tokio::test]
async fn account_without_code_says_so_in_a_line() {
    let session = opened(ALICE, 120, 40).await;
    assert_shows(&session, &["an account: there is no code"]);
}

#[tokio::test]
async fn functions_are_called_with_arguments_of_their_types() {
    let mut session = opened(TOKEN, 120, 50).await;
    search(&mut session, "symbol()").await;
    session.keys("enter").await;
    assert_shows(&session, &["symbol() → string = ␛[5mEV"]);
    search(&mut session, "0x70a08231").await;
    session.keys("enter").await;
    assert_shows(&session, &["address · 1 of 1 · balanceOf(address) → uint256"]);
    session.type_text("0x12").await;
    assert_shows(&session, &["not of type address: 0x12"]);
    session.keys("ctrl-u").await;
    session.type_text("unknown.eth").await;
    assert_shows(&session, &["address · 1 of 1", "name not found"]);
    session.keys("ctrl-u").await;
    session.type_text("alice.eth").await;
    assert_shows(&session, &["→ uint256", "of", ALICE]);
    search(&mut session, "0x18160ddd").await;
    session.keys("enter").await;
    assert_shows(&session, &["(= "]);
    search(&mut session, "0x8da5cb5b").await;
    session.keys("enter").await;
    assert_shows(&session, &["the demo chain runs no code"]);
    let calls = session.requests.iter().filter(|(query, _)| matches!(query, Query::Call(_)));
    assert_eq!(calls.count(), 4);
}

fn calls(session: &Session) -> Vec<(Option<u64>, Bytes)> {
    let call = |query: &Query| match query {
        Query::Call(call) => Some((call.block, call.data.clone())),
        _ => None,
    };
    session.requests.iter().filter_map(|(query, _)| call(query)).collect()
}

/// A contract with the function `count`, and one answer to all calls.
fn counter(answer: &'static str) -> impl Fn(&Query, Option<&Cursor>) -> Result<String, ApiError> {
    move |query, _| match query {
        Query::Contract(_) => Ok(json!({
            "name": "Counter", "is_verified": true, "deployed_bytecode": "0x60",
            "abi": [{"type": "function", "name": "count", "stateMutability": "view",
                     "inputs": [], "outputs": [{"name": "", "type": "uint256"}]}],
        })
        .to_string()),
        Query::Address(_, AddressQuery::Details) => {
            Ok(json!({"hash": TOKEN, "is_contract": true}).to_string())
        }
        Query::Call(_) | Query::Storage(_) => Ok(answer.to_owned()),
        Query::BlockByTime(_) => {
            Ok(r#"{"status":"1","message":"OK","result":{"blockNumber":"333"}}"#.to_owned())
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    }
}

const SEVEN: &str =
    r#"{"result":"0x0000000000000000000000000000000000000000000000000000000000000007"}"#;

#[tokio::test]
async fn long_result_has_groups_and_copies_its_digits() {
    let half = r#"{"result":"0x00000000000000000000000000000000000000000000000006f05b59d3b20000"}"#;
    let mut session = Session::canned(size(120, 40), TOKEN, counter(half)).await;
    open_tab(&mut session).await;
    search(&mut session, "count()").await;
    session.keys("enter").await;
    assert_shows(&session, &["count() → uint256 = 500,000,000,000,000,000"]);
    session.keys("y y").await;
    assert_eq!(session.copied(), Some("500000000000000000"));
}

#[tokio::test]
async fn state_after_a_block_replaces_the_answers() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut session = Session::canned(size(width, height), TOKEN, counter(SEVEN)).await;
        open_tab(&mut session).await;
        session.keys("@").await;
        assert_shows(&session, &["State after block", "A number, a date or an age. Leave empty"]);
        session.type_text("whenever").await;
        assert_shows(&session, &["not the number or the time of a block"]);
        session.keys("esc").await;
        assert_eq!(calls(&session), [], "nothing was called");
        search(&mut session, "count()").await;
        session.keys("enter").await;
        assert_shows(&session, &["count() → uint256 = 7 "]);
        session.keys("@").await;
        session.type_text("1,000").await;
        assert_shows(&session, &["count() → uint256 = 7 at block 1,000"]);
        assert_shows(&session, &["1 at block 1,000 (Enter", "─ at block 1,000 ─"]);
        session.keys("enter @ ctrl-u enter").await;
        assert!(!session.screen().contains("at block"), "{}", session.screen());
        session.keys("@").await;
        session.type_text("2020-01-01").await;
        assert_shows(&session, &["count() → uint256 = 7 at block 333"]);
        let blocks: Vec<_> = calls(&session).into_iter().map(|(block, _)| block).collect();
        assert_eq!(blocks, [None, Some(1_000), Some(1_000), None, Some(333)]);
        session.keys("@ ctrl-u").await;
        session.type_text("9999-01-01").await;
        assert_shows(&session, &["in the future: there is no block yet"]);
    }
}

#[tokio::test]
async fn block_for_an_unread_function_or_slot_reads_it_there() {
    let mut session = opened(GOLD, 120, 40).await;
    search(&mut session, "0x70a08231").await;
    session.keys("@").await;
    session.type_text("1").await;
    assert_shows(&session, &["address · 1 of 1 · balanceOf(address) → uint256"]);
    session.type_text("alice.eth").await;
    assert_shows(&session, &["balanceOf(address) → uint256 = 0 (= 0 GLD) · at block 1"]);
    let mut session = Session::canned(size(120, 40), TOKEN, counter(SEVEN)).await;
    open_tab(&mut session).await;
    search(&mut session, "count()").await;
    for (typed, block) in [("100", 100), ("2d", 333)] {
        session.keys("@ ctrl-u").await;
        session.type_text(typed).await;
        assert_shows(&session, &[&format!("count() → uint256 = 7 at block {block}")]);
        assert_eq!(calls(&session).last().unwrap().0, Some(block));
    }
    assert_eq!(calls(&session).len(), 2);
}

#[tokio::test]
async fn state_that_the_node_lacks_is_a_sentence() {
    for (answer, expected) in [
        (
            r#"{"error":{"code":-32000,"message":"missing trie node 0xab (path )"}}"#,
            "the explorer's node keeps no state of block 100",
        ),
        (r#"{"error":"Invalid block number"}"#, "Invalid block number"),
        (
            r#"{"error":{"code":3,"message":"execution reverted: header not found"}}"#,
            "execution reverted",
        ),
        (r#"{"result":[]}"#, "✗"),
    ] {
        let mut session = Session::canned(size(120, 40), TOKEN, counter(answer)).await;
        open_tab(&mut session).await;
        session.keys("@").await;
        session.type_text("100").await;
        search(&mut session, "count()").await;
        session.keys("enter").await;
        assert_shows(&session, &["count() → uint256", expected]);
    }
}

#[tokio::test]
async fn block_that_an_explorer_lacks_is_not_read() {
    let answer = r#"{"error":{"code":-32000,"message":"header not found"}}"#;
    let explorer = counter(answer);
    let mut session = Session::explorer(size(120, 40), TOKEN, move |query, cursor| match query {
        Query::Block(BlockId::Number(100), _) => Ok(r#"{"height":100}"#.to_owned()),
        Query::Block(BlockId::Number(7), _) => Err(ApiError::from_error_body(500, b"")),
        _ => explorer(query, cursor),
    })
    .await;
    open_tab(&mut session).await;
    search(&mut session, "count()").await;
    session.keys("@").await;
    session.type_text("999,999").await;
    assert_shows(&session, &["this explorer has no block 999,999, or not yet"]);
    assert_eq!(calls(&session), [], "nothing was called");
    for (block, number) in [("100", 100), ("7", 7)] {
        session.keys("ctrl-u").await;
        session.type_text(block).await;
        assert_shows(&session, &[&format!("the explorer's node keeps no state of block {block}")]);
        assert_eq!(calls(&session).last().unwrap().0, Some(number));
        session.keys("@").await;
    }
}

#[tokio::test]
async fn balances_of_the_demo_chain_are_known_after_each_block() {
    let mut session = opened(GOLD, 120, 40).await;
    search(&mut session, "0x70a08231").await;
    session.keys("enter").await;
    session.type_text("alice.eth").await;
    let newest = session.screen();
    session.keys("@").await;
    session.type_text("1").await;
    assert_shows(&session, &["balanceOf(address) → uint256 = 0 (= 0 GLD) · at block 1"]);
    session.keys("@ ctrl-u").await;
    session.type_text("999999").await;
    assert_shows(&session, &["no block 999,999 yet"]);
    session.keys("@ ctrl-u enter").await;
    assert_eq!(session.screen(), newest);
    search(&mut session, "0x06fdde03").await;
    session.keys("enter @").await;
    session.type_text("5").await;
    assert_shows(&session, &["the demo chain runs no code: of old blocks"]);
}

#[tokio::test]
async fn code_without_an_address_under_the_cursor_has_that_of_its_page() {
    let mut session = Session::canned(size(120, 40), TOKEN, counter(SEVEN)).await;
    open_tab(&mut session).await;
    session.keys("y a").await;
    assert_eq!(session.copied(), Some(TOKEN), "{}", session.screen());
}

fn slots(session: &Session) -> Vec<(Option<u64>, U256)> {
    let read = |query: &Query| match query {
        Query::Storage(read) => Some((read.block, read.slot)),
        _ => None,
    };
    session.requests.iter().filter_map(|(query, _)| read(query)).collect()
}

/// Reads a slot by its key and a text.
async fn read_slot(session: &mut Session, text: &str) {
    session.keys("S").await;
    session.type_text(text).await;
}

#[tokio::test]
async fn balances_of_listed_tokens_are_shown_after_a_block() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("4").await;
    let now = session.screen();
    session.keys("@").await;
    session.type_text("100").await;
    let screen = session.screen();
    assert!(screen.contains("[at block 100]") && screen.contains(" then "), "{screen}");
    let row = screen.lines().find(|line| line.contains(" GLD ")).unwrap();
    let amounts: Vec<&str> =
        row.split_whitespace().filter(|word| word.contains(',') && !word.contains('$')).collect();
    assert!(amounts.len() > 1 && amounts[0] != amounts[1], "{row}");
    assert_eq!(calls(&session), [], "the list is asked for, with its balances");
    session.keys("@ ctrl-u").await;
    session.type_text("999999").await;
    assert!(session.screen().contains(" ? "), "no block yet: {}", session.screen());
    session.keys("@ ctrl-u enter").await;
    assert_eq!(session.screen(), now);
}

#[tokio::test]
async fn storage_slots_are_words_without_a_layout() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut session = Session::canned(size(width, height), TOKEN, counter(SEVEN)).await;
        open_tab(&mut session).await;
        assert_shows(&session, &["storage", "no slot read (S reads one)"]);
        session.keys("G").await;
        read_slot(&mut session, "0").await;
        let word = format!("0x{:064x}", 7);
        assert_shows(&session, &["1 slot (S reads one)", &word]);
        assert!(!session.screen().contains("uint256 7"), "{}", session.screen());
        read_slot(&mut session, &format!("3[{ALICE}]")).await;
        let key = format!("{:0>64}{:064x}", ALICE.trim_start_matches("0x"), 3);
        let behind = U256::from_be_bytes(keccak256(hex::decode(key).unwrap()).0);
        assert_eq!(slots(&session), [(None, U256::ZERO), (None, behind)]);
        assert_shows(&session, &["2 slots", &format!("{behind:#066x}")]);
        session.keys("@").await;
        session.type_text("100").await;
        assert_shows(&session, &["2 slots at block 100", "─ at block 100 ─"]);
        let again = [(Some(100), behind), (Some(100), U256::ZERO)];
        assert_eq!(slots(&session)[2..], again);
    }
}

#[tokio::test]
async fn slots_that_are_none_are_typed_again() {
    let mut session = Session::canned(size(120, 40), TOKEN, counter(SEVEN)).await;
    open_tab(&mut session).await;
    for (typed, why) in [
        ("balances", "neither a slot nor a known variable: balances"),
        ("3[0x2a]", "not an address, a number, 32 bytes or \"text\": 0x2a"),
        ("3[1", "a bracket is not closed"),
    ] {
        read_slot(&mut session, typed).await;
        assert_shows(&session, &[typed, why]);
        session.keys("esc").await;
    }
    assert_eq!(slots(&session), []);
}

#[tokio::test]
async fn words_that_the_node_lacks_are_a_sentence() {
    for (answer, expected) in [
        (r#"{"error":{"message":"missing trie node"}}"#, "the explorer's node keeps no state of"),
        (r#"{"error":"Action not found."}"#, "Action not found."),
        (r#"{"result":"0x\u001b"}"#, "expected a word in hex"),
        ("[]", "expected"),
    ] {
        let mut session = Session::canned(size(120, 40), TOKEN, counter(answer)).await;
        open_tab(&mut session).await;
        session.keys("@").await;
        session.type_text("100").await;
        read_slot(&mut session, "0").await;
        assert_shows(&session, &["✗", expected]);
    }
}

#[tokio::test]
async fn layout_names_the_variables_of_a_slot() {
    let word = format!("0x{:0>22}{}01", "", "22".repeat(20));
    let layout = json!({
        "storage": [
            { "label": "open", "offset": 0, "slot": "0", "type": "t_bool" },
            { "label": "owner", "offset": 1, "slot": "0", "type": "t_address" },
            { "label": "ownerSet", "offset": 21, "slot": "0", "type": "t_bool" },
            { "label": "\u{1b}balances", "offset": 0, "slot": "1", "type": "t_mapping" }],
        "types": {
            "t_bool": { "encoding": "inplace", "label": "bool", "numberOfBytes": "1" },
            "t_address": { "encoding": "inplace", "label": "address", "numberOfBytes": "20" },
            "t_mapping": { "encoding": "mapping", "key": "t_address", "value": "t_bool",
                "label": "mapping(address => bool)", "numberOfBytes": "32" } },
    });
    let answer = move |query: &Query, cursor: Option<&Cursor>| match query {
        Query::Contract(_) => Ok(json!({
            "name": "Door", "is_verified": true, "deployed_bytecode": "0x60", "abi": [],
            "storage_layout": layout,
        })
        .to_string()),
        Query::Storage(_) => Ok(json!({ "result": word }).to_string()),
        query => counter("")(query, cursor),
    };
    let mut session = Session::canned(size(120, 40), TOKEN, answer).await;
    open_tab(&mut session).await;
    let types = ["4 slots", "open       bool", "owner      address", "mapping(address => bool)"];
    assert_shows(&session, &types);
    assert_eq!(slots(&session), [], "nothing is read unasked");
    search(&mut session, "owner").await;
    session.keys("enter").await;
    let owner = "0x2222222222222222222222222222222222222222";
    assert_shows(&session, &["true ", "bool", owner, "address"]);
    let screen = session.screen();
    let locked = screen.lines().find(|line| line.contains(" false ")).unwrap();
    assert!(locked.contains(" ownerSet "), "no member of `owner`: {screen}");
    search(&mut session, "mapping(").await;
    session.keys("enter").await;
    assert_shows(&session, &["Storage slot", "balances["]);
    session.type_text(&format!("{ALICE}]")).await;
    assert_eq!(slots(&session).len(), 1, "no variable has the name that is shown");
    session.keys("esc").await;
    let screen = session.screen();
    assert!(!screen.contains('\u{1b}'), "{screen}");
}

fn new_block() -> Msg {
    Msg::Network(ChainIndex::default(), NetworkEvent::Index(Box::default()))
}

#[tokio::test]
async fn variables_of_a_node_have_their_values_at_once() {
    let value = |label: &str, bytes: u32| json!({ "encoding": "inplace", "label": label, "numberOfBytes": bytes.to_string() });
    let variable = |label: &str, slot: u32, offset: u32, kind: &str| json!({ "label": label, "offset": offset, "slot": slot.to_string(), "type": kind });
    let layout = json!({
        "storage": [
            variable("open", 0, 0, "t_bool"), variable("limit", 0, 1, "t_uint64"),
            variable("fees", 1, 0, "t_fees"), variable("order", 2, 0, "t_order"),
            variable("queue", 3, 0, "t_queue"), variable("name", 4, 0, "t_string"),
            variable("balances", 5, 0, "t_mapping")],
        "types": {
            "t_bool": value("bool", 1), "t_uint64": value("uint64", 8),
            "t_fees": { "encoding": "inplace", "label": "uint64[3]", "numberOfBytes": "32", "base": "t_uint64" },
            "t_order": { "encoding": "inplace", "label": "struct Order", "numberOfBytes": "32",
                "members": [variable("amount", 0, 0, "t_uint64"), variable("done", 0, 8, "t_bool")] },
            "t_queue": { "encoding": "dynamic_array", "label": "uint64[]", "numberOfBytes": "32", "base": "t_uint64" },
            "t_string": { "encoding": "bytes", "label": "string", "numberOfBytes": "32" },
            "t_mapping": { "encoding": "mapping", "key": "t_uint64", "value": "t_bool",
                "label": "mapping(uint64 => bool)", "numberOfBytes": "32" } },
    });
    let words = ["701", "1e0000000000000014000000000000000a", "10000000000000005", "2"];
    let name = format!("\"0x{:0<62}0a\"", hex::encode("Vault"));
    let words = words.map(|word| format!("\"0x{word:0>64}\"")).into_iter().chain([name]);
    let results: Vec<String> = words.map(|word| format!("{{\"result\":{word}}}")).collect();
    let answers = format!("[{}]", results.join(","));
    let answer = move |query: &Query, cursor: Option<&Cursor>| match query {
        Query::Contract(_) => Ok(json!({ "name": "Vault", "deployed_bytecode": "0x60", "abi": [],
            "storage_layout": layout })
        .to_string()),
        Query::StorageWords(_) => Ok(answers.clone()),
        query => counter("")(query, cursor),
    };
    let mut session = Session::node(size(120, 40), TOKEN, answer).await;
    open_tab(&mut session).await;
    let values = [
        "open      true                bool",
        "limit     7                   uint64",
        "fees      [10, 20, 30]        uint64[3]",
        "order     amount 5, done true struct Order",
        "queue     2 items             uint64[]",
        "name      \"Vault\"             string",
        "balances  mapping(",
    ];
    assert_shows(&session, &values);
    let blocks = |session: &Session| -> Vec<Option<u64>> {
        let read = session.requests.iter().filter_map(|(query, _)| match query {
            Query::StorageWords(batch) => Some(batch.block),
            _ => None,
        });
        read.collect()
    };
    assert_eq!((slots(&session), blocks(&session)), (vec![], vec![None]), "one request");
    let effects = session.app.update(new_block());
    session.settle(effects).await;
    assert_eq!(blocks(&session), [None, None], "again after a new block");
    session.keys("@").await;
    session.type_text("100").await;
    let effects = session.app.update(new_block());
    session.settle(effects).await;
    assert_eq!(blocks(&session), [None, None, Some(100)]);
    assert_shows(&session, &values);
}

#[tokio::test]
async fn members_of_a_struct_have_their_names_at_every_width() {
    let value = |label: &str, bytes: u32| json!({ "encoding": "inplace", "label": label, "numberOfBytes": bytes.to_string() });
    let member = |label: &str, offset: u32, kind: &str| json!({ "label": label, "offset": offset, "slot": "0", "type": kind });
    let layout = json!({
        "storage": [{ "label": "positions", "offset": 0, "slot": "3", "type": "t_mapping" }],
        "types": {
            "t_uint128": value("uint128", 16), "t_uint64": value("uint64", 8),
            "t_bool": value("bool", 1), "t_address": value("address", 20),
            "t_position": { "encoding": "inplace", "label": "struct Position", "numberOfBytes": "32",
                "members": [member("amount", 0, "t_uint128"), member("since", 16, "t_uint64"),
                    member("frozen", 24, "t_bool")] },
            "t_mapping": { "encoding": "mapping", "key": "t_address", "value": "t_position",
                "label": "mapping(address => struct Position)", "numberOfBytes": "32" } },
    });
    let word =
        format!("0x{:0>16}{:016x}{:032x}", "1", 1_795_934_493, 2_000_000_000_000_000_000_u64);
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let (layout, word) = (layout.clone(), word.clone());
        let answer = move |query: &Query, cursor: Option<&Cursor>| match query {
            Query::Contract(_) => Ok(json!({ "name": "Vault", "is_verified": true,
                "deployed_bytecode": "0x60", "abi": [], "storage_layout": layout })
            .to_string()),
            Query::Storage(_) => Ok(json!({ "result": word }).to_string()),
            query => counter("")(query, cursor),
        };
        let mut session = Session::canned(size(width, height), TOKEN, answer).await;
        open_tab(&mut session).await;
        read_slot(&mut session, &format!("positions[{}]", ALICE.to_lowercase())).await;
        let screen = session.screen();
        let columns = [
            (".amount ", "2,000,000,000,000,000,000 ", " uint128"),
            (".since ", "1,795,934,493 ", " uint64"),
            (".frozen ", "true ", " bool"),
        ]
        .map(|(member, value, kind)| {
            let line = screen.lines().find(|line| line.contains(member)).unwrap();
            [member, value, kind].map(|text| line.find(text).unwrap())
        });
        assert!(columns.iter().all(|place| *place == columns[0]), "{columns:?}\n{screen}");
    }
}

#[tokio::test]
async fn slots_of_a_proxy_have_their_values_on_a_node() {
    let words = [format!("0x{:0>64}", &PROXY[2..]), format!("0x{:064x}", 0)];
    for (width, shown) in [(160, "0x261D8c5e9742e6f7f1076Fa1F560894524e19cad"), (60, "0x261D…9cad")]
    {
        let words = words.clone();
        let answer = move |query: &Query, cursor: Option<&Cursor>| match query {
            Query::Contract(address) if address.to_string().eq_ignore_ascii_case(TOKEN) => {
                Ok(json!({ "proxy_type": "eip1967", "deployed_bytecode": "0x60",
                    "implementations": [{ "address_hash": PROXY, "name": "Vault" }] })
                .to_string())
            }
            Query::StorageWords(batch) => {
                assert_eq!(batch.slots.len(), 3);
                let word = |n: usize| json!({ "result": words[n.min(1)] });
                Ok((0..3).map(word).collect::<Value>().to_string())
            }
            query => counter("")(query, cursor),
        };
        let mut session = Session::node(size(width, 40), TOKEN, answer).await;
        open_tab(&mut session).await;
        let content = session.content();
        for (slot, value) in [("implementation", shown), ("admin", "—"), ("beacon", "—")] {
            let name = format!("eip1967.proxy.{slot}");
            let line = content.lines().find(|line| line.contains(&name)).expect(&content);
            assert!(line.contains(value), "{slot}: {content}");
        }
    }
}

#[tokio::test]
async fn slots_of_a_proxy_are_read_before_an_upgrade_without_its_variables() {
    let layout = json!({
        "storage": [{ "label": "open", "offset": 0, "slot": "0", "type": "t_bool" }],
        "types": { "t_bool": { "encoding": "inplace", "label": "bool", "numberOfBytes": "1" } },
    });
    let upgraded = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b";
    let word = format!("0x{:0>64}", &PROXY[2..]);
    let upgrade = json!({ "topics": [upgraded, word], "data": "0x", "block_number": 150 });
    let answer = move |query: &Query, cursor: Option<&Cursor>| match query {
        Query::Contract(address) if address.to_string().eq_ignore_ascii_case(TOKEN) => {
            Ok(json!({ "proxy_type": "eip1967", "deployed_bytecode": "0x60",
                "implementations": [{ "address_hash": PROXY, "name": "Vault" }] })
            .to_string())
        }
        Query::Contract(_) => Ok(json!({ "name": "Vault", "deployed_bytecode": "0x60",
            "abi": [{ "type": "function", "name": "points", "inputs": [], "stateMutability": "view",
                "outputs": [{ "type": "uint256", "name": "" }] }],
            "storage_layout": layout })
        .to_string()),
        Query::Address(_, AddressQuery::Events { .. }) => {
            Ok(json!({ "items": [upgrade], "next_page_params": null }).to_string())
        }
        Query::StorageWords(batch) => {
            let words = batch.slots.iter().map(|_| json!({ "result": word }));
            Ok(words.collect::<Value>().to_string())
        }
        query => counter("")(query, cursor),
    };
    let mut session = Session::node(size(160, 40), TOKEN, answer).await;
    open_tab(&mut session).await;
    let batches = |session: &Session| -> Vec<(Option<u64>, usize)> {
        let read = session.requests.iter().filter_map(|(query, _)| match query {
            Query::StorageWords(batch) => Some((batch.block, batch.slots.len())),
            _ => None,
        });
        read.collect()
    };
    assert_eq!(batches(&session), [(None, 4)], "{}", session.content());
    for (block, slots) in [(100, 3), (200, 4)] {
        session.keys("@ ctrl-u").await;
        session.type_text(&block.to_string()).await;
        assert_eq!(batches(&session).last(), Some(&(Some(block), slots)));
        let content = session.content();
        let line = content.lines().find(|line| line.contains("eip1967.proxy.implementation"));
        assert!(line.is_some_and(|line| line.contains("0x261D8c5e")), "{block}: {content}");
        let is_later = content.contains("1 of Vault (installed later) at block 100");
        assert_eq!(is_later, block == 100, "{content}");
    }
}

#[tokio::test]
async fn slots_of_a_proxy_have_their_names() {
    let answer = move |query: &Query, cursor: Option<&Cursor>| match query {
        Query::Contract(address) if address.to_string().eq_ignore_ascii_case(TOKEN) => {
            Ok(json!({ "proxy_type": "eip1967", "deployed_bytecode": "0x60",
                "implementations": [{ "address_hash": PROXY, "name": "Vault" }] })
            .to_string())
        }
        Query::Storage(_) => Ok(json!({ "result": format!("0x{:0>64}", &PROXY[2..]) }).to_string()),
        query => counter("")(query, cursor),
    };
    let mut session = Session::canned(size(120, 40), TOKEN, answer).await;
    open_tab(&mut session).await;
    assert_shows(&session, &["3 slots", "eip1967.proxy.implementation", "eip1967.proxy.beacon"]);
    search(&mut session, "eip1967.proxy.admin").await;
    session.keys("enter j j").await;
    assert_shows(&session, &["0x261D8c5e9742e6f7f1076Fa1F560894524e19cad"]);
    read_slot(&mut session, "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc")
        .await;
    assert_shows(&session, &["0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"]);
    assert_eq!(slots(&session).len(), 2);
}

#[tokio::test]
async fn function_without_results_returns_nothing() {
    for (data, shown, hidden) in [
        ("0x", "    →                 nothing", "does not match the ABI"),
        ("0x01", "0x01 (does not match the ABI)", "nothing"),
    ] {
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Contract(_) => Ok(json!({
                "name": "Checks", "is_verified": true, "deployed_bytecode": "0x60",
                "abi": [{"type": "function", "name": "check", "stateMutability": "view",
                         "inputs": [], "outputs": []}],
            })
            .to_string()),
            Query::Address(_, AddressQuery::Details) => {
                Ok(json!({"hash": TOKEN, "is_contract": true}).to_string())
            }
            Query::Call(_) => Ok(json!({"jsonrpc": "2.0", "id": 1, "result": data}).to_string()),
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        };
        let mut session = Session::canned(size(120, 40), TOKEN, answer).await;
        open_tab(&mut session).await;
        search(&mut session, "check()").await;
        session.keys("enter").await;
        let content = session.content();
        assert!(content.contains(shown) && !content.contains(hidden), "{data}: {content}");
    }
}

fn hostile(query: &Query, _: Option<&Cursor>) -> Result<String, ApiError> {
    let line = "string a = \"\u{1b}]0;x\u{7}\u{202e}\"; /* \u{9b}31m\r\n";
    match query {
        Query::Contract(_) => Ok(json!({
            "name": "\u{1b}[2J«Alice»", "is_verified": true, "is_changed_bytecode": true,
            "compiler_version": "\u{202e}v0", "language": ["x"], "evm_version": 7,
            "optimization_enabled": "perhaps", "optimization_runs": -1,
            "proxy_type": "\u{1b}c", "implementations": [{"address_hash": 5, "name": "\u{200b}"}],
            "constructor_args": "zz", "file_path": "../\u{1b}[31m.sol",
            "source_code": line.repeat(60_000), "additional_sources": [5],
            "source_problems": ["\u{1b}[31msrc/A.sol changed"],
            "abi": [{"type": "function", "name": "\u{1b}f", "stateMutability": "view",
                     "inputs": [{"name": "\u{202e}", "type": "uint8"}],
                     "outputs": [{"name": "\u{7}", "type": "string"}]}, 5],
            "deployed_bytecode": "0x6", "creation_bytecode": {},
        })
        .to_string()),
        Query::Call(_) => {
            let error = json!({"code": 3, "message": "\u{1b}[31mno", "data": "0x08c379a0"});
            Ok(json!({ "error": error }).to_string())
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    }
}

#[tokio::test]
async fn hostile_contract_is_harmless() {
    let mut session = Session::canned(size(120, 40), TOKEN, hostile).await;
    open_tab(&mut session).await;
    assert_shows(
        &session,
        &[
            "“␛[2J‹Alice›”",
            "deployed code no longer matches the verified",
            "␛[31msrc/A.sol changed",
            "?",
        ],
    );
    search(&mut session, "string a").await;
    assert_shows(&session, &["string a = \"␛]0;x␇␦\"; /* ␦31m"]);
    search(&mut session, "more lines").await;
    assert_shows(&session, &["40,000 more lines, only in the JSON"]);
    search(&mut session, "␛f”(uint8").await;
    session.keys("enter").await;
    session.type_text("256").await;
    assert_shows(&session, &["not of type uint8: 256"]);
    session.keys("backspace").await;
    session.keys("enter").await;
    assert_shows(&session, &["✗", "0x08c379a0"]);
    let screen = session.screen();
    assert!(!screen.contains(['\u{1b}', '\u{202e}', '\u{7}', '\u{9b}']), "{screen}");
}

#[tokio::test]
async fn servers_without_contracts_cost_the_tab_its_content() {
    for status in [404, 422, 500, 501] {
        let refuse = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Contract(_) | Query::Address(_, AddressQuery::Details) => {
                Err(ApiError::from_error_body(status, br#"{"message":"Not found"}"#))
            }
            _ => Ok(r#"{"items":[],"next_page_params":null}"#.to_owned()),
        };
        let mut session = Session::canned(size(80, 24), TOKEN, refuse).await;
        assert!(!session.requests.iter().any(|(query, _)| matches!(query, Query::Contract(_))));
        open_tab(&mut session).await;
        let not_known = "the explorer has no code for it (r retries)";
        assert_shows(
            &session,
            &[if status == 404 { not_known } else { "✗ the explorer answered" }],
        );
    }
}

fn asked_contracts(session: &Session) -> Vec<Address> {
    let address = |query: &Query| match query {
        Query::Contract(address) => Some(*address),
        _ => None,
    };
    session.requests.iter().filter_map(|(query, _)| address(query)).collect()
}

/// Checks that no contract was asked for twice, and returns how many were.
fn count_of_asked(session: &Session) -> usize {
    let asked = asked_contracts(session);
    let different: HashSet<&Address> = asked.iter().collect();
    assert_eq!(different.len(), asked.len());
    asked.len()
}

#[tokio::test]
async fn contracts_of_a_trace_are_asked_for_once() {
    let mut session = Session::learning(size(160, 50), SWAP, None).await;
    session.keys("2").await;
    let asked = count_of_asked(&session);
    assert!((5..=MAX_NAMED_CONTRACTS).contains(&asked), "{asked}");
    session.keys("z M z R j j i i H L").await;
    session.keys("s").await;
    session.type_text(SWAP).await;
    session.keys("2 z R g n r").await;
    assert_eq!(count_of_asked(&session), asked);
    assert_shows(&session, &["Router.swapExact"]);

    let mut session = Session::demo(size(160, 50), SWAP).await;
    session.keys("2").await;
    assert_eq!(count_of_asked(&session), 0, "the setting turns it off");
    session.keys("g n").await;
    assert_eq!(count_of_asked(&session), asked, "but the user can ask");
}

#[tokio::test]
async fn errors_and_arguments_are_decoded_by_the_abis_of_the_explorer() {
    let mut session = Session::learning(size(160, 50), DEEP_ERROR, None).await;
    session.keys("2 z R").await;
    assert_shows(&session, &["DeepThrower.deep(5, errorString?())", " Thrower.errorString()"]);
}

/// A trace of `calls` calls of different contracts, each a proxy of another.
fn many_calls(calls: usize) -> Box<CannedResponse> {
    Box::new(move |query, _| {
        match query {
        Query::Transaction(_, TransactionQuery::RawTrace) => Ok(call_of(calls).to_string()),
        Query::Contract(address) if address.as_slice()[0] == 0xcc => {
            let name = "\u{1b}[31mProxy✓";
            let behind = json!({ "address_hash": Address::repeat_byte(0xdd), "name": name });
            Ok(json!({ "name": name, "implementations": [behind] }).to_string())
        }
        Query::Contract(_) => Ok(json!({
            "name": "\u{202e}Vault", "is_verified": true,
            "abi": [{"type": "function", "name": "poke", "inputs": [{"name": "times", "type": "uint256"}]},
                    {"type": "function", "name": "\u{1b}]0;", "inputs": [{"type": "nonsense"}]}],
        })
        .to_string()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    }
    })
}

fn call_of(calls: usize) -> serde_json::Value {
    let poke = hex::encode_prefixed(&keccak256("poke(uint256)")[..4]);
    let input = format!("{poke}{:064x}", 7);
    let inner = (0..calls).map(|n| {
        let to = Address::left_padding_from(&[&[0xcc; 16][..], &u32::try_from(n).unwrap().to_be_bytes()].concat());
        json!({"type": "CALL", "from": TOKEN, "to": to, "gas": "0x1", "gasUsed": "0x1", "input": input, "output": "0x"})
    });
    let calls: Vec<_> = inner.collect();
    json!({"type": "CALL", "from": ALICE, "to": TOKEN, "gas": "0x1", "gasUsed": "0x1", "input": "0x", "output": "0x", "calls": calls})
}

#[tokio::test]
async fn a_trace_asks_for_visible_contracts_first_and_for_few() {
    let mut session = Session::learning(size(160, 24), SWAP, Some(many_calls(100))).await;
    session.keys("2").await;
    let first = count_of_asked(&session);
    assert!((5..30).contains(&first), "only those on the screen, not {first}");
    assert_shows(&session, &["“␛[31mProxy✓”", "poke(7)"]);
    session.keys("ctrl-f ctrl-f ctrl-f ctrl-f G").await;
    assert_eq!(
        count_of_asked(&session),
        MAX_NAMED_CONTRACTS + 1,
        "with the one behind all proxies"
    );
    session.keys("g n").await;
    assert_eq!(count_of_asked(&session), 100 + 1);
    session.keys("g n").await;
    assert_eq!(count_of_asked(&session), 100 + 1);
}

#[tokio::test]
async fn names_that_failed_are_asked_for_again() {
    for keys in ["r", "T H"] {
        let is_down = Rc::new(Cell::new(true));
        let (mut respond, down) = (many_calls(20), Rc::clone(&is_down));
        let answer = move |query: &Query, cursor: Option<&Cursor>| match query {
            Query::Contract(_) if down.get() => Err(ApiError::TimedOut { seconds: 40 }),
            _ => respond(query, cursor),
        };
        let mut session = Session::learning(size(160, 24), SWAP, Some(Box::new(answer))).await;
        session.keys("2").await;
        let failed = asked_contracts(&session).len();
        assert!(failed > 4 && !session.screen().contains("poke(7)"), "{}", session.screen());
        is_down.set(false);
        session.keys(keys).await;
        assert!(asked_contracts(&session).len() >= 2 * failed, "after {keys}");
        assert_shows(&session, &["poke(7)"]);
    }
}

/// The contracts that effects ask for, with the ids of the requests.
fn contract_requests(effects: &[Effect]) -> Vec<(RequestId, Address)> {
    let asked = effects.iter().filter_map(|effect| match effect {
        Effect::Request { id, request: ChainRequest::Fetch { query, .. }, .. } => {
            Some((*id, query))
        }
        _ => None,
    });
    let contract = |(id, query): (RequestId, &Query)| match query {
        Query::Contract(address) => Some((id, *address)),
        _ => None,
    };
    asked.filter_map(contract).collect()
}

#[tokio::test]
async fn names_of_a_left_trace_are_asked_for_on_return() {
    let mut respond = many_calls(100);
    let mut session = Session::learning(size(160, 24), SWAP, Some(many_calls(100))).await;
    let effects = session.press("2");
    let mut update = |msg| session.app.update(msg);
    let Some(Effect::Request { id, request: ChainRequest::FetchTrace { .. }, .. }) =
        effects.first()
    else {
        panic!("{effects:?}")
    };
    let events = trace_events(Ok(call_of(100).to_string())).into_iter();
    let traced: Vec<Effect> =
        events.flat_map(|event| update(Msg::TraceUpdate { id: *id, event })).collect();
    let asked = contract_requests(&traced);
    let [(first, named), rest @ ..] = &asked[..] else { panic!("{traced:?}") };
    assert!(rest.len() > 4, "{asked:?}");
    let query = Query::Contract(*named);
    let reply = query.decode(respond(&query, None).unwrap().as_bytes(), None);
    let behind = contract_requests(&update(Msg::Fetched { id: *first, query, reply }));
    let unanswered = [rest, &behind].concat();
    let timers = effects.iter().filter_map(|effect| match effect {
        Effect::StartTimer(timer, _) => Some(*timer),
        _ => None,
    });
    timers.for_each(|timer| drop(update(Msg::TimerFired(timer))));

    let left = session.press("T");
    for (id, address) in &unanswered {
        assert!(left.iter().any(|effect| cancels(effect, *id)), "{address}: {left:?}");
    }
    let back = contract_requests(&session.press("H"));
    let addresses = |asked: &[(RequestId, Address)]| -> Vec<Address> {
        asked.iter().map(|(_, address)| *address).collect()
    };
    assert_eq!(addresses(&back), addresses(&unanswered));
    assert_eq!(contract_requests(&session.press("j")), [], "once");
}

fn asked_events(session: &Session) -> usize {
    let is_asked = |query: &Query| matches!(query, Query::Address(_, AddressQuery::Events { .. }));
    session.requests.iter().filter(|(query, _)| is_asked(query)).count()
}

#[tokio::test]
async fn proxy_shows_its_upgrades_once_its_tab_is_looked_at() {
    let mut session = Session::demo(size(120, 40), PROXY).await;
    assert_eq!(asked_events(&session), 0);
    session.keys("7").await;
    let content = session.content();
    assert!(content.contains("upgrades    1, newest first"), "{content}");
    assert!(content.contains("Vault · block 3 · ") && content.contains("tx 0x795f…"), "{content}");
    assert_eq!(asked_events(&session), 1);
    let mut session = Session::demo(size(120, 40), GOLD).await;
    session.keys("7").await;
    assert_eq!(asked_events(&session), 0, "only proxies have any");
}

#[tokio::test]
async fn upgrades_are_read_in_each_form_and_on_all_pages() {
    let word = |digit: &str| format!("0x{:0>64}", digit.repeat(40));
    let log = |topics: Value, data: String| {
        json!({ "topics": topics, "data": data, "block_number": 7, "timestamp": null }).to_string()
    };
    let upgraded = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b";
    let beacon = "0x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e";
    let cut = "0x8faa70878671ccd212d20771b795c50af8fd3ff6cf27f4bde57e5d4de0aeb673";
    let facets = format!("0x{:064x}{}{:064x}", 96, "0".repeat(128), 2);
    for (kind, logs, expected) in [
        (
            "eip1967",
            [log(json!([upgraded, word("a")]), "0x".into()), log(json!([upgraded]), word("b"))],
            ["0xaAaA", "0xbBbB"],
        ),
        (
            "eip1967_beacon",
            [log(json!([beacon, word("c")]), "0x".into()), log(json!([]), "0x".into())],
            ["beacon", "0xCcCC"],
        ),
        (
            "eip2535",
            [log(json!([cut]), facets.clone()), log(json!([cut]), "0x01".into())],
            ["facets changed: 2", "1, newest first"],
        ),
        ("unknown", ["7".into(), "{}".into()], ["upgrades", "none"]),
    ] {
        let answer = move |query: &Query, cursor: Option<&Cursor>| {
            match (query, cursor) {
            (Query::Contract(_), _) => Ok(json!({
                "name": "Proxy", "is_verified": true, "proxy_type": kind, "deployed_bytecode": "0x60",
                "implementations": [{ "address_hash": GOLD, "name": "Code" }],
            })
            .to_string()),
            (Query::Address(_, AddressQuery::Events { .. }), None) => {
                Ok(format!(r#"{{"items":[{}],"next_page_params":{{"index":1}}}}"#, logs[0]))
            }
            (Query::Address(_, AddressQuery::Events { .. }), Some(_)) => {
                Ok(format!(r#"{{"items":[{}],"next_page_params":null}}"#, logs[1]))
            }
            (Query::Address(_, AddressQuery::Details), _) => {
                Ok(json!({"hash": TOKEN, "is_contract": true}).to_string())
            }
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        }
        };
        let mut session = Session::canned(size(120, 40), TOKEN, answer).await;
        open_tab(&mut session).await;
        assert_shows(&session, &expected);
    }
}

#[tokio::test]
async fn failed_upgrades_cost_one_line() {
    let answer = |query: &Query, _: Option<&Cursor>| match query {
        Query::Contract(_) => Ok(json!({
            "name": "Proxy", "is_verified": true, "deployed_bytecode": "0x60",
            "implementations": [{ "address_hash": GOLD, "name": "Code" }],
        })
        .to_string()),
        Query::Address(_, AddressQuery::Details) => {
            Ok(json!({"hash": TOKEN, "is_contract": true}).to_string())
        }
        _ => Err(ApiError::from_error_body(500, b"\"Internal server error\"")),
    };
    let mut session = Session::canned(size(120, 40), TOKEN, answer).await;
    open_tab(&mut session).await;
    assert_shows(
        &session,
        &["upgrades", "? (the explorer answered 500: Internal server error)", "Code"],
    );
}
