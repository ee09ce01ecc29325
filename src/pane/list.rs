//! The pane of a list: loads pages as they are needed, and keeps selection and filters.
//!
//! A page of a reply goes through `loading` into [`PagedRows`], which knows what comes after it, and its rows into
//! [`rows`], which stores, searches, filters and sorts them. Selection, drawing, copies and exports ask for rows by
//! their shown position only.

mod actions;
mod call_trace;
mod copy;
mod details;
mod draw;
mod events;
mod export;
mod gallery;
mod loading;
mod mouse;
mod pool_watch;
mod prompts;
mod regions;
mod risk_total;
mod row_preview;
pub mod row_selection;
pub mod rows;
mod selection;
mod sorting;
mod status;

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Size;

use super::block_prompt::BlockPrompt;
use super::export::ViewParams;
use super::picture;
use super::preview::PreviewTarget;
use super::{
    Availability, Command, ExternalTool, Pane, PaneContext, PaneEvent, PaneKind, PanePrompt,
    PaneState, RowCount, TypedMatches,
};
use crate::action::Action;
use crate::api::page::paged_rows::{PagedRows, TailState};
use crate::api::transactions::Transaction;
use crate::api::{ApiError, BlockQuery, ListSubject, Query};
use crate::app_message::Priority;
use crate::chain::{Address, Timestamp, U256};
use crate::columns::cells::token_call::{unknown_moved_token, unknown_token};
use crate::columns::table::any_row::{AnyItem, RowKind};
use crate::columns::table::column::{ColumnHead, ColumnKind};
use crate::columns::table::extent::TableExtent;
use crate::columns::{CopyValue, ListRow, Row};
use crate::keymap::KeyContext;
use crate::messages::list;
use crate::messages::page;
use crate::name_cache::NameCache;
use crate::sanitize::{SafeText, json_line};
use crate::ui::frame::ScrollExtent;
use crate::ui::viewport::Viewport;
use details::TracedCall;
use export::RowExport;
use pool_watch::{NODE_POOL_INTERVAL, PoolWatch};
use risk_total::LoadedRisks;
use rows::filter::RowFilter;
use rows::matcher::RowMatcher;
use rows::memory::RowMemory;
use rows::scopes::column_names;
use rows::search::ListSearch;
use rows::store::{ListedRow, RowKey, RowPacker, RowReader};

/// Pages that are loaded to fill the screen with rows that match a filter.
const MAX_FILL_PAGES: u8 = 10;
/// Characters of the beginning of a JSON, more than a line has.
const MAX_JSON_START: usize = 300;
const FOLLOW_INTERVAL: Duration = Duration::from_secs(10);

/// State of loading all pages.
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

/// The way in which a list gets new rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Live {
    /// Pushed on the chain of a development node, else off, as long as the user does not choose.
    Usual,
    Off,
    /// By asking from time to time.
    Polled,
    /// As soon as the node's chain advances.
    Pushed,
}

/// The reason to request the newest rows again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum RefreshReason {
    /// By the user or a live list: the number of new rows is reported.
    #[default]
    Requested,
    /// The node has new blocks, and the user looks at the newest rows.
    ChainAdvanced,
    /// Listed rows may be gone: they are not shown if the request fails.
    RolledBack,
}

