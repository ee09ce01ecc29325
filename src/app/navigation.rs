//! Going about: the history of places, the panes of the present one, and what they want.

use super::chain_switching::Chain;
use super::filters::Filters;
use super::history::Place;
use super::split_view::state::Side;
use super::tab::Slot;
use super::{App, Field, Overlay, Part, Purpose};
use crate::abi::Book;
use crate::keymap::key_hints::Keys;
use crate::msg::{ChainIndex, Effect, Ticket};
use crate::pane::{Cx, Link, Want};
use crate::safety::address_poisoning::Sent;
use crate::sanitize::Text;

/// Places that can be gone back to. Each holds the rows that were loaded in it.
const HISTORY: usize = 32;

impl App {
    /// Does what a pane of the present place wants.
    pub(super) fn grant(&mut self, part: Part, wants: Vec<Want>) -> Vec<Effect> {
        let Some((pane, epoch)) = self.with(part, |slot, _| (slot.id, slot.pane.epoch())) else {
            return Vec::new();
        };
        let ticket = Ticket { chain: self.here(), pane, epoch };
        let mut effects = Vec::new();
        for want in wants {
            match want {
                Want::Ask(query, cursor, why) => {
                    effects.push(Effect::Fetch { ticket, query, cursor, why });
                }
                Want::Trace(transaction, terms) => {
                    effects.push(Effect::Trace { ticket, transaction, terms });
                }
                Want::Mark(marked) => self.chain_mut().marked = Some(marked),
                Want::Learn(signature) => effects.extend(self.learn(&signature)),
                Want::Label(change) => effects.extend(self.relabel(change)),
                Want::Forget(visit) => effects.extend(self.forget(visit)),
                Want::Allow(bytes) => effects.push(Effect::Allow { pane, bytes }),
                Want::Drop => effects.push(Effect::Cancel(pane)),
                Want::Copy(what, text) => effects.push(Effect::Copy { what, text }),
                Want::Save(path, lines, what) => effects.push(Effect::Save { path, lines, what }),
                Want::Say(text) => self.notice = Some(text),
                Want::Tell(words) => drop(self.tell(words)),
                Want::Met(sent) => self.meet(sent),
                Want::Follow(link) => effects.extend(self.visit(link)),
                Want::Confirm(confirm) => self.overlay = Some(Overlay::Confirm(confirm)),
                Want::Prompt(prompt, text) => {
                    self.overlay = Some(Overlay::Field(Field::new(Purpose::Pane(prompt), &text)));
                }
                Want::Filters(query, token) => match Filters::new(query, token) {
                    Some(filters) => self.overlay = Some(Overlay::Filters(filters)),
                    None => self.notice = Some("this list has no filters".into()),
                },
            }
        }
        effects
    }

    /// Knows a signature from now on, and keeps it for the next time.
    fn learn(&mut self, signature: &Text) -> Vec<Effect> {
        match self.visited.learn(signature) {
            Ok(selector) => {
                let selector = alloy_primitives::hex::encode_prefixed(selector);
                let mut effects = self.say(&format!("{selector} is {signature} from now on"));
                effects.extend(self.look());
                effects.push(Effect::Keep(signature.clone()));
                effects
            }
            Err(why) => self.say(&format!("no signature: {why}")),
        }
    }

    /// Knows the user's ABIs from now on.
    pub(super) fn take_abis(&mut self, book: &Book, problems: &[Text]) -> Vec<Effect> {
        self.visited.add_abis(book);
        match problems {
            [] => Vec::new(),
            [only] => self.say(&format!("an ABI file cannot be used: {only}")),
            [first, rest @ ..] => {
                self.say(&format!("{} ABI files cannot be used: {first}", rest.len() + 1))
            }
        }
    }

    fn meet(&mut self, sent: Vec<Sent>) {
        if let Some(place) = self.places.get_mut(self.at) {
            for sent in sent {
                place.known.add(sent);
            }
        }
    }

    /// Goes to a new place on the same chain.
    pub(super) fn visit(&mut self, link: Link) -> Vec<Effect> {
        self.visit_on(self.here(), link)
    }

