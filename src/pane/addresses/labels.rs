//! The addresses in lines of text: the user's labels after them, and their marks before them.

use std::borrow::Cow;

use crate::chain::Address;
use crate::chain::hash_abbreviation::ADDRESS_WIDTH;
use crate::ui::address_mark::AddressMark;
use crate::ui::document::{DocumentEntry, EntryValue};
use crate::ui::marked_text::MarkedText;
use crate::ui::theme::Role;
use crate::user_data::labels::Labels;

/// Longer texts get no labels.
const MAX_LINE_BYTES: usize = 4 << 10;

pub fn label_addresses<'a>(text: &'a str, labels: &Labels) -> Cow<'a, str> {
    if text.len() > MAX_LINE_BYTES || text.len() < ADDRESS_WIDTH {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices("0x") {
        let end = at + ADDRESS_WIDTH;
        let Some(name) = address_at(text, at).and_then(|address| labels.decorated_name(&address))
        else {
            continue;
        };
        out.push_str(text.get(done..end).unwrap_or_default());
        out.push(' ');
        out.push_str(&name);
        done = end;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// Divides a text into its addresses, with their marks, and what is between them.
pub fn mark_addresses(text: &str, role: Role, has_marks: bool) -> Vec<MarkedText> {
    let mut parts = Vec::new();
    let mut done = 0;
    for (at, _) in text.match_indices("0x").take_while(|_| text.len() <= MAX_LINE_BYTES) {
        let Some(address) = address_at(text, at) else { continue };
        let end = at + ADDRESS_WIDTH;
        let [before, own] = [done..at, at..end].map(|part| text.get(part).unwrap_or_default());
        let mark = has_marks.then(|| AddressMark::new(&address));
        parts.push(MarkedText::new(before.to_owned(), role));
        parts.push(MarkedText { mark, ..MarkedText::new(own.to_owned(), Role::Link) });
        done = end;
    }
    parts.push(MarkedText::new(text.get(done..).unwrap_or_default().to_owned(), role));
    parts
}

/// Returns the address at `at`, unless it is part of a longer text.
fn address_at(text: &str, at: usize) -> Option<Address> {
    let whole = text.get(at..at + ADDRESS_WIDTH)?;
    let goes_on = text.get(at + ADDRESS_WIDTH..)?.starts_with(|c: char| c.is_ascii_hexdigit());
    (!goes_on).then(|| whole.parse().ok()).flatten()
}

/// Adds labels in every entry but JSON arrays and objects, which are shown as sent. What the entries
/// copy stays as it was.
pub fn label_entries(entries: &mut [DocumentEntry], labels: &Labels) {
    for entry in entries {
        let EntryValue::Text(text) = &entry.value else { continue };
        if text.starts_with(['[', '{']) {
            continue;
        }
        if let Cow::Owned(named) = label_addresses(text, labels) {
            let copied = text.clone();
            entry.value = EntryValue::Text(named.into());
            entry.parts.clear();
            if entry.copy.is_none() {
                *entry = entry.clone().copy(copied);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitize::SafeText;
    use crate::user_data::labels::LabelEdit;

    const A: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

    fn labels() -> Labels {
        let mut labels = Labels::default();
        labels.apply(&LabelEdit::name(A.parse().unwrap(), "Alice").unwrap());
        labels
    }

    #[test]
    fn labels_follow_addresses_only() {
        let lower = A.to_lowercase();
        let named = label_addresses(&format!("{A} alice.eth, {lower}"), &labels()).into_owned();
        assert_eq!(named, format!("{A} «Alice» alice.eth, {lower} «Alice»"));
        for text in [format!("{A}00"), A.replace("2266", "2267"), "美".repeat(30)] {
            assert_eq!(label_addresses(&text, &labels()), text);
        }
        assert_eq!(label_addresses(&format!("0x{A}"), &labels()), format!("0x{A} «Alice»"));
    }

    #[test]
    fn addresses_are_links_with_marks() {
        let parts = |text: &str| -> Vec<(String, Role, bool)> {
            let parts = mark_addresses(text, Role::Plain, true).into_iter();
            parts.map(|part| (part.text.into_owned(), part.role, part.mark.is_some())).collect()
        };
        let plain = |text: &str| (text.to_owned(), Role::Plain, false);
        let address = (A.to_owned(), Role::Link, true);
        assert_eq!(parts(&format!("to {A} Pool")), [plain("to "), address, plain(" Pool")]);
        assert_eq!(parts(&format!("{A}00")), [plain(&format!("{A}00"))]);
    }

    #[test]
    fn copied_text_has_no_labels() {
        let text = format!("address {A}");
        let own = DocumentEntry::text("from", A).copy("something");
        let noted = DocumentEntry::text("to", A).side_note("Vault");
        let mut all = [DocumentEntry::text("x", text.as_str()), own, noted];
        label_entries(&mut all, &labels());
        let copied: Vec<SafeText> = all.iter().map(DocumentEntry::copy_text).collect();
        assert_eq!(copied, [SafeText::from(text), "something".into(), A.into()]);
        let EntryValue::Text(shown) = &all[2].value else { panic!() };
        assert_eq!(&**shown, format!("{A} «Alice» Vault"));
    }

    #[test]
    fn json_has_no_labels() {
        for json in [format!("[\"{A}\"]"), format!("{{\"to\": \"{A}\"}}")] {
            let mut entries = [DocumentEntry::text("path address[]", json.as_str())];
            label_entries(&mut entries, &labels());
            assert!(matches!(&entries[0].value, EntryValue::Text(shown) if **shown == *json));
        }
    }
}
