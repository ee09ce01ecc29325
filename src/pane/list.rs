//! A list of rows of any kind: loads page after page before the end is reached, keeps its place, and
//! says what the rest of it is doing.

mod draw;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};

use super::paged::{Ask, Paged, Tail};
use super::row::{Column, Row, RowCx, csv_line, widths};
use super::{Cx, Link, Pane, Want};
use crate::api::{ApiError, Item, Query, Reply};
use crate::chain::Address;
use crate::msg::Action;
use crate::text::{Text, json_line};

/// The pane of one list.
#[derive(Debug)]
pub struct List<T: Row> {
    query: Query,
    viewed: Option<Address>,
    paged: Paged<T, T::Id>,
    selected: usize,
    top: usize,
    column: usize,
    /// Page after page is being loaded because the user asked for the end.
    pulling: bool,
    /// The end was asked for last: asking again means all of it.
    at_last: bool,
}

/// Where the parts of the pane are.
struct Regions {
    head: Rect,
    rows: Rect,
    strip: Rect,
}

fn regions(area: Rect) -> Regions {
    // The strip repeats the selected row in full; on a low screen the rows matter more.
    let strip = if area.height >= 15 { 5 } else { 0 };
    let [head, rows, strip] = area.layout(&Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(strip),
    ]));
    Regions { head, rows, strip }
}

impl<T: Row> List<T> {
    /// The list that answers `query`.
    pub fn new(query: Query) -> Self {
        let viewed = query.viewed();
        let column = T::columns().iter().position(|c| c.title == "hash").unwrap_or(0);
        Self {
            query,
            viewed,
            paged: Paged::default(),
            selected: 0,
            top: 0,
            column,
            pulling: false,
            at_last: false,
        }
    }

    fn row_cx<'a>(&self, cx: &Cx<'a>) -> RowCx<'a> {
        RowCx { viewed: self.viewed, now: cx.now, network: cx.network }
    }

    fn item(&self) -> Option<&Arc<Item<T>>> {
        self.paged.rows().get(self.selected)
    }

    fn ask(&self, page: Option<Ask>) -> Vec<Want> {
        page.map(|ask| Want::Ask(self.query.clone(), ask.cursor)).into_iter().collect()
    }

    /// Asks for the next page when the end of what is loaded is less than a screen away.
    fn ask_ahead(&mut self, height: usize) -> Vec<Want> {
        let page = if self.pulling || self.top + 2 * height >= self.paged.rows().len() {
            self.paged.advance()
        } else {
            None
        };
        self.ask(page)
    }

    fn go(&mut self, to: usize, cx: &Cx<'_>) -> Vec<Want> {
        self.pulling = false;
        self.at_last = false;
        self.select(to, cx);
        self.ask_ahead(usize::from(regions(cx.area).rows.height))
    }

    fn select(&mut self, to: usize, cx: &Cx<'_>) {
        let height = usize::from(regions(cx.area).rows.height).max(1);
        self.selected = to.min(self.paged.rows().len().saturating_sub(1));
        // The row after the last one says what comes next, and belongs in sight with it.
        let tail = usize::from(self.selected + 1 == self.paged.rows().len() && height > 1);
        let least = (self.selected + 1 + tail).saturating_sub(height);
        self.top = self.top.clamp(least, self.selected.max(least));
    }

    /// Selects the row that was selected before the rows were replaced, if it is still there.
    fn stay_on(&mut self, id: Option<&T::Id>, cx: &Cx<'_>) {
        let of = |item: &Arc<Item<T>>| item.read.as_ref().ok().map(Row::id);
        if let Some(at) = id
            .and_then(|id| self.paged.rows().iter().position(|item| of(item).as_ref() == Some(id)))
        {
            let shift = at.wrapping_sub(self.selected);
            self.top = self.top.wrapping_add(shift).min(at); // the row stays where it is on the screen
            self.select(at, cx);
        }
    }

    fn last(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        let end = self.paged.rows().len().saturating_sub(1);
        let again = self.at_last;
        let mut wants = self.go(end, cx);
        self.at_last = true;
        if again && matches!(self.paged.tail(), Tail::More(_) | Tail::Loading(_)) {
            self.pulling = true;
            wants.push(Want::Say("loading page after page to the end: Esc stops".into()));
        }
        wants
    }

    fn step_column(&mut self, forward: bool, cx: &Cx<'_>) -> Vec<Want> {
        let shown: Vec<usize> = (0..T::columns().len())
            .zip(widths::<T>(cx.area.width))
            .filter_map(|(i, width)| (width > 0).then_some(i))
            .collect();
        let next = if forward {
            shown.iter().find(|i| **i > self.column)
        } else {
            shown.iter().rev().find(|i| **i < self.column)
        };
        self.column = next.copied().unwrap_or(self.column);
        Vec::new()
    }

    fn open(&self) -> Vec<Want> {
        let Some(item) = self.item() else { return Vec::new() };
        let link = match &item.read {
            Err(why) => Some(Link::Unread { why: why.clone(), raw: item.raw.clone() }),
            Ok(_) => T::columns().get(self.column).and_then(|c| (c.link)(item)).or_else(|| {
                T::columns().iter().find_map(|c| (c.link)(item)) // a cell that leads nowhere: the row
            }),
        };
        link.map(Want::Follow).into_iter().collect()
    }

    fn refresh(&mut self) -> Vec<Want> {
        if let Some(page) = self.paged.retry() {
            return self.ask(Some(page));
        }
        let page = self.paged.refresh();
        [vec![Want::Drop], self.ask(page)].concat()
    }

    fn copy(&self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let item = self.item()?;
        let (what, text) = match (action, &item.read) {
            (Action::CopyJson, _) => ("JSON", Some(Text::new(&json_line(item.raw.get())))),
            (_, Err(_)) => ("row", None),
            (Action::CopyCell, Ok(row)) => cell_text(T::columns().get(self.column)?, row),
            (Action::CopyRow, Ok(row)) => ("row", Some(csv_line(row))),
            (_, Ok(row)) => row.copy(action, &self.row_cx(cx))?,
        };
        Some(vec![match text {
            Some(text) => Want::Copy(what, text),
            None => Want::Say(Text::new(&format!("this row has no {what}"))),
        }])
    }
}

