//! New rows at a watched address, with their facts for a line of output.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::new_rows::RowIdentity;
use crate::api::address::AddressRef;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::api::{Field, Item};
use crate::chain::amount::Unit;
use crate::chain::call_kind::CallKind;
use crate::chain::network::Network;
use crate::chain::{Address, Timestamp, TxHash, U256};
use crate::columns::cells::{TransferDirection, counterparty, transfer_direction};
use crate::columns::common::{ChainEvent, EventFields};
use crate::columns::table::any_row::RowId;
use crate::columns::{ListRow, Row};
use crate::name_cache::NameCache;
use crate::sanitize::SafeText;

/// A new row at a watched address.
#[derive(Debug, Clone)]
pub enum Arrival {
    Transaction(Arc<Item<Transaction>>),
    TokenTransfer(Arc<Item<TokenTransfer>>),
    InternalTransaction(Arc<Item<InternalTransaction>>),
}

impl Arrival {
    pub fn transaction(&self) -> Option<&Transaction> {
        match self {
            Self::Transaction(item) => item.parsed.as_ref().ok(),
            _ => None,
        }
    }

    pub fn token_transfer(&self) -> Option<&TokenTransfer> {
        match self {
            Self::TokenTransfer(item) => item.parsed.as_ref().ok(),
            _ => None,
        }
    }

    fn internal_transaction(&self) -> Option<&InternalTransaction> {
        match self {
            Self::InternalTransaction(item) => item.parsed.as_ref().ok(),
            _ => None,
        }
    }

    /// Returns the amount of the coin that a transaction sends, or a call within one.
    pub fn coin_amount(&self) -> Option<&Field<U256>> {
        let sent = self.transaction().map(|transaction| &transaction.value);
        sent.or_else(|| Some(&self.internal_transaction()?.value))
    }

    /// Returns `false` for a call that moved none of the coin, or may not have. A delegated call repeats the
    /// value of the call around it.
    pub(super) fn moves_coin(&self) -> bool {
        let Some(call) = self.internal_transaction() else { return true };
        let has_failed = call.success.value() == Some(&false) || call.error.value().is_some();
        let kind = call.kind.value().map(|kind| CallKind::from_name(kind.as_bytes()));
        !has_failed
            && kind.is_some_and(CallKind::moves_value)
            && call.value.value().is_some_and(|wei| !wei.is_zero())
    }

    /// Returns the name of its list.
    pub fn list_name(&self) -> &'static str {
        match self {
            Self::Transaction(_) => Transaction::LIST_NAME,
            Self::TokenTransfer(_) => TokenTransfer::LIST_NAME,
            Self::InternalTransaction(_) => InternalTransaction::LIST_NAME,
        }
    }

    /// Returns the row as the explorer sent it.
    pub fn raw(&self) -> &RawValue {
        match self {
            Self::Transaction(item) => &item.raw,
            Self::TokenTransfer(item) => &item.raw,
            Self::InternalTransaction(item) => &item.raw,
        }
    }

    fn event(&self) -> Option<EventFields<'_>> {
        match self {
            Self::Transaction(item) => item.parsed.as_ref().ok().map(ChainEvent::event),
            Self::TokenTransfer(item) => item.parsed.as_ref().ok().map(ChainEvent::event),
            Self::InternalTransaction(item) => item.parsed.as_ref().ok().map(ChainEvent::event),
        }
    }

    pub fn block_number(&self) -> Option<u64> {
        self.event()?.block_number.value().copied()
    }

    pub fn timestamp(&self) -> Option<Timestamp> {
        self.event()?.timestamp.value().copied()
    }

    pub fn transaction_hash(&self) -> Option<TxHash> {
        self.event()?.transaction.copied()
    }

    /// Returns the direction, seen from the watched address.
    pub fn direction(&self, watched: Address) -> TransferDirection {
        self.event().map_or(TransferDirection::Other, |event| {
            transfer_direction(Some(watched), event.from, event.to)
        })
    }

    /// Returns the other party, seen from the watched address.
    pub fn counterparty(&self, watched: Address) -> Option<&AddressRef> {
        let EventFields { from, to, .. } = self.event()?;
        counterparty(Some(watched), from, to)
    }

    /// Describes what was sent: an amount of the coin, or of a token.
    pub fn amount(&self, unit: Unit, network: &Network) -> SafeText {
        if let Some(transfer) = self.token_transfer() {
            return SafeText::new(&transfer.summary());
        }
        let wei = self.coin_amount().and_then(Field::value);
        let unknown = || format!("? {}", unit.name(network));
        SafeText::new(&wei.map_or_else(unknown, |wei| unit.format_exact(*wei, network)))
    }

    /// Returns the place among the arrivals of an address, oldest first: transactions before the calls and the
    /// token transfers of their block.
    pub fn order(&self) -> (Option<u64>, u8, Option<u64>) {
        let (list, index) = match self {
            Self::Transaction(_) => (0, self.transaction().map(|row| &row.position)),
            Self::InternalTransaction(_) => (1, self.internal_transaction().map(|row| &row.index)),
            Self::TokenTransfer(_) => (2, self.token_transfer().map(|row| &row.log_index)),
        };
        (self.block_number(), list, index.and_then(Field::value).copied())
    }
}

/// Returns the name of an address: the user's label, else the name that the explorer has.
pub fn party_name(party: &AddressRef, names: &NameCache) -> Option<SafeText> {
    let known = names.short_name(&party.hash);
    known.map(|name| SafeText::new(&name)).or_else(|| party.label().cloned())
}

/// Rows that can arrive at an address.
pub trait ArrivingRow: Row {
    /// Returns the identity of a mined row. Pending transactions arrive when they are mined.
    fn identity(&self) -> Option<RowIdentity>;
}

impl ArrivingRow for Transaction {
    fn identity(&self) -> Option<RowIdentity> {
        let id = RowId::Hash(self.hash);
        let block_number = Some(*self.block_number.value()?);
        Some(RowIdentity { lasting_id: id.clone(), id, block_number, block_hash: None })
    }
}

impl ArrivingRow for TokenTransfer {
    fn identity(&self) -> Option<RowIdentity> {
        let id = self.id()?;
        let mut lasting_id = id.clone();
        if let RowId::Transfer(transfer) = &mut lasting_id {
            transfer.1 = 0;
        }
        let block_number = self.block_number.value().copied();
        let block_hash = self.block_hash.value().copied();
        Some(RowIdentity { id, lasting_id, block_number, block_hash })
    }
}

impl ArrivingRow for InternalTransaction {
    fn identity(&self) -> Option<RowIdentity> {
        let id = self.id()?;
        let block_number = self.block_number.value().copied();
        Some(RowIdentity { lasting_id: id.clone(), id, block_number, block_hash: None })
    }
}
