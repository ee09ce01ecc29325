//! Document entries of fields that the explorer may not have sent, or not in a valid form.

use crate::api::Field;
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

/// Creates the entry of a field that is absent or invalid, or returns `None` if it is neither.
pub fn missing_entry<T>(label: &str, field: &Field<T>) -> Option<DocumentEntry> {
    field.value().is_none().then(|| field_entry(label, field, |_| DocumentEntry::text(label, "")))
}

/// Replaces absent fields by a line at the end that names them.
pub fn gather_absent(entries: Vec<DocumentEntry>) -> Vec<DocumentEntry> {
    let (absent, mut present): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_absent);
    let labels: Vec<&str> = absent.iter().map(|entry| &*entry.label).collect();
    if !labels.is_empty() {
        present.push(DocumentEntry::note("missing", labels.join(", ")));
    }
    present
}

/// Returns `true` for the `—` of an absent field, not for the same text from the chain.
pub fn is_absent(entry: &DocumentEntry) -> bool {
    matches!(&entry.value, EntryValue::Text(text) if text == "—")
        && matches!(&entry.copy, Some(CopyText::Text(copied)) if copied.is_empty())
}
