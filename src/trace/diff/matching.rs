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
    /// A delegatecall of a caller, into any code.
    AnyCode(Option<Address>, Option<[u8; 4]>),
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

/// Returns the key without the called code, which an upgrade replaces.
fn key_without_code(tree: &CallTree, number: u32, key: MatchKey) -> MatchKey {
    match key {
        MatchKey::Call(CallKind::DelegateCall, _, selector) => {
            let caller = tree.get(number).and_then(|frame| tree.address(frame.from));
            MatchKey::AnyCode(caller, selector)
        }
        key => key,
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
pub(super) fn edit_script(
    [left, right]: [&CallTree; 2],
    [old, new]: [&[(u32, MatchKey)]; 2],
) -> Vec<EditStep> {
    let mut script = Vec::with_capacity(old.len().max(new.len()));
    add_steps([old, new], &mut script, &|[old, new], script| {
        let without_code = |tree, calls: &[(u32, MatchKey)]| -> KeyedFrames {
            calls.iter().map(|(call, key)| (*call, key_without_code(tree, *call, *key))).collect()
        };
        let (old, new) = (without_code(left, old), without_code(right, new));
        add_steps([&old, &new], script, &|[old, new], script| {
            script.extend(old.iter().map(|(call, _)| EditStep::Remove(*call)));
            script.extend(new.iter().map(|(call, _)| EditStep::Add(*call)));
        });
    });
    script.reverse();
    script
}

/// Adds the steps for calls of two lists without a match.
type UnmatchedSteps<'a> = &'a dyn Fn([&[(u32, MatchKey)]; 2], &mut Vec<EditStep>);

/// Adds the matches between two lists, and the steps for calls without a match.
fn add_steps(
    [old, new]: [&[(u32, MatchKey)]; 2],
    script: &mut Vec<EditStep>,
    add_unmatched: UnmatchedSteps<'_>,
) {
    let keys = |frames: &[(u32, MatchKey)]| frames.iter().map(|(_, key)| *key).collect::<Vec<_>>();
    let (l, r) = (keys(old), keys(new));
    let mut found = Replace::new(Capture::new());
    let Ok(()) = if l.len() + r.len() <= MAX_EXACT_CHILDREN {
        myers::diff_deadline_raw(&mut found, &*l, 0..l.len(), &*r, 0..r.len(), None)
    } else {
        myers::diff(&mut found, &*l, 0..l.len(), &*r, 0..r.len())
    };
    for op in found.into_inner().into_ops() {
        let old = old.get(op.old_range()).unwrap_or_default();
        let new = new.get(op.new_range()).unwrap_or_default();
        if op.tag() == DiffTag::Equal {
            let pairs = old.iter().zip(new);
            script.extend(pairs.map(|((l, _), (r, _))| EditStep::Match { left: *l, right: *r }));
        } else {
            add_unmatched([old, new], script);
        }
    }
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
