//! Document entries of fields that the explorer may not have sent, or not in a valid form. Numbers, addresses
//! and amounts are copied as whole numbers.

use crate::api::Field;
use crate::api::address::AddressRef;
use crate::chain::amount::Grouped;
use crate::chain::{Timestamp, U256, amount};
use crate::columns::cells::address_line;
use crate::pane::PaneContext;
use crate::sanitize::SafeText;
use crate::ui::document::{CopyText, DocumentEntry, EntryValue};
use crate::ui::theme::Role;

/// Creates the entry of a field: `—` if it is absent, `?` if it is invalid.
pub fn field_entry<T>(
    label: &str,
    field: &Field<T>,
    show: impl FnOnce(&T) -> DocumentEntry,
) -> DocumentEntry {
    match field {
        Field::Absent => absent_entry(label),
        Field::Present(value) => show(value),
        Field::Invalid(why) => invalid_entry(label, why),
    }
}

fn absent_entry(label: &str) -> DocumentEntry {
    DocumentEntry::note(label, "—")
}

fn invalid_entry(label: &str, why: &SafeText) -> DocumentEntry {
    DocumentEntry::text(label, format!("? ({why})")).copy("").role(Role::Warning)
}

pub fn display_entry<T: ToString>(label: &str, field: &Field<T>) -> DocumentEntry {
    field_entry(label, field, |value| DocumentEntry::text(label, value.to_string()))
}

pub fn number_entry(label: &str, value: &Field<u64>) -> DocumentEntry {
    field_entry(label, value, |n| {
        DocumentEntry::text(label, Grouped(n).to_string()).copy(n.to_string())
    })
}

pub fn address_entry(
    label: &str,
    value: &Field<AddressRef>,
    cx: &PaneContext<'_>,
) -> DocumentEntry {
    field_entry(label, value, |a| {
        let line = address_line(a, cx.name_cache);
        let whole = a.hash.to_string();
        let name = line.strip_prefix(&*whole).unwrap_or_default().trim_start().to_owned();
        DocumentEntry::text(label, whole).link_address(a.hash).side_note(&name)
    })
}

/// Returns the entry of an amount of the chain's coin, which is copied in wei.
pub fn coin_entry(label: &str, value: &Field<U256>, cx: &PaneContext<'_>) -> DocumentEntry {
    field_entry(label, value, |wei| {
        let role = if wei.is_zero() { Role::Plain } else { Role::Value };
        let amount = cx.format.unit.format_exact(*wei, cx.network);
        DocumentEntry::text(label, amount).copy(wei.to_string()).role(role)
    })
}

/// Returns the entry of a gas price in gwei, which is copied in wei.
pub fn gas_price_entry(label: &str, value: &Field<U256>) -> DocumentEntry {
    field_entry(label, value, |wei| {
        let gwei = format!("{} gwei", amount::format_exact(*wei, 9));
        DocumentEntry::text(label, gwei).copy(wei.to_string())
    })
}

/// Returns the entry of a time, which is copied in the form of the API.
pub fn time_entry(label: &str, time: &Field<Timestamp>, cx: &PaneContext<'_>) -> DocumentEntry {
    field_entry(label, time, |time| {
        let shown = cx.format.full_time(*time, cx.ages());
        DocumentEntry::text(label, shown).copy(time.to_string())
    })
}

/// Creates the entry of a field that is absent or invalid, or returns `None` if it is neither.
pub fn missing_entry<T>(label: &str, field: &Field<T>) -> Option<DocumentEntry> {
    field.value().is_none().then(|| field_entry(label, field, |_| DocumentEntry::text(label, "")))
}

/// Replaces absent fields by a line at the end that names them.
pub fn gather_absent(entries: Vec<DocumentEntry>) -> Vec<DocumentEntry> {
    let (absent, mut present): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_absent);
    let labels: Vec<&str> = absent.iter().map(|entry| &*entry.label).collect();
    if !labels.is_empty() {
        present.push(DocumentEntry::note("not sent", labels.join(", ")));
    }
    present
}

/// Returns `true` for the `—` of an absent field, not for the same text from the chain.
pub fn is_absent(entry: &DocumentEntry) -> bool {
    matches!(&entry.value, EntryValue::Text(text) if text == "—")
        && matches!(&entry.copy, Some(CopyText::Text(copied)) if copied.is_empty())
}
