//! The start page's feed: what it asks for, when it asks again, and what it shows of hostile answers.

use std::time::Duration;

use chainglass::test_api::api::{AddressQuery, ApiError, ChainQuery, Cursor, Query};
use chainglass::test_api::app_message::{
    ChainIndex, ChainRequest, Effect, MouseInput, MouseKind, Msg, NetworkEvent, Priority,
};
use chainglass::test_api::chain::{Chains, Endpoint, Network};
use jiff::SignedDuration;
use ratatui::layout::Position;

use super::demo_items::SWAP;
use super::session::{ALICE, Session, now, size};
use super::simulated_network::{SimulatedAnswer, SimulatedNetwork};
use super::timed_session::TimedSession;

fn asked(effects: &[Effect]) -> Vec<&Query> {
    let query = |effect| match effect {
        &Effect::Request { request: ChainRequest::Fetch { ref query, .. }, .. } => Some(query),
        _ => None,
    };
    effects.iter().filter_map(query).collect()
}

#[tokio::test]
async fn start_page_shows_the_chain_at_all_sizes() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let session = Session::demo(size(width, height), "").await;
        let screen = session.screen();
        for text in [
            "334",
            "Latest transactions",
            "2,458 tx",
            "avg 15.1 s",
            "1% full",
            "gas",
            "3%",
            "Alice",
        ] {
            assert!(screen.contains(text), "{width}: no {text:?}\n{screen}");
        }
    }
    let session = Session::demo(size(60, 14), "").await;
    assert!(!session.screen().contains("Latest blocks"), "{}", session.screen());
}

#[tokio::test]
async fn titles_of_bars_are_whole() {
    let mut session = Session::demo(size(120, 40), "").await;
    let mut found = 0;
    for width in 80..=200 {
        session.resize(size(width, 40)).await;
        let screen = session.screen();
        let Some(titles) = screen.lines().find(|line| line.starts_with("│ block ")) else {
            continue;
        };
        let (titles, _) = titles.split_once("││").unwrap();
        assert!(!titles.contains('…'), "{width}: {titles}");
        found += usize::from(titles.contains(" of peak"));
    }
    assert!(found > 0);
}

#[tokio::test]
async fn rows_of_the_feed_open() {
    let mut session = Session::demo(size(120, 40), "").await;
    session.keys("tab enter").await;
    assert!(session.screen().contains("› block 334"), "{}", session.screen());
    session.keys("esc k j j y y").await;
    assert_eq!(session.copied(), Some("332"));
    session.keys("l enter").await;
    assert!(session.screen().contains("Overview"), "{}", session.screen());
    session.keys("esc shift-tab G j y y").await;
    assert_eq!(session.copied(), Some("316"), "the last of the panel");
    session.keys("left g g enter").await;
    assert!(session.screen().contains("› send 0x5c20"), "recent: {}", session.screen());
}

#[tokio::test]
async fn digit_begins_the_number_of_a_block() {
    let mut session = Session::demo(size(80, 24), "").await;
    session.keys("3 1 2 enter").await;
    assert!(session.screen().contains("› block 312"), "{}", session.screen());
    session.keys("9").await;
    assert!(session.screen().contains("no such tab here"), "{}", session.screen());
}

#[tokio::test]
async fn first_frame_is_drawn_before_anything_is_asked() {
    let network = Chains::default().network_at(&"http://127.0.0.1:1".parse().unwrap());
    let mut session = Session::refusing(network, size(80, 24), true);
    let effects = session.app.start(size(80, 24), None);
    assert_eq!(asked(&effects), Vec::<&Query>::new());
    assert!(effects.iter().any(|effect| matches!(effect, Effect::StartTimer(..))));
    session.settle(effects).await;
    assert!(session.screen().contains("✗ not found on 127.0.0.1:1"), "{}", session.screen());
}

#[tokio::test]
async fn feed_is_polled_with_focus_and_no_faster_than_blocks_come() {
    let network = Chains::default().network_at(&"http://127.0.0.1:1".parse().unwrap());
    let mut session = Session::refusing(network, size(120, 40), false);
    let effects = session.app.start(size(120, 40), None);
    session.settle(effects).await;
    assert_eq!(session.app.tick_interval(), Some(Duration::from_secs(10)));
    let mut after = |seconds| {
        let effects = session.app.update(Msg::Tick(now() + SignedDuration::from_secs(seconds)));
        asked(&effects).len()
    };
    assert_eq!(after(9), 0, "too early");
    assert_eq!(after(10), 3);
    assert_eq!(after(30), 0, "the last answers are still to come");
}

