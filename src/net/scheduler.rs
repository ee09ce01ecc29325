//! The desk: which request to an explorer goes out next, which has to wait, and which goes out again.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::info;
use url::Url;

use crate::api::ApiError;
use crate::api::api_key::redact_url;
use crate::api::exchange::{Exchange, GET, RateLimit};
use crate::msg::{ConnectionStatus, NetworkEvent, Priority, RequestLogEntry};
use crate::sanitize::SafeText;

/// Public explorers allow about three requests a second without a key.
const MAX_IN_FLIGHT: usize = 3;
/// How often anything is tried in all.
const MAX_ATTEMPTS: u8 = 3;
/// A limit is not waited for any longer, whatever the server says.
const MAX_RATE_LIMIT_DELAY: Duration = Duration::from_mins(1);
/// The first pause after a failure; each next one is twice as long.
const BASE_BACKOFF: Duration = Duration::from_millis(500);
/// The first pause of a server that is limiting and does not say how long.
const DEFAULT_RATE_LIMIT_DELAY: Duration = Duration::from_secs(1);

/// Orders the requests to one explorer. Dropping what one of them waits for gives its place to others.
#[derive(Debug)]
pub struct RequestScheduler {
    state: Mutex<SchedulerState>,
    changed: Notify,
}

#[derive(Debug)]
struct SchedulerState {
    in_flight: usize,
    /// In the order in which they go: what is asked for first, then by number.
    queue: BTreeSet<(Priority, u64)>,
    /// Requests so far, which numbers them.
    last_id: u64,
    /// Nothing goes out before.
    blocked_until: Option<Instant>,
    /// Requests that are tried again: which try of how many.
    retrying: BTreeMap<u64, (u8, u8)>,
    rate_limit: Option<RateLimit>,
    last_status: ConnectionStatus,
    events_tx: Option<UnboundedSender<NetworkEvent>>,
    rng: fastrand::Rng,
}

/// What becomes of one who asks whether it is its turn.
enum Admission {
    Granted,
    /// Ask again then, or when something has changed.
    RetryAt(Instant),
    /// Ask again when something has changed.
    Queued,
}

impl Default for RequestScheduler {
    fn default() -> Self {
        Self::with_seed(fastrand::u64(..))
    }
}

impl RequestScheduler {
    /// A desk whose pauses follow from `seed`.
    pub fn with_seed(seed: u64) -> Self {
        let state = SchedulerState {
            in_flight: 0,
            queue: BTreeSet::new(),
            last_id: 0,
            blocked_until: None,
            retrying: BTreeMap::new(),
            rate_limit: None,
            last_status: ConnectionStatus::default(),
            events_tx: None,
            rng: fastrand::Rng::with_seed(seed),
        };
        Self { state: Mutex::new(state), changed: Notify::new() }
    }

    /// What is heard of the requests from now on. There is one listener.
    pub fn subscribe(&self) -> UnboundedReceiver<NetworkEvent> {
        let (sender, receiver) = unbounded_channel();
        self.lock().events_tx = Some(sender);
        receiver
    }

    /// Sends a request when it is its turn, and again if that may help. `url` is what `ask` asks.
    pub async fn run<B, F>(&self, why: Priority, url: &Url, ask: impl Fn() -> F) -> Exchange<B>
    where
        F: Future<Output = Exchange<B>>,
    {
        let again = RetryGuard { scheduler: self, id: self.next_id() };
        let mut tries = 1;
        loop {
            let mut turn = self.acquire(why).await;
            turn.in_flight = Some((url, tries, why, Instant::now()));
            let exchange = ask().await;
            turn.in_flight = None;
            self.on_response(&exchange, tries, why);
            drop(turn);
            let most = max_attempts(&exchange);
            if tries >= most {
                return exchange;
            }
            tries += 1;
            again.report(tries, most);
            info!(tries, most, "asked again");
            if exchange.status != Some(429) {
                let pause = self.lock().backoff(BASE_BACKOFF, tries);
                sleep(pause).await;
            }
        }
    }

