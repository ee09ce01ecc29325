//! Asks one explorer over HTTP. Knows no pane and keeps no state.

use std::mem::take;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::header::{
    ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, SERVER,
};
use reqwest::{Certificate, Response, StatusCode, redirect};
use tokio::time::{Instant, timeout};
use tracing::{info, warn};
use url::Url;

use super::api_key::{ApiKey, is_confidential, is_loopback, redact_url};
use super::exchange::{Exchange, ResponseHead};
use super::json_fields::strip_bom;
use super::{ApiError, Cursor, Query};
use crate::safety::url_policy::is_public;
use crate::sanitize::SafeText;

/// The default connection timeout.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The default timeout of a list page: the service's own database gives up
/// after 20 s.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(40);
/// How long an answer that comes piece by piece may take in all: it may be hundreds of megabytes, and
/// wait for the user in between.
const STREAM_TIMEOUT: Duration = Duration::from_hours(24);
/// How long such an answer may be silent in between.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// White space that may stand before what tells whether a body is JSON.
const MAX_LEADING_WHITESPACE: usize = 64 << 10;
/// The most that is read of an answer, decompressed. Fifty transactions with 100 kB of calldata
/// each are 10 MB; more than this is not a page of a list.
const MAX_BODY_BYTES: u64 = 64 << 20;
/// So many redirects are followed, one after the other.
const MAX_REDIRECTS: usize = 5;

/// How explorers are reached. Proxies are what the environment says (`HTTPS_PROXY` and its like).
#[derive(Debug, Clone)]
pub struct TransportConfig {
    /// Certificates that are trusted besides the system's.
    pub root_certificates: Vec<Certificate>,
    /// How long a connection may take to come up.
    pub connect_timeout: Duration,
    /// How long a whole list page may take.
    pub response_timeout: Duration,
}

impl Default for TransportConfig {
    fn default() -> Self {
        Self {
            root_certificates: Vec::new(),
            connect_timeout: CONNECT_TIMEOUT,
            response_timeout: RESPONSE_TIMEOUT,
        }
    }
}

impl TransportConfig {
    /// Trusts the certificates of a PEM file as well. The error says what is wrong with it.
    pub fn add_root_certificates(&mut self, pem: &[u8]) -> Result<(), SafeText> {
        let read = Certificate::from_pem_bundle(pem).map_err(|e| root_cause(&e))?;
        if read.is_empty() {
            return Err("there is no certificate in it (-----BEGIN CERTIFICATE-----)".into());
        }
        self.root_certificates.extend(read);
        Ok(())
    }
}

/// A client of one explorer. Cloning shares its connections.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    key: Option<ApiKey>,
    transport: TransportConfig,
}

impl Client {
    /// A client of the explorer whose `/api/v2` is below `base`.
    pub fn new(base: &Url) -> Result<Self, ApiError> {
        Self::with_transport(base, TransportConfig::default())
    }

    /// The same, reached in this way.
    pub fn with_transport(base: &Url, reach: TransportConfig) -> Result<Self, ApiError> {
        // Already there when this is not the first client.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let accept = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
        let mut http = reqwest::Client::builder()
            .user_agent(concat!("chainglass/", env!("CARGO_PKG_VERSION")))
            .default_headers(accept)
            // Followed by hand: a library's redirects would take the key along.
            .redirect(redirect::Policy::none())
            .tls_certs_merge(reach.root_certificates.iter().cloned())
            .connect_timeout(reach.connect_timeout)
            .timeout(reach.response_timeout);
        if is_loopback(base) {
            // A proxy cannot reach this machine's own loopback.
            http = http.no_proxy();
        }
        let http = http.build().map_err(|e| ApiError::Unreachable(root_cause(&e)))?;
        let mut base = base.clone();
        if !base.path().ends_with('/') {
            base.set_path(&[base.path(), "/"].concat());
        }
        Ok(Self { http, base, key: None, transport: reach })
    }

    /// The same with a key, which goes to its own host only. Refused if others could read it on the
    /// way there.
    pub fn with_key(self, key: Option<ApiKey>) -> Result<Self, ApiError> {
        match &key {
            Some(key) if key.belongs_to(&self.base) && !is_confidential(&self.base) => {
                Err(ApiError::Blocked("an API key is sent over https only".into()))
            }
            _ => Ok(Self { key, ..self }),
        }
    }

