//! A decoded call or error, with an entry per parameter.

use alloy_primitives::hex;

use crate::abi::{AbiValue, Argument, DecodedCall, ValueFormat};
use crate::api::Field;
use crate::api::decoded_input::{DecodedInput, DecodedParameter};
use crate::api::transactions::Transaction;
use crate::chain::Bytes;
use crate::chain::amount::Grouped;
use crate::pane::PaneContext;
use crate::pane::arguments::argument_entries;
use crate::pane::field_entries::{field_entry, missing_entry};
use crate::ui::document::{DocumentEntry, EntryValue};
use crate::ui::theme::Role;

/// Bytes that are shown whole in a line.
const MAX_LINE_BYTES: usize = 32;
/// A longer array is folded at first.
const MAX_OPEN_ITEMS: usize = 16;
/// Further items of an array are counted.
const MAX_ITEMS: usize = 256;

/// Decodes the arguments of a transaction's call again: the server's decoding lacks the calls in bytes.
pub(super) fn decode_arguments(
    transaction: &Transaction,
    decoded: &DecodedInput,
    cx: &PaneContext<'_>,
) -> Vec<Argument> {
    let call = || {
        let declaration = decoded.method_call.value()?;
        let input = transaction.raw_input.value()?;
        let to = transaction.to.value().map(|to| to.hash);
        let names = cx.name_cache.contract_names(to);
        cx.signature_db.decode_declared(declaration, to, &names, input)
    };
    call().map(|call| call.arguments).unwrap_or_default()
}

/// Returns the signature of a decoded call or error, and its parameters. `arguments` are as decoded
/// here, if they could be.
pub(super) fn decoded_entries(
    label: &str,
    decoded: &DecodedInput,
    arguments: &[Argument],
    is_open: bool,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let id = decoded.method_id.display_with(|id| (&**id).into());
    let header = field_entry(label, &decoded.method_call, |call| {
        DocumentEntry::text(label, format!("{call}  {id}")).copy(call.0.clone())
    });
    let parameters = decoded.parameters.value().map(Vec::as_slice).unwrap_or_default();
    let header = if parameters.is_empty() { header } else { header.fold(is_open) };
    let invalid = matches!(decoded.parameters, Field::Invalid(_));
    let invalid = missing_entry("arguments", &decoded.parameters).filter(|_| invalid);
    let parameters = parameters.iter().enumerate().flat_map(|(n, parameter)| {
        let name = parameter.name.value().map_or("", |name| &**name);
        parameter_entries(&label_of(name, n), parameter, arguments.get(n))
    });
    let named = |entry: DocumentEntry| match entry.address() {
        Some(address) => {
            let name = cx.name_cache.short_name(&address).unwrap_or_default();
            if name.is_empty() { entry } else { entry.side_note(&name) }
        }
        None => entry,
    };
    let parameters = parameters.chain(invalid).map(named);
    [header].into_iter().chain(deeper(parameters)).collect()
}

fn deeper(entries: impl IntoIterator<Item = DocumentEntry>) -> impl Iterator<Item = DocumentEntry> {
    entries.into_iter().map(|entry| {
        let level = entry.level.saturating_add(1);
        entry.at_level(level)
    })
}

fn label_of(name: &str, n: usize) -> String {
    if name.is_empty() { format!("#{n}") } else { name.to_owned() }
}

fn parameter_entries(
    label: &str,
    parameter: &DecodedParameter,
    argument: Option<&Argument>,
) -> Vec<DocumentEntry> {
    let kind = parameter.kind.display_with(|kind| (&**kind).into());
    let value = parameter.value.value().map_or("", |value| &*value.0);
    match argument.map(|argument| &argument.value) {
        Some(AbiValue::Array(_, items)) => list_entries(label, &format!("{kind} "), items, value),
        Some(it @ (AbiValue::Tuple(..) | AbiValue::Bytes(_) | AbiValue::Call(..))) => {
            value_entries(label, &kind, it)
        }
        _ => match decode_hex(value).filter(|_| kind == "bytes") {
            Some(bytes) => bytes_entries(label, "bytes ", bytes),
            None => vec![text_entry(label, &kind, parameter)],
        },
    }
}

