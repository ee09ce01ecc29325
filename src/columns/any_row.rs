//! Rows without their type, so that the code that shows, filters and prints lists is compiled once.

use std::borrow::Cow;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::column::{Column, ColumnHead, ColumnKind};
use super::{Card, ListRow, Row, RowContext};
use crate::api::page::ItemPage;
use crate::api::{Item, Reply};
use crate::chain::{Address, B256, TxHash, U256};
use crate::route::Route;
use crate::sanitize::SafeText;
use crate::ui::table::TableCell;

/// Maximum number of columns of a list; a list with more does not compile.
const MAX_COLUMNS: usize = 24;

/// Transaction, log, id and amount, parties: the transfers of a batch share the log.
pub type TransferId = (TxHash, u64, [Option<U256>; 2], [Option<Address>; 2]);

/// Identity of a row in its list. Large parts are boxed: every loaded row has an id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RowId {
    Number(U256),
    Hash(B256),
    /// A transaction, and the number of a log or a call in it.
    Event(TxHash, u64),
    /// A holder or a token, and the id of an instance.
    Holding(Address, Option<Box<U256>>),
    /// A token and its standard.
    Collection(Address, Option<SafeText>),
    /// Address, token and its id.
    StateChange(Box<(Address, Option<Address>, Option<U256>)>),
    Transfer(Box<TransferId>),
}

/// Takes the page of a list out of a reply, or returns `None` if the reply is of another kind.
type PageReader = fn(&Reply) -> Option<ItemPage<Arc<dyn AnyItem>>>;

/// Properties of a row type. See [`ListRow`].
#[derive(Debug)]
pub struct RowKind {
    pub list_name: &'static str,
    pub plural: &'static str,
    pub newest_first: bool,
    pub detail_lines: u16,
    pub screens_ahead: usize,
    pub has_cards: bool,
    pub columns: &'static [ColumnHead],
    pub page: PageReader,
    /// Parses an item of a page again.
    pub parse: fn(&RawValue) -> Arc<dyn AnyItem>,
}

impl RowKind {
    pub(super) const fn of<T: ListRow>() -> Self {
        Self {
            list_name: T::LIST_NAME,
            plural: T::PLURAL,
            newest_first: T::NEWEST_FIRST,
            detail_lines: T::DETAIL_LINES,
            screens_ahead: T::SCREENS_AHEAD,
            has_cards: T::CARD.is_some(),
            columns: ColumnHeads::<T>::ALL.split_at(T::COLUMNS.len()).0,
            page: |reply| Some(reply.page::<T>()?.map(|item| item as _)),
            parse: |json| Arc::new(Item::<T>::of_list(json)),
        }
    }
}

struct ColumnHeads<T>(PhantomData<T>);

impl<T: ListRow> ColumnHeads<T> {
    /// The columns of the type, then blank ones.
    const ALL: &'static [ColumnHead; MAX_COLUMNS] = &{
        let mut heads = [Column::<T>::TEXT.head(); MAX_COLUMNS];
        let mut n = 0;
        while n < T::COLUMNS.len() {
            heads[n] = T::COLUMNS[n].head();
            n += 1;
        }
        heads
    };
}

/// A row of any type. Its columns are numbered as in [`RowKind::columns`]; numbers beyond the end are
/// blank columns.
pub trait AnyRow: Row {
    fn kind(&self) -> &'static RowKind;
    fn card(&self) -> Option<Card<'_>>;
    fn cell(&self, column: usize, cx: &RowContext<'_>, width: usize) -> TableCell;
    fn full_value(&self, column: usize) -> Cow<'_, str>;
    fn provenance(&self, column: usize, cx: &RowContext<'_>) -> SafeText;
}

impl<T: ListRow> AnyRow for T {
    fn kind(&self) -> &'static RowKind {
        T::KIND
    }

    fn card(&self) -> Option<Card<'_>> {
        T::CARD.map(|card| card(self))
    }

    fn cell(&self, column: usize, cx: &RowContext<'_>, width: usize) -> TableCell {
        (T::column(column).cell)(self, cx, width)
    }

    fn full_value(&self, column: usize) -> Cow<'_, str> {
        (T::column(column).full_value)(self)
    }

    fn provenance(&self, column: usize, cx: &RowContext<'_>) -> SafeText {
        (T::column(column).provenance)(self, cx)
    }
}

/// An item of any list.
pub trait AnyItem: Debug + Send + Sync {
    fn raw(&self) -> &Arc<RawValue>;

    /// Returns the row, or the reason why it cannot be read.
    fn row(&self) -> Result<&dyn AnyRow, &SafeText>;

    /// Returns the route of a cell, seen from the viewed address.
    fn cell_route(self: Arc<Self>, column: usize, viewed: Option<Address>) -> Option<Route>;

    /// Returns the route of the row: its page, or the route of its first cell that is not its block. An
    /// unreadable row's route is the reason.
    fn row_route(self: Arc<Self>, viewed: Option<Address>) -> Option<Route>;
}

impl<T: ListRow> AnyItem for Item<T> {
    fn raw(&self) -> &Arc<RawValue> {
        &self.raw
    }

    fn row(&self) -> Result<&dyn AnyRow, &SafeText> {
        self.parsed.as_ref().map(|row| row as _)
    }

    fn cell_route(self: Arc<Self>, column: usize, viewed: Option<Address>) -> Option<Route> {
        (T::column(column).route)(&self, self.parsed.as_ref().ok()?, viewed)
    }

    fn row_route(self: Arc<Self>, viewed: Option<Address>) -> Option<Route> {
        let row = match &self.parsed {
            Ok(row) => row,
            Err(why) => {
                return Some(Route::Unreadable { why: why.clone(), raw: self.raw.clone() });
            }
        };
        let mut own = T::COLUMNS.iter().filter(|column| column.kind != ColumnKind::Block);
        T::page(&self).or_else(|| own.find_map(|column| (column.route)(&self, row, viewed)))
    }
}

/// Returns the identity of an item in its list, if it can be read.
pub fn row_id(item: &(dyn AnyItem + 'static)) -> Option<RowId> {
    item.row().ok()?.id()
}
