//! Call frames.

use super::body::BodySpan;
use crate::chain::call_kind::CallKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallOutcome {
    Succeeded,
    /// It failed, and its caller failed with it, or there is none.
    Failed,
    /// It failed, and its caller succeeded, or made another call and failed for another reason.
    Caught,
    /// It succeeded, and a failed ancestor undid its effects.
    RolledBack,
}

impl CallOutcome {
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Succeeded => "✓",
            Self::Failed => "✗",
            Self::Caught => "!",
            Self::RolledBack => "∅",
        }
    }
}

/// A call frame. Text stays in the body; only the fields that every frame needs (depth, gas, outcome)
/// are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallFrame {
    pub entry: BodySpan,
    /// The caller, or the contract that selfdestructs.
    pub from: BodySpan,
    /// The callee, the created contract (absent if the creation failed), the beneficiary of a
    /// selfdestruct, or the author that a reward goes to.
    pub to: BodySpan,
    /// The value in wei, as hex.
    pub value: BodySpan,
    pub input: BodySpan,
    /// Returned data, deployed code or revert data.
    pub output: BodySpan,
    pub error: BodySpan,
    gas: u64,
    gas_used: u64,
    /// The sum of the children's known gas.
    pub(super) children_gas: u64,
    /// The parent's number, or its own for a root.
    pub(super) parent: u32,
    subtraces: u32,
    /// The last number of its `traceAddress`.
    pub child_index: u32,
    pub depth: u16,
    pub kind: CallKind,
    flags: u8,
}

const GAS_UNKNOWN: u64 = u64::MAX;
const SUBTRACES_UNKNOWN: u32 = u32::MAX;

pub(in crate::trace) const FAILED: u8 = 1;
pub(in crate::trace) const ANCESTOR_FAILED: u8 = 1 << 1;
pub(in crate::trace) const ORPHAN: u8 = 1 << 2;
pub(in crate::trace) const UNFINISHED: u8 = 1 << 3;
const CHILD_GAS_UNKNOWN: u8 = 1 << 4;
pub(in crate::trace) const HAS_VALUE: u8 = 1 << 5;
const GAS_INFERRED: u8 = 1 << 6;
const CHILD_GAS_INFERRED: u8 = 1 << 7;

impl CallFrame {
    /// Creates a frame with its kind and position only.
    pub fn new(kind: CallKind, depth: u16, nth: u32) -> Self {
        Self {
            kind,
            depth,
            child_index: nth,
            gas: GAS_UNKNOWN,
            gas_used: GAS_UNKNOWN,
            subtraces: SUBTRACES_UNKNOWN,
            ..Self::default()
        }
    }

    pub fn gas(&self) -> Option<u64> {
        (self.gas != GAS_UNKNOWN).then_some(self.gas)
    }

    /// Returns the gas used, subtree included. It may be inferred.
    pub fn gas_used(&self) -> Option<u64> {
        (self.gas_used != GAS_UNKNOWN).then_some(self.gas_used)
    }

    /// Returns the gas used if the trace states it.
    pub fn stated_gas_used(&self) -> Option<u64> {
        self.gas_used().filter(|_| !self.is_gas_inferred())
    }

    /// Returns `true` if the trace lacks the gas used, and the failure burns the whole limit.
    pub fn is_gas_inferred(&self) -> bool {
        self.has_flag(GAS_INFERRED)
    }

    /// Formats the gas used: `?` if it is unknown, with a `≈` if it is inferred.
    pub fn format_gas_used(&self, format: impl Fn(u64) -> String) -> String {
        match self.gas_used() {
            None => "?".into(),
            Some(gas) if self.is_gas_inferred() => ["≈", &format(gas)].concat(),
            Some(gas) => format(gas),
        }
    }

    /// Returns `true` if the trace states more gas used than the limit allows.
    pub fn has_impossible_gas(&self) -> bool {
        self.gas().zip(self.gas_used()).is_some_and(|(limit, used)| used > limit)
    }

    pub fn set_gas(&mut self, gas: Option<u64>, used: Option<u64>) {
        self.gas = gas.unwrap_or(GAS_UNKNOWN);
        self.gas_used = used.unwrap_or(GAS_UNKNOWN);
    }

