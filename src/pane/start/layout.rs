//! The layout of the start page.

use ratatui::layout::{Constraint, Layout, Margin, Rect};

use crate::pane::PaneContext;

/// From this height on, a list of the feed has titles.
const MIN_TITLED_HEIGHT: u16 = 6;
/// The frame of the blocks has three tenths of the width, within these bounds.
const BLOCKS_WIDTH: [u16; 2] = [28, 48];
/// From this width on, the transactions have a column of their own, next to the list and the blocks.
const MIN_TWO_COLUMNS_WIDTH: u16 = 190;
/// The width of the list then, with short hashes before descriptions.
const LIST_WIDTH: u16 = 94;
/// From this height on there is space for a frame around the hint.
const MIN_FRAMED_HEIGHT: u16 = 16;
/// Minimum height of a page with a feed.
const MIN_FEED_HEIGHT: u16 = 18;
const MIN_FEED_WIDTH: u16 = 70;

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
        let feed = feed_height(area, len);
        let list = u16::try_from(len).unwrap_or(u16::MAX).saturating_add(2);
        let [go_to, body] = area.layout(&Layout::vertical([
            Constraint::Length(go_to_height(area)),
            Constraint::Fill(1),
        ]));
        let heights = Layout::vertical([Constraint::Max(list), Constraint::Length(feed)]);
        // A column for a single line would be empty.
        let ([frame, blocks], transactions) = if has_two_columns(area) && len > 1 {
            let widths = Layout::horizontal([Constraint::Length(LIST_WIDTH), Constraint::Fill(1)]);
            let [left, transactions] = body.layout(&widths);
            (left.layout(&heights), transactions)
        } else {
            let [frame, bottom] = body.layout(&heights);
            let [least, most] = BLOCKS_WIDTH;
            let blocks = Constraint::Length((area.width / 10 * 3).clamp(least, most));
            let [blocks, transactions] =
                bottom.layout(&Layout::horizontal([blocks, Constraint::Fill(1)]));
            ([frame, blocks], transactions)
        };
        let feed = [blocks, transactions];
        Self { go_to, feed, frame, rows: frame.inner(Margin::new(1, 1)) }
    }

    pub(super) fn has_feed(&self) -> bool {
        self.feed[0].height > 0
    }

    /// Returns the frame of the feed as a whole, or of its larger part.
    pub(super) fn whole_feed([blocks, transactions]: [Rect; 2]) -> Rect {
        if blocks.y == transactions.y { blocks.union(transactions) } else { transactions }
    }

    /// Returns the number of blocks and of transactions for which there is space.
    pub(super) fn feed_rows(&self) -> [usize; 2] {
        self.feed.map(|frame| FeedList::new(frame).rows.height.into())
    }
}

/// The inside of a frame of the feed.
pub(super) struct FeedList {
    /// Titles of the columns, of a list with space for them.
    pub(super) titles: Rect,
    pub(super) rows: Rect,
}

impl FeedList {
    pub(super) fn new(frame: Rect) -> Self {
        let inner = frame.inner(Margin::new(1, 1));
        let height = u16::from(inner.height >= MIN_TITLED_HEIGHT);
        let heights = [Constraint::Length(height), Constraint::Fill(1)];
        let [titles, rows] = inner.layout(&Layout::vertical(heights));
        Self { titles, rows }
    }
}

fn has_two_columns(area: Rect) -> bool {
    area.width >= MIN_TWO_COLUMNS_WIDTH && area.height >= MIN_FEED_HEIGHT
}

/// Returns the lines of the hint.
fn go_to_height(area: Rect) -> u16 {
    if area.height < MIN_FRAMED_HEIGHT { 1 } else { 3 }
}

/// Returns the height of the frames of the feed below a list of `len` lines, which takes half of the page at
/// most. Zero if there is no space for a feed.
fn feed_height(area: Rect, len: usize) -> u16 {
    if area.height < MIN_FEED_HEIGHT || area.width < MIN_FEED_WIDTH {
        return 0;
    }
    let body = area.height - go_to_height(area);
    let list = u16::try_from(len.max(1)).unwrap_or(u16::MAX).saturating_add(2);
    body - list.min(body / 2)
}

pub(super) fn body_height(cx: &PaneContext<'_>) -> usize {
    usize::from(StartLayout::new(cx.area, usize::MAX).rows.height).max(1)
}
