//! Which frames are in sight: what is folded, and what is left out.
//!
//! Rows are the numbers of the frames in sight, ascending: a row's frame is an index, a frame's row a
//! binary search. Folding takes a range of rows out, unfolding puts one in. Only where siblings are
//! sorted otherwise, a row is looked for from the first, and every fold collects the rows anew.

use super::CallTree;
use super::tree::to_index;

/// A way to look at a tree.
#[derive(Debug, Clone, Default)]
pub struct VisibleFrames {
    /// Whether what is below a frame is in sight, when the frame itself is.
    expanded: Vec<bool>,
    /// Frames that are left out; nothing is, when it is empty. What is below a frame that is left
    /// out is judged for itself.
    hidden: Vec<bool>,
    rows: Vec<u32>,
    /// Siblings stand by this, the largest first, instead of as they were called.
    sort_keys: Option<Vec<u128>>,
}

impl VisibleFrames {
    /// Takes in frames that are new at the end of the tree: unfolded, as far as nothing above them
    /// is folded.
    pub fn extend(&mut self, tree: &CallTree) {
        let known = u32::try_from(self.expanded.len()).unwrap_or(u32::MAX);
        self.expanded.resize(to_index(tree.len()), true);
        if !self.hidden.is_empty() {
            self.hidden.resize(to_index(tree.len()), false);
        }
        let folded = tree.ancestors(known).filter(|above| !self.is_expanded(*above)).last();
        let from = folded.map_or(known, |above| tree.end(above).max(known));
        let mut rows = std::mem::take(&mut self.rows);
        self.collect(tree, from, tree.len(), &mut rows);
        self.rows = rows;
    }

    /// The frames in sight.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The row of a frame; of one that is not in sight, the row of what it is hidden in.
    pub fn row_of(&self, frame: u32) -> usize {
        if self.sort_keys.is_some() {
            return self.rows.iter().position(|row| *row == frame).unwrap_or(0);
        }
        match self.rows.binary_search(&frame) {
            Ok(row) => row,
            Err(next) => next.saturating_sub(1),
        }
    }

    /// Whether a frame is in sight.
    pub fn is_visible(&self, frame: u32) -> bool {
        match self.sort_keys {
            Some(_) => self.rows.contains(&frame),
            None => self.rows.binary_search(&frame).is_ok(),
        }
    }

    /// Sorts siblings by a key of each frame, the largest first, or not at all.
    pub fn sort_siblings(&mut self, tree: &CallTree, keys: Option<Vec<u128>>) {
        self.sort_keys = keys;
        self.rebuild(tree);
    }

    /// Whether what is below a frame is in sight, when the frame is.
    pub fn is_expanded(&self, frame: u32) -> bool {
        self.expanded.get(to_index(frame)).copied().unwrap_or(true)
    }

    /// Whether a frame is left out.
    pub fn is_hidden(&self, frame: u32) -> bool {
        self.hidden.get(to_index(frame)).copied().unwrap_or_default()
    }

    /// Folds or unfolds a frame.
    pub fn set_expanded(&mut self, tree: &CallTree, frame: u32, open: bool) {
        if self.is_expanded(frame) == open {
            return;
        }
        if let Some(place) = self.expanded.get_mut(to_index(frame)) {
            *place = open;
        }
        let found = self.rows.binary_search(&frame);
        let (Ok(row), None) = (found, &self.sort_keys) else {
            // A frame that is left out has children of its own in sight.
            return self.rebuild(tree);
        };
        let end = tree.end(frame);
        let after = self.rows.partition_point(|f| *f < end);
        let mut below = Vec::new();
        if open {
            self.collect(tree, frame.saturating_add(1), end, &mut below);
        }
        self.rows.splice(row + 1..after, below);
    }

    /// Folds or unfolds many frames.
    pub fn set_many(&mut self, tree: &CallTree, frames: impl IntoIterator<Item = (u32, bool)>) {
        for (frame, open) in frames {
            if let Some(place) = self.expanded.get_mut(to_index(frame)) {
                *place = open;
            }
        }
        self.rebuild(tree);
    }

    /// Folds or unfolds each frame as `expanded` says of it.
    pub fn set_all(&mut self, tree: &CallTree, open: impl Fn(u32) -> bool) {
        self.expanded = (0..tree.len()).map(open).collect();
        self.rebuild(tree);
    }

    /// Unfolds whatever hides a frame; the frames that were folded.
    pub fn reveal(&mut self, tree: &CallTree, frame: u32) -> Vec<u32> {
        let folded: Vec<u32> =
            tree.ancestors(frame).filter(|above| !self.is_expanded(*above)).collect();
        // The outermost first, so that each is in sight when it is unfolded.
        for above in folded.iter().rev() {
            self.set_expanded(tree, *above, true);
        }
        folded
    }

    /// Leaves frames out; none when `which` is empty.
    pub fn hide(&mut self, tree: &CallTree, which: Vec<bool>) {
        self.hidden = which;
        self.rebuild(tree);
    }

