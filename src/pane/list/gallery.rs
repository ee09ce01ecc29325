//! The rows of a list as a grid of cards.

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Position, Rect, Size};

use super::super::{Command, ListView, PaneContext, PanePlace};
use super::ListPane;
use super::regions::table_area;
use super::rows::order::RowOrder;
use super::rows::store::ListedRow;
use crate::action::Action;
use crate::api::page::paged_rows::TailState;
use crate::columns::Card;
use crate::columns::table::any_row::AnyItem;
use crate::messages::list;
use crate::pane::picture;
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
/// Before the title of a card with a warning.
const DOUBT_MARK: &str = "! ";
/// The lines of a card below its picture, with the gap to the next row.
const LINES_BELOW: u16 = TEXT_LINES + 1;
/// Lines in place of a picture in rows without any.
const BLANK_HEIGHT: u16 = 3;
/// Cards that are examined for pictures.
const MAX_EXAMINED_CARDS: usize = 100;
/// Lines from which on three rows of large cards fit.
const MIN_LARGE_HEIGHT: u16 = 48;
/// Least lines of a picture in which one sees more than in the details below a single row.
const MIN_PICTURE_HEIGHT: u16 = 6;
/// Most blank lines between two rows beyond the gap.
const MAX_ROW_GAP: u16 = 3;
/// Wider cards of a short list would be mostly picture.
const MAX_CARD_WIDTH: u16 = 40;

/// The cards that fit into an area, above a line about the list. Rows with pictures are as high as these
/// and come first, rows without any are low.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    area: Rect,
    columns: usize,
    /// Number of rows with pictures.
    picture_rows: usize,
    /// The columns of a row of cards: all, or fewer if cards would be mostly picture.
    row_width: u16,
    /// The cells of a picture.
    picture: Size,
    /// Lines in place of a picture in the other rows.
    blank_height: u16,
    /// Blank lines between a picture and its text, and after rows with pictures, of those that whole rows leave.
    text_gap: u16,
    row_gap: u16,
}

/// A card on the screen.
struct PlacedCard<'a> {
    position: usize,
    area: Rect,
    card: Card<'a>,
    is_doubtful: bool,
}

impl Grid {
    /// `pictures` is the number of first cards in whose rows pictures may be. Lines that whole rows leave are for
    /// details, or else between the rows.
    pub(super) fn new(area: Rect, cards: usize, pictures: usize, has_details: bool) -> Self {
        let area = Rect { height: area.height.saturating_sub(1), ..area };
        let min_width = match area.width {
            ..90 => 17,
            90..100 => 15,
            _ if area.height >= MIN_LARGE_HEIGHT => 24,
            100..150 => 18,
            _ => 22,
        };
        let needed = u16::try_from(cards).unwrap_or(u16::MAX).max(1);
        let most = (area.width / (min_width + GAP)).clamp(1, needed);
        let width_of =
            |columns: u16| (area.width / columns).saturating_sub(GAP).min(MAX_CARD_WIDTH);
        let fits = |columns: u16| {
            let [all, with_pictures] = [cards, pictures].map(|n| n.div_ceil(columns.into()));
            let picture_height = usize::from(width_of(columns).div_ceil(2) + LINES_BELOW);
            let blank_height = usize::from(BLANK_HEIGHT + LINES_BELOW);
            let blank_rows = all.saturating_sub(with_pictures);
            with_pictures * picture_height + blank_rows * blank_height < area.height.into()
        };
        // Few cards have larger pictures, in about as many rows as columns.
        let square_columns = if pictures == 0 { most } else { needed.isqrt().max(1) };
        let columns = (square_columns..most).find(|columns| fits(*columns)).unwrap_or(most);
        let width = width_of(columns);
        let is_widest = width == MAX_CARD_WIDTH;
        let row_width = if is_widest { columns * (width + GAP) } else { area.width };
        let square = width.div_ceil(2);
        let picture_rows = pictures.div_ceil(columns.into());
        let is_short = picture_rows * usize::from(square + LINES_BELOW) < area.height.into();
        let height = if is_short { square } else { fill_height(area, square) };
        let has_gaps = !is_short && !has_details;
        let [text_gap, row_gap] = if has_gaps { blank_lines(area, height) } else { [0; 2] };
        Self {
            area,
            columns: columns.into(),
            picture_rows,
            row_width,
            picture: Size::new(width, height),
            blank_height: BLANK_HEIGHT.min(area.height.saturating_sub(LINES_BELOW + 1)),
            text_gap,
            row_gap,
        }
    }

