use std::cell::{Cell, RefCell};
use std::future::{Ready, ready};
use std::sync::LazyLock;

use tokio::task::yield_now;
use tokio::time::timeout;

use super::*;
use crate::api::ApiError;
use crate::api::exchange::RateLimit;

type ByteExchange = Exchange<u8>;

static URL: LazyLock<Url> = LazyLock::new(|| "http://explorer/api/v2/x".parse().unwrap());

fn exchange(status: Option<u16>, body: Result<u8, ApiError>) -> ByteExchange {
    Exchange {
        method: "GET",
        url: URL.clone(),
        status,
        elapsed: Duration::ZERO,
        bytes: 0,
        rate_limit: None,
        retry_after: None,
        body,
    }
}

fn good() -> ByteExchange {
    exchange(Some(200), Ok(7))
}

fn refused(status: u16) -> ByteExchange {
    exchange(Some(status), Err(ApiError::from_error_body(status, b"{}")))
}

/// A rate limit with no requests left.
fn used_up(reset: u64) -> RateLimit {
    RateLimit { remaining: Some(0), limit: Some(3), reset_ms: Some(reset), credits: None }
}

/// Gives these responses in turn, repeating the last one, and records the time of each request.
struct Server {
    start: Instant,
    responses: Vec<ByteExchange>,
    request_times: RefCell<Vec<Duration>>,
}

impl Server {
    fn new(responses: impl Into<Vec<ByteExchange>>) -> Self {
        Self {
            start: Instant::now(),
            responses: responses.into(),
            request_times: RefCell::default(),
        }
    }

    fn respond(&self) -> Ready<ByteExchange> {
        let mut times = self.request_times.borrow_mut();
        times.push(self.start.elapsed());
        ready(self.responses[(times.len() - 1).min(self.responses.len() - 1)].clone())
    }

    fn request_millis(&self) -> Vec<u128> {
        self.request_times.borrow().iter().map(Duration::as_millis).collect()
    }
}

fn scheduler_with_seed(seed: u64) -> RequestScheduler {
    let scheduler = RequestScheduler::default();
    scheduler.state.lock().backoff.rng.seed(seed);
    scheduler
}

fn scheduler() -> RequestScheduler {
    scheduler_with_seed(7)
}

async fn run(scheduler: &RequestScheduler, server: &Server) -> ByteExchange {
    scheduler.run(Priority::Interactive, &URL, || server.respond()).await
}

fn statuses(events: &mut UnboundedReceiver<NetworkEvent>) -> Vec<ConnectionStatus> {
    let events = std::iter::from_fn(|| events.try_recv().ok());
    let status = |event| match event {
        NetworkEvent::Status(status) => Some(status),
        _ => None,
    };
    events.filter_map(status).collect()
}

#[tokio::test(start_paused = true)]
async fn at_most_three_requests_are_in_flight() {
    let scheduler = scheduler();
    let [running, max_running, done] = [0; 3].map(Cell::new);
    let one = || {
        scheduler.run(Priority::Interactive, &URL, || async {
            running.set(running.get() + 1);
            max_running.set(max_running.get().max(running.get()));
            sleep(Duration::from_secs(1)).await;
            running.set(running.get() - 1);
            done.set(done.get() + 1);
            good()
        })
    };
    tokio::join!(one(), one(), one(), one(), one(), one(), one());
    assert_eq!((max_running.get(), done.get()), (3, 7));
}

#[tokio::test(start_paused = true)]
async fn queued_requests_run_by_priority_then_in_order() {
    let scheduler = &scheduler();
    let order = &RefCell::new(Vec::new());
    let send = |priority, name| {
        scheduler.run(priority, &URL, move || async move {
            order.borrow_mut().push(name);
            sleep(Duration::from_secs(1)).await;
            good()
        })
    };
    tokio::join!(
        send(Priority::Prefetch, "a"),
        send(Priority::Prefetch, "b"),
        send(Priority::Prefetch, "c"),
        send(Priority::Prefetch, "d"),
        send(Priority::Prefetch, "e"),
        send(Priority::Refresh, "f"),
        send(Priority::Interactive, "g"),
    );
    assert_eq!(*order.borrow(), ["a", "b", "f", "g", "c", "d", "e"]);
}

