//! A clock that starts at a time other than now.

use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::chain::network::{DEMO_LAST_BLOCK_TIME, Endpoint};

/// The time of a recorded run, or of the demo chain, running on from its start.
#[derive(Debug)]
pub(super) struct Clock {
    pub(super) start_time: Timestamp,
    started_at: Instant,
}

impl Clock {
    pub(super) fn new(start_time: Timestamp) -> Self {
        Self { start_time, started_at: Instant::now() }
    }

    /// Returns the clock of a chain that has stopped: the demo chain's starts at its last block.
    pub(super) fn of_stopped_chain(endpoint: &Endpoint) -> Option<Self> {
        matches!(endpoint, Endpoint::Embedded).then(|| Self::new(DEMO_LAST_BLOCK_TIME))
    }

    pub(super) fn now(&self) -> Timestamp {
        self.start_time.checked_add(self.elapsed()).unwrap_or(self.start_time)
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started_at.elapsed()
    }
}
