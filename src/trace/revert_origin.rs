//! Where a failure began: without opcodes, from errors and revert data alone.

use super::{Frame, Span, Tree};

/// How a failure came up from where it began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revert {
    /// From the frame that was asked about down to the origin.
    pub path: Vec<u32>,
    /// The failing call below the origin whose reason the origin did not pass on: it failed for
    /// another reason, or because of that one.
    pub rethrown: Option<u32>,
}

impl Revert {
    /// The frame where it began.
    pub fn origin(&self) -> Option<u32> {
        self.path.last().copied()
    }
}

/// Follows a failure down: to the last failing child, as long as that one's revert data are the
/// parent's own, or the parent has none and the child was its last. None when `frame` did not fail.
pub fn origin(tree: &Tree, frame: u32) -> Option<Revert> {
    tree.get(frame).filter(|f| f.failed())?;
    let mut path = vec![frame];
    let mut above = frame;
    loop {
        let (last, failing) = last_children(tree, above);
        let Some(child) = failing else { return Some(Revert { path, rethrown: None }) };
        if !passes_on(tree, above, child, last) {
            return Some(Revert { path, rethrown: Some(child) });
        }
        path.push(child);
        above = child;
    }
}

/// The outermost failing frame that a frame is in: itself, or one above it.
pub fn outermost(tree: &Tree, frame: u32) -> Option<u32> {
    let failed = |f: &u32| tree.get(*f).is_some_and(Frame::failed);
    std::iter::once(frame).chain(tree.above(frame)).filter(failed).last()
}

fn last_children(tree: &Tree, frame: u32) -> (Option<u32>, Option<u32>) {
    let failed = |f: &u32| tree.get(*f).is_some_and(Frame::failed);
    let (mut last, mut failing) = (None, None);
    for child in tree.children(frame) {
        last = Some(child);
        if failed(&child) {
            failing = last;
        }
    }
    (last, failing)
}

fn passes_on(tree: &Tree, above: u32, child: u32, last: Option<u32>) -> bool {
    let output = |f: u32| tree.get(f).map_or(Span::NONE, |f| f.output);
    let (ours, theirs) = (data(tree, output(above)), data(tree, output(child)));
    if ours.is_empty() { last == Some(child) } else { ours == theirs }
}

/// Revert data as they stand in the body, without `0x`.
fn data(tree: &Tree, span: Span) -> std::borrow::Cow<'_, [u8]> {
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
    use crate::trace::test_util::{Call, tree};

    const REASON: &str = "0x08c379a0";
    const OTHER: &str = "0x4e487b71";

    fn path(calls: &[Call]) -> (Vec<u32>, Option<u32>) {
        let found = origin(&tree(calls), 0).unwrap();
        (found.path, found.rethrown)
    }

    #[test]
    fn a_direct_revert_began_where_it_shows() {
        let calls = [Call::at(&[]).failed(REASON), Call::at(&[0])];
        assert_eq!(path(&calls), (vec![0], None));
        assert_eq!(origin(&tree(&calls), 1), None, "it did not fail");
    }

    #[test]
    fn a_reason_that_came_up_unchanged_is_followed_down() {
        let down = [Call::at(&[]), Call::at(&[0]), Call::at(&[1]), Call::at(&[1, 0])];
        let calls = down.map(|call| if call.path == [0] { call } else { call.failed(REASON) });
        assert_eq!(path(&calls), (vec![0, 2, 3], None));
    }

    #[test]
    fn another_reason_ends_the_way_and_says_what_was_hidden() {
        let calls = [Call::at(&[]).failed(OTHER), Call::at(&[0]).failed(REASON)];
        assert_eq!(path(&calls), (vec![0], Some(1)));
    }

    #[test]
    fn a_caught_failure_is_not_the_origin_of_a_later_one() {
        // The first failure was caught; the root reverted by itself, without data, after another call.
        let calls = [Call::at(&[]).failed("0x"), Call::at(&[0]).failed(REASON), Call::at(&[1])];
        assert_eq!(path(&calls), (vec![0], Some(1)));
    }

    #[test]
    fn without_data_the_last_call_is_to_blame() {
        // Out of gas below: the caller has no data of its own.
        let calls = [Call::at(&[]).failed("0x"), Call::at(&[0]), Call::at(&[1]).failed("0x")];
        assert_eq!(path(&calls), (vec![0, 2], None));
    }

    #[test]
    fn the_outermost_failure_is_found_from_anywhere_in_it() {
        let calls =
            [Call::at(&[]), Call::at(&[0]).failed(REASON), Call::at(&[0, 0]), Call::at(&[1])];
        let tree = tree(&calls);
        assert_eq!((outermost(&tree, 2), outermost(&tree, 3)), (Some(1), None));
    }
}
