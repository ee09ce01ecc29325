//! The lines above a comparison: both transactions, the number of differences, and the change of gas with its parts.

use super::format::{count, sent_coin};
use super::gas_text::{format_delta, format_gas};
use super::{CallFormatter, ComparedTrace, DiffPane, PaneContext};
use crate::api::transactions::Transaction;
use crate::calls::gas::{has_refund, is_whole};
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::abbreviate;
use crate::messages::diff::{self, DiffText};
use crate::trace::diff::{TraceDiff, gas_delta};
use crate::trace::{CallFrame, CallOutcome};
use crate::ui::format::width;
use crate::ui::text::fit_text;
use crate::ui::theme::Role;

/// Sources of the change of gas.
const GAS_SOURCES: [&str; 3] = ["added calls", "removed calls", diff::OWN_GAS_OF_COMMON_CALLS];
const SHORT_GAS_SOURCES: [&str; 3] = ["added", "removed", diff::OWN_GAS_OF_COMMON];
/// Least columns of the facts about a transaction before a table of gas.
const MIN_HEAD_COLUMNS: usize = 52;
/// Columns between two facts about a transaction.
const FACT_GAP: usize = 2;

/// The gas of two transactions: in calls, outside of them, and the sum.
struct GasTable {
    titles: [&'static str; 3],
    sides: [[String; 3]; 2],
    changes: [String; 3],
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
        let (gas, gas_width) = self.gas_cells(cx);
        let lefts = self.head_lefts(gas_width + FACT_GAP, cx).into_iter();
        lefts.zip(gas).map(|(left, gas)| format!("{left}  {gas:>gas_width$}")).collect()
    }

    /// Returns the lines of two transactions with the counts of the differences above them, and the gas as a table
    /// with its change.
    pub(super) fn head_table(&self, cx: &PaneContext<'_>) -> Option<Vec<(String, Role)>> {
        let (rows, widths) = self.gas_rows(cx)?;
        let [left, right] = self.head_lefts(table_width(&widths), cx);
        let (columns, counts) = (width(&left), self.counts(cx));
        let has_space = width(&counts) <= columns;
        let shown = if has_space { counts.clone() } else { String::new() };
        let [title, of_left, of_right, change] = rows.map(|cells| {
            let aligned = cells.iter().zip(widths);
            aligned.map(|(cell, width)| format!("  {cell:>width$}")).collect::<Vec<_>>().concat()
        });
        let lines = [
            (format!("{shown:<columns$}{title}"), Role::Title),
            (left + &of_left, Role::Accent),
            (right + &of_right, Role::Accent),
            (format!("{:<columns$}{change}", "  change"), Role::Plain),
        ];
        let below = (!has_space).then_some((counts, Role::Title));
        Some(lines.into_iter().chain(below).collect())
    }

    /// Returns the rows of the table of gas and the widths of its columns, if there is space for it.
    fn gas_rows(&self, cx: &PaneContext<'_>) -> Option<([[String; 3]; 4], [usize; 3])> {
        let has_differences = !self.diff.rows.is_empty() && !self.diff.is_empty();
        let GasTable { titles, sides, changes } = self.gas_parts(cx).filter(|_| has_differences)?;
        let [left, right] = sides;
        let rows = [titles.map(str::to_owned), left, right, changes];
        let widest = |n: usize| rows.iter().map(|row| width(&row[n])).max().unwrap_or_default();
        let widths = [0, 1, 2].map(widest);
        let has_space = usize::from(cx.area.width) >= MIN_HEAD_COLUMNS + table_width(&widths);
        has_space.then_some((rows, widths))
    }

    /// Returns the gas of both transactions and its columns.
    fn gas_cells(&self, cx: &PaneContext<'_>) -> ([String; 2], usize) {
        let gas = self.head_cells(cx).map(|[.., gas]| gas);
        let columns = gas.iter().map(|gas| width(gas)).max().unwrap_or_default();
        (gas, columns)
    }

