//! The columns of every list.
//!
//! One table per item type serves the screen, CSV, copying, the origin of a value, and the tables of
//! `chainglass get`. A list is one file here, or in [`tokens`], with an implementation of [`ListRow`]. [`table`] defines
//! columns, hides the type of the rows from panes ([`AnyRow`](table::any_row::AnyRow)), measures the cells of the
//! loaded rows and lays the columns out. Cells are written per row from a [`RowContext`]; several lists share cells of
//! [`cells`] and whole columns of [`common`].

pub mod account_abstraction;
pub mod accounts;
pub mod activity;
pub mod approvals;
pub mod balance_history;
pub mod beacon_deposits;
pub mod blocks;
pub mod cells;
pub mod common;
pub mod console_lines;
mod gas_price_columns;
pub mod internal_transactions;
pub mod logs;
pub mod optimism;
mod pool_columns;
pub mod state_changes;
mod storage_changes;
pub mod table;
pub mod tokens;
pub mod transaction_parts;
pub mod transactions;
pub mod withdrawals;

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use crate::abi::SignatureDb;
use crate::action::Action;
use crate::api::json_fields::FromJson;
use crate::api::token::Token;
use crate::api::transactions::Transaction;
use crate::api::{Item, ListSubject, ReplyData};
use crate::chain::hash_abbreviation::{ADDRESS_WIDTH, Abbreviator};
use crate::chain::network::Network;
use crate::chain::{Address, Timestamp, TxHash, U256};
use crate::messages::prompt;
use crate::name_cache::NameCache;
use crate::route::Route;
use crate::safety::address_poisoning::{Evidence, KnownAddresses, Similarity};
use crate::sanitize::SafeText;
use crate::trace::queried_balances::QueriedBalances;
use crate::ui::address_mark::AddressMark;
use crate::ui::age::AgeClock;
use crate::ui::format_options::FormatOptions;
use crate::ui::table::TableCell;
use cells::called_method::KnownCall;
use cells::{symbol, token_warnings};
use table::any_row::{RowId, RowKind};
use table::column::{Column, ColumnHead};

/// A row of a list.
pub trait Row: ReplyData {
    /// Returns the identity of the row in its list, or `None` if too much is missing.
    fn id(&self) -> Option<RowId>;

    /// Returns labelled lines with the full values of the row.
    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)>;

    /// Returns the values of the copy actions, seen from the viewed address.
    fn copy_values(&self, viewed: Option<Address>) -> Vec<CopyValue>;

    /// Returns `true` if cells have text that is not in the JSON of this row, although their columns
    /// usually take it from there.
    fn has_computed_text(&self) -> bool {
        false
    }

    /// Returns `true` for a failure whose reason the server does not know yet.
    fn lacks_reason(&self) -> bool {
        false
    }

    /// Returns every address that the cells abbreviate.
    fn addresses(&self) -> Vec<Address> {
        let parties = self.parties().into_iter().map(|party| party.hash);
        parties.chain(self.token().and_then(|token| token.address.value().copied())).collect()
    }

    /// Returns the evidence for addresses in the row, seen from the viewed address.
    fn evidence(&self, _viewed: Option<Address>) -> Vec<(Address, Evidence)> {
        self.parties().into_iter().map(|party| (party.hash, Evidence::Seen)).collect()
    }

    /// Returns the token of the row, if the explorer knows it.
    fn token(&self) -> Option<&Token> {
        self.token_field().value()
    }

    /// Returns the row if it is a transaction, whose details get its call.
    fn as_transaction(&self) -> Option<&Transaction> {
        None
    }

    /// Returns the value that is copied from a cell that shows another one than the column has in CSV.
    fn shown_value(&self, _: &ColumnHead, _: &NameCache) -> Option<CopyValue> {
        None
    }

    /// Returns the amount of the row's bar, in a list with bars.
    fn bar_amount(&self) -> Option<U256> {
        None
    }

    /// Returns the transaction that the row is a part of, whose call and outcome the details get.
    fn part_of(&self) -> Option<TxHash> {
        None
    }

    /// Returns the place of the row in its transaction, if rows of one transaction fold.
    fn transaction_part(&self) -> Option<ListedPart> {
        None
    }

    /// Returns the call that the row is, if the trace of its transaction is known.
    fn known_call<'a>(&self, _names: &'a NameCache) -> Option<KnownCall<'a>> {
        None
    }

    /// Returns the place of the row in the usual order of its list, as a text in that order, if that is not the
    /// explorer's.
    fn usual_place(&self, _cx: &RowContext<'_>) -> Option<String> {
        None
    }

    fn token_symbol(&self) -> Option<(Address, SafeText)> {
        let token = self.token()?;
        Some((*token.address.value()?, symbol(token)))
    }

    /// Returns the warnings about the row itself, apart from its addresses.
    fn warnings(&self) -> Vec<SafeText> {
        token_warnings(self.token())
    }

    fn copy_value(&self, action: Action, viewed: Option<Address>) -> Option<CopyValue> {
        self.copy_values(viewed).into_iter().find(|value| value.action == action)
    }
}

