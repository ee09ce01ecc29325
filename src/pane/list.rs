//! The pane of a list: loads pages as they are needed, and keeps selection and filters.

mod actions;
mod copy;
mod draw;
mod export;
mod gallery;
mod mouse;
mod row_filter;
pub mod row_matcher;
mod row_search;

use std::sync::Arc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect, Size};

use super::export::{Export, ViewParams};
use super::preview::PreviewTarget;
use super::{
    Availability, Command, ExternalTool, Pane, PaneContext, PaneEvent, PaneKind, PanePrompt,
    PaneState, picture,
};
use crate::action::Action;
use crate::api::paged_rows::{PageOutcome, PageRequest, PagedRows, TailState};
use crate::api::{ApiError, Item, Page, Query, Reply};
use crate::chain::{Address, Timestamp};
use crate::columns::Row;
use crate::keymap::KeyContext;
use crate::msg::Priority;
use crate::sanitize::SafeText;
use crate::ui::frame::ScrollExtent;
use crate::ui::viewport::Viewport;
use gallery::Grid;
use row_filter::RowFilter;
use row_matcher::RowMatcher;
use row_search::ListSearch;

/// Rows after which loading all pages pauses: they fill up to half a gigabyte.
const LOAD_ALL_ROWS: usize = 100_000;
/// The width of a cell that is searched or described, not drawn.
const MAX_CELL_WIDTH: usize = 200;
const FOLLOW_INTERVAL: Duration = Duration::from_secs(10);

/// What becomes of loading all pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum LoadAll {
    #[default]
    Off,
    /// The last action was to go to the end: repeating it loads all pages.
    EndRequested,
    Running,
    /// The last action or page ended it: an attempt to stop it comes too late.
    Ended,
}

/// How a list gets its new rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Live {
    Off,
    /// By asking from time to time.
    Polled,
    /// When the node's chain advances.
    Pushed,
}

#[derive(Debug)]
pub struct ListPane<T: Row> {
    query: Query,
    viewed: Option<Address>,
    paged: PagedRows<T, T::Id>,
    filter: RowFilter,
    viewport: Viewport,
    column: usize,
    /// Whether the rows are shown as cards.
    is_gallery: bool,
    search: Option<ListSearch>,
    /// The row to select when the filter comes to it.
    return_row: Option<usize>,
    /// The last file name of an export.
    export: Option<SafeText>,
    load_all: LoadAll,
    live: Live,
    polled_at: Timestamp,
    /// Whether the chain advanced while a request was in flight.
    is_behind: bool,
    /// Whether a refresh says how many rows are new.
    is_announced: bool,
    /// New rows at the top that the user has not seen.
    new: usize,
}

/// Returns the areas of the header, the rows and the details of the selected row.
fn regions(area: Rect) -> [Rect; 3] {
    // The details repeat the selected row; on a low screen the rows matter more.
    let details = match area.height {
        ..15 => 0,
        15..25 => 6,
        _ => 8,
    };
    let heights = [Constraint::Length(1), Constraint::Min(1), Constraint::Length(details)];
    area.layout(&Layout::vertical(heights))
}

fn visible_rows(cx: &PaneContext<'_>) -> usize {
    let [_, rows, _] = regions(cx.area);
    usize::from(rows.height).max(1)
}

fn row_id<T: Row>(item: &Item<T>) -> Option<T::Id> {
    item.parsed.as_ref().ok().and_then(Row::id)
}

impl<T: Row> ListPane<T> {
    pub fn new(query: Query) -> Self {
        let links = T::COLUMNS.iter().position(|c| matches!(c.title, "hash" | "parent" | "tx"));
        Self {
            viewed: query.viewed_address(),
            query,
            paged: PagedRows::new(T::NEWEST_FIRST),
            filter: RowFilter::default(),
            viewport: Viewport::default(),
            column: links.unwrap_or(0),
            is_gallery: false,
            search: None,
            return_row: None,
            export: None,
            load_all: LoadAll::default(),
            live: Live::Off,
            polled_at: Timestamp::UNIX_EPOCH,
            is_behind: false,
            is_announced: true,
            new: 0,
        }
    }

