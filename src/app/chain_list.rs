//! The list of chains: all that can be named, and first those that were looked at.

use super::App;
use super::overlay::{Overlay, Picking};
use super::picker::{Entry, Pick, Picker};
use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::msg::Effect;
use crate::sanitize::Text;

/// How near a chain is, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    Here,
    Visited,
    Known,
}

impl Nearness {
    fn words(self) -> &'static str {
        match self {
            Self::Here => "this one",
            Self::Visited => "visited",
            Self::Known => "",
        }
    }
}

impl App {
    /// Opens the list.
    pub(super) fn open_chains(&mut self) -> Vec<Effect> {
        let mut rows = self.named_chains();
        let strangers = self.visited.all().map(|chain| &chain.network);
        let strangers: Vec<(Network, String)> = strangers
            .filter(|network| !rows.iter().any(|(known, _)| known.endpoint == network.endpoint))
            .map(|network| (network.clone(), String::new()))
            .collect();
        rows.extend(strangers);
        rows.sort_by_cached_key(|(network, _)| self.nearness(network));
        let entries = rows
            .iter()
            .map(|(network, names)| entry(network, names, self.nearness(network).words()));
        let title = " Switch the chain (a name, an id, or an explorer's base address) ";
        let picker = Picker::new(title, entries.collect());
        let networks = rows.into_iter().map(|(network, _)| network).collect();
        self.lay_over(Overlay::Picker(picker, Picking::Chains(networks)))
    }

    /// Every chain that can be named, as it is asked, and its short names.
    fn named_chains(&self) -> Vec<(Network, String)> {
        let short = |names: &[Text]| names.iter().map(|name| &**name).collect::<Vec<_>>().join(" ");
        self.chains.all().map(|known| (self.chains.reach(known), short(&known.names))).collect()
    }

    fn nearness(&self, network: &Network) -> Nearness {
        if self.chain().network.endpoint == network.endpoint {
            Nearness::Here
        } else if self.visited.has(network) {
            Nearness::Visited
        } else {
            Nearness::Known
        }
    }

    /// Switches to what was picked.
    pub(super) fn pick_chain(&mut self, picker: Picker, networks: Vec<Network>) -> Vec<Effect> {
        let network = match picker.picked() {
            Some(Pick::Offered) => self.chains.find(picker.text()).ok(),
            Some(Pick::At(at)) => networks.get(at).cloned(),
            None => None,
        };
        match network {
            Some(network) => self.switch_chain(network),
            // Nothing fits what is typed: it stays to be corrected.
            None => self.lay_over(Overlay::Picker(picker, Picking::Chains(networks))),
        }
    }
}

/// Ranks the list again after something was typed. For an address its explorer is offered, which may
/// be none in the list, and for an id its chain, before those that only have the id's digits.
pub(super) fn sift(picker: &mut Picker, chains: &Chains) {
    let text = picker.text().to_owned();
    let is_exact = text.contains("://") || text.trim().parse::<u64>().is_ok();
    let offered = chains
        .find(&text)
        .ok()
        .filter(|_| is_exact)
        .map(|network| entry(&network, "", "what is typed"));
    picker.rank(&text, offered, |_| true);
}

fn entry(network: &Network, names: &str, nearness: &str) -> Entry {
    let host = network.endpoint.host().unwrap_or_else(|| "in this program".into());
    let testnet = if network.testnet { "testnet" } else { "" };
    let symbol = network.symbol.as_deref().unwrap_or_default();
    let parts = [nearness, symbol, testnet, names, &host];
    let parts: Vec<&str> =
        parts.into_iter().filter(|part| !part.is_empty() && **part != network.name).collect();
    Entry {
        name: Text::new(&network.name),
        detail: Text::new(&parts.join(" · ")),
        right: network.id.map(|id| id.to_string().into()).unwrap_or_default(),
        dim: false,
    }
}
