//! Columns that several lists share.

use super::cells::token_amount::{decimals_provenance, token_amount_cell, token_decimals};
use super::cells::{
    TransferDirection, address_cell, address_route, block_cell, block_route, count_cell,
    counterparty, counterparty_cell, csv_value, csv_value_with, field_cell, given_symbol,
    hash_cell, known_address_cell, name_or_address_cell, symbol_cell, time_cell, transaction_route,
    transfer_direction, unmarked_contract_cell,
};
use super::table::column::{
    Column, ColumnKind, ColumnUse, FULL_CELL_WIDTH, RouteFn, WidthRange, number_width, text_width,
};
use super::{CopyValue, Row, RowContext};
use crate::action::Action;
use crate::api::Field;
use crate::api::address::AddressRef;
use crate::api::token::Token;
use crate::chain::decimal::Decimal;
use crate::chain::target::TargetKind;
use crate::chain::{Address, Timestamp, TxHash, U256};
use crate::messages::token::TokenNote;
use crate::route::Route;
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;
use crate::ui::format::cut;
use crate::ui::table::{LEAD_WIDTH, TableCell};
use crate::ui::theme::Role;

/// A row about an event in a block.
pub trait ChainEvent: Row {
    fn event(&self) -> EventFields<'_>;

    /// Returns the hash of the row's transaction, if it is not one itself.
    fn transaction_hash(&self) -> &Field<TxHash> {
        &Field::Absent
    }
}

/// Implements [`ChainEvent`] for rows with the usual names of fields, and with these parties.
macro_rules! chain_event {
    ($row:ty, |$this:ident| $from:expr => $to:expr) => {
        impl $crate::columns::common::ChainEvent for $row {
            fn event(&self) -> $crate::columns::common::EventFields<'_> {
                let $this = self;
                $crate::columns::common::EventFields {
                    transaction: $this.transaction_hash.value(),
                    timestamp: &$this.timestamp,
                    block_number: &$this.block_number,
                    from: $from,
                    to: $to,
                }
            }

            fn transaction_hash(&self) -> &$crate::api::Field<$crate::chain::TxHash> {
                &self.transaction_hash
            }
        }
    };
}
pub(super) use chain_event;

#[derive(Debug, Clone, Copy)]
pub struct EventFields<'a> {
    pub transaction: Option<&'a TxHash>,
    pub timestamp: &'a Field<Timestamp>,
    pub block_number: &'a Field<u64>,
    pub from: &'a Field<AddressRef>,
    /// The receiver, or the called or created contract.
    pub to: &'a Field<AddressRef>,
}

impl EventFields<'_> {
    /// Describes the block and the time, as far as they are known.
    pub fn place(&self, cx: &RowContext<'_>) -> impl Iterator<Item = String> {
        let block = self.block_number.value().map(|number| format!("block {number}"));
        let time = self.timestamp.value().map(|time| cx.format.date_time(*time));
        block.into_iter().chain(time)
    }

    pub fn copy_values(&self, viewed: Option<Address>) -> Vec<CopyValue> {
        let party = counterparty(viewed, self.from, self.to);
        let is_contract = party.is_some_and(|party| party.is_contract == Field::Present(true));
        let label = match transfer_direction(viewed, self.from, self.to) {
            TransferDirection::In => "sender's address",
            // A called token is not the recipient of what it moves.
            _ if is_contract => "contract's address",
            _ => "recipient's address",
        };
        let party = party.map(|party| party.hash);
        vec![
            CopyValue::new(Action::CopyHash, "transaction hash", self.transaction),
            CopyValue::new(Action::CopyAddress, label, party),
            CopyValue::new(Action::CopyBlock, "block number", self.block_number.value()),
        ]
    }
}

pub const fn age<T: ChainEvent>(rank: u8) -> Column<T> {
    Column {
        title: "age",
        csv_name: Some("timestamp"),
        is_sorted_by_value: true,
        other_fields: Some(&[]),
        json_paths: &["timestamp"],
        width: number_width(rank),
        usage: ColumnUse::EXCEPT_BLOCK,
        cell: |row, cx, width| time_cell(row.event().timestamp, cx, width),
        full_value: |row| csv_value(row.event().timestamp),
        ..Column::TIME
    }
}

