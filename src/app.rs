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
use crate::app::split_view::state::{SplitPane, SplitSettings};
use url::Url;

use crate::chain::chains::Chains;
use crate::chain::target::{Target, TargetKind};
use crate::chain::{Address, Timestamp};
use crate::keymap::Keymap;
use crate::msg::{Action, ChainIndex, Effect, ExternalTool, Key, Msg, Ticket, Timer};
use crate::name_cache::NameCache;
use crate::pane::{Availability, Command, Confirmation, PaneContext, PaneEvent, PaneKind, Route};
use crate::sanitize::SafeText;
use crate::ui::number_format::FormatOptions;
use crate::ui::theme::Styles;
use chain_switching::ChainSessions;
use help::HelpView;
use history::HistoryEntry;
use layout::ScreenLayout;
pub use location::Location;
use mouse::MouseState;
use overlay::Overlay;
use prompt::{PromptKind, PromptState};
use request_log::{RequestLog, RequestLogView};
pub use startup::Setup;
use tab::Tab;
use which_key::WhichKey;

/// Everything the program knows between two messages.
#[derive(Debug)]
pub struct App {
    sessions: ChainSessions,
    chains: Chains,
    /// Where to go when its chain's explorer can be asked.
    pending_route: Option<(ChainIndex, Route)>,
    styles: Styles,
    light_styles: Option<Styles>,
    ascii: bool,
    format: FormatOptions,
    keymap: Keymap,
    size: Size,
    now: Timestamp,
    history: Vec<HistoryEntry>,
    current: usize,
    overlay: Option<Overlay>,
    pending_keys: Vec<Key>,
    which_key: WhichKey,
    notice: Option<SafeText>,
    request_log: RequestLog,
    /// Actions that were picked in the palette, the last one first.
    palette_history: Vec<Action>,
    next_pane_id: u32,
    was_interrupted: bool,
    split_settings: SplitSettings,
    /// Whether it is remembered which places were visited.
    records_recents: bool,
    /// What was copied last, and what it is.
    last_copied: Option<(&'static str, SafeText)>,
    mouse: MouseState,
}

/// Which of a place's panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PaneSlot {
    Header,
    Tab(usize),
    /// What stands beside the tab.
    Preview,
}

impl App {
    fn open_target(&mut self, target: Target) -> Vec<Effect> {
        self.warn_checksum(target.checksum_mismatch);
        self.navigate(Route::Target(target.kind))
    }

    fn warn_checksum(&mut self, is_doubtful: bool) {
        if is_doubtful {
            self.notify("the checksum of this address does not match: a digit may be wrong");
        }
    }

    /// What earlier answers said of the chain that is looked at.
    pub fn name_cache(&self) -> &NameCache {
        &self.session().name_cache
    }

    /// What is said on the bottom line now.
    pub fn notice(&self) -> Option<&SafeText> {
        self.notice.as_ref()
    }

    /// When the screen changes by itself next, because of the ages on it.
    pub fn tick_interval(&self) -> Option<Duration> {
        let slot = self.current_entry().and_then(|place| place.tabs.get(place.active))?;
        let ages = (slot.kind != PaneKind::Start).then_some(Duration::from_mins(1));
        let beside = self.preview_tab().and_then(|slot| slot.pane.state().tick_interval);
        slot.pane.state().tick_interval.into_iter().chain(beside).min().or(ages)
    }

