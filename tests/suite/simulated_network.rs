//! A network without sockets, on the clock of the test: each request takes the time and gets the
//! answer that a script names.

use std::fmt::{self, Debug};
use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use chainglass::test_api::api::exchange::{Exchange, GET, RateLimit};
use chainglass::test_api::api::{ApiError, Query};
use chainglass::test_api::app_message::Priority;
use chainglass::test_api::chain::{Chains, Network};
use chainglass::test_api::http::{SuspendWatch, WallClock};
use chainglass::test_api::net::{Provider, ProviderOptions, ResponseBody, ResponseSource};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::time::{Instant, sleep, timeout};
use url::{Position, Url};

/// Base of a public explorer that no test reaches.
pub(crate) const EXPLORER: &str = "https://explorer.example.com/";

/// Time limit of the client for a response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(40);
/// Interval at which the client looks for a suspend.
const SUSPEND_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// An answer, and the time until it is complete.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedAnswer {
    pub(crate) latency: Duration,
    /// `None` if no response comes.
    pub(crate) status: Option<u16>,
    pub(crate) rate_limit: Option<RateLimit>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Result<String, ApiError>,
}

impl SimulatedAnswer {
    pub(crate) fn ok(body: impl Into<String>) -> Self {
        let (latency, body) = (Duration::from_millis(100), Ok(body.into()));
        Self { latency, status: Some(200), rate_limit: None, retry_after: None, body }
    }

    /// An error response with this status.
    pub(crate) fn refused(status: u16) -> Self {
        let body = Err(ApiError::from_error_body(status, br#"{"message":"Not found"}"#));
        Self { status: Some(status), body, ..Self::ok("") }
    }

    /// A failure without a response.
    pub(crate) fn failed(error: ApiError) -> Self {
        Self { status: None, body: Err(error), ..Self::ok("") }
    }

    pub(crate) fn after(self, millis: u64) -> Self {
        Self { latency: Duration::from_millis(millis), ..self }
    }
}

/// A request that reached the server.
#[derive(Debug, Clone)]
pub(crate) struct SentRequest {
    /// Path and query of its URL.
    pub(crate) path: String,
    /// Time since the start of the network.
    pub(crate) sent: Duration,
    /// `None` while it is in flight.
    pub(crate) end: Option<RequestEnd>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestEnd {
    Answered(Duration),
    Cancelled(Duration),
}

#[derive(Default)]
struct Traffic {
    requests: Vec<SentRequest>,
    max_in_flight: usize,
}

impl Traffic {
    fn in_flight(&self) -> usize {
        self.requests.iter().filter(|request| request.end.is_none()).count()
    }
}

type Script = dyn Fn(&str, usize) -> SimulatedAnswer + Send + Sync;

/// A server behind a network. Clones share it.
#[derive(Clone)]
pub(crate) struct SimulatedNetwork {
    start: Instant,
    script: Arc<Script>,
    traffic: Arc<Mutex<Traffic>>,
    /// Seconds for which the machine has slept.
    slept: Arc<AtomicU64>,
    suspends: Arc<SuspendWatch>,
}

impl Debug for SimulatedNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SimulatedNetwork")
    }
}

impl SimulatedNetwork {
    /// Creates a network. `script` gets path and query of a request, and the number of earlier requests
    /// with the same.
    pub(crate) fn new(
        script: impl Fn(&str, usize) -> SimulatedAnswer + Send + Sync + 'static,
    ) -> Self {
        let (start, slept) = (Instant::now(), Arc::new(AtomicU64::new(0)));
        let all_slept = Arc::clone(&slept);
        let wall_clock = WallClock::new(move || {
            let slept = Duration::from_secs(all_slept.load(Ordering::Relaxed));
            SystemTime::UNIX_EPOCH + start.elapsed() + slept
        });
        let suspends = Arc::new(SuspendWatch::new(wall_clock, SUSPEND_CHECK_INTERVAL));
        Self { start, script: Arc::new(script), traffic: Arc::default(), slept, suspends }
    }

    /// Lets the machine sleep for an hour, in which its connections die without an error.
    pub(crate) fn suspend(&self) {
        self.slept.fetch_add(3_600, Ordering::Relaxed);
    }

    pub(crate) fn chain() -> Network {
        let network = Chains::default().network_at(&EXPLORER.parse().unwrap());
        Network { symbol: Some("ETH".into()), ..network }
    }

    /// The provider of a public explorer in this network.
    pub(crate) fn provider(&self) -> Provider {
        self.provider_of(&Self::chain())
    }