/// A transaction, or a part of one, as a row.
#[derive(Debug, Clone, Copy)]
pub struct ListedPart {
    pub transaction: TxHash,
    pub place: PartPlace,
    /// `true` for a call that succeeded without moving coin.
    pub moves_nothing: bool,
}

/// The place of a row in its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartPlace {
    /// The transaction itself.
    Whole,
    /// A token transfer, by its log.
    Transfer(u64),
    /// A call inside.
    Call(u64),
}

impl PartPlace {
    /// Returns `true` for two transfers or two calls.
    pub fn is_like(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// The rows of a list in a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowPreview {
    /// Their pages, unless these are addresses or tokens: parties of what a row is about.
    Pages,
    /// Also the pages of addresses and tokens, which the rows are about.
    Accounts,
    /// Their pages, also below a list that leaves space.
    Below,
    /// Their transactions, which lack what the details of the rows have.
    Transactions,
}

/// Creates the route to the page of a row in a list of a transaction.
pub type PartRoute<T> = fn(&Arc<Item<T>>, TxHash) -> Option<Route>;

/// A type of rows, with its list.
pub trait ListRow: Row + FromJson + Clone {
    /// Name of the list in file names.
    const LIST_NAME: &'static str;

    /// Plural of the rows' name on the screen.
    const PLURAL: &'static str;

    /// Name of one row.
    const SINGULAR: &'static str;

    const NEWEST_FIRST: bool;

    /// Title of the column by which explorers sort the list, largest first.
    const RANKED_BY: Option<&'static str> = None;

    /// The columns, in their order on the screen.
    const COLUMNS: &'static [Column<Self>];

    /// The lines below a list that show the selected row in full.
    const DETAIL_LINES: u16 = 6;

    /// Screens of rows that are loaded before the user comes to them. None if a row costs requests.
    const SCREENS_AHEAD: usize = 1;

    /// Returns the cells of a line after the last row, for what the rows leave out.
    const LAST_LINE: fn(&RowContext<'_>) -> Vec<TitledCell> = |_| Vec::new();

    /// Returns the note below that line about what the list never has on a network, or nothing.
    const END_NOTE: fn(&Network) -> &'static str = |_| "";

    /// Returns a row as a card, if the list has cards.
    const CARD: Option<fn(&Self) -> Card<'_>> = None;

    const PREVIEW: RowPreview = RowPreview::Pages;

    /// Returns the page next to a row in the list of a transaction, if rows there have one.
    const PART: Option<PartRoute<Self>> = None;

    const KIND: &'static RowKind = &RowKind::of::<Self>();

    /// Returns the row's own page, if it has one.
    fn page(_item: &Arc<Item<Self>>) -> Option<Route> {
        None
    }

    /// Returns a column, or a blank one.
    fn column(number: usize) -> &'static Column<Self> {
        Self::COLUMNS.get(number).unwrap_or(&Column::TEXT)
    }
}

/// The title of a column, and a cell in it.
pub type TitledCell = (&'static str, TableCell);

#[derive(Debug, Clone)]
pub struct CopyValue {
    pub action: Action,
    /// Name of the value in messages.
    pub label: &'static str,
    pub text: Option<SafeText>,
}

impl CopyValue {
    pub fn new<T: ToString>(action: Action, label: &'static str, value: Option<T>) -> Self {
        Self { action, label, text: value.map(|value| value.to_string().into()) }
    }
}

/// A row as a card of a gallery.
#[derive(Debug)]
pub struct Card<'a> {
    /// URL of the picture, which may be a `data:` URI.
    pub picture: Option<&'a SafeText>,
    /// Mark of the contract, drawn if there is no picture.
    pub mark: Option<AddressMark>,
    pub title: SafeText,
    /// Further facts, as far as there is space.
    pub facts: Vec<SafeText>,
}

/// Everything besides the row that affects its cells.
#[derive(Debug, Clone, Copy)]
pub struct RowContext<'a> {
    /// The address of the page.
    pub viewed: Option<Address>,
    pub subject: ListSubject,
    pub now: Timestamp,
    pub network: &'a Network,
    /// Addresses that others may imitate.
    pub known_addresses: &'a KnownAddresses,
    /// The user's labels, and metadata of earlier replies.
    pub name_cache: &'a NameCache,
    pub signatures: &'a SignatureDb,
    /// Abbreviates the addresses on the screen. `None` if addresses and amounts are written in full: in
    /// a row on its own, in searches, and in output that is not for a terminal.
    pub abbreviator: Option<&'a Abbreviator>,
    /// The transaction whose list has the row.
    pub transaction: Option<TxHash>,
    /// `true` if the row above is of the same transaction, which is the case for no row on its own.
    pub is_below_part: bool,
    /// The amount of a bar that fills its column, if the list has one for all rows.
    pub bar_scale: Option<U256>,
    /// The balances in the trace around the row, which give the tokens of its numbers.
    pub balances: Option<&'a QueriedBalances>,
    pub format: &'a FormatOptions,
}

