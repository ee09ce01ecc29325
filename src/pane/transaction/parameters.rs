//! A decoded call or error, with an entry per parameter.

use alloy_primitives::hex;

use crate::api::Field;
use crate::api::decoded_input::{DecodedInput, DecodedParameter};
use crate::chain::Bytes;
use crate::chain::amount::group_digits;
use crate::pane::PaneContext;
use crate::pane::arguments::argument_entries;
use crate::ui::document::{DocumentEntry, EntryValue};
use crate::ui::theme::Role;

/// Bytes that are shown whole in a line.
const MAX_LINE_BYTES: usize = 32;
/// Further items of a `bytes[]` are counted.
const MAX_ITEMS: usize = 256;

/// Returns the signature of a decoded call or error, and its parameters.
pub(super) fn decoded_entries(
    label: &str,
    decoded: &DecodedInput,
    is_open: bool,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let id = decoded.method_id.display_with(|id| (&**id).into());
    let header = DocumentEntry::field(label, &decoded.method_call, |call| {
        DocumentEntry::text(label, format!("{call}  {id}")).copy(call.clone())
    });
    let parameters = decoded.parameters.value().map(Vec::as_slice).unwrap_or_default();
    let header = if parameters.is_empty() { header } else { header.fold(is_open) };
    let invalid = matches!(decoded.parameters, Field::Invalid(_));
    let invalid = invalid.then(|| DocumentEntry::missing("arguments", &decoded.parameters));
    let parameters = parameters.iter().enumerate().flat_map(|it| parameter_entries(it, cx));
    [header].into_iter().chain(deeper(parameters.chain(invalid))).collect()
}

fn deeper(entries: impl IntoIterator<Item = DocumentEntry>) -> impl Iterator<Item = DocumentEntry> {
    entries.into_iter().map(|entry| {
        let level = entry.level.saturating_add(1);
        entry.at_level(level)
    })
}

fn parameter_entries(
    (n, parameter): (usize, &DecodedParameter),
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let name = parameter.name.value().filter(|name| !name.is_empty());
    let label = name.map_or_else(|| format!("#{n}"), ToString::to_string);
    let kind = parameter.kind.display_with(|kind| (&**kind).into());
    let value = parameter.value.value().map_or("", |value| &*value.0);
    let entries = match &*kind {
        "bytes" => decode_hex(value).map(|bytes| bytes_entries(&label, "bytes ", bytes, cx)),
        "bytes[]" => parse_list(value).map(|items| list_entries(&label, value, items, cx)),
        _ => None,
    };
    entries.unwrap_or_else(|| vec![text_entry(&label, &kind, parameter)])
}

fn text_entry(label: &str, kind: &str, parameter: &DecodedParameter) -> DocumentEntry {
    let entry = DocumentEntry::field(label, &parameter.value, |value| {
        let shown = if value.0.is_empty() { "\"\"" } else { &*value.0 };
        DocumentEntry::text(label, format!("{kind} {shown}")).copy(value.0.clone())
    });
    let to = parameter.value.value().filter(|_| kind == "address").and_then(|v| v.0.parse().ok());
    if let Some(address) = to { entry.link_address(address) } else { entry }
}

fn decode_hex(text: &str) -> Option<Bytes> {
    text.starts_with("0x").then(|| hex::decode(text).ok()).flatten().map(Bytes::from)
}

fn parse_list(json: &str) -> Option<Vec<Bytes>> {
    let items: Vec<String> = serde_json::from_str(json).ok()?;
    items.iter().map(|item| decode_hex(item)).collect()
}

/// Returns the entries of a `bytes[]`: a line for each item, until it is unfolded.
fn list_entries(
    label: &str,
    json: &str,
    items: Vec<Bytes>,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let count = items.len();
    let plural = if count == 1 { "" } else { "s" };
    let shown = format!("bytes[] {} item{plural}", group_digits(&count.to_string()));
    let header = DocumentEntry::text(label, shown).copy(json);
    let header = if count == 0 { header } else { header.fold(true) };
    let hidden = count.saturating_sub(MAX_ITEMS);
    let more = (hidden > 0).then(|| {
        let text = format!("{} more", group_digits(&hidden.to_string()));
        DocumentEntry::text("…", text).copy("").role(Role::Dim)
    });
    let items = items.into_iter().take(MAX_ITEMS).enumerate();
    let items = items.flat_map(|(n, bytes)| bytes_entries(&format!("#{n}"), "", bytes, cx));
    [header].into_iter().chain(deeper(items.chain(more))).collect()
}

/// Returns a line of bytes and, folded, all of them: as the call that they are, if it is known.
fn bytes_entries(
    label: &str,
    kind: &str,
    bytes: Bytes,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let all = hex::encode_prefixed(&bytes);
    let entry = |shown: &str| DocumentEntry::text(label, [kind, shown].concat()).copy(&*all);
    let size = format!("{} bytes", group_digits(&bytes.len().to_string()));
    let call = cx.signature_db.decode_call(None, &[], &bytes);
    match call.filter(|call| call.trailing_bytes == 0) {
        Some(call) if call.arguments.is_empty() => vec![entry(&format!("≈ {}()", call.name))],
        Some(call) => {
            let header = entry(&format!("≈ {}(…)", call.name)).side_note(&size).fold(false);
            [vec![header], argument_entries(&call.arguments)].concat()
        }
        None if bytes.len() <= MAX_LINE_BYTES => vec![entry(&all)],
        None => {
            let selector = all.get(..10).unwrap_or_default();
            let header = entry(&format!("{selector}…")).side_note(&size).fold(false);
            vec![header, DocumentEntry::new("", EntryValue::Hex(bytes)).at_level(1)]
        }
    }
}
