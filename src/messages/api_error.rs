//! Errors of explorers, with a hint for the user.

use serde::{Deserialize, Serialize};

use super::Count;
use super::connect_error::ConnectError;
use super::list::Covered;
use super::node::NodeErrorCode;
use super::page;
use crate::chain::Timestamp;
use crate::chain::coverage::BlockCoverage;
use crate::chain::network::PRO_HOST;
use crate::sanitize::SafeText;

/// Blockscout's message for a path that its version, or this chain, does not have.
const UNKNOWN_ACTION: &str = "Unknown API v2 action";

super::sentences! {
    KEY_OF_HOST = "wrong or no key: add the host to [keys] in config.toml";
    KEY_OVER_HTTP = "an API key is only sent over https";
    TOO_MANY_REDIRECTS = "too many redirects";
    REDIRECT_TO_HTTP = "a redirect from https to http was not followed";
    REDIRECT_TO_OTHER_SCHEME = "a redirect to a URL that is not http(s) was not followed";
    REDIRECT_TO_PRIVATE_NETWORK = "a redirect to a private network was not followed";
    REDIRECT_WITH_KEY = "a redirect with the API key in its URL was not followed";
    REDIRECT_WITH_SECRET = "a redirect with a possible key in its URL was not followed";
    NO_REASON = "no reason given";
    NO_CONTENT_TYPE = "no content type";
    SENT_AGAIN = "no answer yet, sent again";
    OTHER_OBJECT = "it is about another object than the requested one";
    NO_DIAGNOSIS = "the explorer does not know it yet";
}

/// A request without a usable response. The message says what happened, [`ApiError::hint`] what can
/// be done. Recordings contain the serialized form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ApiError {
    #[error("cannot reach {host}: {why}")]
    Unreachable {
        #[serde(default = "unknown_host")]
        host: SafeText,
        why: ConnectError,
    },
    /// The request or a redirect was blocked by this program.
    #[error("request blocked: {why}")]
    #[serde(rename = "astray")]
    Blocked { why: SafeText },
    #[error("no response within {seconds} s")]
    TimedOut { seconds: u64 },
    #[error("the response was cut off: {why}")]
    Interrupted { why: SafeText },
    #[error("the explorer answered {status}: {message}")]
    Refused {
        status: u16,
        message: SafeText,
        /// The parameter that the server rejected, if it names one.
        parameter: Option<SafeText>,
        /// `true` if the explorer says that it does not have the requested object.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_absence: bool,
        /// Sent by the embedded server only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<NodeErrorCode>,
    },
    /// The PRO API does not serve the chain.
    #[error("not served by the PRO API: use the explorer, --chain {explorer}")]
    ChainNotServed {
        /// The URL of the chain's own explorer.
        explorer: SafeText,
    },
    #[error("out of credits of the API key")]
    OutOfCredits,
    /// A response that is not JSON: from a gateway, a captcha, a sign-in page.
    #[error("{}", not_json(*status, what))]
    NotJson {
        status: u16,
        /// The content type and the server's software.
        what: SafeText,
    },
    /// The CDN in front of the explorer gets no response from it.
    #[error("{host}: the CDN cannot reach the server (HTTP {status})")]
    CdnFailed { host: SafeText, status: u16 },
    /// The CDN in front of the explorer lets only browsers through.
    #[error("{host}: the CDN asks for a browser (HTTP {status})")]
    BrowserCheck { host: SafeText, status: u16 },
    /// A redirect to a page for people: the network, or a gateway, requires a sign-in.
    #[error("{host}: redirected to the sign-in page of {page_host}")]
    SignInPage { host: SafeText, page_host: SafeText },
    #[error("the response is larger than {limit} MB")]
    TooLarge {
        /// The limit in megabytes, decompressed.
        limit: u64,
    },
    #[error("invalid response: {why}")]
    InvalidResponse { why: SafeText },
    #[error("the pages begin again after {}", Count(*rows, "row"))]
    FirstPageAgain { rows: usize },
    #[error("the pages repeat after {}", Count(*rows, "row"))]
    CursorLoop { rows: usize },
    #[error("{pages} pages in a row had no new rows, and there are more")]
    EmptyPages { pages: u8 },
    #[error("cannot start the demo chain: {why}")]
    DemoFailed { why: SafeText },
    #[error("cannot connect: {why}")]
    CannotConnect { why: SafeText },
    #[error("not in the recording: GET {why}")]
    NotRecorded { why: SafeText },
    /// A URL that was asked as an explorer's and as a node's, without a proof of either.
    #[error("neither a node nor an explorer at {address}: {why}")]
    Unidentified { address: SafeText, why: SafeText },
    /// An error of a node, or of the index of its chain.
    #[error("{why}")]
    Node { code: NodeErrorCode, why: SafeText },
}

