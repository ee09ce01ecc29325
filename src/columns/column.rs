//! A column: its title, width, cells, and where its values come from.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Row, RowContext};
use crate::api::{Item, ListSubject};
use crate::chain::Address;
use crate::chain::abbreviate::Abbreviator;
use crate::chain::amount::Unit;
use crate::route::Route;
use crate::sanitize::SafeText;
use crate::ui::address_mark::MARK_WIDTH;
use crate::ui::format::{self, fits};
use crate::ui::number_format::{DATE_WIDTHS, TimeFormat};
use crate::ui::table::{Align, CellExtent, ColumnSize, LEAD_WIDTH, TableCell, fit_widths};
use crate::ui::theme::Role;

/// Returns where a cell leads, seen from the viewed address.
pub type RouteFn<T> = fn(&Arc<Item<T>>, &T, Option<Address>) -> Option<Route>;

/// Describes what is done to a value before it is shown: `divided by 10^6`.
pub type ProvenanceFn<T> = fn(&T, &RowContext<'_>) -> SafeText;

/// The width at which cells are measured: too little for a whole address or hash, enough for a short
/// one with its name.
const SHORT_CELL_WIDTH: u16 = 41;
/// The width at which whole values are measured. Longer ones are cut.
const FULL_CELL_WIDTH: u16 = 200;
/// The width of a column of dates that is cut to ages on a narrow screen.
const MIN_TIME_WIDTH: u16 = 8;

/// The text of absent values.
const ABSENT: &str = "—";

/// The digits of an address and `0x`.
const FULL_ADDRESS_WIDTH: usize = 42;

/// How wide a column may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WidthRange {
    /// The least width to which text is cut.
    pub min: u16,
    /// The greatest width. The column is not on the screen if that is 0.
    pub max: u16,
    /// See [`ColumnSize::rank`].
    pub rank: u8,
}

pub const fn text_width(min: u16, max: u16, rank: u8) -> WidthRange {
    WidthRange { min, max, rank }
}

/// Returns the width of a column that is left out rather than cut.
pub const fn number_width(rank: u8) -> WidthRange {
    WidthRange { min: u16::MAX, max: FULL_CELL_WIDTH, rank }
}

/// In which lists a column is on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnUse {
    Always,
    /// In the lists of an address, whose rows have one other party.
    OfAddress,
    /// In all others.
    OfChain,
    /// In all lists but those of one transaction.
    OfTransactions,
    /// In all lists but those of one transaction or one block.
    OfBlocks,
    /// In all lists but those of one token.
    OfTokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Other,
    /// Addresses, which are abbreviated where they do not fit.
    Address,
    /// Hashes, which are abbreviated too.
    Hash,
    /// The block of a row, which leads elsewhere than the row.
    Block,
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
    pub width: WidthRange,
    pub usage: ColumnUse,
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
        width: WidthRange { min: 0, max: 0, rank: u8::MAX },
        usage: ColumnUse::Always,
        align: Align::Left,
        cell: |_, _, _| TableCell::new("", Role::Plain),
        full_value: |_| Cow::Borrowed(""),
        value_name: None,
        route: |_, _, _| None,
    };

    pub const NUMBER: Self = Self { align: Align::Right, ..Self::TEXT };

    pub const AMOUNT: Self = Self { align: Align::Point, ..Self::TEXT };

    pub const COIN: Self =
        Self { kind: ColumnKind::Coin, provenance: coin_provenance, ..Self::AMOUNT };

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

    fn is_shown(&self, cx: &RowContext<'_>) -> bool {
        self.width.max > 0
            && match self.usage {
                ColumnUse::Always => true,
                ColumnUse::OfAddress => cx.has_counterparties(),
                ColumnUse::OfChain => !cx.has_counterparties(),
                ColumnUse::OfTransactions => cx.subject != ListSubject::Transaction,
                ColumnUse::OfBlocks => {
                    !matches!(cx.subject, ListSubject::Transaction | ListSubject::Block)
                }
                ColumnUse::OfTokens => cx.subject != ListSubject::Token,
            }
    }

    fn extent<'a>(&self, rows: impl Iterator<Item = &'a T>, cx: &RowContext<'_>) -> ColumnExtent {
        let max = self.width.max;
        let mut extent = ColumnExtent::default();
        let is_abbreviated = matches!(self.kind, ColumnKind::Address | ColumnKind::Hash);
        for row in rows {
            let cell = |width: u16| (self.cell)(row, cx, max.min(width).into());
            let whole = cell(FULL_CELL_WIDTH);
            extent.has_values |= whole.text != ABSENT;
            let full = whole.extent(self.align);
            let short =
                if is_abbreviated { cell(SHORT_CELL_WIDTH).extent(self.align) } else { full };
            extent.cells = extent.cells.union(short);
            extent.full = extent.full.max(full.width().min(max));
        }
        extent.cells.before = extent.cells.before.min(max);
        extent
    }

    /// Returns the size, which is nothing for cells that are all blank.
    fn size(&self, extent: ColumnExtent, has_cells: bool, cx: &RowContext<'_>) -> ColumnSize {
        let rank = self.width.rank;
        let is_blank = has_cells && extent.cells.width() == 0 && !self.title.is_empty();
        if is_blank || !self.is_shown(cx) {
            return ColumnSize { min: 0, natural: 0, full: 0, rank };
        }
        let width = |text: &str| u16::try_from(format::width(text)).unwrap_or(u16::MAX);
        let cells = extent.cells.width().max(width(self.title)).max(1);
        let natural = cells.max(width(&self.header(cx, FULL_CELL_WIDTH.into())));
        let min = match self.kind {
            ColumnKind::Time if cx.format.time_format != TimeFormat::Age => MIN_TIME_WIDTH,
            ColumnKind::Address => {
                let short = cx.abbreviator.map_or(FULL_ADDRESS_WIDTH, Abbreviator::max_width);
                self.width
                    .min
                    .max(u16::try_from(short).unwrap_or(u16::MAX).saturating_add(MARKS_WIDTH))
            }
            _ => self.width.min,
        };
        ColumnSize { min: min.min(cells), natural, full: extent.full.max(natural), rank }
    }
}

