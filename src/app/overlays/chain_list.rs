//! The list of known chains, those opened before first.

use std::mem;

use super::overlay::{Overlay, PickerItems};
use super::picker::{EntryDetail, Picker, PickerChoice, PickerEntry};
use crate::app::App;
use crate::app_message::Effect;
use crate::chain::chains::registry::ChainInfo;
use crate::chain::chains::{Chains, local_node};
use crate::chain::network::{Endpoint, Network};
use crate::messages::prompt;
use crate::sanitize::SafeText;
use crate::ui::format::cut;

/// Columns of the names of coins. Longer ones are cut.
const COIN_WIDTH: usize = 5;
/// Name of the node at the usual address, and its other names.
const USUAL_NODE: &str = "node";
const USUAL_NODE_NAMES: [&str; 2] = ["anvil", "hardhat"];

/// Relation of a chain to the session, in the order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ChainRelation {
    Current,
    /// A node that runs on this machine.
    Running,
    Visited,
    /// The usual address of a node on this machine, where none is known to run.
    Local,
    Known,
}

impl ChainRelation {
    fn sign(self) -> &'static str {
        match self {
            Self::Current => "●",
            Self::Running | Self::Visited => "○",
            Self::Local | Self::Known => "",
        }
    }
}

impl App {
    pub(in crate::app) fn open_chains(&mut self) -> Vec<Effect> {
        let (picker, networks) = self.chain_picker();
        let mut effects =
            self.open_overlay(Overlay::Picker(Box::new(picker), PickerItems::Chains(networks)));
        effects.push(Effect::FindLocalNodes);
        effects
    }

    /// Adds the nodes that run on this machine to the list. What is typed and selected stays.
    pub(in crate::app) fn on_local_nodes(&mut self, nodes: Vec<Network>) -> Vec<Effect> {
        self.sessions.local_nodes = nodes;
        let (mut list, networks) = self.chain_picker();
        if let Some(Overlay::Picker(picker, PickerItems::Chains(before))) = &mut self.overlays.top
            && networks != *before
        {
            list.input = mem::take(&mut picker.input);
            refilter(&mut list, &self.chains);
            if picker.is_moved()
                && let Some(PickerChoice::Entry(at)) = picker.choice()
                && let Some(at) =
                    networks.iter().position(|network| Some(network) == before.get(at))
            {
                list.select(at);
            }
            **picker = list;
            *before = networks;
        }
        Vec::new()
    }

    fn chain_picker(&self) -> (Picker, Vec<Network>) {
        let mut rows = self.named_chains();
        let is_listed =
            |node: &&Network| rows.iter().any(|(known, _)| known.endpoint == node.endpoint);
        let unlisted = self.sessions.local_nodes.iter().filter(|node| !is_listed(node));
        let nodes: Vec<_> = unlisted.map(|node| (node.clone(), Vec::new())).collect();
        let usual = usual_node().filter(|node| nodes.is_empty() && !is_listed(&node));
        let names = || USUAL_NODE_NAMES.map(SafeText::new).into();
        rows.splice(..0, nodes.into_iter().chain(usual.map(|node| (node, names()))));
        for network in self.sessions.all().map(|session| &session.network) {
            if rows.iter().all(|(known, _)| known.endpoint != network.endpoint) {
                rows.push((network.clone(), Vec::new()));
            }
        }
        rows.sort_by_cached_key(|(network, _)| self.chain_relation(network));
        let entries = rows.iter().map(|(network, names)| {
            chain_entry(network, names, Some(self.chain_relation(network)))
        });
        let picker = Picker::new(prompt::SWITCH_CHAIN_TITLE, entries.collect())
            .with_header(header())
            .with_placeholder(prompt::CHAIN_ORDER);
        (picker, rows.into_iter().map(|(network, _)| network).collect())
    }

    fn named_chains(&self) -> Vec<(Network, Vec<SafeText>)> {
        let resolve = |known: &ChainInfo| self.chains.resolve_endpoint(known);
        self.chains.all().map(|known| (resolve(known), known.names.clone())).collect()
    }

    fn chain_relation(&self, network: &Network) -> ChainRelation {
        if self.session().is_at(&network.endpoint) {
            ChainRelation::Current
        } else if self.sessions.local_nodes.iter().any(|node| node.endpoint == network.endpoint) {
            ChainRelation::Running
        } else if self.sessions.has_provider(network) {
            ChainRelation::Visited
        } else if usual_node().is_some_and(|node| node.endpoint == network.endpoint) {
            ChainRelation::Local
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
            None => {
                self.open_overlay(Overlay::Picker(Box::new(picker), PickerItems::Chains(networks)))
            }
        }
    }
}

/// Ranks the entries after the query has changed. For a URL, or the name of a local node that no entry has, a
/// chain is suggested that may not be in the list. A known chain without an explorer gets a note.
pub(in crate::app) fn refilter(picker: &mut Picker, chains: &Chains) {
    let text = picker.input.text().to_owned();
    let is_unlisted_node = local_node(text.trim()).is_some() && !picker.has_name(&text);
    let is_exact = is_unlisted_node || text.contains("://");
    let found = chains.resolve(&text);
    let advice = found.as_ref().err().filter(|why| why.is_understood());
    picker.set_note(advice.map(|why| SafeText::new(&why.to_string())));
    let network = found.ok().filter(|_| is_exact);
    let suggestion = network.map(|network| chain_entry(&network, &[], None));
    picker.rank(&text, suggestion, |_| true);
}

/// Returns the node at the usual address of this machine.
fn usual_node() -> Option<Network> {
    local_node(USUAL_NODE)
}

/// Returns the host of a chain's endpoint, with the path of an explorer that shares it with other pages.
fn shown_endpoint(network: &Network) -> String {
    let host = network.endpoint.host().unwrap_or_else(|| prompt::BUILT_IN.into());
    match &network.endpoint {
        Endpoint::Remote(base) => [&*host, base.path().trim_end_matches('/')].concat(),
        _ => host,
    }
}

/// Returns the entry of a chain, which is only typed if it has no relation to the session.
fn chain_entry(
    network: &Network,
    names: &[SafeText],
    relation: Option<ChainRelation>,
) -> PickerEntry {
    let host = shown_endpoint(network);
    let testnet = if network.testnet { prompt::TESTNET } else { "" };
    let symbol = network.symbol.as_deref().unwrap_or("—");
    let id = network.id.map(|id| id.to_string()).unwrap_or_default();
    let others: Vec<&str> = names
        .iter()
        .map(|name| &**name)
        .filter(|name| !name.eq_ignore_ascii_case(&network.name))
        .collect();
    let kind = match relation {
        None => prompt::TYPED,
        Some(_) if network.testnet => prompt::TESTNET_SIGN,
        Some(_) => "",
    };
    let cells = [&id, &*cut(symbol, COIN_WIDTH), kind, &*host, &others.join(", ")];
    let aliases = names.iter().cloned().chain([SafeText::new(&id)]);
    PickerEntry {
        keywords: SafeText::new(&format!("{host} {testnet}")),
        sign: relation.map_or("", ChainRelation::sign),
        name: SafeText::new(&network.name),
        detail: EntryDetail::Cells(cells.map(SafeText::new).into()),
        aliases: aliases.filter(|alias| !alias.is_empty()).collect(),
        ..PickerEntry::default()
    }
}

fn header() -> PickerEntry {
    let cells = prompt::CHAIN_COLUMNS.split(", ").map(SafeText::new);
    PickerEntry {
        name: prompt::CHAIN.into(),
        detail: EntryDetail::Cells(cells.collect()),
        dim: true,
        ..PickerEntry::default()
    }
}
