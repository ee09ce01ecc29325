//! Rows as records of a CSV file.

use super::any_row::AnyRow;
use super::column::{ColumnHead, ColumnKind};
use crate::chain::Address;
use crate::columns::{RowContext, warnings};
use crate::csv_record::format_record;
use crate::sanitize::SafeText;

/// Name of the column of the warnings, which tables mark with a `!`.
const WARNINGS_NAME: &str = "warnings";

/// Returns the header of a CSV file: the name of an address follows it in a column of its own.
pub fn csv_header(columns: &[ColumnHead]) -> String {
    let titles = columns.iter().filter_map(|column| {
        let title = column.csv_name?;
        let is_named = column.kind == ColumnKind::Address;
        Some(if is_named { format!("{title},{title}_name") } else { title.to_owned() })
    });
    titles.chain([WARNINGS_NAME.to_owned()]).collect::<Vec<_>>().join(",")
}

/// Returns a row of a CSV file.
pub fn csv_row(row: &dyn AnyRow, cx: &RowContext<'_>) -> SafeText {
    let columns = (0..).zip(row.kind().columns).filter(|(_, column)| column.csv_name.is_some());
    let cells = columns.flat_map(|(n, column)| {
        let value = row.csv_value(n, cx);
        let name = (column.kind == ColumnKind::Address).then(|| {
            let address: Option<Address> = value.parse().ok();
            address.and_then(|address| cx.name_cache.label_or_name(&address)).unwrap_or_default()
        });
        [value].into_iter().chain(name)
    });
    let marked = warnings(row, cx).join("; ");
    SafeText::new(&format_record(cells.chain([marked.into()])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::token::Token;
    use crate::columns::ListRow;

    #[test]
    fn empty_symbol_is_an_empty_cell() {
        let sent = r#"{"address_hash":"0x5FbDB2315678afecb367f032d93F642f64180aa3","symbol":""}"#;
        (Token::KIND.visit)(sent, None, &mut |item| {
            let row = csv_row(item.row.unwrap(), &RowContext::blank());
            assert!(row.contains("0x5FbDB2315678afecb367f032d93F642f64180aa3"), "{row}");
            assert!(!row.contains('—'), "{row}");
        });
    }

    #[test]
    fn several_warnings_share_a_cell() {
        let sent = r#"{"address_hash":"0x5FbDB2315678afecb367f032d93F642f64180aa3","symbol":"USD\u0421",
            "reputation":"scam"}"#;
        (Token::KIND.visit)(sent, None, &mut |item| {
            let row = csv_row(item.row.unwrap(), &RowContext::blank());
            let warnings = row.rsplit(',').next().unwrap();
            assert_eq!(warnings.split("; ").count(), 2, "{row}");
        });
    }
}
