//! Two traces compared: which calls were added, which are gone, and whose gas or outcome changed.
//!
//! A pair of frames is matched first, then their children as two sequences: those with the same
//! kind, target and selector, in order, belong together. Arguments do not count, so that two swaps of
//! different amounts can be compared. What has no counterpart stands with its whole subtree.

use std::convert::Infallible;

use similar::algorithms::{DiffHook, myers};

use super::tree::at;
use super::{Frame, Kind, Tree};
use crate::chain::Address;

/// Up to so many children on both sides the shortest script is looked for; beyond that a good one,
/// whose cost is bounded.
const EXACT: usize = 2_000;

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
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
pub struct Row {
    /// What became of it.
    pub change: Change,
    /// Whether it differs by itself: not only because something below it does.
    pub cause: bool,
    /// Whether it, or anything below it, differs.
    pub differs: bool,
    /// How many rows it is in.
    pub depth: u16,
    /// The frame of the left trace.
    pub left: Option<u32>,
    /// The frame of the right trace.
    pub right: Option<u32>,
    /// The row it is in; itself for a root.
    pub above: u32,
    /// One past the rows below it.
    pub end: u32,
}

/// Where the difference in gas comes from; together it is exactly the difference of the roots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    /// What added calls used.
    pub added: i128,
    /// What removed calls used, below zero.
    pub removed: i128,
    /// What calls that are in both traces used themselves, more or less than before.
    pub own: i128,
}

/// Two traces compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// All calls of both traces, in pre-order; removed ones before added ones.
    pub rows: Vec<Row>,
    /// Calls that only the right trace has.
    pub added: u32,
    /// Calls that only the left trace has.
    pub removed: u32,
    /// Calls of both with other gas.
    pub gas: u32,
    /// Calls of both that failed in one of them.
    pub outcomes: u32,
    /// Calls of both whose gas one of them does not say.
    pub unknown: u32,
    /// The outermost calls of the two transactions.
    pub roots: Option<(u32, u32)>,
    /// Whether those are calls of different contracts or functions.
    pub other_root: bool,
    /// Where the difference in gas comes from, as far as every call's gas is known.
    pub account: Option<Account>,
}

impl Diff {
    /// Compares two traces.
    pub fn of(left: &Tree, right: &Tree) -> Self {
        let roots = root(left).zip(root(right));
        let mut builder = Builder::new(left, right, roots);
        let tops = (keyed(left, None, root(left)), keyed(right, None, root(right)));
        let mut todo = steps(&tops.0, &tops.1);
        while let Some(step) = todo.pop() {
            match step {
                Step::Pair(l, r) => {
                    builder.open(l, r);
                    todo.push(Step::Close);
                    let below = (keyed(left, Some(l), None), keyed(right, Some(r), None));
                    todo.extend(steps(&below.0, &below.1));
                }
                Step::Left(frame) => builder.only(left, frame, Change::Removed),
                Step::Right(frame) => builder.only(right, frame, Change::Added),
                Step::Close => builder.close(),
            }
        }
        builder.finish()
    }

    /// Whether nothing is known to differ.
    pub fn is_empty(&self) -> bool {
        !self.other_root && !self.rows.iter().any(|row| row.differs)
    }

    /// A row by its number.
    pub fn row(&self, row: u32) -> Option<&Row> {
        self.rows.get(at(row))
    }

    /// How many rows there are.
    pub fn len(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    /// The rows that a row is in, the nearest first.
    pub fn above(&self, row: u32) -> impl Iterator<Item = u32> {
        let next = |row: u32| self.row(row).map(|r| r.above).filter(|above| *above != row);
        std::iter::successors(next(row), move |row| next(*row))
    }
}

/// By how much gas changed; none when either is unknown.
pub fn difference(left: Option<u64>, right: Option<u64>) -> Option<i128> {
    Some(i128::from(right?) - i128::from(left?))
}

/// The gas a frame used itself, where that is exact.
pub fn own(frame: &Frame) -> Option<u64> {
    frame.own().filter(|(_, exact)| *exact).map(|(gas, _)| gas)
}

/// The outermost call of the transaction.
fn root(tree: &Tree) -> Option<u32> {
    tree.roots().find(|root| tree.get(*root).is_some_and(|frame| frame.kind != Kind::Reward))
}

/// What two calls must have in common to belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    /// The outermost calls of two transactions always do.
    Root,
    Call(Kind, Option<Address>, Option<[u8; 4]>),
}

