//! The filter over the loaded rows of a list, and their order.

use super::matcher::RowMatcher;
use super::order::{RowOrder, sort_key, value_key};
use super::store::{ListedRow, RowReader};
use crate::chain::Timestamp;
use crate::columns::RowContext;
use crate::time_slice::TimeSlice;

/// The shown rows and their order. A position counts the shown rows; a row number counts all rows in
/// the order of the server.
#[derive(Debug, Default)]
pub struct RowFilter {
    matcher: Option<RowMatcher>,
    order: Option<RowOrder>,
    /// The numbers of the matching rows. Unused if all are shown.
    matching: Vec<usize>,
    /// The number of rows that were matched so far.
    filtered: usize,
}

impl RowFilter {
    pub fn set_matcher(&mut self, matcher: Option<RowMatcher>) {
        self.matcher = matcher;
    }

    pub fn set_order(&mut self, order: Option<RowOrder>) {
        self.order = order;
    }

    pub fn take_order(&mut self) -> Option<RowOrder> {
        self.order.take()
    }

    /// Computes the keys of the rows again, for another unit or format.
    pub fn reset_order(&mut self) {
        if let Some(order) = &mut self.order {
            order.clear();
        }
    }

    pub fn order(&self) -> Option<&RowOrder> {
        self.order.as_ref()
    }

    /// Returns the order that the user chose.
    pub fn column_order(&self) -> Option<&RowOrder> {
        self.order().filter(|order| order.is_chosen())
    }

    pub fn text(&self) -> Option<&str> {
        self.matcher.as_ref().map(RowMatcher::text)
    }

    /// Returns the time before which no row matches, with a column that has the times.
    pub fn oldest(&self) -> Option<(Timestamp, usize)> {
        self.matcher.as_ref()?.oldest()
    }

    pub fn row(&self, position: usize) -> Option<usize> {
        let sorted = self.order.as_ref().and_then(|order| order.sorted().get(position).copied());
        self.unsorted(sorted.unwrap_or(position))
    }

    /// Returns the row at a position before sorting.
    pub fn unsorted(&self, position: usize) -> Option<usize> {
        match self.matcher {
            Some(_) => self.matching.get(position).copied(),
            None => Some(position),
        }
    }

    /// Returns the position of a row, if it is one of the first `rows` and shown.
    pub fn position_of(&self, row: usize, rows: usize) -> Option<usize> {
        let unsorted = match self.matcher {
            Some(_) => self.matching.binary_search(&row).ok()?,
            None => Some(row).filter(|row| *row < rows)?,
        };
        let sorted = self.order.iter().flat_map(RowOrder::sorted);
        Some(sorted.copied().position(|number| number == unsorted).unwrap_or(unsorted))
    }

    /// Returns the number of shown rows among `rows`, as far as it is known.
    pub fn len(&self, rows: usize) -> usize {
        if self.matcher.is_some() { self.matching.len() } else { rows }
    }

    /// Returns the number of filtered rows among `rows`.
    pub fn filtered(&self, rows: usize) -> usize {
        if self.matcher.is_some() { self.filtered.min(rows) } else { rows }
    }

    /// Returns the number of shown rows among `rows` that were sorted, if the others are still to be.
    pub fn sorted(&self, rows: usize) -> Option<usize> {
        let len = self.len(rows);
        self.order.as_ref().filter(|order| !order.is_done(len)).map(|order| order.taken().min(len))
    }

    pub fn restart(&mut self) {
        self.matching.clear();
        self.filtered = 0;
        self.reset_order();
    }

    /// Filters and sorts the next rows while there is time. Returns `true` if shown rows have moved.
    pub fn resume(
        &mut self,
        rows: &[ListedRow],
        reader: &mut RowReader,
        cx: &RowContext<'_>,
        slice: &mut TimeSlice,
    ) -> bool {
        if let Some(matcher) = &mut self.matcher {
            matcher.update(cx);
            while let Some(row) = rows.get(self.filtered).filter(|_| slice.has_time()) {
                if reader.matches(row, matcher, cx) {
                    self.matching.push(self.filtered);
                }
                self.filtered += 1;
            }
        }
        let len = self.len(rows.len());
        let Some(mut order) = self.order.take() else { return false };
        let (by, fields) = (order.value(), order.fields(reader.columns()));
        let by_value = order.value_column(reader.columns()).zip(order.column());
        let has_moved = order.resume(len, slice, |position| {
            let row = self.unsorted(position).and_then(|row| rows.get(row))?;
            if let Some((column, number)) = by_value
                && let Some(value) = reader.value(row, number)
            {
                return value_key(column, value);
            }
            reader.scan(row, fields.as_deref(), |sent| sort_key(sent.row.ok()?, by, cx))?
        });
        self.order = Some(order);
        has_moved
    }
}
