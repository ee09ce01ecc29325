//! Loads the trace: requests it, applies its chunks, and falls back to internal transactions.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem::take;
use std::sync::Arc;

use super::fetch::{FetchState, TraceFetch};
use super::folds::CallFolding;
use super::views::TraceView;
use super::views::function_gas::FunctionGasView;
use super::{RevertPath, StartPosition, TracePane};
use crate::api::state_changes::StateChange;
use crate::api::transactions::TransactionOutcome as TxOutcome;
use crate::api::{ApiError, Item, Next, Query, Reply, ReplyResult, TransactionQuery};
use crate::app_message::{ChainRequest, Priority, TraceEvent};
use crate::calls::fallback::{FallbackStep, TraceFallback, may_have_internal_transactions};
use crate::calls::trace_contracts::{
    MAX_NAME_PAGES, UnknownContracts, called_contract, called_contracts,
};
use crate::calls::transfer_matching::TransferMap;
use crate::chain::Address;
use crate::columns::Row;
use crate::columns::table::any_row::RowId;
use crate::messages::Count;
use crate::messages::trace::TraceNote;
use crate::pane::icicle::layout::Icicle;
use crate::pane::{Command, PaneContext};
use crate::trace::log_places;
use crate::trace::parser::parse_trace;
use crate::trace::tree::FrameClass;
use crate::trace::{CallFrame, TraceChunk, VisibleFrames};

/// Maximum calls with value whose contracts are named for balance changes.
const MAX_NAMED_COIN_CALLS: usize = 200;
/// Maximum failed calls on the screen in whose errors unknown tokens are looked for.
const MAX_ERRORS_FOR_NAMES: usize = 8;
/// Maximum calls of a trace whose bars are made for their names.
const MAX_CHARTED_CALLS: u32 = 100_000;
/// Calls of a larger trace whose names are requested, from the outermost bar on.
const MAX_FIRST_CALLS: usize = 1_000;

/// Requests of a trace that are in flight or answered.
#[derive(Debug, Default)]
pub(super) struct TraceLoading {
    pub(super) fetch: TraceFetch,
    pub(super) fallback: TraceFallback,
    /// `true` if the transaction could not be fetched for a reason that may pass.
    lacks_transaction: bool,
    /// `true` if other requests failed too when the trace had timed out: the network was away.
    was_outage: bool,
    /// The pages of calls, token transfers and balances that were read for names.
    name_pages: HashMap<Query, usize>,
    /// The state changes that are loaded, by any view of balances.
    state_changes: HashSet<RowId>,
    /// `true` if some of them have no identity.
    has_unknown_changes: bool,
    /// Number of all state changes, once their last page is loaded.
    pub(super) all_state_changes: Option<u64>,
    /// Contracts whose names were requested.
    pub(super) asked_names: HashSet<Address>,
}

impl TraceLoading {
    /// Counts a page of state changes, which an earlier view may have requested too. Rows without an identity
    /// are not counted, and then the number of all stays unknown.
    fn count_state_changes(&mut self, page: &[Arc<Item<StateChange>>], is_last: bool) {
        let ids: Vec<_> =
            page.iter().filter_map(|change| change.parsed.as_ref().ok()?.id()).collect();
        self.has_unknown_changes |= ids.len() < page.len();
        self.state_changes.extend(ids);
        if is_last && !self.has_unknown_changes {
            self.all_state_changes = u64::try_from(self.state_changes.len()).ok();
        }
    }
}

impl TracePane {
    pub(super) fn request(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.is_pending(cx) {
            self.loading.fetch.state = FetchState::Pending;
            return Vec::new();
        }
        self.send_requests(cx)
    }

    pub(super) fn request_again(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let requests = self.send_requests(cx);
        [Command::Cancel].into_iter().chain(requests).collect()
    }

    fn send_requests(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let options = self.loading.fetch.start();
        let trace = ChainRequest::FetchTrace { transaction: self.transaction, options };
        let names = self.request_names(cx);
        let commands = [Command::Request(trace)].into_iter().chain(names);
        commands.chain(self.request_transaction(cx)).collect()
    }

