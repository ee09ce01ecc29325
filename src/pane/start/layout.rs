//! The layout of the start page.

use ratatui::layout::{Constraint, Layout, Margin, Rect};

use super::chain_feed::feed_height;
use crate::pane::PaneContext;

const MAX_WIDTH: u16 = 120;
/// From this height on there is space for a frame around the hint, and for a line above it.
const MIN_FRAMED_HEIGHT: u16 = 16;
const MIN_SPACED_HEIGHT: u16 = 30;

pub(super) struct StartLayout {
    pub(super) go_to: Rect,
    pub(super) feed: Rect,
    pub(super) frame: Rect,
    pub(super) rows: Rect,
}

impl StartLayout {
    /// Divides `area` for a list of `len` lines.
    pub(super) fn new(area: Rect, len: usize) -> Self {
        let width = area.width.min(MAX_WIDTH);
        let area = Rect { x: area.x + (area.width - width) / 2, width, ..area };
        let go_to = if area.height < MIN_FRAMED_HEIGHT { 1 } else { 3 };
        let heights = [
            Constraint::Length(u16::from(area.height >= MIN_SPACED_HEIGHT)),
            Constraint::Length(go_to),
            Constraint::Length(feed_height(area)),
            Constraint::Max(u16::try_from(len).unwrap_or(u16::MAX).saturating_add(2)),
        ];
        let [_, go_to, feed, frame] = area.layout(&Layout::vertical(heights));
        Self { go_to, feed, frame, rows: frame.inner(Margin::new(1, 1)) }
    }
}

pub(super) fn body_height(cx: &PaneContext<'_>) -> usize {
    usize::from(StartLayout::new(cx.area, usize::MAX).rows.height).max(1)
}
