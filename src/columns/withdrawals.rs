//! The columns of withdrawals.

use super::cells::{address_field_line, coin_amount};
use super::common::{self, ChainEvent, EventFields};
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnUse, field, number_width};
use super::{CopyValue, ListRow, Row, RowContext};
use crate::action::Action;
use crate::api::Field;
use crate::api::endpoints::block::Withdrawal;
use crate::chain::{Address, U256};
use crate::sanitize::SafeText;

impl ChainEvent for Withdrawal {
    fn event(&self) -> EventFields<'_> {
        EventFields {
            transaction: None,
            timestamp: &self.timestamp,
            block_number: &self.block_number,
            from: &Field::Absent,
            to: &self.receiver,
        }
    }
}

impl ListRow for Withdrawal {
    const LIST_NAME: &'static str = "withdrawals";
    const PLURAL: &'static str = "withdrawals";
    const SINGULAR: &'static str = "withdrawal";
    const NEWEST_FIRST: bool = true;
    const COLUMNS: &'static [Column<Self>] = &[
        Column { title: "index", width: number_width(0), ..field!(number: index) },
        Column { title: "validator", width: number_width(3), ..field!(number: validator_index) },
        common::age(4),
        common::block(5),
        Column {
            json_paths: &["receiver.hash", "receiver.name"],
            usage: ColumnUse::Always,
            ..common::to("receiver", 1)
        },
        Column {
            title: "amount",
            csv_name: Some("amount_wei"),
            width: number_width(2),
            value_name: Some("amount in wei"),
            ..field!(coin: amount)
        },
    ];
}

impl Row for Withdrawal {
    fn id(&self) -> Option<RowId> {
        Some(RowId::Number(U256::from(*self.index.value()?)))
    }

    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        vec![
            ("to", address_field_line(&self.receiver, cx)),
            ("amount", SafeText::new(&coin_amount(&self.amount, cx))),
        ]
    }

    fn copy_values(&self, viewed: Option<Address>) -> Vec<CopyValue> {
        let mut values = self.event().copy_values(viewed);
        values.retain(|value| value.action != Action::CopyHash);
        values.push(CopyValue::new(Action::CopyValue, "amount in wei", self.amount.value()));
        values
    }
}
