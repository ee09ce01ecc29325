//! Writes recordings.

use std::fs::File;
use std::io::{self, Write};
use std::mem::{replace, take};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jiff::Timestamp;
use parking_lot::Mutex;
use serde::Serialize;
use url::Url;

use super::{
    CHAIN_ID_PATH, MAGIC, NODE_PATH, PROJECT_ABIS_PATH, RecordedChain, RecordedExchange,
    RecordingHeader, VERSION,
};
use crate::abi::SignatureDb;
use crate::api::exchange::Exchange;
use crate::api::{ApiError, Query};
use crate::chain::network::Network;
use crate::messages::api_error::Interruption;
use crate::messages::system::RECORDING_ENDED;
use crate::net::clock::Clock;
use crate::net::response_body::{BodyObserver, ResponseBody};
use crate::net::response_source::ResponseSource;
use crate::secure_fs;

/// Maximum size of a streamed body that is recorded.
const MAX_RECORDED_BODY_BYTES: usize = 64 << 20;

/// Writes a recording. It contains no API key, because keys are redacted before.
#[derive(Debug)]
pub struct Recorder {
    clock: Clock,
    file: Mutex<io::Result<File>>,
}

impl Recorder {
    /// Creates the file, and fails if it exists.
    pub fn start(path: &Path, network: &Network) -> io::Result<Self> {
        let clock = Clock::of_stopped_chain(&network.endpoint)
            .unwrap_or_else(|| Clock::new(Timestamp::now()));
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

    /// Ends the recording, and returns the first write error.
    pub fn finish(&self) -> io::Result<()> {
        let end = Err(io::Error::other(RECORDING_ENDED));
        replace(&mut *self.file.lock(), end).map(drop)
    }

    /// Records the ABIs of the project in whose folder the run was started.
    pub fn record_project(&self, signatures: &SignatureDb) {
        self.note(PROJECT_ABIS_PATH, signatures.to_recorded_abis());
    }

    /// Records that an undecided chain is a node's.
    pub fn record_node(&self) {
        self.note(NODE_PATH, String::new());
    }

    pub fn record_chain_id(&self, id: u64) {
        self.note(CHAIN_ID_PATH, id.to_string());
    }

    fn note(&self, path: &str, text: String) {
        self.write(&RecordedExchange::note(path, text, self.clock.elapsed()));
    }

    fn record(&self, exchange: &Exchange) {
        let record = RecordedExchange::new(exchange, self.clock.elapsed());
        self.write(&match &exchange.body {
            Ok(body) => record.with_body(body),
            Err(_) => record,
        });
    }

    /// Records a streamed response when it ends.
    fn observe(self: &Arc<Self>, exchange: Exchange<ResponseBody>) -> Exchange<ResponseBody> {
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
        let mut file = self.file.lock();
        if let Ok(open) = &mut *file
            && let Err(error) = write_line(open, record)
        {
            *file = Err(error);
        }
    }
}

/// Records the responses of another source.
#[derive(Debug)]
pub(crate) struct RecordedSource {
    pub(crate) source: Arc<dyn ResponseSource>,
    pub(crate) recorder: Arc<Recorder>,
}

impl ResponseSource for RecordedSource {
    fn fetch<'a>(&'a self, url: &'a Url, query: &'a Query) -> BoxFuture<'a, Exchange> {
        self.source.fetch(url, query).inspect(|exchange| self.recorder.record(exchange)).boxed()
    }

    fn open_stream<'a>(
        &'a self,
        url: &'a Url,
        query: &'a Query,
        start_timeout: Duration,
    ) -> BoxFuture<'a, Exchange<ResponseBody>> {
        let opened = self.source.open_stream(url, query, start_timeout);
        opened.map(|exchange| self.recorder.observe(exchange)).boxed()
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
        self.finish(Some(Interruption::NotRecorded.into()));
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
