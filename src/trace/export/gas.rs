//! Lays calls out on a gas axis, each inside its caller.
//!
//! The part of a caller that no call covers is its self gas. Calls are clipped to their callers, so the
//! axis is as long as the roots' gas even if a trace claims more for the inner calls.

use std::io;

use super::ExportScope;
use crate::trace::{CallFrame, CallTree};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GasEvent {
    Open { call: u32, at: u64 },
    Close { call: u32, at: u64, own_gas: u64 },
}

struct GasSpan {
    call: u32,
    cursor: u64,
    end: u64,
}

/// Visits the boundaries in order and returns the length of the axis.
pub(super) fn walk_gas(
    tree: &CallTree,
    scope: &ExportScope,
    mut visit: impl FnMut(GasEvent) -> io::Result<()>,
) -> io::Result<u64> {
    let gas = gas_by_call(tree, scope);
    let mut open: Vec<GasSpan> = Vec::new();
    let mut length = 0;
    for (call, frame) in scope.calls(tree) {
        while open.len() > usize::from(frame.depth.saturating_sub(scope.root_depth)) {
            close_innermost(&mut open, &mut visit)?;
        }
        let (cursor, limit) = match open.last_mut() {
            Some(caller) => (&mut caller.cursor, caller.end),
            None => (&mut length, u64::MAX),
        };
        let at = *cursor;
        let end = at.saturating_add(gas_at(&gas, scope, call)).min(limit);
        *cursor = end;
        visit(GasEvent::Open { call, at })?;
        open.push(GasSpan { call, cursor: at, end });
    }
    while !open.is_empty() {
        close_innermost(&mut open, &mut visit)?;
    }
    Ok(length)
}

fn close_innermost(
    open: &mut Vec<GasSpan>,
    visit: &mut impl FnMut(GasEvent) -> io::Result<()>,
) -> io::Result<()> {
    let Some(GasSpan { call, cursor, end }) = open.pop() else { return Ok(()) };
    visit(GasEvent::Close { call, at: end, own_gas: end.saturating_sub(cursor) })
}

/// Returns the gas of each call in the scope. Unknown gas is replaced by the sum of the children's.
fn gas_by_call(tree: &CallTree, scope: &ExportScope) -> Vec<u64> {
    let mut gas = vec![0_u64; scope.range.len()];
    for call in scope.range.clone().rev() {
        let children_gas = gas_at(&gas, scope, call);
        let used = tree.get(call).and_then(CallFrame::gas_used).unwrap_or(children_gas);
        if let Some(place) = gas.get_mut(scope.position(call)) {
            *place = used;
        }
        let parent = tree.parent(call).filter(|_| call != scope.range.start);
        if let Some(sum) = parent.and_then(|parent| gas.get_mut(scope.position(parent))) {
            *sum = sum.saturating_add(used);
        }
    }
    gas
}

fn gas_at(gas: &[u64], scope: &ExportScope, call: u32) -> u64 {
    gas.get(scope.position(call)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::parser::parse_trace;

    fn call(gas: &str, calls: &str) -> String {
        let gas = if gas.is_empty() { String::new() } else { format!(r#""gasUsed":"{gas}","#) };
        format!(r#"{{"type":"CALL",{gas}"from":"0x00","calls":[{calls}]}}"#)
    }

    fn closed_calls(body: String, levels: Option<u16>) -> (Vec<(u32, u64, u64)>, u64) {
        let tree = parse_trace(body.into());
        let mut closed = Vec::new();
        let whole = walk_gas(&tree, &ExportScope::all(&tree).levels(levels), |event| {
            if let GasEvent::Close { call, at, own_gas } = event {
                closed.push((call, at, own_gas));
            }
            Ok(())
        });
        (closed, whole.unwrap())
    }

    #[test]
    fn uncovered_gas_belongs_to_the_caller() {
        let body = call("0x64", &[call("0x1e", &call("0x5", "")), call("0x0a", "")].join(","));
        let (closed, whole) = closed_calls(body.clone(), None);
        assert_eq!(closed, [(2, 5, 5), (1, 30, 25), (3, 40, 10), (0, 100, 60)]);
        assert_eq!(whole, 100);
        let (closed, whole) = closed_calls(body, Some(1));
        assert_eq!((closed, whole), (vec![(1, 30, 30), (3, 40, 10), (0, 100, 60)], 100));
    }

    #[test]
    fn calls_are_clipped_to_their_caller() {
        let huge = "0xffffffffffffffff";
        let body = call("0x64", &[call("0x50", &call(huge, "")), call(huge, "")].join(","));
        let (closed, whole) = closed_calls(body, None);
        assert_eq!(whole, 100);
        assert_eq!(closed.iter().map(|(_, _, own)| own).sum::<u64>(), 100);
    }

    #[test]
    fn unknown_gas_is_the_sum_of_the_children() {
        let body = call("0x64", &call("", &call("0x0a", "")));
        assert_eq!(closed_calls(body, None).0, [(2, 10, 10), (1, 10, 0), (0, 100, 90)]);
        let root = call("", &call("0x0a", ""));
        assert_eq!(closed_calls(root, None), (vec![(1, 10, 10), (0, 10, 0)], 10));
    }
}
