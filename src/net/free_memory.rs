//! The memory that is free on this machine.

use sysinfo::{Process, ProcessRefreshKind, ProcessesToUpdate, System};

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
