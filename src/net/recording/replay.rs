//! Replays recordings.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use jiff::Timestamp;
use parking_lot::Mutex;
use url::Url;

use super::{
    CHAIN_ID_PATH, MAGIC, NODE_PATH, PROJECT_ABIS_PATH, RecordedChain, RecordedExchange,
    RecordingHeader, VERSION, path_and_query,
};
use crate::abi::SignatureDb;
use crate::api::exchange::{Exchange, GET};
use crate::api::{ApiError, Query};
use crate::chain::network::Network;
use crate::messages::system::RecordingError;
use crate::net::clock::Clock;
use crate::net::response_body::ResponseBody;
use crate::net::response_source::ResponseSource;
use crate::secure_fs;

const MAX_RECORDING_BYTES: u64 = 512 << 20;
const MAX_HEADER_BYTES: u64 = 16 << 10;

#[derive(Debug)]
pub struct Replay {
    /// The chain of the recorded run.
    pub network: Network,
    clock: Clock,
    /// By path and query, in the order recorded.
    responses: Mutex<HashMap<String, VecDeque<RecordedResponse>>>,
}

#[derive(Debug, Clone)]
struct RecordedResponse {
    exchange: Arc<RecordedExchange>,
    body: Option<Bytes>,
}

impl Replay {
    pub fn load(path: &Path) -> Result<Self, RecordingError> {
        let mut file = BufReader::new(File::open(path)?);
        let mut header = Vec::new();
        file.by_ref().take(MAX_HEADER_BYTES).read_until(b'\n', &mut header)?;
        let (mut chain, start_time) = parse_header(&header)?;
        let bytes = secure_fs::read_to_end(file, MAX_RECORDING_BYTES)?;
        let mut responses: HashMap<String, VecDeque<_>> = HashMap::new();
        for (n, line) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
            let response = parse_record(line).ok_or(RecordingError::InvalidLine(n + 2))?;
            responses.entry(response.exchange.path.clone()).or_default().push_back(response);
        }
        chain.is_node |= responses.contains_key(NODE_PATH);
        let mut network = chain.into_network().ok_or(RecordingError::InvalidLine(1))?;
        if network.endpoint.is_node() && network.id.is_none() {
            network.id = responses.get(CHAIN_ID_PATH).and_then(parse_chain_id);
        }
        let responses = Mutex::new(responses);
        Ok(Self { network, clock: Clock::new(start_time), responses })
    }

    /// Returns the time of the recorded run, running on from its start.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the ABIs of the recorded run's project, each version once.
    pub fn take_project_signatures(&self) -> Option<Arc<SignatureDb>> {
        let mut responses = self.responses.lock();
        let recorded = responses.get_mut(PROJECT_ABIS_PATH)?.pop_front()?;
        SignatureDb::from_recorded_abis(&recorded.body?).map(Arc::new)
    }

    /// Returns the next response to this request, and repeats the last one.
    fn next_response(&self, url: &Url) -> Exchange<RecordedResponse> {
        let path = path_and_query(url);
        let mut responses = self.responses.lock();
        let response = responses.get_mut(&path).and_then(|queue| match queue.len() {
            0 | 1 => queue.front().cloned(),
            _ => queue.pop_front(),
        });
        let Some(response) = response else {
            return Exchange::failed(url.clone(), ApiError::NotRecorded { why: path.into() });
        };
        let exchange = Arc::clone(&response.exchange);
        Exchange {
            method: GET,
            url: url.clone(),
            status: exchange.status,
            elapsed: Duration::from_millis(exchange.took_ms),
            bytes: exchange.bytes,
            rate_limit: exchange.rate_limit,
            retry_after: exchange.retry_after_ms.map(Duration::from_millis),
            body: match &exchange.error {
                Some(error) if response.body.is_none() => Err(error.clone()),
                _ => Ok(response),
            },
        }
    }
}

impl ResponseSource for Replay {
    fn fetch<'a>(&'a self, url: &'a Url, _query: &'a Query) -> BoxFuture<'a, Exchange> {
        let response = self.next_response(url);
        ready(response.map(|response| response.body.unwrap_or_default())).boxed()
    }

    /// Returns a streamed response, which breaks off where the recorded one did.
    fn open_stream<'a>(
        &'a self,
        url: &'a Url,
        _query: &'a Query,
        _start_timeout: Duration,
    ) -> BoxFuture<'a, Exchange<ResponseBody>> {
        let response = self.next_response(url).map(|RecordedResponse { exchange, body }| {
            let body = body.unwrap_or_default();
            ResponseBody::replayed(exchange.expected_bytes, body, exchange.error.clone())
        });
        ready(response).boxed()
    }
}

fn parse_header(line: &[u8]) -> Result<(RecordedChain, Timestamp), RecordingError> {
    let header: serde_json::Value =
        serde_json::from_slice(line).map_err(|_| RecordingError::NotARecording)?;
    if header.get("chainglass").and_then(|value| value.as_str()) != Some(MAGIC) {
        return Err(RecordingError::NotARecording);
    }
    let version = header.get("version").and_then(serde_json::Value::as_u64).unwrap_or_default();
    let version = u32::try_from(version).unwrap_or(u32::MAX);
    if version != VERSION {
        return Err(RecordingError::UnsupportedVersion { found: version, supported: VERSION });
    }
    let header: RecordingHeader =
        serde_json::from_value(header).map_err(|_| RecordingError::InvalidLine(1))?;
    match header.started.parse() {
        Ok(start_time) if line.ends_with(b"\n") => Ok((header.chain, start_time)),
        _ => Err(RecordingError::InvalidLine(1)),
    }
}

fn parse_chain_id(recorded: &VecDeque<RecordedResponse>) -> Option<u64> {
    str::from_utf8(recorded.front()?.body.as_ref()?).ok()?.parse().ok()
}

/// Returns `None` for a line without its line feed, which was cut off.
fn parse_record(line: &[u8]) -> Option<RecordedResponse> {
    let mut exchange: RecordedExchange = serde_json::from_slice(line.strip_suffix(b"\n")?).ok()?;
    let body = match (exchange.body.take(), exchange.body_base64.take()) {
        (Some(_), Some(_)) => return None,
        (Some(text), None) => Some(Bytes::from(text)),
        (None, Some(text)) => Some(Bytes::from(BASE64_STANDARD.decode(text).ok()?)),
        (None, None) => None,
    };
    (body.is_some() || exchange.error.is_some())
        .then(|| RecordedResponse { exchange: Arc::new(exchange), body })
}
