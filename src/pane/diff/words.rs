//! A comparison in words: its head, its lines as text, what is said of one call.

use std::fmt::Write;

use super::folds::{Folds, Line, run_end};
use super::{Cx, Diff};
use crate::chain::amount::grouped;
use crate::pane::trace::names::Names;
use crate::pane::trace::row::{kind_word, outcome_mark};
use crate::text::Text;
use crate::trace::diff::{Change, Row, difference, own};
use crate::trace::{Frame, Tree};
use crate::ui::format::short_hash;

/// Lines of a copied comparison.
const LINES: usize = 20_000;

/// The gas of a row on both sides: none where the call is not there, `Some(None)` where it is unknown.
pub(super) struct Gas {
    pub(super) left: Option<Option<u64>>,
    pub(super) right: Option<Option<u64>>,
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
        let (l, r) = (frames.0.map(Frame::used), frames.1.map(Frame::used));
        // A call that is not there used nothing.
        let by = |of: fn(&Frame) -> Option<u64>| {
            difference(frames.0.map_or(Some(0), of), frames.1.map_or(Some(0), of))
        };
        Self { left: l, right: r, by: by(Frame::used), own: by(own) }
    }
}

/// Gas, `?` where it is unknown, `—` where there is no call.
pub(super) fn gas_words(gas: Option<Option<u64>>, write: impl Fn(u64) -> String) -> String {
    match gas {
        None => "—".into(),
        Some(None) => "?".into(),
        Some(Some(gas)) => write(gas),
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
        match left.transaction == right.transaction {
            true => format!("{l} (marked) compared with itself"),
            false => format!("{l} (marked) → {r}"),
        }
    }

    /// What it comes to.
    pub(super) fn summary(&self) -> String {
        let diff = &self.diff;
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
        let Some((l, r)) = self.diff.roots else { return "gas ?".into() };
        let used = |n: usize, frame| self.two[n].tree.get(frame).and_then(Frame::used);
        let (l, r) = (used(0, l), used(1, r));
        let words = |gas| gas_words(Some(gas), |gas| grouped(&gas.to_string()));
        format!("gas {} → {} ({})", words(l), words(r), signed(difference(l, r)))
    }

    /// Where the difference in gas comes from.
    pub(super) fn account(&self) -> Option<String> {
        let account = self.diff.account?;
        let all = account.added + account.removed + account.own;
        if (account.added, account.removed, account.own) == (0, 0, 0) {
            return None;
        }
        let parts = [
            ("added calls", account.added),
            ("removed calls", account.removed),
            ("what calls in both used themselves", account.own),
        ];
        let shown = parts.iter().filter(|(_, gas)| *gas != 0);
        let shown = shown.map(|(what, gas)| format!("{what} {}", signed(Some(*gas))));
        Some(format!("{} = {}", signed(Some(all)), shown.collect::<Vec<_>>().join(", ")))
    }

    /// What limits the comparison.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.diff.other_root {
            notes.push("the transactions call different contracts or functions".to_owned());
        }
        if self.diff.unknown > 0 {
            let calls = counted(self.diff.unknown, "call's", "calls'");
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

    /// The kind and the name of a row's call, and why it failed if it did.
    pub(super) fn name(&self, row: &Row, cx: &Cx<'_>) -> (&'static str, String) {
        let Some((names, frame)) = self.named(row, cx) else { return ("?", "?".into()) };
        let kind = names.tree.get(frame).map_or("?", |frame| kind_word(frame.kind));
        let mut words = names.called(frame).line();
        let left = row.left.map(|frame| (self.names(&self.two[0], cx), frame));
        // The reason of whichever failed, the right one's first.
        let failed = [Some((names, frame)), left]
            .into_iter()
            .flatten()
            .find(|(names, frame)| names.tree.get(*frame).is_some_and(Frame::failed));
        if let Some((names, frame)) = failed {
            words = format!("{words}  {}", names.returned(frame));
        }
        (kind, words)
    }

    /// What equal neighbours are called.
    pub(super) fn run_words(&self, first: u32) -> String {
        let calls = run_end(&self.diff, first).saturating_sub(first);
        format!("= {} equal calls", grouped(&calls.to_string()))
    }

    /// A call and all below it as text; what is equal stands on one line.
    pub(super) fn text(&self, from: Line, cx: &Cx<'_>) -> Text {
        let end = match from {
            Line::Call(0) => self.diff.len(),
            Line::Call(row) => self.diff.row(row).map_or(row, |row| row.end),
            Line::Run(first) => run_end(&self.diff, first),
        };
        let folds = Folds::new(&self.diff, u32::MAX);
        let inside = |line: &&Line| (from.row()..end).contains(&line.row());
        let lines = folds.lines().iter().filter(inside);
        let top = self.diff.row(from.row()).map_or(0, |row| row.depth);
        let mut text = format!("{}\n{}\n", self.sides(u16::MAX), self.summary());
        let mut rest = 0_usize;
        for (n, line) in lines.enumerate() {
            match n < LINES {
                true => text.push_str(&(self.line_text(*line, top, cx) + "\n")),
                false => rest += 1,
            }
        }
        if rest > 0 {
            let _ = write!(text, "… and {rest} lines more"); // a String takes all
        }
        Text::lines(text.trim_end())
    }

    fn line_text(&self, line: Line, top: u16, cx: &Cx<'_>) -> String {
        let Some(row) = self.diff.row(line.row()) else { return String::new() };
        let indent = "  ".repeat(usize::from(row.depth.saturating_sub(top)));
        let Line::Call(number) = line else {
            return format!("  {indent}{}", self.run_words(line.row()));
        };
        let gas = Gas::of(row, &self.two[0].tree, &self.two[1].tree);
        let words = |gas| gas_words(gas, |gas| grouped(&gas.to_string()));
        let (l, r, by) = (words(gas.left), words(gas.right), signed(gas.by));
        let (kind, name) = self.name(row, cx);
        let below = row.end.saturating_sub(number + 1);
        let hidden = match row.differs {
            false if below > 0 => format!(" ({})", counted(below, "equal call", "equal calls")),
            _ => String::new(),
        };
        let (mark, outcome) = (mark(row.change), self.outcome(row));
        format!("{mark} {indent}{outcome} {kind} [{l} → {r} ({by})] {name}{hidden}")
    }

    /// The selected call on either side, in full.
    pub(super) fn details(&self, cx: &Cx<'_>) -> [String; 2] {
        let row = self.selected.call().and_then(|row| self.diff.row(row));
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
