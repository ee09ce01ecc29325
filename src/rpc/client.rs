//! A client of one node: requests over HTTP, alone or in batches.
//!
//! A batch that the node refuses as too large is sent again in halves, down to single requests, and the
//! accepted size is remembered by all clones. A request that the node limits is sent again after the
//! delay that it names, if that is short.

use std::fmt;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep};
use tracing::debug;

use super::error::{RpcError, clean};
use super::request::RpcRequest;
use super::response::Answer;
use super::wire::Readable;
use crate::chain::node_url::NodeUrl;
use crate::http::host_client::{HostClient, LivenessLimits};
use crate::http::{TransportConfig, TransportError, describe_content, retry_after};
use crate::messages::node::ResponseDefect;
use crate::sanitize::SafeText;

/// Maximum size of a response that is read on the asynchronous worker.
const MAX_INLINE_DECODE_BYTES: usize = 256 << 10;

/// Requests of a batch. Many nodes refuse more, and some refuse this many.
const MAX_BATCH_REQUESTS: usize = 100;

/// Times that a request is sent if the node limits requests.
const MAX_ATTEMPTS: u32 = 3;
/// Delay after a refusal that does not name one; it grows with each further one.
const DEFAULT_LIMIT_DELAY: Duration = Duration::from_secs(1);
/// Maximum delay before another attempt. A longer one is shown instead.
const MAX_LIMIT_DELAY: Duration = Duration::from_secs(5);

/// The method whose answers are made by contracts.
const CALL: &str = "eth_call";
/// Maximum size of the answer to a call, in hexadecimal digits: 1 MB of data.
const MAX_CALL_BYTES: u64 = 2 << 20;
/// Maximum size of the answer to a batch of calls.
const MAX_CALL_BATCH_BYTES: u64 = 16 << 20;

/// A client of one node. Clones share its connections and what it knows of the node's limits.
#[derive(Clone)]
pub struct RpcClient {
    http: HostClient,
    url: NodeUrl,
    transport: TransportConfig,
    batch_limit: Arc<AtomicUsize>,
    /// Answers instead of the network.
    simulation: Option<Arc<SimulateFn>>,
}

/// Returns the body of the response to a request, an empty one for none.
type SimulateFn = dyn Fn(&[u8]) -> Vec<u8> + Send + Sync;

/// A request as it is sent. Ids count from 1: some servers take 0 for none.
#[derive(Serialize)]
struct SentRequest<'a> {
    jsonrpc: &'static str,
    id: usize,
    method: &'static str,
    params: &'a Value,
}

impl<'a> SentRequest<'a> {
    fn new(index: usize, request: &'a RpcRequest) -> Self {
        let RpcRequest { method, params } = request;
        Self { jsonrpc: "2.0", id: index + 1, method, params }
    }
}

impl RpcClient {
    pub fn new(url: NodeUrl) -> Result<Self, RpcError> {
        Self::with_transport(url, TransportConfig::default())
    }

    pub fn with_transport(url: NodeUrl, transport: TransportConfig) -> Result<Self, RpcError> {
        // It follows no redirects, so that encrypted requests stay encrypted.
        let system_certificates = url.expose().scheme() == "https";
        // A call may take long and be costly, so a slow one is not sent twice.
        let quiet_time = Duration::MAX;
        let liveness = transport.liveness.map(|limits| LivenessLimits { quiet_time, ..limits });
        let transport = TransportConfig { system_certificates, liveness, ..transport };
        let http = HostClient::new(url.expose(), transport.clone())
            .map_err(|error| RpcError::from_transport(error, &url))?;
        let batch_limit = Arc::new(MAX_BATCH_REQUESTS.into());
        Ok(Self { http, url, transport, batch_limit, simulation: None })
    }

    /// Replaces the network, for tests of thousands of requests.
    #[must_use]
    pub fn simulated(self, answer: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self { simulation: Some(Arc::new(answer)), ..self }
    }

    pub fn url(&self) -> &NodeUrl {
        &self.url
    }

    /// Sends one request, again after a short wait if the node limits requests. A result of `null` is
    /// a `None`. Dropping the future cancels it.
    pub async fn call<T>(&self, method: &'static str, params: Value) -> Result<T, RpcError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let request = RpcRequest { method, params };
        let mut attempt = 1;
        loop {
            let result = self.call_once(&request).await;
            match &result {
                Err(error) if self.waits_for(error, attempt).await => attempt += 1,
                _ => return result,
            }
        }
    }

