//! Where a failure began: without opcodes, from errors and revert data alone.

use super::{BodySpan, CallFrame, CallTree};

/// How a failure came up from where it began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevertOrigin {
    /// From the frame that was asked about down to the origin.
    pub path: Vec<u32>,
    /// The failing call below the origin whose reason the origin did not pass on: it failed for
    /// another reason, or because of that one.
    pub rethrown: Option<u32>,
}

impl RevertOrigin {
    /// The frame where it began.
    pub fn frame(&self) -> Option<u32> {
        self.path.last().copied()
    }
}

/// Follows a failure down: to the last failing child, as long as that one's revert data are the
/// parent's own, or the parent has none and the child was its last. None when `frame` did not fail.
pub fn origin(tree: &CallTree, frame: u32) -> Option<RevertOrigin> {
    tree.get(frame).filter(|f| f.failed())?;
    let mut path = vec![frame];
    let mut above = frame;
    loop {
        let (last, failing) = last_children(tree, above);
        let Some(child) = failing else { return Some(RevertOrigin { path, rethrown: None }) };
        if !propagates_revert(tree, above, child, last) {
            return Some(RevertOrigin { path, rethrown: Some(child) });
        }
        path.push(child);
        above = child;
    }
}

/// The outermost failing frame that a frame is in: itself, or one above it.
pub fn outermost_failure(tree: &CallTree, frame: u32) -> Option<u32> {
    let failed = |f: &u32| tree.get(*f).is_some_and(CallFrame::failed);
    std::iter::once(frame).chain(tree.ancestors(frame)).filter(failed).last()
}

fn last_children(tree: &CallTree, frame: u32) -> (Option<u32>, Option<u32>) {
    let failed = |f: &u32| tree.get(*f).is_some_and(CallFrame::failed);
    let (mut last, mut failing) = (None, None);
    for child in tree.children(frame) {
        last = Some(child);
        if failed(&child) {
            failing = last;
        }
    }
    (last, failing)
}

fn propagates_revert(tree: &CallTree, above: u32, child: u32, last: Option<u32>) -> bool {
    let output = |f: u32| tree.get(f).map_or(BodySpan::NONE, |f| f.output);
    let (ours, theirs) = (revert_data(tree, output(above)), revert_data(tree, output(child)));
    if ours.is_empty() { last == Some(child) } else { ours == theirs }
}

/// Revert data as they stand in the body, without `0x`.
fn revert_data(tree: &CallTree, span: BodySpan) -> std::borrow::Cow<'_, [u8]> {
    match tree.body.bytes(span) {
        std::borrow::Cow::Borrowed(text) => {
            std::borrow::Cow::Borrowed(text.strip_prefix(b"0x").unwrap_or(text))
        }
        std::borrow::Cow::Owned(text) => {
            std::borrow::Cow::Owned(text.strip_prefix(b"0x").unwrap_or(&text).to_vec())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::test_util::{SampleCall, sample_tree};

    const REASON: &str = "0x08c379a0";
    const OTHER: &str = "0x4e487b71";

    fn path(calls: &[SampleCall]) -> (Vec<u32>, Option<u32>) {
        let found = origin(&sample_tree(calls), 0).unwrap();
        (found.path, found.rethrown)
    }

    #[test]
    fn a_direct_revert_began_where_it_shows() {
        let calls = [SampleCall::at(&[]).failed(REASON), SampleCall::at(&[0])];
        assert_eq!(path(&calls), (vec![0], None));
        assert_eq!(origin(&sample_tree(&calls), 1), None, "it did not fail");
    }

    #[test]
    fn a_reason_that_came_up_unchanged_is_followed_down() {
        let down = [
            SampleCall::at(&[]),
            SampleCall::at(&[0]),
            SampleCall::at(&[1]),
            SampleCall::at(&[1, 0]),
        ];
        let calls = down.map(|call| if call.path == [0] { call } else { call.failed(REASON) });
        assert_eq!(path(&calls), (vec![0, 2, 3], None));
    }

    #[test]
    fn another_reason_ends_the_way_and_says_what_was_hidden() {
        let calls = [SampleCall::at(&[]).failed(OTHER), SampleCall::at(&[0]).failed(REASON)];
        assert_eq!(path(&calls), (vec![0], Some(1)));
    }

    #[test]
    fn a_caught_failure_is_not_the_origin_of_a_later_one() {
        // The first failure was caught; the root reverted by itself, without data, after another call.
        let calls = [
            SampleCall::at(&[]).failed("0x"),
            SampleCall::at(&[0]).failed(REASON),
            SampleCall::at(&[1]),
        ];
        assert_eq!(path(&calls), (vec![0], Some(1)));
    }

    #[test]
    fn without_data_the_last_call_is_to_blame() {
        // Out of gas below: the caller has no data of its own.
        let calls = [
            SampleCall::at(&[]).failed("0x"),
            SampleCall::at(&[0]),
            SampleCall::at(&[1]).failed("0x"),
        ];
        assert_eq!(path(&calls), (vec![0, 2], None));
    }

    #[test]
    fn the_outermost_failure_is_found_from_anywhere_in_it() {
        let calls = [
            SampleCall::at(&[]),
            SampleCall::at(&[0]).failed(REASON),
            SampleCall::at(&[0, 0]),
            SampleCall::at(&[1]),
        ];
        let tree = sample_tree(&calls);
        assert_eq!((outermost_failure(&tree, 2), outermost_failure(&tree, 3)), (Some(1), None));
    }
}
