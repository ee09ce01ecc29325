//! The state of the user interface, and the one function that changes it.
//!
//! [`App::update`] is synchronous and has no clock, no network and no terminal: it returns what the
//! runtime has to do as [`Effect`]s. [`App::view`] only reads.

mod availability;
mod block_hashes;
mod chain_list;
mod chain_switching;
mod clipboard;
mod completion;
mod confirm;
mod contract_names;
mod display_settings;
mod draw;
mod filters;
mod help;
mod history;
mod index_progress;
mod input;
mod layout;
mod location;
mod mouse;
mod name_resolution;
mod navigation;
mod overlay;
mod overlays;
mod palette;
mod pane_instance;
mod panes;
mod picker;
mod pictures;
mod plain_text_view;
mod prompt;
mod prompt_search;
mod request_log;
mod search;
mod sessions;
mod signature_lookup;
mod split_state;
mod split_view;
mod startup;
mod status_line;
mod text_input;
mod theme_chooser;
mod title;
mod user_data;
mod which_key;

use std::collections::HashSet;
use std::time::Duration;

use ratatui::layout::Size;
use url::Url;

use crate::abi::SignatureHash;
use crate::action::Action;
use crate::api::transactions::TransactionOutcome;
use crate::api::{ApiError, Query, Reply};
use crate::chain::chains::Chains;
use crate::chain::target::{Target, TargetKind};
use crate::chain::{BlockId, Timestamp};
use crate::msg::{Effect, ExternalTool, Msg, Ticket, Timer};
use crate::name_cache::NameCache;
use crate::pane::{Availability, Confirmation, PaneEvent, PaneKind, Route};
use crate::sanitize::SafeText;
use display_settings::DisplaySettings;
use help::HelpView;
use input::Input;
use layout::ScreenLayout;
pub use location::Location;
use navigation::Navigation;
use overlay::Overlay;
use overlays::Overlays;
use pane_instance::PaneInstance;
use prompt::{PromptKind, PromptState};
use request_log::{RequestLog, RequestLogView};
use sessions::ChainSessions;
pub use startup::Setup;

/// How often something that is in progress is drawn.
const SPINNER_INTERVAL: Duration = Duration::from_millis(120);

/// The state of the program between two messages.
#[derive(Debug)]
pub struct App {
    sessions: ChainSessions,
    chains: Chains,
    nav: Navigation,
    input: Input,
    overlays: Overlays,
    display: DisplaySettings,
    /// The notification on the status line.
    notice: Option<SafeText>,
    request_log: RequestLog,
    /// Whether the contracts in traces are asked for their names.
    learns_contracts: bool,
    /// Whether the user has named a signature database.
    looks_signatures_up: bool,
    /// The signatures that are being looked up.
    looked_up: HashSet<SignatureHash>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PaneSlot {
    Header,
    Tab(usize),
    Preview,
}

impl App {
    fn open_target(&mut self, target: &Target) -> Vec<Effect> {
        self.warn_checksum(target.checksum_mismatch);
        self.navigate(Route::from(target))
    }

    fn warn_checksum(&mut self, is_doubtful: bool) {
        if is_doubtful {
            self.notify("address checksum mismatch: a digit may be wrong");
        }
    }

    pub fn name_cache(&self) -> &NameCache {
        &self.session().name_cache
    }

    pub fn notice(&self) -> Option<&SafeText> {
        self.notice.as_ref()
    }

    /// How often the app wants a [`Msg::Tick`]: once a minute because of the ages on the screen, or
    /// as often as a pane does.
    pub fn tick_interval(&self) -> Option<Duration> {
        let tab = self.nav.active_tab()?;
        let ages = (tab.kind != PaneKind::Start).then_some(Duration::from_mins(1));
        let panes = [self.nav.active_slot(), PaneSlot::Preview].into_iter();
        let panes = panes.filter_map(|slot| self.nav.tab(slot)?.tick_interval());
        panes.min().or(ages)
    }