/// The whole value of a cell, or none where it is empty.
fn cell_text<T>(column: &Column<T>, row: &T) -> (&'static str, Option<Text>) {
    let text = Text::new(&(column.full)(row));
    (column.name.unwrap_or("value"), (!text.is_empty()).then_some(text))
}

impl<T: Row> Pane for List<T> {
    fn look(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        self.select(self.selected, cx);
        let page = if self.paged.rows().is_empty() { self.paged.advance() } else { None };
        self.ask(page)
    }

    fn leave(&mut self) {
        self.pulling = false;
        self.paged.stop();
    }

    fn act(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let height = usize::from(regions(cx.area).rows.height).max(1);
        Some(match action {
            Action::NextRow => self.go(self.selected + 1, cx),
            Action::PreviousRow => self.go(self.selected.saturating_sub(1), cx),
            Action::HalfPageDown => self.go(self.selected + height / 2, cx),
            Action::HalfPageUp => self.go(self.selected.saturating_sub(height / 2), cx),
            Action::PageDown => self.go(self.selected + height, cx),
            Action::PageUp => self.go(self.selected.saturating_sub(height), cx),
            Action::First => self.go(0, cx),
            Action::Last => self.last(cx),
            Action::PreviousCell => self.step_column(false, cx),
            Action::NextCell => self.step_column(true, cx),
            Action::Open => self.open(),
            Action::Refresh => self.refresh(),
            Action::Back if self.pulling => {
                self.pulling = false;
                vec![Want::Say("stopped".into())]
            }
            Action::Interrupt if self.is_busy() => {
                self.leave();
                vec![Want::Drop]
            }
            _ => return self.copy(action, cx),
        })
    }

    fn reply(&mut self, _: &Query, reply: Result<Reply, ApiError>, cx: &Cx<'_>) -> Vec<Want> {
        let page = match reply.map(T::page) {
            Ok(Some(page)) => Ok(page),
            Ok(None) => return Vec::new(), // the answer to another kind of question
            Err(error) => Err(error),
        };
        let here = self.item().and_then(|item| item.read.as_ref().ok()).map(Row::id);
        let was_stale = self.paged.is_stale();
        self.paged.receive(page, |item| item.read.as_ref().ok().map(Row::id));
        if was_stale && !self.paged.is_stale() {
            self.stay_on(here.as_ref(), cx);
        }
        if self.pulling {
            self.select(usize::MAX, cx);
        } else {
            self.select(self.selected, cx);
        }
        let pulled = self.pulling && *self.paged.tail() == Tail::End;
        self.pulling &= matches!(self.paged.tail(), Tail::More(_));
        let next =
            if self.pulling || self.paged.is_empty_so_far() { self.paged.advance() } else { None };
        let mut wants = self.ask(next);
        if pulled {
            wants.push(Want::Say("all rows are loaded".into()));
        }
        wants
    }

    fn resize(&mut self, cx: &Cx<'_>) {
        self.select(self.selected, cx);
    }

    fn view(&self, cx: &Cx<'_>, buf: &mut Buffer) {
        let regions = regions(cx.area);
        let widths = widths::<T>(cx.area.width);
        Self::draw_head(regions.head, &widths, cx, buf);
        self.draw_rows(regions.rows, &widths, cx, buf);
        self.draw_strip(regions.strip, cx, buf);
    }

    fn epoch(&self) -> u32 {
        self.paged.epoch()
    }

    fn is_busy(&self) -> bool {
        matches!(self.paged.tail(), Tail::Loading(_))
    }

    fn status(&self, _: &Cx<'_>) -> Text {
        let rows = self.paged.rows().len();
        let busy = if self.is_busy() { "loading… " } else { "" };
        let more = if *self.paged.tail() == Tail::End { "" } else { "+" };
        let at = if rows == 0 { 0 } else { self.selected + 1 };
        Text::new(&format!("{busy}{at}/{rows}{more}"))
    }
}
