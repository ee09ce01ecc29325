//! The pane of one log: its event, its topics and its data in full.

use std::sync::Arc;

use super::PaneContext;
use super::detail::field_entries::{address_entry, display_entry, field_entry, time_entry};
use super::detail::value_entries::{argument_label, deeper, label_of, value_entries};
use super::detail::{DetailPane, DetailSource, LoadedDetail};
use super::known_trace::KnownTrace;
use super::transaction::call_context;
use super::transaction::parameters::{amount_entry, moved_amount_in, with_name};
use crate::abi::{AbiValue, SignatureHash};
use crate::api::Item;
use crate::api::logs::Log;
use crate::chain::amount::{Grouped, group_whole_integer};
use crate::chain::target::TargetKind;
use crate::chain::{B256, BlockId};
use crate::columns::cells::log_argument::LogArgument;
use crate::columns::cells::log_event::LogEvent;
use crate::columns::cells::token_amount::raw_note;
use crate::columns::logs::address_in_topic;
use crate::columns::table::any_row::AnyRow;
use crate::messages::{column, page};
use crate::ui::document::{DocumentEntry, EntryLink, EntryValue};
use crate::ui::theme::Role;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogDisplay {
    Alone,
    /// The page of its transaction, which has hash, block and time.
    OnTransaction,
}

pub fn pane(item: &Arc<Item<Log>>, place: LogDisplay) -> DetailPane {
    let detail = |log: &Log| LogDetail { log: log.clone(), place };
    DetailPane::from_loaded(LoadedDetail::of_item(item, detail), None)
}

#[derive(Debug)]
struct LogDetail {
    log: Log,
    place: LogDisplay,
}

impl DetailSource for LogDetail {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let mut entries = entries(&self.log, cx);
        // The title of its page has the number.
        if self.place == LogDisplay::Alone {
            entries.push(number_entry(&self.log));
            entries.extend(place_entries(&self.log, cx));
        }
        entries
    }

    fn entries_below(&self, lines: usize, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let own = || {
            let trace = KnownTrace::of_transaction(self.log.transaction_hash.value()?, cx)?;
            Some(call_context(&trace, trace.emitter_of(&self.log)?, lines, cx))
        };
        own().unwrap_or_default()
    }

    fn has_one_column(&self) -> bool {
        self.place == LogDisplay::OnTransaction
    }

    fn has_json_column(&self) -> bool {
        true
    }

    fn row(&self) -> Option<&dyn AnyRow> {
        Some(&self.log)
    }
}

/// Returns the event of a log with its arguments, and all that the explorer sent of it but its transaction.
pub(super) fn entries(log: &Log, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    let mut entries = event_entries(log, cx);
    entries.push(address_entry("contract", &log.address, cx));
    entries.extend(emitting_calls(log, cx).unwrap_or_default());
    entries.push(field_entry("topics", &log.topics, |topics| {
        DocumentEntry::text("topics", topics.0.len().to_string()).fold(true)
    }));
    let event = LogEvent::new(log, cx.signature_db);
    let name = event.as_ref().and_then(|event| event.signature.split('(').next());
    entries.extend(log.topics().iter().enumerate().map(|(n, topic)| {
        let entry = topic_entry(n, topic, cx).at_level(1);
        if n == 0 { entry.side_note(name.unwrap_or_default()) } else { entry }
    }));
    entries.push(field_entry("data", &log.data, |data| {
        let bytes = format!("{} bytes", Grouped(data.len()));
        DocumentEntry::text("data", bytes).copy(data.to_string()).fold(true)
    }));
    let data = log.data.value().filter(|data| !data.is_empty());
    entries
        .extend(data.map(|data| DocumentEntry::new("", EntryValue::Hex(data.clone())).at_level(1)));
    entries
}

/// Returns the number of a log in its block.
pub(super) fn number_entry(log: &Log) -> DocumentEntry {
    display_entry("log", &log.index)
}