#[tokio::test(start_paused = true)]
async fn interrupted_lists_are_not_loading() {
    let network = SimulatedNetwork::new(|_, _| SimulatedAnswer::ok("{}").after(60_000));
    let mut session = TimedSession::open(&network, size(120, 40), "");
    session.wait(Duration::from_secs(1)).await;
    assert!(session.screen().contains("loading… "), "{}", session.screen());
    session.press("ctrl-c");
    let screen = session.screen();
    assert!(!screen.contains("loading…"), "{screen}");
    assert_eq!(screen.matches("not loaded · r loads").count(), 2, "{screen}");
}

/// Opens the start page of an explorer whose statistics alone fail, with a status.
fn without_statistics(status: u16) -> (SimulatedNetwork, TimedSession) {
    let network = SimulatedNetwork::new(move |path, _| match path {
        "/api/v2/stats" => SimulatedAnswer::refused(status),
        _ => SimulatedAnswer::ok(r#"{"items":[{"height":7}],"next_page_params":null}"#),
    });
    let session = TimedSession::open(&network, size(120, 40), "");
    (network, session)
}

fn requests_of(network: &SimulatedNetwork, endpoint: &str) -> usize {
    network.requests().iter().filter(|request| request.path.ends_with(endpoint)).count()
}

#[tokio::test(start_paused = true)]
async fn statistics_that_the_recovery_does_not_repeat_are_polled_less_and_less_often() {
    let (network, mut session) = without_statistics(500);
    session.wait(Duration::from_mins(10)).await;
    let [blocks, stats] = ["/blocks", "/stats"].map(|endpoint| requests_of(&network, endpoint));
    assert!(blocks >= 40, "{blocks}");
    assert!((8..20).contains(&stats), "{stats}");
    session.wait(Duration::from_mins(10)).await;
    assert!(requests_of(&network, "/stats") > stats, "they are not given up");
}

/// A poll would repeat them, with all retries of each, as long as the page is open.
#[tokio::test(start_paused = true)]
async fn statistics_that_fail_alone_are_left_to_the_recovery() {
    let (network, mut session) = without_statistics(503);
    session.wait(Duration::from_mins(10)).await;
    let [blocks, stats] = ["/blocks", "/stats"].map(|endpoint| requests_of(&network, endpoint));
    assert!(blocks >= 40, "{blocks}");
    assert!((5..50).contains(&stats), "{stats}");
    session.press("r");
    session.wait(Duration::from_secs(1)).await;
    assert!(requests_of(&network, "/stats") > stats, "a refresh requests everything");
}

#[tokio::test]
async fn refresh_polls_a_refused_feed_as_often_as_at_first() {
    let network = Chains::default().network_at(&"http://127.0.0.1:1".parse().unwrap());
    let mut session = Session::refusing(network, size(120, 40), false);
    let effects = session.app.start(size(120, 40), None);
    session.settle(effects).await;
    let first = session.app.tick_interval();
    for attempt in 1..=4 {
        let later = now() + SignedDuration::from_mins(10 * attempt);
        let effects = session.app.update(Msg::Tick(later));
        session.settle(effects).await;
    }
    assert!(session.app.tick_interval() > first, "{first:?}");
    session.keys("r").await;
    assert_eq!(session.app.tick_interval(), first);
}

#[tokio::test]
async fn feed_of_an_unknown_url_is_polled_once_an_explorer_answers() {
    let network = Chains::default().resolve("http://explorer.example/").unwrap();
    let explorer = Endpoint::Remote("http://explorer.example/".parse().unwrap());
    let decided = Network { endpoint: explorer, ..network.clone() };
    let mut session = Session::refusing(network, size(120, 40), false);
    let requests = session.app.start(size(120, 40), None);
    let event = NetworkEvent::Decided(Box::new(decided));
    let effects = session.app.update(Msg::Network(ChainIndex(0), event));
    session.settle([requests, effects].concat()).await;
    assert_eq!(session.app.tick_interval(), Some(Duration::from_secs(10)));
}

#[tokio::test]
async fn focus_and_a_key_stop_the_feed() {
    let network = Chains::default().network_at(&"http://127.0.0.1:1".parse().unwrap());
    let mut session = Session::refusing(network, size(120, 40), false);
    let effects = session.app.start(size(120, 40), None);
    session.settle(effects).await;
    let tick = |seconds| Msg::Tick(now() + SignedDuration::from_secs(seconds));
    session.app.update(Msg::FocusChanged(false));
    assert!(asked(&session.app.update(tick(60))).is_empty(), "without the focus");
    let effects = session.app.update(Msg::FocusChanged(true));
    assert_eq!(asked(&effects).len(), 3, "at once when it is back");
    session.settle(effects).await;
    session.keys("F").await;
    assert!(session.screen().contains("Latest activity · live off"), "{}", session.screen());
    assert!(asked(&session.app.update(tick(600))).is_empty(), "stopped");
    assert_eq!(asked(&session.press("F")).len(), 3);
}

#[tokio::test]
async fn watched_addresses_have_their_balances() {
    let mut session = Session::demo(size(120, 40), "").await;
    session.keys("w").await;
    let balance = Query::Address(ALICE.parse().unwrap(), AddressQuery::Details);
    assert!(session.requests.iter().any(|(query, _)| *query == balance));
    assert!(session.screen().contains("9,999,99"), "{}", session.screen());
}

const BLOCKS: &str = r#"[{"height":"\u001b[31m","transactions_count":{},"gas_used":1e99},7,null]"#;
const TRANSACTIONS: &str = r#"[
    {"hash":"0x1111111111111111111111111111111111111111111111111111111111111111",
     "method":"\u202eevil\u001b[2J","from":{"hash":"no"},"timestamp":[]},{}]"#;