#[tokio::test(start_paused = true)]
async fn prefetches_leave_a_place_for_what_the_user_waits_for() {
    let scheduler = &scheduler();
    let started = Instant::now();
    let send = |priority| async move {
        let answer = || async {
            sleep(Duration::from_secs(1)).await;
            good()
        };
        scheduler.run(priority, &URL, answer).await;
        started.elapsed().as_secs()
    };
    let (two, idle, interactive) = tokio::join!(
        async { tokio::join!(send(Priority::Prefetch), send(Priority::Prefetch)) },
        send(Priority::Idle),
        send(Priority::Interactive),
    );
    assert_eq!((two, idle, interactive), ((1, 1), 2, 1));
}

#[tokio::test(start_paused = true)]
async fn rate_limit_delay_is_what_the_server_asks_for_up_to_a_minute() {
    let mut by_reset = refused(429);
    by_reset.rate_limit = Some(used_up(2_500));
    let mut by_seconds = refused(429);
    by_seconds.retry_after = Some(Duration::from_secs(4));
    let mut by_both = by_reset.clone();
    by_both.retry_after = by_seconds.retry_after;
    let mut forever = refused(429);
    forever.retry_after = Some(Duration::from_hours(1));
    for (response, delay) in
        [(by_reset, 2_500), (by_seconds, 4_000), (by_both, 4_000), (forever, 60_000)]
    {
        let scheduler = scheduler();
        let server = Server::new([response, good()]);
        let response = run(&scheduler, &server).await;
        assert_eq!((response.body, server.request_millis()), (Ok(7), vec![0, delay]));
    }
}

#[tokio::test(start_paused = true)]
async fn unspecified_rate_limit_delay_doubles_up_to_three_attempts() {
    for seed in 0..100 {
        let scheduler = scheduler_with_seed(seed);
        let server = Server::new([refused(429)]);
        let response = run(&scheduler, &server).await;
        assert_eq!(response.body, refused(429).body);
        let [0, second, third] = server.request_millis()[..] else {
            panic!("{:?}", server.request_millis())
        };
        assert!((500..=1_000).contains(&second), "{second}");
        assert!((1_000..=2_000).contains(&(third - second)), "{third}");
    }
}

#[tokio::test(start_paused = true)]
async fn server_that_is_down_gets_one_attempt_of_each_request() {
    let scheduler = scheduler();
    let down = Server::new([refused(502)]);
    let mut attempts = Vec::new();
    for _ in 0..5 {
        let before = down.request_millis().len();
        run(&scheduler, &down).await.body.unwrap_err();
        attempts.push(down.request_millis().len() - before);
    }
    assert_eq!(attempts, [3, 3, 3, 1, 1]);
    let up = Server::new([good(), refused(502), refused(502), good()]);
    run(&scheduler, &up).await.body.unwrap();
    run(&scheduler, &up).await.body.unwrap();
    assert_eq!(up.request_millis().len(), 4, "retried again after a success");
    let limited = Server::new([refused(429)]);
    for _ in 0..5 {
        run(&scheduler, &limited).await.body.unwrap_err();
    }
    assert_eq!(limited.request_millis().len(), 15, "a server that refuses is not down");
}

