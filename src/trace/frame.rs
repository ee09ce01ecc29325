//! One call frame.

use super::input_data::Span;

/// What a frame does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
#[expect(missing_docs, reason = "the words of the field")]
pub enum Kind {
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

impl Kind {
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
pub enum Outcome {
    /// It succeeded, and so did all above it.
    Kept,
    /// It failed, and so did its caller, or it has none.
    Failed,
    /// It failed, but its caller did not.
    Caught,
    /// It succeeded, but a frame above it failed.
    Undone,
}

/// One call frame. What is text in the body stays there; only what every frame is asked for
/// (depth, gas, outcome) is read out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Frame {
    /// The entry itself.
    pub entry: Span,
    /// The caller; of a selfdestruct the contract that goes.
    pub from: Span,
    /// The callee, the created contract (absent when the creation failed), the account that gets
    /// what a selfdestruct leaves, or the author that gets a reward.
    pub to: Span,
    /// In wei, in hex.
    pub value: Span,
    /// Calldata, or the code that creates.
    pub input: Span,
    /// What it returned: data, code, or the reason of a revert.
    pub output: Span,
    /// The node's word for a failure.
    pub error: Span,
    gas: u64,
    used: u64,
    /// The sum of the children's gas, as far as it is known.
    pub(super) inner: u64,
    /// The frame it is in; itself for a root.
    pub(super) parent: u32,
    /// How many children the trace says that it has.
    children: u32,
    /// The last number of its path.
    pub nth: u32,
    /// How many frames are above it.
    pub depth: u16,
    /// What it does.
    pub kind: Kind,
    flags: u8,
}

/// Gas that the trace does not say.
const UNSAID: u64 = u64::MAX;
/// A number of children that the trace does not say.
const UNCOUNTED: u32 = u32::MAX;

const FAILED: u8 = 1;
const UNDONE: u8 = 1 << 1;
const STRAY: u8 = 1 << 2;
const OPEN: u8 = 1 << 3;
const PARTLY: u8 = 1 << 4;
const VALUED: u8 = 1 << 5;

impl Frame {
    /// A frame of which nothing is known but where it stands.
    pub fn new(kind: Kind, depth: u16, nth: u32) -> Self {
        Self { kind, depth, nth, gas: UNSAID, used: UNSAID, children: UNCOUNTED, ..Self::default() }
    }

    /// The gas it was given.
    pub fn gas(&self) -> Option<u64> {
        (self.gas != UNSAID).then_some(self.gas)
    }

    /// The gas that it and all below it used.
    pub fn used(&self) -> Option<u64> {
        (self.used != UNSAID).then_some(self.used)
    }

    /// Sets what the trace says of gas.
    pub fn set_gas(&mut self, gas: Option<u64>, used: Option<u64>) {
        (self.gas, self.used) = (gas.unwrap_or(UNSAID), used.unwrap_or(UNSAID));
    }

    /// How many children the trace says that it has: its `subtraces`.
    pub fn children(&self) -> Option<u32> {
        (self.children != UNCOUNTED).then_some(self.children)
    }

    /// Sets how many children the trace says that it has.
    pub fn set_children(&mut self, children: Option<u32>) {
        self.children = children.unwrap_or(UNCOUNTED);
    }

    /// The gas it used itself, and whether that is exact: where a child's gas is unknown it is at
    /// most this much.
    pub fn own(&self) -> Option<(u64, bool)> {
        self.used().map(|used| (used.saturating_sub(self.inner), !self.has(PARTLY)))
    }

    /// Whether the node says that it failed.
    pub fn failed(&self) -> bool {
        self.has(FAILED)
    }

    /// Whether a frame above it failed.
    pub fn is_below_failure(&self) -> bool {
        self.has(UNDONE)
    }

    /// Whether what it did remains.
    pub fn is_kept(&self) -> bool {
        self.flags & (FAILED | UNDONE) == 0
    }

    /// Whether its parent is missing in the trace.
    pub fn is_stray(&self) -> bool {
        self.has(STRAY)
    }

    /// Whether its end has not been read yet.
    pub fn is_open(&self) -> bool {
        self.has(OPEN)
    }

    /// Whether its value is something else than zero.
    pub fn has_value(&self) -> bool {
        self.has(VALUED)
    }

    /// Marks it as failed.
    pub fn set_failed(&mut self, is: bool) {
        self.set(FAILED, is);
    }

    /// Marks it as having a value.
    pub fn set_valued(&mut self, is: bool) {
        self.set(VALUED, is);
    }

    /// Marks it as one whose end has not been read yet.
    pub fn set_open(&mut self, is: bool) {
        self.set(OPEN, is);
    }

    pub(super) fn set_stray(&mut self, is: bool) {
        self.set(STRAY, is);
    }

    pub(super) fn set_undone(&mut self, is: bool) {
        self.set(UNDONE, is);
    }

    /// Whether it is found among the same sorts of frames as another, with the same value.
    pub(super) fn is_indexed_as(&self, other: &Self) -> bool {
        let sorts = |frame: &Self| {
            let value = frame.has_value().then_some((frame.value, frame.kind.moves_value()));
            (frame.failed(), frame.kind.creates(), frame.kind.is_delegated(), value)
        };
        sorts(self) == sorts(other)
    }

    /// Takes the gas of a child into account.
    pub(super) fn add_inner(&mut self, child: Option<u64>) {
        match child {
            Some(gas) => self.inner = self.inner.saturating_add(gas),
            None => self.set(PARTLY, true),
        }
    }

    /// Forgets what is known of the children's gas.
    pub(super) fn clear_inner(&mut self) {
        self.inner = 0;
        self.set(PARTLY, false);
    }

    /// This frame with what was read of it since, in the place where it stands.
    pub(super) fn filled_with(&self, filled: Self) -> Self {
        let Self { inner, parent, nth, depth, .. } = *self;
        let mut frame = Self { inner, parent, nth, depth, ..filled };
        frame.set(PARTLY, self.has(PARTLY));
        frame.set_undone(self.is_below_failure());
        frame
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    fn set(&mut self, flag: u8, is: bool) {
        self.flags = if is { self.flags | flag } else { self.flags & !flag };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_stays_small() {
        // A million of them are held beside the body.
        assert!(size_of::<Frame>() <= 96, "{}", size_of::<Frame>());
    }

    #[test]
    fn unknown_gas_is_not_zero() {
        let mut frame = Frame::new(Kind::Call, 0, 0);
        assert_eq!((frame.gas(), frame.used(), frame.own()), (None, None, None));
        frame.set_gas(Some(0), Some(100));
        frame.add_inner(Some(40));
        assert_eq!(frame.own(), Some((60, true)));
        frame.add_inner(None);
        assert_eq!(frame.own(), Some((60, false)), "at most");
    }
}