    /// Asks for the whole of an answer. Dropping the future ends the request on the wire.
    pub async fn fetch(&self, query: &Query, cursor: Option<&Cursor>) -> Exchange {
        let asked = Instant::now();
        let mut exchange = match self.url(query, cursor) {
            Err(error) => Exchange::failed(self.base.clone(), error),
            Ok(url) => match self.send(&url, self.transport.response_timeout).await {
                Err(error) => Exchange::failed(url, error),
                Ok(response) => read_response(url, response, &self.transport).await,
            },
        };
        exchange.body = self.redact(exchange.body);
        exchange.elapsed = asked.elapsed();
        log_failure(&exchange);
        exchange
    }

    /// Asks, and waits at most `patience` until the answer begins. Dropping the future, or what it
    /// gives, ends the request on the wire.
    pub async fn open_stream(&self, query: &Query, patience: Duration) -> Exchange<ResponseStream> {
        let asked = Instant::now();
        let mut exchange = match self.url(query, None) {
            Err(error) => Exchange::failed(self.base.clone(), error),
            Ok(url) => match timeout(patience, self.send(&url, STREAM_TIMEOUT)).await {
                Err(_) => Exchange::failed(url, ApiError::TimedOut { seconds: patience.as_secs() }),
                Ok(Err(error)) => Exchange::failed(url, error),
                Ok(Ok(response)) => {
                    start_stream(url, response, self.key.clone(), &self.transport).await
                }
            },
        };
        exchange.body = exchange.body.map_err(|error| self.redact_error(error));
        exchange.elapsed = asked.elapsed();
        log_failure(&exchange);
        exchange
    }

    /// Asks at `url`, then where its redirects lead, for so long in all.
    async fn send(&self, url: &Url, patience: Duration) -> Result<Response, ApiError> {
        let until = Instant::now() + patience;
        let mut at = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let left = until.saturating_duration_since(Instant::now());
            let response = self.send_once(&at, left).await?;
            match redirect_target(&at, &response) {
                None => return Ok(response),
                Some(to) => at = self.check_redirect(&at, to)?,
            }
        }
        Err(ApiError::Blocked("too many redirects".into()))
    }

    async fn send_once(&self, url: &Url, patience: Duration) -> Result<Response, ApiError> {
        let mut request = self.http.get(url.clone()).timeout(patience);
        if let Some((name, value)) = self.key.as_ref().and_then(|key| key.header_for(url)) {
            request = request.header(name, value);
        }
        let asked = Instant::now();
        let answer = request
            .send()
            .await
            .map_err(|e| self.redact_error(from_reqwest_error(&e, &self.transport)));
        if let Ok(response) = &answer {
            let (status, ms) = (response.status().as_u16(), asked.elapsed().as_millis());
            info!(url = %redact_url(url), status, ms, "GET");
        }
        answer
    }

    /// Instances move between domains, so other hosts are followed; but never from TLS to none, never
    /// from the public internet to this machine or its own network, and never with the key in the
    /// address.
    fn check_redirect(&self, from: &Url, to: Url) -> Result<Url, ApiError> {
        let why = if from.scheme() == "https" && to.scheme() != "https" {
            "a redirect from https to http is not followed"
        } else if !matches!(to.scheme(), "http" | "https") {
            "a redirect to what is not on the web is not followed"
        } else if !is_public(&to) && is_public(&self.base) {
            "a redirect from the public internet to a private network is not followed"
        } else if self.key.as_ref().is_some_and(|key| key.occurs_in(to.as_str().as_bytes())) {
            "a redirect with the API key in its address is not followed"
        } else {
            return Ok(to);
        };
        Err(ApiError::Blocked(why.into()))
    }

    /// An answer without the key.
    fn redact(&self, answer: Result<Bytes, ApiError>) -> Result<Bytes, ApiError> {
        let answer = answer.map_err(|error| self.redact_error(error));
        match &self.key {
            Some(key) => answer.map(|body| key.redact(body)),
            None => answer,
        }
    }

    /// A failure without the key, and in words that say what to do.
    fn redact_error(&self, error: ApiError) -> ApiError {
        let error = error.with_explanation(&self.base);
        match &self.key {
            Some(key) => key.redact_error(error),
            None => error,
        }
    }

    /// Where a page of `query` is.
    pub fn url(&self, query: &Query, cursor: Option<&Cursor>) -> Result<Url, ApiError> {
        let mut url = self
            .base
            .join(&query.path())
            .map_err(|e| ApiError::Unreachable(SafeText::new(&e.to_string())))?;
        let first = query.params();
        match cursor {
            None if first.is_empty() => {}
            None => drop(url.query_pairs_mut().extend_pairs(first)),
            Some(cursor) => drop(url.query_pairs_mut().extend_pairs(cursor.next_params(first))),
        }
        Ok(url)
    }
}

