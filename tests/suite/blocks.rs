//! Blocks: their page, how it is reached, their lists, and what hostile servers send for them.

use std::cell::Cell;
use std::rc::Rc;

use chainglass::test_api::api::{
    ApiError, BlockQuery, ChainQuery, Cursor, Query, TransactionQuery,
};
use chainglass::test_api::app_message::{ChainRequest, Effect, Msg};
use chainglass::test_api::chain::BlockId;

use super::demo_items::SWAP;
use super::session::{ALICE, Session, size};

/// The block of the swap.
const BLOCK: &str = "13";
const BLOCK_HASH: &str = "0x72c808c412ef94d4e5c6e12e83c70cb5a5acd1f560ae37c2f47aebef40c31e21";

async fn assert_shows(target: &str, keys: &str, expected: &[&str]) {
    let mut session = Session::demo(size(120, 40), target).await;
    session.keys(keys).await;
    let screen = session.screen();
    for text in expected {
        assert!(screen.contains(text), "{target} {keys}: no {text:?}\n{screen}");
    }
}

#[tokio::test]
async fn block_is_reached_by_number_link_and_cell() {
    let page = ["› block 13", BLOCK_HASH, "1 Tx 6", "3 Withdrawals 0", "4 Details"];
    assert_shows("", "s 1 3 enter", &page).await;
    assert_shows(BLOCK, "j", &page).await;
    assert_shows(&format!("https://explorer.example/blocks/{BLOCK_HASH}"), "j", &page).await;
    // From a cell of a list, and from the transaction's field.
    let mut session = Session::demo(size(150, 40), "").await;
    session.keys("g t h h h h h h l enter").await;
    let screen = session.screen();
    assert!(screen.contains("› all transactions › block 333"), "{screen}");
    assert_shows("", "B j enter", &["› all blocks › block 333"]).await;
    assert_shows("", "g t enter", &["› all transactions › "]).await;
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("G").await;
    for _ in 0..20 {
        if !session.screen().contains("› block 13") {
            session.keys("k h h enter").await;
        }
    }
    assert!(session.screen().contains("› block 13"), "{}", session.screen());
}

#[tokio::test]
async fn pasted_links_open_blocks() {
    for text in ["13", "https://127.0.0.1/block/13?tab=txs"] {
        let mut session = Session::demo(size(120, 40), "").await;
        let effects = session.app.update(Msg::Paste(text.into()));
        session.settle(effects).await;
        assert!(session.screen().contains("› block 13"), "{text}: {}", session.screen());
    }
}

#[tokio::test]
async fn hash_that_is_no_transactions_opens_the_block() {
    let mut session = Session::demo(size(120, 40), "").await;
    let asked = session.app.update(Msg::Paste(BLOCK_HASH.into()));
    let Some(Effect::Request { id, request: ChainRequest::Fetch { query, .. }, .. }) =
        asked.first()
    else {
        panic!("{asked:?}")
    };
    let (id, query) = (*id, query.clone());
    assert!(matches!(query, Query::Transaction(_, TransactionQuery::Details)), "{query:?}");
    let missing = Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#));
    let next = session.app.update(Msg::Fetched { id, query, reply: missing });
    assert!(!session.screen().contains("404"), "{}", session.screen());
    session.settle(next).await;
    assert!(session.screen().contains("› block 13"), "{}", session.screen());
    session.keys("esc").await;
    assert!(!session.screen().contains("0x72c8"), "no page in between: {}", session.screen());
    // Not known: the explorer failed.
    let Some(Effect::Request { id, .. }) = session.app.update(Msg::Paste(SWAP.into())).pop() else {
        panic!("no request")
    };
    let query = Query::Transaction(SWAP.parse().unwrap(), TransactionQuery::Details);
    let reply = Err(ApiError::from_error_body(500, b""));
    assert_eq!(session.app.update(Msg::Fetched { id, query, reply }), [], "no block is asked");
    assert!(session.screen().contains("500"), "{}", session.screen());
    // Neither.
    let unknown = format!("0x{}", "ab".repeat(32));
    let effects = session.app.update(Msg::Paste(unknown));
    session.settle(effects).await;
    let screen = session.screen();
    assert!(screen.contains("no such transaction on demo"), "{screen}");
}

