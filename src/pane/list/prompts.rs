//! Prompts and choices of a list: a search, a filter, a block, another query.

use super::rows::matcher::RowMatcher;
use super::rows::search::{Jump, ListSearch};
use super::{ListPane, MAX_FILL_PAGES, TableExtent};
use crate::api::Query;
use crate::app_message::Priority;
use crate::pane::{Command, PaneContext, PanePrompt};

impl ListPane {
    /// Parses the input of a prompt, or refuses it with the reason why it is invalid.
    fn parse_matcher(
        &self,
        prompt: PanePrompt,
        text: &str,
        cx: &PaneContext<'_>,
    ) -> Result<Option<RowMatcher>, Vec<Command>> {
        let matcher = RowMatcher::new(self.kind, text, &self.row_context(cx, None));
        matcher.map_err(|why| vec![Command::RefusePrompt(prompt, why)])
    }

    pub(super) fn on_prompt(
        &mut self,
        prompt: PanePrompt,
        text: &str,
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        match prompt {
            PanePrompt::Search | PanePrompt::Filter => match self.parse_matcher(prompt, text, cx) {
                Ok(matcher) if prompt == PanePrompt::Filter => self.filter_by(matcher, cx),
                Ok(matcher) => {
                    let typed = self.typed_search.take().filter(|typed| typed.text() == text);
                    self.search = typed.or_else(|| Some(ListSearch::new(text, matcher?)));
                    self.find_match(Jump::Nearest, cx)
                }
                Err(again) => again,
            },
            PanePrompt::Export => self.save_as(text, cx),
            _ => Vec::new(), // not a prompt of lists
        }
    }

    fn filter_by(&mut self, matcher: Option<RowMatcher>, cx: &PaneContext<'_>) -> Vec<Command> {
        let query = self.query_within(matcher.as_ref(), cx);
        self.return_row = self.filter.row(self.viewport.selected);
        self.filter.set_matcher(matcher);
        self.fill_pages = MAX_FILL_PAGES;
        if query != self.query {
            self.return_row = None;
            return self.set_query(query, cx);
        }
        self.extent = TableExtent::default();
        let found = self.restart_search(cx);
        self.select(self.viewport.selected, cx);
        [found, self.prefetch(cx)].concat()
    }

    /// Filters and searches rows that have changed.
    pub(super) fn restart_search(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.filter.restart();
        for search in [&mut self.search, &mut self.typed_search].into_iter().flatten() {
            search.restart();
        }
        self.continue_search(cx)
    }

    /// Returns the query with the bounds of a filter, as far as the explorer can apply them.
    pub(super) fn query_within(&self, matcher: Option<&RowMatcher>, cx: &PaneContext<'_>) -> Query {
        let row_cx = self.row_context(cx, None);
        let bounds = matcher.map(|matcher| matcher.bounds(&row_cx)).unwrap_or_default();
        self.query.clone().within(bounds)
    }

    /// Lists what was so after a block too, or only what is so now.
    pub(super) fn show_at(&mut self, block: Option<u64>, cx: &PaneContext<'_>) -> Vec<Command> {
        let query = self.query.at_block(block);
        query.map_or_else(Vec::new, |query| self.set_query(query, cx))
    }

    pub(super) fn set_query(&mut self, query: Query, cx: &PaneContext<'_>) -> Vec<Command> {
        self.query = query;
        self.extent = TableExtent::default();
        let page = self.reset_rows();
        self.gap = None;
        self.refresh_failure = None;
        let found = self.restart_search(cx);
        self.select(0, cx);
        [vec![Command::Cancel], self.fetch(Some(page), Priority::Interactive), found].concat()
    }
}
