//! Loading of pages: ahead of the user, all of them, refreshes, and live lists.

use std::collections::HashMap;
use std::sync::Arc;

use super::rows::store::{ListedRow, RowKey};
use super::{ListPane, Live, LoadAll, RefreshReason, pool_watch};
use crate::api::page::ItemPage;
use crate::api::page::paged_rows::{InFlight, PageOutcome, PageRequest, TailState};
use crate::api::{ApiError, ReplyResult};
use crate::app_message::{Effect, Priority};
use crate::chain::U256;
use crate::columns::table::any_row::AnyItem;
use crate::columns::table::column::{ColumnHead, ColumnKind};
use crate::messages::Count;
use crate::messages::list::{self, ListNotice};
use crate::pane::{Command, Pane, PaneContext, PanePlace};
use crate::sanitize::SafeText;
use crate::time_slice::TimeSlice;

/// Loaded rows from which a list of folded rows loads more only if the user moves.
const MAX_FILL_ROWS: usize = 150;

impl ListPane {
    pub(super) fn fetch(&self, page: Option<PageRequest>, why: Priority) -> Vec<Command> {
        page.map(|ask| Command::fetch(self.query.clone(), ask.cursor, why)).into_iter().collect()
    }

    /// Requests the next page if the end of the loaded rows is less than a screen away, or on it if rows
    /// cost requests.
    pub(super) fn prefetch(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let screens = 1 + self.kind.screens_ahead;
        let screen_end = self.viewport.offset + screens * self.page_rows(cx);
        let is_narrowed = self.filter.text().is_some() || self.filter.column_order().is_some();
        let near = screen_end >= self.len()
            && !self.is_filtering()
            && (!is_narrowed || self.fill_pages > 0);
        if self.load_all != LoadAll::Running && !near {
            return Vec::new();
        }
        // The user waits for it at the end of the loaded rows.
        let is_awaited =
            self.load_all == LoadAll::Running || self.viewport.selected + 1 >= self.len();
        let priority = if is_awaited { Priority::Interactive } else { Priority::Prefetch };
        let page = self.request_next(priority);
        if !page.is_empty() {
            self.fill_pages = self.fill_pages.saturating_sub(1);
        }
        page
    }

    /// Requests the next page after rows that came, unless it may only be folded into the last row.
    pub(super) fn prefetch_further(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let has_enough = self.filter.has_folds() && self.paged.rows().len() >= MAX_FILL_ROWS;
        if has_enough && self.load_all != LoadAll::Running {
            return Vec::new();
        }
        self.prefetch(cx)
    }

    /// Returns `true` if no row that is not loaded can match the filter: the loaded ones, newest first,
    /// are older than its times.
    pub(super) fn is_past_filter(&self) -> bool {
        let is_newest_first = self.kind.is_newest_first(self.query.subject());
        let Some(matcher) = self.filter.matcher().filter(|_| is_newest_first) else { return false };
        let last = self.paged.rows().last().and_then(|row| self.reader.borrow_mut().read(row));
        last.is_some_and(|item| item.row().is_ok_and(|row| matcher.is_past(row)))
    }

    /// Requests the next page, or the size of the free memory if the rows fill what they may.
    fn request_next(&mut self, priority: Priority) -> Vec<Command> {
        if self.is_past_filter() {
            return Vec::new();
        }
        let bytes = self.held_bytes();
        if !self.memory.is_full(bytes) {
            let page = self.paged.request_next();
            return self.fetch(page, priority);
        }
        if !self.packer.is_done(self.paged.rows()) {
            return Vec::new(); // the rows will take less
        }
        let is_asked = self.memory.question(bytes).is_some();
        let can_ask = !is_asked && matches!(self.paged.tail(), TailState::More(_));
        can_ask.then_some(Command::Effect(Effect::MeasureMemory)).into_iter().collect()
    }

    /// Continues to load within the free memory, or leaves it to the user.
    pub(super) fn on_free_memory(&mut self, bytes: u64, cx: &PaneContext<'_>) -> Vec<Command> {
        if !self.memory.is_full(self.held_bytes()) {
            return Vec::new(); // another list's
        }
        self.memory.on_measured(self.held_bytes(), bytes);
        if self.is_paused() && self.load_all == LoadAll::Running {
            self.load_all = LoadAll::EndRequested;
        }
        self.prefetch(cx)
    }

    /// Returns `true` if more rows are loaded only if the user agrees.
    pub(super) fn is_paused(&self) -> bool {
        self.memory.question(self.held_bytes()).is_some()
    }

