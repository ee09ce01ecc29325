//! Detection of suspends: the wall clock runs on while the machine sleeps, the monotonic clock does not. On
//! Windows both run on: there, unused connections are closed by the time that has passed.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use tokio::select;
use tokio::time::{Instant, sleep};

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

/// Counts the suspends of the machine, as long as something looks at the count.
#[derive(Debug)]
pub struct SuspendWatch {
    wall_clock: WallClock,
    check_interval: Duration,
    state: Mutex<WatchState>,
}

#[derive(Debug)]
struct WatchState {
    /// Both clocks at the last check.
    last: (Instant, SystemTime),
    suspends: u64,
}

impl SuspendWatch {
    /// Creates a watch that checks at this interval while something waits for a suspend.
    pub fn new(wall_clock: WallClock, check_interval: Duration) -> Self {
        let last = (Instant::now(), (wall_clock.0)());
        let state = Mutex::new(WatchState { last, suspends: 0 });
        Self { wall_clock, check_interval, state }
    }

    /// Returns the number of suspends so far.
    pub fn count(&self) -> u64 {
        let mut state = self.state.lock();
        let now = (Instant::now(), (self.wall_clock.0)());
        let last = std::mem::replace(&mut state.last, now);
        // A clock that was set back says nothing.
        let wall_time = now.1.duration_since(last.1).unwrap_or_default();
        if wall_time > now.0.duration_since(last.0) + MIN_SUSPEND {
            state.suspends += 1;
        }
        state.suspends
    }

    /// Waits until there were more suspends than this.
    pub async fn until_suspended(&self, suspends: u64) {
        while self.count() <= suspends {
            sleep(self.check_interval).await;
        }
    }

    /// Sends a request, again after each suspend during which it waited for its response.
    pub async fn repeat_after_suspend<F: Future>(&self, send: impl Fn() -> F) -> F::Output {
        loop {
            let suspends = self.count();
            select! {
                biased;
                response = send() => return response,
                () = self.until_suspended(suspends) => {}
            }
        }
    }
}
