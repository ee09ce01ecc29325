//! Requests to public explorers: let finish once they are sent, shared by their callers, and kept.

use std::time::Duration;

use chainglass::test_api::api::exchange::RateLimit;
use chainglass::test_api::api::{ApiError, BlockQuery, Query, Reply, TransactionQuery};
use chainglass::test_api::app_message::{NetworkEvent, Priority};
use chainglass::test_api::chain::{BlockId, Chains, TxHash};
use chainglass::test_api::net::Provider;
use tokio::task::{JoinHandle, spawn};
use tokio::time::{Instant, sleep};

use crate::simulated_network::{RequestEnd, SimulatedAnswer, SimulatedNetwork};

const LATENCY_MS: u64 = 1_000;

fn explorer() -> SimulatedNetwork {
    SimulatedNetwork::new(|_, _| SimulatedAnswer::ok("{}").after(LATENCY_MS))
}

async fn wait(millis: u64) {
    sleep(Duration::from_millis(millis)).await;
}

/// Starts a request, and lets it come as far as it can.
async fn start(
    provider: &Provider,
    query: Query,
    priority: Priority,
) -> JoinHandle<Result<Reply, ApiError>> {
    let provider = provider.clone();
    let started = spawn(async move { provider.fetch(&query, None, priority).await });
    wait(1).await;
    started
}

/// Starts a request and cancels it while it is in flight.
async fn start_and_cancel(provider: &Provider, query: Query) {
    start(provider, query, Priority::Interactive).await.abort();
    wait(1).await;
}

async fn fetch(provider: &Provider, query: &Query, priority: Priority) {
    provider.fetch(query, None, priority).await.unwrap();
}

fn block(number: u64) -> Query {
    Query::Block(BlockId::Number(number), BlockQuery::Details)
}

#[tokio::test(start_paused = true)]
async fn cancelled_request_is_let_finish_and_answers_the_next_caller_once() {
    let network = explorer();
    let provider = network.provider();
    let mut events = provider.subscribe();
    start_and_cancel(&provider, Query::Stats).await;
    wait(LATENCY_MS).await;
    let end = network.requests()[0].end;
    assert_eq!(end, Some(RequestEnd::Answered(Duration::from_millis(LATENCY_MS))));
    let Some(NetworkEvent::Request(logged)) = events.recv().await else { panic!("no event") };
    assert_eq!((logged.status, &logged.error), (Some(200), &None));

    let asked = Instant::now();
    fetch(&provider, &Query::Stats, Priority::Interactive).await;
    assert_eq!((asked.elapsed(), network.requests().len()), (Duration::ZERO, 1));
    let Some(NetworkEvent::Request(logged)) = events.recv().await else { panic!("no event") };
    assert!(logged.from_cache, "{logged:?}");
    fetch(&provider, &Query::Stats, Priority::Interactive).await;
    assert_eq!(network.requests().len(), 2, "an answer is taken once");
}

#[tokio::test(start_paused = true)]
async fn received_answer_is_not_kept() {
    let network = explorer();
    let provider = network.provider();
    for sent in 1..=3 {
        fetch(&provider, &Query::Stats, Priority::Interactive).await;
        assert_eq!(network.requests().len(), sent);
    }
}

#[tokio::test(start_paused = true)]
async fn kept_answers_are_not_for_a_refresh_nor_for_ever() {
    for (pause, priority, requests) in
        [(58, Priority::Prefetch, 1), (58, Priority::Refresh, 2), (60, Priority::Interactive, 2)]
    {
        let network = explorer();
        let provider = network.provider();
        start_and_cancel(&provider, Query::Stats).await;
        wait(LATENCY_MS + pause * 1_000).await;
        fetch(&provider, &Query::Stats, priority).await;
        assert_eq!(network.requests().len(), requests, "{priority:?} after {pause} s");
    }
}

