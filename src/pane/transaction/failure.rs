//! The failure of a transaction on a node: the source line with the lines around it, the stack of the
//! calls that failed with it, and the events that were undone.

use std::sync::Arc;

use super::list_pages::ListPages;
use super::sentence::reason_sentence;
use crate::api::decoded_input::RevertReason;
use crate::api::failure_line::{CaughtFailure, FailureStack, StackCall};
use crate::api::logs::Log;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{ApiError, Cursor, Item, ListSubject, ReplyResult, TransactionQuery};
use crate::calls::failing_source::{StackFrame, failing_frame};
use crate::chain::Address;
use crate::chain::hash_abbreviation::Abbreviator;
use crate::chain::target::TargetKind;
use crate::columns::RowContext;
use crate::columns::cells::failure_reason::exact_reason;
use crate::columns::logs::{event_line, event_text};
use crate::messages::prompt;
use crate::messages::trace::TraceNote;
use crate::messages::transaction::FailureNote;
use crate::pane::PaneContext;
use crate::pane::export::SourcePlace;
use crate::sanitize::{SafeText, width};
use crate::ui::document::{DocumentEntry, EntryCell, EntryLink, EntryValue};
use crate::ui::format::cut;
use crate::ui::theme::Role;

/// Columns between two columns of the stack.
const STACK_GAP: u16 = 2;

#[derive(Debug, Default)]
pub(super) struct FailureDetails {
    stack: StackAnswer,
    undone: Vec<Arc<Item<Log>>>,
    undone_pages: ListPages,
}

#[derive(Debug, Default)]
enum StackAnswer {
    #[default]
    Unasked,
    Known(Box<FailureStack>),
    Failed(ApiError),
}

impl FailureDetails {
    /// Returns the parts that have to be requested. Only a node has them.
    pub(super) fn missing(
        &self,
        transaction: &Transaction,
        cx: &PaneContext<'_>,
    ) -> impl Iterator<Item = TransactionQuery> {
        let has_failed_calls = cx.network.endpoint.is_node()
            && matches!(
                transaction.outcome(),
                TransactionOutcome::Failed | TransactionOutcome::OkInnerFailure
            );
        let is_stack_missing = has_failed_calls && self.is_stack_unasked(cx);
        let are_logs_missing = has_failed_calls && self.undone_pages.is_unasked();
        let stack = is_stack_missing.then_some(TransactionQuery::FailureStack);
        stack.into_iter().chain(are_logs_missing.then_some(TransactionQuery::UndoneLogs))
    }

    /// Returns `true` if the failed calls may be requested. Only a node has them.
    pub(super) fn is_stack_unasked(&self, cx: &PaneContext<'_>) -> bool {
        cx.network.endpoint.is_node() && matches!(self.stack, StackAnswer::Unasked)
    }

