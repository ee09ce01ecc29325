//! Lays calls out on a gas axis, each inside its caller.
//!
//! The part of a caller that no call covers is its self gas. Calls are clipped to their callers, so the
//! axis is as long as the roots' gas even if a trace claims more for the inner calls.

use std::io;
use std::ops::Range;

use super::ExportScope;
use crate::trace::{CallFrame, CallTree};

/// Calls that one step of a walk adds up or visits.
const CALLS_PER_STEP: u32 = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GasEvent {
    Open { call: u32, at: u64 },
    Close { call: u32, at: u64, own_gas: u64 },
}

#[derive(Debug)]
struct GasSpan {
    call: u32,
    cursor: u64,
    end: u64,
}

/// A walk over the boundaries of the calls in a scope, in steps of some calls.
#[derive(Debug)]
pub(super) struct GasWalk {
    /// The gas of each call. Unknown gas is replaced by the sum of the children's.
    gas: Vec<u64>,
    /// The calls whose gas is not known yet: from the last to the first.
    unsummed: Range<u32>,
    /// The calls that were not visited yet.
    unvisited: Range<u32>,
    open: Vec<GasSpan>,
    /// Length of the axis so far.
    pub(super) length: u64,
}

impl GasWalk {
    pub(super) fn new(scope: &ExportScope) -> Self {
        Self {
            gas: vec![0; scope.range.len()],
            unsummed: scope.range.clone(),
            unvisited: scope.range.clone(),
            open: Vec::new(),
            length: 0,
        }
    }

    /// Begins to visit the boundaries again.
    pub(super) fn restart(&mut self, scope: &ExportScope) {
        self.unvisited = scope.range.clone();
        self.length = 0;
    }

    /// Returns the number of calls that are still to be added up or visited.
    pub(super) fn calls_left(&self) -> usize {
        self.unsummed.len() + self.unvisited.len()
    }

    /// Adds up some calls, or visits their boundaries in order. Returns `true` after the last.
    pub(super) fn step(
        &mut self,
        tree: &CallTree,
        scope: &ExportScope,
        mut visit: impl FnMut(GasEvent) -> io::Result<()>,
    ) -> io::Result<bool> {
        if !self.unsummed.is_empty() {
            self.sum_calls(tree, scope);
            return Ok(false);
        }
        let end = self.unvisited.start.saturating_add(CALLS_PER_STEP).min(self.unvisited.end);
        let next = ExportScope { range: self.unvisited.start..end, ..*scope };
        self.unvisited.start = end;
        for (call, frame) in next.calls(tree) {
            while self.open.len() > usize::from(frame.depth.saturating_sub(scope.root_depth)) {
                self.close_innermost(&mut visit)?;
            }
            let (cursor, limit) = match self.open.last_mut() {
                Some(caller) => (&mut caller.cursor, caller.end),
                None => (&mut self.length, u64::MAX),
            };
            let at = *cursor;
            let end = at.saturating_add(gas_at(&self.gas, scope, call)).min(limit);
            *cursor = end;
            visit(GasEvent::Open { call, at })?;
            self.open.push(GasSpan { call, cursor: at, end });
        }
        if !self.unvisited.is_empty() {
            return Ok(false);
        }
        while !self.open.is_empty() {
            self.close_innermost(&mut visit)?;
        }
        Ok(true)
    }

    fn close_innermost(
        &mut self,
        visit: &mut impl FnMut(GasEvent) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(GasSpan { call, cursor, end }) = self.open.pop() else { return Ok(()) };
        visit(GasEvent::Close { call, at: end, own_gas: end.saturating_sub(cursor) })
    }

    fn sum_calls(&mut self, tree: &CallTree, scope: &ExportScope) {
        let start = self.unsummed.end.saturating_sub(CALLS_PER_STEP).max(self.unsummed.start);
        for call in (start..self.unsummed.end).rev() {
            let children_gas = gas_at(&self.gas, scope, call);
            let used = tree.get(call).and_then(CallFrame::gas_used).unwrap_or(children_gas);
            if let Some(place) = self.gas.get_mut(scope.position(call)) {
                *place = used;
            }
            let parent = tree.parent(call).filter(|_| call != scope.range.start);
            if let Some(sum) = parent.and_then(|parent| self.gas.get_mut(scope.position(parent))) {
                *sum = sum.saturating_add(used);
            }
        }
        self.unsummed.end = start;
    }
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
        let scope = ExportScope::all(&tree).levels(levels);
        let mut walk = GasWalk::new(&scope);
        let mut visit = |event| {
            if let GasEvent::Close { call, at, own_gas } = event {
                closed.push((call, at, own_gas));
            }
            Ok(())
        };
        while !walk.step(&tree, &scope, &mut visit).unwrap() {}
        (closed, walk.length)
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
        for more in ["0xc8", "0xffffffffffffffff"] {
            let body = call("0x64", &[call("0x50", &call(more, "")), call(more, "")].join(","));
            let (closed, whole) = closed_calls(body, None);
            assert_eq!(whole, 100);
            assert_eq!(closed.iter().map(|(_, _, own)| own).sum::<u64>(), 100, "{more}");
        }
    }

    #[test]
    fn unknown_gas_is_the_sum_of_the_children() {
        let body = call("0x64", &call("", &call("0x0a", "")));
        assert_eq!(closed_calls(body, None).0, [(2, 10, 10), (1, 10, 0), (0, 100, 90)]);
        let root = call("", &call("0x0a", ""));
        assert_eq!(closed_calls(root, None), (vec![(1, 10, 10), (0, 10, 0)], 10));
    }
}
