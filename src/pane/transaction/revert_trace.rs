//! The failures of a transaction's calls from its trace: the path from the outermost call to the origin of a
//! revert, and the reason of a caught failure.

use std::sync::Arc;

use super::panels::Panel;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::calls::formatter::CallFormatter;
use crate::calls::results::{ORIGIN_MARK, outcome_role};
use crate::calls::trace_contracts::{MAX_TRACED_CALLS, called_contracts};
use crate::calls::transfer_matching::TransferMap;
use crate::chain::amount::Grouped;
use crate::chain::network::Endpoint;
use crate::chain::{Address, TxHash};
use crate::messages::prompt;
use crate::messages::trace::TraceNote;
use crate::messages::transaction::FailureNote;
use crate::pane::{PaneContext, PanePlace};
use crate::trace::revert_origin::find_origin;
use crate::trace::tree::FrameClass;
use crate::trace::{CallFrame, CallOutcome, CallTree};
use crate::ui::document::{DocumentEntry, EntryCell, EntryLink, EntryValue};
use crate::ui::text::fit_text;
use crate::ui::theme::Role;

/// Maximum contracts of failed calls whose functions are requested.
const MAX_CAUGHT_CONTRACTS: usize = 4;
/// Columns of a level of the tree.
pub(super) const LEVEL_COLUMNS: u16 = 2;
const ORIGIN_GAP: u16 = 2;
/// Columns between the calls and their gas.
const GAS_GAP: u16 = 3;
/// Least columns of the reason of a failure next to its gas.
const MIN_REASON_COLUMNS: u16 = 24;
/// Columns between a number, a call and the reason of its failure.
const REASON_GAP: u16 = 2;

#[derive(Debug, Default)]
pub(super) struct RevertTrace {
    trace: TraceAnswer,
    transfers: TransferMap,
}

#[derive(Debug, Default)]
enum TraceAnswer {
    #[default]
    Unasked,
    Known(Arc<CallTree>),
    Missing,
}

impl RevertTrace {
    /// Returns `true` if the trace is to be requested: of a transaction with few inner calls, some of which failed.
    pub(super) fn is_missing(
        &self,
        transaction: &Transaction,
        calls: Option<u64>,
        cx: &PaneContext<'_>,
    ) -> bool {
        let has_failures = matches!(
            transaction.outcome(),
            TransactionOutcome::Failed | TransactionOutcome::OkInnerFailure
        );
        has_failures && self.can_request(calls, cx)
    }

    /// Returns `true` if the trace of a transaction with few inner calls may be requested.
    pub(super) fn can_request(&self, calls: Option<u64>, cx: &PaneContext<'_>) -> bool {
        matches!(self.trace, TraceAnswer::Unasked)
            // A node has the stack of the failure, and a preview is passed by.
            && !cx.network.endpoint.is_node()
            && cx.place != PanePlace::Preview
            && calls.is_some_and(|calls| (1..=MAX_TRACED_CALLS).contains(&calls))
    }

    /// Returns `true` if a trace costs nothing and was not requested: the demo chain is a part of the program.
    pub(super) fn is_free(&self, cx: &PaneContext<'_>) -> bool {
        let is_demo = cx.network.endpoint == Endpoint::Embedded;
        is_demo && matches!(self.trace, TraceAnswer::Unasked)
    }

    /// Adds the trace as the name cache has it, once a reply has come: it does not have large ones.
    pub(super) fn add(&mut self, transaction: &TxHash, cx: &PaneContext<'_>) {
        let trace = cx.name_cache.trace(transaction);
        let transfers = cx.name_cache.transfers(transaction);
        self.transfers = trace.map(|tree| TransferMap::build(tree, &transfers)).unwrap_or_default();
        self.trace = trace.map_or(TraceAnswer::Missing, |tree| TraceAnswer::Known(tree.clone()));
    }

