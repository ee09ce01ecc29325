//! What a list needs to know of its items: one table of columns serves the screen, CSV, copying and
//! the one-shot tables.

use std::borrow::Cow;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

use crate::api::address::AddressRef;
use crate::api::de::Read;
use crate::api::{Field, Item, Page, Reply};
use crate::chain::network::Network;
use crate::chain::{Address, Timestamp, U256, amount};
use crate::msg::Action;
use crate::pane::Link;
use crate::text::Text;
use crate::ui::format::{cut, short_address};
use crate::ui::table::{Align, Cell, Width};
use crate::ui::theme::Role;

/// An item that stands in a list.
pub trait Row: Read + Debug + Send + Sync + 'static {
    /// What tells two rows apart.
    type Id: Debug + Eq + Hash;

    /// Its columns, in their order on the screen.
    fn columns() -> &'static [Column<Self>];

    /// The page of such rows that an answer holds.
    fn page(reply: Reply) -> Option<Page<Self>>;

    /// What tells it from every other row of its list.
    fn id(&self) -> Self::Id;

    /// Lines with the full values of the selected row.
    fn strip(&self, cx: &RowCx<'_>) -> Vec<(&'static str, Text)>;

    /// What a copy key means here: what it is called, and the value, or none when the row has none.
    fn copy(&self, action: Action, cx: &RowCx<'_>) -> Option<(&'static str, Option<Text>)>;
}

/// What is known around a row.
#[derive(Debug, Clone, Copy)]
pub struct RowCx<'a> {
    /// Whose list it is.
    pub viewed: Option<Address>,
    /// The clock.
    pub now: Timestamp,
    /// Which chain.
    pub network: &'a Network,
}

/// One column.
pub struct Column<T: 'static> {
    /// Its title on the screen.
    pub title: &'static str,
    /// Its name in CSV; none where it only repeats other columns.
    pub name: Option<&'static str>,
    /// How wide.
    pub width: Width,
    /// Where its text stands.
    pub align: Align,
    /// The cell for the screen, in so many columns.
    pub cell: fn(&T, &RowCx<'_>, usize) -> Cell,
    /// The whole value, for CSV and copying; empty where there is none.
    pub full: fn(&T) -> Cow<'_, str>,
    /// Where the cell leads.
    pub link: fn(&Arc<Item<T>>) -> Option<Link>,
}

/// A column that leads nowhere.
pub fn no_link<T>(_: &Arc<Item<T>>) -> Option<Link> {
    None
}

/// A link to an address.
pub fn to_address(address: &Field<AddressRef>) -> Option<Link> {
    let address = address.known()?;
    Some(Link::Subject(crate::chain::subject::Subject::Address(address.hash)))
}

/// A field's full value for CSV: empty when absent, `?` when unreadable.
pub fn full<T>(field: &Field<T>, show: impl FnOnce(&T) -> String) -> Cow<'_, str> {
    match field {
        Field::Absent => "".into(),
        Field::Read(value) => show(value).into(),
        Field::Unread(_) => "?".into(),
    }
}

/// A cell for a field: `—` when absent, `?` when unreadable.
pub fn cell<T>(field: &Field<T>, show: impl FnOnce(&T) -> Cell) -> Cell {
    match field {
        Field::Absent => Cell::new("—", Role::Dim),
        Field::Read(value) => show(value),
        Field::Unread(_) => Cell::new("?", Role::Warning),
    }
}

/// An address as wide as there is room: in full, with its name, or shortened.
pub fn address_cell(address: &Field<AddressRef>, cx: &RowCx<'_>, room: usize) -> Cell {
    cell(address, |address| {
        let role = if cx.viewed == Some(address.hash) { Role::Dim } else { Role::Link };
        Cell::new(address_text(&address.hash, address.label(), room), role)
    })
}

fn address_text(address: &Address, label: Option<&Text>, room: usize) -> String {
    let full = address.to_string();
    let hash = if full.len() <= room { full } else { short_address(address) };
    match (label, room.checked_sub(hash.len())) {
        // The hash is always there: names are chosen by whoever owns the address.
        (Some(label), Some(left)) if left >= 5 => {
            let name = cut(label, left - 1);
            [&name, " ", &hash].concat()
        }
        _ => hash,
    }
}

/// A coin amount.
pub fn coin_cell(wei: &Field<U256>, cx: &RowCx<'_>, room: usize) -> Cell {
    cell(wei, |wei| {
        let role = if wei.is_zero() { Role::Dim } else { Role::Value };
        Cell::new(amount::fitted(*wei, cx.network.decimals, room), role)
    })
}

/// Which way a row goes, seen from the viewed address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To the viewed address.
    In,
    /// From it.
    Out,
    /// Both.
    Itself,
    /// Neither: somebody else's, or on somebody's behalf.
    Other,
}

/// Which way from `from` to `to` is for `viewed`.
pub fn way(viewed: Option<Address>, from: &Field<AddressRef>, to: &Field<AddressRef>) -> Way {
    let is =
        |party: &Field<AddressRef>| viewed.is_some() && party.known().map(|a| a.hash) == viewed;
    match (is(from), is(to)) {
        (true, true) => Way::Itself,
        (true, false) => Way::Out,
        (false, true) => Way::In,
        (false, false) => Way::Other,
    }
}

impl Way {
    /// The mark between the two addresses.
    pub fn cell(self) -> Cell {
        match self {
            Self::In => Cell::new("in →", Role::Ok),
            Self::Out => Cell::new("out→", Role::Warning),
            Self::Itself => Cell::new("self", Role::Dim),
            Self::Other => Cell::new("   →", Role::Dim),
        }
    }
}

/// An address and its best name, in full.
pub fn address_line(address: &AddressRef) -> Text {
    match address.label() {
        Some(label) => Text::new(&format!("{} {label}", address.hash)),
        None => address.hash.to_string().into(),
    }
}

/// A row as one line of CSV, full values.
pub fn csv_line<T: Row>(row: &T) -> Text {
    let columns = T::columns().iter().filter(|c| c.name.is_some());
    let cells: Vec<_> = columns.map(|c| quoted(&(c.full)(row))).collect();
    Text::new(&cells.join(","))
}

/// A CSV field. One that a spreadsheet would take for a formula gets an apostrophe before it.
pub fn quoted(field: &str) -> String {
    let safe = formula_safe(field);
    if safe.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", safe.replace('"', "\"\""))
    } else {
        safe.into_owned()
    }
}

/// A field that no spreadsheet takes for a formula.
pub fn formula_safe(field: &str) -> Cow<'_, str> {
    if field.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{field}").into()
    } else {
        field.into()
    }
}

/// The widths of a table's columns in so much room.
pub fn widths<T: Row>(room: u16) -> Vec<u16> {
    let columns: Vec<Width> = T::columns().iter().map(|c| c.width).collect();
    crate::ui::table::widths(&columns, room)
}
