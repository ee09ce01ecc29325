//! The call trace of a transaction: a tree that folds, with gas, value and what became of each call.

mod actions;
mod availability;
mod call_decoding;
pub mod call_labels;
mod call_results;
pub mod copy;
mod detail;
pub mod diagnostics;
mod fallback;
mod fetch;
mod find;
mod folds;
pub mod gas;
mod goto;
mod icicle;
mod mouse;
pub mod row;
mod scroll;
pub(crate) mod search;
pub mod transfer_matching;
mod value_flow;
mod view;

use std::sync::Arc;
use std::time::Duration;

use super::export::{Export, ViewParams};
use super::{Availability, Command, ExternalTool, Pane, PaneContext, PaneEvent, PaneState};
use crate::abi::ValueFormat;
use crate::api::transactions::{Transaction, TransactionOutcome as TxOutcome};
use crate::api::{ApiError, Query, Reply};
use crate::chain::amount::Unit;
use crate::chain::{Address, TxHash};
use crate::keymap::KeyContext;
use crate::msg::{Action, PaneRequest, Priority, TraceEvent};
use crate::sanitize::SafeText;
use crate::trace::revert_origin;
use crate::trace::value_flow::BalanceChanges;
use crate::trace::{CallFrame, CallTree, VisibleFrames};
use crate::ui::document::Document;
use call_labels::CallFormatter;
use detail::DetailOptions;
use fallback::TraceFallback;
use fetch::{FetchState, TraceFetch};
use folds::{HiddenCalls, SiblingOrder};
use search::CallSearch;
use transfer_matching::TransferMap;
use view::TraceLayout;

/// Columns a level is indented at first.
const DEFAULT_INDENT_COLUMNS: u16 = 2;
/// Pause between two steps of a search through a large trace.
const SEARCH_STEP_INTERVAL: Duration = Duration::from_millis(1);

/// What the pane shows.
#[derive(Debug)]
enum TraceView {
    Tree,
    /// Gas as an icicle, below this call.
    Icicle(u32),
    /// Who gained and lost, and which line is selected.
    ValueFlow(Box<BalanceChanges>, usize),
}

/// How the detail stands to the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DetailMode {
    /// Below the tree, of the call that is passed by.
    Preview,
    /// Below the tree, with the keys.
    Focused,
    /// Over the whole pane, with the keys.
    Fullscreen,
}

/// The pane.
#[derive(Debug)]
pub struct TracePane {
    transaction: TxHash,
    fetch: TraceFetch,
    tree: Arc<CallTree>,
    visible: VisibleFrames,
    selected: u32,
    /// The first row in sight.
    first_row: usize,
    view: TraceView,
    hidden: HiddenCalls,
    order: SiblingOrder,
    /// The user has done something already: folds and selection are not changed under the hand.
    user_interacted: bool,
    /// The call to go to when it is there, by its path.
    target_path: Vec<u32>,
    transfers: TransferMap,
    /// From the outermost failure down to where it began, and which failure that is.
    revert_path: (Option<u32>, Vec<u32>),
    search: Option<CallSearch>,
    filter: Option<CallSearch>,
    detail: Document,
    /// Of which call the detail is, and in which form.
    detail_cache_key: Option<(u32, (ValueFormat, bool), bool)>,
    detail_mode: DetailMode,
    value_format: ValueFormat,
    share_of_parent: bool,
    indent: u16,
    fallback: TraceFallback,
    /// The transaction itself is asked for.
    transaction_requested: bool,
    pending_notice: Option<Command>,
    epoch: u32,
}

impl TracePane {
    /// The trace of a transaction, asked for when it is first looked at.
    pub fn new(transaction: TxHash) -> Self {
        Self {
            transaction,
            fetch: TraceFetch::default(),
            tree: Arc::default(),
            visible: VisibleFrames::default(),
            selected: 0,
            first_row: 0,
            view: TraceView::Tree,
            hidden: HiddenCalls::default(),
            order: SiblingOrder::default(),
            user_interacted: false,
            target_path: Vec::new(),
            transfers: TransferMap::default(),
            revert_path: (None, Vec::new()),
            search: None,
            filter: None,
            detail: Document::default(),
            detail_cache_key: None,
            detail_mode: DetailMode::Preview,
            value_format: ValueFormat::Natural,
            share_of_parent: false,
            indent: DEFAULT_INDENT_COLUMNS,
            fallback: TraceFallback::default(),
            transaction_requested: false,
            pending_notice: None,
            epoch: 0,
        }
    }

