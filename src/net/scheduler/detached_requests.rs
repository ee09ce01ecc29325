//! Requests in tasks of their own: once sent, they are let finish, although their callers leave.

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::spawn;
use tokio::sync::{mpsc, watch};
use url::Url;

use super::RequestScheduler;
use super::admission::QueueKey;
use crate::api::exchange::Exchange;
use crate::app_message::Priority;
use crate::messages::api_error::Interruption;

/// Sends the answer to all callers of a URL. `None` until it arrives.
type AnswerSender = watch::Sender<Option<Exchange>>;

/// A request that is queued or in flight, with any number of callers.
#[derive(Debug)]
pub(super) struct SharedRequest {
    id: u64,
    /// Owned by the task of the request.
    answer: Weak<AnswerSender>,
}

impl RequestScheduler {
    /// Runs a request to a public server, which all callers of its URL share. It leaves the queue with
    /// its last caller. Once sent, it is let finish, and its answer is kept for the next caller if none is
    /// left. A refresh does not take a kept one.
    pub async fn run_shared<F>(
        self: &Arc<Self>,
        priority: Priority,
        url: &Url,
        send: impl Fn() -> F + Send + Sync + 'static,
    ) -> Exchange
    where
        F: Future<Output = Exchange> + Send + 'static,
    {
        if let Some(kept) = self.take_kept_answer(priority, url) {
            return kept;
        }
        let mut answer = self.join_or_start(priority, url, |key, answer| {
            spawn(Arc::clone(self).answer_callers(key, url.clone(), send, answer).boxed());
        });
        let received = answer.wait_for(Option::is_some).await;
        let exchange = received.ok().and_then(|answer| (*answer).clone());
        exchange.unwrap_or_else(|| broken_off(url))
    }

    /// Runs the request of a trace to a public server. Once sent, it is let finish.
    pub async fn run_detached<B, F>(
        self: &Arc<Self>,
        priority: Priority,
        url: &Url,
        send: impl Fn() -> F + Send + Sync + 'static,
    ) -> Exchange<B>
    where
        B: Send + 'static,
        F: Future<Output = Exchange<B>> + Send + 'static,
    {
        let (answer, mut received) = mpsc::channel(1);
        let (scheduler, sent_url) = (Arc::clone(self), url.clone());
        let run = async move {
            let id = scheduler.state.lock().next_id();
            let key = QueueKey { priority, id, is_paced: true };
            let send =
                || scheduler.send_after_outages(key, &sent_url, &send, || !answer.is_closed());
            let run = scheduler.run_or_abandon(key, &sent_url, send, answer.closed());
            if let Ok(exchange) = run.await {
                // Fails if the caller has left.
                answer.send(exchange).await.ok();
            }
        };
        // As one type, so that tokio's code around it is compiled once.
        spawn(run.boxed());
        received.recv().await.unwrap_or_else(|| broken_off(url))
    }

    fn take_kept_answer(&self, priority: Priority, url: &Url) -> Option<Exchange> {
        if priority == Priority::Refresh {
            return None;
        }
        let kept = self.state.lock().kept_answers.take(url)?;
        self.log_cache_hit(url, kept.bytes, Duration::ZERO, priority);
        Some(kept)
    }

    /// Waits for the request to a URL, which takes the priority of its most important caller, or starts
    /// one.
    fn join_or_start(
        &self,
        priority: Priority,
        url: &Url,
        start: impl FnOnce(QueueKey, Arc<AnswerSender>),
    ) -> watch::Receiver<Option<Exchange>> {
        let mut state = self.state.lock();
        let entry = state.shared.get(url);
        let shared = entry.and_then(|shared| Some((shared.id, shared.answer.upgrade()?)));
        if let Some((id, answer)) = shared {
            let received = answer.subscribe();
            state.admission.raise(id, priority);
            drop(state);
            self.changed.notify_waiters();
            return received;
        }
        let key = QueueKey { priority, id: state.next_id(), is_paced: true };
        let (answer, received) = watch::channel(None);
        let answer = Arc::new(answer);
        let shared = SharedRequest { id: key.id, answer: Arc::downgrade(&answer) };
        state.shared.insert(url.clone(), shared);
        start(key, answer);
        received
    }

    async fn answer_callers<F>(
        self: Arc<Self>,
        key: QueueKey,
        url: Url,
        send: impl Fn() -> F + Send + Sync,
        answer: Arc<AnswerSender>,
    ) where
        F: Future<Output = Exchange> + Send + 'static,
    {
        let send = || self.send_until_answered(key, &url, &send, || answer.receiver_count() > 0);
        loop {
            let exchange = self.run_or_abandon(key, &url, send, answer.closed()).await;
            if self.finish_shared(&url, exchange.ok(), &answer) {
                return;
            }
        }
    }

    /// Sends or keeps the answer of a request. Returns `false` for an abandoned one that has another
    /// caller by now.
    fn finish_shared(&self, url: &Url, exchange: Option<Exchange>, answer: &AnswerSender) -> bool {
        let mut state = self.state.lock();
        let has_callers = answer.receiver_count() > 0;
        match exchange {
            None if has_callers => return false,
            None => {}
            Some(exchange) if has_callers => drop(answer.send_replace(Some(exchange))),
            Some(exchange) => state.kept_answers.put(url.clone(), exchange),
        }
        state.shared.remove(url);
        true
    }
}

/// Returns the exchange of a request whose task has panicked.
fn broken_off<B>(url: &Url) -> Exchange<B> {
    Exchange::failed(url.clone(), Interruption::Panic.into())
}
