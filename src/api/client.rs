//! HTTP client of one explorer.
//!
//! A request is sent once, or again if the machine was asleep meanwhile; retries are the scheduler's. Redirects are
//! followed by hand, so that none leads to a private host or takes the API key along. The key, and the parts of a base
//! that may be a node's key, are removed from bodies, errors and the log.

pub mod api_key;
pub mod response_stream;

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::{Method, Response, StatusCode};
use tokio::time::{Instant, timeout};
use tracing::{info, warn};
use url::Url;

use super::error::is_status_of_other_server;
use super::exchange::{Exchange, GET, POST, ResponseHead};
use super::{ApiError, Cursor, Query};
use crate::chain::node_url::NodeUrl;
use crate::http::host_client::HostClient;
use crate::http::{ReadBody, TransportConfig, header};
use crate::messages::api_error;
use crate::safety::public_hosts::is_public;
use crate::sanitize::SafeText;
use api_key::{ApiKey, is_confidential, redact_url};
use response_stream::{MAX_LIFETIME, ResponseStream, has_json_type, looks_like_json};

const MAX_REDIRECTS: usize = 5;

/// A client of one explorer. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Client {
    http: HostClient,
    base: Url,
    key: Option<ApiKey>,
    /// The URL of the base, as long as it may be a node's, whose path is a key.
    unproven: Option<NodeUrl>,
    transport: TransportConfig,
    /// `true` once the API has answered.
    has_answered: Arc<AtomicBool>,
}

impl Client {
    /// Creates a client of the explorer whose `/api/v2` is below `base`.
    pub fn new(base: &Url) -> Result<Self, ApiError> {
        Self::with_transport(base, TransportConfig::default())
    }

    pub fn with_transport(base: &Url, transport: TransportConfig) -> Result<Self, ApiError> {
        let http = HostClient::new(base, transport.clone())
            .map_err(|e| ApiError::from_transport(e, base))?;
        let mut base = base.clone();
        if !base.path().ends_with('/') {
            base.set_path(&[base.path(), "/"].concat());
        }
        Ok(Self { http, base, key: None, unproven: None, transport, has_answered: Arc::default() })
    }

    /// Sets the API key, which is sent to its own host only, and never unencrypted.
    pub fn with_key(self, key: Option<ApiKey>) -> Result<Self, ApiError> {
        match &key {
            Some(key) if key.belongs_to(&self.base) && !is_confidential(&self.base) => {
                Err(ApiError::Blocked { why: api_error::KEY_OVER_HTTP.into() })
            }
            _ => Ok(Self { key, ..self }),
        }
    }

    /// Treats whatever of the base may be a key as one: it is not known to be an explorer's URL.
    #[must_use]
    pub fn with_unproven_base(self, url: NodeUrl) -> Self {
        Self { unproven: Some(url), ..self }
    }

    /// Sends a request and reads the whole response. Dropping the future cancels it.
    pub async fn fetch(&self, query: &Query, cursor: Option<&Cursor>) -> Exchange {
        match self.url(query, cursor) {
            Err(error) => Exchange::failed(self.base.clone(), error),
            Ok(url) => self.fetch_page(url, query).await,
        }
    }

    /// Fetches the page of a query at `url`. Dropping the future cancels the request.
    pub async fn fetch_page(&self, url: Url, query: &Query) -> Exchange {
        self.exchange(url, query.body().as_deref()).await
    }

    /// Fetches a URL that does not belong to a query.
    pub async fn get(&self, url: Url) -> Exchange {
        self.exchange(url, None).await
    }

    async fn exchange(&self, url: Url, body: Option<&str>) -> Exchange {
        let started = Instant::now();
        let mut exchange = self.http.repeat_after_suspend(|| self.exchange_once(&url, body)).await;
        exchange.body = self.redact(self.recognize(exchange.body));
        exchange.elapsed = started.elapsed();
        exchange.method = method(body);
        self.log_failure(&exchange);
        exchange
    }

    async fn exchange_once(&self, url: &Url, body: Option<&str>) -> Exchange {
        match self.send(url, body, self.transport.response_timeout).await {
            Err(error) => Exchange::failed(url.clone(), error),
            Ok(response) => read_response(url.clone(), response, &self.transport).await,
        }
    }

    /// Sends a request and waits for the start of the response, at most for `start_timeout`.
    /// Dropping the future or the stream cancels it.
    pub async fn open_stream(
        &self,
        query: &Query,
        start_timeout: Duration,
    ) -> Exchange<ResponseStream> {
        let started = Instant::now();
        let mut exchange = match self.url(query, None) {
            Err(error) => Exchange::failed(self.base.clone(), error),
            Ok(url) => {
                self.http.repeat_after_suspend(|| self.open_stream_once(&url, start_timeout)).await
            }
        };
        exchange.body = self.recognize(exchange.body).map_err(|error| self.redact_error(error));
        exchange.elapsed = started.elapsed();
        self.log_failure(&exchange);
        exchange
    }