    pub(super) fn go_to_last(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_at_pause = self.is_paused() && self.viewport.selected + 1 >= self.len();
        // There is no last row to go to while a filter hides all.
        let is_hidden = self.len() == 0 && !self.paged.rows().is_empty();
        let again = self.load_all != LoadAll::Off || is_at_pause || is_hidden;
        let mut commands = self.move_to(self.len().saturating_sub(1), cx);
        self.load_all = LoadAll::EndRequested;
        let has_more = matches!(self.paged.tail(), TailState::More(_)) && !self.is_past_filter();
        if again && (has_more || self.tail_can_recover()) {
            self.load_all = LoadAll::Running;
            self.memory.agree(self.held_bytes());
            commands.push(Command::NotifyKeys(list::LOADING_ALL));
            commands.extend(self.retry_tail());
            commands.extend(self.prefetch(cx)); // a filtered list asks for no more by itself
        } else if again {
            self.load_all = LoadAll::Ended;
            commands.extend(self.load_all_notice());
        }
        commands
    }

    fn load_all_notice(&self) -> Option<Command> {
        match self.paged.tail() {
            TailState::More(_) if self.is_past_filter() => {
                Some(Command::Notify(list::OLDER_DO_NOT_MATCH.into()))
            }
            TailState::More(_) => None,
            TailState::End => Some(match self.paged.coverage() {
                Some(blocks) => Command::notify(&ListNotice::AllLoaded { blocks }),
                None => Command::Notify(list::ALL_LOADED.into()),
            }),
            TailState::Failed(..) => Some(Command::Notify(list::STOPPED_EARLY.into())),
        }
    }

    /// Ends the loading of all pages at the last one.
    fn end_load_all(&mut self) -> Option<Command> {
        if self.load_all != LoadAll::Running || self.tail_can_recover() {
            return None;
        }
        let notice = self.load_all_notice()?;
        self.load_all = LoadAll::Ended;
        Some(notice)
    }

    /// Returns a failure that does not keep the rows from being shown.
    pub(super) fn failure_with_rows(&self) -> Option<&ApiError> {
        let failure = self.refresh_failure.as_ref().or(self.transaction_failure.as_ref());
        failure.filter(|_| self.failure_without_rows().is_none())
    }

    pub(super) fn refresh(&mut self) -> Vec<Command> {
        if let Some(page) = self.paged.retry() {
            return self.fetch(Some(page), Priority::Interactive);
        }
        self.refresh_rows()
    }

    /// Requests the newest rows, even if the next page failed.
    pub(super) fn refresh_rows(&mut self) -> Vec<Command> {
        let page = if self.is_pool() { self.reset_rows() } else { self.paged.refresh() };
        [vec![Command::Cancel], self.fetch(Some(page), Priority::Refresh)].concat()
    }

    /// Drops all rows and requests the first page.
    pub(super) fn reset_rows(&mut self) -> PageRequest {
        self.bar_scale = None;
        self.packer.reset();
        self.pool.reset();
        self.paged.reset()
    }

    /// Requests the first page for a live list.
    fn poll_page(&mut self) -> PageRequest {
        if self.is_pool() { self.paged.update() } else { self.paged.poll() }
    }

    pub(super) fn follow(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.is_live() {
            self.live = Live::Off;
            return vec![Command::Notify(list::LIVE_OFF.into())];
        }
        let is_pushed = cx.network.endpoint.is_node() && !self.is_pool();
        self.live = if is_pushed { Live::Pushed } else { Live::Polled };
        self.polled_at = cx.now;
        self.pool.reset();
        let notice = Command::Notify(list::LIVE.into());
        let page = self.poll_page();
        [vec![notice, Command::Cancel], self.fetch(Some(page), Priority::Refresh)].concat()
    }

    /// Restores the selection after a refresh, and notifies the user of new rows.
    fn on_refreshed(
        &mut self,
        new: usize,
        here: Option<RowKey>,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        self.gap = None;
        self.packer.recount(self.paged.rows());
        let here = here.filter(|_| !self.shows_newest());
        self.return_row =
            here.and_then(|_| self.paged.rows().iter().position(|row| row.key() == here));
        let mut commands = self.restart_search(cx);
        self.new = if self.is_live() { self.new + new } else { new };
        let is_announced = std::mem::take(&mut self.refresh_reason) == RefreshReason::Requested;
        if is_announced && (!self.is_live() || new > 0) {
            commands.push(match self.new {
                0 => Command::Notify(list::NOTHING_NEW.into()),
                rows => Command::notify(&ListNotice::NewRows { rows: Count(rows, "new row") }),
            });
        }
        commands.extend(self.refresh_header().filter(|_| new > 0));
        commands
    }

