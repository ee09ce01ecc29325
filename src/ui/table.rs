//! A table that draws only its visible rows.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::format::{self, cut};
use super::theme::{Role, Styles};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnWidth {
    /// The least width. The column is left out if there is less space.
    pub min: u16,
    pub max: u16,
    /// Columns of the highest rank are left out first. Columns of the lowest rank are widened
    /// first.
    pub rank: u8,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCell {
    pub text: Cow<'static, str>,
    pub role: Role,
}

impl TableCell {
    pub fn new(text: impl Into<Cow<'static, str>>, role: Role) -> Self {
        Self { text: text.into(), role }
    }
}

/// Returns the width of each column, or 0 if it is left out.
///
/// In order of rank, every column gets its least width while there is space. The rest widens the
/// columns in the same order.
pub fn fit_widths(columns: &[ColumnWidth], total: u16) -> Vec<u16> {
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|i| columns.get(*i).map_or(0, |w| w.rank));
    let mut left = total;
    let mut widths = vec![0; columns.len()];
    for (widen, i) in order.iter().map(|i| (false, i)).chain(order.iter().map(|i| (true, i))) {
        let (Some(column), Some(width)) = (columns.get(*i), widths.get_mut(*i)) else { continue };
        let wanted = match (widen, *width) {
            (false, _) => column.min + 1, // with the space after it
            (true, 0) => continue,
            (true, now) => column.max.saturating_sub(now).min(left),
        };
        if wanted <= left {
            left -= wanted;
            *width += if widen { wanted } else { column.min };
        }
    }
    widths
}

#[derive(Debug, Clone)]
pub struct RowCell {
    pub cell: TableCell,
    /// Its width, or 0 if it is left out.
    pub width: u16,
    pub align: Align,
}

/// Draws cells from the left edge of the first line of `area`.
pub fn draw_row(
    buf: &mut Buffer,
    area: Rect,
    cells: impl IntoIterator<Item = RowCell>,
    styles: &Styles,
) {
    let mut x = area.x;
    for RowCell { cell, width, align } in cells.into_iter().filter(|cell| cell.width > 0) {
        if x >= area.right() {
            return;
        }
        let text = cut(&cell.text, usize::from(width));
        let used = u16::try_from(format::width(&text)).unwrap_or(width);
        let start = if align == Align::Right { x + width.saturating_sub(used) } else { x };
        let rest = usize::from(area.right().saturating_sub(start));
        buf.set_stringn(start, area.y, &text, rest, styles.of(cell.role));
        x = x.saturating_add(width + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [ColumnWidth; 3] = [
        ColumnWidth { min: 4, max: 4, rank: 2 },
        ColumnWidth { min: 10, max: 40, rank: 0 },
        ColumnWidth { min: 6, max: 8, rank: 1 },
    ];

    #[test]
    fn lowest_rank_gets_width_first() {
        assert_eq!(fit_widths(&COLUMNS, 60), [4, 40, 8]);
        assert_eq!(fit_widths(&COLUMNS, 30), [4, 17, 6]);
        assert_eq!(fit_widths(&COLUMNS, 20), [0, 12, 6]);
        assert_eq!(fit_widths(&COLUMNS, 5), [4, 0, 0]);
        assert_eq!(fit_widths(&COLUMNS, 0), [0, 0, 0]);
    }
}