    fn formatter<'a>(
        &'a self,
        transaction: &Transaction,
        cx: &PaneContext<'a>,
    ) -> Option<CallFormatter<'a>> {
        let TraceAnswer::Known(tree) = &self.trace else { return None };
        Some(cx.call_formatter(tree, &transaction.hash, &self.transfers))
    }

    /// Returns the failed calls that the transaction survived, if there are several.
    pub(super) fn caught_calls(&self, transaction: &Transaction) -> &[u32] {
        let is_caught = transaction.outcome() == TransactionOutcome::OkInnerFailure;
        match &self.trace {
            TraceAnswer::Known(tree) if is_caught => match tree.frames_of(FrameClass::Failed) {
                [_] => &[],
                failed => failed,
            },
            _ => &[],
        }
    }

    /// Returns the number of calls that failed, and of all calls, of a transaction that survived them.
    pub(super) fn failed_calls(&self, transaction: &Transaction) -> Option<(usize, usize)> {
        let TraceAnswer::Known(tree) = &self.trace else { return None };
        let failed = tree.frames_of(FrameClass::Failed).len();
        let is_caught = transaction.outcome() == TransactionOutcome::OkInnerFailure;
        (is_caught && failed > 0).then_some((failed, tree.len() as usize))
    }

    /// Returns the contract of the last call that failed.
    pub(super) fn last_failed_contract(&self) -> Option<Address> {
        let TraceAnswer::Known(tree) = &self.trace else { return None };
        tree.target_address(*tree.frames_of(FrameClass::Failed).last()?)
    }

    /// Returns `true` if the path of the failure of a transaction is known.
    pub(super) fn has_path(&self, transaction: &Transaction) -> bool {
        let has_failed = transaction.outcome() == TransactionOutcome::Failed;
        has_failed && matches!(self.trace, TraceAnswer::Known(_))
    }

    /// Returns the first contracts of those calls.
    pub(super) fn caught_contracts(&self, transaction: &Transaction) -> Vec<Address> {
        let TraceAnswer::Known(tree) = &self.trace else { return Vec::new() };
        let mut contracts = called_contracts(tree, self.caught_calls(transaction).iter().copied());
        contracts.truncate(MAX_CAUGHT_CONTRACTS);
        contracts
    }

    /// Returns a line for each of the failed calls: its number, its contract and function, the reason, and its gas if
    /// all lines have space for it.
    pub(super) fn failure_lines(
        &self,
        calls: &[u32],
        transaction: &Transaction,
        cx: &PaneContext<'_>,
    ) -> Vec<Vec<EntryCell>> {
        let Some(formatter) = self.formatter(transaction, cx) else { return Vec::new() };
        let in_trace = |call: u32| EntryLink::Call(transaction.hash, formatter.tree.path(call));
        let number = |call: &u32| {
            let text = format!("#{}", Grouped(call + 1));
            EntryCell::new(text, outcome_role(CallOutcome::Caught)).link(in_trace(*call))
        };
        let numbers = calls.iter().map(|call| number(call).width()).max().unwrap_or_default();
        let call_x = numbers + REASON_GAP;
        let middle = call_x + cx.area.width.saturating_sub(call_x) / 2;
        let called: Vec<_> = calls
            .iter()
            .map(|call| function_cells(&formatter, *call, (call_x, middle), cx))
            .collect();
        let ends = called.iter().flatten().map(EntryCell::end);
        let reason_x = ends.max().unwrap_or_default() + REASON_GAP;
        let gas_of = |call: &u32| EntryCell::new(gas_text(formatter.tree, *call), Role::Dim);
        let gas: Vec<_> = calls.iter().map(gas_of).collect();
        let gas_columns = gas.iter().map(EntryCell::width).max().unwrap_or_default() + GAS_GAP;
        let space = cx.area.width.saturating_sub(reason_x);
        let with_gas_columns =
            space.checked_sub(gas_columns).filter(|left| *left >= MIN_REASON_COLUMNS);
        let columns = usize::from(with_gas_columns.unwrap_or(space));
        let line = |(call, cells): (&u32, Vec<EntryCell>)| {
            let reason = fit_text(formatter.failure_reason(*call), columns);
            // Many coloured lines would look worse than an outcome that is fine.
            let reason = EntryCell::new(reason, Role::Plain)
                .link(in_trace(*call))
                .copy(formatter.exact_failure_reason(*call));
            let cell = number(call);
            let indent = numbers - cell.width();
            [cell.at(indent)].into_iter().chain(cells).chain([reason.at(reason_x)]).collect()
        };
        let lines: Vec<Vec<EntryCell>> = calls.iter().zip(called).map(line).collect();
        with_gas(lines, gas, cx.area.width)
    }

    /// Returns `true` if the gas of one of some calls is inferred.
    pub(super) fn is_gas_inferred(&self, calls: &[u32]) -> bool {
        let TraceAnswer::Known(tree) = &self.trace else { return false };
        calls.iter().any(|call| tree.get(*call).is_some_and(CallFrame::is_gas_inferred))
    }

    /// Describes the last failure of a call that the transaction survived, if it is one of `contract`.
    pub(super) fn last_caught_reason(
        &self,
        transaction: &Transaction,
        contract: Option<Address>,
        cx: &PaneContext<'_>,
    ) -> Option<String> {
        let formatter = self.formatter(transaction, cx)?;
        let last = formatter.tree.frames_of(FrameClass::Failed).last()?;
        let is_caught = transaction.outcome() == TransactionOutcome::OkInnerFailure;
        // Lists leave calls out that a trace has.
        let is_last = contract.is_some() && formatter.tree.target_address(*last) == contract;
        (is_caught && is_last).then(|| formatter.failure_reason(*last))
    }

    /// Describes the call in which the failure of the transaction began, and returns its contract. `None` if
    /// it is the transaction's own.
    pub(super) fn origin(
        &self,
        transaction: &Transaction,
        cx: &PaneContext<'_>,
    ) -> Option<(String, Option<Address>)> {
        let formatter = self.formatter(transaction, cx)?;
        let path = find_origin(formatter.tree, 0)?.path;
        let address = formatter.tree.target_address(*path.last()?);
        let origin = formatter.call_label(*path.last()?);
        let contract = &*origin.short();
        match path.len() {
            0 | 1 => None,
            2 => Some((TraceNote::RaisedBelow { contract }.to_string(), address)),
            n => Some((TraceNote::RaisedFarBelow { calls: n - 1, contract }.to_string(), address)),
        }
    }

    /// Returns the tokens without a name in the error of the last call that failed.
    pub(super) fn unknown_tokens(
        &self,
        transaction: &Transaction,
        cx: &PaneContext<'_>,
    ) -> Vec<Address> {
        let formatter = self.formatter(transaction, cx);
        let last = |formatter: &CallFormatter<'_>| {
            formatter.tree.frames_of(FrameClass::Failed).last().copied()
        };
        let of_error = formatter
            .and_then(|formatter| Some(formatter.unknown_tokens_of_error(last(&formatter)?)));
        of_error.unwrap_or_default()
    }

    /// Returns the panel of the calls from the outermost one to the origin of the failure, if the trace is known. Outer
    /// calls beyond `most` lines are counted.
    pub(super) fn path_panel(
        &self,
        transaction: &Transaction,
        most: usize,
        cx: &PaneContext<'_>,
    ) -> Option<Panel> {
        let formatter = self.formatter(transaction, cx)?;
        let origin = find_origin(formatter.tree, 0)?;
        let hidden = origin.path.len().saturating_sub(most);
        let note = (hidden > 0).then(|| {
            DocumentEntry::text("", FailureNote::LeftOut(hidden as u64).to_string()).role(Role::Dim)
        });
        let last = origin.path.len() - 1;
        let calls = || (0..).zip(&origin.path).skip(hidden);
        let lines: Vec<_> = calls()
            .map(|(depth, call)| {
                let level = u16::try_from(depth - hidden).unwrap_or(u16::MAX);
                call_line(&formatter, *call, level, depth == last, cx)
            })
            .collect();
        let gas_of = |call| EntryCell::new(gas_text(formatter.tree, call) + " gas", Role::Dim);
        let gas = calls().map(|(_, call)| gas_of(*call)).collect();
        let rows = with_gas(lines, gas, cx.area.width).into_iter();
        let path = rows.map(|row| DocumentEntry::new("", EntryValue::Cells(row)));
        Some(Panel {
            title: prompt::REVERT_PATH.into(),
            entries: note.into_iter().chain(path).collect(),
        })
    }
}

