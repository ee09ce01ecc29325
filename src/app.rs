//! The state of the user interface, and the one function that changes it.
//!
//! [`App::update`] is synchronous and has no clock, no network and no terminal: it returns work for the
//! runtime as [`Effect`]s. [`App::view`] only reads.
//!
//! ```text
//! Msg::Key ─> keymap ─> Action ─> overlay, focused pane, or the app itself
//!                                   └─ Commands of a pane ─> Effects ─> runtime
//! Command::Request ─> ledger: an id and its owner ─> Effect::Request ─> runtime
//! Msg::Fetched ─> ledger: still awaited? ─> name cache, then the owner of the id
//! ```
//!
//! The ledger (`requests`) decides which replies are still wanted: those to requests that were
//! cancelled, or made before a rollback of their chain, are dropped.

mod actions;
mod availability;
mod chain_head;
mod chain_switching;
mod clipboard;
mod debounce;
mod index_progress;
mod input;
mod mouse;
mod navigation;
mod overlays;
mod panes;
mod requests;
mod screen;
mod sessions;
mod split_view;
mod startup;
mod user_data;

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::time::Duration;

use ratatui::layout::Size;

use crate::abi::SignatureHash;
use crate::app_message::{Effect, Msg};
use crate::chain::Timestamp;
use crate::chain::chains::Chains;
use crate::chain::target::Target;
use crate::messages::failed_refresh::NextRetry;
use crate::messages::notice::{AppNotice, Notice, NoticeKind, with_keys};
use crate::name_cache::NameCache;
use crate::pane::{PaneEvent, PaneKind, PanePrompt, Route};
use crate::sanitize::SafeText;
use crate::ui::age::AgeClock;
use crate::ui::text::SPINNER_INTERVAL;
use input::Input;
use navigation::Navigation;
pub use navigation::location::Location;
use overlays::Overlays;
use overlays::overlay::Overlay;
use overlays::prompt::PromptState;
use overlays::request_log::RequestLog;
use requests::ledger::Ledger;
use requests::recovery::Recovery;
use requests::shared_replies::KnownReply;
use screen::display_settings::DisplaySettings;
use screen::layout::{self, ScreenLayout};
use sessions::ChainSessions;
pub use startup::Setup;

/// Interval between frames that show the seconds until a failed request is repeated.
const COUNTDOWN_INTERVAL: Duration = Duration::from_secs(1);

