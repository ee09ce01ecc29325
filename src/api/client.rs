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

use super::api_key::{Key, is_loopback, is_private, redacted};
use super::exchange::{Exchange, Head};
use super::json_fields::unmarked;
use super::{ApiError, Cursor, Query};
use crate::safety::url_policy::is_public;
use crate::sanitize::Text;

/// How long a connection may take to come up, if nobody says otherwise.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a whole list page may take, if nobody says otherwise: the service's own database gives up
/// after 20 s.
const ANSWER: Duration = Duration::from_secs(40);
/// How long an answer that comes piece by piece may take in all: it may be hundreds of megabytes, and
/// wait for the user in between.
const WHOLE: Duration = Duration::from_hours(24);
/// How long such an answer may be silent in between.
const SILENCE: Duration = Duration::from_secs(30);
/// White space that may stand before what tells whether a body is JSON.
const BLANK: usize = 64 << 10;
/// The most that is read of an answer, decompressed. Fifty transactions with 100 kB of calldata
/// each are 10 MB; more than this is not a page of a list.
const LIMIT: u64 = 64 << 20;
/// So many redirects are followed, one after the other.
const REDIRECTS: usize = 5;

/// How explorers are reached. Proxies are what the environment says (`HTTPS_PROXY` and its like).
#[derive(Debug, Clone)]
pub struct Reach {
    /// Certificates that are trusted besides the system's.
    pub trusted: Vec<Certificate>,
    /// How long a connection may take to come up.
    pub connect: Duration,
    /// How long a whole list page may take.
    pub answer: Duration,
}

impl Default for Reach {
    fn default() -> Self {
        Self { trusted: Vec::new(), connect: CONNECT, answer: ANSWER }
    }
}

impl Reach {
    /// Trusts the certificates of a PEM file as well. The error says what is wrong with it.
    pub fn trust(&mut self, pem: &[u8]) -> Result<(), Text> {
        let read = Certificate::from_pem_bundle(pem).map_err(|e| cause(&e))?;
        if read.is_empty() {
            return Err("there is no certificate in it (-----BEGIN CERTIFICATE-----)".into());
        }
        self.trusted.extend(read);
        Ok(())
    }
}

/// A client of one explorer. Cloning shares its connections.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    key: Option<Key>,
    reach: Reach,
}

impl Client {
    /// A client of the explorer whose `/api/v2` is below `base`.
    pub fn new(base: &Url) -> Result<Self, ApiError> {
        Self::reaching(base, Reach::default())
    }

    /// The same, reached in this way.
    pub fn reaching(base: &Url, reach: Reach) -> Result<Self, ApiError> {
        // Already there when this is not the first client.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let accept = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
        let mut http = reqwest::Client::builder()
            .user_agent(concat!("chainglass/", env!("CARGO_PKG_VERSION")))
            .default_headers(accept)
            // Followed by hand: a library's redirects would take the key along.
            .redirect(redirect::Policy::none())
            .tls_certs_merge(reach.trusted.iter().cloned())
            .connect_timeout(reach.connect)
            .timeout(reach.answer);
        if is_loopback(base) {
            // A proxy cannot reach this machine's own loopback.
            http = http.no_proxy();
        }
        let http = http.build().map_err(|e| ApiError::Unreachable(cause(&e)))?;
        let mut base = base.clone();
        if !base.path().ends_with('/') {
            base.set_path(&[base.path(), "/"].concat());
        }
        Ok(Self { http, base, key: None, reach })
    }

    /// The same with a key, which goes to its own host only. Refused if others could read it on the
    /// way there.
    pub fn keyed(self, key: Option<Key>) -> Result<Self, ApiError> {
        match &key {
            Some(key) if key.is_for(&self.base) && !is_private(&self.base) => {
                Err(ApiError::Astray("an API key is sent over https only".into()))
            }
            _ => Ok(Self { key, ..self }),
        }
    }

