//! The app: a history of places, what lies on top of them, and one function that changes it all.
//!
//! [`App::update`] is synchronous and has no clock, no network and no terminal: what it wants done
//! outside comes back as [`Effect`]s. [`App::view`] only reads.

mod footer;
mod goto;
mod help;
mod layout;
mod place;
mod view;

use std::time::Duration;

use ratatui::layout::Size;

use crate::api::{ApiError, Query, Reply};
use crate::chain::Timestamp;
use crate::chain::network::Network;
use crate::chain::subject::Subject;
use crate::keymap::{Context, Keymap, Lookup};
use crate::msg::{Action, CopyWay, Effect, Key, Msg, Ticket};
use crate::pane::{Cx, Kind, Link, Want};
use crate::text::Text;
use crate::ui::theme::Styles;
use goto::GoTo;
use help::Help;
use layout::Regions;
use place::{Place, Slot};

/// Places that can be gone back to. Each holds its rows, so the number bounds the memory.
const HISTORY: usize = 32;

/// Everything the program knows between two messages.
#[derive(Debug)]
pub struct App {
    network: Network,
    styles: Styles,
    keymap: Keymap,
    size: Size,
    now: Timestamp,
    places: Vec<Place>,
    at: usize,
    overlay: Option<Overlay>,
    pending: Vec<Key>,
    notice: Option<Text>,
    panes: u32,
    interrupted: bool,
}

/// Something on top of the place.
#[derive(Debug)]
enum Overlay {
    GoTo(GoTo),
    Help(Help),
}

/// Which of a place's panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Header,
    Tab(usize),
}

impl App {
    /// The app before it has been shown; [`App::start`] opens the first place.
    pub fn new(network: Network, styles: Styles, keymap: Keymap, now: Timestamp) -> Self {
        Self {
            network,
            styles,
            keymap,
            size: Size::default(),
            now,
            places: Vec::new(),
            at: 0,
            overlay: None,
            pending: Vec::new(),
            notice: None,
            panes: 0,
            interrupted: false,
        }
    }

    /// Opens the first place: the target's, or the start screen.
    pub fn start(&mut self, size: Size, target: Option<Subject>) -> Vec<Effect> {
        self.size = size;
        self.visit(target.map_or(Link::Start, Link::Subject))
    }

    /// When the screen changes by itself next, because of the ages on it.
    pub fn beat(&self) -> Option<Duration> {
        let ages = self.place().is_some_and(|p| p.tabs.iter().any(|slot| slot.kind != Kind::Start));
        ages.then_some(Duration::from_mins(1))
    }