    /// Tells of an answer that was kept: nothing went over the wire for it.
    pub fn log_cache_hit(&self, url: &Url, bytes: u64, elapsed: Duration, why: Priority) {
        let sent = RequestLogEntry {
            method: GET,
            url: SafeText::new(redact_url(url).as_str()),
            status: Some(200),
            error: None,
            elapsed,
            bytes,
            attempt: 1,
            from_cache: true,
            priority: why,
        };
        self.lock().emit(NetworkEvent::Request(Box::new(sent)));
    }

    fn lock(&self) -> MutexGuard<'_, SchedulerState> {
        // A count that a panic left behind is no worse than any other.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_id(&self) -> u64 {
        let mut state = self.lock();
        state.last_id += 1;
        state.last_id
    }

    async fn acquire(&self, why: Priority) -> Permit<'_> {
        let place = QueueEntry { scheduler: self, key: (why, self.next_id()) };
        self.lock().queue.insert(place.key);
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let answer = self.lock().try_admit(place.key);
            match answer {
                Admission::Granted => return Permit { scheduler: self, in_flight: None },
                Admission::Queued => changed.await,
                Admission::RetryAt(then) => tokio::select! {
                    () = changed => {}
                    () = sleep_until(then) => {}
                },
            }
        }
    }

    /// Learns from an answer, and tells of it.
    fn on_response<B>(&self, exchange: &Exchange<B>, tries: u8, why: Priority) {
        let mut state = self.lock();
        state.apply_rate_limit(exchange, tries);
        let sent = RequestLogEntry {
            method: exchange.method,
            url: SafeText::new(redact_url(&exchange.url).as_str()),
            status: exchange.status,
            error: exchange.body.as_ref().err().map(|error| SafeText::new(&error.to_string())),
            elapsed: exchange.elapsed,
            bytes: exchange.bytes,
            attempt: tries,
            from_cache: false,
            priority: why,
        };
        state.emit(NetworkEvent::Request(Box::new(sent)));
        state.publish_status();
    }
}

impl SchedulerState {
    /// Whether it is the turn of the one at this place in the queue; if so it leaves the queue.
    fn try_admit(&mut self, at: (Priority, u64)) -> Admission {
        let now = Instant::now();
        if self.queue.first() != Some(&at) {
            return Admission::Queued;
        }
        let answer = match self.blocked_until.filter(|held| *held > now) {
            // The first one counts the seconds aloud.
            Some(held) => Admission::RetryAt(now + until_next_second(held - now)),
            None if self.in_flight >= MAX_IN_FLIGHT => Admission::Queued,
            None => {
                self.queue.remove(&at);
                self.in_flight += 1;
                Admission::Granted
            }
        };
        self.publish_status();
        answer
    }

    /// Keeps to what the server says of its limits.
    fn apply_rate_limit<B>(&mut self, exchange: &Exchange<B>, tries: u8) {
        self.rate_limit = exchange.rate_limit.or(self.rate_limit);
        let reset = exchange.rate_limit.and_then(|limits| limits.reset);
        let said = exchange.retry_after.or(reset);
        let is_used_up = exchange.rate_limit.is_some_and(|limits| limits.remaining == Some(0));
        let wait = match exchange.status {
            Some(429) => said.unwrap_or_else(|| self.backoff(DEFAULT_RATE_LIMIT_DELAY, tries + 1)),
            _ if is_used_up => reset.unwrap_or(DEFAULT_RATE_LIMIT_DELAY),
            _ => return,
        };
        self.blocked_until =
            self.blocked_until.max(Some(Instant::now() + wait.min(MAX_RATE_LIMIT_DELAY)));
    }

    /// How long to wait before this try: somewhere in the upper half of what doubles each time, so
    /// that many who failed together do not come back together.
    fn backoff(&mut self, first: Duration, tries: u8) -> Duration {
        let whole = first * (1 << tries.saturating_sub(2).min(6));
        let half = u64::try_from(whole.as_millis() / 2).unwrap_or(u64::MAX);
        Duration::from_millis(half + self.rng.u64(0..=half))
    }