/// A good answer whose body comes piece by piece.
#[derive(Debug)]
pub struct ResponseStream {
    /// How long the body is. None when the server does not say, or says how long it is compressed.
    pub expected_bytes: Option<u64>,
    response: Response,
    /// What was read to see what it is.
    prefix: Option<Bytes>,
    key: Option<ApiKey>,
    /// What may be the beginning of the key.
    withheld: Bytes,
}

impl ResponseStream {
    /// A stream of a good answer.
    async fn new(response: Response, key: Option<ApiKey>) -> Result<Self, ApiError> {
        let plain = !response.headers().contains_key(CONTENT_ENCODING);
        let expected = response.content_length().filter(|_| plain);
        let is_json = has_json_type(&response);
        let mut streamed =
            Self { expected_bytes: expected, response, prefix: None, key, withheld: Bytes::new() };
        if is_json || streamed.looks_like_json().await? {
            return Ok(streamed);
        }
        let what = describe_content(&streamed.response);
        Err(ApiError::NotJson { status: StatusCode::OK.as_u16(), what })
    }

    async fn looks_like_json(&mut self) -> Result<bool, ApiError> {
        let mut first = BytesMut::new();
        while is_blank(&first) && first.len() < MAX_LEADING_WHITESPACE {
            let Some(chunk) = self.chunk().await? else { break };
            first.extend_from_slice(&chunk);
        }
        let looks = looks_like_json(&first);
        self.prefix = Some(first.freeze());
        Ok(looks)
    }

    /// The next piece, decompressed; none at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, ApiError> {
        if let Some(first) = self.prefix.take() {
            return Ok(Some(first));
        }
        let piece = self.receive().await?;
        let Some(key) = &self.key else { return Ok(piece) };
        let held = take(&mut self.withheld);
        let Some(piece) = piece else { return Ok((!held.is_empty()).then_some(held)) };
        let whole = key.redact([held, piece].concat().into());
        let end = whole.len() - key.partial_match_len(&whole);
        self.withheld = whole.slice(end..);
        Ok(Some(whole.slice(..end)))
    }

    /// What comes next.
    async fn receive(&mut self) -> Result<Option<Bytes>, ApiError> {
        match timeout(IDLE_TIMEOUT, self.response.chunk()).await {
            Ok(chunk) => chunk.map_err(|e| {
                from_reqwest_error(
                    &e,
                    &TransportConfig {
                        response_timeout: STREAM_TIMEOUT,
                        ..TransportConfig::default()
                    },
                )
            }),
            Err(_) => Err(ApiError::TimedOut { seconds: IDLE_TIMEOUT.as_secs() }),
        }
    }
}

/// Puts down a failure.
fn log_failure<B>(exchange: &Exchange<B>) {
    if let Err(error) = &exchange.body {
        warn!(url = %redact_url(&exchange.url), %error, ms = exchange.elapsed.as_millis(), "failed");
    }
}

/// Where an answer sends us, if it does.
fn redirect_target(from: &Url, response: &Response) -> Option<Url> {
    let moved = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let to = header(response, LOCATION.as_str()).filter(|_| moved)?;
    from.join(to).ok()
}

/// Takes an answer in to its end.
async fn read_response(url: Url, response: Response, reach: &TransportConfig) -> Exchange {
    let head = ResponseHead::from_response(&response);
    let (bytes, body) = accept_body(response, reach).await;
    Exchange { bytes, ..Exchange::from_head(url, head, body) }
}

