//! The text of a comparison: its header, its lines, and details of one call.

use std::fmt;

use super::folds::{DiffFolds, DiffLine, run_end};
use super::{CallFormatter, DiffPane, PaneContext};
use crate::api::transactions::Transaction;
use crate::calls::gas::{has_refund, is_whole};
use crate::chain::amount::Grouped;
use crate::chain::call_kind::CallKind;
use crate::chain::hash_abbreviation::abbreviate;
use crate::messages::Count;
use crate::messages::diff::{self, DiffText};
use crate::route::DiffBaseline;
use crate::sanitize::SafeText;
use crate::trace::diff::{CallChange, DiffRow, TraceDiff, exact_own_gas, gas_delta};
use crate::trace::tree::to_index;
use crate::trace::{CallFrame, CallOutcome, CallTree};
use crate::ui::format::width;
use crate::ui::text::fit_text;

/// Sources of the change of gas.
const GAS_SOURCES: [&str; 3] = ["added calls", "removed calls", diff::OWN_GAS_OF_COMMON_CALLS];
const SHORT_GAS_SOURCES: [&str; 3] = ["added", "removed", diff::OWN_GAS_OF_COMMON];

/// Use of the text of a row: amounts are short on the screen, addresses in full in copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextUse {
    Screen,
    Copy,
}

/// Columns between two facts about a transaction.
const FACT_GAP: usize = 2;

/// Upper bound on the lines of a copied comparison.
const MAX_COPIED_LINES: usize = 20_000;

/// The gas of a call in one of the traces.
#[derive(Clone, Copy)]
pub(super) enum GasUsed {
    /// The trace does not have the call.
    Absent,
    Unknown,
    Known(u64),
    Inferred(u64),
}

impl GasUsed {
    fn of(frame: Option<&CallFrame>) -> Self {
        let Some(frame) = frame else { return Self::Absent };
        match frame.gas_used() {
            None => Self::Unknown,
            Some(gas) if frame.is_gas_inferred() => Self::Inferred(gas),
            Some(gas) => Self::Known(gas),
        }
    }
}

pub(super) struct RowGas {
    pub(super) left: GasUsed,
    pub(super) right: GasUsed,
    /// Its change, where an absent call counts as 0.
    pub(super) delta: Option<i128>,
    /// The change of the self gas.
    pub(super) own_delta: Option<i128>,
}

impl RowGas {
    pub(super) fn of(row: &DiffRow, left: &CallTree, right: &CallTree) -> Self {
        let left = row.left.and_then(|frame| left.get(frame));
        let right = row.right.and_then(|frame| right.get(frame));
        let delta_of = |gas: fn(&CallFrame) -> Option<u64>| {
            gas_delta(left.map_or(Some(0), gas), right.map_or(Some(0), gas))
        };
        Self {
            left: GasUsed::of(left),
            right: GasUsed::of(right),
            delta: delta_of(CallFrame::gas_used),
            own_delta: delta_of(exact_own_gas),
        }
    }
}

/// Formats gas, `?` if it is unknown and `—` if there is no call.
pub(super) fn format_gas(gas: GasUsed, format: impl Fn(u64) -> String) -> String {
    match gas {
        GasUsed::Absent => "—".into(),
        GasUsed::Unknown => "?".into(),
        GasUsed::Known(gas) => format(gas),
        GasUsed::Inferred(gas) => ["≈", &format(gas)].concat(),
    }
}

/// Formats gas that refunds may make negative.
fn signed(gas: i128) -> String {
    let sign = if gas < 0 { "−" } else { "" };
    format!("{sign}{}", Grouped(gas.unsigned_abs()))
}

/// Formats a change as `+6,908`, `−12`, `0` or `?`.
pub(super) fn format_delta(delta: Option<i128>) -> String {
    format_delta_with(delta, |gas| Grouped(gas).to_string())
}

pub(super) fn format_delta_with(delta: Option<i128>, format: impl Fn(u128) -> String) -> String {
    let Some(delta) = delta else { return "?".into() };
    let sign = match delta {
        1.. => "+",
        0 => "",
        ..0 => "−",
    };
    sign.to_owned() + &format(delta.unsigned_abs())
}