fn hostile(query: &Query, _: Option<&Cursor>) -> Result<String, ApiError> {
    Ok(match query {
        Query::LatestBlocks => BLOCKS,
        Query::LatestTransactions => TRANSACTIONS,
        Query::Chain(ChainQuery::Blocks) => return Ok(format!(r#"{{"items":{BLOCKS}}}"#)),
        Query::Chain(ChainQuery::Transactions) => return Ok(format!(r#"{{"items":{TRANSACTIONS}}}"#)),
        Query::Stats => {
            r#"{"average_block_time":-1,"gas_prices":{"slow":"\u001b","average":null,"fast":{"price":{}}},
                "network_utilization_percentage":"1e400","total_transactions":-3,"coin_price":"\u0007"}"#
        }
        Query::DailyTransactions => {
            r#"{"chart_data":[{"date":"b","tx_count":3},{"date":"a","tx_count":18446744073709551615},{"date":"c"},[]]}"#
        }
        _ => return Err(ApiError::from_error_body(501, b"")),
    }
    .into())
}

#[tokio::test]
async fn hostile_answers_are_shown_as_unknown() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let session = Session::canned(size(width, height), "", hostile).await;
        let screen = session.screen();
        for text in ["?      ?", "a day █▂", "Alice"] {
            assert!(screen.contains(text), "{width}: no {text:?}\n{screen}");
        }
        let is_hidden = |c: char| c.is_control() && c != '\n' || "\u{202e}\u{200b}".contains(c);
        assert!(!screen.contains(is_hidden), "{screen:?}");
    }
}

#[tokio::test]
async fn unreadable_rows_keep_their_places() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut session = Session::canned(size(width, height), "", hostile).await;
        let screen = session.screen();
        assert_eq!(screen.matches("unreadable row").count(), 3, "{width}\n{screen}");
        let blocks = screen.lines().filter(|line| line.starts_with("│ unreadable row"));
        assert_eq!(blocks.count(), 2, "{width}\n{screen}");
        session.keys("tab y y").await;
        assert_eq!(session.copied().map(|hash| &hash[..6]), Some("0x1111"), "{width}");
    }
}