    fn selected_item(&self) -> Option<&Arc<Item<T>>> {
        self.paged.rows().get(self.filter.row(self.viewport.selected)?)
    }

    fn len(&self) -> usize {
        self.filter.len(self.paged.rows().len())
    }

    fn fetch(&self, page: Option<PageRequest>, why: Priority) -> Vec<Command> {
        page.map(|ask| Command::fetch(self.query.clone(), ask.cursor, why)).into_iter().collect()
    }

    /// Requests the next page if the end of the loaded rows is less than a screen away.
    fn prefetch(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let screen_end = self.viewport.offset + 2 * self.page_rows(cx);
        let near = screen_end >= self.len() && !self.is_filtering();
        let page = if self.load_all == LoadAll::Running || near {
            self.paged.request_next()
        } else {
            None
        };
        // The user waits for it at the end of the loaded rows.
        let is_awaited =
            self.load_all == LoadAll::Running || self.viewport.selected + 1 >= self.len();
        self.fetch(page, if is_awaited { Priority::Interactive } else { Priority::Prefetch })
    }

    fn move_to(&mut self, to: usize, cx: &PaneContext<'_>) -> Vec<Command> {
        self.load_all = LoadAll::Off;
        self.select(to, cx);
        self.prefetch(cx)
    }

    /// Returns how many rows fit on the screen.
    fn page_rows(&self, cx: &PaneContext<'_>) -> usize {
        self.grid(cx).map_or_else(|| visible_rows(cx), Grid::len)
    }

    fn select(&mut self, to: usize, cx: &PaneContext<'_>) {
        let len = self.len();
        let height = visible_rows(cx);
        if let Some(grid) = self.grid(cx) {
            self.viewport.selected = to.min(len.saturating_sub(1));
            self.viewport.offset = grid.scroll(self.viewport);
        } else {
            self.viewport.select(to, len, height);
        }
        if !self.is_gallery && self.viewport.selected + 1 == len && height > 1 {
            self.viewport.show(len, height); // the line after the last row says how to load more
        }
        if self.viewport.selected == 0 {
            self.new = 0;
        }
    }

    fn go_to_last(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let again = self.load_all != LoadAll::Off;
        let mut commands = self.move_to(self.len().saturating_sub(1), cx);
        self.load_all = LoadAll::EndRequested;
        if again && matches!(self.paged.tail(), TailState::More(_)) {
            self.load_all = LoadAll::Running;
            commands.push(Command::NotifyKeys("loading all pages · {back} stops"));
        } else if again {
            self.load_all = LoadAll::Ended;
            commands.extend(self.load_all_notice());
        }
        commands
    }

    fn load_all_notice(&self) -> Option<Command> {
        let words = match self.paged.tail() {
            TailState::More(_) => return None,
            TailState::End => match self.paged.coverage() {
                Some(blocks) => format!("all rows loaded {blocks}").into(),
                None => "all rows loaded".into(),
            },
            TailState::Failed(..) => "stopped before the end of the list".into(),
        };
        Some(Command::Notify(words))
    }

    fn refresh(&mut self) -> Vec<Command> {
        if let Some(page) = self.paged.retry() {
            return self.fetch(Some(page), Priority::Interactive);
        }
        let page = self.paged.refresh();
        [vec![Command::cancel()], self.fetch(Some(page), Priority::Refresh)].concat()
    }

    fn follow(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.is_live() {
            self.live = Live::Off;
            return vec![Command::Notify("live off".into())];
        }
        self.live = if cx.network.endpoint.is_node() { Live::Pushed } else { Live::Polled };
        self.polled_at = cx.now;
        let notice = Command::Notify("live: new rows appear on top".into());
        let page = self.paged.poll();
        [vec![notice, Command::cancel()], self.fetch(Some(page), Priority::Refresh)].concat()
    }

    fn describe_filters(&self) -> String {
        let params = self.query.params().into_iter();
        // The title names the holder.
        let params = params.filter(|(name, _)| *name != "holder_address_hash");
        let params = params.map(|(name, value)| format!("{name}={value}"));
        let own = self.filter.text().into_iter().map(|filter| format!("&{filter}"));
        let words: Vec<String> = params.chain(own).collect();
        if words.is_empty() { String::new() } else { format!("[{}] ", words.join(" ")) }
    }

