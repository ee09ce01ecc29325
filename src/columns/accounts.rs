//! The columns of accounts and contracts in lists of the whole chain.

use super::cells::{
    count_cell, csv_value, csv_value_with, field_cell, known_address_cell, text_cell,
};
use super::common::rate_cell;
use super::table::any_row::RowId;
use super::table::column::{Column, ColumnKind, field, number_width, text_width};
use super::table::plain_row::PlainRow;
use super::{ListRow, RowPreview};
use crate::api::Field;
use crate::api::accounts::{HotContract, RankedAccount, VerifiedContract};
use crate::api::address::{AddressRef, ProxyImplementation};
use crate::api::contract::{licence_name, usual_spelling};
use crate::api::endpoints::address::AddressInfo;
use crate::chain::target::TargetKind;
use crate::route::Route;
use crate::ui::format::cut;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

impl ListRow for RankedAccount {
    const LIST_NAME: &'static str = "accounts";
    const PLURAL: &'static str = "accounts";
    const SINGULAR: &'static str = "account";
    const NEWEST_FIRST: bool = false;
    const RANKED_BY: Option<&'static str> = Some("balance");
    const DETAIL_LINES: u16 = 2;
    const PREVIEW: RowPreview = RowPreview::Accounts;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            title: "address",
            csv_name: Some("address"),
            json_paths: &["hash", "name", "ens_domain_name"],
            kind: ColumnKind::Address,
            width: text_width(11, 80, 0),
            cell: |account, cx, width| known_address_cell(&account.address, cx, width),
            full_value: |account| account.address.hash.to_string().into(),
            route: |_, account, _| Some(Route::Target(TargetKind::Address(account.address.hash))),
            ..Column::TEXT
        },
        Column {
            title: "balance",
            csv_name: Some("balance_wei"),
            width: number_width(1),
            value_name: Some("balance in wei"),
            ..field!(coin: coin_balance)
        },
        Column {
            title: "tx",
            width: number_width(2),
            cell: |account, _, _| match &account.transactions_count {
                // Servers count later.
                Field::Invalid(_) => TableCell::new("?", Role::Dim),
                count => count_cell(count),
            },
            ..field!(NUMBER: transactions_count)
        },
    ];
}

impl ListRow for AddressInfo {
    const LIST_NAME: &'static str = "addresses";
    const PLURAL: &'static str = "addresses";
    const SINGULAR: &'static str = "address";
    const NEWEST_FIRST: bool = false;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            title: "address",
            csv_name: Some("address"),
            json_paths: &["hash", "name", "ens_domain_name"],
            kind: ColumnKind::Address,
            width: text_width(11, 80, 0),
            cell: |info, cx, width| known_address_cell(&info.address, cx, width),
            full_value: |info| info.address.hash.to_string().into(),
            ..Column::TEXT
        },
        Column {
            title: "balance",
            csv_name: Some("balance_wei"),
            width: number_width(1),
            ..field!(coin: coin_balance)
        },
        Column {
            title: "contract",
            csv_name: Some("is_contract"),
            json_paths: &["is_contract"],
            width: text_width(3, 8, 2),
            cell: |info, _, _| yes_or_no(&info.address.is_contract),
            full_value: |info| csv_value(&info.address.is_contract),
            ..Column::TEXT
        },
        Column {
            title: "verified",
            csv_name: Some("is_verified"),
            json_paths: &["is_verified"],
            width: text_width(3, 8, 3),
            cell: |info, _, _| yes_or_no(&info.address.is_verified),
            full_value: |info| csv_value(&info.address.is_verified),
            ..Column::TEXT
        },
        Column {
            title: "proxy",
            csv_name: Some("proxy_type"),
            json_paths: &["proxy_type"],
            width: text_width(5, 20, 6),
            cell: |info, _, _| text_cell(&info.address.proxy_type),
            full_value: |info| csv_value(&info.address.proxy_type),
            ..Column::TEXT
        },
        Column {
            title: "implementations",
            csv_name: Some("implementations"),
            json_paths: &["implementations"],
            width: text_width(11, 200, 7),
            cell: |info, _, width| {
                field_cell(&info.address.implementations, |all| {
                    TableCell::new(cut(&addresses(all), width).into_owned(), Role::Plain)
                })
            },
            full_value: |info| csv_value_with(&info.address.implementations, |all| addresses(all)),
            ..Column::TEXT
        },
        Column {
            title: "creator",
            csv_name: Some("creator"),
            json_paths: &["creator_address_hash"],
            kind: ColumnKind::Address,
            width: text_width(11, 80, 4),
            cell: |info, cx, width| {
                field_cell(&info.creator, |creator| {
                    known_address_cell(&AddressRef::unnamed(*creator), cx, width)
                })
            },
            full_value: |info| csv_value(&info.creator),
            ..Column::TEXT
        },
        Column {
            title: "creation tx",
            csv_name: Some("creation_transaction_hash"),
            width: text_width(11, 66, 5),
            ..field!(hash: creation_transaction)
        },
    ];
}

