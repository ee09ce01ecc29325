//! Deep links: a view as command-line arguments.

use ratatui::layout::Size;

use super::history::HistoryEntry;
use super::pane_instance::PaneInstance;
use crate::api::Query;
use crate::app::App;
use crate::app_message::Effect;
use crate::chain::chains::Chains;
use crate::chain::chains::registry::ChainInfo;
use crate::chain::network::{Endpoint, Network};
use crate::pane::export::{ViewParams, shell_quote};
use crate::pane::{PaneKind, Route};

/// Maximum bytes of data in a command. Shells accept more.
const MAX_ARGUMENT_BYTES: usize = 32 << 10;

/// A view that a command line can name.
#[derive(Debug, Clone)]
pub struct Location {
    pub route: Route,
    /// The tab; the first one if `None`.
    pub tab: Option<PaneKind>,
    pub params: ViewParams,
}

impl Location {
    /// Returns the location of a page. `None` if no command line can name its route.
    pub(in crate::app) fn from_entry(place: &HistoryEntry) -> Option<Self> {
        Self::from_route(&place.route, place.tabs.get(place.active)?)
    }

    pub(in crate::app) fn from_route(link: &Route, slot: &PaneInstance) -> Option<Self> {
        let link = match link {
            Route::Start | Route::List(_) | Route::Token(_) | Route::Instances { .. } => {
                link.clone()
            }
            Route::Decoded { input, .. } if input.to_string().len() <= MAX_ARGUMENT_BYTES => {
                link.clone()
            }
            Route::Instance { .. } | Route::LinkedInstance(_) => {
                Route::LinkedInstance(link.instance()?)
            }
            link => Route::Target(link.target()?),
        };
        Some(Self { route: link, tab: Some(slot.kind), params: slot.pane.view_params() })
    }

    /// Formats the command that opens the location, for any shell.
    pub fn command(&self, network: &Network, chains: &Chains) -> String {
        let words: Vec<String> =
            self.args(network, chains).iter().map(|word| shell_quote(word)).collect();
        format!("chainglass {}", words.join(" "))
    }

    fn args(&self, network: &Network, chains: &Chains) -> Vec<String> {
        let mut words = vec!["--chain".to_owned(), chain_arg(network, chains)];
        let target = match &self.route {
            Route::Target(target) => Some(target.to_string()),
            Route::Token(token) | Route::Instances { token, .. } => Some(token.to_string()),
            Route::LinkedInstance(nft) => Some(nft.token.to_string()),
            Route::Decoded { input, .. } => Some(input.to_string()),
            _ => None,
        };
        words.extend(target);
        if let Route::LinkedInstance(nft) = &self.route {
            words.extend(["--instance".into(), nft.id.to_string()]);
        }
        let mut kinds = PaneKind::create_all(&self.route).into_iter().map(|(kind, _)| kind);
        let first = kinds.find(|kind| !kind.is_header());
        let has_default = matches!(
            self.route,
            Route::Target(_) | Route::LinkedInstance(_) | Route::Decoded { .. }
        );
        let named = has_default && self.tab == first;
        if let Some(tab) = self.tab.filter(|tab| !named && *tab != PaneKind::Start) {
            words.extend(["--tab".into(), tab.name_on(&self.route).into()]);
        }
        for (name, value) in self.params.query.iter().flat_map(Query::filter_options) {
            let option = match name {
                "holder_address_hash" => "holder",
                "filter" | "type" | "token" => name,
                _ => continue, // always the same for the list
            };
            words.extend([format!("--{option}"), value]);
        }
        if self.params.query.as_ref().is_some_and(Query::is_history) {
            words.push("--history".into());
        }
        if let Some(block) = self.params.query.as_ref().and_then(Query::past_block) {
            words.extend(["--block".into(), block.to_string()]);
        }
        words.extend(self.params.view_args());
        words
    }
}

/// Returns the value of `--chain`: a name if it is unambiguous, or else the URL of the explorer.
fn chain_arg(network: &Network, chains: &Chains) -> String {
    let is_here = |found: &Network| found.endpoint == network.endpoint;
    let known = chains.all().find(|known| is_here(&chains.resolve_endpoint(known)));
    let name = known.map_or_else(|| network.name.clone(), ChainInfo::handle);
    match &network.endpoint {
        _ if chains.resolve(&name).as_ref().is_ok_and(is_here) => name,
        Endpoint::Embedded => "demo".into(),
        Endpoint::Remote(base) => base.as_str().trim_end_matches('/').to_owned(),
        Endpoint::Node(url) | Endpoint::Undecided(url) => {
            url.without_keys().as_str().trim_end_matches('/').to_owned()
        }
    }
}

impl App {
    /// Opens the first page at a location. `checksum_mismatch` is `true` if its address has a wrong
    /// checksum.
    pub fn start_at_location(
        &mut self,
        size: Size,
        location: Location,
        checksum_mismatch: bool,
    ) -> Vec<Effect> {
        self.display.size = size;
        self.warn_checksum(checksum_mismatch);
        self.display.list_view = location.params.layout.unwrap_or(self.display.list_view);
        let mut entry = self.nav.create_entry(location.route, self.nav.chain());
        let tab = location.tab.and_then(|kind| entry.show_tab(kind));
        entry.active = tab.unwrap_or(0);
        entry.gives_way = location.tab.is_none();
        entry.seeks_rows = entry.gives_way;
        if let Some(tab) = entry.tabs.get_mut(entry.active) {
            tab.pane.restore(location.params);
        }
        let is_start = matches!(entry.route, Route::Start);
        let mut effects = if is_start { Vec::new() } else { self.load_user_data() };
        effects.extend(self.push_entry(entry));
        self.init_terminal(&mut effects);
        effects
    }
}
