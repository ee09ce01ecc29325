//! The memory that data may fill before the user is asked: a share of what is free.

use sysinfo::{Process, ProcessRefreshKind, ProcessesToUpdate, System};

/// Memory in bytes that data may always fill before the user is asked, or asked again.
const MIN_UNASKED_BYTES: u64 = 64 << 20;

/// Memory in bytes that a trace or a list may fill before the user is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimit {
    pub max_bytes: u64,
}

impl MemoryLimit {
    /// Memory that may be filled whatever is free.
    pub const UNASKED: Self = Self { max_bytes: MIN_UNASKED_BYTES };

    /// Creates a limit of a quarter of the memory that is free, with what is already filled.
    pub fn share_of(free_bytes: u64, held_bytes: u64) -> Self {
        let quarter = free_bytes.saturating_add(held_bytes) / 4;
        Self { max_bytes: quarter.max(MIN_UNASKED_BYTES) }
    }

    /// Raises the limit after the user's consent: by the memory of the rest with a reserve or, if that
    /// is unknown, by half of what is free.
    pub fn raise(&mut self, held_bytes: u64, needed_bytes: Option<u64>, free_bytes: u64) {
        let step = needed_bytes.map_or(free_bytes / 2, |needed| needed.saturating_add(needed / 4));
        self.max_bytes = held_bytes.saturating_add(step.max(MIN_UNASKED_BYTES));
    }
}

/// Returns the bytes that can be allocated without swapping, within the limits of the control group (a
/// container's), or 0 if the system does not report them.
pub fn free_memory_bytes() -> u64 {
    let Ok(mut system) = System::new() else { return 0 };
    system.refresh_memory();
    let free = system.available_memory();
    let Ok(own) = sysinfo::get_current_pid() else { return free };
    let processes = ProcessesToUpdate::Some(&[own]);
    system.refresh_processes_specifics(processes, false, ProcessRefreshKind::nothing());
    let group = system.process(own).and_then(Process::cgroup_limits);
    group.map_or(free, |group| free.min(group.total_memory.saturating_sub(group.rss)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_is_a_quarter_of_the_free_memory_and_grows_by_half_of_it() {
        let megabytes = |limit: MemoryLimit| limit.max_bytes >> 20;
        let mut limit = MemoryLimit::share_of(936 << 20, 64 << 20);
        assert_eq!(megabytes(limit), 250);
        limit.raise(250 << 20, None, 600 << 20);
        assert_eq!(megabytes(limit), 550);
        limit.raise(550 << 20, Some(400 << 20), 600 << 20);
        assert_eq!(megabytes(limit), 1050, "what the rest needs, and a quarter more");
        assert_eq!(MemoryLimit::share_of(0, 0), MemoryLimit::UNASKED);
        limit.raise(100 << 20, None, 0);
        assert_eq!(megabytes(limit), 164, "never a question at once again");
    }
}
