//! A table that draws only its visible rows.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use strum::IntoEnumIterator;

use super::address_mark::{AddressMark, MARK_WIDTH};
use super::format::{self, cut};
use super::marked_text::MarkedText;
use super::text::{draw_pieces, set_text};
use super::theme::{Role, Styles};
use crate::chain::Address;
use crate::chain::significant_digits::ReadableNumber;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
    /// Decimal points aligned.
    Point,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableCell {
    /// An arrow before the text.
    pub lead: Option<(&'static str, Role)>,
    pub mark: Option<AddressMark>,
    pub text: Cow<'static, str>,
    pub role: Role,
    /// Number of bytes at the end of the text that are drawn dim.
    pub tail: usize,
    /// The parts of the text, if they differ in their roles. The text has blanks for their marks.
    pub parts: Vec<MarkedText>,
    /// The address in the cell.
    pub address: Option<Address>,
    pub is_highlighted: bool,
    /// `true` if there is no value, unlike a text `—`.
    pub is_absent: bool,
    /// `true` for an amount with a unit of its own: it ends at the right edge of the column, whatever its
    /// decimal point.
    pub has_own_unit: bool,
}

impl TableCell {
    pub fn absent() -> Self {
        Self { is_absent: true, ..Self::new("—", Role::Dim) }
    }

    pub fn new(text: impl Into<Cow<'static, str>>, role: Role) -> Self {
        Self { text: text.into(), role, ..Self::default() }
    }

    /// Creates a cell of parts that are drawn one after the other.
    pub fn of_parts(parts: Vec<MarkedText>) -> Self {
        let blank = " ".repeat(MARK_WIDTH.into());
        let texts = parts.iter().flat_map(|part| [part.mark.map_or("", |_| &blank), &part.text]);
        Self { text: texts.collect::<String>().into(), parts, ..Self::default() }
    }

    pub fn number(number: ReadableNumber, role: Role) -> Self {
        Self { tail: number.tail, ..Self::new(number.text, role) }
    }

    fn lead_width(&self) -> u16 {
        let arrow = if self.lead.is_some() { LEAD_WIDTH } else { 0 };
        arrow + if self.mark.is_some() { MARK_WIDTH } else { 0 }
    }

    /// Returns the columns before and after the decimal point, or all of them as one part if there is
    /// no point to align.
    pub fn extent(&self, align: Align) -> CellExtent {
        let columns = |text| u16::try_from(format::width(text)).unwrap_or(u16::MAX);
        if self.has_own_unit {
            let with_unit = self.lead_width().saturating_add(columns(&*self.text));
            return CellExtent { with_unit, ..CellExtent::default() };
        }
        // Numbers with an exponent have any number of digits before it.
        let has_point = align == Align::Point && !self.text.contains('e');
        let point = self.text.find('.').filter(|_| has_point);
        let (before, after) = self.text.split_at(point.unwrap_or(self.text.len()));
        CellExtent {
            before: self.lead_width().saturating_add(columns(before)),
            after: columns(after),
            with_unit: 0,
        }
    }
}

/// The cell as text, without its mark.
impl fmt::Display for TableCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((arrow, _)) = self.lead {
            write!(f, "{arrow} ")?;
        }
        f.write_str(&self.text)
    }
}

/// Columns of an arrow and the space after it.
pub const LEAD_WIDTH: u16 = 2;

/// Columns of a cell before and after its decimal point, or of one that is not aligned by it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CellExtent {
    pub before: u16,
    pub after: u16,
    /// Columns of an amount with a unit of its own.
    pub with_unit: u16,
}

impl CellExtent {
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            before: self.before.max(other.before),
            after: self.after.max(other.after),
            with_unit: self.with_unit.max(other.with_unit),
        }
    }

    /// Returns the columns of the cells that are aligned by their points.
    pub fn aligned_width(self) -> u16 {
        self.before.saturating_add(self.after)
    }

    pub fn width(self) -> u16 {
        self.aligned_width().max(self.with_unit)
    }
}

/// Possible widths of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnSize {
    /// Minimum width. The column is left out if there is less space.
    pub min: u16,
    /// Width for the short forms of its values, which other columns leave to it. `None` if its values have
    /// no other form and are cut.
    pub brief: Option<u16>,
    /// Width at which the names of addresses are whole, without their addresses; 0 of other columns.
    pub names: u16,
    /// Width at which nothing is cut.
    pub natural: u16,
    /// Width at which nothing is abbreviated. Taken as a whole or not at all, unless names are cut below it.
    pub full: u16,
    /// `true` if only long names are cut below the full width.
    pub has_long_names: bool,
    /// Least columns between it and the column before it.
    pub gap: u16,
    /// Columns of the highest rank are left out first. Columns of the lowest rank are widened first.
    pub rank: u8,
}

