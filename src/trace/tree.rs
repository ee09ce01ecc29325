//! The arena: frames in pre-order, where the subtree of each ends, and what is asked of all of them.

use std::borrow::Cow;
use std::ops::Range;

use super::{
    BodySpan, CallFrame, CallKind, CallOutcome, OutOfOrderFrame, TraceBody, TraceChunk,
    TraceFormat, TraceSummary,
};
use crate::chain::{Address, U256};
use crate::sanitize::SafeText;

/// A trace, complete or growing.
#[derive(Debug, Clone, Default)]
pub struct CallTree {
    /// What it was read from.
    pub body: TraceBody,
    frames: Vec<CallFrame>,
    /// One past the subtree of each frame. Apart from the frames, so that a walk over siblings
    /// touches four bytes a frame.
    ends: Vec<u32>,
    /// The frames that may still get children, the last one and those above it, and how many they
    /// have.
    spine: Vec<(u32, u32)>,
    index: FrameIndex,
    summary: Option<TraceSummary>,
    orphan_count: u32,
    child_count_mismatches: u32,
}

/// Frames of each sort, in order: jumps and the sums over subtrees are binary searches.
#[derive(Debug, Clone, Default)]
struct FrameIndex {
    failed: Vec<u32>,
    created: Vec<u32>,
    delegated: Vec<u32>,
    /// Frames with a value, and what all of them up to here have moved for good.
    with_value: Vec<(u32, U256)>,
}

/// A sort of frame to jump to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameClass {
    /// Failed ones.
    Failed,
    /// Those with a value.
    WithValue,
    /// Those that create.
    Creation,
    /// Those that run foreign code as their own.
    Delegated,
}

/// What a subtree comes to, its root included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubtreeTotals {
    /// Frames.
    pub calls: u32,
    /// Failed ones.
    pub failed: usize,
    /// The value that frames below the root moved for good, in wei; none when it passes 256 bits.
    pub value_moved: Option<U256>,
}

/// What became of the frames when late entries were put in between.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrameRemap(Vec<u32>);

impl FrameRemap {
    /// Where a frame is now.
    pub fn get(&self, frame: u32) -> u32 {
        self.0.get(to_index(frame)).copied().unwrap_or(frame)
    }
}

/// A frame's number as an index.
pub(crate) fn to_index(frame: u32) -> usize {
    // Lossless wherever this runs; elsewhere it is out of range, and so is nothing.
    usize::try_from(frame).unwrap_or(usize::MAX)
}

impl CallTree {
    /// Takes in what is new. Late entries are put in their places at the end; then the numbers of
    /// the frames change, and the moves say how.
    pub fn apply_chunk(&mut self, part: TraceChunk) -> Option<FrameRemap> {
        self.body.push(part.bytes);
        let mut from = self.frames.len();
        for (frame, filled) in part.completed {
            from = from.min(self.complete_frame(frame, filled));
        }
        if from < self.frames.len() {
            self.rebuild_from(from);
        }
        self.frames.reserve(part.frames.len());
        for frame in part.frames {
            self.push_frame(frame);
        }
        let ending = part.summary?;
        let moves = (!ending.out_of_order.is_empty())
            .then(|| self.merge_out_of_order(&ending.out_of_order));
        // What breaks off lacks children for that reason.
        if ending.error.is_none() {
            self.close_all_frames();
        }
        let mismatches = self.child_count_mismatches;
        self.summary = Some(TraceSummary {
            out_of_order: Vec::new(),
            child_count_mismatches: mismatches,
            ..ending
        });
        moves
    }

    /// Replaces a frame that was sent before its end; returns from where on the rest must be
    /// looked at again.
    fn complete_frame(&mut self, number: u32, filled: CallFrame) -> usize {
        let unchanged = self.frames.len();
        let Some(old) = self.frames.get_mut(to_index(number)) else { return unchanged };
        let before = *old;
        *old = before.completed_with(filled);
        let now = *old;
        if before.parent != number
            && let Some(parent) = self.frames.get_mut(to_index(before.parent))
        {
            parent.add_child_gas(now.gas_used());
        }
        if before.has_same_index_keys(&now) { unchanged } else { to_index(number) }
    }

    /// Outcomes and indexes of everything from `from` on.
    fn rebuild_from(&mut self, from: usize) {
        let first = u32::try_from(from).unwrap_or(u32::MAX);
        self.index.truncate(first);
        for number in first..self.len() {
            self.update_derived(number);
        }
    }

