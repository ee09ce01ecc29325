//! Transport of the clients of explorers and nodes: connecting, replacing dead connections, and bounded
//! reading of bodies.
//!
//! Both clients send through a `host_client`, which gives up connections that died in a `suspend` or a
//! change of the network, and repeats the request on a new one. `decoded_body` ends a response that is
//! too large while it arrives. What an error means is decided here once: `connect_error` for the
//! connection, `node_errors` for the texts of nodes, which explorers pass on.

mod connect_error;
pub mod decoded_body;
pub mod host_client;
pub mod node_errors;
pub mod suspend;

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use jiff::fmt::rfc2822;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, DATE, HeaderMap, HeaderValue, RETRY_AFTER, SERVER,
};
use reqwest::{Certificate, Response, redirect};
use url::Url;

use crate::chain::network::is_loopback;
use crate::messages::api_error::NO_CONTENT_TYPE;
use crate::messages::connect_error::{ConnectError, NO_CERTIFICATE};
use crate::sanitize::SafeText;
use connect_error::{SystemLookup, connect_error, interruption, root_cause};
use decoded_body::DecodedBody;
use host_client::LivenessLimits;

/// Default time limit for a connection.
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Default time after which an unused connection is closed. Routers forget connections after minutes.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit for the receipt of sent bytes, which needs no answer of the server.
#[cfg(target_os = "linux")]
const RECEIPT_TIMEOUT: Duration = Duration::from_secs(10);
/// Default time limit for a response. The service's database gives up after 20 s.
pub const DEFAULT_RESPONSE_TIMEOUT: Duration = Duration::from_secs(40);
/// Default time limit for the pieces of a streamed response: a gigabyte takes as long at a megabyte a
/// second.
const STREAM_TIMEOUT: Duration = Duration::from_mins(15);
/// Maximum size of a response, decompressed. A page of fifty transactions with 100 kB of calldata each
/// has 10 MB.
const MAX_BODY_BYTES: u64 = 64 << 20;
/// Maximum length of the description of a response.
const MAX_CONTENT_CHARS: usize = 500;

/// Settings of connections. Proxies are taken from the environment (`HTTPS_PROXY` etc.).
#[derive(Debug, Clone)]
pub struct TransportConfig {
    /// Trusted certificates besides the system's.
    pub root_certificates: Vec<Certificate>,
    /// `true` to read the system's certificates, which takes milliseconds. Without TLS they are not
    /// needed.
    pub system_certificates: bool,
    pub connect_timeout: Duration,
    /// Time after which an unused connection is closed.
    pub idle_timeout: Duration,
    /// Detection of dead connections. `None` for servers of this process.
    pub liveness: Option<LivenessLimits>,
    pub response_timeout: Duration,
    /// Total time to wait for the pieces of a streamed response. Pauses do not count.
    pub stream_timeout: Duration,
    /// Maximum size of a body that is read as a whole, decompressed.
    pub max_body_bytes: u64,
}

impl Default for TransportConfig {
    fn default() -> Self {
        Self {
            root_certificates: Vec::new(),
            system_certificates: true,
            connect_timeout: DEFAULT_CONNECT_TIMEOUT,
            idle_timeout: IDLE_TIMEOUT,
            liveness: Some(LivenessLimits::default()),
            response_timeout: DEFAULT_RESPONSE_TIMEOUT,
            stream_timeout: STREAM_TIMEOUT,
            max_body_bytes: MAX_BODY_BYTES,
        }
    }
}

/// A request without a complete response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransportError {
    Unreachable(ConnectError),
    TimedOut {
        seconds: u64,
    },
    Interrupted(SafeText),
    TooLarge {
        /// Limit in megabytes.
        limit: u64,
    },
}

impl TransportConfig {
    pub fn add_root_certificates(&mut self, pem: &[u8]) -> Result<(), SafeText> {
        let read = Certificate::from_pem_bundle(pem).map_err(|e| root_cause(&e))?;
        if read.is_empty() {
            return Err(NO_CERTIFICATE.into());
        }
        self.root_certificates.extend(read);
        Ok(())
    }

    /// Creates a client for the server at `base`. It follows no redirects.
    pub fn client(&self, base: &Url) -> Result<reqwest::Client, TransportError> {
        let mut client = self.builder();
        if is_loopback(base) {
            // A proxy cannot reach this machine's loopback interface.
            client = client.no_proxy();
        }
        client.build().map_err(|e| self.error(&e))
    }

