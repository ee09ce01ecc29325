//! Schedules the requests to one explorer: priority queue, in-flight limit, rate limits and
//! retries.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::info;
use url::Url;

use super::retry::{Backoff, max_attempts};
use crate::api::api_key::redact_url;
use crate::api::exchange::{Exchange, GET, RateLimit};
use crate::msg::{ConnectionStatus, NetworkEvent, Priority, RequestLogEntry, RetryProgress};
use crate::sanitize::SafeText;

/// Maximum number of requests in flight: public explorers allow about three a second without a key.
const MAX_IN_FLIGHT: usize = 3;

/// Maximum difference between the ends of one rate-limit window as responses tell them: they take
/// some time to arrive.
const WINDOW_TOLERANCE: Duration = Duration::from_secs(5);

/// Schedules requests. Cancel-safe: dropping a future of [`Self::run`] frees its place.
#[derive(Debug, Default)]
pub struct RequestScheduler {
    state: Mutex<SchedulerState>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct SchedulerState {
    in_flight: usize,
    queue: BTreeSet<QueueKey>,
    /// Also the number of requests so far.
    last_id: u64,
    /// No request is sent before.
    blocked_until: Option<Instant>,
    retrying: BTreeMap<u64, RetryProgress>,
    rate_limit: Option<RateLimit>,
    /// When the requests are counted anew.
    window_end: Option<Instant>,
    last_status: ConnectionStatus,
    events_tx: Option<UnboundedSender<NetworkEvent>>,
    backoff: Backoff,
}

/// The position of a request in the queue: by priority, then in the order of the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QueueKey {
    priority: Priority,
    id: u64,
}

enum Admission {
    Granted,
    /// Ask again at this time, or after a change.
    RetryAt(Instant),
    /// Ask again after a change.
    Queued,
}

#[derive(Debug, Clone, Copy)]
struct Attempt<'a> {
    url: &'a Url,
    number: u8,
    priority: Priority,
}

impl RequestScheduler {
    /// Returns the events from here on. A new subscriber replaces the previous one.
    pub fn subscribe(&self) -> UnboundedReceiver<NetworkEvent> {
        let (sender, receiver) = unbounded_channel();
        self.lock().events_tx = Some(sender);
        receiver
    }

    /// Waits for a permit and sends a request to `url` with `send`, again if the retry policy says
    /// so.
    pub async fn run<B, F>(
        &self,
        priority: Priority,
        url: &Url,
        send: impl Fn() -> F,
    ) -> Exchange<B>
    where
        F: Future<Output = Exchange<B>>,
    {
        let retry = RetryGuard { scheduler: self, id: self.next_id() };
        let mut attempt = Attempt { url, number: 1, priority };
        loop {
            let mut permit = self.acquire(priority).await;
            permit.unanswered = Some(Unanswered { attempt, sent: Instant::now() });
            let exchange = send().await;
            permit.unanswered = None;
            self.on_response(&exchange, attempt);
            drop(permit);
            let max_attempts = max_attempts(&exchange);
            if attempt.number >= max_attempts {
                return exchange;
            }
            attempt.number += 1;
            retry.report(RetryProgress { attempt: attempt.number, max_attempts });
            info!(attempt = attempt.number, max_attempts, "retry");
            let delay = self.lock().backoff.retry_delay(&exchange, attempt.number);
            if let Some(delay) = delay {
                sleep(delay).await;
            }
        }
    }

    pub fn log_cache_hit(&self, url: &Url, bytes: u64, elapsed: Duration, priority: Priority) {
        self.lock().emit_request(RequestLogEntry {
            status: Some(200),
            elapsed,
            bytes,
            from_cache: true,
            ..Attempt { url, number: 1, priority }.log_entry()
        });
    }

