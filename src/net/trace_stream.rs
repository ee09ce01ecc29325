//! Downloads a trace: parses its bytes as they arrive, and reports the frames in chunks, no more often
//! than a screen can show them.

use std::mem::take;
use std::pin::pin;

use bytes::Bytes;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Duration, Instant, timeout_at};

use super::provider::Provider;
use super::response_body::ResponseBody;
use crate::api::{ApiError, Query, TransactionQuery};
use crate::app_message::{FetchProgress, TraceEvent, TraceOptions};
use crate::chain::TxHash;
use crate::memory_limit::{MemoryLimit, free_memory_bytes};
use crate::sanitize::SafeText;
use crate::trace::{TraceChunk, TraceParser};

/// Minimum time between two chunks after the first: about two frames of a screen.
const MIN_UPDATE_INTERVAL: Duration = Duration::from_millis(33);
/// Maximum unsent bytes while waiting for the interval: unparsed input is copied when the parser's
/// buffer is full.
const FLUSH_BYTES: u64 = 64 << 10;
/// Maximum number of bytes per chunk, so that handling one causes no visible delay.
const MAX_CHUNK_BYTES: usize = 4 << 20;
/// Memory of a call in bytes, without its part of the body.
const BYTES_PER_CALL: u64 = 100;

/// Limits at which a download pauses, and its continuation.
#[derive(Debug)]
pub struct PauseControl {
    pub limit: MemoryLimit,
    /// Receives the user's consent. The download ends if the sender is dropped during a pause.
    pub continues: UnboundedReceiver<()>,
}

impl PauseControl {
    /// Pauses at a quarter of the free memory.
    pub fn for_free_memory(continues: UnboundedReceiver<()>) -> Self {
        Self { limit: MemoryLimit::share_of(free_memory_bytes(), 0), continues }
    }
}

/// Downloads a trace and reports it with `send`.
///
/// After a pause it pauses again only if the rest turns out larger than announced, or, if the size is
/// unknown, when it fills half of the memory that was free.
pub async fn fetch(
    provider: &Provider,
    transaction: TxHash,
    options: TraceOptions,
    pause: PauseControl,
    mut send: impl FnMut(TraceEvent),
) {
    let started = Instant::now();
    let query = Query::Transaction(transaction, TransactionQuery::RawTrace);
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
        calls: 0,
        limit: pause.limit,
        last_update: None,
        unsent_bytes: 0,
    };
    streamer.run(body, pause.continues).await;
}

struct TraceStreamer<T> {
    send: T,
    parser: TraceParser,
    started: Instant,
    expected_bytes: Option<u64>,
    received_bytes: u64,
    /// Number of calls that were sent.
    calls: u64,
    /// Memory that may be filled before the next pause.
    limit: MemoryLimit,
    /// Time of the last chunk, once one had frames.
    last_update: Option<Instant>,
    unsent_bytes: u64,
}

impl<T: FnMut(TraceEvent)> TraceStreamer<T> {
    async fn run(mut self, mut body: ResponseBody, mut continues: UnboundedReceiver<()>) {
        let error = loop {
            match self.next_chunk(&mut body).await {
                Ok(Some(chunk)) => self.feed(chunk),
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
            if self.must_pause() {
                self.pause();
                if continues.recv().await.is_none() {
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

    /// Returns the memory that the body and its calls fill.
    fn held_bytes(&self) -> u64 {
        self.received_bytes.saturating_add(self.calls.saturating_mul(BYTES_PER_CALL))
    }

    /// Returns `true` if the download must pause. It never does at the known end.
    fn must_pause(&self) -> bool {
        self.held_bytes() >= self.limit.max_bytes
            && self.expected_bytes.is_none_or(|total| self.received_bytes < total)
    }

    /// Reports the estimated size of the rest, and raises the limit for it.
    fn pause(&mut self) {
        self.flush();
        let held_bytes = self.held_bytes();
        let free_bytes = free_memory_bytes();
        let needed_bytes = self.expected_bytes.map(|total| {
            let rest = u128::from(total.saturating_sub(self.received_bytes));
            let needed = rest * u128::from(held_bytes) / u128::from(self.received_bytes.max(1));
            u64::try_from(needed).unwrap_or(u64::MAX)
        });
        self.limit.raise(held_bytes, needed_bytes, free_bytes);
        let progress = self.progress();
        (self.send)(TraceEvent::Paused { progress, needed_bytes, free_bytes });
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
        self.calls += chunk.frames.len() as u64;
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
        (self.send)(error.map_or(TraceEvent::Ended, TraceEvent::Failed));
    }

    fn progress(&self) -> FetchProgress {
        FetchProgress {
            received: self.received_bytes,
            expected: self.expected_bytes,
            elapsed: self.started.elapsed(),
        }
    }
}
