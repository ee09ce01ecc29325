//! Which rows are in sight: the filter over them, the selected one, and the one at the top.

/// A view of rows that are counted elsewhere. Places count the rows that pass the filter.
#[derive(Debug, Default)]
pub(super) struct FilteredRows {
    /// What a row must hold, in lower case.
    pub(super) filter: Option<String>,
    /// The rows that pass the filter; unused without one.
    matching: Vec<usize>,
    /// The place of the selected row.
    pub(super) selected: usize,
    /// The place of the first row on the screen.
    pub(super) top: usize,
}

impl FilteredRows {
    /// The row at a place.
    pub(super) fn row(&self, place: usize) -> Option<usize> {
        match self.filter {
            None => Some(place),
            Some(_) => self.matching.get(place).copied(),
        }
    }

    /// The place of a row, if it passes.
    pub(super) fn position_of(&self, row: usize, rows: usize) -> Option<usize> {
        match self.filter {
            None => Some(row).filter(|row| *row < rows),
            Some(_) => self.matching.binary_search(&row).ok(),
        }
    }

    /// How many of `rows` rows pass.
    pub(super) fn len(&self, rows: usize) -> usize {
        if self.filter.is_some() { self.matching.len() } else { rows }
    }

    /// Lays the filter over the rows from `from` on; earlier ones are as they were.
    pub(super) fn apply_filter(
        &mut self,
        from: usize,
        rows: usize,
        passes: impl Fn(usize, &str) -> bool,
    ) {
        let keep = self.matching.partition_point(|row| *row < from);
        self.matching.truncate(keep);
        if let Some(needle) = &self.filter {
            self.matching.extend((from..rows).filter(|row| passes(*row, needle)));
        }
    }

    /// Selects a place and brings it into sight.
    pub(super) fn select(&mut self, to: usize, len: usize, height: usize) {
        self.selected = to.min(len.saturating_sub(1));
        // The line after the last row says what comes next, and belongs in sight with it.
        let tail = usize::from(self.selected + 1 == len && height > 1);
        let least = (self.selected + 1 + tail).saturating_sub(height);
        self.top = self.top.clamp(least, self.selected.max(least));
    }

    /// Scrolls by so many rows; the selected row is always in sight.
    pub(super) fn scroll(&mut self, by: isize, len: usize, height: usize) {
        // The line after the last row is seen too.
        let last = (len + 1).saturating_sub(height);
        self.top = self.top.saturating_add_signed(by).min(last);
        self.selected = self.selected.clamp(self.top, self.top + height.max(1) - 1);
    }

    /// The selected row is at another place now: it stays where it is on the screen.
    pub(super) fn reselect(&mut self, place: usize) {
        let below = self.selected.saturating_sub(self.top);
        self.selected = place;
        self.top = place.saturating_sub(below);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_counts_only_what_passes() {
        let mut sight = FilteredRows { filter: Some("x".into()), ..FilteredRows::default() };
        sight.apply_filter(0, 10, |row, _| row % 2 == 1);
        assert_eq!(
            (sight.len(10), sight.row(0), sight.row(4), sight.row(5)),
            (5, Some(1), Some(9), None)
        );
        assert_eq!((sight.position_of(3, 10), sight.position_of(4, 10)), (Some(1), None));
        sight.apply_filter(10, 14, |row, _| row % 2 == 1);
        assert_eq!(sight.len(14), 7, "what came later is sifted too");
        sight.filter = None;
        sight.apply_filter(0, 14, |_, _| false);
        assert_eq!((sight.len(14), sight.row(4)), (14, Some(4)));
    }

    #[test]
    fn scrolling_takes_the_selected_row_along_at_the_edge() {
        let mut sight = FilteredRows::default();
        sight.select(2, 50, 10);
        sight.scroll(3, 50, 10);
        assert_eq!((sight.selected, sight.top), (3, 3));
        sight.scroll(-2, 50, 10);
        assert_eq!((sight.selected, sight.top), (3, 1));
        sight.scroll(99, 50, 10);
        assert_eq!((sight.selected, sight.top), (41, 41), "and the line after the last row");
        sight.scroll(3, 4, 10);
        assert_eq!(sight.top, 0, "nothing to scroll");
    }

    #[test]
    fn the_last_row_is_seen_with_the_line_after_it() {
        let mut sight = FilteredRows::default();
        sight.select(99, 50, 10);
        assert_eq!((sight.selected, sight.top), (49, 41));
        sight.reselect(52);
        assert_eq!((sight.selected, sight.top), (52, 44), "three new rows above");
        sight.select(0, 0, 10);
        assert_eq!((sight.selected, sight.top), (0, 0));
    }
}
