//! Two traces compared: which calls were added, which are gone, and whose gas or outcome changed.
//!
//! A pair of frames is matched first, then their children as two sequences: those with the same
//! kind, target and selector, in order, belong together. Arguments do not count, so that two swaps of
//! different amounts can be compared. What has no counterpart stands with its whole subtree.

use std::convert::Infallible;

use similar::algorithms::{DiffHook, myers};

use super::tree::to_index;
use super::{CallFrame, CallKind, CallTree};
use crate::chain::Address;

/// Up to so many children on both sides the shortest script is looked for; beyond that a good one,
/// whose cost is bounded.
const MAX_EXACT_CHILDREN: usize = 2_000;

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallChange {
    /// Nothing that is known.
    Same,
    /// It used more gas, or less.
    Gas,
    /// It failed in one and not in the other; what is undone with it is not counted.
    Outcome,
    /// Only in the right trace.
    Added,
    /// Only in the left trace.
    Removed,
}

/// A call of the left trace, of the right one, or of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiffRow {
    /// What became of it.
    pub change: CallChange,
    /// Whether it differs by itself: not only because something below it does.
    pub differs_itself: bool,
    /// Whether it, or anything below it, differs.
    pub differs: bool,
    /// How many rows it is in.
    pub depth: u16,
    /// The frame of the left trace.
    pub left: Option<u32>,
    /// The frame of the right trace.
    pub right: Option<u32>,
    /// The row it is in; itself for a root.
    pub parent: u32,
    /// One past the rows below it.
    pub end: u32,
}

/// Where the difference in gas comes from; together it is exactly the difference of the roots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GasBreakdown {
    /// What added calls used.
    pub added: i128,
    /// What removed calls used, below zero.
    pub removed: i128,
    /// What calls that are in both traces used themselves, more or less than before.
    pub own: i128,
}

/// Two traces compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceDiff {
    /// All calls of both traces, in pre-order; removed ones before added ones.
    pub rows: Vec<DiffRow>,
    /// Calls that only the right trace has.
    pub added: u32,
    /// Calls that only the left trace has.
    pub removed: u32,
    /// Calls of both with other gas.
    pub gas_changed: u32,
    /// Calls of both that failed in one of them.
    pub outcomes_changed: u32,
    /// Calls of both whose gas one of them does not say.
    pub unknown_gas: u32,
    /// The outermost calls of the two transactions.
    pub roots: Option<(u32, u32)>,
    /// Whether those are calls of different contracts or functions.
    pub roots_differ: bool,
    /// Where the difference in gas comes from, as far as every call's gas is known.
    pub gas_breakdown: Option<GasBreakdown>,
}

impl TraceDiff {
    /// Compares two traces.
    pub fn compare(left: &CallTree, right: &CallTree) -> Self {
        let roots = root(left).zip(root(right));
        let mut builder = DiffBuilder::new(left, right, roots);
        let tops =
            (keyed_children(left, None, root(left)), keyed_children(right, None, root(right)));
        let mut todo = edit_script(&tops.0, &tops.1);
        while let Some(step) = todo.pop() {
            match step {
                WorkItem::Pair(l, r) => {
                    builder.open(l, r);
                    todo.push(WorkItem::Close);
                    let below =
                        (keyed_children(left, Some(l), None), keyed_children(right, Some(r), None));
                    todo.extend(edit_script(&below.0, &below.1));
                }
                WorkItem::Left(frame) => builder.push_unmatched(left, frame, CallChange::Removed),
                WorkItem::Right(frame) => builder.push_unmatched(right, frame, CallChange::Added),
                WorkItem::Close => builder.close(),
            }
        }
        builder.finish()
    }

    /// Whether nothing is known to differ.
    pub fn is_empty(&self) -> bool {
        !self.roots_differ && !self.rows.iter().any(|row| row.differs)
    }

    /// A row by its number.
    pub fn row(&self, row: u32) -> Option<&DiffRow> {
        self.rows.get(to_index(row))
    }

