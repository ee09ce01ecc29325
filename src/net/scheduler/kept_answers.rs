//! Answers that came after their callers had left, for the next caller of the same URL.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;
use url::Url;

use crate::api::exchange::Exchange;

const MAX_ANSWERS: usize = 16;
/// Maximum size of all kept bodies.
const MAX_BYTES: usize = 8 << 20;
const MAX_AGE: Duration = Duration::from_mins(1);

/// Complete answers, oldest first.
#[derive(Debug, Default)]
pub(super) struct KeptAnswers(VecDeque<KeptAnswer>);

#[derive(Debug)]
struct KeptAnswer {
    url: Url,
    received: Instant,
    exchange: Exchange,
}

impl KeptAnswer {
    fn bytes(&self) -> usize {
        self.exchange.body.as_ref().map_or(0, Bytes::len)
    }
}

impl KeptAnswers {
    /// Keeps an answer, unless it is a failure, in place of the oldest ones.
    pub(super) fn put(&mut self, url: Url, exchange: Exchange) {
        if exchange.body.is_err() {
            return;
        }
        self.0.retain(|kept| kept.url != url);
        self.0.push_back(KeptAnswer { url, received: Instant::now(), exchange });
        while self.0.len() > MAX_ANSWERS
            || self.0.iter().map(KeptAnswer::bytes).sum::<usize>() > MAX_BYTES
        {
            self.0.pop_front();
        }
    }

    /// Removes the answer of a URL and returns it, unless it is too old.
    pub(super) fn take(&mut self, url: &Url) -> Option<Exchange> {
        let now = Instant::now();
        self.0.retain(|kept| now.duration_since(kept.received) < MAX_AGE);
        let index = self.0.iter().position(|kept| kept.url == *url)?;
        Some(self.0.remove(index)?.exchange)
    }
}
