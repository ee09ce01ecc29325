//! What stands beside a list follows the selection, when that rests, and has the keys at times.

mod draw;
pub(in crate::app) mod state;

use std::time::Duration;

use ratatui::layout::Rect;

use super::history::Place;
use super::layout::ABREAST;
use super::overlay::Overlay;
use super::tab::Slot;
use super::{App, Part, Purpose, tab_of};
use crate::keymap::Context;
use crate::msg::{Action, Alarm, Effect};
use crate::pane::Link;
use crate::pane::preview::Beside;
use state::{Shown, Side};

/// How long the selection must rest before the explorer is asked about it.
const PAUSE: Duration = Duration::from_millis(150);

impl App {
    /// The part of the place that has the keys.
    pub(super) fn part(&self) -> Part {
        match self.place() {
            Some(Place { side: Some(Side { has_keys: true, .. }), .. }) => Part::Side,
            place => Part::Tab(place.map_or(0, |place| place.active)),
        }
    }

    /// The pane that has the keys.
    pub(super) fn focused(&self) -> Option<&Slot> {
        match self.part() {
            Part::Side => self.slot_beside(),
            _ => self.place().and_then(|place| place.tabs.get(place.active)),
        }
    }

    /// Where the pane is that has the keys.
    pub(super) fn focused_area(&self) -> Rect {
        let regions = self.regions();
        if self.part() == Part::Side { regions.side } else { regions.body }
    }

    /// What the pane that has the keys is about.
    pub(super) fn link(&self) -> Option<&Link> {
        let beside = self.side().filter(|side| side.has_keys).and_then(|side| side.shown.as_ref());
        beside.map(|shown| &shown.of.link).or(self.place().map(|place| &place.link))
    }

    fn side(&self) -> Option<&Side> {
        self.place().and_then(|place| place.side.as_ref())
    }

    fn side_mut(&mut self) -> Option<&mut Side> {
        self.places.get_mut(self.at).and_then(|place| place.side.as_mut())
    }

    fn shown_mut(&mut self) -> Option<&mut Shown> {
        self.side_mut().and_then(|side| side.shown.as_mut())
    }

    /// The pane beside the list.
    pub(super) fn slot_beside(&self) -> Option<&Slot> {
        self.side().and_then(Side::slot)
    }

    /// Whether something stands beside the list.
    pub(super) fn has_beside(&self) -> bool {
        self.slot_beside().is_some()
    }

    fn is_list(&self) -> bool {
        let tab = self.place().and_then(|place| place.tabs.get(place.active));
        tab.is_some_and(|slot| slot.pane.context() == Context::List)
    }

    /// Whether the keys are a call trace's, which has a use of its own for some.
    pub(super) fn is_trace(&self) -> bool {
        self.focused().is_some_and(|slot| slot.pane.context() == Context::Trace)
    }

    /// Gives the place a side, or takes it away, as the screen, the user and the tab will have it.
    pub(super) fn make_room(&mut self) -> Vec<Effect> {
        let has_room = self.beside.on && self.size.width >= ABREAST && self.is_list();
        let Some(place) = self.places.get_mut(self.at) else { return Vec::new() };
        if has_room == place.side.is_some() {
            return Vec::new();
        }
        let tab = Part::Tab(place.active);
        let mut gone = place.side.take();
        place.side = has_room.then(Side::default);
        if gone.as_ref().is_some_and(|side| side.has_keys) {
            self.close_question();
        }
        // The list has another width now.
        self.with(tab, |slot, cx| slot.pane.resize(cx));
        gone.as_mut().and_then(Side::leave).map(Effect::Cancel).into_iter().collect()
    }

    /// Closes what a pane has asked the user, when that pane is gone.
    fn close_question(&mut self) {
        let is_question = match &self.overlay {
            Some(Overlay::Field(field)) => matches!(field.purpose, Purpose::Pane(_)),
            Some(Overlay::Filters(_)) => true,
            _ => false,
        };
        if is_question {
            self.overlay = None;
        }
    }

    /// Keeps what stands beside the list with the selected row; asked after every message.
    pub(super) fn keep_beside(&mut self) -> Vec<Effect> {
        let mut effects = self.make_room();
        let tab = self.place().map_or(0, |place| place.active);
        let Some(has_keys) = self.side().map(|side| side.has_keys) else { return effects };
        if has_keys && self.overlay.is_some() {
            return effects; // what lies on top is about what is shown now
        }
        let wanted = self.with(Part::Tab(tab), |slot, cx| slot.pane.beside(cx)).flatten();
        let Some(side) = self.side_mut() else { return effects };
        match (wanted, &side.shown) {
            (None, None) => {}
            (Some(wanted), Some(shown)) if wanted.is_as(&shown.of) => {}
            (wanted, _) => {
                effects.extend(side.slot_mut().and_then(Slot::leave).map(Effect::Cancel));
                side.shown = None;
                side.has_keys &= wanted.is_some();
                effects.extend(wanted.map(|wanted| self.stand(wanted)).unwrap_or_default());
            }
        }
        effects
    }

    /// Shows something else: at once where nobody must be asked, or else after a pause, and nothing
    /// until then.
    fn stand(&mut self, of: Beside) -> Vec<Effect> {
        let slots = Slot::all(&of.link, &mut self.panes);
        let active = slots.iter().position(|slot| slot.kind == self.beside.kind).unwrap_or(0);
        let is_at_hand = slots.get(active).is_some_and(|slot| of.is_at_hand(slot.kind));
        self.beside.pauses = self.beside.pauses.wrapping_add(1);
        let pause = self.beside.pauses;
        let shown = Shown { of, slots, active, awaits: (!is_at_hand).then_some(pause) };
        if let Some(side) = self.side_mut() {
            side.shown = Some(shown);
        }
        if is_at_hand {
            return self.look_at(Part::Side);
        }
        vec![Effect::Ring(Alarm::Side(pause), PAUSE)]
    }

