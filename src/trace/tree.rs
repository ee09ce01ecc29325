//! The arena: frames in pre-order, where the subtree of each ends, and what is asked of all of them.

use std::borrow::Cow;
use std::ops::Range;

use super::{Aside, Body, Dialect, Ending, Frame, Kind, Outcome, Part, Span};
use crate::chain::{Address, U256};
use crate::sanitize::Text;

/// A trace, complete or growing.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// What it was read from.
    pub body: Body,
    frames: Vec<Frame>,
    /// One past the subtree of each frame. Apart from the frames, so that a walk over siblings
    /// touches four bytes a frame.
    ends: Vec<u32>,
    /// The frames that may still get children, the last one and those above it, and how many they
    /// have.
    spine: Vec<(u32, u32)>,
    index: Index,
    ending: Option<Ending>,
    strays: u32,
    mismatches: u32,
}

/// Frames of each sort, in order: jumps and the sums over subtrees are binary searches.
#[derive(Debug, Clone, Default)]
struct Index {
    failed: Vec<u32>,
    created: Vec<u32>,
    delegated: Vec<u32>,
    /// Frames with a value, and what all of them up to here have moved for good.
    valued: Vec<(u32, U256)>,
}

/// A sort of frame to jump to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Failed ones.
    Failed,
    /// Those with a value.
    Valued,
    /// Those that create.
    Created,
    /// Those that run foreign code as their own.
    Delegated,
}

/// What a subtree comes to, its root included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sum {
    /// Frames.
    pub calls: u32,
    /// Failed ones.
    pub failed: usize,
    /// The value that frames below the root moved for good, in wei; none when it passes 256 bits.
    pub moved: Option<U256>,
}

/// What became of the frames when late entries were put in between.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moves(Vec<u32>);

impl Moves {
    /// Where a frame is now.
    pub fn get(&self, frame: u32) -> u32 {
        self.0.get(at(frame)).copied().unwrap_or(frame)
    }
}

/// A frame's number as an index.
pub(crate) fn at(frame: u32) -> usize {
    // Lossless wherever this runs; elsewhere it is out of range, and so is nothing.
    usize::try_from(frame).unwrap_or(usize::MAX)
}

impl Tree {
    /// Takes in what is new. Late entries are put in their places at the end; then the numbers of
    /// the frames change, and the moves say how.
    pub fn grow(&mut self, part: Part) -> Option<Moves> {
        self.body.push(part.bytes);
        let mut from = self.frames.len();
        for (frame, filled) in part.filled {
            from = from.min(self.fill(frame, filled));
        }
        if from < self.frames.len() {
            self.derive_again(from);
        }
        self.frames.reserve(part.frames.len());
        for frame in part.frames {
            self.append(frame);
        }
        let ending = part.ending?;
        let moves = (!ending.aside.is_empty()).then(|| self.place(&ending.aside));
        // What breaks off lacks children for that reason.
        if ending.broken.is_none() {
            self.close_all();
        }
        let mismatches = self.mismatches;
        self.ending = Some(Ending { aside: Vec::new(), mismatches, ..ending });
        moves
    }

    /// Replaces a frame that was sent before its end; returns from where on the rest must be
    /// looked at again.
    fn fill(&mut self, number: u32, filled: Frame) -> usize {
        let unchanged = self.frames.len();
        let Some(old) = self.frames.get_mut(at(number)) else { return unchanged };
        let before = *old;
        *old = before.filled_with(filled);
        let now = *old;
        if before.parent != number
            && let Some(parent) = self.frames.get_mut(at(before.parent))
        {
            parent.add_inner(now.used());
        }
        if before.is_indexed_as(&now) { unchanged } else { at(number) }
    }

    /// Outcomes and indexes of everything from `from` on.
    fn derive_again(&mut self, from: usize) {
        let first = u32::try_from(from).unwrap_or(u32::MAX);
        self.index.cut(first);
        for number in first..self.len() {
            self.derive(number);
        }
    }

    /// The outcome of a frame, and its places in the indexes.
    fn derive(&mut self, number: u32) {
        let Some(frame) = self.get(number).copied() else { return };
        let below_failure = frame.parent != number
            && self.get(frame.parent).is_some_and(|parent| !parent.is_kept());
        let value = if frame.has_value() { self.value(number) } else { None };
        if let Some(frame) = self.frames.get_mut(at(number)) {
            frame.set_undone(below_failure);
            let frame = *frame;
            self.index.add(number, &frame, value);
        }
    }

