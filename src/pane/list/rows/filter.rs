//! The filter over the loaded rows of a list, and their order.

use std::collections::HashSet;

use super::fold::{Fold, TransactionRun};
use super::matcher::RowMatcher;
use super::order::{RowOrder, sort_key, value_key};
use super::store::{ListedRow, RowReader};
use crate::chain::TxHash;
use crate::columns::RowContext;
use crate::time_slice::TimeSlice;

/// Rows of a filter whose columns are measured before they are on the screen.
pub const MAX_MEASURED_ROWS: usize = 200;
/// Maximum rows measured after one slice: more take longer than the slice itself.
const MEASURED_ROWS_AT_ONCE: usize = 40;

/// The shown rows and their order. A position counts the shown rows; a row number counts all rows in
/// the order of the server.
#[derive(Debug, Default)]
pub struct RowFilter {
    matcher: Option<RowMatcher>,
    order: Option<RowOrder>,
    /// `true` if the rows of a transaction are folded: see [`TransactionRun`].
    has_folds: bool,
    /// The transactions whose calls are unfolded.
    unfolded: HashSet<TxHash>,
    /// The rows of the last transaction, to which the next page may add.
    last_run: TransactionRun,
    /// The numbers of the matching rows, or of the first ones of folds. Unused if all are shown.
    matching: Vec<usize>,
    /// The rows for which each row of a folded list stands.
    folds: Vec<Fold>,
    /// The number of rows that were matched so far.
    filtered: usize,
}

