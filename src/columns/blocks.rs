//! The columns of blocks.

use super::any_row::RowId;
use super::cells::{
    address_field_line, amount_cell, coin_amount, coin_cell, count_cell, csv_value, field_cell,
    hash_cell,
};
use super::column::{Column, ColumnKind, ColumnUse, number_width, text_width};
use super::common::{self, ChainEvent, EventFields};
use super::{CopyValue, ListRow, Row, RowContext};
use crate::action::Action;
use crate::api::Field;
use crate::api::address::AddressRef;
use crate::api::endpoints::block::Block;
use crate::chain::amount::group_digits;
use crate::chain::{Address, U256};
use crate::messages::column;
use crate::sanitize::SafeText;
use crate::ui::bars::bar;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

const GAS_BAR_WIDTH: usize = 8;
const GWEI_DECIMALS: u8 = 9;

impl ChainEvent for Block {
    fn event(&self) -> EventFields<'_> {
        EventFields {
            transaction: None,
            timestamp: &self.timestamp,
            block_number: &self.number,
            from: &Field::Absent,
            to: &self.miner,
        }
    }
}

impl ListRow for Block {
    const LIST_NAME: &'static str = "blocks";
    const PLURAL: &'static str = "blocks";
    const NEWEST_FIRST: bool = true;
    const COLUMNS: &'static [Column<Self>] = &[
        // Here the number is the route of the row itself.
        Column { kind: ColumnKind::Other, json_paths: &["height"], ..common::block(0) },
        common::age(1),
        Column {
            title: "txs",
            csv_name: Some("transactions_count"),
            json_paths: &["transactions_count|transaction_count|tx_count"],
            width: number_width(2),
            cell: |b, _, _| count_cell(&b.transactions_count),
            full_value: |b| csv_value(&b.transactions_count),
            ..Column::NUMBER
        },
        Column {
            title: "gas used",
            csv_name: Some("gas_used"),
            json_paths: &["gas_used"],
            width: number_width(4),
            cell: |b, _, _| count_cell(&b.gas_used),
            full_value: |b| csv_value(&b.gas_used),
            ..Column::NUMBER
        },
        Column {
            title: "of limit",
            json_paths: &["gas_used", "gas_limit"],
            provenance: |_, _| column::SHARE_OF_LIMIT.into(),
            is_computed: true,
            width: text_width(12, 13, 3),
            cell: |b, _, _| gas_share_cell(b),
            ..Column::TEXT
        },
        Column {
            csv_name: Some("gas_limit"),
            json_paths: &["gas_limit"],
            full_value: |b| csv_value(&b.gas_limit),
            ..Column::TEXT
        },
        Column {
            title: "base fee gwei",
            csv_name: Some("base_fee_wei"),
            json_paths: &["base_fee_per_gas"],
            provenance: |_, _| column::GWEI.into(),
            width: number_width(5),
            cell: |b, cx, _| gwei_cell(&b.base_fee, cx),
            full_value: |b| csv_value(&b.base_fee),
            value_name: Some("base fee in wei"),
            ..Column::AMOUNT
        },
        Column {
            title: "fees",
            csv_name: Some("fees_wei"),
            json_paths: &["transaction_fees|tx_fees"],
            width: number_width(7),
            cell: |b, cx, _| coin_cell(&b.fees, cx),
            full_value: |b| csv_value(&b.fees),
            value_name: Some("fees in wei"),
            ..Column::COIN
        },
        Column {
            title: "burnt",
            csv_name: Some("burnt_wei"),
            json_paths: &["burnt_fees"],
            width: number_width(8),
            cell: |b, cx, _| coin_cell(&b.burnt_fees, cx),
            full_value: |b| csv_value(&b.burnt_fees),
            value_name: Some("burnt fees in wei"),
            ..Column::COIN
        },
        Column {
            title: "validator",
            csv_name: Some("validator"),
            json_paths: &["miner.hash", "miner.name", "miner.ens_domain_name"],
            value_name: Some("validator"),
            usage: ColumnUse::Always,
            ..common::to("validator", 6)
        },
        Column {
            title: "size",
            csv_name: Some("size"),
            json_paths: &["size"],
            width: number_width(9),
            cell: |b, _, _| count_cell(&b.size),
            full_value: |b| csv_value(&b.size),
            ..Column::NUMBER
        },
        Column {
            title: "hash",
            csv_name: Some("hash"),
            json_paths: &["hash"],
            kind: ColumnKind::Hash,
            width: text_width(11, 66, 10),
            cell: |b, _, width| hash_cell(&b.hash, width),
            full_value: |b| csv_value(&b.hash),
            ..Column::TEXT
        },
    ];
}

impl Row for Block {
    fn id(&self) -> Option<RowId> {
        Some(RowId::Hash(*self.hash.value()?))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let fees = coin_amount(&self.fees, cx);
        let count =
            |n: &Field<u64>| n.display_with(|n| group_digits(&n.to_string()).into()).into_owned();
        let (used, limit) = (count(&self.gas_used), count(&self.gas_limit));
        vec![
            ("block", count(&self.number).into()),
            ("hash", self.hash.display_with(|h| h.to_string().into()).into_owned().into()),
            ("validator", address_field_line(&self.miner)),
            ("gas", SafeText::new(&format!("{used} of {limit} · fees {fees}"))),
        ]
    }

    fn copy_values(&self, _: Option<Address>) -> Vec<CopyValue> {
        let miner = self.miner.value().map(|miner| miner.hash);
        vec![
            CopyValue::new(Action::CopyHash, "block hash", self.hash.value()),
            CopyValue::new(Action::CopyAddress, "validator's address", miner),
            CopyValue::new(Action::CopyBlock, "block number", self.number.value()),
        ]
    }

    fn parties(&self) -> Vec<&AddressRef> {
        self.miner.value().into_iter().collect()
    }
}

/// Returns a bar and the used percentage of the gas limit.
fn gas_share_cell(block: &Block) -> TableCell {
    match block.gas_percent() {
        Some(percent) => {
            let bar = bar(U256::from(percent), U256::from(100), GAS_BAR_WIDTH);
            TableCell::new(format!("{bar} {percent:>3}%"), Role::Plain)
        }
        None => TableCell::new("?", Role::Dim),
    }
}

fn gwei_cell(wei: &Field<U256>, cx: &RowContext<'_>) -> TableCell {
    field_cell(wei, |wei| amount_cell(*wei, GWEI_DECIMALS, cx))
}