    /// Returns the lines of the rows before a row.
    fn lines_before(self, row: usize) -> usize {
        let with_pictures = row.min(self.picture_rows);
        let gaps = self.text_gap + self.row_gap;
        with_pictures * usize::from(self.picture.height + LINES_BELOW + gaps)
            + (row - with_pictures) * usize::from(self.blank_height + LINES_BELOW)
    }

    /// Returns the number of rows on the screen if `first` is the first one.
    fn rows_from(self, first: usize) -> usize {
        let end = self.lines_before(first) + usize::from(self.area.height.saturating_sub(1));
        // The last row needs no blank lines after it.
        let gap = |row| if row <= self.picture_rows { self.row_gap.into() } else { 0 };
        let later = first + 1..=first + usize::from(self.area.height);
        later.take_while(|row| self.lines_before(*row) <= end + gap(*row)).count().max(1)
    }

    /// Returns the first row on the screen, so that the selected card is on it.
    fn first_row(self, viewport: Viewport) -> usize {
        let selected = viewport.selected / self.columns;
        let is_visible = |first: &usize| first + self.rows_from(*first) > selected;
        let least = (0..=selected).rev().take_while(is_visible).last().unwrap_or(selected);
        (viewport.offset / self.columns).clamp(least, selected)
    }

    /// Returns the first card on the screen.
    pub(super) fn scroll(self, viewport: Viewport) -> usize {
        self.first_row(viewport) * self.columns
    }

    fn rows(self, viewport: Viewport) -> usize {
        self.rows_from(self.first_row(viewport))
    }

    /// Returns the number of cards on the screen.
    pub(super) fn len(self, viewport: Viewport) -> usize {
        self.columns * self.rows(viewport)
    }

    /// Returns the lines that are too few for another row of cards, or are after the last row.
    fn rest(self, viewport: Viewport, cards: usize) -> Rect {
        let first = self.first_row(viewport);
        let end = (first + self.rows_from(first)).min(cards.div_ceil(self.columns));
        let used = self.lines_before(end).saturating_sub(self.lines_before(first));
        let used = u16::try_from(used).unwrap_or(u16::MAX);
        let y = self.area.y.saturating_add(used.saturating_add(1)).min(self.area.bottom());
        Rect { y, height: self.area.bottom() - y, ..self.area }
    }

    /// Returns the line below everything.
    fn tail(self) -> Rect {
        Rect { y: self.area.bottom(), height: 1, ..self.area }
    }

    /// Returns the extent of the visible lines of all cards.
    pub(super) fn extent(self, viewport: Viewport, cards: usize) -> ScrollExtent {
        let offset = self.lines_before(self.first_row(viewport));
        let len = self.lines_before(cards.div_ceil(self.columns));
        ScrollExtent { area: self.area, offset, len }
    }

    /// Returns the cards that scrolling by lines moves by: whole rows, at least one.
    pub(super) fn cards_in(self, lines: isize) -> isize {
        let height = isize::try_from(self.lines_before(1)).unwrap_or(isize::MAX);
        let rows = (lines / height).abs().max(1) * lines.signum();
        rows.saturating_mul(isize::try_from(self.columns).unwrap_or(1))
    }

    /// Returns the number of cards that an action moves by.
    pub(super) fn card_delta(self, viewport: Viewport, action: Action) -> Option<isize> {
        let columns = isize::try_from(self.columns).unwrap_or(1);
        match action {
            Action::NextCell => Some(1),
            Action::PreviousCell => Some(-1),
            _ => action.row_delta(self.rows(viewport)).map(|rows| rows.saturating_mul(columns)),
        }
    }

    /// Returns the area of a card if `first` is the first row on the screen.
    fn card_area(self, position: usize, first: usize) -> Rect {
        let (row, column) = (position / self.columns, position % self.columns);
        let cells = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
        let pitch = usize::from(self.row_width) / self.columns;
        // What does not divide evenly is at the edges.
        let edge = (usize::from(self.row_width) - pitch * self.columns) / 2;
        let x = cells(edge + column * pitch) + GAP / 2;
        let y = cells(self.lines_before(row) - self.lines_before(first)).saturating_add(1);
        let picture = if row < self.picture_rows {
            self.picture.height + self.text_gap
        } else {
            self.blank_height
        };
        let height = picture + TEXT_LINES;
        let corner = Position { x: self.area.x + x, y: self.area.y.saturating_add(y) };
        Rect::from((corner, Size::new(self.picture.width, height))).intersection(self.area)
    }
}