    fn append(&mut self, mut frame: Frame) {
        let Ok(number) = u32::try_from(self.frames.len()) else { return };
        while self.spine.len() > usize::from(frame.depth) {
            self.close_last(number);
        }
        frame.parent = self.spine.last().map_or(number, |(above, _)| *above);
        if !frame.is_stray()
            && let Some((_, children)) = self.spine.last_mut()
        {
            *children += 1;
        }
        frame.clear_inner();
        if frame.parent != number
            && !frame.is_open()
            && let Some(parent) = self.frames.get_mut(at(frame.parent))
        {
            parent.add_inner(frame.used());
        }
        self.frames.push(frame);
        self.ends.push(u32::MAX);
        self.spine.push((number, 0));
        self.derive(number);
    }

    fn close_last(&mut self, end: u32) {
        let Some((closed, children)) = self.spine.pop() else { return };
        if let Some(place) = self.ends.get_mut(at(closed)) {
            *place = end;
        }
        let said = self.get(closed).and_then(Frame::children);
        self.mismatches += u32::from(said.is_some_and(|said| said != children));
    }

    /// Nothing more comes.
    fn close_all(&mut self) {
        let end = self.len();
        while !self.spine.is_empty() {
            self.close_last(end);
        }
    }

    /// Merges late entries, sorted by path, into the frames.
    fn place(&mut self, aside: &[Aside]) -> Moves {
        let old = std::mem::take(&mut self.frames);
        (self.ends, self.spine, self.index) = (Vec::new(), Vec::new(), Index::default());
        self.mismatches = 0;
        let mut merge = Merge { tree: self, path: Vec::new() };
        let mut moves = Vec::with_capacity(old.len());
        let mut late = aside.iter().peekable();
        let mut path = Vec::new();
        // They belong to the transaction: the first root that is no reward.
        let mut has_root = false;
        for frame in old {
            path.truncate(usize::from(frame.depth.saturating_sub(1)));
            if frame.depth > 0 {
                path.push(frame.nth);
            }
            let ends_root = frame.depth == 0 && has_root;
            has_root |= frame.kind != Kind::Reward;
            while let Some(entry) = late.next_if(|entry| ends_root || *entry.path < *path) {
                merge.put(&entry.path, entry.frame);
            }
            moves.push(merge.put(&path, frame));
        }
        for entry in late {
            merge.put(&entry.path, entry.frame);
        }
        Moves(moves)
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
    pub fn get(&self, frame: u32) -> Option<&Frame> {
        self.frames.get(at(frame))
    }

    /// All frames in pre-order.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// One past the subtree of a frame.
    pub fn end(&self, frame: u32) -> u32 {
        self.ends.get(at(frame)).copied().unwrap_or(u32::MAX).min(self.len())
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
    pub fn above(&self, frame: u32) -> impl Iterator<Item = u32> {
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
        let numbered = |f: u32| self.parent(f).and(self.get(f)).map(|f| f.nth);
        let mut path: Vec<u32> =
            std::iter::once(frame).chain(self.above(frame)).filter_map(numbered).collect();
        path.reverse();
        path
    }

    /// The frame at a path.
    pub fn find(&self, path: &[u32]) -> Option<u32> {
        let below = |above, nth: &u32| {
            self.children(above).find(|child| self.get(*child).is_some_and(|f| f.nth == *nth))
        };
        self.roots().find_map(|root| path.iter().try_fold(root, below))
    }

    /// What became of a frame.
    pub fn outcome(&self, frame: u32) -> Option<Outcome> {
        let it = self.get(frame)?;
        let caller_stands = || self.parent(frame).and_then(|p| self.get(p)).map(|p| !p.failed());
        Some(match (it.failed(), it.is_below_failure()) {
            (true, _) if caller_stands() == Some(true) => Outcome::Caught,
            (true, _) => Outcome::Failed,
            (false, true) => Outcome::Undone,
            (false, false) => Outcome::Kept,
        })
    }

    /// What a subtree comes to.
    pub fn sum(&self, frame: u32) -> Sum {
        let range = self.subtree(frame);
        let failed = &self.index.failed;
        let before = |number: u32| failed.partition_point(|f| *f < number);
        let moved = self.index.moved_before(range.end);
        let until = self.index.moved_before(frame.saturating_add(1));
        Sum {
            calls: range.end.saturating_sub(range.start),
            failed: before(range.end) - before(range.start),
            moved: Some(moved).filter(|sum| *sum != U256::MAX).map(|sum| sum - until),
        }
    }

    /// The next, or the previous, frame of a sort.
    pub fn jump(&self, from: u32, sort: Sort, ahead: bool) -> Option<u32> {
        let near = |list: &[u32]| {
            if ahead {
                list.get(list.partition_point(|f| *f <= from)).copied()
            } else {
                list.get(list.partition_point(|f| *f < from).checked_sub(1)?).copied()
            }
        };
        match sort {
            Sort::Failed => near(&self.index.failed),
            Sort::Created => near(&self.index.created),
            Sort::Delegated => near(&self.index.delegated),
            Sort::Valued => {
                let valued = &self.index.valued;
                let next = valued.partition_point(|(f, _)| *f <= from);
                let previous = || valued.partition_point(|(f, _)| *f < from).checked_sub(1);
                valued.get(if ahead { next } else { previous()? }).map(|(f, _)| *f)
            }
        }
    }

    /// How many frames of a sort there are.
    pub fn count(&self, sort: Sort) -> usize {
        match sort {
            Sort::Failed => self.index.failed.len(),
            Sort::Created => self.index.created.len(),
            Sort::Delegated => self.index.delegated.len(),
            Sort::Valued => self.index.valued.len(),
        }
    }

    /// Every frame of a sort, in order.
    pub fn all(&self, sort: Sort) -> Vec<u32> {
        match sort {
            Sort::Failed => self.index.failed.clone(),
            Sort::Created => self.index.created.clone(),
            Sort::Delegated => self.index.delegated.clone(),
            Sort::Valued => self.index.valued.iter().map(|(frame, _)| *frame).collect(),
        }
    }

    /// What the body said at its end; none while it is being read.
    pub fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// What the body is.
    pub fn dialect(&self) -> &Dialect {
        self.ending.as_ref().map_or(&Dialect::Unknown, |ending| &ending.dialect)
    }

    /// Frames whose parent is missing: they hang on the nearest one above them.
    pub fn strays(&self) -> u32 {
        self.strays
    }

    /// A text of the body, unescaped and safe.
    pub fn text(&self, span: Span) -> Option<Text> {
        if !span.is_some() {
            return None;
        }
        Some(Text::new(&unescaped(&self.body.bytes(span))))
    }

    /// The address in a range; none when there is none, or it is not one.
    pub fn address(&self, span: Span) -> Option<Address> {
        let text = self.body.head(span, 64);
        std::str::from_utf8(&text).ok()?.parse().ok()
    }

    /// What a frame carries, in wei. None when the trace does not say, or not readably.
    pub fn value(&self, frame: u32) -> Option<U256> {
        number(&self.body.head(self.get(frame)?.value, 80))
    }

    /// The bytes that hex in a range stands for, at most `most` of them.
    pub fn hex(&self, span: Span, most: usize) -> Option<Vec<u8>> {
        if !span.is_some() {
            return None;
        }
        let digits = (most as u64).saturating_mul(2).saturating_add(2);
        unhex(&if span.len() == super::input_data::LONGEST && digits >= span.len() {
            self.body.bytes(span)
        } else {
            self.body.head(span, digits)
        })
    }

    /// How many bytes the hex in a range stands for.
    pub fn hex_len(&self, span: Span) -> Option<u64> {
        span.is_some().then(|| self.body.true_len(span).saturating_sub(2) / 2)
    }

    /// The first four bytes of a call's calldata, if there are as many.
    pub fn selector(&self, frame: u32) -> Option<[u8; 4]> {
        let frame = self.get(frame).filter(|f| !f.kind.creates())?;
        self.hex(frame.input, 4)?.try_into().ok()
    }
}

impl Index {
    fn add(&mut self, number: u32, frame: &Frame, value: Option<U256>) {
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
            let before = self.valued.last().map_or(U256::ZERO, |(_, sum)| *sum);
            let moves = frame.is_kept() && frame.kind.moves_value();
            let more = value.filter(|_| moves).unwrap_or_default();
            self.valued.push((number, before.saturating_add(more)));
        }
    }

    /// Forgets everything from a frame on.
    fn cut(&mut self, from: u32) {
        for list in [&mut self.failed, &mut self.created, &mut self.delegated] {
            list.truncate(list.partition_point(|f| *f < from));
        }
        self.valued.truncate(self.valued.partition_point(|(f, _)| *f < from));
    }

    fn moved_before(&self, number: u32) -> U256 {
        let next = self.valued.partition_point(|(f, _)| *f < number);
        next.checked_sub(1).and_then(|last| self.valued.get(last)).map_or(U256::ZERO, |(_, s)| *s)
    }
}

/// Frames and late entries on their way into one order.
struct Merge<'a> {
    tree: &'a mut Tree,
    /// The path of each frame on the spine.
    path: Vec<Box<[u32]>>,
}

