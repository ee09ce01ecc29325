//! A stable merge sort that works in small steps, and takes further items at any time.
//!
//! Items are sorted into short runs. The last two runs are merged when they are of similar length, and all
//! of them at the end, so that the total is n log n comparisons. Many items of one run before the next one of
//! the other are found by galloping and moved at once.
//!
//! A page of new items among many that are in order is inserted with few comparisons, apart from the others:
//! they are not copied for it, until several thousand are to be merged with them.

use std::cmp::Ordering;

/// Items of a run that is sorted at once.
const MAX_FIRST_RUN_ITEMS: usize = 256;
/// Items that one step of a merge moves.
const MAX_STEP_ITEMS: usize = 1_024;
/// Items that are in order from which on others are inserted.
const MIN_LONG_RUN_ITEMS: usize = 1 << 14;
/// Maximum items that are inserted before they are merged with the others.
const MAX_INSERTED_ITEMS: usize = 1 << 12;

/// The order of items with consecutive numbers, as far as it is known.
#[derive(Debug, Default)]
pub(super) struct MergeSort {
    /// Each is the sorted permutation of consecutive numbers, and follows the numbers of the previous one.
    runs: Vec<Vec<usize>>,
    /// The number of items that were added.
    added: usize,
    /// The first number that is in no run yet.
    next: usize,
    merge: Option<Merge>,
    /// Items after the first run, in order, each with its position among all of them.
    inserted: Vec<(usize, usize)>,
}

/// A merge of the last two runs.
#[derive(Debug, Default)]
struct Merge {
    /// The items of each that were moved.
    taken: [usize; 2],
    merged: Vec<usize>,
}

impl MergeSort {
    /// Begins to sort a number of items.
    pub(super) fn of(items: usize) -> Self {
        Self { added: items, ..Self::default() }
    }

    /// Adds the next item.
    pub(super) fn push(&mut self) {
        self.added += 1;
    }

    /// Returns `true` if all added items are in order.
    pub(super) fn is_done(&self) -> bool {
        self.next == self.added && self.runs.len() < 2
    }

    fn first_run(&self) -> &[usize] {
        self.runs.first().map_or(&[], Vec::as_slice)
    }

    /// Returns the number of items at the start that are sorted.
    pub(super) fn sorted_len(&self) -> usize {
        self.first_run().len() + self.inserted.len()
    }

    /// Returns the item at a position among those.
    pub(super) fn get(&self, position: usize) -> Option<usize> {
        match self.inserted.binary_search_by_key(&position, |(position, _)| *position) {
            Ok(inserted) => self.inserted.get(inserted).map(|(_, item)| *item),
            Err(before) => self.first_run().get(position - before).copied(),
        }
    }

    /// Returns the position of an item among those.
    pub(super) fn position(&self, item: usize) -> Option<usize> {
        if let Some((position, _)) = self.inserted.iter().find(|(_, inserted)| *inserted == item) {
            return Some(*position);
        }
        let at = self.first_run().iter().position(|sorted| *sorted == item)?;
        let inserted = (0..).zip(&self.inserted);
        Some(at + inserted.take_while(|(before, (position, _))| position - before <= at).count())
    }

    /// Returns `true` if items should be added before the sort continues, to merge less often.
    pub(super) fn can_wait(&self) -> bool {
        self.merge.is_none()
            && self.added < self.next + MAX_FIRST_RUN_ITEMS
            && !self.has_similar_runs()
    }

    /// Inserts the last items, if they are few among many.
    pub(super) fn insert_last(&mut self, compare: &impl Fn(usize, usize) -> Ordering) {
        let [run] = &*self.runs else { return };
        let few = MAX_FIRST_RUN_ITEMS.min(MAX_INSERTED_ITEMS.saturating_sub(self.inserted.len()));
        if run.len() < MIN_LONG_RUN_ITEMS || self.added - self.next > few {
            return;
        }
        for new in self.next..self.added {
            let precedes = |item: usize| compare(item, new).is_le();
            let in_run = run.partition_point(|item| precedes(*item));
            let at = self.inserted.partition_point(|(_, item)| precedes(*item));
            for (position, _) in self.inserted.iter_mut().skip(at) {
                *position += 1;
            }
            self.inserted.insert(at, (in_run + at, new));
        }
        self.next = self.added;
    }

