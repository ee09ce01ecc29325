//! A comparison in words: its head, its lines as text, what is said of one call.

use std::fmt::Write;

use super::folds::{Folds, Line, run_end};
use super::{Cx, Diff};
use crate::chain::amount::grouped;
use crate::pane::diff_baseline::Marked;
use crate::pane::trace::call_labels::Names;
use crate::pane::trace::row::{kind_word, outcome_mark};
use crate::sanitize::Text;
use crate::trace::diff::{Change, Row, difference, own};
use crate::trace::{Frame, Tree};
use crate::ui::format::short_hash;

/// Lines of a copied comparison.
const LINES: usize = 20_000;

/// The gas of a call in one of the traces.
#[derive(Clone, Copy)]
pub(super) enum Used {
    /// It is not there.
    Absent,
    /// The trace does not say.
    Unknown,
    Gas(u64),
}

impl Used {
    fn of(frame: Option<&Frame>) -> Self {
        match frame.map(Frame::used) {
            None => Self::Absent,
            Some(None) => Self::Unknown,
            Some(Some(gas)) => Self::Gas(gas),
        }
    }
}

/// The gas of a row.
pub(super) struct Gas {
    pub(super) left: Used,
    pub(super) right: Used,
    /// By how much it changed; a whole call's where there is but one.
    pub(super) by: Option<i128>,
    /// By how much the gas that the call itself used changed.
    pub(super) own: Option<i128>,
}

impl Gas {
    pub(super) fn of(row: &Row, left: &Tree, right: &Tree) -> Self {
        let frames = (
            row.left.and_then(|frame| left.get(frame)),
            row.right.and_then(|frame| right.get(frame)),
        );
        let (left, right) = (Used::of(frames.0), Used::of(frames.1));
        // A call that is not there used nothing.
        let by = |of: fn(&Frame) -> Option<u64>| {
            difference(frames.0.map_or(Some(0), of), frames.1.map_or(Some(0), of))
        };
        Self { left, right, by: by(Frame::used), own: by(own) }
    }
}

/// Gas, `?` where it is unknown, `—` where there is no call.
pub(super) fn gas_words(gas: Used, write: impl Fn(u64) -> String) -> String {
    match gas {
        Used::Absent => "—".into(),
        Used::Unknown => "?".into(),
        Used::Gas(gas) => write(gas),
    }
}

/// `+6,908`, `-12`, `0`, `?`.
pub(super) fn signed(by: Option<i128>) -> String {
    let Some(by) = by else { return "?".into() };
    let sign = match by {
        1.. => "+",
        0 => "",
        ..0 => "-",
    };
    sign.to_owned() + &grouped(&by.unsigned_abs().to_string())
}

pub(super) fn mark(change: Change) -> &'static str {
    match change {
        Change::Same => " ",
        Change::Gas | Change::Outcome => "~",
        Change::Added => "+",
        Change::Removed => "-",
    }
}

fn counted(n: u32, one: &str, many: &str) -> String {
    format!("{} {}", grouped(&n.to_string()), if n == 1 { one } else { many })
}

impl Diff {
    /// Which transactions these are.
    pub(super) fn sides(&self, room: u16) -> String {
        let [left, right] = &self.two;
        let (l, r) = match room {
            160.. => (left.transaction.to_string(), right.transaction.to_string()),
            _ => (short_hash(&left.transaction), short_hash(&right.transaction)),
        };
        if left.transaction == right.transaction {
            return format!("{l} (marked) compared with itself");
        }
        format!("{l} (marked) → {r}")
    }

    /// What it comes to.
    pub(super) fn summary(&self) -> String {
        let diff = &self.found;
        if diff.rows.is_empty() {
            return "neither trace has a call".into();
        }
        if diff.is_empty() {
            let calls = counted(diff.len(), "call", "calls");
            return format!("no difference: {calls}, with the same gas and outcome");
        }
        let mut parts = vec![
            format!("{} added", grouped(&diff.added.to_string())),
            format!("{} removed", grouped(&diff.removed.to_string())),
            format!("{} with other gas", grouped(&diff.gas.to_string())),
        ];
        if diff.outcomes > 0 {
            let outcomes = grouped(&diff.outcomes.to_string());
            parts.push(format!("{outcomes} with another outcome"));
        }
        parts.push(self.gas_summary());
        parts.join(", ")
    }

    fn gas_summary(&self) -> String {
        let Some((l, r)) = self.found.roots else { return "gas ?".into() };
        let used = |n: usize, frame| self.two[n].tree.get(frame).and_then(Frame::used);
        let (l, r) = (used(0, l), used(1, r));
        let words =
            |gas: Option<u64>| gas.map_or_else(|| "?".into(), |gas| grouped(&gas.to_string()));
        format!("gas {} → {} ({})", words(l), words(r), signed(difference(l, r)))
    }

    /// Where the difference in gas comes from.
    pub(super) fn account(&self) -> Option<String> {
        let account = self.found.account?;
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
        let shown = shown.map(|(what, gas)| format!("{what} {}", signed(Some(*gas))));
        Some(format!("{} = {}", signed(Some(all)), shown.collect::<Vec<_>>().join(", ")))
    }