    /// How many rows there are.
    pub fn len(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// The rows that a row is in, the nearest first.
    pub fn ancestors(&self, row: u32) -> impl Iterator<Item = u32> {
        let next = |row: u32| self.row(row).map(|r| r.parent).filter(|above| *above != row);
        std::iter::successors(next(row), move |row| next(*row))
    }
}

/// By how much gas changed; none when either is unknown.
pub fn gas_delta(left: Option<u64>, right: Option<u64>) -> Option<i128> {
    Some(i128::from(right?) - i128::from(left?))
}

/// The gas a frame used itself, where that is exact.
pub fn exact_own_gas(frame: &CallFrame) -> Option<u64> {
    frame.own_gas().filter(|(_, exact)| *exact).map(|(gas, _)| gas)
}

/// The outermost call of the transaction.
fn root(tree: &CallTree) -> Option<u32> {
    tree.roots().find(|root| tree.get(*root).is_some_and(|frame| frame.kind != CallKind::Reward))
}

/// What two calls must have in common to belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum MatchKey {
    /// The outermost calls of two transactions always do.
    Root,
    Call(CallKind, Option<Address>, Option<[u8; 4]>),
}

impl MatchKey {
    fn new(tree: &CallTree, number: u32) -> Self {
        let Some(frame) = tree.get(number) else { return Self::Root };
        let target = || tree.address(frame.to);
        match frame.kind {
            // What is created has an address of its own each time.
            CallKind::Create | CallKind::Create2 => Self::Call(CallKind::Create, None, None),
            CallKind::SelfDestruct => Self::Call(frame.kind, tree.address(frame.from), None),
            CallKind::CallCode => {
                Self::Call(CallKind::DelegateCall, target(), tree.selector(number))
            }
            kind => {
                let target = target();
                // The calldata of precompiles begins with data.
                let selector =
                    tree.selector(number).filter(|_| !target.is_some_and(is_reserved_address));
                Self::Call(kind, target, selector)
            }
        }
    }
}

fn is_reserved_address(address: Address) -> bool {
    address.0.iter().take(18).all(|byte| *byte == 0)
}

type KeyedFrames = Vec<(u32, MatchKey)>;

/// The children of a frame, or all roots, with their keys.
fn keyed_children(tree: &CallTree, parent: Option<u32>, root: Option<u32>) -> KeyedFrames {
    let key = |frame| {
        (frame, if Some(frame) == root { MatchKey::Root } else { MatchKey::new(tree, frame) })
    };
    match parent {
        Some(parent) => tree.children(parent).map(key).collect(),
        None => tree.roots().map(key).collect(),
    }
}

/// What is still to be done, the last first.
enum WorkItem {
    Pair(u32, u32),
    Left(u32),
    Right(u32),
    Close,
}

/// Takes in which stretches of two sequences are equal.
#[derive(Default)]
struct MatchCollector(Vec<(usize, usize, usize)>);

impl DiffHook for MatchCollector {
    type Error = Infallible;

    fn equal(&mut self, left: usize, right: usize, len: usize) -> Result<(), Infallible> {
        self.0.push((left, right, len));
        Ok(())
    }
}

/// The stretches that two sequences have in common, in order.
fn common_runs(left: &KeyedFrames, right: &KeyedFrames) -> Vec<(usize, usize, usize)> {
    let (l, r): (Vec<MatchKey>, Vec<MatchKey>) =
        (left.iter().map(|(_, key)| *key).collect(), right.iter().map(|(_, key)| *key).collect());
    let mut found = MatchCollector::default();
    let (all_l, all_r) = (0..l.len(), 0..r.len());
    let Ok(()) = if l.len() + r.len() <= MAX_EXACT_CHILDREN {
        myers::diff_deadline_raw(&mut found, &*l, all_l, &*r, all_r, None)
    } else {
        myers::diff(&mut found, &*l, all_l, &*r, all_r)
    };
    found.0
}