/// Appends the gas of calls to their lines, if all have space for it.
fn with_gas(lines: Vec<Vec<EntryCell>>, gas: Vec<EntryCell>, width: u16) -> Vec<Vec<EntryCell>> {
    let widest = gas.iter().map(EntryCell::width).max().unwrap_or_default();
    let ends = lines.iter().flatten().map(EntryCell::end);
    let gas_end = ends.max().unwrap_or_default() + GAS_GAP + widest;
    let with_gas = lines.into_iter().zip(gas).map(|(mut line, gas)| {
        let x = gas_end - gas.width();
        line.extend((gas_end <= width).then(|| gas.at(x)));
        line
    });
    with_gas.collect()
}

/// Returns the line of a call: its branch, its contract and its function.
fn call_line(
    formatter: &CallFormatter<'_>,
    call: u32,
    level: u16,
    is_origin: bool,
    cx: &PaneContext<'_>,
) -> Vec<EntryCell> {
    let x = level.saturating_mul(LEVEL_COLUMNS).min(cx.area.width / 2);
    let branch = EntryCell::new(if level > 0 { "└─" } else { "" }, Role::Dim)
        .at(x.saturating_sub(LEVEL_COLUMNS));
    let origin = is_origin.then(|| EntryCell::new(ORIGIN_MARK, Role::Failed));
    let after = origin.as_ref().map_or(0, |origin| origin.width() + ORIGIN_GAP);
    let called = function_cells(formatter, call, (x, cx.area.width.saturating_sub(after)), cx);
    let origin_x = called.last().map_or(x, EntryCell::end) + ORIGIN_GAP;
    let placed = origin.map(|origin| origin.at(origin_x));
    [branch].into_iter().chain(called).chain(placed).collect()
}