    /// Takes in what happened; what is to be done outside comes back.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        match msg {
            Msg::Key(key) => self.key(key),
            Msg::Paste(text) => self.paste(&text),
            Msg::Resized(size) => self.resize(size),
            Msg::Tick(now) => {
                self.now = now;
                Vec::new()
            }
            Msg::Fetched { ticket, query, reply } => self.fetched(ticket, &query, reply),
            Msg::Copied { what, way } => {
                self.notice = Some(match way {
                    CopyWay::Clipboard => Text::new(&format!("copied the {what} to the clipboard")),
                    CopyWay::Terminal => {
                        Text::new(&format!("copied the {what} by OSC 52 (cannot be confirmed)"))
                    }
                    CopyWay::Failed(why) => Text::new(&format!("the {what} was not copied: {why}")),
                });
                Vec::new()
            }
        }
    }

    fn place(&self) -> Option<&Place> {
        self.places.get(self.at)
    }

    /// Where keys are looked up, the nearest context first.
    fn contexts(&self) -> Vec<Context> {
        match &self.overlay {
            Some(Overlay::GoTo(_)) => vec![Context::Field],
            Some(Overlay::Help(_)) => vec![Context::Everywhere],
            None => {
                let own =
                    self.place().and_then(|p| p.tabs.get(p.active)).map(|slot| slot.pane.context());
                let own = own.filter(|context| *context != Context::Everywhere);
                own.into_iter().chain([Context::Everywhere]).collect()
            }
        }
    }

    fn key(&mut self, key: Key) -> Vec<Effect> {
        if key.alt {
            // Nothing is bound to Alt, so it was Esc and then the key.
            return [self.key(Key::ESC), self.key(Key { alt: false, ..key })].concat();
        }
        self.notice = None;
        let contexts = self.contexts();
        self.pending.push(key);
        let meaning = self.keymap.lookup(&contexts, &self.pending);
        if meaning == Lookup::Prefix {
            return Vec::new();
        }
        self.pending.clear();
        match (meaning, &mut self.overlay) {
            (Lookup::Action(action), _) => self.act(action),
            (_, Some(Overlay::GoTo(goto))) => {
                goto.type_key(key);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        let again = std::mem::take(&mut self.interrupted);
        match action {
            Action::Quit => return vec![Effect::Quit],
            Action::Interrupt if again => return vec![Effect::Quit],
            Action::Suspend => return vec![Effect::Suspend],
            Action::Redraw => return vec![Effect::Redraw],
            _ => {}
        }
        match &mut self.overlay {
            Some(Overlay::GoTo(_)) => self.act_in_goto(action),
            Some(Overlay::Help(help)) => {
                if !help.act(action, self.size) {
                    self.overlay = None;
                }
                Vec::new()
            }
            None => self.act_in_place(action),
        }
    }

    fn act_in_goto(&mut self, action: Action) -> Vec<Effect> {
        let Some(Overlay::GoTo(goto)) = &mut self.overlay else { return Vec::new() };
        if action != Action::Open {
            self.overlay = None;
            return Vec::new();
        }
        match goto.target(&self.network) {
            Ok(subject) => {
                self.overlay = None;
                self.visit(Link::Subject(subject))
            }
            Err(why) => {
                goto.refuse(why);
                Vec::new()
            }
        }
    }

    fn act_in_place(&mut self, action: Action) -> Vec<Effect> {
        let Some(place) = self.place() else { return Vec::new() };
        let (active, tabs) = (place.active, place.tabs.len());
        let mut effects = Vec::new();
        if matches!(action, Action::Refresh | Action::Interrupt) {
            effects.extend(self.act_in_part(Part::Header, action).unwrap_or_default());
        }
        if let Some(more) = self.act_in_part(Part::Tab(active), action) {
            effects.extend(more);
        } else {
            effects.extend(match action {
                Action::Back if self.at == 0 => self.say("this is the first view: q quits"),
                Action::HistoryForward => self.walk(1),
                Action::Close if self.at == 0 => vec![Effect::Quit],
                Action::Back | Action::HistoryBack | Action::Close => self.walk(-1),
                Action::NextTab => self.switch((active + 1) % tabs.max(1)),
                Action::PreviousTab => self.switch((active + tabs.max(1) - 1) % tabs.max(1)),
                Action::GoTo => self.lay_over(Overlay::GoTo(GoTo::default())),
                Action::GoToHex => self.lay_over(Overlay::GoTo(GoTo::with("0"))),
                Action::Help => self.lay_over(Overlay::Help(Help::default())),
                _ => tab_of(action).map_or(Vec::new(), |tab| self.switch(tab)),
            });
        }
        if action == Action::Interrupt {
            self.interrupted = true;
            self.notice = Some("stopped what was loading; ^c again quits".into());
        }
        effects
    }

    fn act_in_part(&mut self, part: Part, action: Action) -> Option<Vec<Effect>> {
        let wants = self.with(part, |slot, cx| slot.pane.act(action, cx))??;
        Some(self.grant(part, wants))
    }

    /// Does what a pane of the present place wants.
    fn grant(&mut self, part: Part, wants: Vec<Want>) -> Vec<Effect> {
        let Some((id, epoch)) = self.with(part, |slot, _| (slot.id, slot.pane.epoch())) else {
            return Vec::new();
        };
        let ticket = Ticket { pane: id, epoch };
        let mut effects = Vec::new();
        for want in wants {
            match want {
                Want::Ask(query, cursor) => effects.push(Effect::Fetch { ticket, query, cursor }),
                Want::Drop => effects.push(Effect::Cancel(id)),
                Want::Copy(what, text) => effects.push(Effect::Copy { what, text }),
                Want::Say(text) => self.notice = Some(text),
                Want::Follow(link) => effects.extend(self.visit(link)),
            }
        }
        effects
    }

    fn say(&mut self, text: &str) -> Vec<Effect> {
        self.notice = Some(text.into());
        Vec::new()
    }

    fn lay_over(&mut self, overlay: Overlay) -> Vec<Effect> {
        self.overlay = Some(overlay);
        Vec::new()
    }

    /// Goes to a new place; what was ahead in the history is forgotten.
    fn visit(&mut self, link: Link) -> Vec<Effect> {
        let mut effects = self.leave();
        self.places.truncate(self.at + 1);
        if self.places.len() == HISTORY {
            self.places.remove(0);
        }
        self.places.push(Place::new(link, &mut self.panes));
        self.at = self.places.len() - 1;
        effects.extend(self.look());
        effects
    }

    /// Goes through the history.
    fn walk(&mut self, by: isize) -> Vec<Effect> {
        let Some(to) = self.at.checked_add_signed(by).filter(|to| *to < self.places.len()) else {
            return self.say(if by < 0 { "nothing before this" } else { "nothing after this" });
        };
        let mut effects = self.leave();
        self.at = to;
        effects.extend(self.look());
        effects
    }

    fn switch(&mut self, tab: usize) -> Vec<Effect> {
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
    fn leave(&mut self) -> Vec<Effect> {
        let Some(place) = self.places.get_mut(self.at) else { return Vec::new() };
        let slots = place.header.iter_mut().chain(place.tabs.get_mut(place.active));
        slots.filter_map(Slot::leave).map(Effect::Cancel).collect()
    }

    /// The present place comes into sight.
    fn look(&mut self) -> Vec<Effect> {
        let tab = Part::Tab(self.place().map_or(0, |place| place.active));
        [self.look_at(tab), self.look_at(Part::Header)].concat()
    }

    fn look_at(&mut self, part: Part) -> Vec<Effect> {
        let wants = self.with(part, |slot, cx| slot.pane.look(cx)).unwrap_or_default();
        self.grant(part, wants)
    }

    /// Calls a pane of the present place with its surroundings.
    fn with<R>(&mut self, part: Part, call: impl FnOnce(&mut Slot, &Cx<'_>) -> R) -> Option<R> {
        let regions = self.regions();
        let cx = Cx {
            area: if part == Part::Header { regions.header } else { regions.body },
            now: self.now,
            network: &self.network,
            styles: &self.styles,
        };
        let place = self.places.get_mut(self.at)?;
        let slot = match part {
            Part::Header => place.header.as_mut(),
            Part::Tab(tab) => place.tabs.get_mut(tab),
        };
        slot.map(|slot| call(slot, &cx))
    }

    fn regions(&self) -> Regions {
        layout::regions(self.size, self.place())
    }

    fn resize(&mut self, size: Size) -> Vec<Effect> {
        self.size = size;
        let active = self.place().map_or(0, |place| place.active);
        for part in [Part::Header, Part::Tab(active)] {
            self.with(part, |slot, cx| slot.pane.resize(cx));
        }
        Vec::new()
    }

    fn paste(&mut self, text: &str) -> Vec<Effect> {
        self.notice = None;
        if let Some(Overlay::GoTo(goto)) = &mut self.overlay {
            goto.paste(text);
            return Vec::new();
        }
        self.overlay = Some(Overlay::GoTo(GoTo::with(text)));
        self.act_in_goto(Action::Open)
    }

    /// Gives an answer to the pane that waits for it; one that nobody waits for is dropped.
    fn fetched(
        &mut self,
        ticket: Ticket,
        query: &Query,
        reply: Result<Reply, ApiError>,
    ) -> Vec<Effect> {
        let waiting = |slot: &Slot| slot.id == ticket.pane && slot.pane.epoch() == ticket.epoch;
        let Some(place) = self.place() else { return Vec::new() };
        let part = if place.header.as_ref().is_some_and(waiting) {
            Part::Header
        } else {
            match place.tabs.iter().position(waiting) {
                Some(tab) => Part::Tab(tab),
                None => return Vec::new(),
            }
        };
        let wants =
            self.with(part, |slot, cx| slot.pane.reply(query, reply, cx)).unwrap_or_default();
        self.grant(part, wants)
    }
}

fn tab_of(action: Action) -> Option<usize> {
    let tabs = [Action::Tab1, Action::Tab2, Action::Tab3, Action::Tab4, Action::Tab5];
    tabs.iter().position(|tab| *tab == action)
}
