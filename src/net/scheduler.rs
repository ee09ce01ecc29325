//! Schedules the requests to one explorer: priority queue, in-flight limit, rate limits and retries.
//!
//! A request waits until it is first in the queue, few others are in flight and no rate limit blocks
//! (`admission`). Its permit is returned on drop, so a cancelled request frees its place at once. After
//! a failure, the retry policy decides whether it queues again.
//!
//! Requests to public explorers run in tasks of their own (`detached_requests`): cancelling one that is still
//! queued removes it, but one that was sent is let finish, because the server does its work anyway and
//! would otherwise have more than a few at once. Its answer is for all that ask for the same URL, or is
//! kept for the next (`kept_answers`). One that was lost on its way is sent again (`lost_requests`).

mod admission;
mod detached_requests;
mod kept_answers;
mod lost_requests;
mod pacing;
mod rate_limit_window;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::future::pending;
use std::pin::pin;
use std::time::Duration;

use admission::{Admission, AdmissionQueue, QueueKey};
use detached_requests::SharedRequest;
use jiff::Timestamp;
use kept_answers::KeptAnswers;
use lost_requests::SilenceWatch;
use parking_lot::Mutex;
use tokio::select;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::info;
use url::Url;

use super::retry::{Backoff, max_attempts, refused_interval};
use crate::api::ApiError;
use crate::api::client::api_key::redact_url;
use crate::api::exchange::{Exchange, GET, POST};
use crate::app_message::{
    ConnectionStatus, NetworkEvent, Priority, RequestLogEntry, RetryProgress,
};
use crate::sanitize::SafeText;

/// Failures in a row after which a server counts as down: three requests of a page have failed in all
/// of their attempts.
const MAX_FAILURES_IN_A_ROW: u32 = 9;

/// Schedules requests. Cancel-safe: dropping a future of [`Self::run`] frees its place.
#[derive(Debug, Default)]
pub struct RequestScheduler {
    state: Mutex<SchedulerState>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct SchedulerState {
    admission: AdmissionQueue,
    /// Also the number of requests so far.
    last_id: u64,
    retrying: BTreeMap<u64, RetryProgress>,
    last_status: ConnectionStatus,
    events_tx: Option<UnboundedSender<NetworkEvent>>,
    backoff: Backoff,
    /// Number of attempts that failed since the last one that did not.
    failures_in_a_row: u32,
    /// Requests to public servers that are queued or in flight.
    shared: HashMap<Url, SharedRequest>,
    kept_answers: KeptAnswers,
    silence: SilenceWatch,
}

#[derive(Debug, Clone, Copy)]
struct Attempt<'a> {
    url: &'a Url,
    key: QueueKey,
    number: u8,
}

impl RequestScheduler {
    /// Returns the events from now on. A new subscriber replaces the previous one.
    pub fn subscribe(&self) -> UnboundedReceiver<NetworkEvent> {
        let (sender, receiver) = unbounded_channel();
        self.state.lock().events_tx = Some(sender);
        receiver
    }

    /// Waits for a permit and sends a request to `url` with `send`, repeatedly if the retry policy
    /// requires it. Dropping the future cancels the request at any step.
    pub async fn run<B, F>(
        &self,
        priority: Priority,
        url: &Url,
        send: impl Fn() -> F,
    ) -> Exchange<B>
    where
        F: Future<Output = Exchange<B>>,
    {
        let key = QueueKey { priority, id: self.state.lock().next_id(), is_paced: false };
        let Ok(exchange) = self.run_or_abandon(key, url, send, pending::<Infallible>()).await;
        exchange
    }

    /// Sends a request when its turn comes, but ends with the output of `abandoned` if that completes while the request is
    /// not in flight.
    async fn run_or_abandon<B, F, A>(
        &self,
        key: QueueKey,
        url: &Url,
        send: impl Fn() -> F,
        abandoned: impl Future<Output = A>,
    ) -> Result<Exchange<B>, A>
    where
        F: Future<Output = Exchange<B>>,
    {
        let retry = RetryGuard { scheduler: self, id: key.id };
        let mut abandoned = pin!(abandoned);
        let mut attempt = Attempt { url, key, number: 1 };
        loop {
            let mut permit = select! {
                biased;
                reason = &mut abandoned => return Err(reason),
                permit = self.acquire(attempt) => permit,
            };
            attempt = permit.attempt;
            let exchange = send().await;
            permit.is_answered = true;
            self.on_response(&exchange, attempt);
            drop(permit);
            let max_attempts = self.state.lock().max_attempts(&exchange);
            if attempt.number >= max_attempts {
                return Ok(exchange);
            }
            attempt.number += 1;
            retry.report(RetryProgress { attempt: attempt.number, max_attempts });
            info!(attempt = attempt.number, max_attempts, "retry");
            let delay = self.state.lock().backoff.retry_delay(&exchange, attempt.number);
            select! {
                biased;
                reason = &mut abandoned => return Err(reason),
                () = sleep(delay.unwrap_or_default()) => {}
            }
        }
    }