    /// Requests the transaction too, unless it is known: it has the decoded input, the total gas and the
    /// token transfers.
    fn request_transaction(&self, cx: &PaneContext<'_>) -> Option<Command> {
        let query = Query::Transaction(self.transaction, TransactionQuery::Details);
        let is_known = cx.name_cache.knows_all_transfers(&self.transaction) && !self.is_pending(cx);
        (!is_known).then(|| Command::fetch(query, None, Priority::Interactive))
    }

    fn is_pending(&self, cx: &PaneContext<'_>) -> bool {
        let known = self.known_transaction(cx);
        known.is_some_and(|transaction| transaction.outcome() == TxOutcome::Pending)
    }

    /// Requests the calls as a node's chain lists them, for the names of the contracts. Explorers would
    /// count these requests.
    fn request_names(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        self.loading.name_pages.clear();
        self.loading.state_changes.clear();
        self.loading.has_unknown_changes = false;
        self.loading.all_state_changes = None;
        let query = Query::Transaction(self.transaction, TransactionQuery::InternalTransactions);
        cx.network.endpoint.is_node().then(|| Command::Background(query, None))
    }

    /// Returns the calls that the view names.
    fn drawn_calls(&self, cx: &PaneContext<'_>) -> Vec<u32> {
        let layout = self.layout(cx);
        match &self.view {
            TraceView::Tree => self.calls_on_screen(cx.area).to_vec(),
            // The bars of a large trace take milliseconds.
            TraceView::Icicle(root) if self.tree.len() > MAX_CHARTED_CALLS => {
                (*root..self.tree.len()).take(MAX_FIRST_CALLS).collect()
            }
            TraceView::Icicle(root) => {
                let areas = self.icicle_areas(*root, &layout, cx);
                let bars = Icicle::new(&self.tree, *root, self.cursor.call, areas.chart).bars;
                let around = areas.ancestor_calls(&self.tree, *root);
                around.into_iter().chain(bars.iter().map(|bar| bar.frame)).collect()
            }
            TraceView::Functions(view) => view.drawn_calls(layout.rows),
            TraceView::BalanceChanges(_) => {
                let tokens = self.transfers.calls_by_log().into_values();
                let coin = self.tree.frames_of(FrameClass::WithValue).iter().copied();
                let calls: BTreeSet<u32> = tokens.chain(coin.take(MAX_NAMED_COIN_CALLS)).collect();
                let with_callers =
                    calls.into_iter().flat_map(|call| [self.tree.parent(call), Some(call)]);
                with_callers.flatten().collect()
            }
        }
    }

    /// Requests the names and ABIs of the contracts on the screen.
    pub(super) fn fetch_visible_names(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let addresses: Vec<Address> = self
            .drawn_calls(cx)
            .into_iter()
            .filter_map(|call| called_contract(&self.tree, call))
            .filter(|address| self.loading.asked_names.insert(*address))
            .collect();
        let transaction = self.transaction;
        // A node's contracts are named after the project's.
        let unknown = UnknownContracts::new(transaction, addresses);
        unknown.filter(|_| !cx.network.endpoint.is_node()).map(Command::FetchContractNames)
    }

    /// Returns the tokens without a name in the errors of the first failed calls on the screen.
    pub(super) fn unknown_tokens_of_errors(&self, cx: &PaneContext<'_>) -> Vec<Address> {
        if self.tree.frames_of(FrameClass::Failed).is_empty()
            || !matches!(self.view, TraceView::Tree)
            || cx.network.endpoint.is_node()
        {
            return Vec::new();
        }
        let formatter = self.formatter(cx);
        let has_failed = |call: &&u32| self.tree.get(**call).is_some_and(CallFrame::failed);
        let calls = self.calls_on_screen(cx.area).iter().filter(has_failed);
        let errors = calls.take(MAX_ERRORS_FOR_NAMES);
        errors.flat_map(|call| formatter.unknown_tokens_of_error(*call)).collect()
    }