    /// Returns `true` if there is a line for each of two transactions, with the whole name of its call.
    pub(super) fn has_calls_in_head(&self, cx: &PaneContext<'_>) -> bool {
        let reserved = match self.gas_rows(cx) {
            Some((_, widths)) => table_width(&widths),
            None => self.gas_cells(cx).1 + FACT_GAP,
        };
        let [_, names, ..] = head_widths(&self.head_cells(cx));
        let [_, shown, ..] = self.shown_widths(reserved, cx);
        self.left.transaction != self.right.transaction && shown == names
    }

    /// Returns the columns of hash, call, block and outcome in all but some columns.
    fn shown_widths(&self, reserved: usize, cx: &PaneContext<'_>) -> [usize; 4] {
        let [hash, call, block, outcome] = head_widths(&self.head_cells(cx));
        let others = hash + block + outcome + 3 * FACT_GAP + reserved;
        let shown = call.min(usize::from(cx.area.width).saturating_sub(others));
        [hash, shown, block, outcome]
    }

    /// Returns the facts about each transaction before its gas, in all but some columns.
    fn head_lefts(&self, reserved: usize, cx: &PaneContext<'_>) -> [String; 2] {
        let [hash_width, call, block_width, outcome_width] = self.shown_widths(reserved, cx);
        self.head_cells(cx).map(|[hash, name, block, outcome, _]| {
            let name = fit_text(name, call);
            format!(
                "{hash:<hash_width$}  {name:<call$}  {block:<block_width$}  \
                 {outcome:<outcome_width$}"
            )
        })
    }

    /// Returns hash, call, block, outcome and gas of both transactions.
    fn head_cells(&self, cx: &PaneContext<'_>) -> [[String; 5]; 2] {
        [("A", &self.left), ("B", &self.right)]
            .map(|(side, trace)| self.side_cells(side, trace, cx))
    }