/// Returns the height of pictures of which whole rows fill an area: the usual height, or a little less
/// if one row more fits then.
fn fill_height(area: Rect, usual: u16) -> u16 {
    let available = area.height.saturating_sub(1);
    let rows = available / (usual + LINES_BELOW) + 1;
    let lower = (available / rows).saturating_sub(LINES_BELOW);
    let is_too_low = match rows {
        1 => false,
        2 => lower < (usual * 3 / 4).max(MIN_PICTURE_HEIGHT),
        // One row more is worth less than pictures with details.
        _ => lower * 10 < usual * 9,
    };
    if is_too_low { usual } else { lower.min(usual) }
}

/// Returns the blank lines before the texts of cards, and between rows of cards that fill an area.
fn blank_lines(area: Rect, picture_height: u16) -> [u16; 2] {
    let available = area.height.saturating_sub(1);
    let rows = available / (picture_height + LINES_BELOW);
    let left = available - rows * (picture_height + LINES_BELOW);
    let text_gap = u16::from(left >= rows && rows > 0);
    let between = (left - rows * text_gap).checked_div(rows.saturating_sub(1));
    [text_gap, between.unwrap_or_default().min(MAX_ROW_GAP)]
}

impl ListPane {
    fn is_gallery(&self, cx: &PaneContext<'_>) -> bool {
        let has_cards = self.kind.has_cards && cx.pictures.is_on();
        has_cards && (cx.list_view == ListView::Gallery || cx.place == PanePlace::Preview)
    }

    pub(super) fn grid(&self, cx: &PaneContext<'_>) -> Option<Grid> {
        let has_details = cx.place != PanePlace::NextToPreview;
        let grid = || Grid::new(cx.area, self.len(), self.picture_cards(), has_details);
        self.is_gallery(cx).then(grid)
    }

    /// Returns the number of first cards that have pictures, or among which pictures may be.
    fn picture_cards(&self) -> usize {
        let has_picture = |position: &usize| {
            let card =
                self.listed(*position).and_then(ListedRow::parsed).and_then(|item| card(&**item));
            card.is_some_and(|card| card.picture.is_some())
        };
        let is_placed = self.filter.order().is_some_and(RowOrder::is_pictures_first);
        if is_placed && !self.is_sorting() {
            let (mut with, mut without) = (0, self.len());
            while with < without {
                let middle = with.midpoint(without);
                if has_picture(&middle) { with = middle + 1 } else { without = middle }
            }
            return with;
        }
        let has_pictures = (0..self.len().min(MAX_EXAMINED_CARDS)).any(|card| has_picture(&card));
        if has_pictures { self.len() } else { 0 }
    }

    /// Puts the cards with pictures first in a gallery that the user has not sorted.
    pub(super) fn order_cards(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let order = match self.filter.order() {
            None if self.is_gallery(cx) => Some(RowOrder::pictures_first()),
            Some(order) if order.is_pictures_first() && !self.is_gallery(cx) => None,
            _ => return Vec::new(),
        };
        self.return_row = self.filter.row(self.viewport.selected).filter(|row| *row > 0);
        self.filter.set_order(order);
        if let Some(search) = &mut self.search {
            search.restart();
        }
        self.continue_search(cx)
    }

    /// Describes the order of the cards, as they have no header.
    pub(super) fn describe_order(&self, cx: &PaneContext<'_>) -> String {
        let order = self.filter.order().filter(|_| self.is_gallery(cx));
        let described = order.and_then(|order| {
            if order.is_pictures_first() && self.picture_cards() < self.len() {
                return Some(list::PICTURES_FIRST.to_owned());
            }
            let title = self.kind.columns.get(order.column()?)?.title;
            Some(format!("by {title} {} · ", self.order_mark(order, cx)))
        });
        described.unwrap_or_default()
    }

    pub(super) fn card_at(&self, at: Position, grid: Grid) -> Option<usize> {
        let first = grid.first_row(self.viewport);
        let on_screen = first * grid.columns..first * grid.columns + grid.len(self.viewport);
        on_screen.take(self.len()).find(|card| grid.card_area(*card, first).contains(at))
    }

