//! Recovery from an outage: what failed on the screen is requested again 5 seconds after the failure,
//! then every 10 seconds for a minute, then after 1, 2, 4, 8, 16 and 32 minutes, and at once when the
//! terminal gets the focus. With two answers of a slow explorer, a page is complete within 15 seconds
//! after a short outage. After the last attempt nothing is requested, until a refresh or the focus.
//!
//! Panes and the search of the prompt know what failed. There is one timer for all of them, which runs
//! while the terminal has the focus.

use std::time::Duration;

use super::ledger::{Owner, PaneId};
use crate::app::App;
use crate::app_message::Effect;
use crate::chain::Timestamp;
use crate::messages::failed_refresh::NextRetry;
use crate::pane::PaneEvent;

/// Time between a failure and the first attempt.
const FIRST_DELAY: Duration = Duration::from_secs(5);
/// Time between further attempts with a countdown.
const REPEAT_DELAY: Duration = Duration::from_secs(10);
/// Maximum attempts with a countdown, which take a minute. Later ones leave the screen as it is.
const MAX_COUNTED_ATTEMPTS: u32 = 6;
/// Minutes before the first attempt after that. They double with each further one, which wakes the
/// processor several times.
const FIRST_LATE_MINUTES: u64 = 1;
/// Maximum of those attempts, which take an hour.
const MAX_LATE_ATTEMPTS: u32 = 6;

#[derive(Debug, Default)]
pub(in crate::app) struct Recovery {
    /// Attempts since the failure.
    attempts: u32,
    /// Time of the next attempt. `None` before the first tick after the failure.
    due: Option<Timestamp>,
    /// The panes on the screen. Others have attempts of their own.
    panes: [Option<PaneId>; 3],
}

impl Recovery {
    /// Returns the time before the next attempt. `None` after the last one.
    fn delay(&self) -> Option<Duration> {
        match self.attempts.checked_sub(MAX_COUNTED_ATTEMPTS) {
            None if self.attempts == 0 => Some(FIRST_DELAY),
            None => Some(REPEAT_DELAY),
            Some(late) => late_minutes(late).map(Duration::from_mins),
        }
    }

    pub(in crate::app) fn on_tick(&mut self, now: Timestamp) {
        let delay = self.delay();
        self.due = self.due.or_else(|| now.checked_add(delay?).ok());
    }

    fn next(&self, now: Timestamp) -> Option<NextRetry> {
        if let Some(late) = self.attempts.checked_sub(MAX_COUNTED_ATTEMPTS) {
            return late_minutes(late).map(|minutes| NextRetry::Within { minutes });
        }
        let delay = self.delay()?.as_secs();
        let left = self.due.map(|due| (due.duration_since(now).as_millis() + 999) / 1_000);
        let seconds = left.map_or(delay, |left| u64::try_from(left).unwrap_or(0).clamp(1, delay));
        Some(NextRetry::In { seconds })
    }
}

/// Returns the minutes before an attempt after the counted ones.
fn late_minutes(attempt: u32) -> Option<u64> {
    (attempt < MAX_LATE_ATTEMPTS).then_some(FIRST_LATE_MINUTES << attempt)
}

impl App {
    /// Returns the time of the next attempt, if one is due.
    pub(in crate::app) fn next_retry(&self) -> Option<NextRetry> {
        let is_waiting = self.ledger.has(Owner::Recovery);
        self.recovery.next(self.display.now).filter(|_| is_waiting)
    }

    /// Starts or stops the timer, as what is on the screen requires. Called after every message.
    pub(in crate::app) fn sync_recovery(&mut self) -> Option<Effect> {
        let panes = self.nav.visible_slots().map(|slot| Some(self.nav.tab(slot)?.id));
        if panes != self.recovery.panes {
            self.restart_recovery();
            self.recovery.panes = panes;
        }
        let has_failed = self.has_recoverable_failure();
        if has_failed && self.display.has_focus {
            if self.ledger.has(Owner::Recovery) {
                return None;
            }
            self.recovery.due = None;
            let delay = self.recovery.delay()?;
            return Some(self.start_timer(Owner::Recovery, delay));
        }
        let is_busy = self.nav.visible_slots().into_iter().any(|slot| self.is_busy(slot));
        if !has_failed && !is_busy && !self.ledger.has(Owner::Search) {
            self.restart_recovery();
        }
        self.cancel(Owner::Recovery)
    }

    fn has_recoverable_failure(&self) -> bool {
        let slots = self.nav.visible_slots().into_iter();
        let mut panes = slots.filter_map(|slot| self.nav.tab(slot));
        panes.any(|tab| tab.pane.can_recover()) || self.can_repeat_search()
    }

    /// Requests again what failed on the screen.
    pub(in crate::app) fn retry_failed(&mut self) -> Vec<Effect> {
        self.recovery.attempts = self.recovery.attempts.saturating_add(1);
        let mut effects = self.send_to_visible(|| PaneEvent::RetryFailed);
        effects.extend(self.repeat_search());
        effects
    }

    /// Requests again what failed before the terminal lost the focus.
    pub(in crate::app) fn on_focus(&mut self) -> Vec<Effect> {
        self.restart_recovery();
        self.retry_failed()
    }

    /// Makes the next failure the first one: the user looks, or at something else.
    pub(in crate::app) fn restart_recovery(&mut self) {
        let panes = self.recovery.panes;
        self.recovery = Recovery { panes, ..Recovery::default() };
        // It may run for half an hour. There is no request to cancel.
        self.ledger.cancel(Owner::Recovery);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countdown_ends_after_a_minute_and_attempts_after_an_hour() {
        let recovery = |attempts| Recovery { attempts, ..Recovery::default() };
        let retry = |attempts| recovery(attempts).next(Timestamp::UNIX_EPOCH);
        assert_eq!(retry(0), Some(NextRetry::In { seconds: 5 }));
        assert_eq!(retry(MAX_COUNTED_ATTEMPTS - 1), Some(NextRetry::In { seconds: 10 }));
        assert_eq!(retry(MAX_COUNTED_ATTEMPTS), Some(NextRetry::Within { minutes: 1 }));
        let delays = (0..).map_while(|attempts| recovery(attempts).delay());
        assert_eq!(delays.sum::<Duration>(), Duration::from_secs(55 + 63 * 60));
    }
}
