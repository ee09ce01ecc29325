//! The columns and links of an address's internal transactions.

use super::cell_format::{
    coin_cell, coin_text, full, hash_cell, number_cell, other_side, party_line, text_cell,
    to_transaction, width,
};
use super::common_columns::{self, Happened};
use super::row::{Column, Row, RowCx, as_sent, in_coin, no_link};
use crate::api::address::AddressRef;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::{Field, Page, Reply};
use crate::chain::{Timestamp, TxHash, amount};
use crate::msg::Action;
use crate::sanitize::Text;
use crate::ui::table::{Align, Cell};
use crate::ui::theme::Role;

impl Happened for InternalTransaction {
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

    const NAME: &'static str = "internal-transactions";
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
        Some((*self.transaction_hash.known()?, *self.index.known()?))
    }

    fn strip(&self, cx: &RowCx<'_>) -> Vec<(&'static str, Text)> {
        let hash = self.transaction_hash.show(|h| h.to_string().into());
        let value = coin_text(&self.value, cx);
        let gas = self.gas_limit.show(|g| amount::exact(*g, 0).into());
        let index = self.index.show(|n| n.to_string().into());
        let end = self.error.known().map_or("ok".into(), |error| format!("failed: {error}"));
        let callee = if self.creates() { "creates" } else { "to" };
        let value = format!("{value} · gas limit {gas} · call {index} · {end}");
        vec![
            ("in", Text::new(&hash)),
            ("from", party_line(&self.from)),
            (callee, party_line(self.callee())),
            ("value", Text::new(&value)),
        ]
    }

    fn copy(&self, action: Action, cx: &RowCx<'_>) -> Option<(&'static str, Option<Text>)> {
        let text = |s: String| Some(Text::from(s));
        Some(match action {
            Action::CopyHash => (
                "transaction hash",
                self.transaction_hash.known().and_then(|h| text(h.to_string())),
            ),
            Action::CopyAddress => {
                let party = other_side(cx.viewed, &self.from, self.callee());
                ("address", party.and_then(|a| text(a.hash.to_string())))
            }
            Action::CopyBlock => {
                ("block number", self.block_number.known().and_then(|n| text(n.to_string())))
            }
            Action::CopyValue => {
                ("value in wei", self.value.known().and_then(|v| text(v.to_string())))
            }
            _ => return None,
        })
    }

    fn parties(&self) -> Vec<&AddressRef> {
        [&self.from, &self.to, &self.created_contract]
            .into_iter()
            .filter_map(Field::known)
            .collect()
    }
}

impl InternalTransaction {
    fn creates(&self) -> bool {
        self.created_contract.known().is_some()
    }

    /// The called address, or what was created.
    fn callee(&self) -> &Field<AddressRef> {
        if self.creates() { &self.created_contract } else { &self.to }
    }
}

const COLUMNS: &[Column<InternalTransaction>] = &[
    Column {
        title: "end",
        name: Some("error"),
        paths: &["success", "error"],
        how: as_sent,
        width: width(4, 20, 6),
        align: Align::Left,
        cell: |t, _, room| outcome(t, room),
        full: |t| full(&t.error, ToString::to_string),
        link: no_link,
    },
    common_columns::age(4),
    common_columns::block(10),
    Column {
        title: "parent",
        name: Some("transaction_hash"),
        paths: &["transaction_hash|tx_hash"],
        how: as_sent,
        width: width(11, 66, 9),
        align: Align::Left,
        cell: |t, _, room| hash_cell(&t.transaction_hash, room),
        full: |t| full(&t.transaction_hash, ToString::to_string),
        link: |_, t, _| to_transaction(&t.transaction_hash),
    },
    Column {
        title: "call",
        name: Some("index"),
        paths: &["index", "transaction_index"],
        how: as_sent,
        width: width(4, 6, 8),
        align: Align::Right,
        cell: |t, _, _| number_cell(&t.index),
        full: |t| full(&t.index, ToString::to_string),
        link: no_link,
    },
    Column {
        title: "type",
        name: Some("type"),
        paths: &["type"],
        how: as_sent,
        width: width(8, 12, 1),
        align: Align::Left,
        cell: |t, _, _| text_cell(&t.kind),
        full: |t| full(&t.kind, ToString::to_string),
        link: no_link,
    },
    common_columns::from(5),
    common_columns::direction(3),
    common_columns::to("to_or_created", 2),
    Column {
        title: "value",
        name: Some("value_wei"),
        paths: &["value"],
        how: in_coin,
        width: width(9, 20, 0),
        align: Align::Right,
        cell: |t, cx, room| coin_cell(&t.value, cx, room),
        full: |t| full(&t.value, ToString::to_string),
        link: no_link,
    },
    Column {
        title: "gas limit",
        name: Some("gas_limit"),
        paths: &["gas_limit"],
        how: as_sent,
        width: width(9, 12, 7),
        align: Align::Right,
        cell: |t, _, _| number_cell(&t.gas_limit),
        full: |t| full(&t.gas_limit, ToString::to_string),
        link: no_link,
    },
];

/// Success, or the error's own text.
fn outcome(call: &InternalTransaction, room: usize) -> Cell {
    match (&call.success, call.error.known()) {
        (_, Some(error)) if room >= 8 => Cell::new(format!("✗ {error}"), Role::Failed),
        (_, Some(_)) | (Field::Read(false), None) => Cell::new("fail", Role::Failed),
        (Field::Read(true), None) => Cell::new("ok", Role::Ok),
        (Field::Absent, None) => Cell::new("—", Role::Dim),
        (Field::Unread(_), None) => Cell::new("?", Role::Warning),
    }
}
