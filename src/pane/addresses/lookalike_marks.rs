//! Marks addresses that could be mistaken for others, and confirms before one is copied.

use std::collections::BTreeMap;

use crate::app_message::Effect;
use crate::chain::Address;
use crate::messages::prompt;
use crate::pane::{Command, Confirmation, PaneContext};
use crate::safety::address_poisoning::Similarity;
use crate::sanitize::SafeText;
use crate::ui::document::{CopyText, DocumentEntry, EntryCell, EntryValue};
use crate::ui::format::{cut, width};
use crate::ui::theme::Role;

impl PaneContext<'_> {
    /// Returns the address that this one could be mistaken for.
    pub fn find_lookalike(&self, address: &Address) -> Option<Similarity> {
        self.known_addresses.find_lookalike(address, self.name_cache.labelled_addresses())
    }
}

/// Adds marks to addresses, a `!` before those that look like others or that the explorer calls a scam, and a
/// warning for each of these at the top.
pub fn mark_addresses(entries: &mut Vec<DocumentEntry>, cx: &PaneContext<'_>) {
    let mut warnings = BTreeMap::new();
    let mut is_suspicious = |address: Address| {
        let (label, why) = match cx.find_lookalike(&address) {
            Some(similarity) => ("! look-alike", similarity.describe()),
            None if cx.name_cache.is_scam(&address) => ("! scam", prompt::SCAM.to_owned()),
            None => return false,
        };
        let text = format!("{address} {why}");
        warnings.insert(address, DocumentEntry::text(label, text).role(Role::Warning));
        true
    };
    for entry in &mut *entries {
        if let Some(address) = entry.address() {
            entry.mark = cx.address_mark(&address);
            if is_suspicious(address) {
                mark_entry(entry);
            }
        }
        let EntryValue::Cells(cells) = &mut entry.value else { continue };
        let mut next_x = u16::MAX;
        for cell in cells.iter_mut().rev() {
            if cell.cell.address.is_some_and(&mut is_suspicious) {
                mark_cell(cell, next_x);
            }
            next_x = cell.x;
        }
    }
    entries.splice(0..0, warnings.into_values());
}

/// Puts a `!` before the text of an entry, which is not copied.
fn mark_entry(entry: &mut DocumentEntry) {
    entry.role = Role::Warning;
    let EntryValue::Text(text) = &entry.value else { return };
    if text.starts_with('!') {
        return; // the cell of a row
    }
    let marked = SafeText::from(["!", text].concat());
    entry.copy.get_or_insert_with(|| CopyText::Text(text.clone()));
    entry.value = EntryValue::Text(marked);
    entry.head += usize::from(entry.head > 0);
}

/// Puts a `!` before the text of a cell, which ends before column `next_x`.
fn mark_cell(cell: &mut EntryCell, next_x: u16) {
    cell.cell.role = Role::Warning;
    let text = ["!", &cell.cell.text].concat();
    let space = usize::from(next_x.saturating_sub(cell.end())).saturating_sub(1);
    let columns = width(&cell.cell.text) + space;
    cell.cell.text = cut(&text, columns).into_owned().into();
}

/// Returns the command that copies a text. An address that resembles a known one, that the explorer
/// calls a scam, or that is in a row with warnings has to be confirmed.
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
        (prompt::COPY_LOOKALIKE, lines)
    } else if warnings.is_empty() && cx.name_cache.is_scam(&address) {
        (prompt::COPY_SCAM, vec![text.clone(), prompt::SCAM.into()])
    } else if warnings.is_empty() {
        return Command::copy(what, text);
    } else {
        let lines = [std::slice::from_ref(&text), warnings].concat();
        (prompt::COPY_SUSPICIOUS, lines)
    };
    Command::Confirm(Confirmation {
        title,
        lines,
        indent: 0,
        effect: Some(Effect::Copy { what, text }),
    })
}
