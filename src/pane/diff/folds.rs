//! The folds of a trace comparison and the lines that they leave visible.
//!
//! Adjacent calls without a difference in their subtrees share one line, a run, until it is expanded.
//! Many calls of one trace are a run too.
//! Everything else folds like a call in a trace.

use crate::trace::diff::{CallChange, DiffRow, TraceDiff};
use crate::trace::fold_state::FoldState;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DiffLine {
    /// A run of equal calls, or of calls in one trace, by its first row.
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

/// Bounds on the calls of one trace that are shown initially.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoldLimits {
    /// The calls below an added or removed one that is expanded.
    pub(super) calls_below: u32,
    /// Adjacent calls in one trace, after which the others share a line.
    pub(super) siblings: u32,
}

impl FoldLimits {
    pub(super) const NONE: Self = Self { calls_below: u32::MAX, siblings: u32::MAX };
}

#[derive(Debug)]
pub(super) struct DiffFolds {
    calls: FoldState,
    /// Indexed by the first row of a run.
    runs: FoldState,
    lines: Vec<DiffLine>,
    max_siblings: u32,
}

impl DiffFolds {
    /// Shows all differences up to the limits.
    pub(super) fn new(diff: &TraceDiff, limits: FoldLimits) -> Self {
        let calls = (0..).zip(&diff.rows).map(|(n, row)| {
            let below = row.end.saturating_sub(n + 1);
            row.differs && !(is_unmatched_subtree(row) && below > limits.calls_below)
        });
        let (calls, runs) = (calls.collect(), FoldState::uniform(diff.len(), false));
        let max_siblings = limits.siblings;
        let mut folds = Self { calls, runs, lines: Vec::new(), max_siblings };
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

    /// Expands the ancestors of a row that differs, and the run of it or of one of them.
    pub(super) fn reveal(&mut self, diff: &TraceDiff, row: u32) {
        if let DiffLine::Run(first) = self.line_at(self.position(DiffLine::Call(row))) {
            self.runs.set(first, true);
        }
        for above in diff.ancestors(row) {
            self.calls.set(above, true);
        }
        self.rebuild(diff);
    }

    fn rebuild(&mut self, diff: &TraceDiff) {
        self.lines.clear();
        let (mut row, mut siblings) = (0, AdjacentCalls::default());
        while let Some(first) = diff.row(row) {
            let before = siblings.count(first);
            if first.differs {
                let end = run_end(diff, row);
                if before == Some(self.max_siblings) && end > first.end {
                    self.lines.push(DiffLine::Run(row));
                    if !self.runs.is_expanded(row) {
                        row = end;
                        continue;
                    }
                }
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

/// Counts adjacent calls of one trace with one parent.
#[derive(Default)]
struct AdjacentCalls {
    last: Option<(u32, CallChange)>,
    count: u32,
}

impl AdjacentCalls {
    /// Returns the number of such calls directly before a row, if it is one.
    fn count(&mut self, row: &DiffRow) -> Option<u32> {
        let is_unmatched = matches!(row.change, CallChange::Added | CallChange::Removed);
        if is_unmatched && !row.differs_itself {
            // It is in one of them.
            return None;
        }
        let this = is_unmatched.then_some((row.parent, row.change));
        self.count = if this.is_some() && this == self.last { self.count + 1 } else { 0 };
        self.last = this;
        this.map(|_| self.count)
    }
}

/// Returns `true` for an added or removed call with all calls in it.
fn is_unmatched_subtree(row: &DiffRow) -> bool {
    row.differs_itself && matches!(row.change, CallChange::Added | CallChange::Removed)
}

/// Returns one past the run that starts at a row: of equal subtrees, or of those that one trace has.
pub(super) fn run_end(diff: &TraceDiff, first: u32) -> u32 {
    let Some(start) = diff.row(first) else { return first };
    let is_alike = |row: &&DiffRow| {
        let is_like_start = if start.differs {
            is_unmatched_subtree(start) && row.change == start.change
        } else {
            !row.differs
        };
        row.depth == start.depth && is_like_start
    };
    let mut end = start.end;
    while let Some(next) = diff.row(end).filter(is_alike) {
        end = next.end;
    }
    end
}
