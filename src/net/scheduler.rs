//! Schedules the requests to one explorer: priority queue, in-flight limit, rate limits and retries.
//!
//! A request waits in the queue until it is first in line, fewer than [`MAX_IN_FLIGHT`] are on their
//! way, and no rate limit blocks. Its permit is returned on drop, so a cancelled request frees its
//! place at once. After a failure, the retry policy decides whether it queues again.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::info;
use url::Url;

use super::retry::{Backoff, max_attempts};
use crate::api::api_key::redact_url;
use crate::api::exchange::{Exchange, GET, RateLimit};
use crate::msg::{ConnectionStatus, NetworkEvent, Priority, RequestLogEntry, RetryProgress};
use crate::sanitize::SafeText;

/// Maximum number of requests in flight: public explorers allow about three a second without a key.
const MAX_IN_FLIGHT: usize = 3;

/// Maximum difference between reports of the end of one rate-limit window: responses take some time to
/// arrive.
const WINDOW_TOLERANCE: Duration = Duration::from_secs(5);

/// Schedules requests. Cancel-safe: dropping a future of [`Self::run`] frees its place.
#[derive(Debug, Default)]
pub struct RequestScheduler {
    state: Mutex<SchedulerState>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct SchedulerState {
    in_flight: usize,
    queue: BTreeSet<QueueKey>,
    /// Also the number of requests so far.
    last_id: u64,
    /// No request is sent before this time.
    blocked_until: Option<Instant>,
    retrying: BTreeMap<u64, RetryProgress>,
    rate_limit: Option<RateLimit>,
    /// End of the rate-limit window, after which requests are counted again.
    window_end: Option<Instant>,
    last_status: ConnectionStatus,
    events_tx: Option<UnboundedSender<NetworkEvent>>,
    backoff: Backoff,
}

/// The position of a request in the queue: by priority, then in the order of the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QueueKey {
    priority: Priority,
    id: u64,
}

enum Admission {
    Granted,
    /// Retry at this time, or after a change.
    RetryAt(Instant),
    /// Retry after a change.
    Queued,
}

#[derive(Debug, Clone, Copy)]
struct Attempt<'a> {
    url: &'a Url,
    number: u8,
    priority: Priority,
}

impl RequestScheduler {
    /// Returns the events from now on. A new subscriber replaces the previous one.
    pub fn subscribe(&self) -> UnboundedReceiver<NetworkEvent> {
        let (sender, receiver) = unbounded_channel();
        self.lock().events_tx = Some(sender);
        receiver
    }

    /// Waits for a permit and sends a request to `url` with `send`, repeatedly if the retry policy
    /// requires it.
    pub async fn run<B, F>(
        &self,
        priority: Priority,
        url: &Url,
        send: impl Fn() -> F,
    ) -> Exchange<B>
    where
        F: Future<Output = Exchange<B>>,
    {
        let retry = RetryGuard { scheduler: self, id: self.next_id() };
        let mut attempt = Attempt { url, number: 1, priority };
        loop {
            let mut permit = self.acquire(priority).await;
            permit.unanswered = Some(Unanswered { attempt, sent: Instant::now() });
            let exchange = send().await;
            permit.unanswered = None;
            self.on_response(&exchange, attempt);
            drop(permit);
            let max_attempts = max_attempts(&exchange);
            if attempt.number >= max_attempts {
                return exchange;
            }
            attempt.number += 1;
            retry.report(RetryProgress { attempt: attempt.number, max_attempts });
            info!(attempt = attempt.number, max_attempts, "retry");
            let delay = self.lock().backoff.retry_delay(&exchange, attempt.number);
            if let Some(delay) = delay {
                sleep(delay).await;
            }
        }
    }

    pub fn log_cache_hit(&self, url: &Url, bytes: u64, elapsed: Duration, priority: Priority) {
        self.lock().emit_request(RequestLogEntry {
            status: Some(200),
            elapsed,
            bytes,
            from_cache: true,
            ..Attempt { url, number: 1, priority }.log_entry()
        });
    }

    fn lock(&self) -> MutexGuard<'_, SchedulerState> {
        // The state is usable after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_id(&self) -> u64 {
        let mut state = self.lock();
        state.last_id += 1;
        state.last_id
    }

    async fn acquire(&self, priority: Priority) -> Permit<'_> {
        let entry = QueueEntry { scheduler: self, key: QueueKey { priority, id: self.next_id() } };
        self.lock().queue.insert(entry.key);
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let admission = self.lock().try_admit(entry.key);
            match admission {
                Admission::Granted => return Permit { scheduler: self, unanswered: None },
                Admission::Queued => changed.await,
                Admission::RetryAt(time) => tokio::select! {
                    () = changed => {}
                    () = sleep_until(time) => {}
                },
            }
        }
    }

    fn on_response<B>(&self, exchange: &Exchange<B>, attempt: Attempt<'_>) {
        let mut state = self.lock();
        state.apply_rate_limit(exchange, attempt.number);
        state.emit_request(RequestLogEntry {
            method: exchange.method,
            status: exchange.status,
            error: exchange.body.as_ref().err().map(|error| SafeText::new(&error.to_string())),
            elapsed: exchange.elapsed,
            bytes: exchange.bytes,
            ..Attempt { url: &exchange.url, ..attempt }.log_entry()
        });
        state.publish_status();
    }
}

