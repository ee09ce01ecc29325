//! Recordings: the responses of a run in JSON Lines, and their replay without a network.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::mem::{replace, take};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use url::{Position, Url};

use super::clock::Clock;
use super::response_body::{BodyObserver, ResponseBody};
use crate::api::ApiError;
use crate::api::exchange::{Exchange, GET, RateLimit};
use crate::chain::chains::Chains;
use crate::chain::network::{Endpoint, Network, parse_web_url};
use crate::safety::public_hosts::is_public;
use crate::sanitize::SafeText;
use crate::secure_fs;

/// The value of the key `chainglass` in the first line.
const MAGIC: &str = "recording";
/// Format version; incremented when older programs would misread the file.
const VERSION: u32 = 1;
const MAX_RECORDING_BYTES: u64 = 512 << 20;
const MAX_HEADER_BYTES: u64 = 16 << 10;
/// Maximum size of a streamed body that is recorded.
const MAX_RECORDED_BODY_BYTES: usize = 64 << 20;

#[derive(Debug, Clone)]
pub enum RecordingMode {
    Record(Arc<Recorder>),
    Replay(Arc<Replay>),
}

#[derive(Debug, Serialize, Deserialize)]
struct RecordingHeader {
    chainglass: String,
    version: u32,
    chain: RecordedChain,
    started: String,
}

/// The chain of the run. It repeats the user's configuration, which may differ at replay.
#[derive(Debug, Serialize, Deserialize)]
struct RecordedChain {
    name: String,
    base: Option<String>,
    id: Option<u64>,
    symbol: Option<SafeText>,
    decimals: Option<u8>,
    testnet: Option<bool>,
}

impl RecordedChain {
    fn from_network(network: &Network) -> Self {
        let base = match &network.endpoint {
            Endpoint::Embedded | Endpoint::Node(_) => None,
            Endpoint::Remote(base) => Some(base.to_string()),
            Endpoint::Undecided(url) => Some(url.without_keys().to_string()),
        };
        Self {
            name: network.name.clone(),
            base,
            id: network.id,
            symbol: network.symbol.clone(),
            decimals: Some(network.decimals),
            testnet: Some(network.testnet),
        }
    }

    fn into_network(self) -> Option<Network> {
        let is_recorded = true;
        let Some(base) = self.base else {
            let name = SafeText::from(self.name).to_string();
            return Some(Network { name, is_recorded, ..Network::demo() });
        };
        let known = Chains::default().network_at(&parse_web_url(&base)?);
        Some(Network {
            is_recorded,
            // The browser would act in the network in which the file is replayed.
            web: known.web.filter(is_public),
            name: SafeText::from(self.name).to_string(),
            id: self.id.or(known.id),
            symbol: self.symbol.or(known.symbol),
            decimals: self.decimals.unwrap_or(known.decimals),
            testnet: self.testnet.unwrap_or(known.testnet),
            ..known
        })
    }
}

/// Every other line: a request and its response.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct RecordedExchange {
    /// Since the start of the run.
    elapsed_ms: u64,
    method: String,
    path: String,
    status: Option<u16>,
    /// Until the end of the response; for a streamed one, until its start.
    took_ms: u64,
    bytes: u64,
    #[serde(rename = "limits")]
    rate_limit: Option<RateLimit>,
    retry_after_ms: Option<u64>,
    #[serde(rename = "expected")]
    expected_bytes: Option<u64>,
    body: Option<String>,
    /// The body if it is not UTF-8.
    body_base64: Option<String>,
    /// Set together with a body if the response broke off after it.
    #[serde(rename = "failure")]
    error: Option<ApiError>,
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn path_and_query(url: &Url) -> String {
    // The fragment, which is not sent, tells calls of functions apart.
    url[Position::BeforePath..].to_owned()
}

impl RecordedExchange {
    fn new<B>(exchange: &Exchange<B>, elapsed: Duration) -> Self {
        Self {
            elapsed_ms: millis(elapsed),
            method: exchange.method.to_owned(),
            path: path_and_query(&exchange.url),
            status: exchange.status,
            took_ms: millis(exchange.elapsed),
            bytes: exchange.bytes,
            rate_limit: exchange.rate_limit,
            retry_after_ms: exchange.retry_after.map(millis),
            expected_bytes: None,
            body: None,
            body_base64: None,
            error: exchange.body.as_ref().err().cloned(),
        }
    }

    fn with_body(mut self, body: &[u8]) -> Self {
        match str::from_utf8(body) {
            Ok(text) => self.body = Some(text.to_owned()),
            Err(_) => self.body_base64 = Some(BASE64_STANDARD.encode(body)),
        }
        self
    }
}

/// Writes a recording. It contains no API key, because keys are redacted before.
#[derive(Debug)]
pub struct Recorder {
    clock: Clock,
    file: Mutex<io::Result<File>>,
}

