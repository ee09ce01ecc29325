//! The filter over the loaded rows of a list.

/// The text that rows must contain, and which rows do. A position counts the rows that match; a row
/// number counts all of them.
#[derive(Debug, Default)]
pub(super) struct RowFilter {
    text: Option<String>,
    /// The numbers of the rows that match, in ascending order. Unused without a text.
    matching: Vec<usize>,
}

impl RowFilter {
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Sets the text; an empty one removes the filter. [`RowFilter::apply`] must follow.
    pub(super) fn set_text(&mut self, text: &str) {
        self.text = Some(text.to_lowercase()).filter(|text| !text.is_empty());
    }

    pub(super) fn row(&self, position: usize) -> Option<usize> {
        match self.text {
            None => Some(position),
            Some(_) => self.matching.get(position).copied(),
        }
    }

    /// Returns the position of a row, if it is one of the first `rows` and matches.
    pub(super) fn position_of(&self, row: usize, rows: usize) -> Option<usize> {
        match self.text {
            None => Some(row).filter(|row| *row < rows),
            Some(_) => self.matching.binary_search(&row).ok(),
        }
    }

    /// Returns how many of `rows` rows match.
    pub(super) fn len(&self, rows: usize) -> usize {
        if self.text.is_some() { self.matching.len() } else { rows }
    }

    /// Matches the rows in `from..rows` again and keeps the result for earlier ones.
    pub(super) fn apply(
        &mut self,
        from: usize,
        rows: usize,
        matches: impl Fn(usize, &str) -> bool,
    ) {
        let keep = self.matching.partition_point(|row| *row < from);
        self.matching.truncate(keep);
        if let Some(text) = &self.text {
            self.matching.extend((from..rows).filter(|row| matches(*row, text)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_matching_rows() {
        let mut filter = RowFilter::default();
        filter.set_text("X");
        assert_eq!(filter.text(), Some("x"));
        filter.apply(0, 10, |row, _| row % 2 == 1);
        assert_eq!((filter.len(10), filter.row(4), filter.row(5)), (5, Some(9), None));
        assert_eq!((filter.position_of(3, 10), filter.position_of(4, 10)), (Some(1), None));
        filter.apply(10, 14, |row, _| row % 2 == 1);
        assert_eq!(filter.len(14), 7, "later rows are matched too");
        filter.set_text("");
        filter.apply(0, 14, |_, _| false);
        assert_eq!((filter.len(14), filter.row(4)), (14, Some(4)));
    }
}