    /// Tells how things stand, if that has changed.
    fn publish_status(&mut self) {
        let left = self.blocked_until.and_then(|held| held.checked_duration_since(Instant::now()));
        let left = left.filter(|left| !left.is_zero() && !self.queue.is_empty());
        let standing = ConnectionStatus {
            rate_limit: self.rate_limit,
            limited_secs: left
                .map(|left| u64::try_from(left.as_millis().div_ceil(1000)).unwrap_or(0)),
            retrying: self.retrying.values().max().copied(),
        };
        if standing != self.last_status {
            self.last_status = standing;
            self.emit(NetworkEvent::Status(standing));
        }
    }

    fn emit(&mut self, news: NetworkEvent) {
        // Nobody may be listening; nothing depends on it.
        self.events_tx = self.events_tx.take().filter(|sender| sender.send(news).is_ok());
    }
}

/// Until the seconds that are left are one less.
fn until_next_second(left: Duration) -> Duration {
    match left.subsec_nanos() {
        0 => left.min(Duration::from_secs(1)),
        nanos => Duration::from_nanos(nanos.into()),
    }
}

/// How often a request that ended so is tried in all: trying again helps when the server is busy or
/// the connection broke, and hurts when it says no.
fn max_attempts<B>(exchange: &Exchange<B>) -> u8 {
    let Err(error) = &exchange.body else { return 1 };
    match (exchange.status, error) {
        // Its node has run the transaction already, for nothing.
        (Some(500), ApiError::Refused { message, .. })
            if message.contains("Error while raw trace fetching") =>
        {
            1
        }
        // Most often its database gave up after 20 s of work.
        (Some(500), ApiError::Refused { .. }) => 2,
        (Some(429 | 502..=504), _) | (_, ApiError::Unreachable(_) | ApiError::Interrupted(_)) => {
            MAX_ATTEMPTS
        }
        _ => 1,
    }
}

/// A place in the queue, until its turn comes or nobody waits any more.
struct QueueEntry<'a> {
    scheduler: &'a RequestScheduler,
    key: (Priority, u64),
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

/// Leave to send one request.
struct Permit<'a> {
    scheduler: &'a RequestScheduler,
    /// What went out and has no answer yet: where to, which try, why and when.
    in_flight: Option<(&'a Url, u8, Priority, Instant)>,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.scheduler.lock();
        state.in_flight -= 1;
        if let Some((url, tries, why, began)) = self.in_flight {
            state.emit(NetworkEvent::Request(Box::new(RequestLogEntry {
                method: GET,
                url: SafeText::new(redact_url(url).as_str()),
                status: None,
                error: Some("stopped: nobody waits for it any more".into()),
                elapsed: began.elapsed(),
                bytes: 0,
                attempt: tries,
                from_cache: false,
                priority: why,
            })));
        }
        drop(state);
        self.scheduler.changed.notify_waiters();
    }
}

/// Says that a request is tried again, until it ends or nobody waits any more.
struct RetryGuard<'a> {
    scheduler: &'a RequestScheduler,
    id: u64,
}

