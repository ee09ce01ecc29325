//! The areas of a list: header, rows, and details of the selected row.

use ratatui::layout::{Constraint, Layout, Margin, Rect};

use super::ListPane;
use crate::pane::{PaneContext, PanePlace};

/// Width from which a table has a column of space at both sides.
const MIN_INSET_WIDTH: u16 = 58;

/// Returns the columns of a table, which do not touch the frame unless the screen is too narrow.
pub(super) fn table_area(area: Rect, cx: &PaneContext<'_>) -> Rect {
    let margin = u16::from(cx.area.width >= MIN_INSET_WIDTH);
    area.inner(Margin::new(margin, 0))
}

impl ListPane {
    /// Returns the areas of the header below the total, the rows and the details of the selected row, below a rule. The
    /// mark of a gap is between header and rows, and a line for what all rows leave out after them.
    pub(super) fn regions(&self, cx: &PaneContext<'_>) -> [Rect; 3] {
        let lines = self.kind.detail_lines;
        // The details repeat the selected row; on a low screen the rows matter more.
        let details = match (cx.area.height, self.preview_height(cx)) {
            _ if cx.place == PanePlace::NextToPreview && self.previews_all(cx) => 0,
            (_, Some(free)) => free,
            (..15, _) => 0,
            (15..25, _) => (lines.min(5) + 1).max(self.free_height(cx)),
            _ => (lines + 1).max(self.free_height(cx)),
        };
        let [_, header, _, rows, _, details] = cx.area.layout(&Layout::vertical([
            Constraint::Length(self.total_lines(cx)),
            Constraint::Length(1),
            Constraint::Length(u16::from(self.gap.is_some())),
            Constraint::Min(1),
            Constraint::Length(self.lines_after_rows(cx)),
            Constraint::Length(details),
        ]));
        [table_area(header, cx), table_area(rows, cx), details]
    }

    /// Returns `true` if the preview next to the list has what the details of a row have, or there is no space for
    /// these below the rows. The transaction of an approval or of a call inside has not.
    fn previews_all(&self, cx: &PaneContext<'_>) -> bool {
        !self.has_parts_of_several() || self.free_height(cx) <= self.kind.detail_lines
    }

    pub(super) fn visible_rows(&self, cx: &PaneContext<'_>) -> usize {
        let [_, rows, _] = self.regions(cx);
        usize::from(rows.height).max(1)
    }
}
