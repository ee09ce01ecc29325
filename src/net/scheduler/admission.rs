//! Admission: which of the waiting requests may be sent, and when.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::Instant;

use super::pacing::TokenBucket;
use super::rate_limit_window::RateLimitWindow;
use crate::app_message::Priority;

/// Maximum number of requests in flight: public explorers allow about three a second without a key.
const MAX_IN_FLIGHT: usize = 3;
/// Maximum number of prefetches and idle requests among them: the user never waits for one to end.
const MAX_PREFETCHES_IN_FLIGHT: usize = 2;

/// The requests that wait, and the requests in flight.
#[derive(Debug, Default)]
pub(super) struct AdmissionQueue {
    waiting: BTreeSet<QueueKey>,
    /// Priorities of the requests in flight.
    in_flight: Vec<Priority>,
    pub(super) rate_limit: RateLimitWindow,
    pub(super) bucket: TokenBucket,
    /// No request is sent before this time.
    blocked_until: Option<Instant>,
}

/// The position of a request in the queue: by priority, then in the order of the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct QueueKey {
    pub(super) priority: Priority,
    pub(super) id: u64,
    /// `true` for a request to a public server, which is sent at its pace.
    pub(super) is_paced: bool,
}

pub(super) enum Admission {
    /// The request may be sent. Its priority may have risen.
    Granted(QueueKey),
    /// Retry at this time, or after a change.
    RetryAt(Instant),
    /// Retry after a change.
    Queued,
}

impl AdmissionQueue {
    pub(super) fn enter(&mut self, key: QueueKey) {
        self.waiting.insert(key);
    }

    /// Removes a request that is no longer waited for.
    pub(super) fn leave(&mut self, id: u64) {
        self.waiting.retain(|key| key.id != id);
    }

    /// Moves a request forward if it waits with a lower priority.
    pub(super) fn raise(&mut self, id: u64, priority: Priority) {
        let key = self.waiting.iter().find(|key| key.id == id && key.priority > priority);
        if let Some(key) = key.copied() {
            self.waiting.remove(&key);
            self.waiting.insert(QueueKey { priority, ..key });
        }
    }

    /// Admits a request if it is at the head of the queue and no limit blocks it.
    pub(super) fn try_admit(&mut self, id: u64) -> Admission {
        let now = Instant::now();
        let Some(key) = self.waiting.first().copied().filter(|first| first.id == id) else {
            return Admission::Queued;
        };
        if let Some(until) = self.blocked_until.filter(|until| *until > now) {
            // The request at the head of the queue drives the countdown that the title shows.
            return Admission::RetryAt(now + until_next_second(until - now));
        }
        if !self.has_place(key.priority) {
            return Admission::Queued;
        }
        if key.is_paced {
            let next_at = self.bucket.next_at(now);
            if next_at > now {
                return Admission::RetryAt(next_at);
            }
            self.bucket.take(now, self.rate_limit.interval(now));
        }
        self.waiting.remove(&key);
        self.in_flight.push(key.priority);
        Admission::Granted(key)
    }

    /// Returns `true` if one more request of this priority may be in flight.
    fn has_place(&self, priority: Priority) -> bool {
        let is_prefetch = |priority: &Priority| *priority >= Priority::Prefetch;
        let prefetches = self.in_flight.iter().copied().filter(is_prefetch).count();
        self.in_flight.len() < MAX_IN_FLIGHT
            && (!is_prefetch(&priority) || prefetches < MAX_PREFETCHES_IN_FLIGHT)
    }

    /// Frees the place of a request that was in flight.
    pub(super) fn release(&mut self, priority: Priority) {
        if let Some(index) = self.in_flight.iter().position(|other| *other == priority) {
            self.in_flight.swap_remove(index);
        }
    }

    /// Sends nothing for this time.
    pub(super) fn block_for(&mut self, delay: Duration) {
        self.blocked_until = self.blocked_until.max(Some(Instant::now() + delay));
    }

    /// Returns the seconds until the next request is admitted, if one waits for it.
    pub(super) fn blocked_secs(&self) -> Option<u64> {
        let left = self.blocked_until?.checked_duration_since(Instant::now())?;
        let is_waiting = !left.is_zero() && !self.waiting.is_empty();
        is_waiting.then(|| u64::try_from(left.as_millis().div_ceil(1000)).unwrap_or(0))
    }
}

/// Returns the time until the number of full seconds left changes.
fn until_next_second(left: Duration) -> Duration {
    match left.subsec_nanos() {
        0 => left.min(Duration::from_secs(1)),
        nanos => Duration::from_nanos(nanos.into()),
    }
}
