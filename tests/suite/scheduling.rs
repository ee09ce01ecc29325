//! Request scheduling: priorities, retries, rate limits and the request log.

use std::time::Duration;

use chainglass::test_api::api::exchange::RateLimit;
use chainglass::test_api::api::{AddressQuery, Query, TransactionQuery};
use chainglass::test_api::app_message::{
    ChainIndex, ChainRequest, ConnectionStatus, Effect, Msg, NetworkEvent, Priority,
    RequestLogEntry, RetryProgress,
};
use chainglass::test_api::chain::{Chains, TxHash};
use chainglass::test_api::net::Provider;
use insta::assert_snapshot;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{pause, resume, sleep};

use crate::fake_server::{Behavior, FakeServer, json, page, response_head, scripted};
use crate::layout::check_other_sizes;
use crate::session::{ALICE, Session, now, size};

const SIZES: [(u16, u16); 3] = [(40, 10), (80, 24), (120, 40)];

fn transactions() -> Query {
    Query::Address(ALICE.parse().unwrap(), AddressQuery::Transactions { direction: None })
}

fn source(server: &FakeServer) -> Provider {
    Provider::new(&Chains::default().network_at(&server.base()))
}

/// A 429 response with these headers.
fn rate_limited(headers: &[(&str, &str)]) -> Behavior {
    let all = [&[("content-type", "application/json")], headers].concat();
    Behavior::Respond(
        [&response_head(429, &all)[..], br#"{"message":"Too Many Requests"}"#].concat(),
    )
}

/// Waits for a status with, or without, a rate-limit delay.
async fn until_waiting(events: &mut UnboundedReceiver<NetworkEvent>, is_waiting: bool) {
    while let Some(events) = events.recv().await {
        match events {
            NetworkEvent::Status(standing) if standing.limited_secs.is_some() == is_waiting => {
                return;
            }
            _ => {}
        }
    }
    panic!("no further event");
}

/// The request log entries so far.
fn log_entries(events: &mut UnboundedReceiver<NetworkEvent>) -> Vec<RequestLogEntry> {
    let events = std::iter::from_fn(|| events.try_recv().ok());
    let sent = events.filter_map(|events| match events {
        NetworkEvent::Request(sent) => Some(*sent),
        _ => None,
    });
    sent.collect()
}

#[tokio::test]
async fn transient_failures_are_retried() {
    let busy = json(503, r#"{"error":"ServerClient unavailable"}"#);
    let server = scripted([busy.clone(), Behavior::Reset(Vec::new()), page("", "null")]);
    let source = source(&server);
    let mut events = source.subscribe();
    source.fetch(&transactions(), None, Priority::Prefetch).await.unwrap();
    let entries = log_entries(&mut events);
    let seen: Vec<_> = entries.iter().map(|s| (s.attempt, s.status, s.error.is_some())).collect();
    assert_eq!(seen, [(1, Some(503), true), (2, None, true), (3, Some(200), false)]);
    assert_eq!(server.requests().len(), 3);
    for sent in entries {
        assert_eq!(
            (sent.method, sent.priority, sent.from_cache),
            ("GET", Priority::Prefetch, false)
        );
        assert_eq!(&*sent.url, server.base().join(&transactions().path()).unwrap().as_str());
    }
}

#[tokio::test]
async fn trace_is_retried_before_it_starts() {
    let server = scripted([json(502, "{}"), json(200, "[]")]);
    let query = Query::Transaction(TxHash::ZERO, TransactionQuery::RawTrace);
    let mut body = source(&server)
        .open_stream(&query, Duration::from_mins(1), Priority::Interactive)
        .await
        .unwrap();
    assert_eq!(body.chunk().await.unwrap().as_deref(), Some(&b"[]"[..]));
    let tracing = scripted([json(500, "\"Error while raw trace fetching\"")]);
    source(&tracing)
        .open_stream(&query, Duration::from_mins(1), Priority::Interactive)
        .await
        .unwrap_err();
    assert_eq!((server.requests().len(), tracing.requests().len()), (2, 1));
}

#[tokio::test]
async fn refusals_are_not_retried() {
    for status in [400, 401, 402, 403, 404, 422] {
        let server = scripted([json(status, r#"{"error":"No"}"#)]);
        let error =
            source(&server).fetch(&transactions(), None, Priority::Interactive).await.unwrap_err();
        assert!(error.to_string().ends_with(": No"), "{error}");
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn rate_limited_request_waits_and_succeeds() {
    let server = scripted([rate_limited(&[("x-ratelimit-reset", "30000")]), page("", "null")]);
    let source = source(&server);
    let mut events = source.subscribe();
    let hear = async {
        until_waiting(&mut events, true).await;
        assert_eq!(server.requests().len(), 1);
        // A paused clock jumps to the end of the delay when all tasks are idle.
        pause();
        until_waiting(&mut events, false).await;
        assert_eq!(server.requests().len(), 1, "no request before the delay is over");
        resume();
    };
    let query = transactions();
    let (answer, ()) = tokio::join!(source.fetch(&query, None, Priority::Interactive), hear);
    answer.unwrap();
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn repeated_rate_limit_fails_with_the_servers_message() {
    let server = scripted([rate_limited(&[("retry-after", "0")])]);
    let error =
        source(&server).fetch(&transactions(), None, Priority::Interactive).await.unwrap_err();
    assert_eq!(error.to_string(), "the explorer answered 429: Too Many Requests");
    assert_eq!(error.hint(), "wait a moment");
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn cancelled_request_is_not_retried() {
    let server = scripted([rate_limited(&[("retry-after", "30")]), page("", "null")]);
    let source = source(&server);
    let mut events = source.subscribe();
    let task = tokio::spawn({
        let source = source.clone();
        async move { source.fetch(&transactions(), None, Priority::Interactive).await }
    });
    until_waiting(&mut events, true).await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    until_waiting(&mut events, false).await;
    pause();
    sleep(Duration::from_mins(2)).await;
    resume();
    // A request of the cancelled fetch would be logged before this one.
    source.fetch(&Query::token_transfers(None), None, Priority::Interactive).await.unwrap();
    let paths: Vec<_> = server.requests().iter().map(|r| r.path().to_owned()).collect();
    assert_eq!(paths, [format!("/{}", transactions().path()), "/api/v2/token-transfers".into()]);
}

#[tokio::test]
async fn cancelled_request_frees_its_slot() {
    let server = scripted([vec![Behavior::Stall(Vec::new()); 3], vec![page("", "null")]].concat());
    let source = source(&server);
    let mut events = source.subscribe();
    let query = transactions();
    let stalled = || source.fetch(&query, None, Priority::Interactive);
    tokio::select! {
        _ = async { tokio::join!(stalled(), stalled(), stalled(), stalled()) } => panic!("answered"),
        () = server.until_requested(3) => {}
    }
    server.until_closed(3).await;
    let entries = log_entries(&mut events);
    assert!(entries.iter().all(|s| s.status.is_none() && s.error.is_some()), "{entries:?}");
    assert_eq!(entries.len(), 3, "the fourth was never sent");
    stalled().await.unwrap();
    assert_eq!(server.requests().len(), 4);
}

fn priorities(effects: &[Effect]) -> Vec<Priority> {
    let why = |effect: &Effect| match effect {
        Effect::Request { request: ChainRequest::Fetch { priority, .. }, .. } => Some(*priority),
        _ => None,
    };
    effects.iter().filter_map(why).collect()
}

#[tokio::test]
async fn next_page_is_prefetched_or_interactive() {
    let mut session = Session::demo(size(80, 24), "").await;
    let first = session.press("enter");
    let counters_last = [Priority::Interactive, Priority::Interactive, Priority::Idle];
    assert_eq!(priorities(&first), counters_last);
    session.settle(first).await;
    let asked =
        (0..49).find_map(|_| Some(priorities(&session.press("j"))).filter(|w| !w.is_empty()));
    assert_eq!(asked.as_deref(), Some(&[Priority::Prefetch][..]));
    assert_eq!(priorities(&session.press("r")).last(), Some(&Priority::Refresh));
    let mut session = Session::demo(size(80, 24), ALICE).await;
    assert_eq!(priorities(&session.press("G")), [Priority::Interactive]);
}

/// A session at a server without data.
async fn empty_session(width: u16, height: u16, target: &str) -> Session {
    let nothing = r#"{"items":[],"next_page_params":null}"#;
    Session::canned(size(width, height), target, |_, _| Ok(nothing.into())).await
}

/// Request log entries of every kind, newest last.
fn requests() -> Vec<RequestLogEntry> {
    let base = format!("https://eth.blockscout.com/api/v2/addresses/{ALICE}");
    let sent = |path: &str, status, millis, bytes| RequestLogEntry {
        method: "GET",
        url: format!("{base}/{path}").as_str().into(),
        status,
        error: None,
        time: now(),
        elapsed: Duration::from_millis(millis),
        bytes,
        attempt: 1,
        from_cache: false,
        priority: Priority::Interactive,
    };
    vec![
        sent("counters", Some(200), 81, 132),
        RequestLogEntry {
            error: Some("connection refused".into()),
            ..sent("transactions", None, 10_000, 0)
        },
        RequestLogEntry { attempt: 2, ..sent("transactions", Some(200), 1_234, 68_123) },
        RequestLogEntry {
            priority: Priority::Prefetch,
            ..sent("transactions?index=7&hash=0x12", Some(200), 350, 70_001)
        },
        RequestLogEntry { priority: Priority::Refresh, ..sent("tokens", Some(200), 9, 12) },
        RequestLogEntry {
            from_cache: true,
            ..sent("nft/collections?type=ERC-721", Some(200), 0, 4_096)
        },
        RequestLogEntry {
            error: Some("Too Many Requests".into()),
            ..sent("token-transfers", Some(429), 40, 31)
        },
    ]
}

fn notify(session: &mut Session, events: NetworkEvent) {
    assert_eq!(session.app.update(Msg::Network(ChainIndex::default(), events)), []);
}

fn status(waiting: Option<u64>, retrying: Option<RetryProgress>) -> NetworkEvent {
    let (limit, reset_ms, credits) = (Some(300), Some(12_000), Some(-12_345));
    let limits = RateLimit { remaining: Some(0), limit, reset_ms, credits };
    NetworkEvent::Status(ConnectionStatus {
        rate_limit: Some(limits),
        limited_secs: waiting,
        retrying,
    })
}

#[tokio::test]
async fn title_shows_rate_limit_and_retries() {
    let mut titles = Vec::new();
    let retrying = Some(RetryProgress { attempt: 2, max_attempts: 3 });
    for (width, height) in SIZES {
        let mut session = empty_session(width, height, ALICE).await;
        let first = |session: &Session| session.screen().lines().next().unwrap().to_owned();
        titles.push(first(&session));
        for (waiting, retrying) in
            [(None, None), (None, retrying), (Some(12), retrying), (Some(11), None)]
        {
            notify(&mut session, status(waiting, retrying));
            titles.push(first(&session));
        }
    }
    assert_snapshot!("network_titles", titles.join("\n"));
    assert_eq!(start_page_tick().await, None, "no timer");
}

/// The start page's tick interval during a rate-limit delay.
async fn start_page_tick() -> Option<Duration> {
    let mut session = empty_session(80, 24, "").await;
    notify(&mut session, status(Some(12), None));
    session.app.tick_interval()
}

#[tokio::test]
async fn request_log_matches_its_snapshot() {
    let mut session = empty_session(120, 40, ALICE).await;
    for sent in requests() {
        notify(&mut session, NetworkEvent::Request(Box::new(sent)));
    }
    session.keys("!").await;
    assert_snapshot!("requests_120x40", session.screen());
    session.keys("j j j").await;
    for parameter in ["│   index = 7 ", "│   hash = 0x12 "] {
        assert!(session.screen().contains(parameter), "{}", session.screen());
    }
    check_other_sizes(&mut session).await;
}

#[tokio::test]
async fn rows_of_failed_requests_have_the_reason() {
    let mut log = requests();
    let refused = "a reason that is longer than the row and would push the path out of it";
    let failed = RequestLogEntry { error: Some(refused.into()), ..log[0].clone() };
    log.push(failed);
    for width in [80, 120, 200] {
        let mut session = empty_session(width, 24, ALICE).await;
        for sent in &log {
            notify(&mut session, NetworkEvent::Request(Box::new(sent.clone())));
        }
        session.keys("! G").await;
        let screen = session.screen();
        for text in [" · a reason", "/transactions · connection", "-transfers · Too"] {
            let rows = screen.lines().filter(|line| line.contains(text));
            assert_eq!(rows.count(), 1, "{width}: {text}\n{screen}");
        }
    }
}

/// Under a few requests: the selected one, what repeats, and totals by endpoint.
#[tokio::test]
async fn repeated_requests_are_marked() {
    let mut session = empty_session(200, 40, ALICE).await;
    let mut log = requests();
    let first = log[0].clone();
    let refresh = RequestLogEntry { priority: Priority::Refresh, ..first.clone() };
    log.extend([first, refresh]);
    for sent in log {
        notify(&mut session, NetworkEvent::Request(Box::new(sent)));
    }
    session.keys("! j").await;
    let screen = session.screen();
    let repeated: Vec<_> = screen.lines().filter(|line| line.contains(" · again")).collect();
    assert_eq!(repeated.len(), 1, "neither a retry nor a refresh: {screen}");
    assert!(repeated[0].contains("/counters · again"), "{screen}");
    assert!(screen.contains("again: the same request as at 19:00:00"), "{screen}");
    let total = screen.lines().find(|line| line.contains(" addresses/…/transactions")).unwrap();
    let words: Vec<_> = total.split_whitespace().skip_while(|word| *word != "3").collect();
    assert_eq!(words[..2], ["3", "11,584"], "{total}");
    assert!(words[2].starts_with("━━━━━━━━━━━━━━"), "the slowest: {total}");
    assert!(screen.contains("counts: totals in headers"), "the meanings of all: {screen}");
}

#[tokio::test]
async fn totals_keep_their_bars_and_meanings_their_lines_at_120_columns() {
    let mut session = empty_session(120, 40, ALICE).await;
    for sent in requests() {
        notify(&mut session, NetworkEvent::Request(Box::new(sent)));
    }
    session.keys("!").await;
    let screen = session.screen();
    assert!(screen.contains("│ counts: totals in headers and tabs "), "{screen}");
    assert!(screen.contains(" requests total ms of peak "), "{screen}");
}

#[tokio::test]
async fn requests_without_an_answer_are_not_repeated() {
    let asked = requests().remove(0);
    let failed = RequestLogEntry { error: Some("no answer".into()), ..asked.clone() };
    let cached = RequestLogEntry { from_cache: true, ..asked.clone() };
    for (before, is_again) in [
        (vec![&failed], false),
        (vec![&cached], false),
        (vec![&asked, &failed], false),
        (vec![&asked, &cached], true),
    ] {
        let mut session = empty_session(120, 40, ALICE).await;
        for sent in before.into_iter().chain([&asked]) {
            notify(&mut session, NetworkEvent::Request(Box::new(sent.clone())));
        }
        session.keys("!").await;
        let screen = session.screen();
        let newest = screen.lines().nth(3).unwrap();
        assert_eq!(newest.contains(" · again"), is_again, "{screen}");
        assert_eq!(screen.contains("again: the same"), is_again, "{screen}");
    }
}

#[tokio::test]
async fn totals_of_chains_are_apart() {
    let mut session = empty_session(120, 40, ALICE).await;
    for chain in [1, 10] {
        let url = format!("https://api.blockscout.com/{chain}/api/v2/blocks/7/transactions");
        let sent = RequestLogEntry { url: url.as_str().into(), ..requests().remove(0) };
        notify(&mut session, NetworkEvent::Request(Box::new(sent)));
    }
    session.keys("!").await;
    let screen = session.screen();
    for total in ["1/blocks/…/transactions ", "10/blocks/…/transactions "] {
        assert!(screen.contains(&format!(" api.blockscout.com/{total}")), "{screen}");
    }
}

#[tokio::test]
async fn totals_name_their_endpoints_on_narrow_screens() {
    let asked = requests().remove(0);
    for (from_cache, has_totals) in [(false, true), (true, false)] {
        let mut session = empty_session(40, 24, ALICE).await;
        let sent = RequestLogEntry { from_cache, ..asked.clone() };
        notify(&mut session, NetworkEvent::Request(Box::new(sent)));
        session.keys("!").await;
        let screen = session.screen();
        for text in ["requests total ms endpoint", " addresses/…/count"] {
            assert_eq!(screen.contains(text), has_totals, "{text}\n{screen}");
        }
    }
}

#[tokio::test]
async fn totals_have_space_below_the_requests_or_say_how_many_are_shown() {
    let asked = requests().remove(0);
    for (endpoints, shown) in [(5, " endpoint "), (20, " endpoint (8 of 20 shown) ")] {
        let mut session = empty_session(80, 24, ALICE).await;
        for n in 0..endpoints {
            let url = format!("https://eth.blockscout.com/api/v2/list{n}");
            let sent = RequestLogEntry { url: url.as_str().into(), ..asked.clone() };
            notify(&mut session, NetworkEvent::Request(Box::new(sent)));
        }
        session.keys("!").await;
        let screen = session.screen();
        let totals: Vec<&str> = screen.lines().skip_while(|line| !line.contains(shown)).collect();
        let paths = totals.iter().filter(|line| line.contains(" list")).count();
        assert_eq!(paths, endpoints.min(8), "{screen}");
        session.keys("G").await;
        assert!(session.screen().contains("/list0"), "{}", session.screen());
    }
}

#[tokio::test]
async fn request_log_keeps_100_entries_and_the_selection() {
    let mut session = empty_session(200, 40, ALICE).await;
    let mut sent = requests().remove(0);
    let mut number = |session: &mut Session, n: u32| {
        sent.url = format!("https://eth.blockscout.com/api/v2/number/{n}/end").as_str().into();
        notify(session, NetworkEvent::Request(Box::new(sent.clone())));
    };
    for n in 0..150 {
        number(&mut session, n);
    }
    session.keys("! j j").await;
    let selected = |session: &Session| session.screen().contains("v2/number/147/end");
    assert!(session.screen().contains(" 3 of 100 ") && selected(&session));
    number(&mut session, 150);
    assert!(selected(&session), "{}", session.screen());
    session.keys("G").await;
    assert!(session.screen().contains("v2/number/51/end"), "{}", session.screen());
    for n in 151..160 {
        number(&mut session, n);
    }
    assert!(
        session.screen().contains("v2/number/60/end"),
        "the evicted selection moves to the last entry"
    );
    session.keys("!").await;
    assert!(!session.screen().contains("─ Requests "), "{}", session.screen());
}

#[tokio::test]
async fn request_copies_as_curl_without_its_key() {
    let mut session = empty_session(80, 24, ALICE).await;
    let template = requests().remove(0);
    for (url, command) in [
        (
            "https://eth.blockscout.com/api/v2/token-transfers?type=ERC-20&a='b",
            r"curl -sS -H 'accept: application/json' 'https://eth.blockscout.com/api/v2/token-transfers?type=ERC-20&a='\''b'",
        ),
        (
            "https://api.blockscout.com/1/api/v2/x",
            r#"curl -sS -H 'accept: application/json' -H "authorization: Bearer $CHAINGLASS_API_KEY" 'https://api.blockscout.com/1/api/v2/x'"#,
        ),
    ] {
        let sent = RequestLogEntry { url: url.into(), ..template.clone() };
        notify(&mut session, NetworkEvent::Request(Box::new(sent)));
        session.keys("! y").await;
        assert_eq!(session.copied(), Some(command));
        session.keys("esc").await;
    }
}
