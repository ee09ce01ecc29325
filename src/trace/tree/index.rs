//! Indexes of frames by class, in call order: searches and subtree totals are binary searches.

use super::CallTree;
use crate::action::Step;
use crate::chain::U256;
use crate::trace::{CallFrame, CallKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameClass {
    Failed,
    WithValue,
    Creation,
    Delegated,
    Static,
}

/// Totals of a subtree, its root included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubtreeTotals {
    pub calls: u32,
    pub failed: usize,
    /// Wei moved by committed frames below the root, or `None` if the sum exceeds 256 bits.
    pub value_moved: Option<U256>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct FrameIndex {
    failed: Vec<u32>,
    created: Vec<u32>,
    delegated: Vec<u32>,
    statics: Vec<u32>,
    with_value: Vec<u32>,
    /// For each frame with a value, the sum of committed values up to it.
    value_moved: Vec<U256>,
}

impl CallTree {
    pub fn frames_of(&self, class: FrameClass) -> &[u32] {
        match class {
            FrameClass::Failed => &self.index.failed,
            FrameClass::Creation => &self.index.created,
            FrameClass::Delegated => &self.index.delegated,
            FrameClass::Static => &self.index.statics,
            FrameClass::WithValue => &self.index.with_value,
        }
    }

    /// Returns the nearest call of a class after or before another.
    pub fn nearest_of(&self, from: u32, class: FrameClass, step: Step) -> Option<u32> {
        let frames = self.frames_of(class);
        let place = match step {
            Step::Next => frames.partition_point(|f| *f <= from),
            Step::Previous => frames.partition_point(|f| *f < from).checked_sub(1)?,
        };
        frames.get(place).copied()
    }

    pub fn subtree_totals(&self, frame: u32) -> SubtreeTotals {
        let range = self.subtree(frame);
        let failed_before = |number| self.index.failed.partition_point(|f| *f < number);
        let moved = self.index.value_moved_before(range.end);
        let moved_at_root = self.index.value_moved_before(frame.saturating_add(1));
        SubtreeTotals {
            calls: range.end.saturating_sub(range.start),
            failed: failed_before(range.end) - failed_before(range.start),
            value_moved: Some(moved).filter(|sum| *sum != U256::MAX).map(|sum| sum - moved_at_root),
        }
    }
}

impl FrameIndex {
    pub(super) fn add(&mut self, number: u32, frame: &CallFrame, value: Option<U256>) {
        if frame.failed() {
            self.failed.push(number);
        }
        if frame.kind.creates() {
            self.created.push(number);
        }
        if frame.kind.is_delegated() {
            self.delegated.push(number);
        }
        if frame.kind == CallKind::StaticCall {
            self.statics.push(number);
        }
        if frame.has_value() {
            let before = self.value_moved.last().copied().unwrap_or_default();
            let is_moved = frame.is_committed() && frame.kind.moves_value();
            let moved = value.filter(|_| is_moved).unwrap_or_default();
            self.with_value.push(number);
            self.value_moved.push(before.saturating_add(moved));
        }
    }

    /// Removes a frame and all following ones.
    pub(super) fn truncate(&mut self, from: u32) {
        let Self { failed, created, delegated, statics, with_value, .. } = self;
        for list in [failed, created, delegated, statics, with_value] {
            list.truncate(list.partition_point(|f| *f < from));
        }
        self.value_moved.truncate(self.with_value.len());
    }

    fn value_moved_before(&self, number: u32) -> U256 {
        let count = self.with_value.partition_point(|f| *f < number);
        let last = count.checked_sub(1).and_then(|last| self.value_moved.get(last));
        last.copied().unwrap_or_default()
    }
}
