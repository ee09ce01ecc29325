//! The logs of a transaction at the calls that emitted them.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::json;
use serde_json::value::RawValue;

use crate::abi::{SignatureDb, UPGRADED};
use crate::api::Item;
use crate::api::logs::Log;
use crate::chain::Address;
use crate::columns::cells::log_event::LogEvent;
use crate::messages::Count;
use crate::messages::export::ExportNote;
use crate::sanitize::json_line;
use crate::trace::CallTree;
use crate::trace::export::CallEvents;
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
            let parsed = log.parsed.as_ref().ok();
            let address = parsed.and_then(|log| log.address.value());
            let implementations = address.and_then(|address| address.implementations.value());
            EmittedLog {
                emitter: emitter(log).filter(|_| number.is_some()),
                call: number.and_then(|number| calls.get(&number).copied()),
                is_proxy: implementations.is_some_and(|behind| !behind.is_empty()),
                is_upgrade: parsed.is_some_and(|log| log.topics().first() == Some(&UPGRADED)),
            }
        };
        place_logs(tree, &logs.iter().map(emitted).collect::<Vec<_>>())
    })
}

/// Logs as the JSON of exported calls.
#[derive(Debug, Default)]
pub struct ExportedEvents {
    /// Events by their calls. Those without a known call are at the first one.
    pub by_call: CallEvents,
    unplaced: usize,
    unreadable: usize,
}

impl ExportedEvents {
    /// Decodes logs as in their lists.
    pub fn new(
        logs: &[Arc<Item<Log>>],
        places: &[Option<LogPlace>],
        signatures: &SignatureDb,
    ) -> Self {
        let mut events = Self::default();
        for (log, place) in logs.iter().zip(places) {
            events.add(log, *place, signatures);
        }
        events
    }

    /// Decodes a log and adds it at its call.
    pub fn add(&mut self, log: &Item<Log>, place: Option<LogPlace>, signatures: &SignatureDb) {
        let is_placed = place.is_some_and(|place| place.is_call_certain());
        match event_json(log, is_placed, signatures) {
            Some(json) => {
                self.unplaced += usize::from(place.is_none());
                self.by_call.entry(place.map_or(0, |place| place.call)).or_default().push(json);
            }
            None => self.unreadable += 1,
        }
    }

    /// Describes the events that are not at their calls.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let unplaced = ExportNote::UnplacedEvents { events: Count(self.unplaced, "event") };
        let left_out = ExportNote::RowsLeftOut { rows: Count(self.unreadable, "event") };
        let notes = [(self.unplaced, unplaced), (self.unreadable, left_out)];
        notes.into_iter().filter(|(events, _)| *events > 0).map(|(_, note)| note.to_string())
    }
}

fn event_json(
    item: &Item<Log>,
    is_placed: bool,
    signatures: &SignatureDb,
) -> Option<Box<RawValue>> {
    let log = item.parsed.as_ref().ok()?;
    let event = LogEvent::in_row(log, signatures);
    let object = json!({
        "index": log.index.value(),
        "is_placed": is_placed,
        "address": log.address.hash().map(|address| address.to_string()),
        "event": event.as_ref().map(|event| event.signature.to_string()),
        "is_guess": event.as_ref().map(LogEvent::is_guess),
        "arguments": event.as_ref().and_then(LogEvent::arguments_json),
        "topics": log.topics().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "data": log.data.value().map(ToString::to_string),
    });
    RawValue::from_string(json_line(&object.to_string())).ok()
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
