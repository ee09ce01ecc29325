//! Fetching a trace: its bytes go through a reader as they come, and what it makes of them is told in
//! parts, no faster than a screen can show them.

use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::provider::Source;
use super::response_body::Body;
use crate::api::{ApiError, Query};
use crate::chain::TxHash;
use crate::msg::{Progress, TraceNews, Why};
use crate::sanitize::Text;
use crate::trace::{Part, Reader};

/// Parts are so far apart, but for the first: about two frames of a screen.
const APART: Duration = Duration::from_millis(33);
/// More is not held back even for so long: what waits unread when a piece of memory is full has to
/// move to the next one, and its place is lost.
const HELD: u64 = 64 << 10;
/// Bytes that one part covers at most, so that taking it in is not felt.
const MOST: usize = 4 << 20;

/// Fetches a trace and tells what is heard of it. It pauses at `limit`, the number of bytes that may
/// be read in all, until that is raised, and ends early when nobody can raise it any more.
pub async fn fetch(
    source: &Source,
    transaction: TxHash,
    terms: (Duration, Why),
    limit: watch::Receiver<u64>,
    tell: impl FnMut(TraceNews),
) {
    open(source, transaction, terms, tell).await.read(limit).await;
}

/// Waits until the answer begins. What can be told of it then is told; the rest is in
/// [`Opened::read`].
async fn open<T: FnMut(TraceNews)>(
    source: &Source,
    transaction: TxHash,
    (patience, why): (Duration, Why),
    mut tell: T,
) -> Opened<T> {
    let asked = Instant::now();
    let body = match source.open(&Query::RawTrace(transaction), patience, why).await {
        Ok(body) => body,
        Err(error) => {
            tell(TraceNews::Failed(error));
            return Opened(None);
        }
    };
    let expected = body.expected;
    tell(TraceNews::Begun { expected });
    let teller = Teller {
        tell,
        reader: Reader::default(),
        asked,
        expected,
        received: 0,
        told: None,
        held: 0,
    };
    Opened(Some((body, teller)))
}

/// An answer that has begun; nothing if it has not.
struct Opened<T>(Option<(Body, Teller<T>)>);

impl<T: FnMut(TraceNews)> Opened<T> {
    /// Reads it to its end.
    async fn read(self, mut limit: watch::Receiver<u64>) {
        let Some((mut body, mut teller)) = self.0 else { return };
        let broken = loop {
            match teller.next(&mut body).await {
                Ok(Some(chunk)) => teller.take(chunk),
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
            if teller.is_at(*limit.borrow_and_update()) {
                teller.pause();
                let received = teller.received;
                if limit.wait_for(|limit| *limit > received).await.is_err() {
                    return;
                }
            }
        };
        teller.end(broken);
    }
}

/// Tells what a reader makes of a body.
struct Teller<T> {
    tell: T,
    reader: Reader,
    asked: Instant,
    expected: Option<u64>,
    received: u64,
    /// When the last part with frames was told.
    told: Option<Instant>,
    /// Bytes that the reader has taken in since.
    held: u64,
}

impl<T: FnMut(TraceNews)> Teller<T> {
    /// The next bytes. What was held back is told in the meantime if they take long.
    async fn next(&mut self, body: &mut Body) -> Result<Option<Bytes>, ApiError> {
        let mut chunk = pin!(body.chunk());
        if let Some(told) = self.told.filter(|_| self.held > 0) {
            match timeout_at(told + APART, &mut chunk).await {
                Ok(chunk) => return chunk,
                Err(_) => self.tell_all(),
            }
        }
        chunk.await
    }

    fn take(&mut self, chunk: Bytes) {
        let chunk_len = chunk.len() as u64;
        self.received += chunk_len;
        self.reader.feed(chunk);
        self.held += chunk_len;
        if self.held >= HELD || self.told.is_none_or(|told| told.elapsed() >= APART) {
            self.tell_all();
        }
    }

    /// Whether no more may be read. At its known end it is not stopped any more.
    fn is_at(&self, limit: u64) -> bool {
        self.received >= limit && self.expected.is_none_or(|all| self.received < all)
    }

    fn pause(&mut self) {
        self.tell_all();
        let progress = self.progress();
        (self.tell)(TraceNews::Paused(progress));
    }

    /// Tells whatever the reader has.
    fn tell_all(&mut self) {
        self.held = 0;
        while let Some(part) = self.reader.part(MOST) {
            if self.told.is_some() || !part.frames.is_empty() {
                self.told = Some(Instant::now());
            }
            self.tell_part(part);
        }
    }

    fn tell_part(&mut self, part: Part) {
        let dialect = match &part.ending {
            Some(ending) => ending.dialect.clone(),
            None => self.reader.dialect(),
        };
        let progress = self.progress();
        (self.tell)(TraceNews::Part { part: Box::new(part), dialect, progress });
    }

    fn end(mut self, broken: Option<ApiError>) {
        self.tell_all();
        if broken.is_none() || self.received > 0 {
            let words = broken.as_ref().map(|error| Text::new(&error.to_string()));
            let last = std::mem::take(&mut self.reader).finish(words);
            self.tell_part(last);
        }
        if let Some(error) = broken {
            (self.tell)(TraceNews::Failed(error));
        }
    }

    fn progress(&self) -> Progress {
        let Self { received, expected, .. } = *self;
        Progress { received, expected, elapsed: self.asked.elapsed() }
    }
}