    /// Asks for the whole of an answer. Dropping the future ends the request on the wire.
    pub async fn ask(&self, query: &Query, cursor: Option<&Cursor>) -> Exchange {
        let asked = Instant::now();
        let mut exchange = match self.url(query, cursor) {
            Err(error) => Exchange::failed(self.base.clone(), error),
            Ok(url) => match self.send(&url, self.reach.answer).await {
                Err(error) => Exchange::failed(url, error),
                Ok(response) => whole(url, response, &self.reach).await,
            },
        };
        exchange.body = self.struck_out(exchange.body);
        exchange.elapsed = asked.elapsed();
        note(&exchange);
        exchange
    }

    /// Asks, and waits at most `patience` until the answer begins. Dropping the future, or what it
    /// gives, ends the request on the wire.
    pub async fn open(&self, query: &Query, patience: Duration) -> Exchange<Streamed> {
        let asked = Instant::now();
        let mut exchange = match self.url(query, None) {
            Err(error) => Exchange::failed(self.base.clone(), error),
            Ok(url) => match timeout(patience, self.send(&url, WHOLE)).await {
                Err(_) => Exchange::failed(url, ApiError::TimedOut { seconds: patience.as_secs() }),
                Ok(Err(error)) => Exchange::failed(url, error),
                Ok(Ok(response)) => begun(url, response, self.key.clone(), &self.reach).await,
            },
        };
        exchange.body = exchange.body.map_err(|error| self.struck_out_of(error));
        exchange.elapsed = asked.elapsed();
        note(&exchange);
        exchange
    }

    /// Asks at `url`, then where its redirects lead, for so long in all.
    async fn send(&self, url: &Url, patience: Duration) -> Result<Response, ApiError> {
        let until = Instant::now() + patience;
        let mut at = url.clone();
        for _ in 0..=REDIRECTS {
            let left = until.saturating_duration_since(Instant::now());
            let response = self.send_once(&at, left).await?;
            match redirected(&at, &response) {
                None => return Ok(response),
                Some(to) => at = self.allowed(&at, to)?,
            }
        }
        Err(ApiError::Astray("too many redirects".into()))
    }

    async fn send_once(&self, url: &Url, patience: Duration) -> Result<Response, ApiError> {
        let mut request = self.http.get(url.clone()).timeout(patience);
        if let Some((name, value)) = self.key.as_ref().and_then(|key| key.header(url)) {
            request = request.header(name, value);
        }
        let asked = Instant::now();
        let answer = request.send().await.map_err(|e| self.struck_out_of(failure(&e, &self.reach)));
        if let Ok(response) = &answer {
            let (status, ms) = (response.status().as_u16(), asked.elapsed().as_millis());
            info!(url = %redacted(url), status, ms, "GET");
        }
        answer
    }

    /// Instances move between domains, so other hosts are followed; but never from TLS to none, never
    /// from the public internet to this machine or its own network, and never with the key in the
    /// address.
    fn allowed(&self, from: &Url, to: Url) -> Result<Url, ApiError> {
        let why = if from.scheme() == "https" && to.scheme() != "https" {
            "a redirect from https to http is not followed"
        } else if !matches!(to.scheme(), "http" | "https") {
            "a redirect to what is not on the web is not followed"
        } else if !is_public(&to) && is_public(&self.base) {
            "a redirect from the public internet to a private network is not followed"
        } else if self.key.as_ref().is_some_and(|key| key.is_in(to.as_str().as_bytes())) {
            "a redirect with the API key in its address is not followed"
        } else {
            return Ok(to);
        };
        Err(ApiError::Astray(why.into()))
    }

    /// An answer without the key.
    fn struck_out(&self, answer: Result<Bytes, ApiError>) -> Result<Bytes, ApiError> {
        let answer = answer.map_err(|error| self.struck_out_of(error));
        match &self.key {
            Some(key) => answer.map(|body| key.struck_out(body)),
            None => answer,
        }
    }

