//! Fields that the server did not send, in one line instead of one each.

use crate::ui::document::{CopyText, DocumentEntry, EntryValue};
use crate::ui::theme::Role;

/// Replaces absent fields by a line at the end that names them.
pub fn gather_absent(entries: Vec<DocumentEntry>) -> Vec<DocumentEntry> {
    let (absent, mut present): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_absent);
    let labels: Vec<&str> = absent.iter().map(|entry| &*entry.label).collect();
    if !labels.is_empty() {
        present.push(DocumentEntry::text("missing", labels.join(", ")).copy("").role(Role::Dim));
    }
    present
}

/// Returns `true` for the `—` of an absent field, not for the same text from the chain.
pub fn is_absent(entry: &DocumentEntry) -> bool {
    matches!(&entry.value, EntryValue::Text(text) if **text == *"—")
        && matches!(&entry.copy, Some(CopyText::Text(copied)) if copied.is_empty())
}
