//! The rows of a list as a grid of cards.

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Position, Rect, Size};

use super::super::{ListView, PaneContext, PanePlace, picture};
use super::ListPane;
use crate::action::Action;
use crate::api::paged_rows::TailState;
use crate::columns::Card;
use crate::columns::any_row::AnyItem;
use crate::messages::list;
use crate::sanitize::SafeText;
use crate::ui::format::{cut, fits, width, wrapped_lines};
use crate::ui::frame::{ScrollExtent, draw_thick_frame};
use crate::ui::selection::draw_selection;
use crate::ui::text::draw_pieces;
use crate::ui::theme::Role;
use crate::ui::viewport::Viewport;

/// The lines of a card below its picture.
const TEXT_LINES: u16 = 2;
/// Columns between two cards, and around all: for the frame of the selected one.
const GAP: u16 = 2;
/// Minimum height of the selected card's details, with the rule above.
const MIN_DETAIL_HEIGHT: u16 = 3;
const SEPARATOR: &str = " · ";
/// Lines in place of a picture, if no card has one.
const BLANK_HEIGHT: u16 = 4;
/// Cards that are examined for pictures.
const MAX_EXAMINED_CARDS: usize = 100;
/// Wider cards of a short list would be mostly picture.
const MAX_CARD_WIDTH: u16 = 40;

/// The cards that fit into an area, above a line about the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    area: Rect,
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// The cells of a picture.
    picture: Size,
}

impl Grid {
    pub(super) fn new(area: Rect, cards: usize, has_pictures: bool) -> Self {
        let area = Rect { height: area.height.saturating_sub(1), ..area };
        let min_width = match area.width {
            ..90 => 13,
            90..100 => 15,
            100..150 => 18,
            _ => 22,
        };
        let needed = u16::try_from(cards).unwrap_or(u16::MAX).max(1);
        let columns = (area.width / (min_width + GAP)).clamp(1, needed);
        let width = (area.width / columns).saturating_sub(GAP).min(MAX_CARD_WIDTH);
        // Of square pictures, or of a row more of pictures that are a little lower.
        let square = if has_pictures { width.div_ceil(2) } else { BLANK_HEIGHT };
        let height = area.height.saturating_sub(1);
        let rows = height / (square + TEXT_LINES + 1) + 1;
        let lower = (height / rows).saturating_sub(TEXT_LINES + 1);
        let is_low = rows > 1 && lower < square * 3 / 4;
        let (rows, height) = if is_low { (rows - 1, square) } else { (rows, lower.min(square)) };
        let picture = Size::new(width, height);
        Self { area, columns: columns.into(), rows: rows.into(), picture }
    }

    /// Returns the lines that are too few for another row of cards.
    fn rest(self) -> Rect {
        let used = u16::try_from(self.rows).unwrap_or(u16::MAX).saturating_mul(self.card_height());
        let y = self.area.y.saturating_add(used + 1).min(self.area.bottom());
        Rect { y, height: self.area.bottom() - y, ..self.area }
    }

    /// Returns the line below everything.
    fn tail(self) -> Rect {
        Rect { y: self.area.bottom(), height: 1, ..self.area }
    }

    /// Returns the lines of a card with the gap below it.
    fn card_height(self) -> u16 {
        self.picture.height + TEXT_LINES + 1
    }

    /// Returns the extent of the visible lines of all cards.
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
        let x = along(place % self.columns, self.picture.width + GAP);
        let y = along(place / self.columns, self.card_height());
        let Size { width, height } = self.picture;
        let corner = Position { x: self.area.x + GAP / 2 + x, y: self.area.y + 1 + y };
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

impl ListPane {
    pub(super) fn grid(&self, cx: &PaneContext<'_>) -> Option<Grid> {
        let is_gallery = self.kind.has_cards && cx.list_view == ListView::Gallery;
        is_gallery.then(|| Grid::new(cx.area, self.len(), self.has_pictures()))
    }

    /// Returns `true` if one of the first rows has a picture, or if there are no rows yet.
    fn has_pictures(&self) -> bool {
        let mut cards = (0..self.len().min(MAX_EXAMINED_CARDS)).filter_map(|position| {
            let item = self.listed(position)?.parsed()?;
            Some(card(&**item)?.picture.is_some())
        });
        self.len() == 0 || cards.any(|has_picture| has_picture)
    }

    /// Describes the order of the cards, as they have no header.
    pub(super) fn describe_order(&self, cx: &PaneContext<'_>) -> String {
        let order = self.grid(cx).and_then(|_| self.filter.order());
        let described = order.and_then(|order| {
            let title = self.kind.columns.get(order.column)?.title;
            Some(format!("by {title} {} · ", order.mark()))
        });
        described.unwrap_or_default()
    }