    /// Sorts or moves a bounded number of items.
    pub(super) fn step(&mut self, compare: &impl Fn(usize, usize) -> Ordering) {
        if self.runs.len() == 1 && !self.inserted.is_empty() {
            // They stay in their places until the merge is done.
            self.runs.push(self.inserted.iter().map(|(_, item)| *item).collect());
        }
        if self.merge.is_some() || self.has_similar_runs() || self.next == self.added {
            self.continue_merge(compare);
            return;
        }
        let end = self.added.min(self.next + MAX_FIRST_RUN_ITEMS);
        let mut run: Vec<usize> = (self.next..end).collect();
        run.sort_by(|one, other| compare(*one, *other));
        self.runs.push(run);
        self.next = end;
    }

    /// Returns `true` if the last two runs are of similar length.
    fn has_similar_runs(&self) -> bool {
        matches!(&*self.runs, [.., left, right] if left.len() < 2 * right.len())
    }

    fn continue_merge(&mut self, compare: &impl Fn(usize, usize) -> Ordering) {
        let [.., left, right] = &*self.runs else { return };
        let merge = self.merge.get_or_insert_default();
        merge.step(left, right, compare);
        if merge.merged.len() == left.len() + right.len() {
            let merged = self.merge.take().unwrap_or_default().merged;
            self.runs.truncate(self.runs.len() - 2);
            self.runs.push(merged);
            if self.runs.len() == 1 {
                self.inserted.clear();
            }
        }
    }
}

impl Merge {
    fn step(
        &mut self,
        left: &[usize],
        right: &[usize],
        compare: &impl Fn(usize, usize) -> Ordering,
    ) {
        self.merged.reserve(left.len() + right.len() - self.merged.len());
        let end = self.merged.len() + MAX_STEP_ITEMS;
        while self.merged.len() < end {
            let space = end - self.merged.len();
            let [left, right] = [(left, self.taken[0]), (right, self.taken[1])]
                .map(|(run, taken)| run.get(taken..).unwrap_or_default());
            let (side, all) = match (left.first(), right.first()) {
                (None, None) => return,
                (_, None) => (0, left),
                (None, _) => (1, right),
                // The sort is stable: of equal items, the left run has the first.
                (Some(first), Some(next)) if compare(*first, *next).is_le() => {
                    (0, gallop(left, |item| compare(item, *next).is_le()))
                }
                (Some(next), Some(_)) => (1, gallop(right, |item| compare(item, *next).is_lt())),
            };
            let moved = all.get(..space).unwrap_or(all);
            self.merged.extend(moved);
            self.taken[side] += moved.len();
        }
    }
}

