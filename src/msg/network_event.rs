//! What is heard of the requests themselves: how they stand, and each that was sent.

use std::time::Duration;

use crate::api::exchange::RateLimit;
use crate::sanitize::SafeText;

/// Why a request is sent. What the user waits for goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Priority {
    /// The user waits for it.
    Interactive,
    /// What is here already is asked for once more.
    Refresh,
    /// The user may want it soon.
    Prefetch,
}

impl Priority {
    /// In a word.
    pub fn label(self) -> &'static str {
        match self {
            Self::Interactive => "asked",
            Self::Refresh => "refresh",
            Self::Prefetch => "ahead",
        }
    }
}

/// Something heard of the requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkEvent {
    /// They stand otherwise than before.
    Status(ConnectionStatus),
    /// One was sent, and this came of it.
    Request(Box<RequestLogEntry>),
}

/// How the requests to an explorer stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConnectionStatus {
    /// What the server said last of its limits.
    pub rate_limit: Option<RateLimit>,
    /// Something waits for the end of a limit: so many seconds more.
    pub limited_secs: Option<u64>,
    /// The request that has been retried the most, if any.
    pub retrying: Option<RetryProgress>,
}

/// How far the attempts at a request are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RetryProgress {
    /// The attempt that comes next or is under way, from 2.
    pub attempt: u8,
    /// The maximum number of attempts.
    pub max_attempts: u8,
}

impl ConnectionStatus {
    /// What is being waited for, if anything.
    pub fn wait_text(&self) -> Option<String> {
        let limited = self.limited_secs.map(|seconds| format!("limited: {seconds} s"));
        let retrying = |RetryProgress { attempt, max_attempts }| {
            format!("retrying ({attempt} of {max_attempts})")
        };
        limited.or_else(|| self.retrying.map(retrying))
    }
}

/// A request that was sent. Holds no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestLogEntry {
    /// How.
    pub method: &'static str,
    /// What was asked, with anything secret taken out.
    pub url: SafeText,
    /// The HTTP status; none when there was no answer.
    pub status: Option<u16>,
    /// Why there is no good answer.
    pub error: Option<SafeText>,
    /// How long it took.
    pub elapsed: Duration,
    /// Bytes read, decompressed; of an answer that comes piece by piece none.
    pub bytes: u64,
    /// Which try it was.
    pub attempt: u8,
    /// Whether nothing went over the wire, because the answer was kept.
    pub from_cache: bool,
    /// Why it was sent.
    pub priority: Priority,
}
