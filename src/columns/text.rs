//! Rows as lines of text: tables and CSV.

use super::column::Column;
use super::{Row, RowContext};
use crate::csv_output::format_record;
use crate::sanitize::SafeText;
use crate::ui::format::{cut, width};
use crate::ui::table::Align;

pub fn table_header<T: Row>(cx: &RowContext<'_>, widths: &[u16]) -> String {
    table_line::<T>(widths, |column, width| column.header(cx, width).into_owned())
}

pub fn table_row<T: Row>(row: &T, cx: &RowContext<'_>, widths: &[u16]) -> String {
    table_line::<T>(widths, |column, width| (column.cell)(row, cx, width).text.into_owned())
}

fn table_line<T: Row>(widths: &[u16], cell: impl Fn(&Column<T>, usize) -> String) -> String {
    let mut line = String::new();
    for (column, column_width) in T::COLUMNS.iter().zip(widths).filter(|(_, width)| **width > 0) {
        let columns = usize::from(*column_width);
        let text = cell(column, columns);
        let text = cut(&text, columns);
        let padding = " ".repeat(columns - width(&text));
        match column.align {
            Align::Left => line.extend([&*text, &padding, " "]),
            Align::Right => line.extend([&*padding, &text, " "]),
        }
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
