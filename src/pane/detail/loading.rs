//! Requests for the object of a detail pane and for its missing parts, and their replies.

use std::time::Duration;

use super::{DetailPane, DetailSource, LoadedDetail};
use crate::api::{ApiError, Query, ReplyResult};
use crate::app_message::Priority;
use crate::messages::contract;
use crate::pane::{Command, PaneContext, PanePlace};

/// Time between two requests for an object that the explorer may have soon.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(10);

impl DetailPane {
    pub(super) fn fetch(&mut self, priority: Priority) -> Vec<Command> {
        let Some(request) = &self.request else { return Vec::new() };
        self.state.start();
        self.is_behind = false;
        vec![Command::fetch(request.query.clone(), None, priority)]
    }

    /// Requests the missing parts of the object, once the object itself is there.
    pub(super) fn fetch_missing(&self, cx: &PaneContext<'_>) -> Vec<Command> {
        let Some(source) = self.source() else { return Vec::new() };
        if !self.state.is_answered() {
            return Vec::new();
        }
        let queries = source.missing(cx);
        let fetches =
            queries.into_iter().map(|query| Command::fetch(query, None, Priority::Interactive));
        fetches.chain(self.fetch_contract_names(cx)).collect()
    }

    /// Requests the contracts that the object calls, which the app knows or asks for once.
    fn fetch_contract_names(&self, cx: &PaneContext<'_>) -> Option<Command> {
        let source = self.source()?;
        // A node's contracts are named after the project's.
        let is_known = cx.place == PanePlace::Preview || cx.network.endpoint.is_node();
        let contracts = source.unknown_contracts(cx).filter(|_| !is_known);
        contracts.map(Command::FetchContractNames)
    }

    pub(super) fn on_reply(
        &mut self,
        query: &Query,
        reply: ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let request = self.request.as_ref().filter(|request| request.query == *query);
        let Some(load) = request.map(|request| request.load) else {
            return self.add_missing(query, reply, cx);
        };
        self.answered_at = Some(cx.now);
        match reply.map(|reply| load(query, &reply, cx)) {
            Ok(Some(loaded)) => {
                let block = self.state_reads().and_then(|reads| reads.block);
                self.loaded = Some(loaded);
                if let Some(reads) = self.state_reads_mut() {
                    reads.block = block;
                }
                self.state.succeed();
                self.loaded_at = Some(cx.now);
                self.is_complete = true;
                self.mark_code_stale();
                self.rebuild(cx);
                let evidence = self.record_evidence(cx).into_iter();
                let missing = self.fetch_missing(cx);
                let newer = self.fetch_newer(cx);
                return evidence.chain(missing).chain(newer).chain(self.show_place(cx)).collect();
            }
            Ok(None) => {}
            Err(error) => {
                // Data of a node disappears with its block.
                self.loaded = self.loaded.take().filter(|_| !error.may_come_with_blocks());
                self.state.fail(error);
                return self.fetch_newer(cx);
            }
        }
        Vec::new()
    }

    /// Requests the object again if it may be in a block that came since its request. Only a node's chain has its
    /// head before its rows.
    fn fetch_newer(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_newer = self.is_behind && cx.network.endpoint.is_node();
        if is_newer && self.may_come_with_blocks() {
            self.fetch(Priority::Interactive)
        } else {
            Vec::new()
        }
    }

    fn add_missing(
        &mut self,
        query: &Query,
        reply: ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let Some(source) = self.source_mut() else { return Vec::new() };
        let cursor = source.add(query, reply, cx);
        let follow_up = source.follow_up(query, cx);
        self.mark_code_stale();
        self.rebuild(cx);
        let next = match cursor {
            Some(cursor) => {
                Some(Command::fetch(query.clone(), Some(cursor), Priority::Interactive))
            }
            None => self.fetch_contract_names(cx),
        };
        let follow_up = follow_up.map(|(query, priority)| Command::fetch(query, None, priority));
        next.into_iter().chain(follow_up).collect()
    }

    /// Returns the reason why the explorer has no contract.
    pub(super) fn absence(&self, cx: &PaneContext<'_>) -> Option<&'static str> {
        let Query::Contract(address) = self.request.as_ref()?.query else { return None };
        Some(match cx.name_cache.has_code(&address) {
            Some(false) => contract::NOT_A_CONTRACT,
            _ => contract::NO_CODE,
        })
    }

    pub(super) fn parts_can_recover(&self) -> bool {
        self.source().and_then(|source| source.failure()).is_some_and(ApiError::is_transient)
    }

    pub(super) fn retry_failed(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.state.can_recover() {
            return self.fetch(Priority::Interactive);
        }
        if !self.parts_can_recover() || cx.is_busy {
            return Vec::new();
        }
        if let Some(source) = self.source_mut() {
            source.forget_failures();
        }
        self.fetch_missing(cx)
    }

    /// Returns `true` of a pending transaction, and of a transaction or block that the explorer does not have yet.
    pub(super) fn is_awaited(&self) -> bool {
        let query = self.request.as_ref().map(|request| &request.query);
        let may_come = matches!(query, Some(Query::Transaction(..) | Query::Block(..)));
        match (self.state.last_failure(), self.source()) {
            _ if !self.state.is_answered() => false,
            (Some(error), _) => may_come && error.is_not_found(),
            (None, source) => source.is_some_and(DetailSource::awaits_block),
        }
    }

    /// Requests an awaited object again from time to time, while its page is looked at. A node's blocks are followed
    /// instead, except for what is in its pool.
    pub(super) fn poll(&self, cx: &PaneContext<'_>) -> Vec<Command> {
        let waited = self.answered_at.map(|then| cx.now.duration_since(then).unsigned_abs());
        let is_due = waited.is_some_and(|waited| waited >= POLL_INTERVAL);
        let is_seen = cx.has_focus && cx.place != PanePlace::Preview;
        let comes_with_block = cx.network.endpoint.is_node() && self.loaded.is_none();
        let is_polled = is_due && is_seen && !cx.is_busy && !comes_with_block;
        let request = self.request.as_ref().filter(|_| is_polled && self.is_awaited());
        let query = request.map(|request| request.query.clone());
        query.map(|query| Command::fetch(query, None, Priority::Refresh)).into_iter().collect()
    }

    pub(super) fn may_come_with_blocks(&self) -> bool {
        if !self.state.is_answered() {
            return false;
        }
        match (self.state.last_failure(), &self.loaded) {
            (Some(error), _) => error.may_come_with_blocks(),
            (None, Some(LoadedDetail { source: Ok(source), .. })) => {
                source.may_change_with_blocks()
            }
            _ => false,
        }
    }
}
