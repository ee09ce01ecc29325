//! The console output of a transaction, whole.

use std::sync::Arc;

use super::list_pages::ListPages;
use crate::api::console_lines::ConsoleLine;
use crate::api::transactions::Transaction;
use crate::api::{ApiError, Cursor, Item, ReplyResult};
use crate::columns::console_lines::printed_error;
use crate::messages::prompt;
use crate::messages::transaction::ConsoleNote;
use crate::pane::PaneContext;
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
    let error = printed_error(text, cx.signature_db);
    let error = error.map(|error| cx.values().revert_text(&error));
    DocumentEntry::text("", text.clone()).side_note(&error.unwrap_or_default())
}
