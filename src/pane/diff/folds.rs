//! The folds of a trace comparison and the lines that they leave visible.
//!
//! Adjacent calls without a difference in their subtrees share one line, a run, until it is expanded.
//! Everything else folds like a call in a trace.

use crate::trace::diff::{CallChange, TraceDiff};
use crate::trace::fold_state::FoldState;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DiffLine {
    /// A run of equal calls, by its first row.
    Run(u32),
    Call(u32),
}

impl DiffLine {
    /// Returns its row, or the first row of the run.
    pub(super) fn row(self) -> u32 {
        match self {
            Self::Run(row) | Self::Call(row) => row,
        }
    }

    pub(super) fn call(self) -> Option<u32> {
        match self {
            Self::Call(row) => Some(row),
            Self::Run(_) => None,
        }
    }

    /// Orders a run before its first call.
    fn sort_key(self) -> (u32, bool) {
        (self.row(), self.call().is_some())
    }
}

#[derive(Debug)]
pub(super) struct DiffFolds {
    calls: FoldState,
    /// Indexed by the first row of a run.
    runs: FoldState,
    lines: Vec<DiffLine>,
}

impl DiffFolds {
    /// Shows all differences, except in added and removed subtrees with more than `max_unfolded` calls.
    pub(super) fn new(diff: &TraceDiff, max_unfolded: u32) -> Self {
        let calls = (0..).zip(&diff.rows).map(|(n, row)| {
            let below = row.end.saturating_sub(n + 1);
            let is_unmatched = matches!(row.change, CallChange::Added | CallChange::Removed);
            row.differs && !(is_unmatched && row.differs_itself && below > max_unfolded)
        });
        let (calls, runs) = (calls.collect(), FoldState::uniform(diff.len(), false));
        let mut folds = Self { calls, runs, lines: Vec::new() };
        folds.rebuild(diff);
        folds
    }

    pub(super) fn lines(&self) -> &[DiffLine] {
        &self.lines
    }

    /// Returns the line at a position, or the first row if there is none.
    pub(super) fn line_at(&self, position: usize) -> DiffLine {
        self.lines.get(position).copied().unwrap_or(DiffLine::Call(0))
    }

    /// Returns the position of a line, or of the line that it is folded into.
    pub(super) fn position(&self, line: DiffLine) -> usize {
        self.lines.partition_point(|other| other.sort_key() <= line.sort_key()).saturating_sub(1)
    }

    /// Returns `true` if a line is expanded, or `None` if there is nothing to fold.
    pub(super) fn is_expanded(&self, diff: &TraceDiff, line: DiffLine) -> Option<bool> {
        match line {
            DiffLine::Run(first) => Some(self.runs.is_expanded(first)),
            DiffLine::Call(row) => {
                let has_children = diff.row(row)?.end > row.saturating_add(1);
                has_children.then(|| self.calls.is_expanded(row))
            }
        }
    }

    pub(super) fn set_expanded(&mut self, diff: &TraceDiff, line: DiffLine, expanded: bool) {
        match line {
            DiffLine::Run(first) => self.runs.set(first, expanded),
            DiffLine::Call(row) => self.calls.set(row, expanded),
        }
        self.rebuild(diff);
    }

    /// Expands everything, or collapses everything below the outermost calls.
    pub(super) fn set_all(&mut self, diff: &TraceDiff, expanded: bool) {
        self.calls = diff.rows.iter().map(|row| expanded || row.depth == 0).collect();
        self.runs = FoldState::uniform(diff.len(), expanded);
        self.rebuild(diff);
    }

    /// Expands the ancestors of a row that differs.
    pub(super) fn reveal(&mut self, diff: &TraceDiff, row: u32) {
        for above in diff.ancestors(row) {
            self.calls.set(above, true);
        }
        self.rebuild(diff);
    }

    fn rebuild(&mut self, diff: &TraceDiff) {
        self.lines.clear();
        let mut row = 0;
        while let Some(first) = diff.row(row) {
            if first.differs {
                self.lines.push(DiffLine::Call(row));
                row = self.calls.next_visible(row, || first.end);
                continue;
            }
            let end = run_end(diff, row);
            let is_single = first.end == end;
            if !is_single {
                self.lines.push(DiffLine::Run(row));
            }
            if is_single || self.runs.is_expanded(row) {
                self.push_equal_calls(diff, row, end);
            }
            row = end;
        }
    }

    fn push_equal_calls(&mut self, diff: &TraceDiff, from: u32, to: u32) {
        let mut row = from;
        while let Some(line) = diff.row(row).filter(|_| row < to) {
            self.lines.push(DiffLine::Call(row));
            row = self.calls.next_visible(row, || line.end);
        }
    }
}

/// Returns one past the run of equal subtrees that starts at a row.
pub(super) fn run_end(diff: &TraceDiff, first: u32) -> u32 {
    let Some(start) = diff.row(first) else { return first };
    let mut end = start.end;
    while let Some(next) = diff.row(end).filter(|row| !row.differs && row.depth == start.depth) {
        end = next.end;
    }
    end
}
