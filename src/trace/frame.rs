//! One call frame.

use super::input_data::BodySpan;

/// What a frame does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
#[expect(missing_docs, reason = "the words of the field")]
pub enum CallKind {
    #[default]
    Call,
    StaticCall,
    DelegateCall,
    CallCode,
    Create,
    Create2,
    /// Also written `suicide`.
    SelfDestruct,
    /// Of a block, not of a transaction: only some nodes list it.
    Reward,
    /// A type that is not known here; the entry itself says which.
    Other,
}

impl CallKind {
    /// Returns the name that traces and tools use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::StaticCall => "staticcall",
            Self::DelegateCall => "delegatecall",
            Self::CallCode => "callcode",
            Self::Create => "create",
            Self::Create2 => "create2",
            Self::SelfDestruct => "selfdestruct",
            Self::Reward => "reward",
            Self::Other => "unknown",
        }
    }

    /// Returns the name in at most four characters.
    pub fn abbreviation(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::StaticCall => "stat",
            Self::DelegateCall => "dele",
            Self::CallCode => "code",
            Self::Create => "new",
            Self::Create2 => "new2",
            Self::SelfDestruct => "dest",
            Self::Reward => "rewd",
            Self::Other => "?",
        }
    }

    /// Whether its value leaves one account for another. The others repeat the value of the call
    /// that they run in, or have none.
    pub fn moves_value(self) -> bool {
        matches!(self, Self::Call | Self::Create | Self::Create2 | Self::SelfDestruct)
    }

    /// Whether it runs foreign code as its own.
    pub fn is_delegated(self) -> bool {
        matches!(self, Self::DelegateCall | Self::CallCode)
    }

    /// Whether it makes a contract.
    pub fn creates(self) -> bool {
        matches!(self, Self::Create | Self::Create2)
    }
}

/// What became of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallOutcome {
    /// It succeeded, and so did all above it.
    Succeeded,
    /// It failed, and so did its caller, or it has none.
    Failed,
    /// It failed, but its caller did not.
    Caught,
    /// It succeeded, but a frame above it failed.
    RolledBack,
}

impl CallOutcome {
    /// Returns a one-character symbol.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Succeeded => "✓",
            Self::Failed => "✗",
            Self::Caught => "!",
            Self::RolledBack => "∅",
        }
    }
}

/// One call frame. What is text in the body stays there; only what every frame is asked for
/// (depth, gas, outcome) is read out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallFrame {
    /// The entry itself.
    pub entry: BodySpan,
    /// The caller; of a selfdestruct the contract that goes.
    pub from: BodySpan,
    /// The callee, the created contract (absent when the creation failed), the account that gets
    /// what a selfdestruct leaves, or the author that gets a reward.
    pub to: BodySpan,
    /// In wei, in hex.
    pub value: BodySpan,
    /// Calldata, or the code that creates.
    pub input: BodySpan,
    /// What it returned: data, code, or the reason of a revert.
    pub output: BodySpan,
    /// The node's word for a failure.
    pub error: BodySpan,
    gas: u64,
    gas_used: u64,
    /// The sum of the children's gas, as far as it is known.
    pub(super) children_gas: u64,
    /// The frame it is in; itself for a root.
    pub(super) parent: u32,
    /// How many children the trace says that it has.
    subtraces: u32,
    /// The last number of its path.
    pub child_index: u32,
    /// How many frames are above it.
    pub depth: u16,
    /// What it does.
    pub kind: CallKind,
    flags: u8,
}

/// Gas that the trace does not say.
const GAS_UNKNOWN: u64 = u64::MAX;
/// A number of children that the trace does not say.
const SUBTRACES_UNKNOWN: u32 = u32::MAX;

const FAILED: u8 = 1;
const ANCESTOR_FAILED: u8 = 1 << 1;
const ORPHAN: u8 = 1 << 2;
const UNFINISHED: u8 = 1 << 3;
const CHILD_GAS_UNKNOWN: u8 = 1 << 4;
const HAS_VALUE: u8 = 1 << 5;

impl CallFrame {
    /// A frame of which nothing is known but where it stands.
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

    /// The gas it was given.
    pub fn gas(&self) -> Option<u64> {
        (self.gas != GAS_UNKNOWN).then_some(self.gas)
    }

    /// The gas that it and all below it used.
    pub fn gas_used(&self) -> Option<u64> {
        (self.gas_used != GAS_UNKNOWN).then_some(self.gas_used)
    }

    /// Sets what the trace says of gas.
    pub fn set_gas(&mut self, gas: Option<u64>, used: Option<u64>) {
        (self.gas, self.gas_used) = (gas.unwrap_or(GAS_UNKNOWN), used.unwrap_or(GAS_UNKNOWN));
    }

