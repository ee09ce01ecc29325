//! Detection of suspends: the wall clock runs on while the machine sleeps, the monotonic clock does not.
//! Where both run on, as on Windows, unused connections are closed by the time that has passed.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Minimum difference of the clocks that counts as a suspend. Corrections of the time are smaller.
const MIN_SUSPEND: Duration = Duration::from_secs(5);

/// A source of the wall-clock time.
#[derive(Clone)]
pub struct WallClock(Arc<dyn Fn() -> SystemTime + Send + Sync>);

impl WallClock {
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }
}

impl Default for WallClock {
    fn default() -> Self {
        Self::new(SystemTime::now)
    }
}

impl fmt::Debug for WallClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WallClock").finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub(super) struct SuspendDetector {
    wall_clock: WallClock,
    /// Both clocks at the last check.
    last: (Instant, SystemTime),
}

impl SuspendDetector {
    pub(super) fn new(wall_clock: WallClock) -> Self {
        let last = (Instant::now(), (wall_clock.0)());
        Self { wall_clock, last }
    }

    /// Returns `true` if the machine was suspended since the last check.
    pub(super) fn check(&mut self) -> bool {
        let now = (Instant::now(), (self.wall_clock.0)());
        let last = std::mem::replace(&mut self.last, now);
        // A clock that was set back says nothing.
        let wall_time = now.1.duration_since(last.1).unwrap_or_default();
        wall_time > now.0.duration_since(last.0) + MIN_SUSPEND
    }
}
