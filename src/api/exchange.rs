//! A request and its response.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use reqwest::header::HeaderMap;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::api::ApiError;
use crate::http::retry_after;

pub const GET: &str = "GET";
pub const POST: &str = "POST";

/// Text of a request: a path, a parameter or a body.
#[expect(clippy::disallowed_types, reason = "not shown, but sent to the server")]
pub type RequestText = String;

pub(super) type Params = Vec<(&'static str, RequestText)>;

#[derive(Debug, Clone)]
pub struct Exchange<B = Bytes> {
    pub method: &'static str,
    /// The URL, without an API key.
    pub url: Url,
    pub status: Option<u16>,
    /// The time until the end of the response; for a streamed one, until its start.
    pub elapsed: Duration,
    /// Bytes read of the body, decompressed.
    pub bytes: u64,
    pub rate_limit: Option<RateLimit>,
    /// Delay that the server requests.
    pub retry_after: Option<Duration>,
    pub body: Result<B, ApiError>,
}

impl<B> Exchange<B> {
    pub(super) fn from_head(url: Url, head: ResponseHead, body: Result<B, ApiError>) -> Self {
        let ResponseHead { status, rate_limit, retry_after } = head;
        let elapsed = Duration::ZERO;
        Self { method: GET, url, status, elapsed, bytes: 0, rate_limit, retry_after, body }
    }

    pub fn map<C>(self, f: impl FnOnce(B) -> C) -> Exchange<C> {
        let Self { method, url, status, elapsed, bytes, rate_limit, retry_after, body } = self;
        let body = body.map(f);
        Exchange { method, url, status, elapsed, bytes, rate_limit, retry_after, body }
    }

    pub fn failed(url: Url, error: ApiError) -> Self {
        Self::from_head(url, ResponseHead::default(), Err(error))
    }
}

/// The part of the status line and the headers that is used.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ResponseHead {
    status: Option<u16>,
    rate_limit: Option<RateLimit>,
    retry_after: Option<Duration>,
}

impl ResponseHead {
    pub(super) fn from_response(response: &Response) -> Self {
        let headers = response.headers();
        Self {
            status: Some(response.status().as_u16()),
            rate_limit: RateLimit::from_headers(headers),
            retry_after: retry_after(headers),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RateLimit {
    /// Requests left until the reset.
    pub remaining: Option<i64>,
    /// Requests allowed between two resets.
    pub limit: Option<i64>,
    pub reset_ms: Option<u64>,
    /// Credits left; can be negative.
    pub credits: Option<i64>,
}

impl RateLimit {
    /// Returns `None` if there are no such headers, or no limit applies (-1).
    fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<i64>().ok();
        let counted = |name: &str| number(name).filter(|n| *n >= 0);
        let limits = Self {
            remaining: counted("x-ratelimit-remaining"),
            limit: counted("x-ratelimit-limit"),
            reset_ms: counted("x-ratelimit-reset").and_then(|n| u64::try_from(n).ok()),
            credits: number("x-credits-remaining").or_else(|| credits(headers)),
        };
        (limits != Self::default()).then_some(limits)
    }
}

/// Parses credits, which are a decimal, and drops the fraction.
fn credits(headers: &HeaderMap) -> Option<i64> {
    let text = headers.get("x-credits-remaining")?.to_str().ok()?.trim();
    let (whole, fraction) = text.split_once('.')?;
    let is_decimal = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    whole.parse().ok().filter(|_| is_decimal)
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn rate_limit_is_in_milliseconds_and_minus_one_means_none() {
        let parsed = |limit, remaining, reset| {
            RateLimit::from_headers(&headers(&[
                ("x-ratelimit-limit", limit),
                ("x-ratelimit-remaining", remaining),
                ("x-ratelimit-reset", reset),
            ]))
        };
        let reset_ms = Some(61_500);
        let expected = RateLimit { remaining: Some(0), limit: Some(300), reset_ms, credits: None };
        assert_eq!(parsed("300", "0", "61500"), Some(expected));
        assert_eq!(parsed("-1", "-1", "-1"), None);
        assert_eq!(parsed("many", "99999999999999999999", ""), None);
        assert_eq!(RateLimit::from_headers(&headers(&[])), None);
    }

    #[test]
    fn credits_can_be_decimal_and_negative() {
        for (value, credits) in [
            ("99999", Some(99_999)),
            ("-3", Some(-3)),
            ("12.75", Some(12)),
            ("12.", None),
            ("1.2e3", None),
            ("NaN", None),
        ] {
            let limits = RateLimit::from_headers(&headers(&[("x-credits-remaining", value)]));
            assert_eq!(limits.and_then(|limits| limits.credits), credits, "{value}");
        }
    }
}
