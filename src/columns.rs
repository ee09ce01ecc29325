//! The columns of every list. One table per item type serves the screen, CSV, copying, the origin of
//! a value, and the tables of `chainglass get`.
//!
//! A new list is one file here with an implementation of [`ListRow`].

pub mod any_row;
pub mod balance_history;
pub mod blocks;
pub mod called_method;
pub mod cells;
pub mod column;
pub mod common;
pub mod holders;
pub mod internal_transactions;
pub mod log_event;
pub mod logs;
pub mod nft_collections;
pub mod nft_instances;
pub mod state_changes;
pub mod table_extent;
pub mod text;
pub mod token_amount;
pub mod token_balances;
pub mod token_transfers;
pub mod tokens;
pub mod transactions;
pub mod withdrawals;

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::abi::SignatureDb;
use crate::action::Action;
use crate::api::address::AddressRef;
use crate::api::json_fields::FromJson;
use crate::api::token::Token;
use crate::api::{Field, Item, ListSubject, Page, Reply};
use crate::chain::abbreviate::Abbreviator;
use crate::chain::network::Network;
use crate::chain::{Address, Timestamp};
use crate::name_cache::NameCache;
use crate::route::Route;
use crate::safety::address_poisoning::{Evidence, KnownAddresses, Similarity};
use crate::sanitize::SafeText;
use crate::ui::address_mark::AddressMark;
use crate::ui::age::AgeClock;
use crate::ui::number_format::FormatOptions;
use any_row::{RowId, RowKind};
use cells::{symbol, token_warnings};
use column::Column;

/// A row of a list.
pub trait Row: Any + Debug + Send + Sync {
    /// Returns what tells the row from every other of its list, or `None` if too much is missing.
    fn id(&self) -> Option<RowId>;

    /// Returns labelled lines with the full values of the row.
    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)>;

    /// Returns what the copy actions copy, seen from the viewed address.
    fn copy_values(&self, viewed: Option<Address>) -> Vec<CopyValue>;

    /// Whether cells have text that is not in the JSON of this row, although their columns usually
    /// have it from there.
    fn has_computed_text(&self) -> bool {
        false
    }

    /// Returns every address in the row that has a name.
    fn parties(&self) -> Vec<&AddressRef> {
        Vec::new()
    }

    /// Returns every address that the cells abbreviate.
    fn addresses(&self) -> Vec<Address> {
        let parties = self.parties().into_iter().map(|party| party.hash);
        parties.chain(self.token().and_then(|token| token.address.value().copied())).collect()
    }

    /// Returns how the row makes addresses known, seen from the viewed address.
    fn evidence(&self, _viewed: Option<Address>) -> Vec<(Address, Evidence)> {
        self.parties().into_iter().map(|party| (party.hash, Evidence::Seen)).collect()
    }

    fn token_field(&self) -> &Field<Token> {
        &Field::Absent
    }

    /// Returns the token that the row is about, if the server knows it.
    fn token(&self) -> Option<&Token> {
        self.token_field().value()
    }

    fn token_symbol(&self) -> Option<(Address, SafeText)> {
        let token = self.token()?;
        Some((*token.address.value()?, symbol(token)))
    }

    /// Returns what is suspicious about the row besides its addresses.
    fn warnings(&self) -> Vec<SafeText> {
        token_warnings(self.token())
    }

    fn copy_value(&self, action: Action, viewed: Option<Address>) -> Option<CopyValue> {
        self.copy_values(viewed).into_iter().find(|value| value.action == action)
    }
}

/// A type of rows, with the list that they are in.
pub trait ListRow: Row + FromJson {
    /// The name of the list in file names.
    const LIST_NAME: &'static str;

    /// What the rows are called on the screen, in the plural.
    const PLURAL: &'static str;

    const NEWEST_FIRST: bool;

    /// Returns the page of such rows, if the reply holds one.
    const PAGE: fn(Reply) -> Option<Page<Self>>;

    /// The columns, in their order on the screen.
    const COLUMNS: &'static [Column<Self>];

    /// The lines below a list that show the selected row in full.
    const DETAIL_LINES: u16 = 6;

    /// Returns a row as a card, if the rows of the list can be cards.
    const CARD: Option<fn(&Self) -> Card<'_>> = None;

    const KIND: &'static RowKind = &RowKind::of::<Self>();

    /// Returns the page of the row itself, if it has one.
    fn page(_item: &Arc<Item<Self>>) -> Option<Route> {
        None
    }

    /// Returns a column, or a blank one.
    fn column(number: usize) -> &'static Column<Self> {
        Self::COLUMNS.get(number).unwrap_or(&Column::TEXT)
    }
}

#[derive(Debug, Clone)]
pub struct CopyValue {
    pub action: Action,
    /// The name of the value in messages.
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
    /// The URL of its picture, which may be a `data:` URI.
    pub picture: Option<&'a SafeText>,
    /// The mark of its contract, which is drawn if there is no picture.
    pub mark: Option<AddressMark>,
    pub title: SafeText,
    /// What else is said of it as far as there is space.
    pub facts: Vec<SafeText>,
}

/// What cells are written with.
#[derive(Debug, Clone, Copy)]
pub struct RowContext<'a> {
    /// The address whose list it is.
    pub viewed: Option<Address>,
    pub subject: ListSubject,
    pub now: Timestamp,
    pub network: &'a Network,
    /// Addresses that must not be mistaken for others.
    pub known_addresses: &'a KnownAddresses,
    /// The user's labels, and metadata of earlier replies.
    pub name_cache: &'a NameCache,
    pub signatures: &'a SignatureDb,
    /// Tells the addresses of the screen apart. `None` where addresses and amounts are in full: in
    /// a row on its own, in searches, and in output that is not for a terminal.
    pub abbreviator: Option<&'a Abbreviator>,
    pub format: &'a FormatOptions,
}

impl RowContext<'_> {
    pub fn ages(&self) -> AgeClock {
        AgeClock::new(self.network, self.now)
    }

    /// Returns the address that this one could be mistaken for.
    pub fn find_lookalike(&self, address: &Address) -> Option<Similarity> {
        self.known_addresses.find_lookalike(address, self.name_cache.labelled_addresses())
    }

    pub fn short_address(&self, address: &Address) -> String {
        match self.abbreviator {
            Some(abbreviator) => abbreviator.abbreviate(address).into_owned(),
            None => address.to_string(),
        }
    }

    /// Whether amounts and addresses are written in full.
    pub fn is_in_full(&self) -> bool {
        self.abbreviator.is_none()
    }

    /// Whether one column has the other party of each row, instead of one for each side.
    pub fn has_counterparties(&self) -> bool {
        self.viewed.is_some() && !self.is_in_full()
    }
}

/// Returns what is suspicious about the addresses of a row and the row itself.
pub fn warnings(row: &dyn Row, cx: &RowContext<'_>) -> Vec<SafeText> {
    let parties = row.parties();
    let similar = parties.iter().filter_map(|a| Some((a.hash, cx.find_lookalike(&a.hash)?)));
    let similar = similar.map(|(hash, r)| SafeText::new(&format!("{hash} {}", r.describe())));
    similar.chain(row.warnings()).collect()
}
