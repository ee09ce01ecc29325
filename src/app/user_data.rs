//! What is the user's own: names of addresses, the watch list, and the places visited lately.

use super::prompt::{Field, Purpose};
use super::{App, Overlay, Part};
use crate::chain::Address;
use crate::chain::network::Endpoint;
use crate::chain::target::Subject;
use crate::msg::{ChainIndex, Effect};
use crate::pane::Link;
use crate::sanitize::Text;
use crate::ui::format::short_address;
use crate::user_data::labels::{Change, LONGEST, Labels, Set, quoted};
use crate::user_data::recents::{Step, Visit, Visits};

/// The places of a chain that were visited lately.
#[derive(Debug, Default)]
pub(super) struct Lately {
    pub(super) visits: Visits,
    /// Why they are not kept.
    pub(super) trouble: Option<Text>,
}

impl App {
    /// Reads what is the user's own of the present chain.
    pub(super) fn read_own(&self) -> Vec<Effect> {
        self.read_own_of(self.here())
    }

    /// Reads what is the user's own of a chain.
    pub(super) fn read_own_of(&self, chain: ChainIndex) -> Vec<Effect> {
        let key = self.visited.at(chain).network.key();
        let visits = self.keeps_visits(chain).then(|| Effect::ReadVisits(key.clone()));
        [Effect::ReadLabels(key)].into_iter().chain(visits).collect()
    }

    /// On the demo chain they are remembered until the end only.
    fn keeps_visits(&self, chain: ChainIndex) -> bool {
        self.recent && self.visited.at(chain).network.endpoint != Endpoint::Embedded
    }

    /// Remembers that a place was visited.
    pub(super) fn remember(&mut self, chain: ChainIndex, link: &Link) -> Vec<Effect> {
        let visit = link.visit().filter(|_| self.recent);
        visit.map(|visit| self.step(chain, Step::Note(visit))).unwrap_or_default()
    }

    /// Remembers, or forgets, a visit.
    fn step(&mut self, at: ChainIndex, step: Step) -> Vec<Effect> {
        let keeps = self.keeps_visits(at);
        let chain = self.visited.at_mut(at);
        chain.lately.visits.take(step);
        let kept = keeps.then(|| Effect::Visit { key: chain.network.key(), step });
        kept.into_iter().collect()
    }

    /// Forgets a visit, at the user's word.
    pub(super) fn forget(&mut self, visit: Visit) -> Vec<Effect> {
        let effects = self.step(self.here(), Step::Forget(visit));
        self.show_own();
        effects
    }

    /// Knows the visits that were kept, or why they are not.
    pub(super) fn take_visits(&mut self, key: &str, visits: &Result<Visits, Text>) -> Vec<Effect> {
        for chain in self.visited.of_key(key).filter(|_| self.recent) {
            match visits {
                Ok(visits) => {
                    chain.lately = Lately { visits: visits.clone(), trouble: None };
                }
                Err(why) => chain.lately.trouble = Some(why.clone()),
            }
        }
        self.show_own();
        Vec::new()
    }

    /// Knows the user's labels. What cannot be read of them is told once.
    pub(super) fn take_labels(
        &mut self,
        key: &str,
        labels: Result<Box<Labels>, Text>,
    ) -> Vec<Effect> {
        let labels = match labels {
            Ok(labels) => *labels,
            Err(why) => return self.say(&format!("trouble with your labels: {why}")),
        };
        let mut news = None;
        for chain in self.visited.of_key(key) {
            let known = chain.seen.labels();
            if labels.problems() != known.problems() {
                news = told(key, labels.problems());
            }
            if labels != *known {
                chain.seen.set_labels(labels.clone());
            }
        }
        self.show_own();
        news.map(|words| self.say(&words)).unwrap_or_default()
    }

    /// What is on the screen shows what is the user's own as it is now.
    fn show_own(&mut self) {
        let active = self.place().map_or(0, |place| place.active);
        for part in [Part::Header, Part::Tab(active), Part::Side] {
            self.with(part, |slot, cx| slot.pane.relabelled(cx));
        }
    }

    /// The address under the cursor, or else the one that the place is about.
    pub(super) fn address_here(&self) -> Option<Address> {
        let slot = self.focused()?;
        let cx = self.cx(self.place()?, slot, self.focused_area());
        let under = slot.pane.address(&cx);
        under.or_else(|| match self.link()? {
            Link::Subject(Subject::Address(address)) => Some(*address),
            Link::Instances { token, .. } => Some(*token),
            _ => None,
        })
    }

    /// Lets the user name the address under the cursor.
    pub(super) fn name_address(&mut self) -> Vec<Effect> {
        let Some(address) = self.address_here() else { return self.say("no address is here") };
        let name = self.chain().seen.labels().name(&address).cloned().unwrap_or_default();
        self.lay_over(Overlay::Field(Field::new(Purpose::Label(address), &name)))
    }

    /// Watches the address under the cursor, or watches it no more.
    pub(super) fn watch_address(&mut self) -> Vec<Effect> {
        let Some(address) = self.address_here() else { return self.say("no address is here") };
        let watched = self.chain().seen.labels().is_watched(&address);
        self.relabel(Change::watch(address, !watched))
    }

    /// The user typed a name.
    pub(super) fn named(&mut self, address: Address, mut field: Field) -> Vec<Effect> {
        if let Some(change) = Change::name(address, field.text()) {
            return self.relabel(change);
        }
        field.refuse(Text::new(&format!("a name has at most {LONGEST} characters")));
        self.lay_over(Overlay::Field(field))
    }

    /// Changes what the user says of an address, here and in the file.
    pub(super) fn relabel(&mut self, change: Change) -> Vec<Effect> {
        self.chain_mut().seen.relabel(&change);
        self.show_own();
        self.say(&self.relabelled(&change));
        vec![Effect::Label { key: self.chain().network.key(), change }]
    }

    /// What came of a change.
    fn relabelled(&self, change: &Change) -> String {
        let (labels, short) = (self.chain().seen.labels(), short_address(&change.address));
        let who =
            labels.shown(&change.address).map_or(short.clone(), |own| format!("{own} {short}"));
        match &change.to {
            Set::Watched(true) => format!("{who} is watched: it stands on the start screen"),
            Set::Watched(false) => format!("{who} is not watched any more"),
            Set::Name(None) => format!("{short} has no name of yours any more"),
            Set::Name(Some(name)) if labels.is_unmistakable(&change.address) => {
                format!("{short} is {} from now on", quoted(name))
            }
            Set::Name(Some(name)) => {
                format!("{short} is {} from now on, as another address is", quoted(name))
            }
        }
    }
}

/// What is wrong with a file of labels.
fn told(key: &str, problems: &[Text]) -> Option<String> {
    let (first, rest) = problems.split_first()?;
    let more = match rest.len() {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    Some(format!("labels/{key}.csv: {first}{more}"))
}