/// Takes the beginning of an answer in; all of it, if it is a refusal.
async fn start_stream(
    url: Url,
    response: Response,
    key: Option<ApiKey>,
    reach: &TransportConfig,
) -> Exchange<ResponseStream> {
    let head = ResponseHead::from_response(&response);
    if response.status() == StatusCode::OK {
        return Exchange::from_head(url, head, ResponseStream::new(response, key).await);
    }
    let late = ApiError::TimedOut { seconds: reach.response_timeout.as_secs() };
    let (bytes, refusal) = timeout(reach.response_timeout, accept_body(response, reach))
        .await
        .unwrap_or((0, Err(late.clone())));
    // `accept_body` takes no other status for a good answer.
    Exchange { bytes, ..Exchange::from_head(url, head, Err(refusal.err().unwrap_or(late))) }
}

/// The body of a good answer, or what a bad one says; and how many bytes were read for it.
async fn accept_body(
    response: Response,
    reach: &TransportConfig,
) -> (u64, Result<Bytes, ApiError>) {
    let status = response.status();
    let json = has_json_type(&response);
    let what = describe_content(&response);
    let (bytes, read) = read_body(response, reach).await;
    let accepted = read.and_then(|body| {
        let looks = looks_like_json(&body);
        match status {
            StatusCode::OK if json || looks => Ok(body),
            _ if status.is_success() || !(json || looks) => {
                Err(ApiError::NotJson { status: status.as_u16(), what })
            }
            _ => Err(ApiError::from_error_body(status.as_u16(), &body)),
        }
    });
    (bytes, accepted)
}

fn has_json_type(response: &Response) -> bool {
    header(response, CONTENT_TYPE.as_str()).is_some_and(|kind| kind.contains("json"))
}

/// Old servers label errors loosely, so a body that looks like JSON is taken for it.
fn looks_like_json(body: &[u8]) -> bool {
    strip_bom(body).trim_ascii_start().first().is_some_and(|b| b"{[\"".contains(b))
}

/// Whether it cannot be seen yet what a body is.
fn is_blank(body: &[u8]) -> bool {
    strip_bom(body).trim_ascii_start().is_empty() || "\u{feff}".as_bytes().starts_with(body)
}

/// Reads a body to its end, or to the limit: a small gzip can become an endless one. Says how much
/// it has read in either case.
async fn read_body(
    mut response: Response,
    reach: &TransportConfig,
) -> (u64, Result<Bytes, ApiError>) {
    let mut body = BytesMut::new();
    loop {
        let chunk = response.chunk().await;
        let length = body.len() as u64;
        match chunk {
            Err(error) => return (length, Err(from_reqwest_error(&error, reach))),
            Ok(None) => return (length, Ok(body.freeze())),
            Ok(Some(chunk)) if length + chunk.len() as u64 > MAX_BODY_BYTES => {
                return (length, Err(ApiError::TooLarge { limit: MAX_BODY_BYTES >> 20 }));
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
        }
    }
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name).and_then(|value| value.to_str().ok())
}

fn describe_content(response: &Response) -> SafeText {
    let kind = header(response, CONTENT_TYPE.as_str()).unwrap_or("no type");
    let kind = kind.split(';').next().unwrap_or(kind);
    match header(response, SERVER.as_str()) {
        Some(server) => SafeText::new(&format!("{kind}, server {server}")),
        None => SafeText::new(kind),
    }
}

fn from_reqwest_error(error: &reqwest::Error, reach: &TransportConfig) -> ApiError {
    if error.is_timeout() && error.is_connect() {
        let seconds = reach.connect_timeout.as_secs();
        ApiError::Unreachable(SafeText::new(&format!("no connection within {seconds} s")))
    } else if error.is_timeout() {
        ApiError::TimedOut { seconds: reach.response_timeout.as_secs() }
    } else if error.is_body() || error.is_decode() {
        ApiError::Interrupted(root_cause(error))
    } else {
        ApiError::Unreachable(root_cause(error))
    }
}

/// The innermost cause, which is the one that helps; without the URL, which may be long.
fn root_cause(error: &reqwest::Error) -> SafeText {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    SafeText::new(&innermost.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Direction;

    #[test]
    fn paths_are_joined_not_replaced() {
        let address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266".parse().unwrap();
        let query = Query::Transactions { address, direction: Some(Direction::To) };
        for base in ["https://cronos.org/explorer", "https://cronos.org/explorer/"] {
            let client = Client::new(&base.parse().unwrap()).unwrap();
            assert_eq!(
                client.url(&query, None).unwrap().as_str(),
                format!(
                    "https://cronos.org/explorer/api/v2/addresses/{address}/transactions?filter=to"
                )
            );
        }
    }
}