fn text_entry(label: &str, kind: &str, parameter: &DecodedParameter) -> DocumentEntry {
    let entry = field_entry(label, &parameter.value, |value| {
        let shown = if value.0.is_empty() { "\"\"" } else { &*value.0 };
        DocumentEntry::text(label, format!("{kind} {shown}")).copy(value.0.clone())
    });
    let to = parameter.value.value().filter(|_| kind == "address").and_then(|v| v.0.parse().ok());
    if let Some(address) = to { entry.link_address(address) } else { entry }
}

fn decode_hex(text: &str) -> Option<Bytes> {
    text.starts_with("0x").then(|| hex::decode(text).ok()).flatten().map(Bytes::from)
}

/// Returns the entry of a value after its type, if that is known, and the entries of its parts.
fn value_entries(label: &str, kind: &str, value: &AbiValue) -> Vec<DocumentEntry> {
    let prefix = if kind.is_empty() { String::new() } else { format!("{kind} ") };
    match value {
        AbiValue::Bytes(bytes) => bytes_entries(label, &prefix, bytes.clone()),
        AbiValue::Call(bytes, call) => call_entries(label, &prefix, bytes, call),
        AbiValue::Array(_, items) => list_entries(label, &prefix, items, ""),
        AbiValue::Tuple(fields, values) => {
            let header = DocumentEntry::text(label, value.summary()).copy("").fold(true);
            let fields = fields.iter().zip(values).enumerate();
            let fields = fields.flat_map(|(n, (field, value))| {
                value_entries(&label_of(&field.name, n), &field.ty.to_string(), value)
            });
            [header].into_iter().chain(deeper(fields)).collect()
        }
        AbiValue::Address(to) => {
            let entry = DocumentEntry::text(label, [&*prefix, &value.summary()].concat());
            vec![entry.copy(value.summary()).link_address(*to)]
        }
        value => {
            let entry = DocumentEntry::text(label, [&*prefix, &value.summary()].concat());
            vec![entry.copy(value.format_full(ValueFormat::Natural))]
        }
    }
}

/// Returns the entry of an array, which copies a text, and the entries of its items.
fn list_entries(label: &str, prefix: &str, items: &[AbiValue], copied: &str) -> Vec<DocumentEntry> {
    let plural = if items.len() == 1 { "" } else { "s" };
    let shown = format!("{prefix}{} item{plural}", Grouped(items.len()));
    let header = DocumentEntry::text(label, shown).copy(copied).fold(items.len() <= MAX_OPEN_ITEMS);
    let hidden = items.len().saturating_sub(MAX_ITEMS);
    let more = (hidden > 0).then(|| {
        let text = format!("{} more", Grouped(hidden));
        DocumentEntry::text("…", text).copy("").role(Role::Dim)
    });
    let items = items.iter().take(MAX_ITEMS).enumerate();
    let items = items.flat_map(|(n, item)| value_entries(&format!("#{n}"), "", item));
    [header].into_iter().chain(deeper(items.chain(more))).collect()
}

/// Returns the line of a call that bytes are and, folded, its arguments.
fn call_entries(
    label: &str,
    prefix: &str,
    bytes: &Bytes,
    call: &DecodedCall,
) -> Vec<DocumentEntry> {
    let entry = DocumentEntry::text(label, [prefix, &call.abbreviated()].concat());
    let entry = entry.copy(bytes.to_string());
    if call.arguments.is_empty() {
        return vec![entry];
    }
    let header = entry.side_note(&size_text(bytes)).fold(false);
    [vec![header], argument_entries(&call.arguments)].concat()
}

/// Returns a line of bytes and, folded, all of them.
fn bytes_entries(label: &str, prefix: &str, bytes: Bytes) -> Vec<DocumentEntry> {
    let all = bytes.to_string();
    let entry = |shown: &str| DocumentEntry::text(label, [prefix, shown].concat()).copy(&*all);
    if bytes.len() <= MAX_LINE_BYTES {
        return vec![entry(&all)];
    }
    let selector = all.get(..10).unwrap_or_default();
    let header = entry(&format!("{selector}…")).side_note(&size_text(&bytes)).fold(false);
    vec![header, DocumentEntry::new("", EntryValue::Hex(bytes)).at_level(1)]
}

fn size_text(bytes: &Bytes) -> String {
    format!("{} bytes", Grouped(bytes.len()))
}
