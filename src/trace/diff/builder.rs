//! Builds the rows and counts of a comparison.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};

use super::{CallChange, DiffRow, GasBreakdown, MatchKey, TraceDiff, exact_own_gas, gas_delta};
use crate::trace::tree::to_index;
use crate::trace::{CallFrame, CallTree};

/// Maximum calls of a trace that are looked for below other parents.
const MAX_PAIRED_CALLS: u32 = 100_000;
/// Maximum calls of a trace whose inputs are compared as well, between two frames.
const MAX_COMPARED_INPUTS: u32 = 10_000;
/// Maximum compared bytes of an input.
const MAX_COMPARED_INPUT_BYTES: usize = 256;

pub(super) struct DiffBuilder<'a> {
    left: &'a CallTree,
    right: &'a CallTree,
    diff: TraceDiff,
    /// `None` once the gas of a call is unknown.
    breakdown: Option<GasBreakdown>,
    open_rows: Vec<u32>,
}

impl<'a> DiffBuilder<'a> {
    pub(super) fn new(left: &'a CallTree, right: &'a CallTree, roots: Option<(u32, u32)>) -> Self {
        let roots_differ =
            roots.is_some_and(|(l, r)| MatchKey::of(left, l) != MatchKey::of(right, r));
        let diff = TraceDiff { roots, roots_differ, ..TraceDiff::default() };
        let breakdown = Some(GasBreakdown::default());
        Self { left, right, diff, breakdown, open_rows: Vec::new() }
    }

    pub(super) fn open_pair(&mut self, left: u32, right: u32) {
        let (Some(l), Some(r)) = (self.left.get(left), self.right.get(right)) else { return };
        let failure_changed = l.failed() != r.failed();
        let outcome_changed = failure_changed || l.is_committed() != r.is_committed();
        let delta = gas_delta(l.gas_used(), r.gas_used());
        let own_delta = gas_delta(exact_own_gas(l), exact_own_gas(r));
        let has_other_gas = delta.is_some_and(|delta| delta != 0);
        let change = match (outcome_changed, has_other_gas) {
            (true, _) => CallChange::Outcome,
            (false, false) => CallChange::Same,
            (false, true) => CallChange::Gas,
        };
        self.diff.outcomes_changed += u32::from(outcome_changed);
        self.diff.gas_changed += u32::from(has_other_gas);
        self.diff.unknown_gas += u32::from(delta.is_none());
        let row = self.diff.len();
        self.diff.rows.push(DiffRow {
            change,
            // A rollback differs at its cause, the ancestor that failed.
            differs_itself: failure_changed || (has_other_gas && own_delta != Some(0)),
            differs: failure_changed || has_other_gas,
            depth: self.depth(),
            left: Some(left),
            right: Some(right),
            elsewhere: None,
            parent: self.open_rows.last().copied().unwrap_or(row),
            end: row,
        });
        self.open_rows.push(row);
        self.add_gas(own_delta, |breakdown| &mut breakdown.own);
    }

    fn depth(&self) -> u16 {
        u16::try_from(self.open_rows.len()).unwrap_or(u16::MAX)
    }

    /// Adds gas to a part of the breakdown, if the row is below the root calls.
    fn add_gas(&mut self, gas: Option<i128>, part: impl Fn(&mut GasBreakdown) -> &mut i128) {
        let outermost = self.open_rows.first().and_then(|row| self.diff.row(*row));
        if outermost.and_then(|row| row.left.zip(row.right)) != self.diff.roots {
            return;
        }
        match (&mut self.breakdown, gas) {
            // Cannot overflow: a trace has less than 2^32 calls, each with less than 2^64 gas.
            (Some(breakdown), Some(gas)) => *part(breakdown) += gas,
            _ => self.breakdown = None,
        }
    }

    pub(super) fn close_row(&mut self) {
        let Some(row) = self.open_rows.pop() else { return };
        let end = self.diff.len();
        let Some(closed) = self.diff.rows.get_mut(to_index(row)) else { return };
        closed.end = end;
        if closed.differs {
            self.mark_parent_differs();
        }
    }

    fn mark_parent_differs(&mut self) {
        let parent = self.open_rows.last().copied();
        if let Some(row) = parent.and_then(|parent| self.diff.rows.get_mut(to_index(parent))) {
            row.differs = true;
        }
    }