#[tokio::test(start_paused = true)]
async fn busy_server_and_broken_connection_get_three_attempts() {
    let broken =
        exchange(None, Err(ApiError::Unreachable { host: "explorer".into(), why: "reset".into() }));
    let cut = exchange(Some(200), Err(ApiError::Interrupted { why: "reset".into() }));
    let what = || "text/html".into();
    let page = exchange(Some(502), Err(ApiError::NotJson { status: 502, what: what() }));
    for failure in [refused(503), refused(502), refused(504), broken, cut, page] {
        let scheduler = scheduler();
        let server = Server::new([failure.clone(), failure.clone(), good()]);
        assert_eq!(run(&scheduler, &server).await.body, Ok(7));
        let [0, second, third] = server.request_millis()[..] else {
            panic!("{:?}", server.request_millis())
        };
        assert!((250..=500).contains(&second), "{second}");
        assert!((500..=1_000).contains(&(third - second)), "{third}");

        let server = Server::new([failure.clone()]);
        assert_eq!(run(&scheduler, &server).await.body, failure.body);
        assert_eq!(server.request_millis().len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn permanent_failures_are_not_retried() {
    let html = ApiError::NotJson { status: 200, what: "text/html".into() };
    let tracing = ApiError::from_error_body(500, br#""Error while raw trace fetching""#);
    let refusals = [400, 401, 402, 403, 404, 406, 422, 501].map(refused);
    let others = [
        exchange(Some(200), Err(html)),
        exchange(Some(500), Err(tracing)),
        exchange(None, Err(ApiError::Blocked { why: "too many redirects".into() })),
        exchange(Some(200), Err(ApiError::TooLarge { limit: 64 })),
        exchange(None, Err(ApiError::TimedOut { seconds: 40 })),
        good(),
    ];
    for response in refusals.into_iter().chain(others) {
        let scheduler = scheduler();
        let server = Server::new([response.clone()]);
        assert_eq!(run(&scheduler, &server).await.body, response.body);
        assert_eq!(server.request_millis(), [0]);
    }
}

#[tokio::test(start_paused = true)]
async fn busy_server_is_retried_when_it_asks_for_it() {
    let mut busy = refused(503);
    busy.retry_after = Some(Duration::from_secs(7));
    let (scheduler, server) = (scheduler(), Server::new([busy, good()]));
    assert_eq!(run(&scheduler, &server).await.body, Ok(7));
    assert_eq!(server.request_millis(), [0, 7_000]);
}

#[tokio::test(start_paused = true)]
async fn exhausted_rate_limit_blocks_all_requests_until_the_reset() {
    let scheduler = scheduler();
    let server = Server::new([good()]);
    let mut last = good();
    last.rate_limit = Some(used_up(3_000));
    scheduler.run(Priority::Interactive, &URL, || async { last.clone() }).await;
    let prefetch = scheduler.run(Priority::Prefetch, &URL, || server.respond());
    let response = run(&scheduler, &server);
    tokio::join!(prefetch, response);
    assert_eq!(server.request_millis(), [3_000, 3_000]);
}

#[tokio::test(start_paused = true)]
async fn fewest_requests_left_within_a_window_are_right() {
    let scheduler = scheduler();
    let left = |limit, remaining, reset_ms| {
        let (remaining, limit, reset_ms) = (Some(remaining), Some(limit), Some(reset_ms));
        let rate_limit = Some(RateLimit { remaining, limit, reset_ms, credits: None });
        Exchange { rate_limit, ..good() }
    };
    for (wait, answer, remaining) in [
        (0, left(300, 40, 30_000), 40),
        (10, left(300, 41, 30_050), 40),
        (10, left(300, 38, 29_900), 38),
        (30_000, left(300, 299, 59_990), 299),
        (10, left(300, 37, 20), 299),
        (10, left(300, 298, 59_900), 298),
        (10, left(600, 599, 59_900), 599),
        (10, good(), 599),
        (1_000, left(600, 400, u64::MAX), 400),
    ] {
        sleep(Duration::from_millis(wait)).await;
        let server = Server::new([answer]);
        run(&scheduler, &server).await;
        let known = scheduler.state.lock().admission.rate_limit.limit.unwrap();
        assert_eq!(known.remaining, Some(remaining));
    }
}

#[tokio::test(start_paused = true)]
async fn status_counts_down_only_while_a_request_is_queued() {
    let scheduler = scheduler();
    let mut events = scheduler.subscribe();
    let mut refusal = refused(429);
    refusal.retry_after = Some(Duration::from_millis(2_500));
    let server = Server::new([refusal, good()]);
    run(&scheduler, &server).await;
    let status =
        |limited_secs, retrying| ConnectionStatus { rate_limit: None, limited_secs, retrying };
    let retrying = Some(RetryProgress { attempt: 2, max_attempts: 3 });
    let received = statuses(&mut events);
    assert_eq!(
        received,
        [
            status(None, retrying),
            status(Some(3), retrying),
            status(Some(2), retrying),
            status(Some(1), retrying),
            status(None, retrying),
            status(None, None),
        ]
    );
    let texts: Vec<_> = received.iter().map(ConnectionStatus::wait_text).collect();
    assert_eq!(texts[0].as_deref(), Some("retrying (2 of 3)"));
    assert_eq!(texts[1].as_deref(), Some("rate limited · 3 s"));
    assert_eq!(texts[5], None);
    sleep(Duration::from_mins(5)).await;
    assert_eq!(statuses(&mut events), []);
}

#[tokio::test(start_paused = true)]
async fn cancelled_request_frees_its_queue_slot() {
    let mut refusal = refused(429);
    refusal.retry_after = Some(Duration::from_secs(30));
    for failure in [refusal, refused(503)] {
        let scheduler = scheduler();
        let mut events = scheduler.subscribe();
        let server = Server::new([failure]);
        let cancelled = run(&scheduler, &server);
        tokio::select! {
            response = cancelled => panic!("{response:?}"),
            () = async { while server.request_millis().is_empty() { yield_now().await } } => {}
        }
        let received = statuses(&mut events);
        assert_eq!(received.last().copied(), Some(ConnectionStatus::default()), "{received:?}");
        let other = Server::new([good()]);
        let response = run(&scheduler, &other);
        timeout(Duration::from_secs(31), response).await.unwrap();
        assert_eq!((server.request_millis().len(), other.request_millis().len()), (1, 1));
    }
}

/// Runs a request whose answers take these seconds, in the order of its attempts. Returns the number of
/// attempts, and the seconds to the answer.
async fn run_slow(scheduler: &RequestScheduler, seconds: &[u64]) -> (usize, u64) {
    let (started, attempts) = (Instant::now(), Cell::new(0));
    let send = || {
        let time = seconds[attempts.replace(attempts.get() + 1).min(seconds.len() - 1)];
        async move {
            sleep(Duration::from_secs(time)).await;
            good()
        }
    };
    scheduler.run_until_answered(&URL, send).await.body.unwrap();
    (attempts.get(), started.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn request_that_may_be_lost_is_sent_again() {
    let scheduler = scheduler();
    assert_eq!(run_slow(&scheduler, &[5]).await, (1, 5));
    assert_eq!(run_slow(&scheduler, &[3_600, 1]).await, (2, 9));
    assert_eq!(run_slow(&scheduler, &[3_600, 3_600, 1]).await, (3, 17));
}

#[tokio::test(start_paused = true)]
async fn slow_query_is_sent_twice_only_the_first_time() {
    let scheduler = scheduler();
    assert_eq!(run_slow(&scheduler, &[11]).await, (2, 11));
    assert_eq!(run_slow(&scheduler, &[11]).await, (1, 11), "the server may take longer");
    assert_eq!(run_slow(&scheduler, &[3_600, 1]).await, (2, 16), "but not for ever");
    assert_eq!(run_slow(&scheduler, &[11]).await, (2, 11), "it was not slow, but away");
}

#[tokio::test(start_paused = true)]
async fn pause_after_refusals_without_a_time_doubles() {
    let (scheduler, server) = (scheduler(), Server::new([refused(429)]));
    for _ in 0..2 {
        run(&scheduler, &server).await.body.unwrap_err();
    }
    let times = server.request_millis();
    let pauses: Vec<u128> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!((500..=1_000).contains(&pauses[0]), "{pauses:?}");
    assert!((1_000..2_000).contains(&pauses[1]), "{pauses:?}");
    assert!((2_001..=4_000).contains(&pauses[2]), "{pauses:?}");
}

#[tokio::test(start_paused = true)]
async fn last_request_of_a_window_is_not_delayed() {
    let mut answer = good();
    answer.rate_limit = Some(RateLimit { remaining: Some(1), ..used_up(60_000) });
    let (scheduler, server) = (scheduler(), Server::new([answer]));
    for _ in 0..2 {
        run(&scheduler, &server).await.body.unwrap();
    }
    assert_eq!(server.request_millis(), [0, 0]);
}

#[test]
fn posted_query_without_an_answer_is_logged_as_posted() {
    let scheduler = scheduler();
    let mut events = scheduler.subscribe();
    let posted: Url = "http://explorer/api/eth-rpc#call".parse().unwrap();
    for (url, method) in [(&posted, "POST"), (&*URL, "GET")] {
        scheduler.log_cache_hit(url, 1, Duration::ZERO, Priority::Interactive);
        let logged = events.try_recv().ok();
        assert!(
            matches!(&logged, Some(NetworkEvent::Request(entry)) if entry.method == method),
            "{logged:?}"
        );
    }
}
