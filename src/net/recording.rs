//! Recordings: what a run was answered and when, in JSON Lines, and a run that has its answers from
//! one.

use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Read, Write};
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

use super::response_body::{Body, Follow};
use crate::api::ApiError;
use crate::api::exchange::{Exchange, GET, Limits};
use crate::chain::chains::Chains;
use crate::chain::network::{Endpoint, Network, web_address};
use crate::sanitize::Text;
use crate::secure_fs;

/// The word that a recording begins with.
const WORD: &str = "recording";
/// Grows when older programs would read a recording wrongly.
const VERSION: u32 = 1;
/// A longer recording is not read.
const LONGEST: u64 = 512 << 20;
/// So much is recorded of an answer that comes piece by piece.
const MOST: usize = 64 << 20;

/// What a run does with a recording.
#[derive(Debug, Clone)]
pub enum Tape {
    /// Makes one.
    Record(Arc<Recorder>),
    /// Has its answers from one.
    Replay(Arc<Replay>),
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    chainglass: String,
    version: u32,
    chain: Chain,
    started: String,
}

/// Who was asked.
#[derive(Debug, Serialize, Deserialize)]
struct Chain {
    name: String,
    /// None for the demo chain.
    base: Option<String>,
    // What the user's configuration said of it, which may be another one where it is played.
    id: Option<u64>,
    symbol: Option<String>,
    decimals: Option<u8>,
    testnet: Option<bool>,
}

impl Chain {
    fn of(network: &Network) -> Self {
        let Network { name, endpoint, id, symbol, decimals, testnet, .. } = network.clone();
        let base = match endpoint {
            Endpoint::Embedded => None,
            Endpoint::Remote(base) => Some(base.to_string()),
        };
        let symbol = symbol.map(|symbol| symbol.to_string());
        Self { name, base, id, symbol, decimals: Some(decimals), testnet: Some(testnet) }
    }

    fn network(self) -> Option<Network> {
        let Some(base) = self.base else { return Some(Network::demo()) };
        let known = Chains::default().at(&web_address(&base)?);
        Some(Network {
            name: Text::from(self.name).to_string(),
            id: self.id.or(known.id),
            symbol: self.symbol.map(Text::from).or(known.symbol),
            decimals: self.decimals.unwrap_or(known.decimals),
            testnet: self.testnet.unwrap_or(known.testnet),
            ..known
        })
    }
}

/// Every other line: a request and what came of it.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
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
    limits: Option<RateLimits>,
    retry_after_ms: Option<u64>,
    /// How long the body was said to be.
    expected: Option<u64>,
    body: Option<String>,
    /// A body that is no UTF-8.
    body_base64: Option<String>,
    failure: Option<Failure>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct RateLimits {
    remaining: Option<i64>,
    limit: Option<i64>,
    reset_ms: Option<u64>,
    credits: Option<i64>,
}

/// Why there is no answer, or no more of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Failure {
    Unreachable { why: String },
    Astray { why: String },
    TimedOut { seconds: u64 },
    Interrupted { why: String },
    Refused { status: u16, message: String, parameter: Option<String> },
    NotJson { status: u16, what: String },
    TooLarge { limit: u64 },
}

impl From<&ApiError> for Failure {
    fn from(error: &ApiError) -> Self {
        match error {
            ApiError::Unreachable(why) => Self::Unreachable { why: why.to_string() },
            ApiError::TimedOut { seconds } => Self::TimedOut { seconds: *seconds },
            ApiError::Interrupted(why) => Self::Interrupted { why: why.to_string() },
            ApiError::Refused { status, message, parameter } => Self::Refused {
                status: *status,
                message: message.to_string(),
                parameter: parameter.as_ref().map(Text::to_string),
            },
            ApiError::NotJson { status, what } => {
                Self::NotJson { status: *status, what: what.to_string() }
            }
            ApiError::TooLarge { limit } => Self::TooLarge { limit: *limit },
            ApiError::Astray(why) => Self::Astray { why: why.to_string() },
            // The others are made of answers that came.
            other => Self::Astray { why: other.to_string() },
        }
    }
}

impl From<Failure> for ApiError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unreachable { why } => Self::Unreachable(why.into()),
            Failure::Astray { why } => Self::Astray(why.into()),
            Failure::TimedOut { seconds } => Self::TimedOut { seconds },
            Failure::Interrupted { why } => Self::Interrupted(why.into()),
            Failure::Refused { status, message, parameter } => {
                let parameter = parameter.map(Text::from);
                Self::Refused { status, message: message.into(), parameter }
            }
            Failure::NotJson { status, what } => Self::NotJson { status, what: what.into() },
            Failure::TooLarge { limit } => Self::TooLarge { limit },
        }
    }
}

