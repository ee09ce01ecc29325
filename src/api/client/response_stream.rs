//! A successful response whose body is read in pieces.

use std::mem::take;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::Response;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};
use tokio::select;
use tokio::time::{Instant, timeout};
use url::Url;

use super::api_key::ApiKey;
use crate::api::ApiError;
use crate::api::json::strip_bom;
use crate::http::decoded_body::DecodedBody;
use crate::http::host_client::HostClient;
use crate::http::{TransportConfig, header};
use crate::messages::api_error::Interruption;

/// Time limit for a streamed response with the pauses, in which it waits for the user.
pub(super) const MAX_LIFETIME: Duration = Duration::from_hours(24);
/// Time limit for the next bytes of a streamed response.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum white space before the first character of a JSON body.
const MAX_LEADING_WHITESPACE: usize = 64 << 10;

/// A successful response whose body is read in pieces.
#[derive(Debug)]
pub struct ResponseStream {
    /// The length. `None` if the server does not name it or compresses the body.
    pub expected_bytes: Option<u64>,
    body: DecodedBody,
    http: HostClient,
    /// Number of suspends until the last piece.
    suspends: u64,
    /// The time that pieces were waited for, and may be in all.
    waited: Duration,
    max_wait: Duration,
    /// The bytes read to detect JSON.
    prefix: Option<Bytes>,
    key: Option<ApiKey>,
    /// The end of the last piece, which may be the start of the key.
    withheld: Bytes,
}

impl ResponseStream {
    /// Starts the stream of the response to a request for `url`.
    pub(super) async fn new(
        url: &Url,
        response: Response,
        key: Option<ApiKey>,
        http: HostClient,
        max_wait: Duration,
    ) -> Result<Self, ApiError> {
        let is_plain = !response.headers().contains_key(CONTENT_ENCODING);
        let expected_bytes = response.content_length().filter(|_| is_plain);
        let is_json = has_json_type(&response);
        let mut stream = Self {
            expected_bytes,
            body: DecodedBody::new(response),
            suspends: http.check_suspend(),
            http,
            waited: Duration::ZERO,
            max_wait,
            prefix: None,
            key,
            withheld: Bytes::new(),
        };
        if is_json || stream.looks_like_json().await? {
            return Ok(stream);
        }
        Err(ApiError::from_other_server(url, &stream.body.response))
    }

    async fn looks_like_json(&mut self) -> Result<bool, ApiError> {
        let mut prefix = BytesMut::new();
        while is_blank(&prefix) && prefix.len() < MAX_LEADING_WHITESPACE {
            let Some(chunk) = self.chunk().await? else { break };
            prefix.extend_from_slice(&chunk);
        }
        let is_json = looks_like_json(&prefix);
        self.prefix = Some(prefix.freeze());
        Ok(is_json)
    }

    /// Returns the next decompressed piece, or `None` at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, ApiError> {
        if let Some(prefix) = self.prefix.take() {
            return Ok(Some(prefix));
        }
        let piece = self.receive().await?;
        let Some(key) = &self.key else { return Ok(piece) };
        let withheld = take(&mut self.withheld);
        let Some(piece) = piece else { return Ok((!withheld.is_empty()).then_some(withheld)) };
        let mut redacted = key.redact([withheld, piece].concat().into());
        self.withheld = redacted.split_off(redacted.len() - key.partial_match_len(&redacted));
        Ok(Some(redacted))
    }

    /// Waits for the next piece, but not for ever: a server could send a byte now and then.
    async fn receive(&mut self) -> Result<Option<Bytes>, ApiError> {
        let transport = TransportConfig { response_timeout: MAX_LIFETIME, ..Default::default() };
        let started = Instant::now();
        let limit = self.max_wait.saturating_sub(self.waited).min(IDLE_TIMEOUT);
        let received = select! {
            biased;
            received = timeout(limit, self.body.chunk(&transport)) => received,
            () = self.http.until_late_after_suspend(self.suspends) => {
                return Err(Interruption::Suspended.into());
            }
        };
        self.suspends = self.http.check_suspend();
        self.waited += started.elapsed();
        match received {
            // Also if there is always a byte.
            _ if self.waited >= self.max_wait => {
                Err(Interruption::TooSlow { seconds: self.max_wait.as_secs() }.into())
            }
            Ok(chunk) => chunk.map_err(|e| ApiError::from_transport(e, self.body.response.url())),
            Err(_) => Err(ApiError::TimedOut { seconds: IDLE_TIMEOUT.as_secs() }),
        }
    }
}

pub(super) fn has_json_type(response: &Response) -> bool {
    header(response, CONTENT_TYPE.as_str()).is_some_and(|kind| kind.contains("json"))
}

/// Old servers send errors with a wrong content type, so a body that looks like JSON is taken for
/// it.
pub(super) fn looks_like_json(body: &[u8]) -> bool {
    strip_bom(body).trim_ascii_start().first().is_some_and(|b| b"{[\"".contains(b))
}

/// Returns `true` if the start of a body is still too short to decide.
fn is_blank(body: &[u8]) -> bool {
    strip_bom(body).trim_ascii_start().is_empty() || "\u{feff}".as_bytes().starts_with(body)
}
