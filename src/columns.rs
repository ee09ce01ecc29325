//! What a list needs to know of its items: one table of columns serves the screen, CSV, copying,
//! provenance and the one-shot tables.

pub mod cells;
pub mod common;
pub mod internal_transactions;
pub mod nft_collections;
pub mod token_balances;
pub mod token_instances;
pub mod token_transfers;
pub mod transactions;

use std::borrow::Cow;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use crate::api::address::AddressRef;
use crate::api::json_fields::FromJson;
use crate::api::{Item, Page, Reply};
use crate::chain::abbreviate::{Abbreviator, abbreviate};
use crate::chain::amount::Unit;
use crate::chain::network::Network;
use crate::chain::{Address, Timestamp};
use crate::csv_output::format_record;
use crate::msg::Action;
use crate::name_cache::NameCache;
use crate::route::Route;
use crate::safety::address_poisoning::{KnownAddresses, OutgoingTransfer};
use crate::sanitize::SafeText;
use crate::ui::format::{cut, fits, width};
use crate::ui::number_format::{DATE_WIDTHS, FormatOptions, TimeFormat};
use crate::ui::table::{Align, ColumnWidth, TableCell};

/// An item that stands in a list.
pub trait Row: FromJson + Debug + Send + Sync + 'static {
    /// What tells two rows apart.
    type Id: Debug + Eq + Hash;

    /// What a list of them is called, in file names.
    const LIST_NAME: &'static str;

    /// Whether its lists are in order of time, the newest first.
    const NEWEST_FIRST: bool;

    /// Its columns, in their order on the screen.
    fn columns() -> &'static [Column<Self>];

    /// The page of such rows that an answer holds.
    fn page(reply: Reply) -> Option<Page<Self>>;

    /// What tells it from every other row of its list; none when too much of it is missing.
    fn id(&self) -> Option<Self::Id>;

    /// Lines with the full values of the selected row.
    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)>;

    /// What a copy key means here: what it is called, and the value, or none when the row has none.
    fn copy(&self, action: Action, cx: &RowContext<'_>)
    -> Option<(&'static str, Option<SafeText>)>;

    /// Every address in it.
    fn parties(&self) -> Vec<&AddressRef> {
        Vec::new()
    }

    /// Every address that its cells shorten.
    fn addresses(&self) -> Vec<Address> {
        self.parties()
            .into_iter()
            .map(|party| party.hash)
            .chain(self.token().map(|t| t.0))
            .collect()
    }

    /// Whom the viewed address has sent something to, of its own accord.
    fn outgoing_transfer(&self, _viewed: Address) -> Option<OutgoingTransfer> {
        None
    }

    /// Its token's contract and symbol.
    fn token(&self) -> Option<(Address, SafeText)> {
        None
    }

    /// What is suspicious about it besides its addresses.
    fn warnings(&self) -> Vec<SafeText> {
        Vec::new()
    }
}

/// What is known around a row.
#[derive(Debug, Clone, Copy)]
pub struct RowContext<'a> {
    /// Whose list it is.
    pub viewed: Option<Address>,
    /// The clock.
    pub now: Timestamp,
    /// Which chain.
    pub network: &'a Network,
    /// Addresses that must not be mistaken for others.
    pub known_addresses: &'a KnownAddresses,
    /// What the user says of addresses, and what earlier answers did.
    pub name_cache: &'a NameCache,
    /// How the addresses on this screen are told apart; none where they do not stand together.
    pub abbreviator: Option<&'a Abbreviator>,
    /// How amounts of the coin and times are written.
    pub format: &'a FormatOptions,
}

impl RowContext<'_> {
    /// An address, shortened.
    pub fn short_address(&self, address: &Address) -> String {
        match self.abbreviator {
            Some(short) => short.abbreviate(address).into_owned(),
            None => abbreviate(address),
        }
    }
}

/// Where a cell of a row leads, seen from the viewed address.
pub type RouteFn<T> = fn(&Arc<Item<T>>, &T, Option<Address>) -> Option<Route>;

/// What is done to a value before it is shown: `divided by 10^6`.
pub type ProvenanceFn<T> = fn(&T, &RowContext<'_>) -> SafeText;

/// A value that is shown as it was sent.
pub fn unmodified<T>(_: &T, _: &RowContext<'_>) -> SafeText {
    "as sent".into()
}

/// A value in the chain's coin.
pub fn coin_provenance<T>(_: &T, cx: &RowContext<'_>) -> SafeText {
    let (unit, of_coin) = (cx.format.unit, cx.network.decimals);
    match (unit, unit.decimals(of_coin)) {
        (Unit::Coin, decimals) => format!("divided by 10^{decimals}, the coin's decimals").into(),
        (unit, 0) => SafeText::new(&format!("as sent, in {}", unit.name(cx.network))),
        (unit, decimals) => {
            SafeText::new(&format!("divided by 10^{decimals}: {}", unit.name(cx.network)))
        }
    }
}

/// One column.
pub struct Column<T: 'static> {
    /// Its title on the screen.
    pub title: &'static str,
    /// Its name in CSV; none where it only repeats other columns.
    pub csv_name: Option<&'static str>,
    /// Where in the item's JSON it comes from; old names after `|`.
    pub json_paths: &'static [&'static str],
    /// What is done to it for the screen.
    pub provenance: ProvenanceFn<T>,
    /// How wide.
    pub width: ColumnWidth,
    /// Where its text stands.
    pub align: Align,
    /// The cell for the screen, in so many columns.
    pub cell: fn(&T, &RowContext<'_>, usize) -> TableCell,
    /// The whole value, for CSV and copying; empty where there is none.
    pub full_value: fn(&T) -> Cow<'_, str>,
    /// Where the cell leads, seen from the viewed address.
    pub route: RouteFn<T>,
}