    /// Changes the state, and returns what the runtime has to do.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        let mut effects = self.handle(msg);
        effects.extend(self.sync_preview());
        for slot in self.nav.visible_slots() {
            let tab = self.nav.entry_mut().and_then(|entry| entry.tab_mut(slot));
            tab.into_iter().for_each(PaneInstance::sync_progress);
        }
        self.sync_theme_preview();
        effects.extend(self.sync_pictures(&effects));
        self.overlays.track_copies(&effects);
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
            Msg::FocusChanged(has_focus) => {
                self.display.has_focus = has_focus;
                self.send_to_visible(|| PaneEvent::Tick)
            }
            Msg::TimerFired(Timer::Search(ticket)) => self.on_search_timer(ticket),
            Msg::TimerFired(Timer::Preview(timer)) => self.on_preview_timer(timer),
            Msg::TimerFired(Timer::Pane(ticket)) => self.deliver(ticket, PaneEvent::Woken),
            Msg::Background(background) => {
                self.display.apply_background(background);
                Vec::new()
            }
            Msg::PictureDecoded { key, outcome } => {
                self.display.pictures.add_decoded(key, outcome);
                Vec::new()
            }
            Msg::PictureFetched { url, outcome } => {
                self.display.pictures.add_fetched(url, outcome);
                Vec::new()
            }
            Msg::Graphics(mode) => {
                self.display.pictures.set_mode(mode);
                Vec::new()
            }
            Msg::TimerFired(Timer::WhichKey(timer)) => {
                self.input.on_timer(timer);
                Vec::new()
            }
            Msg::Fetched { ticket, query, reply } => self.on_fetched(ticket, &query, reply),
            Msg::TraceUpdate { ticket, event } => self.deliver(ticket, PaneEvent::Trace(event)),
            Msg::Network(chain, event) => self.on_network_event(chain, event),
            Msg::Connected { chain, outcome } => self.on_connected(chain, outcome),
            Msg::ProjectLoaded { chain, signatures } => {
                self.sessions.at_mut(chain).signature_db.merge((*signatures).clone());
                self.send_to_visible(|| PaneEvent::LabelsChanged)
            }
            Msg::SignaturesFound { hashes, outcome } => self.on_signatures_found(&hashes, outcome),
            Msg::AbisLoaded { abis, problems } => self.on_abis_loaded(&abis, &problems),
            Msg::LabelsLoaded { key, labels } => self.on_labels_loaded(&key, labels),
            Msg::RecentsLoaded { key, recents } => self.on_recents_loaded(&key, &recents),
            Msg::Copied { what, outcome } => self.on_copied(what, &outcome),
            Msg::ViewerClosed(outcome) => {
                self.notice = outcome.err();
                Vec::new()
            }
            Msg::BrowserOpened(Ok(())) => self.notify("opened in the browser"),
            Msg::BrowserOpened(Err(reason)) => {
                self.notify(&format!("cannot start the browser: {reason}"))
            }
            Msg::SaveProgress { written, total } => self.on_save_progress(written, total),
            Msg::Saved(Ok(words)) => self.notify(&words),
            Msg::Saved(Err(reason)) => self.notify(&format!("cannot save: {reason}")),
        }
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        let is_second_interrupt = self.input.is_second_interrupt(action);
        match action {
            Action::Quit => vec![Effect::Quit],
            Action::Interrupt if is_second_interrupt => vec![Effect::Quit],
            Action::Suspend => vec![Effect::Suspend],
            Action::Redraw => vec![Effect::Redraw],
            Action::Mouse => self.toggle_mouse(),
            Action::Print if !matches!(self.overlays.top(), Some(Overlay::PlainText(_))) => {
                self.open_plain_text()
            }
            _ if self.overlays.top.is_some() => self.act_in_overlay(action),
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
            self.notify_with_keys("stopped; {interrupt} again quits");
            effects.push(Effect::StopSaving);
        }
        effects
    }

    /// Carries out an action in the panes other than the focused one that take part in it.
    fn broadcast(&mut self, action: Action) -> Vec<Effect> {
        let focused = self.nav.focused_slot();
        let visible = self.nav.visible_slots();
        let slots: &[PaneSlot] = match action {
            Action::Interrupt => &visible,
            Action::Refresh if focused != PaneSlot::Preview => &[PaneSlot::Header],
            _ => &[],
        };
        let mut effects = Vec::new();
        for slot in slots.iter().filter(|slot| **slot != focused) {
            if self.pane_availability(*slot, action) == Availability::Enabled {
                effects.extend(self.act_in_pane(*slot, action));
            }
        }
        effects
    }

    /// Carries out an action that is available, in the first part of the app that has it.
    fn dispatch(&mut self, action: Action) -> Vec<Effect> {
        let slot = self.nav.focused_slot();
        if self.split_availability(action) == Availability::Enabled {
            self.act_on_split(action)
        } else if self.pane_availability(slot, action) == Availability::Enabled {
            self.act_in_pane(slot, action)
        } else {
            self.act_in_app(action)
        }
    }

    fn act_in_app(&mut self, action: Action) -> Vec<Effect> {
        let (active, tabs) =
            self.nav.entry().map_or((0, 1), |entry| (entry.active, entry.tabs.len().max(1)));
        let page = self.nav.current;
        match action {
            Action::HistoryForward => self.go_to_page(page + 1),
            Action::Close if page == 0 => vec![Effect::Quit],
            Action::Back if self.nav.is_preview_focused() => {
                self.nav.set_focus(false);
                Vec::new()
            }
            Action::Back | Action::HistoryBack | Action::Close => self.go_to_page(page - 1),
            Action::NextTab => self.switch_tab((active + 1) % tabs),
            Action::PreviousTab => self.switch_tab((active + tabs - 1) % tabs),
            Action::GoTo => self.open_go_to(""),
            Action::GoToHex => self.open_go_to("0"),
            Action::Transfers => self.navigate(Route::Transfers),
            Action::Token => self.open_token(),
            Action::Blocks => self.navigate(Route::Blocks),
            Action::Transactions => self.navigate(Route::Transactions),
            Action::Tokens => self.navigate(Route::Tokens),
            Action::NextBlock | Action::PreviousBlock => self.step_block(action),
            Action::RevertOrigin => self.open_failure(),
            Action::OpenWeb => self.open_web(),
            // Labels and recents are reloaded in any view.
            Action::Refresh => self.notify("labels reloaded; nothing else to refresh here"),
            Action::Chains => self.open_chains(),
            Action::Label => self.prompt_for_label(),
            Action::Watch => self.toggle_watch(),
            Action::NextUnit => self.next_unit(),
            Action::NextTimes => self.next_times(),
            Action::CopyCommand => self.copy_command(),
            Action::Pager => self.open_external(ExternalTool::Pager),
            Action::Editor => self.open_external(ExternalTool::Editor),
            Action::Help => self.open_overlay(Overlay::Help(HelpView::new(
                &self.input.keymap,
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

    /// Returns the number of the block after or before that of the page.
    fn neighbor_block(&self, action: Action) -> Option<u64> {
        let Some(TargetKind::Block(block)) = self.nav.entry()?.route.target() else { return None };
        let number = self.session().name_cache.block_number(block)?;
        if action == Action::NextBlock { number.checked_add(1) } else { number.checked_sub(1) }
    }

    /// Shows the next or the previous block, on the same tab, instead of this one.
    fn step_block(&mut self, action: Action) -> Vec<Effect> {
        let Some(number) = self.neighbor_block(action) else { return Vec::new() };
        let route = Route::Target(TargetKind::Block(BlockId::Number(number)));
        let mut entry = self.nav.create_entry(route, self.nav.chain());
        entry.active = self.nav.entry().map_or(0, |entry| entry.active);
        let effects = self.nav.replace(entry);
        [effects, self.activate_page()].concat()
    }

    /// Returns the trace's tab if the transaction of the page failed, or a call of it.
    fn failure_tab(&self) -> Option<usize> {
        use TransactionOutcome::{Failed, OkInnerFailure};
        let entry = self.nav.entry().filter(|_| !self.nav.is_preview_focused())?;
        let Some(TargetKind::Transaction(hash)) = entry.route.target() else { return None };
        let known = self.session().name_cache.transaction(&hash)?.parsed.as_ref().ok()?;
        let has_failed = matches!(known.outcome(), Failed | OkInnerFailure);
        let is_trace = |tab: &PaneInstance| tab.kind == PaneKind::Trace;
        entry.tabs.iter().position(is_trace).filter(|_| has_failed)
    }

    /// Shows the call where the failure of the transaction began.
    fn open_failure(&mut self) -> Vec<Effect> {
        let Some(tab) = self.failure_tab() else { return Vec::new() };
        let effects = self.switch_tab(tab);
        [effects, self.act_in_pane(PaneSlot::Tab(tab), Action::RevertOrigin)].concat()
    }

    /// Opens the token at an address, or the address of a token.
    fn open_token(&mut self) -> Vec<Effect> {
        let Some(token) = self.nav.focused_address() else { return Vec::new() };
        self.navigate(match self.nav.focused_route() {
            Some(Route::Token(_)) => Route::Target(TargetKind::Address(token)),
            _ => Route::Token(token),
        })
    }

    fn web_page(&self) -> Option<Url> {
        let target = self.nav.focused_route().and_then(Route::target)?;
        self.session().network.web_page(&target)
    }

    /// Asks before the browser is opened.
    fn open_web(&mut self) -> Vec<Effect> {
        let Some(url) = self.web_page() else { return Vec::new() };
        self.open_overlay(Overlay::Confirm(Confirmation::open(url)))
    }

    fn on_save_progress(&mut self, written: usize, total: usize) -> Vec<Effect> {
        let stops = self.pane_keys().expand("{interrupt} stops");
        self.notify(&format!("saving {written} of {total} lines · {stops}"))
    }

    fn notify(&mut self, text: &str) -> Vec<Effect> {
        self.notice = Some(text.into());
        Vec::new()
    }

    /// Shows a sentence that may name keys (see [`KeyHints::expand`](crate::keymap::key_hints::KeyHints::expand)).
    fn notify_with_keys(&mut self, words: &'static str) -> Vec<Effect> {
        self.notify(&self.pane_keys().expand(words))
    }

    fn open_overlay(&mut self, overlay: Overlay) -> Vec<Effect> {
        self.overlays.top = Some(overlay);
        Vec::new()
    }

    fn layout(&self) -> ScreenLayout {
        layout::screen_layout(self.display.size, self.nav.entry())
    }

    fn on_resize(&mut self, size: Size) -> Vec<Effect> {
        self.display.size = size;
        let effects = self.update_split();
        if let Some(Overlay::PlainText(text)) = &mut self.overlays.top {
            text.layout(size);
        }
        [effects, self.send_to_visible(|| PaneEvent::Resized)].concat()
    }

    fn on_tick(&mut self, now: Timestamp) -> Vec<Effect> {
        self.display.now = now;
        for slot in self.nav.visible_slots() {
            if let Some(tab) = self.nav.entry_mut().and_then(|entry| entry.tab_mut(slot)) {
                tab.on_tick(now);
            }
        }
        self.send_to_visible(|| PaneEvent::Tick)
    }

    fn on_paste(&mut self, text: &str) -> Vec<Effect> {
        self.notice = None;
        match &mut self.overlays.top {
            Some(Overlay::Prompt(prompt)) => {
                prompt.paste(text);
                self.on_prompt_edited()
            }
            Some(Overlay::Picker(picker, _)) => {
                picker.input.paste(text);
                self.refilter_picker();
                Vec::new()
            }
            _ => self.go_to_pasted(text),
        }
    }

    /// Learns from a response, even a late one, and passes it to the pane that waits for it.
    fn on_fetched(
        &mut self,
        ticket: Ticket,
        query: &Query,
        reply: Result<Reply, ApiError>,
    ) -> Vec<Effect> {
        if let Ok(reply) = &reply {
            self.sessions.at_mut(ticket.chain).name_cache.ingest(query, reply);
        }
        let mut learned = Vec::new();
        if let Ok(Reply::Contract(address, item)) = &reply
            && let Ok(contract) = &item.parsed
        {
            learned = self.on_contract(ticket.chain, *address, contract);
        }
        if let Some(effects) = self.on_name_resolved(ticket, &reply) {
            return effects;
        }
        if self.on_searched(ticket, &reply) {
            return Vec::new();
        }
        if let Some(effects) = self.on_hash_looked_up(ticket, query, &reply) {
            return effects;
        }
        let has_rows = reply.as_ref().is_ok_and(Reply::has_rows);
        let transactions = reply.as_ref().map(Reply::transaction_times).unwrap_or_default();
        let mut effects =
            [learned, self.deliver(ticket, PaneEvent::Reply { query, reply })].concat();
        if has_rows && ticket.chain == self.nav.chain() {
            let event = PaneEvent::Listed { query, transactions: &transactions };
            effects.extend(self.send_event(PaneSlot::Header, event));
        }
        effects
    }
}

fn tab_index(action: Action) -> Option<usize> {
    use Action::{Tab1, Tab2, Tab3, Tab4, Tab5, Tab6, Tab7, Tab8};
    let tabs = [Tab1, Tab2, Tab3, Tab4, Tab5, Tab6, Tab7, Tab8];
    tabs.iter().position(|tab| *tab == action)
}