pub(super) fn change_mark(change: CallChange) -> &'static str {
    match change {
        CallChange::Same => " ",
        CallChange::Gas | CallChange::Outcome => "~",
        CallChange::Added => "+",
        CallChange::Removed => "−",
    }
}

/// The name of a row's call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowName {
    Common(String),
    /// The names in the two traces.
    Different([String; 2]),
}

impl RowName {
    /// Joins the names of a call in two traces. Common parts stand once: the function, and `…` for arguments.
    fn join(left: String, right: String) -> Self {
        if left == right {
            return Self::Common(right);
        }
        match split_call(&left).zip(split_call(&right)) {
            Some(((function, left), (other, right))) if function == other => {
                Self::Common(format!("{function}({})", join_arguments(left, right)))
            }
            _ => Self::Different([left, right]),
        }
    }

    /// Cuts the name to some columns. Of two names, both remain visible.
    pub(super) fn fit(self, columns: usize) -> String {
        let (Self::Common(name) | Self::Different([name, _])) = &self;
        if width(&self.to_string()) <= columns || matches!(self, Self::Common(_)) {
            return fit_text(self.to_string(), columns);
        }
        let Self::Different(names) = &self else { return name.clone() };
        let [left, right] = names.each_ref().map(|name| match split_call(name) {
            Some((function, _)) => format!("{function}(…)"),
            None => name.clone(),
        });
        let shown = Self::Different([left, right]);
        if width(&shown.to_string()) <= columns {
            return shown.to_string();
        }
        // The header has contracts and recipients.
        let [left, right] = names.each_ref().map(|name| bare_name(name).to_owned());
        let space = columns.saturating_sub(width(&Self::Different(<_>::default()).to_string()));
        let left = fit_text(left, space.saturating_sub(width(&right).min(space / 2)));
        let right = fit_text(right, space.saturating_sub(width(&left)));
        Self::Different([left, right]).to_string()
    }
}

impl fmt::Display for RowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Common(name) => f.write_str(name),
            Self::Different([left, right]) => write!(f, "A {left} · B {right}"),
        }
    }
}

/// Returns the function and the arguments of a call.
fn split_call(name: &str) -> Option<(&str, &str)> {
    let (function, arguments) = name.split_once('(')?;
    Some((function, arguments.strip_suffix(')')?))
}

/// Returns the function of a call, or the amount that it sends.
fn bare_name(name: &str) -> &str {
    match split_call(name) {
        Some((function, _)) => function.rsplit_once('.').map_or(function, |(_, own)| own),
        None => name.split_once(" → ").map_or(name, |(sent, _)| sent),
    }
}

fn join_arguments(left: &str, right: &str) -> String {
    let [lefts, rights] = [left, right].map(split_arguments);
    if lefts.len() != rights.len() {
        return format!("A {left} · B {right}");
    }
    let mut shown: Vec<String> = Vec::new();
    for (left, right) in lefts.into_iter().zip(rights) {
        if left != right {
            shown.push(format!("{left} → {right}"));
        } else if shown.last().is_none_or(|last| last != "…") {
            shown.push("…".into());
        }
    }
    shown.join(", ")
}

/// Splits arguments at commas outside of brackets. Amounts have commas without a space.
fn split_arguments(arguments: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let mut found: Vec<String> = Vec::new();
    for piece in arguments.split(", ") {
        match found.last_mut().filter(|_| depth > 0) {
            Some(last) => last.extend([", ", piece]),
            None => found.push(piece.to_owned()),
        }
        let count = |brackets: [char; 3]| piece.matches(brackets).count();
        let [opened, closed] = [count(['(', '[', '{']), count([')', ']', '}'])];
        depth += i32::try_from(opened).unwrap_or(0) - i32::try_from(closed).unwrap_or(0);
    }
    found
}

/// Returns the reason of a failure without the sign, which has a column.
fn without_mark(reason: &str) -> String {
    reason.trim_start_matches(CallOutcome::Failed.symbol()).trim_start().to_owned()
}

