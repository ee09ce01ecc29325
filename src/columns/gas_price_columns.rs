//! Prices of gas in lists of transactions: what each would pay at most, as sent.

use super::cells::csv_value;
use super::cells::fee::{FEE_TOKEN_FIELDS, gas_price_cell};
use super::table::column::{Column, ColumnUse, number_width};
use crate::api::transactions::Transaction;
use crate::api::{Field, ListSubject};
use crate::chain::U256;
use crate::messages::column;

/// The price of gas that the transaction would pay at most.
pub(super) const MAX_PRICE: Column<Transaction> = Column {
    title: "max gwei",
    json_paths: &["max_fee_per_gas", "gas_price"],
    other_fields: Some(&[&["fee"], FEE_TOKEN_FIELDS]),
    provenance: |_, _| column::GWEI.into(),
    width: number_width(5),
    usage: ColumnUse::In(&[ListSubject::Pool]),
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
    usage: ColumnUse::In(&[ListSubject::Pool]),
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
    usage: ColumnUse::In(&[ListSubject::Pool]),
    full_value: |row| csv_value(&row.gas.max_fee),
    ..Column::NUMBER
};

pub(super) const GAS_PRICE: Column<Transaction> = Column {
    csv_name: Some("gas_price_wei"),
    json_paths: &["gas_price"],
    other_fields: Some(&[]),
    usage: ColumnUse::In(&[ListSubject::Pool]),
    full_value: |row| csv_value(&row.gas.price),
    ..Column::NUMBER
};

fn max_price(row: &Transaction) -> &Field<U256> {
    match &row.gas.max_fee {
        Field::Absent => &row.gas.price,
        price => price,
    }
}
