//! Requests for the tokens of the transactions on the screen.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chainglass::test_api::api::{Query, TokenQuery};
use chainglass::test_api::app_message::{ChainRequest, Effect, Msg, Priority};
use chainglass::test_api::keymap::Chord;

use crate::public_explorer::{PublicExplorer, demo_answer, max_at_server, rate_limited};
use crate::session::{ALICE, size};
use crate::simulated_network::{SimulatedAnswer, SimulatedNetwork};
use crate::timed_session::TimedSession;

/// Requests a second that the explorer answers.
const MAX_RATE: usize = 8;
const REPEAT: Duration = Duration::from_millis(33);
/// Longer than anything is on its way.
const UNTIL_DONE: Duration = Duration::from_secs(30);
/// The first transactions of the account transfer tokens, but not coin.
const FIRST_AMOUNT: &str = "0.000001 CC31";

fn is_token(path: &str) -> bool {
    path.starts_with("/api/v2/tokens/")
}

/// Returns the requested tokens.
fn tokens(effects: &[Effect]) -> Vec<String> {
    let token = |effect: &Effect| match effect {
        Effect::Request {
            request:
                ChainRequest::Fetch {
                    query: Query::Token(token, TokenQuery::Details),
                    priority: Priority::Prefetch,
                    ..
                },
            ..
        } => Some(token.to_string()),
        _ => None,
    };
    effects.iter().filter_map(token).collect()
}

/// Returns the lines of transfers on the screen with a text in place of their amounts.
fn rows_with(screen: &str, amount: &str) -> usize {
    let rows = screen.lines().filter(|line| line.contains(" transfer "));
    rows.filter(|line| line.contains(&format!(" {amount} "))).count()
}

/// An explorer that answers requests for tokens so.
fn network_with(
    token: impl Fn(usize) -> SimulatedAnswer + Send + Sync + 'static,
) -> SimulatedNetwork {
    SimulatedNetwork::new(
        move |path, earlier| {
            if is_token(path) { token(earlier) } else { demo_answer(path) }
        },
    )
}

#[tokio::test(start_paused = true)]
async fn tokens_on_the_screen_are_requested_once() {
    let explorer = PublicExplorer::new(MAX_RATE);
    let mut session = TimedSession::open(&explorer.network(), size(120, 40), ALICE);
    while !session.screen().contains(" transfer ") {
        session.wait(REPEAT).await;
    }
    assert!(rows_with(&session.screen(), "?") > 10, "{}", session.screen());
    session.wait(UNTIL_DONE).await;
    let screen = session.screen();
    assert!(screen.contains(FIRST_AMOUNT) && rows_with(&screen, "?") == 0, "{screen}");
    let requests = explorer.requests();
    let asked: Vec<_> = requests.iter().filter(|request| is_token(&request.path)).collect();
    let distinct: HashSet<_> = asked.iter().map(|request| &request.path).collect();
    assert_eq!(asked.len(), distinct.len(), "{asked:?}");
    assert!((10..26).contains(&asked.len()), "those of 26 rows: {asked:?}");
    assert!(max_at_server(&requests) < 4, "{requests:?}");
    // Everything is known on the way back.
    for key in ["enter", "H"] {
        session.press(key);
        session.wait(UNTIL_DONE).await;
    }
    let later = explorer.requests().split_off(requests.len());
    assert!(later.iter().all(|request| !is_token(&request.path)), "{later:?}");
}

#[tokio::test(start_paused = true)]
async fn tokens_of_rows_that_are_passed_by_are_not_requested() {
    let explorer = PublicExplorer::new(MAX_RATE);
    let mut session = TimedSession::open(&explorer.network(), size(120, 40), ALICE);
    session.wait(UNTIL_DONE).await;
    let mut moved = Vec::new();
    for _ in 0..60 {
        let chord: Chord = "j".parse().unwrap();
        let effects = session.app.update(Msg::Key(chord.0[0]));
        moved.push(tokens(&effects).len());
        session.execute(effects);
        session.wait(REPEAT).await;
    }
    let first = moved.iter().position(|count| *count > 0);
    let later = moved.iter().skip(first.map_or(0, |at| at + 1)).sum::<usize>();
    assert_eq!((moved.iter().sum::<usize>() <= 2, later), (true, 0), "{moved:?}");
    let before = explorer.requests().len();
    assert!(rows_with(&session.screen(), "?") > 0, "rows have passed by: {}", session.screen());
    session.wait(UNTIL_DONE).await;
    assert_eq!(rows_with(&session.screen(), "?"), 0, "{}", session.screen());
    let asked = explorer.requests().split_off(before);
    assert!(asked.iter().any(|request| is_token(&request.path)), "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn amounts_of_what_is_no_token_are_not_of_a_token() {
    let network = network_with(|_| SimulatedAnswer::refused(404));
    let mut session = TimedSession::open(&network, size(120, 40), ALICE);
    session.wait(UNTIL_DONE).await;
    let screen = session.screen();
    assert_eq!(rows_with(&screen, "?"), 0, "{screen}");
    assert!(rows_with(&screen, "⋅") > 10, "the coin that they send: {screen}");
}

#[tokio::test(start_paused = true)]
async fn failed_requests_for_tokens_are_repeated_on_return() {
    let is_back = Arc::new(AtomicBool::default());
    let explorer = Arc::clone(&is_back);
    let network = network_with(move |_| {
        SimulatedAnswer::refused(if explorer.load(Ordering::Relaxed) { 404 } else { 502 })
    });
    let mut session = TimedSession::open(&network, size(120, 40), ALICE);
    let asked = || network.requests().iter().filter(|request| is_token(&request.path)).count();
    session.wait(UNTIL_DONE).await;
    let first = asked();
    assert!(rows_with(&session.screen(), "?") > 10, "{}", session.screen());
    session.press("j");
    session.wait(UNTIL_DONE).await;
    assert_eq!(asked(), first, "not again while the page is open");
    is_back.store(true, Ordering::Relaxed);
    for key in ["enter", "H"] {
        session.press(key);
        session.wait(UNTIL_DONE).await;
    }
    assert_eq!(rows_with(&session.screen(), "?"), 0, "{}", session.screen());
}

#[tokio::test(start_paused = true)]
async fn rate_limit_delays_tokens() {
    let network = network_with(|earlier| match earlier {
        0 => rate_limited(),
        _ => SimulatedAnswer::refused(404),
    });
    let mut session = TimedSession::open(&network, size(120, 40), ALICE);
    session.wait(4 * UNTIL_DONE).await;
    assert_eq!(rows_with(&session.screen(), "?"), 0, "{}", session.screen());
}