    /// A failure without the key, and in words that say what to do.
    fn struck_out_of(&self, error: ApiError) -> ApiError {
        let error = error.explained(&self.base);
        match &self.key {
            Some(key) => key.struck_out_of(error),
            None => error,
        }
    }

    /// Where a page of `query` is.
    pub fn url(&self, query: &Query, cursor: Option<&Cursor>) -> Result<Url, ApiError> {
        let mut url = self
            .base
            .join(&query.path())
            .map_err(|e| ApiError::Unreachable(Text::new(&e.to_string())))?;
        let first = query.params();
        match cursor {
            None if first.is_empty() => {}
            None => drop(url.query_pairs_mut().extend_pairs(first)),
            Some(cursor) => drop(url.query_pairs_mut().extend_pairs(cursor.follow(first))),
        }
        Ok(url)
    }
}

/// A good answer whose body comes piece by piece.
#[derive(Debug)]
pub struct Streamed {
    /// How long the body is. None when the server does not say, or says how long it is compressed.
    pub expected: Option<u64>,
    response: Response,
    /// What was read to see what it is.
    first: Option<Bytes>,
    key: Option<Key>,
    /// What may be the beginning of the key.
    held: Bytes,
}

impl Streamed {
    /// A stream of a good answer.
    async fn of(response: Response, key: Option<Key>) -> Result<Self, ApiError> {
        let plain = !response.headers().contains_key(CONTENT_ENCODING);
        let expected = response.content_length().filter(|_| plain);
        let is_json = says_json(&response);
        let mut streamed = Self { expected, response, first: None, key, held: Bytes::new() };
        if is_json || streamed.looks_like_json().await? {
            return Ok(streamed);
        }
        let what = not_json(&streamed.response);
        Err(ApiError::NotJson { status: StatusCode::OK.as_u16(), what })
    }

    async fn looks_like_json(&mut self) -> Result<bool, ApiError> {
        let mut first = BytesMut::new();
        while is_blank(&first) && first.len() < BLANK {
            let Some(chunk) = self.chunk().await? else { break };
            first.extend_from_slice(&chunk);
        }
        let looks = looks_like_json(&first);
        self.first = Some(first.freeze());
        Ok(looks)
    }

    /// The next piece, decompressed; none at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, ApiError> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        let piece = self.received().await?;
        let Some(key) = &self.key else { return Ok(piece) };
        let held = take(&mut self.held);
        let Some(piece) = piece else { return Ok((!held.is_empty()).then_some(held)) };
        let whole = key.struck_out([held, piece].concat().into());
        let end = whole.len() - key.begun(&whole);
        self.held = whole.slice(end..);
        Ok(Some(whole.slice(..end)))
    }

    /// What comes next.
    async fn received(&mut self) -> Result<Option<Bytes>, ApiError> {
        match timeout(SILENCE, self.response.chunk()).await {
            Ok(chunk) => {
                chunk.map_err(|e| failure(&e, &Reach { answer: WHOLE, ..Reach::default() }))
            }
            Err(_) => Err(ApiError::TimedOut { seconds: SILENCE.as_secs() }),
        }
    }
}

/// Puts down a failure.
fn note<B>(exchange: &Exchange<B>) {
    if let Err(error) = &exchange.body {
        warn!(url = %redacted(&exchange.url), %error, ms = exchange.elapsed.as_millis(), "failed");
    }
}

/// Where an answer sends us, if it does.
fn redirected(from: &Url, response: &Response) -> Option<Url> {
    let moved = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let to = header(response, LOCATION.as_str()).filter(|_| moved)?;
    from.join(to).ok()
}

/// Takes an answer in to its end.
async fn whole(url: Url, response: Response, reach: &Reach) -> Exchange {
    let head = Head::of(&response);
    let (bytes, body) = accept(response, reach).await;
    Exchange { bytes, ..Exchange::of(url, head, body) }
}