pub const fn block<T: ChainEvent>(rank: u8) -> Column<T> {
    Column {
        title: "block",
        csv_name: Some("block_number"),
        is_sorted_by_value: true,
        other_fields: Some(&[]),
        json_paths: &["block_number|block"],
        kind: ColumnKind::Block,
        width: number_width(rank),
        usage: ColumnUse::EXCEPT_BLOCK,
        cell: |row, _, _| block_cell(row.event().block_number),
        full_value: |row| csv_value(row.event().block_number),
        route: |_, row, _| block_route(row.event().block_number),
        ..Column::NUMBER
    }
}

pub const fn transaction<T: ChainEvent>(rank: u8) -> Column<T> {
    Column {
        title: "tx",
        csv_name: Some("transaction_hash"),
        other_fields: Some(&[]),
        json_paths: &["transaction_hash|tx_hash"],
        kind: ColumnKind::Hash,
        width: text_width(11, 66, rank),
        usage: ColumnUse::EXCEPT_TRANSACTION,
        cell: |row, _, width| hash_cell(row.transaction_hash(), width),
        full_value: |row| csv_value(row.transaction_hash()),
        route: |_, row, _| transaction_route(row.transaction_hash()),
        ..Column::TEXT
    }
}

pub const fn from<T: ChainEvent>(rank: u8) -> Column<T> {
    Column {
        title: "from",
        csv_name: Some("from"),
        other_fields: Some(&[]),
        json_paths: &["from.hash", "from.name", "from.ens_domain_name"],
        kind: ColumnKind::Address,
        width: text_width(11, 80, rank),
        usage: ColumnUse::OfChain,
        cell: |row, cx, width| match row.event().from.value() {
            // The page of a transaction has few addresses.
            Some(from) if cx.transaction.is_some() => name_or_address_cell(from, cx, width),
            _ => address_cell(row.event().from, cx, width),
        },
        full_value: |row| csv_value_with(row.event().from, |a| a.hash.to_string()),
        value_name: Some("sender"),
        route: |_, row, _| address_route(row.event().from),
        ..Column::TEXT
    }
}

/// The direction of the row, in searches only: the counterparty's arrow shows it.
pub const fn direction<T: ChainEvent>() -> Column<T> {
    Column {
        title: "dir",
        json_paths: &["from.hash", "to.hash"],
        cell: |row, cx, _| {
            let event = row.event();
            let direction = transfer_direction(cx.viewed, event.from, event.to);
            TableCell::new(direction.word(), Role::Plain)
        },
        ..Column::TEXT
    }
}

/// The other party of each row, in the list of an address.
pub const fn party<T: ChainEvent>(rank: u8) -> Column<T> {
    Column {
        title: "counterparty",
        json_paths: &["from.hash", "from.name", "to.hash", "to.name", "created_contract.hash"],
        kind: ColumnKind::Address,
        width: text_width(11, 82, rank),
        usage: ColumnUse::OfAddress,
        cell: |row, cx, width| {
            let event = row.event();
            counterparty_cell(event.from, event.to, cx, width)
        },
        route: |_, row, viewed| {
            let event = row.event();
            let party = counterparty(viewed, event.from, event.to)?;
            Some(Route::Target(TargetKind::Address(party.hash)))
        },
        ..Column::TEXT
    }
}

pub const fn to<T: ChainEvent>(csv_name: &'static str, rank: u8) -> Column<T> {
    Column {
        title: "to",
        csv_name: Some(csv_name),
        json_paths: &["to.hash", "to.name", "to.ens_domain_name", "created_contract.hash"],
        kind: ColumnKind::Address,
        width: text_width(11, 80, rank),
        usage: ColumnUse::OfChain,
        cell: |row, cx, width| receiver_cell(row.event().to, cx, width),
        full_value: |row| csv_value_with(row.event().to, |a| a.hash.to_string()),
        value_name: Some("recipient"),
        route: |_, row, _| address_route(row.event().to),
        ..Column::TEXT
    }
}