impl Key {
    fn of(tree: &Tree, number: u32) -> Self {
        let Some(frame) = tree.get(number) else { return Self::Root };
        let target = || tree.address(frame.to);
        match frame.kind {
            // What is created has an address of its own each time.
            Kind::Create | Kind::Create2 => Self::Call(Kind::Create, None, None),
            Kind::SelfDestruct => Self::Call(frame.kind, tree.address(frame.from), None),
            Kind::CallCode => Self::Call(Kind::DelegateCall, target(), tree.selector(number)),
            kind => {
                let target = target();
                // The calldata of precompiles begins with data.
                let selector = tree.selector(number).filter(|_| !target.is_some_and(is_builtin));
                Self::Call(kind, target, selector)
            }
        }
    }
}

fn is_builtin(address: Address) -> bool {
    address.0.iter().take(18).all(|byte| *byte == 0)
}

type Keyed = Vec<(u32, Key)>;

/// The children of a frame, or all roots, with their keys.
fn keyed(tree: &Tree, parent: Option<u32>, root: Option<u32>) -> Keyed {
    let key = |frame| (frame, if Some(frame) == root { Key::Root } else { Key::of(tree, frame) });
    match parent {
        Some(parent) => tree.children(parent).map(key).collect(),
        None => tree.roots().map(key).collect(),
    }
}

/// What is still to be done, the last first.
enum Step {
    Pair(u32, u32),
    Left(u32),
    Right(u32),
    Close,
}

/// Takes in which stretches of two sequences are equal.
#[derive(Default)]
struct Matches(Vec<(usize, usize, usize)>);

impl DiffHook for Matches {
    type Error = Infallible;

    fn equal(&mut self, left: usize, right: usize, len: usize) -> Result<(), Infallible> {
        self.0.push((left, right, len));
        Ok(())
    }
}

/// The stretches that two sequences have in common, in order.
fn matches(left: &Keyed, right: &Keyed) -> Vec<(usize, usize, usize)> {
    let (l, r): (Vec<Key>, Vec<Key>) =
        (left.iter().map(|(_, key)| *key).collect(), right.iter().map(|(_, key)| *key).collect());
    let mut found = Matches::default();
    let (all_l, all_r) = (0..l.len(), 0..r.len());
    let Ok(()) = if l.len() + r.len() <= EXACT {
        myers::diff_deadline_raw(&mut found, &*l, all_l, &*r, all_r, None)
    } else {
        myers::diff(&mut found, &*l, all_l, &*r, all_r)
    };
    found.0
}

/// How two lists of calls are gone through, the last step first.
fn steps(left: &Keyed, right: &Keyed) -> Vec<Step> {
    let mut steps = Vec::with_capacity(left.len().max(right.len()));
    let gap = |steps: &mut Vec<Step>, to: (usize, usize), from: (usize, usize)| {
        let frames = |list: &'_ Keyed, a: usize, b: usize| -> Vec<u32> {
            list.iter().take(b).skip(a).map(|(frame, _)| *frame).collect()
        };
        steps.extend(frames(left, from.0, to.0).into_iter().map(Step::Left));
        steps.extend(frames(right, from.1, to.1).into_iter().map(Step::Right));
    };
    let mut next = (0, 0);
    for (l, r, len) in matches(left, right) {
        gap(&mut steps, (l, r), next);
        let pairs = left.iter().skip(l).zip(right.iter().skip(r)).take(len);
        steps.extend(pairs.map(|((l, _), (r, _))| Step::Pair(*l, *r)));
        next = (l + len, r + len);
    }
    gap(&mut steps, (left.len(), right.len()), next);
    steps.reverse();
    steps
}

/// Rows as they are made.
struct Builder<'a> {
    left: &'a Tree,
    right: &'a Tree,
    diff: Diff,
    account: Option<Account>,
    /// The matched rows that the next one is in.
    open: Vec<u32>,
}

impl<'a> Builder<'a> {
    fn new(left: &'a Tree, right: &'a Tree, roots: Option<(u32, u32)>) -> Self {
        let other_root = roots.is_some_and(|(l, r)| Key::of(left, l) != Key::of(right, r));
        let diff = Diff { roots, other_root, ..Diff::default() };
        Self { left, right, diff, account: Some(Account::default()), open: Vec::new() }
    }

    /// Begins the row of a matched pair.
    fn open(&mut self, left: u32, right: u32) {
        let (Some(l), Some(r)) = (self.left.get(left), self.right.get(right)) else { return };
        // Whether it is undone is told by the call above it that failed.
        let other_outcome = l.failed() != r.failed();
        let by = difference(l.used(), r.used());
        let by_itself = difference(own(l), own(r));
        let change = match (other_outcome, by) {
            (true, _) => Change::Outcome,
            (false, None | Some(0)) => Change::Same,
            (false, Some(_)) => Change::Gas,
        };
        self.diff.outcomes += u32::from(other_outcome);
        self.diff.gas += u32::from(by.is_some_and(|by| by != 0));
        self.diff.unknown += u32::from(by.is_none());
        let row = self.diff.len();
        self.diff.rows.push(Row {
            change,
            cause: other_outcome || (change == Change::Gas && by_itself != Some(0)),
            differs: change != Change::Same,
            depth: self.depth(),
            left: Some(left),
            right: Some(right),
            above: self.open.last().copied().unwrap_or(row),
            end: row,
        });
        self.open.push(row);
        self.count(by_itself, |account| &mut account.own);
    }

