//! How far the trace is here: asked for, arriving, paused, complete, or not to be had.

use std::time::Duration;

use crate::api::ApiError;
use crate::chain::amount::group_digits;
use crate::keymap::key_hints::KeyHints;
use crate::msg::{FetchProgress, Priority, TraceOptions};
use crate::trace::TraceFormat;

/// How long an explorer may think about a trace: its node is asked, and replays the transaction.
const TRACE_TIMEOUT: Duration = Duration::from_mins(1);
/// So much is read before the user is asked.
const INITIAL_BYTE_LIMIT: u64 = 64 << 20;

/// What has become of the question.
#[derive(Debug)]
pub(super) enum FetchState {
    NotRequested,
    /// The transaction has not run yet.
    Pending,
    Waiting,
    Reading,
    /// So much is here; more is read when the user says so.
    Paused,
    /// The user stopped it; what is here stays.
    Stopped,
    Complete,
    Failed(ApiError),
}

/// The question and its terms.
#[derive(Debug)]
pub(super) struct TraceFetch {
    pub(super) state: FetchState,
    pub(super) options: TraceOptions,
    pub(super) progress: FetchProgress,
    pub(super) format: TraceFormat,
}

impl Default for TraceFetch {
    fn default() -> Self {
        Self {
            state: FetchState::NotRequested,
            options: TraceOptions {
                timeout: TRACE_TIMEOUT,
                max_bytes: INITIAL_BYTE_LIMIT,
                priority: Priority::Interactive,
            },
            progress: FetchProgress::default(),
            format: TraceFormat::Unknown,
        }
    }
}

impl TraceFetch {
    /// Asks, with the terms as they are.
    pub(super) fn start(&mut self) -> TraceOptions {
        self.state = FetchState::Waiting;
        self.progress = FetchProgress::default();
        self.options.clone()
    }

    /// Asks again, with twice the patience.
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

    /// Twice as much may be read as now.
    pub(super) fn raise_limit(&mut self) -> u64 {
        self.state = FetchState::Reading;
        self.options.max_bytes = self.options.max_bytes.saturating_mul(2);
        self.options.max_bytes
    }

    pub(super) fn is_in_flight(&self) -> bool {
        matches!(self.state, FetchState::Waiting | FetchState::Reading | FetchState::Paused)
    }

    /// How far it is, in words; empty when it is complete.
    pub(super) fn status_text(&self, calls: u32, keys: KeyHints<'_>) -> String {
        let here =
            || format!("{} calls · {}", group_digits(&calls.to_string()), self.received_text());
        let (stops, again) = (keys.expand("{back} stops"), keys.expand("{refresh} asks again"));
        match &self.state {
            FetchState::NotRequested => keys.expand("not asked for: {refresh} asks").into_owned(),
            FetchState::Pending => {
                let words = "pending: it has not run yet, so there is no trace; {refresh} asks all the same";
                keys.expand(words).into_owned()
            }
            FetchState::Waiting => format!(
                "waiting for the explorer's node, up to {} s… {stops}",
                self.options.timeout.as_secs()
            ),
            FetchState::Reading => format!("reading: {}{} · {stops}", here(), self.rate_text()),
            FetchState::Paused => {
                let reads = keys.expand("{continue} reads on");
                format!("paused: {} · {reads}{}, {stops}", here(), self.remaining_text())
            }
            FetchState::Stopped => format!("stopped: {} · {again}", here()),
            FetchState::Complete => String::new(),
            FetchState::Failed(error) if calls > 0 => {
                format!("✗ broke off: {} · {error} · {again}", here())
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

    /// What going on would take.
    fn remaining_text(&self) -> String {
        match self.progress.expected.and_then(|all| all.checked_sub(self.progress.received)) {
            Some(rest) => format!(" ({} more, about as much memory)", format_bytes(rest)),
            None => format!(
                " (nobody says how much more; asks again at {})",
                format_bytes(self.options.max_bytes * 2)
            ),
        }
    }
}

/// `12.3 MB`, `45 kB`.
pub(super) fn format_bytes(bytes: u64) -> String {
    match bytes {
        ..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}
