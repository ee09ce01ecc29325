//! The order of sorted rows.

use std::cmp::Ordering;

use super::ListPane;
use super::row_matcher::{cell_number, cell_text};
use crate::api::paged_rows::TailState;
use crate::chain::decimal::Decimal;
use crate::columns::RowContext;
use crate::columns::any_row::AnyItem;
use crate::columns::column::{ColumnHead, ColumnKind};
use crate::messages::Count;
use crate::messages::list::{self, ListNotice};
use crate::pane::{Command, PaneContext};
use crate::ui::table::Align;

/// Rows are sorted by a column; those without a value come last either way.
#[derive(Debug)]
pub(super) struct RowOrder {
    pub(super) column: usize,
    pub(super) descending: bool,
    /// By row number, for the rows so far.
    keys: Vec<SortKey>,
}

#[derive(Debug)]
enum SortKey {
    Missing,
    Number(Decimal),
    Text(String),
}

impl SortKey {
    fn new(item: Option<&dyn AnyItem>, number: usize, cx: &RowContext<'_>) -> Self {
        let Some(Ok(row)) = item.map(AnyItem::row) else { return Self::Missing };
        let Some(column) = row.kind().columns.get(number) else { return Self::Missing };
        let text = match column.kind {
            ColumnKind::Time => row.full_value(number).into_owned(),
            _ if column.align != Align::Left => {
                return cell_number(row, number, cx).map_or(Self::Missing, Self::Number);
            }
            _ => cell_text(row, number, cx).to_lowercase(),
        };
        if text.is_empty() || text == "—" { Self::Missing } else { Self::Text(text) }
    }
}

impl RowOrder {
    pub(super) fn new(column: usize, descending: bool) -> Self {
        Self { column, descending, keys: Vec::new() }
    }

    /// Returns the order after another press on a column: largest, newest or first letter first, then
    /// reversed, then the server's.
    pub(super) fn next(now: Option<&Self>, column: usize, align: Align) -> Option<Self> {
        let is_text = align == Align::Left;
        let descending = match now.filter(|order| order.column == column) {
            None => !is_text,
            Some(order) if order.descending != is_text => is_text,
            Some(_) => return None,
        };
        Some(Self::new(column, descending))
    }

    pub(super) fn mark(&self) -> &'static str {
        if self.descending { "↓" } else { "↑" }
    }

    pub(super) fn clear(&mut self) {
        self.keys.clear();
    }

    /// Takes the key of the next row.
    pub(super) fn push(&mut self, item: Option<&dyn AnyItem>, cx: &RowContext<'_>) {
        self.keys.push(SortKey::new(item, self.column, cx));
    }

    /// Sorts the numbers of rows. Rows of the same value stay in the order of the server.
    pub(super) fn sort(&self, rows: &mut [usize]) {
        rows.sort_by(|one, other| {
            self.compare(*one, *other).unwrap_or(Ordering::Equal).then(one.cmp(other))
        });
    }

    fn compare(&self, one: usize, other: usize) -> Option<Ordering> {
        let ordering = match (self.keys.get(one)?, self.keys.get(other)?) {
            (SortKey::Number(one), SortKey::Number(other)) => one.partial_cmp(other)?,
            (SortKey::Text(one), SortKey::Text(other)) => one.cmp(other),
            (one, other) => {
                let is_missing = |key| matches!(key, &SortKey::Missing);
                return Some(is_missing(one).cmp(&is_missing(other)));
            }
        };
        Some(if self.descending { ordering.reverse() } else { ordering })
    }
}

impl ListPane {
    /// Returns the column under the cursor, or the column of times instead of hashes, whose order has
    /// no meaning.
    pub(super) fn sortable_column(&self) -> usize {
        let is = |column: &ColumnHead, kind| column.kind == kind;
        let is_hash =
            self.kind.columns.get(self.column).is_some_and(|column| is(column, ColumnKind::Hash));
        let time = self.kind.columns.iter().position(|column| is(column, ColumnKind::Time));
        time.filter(|_| is_hash).unwrap_or(self.column)
    }

    /// Sorts the loaded rows by a column, in the other direction, or no more.
    pub(super) fn sort_by(&mut self, column: usize, cx: &PaneContext<'_>) -> Vec<Command> {
        self.column = column;
        let head = self.kind.columns.get(column);
        let order = head.and_then(|head| RowOrder::next(self.filter.order(), column, head.align));
        self.filter.set_order(order);
        self.fill_pages = 0;
        let mut commands = self.restart_search(cx);
        self.select(0, cx);
        let column = head.map_or("", |column| column.title);
        let (rows, loads) =
            (Count(self.paged.rows().len(), "loaded row"), &*cx.keys.expand(list::LOADS_ALL));
        commands.push(match self.filter.order().map(RowOrder::mark) {
            None => Command::Notify(list::SERVER_ORDER.into()),
            Some(direction) => Command::notify(&match self.paged.tail() {
                TailState::End => ListNotice::Sorted { column, direction },
                _ => ListNotice::LoadedSorted { column, direction, rows, loads },
            }),
        });
        commands
    }
}