/// Describes a call that only sends coin: `send 1 ETH → alice.eth`.
pub(super) fn sent_coin(formatter: &CallFormatter<'_>, call: u32) -> Option<String> {
    let label = formatter.call_label(call);
    let is_plain = label.function.is_empty() && !label.target.is_empty();
    let moves_value = |frame: &CallFrame| frame.kind.moves_value() && !frame.failed();
    let sends = is_plain && formatter.tree.get(call).is_some_and(moves_value);
    let value = formatter.tree.value(call).filter(|value| sends && !value.is_zero())?;
    let amount = &*formatter.coin_amount(value);
    Some(DiffText::Send { amount, recipient: label.contract() }.to_string())
}

fn count(number: u32, noun: &'static str) -> Count {
    Count(to_index(number), noun)
}

impl DiffPane {
    pub(super) fn title(&self, width: u16) -> String {
        let left = shown_hash(&self.left, width);
        if self.left.transaction == self.right.transaction {
            return DiffText::Itself { transaction: &left }.to_string();
        }
        format!("A {left} → B {}", shown_hash(&self.right, width))
    }

    /// Returns a line for each of two transactions: hash, call, block, outcome and gas.
    pub(super) fn head_lines(&self, cx: &PaneContext<'_>) -> Vec<String> {
        let columns = cx.area.width;
        if self.left.transaction == self.right.transaction {
            return vec![self.title(columns)];
        }
        let rows =
            [("A", &self.left), ("B", &self.right)].map(|(side, t)| self.head_cells(side, t, cx));
        let widest = |n: usize| rows.iter().map(|row| width(&row[n])).max().unwrap_or_default();
        let widths = [0, 1, 2, 3, 4].map(widest);
        let others = widths.iter().sum::<usize>() - widths[1];
        let call = widths[1].min(usize::from(columns).saturating_sub(others + 4 * FACT_GAP));
        let line = |[hash, name, block, outcome, gas]: [String; 5]| {
            let [hash_width, _, block_width, outcome_width, gas_width] = widths;
            let name = fit_text(name, call);
            format!(
                "{hash:<hash_width$}  {name:<call$}  {block:<block_width$}  \
                 {outcome:<outcome_width$}  {gas:>gas_width$}"
            )
        };
        rows.map(line).into()
    }

    fn head_cells(&self, side: &str, trace: &DiffBaseline, cx: &PaneContext<'_>) -> [String; 5] {
        let hash = shown_hash(trace, cx.area.width);
        let formatter = self.formatter(trace, cx);
        let in_words = CallFormatter { short_amounts: true, ..formatter };
        let call = sent_coin(&in_words, 0).unwrap_or_else(|| {
            let label = formatter.call_label(0);
            let function = label.function.split('(').next().filter(|name| !name.is_empty());
            let parts = [label.contract()].into_iter().chain(function);
            parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
        });
        let known = formatter.transaction;
        let block = known.and_then(|known| known.block_number.value());
        let gas = known.and_then(|known| known.gas.used.value());
        let outcome = match trace.tree.outcome(0) {
            Some(CallOutcome::Succeeded) => "✓ ok",
            Some(_) => "✗ failed",
            None => "?",
        };
        [
            format!("{side} {hash}"),
            call,
            block.map_or_else(String::new, |block| format!("block {block}")),
            outcome.to_owned(),
            format!("{} gas", gas.map_or("?".to_owned(), |gas| Grouped(gas).to_string())),
        ]
    }

