//! Events of a list: replies, input of prompts, ticks.

use super::call_trace::request_names;
use super::rows::matcher::RowMatcher;
use super::rows::search::ListSearch;
use super::{ListPane, RefreshReason, TableExtent};
use crate::api::{Query, TransactionQuery};
use crate::pane::{Command, PaneContext, PaneEvent, PanePrompt};

impl ListPane {
    pub(super) fn handle_event(
        &mut self,
        event: PaneEvent<'_>,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        match event {
            PaneEvent::Reply { query, reply } if self.block_prompt.awaits(query) => {
                let block = self.block_prompt.on_block(&reply, cx);
                return block.map_or_else(|commands| commands, |block| self.show_at(block, cx));
            }
            // The name cache has the transaction that all rows are of.
            PaneEvent::Reply { query, .. }
                if self.query.details_of_transaction().as_ref() == Some(query) =>
            {
                return Vec::new();
            }
            PaneEvent::Reply {
                query: Query::Transaction(transaction, TransactionQuery::RawTrace),
                ..
            } => return request_names(*transaction, cx).into_iter().collect(),
            PaneEvent::Reply { query, reply } => {
                let answered = self.on_pool_answer(query, &reply, cx);
                let mut commands = answered.unwrap_or_else(|| self.on_reply(reply, cx));
                commands.extend(self.request_trace(cx));
                return commands;
            }
            PaneEvent::Prompt { prompt: PanePrompt::Block, text } => {
                let block = self.block_prompt.on_text(text, cx);
                return block.map_or_else(|commands| commands, |block| self.show_at(block, cx));
            }
            PaneEvent::Tick => return self.on_tick(cx),
            PaneEvent::ChainAdvanced => return self.on_chain_advanced(cx),
            PaneEvent::Interrupted => self.stop_export(),
            PaneEvent::RetryFailed => return self.retry_failed(cx),
            PaneEvent::FreeMemory(bytes) => return self.on_free_memory(bytes, cx),
            PaneEvent::ChainRolledBack => {
                self.refresh_reason = RefreshReason::RolledBack;
                return self.refresh_rows();
            }
            PaneEvent::Click(at) => return self.on_click(at, cx).unwrap_or_default(),
            PaneEvent::Wheel { rows, .. } => return self.on_wheel(rows, cx),
            PaneEvent::Prompt { prompt, text } => return self.on_prompt(prompt, text, cx),
            PaneEvent::SearchTyped(text) => {
                let text = text.unwrap_or_default();
                let matcher = RowMatcher::new(self.kind, text, &self.row_context(cx, None));
                (self.typed_search, self.typed_problem) = match matcher {
                    Ok(matcher) => (matcher.map(|matcher| ListSearch::new(text, matcher)), None),
                    Err(why) => (None, Some(why)),
                };
                return self.continue_search(cx);
            }
            PaneEvent::QueryChosen(query) => return self.set_query(query, cx),
            PaneEvent::Resized | PaneEvent::Reformatted => {
                if let PaneEvent::Reformatted = event {
                    self.filter.reset_order();
                }
                self.extent = TableExtent::default();
                let commands = self.order_cards(cx);
                self.select(self.viewport.selected, cx);
                return commands;
            }
            _ => {}
        }
        Vec::new()
    }
}