    fn lock(&self) -> MutexGuard<'_, SchedulerState> {
        // The state is usable after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_id(&self) -> u64 {
        let mut state = self.lock();
        state.last_id += 1;
        state.last_id
    }

    async fn acquire(&self, priority: Priority) -> Permit<'_> {
        let entry = QueueEntry { scheduler: self, key: QueueKey { priority, id: self.next_id() } };
        self.lock().queue.insert(entry.key);
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let admission = self.lock().try_admit(entry.key);
            match admission {
                Admission::Granted => return Permit { scheduler: self, unanswered: None },
                Admission::Queued => changed.await,
                Admission::RetryAt(time) => tokio::select! {
                    () = changed => {}
                    () = sleep_until(time) => {}
                },
            }
        }
    }

    fn on_response<B>(&self, exchange: &Exchange<B>, attempt: Attempt<'_>) {
        let mut state = self.lock();
        state.apply_rate_limit(exchange, attempt.number);
        state.emit_request(RequestLogEntry {
            method: exchange.method,
            status: exchange.status,
            error: exchange.body.as_ref().err().map(|error| SafeText::new(&error.to_string())),
            elapsed: exchange.elapsed,
            bytes: exchange.bytes,
            ..Attempt { url: &exchange.url, ..attempt }.log_entry()
        });
        state.publish_status();
    }
}

impl SchedulerState {
    /// Admits a request if it is at the head of the queue and no limit holds it back.
    fn try_admit(&mut self, key: QueueKey) -> Admission {
        let now = Instant::now();
        if self.queue.first() != Some(&key) {
            return Admission::Queued;
        }
        let admission = match self.blocked_until.filter(|until| *until > now) {
            // The request at the head of the queue drives the countdown that the title shows.
            Some(until) => Admission::RetryAt(now + until_next_second(until - now)),
            None if self.in_flight >= MAX_IN_FLIGHT => Admission::Queued,
            None => {
                self.queue.remove(&key);
                self.in_flight += 1;
                Admission::Granted
            }
        };
        self.publish_status();
        admission
    }

    fn apply_rate_limit<B>(&mut self, exchange: &Exchange<B>, attempt: u8) {
        if let Some(received) = exchange.rate_limit {
            self.update_rate_limit(received);
        }
        if let Some(delay) = self.backoff.rate_limit_delay(exchange, attempt) {
            self.blocked_until = self.blocked_until.max(Some(Instant::now() + delay));
        }
    }

    /// Takes over a rate limit. Responses can arrive out of order, so within one window the fewest
    /// requests left are right.
    fn update_rate_limit(&mut self, received: RateLimit) {
        let now = Instant::now();
        let end = received.reset_ms.and_then(|ms| now.checked_add(Duration::from_millis(ms)));
        let known = self.rate_limit.zip(self.window_end);
        let current = known.filter(|(known, end)| known.limit == received.limit && *end > now);
        let (known, known_end, end) = match (current, end) {
            (Some((known, known_end)), Some(end)) if end <= known_end + WINDOW_TOLERANCE => {
                (known, known_end, end)
            }
            _ => {
                (self.rate_limit, self.window_end) = (Some(received), end);
                return;
            }
        };
        // Otherwise it is of the window before.
        if end + WINDOW_TOLERANCE >= known_end {
            let remaining = [known.remaining, received.remaining].into_iter().flatten().min();
            self.rate_limit = Some(RateLimit { remaining, ..received });
        }
    }

    fn publish_status(&mut self) {
        let now = Instant::now();
        let left = self.blocked_until.and_then(|until| until.checked_duration_since(now));
        let left = left.filter(|left| !left.is_zero() && !self.queue.is_empty());
        let status = ConnectionStatus {
            rate_limit: self.rate_limit,
            limited_secs: left
                .map(|left| u64::try_from(left.as_millis().div_ceil(1000)).unwrap_or(0)),
            retrying: self.retrying.values().max().copied(),
        };
        if status != self.last_status {
            self.last_status = status;
            self.emit(NetworkEvent::Status(status));
        }
    }

    fn emit_request(&mut self, entry: RequestLogEntry) {
        self.emit(NetworkEvent::Request(Box::new(entry)));
    }

    /// Sends an event, or forgets a subscriber that is gone.
    fn emit(&mut self, event: NetworkEvent) {
        self.events_tx = self.events_tx.take().filter(|sender| sender.send(event).is_ok());
    }
}

/// Returns the time until the number of full seconds left changes.
fn until_next_second(left: Duration) -> Duration {
    match left.subsec_nanos() {
        0 => left.min(Duration::from_secs(1)),
        nanos => Duration::from_nanos(nanos.into()),
    }
}

