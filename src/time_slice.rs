//! Work in slices or on other threads, so that no key waits for a million rows.

use std::thread;
use std::time::{Duration, Instant};

/// Duration of one slice, and so the longest that a key waits for it.
const SLICE_DURATION: Duration = Duration::from_millis(5);
/// Items between two checks of the clock.
const ITEMS_PER_CHECK: u32 = 16;

/// A slice of a long computation. Unfinished work continues at the next tick.
#[derive(Debug)]
pub struct TimeSlice {
    end: Instant,
    items: u32,
}

impl TimeSlice {
    pub fn begin() -> Self {
        Self { end: Instant::now() + SLICE_DURATION, items: 0 }
    }

    /// Returns `true` if the time is over, before the next of a few large items.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Counts an item, and returns `true` if there is time for it. A few always have time.
    pub fn has_time(&mut self) -> bool {
        self.items += 1;
        !self.items.is_multiple_of(ITEMS_PER_CHECK) || !self.is_over()
    }
}

/// Frees a value on a thread of its own: a million parts, or hundreds of megabytes, take longer than a
/// frame.
pub fn free_in_background<T: Send + 'static>(value: T) {
    // Without a thread, the closure frees it here.
    drop(thread::Builder::new().spawn(move || drop(value)));
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::thread::ThreadId;

    use super::*;

    struct ReportsDrop(Sender<ThreadId>);

    impl Drop for ReportsDrop {
        fn drop(&mut self) {
            self.0.send(thread::current().id()).unwrap();
        }
    }

    #[test]
    fn values_are_freed_on_another_thread() {
        let (sender, freed_on) = channel();
        free_in_background(ReportsDrop(sender));
        assert_ne!(freed_on.recv().unwrap(), thread::current().id());
    }

    #[test]
    fn slices_end() {
        let mut slice = TimeSlice::begin();
        assert!((1..ITEMS_PER_CHECK).all(|_| slice.has_time()), "however slow the items are");
        while slice.has_time() {}
        assert!(slice.is_over());
    }
}