    /// Goes to a new place; what was ahead in the history is forgotten.
    pub(super) fn visit_on(&mut self, chain: ChainIndex, link: Link) -> Vec<Effect> {
        let place = Place::new(link, chain, &mut self.panes, self.places.get(self.at));
        self.enter(place)
    }

    /// Goes to a new place that is made already.
    pub(super) fn enter(&mut self, place: Place) -> Vec<Effect> {
        let mut effects = self.leave();
        effects.extend(self.remember(place.chain, &place.link));
        self.places.truncate(self.at + 1);
        if self.places.len() == HISTORY {
            self.places.remove(0);
        }
        self.places.push(place);
        self.at = self.places.len() - 1;
        effects.extend(self.look());
        effects
    }

    /// Goes through the history.
    pub(super) fn walk(&mut self, by: isize) -> Vec<Effect> {
        let Some(to) = self.at.checked_add_signed(by).filter(|to| *to < self.places.len()) else {
            return self.say(if by < 0 { "nothing before this" } else { "nothing after this" });
        };
        let mut effects = self.leave();
        self.at = to;
        effects.extend(self.look());
        effects
    }

    pub(super) fn switch(&mut self, tab: usize) -> Vec<Effect> {
        let Some(place) = self.places.get_mut(self.at) else { return Vec::new() };
        if tab >= place.tabs.len() {
            return self.say("there is no such tab here");
        }
        if tab == place.active {
            return Vec::new();
        }
        let left = place.tabs.get_mut(place.active).and_then(Slot::leave);
        place.active = tab;
        let mut effects: Vec<Effect> = left.map(Effect::Cancel).into_iter().collect();
        effects.extend(self.look_at(Part::Tab(tab)));
        effects
    }

    /// Nobody looks at the present place any more.
    pub(super) fn leave(&mut self) -> Vec<Effect> {
        let Some(place) = self.places.get_mut(self.at) else { return Vec::new() };
        let slots = place.header.iter_mut().chain(place.tabs.get_mut(place.active));
        let left: Vec<_> = slots.filter_map(Slot::leave).collect();
        let beside = place.side.as_mut().and_then(Side::leave);
        left.into_iter().chain(beside).map(Effect::Cancel).collect()
    }

    /// The present place comes into sight.
    pub(super) fn look(&mut self) -> Vec<Effect> {
        let room = self.make_room();
        let tab = Part::Tab(self.place().map_or(0, |place| place.active));
        let is_start = matches!(self.place().map(|place| &place.link), Some(Link::Start));
        let own = if is_start { self.read_own() } else { Vec::new() };
        [room, own, self.look_at(tab), self.look_at(Part::Header), self.look_beside()].concat()
    }

    pub(super) fn look_at(&mut self, part: Part) -> Vec<Effect> {
        let wants = self.with(part, |slot, cx| slot.pane.look(cx)).unwrap_or_default();
        self.grant(part, wants)
    }

    /// Calls a pane of the present place with its surroundings.
    pub(super) fn with<R>(
        &mut self,
        part: Part,
        call: impl FnOnce(&mut Slot, &Cx<'_>) -> R,
    ) -> Option<R> {
        let regions = self.regions();
        let Place { chain, header, tabs, side, known, .. } = self.places.get_mut(self.at)?;
        let (slot, area) = match part {
            Part::Header => (header.as_mut()?, regions.header),
            Part::Tab(tab) => (tabs.get_mut(tab)?, regions.body),
            Part::Side => (side.as_mut()?.slot_mut()?, regions.side),
        };
        let Chain { network, seen, lately, book, marked, .. } = self.visited.at(*chain);
        let (now, styles, notation) = (self.now, &self.styles, &self.notation);
        let (marked, visits) = (marked.as_ref(), (&lately.visits, lately.trouble.as_ref()));
        let keys = Keys::new(&self.keymap, slot.pane.context());
        let cx =
            Cx { area, now, network, styles, book, marked, known, seen, visits, notation, keys };
        Some(call(slot, &cx))
    }
}
