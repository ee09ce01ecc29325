//! The body of a response, read in pieces: from the network, the cache or a recording.

use std::fmt::Debug;

use bytes::Bytes;
use url::Url;

use super::cache::ResponseCache;
use crate::api::ApiError;
use crate::api::client::response_stream::ResponseStream;
use crate::disk_cache::MAX_ENTRY_BYTES;

/// Maximum size of a piece of a buffered body, so that other work can run in between.
const MAX_PIECE_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub struct ResponseBody {
    /// Length, or `None` if the server does not send it or compresses the body.
    pub expected_bytes: Option<u64>,
    state: BodyState,
    cache_writer: Option<CacheWriter>,
    observer: Option<Box<dyn BodyObserver>>,
}

pub(crate) trait BodyObserver: Debug + Send {
    /// Handles a piece, the end, or the error that ends the body.
    fn observe(&mut self, piece: &Result<Option<Bytes>, ApiError>);
}

#[derive(Debug)]
enum BodyState {
    Streaming(Box<ResponseStream>),
    Buffered {
        rest: Bytes,
        /// Returned at the end of `rest`.
        error: Option<ApiError>,
    },
}

/// Collects a body, to cache it when it is complete.
#[derive(Debug)]
struct CacheWriter {
    cache: ResponseCache,
    url: Url,
    body: Vec<u8>,
}

impl From<ResponseStream> for ResponseBody {
    fn from(stream: ResponseStream) -> Self {
        Self::new(stream.expected_bytes, BodyState::Streaming(Box::new(stream)))
    }
}

impl ResponseBody {
    fn new(expected_bytes: Option<u64>, state: BodyState) -> Self {
        Self { expected_bytes, state, cache_writer: None, observer: None }
    }

    pub fn from_bytes(body: Bytes) -> Self {
        Self::replayed(Some(body.len() as u64), body, None)
    }

    /// Creates a body that ends like a recorded one: with an error, if it broke off.
    pub(crate) fn replayed(
        expected_bytes: Option<u64>,
        body: Bytes,
        error: Option<ApiError>,
    ) -> Self {
        Self::new(expected_bytes, BodyState::Buffered { rest: body, error })
    }

    #[must_use]
    pub(crate) fn with_observer(self, observer: impl BodyObserver + 'static) -> Self {
        Self { observer: Some(Box::new(observer)), ..self }
    }

    /// Caches the body when it is complete, unless it is too large.
    #[must_use]
    pub(crate) fn with_cache(self, cache: ResponseCache, url: Url) -> Self {
        let fits = self.expected_bytes.is_none_or(|bytes| bytes <= MAX_ENTRY_BYTES as u64);
        let cache_writer = fits.then(|| CacheWriter { cache, url, body: Vec::new() });
        Self { cache_writer, ..self }
    }

    pub async fn chunk(&mut self) -> Result<Option<Bytes>, ApiError> {
        let received = match &mut self.state {
            BodyState::Streaming(stream) => stream.chunk().await,
            BodyState::Buffered { rest, error } => next_piece(rest, error),
        };
        if let Some(observer) = &mut self.observer {
            observer.observe(&received);
        }
        let piece = received?;
        if let Some(writer) = self.cache_writer.take() {
            match &piece {
                Some(piece) => self.cache_writer = writer.append(piece),
                None => writer.finish().await,
            }
        }
        Ok(piece)
    }
}

impl CacheWriter {
    /// Returns `None` if the body is too large with this piece.
    fn append(mut self, piece: &[u8]) -> Option<Self> {
        if self.body.len() + piece.len() > MAX_ENTRY_BYTES {
            return None;
        }
        self.body.extend_from_slice(piece);
        Some(self)
    }

    async fn finish(self) {
        self.cache.put(&self.url, self.body.into()).await;
    }
}

fn next_piece(rest: &mut Bytes, error: &mut Option<ApiError>) -> Result<Option<Bytes>, ApiError> {
    match rest.len().min(MAX_PIECE_BYTES) {
        0 => error.take().map_or(Ok(None), Err),
        len => Ok(Some(rest.split_to(len))),
    }
}
