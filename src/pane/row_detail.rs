//! A row of a list with a line for each column, and nothing cut.

use std::fmt::Debug;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::PaneContext;
use super::absent_fields::gather_absent;
use super::detail::{DetailPane, DetailSource, LoadedDetail};
use crate::action::Action;
use crate::api::{Field, Item};
use crate::chain::Address;
use crate::columns::column::{Column, ColumnKind};
use crate::columns::text::csv_line;
use crate::columns::{CopyValue, Row};
use crate::route::Route;
use crate::safety::address_poisoning::Evidence;
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryLink};

/// A row of any list.
pub trait AnyRow: Debug {
    fn raw(&self) -> &Arc<RawValue>;

    /// Creates a pane of the row, seen from the viewed address.
    fn pane(self: Arc<Self>, viewed: Option<Address>) -> DetailPane;
}

impl<T: Row> AnyRow for Item<T> {
    fn raw(&self) -> &Arc<RawValue> {
        &self.raw
    }

    fn pane(self: Arc<Self>, viewed: Option<Address>) -> DetailPane {
        let raw = Some(self.raw.clone());
        let source = Ok(Box::new(RowDetail { item: self, viewed }) as _);
        DetailPane::from_loaded(LoadedDetail { source, raw }, None)
    }
}

#[derive(Debug)]
struct RowDetail<T: Row> {
    item: Arc<Item<T>>,
    viewed: Option<Address>,
}

impl<T: Row> RowDetail<T> {
    fn row(&self) -> Option<&T> {
        self.item.parsed.as_ref().ok()
    }

    fn entry(&self, column: &Column<T>, row: &T, cx: &PaneContext<'_>) -> Option<DocumentEntry> {
        let cell = (column.cell)(row, &cx.row_context(self.viewed), usize::MAX);
        if cell.is_absent {
            return Some(DocumentEntry::missing(column.title, &Field::<()>::Absent));
        }
        let entry = match cell.to_string() {
            blank if blank.is_empty() => return None,
            text => DocumentEntry::text(column.title, text).role(cell.role),
        };
        let entry = match (column.full_value)(row) {
            computed if computed.is_empty() => entry,
            value => entry.copy(&*value),
        };
        if !matches!(column.kind, ColumnKind::Address | ColumnKind::Hash | ColumnKind::Block) {
            return Some(entry);
        }
        Some(match (column.route)(&self.item, row, self.viewed) {
            Some(Route::Target(target)) => entry.link(EntryLink::Target(target)),
            Some(Route::Token(token)) => entry.link(EntryLink::Token(token)),
            _ => entry,
        })
    }
}

impl<T: Row> DetailSource for RowDetail<T> {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let Some(row) = self.row() else { return Vec::new() };
        let on_screen = T::COLUMNS.iter().filter(|column| column.width.max > 0);
        gather_absent(on_screen.filter_map(|column| self.entry(column, row, cx)).collect())
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
