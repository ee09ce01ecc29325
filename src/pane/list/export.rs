//! The rows of a list for external programs: a table, or the original JSON.

use std::sync::Arc;

use super::super::export::Export;
use super::super::{ExternalTool, PaneContext};
use super::ListPane;
use crate::api::Item;
use crate::chain::abbreviate::Abbreviator;
use crate::columns::Row;
use crate::columns::column::column_widths;
use crate::columns::text::{table_header, table_row};
use crate::sanitize::{SafeText, json_line};

/// The width of a table in a pager that scrolls sideways: wide enough for everything.
const EXPORT_TABLE_WIDTH: u16 = 500;

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

    /// Returns the table. All addresses in it are told apart, not only those of one screen.
    fn table(&self, items: &[&Arc<Item<T>>], cx: &PaneContext<'_>) -> Vec<String> {
        let read = items.iter().filter_map(|item| item.parsed.as_ref().ok());
        let short = Abbreviator::new(read.flat_map(Row::addresses));
        let longest = u16::try_from(short.max_width() + 1).unwrap_or(u16::MAX);
        let widths = column_widths::<T>(EXPORT_TABLE_WIDTH, longest, cx.format);
        let row_cx = self.row_context(cx, Some(&short));
        let line = |item: &&Arc<Item<T>>| match &item.parsed {
            Err(why) => format!("unreadable row: {why}"),
            Ok(row) => table_row(row, &row_cx, &widths),
        };
        let header = table_header::<T>(&row_cx, &widths);
        std::iter::once(header).chain(items.iter().map(line)).collect()
    }
}
