//! A place as a command line names it: where the program can begin, and what `Y` copies.

use ratatui::layout::Size;

use super::App;
use super::history::Place;
use super::tab::Slot;
use crate::api::Query;
use crate::chain::chains::Chains;
use crate::chain::network::{Endpoint, Network};
use crate::chain::registry::Known;
use crate::chain::target::Subject;
use crate::msg::{Effect, Viewer};
use crate::pane::export::Aim;
use crate::pane::{Kind, Link};
use crate::sanitize::Text;

/// A place that can be named.
#[derive(Debug, Clone)]
pub struct Spot {
    /// What it is about.
    pub link: Link,
    /// Which of its tabs; the first, unless this says otherwise.
    pub tab: Option<Kind>,
    /// What of that tab.
    pub aim: Aim,
}

impl Spot {
    /// The place's own spot; none, if only the rows that it was opened from know what it shows.
    fn of(place: &Place) -> Option<Self> {
        Self::with(&place.link, place.tabs.get(place.active)?)
    }

    fn with(link: &Link, slot: &Slot) -> Option<Self> {
        let link = match link {
            Link::Start | Link::Transfers | Link::Instances { .. } => link.clone(),
            link => Link::Subject(link.subject()?),
        };
        Some(Self { link, tab: Some(slot.kind), aim: slot.pane.aim() })
    }

    /// The command that opens it, for any shell.
    pub fn command(&self, network: &Network, chains: &Chains) -> String {
        let words = self.words(network, chains);
        ["chainglass".into()]
            .into_iter()
            .chain(words.iter().map(|w| quoted(w)))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Its words after the program's name.
    fn words(&self, network: &Network, chains: &Chains) -> Vec<String> {
        let mut words = vec!["--chain".to_owned(), chain(network, chains)];
        let target = match &self.link {
            Link::Subject(Subject::Address(address)) => Some(address.to_string()),
            Link::Subject(Subject::Transaction(hash)) => Some(hash.to_string()),
            Link::Instances { token, .. } => Some(token.to_string()),
            _ => None,
        };
        words.extend(target);
        let first =
            Kind::all(&self.link).iter().map(|(kind, _)| *kind).find(|k| *k != Kind::Overview);
        let named = matches!(self.link, Link::Subject(_)) && self.tab == first;
        if let Some(tab) = self.tab.filter(|tab| !named && *tab != Kind::Start) {
            words.extend(["--tab".into(), tab.name().into()]);
        }
        for (name, value) in self.aim.query.iter().flat_map(Query::params) {
            let name = if name == "holder_address_hash" { "holder" } else { name };
            words.extend([format!("--{name}"), value]);
        }
        if !self.aim.node.is_empty() {
            let node: Vec<String> = self.aim.node.iter().map(u32::to_string).collect();
            words.extend(["--node".into(), node.join(".")]);
        }
        words
    }
}

/// What `--chain` takes for this chain: a name, where one is sure to mean it, else its explorer.
fn chain(network: &Network, chains: &Chains) -> String {
    let Endpoint::Remote(base) = &network.endpoint else { return "demo".into() };
    let known = chains.all().find(|known| chains.reach(known) == *network);
    match known.map(Known::handle) {
        Some(name) if chains.find(&name).as_ref() == Ok(network) => name,
        _ => base.as_str().trim_end_matches('/').to_owned(),
    }
}

/// A word as a shell takes it for one and does nothing with it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,".contains(c);
    if word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

impl App {
    /// Opens the first place, where a command line said. `doubtful` as of its target.
    pub fn start_at(&mut self, size: Size, spot: Spot, doubtful: bool) -> Vec<Effect> {
        self.size = size;
        self.doubt(doubtful);
        let mut place = Place::new(spot.link, self.here(), &mut self.panes, None);
        let at = place.tabs.iter().position(|slot| Some(slot.kind) == spot.tab);
        place.active = at.unwrap_or(0);
        if let Some(slot) = place.tabs.get_mut(place.active) {
            slot.pane.take_aim(spot.aim);
        }
        let is_start = matches!(place.link, Link::Start);
        let mut effects = if is_start { Vec::new() } else { self.read_own() };
        effects.extend(self.enter(place));
        self.begin(&mut effects);
        effects
    }

    /// Copies the command that opens the program here; of what has no name, where it was opened from.
    pub(super) fn copy_command(&mut self) -> Vec<Effect> {
        let places = self.places.get(..=self.at).unwrap_or_default();
        let mut spots = places.iter().rev().map(Spot::of);
        let (here, before) = (spots.next().flatten(), spots.flatten().next());
        // What stands beside the list, while that has the keys.
        let beside =
            self.link().zip(self.focused()).and_then(|(link, slot)| Spot::with(link, slot));
        let here = beside.or(here);
        let (what, spot) = match (here, before) {
            (Some(here), _) => ("command", here),
            (None, Some(before)) => ("command for the view that this was opened from", before),
            (None, None) => return self.say("no command opens this"),
        };
        let text = Text::new(&spot.command(&self.chain().network, &self.chains));
        vec![Effect::Copy { what, text }]
    }

    /// Shows what is looked at in another program.
    pub(super) fn view_in(&mut self, viewer: Viewer) -> Vec<Effect> {
        match self.with(self.part(), |slot, cx| slot.pane.paper(viewer, cx)) {
            Some(Ok(paper)) => {
                vec![Effect::View { viewer, name: paper.name, lines: paper.lines }]
            }
            Some(Err(why)) => self.say(&why),
            None => Vec::new(),
        }
    }
}