/// Widths to which all columns that are shown are widened, one after the other.
#[derive(Debug, Clone, Copy, strum::EnumIter)]
enum WideningStep {
    /// Cells that are a word.
    Words,
    BriefForms,
    /// Cells of short text.
    ShortText,
    /// Names of addresses.
    Names,
    Cells,
    FullValues,
}

/// Rank from which on a column gives way to what would be cut otherwise.
const MIN_DISPENSABLE_RANK: u8 = 9;
/// Columns of a word, such as `swapExactIn`, that is not cut for the sake of longer names.
const MAX_WORD_WIDTH: u16 = 12;
/// Columns of text, such as the name of a method, that is not cut for the sake of long forms.
const MAX_SHORT_TEXT_WIDTH: u16 = 22;

/// Columns of most names with their addresses, after an arrow and a mark.
pub const NAMED_ADDRESS_WIDTH: u16 = 30;

impl ColumnSize {
    /// Returns the width after a step of a column that is `width` wide, if `left` columns are free.
    fn widened(&self, step: WideningStep, width: u16, left: u16) -> u16 {
        let is_text = self.brief.is_none();
        let (wanted, least) = match step {
            WideningStep::Words if is_text && self.natural <= MAX_WORD_WIDTH => (self.natural, 0),
            WideningStep::BriefForms => (self.brief.unwrap_or(0), 0),
            WideningStep::Names => (self.names, self.names),
            WideningStep::ShortText if is_text && self.natural <= MAX_SHORT_TEXT_WIDTH => {
                (self.natural, 0)
            }
            WideningStep::Cells if is_text => (self.natural, 0),
            // A few names with their addresses among others without would look like other names.
            WideningStep::Cells => (self.natural, self.natural.min(NAMED_ADDRESS_WIDTH)),
            WideningStep::FullValues if !self.has_long_names => (self.full, self.full),
            WideningStep::FullValues if width >= self.natural => (self.full, 0),
            WideningStep::Words | WideningStep::ShortText | WideningStep::FullValues => (width, 0),
        };
        let widened = wanted.clamp(width, width.saturating_add(left));
        if widened < least { width } else { widened }
    }
}

/// Returns the width of each column, or 0 if it is left out.
///
/// In order of rank, every column gets its minimum width while there is space. The rest widens the
/// columns in the same order: to words, to the short forms of values that have some, to the cells of columns
/// of short text, to the cells of the others, and to the full values.
///
/// Columns of high ranks give way if short text or short forms would be cut for them.
pub fn fit_widths(columns: &[ColumnSize], total: u16) -> Vec<u16> {
    let mut rest = columns.to_vec();
    loop {
        let widths = widths_by_rank(&rest, total);
        let Some(size) = dispensable_column(&rest, &widths).and_then(|at| rest.get_mut(at)) else {
            return widths;
        };
        *size = ColumnSize { min: 0, brief: None, names: 0, natural: 0, full: 0, ..*size };
    }
}

/// Returns the shown column of the highest rank, if it may give way to others that are cut.
fn dispensable_column(columns: &[ColumnSize], widths: &[u16]) -> Option<usize> {
    let shown = || (0..).zip(columns.iter().zip(widths)).filter(|(_, (_, width))| **width > 0);
    let (last, (size, _)) = shown().max_by_key(|(_, (size, _))| size.rank)?;
    let is_cut = |(at, (size, width)): (usize, (&ColumnSize, &u16))| {
        let text = Some(size.natural).filter(|natural| *natural <= MAX_SHORT_TEXT_WIDTH);
        at != last && size.brief.or(text).is_some_and(|least| *width < least)
    };
    (size.rank >= MIN_DISPENSABLE_RANK && shown().any(is_cut)).then_some(last)
}

fn widths_by_rank(columns: &[ColumnSize], total: u16) -> Vec<u16> {
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_unstable_by_key(|i| (columns.get(*i).map_or(0, |size| size.rank), *i));
    // The first column has no space before it.
    let first = columns.iter().find(|size| size.natural > 0);
    let mut left = total.saturating_add(first.map_or(0, |size| size.gap));
    let mut widths = vec![0; columns.len()];
    for i in &order {
        let (Some(size), Some(width)) = (columns.get(*i), widths.get_mut(*i)) else { continue };
        if size.natural > 0 && size.min + size.gap <= left {
            left -= size.min + size.gap;
            *width = size.min;
        }
    }
    for step in WideningStep::iter() {
        for i in &order {
            let (Some(size), Some(width)) = (columns.get(*i), widths.get_mut(*i)) else { continue };
            if *width > 0 {
                let widened = size.widened(step, *width, left);
                left -= widened - *width;
                *width = widened;
            }
        }
    }
    widths
}

