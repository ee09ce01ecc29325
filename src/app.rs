//! The app: a history of places, what lies on top of them, and one function that changes it all.
//!
//! [`App::update`] is synchronous and has no clock, no network and no terminal: what it wants done
//! outside comes back as [`Effect`]s. [`App::view`] only reads.

mod availability;
mod chain_list;
mod chain_switching;
mod clipboard;
mod confirm;
mod display_settings;
mod filters;
mod help;
mod history;
mod input;
mod layout;
mod location;
mod mouse;
mod name_resolution;
mod navigation;
mod overlay;
mod overlays;
mod palette;
mod picker;
mod plain_text_view;
mod prompt;
mod request_log;
mod split_view;
mod startup;
mod status_line;
mod tab;
mod text_input;
mod title;
mod user_data;
mod view;
mod which_key;

use std::time::Duration;

use ratatui::layout::Size;

use crate::api::{ApiError, Query, Reply};
use crate::app::split_view::state::{Habit, Side};
use crate::chain::Timestamp;
use crate::chain::chains::Chains;
use crate::chain::target::{Subject, Target};
use crate::keymap::Keymap;
use crate::msg::{Action, Alarm, ChainIndex, Effect, Key, Msg, Ticket, Viewer};
use crate::name_cache::Seen;
use crate::pane::{Confirm, Cx, Kind, Link, Want};
use crate::sanitize::Text;
use crate::ui::number_format::Notation;
use crate::ui::theme::Styles;
use chain_switching::Visited;
use help::Help;
use history::Place;
use layout::Regions;
pub use location::Spot;
use mouse::Pointer;
use overlay::Overlay;
use prompt::{Field, Purpose};
use request_log::{Inspector, Requests};
pub use startup::Setup;
use tab::Slot;
use which_key::Hinting;

/// Everything the program knows between two messages.
#[derive(Debug)]
pub struct App {
    visited: Visited,
    chains: Chains,
    /// Where to go when its chain's explorer can be asked.
    awaited: Option<(ChainIndex, Link)>,
    styles: Styles,
    light: Option<Styles>,
    ascii: bool,
    notation: Notation,
    keymap: Keymap,
    size: Size,
    now: Timestamp,
    places: Vec<Place>,
    at: usize,
    overlay: Option<Overlay>,
    pending: Vec<Key>,
    hinting: Hinting,
    notice: Option<Text>,
    requests: Requests,
    /// Actions that were picked in the palette, the last one first.
    used: Vec<Action>,
    panes: u32,
    interrupted: bool,
    beside: Habit,
    /// Whether it is remembered which places were visited.
    recent: bool,
    /// What was copied last, and what it is.
    copied: Option<(&'static str, Text)>,
    pointer: Pointer,
}

/// Which of a place's panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Header,
    Tab(usize),
    /// What stands beside the tab.
    Side,
}

impl App {
    fn visit_target(&mut self, target: Target) -> Vec<Effect> {
        self.doubt(target.doubtful);
        self.visit(Link::Subject(target.subject))
    }

    fn doubt(&mut self, is_doubtful: bool) {
        if is_doubtful {
            self.say("the checksum of this address does not match: a digit may be wrong");
        }
    }

    /// What earlier answers said of the chain that is looked at.
    pub fn seen(&self) -> &Seen {
        &self.chain().seen
    }

    /// What is said on the bottom line now.
    pub fn notice(&self) -> Option<&Text> {
        self.notice.as_ref()
    }

    /// When the screen changes by itself next, because of the ages on it.
    pub fn beat(&self) -> Option<Duration> {
        let slot = self.place().and_then(|place| place.tabs.get(place.active))?;
        let ages = (slot.kind != Kind::Start).then_some(Duration::from_mins(1));
        let beside = self.slot_beside().and_then(|slot| slot.pane.beat());
        slot.pane.beat().into_iter().chain(beside).min().or(ages)
    }