    /// The outcome of a frame, and its places in the indexes.
    fn update_derived(&mut self, number: u32) {
        let Some(frame) = self.get(number).copied() else { return };
        let below_failure = frame.parent != number
            && self.get(frame.parent).is_some_and(|parent| !parent.is_committed());
        let value = if frame.has_value() { self.value(number) } else { None };
        if let Some(frame) = self.frames.get_mut(to_index(number)) {
            frame.set_failed_ancestor(below_failure);
            let frame = *frame;
            self.index.add(number, &frame, value);
        }
    }

    fn push_frame(&mut self, mut frame: CallFrame) {
        let Ok(number) = u32::try_from(self.frames.len()) else { return };
        while self.spine.len() > usize::from(frame.depth) {
            self.close_frame(number);
        }
        frame.parent = self.spine.last().map_or(number, |(above, _)| *above);
        if !frame.is_orphan()
            && let Some((_, children)) = self.spine.last_mut()
        {
            *children += 1;
        }
        frame.reset_child_gas();
        if frame.parent != number
            && !frame.is_unfinished()
            && let Some(parent) = self.frames.get_mut(to_index(frame.parent))
        {
            parent.add_child_gas(frame.gas_used());
        }
        self.frames.push(frame);
        self.ends.push(u32::MAX);
        self.spine.push((number, 0));
        self.update_derived(number);
    }

    fn close_frame(&mut self, end: u32) {
        let Some((closed, children)) = self.spine.pop() else { return };
        if let Some(place) = self.ends.get_mut(to_index(closed)) {
            *place = end;
        }
        let said = self.get(closed).and_then(CallFrame::subtraces);
        self.child_count_mismatches += u32::from(said.is_some_and(|said| said != children));
    }

    /// Nothing more comes.
    fn close_all_frames(&mut self) {
        let end = self.len();
        while !self.spine.is_empty() {
            self.close_frame(end);
        }
    }

