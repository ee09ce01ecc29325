//! Rows as lines of a text table.

use super::any_row::AnyRow;
use super::column::{ColumnHead, ColumnKind, FULL_CELL_WIDTH};
use super::extent::PlacedColumn;
use crate::columns::RowContext;
use crate::columns::cells::ZERO;
use crate::ui::format::{cut, width};
use crate::ui::table::{Align, TableCell};
use crate::ui::theme::Role;

pub fn table_header(
    columns: &[ColumnHead],
    cx: &RowContext<'_>,
    placed: &[PlacedColumn],
) -> String {
    table_line(columns, placed, cx, &|n, width| {
        let title = columns.get(n).map(|column| column.header(cx, width, false));
        TableCell::new(title.unwrap_or_default(), Role::Title)
    })
}

pub fn table_row(row: &dyn AnyRow, cx: &RowContext<'_>, placed: &[PlacedColumn]) -> String {
    let columns = row.kind().columns;
    // A symbol may look so too.
    let is_number = |n: usize| columns.get(n).is_some_and(|column| column.align != Align::Left);
    // A later row may be wider than the measured ones.
    let is_whole = |n: usize| {
        cx.is_in_full() && columns.get(n).is_some_and(|column| column.kind != ColumnKind::Bar)
    };
    let cell = |n: usize, width: usize| {
        row.cell(n, cx, if is_whole(n) { FULL_CELL_WIDTH.into() } else { width })
    };
    table_line(columns, placed, cx, &|n, width| match cell(n, width) {
        // The sign of the screen is explained there only.
        cell if cell.text == ZERO && is_number(n) => TableCell { text: "0".into(), ..cell },
        cell => cell,
    })
}

fn table_line(
    columns: &[ColumnHead],
    placed: &[PlacedColumn],
    cx: &RowContext<'_>,
    cell: &dyn Fn(usize, usize) -> TableCell,
) -> String {
    let mut line = String::new();
    let shown = (0..).zip(columns.iter().zip(placed)).filter(|(_, (_, place))| place.width > 0);
    for (n, (column, placed)) in shown {
        let columns = usize::from(placed.width);
        let cell = cell(n, columns);
        let after = usize::from(placed.after_point.saturating_sub(cell.extent(column.align).after));
        let text = cell.to_string();
        // A later row may be wider than the measured ones: numbers stay whole.
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

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::Item;
    use crate::api::token::Token;
    use crate::chain::hash_abbreviation::Abbreviator;
    use crate::columns::table::column::Column;
    use crate::columns::table::extent::TableExtent;

    /// A line with a column of text, a hidden one, a number, an amount, and text that may be blank.
    fn line(cells: [&'static str; 5], abbreviator: Option<&Abbreviator>) -> String {
        let aligned = [Align::Left, Align::Left, Align::Right, Align::Point, Align::Left];
        let columns = aligned.map(|align| ColumnHead { align, ..Column::<()>::TEXT.head() });
        let placed = [(6, 0), (0, 0), (5, 0), (8, 3), (4, 0)].map(|(width, after_point)| {
            PlacedColumn { width, after_point, has_units: false, gap: 1 }
        });
        let cx = RowContext { abbreviator, ..RowContext::blank() };
        table_line(&columns, &placed, &cx, &|n, _| TableCell::new(cells[n], Role::Plain))
    }

    #[test]
    fn cells_are_aligned_and_only_text_is_cut() {
        let short = Some(&Abbreviator::default());
        assert_eq!(
            line(["transfer", "hidden", "12", "1.5", "x"], short),
            "trans…    12     1.5  x"
        );
        assert_eq!(line(["mint", "hidden", "1234567", "12", ""], short), "mint   1234567    12");
        assert_eq!(line(["transfer", "", "1", "1.25", ""], None), "transfer     1     1.25");
    }

    #[test]
    fn rows_that_are_longer_than_the_measured_ones_are_whole_without_a_screen() {
        let token = |symbol: &str| {
            let json = to_raw_value(&serde_json::json!({ "symbol": symbol })).unwrap();
            Item::<Token>::from_json(&json).parsed.unwrap()
        };
        let (short, long) = (token("GLD"), token("GLASSDOLLAR"));
        let abbreviator = Abbreviator::default();
        for (abbreviator, is_whole) in [(None, true), (Some(&abbreviator), false)] {
            let cx = RowContext { abbreviator, ..RowContext::blank() };
            let columns = AnyRow::kind(&short).columns;
            let placed = TableExtent::new(columns, &[&short], &cx).layout(columns, 200, &cx);
            let line = table_row(&long, &cx, &placed);
            assert_eq!(line.contains("GLASSDOLLAR "), is_whole, "{line}");
        }
    }
}
