//! The lists of a watched address, and the new rows in them.

use std::mem::take;
use std::sync::Arc;

use super::arrival::{Arrival, ArrivingRow};
use super::new_rows::NewRows;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::page::ItemPage;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::api::{AddressQuery, ApiError, Cursor, Item, Next, Page, Query, Reply};
use crate::chain::Address;
use crate::sanitize::SafeText;

/// A list that is read of each watched address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchedList {
    Transactions,
    TokenTransfers,
    /// Calls by the address and to it, of which only payments arrive. Many nodes cannot list them.
    InternalTransactions,
}

impl WatchedList {
    pub const ALL: [Self; 3] =
        [Self::Transactions, Self::TokenTransfers, Self::InternalTransactions];

    pub fn query(self, address: Address) -> Query {
        let query = match self {
            Self::Transactions => AddressQuery::Transactions { direction: None },
            Self::TokenTransfers => {
                AddressQuery::TokenTransfers { direction: None, types: Vec::new(), token: None }
            }
            Self::InternalTransactions => AddressQuery::InternalTransactions { direction: None },
        };
        Query::Address(address, query)
    }
}

/// New rows of a list since it was read last.
#[derive(Debug, Default)]
pub struct Arrivals {
    /// Oldest first.
    pub rows: Vec<Arrival>,
    /// `true` if there are older ones, which could not be reached.
    pub is_cut: bool,
    /// The reason why a row could not be read. It may be new.
    pub unreadable: Option<SafeText>,
}

/// Watches an address.
#[derive(Debug)]
pub struct AddressWatch {
    pub address: Address,
    transactions: NewRows<Arc<Item<Transaction>>>,
    token_transfers: NewRows<Arc<Item<TokenTransfer>>>,
    internal_transactions: NewRows<Arc<Item<InternalTransaction>>>,
    unreadable: Option<SafeText>,
}

impl AddressWatch {
    /// Watches from this block on, or else from the first reply on.
    pub fn new(address: Address, since: Option<u64>) -> Self {
        Self {
            address,
            transactions: since.map_or_else(NewRows::from_now_on, NewRows::since),
            token_transfers: since.map_or_else(NewRows::from_now_on, NewRows::since),
            internal_transactions: since.map_or_else(NewRows::from_now_on, NewRows::since),
            unreadable: None,
        }
    }

    /// Returns `true` if the lists that every explorer has were read.
    pub fn has_begun(&self) -> bool {
        self.transactions.has_begun() && self.token_transfers.has_begun()
    }

    /// Returns the cursor of the next request for a list, or `None` for the first page.
    pub fn cursor(&self, list: WatchedList) -> Option<&Cursor> {
        match list {
            WatchedList::Transactions => self.transactions.cursor(),
            WatchedList::TokenTransfers => self.token_transfers.cursor(),
            WatchedList::InternalTransactions => self.internal_transactions.cursor(),
        }
    }

    /// Adds the reply to a request. Returns the new rows once no further page is needed.
    pub fn receive(&mut self, list: WatchedList, reply: &Reply) -> Option<Arrivals> {
        self.receive_page(list, Some(reply))
    }

    /// Adds the reply, or an empty page.
    fn receive_page(&mut self, list: WatchedList, reply: Option<&Reply>) -> Option<Arrivals> {
        let Self { transactions, token_transfers, internal_transactions, unreadable, .. } = self;
        match list {
            WatchedList::Transactions => {
                let page = reply.and_then(Reply::page).unwrap_or_else(empty_page);
                receive(transactions, page, Arrival::Transaction, unreadable)
            }
            WatchedList::TokenTransfers => {
                let page = reply.and_then(Reply::page).unwrap_or_else(empty_page);
                receive(token_transfers, page, Arrival::TokenTransfer, unreadable)
            }
            WatchedList::InternalTransactions => {
                let page = reply.and_then(Reply::page).unwrap_or_else(empty_page);
                let arrival = Arrival::InternalTransaction;
                let mut found = receive(internal_transactions, page, arrival, unreadable)?;
                found.rows.retain(Arrival::moves_coin);
                Some(found)
            }
        }
    }

    /// Adds a failure. An explorer that does not know the address yet has no rows of it, and an
    /// explorer that does not list internal transactions, or not now, has none to watch.
    pub fn fail(&mut self, list: WatchedList, error: &ApiError) -> Option<Arrivals> {
        if error.is_not_found() && self.cursor(list).is_none() {
            return self.receive_page(list, None);
        }
        // A cursor that is refused would be refused again.
        if !error.is_transient() {
            match list {
                WatchedList::Transactions => self.transactions.restart_walk(),
                WatchedList::TokenTransfers => self.token_transfers.restart_walk(),
                WatchedList::InternalTransactions => self.internal_transactions.restart_walk(),
            }
        }
        (list == WatchedList::InternalTransactions).then(Arrivals::default)
    }

    /// Forgets what it knows of the blocks after this one, or of a chain that began again.
    pub fn roll_back(&mut self, last_block: Option<u64>) {
        self.transactions.roll_back(last_block);
        self.token_transfers.roll_back(last_block);
        self.internal_transactions.roll_back(last_block);
    }
}

fn empty_page<T>() -> Page<T> {
    ItemPage { items: Vec::new(), left_out: 0, bytes: 0, next: Next::End, coverage: None }
}

fn receive<T: ArrivingRow>(
    list: &mut NewRows<Arc<Item<T>>>,
    page: Page<T>,
    arrival: fn(Arc<Item<T>>) -> Arrival,
    unreadable: &mut Option<SafeText>,
) -> Option<Arrivals> {
    let reason = page.items.iter().find_map(|item| item.parsed.as_ref().err());
    *unreadable = unreadable.take().or_else(|| reason.cloned());
    let found = list.receive(page, |item| item.parsed.as_ref().ok()?.identity())?;
    let rows = found.rows.into_iter().map(arrival).collect();
    Some(Arrivals { rows, is_cut: found.is_cut, unreadable: take(unreadable) })
}