    pub fn log_cache_hit(&self, url: &Url, bytes: u64, elapsed: Duration, priority: Priority) {
        self.state.lock().emit_request(RequestLogEntry {
            status: Some(200),
            elapsed,
            bytes,
            from_cache: true,
            ..log_entry(url, 1, priority)
        });
    }

    async fn acquire<'a>(&'a self, attempt: Attempt<'a>) -> Permit<'a> {
        let entry = QueueEntry { scheduler: self, id: attempt.key.id };
        self.state.lock().admission.enter(attempt.key);
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let admission = self.state.lock().try_admit(entry.id);
            match admission {
                Admission::Granted(key) => {
                    let attempt = Attempt { key, ..attempt };
                    let sent = Instant::now();
                    return Permit { scheduler: self, attempt, sent, is_answered: false };
                }
                Admission::Queued => changed.await,
                Admission::RetryAt(time) => select! {
                    () = changed => {}
                    () = sleep_until(time) => {}
                },
            }
        }
    }

    fn on_response<B>(&self, exchange: &Exchange<B>, attempt: Attempt<'_>) {
        let mut state = self.state.lock();
        state.apply_rate_limit(exchange, attempt);
        state.emit_request(RequestLogEntry {
            method: exchange.method,
            status: exchange.status,
            error: exchange.body.as_ref().err().map(ApiError::reason),
            elapsed: exchange.elapsed,
            bytes: exchange.bytes,
            ..log_entry(&exchange.url, attempt.number, attempt.key.priority)
        });
        state.publish_status();
    }
}

impl SchedulerState {
    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn try_admit(&mut self, id: u64) -> Admission {
        let admission = self.admission.try_admit(id);
        self.publish_status();
        admission
    }

    /// Returns the maximum number of attempts, which is 1 while the server is down: the app repeats by
    /// itself what is on the screen.
    fn max_attempts<B>(&mut self, exchange: &Exchange<B>) -> u8 {
        let is_failure = exchange.status != Some(429)
            && exchange.body.as_ref().is_err_and(ApiError::is_transient);
        self.failures_in_a_row = if is_failure { self.failures_in_a_row + 1 } else { 0 };
        match self.failures_in_a_row {
            MAX_FAILURES_IN_A_ROW.. => 1,
            _ => max_attempts(exchange),
        }
    }

    fn apply_rate_limit<B>(&mut self, exchange: &Exchange<B>, attempt: Attempt<'_>) {
        if let Some(received) = exchange.rate_limit {
            self.admission.rate_limit.update(received);
        }
        if let Some(interval) = refused_interval(exchange) {
            self.admission.bucket.learn(interval, Instant::now());
        }
        if let Some(delay) = self.backoff.rate_limit_delay(exchange, attempt.number) {
            self.admission.block_for(delay);
        }
    }

    fn publish_status(&mut self) {
        let status = ConnectionStatus {
            rate_limit: self.admission.rate_limit.limit,
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

/// Returns the log entry of a request without a response.
fn log_entry(url: &Url, attempt: u8, priority: Priority) -> RequestLogEntry {
    RequestLogEntry {
        // Only posted queries have a fragment, which is not sent.
        method: if url.fragment().is_some() { POST } else { GET },
        url: SafeText::new(redact_url(url).as_str()),
        status: None,
        error: None,
        time: Timestamp::now(),
        elapsed: Duration::ZERO,
        bytes: 0,
        attempt,
        from_cache: false,
        priority,
    }
}

struct QueueEntry<'a> {
    scheduler: &'a RequestScheduler,
    id: u64,
}

impl Drop for QueueEntry<'_> {
    fn drop(&mut self) {
        let mut state = self.scheduler.state.lock();
        state.admission.leave(self.id);
        state.publish_status();
        drop(state);
        self.scheduler.changed.notify_waiters();
    }
}

/// Permission to have one request in flight, returned on drop.
struct Permit<'a> {
    scheduler: &'a RequestScheduler,
    attempt: Attempt<'a>,
    sent: Instant,
    is_answered: bool,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.scheduler.state.lock();
        let Attempt { url, key, number } = self.attempt;
        state.admission.release(key.priority);
        if !self.is_answered {
            state.emit_request(RequestLogEntry {
                error: Some("cancelled".into()),
                elapsed: self.sent.elapsed(),
                ..log_entry(url, number, key.priority)
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
        let mut state = self.scheduler.state.lock();
        state.retrying.insert(self.id, progress);
        state.publish_status();
    }
}

impl Drop for RetryGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.scheduler.state.lock();
        if state.retrying.remove(&self.id).is_some() {
            state.publish_status();
        }
    }
}
