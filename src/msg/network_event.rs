//! What is heard of the requests themselves: how they stand, and each that was sent.

use std::time::Duration;

use crate::api::exchange::Limits;
use crate::sanitize::Text;

/// Why a request is sent. What the user waits for goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// The user waits for it.
    Asked,
    /// What is here already is asked for once more.
    Refresh,
    /// The user may want it soon.
    Ahead,
}

impl Why {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Refresh => "refresh",
            Self::Ahead => "ahead",
        }
    }
}

/// Something heard of the requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetNews {
    /// They stand otherwise than before.
    Standing(Standing),
    /// One was sent, and this came of it.
    Sent(Box<Sent>),
}

/// How the requests to an explorer stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standing {
    /// What the server said last of its limits.
    pub limits: Option<Limits>,
    /// Something waits for the end of a limit: so many seconds more.
    pub waiting: Option<u64>,
    /// Something is tried again: which try of how many.
    pub retrying: Option<(u8, u8)>,
}

impl Standing {
    /// What is being waited for, if anything.
    pub fn words(&self) -> Option<String> {
        let limited = self.waiting.map(|seconds| format!("limited: {seconds} s"));
        limited.or_else(|| self.retrying.map(|(n, of)| format!("retrying ({n} of {of})")))
    }
}

/// A request that was sent. Holds no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// How.
    pub method: &'static str,
    /// What was asked, with anything secret taken out.
    pub url: Text,
    /// The HTTP status; none when there was no answer.
    pub status: Option<u16>,
    /// Why there is no good answer.
    pub failure: Option<Text>,
    /// How long it took.
    pub elapsed: Duration,
    /// Bytes read, decompressed; of an answer that comes piece by piece none.
    pub bytes: u64,
    /// Which try it was.
    pub tries: u8,
    /// Whether nothing went over the wire, because the answer was kept.
    pub from_cache: bool,
    /// Why it was sent.
    pub why: Why,
}
