//! Calls on one axis of gas: each lies inside its caller, and what of a caller no call covers is its
//! own. So the whole is the root's gas, whatever a trace says of the calls in it.

use std::io;

use super::ExportScope;
use crate::trace::{CallFrame, CallTree};

/// What comes next on the axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GasEvent {
    /// A call begins.
    Open { number: u32, at: u64 },
    /// The innermost call ends; it used `own` itself.
    Close { number: u32, at: u64, own: u64 },
}

/// A call that has begun.
struct GasSpan {
    number: u32,
    /// Where its next call begins.
    at: u64,
    end: u64,
}

/// Walks along the axis; where it ends.
pub(super) fn walk_gas(
    tree: &CallTree,
    scope: &ExportScope,
    mut visit: impl FnMut(GasEvent) -> io::Result<()>,
) -> io::Result<u64> {
    let gas = gas_by_call(tree, scope);
    let mut open: Vec<GasSpan> = Vec::new();
    let mut whole = 0;
    for (number, frame) in scope.calls(tree) {
        while open.len() > usize::from(frame.depth.saturating_sub(scope.root_depth)) {
            close_innermost(&mut open, &mut visit)?;
        }
        let above = open.last_mut().map(|above| (&mut above.at, above.end));
        let (cursor, room) = above.unwrap_or((&mut whole, u64::MAX));
        let at = *cursor;
        let end = at.saturating_add(gas_at(&gas, scope, number)).min(room);
        *cursor = end;
        visit(GasEvent::Open { number, at })?;
        open.push(GasSpan { number, at, end });
    }
    while !open.is_empty() {
        close_innermost(&mut open, &mut visit)?;
    }
    Ok(whole)
}

fn close_innermost(
    open: &mut Vec<GasSpan>,
    visit: &mut impl FnMut(GasEvent) -> io::Result<()>,
) -> io::Result<()> {
    let Some(GasSpan { number, at, end }) = open.pop() else { return Ok(()) };
    visit(GasEvent::Close { number, at: end, own: end.saturating_sub(at) })
}

/// The gas of each call; where a trace does not say it, at least that of the calls in it.
fn gas_by_call(tree: &CallTree, scope: &ExportScope) -> Vec<u64> {
    let mut gas = vec![0_u64; scope.range.len()];
    for number in scope.range.clone().rev() {
        let below = gas_at(&gas, scope, number);
        let used = tree.get(number).and_then(CallFrame::gas_used).unwrap_or(below);
        if let Some(own) = gas.get_mut(scope.position(number)) {
            *own = used;
        }
        let parent = tree.parent(number).filter(|_| number != scope.range.start);
        if let Some(sum) = parent.and_then(|parent| gas.get_mut(scope.position(parent))) {
            *sum = sum.saturating_add(used);
        }
    }
    gas
}

fn gas_at(gas: &[u64], scope: &ExportScope, number: u32) -> u64 {
    gas.get(scope.position(number)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::parser::parse_trace;

    /// A callTracer object: a call with this gas and these calls.
    fn call(gas: &str, calls: &str) -> String {
        let gas = if gas.is_empty() { String::new() } else { format!(r#""gasUsed":"{gas}","#) };
        format!(r#"{{"type":"CALL",{gas}"from":"0x00","calls":[{calls}]}}"#)
    }

    fn walked(body: String, levels: Option<u16>) -> (Vec<(u32, u64, u64)>, u64) {
        let tree = parse_trace(body.into());
        let mut closed = Vec::new();
        let whole = walk_gas(&tree, &ExportScope::all(&tree).levels(levels), |step| {
            if let GasEvent::Close { number, at, own } = step {
                closed.push((number, at, own));
            }
            Ok(())
        });
        (closed, whole.unwrap())
    }

    #[test]
    fn what_no_call_covers_is_the_callers_own() {
        let body = call("0x64", &[call("0x1e", &call("0x5", "")), call("0x0a", "")].join(","));
        let (closed, whole) = walked(body.clone(), None);
        assert_eq!(closed, [(2, 5, 5), (1, 30, 25), (3, 40, 10), (0, 100, 60)]);
        assert_eq!(whole, 100);
        let (closed, whole) = walked(body, Some(1));
        assert_eq!((closed, whole), (vec![(1, 30, 30), (3, 40, 10), (0, 100, 60)], 100));
    }

    #[test]
    fn calls_that_claim_more_than_their_caller_do_not_lengthen_the_axis() {
        let huge = "0xffffffffffffffff";
        let body = call("0x64", &[call("0x50", &call(huge, "")), call(huge, "")].join(","));
        let (closed, whole) = walked(body, None);
        assert_eq!(whole, 100);
        assert_eq!(closed.iter().map(|(_, _, own)| own).sum::<u64>(), 100);
    }

    #[test]
    fn a_call_of_unknown_gas_has_what_is_below_it() {
        let body = call("0x64", &call("", &call("0x0a", "")));
        assert_eq!(walked(body, None).0, [(2, 10, 10), (1, 10, 0), (0, 100, 90)]);
        let root = call("", &call("0x0a", ""));
        assert_eq!(walked(root, None), (vec![(1, 10, 10), (0, 10, 0)], 10));
    }
}
