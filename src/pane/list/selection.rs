//! The selected row, and scrolling to it.

use super::{ListPane, LoadAll};
use crate::pane::{Command, PaneContext};

impl ListPane {
    pub(super) fn move_to(&mut self, to: usize, cx: &PaneContext<'_>) -> Vec<Command> {
        self.load_all = LoadAll::Off;
        let was_tail_visible = self.is_tail_visible;
        let before = self.visible_positions(cx);
        self.scroll_to(to, cx);
        let after = self.visible_positions(cx);
        let [from, to] = [after.start, after.end].map(|row| row.clamp(before.start, before.end));
        let left = [before.start..from, to..before.end];
        for left in left.into_iter().filter(|left| !left.is_empty()) {
            self.remember_extent(left, before.clone(), cx);
        }
        if !was_tail_visible && self.tail_can_recover() {
            return self.retry_tail();
        }
        self.prefetch(cx)
    }

    /// Returns the number of rows that fit on the screen.
    pub(super) fn page_rows(&self, cx: &PaneContext<'_>) -> usize {
        match self.grid(cx) {
            Some(grid) => grid.len(self.viewport),
            None => self.visible_rows(cx),
        }
    }

    pub(super) fn select(&mut self, to: usize, cx: &PaneContext<'_>) {
        self.scroll_to(to, cx);
        let visible = self.visible_positions(cx);
        self.remember_extent(visible.clone(), visible, cx);
    }

    fn scroll_to(&mut self, to: usize, cx: &PaneContext<'_>) {
        let len = self.len();
        let height = self.visible_rows(cx);
        if let Some(grid) = self.grid(cx) {
            self.viewport.selected = to.min(len.saturating_sub(1));
            self.viewport.offset = grid.scroll(self.viewport);
        } else {
            self.viewport.select(to, len, height);
            if self.viewport.selected + 1 == len && height > 1 {
                self.viewport.show(len, height); // the line after the last row says how to load more
            }
        }
        self.is_tail_visible = self.viewport.offset + self.page_rows(cx) > len;
        if self.viewport.selected == 0 {
            self.new = 0;
        }
    }
}
