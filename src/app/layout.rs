//! Where everything is: one function that both update and view ask.

use ratatui::layout::{Constraint, Layout, Rect, Size};

use super::history::HistoryEntry;
use crate::pane::address_header;
use crate::ui::format::{cut, width};

/// The least size the screens are made for.
pub(super) const MIN_SCREEN: Size = Size { width: 40, height: 10 };

/// The least width of a screen that has room for something beside a list.
pub(super) const MIN_SPLIT_WIDTH: u16 = 160;
/// A list that something stands beside is no narrower.
const MIN_LIST_WIDTH: u16 = 96;

/// The parts of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScreenLayout {
    pub(super) title: Rect,
    pub(super) header: Rect,
    pub(super) tabs: Rect,
    pub(super) body: Rect,
    /// Between the list and what stands beside it.
    pub(super) divider: Rect,
    /// The title of what stands beside it.
    pub(super) preview_title: Rect,
    pub(super) preview: Rect,
    pub(super) footer: Rect,
}

/// The parts of a screen of this size that shows this place.
pub(super) fn screen_layout(size: Size, place: Option<&HistoryEntry>) -> ScreenLayout {
    let has_header = place.is_some_and(|place| place.header.is_some());
    let has_tabs = has_header || place.is_some_and(|place| place.tabs.len() > 1);
    let heights = [
        Constraint::Length(1),
        Constraint::Length(if has_header { address_header::HEADER_HEIGHT } else { 0 }),
        Constraint::Length(u16::from(has_tabs)),
        Constraint::Min(0),
        Constraint::Length(1),
    ];
    let [title, header, tabs, body, footer] =
        Rect::from((ratatui::layout::Position::ORIGIN, size)).layout(&Layout::vertical(heights));
    let (body, rule, beside) = match place {
        Some(place) if place.split.is_some() => split_body(body),
        _ => (body, Rect::ZERO, Rect::ZERO),
    };
    let [top, below] =
        beside.layout(&Layout::vertical([Constraint::Length(1), Constraint::Min(0)]));
    ScreenLayout {
        title,
        header,
        tabs,
        body,
        divider: rule,
        preview_title: top,
        preview: below,
        footer,
    }
}

/// The list, a rule, and what stands beside it. The list keeps the columns that matter; on a wider
/// screen the rest soon has the 80 columns that a hash and its label take.
fn split_body(body: Rect) -> (Rect, Rect, Rect) {
    let list =
        u16::try_from(u32::from(body.width) * 11 / 20).unwrap_or(body.width).max(MIN_LIST_WIDTH);
    let widths = [Constraint::Length(list), Constraint::Length(1), Constraint::Min(0)];
    let [list, rule, beside] = body.layout(&Layout::horizontal(widths));
    (list, rule, beside)
}

/// Where the tabs of a place stand on their line, as far as there is room, and what they say.
pub(super) fn tab_bar(place: &HistoryEntry, line: Rect) -> Vec<(Rect, String)> {
    let mut x = line.x;
    let titles = place.tabs.iter().enumerate();
    let placed = titles.map(|(n, slot)| {
        let room = usize::from(line.right().saturating_sub(x));
        let text = cut(&format!(" {} {} ", n + 1, slot.kind.title()), room).into_owned();
        let area = Rect { x, width: u16::try_from(width(&text)).unwrap_or(0), ..line };
        x = area.right().saturating_add(1);
        (area, text)
    });
    placed.collect()
}