    /// Follows frames to their new numbers.
    pub fn remap(&mut self, tree: &CallTree, to: impl Fn(u32) -> u32) {
        let folded: Vec<u32> =
            (0..).zip(&self.expanded).filter(|(_, open)| !**open).map(|(f, _)| f).collect();
        self.expanded = vec![true; to_index(tree.len())];
        (self.hidden, self.sort_keys) = (Vec::new(), None);
        self.set_many(tree, folded.into_iter().map(|frame| (to(frame), false)));
    }

    fn rebuild(&mut self, tree: &CallTree) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        match &self.sort_keys {
            Some(keys) => self.collect_sorted(tree, keys, &mut rows),
            None => self.collect(tree, 0, tree.len(), &mut rows),
        }
        self.rows = rows;
    }

    /// All frames in sight, siblings by their keys.
    fn collect_sorted(&self, tree: &CallTree, keys: &[u128], rows: &mut Vec<u32>) {
        let key = |frame: &u32| std::cmp::Reverse(keys.get(to_index(*frame)).copied().unwrap_or(0));
        let mut open: Vec<u32> = tree.roots().collect();
        open.reverse();
        while let Some(frame) = open.pop() {
            if !self.is_hidden(frame) {
                rows.push(frame);
            }
            if self.is_expanded(frame) {
                let mut children: Vec<u32> = tree.children(frame).collect();
                children.sort_by_key(key);
                open.extend(children.into_iter().rev());
            }
        }
    }

    /// The frames in sight from one to another.
    fn collect(&self, tree: &CallTree, from: u32, to: u32, rows: &mut Vec<u32>) {
        let mut frame = from;
        while frame < to {
            if !self.is_hidden(frame) {
                rows.push(frame);
            }
            frame = if self.is_expanded(frame) { frame + 1 } else { tree.end(frame) };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::TraceChunk;
    use crate::trace::test_util::{calls_by_level_ups, sample_tree};

    /// What is in sight, the slow way.
    fn naive(tree: &CallTree, outline: &VisibleFrames) -> Vec<u32> {
        let in_sight = |frame: &u32| tree.ancestors(*frame).all(|above| outline.is_expanded(above));
        (0..tree.len()).filter(|f| in_sight(f) && !outline.is_hidden(*f)).collect()
    }

    proptest! {
        #[test]
        fn rows_are_what_is_in_sight(
            ups in prop::collection::vec(0usize..4, 0..40),
            folds in prop::collection::vec((0u32..41, any::<bool>()), 0..30),
            left_out in prop::collection::vec(any::<bool>(), 41),
            hide in any::<bool>(),
        ) {
            let tree = sample_tree(&calls_by_level_ups(&ups));
            let mut outline = VisibleFrames::default();
            outline.extend(&tree);
            if hide {
                outline.hide(&tree, left_out.into_iter().take(ups.len() + 1).collect());
            }
            for (frame, open) in folds {
                outline.set_expanded(&tree, frame.min(tree.len() - 1), open);
                prop_assert_eq!(outline.rows(), naive(&tree, &outline));
            }
            let last = tree.len() - 1;
            outline.reveal(&tree, last);
            prop_assert!(outline.is_visible(last) != outline.is_hidden(last));
        }

        #[test]
        fn what_grows_below_a_fold_stays_hidden(
            ups in prop::collection::vec(0usize..4, 1..40),
            at in 0usize..40,
            fold in 0u32..40,
        ) {
            let whole = sample_tree(&calls_by_level_ups(&ups));
            let at = at.min(ups.len());
            let (first, rest) = whole.frames().split_at(at);
            let part = |frames: &[crate::trace::CallFrame]| TraceChunk { frames: frames.to_vec(), ..TraceChunk::default() };
            let (mut tree, mut outline) = (CallTree::default(), VisibleFrames::default());
            tree.apply_chunk(part(first));
            outline.extend(&tree);
            if !tree.is_empty() {
                outline.set_expanded(&tree, fold % tree.len(), false);
            }
            tree.apply_chunk(part(rest));
            outline.extend(&tree);
            prop_assert_eq!(outline.rows(), naive(&tree, &outline));
        }
    }

    #[test]
    fn sorted_siblings_stay_below_their_caller() {
        // 0 ( 1 (2 3) 4 (5) )
        let tree = sample_tree(&calls_by_level_ups(&[0, 0, 1, 2, 0]));
        let mut outline = VisibleFrames::default();
        outline.extend(&tree);
        outline.sort_siblings(&tree, Some(vec![9, 1, 5, 6, 8, 2]));
        assert_eq!(outline.rows(), [0, 4, 5, 1, 3, 2]);
        assert_eq!(outline.row_of(3), 4);
        outline.set_expanded(&tree, 1, false);
        assert_eq!(outline.rows(), [0, 4, 5, 1]);
        outline.sort_siblings(&tree, None);
        assert_eq!(outline.rows(), [0, 1, 4, 5]);
    }
}
