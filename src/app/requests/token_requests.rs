//! Tokens of the calls on the screen, fetched in the background, each once: rows of transactions name an
//! amount, but not its decimals. Nothing is requested for rows that are only passed by, and the requests
//! for a page that is left are cancelled. Those that failed are repeated on return.

use std::collections::HashSet;

use super::REST_DELAY;
use super::ledger::Owner;
use crate::api::{Query, ReplyResult, TokenQuery};
use crate::app::App;
use crate::app_message::{ChainIndex, ChainRequest, Effect, Priority};
use crate::chain::Address;
use crate::pane::PaneEvent;

/// Maximum tokens that are requested at once.
const MAX_TOKENS_AT_ONCE: usize = 32;

/// Tokens of a chain that were requested.
#[derive(Debug, Default)]
pub(in crate::app) struct TokenRequests {
    asked: HashSet<Address>,
    /// The requested tokens without a reply that is final.
    unsettled: Vec<Address>,
    /// The unknown tokens on the screen while the user moves.
    passed_by: Vec<Address>,
}

impl TokenRequests {
    /// Returns the tokens that were not requested yet, each once.
    fn new_ones(&self, tokens: Vec<Address>) -> Vec<Address> {
        let mut seen = HashSet::new();
        let new = tokens.into_iter().filter(|token| !self.asked.contains(token));
        new.filter(|token| seen.insert(*token)).take(MAX_TOKENS_AT_ONCE).collect()
    }

    /// Makes the tokens without a final reply new again.
    fn forget_unsettled(&mut self) {
        for token in self.unsettled.drain(..) {
            self.asked.remove(&token);
        }
    }
}

impl App {
    /// Requests the unknown tokens on the screen: at once if the user rested before, else when the user
    /// rests again. Called after every message.
    pub(in crate::app) fn sync_tokens(&mut self) -> Vec<Effect> {
        if !self.display.settings.fetches_contract_names {
            return Vec::new();
        }
        let chain = self.nav.chain();
        let shown = self.nav.visible_slots().into_iter().filter_map(|slot| self.pane(slot));
        let tokens = shown.flat_map(|(tab, cx)| tab.pane.unknown_tokens(&cx)).collect();
        let requests = &mut self.sessions.at_mut(chain).token_requests;
        let new = requests.new_ones(tokens);
        let is_moving = self.ledger.has(Owner::DelayedTokens);
        if new.is_empty() || (is_moving && requests.passed_by == new) {
            return Vec::new();
        }
        requests.passed_by.clone_from(&new);
        self.cancel(Owner::DelayedTokens);
        let timer = self.start_timer(Owner::DelayedTokens, REST_DELAY);
        if is_moving {
            return vec![timer];
        }
        let requests = &mut self.sessions.at_mut(chain).token_requests;
        requests.asked.extend(&new);
        requests.unsettled.extend(&new);
        let request = |token| {
            let query = Query::Token(token, TokenQuery::Details);
            let request = ChainRequest::Fetch { query, cursor: None, priority: Priority::Prefetch };
            self.request_in_background(Owner::Tokens, chain, request)
        };
        new.into_iter().map(request).chain([timer]).collect()
    }

    /// Cancels the requests for the tokens of a page that is left.
    pub(in crate::app) fn cancel_tokens(&mut self) -> Option<Effect> {
        self.session_mut().token_requests.forget_unsettled();
        self.cancel(Owner::Tokens)
    }

    /// Records that the explorer has no such token, and shows one that it has.
    pub(in crate::app) fn on_token(
        &mut self,
        (owner, chain): (Owner, ChainIndex),
        query: &Query,
        reply: &ReplyResult,
    ) -> Vec<Effect> {
        let &Query::Token(token, TokenQuery::Details) = query else { return Vec::new() };
        let session = self.sessions.at_mut(chain);
        match reply {
            Err(error) if error.is_not_found() => session.name_cache.mark_no_token(token),
            Err(_) => return Vec::new(),
            Ok(_) => {}
        }
        session.token_requests.unsettled.retain(|unsettled| *unsettled != token);
        if owner == Owner::Tokens {
            self.send_to_visible(|| PaneEvent::NamesChanged)
        } else {
            Vec::new()
        }
    }
}
