//! Events of a list: replies, input of prompts, ticks.

use super::call_trace::request_names;
use super::rows::matcher::RowMatcher;
use super::rows::search::ListSearch;
use super::{ListPane, RefreshReason, TableExtent};
use crate::api::{Query, ReplyResult, TransactionQuery};
use crate::pane::{Command, PaneContext, PaneEvent, PanePrompt};

impl ListPane {
    pub(super) fn handle_event(
        &mut self,
        event: PaneEvent<'_>,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        match event {
            PaneEvent::Reply { query, reply } => self.on_answer(query, reply, cx),
            PaneEvent::Prompt { prompt: PanePrompt::Block, text } => {
                let block = self.block_prompt.on_text(text, cx);
                block.map_or_else(|commands| commands, |block| self.show_at(block, cx))
            }
            PaneEvent::Tick => self.on_tick(cx),
            PaneEvent::ChainAdvanced => self.on_chain_advanced(cx),
            PaneEvent::Interrupted => {
                self.stop_export();
                Vec::new()
            }
            PaneEvent::RetryFailed => self.retry_failed(cx),
            PaneEvent::FreeMemory(bytes) => self.on_free_memory(bytes, cx),
            PaneEvent::ChainRolledBack => {
                self.refresh_reason = RefreshReason::RolledBack;
                self.refresh_rows()
            }
            PaneEvent::Click(at) => self.on_click(at, cx).unwrap_or_default(),
            PaneEvent::Wheel { rows, .. } => self.on_wheel(rows, cx),
            PaneEvent::Prompt { prompt, text } => self.on_prompt(prompt, text, cx),
            PaneEvent::SearchTyped(text) => {
                let text = text.unwrap_or_default();
                let matcher = RowMatcher::new(self.kind, text, &self.row_context(cx, None));
                (self.typed_search, self.typed_problem) = match matcher {
                    Ok(matcher) => (matcher.map(|matcher| ListSearch::new(text, matcher)), None),
                    Err(why) => (None, Some(why)),
                };
                self.continue_search(cx)
            }
            PaneEvent::QueryChosen(query) => self.set_query(query, cx),
            PaneEvent::Resized | PaneEvent::Reformatted => {
                if let PaneEvent::Reformatted = event {
                    self.filter.reset_order();
                }
                self.extent = TableExtent::default();
                let mut commands = self.order_cards(cx);
                self.select(self.viewport.selected, cx);
                if !self.paged.rows().is_empty() {
                    commands.extend(self.fill_screen(cx));
                }
                commands
            }
            _ => Vec::new(),
        }
    }

    /// Takes a reply: a page of the list, or something about its rows.
    fn on_answer(
        &mut self,
        query: &Query,
        reply: ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        use TransactionQuery::{Logs, RawTrace, StateChanges};
        match query {
            query if self.block_prompt.awaits(query) => {
                let block = self.block_prompt.on_block(&reply, cx);
                block.map_or_else(|commands| commands, |block| self.show_at(block, cx))
            }
            // The name cache has the transaction that all rows are of.
            query if self.query.details_of_transaction().as_ref() == Some(query) => {
                self.transaction_failure = reply.err();
                // The transfers give the accounts of state changes their order.
                self.filter.reset_order();
                let mut commands = self.continue_search(cx);
                commands.push(Command::RefreshPreview);
                commands
            }
            Query::Transaction(transaction, RawTrace) => {
                let names = request_names(*transaction, cx);
                names.into_iter().chain([Command::RefreshPreview]).collect()
            }
            Query::Transaction(_, StateChanges | Logs) if *query != self.query => {
                vec![Command::RefreshPreview]
            }
            query => {
                let answered = self.on_pool_answer(query, &reply, cx);
                let mut commands = answered.unwrap_or_else(|| self.on_reply(reply, cx));
                commands.extend(self.request_trace(cx));
                commands
            }
        }
    }
}