    /// Filters and searches rows that have changed.
    fn restart_search(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.filter.restart();
        if let Some(search) = &mut self.search {
            search.restart();
        }
        self.continue_search(cx)
    }

    /// Restores the selection after a refresh, and notifies the user of new rows.
    fn on_refreshed(
        &mut self,
        new: usize,
        here: Option<&T::Id>,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let is_here = |item: &Arc<Item<T>>| row_id(item).as_ref() == here;
        self.return_row = here.and_then(|_| self.paged.rows().iter().position(is_here));
        let mut commands = self.restart_search(cx);
        self.new = if self.is_live() { self.new + new } else { new };
        if std::mem::replace(&mut self.is_announced, true) && (!self.is_live() || new > 0) {
            commands.push(Command::Notify(match self.new {
                0 => "nothing new".into(),
                1 => "1 new row at the top".into(),
                n => format!("{n} new rows at the top").into(),
            }));
        }
        commands
    }

    /// Returns the command that records how the rows from `from` on make addresses known.
    fn record_evidence(&self, from: usize, cx: &PaneContext<'_>) -> Command {
        let viewed = cx.known_addresses.viewed_address();
        let rows = self.paged.rows().get(from..).unwrap_or_default();
        let read = rows.iter().filter_map(|item| item.parsed.as_ref().ok());
        Command::RecordEvidence(read.flat_map(|row| row.evidence(viewed)).collect())
    }
}