/// Returns the items at the start that precede, with a number of comparisons logarithmic in theirs.
fn gallop(run: &[usize], precedes: impl Fn(usize) -> bool) -> &[usize] {
    let mut bound = 1;
    while run.get(bound).is_some_and(|item| precedes(*item)) {
        bound *= 2;
    }
    let start = bound / 2;
    let window = run.get(start..bound.min(run.len())).unwrap_or_default();
    let count = start + window.partition_point(|item| precedes(*item));
    run.get(..count).unwrap_or(run)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    fn sorted(sort: &MergeSort) -> Vec<usize> {
        (0..sort.sorted_len()).map(|position| sort.get(position).unwrap()).collect()
    }

    /// Sorts keys that come in pages. Returns the order, and the most comparisons of one step.
    fn sort(pages: &[Vec<u16>]) -> (Vec<usize>, usize) {
        let (mut sort, mut keys, mut most) = (MergeSort::default(), Vec::new(), 0);
        for page in pages {
            for key in page {
                keys.push(*key);
                sort.push();
            }
            while !sort.is_done() {
                let comparisons = Cell::new(0);
                sort.step(&|one, other| {
                    comparisons.set(comparisons.get() + 1);
                    keys[one].cmp(&keys[other])
                });
                most = most.max(comparisons.get());
            }
        }
        (sorted(&sort), most)
    }

    fn stable_order(pages: &[Vec<u16>]) -> Vec<usize> {
        let keys = pages.concat();
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|n| keys[*n]);
        order
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..<_>::default() })]
        #[test]
        fn order_is_that_of_a_stable_sort(
            pages in prop::collection::vec(prop::collection::vec(0..300u16, 0..900), 0..5)
        ) {
            prop_assert_eq!(sort(&pages).0, stable_order(&pages));
        }
    }

    #[test]
    fn steps_are_bounded_however_long_the_list_is() {
        let shuffled = |n: u32| (n.wrapping_mul(2_654_435_761) >> 16) as u16;
        let pages: [Vec<u16>; 2] = [(0..100_000).map(shuffled).collect(), vec![3; 50]];
        let (order, most) = sort(&pages);
        assert_eq!(order, stable_order(&pages));
        assert!(most <= 4 * MAX_STEP_ITEMS, "{most}");
    }

    #[test]
    fn sorted_items_are_a_part_of_the_list_at_any_time() {
        let mut sort = MergeSort::default();
        let keys: Vec<usize> = (0..5_000).map(|n| n * 7_919 % 5_003).collect();
        for _ in &keys {
            sort.push();
            while !sort.can_wait() {
                sort.step(&|one, other| keys[one].cmp(&keys[other]));
                let mut first = sorted(&sort);
                assert!(first.is_sorted_by_key(|n| keys[*n]));
                first.sort_unstable();
                assert!(first.iter().copied().eq(0..first.len()));
            }
        }
        assert!(!sort.is_done(), "the last runs are merged when no more items come");
    }

    #[test]
    fn pages_are_inserted_among_many_items_without_a_copy_of_these() {
        let long = u16::try_from(MIN_LONG_RUN_ITEMS).unwrap();
        let shuffled = |n: u16| n.wrapping_mul(40_503) % 9_000;
        let mut keys: Vec<u16> = (0..long).map(shuffled).collect();
        let mut sort = MergeSort::of(keys.len());
        let (mut copies, mut pages) = (0, 0);
        for page in 0..2 * MAX_INSERTED_ITEMS / 64 {
            let compare = |one: usize, other: usize| keys[one].cmp(&keys[other]);
            while !sort.is_done() {
                sort.step(&compare);
            }
            let before = sort.first_run().as_ptr();
            keys.extend((0..64).map(|n| shuffled(n * 7 + u16::try_from(page).unwrap())));
            (0..64).for_each(|_| sort.push());
            let compare = |one: usize, other: usize| keys[one].cmp(&keys[other]);
            sort.insert_last(&compare);
            while !sort.is_done() {
                sort.step(&compare);
            }
            pages += 1;
            copies += usize::from(sort.first_run().as_ptr() != before);
            assert_eq!(sorted(&sort), stable_order(&[keys.clone()]), "{page}");
            for position in [0, 77, 5_000, keys.len() - 1] {
                assert_eq!(sort.position(sort.get(position).unwrap()), Some(position));
            }
        }
        assert_eq!((pages, copies), (128, 1));
        assert_eq!((sort.get(keys.len()), sort.position(keys.len())), (None, None));
    }

    #[test]
    fn few_new_items_take_few_comparisons() {
        let mut sort = MergeSort::of(40_000);
        let comparisons = Cell::new(0_usize);
        let compare = |one: usize, other: usize| {
            comparisons.set(comparisons.get() + 1);
            (one % 40_000).cmp(&(other % 40_000))
        };
        for added in [0, 50] {
            comparisons.set(0);
            sort.added += added;
            while !sort.is_done() {
                sort.step(&compare);
            }
        }
        assert!(comparisons.get() < 5_000, "{}", comparisons.get());
    }
}
