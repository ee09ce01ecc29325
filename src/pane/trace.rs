//! The call trace of a transaction: a tree with folds, gas, value and the outcome of each call.
//!
//! `loading` requests the trace and adds its chunks to the call tree, which never changes otherwise.
//! `folds` hides calls and orders siblings, `logs` places events between calls, and `rows` draws the lines
//! that are left. Work on all calls, such as a search, a copy or an export, runs in slices between keys.
//! The words of calls come from [`calls`](crate::calls).

mod actions;
mod availability;
mod call_export;
mod copy;
mod detail;
mod draw;
mod failure_lines;
mod fetch;
mod folds;
mod goto;
mod loading;
mod logs;
mod mouse;
mod refreshing;
mod restored_view;
mod rows;
mod same_call;
mod scroll;
mod search_actions;
mod views;

use std::sync::Arc;
use std::time::Duration;

use super::addresses::labels::label_entries;
use super::addresses::lookalike_marks::mark_addresses;
use super::detail::value_entries::{shown_lines, unfold_what_fits};
use super::export::{TraceChart, ViewParams};
use super::{
    Availability, Command, ExternalTool, Pane, PaneContext, PaneEvent, PaneKind, PanePrompt,
    PaneState, RowCount, TypedMatches,
};
use crate::action::Action;
use crate::api::ApiError;
use crate::api::transactions::Transaction;
use crate::calls::failing_source::FailurePlaces;
use crate::calls::formatter::CallFormatter;
use crate::calls::transfer_matching::TransferMap;
use crate::chain::amount::Unit;
use crate::chain::{Address, TxHash};
use crate::keymap::KeyContext;
use crate::messages::trace::TraceNote;
use crate::sanitize::SafeText;
use crate::trace::log_rows::TraceRow;
use crate::trace::revert_origin;
use crate::trace::{CallFrame, CallTree};
use crate::ui::frame::ScrollExtent;
use call_export::CallExport;
use copy::TreeCopy;
use detail::panel::DetailPanel;
pub(super) use detail::{compared_entries, entries_alone, shorten_addresses};
use failure_lines::FailureLines;
use fetch::FetchState;
use folds::{CallFolding, SiblingOrder};
use loading::TraceLoading;
use logs::TraceLogs;
use rows::call_row::RowOptions;
pub use rows::gas_columns::has_short_badges;
use search_actions::CallFinding;
use views::TraceView;
use views::balance_changes::BalanceChangesView;
use views::function_gas::FunctionGasView;

/// The calls from the outermost failure down to the origin of the revert.
#[derive(Debug, Default)]
struct RevertPath {
    outermost: Option<u32>,
    frames: Vec<u32>,
}

/// The row under the cursor, and the rows on the screen.
#[derive(Debug, Default)]
struct TraceCursor {
    /// The selected call: the one of the log under the cursor, or of its row.
    call: u32,
    /// The row under the cursor, if it is not a call's.
    log_row: Option<TraceRow>,
    first_row: usize,
    /// The number of rows before the last event.
    row_count: usize,
}

/// Selection of a command line, made once the trace is loaded unless the user acts first.
#[derive(Debug, Default)]
struct StartPosition {
    path: Vec<u32>,
    /// Index of the event.
    event: Option<usize>,
    chart: Option<TraceChart>,
    /// The path of the call at the top of an icicle.
    zoom: Vec<u32>,
    /// The number of the account in the balance changes, from 1.
    account: Option<usize>,
    filter: Option<SafeText>,
    /// Action to carry out once all calls are loaded.
    action: Option<Action>,
}