    /// Returns the calls that failed with the transaction, if they are known.
    pub(super) fn stack(&self) -> &[StackCall] {
        let stack = self.known().and_then(|stack| stack.calls.value());
        stack.map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the source line that the page shows, with its contract: none if a creation failed there.
    pub(super) fn source_place(&self) -> Option<(Option<Address>, SourcePlace)> {
        let frames: Vec<StackFrame<'_>> =
            self.stack().iter().flat_map(|call| call.frames("")).collect();
        let failing = failing_frame(&frames)?;
        let (file, line) = failing.line()?;
        Some((failing.contract, SourcePlace::Line(file.clone(), line)))
    }

    /// Returns the failures that the transaction survived, and the number of further ones.
    pub(super) fn caught(&self) -> (&[CaughtFailure], u64) {
        let stack = self.known();
        let caught = stack.and_then(|stack| stack.caught.value());
        let left_out = stack.and_then(|stack| stack.caught_left_out.value());
        (caught.map(Vec::as_slice).unwrap_or_default(), left_out.copied().unwrap_or_default())
    }

    fn known(&self) -> Option<&FailureStack> {
        match &self.stack {
            StackAnswer::Known(stack) => Some(stack),
            _ => None,
        }
    }

    pub(super) fn add_stack(&mut self, reply: ReplyResult) {
        self.stack = match reply.map(|reply| reply.get::<FailureStack>().cloned()) {
            Ok(Some(stack)) => StackAnswer::Known(Box::new(stack)),
            Ok(None) => return,
            Err(error) => StackAnswer::Failed(error),
        };
    }

    pub(super) fn add_undone_logs(&mut self, reply: ReplyResult) -> Option<Cursor> {
        self.undone_pages.add(reply, |items| self.undone.extend(items))
    }

    /// Returns the reason that the node's steps give.
    pub(super) fn revert_reason(&self) -> Option<&RevertReason> {
        self.known()?.revert_reason.value()
    }

    /// Describes the call in which the failure began, and returns its contract. `None` if it is the
    /// transaction's own.
    pub(super) fn origin(&self, cx: &PaneContext<'_>) -> Option<(String, Option<Address>)> {
        let stack = self.known()?;
        let calls = stack.calls.value()?;
        let left_out = stack.left_out.value().copied().unwrap_or_default();
        let depth = usize::try_from(left_out).ok()? + calls.len().checked_sub(1)?;
        let last = calls.last().filter(|_| depth > 0)?;
        let contract = &*last.qualified_function(|address| cx.short_name(address), cx.signature_db);
        let address = last.contract.value().map(|contract| contract.hash);
        let note = match depth {
            1 => TraceNote::RaisedBelow { contract },
            calls => TraceNote::RaisedFarBelow { calls, contract },
        };
        Some((note.to_string(), address))
    }

    pub(super) fn failure(&self) -> Option<&ApiError> {
        match &self.stack {
            StackAnswer::Failed(error) => Some(error),
            _ => self.undone_pages.failure(),
        }
    }

    /// Returns the reason if the transaction lacks it, the source line and the stack.
    pub(super) fn stack_entries(
        &self,
        transaction: &Transaction,
        cx: &PaneContext<'_>,
    ) -> Vec<DocumentEntry> {
        let stack = match &self.stack {
            StackAnswer::Unasked => return Vec::new(),
            StackAnswer::Failed(error) => {
                let note = FailureNote::NoStack(cx.reason(error).into());
                return vec![note_entry(&note)];
            }
            StackAnswer::Known(stack) => stack,
        };
        let calls = stack.calls.value().map(Vec::as_slice).unwrap_or_default();
        let mut entries = Vec::new();
        // The head has it unless the node only has steps.
        let sent = self.revert_reason().filter(|_| transaction.revert_reason.value().is_none());
        let entry = sent.and_then(|reason| {
            let exact = exact_reason(reason, cx.signature_db).unwrap_or_default();
            let shown = reason_sentence(reason, cx)?;
            Some(DocumentEntry::text("", shown).role(Role::Failed).copy(exact))
        });
        entries.extend(entry);
        let cause = stack.cause.value().map(|cause| DocumentEntry::text("", cause.clone()));
        entries.extend(cause.map(|cause| cause.role(Role::Failed)));
        let frames: Vec<StackFrame<'_>> =
            calls.iter().flat_map(|call| call.frames(&called_function(call, cx))).collect();
        let failing = failing_frame(&frames);
        // All have the same reason if no line is known.
        let noted =
            calls.last().filter(|_| failing.is_none()).and_then(|call| call.problem.value());
        match failing {
            Some(failing) => {
                let shown = frames.iter().filter(|frame| frame.is_own() || !failing.is_own());
                let places: Vec<String> = shown.filter_map(StackFrame::short_place).collect();
                entries.push(DocumentEntry::rule(prompt::SOURCE));
                let place = DocumentEntry::text("", places.join(" → ")).role(Role::Accent);
                entries.push(place.copy(failing.place().unwrap_or_default()));
                entries.extend(failing.source.entries());
            }
            None => {
                entries.extend(noted.map(|why| note_entry(&FailureNote::NoLine(why.clone()))));
            }
        }
        if !calls.is_empty() {
            entries.push(DocumentEntry::rule(prompt::STACK));
            let left_out = stack.left_out.value().filter(|calls| **calls > 0);
            entries.extend(left_out.map(|calls| note_entry(&FailureNote::LeftOut(*calls))));
            entries.extend(stack_lines(calls, noted, cx));
        }
        entries
    }

    /// Returns the events that were undone.
    pub(super) fn event_entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let mut entries: Vec<DocumentEntry> = self
            .undone
            .iter()
            .map(|log| match &log.parsed {
                Ok(log) => event_entry(log, cx),
                Err(why) => DocumentEntry::warning(why),
            })
            .collect();
        let failed = self.undone_pages.failure();
        entries.extend(
            failed.map(|error| note_entry(&FailureNote::NoUndoneEvents(cx.reason(error).into()))),
        );
        if !entries.is_empty() {
            entries.insert(0, DocumentEntry::rule(prompt::UNDONE_EVENTS));
        }
        entries
    }
}

