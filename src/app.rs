//! The app: a history of places, what lies on top of them, and one function that changes it all.
//!
//! [`App::update`] is synchronous and has no clock, no network and no terminal: what it wants done
//! outside comes back as [`Effect`]s. [`App::view`] only reads.

mod confirm;
mod field;
mod filters;
mod footer;
mod help;
mod layout;
mod mouse;
mod overlay;
mod place;
mod places;
mod print;
mod requests;
mod spot;
mod view;

use std::time::Duration;

use ratatui::layout::Size;

use crate::abi::Book;
use crate::api::{ApiError, Query, Reply};
use crate::chain::Timestamp;
use crate::chain::network::Network;
use crate::chain::subject::{Subject, Target};
use crate::keymap::{Context, Keymap, Lookup};
use crate::msg::{Action, CopyWay, Effect, Key, Msg, Passage, Ticket, Viewer};
use crate::pane::trace::Marked;
use crate::pane::{Confirm, Cx, Kind, Link, Want};
use crate::seen::Seen;
use crate::text::Text;
use crate::ui::theme::Styles;
use field::{Field, Purpose};
use help::Help;
use layout::Regions;
use overlay::Overlay;
use place::{Place, Slot};
use requests::{Inspector, Requests};
pub use spot::Spot;

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
    seen: Seen,
    book: Book,
    marked: Option<Marked>,
    overlay: Option<Overlay>,
    pending: Vec<Key>,
    notice: Option<Text>,
    requests: Requests,
    panes: u32,
    interrupted: bool,
    /// What was copied last, and what it is.
    copied: Option<(&'static str, Text)>,
    /// The user wants the mouse heard.
    mouse: bool,
    /// The terminal was told so.
    captured: bool,
}

/// What the app starts with.
#[derive(Debug)]
pub struct Setup {
    /// The chain that is looked at first.
    pub network: Network,
    /// How everything looks.
    pub styles: Styles,
    /// What keys do.
    pub keymap: Keymap,
    /// Known signatures.
    pub book: Book,
    /// The time.
    pub now: Timestamp,
    /// Whether the mouse is heard from the start.
    pub mouse: bool,
}

/// Which of a place's panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Header,
    Tab(usize),
}

impl App {
    /// The app before it has been shown; [`App::start`] opens the first place.
    pub fn new(setup: Setup) -> Self {
        let Setup { network, styles, keymap, book, now, mouse } = setup;
        Self {
            network,
            styles,
            keymap,
            size: Size::default(),
            now,
            places: Vec::new(),
            at: 0,
            seen: Seen::default(),
            book,
            marked: None,
            overlay: None,
            pending: Vec::new(),
            notice: None,
            requests: Requests::default(),
            panes: 0,
            interrupted: false,
            copied: None,
            mouse,
            captured: false,
        }
    }

    /// Opens the first place: the target's, or the start screen.
    pub fn start(&mut self, size: Size, target: Option<Target>) -> Vec<Effect> {
        self.size = size;
        let mut effects = match target {
            Some(target) => self.visit_target(target),
            None => self.visit(Link::Start),
        };
        self.capture(&mut effects);
        effects
    }

    fn visit_target(&mut self, target: Target) -> Vec<Effect> {
        if target.doubtful {
            self.doubt();
        }
        self.visit(Link::Subject(target.subject))
    }

    fn doubt(&mut self) {
        self.say("the checksum of this address does not match: a digit may be wrong");
    }

    /// What earlier answers said.
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// When the screen changes by itself next, because of the ages on it.
    pub fn beat(&self) -> Option<Duration> {
        let slot = self.place().and_then(|place| place.tabs.get(place.active))?;
        let ages = (slot.kind != Kind::Start).then_some(Duration::from_mins(1));
        slot.pane.beat().or(ages)
    }

