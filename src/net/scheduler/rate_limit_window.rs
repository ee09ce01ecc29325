//! The rate limit that a server reports with its responses, and the window for which it counts.

use std::time::Duration;

use tokio::time::Instant;

use crate::api::exchange::RateLimit;

/// Maximum difference between reports of the end of one window: responses take some time to arrive.
const WINDOW_TOLERANCE: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub(super) struct RateLimitWindow {
    pub(super) limit: Option<RateLimit>,
    /// Time after which requests are counted again.
    end: Option<Instant>,
}

impl RateLimitWindow {
    /// Returns the interval at which the requests left last until the end of the window.
    pub(super) fn interval(&self, now: Instant) -> Option<Duration> {
        let left = self.end?.checked_duration_since(now)?;
        let remaining = u32::try_from(self.limit?.remaining?).ok()?;
        left.checked_div(remaining)
    }

    /// Updates the limit. Responses can arrive out of order, so within one window the lowest number of
    /// requests left is right.
    pub(super) fn update(&mut self, received: RateLimit) {
        let now = Instant::now();
        let end = received.reset_ms.and_then(|ms| now.checked_add(Duration::from_millis(ms)));
        let known = self.limit.zip(self.end);
        let current = known.filter(|(known, end)| known.limit == received.limit && *end > now);
        let (known, known_end, end) = match (current, end) {
            (Some((known, known_end)), Some(end)) if end <= known_end + WINDOW_TOLERANCE => {
                (known, known_end, end)
            }
            _ => {
                (self.limit, self.end) = (Some(received), end);
                return;
            }
        };
        // Otherwise it belongs to the previous window.
        if end + WINDOW_TOLERANCE >= known_end {
            let remaining = [known.remaining, received.remaining].into_iter().flatten().min();
            self.limit = Some(RateLimit { remaining, ..received });
        }
    }
}
