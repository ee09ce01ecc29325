//! The columns of transactions.

use super::cells::{
    TransferDirection, address_cell, address_field_line, coin_amount, coin_cell, column_width,
    csv_value, field_cell, hash_cell, text_cell, transfer_direction,
};
use super::column::Column;
use super::common::{self, ChainEvent, EventFields};
use super::{CopyValue, Row, RowContext};
use crate::action::Action;
use crate::api::address::AddressRef;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{Field, Page, Reply};
use crate::chain::{Address, TxHash};
use crate::route::Route;
use crate::safety::address_poisoning::OutgoingTransfer;
use crate::sanitize::SafeText;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

impl ChainEvent for Transaction {
    fn event(&self) -> EventFields<'_> {
        EventFields {
            transaction: Some(&self.hash),
            timestamp: &self.timestamp,
            block_number: &self.block_number,
            from: &self.from,
            to: self.callee(),
        }
    }
}

impl Row for Transaction {
    type Id = TxHash;

    const LIST_NAME: &'static str = "transactions";
    const PLURAL: &'static str = "transactions";
    const NEWEST_FIRST: bool = true;
    const PAGE: fn(Reply) -> Option<Page<Self>> = Reply::try_as_transactions;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            title: "stat",
            csv_name: Some("status"),
            json_paths: &[
                "status",
                "result",
                "has_error_in_internal_transactions|has_error_in_internal_txs",
            ],
            width: column_width(4, 9, 1),
            cell: |t, _, width| outcome_cell(t.outcome(), width),
            full_value: Self::describe_outcome,
            ..Column::TEXT
        },
        common::age(4),
        common::block(9),
        Column {
            title: "tx",
            csv_name: Some("transaction_hash"),
            json_paths: &["hash"],
            width: column_width(11, 66, 8),
            cell: |t, _, width| hash_cell(&Field::Present(t.hash), width),
            full_value: |t| t.hash.to_string().into(),
            route: |item, _, _| Some(Route::Transaction(item.clone())),
            ..Column::TEXT
        },
        Column {
            title: "method",
            csv_name: Some("method"),
            json_paths: &["method"],
            width: column_width(8, 16, 5),
            cell: |t, _, _| text_cell(t.known_method()),
            full_value: |t| csv_value(t.known_method()),
            ..Column::TEXT
        },
        common::from(6),
        common::direction(3),
        Column { cell: callee_cell, ..common::to("to_or_created", 2) },
        Column {
            title: "value",
            csv_name: Some("value_wei"),
            json_paths: &["value"],
            width: column_width(9, 20, 0),
            cell: |t, cx, width| coin_cell(&t.value, cx, width),
            full_value: |t| csv_value(&t.value),
            value_name: Some("value in wei"),
            ..Column::COIN
        },
        Column {
            title: "fee",
            csv_name: Some("fee_wei"),
            json_paths: &["fee.value", "fee.type"],
            width: column_width(9, 20, 7),
            cell: |t, cx, width| field_cell(&t.fee, |fee| coin_cell(&fee.value, cx, width)),
            full_value: |t| t.fee.value().map_or("".into(), |fee| csv_value(&fee.value)),
            value_name: Some("fee in wei"),
            ..Column::COIN
        },
    ];

    fn id(&self) -> Option<TxHash> {
        Some(self.hash)
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let value = coin_amount(&self.value, cx);
        let outcome = self.describe_outcome();
        let callee = if self.creates() { "creates" } else { "to" };
        vec![
            ("tx", self.hash.to_string().into()),
            ("from", address_field_line(&self.from)),
            (callee, address_field_line(self.callee())),
            ("value", SafeText::new(&format!("{value} · {outcome}"))),
        ]
    }

    fn copy_values(&self, viewed: Option<Address>) -> Vec<CopyValue> {
        let mut values = self.event().copy_values(viewed);
        values.push(CopyValue::new(Action::CopyMethod, "method", self.method.value()));
        values.push(CopyValue::new(Action::CopyValue, "value in wei", self.value.value()));
        values
    }

    fn parties(&self) -> Vec<&AddressRef> {
        let parties = [&self.from, &self.to, self.created()];
        parties.into_iter().filter_map(Field::value).collect()
    }

    fn outgoing_transfer(&self, viewed: Address) -> Option<OutgoingTransfer> {
        let to = self.to.value()?.hash;
        let is_outgoing =
            transfer_direction(Some(viewed), &self.from, &self.to) == TransferDirection::Out;
        is_outgoing.then_some(OutgoingTransfer {
            to,
            transaction: self.hash,
            block: self.block_number.value().copied(),
            signed: true,
        })
    }
}

impl Transaction {
    fn creates(&self) -> bool {
        self.to.value().is_none() && self.created_contract.value().is_some()
    }

    /// Returns the called address, or the created contract.
    fn callee(&self) -> &Field<AddressRef> {
        if self.creates() { self.created() } else { &self.to }
    }
}

fn callee_cell(transaction: &Transaction, cx: &RowContext<'_>, width: usize) -> TableCell {
    if !transaction.creates() {
        return address_cell(&transaction.to, cx, width);
    }
    let created = address_cell(transaction.created(), cx, width.saturating_sub(2));
    TableCell::new(format!("+ {}", created.text), created.role)
}

fn outcome_cell(outcome: TransactionOutcome, width: usize) -> TableCell {
    let (short, long, role) = match outcome {
        TransactionOutcome::Ok => ("ok", "✓ ok", Role::Ok),
        TransactionOutcome::OkInnerFailure => ("ok!", "✓ inner ✗", Role::Warning),
        TransactionOutcome::Failed => ("fail", "✗ failed", Role::Failed),
        TransactionOutcome::Pending => ("pend", "… pending", Role::Dim),
        TransactionOutcome::Unknown => ("?", "?", Role::Warning),
    };
    TableCell::new(if width < 9 { short } else { long }, role)
}
