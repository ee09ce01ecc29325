//! The two columns of an object on a wide screen. Of a part of a transaction the first one has the fields, and the
//! second one the JSON.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::DetailPane;
use crate::chain::Address;
use crate::pane::PaneContext;
use crate::ui::document::LineColumns;
use crate::ui::frame::ScrollExtent;

/// Minimum width of two columns of raw JSON, each of which has space for a hash after most labels.
const MIN_RAW_JSON_WIDTH: u16 = 186;
/// Minimum width of fields next to their JSON: a screen of 160 columns without its frame.
const MIN_FIELDS_WIDTH: u16 = 156;
/// Lines of the longest data that is not folded.
const SPARE_LINES: u16 = 3;

impl DetailPane {
    /// Returns the columns of the document, if there are two.
    fn line_columns(&self, cx: &PaneContext<'_>) -> Option<LineColumns> {
        let source = self.source()?;
        let least = match (source.is_json(), source.has_json_column()) {
            (true, _) => MIN_RAW_JSON_WIDTH,
            (_, true) => MIN_FIELDS_WIDTH,
            _ => return None,
        };
        (cx.area.width >= least).then(|| LineColumns::new(cx.area))
    }

    /// Returns the area of all lines, if they are in columns.
    pub(super) fn flow_area(&self, cx: &PaneContext<'_>) -> Option<Rect> {
        self.line_columns(cx).map(LineColumns::flow)
    }

    /// Returns the area for which entries are made: with lines to spare for a second column that begins with an entry.
    pub(super) fn entries_area(&self, cx: &PaneContext<'_>) -> Rect {
        let spare = |flow: Rect| Rect { height: flow.height.saturating_sub(SPARE_LINES), ..flow };
        self.flow_area(cx).map_or(cx.area, spare)
    }

    /// Returns the height of the document, of both columns together.
    pub(super) fn document_height(&self, cx: &PaneContext<'_>) -> u16 {
        self.flow_area(cx).unwrap_or(cx.area).height
    }

    /// Returns the place in the document's area of a position on the screen.
    pub(super) fn document_place(&self, at: Position, cx: &PaneContext<'_>) -> Option<Position> {
        match self.line_columns(cx) {
            Some(columns) => columns.place(at, &self.document),
            None => Some(at),
        }
    }

    /// Returns the visible part of the document, in lines of the screen.
    pub(super) fn document_extent(&self, cx: &PaneContext<'_>) -> ScrollExtent {
        match self.line_columns(cx) {
            Some(columns) => columns.extent(&self.document),
            None => self.document.extent(cx.area),
        }
    }

    /// Draws the document in two columns. Returns `false` if there is one.
    pub(super) fn draw_columns(
        &self,
        highlight: Option<Address>,
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) -> bool {
        let columns = self.line_columns(cx);
        if let Some(columns) = columns {
            let document = (&self.document, self.shows_cursor());
            columns.draw(document, highlight, buf, cx.styles);
        }
        columns.is_some()
    }
}