    fn depth(&self) -> u16 {
        u16::try_from(self.open.len()).unwrap_or(u16::MAX)
    }

    /// Adds to the account, if this is below the roots of the transactions.
    fn count(&mut self, gas: Option<i128>, of: impl Fn(&mut Account) -> &mut i128) {
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
        let Some(closed) = self.diff.rows.get_mut(at(row)) else { return };
        closed.end = end;
        if closed.differs {
            self.differs_below();
        }
    }

    fn differs_below(&mut self) {
        let above = self.open.last().copied();
        if let Some(row) = above.and_then(|above| self.diff.rows.get_mut(at(above))) {
            row.differs = true;
        }
    }

    /// The rows of a call that has no counterpart, and of all below it.
    fn only(&mut self, tree: &Tree, head: u32, change: Change) {
        let start = self.diff.len();
        let (top, depth) = (tree.get(head).map_or(0, |frame| frame.depth), self.depth());
        let place = |frame: u32| start.saturating_add(frame.saturating_sub(head));
        let range = tree.subtree(head);
        for number in range.clone() {
            let Some(frame) = tree.get(number) else { continue };
            let is_head = number == head;
            let added = change == Change::Added;
            let above = match (is_head, self.open.last()) {
                (true, Some(above)) => *above,
                (true, None) => start,
                (false, _) => place(frame.parent),
            };
            self.diff.rows.push(Row {
                change,
                cause: is_head,
                differs: true,
                depth: depth.saturating_add(frame.depth.saturating_sub(top)),
                left: (!added).then_some(number),
                right: added.then_some(number),
                above,
                end: place(tree.end(number)),
            });
        }
        self.differs_below();
        let used = tree.get(head).and_then(Frame::used).map(i128::from);
        let calls = range.end.saturating_sub(range.start);
        if change == Change::Added {
            self.diff.added += calls;
            self.count(used, |account| &mut account.added);
        } else {
            self.diff.removed += calls;
            self.count(used.map(|gas| -gas), |account| &mut account.removed);
        }
    }

