//! Columns that every list of what happened on the chain shares: when, where, from whom to whom.

use std::borrow::Cow;

use super::cell_format::{address_cell, cell, full, number_cell, to_address, way, width};
use super::row::{Column, as_sent, no_link};
use crate::api::Field;
use crate::api::address::AddressRef;
use crate::api::token::Token;
use crate::chain::Timestamp;
use crate::ui::number_format::Times;
use crate::ui::table::{Align, Cell};
use crate::ui::theme::Role;

/// Something that happened: in a block, from somebody to somebody.
pub trait Happened: 'static {
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
pub const fn age<T: Happened>(rank: u8) -> Column<T> {
    Column {
        title: "age",
        name: Some("timestamp"),
        paths: &["timestamp"],
        how: |_, cx| match cx.notation.times {
            Times::Age => "time until now, in the largest unit".into(),
            Times::Local => "in the time zone of this machine".into(),
            Times::Utc => "as sent, to the minute".into(),
        },
        width: width(4, 4, rank),
        align: Align::Right,
        cell: |item, cx, room| {
            cell(item.timestamp(), |then| {
                Cell::new(cx.notation.stamp(*then, cx.now, room), Role::Plain)
            })
        },
        full: |item| full(item.timestamp(), ToString::to_string),
        link: no_link,
    }
}

/// The block's number.
pub const fn block<T: Happened>(rank: u8) -> Column<T> {
    Column {
        title: "block",
        name: Some("block_number"),
        paths: &["block_number|block"],
        how: as_sent,
        width: width(6, 10, rank),
        align: Align::Right,
        cell: |item, _, _| number_cell(item.block()),
        full: |item| full(item.block(), ToString::to_string),
        link: no_link,
    }
}

/// From whom.
pub const fn from<T: Happened>(rank: u8) -> Column<T> {
    Column {
        title: "from",
        name: Some("from"),
        paths: &["from.hash", "from.name", "from.ens_domain_name"],
        how: as_sent,
        width: width(11, 50, rank),
        align: Align::Left,
        cell: |item, cx, room| address_cell(item.sender(), cx, room),
        full: |item| full(item.sender(), |a| a.hash.to_string()),
        link: |_, item, _| to_address(item.sender()),
    }
}

/// Which way it goes, seen from the viewed address.
pub const fn direction<T: Happened>(rank: u8) -> Column<T> {
    Column {
        title: "",
        name: None,
        paths: &["from.hash", "to.hash"],
        how: as_sent,
        width: width(4, 4, rank),
        align: Align::Left,
        cell: |item, cx, _| way(cx.viewed, item.sender(), item.receiver()).cell(),
        full: |_| "".into(),
        link: no_link,
    }
}

/// To whom. `name` is what CSV calls it.
pub const fn to<T: Happened>(name: &'static str, rank: u8) -> Column<T> {
    Column {
        title: "to",
        name: Some(name),
        paths: &["to.hash", "to.name", "to.ens_domain_name", "created_contract.hash"],
        how: as_sent,
        width: width(11, 50, rank),
        align: Align::Left,
        cell: |item, cx, room| address_cell(item.receiver(), cx, room),
        full: |item| full(item.receiver(), |a| a.hash.to_string()),
        link: |_, item, _| to_address(item.receiver()),
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
        name: Some(name),
        paths,
        how: as_sent,
        width: width(0, 0, u8::MAX),
        align: Align::Left,
        cell: |_, _, _| Cell::new("", Role::Plain),
        full,
        link: no_link,
    }
}

/// The contract of a row's token, for CSV: symbols can be anybody's.
pub const fn token_contract<T: HasToken>() -> Column<T> {
    csv_only("token_contract", &["token.address_hash|address"], |item| {
        item.of_token().map_or("".into(), |token| full(&token.address, ToString::to_string))
    })
}

/// The decimals of a row's token, for CSV: amounts are undivided there.
pub const fn token_decimals<T: HasToken>() -> Column<T> {
    csv_only("token_decimals", &["token.decimals"], |item| {
        item.of_token().map_or("".into(), |token| full(&token.decimals, ToString::to_string))
    })
}

/// Something that is about a token.
pub trait HasToken: 'static {
    /// The token, where the server knows it.
    fn of_token(&self) -> Option<&Token>;
}
