//! The text of the lines of a comparison: the call of a row, its result, and its copy.

use super::folds::{DiffFolds, DiffLine, FoldLimits, run_end};
use super::gas_text::{RowGas, format_delta, format_gas};
use super::row_name::RowName;
use super::{CallFormatter, ComparedTrace, DiffPane, PaneContext};
use crate::chain::amount::Grouped;
use crate::chain::call_kind::CallKind;
use crate::messages::Count;
use crate::messages::diff::DiffText;
use crate::sanitize::SafeText;
use crate::trace::diff::{CallChange, DiffRow};
use crate::trace::tree::to_index;
use crate::trace::{CallFrame, CallOutcome};

/// Use of the text of a row: amounts are short on the screen, addresses in full in copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextUse {
    Screen,
    Copy,
}

/// Width of rows from which tokens among arguments have their names.
const MIN_NAME_COLUMNS: u16 = 90;
/// Upper bound on the lines of a copied comparison.
const MAX_COPIED_LINES: usize = 20_000;

pub(super) fn change_mark(change: CallChange) -> &'static str {
    match change {
        CallChange::Same => " ",
        CallChange::Gas | CallChange::Outcome => "~",
        CallChange::Added => "+",
        CallChange::Removed => "−",
    }
}

/// Returns the reason of a failure without the sign, which has a column.
fn without_mark(reason: &str) -> String {
    reason.trim_start_matches(CallOutcome::Failed.symbol()).trim_start().to_owned()
}

/// Describes a call that only sends coin: `send 1 ETH → alice.eth`.
pub(super) fn sent_coin(formatter: &CallFormatter<'_>, call: u32) -> Option<String> {
    let label = formatter.call_label(call);
    let is_plain = label.function().is_empty() && !label.contract.is_empty();
    let moves_value = |frame: &CallFrame| frame.kind.moves_value() && !frame.failed();
    let sends = is_plain && formatter.tree.get(call).is_some_and(moves_value);
    let value = formatter.tree.value(call).filter(|value| sends && !value.is_zero())?;
    let amount = &*formatter.coin_amount(value);
    Some(DiffText::Send { amount, recipient: &label.contract }.to_string())
}

pub(super) fn count(number: u32, noun: &'static str) -> Count {
    Count(to_index(number), noun)
}

impl DiffPane {
    /// Returns the outcome of a row, in both traces if it differs.
    pub(super) fn outcome(&self, row: &DiffRow) -> String {
        let symbols = self
            .sides(row)
            .map(|(trace, frame)| trace.tree.outcome(frame?).map(CallOutcome::symbol));
        match symbols {
            [Some(l), Some(r)] if l != r => format!("{l}→{r}"),
            [l, r] => r.or(l).unwrap_or("?").to_owned(),
        }
    }

