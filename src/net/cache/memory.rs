//! Kept answers in memory, bounded by bytes.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;

use super::MAX_ENTRY_BYTES;

/// Answers by their web address. What was used longest ago goes first.
#[derive(Debug)]
pub(super) struct MemoryCache {
    entries: HashMap<String, (u64, Bytes)>,
    /// Web addresses by when they were used last.
    uses: BTreeMap<u64, String>,
    /// Uses so far.
    use_count: u64,
    bytes: usize,
    max_bytes: usize,
}

impl MemoryCache {
    /// An empty one for so many bytes.
    pub(super) fn new(most: usize) -> Self {
        let (entries, uses) = (HashMap::new(), BTreeMap::new());
        Self { entries, uses, use_count: 0, bytes: 0, max_bytes: most }
    }

    pub(super) fn get(&mut self, url: &str) -> Option<Bytes> {
        let (used, body) = self.entries.get_mut(url)?;
        let name = self.uses.remove(used)?;
        self.use_count += 1;
        *used = self.use_count;
        self.uses.insert(self.use_count, name);
        Some(body.clone())
    }

    /// Keeps an answer in place of an older one.
    pub(super) fn put(&mut self, url: &str, body: Bytes) {
        self.remove(url);
        let cost = entry_cost(url, &body);
        if body.len() > MAX_ENTRY_BYTES || cost > self.max_bytes {
            return;
        }
        while self.bytes + cost > self.max_bytes {
            let Some((_, oldest)) = self.uses.first_key_value() else { break };
            self.remove(&oldest.clone());
        }
        self.use_count += 1;
        self.bytes += cost;
        self.uses.insert(self.use_count, url.to_owned());
        self.entries.insert(url.to_owned(), (self.use_count, body));
    }

    pub(super) fn remove(&mut self, url: &str) {
        if let Some((used, body)) = self.entries.remove(url) {
            self.uses.remove(&used);
            self.bytes -= entry_cost(url, &body);
        }
    }
}

/// The address is there twice.
fn entry_cost(url: &str, body: &[u8]) -> usize {
    body.len() + 2 * url.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(length: usize) -> Bytes {
        vec![b'x'; length].into()
    }

    #[test]
    fn what_was_used_longest_ago_goes() {
        let mut memory = MemoryCache::new(30);
        memory.put("a", body(8));
        memory.put("b", body(8));
        memory.put("c", body(8));
        assert!(memory.get("a").is_some());
        memory.put("d", body(8));
        let there: Vec<bool> = ["a", "b", "c", "d"].map(|u| memory.get(u).is_some()).into();
        assert_eq!((there, memory.bytes), (vec![true, false, true, true], 30));
        memory.put("a", body(1));
        assert_eq!(memory.bytes, 23);
        memory.put("e", body(28));
        assert_eq!((memory.bytes, memory.entries.len(), memory.uses.len()), (30, 1, 1));
        memory.put("e", body(29));
        assert_eq!((memory.bytes, memory.entries.len(), memory.uses.len()), (0, 0, 0));
    }

    #[test]
    fn a_long_answer_is_not_kept() {
        let mut memory = MemoryCache::new(usize::MAX);
        memory.put("a", body(MAX_ENTRY_BYTES));
        memory.put("b", body(MAX_ENTRY_BYTES + 1));
        assert!(memory.get("a").is_some() && memory.get("b").is_none());
    }
}
