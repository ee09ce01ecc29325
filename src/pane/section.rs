//! A part of a page with a request of its own: its data, its progress and its failure.

use std::borrow::Cow;

use super::Command;
use super::load_state::LoadState;
use crate::api::{ApiError, Query, ReplyData, ReplyResult};
use crate::app_message::Priority;
use crate::chain::Timestamp;
use crate::messages::failed_refresh::DataAge;

/// Data of a request that an explorer may not support. It stays until it is loaded again.
#[derive(Debug)]
pub struct Section<T> {
    query: Query,
    /// Priority of the first request and of retries. Refreshes are never above [`Priority::Refresh`].
    priority: Priority,
    state: LoadState,
    /// The data, and the time at which it was loaded.
    loaded: Option<(T, Timestamp)>,
    /// Failures in a row.
    failures: u32,
}

impl<T> Section<T> {
    pub fn new(query: Query, priority: Priority) -> Self {
        Self { query, priority, state: LoadState::default(), loaded: None, failures: 0 }
    }

    pub fn query(&self) -> &Query {
        &self.query
    }

    /// Replaces the query of further requests.
    pub fn set_query(&mut self, query: Query) {
        self.query = query;
    }

    /// Requests the data, unless that was done.
    pub fn request(&mut self) -> Option<Command> {
        self.is_unasked().then(|| self.fetch(self.priority))
    }

    /// Requests the data again. The old data stays visible until the reply comes.
    pub fn refresh(&mut self) -> Command {
        self.fetch(self.priority.max(Priority::Refresh))
    }

    /// Requests the data again if that failed for a reason that may have passed.
    pub fn retry(&mut self) -> Option<Command> {
        self.can_recover().then(|| self.fetch(self.priority))
    }

    fn fetch(&mut self, priority: Priority) -> Command {
        self.state.start();
        Command::fetch(self.query.clone(), None, priority)
    }

    /// Drops the data and the failure.
    pub fn forget(&mut self) {
        (self.state, self.loaded, self.failures) = (LoadState::default(), None, 0);
    }

    pub fn can_recover(&self) -> bool {
        self.state.can_recover()
    }

    pub fn cancel(&mut self) {
        self.state.cancel(self.loaded.is_some() || self.state.last_failure().is_some());
    }

    /// Handles a reply with an object or a page. A failure leaves the earlier data.
    pub fn set(&mut self, reply: ReplyResult, now: Timestamp)
    where
        T: ReplyData + Clone,
    {
        self.set_data(reply.map(|reply| reply.get().cloned()), now);
    }

    /// Handles a reply with an item likewise.
    pub fn set_item(&mut self, reply: ReplyResult, now: Timestamp)
    where
        T: ReplyData + Clone,
    {
        self.set_data(reply.map(|reply| reply.parsed_item().cloned()), now);
    }

    fn set_data(&mut self, answer: Result<Option<T>, ApiError>, now: Timestamp) {
        match answer {
            Ok(answer) => {
                self.failures = 0;
                self.state.succeed();
                self.loaded = answer.map(|answer| (answer, now)).or(self.loaded.take());
            }
            Err(error) => {
                self.failures = self.failures.saturating_add(1);
                self.state.fail(error);
            }
        }
    }

    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Counts failures from here on.
    pub fn reset_failures(&mut self) {
        self.failures = 0;
    }

    pub fn is_unasked(&self) -> bool {
        self.state.is_unasked()
    }

    /// Returns `true` if the first request was given up.
    pub fn is_stopped(&self) -> bool {
        self.state.is_stopped()
    }

    pub fn is_loading(&self) -> bool {
        self.state.is_loading()
    }

    pub fn value(&self) -> Option<&T> {
        self.loaded.as_ref().map(|(value, _)| value)
    }

    /// Returns the failure of the last request, unless it is repeated now.
    pub fn failure(&self) -> Option<&ApiError> {
        self.state.failure()
    }

    /// Returns `true` if there is no data because the request failed.
    pub fn is_missing(&self) -> bool {
        self.loaded.is_none() && self.failure().is_some()
    }

    /// Returns the failure for which there is no data, also while the request is repeated.
    pub fn missing_because(&self) -> Option<&ApiError> {
        self.state.last_failure().filter(|_| self.loaded.is_none())
    }

    /// Returns `true` if there is neither data nor a failure.
    pub fn is_awaited(&self) -> bool {
        self.loaded.is_none() && self.state.last_failure().is_none()
    }

    /// Returns the age of data that could not be loaded again.
    pub fn failed_age(&self, now: Timestamp) -> Option<DataAge> {
        let (_, loaded_at) =
            self.loaded.as_ref().filter(|_| self.state.last_failure().is_some())?;
        Some(DataAge::between(*loaded_at, now))
    }

    /// Returns a value of the reply, `…` while it is loading, or `?`.
    pub fn show<'a>(&'a self, show: impl FnOnce(&'a T) -> Cow<'a, str>) -> Cow<'a, str> {
        match (self.value(), self.failure()) {
            (Some(value), _) => show(value),
            (None, None) => "…".into(),
            (None, Some(_)) => "?".into(),
        }
    }
}