    /// What limits the comparison.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.found.other_root {
            notes.push("the transactions call different contracts or functions".to_owned());
        }
        if self.found.unknown > 0 {
            let calls = counted(self.found.unknown, "call's", "calls'");
            notes.push(format!("{calls} gas cannot be compared: ?"));
        }
        for (side, of) in [("left", &self.two[0]), ("right", &self.two[1])] {
            let broken = of.tree.ending().and_then(|ending| ending.broken.as_ref());
            notes.extend(broken.map(|why| format!("the {side} trace is incomplete: {why}")));
        }
        notes
    }

    /// Where one is, for the footer.
    pub(super) fn place_words(&self) -> Text {
        let all = self.folds.lines().len();
        if all == 0 {
            return Text::default();
        }
        let place = self.folds.place(self.selected) + 1;
        Text::new(&format!("{place}/{all}"))
    }

    /// How a row ended: on both sides where that differs.
    pub(super) fn outcome(&self, row: &Row) -> String {
        let [left, right] = &self.two;
        let l = row.left.and_then(|frame| left.tree.outcome(frame)).map(outcome_mark);
        let r = row.right.and_then(|frame| right.tree.outcome(frame)).map(outcome_mark);
        match (l, r) {
            (Some(l), Some(r)) if l != r => format!("{l}→{r}"),
            (l, r) => r.or(l).unwrap_or("?").to_owned(),
        }
    }

    /// The kind and the name of a row's call.
    pub(super) fn name(&self, row: &Row, cx: &Cx<'_>) -> (&'static str, String) {
        let Some((names, frame)) = self.named(row, cx) else { return ("?", "?".into()) };
        let kind = names.tree.get(frame).map_or("?", |frame| kind_word(frame.kind));
        (kind, names.called(frame).line())
    }

    /// Why a row's call failed, if it did: the right one's reason, or that of the left one.
    pub(super) fn reason(&self, row: &Row, cx: &Cx<'_>) -> String {
        let [left, right] = &self.two;
        let sides = [(right, row.right), (left, row.left)];
        let mut frames = sides.into_iter().filter_map(|(of, frame)| Some((of, frame?)));
        let failed = |of: &Marked, frame| of.tree.get(frame).is_some_and(Frame::failed);
        let found = frames.find(|(of, frame)| failed(of, *frame));
        found.map(|(of, frame)| self.names(of, cx).returned(frame)).unwrap_or_default()
    }

    /// What equal neighbours are called.
    pub(super) fn run_words(&self, first: u32) -> String {
        let calls = run_end(&self.found, first).saturating_sub(first);
        format!("= {} equal calls", grouped(&calls.to_string()))
    }

    /// A call and all below it as text; what is equal stands on one line.
    pub(super) fn text(&self, from: Line, cx: &Cx<'_>) -> Text {
        let end = match from {
            Line::Call(0) => self.found.len(),
            Line::Call(row) => self.found.row(row).map_or(row, |row| row.end),
            Line::Run(first) => run_end(&self.found, first),
        };
        let folds = Folds::new(&self.found, u32::MAX);
        let inside = |line: &&Line| (from.row()..end).contains(&line.row());
        let lines = folds.lines().iter().filter(inside);
        let top = self.found.row(from.row()).map_or(0, |row| row.depth);
        let mut text = format!("{}\n{}\n", self.sides(u16::MAX), self.summary());
        let mut rest = 0_usize;
        for (n, line) in lines.enumerate() {
            if n < LINES {
                text.push_str(&(self.line_text(*line, top, cx) + "\n"));
            } else {
                rest += 1;
            }
        }
        if rest > 0 {
            let _ = write!(text, "… and {rest} lines more"); // a String takes all
        }
        Text::lines(text.trim_end())
    }

    fn line_text(&self, line: Line, top: u16, cx: &Cx<'_>) -> String {
        let Some(row) = self.found.row(line.row()) else { return String::new() };
        let indent = "  ".repeat(usize::from(row.depth.saturating_sub(top)));
        let Line::Call(number) = line else {
            return format!("  {indent}{}", self.run_words(line.row()));
        };
        let gas = Gas::of(row, &self.two[0].tree, &self.two[1].tree);
        let words = |gas| gas_words(gas, |gas| grouped(&gas.to_string()));
        let (l, r, by) = (words(gas.left), words(gas.right), signed(gas.by));
        let (kind, name) = self.name(row, cx);
        let below = row.end.saturating_sub(number + 1);
        let hidden = if row.differs || below == 0 {
            String::new()
        } else {
            format!(" ({})", counted(below, "equal call", "equal calls"))
        };
        let (mark, outcome) = (mark(row.change), self.outcome(row));
        let reason = self.reason(row, cx);
        let line = format!("{mark} {indent}{outcome} {kind} [{l} → {r} ({by})] {name} {reason}");
        line.trim_end().to_owned() + &hidden
    }

    /// The selected call on either side, in full.
    pub(super) fn details(&self, cx: &Cx<'_>) -> [String; 2] {
        let row = self.selected.call().and_then(|row| self.found.row(row));
        let side = |n: usize, frame: Option<u32>| match (row, frame) {
            (None, _) => String::new(),
            (_, None) => "—".into(),
            (_, Some(frame)) => full(&self.names(&self.two[n], cx), frame),
        };
        [side(0, row.and_then(|row| row.left)), side(1, row.and_then(|row| row.right))]
    }
}

fn full(names: &Names<'_>, frame: u32) -> String {
    let mut words = names.called(frame).line();
    if let Some(carried) = names.carried(frame) {
        words = format!("{words} {{{carried}}}");
    }
    let back = names.returned(frame);
    if back.is_empty() { words } else { format!("{words} {back}") }
}