#[tokio::test]
async fn load_that_cannot_be_is_unknown() {
    for (load, shown) in [
        ("100", "100% full"),
        ("10000000000", "?% full"),
        ("\"1e400\"", "?% full"),
        ("\"many\"", "?% full"),
        ("-1", "?% full"),
    ] {
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Stats => Ok(format!(r#"{{"network_utilization_percentage":{load}}}"#)),
            _ => Ok(r#"{"items":[],"next_page_params":null}"#.to_owned()),
        };
        let screen = Session::explorer(size(120, 40), "", answer).await.screen();
        assert!(screen.contains(&format!(" {shown} ")), "{load}: {screen}");
    }
    let answer = |query: &Query, _: Option<&Cursor>| match query {
        Query::Stats => Ok(r#"{"coin_price":"NaN"}"#.to_owned()),
        _ => Ok(r#"{"items":[],"next_page_params":null}"#.to_owned()),
    };
    let screen = Session::canned(size(120, 40), "", answer).await.screen();
    assert!(screen.contains(" $?") && !screen.contains("% full"), "{screen}");
    let answer = |query: &Query, _: Option<&Cursor>| match query {
        Query::Stats => Ok(r#"{"gas_prices":{"slow":1,"average":"NaN","fast":3}}"#.to_owned()),
        _ => Ok(r#"{"items":[],"next_page_params":null}"#.to_owned()),
    };
    let screen = Session::canned(size(120, 40), "", answer).await.screen();
    assert!(screen.contains(" gas ? gwei (slow 1, fast 3) "), "{screen}");
}

/// Pages repeat rows in a reorg.
#[tokio::test]
async fn repeated_rows_are_listed_once() {
    let heights = [9, 8, 8, 8, 7, 6];
    let rows: Vec<_> = heights.iter().map(|n| serde_json::json!({ "height": n })).collect();
    let answer = move |query: &Query, _: Option<&Cursor>| match query {
        Query::LatestBlocks => Ok(serde_json::json!(rows).to_string()),
        Query::Chain(ChainQuery::Blocks) => Ok(serde_json::json!({ "items": rows }).to_string()),
        _ => Err(ApiError::from_error_body(501, b"")),
    };
    let mut session = Session::explorer(size(120, 40), "", answer).await;
    session.keys("j j y y").await;
    assert_eq!(session.copied(), Some("7"), "{}", session.screen());
    let line = session.screen().lines().position(|line| line.starts_with("│     6 ")).unwrap();
    let at = Position { x: 5, y: u16::try_from(line).unwrap() };
    session.keys("M").await;
    session.app.update(Msg::Mouse(MouseInput { at, kind: MouseKind::Click }));
    session.keys("y y").await;
    assert_eq!(session.copied(), Some("6"), "{}", session.screen());
}

#[tokio::test]
async fn chart_comes_last_and_again_after_it_was_left() {
    let network = Chains::default().network_at(&"http://127.0.0.1:1".parse().unwrap());
    let mut session = Session::refusing(network, size(120, 40), false);
    let start = session.app.start(size(120, 40), None);
    let ask = |session: &mut Session, effects: Vec<Effect>| -> Vec<Effect> {
        let timer = |effect| match effect {
            Effect::StartTimer(timer, _) => Some(timer),
            _ => None,
        };
        let timers: Vec<_> = effects.into_iter().filter_map(timer).collect();
        timers.into_iter().flat_map(|timer| session.app.update(Msg::TimerFired(timer))).collect()
    };
    let effects = ask(&mut session, start);
    let Some(Effect::Request { request: ChainRequest::Fetch { query, priority, .. }, .. }) =
        effects.last()
    else {
        panic!("{effects:?}")
    };
    assert_eq!((query, *priority), (&Query::DailyTransactions, Priority::Idle));
    let [rest @ .., _] = effects.as_slice() else { panic!("{effects:?}") };
    session.settle(rest.to_vec()).await;
    session.press("T");
    let back = session.press("esc");
    let effects = ask(&mut session, back);
    assert_eq!(asked(&effects), [&Query::DailyTransactions], "the rest has come");
}

#[tokio::test]
async fn recents_that_appear_leave_the_focus_in_the_feed() {
    let answer = |query: &Query, _: Option<&Cursor>| match query {
        Query::LatestBlocks => Ok(r#"[{"height":7},{"height":6}]"#.into()),
        Query::Chain(ChainQuery::Blocks) => Ok(r#"{"items":[{"height":7},{"height":6}]}"#.into()),
        _ => Err(ApiError::from_error_body(501, b"")),
    };
    let mut session = Session::explorer(size(120, 40), "", answer).await;
    session.keys("y y").await;
    assert_eq!(session.copied(), Some("7"));
    session.app.update(Msg::Paste(ALICE.into()));
    session.keys("esc").await;
    assert!(session.screen().contains("─ Recent ─"), "{}", session.screen());
    session.keys("y y").await;
    assert_eq!(session.copied(), Some("7"), "{}", session.screen());
}

#[tokio::test]
async fn rows_to_act_on_are_above_the_feed() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let screen = Session::demo(size(width, height), "").await.screen();
        let line = |text: &str| screen.lines().position(|line| line.contains(text)).unwrap();
        assert!(line("Alice") < line("Latest blocks"), "{screen}");
        let first = screen.lines().nth(line("Alice")).unwrap();
        assert!(first.starts_with('│'), "the whole width\n{screen}");
    }
}

#[tokio::test]
async fn amounts_are_whole_in_all_units() {
    for (width, height) in [(80, 24), (120, 40), (160, 40), (200, 60)] {
        let mut session = Session::demo(size(width, height), "").await;
        for key in ["U", "U"] {
            session.keys(key).await;
            let screen = session.screen();
            let is_cut = |word: &str| word.contains(',') && word.contains('…');
            assert!(!screen.split_whitespace().any(is_cut), "{width} {key}\n{screen}");
        }
        let screen = session.screen();
        assert!(screen.contains(" 1,000,000,000,000,000,000 "), "{width}\n{screen}");
    }
}

#[tokio::test]
async fn values_stay_next_to_long_names() {
    let long = "a name as long as those of many proxies";
    let party =
        |digit: u8| format!(r#"{{"hash":"0x{digit:040x}","name":"{long}","is_contract":true}}"#);
    let row = format!(
        r#"[{{"hash":"{SWAP}","status":"ok","result":"success","block_number":7,"method":"update",
        "raw_input":"0x12345678","value":"42000000000000000000","from":{},"to":{}}}]"#,
        party(1),
        party(2)
    );
    for width in [80, 120, 200] {
        let row = row.clone();
        let session = Session::explorer(size(width, 40), "", move |query, _| match query {
            Query::LatestTransactions => Ok(row.clone()),
            Query::Chain(ChainQuery::Transactions) => {
                Ok(format!(r#"{{"items":{row},"next_page_params":null}}"#))
            }
            _ => Ok(r#"{"items":[],"next_page_params":null}"#.to_owned()),
        })
        .await;
        let screen = session.screen();
        for text in [" 42 ?", " update", "a na"] {
            assert!(screen.contains(text), "{width}: {text}\n{screen}");
        }
    }
}

#[tokio::test]
async fn failed_transaction_gives_its_reason_in_the_row() {
    // Error("too late")
    let reason = "0x08c379a0\
        0000000000000000000000000000000000000000000000000000000000000020\
        0000000000000000000000000000000000000000000000000000000000000008\
        746f6f206c617465000000000000000000000000000000000000000000000000";
    let answer = move |name: &'static str, query: &Query| match query {
        Query::Chain(ChainQuery::Transactions) | Query::LatestTransactions => {
            let row = serde_json::json!({
                "hash": SWAP, "status": "error", "result": "Reverted", "method": "go",
                "raw_input": "0x12345678", "value": "5000000000000000000",
                "from": { "hash": ALICE }, "to": { "hash": ALICE, "is_contract": true, "name": name },
                "block_number": 7, "revert_reason": { "raw": reason },
            });
            let is_page = *query == Query::Chain(ChainQuery::Transactions);
            let list = serde_json::json!([row]);
            let page = serde_json::json!({ "items": list, "next_page_params": null });
            Ok(if is_page { page } else { list }.to_string())
        }
        _ => Ok("{}".to_owned()),
    };
    // A long name gives way.
    let long = "A contract with a name that takes more columns than the line has without a reason";
    for (width, height, name) in [(120, 40, ""), (200, 60, ""), (80, 24, long), (120, 40, long)] {
        let answer = move |query: &Query, _: Option<&Cursor>| answer(name, query);
        let screen = Session::canned(size(width, height), "", answer).await.screen();
        let row = screen.lines().find(|line| line.contains('✗')).unwrap();
        assert!(row.contains("go ") && row.contains("too late"), "{screen}");
        assert!(!row.contains("5 ETH"), "nothing has moved\n{screen}");
    }
}

#[tokio::test]
async fn coin_of_an_unknown_explorer_is_that_of_its_web_pages() {
    let named = r#"{"envs":{"NEXT_PUBLIC_NETWORK_CURRENCY_SYMBOL":"MINE"}}"#;
    let unnamed = r#"{"envs":[]}"#;
    for (config, shown) in [(Some(named), "1.5 MINE"), (Some(unnamed), "1.5 ?"), (None, "1.5 ?")] {
        let answer = move |query: &Query, _: Option<&Cursor>| match query {
            Query::Address(_, AddressQuery::Details) => {
                Ok(format!(r#"{{"hash":"{ALICE}","coin_balance":"1500000000000000000"}}"#))
            }
            Query::WebConfig => config
                .map(str::to_owned)
                .ok_or_else(|| ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
            _ => Ok(r#"{"items":[],"next_page_params":null}"#.to_owned()),
        };
        let screen = Session::unknown_explorer(size(120, 40), ALICE, answer).await.screen();
        assert!(screen.contains(shown) && !screen.contains("ETH"), "{shown}\n{screen}");
    }
}
