//! Recordings: what a run was answered and when, in JSON Lines, and a run that has its answers from
//! one.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Write};
use std::mem::take;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use url::Url;

use super::response_body::{BodyObserver, ResponseBody};
use crate::api::ApiError;
use crate::api::exchange::{Exchange, GET, RateLimit};
use crate::chain::chains::Chains;
use crate::chain::network::{Endpoint, Network, parse_web_url};
use crate::sanitize::SafeText;
use crate::secure_fs;

/// The word that a recording begins with.
const MAGIC: &str = "recording";
/// Grows when older programs would read a recording wrongly.
const VERSION: u32 = 1;
/// A longer recording is not read.
const MAX_RECORDING_BYTES: u64 = 512 << 20;
/// So much is recorded of an answer that comes piece by piece.
const MAX_RECORDED_BODY_BYTES: usize = 64 << 20;

/// What a run does with a recording.
#[derive(Debug, Clone)]
pub enum RecordingMode {
    /// Makes one.
    Record(Arc<Recorder>),
    /// Has its answers from one.
    Replay(Arc<Replay>),
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct RecordingHeader {
    chainglass: String,
    version: u32,
    chain: RecordedChain,
    started: String,
}

/// Who was asked.
#[derive(Debug, Serialize, Deserialize)]
struct RecordedChain {
    name: String,
    /// None for the demo chain.
    base: Option<String>,
    // What the user's configuration said of it, which may be another one where it is played.
    id: Option<u64>,
    symbol: Option<String>,
    decimals: Option<u8>,
    testnet: Option<bool>,
}

impl RecordedChain {
    fn from_network(network: &Network) -> Self {
        let Network { name, endpoint, id, symbol, decimals, testnet, .. } = network.clone();
        let base = match endpoint {
            Endpoint::Embedded => None,
            Endpoint::Remote(base) => Some(base.to_string()),
        };
        let symbol = symbol.map(|symbol| symbol.to_string());
        Self { name, base, id, symbol, decimals: Some(decimals), testnet: Some(testnet) }
    }