    async fn open_stream_once(
        &self,
        url: &Url,
        start_timeout: Duration,
    ) -> Exchange<ResponseStream> {
        let url = url.clone();
        match timeout(start_timeout, self.send(&url, None, MAX_LIFETIME)).await {
            Err(_) => {
                Exchange::failed(url, ApiError::TimedOut { seconds: start_timeout.as_secs() })
            }
            Ok(Err(error)) => Exchange::failed(url, error),
            Ok(Ok(response)) => self.start_stream(url, response).await,
        }
    }

    /// Starts a stream of a successful response, or reads the whole body of an error.
    async fn start_stream(&self, url: Url, response: Response) -> Exchange<ResponseStream> {
        let Self { transport, http, key, .. } = self;
        let head = ResponseHead::from_response(&response);
        if response.status() == StatusCode::OK {
            let limit = transport.stream_timeout;
            let stream = ResponseStream::new(&url, response, key.clone(), http.clone(), limit);
            return Exchange::from_head(url.clone(), head, stream.await);
        }
        let timed_out = ApiError::TimedOut { seconds: transport.response_timeout.as_secs() };
        let read = accept_body(&url, response, transport);
        let read = timeout(transport.response_timeout, read).await;
        let ReadBody { bytes, body } =
            read.unwrap_or_else(|_| ReadBody { bytes: 0, body: Err(timed_out.clone()) });
        // `accept_body` returns `Ok` only for the status 200.
        Exchange { bytes, ..Exchange::from_head(url, head, Err(body.err().unwrap_or(timed_out))) }
    }

    async fn send(
        &self,
        url: &Url,
        body: Option<&str>,
        timeout: Duration,
    ) -> Result<Response, ApiError> {
        let deadline = Instant::now() + timeout;
        let mut url = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let left = deadline.saturating_duration_since(Instant::now());
            let response = self.send_once(&url, body, left).await?;
            match redirect_target(&url, &response) {
                None => return Ok(response),
                Some(to) => url = self.check_redirect(&url, to)?,
            }
        }
        Err(ApiError::Blocked { why: api_error::TOO_MANY_REDIRECTS.into() })
    }

    async fn send_once(
        &self,
        url: &Url,
        body: Option<&str>,
        timeout: Duration,
    ) -> Result<Response, ApiError> {
        let mut request = match body {
            None => self.http.request(Method::GET, url.clone()),
            Some(body) => {
                let request = self.http.request(Method::POST, url.clone());
                request.header(CONTENT_TYPE, "application/json").body(body.to_owned())
            }
        }
        .timeout(timeout);
        if let Some((name, value)) = self.key.as_ref().and_then(|key| key.header_for(url)) {
            request = request.header(name, value);
        }
        let started = Instant::now();
        let answer = self
            .http
            .send(request)
            .await
            .map_err(|e| self.redact_error(ApiError::from_transport(e, url)));
        if let Ok(response) = &answer {
            let status = response.status().as_u16();
            let ms = started.elapsed().as_millis();
            info!(url = %self.shown(url), status, ms, "{}", method(body));
        }
        answer
    }

    /// Returns `to` if the redirect is allowed. Other hosts are, because instances move between
    /// domains. Not allowed are redirects from https to http, to private hosts other than the base's,
    /// and URLs with the API key in them, or of another host with a part of an unproven base.
    fn check_redirect(&self, from: &Url, to: Url) -> Result<Url, ApiError> {
        let is_foreign = to.host() != self.base.host();
        let reason = if from.scheme() == "https" && to.scheme() != "https" {
            api_error::REDIRECT_TO_HTTP
        } else if !matches!(to.scheme(), "http" | "https") {
            api_error::REDIRECT_TO_OTHER_SCHEME
        } else if !is_public(&to) && is_foreign && from.scheme() == "http" && is_public(from) {
            // The network on the way answers what is not encrypted.
            return Err(ApiError::sign_in_page(from, &to));
        } else if !is_public(&to) && is_foreign {
            api_error::REDIRECT_TO_PRIVATE_NETWORK
        } else if self.key.as_ref().is_some_and(|key| key.occurs_in(to.as_str().as_bytes())) {
            api_error::REDIRECT_WITH_KEY
        } else if is_foreign && self.redact_base(to.as_str()) != to.as_str() {
            api_error::REDIRECT_WITH_SECRET
        } else {
            return Ok(to);
        };
        Err(ApiError::Blocked { why: reason.into() })
    }

    /// Recognizes an overload or a crash of a server whose API has answered before, whatever its body.
    fn recognize<T>(&self, answer: Result<T, ApiError>) -> Result<T, ApiError> {
        match answer {
            Err(ApiError::NotJson { status: status @ (429 | 500..=504), .. })
                if self.has_answered.load(Ordering::Relaxed) =>
            {
                Err(ApiError::from_error_body(status, b""))
            }
            Err(error) => Err(error),
            Ok(body) => {
                self.has_answered.store(true, Ordering::Relaxed);
                Ok(body)
            }
        }
    }

    fn redact(&self, answer: Result<Bytes, ApiError>) -> Result<Bytes, ApiError> {
        let answer = answer.map_err(|error| self.redact_error(error));
        match &self.key {
            Some(key) => answer.map(|body| key.redact(body)),
            None => answer,
        }
    }

    fn redact_error(&self, error: ApiError) -> ApiError {
        let error = error
            .with_explanation(&self.base)
            .map_texts(|text| SafeText::new(&self.redact_base(text)));
        match &self.key {
            Some(key) => key.redact_error(error),
            None => error,
        }
    }

    fn redact_base<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.unproven {
            Some(url) => url.redact(text).into(),
            None => text.into(),
        }
    }

    /// Returns a URL as it is logged.
    fn shown(&self, url: &Url) -> Url {
        self.unproven.as_ref().map_or_else(|| redact_url(url), NodeUrl::without_keys)
    }

    fn log_failure<B>(&self, exchange: &Exchange<B>) {
        if let Err(error) = &exchange.body {
            let (url, ms) = (self.shown(&exchange.url), exchange.elapsed.as_millis());
            warn!(%url, %error, ms, "failed");
        }
    }

    pub fn url(&self, query: &Query, cursor: Option<&Cursor>) -> Result<Url, ApiError> {
        let mut url = self
            .base
            .join(&query.path())
            .map_err(|e| ApiError::Blocked { why: SafeText::new(&e.to_string()) })?;
        url.set_fragment(query.fragment().as_deref());
        if let Some(cursor) = cursor {
            url.query_pairs_mut().extend_pairs(cursor.next_params(query));
        } else {
            let first = query.params();
            if !first.is_empty() {
                url.query_pairs_mut().extend_pairs(first);
            }
        }
        Ok(url)
    }
}

