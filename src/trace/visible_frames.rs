//! The visible frames of a tree, after collapsing subtrees and hiding frames.
//!
//! Rows are the numbers of the visible frames, ascending: a row's frame is an index, a frame's row a
//! binary search. Collapsing removes a range of rows, expanding inserts one. While siblings are sorted,
//! finding a row is a linear search and every fold collects all rows again.

use super::CallTree;
use super::fold_state::FoldState;
use super::tree::to_index;

/// The folds of a tree and the rows that remain visible.
#[derive(Debug, Clone, Default)]
pub struct VisibleFrames {
    folds: FoldState,
    /// Hidden frames; empty if there are none. Hiding a frame does not hide the frames below it.
    hidden: Vec<bool>,
    rows: Vec<u32>,
    /// Sorts siblings, largest first; they are in call order if there are no keys.
    sort_keys: Option<Vec<u128>>,
    /// The last of each group of sorted siblings, ascending.
    last_sorted: Vec<u32>,
    /// Counts the changes of the rows.
    revision: u32,
}

impl VisibleFrames {
    /// Adds the new frames at the end of the tree, expanded.
    pub fn extend(&mut self, tree: &CallTree) {
        let known = self.folds.len();
        self.folds.extend_to(tree.len());
        if !self.hidden.is_empty() {
            self.hidden.resize(to_index(tree.len()), false);
        }
        let collapsed = tree.ancestors(known).filter(|above| !self.is_expanded(*above)).last();
        let from = collapsed.map_or(known, |above| tree.end(above).max(known));
        let mut rows = std::mem::take(&mut self.rows);
        self.collect(tree, from, tree.len(), &mut rows);
        self.set_rows(rows);
    }

    fn set_rows(&mut self, rows: Vec<u32>) {
        self.rows = rows;
        self.revision = self.revision.wrapping_add(1);
    }

    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Returns a number that differs after every change of the rows.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// Returns the row of a frame, or of the collapsed frame that contains it.
    pub fn row_of(&self, frame: u32) -> usize {
        if self.sort_keys.is_some() {
            return self.rows.iter().position(|row| *row == frame).unwrap_or(0);
        }
        match self.rows.binary_search(&frame) {
            Ok(row) => row,
            Err(next) => next.saturating_sub(1),
        }
    }

    pub fn is_visible(&self, frame: u32) -> bool {
        match self.sort_keys {
            Some(_) => self.rows.contains(&frame),
            None => self.rows.binary_search(&frame).is_ok(),
        }
    }

    pub fn is_sorted(&self) -> bool {
        self.sort_keys.is_some()
    }

    /// Sorts siblings by a key of each frame, largest first, or restores the call order.
    pub fn sort_siblings(&mut self, tree: &CallTree, keys: Option<Vec<u128>>) {
        self.sort_keys = keys;
        self.rebuild(tree);
    }

    /// Returns `true` if a frame is the last of its siblings in the shown order.
    pub fn is_last_sibling(&self, tree: &CallTree, frame: u32) -> bool {
        match self.sort_keys {
            Some(_) => self.last_sorted.binary_search(&frame).is_ok(),
            None => tree.parent(frame).is_none_or(|parent| {
                let next = self.rows.partition_point(|row| *row < tree.end(frame));
                self.rows.get(next).is_none_or(|row| *row >= tree.end(parent))
            }),
        }
    }

    pub fn is_expanded(&self, frame: u32) -> bool {
        self.folds.is_expanded(frame)
    }

    /// Returns `true` if a frame is hidden, regardless of folds.
    pub fn is_hidden(&self, frame: u32) -> bool {
        self.hidden.get(to_index(frame)).copied().unwrap_or_default()
    }

    pub fn set_expanded(&mut self, tree: &CallTree, frame: u32, expanded: bool) {
        if self.is_expanded(frame) == expanded {
            return;
        }
        self.folds.set(frame, expanded);
        let found = self.rows.binary_search(&frame);
        let (Ok(row), None) = (found, &self.sort_keys) else {
            // The children of a hidden frame may be visible.
            return self.rebuild(tree);
        };
        let end = tree.end(frame);
        let after = self.rows.partition_point(|f| *f < end);
        let mut below = Vec::new();
        if expanded {
            self.collect(tree, frame.saturating_add(1), end, &mut below);
        }
        self.rows.splice(row + 1..after, below);
        self.revision = self.revision.wrapping_add(1);
    }

    pub fn set_many(&mut self, tree: &CallTree, frames: impl IntoIterator<Item = (u32, bool)>) {
        for (frame, expanded) in frames {
            self.folds.set(frame, expanded);
        }
        self.rebuild(tree);
    }

    pub fn set_all(&mut self, tree: &CallTree, expanded: impl Fn(u32) -> bool) {
        self.folds = (0..tree.len()).map(expanded).collect();
        self.rebuild(tree);
    }

    /// Expands the ancestors of a frame and returns those that were collapsed.
    pub fn reveal(&mut self, tree: &CallTree, frame: u32) -> Vec<u32> {
        let collapsed: Vec<u32> =
            tree.ancestors(frame).filter(|above| !self.is_expanded(*above)).collect();
        // Outermost first, so that each is visible when it is expanded.
        for above in collapsed.iter().rev() {
            self.set_expanded(tree, *above, true);
        }
        collapsed
    }

