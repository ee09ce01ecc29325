//! Rows without their type, so that the code that shows, filters and prints lists is compiled once.
//!
//! Each row type has a [`RowKind`]: its columns, and functions that read its rows. A loaded item is an [`AnyItem`]: its
//! JSON, and the row as an [`AnyRow`] or the reason why it cannot be read. Both are implemented here for every
//! [`ListRow`], so a list writes none of it.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::column::{Column, ColumnHead, ColumnKind};
use crate::api::page::ItemPage;
use crate::api::{Item, ListSubject, Reply};
use crate::chain::network::Network;
use crate::chain::{Address, B256, TxHash, U256};
use crate::columns::{Card, ListRow, Row, RowContext, RowPreview, TitledCell};
use crate::route::Route;
use crate::sanitize::SafeText;
use crate::ui::table::TableCell;

/// Maximum number of columns of a list; a list with more does not compile.
const MAX_COLUMNS: usize = 26;

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

/// A row as it was read, with its JSON.
#[derive(Clone, Copy)]
pub struct SentRow<'a> {
    /// The row, or the reason why it cannot be read.
    pub row: Result<&'a dyn AnyRow, &'a SafeText>,
    pub json: &'a str,
}

/// Reads some fields of a row, or all, for one use.
type RowVisitor = fn(&str, Option<&[&str]>, &mut dyn FnMut(SentRow<'_>));

/// Takes the page of a list out of a reply, or returns `None` if the reply is of another kind.
type PageReader = fn(&Reply) -> Option<ItemPage<Arc<dyn AnyItem>>>;

/// Properties of a row type. See [`ListRow`].
#[derive(Debug)]
pub struct RowKind {
    pub list_name: &'static str,
    pub plural: &'static str,
    pub singular: &'static str,
    pub newest_first: bool,
    pub ranked_by: Option<&'static str>,
    pub detail_lines: u16,
    pub screens_ahead: usize,
    pub has_cards: bool,
    pub preview: RowPreview,
    /// `true` if the rows of a transaction have a page next to them.
    pub has_parts: bool,
    pub last_line: fn(&RowContext<'_>) -> Vec<TitledCell>,
    pub end_note: fn(&Network) -> &'static str,
    pub columns: &'static [ColumnHead],
    pub page: PageReader,
    /// Parses an item of a page again.
    pub parse: fn(&RawValue) -> Arc<dyn AnyItem>,
    /// Parses an item for one use, which takes less time.
    pub visit: RowVisitor,
}

impl RowKind {
    pub(in crate::columns) const fn of<T: ListRow>() -> Self {
        Self {
            list_name: T::LIST_NAME,
            plural: T::PLURAL,
            singular: T::SINGULAR,
            newest_first: T::NEWEST_FIRST,
            ranked_by: T::RANKED_BY,
            detail_lines: T::DETAIL_LINES,
            screens_ahead: T::SCREENS_AHEAD,
            has_cards: T::CARD.is_some(),
            preview: T::PREVIEW,
            has_parts: T::PART.is_some(),
            last_line: T::LAST_LINE,
            end_note: T::END_NOTE,
            columns: ColumnHeads::<T>::ALL.split_at(T::COLUMNS.len()).0,
            page: |reply| Some(reply.page::<T>()?.map(|item| item as _)),
            parse: |json| Arc::new(Item::<T>::of_list(json)),
            visit: |json, fields, visit| {
                let row = Item::<T>::parse_fields(json, fields);
                visit(SentRow { row: row.as_ref().map(|row| row as _), json });
            },
        }
    }
}

impl RowKind {
    /// Returns `true` if the newest rows of a list are first. A transaction's are in the order in which they happened.
    pub fn is_newest_first(&self, subject: ListSubject) -> bool {
        self.newest_first && subject != ListSubject::Transaction
    }

    /// Returns `true` if the rows have the method that a transaction calls, which may be its selector.
    pub fn has_methods(&self) -> bool {
        self.columns.iter().any(|column| column.json_paths.contains(&"method"))
    }

    /// Returns `true` if one of these columns has the outcomes of transactions or calls.
    pub fn has_outcomes(&self, columns: &[usize]) -> bool {
        let mut heads = columns.iter().filter_map(|column| self.columns.get(*column));
        heads.any(|head| head.kind == ColumnKind::Outcome)
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
    fn csv_value(&self, column: usize, cx: &RowContext<'_>) -> Cow<'_, str>;
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

    fn csv_value(&self, column: usize, cx: &RowContext<'_>) -> Cow<'_, str> {
        match T::column(column).csv_value {
            Some(value) => value(self, cx).into(),
            None => self.full_value(column),
        }
    }

    fn provenance(&self, column: usize, cx: &RowContext<'_>) -> SafeText {
        (T::column(column).provenance)(self, cx)
    }
}

/// An item of any list.
pub trait AnyItem: Send + Sync {
    fn raw(&self) -> &Arc<RawValue>;

    /// Returns the row, or the reason why it cannot be read.
    fn row(&self) -> Result<&dyn AnyRow, &SafeText>;

    /// Returns the route of a cell, seen from the viewed address.
    fn cell_route(self: Arc<Self>, column: usize, viewed: Option<Address>) -> Option<Route>;

    /// Returns the route of the row: its page, or the route of its first cell that is not its block. An
    /// unreadable row's route is the reason.
    fn row_route(self: Arc<Self>, viewed: Option<Address>) -> Option<Route>;

    /// Returns the page next to the row in the list of a transaction. An unreadable row's is the reason.
    fn part_route(self: Arc<Self>, transaction: TxHash) -> Option<Route>;
}

opaque_debug!(AnyItem);

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
            Err(why) => return Some(unreadable(why, &self.raw)),
        };
        let mut own = T::COLUMNS.iter().filter(|column| column.kind != ColumnKind::Block);
        T::page(&self).or_else(|| own.find_map(|column| (column.route)(&self, row, viewed)))
    }

    fn part_route(self: Arc<Self>, transaction: TxHash) -> Option<Route> {
        match &self.parsed {
            Ok(_) => T::PART?(&self, transaction),
            Err(why) => Some(unreadable(why, &self.raw)),
        }
    }
}

fn unreadable(why: &SafeText, raw: &Arc<RawValue>) -> Route {
    Route::Unreadable { why: why.clone(), raw: raw.clone() }
}

impl<'a> From<&'a dyn AnyItem> for SentRow<'a> {
    fn from(item: &'a dyn AnyItem) -> Self {
        Self { row: item.row(), json: item.raw().get() }
    }
}

/// Returns the identity of an item in its list, if it can be read.
pub fn row_id(item: &(dyn AnyItem + 'static)) -> Option<RowId> {
    item.row().ok()?.id()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::api::account_abstraction::{
        AbstractionParty, OperationBundle, SmartAccount, UserOperation,
    };
    use crate::api::accounts::{HotContract, RankedAccount, VerifiedContract};
    use crate::api::activity::Activity;
    use crate::api::approvals::Approval;
    use crate::api::balance_history::CoinBalanceChange;
    use crate::api::beacon_deposits::BeaconDeposit;
    use crate::api::console_lines::ConsoleLine;
    use crate::api::endpoints::address::{AddressInfo, Collection, TokenBalance};
    use crate::api::endpoints::block::{Block, Withdrawal};
    use crate::api::endpoints::token::Holder;
    use crate::api::endpoints::transaction::{Blob, ExternalTransaction};
    use crate::api::internal_transactions::InternalTransaction;
    use crate::api::logs::Log;
    use crate::api::nft_instances::TokenInstance;
    use crate::api::optimism::{
        DisputeGame, OptimismBatch, OptimismDeposit, OptimismWithdrawal, OutputRoot,
    };
    use crate::api::state_changes::StateChange;
    use crate::api::token::Token;
    use crate::api::token_transfers::TokenTransfer;
    use crate::api::transactions::Transaction;
    use crate::columns::table::column::{FULL_CELL_WIDTH, column_fields};

    const KINDS: [&RowKind; 32] = [
        AbstractionParty::KIND,
        Activity::KIND,
        AddressInfo::KIND,
        Approval::KIND,
        BeaconDeposit::KIND,
        Blob::KIND,
        Block::KIND,
        CoinBalanceChange::KIND,
        Collection::KIND,
        ConsoleLine::KIND,
        DisputeGame::KIND,
        ExternalTransaction::KIND,
        Holder::KIND,
        HotContract::KIND,
        InternalTransaction::KIND,
        Log::KIND,
        OperationBundle::KIND,
        OptimismBatch::KIND,
        OptimismDeposit::KIND,
        OptimismWithdrawal::KIND,
        OutputRoot::KIND,
        RankedAccount::KIND,
        SmartAccount::KIND,
        StateChange::KIND,
        Token::KIND,
        TokenBalance::KIND,
        TokenInstance::KIND,
        TokenTransfer::KIND,
        Transaction::KIND,
        UserOperation::KIND,
        VerifiedContract::KIND,
        Withdrawal::KIND,
    ];

    /// Returns the items of the recorded lists.
    fn items() -> Vec<Box<RawValue>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/golden");
        let files = fs::read_dir(folder).unwrap();
        let bodies = files.map(|file| fs::read(file.unwrap().path()).unwrap());
        let items = bodies.flat_map(|body| {
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
            body.get("items").unwrap_or(&body).as_array().cloned().unwrap_or_default()
        });
        items.map(|item| serde_json::value::to_raw_value(&item).unwrap()).collect()
    }

    #[test]
    fn columns_are_the_same_without_fields_on_which_they_do_not_depend() {
        let cx = RowContext {
            viewed: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266".parse().ok(),
            now: "2040-01-01T00:00:00Z".parse().unwrap(),
            ..RowContext::blank()
        };
        let (items, mut compared, mut differing) = (items(), 0, BTreeSet::new());
        for kind in KINDS {
            for column in
                (0..kind.columns.len()).filter(|n| kind.columns[*n].other_fields.is_some())
            {
                let fields = column_fields(kind.columns, &[column]).unwrap();
                for item in &items {
                    let read = |fields| {
                        let mut texts = None;
                        (kind.visit)(item.get(), fields, &mut |sent| {
                            let cell =
                                |row: &dyn AnyRow| row.cell(column, &cx, FULL_CELL_WIDTH.into());
                            texts = sent.row.ok().map(|row| {
                                (cell(row).to_string(), row.full_value(column).into_owned())
                            });
                        });
                        texts
                    };
                    let (whole, part) = (read(None), read(Some(&fields)));
                    compared += usize::from(whole.is_some());
                    if part != whole && part.is_some() {
                        differing.insert((kind.plural, kind.columns[column].title));
                    }
                }
            }
        }
        assert_eq!(differing, BTreeSet::new());
        assert!(compared > 10_000, "{compared}");
    }

    #[test]
    fn transactions_are_read_by_a_few_fields() {
        let kind = Transaction::KIND;
        for title in ["age", "block", "method", "counterparty", "value", "fee"] {
            let column = kind.columns.iter().position(|column| column.title == title).unwrap();
            let fields = column_fields(kind.columns, &[column]).unwrap();
            let item = include_str!("../../../tests/data/golden/chain_transactions.json");
            let item: serde_json::Value = serde_json::from_str(item).unwrap();
            let item = serde_json::value::to_raw_value(&item["items"][0]).unwrap();
            (kind.visit)(item.get(), Some(&fields), &mut |sent| {
                assert!(sent.row.is_ok(), "{title}");
            });
        }
    }

    #[test]
    fn rows_of_a_transaction_are_in_their_order() {
        let is_newest_first = |subject| TokenTransfer::KIND.is_newest_first(subject);
        assert!(is_newest_first(ListSubject::Other) && !is_newest_first(ListSubject::Transaction));
    }
}