impl Merge<'_> {
    /// Appends what comes next in the order of paths; its number.
    fn put(&mut self, path: &[u32], mut frame: Frame) -> u32 {
        let is_above = |above: &[u32]| above.len() < path.len() && path.starts_with(above);
        while self.path.last().is_some_and(|above| !is_above(above)) {
            self.path.pop();
        }
        let nearest = self.path.last().map_or(0, |above| above.len());
        let stray = path.len() > nearest + 1 || (self.path.is_empty() && !path.is_empty());
        frame.set_stray(stray);
        self.tree.strays += u32::from(stray);
        frame.depth = u16::try_from(self.path.len()).unwrap_or(u16::MAX);
        frame.nth = path.last().copied().unwrap_or_default();
        self.path.push(path.into());
        let number = self.tree.len();
        self.tree.append(frame);
        number
    }
}

/// A JSON string without its escapes. Bad ones stay as they are.
pub(super) fn unescaped(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    if !text.contains('\\') {
        return text.into_owned();
    }
    let quoted: Cow<'_, str> = Cow::Owned(["\"", &text, "\""].concat());
    serde_json::from_str(&quoted).unwrap_or_else(|_| text.into_owned())
}

/// A number in hex, or in decimal as some nodes write it.
fn number(text: &[u8]) -> Option<U256> {
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
    fn frames(of: &[(u16, u32, bool)]) -> Vec<Frame> {
        let frame = |(depth, nth, failed): &(u16, u32, bool)| {
            let mut frame = Frame::new(Kind::Call, *depth, *nth);
            frame.set_failed(*failed);
            frame
        };
        of.iter().map(frame).collect()
    }

    fn grown(of: &[(u16, u32, bool)]) -> Tree {
        let mut tree = Tree::default();
        tree.grow(Part { frames: frames(of), ..Part::default() });
        tree
    }

    /// A root that holds 7, 0x0a and 2^256 - 1 wei in calls, the second of which failed.
    fn valued() -> Tree {
        let mut tree = Tree::default();
        let body = format!("70x0a0x{}", "f".repeat(64));
        let mut frames = frames(&[(0, 0, false), (1, 0, false), (1, 1, true), (1, 2, false)]);
        for (frame, (at, len)) in frames.iter_mut().skip(1).zip([(0, 1), (1, 4), (5, 66)]) {
            frame.value = Span::new(at, len);
            frame.set_valued(true);
        }
        tree.grow(Part { bytes: Bytes::from(body), frames, ..Part::default() });
        tree
    }

    const SMALL: [(u16, u32, bool); 6] =
        [(0, 0, false), (1, 0, true), (2, 0, false), (2, 1, true), (1, 1, false), (2, 0, true)];

    #[test]
    fn what_failed_takes_with_it_what_it_did() {
        let tree = grown(&SMALL);
        let outcomes: Vec<Outcome> = (0..6).filter_map(|n| tree.outcome(n)).collect();
        let (kept, caught) = (Outcome::Kept, Outcome::Caught);
        assert_eq!(outcomes, [kept, caught, Outcome::Undone, Outcome::Failed, kept, caught]);
        assert_eq!(tree.outcome(6), None);
    }

    #[test]
    fn walks_over_the_tree() {
        let tree = grown(&SMALL);
        assert_eq!(tree.children(0).collect::<Vec<_>>(), [1, 4]);
        assert_eq!(tree.children(1).collect::<Vec<_>>(), [2, 3]);
        assert_eq!((tree.subtree(1), tree.subtree(5), tree.subtree(0)), (1..4, 5..6, 0..6));
        assert_eq!(tree.above(3).collect::<Vec<_>>(), [1, 0]);
        assert_eq!((tree.path(3), tree.path(0)), (vec![0, 1], vec![]));
        assert_eq!(
            (tree.find(&[0, 1]), tree.find(&[1, 1]), tree.find(&[])),
            (Some(3), None, Some(0))
        );
        assert_eq!((Tree::default().roots().count(), Tree::default().find(&[])), (0, None));
    }

    #[test]
    fn jumps_go_to_the_nearest_of_a_sort() {
        let tree = grown(&SMALL);
        let jump = |from, ahead| tree.jump(from, Sort::Failed, ahead);
        assert_eq!((jump(0, true), jump(1, true), jump(5, true)), (Some(1), Some(3), None));
        assert_eq!((jump(5, false), jump(2, false), jump(1, false)), (Some(3), Some(1), None));
        assert_eq!(tree.sum(0).failed, 3);
        let valued = valued();
        assert_eq!(valued.jump(1, Sort::Valued, true), Some(2));
        assert_eq!(valued.jump(1, Sort::Valued, false), None);
    }

    #[test]
    fn sums_leave_out_what_was_undone_and_say_when_they_overflow() {
        let mut tree = valued();
        assert_eq!(tree.sum(0).moved, None, "more than 256 bits");
        assert_eq!(tree.sum(1).moved, Some(U256::ZERO), "what it moves itself is not below it");
        let mut last = *tree.get(3).unwrap();
        last.set_failed(true);
        tree.grow(Part { filled: vec![(3, last)], ..Part::default() });
        assert_eq!(tree.sum(0).moved.unwrap(), 7);
    }

    #[test]
    fn a_frame_that_is_filled_later_changes_what_hangs_on_it() {
        let mut tree = Tree::default();
        let mut open = Frame::new(Kind::Other, 0, 0);
        open.set_open(true);
        let mut inner = Frame::new(Kind::Call, 1, 0);
        inner.set_gas(None, Some(30));
        tree.grow(Part { frames: vec![open, inner], ..Part::default() });
        assert_eq!(tree.outcome(1), Some(Outcome::Kept));
        let mut root = Frame::new(Kind::Create, 0, 0);
        root.set_gas(Some(100), Some(70));
        root.set_failed(true);
        // A number that was never sent changes nothing.
        tree.grow(Part { filled: vec![(0, root), (9, root)], ..Part::default() });
        assert_eq!(tree.outcome(1), Some(Outcome::Undone));
        assert_eq!((tree.all(Sort::Created), tree.all(Sort::Failed)), (vec![0], vec![0]));
        assert_eq!(tree.get(0).unwrap().own(), Some((40, true)));
    }

    #[test]
    fn late_entries_move_the_frames_after_them() {
        let mut tree = grown(&[(0, 0, false), (1, 1, false), (2, 0, false)]);
        let frame = Frame::new(Kind::Call, 0, 0);
        let aside = |path: &[u32]| Aside { path: path.into(), frame };
        let ending = Ending {
            aside: vec![aside(&[0]), aside(&[0, 2]), aside(&[3, 5])],
            ..Ending::default()
        };
        let moves = tree.grow(Part { ending: Some(ending), ..Part::default() }).unwrap();
        assert_eq!([0, 1, 2].map(|frame| moves.get(frame)), [0, 3, 4]);
        let places: Vec<Vec<u32>> = (0..tree.len()).map(|n| tree.path(n)).collect();
        assert_eq!(places, [vec![], vec![0], vec![0, 2], vec![1], vec![1, 0], vec![5]]);
        assert_eq!((tree.strays(), tree.end(1), tree.end(0)), (1, 3, 6));
        assert!(tree.ending().unwrap().aside.is_empty(), "they are in the tree now");
    }

    #[test]
    fn texts_and_numbers_of_a_body() {
        let mut tree = Tree::default();
        let body = r#"a\u001b\"0x12345"#;
        tree.grow(Part { bytes: Bytes::from(body), ..Part::default() });
        assert_eq!(&*tree.text(Span::new(0, 9)).unwrap(), "a␛\"");
        assert_eq!(tree.hex(Span::new(9, 7), 9).unwrap(), [0x12, 0x34], "a half byte is none");
        assert_eq!(tree.hex(Span::new(9, 7), 1).unwrap(), [0x12]);
        assert_eq!((tree.text(Span::NONE), tree.hex(Span::NONE, 9)), (None, None));
        assert_eq!(number(b"0x"), Some(U256::ZERO));
        assert_eq!((number(b""), number(b"0xg"), number(b"ten")), (None, None, None));
    }
}
