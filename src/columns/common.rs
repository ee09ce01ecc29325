//! Columns that every list of what happened on the chain shares: when, where, from whom to whom.

use std::borrow::Cow;

use super::cells::{
    address_cell, address_route, column_width, csv_value, field_cell, number_cell,
    transfer_direction,
};
use super::{Column, no_route, unmodified};
use crate::api::Field;
use crate::api::address::AddressRef;
use crate::api::token::Token;
use crate::chain::Timestamp;
use crate::ui::number_format::TimeFormat;
use crate::ui::table::{Align, TableCell};
use crate::ui::theme::Role;

/// Something that happened: in a block, from somebody to somebody.
pub trait ChainEvent: 'static {
    /// When its block was made.
    fn timestamp(&self) -> &Field<Timestamp>;

    /// Its block.
    fn block(&self) -> &Field<u64>;

    /// Who did it.
    fn sender(&self) -> &Field<AddressRef>;

    /// Whom it was done to: the called, the created, or the receiver.
    fn receiver(&self) -> &Field<AddressRef>;
}

/// How long ago, or when.
pub const fn age<T: ChainEvent>(rank: u8) -> Column<T> {
    Column {
        title: "age",
        csv_name: Some("timestamp"),
        json_paths: &["timestamp"],
        provenance: |_, cx| match cx.format.time_format {
            TimeFormat::Age => "time until now, in the largest unit".into(),
            TimeFormat::Local => "in the time zone of this machine".into(),
            TimeFormat::Utc => "as sent, to the minute".into(),
        },
        width: column_width(4, 4, rank),
        align: Align::Right,
        cell: |item, cx, room| {
            field_cell(item.timestamp(), |then| {
                TableCell::new(cx.format.short_time(*then, cx.now, room), Role::Plain)
            })
        },
        full_value: |item| csv_value(item.timestamp(), ToString::to_string),
        route: no_route,
    }
}

/// The block's number.
pub const fn block<T: ChainEvent>(rank: u8) -> Column<T> {
    Column {
        title: "block",
        csv_name: Some("block_number"),
        json_paths: &["block_number|block"],
        provenance: unmodified,
        width: column_width(6, 10, rank),
        align: Align::Right,
        cell: |item, _, _| number_cell(item.block()),
        full_value: |item| csv_value(item.block(), ToString::to_string),
        route: no_route,
    }
}

/// From whom.
pub const fn from<T: ChainEvent>(rank: u8) -> Column<T> {
    Column {
        title: "from",
        csv_name: Some("from"),
        json_paths: &["from.hash", "from.name", "from.ens_domain_name"],
        provenance: unmodified,
        width: column_width(11, 50, rank),
        align: Align::Left,
        cell: |item, cx, room| address_cell(item.sender(), cx, room),
        full_value: |item| csv_value(item.sender(), |a| a.hash.to_string()),
        route: |_, item, _| address_route(item.sender()),
    }
}

/// Which way it goes, seen from the viewed address.
pub const fn direction<T: ChainEvent>(rank: u8) -> Column<T> {
    Column {
        title: "",
        csv_name: None,
        json_paths: &["from.hash", "to.hash"],
        provenance: unmodified,
        width: column_width(4, 4, rank),
        align: Align::Left,
        cell: |item, cx, _| {
            transfer_direction(cx.viewed, item.sender(), item.receiver()).field_cell()
        },
        full_value: |_| "".into(),
        route: no_route,
    }
}

/// To whom. `csv_name` is what CSV calls it.
pub const fn to<T: ChainEvent>(name: &'static str, rank: u8) -> Column<T> {
    Column {
        title: "to",
        csv_name: Some(name),
        json_paths: &["to.hash", "to.name", "to.ens_domain_name", "created_contract.hash"],
        provenance: unmodified,
        width: column_width(11, 50, rank),
        align: Align::Left,
        cell: |item, cx, room| address_cell(item.receiver(), cx, room),
        full_value: |item| csv_value(item.receiver(), |a| a.hash.to_string()),
        route: |_, item, _| address_route(item.receiver()),
    }
}

/// A column that is only in CSV.
pub const fn csv_only<T: 'static>(
    name: &'static str,
    paths: &'static [&'static str],
    full: fn(&T) -> Cow<'_, str>,
) -> Column<T> {
    Column {
        title: "",
        csv_name: Some(name),
        json_paths: paths,
        provenance: unmodified,
        width: column_width(0, 0, u8::MAX),
        align: Align::Left,
        cell: |_, _, _| TableCell::new("", Role::Plain),
        full_value: full,
        route: no_route,
    }
}

/// The contract of a row's token, for CSV: symbols can be anybody's.
pub const fn token_contract<T: HasToken>() -> Column<T> {
    csv_only("token_contract", &["token.address_hash|address"], |item| {
        item.token_info().map_or("".into(), |token| csv_value(&token.address, ToString::to_string))
    })
}

/// The decimals of a row's token, for CSV: amounts are undivided there.
pub const fn token_decimals<T: HasToken>() -> Column<T> {
    csv_only("token_decimals", &["token.decimals"], |item| {
        item.token_info().map_or("".into(), |token| csv_value(&token.decimals, ToString::to_string))
    })
}

/// Something that is about a token.
pub trait HasToken: 'static {
    /// The token, where the server knows it.
    fn token_info(&self) -> Option<&Token>;
}
