//! In-memory response cache, bounded by bytes.

use bytes::Bytes;
use lru::LruCache;

use super::MAX_ENTRY_BYTES;

/// Response bodies by URL. The least recently used entries are evicted first.
#[derive(Debug)]
pub(super) struct MemoryCache {
    entries: LruCache<String, Bytes>,
    bytes: usize,
    max_bytes: usize,
}

impl MemoryCache {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { entries: LruCache::unbounded(), bytes: 0, max_bytes }
    }

    pub(super) fn get(&mut self, url: &str) -> Option<Bytes> {
        self.entries.get(url).cloned()
    }

    /// Inserts a body, or removes the old one if the new one is too large.
    pub(super) fn put(&mut self, url: &str, body: Bytes) {
        self.remove(url);
        let cost = entry_cost(url, &body);
        if body.len() > MAX_ENTRY_BYTES || cost > self.max_bytes {
            return;
        }
        while self.bytes + cost > self.max_bytes
            && let Some((url, body)) = self.entries.pop_lru()
        {
            self.bytes -= entry_cost(&url, &body);
        }
        self.bytes += cost;
        self.entries.put(url.to_owned(), body);
    }

    pub(super) fn remove(&mut self, url: &str) {
        if let Some(body) = self.entries.pop(url) {
            self.bytes -= entry_cost(url, &body);
        }
    }
}

fn entry_cost(url: &str, body: &[u8]) -> usize {
    url.len() + body.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(len: usize) -> Bytes {
        vec![b'x'; len].into()
    }

    #[test]
    fn least_recently_used_entries_are_evicted_first() {
        let mut memory = MemoryCache::new(30);
        for url in ["a", "b", "c"] {
            memory.put(url, body(9));
        }
        assert!(memory.get("a").is_some());
        memory.put("d", body(9));
        let is_cached = ["a", "b", "c", "d"].map(|url| memory.get(url).is_some());
        assert_eq!((is_cached, memory.bytes), ([true, false, true, true], 30));
        memory.put("a", body(1));
        assert_eq!(memory.bytes, 22);
        memory.put("e", body(29));
        assert_eq!((memory.bytes, memory.entries.len()), (30, 1));
        memory.put("e", body(30));
        assert_eq!((memory.bytes, memory.entries.len()), (0, 0));
    }

    #[test]
    fn large_bodies_are_not_cached() {
        let mut memory = MemoryCache::new(usize::MAX);
        memory.put("a", body(MAX_ENTRY_BYTES));
        memory.put("b", body(MAX_ENTRY_BYTES + 1));
        assert!(memory.get("a").is_some() && memory.get("b").is_none());
    }
}