    fn into_network(self) -> Option<Network> {
        let Some(base) = self.base else { return Some(Network::demo()) };
        let known = Chains::default().network_at(&parse_web_url(&base)?);
        Some(Network {
            name: SafeText::from(self.name).to_string(),
            id: self.id.or(known.id),
            symbol: self.symbol.map(SafeText::from).or(known.symbol),
            decimals: self.decimals.unwrap_or(known.decimals),
            testnet: self.testnet.unwrap_or(known.testnet),
            ..known
        })
    }
}

/// Every other line: a request and what came of it.
#[derive(Debug, Serialize, Deserialize)]
struct RecordedExchange {
    /// Since the start.
    elapsed_ms: u64,
    method: String,
    /// With the query.
    path: String,
    status: Option<u16>,
    /// Until the answer, or the beginning of one that came piece by piece.
    took_ms: u64,
    /// Bytes that were read for it.
    bytes: u64,
    limits: Option<RecordedRateLimit>,
    retry_after_ms: Option<u64>,
    /// How long the body was said to be.
    expected: Option<u64>,
    body: Option<String>,
    /// A body that is no UTF-8.
    body_base64: Option<String>,
    failure: Option<RecordedError>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct RecordedRateLimit {
    remaining: Option<i64>,
    limit: Option<i64>,
    reset_ms: Option<u64>,
    credits: Option<i64>,
}

/// Why there is no answer, or no more of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum RecordedError {
    Unreachable { why: String },
    Astray { why: String },
    TimedOut { seconds: u64 },
    Interrupted { why: String },
    Refused { status: u16, message: String, parameter: Option<String> },
    NotJson { status: u16, what: String },
    TooLarge { limit: u64 },
}

impl From<&ApiError> for RecordedError {
    fn from(error: &ApiError) -> Self {
        match error {
            ApiError::Unreachable(why) => Self::Unreachable { why: why.to_string() },
            ApiError::TimedOut { seconds } => Self::TimedOut { seconds: *seconds },
            ApiError::Interrupted(why) => Self::Interrupted { why: why.to_string() },
            ApiError::Refused { status, message, parameter } => Self::Refused {
                status: *status,
                message: message.to_string(),
                parameter: parameter.as_ref().map(SafeText::to_string),
            },
            ApiError::NotJson { status, what } => {
                Self::NotJson { status: *status, what: what.to_string() }
            }
            ApiError::TooLarge { limit } => Self::TooLarge { limit: *limit },
            ApiError::Blocked(why) => Self::Astray { why: why.to_string() },
            // The others are made of answers that came.
            other => Self::Astray { why: other.to_string() },
        }
    }
}

impl From<RecordedError> for ApiError {
    fn from(failure: RecordedError) -> Self {
        match failure {
            RecordedError::Unreachable { why } => Self::Unreachable(why.into()),
            RecordedError::Astray { why } => Self::Blocked(why.into()),
            RecordedError::TimedOut { seconds } => Self::TimedOut { seconds },
            RecordedError::Interrupted { why } => Self::Interrupted(why.into()),
            RecordedError::Refused { status, message, parameter } => {
                let parameter = parameter.map(SafeText::from);
                Self::Refused { status, message: message.into(), parameter }
            }
            RecordedError::NotJson { status, what } => Self::NotJson { status, what: what.into() },
            RecordedError::TooLarge { limit } => Self::TooLarge { limit },
        }
    }
}

impl From<RateLimit> for RecordedRateLimit {
    fn from(limits: RateLimit) -> Self {
        let RateLimit { remaining, limit, reset, credits } = limits;
        Self { remaining, limit, reset_ms: reset.map(millis), credits }
    }
}

impl From<RecordedRateLimit> for RateLimit {
    fn from(limits: RecordedRateLimit) -> Self {
        let RecordedRateLimit { remaining, limit, reset_ms, credits } = limits;
        Self { remaining, limit, reset: reset_ms.map(Duration::from_millis), credits }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A path with its query.
fn path_of(url: &Url) -> String {
    let query = url.query().map(|query| format!("?{query}"));
    [url.path(), query.as_deref().unwrap_or_default()].concat()
}

impl RecordedExchange {
    /// All but the body.
    fn new<B>(exchange: &Exchange<B>, elapsed: Duration) -> Self {
        Self {
            elapsed_ms: millis(elapsed),
            method: exchange.method.to_owned(),
            path: path_of(&exchange.url),
            status: exchange.status,
            took_ms: millis(exchange.elapsed),
            bytes: exchange.bytes,
            limits: exchange.rate_limit.map(Into::into),
            retry_after_ms: exchange.retry_after.map(millis),
            expected: None,
            body: None,
            body_base64: None,
            failure: exchange.body.as_ref().err().map(Into::into),
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

/// Writes what a run is answered. Holds no key: answers come here without it.
#[derive(Debug)]
pub struct Recorder {
    start_time: Timestamp,
    started_at: Instant,
    file: Mutex<io::Result<File>>,
}

impl Recorder {
    /// Begins a new file; one that is there already stays as it is.
    pub fn start(path: &Path, network: &Network) -> io::Result<Self> {
        let (started, began) = (Timestamp::now(), Instant::now());
        let chain = RecordedChain::from_network(network);
        let (chainglass, started_at) = (MAGIC.to_owned(), started.to_string());
        let head = RecordingHeader { chainglass, version: VERSION, chain, started: started_at };
        let mut file = secure_fs::create(path)?;
        write_line(&mut file, &head)?;
        Ok(Self { start_time: started, started_at: began, file: Mutex::new(Ok(file)) })
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        time_after(self.start_time, self.started_at.elapsed())
    }

    /// Whether everything was written. Nothing more is.
    pub fn finish(&self) -> io::Result<()> {
        let end = Err(io::Error::other("the recording has ended"));
        std::mem::replace(&mut *self.file.lock().unwrap_or_else(PoisonError::into_inner), end)
            .map(drop)
    }

    /// Puts a whole answer down.
    pub(crate) fn record(&self, exchange: &Exchange) {
        let line = RecordedExchange::new(exchange, self.started_at.elapsed());
        self.write_line(&match &exchange.body {
            Ok(body) => line.with_body(body),
            Err(_) => line,
        });
    }

    /// Puts down what comes of an answer that has begun, when it ends.
    pub(crate) fn observe(
        self: &Arc<Self>,
        exchange: Exchange<ResponseBody>,
    ) -> Exchange<ResponseBody> {
        let line = RecordedExchange::new(&exchange, self.started_at.elapsed());
        if exchange.body.is_err() {
            self.write_line(&line);
        }
        let recorder = Arc::clone(self);
        exchange.map(move |body| {
            let line = RecordedExchange { expected: body.expected_bytes, ..line };
            body.with_observer(RecordingObserver { recorder, record: Some(line), body: Vec::new() })
        })
    }

    fn write_line(&self, line: &RecordedExchange) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(open) = &mut *file
            && let Err(error) = write_line(open, line)
        {
            *file = Err(error);
        }
    }
}

/// A line in one piece, so that a run that is killed leaves whole lines.
fn write_line(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    file.write_all(&bytes)
}

fn time_after(start: Timestamp, elapsed: Duration) -> Timestamp {
    start.checked_add(elapsed).unwrap_or(start)
}

/// Takes along what is read of an answer.
#[derive(Debug)]
struct RecordingObserver {
    recorder: Arc<Recorder>,
    /// Until the answer has ended.
    record: Option<RecordedExchange>,
    body: Vec<u8>,
}

impl BodyObserver for RecordingObserver {
    fn observe(&mut self, piece: &Result<Option<Bytes>, ApiError>) {
        match piece {
            _ if self.record.is_none() => {}
            Ok(Some(piece)) if self.body.len() + piece.len() > MAX_RECORDED_BODY_BYTES => {
                self.truncate()
            }
            Ok(Some(piece)) => self.body.extend_from_slice(piece),
            Ok(None) => self.finish(None),
            Err(error) => self.finish(Some(error)),
        }
    }
}

impl RecordingObserver {
    fn truncate(&mut self) {
        self.finish(Some(&ApiError::Interrupted("no more of it was recorded".into())));
    }

    fn finish(&mut self, error: Option<&ApiError>) {
        if let Some(line) = self.record.take() {
            let line = RecordedExchange { failure: error.map(Into::into), ..line };
            self.recorder.write_line(&line.with_body(&take(&mut self.body)));
        }
    }
}

impl Drop for RecordingObserver {
    fn drop(&mut self) {
        self.truncate();
    }
}

/// Why a recording cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It cannot be read at all.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Some other file.
    #[error("this is not a recording of chainglass")]
    NotARecording,
    /// It was made by a newer program.
    #[error("this recording has version {0}, and this program reads version {VERSION}")]
    UnsupportedVersion(u32),
    /// A line that is not as it was written.
    #[error("line {0} is cut off or broken")]
    InvalidLine(usize),
}

/// The answers of a run.
#[derive(Debug)]
pub struct Replay {
    network: Network,
    start_time: Timestamp,
    started_at: Instant,
    /// By path and query, in the order in which they came.
    responses: Mutex<HashMap<String, VecDeque<Arc<RecordedResponse>>>>,
}

/// An answer as it was.
#[derive(Debug, Clone)]
struct RecordedResponse {
    status: Option<u16>,
    elapsed: Duration,
    bytes: u64,
    rate_limit: Option<RateLimit>,
    retry_after: Option<Duration>,
    expected_bytes: Option<u64>,
    body: Option<Bytes>,
    error: Option<ApiError>,
}

impl Replay {
    /// Reads a recording.
    pub fn load(path: &Path) -> Result<Self, RecordingError> {
        let bytes = secure_fs::read_to_end(File::open(path)?, MAX_RECORDING_BYTES)?;
        let mut lines = bytes.split_inclusive(|b| *b == b'\n');
        let (network, started) = parse_header(lines.next().unwrap_or_default())?;
        let mut answers: HashMap<String, VecDeque<_>> = HashMap::new();
        for (n, line) in lines.enumerate() {
            let (path, answer) = parse_record(line).ok_or(RecordingError::InvalidLine(n + 2))?;
            answers.entry(path).or_default().push_back(Arc::new(answer));
        }
        Ok(Self {
            network,
            start_time: started,
            started_at: Instant::now(),
            responses: Mutex::new(answers),
        })
    }

    /// The chain of the run.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The time: that of the run, which goes on from its start.
    pub fn now(&self) -> Timestamp {
        time_after(self.start_time, self.started_at.elapsed())
    }

    /// A whole answer.
    pub(crate) fn fetch(&self, url: &Url) -> Exchange {
        self.next_response(url).map(|RecordedResponse { body, .. }| body.unwrap_or_default())
    }

    /// An answer that comes piece by piece.
    pub(crate) fn open(&self, url: &Url) -> Exchange<ResponseBody> {
        self.next_response(url).map(
            |RecordedResponse { expected_bytes: expected, body, error: failure, .. }| {
                ResponseBody::replayed(expected, body.unwrap_or_default(), failure)
            },
        )
    }

    /// What came of the next request of this kind; the last one stays.
    fn next_response(&self, url: &Url) -> Exchange<RecordedResponse> {
        let mut answers = self.responses.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answers.get_mut(&path_of(url)).and_then(|answers| match answers.len() {
            0 | 1 => answers.front().cloned(),
            _ => answers.pop_front(),
        });
        let url = url.clone();
        let Some(answer) = answer else {
            return Exchange::failed(url, ApiError::Blocked("this is not in the recording".into()));
        };
        let RecordedResponse { status, elapsed, bytes, rate_limit: limits, retry_after, .. } =
            *answer;
        let body = match &answer.error {
            Some(error) if answer.body.is_none() => Err(error.clone()),
            _ => Ok(RecordedResponse::clone(&answer)),
        };
        Exchange { method: GET, url, status, elapsed, bytes, rate_limit: limits, retry_after, body }
    }
}

fn parse_header(line: &[u8]) -> Result<(Network, Timestamp), RecordingError> {
    let head: serde_json::Value =
        serde_json::from_slice(line).map_err(|_| RecordingError::NotARecording)?;
    if head.get("chainglass").and_then(|word| word.as_str()) != Some(MAGIC) {
        return Err(RecordingError::NotARecording);
    }
    let version = head.get("version").and_then(serde_json::Value::as_u64).unwrap_or_default();
    let version = u32::try_from(version).unwrap_or(u32::MAX);
    if version != VERSION {
        return Err(RecordingError::UnsupportedVersion(version));
    }
    let head: RecordingHeader =
        serde_json::from_value(head).map_err(|_| RecordingError::InvalidLine(1))?;
    match (head.chain.into_network(), head.started.parse(), line.ends_with(b"\n")) {
        (Some(network), Ok(started), true) => Ok((network, started)),
        _ => Err(RecordingError::InvalidLine(1)),
    }
}

/// A line's path and answer. A line without its end is none.
fn parse_record(line: &[u8]) -> Option<(String, RecordedResponse)> {
    let line: RecordedExchange = serde_json::from_slice(line.strip_suffix(b"\n")?).ok()?;
    let body = match (line.body, line.body_base64) {
        (Some(_), Some(_)) => return None,
        (Some(text), None) => Some(Bytes::from(text)),
        (None, Some(text)) => Some(Bytes::from(BASE64_STANDARD.decode(text).ok()?)),
        (None, None) => None,
    };
    if body.is_none() && line.failure.is_none() {
        return None;
    }
    let answer = RecordedResponse {
        status: line.status,
        elapsed: Duration::from_millis(line.took_ms),
        bytes: line.bytes,
        rate_limit: line.limits.map(Into::into),
        retry_after: line.retry_after_ms.map(Duration::from_millis),
        expected_bytes: line.expected,
        body,
        error: line.failure.map(Into::into),
    };
    Some((line.path, answer))
}
