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
        if self.len() == 0 {
            return Err(self.why_empty().into());
        }
        let name = |ending| format!("{}.{ending}", self.kind.list_name);
        Ok(match viewer {
            ExternalTool::Editor => {
                Export::new(name("jsonl"), self.items().map(|item| json_line(item.raw().get())))
            }
            ExternalTool::Pager => Export::new(name("txt"), self.table(cx)),
        })
    }

    /// Returns the table, with everything in full: a pager scrolls sideways.
    fn table(&self, cx: &PaneContext<'_>) -> Vec<String> {
        let row_cx = self.row_context(cx, None);
        let columns = self.kind.columns;
        let mut extent = TableExtent::default();
        for item in self.items() {
            let row: Vec<_> = item.row().into_iter().collect();
            extent.extend(&TableExtent::new(columns, &row, &row_cx));
        }
        let placed = extent.layout(columns, u16::MAX, &row_cx);
        let line = |item: Arc<dyn AnyItem>| match item.row() {
            Err(why) => ListNotice::Unreadable { why }.to_string(),
            Ok(row) => table_row(row, &row_cx, &placed),
        };
        let header = table_header(columns, &row_cx, &placed);
        std::iter::once(header).chain(self.items().map(line)).collect()
    }
}
