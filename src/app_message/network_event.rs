//! Events of the network: the status of a connection, each finished attempt, and the index of a node's
//! chain.

use std::time::Duration;

use jiff::Timestamp;

use crate::api::exchange::RateLimit;
use crate::chain::network::Network;
use crate::indexer::IndexProgress;
use crate::messages::failed_refresh::ConnectionWait;
use crate::sanitize::SafeText;

/// The priority of a request, the highest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// The user is waiting for it.
    Interactive,
    /// Content that is already shown is fetched again.
    Refresh,
    /// The user may want it soon.
    Prefetch,
    /// The user does not wait for it: counts and charts.
    Idle,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkEvent {
    Status(ConnectionStatus),
    Request(Box<RequestLogEntry>),
    /// The kind of server at a URL is known.
    Decided(Box<Network>),
    /// The chain of a node or its index has changed.
    Index(Box<IndexProgress>),
    /// The program was started in a project with this folder, and the user does not run the chain.
    ProjectFound(SafeText),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConnectionStatus {
    /// The limits that the server reported last.
    pub rate_limit: Option<RateLimit>,
    /// Seconds until the rate limit admits the next request.
    pub limited_secs: Option<u64>,
    /// The request that has been retried the most, if any.
    pub retrying: Option<RetryProgress>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RetryProgress {
    /// Number of the next or current attempt, from 2.
    pub attempt: u8,
    pub max_attempts: u8,
}

impl ConnectionStatus {
    /// Describes the reason why the connection waits, if it does.
    pub fn wait_text(&self) -> Option<String> {
        let limited = self.limited_secs.map(|seconds| ConnectionWait::RateLimited { seconds });
        let wait = limited.or_else(|| {
            let RetryProgress { attempt, max_attempts } = self.retrying?;
            Some(ConnectionWait::Retrying { attempt, max_attempts })
        });
        wait.map(|wait| wait.to_string())
    }
}

/// An entry of the request log. Contains no API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestLogEntry {
    pub method: &'static str,
    /// The URL, with secrets redacted.
    pub url: SafeText,
    /// The HTTP status. `None` if there was no response.
    pub status: Option<u16>,
    pub error: Option<SafeText>,
    /// The time of the entry, by the system's clock.
    pub time: Timestamp,
    pub elapsed: Duration,
    /// The decompressed size of the body. 0 for a streamed one.
    pub bytes: u64,
    /// The number of the attempt, from 1.
    pub attempt: u8,
    pub from_cache: bool,
    pub priority: Priority,
}
