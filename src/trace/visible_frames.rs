//! Which frames are in sight: what is folded, and what is left out.
//!
//! Rows are the numbers of the frames in sight, ascending: a row's frame is an index, a frame's row a
//! binary search. Folding takes a range of rows out, unfolding puts one in. Only where siblings are
//! sorted otherwise, a row is looked for from the first, and every fold collects the rows anew.

use super::Tree;
use super::tree::at;

/// A way to look at a tree.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// Whether what is below a frame is in sight, when the frame itself is.
    open: Vec<bool>,
    /// Frames that are left out; nothing is, when it is empty. What is below a frame that is left
    /// out is judged for itself.
    left_out: Vec<bool>,
    rows: Vec<u32>,
    /// Siblings stand by this, the largest first, instead of as they were called.
    keys: Option<Vec<u128>>,
}

impl Outline {
    /// Takes in frames that are new at the end of the tree: unfolded, as far as nothing above them
    /// is folded.
    pub fn grow(&mut self, tree: &Tree) {
        let known = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        self.open.resize(at(tree.len()), true);
        if !self.left_out.is_empty() {
            self.left_out.resize(at(tree.len()), false);
        }
        let folded = tree.above(known).filter(|above| !self.is_open(*above)).last();
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
    pub fn row(&self, frame: u32) -> usize {
        if self.keys.is_some() {
            return self.rows.iter().position(|row| *row == frame).unwrap_or(0);
        }
        match self.rows.binary_search(&frame) {
            Ok(row) => row,
            Err(next) => next.saturating_sub(1),
        }
    }

    /// Whether a frame is in sight.
    pub fn is_in_sight(&self, frame: u32) -> bool {
        match self.keys {
            Some(_) => self.rows.contains(&frame),
            None => self.rows.binary_search(&frame).is_ok(),
        }
    }

    /// Sorts siblings by a key of each frame, the largest first, or not at all.
    pub fn sort(&mut self, tree: &Tree, keys: Option<Vec<u128>>) {
        self.keys = keys;
        self.rebuild(tree);
    }

    /// Whether what is below a frame is in sight, when the frame is.
    pub fn is_open(&self, frame: u32) -> bool {
        self.open.get(at(frame)).copied().unwrap_or(true)
    }

    /// Whether a frame is left out.
    pub fn is_left_out(&self, frame: u32) -> bool {
        self.left_out.get(at(frame)).copied().unwrap_or_default()
    }

    /// Folds or unfolds a frame.
    pub fn set_open(&mut self, tree: &Tree, frame: u32, open: bool) {
        if self.is_open(frame) == open {
            return;
        }
        if let Some(place) = self.open.get_mut(at(frame)) {
            *place = open;
        }
        let found = self.rows.binary_search(&frame);
        let (Ok(row), None) = (found, &self.keys) else {
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
    pub fn set_many(&mut self, tree: &Tree, frames: impl IntoIterator<Item = (u32, bool)>) {
        for (frame, open) in frames {
            if let Some(place) = self.open.get_mut(at(frame)) {
                *place = open;
            }
        }
        self.rebuild(tree);
    }

    /// Folds or unfolds each frame as `open` says of it.
    pub fn set_all(&mut self, tree: &Tree, open: impl Fn(u32) -> bool) {
        self.open = (0..tree.len()).map(open).collect();
        self.rebuild(tree);
    }

    /// Unfolds whatever hides a frame; the frames that were folded.
    pub fn reveal(&mut self, tree: &Tree, frame: u32) -> Vec<u32> {
        let folded: Vec<u32> = tree.above(frame).filter(|above| !self.is_open(*above)).collect();
        // The outermost first, so that each is in sight when it is unfolded.
        for above in folded.iter().rev() {
            self.set_open(tree, *above, true);
        }
        folded
    }

    /// Leaves frames out; none when `which` is empty.
    pub fn leave_out(&mut self, tree: &Tree, which: Vec<bool>) {
        self.left_out = which;
        self.rebuild(tree);
    }

    /// Follows frames to their new numbers.
    pub fn moved(&mut self, tree: &Tree, to: impl Fn(u32) -> u32) {
        let folded: Vec<u32> =
            (0..).zip(&self.open).filter(|(_, open)| !**open).map(|(f, _)| f).collect();
        self.open = vec![true; at(tree.len())];
        (self.left_out, self.keys) = (Vec::new(), None);
        self.set_many(tree, folded.into_iter().map(|frame| (to(frame), false)));
    }

    fn rebuild(&mut self, tree: &Tree) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        match &self.keys {
            Some(keys) => self.collect_sorted(tree, keys, &mut rows),
            None => self.collect(tree, 0, tree.len(), &mut rows),
        }
        self.rows = rows;
    }

    /// All frames in sight, siblings by their keys.
    fn collect_sorted(&self, tree: &Tree, keys: &[u128], rows: &mut Vec<u32>) {
        let key = |frame: &u32| std::cmp::Reverse(keys.get(at(*frame)).copied().unwrap_or(0));
        let mut open: Vec<u32> = tree.roots().collect();
        open.reverse();
        while let Some(frame) = open.pop() {
            if !self.is_left_out(frame) {
                rows.push(frame);
            }
            if self.is_open(frame) {
                let mut children: Vec<u32> = tree.children(frame).collect();
                children.sort_by_key(key);
                open.extend(children.into_iter().rev());
            }
        }
    }

    /// The frames in sight from one to another.
    fn collect(&self, tree: &Tree, from: u32, to: u32, rows: &mut Vec<u32>) {
        let mut frame = from;
        while frame < to {
            if !self.is_left_out(frame) {
                rows.push(frame);
            }
            frame = if self.is_open(frame) { frame + 1 } else { tree.end(frame) };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::Part;
    use crate::trace::test_util::{shaped, tree};

    /// What is in sight, the slow way.
    fn naive(tree: &Tree, outline: &Outline) -> Vec<u32> {
        let in_sight = |frame: &u32| tree.above(*frame).all(|above| outline.is_open(above));
        (0..tree.len()).filter(|f| in_sight(f) && !outline.is_left_out(*f)).collect()
    }

    proptest! {
        #[test]
        fn rows_are_what_is_in_sight(
            ups in prop::collection::vec(0usize..4, 0..40),
            folds in prop::collection::vec((0u32..41, any::<bool>()), 0..30),
            left_out in prop::collection::vec(any::<bool>(), 41),
            hide in any::<bool>(),
        ) {
            let tree = tree(&shaped(&ups));
            let mut outline = Outline::default();
            outline.grow(&tree);
            if hide {
                outline.leave_out(&tree, left_out.into_iter().take(ups.len() + 1).collect());
            }
            for (frame, open) in folds {
                outline.set_open(&tree, frame.min(tree.len() - 1), open);
                prop_assert_eq!(outline.rows(), naive(&tree, &outline));
            }
            let last = tree.len() - 1;
            outline.reveal(&tree, last);
            prop_assert!(outline.is_in_sight(last) != outline.is_left_out(last));
        }

        #[test]
        fn what_grows_below_a_fold_stays_hidden(
            ups in prop::collection::vec(0usize..4, 1..40),
            at in 0usize..40,
            fold in 0u32..40,
        ) {
            let whole = tree(&shaped(&ups));
            let at = at.min(ups.len());
            let (first, rest) = whole.frames().split_at(at);
            let part = |frames: &[crate::trace::Frame]| Part { frames: frames.to_vec(), ..Part::default() };
            let (mut tree, mut outline) = (Tree::default(), Outline::default());
            tree.grow(part(first));
            outline.grow(&tree);
            if !tree.is_empty() {
                outline.set_open(&tree, fold % tree.len(), false);
            }
            tree.grow(part(rest));
            outline.grow(&tree);
            prop_assert_eq!(outline.rows(), naive(&tree, &outline));
        }
    }

    #[test]
    fn sorted_siblings_stay_below_their_caller() {
        // 0 ( 1 (2 3) 4 (5) )
        let tree = tree(&shaped(&[0, 0, 1, 2, 0]));
        let mut outline = Outline::default();
        outline.grow(&tree);
        outline.sort(&tree, Some(vec![9, 1, 5, 6, 8, 2]));
        assert_eq!(outline.rows(), [0, 4, 5, 1, 3, 2]);
        assert_eq!(outline.row(3), 4);
        outline.set_open(&tree, 1, false);
        assert_eq!(outline.rows(), [0, 4, 5, 1]);
        outline.sort(&tree, None);
        assert_eq!(outline.rows(), [0, 1, 4, 5]);
    }
}
