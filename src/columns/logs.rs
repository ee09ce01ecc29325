//! The columns of event logs.

use std::sync::Arc;

use super::cells::log_event::LogEvent;
use super::cells::log_line::ArgumentForm;
use super::cells::{
    address_field_line, csv_value, csv_value_with, field_cell, name_or_address_cell, text_cell,
};
use super::common::{self, chain_event};
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnKind, ColumnUse, field, number_width, text_width};
use super::{CopyValue, ListRow, PartRoute, Row, RowContext, RowPreview};
use crate::abi::SignatureDb;
use crate::action::Action;
use crate::api::logs::{Log, LogTopics};
use crate::api::{Field, Item};
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::{Address, B256};
use crate::messages::{Count, column};
use crate::route::{Route, TransactionPart};
use crate::sanitize::SafeText;
use crate::ui::format::cut;
use crate::ui::marked_text::MarkedText;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

const TOPIC_LABELS: [&str; 4] = ["#0", "#1", "#2", "#3"];
/// A narrower column has the names of numbers only.
const MIN_NAMED_COLUMNS: usize = 56;
/// Maximum arguments with lines of their own below the list.
const MAX_ARGUMENT_LINES: usize = 8;
/// Bytes of a topic before an address.
const ADDRESS_PADDING: [u8; 12] = [0; 12];

chain_event!(Log, |row| &row.address => &Field::Absent);

impl ListRow for Log {
    const LIST_NAME: &'static str = "logs";
    const PLURAL: &'static str = "logs";
    const SINGULAR: &'static str = "log";
    const DETAIL_LINES: u16 = 7;
    const NEWEST_FIRST: bool = true;
    const PREVIEW: RowPreview = RowPreview::Below;
    const COLUMNS: &'static [Column<Self>] = &[
        Column { json_paths: &["block_timestamp"], ..common::age(4) },
        common::block(10),
        common::transaction(6),
        Column {
            title: "log",
            csv_name: Some("log_index"),
            width: number_width(8),
            cell: |log, _, _| text_cell(&log.index),
            ..field!(NUMBER: index)
        },
        Column {
            csv_name: Some("contract"),
            json_paths: &["address.hash"],
            kind: ColumnKind::Address,
            full_value: |log| csv_value_with(&log.address, |a| a.hash.to_string()),
            ..Column::TEXT
        },
        Column {
            title: "event",
            csv_name: Some("event"),
            json_paths: &["decoded.method_call", "topics", "data"],
            provenance: event_provenance,
            is_computed: true,
            width: text_width(11, 32, 1),
            cell: event_cell,
            full_value: |log| match &log.decoded {
                Field::Present(decoded) => csv_value(&decoded.method_call),
                _ => "".into(),
            },
            csv_value: Some(|log, cx| {
                let event = LogEvent::in_row(log, cx.signatures);
                event.map(|event| event.signature.to_string()).unwrap_or_default()
            }),
            route: |item, _, _| Some(Route::Log(item.clone())),
            ..Column::TEXT
        },
        Column {
            csv_name: None,
            title: "contract",
            json_paths: &["address.hash", "address.name"],
            width: text_width(13, 60, 2),
            cell: |log, cx, width| field_cell(&log.address, |a| name_or_address_cell(a, cx, width)),
            usage: ColumnUse::OfChain,
            ..field!(address: address)
        },
        Column {
            title: "arguments",
            json_paths: &["decoded.parameters", "topics", "data"],
            provenance: event_provenance,
            is_computed: true,
            width: text_width(16, 200, 0),
            cell: arguments_cell,
            route: |item, _, _| Some(Route::Log(item.clone())),
            ..Column::TEXT
        },
        Column {
            csv_name: Some("arguments"),
            json_paths: &["decoded.parameters", "topics", "data"],
            usage: ColumnUse::InCsv,
            csv_value: Some(|log, cx| {
                let event = LogEvent::in_row(log, cx.signatures);
                let arguments = event.and_then(|event| event.arguments_json());
                arguments.map(|list| list.to_string()).unwrap_or_default()
            }),
            ..Column::TEXT
        },
        Column {
            csv_name: Some("topics"),
            json_paths: &["topics"],
            full_value: |log| csv_value_with(&log.topics, |_| log.topics_line()),
            ..Column::TEXT
        },
        field!(TEXT: data),
    ];

    fn page(item: &Arc<Item<Self>>) -> Option<Route> {
        Some(Route::Log(item.clone()))
    }

    const PART: Option<PartRoute<Self>> = Some(|item, transaction| {
        Some(Route::Part { transaction, part: TransactionPart::Log(item.clone()) })
    });
}

impl Row for Log {
    fn id(&self) -> Option<RowId> {
        Some(RowId::Event(*self.transaction_hash.value()?, *self.index.value()?))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let decoded = LogEvent::new(self, cx.signatures);
        let event = decoded.as_ref().map_or("unknown".into(), |event| event.signature.clone());
        let mut lines = vec![("event", event)];
        let arguments = decoded.iter().flat_map(|event| event.argument_texts(cx));
        lines.extend(
            arguments.take(MAX_ARGUMENT_LINES).map(|argument| ("", SafeText::new(&argument))),
        );
        lines.push(("contract", address_field_line(&self.address, cx)));
        match &self.topics {
            Field::Present(LogTopics(topics)) => {
                let topics = topics.iter().map(|topic| topic.to_string().into());
                lines.extend(TOPIC_LABELS.into_iter().zip(topics));
            }
            missing => lines.push(("topics", SafeText::new(&missing.display_with(|_| "".into())))),
        }
        lines.extend([
            ("data", self.data.to_string().into()),
            ("tx", self.transaction_hash.to_string().into()),
        ]);
        lines
    }

