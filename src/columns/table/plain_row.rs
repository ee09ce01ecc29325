//! Rows whose details and copies follow from their columns.

use super::any_row::RowId;
use super::column::{Column, ColumnKind, FULL_CELL_WIDTH};
use crate::action::Action;
use crate::chain::Address;
use crate::columns::{CopyValue, ListRow, Row, RowContext};
use crate::sanitize::SafeText;

/// The action that copies the first column of each kind.
const COPIES: [(ColumnKind, Action); 4] = [
    (ColumnKind::Hash, Action::CopyHash),
    (ColumnKind::Address, Action::CopyAddress),
    (ColumnKind::Block, Action::CopyBlock),
    (ColumnKind::Coin, Action::CopyValue),
];

/// A row without details of its own.
pub trait PlainRow: ListRow {
    /// Returns the identity of the row in its list, or `None` if too much is missing.
    fn row_id(&self) -> Option<RowId>;
}

impl<T: PlainRow> Row for T {
    fn id(&self) -> Option<RowId> {
        self.row_id()
    }

    /// Returns a line for each hash and each address, and one for the rest that is known.
    fn detail_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let titled = T::COLUMNS.iter().filter(|column| !column.title.is_empty());
        let (long, short): (Vec<_>, Vec<_>) = titled
            .partition(|column| matches!(column.kind, ColumnKind::Hash | ColumnKind::Address));
        let mut lines: Vec<(&'static str, SafeText)> =
            long.iter().map(|column| (column.title, full_text(*column, self, cx).into())).collect();
        let mut rest = short
            .iter()
            .map(|column| (column.title, full_text(*column, self, cx)))
            .filter(|(_, text)| !text.starts_with('—'));
        if let Some((title, first)) = rest.next() {
            let text = rest.fold(first, |text, (title, value)| format!("{text} · {title} {value}"));
            lines.push((title, SafeText::new(&text)));
        }
        lines
    }

    fn copy_values(&self, _: Option<Address>) -> Vec<CopyValue> {
        COPIES
            .into_iter()
            .filter_map(|(kind, action)| {
                let column = T::COLUMNS.iter().find(|column| column.kind == kind)?;
                let text = (column.full_value)(self);
                let text = Some(text).filter(|text| !text.is_empty() && text != "?");
                Some(CopyValue::new(action, column.value_name.unwrap_or(column.title), text))
            })
            .collect()
    }
}

/// Returns the text of a cell in full, with the unit of coin.
fn full_text<T: ListRow>(column: &Column<T>, row: &T, cx: &RowContext<'_>) -> String {
    let in_full = RowContext { abbreviator: None, ..*cx };
    let text = (column.cell)(row, &in_full, FULL_CELL_WIDTH.into()).text;
    match column.kind {
        ColumnKind::Coin => format!("{text} {}", cx.format.unit.name(cx.network)),
        ColumnKind::Address => match text.rsplit_once(' ') {
            // The details add labels to all addresses.
            Some((name, address)) if is_label(name, address, cx) => address.to_owned(),
            Some((name, address)) => format!("{address} {name}"),
            None => text.to_string(),
        },
        _ => text.to_string(),
    }
}

fn is_label(name: &str, address: &str, cx: &RowContext<'_>) -> bool {
    let address: Option<Address> = address.parse().ok();
    let label = address.and_then(|address| cx.name_cache.labels().decorated_name(&address));
    // Cells mark a look-alike before its name.
    label.is_some_and(|label| label == name.strip_prefix('!').unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::accounts::RankedAccount;

    #[test]
    fn details_leave_out_what_is_absent() {
        let sent =
            r#"{"hash":"0x5FbDB2315678afecb367f032d93F642f64180aa3","transactions_count":"7"}"#;
        (RankedAccount::KIND.visit)(sent, None, &mut |item| {
            let lines = item.row.unwrap().detail_lines(&RowContext::blank());
            let (_, rest) = lines.last().unwrap();
            assert!(rest.contains('7') && !rest.contains('—'), "{lines:?}");
        });
    }
}
