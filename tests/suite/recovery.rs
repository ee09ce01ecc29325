//! Recovery from an outage: what failed on the screen is requested again by itself, and nothing else.

use std::time::Duration;

use chainglass::test_api::api::{AddressQuery, ApiError, Query, TransactionQuery};
use chainglass::test_api::app_message::{Effect, Msg, RequestId};

use crate::failed_refreshes::{SWAP, UnstableNetwork, no_dns};
use crate::session::{ALICE, MIN_RETRY_DELAY, Session, size};

/// Returns the timers of attempts that were started, with their delays.
fn attempts(session: &Session) -> Vec<(RequestId, Duration)> {
    let attempt = |effect: &Effect| match effect {
        Effect::StartTimer(id, delay) if *delay >= MIN_RETRY_DELAY => Some((*id, *delay)),
        _ => None,
    };
    session.effects.iter().filter_map(attempt).collect()
}

/// Makes the time of the next attempt come. Returns the queries that it sends.
async fn run_attempt(session: &mut Session) -> Vec<Query> {
    let (timer, _) = attempts(session).pop().expect("no attempt is due");
    session.requests.clear();
    let effects = session.app.update(Msg::TimerFired(timer));
    session.settle(effects).await;
    session.requests.iter().map(|(query, _)| query.clone()).collect()
}

#[tokio::test]
async fn first_attempt_comes_after_5_seconds_and_further_ones_every_10() {
    let mut network = UnstableNetwork::start(ALICE, true, |_| true).await;
    for _ in 0..4 {
        assert!(!run_attempt(&mut network.session).await.is_empty());
    }
    let delays: Vec<u64> =
        attempts(&network.session).iter().map(|(_, delay)| delay.as_secs()).collect();
    assert_eq!(delays, [5, 10, 10, 10, 10]);
    network.is_down.set(false);
    run_attempt(&mut network.session).await;
    assert_eq!(attempts(&network.session).len(), 5, "no attempt after a success");
    network.is_down.set(true);
    network.session.keys("r").await;
    let (_, delay) = attempts(&network.session).pop().unwrap();
    assert_eq!(delay.as_secs(), 5, "another outage");
}

#[tokio::test]
async fn every_page_recovers_without_a_key() {
    let tabs = |target: &'static str, count: u8| (1..=count).map(move |tab| (target, tab));
    let pages =
        [("", 0)].into_iter().chain(tabs(ALICE, 8)).chain(tabs(SWAP, 7)).chain(tabs("13", 4));
    for (target, tab) in pages {
        let mut network = UnstableNetwork::start(target, true, |_| true).await;
        if tab > 1 {
            network.session.keys(&tab.to_string()).await;
        }
        let failed = network.session.screen();
        assert!(failed.contains("eth.blockscout.com: no DNS"), "{target} {tab}\n{failed}");
        assert!(failed.contains("retrying in 5 s"), "{target} {tab}\n{failed}");
        assert!(!failed.contains("r retries"), "{target} {tab}\n{failed}");
        network.is_down.set(false);
        run_attempt(&mut network.session).await;
        let healed = network.session.screen();
        for text in ["blockscout", "retrying", "unavailable", "loading", "not loaded ·"] {
            assert!(!healed.contains(text), "{target} {tab}: {text}\n{healed}");
        }
    }
}

#[tokio::test]
async fn only_what_failed_is_requested_again() {
    let is_details = |query: &Query| matches!(query, Query::Address(_, AddressQuery::Details));
    let mut network = UnstableNetwork::start(ALICE, true, is_details).await;
    let again = run_attempt(&mut network.session).await;
    assert!(again.len() == 1 && is_details(&again[0]), "{again:?}");
}

fn is_trace(query: &Query) -> bool {
    matches!(query, Query::Transaction(_, TransactionQuery::RawTrace))
}

/// It may have timed out because the node needs long for it, so only an answer to another request counts.
#[tokio::test]
async fn trace_that_timed_out_in_an_outage_is_requested_again_after_it() {
    let timed_out = || Some(ApiError::TimedOut { seconds: 60 });
    let in_outage = move |query: &Query| if is_trace(query) { timed_out() } else { Some(no_dns()) };
    let mut network = UnstableNetwork::start_with_errors(SWAP, true, in_outage).await;
    network.session.keys("2").await;
    let again = run_attempt(&mut network.session).await;
    assert!(!again.iter().any(is_trace), "the network is not back yet: {again:?}");
    network.is_down.set(false);
    let again = run_attempt(&mut network.session).await;
    assert_eq!(again.iter().filter(|query| is_trace(query)).count(), 1, "{again:?}");
    let screen = network.session.screen();
    assert!(screen.contains("26 calls") && !screen.contains("internal"), "{screen}");

    let of_slow_node = move |query: &Query| is_trace(query).then(timed_out).flatten();
    let mut network = UnstableNetwork::start_with_errors(SWAP, true, of_slow_node).await;
    network.session.keys("2").await;
    assert_eq!(attempts(&network.session), []);
}