/// The trace of a transaction. Its calls come from `loading`, or from a `successor`; `folding` decides which of them are
/// rows, `logs` adds the rows of events, and `cursor` is the place among these rows.
#[derive(Debug, Default)]
pub struct TracePane {
    transaction: TxHash,
    loading: TraceLoading,
    /// The pane with the same trace, while it is loaded again.
    successor: Option<Box<Self>>,
    tree: Arc<CallTree>,
    folding: CallFolding,
    transfers: TransferMap,
    logs: TraceLogs,
    cursor: TraceCursor,
    start: StartPosition,
    /// `true` once the user has acted; then folds and selection are not changed automatically.
    user_interacted: bool,
    finding: CallFinding,
    tree_copy: Option<TreeCopy>,
    call_export: Option<CallExport>,
    revert_path: RevertPath,
    view: TraceView,
    row_options: RowOptions,
    /// The width that the tree needed so far left of a detail.
    tree_columns: u16,
    detail: DetailPanel,
    failure_lines: FailureLines,
    failure_places: FailurePlaces,
}

impl TracePane {
    /// Creates the pane. The trace is requested when the pane is activated.
    pub fn new(transaction: TxHash) -> Self {
        Self { transaction, ..Self::default() }
    }

    /// Returns the formatter of texts that do not depend on the display's unit, such as searches.
    fn formatter<'a>(&'a self, cx: &PaneContext<'a>) -> CallFormatter<'a> {
        let screen = cx.call_formatter(&self.tree, &self.transaction, &self.transfers);
        CallFormatter { unit: Unit::Coin, short_amounts: false, ..screen }
    }

    /// Returns the formatter for copies and files, with addresses in full.
    fn export_formatter<'a>(&'a self, cx: &PaneContext<'a>) -> CallFormatter<'a> {
        let failure_places = Some(&self.failure_places);
        CallFormatter { full_addresses: true, failure_places, ..self.formatter(cx) }
    }

    /// Returns the formatter for the screen, with amounts in the current unit.
    fn screen_formatter<'a>(&'a self, cx: &PaneContext<'a>) -> CallFormatter<'a> {
        CallFormatter { unit: cx.format.unit, ..self.formatter(cx) }
    }

