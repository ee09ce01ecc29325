//! Pacing of the requests to a public server: a token bucket, which learns the interval of the server.

use std::time::Duration;

use tokio::time::Instant;

/// Interval between requests if the server names none: five a second.
const DEFAULT_INTERVAL: Duration = Duration::from_millis(200);
/// Maximum time by which requests run ahead of the interval after a pause: six at once by default.
const MAX_AHEAD: Duration = Duration::from_secs(1);
/// Maximum learned interval: a server with fewer requests left is asked until it blocks, because the
/// title shows that time.
const MAX_INTERVAL: Duration = Duration::from_secs(2);
/// Time for which the interval of a refusal is kept.
const REFUSAL_MEMORY: Duration = Duration::from_mins(5);

#[derive(Debug, Default)]
pub(super) struct TokenBucket {
    /// Time at which all tokens are there again. `None` before the first request.
    full_at: Option<Instant>,
    refusal: Option<Refusal>,
}

/// A response that refused a request because of its rate.
#[derive(Debug, Clone, Copy)]
struct Refusal {
    interval: Duration,
    forgotten_at: Instant,
}

impl TokenBucket {
    /// Returns the time of the next request.
    pub(super) fn next_at(&self, now: Instant) -> Instant {
        // A server that has refused a request has no tokens for a burst.
        let ahead = if self.refusal(now).is_some() { Duration::ZERO } else { MAX_AHEAD };
        self.full_at.and_then(|full_at| full_at.checked_sub(ahead)).map_or(now, |at| at.max(now))
    }

    /// Takes the token of a request. `window` is the interval that fits into the rest of the server's
    /// window.
    pub(super) fn take(&mut self, now: Instant, window: Option<Duration>) {
        let interval = self.interval(now, window);
        self.full_at = Some(self.full_at.map_or(now, |full_at| full_at.max(now)) + interval);
    }

    /// Keeps the interval that the server demands with a refusal.
    pub(super) fn learn(&mut self, interval: Duration, now: Instant) {
        let demanded = interval.min(MAX_INTERVAL);
        // The time between two arrivals varies.
        let padded = demanded + demanded / 10;
        let interval = self.refusal(now).map_or(padded, |known| known.interval.max(padded));
        self.refusal = Some(Refusal { interval, forgotten_at: now + REFUSAL_MEMORY });
    }

    fn refusal(&self, now: Instant) -> Option<Refusal> {
        self.refusal.filter(|refusal| refusal.forgotten_at > now)
    }

    fn interval(&self, now: Instant, window: Option<Duration>) -> Duration {
        let refused = self.refusal(now).map(|refusal| refusal.interval);
        let window = window.map(|interval| interval.min(MAX_INTERVAL));
        refused.into_iter().chain(window).fold(DEFAULT_INTERVAL, Duration::max)
    }
}