    fn finish(mut self) -> Diff {
        let used = |tree: &Tree, frame| tree.get(frame).and_then(Frame::used);
        let roots = self.diff.roots;
        let by = roots.and_then(|(l, r)| difference(used(self.left, l), used(self.right, r)));
        // Not where children are said to use more than their caller.
        let adds_up = |a: &Account| Some(a.added + a.removed + a.own) == by;
        self.diff.account = self.account.filter(adds_up);
        self.diff
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;
    use crate::trace::parser::read;

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

    fn tree(call: &Call) -> Tree {
        let tree = read(Bytes::from(json(call)));
        assert!(!tree.is_empty(), "the sample can be read");
        tree
    }

    fn compare(left: &Call, right: &Call) -> Diff {
        Diff::of(&tree(left), &tree(right))
    }

    fn root(gas: u64, calls: Vec<Call>) -> Call {
        Call(0, gas, false, calls)
    }

    /// `=`, `~`, `!`, `+` or `-` for each row.
    fn marks(diff: &Diff) -> String {
        let mark = |row: &Row| match row.change {
            Change::Same => '=',
            Change::Gas => '~',
            Change::Outcome => '!',
            Change::Added => '+',
            Change::Removed => '-',
        };
        diff.rows.iter().map(mark).collect()
    }

    #[test]
    fn one_inserted_call_is_exactly_one_plus() {
        let left = root(1000, vec![leaf(1, 10), leaf(3, 30)]);
        let right = root(1020, vec![leaf(1, 10), leaf(2, 20), leaf(3, 30)]);
        let diff = compare(&left, &right);
        assert_eq!(marks(&diff), "~=+=");
        assert_eq!((diff.added, diff.removed, diff.gas, diff.outcomes), (1, 0, 1, 0));
        assert_eq!(diff.account, Some(Account { added: 20, removed: 0, own: 0 }));
        assert!(!diff.rows[0].cause, "its gas changed only by the call below it");
        let back = compare(&right, &left);
        assert_eq!((marks(&back).as_str(), back.added, back.removed), ("~=-=", 0, 1));
        assert_eq!(back.account, Some(Account { added: 0, removed: -20, own: 0 }));
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
        let above: Vec<u32> = diff.rows.iter().map(|row| row.above).collect();
        assert_eq!(above, [0, 0, 1, 2, 1, 0]);
        assert_eq!(diff.above(3).collect::<Vec<_>>(), [2, 1, 0]);
    }

    #[test]
    fn other_gas_and_another_outcome_are_told_apart() {
        let left = root(1000, vec![Call(1, 100, false, vec![leaf(2, 50)]), leaf(3, 30)]);
        let right = root(1007, vec![Call(1, 107, false, vec![leaf(2, 57)]), leaf(3, 30)]);
        let diff = compare(&left, &right);
        assert_eq!(marks(&diff), "~~~=");
        let causes: Vec<bool> = diff.rows.iter().map(|row| row.cause).collect();
        assert_eq!(causes, [false, false, true, false], "only where it began");
        let failed = root(1000, vec![Call(1, 100, true, vec![leaf(2, 50)]), leaf(3, 30)]);
        let diff = compare(&left, &failed);
        assert_eq!(marks(&diff), "=!==", "what is below it is undone with it");
        assert_eq!((diff.outcomes, diff.gas), (1, 0));
        assert!(diff.rows[0].differs && !diff.rows[0].cause);
    }

    #[test]
    fn equal_traces_have_no_difference() {
        let one = root(1000, vec![leaf(1, 10), leaf(1, 10)]);
        let diff = compare(&one, &one);
        assert!(diff.is_empty());
        assert_eq!((marks(&diff).as_str(), diff.account), ("===", Some(Account::default())));
        assert!(Diff::of(&Tree::default(), &Tree::default()).is_empty());
    }

    #[test]
    fn different_roots_are_matched_and_told() {
        let diff =
            compare(&Call(7, 90, false, vec![leaf(1, 10)]), &Call(8, 95, false, vec![leaf(1, 10)]));
        assert!(diff.other_root);
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
        assert_eq!((diff.added, diff.removed, diff.gas), (1, 0, 1));
        assert_eq!(diff.rows[2_501].change, Change::Added);
    }

    #[test]
    fn unknown_gas_is_no_difference_and_is_counted() {
        let body = |gas: &str| {
            let text = json(&leaf(1, 77)).replace(r#""gasUsed":"0x4d","#, gas);
            read(Bytes::from(text))
        };
        let diff = Diff::of(&body(""), &body(r#""gasUsed":"0x4d","#));
        assert_eq!((diff.unknown, diff.gas, diff.account), (1, 0, None));
        assert!(diff.is_empty());
    }

    #[test]
    fn a_trace_without_calls_is_all_added_or_removed() {
        let some = tree(&root(9, vec![leaf(1, 1)]));
        assert_eq!(marks(&Diff::of(&Tree::default(), &some)), "++");
        assert_eq!(marks(&Diff::of(&some, &Tree::default())), "--");
    }

    #[test]
    fn creations_are_matched_by_their_order() {
        let create = |code: &str, at: u8| {
            format!(
                r#"{{"type":"CREATE2","from":"0x{:040x}","to":"0x{at:040x}","value":"0x0","gas":"0x1","gasUsed":"0x1","input":"{code}","output":"0x"}}"#,
                1
            )
        };
        let of = |text: String| read(Bytes::from(text));
        let diff = Diff::of(&of(create("0x6001600255", 9)), &of(create("0x7001600255", 8)));
        assert!(!diff.other_root && diff.is_empty());
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
            let diff = Diff::of(&left, &right);
            let lefts: Vec<u32> = diff.rows.iter().filter_map(|row| row.left).collect();
            let rights: Vec<u32> = diff.rows.iter().filter_map(|row| row.right).collect();
            prop_assert_eq!(lefts, (0..left.len()).collect::<Vec<_>>());
            prop_assert_eq!(rights, (0..right.len()).collect::<Vec<_>>());
            let both = diff.rows.iter().filter(|row| row.left.is_some() && row.right.is_some());
            prop_assert_eq!(both.count() + at(diff.added) + at(diff.removed), diff.rows.len());
            for (n, row) in (0_u32..).zip(&diff.rows) {
                prop_assert!(n < row.end && row.end <= diff.len());
                prop_assert!(row.above == n || diff.rows[at(row.above)].depth + 1 == row.depth);
                let below = &diff.rows[at(n)..at(row.end)];
                let any = below.iter().any(|r| r.change != Change::Same);
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
            if let (Some(there), Some(back)) = (there.account, back.account) {
                let sum = |x: super::Account| x.added + x.removed + x.own;
                prop_assert_eq!(sum(there), -sum(back));
            }
        }
    }
}
