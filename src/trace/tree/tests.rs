use bytes::Bytes;

use super::*;
use crate::action::Step;
use crate::chain::U256;
use crate::trace::{BodySpan, CallKind, CallOutcome, OutOfOrderFrame, TraceChunk, frame};

/// Creates frames from their depth, child index and failure.
fn frames(shape: &[(u16, u32, bool)]) -> Vec<CallFrame> {
    let frame = |(depth, nth, failed): &(u16, u32, bool)| {
        let mut frame = CallFrame::new(CallKind::Call, *depth, *nth);
        frame.set_flag(frame::FAILED, *failed);
        frame
    };
    shape.iter().map(frame).collect()
}

fn tree_of(shape: &[(u16, u32, bool)]) -> CallTree {
    let mut tree = CallTree::default();
    tree.apply_chunk(TraceChunk { frames: frames(shape), ..TraceChunk::default() });
    tree
}

/// Builds a root with calls of 7, 0x0a and 2^256 - 1 wei, the second of which failed.
fn tree_with_values() -> CallTree {
    let mut tree = CallTree::default();
    let body = format!("70x0a0x{}", "f".repeat(64));
    let mut frames = frames(&[(0, 0, false), (1, 0, false), (1, 1, true), (1, 2, false)]);
    for (frame, (at, len)) in frames.iter_mut().skip(1).zip([(0, 1), (1, 4), (5, 66)]) {
        frame.value = BodySpan::new(at, len);
        frame.set_flag(frame::HAS_VALUE, true);
    }
    tree.apply_chunk(TraceChunk { bytes: Bytes::from(body), frames, ..TraceChunk::default() });
    tree
}

const SMALL: [(u16, u32, bool); 6] =
    [(0, 0, false), (1, 0, true), (2, 0, false), (2, 1, true), (1, 1, false), (2, 0, true)];

#[test]
fn failures_roll_back_their_subtrees() {
    let tree = tree_of(&SMALL);
    let outcomes: Vec<CallOutcome> = (0..6).filter_map(|n| tree.outcome(n)).collect();
    let (succeeded, caught) = (CallOutcome::Succeeded, CallOutcome::Caught);
    assert_eq!(
        outcomes,
        [succeeded, caught, CallOutcome::RolledBack, CallOutcome::Failed, succeeded, caught]
    );
    assert_eq!(tree.outcome(6), None);
}

#[test]
fn failure_before_another_call_of_its_caller_was_caught() {
    let tree = tree_of(&[(0, 0, true), (1, 0, true), (2, 0, true), (1, 1, true)]);
    let outcomes: Vec<CallOutcome> = (0..4).filter_map(|n| tree.outcome(n)).collect();
    let (failed, caught) = (CallOutcome::Failed, CallOutcome::Caught);
    assert_eq!(outcomes, [failed, caught, failed, failed]);
}

#[test]
fn navigation_follows_paths() {
    let tree = tree_of(&SMALL);
    assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 4]);
    assert_eq!(tree.children(1).collect::<Vec<_>>(), [2, 3]);
    assert_eq!((tree.subtree(1), tree.subtree(5), tree.subtree(0)), (1..4, 5..6, 0..6));
    assert_eq!(tree.ancestors(3).collect::<Vec<_>>(), [1, 0]);
    assert_eq!((tree.path(3), tree.path(0)), (vec![0, 1], vec![]));
    assert_eq!((tree.find(&[0, 1]), tree.find(&[1, 1]), tree.find(&[])), (Some(3), None, Some(0)));
    assert_eq!((CallTree::default().roots().count(), CallTree::default().find(&[])), (0, None));
}

#[test]
fn nearest_frame_of_a_class_is_found() {
    let tree = tree_of(&SMALL);
    let next = |from| tree.nearest_of(from, FrameClass::Failed, Step::Next);
    let previous = |from| tree.nearest_of(from, FrameClass::Failed, Step::Previous);
    assert_eq!([0, 1, 5].map(next), [Some(1), Some(3), None]);
    assert_eq!([5, 2, 1].map(previous), [Some(3), Some(1), None]);
    assert_eq!(tree.subtree_totals(0).failed, 3);
    let valued = tree_with_values();
    assert_eq!(valued.nearest_of(1, FrameClass::WithValue, Step::Next), Some(2));
    assert_eq!(valued.nearest_of(1, FrameClass::WithValue, Step::Previous), None);
}

#[test]
fn totals_exclude_rolled_back_value_and_detect_overflow() {
    let mut tree = tree_with_values();
    assert_eq!(tree.subtree_totals(0).value_moved, None, "more than 256 bits");
    assert_eq!(
        tree.subtree_totals(1).value_moved,
        Some(U256::ZERO),
        "its own value is not below it"
    );
    let mut last = *tree.get(3).unwrap();
    last.set_flag(frame::FAILED, true);
    tree.apply_chunk(TraceChunk { completed: vec![(3, last)], ..TraceChunk::default() });
    assert_eq!(tree.subtree_totals(0).value_moved.unwrap(), 7);
}

#[test]
fn completed_frame_updates_outcomes_indexes_and_gas() {
    let mut tree = CallTree::default();
    let mut open = CallFrame::new(CallKind::Other, 0, 0);
    open.set_flag(frame::UNFINISHED, true);
    let mut inner = CallFrame::new(CallKind::Call, 1, 0);
    inner.set_gas(None, Some(30));
    tree.apply_chunk(TraceChunk { frames: vec![open, inner], ..TraceChunk::default() });
    assert_eq!(tree.outcome(1), Some(CallOutcome::Succeeded));
    let mut root = CallFrame::new(CallKind::Create, 0, 0);
    root.set_gas(Some(100), Some(70));
    root.set_flag(frame::FAILED, true);
    // An unknown number is ignored.
    tree.apply_chunk(TraceChunk { completed: vec![(0, root), (9, root)], ..TraceChunk::default() });
    assert_eq!(tree.outcome(1), Some(CallOutcome::RolledBack));
    assert_eq!(
        (tree.frames_of(FrameClass::Creation), tree.frames_of(FrameClass::Failed)),
        (&[0][..], &[0][..])
    );
    assert_eq!(tree.get(0).unwrap().own_gas(), Some((40, true)));
}

#[test]
fn late_entries_renumber_the_frames_after_them() {
    let mut tree = tree_of(&[(0, 0, false), (1, 1, false), (2, 0, false)]);
    let frame = CallFrame::new(CallKind::Call, 0, 0);
    let late = |path: &[u32]| OutOfOrderFrame { path: path.into(), frame };
    let summary = TraceSummary {
        out_of_order: vec![late(&[0]), late(&[0, 2]), late(&[3, 5])],
        ..TraceSummary::default()
    };
    let remap =
        tree.apply_chunk(TraceChunk { summary: Some(summary), ..TraceChunk::default() }).unwrap();
    assert_eq!([0, 1, 2].map(|frame| remap.get(frame)), [0, 3, 4]);
    let paths: Vec<Vec<u32>> = (0..tree.len()).map(|n| tree.path(n)).collect();
    assert_eq!(paths, [vec![], vec![0], vec![0, 2], vec![1], vec![1, 0], vec![5]]);
    assert_eq!((tree.orphan_count(), tree.end(1), tree.end(0)), (1, 3, 6));
    assert!(tree.summary().unwrap().out_of_order.is_empty(), "they were merged");
}