fn method(body: Option<&str>) -> &'static str {
    if body.is_some() { POST } else { GET }
}

fn redirect_target(from: &Url, response: &Response) -> Option<Url> {
    let moved = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let to = header(response, LOCATION.as_str()).filter(|_| moved)?;
    from.join(to).ok()
}

async fn read_response(url: Url, response: Response, transport: &TransportConfig) -> Exchange {
    let head = ResponseHead::from_response(&response);
    let ReadBody { bytes, body } = accept_body(&url, response, transport).await;
    Exchange { bytes, ..Exchange::from_head(url, head, body) }
}

/// Reads the body of the response to a request for `asked`. The body of an error response becomes an
/// error.
async fn accept_body(
    asked: &Url,
    response: Response,
    transport: &TransportConfig,
) -> ReadBody<ApiError> {
    let status = response.status();
    let has_json_type = has_json_type(&response);
    let other_server = ApiError::from_other_server(asked, &response);
    let url = response.url().clone();
    let ReadBody { bytes, body } = transport.read_body(response).await;
    let body = body.map_err(|e| ApiError::from_transport(e, &url)).and_then(|body| {
        let is_json = has_json_type || looks_like_json(&body);
        match status {
            StatusCode::OK if is_json => Ok(body),
            _ if status.is_success() || !is_json => Err(other_server),
            _ if is_status_of_other_server(status.as_u16()) => Err(other_server),
            _ => Err(ApiError::from_error_body(status.as_u16(), &body)),
        }
    });
    ReadBody { bytes, body }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{AddressQuery, Direction};

    #[test]
    fn page_of_an_overloaded_server_is_recognized_once_the_api_has_answered() {
        let client = Client::new(&"https://cronos.org".parse().unwrap()).unwrap();
        let page = |status| ApiError::NotJson { status, what: "a page".into() };
        let is_page = |status| {
            let answer = client.recognize::<()>(Err(page(status)));
            matches!(answer, Err(ApiError::NotJson { .. }))
        };
        assert!([429, 500, 504].into_iter().all(is_page), "perhaps no explorer");
        client.recognize(Ok(())).unwrap();
        assert_eq!([429, 500, 504, 403].map(is_page), [false, false, false, true]);
    }

    #[test]
    fn query_path_is_appended_to_the_base_path() {
        let address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266".parse().unwrap();
        let query =
            Query::Address(address, AddressQuery::Transactions { direction: Some(Direction::To) });
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

    #[test]
    fn redirect_from_https_stays_on_https() {
        let client = Client::new(&"https://cronos.org".parse().unwrap()).unwrap();
        let redirect = |from: &str, to: &str| {
            client.check_redirect(&from.parse().unwrap(), to.parse().unwrap()).is_ok()
        };
        let [plain, encrypted] = ["http://cronos.org/api", "https://cronos.org/api"];
        assert!(redirect(encrypted, encrypted) && redirect(plain, encrypted));
        assert!(redirect(plain, plain) && !redirect(encrypted, plain));
    }
}
