//! A list of rows of any kind: loads page after page before the end is reached, keeps its place, and
//! says what the rest of it is doing.

mod actions;
mod draw;
mod export;
mod mouse;
mod viewport;

use std::sync::Arc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

use super::export::{Aim, Paper};
use super::paged::{Arrived, Ask, Paged, Tail, UnderWay};
use super::preview::Beside;
use super::row::Row;
use super::{Cx, Pane, Prompt, Viewer, Want};
use crate::api::{ApiError, Item, Query, Reply};
use crate::chain::Address;
use crate::keymap::Context;
use crate::msg::{Action, Why};
use crate::sanitize::Text;
use actions::Search;
use viewport::Sight;

/// How often a followed list is asked for what is new.
const FOLLOW: Duration = Duration::from_secs(10);

/// The pane of one list.
#[derive(Debug)]
pub struct List<T: Row> {
    query: Query,
    viewed: Option<Address>,
    paged: Paged<T, T::Id>,
    sight: Sight,
    /// The column of the selected cell.
    column: usize,
    /// What `n` looks for.
    search: Option<Search>,
    /// The file name that was given last.
    export: Option<Text>,
    /// Page after page is being loaded because the user asked for the end.
    pulling: bool,
    /// The end was asked for last: asking again means all of it.
    at_last: bool,
    /// What is new is asked for again and again.
    following: bool,
    /// Rows that came new at the top since the user looked for them last.
    new: usize,
}

/// Where the parts of the pane are.
struct Regions {
    head: Rect,
    rows: Rect,
    strip: Rect,
}

fn regions(area: Rect) -> Regions {
    // The strip repeats the selected row in full; on a low screen the rows matter more.
    let strip = match area.height {
        ..15 => 0,
        15..25 => 6,
        _ => 8,
    };
    let [head, rows, strip] = area.layout(&Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(strip),
    ]));
    Regions { head, rows, strip }
}

fn height(cx: &Cx<'_>) -> usize {
    usize::from(regions(cx.area).rows.height).max(1)
}

fn identify<T: Row>(item: &Item<T>) -> Option<T::Id> {
    item.read.as_ref().ok().and_then(Row::id)
}

impl<T: Row> List<T> {
    /// The list that answers `query`.
    pub fn new(query: Query) -> Self {
        let links = T::columns().iter().position(|c| matches!(c.title, "hash" | "parent" | "tx"));
        Self {
            viewed: query.viewed(),
            query,
            paged: Paged::new(T::NEWEST_FIRST),
            sight: Sight::default(),
            column: links.unwrap_or(0),
            search: None,
            export: None,
            pulling: false,
            at_last: false,
            following: false,
            new: 0,
        }
    }

    /// The selected row.
    fn item(&self) -> Option<&Arc<Item<T>>> {
        self.paged.rows().get(self.sight.row(self.sight.selected)?)
    }

    /// Rows that pass the filter.
    fn len(&self) -> usize {
        self.sight.len(self.paged.rows().len())
    }

    fn ask(&self, page: Option<Ask>, why: Why) -> Vec<Want> {
        page.map(|ask| Want::Ask(self.query.clone(), ask.cursor, why)).into_iter().collect()
    }

    /// Asks for the next page when the end of what is loaded is less than a screen away.
    fn ask_ahead(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        let near = self.sight.top + 2 * height(cx) >= self.len();
        let page = if self.pulling || near { self.paged.advance() } else { None };
        // At the end of what is loaded the user waits for it.
        let is_at_end = self.sight.selected + 1 >= self.len();
        self.ask(page, if self.pulling || is_at_end { Why::Asked } else { Why::Ahead })
    }

    fn go(&mut self, to: usize, cx: &Cx<'_>) -> Vec<Want> {
        self.pulling = false;
        self.at_last = false;
        self.select(to, cx);
        self.ask_ahead(cx)
    }

    fn select(&mut self, to: usize, cx: &Cx<'_>) {
        self.sight.select(to, self.len(), height(cx));
        if self.sight.selected == 0 {
            self.new = 0;
        }
    }

    fn last(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        let again = self.at_last;
        let mut wants = self.go(self.len().saturating_sub(1), cx);
        self.at_last = true;
        if again && matches!(self.paged.tail(), Tail::More(_)) {
            self.pulling = true;
            wants.push(Want::Tell("loading page after page to the end: {back} stops"));
        }
        wants
    }

    /// How loading page after page ended, if it did.
    fn pulled(&self) -> Option<Want> {
        match self.paged.tail() {
            Tail::More(_) => None,
            Tail::End => Some(Want::Say("all rows are loaded".into())),
            Tail::Failed(..) => Some(Want::Say("stopped before the end of the list".into())),
        }
    }