    /// Hides frames, and sorts siblings as [`Self::sort_siblings`] does. An empty mask hides none.
    pub fn arrange(&mut self, tree: &CallTree, mask: Vec<bool>, keys: Option<Vec<u128>>) {
        let is_plain = |mask: &[bool], keys: &Option<_>| mask.is_empty() && keys.is_none();
        if is_plain(&mask, &keys) && is_plain(&self.hidden, &self.sort_keys) {
            return;
        }
        (self.hidden, self.sort_keys) = (mask, keys);
        self.rebuild(tree);
    }

    /// Renumbers the folds after frames were inserted into the tree, and resets the rest of the state.
    pub fn remap(&mut self, tree: &CallTree, new_number: impl Fn(u32) -> u32) {
        let old = std::mem::replace(&mut self.folds, FoldState::uniform(tree.len(), true));
        (self.hidden, self.sort_keys) = (Vec::new(), None);
        self.set_many(tree, old.collapsed().map(|frame| (new_number(frame), false)));
    }

    fn rebuild(&mut self, tree: &CallTree) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        match &self.sort_keys {
            Some(keys) => self.last_sorted = self.collect_sorted(tree, keys, &mut rows),
            None => self.collect(tree, 0, tree.len(), &mut rows),
        }
        self.set_rows(rows);
    }

    /// Collects the visible frames. Returns the last of each frame's children.
    fn collect_sorted(&self, tree: &CallTree, keys: &[u128], rows: &mut Vec<u32>) -> Vec<u32> {
        let mut pending: Vec<u32> = tree.roots().collect();
        pending.reverse();
        let mut last = Vec::new();
        while let Some(frame) = pending.pop() {
            if !self.is_hidden(frame) {
                rows.push(frame);
            }
            if self.is_expanded(frame) {
                let mut children: Vec<u32> = tree.children(frame).collect();
                children.sort_unstable_by_key(|frame| {
                    let key = keys.get(to_index(*frame)).copied().unwrap_or(0);
                    (std::cmp::Reverse(key), *frame)
                });
                last.extend(children.iter().rfind(|frame| !self.is_hidden(**frame)));
                pending.extend(children.into_iter().rev());
            }
        }
        last.sort_unstable();
        last
    }

    /// Collects the visible frames in a range of whole subtrees.
    fn collect(&self, tree: &CallTree, from: u32, to: u32, rows: &mut Vec<u32>) {
        let mut frame = from;
        while frame < to {
            if !self.is_hidden(frame) {
                rows.push(frame);
            }
            frame = self.folds.next_visible(frame, || tree.end(frame));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::TraceChunk;
    use crate::trace::test_util::{calls_by_level_ups, sample_tree};

    /// Collects the visible frames without an index.
    fn expected_rows(tree: &CallTree, visible: &VisibleFrames) -> Vec<u32> {
        let is_visible =
            |frame: &u32| tree.ancestors(*frame).all(|above| visible.is_expanded(above));
        (0..tree.len()).filter(|f| is_visible(f) && !visible.is_hidden(*f)).collect()
    }

    proptest! {
        #[test]
        fn rows_are_the_visible_frames(
            ups in prop::collection::vec(0usize..4, 0..40),
            folds in prop::collection::vec((0u32..41, any::<bool>()), 0..30),
            hidden in prop::collection::vec(any::<bool>(), 41),
            hide in any::<bool>(),
        ) {
            let tree = sample_tree(&calls_by_level_ups(&ups));
            let mut visible = VisibleFrames::default();
            visible.extend(&tree);
            if hide {
                visible.arrange(&tree, hidden.into_iter().take(ups.len() + 1).collect(), None);
            }
            for (frame, open) in folds {
                visible.set_expanded(&tree, frame.min(tree.len() - 1), open);
                prop_assert_eq!(visible.rows(), expected_rows(&tree, &visible));
            }
            let last = tree.len() - 1;
            visible.reveal(&tree, last);
            prop_assert!(visible.is_visible(last) != visible.is_hidden(last));
        }

        #[test]
        fn frames_added_below_a_fold_stay_hidden(
            ups in prop::collection::vec(0usize..4, 1..40),
            at in 0usize..40,
            fold in 0u32..40,
        ) {
            let whole = sample_tree(&calls_by_level_ups(&ups));
            let at = at.min(ups.len());
            let (first, rest) = whole.frames().split_at(at);
            let part = |frames: &[crate::trace::CallFrame]| TraceChunk { frames: frames.to_vec(), ..TraceChunk::default() };
            let (mut tree, mut visible) = (CallTree::default(), VisibleFrames::default());
            tree.apply_chunk(part(first));
            visible.extend(&tree);
            if !tree.is_empty() {
                visible.set_expanded(&tree, fold % tree.len(), false);
            }
            tree.apply_chunk(part(rest));
            visible.extend(&tree);
            prop_assert_eq!(visible.rows(), expected_rows(&tree, &visible));
        }
    }

    #[test]
    fn siblings_are_sorted_below_their_caller() {
        // 0 ( 1 (2 3) 4 (5) )
        let tree = sample_tree(&calls_by_level_ups(&[0, 0, 1, 2, 0]));
        let mut visible = VisibleFrames::default();
        visible.extend(&tree);
        visible.sort_siblings(&tree, Some(vec![9, 1, 5, 6, 8, 2]));
        assert_eq!(visible.rows(), [0, 4, 5, 1, 3, 2]);
        assert_eq!(visible.row_of(3), 4);
        visible.set_expanded(&tree, 1, false);
        assert_eq!(visible.rows(), [0, 4, 5, 1]);
        visible.sort_siblings(&tree, None);
        assert_eq!(visible.rows(), [0, 1, 4, 5]);
    }
}