    /// Requests the names and ABIs of all called contracts.
    pub(super) fn fetch_all_names(&mut self) -> Vec<Command> {
        let transaction = self.transaction;
        let addresses = called_contracts(&self.tree, 0..self.tree.len());
        let contracts = Count(addresses.len(), "contract");
        self.loading.asked_names.extend(&addresses);
        let unknown = UnknownContracts { transaction, addresses, is_unlimited: true };
        let notice = Command::notify(&TraceNote::FetchingNames { contracts });
        vec![Command::FetchContractNames(unknown), notice]
    }

    /// Requests the token transfers of a transaction that has more than its own object lists.
    fn request_transfers(&self, cx: &PaneContext<'_>) -> Option<Command> {
        let overflow = self.known_transaction(cx)?.token_transfers_overflow.value();
        let query = Query::Transaction(self.transaction, TransactionQuery::TokenTransfers);
        (overflow == Some(&true)).then(|| Command::Background(query, None))
    }

    /// Requests the balances before and after once the view of balance changes has tokens: events alone
    /// may lie.
    pub(super) fn request_state_changes(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let TraceView::BalanceChanges(view) = &mut self.view else { return None };
        let has_tokens = !cx.name_cache.transfers(&self.transaction).is_empty();
        if !has_tokens || !view.begin_check() {
            return None;
        }
        let query = Query::Transaction(self.transaction, TransactionQuery::StateChanges);
        Some(Command::Background(query, None))
    }

    /// Uses a page of calls or of token transfers, which the name cache has.
    fn on_names(
        &mut self,
        query: &Query,
        reply: &ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        self.on_metadata(cx);
        if let TraceView::BalanceChanges(view) = &mut self.view
            && matches!(query, Query::Transaction(_, TransactionQuery::StateChanges))
        {
            match reply {
                Ok(reply) => {
                    let page = reply.page::<StateChange>();
                    let changes = page.map(|page| page.items).unwrap_or_default();
                    view.add_balances(&changes);
                    let is_last = !matches!(reply.next(), Some(Next::Page(_)));
                    self.loading.count_state_changes(&changes, is_last);
                }
                Err(error) => view.fail_check(&cx.reason(error)),
            }
        }
        let pages = self.loading.name_pages.entry(query.clone()).or_default();
        *pages += 1;
        match reply.as_ref().map(Reply::next) {
            Ok(Some(Next::Page(cursor))) if *pages < MAX_NAME_PAGES => {
                vec![Command::Background(query.clone(), Some(cursor.clone()))]
            }
            _ => Vec::new(),
        }
    }

    /// Drops all calls, and loads the trace again.
    pub(super) fn reload(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        *self = self.emptied();
        self.request_again(cx)
    }

    /// Returns the pane without data, as for another request.
    pub(super) fn emptied(&self) -> Self {
        let CallFolding { hidden, order, .. } = self.folding;
        let StartPosition { path, action, .. } = &self.start;
        let (path, action) = (path.clone(), *action);
        Self {
            loading: TraceLoading {
                fetch: self.loading.fetch.repeated(),
                ..TraceLoading::default()
            },
            folding: CallFolding { hidden, order, ..CallFolding::default() },
            start: StartPosition { path, action, ..StartPosition::default() },
            detail: self.detail.emptied(),
            row_options: self.row_options,
            logs: self.logs.emptied(),
            ..Self::new(self.transaction)
        }
    }

    pub(super) fn is_recoverable(&self) -> bool {
        self.trace_can_recover()
            || self.logs.can_recover()
            || self.loading.fallback.can_recover()
            || self.loading.lacks_transaction
    }

    /// Returns `true` if the trace is to be loaded again by itself. What there is of it costs the node
    /// another replay only once.
    fn trace_can_recover(&self) -> bool {
        let fetch = &self.loading.fetch;
        let is_wanted = self.tree.is_empty() || !fetch.was_repeated;
        self.successor.is_none() && is_wanted && fetch.may_succeed_later()
    }

