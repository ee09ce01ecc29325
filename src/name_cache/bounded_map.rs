//! A map with an end.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem::take;

/// A map that forgets: the newer half of what it may hold, and the half before.
#[derive(Debug)]
pub(super) struct BoundedMap<K, V> {
    newer: HashMap<K, V>,
    older: HashMap<K, V>,
    generation_size: usize,
}

impl<K: Copy + Eq + Hash, V: Default> BoundedMap<K, V> {
    pub(super) fn with_capacity(most: usize) -> Self {
        Self { newer: HashMap::new(), older: HashMap::new(), generation_size: most / 2 }
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.newer.get(key).or_else(|| self.older.get(key))
    }

    /// Everything, the newer half first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.newer.iter().chain(&self.older)
    }

    /// What is remembered of a key, which is heard of now.
    pub(super) fn get_or_default(&mut self, key: K) -> &mut V {
        if !self.newer.contains_key(&key) {
            let value = self.older.remove(&key).unwrap_or_default();
            if self.newer.len() >= self.generation_size {
                self.older = take(&mut self.newer);
            }
            self.newer.insert(key, value);
        }
        self.newer.entry(key).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_heard_of_for_longest_is_forgotten() {
        let mut recent: BoundedMap<u32, u32> = BoundedMap::with_capacity(10);
        for key in 0..100 {
            *recent.get_or_default(key) += 1;
            *recent.get_or_default(0) += 1;
            assert!(recent.newer.len() + recent.older.len() <= 10);
        }
        assert_eq!(recent.get(&0), Some(&101), "it was heard of all the time");
        assert_eq!(recent.get(&99), Some(&1));
        assert_eq!(recent.get(&50), None);
    }
}