    /// Returns the command for the header of a list that has new rows. With a node, the header itself
    /// follows the chain.
    fn refresh_header(&self) -> Option<Command> {
        (self.live == Live::Polled).then_some(Command::RefreshHeader)
    }

    pub(super) fn on_reply(&mut self, reply: ReplyResult, cx: &PaneContext<'_>) -> Vec<Command> {
        let page = match reply.map(|reply| (self.kind.page)(&reply)) {
            Ok(Some(page)) => Ok(page),
            Ok(None) => return Vec::new(), // the reply to another query
            Err(error) => Err(error),
        };
        if page.as_ref().is_ok_and(|page| self.has_moved(&page.items)) {
            return self.load_again(cx);
        }
        self.begin_live(cx);
        // Columns stay in place when other rows are on the screen.
        let visible = self.visible_positions(cx);
        self.remember_extent(visible.clone(), visible, cx);
        let before = self.paged.rows().len();
        let was_last = self.viewport.selected + 1 >= self.len();
        let may_move = self.filter.order().is_some() || self.filter.has_folds();
        if may_move && self.viewport.selected > 0 {
            self.return_row = self.filter.row(self.viewport.selected);
        }
        let here = self.listed(self.viewport.selected).and_then(ListedRow::key);
        let cut_note = page.as_ref().ok().and_then(ItemPage::cut_note);
        let evidence = page.as_ref().map(|page| record_evidence(&page.items, cx)).ok();
        if page.is_ok() && (before == 0 || self.paged.in_flight() != Some(InFlight::Page)) {
            self.refresh_failure = None;
        }
        self.paged.set_full(self.memory.is_full(self.held_bytes()));
        let is_update = self.paged.in_flight() == Some(InFlight::Update);
        let mut commands = match self.receive(page) {
            PageOutcome::Refreshed(new) => {
                self.loaded_at = Some(cx.now);
                let notices = self.on_refreshed(new, here, cx);
                evidence.into_iter().chain(notices).collect()
            }
            PageOutcome::Gap(_) | PageOutcome::RefreshFailed(_) if self.is_rolled_back() => {
                self.load_again(cx)
            }
            PageOutcome::Gap(rows) => {
                self.gap = Some(rows);
                let notice = Command::Notify(gap_text(rows, cx));
                std::iter::once(notice).chain(self.refresh_header()).collect()
            }
            PageOutcome::RefreshFailed(error) => {
                self.refresh_reason = RefreshReason::default();
                self.refresh_failure = Some(error);
                Vec::new()
            }
            PageOutcome::NextPage => {
                self.loaded_at = self.loaded_at.filter(|_| before > 0).or(Some(cx.now));
                self.begin_usual_order(before == 0);
                let typed_ahead = std::mem::take(&mut self.typed_ahead);
                let found = self.continue_search(cx);
                self.select_typed_ahead(typed_ahead, cx);
                evidence.into_iter().chain(found).chain(self.fill_screen(cx)).collect()
            }
            PageOutcome::Ignored => Vec::new(),
        };
        commands.extend(cut_note.map(Command::Notify));
        commands.extend(self.follow_page(was_last, cx));
        if is_update {
            commands.extend(self.ask_for_left(cx));
        }
        commands
    }

    /// Selects a row that is wanted before it is there. It may be on a later page.
    fn select_typed_ahead(&mut self, row: usize, cx: &PaneContext<'_>) {
        if row > 0 {
            self.select(row, cx);
            let has_more = matches!(self.paged.tail(), TailState::More(_));
            self.typed_ahead = if has_more && row >= self.len() { row } else { 0 };
        }
    }

    fn receive(&mut self, page: Result<ItemPage<Arc<dyn AnyItem>>, ApiError>) -> PageOutcome {
        let page = page.map(|page| self.packer.wrap_page(page));
        let of_page = page.as_ref().ok().and_then(|page| largest_bar(&page.items));
        let is_update = self.paged.in_flight() == Some(InFlight::Update);
        let listed = page.as_ref().ok().filter(|_| is_update).map(pool_watch::rows_of);
        let outcome = self.paged.receive(page, ListedRow::key);
        match outcome {
            PageOutcome::NextPage => self.bar_scale = self.bar_scale.max(of_page),
            PageOutcome::Refreshed(_) => self.bar_scale = largest_bar(self.paged.rows()),
            PageOutcome::Gap(_) | PageOutcome::RefreshFailed(_) | PageOutcome::Ignored => {}
        }
        self.add_up_risks();
        if let Some((rows, is_whole)) = listed {
            self.mark_left(rows, is_whole);
        }
        outcome
    }

