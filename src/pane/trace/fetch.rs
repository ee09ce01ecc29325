//! The state of loading a trace: requested, arriving, paused, complete or failed.

use crate::api::ApiError;
use crate::app_message::{FetchProgress, Priority, TRACE_TIMEOUT, TraceOptions};
use crate::chain::Timestamp;
use crate::chain::amount::Grouped;
use crate::messages::trace::{self, TraceMemory, TraceStatus};
use crate::pane::PaneContext;
use crate::trace::TraceFormat;
use crate::ui::format_options::format_bytes;

#[derive(Debug)]
pub(super) enum FetchState {
    NotRequested,
    Pending,
    Waiting,
    Reading,
    /// The trace would fill more than its share of the free memory; the user can continue.
    Paused,
    /// The user stopped loading; the calls so far stay.
    Stopped,
    Complete,
    Failed(ApiError),
}

#[derive(Debug)]
pub(super) struct TraceFetch {
    pub(super) state: FetchState,
    pub(super) options: TraceOptions,
    pub(super) progress: FetchProgress,
    pub(super) format: TraceFormat,
    /// The memory that the rest was likely to need when the download paused.
    pub(super) needed_bytes: Option<u64>,
    pub(super) free_bytes: u64,
    /// Time of the end of the response.
    pub(super) loaded_at: Option<Timestamp>,
    /// Failure of the last attempt to load it again.
    pub(super) failed_refresh: Option<ApiError>,
    /// `true` if it was loaded again without the user.
    pub(super) was_repeated: bool,
}

impl Default for TraceFetch {
    fn default() -> Self {
        Self {
            state: FetchState::NotRequested,
            options: TraceOptions { timeout: TRACE_TIMEOUT, priority: Priority::Interactive },
            progress: FetchProgress::default(),
            format: TraceFormat::Unknown,
            needed_bytes: None,
            free_bytes: 0,
            loaded_at: None,
            failed_refresh: None,
            was_repeated: false,
        }
    }
}

impl TraceFetch {
    pub(super) fn start(&mut self) -> TraceOptions {
        self.state = FetchState::Waiting;
        self.progress = FetchProgress::default();
        self.options
    }

    /// Returns the state of another request: with twice the timeout if the last one timed out or was
    /// refused.
    pub(super) fn repeated(&self) -> Self {
        let mut options = TraceOptions { priority: Priority::Refresh, ..self.options };
        if let Some(ApiError::TimedOut { .. } | ApiError::Refused { .. }) = self.failure() {
            options.timeout = (options.timeout * 2).min(TRACE_TIMEOUT * 10);
        }
        Self { options, ..Self::default() }
    }

    /// Returns the failure of the last request.
    pub(super) fn failure(&self) -> Option<&ApiError> {
        match &self.state {
            FetchState::Failed(error) => self.failed_refresh.as_ref().or(Some(error)),
            _ => self.failed_refresh.as_ref(),
        }
    }

    /// Returns `true` if the last request failed for a reason that may pass. A node that replays the
    /// transaction for longer than a gateway waits is not asked again and again.
    pub(super) fn may_succeed_later(&self) -> bool {
        let has_begun = self.progress.received > 0 && self.failed_refresh.is_none();
        self.failure().is_some_and(|error| match error {
            ApiError::TimedOut { .. } => has_begun,
            ApiError::Refused { status: 504, .. } | ApiError::NotJson { status: 504, .. } => false,
            error => error.is_transient(),
        })
    }

    /// Returns `true` if it timed out, and may be loaded once more by itself.
    pub(super) fn can_repeat_after_timeout(&self) -> bool {
        !self.was_repeated && matches!(self.failure(), Some(ApiError::TimedOut { .. }))
    }

    pub(super) fn may_come_with_blocks(&self) -> bool {
        matches!(&self.state, FetchState::Failed(error) if error.may_come_with_blocks())
    }

    pub(super) fn is_complete(&self) -> bool {
        matches!(self.state, FetchState::Complete)
    }

    pub(super) fn is_in_flight(&self) -> bool {
        matches!(self.state, FetchState::Waiting | FetchState::Reading | FetchState::Paused)
    }

    /// Describes the state; empty if the trace is complete.
    pub(super) fn status_text(&self, calls: u32, cx: &PaneContext<'_>) -> String {
        let keys = cx.keys;
        let loaded = || format!("{} calls · {}", Grouped(calls), self.received_text());
        let stops = &*keys.expand(trace::STOPS);
        let retries = &*keys.expand(trace::RETRIES);
        match &self.state {
            FetchState::NotRequested => keys.expand(trace::NOT_LOADED_YET).into_owned(),
            FetchState::Pending => keys.expand(trace::PENDING_TRACE).into_owned(),
            FetchState::Waiting => {
                TraceStatus::Waiting { seconds: self.options.timeout.as_secs(), stops }.to_string()
            }
            FetchState::Reading => {
                let loaded = &(loaded() + &self.rate_text());
                TraceStatus::Reading { loaded, stops }.to_string()
            }
            FetchState::Paused => {
                let continues = &*keys.expand(trace::CONTINUES);
                let free = &format_bytes(self.free_bytes);
                let needed = self.needed_bytes.map(format_bytes);
                let memory = match &needed {
                    Some(needed) => TraceMemory::Needed { needed, free },
                    None => TraceMemory::Unknown { free },
                };
                TraceStatus::Paused { loaded: &loaded(), continues, memory, stops }.to_string()
            }
            FetchState::Stopped => TraceStatus::Stopped { loaded: &loaded(), retries }.to_string(),
            FetchState::Complete => String::new(),
            FetchState::Failed(error) if calls > 0 => {
                let why = &cx.reason(error);
                let next = &cx.next_step(error);
                TraceStatus::Incomplete { loaded: &loaded(), why, next }.to_string()
            }
            FetchState::Failed(error) => cx.failure_within(error, None, cx.area.width.into()).0,
        }
    }

    fn received_text(&self) -> String {
        let received = format_bytes(self.progress.received);
        match self.progress.expected {
            Some(all) if all > 0 => {
                let percent = u128::from(self.progress.received) * 100 / u128::from(all);
                format!("{received} of {} ({percent}%)", format_bytes(all))
            }
            _ => received,
        }
    }

    fn rate_text(&self) -> String {
        let millis = self.progress.elapsed.as_millis();
        match u128::from(self.progress.received) * 1000 {
            0 => String::new(),
            _ if millis == 0 => String::new(),
            bytes => {
                format!(" · {}/s", format_bytes(u64::try_from(bytes / millis).unwrap_or(u64::MAX)))
            }
        }
    }
}
