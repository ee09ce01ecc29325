//! Refreshing: the calls and events stay while the trace is loaded again, by a successor of the pane
//! that takes its place when everything is there. If the successor fails, the old ones stay, with the
//! reason and their age.

use super::TracePane;
use super::views::TraceView;
use crate::api::{ApiError, Query, ReplyResult, TransactionQuery};
use crate::app_message::TraceEvent;
use crate::pane::{Command, PaneContext};

impl TracePane {
    /// Loads the trace again.
    pub(super) fn refresh(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        if self.tree.is_empty() {
            return self.reload(cx);
        }
        self.loading.asked_names.clear(); // those that failed are asked for again
        self.failure_lines.cancel();
        self.detail.invalidate();
        if let TraceView::BalanceChanges(view) = &mut self.view {
            view.retry_check();
        }
        let mut successor = Box::new(self.emptied());
        let commands = successor.request_again(cx);
        self.successor = Some(successor);
        commands
    }

    /// Handles a part of the trace, or of its successor.
    pub(super) fn on_trace_event(
        &mut self,
        event: TraceEvent,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        match (self.successor.take(), event) {
            (None, event) => self.on_trace(event, cx),
            (Some(successor), TraceEvent::Failed(error)) => self.keep_old(&successor, error),
            // The old calls need the memory.
            (Some(successor), TraceEvent::Paused { progress, .. }) => {
                let error = ApiError::TooLarge { limit: progress.received >> 20 };
                self.keep_old(&successor, error)
            }
            (Some(mut successor), event) => {
                let commands = successor.on_trace(event, cx);
                self.continue_refresh(successor, commands, cx)
            }
        }
    }

    /// Handles a reply to the pane, or to its successor.
    pub(super) fn on_reply_event(
        &mut self,
        query: &Query,
        reply: ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let Query::Transaction(_, part) = query else { return self.on_reply(query, reply, cx) };
        let is_of_logs = part.is_of_logs();
        let is_refreshed = is_of_logs || matches!(part, TransactionQuery::Details);
        match (self.successor.take_if(|_| is_refreshed), reply) {
            (None, reply) => self.on_reply(query, reply, cx),
            (Some(successor), Err(error)) if is_of_logs => self.keep_old(&successor, error),
            (Some(mut successor), reply) => {
                let commands = successor.on_reply(query, reply, cx);
                self.continue_refresh(successor, commands, cx)
            }
        }
    }

    fn continue_refresh(
        &mut self,
        successor: Box<Self>,
        mut commands: Vec<Command>,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let is_complete = successor.loading.fetch.loaded_at.is_some()
            && !successor.logs.is_loading()
            && !successor.loading.fallback.is_busy();
        if is_complete {
            commands.extend(self.replace_with(*successor, cx));
        } else {
            self.successor = Some(successor);
        }
        commands
    }

    /// Takes over the data of the successor. Folds, searches and the cursor stay if it has the same
    /// calls, else the cursor stays at the same path.
    fn replace_with(&mut self, successor: Self, cx: &PaneContext<'_>) -> Vec<Command> {
        let are_hidden = self.logs.are_hidden;
        if self.tree.has_shape_of(&successor.tree) {
            self.tree = successor.tree;
            self.loading = successor.loading;
            self.logs = successor.logs;
        } else {
            let path = self.tree.path(self.cursor.call);
            *self = successor;
            self.start.path = path;
        }
        self.logs.are_hidden = are_hidden;
        let commands = self.on_complete(cx).into_iter();
        commands.chain(self.request_logs(cx)).collect()
    }

    /// Drops the successor, because a part of it failed.
    fn keep_old(&mut self, successor: &Self, error: ApiError) -> Vec<Command> {
        self.logs.cancel();
        self.failure_lines.cancel();
        self.detail.invalidate();
        self.loading.fetch.options = successor.loading.fetch.options;
        self.loading.fetch.failed_refresh = Some(error);
        vec![Command::Cancel]
    }
}
