//! The memory that the rows of a list may fill, and the question about more.

use crate::memory_limit::MemoryLimit;

#[derive(Debug)]
pub struct RowMemory {
    limit: MemoryLimit,
    /// The free memory in bytes when the limit was reached, until the user agrees to more.
    question: Option<u64>,
    has_agreed: bool,
}

impl Default for RowMemory {
    fn default() -> Self {
        Self { limit: MemoryLimit::UNASKED, question: None, has_agreed: false }
    }
}

impl RowMemory {
    /// Returns `true` if the rows fill the memory that they may.
    pub fn is_full(&self, held_bytes: usize) -> bool {
        as_u64(held_bytes) >= self.limit.max_bytes
    }

    /// Returns the free memory in bytes if the user has to agree to more rows.
    pub fn question(&self, held_bytes: usize) -> Option<u64> {
        self.question.filter(|_| self.is_full(held_bytes))
    }

    /// Takes note of the free memory: the rows may fill their share, and more if the user agrees.
    pub fn on_measured(&mut self, held_bytes: usize, free_bytes: u64) {
        let share = MemoryLimit::share_of(free_bytes, as_u64(held_bytes));
        if self.has_agreed || share.max_bytes <= as_u64(held_bytes) {
            self.question = Some(free_bytes);
        } else {
            self.limit = share;
        }
    }

    /// Takes note of the user's consent.
    pub fn agree(&mut self, held_bytes: usize) {
        if let Some(free_bytes) = self.question.take() {
            self.has_agreed = true;
            self.limit.raise(as_u64(held_bytes), None, free_bytes);
        }
    }
}

fn as_u64(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEGABYTE: usize = 1 << 20;

    #[test]
    fn rows_fill_a_quarter_of_the_free_memory_before_the_user_is_asked() {
        let mut memory = RowMemory::default();
        assert!(!memory.is_full(63 * MEGABYTE) && memory.is_full(64 * MEGABYTE));
        assert_eq!(memory.question(64 * MEGABYTE), None, "not before the memory is measured");
        memory.on_measured(64 * MEGABYTE, 936 << 20);
        assert!(!memory.is_full(249 * MEGABYTE));
        memory.on_measured(250 * MEGABYTE, 750 << 20);
        assert_eq!(memory.question(250 * MEGABYTE), Some(750 << 20));
        assert_eq!(memory.question(10 * MEGABYTE), None, "a list that was loaded again is smaller");
        memory.agree(250 * MEGABYTE);
        assert_eq!(memory.question(250 * MEGABYTE), None);
        assert!(!memory.is_full(624 * MEGABYTE) && memory.is_full(625 * MEGABYTE));
        memory.on_measured(625 * MEGABYTE, 4_000 << 20);
        assert!(
            memory.question(625 * MEGABYTE).is_some(),
            "the user agreed to half of what was free"
        );
    }

    #[test]
    fn little_free_memory_is_asked_about_at_once() {
        let mut memory = RowMemory::default();
        memory.on_measured(64 * MEGABYTE, 100 << 20);
        assert_eq!(memory.question(64 * MEGABYTE), Some(100 << 20));
    }
}
