//! An answer that comes piece by piece, from the wire or because it was kept.

use std::fmt::Debug;
use std::mem::take;

use bytes::Bytes;
use url::Url;

use super::cache::{Cache, ENTRY};
use crate::api::client::Streamed;
use crate::api::{ApiError, Query};

/// What is there at once comes in pieces of this size, so that others have their turn in between.
const PIECE: usize = 1 << 20;

/// The body of a good answer.
#[derive(Debug)]
pub struct Body {
    /// How long it is. None when nobody says, or says how long it is compressed.
    pub expected: Option<u64>,
    flow: Flow,
    keeper: Option<Keeper>,
    follower: Option<Box<dyn Follow>>,
}

/// Somebody who takes along what is read of a body.
pub(crate) trait Follow: Debug + Send {
    /// Takes a piece along, or the end, or why it broke off.
    fn take(&mut self, piece: &Result<Option<Bytes>, ApiError>);
}

#[derive(Debug)]
enum Flow {
    Wire(Box<Streamed>),
    /// What is left of it, and why it breaks off, if it does.
    Here(Bytes, Option<ApiError>),
}

/// Who keeps the body when it is complete.
#[derive(Debug)]
struct Keeper {
    cache: Cache,
    query: Query,
    url: Url,
    body: Vec<u8>,
}

impl From<Streamed> for Body {
    fn from(streamed: Streamed) -> Self {
        let expected = streamed.expected;
        Self { expected, flow: Flow::Wire(Box::new(streamed)), keeper: None, follower: None }
    }
}

impl Body {
    /// One that is there at once.
    pub fn whole(body: Bytes) -> Self {
        Self::recorded(Some(body.len() as u64), body, None)
    }

    /// One that is as it was, and breaks off where it did.
    pub(crate) fn recorded(expected: Option<u64>, body: Bytes, broken: Option<ApiError>) -> Self {
        Self { expected, flow: Flow::Here(body, broken), keeper: None, follower: None }
    }

    /// The same, with somebody who takes along what is read.
    #[must_use]
    pub(crate) fn followed_by(self, follower: impl Follow + 'static) -> Self {
        Self { follower: Some(Box::new(follower)), ..self }
    }

    /// The same, to be kept when it is complete.
    #[must_use]
    pub(crate) fn kept_in(self, cache: Cache, query: Query, url: Url) -> Self {
        let is_short = self.expected.is_none_or(|bytes| bytes <= ENTRY as u64);
        let keeper = Keeper { cache, query, url, body: Vec::new() };
        Self { keeper: Some(keeper).filter(|_| is_short), ..self }
    }

    /// The next piece; none at the end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, ApiError> {
        let piece = match &mut self.flow {
            Flow::Wire(streamed) => streamed.chunk().await,
            Flow::Here(rest, broken) => next(rest, broken),
        };
        if let Some(follower) = &mut self.follower {
            follower.take(&piece);
        }
        let piece = piece?;
        match &piece {
            Some(piece) => self.keeper = take(&mut self.keeper).and_then(|k| k.and(piece)),
            None => {
                if let Some(Keeper { cache, query, url, body }) = take(&mut self.keeper) {
                    cache.put(&query, &url, &body.into()).await;
                }
            }
        }
        Ok(piece)
    }
}

impl Keeper {
    /// With one more piece; nothing if it is too long now.
    fn and(mut self, piece: &[u8]) -> Option<Self> {
        if self.body.len() + piece.len() > ENTRY {
            return None;
        }
        self.body.extend_from_slice(piece);
        Some(self)
    }
}

/// The next piece of what is there.
fn next(rest: &mut Bytes, broken: &mut Option<ApiError>) -> Result<Option<Bytes>, ApiError> {
    match rest.len().min(PIECE) {
        0 => broken.take().map_or(Ok(None), Err),
        length => Ok(Some(rest.split_to(length))),
    }
}
