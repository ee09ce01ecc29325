//! The columns of Optimism's batches, deposits, withdrawals, dispute games and output roots.

use std::sync::Arc;

use super::ListRow;
use super::table::any_row::RowId;
use super::table::column::{Column, field, number_width, text_width};
use super::table::plain_row::PlainRow;
use crate::api::optimism::{
    DisputeGame, OptimismBatch, OptimismDeposit, OptimismWithdrawal, OutputRoot,
};
use crate::api::{Field, Item};
use crate::chain::U256;
use crate::route::Route;

/// Returns the identity of a row with this number.
fn number_id(number: &Field<u64>) -> Option<RowId> {
    Some(RowId::Number(U256::from(*number.value()?)))
}

impl ListRow for OptimismBatch {
    const LIST_NAME: &'static str = "optimism-batches";
    const PLURAL: &'static str = "batches";
    const SINGULAR: &'static str = "batch";
    const NEWEST_FIRST: bool = true;
    const DETAIL_LINES: u16 = 3;
    const COLUMNS: &'static [Column<Self>] = &[
        Column { title: "batch", width: number_width(0), ..field!(number: number) },
        Column { title: "age", width: number_width(1), ..field!(time: l1_timestamp) },
        Column { title: "first block", width: number_width(3), ..field!(block: first_block) },
        Column { title: "last block", width: number_width(4), ..field!(block: last_block) },
        Column { title: "tx", width: number_width(2), ..field!(count: transactions_count) },
        Column { title: "container", width: text_width(8, 16, 5), ..field!(text: container) },
    ];

    fn page(item: &Arc<Item<Self>>) -> Option<Route> {
        Some(Route::Batch(*item.parsed.as_ref().ok()?.number.value()?))
    }
}

impl PlainRow for OptimismBatch {
    fn row_id(&self) -> Option<RowId> {
        number_id(&self.number)
    }
}

impl ListRow for OptimismDeposit {
    const LIST_NAME: &'static str = "optimism-deposits";
    const PLURAL: &'static str = "deposits";
    const SINGULAR: &'static str = "deposit";
    const NEWEST_FIRST: bool = true;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            title: "tx",
            width: text_width(11, 66, 0),
            value_name: Some("transaction hash"),
            ..field!(transaction: l2_transaction_hash)
        },
        Column { title: "age", width: number_width(1), ..field!(time: l1_block_timestamp) },
        Column { title: "L1 block", width: number_width(3), ..field!(number: l1_block_number) },
        Column {
            title: "L1 tx",
            width: text_width(11, 66, 4),
            ..field!(hash: l1_transaction_hash)
        },
        Column { title: "L1 sender", width: number_width(2), ..field!(text: l1_origin) },
        Column { title: "gas limit", width: number_width(5), ..field!(count: l2_gas_limit) },
    ];
}

impl PlainRow for OptimismDeposit {
    fn row_id(&self) -> Option<RowId> {
        Some(RowId::Hash(*self.l2_transaction_hash.value()?))
    }
}

impl ListRow for OptimismWithdrawal {
    const LIST_NAME: &'static str = "optimism-withdrawals";
    const PLURAL: &'static str = "withdrawals";
    const SINGULAR: &'static str = "withdrawal";
    const NEWEST_FIRST: bool = true;
    const COLUMNS: &'static [Column<Self>] = &[
        Column { title: "nonce", width: number_width(4), ..field!(number: nonce) },
        Column {
            title: "tx",
            width: text_width(11, 66, 0),
            value_name: Some("transaction hash"),
            ..field!(transaction: l2_transaction_hash)
        },
        Column { title: "age", width: number_width(2), ..field!(time: l2_timestamp) },
        Column { title: "from", width: text_width(11, 80, 1), ..field!(address: from) },
        Column { title: "status", width: text_width(10, 40, 3), ..field!(text: status) },
        Column {
            title: "claim from",
            width: number_width(6),
            ..field!(time: challenge_period_end)
        },
        Column {
            title: "L1 tx",
            width: text_width(11, 66, 5),
            ..field!(hash: l1_transaction_hash)
        },
    ];
}

impl PlainRow for OptimismWithdrawal {
    fn row_id(&self) -> Option<RowId> {
        number_id(&self.nonce)
    }
}

impl ListRow for DisputeGame {
    const LIST_NAME: &'static str = "dispute-games";
    const PLURAL: &'static str = "dispute games";
    const SINGULAR: &'static str = "dispute game";
    const NEWEST_FIRST: bool = true;
    const DETAIL_LINES: u16 = 3;
    const COLUMNS: &'static [Column<Self>] = &[
        Column { title: "game", width: number_width(0), ..field!(number: index) },
        Column { title: "age", width: number_width(1), ..field!(time: created_at) },
        Column { title: "type", width: number_width(5), ..field!(number: game_type) },
        Column { title: "L1 contract", width: number_width(4), ..field!(text: contract) },
        Column { title: "block", width: number_width(3), ..field!(block: l2_block_number) },
        Column { title: "status", width: text_width(10, 20, 2), ..field!(text: status) },
        Column { title: "resolved", width: number_width(6), ..field!(time: resolved_at) },
    ];
}

impl PlainRow for DisputeGame {
    fn row_id(&self) -> Option<RowId> {
        number_id(&self.index)
    }
}

impl ListRow for OutputRoot {
    const LIST_NAME: &'static str = "output-roots";
    const PLURAL: &'static str = "output roots";
    const SINGULAR: &'static str = "output root";
    const NEWEST_FIRST: bool = true;
    const DETAIL_LINES: u16 = 5;
    const COLUMNS: &'static [Column<Self>] = &[
        Column { title: "output", width: number_width(0), ..field!(number: index) },
        Column { title: "age", width: number_width(1), ..field!(time: l1_timestamp) },
        Column { title: "block", width: number_width(2), ..field!(block: l2_block_number) },
        Column { title: "root", width: text_width(11, 66, 3), ..field!(hash: output_root) },
        Column { title: "L1 block", width: number_width(5), ..field!(number: l1_block_number) },
        Column {
            title: "L1 tx",
            width: text_width(11, 66, 4),
            ..field!(hash: l1_transaction_hash)
        },
    ];
}

impl PlainRow for OutputRoot {
    fn row_id(&self) -> Option<RowId> {
        number_id(&self.index)
    }
}