    /// Creates the builder of a client that follows no redirects.
    pub fn builder(&self) -> reqwest::ClientBuilder {
        // Fails for all clients but the first.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let headers = HeaderMap::from_iter([
            (ACCEPT, HeaderValue::from_static("application/json")),
            (ACCEPT_ENCODING, HeaderValue::from_static("gzip")),
        ]);
        let certificates = self.root_certificates.iter().cloned();
        let builder = reqwest::Client::builder();
        let builder = if self.system_certificates {
            builder.tls_certs_merge(certificates)
        } else {
            builder.tls_certs_only(certificates)
        };
        #[cfg(target_os = "linux")]
        let builder = builder.tcp_user_timeout(RECEIPT_TIMEOUT);
        builder
            .pool_idle_timeout(self.idle_timeout)
            .user_agent(concat!("chainglass/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            .dns_resolver(SystemLookup)
            .redirect(redirect::Policy::none())
            .connect_timeout(self.connect_timeout)
            .timeout(self.response_timeout)
    }

    pub fn error(&self, error: &reqwest::Error) -> TransportError {
        if error.is_timeout() && !error.is_connect() {
            TransportError::TimedOut { seconds: self.response_timeout.as_secs() }
        } else if error.is_body() || error.is_decode() {
            TransportError::Interrupted(interruption(error))
        } else {
            TransportError::Unreachable(connect_error(error, self.connect_timeout))
        }
    }

    /// Reads a body up to its end or the size limit, which even a small gzip can exceed.
    pub async fn read_body(&self, response: Response) -> ReadBody {
        let mut response = DecodedBody::new(response);
        let mut read = BytesMut::new();
        loop {
            let chunk = response.chunk(self).await;
            let bytes = read.len() as u64;
            let body = match chunk {
                Err(error) => Err(error),
                Ok(None) => Ok(read.freeze()),
                Ok(Some(chunk)) if bytes + chunk.len() as u64 > self.max_body_bytes => {
                    Err(TransportError::TooLarge { limit: self.max_body_bytes >> 20 })
                }
                Ok(Some(chunk)) => {
                    read.extend_from_slice(&chunk);
                    continue;
                }
            };
            return ReadBody { bytes, body };
        }
    }
}

/// A body, or the part of it before an error.
#[derive(Debug)]
pub struct ReadBody<E = TransportError> {
    pub bytes: u64,
    pub body: Result<Bytes, E>,
}

/// Returns the host of a URL, for messages.
pub fn host(url: &Url) -> SafeText {
    SafeText::new(url.host_str().unwrap_or_default())
}

pub fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name).and_then(|value| value.to_str().ok())
}

/// Returns the content type of a response and the server's software.
pub fn describe_content(response: &Response) -> SafeText {
    let content_type = header(response, CONTENT_TYPE.as_str()).unwrap_or(NO_CONTENT_TYPE);
    let kind = content_type.split(';').next().unwrap_or(content_type);
    match header(response, SERVER.as_str()) {
        Some(server) => SafeText::bounded(&format!("{kind}, server {server}"), MAX_CONTENT_CHARS),
        None => SafeText::bounded(kind, MAX_CONTENT_CHARS),
    }
}

/// Parses `retry-after`, in seconds or as a date. A date is compared with the server's own clock.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let date = |text| rfc2822::DateTimeParser::new().parse_timestamp(text).ok();
    let delay = text(RETRY_AFTER)?;
    if let Ok(seconds) = delay.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let (now, then) = (date(text(DATE)?)?, date(delay)?);
    Some(then.duration_since(now).try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_in_seconds_or_a_date_of_the_servers_clock() {
        let value = HeaderValue::from_static;
        let parsed = |after, date: Option<&'static str>| {
            let date = date.map(|date| (DATE, value(date)));
            retry_after(&[(RETRY_AFTER, value(after))].into_iter().chain(date).collect())
        };
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(parsed(" 12 ", None), seconds(12));
        assert_eq!(parsed("-1", None), None);
        let now = Some("Wed, 21 Oct 2015 07:27:30 GMT");
        assert_eq!(parsed("Wed, 21 Oct 2015 07:28:00 GMT", now), seconds(30));
        assert_eq!(parsed("Wed, 21 Oct 2015 07:27:00 GMT", now), seconds(0));
        assert_eq!(parsed("Wed, 21 Oct 2015 07:28:00 GMT", None), None);
        assert_eq!(parsed("Wed, 21 Oct 2015 07:28:00 GMT", Some("today")), None);
        assert_eq!(parsed("soon", now), None);
    }
}