/// Columns of amounts in a unit that is smaller than the coin: at least, and at most.
const SMALL_UNIT_WIDTHS: [u16; 2] = [13, 27];

impl<T> Column<T> {
    /// Whether it holds amounts of the chain's coin: CSV has those in wei.
    fn is_coin(&self) -> bool {
        self.csv_name.is_some_and(|name| name.ends_with("_wei"))
    }

    /// Whether it holds times.
    fn is_time(&self) -> bool {
        self.csv_name == Some("timestamp")
    }

    /// Its title over so many columns: with the unit of amounts where there is room for it, and for
    /// times with how they are meant.
    pub fn header(&self, cx: &RowContext<'_>, room: usize) -> Cow<'static, str> {
        let [date, _] = DATE_WIDTHS;
        if self.is_time() && room >= usize::from(date) {
            return cx.format.time_format.column_title().into();
        }
        if !self.is_coin() || (cx.format.unit == Unit::Coin && cx.network.symbol.is_none()) {
            return self.title.into();
        }
        let with_unit = format!("{} {}", self.title, cx.format.unit.name(cx.network));
        if fits(&with_unit, room) { with_unit.into() } else { self.title.into() }
    }

    /// How wide it may be; `address` is what a shortened address takes, `stamp` the least for a date.
    fn width_range(&self, address: u16, unit: Unit, stamp: Option<u16>) -> ColumnWidth {
        let ([_, longest], [least, most]) = (DATE_WIDTHS, SMALL_UNIT_WIDTHS);
        match (self.width, stamp) {
            (width, _) if width.max > 40 => ColumnWidth { min: width.min.max(address), ..width },
            (width, _) if self.is_coin() && unit != Unit::Coin => {
                ColumnWidth { min: least, max: most, ..width }
            }
            (width, Some(min)) if self.is_time() => ColumnWidth { min, max: longest, ..width },
            (width, _) => width,
        }
    }
}

/// A column that leads nowhere.
pub fn no_route<T>(_: &Arc<Item<T>>, _: &T, _: Option<Address>) -> Option<Route> {
    None
}

/// What the addresses of a row, and the row itself, warn of.
pub fn warnings<T: Row>(row: &T, known: &KnownAddresses) -> Vec<SafeText> {
    let parties = row.parties();
    let resembling = parties.iter().filter_map(|a| Some((a.hash, known.find_lookalike(&a.hash)?)));
    let resembling = resembling.map(|(hash, r)| SafeText::new(&format!("{hash} {}", r.describe())));
    resembling.chain(row.warnings()).collect()
}

/// Cells as one line of a text table, each in its column.
pub fn table_line<T: Row>(cells: &[String], widths: &[u16]) -> String {
    let mut line = String::new();
    for ((cell, column), room) in cells.iter().zip(T::columns()).zip(widths) {
        let room = usize::from(*room);
        if room == 0 {
            continue;
        }
        let text = cut(cell, room);
        let space = " ".repeat(room - width(&text));
        match column.align {
            Align::Left => line.extend([&*text, &space, " "]),
            Align::Right => line.extend([&*space, &text, " "]),
        }
    }
    line.truncate(line.trim_end().len());
    line
}

/// A row as one line of CSV, full values.
pub fn csv_line<T: Row>(row: &T) -> SafeText {
    let columns = T::columns().iter().filter(|c| c.csv_name.is_some());
    SafeText::new(&format_record(columns.map(|column| (column.full_value)(row))))
}

/// The names of the columns as one line of CSV.
pub fn csv_header<T: Row>() -> String {
    T::columns().iter().filter_map(|c| c.csv_name).collect::<Vec<_>>().join(",")
}

/// The widths of a table's columns in so much room; `address` is what a shortened address takes.
pub fn column_widths<T: Row>(room: u16, address: u16, notation: &FormatOptions) -> Vec<u16> {
    let columns = T::columns();
    let laid_out = |stamp| {
        let wanted = columns.iter().map(|column| column.width_range(address, notation.unit, stamp));
        crate::ui::table::fit_widths(&wanted.collect::<Vec<_>>(), room)
    };
    let is_there = |widths: &Vec<u16>| {
        columns.iter().zip(widths).all(|(column, width)| !column.is_time() || *width > 0)
    };
    // Where there is no room for date and time there may be for the date, or for an age.
    let stamps = DATE_WIDTHS.into_iter().rev().filter(|_| notation.time_format != TimeFormat::Age);
    let with_stamps = stamps.map(|least| laid_out(Some(least))).find(is_there);
    with_stamps.unwrap_or_else(|| laid_out(None))
}
