use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::trace::parser::parse_trace;

/// Target, gas, failure and children of a call.
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
    assert!(!tree.is_empty(), "the sample can be parsed");
    tree
}

fn compare(left: &Call, right: &Call) -> TraceDiff {
    TraceDiff::compare(&tree(left), &tree(right))
}

fn root(gas: u64, calls: Vec<Call>) -> Call {
    Call(0, gas, false, calls)
}

/// Writes `=`, `~`, `!`, `+` or `-` for each row.
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
fn one_inserted_call_is_one_added_row() {
    let left = root(1000, vec![leaf(1, 10), leaf(3, 30)]);
    let right = root(1020, vec![leaf(1, 10), leaf(2, 20), leaf(3, 30)]);
    let diff = compare(&left, &right);
    assert_eq!(marks(&diff), "~=+=");
    assert_eq!((diff.added, diff.removed, diff.gas_changed, diff.outcomes_changed), (1, 0, 1, 0));
    assert_eq!(diff.gas_breakdown, Some(GasBreakdown { added: 20, removed: 0, own: 0 }));
    assert!(!diff.rows[0].differs_itself, "its gas changed only through its child");
    let back = compare(&right, &left);
    assert_eq!((marks(&back).as_str(), back.added, back.removed), ("~=-=", 0, 1));
    assert_eq!(back.gas_breakdown, Some(GasBreakdown { added: 0, removed: -20, own: 0 }));
}

#[test]
fn calls_below_another_parent_are_paired_in_their_order() {
    let group = Call(2, 50, false, vec![leaf(3, 20), leaf(3, 21), leaf(4, 5)]);
    let diff = compare(&root(100, vec![group]), &root(90, vec![leaf(3, 20), leaf(5, 5)]));
    assert_eq!(marks(&diff), "~----++");
    let elsewhere: Vec<Option<u32>> = diff.rows.iter().map(|row| row.elsewhere).collect();
    // The numbers are of calls in the other trace.
    assert_eq!(elsewhere, [None, None, Some(1), None, None, Some(2), None]);
}

#[test]
fn code_of_a_proxy_is_the_same_call_after_its_upgrade() {
    let parse = |code: u8, caller: u8, gas: u64| {
        let inner = format!(
            r#"{{"type":"CALL","from":"0x{0:040x}","to":"0x{1:040x}","input":"0x01020304","gasUsed":"0x5"}}"#,
            caller, 0x99
        );
        let call = format!(
            r#"{{"type":"DELEGATECALL","from":"0x{caller:040x}","to":"0x{code:040x}","input":"0xaabbccdd","gasUsed":"{gas:#x}","calls":[{inner}]}}"#
        );
        parse_trace(Bytes::from(format!(
            r#"{{"type":"CALL","from":"0x{0:040x}","to":"0x{caller:040x}","input":"0xaabbccdd","gasUsed":"{gas:#x}","calls":[{call}]}}"#,
            1
        )))
    };
    let diff = TraceDiff::compare(&parse(2, 7, 54_209), &parse(3, 7, 61_043));
    assert_eq!(marks(&diff), "~~=");
    assert_eq!(diff.gas_breakdown, Some(GasBreakdown { added: 0, removed: 0, own: 6_834 }));
    let elsewhere = TraceDiff::compare(&parse(2, 7, 9), &parse(3, 8, 9));
    assert_eq!(marks(&elsewhere), "=--++", "the callers differ");
}

#[test]
fn calls_with_the_same_input_are_paired_first() {
    let call = |input: &str| {
        format!(
            r#"{{"type":"CALL","from":"0x{0:040x}","to":"0x{0:040x}","input":"0xaabbccdd{input}"}}"#,
            7
        )
    };
    let parse = |to: u8, inputs: &[&str]| {
        let calls: Vec<String> = inputs.iter().map(|input| call(input)).collect();
        let group = format!(
            r#"{{"type":"CALL","from":"0x{0:040x}","to":"0x{to:040x}","calls":[{1}]}}"#,
            1,
            calls.join(",")
        );
        let root = format!(
            r#"{{"type":"CALL","from":"0x{0:040x}","to":"0x{0:040x}","calls":[{group}]}}"#,
            1
        );
        parse_trace(Bytes::from(root))
    };
    let diff = TraceDiff::compare(&parse(2, &["01", "02", "03"]), &parse(3, &["02", "04", "01"]));
    assert_eq!(marks(&diff), "=----++++");
    let elsewhere: Vec<Option<u32>> = diff.rows.iter().map(|row| row.elsewhere).collect();
    let [removed, added] = [[Some(4), Some(2), Some(3)], [Some(3), Some(4), Some(2)]];
    assert_eq!((&elsewhere[2..5], &elsewhere[6..]), (&removed[..], &added[..]));
}

