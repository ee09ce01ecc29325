//! The call tree: frames in pre-order in one vector, and the end of each frame's subtree.
//!
//! A frame's number is its index, and its subtree the frames up to its end. `growth` appends chunks: entries in
//! call order extend the vector, all others wait to be merged at the end. `index` has the numbers of failures, calls
//! with value and the like, and `values` reads what a frame refers to in the body.

mod growth;
mod index;
#[cfg(test)]
mod tests;
mod values;

use std::ops::Range;

use self::growth::SpineFrame;
pub use self::index::FrameClass;
use self::index::FrameIndex;
pub(super) use self::values::unescape_json;
use super::{CallFrame, TraceBody, TraceFormat, TraceSummary};

#[derive(Debug, Clone, Default)]
pub struct CallTree {
    pub body: TraceBody,
    frames: Vec<CallFrame>,
    /// One past the subtree of each frame, apart from the frames so that a walk over siblings touches
    /// only four bytes per frame.
    ends: Vec<u32>,
    /// The last frame and its ancestors, outermost first: the frames that may still get children.
    spine: Vec<SpineFrame>,
    index: FrameIndex,
    summary: Option<TraceSummary>,
    orphan_count: u32,
    child_count_mismatches: u32,
}

/// Converts a frame's number to an index. If `usize` is too small, it is out of range.
pub(crate) fn to_index(frame: u32) -> usize {
    usize::try_from(frame).unwrap_or(usize::MAX)
}

/// Formats a path as `0.3.1`, or as `root` if it is empty.
pub fn format_path(path: &[u32]) -> String {
    match path {
        [] => "root".into(),
        path => path.iter().map(u32::to_string).collect::<Vec<_>>().join("."),
    }
}

impl CallTree {
    pub fn len(&self) -> u32 {
        u32::try_from(self.frames.len()).unwrap_or(u32::MAX)
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub fn get(&self, frame: u32) -> Option<&CallFrame> {
        self.frames.get(to_index(frame))
    }

    pub fn frames(&self) -> &[CallFrame] {
        &self.frames
    }

    /// Returns one past the subtree of a frame.
    pub fn end(&self, frame: u32) -> u32 {
        self.ends.get(to_index(frame)).copied().unwrap_or(u32::MAX).min(self.len())
    }

    pub fn subtree(&self, frame: u32) -> Range<u32> {
        frame..self.end(frame)
    }

    pub fn parent(&self, frame: u32) -> Option<u32> {
        self.get(frame).map(|f| f.parent).filter(|parent| *parent != frame)
    }

    /// Returns the ancestors of a frame, nearest first.
    pub fn ancestors(&self, frame: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(self.parent(frame), |above| self.parent(*above))
    }

    pub fn children(&self, frame: u32) -> impl Iterator<Item = u32> {
        let end = self.end(frame);
        let first = Some(frame.saturating_add(1)).filter(|first| *first < end);
        std::iter::successors(first, move |child| Some(self.end(*child)).filter(|next| *next < end))
    }

    /// Returns the frames without a parent: usually one, but more if the node lists a block's rewards.
    pub fn roots(&self) -> impl Iterator<Item = u32> {
        let first = Some(0).filter(|_| !self.is_empty());
        std::iter::successors(first, |root| Some(self.end(*root)).filter(|next| *next < self.len()))
    }

    /// Returns `true` if both have calls at the same paths.
    pub fn has_shape_of(&self, other: &Self) -> bool {
        self.ends == other.ends
    }

    pub fn path(&self, frame: u32) -> Vec<u32> {
        let child_index = |f: u32| self.parent(f).and(self.get(f)).map(|f| f.child_index);
        let mut path: Vec<u32> =
            std::iter::once(frame).chain(self.ancestors(frame)).filter_map(child_index).collect();
        path.reverse();
        path
    }

    pub fn find(&self, path: &[u32]) -> Option<u32> {
        let child = |parent, index: &u32| {
            self.children(parent).find(|f| self.get(*f).is_some_and(|f| f.child_index == *index))
        };
        self.roots().find_map(|root| path.iter().try_fold(root, child))
    }

    pub fn summary(&self) -> Option<&TraceSummary> {
        self.summary.as_ref()
    }

    pub fn format(&self) -> &TraceFormat {
        self.summary.as_ref().map_or(&TraceFormat::Unknown, |summary| &summary.format)
    }

    /// Returns the number of frames whose parents are missing. They are children of their nearest
    /// present ancestor.
    pub fn orphan_count(&self) -> u32 {
        self.orphan_count
    }
}