    fn refresh(&mut self) -> Vec<Want> {
        if let Some(page) = self.paged.retry() {
            return self.ask(Some(page), Why::Asked);
        }
        let page = self.paged.refresh();
        [vec![Want::Drop], self.ask(Some(page), Why::Refresh)].concat()
    }

    fn follow(&mut self) -> Vec<Want> {
        self.following = !self.following;
        if !self.following {
            return vec![Want::Say("not following any more".into())];
        }
        let words = "following: new rows come at the top, the cursor stays";
        let page = self.paged.poll();
        [vec![Want::Say(words.into()), Want::Drop], self.ask(Some(page), Why::Refresh)].concat()
    }

    /// The filters that are set, the server's and our own.
    fn filter_words(&self) -> String {
        let params = self.query.params().into_iter();
        // The holder stands in the title.
        let params = params.filter(|(name, _)| *name != "holder_address_hash");
        let params = params.map(|(name, value)| format!("{name}={value}"));
        let own = self.sight.filter.iter().map(|filter| format!("&{filter}"));
        let words: Vec<String> = params.chain(own).collect();
        if words.is_empty() { String::new() } else { format!("[{}] ", words.join(" ")) }
    }

    /// Lays the filter over the rows again, and stays on the selected row.
    fn sift(&mut self, from: usize, cx: &Cx<'_>) {
        if let Some(search) = self.search.as_mut().filter(|_| from == 0) {
            search.forget();
        }
        let row_cx = self.row_cx(cx, None);
        let rows = self.paged.rows();
        let shows = |at: usize, needle: &str| {
            rows.get(at).is_some_and(|item| actions::holds(item, needle, &row_cx))
        };
        self.sight.sift(from, rows.len(), shows);
    }

    /// What a fresh head of the list brought.
    fn arrived(&mut self, new: usize, here: Option<&T::Id>, cx: &Cx<'_>) -> Vec<Want> {
        self.sift(0, cx);
        let rows = self.paged.rows();
        let same = |at: &usize| {
            let row = self.sight.row(*at).and_then(|row| rows.get(row));
            row.and_then(|item| identify(item)).as_ref() == here
        };
        if let Some(at) = here.and_then(|_| (0..self.len()).find(same)) {
            self.sight.shift_to(at);
        }
        self.new = if self.following { self.new + new } else { new };
        if self.following && new == 0 {
            return Vec::new();
        }
        vec![Want::Say(match self.new {
            0 => "nothing new".into(),
            1 => "1 new row at the top".into(),
            n => Text::new(&format!("{n} new rows at the top")),
        })]
    }

    /// Whom the viewed address has sent something to, in rows from `from` on.
    fn met(&self, from: usize) -> Want {
        let rows = self.paged.rows().get(from..).unwrap_or_default();
        let sent = rows.iter().filter_map(|item| item.read.as_ref().ok()?.sent(self.viewed?));
        Want::Met(sent.collect())
    }
}

impl<T: Row> Pane for List<T> {
    fn look(&mut self, cx: &Cx<'_>) -> Vec<Want> {
        self.select(self.sight.selected, cx);
        let page = if self.paged.rows().is_empty() { self.paged.advance() } else { None };
        self.ask(page, Why::Asked)
    }

    fn leave(&mut self) {
        self.pulling = false;
        self.paged.stop();
    }

    fn act(&mut self, action: Action, cx: &Cx<'_>) -> Option<Vec<Want>> {
        let (at, page) = (self.sight.selected, height(cx));
        Some(match action {
            Action::NextRow => self.go(at + 1, cx),
            Action::PreviousRow => self.go(at.saturating_sub(1), cx),
            Action::HalfPageDown => self.go(at + page / 2, cx),
            Action::HalfPageUp => self.go(at.saturating_sub(page / 2), cx),
            Action::PageDown => self.go(at + page, cx),
            Action::PageUp => self.go(at.saturating_sub(page), cx),
            Action::First => self.go(0, cx),
            Action::Last => self.last(cx),
            Action::Refresh => self.refresh(),
            Action::Follow => self.follow(),
            Action::Back if self.pulling => {
                self.pulling = false;
                vec![Want::Say("stopped".into())]
            }
            Action::Back if self.sight.filter.is_some() => self.entered(Prompt::Filter, "", cx),
            Action::Interrupt if self.is_busy() => {
                self.leave();
                vec![Want::Drop]
            }
            _ => return self.use_tool(action, cx),
        })
    }

