//! Copying of values in the selected row.

use super::super::{Command, PaneContext, copy_or_confirm};
use super::ListPane;
use crate::action::Action;
use crate::columns::cells::failure_reason::FailureReason;
use crate::columns::table::any_row::AnyRow;
use crate::columns::table::column::{ColumnUse, FULL_CELL_WIDTH};
use crate::columns::table::csv::csv_row;
use crate::columns::{CopyValue, warnings};
use crate::messages::list::{self, ListNotice};
use crate::sanitize::{SafeText, json_line};

impl ListPane {
    /// Copies a value of the selected row, after a confirmation where it is suspicious.
    pub(super) fn copy(&self, action: Action, cx: &PaneContext<'_>) -> Option<Command> {
        let value = self.value_or_row(action, cx)?;
        Some(match value.text {
            Some(text) => {
                let item = self.selected_item();
                let row = item.as_ref().and_then(|item| item.row().ok());
                let warned = row.map(|row| warnings(row, &self.row_context(cx, None)));
                copy_or_confirm(value.label, text, cx, &warned.unwrap_or_default())
            }
            None => Command::notify(&ListNotice::NoValue { what: value.label }),
        })
    }

    /// Returns the value in the selected row that a copy action copies, or the row with its names.
    pub(super) fn value_or_row(&self, action: Action, cx: &PaneContext<'_>) -> Option<CopyValue> {
        let item = self.selected_item();
        match item.as_ref().and_then(|item| item.row().ok()) {
            Some(row) if action == Action::CopyRow => {
                Some(CopyValue::new(action, "row", Some(csv_row(row, &self.row_context(cx, None)))))
            }
            Some(row) if action == Action::CopyCell => {
                self.own_cell_value(row, cx).or_else(|| self.copy_value(action))
            }
            Some(_) if action == Action::CopyReason => {
                Some(CopyValue::new(action, "reason", self.failure_reason(cx)))
            }
            _ => self.copy_value(action),
        }
    }

    /// Returns the exact form of the reason in the row of the selected transaction.
    pub(super) fn failure_reason(&self, cx: &PaneContext<'_>) -> Option<SafeText> {
        let item = self.selected_item()?;
        let transaction = item.row().ok()?.as_transaction()?;
        FailureReason::of(transaction, cx.name_cache, cx.signature_db)?.exact()
    }

    /// Returns the copied text of the selected cell of a row if CSV does not have it: a value shown in place of the
    /// column's, or the text of a computed cell.
    pub(super) fn own_cell_value(
        &self,
        row: &dyn AnyRow,
        cx: &PaneContext<'_>,
    ) -> Option<CopyValue> {
        let column = self.kind.columns.get(self.column)?;
        let shown = row.shown_value(column, cx.name_cache);
        if shown.is_some() {
            return shown;
        }
        let is_computed = column.is_computed && column.usage != ColumnUse::OfAddress;
        if !is_computed || !row.full_value(self.column).is_empty() {
            return None;
        }
        let cell = row.cell(self.column, &self.row_context(cx, None), FULL_CELL_WIDTH.into());
        let is_known = !cell.is_absent && !matches!(&*cell.text, "" | "?");
        is_known.then(|| CopyValue::new(Action::CopyCell, column.title, Some(cell.text)))
    }

    /// Returns the address of the page, which an empty list of an address still has.
    fn viewed_address(&self, action: Action) -> Option<CopyValue> {
        let viewed = self.viewed.filter(|_| action == Action::CopyAddress)?;
        Some(CopyValue::new(action, list::PAGE_ADDRESS, Some(viewed)))
    }

    /// Returns the value in the selected row that a copy action copies.
    pub(super) fn copy_value(&self, action: Action) -> Option<CopyValue> {
        let Some(item) = self.selected_item() else { return self.viewed_address(action) };
        Some(match (action, item.row()) {
            (Action::CopyJson, _) => {
                CopyValue::new(action, "JSON", Some(json_line(item.raw().get())))
            }
            (Action::CopyCell, Ok(row)) => {
                let column = self.kind.columns.get(self.column)?;
                let text = row.full_value(self.column);
                if column.usage == ColumnUse::OfAddress {
                    return row.copy_value(Action::CopyAddress, self.viewed);
                }
                let name = column.value_name.unwrap_or(column.title);
                CopyValue::new(action, name, (!text.is_empty()).then_some(text))
            }
            (_, Ok(row)) => row.copy_value(action, self.viewed)?,
            (Action::CopyCell | Action::CopyRow, Err(_)) => {
                CopyValue::new(action, "readable value", None::<&str>)
            }
            (_, Err(_)) => return None,
        })
    }
}
