//! Manners: who is asked when, how often, and what is told of it.

use std::time::Duration;

use chainglass::api::Query;
use chainglass::api::exchange::RateLimit;
use chainglass::chain::{TxHash, chains::Chains};
use chainglass::msg::{
    ChainIndex, ConnectionStatus, Effect, Msg, NetworkEvent, Priority, RequestLogEntry,
};
use chainglass::net::provider::Provider;
use insta::assert_snapshot;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{pause, resume, sleep};

use crate::rogue::{Act, Rogue, head, in_turn, json, page};
use crate::session::{ALICE, Session, size};

const SIZES: [(u16, u16); 3] = [(40, 10), (80, 24), (120, 40)];

fn transactions() -> Query {
    Query::Transactions { address: ALICE.parse().unwrap(), direction: None }
}

fn source(rogue: &Rogue) -> Provider {
    Provider::new(&Chains::default().network_at(&rogue.base()))
}

/// A refusal with more headers.
fn limited(headers: &[(&str, &str)]) -> Act {
    let all = [&[("content-type", "application/json")], headers].concat();
    Act::Say([&head(429, &all)[..], br#"{"message":"Too Many Requests"}"#].concat())
}

/// The next standing in which something is waited for, or nothing.
async fn until_waiting(news: &mut UnboundedReceiver<NetworkEvent>, is_waiting: bool) {
    while let Some(news) = news.recv().await {
        match news {
            NetworkEvent::Status(standing) if standing.limited_secs.is_some() == is_waiting => {
                return;
            }
            _ => {}
        }
    }
    panic!("nothing more is heard");
}

/// All requests that were told of so far.
fn sent(news: &mut UnboundedReceiver<NetworkEvent>) -> Vec<RequestLogEntry> {
    let news = std::iter::from_fn(|| news.try_recv().ok());
    let sent = news.filter_map(|news| match news {
        NetworkEvent::Request(sent) => Some(*sent),
        NetworkEvent::Status(_) => None,
    });
    sent.collect()
}

#[tokio::test]
async fn a_server_that_is_busy_twice_answers_the_third_time() {
    let busy = json(503, r#"{"error":"Service unavailable"}"#);
    let rogue = in_turn([busy.clone(), Act::Reset(Vec::new()), page("", "null")]);
    let source = source(&rogue);
    let mut news = source.subscribe();
    source.fetch(&transactions(), None, Priority::Prefetch).await.unwrap();
    let told = sent(&mut news);
    let seen: Vec<_> = told.iter().map(|s| (s.attempt, s.status, s.error.is_some())).collect();
    assert_eq!(seen, [(1, Some(503), true), (2, None, true), (3, Some(200), false)]);
    assert_eq!(rogue.requests().len(), 3);
    for sent in told {
        assert_eq!(
            (sent.method, sent.priority, sent.from_cache),
            ("GET", Priority::Prefetch, false)
        );
        assert_eq!(&*sent.url, rogue.base().join(&transactions().path()).unwrap().as_str());
    }
}

#[tokio::test]
async fn a_trace_is_tried_again_before_it_begins() {
    let rogue = in_turn([json(502, "{}"), json(200, "[]")]);
    let query = Query::RawTrace(TxHash::ZERO);
    let mut body = source(&rogue)
        .open_stream(&query, Duration::from_mins(1), Priority::Interactive)
        .await
        .unwrap();
    assert_eq!(body.chunk().await.unwrap().as_deref(), Some(&b"[]"[..]));
    let tracing = in_turn([json(500, "\"Error while raw trace fetching\"")]);
    source(&tracing)
        .open_stream(&query, Duration::from_mins(1), Priority::Interactive)
        .await
        .unwrap_err();
    assert_eq!((rogue.requests().len(), tracing.requests().len()), (2, 1));
}

#[tokio::test]
async fn a_refusal_is_taken_for_an_answer() {
    for status in [400, 401, 402, 403, 404, 422] {
        let rogue = in_turn([json(status, r#"{"error":"Out of credits"}"#)]);
        let error =
            source(&rogue).fetch(&transactions(), None, Priority::Interactive).await.unwrap_err();
        assert!(error.to_string().contains("Out of credits"), "{error}");
        assert_eq!(rogue.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_limit_is_waited_for_and_then_the_answer_comes() {
    let rogue = in_turn([limited(&[("x-ratelimit-reset", "30000")]), page("", "null")]);
    let source = source(&rogue);
    let mut news = source.subscribe();
    let hear = async {
        until_waiting(&mut news, true).await;
        assert_eq!(rogue.requests().len(), 1);
        // With nothing left to happen, a stopped clock jumps to the end of the limit.
        pause();
        until_waiting(&mut news, false).await;
        assert_eq!(rogue.requests().len(), 1, "nothing is asked before");
        resume();
    };
    let query = transactions();
    let (answer, ()) = tokio::join!(source.fetch(&query, None, Priority::Interactive), hear);
    answer.unwrap();
    assert_eq!(rogue.requests().len(), 2);
}

#[tokio::test]
async fn a_limit_three_times_is_told_in_the_servers_words() {
    let rogue = in_turn([limited(&[("retry-after", "0")])]);
    let error =
        source(&rogue).fetch(&transactions(), None, Priority::Interactive).await.unwrap_err();
    assert_eq!(error.to_string(), "the explorer answered 429: Too Many Requests");
    assert_eq!(error.hint(), "too many requests: wait a moment");
    assert_eq!(rogue.requests().len(), 3);
}

#[tokio::test]
async fn nobody_who_waits_means_no_further_request() {
    let rogue = in_turn([limited(&[("retry-after", "30")]), page("", "null")]);
    let source = source(&rogue);
    let mut news = source.subscribe();
    let task = tokio::spawn({
        let source = source.clone();
        async move { source.fetch(&transactions(), None, Priority::Interactive).await }
    });
    until_waiting(&mut news, true).await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    until_waiting(&mut news, false).await;
    pause();
    sleep(Duration::from_mins(2)).await;
    resume();
    // What the first would have sent would stand before this.
    source.fetch(&Query::token_transfers(None), None, Priority::Interactive).await.unwrap();
    let paths: Vec<_> = rogue.requests().iter().map(|r| r.path().to_owned()).collect();
    assert_eq!(paths, [format!("/{}", transactions().path()), "/api/v2/token-transfers".into()]);
}

#[tokio::test]
async fn a_request_that_is_stopped_is_told_of_and_gives_its_place_to_others() {
    let rogue = in_turn([vec![Act::Stall(Vec::new()); 3], vec![page("", "null")]].concat());
    let source = source(&rogue);
    let mut news = source.subscribe();
    let query = transactions();
    let stalled = || source.fetch(&query, None, Priority::Interactive);
    tokio::select! {
        _ = async { tokio::join!(stalled(), stalled(), stalled(), stalled()) } => panic!("answered"),
        () = rogue.asked(3) => {}
    }
    rogue.left(3).await;
    let told = sent(&mut news);
    assert!(told.iter().all(|s| s.status.is_none() && s.error.is_some()), "{told:?}");
    assert_eq!(told.len(), 3, "the fourth never went out");
    stalled().await.unwrap();
    assert_eq!(rogue.requests().len(), 4);
}

fn whys(effects: &[Effect]) -> Vec<Priority> {
    let why = |effect: &Effect| match effect {
        Effect::Fetch { why, .. } => Some(*why),
        _ => None,
    };
    effects.iter().filter_map(why).collect()
}

#[tokio::test]
async fn pages_before_the_end_are_fetched_ahead_and_at_the_end_they_are_waited_for() {
    let mut session = Session::demo(size(80, 24), "").await;
    let first = session.press("enter");
    assert_eq!(whys(&first), [Priority::Interactive; 3]);
    session.settle(first).await;
    let asked = (0..49).find_map(|_| Some(whys(&session.press("j"))).filter(|w| !w.is_empty()));
    assert_eq!(asked.as_deref(), Some(&[Priority::Prefetch][..]));
    assert_eq!(whys(&session.press("r")).last(), Some(&Priority::Refresh));
    let mut session = Session::demo(size(80, 24), ALICE).await;
    assert_eq!(whys(&session.press("G")), [Priority::Interactive]);
}

/// An app whose explorer knows nothing.
async fn empty(width: u16, height: u16, target: &str) -> Session {
    let nothing = r#"{"items":[],"next_page_params":null}"#;
    Session::canned(size(width, height), target, |_, _| Ok(nothing.into())).await
}

/// Requests of every kind, the newest last.
fn requests() -> Vec<RequestLogEntry> {
    let base = format!("https://eth.blockscout.com/api/v2/addresses/{ALICE}");
    let sent = |path: &str, status, millis, bytes| RequestLogEntry {
        method: "GET",
        url: format!("{base}/{path}").as_str().into(),
        status,
        error: None,
        elapsed: Duration::from_millis(millis),
        bytes,
        attempt: 1,
        from_cache: false,
        priority: Priority::Interactive,
    };
    let limited = "the explorer answered 429: Too Many Requests";
    vec![
        sent("counters", Some(200), 81, 132),
        RequestLogEntry {
            error: Some("cannot reach the explorer: connection refused".into()),
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
            error: Some(limited.into()),
            ..sent("token-transfers", Some(429), 40, 31)
        },
    ]
}

fn tell(session: &mut Session, news: NetworkEvent) {
    assert_eq!(session.app.update(Msg::Network(ChainIndex::default(), news)), []);
}

fn standing(waiting: Option<u64>, retrying: Option<(u8, u8)>) -> NetworkEvent {
    let reset = Some(Duration::from_secs(12));
    let limits = RateLimit { remaining: Some(0), limit: Some(300), reset, credits: Some(-12_345) };
    NetworkEvent::Status(ConnectionStatus {
        rate_limit: Some(limits),
        limited_secs: waiting,
        retrying,
    })
}

#[tokio::test]
async fn how_the_requests_stand_is_in_the_title() {
    for (width, height) in SIZES {
        let mut session = empty(width, height, ALICE).await;
        let first = |session: &Session| session.screen().lines().next().unwrap().to_owned();
        let mut titles = vec![first(&session)];
        for (waiting, retrying) in
            [(None, None), (None, Some((2, 3))), (Some(12), Some((2, 3))), (Some(11), None)]
        {
            tell(&mut session, standing(waiting, retrying));
            titles.push(first(&session));
        }
        assert_snapshot!(format!("net_title_{width}x{height}"), titles.join("\n"));
    }
    assert_eq!(idle().await, None, "nothing ticks");
}

/// How often the start screen wants to know the time while something is limited.
async fn idle() -> Option<Duration> {
    let mut session = empty(80, 24, "").await;
    tell(&mut session, standing(Some(12), None));
    session.app.tick_interval()
}

#[tokio::test]
async fn the_last_requests_are_looked_at() {
    for (width, height) in SIZES {
        let mut session = empty(width, height, ALICE).await;
        for sent in requests() {
            tell(&mut session, NetworkEvent::Request(Box::new(sent)));
        }
        session.keys("!").await;
        assert_snapshot!(format!("requests_{width}x{height}"), session.screen());
    }
}

#[tokio::test]
async fn a_hundred_are_kept_and_the_selected_one_stays() {
    let mut session = empty(120, 40, ALICE).await;
    let mut sent = requests().remove(0);
    let mut number = |session: &mut Session, n: u32| {
        sent.url = format!("https://eth.blockscout.com/api/v2/number/{n}/end").as_str().into();
        tell(session, NetworkEvent::Request(Box::new(sent.clone())));
    };
    for n in 0..150 {
        number(&mut session, n);
    }
    session.keys("! j j").await;
    let selected = |session: &Session| session.screen().contains("v2/number/147/end");
    assert!(session.screen().contains("The last 100 requests") && selected(&session));
    number(&mut session, 150);
    assert!(selected(&session), "{}", session.screen());
    session.keys("G").await;
    assert!(session.screen().contains("v2/number/51/end"), "{}", session.screen());
    for n in 151..160 {
        number(&mut session, n);
    }
    assert!(session.screen().contains("v2/number/60/end"), "it is gone: the last one");
    session.keys("!").await;
    assert!(!session.screen().contains("requests ("), "{}", session.screen());
}

#[tokio::test]
async fn a_request_is_copied_as_a_command_without_a_key() {
    let mut session = empty(80, 24, ALICE).await;
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
        tell(&mut session, NetworkEvent::Request(Box::new(sent)));
        session.keys("! y").await;
        assert_eq!(session.copied(), Some(command));
        session.keys("esc").await;
    }
}