#[derive(Debug)]
pub struct ListPane {
    kind: &'static RowKind,
    query: Query,
    viewed: Option<Address>,
    /// The amount of a bar that fills its column: the largest of the listed rows.
    bar_scale: Option<U256>,
    paged: PagedRows<ListedRow, RowKey>,
    packer: RowPacker,
    /// Parses packed rows again, also while the list is drawn.
    reader: RefCell<RowReader>,
    memory: RowMemory,
    filter: RowFilter,
    viewport: Viewport,
    /// `true` if the line after the last row is on the screen.
    is_tail_visible: bool,
    /// Extent of the rows that were on the screen.
    extent: TableExtent,
    column: usize,
    search: Option<ListSearch>,
    /// The search that is being typed.
    typed_search: Option<ListSearch>,
    /// The reason why the typed text cannot be searched.
    typed_problem: Option<SafeText>,
    /// The filter of a command line, until the list is activated.
    start_filter: Option<SafeText>,
    /// The row to select when the filter comes to it.
    return_row: Option<usize>,
    /// The rows by which the user moved before the first ones were there.
    typed_ahead: usize,
    /// The last file name of an export.
    export: Option<SafeText>,
    row_export: Option<RowExport>,
    block_prompt: BlockPrompt,
    load_all: LoadAll,
    /// Number of pages that may still be loaded for a filter, or a sorted list, before the user is
    /// asked.
    fill_pages: u8,
    live: Live,
    pool: PoolWatch,
    polled_at: Timestamp,
    /// Time of the last reply with the first page.
    loaded_at: Option<Timestamp>,
    /// The failure of the last refresh. The rows are older.
    refresh_failure: Option<ApiError>,
    /// The failure of the last request for the transaction that all rows are of.
    transaction_failure: Option<ApiError>,
    /// `true` if the chain advanced while a request was in flight.
    is_behind: bool,
    refresh_reason: RefreshReason,
    /// New rows at the top that the user has not seen.
    new: usize,
    /// Number of newer rows, if they do not connect to the loaded ones.
    gap: Option<usize>,
    /// The page of the selected row, below the rows.
    row_preview: Option<Box<dyn Pane>>,
    /// The call of the selected row, for its details.
    traced_call: Option<TracedCall>,
    /// `true` if the trace was requested that names the functions of the rows.
    has_asked_trace: bool,
    risks: Option<LoadedRisks>,
}

impl ListPane {
    pub fn new(kind: &'static RowKind, query: Query) -> Self {
        let subject = query.subject();
        let is_link = |column: &ColumnHead| {
            column.usage.includes(subject)
                && match (column.title, column.kind) {
                    // A row of blocks leads to its block.
                    ("block", ColumnKind::Other) => true,
                    (title, _) => {
                        matches!(title, "hash" | "parent" | "tx" | "operation" | "event" | "from")
                    }
                }
        };
        let is_pool = subject == ListSubject::Pool;
        let mut packer = RowPacker::new(kind);
        packer.stay_parsed |= is_pool || query.other_events().is_some();
        let mut pane = Self {
            kind,
            viewed: query.viewed_address(),
            bar_scale: None,
            query,
            paged: PagedRows::new(kind.is_newest_first(subject)),
            packer,
            reader: RefCell::new(RowReader::new(kind)),
            memory: RowMemory::default(),
            filter: RowFilter::default(),
            viewport: Viewport::default(),
            is_tail_visible: true,
            extent: TableExtent::default(),
            column: kind.columns.iter().position(is_link).unwrap_or(0),
            search: None,
            typed_search: None,
            typed_problem: None,
            start_filter: None,
            return_row: None,
            typed_ahead: 0,
            export: None,
            row_export: None,
            block_prompt: BlockPrompt::default(),
            load_all: LoadAll::default(),
            fill_pages: 0,
            live: if is_pool { Live::Polled } else { Live::Usual },
            pool: PoolWatch::default(),
            polled_at: Timestamp::UNIX_EPOCH,
            loaded_at: None,
            refresh_failure: None,
            transaction_failure: None,
            is_behind: false,
            refresh_reason: RefreshReason::Requested,
            new: 0,
            gap: None,
            row_preview: None,
            traced_call: None,
            has_asked_trace: false,
            risks: None,
        };
        pane.filter.set_order(pane.usual_order());
        pane
    }

    /// Keeps all rows parsed, for a pane that draws more than those on the screen.
    #[must_use]
    pub fn with_parsed_rows(mut self) -> Self {
        self.packer.stay_parsed = true;
        self
    }

    /// Returns the parsed rows of this type that can be read.
    pub fn parsed_rows<T: Row>(&self) -> impl Iterator<Item = &T> {
        let items = self.paged.rows().iter().filter_map(ListedRow::parsed);
        let rows = items.filter_map(|item| item.row().ok());
        rows.filter_map(|row| (row as &dyn Any).downcast_ref())
    }

