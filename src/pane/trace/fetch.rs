//! How far the trace is here: asked for, arriving, paused, complete, or not to be had.

use std::time::Duration;

use crate::api::ApiError;
use crate::chain::amount::grouped;
use crate::keymap::key_hints::Keys;
use crate::msg::{Progress, Terms, Why};
use crate::trace::Dialect;

/// How long an explorer may think about a trace: its node is asked, and replays the transaction.
const PATIENCE: Duration = Duration::from_mins(1);
/// So much is read before the user is asked.
const ALLOWED: u64 = 64 << 20;

/// What has become of the question.
#[derive(Debug)]
pub(super) enum State {
    Unasked,
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
pub(super) struct Fetch {
    pub(super) state: State,
    pub(super) terms: Terms,
    pub(super) progress: Progress,
    pub(super) dialect: Dialect,
}

impl Default for Fetch {
    fn default() -> Self {
        Self {
            state: State::Unasked,
            terms: Terms { patience: PATIENCE, allowed: ALLOWED, why: Why::Asked },
            progress: Progress::default(),
            dialect: Dialect::Unknown,
        }
    }
}

impl Fetch {
    /// Asks, with the terms as they are.
    pub(super) fn ask(&mut self) -> Terms {
        self.state = State::Waiting;
        self.progress = Progress::default();
        self.terms.clone()
    }

    /// Asks again, with twice the patience.
    pub(super) fn ask_longer(&mut self) -> Terms {
        if matches!(self.state, State::Failed(ApiError::TimedOut { .. } | ApiError::Refused { .. }))
        {
            self.terms.patience = (self.terms.patience * 2).min(PATIENCE * 10);
        }
        self.terms.why = Why::Refresh;
        self.ask()
    }

    /// Twice as much may be read as now.
    pub(super) fn allow_more(&mut self) -> u64 {
        self.state = State::Reading;
        self.terms.allowed = self.terms.allowed.saturating_mul(2);
        self.terms.allowed
    }

    pub(super) fn is_under_way(&self) -> bool {
        matches!(self.state, State::Waiting | State::Reading | State::Paused)
    }

    /// How far it is, in words; empty when it is complete.
    pub(super) fn words(&self, calls: u32, keys: Keys<'_>) -> String {
        let here = || format!("{} calls · {}", grouped(&calls.to_string()), self.amount());
        let (stops, again) = (keys.sentence("{back} stops"), keys.sentence("{refresh} asks again"));
        match &self.state {
            State::Unasked => keys.sentence("not asked for: {refresh} asks").into_owned(),
            State::Pending => {
                let words = "pending: it has not run yet, so there is no trace; {refresh} asks all the same";
                keys.sentence(words).into_owned()
            }
            State::Waiting => format!(
                "waiting for the explorer's node, up to {} s… {stops}",
                self.terms.patience.as_secs()
            ),
            State::Reading => format!("reading: {}{} · {stops}", here(), self.rate()),
            State::Paused => {
                let reads = keys.sentence("{continue} reads on");
                format!("paused: {} · {reads}{}, {stops}", here(), self.cost())
            }
            State::Stopped => format!("stopped: {} · {again}", here()),
            State::Complete => String::new(),
            State::Failed(error) if calls > 0 => {
                format!("✗ broke off: {} · {error} · {again}", here())
            }
            State::Failed(error) => format!("✗ {error} ({})", error.hint()),
        }
    }

    fn amount(&self) -> String {
        let received = megabytes(self.progress.received);
        match self.progress.expected {
            Some(all) if all > 0 => {
                let percent = u128::from(self.progress.received) * 100 / u128::from(all);
                format!("{received} of {} ({percent}%)", megabytes(all))
            }
            _ => received,
        }
    }

    fn rate(&self) -> String {
        let millis = self.progress.elapsed.as_millis();
        match u128::from(self.progress.received) * 1000 {
            0 => String::new(),
            _ if millis == 0 => String::new(),
            bytes => {
                format!(" · {}/s", megabytes(u64::try_from(bytes / millis).unwrap_or(u64::MAX)))
            }
        }
    }

    /// What going on would take.
    fn cost(&self) -> String {
        match self.progress.expected.and_then(|all| all.checked_sub(self.progress.received)) {
            Some(rest) => format!(" ({} more, about as much memory)", megabytes(rest)),
            None => format!(
                " (nobody says how much more; asks again at {})",
                megabytes(self.terms.allowed * 2)
            ),
        }
    }
}

/// `12.3 MB`, `45 kB`.
pub(super) fn megabytes(bytes: u64) -> String {
    match bytes {
        ..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}
