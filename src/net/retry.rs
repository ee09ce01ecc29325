//! Retry policy: the requests that are sent again, the number of attempts, and the delays between them.

use std::time::Duration;

use crate::api::ApiError;
use crate::api::exchange::Exchange;

const MAX_ATTEMPTS: u8 = 3;
/// Maximum number of attempts when the explorer answers 500: usually its database gave up after 20 s of
/// work.
const MAX_ATTEMPTS_AFTER_500: u8 = 2;
/// Delay before the second attempt; it doubles with each further one.
const BASE_BACKOFF: Duration = Duration::from_millis(500);
/// Delay after a rate-limited response that does not name one; it doubles with each further one.
const DEFAULT_RATE_LIMIT_DELAY: Duration = Duration::from_secs(1);
/// Maximum delay that a server can request.
const MAX_RATE_LIMIT_DELAY: Duration = Duration::from_mins(1);

/// Returns the maximum number of attempts for a request with this outcome.
///
/// Retrying helps if the server is busy or the connection broke, and not if the server refuses.
pub(super) fn max_attempts<B>(exchange: &Exchange<B>) -> u8 {
    let Err(error) = &exchange.body else { return 1 };
    match (exchange.status, error) {
        // Blockscout's words, which come without a code. The node has already spent its time replaying
        // the transaction.
        (Some(500), ApiError::Refused { message, .. })
            if message.contains("Error while raw trace fetching") =>
        {
            1
        }
        // What may be lost was sent again before its time was over, the follower of a node's chain asks
        // it again, and only the user can sign in.
        (Some(511), _)
        | (_, ApiError::TimedOut { .. } | ApiError::Node { .. } | ApiError::SignInPage { .. }) => 1,
        (Some(500), ApiError::Refused { .. }) => MAX_ATTEMPTS_AFTER_500,
        (_, error) if error.is_transient() => MAX_ATTEMPTS,
        _ => 1,
    }
}

/// Returns the interval between requests that a response demands, if it refuses one for its rate.
pub(super) fn refused_interval<B>(exchange: &Exchange<B>) -> Option<Duration> {
    let is_refused = exchange.status == Some(429);
    is_refused.then(|| requested_delay(exchange).unwrap_or(DEFAULT_RATE_LIMIT_DELAY))
}

/// Returns `true` if a response asks for a pause of all requests.
fn blocks_all_requests<B>(exchange: &Exchange<B>) -> bool {
    match exchange.status {
        Some(429) => true,
        Some(503) => exchange.retry_after.is_some(),
        _ => false,
    }
}

/// Returns the delay that a response requests.
fn requested_delay<B>(exchange: &Exchange<B>) -> Option<Duration> {
    exchange.retry_after.or_else(|| reset_delay(exchange))
}

/// Returns the time until the server counts requests again.
fn reset_delay<B>(exchange: &Exchange<B>) -> Option<Duration> {
    exchange.rate_limit.and_then(|limit| limit.reset_ms).map(Duration::from_millis)
}

#[derive(Debug, Default)]
pub(super) struct Backoff {
    pub(super) rng: fastrand::Rng,
}

impl Backoff {
    /// Returns the delay before a retry. Returns `None` after a response whose delay applies to all
    /// requests.
    pub(super) fn retry_delay<B>(
        &mut self,
        exchange: &Exchange<B>,
        attempt: u8,
    ) -> Option<Duration> {
        (!blocks_all_requests(exchange)).then(|| self.delay(BASE_BACKOFF, attempt))
    }

    /// Returns the time to send nothing to the server, if it limits requests or names a time.
    pub(super) fn rate_limit_delay<B>(
        &mut self,
        exchange: &Exchange<B>,
        attempt: u8,
    ) -> Option<Duration> {
        let is_used_up = exchange.rate_limit.is_some_and(|limit| limit.remaining == Some(0));
        let delay = if blocks_all_requests(exchange) {
            requested_delay(exchange)
                .unwrap_or_else(|| self.delay(DEFAULT_RATE_LIMIT_DELAY, attempt + 1))
        } else if is_used_up {
            reset_delay(exchange).unwrap_or(DEFAULT_RATE_LIMIT_DELAY)
        } else {
            return None;
        };
        Some(delay.min(MAX_RATE_LIMIT_DELAY))
    }

    /// Returns a delay from the upper half of a range that doubles with each attempt, so that clients
    /// that failed together do not retry together.
    fn delay(&mut self, base: Duration, attempt: u8) -> Duration {
        let whole = base * (1 << attempt.saturating_sub(2).min(6));
        let half = u64::try_from(whole.as_millis() / 2).unwrap_or(u64::MAX);
        Duration::from_millis(half + self.rng.u64(0..=half))
    }
}
