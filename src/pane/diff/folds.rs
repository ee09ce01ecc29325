//! Which rows of a comparison are in sight.
//!
//! Neighbours that do not differ, and nothing below them does, stand together on one line until it
//! is unfolded. Everything else folds like a call in a trace.

use std::collections::BTreeSet;

use crate::trace::diff::{CallChange, TraceDiff};

/// A line of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DiffLine {
    /// Equal neighbours, by the first of them.
    Run(u32),
    /// One row.
    Call(u32),
}

impl DiffLine {
    /// Its row, or the first of its rows.
    pub(super) fn row(self) -> u32 {
        match self {
            Self::Run(row) | Self::Call(row) => row,
        }
    }

    /// Its row, when it is one call.
    pub(super) fn call(self) -> Option<u32> {
        match self {
            Self::Call(row) => Some(row),
            Self::Run(_) => None,
        }
    }

    /// The order of lines on the screen: a run stands above its first call.
    fn sort_key(self) -> (u32, bool) {
        (self.row(), self.call().is_some())
    }
}

/// What is folded, and the lines that this leaves.
#[derive(Debug)]
pub(super) struct DiffFolds {
    shut: Vec<bool>,
    open_runs: BTreeSet<u32>,
    lines: Vec<DiffLine>,
}

impl DiffFolds {
    /// Differences in sight, except below added and removed calls that hide more than `hides`.
    pub(super) fn new(diff: &TraceDiff, hides: u32) -> Self {
        let shut = (0..).zip(&diff.rows).map(|(n, row)| {
            let below = row.end.saturating_sub(n + 1);
            let alone = matches!(row.change, CallChange::Added | CallChange::Removed);
            !row.differs || (alone && row.differs_itself && below > hides)
        });
        let mut folds =
            Self { shut: shut.collect(), open_runs: BTreeSet::new(), lines: Vec::new() };
        folds.rebuild(diff);
        folds
    }

    /// The lines in sight.
    pub(super) fn lines(&self) -> &[DiffLine] {
        &self.lines
    }

    /// The line at a place; the first one, where there is none.
    pub(super) fn line_at(&self, place: usize) -> DiffLine {
        self.lines.get(place).copied().unwrap_or(DiffLine::Call(0))
    }

    /// Where a line is; where it is not in sight, what it is hidden in.
    pub(super) fn position(&self, line: DiffLine) -> usize {
        self.lines.partition_point(|other| other.sort_key() <= line.sort_key()).saturating_sub(1)
    }

    /// Whether what a line hides is in sight; none when it hides nothing.
    pub(super) fn is_open(&self, diff: &TraceDiff, line: DiffLine) -> Option<bool> {
        match line {
            DiffLine::Run(first) => Some(self.open_runs.contains(&first)),
            DiffLine::Call(row) => diff
                .row(row)
                .filter(|it| it.end > row.saturating_add(1))
                .map(|_| !self.is_collapsed(row)),
        }
    }

    pub(super) fn set_open(&mut self, diff: &TraceDiff, line: DiffLine, open: bool) {
        match line {
            DiffLine::Run(first) if open => drop(self.open_runs.insert(first)),
            DiffLine::Run(first) => drop(self.open_runs.remove(&first)),
            DiffLine::Call(row) => self.shut(row, !open),
        }
        self.rebuild(diff);
    }

    /// Unfolds everything, or folds everything below the outermost calls.
    pub(super) fn set_all(&mut self, diff: &TraceDiff, open: bool) {
        self.shut = diff.rows.iter().map(|row| !open && row.depth > 0).collect();
        // All rows may be the first of a run; those that are not are never asked.
        let runs = (0..diff.len()).filter(|_| open);
        self.open_runs = runs.filter(|n| diff.row(*n).is_some_and(|row| !row.differs)).collect();
        self.rebuild(diff);
    }

    /// Unfolds whatever hides a row that differs.
    pub(super) fn reveal(&mut self, diff: &TraceDiff, row: u32) {
        for above in diff.ancestors(row) {
            self.shut(above, false);
        }
        self.rebuild(diff);
    }

    fn is_collapsed(&self, row: u32) -> bool {
        usize::try_from(row).is_ok_and(|row| self.shut.get(row).copied().unwrap_or_default())
    }

    fn shut(&mut self, row: u32, shut: bool) {
        if let Some(place) = usize::try_from(row).ok().and_then(|row| self.shut.get_mut(row)) {
            *place = shut;
        }
    }

    fn rebuild(&mut self, diff: &TraceDiff) {
        self.lines.clear();
        let mut row = 0;
        while let Some(it) = diff.row(row) {
            if it.differs {
                self.lines.push(DiffLine::Call(row));
                row = if self.is_collapsed(row) { it.end } else { row + 1 };
                continue;
            }
            let end = run_end(diff, row);
            let alone = it.end == end;
            if !alone {
                self.lines.push(DiffLine::Run(row));
            }
            if alone || self.open_runs.contains(&row) {
                self.collect(diff, row, end);
            }
            row = end;
        }
    }

    /// The lines of equal calls, each its own.
    fn collect(&mut self, diff: &TraceDiff, from: u32, to: u32) {
        let mut row = from;
        while let Some(it) = diff.row(row).filter(|_| row < to) {
            self.lines.push(DiffLine::Call(row));
            row = if self.is_collapsed(row) { it.end } else { row + 1 };
        }
    }
}

/// One past the last of the equal neighbours that begin at a row, and of all below them.
pub(super) fn run_end(diff: &TraceDiff, first: u32) -> u32 {
    let Some(it) = diff.row(first) else { return first };
    let joins = |row: &u32| diff.row(*row).is_some_and(|r| !r.differs && r.depth == it.depth);
    let next = |row: &u32| diff.row(*row).map(|r| r.end);
    let mut end = it.end;
    while joins(&end) {
        end = next(&end).unwrap_or(end);
    }
    end
}
