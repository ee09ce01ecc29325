//! The layout of the start page.

use ratatui::layout::{Constraint, Layout, Margin, Rect};

use crate::pane::PaneContext;

/// The frame of the blocks has a third of the width, within these bounds.
const BLOCKS_WIDTH: [u16; 2] = [30, 48];
/// From this height on there is space for a frame around the hint.
const MIN_FRAMED_HEIGHT: u16 = 16;
/// Minimum height of a page with a feed.
const MIN_FEED_HEIGHT: u16 = 18;
const MIN_FEED_WIDTH: u16 = 70;
/// The rows of the feed that a long list above leaves, and the lines that such a list has at least.
const FEED_ROWS: [u16; 2] = [3, 6];
const RESERVED_LINES: u16 = 14;

pub(super) struct StartLayout {
    pub(super) go_to: Rect,
    /// The frames of the blocks and of the transactions.
    pub(super) feed: [Rect; 2],
    pub(super) frame: Rect,
    pub(super) rows: Rect,
}

impl StartLayout {
    /// Divides `area` for a list of `len` lines, above the feed.
    pub(super) fn new(area: Rect, len: usize) -> Self {
        let go_to = go_to_height(area);
        let feed = match feed_rows(area, len) {
            0 => 0,
            rows => rows + 2,
        };
        let heights = [
            Constraint::Length(go_to),
            Constraint::Max(u16::try_from(len).unwrap_or(u16::MAX).saturating_add(2)),
            Constraint::Length(feed),
        ];
        let [go_to, frame, bottom] = area.layout(&Layout::vertical(heights));
        let [least, most] = BLOCKS_WIDTH;
        let blocks = Constraint::Length((area.width / 3).clamp(least, most));
        let feed = bottom.layout(&Layout::horizontal([blocks, Constraint::Fill(1)]));
        Self { go_to, feed, frame, rows: frame.inner(Margin::new(1, 1)) }
    }

    pub(super) fn has_feed(&self) -> bool {
        self.feed[0].height > 0
    }
}

/// Returns the lines of the hint.
fn go_to_height(area: Rect) -> u16 {
    if area.height < MIN_FRAMED_HEIGHT { 1 } else { 3 }
}

/// Returns the number of rows in each list of the feed below a list of `len` lines.
pub(super) fn feed_rows(area: Rect, len: usize) -> u16 {
    if area.height < MIN_FEED_HEIGHT || area.width < MIN_FEED_WIDTH {
        return 0;
    }
    let [least, most] = FEED_ROWS;
    let least = ((area.height - RESERVED_LINES) / 2).clamp(least, most);
    let frames = go_to_height(area) + 4;
    let list = u16::try_from(len.max(1)).unwrap_or(u16::MAX);
    least.max(area.height.saturating_sub(frames).saturating_sub(list))
}

pub(super) fn body_height(cx: &PaneContext<'_>) -> usize {
    usize::from(StartLayout::new(cx.area, usize::MAX).rows.height).max(1)
}
