//! The layout of the screen, which `update` and `view` share.

use ratatui::layout::{Constraint, Layout, Rect, Size};

use super::PaneSlot;
use super::history::HistoryEntry;
use crate::pane::address_header;
use crate::ui::format::{cut, width};

pub(super) const MIN_SCREEN: Size = Size { width: 40, height: 10 };

pub(super) const MIN_SPLIT_WIDTH: u16 = 160;
const MIN_LIST_WIDTH: u16 = 96;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScreenLayout {
    pub(super) title: Rect,
    pub(super) header: Rect,
    pub(super) tabs: Rect,
    pub(super) body: Rect,
    pub(super) divider: Rect,
    pub(super) preview_title: Rect,
    pub(super) preview: Rect,
    pub(super) footer: Rect,
}

impl ScreenLayout {
    pub(super) fn area(&self, slot: PaneSlot) -> Rect {
        match slot {
            PaneSlot::Header => self.header,
            PaneSlot::Tab(_) => self.body,
            PaneSlot::Preview => self.preview,
        }
    }
}

pub(super) fn screen_layout(size: Size, entry: Option<&HistoryEntry>) -> ScreenLayout {
    let has_header = entry.is_some_and(|entry| entry.header.is_some());
    let has_tabs = has_header || entry.is_some_and(|entry| entry.tabs.len() > 1);
    let heights = [
        Constraint::Length(1),
        Constraint::Length(if has_header { address_header::HEADER_HEIGHT } else { 0 }),
        Constraint::Length(u16::from(has_tabs)),
        Constraint::Min(0),
        Constraint::Length(1),
    ];
    let [title, header, tabs, body, footer] =
        Rect::from((ratatui::layout::Position::ORIGIN, size)).layout(&Layout::vertical(heights));
    let (body, divider, split) = match entry {
        Some(entry) if entry.split.is_some() => split_body(body),
        _ => (body, Rect::ZERO, Rect::ZERO),
    };
    let [preview_title, preview] =
        split.layout(&Layout::vertical([Constraint::Length(1), Constraint::Min(0)]));
    ScreenLayout { title, header, tabs, body, divider, preview_title, preview, footer }
}

/// Divides the body into the list, a divider and the preview. The list keeps its most important columns; on
/// wider screens the preview soon has the 80 columns that a hash and its label take.
fn split_body(body: Rect) -> (Rect, Rect, Rect) {
    let list =
        u16::try_from(u32::from(body.width) * 11 / 20).unwrap_or(body.width).max(MIN_LIST_WIDTH);
    let widths = [Constraint::Length(list), Constraint::Length(1), Constraint::Min(0)];
    let [list, divider, preview] = body.layout(&Layout::horizontal(widths));
    (list, divider, preview)
}

/// Returns the titles of the tabs that fit, with their areas.
pub(super) fn tab_bar(entry: &HistoryEntry, line: Rect) -> Vec<(Rect, String)> {
    let mut x = line.x;
    let titles = entry.tabs.iter().enumerate();
    let placed = titles.map(|(n, tab)| {
        let width_left = usize::from(line.right().saturating_sub(x));
        let text = cut(&format!(" {} {} ", n + 1, tab.kind.title()), width_left).into_owned();
        let area = Rect { x, width: u16::try_from(width(&text)).unwrap_or(0), ..line };
        x = area.right().saturating_add(1);
        (area, text)
    });
    placed.collect()
}
