//! A column: its title, width, cells, and where its values come from.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Row, RowContext};
use crate::api::Item;
use crate::chain::Address;
use crate::chain::amount::Unit;
use crate::route::Route;
use crate::sanitize::SafeText;
use crate::ui::format::fits;
use crate::ui::number_format::{DATE_WIDTHS, FormatOptions, TimeFormat};
use crate::ui::table::{Align, ColumnWidth, TableCell, fit_widths};
use crate::ui::theme::Role;

/// Returns where a cell leads, seen from the viewed address.
pub type RouteFn<T> = fn(&Arc<Item<T>>, &T, Option<Address>) -> Option<Route>;

/// Describes what is done to a value before it is shown: `divided by 10^6`.
pub type ProvenanceFn<T> = fn(&T, &RowContext<'_>) -> SafeText;

/// The least and the greatest width of an amount in a unit that is smaller than the coin.
const SMALL_UNIT_WIDTHS: [u16; 2] = [13, 27];
/// Columns that may become wider than this hold hashes, which are wider if abbreviations collide.
const MAX_PLAIN_WIDTH: u16 = 40;
/// The width that a name before an address may take.
const NAME_WIDTH: u16 = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Other,
    /// Amounts of the chain's coin, in the unit the user chose; in wei in CSV.
    Coin,
    /// Times, in the form the user chose.
    Time,
}

/// One column. Write it with [`Column::TEXT`] or one of the other constants for what is usual.
pub struct Column<T: 'static> {
    pub title: &'static str,
    /// The name in CSV, or `None` if it only repeats other columns.
    pub csv_name: Option<&'static str>,
    /// Where in the item's JSON the value comes from, with older names after `|`.
    pub json_paths: &'static [&'static str],
    /// What is done to the value for the screen.
    pub provenance: ProvenanceFn<T>,
    pub kind: ColumnKind,
    /// Whether cells have text that is neither in the JSON nor one of a few words.
    pub is_computed: bool,
    /// How wide it may be. Not on the screen if that is 0.
    pub width: ColumnWidth,
    pub align: Align,
    /// Writes the cell for the screen in a number of columns.
    pub cell: fn(&T, &RowContext<'_>, usize) -> TableCell,
    /// Returns the whole value for CSV and copying, or an empty text.
    pub full_value: fn(&T) -> Cow<'_, str>,
    /// The name of the whole value in messages, or `None` if the title says it.
    pub value_name: Option<&'static str>,
    pub route: RouteFn<T>,
}

impl<T> Column<T> {
    /// Left-aligned text that is shown as the server sent it and leads nowhere.
    pub const TEXT: Self = Self {
        title: "",
        csv_name: None,
        json_paths: &[],
        provenance: |_, _| "as sent".into(),
        kind: ColumnKind::Other,
        is_computed: false,
        width: ColumnWidth { min: 0, max: 0, rank: u8::MAX },
        align: Align::Left,
        cell: |_, _, _| TableCell::new("", Role::Plain),
        full_value: |_| Cow::Borrowed(""),
        value_name: None,
        route: |_, _, _| None,
    };

    pub const NUMBER: Self = Self { align: Align::Right, ..Self::TEXT };

    pub const COIN: Self =
        Self { kind: ColumnKind::Coin, provenance: coin_provenance, ..Self::NUMBER };

    /// Returns the title, with the unit of amounts if that fits into `width` columns. Dates have
    /// their time zone for a title.
    pub fn header(&self, cx: &RowContext<'_>, width: usize) -> Cow<'static, str> {
        let [date, _] = DATE_WIDTHS;
        match self.kind {
            ColumnKind::Time if width >= usize::from(date) => {
                cx.format.time_format.column_title().into()
            }
            ColumnKind::Coin if cx.format.unit != Unit::Coin || cx.network.symbol.is_some() => {
                let with_unit = format!("{} {}", self.title, cx.format.unit.name(cx.network));
                if fits(&with_unit, width) { with_unit.into() } else { self.title.into() }
            }
            _ => self.title.into(),
        }
    }

    /// Returns how wide the column may be, if an abbreviated address takes `address` columns and a
    /// date at least `date` (ages are shown if that is `None`).
    fn width_range(&self, address: u16, unit: Unit, date: Option<u16>) -> ColumnWidth {
        let rank = self.width.rank;
        match (self.kind, date) {
            (ColumnKind::Coin, _) if unit != Unit::Coin => {
                let [min, max] = SMALL_UNIT_WIDTHS;
                ColumnWidth { min, max, rank }
            }
            (ColumnKind::Time, Some(min)) => {
                let [_, max] = DATE_WIDTHS;
                ColumnWidth { min, max, rank }
            }
            _ if self.width.max > MAX_PLAIN_WIDTH => ColumnWidth {
                min: self.width.min.max(address),
                max: self.width.max.max(address.saturating_add(NAME_WIDTH)),
                ..self.width
            },
            _ => self.width,
        }
    }
}

fn coin_provenance<T>(_: &T, cx: &RowContext<'_>) -> SafeText {
    let unit = cx.format.unit;
    match (unit, unit.decimals(cx.network.decimals)) {
        (Unit::Coin, decimals) => format!("divided by 10^{decimals}, the coin's decimals").into(),
        (unit, 0) => SafeText::new(&format!("as sent, in {}", unit.name(cx.network))),
        (unit, decimals) => {
            SafeText::new(&format!("divided by 10^{decimals}: {}", unit.name(cx.network)))
        }
    }
}

/// Returns the widths of all columns in a table of `total` columns, if an abbreviated address takes
/// `address` columns.
pub fn column_widths<T: Row>(total: u16, address: u16, format: &FormatOptions) -> Vec<u16> {
    let layout = |date| {
        let ranges = T::COLUMNS.iter().map(|column| column.width_range(address, format.unit, date));
        fit_widths(&ranges.collect::<Vec<_>>(), total)
    };
    let shows_times = |widths: &Vec<u16>| {
        T::COLUMNS.iter().zip(widths).all(|(c, width)| c.kind != ColumnKind::Time || *width > 0)
    };
    // If date and time do not fit, the date alone may, or an age.
    let dates = DATE_WIDTHS.into_iter().rev().filter(|_| format.time_format != TimeFormat::Age);
    let with_dates = dates.map(|min| layout(Some(min))).find(shows_times);
    with_dates.unwrap_or_else(|| layout(None))
}