impl<T: Row> Pane for ListPane<T> {
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.select(self.viewport.selected, cx);
        let page = if self.paged.rows().is_empty() { self.paged.request_next() } else { None };
        self.fetch(page, Priority::Interactive)
    }

    fn deactivate(&mut self) {
        self.load_all = LoadAll::Off;
        self.paged.cancel();
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        match action {
            Action::Gallery => Availability::supported_if(T::HAS_CARDS),
            Action::Picture if T::HAS_CARDS => picture::availability(self.selected_picture(), cx),
            _ => self.row_availability(action),
        }
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        self.cancel_selection();
        let loaded_all = self.load_all == LoadAll::Ended;
        if loaded_all {
            self.load_all = LoadAll::EndRequested;
        }
        if action == Action::Last {
            return self.go_to_last(cx);
        }
        let by = match self.grid(cx) {
            Some(grid) => Self::card_delta(grid, action),
            None => action.row_delta(visible_rows(cx)),
        };
        if let Some(by) = by {
            return self.move_to(self.viewport.selected.saturating_add_signed(by), cx);
        }
        match action {
            Action::Refresh => {
                self.is_announced = true;
                self.refresh()
            }
            Action::Follow => self.follow(cx),
            Action::Gallery => self.toggle_gallery(cx),
            Action::Picture => picture::fetch(self.selected_picture(), cx).into_iter().collect(),
            Action::Back if self.load_all == LoadAll::Running => {
                self.load_all = LoadAll::EndRequested;
                vec![Command::Notify("stopped".into())]
            }
            Action::Back if loaded_all => {
                vec![Command::NotifyKeys("all loaded · {back} goes back")]
            }
            Action::Back => self.on_prompt(PanePrompt::Filter, "", cx),
            Action::Interrupt => {
                self.deactivate();
                vec![Command::cancel()]
            }
            _ => self.act_on_rows(action, cx),
        }
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        match event {
            PaneEvent::Reply { reply, .. } => return self.on_reply(reply, cx),
            PaneEvent::Tick => return self.on_tick(cx),
            PaneEvent::ChainAdvanced => return self.on_chain_advanced(),
            PaneEvent::ChainSetBack => {
                self.is_announced = false;
                return self.refresh();
            }
            PaneEvent::Click(at) => return self.on_click(at, cx).unwrap_or_default(),
            PaneEvent::Wheel { rows, .. } => return self.on_wheel(rows, cx),
            PaneEvent::Prompt { prompt, text } => return self.on_prompt(prompt, text, cx),
            PaneEvent::QueryChosen(query) => return self.set_query(query, cx),
            PaneEvent::Resized => self.select(self.viewport.selected, cx),
            _ => {}
        }
        Vec::new()
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        match self.grid(cx) {
            Some(grid) => self.draw_gallery(grid, cx, buf),
            None => self.draw(cx, buf),
        }
    }

    fn pictures(&self, cx: &PaneContext<'_>) -> Vec<(&SafeText, Size)> {
        self.grid(cx).map(|grid| self.card_pictures(grid)).unwrap_or_default()
    }

    fn state(&self) -> PaneState {
        PaneState {
            epoch: self.paged.epoch(),
            is_busy: self.is_busy(),
            key_context: KeyContext::List,
            tick_interval: if self.is_searching() {
                Some(Duration::ZERO)
            } else {
                (self.live == Live::Polled).then_some(FOLLOW_INTERVAL)
            },
            ..PaneState::default()
        }
    }

    fn status(&self, _: &PaneContext<'_>) -> SafeText {
        let rows = self.paged.rows().len();
        let shown = self.len();
        let busy = if self.is_live() { "live " } else { "" };
        let busy = self.search_progress().unwrap_or_else(|| busy.into());
        let filters = self.describe_filters();
        let more = if *self.paged.tail() == TailState::End { "" } else { "+" };
        let count = match self.filter.text() {
            Some(_) => format!("{shown} · {rows}{more} loaded"),
            None => format!("{shown}{more}"),
        };
        let at = if shown == 0 { 0 } else { self.viewport.selected + 1 };
        SafeText::new(&format!("{filters}{busy}{at} of {count}"))
    }

    fn scroll_extent(&self, cx: &PaneContext<'_>) -> Option<ScrollExtent> {
        if let Some(grid) = self.grid(cx) {
            return Some(grid.extent(self.viewport, self.len()));
        }
        let [_, rows, _] = regions(cx.area);
        Some(self.viewport.extent(self.len(), rows))
    }

    fn row_count(&self, _: PaneKind) -> Option<u64> {
        let is_complete = *self.paged.tail() == TailState::End
            && self.paged.coverage().is_none()
            && self.describe_filters().is_empty();
        is_complete.then(|| u64::try_from(self.paged.rows().len()).ok()).flatten()
    }

    fn address(&self, _: &PaneContext<'_>) -> Option<Address> {
        self.address_of_cell()
    }

    fn preview_target(&self, cx: &PaneContext<'_>) -> Option<PreviewTarget> {
        self.selected_item().map(|item| PreviewTarget::from_row(item, self.viewed, cx.name_cache))
    }

    fn export(&self, viewer: ExternalTool, cx: &PaneContext<'_>) -> Result<Export, SafeText> {
        self.to_export(viewer, cx)
    }

    fn view_params(&self) -> ViewParams {
        ViewParams { query: Some(self.query.clone()), ..ViewParams::default() }
    }

    fn restore(&mut self, aim: ViewParams) {
        self.query = aim.query.unwrap_or_else(|| self.query.clone());
    }
}