    fn known_transaction<'a>(&self, cx: &PaneContext<'a>) -> Option<&'a Transaction> {
        cx.name_cache.transaction(&self.transaction)?.parsed.as_ref().ok()
    }

    /// Updates the revert path, the scroll offset and the detail after a change of the selection.
    fn sync_to_selection(&mut self, cx: &PaneContext<'_>) {
        self.cursor.call = self.cursor.call.min(self.tree.len().saturating_sub(1));
        if let TraceView::Functions(view) = &self.view
            && view.selected_call().is_some_and(|call| call != self.cursor.call)
        {
            // The user jumped to another call.
            self.view = TraceView::Tree;
        }
        let outermost = self.outermost_failure();
        if outermost != self.revert_path.outermost {
            let origin = outermost.and_then(|from| revert_origin::find_origin(&self.tree, from));
            let frames = origin.map(|origin| origin.path).unwrap_or_default();
            self.revert_path = RevertPath { outermost, frames };
        }
        let is_filtered = self.finding.filter.is_some() || self.folding.hidden.all_but_failures;
        self.logs.update_rows(&self.tree, &self.folding.visible, is_filtered);
        let is_shown = |row: &TraceRow| self.logs.rows.row_of_log(*row).is_some();
        let is_tree = matches!(self.view, TraceView::Tree);
        self.cursor.log_row = self.cursor.log_row.filter(|row| is_tree && is_shown(row));
        self.scroll_to_cursor(cx);
        self.fit_tree(cx);
        self.update_detail(cx);
        if self.detail.is_enlarged() {
            // It leaves lines to the calls by what it has now.
            self.scroll_to_cursor(cx);
        }
        let layout = self.layout(cx);
        if let TraceView::BalanceChanges(view) = &mut self.view {
            view.update(self.transaction, layout.rows, cx);
        }
    }

    /// Scrolls the calls so that the selected row is among them.
    fn scroll_to_cursor(&mut self, cx: &PaneContext<'_>) {
        let row = self.cursor_row();
        let height = usize::from(self.layout(cx).rows.height).max(1);
        let rows = self.row_total();
        if std::mem::replace(&mut self.cursor.row_count, rows) > rows {
            self.cursor.first_row = self.cursor.first_row.min(rows.saturating_sub(height));
        }
        self.cursor.first_row = self.cursor.first_row.clamp((row + 1).saturating_sub(height), row);
    }

    /// Returns the outermost failed call around the selection, else of the whole trace.
    fn outermost_failure(&self) -> Option<u32> {
        revert_origin::outermost_failure(&self.tree, self.cursor.call)
            .or_else(|| revert_origin::outermost_failure(&self.tree, 0))
    }

    fn update_detail(&mut self, cx: &PaneContext<'_>) {
        let layout = self.layout(cx);
        let is_unfinished = self.tree.get(self.cursor.call).is_some_and(CallFrame::is_unfinished);
        let area = layout.detail;
        let lines = DetailPanel::lines_area(area);
        let call =
            self.detail.wanted(self.cursor.call, self.cursor.log_row, is_unfinished, lines.width);
        if area.height > 0 && !self.detail.is_up_to_date(call) {
            let mut entries = if let Some(Ok(log)) = self.selected_log().map(|log| &log.parsed) {
                let number = super::log::number_entry(log);
                super::log::entries(log, cx).into_iter().chain([number]).collect()
            } else {
                let options = call.options(cx.keys, self.failure_lines.get(self.cursor.call));
                let mut entries =
                    detail::entries(&self.screen_formatter(cx), self.cursor.call, options);
                // An enlarged one leaves lines to the calls only after that.
                let has_all = self.detail.is_enlarged() && !layout.is_side_by_side();
                let of_calls = if has_all { layout.calls_height() } else { 0 };
                unfold_what_fits(&mut entries, usize::from(lines.height + of_calls));
                if layout.is_side_by_side() {
                    let free = usize::from(area.height).saturating_sub(shown_lines(&entries));
                    entries.extend(detail::call_json(&self.tree, self.cursor.call, free, cx));
                }
                entries
            };
            mark_addresses(&mut entries, cx);
            label_entries(&mut entries, cx.name_cache.labels());
            self.detail.set(call, entries, area);
        }
        self.detail.resize(area);
    }

    /// Performs an action that only changes the display of the trace. Returns the resulting commands,
    /// or `None` for other actions.
    fn apply_view_action(&mut self, action: Action, cx: &PaneContext<'_>) -> Option<Vec<Command>> {
        self.move_in_chart(action)
            .or_else(|| self.move_selection(action, cx))
            .or_else(|| self.jump(action))
            .or_else(|| self.fold(action))
            .or_else(|| self.scroll(action, cx))
            .or_else(|| self.change_view(action))
            .or_else(|| self.go_to_match(action))
    }

    fn carry_out(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        self.apply_view_action(action, cx).unwrap_or_else(|| self.handle_action(action, cx))
    }

    /// Carries out an action, once all calls are loaded.
    fn act_when_loaded(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        self.start.action = Some(action);
        // A tab that was just opened sends its requests once the user rests.
        let is_delayed = matches!(self.loading.fetch.state, FetchState::NotRequested);
        if is_delayed || self.loading.fetch.is_in_flight() || self.loading.fallback.is_busy() {
            return Vec::new();
        }
        self.carry_out_awaited(cx)
    }

    /// Carries out the action that was requested before all calls were loaded.
    fn carry_out_awaited(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let Some(action) = self.start.action.take() else { return Vec::new() };
        if let Availability::Disabled(reason) = self.action_availability(action, cx) {
            return vec![Command::NotifyKeys(reason)];
        }
        let commands = self.carry_out(action, cx);
        self.user_interacted = true;
        commands
    }

    /// Switches views and display options.
    fn change_view(&mut self, action: Action) -> Option<Vec<Command>> {
        let mut notices = Vec::new();
        match action {
            Action::Icicle => {
                self.view = match self.view {
                    TraceView::Icicle(_) => TraceView::Tree,
                    _ => TraceView::Icicle(0),
                };
            }
            Action::GasByFunction if matches!(self.view, TraceView::Functions(_)) => {
                notices = self.show_tree();
            }
            Action::GasByFunction => {
                self.view = TraceView::Functions(FunctionGasView::new(&self.tree));
                self.select_call_of_function();
            }
            Action::BalanceChanges => {
                self.view = match self.view {
                    TraceView::BalanceChanges(_) => TraceView::Tree,
                    _ => TraceView::BalanceChanges(Box::new(BalanceChangesView::new(&self.tree))),
                };
            }
            // A call without inner calls is shown among its siblings.
            Action::ZoomIn => {
                let call = self.cursor.call;
                let is_leaf = self.tree.children(call).next().is_none();
                let parent = self.tree.parent(call).filter(|_| is_leaf);
                self.view = TraceView::Icicle(parent.unwrap_or(call));
            }
            Action::ZoomOut => {
                if let TraceView::Icicle(root) = self.view {
                    self.view = TraceView::Icicle(self.tree.parent(root).unwrap_or(root));
                }
            }
            Action::Percent => self.row_options.share_of_parent ^= true,
            Action::Indent => self.row_options.widen_indent(),
            Action::Outdent => self.row_options.narrow_indent(),
            Action::Focus => self.detail.toggle_focus(),
            Action::Zoom => self.detail.toggle_enlarged(),
            Action::DisplayMode => {
                let format = self.detail.cycle_value_format();
                notices.push(Command::notify(&TraceNote::ArgumentFormat { format }));
            }
            _ => return None,
        }
        Some(notices)
    }
}

