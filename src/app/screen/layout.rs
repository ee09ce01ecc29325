//! The layout of the screen, which `update` and `view` share.

use ratatui::layout::{Constraint, Layout, Margin, Position, Rect, Size};

use crate::app::PaneSlot;
use crate::app::navigation::history::HistoryEntry;
use crate::pane::PaneKind;

pub(in crate::app) const MIN_SCREEN: Size = Size { width: 40, height: 10 };
/// On smaller screens frames would take too much of the content.
const MIN_FRAMED_SCREEN: Size = Size { width: 60, height: 16 };

/// Minimum columns of a screen with a list and a preview (`split_view`).
pub(in crate::app) const MIN_SPLIT_WIDTH: u16 = 160;
const MIN_LIST_WIDTH: u16 = 95;
/// Columns of a whole hash with its label, of the margins and of the frame.
const PREVIEW_WIDTH: u16 = 84;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) struct ScreenLayout {
    pub(in crate::app) title: Rect,
    /// The frame of the header, whose lower edge is the upper one of the body.
    pub(in crate::app) header_frame: Rect,
    pub(in crate::app) header: Rect,
    pub(in crate::app) body: PaneLayout,
    pub(in crate::app) preview: PaneLayout,
    pub(in crate::app) footer: Rect,
}

/// A pane with its frame and the line of its tabs, each of which can be missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::app) struct PaneLayout {
    pub(in crate::app) frame: Rect,
    pub(in crate::app) tabs: Rect,
    pub(in crate::app) inner: Rect,
}

impl PaneLayout {
    fn framed(frame: Rect) -> Self {
        // Each title has a space on both sides.
        let width = frame.width.saturating_sub(3);
        let tabs = Rect { x: frame.x + 2, width, height: frame.height.min(1), ..frame };
        Self { frame, tabs, inner: frame.inner(Margin::new(1, 1)) }
    }

    fn unframed(area: Rect, has_tabs: bool) -> Self {
        let heights = [Constraint::Length(u16::from(has_tabs)), Constraint::Min(0)];
        let [tabs, inner] = area.layout(&Layout::vertical(heights));
        Self { frame: Rect::ZERO, tabs, inner }
    }

    /// The part of the lower edge between the corners.
    pub(in crate::app) fn bottom(&self) -> Rect {
        let y = self.frame.bottom().saturating_sub(1);
        Rect { y, height: self.frame.height.min(1), ..self.frame }.inner(Margin::new(1, 0))
    }
}

impl ScreenLayout {
    pub(in crate::app) fn area(&self, slot: PaneSlot) -> Rect {
        match slot {
            PaneSlot::Header => self.header,
            PaneSlot::Tab(_) => self.body.inner,
            PaneSlot::Preview => self.preview.inner,
        }
    }
}

pub(in crate::app) fn screen_layout(size: Size, entry: Option<&HistoryEntry>) -> ScreenLayout {
    let header = entry.and_then(|entry| entry.header.as_ref());
    let header_height = header.map_or(0, |header| header.kind.header_height());
    let heights = [
        Constraint::Length(1),
        Constraint::Length(header_height),
        Constraint::Min(0),
        Constraint::Length(1),
    ];
    let screen = Rect::from((Position::ORIGIN, size));
    let [title, header_area, body, footer] = screen.layout(&Layout::vertical(heights));
    let is_split = entry.is_some_and(|entry| entry.split.is_some());
    let is_large = size.width >= MIN_FRAMED_SCREEN.width && size.height >= MIN_FRAMED_SCREEN.height;
    let is_start = entry.is_none_or(|entry| entry.tabs.iter().any(|t| t.kind == PaneKind::Start));
    if is_start || !(is_large || is_split) {
        let has_tabs = header.is_some() || entry.is_some_and(|entry| entry.tabs.len() > 1);
        let (header_frame, preview) = Default::default();
        let body = PaneLayout::unframed(body, has_tabs);
        return ScreenLayout { title, header_frame, header: header_area, body, preview, footer };
    }
    let list_lines = entry.and_then(|entry| entry.split.as_ref()?.list_lines);
    let (body, preview) = match list_lines {
        _ if !is_split => (body, Rect::ZERO),
        Some(lines) => {
            let heights = [Constraint::Length(lines), Constraint::Min(0)];
            let [list, preview] = body.layout(&Layout::vertical(heights));
            (list, preview)
        }
        None => split_body(body),
    };
    ScreenLayout {
        title,
        header_frame: Rect { height: header_height.min(1) * (header_height + 1), ..header_area },
        header: header_area.inner(Margin::new(2, 0)),
        body: PaneLayout::framed(body),
        preview: PaneLayout::framed(preview),
        footer,
    }
}

/// Divides the body into the list and the preview. The list keeps its most important columns, and has
/// almost as many as on a screen of 120 columns as soon as the preview has those for a hash.
fn split_body(body: Rect) -> (Rect, Rect) {
    let share = u16::try_from(u32::from(body.width) * 11 / 20).unwrap_or(body.width);
    let list = share.max(body.width.saturating_sub(PREVIEW_WIDTH)).max(MIN_LIST_WIDTH);
    let [list, preview] =
        body.layout(&Layout::horizontal([Constraint::Length(list), Constraint::Min(0)]));
    (list, preview)
}