    pub(super) fn retry_failed(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.trace_can_recover() {
            self.loading.fetch.was_repeated = true;
            return self.refresh(cx);
        }
        if self.is_recoverable() && self.loading.fetch.can_repeat_after_timeout() {
            self.loading.was_outage = true;
        }
        let is_lacking = take(&mut self.loading.lacks_transaction);
        let transaction = is_lacking.then(|| self.request_transaction(cx)).flatten();
        self.loading.fallback.forget_failure();
        self.logs.forget_failure();
        let parts = transaction.into_iter().chain(self.request_fallback(cx));
        parts.chain(self.request_logs(cx)).collect()
    }

    /// Uses names and token transfers that may be new in the cache.
    pub(super) fn on_metadata(&mut self, cx: &PaneContext<'_>) {
        if self.loading.fetch.is_complete() {
            self.match_transfers(cx);
        }
        self.detail.invalidate();
        self.sync_to_selection(cx);
    }

    fn match_transfers(&mut self, cx: &PaneContext<'_>) {
        let transfers = cx.name_cache.transfers(&self.transaction);
        let transfers = TransferMap::build(&self.tree, &transfers);
        let before = std::mem::replace(&mut self.transfers, transfers);
        if before.calls_by_log() != self.transfers.calls_by_log() {
            self.place_logs();
        }
    }

    /// Cancels the requests in flight; the calls so far stay.
    pub(super) fn cancel(&mut self) {
        self.successor = None;
        self.start.action = None;
        self.finding.same_call = None;
        self.tree_copy = None;
        self.stop_export();
        self.logs.cancel();
        self.loading.fallback.cancel();
        self.failure_lines.cancel();
        self.detail.invalidate();
        if self.loading.fetch.is_in_flight() {
            self.loading.fetch.state =
                if self.tree.is_empty() { FetchState::NotRequested } else { FetchState::Stopped };
        }
    }

    pub(super) fn on_complete(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.place_logs();
        self.match_transfers(cx);
        // A filter makes the list shorter, but not the trace.
        let height = self.layout(cx).rows.height;
        self.search_again();
        self.limit_sorting();
        self.apply_hidden();
        if !self.user_interacted {
            self.apply_initial_folds(height);
        }
        if let TraceView::Functions(view) = &mut self.view {
            *view = FunctionGasView::new(&self.tree);
            self.select_call_of_function();
        }
        let notice = self.go_to_target_path();
        self.open_start_chart();
        let awaited = self.carry_out_awaited(cx);
        self.detail.invalidate();
        self.revert_path = RevertPath::default();
        let stack = self.request_failure_stack(cx);
        notice.into_iter().chain(awaited).chain(stack).collect()
    }

    /// Keeps the trace for other panes, if it is whole: they look for what only one of all calls did.
    fn keep_whole_trace(&self) -> Option<Command> {
        let is_whole = self.loading.fetch.is_complete()
            && matches!(self.loading.fallback, TraceFallback::NotRequested)
            && log_places::is_whole(&self.tree);
        is_whole.then(|| Command::KeepTrace(self.transaction, self.tree.clone()))
    }

    fn on_chunk(&mut self, chunk: TraceChunk, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_complete = chunk.summary.is_some();
        if let Some(moves) = Arc::make_mut(&mut self.tree).apply_chunk(chunk) {
            self.select(moves.get(self.cursor.call));
            self.folding.visible.remap(&self.tree, |frame| moves.get(frame));
        } else {
            self.folding.visible.extend(&self.tree);
        }
        let notice = self.go_to_target_path();
        let mut commands: Vec<Command> = notice.into_iter().collect();
        if is_complete {
            // If the response broke off, the failure is the next event.
            self.loading.fetch.state = FetchState::Complete;
            commands.extend(self.on_complete(cx));
        }
        commands
    }

