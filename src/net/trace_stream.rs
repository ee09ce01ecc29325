//! Fetching a trace: its bytes go through a reader as they come, and what it makes of them is told in
//! parts, no faster than a screen can show them.

use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::provider::Provider;
use super::response_body::ResponseBody;
use crate::api::{ApiError, Query};
use crate::chain::TxHash;
use crate::msg::{FetchProgress, Priority, TraceEvent};
use crate::sanitize::SafeText;
use crate::trace::{TraceChunk, TraceParser};

/// Parts are so far apart, but for the first: about two frames of a screen.
const MIN_UPDATE_INTERVAL: Duration = Duration::from_millis(33);
/// More is not held back even for so long: what waits unread when a piece of memory is full has to
/// move to the next one, and its place is lost.
const FLUSH_BYTES: u64 = 64 << 10;
/// Bytes that one part covers at most, so that taking it in is not felt.
const MAX_CHUNK_BYTES: usize = 4 << 20;

/// Fetches a trace and tells what is heard of it. It pauses at `limit`, the number of bytes that may
/// be read in all, until that is raised, and ends early when nobody can raise it any more.
pub async fn fetch(
    source: &Provider,
    transaction: TxHash,
    terms: (Duration, Priority),
    limit: watch::Receiver<u64>,
    tell: impl FnMut(TraceEvent),
) {
    open(source, transaction, terms, tell).await.read(limit).await;
}

/// Waits until the answer begins. What can be told of it then is told; the rest is in
/// [`OpenStream::read`].
async fn open<T: FnMut(TraceEvent)>(
    source: &Provider,
    transaction: TxHash,
    (patience, why): (Duration, Priority),
    mut tell: T,
) -> OpenStream<T> {
    let asked = Instant::now();
    let body = match source.open_stream(&Query::RawTrace(transaction), patience, why).await {
        Ok(body) => body,
        Err(error) => {
            tell(TraceEvent::Failed(error));
            return OpenStream(None);
        }
    };
    let expected = body.expected_bytes;
    tell(TraceEvent::Started { expected });
    let teller = TraceStreamer {
        send: tell,
        reader: TraceParser::default(),
        started: asked,
        expected_bytes: expected,
        received_bytes: 0,
        last_update: None,
        unsent_bytes: 0,
    };
    OpenStream(Some((body, teller)))
}

/// An answer that has begun; nothing if it has not.
struct OpenStream<T>(Option<(ResponseBody, TraceStreamer<T>)>);

impl<T: FnMut(TraceEvent)> OpenStream<T> {
    /// Reads it to its end.
    async fn read(self, mut limit: watch::Receiver<u64>) {
        let Some((mut body, mut teller)) = self.0 else { return };
        let broken = loop {
            match teller.next_chunk(&mut body).await {
                Ok(Some(chunk)) => teller.feed(chunk),
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
            if teller.has_reached(*limit.borrow_and_update()) {
                teller.pause();
                let received = teller.received_bytes;
                if limit.wait_for(|limit| *limit > received).await.is_err() {
                    return;
                }
            }
        };
        teller.finish(broken);
    }
}

/// Tells what a reader makes of a body.
struct TraceStreamer<T> {
    send: T,
    reader: TraceParser,
    started: Instant,
    expected_bytes: Option<u64>,
    received_bytes: u64,
    /// When the last part with frames was told.
    last_update: Option<Instant>,
    /// Bytes that the reader has taken in since.
    unsent_bytes: u64,
}

impl<T: FnMut(TraceEvent)> TraceStreamer<T> {
    /// The next bytes. What was held back is told in the meantime if they take long.
    async fn next_chunk(&mut self, body: &mut ResponseBody) -> Result<Option<Bytes>, ApiError> {
        let mut chunk = pin!(body.chunk());
        if let Some(told) = self.last_update.filter(|_| self.unsent_bytes > 0) {
            match timeout_at(told + MIN_UPDATE_INTERVAL, &mut chunk).await {
                Ok(chunk) => return chunk,
                Err(_) => self.flush(),
            }
        }
        chunk.await
    }

    fn feed(&mut self, chunk: Bytes) {
        let chunk_len = chunk.len() as u64;
        self.received_bytes += chunk_len;
        self.reader.feed(chunk);
        self.unsent_bytes += chunk_len;
        if self.unsent_bytes >= FLUSH_BYTES
            || self.last_update.is_none_or(|told| told.elapsed() >= MIN_UPDATE_INTERVAL)
        {
            self.flush();
        }
    }

    /// Whether no more may be read. At its known end it is not stopped any more.
    fn has_reached(&self, limit: u64) -> bool {
        self.received_bytes >= limit
            && self.expected_bytes.is_none_or(|all| self.received_bytes < all)
    }

    fn pause(&mut self) {
        self.flush();
        let progress = self.progress();
        (self.send)(TraceEvent::Paused(progress));
    }

    /// Tells whatever the reader has.
    fn flush(&mut self) {
        self.unsent_bytes = 0;
        while let Some(part) = self.reader.next_chunk(MAX_CHUNK_BYTES) {
            if self.last_update.is_some() || !part.frames.is_empty() {
                self.last_update = Some(Instant::now());
            }
            self.send_chunk(part);
        }
    }

    fn send_chunk(&mut self, part: TraceChunk) {
        let dialect = match &part.summary {
            Some(ending) => ending.format.clone(),
            None => self.reader.format(),
        };
        let progress = self.progress();
        (self.send)(TraceEvent::Chunk { part: Box::new(part), dialect, progress });
    }

    fn finish(mut self, broken: Option<ApiError>) {
        self.flush();
        if broken.is_none() || self.received_bytes > 0 {
            let words = broken.as_ref().map(|error| SafeText::new(&error.to_string()));
            let last = std::mem::take(&mut self.reader).finish(words);
            self.send_chunk(last);
        }
        if let Some(error) = broken {
            (self.send)(TraceEvent::Failed(error));
        }
    }

    fn progress(&self) -> FetchProgress {
        let Self { received_bytes: received, expected_bytes: expected, .. } = *self;
        FetchProgress { received, expected, elapsed: self.started.elapsed() }
    }
}
