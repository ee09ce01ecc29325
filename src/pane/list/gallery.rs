//! The rows of a list as a grid of cards.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Size};

use super::super::{Command, PaneContext, picture};
use super::ListPane;
use crate::action::Action;
use crate::api::Item;
use crate::columns::{Card, Row};
use crate::sanitize::SafeText;
use crate::ui::format::cut;
use crate::ui::frame::ScrollExtent;
use crate::ui::selection::draw_selection;
use crate::ui::text::draw_text;
use crate::ui::theme::Role;
use crate::ui::viewport::Viewport;

/// The lines of a card below its picture.
const TEXT_LINES: u16 = 2;

/// The cards that fit into an area.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    area: Rect,
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// The cells of a picture.
    picture: Size,
}

impl Grid {
    pub(super) fn new(area: Rect) -> Self {
        let min_width = match area.width {
            ..100 => 14,
            100..150 => 18,
            _ => 22,
        };
        // Without the gaps after the last column and the last row.
        let columns = (area.width.saturating_add(2) / (min_width + 2)).max(1);
        let width = (area.width.saturating_add(2) / columns).saturating_sub(2);
        // Of square pictures, or of a row more of pictures that are a little lower.
        let square = width / 2;
        let rows = area.height / (square + TEXT_LINES + 1) + 1;
        let lower = (area.height.saturating_add(1) / rows).saturating_sub(TEXT_LINES + 1);
        let is_low = lower < square * 3 / 4;
        let (rows, height) = if is_low { (rows - 1, square) } else { (rows, lower.min(square)) };
        let height = height.min(area.height.saturating_sub(TEXT_LINES));
        let picture = Size::new(width, height);
        Self { area, columns: columns.into(), rows: rows.max(1).into(), picture }
    }

    /// Returns the lines of a card with the gap below it.
    fn card_height(self) -> u16 {
        self.picture.height + TEXT_LINES + 1
    }

    /// Returns which of the lines of all cards are on the screen.
    pub(super) fn extent(self, viewport: Viewport, cards: usize) -> ScrollExtent {
        let lines = |card: usize| card.div_ceil(self.columns) * usize::from(self.card_height());
        ScrollExtent { area: self.area, offset: lines(self.scroll(viewport)), len: lines(cards) }
    }

    /// Returns the cards that scrolling by lines moves by: whole rows, at least one.
    pub(super) fn cards_in(self, lines: isize) -> isize {
        let height = isize::try_from(self.card_height()).unwrap_or(isize::MAX);
        let rows = (lines / height).abs().max(1) * lines.signum();
        rows.saturating_mul(isize::try_from(self.columns).unwrap_or(1))
    }

    pub(super) fn len(self) -> usize {
        self.columns * self.rows
    }

    /// Returns the area of the card at a place on the screen.
    fn card(self, place: usize) -> Rect {
        let along = |n: usize, step: u16| u16::try_from(n).unwrap_or(u16::MAX).saturating_mul(step);
        let x = along(place % self.columns, self.picture.width + 2);
        let y = along(place / self.columns, self.card_height());
        let Size { width, height } = self.picture;
        let corner = Position { x: self.area.x + x, y: self.area.y + y };
        Rect::from((corner, Size::new(width, height + TEXT_LINES))).intersection(self.area)
    }

    /// Returns the first card on the screen, so that the selected one is on it.
    pub(super) fn scroll(self, viewport: Viewport) -> usize {
        let line = |n: usize| n / self.columns;
        let mut lines =
            Viewport { selected: line(viewport.selected), offset: line(viewport.offset) };
        lines.show(lines.selected, self.rows);
        lines.offset * self.columns
    }
}

impl<T: Row> ListPane<T> {
    pub(super) fn grid(&self, cx: &PaneContext<'_>) -> Option<Grid> {
        self.is_gallery.then(|| Grid::new(cx.area))
    }

    pub(super) fn toggle_gallery(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.is_gallery = !self.is_gallery;
        self.select(self.viewport.selected, cx);
        self.prefetch(cx)
    }

    /// Returns how many cards an action moves by.
    pub(super) fn card_delta(grid: Grid, action: Action) -> Option<isize> {
        let columns = isize::try_from(grid.columns).unwrap_or(1);
        match action {
            Action::NextCell => Some(1),
            Action::PreviousCell => Some(-1),
            _ => action.row_delta(grid.rows).map(|rows| rows.saturating_mul(columns)),
        }
    }

    pub(super) fn card_at(&self, at: Position, grid: Grid) -> Option<usize> {
        let place = (0..grid.len()).find(|place| grid.card(*place).contains(at))?;
        Some(grid.scroll(self.viewport) + place).filter(|card| *card < self.len())
    }

    /// Returns the items on the screen with their areas.
    fn cards(&self, grid: Grid) -> impl Iterator<Item = (usize, Rect, &Item<T>)> {
        let first = grid.scroll(self.viewport);
        (0..grid.len()).filter_map(move |place| {
            let position = first + place;
            let item = self.paged.rows().get(self.filter.row(position)?)?;
            (position < self.len()).then(|| (position, grid.card(place), &**item))
        })
    }

    /// Returns the pictures of the cards on the screen.
    pub(super) fn card_pictures(&self, grid: Grid) -> Vec<(&SafeText, Size)> {
        let cards = self.cards(grid).filter_map(|(.., item)| item.parsed.as_ref().ok()?.card());
        cards.filter_map(|card| Some((card.picture?, grid.picture))).collect()
    }

    /// Returns the URL of the selected row's picture.
    pub(super) fn selected_picture(&self) -> Option<&SafeText> {
        self.selected_item()?.parsed.as_ref().ok()?.card()?.picture
    }

    pub(super) fn draw_gallery(&self, grid: Grid, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let mut bottom = grid.area.y;
        let mut shown = 0;
        for (position, area, item) in self.cards(grid) {
            let is_selected = position == self.viewport.selected;
            draw_card(item, area, is_selected, cx, buf);
            bottom = area.bottom();
            shown = position + 1;
        }
        if shown < self.len() {
            return;
        }
        let rest =
            Rect { y: bottom, height: grid.area.bottom().saturating_sub(bottom), ..grid.area };
        let mut lines = rest.rows();
        let line = if self.len() == 0 { lines.next() } else { lines.next_back() };
        if let Some(line) = line {
            let (words, role) = self.tail_text(cx);
            draw_text(buf, line, &words, cx.styles.of(role));
        }
    }
}

fn draw_card<T: Row>(
    item: &Item<T>,
    area: Rect,
    is_selected: bool,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let card = item.parsed.as_ref().ok().and_then(Row::card);
    let card = card.unwrap_or_else(|| Card {
        picture: None,
        mark: None,
        title: "unreadable row".into(),
        subtitle: SafeText::default(),
    });
    let height = area.height.saturating_sub(TEXT_LINES);
    let picture = Rect { height, ..area };
    picture::draw(card.picture, card.mark, picture, cx, buf);
    let texts = [(&card.title, Role::Plain), (&card.subtitle, Role::Dim)];
    let mark = if is_selected { "▸" } else { "" };
    for (line, (text, role)) in area.rows().skip(height.into()).zip(texts) {
        let mark = if role == Role::Plain { mark } else { "" };
        let text = format!("{mark}{text}");
        draw_text(buf, line, &cut(&text, line.width.into()), cx.styles.of(role));
        if is_selected {
            draw_selection(buf, line, cx.styles.selection());
        }
    }
}
