//! The explorer's search while the user types where to go: its results are listed below the prompt.

use std::time::Duration;

use super::prompt::{PromptKind, PromptState};
use crate::api::{ApiError, Cursor, Query, Reply};
use crate::app::{App, Overlay};
use crate::chain::target::{Target, TargetKind, TargetOrName};
use crate::msg::{ChainIndex, Effect, PaneRequest, Priority, Ticket, Timer};
use crate::safety::address_poisoning::{Evidence, KnownAddresses};
use crate::sanitize::SafeText;
use crate::user_data::recents::RecentEntry;

/// Pause in typing after which the explorer is searched.
const SEARCH_DELAY: Duration = Duration::from_millis(250);
/// Time that results are visible before one is selected: longer than it takes to react to them.
const SELECTION_DELAY: Duration = Duration::from_millis(500);
const MIN_SEARCH_CHARS: usize = 2;

impl App {
    /// Searches for the text of the prompt once it rests.
    pub(in crate::app) fn on_prompt_edited(&mut self) -> Vec<Effect> {
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
            prompt.search.start(ticket);
            effects.push(Effect::StartTimer(Timer::Search(ticket), SEARCH_DELAY));
        }
        effects
    }

    pub(in crate::app) fn on_search_timer(&mut self, ticket: Ticket) -> Vec<Effect> {
        let Some(prompt) = self.searching_prompt(ticket) else { return Vec::new() };
        if !prompt.search.on_timer() {
            return Vec::new();
        }
        vec![request_results(ticket, prompt.text(), None)]
    }

    /// Requests the next page if the selection is at the end of the results.
    pub(in crate::app) fn load_more_results(&mut self) -> Vec<Effect> {
        let Some(prompt) = self.go_to_prompt() else { return Vec::new() };
        let next = prompt.search.take_next();
        let request =
            next.map(|(ticket, cursor)| request_results(ticket, prompt.text(), Some(cursor)));
        request.into_iter().collect()
    }

    /// Lists the results. Returns `None` if no prompt waits for this reply.
    pub(in crate::app) fn on_searched(
        &mut self,
        ticket: Ticket,
        reply: &Result<Reply, ApiError>,
    ) -> Option<Vec<Effect>> {
        self.searching_prompt(ticket)?;
        let has_marks = self.display.format.address_marks;
        let known = self.known_to_search(ticket.chain);
        let names = &self.sessions.at(ticket.chain).name_cache;
        let Some(Overlay::Prompt(prompt)) = &mut self.overlays.top else { return None };
        match reply.as_ref().map(Reply::get) {
            Ok(Some(page)) => prompt.list_results(page, (known, names), has_marks),
            Ok(None) => {}
            Err(error) => prompt.search.fail(error),
        }
        Some(vec![Effect::StartTimer(Timer::Search(ticket), SELECTION_DELAY)])
    }

    /// Returns the addresses that a result could be mistaken for: addresses of the page below the
    /// prompt, and recent ones.
    fn known_to_search(&self, chain: ChainIndex) -> KnownAddresses {
        let session = self.sessions.at(chain);
        let page = self.nav.entry().and_then(|entry| session.known_addresses.get(&entry.viewed));
        let mut known = page.cloned().unwrap_or_default();
        for recent in session.recents.entries().iter().filter_map(RecentEntry::address) {
            known.add(recent, Evidence::Seen);
        }
        known
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

fn request_results(ticket: Ticket, text: &str, cursor: Option<Cursor>) -> Effect {
    let query = Query::Search(SafeText::new(text.trim()));
    let request = PaneRequest::Fetch { query, cursor, priority: Priority::Interactive };
    Effect::Request { ticket, request }
}
