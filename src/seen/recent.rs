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