/// A node would replay the transaction each time.
#[tokio::test]
async fn refresh_of_a_trace_is_repeated_once() {
    let mut network = UnstableNetwork::start(SWAP, false, |_| true).await;
    network.session.keys("2").await;
    network.is_down.set(true);
    network.session.keys("r").await;
    let again = run_attempt(&mut network.session).await;
    assert!(again.iter().any(is_trace), "{again:?}");
    let screen = network.session.screen();
    assert!(screen.contains("offline?") && !screen.contains("retrying"), "{screen}");
    network.session.keys("r").await;
    assert!(network.session.screen().contains("retrying"), "{}", network.session.screen());
}

#[tokio::test]
async fn nothing_is_requested_without_the_focus() {
    let mut network = UnstableNetwork::start(ALICE, true, |_| true).await;
    let session = &mut network.session;
    session.app.update(Msg::FocusChanged(false));
    let (timer, _) = attempts(session).pop().unwrap();
    assert_eq!(session.app.update(Msg::TimerFired(timer)), [], "the timer has been stopped");
    network.is_down.set(false);
    session.requests.clear();
    let effects = session.app.update(Msg::FocusChanged(true));
    session.settle(effects).await;
    assert!(!session.requests.is_empty(), "at once when the focus is back");
    assert!(!session.screen().contains("blockscout"), "{}", session.screen());
}

#[tokio::test]
async fn permanent_failures_are_not_repeated() {
    for status in [400, 401, 404, 422, 500, 501] {
        let answer = move |_: &Query, _: Option<&_>| {
            Err(ApiError::from_error_body(status, br#"{"message":"Not found"}"#))
        };
        let session = Session::canned(size(120, 40), ALICE, answer).await;
        assert_eq!(attempts(&session), [], "{status}");
        assert!(!session.screen().contains("retrying"), "{}", session.screen());
    }
}

#[tokio::test]
async fn key_retries_at_once() {
    let mut network = UnstableNetwork::start(ALICE, true, |_| true).await;
    network.is_down.set(false);
    network.session.keys("r").await;
    let screen = network.session.screen();
    assert!(!screen.contains("blockscout"), "{screen}");
    let (timer, _) = attempts(&network.session).pop().unwrap();
    assert_eq!(network.session.app.update(Msg::TimerFired(timer)), [], "nothing is left to do");
}

/// The key refreshes the list, next to which the preview has failed.
#[tokio::test]
async fn key_shortens_the_wait_of_all_that_failed() {
    let is_preview = |query: &Query| matches!(query, Query::Transaction(..));
    let mut network = UnstableNetwork::start(ALICE, true, is_preview).await;
    network.session.resize(size(200, 60)).await;
    for _ in 0..8 {
        run_attempt(&mut network.session).await;
    }
    let (_, delay) = attempts(&network.session).pop().unwrap();
    assert!(delay > Duration::from_mins(1), "{delay:?}");
    network.session.keys("r").await;
    let (_, delay) = attempts(&network.session).pop().unwrap();
    assert!(delay <= Duration::from_secs(10), "{delay:?}\n{}", network.session.screen());
    let repeated = run_attempt(&mut network.session).await;
    assert!(repeated.iter().any(is_preview), "{repeated:?}");
}

#[tokio::test]
async fn page_that_failed_is_requested_again_when_it_is_shown_again() {
    let mut network = UnstableNetwork::start(ALICE, true, |_| true).await;
    network.session.keys("4").await;
    network.is_down.set(false);
    network.session.keys("1").await;
    let screen = network.session.screen();
    assert!(screen.contains("  0xf839…70ca  "), "{screen}");
}

/// Opens Alice's transactions on a screen that a page of ten rows fills.
async fn open_on_a_low_screen() -> UnstableNetwork {
    let mut network = UnstableNetwork::start("", false, |_| true).await;
    network.session.resize(size(120, 16)).await;
    network.session.keys("s").await;
    network.session.type_text(ALICE).await;
    network
}

#[tokio::test]
async fn failed_prefetch_is_repeated_at_the_end_of_the_rows() {
    let mut network = open_on_a_low_screen().await;
    network.is_down.set(true);
    network.session.keys("j").await;
    assert_eq!(attempts(&network.session), [], "it is not visible in the middle");
    network.is_down.set(false);
    network.session.requests.clear();
    network.session.keys("G").await;
    assert_eq!(network.session.requests.len(), 1, "{:?}", network.session.requests);
}

#[tokio::test]
async fn loading_of_all_rows_goes_on_after_an_outage() {
    let mut network = open_on_a_low_screen().await;
    network.is_down.set(true);
    network.session.keys("G G").await;
    let screen = network.session.screen();
    assert!(screen.contains("retrying in 5 s") && !screen.contains("stopped"), "{screen}");
    network.is_down.set(false);
    run_attempt(&mut network.session).await;
    let screen = network.session.screen();
    assert!(screen.contains("all rows loaded"), "{screen}");
}

#[tokio::test]
async fn search_of_the_prompt_recovers() {
    let mut network = UnstableNetwork::start("", false, |_| true).await;
    network.is_down.set(true);
    network.session.keys("s g l").await;
    let effects = network.session.press("a");
    network.session.settle(effects).await;
    let screen = network.session.screen();
    assert!(screen.contains("cannot search") && screen.contains("retrying in 5 s"), "{screen}");
    network.is_down.set(false);
    let asked = run_attempt(&mut network.session).await;
    assert!(matches!(&asked[..], [Query::Search(_), ..]), "{asked:?}");
    assert!(!network.session.screen().contains("cannot search"), "{}", network.session.screen());
}