#[derive(Debug, Clone)]
pub struct RowCell {
    pub cell: TableCell,
    /// Width, or 0 if the column is left out.
    pub width: u16,
    pub align: Align,
    /// Columns after the decimal points of the column.
    pub after_point: u16,
    /// Columns between this cell and the next one.
    pub gap: u16,
    /// The parts of the text that a search has found.
    pub matches: Vec<Range<usize>>,
}

/// Least columns between two cells, whose words or numbers would be one name or number otherwise.
pub const MIN_GAP: u16 = 2;
/// Least columns between a cell and an arrow, a mark or a hash.
pub const MIN_SIGN_GAP: u16 = 1;

impl RowCell {
    pub fn new(cell: TableCell, width: u16, align: Align) -> Self {
        Self { cell, width, align, after_point: 0, gap: MIN_GAP, matches: Vec::new() }
    }

    /// Returns the spaces before the cell.
    fn indent(&self, used: u16) -> u16 {
        let free = self.width.saturating_sub(used);
        match self.align {
            Align::Left => 0,
            Align::Right => free,
            Align::Point if self.cell.has_own_unit => free,
            Align::Point => {
                let after = self.cell.extent(Align::Point).after;
                free.saturating_sub(self.after_point.saturating_sub(after))
            }
        }
    }

    fn draw(&self, buf: &mut Buffer, mut area: Rect, styles: &Styles) {
        let cell = &self.cell;
        let text = cut(&cell.text, usize::from(self.width.saturating_sub(cell.lead_width())));
        let used = u16::try_from(format::width(&text)).unwrap_or(self.width);
        let indent = self.indent(used.saturating_add(cell.lead_width()));
        area.x = area.x.saturating_add(indent);
        area.width = area.width.saturating_sub(indent);
        let skip = |area: &mut Rect, columns: u16| {
            area.x = area.x.saturating_add(columns);
            area.width = area.width.saturating_sub(columns);
        };
        if let Some((arrow, role)) = cell.lead {
            buf.set_stringn(area.x, area.y, arrow, usize::from(area.width), styles.of(role));
            skip(&mut area, LEAD_WIDTH);
        }
        if let Some(mark) = cell.mark.filter(|_| area.width >= MARK_WIDTH) {
            mark.draw(buf, area.x, area.y, styles);
            skip(&mut area, MARK_WIDTH);
        }
        let whole = Rect { width: used.min(area.width), ..area };
        self.draw_content(&text, whole, buf, styles);
        for found in &self.matches {
            buf.set_style(self.area_of(found, whole), styles.of(Role::Match));
        }
    }

    /// Draws the text, which may be cut.
    fn draw_content(&self, text: &str, area: Rect, buf: &mut Buffer, styles: &Styles) {
        let cell = &self.cell;
        if !cell.parts.is_empty() {
            draw_pieces(buf, area, cell.parts.iter().flat_map(|part| part.pieces(styles)));
            return;
        }
        let tail = if text.len() == cell.text.len() { cell.tail } else { 0 };
        let (bright, tail) = text.split_at(text.len().saturating_sub(tail));
        let mut x = area.x;
        for (part, role) in [(bright, cell.role), (tail, Role::Dim)] {
            let rest = usize::from(area.right().saturating_sub(x));
            let mut style = styles.of(role);
            if cell.is_highlighted {
                style = style.patch(styles.of(Role::Highlight));
            }
            x = set_text(buf, Position { x, y: area.y }, part, rest, style);
        }
    }

    /// Returns the area of a part of the text, which is drawn in `whole`.
    fn area_of(&self, part: &Range<usize>, whole: Rect) -> Rect {
        let columns = |range: Range<usize>| {
            let text = self.cell.text.get(range).unwrap_or_default();
            u16::try_from(format::width(text)).unwrap_or(u16::MAX)
        };
        let x = whole.x.saturating_add(columns(0..part.start));
        Rect { x, width: columns(part.clone()), ..whole }.intersection(whole)
    }
}