/// How two lists of calls are gone through, the last step first.
fn edit_script(left: &KeyedFrames, right: &KeyedFrames) -> Vec<WorkItem> {
    let mut steps = Vec::with_capacity(left.len().max(right.len()));
    let gap = |steps: &mut Vec<WorkItem>, to: (usize, usize), from: (usize, usize)| {
        let frames = |list: &'_ KeyedFrames, a: usize, b: usize| -> Vec<u32> {
            list.iter().take(b).skip(a).map(|(frame, _)| *frame).collect()
        };
        steps.extend(frames(left, from.0, to.0).into_iter().map(WorkItem::Left));
        steps.extend(frames(right, from.1, to.1).into_iter().map(WorkItem::Right));
    };
    let mut next = (0, 0);
    for (l, r, len) in common_runs(left, right) {
        gap(&mut steps, (l, r), next);
        let pairs = left.iter().skip(l).zip(right.iter().skip(r)).take(len);
        steps.extend(pairs.map(|((l, _), (r, _))| WorkItem::Pair(*l, *r)));
        next = (l + len, r + len);
    }
    gap(&mut steps, (left.len(), right.len()), next);
    steps.reverse();
    steps
}

/// Rows as they are made.
struct DiffBuilder<'a> {
    left: &'a CallTree,
    right: &'a CallTree,
    diff: TraceDiff,
    account: Option<GasBreakdown>,
    /// The matched rows that the next one is in.
    open: Vec<u32>,
}

impl<'a> DiffBuilder<'a> {
    fn new(left: &'a CallTree, right: &'a CallTree, roots: Option<(u32, u32)>) -> Self {
        let other_root =
            roots.is_some_and(|(l, r)| MatchKey::new(left, l) != MatchKey::new(right, r));
        let diff = TraceDiff { roots, roots_differ: other_root, ..TraceDiff::default() };
        Self { left, right, diff, account: Some(GasBreakdown::default()), open: Vec::new() }
    }

    /// Begins the row of a matched pair.
    fn open(&mut self, left: u32, right: u32) {
        let (Some(l), Some(r)) = (self.left.get(left), self.right.get(right)) else { return };
        // Whether it is undone is told by the call above it that failed.
        let other_outcome = l.failed() != r.failed();
        let by = gas_delta(l.gas_used(), r.gas_used());
        let by_itself = gas_delta(exact_own_gas(l), exact_own_gas(r));
        let change = match (other_outcome, by) {
            (true, _) => CallChange::Outcome,
            (false, None | Some(0)) => CallChange::Same,
            (false, Some(_)) => CallChange::Gas,
        };
        self.diff.outcomes_changed += u32::from(other_outcome);
        self.diff.gas_changed += u32::from(by.is_some_and(|by| by != 0));
        self.diff.unknown_gas += u32::from(by.is_none());
        let row = self.diff.len();
        self.diff.rows.push(DiffRow {
            change,
            differs_itself: other_outcome || (change == CallChange::Gas && by_itself != Some(0)),
            differs: change != CallChange::Same,
            depth: self.depth(),
            left: Some(left),
            right: Some(right),
            parent: self.open.last().copied().unwrap_or(row),
            end: row,
        });
        self.open.push(row);
        self.count(by_itself, |account| &mut account.own);
    }

    fn depth(&self) -> u16 {
        u16::try_from(self.open.len()).unwrap_or(u16::MAX)
    }

    /// Adds to the account, if this is below the roots of the transactions.
    fn count(&mut self, gas: Option<i128>, of: impl Fn(&mut GasBreakdown) -> &mut i128) {
        let outermost = self.open.first().and_then(|row| self.diff.row(*row));
        if outermost.and_then(|row| row.left.zip(row.right)) != self.diff.roots {
            return;
        }
        match (&mut self.account, gas) {
            // A trace has less than 2^32 calls, each with less than 2^64 gas.
            (Some(account), Some(gas)) => *of(account) += gas,
            _ => self.account = None,
        }
    }

    fn close(&mut self) {
        let Some(row) = self.open.pop() else { return };
        let end = self.diff.len();
        let Some(closed) = self.diff.rows.get_mut(to_index(row)) else { return };
        closed.end = end;
        if closed.differs {
            self.mark_parent_differs();
        }
    }

    fn mark_parent_differs(&mut self) {
        let above = self.open.last().copied();
        if let Some(row) = above.and_then(|above| self.diff.rows.get_mut(to_index(above))) {
            row.differs = true;
        }
    }

