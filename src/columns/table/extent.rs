//! Extents of a table: the widths of its cells, and the layout of its columns.
//!
//! A [`TableExtent`] measures the rows on the screen and only grows while the list is scrolled, so that
//! columns stay in place. Its `layout` distributes the width of the screen among them.

use std::collections::HashSet;
use std::mem;

use super::any_row::AnyRow;
use super::column::{ColumnHead, ColumnKind, FULL_CELL_WIDTH};
use crate::api::ListSubject;
use crate::chain::hash_abbreviation::{ADDRESS_WIDTH, Abbreviator};
use crate::columns::cells::ZERO;
use crate::columns::{RowContext, TitledCell};
use crate::ui::address_mark::MARK_WIDTH;
use crate::ui::format;
use crate::ui::format_options::{TIME_WIDTHS, TimeFormat};
use crate::ui::table::{
    Align, CellExtent, ColumnSize, LEAD_WIDTH, MIN_GAP, MIN_SIGN_GAP, NAMED_ADDRESS_WIDTH, RowCell,
    TableCell, fit_widths,
};

/// Width at which cells are measured: too little for a whole address or hash, enough for a short one
/// with its name.
const SHORT_CELL_WIDTH: u16 = 37;
/// Width at which long names are measured, after a mark: a column less than a whole address has.
const NAME_CELL_WIDTH: u16 = 41;
/// Width at which the short forms of addresses are measured: a name, or a short address, after an arrow and
/// a mark.
const BRIEF_CELL_WIDTH: u16 = 19;
/// Width at which names are measured that have no address after them.
const NAMES_CELL_WIDTH: u16 = 22;
/// Most columns of amounts with units of their own that come before other columns.
pub(in crate::columns) const MAX_UNIT_CELL_WIDTH: u16 = 18;
/// Most columns of a bar: longer ones compare amounts no better.
const MAX_BAR_WIDTH: u16 = 20;
/// Most columns between two columns beyond the least.
const MAX_MORE_GAP: u16 = 3;
/// Columns of the longest outcome of a transaction in words, `✓ inner ✗`, which later rows may have.
const OUTCOME_WIDTH: u16 = 9;
/// Columns of a point and two decimals, which most amounts have: a title ends above them rather than above the longest.
const DECIMALS_BELOW_TITLE: u16 = 3;
/// The text of absent values.
const ABSENT: &str = "—";

/// Columns before a short address: an arrow, its mark, and the sign of a look-alike.
const MARKS_WIDTH: u16 = LEAD_WIDTH + MARK_WIDTH + 1;

/// Widths of the cells of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ColumnExtent {
    cells: CellExtent,
    /// Width of the short forms of addresses.
    brief: u16,
    /// Width of names without their addresses.
    names: u16,
    /// Width at which no value is abbreviated.
    full: u16,
    /// `true` if only long names are cut below the full width.
    has_long_names: bool,
    /// `true` if there is a value that is not absent.
    has_values: bool,
    /// `true` if cells begin with arrows.
    has_arrows: bool,
    /// Columns of the mark after the title.
    mark: u16,
}

/// Extents of all columns: of the rows on the screen, and of those shown before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableExtent(Vec<ColumnExtent>);

impl TableExtent {
    pub fn new(columns: &[ColumnHead], rows: &[&dyn AnyRow], cx: &RowContext<'_>) -> Self {
        Self::of_some(columns, rows, rows, cx)
    }

    /// Measures some of the rows on a screen.
    pub fn of_some(
        columns: &[ColumnHead],
        rows: &[&dyn AnyRow],
        screen: &[&dyn AnyRow],
        cx: &RowContext<'_>,
    ) -> Self {
        let extent = |(number, column): (usize, &ColumnHead)| {
            if column.is_shown(cx) {
                column.extent(number, (rows, screen), cx)
            } else {
                ColumnExtent::default()
            }
        };
        Self((0..).zip(columns).map(extent).collect())
    }