    /// How many children the trace says that it has: its `subtraces`.
    pub fn subtraces(&self) -> Option<u32> {
        (self.subtraces != SUBTRACES_UNKNOWN).then_some(self.subtraces)
    }

    /// Sets how many children the trace says that it has.
    pub fn set_subtraces(&mut self, children: Option<u32>) {
        self.subtraces = children.unwrap_or(SUBTRACES_UNKNOWN);
    }

    /// The gas it used itself, and whether that is exact: where a child's gas is unknown it is at
    /// most this much.
    pub fn own_gas(&self) -> Option<(u64, bool)> {
        self.gas_used()
            .map(|used| (used.saturating_sub(self.children_gas), !self.has_flag(CHILD_GAS_UNKNOWN)))
    }

    /// Whether the node says that it failed.
    pub fn failed(&self) -> bool {
        self.has_flag(FAILED)
    }

    /// Whether a frame above it failed.
    pub fn has_failed_ancestor(&self) -> bool {
        self.has_flag(ANCESTOR_FAILED)
    }

    /// Whether what it did remains.
    pub fn is_committed(&self) -> bool {
        self.flags & (FAILED | ANCESTOR_FAILED) == 0
    }

    /// Whether its parent is missing in the trace.
    pub fn is_orphan(&self) -> bool {
        self.has_flag(ORPHAN)
    }

    /// Whether its end has not been read yet.
    pub fn is_unfinished(&self) -> bool {
        self.has_flag(UNFINISHED)
    }

    /// Whether its value is something else than zero.
    pub fn has_value(&self) -> bool {
        self.has_flag(HAS_VALUE)
    }

    /// Marks it as failed.
    pub fn set_failed(&mut self, is: bool) {
        self.set_flag(FAILED, is);
    }

    /// Marks it as having a value.
    pub fn set_has_value(&mut self, is: bool) {
        self.set_flag(HAS_VALUE, is);
    }

    /// Marks it as one whose end has not been read yet.
    pub fn set_unfinished(&mut self, is: bool) {
        self.set_flag(UNFINISHED, is);
    }

    pub(super) fn set_orphan(&mut self, is: bool) {
        self.set_flag(ORPHAN, is);
    }

    pub(super) fn set_failed_ancestor(&mut self, is: bool) {
        self.set_flag(ANCESTOR_FAILED, is);
    }

    /// Whether it is found among the same sorts of frames as another, with the same value.
    pub(super) fn has_same_index_keys(&self, other: &Self) -> bool {
        let sorts = |frame: &Self| {
            let value = frame.has_value().then_some((frame.value, frame.kind.moves_value()));
            (frame.failed(), frame.kind.creates(), frame.kind.is_delegated(), value)
        };
        sorts(self) == sorts(other)
    }

    /// Takes the gas of a child into account.
    pub(super) fn add_child_gas(&mut self, child: Option<u64>) {
        match child {
            Some(gas) => self.children_gas = self.children_gas.saturating_add(gas),
            None => self.set_flag(CHILD_GAS_UNKNOWN, true),
        }
    }

    /// Forgets what is known of the children's gas.
    pub(super) fn reset_child_gas(&mut self) {
        self.children_gas = 0;
        self.set_flag(CHILD_GAS_UNKNOWN, false);
    }

    /// This frame with what was read of it since, in the place where it stands.
    pub(super) fn completed_with(&self, filled: Self) -> Self {
        let Self { children_gas: inner, parent, child_index: nth, depth, .. } = *self;
        let mut frame = Self { children_gas: inner, parent, child_index: nth, depth, ..filled };
        frame.set_flag(CHILD_GAS_UNKNOWN, self.has_flag(CHILD_GAS_UNKNOWN));
        frame.set_failed_ancestor(self.has_failed_ancestor());
        frame
    }

    fn has_flag(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    fn set_flag(&mut self, flag: u8, is: bool) {
        self.flags = if is { self.flags | flag } else { self.flags & !flag };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_stays_small() {
        // A million of them are held beside the body.
        assert!(size_of::<CallFrame>() <= 96, "{}", size_of::<CallFrame>());
    }

    #[test]
    fn unknown_gas_is_not_zero() {
        let mut frame = CallFrame::new(CallKind::Call, 0, 0);
        assert_eq!((frame.gas(), frame.gas_used(), frame.own_gas()), (None, None, None));
        frame.set_gas(Some(0), Some(100));
        frame.add_child_gas(Some(40));
        assert_eq!(frame.own_gas(), Some((60, true)));
        frame.add_child_gas(None);
        assert_eq!(frame.own_gas(), Some((60, false)), "at most");
    }
}