/// Draws cells from the left edge of the first line of `area`.
pub fn draw_row(
    buf: &mut Buffer,
    area: Rect,
    cells: impl IntoIterator<Item = RowCell>,
    styles: &Styles,
) {
    let mut x = area.x;
    for cell in cells.into_iter().filter(|cell| cell.width > 0) {
        if x >= area.right() {
            return;
        }
        cell.draw(buf, Rect { x, width: cell.width.min(area.right() - x), ..area }, styles);
        x = x.saturating_add(cell.width + cell.gap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn size(min: u16, natural: u16, full: u16, rank: u8) -> ColumnSize {
        let (brief, names, has_long_names) = (None, 0, false);
        ColumnSize { min, brief, names, natural, full, has_long_names, gap: 1, rank }
    }

    const COLUMNS: [ColumnSize; 3] = [size(4, 4, 4, 2), size(10, 14, 42, 0), size(6, 8, 8, 1)];

    #[test]
    fn names_are_whole_before_they_have_addresses() {
        let party = ColumnSize { brief: Some(16), names: 20, ..size(11, 32, 45, 1) };
        assert_eq!(fit_widths(&[party], 32), [32]);
        assert_eq!(fit_widths(&[party], 29), [20]);
        assert_eq!(fit_widths(&[party], 19), [16], "cut anyway");
    }

    #[test]
    fn lowest_rank_gets_width_first() {
        assert_eq!(fit_widths(&COLUMNS, 60), [4, 42, 8]);
        assert_eq!(fit_widths(&COLUMNS, 55), [4, 14, 8], "all of the full width or none of it");
        assert_eq!(fit_widths(&COLUMNS, 25), [4, 11, 8], "but after words");
        assert_eq!(fit_widths(&COLUMNS, 20), [0, 11, 8]);
        assert_eq!(fit_widths(&COLUMNS, 5), [4, 0, 0]);
        assert_eq!(fit_widths(&COLUMNS, 0), [0, 0, 0]);
        assert_eq!(fit_widths(&[size(0, 0, 0, 0), size(2, 2, 2, 1)], 2), [0, 2]);
    }

    #[test]
    fn short_forms_come_before_cut_text_and_that_before_long_forms() {
        let party = ColumnSize { brief: Some(14), ..size(11, 24, 45, 0) };
        let columns = [party, size(8, 21, 21, 1)];
        assert_eq!(fit_widths(&columns, 20), [11, 8]);
        assert_eq!(fit_widths(&columns, 25), [14, 10], "a wider short form than that says no more");
        assert_eq!(fit_widths(&columns, 40), [14, 21], "all of the long form or none of it");
        assert_eq!(fit_widths(&columns, 46), [24, 21]);
        assert_eq!(fit_widths(&columns, 70), [45, 21]);
        let columns = [party, size(8, 11, 11, 1)];
        assert_eq!(fit_widths(&columns, 24), [12, 11], "a word is not cut for it");
    }

    #[test]
    fn columns_of_a_high_rank_give_way_to_names() {
        let party = ColumnSize { brief: Some(18), ..size(16, 24, 45, 2) };
        let columns = |rank| [party, size(5, 5, 5, rank)];
        assert_eq!(fit_widths(&columns(9), 24), [18, 5]);
        assert_eq!(fit_widths(&columns(9), 23), [18, 0]);
        assert_eq!(fit_widths(&columns(8), 23), [17, 5]);
    }

    #[test]
    fn amounts_with_units_of_their_own_end_at_the_right_edge() {
        let column = ["1", "0.123457", "1,250 USDC"].map(|text| {
            let has_own_unit = text.ends_with('C');
            TableCell { has_own_unit, ..TableCell::new(text, Role::Value) }
        });
        let extents = column.iter().map(|cell| cell.extent(Align::Point));
        let extent = extents.reduce(CellExtent::union).unwrap();
        assert_eq!((extent.aligned_width(), extent.width()), (8, 10));
        let mut buf = Buffer::empty(Rect::new(0, 0, 10, 3));
        for (y, amount) in (0..).zip(column) {
            let cell =
                RowCell { after_point: extent.after, ..RowCell::new(amount, 10, Align::Point) };
            draw_row(&mut buf, Rect::new(0, y, 10, 1), [cell], &Styles::new(false));
        }
        let lines = buf
            .content
            .chunks(10)
            .map(|line| line.iter().map(ratatui::buffer::Cell::symbol).collect::<String>());
        assert_eq!(lines.collect::<Vec<_>>(), ["  1       ", "  0.123457", "1,250 USDC"]);
    }

    #[test]
    fn decimal_points_are_under_each_other() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 12, 4));
        for (y, text) in (0..).zip(["2,490.26", "0.0343", "12", "—"]) {
            let cell = TableCell::new(text, Role::Value);
            let cell = RowCell { after_point: 5, ..RowCell::new(cell, 10, Align::Point) };
            draw_row(&mut buf, Rect::new(0, y, 12, 1), [cell], &Styles::new(false));
        }
        let lines = buf.content.chunks(12).map(|line| {
            let text: String = line.iter().map(ratatui::buffer::Cell::symbol).collect();
            text.trim_end().to_owned()
        });
        assert_eq!(lines.collect::<Vec<_>>(), ["2,490.26", "    0.0343", "   12", "    —"]);
    }
}
