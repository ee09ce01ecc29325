//! A set of the ids of rows that never grows all at once.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hash};

use foldhash::quality::RandomState;

/// Parts of a set.
const PARTS: u64 = 64;

/// Ids in parts that grow one by one, each when it is full. When a set of a million ids grows, a key waits for longer
/// than a frame.
#[derive(Debug)]
pub(super) struct IdSet<Id> {
    hasher: RandomState,
    parts: Vec<HashSet<Id, RandomState>>,
}

impl<Id> Default for IdSet<Id> {
    fn default() -> Self {
        Self { hasher: RandomState::default(), parts: Vec::new() }
    }
}

impl<Id: Eq + Hash> IdSet<Id> {
    fn part_of(&self, id: &Id) -> usize {
        usize::try_from(self.hasher.hash_one(id) % PARTS).unwrap_or_default()
    }

    pub(super) fn contains(&self, id: &Id) -> bool {
        self.parts.get(self.part_of(id)).is_some_and(|part| part.contains(id))
    }

    pub(super) fn remove(&mut self, id: &Id) {
        let part = self.part_of(id);
        if let Some(part) = self.parts.get_mut(part) {
            part.remove(id);
        }
    }
}

impl<Id: Eq + Hash> Extend<Id> for IdSet<Id> {
    fn extend<I: IntoIterator<Item = Id>>(&mut self, ids: I) {
        for id in ids {
            let part = self.part_of(&id);
            if self.parts.len() <= part {
                self.parts.resize_with(part + 1, HashSet::default);
            }
            if let Some(part) = self.parts.get_mut(part) {
                part.insert(id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_until_they_are_removed() {
        let mut ids = IdSet::default();
        assert!(!ids.contains(&1_u64));
        ids.extend(0..1_000);
        assert!((0..1_000).all(|id| ids.contains(&id)) && !ids.contains(&1_000));
        ids.remove(&7);
        assert!(!ids.contains(&7) && ids.contains(&8));
    }

    #[test]
    fn id_of_the_first_part_is_found() {
        let mut ids = IdSet::default();
        let first = (0..10_000_u64).find(|id| ids.part_of(id) == 0).unwrap();
        ids.extend([first]);
        assert!(ids.contains(&first));
    }

    #[test]
    fn one_part_after_the_other_grows() {
        let mut ids = IdSet::default();
        ids.extend(0..100_000_u64);
        let capacity =
            |ids: &IdSet<u64>| -> Vec<usize> { ids.parts.iter().map(HashSet::capacity).collect() };
        let mut most = 0;
        for page in 2_000..4_000 {
            let before = capacity(&ids);
            ids.extend(page * 50..(page + 1) * 50);
            let grown = before.iter().zip(capacity(&ids)).filter(|(before, now)| *before < now);
            most = most.max(grown.count());
        }
        assert!((1..16).contains(&most), "{most} of {PARTS} parts at once");
    }
}