impl RetryGuard<'_> {
    fn report(&self, tries: u8, of: u8) {
        let mut state = self.scheduler.lock();
        state.retrying.insert(self.id, (tries, of));
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

    /// Nothing is left until the reset.
    fn used_up(reset: u64) -> RateLimit {
        let reset = Some(Duration::from_millis(reset));
        RateLimit { remaining: Some(0), limit: Some(3), reset, credits: None }
    }

    /// A server that gives these answers in turn, and notes when it was asked.
    struct Server {
        began: Instant,
        answers: Vec<Reply>,
        asked: RefCell<Vec<Duration>>,
    }

    impl Server {
        fn new(answers: impl Into<Vec<Reply>>) -> Self {
            Self { began: Instant::now(), answers: answers.into(), asked: RefCell::default() }
        }

        fn answer(&self) -> Ready<Reply> {
            let mut asked = self.asked.borrow_mut();
            asked.push(self.began.elapsed());
            ready(self.answers[(asked.len() - 1).min(self.answers.len() - 1)].clone())
        }

        fn asked(&self) -> Vec<u128> {
            self.asked.borrow().iter().map(Duration::as_millis).collect()
        }
    }

    fn desk() -> RequestScheduler {
        RequestScheduler::with_seed(7)
    }

    fn standings(news: &mut UnboundedReceiver<NetworkEvent>) -> Vec<ConnectionStatus> {
        let news = std::iter::from_fn(|| news.try_recv().ok());
        let standing = |news| match news {
            NetworkEvent::Status(standing) => Some(standing),
            NetworkEvent::Request(_) => None,
        };
        news.filter_map(standing).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn three_at_once_and_in_the_end_all() {
        let (desk, now, most, done) = (desk(), Cell::new(0), Cell::new(0), Cell::new(0));
        let one = || {
            desk.run(Priority::Interactive, &URL, || async {
                now.set(now.get() + 1);
                most.set(most.get().max(now.get()));
                sleep(Duration::from_secs(1)).await;
                now.set(now.get() - 1);
                done.set(done.get() + 1);
                good()
            })
        };
        tokio::join!(one(), one(), one(), one(), one(), one(), one());
        assert_eq!((most.get(), done.get()), (3, 7));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_waited_for_overtakes_what_is_fetched_ahead() {
        let (desk, order) = (desk(), RefCell::new(Vec::new()));
        let (desk, order) = (&desk, &order);
        let send = |why, name| {
            desk.run(why, &URL, move || async move {
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
    async fn a_limit_is_waited_for_as_long_as_the_server_says() {
        let mut by_reset = refused(429);
        by_reset.rate_limit = Some(used_up(2_500));
        let mut by_seconds = refused(429);
        by_seconds.retry_after = Some(Duration::from_secs(4));
        let mut by_both = by_reset.clone();
        by_both.retry_after = by_seconds.retry_after;
        let mut forever = refused(429);
        forever.retry_after = Some(Duration::from_hours(1));
        for (refusal, asked) in
            [(by_reset, 2_500), (by_seconds, 4_000), (by_both, 4_000), (forever, 60_000)]
        {
            let (desk, server) = (desk(), Server::new([refusal, good()]));
            let answer = desk.run(Priority::Interactive, &URL, || server.answer()).await;
            assert_eq!((answer.body, server.asked()), (Ok(7), vec![0, asked]));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_without_an_end_is_waited_for_longer_each_time_and_three_tries_are_all() {
        for seed in 0..100 {
            let (desk, server) = (RequestScheduler::with_seed(seed), Server::new([refused(429)]));
            let answer = desk.run(Priority::Interactive, &URL, || server.answer()).await;
            assert_eq!(answer.body, refused(429).body);
            let [0, second, third] = server.asked()[..] else { panic!("{:?}", server.asked()) };
            assert!((500..=1_000).contains(&second), "{second}");
            assert!((1_000..=2_000).contains(&(third - second)), "{third}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_server_and_a_broken_connection_are_tried_three_times() {
        let broken = exchange(None, Err(ApiError::Unreachable("reset".into())));
        let cut = exchange(Some(200), Err(ApiError::Interrupted("reset".into())));
        let what = || "text/html".into();
        let page = exchange(Some(502), Err(ApiError::NotJson { status: 502, what: what() }));
        for failure in [refused(503), refused(502), refused(504), broken, cut, page] {
            let (desk, server) = (desk(), Server::new([failure.clone(), failure.clone(), good()]));
            assert_eq!(desk.run(Priority::Interactive, &URL, || server.answer()).await.body, Ok(7));
            let [0, second, third] = server.asked()[..] else { panic!("{:?}", server.asked()) };
            assert!((250..=500).contains(&second), "{second}");
            assert!((500..=1_000).contains(&(third - second)), "{third}");

            let server = Server::new([failure.clone()]);
            assert_eq!(
                desk.run(Priority::Interactive, &URL, || server.answer()).await.body,
                failure.body
            );
            assert_eq!(server.asked().len(), 3);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_asking_again_cannot_help_is_asked_once() {
        let html = ApiError::NotJson { status: 200, what: "text/html".into() };
        let tracing = ApiError::from_error_body(500, br#""Error while raw trace fetching""#);
        let refusals = [400, 401, 402, 403, 404, 406, 422, 501].map(refused);
        let others = [
            exchange(Some(200), Err(html)),
            exchange(Some(500), Err(tracing)),
            exchange(None, Err(ApiError::TimedOut { seconds: 40 })),
            exchange(None, Err(ApiError::Blocked("too many redirects".into()))),
            exchange(Some(200), Err(ApiError::TooLarge { limit: 64 })),
            good(),
        ];
        for answer in refusals.into_iter().chain(others) {
            let (desk, server) = (desk(), Server::new([answer.clone()]));
            assert_eq!(
                desk.run(Priority::Interactive, &URL, || server.answer()).await.body,
                answer.body
            );
            assert_eq!(server.asked(), [0]);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_goes_out_while_nothing_is_left() {
        let (desk, server) = (desk(), Server::new([good()]));
        let mut last = good();
        last.rate_limit = Some(used_up(3_000));
        desk.run(Priority::Interactive, &URL, || async { last.clone() }).await;
        let ahead = desk.run(Priority::Prefetch, &URL, || server.answer());
        let asked = desk.run(Priority::Interactive, &URL, || server.answer());
        tokio::join!(ahead, asked);
        assert_eq!(server.asked(), [3_000, 3_000]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_seconds_are_counted_aloud_while_somebody_waits() {
        let desk = desk();
        let mut news = desk.subscribe();
        let mut refusal = refused(429);
        refusal.retry_after = Some(Duration::from_millis(2_500));
        let server = Server::new([refusal, good()]);
        desk.run(Priority::Interactive, &URL, || server.answer()).await;
        let waiting = |waiting, retrying| ConnectionStatus {
            rate_limit: None,
            limited_secs: waiting,
            retrying,
        };
        let again = Some((2, 3));
        let told = standings(&mut news);
        assert_eq!(
            told,
            [
                waiting(None, again),
                waiting(Some(3), again),
                waiting(Some(2), again),
                waiting(Some(1), again),
                waiting(None, again),
                waiting(None, None),
            ]
        );
        let words: Vec<_> = told.iter().map(ConnectionStatus::wait_text).collect();
        assert_eq!(words[0].as_deref(), Some("retrying (2 of 3)"));
        assert_eq!(words[1].as_deref(), Some("limited: 3 s"));
        assert_eq!(words[5], None);
        // Nobody waits any more, so nothing is counted.
        sleep(Duration::from_mins(5)).await;
        assert_eq!(standings(&mut news), []);
    }

    #[tokio::test(start_paused = true)]
    async fn who_gives_up_waiting_sends_nothing_more_and_stands_in_nobodys_way() {
        let mut refusal = refused(429);
        refusal.retry_after = Some(Duration::from_secs(30));
        for failure in [refusal, refused(503)] {
            let desk = desk();
            let mut news = desk.subscribe();
            let server = Server::new([failure]);
            let waiting = desk.run(Priority::Interactive, &URL, || server.answer());
            tokio::select! {
                answer = waiting => panic!("{answer:?}"),
                () = async { while server.asked().is_empty() { yield_now().await } } => {}
            }
            let told = standings(&mut news);
            assert_eq!(told.last().copied(), Some(ConnectionStatus::default()), "{told:?}");
            let other = Server::new([good()]);
            let asked = desk.run(Priority::Interactive, &URL, || other.answer());
            timeout(Duration::from_secs(31), asked).await.unwrap();
            assert_eq!((server.asked().len(), other.asked().len()), (1, 1));
        }
    }
}