impl<T: Row> ListPane<T> {
    fn on_reply(&mut self, reply: Result<Reply, ApiError>, cx: &PaneContext<'_>) -> Vec<Command> {
        let page = match reply.map(T::PAGE) {
            Ok(Some(page)) => Ok(page),
            Ok(None) => return Vec::new(), // the reply to another query
            Err(error) => Err(error),
        };
        let before = self.paged.rows().len();
        let here = self.selected_item().and_then(|item| row_id(item));
        let cut_note = page.as_ref().ok().and_then(Page::cut_note);
        let mut commands = match self.paged.receive(page, row_id) {
            PageOutcome::Refreshed(new) => {
                let notices = self.on_refreshed(new, here.as_ref(), cx);
                [vec![self.record_evidence(0, cx)], notices].concat()
            }
            PageOutcome::Gap(rows) => {
                let way = cx.keys.expand("{refresh} reloads the list");
                vec![Command::Notify(format!("more than {rows} new rows: {way}").into())]
            }
            PageOutcome::RefreshFailed(error) => {
                vec![Command::Notify(format!("cannot refresh: {}", error.with_hint()).into())]
            }
            PageOutcome::Appended => {
                let found = self.continue_search(cx);
                [vec![self.record_evidence(before, cx)], found].concat()
            }
            PageOutcome::Ignored => Vec::new(),
        };
        commands.extend(cut_note.map(Command::Notify));
        let to =
            if self.load_all == LoadAll::Running { self.len() } else { self.viewport.selected };
        self.select(to, cx);
        if self.load_all == LoadAll::Running {
            let notice = self.load_all_notice();
            if notice.is_some() {
                self.load_all = LoadAll::Ended;
            }
            commands.extend(notice);
        }
        if self.load_all == LoadAll::Running
            && before / LOAD_ALL_ROWS < self.paged.rows().len() / LOAD_ALL_ROWS
        {
            self.load_all = LoadAll::EndRequested;
            commands.push(Command::NotifyKeys("100,000 more rows loaded · {last} continues"));
        }
        let on = self.load_all == LoadAll::Running || self.paged.is_skipping_empty_pages();
        let next = if on { self.paged.request_next() } else { None };
        commands.extend(self.fetch(next, Priority::Interactive));
        if std::mem::take(&mut self.is_behind) {
            commands.extend(self.on_chain_advanced());
        }
        commands
    }

    fn on_prompt(&mut self, prompt: PanePrompt, text: &str, cx: &PaneContext<'_>) -> Vec<Command> {
        match prompt {
            PanePrompt::Search => {
                let matcher = RowMatcher::new::<T>(text, &self.row_context(cx, None));
                self.search = matcher.map(|matcher| ListSearch::new(text, matcher));
                self.find_match(true, cx)
            }
            PanePrompt::Filter => {
                self.return_row = self.filter.row(self.viewport.selected);
                let matcher = RowMatcher::new::<T>(text, &self.row_context(cx, None));
                self.filter = RowFilter::new(matcher);
                let found = self.restart_search(cx);
                self.select(self.viewport.selected, cx);
                [found, self.prefetch(cx)].concat()
            }
            PanePrompt::Export => self.export(text),
            _ => Vec::new(), // not a prompt of lists
        }
    }

    fn set_query(&mut self, query: Query, cx: &PaneContext<'_>) -> Vec<Command> {
        self.query = query;
        let page = self.paged.reset();
        let found = self.restart_search(cx);
        self.select(0, cx);
        [vec![Command::cancel()], self.fetch(Some(page), Priority::Interactive), found].concat()
    }

    fn on_tick(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let was_filtering = self.is_filtering();
        let mut commands = self.continue_search(cx);
        if was_filtering {
            commands.extend(self.prefetch(cx));
        }
        commands.extend(self.poll(cx));
        commands
    }

    fn poll(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_due = cx.now.duration_since(self.polled_at).unsigned_abs() >= FOLLOW_INTERVAL;
        if self.live != Live::Polled || self.is_busy() || !is_due {
            return Vec::new();
        }
        self.polled_at = cx.now;
        let page = self.paged.poll();
        self.fetch(Some(page), Priority::Refresh)
    }

    /// Asks for new rows, or again for those that a node could not tell before.
    fn on_chain_advanced(&mut self) -> Vec<Command> {
        let is_waiting =
            matches!(self.paged.tail(), TailState::Failed(_, why) if why.may_come_with_blocks());
        if is_waiting {
            let page = self.paged.retry();
            return self.fetch(page, Priority::Interactive);
        }
        if self.live != Live::Pushed {
            return Vec::new();
        }
        self.is_behind = self.is_busy();
        if self.is_behind {
            return Vec::new();
        }
        // At the top, rows may be more than a page newer.
        let page =
            if self.viewport.selected == 0 { self.paged.refresh() } else { self.paged.poll() };
        self.fetch(Some(page), Priority::Refresh)
    }

    fn is_live(&self) -> bool {
        self.live != Live::Off
    }

    fn is_busy(&self) -> bool {
        self.paged.in_flight().is_some()
    }
}