impl RowContext<'static> {
    /// Returns the context of a row on its own, on the demo chain and with nothing known. For tests.
    pub fn blank() -> Self {
        type Parts = (Network, KnownAddresses, NameCache, SignatureDb, FormatOptions);
        static PARTS: LazyLock<Parts> = LazyLock::new(|| {
            (Network::demo(), <_>::default(), <_>::default(), <_>::default(), <_>::default())
        });
        let (network, known_addresses, name_cache, signatures, format) = &*PARTS;
        Self {
            viewed: None,
            subject: ListSubject::Other,
            now: Timestamp::UNIX_EPOCH,
            network,
            known_addresses,
            name_cache,
            signatures,
            abbreviator: None,
            transaction: None,
            is_below_part: false,
            bar_scale: None,
            balances: None,
            format,
        }
    }
}

impl RowContext<'_> {
    pub fn ages(&self) -> AgeClock {
        AgeClock::new(self.network, self.now)
    }

    /// Returns the address that `address` could be mistaken for.
    pub fn find_lookalike(&self, address: &Address) -> Option<Similarity> {
        self.known_addresses.find_lookalike(address, self.name_cache.labelled_addresses())
    }

    /// Returns `true` for an address that could be mistaken for another, or that the explorer calls a scam.
    pub fn is_suspicious(&self, address: &Address) -> bool {
        self.find_lookalike(address).is_some() || self.name_cache.is_scam(address)
    }

    pub fn short_address(&self, address: &Address) -> String {
        match self.abbreviator {
            Some(abbreviator) => abbreviator.abbreviate(address).into_owned(),
            None => address.to_string(),
        }
    }

    pub fn whole_address(&self, address: &Address) -> Cow<'_, str> {
        match self.abbreviator {
            Some(abbreviator) => abbreviator.whole(address),
            None => address.to_string().into(),
        }
    }

    /// Returns the columns of [`short_address`](Self::short_address).
    pub fn short_width(&self, address: &Address) -> usize {
        self.abbreviator.map_or(ADDRESS_WIDTH, |abbreviator| abbreviator.width(address))
    }

    /// Returns `true` if amounts and addresses are written in full.
    pub fn is_in_full(&self) -> bool {
        self.abbreviator.is_none()
    }

    /// Returns `true` if one column has the other party of each row, instead of one for each side.
    pub fn has_counterparties(&self) -> bool {
        self.viewed.is_some() && !self.is_in_full()
    }
}

/// Returns the warnings about a row and its addresses.
pub fn warnings(row: &dyn Row, cx: &RowContext<'_>) -> Vec<SafeText> {
    let parties = row.parties();
    let similar = parties
        .iter()
        .filter_map(|a| Some((a.hash, cx.find_lookalike(&a.hash)?)))
        .map(|(hash, r)| SafeText::new(&format!("{hash} {}", r.describe())));
    let scams = (parties.iter().filter(|a| cx.name_cache.is_scam(&a.hash)))
        .map(|a| SafeText::new(&format!("{} {}", a.hash, prompt::SCAM)));
    similar.chain(scams).chain(row.warnings()).collect()
}
