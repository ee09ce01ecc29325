//! The filter over the loaded rows of a list, and their order.

use super::row_matcher::RowMatcher;
use super::row_order::RowOrder;
use super::row_store::{ListedRow, RowReader};
use crate::columns::RowContext;
use crate::time_slice::TimeSlice;

/// The shown rows and their order. A position counts the shown rows; a row number counts all rows in
/// the order of the server.
#[derive(Debug, Default)]
pub(super) struct RowFilter {
    matcher: Option<RowMatcher>,
    order: Option<RowOrder>,
    /// The numbers of the rows by position. Unused if all are shown in the order of the server.
    shown: Vec<usize>,
    /// The number of rows that were matched so far.
    filtered: usize,
}

impl RowFilter {
    pub(super) fn set_matcher(&mut self, matcher: Option<RowMatcher>) {
        self.matcher = matcher;
    }

    pub(super) fn set_order(&mut self, order: Option<RowOrder>) {
        self.order = order;
    }

    pub(super) fn order(&self) -> Option<&RowOrder> {
        self.order.as_ref()
    }

    pub(super) fn text(&self) -> Option<&str> {
        self.matcher.as_ref().map(RowMatcher::text)
    }

    fn is_on(&self) -> bool {
        self.matcher.is_some() || self.order.is_some()
    }

    pub(super) fn row(&self, position: usize) -> Option<usize> {
        if self.is_on() { self.shown.get(position).copied() } else { Some(position) }
    }

    /// Returns the position of a row, if it is one of the first `rows` and shown.
    pub(super) fn position_of(&self, row: usize, rows: usize) -> Option<usize> {
        if self.is_on() {
            self.shown.iter().position(|shown| *shown == row)
        } else {
            Some(row).filter(|row| *row < rows)
        }
    }

    /// Returns the number of shown rows among `rows`, as far as it is known.
    pub(super) fn len(&self, rows: usize) -> usize {
        if self.is_on() { self.shown.len() } else { rows }
    }

    /// Returns the number of filtered rows among `rows`.
    pub(super) fn progress(&self, rows: usize) -> usize {
        if self.is_on() { self.filtered.min(rows) } else { rows }
    }

    pub(super) fn restart(&mut self) {
        self.shown.clear();
        self.filtered = 0;
        if let Some(order) = &mut self.order {
            order.clear();
        }
    }

    /// Filters and sorts the next rows while there is time. Returns `true` if shown rows have moved.
    pub(super) fn resume(
        &mut self,
        rows: &[ListedRow],
        reader: &mut RowReader,
        cx: &RowContext<'_>,
        slice: &mut TimeSlice,
    ) -> bool {
        if !self.is_on() {
            return false;
        }
        if let Some(matcher) = &mut self.matcher {
            matcher.update(cx);
        }
        let before = self.filtered;
        while let Some(row) = rows.get(self.filtered).filter(|_| slice.has_time()) {
            if self.matcher.as_mut().is_none_or(|matcher| reader.matches(row, matcher, cx)) {
                self.shown.push(self.filtered);
            }
            if let Some(order) = &mut self.order {
                order.push(reader.scan(row).as_deref(), cx);
            }
            self.filtered += 1;
        }
        match &self.order {
            Some(order) if self.filtered > before => {
                order.sort(&mut self.shown);
                true
            }
            _ => false,
        }
    }
}