    fn copy_values(&self, _: Option<Address>) -> Vec<CopyValue> {
        let emitter = self.address.hash();
        vec![
            CopyValue::new(Action::CopyHash, "transaction hash", self.transaction_hash.value()),
            CopyValue::new(Action::CopyAddress, "emitter's address", emitter),
            CopyValue::new(Action::CopyBlock, "block number", self.block_number.value()),
            CopyValue::new(Action::CopySelector, "first topic", self.topics().first()),
            CopyValue::new(Action::CopyValue, "data", self.data.value()),
        ]
    }

    fn addresses(&self) -> Vec<Address> {
        let emitter = self.address.hash();
        emitter.into_iter().chain(self.topics().iter().filter_map(address_in_topic)).collect()
    }
}

impl Log {
    /// Returns the topics, or none if they are unreadable.
    pub fn topics(&self) -> &[B256] {
        self.topics.value().map(|topics| topics.0.as_slice()).unwrap_or_default()
    }

    fn topics_line(&self) -> String {
        self.topics().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the address that a topic may be.
pub fn address_in_topic(topic: &B256) -> Option<Address> {
    match topic.split_first_chunk() {
        Some((&ADDRESS_PADDING, address)) => Address::try_from(address).ok(),
        _ => None,
    }
}

fn event_provenance(log: &Log, cx: &RowContext<'_>) -> SafeText {
    let event = LogEvent::in_row(log, cx.signatures);
    event.map_or(column::NO_KNOWN_SIGNATURE.into(), |event| event.source(cx.network))
}

/// Returns the name of the event, or the first topic of an unknown one.
fn event_cell(log: &Log, cx: &RowContext<'_>, width: usize) -> TableCell {
    if let Some(event) = LogEvent::in_row(log, cx.signatures) {
        return TableCell::new(cut(&event.title(), width).into_owned(), Role::Title);
    }
    field_cell(&log.topics, |topics| TableCell::new(first_topic(topics, cx), Role::Dim))
}

/// Returns the decoder of events for a line: one in full has the texts of arrays and structs.
fn decode_for(cx: &RowContext<'_>) -> fn(&Log, &SignatureDb) -> Option<LogEvent> {
    if cx.is_in_full() { LogEvent::new } else { LogEvent::in_row }
}

/// Returns the arguments of the event, or the data of an unknown one.
fn arguments_cell(log: &Log, cx: &RowContext<'_>, width: usize) -> TableCell {
    match decode_for(cx)(log, cx.signatures) {
        Some(event) => {
            // All rows have one form.
            let is_wide = cx.is_in_full() || width >= MIN_NAMED_COLUMNS;
            let has_marks = is_wide && !cx.is_in_full();
            let form =
                ArgumentForm { has_address_names: is_wide, has_amount_names: is_wide, has_marks };
            TableCell::of_parts(event.arguments_line(cx, form, width))
        }
        None => field_cell(&log.data, |data| {
            TableCell::new(cut(&data.to_string(), width).into_owned(), Role::Dim)
        }),
    }
}

fn first_topic(topics: &LogTopics, cx: &RowContext<'_>) -> String {
    match topics.0.first() {
        Some(topic) if cx.is_in_full() => topic.to_string(),
        Some(topic) => abbreviate(topic),
        None => "anonymous".to_owned(),
    }
}

/// Returns the event in a line of some columns, or the first topic and the size of the data of an unknown one.
pub fn event_line(log: &Log, cx: &RowContext<'_>, columns: usize) -> Vec<MarkedText> {
    if let Some(event) = decode_for(cx)(log, cx.signatures) {
        return event.summary(cx, columns);
    }
    let topic = log.topics.display_with(|topics| first_topic(topics, cx).into());
    let text = match &log.data {
        // As a call of an unknown function has it.
        Field::Present(data) if !cx.is_in_full() => {
            format!("{topic}({})", Count(data.len(), "byte"))
        }
        data => format!("{topic} {}", data.display_with(|data| data.to_string().into())),
    };
    vec![MarkedText::new(text, Role::Dim)]
}

/// Returns `true` if the log may belong to another event than the one that its line names.
pub fn is_guessed(log: &Log, cx: &RowContext<'_>) -> bool {
    LogEvent::in_row(log, cx.signatures).is_some_and(|event| event.is_guess())
}

/// Like [`event_line`], without roles.
pub fn event_text(log: &Log, cx: &RowContext<'_>) -> String {
    event_line(log, cx, usize::MAX).iter().map(|part| &*part.text).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn copied_event_has_the_items_of_its_arrays() {
        let json = r#"{"topics":[],"data":"0x","decoded":{"method_call":"Moved(uint256[] ids)",
            "parameters":[{"name":"ids","type":"uint256[]","value":["11","12","13","14","15"]}]}}"#;
        let log = RawValue::from_string(json.to_owned()).unwrap();
        let log = Item::<Log>::from_json(&log).parsed.unwrap();
        assert_eq!(event_text(&log, &RowContext::blank()), "Moved(ids [11, 12, 13, 14, 15])");
    }
}
