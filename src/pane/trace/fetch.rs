//! The state of loading a trace: requested, arriving, paused, complete or failed.

use std::time::Duration;

use crate::api::ApiError;
use crate::chain::amount::group_digits;
use crate::keymap::key_hints::KeyHints;
use crate::msg::{FetchProgress, Priority, TraceOptions};
use crate::trace::TraceFormat;

/// Initial timeout of a trace request: the explorer's node replays the transaction.
const TRACE_TIMEOUT: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(super) enum FetchState {
    NotRequested,
    Pending,
    Waiting,
    Reading,
    /// The byte limit is reached; the user can continue.
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
    /// Memory that was free when the download paused.
    pub(super) free_bytes: u64,
}

impl Default for TraceFetch {
    fn default() -> Self {
        Self {
            state: FetchState::NotRequested,
            options: TraceOptions { timeout: TRACE_TIMEOUT, priority: Priority::Interactive },
            progress: FetchProgress::default(),
            format: TraceFormat::Unknown,
            free_bytes: 0,
        }
    }
}

impl TraceFetch {
    pub(super) fn start(&mut self) -> TraceOptions {
        self.state = FetchState::Waiting;
        self.progress = FetchProgress::default();
        self.options.clone()
    }

    /// Starts a request with twice the timeout if the last one timed out or was refused.
    pub(super) fn restart(&mut self) -> TraceOptions {
        if matches!(
            self.state,
            FetchState::Failed(ApiError::TimedOut { .. } | ApiError::Refused { .. })
        ) {
            self.options.timeout = (self.options.timeout * 2).min(TRACE_TIMEOUT * 10);
        }
        self.options.priority = Priority::Refresh;
        self.start()
    }

    /// Continues to the end, or through half of the free memory where the end is unknown. Returns the
    /// new limit in bytes.
    pub(super) fn raise_limit(&mut self) -> u64 {
        self.state = FetchState::Reading;
        match self.progress.expected {
            Some(_) => u64::MAX,
            None => self.progress.received.saturating_add(self.free_bytes / 2),
        }
    }

    pub(super) fn is_in_flight(&self) -> bool {
        matches!(self.state, FetchState::Waiting | FetchState::Reading | FetchState::Paused)
    }

    /// Describes the state; empty if the trace is complete.
    pub(super) fn status_text(&self, calls: u32, keys: KeyHints<'_>) -> String {
        let loaded =
            || format!("{} calls · {}", group_digits(&calls.to_string()), self.received_text());
        let stop = keys.expand("{back} stops");
        let retry = keys.expand("{refresh} retries");
        match &self.state {
            FetchState::NotRequested => keys.expand("not loaded · {refresh} loads").into_owned(),
            FetchState::Pending => {
                let template =
                    "pending: not executed yet, so there is no trace · {refresh} retries";
                keys.expand(template).into_owned()
            }
            FetchState::Waiting => format!(
                "waiting for the explorer's node, up to {} s · {stop}",
                self.options.timeout.as_secs()
            ),
            FetchState::Reading => format!("loading: {}{} · {stop}", loaded(), self.rate_text()),
            FetchState::Paused => {
                let resume = keys.expand("{continue} continues");
                format!("paused: {} · {resume}{} · {stop}", loaded(), self.remaining_text())
            }
            FetchState::Stopped => format!("stopped: {} · {retry}", loaded()),
            FetchState::Complete => String::new(),
            FetchState::Failed(error) if calls > 0 => {
                format!("✗ incomplete: {} · {error} · {retry}", loaded())
            }
            FetchState::Failed(error) => format!("✗ {error} ({})", error.hint()),
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

    /// Says what the rest needs.
    fn remaining_text(&self) -> String {
        let free = format!("{} free", format_bytes(self.free_bytes));
        match self.progress.expected.and_then(|all| all.checked_sub(self.progress.received)) {
            Some(rest) => {
                let needed = format_bytes(rest.saturating_add(rest / 4));
                format!(" (needs {needed} more memory, {free})")
            }
            None => format!(" (size unknown, {free})"),
        }
    }
}

/// Formats a size, such as `12.3 MB` or `45 kB`.
pub(super) fn format_bytes(bytes: u64) -> String {
    match bytes {
        ..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..1_000_000_000 => {
            format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10)
        }
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes / 100_000_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_of_known_size_is_asked_about_once_and_an_endless_one_within_the_memory() {
        let mut fetch = TraceFetch { free_bytes: 1_000, ..TraceFetch::default() };
        fetch.progress = FetchProgress { received: 200, ..FetchProgress::default() };
        assert_eq!(fetch.raise_limit(), 700);
        fetch.progress.expected = Some(900);
        assert_eq!(fetch.raise_limit(), u64::MAX);
    }
}
