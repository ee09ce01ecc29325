//! The columns and links of an address's internal transactions.

use super::cells::{
    address_field_line, coin_amount, coin_cell, column_width, counterparty, csv_value, hash_cell,
    number_cell, text_cell, transaction_route,
};
use super::common::{self, ChainEvent};
use super::{Column, Row, RowContext, coin_provenance, no_route, unmodified};
use crate::api::address::AddressRef;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::{Field, Page, Reply};
use crate::chain::{Timestamp, TxHash, amount};
use crate::msg::Action;
use crate::sanitize::SafeText;
use crate::ui::table::{Align, TableCell};
use crate::ui::theme::Role;

impl ChainEvent for InternalTransaction {
    fn timestamp(&self) -> &Field<Timestamp> {
        &self.timestamp
    }

    fn block(&self) -> &Field<u64> {
        &self.block_number
    }

    fn sender(&self) -> &Field<AddressRef> {
        &self.from
    }

    fn receiver(&self) -> &Field<AddressRef> {
        self.callee()
    }
}

impl Row for InternalTransaction {
    type Id = (TxHash, u64);

    const LIST_NAME: &'static str = "internal-transactions";
    const NEWEST_FIRST: bool = true;

    fn columns() -> &'static [Column<Self>] {
        COLUMNS
    }

    fn page(reply: Reply) -> Option<Page<Self>> {
        match reply {
            Reply::InternalTransactions(page) => Some(page),
            _ => None,
        }
    }

    fn id(&self) -> Option<Self::Id> {
        Some((*self.transaction_hash.value()?, *self.index.value()?))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let hash = self.transaction_hash.display_with(|h| h.to_string().into());
        let value = coin_amount(&self.value, cx);
        let gas = self.gas_limit.display_with(|g| amount::format_exact(*g, 0).into());
        let index = self.index.display_with(|n| n.to_string().into());
        let end = self.error.value().map_or("ok".into(), |error| format!("failed: {error}"));
        let callee = if self.creates() { "creates" } else { "to" };
        let value = format!("{value} · gas limit {gas} · call {index} · {end}");
        vec![
            ("in", SafeText::new(&hash)),
            ("from", address_field_line(&self.from)),
            (callee, address_field_line(self.callee())),
            ("value", SafeText::new(&value)),
        ]
    }

    fn copy(
        &self,
        action: Action,
        cx: &RowContext<'_>,
    ) -> Option<(&'static str, Option<SafeText>)> {
        let text = |s: String| Some(SafeText::from(s));
        Some(match action {
            Action::CopyHash => (
                "transaction hash",
                self.transaction_hash.value().and_then(|h| text(h.to_string())),
            ),
            Action::CopyAddress => {
                let party = counterparty(cx.viewed, &self.from, self.callee());
                ("address", party.and_then(|a| text(a.hash.to_string())))
            }
            Action::CopyBlock => {
                ("block number", self.block_number.value().and_then(|n| text(n.to_string())))
            }
            Action::CopyValue => {
                ("value in wei", self.value.value().and_then(|v| text(v.to_string())))
            }
            _ => return None,
        })
    }

    fn parties(&self) -> Vec<&AddressRef> {
        [&self.from, &self.to, &self.created_contract]
            .into_iter()
            .filter_map(Field::value)
            .collect()
    }
}

impl InternalTransaction {
    fn creates(&self) -> bool {
        self.created_contract.value().is_some()
    }

    /// The called address, or what was created.
    fn callee(&self) -> &Field<AddressRef> {
        if self.creates() { &self.created_contract } else { &self.to }
    }
}

const COLUMNS: &[Column<InternalTransaction>] = &[
    Column {
        title: "end",
        csv_name: Some("error"),
        json_paths: &["success", "error"],
        provenance: unmodified,
        width: column_width(4, 20, 6),
        align: Align::Left,
        cell: |t, _, room| outcome_cell(t, room),
        full_value: |t| csv_value(&t.error, ToString::to_string),
        route: no_route,
    },
    common::age(4),
    common::block(10),
    Column {
        title: "parent",
        csv_name: Some("transaction_hash"),
        json_paths: &["transaction_hash|tx_hash"],
        provenance: unmodified,
        width: column_width(11, 66, 9),
        align: Align::Left,
        cell: |t, _, room| hash_cell(&t.transaction_hash, room),
        full_value: |t| csv_value(&t.transaction_hash, ToString::to_string),
        route: |_, t, _| transaction_route(&t.transaction_hash),
    },
    Column {
        title: "call",
        csv_name: Some("index"),
        json_paths: &["index", "transaction_index"],
        provenance: unmodified,
        width: column_width(4, 6, 8),
        align: Align::Right,
        cell: |t, _, _| number_cell(&t.index),
        full_value: |t| csv_value(&t.index, ToString::to_string),
        route: no_route,
    },
    Column {
        title: "type",
        csv_name: Some("type"),
        json_paths: &["type"],
        provenance: unmodified,
        width: column_width(8, 12, 1),
        align: Align::Left,
        cell: |t, _, _| text_cell(&t.kind),
        full_value: |t| csv_value(&t.kind, ToString::to_string),
        route: no_route,
    },
    common::from(5),
    common::direction(3),
    common::to("to_or_created", 2),
    Column {
        title: "value",
        csv_name: Some("value_wei"),
        json_paths: &["value"],
        provenance: coin_provenance,
        width: column_width(9, 20, 0),
        align: Align::Right,
        cell: |t, cx, room| coin_cell(&t.value, cx, room),
        full_value: |t| csv_value(&t.value, ToString::to_string),
        route: no_route,
    },
    Column {
        title: "gas limit",
        csv_name: Some("gas_limit"),
        json_paths: &["gas_limit"],
        provenance: unmodified,
        width: column_width(9, 12, 7),
        align: Align::Right,
        cell: |t, _, _| number_cell(&t.gas_limit),
        full_value: |t| csv_value(&t.gas_limit, ToString::to_string),
        route: no_route,
    },
];

/// Success, or the error's own text.
fn outcome_cell(call: &InternalTransaction, room: usize) -> TableCell {
    match (&call.success, call.error.value()) {
        (_, Some(error)) if room >= 8 => TableCell::new(format!("✗ {error}"), Role::Failed),
        (_, Some(_)) | (Field::Present(false), None) => TableCell::new("fail", Role::Failed),
        (Field::Present(true), None) => TableCell::new("ok", Role::Ok),
        (Field::Absent, None) => TableCell::new("—", Role::Dim),
        (Field::Invalid(_), None) => TableCell::new("?", Role::Warning),
    }
}