impl Attempt<'_> {
    /// Returns the log entry of an attempt without a response.
    fn log_entry(&self) -> RequestLogEntry {
        RequestLogEntry {
            method: GET,
            url: SafeText::new(redact_url(self.url).as_str()),
            status: None,
            error: None,
            elapsed: Duration::ZERO,
            bytes: 0,
            attempt: self.number,
            from_cache: false,
            priority: self.priority,
        }
    }
}

struct QueueEntry<'a> {
    scheduler: &'a RequestScheduler,
    key: QueueKey,
}

impl Drop for QueueEntry<'_> {
    fn drop(&mut self) {
        let mut state = self.scheduler.lock();
        state.queue.remove(&self.key);
        state.publish_status();
        drop(state);
        self.scheduler.changed.notify_waiters();
    }
}

/// Permission to have one request in flight, given back on drop.
struct Permit<'a> {
    scheduler: &'a RequestScheduler,
    unanswered: Option<Unanswered<'a>>,
}

struct Unanswered<'a> {
    attempt: Attempt<'a>,
    sent: Instant,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.scheduler.lock();
        state.in_flight -= 1;
        if let Some(Unanswered { attempt, sent }) = &self.unanswered {
            state.emit_request(RequestLogEntry {
                error: Some("cancelled".into()),
                elapsed: sent.elapsed(),
                ..attempt.log_entry()
            });
        }
        drop(state);
        self.scheduler.changed.notify_waiters();
    }
}

/// Reports a request as retrying until it completes or is dropped.
struct RetryGuard<'a> {
    scheduler: &'a RequestScheduler,
    id: u64,
}

impl RetryGuard<'_> {
    fn report(&self, progress: RetryProgress) {
        let mut state = self.scheduler.lock();
        state.retrying.insert(self.id, progress);
        state.publish_status();
    }
}

impl Drop for RetryGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.scheduler.lock();
        if state.retrying.remove(&self.id).is_some() {
            state.publish_status();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::future::{Ready, ready};
    use std::sync::LazyLock;

    use tokio::task::yield_now;
    use tokio::time::timeout;

    use super::*;
    use crate::api::ApiError;

    type Reply = Exchange<u8>;

    static URL: LazyLock<Url> = LazyLock::new(|| "http://explorer/api/v2/x".parse().unwrap());

    fn exchange(status: Option<u16>, body: Result<u8, ApiError>) -> Reply {
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

    fn good() -> Reply {
        exchange(Some(200), Ok(7))
    }

    fn refused(status: u16) -> Reply {
        exchange(Some(status), Err(ApiError::from_error_body(status, b"{}")))
    }

    /// A rate limit with no requests left.
    fn used_up(reset: u64) -> RateLimit {
        RateLimit { remaining: Some(0), limit: Some(3), reset_ms: Some(reset), credits: None }
    }

    /// Gives these responses in turn, the last one for ever, and records the time of each request.
    struct Server {
        start: Instant,
        responses: Vec<Reply>,
        request_times: RefCell<Vec<Duration>>,
    }

    impl Server {
        fn new(responses: impl Into<Vec<Reply>>) -> Self {
            Self {
                start: Instant::now(),
                responses: responses.into(),
                request_times: RefCell::default(),
            }
        }

        fn respond(&self) -> Ready<Reply> {
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
        scheduler.lock().backoff.rng.seed(seed);
        scheduler
    }

    fn scheduler() -> RequestScheduler {
        scheduler_with_seed(7)
    }

    async fn run(scheduler: &RequestScheduler, server: &Server) -> Reply {
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
        assert_eq!(*order.borrow(), ["a", "b", "c", "g", "f", "d", "e"]);
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
    async fn busy_server_and_broken_connection_get_three_attempts() {
        let broken = exchange(None, Err(ApiError::Unreachable { why: "reset".into() }));
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
            exchange(None, Err(ApiError::TimedOut { seconds: 40 })),
            exchange(None, Err(ApiError::Blocked { why: "too many redirects".into() })),
            exchange(Some(200), Err(ApiError::TooLarge { limit: 64 })),
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
            let known = scheduler.lock().rate_limit.unwrap();
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
}
