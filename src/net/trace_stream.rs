//! Downloads a trace: parses its bytes as they arrive, and reports the frames in chunks, no more
//! often than a screen can show them.

use std::mem::take;
use std::pin::pin;

use bytes::Bytes;
use tokio::sync::watch;
use tokio::time::{Duration, Instant, timeout_at};

use super::free_memory::free_memory_bytes;
use super::provider::Provider;
use super::response_body::ResponseBody;
use crate::api::{ApiError, Query};
use crate::chain::TxHash;
use crate::msg::{FetchProgress, TraceEvent, TraceOptions};
use crate::sanitize::SafeText;
use crate::trace::{TraceChunk, TraceParser};

/// Minimum time between two chunks after the first: about two frames of a screen.
const MIN_UPDATE_INTERVAL: Duration = Duration::from_millis(33);
/// Number of unsent bytes that are sent without waiting for the interval: unparsed input is copied
/// when the parser's buffer is full.
const FLUSH_BYTES: u64 = 64 << 10;
/// Maximum number of bytes per chunk, so that handling one causes no visible delay.
const MAX_CHUNK_BYTES: usize = 4 << 20;
/// The part of the free memory that a trace may fill without a question, as a divisor: a quarter, and a
/// tree needs up to a quarter of the body beside it.
const UNASKED_MEMORY_DIVISOR: u64 = 5;

/// Returns the number of bytes that are read before the user is asked.
pub fn unasked_bytes() -> u64 {
    free_memory_bytes() / UNASKED_MEMORY_DIVISOR
}

/// Downloads a trace and reports it with `send`.
///
/// The download pauses when it has read `limit` bytes, until the limit is raised, and ends if the
/// sender of the limit is dropped.
pub async fn fetch(
    provider: &Provider,
    transaction: TxHash,
    options: &TraceOptions,
    limit: watch::Receiver<u64>,
    mut send: impl FnMut(TraceEvent),
) {
    let started = Instant::now();
    let query = Query::RawTrace(transaction);
    let body = match provider.open_stream(&query, options.timeout, options.priority).await {
        Ok(body) => body,
        Err(error) => return send(TraceEvent::Failed(error)),
    };
    let expected_bytes = body.expected_bytes;
    send(TraceEvent::Started { expected: expected_bytes });
    let streamer = TraceStreamer {
        send,
        parser: TraceParser::default(),
        started,
        expected_bytes,
        received_bytes: 0,
        last_update: None,
        unsent_bytes: 0,
    };
    streamer.run(body, limit).await;
}

struct TraceStreamer<T> {
    send: T,
    parser: TraceParser,
    started: Instant,
    expected_bytes: Option<u64>,
    received_bytes: u64,
    /// The time of the last chunk, once one had frames.
    last_update: Option<Instant>,
    unsent_bytes: u64,
}

impl<T: FnMut(TraceEvent)> TraceStreamer<T> {
    async fn run(mut self, mut body: ResponseBody, mut limit: watch::Receiver<u64>) {
        let error = loop {
            match self.next_chunk(&mut body).await {
                Ok(Some(chunk)) => self.feed(chunk),
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
            if self.has_reached(*limit.borrow_and_update()) {
                self.pause();
                let received = self.received_bytes;
                if limit.wait_for(|limit| *limit > received).await.is_err() {
                    return;
                }
            }
        };
        self.finish(error);
    }

    /// Returns the next bytes, and flushes frames while they do not arrive.
    async fn next_chunk(&mut self, body: &mut ResponseBody) -> Result<Option<Bytes>, ApiError> {
        let mut chunk = pin!(body.chunk());
        if let Some(last) = self.last_update.filter(|_| self.unsent_bytes > 0) {
            match timeout_at(last + MIN_UPDATE_INTERVAL, &mut chunk).await {
                Ok(chunk) => return chunk,
                Err(_) => self.flush(),
            }
        }
        chunk.await
    }

    fn feed(&mut self, chunk: Bytes) {
        let len = chunk.len() as u64;
        self.received_bytes += len;
        self.unsent_bytes += len;
        self.parser.feed(chunk);
        let is_due = self.last_update.is_none_or(|last| last.elapsed() >= MIN_UPDATE_INTERVAL);
        if is_due || self.unsent_bytes >= FLUSH_BYTES {
            self.flush();
        }
    }

    /// Returns whether the download must pause. It never does at the known end.
    fn has_reached(&self, limit: u64) -> bool {
        self.received_bytes >= limit
            && self.expected_bytes.is_none_or(|total| self.received_bytes < total)
    }

    fn pause(&mut self) {
        self.flush();
        let progress = self.progress();
        (self.send)(TraceEvent::Paused { progress, free_bytes: free_memory_bytes() });
    }

    fn flush(&mut self) {
        self.unsent_bytes = 0;
        while let Some(chunk) = self.parser.next_chunk(MAX_CHUNK_BYTES) {
            if self.last_update.is_some() || !chunk.frames.is_empty() {
                self.last_update = Some(Instant::now());
            }
            self.send_chunk(chunk);
        }
    }

    fn send_chunk(&mut self, chunk: TraceChunk) {
        let summary = chunk.summary.as_ref();
        let format = summary.map_or_else(|| self.parser.format(), |last| last.format.clone());
        let progress = self.progress();
        (self.send)(TraceEvent::Chunk { chunk: Box::new(chunk), format, progress });
    }

    fn finish(mut self, error: Option<ApiError>) {
        self.flush();
        if error.is_none() || self.received_bytes > 0 {
            let message = error.as_ref().map(|error| SafeText::new(&error.to_string()));
            let last = take(&mut self.parser).finish(message);
            self.send_chunk(last);
        }
        if let Some(error) = error {
            (self.send)(TraceEvent::Failed(error));
        }
    }

    fn progress(&self) -> FetchProgress {
        FetchProgress {
            received: self.received_bytes,
            expected: self.expected_bytes,
            elapsed: self.started.elapsed(),
        }
    }
}
