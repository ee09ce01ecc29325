//! A place as a command line names it: where the program can begin, and what `Y` copies.

use ratatui::layout::Size;

use super::App;
use super::history::HistoryEntry;
use super::tab::Tab;
use crate::api::Query;
use crate::chain::chains::Chains;
use crate::chain::network::{Endpoint, Network};
use crate::chain::registry::ChainInfo;
use crate::chain::target::TargetKind;
use crate::msg::{Effect, ExternalTool};
use crate::pane::export::ViewParams;
use crate::pane::{PaneKind, Route};
use crate::sanitize::SafeText;

/// A place that can be named.
#[derive(Debug, Clone)]
pub struct Location {
    /// What it is about.
    pub route: Route,
    /// Which of its tabs; the first, unless this says otherwise.
    pub tab: Option<PaneKind>,
    /// What of that tab.
    pub params: ViewParams,
}

impl Location {
    /// The place's own spot; none, if only the rows that it was opened from know what it shows.
    fn from_entry(place: &HistoryEntry) -> Option<Self> {
        Self::from_route(&place.route, place.tabs.get(place.active)?)
    }

    fn from_route(link: &Route, slot: &Tab) -> Option<Self> {
        let link = match link {
            Route::Start | Route::Transfers | Route::Instances { .. } => link.clone(),
            link => Route::Target(link.target()?),
        };
        Some(Self { route: link, tab: Some(slot.kind), params: slot.pane.view_params() })
    }

    /// The command that opens it, for any shell.
    pub fn command(&self, network: &Network, chains: &Chains) -> String {
        let words = self.args(network, chains);
        ["chainglass".into()]
            .into_iter()
            .chain(words.iter().map(|w| shell_quote(w)))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Its words after the program's name.
    fn args(&self, network: &Network, chains: &Chains) -> Vec<String> {
        let mut words = vec!["--chain".to_owned(), chain_arg(network, chains)];
        let target = match &self.route {
            Route::Target(TargetKind::Address(address)) => Some(address.to_string()),
            Route::Target(TargetKind::Transaction(hash)) => Some(hash.to_string()),
            Route::Instances { token, .. } => Some(token.to_string()),
            _ => None,
        };
        words.extend(target);
        let first = PaneKind::create_all(&self.route)
            .iter()
            .map(|(kind, _)| *kind)
            .find(|k| *k != PaneKind::AddressHeader);
        let named = matches!(self.route, Route::Target(_)) && self.tab == first;
        if let Some(tab) = self.tab.filter(|tab| !named && *tab != PaneKind::Start) {
            words.extend(["--tab".into(), tab.name().into()]);
        }
        for (name, value) in self.params.query.iter().flat_map(Query::params) {
            let name = if name == "holder_address_hash" { "holder" } else { name };
            words.extend([format!("--{name}"), value]);
        }
        if !self.params.node.is_empty() {
            let node: Vec<String> = self.params.node.iter().map(u32::to_string).collect();
            words.extend(["--node".into(), node.join(".")]);
        }
        words
    }
}

/// What `--chain` takes for this chain: a name, where one is sure to mean it, else its explorer.
fn chain_arg(network: &Network, chains: &Chains) -> String {
    let Endpoint::Remote(base) = &network.endpoint else { return "demo".into() };
    let known = chains.all().find(|known| chains.resolve_endpoint(known) == *network);
    match known.map(ChainInfo::handle) {
        Some(name) if chains.resolve(&name).as_ref() == Ok(network) => name,
        _ => base.as_str().trim_end_matches('/').to_owned(),
    }
}

/// A word as a shell takes it for one and does nothing with it.
fn shell_quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,".contains(c);
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

impl App {
    /// Opens the first place, where a command line said. `doubtful` as of its target.
    pub fn start_at_location(&mut self, size: Size, spot: Location, doubtful: bool) -> Vec<Effect> {
        self.size = size;
        self.warn_checksum(doubtful);
        let mut place =
            HistoryEntry::new(spot.route, self.current_chain(), &mut self.next_pane_id, None);
        let at = place.tabs.iter().position(|slot| Some(slot.kind) == spot.tab);
        place.active = at.unwrap_or(0);
        if let Some(slot) = place.tabs.get_mut(place.active) {
            slot.pane.restore(spot.params);
        }
        let is_start = matches!(place.route, Route::Start);
        let mut effects = if is_start { Vec::new() } else { self.load_user_data() };
        effects.extend(self.push_entry(place));
        self.init_terminal(&mut effects);
        effects
    }

    /// Copies the command that opens the program here; of what has no name, where it was opened from.
    pub(super) fn copy_command(&mut self) -> Vec<Effect> {
        let places = self.history.get(..=self.current).unwrap_or_default();
        let mut spots = places.iter().rev().map(Location::from_entry);
        let (here, before) = (spots.next().flatten(), spots.flatten().next());
        // What stands beside the list, while that has the keys.
        let beside = self
            .focused_route()
            .zip(self.focused_tab())
            .and_then(|(link, slot)| Location::from_route(link, slot));
        let here = beside.or(here);
        let (what, spot) = match (here, before) {
            (Some(here), _) => ("command", here),
            (None, Some(before)) => ("command for the view that this was opened from", before),
            (None, None) => return self.notify("no command opens this"),
        };
        let text = SafeText::new(&spot.command(&self.session().network, &self.chains));
        vec![Effect::Copy { what, text }]
    }

    /// Shows what is looked at in another program.
    pub(super) fn open_external(&mut self, viewer: ExternalTool) -> Vec<Effect> {
        match self.with_pane(self.focused_slot(), |slot, cx| slot.pane.export(viewer, cx)) {
            Some(Ok(paper)) => {
                vec![Effect::OpenExternal { viewer, name: paper.name, lines: paper.lines }]
            }
            Some(Err(describe_error)) => self.notify(&describe_error),
            None => Vec::new(),
        }
    }
}