/// Returns the transaction of a log with its block and time.
fn place_entries(log: &Log, cx: &PaneContext<'_>) -> [DocumentEntry; 3] {
    let transaction = field_entry("tx", &log.transaction_hash, |hash| {
        DocumentEntry::text("tx", hash.to_string())
            .link(EntryLink::Target(TargetKind::Transaction(*hash)))
            .role(Role::Link)
    });
    let block = field_entry("block", &log.block_number, |block| {
        DocumentEntry::text("block", block.to_string()).link_block(BlockId::Number(*block))
    });
    [transaction, block, time_entry("time", &log.timestamp, cx)]
}

/// Returns a topic with the name of the address in it.
fn topic_entry(number: usize, topic: &B256, cx: &PaneContext<'_>) -> DocumentEntry {
    let entry = DocumentEntry::text(&format!("#{number}"), topic.to_string());
    let address = address_in_topic(topic).filter(|_| number > 0);
    match address.and_then(|address| cx.name_cache.short_name(&address)) {
        Some(name) => entry.side_note(&name),
        None => entry,
    }
}

/// Returns the call that emitted a log, and the calls around it, if its trace is known.
fn emitting_calls(log: &Log, cx: &PaneContext<'_>) -> Option<Vec<DocumentEntry>> {
    let trace = KnownTrace::of_transaction(log.transaction_hash.value()?, cx)?;
    Some(trace.call_entries(column::EMITTED_BY, trace.emitter_of(log)?))
}

/// Returns the event with an entry per argument.
fn event_entries(log: &Log, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    let Some(event) = LogEvent::new(log, cx.signature_db) else {
        let unknown = DocumentEntry::note("event", column::NO_KNOWN_SIGNATURE);
        let topic = log.topics().first().map(|topic| SignatureHash::Topic(*topic));
        let hint = cx.keys.expand(page::LOOKS_IT_UP);
        return vec![match topic {
            Some(topic) => unknown.side_note(&hint).link(EntryLink::Signature(topic)),
            None => unknown,
        }];
    };
    let source = event.source(cx.network);
    let header = DocumentEntry::text("event", event.signature.clone()).role(Role::Accent);
    let mut entries = vec![header.side_note(&format!("({source})")).fold(true)];
    let arguments = event.arguments.iter().enumerate();
    entries.extend(deeper(arguments.flat_map(|(n, argument)| {
        let label = argument_label(&argument.kind, &label_of(&argument.name, n), cx);
        if let Some(structure) = &argument.structure {
            return structure_entries(&label, argument, structure, log, cx);
        }
        let amount = event.token_amount(argument, cx.name_cache);
        let entry = with_name(argument_entry(&label, argument, amount), cx);
        vec![match event.hash_note(argument, cx.name_cache) {
            Some(note) => entry.side_note(&note),
            None => entry,
        }]
    })));
    entries
}

/// Returns the entries of an array or a struct, and of its parts.
fn structure_entries(
    label: &str,
    argument: &LogArgument,
    structure: &AbiValue,
    log: &Log,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let entries = value_entries(label, "", structure).into_iter().map(|entry| {
        let hash = log.transaction_hash.value();
        match hash.and_then(|hash| moved_amount_in(&entry, &argument.kind, hash, cx)) {
            Some(amount) => amount_entry(&entry, amount),
            None => with_name(entry, cx),
        }
    });
    entries.collect()
}

/// Returns the entry of an argument. An amount stands before its exact integer.
fn argument_entry(label: &str, argument: &LogArgument, amount: Option<String>) -> DocumentEntry {
    let to = argument.address();
    let LogArgument { kind, value, .. } = argument;
    let shown = match &**value {
        "" => "\"\"".into(),
        value if kind.contains("int") => group_whole_integer(value),
        value => value.into(),
    };
    let entry = match amount {
        Some(amount) => {
            let note = raw_note(&amount, &shown);
            DocumentEntry::text(label, amount).role(Role::Value).side_note(&note)
        }
        None => DocumentEntry::text(label, shown.as_ref()),
    };
    let entry = entry.copy(value.clone());
    if let Some(address) = to { entry.link_address(address) } else { entry }
}
