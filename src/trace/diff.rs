//! Comparison of two traces: added and removed calls, and calls whose gas or outcome changed.
//!
//! After a pair of frames is matched, their children are compared as two sequences: children with the
//! same kind, target and selector are matched in order, then delegatecalls of the same caller with the same
//! selector, which run other code after an upgrade. Arguments are ignored, so that two swaps of
//! different amounts can be compared. A call without a counterpart is added or removed with its
//! subtree.

mod builder;
mod matching;
#[cfg(test)]
mod tests;

use self::builder::DiffBuilder;
use self::matching::{EditStep, KeyedFrames, MatchKey, edit_script, keyed_children, keyed_roots};
use super::tree::to_index;
use super::{CallFrame, CallKind, CallTree};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallChange {
    Same,
    Gas,
    /// The call failed or was rolled back in one trace only.
    Outcome,
    /// Only in the right trace.
    Added,
    /// Only in the left trace.
    Removed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffRow {
    pub change: CallChange,
    /// `true` if the row itself differs, not only a call below it.
    pub differs_itself: bool,
    /// `true` if the row or any row below it differs in more than a rollback by a call above.
    pub differs: bool,
    pub depth: u16,
    pub left: Option<u32>,
    pub right: Option<u32>,
    /// The call of the other trace with the target and the function of an added or removed one, below
    /// another parent.
    pub elsewhere: Option<u32>,
    /// The parent row, or its own number for a root.
    pub parent: u32,
    pub end: u32,
}

/// The sources of the difference in gas; they add up to the difference of the roots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GasBreakdown {
    pub added: i128,
    /// Gas of removed calls, negative.
    pub removed: i128,
    /// Change of the self gas of calls in both traces.
    pub own: i128,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceDiff {
    /// All calls of both traces in pre-order, removed ones before added ones.
    pub rows: Vec<DiffRow>,
    pub added: u32,
    pub removed: u32,
    pub gas_changed: u32,
    pub outcomes_changed: u32,
    /// Number of matched calls whose gas is unknown in a trace.
    pub unknown_gas: u32,
    pub roots: Option<(u32, u32)>,
    /// `true` if the root calls have different targets or functions.
    pub roots_differ: bool,
    /// The sources of the difference in gas, if the gas of every call is known.
    pub gas_breakdown: Option<GasBreakdown>,
}

impl TraceDiff {
    pub fn compare(left: &CallTree, right: &CallTree) -> Self {
        let left_root = transaction_root(left);
        let right_root = transaction_root(right);
        let mut builder = DiffBuilder::new(left, right, left_root.zip(right_root));
        let script = |old: KeyedFrames, new: KeyedFrames| edit_script([left, right], [&old, &new]);
        let mut pending = script(keyed_roots(left, left_root), keyed_roots(right, right_root));
        while let Some(step) = pending.pop() {
            match step {
                EditStep::Match { left: l, right: r } => {
                    builder.open_pair(l, r);
                    pending.push(EditStep::Close);
                    pending.extend(script(keyed_children(left, l), keyed_children(right, r)));
                }
                EditStep::Remove(frame) => builder.push_unmatched(frame, CallChange::Removed),
                EditStep::Add(frame) => builder.push_unmatched(frame, CallChange::Added),
                EditStep::Close => builder.close_row(),
            }
        }
        builder.finish()
    }

    pub fn is_empty(&self) -> bool {
        !self.roots_differ && !self.rows.iter().any(|row| row.differs)
    }

    pub fn row(&self, row: u32) -> Option<&DiffRow> {
        self.rows.get(to_index(row))
    }

    pub fn len(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// Returns the ancestors of a row, nearest first.
    pub fn ancestors(&self, row: u32) -> impl Iterator<Item = u32> {
        let parent = |row: u32| self.row(row).map(|r| r.parent).filter(|parent| *parent != row);
        std::iter::successors(parent(row), move |row| parent(*row))
    }
}

pub fn gas_delta(left: Option<u64>, right: Option<u64>) -> Option<i128> {
    Some(i128::from(right?) - i128::from(left?))
}

pub fn exact_own_gas(frame: &CallFrame) -> Option<u64> {
    frame.own_gas().filter(|(_, is_exact)| *is_exact).map(|(gas, _)| gas)
}

fn transaction_root(tree: &CallTree) -> Option<u32> {
    tree.roots().find(|root| tree.get(*root).is_some_and(|frame| frame.kind != CallKind::Reward))
}