impl SchedulerState {
    /// Admits a request if it is at the head of the queue and no limit blocks it.
    fn try_admit(&mut self, key: QueueKey) -> Admission {
        let now = Instant::now();
        if self.queue.first() != Some(&key) {
            return Admission::Queued;
        }
        let admission = match self.blocked_until.filter(|until| *until > now) {
            // The request at the head of the queue drives the countdown that the title shows.
            Some(until) => Admission::RetryAt(now + until_next_second(until - now)),
            None if self.in_flight >= MAX_IN_FLIGHT => Admission::Queued,
            None => {
                self.queue.remove(&key);
                self.in_flight += 1;
                Admission::Granted
            }
        };
        self.publish_status();
        admission
    }

    fn apply_rate_limit<B>(&mut self, exchange: &Exchange<B>, attempt: u8) {
        if let Some(received) = exchange.rate_limit {
            self.update_rate_limit(received);
        }
        if let Some(delay) = self.backoff.rate_limit_delay(exchange, attempt) {
            self.blocked_until = self.blocked_until.max(Some(Instant::now() + delay));
        }
    }

    /// Updates the rate limit. Responses can arrive out of order, so within one window the lowest
    /// number of requests left is right.
    fn update_rate_limit(&mut self, received: RateLimit) {
        let now = Instant::now();
        let end = received.reset_ms.and_then(|ms| now.checked_add(Duration::from_millis(ms)));
        let known = self.rate_limit.zip(self.window_end);
        let current = known.filter(|(known, end)| known.limit == received.limit && *end > now);
        let (known, known_end, end) = match (current, end) {
            (Some((known, known_end)), Some(end)) if end <= known_end + WINDOW_TOLERANCE => {
                (known, known_end, end)
            }
            _ => {
                (self.rate_limit, self.window_end) = (Some(received), end);
                return;
            }
        };
        // Otherwise it belongs to the previous window.
        if end + WINDOW_TOLERANCE >= known_end {
            let remaining = [known.remaining, received.remaining].into_iter().flatten().min();
            self.rate_limit = Some(RateLimit { remaining, ..received });
        }
    }

    fn publish_status(&mut self) {
        let now = Instant::now();
        let left = self.blocked_until.and_then(|until| until.checked_duration_since(now));
        let left = left.filter(|left| !left.is_zero() && !self.queue.is_empty());
        let status = ConnectionStatus {
            rate_limit: self.rate_limit,
            limited_secs: left
                .map(|left| u64::try_from(left.as_millis().div_ceil(1000)).unwrap_or(0)),
            retrying: self.retrying.values().max().copied(),
        };
        if status != self.last_status {
            self.last_status = status;
            self.emit(NetworkEvent::Status(status));
        }
    }

    fn emit_request(&mut self, entry: RequestLogEntry) {
        self.emit(NetworkEvent::Request(Box::new(entry)));
    }

    /// Sends an event, or drops a subscriber that is gone.
    fn emit(&mut self, event: NetworkEvent) {
        self.events_tx = self.events_tx.take().filter(|sender| sender.send(event).is_ok());
    }
}

/// Returns the time until the number of full seconds left changes.
fn until_next_second(left: Duration) -> Duration {
    match left.subsec_nanos() {
        0 => left.min(Duration::from_secs(1)),
        nanos => Duration::from_nanos(nanos.into()),
    }
}

impl Attempt<'_> {
    /// Returns the log entry of an attempt without a response.
    fn log_entry(&self) -> RequestLogEntry {
        RequestLogEntry {
            method: GET,
            url: SafeText::new(redact_url(self.url).as_str()),
            status: None,
            error: None,
            elapsed: Duration::ZERO,
            bytes: 0,
            attempt: self.number,
            from_cache: false,
            priority: self.priority,
        }
    }
}

struct QueueEntry<'a> {
    scheduler: &'a RequestScheduler,
    key: QueueKey,
}

impl Drop for QueueEntry<'_> {
    fn drop(&mut self) {
        let mut state = self.scheduler.lock();
        state.queue.remove(&self.key);
        state.publish_status();
        drop(state);
        self.scheduler.changed.notify_waiters();
    }
}

/// Permission to have one request in flight, returned on drop.
struct Permit<'a> {
    scheduler: &'a RequestScheduler,
    unanswered: Option<Unanswered<'a>>,
}

struct Unanswered<'a> {
    attempt: Attempt<'a>,
    sent: Instant,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.scheduler.lock();
        state.in_flight -= 1;
        if let Some(Unanswered { attempt, sent }) = &self.unanswered {
            state.emit_request(RequestLogEntry {
                error: Some("cancelled".into()),
                elapsed: sent.elapsed(),
                ..attempt.log_entry()
            });
        }
        drop(state);
        self.scheduler.changed.notify_waiters();
    }
}

/// Reports a request as retrying until it completes or is dropped.
struct RetryGuard<'a> {
    scheduler: &'a RequestScheduler,
    id: u64,
}

impl RetryGuard<'_> {
    fn report(&self, progress: RetryProgress) {
        let mut state = self.scheduler.lock();
        state.retrying.insert(self.id, progress);
        state.publish_status();
    }
}

impl Drop for RetryGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.scheduler.lock();
        if state.retrying.remove(&self.id).is_some() {
            state.publish_status();
        }
    }
}
