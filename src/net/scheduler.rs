//! Schedules the requests to one explorer: priority queue, in-flight limit, rate limits and retries.
//!
//! A request waits until it is first in the queue, few others are in flight and no rate limit blocks
//! (`admission`). Its permit is returned on drop, so a cancelled request frees its
//! place at once. After a failure, the retry policy decides whether it queues again.

mod admission;
mod rate_limit_window;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use admission::{Admission, AdmissionQueue, QueueKey};
use rate_limit_window::RateLimitWindow;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::info;
use url::Url;

use super::retry::{Backoff, max_attempts};
use crate::api::api_key::redact_url;
use crate::api::exchange::{Exchange, GET};
use crate::msg::{ConnectionStatus, NetworkEvent, Priority, RequestLogEntry, RetryProgress};
use crate::sanitize::SafeText;

/// Schedules requests. Cancel-safe: dropping a future of [`Self::run`] frees its place.
#[derive(Debug, Default)]
pub struct RequestScheduler {
    state: Mutex<SchedulerState>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct SchedulerState {
    admission: AdmissionQueue,
    rate_limit: RateLimitWindow,
    /// Also the number of requests so far.
    last_id: u64,
    retrying: BTreeMap<u64, RetryProgress>,
    last_status: ConnectionStatus,
    events_tx: Option<UnboundedSender<NetworkEvent>>,
    backoff: Backoff,
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
        self.lock().admission.enter(entry.key);
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let admission = self.lock().try_admit(entry.key);
            match admission {
                Admission::Granted => {
                    return Permit { scheduler: self, priority, unanswered: None };
                }
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
    fn try_admit(&mut self, key: QueueKey) -> Admission {
        let admission = self.admission.try_admit(key);
        self.publish_status();
        admission
    }

    fn apply_rate_limit<B>(&mut self, exchange: &Exchange<B>, attempt: u8) {
        if let Some(received) = exchange.rate_limit {
            self.rate_limit.update(received);
        }
        if let Some(delay) = self.backoff.rate_limit_delay(exchange, attempt) {
            self.admission.block_for(delay);
        }
    }

    fn publish_status(&mut self) {
        let status = ConnectionStatus {
            rate_limit: self.rate_limit.limit,
            limited_secs: self.admission.blocked_secs(),
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
        state.admission.leave(self.key);
        state.publish_status();
        drop(state);
        self.scheduler.changed.notify_waiters();
    }
}

/// Permission to have one request in flight, returned on drop.
struct Permit<'a> {
    scheduler: &'a RequestScheduler,
    priority: Priority,
    unanswered: Option<Unanswered<'a>>,
}

struct Unanswered<'a> {
    attempt: Attempt<'a>,
    sent: Instant,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.scheduler.lock();
        state.admission.release(self.priority);
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
