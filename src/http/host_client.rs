//! An HTTP client that replaces connections which may be dead.
//!
//! After a sleep of the machine or a change of its network, no error comes on the old connections: a
//! request would wait for its whole time limit. Therefore the first response after a pause must start
//! soon, and a suspend ends the wait at once. In both cases the request is sent again on a new
//! connection, without an error.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use reqwest::{Method, Request, RequestBuilder, Response};
use tokio::time::{sleep, timeout};
use tracing::info;
use url::Url;

use super::suspend::{SuspendWatch, WallClock};
use super::{TransportConfig, TransportError};

/// Default time without a response after which a connection may be dead.
const QUIET_TIME: Duration = Duration::from_secs(1);
/// Default time limit for the start of a response on such a connection. A public explorer needs 5 s for
/// one response in fifty.
const FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(6);
/// Default time limit for the next bytes of a response after a suspend, when its connection is probably
/// dead.
const RESUME_TIMEOUT: Duration = Duration::from_secs(2);
/// Default interval of the search for a suspend, as long as a request waits.
const SUSPEND_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Limits for the detection of dead connections.
#[derive(Debug, Clone)]
pub struct LivenessLimits {
    /// Time without a response after which a connection may be dead.
    pub quiet_time: Duration,
    /// Time limit for the start of a response on such a connection.
    pub first_byte_timeout: Duration,
    /// Time limit for the next bytes of a response after a suspend.
    pub resume_timeout: Duration,
    pub suspend_check_interval: Duration,
    pub wall_clock: WallClock,
}

impl Default for LivenessLimits {
    fn default() -> Self {
        Self {
            quiet_time: QUIET_TIME,
            first_byte_timeout: FIRST_BYTE_TIMEOUT,
            resume_timeout: RESUME_TIMEOUT,
            suspend_check_interval: SUSPEND_CHECK_INTERVAL,
            wall_clock: WallClock::default(),
        }
    }
}

/// A client for one host, and for those to which it redirects. Clones share its connections.
#[derive(Debug, Clone)]
pub struct HostClient {
    base: Arc<Url>,
    transport: Arc<TransportConfig>,
    suspends: Option<Arc<SuspendWatch>>,
    connections: Arc<Mutex<Connections>>,
}

#[derive(Debug)]
struct Connections {
    client: reqwest::Client,
    /// Number of clients before this one.
    replaced: u64,
    /// Number of suspends before this client.
    suspends: u64,
    last_response: Option<LastResponse>,
}

/// The last response to a client.
#[derive(Debug, Clone, Copy)]
struct LastResponse {
    at: Instant,
    /// Time from the request to the start of the response.
    latency: Duration,
}

impl HostClient {
    pub fn new(base: &Url, transport: TransportConfig) -> Result<Self, TransportError> {
        let client = transport.client(base)?;
        let connections = Connections { client, replaced: 0, suspends: 0, last_response: None };
        let watch = |limits: &LivenessLimits| {
            SuspendWatch::new(limits.wall_clock.clone(), limits.suspend_check_interval)
        };
        Ok(Self {
            base: Arc::new(base.clone()),
            suspends: transport.liveness.as_ref().map(watch).map(Arc::new),
            transport: Arc::new(transport),
            connections: Arc::new(Mutex::new(connections)),
        })
    }

    pub fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.connections.lock().client.request(method, url)
    }

    /// Sends a request and waits for the start of its response. After a pause, that start has a short
    /// limit, and the request is sent a second time.
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, TransportError> {
        let error = |error| self.transport.error(&error);
        let request = request.build().map_err(error)?;
        self.check_suspend();
        let (replaced, limit) = {
            let connections = self.connections.lock();
            (connections.replaced, self.first_byte_limit(connections.last_response))
        };
        if let Some((limit, request)) = limit.zip(request.try_clone()) {
            if let Ok(Ok(response)) = timeout(limit, self.send_once(request)).await {
                return Ok(response);
            }
            let mut connections = self.connections.lock();
            // Another request may have done so.
            if connections.replaced == replaced {
                self.replace(&mut connections, false);
            }
        }
        self.send_once(request).await.map_err(error)
    }

    async fn send_once(&self, request: Request) -> reqwest::Result<Response> {
        let (client, replaced) = {
            let connections = self.connections.lock();
            (connections.client.clone(), connections.replaced)
        };
        let started = Instant::now();
        let response = client.execute(request).await?;
        let mut connections = self.connections.lock();
        if connections.replaced == replaced {
            let at = Instant::now();
            connections.last_response =
                Some(LastResponse { at, latency: at.duration_since(started) });
        }
        Ok(response)
    }

    /// Returns the time limit for the start of a response if a connection is probably used again after
    /// a pause. After a longer one it is closed.
    fn first_byte_limit(&self, last: Option<LastResponse>) -> Option<Duration> {
        let (limits, last) = self.transport.liveness.as_ref().zip(last)?;
        let pause = last.at.elapsed();
        let is_used_again = pause >= limits.quiet_time && pause < self.transport.idle_timeout;
        // A slow server is not a dead connection.
        let limit = limits.first_byte_timeout.max(last.latency * 2);
        (is_used_again && limit < self.transport.response_timeout).then_some(limit)
    }

    /// Sends a request, again after each suspend during which it waited for its response.
    pub async fn repeat_after_suspend<F: Future>(&self, send: impl Fn() -> F) -> F::Output {
        match &self.suspends {
            Some(watch) => watch.repeat_after_suspend(send).await,
            None => send().await,
        }
    }

    /// Waits until the next bytes of a response are late after a suspend: there were more suspends than
    /// these before the last bytes.
    pub async fn until_late_after_suspend(&self, suspends: u64) {
        match (&self.suspends, &self.transport.liveness) {
            (Some(watch), Some(limits)) => {
                watch.until_suspended(suspends).await;
                sleep(limits.resume_timeout).await;
            }
            _ => pending().await,
        }
    }

    /// Replaces the connections if the machine was suspended since the last check. Returns the number of
    /// suspends.
    pub fn check_suspend(&self) -> u64 {
        let suspends = self.suspends.as_ref().map_or(0, |watch| watch.count());
        let mut connections = self.connections.lock();
        if suspends > connections.suspends {
            connections.suspends = suspends;
            self.replace(&mut connections, true);
        }
        suspends
    }

    fn replace(&self, connections: &mut Connections, after_suspend: bool) {
        if let Ok(client) = self.transport.client(&self.base) {
            info!(host = self.base.host_str(), after_suspend, "new connections");
            connections.client = client;
            connections.replaced += 1;
            connections.last_response = None;
        }
    }
}