    fn is_rolled_back(&self) -> bool {
        self.refresh_reason == RefreshReason::RolledBack
    }

    /// Returns `true` if a listed row is elsewhere in the chain after a rollback, as when a script ran again. Then the
    /// rows after it may be too.
    fn has_moved(&self, newest: &[Arc<dyn AnyItem>]) -> bool {
        let is_first_page =
            matches!(self.paged.in_flight(), Some(InFlight::Refresh | InFlight::Poll));
        if !is_first_page || !self.is_rolled_back() {
            return false;
        }
        let key_of = |item: &Arc<dyn AnyItem>| self.packer.wrap(Arc::clone(item)).key();
        let by_key: HashMap<RowKey, &Arc<dyn AnyItem>> =
            newest.iter().filter_map(|item| Some((key_of(item)?, item))).collect();
        let mut reader = self.reader.borrow_mut();
        self.paged.rows().iter().any(|row| {
            let now = row.key().and_then(|key| by_key.get(&key));
            let before = now.and_then(|now| Some((now, reader.read(row)?)));
            before.is_some_and(|(now, before)| self.chain_place(now) != self.chain_place(&before))
        })
    }

    /// Returns the exact block and time of a row, as far as its list has them.
    fn chain_place(&self, item: &Arc<dyn AnyItem>) -> Vec<String> {
        let Ok(row) = item.row() else { return Vec::new() };
        let is_place =
            |head: &ColumnHead| matches!(head.kind, ColumnKind::Block | ColumnKind::Time);
        let columns = (0..).zip(self.kind.columns).filter(|(_, head)| is_place(head));
        columns.map(|(number, _)| row.full_value(number).into_owned()).collect()
    }

    /// Loads the list again after a rollback: listed rows may be gone, or elsewhere.
    fn load_again(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        (self.gap, self.refresh_failure) = (None, None);
        self.refresh_reason = RefreshReason::default();
        let page = self.reset_rows();
        let found = self.restart_search(cx);
        [self.fetch(Some(page), Priority::Interactive), found].concat()
    }

    /// Requests the next page if the screen has space for its rows. A preview is passed by.
    pub(super) fn fill_screen(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let has_space = self.len() < self.page_rows(cx) && cx.place != PanePlace::Preview;
        if has_space { self.prefetch_further(cx) } else { Vec::new() }
    }

    /// Continues after a page as loading all pages, the node's new blocks and the filter require.
    fn follow_page(&mut self, was_last: bool, cx: &PaneContext<'_>) -> Vec<Command> {
        let follows = match self.load_all {
            LoadAll::Running => true,
            LoadAll::EndRequested => was_last && *self.paged.tail() == TailState::End,
            LoadAll::Off | LoadAll::Ended => false,
        };
        let to = if follows { self.len() } else { self.viewport.selected };
        self.select(to, cx);
        let mut commands: Vec<Command> = self.end_load_all().into_iter().collect();
        let on = self.load_all == LoadAll::Running || self.paged.is_skipping_empty_pages();
        if on {
            commands.extend(self.request_next(Priority::Interactive));
        }
        if std::mem::take(&mut self.is_behind) {
            commands.extend(self.on_chain_advanced(cx));
        }
        let awaits_row = self.typed_ahead > 0;
        if awaits_row || self.filter.text().is_some() || self.kind.screens_ahead == 0 {
            commands.extend(self.prefetch(cx)); // until the screen is full, or the row is there
        }
        commands
    }

    pub(super) fn on_tick(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let mut slice = TimeSlice::begin();
        let was_packing = !self.packer.is_done(self.paged.rows());
        if was_packing {
            self.packer.resume(self.paged.rows_mut(), &slice);
        }
        let mut commands = self.search_within(&mut slice, cx);
        if was_packing && self.packer.is_done(self.paged.rows()) {
            commands.extend(self.prefetch_further(cx));
        }
        commands.extend(self.continue_export(&mut slice, cx));
        commands.extend(self.poll(cx));
        commands
    }

