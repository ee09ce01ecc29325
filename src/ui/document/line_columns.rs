//! The two columns of a document on a wide screen: the lines go on at the top of the second one.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::Document;
use crate::chain::Address;
use crate::ui::frame::{ScrollExtent, draw_divider};
use crate::ui::theme::{Role, Styles};

/// Columns of the divider, with blanks.
const GAP: u16 = 3;

/// The columns of a document.
#[derive(Debug, Clone, Copy)]
pub struct LineColumns {
    left: Rect,
    right: Rect,
}

impl LineColumns {
    pub fn new(area: Rect) -> Self {
        let width = area.width.saturating_sub(GAP) / 2;
        let left = Rect { width, ..area };
        let right = Rect { x: area.right().saturating_sub(width), ..left };
        Self { left, right }
    }

    /// Returns the area of all lines, as if the second column were below the first one.
    pub fn flow(self) -> Rect {
        Rect { height: self.left.height.saturating_mul(2), ..self.left }
    }

    /// Returns the place in that area of a position on the screen. `None` below the lines of the first column.
    pub fn place(self, at: Position, document: &Document) -> Option<Position> {
        let lines = document.first_column(self.left.height);
        if at.x < self.right.x {
            return (at.y < self.left.y.saturating_add(lines)).then_some(at);
        }
        let (x, y) = (at.x - self.right.x + self.left.x, at.y.saturating_add(lines));
        Some(Position { x, y })
    }

    /// Returns the visible part of a document in them, in lines of the screen.
    pub fn extent(self, document: &Document) -> ScrollExtent {
        let ScrollExtent { offset, len, .. } = document.extent(self.flow());
        let area = Rect { width: self.right.right() - self.left.x, ..self.left };
        ScrollExtent { area, offset: offset / 2, len: len.div_ceil(2) }
    }

    /// Draws the lines, and the cursor if there is one.
    pub fn draw(
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
