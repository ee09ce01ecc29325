//! A comparison in words: its head, its lines as text, what is said of one call.

use std::fmt::Write;

use super::folds::{DiffFolds, DiffLine, run_end};
use super::{DiffPane, PaneContext};
use crate::chain::abbreviate::abbreviate;
use crate::chain::amount::group_digits;
use crate::pane::trace::call_labels::CallFormatter;
use crate::route::DiffBaseline;
use crate::sanitize::SafeText;
use crate::trace::diff::{CallChange, DiffRow, exact_own_gas, gas_delta};
use crate::trace::{CallFrame, CallOutcome, CallTree};

/// Lines of a copied comparison.
const MAX_COPIED_LINES: usize = 20_000;

/// The gas of a call in one of the traces.
#[derive(Clone, Copy)]
pub(super) enum GasUsed {
    /// It is not there.
    Absent,
    /// The trace does not say.
    Unknown,
    Known(u64),
}

impl GasUsed {
    fn of(frame: Option<&CallFrame>) -> Self {
        match frame.map(CallFrame::gas_used) {
            None => Self::Absent,
            Some(None) => Self::Unknown,
            Some(Some(gas)) => Self::Known(gas),
        }
    }
}

/// The gas of a row.
pub(super) struct RowGas {
    pub(super) left: GasUsed,
    pub(super) right: GasUsed,
    /// By how much it changed; a whole call's where there is but one.
    pub(super) delta: Option<i128>,
    /// By how much the gas that the call itself used changed.
    pub(super) own_delta: Option<i128>,
}

impl RowGas {
    pub(super) fn of(row: &DiffRow, left: &CallTree, right: &CallTree) -> Self {
        let frames = (
            row.left.and_then(|frame| left.get(frame)),
            row.right.and_then(|frame| right.get(frame)),
        );
        let (left, right) = (GasUsed::of(frames.0), GasUsed::of(frames.1));
        // A call that is not there used nothing.
        let by = |of: fn(&CallFrame) -> Option<u64>| {
            gas_delta(frames.0.map_or(Some(0), of), frames.1.map_or(Some(0), of))
        };
        Self { left, right, delta: by(CallFrame::gas_used), own_delta: by(exact_own_gas) }
    }
}

/// Gas, `?` where it is unknown, `—` where there is no call.
pub(super) fn format_gas(gas: GasUsed, write: impl Fn(u64) -> String) -> String {
    match gas {
        GasUsed::Absent => "—".into(),
        GasUsed::Unknown => "?".into(),
        GasUsed::Known(gas) => write(gas),
    }
}

/// `+6,908`, `-12`, `0`, `?`.
pub(super) fn format_delta(by: Option<i128>) -> String {
    let Some(by) = by else { return "?".into() };
    let sign = match by {
        1.. => "+",
        0 => "",
        ..0 => "-",
    };
    sign.to_owned() + &group_digits(&by.unsigned_abs().to_string())
}

pub(super) fn change_mark(change: CallChange) -> &'static str {
    match change {
        CallChange::Same => " ",
        CallChange::Gas | CallChange::Outcome => "~",
        CallChange::Added => "+",
        CallChange::Removed => "-",
    }
}

fn count_label(n: u32, one: &str, many: &str) -> String {
    format!("{} {}", group_digits(&n.to_string()), if n == 1 { one } else { many })
}

impl DiffPane {
    /// Which transactions these are.
    pub(super) fn title(&self, room: u16) -> String {
        let [left, right] = &self.traces;
        let (l, r) = match room {
            160.. => (left.transaction.to_string(), right.transaction.to_string()),
            _ => (abbreviate(&left.transaction), abbreviate(&right.transaction)),
        };
        if left.transaction == right.transaction {
            return format!("{l} (marked) compared with itself");
        }
        format!("{l} (marked) → {r}")
    }

