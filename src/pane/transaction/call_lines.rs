//! The first calls of a transaction in the lines that its page leaves free, if its trace is known.

use std::ops::Range;

use super::revert_trace::{function_cells, gas_text};
use crate::calls::formatter::CallFormatter;
use crate::calls::results::{ORIGIN_MARK, outcome_role};
use crate::chain::TxHash;
use crate::chain::amount::Grouped;
use crate::messages::page::PageMessage;
use crate::messages::prompt;
use crate::pane::PaneContext;
use crate::pane::known_trace::KnownTrace;
use crate::trace::revert_origin::{find_origin, is_origin};
use crate::trace::tree::to_index;
use crate::trace::{CallFrame, CallOutcome, CallTree};
use crate::ui::document::{DocumentEntry, EntryCell, EntryLink, EntryValue};
use crate::ui::text::fit_text;
use crate::ui::theme::Role;

/// Lines of the rules around the calls.
const RULE_LINES: usize = 2;
/// Fewer calls say no more than the call of the transaction.
const MIN_CALLS: u32 = 2;
/// Columns between gas, call and result.
const GAP: u16 = 2;
/// Columns of a level of the tree.
const LEVEL_COLUMNS: u16 = 2;

/// Returns the first calls of a trace, for at most `lines` lines with their rules: none without enough of them, or if
/// all are on the path of a failure that the page lists above.
pub(super) fn listed_calls(tree: &CallTree, (lines, lists_path): (usize, bool)) -> Range<u32> {
    let space = u32::try_from(lines.saturating_sub(RULE_LINES)).unwrap_or(u32::MAX);
    let all = tree.len();
    let are_on_path =
        || find_origin(tree, 0).is_some_and(|origin| origin.path.len() == to_index(all));
    if space < MIN_CALLS || all < MIN_CALLS || (lists_path && are_on_path()) {
        return 0..0;
    }
    0..if all > space { space - 1 } else { all }
}

/// Returns the listed calls between two rules. Reasons are left out if the page `states_reasons` of all caught failures.
pub(super) fn call_entries(
    hash: TxHash,
    (lines, lists_path, states_reasons): (usize, bool, bool),
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let Some(tree) = cx.name_cache.trace(&hash) else { return Vec::new() };
    let calls = listed_calls(tree, (lines, lists_path));
    if calls.is_empty() {
        return Vec::new();
    }
    let trace = KnownTrace::new(tree, &hash, cx);
    let formatter = trace.formatter();
    let origin = find_origin(tree, 0).and_then(|origin| origin.frame());
    let gas: Vec<EntryCell> =
        calls.clone().map(|call| EntryCell::new(gas_text(tree, call), Role::Dim)).collect();
    let gas_columns = gas.iter().map(EntryCell::width).max().unwrap_or_default();
    let hidden = tree.len() - calls.end;
    let rows = calls.zip(gas).map(|(call, gas)| {
        let indent = gas_columns - gas.width();
        let outcome = result(&formatter, call, (origin, states_reasons));
        let line = call_cells(&formatter, (hash, call), (gas_columns + GAP, outcome), cx);
        [gas.at(indent)].into_iter().chain(line).collect()
    });
    // At least two.
    let more = (hidden > 0).then(|| {
        let text = PageMessage::MoreCalls { calls: Grouped(to_index(hidden)) }.to_string();
        vec![EntryCell::new(text, Role::Dim).at(gas_columns + GAP)]
    });
    let rows: Vec<Vec<EntryCell>> = rows.chain(more).collect();
    let rule = DocumentEntry::rule;
    let lines = rows.into_iter().map(|row| DocumentEntry::new("", EntryValue::Cells(row)));
    [rule(prompt::CALLS_WITH_GAS)].into_iter().chain(lines).chain([rule("")]).collect()
}

/// Returns the kind, the call and its result, from a column on.
fn call_cells(
    formatter: &CallFormatter<'_>,
    (hash, call): (TxHash, u32),
    (left, result): (u16, (String, Role)),
    cx: &PaneContext<'_>,
) -> Vec<EntryCell> {
    let Some(frame) = formatter.tree.get(call) else { return Vec::new() };
    let outcome = formatter.tree.outcome(call).unwrap_or(CallOutcome::Succeeded);
    let width = cx.area.width;
    let x = left.saturating_add(frame.depth.saturating_mul(LEVEL_COLUMNS)).min(width / 2);
    let sign = match outcome {
        CallOutcome::Succeeded => String::new(),
        outcome => [outcome.symbol(), " "].concat(),
    };
    let sign = EntryCell::new(sign, outcome_role(outcome)).at(x);
    let kind = EntryCell::new(frame.kind.badge(), Role::Badge).at(sign.end());
    let called = function_cells(formatter, call, (kind.end(), width), cx);
    let end = called.last().map_or(x, EntryCell::end).saturating_add(GAP);
    let text = fit_text(result.0, width.saturating_sub(end).into());
    let link = EntryLink::Call(hash, formatter.tree.path(call));
    let result = EntryCell::new(text, result.1).at(end).link(link);
    let shown = |cell: &EntryCell| cell.width() > 0;
    [sign, kind].into_iter().chain(called).chain([result]).filter(shown).collect()
}

/// Returns the result of a call, or the reason of a failure that began in it, unless the page has that above.
fn result(
    formatter: &CallFormatter<'_>,
    call: u32,
    (origin, states_reasons): (Option<u32>, bool),
) -> (String, Role) {
    if !formatter.tree.get(call).is_some_and(CallFrame::failed) {
        return (formatter.result_text(call), Role::Dim);
    }
    if origin == Some(call) {
        return (ORIGIN_MARK.to_owned(), Role::Failed);
    }
    let is_shown = !states_reasons && is_origin(formatter.tree, call);
    let reason = is_shown.then(|| formatter.failure_reason(call));
    // Many coloured lines would look worse than an outcome that is fine.
    (reason.unwrap_or_default(), Role::Plain)
}
