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
use crate::chain::Timestamp;
use crate::chain::chains::Chains;
use crate::chain::target::{Target, TargetKind};
use crate::keymap::Keymap;
use crate::msg::{Action, ChainIndex, Effect, ExternalTool, Key, Msg, Ticket, Timer};
use crate::name_cache::NameCache;
use crate::pane::{Command, Confirmation, PaneContext, PaneKind, Route};
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
        let beside = self.preview_tab().and_then(|slot| slot.pane.tick_interval());
        slot.pane.tick_interval().into_iter().chain(beside).min().or(ages)
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
            Msg::TraceUpdate { ticket, news } => {
                self.deliver_reply(ticket, |slot, cx| slot.pane.on_trace(news, cx))
            }
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
        let Some(place) = self.current_entry() else { return Vec::new() };
        let active = place.active;
        let why_not = self.disabled_reason_template(action);
        let mut effects = Vec::new();
        let part = self.focused_slot();
        let others: &[PaneSlot] = match action {
            Action::Interrupt => &[PaneSlot::Header, PaneSlot::Tab(active), PaneSlot::Preview],
            Action::Refresh if part != PaneSlot::Preview => &[PaneSlot::Header],
            _ => &[],
        };
        for other in others.iter().filter(|other| **other != part) {
            effects.extend(self.act_in_slot(*other, action).unwrap_or_default());
        }
        if let Some(more) = self.act_on_split(action) {
            effects.extend(more);
        } else if let Some(more) = self.act_in_slot(part, action) {
            effects.extend(more);
        } else {
            effects.extend(self.act_in_app(action, why_not));
        }
        if action == Action::Refresh {
            effects.extend(self.load_user_data());
        }
        if action == Action::Interrupt {
            self.notify_with_keys("stopped what was under way; {interrupt} again quits");
            effects.push(Effect::StopSaving);
        }
        if let Some(why) = why_not.filter(|_| effects.is_empty() && self.notice.is_none()) {
            self.notify_with_keys(why);
        }
        effects
    }

    /// Does what no pane does.
    fn act_in_app(&mut self, action: Action, why_not: Option<&'static str>) -> Vec<Effect> {
        let (active, tabs) =
            self.current_entry().map_or((0, 0), |place| (place.active, place.tabs.len()));
        match action {
            Action::Back if self.current == 0 => {
                self.notify_with_keys("this is the first view: {close} quits")
            }
            Action::HistoryForward => self.go_history(1),
            Action::Close if self.current == 0 => vec![Effect::Quit],
            Action::Back | Action::HistoryBack | Action::Close => self.go_history(-1),
            Action::NextTab => self.switch_tab((active + 1) % tabs.max(1)),
            Action::PreviousTab => self.switch_tab((active + tabs.max(1) - 1) % tabs.max(1)),
            Action::GoTo => {
                self.open_overlay(Overlay::Prompt(PromptState::new(PromptKind::GoTo, "")))
            }
            Action::GoToHex => {
                self.open_overlay(Overlay::Prompt(PromptState::new(PromptKind::GoTo, "0")))
            }
            Action::Transfers => self.navigate(Route::Transfers),
            Action::Instances => self.open_instances(),
            Action::OpenWeb => self.open_web(),
            // The user's own files are, whatever there is.
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
            _ => match tab_index(action) {
                Some(tab) => self.switch_tab(tab),
                None => self.notify_with_keys(why_not.unwrap_or("nothing here does that")),
            },
        }
    }

    /// The instances of the token that the viewed address is.
    fn open_instances(&mut self) -> Vec<Effect> {
        let token = match self.focused_route() {
            Some(Route::Target(TargetKind::Address(token)) | Route::Instances { token, .. }) => {
                *token
            }
            _ => return self.notify("only an address can be a token"),
        };
        self.navigate(Route::Instances { token, holder: None })
    }

    /// Asks before the web explorer's page of the place is opened.
    fn open_web(&mut self) -> Vec<Effect> {
        let subject = self.focused_route().and_then(Route::target);
        match subject.and_then(|subject| self.session().network.web_page(&subject)) {
            Some(url) => self.open_overlay(Overlay::Confirm(Confirmation::open(url))),
            None => self.notify("there is no web explorer's page of this"),
        }
    }

    fn act_in_slot(&mut self, part: PaneSlot, action: Action) -> Option<Vec<Effect>> {
        let wants = self.with_pane(part, |slot, cx| slot.pane.act(action, cx))??;
        Some(self.apply_commands(part, wants))
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
        let active = self.current_entry().map_or(0, |place| place.active);
        for part in [PaneSlot::Header, PaneSlot::Tab(active), PaneSlot::Preview] {
            self.with_pane(part, |slot, cx| slot.pane.resize(cx));
        }
        effects
    }

    fn on_tick(&mut self, now: Timestamp) -> Vec<Effect> {
        self.now = now;
        let Some(tab) = self.current_entry().map(|place| PaneSlot::Tab(place.active)) else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        for part in [tab, PaneSlot::Preview] {
            let wants = self.with_pane(part, |slot, cx| slot.pane.tick(cx)).unwrap_or_default();
            effects.extend(self.apply_commands(part, wants));
        }
        effects
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
        self.deliver_reply(ticket, |slot, cx| slot.pane.on_reply(query, reply, cx))
    }

    /// Gives something to the pane that waits for it; what nobody waits for is dropped.
    fn deliver_reply(
        &mut self,
        ticket: Ticket,
        give: impl FnOnce(&mut Tab, &PaneContext<'_>) -> Vec<Command>,
    ) -> Vec<Effect> {
        let Some(part) = self.find_requester(ticket) else { return Vec::new() };
        let wants = self.with_pane(part, give).unwrap_or_default();
        self.apply_commands(part, wants)
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