impl From<Limits> for RateLimits {
    fn from(limits: Limits) -> Self {
        let Limits { remaining, limit, reset, credits } = limits;
        Self { remaining, limit, reset_ms: reset.map(millis), credits }
    }
}

impl From<RateLimits> for Limits {
    fn from(limits: RateLimits) -> Self {
        let RateLimits { remaining, limit, reset_ms, credits } = limits;
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

impl Line {
    /// All but the body.
    fn of<B>(exchange: &Exchange<B>, elapsed: Duration) -> Self {
        Self {
            elapsed_ms: millis(elapsed),
            method: exchange.method.to_owned(),
            path: path_of(&exchange.url),
            status: exchange.status,
            took_ms: millis(exchange.elapsed),
            bytes: exchange.bytes,
            limits: exchange.limits.map(Into::into),
            retry_after_ms: exchange.retry_after.map(millis),
            expected: None,
            body: None,
            body_base64: None,
            failure: exchange.body.as_ref().err().map(Into::into),
        }
    }

    fn with(mut self, body: &[u8]) -> Self {
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
    started: Timestamp,
    began: Instant,
    file: Mutex<io::Result<File>>,
}

impl Recorder {
    /// Begins a new file; one that is there already stays as it is.
    pub fn start(path: &Path, network: &Network) -> io::Result<Self> {
        let (started, began) = (Timestamp::now(), Instant::now());
        let chain = Chain::of(network);
        let (chainglass, started_at) = (WORD.to_owned(), started.to_string());
        let head = Head { chainglass, version: VERSION, chain, started: started_at };
        let mut file = secure_fs::create(path)?;
        write(&mut file, &head)?;
        Ok(Self { started, began, file: Mutex::new(Ok(file)) })
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        later(self.started, self.began.elapsed())
    }

    /// Whether everything was written. Nothing more is.
    pub fn finish(&self) -> io::Result<()> {
        let end = Err(io::Error::other("the recording has ended"));
        std::mem::replace(&mut *self.file.lock().unwrap_or_else(PoisonError::into_inner), end)
            .map(drop)
    }

    /// Puts a whole answer down.
    pub(crate) fn note(&self, exchange: &Exchange) {
        let line = Line::of(exchange, self.began.elapsed());
        self.write(&match &exchange.body {
            Ok(body) => line.with(body),
            Err(_) => line,
        });
    }

    /// Puts down what comes of an answer that has begun, when it ends.
    pub(crate) fn follow(self: &Arc<Self>, exchange: Exchange<Body>) -> Exchange<Body> {
        let line = Line::of(&exchange, self.began.elapsed());
        if exchange.body.is_err() {
            self.write(&line);
        }
        let recorder = Arc::clone(self);
        exchange.map(move |body| {
            let line = Line { expected: body.expected, ..line };
            body.followed_by(Follower { recorder, line: Some(line), body: Vec::new() })
        })
    }

    fn write(&self, line: &Line) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(open) = &mut *file
            && let Err(error) = write(open, line)
        {
            *file = Err(error);
        }
    }
}

/// A line in one piece, so that a run that is killed leaves whole lines.
fn write(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    file.write_all(&bytes)
}

fn later(start: Timestamp, elapsed: Duration) -> Timestamp {
    start.checked_add(elapsed).unwrap_or(start)
}

/// Takes along what is read of an answer.
#[derive(Debug)]
struct Follower {
    recorder: Arc<Recorder>,
    /// Until the answer has ended.
    line: Option<Line>,
    body: Vec<u8>,
}

impl Follow for Follower {
    fn take(&mut self, piece: &Result<Option<Bytes>, ApiError>) {
        match piece {
            _ if self.line.is_none() => {}
            Ok(Some(piece)) if self.body.len() + piece.len() > MOST => self.cut(),
            Ok(Some(piece)) => self.body.extend_from_slice(piece),
            Ok(None) => self.end(None),
            Err(error) => self.end(Some(error)),
        }
    }
}

impl Follower {
    fn cut(&mut self) {
        self.end(Some(&ApiError::Interrupted("no more of it was recorded".into())));
    }

    fn end(&mut self, error: Option<&ApiError>) {
        if let Some(line) = self.line.take() {
            let line = Line { failure: error.map(Into::into), ..line };
            self.recorder.write(&line.with(&take(&mut self.body)));
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.cut();
    }
}

/// Why a recording cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadRecording {
    /// It cannot be read at all.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is too long.
    #[error("a recording of more than {} MB is not read", LONGEST >> 20)]
    TooLarge,
    /// Some other file.
    #[error("this is not a recording of chainglass")]
    Foreign,
    /// It was made by a newer program.
    #[error("this recording has version {0}, and this program reads version {VERSION}")]
    Version(u32),
    /// A line that is not as it was written.
    #[error("line {0} is cut off or broken")]
    Line(usize),
}

/// The answers of a run.
#[derive(Debug)]
pub struct Replay {
    network: Network,
    started: Timestamp,
    began: Instant,
    /// By path and query, in the order in which they came.
    answers: Mutex<HashMap<String, VecDeque<Arc<Answer>>>>,
}

/// An answer as it was.
#[derive(Debug, Clone)]
struct Answer {
    status: Option<u16>,
    elapsed: Duration,
    bytes: u64,
    limits: Option<Limits>,
    retry_after: Option<Duration>,
    expected: Option<u64>,
    body: Option<Bytes>,
    failure: Option<ApiError>,
}

impl Replay {
    /// Reads a recording.
    pub fn read(path: &Path) -> Result<Self, BadRecording> {
        let mut bytes = Vec::new();
        File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LONGEST {
            return Err(BadRecording::TooLarge);
        }
        let mut lines = bytes.split_inclusive(|b| *b == b'\n');
        let (network, started) = head(lines.next().unwrap_or_default())?;
        let mut answers: HashMap<String, VecDeque<_>> = HashMap::new();
        for (n, line) in lines.enumerate() {
            let (path, answer) = answer(line).ok_or(BadRecording::Line(n + 2))?;
            answers.entry(path).or_default().push_back(Arc::new(answer));
        }
        Ok(Self { network, started, began: Instant::now(), answers: Mutex::new(answers) })
    }

    /// The chain of the run.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The time: that of the run, which goes on from its start.
    pub fn now(&self) -> Timestamp {
        later(self.started, self.began.elapsed())
    }

    /// A whole answer.
    pub(crate) fn ask(&self, url: &Url) -> Exchange {
        self.next(url).map(|Answer { body, .. }| body.unwrap_or_default())
    }

    /// An answer that comes piece by piece.
    pub(crate) fn open(&self, url: &Url) -> Exchange<Body> {
        self.next(url).map(|Answer { expected, body, failure, .. }| {
            Body::recorded(expected, body.unwrap_or_default(), failure)
        })
    }

    /// What came of the next request of this kind; the last one stays.
    fn next(&self, url: &Url) -> Exchange<Answer> {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = answers.get_mut(&path_of(url)).and_then(|answers| match answers.len() {
            0 | 1 => answers.front().cloned(),
            _ => answers.pop_front(),
        });
        let url = url.clone();
        let Some(answer) = answer else {
            return Exchange::failed(url, ApiError::Astray("this is not in the recording".into()));
        };
        let Answer { status, elapsed, bytes, limits, retry_after, .. } = *answer;
        let body = match &answer.failure {
            Some(error) if answer.body.is_none() => Err(error.clone()),
            _ => Ok(Answer::clone(&answer)),
        };
        Exchange { method: GET, url, status, elapsed, bytes, limits, retry_after, body }
    }
}

fn head(line: &[u8]) -> Result<(Network, Timestamp), BadRecording> {
    let head: serde_json::Value =
        serde_json::from_slice(line).map_err(|_| BadRecording::Foreign)?;
    if head.get("chainglass").and_then(|word| word.as_str()) != Some(WORD) {
        return Err(BadRecording::Foreign);
    }
    let version = head.get("version").and_then(serde_json::Value::as_u64).unwrap_or_default();
    let version = u32::try_from(version).unwrap_or(u32::MAX);
    if version != VERSION {
        return Err(BadRecording::Version(version));
    }
    let head: Head = serde_json::from_value(head).map_err(|_| BadRecording::Line(1))?;
    match (head.chain.network(), head.started.parse(), line.ends_with(b"\n")) {
        (Some(network), Ok(started), true) => Ok((network, started)),
        _ => Err(BadRecording::Line(1)),
    }
}

/// A line's path and answer. A line without its end is none.
fn answer(line: &[u8]) -> Option<(String, Answer)> {
    let line: Line = serde_json::from_slice(line.strip_suffix(b"\n")?).ok()?;
    let body = match (line.body, line.body_base64) {
        (Some(_), Some(_)) => return None,
        (Some(text), None) => Some(Bytes::from(text)),
        (None, Some(text)) => Some(Bytes::from(BASE64_STANDARD.decode(text).ok()?)),
        (None, None) => None,
    };
    if body.is_none() && line.failure.is_none() {
        return None;
    }
    let answer = Answer {
        status: line.status,
        elapsed: Duration::from_millis(line.took_ms),
        bytes: line.bytes,
        limits: line.limits.map(Into::into),
        retry_after: line.retry_after_ms.map(Duration::from_millis),
        expected: line.expected,
        body,
        failure: line.failure.map(Into::into),
    };
    Some((line.path, answer))
}
