//! Entries of single JSON values, and names that are made of them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::scanner::{copy_text, unquote};
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::ADDRESS_WIDTH;
use crate::chain::{Address, Bytes};
use crate::safety::url_policy::UntrustedUrl;
use crate::sanitize::json_line;
use crate::ui::document::{DocumentEntry, EntryLink, EntryValue};
use crate::ui::theme::Role;

/// Maximum characters of a string.
pub(super) const MAX_STRING_CHARS: usize = 2_000;
/// Maximum characters of names, side notes and values below the maximum depth: they have no second line.
pub(super) const MAX_NAME_CHARS: usize = 200;
/// Digits of a word of data.
const WORD_DIGITS: usize = 64;
/// Words of data that are not folded.
const MAX_OPEN_WORDS: usize = 3;
/// Digits of the largest data that are shown in lines.
const MAX_DATA_DIGITS: usize = 128 << 10;
/// Digits of the largest quantity that is written in decimal too.
const MAX_QUANTITY_DIGITS: usize = 32;
/// Digits of a function's selector, which is no quantity.
const SELECTOR_DIGITS: usize = 8;

/// Returns the entry of a string, number or word. Of a long string it has the first characters.
pub(super) fn scalar_entry(
    source: &Arc<str>,
    label: &str,
    part: Range<usize>,
    max_chars: usize,
) -> DocumentEntry {
    let json = source.get(part.clone()).unwrap_or_default();
    let text = unquote(json);
    if let Some(entry) = media_entry(source, label, &text, part.clone()) {
        return entry;
    }
    if let Some((end, _)) = text.char_indices().nth(max_chars) {
        // Two digits are a byte of data.
        let bytes = hex_digits(json).map_or(text.len(), |digits| digits.len() / 2);
        let size = Grouped(bytes).to_string();
        let shown = format!("{}… ({size} bytes)", text.get(..end).unwrap_or_default());
        return DocumentEntry::text(label, shown).copy_part(source, part, copy_text);
    }
    match &*text {
        "null" if json == "null" => {
            DocumentEntry::text(label, "null").copy_part(source, part, copy_text).role(Role::Dim)
        }
        _ if !json.starts_with('"') => DocumentEntry::text(label, text).role(Role::Value),
        address if address.len() == ADDRESS_WIDTH && address.starts_with("0x") => {
            match address.parse::<Address>() {
                Ok(parsed) => {
                    let shown = DocumentEntry::text(label, parsed.to_string());
                    shown.copy(address).link_address(parsed)
                }
                Err(_) => DocumentEntry::text(label, address),
            }
        }
        blank if blank.trim().is_empty() => {
            let entry = DocumentEntry::text(label, format!("\"{blank}\""));
            entry.copy_part(source, part, copy_text).role(Role::Dim)
        }
        text if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            DocumentEntry::text(label, text).role(Role::Value)
        }
        text => match quantity(label, text) {
            Some(number) => {
                // A single digit reads the same in decimal.
                let decimal = (number > 9).then(|| format!("= {}", Grouped(number)));
                let entry = DocumentEntry::text(label, text).role(Role::Value);
                entry.side_note(&decimal.unwrap_or_default())
            }
            None => DocumentEntry::text(label, text),
        },
    }
}

/// Puts the text of an entry in quotes, as JSON has it. Addresses, data, numbers and links need none.
pub(super) fn quoted(
    entry: DocumentEntry,
    source: &Arc<str>,
    part: Range<usize>,
    max_chars: usize,
) -> DocumentEntry {
    let json = source.get(part.clone()).unwrap_or_default();
    let is_text = entry.role == Role::Plain && entry.link.is_none() && json.starts_with('"');
    if is_text && hex_digits(json).is_none() {
        compact_entry(source, &entry.label, part, max_chars)
    } else {
        entry
    }
}

/// Returns the entry of a media URL. A `data:` URL shows its type and size.
fn media_entry(
    source: &Arc<str>,
    label: &str,
    text: &str,
    part: Range<usize>,
) -> Option<DocumentEntry> {
    if !["data:", "http:", "https:"].iter().any(|scheme| text.starts_with(scheme)) {
        return None;
    }
    let media = UntrustedUrl::parse(text);
    let entry = DocumentEntry::text(label, media.display_text()).copy_part(source, part, copy_text);
    match media {
        UntrustedUrl::Web(_) => Some(entry.link(EntryLink::Web(text.into())).role(Role::Link)),
        UntrustedUrl::Inline { .. } => Some(entry),
        UntrustedUrl::Ipfs(_) | UntrustedUrl::Arweave(_) | UntrustedUrl::Other(_) => None,
    }
}

/// Returns the entry of a value of any shape in one line. Of a long value it has the first characters.
pub(super) fn compact_entry(
    source: &Arc<str>,
    label: &str,
    part: Range<usize>,
    max_chars: usize,
) -> DocumentEntry {
    let json = source.get(part.clone()).unwrap_or_default();
    let shown = match json.char_indices().nth(max_chars) {
        Some((end, _)) => {
            let size = Grouped(json.len()).to_string();
            format!("{}… ({size} bytes)", json_line(json.get(..end).unwrap_or_default()))
        }
        None => json_line(json),
    };
    DocumentEntry::text(label, shown).copy_part(source, part, copy_text)
}

/// Returns the digits of a JSON string of bytes.
fn hex_digits(json: &str) -> Option<&str> {
    let digits = json.strip_prefix("\"0x")?.strip_suffix('"')?;
    let is_hex = digits.len() % 2 == 0 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then_some(digits)
}

/// Returns data of more than a word, if it is not too long to be shown in lines.
pub(super) fn long_data(json: &str) -> Option<Bytes> {
    let digits = hex_digits(json)?;
    let is_long = (WORD_DIGITS + 1..=MAX_DATA_DIGITS).contains(&digits.len());
    is_long.then(|| digits.parse().ok()).flatten()
}

/// Returns the entry of data, and its lines, which start folded. Of a few whole words the lines are the
/// entry: calldata begins with a selector.
pub(super) fn data_entries(label: &str, data: Bytes) -> (DocumentEntry, Option<DocumentEntry>) {
    let word = WORD_DIGITS / 2;
    if data.len().is_multiple_of(word) && data.len() <= MAX_OPEN_WORDS * word {
        return (DocumentEntry::new(label, EntryValue::Hex(data)), None);
    }
    let size = format!("{} bytes", Grouped(data.len()));
    let size = DocumentEntry::text(label, size).fold(false).role(Role::Dim);
    (size, Some(DocumentEntry::new("", EntryValue::Hex(data))))
}

/// Returns a quantity in hex digits. Bytes have leading zeros, and a selector is only a quantity if its name
/// says so.
fn quantity(label: &str, text: &str) -> Option<u128> {
    let digits = text.strip_prefix("0x")?;
    let is_named = || ["gas", "value", "balance"].iter().any(|name| label.contains(name));
    let is_quantity = digits.len() <= MAX_QUANTITY_DIGITS
        && (digits == "0" || !digits.starts_with('0'))
        && (digits.len() != SELECTOR_DIGITS || is_named());
    is_quantity.then(|| u128::from_str_radix(digits, 16).ok()).flatten()
}

/// Returns a string as a name: in quotes if it is blank, and cut if it is long.
pub(super) fn display_name(json: &str) -> Cow<'_, str> {
    let name = unquote(json);
    if name.trim().is_empty() && name.len() <= MAX_NAME_CHARS {
        return format!("\"{name}\"").into();
    }
    match name.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or_default()).into(),
        None => name,
    }
}