    /// Returns the formatter of texts that are compared: numbers that are equal have equal texts.
    fn exact_formatter<'a>(
        &'a self,
        trace: &'a ComparedTrace,
        cx: &PaneContext<'a>,
    ) -> CallFormatter<'a> {
        let formatter = self.formatter(trace, cx);
        CallFormatter { transfers: &self.no_transfers, short_amounts: false, ..formatter }
    }

    /// Returns `true` if a text of a row's call is the same in both traces.
    fn are_equal<'a>(
        &'a self,
        row: &DiffRow,
        text: fn(&CallFormatter<'a>, u32) -> String,
        cx: &PaneContext<'a>,
    ) -> bool {
        let [left, right] = self
            .sides(row)
            .map(|(trace, frame)| Some(text(&self.exact_formatter(trace, cx), frame?)));
        left == right
    }

    /// Returns the kind of a row's call, and its name in both traces if they differ.
    pub(super) fn name(
        &self,
        row: &DiffRow,
        used: TextUse,
        cx: &PaneContext<'_>,
    ) -> (Option<CallKind>, RowName) {
        let (full_addresses, short_amounts) = (used == TextUse::Copy, used == TextUse::Screen);
        let token_symbols = short_amounts && cx.area.width < MIN_NAME_COLUMNS;
        let labels = self.sides(row).map(|(trace, frame)| {
            let names = CallFormatter {
                full_addresses,
                short_amounts,
                token_symbols,
                ..self.row_formatter(row, trace, cx)
            };
            // The kind before it says that the call is delegated.
            let sent = sent_coin(&names, frame?);
            Some(sent.unwrap_or(names.call_label(frame?).without_arrow()))
        });
        let are_equal = self.are_equal(row, |names, frame| names.call_label(frame).line(), cx);
        let name = match labels {
            // A token may be known in one trace only.
            [Some(_), Some(right)] if are_equal => RowName::Common(right),
            [Some(left), Some(right)] => RowName::join(left, right),
            [left, right] => RowName::Common(right.or(left).unwrap_or_else(|| "?".into())),
        };
        let labelled = self.labelled_frame(row, cx);
        let frame = labelled.and_then(|(names, frame)| names.tree.get(frame));
        (frame.map(|frame| frame.kind), name)
    }

    /// Returns the result of a row's call if it failed or only one trace has it, of both traces if they differ, or an
    /// empty string.
    pub(super) fn result(&self, row: &DiffRow, used: TextUse, cx: &PaneContext<'_>) -> String {
        let short_amounts = used == TextUse::Screen;
        let results = self.sides(row).map(|(trace, frame)| {
            let is_failed = trace.tree.get(frame?).is_some_and(CallFrame::failed);
            let results = CallFormatter { short_amounts, ..self.row_formatter(row, trace, cx) };
            Some((is_failed, results.result_text(frame?)))
        });
        let are_equal = self.are_equal(row, CallFormatter::result_text, cx);
        let [left_returns, right_returns] = self.sides(row).map(|(trace, frame)| {
            let output = frame.and_then(|frame| Some(trace.tree.get(frame)?.output));
            output.and_then(|output| trace.tree.hex_len(output)).is_some_and(|length| length > 0)
        });
        match results {
            [Some((is_failed, left)), Some(_)] if are_equal => {
                if is_failed {
                    without_mark(&left)
                } else {
                    String::new()
                }
            }
            [Some((left_failed, left)), Some((right_failed, right))] => {
                let [left, right] = [("A", left), ("B", right)].map(|(side, text)| {
                    let ok = CallOutcome::Succeeded.symbol();
                    [side, " ", if text.is_empty() { ok } else { &text }].concat()
                });
                // A failure comes first, as the rest may be cut.
                let is_second = right_failed && !left_failed;
                let (first, second) = if is_second { (right, left) } else { (left, right) };
                format!("{first} · {second}")
            }
            [Some((true, reason)), None] | [None, Some((true, reason))] => without_mark(&reason),
            [Some((false, values)), None] if left_returns => values,
            [None, Some((false, values))] if right_returns => values,
            _ => String::new(),
        }
    }

    /// Returns the outcome of a row's call if it failed in one of the traces.
    pub(super) fn failure(&self, row: &DiffRow) -> Option<CallOutcome> {
        let [left, right] = self.sides(row).map(|(trace, frame)| {
            trace.tree.get(frame?).filter(|call| call.failed())?;
            trace.tree.outcome(frame?)
        });
        right.or(left)
    }

    pub(super) fn run_label(&self, first: u32) -> String {
        let calls = run_end(&self.diff, first).saturating_sub(first);
        let side = match self.diff.row(first).map(|row| row.change) {
            Some(CallChange::Added) => Some("B"),
            Some(CallChange::Removed) => Some("A"),
            _ => None,
        };
        if let Some(side) = side {
            return DiffText::MoreOfOne { calls: Grouped(calls), side }.to_string();
        }
        DiffText::EqualGas { calls: count(calls, "call") }.to_string()
    }

    /// Formats a subtree, with equal calls collapsed.
    pub(super) fn subtree_text(&self, root: DiffLine, cx: &PaneContext<'_>) -> SafeText {
        let end = match root {
            DiffLine::Call(0) => self.diff.len(),
            DiffLine::Call(row) => self.diff.row(row).map_or(row, |row| row.end),
            DiffLine::Run(first) => run_end(&self.diff, first),
        };
        let folds = DiffFolds::new(&self.diff, FoldLimits::NONE);
        let mut lines = folds.lines().iter().filter(|line| (root.row()..end).contains(&line.row()));
        let root_depth = self.diff.row(root.row()).map_or(0, |row| row.depth);
        let mut text =
            format!("{}\n{}\n", self.title(u16::MAX), self.summary(u16::MAX, false, cx).join("\n"));
        for line in lines.by_ref().take(MAX_COPIED_LINES) {
            text.push_str(&(self.line_text(*line, root_depth, cx) + "\n"));
        }
        let left_out = lines.count();
        if left_out > 0 {
            text.push_str(&DiffText::MoreLines { lines: left_out }.to_string());
        }
        SafeText::multiline(text.trim_end())
    }

    fn line_text(&self, line: DiffLine, root_depth: u16, cx: &PaneContext<'_>) -> String {
        let Some(row) = self.diff.row(line.row()) else { return String::new() };
        let indent = "  ".repeat(usize::from(row.depth.saturating_sub(root_depth)));
        let DiffLine::Call(number) = line else {
            return format!("  {indent}{}", self.run_label(line.row()));
        };
        let gas = RowGas::of(row, &self.left.tree, &self.right.tree);
        let format = |call| format_gas(call, |gas| Grouped(gas).to_string());
        let gas =
            format!("{} → {} ({})", format(gas.left), format(gas.right), format_delta(gas.delta));
        let (kind, name) = self.name(row, TextUse::Copy, cx);
        let kind_name = kind.map_or("?", CallKind::short_name);
        let below = row.end.saturating_sub(number + 1);
        let equal_calls = if row.differs || below == 0 {
            String::new()
        } else {
            format!(" ({})", DiffText::EqualGas { calls: count(below, "call") })
        };
        let moved = if row.elsewhere.is_some() { "=" } else { "" };
        let mark = [change_mark(row.change), moved].concat();
        let outcome = self.outcome(row);
        let result = self.result(row, TextUse::Copy, cx);
        let line = format!("{mark} {indent}{outcome} {kind_name} [{gas}] {name} {result}");
        let note = elsewhere_note(row).map_or_else(String::new, |note| [" · ", &note].concat());
        [line.trim_end(), &equal_calls, &note].concat()
    }
}

/// Returns the place of an added or removed call in the other trace.
pub(super) fn elsewhere_note(row: &DiffRow) -> Option<String> {
    let side = if row.change == CallChange::Added { "A" } else { "B" };
    Some(DiffText::elsewhere(side, row.elsewhere?))
}
