//! The order of sorted rows.

use std::cmp::Ordering;

use super::ListPane;
use crate::api::Item;
use crate::api::paged_rows::TailState;
use crate::chain::amount::group_digits;
use crate::chain::decimal::Decimal;
use crate::columns::column::{Column, ColumnKind};
use crate::columns::{Row, RowContext};
use crate::pane::{Command, PaneContext};
use crate::sanitize::SafeText;
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
    fn new<T: Row>(item: &Item<T>, column: &Column<T>, cx: &RowContext<'_>) -> Self {
        let Ok(row) = &item.parsed else { return Self::Missing };
        let text = match column.kind {
            ColumnKind::Time => (column.full_value)(row).into_owned(),
            _ if column.align != Align::Left => {
                return column.number(row, cx).map_or(Self::Missing, Self::Number);
            }
            _ => column.text(row, cx).to_lowercase(),
        };
        if text.is_empty() || text == "—" { Self::Missing } else { Self::Text(text) }
    }
}

impl RowOrder {
    /// Returns the order after another press on a column: largest, newest or first letter first, then
    /// the other way, then that of the server.
    pub(super) fn next<T: Row>(now: Option<&Self>, column: usize) -> Option<Self> {
        let is_text = T::COLUMNS.get(column)?.align == Align::Left;
        let descending = match now.filter(|order| order.column == column) {
            None => !is_text,
            Some(order) if order.descending != is_text => is_text,
            Some(_) => return None,
        };
        Some(Self { column, descending, keys: Vec::new() })
    }

    pub(super) fn mark(&self) -> &'static str {
        if self.descending { "↓" } else { "↑" }
    }

    pub(super) fn clear(&mut self) {
        self.keys.clear();
    }

    /// Takes the key of the next row.
    pub(super) fn push<T: Row>(&mut self, item: &Item<T>, cx: &RowContext<'_>) {
        let column = T::COLUMNS.get(self.column);
        self.keys.push(column.map_or(SortKey::Missing, |column| SortKey::new(item, column, cx)));
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

impl<T: Row> ListPane<T> {
    /// Returns the column under the cursor, or that of times instead of hashes: their order says
    /// nothing.
    pub(super) fn sortable_column(&self) -> usize {
        let is = |column: &Column<T>, kind| column.kind == kind;
        let is_hash = T::COLUMNS.get(self.column).is_some_and(|it| is(it, ColumnKind::Hash));
        let time = T::COLUMNS.iter().position(|column| is(column, ColumnKind::Time));
        time.filter(|_| is_hash).unwrap_or(self.column)
    }

    /// Sorts the loaded rows by a column, in the other direction, or no more.
    pub(super) fn sort_by(&mut self, column: usize, cx: &PaneContext<'_>) -> Vec<Command> {
        self.column = column;
        self.filter.set_order(RowOrder::next::<T>(self.filter.order(), column));
        self.fill_pages = 0;
        let mut commands = self.restart_search(cx);
        self.select(0, cx);
        let title = T::COLUMNS.get(column).map_or("", |column| column.title);
        let words = match self.filter.order() {
            None => "in the order of the server".to_owned(),
            Some(order) => {
                let rows = group_digits(&self.paged.rows().len().to_string());
                let note = if matches!(self.paged.tail(), TailState::End) {
                    String::new()
                } else {
                    let way = cx.keys.expand("{last} {last} loads all");
                    format!(" · only the {rows} loaded rows ({way})")
                };
                format!("sorted by {title} {}{note}", order.mark())
            }
        };
        commands.push(Command::Notify(SafeText::new(&words)));
        commands
    }
}