/// Returns the cell of a receiver, after an arrow from the sender.
pub fn receiver_cell(to: &Field<AddressRef>, cx: &RowContext<'_>, width: usize) -> TableCell {
    let Some(receiver) = to.value().filter(|_| !cx.is_in_full()) else {
        return address_cell(to, cx, width);
    };
    let width = width.saturating_sub(LEAD_WIDTH.into());
    let cell = match cx.transaction {
        Some(_) => name_or_address_cell(receiver, cx, width),
        None => known_address_cell(receiver, cx, width),
    };
    TableCell { lead: Some(("→", Role::Dim)), ..cell }
}

pub const fn token_symbol<T: Row>(
    title: &'static str,
    width: WidthRange,
    route: RouteFn<T>,
) -> Column<T> {
    Column {
        title,
        csv_name: Some("token_symbol"),
        json_paths: &["token.symbol", "token.name", "token.address_hash|address"],
        width,
        cell: |row, cx, width| token_cell(row, |token| symbol_cell(token, cx, width)),
        full_value: |row| match row.token() {
            Some(token) => {
                given_symbol(token).map(|given| given.to_string()).unwrap_or_default().into()
            }
            None => csv_value_with(row.token_field(), |_| String::new()),
        },
        route,
        ..Column::TEXT
    }
}

pub const fn token_name<T: Row>(width: WidthRange, route: RouteFn<T>) -> Column<T> {
    Column {
        title: "name",
        csv_name: Some("token_name"),
        json_paths: &["token.name"],
        width,
        cell: |row, _, width| {
            token_cell(row, |token| {
                field_cell(&token.name, |name| {
                    TableCell::new(cut(&guard_name(name.clone()), width).into_owned(), Role::Plain)
                })
            })
        },
        full_value: |row| row.token().map_or("".into(), |token| csv_value(&token.name)),
        route,
        ..Column::TEXT
    }
}

/// The contract of the token, on the screen only. Its mark is before the symbol.
pub const fn token_contract<T: Row>(rank: u8) -> Column<T> {
    Column {
        title: "contract",
        csv_name: None,
        kind: ColumnKind::Address,
        width: text_width(11, 80, rank),
        cell: |row, cx, width| {
            token_cell(row, |token| {
                field_cell(&token.address, |address| unmarked_contract_cell(address, cx, width))
            })
        },
        route: |_, row, _| Some(Route::Token(*row.token()?.address.value()?)),
        ..csv_token_contract()
    }
}

/// The contract of the token, in CSV only: different tokens may have the same symbol.
pub const fn csv_token_contract<T: Row>() -> Column<T> {
    Column {
        csv_name: Some("token_contract"),
        json_paths: &["token.address_hash|address"],
        full_value: |row| row.token().map_or("".into(), |token| csv_value(&token.address)),
        ..Column::TEXT
    }
}

/// The standard of the token, in CSV only.
pub const fn csv_token_type<T: Row>() -> Column<T> {
    Column {
        csv_name: Some("token_type"),
        json_paths: &["token.type"],
        full_value: |row| row.token().map_or("".into(), |token| csv_value(&token.kind)),
        ..Column::TEXT
    }
}

/// The standard of the token, on the screen only.
pub const fn token_type<T: Row>(rank: u8) -> Column<T> {
    Column {
        title: "standard",
        csv_name: None,
        usual_value: Some("ERC-20"),
        width: text_width(8, 8, rank),
        cell: |row, _, _| {
            token_cell(row, |token| {
                field_cell(&token.kind, |kind| TableCell::new(kind.to_string(), Role::Dim))
            })
        },
        ..csv_token_type()
    }
}

pub const fn token_holders<T: Row>(rank: u8) -> Column<T> {
    Column {
        title: "holders",
        csv_name: Some("holders"),
        json_paths: &["token.holders_count|holders"],
        width: number_width(rank),
        cell: |row, _, _| token_cell(row, |token| count_cell(&token.holders)),
        full_value: |row| row.token().map_or("".into(), |token| csv_value(&token.holders)),
        ..Column::NUMBER
    }
}

