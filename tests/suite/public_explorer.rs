//! A public explorer on the clock of the test: it serves the demo chain, takes its time, limits its
//! clients and fails on demand.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use tokio::time::Instant;

use crate::demo_server_client::{ServerClient, demo_server};
use crate::simulated_network::{SimulatedAnswer, SimulatedNetwork};

/// The demo chain, as an explorer serves it. Started by a thread without a runtime.
static DEMO: LazyLock<ServerClient> =
    LazyLock::new(|| thread::spawn(|| demo_server(50)).join().unwrap());

const SECOND: Duration = Duration::from_secs(1);

/// A request at the server.
#[derive(Debug, Clone)]
pub(crate) struct ServedRequest {
    pub(crate) path: String,
    pub(crate) arrived: Instant,
    pub(crate) answered: Instant,
    /// 0 if it got no answer.
    pub(crate) status: u16,
}

/// Takes the time since the start and the number of earlier requests with the same path, and returns an
/// answer instead of the explorer's.
type Fault = dyn Fn(Duration, usize) -> Option<SimulatedAnswer> + Send + Sync;

/// An explorer that answers a limited number of requests a second. Clones share their requests.
#[derive(Clone)]
pub(crate) struct PublicExplorer {
    max_rate: usize,
    fault: Arc<Fault>,
    started: Instant,
    served: Arc<Mutex<Vec<ServedRequest>>>,
}

impl PublicExplorer {
    /// Creates an explorer that answers this number of requests a second.
    pub(crate) fn new(max_rate: usize) -> Self {
        let (fault, started) = (Arc::new(|_, _| None), Instant::now());
        Self { max_rate, fault, started, served: Arc::default() }
    }

    pub(crate) fn with_fault(
        self,
        fault: impl Fn(Duration, usize) -> Option<SimulatedAnswer> + Send + Sync + 'static,
    ) -> Self {
        Self { fault: Arc::new(fault), ..self }
    }

    pub(crate) fn network(&self) -> SimulatedNetwork {
        let explorer = self.clone();
        SimulatedNetwork::new(move |path, earlier| explorer.answer(path, earlier))
    }

    fn answer(&self, path: &str, earlier: usize) -> SimulatedAnswer {
        let mut served = self.served.lock().unwrap();
        let arrived = Instant::now();
        let is_recent = |r: &&ServedRequest| r.status != 429 && r.arrived + SECOND > arrived;
        let answer = match (self.fault)(self.started.elapsed(), earlier) {
            Some(answer) => answer,
            None if served.iter().filter(is_recent).count() < self.max_rate => {
                SimulatedAnswer { latency: latency(path), ..demo_answer(path) }
            }
            None => SimulatedAnswer { latency: latency(path), ..rate_limited() },
        };
        let (status, answered) = (answer.status.unwrap_or(0), arrived + answer.latency);
        served.push(ServedRequest { path: path.to_owned(), arrived, answered, status });
        answer
    }

    /// All requests so far.
    pub(crate) fn requests(&self) -> Vec<ServedRequest> {
        self.served.lock().unwrap().clone()
    }
}

/// No answer, nor any error.
pub(crate) fn black_hole() -> SimulatedAnswer {
    SimulatedAnswer { status: None, ..SimulatedAnswer::ok("") }.after(3_600_000)
}

/// A refusal to answer more than one request a second.
pub(crate) fn rate_limited() -> SimulatedAnswer {
    SimulatedAnswer { retry_after: Some(SECOND), ..SimulatedAnswer::refused(429) }
}

/// Returns the demo chain's answer.
pub(crate) fn demo_answer(path: &str) -> SimulatedAnswer {
    static BODIES: LazyLock<Mutex<HashMap<String, (u16, String)>>> = LazyLock::new(Mutex::default);
    let mut bodies = BODIES.lock().unwrap();
    let (status, body) = bodies.entry(path.to_owned()).or_insert_with(|| DEMO.get(path));
    match status {
        200 => SimulatedAnswer::ok(&**body),
        status => SimulatedAnswer::refused(*status),
    }
}

/// Returns the latency of a path: between 300 ms and 1.5 s, the same in every run.
fn latency(path: &str) -> Duration {
    let sum: u64 = path.bytes().zip(1..).map(|(byte, at)| u64::from(byte) * at).sum();
    Duration::from_millis(300 + sum % 1200)
}

/// Returns the largest number of requests at the server together, whether cancelled or not.
pub(crate) fn max_at_server(requests: &[ServedRequest]) -> usize {
    let at = |time| requests.iter().filter(move |r| r.arrived <= time && time < r.answered).count();
    requests.iter().map(|request| at(request.arrived)).max().unwrap_or(0)
}

/// Returns the path of an answer that was sent twice.
pub(crate) fn answered_twice(requests: &[ServedRequest]) -> Option<&str> {
    let mut answered = HashSet::new();
    let paths = requests.iter().filter(|r| r.status == 200).map(|r| &*r.path);
    paths.into_iter().find(|path| !answered.insert(*path))
}
