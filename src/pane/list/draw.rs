//! How a list looks: its head, the rows in sight, the line that says what comes next, and the
//! selected row in full.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::paged::{Tail, UnderWay};
use super::super::row::{Row, RowCx, warnings, widths};
use super::super::{Cx, detail_lines};
use super::{List, regions};
use crate::api::Item;
use crate::chain::Address;
use crate::ui::abbreviate::Shortener;
use crate::ui::format::{cut, wrap};
use crate::ui::table::{Cell, draw_row};
use crate::ui::theme::Role;

/// What all lines of a frame share.
struct Drawn<'a> {
    widths: Vec<u16>,
    row_cx: RowCx<'a>,
}

impl<T: Row> List<T> {
    pub(super) fn draw(&self, cx: &Cx<'_>, buf: &mut Buffer) {
        let regions = regions(cx.area);
        let items = self.items_in_sight(cx);
        let (short, widths) = self.layout(cx);
        let drawn = Drawn { widths, row_cx: self.row_cx(cx, Some(&short)) };
        Self::draw_head(regions.head, &drawn, cx, buf);
        self.draw_rows(&items, &drawn, cx, buf);
        self.draw_strip(regions.strip, cx, buf);
    }

    fn items_in_sight(&self, cx: &Cx<'_>) -> Vec<&Item<T>> {
        (self.sight.top..self.len())
            .take(usize::from(regions(cx.area).rows.height))
            .filter_map(|place| self.paged.rows().get(self.sight.row(place)?).map(|item| &**item))
            .collect()
    }

    /// How the addresses in sight are shortened, and how wide the columns are for that.
    pub(super) fn layout(&self, cx: &Cx<'_>) -> (Shortener, Vec<u16>) {
        let items = self.items_in_sight(cx);
        let rows = items.iter().filter_map(|item| item.read.as_ref().ok());
        let addresses: Vec<Address> = rows.flat_map(Row::addresses).collect();
        let suspicious = addresses.iter().any(|address| cx.known.resembles(address).is_some());
        let short = Shortener::new(addresses);
        // One column more for the mark of a suspicious one.
        let longest = u16::try_from(short.longest() + usize::from(suspicious)).unwrap_or(u16::MAX);
        let widths = widths::<T>(cx.area.width, longest, cx.notation);
        (short, widths)
    }

    fn draw_head(area: Rect, drawn: &Drawn<'_>, cx: &Cx<'_>, buf: &mut Buffer) {
        let titles = T::columns().iter().zip(&drawn.widths).map(|(column, width)| {
            let title = column.head(&drawn.row_cx, usize::from(*width));
            (Cell::new(title, Role::Title), *width, column.align)
        });
        draw_row(buf, area, titles, cx.styles);
    }

    fn draw_rows(&self, items: &[&Item<T>], drawn: &Drawn<'_>, cx: &Cx<'_>, buf: &mut Buffer) {
        let area = regions(cx.area).rows;
        for (n, (item, line)) in items.iter().zip(area.rows()).enumerate() {
            draw_item(item, line, drawn, cx, buf);
            if self.sight.top + n == self.sight.selected {
                buf.set_style(line, cx.styles.selection());
                buf.set_style(self.cell_area(line, &drawn.widths), cx.styles.cell());
            }
        }
        let (words, role) = self.tail_words(cx);
        let parts = wrap(&words, usize::from(area.width).max(2));
        for (part, line) in parts.into_iter().zip(area.rows().skip(items.len())) {
            let text = words.get(part).unwrap_or_default();
            buf.set_stringn(line.x, line.y, text, usize::from(line.width), cx.styles.of(role));
        }
    }

    /// Where the selected cell of a line is.
    fn cell_area(&self, line: Rect, widths: &[u16]) -> Rect {
        let before = widths.iter().take(self.column).filter(|w| **w > 0).map(|w| w + 1).sum();
        let width = widths.get(self.column).copied().unwrap_or(0);
        Rect { x: line.x.saturating_add(before), width, ..line }.intersection(line)
    }