    /// Returns `true` if the next page failed for a reason that may pass, and the user sees it or waits
    /// for all pages.
    pub(super) fn tail_can_recover(&self) -> bool {
        let is_awaited = self.is_tail_visible || self.load_all == LoadAll::Running;
        matches!(self.paged.tail(), TailState::Failed(_, why) if is_awaited && why.is_repeated())
    }

    /// Requests the next page again if that failed, however far away the user was.
    pub(super) fn retry_tail(&mut self) -> Vec<Command> {
        let page = self.paged.retry();
        self.fetch(page, Priority::Interactive)
    }

    pub(super) fn retry_failed(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if !self.can_recover() || self.is_busy() {
            return Vec::new();
        }
        let has_lost = self.transaction_failure.as_ref().is_some_and(ApiError::is_repeated);
        let transaction = has_lost.then(|| self.request_transaction(cx)).flatten();
        let rows = if self.tail_can_recover() {
            self.retry_tail()
        } else if self.refresh_failure.is_some() {
            self.polled_at = cx.now;
            let page = self.poll_page();
            self.fetch(Some(page), Priority::Refresh)
        } else {
            Vec::new()
        };
        rows.into_iter().chain(transaction).collect()
    }

    /// Requests new rows of a live list from time to time, while the terminal has the focus.
    fn poll(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let last = self.loaded_at.map_or(self.polled_at, |loaded| loaded.max(self.polled_at));
        let is_due = cx.now.duration_since(last).unsigned_abs() >= self.poll_interval(cx);
        if self.live != Live::Polled || !cx.has_focus || self.is_busy() || !is_due {
            return Vec::new();
        }
        self.polled_at = cx.now;
        let page = self.poll_page();
        self.fetch(Some(page), Priority::Refresh)
    }

    /// Requests new rows, or retries rows that a node could not provide before.
    pub(super) fn on_chain_advanced(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.begin_live(cx);
        let is_waiting =
            matches!(self.paged.tail(), TailState::Failed(_, why) if why.may_come_with_blocks());
        if is_waiting {
            return self.retry_tail();
        }
        let ends_unindexed = self.paged.ends_unindexed();
        let is_pushed = self.live == Live::Pushed || (self.is_pool() && self.is_live());
        if !is_pushed && !ends_unindexed {
            return Vec::new();
        }
        self.is_behind = self.is_busy();
        if self.is_behind {
            return Vec::new();
        }
        // At the top, rows may be more than a page newer, and are seen.
        let is_loaded_again = ends_unindexed || self.shows_newest();
        let (reason, page) = if is_loaded_again {
            (RefreshReason::ChainAdvanced, self.paged.refresh())
        } else {
            (RefreshReason::Requested, self.poll_page())
        };
        self.refresh_reason = reason;
        self.fetch(Some(page), Priority::Refresh)
    }

    /// Follows the chain of a development node, as the start page does.
    fn begin_live(&mut self, cx: &PaneContext<'_>) {
        let may_grow = self.kind.is_newest_first(self.query.subject());
        if self.live == Live::Usual && may_grow && cx.network.is_development() {
            self.live = Live::Pushed;
        }
    }

    /// Returns `true` if new rows of the node's chain push the others down.
    fn shows_newest(&self) -> bool {
        self.live == Live::Pushed && self.viewport.selected == 0
    }

    pub(super) fn is_live(&self) -> bool {
        matches!(self.live, Live::Polled | Live::Pushed)
    }

    pub(super) fn is_busy(&self) -> bool {
        self.paged.in_flight().is_some()
    }
}

/// Returns the largest amount of the bars of rows.
fn largest_bar(rows: &[ListedRow]) -> Option<U256> {
    rows.iter().filter_map(ListedRow::bar_amount).max()
}

/// Returns the command that records the evidence for addresses in rows.
fn record_evidence(items: &[Arc<dyn AnyItem>], cx: &PaneContext<'_>) -> Command {
    let viewed = cx.known_addresses.viewed_address();
    let read = items.iter().filter_map(|item| item.row().ok());
    Command::RecordEvidence(read.flat_map(|row| row.evidence(viewed)).collect())
}

/// Returns the text about new rows, the oldest of which are not loaded.
pub(super) fn gap_text(rows: usize, cx: &PaneContext<'_>) -> SafeText {
    let (rows, reloads) = (Count(rows, "new row"), &*cx.keys.expand(list::RELOADS));
    SafeText::new(&ListNotice::Gap { rows, reloads }.to_string())
}
