//! The rows of one transaction in a folded list.

use std::collections::HashSet;
use std::ops::Range;

use crate::chain::TxHash;
use crate::columns::{ListedPart, PartPlace};

/// Consecutive rows of a transaction, as a folded list shows them: transfers and calls in the order in which they
/// happened, calls that move nothing as one row, and a call that only makes one transfer as that transfer.
#[derive(Debug, Default)]
pub struct TransactionRun {
    transaction: Option<TxHash>,
    parts: Vec<RunPart>,
    /// The number of shown rows before it.
    position: usize,
}

/// A shown row, and the rows for which it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    pub row: usize,
    pub rows: Range<usize>,
    /// The number of calls that are this row.
    pub calls: usize,
}

#[derive(Debug, Clone, Copy)]
struct RunPart {
    row: usize,
    place: PartPlace,
    moves_nothing: bool,
}

impl RunPart {
    fn is_idle_call(&self) -> bool {
        matches!(self.place, PartPlace::Call(_)) && self.moves_nothing
    }
}

impl Fold {
    fn new(row: usize, calls: usize, parts: &[RunPart]) -> Option<Self> {
        let [one, other] = [parts.first()?.row, parts.last()?.row];
        Some(Self { row, rows: one.min(other)..one.max(other) + 1, calls })
    }
}

impl TransactionRun {
    /// Creates the run of a row, which is alone if it is no part of a transaction.
    pub fn starting(row: usize, part: Option<ListedPart>, position: usize) -> Self {
        let mut run = Self { transaction: None, parts: Vec::new(), position };
        run.add(row, part);
        run
    }

    /// Adds the next row, and returns `true` if it belongs to the transaction.
    pub fn push(&mut self, row: usize, part: Option<ListedPart>) -> bool {
        let is_next = part.is_some_and(|part| self.transaction == Some(part.transaction));
        if is_next {
            self.add(row, part);
        }
        is_next
    }

    fn add(&mut self, row: usize, part: Option<ListedPart>) {
        let place = part.map_or(PartPlace::Whole, |part| part.place);
        let moves_nothing = part.is_some_and(|part| part.moves_nothing);
        self.transaction = part.map(|part| part.transaction);
        self.parts.push(RunPart { row, place, moves_nothing });
    }

    pub fn position(&self) -> usize {
        self.position
    }

    /// Returns the shown rows, which stand for all rows.
    pub fn shown(&self, unfolded: &HashSet<TxHash>) -> Vec<Fold> {
        if let Some(row) = self.only_transfer() {
            return Fold::new(row, 1, &self.parts).into_iter().collect();
        }
        let has_folds = self.transaction.is_none_or(|transaction| !unfolded.contains(&transaction));
        let mut parts = self.parts.clone();
        for stretch in parts.chunk_by_mut(|one, next| one.place.is_like(next.place)) {
            let [first, last] =
                [stretch.first(), stretch.last()].map(|part| part.map(|part| part.place));
            if first != Some(PartPlace::Whole) && first >= last {
                stretch.reverse();
            }
        }
        let folds =
            parts.chunk_by(|one, next| has_folds && one.is_idle_call() && next.is_idle_call());
        folds.filter_map(|fold| Fold::new(fold.first()?.row, fold.len(), fold)).collect()
    }

    /// Returns the row of the only transfer of a call that moves nothing else.
    fn only_transfer(&self) -> Option<usize> {
        let (whole, parts) = self.parts.split_first()?;
        let mut moving = parts.iter().filter(|part| !part.is_idle_call());
        let transfer = moving.next().filter(|part| matches!(part.place, PartPlace::Transfer(_)))?;
        let is_only =
            whole.place == PartPlace::Whole && whole.moves_nothing && moving.next().is_none();
        is_only.then_some(transfer.row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRANSACTION: TxHash = TxHash::repeat_byte(1);

    /// Returns the shown rows of a transaction that calls a contract, with these parts.
    fn shown(parts: &[(PartPlace, bool)], unfolded: &[TxHash]) -> Vec<(usize, usize)> {
        let part = |&(place, moves_nothing): &(PartPlace, bool)| {
            Some(ListedPart { transaction: TRANSACTION, place, moves_nothing })
        };
        let mut run = TransactionRun::starting(0, part(&(PartPlace::Whole, true)), 0);
        for (row, one) in (1..).zip(parts) {
            assert!(run.push(row, part(one)));
        }
        let folds = run.shown(&unfolded.iter().copied().collect());
        folds.iter().map(|fold| (fold.row, fold.calls)).collect()
    }

    #[test]
    fn parts_are_in_the_order_in_which_they_happened() {
        use PartPlace::{Call, Transfer};
        let parts = [(Transfer(4), false), (Transfer(2), false), (Call(3), true), (Call(2), true)];
        assert_eq!(shown(&parts, &[]), [(0, 1), (2, 1), (1, 1), (4, 2)]);
        assert_eq!(shown(&parts, &[TRANSACTION]), [(0, 1), (2, 1), (1, 1), (4, 1), (3, 1)]);
        let ascending = [(Call(1), false), (Call(2), false)];
        assert_eq!(shown(&ascending, &[]), [(0, 1), (1, 1), (2, 1)], "of another server");
        let batch = [(Transfer(7), false), (Transfer(7), false)];
        assert_eq!(shown(&batch, &[]), [(0, 1), (2, 1), (1, 1)]);
    }

    #[test]
    fn call_with_one_transfer_is_one_row() {
        use PartPlace::{Call, Transfer};
        assert_eq!(shown(&[(Transfer(4), false)], &[]), [(1, 1)]);
        assert_eq!(shown(&[(Transfer(4), false), (Call(1), true)], &[]), [(1, 1)]);
        let pays_too = [(Transfer(4), false), (Call(1), false)];
        assert_eq!(shown(&pays_too, &[]), [(0, 1), (1, 1), (2, 1)]);
        assert_eq!(shown(&[(Call(1), true)], &[]), [(0, 1), (1, 1)], "no transfer at all");
    }
}