    /// Takes in what happened; what is to be done outside comes back.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        let mut effects = self.take_in(msg);
        self.remember(&effects);
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
            Msg::Rang(_) => Vec::new(),
            Msg::Fetched { ticket, query, reply } => self.fetched(ticket, &query, reply),
            Msg::Traced { ticket, news } => {
                self.deliver(ticket, |slot, cx| slot.pane.traced(news, cx))
            }
            Msg::Copied { what, way } => self.copied_by(what, &way),
            Msg::Viewed(outcome) => {
                self.notice = outcome.err();
                Vec::new()
            }
            Msg::Net(news) => self.hear(news),
            Msg::Abis { book, problems } => self.take_abis(*book, &problems),
            Msg::Opened(Ok(())) => self.say("handed to the browser"),
            Msg::Opened(Err(why)) => self.say(&format!("the browser was not started: {why}")),
            Msg::Saving(done, all) => self.say(&format!("writing {done} of {all} lines: ^c stops")),
            Msg::Saved(Ok(words)) => self.say(&words),
            Msg::Saved(Err(why)) => self.say(&format!("not written: {why}")),
        }
    }

    fn copied_by(&mut self, what: &'static str, way: &CopyWay) -> Vec<Effect> {
        let through = match way {
            CopyWay::Clipboard => return self.say(&format!("copied the {what} to the clipboard")),
            CopyWay::Failed(why) => return self.print_failed(what, why),
            CopyWay::Terminal(Passage::Straight) => "",
            CopyWay::Terminal(Passage::Tmux) => " through tmux",
            CopyWay::Terminal(Passage::Screen) => " through GNU screen",
        };
        let words =
            format!("copied the {what} by OSC 52{through} (cannot be confirmed; p prints it)");
        self.say(&words)
    }

    fn place(&self) -> Option<&Place> {
        self.places.get(self.at)
    }

    /// Where keys are looked up, the nearest context first.
    fn contexts(&self) -> Vec<Context> {
        match &self.overlay {
            Some(Overlay::Field(_)) => vec![Context::Field],
            Some(Overlay::Filters(_) | Overlay::Confirm(_)) => vec![Context::Menu],
            Some(Overlay::Requests(_)) => vec![Context::Requests, Context::Everywhere],
            Some(Overlay::Help(_) | Overlay::Print(_)) => vec![Context::Everywhere],
            None => self.contexts_below(),
        }
    }

    /// The contexts of the place itself, whatever lies on top of it.
    fn contexts_below(&self) -> Vec<Context> {
        let own = self.place().and_then(|p| p.tabs.get(p.active)).map(|slot| slot.pane.context());
        let own = own.filter(|context| *context != Context::Everywhere);
        own.into_iter().chain([Context::Everywhere]).collect()
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
            (_, Some(Overlay::Field(field))) => {
                field.type_key(key);
                Vec::new()
            }
            _ => Vec::new(),
        }
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
                Action::GoTo => self.lay_over(Overlay::Field(Field::new(Purpose::GoTo, ""))),
                Action::GoToHex => self.lay_over(Overlay::Field(Field::new(Purpose::GoTo, "0"))),
                Action::Transfers => self.visit(Link::Transfers),
                Action::Instances => self.visit_instances(),
                Action::OpenWeb => self.open_web(),
                Action::CopyCommand => self.copy_command(),
                Action::Pager => self.view_in(Viewer::Pager),
                Action::Editor => self.view_in(Viewer::Editor),
                Action::Help => {
                    self.lay_over(Overlay::Help(Help::new(&self.keymap, &self.contexts_below())))
                }
                Action::Requests => self.lay_over(Overlay::Requests(Inspector::default())),
                _ => match tab_of(action) {
                    Some(tab) => self.switch(tab),
                    None => self.say("that key has no meaning here"),
                },
            });
        }
        if action == Action::Interrupt {
            self.notice = Some("stopped what was under way; ^c again quits".into());
            effects.push(Effect::StopSaving);
        }
        effects
    }

    /// The instances of the token that the viewed address is.
    fn visit_instances(&mut self) -> Vec<Effect> {
        let token = match self.place().map(|place| &place.link) {
            Some(Link::Subject(Subject::Address(token)) | Link::Instances { token, .. }) => *token,
            _ => return self.say("only an address can be a token"),
        };
        self.visit(Link::Instances { token, holder: None })
    }

    /// Asks before the web explorer's page of the place is opened.
    fn open_web(&mut self) -> Vec<Effect> {
        let subject = self.place().and_then(|place| place.link.subject());
        match subject.and_then(|subject| self.network.web_page(&subject)) {
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

    fn lay_over(&mut self, overlay: Overlay) -> Vec<Effect> {
        self.overlay = Some(overlay);
        Vec::new()
    }

    fn regions(&self) -> Regions {
        layout::regions(self.size, self.place())
    }

    fn resize(&mut self, size: Size) -> Vec<Effect> {
        self.size = size;
        if let Some(Overlay::Print(print)) = &mut self.overlay {
            print.lay_out(size);
        }
        let active = self.place().map_or(0, |place| place.active);
        for part in [Part::Header, Part::Tab(active)] {
            self.with(part, |slot, cx| slot.pane.resize(cx));
        }
        Vec::new()
    }

    fn tick(&mut self, now: Timestamp) -> Vec<Effect> {
        self.now = now;
        let Some(part) = self.place().map(|place| Part::Tab(place.active)) else {
            return Vec::new();
        };
        let wants = self.with(part, |slot, cx| slot.pane.tick(cx)).unwrap_or_default();
        self.grant(part, wants)
    }

    fn paste(&mut self, text: &str) -> Vec<Effect> {
        self.notice = None;
        if let Some(Overlay::Field(field)) = &mut self.overlay {
            field.paste(text);
            return Vec::new();
        }
        self.overlay = Some(Overlay::Field(Field::new(Purpose::GoTo, text)));
        self.act_in_overlay(Action::Open)
    }

    /// Learns from an answer, even a late one, and gives it to the pane that waits for it.
    fn fetched(
        &mut self,
        ticket: Ticket,
        query: &Query,
        reply: Result<Reply, ApiError>,
    ) -> Vec<Effect> {
        if let Ok(reply) = &reply {
            self.seen.learn(query, reply);
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
        place.tabs.iter().position(waits).map(Part::Tab)
    }
}

fn tab_of(action: Action) -> Option<usize> {
    let tabs = [Action::Tab1, Action::Tab2, Action::Tab3, Action::Tab4, Action::Tab5];
    tabs.iter().position(|tab| *tab == action)
}