    /// A pause is over.
    pub(super) fn rung_beside(&mut self, pause: u32) -> Vec<Effect> {
        match self.shown_mut() {
            Some(shown) if shown.awaits == Some(pause) => self.wait_no_longer(),
            _ => Vec::new(),
        }
    }

    fn wait_no_longer(&mut self) -> Vec<Effect> {
        if let Some(shown) = self.shown_mut() {
            shown.awaits = None;
        }
        self.look_at(Part::Side)
    }

    /// What stands beside the list comes into sight again, with its place.
    pub(super) fn look_beside(&mut self) -> Vec<Effect> {
        match self.shown_mut() {
            Some(shown) if shown.awaits.is_none() => self.look_at(Part::Side),
            _ => Vec::new(),
        }
    }

    /// What an action means for the two panes together; none when one of them is meant.
    pub(super) fn act_beside(&mut self, action: Action) -> Option<Vec<Effect>> {
        match action {
            Action::SidePane => return Some(self.turn_side()),
            Action::OtherPane => return Some(self.change_panes()),
            Action::Zoom if !self.is_trace() => return Some(self.zoom_beside()),
            _ if self.part() != Part::Side => return None,
            Action::Focus => {
                let stays = self.with(Part::Side, |slot, cx| slot.pane.focus_next(cx))?;
                self.give_keys(stays);
            }
            Action::Back => match self.act_in_part(Part::Side, action) {
                Some(effects) => return Some(effects),
                None => self.give_keys(false),
            },
            _ => return self.tab_beside(action),
        }
        Some(Vec::new())
    }

    fn give_keys(&mut self, to_side: bool) {
        if let Some(side) = self.side_mut() {
            side.has_keys = to_side;
        }
    }

    fn turn_side(&mut self) -> Vec<Effect> {
        if self.size.width < ABREAST {
            let here = self.size.width;
            return self.say(&format!("a second pane needs {ABREAST} columns: here are {here}"));
        }
        self.beside.on ^= true;
        match (self.beside.on, self.is_list()) {
            (false, _) => self.tell("one pane: {side_pane} brings the second back"),
            (true, false) => self.say("two panes wherever there is a list"),
            (true, true) => Vec::new(),
        }
    }

    /// Why nothing stands beside the pane; none when something does.
    pub(super) fn why_no_side(&self) -> Option<&'static str> {
        let why = match self.size.width {
            ..ABREAST => "a second pane needs 160 columns",
            _ if !self.beside.on => "one pane: {side_pane} shows a second one beside lists",
            _ => "nothing stands beside this",
        };
        (!self.has_beside()).then_some(why)
    }

    /// The keys go to the other pane.
    fn change_panes(&mut self) -> Vec<Effect> {
        if let Some(why) = self.why_no_side() {
            return self.tell(why);
        }
        let to_side = self.part() != Part::Side;
        self.give_keys(to_side);
        match self.shown_mut() {
            Some(shown) if to_side && shown.awaits.is_some() => self.wait_no_longer(),
            _ => Vec::new(),
        }
    }

    /// What stands beside the list becomes a place of its own, as it is.
    fn zoom_beside(&mut self) -> Vec<Effect> {
        let Some(shown) = self.side_mut().and_then(|side| side.shown.take()) else {
            return self.say("nothing stands beside this");
        };
        self.give_keys(false);
        let Shown { of, slots, active, .. } = shown;
        let place = Place::new(of.link, self.here(), &mut self.panes, self.places.get(self.at));
        self.enter(Place { tabs: slots, active, ..place })
    }

    /// Changes the tab of what stands beside the list, for what comes after it too.
    fn tab_beside(&mut self, action: Action) -> Option<Vec<Effect>> {
        let shown = self.side()?.shown.as_ref()?;
        let (active, tabs) = (shown.active, shown.slots.len().max(1));
        let to = match action {
            Action::NextTab => (active + 1) % tabs,
            Action::PreviousTab => (active + tabs - 1) % tabs,
            other => tab_of(other)?,
        };
        if to >= tabs {
            return Some(self.say("there is no such tab here"));
        }
        Some(if to == active { Vec::new() } else { self.switch_beside(to) })
    }

    fn switch_beside(&mut self, to: usize) -> Vec<Effect> {
        let left = self.side_mut().and_then(Side::slot_mut).and_then(Slot::leave);
        if let Some(shown) = self.shown_mut() {
            shown.active = to;
        }
        self.beside.kind = self.slot_beside().map_or(self.beside.kind, |slot| slot.kind);
        let mut effects: Vec<Effect> = left.map(Effect::Cancel).into_iter().collect();
        effects.extend(self.wait_no_longer());
        effects
    }

    /// What the footer calls an action that leads from one pane to the other.
    pub(super) fn hint_beside(&self, action: Action) -> Option<&'static str> {
        if self.overlay.is_some() || self.part() != Part::Side {
            return None;
        }
        match action {
            Action::OtherPane => Some("list"),
            Action::Back if !self.is_trace() => Some("list"), // a trace has more to go back from
            Action::Focus => Some("detail, list"),
            _ => None,
        }
    }
}
