//! The pace of requests to a public explorer, and how it learns the server's limits.

use std::sync::Mutex;
use std::time::Duration;

use chainglass::test_api::api::exchange::RateLimit;
use chainglass::test_api::api::{BlockQuery, Query};
use chainglass::test_api::app_message::Priority;
use chainglass::test_api::chain::{BlockId, Chains};
use chainglass::test_api::net::Provider;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::simulated_network::{SimulatedAnswer, SimulatedNetwork};

fn block(number: u64) -> Query {
    Query::Block(BlockId::Number(number), BlockQuery::Details)
}

/// Fetches blocks, each after the one before.
async fn fetch_in_turn(provider: &Provider, blocks: std::ops::Range<u64>) {
    for number in blocks {
        provider.fetch(&block(number), None, Priority::Interactive).await.unwrap();
    }
}

async fn fetch_together(provider: &Provider, count: u64) {
    let mut tasks = JoinSet::new();
    for number in 0..count {
        let provider = provider.clone();
        tasks.spawn(async move { fetch_in_turn(&provider, number..number + 1).await });
    }
    tasks.join_all().await;
}

fn sent_millis(network: &SimulatedNetwork) -> Vec<u128> {
    network.requests().iter().map(|request| request.sent.as_millis()).collect()
}

#[tokio::test(start_paused = true)]
async fn burst_of_six_is_followed_by_five_a_second() {
    let network = SimulatedNetwork::new(|_, _| SimulatedAnswer::ok("{}").after(10));
    let provider = network.provider();
    fetch_together(&provider, 9).await;
    assert_eq!(sent_millis(&network), [0, 0, 0, 10, 10, 10, 200, 400, 600]);
    sleep(Duration::from_secs(2)).await;
    let before = network.requests().len();
    fetch_in_turn(&provider, 20..26).await;
    let sent = sent_millis(&network);
    assert_eq!(sent[before + 5] - sent[before], 50, "the burst is back after a pause");
}

#[tokio::test(start_paused = true)]
async fn requests_to_this_machine_have_no_pace() {
    let network = SimulatedNetwork::new(|_, _| SimulatedAnswer::ok("{}").after(10));
    let local = "http://127.0.0.1:4000/".parse().unwrap();
    let provider = network.provider_of(&Chains::default().network_at(&local));
    fetch_together(&provider, 30).await;
    assert_eq!(sent_millis(&network).last(), Some(&90));
}

/// A server that refuses a request less than a second after one that it answered.
fn one_a_second() -> SimulatedNetwork {
    let last = Mutex::new(None::<Instant>);
    SimulatedNetwork::new(move |_, _| {
        let mut last = last.lock().unwrap();
        if last.is_some_and(|last| last.elapsed() < Duration::from_secs(1)) {
            let retry_after = Some(Duration::from_secs(1));
            return SimulatedAnswer { retry_after, ..SimulatedAnswer::refused(429) };
        }
        *last = Some(Instant::now());
        SimulatedAnswer::ok("{}").after(300)
    })
}

#[tokio::test(start_paused = true)]
async fn interval_of_a_refusal_is_kept_for_five_minutes() {
    let network = one_a_second();
    let provider = network.provider();
    fetch_in_turn(&provider, 0..100).await;
    assert_eq!(network.requests().len(), 101, "one is refused");
    sleep(Duration::from_mins(4)).await;
    fetch_in_turn(&provider, 100..104).await;
    assert_eq!(network.requests().len(), 106, "the interval is forgotten, and learned again");
}

#[tokio::test(start_paused = true)]
async fn requests_that_wait_together_get_no_refusal_after_the_first() {
    let network = one_a_second();
    let provider = network.provider();
    fetch_together(&provider, 20).await;
    let requests = network.requests().len();
    assert!(requests <= 22, "{requests}: only what was in flight with the first is refused");
    assert_eq!(network.max_in_flight(), 3);
}

#[tokio::test(start_paused = true)]
async fn requests_left_last_until_the_reset() {
    let start = Instant::now();
    let seen = Mutex::new((0, 0));
    let network = SimulatedNetwork::new(move |_, _| {
        let mut seen = seen.lock().unwrap();
        let elapsed = u64::try_from(start.elapsed().as_millis()).unwrap();
        let window = elapsed / 10_000;
        let count = if seen.0 == window { seen.1 + 1 } else { 1 };
        *seen = (window, count);
        let reset_ms = Some(10_000 - elapsed % 10_000);
        let (remaining, limit) = (Some((20 - count).max(0)), Some(20));
        let rate_limit = Some(RateLimit { remaining, limit, reset_ms, credits: None });
        let answer =
            if count > 20 { SimulatedAnswer::refused(429) } else { SimulatedAnswer::ok("{}") };
        SimulatedAnswer { rate_limit, ..answer.after(50) }
    });
    let provider = network.provider();
    fetch_in_turn(&provider, 0..60).await;
    let sent = sent_millis(&network);
    assert_eq!(sent.len(), 60, "none is refused");
    let longest = sent.windows(2).map(|pair| pair[1] - pair[0]).max();
    assert!(longest < Some(2_500), "no long pause: {sent:?}");
}