/// Takes the beginning of an answer in; all of it, if it is a refusal.
async fn begun(
    url: Url,
    response: Response,
    key: Option<Key>,
    reach: &Reach,
) -> Exchange<Streamed> {
    let head = Head::of(&response);
    if response.status() == StatusCode::OK {
        return Exchange::of(url, head, Streamed::of(response, key).await);
    }
    let late = ApiError::TimedOut { seconds: reach.answer.as_secs() };
    let (bytes, refusal) =
        timeout(reach.answer, accept(response, reach)).await.unwrap_or((0, Err(late.clone())));
    // `accept` takes no other status for a good answer.
    Exchange { bytes, ..Exchange::of(url, head, Err(refusal.err().unwrap_or(late))) }
}

/// The body of a good answer, or what a bad one says; and how many bytes were read for it.
async fn accept(response: Response, reach: &Reach) -> (u64, Result<Bytes, ApiError>) {
    let status = response.status();
    let json = says_json(&response);
    let what = not_json(&response);
    let (bytes, read) = read(response, reach).await;
    let accepted = read.and_then(|body| {
        let looks = looks_like_json(&body);
        match status {
            StatusCode::OK if json || looks => Ok(body),
            _ if status.is_success() || !(json || looks) => {
                Err(ApiError::NotJson { status: status.as_u16(), what })
            }
            _ => Err(ApiError::refused(status.as_u16(), &body)),
        }
    });
    (bytes, accepted)
}

fn says_json(response: &Response) -> bool {
    header(response, CONTENT_TYPE.as_str()).is_some_and(|kind| kind.contains("json"))
}

/// Old servers label errors loosely, so a body that looks like JSON is taken for it.
fn looks_like_json(body: &[u8]) -> bool {
    unmarked(body).trim_ascii_start().first().is_some_and(|b| b"{[\"".contains(b))
}

/// Whether it cannot be seen yet what a body is.
fn is_blank(body: &[u8]) -> bool {
    unmarked(body).trim_ascii_start().is_empty() || "\u{feff}".as_bytes().starts_with(body)
}

/// Reads a body to its end, or to the limit: a small gzip can become an endless one. Says how much
/// it has read in either case.
async fn read(mut response: Response, reach: &Reach) -> (u64, Result<Bytes, ApiError>) {
    let mut body = BytesMut::new();
    loop {
        let chunk = response.chunk().await;
        let length = body.len() as u64;
        match chunk {
            Err(error) => return (length, Err(failure(&error, reach))),
            Ok(None) => return (length, Ok(body.freeze())),
            Ok(Some(chunk)) if length + chunk.len() as u64 > LIMIT => {
                return (length, Err(ApiError::TooLarge { limit: LIMIT >> 20 }));
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
        }
    }
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name).and_then(|value| value.to_str().ok())
}

fn not_json(response: &Response) -> Text {
    let kind = header(response, CONTENT_TYPE.as_str()).unwrap_or("no type");
    let kind = kind.split(';').next().unwrap_or(kind);
    match header(response, SERVER.as_str()) {
        Some(server) => Text::new(&format!("{kind}, server {server}")),
        None => Text::new(kind),
    }
}

fn failure(error: &reqwest::Error, reach: &Reach) -> ApiError {
    if error.is_timeout() && error.is_connect() {
        let seconds = reach.connect.as_secs();
        ApiError::Unreachable(Text::new(&format!("no connection within {seconds} s")))
    } else if error.is_timeout() {
        ApiError::TimedOut { seconds: reach.answer.as_secs() }
    } else if error.is_body() || error.is_decode() {
        ApiError::Interrupted(cause(error))
    } else {
        ApiError::Unreachable(cause(error))
    }
}

/// The innermost cause, which is the one that helps; without the URL, which may be long.
fn cause(error: &reqwest::Error) -> Text {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    Text::new(&innermost.to_string())
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
