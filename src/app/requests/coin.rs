//! The coin of an explorer that was named by its URL: the web pages next to its API have its symbol.

use std::mem;

use super::ledger::Owner;
use crate::api::web_config::WebConfig;
use crate::api::{Query, Reply, ReplyResult};
use crate::app::App;
use crate::app_message::{ChainIndex, ChainRequest, Effect, Priority};
use crate::chain::network::Endpoint;
use crate::pane::PaneEvent;
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;

/// Maximum characters of a symbol.
const MAX_SYMBOL_CHARS: usize = 12;

impl App {
    /// Requests the coin of an explorer after its first answer, once, unless the coin is known.
    pub(super) fn request_coin(&mut self, chain: ChainIndex) -> Option<Effect> {
        let is_wanted = self.display.settings.fetches_contract_names;
        let session = self.sessions.at_mut(chain);
        let is_explorer = matches!(session.network.endpoint, Endpoint::Remote(_));
        let is_unknown = session.network.symbol.is_none() && session.network.id.is_none();
        if !is_wanted || !is_explorer || !is_unknown {
            return None;
        }
        if mem::replace(&mut session.has_requested_coin, true) {
            return None;
        }
        let query = Query::WebConfig;
        let request = ChainRequest::Fetch { query, cursor: None, priority: Priority::Idle };
        Some(self.request_in_background(Owner::Coin, chain, request))
    }

    /// Names the coin. An explorer without such pages leaves it unknown.
    pub(super) fn on_coin(&mut self, chain: ChainIndex, reply: &ReplyResult) -> Vec<Effect> {
        let config = reply.as_ref().ok().and_then(Reply::get::<WebConfig>);
        let Some(coin) = config.and_then(|config| config.envs.value()) else { return Vec::new() };
        let Some(symbol) = coin.symbol.value().filter(|symbol| !symbol.trim().is_empty()) else {
            return Vec::new();
        };
        let network = &mut self.sessions.at_mut(chain).network;
        network.symbol = Some(guard_name(SafeText::bounded(symbol, MAX_SYMBOL_CHARS)));
        network.decimals = coin.decimals.value().copied().unwrap_or(network.decimals);
        self.send_to_visible(|| PaneEvent::NamesChanged)
    }
}
