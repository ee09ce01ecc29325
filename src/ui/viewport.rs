//! The visible lines of a list, and its selected line.

use std::ops::Range;

use ratatui::layout::{Position, Rect};

use super::frame::ScrollExtent;

/// A scroll offset and a selection. The number of lines and the height of the screen are not stored:
/// both change between two calls, so every method takes them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Viewport {
    pub selected: usize,
    pub offset: usize,
}

impl Viewport {
    /// Selects `line`, or the last line if there are fewer, and scrolls it into view.
    pub fn select(&mut self, line: usize, len: usize, height: usize) {
        self.selected = line.min(len.saturating_sub(1));
        self.show(self.selected, height);
    }

    /// Moves the selection by `lines`, which may be `isize::MIN` and `isize::MAX` for the first and
    /// the last line (see [`Action::row_delta`](crate::action::Action::row_delta)).
    pub fn step(&mut self, lines: isize, len: usize, height: usize) {
        self.select(self.selected.saturating_add_signed(lines), len, height);
    }

    /// Scrolls as little as possible so that `line` is on the screen.
    pub fn show(&mut self, line: usize, height: usize) {
        self.offset = self.offset.clamp((line + 1).saturating_sub(height.max(1)), line);
    }

    /// Scrolls by `lines`, but not past the last line. The selection stays on the screen.
    pub fn scroll(&mut self, lines: isize, len: usize, height: usize) {
        let height = height.max(1);
        let last = len.saturating_sub(height);
        self.offset = self.offset.saturating_add_signed(lines).min(last);
        self.selected = self.selected.clamp(self.offset, self.offset + height - 1);
        self.selected = self.selected.min(len.saturating_sub(1));
    }

    /// Selects a line that has moved to `line`, and keeps its distance from the top of the screen.
    pub fn reselect(&mut self, line: usize) {
        let above = self.selected.saturating_sub(self.offset);
        self.selected = line;
        self.offset = line.saturating_sub(above);
    }

    /// Scrolls back if there are lines above to fill the screen.
    pub fn fill(&mut self, len: usize, height: usize) {
        self.offset = self.offset.min(len.saturating_sub(height));
    }

    /// Returns the visible lines. They contain the selected one even if the height has changed since
    /// the last scroll.
    pub fn visible(mut self, len: usize, height: usize) -> Range<usize> {
        self.show(self.selected, height);
        self.offset.min(len)..(self.offset + height).min(len)
    }

    /// Returns the extent for a scrollbar of `area`.
    pub fn extent(self, len: usize, area: Rect) -> ScrollExtent {
        ScrollExtent { area, offset: self.visible(len, usize::from(area.height)).start, len }
    }

    pub fn line_at(self, position: Position, area: Rect, len: usize) -> Option<usize> {
        let row = area.contains(position).then(|| usize::from(position.y - area.y))?;
        self.visible(len, usize::from(area.height)).nth(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scrolling_keeps_the_selection_on_the_screen() {
        let mut viewport = Viewport::default();
        viewport.select(2, 50, 10);
        viewport.scroll(3, 50, 10);
        assert_eq!(viewport, Viewport { selected: 3, offset: 3 });
        viewport.scroll(-2, 50, 10);
        assert_eq!(viewport, Viewport { selected: 3, offset: 1 });
        viewport.scroll(99, 50, 10);
        assert_eq!(viewport, Viewport { selected: 40, offset: 40 });
        viewport.scroll(3, 4, 10);
        assert_eq!(viewport, Viewport { selected: 3, offset: 0 });
    }

    #[test]
    fn selecting_scrolls_as_little_as_possible() {
        let mut viewport = Viewport::default();
        viewport.select(12, 50, 10);
        assert_eq!(viewport, Viewport { selected: 12, offset: 3 });
        viewport.select(5, 50, 10);
        assert_eq!(viewport, Viewport { selected: 5, offset: 3 });
        viewport.step(isize::MAX, 50, 10);
        assert_eq!(viewport, Viewport { selected: 49, offset: 40 });
        viewport.step(isize::MIN, 50, 0);
        assert_eq!(viewport, Viewport::default());
    }

    #[test]
    fn a_moved_line_stays_where_it_is_on_the_screen() {
        let mut viewport = Viewport { selected: 49, offset: 41 };
        viewport.reselect(52);
        assert_eq!(viewport, Viewport { selected: 52, offset: 44 });
    }

    #[test]
    fn filling_shows_no_fewer_lines_than_fit() {
        let mut viewport = Viewport { selected: 49, offset: 49 };
        viewport.fill(50, 10);
        assert_eq!(viewport.offset, 40);
        viewport.fill(3, 10);
        assert_eq!(viewport.offset, 0);
    }

    #[test]
    fn positions_map_to_lines() {
        let viewport = Viewport { selected: 6, offset: 5 };
        let area = Rect::new(2, 3, 10, 4);
        assert_eq!(viewport.visible(7, 4), 5..7);
        assert_eq!(viewport.line_at(Position::new(2, 4), area, 7), Some(6));
        assert_eq!(viewport.line_at(Position::new(2, 5), area, 7), None, "there are 7 lines");
        assert_eq!(viewport.line_at(Position::new(2, 7), area, 99), None);
        assert_eq!(viewport.visible(7, 1), 6..7, "the screen became smaller");
    }
}
