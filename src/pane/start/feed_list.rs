//! The lists of the start page's feed: blocks and transactions in some of the columns of their lists.

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect};

use super::layout::FeedList;
use super::rows::StartRow;
use crate::api::endpoints::block::Block;
use crate::api::transactions::Transaction;
use crate::api::{ListSubject, Next, Page};
use crate::chain::BlockId;
use crate::chain::hash_abbreviation::Abbreviator;
use crate::columns::table::any_row::AnyRow;
use crate::columns::table::column::{ColumnHead, ColumnUse, WidthRange, number_width, text_width};
use crate::columns::table::extent::{PlacedColumn, TableExtent};
use crate::columns::{ListRow, RowContext};
use crate::messages::start::{self, StartNote};
use crate::messages::{column, list, page};
use crate::pane::PaneContext;
use crate::pane::section::Section;
use crate::ui::format::wrapped_lines;
use crate::ui::format_options::FormatOptions;
use crate::ui::selection::draw_selection;
use crate::ui::table::{RowCell, TableCell, draw_row};
use crate::ui::text::{draw_pieces, draw_text};
use crate::ui::theme::Role;

/// Minimum columns of a feed with the marks of addresses.
const MIN_MARKED_WIDTH: u16 = 60;
/// Columns of a bar, which takes the rest of the width.
const MIN_GAS_BAR_WIDTH: u16 = 7;

/// A block or a transaction of the feed.
pub(super) trait FeedItem: ListRow {
    /// The shown columns by their titles, with their widths and ranks.
    const SHOWN: &'static [(&'static str, WidthRange)];
    /// The key of the list with all items.
    const ALL: &'static str;

    fn start_row(&self) -> Option<StartRow>;
}

impl FeedItem for Block {
    const SHOWN: &'static [(&'static str, WidthRange)] = &[
        ("block", number_width(0)),
        ("age", number_width(1)),
        ("tx", number_width(2)),
        ("full", number_width(3)),
        (column::OF_LARGEST, text_width(MIN_GAS_BAR_WIDTH, MIN_GAS_BAR_WIDTH, 4)),
        ("gas used", number_width(5)),
        ("base fee gwei", number_width(6)),
        ("fees", number_width(7)),
    ];
    const ALL: &'static str = start::ALL_BLOCKS;

    fn start_row(&self) -> Option<StartRow> {
        Some(StartRow::Block(BlockId::Number(*self.number.value()?)))
    }
}

impl FeedItem for Transaction {
    const SHOWN: &'static [(&'static str, WidthRange)] = &[
        ("", text_width(1, 1, 0)),
        ("value", number_width(1)),
        ("age", number_width(2)),
        ("to", text_width(11, 80, 3)),
        ("from", text_width(11, 80, 5)),
        ("method", text_width(8, 24, 4)),
        ("tx", text_width(11, 66, 6)),
    ];
    const ALL: &'static str = start::ALL_TRANSACTIONS;

    fn start_row(&self) -> Option<StartRow> {
        Some(StartRow::Transaction(self.hash))
    }
}

/// Returns the lines of a list: its rows, or `None` for one that cannot be read. A row that is repeated, as pages
/// do in a reorg, has one line.
pub(super) fn feed_lines<T: FeedItem>(
    section: &Section<Page<T>>,
) -> impl Iterator<Item = Option<&T>> {
    let mut listed: Vec<StartRow> = Vec::new();
    let items = section.value().into_iter().flat_map(|page| &page.items);
    items.map(|item| item.parsed.as_ref().ok()).filter(move |line| {
        let row = line.and_then(FeedItem::start_row);
        let is_new = row.is_none_or(|row| !listed.contains(&row));
        listed.extend(row.filter(|_| is_new));
        is_new
    })
}