    /// What it comes to.
    pub(super) fn summary(&self) -> String {
        let diff = &self.diff;
        if diff.rows.is_empty() {
            return "neither trace has a call".into();
        }
        if diff.is_empty() {
            let calls = count_label(diff.len(), "call", "calls");
            return format!("no difference: {calls}, with the same gas and outcome");
        }
        let mut parts = vec![
            format!("{} added", group_digits(&diff.added.to_string())),
            format!("{} removed", group_digits(&diff.removed.to_string())),
            format!("{} with other gas", group_digits(&diff.gas_changed.to_string())),
        ];
        if diff.outcomes_changed > 0 {
            let outcomes = group_digits(&diff.outcomes_changed.to_string());
            parts.push(format!("{outcomes} with another outcome"));
        }
        parts.push(self.gas_summary());
        parts.join(", ")
    }

    fn gas_summary(&self) -> String {
        let Some((l, r)) = self.diff.roots else { return "gas ?".into() };
        let used = |n: usize, frame| self.traces[n].tree.get(frame).and_then(CallFrame::gas_used);
        let (l, r) = (used(0, l), used(1, r));
        let words =
            |gas: Option<u64>| gas.map_or_else(|| "?".into(), |gas| group_digits(&gas.to_string()));
        format!("gas {} → {} ({})", words(l), words(r), format_delta(gas_delta(l, r)))
    }

    /// Where the difference in gas comes from.
    pub(super) fn gas_breakdown(&self) -> Option<String> {
        let account = self.diff.gas_breakdown?;
        let all = account.added + account.removed + account.own;
        if (account.added, account.removed, account.own) == (0, 0, 0) {
            return None;
        }
        let parts = [
            ("added calls", account.added),
            ("removed calls", account.removed),
            ("own gas of calls in both", account.own),
        ];
        let shown = parts.iter().filter(|(_, gas)| *gas != 0);
        let shown = shown.map(|(what, gas)| format!("{what} {}", format_delta(Some(*gas))));
        Some(format!("{} = {}", format_delta(Some(all)), shown.collect::<Vec<_>>().join(", ")))
    }

