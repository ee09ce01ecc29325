//! Search in the loaded rows of a list, and the slices in which rows are filtered and searched.

use std::ops::Range;

use super::filter::RowFilter;
use super::matcher::RowMatcher;
use super::store::{ListedRow, RowReader};
use crate::chain::amount::Grouped;
use crate::columns::RowContext;
use crate::messages::Count;
use crate::messages::list::{self, ListNotice, ListProgress};
use crate::pane::list::ListPane;
use crate::pane::{Command, PaneContext, TypedMatches};
use crate::sanitize::SafeText;
use crate::time_slice::TimeSlice;

/// A search and its matches. Every row is searched once, not at each step.
#[derive(Debug)]
pub struct ListSearch {
    text: SafeText,
    matcher: RowMatcher,
    /// The positions of the matches among those that were searched.
    matches: Vec<usize>,
    /// The number of positions that were searched.
    searched: usize,
    /// The match to select once it is found.
    jump: Option<Jump>,
    /// Number of loaded rows in the last report of a match.
    reported_rows: Option<usize>,
}

/// A match to select, seen from the selected row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jump {
    /// The selected row, or the next match.
    Nearest,
    Next,
    Previous,
}

impl ListSearch {
    pub fn new(text: &str, matcher: RowMatcher) -> Self {
        Self {
            text: text.into(),
            matcher,
            matches: Vec::new(),
            searched: 0,
            jump: None,
            reported_rows: None,
        }
    }

    /// Returns the words of the search in the text of a cell.
    pub fn matches_in_cell(&self, column: usize, text: &str) -> Vec<Range<usize>> {
        self.matcher.matches_in_cell(column, text)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the matches so far in some rows.
    pub fn typed_matches(&self, rows: usize, is_filtered: bool) -> TypedMatches {
        let is_all = self.searched >= rows;
        let loaded = Some(rows).filter(|_| !is_filtered);
        TypedMatches::Found { count: self.matches.len(), loaded, is_all, is_filtered }
    }

    pub fn restart(&mut self) {
        self.matches.clear();
        self.searched = 0;
    }

    /// Searches the next rows that the filter shows while there is time.
    fn resume(
        &mut self,
        rows: &[ListedRow],
        (reader, filter): (&mut RowReader, &RowFilter),
        cx: &RowContext<'_>,
        slice: &mut TimeSlice,
    ) {
        self.matcher.update(cx);
        let shown = filter.len(rows.len());
        while self.searched < shown && slice.has_time() {
            let row = filter.row(self.searched).and_then(|row| rows.get(row));
            if row.is_some_and(|row| reader.matches(row, &mut self.matcher, cx)) {
                self.matches.push(self.searched);
            }
            self.searched += 1;
        }
    }

    /// Returns the match to select, or the one at the other end when every row is searched.
    fn target(&self, selected: usize, jump: Jump, is_done: bool) -> Option<usize> {
        let before = self.matches.partition_point(|position| *position < selected);
        let exists = |at: &usize| *at < self.matches.len();
        let (near, far) = match jump {
            Jump::Nearest => (Some(before).filter(exists), Some(0)),
            Jump::Next => {
                let next = self.matches.partition_point(|position| *position <= selected);
                (Some(next).filter(exists), Some(0))
            }
            Jump::Previous => {
                let is_known = is_done || self.searched > selected;
                let previous = before.checked_sub(1).filter(|_| is_known);
                (previous, self.matches.len().checked_sub(1))
            }
        };
        near.or_else(|| far.filter(|_| is_done))
    }

    /// Describes a match among those so far.
    fn describe_match(&self, at: usize, rows: usize, is_done: bool) -> String {
        let (number, all) = (Grouped(at + 1), Grouped(self.matches.len()));
        let (text, rows) = (&*self.text, Count(rows, "loaded row"));
        let notice = if is_done {
            ListNotice::Match { number, all, text, rows }
        } else {
            ListNotice::MatchSoFar { number, all, text, rows }
        };
        notice.to_string()
    }
}

impl ListPane {
    /// Filters and searches the next rows, and then loads what the filter still needs.
    pub fn continue_search(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.search_within(&mut TimeSlice::begin(), cx)
    }

    pub fn search_within(&mut self, slice: &mut TimeSlice, cx: &PaneContext<'_>) -> Vec<Command> {
        self.refold();
        let row_cx = self.row_context(cx, None);
        let was_filtering = self.is_filtering();
        let rows = self.paged.rows();
        let known = self.filter.len(rows.len());
        let reader = self.reader.get_mut();
        let has_moved = self.filter.resume(rows, reader, &row_cx, slice);
        for search in [&mut self.typed_search, &mut self.search].into_iter().flatten() {
            if has_moved {
                search.restart();
            }
            if self.filter.sorted(rows.len()).is_none() {
                search.resume(rows, (reader, &self.filter), &row_cx, slice);
            }
        }
        if self.filter.text().is_some() {
            self.remember_found(known..self.len(), cx);
        }
        self.return_to_row(cx);
        let mut commands = self.finish_jump(cx);
        if was_filtering {
            commands.extend(self.prefetch_further(cx));
        }
        commands
    }