    /// Merges late entries, sorted by path, into the frames.
    fn merge_out_of_order(&mut self, aside: &[OutOfOrderFrame]) -> FrameRemap {
        let old = std::mem::take(&mut self.frames);
        (self.ends, self.spine, self.index) = (Vec::new(), Vec::new(), FrameIndex::default());
        self.child_count_mismatches = 0;
        let mut merge = LateEntryMerge { tree: self, path: Vec::new() };
        let mut moves = Vec::with_capacity(old.len());
        let mut late = aside.iter().peekable();
        let mut path = Vec::new();
        // They belong to the transaction: the first root that is no reward.
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
            moves.push(merge.push(&path, frame));
        }
        for entry in late {
            merge.push(&entry.path, entry.frame);
        }
        FrameRemap(moves)
    }

    /// How many frames there are.
    pub fn len(&self) -> u32 {
        u32::try_from(self.frames.len()).unwrap_or(u32::MAX)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// A frame by its number.
    pub fn get(&self, frame: u32) -> Option<&CallFrame> {
        self.frames.get(to_index(frame))
    }

    /// All frames in pre-order.
    pub fn frames(&self) -> &[CallFrame] {
        &self.frames
    }

    /// One past the subtree of a frame.
    pub fn end(&self, frame: u32) -> u32 {
        self.ends.get(to_index(frame)).copied().unwrap_or(u32::MAX).min(self.len())
    }

    /// The numbers of a frame and all below it.
    pub fn subtree(&self, frame: u32) -> Range<u32> {
        frame..self.end(frame)
    }

    /// The frame that a frame is in.
    pub fn parent(&self, frame: u32) -> Option<u32> {
        self.get(frame).map(|f| f.parent).filter(|parent| *parent != frame)
    }

    /// The frames above a frame, the nearest first.
    pub fn ancestors(&self, frame: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(self.parent(frame), |above| self.parent(*above))
    }

    /// The children of a frame in order.
    pub fn children(&self, frame: u32) -> impl Iterator<Item = u32> {
        let end = self.end(frame);
        let first = Some(frame.saturating_add(1)).filter(|first| *first < end);
        std::iter::successors(first, move |child| Some(self.end(*child)).filter(|next| *next < end))
    }

    /// The frames without a parent: one, but for nodes that list a block's rewards.
    pub fn roots(&self) -> impl Iterator<Item = u32> {
        let first = Some(0).filter(|_| !self.is_empty());
        std::iter::successors(first, |root| Some(self.end(*root)).filter(|next| *next < self.len()))
    }

    /// The path of a frame: its `traceAddress`.
    pub fn path(&self, frame: u32) -> Vec<u32> {
        let numbered = |f: u32| self.parent(f).and(self.get(f)).map(|f| f.child_index);
        let mut path: Vec<u32> =
            std::iter::once(frame).chain(self.ancestors(frame)).filter_map(numbered).collect();
        path.reverse();
        path
    }

    /// The frame at a path.
    pub fn find(&self, path: &[u32]) -> Option<u32> {
        let below = |above, nth: &u32| {
            self.children(above)
                .find(|child| self.get(*child).is_some_and(|f| f.child_index == *nth))
        };
        self.roots().find_map(|root| path.iter().try_fold(root, below))
    }

    /// What became of a frame.
    pub fn outcome(&self, frame: u32) -> Option<CallOutcome> {
        let it = self.get(frame)?;
        let caller_stands = || self.parent(frame).and_then(|p| self.get(p)).map(|p| !p.failed());
        Some(match (it.failed(), it.has_failed_ancestor()) {
            (true, _) if caller_stands() == Some(true) => CallOutcome::Caught,
            (true, _) => CallOutcome::Failed,
            (false, true) => CallOutcome::RolledBack,
            (false, false) => CallOutcome::Succeeded,
        })
    }

    /// What a subtree comes to.
    pub fn subtree_totals(&self, frame: u32) -> SubtreeTotals {
        let range = self.subtree(frame);
        let failed = &self.index.failed;
        let before = |number: u32| failed.partition_point(|f| *f < number);
        let moved = self.index.value_moved_before(range.end);
        let until = self.index.value_moved_before(frame.saturating_add(1));
        SubtreeTotals {
            calls: range.end.saturating_sub(range.start),
            failed: before(range.end) - before(range.start),
            value_moved: Some(moved).filter(|sum| *sum != U256::MAX).map(|sum| sum - until),
        }
    }

    /// The next, or the previous, frame of a sort.
    pub fn nearest_of(&self, from: u32, sort: FrameClass, ahead: bool) -> Option<u32> {
        let near = |list: &[u32]| {
            if ahead {
                list.get(list.partition_point(|f| *f <= from)).copied()
            } else {
                list.get(list.partition_point(|f| *f < from).checked_sub(1)?).copied()
            }
        };
        match sort {
            FrameClass::Failed => near(&self.index.failed),
            FrameClass::Creation => near(&self.index.created),
            FrameClass::Delegated => near(&self.index.delegated),
            FrameClass::WithValue => {
                let valued = &self.index.with_value;
                let next = valued.partition_point(|(f, _)| *f <= from);
                let previous = || valued.partition_point(|(f, _)| *f < from).checked_sub(1);
                valued.get(if ahead { next } else { previous()? }).map(|(f, _)| *f)
            }
        }
    }

    /// How many frames of a sort there are.
    pub fn count_of(&self, sort: FrameClass) -> usize {
        match sort {
            FrameClass::Failed => self.index.failed.len(),
            FrameClass::Creation => self.index.created.len(),
            FrameClass::Delegated => self.index.delegated.len(),
            FrameClass::WithValue => self.index.with_value.len(),
        }
    }

    /// Every frame of a sort, in order.
    pub fn frames_of(&self, sort: FrameClass) -> Vec<u32> {
        match sort {
            FrameClass::Failed => self.index.failed.clone(),
            FrameClass::Creation => self.index.created.clone(),
            FrameClass::Delegated => self.index.delegated.clone(),
            FrameClass::WithValue => {
                self.index.with_value.iter().map(|(frame, _)| *frame).collect()
            }
        }
    }

    /// What the body said at its end; none while it is being read.
    pub fn summary(&self) -> Option<&TraceSummary> {
        self.summary.as_ref()
    }

    /// What the body is.
    pub fn format(&self) -> &TraceFormat {
        self.summary.as_ref().map_or(&TraceFormat::Unknown, |ending| &ending.format)
    }

    /// Frames whose parent is missing: they hang on the nearest one above them.
    pub fn orphan_count(&self) -> u32 {
        self.orphan_count
    }

    /// A text of the body, unescaped and safe.
    pub fn text(&self, span: BodySpan) -> Option<SafeText> {
        if !span.is_some() {
            return None;
        }
        Some(SafeText::new(&unescape_json(&self.body.bytes(span))))
    }

    /// The address in a range; none when there is none, or it is not one.
    pub fn address(&self, span: BodySpan) -> Option<Address> {
        let text = self.body.prefix(span, 64);
        std::str::from_utf8(&text).ok()?.parse().ok()
    }

    /// Returns the address that a frame is about: the callee, the created contract, or the contract
    /// that selfdestructs.
    pub fn target_address(&self, frame: u32) -> Option<Address> {
        let frame = self.get(frame)?;
        self.address(match frame.kind {
            CallKind::SelfDestruct => frame.from,
            _ => frame.to,
        })
    }

    /// What a frame carries, in wei. None when the trace does not say, or not readably.
    pub fn value(&self, frame: u32) -> Option<U256> {
        parse_wei(&self.body.prefix(self.get(frame)?.value, 80))
    }

    /// The bytes that hex in a range stands for, at most `most` of them.
    pub fn hex(&self, span: BodySpan, most: usize) -> Option<Vec<u8>> {
        if !span.is_some() {
            return None;
        }
        let digits = (most as u64).saturating_mul(2).saturating_add(2);
        unhex(&if span.len() == super::body::MAX_SPAN_LEN && digits >= span.len() {
            self.body.bytes(span)
        } else {
            self.body.prefix(span, digits)
        })
    }

    /// How many bytes the hex in a range stands for.
    pub fn hex_len(&self, span: BodySpan) -> Option<u64> {
        span.is_some().then(|| self.body.full_len(span).saturating_sub(2) / 2)
    }

    /// The first four bytes of a call's calldata, if there are as many.
    pub fn selector(&self, frame: u32) -> Option<[u8; 4]> {
        let frame = self.get(frame).filter(|f| !f.kind.creates())?;
        self.hex(frame.input, 4)?.try_into().ok()
    }
}

