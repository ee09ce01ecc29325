//! The memory that is free on this machine.

use sysinfo::System;

/// Returns how many bytes can be allocated without swapping, or 0 if the system does not tell.
pub fn free_memory_bytes() -> u64 {
    System::new().map_or(0, |mut system| {
        system.refresh_memory();
        system.available_memory()
    })
}
