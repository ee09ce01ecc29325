//! Finds the origin of a failure, from errors and revert data alone.

use std::borrow::Cow;

use super::{BodySpan, CallFrame, CallOutcome, CallTree};

const MAX_VISITED_CHILDREN: usize = 4096;
const SELECTOR_DIGITS: usize = 8;
const WORD_DIGITS: usize = 64;

impl CallTree {
    pub fn outcome(&self, frame: u32) -> Option<CallOutcome> {
        let call = self.get(frame)?;
        Some(match (call.failed(), call.has_failed_ancestor()) {
            (true, _) if is_survived(self, frame) => CallOutcome::Caught,
            (true, _) => CallOutcome::Failed,
            (false, true) => CallOutcome::RolledBack,
            (false, false) => CallOutcome::Succeeded,
        })
    }
}

/// Returns `true` if the caller of a failed frame succeeded, or made another call after it and failed for another
/// reason.
fn is_survived(tree: &CallTree, frame: u32) -> bool {
    let Some(parent) = tree.parent(frame) else { return false };
    let has_failed = tree.get(parent).is_some_and(CallFrame::failed);
    !has_failed || (tree.end(frame) < tree.end(parent) && !is_passed_up(tree, frame))
}

/// The path of a failure upwards from its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevertOrigin {
    pub path: Vec<u32>,
    /// The last failed child of the origin, whose revert data the origin replaced.
    pub rethrown: Option<u32>,
    /// `true` if a caller put the revert data into an error of its own.
    pub is_wrapped: bool,
}

impl RevertOrigin {
    pub fn frame(&self) -> Option<u32> {
        self.path.last().copied()
    }
}

/// Finds the origin of a frame's failure, or returns `None` if the frame did not fail.
///
/// Follows the last failed child while its revert data equals the parent's or is an argument of the
/// parent's, or while the parent has no revert data and this was its last call.
pub fn find_origin(tree: &CallTree, frame: u32) -> Option<RevertOrigin> {
    tree.get(frame).filter(|f| f.failed())?;
    let mut path = vec![frame];
    let mut above = frame;
    let mut is_wrapped = false;
    loop {
        let child = last_failed_child(tree, above);
        match child.map(|child| (child, passed_on(tree, above, child))) {
            None | Some((_, Passed::Replaced)) => {
                return Some(RevertOrigin { path, rethrown: child, is_wrapped });
            }
            Some((child, passed)) => {
                is_wrapped |= passed == Passed::Wrapped;
                path.push(child);
                above = child;
            }
        }
    }
}

/// Returns `true` if a frame's failure began in the frame itself. Returns `false` for a frame with too
/// many children to look at.
pub fn is_origin(tree: &CallTree, frame: u32) -> bool {
    tree.children(frame).nth(MAX_VISITED_CHILDREN).is_none()
        && last_failed_child(tree, frame)
            .is_none_or(|child| passed_on(tree, frame, child) == Passed::Replaced)
}

fn last_failed_child(tree: &CallTree, frame: u32) -> Option<u32> {
    tree.children(frame).filter(|child| tree.get(*child).is_some_and(CallFrame::failed)).last()
}

/// Returns `true` if the failure of a frame is the one of its caller, which has its data or none.
pub fn is_passed_up(tree: &CallTree, frame: u32) -> bool {
    tree.parent(frame).is_some_and(|parent| {
        tree.get(parent).is_some_and(CallFrame::failed)
            // Reads no data, and holds for one child at most.
            && !fails_after(tree, parent, frame)
            && passed_on(tree, parent, frame) != Passed::Replaced
    })
}

/// Returns `true` if another call of the same caller failed after a frame.
fn fails_after(tree: &CallTree, parent: u32, frame: u32) -> bool {
    let end = tree.end(parent);
    let next = |after: u32| Some(tree.end(after)).filter(|next| *next < end);
    let mut later = std::iter::successors(next(frame), |call| next(*call));
    later.any(|call| tree.get(call).is_some_and(CallFrame::failed))
}

pub fn outermost_failure(tree: &CallTree, frame: u32) -> Option<u32> {
    std::iter::once(frame)
        .chain(tree.ancestors(frame))
        .filter(|f| tree.get(*f).is_some_and(CallFrame::failed))
        .last()
}

/// A call's reaction to the failure of its last failed child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passed {
    Unchanged,
    Wrapped,
    Replaced,
}

fn passed_on(tree: &CallTree, above: u32, child: u32) -> Passed {
    let output = |f: u32| tree.get(f).map_or(BodySpan::NONE, |f| f.output);
    let (ours, theirs) = (revert_data(tree, output(above)), revert_data(tree, output(child)));
    // Without data the last call decides.
    let is_unchanged =
        if ours.is_empty() { tree.end(child) == tree.end(above) } else { ours == theirs };
    match is_unchanged {
        true => Passed::Unchanged,
        false if has_argument(&ours, &theirs) => Passed::Wrapped,
        false => Passed::Replaced,
    }
}

/// Returns `true` if one error contains another as an argument: its length in a word, then its bytes.
/// Both are hex digits.
fn has_argument(error: &[u8], inner: &[u8]) -> bool {
    let Some(arguments) = error.get(SELECTOR_DIGITS..).filter(|_| inner.len() >= SELECTOR_DIGITS)
    else {
        return false;
    };
    let mut starts = (WORD_DIGITS..arguments.len()).step_by(WORD_DIGITS);
    starts.any(|at| {
        let length = arguments
            .get(at - 16..at)
            .and_then(|word| u64::from_str_radix(str::from_utf8(word).ok()?, 16).ok());
        length == Some(inner.len() as u64 / 2)
            && arguments.get(at..).is_some_and(|rest| rest.starts_with(inner))
    })
}