    /// Returns the counts of the differences and the gas, on one line if they fit. The gas has as many of its parts
    /// as fit.
    pub(super) fn summary(
        &self,
        columns: u16,
        is_short: bool,
        cx: &PaneContext<'_>,
    ) -> Vec<String> {
        let diff = &self.diff;
        if diff.rows.is_empty() {
            return vec![diff::NO_CALLS.into()];
        }
        if diff.is_empty() {
            return vec![DiffText::NoDifference { calls: count(diff.len(), "call") }.to_string()];
        }
        let fits = |text: &str| width(text) <= columns.into();
        let counts = self.counts(cx);
        let forms = self.gas_summary(cx);
        let fitting = forms.iter().position(|form| fits(form)).unwrap_or(forms.len() - 1);
        let gas = forms.into_iter().nth(fitting).unwrap_or_default();
        let line = [&*counts, &gas].join(" · ");
        if let Some(short) = self.short_counts().filter(|_| is_short && !fits(&line)) {
            let lines = self.gas_summary(cx).into_iter().map(|gas| [&*short, &gas].join(" · "));
            if let Some(line) = lines.into_iter().find(|line| fits(line)) {
                return vec![line];
            }
        }
        if counts.is_empty() {
            vec![gas]
        } else if fits(&line) {
            vec![line]
        } else {
            vec![counts, gas]
        }
    }

    /// Counts the differences in a few words, if no outcome differs.
    fn short_counts(&self) -> Option<String> {
        let &TraceDiff { added, removed, gas_changed, outcomes_changed, .. } = &self.diff;
        let [added, removed, differ] = [added, removed, gas_changed].map(Grouped);
        let text = DiffText::ShortCounts { added, removed, differ };
        (outcomes_changed == 0 && added.0 + removed.0 > 0).then(|| text.to_string())
    }

    /// Counts the differences.
    fn counts(&self, cx: &PaneContext<'_>) -> String {
        let diff = &self.diff;
        let mut parts = Vec::new();
        if diff.added + diff.removed > 0 {
            let (added, removed) = (count(diff.added, "call"), Grouped(diff.removed));
            parts.push(DiffText::AddedAndRemoved { added, removed }.to_string());
        }
        if diff.gas_changed > 0 {
            let calls = count(diff.gas_changed, "call");
            let has_others = diff.added + diff.removed + diff.outcomes_changed > 0;
            match (has_others, diff.gas_changed) {
                (true, _) => parts.push(DiffText::OtherGas { calls }.to_string()),
                // A note says it of the only call.
                (false, 1) if self.has_different_roots(cx) => {}
                (false, 1) => parts.push(DiffText::Differs { calls }.to_string()),
                (false, _) => parts.push(DiffText::Differ { calls }.to_string()),
            }
        }
        if diff.outcomes_changed > 0 {
            let calls = count(diff.outcomes_changed, "call");
            parts.push(DiffText::OtherOutcome { calls }.to_string());
        }
        parts.join(" · ")
    }

    /// Returns the gas of both transactions with its parts, in forms of which each is shorter than the one before, or
    /// the gas of their calls. The change of that is below if its sources are.
    fn gas_summary(&self, cx: &PaneContext<'_>) -> Vec<String> {
        let Some((left, right)) = self.diff.roots else { return vec!["gas ?".into()] };
        let roots = [self.left.tree.get(left), self.right.tree.get(right)];
        let of_calls = roots.map(|frame| frame.and_then(CallFrame::gas_used));
        let calls =
            roots.map(|frame| format_gas(GasUsed::of(frame), |gas| Grouped(gas).to_string()));
        let [left, right] = calls.each_ref().map(|text| &**text);
        let delta = &*format_delta(gas_delta(of_calls[0], of_calls[1]));
        let Some(transactions) = self.transactions(cx) else {
            let gas = DiffText::GasOfCalls { left, right }.to_string();
            let has_sources = self.gas_sources(SHORT_GAS_SOURCES).is_some();
            return vec![if has_sources { gas } else { format!("{gas} ({delta})") }];
        };
        let used = transactions.map(|transaction| transaction.gas.used.value().copied());
        let [before, after] = used.map(|gas| Grouped(gas.unwrap_or_default()).to_string());
        let change = &*format_delta(gas_delta(used[0], used[1]));
        let all = DiffText::GasOfTransactions { left: &before, right: &after, change }.to_string();
        let has_parts = roots.iter().zip(transactions).all(|(root, transaction)| {
            root.is_some_and(|root| !root.has_impossible_gas() && !is_whole(root, transaction))
        });
        let ([Some(l), Some(r)], true) = (of_calls, has_parts) else { return vec![all] };
        let rests = [(used[0], l), (used[1], r)]
            .map(|(used, calls)| i128::from(used.unwrap_or_default()) - i128::from(calls));
        let is_refunded =
            transactions.iter().zip(rests).any(|(transaction, rest)| has_refund(transaction, rest));
        let others = if is_refunded { diff::INTRINSIC_AND_REFUNDS } else { diff::OUTSIDE_CALLS };
        let rest_delta = &*format_delta(rests[1].checked_sub(rests[0]));
        let [rest_before, rest_after] = rests.map(signed);
        let calls = &*format!("{left} → {right} ({delta})");
        let rest = &*format!("{rest_before} → {rest_after} ({rest_delta})");
        let gas = &*all;
        let whole = DiffText::GasInParts { gas, calls, others, rest }.to_string();
        let short = DiffText::ChangesInParts { gas, calls: delta, others, rest: rest_delta };
        vec![whole, short.to_string(), all.clone()]
    }