    /// Widens the extents for other rows. Widths that only grow keep columns in place while the list is
    /// scrolled.
    pub fn extend(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), ColumnExtent::default());
        for (extent, other) in self.0.iter_mut().zip(&other.0) {
            extent.cells = extent.cells.union(other.cells);
            extent.brief = extent.brief.max(other.brief);
            extent.names = extent.names.max(other.names);
            // Names among addresses: neither is written in full.
            extent.full = match (extent.has_long_names, other.has_long_names) {
                (true, false) => extent.full.max(other.cells.width()),
                (false, true) => extent.cells.width().max(other.full),
                _ => extent.full.max(other.full),
            };
            extent.has_long_names |= other.has_long_names;
            extent.has_values |= other.has_values;
            extent.has_arrows |= other.has_arrows;
        }
    }

    /// Widens columns for the cells of a line after the rows.
    pub fn include(&mut self, columns: &[ColumnHead], cells: &[TitledCell]) {
        for (column, extent) in columns.iter().zip(&mut self.0) {
            let own = cells.iter().find(|(title, _)| *title == column.title);
            if let Some((_, cell)) = own.filter(|_| extent.cells.width() > 0) {
                extent.cells = extent.cells.union(cell.extent(column.align));
            }
        }
    }

    /// Widens a column for a mark after its title.
    pub fn widen(&mut self, columns: &[ColumnHead], number: usize, by: u16) {
        let title = columns.get(number).map_or(0, |column| format::width(column.title));
        if let Some(extent) = self.0.get_mut(number) {
            let title = u16::try_from(title).unwrap_or(u16::MAX).saturating_add(by);
            let missing = title.saturating_sub(extent.cells.width());
            extent.cells.before = extent.cells.before.saturating_add(missing);
            extent.mark = by;
        }
    }

    /// Returns `true` if columns without values give their space away: because others would be cut, or
    /// because most columns have values. A list that lacks most of them shows what is missing.
    fn has_few_empty_columns(&self, sizes: &[ColumnSize], total: u16) -> bool {
        let shown = || sizes.iter().zip(&self.0).filter(|(size, _)| size.natural > 0);
        let needed: usize = shown().map(|(size, _)| usize::from(size.natural + size.gap)).sum();
        let empty = shown().filter(|(_, extent)| !extent.has_values).count();
        needed > usize::from(total) + usize::from(MIN_GAP) || empty * 2 < shown().count()
    }

    /// Lays the columns out in `total` columns of the screen, without those that have no values.
    pub fn layout(
        &self,
        columns: &[ColumnHead],
        total: u16,
        cx: &RowContext<'_>,
    ) -> Vec<PlacedColumn> {
        let has_cells = self.0.iter().any(|extent| extent.cells.width() > 0);
        let extents = columns.iter().zip(&self.0);
        let mut sizes: Vec<ColumnSize> =
            extents.map(|(column, extent)| column.size(*extent, has_cells, cx)).collect();
        let shown = sizes.iter_mut().zip(columns).filter(|(size, _)| size.natural > 0);
        let mut follows_hash = false;
        for (size, column) in shown {
            if mem::replace(&mut follows_hash, column.kind == ColumnKind::Hash) {
                size.gap = MIN_SIGN_GAP;
            }
        }
        if has_cells && self.has_few_empty_columns(&sizes, total) {
            for (size, _) in sizes.iter_mut().zip(&self.0).filter(|(_, extent)| !extent.has_values)
            {
                (size.min, size.names, size.natural, size.full) = (0, 0, 0, 0);
            }
        }
        let mut widths = fit_widths(&sizes, total);
        let least = least_gaps(&widths, &sizes);
        let spare = total.saturating_sub(widths.iter().chain(&least).sum());
        share_evenly(&mut widths, &sizes, columns, spare);
        stretch_bars(&mut widths, columns, total.saturating_sub(least.iter().sum()));
        let gaps = widen_gaps(least, &widths, total);
        let placed = widths.into_iter().zip(gaps).zip(&self.0);
        placed
            .map(|((width, gap), ColumnExtent { cells, .. })| PlacedColumn {
                width,
                after_point: cells.after,
                gap,
                has_units: cells.with_unit > 0,
            })
            .collect()
    }
}