/// Formats a path as `0.3.1`, that of the root as `root`.
pub fn format_path(path: &[u32]) -> String {
    match path {
        [] => "root".into(),
        path => path.iter().map(u32::to_string).collect::<Vec<_>>().join("."),
    }
}

impl FrameIndex {
    fn add(&mut self, number: u32, frame: &CallFrame, value: Option<U256>) {
        if frame.failed() {
            self.failed.push(number);
        }
        if frame.kind.creates() {
            self.created.push(number);
        }
        if frame.kind.is_delegated() {
            self.delegated.push(number);
        }
        if frame.has_value() {
            let before = self.with_value.last().map_or(U256::ZERO, |(_, sum)| *sum);
            let moves = frame.is_committed() && frame.kind.moves_value();
            let more = value.filter(|_| moves).unwrap_or_default();
            self.with_value.push((number, before.saturating_add(more)));
        }
    }

    /// Forgets everything from a frame on.
    fn truncate(&mut self, from: u32) {
        for list in [&mut self.failed, &mut self.created, &mut self.delegated] {
            list.truncate(list.partition_point(|f| *f < from));
        }
        self.with_value.truncate(self.with_value.partition_point(|(f, _)| *f < from));
    }

    fn value_moved_before(&self, number: u32) -> U256 {
        let next = self.with_value.partition_point(|(f, _)| *f < number);
        next.checked_sub(1)
            .and_then(|last| self.with_value.get(last))
            .map_or(U256::ZERO, |(_, s)| *s)
    }
}

/// Frames and late entries on their way into one order.
struct LateEntryMerge<'a> {
    tree: &'a mut CallTree,
    /// The path of each frame on the spine.
    path: Vec<Box<[u32]>>,
}

impl LateEntryMerge<'_> {
    /// Appends what comes next in the order of paths; its number.
    fn push(&mut self, path: &[u32], mut frame: CallFrame) -> u32 {
        let is_above = |above: &[u32]| above.len() < path.len() && path.starts_with(above);
        while self.path.last().is_some_and(|above| !is_above(above)) {
            self.path.pop();
        }
        let nearest = self.path.last().map_or(0, |above| above.len());
        let stray = path.len() > nearest + 1 || (self.path.is_empty() && !path.is_empty());
        frame.set_orphan(stray);
        self.tree.orphan_count += u32::from(stray);
        frame.depth = u16::try_from(self.path.len()).unwrap_or(u16::MAX);
        frame.child_index = path.last().copied().unwrap_or_default();
        self.path.push(path.into());
        let number = self.tree.len();
        self.tree.push_frame(frame);
        number
    }
}

