//! Matching of sibling calls: the edit script between two sequences.

use similar::DiffTag;
use similar::algorithms::{Capture, Replace, myers};

use crate::chain::Address;
use crate::trace::{CallKind, CallTree};

/// Maximum children of two frames for a minimal edit script. Beyond it the script is heuristic, at a
/// bounded cost.
const MAX_EXACT_CHILDREN: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MatchKey {
    /// The root calls of two transactions are always matched.
    Root,
    Call(CallKind, Option<Address>, Option<[u8; 4]>),
}

impl MatchKey {
    pub(super) fn of(tree: &CallTree, number: u32) -> Self {
        let Some(frame) = tree.get(number) else { return Self::Root };
        let target = || tree.address(frame.to);
        match frame.kind {
            // The address of a created contract differs each time.
            CallKind::Create | CallKind::Create2 => Self::Call(CallKind::Create, None, None),
            CallKind::SelfDestruct => Self::Call(frame.kind, tree.address(frame.from), None),
            CallKind::CallCode => {
                Self::Call(CallKind::DelegateCall, target(), tree.selector(number))
            }
            kind => {
                let target = target();
                // Calldata of precompiles has no selector.
                let has_selector = !target.is_some_and(is_reserved_address);
                let selector = tree.selector(number).filter(|_| has_selector);
                Self::Call(kind, target, selector)
            }
        }
    }
}

fn is_reserved_address(address: Address) -> bool {
    address.0.iter().take(18).all(|byte| *byte == 0)
}

pub(super) type KeyedFrames = Vec<(u32, MatchKey)>;

pub(super) fn keyed_children(tree: &CallTree, parent: u32) -> KeyedFrames {
    tree.children(parent).map(|frame| (frame, MatchKey::of(tree, frame))).collect()
}

/// Returns all roots with their keys, where `root` is the transaction's.
pub(super) fn keyed_roots(tree: &CallTree, root: Option<u32>) -> KeyedFrames {
    let key = |frame| if Some(frame) == root { MatchKey::Root } else { MatchKey::of(tree, frame) };
    tree.roots().map(|frame| (frame, key(frame))).collect()
}

pub(super) enum EditStep {
    Match {
        left: u32,
        right: u32,
    },
    Remove(u32),
    Add(u32),
    /// Closes the row of the last open match.
    Close,
}

/// Returns the edit script between two lists of calls, the last step first.
pub(super) fn edit_script(left: &KeyedFrames, right: &KeyedFrames) -> Vec<EditStep> {
    let keys = |frames: &KeyedFrames| frames.iter().map(|(_, key)| *key).collect::<Vec<_>>();
    let (l, r) = (keys(left), keys(right));
    let mut found = Replace::new(Capture::new());
    let Ok(()) = if l.len() + r.len() <= MAX_EXACT_CHILDREN {
        myers::diff_deadline_raw(&mut found, &*l, 0..l.len(), &*r, 0..r.len(), None)
    } else {
        myers::diff(&mut found, &*l, 0..l.len(), &*r, 0..r.len())
    };
    let mut script = Vec::with_capacity(l.len().max(r.len()));
    for op in found.into_inner().into_ops() {
        let old = left.get(op.old_range()).unwrap_or_default().iter().map(|(frame, _)| *frame);
        let new = right.get(op.new_range()).unwrap_or_default().iter().map(|(frame, _)| *frame);
        if op.tag() == DiffTag::Equal {
            script.extend(old.zip(new).map(|(left, right)| EditStep::Match { left, right }));
        } else {
            script.extend(old.map(EditStep::Remove));
            script.extend(new.map(EditStep::Add));
        }
    }
    script.reverse();
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_addresses_have_two_bytes() {
        let address = |at: usize| {
            let mut bytes = [0; 20];
            bytes[at] = 1;
            is_reserved_address(bytes.into())
        };
        assert_eq!([17, 18, 19].map(address), [false, true, true]);
    }
}
