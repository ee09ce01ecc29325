//! The columns of pending transactions that others lack: state, nonce and prices.

use std::borrow::Cow;

use super::cells::fee::{FEE_TOKEN_FIELDS, gas_price_cell};
use super::cells::{block_route, csv_value, field_cell, hash_cell, transaction_route};
use super::table::column::{Column, ColumnKind, ColumnUse, number_width, text_width};
use crate::api::transactions::{PoolState, Transaction, TransactionOutcome};
use crate::api::{Field, ListSubject};
use crate::chain::U256;
use crate::messages::column;
use crate::messages::transaction::{self, PoolMessage};
use crate::route::Route;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

const IN_POOL: ColumnUse = ColumnUse::In(&[ListSubject::Pool]);

/// The progress of a transaction. Its route is the block, or the replacement.
pub(super) const STATE: Column<Transaction> = Column {
    title: "now",
    json_paths: &["block_number|block", "left_pool.replaced_by", "left_pool.is_dropped"],
    provenance: |_, _| transaction::STATE_IN_POOL.into(),
    other_fields: Some(&[&["result"]]),
    kind: ColumnKind::Block,
    width: text_width(24, 24, 0),
    usage: IN_POOL,
    cell: |row, _, width| state_cell(row, width),
    full_value: |row| state_text(row.pool_state(), 80),
    route: |_, row, _| state_route(row.pool_state()),
    ..Column::TEXT
};

pub(super) const NONCE: Column<Transaction> = Column {
    title: "nonce",
    csv_name: Some("nonce"),
    json_paths: &["nonce"],
    other_fields: Some(&[]),
    width: number_width(4),
    usage: IN_POOL,
    cell: |row, _, _| {
        field_cell(&row.nonce, |nonce| TableCell::new(nonce.to_string(), Role::Plain))
    },
    full_value: |row| csv_value(&row.nonce),
    ..Column::NUMBER
};

/// The price of gas that the transaction would pay at most.
pub(super) const MAX_PRICE: Column<Transaction> = Column {
    title: "max gwei",
    json_paths: &["max_fee_per_gas", "gas_price"],
    other_fields: Some(&[&["fee"], FEE_TOKEN_FIELDS]),
    provenance: |_, _| column::GWEI.into(),
    width: number_width(5),
    usage: IN_POOL,
    cell: |row, cx, width| gas_price_cell(row, max_price(row), cx, width),
    full_value: |row| csv_value(max_price(row)),
    value_name: Some("maximum price in wei"),
    ..Column::AMOUNT
};

pub(super) const PRIORITY_PRICE: Column<Transaction> = Column {
    title: "tip gwei",
    csv_name: Some("max_priority_fee_per_gas_wei"),
    json_paths: &["max_priority_fee_per_gas"],
    other_fields: Some(&[&["fee"], FEE_TOKEN_FIELDS]),
    provenance: |_, _| column::GWEI.into(),
    width: number_width(9),
    usage: IN_POOL,
    cell: |row, cx, width| gas_price_cell(row, &row.gas.max_priority_fee, cx, width),
    full_value: |row| csv_value(&row.gas.max_priority_fee),
    value_name: Some("tip in wei"),
    ..Column::AMOUNT
};

/// The fee per gas in CSV, where older transactions have none.
pub(super) const MAX_FEE: Column<Transaction> = Column {
    csv_name: Some("max_fee_per_gas_wei"),
    json_paths: &["max_fee_per_gas"],
    other_fields: Some(&[]),
    usage: IN_POOL,
    full_value: |row| csv_value(&row.gas.max_fee),
    ..Column::NUMBER
};

pub(super) const GAS_PRICE: Column<Transaction> = Column {
    csv_name: Some("gas_price_wei"),
    json_paths: &["gas_price"],
    other_fields: Some(&[]),
    usage: IN_POOL,
    full_value: |row| csv_value(&row.gas.price),
    ..Column::NUMBER
};

fn max_price(row: &Transaction) -> &Field<U256> {
    match &row.gas.max_fee {
        Field::Absent => &row.gas.price,
        price => price,
    }
}

fn state_cell(row: &Transaction, width: usize) -> TableCell {
    let state = row.pool_state();
    let role = match (state, row.outcome()) {
        (PoolState::Mined(_), TransactionOutcome::Failed) => Role::Failed,
        (PoolState::Mined(_), _) => Role::Ok,
        (PoolState::Replaced(_), _) => Role::Link,
        (PoolState::Pending, _) => Role::Dim,
        _ => Role::Warning,
    };
    TableCell::new(state_text(state, width).into_owned(), role)
}

/// Returns the state in words, with a hash in full if the width has space for it.
fn state_text(state: PoolState, width: usize) -> Cow<'static, str> {
    match state {
        PoolState::Pending => transaction::PENDING.into(),
        PoolState::Mined(number) => PoolMessage::InBlock { number }.to_string().into(),
        PoolState::Replaced(hash) => {
            let hash = hash_cell(&Field::Present(hash), width.saturating_sub(12)).text;
            PoolMessage::ReplacedBy { hash: &hash, block: None }.to_string().into()
        }
        PoolState::Dropped => transaction::DROPPED_FROM_POOL.into(),
        PoolState::DroppedOrReplaced => transaction::DROPPED_OR_REPLACED.into(),
        PoolState::RolledBack(block) => PoolMessage::RolledBack { block }.to_string().into(),
        PoolState::Unknown => transaction::NOT_IN_POOL.into(),
    }
}

fn state_route(state: PoolState) -> Option<Route> {
    match state {
        PoolState::Mined(number) => block_route(&Field::Present(number)),
        PoolState::Replaced(hash) => transaction_route(&Field::Present(hash)),
        _ => None,
    }
}