fn unknown_host() -> SafeText {
    "the explorer".into()
}

fn not_json(status: u16, content: &str) -> String {
    if let 502 | 504 = status {
        format!("the proxy gets no answer from the explorer (HTTP {status})")
    } else if status == 503 {
        format!("not available at the moment (HTTP {status})")
    } else if content.starts_with("text/html") {
        format!("a web page, not a Blockscout API (HTTP {status})")
    } else {
        format!("not a Blockscout API: HTTP {status}, {content}")
    }
}

impl ApiError {
    /// Describes the error with the host, if that is known and the error is the connection's or the
    /// server's.
    pub fn with_host(&self, host: Option<&str>) -> String {
        match (self, host) {
            (Self::Refused { status, message, .. }, Some(host)) => {
                format!("{host} answered {status}: {message}")
            }
            (_, Some(host)) if self.lacks_host() => format!("{host}: {self}"),
            _ => self.to_string(),
        }
    }

    /// Returns the reason alone, next to the URL and the status of the request.
    pub fn reason(&self) -> SafeText {
        match self {
            Self::Refused { message, .. } => message.clone(),
            Self::Unreachable { why, .. } => SafeText::new(&why.to_string()),
            _ => SafeText::new(&self.to_string()),
        }
    }

    /// Returns `true` for a failure of the server or the connection whose own text names no host.
    fn lacks_host(&self) -> bool {
        matches!(
            self,
            Self::TimedOut { .. }
                | Self::Interrupted { .. }
                | Self::NotJson { .. }
                | Self::TooLarge { .. }
                | Self::InvalidResponse { .. }
                | Self::FirstPageAgain { .. }
                | Self::CursorLoop { .. }
        )
    }

    /// Returns `true` if [`ApiError::with_host`] names this host.
    pub fn names_host(&self, asked: &str) -> bool {
        match self {
            Self::Unreachable { host, .. }
            | Self::CdnFailed { host, .. }
            | Self::BrowserCheck { host, .. }
            | Self::SignInPage { host, .. } => host == asked,
            Self::Refused { .. }
            | Self::Node {
                code: NodeErrorCode::Unavailable | NodeErrorCode::NoLocalNode, ..
            } => true,
            _ => self.lacks_host(),
        }
    }

    /// Describes the error with its host and what the user can do about it.
    pub fn with_hint(&self, host: Option<&str>) -> String {
        if let Self::Node { code, why } = self {
            return code.with_remedy(why);
        }
        let what = self.with_host(host);
        let is_key_of_host = matches!(self, Self::Refused { status: 401 | 402, .. })
            && host.is_some_and(|host| host != PRO_HOST);
        match if is_key_of_host { KEY_OF_HOST } else { self.hint() } {
            "" => what,
            hint => format!("{what} ({hint})"),
        }
    }

