//! A map with an end.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem::take;

/// A map that forgets: the newer half of what it may hold, and the half before.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    new: HashMap<K, V>,
    old: HashMap<K, V>,
    half: usize,
}

impl<K: Copy + Eq + Hash, V: Default> Recent<K, V> {
    pub(super) fn of(most: usize) -> Self {
        Self { new: HashMap::new(), old: HashMap::new(), half: most / 2 }
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.new.get(key).or_else(|| self.old.get(key))
    }

    /// Everything, the newer half first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.new.iter().chain(&self.old)
    }

    /// What is remembered of a key, which is heard of now.
    pub(super) fn of_key(&mut self, key: K) -> &mut V {
        if !self.new.contains_key(&key) {
            let value = self.old.remove(&key).unwrap_or_default();
            if self.new.len() >= self.half {
                self.old = take(&mut self.new);
            }
            self.new.insert(key, value);
        }
        self.new.entry(key).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_heard_of_for_longest_is_forgotten() {
        let mut recent: Recent<u32, u32> = Recent::of(10);
        for key in 0..100 {
            *recent.of_key(key) += 1;
            *recent.of_key(0) += 1;
            assert!(recent.new.len() + recent.old.len() <= 10);
        }
        assert_eq!(recent.get(&0), Some(&101), "it was heard of all the time");
        assert_eq!(recent.get(&99), Some(&1));
        assert_eq!(recent.get(&50), None);
    }
}
