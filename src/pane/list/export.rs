//! A list's rows as shown, for another program: a table to read, or what the server sent.

use std::sync::Arc;

use super::super::export::Paper;
use super::super::row::{Row, table_line, widths};
use super::super::{Cx, Viewer};
use super::List;
use crate::api::Item;
use crate::sanitize::{Text, json_line};
use crate::ui::abbreviate::Shortener;

/// Columns of a table that scrolls sideways: nothing in it is cut.
const WIDE: u16 = 500;

impl<T: Row> List<T> {
    pub(super) fn written(&self, viewer: Viewer, cx: &Cx<'_>) -> Result<Paper, Text> {
        let row = |place| self.paged.rows().get(self.sight.row(place)?);
        let items: Vec<_> = (0..self.len()).filter_map(row).collect();
        if items.is_empty() {
            return Err("there are no rows to show".into());
        }
        let name = |ending| format!("{}.{ending}", T::NAME);
        Ok(match viewer {
            Viewer::Editor => {
                Paper::new(name("jsonl"), items.iter().map(|item| json_line(item.raw.get())))
            }
            Viewer::Pager => Paper::new(name("txt"), self.table(&items, cx)),
        })
    }

    /// The rows under their titles, every address told from all others.
    fn table(&self, items: &[&Arc<Item<T>>], cx: &Cx<'_>) -> Vec<String> {
        let read = items.iter().filter_map(|item| item.read.as_ref().ok());
        let short = Shortener::new(read.flat_map(Row::addresses));
        let longest = u16::try_from(short.longest() + 1).unwrap_or(u16::MAX);
        let (widths, row_cx) =
            (widths::<T>(WIDE, longest, cx.notation), self.row_cx(cx, Some(&short)));
        let heads = T::columns().iter().zip(&widths);
        let heads = heads.map(|(c, room)| c.head(&row_cx, usize::from(*room)).into_owned());
        let titles: Vec<String> = heads.collect();
        let head = table_line::<T>(&titles, &widths);
        let line = |item: &&Arc<Item<T>>| match &item.read {
            Err(why) => format!("unreadable row: {why}"),
            Ok(row) => {
                let cells = T::columns().iter().zip(&widths);
                let cell = cells.map(|(c, room)| (c.cell)(row, &row_cx, usize::from(*room)));
                table_line::<T>(&cell.map(|c| c.text.into_owned()).collect::<Vec<_>>(), &widths)
            }
        };
        std::iter::once(head).chain(items.iter().map(line)).collect()
    }
}
