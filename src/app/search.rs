//! The explorer's search while the user types where to go: its results are listed below the prompt.

use std::time::Duration;

use super::prompt::{PromptKind, PromptState};
use super::{App, Overlay};
use crate::api::{ApiError, Query, Reply};
use crate::chain::target::{Target, TargetKind, TargetOrName};
use crate::msg::{Effect, PaneRequest, Priority, Ticket, Timer};
use crate::sanitize::SafeText;

/// How long typing rests before the explorer is asked.
const SEARCH_DELAY: Duration = Duration::from_millis(250);
const MIN_SEARCH_CHARS: usize = 2;

impl App {
    /// Searches for the text of the prompt once it rests.
    pub(super) fn on_prompt_edited(&mut self) -> Vec<Effect> {
        let mut effects = self.overlays.cancel_resolution();
        let (pane, chain) = (self.nav.next_pane_id(), self.nav.chain());
        let Some(prompt) = self.go_to_prompt() else { return effects };
        effects.extend(prompt.search.cancel());
        let is_searchable = match prompt.parse_target() {
            Ok(TargetOrName::Name(name)) => name.chars().count() >= MIN_SEARCH_CHARS,
            // It may be the hash of a block.
            Ok(TargetOrName::Target(Target {
                kind: TargetKind::Transaction(_), chain, ..
            })) => chain.is_none(),
            _ => false,
        };
        if is_searchable {
            let ticket = Ticket { chain, pane, epoch: 0 };
            prompt.search.ticket = Some(ticket);
            effects.push(Effect::StartTimer(Timer::Search(ticket), SEARCH_DELAY));
        }
        effects
    }

    pub(super) fn on_search_timer(&mut self, ticket: Ticket) -> Vec<Effect> {
        let Some(prompt) = self.searching_prompt(ticket) else { return Vec::new() };
        let query = Query::Search(SafeText::new(prompt.text().trim()));
        let request = PaneRequest::Fetch { query, cursor: None, priority: Priority::Interactive };
        vec![Effect::Request { ticket, request }]
    }

    /// Lists what was found. Returns `None` if no prompt waits for this reply. A server that cannot
    /// search costs the results only.
    pub(super) fn on_searched(
        &mut self,
        ticket: Ticket,
        reply: &Result<Reply, ApiError>,
    ) -> Option<Vec<Effect>> {
        let has_marks = self.display.format.address_marks;
        let prompt = self.searching_prompt(ticket)?;
        if let Ok(Reply::SearchResults(page)) = reply {
            prompt.list_results(page, has_marks);
        }
        Some(Vec::new())
    }

    fn go_to_prompt(&mut self) -> Option<&mut PromptState> {
        match &mut self.overlays.top {
            Some(Overlay::Prompt(prompt)) if prompt.kind == PromptKind::GoTo => Some(prompt),
            _ => None,
        }
    }

    fn searching_prompt(&mut self, ticket: Ticket) -> Option<&mut PromptState> {
        self.go_to_prompt().filter(|prompt| prompt.search.ticket == Some(ticket))
    }
}