impl PlainRow for AddressInfo {
    fn row_id(&self) -> Option<RowId> {
        Some(RowId::Holding(self.address.hash, None))
    }
}

fn yes_or_no(field: &Field<bool>) -> TableCell {
    field_cell(field, |is| TableCell::new(if *is { "yes" } else { "no" }, Role::Plain))
}

/// Returns the addresses of implementations, as far as they are known.
fn addresses(implementations: &[ProxyImplementation]) -> String {
    let known = implementations.iter().filter_map(|behind| behind.address.value());
    known.map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

impl PlainRow for RankedAccount {
    fn row_id(&self) -> Option<RowId> {
        Some(RowId::Holding(self.address.hash, None))
    }
}

/// Returns the identity of a row that is about an address.
pub fn address_id(address: &Field<AddressRef>) -> Option<RowId> {
    Some(RowId::Holding(address.value()?.hash, None))
}

impl ListRow for VerifiedContract {
    const LIST_NAME: &'static str = "verified-contracts";
    const PLURAL: &'static str = "verified contracts";
    const SINGULAR: &'static str = "verified contract";
    const NEWEST_FIRST: bool = true;
    const RANKED_BY: Option<&'static str> = Some("age");
    const DETAIL_LINES: u16 = 2;
    const PREVIEW: RowPreview = RowPreview::Accounts;
    const COLUMNS: &'static [Column<Self>] = &[
        Column { title: "contract", width: text_width(11, 80, 0), ..field!(address: address) },
        Column { title: "age", width: number_width(1), ..field!(time: verified_at) },
        Column {
            title: "language",
            width: text_width(5, 14, 7),
            cell: |row, _, _| {
                field_cell(&row.language, |language| {
                    TableCell::new(usual_spelling(language).to_string(), Role::Plain)
                })
            },
            ..field!(text: language)
        },
        Column { title: "compiler", width: text_width(8, 32, 2), ..field!(text: compiler_version) },
        Column {
            title: "optimized",
            width: text_width(3, 3, 6),
            cell: |row, _, _| yes_or_no(&row.optimization_enabled),
            ..field!(TEXT: optimization_enabled)
        },
        Column {
            title: "licence",
            width: text_width(3, 12, 3),
            cell: |row, _, _| {
                field_cell(&row.license_type, |licence| {
                    TableCell::new(licence_name(licence).to_owned(), Role::Plain)
                })
            },
            ..field!(text: license_type)
        },
        Column {
            title: "balance",
            csv_name: Some("balance_wei"),
            width: number_width(4),
            value_name: Some("balance in wei"),
            ..field!(coin: coin_balance)
        },
        Column { title: "tx", width: number_width(5), ..field!(count: transactions_count) },
        Column {
            title: "market cap $",
            width: number_width(8),
            cell: |row, cx, _| field_cell(&row.market_cap, |cap| rate_cell(cap, cx)),
            ..field!(AMOUNT: market_cap)
        },
    ];
}

impl PlainRow for VerifiedContract {
    fn row_id(&self) -> Option<RowId> {
        address_id(&self.address)
    }
}

impl ListRow for HotContract {
    const LIST_NAME: &'static str = "hot-contracts";
    const PLURAL: &'static str = "contracts";
    const SINGULAR: &'static str = "contract";
    const NEWEST_FIRST: bool = false;
    const DETAIL_LINES: u16 = 2;
    const RANKED_BY: Option<&'static str> = Some("tx");
    const PREVIEW: RowPreview = RowPreview::Accounts;
    const COLUMNS: &'static [Column<Self>] = &[
        Column {
            title: "contract",
            width: text_width(11, 80, 0),
            ..field!(address: contract_address)
        },
        Column { title: "tx", width: number_width(1), ..field!(count: transactions_count) },
        Column { title: "gas used", width: number_width(2), ..field!(count: total_gas_used) },
        Column {
            title: "balance",
            csv_name: Some("balance_wei"),
            width: number_width(3),
            value_name: Some("balance in wei"),
            ..field!(coin: balance)
        },
    ];
}

impl PlainRow for HotContract {
    fn row_id(&self) -> Option<RowId> {
        address_id(&self.contract_address)
    }
}
