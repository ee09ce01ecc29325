//! The time between polls of a node's head: longer while its chain is quiet, or cannot be read.

use std::time::Duration;

use super::plan::IndexStep;
use crate::messages::chain_data::ReadError;
use crate::rpc::RpcError;

/// Time between two looks at the head while the chain moves.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Looks at an unchanged head until the chain counts as quiet: ten seconds.
const MAX_UNCHANGED_POLLS: u32 = 40;
/// The first interval of a quiet chain, which grows with each look: nodes print each request.
const QUIET_POLL_INTERVAL: Duration = Duration::from_secs(2);
const QUIET_POLL_INCREMENT: Duration = Duration::from_millis(200);
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Time until a node that cannot be read is asked again.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// Failures in a row until a node is asked less often: a minute.
const MAX_QUICK_RETRIES: u32 = 120;
/// Maximum time for which a node that limits requests is left alone, whatever it asks for.
const MAX_RATE_LIMIT_DELAY: Duration = Duration::from_mins(1);

#[derive(Debug, Default)]
pub(super) struct PollInterval {
    /// Looks at the head in a row that found no other.
    unchanged_polls: u32,
    /// Failures in a row.
    retries: u32,
}

impl PollInterval {
    /// Notes that the node has another head.
    pub(super) fn on_change(&mut self) {
        self.unchanged_polls = 0;
    }

    /// Returns the time from a step to the next one: none after blocks were read.
    pub(super) fn after_step(&mut self, step: Result<&IndexStep, &ReadError>) -> Duration {
        match step {
            Ok(step) => {
                self.retries = 0;
                if *step == IndexStep::Wait { self.after_poll() } else { Duration::ZERO }
            }
            Err(error) => {
                self.retries = self.retries.saturating_add(1);
                self.retry_interval(error)
            }
        }
    }

    fn after_poll(&mut self) -> Duration {
        let quiet = self.unchanged_polls.checked_sub(MAX_UNCHANGED_POLLS);
        self.unchanged_polls = self.unchanged_polls.saturating_add(1);
        let Some(quiet) = quiet else { return POLL_INTERVAL };
        let increment = QUIET_POLL_INCREMENT.saturating_mul(quiet);
        QUIET_POLL_INTERVAL.saturating_add(increment).min(MAX_POLL_INTERVAL)
    }

    fn retry_interval(&self, error: &ReadError) -> Duration {
        match error {
            ReadError::Rpc(RpcError::RateLimited { retry_after: Some(wait), .. }) => {
                (*wait).min(MAX_RATE_LIMIT_DELAY)
            }
            _ if self.retries > MAX_QUICK_RETRIES => QUIET_POLL_INTERVAL,
            _ => RETRY_INTERVAL,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_chain_is_polled_less_and_less_often() {
        let mut interval = PollInterval::default();
        let poll = |interval: &mut PollInterval| interval.after_step(Ok(&IndexStep::Wait));
        for is_new in [true, false] {
            let after: Vec<_> = (0..=MAX_UNCHANGED_POLLS).map(|_| poll(&mut interval)).collect();
            let quick = after.iter().filter(|time| **time == POLL_INTERVAL).count();
            assert_eq!(quick, MAX_UNCHANGED_POLLS as usize, "{is_new}");
            assert_eq!(after.last(), Some(&QUIET_POLL_INTERVAL), "{is_new}");
            assert_eq!(poll(&mut interval), QUIET_POLL_INTERVAL + QUIET_POLL_INCREMENT);
            assert_eq!((0..20).map(|_| poll(&mut interval)).max(), Some(MAX_POLL_INTERVAL));
            interval.on_change();
        }
        assert_eq!(interval.after_step(Ok(&IndexStep::RollBack)), Duration::ZERO);
    }

    #[test]
    fn node_is_retried_when_it_says_and_less_often_after_a_minute() {
        let mut interval = PollInterval::default();
        let wait = Duration::from_secs(7);
        let limited = |retry_after| {
            ReadError::from(RpcError::RateLimited { address: "node".into(), retry_after })
        };
        assert_eq!(interval.after_step(Err(&limited(Some(wait)))), wait);
        for _ in 1..MAX_QUICK_RETRIES {
            assert_eq!(interval.after_step(Err(&limited(None))), RETRY_INTERVAL);
        }
        assert_eq!(interval.after_step(Err(&limited(None))), QUIET_POLL_INTERVAL);
        assert_eq!(interval.after_step(Err(&limited(Some(wait)))), wait);
        let a_day = limited(Some(Duration::from_hours(24)));
        assert_eq!(interval.after_step(Err(&a_day)), Duration::from_mins(1));
    }
}
