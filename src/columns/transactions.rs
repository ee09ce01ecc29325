//! The columns and links of an address's transactions.

use super::cells::{
    TransferDirection, address_cell, address_field_line, address_route, coin_amount, coin_cell,
    column_width, counterparty, csv_value, field_cell, hash_cell, text_cell, transfer_direction,
};
use super::common::{self, ChainEvent};
use super::{Column, Row, RowContext, coin_provenance, no_route, unmodified};
use crate::api::address::AddressRef;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{Field, Page, Reply};
use crate::chain::{Address, Timestamp, TxHash};
use crate::msg::Action;
use crate::route::Route;
use crate::safety::address_poisoning::OutgoingTransfer;
use crate::sanitize::SafeText;
use crate::ui::table::{Align, TableCell};
use crate::ui::theme::Role;

impl ChainEvent for Transaction {
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
        self.callee_cell()
    }
}

impl Row for Transaction {
    type Id = TxHash;

    const LIST_NAME: &'static str = "transactions";
    const NEWEST_FIRST: bool = true;

    fn columns() -> &'static [Column<Self>] {
        COLUMNS
    }

    fn page(reply: Reply) -> Option<Page<Self>> {
        match reply {
            Reply::Transactions(page) => Some(page),
            _ => None,
        }
    }

    fn id(&self) -> Option<TxHash> {
        Some(self.hash)
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let value = coin_amount(&self.value, cx);
        let outcome = self.describe_outcome();
        let callee = if self.creates() { "creates" } else { "to" };
        vec![
            ("hash", self.hash.to_string().into()),
            ("from", address_field_line(&self.from)),
            (callee, address_field_line(self.callee_cell())),
            ("value", SafeText::new(&format!("{value} · {outcome}"))),
        ]
    }

    fn copy(
        &self,
        action: Action,
        cx: &RowContext<'_>,
    ) -> Option<(&'static str, Option<SafeText>)> {
        self.copied(action, cx.viewed)
    }

    fn parties(&self) -> Vec<&AddressRef> {
        [&self.from, &self.to, &self.created_contract]
            .into_iter()
            .filter_map(Field::value)
            .collect()
    }

    fn outgoing_transfer(&self, viewed: Address) -> Option<OutgoingTransfer> {
        let to = self.to.value()?.hash;
        let own = transfer_direction(Some(viewed), &self.from, &self.to) == TransferDirection::Out;
        own.then_some(OutgoingTransfer {
            to,
            transaction: self.hash,
            block: self.block_number.value().copied(),
            signed: true,
        })
    }
}

impl Transaction {
    /// What a copy key means for a transaction, seen from `viewed`.
    pub fn copied(
        &self,
        action: Action,
        viewed: Option<Address>,
    ) -> Option<(&'static str, Option<SafeText>)> {
        let text = |s: String| Some(SafeText::from(s));
        Some(match action {
            Action::CopyHash => ("transaction hash", text(self.hash.to_string())),
            Action::CopyAddress => {
                let party = counterparty(viewed, &self.from, self.callee_cell());
                ("address", party.and_then(|a| text(a.hash.to_string())))
            }
            Action::CopyBlock => {
                ("block number", self.block_number.value().and_then(|n| text(n.to_string())))
            }
            Action::CopyMethod => ("method", self.method.value().cloned()),
            Action::CopyValue => {
                ("value in wei", self.value.value().and_then(|v| text(v.to_string())))
            }
            _ => return None,
        })
    }

    fn creates(&self) -> bool {
        self.to.value().is_none() && self.created_contract.value().is_some()
    }

    /// The called address, or what was created.
    fn callee_cell(&self) -> &Field<AddressRef> {
        if self.creates() { &self.created_contract } else { &self.to }
    }
}

const COLUMNS: &[Column<Transaction>] = &[
    Column {
        title: "stat",
        csv_name: Some("status"),
        json_paths: &[
            "status",
            "result",
            "has_error_in_internal_transactions|has_error_in_internal_txs",
        ],
        provenance: unmodified,
        width: column_width(4, 9, 1),
        align: Align::Left,
        cell: |t, _, room| outcome_cell(t.outcome(), room),
        full_value: |t| t.describe_outcome(),
        route: no_route,
    },
    common::age(4),
    common::block(9),
    Column {
        title: "hash",
        csv_name: Some("transaction_hash"),
        json_paths: &["hash"],
        provenance: unmodified,
        width: column_width(11, 66, 8),
        align: Align::Left,
        cell: |t, _, room| hash_cell(&Field::Present(t.hash), room),
        full_value: |t| t.hash.to_string().into(),
        route: |item, _, _| Some(Route::Transaction(item.clone())),
    },
    Column {
        title: "method",
        csv_name: Some("method"),
        json_paths: &["method"],
        provenance: unmodified,
        width: column_width(8, 16, 5),
        align: Align::Left,
        cell: |t, _, _| text_cell(&t.method),
        full_value: |t| csv_value(&t.method, ToString::to_string),
        route: no_route,
    },
    common::from(6),
    common::direction(3),
    Column {
        title: "to",
        csv_name: Some("to_or_created"),
        json_paths: &["to.hash", "to.name", "to.ens_domain_name", "created_contract.hash"],
        provenance: unmodified,
        width: column_width(11, 50, 2),
        align: Align::Left,
        cell: callee_cell,
        full_value: |t| csv_value(t.callee_cell(), |a| a.hash.to_string()),
        route: |_, t, _| address_route(t.callee_cell()),
    },
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
        title: "fee",
        csv_name: Some("fee_wei"),
        json_paths: &["fee.value", "fee.type"],
        provenance: coin_provenance,
        width: column_width(9, 20, 7),
        align: Align::Right,
        cell: |t, cx, room| field_cell(&t.fee, |fee| coin_cell(&fee.value, cx, room)),
        full_value: |t| {
            t.fee.value().map_or("".into(), |fee| csv_value(&fee.value, ToString::to_string))
        },
        route: no_route,
    },
];

fn callee_cell(transaction: &Transaction, cx: &RowContext<'_>, room: usize) -> TableCell {
    if !transaction.creates() {
        return address_cell(&transaction.to, cx, room);
    }
    let created = address_cell(&transaction.created_contract, cx, room.saturating_sub(2));
    TableCell::new(format!("+ {}", created.text), created.role)
}

fn outcome_cell(outcome: TransactionOutcome, room: usize) -> TableCell {
    let (short, long, role) = match outcome {
        TransactionOutcome::Ok => ("ok", "✓ ok", Role::Ok),
        TransactionOutcome::OkInnerFailure => ("ok!", "✓ inner ✗", Role::Warning),
        TransactionOutcome::Failed => ("fail", "✗ failed", Role::Failed),
        TransactionOutcome::Pending => ("pend", "… pending", Role::Dim),
        TransactionOutcome::Unknown => ("?", "?", Role::Warning),
    };
    TableCell::new(if room < 9 { short } else { long }, role)
}