    /// Folds the rows of transactions, or shows them all for a search, a filter or an order. Returns `true` if
    /// that has changed.
    pub fn refold(&mut self) -> bool {
        let is_sorted = self.filter.column_order().is_some();
        let is_searched = self.search.is_some() || self.typed_search.is_some();
        let is_plain = !is_sorted && !is_searched && self.filter.text().is_none();
        let has_folds = self.query.is_activity() && is_plain;
        if has_folds == self.filter.has_folds() {
            return false;
        }
        // The first row stays the first, whichever it is.
        if !is_sorted && !self.paged.rows().is_empty() && self.viewport.selected > 0 {
            self.return_row = self.return_row.or_else(|| self.filter.row(self.viewport.selected));
        }
        self.filter.set_folds(has_folds);
        for search in [&mut self.search, &mut self.typed_search].into_iter().flatten() {
            search.restart();
        }
        true
    }

    /// Shows the calls that the selected row stands for, or returns `None` if it is one row.
    pub fn unfold(&mut self, cx: &PaneContext<'_>) -> Option<Vec<Command>> {
        let selected = self.viewport.selected;
        let item = self.selected_item().filter(|_| self.filter.folded(selected) > 1)?;
        let whole = item.row().ok()?.part_of()?;
        self.return_row = self.filter.row(selected);
        self.filter.unfold(whole);
        Some(self.continue_search(cx))
    }

    pub fn is_filtering(&self) -> bool {
        let rows = self.paged.rows().len();
        self.filter.filtered(rows) < rows
    }

    /// Returns `true` if rows will move.
    pub fn is_sorting(&self) -> bool {
        self.filter.sorted(self.paged.rows().len()).is_some()
    }

    pub fn is_searching(&self) -> bool {
        let searches = [&self.typed_search, &self.search];
        self.is_filtering()
            || self.is_sorting()
            || searches.into_iter().flatten().any(|search| search.searched < self.len())
    }

    /// Describes the filtered, sorted or searched part, if it is not all.
    pub fn search_progress(&self) -> Option<String> {
        let rows = self.paged.rows().len();
        let percent = |done: usize, all: usize| (done < all).then(|| done * 100 / all);
        let sorted = self.filter.column_order().and_then(|_| self.filter.sorted(rows));
        let progress = match (sorted, &self.search) {
            _ if self.is_filtering() => {
                ListProgress::Filtering { percent: percent(self.filter.filtered(rows), rows)? }
            }
            // The last rows are merged with all others.
            (Some(sorted), _) => {
                ListProgress::Sorting { percent: percent(sorted.min(self.len() - 1), self.len())? }
            }
            (None, Some(search)) => {
                ListProgress::Searching { percent: percent(search.searched, self.len())? }
            }
            (None, None) => return None,
        };
        Some(progress.to_string())
    }

    /// Selects the row that was selected before the rows or the filter changed, once the filter has
    /// come to it.
    fn return_to_row(&mut self, cx: &PaneContext<'_>) {
        let rows = self.paged.rows().len();
        let filtered = if self.is_sorting() { 0 } else { self.filter.filtered(rows) };
        let is_placed = |row: &mut usize| rows == 0 || filtered > (*row).min(rows - 1);
        let Some(row) = self.return_row.take_if(is_placed) else {
            return;
        };
        self.viewport.reselect(self.filter.position_of(row, rows).unwrap_or(0));
        self.viewport.fill(self.len(), self.visible_rows(cx));
        self.select(self.viewport.selected, cx);
    }

    /// Leaves the selection to the user until the next search.
    pub fn leave_selection(&mut self) {
        (self.return_row, self.typed_ahead) = (None, 0);
        if let Some(search) = &mut self.search {
            search.jump = None;
            search.reported_rows = None;
        }
    }

    /// Selects a match, wrapping around.
    pub fn find_match(&mut self, jump: Jump, cx: &PaneContext<'_>) -> Vec<Command> {
        match &mut self.search {
            Some(search) => {
                search.jump = Some(jump);
                self.continue_search(cx)
            }
            None => vec![Command::NotifyKeys(list::NO_SEARCH)],
        }
    }

    /// Selects the requested match, if it is found, or reports that there is none.
    fn finish_jump(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_done = !self.is_searching();
        let rows = self.paged.rows().len();
        let selected = self.viewport.selected;
        let Some(search) = &mut self.search else { return Vec::new() };
        let Some(jump) = search.jump else { return self.report_again() };
        let target = search.target(selected, jump, is_done);
        let found = target.and_then(|at| Some((at, *search.matches.get(at)?)));
        if found.is_none() && !is_done {
            return Vec::new();
        }
        search.jump = None;
        let Some((at, position)) = found else {
            let rows = Count(rows, "loaded row");
            let notice = ListNotice::NoMatch { text: &search.text, rows }.to_string();
            return vec![Command::Warn(notice.into())];
        };
        let notice = search.describe_match(at, rows, is_done);
        let mut commands = self.move_to(position, cx);
        if let Some(search) = &mut self.search {
            search.reported_rows = Some(rows);
        }
        commands.push(Command::Notify(notice.into()));
        commands
    }

    /// Reports the selected match again once further rows are searched.
    fn report_again(&mut self) -> Vec<Command> {
        let is_done = !self.is_searching();
        let rows = self.paged.rows().len();
        let selected = self.viewport.selected;
        let Some(search) = self.search.as_mut().filter(|_| is_done) else { return Vec::new() };
        let has_more = search.reported_rows.is_some_and(|reported| reported < rows);
        let at = search.matches.binary_search(&selected).ok().filter(|_| has_more);
        let Some(at) = at else { return Vec::new() };
        search.reported_rows = Some(rows);
        vec![Command::Notify(search.describe_match(at, rows, is_done).into())]
    }
}
