//! One request and what came of it: what the manners, the inspector, the cache and a recording see.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde::{Deserialize, Serialize};
use url::Url;

use super::{ApiError, Cursor, Query, Reply};
use crate::sanitize::SafeText;

/// The only method there is here.
pub const GET: &str = "GET";
/// Answers above this are taken apart off the asynchronous workers.
const MAX_INLINE_DECODE_BYTES: usize = 256 << 10;

/// A request and its answer, or that there was none.
#[derive(Debug, Clone)]
pub struct Exchange<B = Bytes> {
    /// How it was asked.
    pub method: &'static str,
    /// What was asked. Never holds a key.
    pub url: Url,
    /// The HTTP status; none when no head of an answer came.
    pub status: Option<u16>,
    /// From the question to the end of the answer; of one that comes piece by piece, to its beginning.
    pub elapsed: Duration,
    /// Bytes of the body that were read, decompressed.
    pub bytes: u64,
    /// What the server said of its limits.
    pub rate_limit: Option<RateLimit>,
    /// How long the server wants to be left alone.
    pub retry_after: Option<Duration>,
    /// The body of a good answer, or why there is none.
    pub body: Result<B, ApiError>,
}

impl<B> Exchange<B> {
    /// An answer whose head said this.
    pub(super) fn from_head(url: Url, head: ResponseHead, body: Result<B, ApiError>) -> Self {
        let ResponseHead { status, rate_limit: limits, retry_after } = head;
        let (elapsed, bytes) = (Duration::ZERO, 0);
        Self { method: GET, url, status, elapsed, bytes, rate_limit: limits, retry_after, body }
    }

    /// The same with another kind of body.
    pub fn map<C>(self, change: impl FnOnce(B) -> C) -> Exchange<C> {
        let Self { method, url, status, elapsed, bytes, rate_limit: limits, retry_after, body } =
            self;
        let body = body.map(change);
        Exchange { method, url, status, elapsed, bytes, rate_limit: limits, retry_after, body }
    }

    /// Nothing came back.
    pub fn failed(url: Url, error: ApiError) -> Self {
        Self::from_head(url, ResponseHead::default(), Err(error))
    }
}

/// What stands before the body of an answer, as far as it matters.
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

/// What a server says of its limits, in headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RateLimit {
    /// Requests that are left until the reset.
    pub remaining: Option<i64>,
    /// Requests between two resets.
    pub limit: Option<i64>,
    /// Until the reset.
    #[serde(rename = "reset_ms", with = "optional_millis")]
    pub reset: Option<Duration>,
    /// Credits that are left. May be below nothing.
    pub credits: Option<i64>,
}

/// Serializes a duration as a number of milliseconds.
mod optional_millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        duration: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        duration.map(millis).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        Ok(Option::deserialize(deserializer)?.map(Duration::from_millis))
    }
}

impl RateLimit {
    /// None when the server says nothing, or that no limit applies (-1).
    fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<i64>().ok();
        let counted = |name: &str| number(name).filter(|n| *n >= 0);
        let reset = counted("x-ratelimit-reset").and_then(|n| u64::try_from(n).ok());
        let limits = Self {
            remaining: counted("x-ratelimit-remaining"),
            limit: counted("x-ratelimit-limit"),
            reset: reset.map(Duration::from_millis),
            credits: number("x-credits-remaining").or_else(|| credits(headers)),
        };
        (limits != Self::default()).then_some(limits)
    }
}

/// Credits are a decimal; the fraction is dropped.
fn credits(headers: &HeaderMap) -> Option<i64> {
    let text = headers.get("x-credits-remaining")?.to_str().ok()?.trim();
    let (whole, fraction) = text.split_once('.')?;
    let is_decimal = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    whole.parse().ok().filter(|_| is_decimal)
}

/// `retry-after` in seconds. Its other form, a date, would need the server's clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Reads the body of a good answer; a large one off the asynchronous workers.
pub async fn decode(
    query: &Query,
    body: Bytes,
    cursor: Option<&Cursor>,
) -> Result<Reply, ApiError> {
    if body.len() < MAX_INLINE_DECODE_BYTES {
        return query.decode(&body, cursor);
    }
    let (query, cursor) = (query.clone(), cursor.cloned());
    let decoded = tokio::task::spawn_blocking(move || query.decode(&body, cursor.as_ref()));
    decoded.await.unwrap_or_else(|e| Err(ApiError::Interrupted(SafeText::new(&e.to_string()))))
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn limits_are_milliseconds_and_minus_one_is_none() {
        let said = |limit, remaining, reset| {
            RateLimit::from_headers(&headers(&[
                ("x-ratelimit-limit", limit),
                ("x-ratelimit-remaining", remaining),
                ("x-ratelimit-reset", reset),
            ]))
        };
        let reset = Some(Duration::from_millis(61_500));
        let expected = RateLimit { remaining: Some(0), limit: Some(300), reset, credits: None };
        assert_eq!(said("300", "0", "61500"), Some(expected));
        assert_eq!(said("-1", "-1", "-1"), None);
        assert_eq!(said("many", "99999999999999999999", ""), None);
        assert_eq!(RateLimit::from_headers(&headers(&[])), None);
    }

    #[test]
    fn credits_may_be_a_decimal_and_below_nothing() {
        for (said, credits) in [
            ("99999", Some(99_999)),
            ("-3", Some(-3)),
            ("12.75", Some(12)),
            ("12.", None),
            ("1.2e3", None),
            ("NaN", None),
        ] {
            let limits = RateLimit::from_headers(&headers(&[("x-credits-remaining", said)]));
            assert_eq!(limits.and_then(|limits| limits.credits), credits, "{said}");
        }
    }

    #[test]
    fn waiting_is_said_in_seconds() {
        let said = |value| retry_after(&headers(&[("retry-after", value)]));
        assert_eq!(said("12"), Some(Duration::from_secs(12)));
        assert_eq!(said("Wed, 21 Oct 2015 07:28:00 GMT"), None);
        assert_eq!(said("-1"), None);
    }
}
