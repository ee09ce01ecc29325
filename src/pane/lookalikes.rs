//! Marks addresses that could be mistaken for others, and asks before one is copied.

use std::collections::BTreeMap;

use super::{Command, Confirmation, PaneContext};
use crate::chain::Address;
use crate::msg::Effect;
use crate::safety::address_poisoning::Similarity;
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryValue};
use crate::ui::theme::Role;

impl PaneContext<'_> {
    /// Returns the address that this one could be mistaken for.
    pub fn find_lookalike(&self, address: &Address) -> Option<Similarity> {
        self.known_addresses.find_lookalike(address, self.name_cache.labelled_addresses())
    }
}

/// Gives addresses their marks, warns of those that look like others, and puts a warning for each of
/// these before all entries.
pub fn mark_addresses(entries: &mut Vec<DocumentEntry>, cx: &PaneContext<'_>) {
    let mut warnings = BTreeMap::new();
    let mut is_lookalike = |address: Address| {
        let Some(similarity) = cx.find_lookalike(&address) else { return false };
        let text = format!("{address} {}", similarity.describe());
        warnings.insert(address, DocumentEntry::text("! look-alike", text).role(Role::Warning));
        true
    };
    for entry in &mut *entries {
        if let Some(address) = entry.address() {
            entry.mark = cx.address_mark(&address);
            entry.role = if is_lookalike(address) { Role::Warning } else { entry.role };
        }
        let EntryValue::Cells(cells) = &mut entry.value else { continue };
        for cell in cells.iter_mut().map(|cell| &mut cell.cell) {
            if cell.address.is_some_and(&mut is_lookalike) {
                cell.role = Role::Warning;
            }
        }
    }
    entries.splice(0..0, warnings.into_values());
}

/// Returns the command that copies a text. An address that resembles a known one, or that is in a row
/// with warnings, has to be confirmed.
pub fn copy_or_confirm(
    what: &'static str,
    text: SafeText,
    cx: &PaneContext<'_>,
    warnings: &[SafeText],
) -> Command {
    let Ok(address) = text.parse::<Address>() else { return Command::copy(what, text) };
    let (title, lines) = if let Some(resemblance) = cx.find_lookalike(&address) {
        let mut lines: Vec<SafeText> =
            resemblance.comparison(&address).iter().map(SafeText::from).collect();
        lines.push(resemblance.describe().into());
        ("Look-alike address: copy anyway?", lines)
    } else if warnings.is_empty() {
        return Command::copy(what, text);
    } else {
        let lines = [std::slice::from_ref(&text), warnings].concat();
        ("Suspicious row: copy anyway?", lines)
    };
    Command::Confirm(Confirmation { title, lines, effect: Some(Effect::Copy { what, text }) })
}