/// Returns the least space after each column, which is none after the last one.
fn least_gaps(widths: &[u16], sizes: &[ColumnSize]) -> Vec<u16> {
    let mut next = 0;
    let gaps = widths.iter().zip(sizes).rev().map(|(width, size)| match width {
        0 => 0,
        _ => mem::replace(&mut next, size.gap),
    });
    let mut gaps: Vec<u16> = gaps.collect();
    gaps.reverse();
    gaps
}

/// Gives a column of bars the part of `total` columns that the others leave, up to a length.
fn stretch_bars(widths: &mut [u16], columns: &[ColumnHead], total: u16) {
    let used = widths.iter().sum();
    let mut shown = widths.iter_mut().zip(columns).filter(|(width, _)| **width > 0);
    if let Some((bar, _)) = shown.find(|(_, column)| column.kind == ColumnKind::Bar) {
        *bar = (*bar + total.saturating_sub(used)).min(MAX_BAR_WIDTH.max(*bar));
    }
}

/// Spreads a narrow table over the screen evenly. The first columns have the spaces that are left.
fn widen_gaps(mut gaps: Vec<u16>, widths: &[u16], total: u16) -> Vec<u16> {
    let used: u16 = widths.iter().chain(&gaps).sum();
    let mut left = total.saturating_sub(used);
    for _ in 0..MAX_MORE_GAP {
        for gap in gaps.iter_mut().filter(|gap| **gap > 0) {
            let more = left.min(1);
            *gap += more;
            left -= more;
        }
    }
    gaps
}

/// Gives both sides of a transfer the same space, so that they show the same part of an address. `spare` columns
/// are left.
fn share_evenly(widths: &mut [u16], sizes: &[ColumnSize], columns: &[ColumnHead], spare: u16) {
    let all = widths.iter_mut().zip(sizes).zip(columns);
    let shown = all.filter(|((width, _), head)| {
        head.kind == ColumnKind::Address && !head.is_computed && **width > 0
    });
    let mut parties: Vec<_> =
        shown.map(|((width, size), _)| (width, size.natural, size.brief, size.names)).collect();
    let [(from, from_natural, from_brief, from_names), (to, to_natural, to_brief, to_names)] =
        &mut *parties
    else {
        return;
    };
    // One of them whole next to a short one would look like another kind of address.
    if (**from > *from_natural) != (**to > *to_natural) {
        **from = (**from).min(*from_natural);
        **to = (**to).min(*to_natural);
    }
    let both = (**from + **to + spare).min(from_natural.saturating_add(*to_natural));
    let half = (both / 2).max(both.saturating_sub(*to_natural)).min(*from_natural);
    // Names with their addresses next to names alone would too.
    if (**from < *from_natural) != (**to < *to_natural) {
        let has_address = |width: u16, natural: u16| width >= natural.min(NAMED_ADDRESS_WIDTH);
        if has_address(half, *from_natural) && has_address(both - half, *to_natural) {
            (**from, **to) = (half, both - half);
        } else {
            **from = from_brief.map_or(**from, |brief| brief.max(*from_names).min(**from));
            **to = to_brief.map_or(**to, |brief| brief.max(*to_names).min(**to));
        }
    }
    // Each side has the form of its names for which there is space, or both have too little.
    if *from_brief <= Some(**from) && *to_brief <= Some(**to) {
        return;
    }
    let both = from.saturating_add(**to);
    if both < from_natural.saturating_add(*to_natural) {
        **from = (both / 2).max(both.saturating_sub(*to_natural)).min(*from_natural);
        **to = both - **from;
    }
}