/// Draws the items of a list with their titles, or the reason why there are none.
pub(super) fn draw_list<T: FeedItem>(
    section: &Section<Page<T>>,
    FeedList { titles, rows: area }: FeedList,
    selected: Option<StartRow>,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let note = match (section.value(), section.failure()) {
        (None, Some(why)) if why.is_repeated() => cx.failure(why, None).0,
        (None, Some(why)) => StartNote::Unavailable { why: &cx.reason(why) }.to_string(),
        (None, None) if section.is_stopped() => cx.keys.expand(page::NOT_LOADED).into_owned(),
        (None, None) => return cx.draw_wait(section.query(), area, buf),
        (Some(page), _) if page.items.is_empty() => "none yet".to_owned(),
        (Some(_), _) => String::new(),
    };
    let text = area.inner(Margin::new(1, 0));
    for (part, line) in wrapped_lines(&note, usize::from(text.width).max(2)).zip(text.rows()) {
        draw_pieces(buf, line, [(part, cx.styles.of(Role::Dim))]);
    }
    let lines: Vec<Option<&T>> = feed_lines(section).take(area.height.into()).collect();
    let has_older = section.value().is_some_and(|page| matches!(page.next, Next::Page(_)));
    if let Some(line) = text.rows().nth(lines.len()).filter(|_| has_older) {
        draw_pieces(buf, line, [(cx.keys.expand(T::ALL), cx.styles.of(Role::Dim))]);
    }
    draw_rows(&lines, [titles.inner(Margin::new(1, 0)), text], cx, buf);
    let mut rows = lines.iter().map(|line| line.and_then(FeedItem::start_row));
    let same = rows.position(|row| selected.is_some() && row == selected);
    if let Some(line) = same.and_then(|same| area.rows().nth(same)) {
        draw_selection(buf, line, cx.styles.selection());
    }
}

/// Draws rows in the shown columns of their list, below their titles.
fn draw_rows<T: FeedItem>(
    lines: &[Option<&T>],
    [titles, area]: [Rect; 2],
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let heads = T::KIND.columns.iter();
    let columns: Vec<ColumnHead> = heads.map(|head| feed_head(head, T::SHOWN)).collect();
    let rows: Vec<&dyn AnyRow> = lines.iter().flatten().map(|row| *row as &dyn AnyRow).collect();
    let short = Abbreviator::new(rows.iter().flat_map(|row| row.addresses()));
    let has_marks = cx.format.address_marks && area.width >= MIN_MARKED_WIDTH;
    let row_context = RowContext {
        subject: ListSubject::Feed,
        abbreviator: Some(&short),
        bar_scale: rows.iter().filter_map(|row| row.bar_amount()).max(),
        format: &FormatOptions { address_marks: has_marks, ..*cx.format },
        ..cx.row_context(None)
    };
    let placed =
        TableExtent::new(&columns, &rows, &row_context).layout(&columns, area.width, &row_context);
    let cells = |cell: &dyn Fn(usize, &ColumnHead, PlacedColumn) -> RowCell| -> Vec<RowCell> {
        (0..)
            .zip(columns.iter().zip(&placed))
            .map(|(n, (head, place))| cell(n, head, *place))
            .collect()
    };
    if titles.height > 0 && !rows.is_empty() {
        let title = |_, head: &ColumnHead, place: PlacedColumn| {
            let title = head.header(&row_context, place.width.into(), place.has_units);
            place.title(TableCell::new(title, Role::Title), head.align)
        };
        draw_row(buf, titles, cells(&title), cx.styles);
    }
    for (row, place) in lines.iter().zip(area.rows()) {
        let Some(row) = row else {
            draw_text(buf, place, list::UNREADABLE_ROW, cx.styles.of(Role::Warning));
            continue;
        };
        let cell = |n, head: &ColumnHead, place: PlacedColumn| {
            place.cell(AnyRow::cell(*row, n, &row_context, place.width.into()), head.align)
        };
        draw_row(buf, place, cells(&cell), cx.styles);
    }
}

/// Returns a column with its width in the feed, which is zero if the feed lacks it.
fn feed_head(head: &ColumnHead, shown: &[(&str, WidthRange)]) -> ColumnHead {
    let own = shown.iter().find(|(title, _)| *title == head.title && head.width.max > 0);
    let width = own.map_or(text_width(0, 0, u8::MAX), |(_, width)| *width);
    ColumnHead { width, usage: ColumnUse::Always, ..*head }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::table::any_row::RowKind;

    #[test]
    fn shown_columns_are_of_the_lists() {
        let missing = |kind: &RowKind, shown: &[(&'static str, WidthRange)]| {
            let heads = kind.columns.iter().filter(|head| head.width.max > 0);
            let titles: Vec<&str> = heads.map(|head| head.title).collect();
            let missing = shown.iter().map(|(title, _)| *title);
            missing.filter(|title| !titles.contains(title)).collect::<Vec<_>>()
        };
        assert_eq!(missing(Block::KIND, Block::SHOWN), [""; 0]);
        assert_eq!(missing(Transaction::KIND, Transaction::SHOWN), [""; 0]);
    }
}