    async fn call_once<T>(&self, request: &RpcRequest) -> Result<T, RpcError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let answer = self.send(slice::from_ref(request), request.method).await?;
        let client = self.clone();
        decode_off_thread(answer, move |answer| {
            let result = answer.results(1)?.pop().unwrap_or(Err(RpcError::Unanswered))?;
            client.decode(result)
        })
        .await
    }

    /// Waits as long as a node that limits requests asks for. Returns `false` if the request is not to
    /// be sent again.
    async fn waits_for(&self, error: &RpcError, attempt: u32) -> bool {
        let RpcError::RateLimited { retry_after, .. } = error else { return false };
        let delay = retry_after.unwrap_or(DEFAULT_LIMIT_DELAY * attempt);
        let is_short = attempt < MAX_ATTEMPTS && delay <= MAX_LIMIT_DELAY;
        if is_short {
            sleep(delay).await;
        }
        is_short
    }

    /// Sends a request whose result is a number, which must be known.
    pub async fn quantity(&self, method: &'static str, params: Value) -> Result<u64, RpcError> {
        let Readable(quantity) = self.call(method, params).await?;
        Ok(quantity)
    }

    /// Sends requests in batches: smaller ones if the node refuses them as too large, one by one if it
    /// takes none. Returns their results in the same order, or the error of a batch that failed.
    pub async fn batch(
        &self,
        requests: &[RpcRequest],
    ) -> Result<Vec<Result<Box<RawValue>, RpcError>>, RpcError> {
        let mut results = Vec::with_capacity(requests.len());
        let mut size = self.batch_limit.load(Ordering::Relaxed);
        let mut attempt = 1;
        while let Some(unsent @ [_, ..]) = requests.get(results.len()..) {
            let sent = unsent.get(..size).unwrap_or(unsent);
            let answered = match self.send_batch(sent).await {
                Err(error @ (RpcError::TooLarge { .. } | RpcError::RateLimited { .. })) => {
                    vec![Err(error)]
                }
                // It was sent alone, so the error is the request's.
                Err(
                    error @ (RpcError::Unsupported
                    | RpcError::Pruned { .. }
                    | RpcError::Other { .. }),
                ) if sent.len() == 1 => vec![Err(error)],
                answered if sent.len() > 1 && may_refuse_batches(&answered) => {
                    size = 1;
                    continue;
                }
                answered => answered?,
            };
            // Some nodes answer as many as they take, and refuse the rest.
            let mut taken = answered.iter().position(is_refused).unwrap_or(answered.len());
            match answered.get(taken) {
                Some(Err(error @ RpcError::RateLimited { .. })) => {
                    if !self.waits_for(error, attempt).await {
                        return Err(error.clone());
                    }
                    attempt += 1;
                }
                _ if taken > 0 => {
                    self.batch_limit.fetch_min(size, Ordering::Relaxed);
                    attempt = 1;
                }
                _ if sent.len() > 1 => size = sent.len() / 2,
                _ => {
                    taken = 1; // it is too large by itself
                    size = self.batch_limit.load(Ordering::Relaxed);
                }
            }
            results.extend(answered.into_iter().take(taken));
        }
        Ok(results)
    }

    async fn send_batch(
        &self,
        requests: &[RpcRequest],
    ) -> Result<Vec<Result<Box<RawValue>, RpcError>>, RpcError> {
        let answer = self.send(requests, "batch").await?;
        let are_calls: Vec<bool> = requests.iter().map(|request| request.method == CALL).collect();
        decode_off_thread(answer, move |answer| {
            let results = answer.results(are_calls.len())?.into_iter().zip(are_calls);
            Ok(results
                .map(|(result, is_call)| match result {
                    Ok(json) if is_call && json.get().len() as u64 > MAX_CALL_BYTES => {
                        Err(RpcError::Unreadable { why: ResponseDefect::LargeCall.into() })
                    }
                    result => result.map(ToOwned::to_owned),
                })
                .collect())
        })
        .await
    }

    /// Decodes a result. Its error has no key of the URL.
    pub fn decode<T: DeserializeOwned>(&self, result: &RawValue) -> Result<T, RpcError> {
        let decoded = serde_json::from_str(result.get());
        decoded.map_err(|error| match result.get() {
            "null" => RpcError::Unreadable { why: ResponseDefect::Null.into() },
            _ => RpcError::unreadable(&error, &self.url),
        })
    }

    async fn send(&self, requests: &[RpcRequest], method: &str) -> Result<Answer, RpcError> {
        let started = Instant::now();
        let answer = self
            .http
            .repeat_after_suspend(|| self.exchange(requests))
            .await
            .map_err(|error| RpcError::from_transport(error, &self.url));
        let (node, ms) = (&self.url, started.elapsed().as_millis());
        match &answer {
            Ok(Answer { status, body, .. }) => {
                debug!(%node, method, status, bytes = body.len(), ms, "POST");
            }
            Err(error) => debug!(%node, method, %error, ms, "failed"),
        }
        answer
    }

    async fn exchange(&self, requests: &[RpcRequest]) -> Result<Answer, TransportError> {
        let body = body_of(requests);
        if let Some(simulation) = &self.simulation {
            let (body, content) = (simulation(&body).into(), SafeText::default());
            let url = self.url.clone();
            let answer = Answer { status: 200, content, retry_after: None, body, url };
            return if answer.body.is_empty() { self.time_out().await } else { Ok(answer) };
        }
        let request = self
            .http
            .request(Method::POST, self.url.expose().clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        let response = self.http.send(request).await?;
        let status = response.status().as_u16();
        let content = describe_content(&response);
        let retry_after = retry_after(response.headers());
        let max_body_bytes = self.transport.max_body_bytes.min(max_answer_bytes(requests));
        let transport = TransportConfig { max_body_bytes, ..self.transport.clone() };
        let body = transport.read_body(response).await.body?;
        Ok(Answer { status, content, retry_after, body, url: self.url.clone() })
    }

    /// Waits as for a node that does not answer.
    async fn time_out(&self) -> Result<Answer, TransportError> {
        let limit = self.transport.response_timeout;
        sleep(limit).await;
        Err(TransportError::TimedOut { seconds: limit.as_secs() })
    }
}