    /// Takes in what happened; what is to be done outside comes back.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        let mut effects = self.handle(msg);
        effects.extend(self.sync_preview());
        self.track_copies(&effects);
        self.sync_mouse_capture(&mut effects);
        effects
    }

    fn handle(&mut self, msg: Msg) -> Vec<Effect> {
        match msg {
            Msg::Key(key) => self.on_key(key),
            Msg::Mouse(mouse) => self.on_mouse(mouse),
            Msg::Paste(text) => self.on_paste(&text),
            Msg::Resized(size) => self.on_resize(size),
            Msg::Tick(now) => self.on_tick(now),
            Msg::TimerFired(Timer::Preview(alarm)) => self.on_preview_timer(alarm),
            Msg::Background(background) => self.apply_background(background),
            Msg::TimerFired(Timer::WhichKey(begun)) => self.on_which_key_timer(begun),
            Msg::Fetched { ticket, query, reply } => self.on_fetched(ticket, &query, reply),
            Msg::TraceUpdate { ticket, news } => self.deliver_reply(ticket, PaneEvent::Trace(news)),
            Msg::Network(chain, news) => self.on_network_event(chain, news),
            Msg::Connected { chain, ready } => self.on_connected(chain, ready),
            Msg::AbisLoaded { book, problems } => self.on_abis_loaded(&book, &problems),
            Msg::LabelsLoaded { key, labels } => self.on_labels_loaded(&key, labels),
            Msg::RecentsLoaded { key, visits } => self.on_recents_loaded(&key, &visits),
            Msg::Copied { what, way } => self.on_copied(what, &way),
            Msg::ViewerClosed(outcome) => {
                self.notice = outcome.err();
                Vec::new()
            }
            Msg::BrowserOpened(Ok(())) => self.notify("handed to the browser"),
            Msg::BrowserOpened(Err(why)) => {
                self.notify(&format!("the browser was not started: {why}"))
            }
            Msg::SaveProgress(done, all) => self.notify(&format!(
                "writing {done} of {all} lines: {}",
                self.pane_keys().expand("{interrupt} stops")
            )),
            Msg::Saved(Ok(words)) => self.notify(&words),
            Msg::Saved(Err(why)) => self.notify(&format!("not written: {why}")),
        }
    }

    fn current_entry(&self) -> Option<&HistoryEntry> {
        self.history.get(self.current)
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        let again = std::mem::take(&mut self.was_interrupted);
        self.was_interrupted = action == Action::Interrupt;
        match action {
            Action::Quit => vec![Effect::Quit],
            Action::Interrupt if again => vec![Effect::Quit],
            Action::Suspend => vec![Effect::Suspend],
            Action::Redraw => vec![Effect::Redraw],
            Action::Mouse => self.toggle_mouse(),
            Action::Print if !matches!(self.overlay, Some(Overlay::PlainText(_))) => {
                self.open_plain_text()
            }
            _ if self.overlay.is_some() => self.act_in_overlay(action),
            _ => self.act_in_page(action),
        }
    }

    fn act_in_page(&mut self, action: Action) -> Vec<Effect> {
        let refusal = self.refusal(action);
        let mut effects = self.broadcast(action);
        match refusal {
            Some(reason) => effects.extend(self.notify_with_keys(reason)),
            None => effects.extend(self.dispatch(action)),
        }
        if action == Action::Refresh {
            effects.extend(self.load_user_data());
        }
        if action == Action::Interrupt {
            self.notify_with_keys("stopped what was under way; {interrupt} again quits");
            effects.push(Effect::StopSaving);
        }
        effects
    }

    /// Carries out an action in the panes other than the focused one that take part in it.
    fn broadcast(&mut self, action: Action) -> Vec<Effect> {
        let tab = PaneSlot::Tab(self.current_entry().map_or(0, |entry| entry.active));
        let focused = self.focused_slot();
        let slots: &[PaneSlot] = match action {
            Action::Interrupt => &[PaneSlot::Header, tab, PaneSlot::Preview],
            Action::Refresh if focused != PaneSlot::Preview => &[PaneSlot::Header],
            _ => &[],
        };
        let mut effects = Vec::new();
        for slot in slots.iter().filter(|slot| **slot != focused) {
            if self.pane_availability(*slot, action) == Availability::Enabled {
                effects.extend(self.act_in_slot(*slot, action));
            }
        }
        effects
    }

    /// Carries out an action that is available, in the first part of the app that has it.
    fn dispatch(&mut self, action: Action) -> Vec<Effect> {
        let slot = self.focused_slot();
        if self.split_availability(action) == Availability::Enabled {
            self.act_on_split(action)
        } else if self.pane_availability(slot, action) == Availability::Enabled {
            self.act_in_slot(slot, action)
        } else {
            self.act_in_app(action)
        }
    }

    /// Carries out an action that belongs to no pane.
    fn act_in_app(&mut self, action: Action) -> Vec<Effect> {
        let (active, tabs) =
            self.current_entry().map_or((0, 1), |entry| (entry.active, entry.tabs.len().max(1)));
        match action {
            Action::HistoryForward => self.go_history(1),
            Action::Close if self.current == 0 => vec![Effect::Quit],
            Action::Back if self.focused_slot() == PaneSlot::Preview => self.set_focus(false),
            Action::Back | Action::HistoryBack | Action::Close => self.go_history(-1),
            Action::NextTab => self.switch_tab((active + 1) % tabs),
            Action::PreviousTab => self.switch_tab((active + tabs - 1) % tabs),
            Action::GoTo => self.open_go_to(""),
            Action::GoToHex => self.open_go_to("0"),
            Action::Transfers => self.navigate(Route::Transfers),
            Action::Instances => self.open_instances(),
            Action::OpenWeb => self.open_web(),
            // Labels and recents are reloaded in any view.
            Action::Refresh => {
                self.notify("your names are read again; nothing else is asked for here")
            }
            Action::Chains => self.open_chains(),
            Action::Label => self.prompt_for_label(),
            Action::Watch => self.toggle_watch(),
            Action::NextUnit => self.next_unit(),
            Action::NextTimes => self.next_times(),
            Action::CopyCommand => self.copy_command(),
            Action::Pager => self.open_external(ExternalTool::Pager),
            Action::Editor => self.open_external(ExternalTool::Editor),
            Action::Help => self.open_overlay(Overlay::Help(HelpView::new(
                &self.keymap,
                &self.pane_key_contexts(),
            ))),
            Action::Palette => self.open_palette(),
            Action::Requests => self.open_overlay(Overlay::RequestLog(RequestLogView::default())),
            _ => tab_index(action).map(|tab| self.switch_tab(tab)).unwrap_or_default(),
        }
    }

    fn open_go_to(&mut self, text: &str) -> Vec<Effect> {
        self.open_overlay(Overlay::Prompt(PromptState::new(PromptKind::GoTo, text)))
    }

    /// The token that the focused address or list is about.
    fn focused_token(&self) -> Option<Address> {
        match self.focused_route()? {
            Route::Target(TargetKind::Address(token)) | Route::Instances { token, .. } => {
                Some(*token)
            }
            _ => None,
        }
    }

    fn open_instances(&mut self) -> Vec<Effect> {
        let Some(token) = self.focused_token() else { return Vec::new() };
        self.navigate(Route::Instances { token, holder: None })
    }

    /// The page of the web explorer about what is focused.
    fn web_page(&self) -> Option<Url> {
        let target = self.focused_route().and_then(Route::target)?;
        self.session().network.web_page(&target)
    }

    /// Asks before the browser is opened.
    fn open_web(&mut self) -> Vec<Effect> {
        let Some(url) = self.web_page() else { return Vec::new() };
        self.open_overlay(Overlay::Confirm(Confirmation::open(url)))
    }

    fn act_in_slot(&mut self, slot: PaneSlot, action: Action) -> Vec<Effect> {
        self.run_in_pane(slot, |tab, cx| tab.pane.act(action, cx))
    }

    /// Lets a pane of the current page do something, and carries out its commands.
    fn run_in_pane(
        &mut self,
        slot: PaneSlot,
        call: impl FnOnce(&mut Tab, &PaneContext<'_>) -> Vec<Command>,
    ) -> Vec<Effect> {
        let commands = self.with_pane(slot, call).unwrap_or_default();
        self.apply_commands(slot, commands)
    }

    /// Passes an event to a pane of the current page.
    fn send_event(&mut self, slot: PaneSlot, event: PaneEvent<'_>) -> Vec<Effect> {
        self.run_in_pane(slot, |tab, cx| tab.pane.on_event(event, cx))
    }

    /// Passes an event to every visible pane.
    fn send_to_visible(&mut self, event: fn() -> PaneEvent<'static>) -> Vec<Effect> {
        let tab = PaneSlot::Tab(self.current_entry().map_or(0, |entry| entry.active));
        let slots = [PaneSlot::Header, tab, PaneSlot::Preview];
        slots.into_iter().flat_map(|slot| self.send_event(slot, event())).collect()
    }

    fn notify(&mut self, text: &str) -> Vec<Effect> {
        self.notice = Some(text.into());
        Vec::new()
    }

    /// Says a sentence that may name keys, as in [`Keys::expand`](crate::keymap::key_hints::Keys::sentence).
    fn notify_with_keys(&mut self, words: &'static str) -> Vec<Effect> {
        self.notify(&self.pane_keys().expand(words))
    }

    fn open_overlay(&mut self, overlay: Overlay) -> Vec<Effect> {
        self.overlay = Some(overlay);
        Vec::new()
    }

    fn layout(&self) -> ScreenLayout {
        layout::screen_layout(self.size, self.current_entry())
    }

    fn on_resize(&mut self, size: Size) -> Vec<Effect> {
        self.size = size;
        let effects = self.update_split();
        if let Some(Overlay::PlainText(print)) = &mut self.overlay {
            print.layout(size);
        }
        [effects, self.send_to_visible(|| PaneEvent::Resized)].concat()
    }

    fn on_tick(&mut self, now: Timestamp) -> Vec<Effect> {
        self.now = now;
        self.send_to_visible(|| PaneEvent::Tick)
    }

    fn on_paste(&mut self, text: &str) -> Vec<Effect> {
        self.notice = None;
        if let Some(Overlay::Prompt(field)) = &mut self.overlay {
            field.paste(text);
            return self.cancel_resolution();
        }
        if let Some(Overlay::Picker(picker, _)) = &mut self.overlay {
            picker.paste(text);
            self.refilter_picker();
            return Vec::new();
        }
        self.go_to_pasted(text)
    }

    /// Learns from an answer, even a late one, and gives it to the pane that waits for it.
    fn on_fetched(
        &mut self,
        ticket: Ticket,
        query: &Query,
        reply: Result<Reply, ApiError>,
    ) -> Vec<Effect> {
        if let Ok(reply) = &reply {
            self.sessions.at_mut(ticket.chain).name_cache.ingest(query, reply);
        }
        if let Some(effects) = self.on_name_resolved(ticket, &reply) {
            return effects;
        }
        self.deliver_reply(ticket, PaneEvent::Reply { query, reply })
    }

    /// Passes an event to the pane that made the request, unless that was cancelled.
    fn deliver_reply(&mut self, ticket: Ticket, event: PaneEvent<'_>) -> Vec<Effect> {
        self.find_requester(ticket).map(|slot| self.send_event(slot, event)).unwrap_or_default()
    }

    /// The pane of the present place that asked, unless it has begun anew since.
    fn find_requester(&self, ticket: Ticket) -> Option<PaneSlot> {
        let place = self.current_entry()?;
        let waits = |tab: &Tab| tab.ticket() == ticket;
        if place.header.as_ref().is_some_and(waits) {
            return Some(PaneSlot::Header);
        }
        if place.split.as_ref().and_then(SplitPane::tab).is_some_and(waits) {
            return Some(PaneSlot::Preview);
        }
        place.tabs.iter().position(waits).map(PaneSlot::Tab)
    }
}

fn tab_index(action: Action) -> Option<usize> {
    let tabs = [Action::Tab1, Action::Tab2, Action::Tab3, Action::Tab4, Action::Tab5];
    tabs.iter().position(|tab| *tab == action)
}