/// A column with its place in the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedColumn {
    /// Width, or 0 if the column is left out.
    pub width: u16,
    /// Columns after the decimal points.
    pub after_point: u16,
    /// Columns between it and the next one.
    pub gap: u16,
    /// `true` if amounts in it have units of their own.
    pub has_units: bool,
}

impl PlacedColumn {
    pub fn cell(self, cell: TableCell, align: Align) -> RowCell {
        let Self { width, after_point, gap, .. } = self;
        RowCell { after_point, gap, ..RowCell::new(cell, width, align) }
    }

    pub fn title(self, title: TableCell, align: Align) -> RowCell {
        let after_point = self.after_point.saturating_sub(DECIMALS_BELOW_TITLE);
        RowCell { after_point, ..self.cell(title, align) }
    }
}

impl ColumnHead {
    /// Measures rows of a screen.
    fn extent(
        &self,
        number: usize,
        (rows, screen): (&[&dyn AnyRow], &[&dyn AnyRow]),
        cx: &RowContext<'_>,
    ) -> ColumnExtent {
        let has_words = self.title.is_empty() && cx.is_in_full();
        // Nothing is cut where there is no screen.
        let is_whole = has_words || cx.is_in_full() && self.kind != ColumnKind::Bar;
        let max = if is_whole { FULL_CELL_WIDTH } else { self.width.max };
        let mut extent = ColumnExtent::default();
        // Most calls move no coin.
        let is_coin_of_calls =
            self.kind == ColumnKind::Coin && cx.subject == ListSubject::Transaction;
        let usual = if is_coin_of_calls {
            Some(ZERO)
        } else {
            self.usual_value.filter(|_| !cx.is_in_full())
        };
        let is_abbreviated = matches!(self.kind, ColumnKind::Address | ColumnKind::Hash);
        let mut has_names = false;
        // Rows whose addresses differ: the forms of an address follow from its whole form.
        let mut parties: Vec<&dyn AnyRow> = Vec::new();
        let mut known = HashSet::new();
        for row in rows {
            let cell = |width: u16| row.cell(number, cx, max.min(width).into());
            let whole = cell(FULL_CELL_WIDTH);
            let is_address = self.kind == ColumnKind::Address;
            let lead = whole.lead.map(|(arrow, _)| arrow);
            if is_address && !known.insert((whole.address, lead, whole.text.clone())) {
                continue;
            }
            has_names |= whole.text.contains(' ') || is_name_alone(&whole.text, cx);
            extent.has_arrows |= whole.lead.is_some();
            extent.has_values |= whole.text != ABSENT && Some(&*whole.text) != usual;
            let full = whole.extent(self.align);
            let short =
                if is_abbreviated { cell(SHORT_CELL_WIDTH).extent(self.align) } else { full };
            if is_address {
                let width = |columns: u16| cell(columns).extent(self.align).width();
                extent.brief = extent.brief.max(width(BRIEF_CELL_WIDTH));
                extent.names = extent.names.max(width(NAMES_CELL_WIDTH));
            }
            extent.cells = extent.cells.union(short);
            extent.full = extent.full.max(full.width().min(max));
            if is_address {
                parties.push(*row);
            }
        }
        extent.cells.before = extent.cells.before.min(max);
        if has_words && extent.cells.before > 0 {
            extent.cells.before = extent.cells.before.max(OUTCOME_WIDTH);
        }
        // Whole addresses next to names would be other names at each glance. The rows of a transaction are read together.
        let is_of_one = cx.transaction.is_some();
        if self.kind == ColumnKind::Address && has_names && !is_of_one && !cx.is_in_full() {
            let mark = if cx.format.address_marks { MARK_WIDTH } else { 0 };
            let named = parties.iter().map(|row| {
                row.cell(number, cx, (NAME_CELL_WIDTH + mark).into()).extent(self.align).width()
            });
            extent.full = named.fold(extent.cells.width(), u16::max);
            extent.has_long_names = true;
        }
        // A few whole hashes among blanks would only push the other columns away.
        if self.kind == ColumnKind::Hash && !cx.is_in_full() {
            let has_value = |row: &&&dyn AnyRow| row.cell(number, cx, max.into()).text != ABSENT;
            if screen.iter().filter(has_value).count() * 2 < screen.len() {
                extent.full = extent.cells.width();
            }
        }
        extent
    }