    /// Returns both transactions, if their gas is known. A transaction that is compared with itself has only the gas
    /// of its calls.
    fn transactions<'a>(&self, cx: &PaneContext<'a>) -> Option<[&'a Transaction; 2]> {
        let known = |trace: &DiffBaseline| {
            let transaction =
                cx.name_cache.transaction(&trace.transaction)?.parsed.as_ref().ok()?;
            transaction.gas.used.value().is_some().then_some(transaction)
        };
        let is_itself = self.left.transaction == self.right.transaction;
        Some([known(&self.left)?, known(&self.right)?]).filter(|_| !is_itself)
    }

    /// Returns the sources of the change of gas, in short words if they do not fit on a line.
    pub(super) fn gas_breakdown(&self, columns: u16) -> Option<String> {
        let [long, short] =
            [GAS_SOURCES, SHORT_GAS_SOURCES].map(|sources| self.gas_sources(sources));
        long.filter(|text| width(text) <= columns.into()).or(short)
    }

    fn gas_sources(&self, [added, removed, own]: [&str; 3]) -> Option<String> {
        let breakdown = self.diff.gas_breakdown?;
        let total = breakdown.added + breakdown.removed + breakdown.own;
        let sources: Vec<String> =
            [(added, breakdown.added), (removed, breakdown.removed), (own, breakdown.own)]
                .iter()
                .filter(|(_, gas)| *gas != 0)
                .map(|(name, gas)| format!("{name} {}", format_delta(Some(*gas))))
                .collect();
        // The summary has the total.
        (sources.len() > 1).then(|| {
            let change = &*format_delta(Some(total));
            DiffText::SourcesInCalls { change, sources: &sources.join(", ") }.to_string()
        })
    }

    /// Returns `true` if both transactions call one function of contracts of one name.
    fn is_redeployment(&self, cx: &PaneContext<'_>) -> bool {
        let call = |trace: &DiffBaseline, root: u32| {
            let target = trace.tree.target_address(root);
            let name = cx.name_cache.contract_names(target).first().map(ToString::to_string)?;
            Some((name, trace.tree.selector(root)))
        };
        let calls = self.diff.roots.map(|(l, r)| [call(&self.left, l), call(&self.right, r)]);
        calls.is_some_and(|[left, right]| left.is_some() && left == right)
    }

    fn has_different_roots(&self, cx: &PaneContext<'_>) -> bool {
        self.diff.roots_differ && !self.is_redeployment(cx)
    }

    pub(super) fn notes(&self, cx: &PaneContext<'_>) -> Vec<String> {
        let mut notes = Vec::new();
        if self.has_different_roots(cx) {
            notes.push(diff::DIFFERENT_ROOTS.to_owned());
        }
        if self.diff.unknown_gas > 0 {
            let calls = count(self.diff.unknown_gas, "call");
            notes.push(DiffText::UnknownGas { calls }.to_string());
        }
        for (side, trace) in [("A", &self.left), ("B", &self.right)] {
            let error = trace.tree.summary().and_then(|summary| summary.error.as_ref());
            notes.extend(error.map(|why| DiffText::Incomplete { side, why }.to_string()));
        }
        notes
    }

    /// Returns the outcome of a row, in both traces if it differs.
    pub(super) fn outcome(&self, row: &DiffRow) -> String {
        let symbol = |trace: &DiffBaseline, frame: Option<u32>| {
            frame.and_then(|frame| trace.tree.outcome(frame)).map(CallOutcome::symbol)
        };
        match (symbol(&self.left, row.left), symbol(&self.right, row.right)) {
            (Some(l), Some(r)) if l != r => format!("{l}→{r}"),
            (l, r) => r.or(l).unwrap_or("?").to_owned(),
        }
    }

    /// Returns the formatter of texts that are compared: numbers that are equal have equal texts.
    fn exact_formatter<'a>(
        &'a self,
        trace: &'a DiffBaseline,
        cx: &PaneContext<'a>,
    ) -> CallFormatter<'a> {
        let formatter = self.formatter(trace, cx);
        CallFormatter { transfers: &self.no_transfers, short_amounts: false, ..formatter }
    }

    /// Returns the kind of a row's call, and its name in both traces if they differ.
    pub(super) fn name(
        &self,
        row: &DiffRow,
        used: TextUse,
        cx: &PaneContext<'_>,
    ) -> (Option<CallKind>, RowName) {
        let (full_addresses, short_amounts) = (used == TextUse::Copy, used == TextUse::Screen);
        let label = |trace: &DiffBaseline, frame: Option<u32>| {
            let names = CallFormatter {
                full_addresses,
                short_amounts,
                ..self.row_formatter(row, trace, cx)
            };
            // The kind before it says that the call is delegated.
            let sent = sent_coin(&names, frame?);
            Some(sent.unwrap_or(names.call_label(frame?).without_arrow()))
        };
        let exact = |trace: &DiffBaseline, frame: Option<u32>| {
            Some(self.exact_formatter(trace, cx).call_label(frame?).line())
        };
        let are_equal = exact(&self.left, row.left) == exact(&self.right, row.right);
        let labels = (label(&self.left, row.left), label(&self.right, row.right));
        let name = match labels {
            // A token may be known in one trace only.
            (Some(_), Some(right)) if are_equal => RowName::Common(right),
            (Some(left), Some(right)) => RowName::join(left, right),
            (left, right) => RowName::Common(right.or(left).unwrap_or_else(|| "?".into())),
        };
        let labelled = self.labelled_frame(row, cx);
        let frame = labelled.and_then(|(names, frame)| names.tree.get(frame));
        (frame.map(|frame| frame.kind), name)
    }

    /// Returns the result of a row's call if it failed or only one trace has it, of both traces if they differ, or an
    /// empty string.
    pub(super) fn result(&self, row: &DiffRow, used: TextUse, cx: &PaneContext<'_>) -> String {
        let short_amounts = used == TextUse::Screen;
        let result = |trace: &DiffBaseline, frame: Option<u32>| {
            let is_failed = trace.tree.get(frame?).is_some_and(CallFrame::failed);
            let results = CallFormatter { short_amounts, ..self.row_formatter(row, trace, cx) };
            Some((is_failed, results.result_text(frame?)))
        };
        let exact = |trace: &DiffBaseline, frame: Option<u32>| {
            Some(self.exact_formatter(trace, cx).result_text(frame?))
        };
        let are_equal = exact(&self.left, row.left) == exact(&self.right, row.right);
        let returns = |trace: &DiffBaseline, frame: Option<u32>| {
            let output = frame.and_then(|frame| Some(trace.tree.get(frame)?.output));
            output.and_then(|output| trace.tree.hex_len(output)).is_some_and(|length| length > 0)
        };
        match (result(&self.left, row.left), result(&self.right, row.right)) {
            (Some((is_failed, left)), Some(_)) if are_equal => {
                if is_failed {
                    without_mark(&left)
                } else {
                    String::new()
                }
            }
            (Some((left_failed, left)), Some((right_failed, right))) => {
                let [left, right] = [("A", left), ("B", right)].map(|(side, text)| {
                    let ok = CallOutcome::Succeeded.symbol();
                    [side, " ", if text.is_empty() { ok } else { &text }].concat()
                });
                // A failure comes first, as the rest may be cut.
                let is_second = right_failed && !left_failed;
                let (first, second) = if is_second { (right, left) } else { (left, right) };
                format!("{first} · {second}")
            }
            (Some((true, reason)), None) | (None, Some((true, reason))) => without_mark(&reason),
            (Some((false, values)), None) if returns(&self.left, row.left) => values,
            (None, Some((false, values))) if returns(&self.right, row.right) => values,
            _ => String::new(),
        }
    }

    /// Returns the outcome of a row's call if it failed in one of the traces.
    pub(super) fn failure(&self, row: &DiffRow) -> Option<CallOutcome> {
        let failure = |tree: &CallTree, frame: Option<u32>| {
            tree.get(frame?).filter(|call| call.failed())?;
            tree.outcome(frame?)
        };
        failure(&self.right.tree, row.right).or_else(|| failure(&self.left.tree, row.left))
    }

    pub(super) fn run_label(&self, first: u32) -> String {
        let calls = run_end(&self.diff, first).saturating_sub(first);
        DiffText::EqualGas { calls: count(calls, "call") }.to_string()
    }

    /// Formats a subtree, with equal calls collapsed.
    pub(super) fn subtree_text(&self, root: DiffLine, cx: &PaneContext<'_>) -> SafeText {
        let end = match root {
            DiffLine::Call(0) => self.diff.len(),
            DiffLine::Call(row) => self.diff.row(row).map_or(row, |row| row.end),
            DiffLine::Run(first) => run_end(&self.diff, first),
        };
        let folds = DiffFolds::new(&self.diff, u32::MAX);
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
        let format = |gas| format_gas(gas, |gas| Grouped(gas).to_string());
        let gas =
            format!("{} → {} ({})", format(gas.left), format(gas.right), format_delta(gas.delta));
        let (kind, name) = self.name(row, TextUse::Copy, cx);
        let kind_name = kind.map_or("?", CallKind::abbreviation);
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

/// Returns the hash of a trace's transaction, in full on wide screens.
fn shown_hash(trace: &DiffBaseline, width: u16) -> String {
    match width {
        160.. => trace.transaction.to_string(),
        _ => abbreviate(&trace.transaction),
    }
}

/// Returns the place of an added or removed call in the other trace.
pub(super) fn elsewhere_note(row: &DiffRow) -> Option<String> {
    let side = if row.change == CallChange::Added { "A" } else { "B" };
    Some(DiffText::elsewhere(side, row.elsewhere?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_arguments_are_left_out() {
        for (left, right, joined) in [
            ("A.f(1, 2)", "A.f(1, 2)", "A.f(1, 2)"),
            ("A.f(1, 2, 3)", "A.f(1, 2, 4)", "A.f(…, 3 → 4)"),
            ("A.f((1, 2), [3, 4], 5)", "A.f((1, 9), [3, 4], 5)", "A.f((1, 2) → (1, 9), …)"),
            ("A.f(x, 2,487.78)", "A.f(x, 2,490)", "A.f(…, 2,487.78 → 2,490)"),
            ("A.f(1)", "A.f(1, 2)", "A.f(A 1 · B 1, 2)"),
            ("A.f(1)", "B.f(1)", "A A.f(1) · B B.f(1)"),
            ("A", "B.f(1)", "A A · B B.f(1)"),
        ] {
            assert_eq!(RowName::join(left.into(), right.into()).to_string(), joined);
        }
    }

    #[test]
    fn both_of_two_names_remain_visible() {
        let names = || RowName::join("Glass Items.mint(1, 2, 3)".into(), "alice.eth".into());
        for (columns, shown) in [
            (50, "A Glass Items.mint(1, 2, 3) · B alice.eth"),
            (38, "A Glass Items.mint(…) · B alice.eth"),
            (26, "A mint · B alice.eth"),
        ] {
            assert_eq!(names().fit(columns), shown);
        }
    }
}
