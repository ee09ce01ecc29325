//! A row of a list with a line for each column, and nothing cut.

use std::sync::Arc;

use super::PaneContext;
use super::detail::{DetailPane, DetailSource, LoadedDetail};
use crate::action::Action;
use crate::api::Field;
use crate::chain::Address;
use crate::columns::any_row::{AnyItem, AnyRow};
use crate::columns::column::{ColumnHead, ColumnKind, ColumnUse};
use crate::columns::text::csv_line;
use crate::columns::{CopyValue, Row};
use crate::pane::field_entries::{gather_absent, missing_entry};
use crate::route::Route;
use crate::safety::address_poisoning::Evidence;
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryLink};

/// Creates a pane of a row, seen from the viewed address.
pub(super) fn pane(item: &Arc<dyn AnyItem>, viewed: Option<Address>) -> DetailPane {
    let source = Ok(Box::new(RowDetail { item: item.clone(), viewed }) as _);
    DetailPane::from_loaded(LoadedDetail { source, raw: Some(item.raw().clone()) }, None)
}

#[derive(Debug)]
struct RowDetail {
    item: Arc<dyn AnyItem>,
    viewed: Option<Address>,
}

impl RowDetail {
    fn row(&self) -> Option<&dyn AnyRow> {
        self.item.row().ok()
    }

    fn entry(
        &self,
        number: usize,
        column: &ColumnHead,
        cx: &PaneContext<'_>,
    ) -> Option<DocumentEntry> {
        let row = self.row()?;
        let cell = row.cell(number, &cx.row_context(self.viewed), usize::MAX);
        if cell.is_absent {
            return missing_entry(column.title, &Field::<()>::Absent);
        }
        let entry = match cell.to_string() {
            blank if blank.is_empty() => return None,
            text => DocumentEntry::text(column.title, text).role(cell.role),
        };
        let entry = match row.full_value(number) {
            computed if computed.is_empty() => entry,
            value => entry.copy(&*value),
        };
        if !matches!(column.kind, ColumnKind::Address | ColumnKind::Hash | ColumnKind::Block) {
            return Some(entry);
        }
        Some(match self.item.clone().cell_route(number, self.viewed) {
            Some(Route::Target(target)) => entry.link(EntryLink::Target(target)),
            Some(Route::Token(token)) => entry.link(EntryLink::Token(token)),
            _ => entry,
        })
    }
}

impl DetailSource for RowDetail {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let Some(row) = self.row() else { return Vec::new() };
        let columns = (0..).zip(row.kind().columns).filter(|(_, column)| {
            // Sender and receiver have lines of their own.
            let is_party = matches!(column.usage, ColumnUse::OfAddress) && self.viewed.is_none();
            column.width.max > 0 && !is_party
        });
        gather_absent(columns.filter_map(|(n, column)| self.entry(n, column, cx)).collect())
    }

    fn has_ages(&self) -> bool {
        true
    }

    fn copy_value(&self, action: Action, viewed: Option<Address>) -> Option<CopyValue> {
        let row = self.row()?;
        match action {
            Action::CopyRow => Some(CopyValue::new(action, "row", Some(csv_line(row)))),
            _ => row.copy_value(action, viewed),
        }
    }

    fn evidence(&self, viewed: Option<Address>) -> Vec<(Address, Evidence)> {
        self.row().map(|row| row.evidence(viewed)).unwrap_or_default()
    }

    fn warnings(&self) -> Vec<SafeText> {
        self.row().map(Row::warnings).unwrap_or_default()
    }
}