pub const fn token_supply<T: Row>(rank: u8) -> Column<T> {
    Column {
        title: "supply",
        csv_name: Some("total_supply"),
        json_paths: &["token.total_supply", "token.decimals"],
        provenance: |row, _| decimals_provenance(row.token().and_then(token_decimals)),
        width: number_width(rank),
        cell: |row, cx, _| {
            token_cell(row, |token| {
                field_cell(&token.total_supply, |supply| {
                    let cell = token_amount_cell(*supply, token_decimals(token), cx);
                    TableCell { role: Role::Plain, ..cell }
                })
            })
        },
        full_value: |row| row.token().map_or("".into(), |token| csv_value(&token.total_supply)),
        value_name: Some("raw supply"),
        ..Column::AMOUNT
    }
}

pub const fn token_price<T: Row>(rank: u8) -> Column<T> {
    Column {
        title: "price $",
        csv_name: Some("exchange_rate"),
        json_paths: &["token.exchange_rate"],
        width: number_width(rank),
        cell: |row, cx, _| {
            token_cell(row, |token| field_cell(&token.exchange_rate, |rate| rate_cell(rate, cx)))
        },
        full_value: |row| row.token().map_or("".into(), |token| csv_value(&token.exchange_rate)),
        ..Column::AMOUNT
    }
}

/// Returns a cell with a decimal as received: its first digits on the screen.
pub fn rate_cell(rate: &SafeText, cx: &RowContext<'_>) -> TableCell {
    match rate.parse::<Decimal>() {
        Ok(rate) if !cx.is_in_full() => TableCell::number(rate.readable(), Role::Plain),
        Err(_) if !cx.is_in_full() => TableCell::new("?", Role::Dim),
        _ => TableCell::new(cut(rate, FULL_CELL_WIDTH.into()).into_owned(), Role::Plain),
    }
}

/// Returns a number of dollars for reading, or `?` if another text was sent.
pub fn dollars(text: &SafeText) -> String {
    readable_decimal(text).map_or_else(|| "?".into(), |number| format!("${number}"))
}

fn readable_decimal(text: &SafeText) -> Option<String> {
    Some(text.parse::<Decimal>().ok()?.readable().text)
}

/// Returns the circulating supply of a token and the volume of a day, which few explorers report.
pub fn market_text(token: &Token) -> Option<String> {
    let circulating = token.circulating_supply.value().map(|supply| {
        let amount = readable_decimal(supply).unwrap_or_else(|| "?".into());
        TokenNote::Circulating { amount: &amount }.to_string()
    });
    let volume = token
        .volume_24h
        .value()
        .map(|volume| TokenNote::DayVolume { dollars: &dollars(volume) }.to_string());
    let facts: Vec<String> = circulating.into_iter().chain(volume).collect();
    (!facts.is_empty()).then(|| facts.join(" · "))
}

/// The decimals of the token, in CSV only: amounts are undivided there.
pub const fn csv_token_decimals<T: Row>() -> Column<T> {
    Column {
        csv_name: Some("token_decimals"),
        json_paths: &["token.decimals"],
        full_value: |row| row.token().map_or("".into(), |token| csv_value(&token.decimals)),
        ..Column::TEXT
    }
}

pub fn token_cell<T: Row>(row: &T, cell: impl FnOnce(&Token) -> TableCell) -> TableCell {
    match row.token() {
        Some(token) => cell(token),
        None => field_cell(row.token_field(), cell),
    }
}

/// Returns the values that a row about a token copies: its contract, and an amount.
pub fn token_copies(
    token: Option<&Token>,
    label: &'static str,
    amount: Option<&U256>,
) -> Vec<CopyValue> {
    let contract = token.and_then(|token| token.address.value());
    vec![
        CopyValue::new(Action::CopyAddress, "token's contract", contract),
        CopyValue::new(Action::CopyToken, "token's contract", contract),
        CopyValue::new(Action::CopyValue, label, amount),
    ]
}