    /// What is said after the last row.
    fn tail_words(&self, cx: &Cx<'_>) -> (Cow<'_, str>, Role) {
        let rows = self.paged.rows().len();
        if let Some(filter) = &self.sight.filter
            && *self.paged.tail() == Tail::End
        {
            let words = format!("{} of all {rows} rows hold {filter}", self.len());
            return (words.into(), Role::Dim);
        }
        match (self.paged.tail(), self.paged.under_way()) {
            (_, Some(UnderWay::Page)) if rows == 0 => ("loading…".into(), Role::Dim),
            (_, Some(UnderWay::Page)) => ("loading more…".into(), Role::Dim),
            (Tail::Failed(_, error), _) => {
                let retry = cx.keys.sentence("✗ failed, {refresh} to retry");
                (format!("{retry}: {error} ({})", error.hint()).into(), Role::Failed)
            }
            (Tail::More(Some(_)), _) if self.len() == 0 && rows > 0 => {
                let way = cx.keys.sentence("{next_row} loads more");
                (format!("none of the {rows} loaded rows; {way}").into(), Role::Dim)
            }
            (Tail::More(None), _) => (cx.keys.sentence("not loaded: {refresh} loads"), Role::Dim),
            (Tail::More(Some(_)), _) => {
                (cx.keys.sentence("more: {next_row} or {last} loads"), Role::Dim)
            }
            (Tail::End, _) if rows == 0 => {
                ("nothing here: the explorer lists no rows".into(), Role::Dim)
            }
            (Tail::End, _) if rows == 1 => ("end of list, 1 row".into(), Role::Dim),
            (Tail::End, _) => (format!("end of list, {rows} rows").into(), Role::Dim),
        }
    }

    /// The selected row in full, what it warns of first.
    fn draw_strip(&self, area: Rect, cx: &Cx<'_>, buf: &mut Buffer) {
        let Some(row) = self.item().and_then(|item| item.read.as_ref().ok()) else { return };
        let mut lines = area.rows();
        if let Some(line) = lines.next() {
            let rule = "─".repeat(usize::from(line.width));
            buf.set_string(line.x, line.y, rule, cx.styles.of(Role::Dim));
        }
        let room = usize::from(area.width.saturating_sub(8));
        let mut parts: Vec<(&str, String, Role)> = Vec::new();
        for warning in warnings(row, cx.known) {
            let lines = wrap(&warning, room).into_iter();
            let lines = lines.map(|part| warning.get(part).unwrap_or_default().to_owned());
            parts.extend(
                lines
                    .enumerate()
                    .map(|(n, line)| (if n == 0 { "!" } else { "" }, line, Role::Warning)),
            );
        }
        let values = row.strip(&self.row_cx(cx, None)).into_iter();
        let named = |text: &str| detail_lines::line(text, cx.seen.labels()).into_owned();
        parts.extend(values.map(|(label, text)| (label, named(&text), Role::Plain)));
        for ((label, text, role), line) in parts.into_iter().zip(lines) {
            buf.set_stringn(line.x, line.y, label, 8, cx.styles.of(Role::Title));
            let x = line.x + 8.min(line.width);
            buf.set_string(x, line.y, cut(&text, room), cx.styles.of(role));
        }
    }
}

fn draw_item<T: Row>(item: &Item<T>, line: Rect, drawn: &Drawn<'_>, cx: &Cx<'_>, buf: &mut Buffer) {
    let row = match &item.read {
        Ok(row) => row,
        Err(why) => {
            let text = {
                let ways = cx.keys.sentence("{open} shows it, {copy_json} copies it");
                format!("unreadable row: {why} ({ways})")
            };
            let text = cut(&text, usize::from(line.width));
            buf.set_string(line.x, line.y, text, cx.styles.of(Role::Warning));
            return;
        }
    };
    let shown = T::columns().iter().zip(&drawn.widths).filter(|(_, width)| **width > 0);
    let cells = shown.map(|(column, width)| {
        ((column.cell)(row, &drawn.row_cx, usize::from(*width)), *width, column.align)
    });
    draw_row(buf, line, cells, cx.styles);
}