    fn formatter<'a>(&'a self, cx: &PaneContext<'a>) -> CallFormatter<'a> {
        CallFormatter {
            tree: &self.tree,
            signatures: cx.signature_db,
            name_cache: cx.name_cache,
            network: cx.network,
            transaction: self.known_transaction(cx),
            transfers: &self.transfers,
            unit: Unit::Coin,
        }
    }

    /// The same for the screen.
    fn screen_formatter<'a>(&'a self, cx: &PaneContext<'a>) -> CallFormatter<'a> {
        CallFormatter { unit: cx.format.unit, ..self.formatter(cx) }
    }

    /// The transaction, as far as it was seen elsewhere.
    fn known_transaction<'a>(&self, cx: &PaneContext<'a>) -> Option<&'a Transaction> {
        cx.name_cache.transaction(&self.transaction)?.parsed.as_ref().ok()
    }

    fn request(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if self
            .known_transaction(cx)
            .is_some_and(|transaction| transaction.outcome() == TxOutcome::Pending)
        {
            self.fetch.state = FetchState::Pending;
            return Vec::new();
        }
        let about = self.request_transaction(cx);
        [Command::Request(PaneRequest::FetchTrace {
            transaction: self.transaction,
            options: self.fetch.start(),
        })]
        .into_iter()
        .chain(about)
        .collect()
    }

    /// Asks for the transaction too, unless it is known: it says what its calldata means, what else it
    /// cost and which tokens moved.
    fn request_transaction(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        self.transaction_requested = !cx.name_cache.knows_all_transfers(&self.transaction);
        self.transaction_requested.then(|| {
            Command::fetch(Query::Transaction(self.transaction), None, Priority::Interactive)
        })
    }

    /// Asks anew; what is here goes.
    fn reload(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.epoch += 1;
        self.tree = Arc::default();
        self.visible = VisibleFrames::default();
        (self.selected, self.first_row, self.user_interacted) = (0, 0, false);
        (self.transfers, self.revert_path, self.fallback) =
            (TransferMap::default(), (None, Vec::new()), TraceFallback::default());
        (self.search, self.filter, self.detail_cache_key) = (None, None, None);
        self.view = TraceView::Tree;
        let anew = [
            Command::cancel(),
            Command::Request(PaneRequest::FetchTrace {
                transaction: self.transaction,
                options: self.fetch.restart(),
            }),
        ];
        anew.into_iter().chain(self.request_transaction(cx)).collect()
    }

    /// Names, and transfers, may have become known.
    fn on_metadata(&mut self, cx: &PaneContext<'_>) {
        if matches!(self.fetch.state, FetchState::Complete) {
            self.transfers =
                TransferMap::build(&self.tree, &cx.name_cache.transfers(&self.transaction));
        }
        self.detail_cache_key = None;
        self.sync_to_selection(cx);
    }

    /// Nobody waits for the rest any more.
    fn cancel(&mut self) {
        self.epoch += 1;
        self.transaction_requested = false;
        self.fetch.state =
            if self.tree.is_empty() { FetchState::NotRequested } else { FetchState::Stopped };
    }

    /// The trace is as complete as it will be.
    fn on_complete(&mut self, cx: &PaneContext<'_>) {
        let transfers = cx.name_cache.transfers(&self.transaction);
        self.transfers = TransferMap::build(&self.tree, &transfers);
        self.apply_hidden();
        if !self.user_interacted {
            self.apply_initial_folds(self.layout(cx).rows.height);
        }
        self.go_to_target_path();
        (self.detail_cache_key, self.revert_path) = (None, (None, Vec::new()));
    }

    /// Brings everything that hangs on the selection up to date.
    fn sync_to_selection(&mut self, cx: &PaneContext<'_>) {
        self.selected = self.selected.min(self.tree.len().saturating_sub(1));
        let from = revert_origin::outermost_failure(&self.tree, self.selected);
        let from = from.or_else(|| revert_origin::outermost_failure(&self.tree, 0));
        if from != self.revert_path.0 {
            let found = from.and_then(|from| revert_origin::find_origin(&self.tree, from));
            self.revert_path = (from, found.map(|found| found.path).unwrap_or_default());
        }
        let row = self.visible.row_of(self.selected);
        let height = usize::from(self.layout(cx).rows.height).max(1);
        self.first_row = self.first_row.clamp((row + 1).saturating_sub(height), row);
        self.update_detail(cx);
    }

    fn update_detail(&mut self, cx: &PaneContext<'_>) {
        let open = self.tree.get(self.selected).is_some_and(CallFrame::is_unfinished);
        let (mode, whole) = (self.value_format, self.detail_mode != DetailMode::Preview);
        let wanted = (self.selected, (mode, whole), open);
        let area = self.layout(cx).detail;
        if self.detail_cache_key != Some(wanted) && area.height > 0 {
            let how = DetailOptions { value_format: mode, full: whole, keys: cx.keys };
            let mut entries = detail::entries(&self.screen_formatter(cx), self.selected, how);
            crate::pane::detail_lines::label_entries(&mut entries, cx.name_cache.labels());
            if self.detail_cache_key.is_none_or(|(before, ..)| before != self.selected) {
                self.detail = Document::default();
            }
            self.detail.resize(area);
            self.detail.set(entries);
            self.detail_cache_key = Some(wanted);
        }
        self.detail.resize(area);
    }

    fn layout(&self, cx: &PaneContext<'_>) -> TraceLayout {
        let rows = match self.view {
            TraceView::Tree => self.visible.rows().len(),
            _ => usize::from(cx.area.height),
        };
        let summary = u16::try_from(self.summary_lines(cx).len()).unwrap_or(1);
        let head = (summary, !self.notes(cx).is_empty());
        TraceLayout::new(cx.area, self.detail_mode == DetailMode::Fullscreen, head, rows)
    }

    fn on_chunk(&mut self, part: crate::trace::TraceChunk, cx: &PaneContext<'_>) {
        let tree = Arc::make_mut(&mut self.tree);
        let complete = part.summary.is_some();
        if let Some(moves) = tree.apply_chunk(part) {
            self.selected = moves.get(self.selected);
            self.visible.remap(&self.tree, |frame| moves.get(frame));
        } else {
            self.visible.extend(&self.tree);
        }
        self.go_to_target_path();
        if complete {
            // Of one that broke off on its way the failure is told next.
            self.fetch.state = FetchState::Complete;
            self.on_complete(cx);
        }
    }
}

