//! The columns of deposits to the beacon chain.

use super::ListRow;
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnUse, field, number_width, text_width};
use super::table::plain_row::PlainRow;
use crate::api::beacon_deposits::BeaconDeposit;
use crate::chain::U256;

impl ListRow for BeaconDeposit {
    const LIST_NAME: &'static str = "beacon-deposits";
    const PLURAL: &'static str = "beacon deposits";
    const SINGULAR: &'static str = "beacon deposit";
    const NEWEST_FIRST: bool = true;
    const DETAIL_LINES: u16 = 6;
    const COLUMNS: &'static [Column<Self>] = &[
        Column { title: "index", width: number_width(0), ..field!(number: index) },
        Column {
            title: "age",
            csv_name: Some("timestamp"),
            width: number_width(4),
            usage: ColumnUse::EXCEPT_BLOCK,
            ..field!(time: block_timestamp)
        },
        Column {
            title: "block",
            width: number_width(6),
            usage: ColumnUse::EXCEPT_BLOCK,
            ..field!(block: block_number)
        },
        Column {
            title: "tx",
            width: text_width(11, 66, 7),
            usage: ColumnUse::EXCEPT_TRANSACTION,
            value_name: Some("transaction hash"),
            ..field!(transaction: transaction_hash)
        },
        Column {
            title: "from",
            csv_name: Some("from"),
            width: text_width(11, 80, 3),
            ..field!(address: from_address)
        },
        Column { title: "validator", width: text_width(12, 98, 2), ..field!(text: pubkey) },
        Column {
            title: "withdraws to",
            width: text_width(11, 80, 8),
            ..field!(address: withdrawal_address)
        },
        field!(TEXT: withdrawal_credentials),
        Column {
            title: "amount",
            csv_name: Some("amount_wei"),
            width: number_width(1),
            value_name: Some("amount in wei"),
            ..field!(coin: amount)
        },
        Column { title: "status", width: text_width(7, 12, 5), ..field!(text: status) },
    ];
}

impl PlainRow for BeaconDeposit {
    fn row_id(&self) -> Option<RowId> {
        Some(RowId::Number(U256::from(*self.index.value()?)))
    }
}
