//! The explorer's search while the user types where to go: its results are listed below the prompt.

use std::time::Duration;

use super::prompt::{PromptKind, PromptState};
use crate::api::{Cursor, Query, Reply, ReplyResult};
use crate::app::requests::ledger::Owner;
use crate::app::{App, Overlay};
use crate::app_message::{ChainIndex, ChainRequest, Effect, Priority};
use crate::chain::data_input::GoToInput;
use crate::chain::target::{Target, TargetKind, TargetOrName};
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
        let cancelled = [self.cancel(Owner::GoTo), self.cancel(Owner::Search)];
        let mut effects: Vec<Effect> = cancelled.into_iter().flatten().collect();
        let has_marks = self.display.format.address_marks;
        let labels = self.sessions.at(self.nav.chain()).name_cache.labels();
        let Some(Overlay::Prompt(prompt)) = &mut self.overlays.top else { return effects };
        if prompt.kind != PromptKind::GoTo {
            return effects;
        }
        let is_searchable = match prompt.parse_goal() {
            Ok(GoToInput::Place(TargetOrName::Name(name))) => {
                name.chars().count() >= MIN_SEARCH_CHARS
            }
            // It may be the hash of a block.
            Ok(GoToInput::Place(TargetOrName::Target(Target {
                kind: TargetKind::Transaction(_),
                chain,
                ..
            }))) => chain.is_none(),
            _ => false,
        };
        let text = prompt.text().trim().to_owned();
        prompt.search.restart(is_searchable.then_some(&text), labels, has_marks);
        if is_searchable {
            self.restart_recovery();
            effects.push(self.start_timer(Owner::Search, SEARCH_DELAY));
        }
        effects
    }

    pub(in crate::app) fn on_search_timer(&mut self, chain: ChainIndex) -> Vec<Effect> {
        let Some(prompt) = self.go_to_prompt() else { return Vec::new() };
        if !prompt.search.on_timer() {
            return Vec::new();
        }
        let text = SafeText::new(prompt.text().trim());
        vec![self.request_results(chain, text, None)]
    }

    /// Requests the next page if the selection is at the end of the results.
    pub(in crate::app) fn load_more_results(&mut self) -> Vec<Effect> {
        let Some(prompt) = self.go_to_prompt() else { return Vec::new() };
        let Some(cursor) = prompt.search.take_next() else { return Vec::new() };
        let text = SafeText::new(prompt.text().trim());
        vec![self.request_results(self.nav.chain(), text, Some(cursor))]
    }

    /// Returns `true` if the search failed for a reason that may pass.
    pub(in crate::app) fn can_repeat_search(&self) -> bool {
        matches!(&self.overlays.top, Some(Overlay::Prompt(prompt)) if prompt.search.can_recover())
    }

    /// Repeats a failed search.
    pub(in crate::app) fn repeat_search(&mut self) -> Option<Effect> {
        let prompt = self.go_to_prompt().filter(|prompt| prompt.search.can_recover())?;
        prompt.search.repeat();
        let text = SafeText::new(prompt.text().trim());
        self.cancel(Owner::Search); // the timer of the failure
        Some(self.request_results(self.nav.chain(), text, None))
    }

    fn request_results(
        &mut self,
        chain: ChainIndex,
        text: SafeText,
        cursor: Option<Cursor>,
    ) -> Effect {
        let (query, priority) = (Query::Search(text), Priority::Interactive);
        self.request(Owner::Search, chain, ChainRequest::Fetch { query, cursor, priority })
    }

    /// Lists the results.
    pub(in crate::app) fn on_searched(
        &mut self,
        chain: ChainIndex,
        reply: &ReplyResult,
    ) -> Vec<Effect> {
        let has_marks = self.display.format.address_marks;
        let known = self.known_to_search(chain);
        let session = self.sessions.at(chain);
        let (names, host) = (&session.name_cache, session.network.endpoint.host());
        let Some(Overlay::Prompt(prompt)) = &mut self.overlays.top else { return Vec::new() };
        match reply.as_ref().map(Reply::get) {
            Ok(Some(page)) => prompt.list_results(page, (known, names), has_marks),
            Ok(None) => {}
            Err(error) => prompt.search.fail(error, host.as_deref()),
        }
        vec![self.start_timer(Owner::Search, SELECTION_DELAY)]
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

    pub(super) fn go_to_prompt(&mut self) -> Option<&mut PromptState> {
        match &mut self.overlays.top {
            Some(Overlay::Prompt(prompt)) if prompt.kind == PromptKind::GoTo => Some(prompt),
            _ => None,
        }
    }

    /// Cancels the requests of a prompt that was closed.
    pub(in crate::app) fn cancel_left_prompt(&mut self) -> Vec<Effect> {
        if self.go_to_prompt().is_some() {
            return Vec::new();
        }
        [self.cancel(Owner::GoTo), self.cancel(Owner::Search)].into_iter().flatten().collect()
    }
}