    fn side_cells(&self, side: &str, trace: &ComparedTrace, cx: &PaneContext<'_>) -> [String; 5] {
        let hash = shown_hash(trace, cx.area.width);
        let formatter = self.formatter(trace, cx);
        let in_words = CallFormatter { short_amounts: true, ..formatter };
        let call = sent_coin(&in_words, 0).unwrap_or_else(|| formatter.call_label(0).short());
        let known = formatter.transaction;
        let block = known.and_then(|known| known.block_number.value());
        let used = known.and_then(|known| known.gas.used.value());
        let gas = used.map_or("?".to_owned(), |gas| Grouped(gas).to_string());
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
            DiffText::TotalGas { gas: &gas }.to_string(),
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

    /// Returns the gas of both transactions with its parts, in forms of which each is shorter than the one before, the last
    /// one without the sum that the lines of the transactions have, or else the gas of their calls. The change of that is
    /// below if its sources are.
    fn gas_summary(&self, cx: &PaneContext<'_>) -> Vec<String> {
        let Some((left, right)) = self.diff.roots else { return vec!["gas ?".into()] };
        let roots = [self.left.tree.get(left), self.right.tree.get(right)];
        let of_calls = roots.map(|frame| frame.and_then(CallFrame::gas_used));
        let calls = roots.map(|frame| format_gas(frame, |gas| Grouped(gas).to_string()));
        let [left, right] = calls.each_ref().map(|text| &**text);
        let delta = &*format_delta(gas_delta(of_calls[0], of_calls[1]));
        let Some(transactions) = self.transactions(cx) else {
            let gas = DiffText::GasOfCalls { left, right }.to_string();
            let has_sources = self.gas_sources(SHORT_GAS_SOURCES).is_some();
            return vec![if has_sources { gas } else { format!("{gas} ({delta})") }];
        };
        let Some(GasTable { titles: [_, others, _], sides, changes }) = self.gas_parts(cx) else {
            let used = transactions.map(|transaction| transaction.gas.used.value().copied());
            let [left, right] = used.map(|gas| Grouped(gas.unwrap_or_default()).to_string());
            let change = &*format_delta(gas_delta(used[0], used[1]));
            let gas = DiffText::GasOfTransactions { left: &left, right: &right, change };
            return vec![gas.to_string()];
        };
        let [[calls_before, rest_before, before], [calls_after, rest_after, after]] = &sides;
        let [calls_change, rest_change, change] = &changes;
        let all = DiffText::GasOfTransactions { left: before, right: after, change }.to_string();
        let calls = &*format!("{calls_before} → {calls_after} ({calls_change})");
        let rest = &*format!("{rest_before} → {rest_after} ({rest_change})");
        let gas = &*all;
        let whole = DiffText::GasInParts { gas, calls, others, rest }.to_string();
        let short =
            DiffText::ChangesInParts { gas, calls: calls_change, others, rest: rest_change };
        let (left, right, change) = (calls_before, calls_after, calls_change);
        vec![whole, short.to_string(), DiffText::GasInCalls { left, right, change }.to_string()]
    }

    /// Returns the gas of both transactions as the sum of its parts, if both are known.
    fn gas_parts(&self, cx: &PaneContext<'_>) -> Option<GasTable> {
        let (left, right) = self.diff.roots?;
        let transactions = self.transactions(cx)?;
        let roots = [self.left.tree.get(left)?, self.right.tree.get(right)?];
        let has_parts = |(root, transaction): (&&CallFrame, &Transaction)| {
            !root.has_impossible_gas() && !is_whole(root, transaction)
        };
        if !roots.iter().zip(transactions).all(has_parts) {
            return None;
        }
        let [used_left, used_right] = transactions.map(|known| known.gas.used.value().copied());
        let used = [i128::from(used_left?), i128::from(used_right?)];
        let calls = [i128::from(roots[0].gas_used()?), i128::from(roots[1].gas_used()?)];
        let rests = [used[0] - calls[0], used[1] - calls[1]];
        let is_refunded =
            transactions.iter().zip(rests).any(|(transaction, rest)| has_refund(transaction, rest));
        let others = if is_refunded { diff::INTRINSIC_AND_REFUNDS } else { diff::OUTSIDE_CALLS };
        let side = |n: usize| {
            let of_calls = roots[n].format_gas_used(|gas| Grouped(gas).to_string());
            [of_calls, signed(rests[n]), signed(used[n])]
        };
        let change = |[before, after]: [i128; 2]| format_delta(Some(after - before));
        Some(GasTable {
            titles: ["calls", others, "total gas"],
            sides: [side(0), side(1)],
            changes: [calls, rests, used].map(change),
        })
    }

    /// Returns both transactions, if their gas is known. A transaction that is compared with itself has only the gas
    /// of its calls.
    fn transactions<'a>(&self, cx: &PaneContext<'a>) -> Option<[&'a Transaction; 2]> {
        let known = |trace: &ComparedTrace| {
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
        let call = |trace: &ComparedTrace, root: u32| {
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
}

/// Returns the columns of hash, call, block and outcome.
fn head_widths(rows: &[[String; 5]; 2]) -> [usize; 4] {
    [0, 1, 2, 3].map(|n| rows.iter().map(|row| width(&row[n])).max().unwrap_or_default())
}

/// Returns the columns of a table of gas, with the gaps before its columns.
fn table_width(widths: &[usize; 3]) -> usize {
    widths.iter().sum::<usize>() + widths.len() * FACT_GAP
}

/// Returns the hash of a trace's transaction, in full on wide screens.
fn shown_hash(trace: &ComparedTrace, width: u16) -> String {
    match width {
        160.. => trace.transaction.to_string(),
        _ => abbreviate(&trace.transaction),
    }
}

/// Formats gas that refunds may make negative.
fn signed(gas: i128) -> String {
    let sign = if gas < 0 { "−" } else { "" };
    format!("{sign}{}", Grouped(gas.unsigned_abs()))
}
