//! List panes: requests, filters, search, refresh, live mode, export, provenance and warnings.

use std::cell::Cell;
use std::rc::Rc;

use chainglass::test_api::api::{
    AddressQuery, ApiError, ChainQuery, Cursor, Direction, Query, TokenQuery, TransactionQuery,
};
use chainglass::test_api::app_message::{
    ChainIndex, Effect, MouseInput, MouseKind, Msg, NetworkEvent,
};
use chainglass::test_api::chain::{Timestamp, TokenStandard};
use chainglass::test_api::indexer::IndexProgress;
use chainglass::test_api::keymap::Chord;
use chainglass::test_api::messages::index::Rollback;
use chainglass::test_api::messages::node::NodeErrorCode;
use jiff::SignedDuration;
use ratatui::layout::Position;

use super::demo_items::{SWAP, THROWER};
use super::session::{ALICE, Session, now, size};

#[tokio::test]
async fn tab_loads_on_first_view_and_keeps_its_cursor() {
    let mut session = Session::demo(size(100, 30), ALICE).await;
    let asked = |session: &Session| session.requests.len();
    assert_eq!(asked(&session), 4);
    for (tab, requests) in [("3", 5), ("4", 6), ("1", 6), ("5", 7), ("2", 8), ("3", 8)] {
        session.keys(tab).await;
        assert_eq!(asked(&session), requests, "tab {tab}");
    }
    session.keys("j j j").await;
    let before = session.screen();
    let requests = asked(&session);
    session.keys("} { }  {".split_whitespace().collect::<Vec<_>>().join(" ").as_str()).await;
    assert_eq!(session.screen(), before, "switching away and back keeps the cursor");
    assert_eq!(asked(&session), requests);
}

#[tokio::test]
async fn each_failed_row_has_a_reason_that_filters_find() {
    let mut session = Session::demo(size(200, 60), THROWER).await;
    assert!(session.screen().contains(" 0xda472023 "), "{}", session.screen());
    // The page of the selected row has its error decoded.
    for reason in ["instruction", "reverted", "(0x01)", "gas"] {
        session.keys("&").await;
        session.type_text(&format!("reason:{reason}")).await;
        let screen = session.screen();
        // The preview is to the right.
        let rows = screen.lines().filter_map(|line| line.split("││").next());
        let rows = rows.filter(|row| row.starts_with('│') && row.contains('✗'));
        let reasons: Vec<bool> = rows.map(|row| row.contains(reason)).collect();
        assert!(!reasons.is_empty() && reasons.iter().all(|has| *has), "{reason}: {screen}");
        session.keys("y e").await;
        assert!(session.copied().unwrap().contains(reason), "{reason}: {}", session.screen());
        session.keys("esc").await;
    }
}

#[tokio::test]
async fn moves_typed_before_the_rows_are_there_apply_to_them() {
    for keys in ["3 j j j", "3 j j k", "6 ctrl-d", "2 j j"] {
        let mut in_time = Session::demo(size(100, 30), ALICE).await;
        for key in keys.split(' ') {
            in_time.keys(key).await;
        }
        let mut ahead = Session::demo(size(100, 30), ALICE).await;
        let mut effects = Vec::new();
        for chord in keys.split(' ').map(|key| key.parse::<Chord>().unwrap()) {
            effects.extend(chord.0.into_iter().flat_map(|key| ahead.app.update(Msg::Key(key))));
        }
        ahead.settle(effects).await;
        assert_eq!(ahead.screen(), in_time.screen(), "{keys}");
    }
}

#[tokio::test]
async fn an_address_of_another_chain_is_no_dead_end_on_the_demo_chain() {
    let deposit_contract = "0x00000000219ab540356cBB839Cbe05303d7705Fa";
    let mut session = Session::demo(size(100, 30), deposit_contract).await;
    let hints = [
        "not on the demo chain, which is invented",
        "no transactions",
        "Enter opens it on Ethereum · gc another chain · a labels it",
    ];
    assert!(hints.iter().all(|hint| session.screen().contains(hint)), "{}", session.screen());
    let effects = session.press("enter");
    let [Effect::OpenProvider { chain, network }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((network.id, &*network.name), (Some(1), "Ethereum"));
    let opened = Msg::ProviderOpened { chain: *chain, outcome: Ok(None) };
    session.app.update(opened);
    assert!(session.screen().starts_with(" ◆ Ethereum › address 0x0000"), "{}", session.screen());
    let mut session = Session::demo(size(100, 30), deposit_contract).await;
    session.keys("4").await;
    assert!(!session.screen().contains("Ethereum"), "{}", session.screen());
}

#[tokio::test]
async fn an_account_that_only_has_a_balance_is_no_unknown_address() {
    for (balance, is_unknown) in [("null", true), (r#""5""#, false)] {
        let mut session = Session::canned(size(100, 30), ALICE, move |query, _| {
            Ok(match query {
                Query::Address(_, AddressQuery::Details) => {
                    format!(r#"{{"hash":"{ALICE}","is_contract":false,"coin_balance":{balance}}}"#)
                }
                Query::Address(_, AddressQuery::Counters) => {
                    r#"{"transactions_count":"0","token_transfers_count":"0"}"#.into()
                }
                _ => r#"{"items":[],"next_page_params":null}"#.into(),
            })
        })
        .await;
        session.keys("1").await;
        let screen = session.screen();
        assert_eq!(screen.contains("not on the demo chain"), is_unknown, "{screen}");
        assert_eq!(screen.contains("Enter opens it on Ethereum"), is_unknown, "{screen}");
        let opens = matches!(&session.press("enter")[..], [Effect::OpenProvider { .. }]);
        assert_eq!(opens, is_unknown, "{screen}");
    }
}

#[tokio::test]
async fn failed_tab_does_not_affect_others() {
    let mut session = Session::canned(size(100, 30), ALICE, |query, _| match query {
        Query::Address(_, AddressQuery::Tokens { .. }) => Err(ApiError::TimedOut { seconds: 40 }),
        _ => Ok(r#"{"items":[],"next_page_params":null}"#.into()),
    })
    .await;
    session.keys("4").await;
    assert!(session.screen().contains("r retries"), "{}", session.screen());
    session.keys("5").await;
    assert!(session.screen().contains("no NFTs"), "{}", session.screen());
    session.keys("4").await;
    assert!(session.screen().contains("r retries"));
}

#[tokio::test]
async fn filter_menu_sends_its_request() {
    let mut session = Session::demo(size(110, 30), ALICE).await;
    session.keys("3 f space j j space j j j space").await; // ERC-20, ERC-1155, only from
    let screen = session.screen();
    let set = ["[x] ERC-20", "[ ] ERC-721", "[x] ERC-1155", "[ ] incoming", "[x] outgoing"];
    assert!(set.iter().all(|option| screen.contains(option)), "{screen}");
    assert!(!screen.contains("GET /api"), "{screen}");
    session.keys("enter").await;
    let (query, _) = session.requests.last().unwrap();
    let types = vec![TokenStandard::Erc20, TokenStandard::Erc1155];
    let direction = Some(Direction::From);
    let list = AddressQuery::TokenTransfers { direction, types, token: None };
    assert_eq!(*query, Query::Address(ALICE.parse().unwrap(), list));
    assert!(
        session.screen().contains("[ERC-20,ERC-1155 outgoing] 1 of 50+"),
        "{}",
        session.screen()
    );
    session.keys("f j j j j j j space enter").await; // also only the selected row's token
    assert!(matches!(
        session.requests.last(),
        Some((Query::Address(_, AddressQuery::TokenTransfers { token: Some(_), .. }), None))
    ));
    session.keys("f").await;
    assert!(session.screen().contains("[x] CC31 only"), "{}", session.screen());
}

#[tokio::test]
async fn letters_that_a_search_finds_are_highlighted() {
    let mut session = Session::demo(size(110, 30), ALICE).await;
    // The styles before the letters and of the last one, in the rows that are not selected.
    let styles = |session: &Session| {
        let screen = session.buffer();
        let lines = screen.content().chunks(110);
        let words = lines.filter_map(|line| {
            let text: String = line.iter().map(ratatui::buffer::Cell::symbol).collect();
            let at = text.get(..text.find("transfer ")?)?.chars().count();
            Some([at, at + 5, at + 6].map(|column| line[column].style()))
        });
        words.skip(1).collect::<Vec<_>>()
    };
    session.keys("G g g").await;
    let before = styles(&session);
    assert!(before.len() > 1, "{}", session.screen());
    session.keys("/").await;
    session.type_text("ransf").await;
    let found = styles(&session);
    for (before, found) in before.iter().zip(&found) {
        let are_equal = [0, 1, 2].map(|n| before[n] == found[n]);
        assert_eq!(are_equal, [true, false, true], "{found:?}");
    }
    session.keys("esc g g").await;
    assert_eq!(styles(&session), before);
}

#[tokio::test]
async fn matches_are_counted_while_a_search_is_typed() {
    let mut session = Session::demo(size(110, 30), ALICE).await;
    session.keys("3 j j").await;
    session.keys("/ p a").await;
    let counted = |session: &Session| {
        let screen = session.screen();
        let found = screen.lines().find_map(|line| line.split_once(" loaded rows match ─╯"))?.0;
        let (matches, rows) = found.rsplit_once(" of ")?;
        let number = |text: &str| text.rsplit(' ').next()?.parse::<usize>().ok();
        number(matches).filter(|matches| number(rows).is_some_and(|rows| *matches <= rows))
    };
    let broad = counted(&session).unwrap();
    session.keys("n e").await;
    let narrow = counted(&session).unwrap();
    assert!(0 < narrow && narrow <= broad, "{narrow} of {broad}");
    session.keys("enter").await;
    assert!(
        session.screen().contains(&format!("of {narrow} for \"pane\"")),
        "{}",
        session.screen()
    );
    session.keys("esc").await;
    let before = session.screen();
    session.keys("/ x x").await;
    assert_eq!(counted(&session), Some(0));
    session.keys("esc").await;
    assert_eq!(session.screen(), before, "a search that is left changes nothing");
}

#[tokio::test]
async fn search_begins_at_the_selected_row_and_counts_the_next_page() {
    let mut session = Session::demo(size(110, 30), ALICE).await;
    session.keys("/").await;
    session.type_text("trans").await;
    let screen = session.screen();
    assert!(screen.contains("match 1 of ") && screen.contains(" 1 of 826 "), "{screen}");
    session.keys("N").await;
    let screen = session.screen();
    assert!(screen.contains(" in 100 loaded rows"), "{screen}");
}

#[tokio::test]
async fn page_below_the_palette_is_dimmed_but_not_below_a_search() {
    for (keys, is_dimmed) in [(":", true), ("?", true), ("/", false)] {
        let mut session = Session::demo(size(110, 30), ALICE).await;
        let crumb = |session: &Session| session.buffer()[(1, 0)].style();
        let footer = |session: &Session| session.buffer()[(0, 29)].style();
        let before = (crumb(&session), footer(&session));
        session.keys(keys).await;
        assert_eq!(crumb(&session) != before.0, is_dimmed, "{keys}");
        assert_eq!(footer(&session), before.1, "{keys}");
    }
}

#[tokio::test]
async fn search_and_row_filter_cover_loaded_rows_only() {
    let mut session = Session::demo(size(110, 30), ALICE).await;
    session.keys("3 /").await;
    session.type_text("pane").await;
    assert!(session.screen().contains("match 1 of"), "{}", session.screen());
    assert!(session.screen().contains("loaded rows"));
    let first = session.copied_row().await;
    session.keys("n").await;
    assert!(session.screen().contains("match 2 of"));
    session.keys("N").await;
    assert_eq!(session.copied_row().await, first, "back at the first match");
    session.keys("&").await;
    session.type_text("pane").await;
    let screen = session.screen();
    assert!(screen.contains("[&pane]") && screen.contains(" of "), "{screen}");
    assert!(screen.lines().skip(5).take(3).all(|line| line.contains("PANE")), "{screen}");
    session.keys("esc").await;
    assert!(!session.screen().contains("[&pane]"), "Esc clears the filter first");
    session.keys("&").await;
    session.type_text("nowhere").await;
    let screen = session.screen();
    for text in ["no match for \"nowhere\" in ", "[&nowhere] 0 of ", " method "] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
}

#[tokio::test]
async fn hashes_are_sorted_by_time_instead() {
    let mut session = Session::demo(size(120, 30), ALICE).await;
    session.keys("o").await;
    let screen = session.screen();
    assert!(screen.contains("tx has no order: sorted by age ↑"), "{screen}");
    session.keys("x").await;
    assert!(session.screen().contains("Export 50 of 826 rows to"), "{}", session.screen());
}

#[tokio::test]
async fn all_fields_name_their_row_and_lead_to_its_pages() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("d").await;
    let screen = session.screen();
    for text in [
        "› all fields of tx 0xf839…70ca",
        "33,671,005,630 wei = 33.67100563 gwei",
        "2023-11-14T23:53:16.000000Z  ",
        "gas_used",
        "2 (dynamic fee, EIP-1559)",
    ] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    let title = |session: &Session| session.screen().lines().next().unwrap_or_default().to_owned();
    for (keys, page) in [("enter", "› transfer 0xf839…70ca"), ("esc j j j enter", "› block 333")]
    {
        session.keys(keys).await;
        assert!(title(&session).contains(page), "{page}: {}", title(&session));
    }
    session.keys("esc esc 3 d").await;
    let shown = title(&session);
    assert!(shown.contains("› all fields of token transfer"), "{shown}");
    session.keys("esc 1 d G").await;
    let shown = session.screen();
    assert!(shown.contains("[0,12000] = waited ≤ 12 s"), "{shown}");
}

#[tokio::test]
async fn all_fields_have_two_columns_on_a_wide_screen() {
    let mut session = Session::demo(size(200, 60), ALICE).await;
    session.keys("d").await;
    let screen = session.screen();
    let line = |field: &str| screen.lines().find(|line| line.contains(field)).unwrap();
    assert_eq!(line("│ hash  ").matches('│').count(), 3, "{screen}");
    assert!(line(" exchange_rate  ").contains("2500.17 USD per ETH"), "{screen}");
    assert_eq!(screen.matches("▸ empty  ").count(), 3, "a line of each object: {screen}");
    assert!(screen.contains("│ ▾ from ") && screen.contains("│ ▾ to "), "both: {screen}");
    assert!(
        screen.contains(" has_error_in_internal_transactions false "),
        "a long label: {screen}"
    );
    session.keys("G").await;
    let end = session.screen();
    assert!(end.lines().take(59).eq(screen.lines().take(59)), "all lines are on it: {end}");
}

#[tokio::test]
async fn parameters_among_all_fields_are_read_by_their_types() {
    let digits = "1234567890".repeat(4);
    let parameter = |name: &str, kind: &str| {
        format!(r#"{{"name":"{name}","type":"{kind}","value":"{digits}","indexed":false}}"#)
    };
    let [id, memo] = [parameter("id", "uint256"), parameter("memo", "string")];
    let log = format!(
        r#"{{"items":[{{"index":0,"address":{{"hash":"{ALICE}"}},"data":"0x","topics":[],
        "decoded":{{"method_call":"Note(uint256 id, string memo)","method_id":"01020304",
        "parameters":[{id},{memo}]}}}}],"next_page_params":null}}"#
    );
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Logs) => Ok(log.clone()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::canned(size(160, 40), SWAP, answer).await;
    session.keys("4 d").await;
    let screen = session.screen();
    let line = |name: &str| screen.lines().find(|line| line.contains(name)).unwrap_or_default();
    assert!(line(" id ").contains("1,234,567,890,123,456"), "no address: {screen}");
    assert!(line(" memo ").contains(&digits), "no number: {screen}");
}