    /// Returns the number of cards that an action moves by.
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
    fn cards(&self, grid: Grid) -> impl Iterator<Item = (usize, Rect, &dyn AnyItem)> {
        let first = grid.scroll(self.viewport);
        (0..grid.len()).filter_map(move |place| {
            let position = first + place;
            let item = self.listed(position)?.parsed()?;
            (position < self.len()).then(|| (position, grid.card(place), &**item))
        })
    }

    /// Returns the pictures of the cards on the screen.
    pub(super) fn card_pictures(&self, grid: Grid) -> Vec<(&SafeText, Size)> {
        let pictures = self.cards(grid).filter_map(|(.., item)| card(item)?.picture);
        pictures.map(|picture| (picture, grid.picture)).collect()
    }

    /// Returns the URL of the selected row's picture.
    pub(super) fn selected_picture(&self) -> Option<&SafeText> {
        card(&**self.listed(self.viewport.selected)?.parsed()?)?.picture
    }

    pub(super) fn draw_gallery(&self, grid: Grid, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let mut shown = 0;
        for (position, area, item) in self.cards(grid) {
            draw_card(item, area, cx, buf);
            if position == self.viewport.selected {
                let frame = area.outer(Margin::new(GAP / 2, 1)).intersection(grid.area);
                draw_thick_frame(buf, frame, cx.styles.border());
                let caption = Rect { y: area.bottom().saturating_sub(TEXT_LINES), ..area };
                draw_selection(buf, caption.intersection(area), cx.styles.selection());
            }
            shown = position + 1;
        }
        if grid.rest().height >= MIN_DETAIL_HEIGHT && cx.place != PanePlace::NextToPreview {
            self.draw_details(grid.rest(), cx, buf);
        }
        let has_failed = matches!(self.paged.tail(), TailState::Failed(..));
        match self.len() {
            0 => self.draw_tail(cx.area, cx, buf),
            all if all == shown || has_failed => self.draw_tail(grid.tail(), cx, buf),
            _ => {}
        }
    }
}

fn card(item: &dyn AnyItem) -> Option<Card<'_>> {
    match item.row() {
        Ok(row) => row.card(),
        Err(why) => Some(Card {
            picture: None,
            mark: None,
            title: list::UNREADABLE_ROW.into(),
            facts: vec![why.clone()],
        }),
    }
}

fn draw_card(item: &dyn AnyItem, area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
    let Some(card) = card(item) else { return };
    let height = area.height.saturating_sub(TEXT_LINES);
    picture::draw(card.picture, card.mark, Rect { height, ..area }, cx, buf);
    let is_doubtful = item.row().is_ok_and(|row| !row.warnings().is_empty());
    let (mark, role) = if is_doubtful { ("! ", Role::Warning) } else { ("", Role::Plain) };
    let title = [mark, &card.title].concat();
    let lines = caption(&title, &card.facts, area.width.into());
    for (line, (title, facts)) in area.rows().skip(height.into()).zip(lines) {
        let pieces = [(title, cx.styles.of(role)), (facts, cx.styles.of(Role::Dim))];
        draw_pieces(buf, line, pieces);
    }
}

/// Returns the two lines below a picture, each of title and facts: the end of a long title is before
/// the facts if there is space.
fn caption(title: &str, facts: &[SafeText], columns: usize) -> [(String, String); 2] {
    let first = wrapped_lines(title, columns.max(2)).next().unwrap_or_default();
    let rest = title.get(first.len()..).unwrap_or_default();
    let least = facts.first().map_or(0, |fact| width(fact) + width(SEPARATOR));
    if rest.is_empty() || !fits(rest, columns.saturating_sub(least)) {
        let title = cut(title, columns).into_owned();
        return [(title, String::new()), (String::new(), join_fitting(facts, columns))];
    }
    let left = columns.saturating_sub(width(rest) + width(SEPARATOR));
    let facts = [SEPARATOR, &join_fitting(facts, left)].concat();
    [(first.trim_end().to_owned(), String::new()), (rest.to_owned(), facts)]
}

/// Returns the first facts, as many as fit, but at least one.
fn join_fitting(facts: &[SafeText], columns: usize) -> String {
    let mut line = facts.first().map(|fact| cut(fact, columns).into_owned()).unwrap_or_default();
    for fact in facts.iter().skip(1) {
        let longer = [&line, SEPARATOR, fact].concat();
        if !fits(&longer, columns) {
            break;
        }
        line = longer;
    }
    line
}