/// The columns before a short address: an arrow, its mark, and the sign of a look-alike.
const MARKS_WIDTH: u16 = LEAD_WIDTH + MARK_WIDTH + 1;

/// What the cells of a column take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ColumnExtent {
    cells: CellExtent,
    /// The width at which no value is abbreviated.
    full: u16,
    /// Whether there is more than absent values.
    has_values: bool,
}

/// What the cells of all columns take: those of the rows on the screen, and of those that were.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableExtent(Vec<ColumnExtent>);

impl TableExtent {
    pub fn new<'a, T: Row>(
        rows: &(impl Iterator<Item = &'a T> + Clone),
        cx: &RowContext<'_>,
    ) -> Self {
        let extent = |column: &Column<T>| {
            if column.is_shown(cx) {
                column.extent(rows.clone(), cx)
            } else {
                ColumnExtent::default()
            }
        };
        Self(T::COLUMNS.iter().map(extent).collect())
    }

    /// Widens it to what other rows take. Widths that only grow keep columns where they are while
    /// the list is scrolled.
    pub fn extend(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), ColumnExtent::default());
        for (extent, other) in self.0.iter_mut().zip(&other.0) {
            extent.cells = extent.cells.union(other.cells);
            extent.full = extent.full.max(other.full);
            extent.has_values |= other.has_values;
        }
    }

    /// Makes space for `columns` more in the title of a column.
    pub fn widen<T: Row>(&mut self, number: usize, columns: u16) {
        let title = T::COLUMNS.get(number).map_or(0, |column| format::width(column.title));
        if let Some(extent) = self.0.get_mut(number) {
            let title = u16::try_from(title).unwrap_or(u16::MAX).saturating_add(columns);
            let missing = title.saturating_sub(extent.cells.width());
            extent.cells.before = extent.cells.before.saturating_add(missing);
        }
    }

    /// Lays the columns out in `total` columns of the screen. Those without values give theirs away
    /// if others would be cut.
    pub fn layout<T: Row>(&self, total: u16, cx: &RowContext<'_>) -> Vec<PlacedColumn> {
        let has_cells = self.0.iter().any(|extent| extent.cells.width() > 0);
        let columns = T::COLUMNS.iter().zip(&self.0);
        let mut sizes: Vec<ColumnSize> =
            columns.map(|(column, it)| column.size(*it, has_cells, cx)).collect();
        let shown = sizes.iter().filter(|size| size.natural > 0);
        let needed: usize = shown.map(|size| usize::from(size.natural) + 1).sum();
        if has_cells && needed > usize::from(total) + 1 {
            for (size, _) in sizes.iter_mut().zip(&self.0).filter(|(_, it)| !it.has_values) {
                (size.min, size.natural, size.full) = (0, 0, 0);
            }
        }
        let widths = fit_widths(&sizes, total).into_iter().zip(&self.0);
        widths.map(|(width, it)| PlacedColumn { width, after_point: it.cells.after }).collect()
    }
}

/// A column of a table that is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedColumn {
    /// 0 if it is left out.
    pub width: u16,
    /// The columns after the decimal points.
    pub after_point: u16,
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