    /// Returns the row at a position among those that are shown.
    fn listed(&self, position: usize) -> Option<&ListedRow> {
        self.paged.rows().get(self.filter.row(position)?)
    }

    /// Returns the item at a position among those that are shown.
    fn item(&self, position: usize) -> Option<Arc<dyn AnyItem>> {
        self.reader.borrow_mut().read(self.listed(position)?)
    }

    fn selected_item(&self) -> Option<Arc<dyn AnyItem>> {
        self.item(self.viewport.selected)
    }

    /// Returns `true` if work continues at the next tick.
    fn has_work(&self) -> bool {
        self.is_searching() || self.row_export.is_some() || !self.packer.is_done(self.paged.rows())
    }

    fn held_bytes(&self) -> usize {
        self.packer.held_bytes(self.paged.rows())
    }

    fn len(&self) -> usize {
        self.filter.len(self.paged.rows().len())
    }

    fn show_rows(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let mut commands = self.order_cards(cx);
        self.select(self.viewport.selected, cx);
        if let Some(filter) = &self.start_filter {
            let matcher = RowMatcher::new(self.kind, filter, &self.row_context(cx, None));
            self.query = self.query_within(matcher.ok().flatten().as_ref(), cx);
        }
        let page = if self.paged.rows().is_empty() { self.paged.request_next() } else { None };
        commands.extend(self.fetch(page, Priority::Interactive));
        if let Some(filter) = self.start_filter.take() {
            commands.extend(self.on_prompt(PanePrompt::Filter, &filter, cx));
        }
        commands
    }

    /// Returns `true` if no row comes or goes, so that its number is the same later.
    fn has_fixed_rows(&self) -> bool {
        matches!(self.query.subject(), ListSubject::Transaction | ListSubject::Block)
    }

    /// Returns the number of the selected row in a list of fixed rows, if it is not the first. Among sorted or matching
    /// rows it depends on the pages that are loaded.
    fn fixed_row(&self) -> Option<usize> {
        let selected = self.viewport.selected.max(self.typed_ahead);
        let is_narrowed = self.filter.text().is_some()
            || self.start_filter.is_some()
            || self.filter.column_order().is_some();
        (selected > 0 && self.has_fixed_rows() && !is_narrowed).then_some(selected + 1)
    }

    /// Returns `true` if moves are typed ahead: they apply to the first rows when these are there.
    fn awaits_first_rows(&self) -> bool {
        self.paged.rows().is_empty() && self.is_busy()
    }

    fn act_on_list(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        let typed_ahead = std::mem::take(&mut self.typed_ahead);
        self.leave_selection();
        let loaded_all = self.load_all == LoadAll::Ended;
        if loaded_all {
            self.load_all = LoadAll::EndRequested;
        }
        if action == Action::Last {
            return self.go_to_last(cx);
        }
        let by = match self.grid(cx) {
            Some(grid) => grid.card_delta(self.viewport, action),
            None => action.row_delta(self.visible_rows(cx)),
        };
        if let Some(by) = by {
            if self.awaits_first_rows() {
                self.typed_ahead = typed_ahead.saturating_add_signed(by);
                return Vec::new();
            }
            if by > 0 && self.viewport.selected + 1 >= self.len() {
                self.fill_pages = if self.filter.text().is_some() { MAX_FILL_PAGES } else { 1 };
            }
            return self.move_to(self.viewport.selected.saturating_add_signed(by), cx);
        }
        match action {
            Action::Refresh => {
                if !self.is_busy() {
                    self.refresh_reason = RefreshReason::Requested;
                }
                self.refresh().into_iter().chain(self.request_transaction(cx)).collect()
            }
            Action::Follow => self.follow(cx),
            Action::AllEvents => {
                let Some(query) = self.query.other_events() else { return Vec::new() };
                let commands = self.set_query(query, cx);
                self.filter.set_order(self.usual_order());
                commands
            }
            Action::Gallery => vec![Command::ToggleGallery],
            Action::Picture => picture::fetch(self.selected_picture(), cx).into_iter().collect(),
            Action::Back if self.row_export.is_some() => {
                self.stop_export();
                vec![Command::Notify(list::STOPPED.into())]
            }
            Action::Back if self.load_all == LoadAll::Running => {
                self.load_all = LoadAll::EndRequested;
                vec![Command::Notify(list::STOPPED.into())]
            }
            Action::Back if loaded_all => {
                vec![Command::NotifyKeys(list::ALL_LOADED_HINT)]
            }
            Action::Back if self.filter.text().is_some() => {
                self.on_prompt(PanePrompt::Filter, "", cx)
            }
            Action::Back => {
                self.search = None;
                Vec::new()
            }
            _ => self.act_on_rows(action, cx),
        }
    }
}