    pub(crate) fn provider_of(&self, chain: &Network) -> Provider {
        let source = Some(Arc::new(self.clone()) as Arc<dyn ResponseSource>);
        Provider::with_options(chain, ProviderOptions { source, ..ProviderOptions::default() })
    }

    /// All requests so far, in the order in which they were sent.
    pub(crate) fn requests(&self) -> Vec<SentRequest> {
        self.traffic.lock().unwrap().requests.clone()
    }

    /// Largest number of requests that were in flight together.
    pub(crate) fn max_in_flight(&self) -> usize {
        self.traffic.lock().unwrap().max_in_flight
    }

    async fn answer(&self, url: &Url) -> SimulatedAnswer {
        let path = url[Position::BeforePath..].to_owned();
        let (passage, earlier) = {
            let mut traffic = self.traffic.lock().unwrap();
            let earlier = traffic.requests.iter().filter(|sent| sent.path == path).count();
            let index = traffic.requests.len();
            let (sent, end) = (self.start.elapsed(), None);
            traffic.requests.push(SentRequest { path: path.clone(), sent, end });
            traffic.max_in_flight = traffic.max_in_flight.max(traffic.in_flight());
            (Passage { network: self, index }, earlier)
        };
        let answer = (self.script)(&path, earlier);
        let slept = self.slept.load(Ordering::Relaxed);
        sleep(answer.latency).await;
        if self.slept.load(Ordering::Relaxed) > slept {
            pending::<()>().await;
        }
        passage.end(RequestEnd::Answered(self.start.elapsed()));
        answer
    }

    async fn answer_within(&self, limit: Duration, url: &Url) -> Exchange {
        match timeout(limit, self.answer(url)).await {
            Ok(answer) => exchange(url, answer),
            Err(_) => {
                Exchange::failed(url.clone(), ApiError::TimedOut { seconds: limit.as_secs() })
            }
        }
    }
}

/// A request in flight. Cancelled unless it ends before it is dropped.
struct Passage<'a> {
    network: &'a SimulatedNetwork,
    index: usize,
}

impl Passage<'_> {
    fn end(&self, end: RequestEnd) {
        let mut traffic = self.network.traffic.lock().unwrap();
        traffic.requests[self.index].end.get_or_insert(end);
    }
}

impl Drop for Passage<'_> {
    fn drop(&mut self) {
        self.end(RequestEnd::Cancelled(self.network.start.elapsed()));
    }
}

fn exchange(url: &Url, answer: SimulatedAnswer) -> Exchange {
    let SimulatedAnswer { latency, status, rate_limit, retry_after, body } = answer;
    let bytes = body.as_ref().map_or(0, String::len) as u64;
    let url = url.clone();
    let (method, body) = (GET, body.map(Into::into));
    Exchange { method, url, status, elapsed: latency, bytes, rate_limit, retry_after, body }
}

impl ResponseSource for SimulatedNetwork {
    fn fetch<'a>(&'a self, url: &'a Url, _query: &'a Query) -> BoxFuture<'a, Exchange> {
        let send = move || self.answer_within(RESPONSE_TIMEOUT, url);
        async move { self.suspends.repeat_after_suspend(send).await }.boxed()
    }

    fn open_stream<'a>(
        &'a self,
        url: &'a Url,
        _query: &'a Query,
        start_timeout: Duration,
    ) -> BoxFuture<'a, Exchange<ResponseBody>> {
        let send = move || self.answer_within(start_timeout, url);
        let started = async move { self.suspends.repeat_after_suspend(send).await };
        started.map(|exchange| exchange.map(ResponseBody::from_bytes)).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn requests_take_their_time_and_are_logged() {
    let network = SimulatedNetwork::new(|path, earlier| match earlier {
        0 => SimulatedAnswer::failed(ApiError::Interrupted { why: "reset".into() }).after(700),
        1 => SimulatedAnswer::refused(503),
        _ if path.contains("stats") => SimulatedAnswer::ok("{}").after(300),
        _ => SimulatedAnswer::ok("[]"),
    });
    let provider = network.provider();
    let started = Instant::now();
    provider.fetch(&Query::Stats, None, Priority::Interactive).await.unwrap();
    let requests = network.requests();
    let [first, _, last] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!((first.sent, first.path.as_str()), (Duration::ZERO, "/api/v2/stats"));
    assert_eq!(first.end, Some(RequestEnd::Answered(Duration::from_millis(700))));
    assert_eq!(last.sent + Duration::from_millis(300), started.elapsed());
    assert_eq!(network.max_in_flight(), 1);
}