/// The state of the program between two messages.
#[derive(Debug)]
pub struct App {
    sessions: ChainSessions,
    chains: Chains,
    nav: Navigation,
    /// Everything that is in flight.
    ledger: Ledger,
    /// Replies to deliver before the update ends.
    known_replies: VecDeque<KnownReply>,
    recovery: Recovery,
    input: Input,
    overlays: Overlays,
    display: DisplaySettings,
    /// The notification on the footer.
    notice: Option<Notice>,
    request_log: RequestLog,
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
            self.warn(&AppNotice::ChecksumMismatch);
        }
    }

    pub fn name_cache(&self) -> &NameCache {
        &self.session().name_cache
    }

    pub fn notice(&self) -> Option<&SafeText> {
        self.notice.as_ref().map(|notice| &notice.text)
    }

    /// Returns the interval between [`Msg::Tick`]s: a minute if the ages on the screen grow, a second after a block of
    /// a development node, or the shortest of the panes'.
    pub fn tick_interval(&self) -> Option<Duration> {
        let tab = self.nav.active_tab()?;
        let ages = AgeClock::new(&self.session().network, self.display.now);
        let has_ages = tab.kind != PaneKind::Start && !ages.has_stopped();
        let ages = has_ages.then_some(Duration::from_mins(1));
        let panes = [self.nav.active_slot(), PaneSlot::Preview].into_iter();
        let wanted = panes.filter_map(|slot| self.nav.tab(slot)?.pane.state().tick_interval);
        // Nothing is polled while the user looks elsewhere.
        let own = wanted.filter(|interval| interval.is_zero() || self.display.has_focus);
        // A busy one shows its progress, and when its data came.
        let slots = self.nav.visible_slots().into_iter();
        let busy = slots.filter(|slot| self.is_busy(*slot)).map(|_| SPINNER_INTERVAL);
        let is_counting_down = matches!(self.next_retry(), Some(NextRetry::In { .. }));
        let countdown = is_counting_down.then_some(COUNTDOWN_INTERVAL);
        let is_fresh = AgeClock::is_fresh(&self.session().network, self.display.now);
        let seconds = (is_fresh && self.display.has_focus).then_some(COUNTDOWN_INTERVAL);
        let others = countdown.into_iter().chain(seconds).chain(self.watch_interval());
        own.chain(busy).chain(others).min().or(ages)
    }

    /// Changes the state, and returns work for the runtime.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        let mut effects = self.handle(msg);
        while let Some(KnownReply { id, query, reply }) = self.known_replies.pop_front() {
            effects.extend(self.on_fetched(id, &query, Ok(reply)));
        }
        // The end of a typed search may find the row to preview.
        effects.extend(self.sync_typed_search());
        effects.extend(self.sync_preview());
        effects.extend(self.cancel_left_prompt());
        effects.extend(self.sync_tokens());
        effects.extend(self.sync_recovery());
        effects.extend(self.sync_watching());
        for slot in self.nav.visible_slots() {
            let is_busy = self.is_busy(slot);
            let tab = self.nav.entry_mut().and_then(|entry| entry.tab_mut(slot));
            if let Some(tab) = tab.filter(|_| !is_busy) {
                tab.restart_wait();
            }
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
                let mut effects = self.send_to_visible(|| PaneEvent::Tick);
                if has_focus {
                    effects.extend(self.on_focus());
                }
                effects
            }
            Msg::TimerFired(id) => self.on_timer(id),
            Msg::Background(background) => {
                self.display.apply_background(background);
                Vec::new()
            }
            Msg::PictureDecoded { key, outcome } => {
                self.display.pictures.add_decoded(key, outcome);
                Vec::new()
            }
            Msg::PictureFetched { url, outcome } => self.on_picture_fetched(url, outcome),
            Msg::Graphics(mode) => {
                self.display.pictures.set_mode(mode);
                Vec::new()
            }
            Msg::Fetched { id, query, reply } => self.on_fetched(id, &query, reply),
            Msg::TraceUpdate { id, event } => self.on_trace_update(id, event),
            Msg::Network(chain, event) => self.on_network_event(chain, event),
            Msg::ProviderOpened { chain, outcome } => self.on_provider_opened(chain, outcome),
            Msg::ProjectLoaded { chain, signatures } => self.on_project_loaded(chain, &signatures),
            Msg::SignaturesFound { hashes, outcome } => self.on_signatures_found(&hashes, outcome),
            Msg::AbisLoaded { abis, problems } => self.on_abis_loaded(&abis, &problems),
            Msg::LabelsLoaded { key, labels } => self.on_labels_loaded(&key, labels),
            Msg::LabelNotSaved { key, why } => self.on_label_not_saved(key, &why),
            Msg::RecentsLoaded { key, recents } => self.on_recents_loaded(&key, &recents),
            Msg::Copied { what, outcome } => self.on_copied(what, &outcome),
            Msg::ViewerClosed(outcome) => {
                self.notice = None;
                outcome.err().map(|why| self.report_failure(&why)).unwrap_or_default()
            }
            Msg::BrowserOpened(Ok(())) => self.notify(&AppNotice::BrowserOpened),
            Msg::BrowserOpened(Err(why)) => {
                self.report_failure(&AppNotice::BrowserFailed { why: &why })
            }
            Msg::LocalNodesFound(nodes) => self.on_local_nodes(nodes),
            Msg::FreeMemory(bytes) => self.send_to_visible(|| PaneEvent::FreeMemory(bytes)),
            Msg::SaveProgress { written, total } => self.on_save_progress(written, total),
            Msg::Saved(Ok(words)) => self.notify(&words),
            Msg::Saved(Err(why)) => {
                let why = AppNotice::SaveFailed { why: &why }.to_string();
                self.refuse_prompt(&[PanePrompt::Export, PanePrompt::ExportTrace], &why.into())
            }
        }
    }

    fn on_save_progress(&mut self, written: usize, total: usize) -> Vec<Effect> {
        let stops = self.pane_keys().expand(with_keys::STOPS_SAVING);
        self.notify(&AppNotice::Saving { written, total, stops: &stops })
    }

    fn notify(&mut self, notice: &(impl fmt::Display + ?Sized)) -> Vec<Effect> {
        self.show_notice(NoticeKind::Report, notice.to_string())
    }

    fn warn(&mut self, notice: &(impl fmt::Display + ?Sized)) -> Vec<Effect> {
        self.show_notice(NoticeKind::Warning, notice.to_string())
    }

    fn report_failure(&mut self, notice: &(impl fmt::Display + ?Sized)) -> Vec<Effect> {
        self.show_notice(NoticeKind::Failure, notice.to_string())
    }

    fn show_notice(&mut self, kind: NoticeKind, text: String) -> Vec<Effect> {
        self.notice = Some(Notice { text: text.into(), kind });
        Vec::new()
    }

    /// Shows a sentence that may name keys (see [`KeyPlaceholders::expand`](crate::keymap::key_placeholders::KeyPlaceholders::expand)).
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
        self.recovery.on_tick(now);
        self.tick_watching();
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
}