#[tokio::test]
async fn hash_that_is_no_blocks_opens_the_user_operation() {
    for is_known in [true, false] {
        let mut session = Session::explorer(size(120, 40), SWAP, move |query, _| match query {
            Query::UserOperation(_) if is_known => {
                Ok(format!(r#"{{"hash":"{SWAP}","call_gas_limit":"26624"}}"#))
            }
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        })
        .await;
        let screen = session.screen();
        assert_eq!(screen.contains("call_gas_limit"), is_known, "{screen}");
        assert_eq!(screen.contains("no such transaction"), !is_known, "{screen}");
        let hash = SWAP.parse().unwrap();
        let asked =
            |asked: &Query| session.requests.iter().filter(|(query, _)| query == asked).count();
        assert_eq!(asked(&Query::UserOperation(hash)), 1);
        assert_eq!(asked(&Query::Block(BlockId::Hash(hash), BlockQuery::Details)), 1);
        session.keys("esc").await;
    }
}

/// A server before the explorer may lack the path.
#[tokio::test]
async fn status_404_of_another_server_says_nothing_about_a_hash() {
    let session = Session::explorer(size(120, 40), SWAP, |_, _| {
        Err(ApiError::from_error_body(404, br#"{"message":"Page not found"}"#))
    })
    .await;
    let screen = session.screen();
    assert!(screen.contains("404: Page not found") && screen.contains("requested"), "{screen}");
    assert!(!screen.contains("no such transaction"), "{screen}");
    let is_looked_up =
        |(query, _): &(Query, _)| matches!(query, Query::Block(..) | Query::UserOperation(_));
    assert!(!session.requests.iter().any(is_looked_up), "{:?}", session.requests);
}

#[tokio::test]
async fn block_is_asked_for_once() {
    for pasted in [BLOCK, BLOCK_HASH] {
        let mut session = Session::demo(size(120, 40), "").await;
        let effects = session.app.update(Msg::Paste(pasted.into()));
        session.settle(effects).await;
        session.keys("4").await;
        assert!(session.screen().contains("44.596321728 gwei"), "{}", session.screen());
        let is_block =
            |(query, _): &&(Query, _)| matches!(query, Query::Block(_, BlockQuery::Details));
        let asked = session.requests.iter().filter(is_block).count();
        assert_eq!(asked, 1, "{pasted}: {:?}", session.requests);
    }
}

#[tokio::test]
async fn page_shows_every_part_of_a_block_at_all_sizes() {
    let gas = "1%  847,510 of 60,000,000 · base fee 44.5963 gwei";
    let short = "fees 0.0720697 · tips 0.0342739 · burnt 0.0377958 ETH";
    let coins = "fees 0.0720697 ETH · tips 0.0342739 ETH · burnt 0.0377958 ETH";
    let validator = "fee recipient 0x0000…0000";
    let whole = "fee recipient 0x0000000000000000000000000000000000000000";
    for (width, height, facts) in
        [(80, 24, [short, ""]), (120, 40, [coins, validator]), (200, 60, [coins, whole])]
    {
        let identity = ["block 13  2023-11-14 22:17:51 UTC", "< previous  > next", gas];
        let header = [&identity[..], &facts].concat();
        let mut session = Session::demo(size(width, height), BLOCK).await;
        for (tab, expected) in [
            ("1", &["1 of 6", "tx", "swapExa"][..]),
            ("2", &["1 of "]),
            ("3", &["no withdrawals in this block"]),
            ("4", &["847,510 (1% of limit)  ╾─", "44.596321728 gwei", "gas vs target", BLOCK_HASH]),
        ] {
            session.keys(tab).await;
            let screen = session.screen();
            for text in header.iter().chain(expected) {
                assert!(screen.contains(text), "{width} {tab}: no {text:?}\n{screen}");
            }
            assert!(!screen.contains(" age "), "the header has it: {screen}");
        }
    }
    let small = Session::demo(size(40, 10), BLOCK).await.screen();
    let shown = ["block 13", "1%  847,510 of 60,000,000", "tips 0.0342739 ETH", "swapExa"];
    assert!(shown.iter().all(|text| small.contains(text)), "{small}");
    let fuller = Session::demo(size(40, 10), "330").await.screen();
    assert!(fuller.contains("gas 3%  1,606,699 of "), "without a gauge: {fuller}");
    let first = ["no transactions in this block", "gas ──", "> next"];
    assert_shows("0", "j", &first).await;
}

#[tokio::test]
async fn neighbors_replace_the_page_and_keep_its_tab() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("s 1 3 enter").await;
    for (key, title) in [(">", "block 14"), (">", "block 15"), ("<", "block 14"), ("<", "block 13")]
    {
        session.keys(key).await;
        let screen = session.screen();
        assert!(screen.contains(&format!("› alice.eth › {title}")), "{key}: {screen}");
        assert!(screen.contains(" 1 of "), "{screen}");
    }
    session.keys("esc").await;
    assert!(!session.screen().contains("block 13 "), "{}", session.screen());
    // By its hash, the number is known once the block is.
    let mut session = Session::demo(size(120, 40), "14").await;
    session.keys("4 j j enter").await;
    assert!(session.screen().contains("› block 14 › block 13"), "{}", session.screen());
    session.keys("<").await;
    assert!(session.screen().contains("› block 12"), "{}", session.screen());
    let mut session = Session::demo(size(120, 40), "0").await;
    session.keys("<").await;
    assert!(session.screen().contains("no such block here"), "{}", session.screen());
}

#[tokio::test]
async fn missing_block_says_so() {
    assert_shows("99999", "j", &["✗ not found on demo", "gc tries another chain", "block 99999"])
        .await;
}

/// A block with fields that are missing, null, of another type or out to deceive.
const HOSTILE_BLOCK: &str = r#"{"height":"\u001b[31m7","hash":12,"parent_hash":null,"timestamp":"then",
    "miner":{"hash":"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266","name":"\u202eevil\nname"},
    "transactions_count":-1,"gas_used":"9999999999999999999999","gas_limit":0,"size":[],
    "base_fee_per_gas":1.5,"burnt_fees":{},"type":"\u001b]0;x\u0007reorg","nonce":true,
    "rewards":[{"reward":"\u0007"}],"\u001b[2J":"\u200b"}"#;

fn hostile(query: &Query, _: Option<&Cursor>) -> Result<String, ApiError> {
    let withdrawal = r#"{"index":"\u001b[1m","receiver":{"hash":"no"},"amount":-5,"timestamp":{}}"#;
    match query {
        Query::Block(_, BlockQuery::Details) => Ok(HOSTILE_BLOCK.into()),
        Query::Chain(ChainQuery::Blocks) => {
            Ok(format!(r#"{{"items":[{HOSTILE_BLOCK},7,null,{{}}]}}"#))
        }
        Query::Block(_, BlockQuery::Withdrawals) => Ok(format!(r#"{{"items":[{withdrawal}]}}"#)),
        _ => Err(ApiError::from_error_body(501, b"")),
    }
}

#[tokio::test]
async fn hostile_fields_are_shown_as_unknown() {
    for (target, keys, expected) in [
        (
            BLOCK,
            "4 G k enter",
            &["? (expected a whole number", "␛[2J", "fee recipient", "kind"][..],
        ),
        (BLOCK, "3", &["1 of 1"]),
        (BLOCK, "j", &["✗", "not implemented", "gas ? of 0", "reorg"]),
        ("", "B", &["1 of 4"]),
    ] {
        let mut session = Session::canned(size(120, 40), target, hostile).await;
        session.keys(keys).await;
        let screen = session.screen();
        for text in expected {
            assert!(screen.contains(text), "{target} {keys}: no {text:?}\n{screen}");
        }
        let is_hidden = |c: char| c.is_control() && c != '\n' || "\u{202e}\u{200b}".contains(c);
        assert!(!screen.contains(is_hidden), "{screen:?}");
    }
}

#[tokio::test]
async fn preview_has_the_time_that_the_header_could_not_load() {
    let row = format!(
        r#"{{"hash":"0x{:064x}","status":"ok","block_number":13,"from":{{"hash":"{ALICE}"}},
        "to":{{"hash":"{ALICE}"}},"timestamp":"2023-11-14T22:15:23.000000Z","value":"1"}}"#,
        7
    );
    for columns in [120, 200] {
        let (row, is_down) = (row.clone(), Rc::new(Cell::new(true)));
        let is_refused = is_down.clone();
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Block(_, BlockQuery::Details) if !is_refused.get() => {
                Ok(r#"{"height":13,"timestamp":"2023-11-14T22:15:40.000000Z"}"#.into())
            }
            Query::Block(_, BlockQuery::Transactions) => {
                Ok(format!(r#"{{"items":[{row}],"next_page_params":null}}"#))
            }
            Query::Transaction(_, TransactionQuery::Details) => Ok(row.clone()),
            _ => Err(ApiError::from_error_body(501, b"")),
        };
        let mut session = Session::canned(size(columns, 60), "13", answer).await;
        let screen = session.screen();
        assert!(screen.contains("22:15:23"), "{columns}: {screen}");
        is_down.set(false);
        session.keys("r").await;
        let screen = session.screen();
        assert!(screen.contains("22:15:40"), "{columns}: {screen}");
        let page = screen.split("▾ JSON ").next().unwrap();
        assert!(!page.contains("22:15:23"), "{columns}: the header has it: {screen}");
    }
}

#[tokio::test]
async fn short_list_shows_the_page_of_the_selected_row_below() {
    let page = [
        "bob.eth → Router.swapExactIn(",
        "balances  not loaded, nor are transfers",
        "gas used  228,513",
    ];
    assert_shows(BLOCK, "j", &page).await;
    let mut low = Session::demo(size(80, 24), BLOCK).await;
    low.keys("j").await;
    assert!(low.screen().contains("│ call    swapExactIn("), "{}", low.screen());
    // A filter leaves the rows where they are.
    let mut filtered = Session::demo(size(120, 40), BLOCK).await;
    let rule = |screen: &str| screen.lines().position(|line| line.starts_with("├───")).unwrap();
    let before = rule(&filtered.screen());
    filtered.keys("/ m u l t i c a l l enter").await;
    assert_eq!(rule(&filtered.screen()), before, "{}", filtered.screen());
}

#[tokio::test]
async fn keys_of_the_neighbours_are_apart_from_the_fees() {
    let mut session = Session::demo(size(80, 24), "30").await;
    session.press("j");
    let screen = session.screen();
    assert!(
        screen.contains("burnt 0.00432508 ETH") && !screen.contains("ETH < previous"),
        "{screen}"
    );
}

#[tokio::test]
async fn preview_of_an_empty_block_says_so_once() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut session = Session::demo(size(width, height), "").await;
        session.keys("B").await;
        let screen = session.screen();
        if width == 200 {
            let zeros = "none          tx, internal, withdrawals, fees, tips, burnt ";
            assert!(screen.contains(zeros) && screen.contains("gas used      0 (0%"), "{screen}");
            assert!(screen.contains("gas vs target −100% "), "{screen}");
            continue;
        }
        let preview = |text: &str| screen.lines().rev().take(8).any(|line| line.contains(text));
        assert!(preview("UTC · no transactions ") && preview(" 0 of 60,000,000 "), "{screen}");
        assert!(!preview("0 tx") && !preview("0 ETH") && !preview(" 0x0000"), "{screen}");
        session.keys("j").await;
        let screen = session.screen();
        assert!(screen.contains("UTC · 4 tx ") && screen.contains(" · fees 0.0053"), "{screen}");
    }
}

#[tokio::test]
async fn bars_are_of_the_largest_listed_block() {
    // The newest block, and the gas that it used.
    let newest = Rc::new(Cell::new((20_u64, 30_000_000_u64)));
    let served = newest.clone();
    let answer = move |query: &Query, _: Option<&Cursor>| {
        let Query::Chain(ChainQuery::Blocks) = query else {
            return Err(ApiError::from_error_body(404, b""));
        };
        let (first, used) = served.get();
        let row = |n: u64| {
            let (number, gas) = (first - n, used / (n + 1));
            format!(
                r#"{{"height":{number},"hash":"0x{number:064x}","gas_limit":"30000000","gas_used":"{gas}",
                "timestamp":"2023-11-14T23:00:00Z","transactions_count":1}}"#
            )
        };
        let rows: Vec<String> = (0..4).map(row).collect();
        Ok(format!(r#"{{"items":[{}],"next_page_params":null}}"#, rows.join(",")))
    };
    let mut session = Session::canned(size(200, 30), "", answer).await;
    session.keys("B").await;
    // The column has this many cells at least.
    let has_full_bar = |session: &Session| {
        let screen = session.screen();
        screen.lines().any(|line| line.matches('━').count() >= 14 && line.contains('%'))
    };
    assert!(has_full_bar(&session), "{}", session.screen());
    // After a gap, those before are not listed.
    newest.set((9_000, 600_000));
    session.keys("r").await;
    let screen = session.screen();
    assert!(screen.contains(" 9000 ") && has_full_bar(&session), "{screen}");
    // Replaced by emptier ones.
    newest.set((9_000, 60_000));
    session.keys("r").await;
    let screen = session.screen();
    assert!(screen.contains(" 60,000 ") && has_full_bar(&session), "{screen}");
}