    /// Returns the size, which is zero for blank cells.
    fn size(&self, extent: ColumnExtent, has_cells: bool, cx: &RowContext<'_>) -> ColumnSize {
        let rank = self.width.rank;
        let has_signs = match self.kind {
            ColumnKind::Hash => true,
            ColumnKind::Address => extent.has_arrows || cx.format.address_marks,
            _ => false,
        };
        let gap = if has_signs { MIN_SIGN_GAP } else { MIN_GAP };
        let is_blank = has_cells && extent.cells.width() == 0;
        if is_blank || !self.is_shown(cx) {
            let has_long_names = false;
            let (min, brief, names, natural, full) = (0, None, 0, 0, 0);
            return ColumnSize { min, brief, names, natural, full, has_long_names, gap, rank };
        }
        let width = |text: &str| u16::try_from(format::width(text)).unwrap_or(u16::MAX);
        let cells = extent.cells.width().max(width(self.title)).max(1);
        let has_units = extent.cells.with_unit > 0;
        let title = width(&self.header(cx, FULL_CELL_WIDTH.into(), has_units));
        // Other rows may have longer bars than those on the screen.
        let own = if self.kind == ColumnKind::Bar { self.width.min } else { 0 };
        let natural = cells.max(title.saturating_add(extent.mark)).max(own);
        let min = match self.kind {
            ColumnKind::Time if cx.format.time_format != TimeFormat::Age => TIME_WIDTHS[0],
            ColumnKind::Address => {
                let short = cx.abbreviator.map_or(ADDRESS_WIDTH, Abbreviator::max_width);
                self.width
                    .min
                    .max(u16::try_from(short).unwrap_or(u16::MAX).saturating_add(MARKS_WIDTH))
            }
            _ => self.width.min,
        };
        let is_address = self.kind == ColumnKind::Address;
        let brief = is_address.then(|| extent.brief.max(width(self.title)).min(natural));
        // Amounts with units of their own are left out where there is no space for them.
        let aligned = extent.cells.aligned_width().max(width(self.title)).max(1);
        let with_unit = extent.cells.with_unit;
        let least = if with_unit > MAX_UNIT_CELL_WIDTH { aligned } else { aligned.max(with_unit) };
        let (full, has_long_names) = (extent.full.max(natural), extent.has_long_names);
        let names = if is_address { extent.names.min(natural) } else { 0 };
        // Nothing is cut in a column of short forms only.
        let min = brief.map_or(min, |brief| brief.min(min));
        let least_shown = min.min(least.max(own));
        ColumnSize { min: least_shown, brief, names, natural, full, has_long_names, gap, rank }
    }
}

