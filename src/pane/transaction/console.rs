//! The console output of a transaction, whole.

use std::sync::Arc;

use alloy_primitives::hex;

use super::list_pages::ListPages;
use super::sentence::reason_sentence;
use crate::abi::{DecodedRevert, SELECTOR_BYTES};
use crate::api::console_lines::ConsoleLine;
use crate::api::decoded_input::RevertReason;
use crate::api::transactions::Transaction;
use crate::api::{ApiError, Cursor, Item, ReplyResult};
use crate::chain::WORD_BYTES;
use crate::messages::prompt;
use crate::messages::transaction::ConsoleNote;
use crate::pane::PaneContext;
use crate::sanitize::SafeText;
use crate::ui::document::DocumentEntry;
use crate::ui::theme::Role;

#[derive(Debug, Default)]
pub(super) struct ConsoleOutput {
    lines: Vec<Option<ConsoleLine>>,
    pages: ListPages,
}

impl ConsoleOutput {
    /// Returns `true` if the lines have to be requested. A node that traces blocks counts them.
    pub(super) fn is_missing(&self, transaction: &Transaction, cx: &PaneContext<'_>) -> bool {
        cx.network.endpoint.is_node()
            && self.pages.is_unasked()
            && transaction.block_number.value().is_some()
            && transaction.console_line_count.value() != Some(&0)
            && transaction.raw_input.value().is_some_and(|input| !input.is_empty())
    }

    /// Adds a page, and returns the cursor of the next one.
    pub(super) fn add(&mut self, reply: ReplyResult) -> Option<Cursor> {
        self.pages.add(reply, |items: Vec<Arc<Item<ConsoleLine>>>| {
            self.lines.extend(items.iter().map(|item| item.parsed.clone().ok()));
        })
    }

    pub(super) fn failure(&self) -> Option<&ApiError> {
        self.pages.failure()
    }

    /// Returns a heading and the lines, or nothing if nothing was printed.
    pub(super) fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let mut entries: Vec<_> =
            self.lines.iter().map(|line| line_entry(line.as_ref(), cx)).collect();
        let note = match self.pages.failure() {
            Some(error) => Some(ConsoleNote::Failed(cx.reason(error).into())),
            None if self.pages.has_more() => Some(ConsoleNote::FirstLines(self.lines.len())),
            None => None,
        };
        entries.extend(
            note.map(|note| DocumentEntry::text("", note.to_string()).copy("").role(Role::Warning)),
        );
        if !entries.is_empty() {
            entries.insert(0, DocumentEntry::rule(prompt::CONSOLE));
        }
        entries
    }
}

/// Returns a line, which is dim if the call that printed it failed.
fn line_entry(line: Option<&ConsoleLine>, cx: &PaneContext<'_>) -> DocumentEntry {
    let text = line.and_then(|line| line.text.value());
    let Some(text) = text else { return DocumentEntry::text("", "?").copy("").role(Role::Warning) };
    DocumentEntry::text("", text.clone()).side_note(&error_text(text, cx).unwrap_or_default())
}

/// Returns the error in the revert data that a line is, if it is known.
fn error_text(line: &SafeText, cx: &PaneContext<'_>) -> Option<String> {
    let data = hex::decode(line.strip_prefix("0x")?).ok()?;
    let is_known = data.len() % WORD_BYTES == SELECTOR_BYTES
        && matches!(
            cx.signature_db.revert_reason(&data),
            DecodedRevert::Message(_) | DecodedRevert::Panic(_) | DecodedRevert::Custom(_)
        );
    reason_sentence(&RevertReason::Raw(line.clone()), cx).filter(|_| is_known)
}