    pub(super) fn push_unmatched(&mut self, root: u32, change: CallChange) {
        let is_added = change == CallChange::Added;
        let tree = if is_added { self.right } else { self.left };
        let start = self.diff.len();
        let depth = self.depth();
        let root_depth = tree.get(root).map_or(0, |frame| frame.depth);
        let row_of = |frame: u32| start.saturating_add(frame.saturating_sub(root));
        let range = tree.subtree(root);
        for number in range.clone() {
            let Some(frame) = tree.get(number) else { continue };
            let is_root = number == root;
            let parent = match (is_root, self.open_rows.last()) {
                (true, Some(open)) => *open,
                (true, None) => start,
                (false, _) => row_of(frame.parent),
            };
            self.diff.rows.push(DiffRow {
                change,
                differs_itself: is_root,
                differs: true,
                depth: depth.saturating_add(frame.depth.saturating_sub(root_depth)),
                left: (!is_added).then_some(number),
                right: is_added.then_some(number),
                elsewhere: None,
                parent,
                end: row_of(tree.end(number)),
            });
        }
        self.mark_parent_differs();
        let gas = tree.get(root).and_then(CallFrame::gas_used).map(i128::from);
        let calls = range.end.saturating_sub(range.start);
        if is_added {
            self.diff.added += calls;
            self.add_gas(gas, |breakdown| &mut breakdown.added);
        } else {
            self.diff.removed += calls;
            self.add_gas(gas.map(|gas| -gas), |breakdown| &mut breakdown.removed);
        }
    }

    /// Pairs removed calls with added ones of the same target and function, in their order. Calls of the same
    /// caller with the same input come first.
    fn pair_elsewhere(&mut self) {
        let calls = self.diff.added.max(self.diff.removed);
        if calls > MAX_PAIRED_CALLS {
            return;
        }
        let hasher = RandomState::new();
        let whole_key = |tree: &CallTree, call| {
            let frame = tree.get(call)?;
            let input = tree.hex(frame.input, MAX_COMPARED_INPUT_BYTES);
            let from = tree.address(frame.from);
            Some((MatchKey::of(tree, call), Some(hasher.hash_one((from, input)))))
        };
        if calls <= MAX_COMPARED_INPUTS {
            self.pair_by(whole_key);
        }
        self.pair_by(|tree, call| Some((MatchKey::of(tree, call), None)));
    }

    /// Pairs removed calls with added ones of the same key that have no pair yet.
    fn pair_by(&mut self, key: impl Fn(&CallTree, u32) -> Option<(MatchKey, Option<u64>)>) {
        let mut added: HashMap<_, VecDeque<(usize, u32)>> = HashMap::new();
        for (n, row) in self.diff.rows.iter().enumerate() {
            let is_unpaired = row.change == CallChange::Added && row.elsewhere.is_none();
            let Some(call) = row.right.filter(|_| is_unpaired) else { continue };
            let Some(key) = key(self.right, call) else { continue };
            added.entry(key).or_default().push_back((n, call));
        }
        let mut pairs = Vec::new();
        for row in &mut self.diff.rows {
            let is_unpaired = row.change == CallChange::Removed && row.elsewhere.is_none();
            let Some(call) = row.left.filter(|_| is_unpaired) else { continue };
            let found = key(self.left, call).and_then(|key| added.get_mut(&key));
            let Some((other_row, other)) = found.and_then(VecDeque::pop_front) else { continue };
            row.elsewhere = Some(other);
            pairs.push((other_row, call));
        }
        for (row, call) in pairs {
            if let Some(row) = self.diff.rows.get_mut(row) {
                row.elsewhere = Some(call);
            }
        }
    }

    pub(super) fn finish(mut self) -> TraceDiff {
        self.pair_elsewhere();
        let gas_used = |tree: &CallTree, frame| tree.get(frame).and_then(CallFrame::gas_used);
        let delta = self
            .diff
            .roots
            .and_then(|(l, r)| gas_delta(gas_used(self.left, l), gas_used(self.right, r)));
        // It does not where a trace claims more gas for children than for their caller.
        self.diff.gas_breakdown =
            self.breakdown.filter(|b| Some(b.added + b.removed + b.own) == delta);
        self.diff
    }
}