    /// What limits the comparison.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.diff.roots_differ {
            notes.push("the transactions call different contracts or functions".to_owned());
        }
        if self.diff.unknown_gas > 0 {
            let calls = count_label(self.diff.unknown_gas, "call's", "calls'");
            notes.push(format!("{calls} gas cannot be compared: ?"));
        }
        for (side, of) in [("left", &self.traces[0]), ("right", &self.traces[1])] {
            let broken = of.tree.summary().and_then(|ending| ending.error.as_ref());
            notes.extend(broken.map(|why| format!("the {side} trace is incomplete: {why}")));
        }
        notes
    }

    /// Where one is, for the footer.
    pub(super) fn position_text(&self) -> SafeText {
        let all = self.folds.lines().len();
        if all == 0 {
            return SafeText::default();
        }
        let place = self.folds.position(self.selected) + 1;
        SafeText::new(&format!("{place}/{all}"))
    }

    /// How a row ended: on both sides where that differs.
    pub(super) fn outcome(&self, row: &DiffRow) -> String {
        let [left, right] = &self.traces;
        let l = row.left.and_then(|frame| left.tree.outcome(frame)).map(CallOutcome::symbol);
        let r = row.right.and_then(|frame| right.tree.outcome(frame)).map(CallOutcome::symbol);
        match (l, r) {
            (Some(l), Some(r)) if l != r => format!("{l}→{r}"),
            (l, r) => r.or(l).unwrap_or("?").to_owned(),
        }
    }

    /// The kind and the name of a row's call.
    pub(super) fn name(&self, row: &DiffRow, cx: &PaneContext<'_>) -> (&'static str, String) {
        let Some((names, frame)) = self.labelled_frame(row, cx) else { return ("?", "?".into()) };
        let kind = names.tree.get(frame).map_or("?", |frame| frame.kind.abbreviation());
        (kind, names.call_label(frame).line())
    }

    /// Why a row's call failed, if it did: the right one's reason, or that of the left one.
    pub(super) fn reason(&self, row: &DiffRow, cx: &PaneContext<'_>) -> String {
        let [left, right] = &self.traces;
        let sides = [(right, row.right), (left, row.left)];
        let mut frames = sides.into_iter().filter_map(|(of, frame)| Some((of, frame?)));
        let failed = |of: &DiffBaseline, frame| of.tree.get(frame).is_some_and(CallFrame::failed);
        let found = frames.find(|(of, frame)| failed(of, *frame));
        found.map(|(of, frame)| self.names(of, cx).result_text(frame)).unwrap_or_default()
    }

    /// What equal neighbours are called.
    pub(super) fn run_label(&self, first: u32) -> String {
        let calls = run_end(&self.diff, first).saturating_sub(first);
        format!("= {} equal calls", group_digits(&calls.to_string()))
    }

    /// A call and all below it as text; what is equal stands on one line.
    pub(super) fn subtree_text(&self, from: DiffLine, cx: &PaneContext<'_>) -> SafeText {
        let end = match from {
            DiffLine::Call(0) => self.diff.len(),
            DiffLine::Call(row) => self.diff.row(row).map_or(row, |row| row.end),
            DiffLine::Run(first) => run_end(&self.diff, first),
        };
        let folds = DiffFolds::new(&self.diff, u32::MAX);
        let inside = |line: &&DiffLine| (from.row()..end).contains(&line.row());
        let lines = folds.lines().iter().filter(inside);
        let top = self.diff.row(from.row()).map_or(0, |row| row.depth);
        let mut text = format!("{}\n{}\n", self.title(u16::MAX), self.summary());
        let mut rest = 0_usize;
        for (n, line) in lines.enumerate() {
            if n < MAX_COPIED_LINES {
                text.push_str(&(self.line_text(*line, top, cx) + "\n"));
            } else {
                rest += 1;
            }
        }
        if rest > 0 {
            let _ = write!(text, "… and {rest} lines more"); // a String takes all
        }
        SafeText::multiline(text.trim_end())
    }

    fn line_text(&self, line: DiffLine, top: u16, cx: &PaneContext<'_>) -> String {
        let Some(row) = self.diff.row(line.row()) else { return String::new() };
        let indent = "  ".repeat(usize::from(row.depth.saturating_sub(top)));
        let DiffLine::Call(number) = line else {
            return format!("  {indent}{}", self.run_label(line.row()));
        };
        let gas = RowGas::of(row, &self.traces[0].tree, &self.traces[1].tree);
        let words = |gas| format_gas(gas, |gas| group_digits(&gas.to_string()));
        let (l, r, by) = (words(gas.left), words(gas.right), format_delta(gas.delta));
        let (kind, name) = self.name(row, cx);
        let below = row.end.saturating_sub(number + 1);
        let hidden = if row.differs || below == 0 {
            String::new()
        } else {
            format!(" ({})", count_label(below, "equal call", "equal calls"))
        };
        let (mark, outcome) = (change_mark(row.change), self.outcome(row));
        let reason = self.reason(row, cx);
        let line = format!("{mark} {indent}{outcome} {kind} [{l} → {r} ({by})] {name} {reason}");
        line.trim_end().to_owned() + &hidden
    }

    /// The selected call on either side, in full.
    pub(super) fn details(&self, cx: &PaneContext<'_>) -> [String; 2] {
        let row = self.selected.call().and_then(|row| self.diff.row(row));
        let side = |n: usize, frame: Option<u32>| match (row, frame) {
            (None, _) => String::new(),
            (_, None) => "—".into(),
            (_, Some(frame)) => full_call(&self.names(&self.traces[n], cx), frame),
        };
        [side(0, row.and_then(|row| row.left)), side(1, row.and_then(|row| row.right))]
    }
}

fn full_call(names: &CallFormatter<'_>, frame: u32) -> String {
    let mut words = names.call_label(frame).line();
    if let Some(carried) = names.call_value(frame) {
        words = format!("{words} {{{carried}}}");
    }
    let back = names.result_text(frame);
    if back.is_empty() { words } else { format!("{words} {back}") }
}