/// A JSON string without its escapes. Bad ones stay as they are.
pub(super) fn unescape_json(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    if !text.contains('\\') {
        return text.into_owned();
    }
    let quoted: Cow<'_, str> = Cow::Owned(["\"", &text, "\""].concat());
    serde_json::from_str(&quoted).unwrap_or_else(|_| text.into_owned())
}

/// A number in hex, or in decimal as some nodes write it.
fn parse_wei(text: &[u8]) -> Option<U256> {
    let text = std::str::from_utf8(text).ok()?;
    match text.strip_prefix("0x") {
        Some("") => Some(U256::ZERO),
        Some(hex) => U256::from_str_radix(hex, 16).ok(),
        None if text.is_empty() => None,
        None => U256::from_str_radix(text, 10).ok(),
    }
}

/// The bytes of `0x…`; none when it is not hex. A half byte at the end, where the text was cut, is
/// left out.
fn unhex(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.strip_prefix(b"0x").unwrap_or(text);
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|d| u8::try_from(d).ok());
    digits.chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    /// Frames by depth and number, and whether they failed.
    fn frames(of: &[(u16, u32, bool)]) -> Vec<CallFrame> {
        let frame = |(depth, nth, failed): &(u16, u32, bool)| {
            let mut frame = CallFrame::new(CallKind::Call, *depth, *nth);
            frame.set_failed(*failed);
            frame
        };
        of.iter().map(frame).collect()
    }

    fn grown(of: &[(u16, u32, bool)]) -> CallTree {
        let mut tree = CallTree::default();
        tree.apply_chunk(TraceChunk { frames: frames(of), ..TraceChunk::default() });
        tree
    }

    /// A root that holds 7, 0x0a and 2^256 - 1 wei in calls, the second of which failed.
    fn valued() -> CallTree {
        let mut tree = CallTree::default();
        let body = format!("70x0a0x{}", "f".repeat(64));
        let mut frames = frames(&[(0, 0, false), (1, 0, false), (1, 1, true), (1, 2, false)]);
        for (frame, (at, len)) in frames.iter_mut().skip(1).zip([(0, 1), (1, 4), (5, 66)]) {
            frame.value = BodySpan::new(at, len);
            frame.set_has_value(true);
        }
        tree.apply_chunk(TraceChunk { bytes: Bytes::from(body), frames, ..TraceChunk::default() });
        tree
    }

    const SMALL: [(u16, u32, bool); 6] =
        [(0, 0, false), (1, 0, true), (2, 0, false), (2, 1, true), (1, 1, false), (2, 0, true)];

    #[test]
    fn what_failed_takes_with_it_what_it_did() {
        let tree = grown(&SMALL);
        let outcomes: Vec<CallOutcome> = (0..6).filter_map(|n| tree.outcome(n)).collect();
        let (kept, caught) = (CallOutcome::Succeeded, CallOutcome::Caught);
        assert_eq!(
            outcomes,
            [kept, caught, CallOutcome::RolledBack, CallOutcome::Failed, kept, caught]
        );
        assert_eq!(tree.outcome(6), None);
    }

    #[test]
    fn walks_over_the_tree() {
        let tree = grown(&SMALL);
        assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 4]);
        assert_eq!(tree.children(1).collect::<Vec<_>>(), [2, 3]);
        assert_eq!((tree.subtree(1), tree.subtree(5), tree.subtree(0)), (1..4, 5..6, 0..6));
        assert_eq!(tree.ancestors(3).collect::<Vec<_>>(), [1, 0]);
        assert_eq!((tree.path(3), tree.path(0)), (vec![0, 1], vec![]));
        assert_eq!(
            (tree.find(&[0, 1]), tree.find(&[1, 1]), tree.find(&[])),
            (Some(3), None, Some(0))
        );
        assert_eq!((CallTree::default().roots().count(), CallTree::default().find(&[])), (0, None));
    }

    #[test]
    fn jumps_go_to_the_nearest_of_a_sort() {
        let tree = grown(&SMALL);
        let jump = |from, ahead| tree.nearest_of(from, FrameClass::Failed, ahead);
        assert_eq!((jump(0, true), jump(1, true), jump(5, true)), (Some(1), Some(3), None));
        assert_eq!((jump(5, false), jump(2, false), jump(1, false)), (Some(3), Some(1), None));
        assert_eq!(tree.subtree_totals(0).failed, 3);
        let valued = valued();
        assert_eq!(valued.nearest_of(1, FrameClass::WithValue, true), Some(2));
        assert_eq!(valued.nearest_of(1, FrameClass::WithValue, false), None);
    }

    #[test]
    fn sums_leave_out_what_was_undone_and_say_when_they_overflow() {
        let mut tree = valued();
        assert_eq!(tree.subtree_totals(0).value_moved, None, "more than 256 bits");
        assert_eq!(
            tree.subtree_totals(1).value_moved,
            Some(U256::ZERO),
            "what it moves itself is not below it"
        );
        let mut last = *tree.get(3).unwrap();
        last.set_failed(true);
        tree.apply_chunk(TraceChunk { completed: vec![(3, last)], ..TraceChunk::default() });
        assert_eq!(tree.subtree_totals(0).value_moved.unwrap(), 7);
    }

    #[test]
    fn a_frame_that_is_filled_later_changes_what_hangs_on_it() {
        let mut tree = CallTree::default();
        let mut open = CallFrame::new(CallKind::Other, 0, 0);
        open.set_unfinished(true);
        let mut inner = CallFrame::new(CallKind::Call, 1, 0);
        inner.set_gas(None, Some(30));
        tree.apply_chunk(TraceChunk { frames: vec![open, inner], ..TraceChunk::default() });
        assert_eq!(tree.outcome(1), Some(CallOutcome::Succeeded));
        let mut root = CallFrame::new(CallKind::Create, 0, 0);
        root.set_gas(Some(100), Some(70));
        root.set_failed(true);
        // A number that was never sent changes nothing.
        tree.apply_chunk(TraceChunk {
            completed: vec![(0, root), (9, root)],
            ..TraceChunk::default()
        });
        assert_eq!(tree.outcome(1), Some(CallOutcome::RolledBack));
        assert_eq!(
            (tree.frames_of(FrameClass::Creation), tree.frames_of(FrameClass::Failed)),
            (vec![0], vec![0])
        );
        assert_eq!(tree.get(0).unwrap().own_gas(), Some((40, true)));
    }

    #[test]
    fn late_entries_move_the_frames_after_them() {
        let mut tree = grown(&[(0, 0, false), (1, 1, false), (2, 0, false)]);
        let frame = CallFrame::new(CallKind::Call, 0, 0);
        let aside = |path: &[u32]| OutOfOrderFrame { path: path.into(), frame };
        let ending = TraceSummary {
            out_of_order: vec![aside(&[0]), aside(&[0, 2]), aside(&[3, 5])],
            ..TraceSummary::default()
        };
        let moves = tree
            .apply_chunk(TraceChunk { summary: Some(ending), ..TraceChunk::default() })
            .unwrap();
        assert_eq!([0, 1, 2].map(|frame| moves.get(frame)), [0, 3, 4]);
        let places: Vec<Vec<u32>> = (0..tree.len()).map(|n| tree.path(n)).collect();
        assert_eq!(places, [vec![], vec![0], vec![0, 2], vec![1], vec![1, 0], vec![5]]);
        assert_eq!((tree.orphan_count(), tree.end(1), tree.end(0)), (1, 3, 6));
        assert!(tree.summary().unwrap().out_of_order.is_empty(), "they are in the tree now");
    }

    #[test]
    fn texts_and_numbers_of_a_body() {
        let mut tree = CallTree::default();
        let body = r#"a\u001b\"0x12345"#;
        tree.apply_chunk(TraceChunk { bytes: Bytes::from(body), ..TraceChunk::default() });
        assert_eq!(&*tree.text(BodySpan::new(0, 9)).unwrap(), "a␛\"");
        assert_eq!(tree.hex(BodySpan::new(9, 7), 9).unwrap(), [0x12, 0x34], "a half byte is none");
        assert_eq!(tree.hex(BodySpan::new(9, 7), 1).unwrap(), [0x12]);
        assert_eq!((tree.text(BodySpan::NONE), tree.hex(BodySpan::NONE, 9)), (None, None));
        assert_eq!(parse_wei(b"0x"), Some(U256::ZERO));
        assert_eq!((parse_wei(b""), parse_wei(b"0xg"), parse_wei(b"ten")), (None, None, None));
    }
}
