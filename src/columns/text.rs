//! Rows as lines of text: tables and CSV.

use super::column::{Column, PlacedColumn};
use super::{Row, RowContext};
use crate::csv_output::format_record;
use crate::sanitize::SafeText;
use crate::ui::format::{cut, width};
use crate::ui::table::{Align, TableCell};
use crate::ui::theme::Role;

pub fn table_header<T: Row>(cx: &RowContext<'_>, columns: &[PlacedColumn]) -> String {
    table_line::<T>(columns, cx, |column, width| {
        TableCell::new(column.header(cx, width), Role::Title)
    })
}

pub fn table_row<T: Row>(row: &T, cx: &RowContext<'_>, columns: &[PlacedColumn]) -> String {
    table_line::<T>(columns, cx, |column, width| (column.cell)(row, cx, width))
}

fn table_line<T: Row>(
    columns: &[PlacedColumn],
    cx: &RowContext<'_>,
    cell: impl Fn(&Column<T>, usize) -> TableCell,
) -> String {
    let mut line = String::new();
    for (column, placed) in T::COLUMNS.iter().zip(columns).filter(|(_, it)| it.width > 0) {
        let columns = usize::from(placed.width);
        let cell = cell(column, columns);
        let after = usize::from(placed.after_point.saturating_sub(cell.extent(column.align).after));
        let text = cell.to_string();
        // A later row may have more than those that were measured: numbers stay whole.
        let is_whole = cx.is_in_full() || column.align != Align::Left;
        let text = if is_whole { text.into() } else { cut(&text, columns) };
        let free = columns.saturating_sub(width(&text));
        let indent = match column.align {
            Align::Left => 0,
            Align::Right => free,
            Align::Point => free.saturating_sub(after),
        };
        line.extend([&*" ".repeat(indent), &text, &" ".repeat(free - indent + 1)]);
    }
    line.truncate(line.trim_end().len());
    line
}

pub fn csv_line<T: Row>(row: &T) -> SafeText {
    let columns = T::COLUMNS.iter().filter(|column| column.csv_name.is_some());
    SafeText::new(&format_record(columns.map(|column| (column.full_value)(row))))
}

pub fn csv_header<T: Row>() -> String {
    T::COLUMNS.iter().filter_map(|column| column.csv_name).collect::<Vec<_>>().join(",")
}