impl Pane for ListPane {
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let mut commands = self.show_rows(cx);
        // One that may pass is asked for again with everything that failed.
        let is_final = self.transaction_failure.is_some() && !self.can_recover();
        if self.paged.rows().is_empty() || is_final {
            commands.extend(self.request_transaction(cx));
        }
        self.has_asked_trace = false; // the trace may have been dropped, or its request have failed
        commands.extend(self.request_trace(cx));
        self.update_row_preview(cx);
        commands
    }

    fn on_cancelled(&mut self, _: &PaneContext<'_>) {
        self.leave_selection();
        self.typed_search = None;
        self.load_all = LoadAll::Off;
        self.paged.cancel();
        self.pool.reset();
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        match action {
            Action::Gallery if self.kind.has_cards => {
                Availability::enabled_if(cx.pictures.is_on(), page::PICTURES_OFF)
            }
            Action::Picture if self.kind.has_cards => {
                picture::availability(self.selected_picture(), cx)
            }
            Action::CopyReason => Availability::supported_if(self.failure_reason(cx).is_some()),
            Action::Open if self.address_elsewhere(cx).is_some() => Availability::Enabled,
            _ => self.row_availability(action),
        }
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        let mut commands = self.act_on_list(action, cx);
        if self.refold() {
            commands.extend(self.continue_search(cx));
        }
        self.update_row_preview(cx);
        commands
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        let commands = self.handle_event(event, cx);
        self.update_row_preview(cx);
        commands
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
            key_context: KeyContext::List,
            tick_interval: if self.has_work() {
                Some(Duration::ZERO)
            } else {
                let interval = if self.is_pool() { NODE_POOL_INTERVAL } else { FOLLOW_INTERVAL };
                (self.live == Live::Polled).then_some(interval)
            },
            is_live: self.is_live(),
            ..PaneState::default()
        }
    }

    fn can_recover(&self) -> bool {
        self.tail_can_recover()
            || self.failure_with_rows().is_some_and(ApiError::is_repeated) && !self.is_busy()
    }

    fn typed_matches(&self) -> Option<TypedMatches> {
        if let Some(why) = &self.typed_problem {
            return Some(TypedMatches::Invalid(why.clone()));
        }
        let is_filtered = self.filter.text().is_some();
        let search: &ListSearch = self.typed_search.as_ref()?;
        Some(search.typed_matches(self.len(), is_filtered))
    }

    fn reported_failure(&self, _: &PaneContext<'_>) -> Option<&ApiError> {
        self.failure_without_rows()
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match action {
            Action::Open if self.filter.folded(self.viewport.selected) > 1 => Some(list::UNFOLD),
            Action::AllEvents if self.query.is_history() => Some(list::LEFT_OVER),
            Action::Back if self.filter.text().is_some() || self.search.is_some() => {
                Some(list::CLEAR)
            }
            Action::NextMatch if self.search.is_some() => Some(list::NEXT_MATCH),
            _ => None,
        }
    }

    fn describes_wait(&self) -> bool {
        self.paged.rows().is_empty()
    }

    fn status(&self, cx: &PaneContext<'_>) -> SafeText {
        self.describe_status(cx)
    }

    fn scroll_extent(&self, cx: &PaneContext<'_>) -> Option<ScrollExtent> {
        if let Some(grid) = self.grid(cx) {
            return Some(grid.extent(self.viewport, self.len()));
        }
        let [_, rows, _] = self.regions(cx);
        let extent = self.viewport.extent(self.len(), rows);
        // A list is as long as its counted rows, as in the position next to the scrollbar.
        let counted = self.counted_rows(cx).filter(|_| self.filter.text().is_none());
        Some(ScrollExtent { len: extent.len.max(counted.unwrap_or(0)), ..extent })
    }

    fn details_height(&self, cx: &PaneContext<'_>) -> u16 {
        let [.., details] = self.regions(cx);
        if self.row_preview.is_some() || self.grid(cx).is_some() { 0 } else { details.height }
    }

    fn row_count(&self, _: PaneKind) -> Option<RowCount> {
        // Only the header knows that an empty block had no transactions.
        if matches!(self.query, Query::Block(_, BlockQuery::Transactions))
            && self.paged.rows().is_empty()
        {
            return None;
        }
        if self.paged.coverage().is_some() || !self.describe_filters().is_empty() {
            return None;
        }
        let count = u64::try_from(self.paged.rows().len()).ok()?;
        match self.paged.tail() {
            TailState::End => Some(RowCount::Exactly(count)),
            TailState::More(Some(_)) if count > 0 => Some(RowCount::MoreThan(count)),
            _ => None,
        }
    }

    fn address(&self, _: &PaneContext<'_>) -> Option<Address> {
        self.address_of_cell()
    }

    fn copied_value(&self, action: Action, cx: &PaneContext<'_>) -> Option<CopyValue> {
        self.value_or_row(action, cx)
    }

    fn json_start(&self) -> Option<SafeText> {
        let item = self.selected_item()?;
        let json = item.raw().get();
        let end = json.char_indices().nth(MAX_JSON_START).map_or(json.len(), |(end, _)| end);
        Some(SafeText::new(&json_line(json.get(..end)?)))
    }

    fn preview_target(&self, cx: &PaneContext<'_>) -> Option<PreviewTarget> {
        let item = self.selected_item()?;
        match &self.query {
            Query::Transaction(hash, _) => PreviewTarget::from_part(&item, *hash),
            _ => PreviewTarget::from_row(&item, self.viewed, cx.name_cache),
        }
    }

    fn lines_above_preview(&self, cx: &PaneContext<'_>) -> Option<u16> {
        self.lines_above_preview(cx)
    }

    fn export(&mut self, tool: ExternalTool, cx: &PaneContext<'_>) -> Vec<Command> {
        self.open_in(tool, cx)
    }

    fn unknown_tokens(&self, cx: &PaneContext<'_>) -> Vec<Address> {
        if self.kind.list_name != Transaction::LIST_NAME {
            return Vec::new();
        }
        let token = |item: Arc<dyn AnyItem>, unknown: fn(&Transaction, &NameCache) -> _| {
            unknown(item.row().ok()?.as_transaction()?, cx.name_cache)
        };
        let rows = self.visible_items(cx).into_iter();
        let moved = rows.filter_map(|item| token(item, unknown_moved_token));
        // The details have the amounts of approvals too.
        moved.chain(self.selected_item().and_then(|item| token(item, unknown_token))).collect()
    }

    fn view_params(&self) -> ViewParams {
        let filter = self.filter.text().map(SafeText::new);
        ViewParams {
            query: Some(self.query.clone()),
            filter: filter.or_else(|| self.start_filter.clone()),
            sort: self.sort(),
            row: self.fixed_row(),
            ..ViewParams::default()
        }
    }

    fn sort_names(&self) -> Vec<&'static str> {
        let subject = self.query.subject();
        column_names(self.kind.columns.iter().filter(|column| column.usage.includes(subject)))
    }

    fn restore(&mut self, params: ViewParams) {
        self.query = params.query.unwrap_or_else(|| self.query.clone());
        self.start_filter = params.filter;
        let row = params.row.filter(|_| self.has_fixed_rows());
        self.typed_ahead = row.map_or(0, |number| number.saturating_sub(1));
        let order = params.sort.and_then(|sort| self.row_order(&sort));
        self.filter.set_order(order.or_else(|| self.usual_order()));
    }
}