/// Returns `true` for a name that has no address after it, as names of a transaction have none.
fn is_name_alone(text: &str, cx: &RowContext<'_>) -> bool {
    cx.transaction.is_some() && text != ABSENT && !text.trim_start_matches('!').starts_with("0x")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::Item;
    use crate::api::token_transfers::TokenTransfer;
    use crate::chain::TxHash;
    use crate::columns::ListRow;
    use crate::columns::table::column::{Column, number_width, text_width};
    use crate::ui::theme::Role;

    const fn size(min: u16, natural: u16, full: u16) -> ColumnSize {
        let (brief, names, has_long_names) = (None, 0, false);
        ColumnSize { min, brief, names, natural, full, has_long_names, gap: 1, rank: 0 }
    }

    #[test]
    fn empty_columns_go_if_they_are_few_or_without_space() {
        let sizes = [size(1, 4, 4); 4];
        let has_few = |full: usize, total| {
            let extent =
                |n: usize| ColumnExtent { has_values: n < full, ..ColumnExtent::default() };
            TableExtent((0..4).map(extent).collect()).has_few_empty_columns(&sizes, total)
        };
        assert_eq!([3, 2, 1].map(|full| has_few(full, 100)), [true, false, false]);
        assert!(has_few(1, 10));
    }

    #[test]
    fn values_and_arrows_of_other_rows_are_kept() {
        let other = ColumnExtent { has_values: true, has_arrows: true, ..ColumnExtent::default() };
        let mut extent = TableExtent(vec![ColumnExtent::default()]);
        extent.extend(&TableExtent(vec![other]));
        assert_eq!(extent, TableExtent(vec![other]));
    }

    #[test]
    fn last_line_widens_no_blank_column() {
        let head = ColumnHead { title: "value", ..Column::<()>::TEXT.head() };
        let last = [("value", TableCell::new("a long total", Role::Plain))];
        let width = |before| {
            let cells = CellExtent { before, ..CellExtent::default() };
            let mut extent = TableExtent(vec![ColumnExtent { cells, ..ColumnExtent::default() }]);
            extent.include(&[head], &last);
            extent.0[0].cells.width()
        };
        assert_eq!([0, 3].map(width), [0, 12]);
    }

    #[test]
    fn mark_of_a_sorted_column_is_after_its_whole_title() {
        let head =
            ColumnHead { title: "value", width: number_width(0), ..Column::<()>::COIN.head() };
        let mut extent = TableExtent(vec![ColumnExtent::default()]);
        extent.widen(&[head], 0, 2);
        let natural = head.size(extent.0[0], true, &RowContext::blank()).natural;
        assert_eq!(usize::from(natural), "value ETH ↓".chars().count());
    }

    #[test]
    fn least_widths_follow_from_the_kind_of_a_column() {
        let cx = &RowContext::blank();
        let extent = |before, with_unit| {
            let cells = CellExtent { before, with_unit, ..CellExtent::default() };
            ColumnExtent { cells, ..ColumnExtent::default() }
        };
        let head = |kind| {
            let width = text_width(8, 20, 0);
            ColumnHead { kind, width, ..Column::<()>::TEXT.head() }
        };
        let kinds = [ColumnKind::Hash, ColumnKind::Bar, ColumnKind::Other];
        let sizes = kinds.map(|kind| head(kind).size(extent(1, 0), true, cx));
        assert_eq!(sizes.map(|size| size.gap), [MIN_SIGN_GAP, MIN_GAP, MIN_GAP]);
        assert_eq!(sizes.map(|size| size.natural), [1, 8, 1]);
        let amounts = ColumnHead { width: number_width(0), ..Column::<()>::AMOUNT.head() };
        let least = |with_unit| amounts.size(extent(5, with_unit), true, cx).min;
        assert_eq!([10, MAX_UNIT_CELL_WIDTH + 1].map(least), [10, 5]);
    }

    #[test]
    fn marked_address_is_no_name() {
        let cx = RowContext { transaction: Some(TxHash::ZERO), ..RowContext::blank() };
        let is_name = |text| is_name_alone(text, &cx);
        let texts = ["Router", "0x3C44…93BC", "!0x3C44…93BC", ABSENT];
        assert_eq!(texts.map(is_name), [true, false, false, false]);
    }

    #[test]
    fn hashes_are_whole_if_half_of_the_rows_have_one() {
        let transfer = |hash: Option<TxHash>| {
            let json = to_raw_value(&json!({ "transaction_hash": hash })).unwrap();
            Item::<TokenTransfer>::from_json(&json).parsed.unwrap()
        };
        let transfers = [transfer(Some(TxHash::ZERO)), transfer(None), transfer(None)];
        let columns = TokenTransfer::KIND.columns;
        let hash = columns.iter().position(|head| head.kind == ColumnKind::Hash).unwrap();
        let short = Abbreviator::default();
        let cx = RowContext { abbreviator: Some(&short), ..RowContext::blank() };
        let full = |count| {
            let rows: Vec<&dyn AnyRow> = transfers.iter().take(count).map(|row| row as _).collect();
            TableExtent::new(columns, &rows, &cx).0[hash].full
        };
        assert_eq!([1, 2].map(full), [66, 66]);
        assert!(full(3) < 66);
    }

    #[test]
    fn both_parties_give_way_alike() {
        let head = ColumnHead { kind: ColumnKind::Address, ..Column::<()>::TEXT.head() };
        let sizes = [ColumnSize { brief: Some(20), ..size(10, 42, 42) }; 2];
        let mut widths = [42, 20];
        share_evenly(&mut widths, &sizes, &[head; 2], 18);
        assert_eq!(widths, [40, 40]);
    }

    #[test]
    fn only_shown_parties_share_their_space() {
        let columns = TokenTransfer::KIND.columns;
        let size = ColumnSize { brief: Some(42), ..size(11, 42, 42) };
        let sizes = vec![size; columns.len()];
        let addresses = (0..).zip(columns).filter(|(_, head)| head.kind == ColumnKind::Address);
        let [from, to, party] = *addresses.map(|(at, _)| at).collect::<Vec<usize>>() else {
            panic!("other columns")
        };
        let shared = |shown: &[(usize, u16)]| {
            let mut widths = vec![0; columns.len()];
            for (at, width) in shown {
                widths[*at] = *width;
            }
            share_evenly(&mut widths, &sizes, columns, 0);
            [widths[from], widths[to], widths[party]]
        };
        assert_eq!(shared(&[(from, 40), (to, 20)]), [30, 30, 0]);
        assert_eq!(shared(&[(party, 20)]), [0, 0, 20]);
        assert_eq!(shared(&[(from, 20)]), [20, 0, 0]);
    }

    #[test]
    fn spare_width_is_between_the_columns() {
        let gaps = |widths: &[u16], total| {
            let sizes = vec![ColumnSize { gap: 2, ..size(1, 10, 10) }; widths.len()];
            widen_gaps(least_gaps(widths, &sizes), widths, total)
        };
        assert_eq!(gaps(&[10, 0, 10, 10], 50), [5, 0, 5, 0], "at most");
        assert_eq!(gaps(&[10, 0, 10, 10], 35), [3, 0, 2, 0], "up to the right edge");
        assert_eq!(gaps(&[10, 10, 10], 34), [2, 2, 0]);
        assert_eq!(gaps(&[10, 10, 10], 20), [2, 2, 0], "cut at the edge");
        assert_eq!(gaps(&[10], 40), [0]);
    }

    #[test]
    fn bars_take_the_spare_width() {
        let head = Column::<()>::TEXT.head();
        let columns = [head, ColumnHead { kind: ColumnKind::Bar, ..head }, head];
        let stretched = |mut widths: [u16; 3], total| {
            stretch_bars(&mut widths, &columns, total);
            widths
        };
        assert_eq!(stretched([10, 8, 10], 38), [10, 18, 10]);
        assert_eq!(stretched([10, 8, 10], 20), [10, 8, 10]);
        assert_eq!(stretched([10, 8, 10], 99), [10, 20, 10], "up to a length");
        assert_eq!(stretched([10, 0, 10], 38), [10, 0, 10], "without bars");
    }

    #[test]
    fn both_sides_of_a_transfer_are_whole_or_neither() {
        let head = ColumnHead { kind: ColumnKind::Address, ..Column::<()>::TEXT.head() };
        let size = ColumnSize { brief: Some(20), ..size(10, 20, 42) };
        let sizes = [size; 2];
        let shared = |mut widths: [u16; 2]| {
            share_evenly(&mut widths, &sizes, &[head; 2], 0);
            widths
        };
        assert_eq!(shared([20, 42]), [20, 20]);
        assert_eq!(shared([42, 42]), [42, 42]);
        assert_eq!(shared([10, 20]), [15, 15]);
    }
}
