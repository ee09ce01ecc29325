//! The columns of pending transactions that others lack: state and nonce.

use std::borrow::Cow;

use super::cells::{block_route, csv_value, field_cell, hash_cell, transaction_route};
use super::table::column::{Column, ColumnKind, ColumnUse, number_width, text_width};
use crate::api::transactions::{PoolState, Transaction, TransactionOutcome};
use crate::api::{Field, ListSubject};
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