impl Recorder {
    /// Creates the file, and fails if it exists.
    pub fn start(path: &Path, network: &Network) -> io::Result<Self> {
        let clock = Clock::of_stopped_chain(&network.endpoint);
        let clock = clock.unwrap_or_else(|| Clock::new(Timestamp::now()));
        let header = RecordingHeader {
            chainglass: MAGIC.to_owned(),
            version: VERSION,
            chain: RecordedChain::from_network(network),
            started: clock.start_time.to_string(),
        };
        let mut file = secure_fs::create(path)?;
        write_line(&mut file, &header)?;
        Ok(Self { clock, file: Mutex::new(Ok(file)) })
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Ends the recording, and returns the first error of a write.
    pub fn finish(&self) -> io::Result<()> {
        let end = Err(io::Error::other("the recording has ended"));
        replace(&mut *self.file.lock().unwrap_or_else(PoisonError::into_inner), end).map(drop)
    }

    pub(crate) fn record(&self, exchange: &Exchange) {
        let record = RecordedExchange::new(exchange, self.clock.elapsed());
        self.write(&match &exchange.body {
            Ok(body) => record.with_body(body),
            Err(_) => record,
        });
    }

    /// Records a streamed response when it ends.
    pub(crate) fn observe(
        self: &Arc<Self>,
        exchange: Exchange<ResponseBody>,
    ) -> Exchange<ResponseBody> {
        let record = RecordedExchange::new(&exchange, self.clock.elapsed());
        if exchange.body.is_err() {
            self.write(&record);
        }
        let recorder = Arc::clone(self);
        exchange.map(move |body| {
            let record = RecordedExchange { expected_bytes: body.expected_bytes, ..record };
            let record = Some(record);
            body.with_observer(RecordingObserver { recorder, record, body: Vec::new() })
        })
    }

    fn write(&self, record: &RecordedExchange) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(open) = &mut *file
            && let Err(error) = write_line(open, record)
        {
            *file = Err(error);
        }
    }
}

/// Writes a line with one call, so that a killed run leaves only whole lines.
fn write_line(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    file.write_all(&bytes)
}

/// Collects a streamed body, and records it when it ends or is dropped.
#[derive(Debug)]
struct RecordingObserver {
    recorder: Arc<Recorder>,
    /// `None` when it is written.
    record: Option<RecordedExchange>,
    body: Vec<u8>,
}

impl BodyObserver for RecordingObserver {
    fn observe(&mut self, piece: &Result<Option<Bytes>, ApiError>) {
        match piece {
            _ if self.record.is_none() => {}
            Ok(Some(piece)) if self.body.len() + piece.len() > MAX_RECORDED_BODY_BYTES => {
                self.truncate();
            }
            Ok(Some(piece)) => self.body.extend_from_slice(piece),
            Ok(None) => self.finish(None),
            Err(error) => self.finish(Some(error.clone())),
        }
    }
}

impl RecordingObserver {
    fn truncate(&mut self) {
        self.finish(Some(ApiError::Interrupted { why: "the rest was not recorded".into() }));
    }

    fn finish(&mut self, error: Option<ApiError>) {
        if let Some(record) = self.record.take() {
            let record = RecordedExchange { error, ..record };
            self.recorder.write(&record.with_body(&take(&mut self.body)));
        }
    }
}

impl Drop for RecordingObserver {
    fn drop(&mut self) {
        self.truncate();
    }
}

#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("not a chainglass recording")]
    NotARecording,
    #[error("unsupported recording version {0} (this program reads version {VERSION})")]
    UnsupportedVersion(u32),
    #[error("line {0} is incomplete or invalid")]
    InvalidLine(usize),
}

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
        let (network, start_time) = parse_header(&header)?;
        let bytes = secure_fs::read_to_end(file, MAX_RECORDING_BYTES)?;
        let mut responses: HashMap<String, VecDeque<_>> = HashMap::new();
        for (n, line) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
            let response = parse_record(line).ok_or(RecordingError::InvalidLine(n + 2))?;
            responses.entry(response.exchange.path.clone()).or_default().push_back(response);
        }
        let responses = Mutex::new(responses);
        Ok(Self { network, clock: Clock::new(start_time), responses })
    }

    /// Returns the time of the recorded run, which goes on from its start.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn fetch(&self, url: &Url) -> Exchange {
        self.next_response(url).map(|response| response.body.unwrap_or_default())
    }

    /// Returns a response that is read as a stream, and breaks off where the recorded one did.
    pub(crate) fn open_stream(&self, url: &Url) -> Exchange<ResponseBody> {
        self.next_response(url).map(|RecordedResponse { exchange, body }| {
            let body = body.unwrap_or_default();
            ResponseBody::replayed(exchange.expected_bytes, body, exchange.error.clone())
        })
    }

    /// Returns the next response to this request, and the last one again and again.
    fn next_response(&self, url: &Url) -> Exchange<RecordedResponse> {
        let path = path_and_query(url);
        let mut responses = self.responses.lock().unwrap_or_else(PoisonError::into_inner);
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

fn parse_header(line: &[u8]) -> Result<(Network, Timestamp), RecordingError> {
    let header: serde_json::Value =
        serde_json::from_slice(line).map_err(|_| RecordingError::NotARecording)?;
    if header.get("chainglass").and_then(|value| value.as_str()) != Some(MAGIC) {
        return Err(RecordingError::NotARecording);
    }
    let version = header.get("version").and_then(serde_json::Value::as_u64).unwrap_or_default();
    let version = u32::try_from(version).unwrap_or(u32::MAX);
    if version != VERSION {
        return Err(RecordingError::UnsupportedVersion(version));
    }
    let header: RecordingHeader =
        serde_json::from_value(header).map_err(|_| RecordingError::InvalidLine(1))?;
    match (header.chain.into_network(), header.started.parse()) {
        (Some(network), Ok(start_time)) if line.ends_with(b"\n") => Ok((network, start_time)),
        _ => Err(RecordingError::InvalidLine(1)),
    }
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