impl TracePane {
    /// Whether an action is one of those that only change how the trace is looked at; then it is done.
    fn apply_view_action(&mut self, action: Action, cx: &PaneContext<'_>) -> bool {
        (matches!(self.view, TraceView::Icicle(_)) && self.move_in_icicle(action))
            || self.move_selection(action, cx)
            || self.jump(action)
            || self.fold(action)
            || self.scroll(action, cx)
            || self.change_view(action)
            || self.go_to_match(action)
    }
}

impl Pane for TracePane {
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let wants = match self.fetch.state {
            FetchState::NotRequested | FetchState::Pending => self.request(cx),
            _ => Vec::new(),
        };
        self.on_metadata(cx);
        wants
    }

    fn deactivate(&mut self) {
        if self.is_busy() {
            self.fallback.cancel();
            self.transaction_requested = false;
            if self.fetch.is_in_flight() { self.cancel() } else { self.epoch += 1 }
        }
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        self.action_availability(action, cx)
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        self.pending_notice = None;
        let in_detail = self.detail_has_focus().then(|| self.move_in_detail(action, cx)).flatten();
        let mut commands = match in_detail {
            Some(commands) => commands,
            None if self.apply_view_action(action, cx) => Vec::new(),
            None => self.handle_action(action, cx),
        };
        self.user_interacted |= action != Action::Refresh;
        commands.extend(self.pending_notice.take());
        self.sync_to_selection(cx);
        commands
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        let commands = match event {
            PaneEvent::Reply { query, reply } => self.on_reply(query, reply, cx),
            PaneEvent::Trace(event) => self.on_trace(event, cx),
            PaneEvent::Prompt { prompt, text } => self.apply_prompt(prompt, text, cx),
            PaneEvent::Click(at) => return self.on_click(at, cx).unwrap_or_default(),
            PaneEvent::Wheel { rows, at } => return self.on_wheel(rows, at, cx),
            PaneEvent::Tick => return self.on_tick(cx),
            PaneEvent::Reformatted | PaneEvent::LabelsChanged => {
                self.detail_cache_key = None;
                Vec::new()
            }
            PaneEvent::Resized | PaneEvent::QueryChosen(_) => Vec::new(),
        };
        self.sync_to_selection(cx);
        commands
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut ratatui::buffer::Buffer) {
        self.draw(cx, buf);
    }

    fn state(&self) -> PaneState {
        PaneState {
            epoch: self.epoch,
            is_busy: self.is_busy(),
            key_context: KeyContext::Trace,
            tick_interval: self.is_searching().then_some(SEARCH_STEP_INTERVAL),
            has_inner_focus: self.detail_has_focus(),
        }
    }

    fn status(&self, _: &PaneContext<'_>) -> SafeText {
        self.position_text()
    }

    fn address(&self, cx: &PaneContext<'_>) -> Option<Address> {
        self.selected_address()
    }

    fn export(&self, viewer: ExternalTool, cx: &PaneContext<'_>) -> Result<Export, SafeText> {
        self.export_for_viewer(viewer, cx)
    }

    fn view_params(&self) -> ViewParams {
        let here = self.tree.path(self.selected);
        let node = if self.target_path.is_empty() { here } else { self.target_path.clone() };
        ViewParams { node, ..ViewParams::default() }
    }

    fn restore(&mut self, aim: ViewParams) {
        self.target_path = aim.node;
    }
}

