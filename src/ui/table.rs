//! A table of which only the visible rows are made.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::format::{cut, width};
use super::theme::{Role, Styles};

/// On which side a cell's text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Left.
    Left,
    /// Right: numbers.
    Right,
}

/// How wide a column may be, and how soon it goes when there is no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnWidth {
    /// It is not shown any narrower.
    pub min: u16,
    /// It gains nothing from being wider.
    pub max: u16,
    /// Columns of the highest rank are left out first, and of the lowest are widened first.
    pub rank: u8,
}

/// What is written in one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCell {
    /// Safe text.
    pub text: Cow<'static, str>,
    /// What it is.
    pub role: Role,
}

impl TableCell {
    /// A cell.
    pub fn new(text: impl Into<Cow<'static, str>>, role: Role) -> Self {
        Self { text: text.into(), role }
    }
}

/// How wide each column is; 0 for one that is left out.
///
/// Every column first gets its least width, in order of rank while there is room; what is left
/// widens the columns in the same order.
pub fn fit_widths(columns: &[ColumnWidth], room: u16) -> Vec<u16> {
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|i| columns.get(*i).map_or(0, |w| w.rank));
    let mut left = room;
    let mut widths = vec![0; columns.len()];
    for (widen, i) in order.iter().map(|i| (false, i)).chain(order.iter().map(|i| (true, i))) {
        let (Some(column), Some(width)) = (columns.get(*i), widths.get_mut(*i)) else { continue };
        let wanted = match (widen, *width) {
            (false, _) => column.min + 1, // and the space after it
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

/// Writes one row of cells from the left edge of `area`'s first line, each with its width and side.
pub fn draw_row(
    buf: &mut Buffer,
    area: Rect,
    cells: impl Iterator<Item = (TableCell, u16, Align)>,
    styles: &Styles,
) {
    let mut x = area.x;
    for (cell, room, align) in cells {
        if room == 0 || x >= area.right() {
            continue;
        }
        let text = cut(&cell.text, usize::from(room));
        let used = u16::try_from(width(&text)).unwrap_or(room);
        let start = if align == Align::Right { x + room.saturating_sub(used) } else { x };
        let style = styles.of(cell.role);
        buf.set_stringn(
            start,
            area.y,
            &text,
            usize::from(area.right().saturating_sub(start)),
            style,
        );
        x = x.saturating_add(room + 1);
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
    fn the_lowest_rank_is_served_first() {
        assert_eq!(fit_widths(&COLUMNS, 60), [4, 40, 8]);
        assert_eq!(fit_widths(&COLUMNS, 30), [4, 17, 6]);
        assert_eq!(fit_widths(&COLUMNS, 20), [0, 12, 6]);
        assert_eq!(fit_widths(&COLUMNS, 5), [4, 0, 0]);
        assert_eq!(fit_widths(&COLUMNS, 0), [0, 0, 0]);
    }
}
