//! The order of a list: the usual one, and the user's.
//!
//! Until the user sorts them, approvals are ordered by their value at risk, transactions of a block by their indices,
//! state changes by the transfers of their accounts, and tokens without a price by their holders. Tokens are ordered
//! once all are loaded, a block if its first page has all transactions. Other lists have the explorer's order.

use super::ListPane;
use super::rows::order::RowOrder;
use super::rows::scopes::scoped_columns;
use crate::api::page::paged_rows::TailState;
use crate::api::{AddressQuery, ListSubject, Query, TransactionQuery};
use crate::columns::table::column::{ColumnHead, ColumnKind};
use crate::columns::transactions::INDEX_TITLE;
use crate::messages::Count;
use crate::messages::list::{self, ListNotice};
use crate::pane::export::RowSort;
use crate::pane::{Command, PaneContext};
use crate::ui::format_options::TimeFormat;

impl ListPane {
    /// Returns the order of rows until the user sorts them, if it is not the explorer's.
    pub(super) fn usual_order(&self) -> Option<RowOrder> {
        let column = |title| self.kind.columns.iter().position(|column| column.title == title);
        if self.query.has_risks() {
            return Some(RowOrder::places(true));
        }
        // Of a part of the rows these would be no orders: the next page would come between them.
        let is_whole = *self.paged.tail() == TailState::End;
        match self.query {
            Query::Transaction(_, TransactionQuery::StateChanges) => Some(RowOrder::places(false)),
            _ if self.is_of_tokens() => is_whole.then(|| RowOrder::places(false)),
            _ if self.query.subject() == ListSubject::Block && is_whole => {
                Some(RowOrder::usual(column(INDEX_TITLE)?, false))
            }
            _ => None,
        }
    }

    /// Returns `true` for the tokens of an address.
    fn is_of_tokens(&self) -> bool {
        matches!(
            self.query,
            Query::Address(_, AddressQuery::Tokens { .. } | AddressQuery::PastTokens { .. })
        )
    }

    /// Orders the rows after a page, unless the user did: tokens also after the last one, which keeps the selected row.
    pub(super) fn begin_usual_order(&mut self, is_first_page: bool) {
        if self.filter.order().is_some() || !is_first_page && !self.is_of_tokens() {
            return;
        }
        let order = self.usual_order();
        if order.is_some() && !is_first_page {
            self.return_row = self.filter.row(self.viewport.selected).filter(|row| *row > 0);
            if let Some(search) = &mut self.search {
                search.restart();
            }
        }
        self.filter.set_order(order);
    }

    /// Returns the column and the direction of the order, unless that is the explorer's.
    pub(super) fn sort(&self) -> Option<RowSort> {
        let order = self.filter.column_order()?;
        let sorted = self.kind.columns.get(order.column()?)?;
        let column = sorted.csv_name.unwrap_or(sorted.title).into();
        Some(RowSort { column, descending: order.descending })
    }

    pub(super) fn row_order(&self, sort: &RowSort) -> Option<RowOrder> {
        let column = find_column(self.kind.columns, self.query.subject(), &sort.column)?;
        Some(RowOrder::new(column, sort.descending))
    }

    /// Returns the direction of an order as it is seen in its column: the newest row has the lowest age.
    pub(super) fn order_mark(&self, order: &RowOrder, cx: &PaneContext<'_>) -> &'static str {
        let column = order.column().and_then(|column| self.kind.columns.get(column));
        let is_age = cx.format.time_format == TimeFormat::Age
            && column.is_some_and(|column| column.kind == ColumnKind::Time);
        if order.descending == is_age { "↑" } else { "↓" }
    }

    /// Returns the column under the cursor, or the column of times instead of hashes, whose order has
    /// no meaning.
    fn sortable_column(&self) -> usize {
        let is = |column: &ColumnHead, kind| column.kind == kind;
        let is_hash =
            self.kind.columns.get(self.column).is_some_and(|column| is(column, ColumnKind::Hash));
        let time = self.kind.columns.iter().position(|column| is(column, ColumnKind::Time));
        time.filter(|_| is_hash).unwrap_or(self.column)
    }

    /// Sorts the loaded rows by the column under the cursor, or by the one instead of it.
    pub(super) fn sort_at_cursor(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let column = self.sortable_column();
        let unordered = self.kind.columns.get(self.column).filter(|_| column != self.column);
        self.sort_by(column, unordered.map(|unordered| unordered.title), cx)
    }

    /// Sorts the loaded rows by a column, in the other direction, or no more. The column is instead of one
    /// that has no order.
    pub(super) fn sort_by(
        &mut self,
        column: usize,
        unordered: Option<&str>,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        self.column = column;
        let head = self.kind.columns.get(column);
        let now = self.filter.take_order();
        self.filter.set_order(head.and_then(|head| RowOrder::next(now, column, head)));
        self.fill_pages = 0;
        let mut commands = self.order_cards(cx);
        if let Some(search) = &mut self.search {
            search.restart();
        }
        commands.extend(self.continue_search(cx));
        self.select(0, cx);
        let column = head.map_or("", |column| column.title);
        let (rows, loads) =
            (Count(self.paged.rows().len(), "loaded row"), &*cx.keys.expand(list::LOADS_ALL));
        let mark = self.filter.column_order().map(|order| self.order_mark(order, cx));
        commands.push(match mark {
            None => Command::Notify(list::ORIGINAL_ORDER.into()),
            Some(direction) => Command::notify(&match self.paged.tail() {
                _ if let Some(unordered) = unordered => {
                    ListNotice::SortedInstead { unordered, column, direction }
                }
                TailState::End => ListNotice::Sorted { column, direction },
                _ => ListNotice::LoadedSorted { column, direction, rows, loads },
            }),
        });
        commands
    }
}

/// Returns the column with a name in CSV or a title, or the first one of the list that a scope names.
pub(super) fn find_column(
    columns: &[ColumnHead],
    subject: ListSubject,
    name: &str,
) -> Option<usize> {
    let is_column = |column: &ColumnHead| {
        !name.is_empty() && (column.csv_name == Some(name) || column.title == name)
    };
    let is_listed = |n: &usize| columns.get(*n).is_some_and(|c| c.usage.includes(subject));
    let named = columns.iter().position(is_column);
    named.or_else(|| scoped_columns(name, columns).into_iter().find(is_listed))
}