fn revert_data(tree: &CallTree, span: BodySpan) -> Cow<'_, [u8]> {
    match tree.body.bytes(span) {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(b"0x").unwrap_or(text)),
        Cow::Owned(text) => Cow::Owned(text.strip_prefix(b"0x").unwrap_or(&text).to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::test_util::{SampleCall, sample_tree};

    const REASON: &str = "0x08c379a0";
    const OTHER: &str = "0x4e487b71";

    fn path(calls: &[SampleCall]) -> (Vec<u32>, Option<u32>) {
        let found = find_origin(&sample_tree(calls), 0).unwrap();
        (found.path, found.rethrown)
    }

    #[test]
    fn failure_is_passed_up_with_its_data() {
        let is_passed_up = |caller: &str, called: &str| {
            let calls = [SampleCall::at(&[]).failed(caller), SampleCall::at(&[0]).failed(called)];
            super::is_passed_up(&sample_tree(&calls), 1)
        };
        assert!(is_passed_up(REASON, REASON) && is_passed_up("0x", "0x"));
        assert!(!is_passed_up(OTHER, REASON) && is_passed_up("0x", REASON));
    }

    #[test]
    fn failure_that_is_passed_up_is_not_caught() {
        let outcomes = |root: &str, after: SampleCall| {
            let calls =
                [SampleCall::at(&[]).failed(root), SampleCall::at(&[0]).failed(REASON), after];
            let tree = sample_tree(&calls);
            let path = find_origin(&tree, 0).unwrap().path;
            (tree.outcome(1).unwrap(), path)
        };
        let logged = || SampleCall::at(&[1]);
        // Reverted with the data of the call, after another one.
        assert_eq!(outcomes(REASON, logged()), (CallOutcome::Failed, vec![0, 1]));
        assert_eq!(outcomes(OTHER, logged()), (CallOutcome::Caught, vec![0]));
        let again = outcomes(REASON, logged().failed(REASON));
        assert_eq!(again, (CallOutcome::Caught, vec![0, 2]), "the later one failed it");
    }

    #[test]
    fn direct_revert_is_its_own_origin() {
        let calls = [SampleCall::at(&[]).failed(REASON), SampleCall::at(&[0])];
        assert_eq!(path(&calls), (vec![0], None));
        assert_eq!(find_origin(&sample_tree(&calls), 1), None, "it did not fail");
    }

    #[test]
    fn unchanged_revert_data_is_followed_down() {
        let down = [
            SampleCall::at(&[]),
            SampleCall::at(&[0]),
            SampleCall::at(&[1]),
            SampleCall::at(&[1, 0]),
        ];
        let calls = down.map(|call| if call.path == [0] { call } else { call.failed(REASON) });
        assert_eq!(path(&calls), (vec![0, 2, 3], None));
        let origins = [0, 2, 3].map(|frame| is_origin(&sample_tree(&calls), frame));
        assert_eq!(origins, [false, false, true]);
    }

    #[test]
    fn replaced_revert_data_ends_the_path() {
        let calls = [SampleCall::at(&[]).failed(OTHER), SampleCall::at(&[0]).failed(REASON)];
        assert_eq!(path(&calls), (vec![0], Some(1)));
    }

    #[test]
    fn wrapped_revert_data_is_followed_down() {
        let word = |n: usize| format!("{n:064x}");
        let wrapped =
            |inner: &str| ["0x3d71d898", &word(32), &word(4), inner, &"0".repeat(56)].concat();
        for (inner, expected) in [("08c379a0", vec![0, 1]), ("08c379a1", vec![0])] {
            let data = wrapped(inner);
            let calls = [SampleCall::at(&[]).failed(&data), SampleCall::at(&[0]).failed(REASON)];
            let found = find_origin(&sample_tree(&calls), 0).unwrap();
            assert_eq!((found.is_wrapped, found.path), (expected.len() > 1, expected));
        }
    }

    #[test]
    fn failure_without_data_is_wrapped_by_no_error() {
        let wrapped = format!("0x3d71d898{:064x}{:064x}{:064x}", 32, 0, 0);
        let calls = [
            SampleCall::at(&[]).failed(&wrapped),
            SampleCall::at(&[0]).failed("0x"),
            SampleCall::at(&[1]),
        ];
        let found = find_origin(&sample_tree(&calls), 0).unwrap();
        assert_eq!((found.path, found.is_wrapped), (vec![0], false));
    }

    #[test]
    fn too_many_calls_are_not_searched_for_an_origin() {
        let calls = |children: u32| {
            let below = (0..children).map(|n| SampleCall::at(&[n]));
            [SampleCall::at(&[]).failed(REASON)].into_iter().chain(below).collect::<Vec<_>>()
        };
        let most = u32::try_from(MAX_VISITED_CHILDREN).unwrap();
        let found = [most, most + 1].map(|count| is_origin(&sample_tree(&calls(count)), 0));
        assert_eq!(found, [true, false]);
    }

    #[test]
    fn caught_failure_is_not_the_origin_of_a_later_one() {
        // The root reverted without data after another call succeeded.
        let calls = [
            SampleCall::at(&[]).failed("0x"),
            SampleCall::at(&[0]).failed(REASON),
            SampleCall::at(&[1]),
        ];
        assert_eq!(path(&calls), (vec![0], Some(1)));
    }

    #[test]
    fn without_revert_data_the_last_call_is_followed() {
        // Out of gas below: the caller has no data.
        let calls = [
            SampleCall::at(&[]).failed("0x"),
            SampleCall::at(&[0]),
            SampleCall::at(&[1]).failed("0x"),
        ];
        assert_eq!(path(&calls), (vec![0, 2], None));
    }

    #[test]
    fn outermost_failure_is_found_from_its_subtree() {
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