    /// Returns the cards on the screen.
    fn cards(&self, grid: Grid) -> impl Iterator<Item = PlacedCard<'_>> {
        let first = grid.first_row(self.viewport);
        let start = first * grid.columns;
        let end = (start + grid.len(self.viewport)).min(self.len());
        (start..end).filter_map(move |position| {
            let item = self.listed(position)?.parsed()?;
            let card = card(&**item)?;
            let area = grid.card_area(position, first);
            let is_doubtful = item.row().is_ok_and(|row| !row.warnings().is_empty());
            Some(PlacedCard { position, area, card, is_doubtful })
        })
    }

    /// Returns the pictures of the cards on the screen.
    pub(super) fn card_pictures(&self, grid: Grid) -> Vec<(&SafeText, Size)> {
        let pictures = self.cards(grid).filter_map(|placed| placed.card.picture);
        pictures.map(|picture| (picture, grid.picture)).collect()
    }

    /// Returns the URL of the selected row's picture.
    pub(super) fn selected_picture(&self) -> Option<&SafeText> {
        card(&**self.listed(self.viewport.selected)?.parsed()?)?.picture
    }

    pub(super) fn draw_gallery(&self, grid: Grid, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let mut shown = 0;
        let facts = self.cards(grid).map(|placed| placed.most_facts()).min().unwrap_or_default();
        for placed in self.cards(grid) {
            draw_card(&placed, (grid.picture.height, facts), cx, buf);
            let PlacedCard { position, area, .. } = placed;
            if position == self.viewport.selected {
                let frame = area.outer(Margin::new(GAP / 2, 1)).intersection(grid.area);
                draw_thick_frame(buf, frame, cx.styles.border());
                let caption = Rect { y: area.bottom().saturating_sub(TEXT_LINES), ..area };
                draw_selection(buf, caption.intersection(area), cx.styles.selection());
            }
            shown = position + 1;
        }
        let has_failed = matches!(self.paged.tail(), TailState::Failed(..));
        let has_tail = has_failed || self.len() == shown && !self.is_plain_end();
        let mut rest = grid.rest(self.viewport, self.len());
        rest.height += u16::from(!has_tail);
        let has_details = rest.height >= MIN_DETAIL_HEIGHT && cx.place != PanePlace::NextToPreview;
        if has_details {
            self.draw_details(rest, cx, buf);
        }
        match self.len() {
            0 => self.draw_tail(cx.area, cx, buf),
            // If there are details, the corner of the frame counts the cards.
            all if has_tail || all == shown && !has_details => {
                self.draw_tail(table_area(grid.tail(), cx), cx, buf);
            }
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

impl PlacedCard<'_> {
    fn title(&self) -> String {
        let mark = if self.is_doubtful { DOUBT_MARK } else { "" };
        [mark, &self.card.title].concat()
    }

    /// Returns the most facts of a card next to others: those that fit if this one has more.
    fn most_facts(&self) -> usize {
        let facts = &self.card.facts;
        let (_, space) = title_parts(&self.title(), facts, self.area.width.into());
        let (_, fitting) = first_facts(facts, space);
        if fitting < facts.len() { fitting } else { usize::MAX }
    }
}

/// Draws a card with a picture of a height, and at most so many facts.
fn draw_card(
    placed: &PlacedCard<'_>,
    (picture_height, most_facts): (u16, usize),
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let PlacedCard { area, card, is_doubtful, .. } = placed;
    let height = area.height.saturating_sub(TEXT_LINES);
    let picture = Rect { height: height.min(picture_height), ..*area };
    picture::draw(card.picture, card.mark, picture, cx, buf);
    let role = if *is_doubtful { Role::Warning } else { Role::Plain };
    let facts = card.facts.get(..most_facts).unwrap_or(&card.facts);
    let lines = caption(&placed.title(), facts, area.width.into());
    for (line, (title, facts)) in area.rows().skip(height.into()).zip(lines) {
        let columns = u16::try_from(width(&title) + width(&facts)).unwrap_or(u16::MAX);
        let pieces = [(title, cx.styles.of(role)), (facts, cx.styles.of(Role::Dim))];
        // Below the middle of the picture, which may be narrower than the card.
        let inset = line.width.saturating_sub(columns) / 2;
        draw_pieces(buf, Rect { x: line.x + inset, width: line.width - inset, ..line }, pieces);
    }
}

/// Returns the two lines below a picture, each of title and facts: the end of a long title is before
/// the facts if there is space.
fn caption(title: &str, facts: &[SafeText], columns: usize) -> [(String, String); 2] {
    let ([first, rest], space) = title_parts(title, facts, columns);
    let (shown, _) = first_facts(facts, space);
    if rest.is_empty() {
        return [(cut(first, columns).into_owned(), String::new()), (String::new(), shown)];
    }
    let after = [SEPARATOR, &shown].concat();
    [(first.trim_end().to_owned(), String::new()), (rest.to_owned(), after)]
}

/// Returns the parts of a title on the first line and before the facts, and the columns that are left for these.
fn title_parts<'t>(title: &'t str, facts: &[SafeText], columns: usize) -> ([&'t str; 2], usize) {
    let first = wrapped_lines(title, columns.max(2)).next().unwrap_or_default();
    let rest = title.get(first.len()..).unwrap_or_default();
    let least = facts.first().map_or(0, |fact| width(fact) + width(SEPARATOR));
    if rest.is_empty() || !fits(rest, columns.saturating_sub(least)) {
        return ([title, ""], columns);
    }
    ([first, rest], columns.saturating_sub(width(rest) + width(SEPARATOR)))
}

/// Returns the first facts, as many as fit, but at least one, and their number.
fn first_facts(facts: &[SafeText], columns: usize) -> (String, usize) {
    let mut line = facts.first().map(|fact| cut(fact, columns).into_owned()).unwrap_or_default();
    let mut shown = facts.len().min(1);
    for fact in facts.iter().skip(1) {
        let longer = [&line, SEPARATOR, fact].concat();
        if !fits(&longer, columns) {
            break;
        }
        line = longer;
        shown += 1;
    }
    (line, shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_fill_their_row() {
        for width in 80..200 {
            let grid = Grid::new(Rect::new(0, 0, width, 40), 50, 50, true);
            let cards: Vec<Rect> = (0..grid.columns).map(|card| grid.card_area(card, 0)).collect();
            let (first, last) = (cards[0], cards[grid.columns - 1]);
            assert!(first.x.abs_diff(width - last.right()) <= 1, "{width}: {first:?} {last:?}");
            let gaps: Vec<u16> = cards.windows(2).map(|pair| pair[1].x - pair[0].right()).collect();
            assert!(gaps.iter().all(|gap| *gap == GAP), "{width}: {gaps:?}");
        }
    }

    #[test]
    fn rows_fill_a_pane_without_details() {
        for height in 20..90 {
            let area = Rect::new(0, 0, 114, height);
            let grid = Grid::new(area, 500, 500, false);
            let rows = grid.rows_from(0);
            let last = grid.card_area((rows - 1) * grid.columns, 0);
            let bottom = grid.area.bottom();
            assert!(last.bottom() <= bottom, "{height}: {last:?}");
            let one_more = last.bottom() + LINES_BELOW + grid.picture.height;
            let may_be_more = grid.row_gap < MAX_ROW_GAP && rows > 1;
            let idle = bottom - last.bottom();
            assert!(!may_be_more || usize::from(idle) <= rows + 1, "{height}: {idle} idle lines");
            assert!(one_more >= bottom, "{height}: another row fits");
        }
    }

    #[test]
    fn cards_have_as_many_facts_as_fit_on_each() {
        let most = |facts: &[&str]| {
            let facts = facts.iter().map(|fact| SafeText::new(fact)).collect();
            let card = Card { picture: None, mark: None, title: "#1 Pane".into(), facts };
            let area = Rect::new(0, 0, 22, 9);
            PlacedCard { position: 0, area, card, is_doubtful: false }.most_facts()
        };
        assert_eq!(most(&["Rarity common", "Hue 245"]), 1);
        assert_eq!(most(&["Rarity rare", "Hue 245", "ERC-721"]), 2);
        assert_eq!(most(&["Rarity rare", "Hue 245"]), usize::MAX, "all of them");
        assert_eq!(most(&[]), usize::MAX);
    }

    #[test]
    fn blank_lines_are_before_texts_first() {
        let lines = |height| blank_lines(Rect::new(0, 0, 114, height), 13);
        assert_eq!([49, 51, 52, 54].map(lines), [[0, 0], [0, 1], [1, 0], [1, 1]]);
    }

    #[test]
    fn no_card_is_cut_among_those_without_pictures() {
        for height in 20..90 {
            let grid = Grid::new(Rect::new(0, 0, 114, height), 500, 20, false);
            for first in 0..grid.picture_rows + 3 {
                let last = first + grid.rows_from(first) - 1;
                let card = grid.card_area(last * grid.columns, first);
                let has_pictures = last < grid.picture_rows;
                let picture = if has_pictures {
                    grid.picture.height + grid.text_gap
                } else {
                    grid.blank_height
                };
                assert_eq!(card.height, picture + TEXT_LINES, "{height} from row {first}");
            }
        }
    }
}
