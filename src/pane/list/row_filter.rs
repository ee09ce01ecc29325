//! The filter over the loaded rows of a list.

use std::sync::Arc;

use super::row_matcher::RowMatcher;
use crate::api::Item;
use crate::columns::{Row, RowContext};
use crate::pane::time_slice::TimeSlice;

/// The text that rows must contain, and which rows do. A position counts the rows that match; a row
/// number counts all of them.
#[derive(Debug, Default)]
pub(super) struct RowFilter {
    matcher: Option<RowMatcher>,
    /// The numbers of the rows that match, in ascending order. Unused without a text.
    matching: Vec<usize>,
    /// The number of rows that were matched so far.
    filtered: usize,
}

impl RowFilter {
    pub(super) fn new(matcher: Option<RowMatcher>) -> Self {
        Self { matcher, ..Self::default() }
    }

    pub(super) fn text(&self) -> Option<&str> {
        self.matcher.as_ref().map(RowMatcher::text)
    }

    pub(super) fn row(&self, position: usize) -> Option<usize> {
        match self.matcher {
            None => Some(position),
            Some(_) => self.matching.get(position).copied(),
        }
    }

    /// Returns the position of a row, if it is one of the first `rows` and matches.
    pub(super) fn position_of(&self, row: usize, rows: usize) -> Option<usize> {
        match self.matcher {
            None => Some(row).filter(|row| *row < rows),
            Some(_) => self.matching.binary_search(&row).ok(),
        }
    }

    /// Returns how many of `rows` rows match, as far as is known.
    pub(super) fn len(&self, rows: usize) -> usize {
        if self.matcher.is_some() { self.matching.len() } else { rows }
    }

    /// Returns how many of `rows` rows were filtered.
    pub(super) fn progress(&self, rows: usize) -> usize {
        if self.matcher.is_some() { self.filtered.min(rows) } else { rows }
    }

    pub(super) fn restart(&mut self) {
        self.matching.clear();
        self.filtered = 0;
    }

    /// Filters the next rows while there is time.
    pub(super) fn resume<T: Row>(
        &mut self,
        rows: &[Arc<Item<T>>],
        cx: &RowContext<'_>,
        slice: &mut TimeSlice,
    ) {
        let Some(matcher) = &mut self.matcher else { return };
        matcher.update::<T>(cx);
        while let Some(item) = rows.get(self.filtered).filter(|_| slice.has_time()) {
            if matcher.matches(item, cx) {
                self.matching.push(self.filtered);
            }
            self.filtered += 1;
        }
    }
}