    /// Takes in what happened; what is to be done outside comes back.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        let mut effects = self.take_in(msg);
        effects.extend(self.keep_beside());
        self.note_copies(&effects);
        self.capture(&mut effects);
        effects
    }

    fn take_in(&mut self, msg: Msg) -> Vec<Effect> {
        match msg {
            Msg::Key(key) => self.key(key),
            Msg::Mouse(mouse) => self.take_mouse(mouse),
            Msg::Paste(text) => self.paste(&text),
            Msg::Resized(size) => self.resize(size),
            Msg::Tick(now) => self.tick(now),
            Msg::Rang(Alarm::Side(alarm)) => self.rung_beside(alarm),
            Msg::Background(background) => self.fit_background(background),
            Msg::Rang(Alarm::Chord(begun)) => self.hint(begun),
            Msg::Fetched { ticket, query, reply } => self.fetched(ticket, &query, reply),
            Msg::Traced { ticket, news } => {
                self.deliver(ticket, |slot, cx| slot.pane.traced(news, cx))
            }
            Msg::Net(chain, news) => self.hear(chain, news),
            Msg::Connected { chain, ready } => self.connected(chain, ready),
            Msg::Abis { book, problems } => self.take_abis(&book, &problems),
            Msg::Labels { key, labels } => self.take_labels(&key, labels),
            Msg::Visits { key, visits } => self.take_visits(&key, &visits),
            Msg::Copied { what, way } => self.copied_by(what, &way),
            Msg::Viewed(outcome) => {
                self.notice = outcome.err();
                Vec::new()
            }
            Msg::Opened(Ok(())) => self.say("handed to the browser"),
            Msg::Opened(Err(why)) => self.say(&format!("the browser was not started: {why}")),
            Msg::Saving(done, all) => self.say(&format!(
                "writing {done} of {all} lines: {}",
                self.keys().sentence("{interrupt} stops")
            )),
            Msg::Saved(Ok(words)) => self.say(&words),
            Msg::Saved(Err(why)) => self.say(&format!("not written: {why}")),
        }
    }

    fn place(&self) -> Option<&Place> {
        self.places.get(self.at)
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        let again = std::mem::take(&mut self.interrupted);
        self.interrupted = action == Action::Interrupt;
        match action {
            Action::Quit => vec![Effect::Quit],
            Action::Interrupt if again => vec![Effect::Quit],
            Action::Suspend => vec![Effect::Suspend],
            Action::Redraw => vec![Effect::Redraw],
            Action::Mouse => self.turn_mouse(),
            Action::Print if !matches!(self.overlay, Some(Overlay::Print(_))) => self.print(),
            _ if self.overlay.is_some() => self.act_in_overlay(action),
            _ => self.act_in_place(action),
        }
    }

    fn act_in_place(&mut self, action: Action) -> Vec<Effect> {
        let Some(place) = self.place() else { return Vec::new() };
        let active = place.active;
        let why_not = self.why_idle(action);
        let mut effects = Vec::new();
        let part = self.part();
        let others: &[Part] = match action {
            Action::Interrupt => &[Part::Header, Part::Tab(active), Part::Side],
            Action::Refresh if part != Part::Side => &[Part::Header],
            _ => &[],
        };
        for other in others.iter().filter(|other| **other != part) {
            effects.extend(self.act_in_part(*other, action).unwrap_or_default());
        }
        if let Some(more) = self.act_beside(action) {
            effects.extend(more);
        } else if let Some(more) = self.act_in_part(part, action) {
            effects.extend(more);
        } else {
            effects.extend(self.act_in_app(action, why_not));
        }
        if action == Action::Refresh {
            effects.extend(self.read_own());
        }
        if action == Action::Interrupt {
            self.tell("stopped what was under way; {interrupt} again quits");
            effects.push(Effect::StopSaving);
        }
        if let Some(why) = why_not.filter(|_| effects.is_empty() && self.notice.is_none()) {
            self.tell(why);
        }
        effects
    }

    /// Does what no pane does.
    fn act_in_app(&mut self, action: Action, why_not: Option<&'static str>) -> Vec<Effect> {
        let (active, tabs) = self.place().map_or((0, 0), |place| (place.active, place.tabs.len()));
        match action {
            Action::Back if self.at == 0 => self.tell("this is the first view: {close} quits"),
            Action::HistoryForward => self.walk(1),
            Action::Close if self.at == 0 => vec![Effect::Quit],
            Action::Back | Action::HistoryBack | Action::Close => self.walk(-1),
            Action::NextTab => self.switch((active + 1) % tabs.max(1)),
            Action::PreviousTab => self.switch((active + tabs.max(1) - 1) % tabs.max(1)),
            Action::GoTo => self.lay_over(Overlay::Field(Field::new(Purpose::GoTo, ""))),
            Action::GoToHex => self.lay_over(Overlay::Field(Field::new(Purpose::GoTo, "0"))),
            Action::Transfers => self.visit(Link::Transfers),
            Action::Instances => self.visit_instances(),
            Action::OpenWeb => self.open_web(),
            // The user's own files are, whatever there is.
            Action::Refresh => {
                self.say("your names are read again; nothing else is asked for here")
            }
            Action::Chains => self.open_chains(),
            Action::Label => self.name_address(),
            Action::Watch => self.watch_address(),
            Action::NextUnit => self.next_unit(),
            Action::NextTimes => self.next_times(),
            Action::CopyCommand => self.copy_command(),
            Action::Pager => self.view_in(Viewer::Pager),
            Action::Editor => self.view_in(Viewer::Editor),
            Action::Help => {
                self.lay_over(Overlay::Help(Help::new(&self.keymap, &self.contexts_below())))
            }
            Action::Palette => self.open_palette(),
            Action::Requests => self.lay_over(Overlay::Requests(Inspector::default())),
            _ => match tab_of(action) {
                Some(tab) => self.switch(tab),
                None => self.tell(why_not.unwrap_or("nothing here does that")),
            },
        }
    }

    /// The instances of the token that the viewed address is.
    fn visit_instances(&mut self) -> Vec<Effect> {
        let token = match self.link() {
            Some(Link::Subject(Subject::Address(token)) | Link::Instances { token, .. }) => *token,
            _ => return self.say("only an address can be a token"),
        };
        self.visit(Link::Instances { token, holder: None })
    }

    /// Asks before the web explorer's page of the place is opened.
    fn open_web(&mut self) -> Vec<Effect> {
        let subject = self.link().and_then(Link::subject);
        match subject.and_then(|subject| self.chain().network.web_page(&subject)) {
            Some(url) => self.lay_over(Overlay::Confirm(Confirm::open(url))),
            None => self.say("there is no web explorer's page of this"),
        }
    }

    fn act_in_part(&mut self, part: Part, action: Action) -> Option<Vec<Effect>> {
        let wants = self.with(part, |slot, cx| slot.pane.act(action, cx))??;
        Some(self.grant(part, wants))
    }

    fn say(&mut self, text: &str) -> Vec<Effect> {
        self.notice = Some(text.into());
        Vec::new()
    }

    /// Says a sentence that may name keys, as in [`Keys::sentence`](crate::keymap::key_hints::Keys::sentence).
    fn tell(&mut self, words: &'static str) -> Vec<Effect> {
        self.say(&self.keys().sentence(words))
    }

    fn lay_over(&mut self, overlay: Overlay) -> Vec<Effect> {
        self.overlay = Some(overlay);
        Vec::new()
    }

    fn regions(&self) -> Regions {
        layout::regions(self.size, self.place())
    }

    fn resize(&mut self, size: Size) -> Vec<Effect> {
        self.size = size;
        let effects = self.make_room();
        if let Some(Overlay::Print(print)) = &mut self.overlay {
            print.lay_out(size);
        }
        let active = self.place().map_or(0, |place| place.active);
        for part in [Part::Header, Part::Tab(active), Part::Side] {
            self.with(part, |slot, cx| slot.pane.resize(cx));
        }
        effects
    }

    fn tick(&mut self, now: Timestamp) -> Vec<Effect> {
        self.now = now;
        let Some(tab) = self.place().map(|place| Part::Tab(place.active)) else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        for part in [tab, Part::Side] {
            let wants = self.with(part, |slot, cx| slot.pane.tick(cx)).unwrap_or_default();
            effects.extend(self.grant(part, wants));
        }
        effects
    }

    fn paste(&mut self, text: &str) -> Vec<Effect> {
        self.notice = None;
        if let Some(Overlay::Field(field)) = &mut self.overlay {
            field.paste(text);
            return self.give_up();
        }
        if let Some(Overlay::Picker(picker, _)) = &mut self.overlay {
            picker.paste(text);
            self.sift();
            return Vec::new();
        }
        self.go_to_pasted(text)
    }

    /// Learns from an answer, even a late one, and gives it to the pane that waits for it.
    fn fetched(
        &mut self,
        ticket: Ticket,
        query: &Query,
        reply: Result<Reply, ApiError>,
    ) -> Vec<Effect> {
        if let Ok(reply) = &reply {
            self.visited.at_mut(ticket.chain).seen.learn(query, reply);
        }
        if let Some(effects) = self.resolved(ticket, &reply) {
            return effects;
        }
        self.deliver(ticket, |slot, cx| slot.pane.reply(query, reply, cx))
    }

    /// Gives something to the pane that waits for it; what nobody waits for is dropped.
    fn deliver(
        &mut self,
        ticket: Ticket,
        give: impl FnOnce(&mut Slot, &Cx<'_>) -> Vec<Want>,
    ) -> Vec<Effect> {
        let Some(part) = self.waiting(ticket) else { return Vec::new() };
        let wants = self.with(part, give).unwrap_or_default();
        self.grant(part, wants)
    }

    /// The pane of the present place that asked, unless it has begun anew since.
    fn waiting(&self, ticket: Ticket) -> Option<Part> {
        let place = self.place()?;
        let waits = |slot: &Slot| slot.id == ticket.pane && slot.pane.epoch() == ticket.epoch;
        if place.header.as_ref().is_some_and(waits) {
            return Some(Part::Header);
        }
        if place.side.as_ref().and_then(Side::slot).is_some_and(waits) {
            return Some(Part::Side);
        }
        place.tabs.iter().position(waits).map(Part::Tab)
    }
}

fn tab_of(action: Action) -> Option<usize> {
    let tabs = [Action::Tab1, Action::Tab2, Action::Tab3, Action::Tab4, Action::Tab5];
    tabs.iter().position(|tab| *tab == action)
}