#[test]
fn unmatched_call_brings_its_subtree() {
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
fn gas_and_outcome_changes_are_distinguished() {
    let left = root(1000, vec![Call(1, 100, false, vec![leaf(2, 50)]), leaf(3, 30)]);
    let right = root(1007, vec![Call(1, 107, false, vec![leaf(2, 57)]), leaf(3, 30)]);
    let diff = compare(&left, &right);
    assert_eq!(marks(&diff), "~~~=");
    let causes: Vec<bool> = diff.rows.iter().map(|row| row.differs_itself).collect();
    assert_eq!(causes, [false, false, true, false], "only at the cause");
    let failed = root(1000, vec![Call(1, 100, true, vec![leaf(2, 50)]), leaf(3, 30)]);
    let diff = compare(&left, &failed);
    assert_eq!(marks(&diff), "=!!=", "its child is rolled back");
    assert_eq!((diff.outcomes_changed, diff.gas_changed), (2, 0));
    let causes: Vec<bool> = diff.rows.iter().map(|row| row.differs_itself).collect();
    assert_eq!(causes, [false, true, false, false], "only at the call that failed");
    assert!(diff.rows[0].differs);
}

#[test]
fn equal_traces_have_no_difference() {
    let one = root(1000, vec![leaf(1, 10), leaf(1, 10)]);
    let diff = compare(&one, &one);
    assert!(diff.is_empty());
    assert_eq!((marks(&diff).as_str(), diff.gas_breakdown), ("===", Some(GasBreakdown::default())));
    assert!(TraceDiff::compare(&CallTree::default(), &CallTree::default()).is_empty());
}

#[test]
fn different_roots_are_matched_and_reported() {
    let diff =
        compare(&Call(7, 90, false, vec![leaf(1, 10)]), &Call(8, 95, false, vec![leaf(1, 10)]));
    assert!(diff.roots_differ);
    assert_eq!(marks(&diff), "~=");
    let same_gas = compare(&leaf(7, 90), &leaf(8, 90));
    assert!(!same_gas.is_empty(), "different calls are a difference");
}

#[test]
fn moved_call_is_removed_and_added() {
    let left = root(90, vec![leaf(1, 1), leaf(2, 2), leaf(3, 3)]);
    let right = root(90, vec![leaf(2, 2), leaf(3, 3), leaf(1, 1)]);
    assert_eq!(marks(&compare(&left, &right)), "=-==+");
}

#[test]
fn one_call_among_thousands_is_found() {
    let calls: Vec<Call> = (0..5_000_u64).map(|n| leaf((n % 7) as u8 + 1, n % 11)).collect();
    let mut more = calls.clone();
    more.insert(2_500, leaf(200, 9));
    let diff = compare(&root(90_000, calls), &root(90_009, more));
    assert_eq!((diff.added, diff.removed, diff.gas_changed), (1, 0, 1));
    assert_eq!(diff.rows[2_501].change, CallChange::Added);
}

#[test]
fn unknown_gas_is_counted_and_no_difference() {
    let body = |gas: &str| {
        let text = json(&leaf(1, 77)).replace(r#""gasUsed":"0x4d","#, gas);
        parse_trace(Bytes::from(text))
    };
    let diff = TraceDiff::compare(&body(""), &body(r#""gasUsed":"0x4d","#));
    assert_eq!((diff.unknown_gas, diff.gas_changed, diff.gas_breakdown), (1, 0, None));
    assert!(diff.is_empty());
}

#[test]
fn empty_trace_makes_all_calls_added_or_removed() {
    let some = tree(&root(9, vec![leaf(1, 1)]));
    assert_eq!(marks(&TraceDiff::compare(&CallTree::default(), &some)), "++");
    assert_eq!(marks(&TraceDiff::compare(&some, &CallTree::default())), "--");
}

#[test]
fn creations_are_matched_in_order() {
    let create = |code: &str, at: u8| {
        format!(
            r#"{{"type":"CREATE2","from":"0x{:040x}","to":"0x{at:040x}","value":"0x0","gas":"0x1","gasUsed":"0x1","input":"{code}","output":"0x"}}"#,
            1
        )
    };
    let parse = |text: String| parse_trace(Bytes::from(text));
    let diff =
        TraceDiff::compare(&parse(create("0x6001600255", 9)), &parse(create("0x7001600255", 8)));
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
    fn every_call_has_exactly_one_row(a in any_call(), b in any_call()) {
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
            // A call that was only rolled back differs at the ancestor that failed.
            let is_alike = |row: &DiffRow| {
                let calls = row.left.and_then(|l| left.get(l)).zip(row.right.and_then(|r| right.get(r)));
                calls.is_some_and(|(l, r)| l.failed() == r.failed() && l.gas_used() == r.gas_used())
            };
            let any = below.iter().any(|r| r.change != CallChange::Same && !is_alike(r));
            prop_assert_eq!(row.differs, any);
        }
    }

    #[test]
    fn trace_equals_itself(a in any_call()) {
        let diff = compare(&a, &a);
        prop_assert!(diff.is_empty(), "{}", marks(&diff));
    }

    #[test]
    fn comparison_is_antisymmetric(a in any_call(), b in any_call()) {
        let (there, back) = (compare(&a, &b), compare(&b, &a));
        prop_assert_eq!(there.is_empty(), back.is_empty());
        // Equal calls may be matched differently, and then the gas may not add up.
        if let (Some(there), Some(back)) = (there.gas_breakdown, back.gas_breakdown) {
            let sum = |x: super::GasBreakdown| x.added + x.removed + x.own;
            prop_assert_eq!(sum(there), -sum(back));
        }
    }
}
