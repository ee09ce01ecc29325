//! The list of chains: all that can be named, and first those that were looked at.

use super::App;
use super::overlay::{Overlay, PickerItems};
use super::picker::{Picker, PickerChoice, PickerEntry};
use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::msg::Effect;
use crate::sanitize::SafeText;

/// How near a chain is, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ChainRelation {
    Current,
    Visited,
    Known,
}

impl ChainRelation {
    fn label(self) -> &'static str {
        match self {
            Self::Current => "this one",
            Self::Visited => "visited",
            Self::Known => "",
        }
    }
}

impl App {
    /// Opens the list.
    pub(super) fn open_chains(&mut self) -> Vec<Effect> {
        let mut rows = self.named_chains();
        let strangers = self.sessions.all().map(|chain| &chain.network);
        let strangers: Vec<(Network, String)> = strangers
            .filter(|network| !rows.iter().any(|(known, _)| known.endpoint == network.endpoint))
            .map(|network| (network.clone(), String::new()))
            .collect();
        rows.extend(strangers);
        rows.sort_by_cached_key(|(network, _)| self.chain_relation(network));
        let entries = rows.iter().map(|(network, names)| {
            chain_entry(network, names, self.chain_relation(network).label())
        });
        let title = "Switch the chain (a name, an id, or an explorer's base address)";
        let picker = Picker::new(title, entries.collect());
        let networks = rows.into_iter().map(|(network, _)| network).collect();
        self.open_overlay(Overlay::Picker(picker, PickerItems::Chains(networks)))
    }

    /// Every chain that can be named, as it is asked, and its short names.
    fn named_chains(&self) -> Vec<(Network, String)> {
        let short =
            |names: &[SafeText]| names.iter().map(|name| &**name).collect::<Vec<_>>().join(" ");
        self.chains
            .all()
            .map(|known| (self.chains.resolve_endpoint(known), short(&known.names)))
            .collect()
    }

    fn chain_relation(&self, network: &Network) -> ChainRelation {
        if self.session().network.endpoint == network.endpoint {
            ChainRelation::Current
        } else if self.sessions.is_connected(network) {
            ChainRelation::Visited
        } else {
            ChainRelation::Known
        }
    }

    /// Switches to what was picked.
    pub(super) fn pick_chain(&mut self, picker: Picker, networks: Vec<Network>) -> Vec<Effect> {
        let network = match picker.choice() {
            Some(PickerChoice::Suggestion) => self.chains.resolve(picker.text()).ok(),
            Some(PickerChoice::Entry(at)) => networks.get(at).cloned(),
            None => None,
        };
        match network {
            Some(network) => self.switch_chain(network),
            // Nothing fits what is typed: it stays to be corrected.
            None => self.open_overlay(Overlay::Picker(picker, PickerItems::Chains(networks))),
        }
    }
}

/// Ranks the list again after something was typed. For an address its explorer is offered, which may
/// be none in the list, and for an id its chain, before those that only have the id's digits.
pub(super) fn refilter(picker: &mut Picker, chains: &Chains) {
    let text = picker.text().to_owned();
    let is_exact = text.contains("://") || text.trim().parse::<u64>().is_ok();
    let offered = chains
        .resolve(&text)
        .ok()
        .filter(|_| is_exact)
        .map(|network| chain_entry(&network, "", "what is typed"));
    picker.rank(&text, offered, |_| true);
}

fn chain_entry(network: &Network, names: &str, nearness: &str) -> PickerEntry {
    let host = network.endpoint.host().unwrap_or_else(|| "in this program".into());
    let testnet = if network.testnet { "testnet" } else { "" };
    let symbol = network.symbol.as_deref().unwrap_or_default();
    let parts = [nearness, symbol, testnet, names, &host];
    let parts: Vec<&str> =
        parts.into_iter().filter(|part| !part.is_empty() && **part != network.name).collect();
    PickerEntry {
        name: SafeText::new(&network.name),
        detail: SafeText::new(&parts.join(" · ")),
        right: network.id.map(|id| id.to_string().into()).unwrap_or_default(),
        dim: false,
    }
}
