//! The rows of a list for external programs: a table, or the original JSON.

use std::sync::Arc;

use super::super::export::Export;
use super::super::{ExternalTool, PaneContext};
use super::ListPane;
use crate::columns::any_row::AnyItem;
use crate::columns::table_extent::TableExtent;
use crate::columns::text::{table_header, table_row};
use crate::messages::list::ListNotice;
use crate::sanitize::{SafeText, json_line};

impl ListPane {
    pub(super) fn to_export(
        &self,
        viewer: ExternalTool,
        cx: &PaneContext<'_>,
    ) -> Result<Export, SafeText> {
        let items: Vec<_> = (0..self.len()).filter_map(|place| self.item(place)).collect();
        if items.is_empty() {
            return Err(self.why_empty().into());
        }
        let name = |ending| format!("{}.{ending}", self.kind.list_name);
        Ok(match viewer {
            ExternalTool::Editor => {
                Export::new(name("jsonl"), items.iter().map(|item| json_line(item.raw().get())))
            }
            ExternalTool::Pager => Export::new(name("txt"), self.table(&items, cx)),
        })
    }

    /// Returns the table, with everything in full: a pager scrolls sideways.
    fn table(&self, items: &[&Arc<dyn AnyItem>], cx: &PaneContext<'_>) -> Vec<String> {
        let row_cx = self.row_context(cx, None);
        let columns = self.kind.columns;
        let rows: Vec<_> = items.iter().filter_map(|item| item.row().ok()).collect();
        let placed = TableExtent::new(columns, &rows, &row_cx).layout(columns, u16::MAX, &row_cx);
        let line = |item: &&Arc<dyn AnyItem>| match item.row() {
            Err(why) => ListNotice::Unreadable { why }.to_string(),
            Ok(row) => table_row(row, &row_cx, &placed),
        };
        let header = table_header(columns, &row_cx, &placed);
        std::iter::once(header).chain(items.iter().map(line)).collect()
    }
}
