//! Requests that were lost on their way: the network went away, and no error of the connection comes.
//!
//! If the server is silent for a while, one of the requests that wait for it is sent again, and another
//! each time it stays silent. The first ones go on, because the server may just be slow. As soon as a
//! later request is answered, those that were sent long before count as lost, and are sent again too. A
//! server that has answered late is given more time, so that its slow queries are not all sent twice.
//!
//! A trace may take a minute, and costs the server much. It is sent again only after an outage: when
//! another request was answered that had been lost before.

use std::convert::Infallible;
use std::future::pending;
use std::mem::take;
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::select;
use tokio::time::{Instant, sleep_until};
use url::Url;

use super::admission::QueueKey;
use super::{RequestScheduler, log_entry};
use crate::api::ApiError;
use crate::api::exchange::Exchange;
use crate::app_message::{Priority, RequestLogEntry};
use crate::messages::api_error;

/// Time without an answer after which a request may be lost. A public explorer needs 5 s for one answer
/// in fifty.
const SILENCE_LIMIT: Duration = Duration::from_secs(8);
/// Maximum of that time, for a server that has answered late.
const MAX_SILENCE_LIMIT: Duration = Duration::from_secs(15);

#[derive(Debug, Default)]
pub(super) struct SilenceWatch {
    /// Time of the last answer, or of the last request that was sent again.
    last_sign: Option<Instant>,
    /// Time at which the latest of the answered requests was sent.
    answered_sent: Option<Instant>,
    /// Time that the last late answer took, unless its request was lost.
    late_answer: Duration,
    /// `true` after a request that was never answered.
    is_outage: bool,
    /// Time before which requests were lost.
    outage_end: Option<Instant>,
}

impl SilenceWatch {
    /// Handles an answer to a request that was sent for the first time at `first_sent`.
    fn on_answer(&mut self, first_sent: Instant, sent: Instant) {
        self.last_sign = Some(Instant::now());
        self.answered_sent = self.answered_sent.max(Some(sent));
        if sent > first_sent {
            self.late_answer = Duration::ZERO;
        } else if sent.elapsed() > SILENCE_LIMIT {
            self.late_answer = sent.elapsed();
        }
        if take(&mut self.is_outage) || sent > first_sent {
            self.outage_end = self.outage_end.max(Some(sent));
        }
    }

    /// Returns the time at which an unanswered request is sent again.
    fn repeats_at(&self, sent: Instant) -> Instant {
        let limit = SILENCE_LIMIT.max(self.late_answer * 2).min(MAX_SILENCE_LIMIT);
        let is_lost = self.answered_sent.is_some_and(|later| later >= sent + limit);
        if is_lost { sent } else { self.last_sign.max(Some(sent)).unwrap_or(sent) + limit }
    }

    /// Returns `true` if a request is to be sent again, unless another one was just now.
    fn begin_repeat(&mut self, sent: Instant) -> bool {
        let now = Instant::now();
        let is_due = self.repeats_at(sent) <= now;
        if is_due {
            self.last_sign = Some(now);
        }
        is_due
    }
}

impl RequestScheduler {
    /// Runs an interactive request like [`Self::run`], and sends it again when it may be lost.
    pub async fn run_until_answered<B, F>(&self, url: &Url, send: impl Fn() -> F) -> Exchange<B>
    where
        F: Future<Output = Exchange<B>>,
    {
        let priority = Priority::Interactive;
        let key = QueueKey { priority, id: self.state.lock().next_id(), is_paced: false };
        let send = || self.send_until_answered(key, url, &send, || true);
        let Ok(exchange) = self.run_or_abandon(key, url, send, pending::<Infallible>()).await;
        exchange
    }

    /// Sends a request, and again when it may be lost, as long as its answer is awaited. Returns the
    /// first answer or failure.
    pub(super) async fn send_until_answered<B, F>(
        &self,
        key: QueueKey,
        url: &Url,
        send: impl Fn() -> F,
        is_awaited: impl Fn() -> bool,
    ) -> Exchange<B>
    where
        F: Future<Output = Exchange<B>>,
    {
        let send_at = |at| {
            let answer = send();
            async move { (at, answer.await) }
        };
        let first_sent = Instant::now();
        let mut last_sent = first_sent;
        let mut answers = FuturesUnordered::from_iter([send_at(first_sent)]);
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let repeats_at = self.state.lock().silence.repeats_at(last_sent);
            select! {
                biased;
                Some((asked_at, exchange)) = answers.next() => {
                    let silence = &mut self.state.lock().silence;
                    match (exchange.status, &exchange.body) {
                        (Some(_), _) => silence.on_answer(first_sent, asked_at),
                        (_, Err(ApiError::TimedOut { .. })) => silence.is_outage = true,
                        _ => {}
                    }
                    return exchange;
                }
                () = changed => {}
                () = sleep_until(repeats_at), if is_awaited() => {
                    if self.state.lock().silence.begin_repeat(last_sent) {
                        self.log_lost(key, url, last_sent);
                        last_sent = Instant::now();
                        answers.push(send_at(last_sent));
                    }
                }
            }
        }
    }

    /// Sends the request of a trace, and again after an outage, as long as its answer is awaited.
    pub(super) async fn send_after_outages<B, F>(
        &self,
        key: QueueKey,
        url: &Url,
        send: impl Fn() -> F,
        is_awaited: impl Fn() -> bool,
    ) -> Exchange<B>
    where
        F: Future<Output = Exchange<B>>,
    {
        loop {
            let sent_at = Instant::now();
            let is_lost = || self.state.lock().silence.outage_end > Some(sent_at) && is_awaited();
            select! {
                biased;
                exchange = send() => return exchange,
                () = self.until(is_lost) => self.log_lost(key, url, sent_at),
            }
        }
    }

    /// Waits until a condition holds after a change.
    async fn until(&self, holds: impl Fn() -> bool) {
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            if holds() {
                return;
            }
            changed.await;
        }
    }

    fn log_lost(&self, key: QueueKey, url: &Url, sent: Instant) {
        self.state.lock().emit_request(RequestLogEntry {
            error: Some(api_error::SENT_AGAIN.into()),
            elapsed: sent.elapsed(),
            ..log_entry(url, 1, key.priority)
        });
    }
}