    pub(super) fn on_reply(
        &mut self,
        query: &Query,
        reply: ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let has_answer = reply.is_ok();
        let mut commands = self.apply_reply(query, reply, cx);
        if has_answer && !self.loading.fallback.is_busy() && take(&mut self.loading.was_outage) {
            // The network is back.
            self.loading.fetch.was_repeated = true;
            commands.extend(self.refresh(cx));
        }
        commands
    }

    fn apply_reply(
        &mut self,
        query: &Query,
        reply: ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        use TransactionQuery::{Details, FailureStack, StateChanges, TokenTransfers};
        match query {
            Query::Transaction(_, part) if part.is_of_logs() => self.on_logs(query, reply),
            Query::Transaction(_, FailureStack) => {
                self.on_failure_stack(&reply);
                Vec::new()
            }
            Query::FailureLine(call) => self.on_failure_line(call, &reply, cx),
            Query::Transaction(_, Details) => {
                self.loading.lacks_transaction = reply.as_ref().is_err_and(ApiError::is_transient);
                self.on_metadata(cx);
                let fallback = self.request_fallback(cx).into_iter();
                let transfers = self.request_transfers(cx);
                fallback.chain(transfers).chain(self.request_logs(cx)).collect()
            }
            Query::Transaction(_, TokenTransfers | StateChanges) => {
                self.on_names(query, &reply, cx)
            }
            _ if self.loading.fallback.is_busy() => self.on_fallback(query, reply, cx),
            _ => self.on_names(query, &reply, cx),
        }
    }

    fn on_fallback(
        &mut self,
        query: &Query,
        reply: ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        match self.loading.fallback.on_reply(reply) {
            FallbackStep::Fetch(cursor) => {
                vec![Command::fetch(query.clone(), Some(cursor), Priority::Interactive)]
            }
            FallbackStep::Show(body) => {
                self.tree = Arc::new(parse_trace(body));
                self.folding.visible = VisibleFrames::default();
                self.folding.visible.extend(&self.tree);
                self.on_complete(cx)
            }
            FallbackStep::Done => Vec::new(),
        }
    }

    pub(super) fn on_trace(&mut self, event: TraceEvent, cx: &PaneContext<'_>) -> Vec<Command> {
        let mut commands = Vec::new();
        match event {
            TraceEvent::Started { expected } => {
                self.loading.fetch.state = FetchState::Reading;
                self.loading.fetch.progress.expected = expected;
            }
            TraceEvent::Chunk { chunk, format, progress } => {
                self.loading.fetch.progress = progress;
                self.loading.fetch.format = format;
                commands = self.on_chunk(*chunk, cx);
            }
            TraceEvent::Paused { progress, needed_bytes, free_bytes } => {
                self.loading.fetch.progress = progress;
                self.loading.fetch.needed_bytes = needed_bytes;
                self.loading.fetch.free_bytes = free_bytes;
                self.loading.fetch.state = FetchState::Paused;
            }
            TraceEvent::Failed(error) => {
                self.loading.fetch.state = FetchState::Failed(error);
                self.loading.fetch.loaded_at = Some(cx.now);
            }
            TraceEvent::Ended => {
                self.loading.fetch.loaded_at = Some(cx.now);
                commands.extend(self.keep_whole_trace());
            }
        }
        commands.extend(self.request_fallback(cx));
        commands.extend(self.request_logs(cx));
        commands
    }

    pub(super) fn request_fallback(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let query =
            self.needs_fallback(cx).then(|| self.loading.fallback.start(self.transaction))??;
        Some(Command::fetch(query, None, Priority::Interactive))
    }

    fn needs_fallback(&self, cx: &PaneContext<'_>) -> bool {
        let is_known = self.known_transaction(cx).is_some();
        self.tree.is_empty()
            && match &self.loading.fetch.state {
                FetchState::Complete => true,
                FetchState::Failed(error) => may_have_internal_transactions(error, is_known),
                _ => false,
            }
    }
}