impl TracePane {
    fn on_reply(
        &mut self,
        query: &Query,
        reply: Result<Reply, ApiError>,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        if matches!(query, Query::Transaction(_)) {
            self.transaction_requested = false;
            self.on_metadata(cx);
            return Vec::new();
        }
        let (wants, body) = self.fallback.on_reply(query, reply);
        if let Some(body) = body {
            self.tree = Arc::new(crate::trace::parser::parse_trace(body));
            self.visible = VisibleFrames::default();
            self.visible.extend(&self.tree);
            self.on_complete(cx);
        }
        self.sync_to_selection(cx);
        wants
    }

    fn on_trace(&mut self, news: TraceEvent, cx: &PaneContext<'_>) -> Vec<Command> {
        let mut wants = Vec::new();
        match news {
            TraceEvent::Started { expected } => {
                self.fetch.state = FetchState::Reading;
                self.fetch.progress.expected = expected;
            }
            TraceEvent::Chunk { part, dialect, progress } => {
                (self.fetch.progress, self.fetch.format) = (progress, dialect);
                self.on_chunk(*part, cx);
            }
            TraceEvent::Paused(progress) => {
                self.fetch.progress = progress;
                self.fetch.state = FetchState::Paused;
            }
            TraceEvent::Failed(error) => self.fetch.state = FetchState::Failed(error),
        }
        if self.needs_fallback() {
            wants.extend(self.fallback.request(self.transaction));
        }
        wants.extend(self.pending_notice.take());
        self.sync_to_selection(cx);
        wants
    }

    fn is_busy(&self) -> bool {
        self.fetch.is_in_flight() || self.fallback.is_busy() || self.transaction_requested
    }

    /// Searches the next calls, if a search is running.
    fn on_tick(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.is_searching() {
            self.continue_search(cx);
            self.sync_to_selection(cx);
        }
        self.pending_notice.take().into_iter().collect()
    }
}

impl TracePane {
    /// The question was answered, or failed, and there is no call to show.
    fn needs_fallback(&self) -> bool {
        // What the explorer does not know at all has no internal transactions either.
        let unknown =
            |error: &ApiError| matches!(error, ApiError::Refused { status: 401..=404 | 422, .. });
        self.tree.is_empty()
            && match &self.fetch.state {
                FetchState::Complete => true,
                FetchState::Failed(error) => !unknown(error),
                _ => false,
            }
    }
}