    /// Takes the limit as the gas used, unless the trace states it.
    pub fn infer_gas_used(&mut self) {
        if let (None, Some(limit)) = (self.gas_used(), self.gas()) {
            self.gas_used = limit;
            self.set_flag(GAS_INFERRED, true);
        }
    }

    /// Returns `subtraces`, the number of children that the trace declares.
    pub fn subtraces(&self) -> Option<u32> {
        (self.subtraces != SUBTRACES_UNKNOWN).then_some(self.subtraces)
    }

    pub fn set_subtraces(&mut self, children: Option<u32>) {
        self.subtraces = children.unwrap_or(SUBTRACES_UNKNOWN);
    }

    /// Returns the self gas, and `true` if it is exact. If a child's gas is unknown, it is an upper
    /// bound.
    pub fn own_gas(&self) -> Option<(u64, bool)> {
        self.gas_used()
            .map(|used| (used.saturating_sub(self.children_gas), !self.has_flag(CHILD_GAS_UNKNOWN)))
    }

    /// Returns `true` if the self gas follows from inferred gas.
    pub fn is_own_gas_inferred(&self) -> bool {
        self.flags & (GAS_INFERRED | CHILD_GAS_INFERRED) != 0
    }

    pub fn failed(&self) -> bool {
        self.has_flag(FAILED)
    }

    pub fn has_failed_ancestor(&self) -> bool {
        self.has_flag(ANCESTOR_FAILED)
    }

    /// Returns `true` if the frame's effects last: neither it nor an ancestor failed.
    pub fn is_committed(&self) -> bool {
        self.flags & (FAILED | ANCESTOR_FAILED) == 0
    }

    /// Returns `true` if the trace lacks the frame's parent.
    pub fn is_orphan(&self) -> bool {
        self.has_flag(ORPHAN)
    }

    pub fn is_unfinished(&self) -> bool {
        self.has_flag(UNFINISHED)
    }

    pub fn has_value(&self) -> bool {
        self.has_flag(HAS_VALUE)
    }

    /// Returns `true` if the tree's indexes have the same entries for both frames.
    pub(super) fn has_same_index_keys(&self, other: &Self) -> bool {
        let keys =
            |frame: &Self| (frame.failed(), frame.kind, frame.has_value().then_some(frame.value));
        keys(self) == keys(other)
    }

    pub(super) fn add_child_gas(&mut self, child: &Self) {
        match child.gas_used() {
            Some(gas) => self.children_gas = self.children_gas.saturating_add(gas),
            None => self.set_flag(CHILD_GAS_UNKNOWN, true),
        }
        if child.is_gas_inferred() {
            self.set_flag(CHILD_GAS_INFERRED, true);
        }
    }

    pub(super) fn reset_child_gas(&mut self) {
        self.children_gas = 0;
        self.set_flag(CHILD_GAS_UNKNOWN | CHILD_GAS_INFERRED, false);
    }

    pub(super) fn completed_with(&self, completed: Self) -> Self {
        let Self { children_gas: inner, parent, child_index: nth, depth, .. } = *self;
        let mut frame = Self { children_gas: inner, parent, child_index: nth, depth, ..completed };
        for flag in [CHILD_GAS_UNKNOWN, CHILD_GAS_INFERRED] {
            frame.set_flag(flag, self.has_flag(flag));
        }
        frame.set_flag(ANCESTOR_FAILED, self.has_failed_ancestor());
        frame
    }

    fn has_flag(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(in crate::trace) fn set_flag(&mut self, flag: u8, on: bool) {
        self.flags = if on { self.flags | flag } else { self.flags & !flag };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_fits_96_bytes() {
        // Memory of a trace with a million calls.
        assert!(size_of::<CallFrame>() <= 96, "{}", size_of::<CallFrame>());
    }

    #[test]
    fn unknown_gas_is_distinct_from_zero() {
        let mut frame = CallFrame::new(CallKind::Call, 0, 0);
        assert_eq!((frame.gas(), frame.gas_used(), frame.own_gas()), (None, None, None));
        frame.set_gas(Some(0), Some(100));
        let mut child = frame;
        child.set_gas(None, Some(40));
        frame.add_child_gas(&child);
        assert_eq!(frame.own_gas(), Some((60, true)));
        frame.add_child_gas(&CallFrame::new(CallKind::Call, 1, 1));
        assert_eq!(frame.own_gas(), Some((60, false)), "at most");
    }
}