    /// Returns a remedy for the error, or nothing.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Refused { status: 400, message, .. } if message == UNKNOWN_ACTION => {
                "this explorer lacks it"
            }
            Self::Refused { status: 400, .. } => "is this a Blockscout URL?",
            Self::OutOfCredits => "--chain URL bypasses the PRO API",
            Self::Refused { status: 401 | 402, .. } => {
                "wrong or no key: set CHAINGLASS_API_KEY or [keys]"
            }
            Self::Refused { is_absence: true, .. } => "not found on this chain",
            Self::Refused { status: 429 | 503, .. } => "wait a moment",
            Self::NotJson { status: 511, .. } => "sign in to the network",
            Self::TooLarge { .. } => "a narrower filter may help",
            Self::CursorLoop { .. } => "no more rows can be loaded",
            Self::Unidentified { .. } => "check the URL and the key in it",
            _ => "",
        }
    }

    /// Returns `true` for a failure in JSON that explorers send and servers of other kinds seldom do: one of their
    /// queries failed, or their version lacks it.
    pub fn is_of_explorer(&self) -> bool {
        match self {
            Self::Refused { status: 400, message, .. } => message == UNKNOWN_ACTION,
            Self::Refused { status, .. } => *status == 500,
            _ => false,
        }
    }

    /// Returns `true` if the explorer says that it does not have the requested object. A server before it may lack the
    /// path, and answer 404 too.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::Refused { is_absence: true, .. })
    }

    /// Describes the failure of a page's request on a chain, whose explorer is at a host. The subject is
    /// the only object of the page, if it has one.
    pub fn on_page(&self, subject: Option<&str>, chain: &str, host: Option<&str>) -> String {
        match (self, subject) {
            (_, Some(subject)) if self.is_absence() => format!("no such {subject} on {chain}"),
            (_, None) if self.is_absence() => format!("not found on {chain}"),
            _ => self.with_hint(host),
        }
    }

    /// Returns the keys that help below the report of a failed page, with placeholders.
    pub fn report_keys(&self, is_retried: bool) -> &'static str {
        match self {
            _ if self.is_absence() => page::NOT_FOUND_KEYS,
            Self::Node { code: NodeErrorCode::Dropped, .. } => page::DROPPED_KEYS,
            _ if is_retried => page::RETRYING_KEYS,
            _ if self.way_out().is_empty() => page::OUTAGE_KEYS,
            _ => page::FAILURE_KEYS,
        }
    }

    /// Returns the way out of a failed page, with placeholders of keys. Nothing is offered that cannot
    /// help: the same request would fail again.
    pub fn way_out(&self) -> &'static str {
        match self {
            Self::Refused { is_absence: true, .. } => " · {chains} tries another chain",
            Self::Unreachable { .. } => " · {refresh} retries · {requests} details",
            Self::EmptyPages { .. } => " · {refresh} loads more",
            Self::Refused { status: 400..=402 | 404 | 406 | 422 | 501, .. }
            | Self::ChainNotServed { .. }
            | Self::OutOfCredits
            | Self::Blocked { .. }
            | Self::TooLarge { .. }
            | Self::FirstPageAgain { .. }
            | Self::CursorLoop { .. }
            | Self::NotRecorded { .. }
            | Self::Node { code: NodeErrorCode::Unsupported, .. } => "",
            Self::Node { code, .. } if code.may_come_with_blocks() => "",
            _ => " · {refresh} retries",
        }
    }
}

/// Returns the meaning of a status whose response gives no reason.
pub fn status_reason(status: u16) -> &'static str {
    match status {
        400 => "bad request",
        401 => "no API key",
        402 => "payment required",
        403 => "forbidden",
        404 => "not found",
        406 => "not acceptable",
        422 => "invalid parameter",
        429 => "too many requests",
        500 => "internal server error",
        501 => "not implemented",
        502 => "bad gateway",
        503 => "service unavailable",
        504 => "gateway timeout",
        _ => NO_REASON,
    }
}

/// Reason of an interruption that is not the connection's.
#[derive(Debug, Clone, Copy, strum::Display)]
pub enum Interruption {
    #[strum(to_string = "the rest was not recorded")]
    NotRecorded,
    #[strum(to_string = "internal error")]
    Panic,
    #[strum(to_string = "the computer slept")]
    Suspended,
    #[strum(to_string = "not complete within {seconds} s")]
    TooSlow { seconds: u64 },
}

impl From<Interruption> for ApiError {
    fn from(why: Interruption) -> Self {
        Self::Interrupted { why: why.to_string().into() }
    }
}

/// A name without a page to open.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameSearchError {
    #[error("too short: explorers search for three characters or more")]
    TooShort,
    #[error("this explorer cannot resolve names: enter an address or hash")]
    Unsupported,
    /// The blocks are those that were searched, if not all.
    #[error("name not found{}", Covered(blocks.as_ref()))]
    NotFound { blocks: Option<BlockCoverage> },
    #[error("cannot open {kind} {parameter}")]
    UnknownKind { kind: SafeText, parameter: SafeText },
    #[error("{0}")]
    Explorer(String),
}

/// A time without a block to open.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockTimeError {
    #[error("in the future: there is no block yet")]
    Future,
    #[error("{0:.0} is before the first block of the chain")]
    BeforeFirst(Timestamp),
    #[error("before every calendar")]
    BeforeCalendar,
    #[error("this explorer cannot find a block by its time")]
    Unsupported,
    #[error("the chain has no blocks yet")]
    NoBlocks,
    #[error("cannot read the latest blocks")]
    Unreadable,
    #[error("no block found: {why}")]
    Refused { why: SafeText },
    #[error("{0}")]
    Explorer(String),
}

impl From<NameSearchError> for SafeText {
    fn from(error: NameSearchError) -> Self {
        Self::new(&error.to_string())
    }
}