/// Returns the body of a request, or of a batch if there are several.
fn body_of(requests: &[RpcRequest]) -> Vec<u8> {
    let sent: Vec<SentRequest<'_>> =
        requests.iter().enumerate().map(|(n, request)| SentRequest::new(n, request)).collect();
    let body = match &*sent {
        [one] => serde_json::to_vec(one),
        batch => serde_json::to_vec(batch),
    };
    body.unwrap_or_default() // fails for no JSON value
}

/// Returns the maximum size of a response. Contracts choose the size of their calls' results.
fn max_answer_bytes(requests: &[RpcRequest]) -> u64 {
    match requests {
        [one] if one.method == CALL => MAX_CALL_BYTES,
        batch if batch.iter().all(|request| request.method == CALL) => MAX_CALL_BATCH_BYTES,
        _ => u64::MAX,
    }
}

/// Returns `true` if a node that takes no batches may answer one so: it refuses it, or answers the
/// first request at most.
fn may_refuse_batches(answered: &Result<Vec<Result<Box<RawValue>, RpcError>>, RpcError>) -> bool {
    match answered {
        Ok(results) => {
            results.iter().skip(1).all(|result| matches!(result, Err(RpcError::Unanswered)))
        }
        Err(RpcError::NotJsonRpc { status, .. }) => !(502..=504).contains(status),
        Err(error) => error.is_refusal(),
    }
}

/// Returns `true` if a request was refused for the sake of its batch.
fn is_refused(result: &Result<Box<RawValue>, RpcError>) -> bool {
    matches!(result, Err(RpcError::TooLarge { .. } | RpcError::RateLimited { .. }))
}

impl fmt::Debug for RpcClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RpcClient({})", self.url)
    }
}

/// Decodes an answer, a large one off the asynchronous workers.
async fn decode_off_thread<T: Send + 'static>(
    answer: Answer,
    decode: impl FnOnce(&Answer) -> Result<T, RpcError> + Send + 'static,
) -> Result<T, RpcError> {
    if answer.body.len() < MAX_INLINE_DECODE_BYTES {
        return decode(&answer);
    }
    let url = answer.url.clone();
    let decoded = tokio::task::spawn_blocking(move || decode(&answer)).await;
    decoded.unwrap_or_else(|e| Err(RpcError::Unreadable { why: clean(&e.to_string(), &url) }))
}
