//! The two columns of a document on a wide screen: the lines go on at the top of the second one. Of a part of a
//! transaction the first one has the fields, and the second one the JSON.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::DetailPane;
use crate::chain::Address;
use crate::pane::PaneContext;
use crate::ui::document::Document;
use crate::ui::frame::{ScrollExtent, draw_divider};
use crate::ui::theme::{Role, Styles};

/// Minimum width of two columns of raw JSON, each of which has space for a hash after most labels.
const MIN_RAW_JSON_WIDTH: u16 = 186;
/// Minimum width of fields next to their JSON: a screen of 160 columns without its frame.
const MIN_FIELDS_WIDTH: u16 = 156;
/// Lines of the longest data that is not folded.
const SPARE_LINES: u16 = 3;
/// Columns of the divider, with blanks.
const GAP: u16 = 3;

/// The columns of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineColumns {
    left: Rect,
    right: Rect,
}

impl LineColumns {
    fn new(area: Rect) -> Self {
        let width = area.width.saturating_sub(GAP) / 2;
        let left = Rect { width, ..area };
        let right = Rect { x: area.right().saturating_sub(width), ..left };
        Self { left, right }
    }

    /// Returns the area of all lines, as if the second column were below the first one.
    fn flow(self) -> Rect {
        Rect { height: self.left.height.saturating_mul(2), ..self.left }
    }

    /// Returns the place in that area of a position on the screen. `None` below the lines of the first column.
    fn place(self, at: Position, document: &Document) -> Option<Position> {
        let lines = document.first_column(self.left.height);
        if at.x < self.right.x {
            return (at.y < self.left.y.saturating_add(lines)).then_some(at);
        }
        let (x, y) = (at.x - self.right.x + self.left.x, at.y.saturating_add(lines));
        Some(Position { x, y })
    }

    /// Draws the lines, and the cursor if there is one.
    fn draw(
        self,
        (document, has_cursor): (&Document, bool),
        highlight: Option<Address>,
        buf: &mut Buffer,
        styles: &Styles,
    ) {
        let flow = self.flow();
        let mut all = Buffer::empty(flow);
        if has_cursor {
            document.view(flow, highlight, &mut all, styles);
        } else {
            document.draw_lines(flow, None, &mut all, styles);
        }
        let lines = document.first_column(self.left.height);
        for (column, from) in [(self.left, 0), (self.right, lines)] {
            let shown = if from == 0 { lines } else { column.height };
            let column = Rect { height: shown.min(column.height), ..column };
            for at in column.positions() {
                let (x, y) = (at.x - column.x + flow.x, at.y + from);
                if let Some((cell, drawn)) = buf.cell_mut(at).zip(all.cell((x, y))) {
                    *cell = drawn.clone();
                }
            }
        }
        let x = self.left.right() + GAP / 2;
        let divider = Rect { x, width: 1, ..self.left };
        draw_divider(buf, divider, styles.of(Role::Border));
    }
}

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
            Some(columns) => {
                let ScrollExtent { offset, len, .. } = self.document.extent(columns.flow());
                ScrollExtent { area: cx.area, offset: offset / 2, len: len.div_ceil(2) }
            }
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
