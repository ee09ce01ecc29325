//! Growth of the tree: applies chunks, and merges out-of-order entries at the end.

use super::index::FrameIndex;
use super::{CallTree, to_index};
use crate::time_slice::free_in_background;
use crate::trace::{CallFrame, CallKind, OutOfOrderFrame, TraceChunk, TraceSummary, frame};

/// More out-of-order entries, each with a path, are freed on another thread.
const MAX_LATE_ENTRIES_FREED_AT_ONCE: usize = 10_000;

#[derive(Debug, Clone)]
pub(super) struct SpineFrame {
    number: u32,
    child_count: u32,
}

/// New numbers of the frames after a merge of out-of-order entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrameRemap(Vec<u32>);

impl FrameRemap {
    pub fn get(&self, frame: u32) -> u32 {
        self.0.get(to_index(frame)).copied().unwrap_or(frame)
    }
}

impl CallTree {
    /// Applies a chunk. The last one may bring out-of-order entries: merging them renumbers the
    /// frames, and the new numbers are returned.
    pub fn apply_chunk(&mut self, chunk: TraceChunk) -> Option<FrameRemap> {
        self.body.push(chunk.bytes);
        let mut stale_from = self.frames.len();
        for (number, frame) in chunk.completed {
            stale_from = stale_from.min(self.complete_frame(number, frame));
        }
        if stale_from < self.frames.len() {
            self.rebuild_from(stale_from);
        }
        self.frames.reserve(chunk.frames.len());
        for frame in chunk.frames {
            self.push_frame(frame);
        }
        self.apply_summary(chunk.summary?)
    }

    fn apply_summary(&mut self, mut summary: TraceSummary) -> Option<FrameRemap> {
        let late = std::mem::take(&mut summary.out_of_order);
        let remap = (!late.is_empty()).then(|| self.merge_out_of_order(&late));
        if late.len() > MAX_LATE_ENTRIES_FREED_AT_ONCE {
            free_in_background(late);
        }
        // A trace that broke off lacks children, which is no mismatch.
        if summary.error.is_none() {
            self.close_all_frames();
        }
        summary.child_count_mismatches = self.child_count_mismatches;
        self.summary = Some(summary);
        remap
    }

    /// Replaces an unfinished frame. Returns the index of the first frame whose outcome and indexes are
    /// stale.
    fn complete_frame(&mut self, number: u32, completed: CallFrame) -> usize {
        let unchanged = self.frames.len();
        let Some(frame) = self.frames.get_mut(to_index(number)) else { return unchanged };
        let before = *frame;
        let now = before.completed_with(completed);
        *frame = now;
        if before.parent != number
            && let Some(parent) = self.frames.get_mut(to_index(before.parent))
        {
            parent.add_child_gas(&now);
        }
        if before.has_same_index_keys(&now) { unchanged } else { to_index(number) }
    }

    fn rebuild_from(&mut self, from: usize) {
        let first = u32::try_from(from).unwrap_or(u32::MAX);
        self.index.truncate(first);
        for number in first..self.len() {
            self.update_derived(number);
        }
    }

    fn update_derived(&mut self, number: u32) {
        let Some(frame) = self.get(number).copied() else { return };
        let has_failed_ancestor = frame.parent != number
            && self.get(frame.parent).is_some_and(|parent| !parent.is_committed());
        let value = if frame.has_value() { self.value(number) } else { None };
        if let Some(frame) = self.frames.get_mut(to_index(number)) {
            frame.set_flag(frame::ANCESTOR_FAILED, has_failed_ancestor);
            let frame = *frame;
            self.index.add(number, &frame, value);
        }
    }

    fn push_frame(&mut self, mut frame: CallFrame) {
        let Ok(number) = u32::try_from(self.frames.len()) else { return };
        while self.spine.len() > usize::from(frame.depth) {
            self.close_frame(number);
        }
        frame.parent = self.spine.last().map_or(number, |parent| parent.number);
        if !frame.is_orphan()
            && let Some(parent) = self.spine.last_mut()
        {
            parent.child_count += 1;
        }
        frame.reset_child_gas();
        if frame.parent != number
            && !frame.is_unfinished()
            && let Some(parent) = self.frames.get_mut(to_index(frame.parent))
        {
            parent.add_child_gas(&frame);
        }
        self.frames.push(frame);
        self.ends.push(u32::MAX);
        self.spine.push(SpineFrame { number, child_count: 0 });
        self.update_derived(number);
    }

    fn close_frame(&mut self, end: u32) {
        let Some(SpineFrame { number, child_count }) = self.spine.pop() else { return };
        if let Some(place) = self.ends.get_mut(to_index(number)) {
            *place = end;
        }
        let declared = self.get(number).and_then(CallFrame::subtraces);
        self.child_count_mismatches += u32::from(declared.is_some_and(|n| n != child_count));
    }

    fn close_all_frames(&mut self) {
        let end = self.len();
        while !self.spine.is_empty() {
            self.close_frame(end);
        }
    }

    fn merge_out_of_order(&mut self, late: &[OutOfOrderFrame]) -> FrameRemap {
        let all = self.frames.len() + late.len();
        let old = std::mem::replace(&mut self.frames, Vec::with_capacity(all));
        self.ends = Vec::with_capacity(all);
        (self.spine, self.index) = (Vec::new(), FrameIndex::default());
        self.child_count_mismatches = 0;
        let mut merge = LateEntryMerge { tree: self, last: Vec::new(), spine_lens: Vec::new() };
        let mut new_numbers = Vec::with_capacity(old.len());
        let mut late = late.iter().peekable();
        let mut path = Vec::new();
        // Late entries belong to the transaction: the first root that is not a reward.
        let mut has_root = false;
        for frame in old {
            path.truncate(usize::from(frame.depth.saturating_sub(1)));
            if frame.depth > 0 {
                path.push(frame.child_index);
            }
            let ends_root = frame.depth == 0 && has_root;
            has_root |= frame.kind != CallKind::Reward;
            while let Some(entry) = late.next_if(|entry| ends_root || *entry.path < *path) {
                merge.push(&entry.path, entry.frame);
            }
            new_numbers.push(merge.push(&path, frame));
        }
        for entry in late {
            merge.push(&entry.path, entry.frame);
        }
        FrameRemap(new_numbers)
    }
}

/// Appends frames and late entries to a tree in the order of their paths.
struct LateEntryMerge<'a> {
    tree: &'a mut CallTree,
    /// The path of the last frame.
    last: Vec<u32>,
    /// The lengths of the paths of the frames on the spine, each the start of the last path.
    spine_lens: Vec<usize>,
}

impl LateEntryMerge<'_> {
    fn push(&mut self, path: &[u32], mut frame: CallFrame) -> u32 {
        let common = self.last.iter().zip(path).take_while(|(last, next)| last == next).count();
        while self.spine_lens.pop_if(|len| *len >= path.len() || *len > common).is_some() {}
        let nearest_len = self.spine_lens.last().copied().unwrap_or(0);
        let is_orphan =
            path.len() > nearest_len + 1 || (self.spine_lens.is_empty() && !path.is_empty());
        frame.set_flag(frame::ORPHAN, is_orphan);
        self.tree.orphan_count += u32::from(is_orphan);
        frame.depth = u16::try_from(self.spine_lens.len()).unwrap_or(u16::MAX);
        frame.child_index = path.last().copied().unwrap_or_default();
        self.last.truncate(common);
        self.last.extend(path.iter().skip(common));
        self.spine_lens.push(path.len());
        let number = self.tree.len();
        self.tree.push_frame(frame);
        number
    }
}