    /// The rows of a call that has no counterpart, and of all below it.
    fn push_unmatched(&mut self, tree: &CallTree, head: u32, change: CallChange) {
        let start = self.diff.len();
        let (top, depth) = (tree.get(head).map_or(0, |frame| frame.depth), self.depth());
        let place = |frame: u32| start.saturating_add(frame.saturating_sub(head));
        let range = tree.subtree(head);
        for number in range.clone() {
            let Some(frame) = tree.get(number) else { continue };
            let is_head = number == head;
            let added = change == CallChange::Added;
            let above = match (is_head, self.open.last()) {
                (true, Some(above)) => *above,
                (true, None) => start,
                (false, _) => place(frame.parent),
            };
            self.diff.rows.push(DiffRow {
                change,
                differs_itself: is_head,
                differs: true,
                depth: depth.saturating_add(frame.depth.saturating_sub(top)),
                left: (!added).then_some(number),
                right: added.then_some(number),
                parent: above,
                end: place(tree.end(number)),
            });
        }
        self.mark_parent_differs();
        let used = tree.get(head).and_then(CallFrame::gas_used).map(i128::from);
        let calls = range.end.saturating_sub(range.start);
        if change == CallChange::Added {
            self.diff.added += calls;
            self.count(used, |account| &mut account.added);
        } else {
            self.diff.removed += calls;
            self.count(used.map(|gas| -gas), |account| &mut account.removed);
        }
    }

