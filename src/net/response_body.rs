//! An answer that comes piece by piece, from the wire or because it was kept.

use std::fmt::Debug;
use std::mem::take;

use bytes::Bytes;
use url::Url;

use super::cache::{MAX_ENTRY_BYTES, ResponseCache};
use crate::api::client::ResponseStream;
use crate::api::{ApiError, Query};

/// What is there at once comes in pieces of this size, so that others have their turn in between.
const MAX_PIECE_BYTES: usize = 1 << 20;

/// The body of a good answer.
#[derive(Debug)]
pub struct ResponseBody {
    /// How long it is. None when nobody says, or says how long it is compressed.
    pub expected_bytes: Option<u64>,
    state: BodyState,
    cache_writer: Option<CacheWriter>,
    observer: Option<Box<dyn BodyObserver>>,
}

/// Somebody who takes along what is read of a body.
pub(crate) trait BodyObserver: Debug + Send {
    /// Takes a piece along, or the end, or why it broke off.
    fn observe(&mut self, piece: &Result<Option<Bytes>, ApiError>);
}

#[derive(Debug)]
enum BodyState {
    Streaming(Box<ResponseStream>),
    /// What is left of it, and why it breaks off, if it does.
    Buffered(Bytes, Option<ApiError>),
}

/// Who keeps the body when it is complete.
#[derive(Debug)]
struct CacheWriter {
    cache: ResponseCache,
    query: Query,
    url: Url,
    body: Vec<u8>,
}

impl From<ResponseStream> for ResponseBody {
    fn from(streamed: ResponseStream) -> Self {
        let expected = streamed.expected_bytes;
        Self {
            expected_bytes: expected,
            state: BodyState::Streaming(Box::new(streamed)),
            cache_writer: None,
            observer: None,
        }
    }
}

impl ResponseBody {
    /// One that is there at once.
    pub fn from_bytes(body: Bytes) -> Self {
        Self::replayed(Some(body.len() as u64), body, None)
    }

    /// One that is as it was, and breaks off where it did.
    pub(crate) fn replayed(expected: Option<u64>, body: Bytes, broken: Option<ApiError>) -> Self {
        Self {
            expected_bytes: expected,
            state: BodyState::Buffered(body, broken),
            cache_writer: None,
            observer: None,
        }
    }

    /// The same, with somebody who takes along what is read.
    #[must_use]
    pub(crate) fn with_observer(self, follower: impl BodyObserver + 'static) -> Self {
        Self { observer: Some(Box::new(follower)), ..self }
    }

    /// The same, to be kept when it is complete.
    #[must_use]
    pub(crate) fn with_cache(self, cache: ResponseCache, query: Query, url: Url) -> Self {
        let is_short = self.expected_bytes.is_none_or(|bytes| bytes <= MAX_ENTRY_BYTES as u64);
        let keeper = CacheWriter { cache, query, url, body: Vec::new() };
        Self { cache_writer: Some(keeper).filter(|_| is_short), ..self }
    }

    /// The next piece; none at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, ApiError> {
        let piece = match &mut self.state {
            BodyState::Streaming(streamed) => streamed.chunk().await,
            BodyState::Buffered(rest, broken) => next_piece(rest, broken),
        };
        if let Some(follower) = &mut self.observer {
            follower.observe(&piece);
        }
        let piece = piece?;
        match &piece {
            Some(piece) => {
                self.cache_writer = take(&mut self.cache_writer).and_then(|k| k.append(piece))
            }
            None => {
                if let Some(CacheWriter { cache, query, url, body }) = take(&mut self.cache_writer)
                {
                    cache.put(&query, &url, &body.into()).await;
                }
            }
        }
        Ok(piece)
    }
}

impl CacheWriter {
    /// With one more piece; nothing if it is too long now.
    fn append(mut self, piece: &[u8]) -> Option<Self> {
        if self.body.len() + piece.len() > MAX_ENTRY_BYTES {
            return None;
        }
        self.body.extend_from_slice(piece);
        Some(self)
    }
}

/// The next piece of what is there.
fn next_piece(rest: &mut Bytes, broken: &mut Option<ApiError>) -> Result<Option<Bytes>, ApiError> {
    match rest.len().min(MAX_PIECE_BYTES) {
        0 => broken.take().map_or(Ok(None), Err),
        length => Ok(Some(rest.split_to(length))),
    }
}
