//! The logs of a transaction at the calls that emitted them.

use std::collections::HashMap;
use std::sync::Arc;

use crate::api::Item;
use crate::api::logs::Log;
use crate::chain::Address;
use crate::trace::CallTree;
use crate::trace::log_places::{EmittedLog, LogPlace, StatedPlace, find_stated_places, place_logs};

/// Returns the places of logs that were kept, in the order of their emission: as the explorer reports them, else
/// where they are certain. `calls` are known by the indexes of their logs.
pub fn place_kept_logs(
    tree: &CallTree,
    logs: &[Arc<Item<Log>>],
    calls: &HashMap<u64, u32>,
) -> Vec<Option<LogPlace>> {
    let reported: Option<Vec<_>> = logs.iter().map(|log| stated_place(log)).collect();
    let stated = reported.and_then(|places| find_stated_places(tree, &places));
    stated.unwrap_or_else(|| {
        let emitted = |log: &Arc<Item<Log>>| {
            // Without an index it may be before or after any other.
            let number = index(log);
            let emitter = emitter(log).filter(|_| number.is_some());
            EmittedLog { emitter, call: number.and_then(|number| calls.get(&number).copied()) }
        };
        place_logs(tree, &logs.iter().map(emitted).collect::<Vec<_>>())
    })
}

pub fn index(log: &Item<Log>) -> Option<u64> {
    log.parsed.as_ref().ok()?.index.value().copied()
}

pub fn emitter(log: &Item<Log>) -> Option<Address> {
    Some(log.parsed.as_ref().ok()?.address.value()?.hash)
}

/// Returns the place of a log that the explorer reports.
pub fn stated_place(log: &Item<Log>) -> Option<StatedPlace> {
    let numbers = log.parsed.as_ref().ok()?.trace_address.value()?;
    let path = numbers.iter().map(|call| u32::try_from(*call).ok()).collect::<Option<_>>()?;
    let position = *log.parsed.as_ref().ok()?.call_position.value()?;
    Some(StatedPlace { emitter: emitter(log)?, path, position })
}