    fn finish(mut self) -> TraceDiff {
        let used = |tree: &CallTree, frame| tree.get(frame).and_then(CallFrame::gas_used);
        let roots = self.diff.roots;
        let by = roots.and_then(|(l, r)| gas_delta(used(self.left, l), used(self.right, r)));
        // Not where children are said to use more than their caller.
        let adds_up = |a: &GasBreakdown| Some(a.added + a.removed + a.own) == by;
        self.diff.gas_breakdown = self.account.filter(adds_up);
        self.diff
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;
    use crate::trace::parser::parse_trace;

    /// A call: what it calls, its gas, whether it failed, and what is below it.
    #[derive(Debug, Clone)]
    struct Call(u8, u64, bool, Vec<Call>);

    fn leaf(to: u8, gas: u64) -> Call {
        Call(to, gas, false, Vec::new())
    }

    fn json(call: &Call) -> String {
        let Call(to, gas, failed, calls) = call;
        let below: Vec<String> = calls.iter().map(json).collect();
        let error = if *failed { r#","error":"execution reverted""# } else { "" };
        format!(
            r#"{{"type":"CALL","from":"0x{:040x}","to":"0x{:040x}","value":"0x0","gas":"0xfffff","gasUsed":"{gas:#x}","input":"0x{to:02x}bbccdd00","output":"0x"{error},"calls":[{}]}}"#,
            0xa11ce,
            0xc0_0000_0000_u64 + u64::from(*to),
            below.join(",")
        )
    }

    fn tree(call: &Call) -> CallTree {
        let tree = parse_trace(Bytes::from(json(call)));
        assert!(!tree.is_empty(), "the sample can be read");
        tree
    }

    fn compare(left: &Call, right: &Call) -> TraceDiff {
        TraceDiff::compare(&tree(left), &tree(right))
    }

    fn root(gas: u64, calls: Vec<Call>) -> Call {
        Call(0, gas, false, calls)
    }

    /// `=`, `~`, `!`, `+` or `-` for each row.
    fn marks(diff: &TraceDiff) -> String {
        let mark = |row: &DiffRow| match row.change {
            CallChange::Same => '=',
            CallChange::Gas => '~',
            CallChange::Outcome => '!',
            CallChange::Added => '+',
            CallChange::Removed => '-',
        };
        diff.rows.iter().map(mark).collect()
    }

    #[test]
    fn one_inserted_call_is_exactly_one_plus() {
        let left = root(1000, vec![leaf(1, 10), leaf(3, 30)]);
        let right = root(1020, vec![leaf(1, 10), leaf(2, 20), leaf(3, 30)]);
        let diff = compare(&left, &right);
        assert_eq!(marks(&diff), "~=+=");
        assert_eq!(
            (diff.added, diff.removed, diff.gas_changed, diff.outcomes_changed),
            (1, 0, 1, 0)
        );
        assert_eq!(diff.gas_breakdown, Some(GasBreakdown { added: 20, removed: 0, own: 0 }));
        assert!(!diff.rows[0].differs_itself, "its gas changed only by the call below it");
        let back = compare(&right, &left);
        assert_eq!((marks(&back).as_str(), back.added, back.removed), ("~=-=", 0, 1));
        assert_eq!(back.gas_breakdown, Some(GasBreakdown { added: 0, removed: -20, own: 0 }));
    }

    #[test]
    fn a_call_comes_and_goes_with_all_below_it() {
        let group = Call(2, 50, false, vec![Call(3, 20, false, vec![leaf(4, 5)]), leaf(5, 5)]);
        let diff = compare(&root(100, vec![]), &root(150, vec![group, leaf(6, 0)]));
        assert_eq!(marks(&diff), "~+++++");
        let depths: Vec<u16> = diff.rows.iter().map(|row| row.depth).collect();
        assert_eq!(depths, [0, 1, 2, 3, 2, 1]);
        let ends: Vec<u32> = diff.rows.iter().map(|row| row.end).collect();
        assert_eq!(ends, [6, 5, 4, 4, 5, 6]);
        let above: Vec<u32> = diff.rows.iter().map(|row| row.parent).collect();
        assert_eq!(above, [0, 0, 1, 2, 1, 0]);
        assert_eq!(diff.ancestors(3).collect::<Vec<_>>(), [2, 1, 0]);
    }

    #[test]
    fn other_gas_and_another_outcome_are_told_apart() {
        let left = root(1000, vec![Call(1, 100, false, vec![leaf(2, 50)]), leaf(3, 30)]);
        let right = root(1007, vec![Call(1, 107, false, vec![leaf(2, 57)]), leaf(3, 30)]);
        let diff = compare(&left, &right);
        assert_eq!(marks(&diff), "~~~=");
        let causes: Vec<bool> = diff.rows.iter().map(|row| row.differs_itself).collect();
        assert_eq!(causes, [false, false, true, false], "only where it began");
        let failed = root(1000, vec![Call(1, 100, true, vec![leaf(2, 50)]), leaf(3, 30)]);
        let diff = compare(&left, &failed);
        assert_eq!(marks(&diff), "=!==", "what is below it is undone with it");
        assert_eq!((diff.outcomes_changed, diff.gas_changed), (1, 0));
        assert!(diff.rows[0].differs && !diff.rows[0].differs_itself);
    }

    #[test]
    fn equal_traces_have_no_difference() {
        let one = root(1000, vec![leaf(1, 10), leaf(1, 10)]);
        let diff = compare(&one, &one);
        assert!(diff.is_empty());
        assert_eq!(
            (marks(&diff).as_str(), diff.gas_breakdown),
            ("===", Some(GasBreakdown::default()))
        );
        assert!(TraceDiff::compare(&CallTree::default(), &CallTree::default()).is_empty());
    }

    #[test]
    fn different_roots_are_matched_and_told() {
        let diff =
            compare(&Call(7, 90, false, vec![leaf(1, 10)]), &Call(8, 95, false, vec![leaf(1, 10)]));
        assert!(diff.roots_differ);
        assert_eq!(marks(&diff), "~=");
        let same_gas = compare(&leaf(7, 90), &leaf(8, 90));
        assert!(!same_gas.is_empty(), "other calls are a difference");
    }

    #[test]
    fn a_call_that_moved_is_gone_in_one_place_and_new_in_another() {
        let left = root(90, vec![leaf(1, 1), leaf(2, 2), leaf(3, 3)]);
        let right = root(90, vec![leaf(2, 2), leaf(3, 3), leaf(1, 1)]);
        assert_eq!(marks(&compare(&left, &right)), "=-==+");
    }

    #[test]
    fn one_call_in_the_middle_of_many_is_found() {
        let calls: Vec<Call> = (0..5_000_u64).map(|n| leaf((n % 7) as u8 + 1, n % 11)).collect();
        let mut more = calls.clone();
        more.insert(2_500, leaf(200, 9));
        let diff = compare(&root(90_000, calls), &root(90_009, more));
        assert_eq!((diff.added, diff.removed, diff.gas_changed), (1, 0, 1));
        assert_eq!(diff.rows[2_501].change, CallChange::Added);
    }

    #[test]
    fn unknown_gas_is_no_difference_and_is_counted() {
        let body = |gas: &str| {
            let text = json(&leaf(1, 77)).replace(r#""gasUsed":"0x4d","#, gas);
            parse_trace(Bytes::from(text))
        };
        let diff = TraceDiff::compare(&body(""), &body(r#""gasUsed":"0x4d","#));
        assert_eq!((diff.unknown_gas, diff.gas_changed, diff.gas_breakdown), (1, 0, None));
        assert!(diff.is_empty());
    }

    #[test]
    fn a_trace_without_calls_is_all_added_or_removed() {
        let some = tree(&root(9, vec![leaf(1, 1)]));
        assert_eq!(marks(&TraceDiff::compare(&CallTree::default(), &some)), "++");
        assert_eq!(marks(&TraceDiff::compare(&some, &CallTree::default())), "--");
    }

    #[test]
    fn creations_are_matched_by_their_order() {
        let create = |code: &str, at: u8| {
            format!(
                r#"{{"type":"CREATE2","from":"0x{:040x}","to":"0x{at:040x}","value":"0x0","gas":"0x1","gasUsed":"0x1","input":"{code}","output":"0x"}}"#,
                1
            )
        };
        let of = |text: String| parse_trace(Bytes::from(text));
        let diff =
            TraceDiff::compare(&of(create("0x6001600255", 9)), &of(create("0x7001600255", 8)));
        assert!(!diff.roots_differ && diff.is_empty());
    }

    fn any_call() -> impl Strategy<Value = Call> {
        let leaf = (0_u8..4, 0_u64..50, any::<bool>()).prop_map(|(t, g, f)| Call(t, g, f, vec![]));
        leaf.prop_recursive(4, 40, 6, |below| {
            (0_u8..4, 0_u64..500, any::<bool>(), prop::collection::vec(below, 0..6))
                .prop_map(|(t, g, f, calls)| Call(t, g, f, calls))
        })
    }

    proptest! {
        #[test]
        fn every_call_stands_in_exactly_one_row(a in any_call(), b in any_call()) {
            let (left, right) = (tree(&a), tree(&b));
            let diff = TraceDiff::compare(&left, &right);
            let lefts: Vec<u32> = diff.rows.iter().filter_map(|row| row.left).collect();
            let rights: Vec<u32> = diff.rows.iter().filter_map(|row| row.right).collect();
            prop_assert_eq!(lefts, (0..left.len()).collect::<Vec<_>>());
            prop_assert_eq!(rights, (0..right.len()).collect::<Vec<_>>());
            let both = diff.rows.iter().filter(|row| row.left.is_some() && row.right.is_some());
            prop_assert_eq!(both.count() + to_index(diff.added) + to_index(diff.removed), diff.rows.len());
            for (n, row) in (0_u32..).zip(&diff.rows) {
                prop_assert!(n < row.end && row.end <= diff.len());
                prop_assert!(row.parent == n || diff.rows[to_index(row.parent)].depth + 1 == row.depth);
                let below = &diff.rows[to_index(n)..to_index(row.end)];
                let any = below.iter().any(|r| r.change != CallChange::Same);
                prop_assert_eq!(row.differs, any);
            }
        }

        #[test]
        fn a_trace_does_not_differ_from_itself(a in any_call()) {
            let diff = compare(&a, &a);
            prop_assert!(diff.is_empty(), "{}", marks(&diff));
        }

        #[test]
        fn comparing_the_other_way_round_turns_everything(a in any_call(), b in any_call()) {
            let (there, back) = (compare(&a, &b), compare(&b, &a));
            prop_assert_eq!(there.is_empty(), back.is_empty());
            // Of calls that are alike, others may be matched the other way round, and whether their
            // gas adds up is a matter of which.
            if let (Some(there), Some(back)) = (there.gas_breakdown, back.gas_breakdown) {
                let sum = |x: super::GasBreakdown| x.added + x.removed + x.own;
                prop_assert_eq!(sum(there), -sum(back));
            }
        }
    }
}