#[tokio::test(start_paused = true)]
async fn kept_answers_are_few_and_small() {
    for (count, bytes, kept) in [(20, 100, 16), (5, 3 << 20, 2), (1, 9 << 20, 0)] {
        let body = format!("{{\"x\":\"{}\"}}", "y".repeat(bytes));
        let network = SimulatedNetwork::new(move |_, _| SimulatedAnswer::ok(&*body).after(10));
        let provider = network.provider();
        for number in 0..count {
            start_and_cancel(&provider, block(number)).await;
            wait(1_000).await;
        }
        let mut found = 0;
        for number in (0..count).rev() {
            let before = network.requests().len();
            fetch(&provider, &block(number), Priority::Interactive).await;
            found += usize::from(network.requests().len() == before);
        }
        assert_eq!(found, kept, "of {count} with {bytes} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn callers_of_one_url_share_a_request() {
    let network = explorer();
    let provider = network.provider();
    let first = start(&provider, Query::Stats, Priority::Prefetch).await;
    let second = start(&provider, Query::Stats, Priority::Refresh).await;
    first.abort();
    wait(500).await;
    fetch(&provider, &Query::Stats, Priority::Interactive).await;
    second.await.unwrap().unwrap();
    assert_eq!(network.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn caller_of_an_abandoned_request_joins_it() {
    let network = explorer();
    let provider = network.provider();
    start_and_cancel(&provider, Query::Stats).await;
    let asked = Instant::now();
    fetch(&provider, &Query::Stats, Priority::Interactive).await;
    assert!(asked.elapsed() < Duration::from_millis(LATENCY_MS));
    assert_eq!(network.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn queued_request_leaves_with_its_last_caller() {
    let network = explorer();
    let provider = network.provider();
    for number in 0..3 {
        start(&provider, block(number), Priority::Interactive).await;
    }
    let [one, other] = [3, 3].map(|number| start(&provider, block(number), Priority::Interactive));
    let (one, other) = (one.await, other.await);
    one.abort();
    other.abort();
    let again = start(&provider, block(4), Priority::Interactive).await;
    again.await.unwrap().unwrap();
    let paths: Vec<_> = network.requests().into_iter().map(|sent| sent.path).collect();
    let expected = [0, 1, 2, 4].map(|number| format!("/api/v2/blocks/{number}"));
    assert_eq!(paths, expected);
}

#[tokio::test(start_paused = true)]
async fn joining_an_abandoned_queue_place_sends_the_request() {
    let network = explorer();
    let provider = network.provider();
    for number in 0..3 {
        start(&provider, block(number), Priority::Interactive).await;
    }
    let left = start(&provider, block(3), Priority::Interactive).await;
    left.abort();
    fetch(&provider, &block(3), Priority::Interactive).await;
    assert_eq!(network.requests().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn three_requests_are_in_flight_whatever_is_cancelled() {
    let network = explorer();
    let provider = network.provider();
    for number in 0..100 {
        start_and_cancel(&provider, block(number)).await;
        wait(15).await;
    }
    fetch(&provider, &block(100), Priority::Interactive).await;
    assert_eq!(network.max_in_flight(), 3);
    let requests = network.requests();
    assert!(requests.len() < 12, "{}", requests.len());
    let is_answered = |end| matches!(end, Some(RequestEnd::Answered(_)));
    assert!(requests.iter().filter(|sent| is_answered(sent.end)).count() >= requests.len() - 2);
}

#[tokio::test(start_paused = true)]
async fn joined_prefetch_moves_forward() {
    let network = explorer();
    let provider = network.provider();
    for number in 0..3 {
        start(&provider, block(number), Priority::Interactive).await;
    }
    for number in 10..14 {
        start(&provider, block(number), Priority::Prefetch).await;
    }
    fetch(&provider, &block(13), Priority::Interactive).await;
    assert_eq!(network.requests()[3].path, "/api/v2/blocks/13");
}

#[tokio::test(start_paused = true)]
async fn answers_of_abandoned_requests_teach_limits() {
    let network = SimulatedNetwork::new(|_, _| {
        let (remaining, limit, reset_ms) = (Some(0), Some(3), Some(5_000));
        let rate_limit = Some(RateLimit { remaining, limit, reset_ms, credits: None });
        SimulatedAnswer { rate_limit, ..SimulatedAnswer::ok("{}") }
    });
    let provider = network.provider();
    start_and_cancel(&provider, block(0)).await;
    wait(500).await;
    fetch(&provider, &block(1), Priority::Interactive).await;
    assert_eq!(network.requests()[1].sent, Duration::from_millis(5_100));
}

#[tokio::test(start_paused = true)]
async fn failure_of_an_abandoned_request_is_neither_retried_nor_kept() {
    let network = SimulatedNetwork::new(|_, earlier| match earlier {
        0 => SimulatedAnswer::refused(503),
        _ => SimulatedAnswer::ok("{}"),
    });
    let provider = network.provider();
    start_and_cancel(&provider, Query::Stats).await;
    wait(10_000).await;
    assert_eq!(network.requests().len(), 1);
    fetch(&provider, &Query::Stats, Priority::Interactive).await;
    assert_eq!(network.requests().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn head_of_a_cancelled_trace_is_let_finish() {
    let network = explorer();
    let provider = network.provider();
    let query = Query::Transaction(TxHash::ZERO, TransactionQuery::RawTrace);
    let minute = Duration::from_mins(1);
    let cancelled = provider.open_stream(&query, minute, Priority::Interactive);
    tokio::select! {
        _ = cancelled => panic!("not cancelled"),
        () = wait(10) => {}
    }
    let mut body = provider.open_stream(&query, minute, Priority::Interactive).await.unwrap();
    assert_eq!(body.chunk().await.unwrap().as_deref(), Some(&b"{}"[..]));
    let ends: Vec<_> = network.requests().into_iter().map(|sent| sent.end).collect();
    let answered = [LATENCY_MS, LATENCY_MS + 10].map(Duration::from_millis);
    assert_eq!(ends, answered.map(|time| Some(RequestEnd::Answered(time))));
}

#[tokio::test(start_paused = true)]
async fn request_to_this_machine_is_cancelled_at_once() {
    let network = explorer();
    let local = "http://127.0.0.1:4000/".parse().unwrap();
    let provider = network.provider_of(&Chains::default().network_at(&local));
    start_and_cancel(&provider, Query::Stats).await;
    let end = network.requests()[0].end;
    assert!(matches!(end, Some(RequestEnd::Cancelled(_))), "{end:?}");
    fetch(&provider, &Query::Stats, Priority::Interactive).await;
    assert_eq!(network.requests().len(), 2);
}
