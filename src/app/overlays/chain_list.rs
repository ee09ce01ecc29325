//! The list of known chains, those opened before first.

use super::overlay::{Overlay, PickerItems};
use super::picker::{Picker, PickerChoice, PickerEntry};
use crate::app::App;
use crate::chain::chains::Chains;
use crate::chain::network::Network;
use crate::messages::prompt;
use crate::msg::Effect;
use crate::sanitize::SafeText;

/// Relation of a chain to the session, in the order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
enum ChainRelation {
    Current,
    Visited,
    #[strum(serialize = "")]
    Known,
}

impl App {
    pub(in crate::app) fn open_chains(&mut self) -> Vec<Effect> {
        let mut rows = self.named_chains();
        for network in self.sessions.all().map(|session| &session.network) {
            if rows.iter().all(|(known, _)| known.endpoint != network.endpoint) {
                rows.push((network.clone(), String::new()));
            }
        }
        rows.sort_by_cached_key(|(network, _)| self.chain_relation(network));
        let entries = rows.iter().map(|(network, names)| {
            chain_entry(network, names, self.chain_relation(network).into())
        });
        let title = prompt::SWITCH_CHAIN_TITLE;
        let picker = Picker::new(title, entries.collect());
        let networks = rows.into_iter().map(|(network, _)| network).collect();
        self.open_overlay(Overlay::Picker(picker, PickerItems::Chains(networks)))
    }

    fn named_chains(&self) -> Vec<(Network, String)> {
        let short =
            |names: &[SafeText]| names.iter().map(|name| &**name).collect::<Vec<_>>().join(" ");
        self.chains
            .all()
            .map(|known| (self.chains.resolve_endpoint(known), short(&known.names)))
            .collect()
    }

    fn chain_relation(&self, network: &Network) -> ChainRelation {
        if self.session().is_at(&network.endpoint) {
            ChainRelation::Current
        } else if self.sessions.is_connected(network) {
            ChainRelation::Visited
        } else {
            ChainRelation::Known
        }
    }

    pub(in crate::app) fn pick_chain(
        &mut self,
        picker: Picker,
        networks: Vec<Network>,
    ) -> Vec<Effect> {
        let network = match picker.choice() {
            Some(PickerChoice::Suggestion) => self.chains.resolve(picker.input.text()).ok(),
            Some(PickerChoice::Entry(at)) => networks.get(at).cloned(),
            None => None,
        };
        match network {
            Some(network) => self.switch_chain(network),
            // Nothing matches: leave the query to be corrected.
            None => self.open_overlay(Overlay::Picker(picker, PickerItems::Chains(networks))),
        }
    }
}

/// Ranks the entries after the query has changed. For a URL, an explorer is suggested that may not be
/// in the list; for an id, its chain comes before those that merely contain the digits.
pub(in crate::app) fn refilter(picker: &mut Picker, chains: &Chains) {
    let text = picker.input.text().to_owned();
    let is_exact = text.contains("://") || text.trim().parse::<u64>().is_ok();
    let network = chains.resolve(&text).ok().filter(|_| is_exact);
    let suggestion = network.map(|network| chain_entry(&network, "", prompt::TYPED));
    picker.rank(&text, suggestion, |_| true);
}

fn chain_entry(network: &Network, names: &str, relation: &str) -> PickerEntry {
    let host = network.endpoint.host().unwrap_or_else(|| prompt::BUILT_IN.into());
    let testnet = if network.testnet { "testnet" } else { "" };
    let symbol = network.symbol.as_deref().unwrap_or_default();
    let parts = [relation, symbol, testnet, names, &host];
    let parts: Vec<&str> =
        parts.into_iter().filter(|part| !part.is_empty() && **part != network.name).collect();
    PickerEntry {
        name: SafeText::new(&network.name),
        detail: SafeText::new(&parts.join(" · ")),
        right: network.id.map(|id| id.to_string().into()).unwrap_or_default(),
        ..PickerEntry::default()
    }
}