#[tokio::test]
async fn example_of_a_prompt_is_of_a_column_that_can_be_searched() {
    let mut session = Session::demo(size(120, 40), "").await;
    session.keys("B /").await;
    let screen = session.screen();
    let example = screen.split(":>1").next().and_then(|before| before.split_whitespace().last());
    let example = example.unwrap_or_default().trim_start_matches(|c: char| !c.is_alphanumeric());
    assert!(screen.contains(":>1") && example != "gwei", "{screen}");
    session.type_text(&format!("{example}:>0")).await;
    assert!(!session.screen().contains("0 of 50"), "{example}: {}", session.screen());
}

#[tokio::test]
async fn help_is_the_last_key_of_each_footer() {
    for (target, keys) in [(ALICE, "j"), (ALICE, "d"), (SWAP, "j"), (SWAP, "2"), (SWAP, "2 tab")] {
        let mut session = Session::demo(size(120, 40), target).await;
        session.keys(keys).await;
        let screen = session.screen();
        let footer = screen.lines().last().unwrap_or_default();
        assert!(footer.ends_with("  ? help"), "{target} {keys}: {footer}");
    }
}

/// A list of transfers in pages. Every 450th has another method.
fn long_list(
    rows: u64,
    page_len: u64,
) -> impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> {
    let mut sent = 0;
    move |query, _| {
        if !matches!(query, Query::Chain(ChainQuery::Transfers { .. })) {
            return Err(ApiError::TimedOut { seconds: 1 });
        }
        let row = |n: u64| {
            let method = if n.is_multiple_of(450) { "rare" } else { "common" };
            format!(r#"{{"transaction_hash":"0x{n:064x}","log_index":{n},"method":"{method}"}}"#)
        };
        let page = sent..rows.min(sent + page_len);
        sent = page.end;
        let next = format!(r#"{{"block_number":{sent}}}"#);
        let next = if sent < rows { &next } else { "null" };
        let items: Vec<String> = page.map(row).collect();
        Ok(format!(r#"{{"items":[{}],"next_page_params":{next}}}"#, items.join(",")))
    }
}

/// A page is filtered in one slice of time, in two, or in more.
#[tokio::test]
async fn filter_loads_on_after_pages_of_any_length() {
    for page_len in [16, 32, 64, 128, 256, 512, 1_024] {
        let mut session =
            Session::canned(size(140, 40), "", long_list(3 * page_len, page_len)).await;
        session.keys("T &").await;
        session.type_text("nothing").await;
        let is_page =
            |(query, _): &&(Query, _)| matches!(query, Query::Chain(ChainQuery::Transfers { .. }));
        let pages = session.requests.iter().filter(is_page).count();
        assert_eq!(pages, 3, "of {page_len}\n{}", session.screen());
    }
}

#[tokio::test]
async fn filter_fills_the_screen_and_keeps_the_row() {
    let mut session = Session::canned(size(140, 40), "", long_list(9_000, 1_000)).await;
    session.keys("T G G &").await;
    session.type_text("rare").await;
    let screen = session.screen();
    let rare = screen.lines().filter(|line| line.contains("— ") && line.contains(" rare"));
    assert_eq!(rare.count(), 20, "all of them fit\n{screen}");
    session.keys("G").await;
    let row = session.copied_row().await;
    session.keys("esc").await;
    assert_eq!(session.copied_row().await, row, "it stays selected without the filter");
}

#[tokio::test]
async fn filter_loads_on_until_the_screen_is_full() {
    let mut session = Session::canned(size(140, 40), "", long_list(40_000, 1_000)).await;
    session.keys("T &").await;
    session.type_text("method:rare").await;
    let screen = session.screen();
    // 22 of 10,000 rows; the bound is ten pages more.
    assert!(screen.contains("25 of 11,000 loaded rows match · j loads more"), "{screen}");
    session.keys("G j").await;
    assert!(session.screen().matches(" rare ").count() > 25, "{}", session.screen());
    assert!(session.requests.len() > 11, "{}", session.requests.len());
}

#[tokio::test]
async fn second_g_loads_all_pages_of_a_filtered_list() {
    let mut session = Session::canned(size(140, 40), "", long_list(40_000, 1_000)).await;
    session.keys("T &").await;
    session.type_text("method:rare").await;
    session.keys("G G").await;
    let screen = session.screen();
    assert!(screen.contains(" of 89 "), "{screen}");
    assert!(screen.contains("all rows loaded"), "{screen}");
}

/// A time some days before the last block of the demo chain.
fn days_ago(days: i64) -> Timestamp {
    let last: Timestamp = "2023-11-14T23:53:28Z".parse().unwrap();
    last - SignedDuration::from_hours(24 * days)
}

/// A list of transfers in pages of ten, each a day older than the one before.
#[expect(clippy::unnecessary_wraps, reason = "a canned response may be an error")]
fn daily_transfers(query: &Query, cursor: Option<&Cursor>) -> Result<String, ApiError> {
    let first: i64 = cursor.map_or(0, |cursor| cursor.next_params(query)[0].1.parse().unwrap());
    let row = |n: i64| {
        let then = days_ago(n);
        format!(r#"{{"transaction_hash":"0x{n:064x}","log_index":{n},"timestamp":"{then}"}}"#)
    };
    let items: Vec<String> = (first..first + 10).map(row).collect();
    let next = first + 10;
    Ok(format!(r#"{{"items":[{}],"next_page_params":{{"n":{next}}}}}"#, items.join(",")))
}

#[tokio::test]
async fn filter_by_time_loads_no_further_than_it_reaches() {
    let day =
        |days: i64| (now() - SignedDuration::from_hours(24 * days)).to_string()[..10].to_owned();
    for (filter, matching, pages) in [
        ("age:<35d", 35, 4),
        (&format!("date:{}..{}", day(34), day(30)), 5, 4),
        (&format!("date:{}", day(12)), 1, 2),
        (&format!("not:age:>5d date:>{}", day(40)), 6, 5),
    ] {
        let mut session = Session::canned(size(140, 14), "", daily_transfers).await;
        session.keys("T &").await;
        session.type_text(filter).await;
        session.resize(size(140, 60)).await;
        let is_page =
            |(query, _): &&(Query, _)| matches!(query, Query::Chain(ChainQuery::Transfers { .. }));
        let loaded = session.requests.iter().filter(is_page).count() * 10;
        let screen = session.screen();
        let tail =
            format!("{matching} of {loaded} loaded rows match · older rows are before the filter");
        assert!(screen.contains(&tail), "{filter} {tail}\n{screen}");
        assert!(loaded <= (pages + 1) * 10, "{filter}: {loaded} rows");
        session.keys("G G j").await;
        let asked = session.requests.iter().filter(is_page).count();
        assert_eq!(asked * 10, loaded, "{filter}: nothing older is asked for");
    }
}

fn rollback(ordinal: u32) -> Msg {
    let rollback = Rollback { ordinal, last_block: None, blocks: 3, transactions: 3 };
    let progress = IndexProgress { rollback: Some(rollback), ..IndexProgress::default() };
    Msg::Network(ChainIndex::default(), NetworkEvent::Index(Box::new(progress)))
}

#[tokio::test]
async fn list_whose_next_page_failed_is_loaded_again_after_a_rollback() {
    let transfers = Rc::new(Cell::new("old"));
    let method = Rc::clone(&transfers);
    let mut session = Session::node(size(140, 40), "", move |query, cursor| match query {
        Query::Chain(ChainQuery::Transfers { .. }) if cursor.is_none() => {
            let method = method.get();
            let row = format!(r#"{{"transaction_hash":"0x{:064x}","method":"{method}"}}"#, 1);
            Ok(format!(r#"{{"items":[{row}],"next_page_params":{{"n":1}}}}"#))
        }
        _ => Err(ApiError::TimedOut { seconds: 40 }),
    })
    .await;
    session.keys("T j").await;
    let screen = session.screen();
    assert!(screen.contains(" old ") && screen.contains("retrying"), "{screen}");
    transfers.set("new");
    let effects = session.app.update(rollback(1));
    session.settle(effects).await;
    let screen = session.screen();
    assert!(screen.contains(" new ") && !screen.contains(" old "), "{screen}");
}

/// A script that runs again sends transactions with the same hashes.
#[tokio::test]
async fn rows_that_moved_in_a_rollback_are_all_loaded_again() {
    let newest = Rc::new(Cell::new(109));
    let block = Rc::clone(&newest);
    let mut session = Session::node(size(140, 40), "", move |query, cursor| match query {
        Query::Chain(ChainQuery::Transactions) => {
            let (hash, next) = if cursor.is_none() { (1, r#"{"n":1}"#) } else { (2, "null") };
            let row =
                format!(r#"{{"hash":"0x{hash:064x}","block_number":{}}}"#, block.get() - hash);
            Ok(format!(r#"{{"items":[{row}],"next_page_params":{next}}}"#))
        }
        _ => Err(ApiError::TimedOut { seconds: 40 }),
    })
    .await;
    session.keys("g t j").await;
    let screen = session.screen();
    assert!(screen.contains(" 108 ") && screen.contains(" 107 "), "{screen}");
    newest.set(209);
    let effects = session.app.update(rollback(1));
    session.settle(effects).await;
    let screen = session.screen();
    assert!(screen.contains(" 208 ") && screen.contains(" 207 "), "{screen}");
    assert!(!screen.contains(" 107 "), "{screen}");
}

/// Rows before a rollback are gone even if none of them is on the page that comes after it.
#[tokio::test]
async fn live_list_is_loaded_again_if_no_row_is_left_after_a_rollback() {
    let first = Rc::new(Cell::new(1));
    let hash = Rc::clone(&first);
    let mut session = Session::node(size(140, 40), "", move |query, _| match query {
        Query::Chain(ChainQuery::Transactions) => {
            let hash = hash.get();
            let row = format!(r#"{{"hash":"0x{hash:064x}","block_number":{}}}"#, hash + 100);
            Ok(format!(r#"{{"items":[{row}],"next_page_params":null}}"#))
        }
        _ => Err(ApiError::TimedOut { seconds: 40 }),
    })
    .await;
    session.keys("g t j").await;
    assert!(session.screen().contains(" 101 "), "{}", session.screen());
    first.set(2);
    let refresh = session.app.update(rollback(1));
    let poll = session.press("F");
    session.settle([refresh, poll].concat()).await;
    let screen = session.screen();
    assert!(screen.contains(" 102 ") && !screen.contains(" 101 "), "{screen}");
}

/// A page of 50 calls without value, all of one transaction, from this number on.
fn idle_calls(first: usize) -> String {
    let call = |n| {
        let hash = format!("0x{:064x}", 1);
        format!(
            r#"{{"hash":"{hash}","type":"contract_interaction","internal_transaction_index":{n},"value":"0","status":"success"}}"#
        )
    };
    let rows: Vec<String> = (first..first + 50).map(call).collect();
    format!(r#"{{"items":[{}],"next_page_params":{{"n":{}}}}}"#, rows.join(","), first + 50)
}

fn activity_requests(session: &Session) -> usize {
    session.requests.iter().filter(|(query, _)| query.is_activity()).count()
}

#[tokio::test]
async fn pages_that_fold_into_one_row_are_not_loaded_without_end() {
    let mut page = 0;
    let mut session = Session::explorer(size(120, 40), "", move |query, _| match query {
        query if query.is_activity() => {
            page += 1;
            Ok(idle_calls(page * 50))
        }
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    session.keys("g a").await;
    let screen = session.screen();
    assert_eq!(activity_requests(&session), 3, "{screen}");
    assert!(screen.contains("150+ calls without value"), "{screen}");
    session.keys("j").await;
    assert_eq!(activity_requests(&session), 4, "{}", session.screen());
}

#[tokio::test]
async fn folds_of_rows_that_a_rollback_dropped_are_gone() {
    let state = Rc::new(Cell::new("old"));
    let answer = Rc::clone(&state);
    let mut session = Session::node(size(120, 40), "", move |query, cursor| match query {
        query if query.is_activity() && answer.get() == "restarting" => {
            answer.set("new");
            Err(ApiError::TimedOut { seconds: 40 })
        }
        query if query.is_activity() && answer.get() == "new" => {
            Ok(r#"{"items":[{"type":"coin_transfer","value":"7"}],"next_page_params":null}"#.into())
        }
        query if query.is_activity() => Ok(idle_calls(if cursor.is_none() { 0 } else { 50 })),
        _ => Err(ApiError::TimedOut { seconds: 40 }),
    })
    .await;
    session.keys("g a").await;
    assert!(session.screen().contains("calls without value"), "{}", session.screen());
    state.set("restarting");
    let effects = session.app.update(rollback(1));
    session.settle(effects).await;
    let screen = session.screen();
    assert!(!screen.contains("calls without value") && screen.contains("wei"), "{screen}");
}

#[tokio::test]
async fn selected_row_stays_when_the_next_page_adds_to_its_transaction() {
    let row = |fields: &str| {
        let hash = format!("0x{:064x}", 1);
        format!(r#"{{"hash":"{hash}","type":"contract_interaction","status":"success",{fields}}}"#)
    };
    let call = |n, value| row(&format!(r#""internal_transaction_index":{n},"value":"{value}""#));
    let first = [row(r#""value":"0""#), call(5, 7), call(4, 0), call(3, 0)].join(",");
    let rest = [call(2, 0), call(1, 9)].join(",");
    let is_loaded = Rc::new(Cell::new(false));
    let answers = Rc::clone(&is_loaded);
    let mut session = Session::explorer(size(120, 40), "", move |query, cursor| match query {
        query if query.is_activity() && cursor.is_none() => {
            Ok(format!(r#"{{"items":[{first}],"next_page_params":{{"n":3}}}}"#))
        }
        query if query.is_activity() && answers.get() => {
            Ok(format!(r#"{{"items":[{rest}],"next_page_params":null}}"#))
        }
        _ => Err(ApiError::TimedOut { seconds: 40 }),
    })
    .await;
    session.keys("g a j").await;
    let screen = session.screen();
    assert!(screen.contains("│ calls   2+ calls without value"), "{screen}");
    session.keys("j").await;
    assert!(session.screen().contains(" 3 of 3"), "{}", session.screen());
    is_loaded.set(true);
    session.keys("r").await;
    assert!(session.screen().contains(" 4 of 4"), "{}", session.screen());
    session.keys("k").await;
    let screen = session.screen();
    assert!(screen.contains("│ calls   3 calls without value"), "{screen}");
}

/// The parameters of the last request for activity.
fn asked_activity(session: &Session) -> String {
    let mut asked = session.requests.iter().rev().map(|(query, _)| query);
    let last = asked.find(|query| query.is_activity());
    last.map(|query| query.request_line().to_string()).unwrap_or_default()
}

#[tokio::test]
async fn filter_of_activity_is_sent_as_far_as_the_server_knows_it() {
    let line = "GET /api/v2/advanced-filters";
    let mut session = Session::demo(size(140, 40), "").await;
    session.keys("g a").await;
    assert_eq!(asked_activity(&session), line);
    for (filter, sent) in [
        ("value:>1000 token:GLD", "?amount_from=1000"),
        (
            "date:2023-11-14T22:30..2023-11-14T23:00",
            "?age_from=2023-11-14T22:30:00Z&age_to=2023-11-14T23:00:00Z",
        ),
        ("value:1..2.5", "?amount_from=1&amount_to=2.5"),
        ("value:<0", ""),
        ("not:value:>5 method:swap", ""),
    ] {
        session.keys("&").await;
        session.type_text(filter).await;
        assert_eq!(asked_activity(&session), format!("{line}{sent}"), "{filter}");
        session.keys("esc").await;
        assert_eq!(asked_activity(&session), line, "{filter} is cleared");
    }
    session.keys("&").await;
    session.type_text("value:>1000 token:GLD").await;
    let screen = session.screen();
    assert!(screen.contains("rows match \"value:>1000 token:GLD\""), "{screen}");
    let again = Session::demo(size(140, 40), "").await;
    assert_eq!(asked_activity(&again), "", "nothing is asked for that is not looked at");
}

#[tokio::test]
async fn details_of_a_part_are_those_of_its_transaction() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys(": a c t i v i t y enter").await;
    let screen = session.screen();
    assert!(screen.contains("│ call    transfer(to 0x14dC…9955, v "), "{screen}");
    assert!(screen.contains("│ status  ✓ ok · block 333 · 2023-11-14 "), "{screen}");
    assert!(screen.contains("│ value   0.000001 CC31 · "), "with its token: {screen}");
    assert!(screen.contains(" UTC · fee 0.0018085 ETH "), "{screen}");
    session.keys("&").await;
    session.type_text("tx:0xf839164045a00fbb").await;
    session.keys("g g").await;
    assert!(session.screen().contains(" ETH · gas 53,711 · nonce 783"), "{}", session.screen());
}

#[tokio::test]
async fn palette_opens_the_activity_of_an_address() {
    let mut session = Session::demo(size(140, 40), ALICE).await;
    assert!(session.screen().contains(" Activity "), "{}", session.screen());
    session.keys(": a c t i v i t y enter").await;
    let asked = asked_activity(&session);
    assert!(asked.contains("from_address_hashes_to_include=0xf39F"), "{asked}");
    let screen = session.screen();
    assert!(screen.contains(" Activity 100+ ") && screen.contains("ERC-20"), "{screen}");
}

#[tokio::test]
async fn failed_inner_call_is_marked_in_activity() {
    let mut session = Session::demo(size(120, 40), "").await;
    session.keys("g a &").await;
    session.type_text("value:>100k").await;
    let screen = session.screen();
    let row = screen.lines().find(|line| line.contains(" internal") && line.contains(" 1T "));
    assert!(row.is_some_and(|row| row.contains('✗')), "{screen}");
    assert!(screen.contains("✗ failed: "), "in the details too\n{screen}");
}

#[tokio::test]
async fn calls_that_move_nothing_are_one_row_of_activity() {
    let mut session = Session::demo(size(120, 60), "").await;
    session.keys("g a").await;
    let calls = |screen: &str| screen.matches("└ internal").count();
    let screen = session.screen();
    let fold = screen.lines().find(|line| line.contains("  19 calls without value   ")).unwrap();
    assert!(fold.contains("└ internal  ") && screen.contains(" 1 of "), "{screen}");
    assert!(screen.contains("  swapExactIn  ") && screen.contains("  send  "), "{screen}");
    let folded = calls(&screen);
    session.keys("/").await;
    session.type_text("type:internal").await;
    let screen = session.screen();
    assert!(calls(&screen) > folded && !screen.contains("calls without"), "found\n{screen}");
    session.keys("esc").await;
    assert_eq!(calls(&session.screen()), folded, "{}", session.screen());
    session.keys("x").await;
    assert!(session.screen().contains("150 loaded rows"), "all are saved\n{}", session.screen());
    session.keys("esc g g").await;
    for _ in 0..60 {
        if session.screen().contains("│ calls   ") {
            break;
        }
        session.keys("j").await;
    }
    let screen = session.screen();
    assert!(screen.contains("│ calls   19 calls without value · Enter lists them"), "{screen}");
    assert!(screen.contains(" Enter unfold "), "{screen}");
    session.keys("enter").await;
    let screen = session.screen();
    assert!(calls(&screen) >= 19, "{screen}");
    assert!(screen.contains("│ from    "), "the first of them is selected\n{screen}");
}

#[tokio::test]
async fn call_with_one_transfer_is_one_row_of_activity() {
    let mut session = Session::demo(size(120, 60), "").await;
    session.keys("g a").await;
    let screen = session.screen();
    let row = screen.lines().find(|line| line.contains(" 0.000001 CC31 ")).unwrap();
    assert!(row.contains("  transfer  ") && row.contains(" → ●○ 0x14dC…9955 "), "{screen}");
    assert!(!screen.contains("Clone Coin 31"), "the called contract\n{screen}");
    let swap = screen.split("  swapExactIn  ").nth(1).unwrap();
    assert!(swap.find(" 120 WTH ") < swap.find(" 118 NIL "), "as they happened\n{screen}");
    session.keys("/").await;
    session.type_text("method:transfer value:0.000001").await;
    let screen = session.screen();
    assert!(screen.contains("Clone Coin 31"), "found\n{screen}");
}

#[tokio::test]
async fn filter_that_hides_all_rows_is_no_unloaded_list() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("3 &").await;
    session.type_text("amount:>100000000000").await;
    session.keys("o").await;
    assert!(session.screen().contains("no row matches"), "{}", session.screen());
    session.keys("G").await;
    assert!(session.screen().contains("all rows loaded"), "{}", session.screen());
}

#[tokio::test]
async fn cell_with_tokens_copies_their_amount() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    // The list of transfers names the token.
    session.keys("3 1 l l l y y").await;
    assert_eq!(session.copied(), Some("1"), "{}", session.screen());
    session.keys("I").await;
    let screen = session.screen();
    for line in
        ["shown   0.000001 CC31", "how     an argument of the call", "copied  1", "raw_input"]
    {
        assert!(screen.contains(line), "{line}: {screen}");
    }
}

#[tokio::test]
async fn explorer_without_activity_says_so_in_one_line() {
    for status in [400, 404, 501] {
        let mut session = Session::canned(size(120, 40), ALICE, move |_, _| {
            Err(ApiError::from_error_body(status, br#"{"message":"Not found"}"#))
        })
        .await;
        session.keys("g a").await;
        let screen = session.screen();
        assert!(screen.contains("this explorer lists no activity"), "{status}: {screen}");
    }
}

#[tokio::test]
async fn rows_without_a_word_are_shown() {
    let mut session = Session::canned(size(140, 40), "", long_list(1_000, 1_000)).await;
    session.keys("T &").await;
    session.type_text("not:method:common").await;
    assert!(session.screen().contains("3 of 1,000 rows match"), "{}", session.screen());
}

/// The amounts on the screen, from the top.
fn amounts(session: &Session) -> Vec<String> {
    let screen = session.content();
    let rows = screen.lines().filter(|line| line.contains("0x0000"));
    rows.filter_map(|line| line.split_whitespace().rev().nth(2).map(str::to_owned)).collect()
}

#[tokio::test]
async fn loaded_rows_are_sorted_by_a_column() {
    let values = ["2", "1500", "", "30"];
    let row = |(n, value): (usize, &&str)| {
        let total = match *value {
            "" => "null".to_owned(),
            value => format!(r#"{{"value":"{value}","decimals":"1"}}"#),
        };
        format!(r#"{{"transaction_hash":"0x{n:064x}","log_index":{n},"total":{total}}}"#)
    };
    let items: Vec<String> = values.iter().enumerate().map(row).collect();
    let body =
        format!(r#"{{"items":[{}],"next_page_params":{{"block_number":1}}}}"#, items.join(","));
    let mut pages = vec![Err(ApiError::TimedOut { seconds: 1 }), Ok(body)];
    let mut session = Session::canned(size(110, 30), "", move |query, _| {
        let is_list = matches!(query, Query::Chain(ChainQuery::Transfers { .. }));
        let page = if is_list { pages.pop() } else { None };
        page.unwrap_or(Err(ApiError::TimedOut { seconds: 1 }))
    })
    .await;
    session.keys("T l l l l l").await;
    assert_eq!(amounts(&session), ["0.2", "150", "—", "3"]);
    session.keys("o").await;
    assert_eq!(amounts(&session), ["150", "3", "0.2", "—"]);
    let screen = session.screen();
    assert!(screen.contains("amount ↓"), "{screen}");
    assert!(screen.contains("sorted by amount ↓ · 4 loaded rows"), "{screen}");
    session.keys("o").await;
    assert_eq!(amounts(&session), ["0.2", "3", "150", "—"], "what is unknown stays last");
    session.keys("& 1 5 0 enter esc").await;
    assert_eq!(amounts(&session), ["0.2", "3", "150", "—"], "a filter keeps the order");
    session.keys("o").await;
    assert_eq!(amounts(&session), ["0.2", "150", "—", "3"]);
    assert!(!session.screen().contains("amount ↑"));
}

#[tokio::test]
async fn rows_are_sorted_by_time_instead_of_hashes() {
    let mut session = Session::demo(size(160, 40), ALICE).await;
    session.keys("y y").await;
    assert!(session.copied().is_some_and(|text| text.len() == 66), "{:?}", session.copied());
    session.keys("o").await;
    assert!(session.screen().contains("sorted by age"), "{}", session.screen());
}

#[tokio::test]
async fn widths_stay_while_the_list_is_scrolled() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("G G 1").await;
    let mut seen: Vec<Vec<usize>> = Vec::new();
    for key in ["g g", "pagedown", "pagedown", "pageup", "pageup"] {
        session.keys(key).await;
        let screen = session.screen();
        let titles = screen.lines().find(|line| line.contains("counterparty")).unwrap_or_default();
        seen.push(titles.match_indices(' ').map(|(at, _)| at).collect());
    }
    assert_eq!(seen[2], seen[3]);
    assert_eq!(seen[3], seen[4], "nothing moves on the way back");
}

#[tokio::test]
async fn columns_stay_when_new_rows_arrive() {
    let mut requests = 0;
    let transfer = |n: u64, amount: u64| {
        format!(
            r#"{{"transaction_hash":"0x{n:064x}","log_index":{n},"total":{{"value":"{amount}","decimals":"0"}}}}"#
        )
    };
    let feed = move |query: &Query, _: Option<&Cursor>| {
        requests += u64::from(matches!(query, Query::Chain(ChainQuery::Transfers { .. })));
        let old = (0..3).rev().map(|n| transfer(n, 123_456_789_012));
        let new = (0..if requests > 2 { 40 } else { 0 }).rev().map(|n| transfer(10 + n, 1));
        let items: Vec<String> = new.chain(old).collect();
        Ok(format!(r#"{{"items":[{}],"next_page_params":null}}"#, items.join(",")))
    };
    let mut session = Session::canned(size(110, 30), "", feed).await;
    session.keys("T F").await;
    let titles = |session: &Session| {
        let screen = session.screen();
        screen.lines().find(|line| line.contains("amount")).map(str::to_owned)
    };
    assert!(session.screen().contains("123,456,789,012"), "{}", session.screen());
    let before = titles(&session);
    let effects = session.app.update(Msg::Tick(now() + SignedDuration::from_secs(10)));
    session.settle(effects).await;
    session.keys("g g").await;
    assert!(!session.screen().contains("123,456"), "{}", session.screen());
    assert_eq!(titles(&session), before);
}

#[tokio::test]
async fn example_of_an_amount_in_coin_names_its_unit() {
    for (target, keys, example) in [
        (ALICE, "&", "such as  value:>1 (ETH) age:<2d"),
        (ALICE, "U &", "such as  value:>1 (gwei) age:<2d"),
        (ALICE, "3 &", "such as  amount:>1 age:<2d"),
    ] {
        let mut session = Session::demo(size(120, 30), target).await;
        session.keys(keys).await;
        assert!(session.screen().contains(example), "{}", session.screen());
    }
}

#[tokio::test]
async fn words_that_cannot_be_searched_are_reported() {
    let mut session = Session::demo(size(120, 30), ALICE).await;
    for (text, error) in [
        ("amount:>x", "expected a number such as 161, >100k or 0.5..2"),
        ("holders:>5", "no holders: in transactions · the rows stay as they are"),
        ("metod:swap", "unknown filter metod:, did you mean method:?"),
        ("foo:bar", "no column foo:, only age: block: tx: method: "),
        ("foo:bar", " status: date:"),
        ("dir:up", "dir: expects in, out or self"),
        ("not:", "not: expects a word to leave out"),
        ("date:2024-05-01..may", "expected an age such as <5m"),
    ] {
        session.keys("&").await;
        session.type_text(text).await;
        let screen = session.screen();
        assert!(screen.contains(error) && screen.contains("columns  age: block: tx:"), "{screen}");
        session.keys("esc").await;
    }
}

/// Opens a list with so many rows that to look for a text in them takes longer than a slice, and
/// begins to look. Returns their number too, and the unfinished work.
async fn interrupted(keys: &str, progress: &str) -> (Session, String, Vec<Effect>) {
    let mut thousands = 9;
    loop {
        let mut session =
            Session::canned(size(140, 40), "", long_list(thousands * 1_000, 1_000)).await;
        session.keys(keys).await;
        // Not ASCII, so that every cell is formatted.
        session.press("ĝ");
        let effects = session.press("enter");
        if session.screen().contains(progress) {
            return (session, format!("{thousands},000"), effects);
        }
        thousands *= 2;
    }
}

#[tokio::test]
async fn long_lists_are_searched_in_slices() {
    let (mut session, rows, effects) = interrupted("T G G g g /", "searching ").await;
    session.press("j");
    assert!(session.screen().contains(&format!("2 of {rows}")), "{}", session.screen());
    session.settle(effects).await;
    assert!(!session.screen().contains("searching "), "{}", session.screen());
    assert!(!session.screen().contains("no match"), "the key took the place of the jump");
    session.keys("n").await;
    let no_match = format!("no match for \"ĝ\" in {rows}");
    assert!(session.screen().contains(&no_match), "{}", session.screen());
}

#[tokio::test]
async fn long_lists_are_filtered_in_slices() {
    let (mut session, _, effects) = interrupted("T G G g g &", "filtering ").await;
    assert!(!session.screen().contains("no row matches"), "{}", session.screen());
    session.settle(effects).await;
    assert!(session.screen().contains("no row matches \"ĝ\""), "{}", session.screen());
}

#[tokio::test]
async fn mouse_takes_the_place_of_a_jump() {
    for (kind, row) in [(MouseKind::Click, 3), (MouseKind::WheelDown, 4)] {
        let (mut session, rows, effects) = interrupted("M T G G g g /", "searching ").await;
        let at = Position::new(5, 5);
        session.app.update(Msg::Mouse(MouseInput { at, kind }));
        let (screen, position) = (session.screen(), format!("{row} of {rows}"));
        assert!(screen.contains("searching ") && screen.contains(&position), "{screen}");
        session.settle(effects).await;
        let screen = session.screen();
        assert!(!screen.contains("no match") && screen.contains(&position), "{screen}");
    }
}

/// A list that grows by two transfers with each request.
fn growing_feed(
    requests: Rc<Cell<u64>>,
) -> impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> {
    move |query, _| {
        if !matches!(query, Query::Chain(ChainQuery::Transfers { .. })) {
            return Err(ApiError::TimedOut { seconds: 1 });
        }
        requests.set(requests.get() + 1);
        let newest = 10 + 2 * requests.get();
        let items: Vec<String> = (0..newest)
            .rev()
            .map(|n| format!(r#"{{"transaction_hash":"0x{n:064x}","log_index":{n},"total":{{"value":"{n}","decimals":"0"}}}}"#))
            .collect();
        Ok(format!(r#"{{"items":[{}],"next_page_params":null}}"#, items.join(",")))
    }
}

#[tokio::test]
async fn refresh_of_an_unchanged_page_gives_a_sign() {
    for (target, keys, sign) in [
        ("", "r", " refreshed"),
        (ALICE, "r", " nothing new"),
        (SWAP, "r", " refreshed"),
        (SWAP, "2 r", " refreshed"),
    ] {
        let mut session = Session::demo(size(120, 40), target).await;
        session.keys(keys).await;
        let screen = session.screen();
        assert!(screen.trim_end().ends_with(sign), "{target} {keys}: {screen}");
    }
}

#[tokio::test]
async fn narrow_lists_have_the_recipient_of_tokens() {
    let session = Session::demo(size(80, 24), ALICE).await;
    let screen = session.screen();
    assert!(
        screen.contains("→ ◇▼ Clone Coin 31") && screen.contains("→ ●○ 0x14dC…9955"),
        "{screen}"
    );
}

#[tokio::test]
async fn refresh_keeps_the_selection_and_counts_new_rows() {
    let requests = Rc::new(Cell::new(0));
    let mut session = Session::canned(size(110, 30), "", growing_feed(requests)).await;
    session.keys("T j j j").await;
    let strip = |session: &Session| {
        let screen = session.screen();
        screen.lines().find(|line| line.starts_with("│amount")).map(str::to_owned)
    };
    let selected = strip(&session);
    session.keys("r").await;
    assert!(session.screen().contains("2 new rows at the top"), "{}", session.screen());
    assert_eq!(strip(&session), selected, "the same row is selected");
    session.keys("j").await;
    assert!(
        session.screen().contains("7 of 14"),
        "two further down than it was: {}",
        session.screen()
    );
}

#[tokio::test]
async fn live_mode_polls_and_keeps_the_cursor() {
    let requests = Rc::new(Cell::new(0));
    let mut session = Session::canned(size(110, 30), "", growing_feed(requests.clone())).await;
    session.keys("T j j").await;
    let effects = session.press("F");
    assert!(session.screen().contains("live: new rows appear on top"), "{}", session.screen());
    session.settle(effects).await;
    assert_eq!(requests.get(), 2, "the page, and another request when live mode starts");
    assert_eq!(session.app.tick_interval(), Some(std::time::Duration::from_secs(10)));
    assert!(session.screen().contains("5 of 14"), "{}", session.screen());
    assert!(session.screen().contains("2 new rows at the top"), "{}", session.screen());
    let effects = session.app.update(Msg::Tick(now() + SignedDuration::from_secs(10)));
    session.settle(effects).await;
    assert!(
        session.screen().contains("7 of 16"),
        "the cursor stays on its row: {}",
        session.screen()
    );
    assert!(session.screen().contains("4 new rows at the top"), "{}", session.screen());
    let later = Msg::Tick(now() + SignedDuration::from_secs(20));
    session.app.update(Msg::FocusChanged(false));
    assert_eq!(session.app.update(later), [], "it rests without the focus");
    let effects = session.app.update(Msg::FocusChanged(true));
    assert!(
        matches!(effects[..], [Effect::Request { .. }]),
        "at once when it is back: {effects:?}"
    );
    session.settle(effects).await;
    session.keys("F").await;
    assert!(session.screen().contains("live off (F) "), "{}", session.screen());
    let effects = session.app.update(Msg::Tick(now() + SignedDuration::from_secs(30)));
    assert!(effects.is_empty(), "no request when live mode is off");
}

#[tokio::test]
async fn every_cell_opens_its_target() {
    for (keys, seen) in [
        ("3 enter", "› transfer 0xf839"), // the transfer's transaction, by hash
        ("3 l l enter", "› address 0x14dC"), // method, counterparty
        ("3 & P A N E enter l l l enter", "› Glass Panes"), // its token
        ("3 & P A N E enter l l l l enter", "PANE #"), // its instance
        ("4 enter", "› Wrapped Thing"),   // an ERC-20 is a contract
        ("5 enter", "CP08 of alice.eth"), // items that this address holds
        ("5 l l l l l enter", "› Clone Pics 08"), // the collection's contract
        ("2 enter", "› split 0x2e53"),    // an internal transaction's parent
    ] {
        let mut session = Session::demo(size(120, 30), ALICE).await;
        session.keys(keys).await;
        let title = session.screen().lines().next().unwrap().to_owned();
        assert!(title.contains(seen), "{keys}: {title}");
        session.keys("esc").await;
        assert!(session.screen().contains("demo › alice.eth "), "{keys} and back");
    }
}

/// A call that would move tokens if its contract were one has a recipient in its calldata only.
#[tokio::test]
async fn blank_recipient_opens_its_row() {
    let [token, other] = [0x70, 0x71].map(|n: u8| format!("0x{n:040x}"));
    let call = |n: u8, to: &str| {
        format!(
            r#"{{"hash":"0x{n:064x}","status":"ok","block_number":10,"from":{{"hash":"{ALICE}"}},
            "to":{{"hash":"{to}","is_contract":true}},"value":"0","raw_input":"0xa9059cbb{:064x}{:064x}"}}"#,
            0xbb, 5
        )
    };
    let rows = [call(1, &other), call(2, &token)].join(",");
    let list = format!(r#"{{"items":[{rows}],"next_page_params":null}}"#);
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(list.clone()),
        Query::Token(address, TokenQuery::Details) if address.to_string() == token => Ok(format!(
            r#"{{"address_hash":"{token}","symbol":"USDC","decimals":"0","type":"ERC-20"}}"#
        )),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    };
    let mut session = Session::learning(size(160, 30), ALICE, Some(Box::new(answer))).await;
    for (keys, seen) in [("enter", "› transfer? 0x0000"), ("j enter", "› address 0x0000…00bb")]
    {
        session.keys("g g l l l l l l").await;
        session.keys(keys).await;
        let screen = session.screen();
        assert!(screen.lines().next().unwrap().contains(seen), "{screen}");
        session.keys("esc").await;
    }
}

#[tokio::test]
async fn provenance_shows_the_json_path_and_raw_value() {
    let mut session = Session::demo(size(120, 30), ALICE).await;
    session.keys("4 l l I").await; // name, balance
    let screen = session.screen();
    for line in [
        "field   value = \"998907370246667380011442\"",
        "field   token.decimals = \"18\"",
        "998,907.370246667380011442",
        "how     divided by 10^18",
    ] {
        assert!(screen.contains(line), "{line}\n{screen}");
    }
}

#[tokio::test]
async fn provenance_shows_the_filtered_request() {
    let mut session = Session::demo(size(140, 30), ALICE).await;
    session.keys("3 f space enter I").await;
    let request = format!("request GET /api/v2/addresses/{ALICE}/token-transfers?type=ERC-20");
    let screen = session.screen();
    assert!(screen.contains(&request), "{screen}");
    let footer = screen.lines().last().unwrap();
    assert!(footer.contains("Esc back") && !footer.contains("Enter"), "nothing to open\n{screen}");
}

#[tokio::test]
async fn exports_hold_the_visible_rows() {
    let mut session = Session::demo(size(120, 30), ALICE).await;
    session.keys("3 & P A N E enter x").await;
    for _ in 0..60 {
        session.press("backspace");
    }
    session.type_text("panes.csv").await;
    let Some(Effect::Save { path, lines, what }) = session.effects.pop() else {
        panic!("{}", session.screen())
    };
    assert_eq!(path.to_str(), Some("panes.csv"));
    assert!(what.ends_with("rows, more not loaded"), "{what}");
    assert!(lines[0].starts_with("timestamp,block_number,transaction_hash"), "{}", lines[0]);
    assert!(lines.len() > 1 && lines[1..].iter().all(|line| line.contains("PANE")));
    session.keys("x").await;
    for _ in 0..4 {
        session.press("backspace");
    }
    session.type_text(".jsonl").await;
    let Some(Effect::Save { lines, .. }) = session.effects.pop() else {
        panic!("{}", session.screen())
    };
    assert!(lines.iter().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    session.app.update(Msg::Saved(Err("disk full".into())));
    assert!(session.screen().contains("cannot save: disk full"));
}

#[tokio::test]
async fn refused_name_of_a_file_stays_in_its_prompt() {
    let mut session = Session::demo(size(120, 30), ALICE).await;
    session.keys("x backspace").await;
    session.type_text("w").await;
    let screen = session.screen();
    assert!(screen.contains("the name must end in .csv or .jsonl"), "{screen}");
    assert!(screen.contains(".csw "), "the name can be corrected\n{screen}");
    session.keys("backspace").await;
    session.type_text("v").await;
    session.app.update(Msg::Saved(Err("the file exists".into())));
    let screen = session.screen();
    assert!(screen.contains("cannot save: the file exists"), "{screen}");
    assert!(screen.contains(".csv "), "{screen}");
    session.keys("esc").await;
    let screen = session.screen();
    assert!(!screen.contains("the file exists") && screen.contains("1 of 826"), "{screen}");
    session.keys("x enter 2").await;
    session.app.update(Msg::Saved(Err("the file exists".into())));
    let screen = session.screen();
    assert!(!screen.contains(".csv "), "the user has left the list\n{screen}");
}

/// A list of an address with this many transactions, whose values are in no order.
async fn unordered_list(rows: usize) -> Session {
    let row = move |n: usize| {
        let value = n * 7_919 % 3_001;
        format!(r#"{{"hash":"0x{n:064x}","status":"ok","value":"{value}000000000000000000"}}"#)
    };
    let items = (0..rows).map(row).collect::<Vec<_>>().join(",");
    let body = format!(r#"{{"items":[{items}],"next_page_params":null}}"#);
    Session::canned(size(120, 30), ALICE, move |query, _| match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => Ok(body.clone()),
        _ => Err(ApiError::TimedOut { seconds: 1 }),
    })
    .await
}

#[tokio::test]
async fn long_lists_are_exported_between_keys() {
    let mut session = unordered_list(1_000).await;
    let is_saved = |effect: &Effect| matches!(effect, Effect::Save { .. });
    for stop in ["esc", "ctrl-c"] {
        session.keys("x").await;
        let begun = session.press("enter");
        assert!(!begun.iter().any(is_saved), "{begun:?}");
        let screen = session.screen();
        assert!(screen.contains("exporting "), "{screen}");
        let stopped = session.press(stop);
        session.settle(stopped).await;
        let screen = session.screen();
        assert!(!screen.contains("exporting "), "{screen}");
        assert!(!session.effects.iter().any(is_saved), "nothing is written after {stop}");
    }
    session.keys("x enter").await;
    let Some(Effect::Save { lines, what, .. }) = session.effects.pop() else {
        panic!("{}", session.screen())
    };
    assert_eq!((lines.len(), &*what), (1_001, "1,000 rows"));
    session.keys("v").await;
    assert!(
        matches!(session.effects.last(), Some(Effect::OpenExternal { lines, .. }) if lines.len() == 1_001)
    );
}

#[tokio::test]
async fn exports_of_sorted_rows_are_in_their_order() {
    let mut session = unordered_list(1_000).await;
    while !session.screen().contains("sorted by value ↓") {
        session.keys("l o").await;
    }
    session.keys("g e").await;
    let Some(Effect::OpenExternal { lines, .. }) = session.effects.pop() else {
        panic!("{}", session.screen())
    };
    let value = |line: &String| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        row["value"].as_str().unwrap().parse::<u128>().unwrap()
    };
    let values: Vec<u128> = lines.iter().map(value).collect();
    assert_eq!(values.len(), 1_000);
    assert!(values.is_sorted_by(|one, other| one >= other), "{:?}", &values[..10]);
}

#[tokio::test]
async fn external_link_is_confirmed_before_opening() {
    let mut session = Session::demo(size(120, 30), ALICE).await;
    session.keys("O").await;
    assert!(session.screen().contains("no web page for this"));
    session.keys("5 & P A N E enter enter enter").await;
    session.keys("j j j j j j j j j").await; // the external page
    session.keys("enter").await;
    let screen = session.screen();
    assert!(
        screen.contains("host: nft.example") && screen.contains("https://nft.example/"),
        "{screen}"
    );
    assert!(
        !session.effects.iter().any(|e| matches!(e, Effect::OpenBrowser(_))),
        "not before it is confirmed"
    );
    session.keys("enter").await;
    assert!(
        matches!(session.effects.last(), Some(Effect::OpenBrowser(url)) if url.host_str() == Some("nft.example"))
    );
}

/// A list with more new rows between two polls than fit on a page.
fn fast_feed() -> impl FnMut(&Query, Option<&Cursor>) -> Result<String, ApiError> {
    let mut newest = 0;
    move |_, _| {
        newest += 60;
        let row = |n: u64| format!(r#"{{"transaction_hash":"0x{n:064x}","log_index":{n}}}"#);
        let items: Vec<String> = (newest - 50..newest).rev().map(row).collect();
        Ok(format!(r#"{{"items":[{}],"next_page_params":{{"index":1}}}}"#, items.join(",")))
    }
}

#[tokio::test]
async fn live_mode_keeps_the_cursor_under_heavy_traffic() {
    let mut session = Session::canned(size(110, 30), "", fast_feed()).await;
    session.keys("T j j").await;
    let row = session.copied_row().await;
    session.keys("F").await;
    for seconds in [10, 20] {
        let effects = session.app.update(Msg::Tick(now() + SignedDuration::from_secs(seconds)));
        session.settle(effects).await;
        assert!(session.screen().contains("more than 50 new rows"), "{}", session.screen());
        assert_eq!(session.copied_row().await, row);
        session.keys("j k").await;
        let screen = session.screen();
        let at = |text: &str| screen.lines().position(|line| line.contains(text));
        let gap = at("⋯ more than 50 new rows: r reloads the list");
        assert_eq!(gap, at("age").map(|titles| titles + 1), "above the rows\n{screen}");
    }
    session.keys("r").await;
    assert!(session.screen().contains("50 new rows at the top"), "{}", session.screen());
    assert!(!session.screen().contains("more than"), "{}", session.screen());
    assert_ne!(session.copied_row().await, row, "r shows the new rows");
}

#[tokio::test]
async fn live_list_keeps_the_header_up_to_date() {
    // A poll in which nothing is new, one with a new row, and one with a gap.
    let newest = Rc::new(Cell::new(0));
    let sent = newest.clone();
    let mut session = Session::canned(size(110, 30), ALICE, move |query, _| match query {
        Query::Address(_, AddressQuery::Details) => {
            let wei = format!("{}000000000000000000", 7_000 + sent.get());
            Ok(format!(r#"{{"hash":"{ALICE}","coin_balance":"{wei}","is_contract":false}}"#))
        }
        Query::Address(_, AddressQuery::Transactions { .. }) => {
            let row =
                |n: u64| format!(r#"{{"hash":"0x{n:064x}","status":"ok","block_number":{n}}}"#);
            let items: Vec<String> = (sent.get()..sent.get() + 50).rev().map(row).collect();
            Ok(format!(r#"{{"items":[{}],"next_page_params":{{"index":1}}}}"#, items.join(",")))
        }
        _ => Err(ApiError::TimedOut { seconds: 1 }),
    })
    .await;
    session.keys("F").await;
    let asked = |session: &Session, of: AddressQuery| {
        let address = ALICE.parse().unwrap();
        let query = Query::Address(address, of);
        session.requests.iter().filter(|(asked, _)| *asked == query).count()
    };
    assert!(session.screen().contains("7,000 ETH"), "{}", session.screen());
    assert!(!session.screen().contains("nothing new"), "{}", session.screen());
    for (seconds, rows, requests) in [(10, 0, 1), (20, 1, 2), (30, 100, 3)] {
        newest.set(rows);
        let effects = session.app.update(Msg::Tick(now() + SignedDuration::from_secs(seconds)));
        session.settle(effects).await;
        let details = asked(&session, AddressQuery::Details);
        assert_eq!(details, requests, "{}", session.screen());
        let counts = asked(&session, AddressQuery::TabCounters);
        assert_eq!(counts, 1, "an explorer counts for seconds");
        let balance = format!("7,{rows:03} ETH");
        assert!(session.screen().contains(&balance), "{balance}\n{}", session.screen());
    }
}

#[tokio::test]
async fn checksum_mismatch_is_reported() {
    let mut session = Session::demo(size(100, 24), "").await;
    session.keys("s").await;
    session.type_text("0xf39Fd6e51aad88F6F4ce6aB8827279cfffB92266").await;
    assert!(session.screen().contains("a digit may be wrong"), "{}", session.screen());
    assert!(session.screen().contains("› alice.eth"));
}

#[tokio::test]
async fn demo_highlights_are_valid_targets() {
    for place in chainglass::test_api::demo_server::HIGHLIGHTS {
        let target: chainglass::test_api::chain::Target = place.hash.parse().unwrap();
        assert!(!target.checksum_mismatch, "{}", place.name);
    }
}

#[tokio::test]
async fn loading_all_pages_pauses_when_the_rows_fill_their_share_of_the_memory() {
    let pages = Cell::new(0);
    // Digits that cannot be compressed by more than half.
    let mut state = 1_u64;
    let mut digits = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:012x}", state >> 16)
    };
    let mut item =
        || format!(r#"{{"unreadable":"{}"}}"#, (0..800).map(|_| digits()).collect::<String>());
    let items = (0..1_000).map(|_| item()).collect::<Vec<_>>().join(",");
    let mut session = Session::canned(size(120, 30), ALICE, move |query, _| match query {
        Query::Address(_, AddressQuery::Transactions { .. }) => {
            pages.set(pages.get() + 1);
            let next = pages.get();
            Ok(format!(r#"{{"items":[{items}],"next_page_params":{{"block_number":{next}}}}}"#))
        }
        _ => Err(ApiError::TimedOut { seconds: 1 }),
    })
    .await;
    let count_pages = |session: &Session| {
        let is_page = |(query, _): &&(Query, _)| {
            matches!(query, Query::Address(_, AddressQuery::Transactions { .. }))
        };
        session.requests.iter().filter(is_page).count()
    };
    let is_measured = |session: &Session| session.effects.contains(&Effect::MeasureMemory);
    session.keys("G G").await;
    let unasked = count_pages(&session);
    assert!(is_measured(&session) && unasked < 20, "{unasked}: {}", session.screen());
    let effects = session.app.update(Msg::FreeMemory(256 << 20));
    session.settle(effects).await;
    let share = count_pages(&session);
    assert!(share > unasked, "{share}");
    let effects = session.app.update(Msg::FreeMemory(200 << 20));
    session.settle(effects).await;
    let screen = session.screen();
    assert!(screen.contains("paused: the rows take "), "{screen}");
    assert!(screen.contains(" MB, 209.7 MB free · G continues · f narrows"), "{screen}");
    assert!(screen.contains(&format!("{share},000 of {share},000+")), "the rows stay: {screen}");
    session.keys("j g g G").await;
    assert_eq!(count_pages(&session), share, "only if the user agrees");
    session.keys("G").await;
    assert!(count_pages(&session) > share, "{}", session.screen());
    session.keys("f space enter G G").await;
    let effects = session.app.update(Msg::FreeMemory(100 << 20));
    session.settle(effects).await;
    let screen = session.screen();
    assert!(screen.contains("paused: the rows take "), "{screen}");
    assert!(!screen.contains("narrows"), "a filter is set already: {screen}");
}

#[tokio::test]
async fn i_opens_the_token() {
    let mut session =
        Session::demo(size(100, 24), "0x948B3c65b89DF0B4894ABE91E6D02FE579834F8F").await;
    session.keys("i 4").await;
    let screen = session.screen();
    assert!(screen.contains("› Glass Panes ") && screen.contains("#130"), "{screen}");
}

#[tokio::test]
async fn inapplicable_copy_says_why() {
    let mut session = Session::demo(size(80, 24), "").await;
    session.keys("y b").await;
    assert!(session.screen().contains("no block number to copy here"), "{}", session.screen());
}

#[tokio::test]
async fn list_rows_fill_the_name_cache() {
    let mut session = Session::demo(size(100, 30), ALICE).await;
    session.keys("4").await;
    let asked = session.requests.len();
    assert_eq!(asked, 5, "the header, its counters and two lists");
    let gold = "0x5fbdb2315678afecb367f032d93f642f64180aa3".parse().unwrap();
    let name = session.app.name_cache().name(&gold).unwrap();
    let token = name.token.as_ref().unwrap();
    assert_eq!((token.symbol.as_deref(), token.decimals), (Some("GLD"), Some(6)));
    assert!(name.label.is_some() && !name.origin.is_empty(), "{name:?}");
    assert_eq!(session.requests.len(), asked);
}

#[tokio::test]
async fn columns_of_filtered_rows_stay_while_they_are_scrolled() {
    let mut session = Session::demo(size(120, 12), ALICE).await;
    session.keys("3 G G g g &").await;
    session.type_text("token:GLD amount:>100").await;
    let titles = |session: &Session| {
        let screen = session.screen();
        screen.lines().find(|line| line.contains("counterparty")).map(str::to_owned)
    };
    let before = titles(&session);
    let screen = session.screen();
    assert!(screen.contains("1 of 27 ") && !screen.contains(" mint "), "{screen}");
    session.keys("G").await;
    assert!(session.screen().contains(" mint "), "only the last row has a type");
    assert_eq!(titles(&session), before);
}

#[tokio::test]
async fn lists_of_an_address_call_the_same_things_the_same() {
    let mut session = Session::demo(size(200, 30), ALICE).await;
    for tab in ["1", "2", "3"] {
        session.keys(tab).await;
        let screen = session.screen();
        let titles = screen.lines().find(|line| line.contains("counterparty")).unwrap_or_default();
        assert!(titles.split_whitespace().any(|title| title == "tx"), "tab {tab}: {screen}");
    }
}

#[tokio::test]
async fn back_clears_the_search_before_it_leaves_the_page() {
    let mut session = Session::demo(size(120, 40), "").await;
    session.keys("T / G L D enter esc n").await;
    assert!(session.screen().contains("Token t"), "{}", session.screen());
    assert!(!session.screen().contains("match 1 of"), "{}", session.screen());
    session.keys("esc").await;
    assert!(session.screen().contains("Latest blocks"), "{}", session.screen());
}

#[tokio::test]
async fn empty_list_of_an_address_copies_that() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("6 y a").await;
    assert!(session.screen().contains("no logs"), "{}", session.screen());
    assert_eq!(session.copied(), Some(ALICE));
}

#[tokio::test]
async fn files_of_the_demo_chain_have_no_time() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("x").await;
    assert!(
        session.screen().contains("chainglass-transactions-0xf39Fd6e5-demo.csv"),
        "{}",
        session.screen()
    );
}

#[tokio::test]
async fn deployments_are_named_where_a_method_would_be() {
    let mut session = Session::demo(size(120, 40), ALICE).await;
    session.keys("G G G G").await;
    let screen = session.screen();
    let is_creation = |line: &&str| line.contains(" + ") && line.contains("0x");
    let creation = screen.lines().find(is_creation).unwrap();
    assert!(creation.contains("deploy"), "{screen}");
}

#[tokio::test]
async fn row_and_its_page_name_an_address_alike() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("3 4").await;
    let screen = session.screen();
    let row = screen.lines().find(|line| line.starts_with("│   5 ")).unwrap();
    assert!(row.contains(" Glass Dollar "), "{row}");
    let detail = screen.lines().find(|line| line.starts_with("│ contract ")).unwrap();
    assert!(detail.contains("0x5FbDB2315678afecb367f032d93F642f64180aa3 Glass Dollar"), "{detail}");
}

#[tokio::test]
async fn token_has_one_name_in_rows_previews_and_its_page() {
    let named = "→ ◇▼ Clone Coin 31 ";
    let mut session = Session::demo(size(120, 40), ALICE).await;
    let before = session.screen();
    assert!(before.contains(named) && !before.contains("Clonable20"), "{before}");
    assert!(
        before.contains("0xC09fc05Ab2a9847c8EE64d5638061860A9a8D20a Clone Coin 31"),
        "{before}"
    );
    session.keys("l l enter esc").await;
    let after = session.screen();
    assert!(after.contains(named) && !after.contains("Clonable20"), "after a visit: {after}");
    let [value, call] = [" 0.000001 CC31 ", "transfer(to 0x14dC…9955, v 0.000001 CC31) "];
    assert!(!before.contains("CC31"), "{before}");
    assert!(after.contains(value) && after.contains(call), "the page has the decimals: {after}");
}

#[tokio::test]
async fn contract_without_transactions_opens_the_page_of_its_token() {
    let mut session = Session::demo(size(120, 40), "").await;
    let pasted = "0x0a78e9372B02161d4B358AD330BB438B68E187ca";
    let effects = session.app.update(Msg::Paste(pasted.into()));
    session.settle(effects).await;
    assert!(session.screen().contains("supply 9"), "{}", session.screen());
    assert!(session.screen().contains("1 of 9"), "on its NFTs: {}", session.screen());
    session.keys("i").await;
    let screen = session.screen();
    assert!(screen.contains("2 Internal 3") && screen.contains("1 of 3 ─╯"), "{screen}");
    assert!(screen.contains(" · i token page · 1 holder · created by "), "{screen}");
    session.resize(size(130, 40)).await;
    let screen = session.screen();
    assert!(screen.contains("3 Own transfers 0"), "not the token's: {screen}");
    session.keys("1").await;
    let screen = session.screen();
    assert!(screen.contains(" no transactions ") && !screen.contains("another chain"), "{screen}");
    session.keys("Y").await;
    let copied = session.copied().unwrap_or_default();
    assert!(copied.ends_with("87ca --tab transactions"), "{copied}");
    session.keys("H H").await;
    assert!(session.screen().contains("Latest blocks"), "in its place: {}", session.screen());
}

#[tokio::test]
async fn failed_page_counts_down_and_offers_keys_that_work() {
    let refuse = |_: &Query, _: Option<&Cursor>| -> Result<String, ApiError> {
        let why = "no node at 127.0.0.1:9".into();
        Err(ApiError::Node { code: NodeErrorCode::Unavailable, why })
    };
    let mut session = Session::canned(size(120, 40), ALICE, refuse).await;
    let screen = session.screen();
    for text in ["✗ no node at 127.0.0.1:9 ", "retrying in 5 s · r now · gc"] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    let footer = screen.lines().last().unwrap_or_default();
    assert!(footer.starts_with(" r retry  s go to"), "{footer}");
    assert!(!footer.contains("filters") && !footer.contains("token page"), "{footer}");
    let sent = session.requests.len();
    session.keys("f r").await;
    assert!(!session.screen().contains("Only rows"), "nothing to filter");
    assert!(session.requests.len() > sent, "asked again");
}

#[tokio::test]
async fn fee_recipient_is_found_by_its_role() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("6 /").await;
    session.type_text("fee recipient").await;
    assert!(!session.screen().contains("no match"), "{}", session.screen());
    let screen = session.screen();
    let mut rows = screen.lines().filter(|line| line.contains("fee recipient"));
    assert!(rows.any(|row| row.contains("ETH  ")), "{screen}");
}

#[tokio::test]
async fn changes_of_the_coin_add_up_with_what_was_burnt() {
    for (columns, reason) in [(80, ""), (120, "base fee × gas used")] {
        let mut session = Session::demo(size(columns, 40), SWAP).await;
        session.keys("6").await;
        let screen = session.screen();
        let line = |text: &str| screen.lines().find(|line| line.contains(text)).unwrap_or_default();
        for (account, change) in
            [("ETH fee", "−0.0343 "), ("fee recipient", "+0.0241 "), ("burnt fee", "+0.0102 ")]
        {
            assert!(line(account).contains(change), "{account}: {screen}");
        }
        assert!(line("burnt fee").contains(reason), "{screen}");
        session.keys("o o").await;
        assert!(!session.screen().contains("burnt fee"), "not at the end: {}", session.screen());
    }
    let mut low = Session::demo(size(80, 14), SWAP).await;
    low.keys("6 G").await;
    let screen = low.screen();
    assert!(screen.contains("12 of 12") && screen.contains("burnt fee"), "{screen}");
}

#[tokio::test]
async fn changes_name_the_transfers_that_they_sum_up() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("6").await;
    let screen = session.screen();
    let line = screen.lines().find(|line| line.contains("+2,500 ")).unwrap();
    assert!(line.contains("1 ← bob.eth") && !line.contains('…'), "{screen}");
}

#[tokio::test]
async fn accounts_of_changes_are_in_the_order_of_the_transfers() {
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("6").await;
    let screen = session.screen();
    let line = |name: &str| screen.lines().position(|line| line.contains(name)).unwrap();
    let names = ["│ ○△ bob", "│ ▼● Pool", "│ ■△ Pool", "│ ○□ Pool", "│ □▼ 0x673c", "│ ■■ fee"];
    assert!(names.map(line).is_sorted(), "{screen}");
    assert!(screen.contains("burnt fee"), "{screen}");
}

#[tokio::test]
async fn parts_of_a_transaction_have_their_page_below_a_short_list() {
    let mut session = Session::demo(size(200, 60), SWAP).await;
    for (keys, texts) in [
        (
            "3 j",
            ["─ transfer 2 ─", "#6 Wrapped Thing.transfer?(", "4,999,003.198762166823935308 WTH"],
        ),
        (
            "4 j",
            [
                "─ log 6 ─",
                "emitted by      call #6 Wrapped Thing.",
                "called by     call #5 Pool·Cba6.",
            ],
        ),
        ("5 j", ["─ call 3 ─", "4,369 (self 4,369)", "(98% of the most its"]),
        (
            "6 j",
            ["─ state of bob.eth ─", "#2 Glass Dollar.transferFrom?(", "ERC-20 GLD · 6 decimals"],
        ),
    ] {
        session.keys(keys).await;
        let screen = session.screen();
        for text in texts {
            assert!(screen.contains(text), "{text}: {screen}");
        }
        let [title, ..] = texts;
        assert!(screen.contains(&["╭", title].concat()), "below the list: {screen}");
        // The page has the transaction already.
        let mut cells = screen.lines().flat_map(|line| line.split('│'));
        assert!(!cells.any(|cell| cell.trim().starts_with("tx  ")), "{screen}");
    }
}

#[tokio::test]
async fn wide_parts_of_a_transaction_list_the_calls_around_theirs() {
    let mut session = Session::demo(size(200, 60), SWAP).await;
    for (keys, own) in [("3 j", "▶ #6"), ("4 j", "▶ #6"), ("5 j", "▶ #3"), ("6 j", "▶ #2")]
    {
        session.keys(keys).await;
        let screen = session.screen();
        let fields: Vec<&str> =
            screen.lines().filter_map(|line| line.strip_prefix("│ ")?.split('│').next()).collect();
        let calls = fields.iter().skip_while(|line| !line.starts_with("▾ calls ")).skip(1);
        let calls: Vec<&str> =
            calls.map(|line| line.trim()).take_while(|l| !l.is_empty()).collect();
        let marked: Vec<&&str> = calls.iter().filter(|line| line.starts_with('▶')).collect();
        assert!(matches!(*marked, [line] if line.starts_with(own)), "{keys}: {screen}");
        assert!(calls[0].starts_with("#1 "), "{keys}, with its callers: {screen}");
    }
    // There is no space on a narrow screen.
    session.resize(size(120, 40)).await;
    session.keys("3").await;
    assert!(!session.screen().contains("▾ calls "), "{}", session.screen());
}

#[tokio::test]
async fn wide_state_of_an_account_has_its_other_tokens() {
    let mut session = Session::demo(size(200, 60), SWAP).await;
    session.keys("6").await;
    let screen = session.screen();
    for text in ["▾ balances 2 tokens", "GLD    999,000  →    996,500  −2,500  −$2,501"] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    session.keys("j").await;
    let screen = session.screen();
    assert!(screen.contains("▾ balances        1 other token"), "{screen}");
    assert!(screen.contains("NIL  1,000,000  →  1,002,464  +2,464  —"), "{screen}");
}

#[tokio::test]
async fn other_tokens_need_free_lines() {
    let mut session = Session::demo(size(200, 60), SWAP).await;
    session.keys("6").await;
    for height in (8..60).rev() {
        session.resize(size(200, height)).await;
        let screen = session.screen();
        let has_all = screen.contains("999,000  →") && screen.contains("1,000,000  →");
        let is_counted = screen.contains("… 2 more");
        let is_listed = screen.contains("▾ balances");
        assert_eq!(is_listed, has_all || is_counted, "{height}: {screen}");
        assert!(height > 12 || !is_listed, "{height}: {screen}");
    }
}

#[tokio::test]
async fn other_tokens_without_decimals_are_in_units() {
    let answer = |query: &Query, cursor: Option<&Cursor>| match query {
        Query::Transaction(_, TransactionQuery::Details) => {
            let body = include_str!("../data/golden/tx_swap.json");
            Ok(body.replace(r#""decimals":"0""#, r#""decimals":null"#))
        }
        Query::Transaction(_, TransactionQuery::StateChanges) if cursor.is_none() => {
            let body = include_str!("../data/golden/state_changes_swap.json");
            Ok(body.replace(r#""decimals":"0""#, r#""decimals":null"#))
        }
        _ => Ok(r#"{"items":[],"next_page_params":null}"#.into()),
    };
    let mut session = Session::canned(size(200, 60), SWAP, answer).await;
    session.keys("6").await;
    let screen = session.screen();
    assert!(screen.contains("→  1,002,464 units  +2,464 units "), "{screen}");
}

#[tokio::test]
async fn call_that_moved_tokens_leads_to_the_trace() {
    // The call, and the outermost one after another was selected.
    for (keys, call) in
        [("3 j tab j j enter", "call 6 of 26"), ("2 G 3 j tab j j j j enter", "call 1 of 26")]
    {
        let mut session = Session::demo(size(200, 60), SWAP).await;
        session.keys(keys).await;
        let screen = session.screen();
        assert!(screen.contains(call), "{screen}");
    }
}

#[tokio::test]
async fn details_of_a_call_have_the_units_and_the_gas_of_its_trace() {
    let mut session = Session::demo(size(80, 24), SWAP).await;
    session.keys("5 j j j j").await;
    let screen = session.screen();
    for text in [
        "transfer?(Pool·e4EB, 2,490.26 WTH)",
        "│ signature transfer(address",
        "call #6 of 26 · gas used 12,615 · gas limit 1,",
        "─ 5 of 25 ─",
    ] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    let mut session = Session::demo(size(200, 60), SWAP).await;
    session.keys("5 j j").await;
    let screen = session.screen();
    assert!(screen.contains("▾ input ") && screen.contains("▾ output "), "{screen}");
}

#[tokio::test]
async fn transfers_of_a_transaction_have_their_numbers() {
    let mut session = Session::demo(size(80, 24), SWAP).await;
    session.keys("3 j").await;
    let screen = session.screen();
    for text in
        ["│ #  from ", "│ 1  ○△ bob.eth ", "│ 5  □▼ 0x673c…18D7 ", "  Sat Coin ", "│ ▾ from "]
    {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    assert!(!screen.contains("│ tx ") && !screen.contains("✓ ok"), "{screen}");
}

#[tokio::test]
async fn parameters_among_all_fields_have_names_and_units() {
    let mut session = Session::demo(size(80, 24), SWAP).await;
    session.keys("4 d").await;
    let screen = session.screen();
    for text in ["C8 bob.eth", "Pool·Cba6", "2,500 GLD raw 2,500,000,000"] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    let is_event = |line: &str| line.trim_matches(['│', '┃', ' ']) == "df523b3ef Transfer";
    assert!(screen.lines().any(is_event), "the name of the event after its hash: {screen}");
    let mut session = Session::demo(size(120, 40), SWAP).await;
    session.keys("4 d").await;
    let screen = session.screen();
    let whole = "○△ 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 bob.eth · address indexed";
    assert!(screen.contains(whole), "{screen}");
}

#[tokio::test]
async fn fields_of_a_row_have_one_column_of_values_at_80_columns() {
    let mut session = Session::demo(size(80, 40), ALICE).await;
    session.keys("d").await;
    let screen = session.screen();
    let value = |label: &str, value: &str| {
        let line = screen.lines().find(|line| line.contains(label)).unwrap_or_default();
        line.chars().collect::<String>().split_once(value).map(|(before, _)| before.chars().count())
    };
    assert_eq!(value("▸ to ", "0x"), value("▸ from ", "0x"), "{screen}");
    assert_eq!(value(" status ", "ok"), value("▸ from ", "◇▲"), "{screen}");
    let below = |label: &str| {
        let mut lines = screen.lines().skip_while(|line| !line.contains(label));
        lines.nth(1).and_then(|line| line.split_whitespace().nth(1)).map(str::len)
    };
    assert_eq!(below("│ hash "), Some(66), "whole: {screen}");
    let next_to_label = "│ max_priority_fee_per_gas 2,000,000,000 wei";
    assert!(screen.contains(next_to_label), "a label beyond that column: {screen}");
}

#[tokio::test]
async fn losses_of_a_balance_history_have_a_sign_in_dollars() {
    let mut session = Session::demo(size(80, 24), ALICE).await;
    session.keys(":").await;
    session.type_text("coin balance").await;
    let screen = session.screen();
    assert!(screen.contains(" −$4.52 ") && screen.contains(" +$2,499 "), "{screen}");
}