/// Returns the number of matching rows up to which a filter is continued in one slice. The first ones are measured after
/// it.
fn most_found_at_once(found: usize) -> usize {
    if found < MAX_MEASURED_ROWS { found + MEASURED_ROWS_AT_ONCE } else { usize::MAX }
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

    /// Returns the words and terms that rows have to match.
    pub fn matcher(&self) -> Option<&RowMatcher> {
        self.matcher.as_ref()
    }

    pub fn has_folds(&self) -> bool {
        self.has_folds
    }

    /// Folds the rows of transactions, or shows them all. The rows are to be filtered again.
    pub fn set_folds(&mut self, has_folds: bool) {
        self.has_folds = has_folds;
        self.restart();
    }

    /// Shows the calls of a transaction. The rows are to be filtered again.
    pub fn unfold(&mut self, transaction: TxHash) {
        self.unfolded.insert(transaction);
        self.restart();
    }

    /// Returns the number of calls that are one row at a position.
    pub fn folded(&self, position: usize) -> usize {
        self.folds.get(position).map_or(1, |fold| fold.calls)
    }

    /// Returns `true` if the next row may be one of those that are one row at a position.
    pub fn may_grow(&self, position: usize) -> bool {
        self.folds.get(position).is_some_and(|fold| fold.rows.end == self.filtered)
    }

    /// Returns `true` if some of the rows may not be shown.
    fn hides_rows(&self) -> bool {
        self.matcher.is_some() || self.has_folds
    }

    pub fn row(&self, position: usize) -> Option<usize> {
        let sorted = self.order.as_ref().and_then(|order| order.row(position));
        self.unsorted(sorted.unwrap_or(position))
    }

    /// Returns the row at a position before sorting.
    pub fn unsorted(&self, position: usize) -> Option<usize> {
        if self.hides_rows() { self.matching.get(position).copied() } else { Some(position) }
    }

    /// Returns the position of a row, if it is one of the first `rows` and shown.
    pub fn position_of(&self, row: usize, rows: usize) -> Option<usize> {
        let unsorted = if !self.hides_rows() {
            Some(row).filter(|row| *row < rows)?
        } else if self.has_folds {
            self.folded_position(row)?
        } else {
            self.matching.binary_search(&row).ok()?
        };
        let sorted = self.order.as_ref().and_then(|order| order.position(unsorted));
        Some(sorted.unwrap_or(unsorted))
    }

    /// Returns the position of the row in a folded list that is a row, or stands for it.
    fn folded_position(&self, row: usize) -> Option<usize> {
        let position = self.folds.iter().position(|fold| fold.rows.contains(&row));
        position.or(self.folds.len().checked_sub(1))
    }

    /// Returns the number of shown rows among `rows`, as far as it is known.
    pub fn len(&self, rows: usize) -> usize {
        if self.hides_rows() { self.matching.len() } else { rows }
    }

    /// Returns the number of filtered rows among `rows`.
    pub fn filtered(&self, rows: usize) -> usize {
        if self.hides_rows() { self.filtered.min(rows) } else { rows }
    }

    /// Returns the number of shown rows among `rows` that were sorted, if the others are still to be.
    pub fn sorted(&self, rows: usize) -> Option<usize> {
        let len = self.len(rows);
        self.order.as_ref().filter(|order| !order.is_done(len)).map(|order| order.taken().min(len))
    }

    pub fn restart(&mut self) {
        self.matching.clear();
        self.folds.clear();
        (self.filtered, self.last_run) = (0, TransactionRun::default());
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
            let most = most_found_at_once(self.matching.len());
            while let Some(row) = rows.get(self.filtered).filter(|_| slice.has_time()) {
                if self.matching.len() == most {
                    break;
                }
                if reader.matches(row, matcher, cx) {
                    self.matching.push(self.filtered);
                }
                self.filtered += 1;
            }
        }
        self.fold(rows, reader, slice);
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

    /// Folds the next rows while there is time.
    fn fold(&mut self, rows: &[ListedRow], reader: &mut RowReader, slice: &mut TimeSlice) {
        let rest = rows.get(self.filtered..).filter(|_| self.has_folds).unwrap_or_default();
        for row in rest {
            if !slice.has_time() {
                break;
            }
            let part = reader.scan(row, None, |sent| sent.row.ok()?.transaction_part()).flatten();
            if !self.last_run.push(self.filtered, part) {
                self.show_last_run();
                self.last_run = TransactionRun::starting(self.filtered, part, self.matching.len());
            }
            self.filtered += 1;
        }
        if !rest.is_empty() {
            self.show_last_run();
        }
    }

    /// Shows the rows of the last transaction in place of those shown before its last ones came.
    fn show_last_run(&mut self) {
        self.matching.truncate(self.last_run.position());
        self.folds.truncate(self.last_run.position());
        for fold in self.last_run.shown(&self.unfolded) {
            self.matching.push(fold.row);
            self.folds.push(fold);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::RowPacker;
    use super::super::store::tests::page;
    use super::*;
    use crate::api::transactions::Transaction;
    use crate::columns::{ListRow, ListedPart, PartPlace};

    #[test]
    fn first_rows_are_found_in_several_slices() {
        const ROWS: usize = 300;
        let rows = RowPacker::new(Transaction::KIND).wrap_page(page(0, ROWS, &[]).0).items;
        let (mut reader, cx) = (RowReader::new(Transaction::KIND), RowContext::blank());
        let mut filter = RowFilter::default();
        filter.set_matcher(RowMatcher::new(Transaction::KIND, "transfer", &cx).unwrap());
        while filter.filtered(ROWS) < ROWS {
            let before = filter.len(ROWS);
            filter.resume(&rows, &mut reader, &cx, &mut TimeSlice::begin());
            let found = filter.len(ROWS) - before;
            assert!(found <= MEASURED_ROWS_AT_ONCE || before >= MAX_MEASURED_ROWS, "{found}");
        }
        assert_eq!(filter.len(ROWS), ROWS);
    }

    /// Returns the folded list of a transaction that calls a contract, with these parts.
    fn folded(parts: &[(PartPlace, bool)]) -> RowFilter {
        let mut filter = RowFilter { has_folds: true, ..RowFilter::default() };
        for &(place, moves_nothing) in [(PartPlace::Whole, true)].iter().chain(parts) {
            let transaction = TxHash::repeat_byte(1);
            let part = Some(ListedPart { transaction, place, moves_nothing });
            if !filter.last_run.push(filter.filtered, part) {
                filter.last_run = TransactionRun::starting(filter.filtered, part, 0);
            }
            filter.filtered += 1;
        }
        filter.show_last_run();
        filter
    }

    #[test]
    fn hidden_row_is_at_the_row_that_stands_for_it() {
        use PartPlace::{Call, Transfer};
        let calls = (1..6).rev().map(|call| (Call(call), call != 3));
        let filter = folded(
            &[(Transfer(8), false), (Transfer(7), false)]
                .into_iter()
                .chain(calls)
                .collect::<Vec<_>>(),
        );
        assert_eq!(filter.matching, [0, 2, 1, 7, 5, 4]);
        let positions: Vec<_> = (0..8).filter_map(|row| filter.position_of(row, 8)).collect();
        assert_eq!(positions, [0, 2, 1, 5, 5, 4, 3, 3]);
        let only_transfer = folded(&[(Transfer(8), false), (Call(2), true), (Call(1), true)]);
        assert_eq!(only_transfer.matching, [1]);
        assert_eq!(only_transfer.position_of(3, 4), Some(0));
        let ascending = folded(&[(Call(1), true), (Call(2), true), (Call(3), false)]);
        assert_eq!(ascending.matching, [0, 1, 3]);
        assert_eq!(ascending.position_of(2, 4), Some(1));
    }

    #[test]
    fn calls_loaded_last_may_be_more() {
        let calls =
            [(5, false), (4, true), (3, true)].map(|(call, idle)| (PartPlace::Call(call), idle));
        let filter = folded(&calls);
        assert_eq!(filter.matching, [0, 3, 1]);
        assert_eq!([0, 1, 2].map(|position| filter.may_grow(position)), [false, true, false]);
    }
}