/// Returns an event in one line, after its contract. A copy has it in full.
fn event_entry(log: &Log, cx: &PaneContext<'_>) -> DocumentEntry {
    let context = |abbreviator| RowContext {
        subject: ListSubject::Transaction,
        abbreviator,
        ..cx.row_context(None)
    };
    let emitter = log.address.hash().map_or_else(|| "?".to_owned(), |at| cx.short_name(&at));
    let space = usize::from(cx.area.width).saturating_sub(width(&emitter) + 1);
    let short = Abbreviator::default();
    let event: String =
        event_line(log, &context(Some(&short)), space).iter().map(|part| &*part.text).collect();
    DocumentEntry::text("", format!("{emitter}.{event}"))
        .role(Role::Dim)
        .copy(event_text(log, &context(None)))
}

fn note_entry(note: &FailureNote) -> DocumentEntry {
    DocumentEntry::note("", note.to_string())
}

/// Returns the called contract and its function.
pub(super) fn called_function(call: &StackCall, cx: &PaneContext<'_>) -> String {
    call.qualified_function(|address| cx.short_name(address), cx.signature_db)
}

/// Returns a line for each call and for each internal function: the place in the source, the function, and the
/// code there, or the reason why it is unknown unless that is noted already.
fn stack_lines(
    calls: &[StackCall],
    noted: Option<&SafeText>,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let frames: Vec<(&StackCall, StackFrame<'_>)> = calls
        .iter()
        .flat_map(|call| {
            call.frames(&called_function(call, cx)).into_iter().map(move |f| (call, f))
        })
        .collect();
    let rows: Vec<[EntryCell; 2]> =
        frames.iter().map(|(call, frame)| stack_cells(call, frame)).collect();
    let column = |n: usize| rows.iter().map(|row| row[n].width()).max().unwrap_or_default();
    let function_x = column(0) + STACK_GAP;
    let code_x = function_x + column(1) + STACK_GAP;
    let space = usize::from(cx.area.width.saturating_sub(code_x));
    let line =
        |([place, function], (call, frame)): ([EntryCell; 2], &(&StackCall, StackFrame<'_>))| {
            let problem = call.problem.value().filter(|why| Some(*why) != noted);
            let text = frame.source.failing_text().or(problem.map(|why| &**why));
            let code = text.filter(|_| space > 0).map(|code| {
                EntryCell::new(cut(code, space).into_owned(), Role::Dim).at(code_x).copy(code)
            });
            let shown = [place, function.at(function_x)].into_iter().chain(code).collect();
            DocumentEntry::new("", EntryValue::Cells(shown))
        };
    rows.clone().into_iter().zip(&frames).map(line).collect()
}

/// Returns the cells of a place and of its function, which lead to the contract.
fn stack_cells(call: &StackCall, frame: &StackFrame<'_>) -> [EntryCell; 2] {
    let role = if frame.is_own() { Role::Accent } else { Role::Dim };
    let place = frame.place().unwrap_or_else(|| "?".to_owned());
    let shown = frame.shown_place().unwrap_or_else(|| place.clone());
    let function = EntryCell::new(frame.function.clone(), Role::Plain);
    [EntryCell::new(shown, role).copy(place), function].map(|cell| match call.contract.value() {
        Some(contract) => cell.link(EntryLink::Target(TargetKind::Address(contract.hash))),
        None => cell,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Query;
    use crate::chain::TxHash;

    #[test]
    fn opened_line_is_the_one_shown_also_in_a_constructor() {
        let call = |contract: Option<Address>, file: &str, line: u64| {
            let contract = contract.map(|hash| serde_json::json!({ "hash": hash }));
            serde_json::json!({ "contract": contract, "file_path": file, "line": line })
        };
        let factory = call(Some(Address::ZERO), "src/Factory.sol", 7);
        for (inner, expected) in [
            (call(None, "src/Child.sol", 3), (None, "src/Child.sol", 3)),
            (call(None, "lib/oz/Own.sol", 3), (Some(Address::ZERO), "src/Factory.sol", 7)),
        ] {
            let body = serde_json::json!({ "calls": [factory, inner] }).to_string();
            let query = Query::Transaction(TxHash::ZERO, TransactionQuery::FailureStack);
            let mut details = FailureDetails::default();
            details.add_stack(Ok(query.decode(body.as_bytes(), None).unwrap()));
            let (contract, file, line) = expected;
            let place = SourcePlace::Line(file.into(), line);
            assert_eq!(details.source_place(), Some((contract, place)));
        }
    }
}
