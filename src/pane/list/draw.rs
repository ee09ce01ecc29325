//! How a list looks: its head, the rows in sight, the row that says what comes next, and the
//! selected row in full.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::Cx;
use super::super::paged::Tail;
use super::super::row::Row;
use super::List;
use crate::api::Item;
use crate::ui::format::cut;
use crate::ui::table::{Cell, draw_row};
use crate::ui::theme::Role;

impl<T: Row> List<T> {
    pub(super) fn draw_head(area: Rect, widths: &[u16], cx: &Cx<'_>, buf: &mut Buffer) {
        let titles = T::columns()
            .iter()
            .zip(widths)
            .map(|(column, width)| (Cell::new(column.title, Role::Title), *width, column.align));
        draw_row(buf, area, titles, cx.styles);
    }

    pub(super) fn draw_rows(&self, area: Rect, widths: &[u16], cx: &Cx<'_>, buf: &mut Buffer) {
        let below = self.paged.rows().get(self.top..).unwrap_or_default();
        let mut lines = area.rows();
        for (n, (item, line)) in below.iter().zip(lines.by_ref()).enumerate() {
            self.draw_item((item, widths), line, cx, buf);
            if self.paged.is_stale() {
                buf.set_style(line, cx.styles.stale());
            }
            if self.top + n == self.selected {
                buf.set_style(line, cx.styles.selection());
                buf.set_style(self.cell_area(line, widths), cx.styles.cell());
            }
        }
        // `zip` has taken one line too many when the rows ran out first.
        let shown = u16::try_from(below.len()).unwrap_or(u16::MAX);
        if shown < area.height {
            let line = Rect { y: area.y + shown, height: 1, ..area };
            let (text, role) = self.tail_words();
            let text = cut(&text, usize::from(line.width)).into_owned();
            buf.set_string(line.x, line.y, text, cx.styles.of(role));
        }
    }

    /// One line: `shown` is the item and the widths of its columns.
    fn draw_item(&self, shown: (&Item<T>, &[u16]), line: Rect, cx: &Cx<'_>, buf: &mut Buffer) {
        let (item, widths) = shown;
        match &item.read {
            Ok(row) => {
                let row_cx = self.row_cx(cx);
                let cells = T::columns().iter().zip(widths).filter(|(_, w)| **w > 0).map(
                    |(column, width)| {
                        ((column.cell)(row, &row_cx, usize::from(*width)), *width, column.align)
                    },
                );
                draw_row(buf, line, cells, cx.styles);
            }
            Err(why) => {
                let text = format!("unreadable row: {why} (Enter shows it, yj copies it)");
                let text = cut(&text, usize::from(line.width));
                buf.set_string(line.x, line.y, text, cx.styles.of(Role::Warning));
            }
        }
    }

    /// Where the selected cell of a line is.
    fn cell_area(&self, line: Rect, widths: &[u16]) -> Rect {
        let before = widths.iter().take(self.column).filter(|w| **w > 0).map(|w| w + 1).sum();
        let width = widths.get(self.column).copied().unwrap_or(0);
        Rect { x: line.x.saturating_add(before), width, ..line }.intersection(line)
    }

    /// What is said after the last row.
    fn tail_words(&self) -> (Cow<'_, str>, Role) {
        let rows = self.paged.rows().len();
        match self.paged.tail() {
            Tail::Loading(None) => ("loading…".into(), Role::Dim),
            Tail::Loading(Some(_)) => ("loading more…".into(), Role::Dim),
            Tail::More(None) => ("not loaded: r loads".into(), Role::Dim),
            Tail::More(Some(_)) => ("more: j or G loads".into(), Role::Dim),
            Tail::Failed(_, error) => {
                (format!("✗ failed, r to retry: {error} ({})", error.hint()).into(), Role::Failed)
            }
            Tail::End if rows == 0 => {
                ("nothing here: the explorer lists no rows".into(), Role::Dim)
            }
            Tail::End if rows == 1 => ("end of list, 1 row".into(), Role::Dim),
            Tail::End => (format!("end of list, {rows} rows").into(), Role::Dim),
        }
    }

    pub(super) fn draw_strip(&self, area: Rect, cx: &Cx<'_>, buf: &mut Buffer) {
        let Some(row) = self.item().and_then(|item| item.read.as_ref().ok()) else { return };
        let mut lines = area.rows();
        if let Some(line) = lines.next() {
            let rule = "─".repeat(usize::from(line.width));
            buf.set_string(line.x, line.y, rule, cx.styles.of(Role::Dim));
        }
        for ((label, text), line) in row.strip(&self.row_cx(cx)).into_iter().zip(lines) {
            buf.set_stringn(line.x, line.y, label, 8, cx.styles.of(Role::Title));
            let room = usize::from(line.width.saturating_sub(8));
            buf.set_string(
                line.x + 8.min(line.width),
                line.y,
                cut(&text, room),
                cx.styles.of(Role::Plain),
            );
        }
    }
}