impl Pane for TracePane {
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let commands = match self.loading.fetch.state {
            FetchState::NotRequested | FetchState::Pending => self.request(cx),
            _ => Vec::new(),
        };
        self.search_again();
        self.on_metadata(cx);
        let fallback = self.request_fallback(cx);
        let filter = self.start.filter.take();
        let filtered = filter.map(|text| self.apply_prompt(PanePrompt::FilterCalls, &text, cx));
        let requests = commands.into_iter().chain(fallback).chain(self.request_logs(cx));
        requests.chain(filtered.into_iter().flatten()).collect()
    }

    fn on_cancelled(&mut self, cx: &PaneContext<'_>) {
        self.cancel();
        self.finding.typed = None;
        self.sync_to_selection(cx);
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        self.action_availability(action, cx)
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        self.finding.same_call = None;
        if action != Action::Refresh {
            // What the user does meanwhile comes after it.
            self.start.action = None;
        }
        self.failure_lines.forget_opening();
        let area = self.layout(cx).detail;
        let in_detail = self.detail.has_focus().then(|| self.detail.act(action, area)).flatten();
        let mut commands = in_detail.unwrap_or_else(|| self.carry_out(action, cx));
        self.user_interacted |= action != Action::Refresh && self.start.action.is_none();
        self.sync_to_selection(cx);
        commands.extend(self.fetch_visible_names(cx));
        commands.extend(self.request_state_changes(cx));
        commands
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        let mut commands = match event {
            PaneEvent::Reply { query, reply } => {
                self.search_again();
                self.on_reply_event(query, reply, cx)
            }
            PaneEvent::Trace(event) => self.on_trace_event(event, cx),
            PaneEvent::ActWhenLoaded(action) => self.act_when_loaded(action, cx),
            PaneEvent::Prompt { prompt, text } => self.apply_prompt(prompt, text, cx),
            PaneEvent::SearchTyped(text) => {
                self.on_search_typed(text, cx);
                Vec::new()
            }
            PaneEvent::Click(at) => self.on_click(at, cx),
            PaneEvent::Wheel { rows, at } => self.on_wheel(rows, at, cx),
            PaneEvent::Tick => self.on_tick(cx),
            PaneEvent::ChainAdvanced if self.loading.fetch.may_come_with_blocks() => {
                self.reload(cx)
            }
            PaneEvent::RetryFailed => self.retry_failed(cx),
            PaneEvent::CallChosen(path) => self.show_call(path).into_iter().collect(),
            PaneEvent::ChainRolledBack => self.reload(cx),
            PaneEvent::Reformatted | PaneEvent::NamesChanged => {
                self.search_again();
                self.detail.invalidate();
                if let TraceView::BalanceChanges(view) = &mut self.view {
                    view.invalidate();
                }
                Vec::new()
            }
            _ => Vec::new(),
        };
        self.sync_to_selection(cx);
        commands.extend(self.fetch_visible_names(cx));
        commands.extend(self.request_state_changes(cx));
        commands
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut ratatui::buffer::Buffer) {
        self.draw(cx, buf);
    }

    fn state(&self) -> PaneState {
        PaneState {
            key_context: KeyContext::Trace,
            tick_interval: self.is_working().then_some(Duration::ZERO),
            has_inner_focus: self.detail.has_focus(),
            is_live: false,
        }
    }

    fn can_recover(&self) -> bool {
        self.is_recoverable()
    }

    fn reported_failure(&self, _: &PaneContext<'_>) -> Option<&ApiError> {
        match &self.loading.fetch.state {
            FetchState::Failed(error) if self.tree.is_empty() => Some(error),
            _ => None,
        }
    }

    fn typed_matches(&self) -> Option<TypedMatches> {
        self.matches_of_typed()
    }

    fn describes_wait(&self) -> bool {
        self.tree.is_empty()
    }

    fn status(&self, cx: &PaneContext<'_>) -> SafeText {
        let fetch = &self.loading.fetch;
        let position = match &self.view {
            TraceView::BalanceChanges(view) => SafeText::new(&view.describe_position()),
            TraceView::Icicle(root) => SafeText::new(&self.icicle_status(*root, cx)),
            TraceView::Functions(view) => SafeText::new(&view.describe_position()),
            TraceView::Tree => self.position_text(),
        };
        let progress = self.export_progress().unwrap_or_default();
        let position = SafeText::from([&*progress, &*position].concat());
        match &fetch.failed_refresh {
            Some(error) => SafeText::new(&cx.failed_refresh(error, fetch.loaded_at, &position)),
            None => position,
        }
    }

    fn hint(&self, action: Action) -> Option<&'static str> {
        match (action, &self.view) {
            (Action::Icicle, TraceView::Icicle(_))
            | (Action::GasByFunction, TraceView::Functions(_))
            | (Action::BalanceChanges, TraceView::BalanceChanges(_)) => Some("tree"),
            (Action::ZoomIn, TraceView::Icicle(_)) => Some("zoom"),
            (Action::ZoomOut, TraceView::Icicle(_)) => Some("out"),
            (Action::Focus, _) if self.detail.has_focus() => Some("calls"),
            _ => None,
        }
    }

    fn scroll_extent(&self, cx: &PaneContext<'_>) -> Option<ScrollExtent> {
        let layout = self.layout(cx);
        (!layout.is_side_by_side()).then(|| self.rows_extent(layout.rows)).flatten()
    }

    fn row_count(&self, kind: PaneKind) -> Option<RowCount> {
        match kind {
            PaneKind::Logs => self.logs.known_count().map(RowCount::Exactly),
            PaneKind::StateChanges => self.loading.all_state_changes.map(RowCount::Exactly),
            _ => None,
        }
    }

    fn unknown_tokens(&self, cx: &PaneContext<'_>) -> Vec<Address> {
        self.unknown_tokens_of_errors(cx)
    }

    fn address(&self, _: &PaneContext<'_>) -> Option<Address> {
        self.selected_address()
    }

    fn export(&mut self, tool: ExternalTool, cx: &PaneContext<'_>) -> Vec<Command> {
        self.open_in(tool, cx).into_iter().collect()
    }

    fn sort_names(&self) -> Vec<&'static str> {
        SiblingOrder::names()
    }

    fn view_params(&self) -> ViewParams {
        self.current_params()
    }

    fn restore(&mut self, params: ViewParams) {
        self.restore_params(params);
    }
}
