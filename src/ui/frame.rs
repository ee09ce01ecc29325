//! Frames around panes, with rules and scrollbars in them.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect};
use ratatui::style::Style;

use super::format::width;
use super::text::{draw_text, set_text};

/// The visible range of a pane's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScrollExtent {
    pub area: Rect,
    pub offset: usize,
    pub len: usize,
}

impl ScrollExtent {
    /// Returns the rows of the scrollbar that represent the visible lines. `None` if all lines are
    /// visible.
    fn thumb(&self) -> Option<Range<u16>> {
        let height = usize::from(self.area.height);
        let hidden = self.len.checked_sub(height).filter(|hidden| *hidden > 0 && height > 1)?;
        let size = (height * height / self.len).max(1);
        let free = height - size;
        // At an end only if the list is.
        let top = match self.offset.min(hidden) {
            0 => 0,
            offset if offset == hidden => free,
            offset => (offset * free / hidden).clamp(1.min(free), free.saturating_sub(1).max(1)),
        };
        let row = |row: usize| u16::try_from(row).unwrap_or(u16::MAX);
        Some(row(top)..row(top + size))
    }

    /// Returns the number of lines that a click on the scrollbar scrolls, `row` rows below its top.
    pub fn lines_to(&self, row: u16) -> Option<isize> {
        let height = usize::from(self.area.height);
        let hidden = self.len.checked_sub(height).filter(|hidden| *hidden > 0)?;
        let target = usize::from(row).saturating_mul(hidden) / height.saturating_sub(1).max(1);
        isize::try_from(target).ok()?.checked_sub_unsigned(self.offset)
    }
}

pub fn draw_frame(buf: &mut Buffer, area: Rect, style: Style) {
    let [corners, sides] = [["╭", "╮", "╰", "╯"], ["─", "│", "─", "│"]];
    draw_border(buf, area, corners, sides, style);
}

/// Draws the frame of the selected pane, which differs by its lines.
pub fn draw_thick_frame(buf: &mut Buffer, area: Rect, style: Style) {
    draw_border(buf, area, ["┏", "┓", "┗", "┛"], ["━", "┃", "━", "┃"], style);
}

/// Draws the corners and the sides around an area. Every frame has hundreds of these cells, for which
/// ratatui's `Block` takes as long as for the rows in between.
fn draw_border(
    buf: &mut Buffer,
    area: Rect,
    [top_left, top_right, bottom_left, bottom_right]: [&str; 4],
    [top, right, bottom, left]: [&str; 4],
    style: Style,
) {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    let (last_column, last_row) = (area.right() - 1, area.bottom() - 1);
    let mut set = |x: u16, y: u16, symbol: &str| {
        if let Some(cell) = buf.cell_mut((x, y)) {
            cell.set_symbol(symbol).set_style(style);
        }
    };
    for y in area.y..=last_row {
        set(area.x, y, left);
        set(last_column, y, right);
    }
    for x in area.x..=last_column {
        set(x, area.y, top);
        set(x, last_row, bottom);
    }
    set(last_column, last_row, bottom_right);
    set(last_column, area.y, top_right);
    set(area.x, last_row, bottom_left);
    set(area.x, area.y, top_left);
}

/// Draws a frame whose upper edge is on the lower edge of a wider frame.
pub fn draw_joined_frame(buf: &mut Buffer, area: Rect, above: Rect, style: Style) {
    draw_frame(buf, area, style);
    let left = if area.left() == above.left() { "├" } else { "┬" };
    let right = if area.right() == above.right() { "┤" } else { "┬" };
    buf.set_string(area.left(), area.y, left, style);
    buf.set_string(area.right().saturating_sub(1), area.y, right, style);
}

/// Draws a line across a pane, and joins it to the frame around the pane.
pub fn draw_rule(buf: &mut Buffer, line: Rect, style: Style) {
    let rule = "─".repeat(usize::from(line.width));
    set_text(buf, line.as_position(), &rule, usize::from(line.width), style);
    let sides = [(line.x.checked_sub(1), "├"), (Some(line.right()), "┤")];
    for (x, joint) in sides.into_iter().filter_map(|(x, joint)| Some((x?, joint))) {
        if let Some(cell) = buf.cell_mut((x, line.y)).filter(|cell| cell.symbol() == "│") {
            cell.set_symbol(joint);
        }
    }
}

/// Draws a line from the top to the bottom of a pane, and joins it to the frame around the pane.
pub fn draw_divider(buf: &mut Buffer, column: Rect, style: Style) {
    for row in column.rows() {
        buf.set_string(row.x, row.y, "│", style);
    }
    let ends = [(column.y.checked_sub(1), "┬"), (Some(column.bottom()), "┴")];
    for (y, joint) in ends.into_iter().filter_map(|(y, joint)| Some((y?, joint))) {
        // Not between the titles of tabs.
        if (column.x.saturating_sub(1)..=column.x.saturating_add(1))
            .all(|x| buf.cell((x, y)).is_some_and(|cell| cell.symbol() == "─"))
            && let Some(cell) = buf.cell_mut((column.x, y))
        {
            cell.set_symbol(joint);
        }
    }
}

/// Draws a title in the upper edge of a frame, or in a rule.
pub fn draw_frame_title(buf: &mut Buffer, frame: Rect, title: &str, style: Style) {
    let line = Rect { height: frame.height.min(1), ..frame }.inner(Margin::new(2, 0));
    draw_text(buf, line, &format!(" {title} "), style);
}

/// Draws a text at the right end of the lower edge of a frame.
pub fn draw_frame_status(buf: &mut Buffer, frame: Rect, text: &str, style: Style) {
    let text = format!(" {text} ");
    let used = u16::try_from(width(&text)).unwrap_or(u16::MAX).min(frame.width.saturating_sub(2));
    let x = frame.right().saturating_sub(used + 2).max(frame.x + 1);
    let line = Rect { x, y: frame.bottom().saturating_sub(1), width: used, height: 1 };
    draw_text(buf, line.intersection(frame), &text, style);
}

/// Draws a scrollbar over the right side of a frame.
pub fn draw_scrollbar(buf: &mut Buffer, frame: Rect, extent: &ScrollExtent, style: Style) {
    let Some(thumb) = extent.thumb() else { return };
    for row in thumb {
        let (x, y) = (frame.right().saturating_sub(1), extent.area.y.saturating_add(row));
        buf.set_string(x, y, "┃", style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(offset: usize, len: usize) -> ScrollExtent {
        ScrollExtent { area: Rect::new(1, 2, 10, 10), offset, len }
    }

    #[test]
    fn the_thumb_is_at_an_end_only_if_the_list_is() {
        assert_eq!(extent(0, 10).thumb(), None);
        assert_eq!(extent(0, 20).thumb(), Some(0..5));
        assert_eq!(extent(1, 20).thumb(), Some(1..6));
        assert_eq!(extent(9, 20).thumb(), Some(4..9));
        assert_eq!(extent(10, 20).thumb(), Some(5..10));
        assert_eq!(extent(5_000, 1_000_000).thumb(), Some(1..2));
        assert_eq!(extent(usize::MAX, 1_000_000).thumb(), Some(9..10));
        assert_eq!(extent(1, 11).thumb(), Some(1..10), "the list is at its end");
    }

    #[test]
    fn clicks_on_the_scrollbar_reach_both_ends() {
        assert_eq!(extent(7, 30).lines_to(0), Some(-7));
        assert_eq!(extent(7, 30).lines_to(9), Some(13));
        assert_eq!(extent(7, 10).lines_to(3), None);
    }
}
