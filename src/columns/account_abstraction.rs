//! The columns of account abstraction: user operations, bundles, smart accounts and other parties.

use std::sync::Arc;

use super::ListRow;
use super::accounts::address_id;
use super::cells::{csv_value_with, field_cell};
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnUse, field, number_width, text_width};
use super::table::plain_row::PlainRow;
use crate::api::Item;
use crate::api::account_abstraction::{
    AbstractionParty, OperationBundle, SmartAccount, UserOperation,
};
use crate::route::Route;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

impl ListRow for UserOperation {
    const LIST_NAME: &'static str = "user-operations";
    const PLURAL: &'static str = "user operations";
    const SINGULAR: &'static str = "user operation";
    const NEWEST_FIRST: bool = true;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            width: text_width(1, 4, 0),
            cell: |operation, cx, _| {
                field_cell(&operation.status, |succeeded| match (*succeeded, cx.is_in_full()) {
                    (true, false) => TableCell::new("", Role::Ok),
                    (true, true) => TableCell::new("ok", Role::Ok),
                    (false, false) => TableCell::new("✗", Role::Failed),
                    (false, true) => TableCell::new("fail", Role::Failed),
                })
            },
            full_value: |operation| {
                csv_value_with(&operation.status, |succeeded| {
                    let outcome = if *succeeded { "ok" } else { "failed" };
                    outcome.to_owned()
                })
            },
            ..field!(TEXT: status)
        },
        Column {
            title: "operation",
            width: text_width(11, 66, 2),
            route: |_, operation, _| Some(Route::UserOperation(*operation.hash.value()?)),
            ..field!(hash: hash)
        },
        Column {
            title: "age",
            width: number_width(3),
            usage: ColumnUse::EXCEPT_BLOCK,
            ..field!(time: timestamp)
        },
        Column { title: "block", width: number_width(7), ..field!(block: block_number) },
        Column {
            title: "tx",
            width: text_width(11, 66, 6),
            usage: ColumnUse::EXCEPT_TRANSACTION,
            ..field!(transaction: transaction_hash)
        },
        Column {
            title: "sender",
            json_paths: &["address.hash|sender.hash", "address.name", "address.ens_domain_name"],
            width: text_width(11, 80, 1),
            ..field!(address: sender)
        },
        Column {
            title: "entry point",
            width: text_width(11, 80, 9),
            ..field!(address: entry_point)
        },
        Column {
            title: "version",
            width: text_width(4, 8, 8),
            ..field!(text: entry_point_version)
        },
        Column {
            title: "fee",
            csv_name: Some("fee_wei"),
            width: number_width(4),
            value_name: Some("fee in wei"),
            ..field!(coin: fee)
        },
    ];

    fn page(item: &Arc<Item<Self>>) -> Option<Route> {
        Some(Route::UserOperation(*item.parsed.as_ref().ok()?.hash.value()?))
    }
}

impl PlainRow for UserOperation {
    fn row_id(&self) -> Option<RowId> {
        Some(RowId::Hash(*self.hash.value()?))
    }
}

impl ListRow for OperationBundle {
    const LIST_NAME: &'static str = "bundles";
    const PLURAL: &'static str = "bundles";
    const SINGULAR: &'static str = "bundle";
    const NEWEST_FIRST: bool = true;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            title: "tx",
            width: text_width(11, 66, 0),
            value_name: Some("transaction hash"),
            ..field!(transaction: transaction_hash)
        },
        Column { title: "bundle", width: number_width(5), ..field!(number: bundle_index) },
        Column { title: "age", width: number_width(3), ..field!(time: timestamp) },
        Column { title: "block", width: number_width(4), ..field!(block: block_number) },
        Column { title: "bundler", width: text_width(11, 80, 1), ..field!(address: bundler) },
        Column { title: "operations", width: number_width(2), ..field!(count: total_ops) },
    ];
}

impl PlainRow for OperationBundle {
    fn row_id(&self) -> Option<RowId> {
        Some(RowId::Event(*self.transaction_hash.value()?, *self.bundle_index.value()?))
    }
}

impl ListRow for SmartAccount {
    const LIST_NAME: &'static str = "smart-accounts";
    const PLURAL: &'static str = "smart accounts";
    const SINGULAR: &'static str = "smart account";
    const NEWEST_FIRST: bool = false;
    const COLUMNS: &'static [Column<Self>] = &[
        Column { title: "account", width: text_width(11, 80, 0), ..field!(address: address) },
        Column { title: "operations", width: number_width(1), ..field!(count: total_ops) },
        Column { title: "age", width: number_width(2), ..field!(time: creation_timestamp) },
        Column {
            title: "created in",
            width: text_width(11, 66, 4),
            value_name: Some("transaction hash"),
            ..field!(transaction: creation_transaction_hash)
        },
        Column { title: "factory", width: text_width(11, 80, 3), ..field!(address: factory) },
    ];
}

impl PlainRow for SmartAccount {
    fn row_id(&self) -> Option<RowId> {
        address_id(&self.address)
    }
}

impl ListRow for AbstractionParty {
    const LIST_NAME: &'static str = "account-abstraction";
    const PLURAL: &'static str = "addresses";
    const SINGULAR: &'static str = "address";
    const NEWEST_FIRST: bool = false;
    const DETAIL_LINES: u16 = 4;
    const COLUMNS: &'static [Column<Self>] = &[
        Column { title: "address", width: text_width(11, 80, 0), ..field!(address: address) },
        Column { title: "accounts", width: number_width(1), ..field!(count: total_accounts) },
        Column { title: "bundles", width: number_width(2), ..field!(count: total_bundles) },
        Column { title: "operations", width: number_width(3), ..field!(count: total_ops) },
    ];
}

impl PlainRow for AbstractionParty {
    fn row_id(&self) -> Option<RowId> {
        address_id(&self.address)
    }
}