    fn reply(&mut self, _: &Query, reply: Result<Reply, ApiError>, cx: &Cx<'_>) -> Vec<Want> {
        let page = match reply.map(T::page) {
            Ok(Some(page)) => Ok(page),
            Ok(None) => return Vec::new(), // the answer to another kind of question
            Err(error) => Err(error),
        };
        let before = self.paged.rows().len();
        let here = self.item().and_then(|item| identify(item));
        let mut wants = match self.paged.receive(page, identify) {
            Arrived::Head(new) => {
                let said = self.arrived(new, here.as_ref(), cx);
                [vec![self.met(0)], said].concat()
            }
            Arrived::Gap(rows) => {
                let way = cx.keys.sentence("{refresh} starts again at the top");
                vec![Want::Say(Text::from(format!("more than {rows} new rows: {way}")))]
            }
            Arrived::HeadFailed(error) => {
                vec![Want::Say(Text::new(&format!("not refreshed: {error} ({})", error.hint())))]
            }
            Arrived::Page => {
                self.sift(before, cx);
                vec![self.met(before)]
            }
            Arrived::Nothing => Vec::new(),
        };
        let to = if self.pulling { self.len() } else { self.sight.selected };
        self.select(to, cx);
        if self.pulling {
            wants.extend(self.pulled());
        }
        self.pulling &= matches!(self.paged.tail(), Tail::More(_));
        let on = self.pulling || self.paged.is_empty_so_far();
        let next = if on { self.paged.advance() } else { None };
        wants.extend(self.ask(next, Why::Asked));
        wants
    }

    fn resize(&mut self, cx: &Cx<'_>) {
        self.select(self.sight.selected, cx);
    }

    fn view(&self, cx: &Cx<'_>, buf: &mut Buffer) {
        self.draw(cx, buf);
    }

    fn epoch(&self) -> u32 {
        self.paged.epoch()
    }

    fn is_busy(&self) -> bool {
        self.paged.under_way().is_some()
    }

    fn why_not(&self, action: Action, cx: &Cx<'_>) -> Option<&'static str> {
        self.why_idle(action, cx)
    }

    fn status(&self, _: &Cx<'_>) -> Text {
        let (rows, shown) = (self.paged.rows().len(), self.len());
        let busy = match self.paged.under_way() {
            Some(UnderWay::Page) => "loading… ",
            Some(UnderWay::Head | UnderWay::Poll) => "refreshing… ",
            None if self.following => "following ",
            None => "",
        };
        let filters = self.filter_words();
        let of = if self.sight.filter.is_some() { format!(" of {rows}") } else { String::new() };
        let more = if *self.paged.tail() == Tail::End { "" } else { "+" };
        let at = if shown == 0 { 0 } else { self.sight.selected + 1 };
        Text::new(&format!("{filters}{busy}{at}/{shown}{of}{more}"))
    }

    fn address(&self, _: &Cx<'_>) -> Option<Address> {
        self.address_of_cell()
    }

    fn context(&self) -> Context {
        Context::List
    }

    fn beside(&self, cx: &Cx<'_>) -> Option<Beside> {
        self.item().map(|item| Beside::of(item, self.viewed, cx.seen))
    }

    fn entered(&mut self, prompt: Prompt, text: &str, cx: &Cx<'_>) -> Vec<Want> {
        match prompt {
            Prompt::Search => {
                self.search = Search::new(text);
                self.find(true, cx)
            }
            Prompt::Filter => {
                let row = self.sight.row(self.sight.selected);
                self.sight.filter = Some(text.to_lowercase()).filter(|s| !s.is_empty());
                self.sift(0, cx);
                let at = row.and_then(|row| self.sight.place_of(row, self.paged.rows().len()));
                self.select(at.unwrap_or(0), cx);
                self.ask_ahead(cx)
            }
            Prompt::Export => self.export(text),
            _ => Vec::new(), // only what a list asks for
        }
    }

    fn requery(&mut self, query: Query, cx: &Cx<'_>) -> Vec<Want> {
        self.query = query;
        let page = self.paged.reset();
        self.sift(0, cx);
        self.select(0, cx);
        [vec![Want::Drop], self.ask(Some(page), Why::Asked)].concat()
    }

    fn click(&mut self, at: Position, cx: &Cx<'_>) -> Option<Vec<Want>> {
        self.clicked(at, cx)
    }

    fn wheel(&mut self, by: isize, _: Position, cx: &Cx<'_>) -> Vec<Want> {
        self.wheeled(by, cx)
    }

    fn paper(&self, viewer: Viewer, cx: &Cx<'_>) -> Result<Paper, Text> {
        self.written(viewer, cx)
    }

    fn aim(&self) -> Aim {
        Aim { query: Some(self.query.clone()), ..Aim::default() }
    }

    fn take_aim(&mut self, aim: Aim) {
        self.query = aim.query.unwrap_or_else(|| self.query.clone());
    }

    fn tick(&mut self, _: &Cx<'_>) -> Vec<Want> {
        if !self.following || self.is_busy() {
            return Vec::new();
        }
        let page = self.paged.poll();
        self.ask(Some(page), Why::Refresh)
    }

    fn beat(&self) -> Option<Duration> {
        self.following.then_some(FOLLOW)
    }
}