/// Returns the gas that a call used, with the calls in it.
pub(super) fn gas_text(tree: &CallTree, call: u32) -> String {
    let used = tree.get(call).map(|frame| frame.format_gas_used(|gas| Grouped(gas).to_string()));
    used.unwrap_or_else(|| "?".to_owned())
}

/// Returns the contract and the function of a call, between two columns.
pub(super) fn function_cells(
    formatter: &CallFormatter<'_>,
    call: u32,
    (x, right): (u16, u16),
    cx: &PaneContext<'_>,
) -> Vec<EntryCell> {
    let label = formatter.call_label(call);
    let target = formatter.tree.target_address(call).filter(|_| !label.contract.is_empty());
    let contract = target.map(|address| cx.address_cell(address).at(x));
    let function_x = contract.as_ref().map_or(x, EntryCell::end);
    let function =
        if contract.is_some() { [label.dot(), &label.function()].concat() } else { label.line() };
    let space = right.saturating_sub(function_x);
    let plain = EntryCell::new(fit_text(function, space.into()), Role::Plain).at(function_x);
    let linked = match formatter.transaction {
        Some(own) => plain.link(EntryLink::Call(own.hash, formatter.tree.path(call))),
        None => plain,
    };
    contract.into_iter().chain([linked]).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::api::json_fields::FromJson;
    use crate::trace::test_util::{SampleCall, sample_tree};

    #[test]
    fn contracts_of_many_caught_failures_are_limited() {
        let failed = (0..9).map(|n| SampleCall {
            to: 0xabcd_0000 + u128::from(n),
            ..SampleCall::at(&[n]).input("0x12345678").failed("0x")
        });
        let calls: Vec<_> = [SampleCall::at(&[])].into_iter().chain(failed).collect();
        let trace = TraceAnswer::Known(Arc::new(sample_tree(&calls)));
        let known = RevertTrace { trace, transfers: TransferMap::default() };
        let json = format!(
            r#"{{"hash":"{}","status":"ok","has_error_in_internal_transactions":true}}"#,
            TxHash::ZERO
        );
        let json = RawValue::from_string(json).unwrap();
        let transaction = Transaction::from_json((&*json).into()).unwrap();
        assert_eq!(known.caught_calls(&transaction).len(), 9);
        let contracts = known.caught_contracts(&transaction);
        assert!(contracts.iter().map(|contract| contract[19]).eq(0..4), "{contracts:?}");
    }
}
