//! The rows of a list for external programs: a table, or the original JSON.

use std::sync::Arc;

use super::super::export::Export;
use super::super::{ExternalTool, PaneContext};
use super::ListPane;
use crate::api::Item;
use crate::columns::Row;
use crate::columns::column::TableExtent;
use crate::columns::text::{table_header, table_row};
use crate::sanitize::{SafeText, json_line};

impl<T: Row> ListPane<T> {
    pub(super) fn to_export(
        &self,
        viewer: ExternalTool,
        cx: &PaneContext<'_>,
    ) -> Result<Export, SafeText> {
        let row = |place| self.paged.rows().get(self.filter.row(place)?);
        let items: Vec<_> = (0..self.len()).filter_map(row).collect();
        if items.is_empty() {
            return Err("the list is empty".into());
        }
        let name = |ending| format!("{}.{ending}", T::LIST_NAME);
        Ok(match viewer {
            ExternalTool::Editor => {
                Export::new(name("jsonl"), items.iter().map(|item| json_line(item.raw.get())))
            }
            ExternalTool::Pager => Export::new(name("txt"), self.table(&items, cx)),
        })
    }

    /// Returns the table, with everything in full: a pager scrolls sideways.
    fn table(&self, items: &[&Arc<Item<T>>], cx: &PaneContext<'_>) -> Vec<String> {
        let row_cx = self.row_context(cx, None);
        let rows = items.iter().filter_map(|item| item.parsed.as_ref().ok());
        let widths = TableExtent::new(&rows, &row_cx).layout::<T>(u16::MAX, &row_cx);
        let line = |item: &&Arc<Item<T>>| match &item.parsed {
            Err(why) => format!("unreadable row: {why}"),
            Ok(row) => table_row(row, &row_cx, &widths),
        };
        let header = table_header::<T>(&row_cx, &widths);
        std::iter::once(header).chain(items.iter().map(line)).collect()
    }
}
