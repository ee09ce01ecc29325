//! Runs the panes of the current page: events go in, commands come out.

use std::time::Duration;

use ratatui::layout::{Margin, Rect};

use super::navigation::history::HistoryEntry;
use super::navigation::pane_instance::PaneInstance;
use super::overlays::filter_menu::FilterMenu;
use super::requests::cancel_effect;
use super::requests::ledger::{Owner, PaneId, PendingKind};
use super::screen::display_settings::DisplaySettings;
use super::screen::layout::ScreenLayout;
use super::sessions::ChainSession;
use super::{App, Overlay, PaneSlot, PromptState};
use crate::abi::SignatureDb;
use crate::action::Action;
use crate::app_message::{ChainIndex, ChainRequest, Effect, Priority};
use crate::chain::target::TargetKind;
use crate::chain::{Address, TxHash};
use crate::keymap::key_placeholders::KeyPlaceholders;
use crate::messages::notice::{AppNotice, UserDataNotice};
use crate::pane::export::{SourcePlace, ViewParams};
use crate::pane::{
    Command, PaneContext, PaneEvent, PaneKind, PanePlace, PanePrompt, Route, RowCount,
};
use crate::safety::address_poisoning::{Evidence, KnownAddresses};
use crate::sanitize::SafeText;

/// In a pane that is not wider, a label and a hash fill a line.
const MAX_WIDTH_WITHOUT_MARGINS: u16 = 77;

/// Not a method of the app, so that a pane can be borrowed from it to be changed.
fn pane_context<'a>(
    session: &'a ChainSession,
    display: &'a DisplaySettings,
    keys: KeyPlaceholders<'a>,
    (slot, layout): (PaneSlot, ScreenLayout),
    known_addresses: &'a KnownAddresses,
) -> PaneContext<'a> {
    PaneContext {
        area: layout.area(slot),
        now: display.now,
        has_focus: display.has_focus,
        is_busy: false,
        waited: Duration::ZERO,
        next_retry: None,
        network: &session.network,
        styles: &display.styles,
        signature_db: &session.signature_db,
        diff_baseline: session.diff_baseline.as_ref(),
        known_addresses,
        name_cache: &session.name_cache,
        watched: &session.watched,
        recents: &session.recents,
        recents_error: session.recents_error.as_ref(),
        format: &display.format,
        settings: &display.settings,
        pictures: &display.pictures,
        list_view: display.list_view,
        keys,
        place: match slot {
            PaneSlot::Preview => PanePlace::Preview,
            PaneSlot::Tab(_) if layout.preview.inner.height > 0 => PanePlace::NextToPreview,
            _ => PanePlace::Alone,
        },
        is_in_block: false,
        reported_failure: None,
        counted_rows: None,
        unused_address: None,
    }
}

/// Returns `true` for a pane below the loaded header of a block.
fn is_below_block(entry: &HistoryEntry, slot: PaneSlot) -> bool {
    let header = entry.header.as_ref().filter(|_| slot != PaneSlot::Header);
    header.is_some_and(|header| header.pane.has_block())
}

/// Returns the address of a page, if its header knows that the chain does not have it.
fn unused_address_of(entry: &HistoryEntry) -> Option<Address> {
    entry.header.as_ref()?.pane.unused_address()
}

/// Returns the area of a pane without its margins, for which narrow panes have no space.
fn text_area(area: Rect, tab: &PaneInstance) -> Rect {
    let has_margins = tab.pane.has_margins() && area.width > MAX_WIDTH_WITHOUT_MARGINS;
    area.inner(Margin::new(u16::from(has_margins), 0))
}

impl App {
    pub(super) fn pane(&self, slot: PaneSlot) -> Option<(&PaneInstance, PaneContext<'_>)> {
        let entry = self.nav.entry()?;
        let tab = entry.tab(slot)?;
        let session = self.sessions.at(entry.chain);
        let keys = KeyPlaceholders::new(&self.input.keymap, tab.pane.state().key_context);
        let layout = self.layout();
        let known = session.known_addresses.get(&entry.viewed)?;
        let cx = pane_context(session, &self.display, keys, (slot, layout), known);
        let (is_busy, next_retry) = (self.is_busy(slot), self.next_retry());
        let below = entry.tab(self.nav.active_slot()).filter(|_| slot == PaneSlot::Header);
        let reported_failure = below.and_then(|tab| tab.pane.reported_failure(&cx));
        let waited = tab.busy_for(self.display.now);
        let counted_rows = self.counted_rows(slot);
        let unused_address = unused_address_of(entry);
        let is_in_block = is_below_block(entry, slot);
        let area = text_area(cx.area, tab);
        let cx = PaneContext { area, is_busy, waited, is_in_block, counted_rows, ..cx };
        Some((tab, PaneContext { next_retry, reported_failure, unused_address, ..cx }))
    }

    pub(super) fn with_pane<R>(
        &mut self,
        slot: PaneSlot,
        run: impl FnOnce(&mut PaneInstance, &PaneContext<'_>) -> R,
    ) -> Option<R> {
        let (layout, is_busy) = (self.layout(), self.is_busy(slot));
        let counted_rows = self.counted_rows(slot);
        let entry = self.nav.entry_mut()?;
        let session = self.sessions.at(entry.chain);
        let known = session.known_addresses.get(&entry.viewed)?;
        let unused_address = unused_address_of(entry);
        let is_in_block = is_below_block(entry, slot);
        let tab = entry.tab_mut(slot)?;
        let keys = KeyPlaceholders::new(&self.input.keymap, tab.pane.state().key_context);
        let cx = pane_context(session, &self.display, keys, (slot, layout), known);
        let area = text_area(cx.area, tab);
        let cx = PaneContext { area, is_busy, is_in_block, counted_rows, ..cx };
        Some(run(tab, &PaneContext { unused_address, ..cx }))
    }

    /// Returns the number of rows in a tab as the page's header counts them.
    fn counted_rows(&self, slot: PaneSlot) -> Option<RowCount> {
        let entry = self.nav.entry().filter(|_| matches!(slot, PaneSlot::Tab(_)))?;
        entry.header.as_ref()?.pane.row_count(entry.tab(slot)?.kind)
    }

    pub(super) fn run_pane(
        &mut self,
        slot: PaneSlot,
        run: impl FnOnce(&mut PaneInstance, &PaneContext<'_>) -> Vec<Command>,
    ) -> Vec<Effect> {
        let commands = self.with_pane(slot, run).unwrap_or_default();
        self.apply_commands(slot, commands)
    }

    pub(super) fn activate_pane(&mut self, slot: PaneSlot) -> Vec<Effect> {
        self.set_delayed(slot, false);
        let mut effects = self.run_pane(slot, |tab, cx| tab.pane.activate(cx));
        if self.nav.tab(slot).is_some_and(|tab| tab.pane.can_recover()) {
            effects.extend(self.send_event(slot, PaneEvent::RetryFailed));
        }
        let pane = self.nav.tab(slot).map(|tab| tab.id);
        let names = pane.map(|pane| self.resume_contract_names(pane)).unwrap_or_default();
        [effects, self.catch_up(slot), names].concat()
    }

    pub(super) fn act_in_pane(&mut self, slot: PaneSlot, action: Action) -> Vec<Effect> {
        if action == Action::Interrupt {
            return self.cancel_pane(slot).into_iter().collect();
        }
        self.run_pane(slot, |tab, cx| tab.pane.act(action, cx))
    }

    pub(super) fn send_event(&mut self, slot: PaneSlot, event: PaneEvent<'_>) -> Vec<Effect> {
        self.run_pane(slot, |tab, cx| tab.pane.on_event(event, cx))
    }

    pub(super) fn send_to_visible(
        &mut self,
        event: impl Fn() -> PaneEvent<'static>,
    ) -> Vec<Effect> {
        let slots = self.nav.visible_slots();
        slots.into_iter().flat_map(|slot| self.send_event(slot, event())).collect()
    }

    pub(super) fn apply_commands(&mut self, slot: PaneSlot, commands: Vec<Command>) -> Vec<Effect> {
        let Some(tab) = self.nav.tab(slot) else { return Vec::new() };
        let (pane, chain) = (tab.id, self.nav.chain());
        let is_passed_by = slot == PaneSlot::Preview && !self.nav.is_preview_focused();
        let prioritized = |command| match command {
            Command::Request(request) if is_passed_by => Command::Request(request.into_prefetch()),
            command => command,
        };
        let commands = commands.into_iter().map(prioritized);
        commands.flat_map(|command| self.apply_command(pane, chain, command)).collect()
    }

    fn apply_command(&mut self, pane: PaneId, chain: ChainIndex, command: Command) -> Vec<Effect> {
        let owner = Owner::Pane(pane);
        match command {
            Command::Request(request) => {
                let kind = PendingKind::of(&request);
                self.request_for_pane((pane, chain), request, kind).into_iter().collect()
            }
            Command::Background(query, cursor) => {
                let request = ChainRequest::Fetch { query, cursor, priority: Priority::Prefetch };
                let kind = PendingKind::Background;
                self.request_for_pane((pane, chain), request, kind).into_iter().collect()
            }
            Command::ContinueTrace => {
                self.ledger.stream(owner).map(Effect::ContinueTrace).into_iter().collect()
            }
            Command::Cancel => self.cancel_requests(pane),
            Command::Wake(delay) => vec![self.start_timer(owner, delay)],
            Command::Effect(effect) => vec![effect],
            Command::FetchContractNames(unknown) => self.fetch_contract_names(pane, chain, unknown),
            Command::LookUp(hashes) => self.look_up_signatures(hashes),
            Command::AddSignature(signature) => self.add_signature(&signature),
            Command::EditLabel(edit) => self.edit_label(edit),
            Command::ToggleGallery => self.toggle_gallery(),
            Command::RemoveRecent(entry) => self.remove_recent(entry),
            Command::Navigate(route) => self.navigate(route),
            Command::OpenOnEthereum(route) => self.open_on_ethereum(route),
            Command::GoTo => self.open_go_to(""),
            Command::OpenCall(transaction, path) => self.open_call(transaction, path),
            Command::OpenSource(contract, place) => self.open_source(contract, place),
            Command::NotifyKeys(text) => self.notify_with_keys(text),
            Command::Notify(text) => {
                self.notice = Some(text.into());
                Vec::new()
            }
            Command::Warn(text) => self.warn(&text),
            Command::SetDiffBaseline(baseline) => {
                self.session_mut().diff_baseline = Some(baseline);
                Vec::new()
            }
            Command::KeepTrace(transaction, tree) => {
                self.sessions.at_mut(chain).name_cache.keep_trace(transaction, tree);
                Vec::new()
            }
            Command::RecordEvidence(evidence) => self.record_evidence(evidence),
            Command::RefreshHeader => self.send_event(PaneSlot::Header, PaneEvent::ChainAdvanced),
            Command::RefreshBody => self.send_to_visible(|| PaneEvent::NamesChanged),
            Command::RefreshPreview => self.send_event(PaneSlot::Preview, PaneEvent::NamesChanged),
            Command::Confirm(confirmation) => self.open_overlay(Overlay::Confirm(confirmation)),
            Command::Prompt(request) => {
                self.open_overlay(Overlay::Prompt(PromptState::from_request(request)))
            }
            Command::RefusePrompt(prompt, why) => self.refuse_prompt(&[prompt], &why),
            Command::Filters(query, token) => match FilterMenu::new(query, token) {
                Some(filters) => self.open_overlay(Overlay::Filters(filters)),
                None => self.notify(&AppNotice::NoFilters),
            },
        }
    }

    /// Cancels the requests of a pane, whose wait begins again.
    fn cancel_requests(&mut self, pane: PaneId) -> Vec<Effect> {
        let slot = self.nav.find_pane(pane);
        if let Some(tab) = slot.and_then(|slot| self.nav.entry_mut()?.tab_mut(slot)) {
            tab.restart_wait();
        }
        self.cancel(Owner::Pane(pane)).into_iter().collect()
    }

    fn add_signature(&mut self, signature: &SafeText) -> Vec<Effect> {
        match self.sessions.add_signature(signature) {
            Ok(selector) => {
                let selector = alloy_primitives::hex::encode_prefixed(selector);
                self.notify(&UserDataNotice::SignatureAdded { selector: &selector, signature });
                let mut effects = self.activate_page();
                effects.push(Effect::SaveSignature(signature.clone()));
                effects
            }
            Err(why) => {
                let why = UserDataNotice::NoSignature { why: &why }.to_string();
                self.refuse_prompt(&[PanePrompt::Signature], &why.into())
            }
        }
    }

    pub(super) fn on_abis_loaded(
        &mut self,
        abis: &SignatureDb,
        problems: &[SafeText],
    ) -> Vec<Effect> {
        self.sessions.add_abis(abis);
        let effects = self.send_to_visible(|| PaneEvent::NamesChanged);
        let notice = match problems {
            [] => Vec::new(),
            [only] => self.report_failure(&UserDataNotice::AbiProblem { first: only }),
            [first, ..] => {
                self.report_failure(&UserDataNotice::AbiProblems { count: problems.len(), first })
            }
        };
        [effects, notice].concat()
    }

    fn record_evidence(&mut self, evidence: Vec<(Address, Evidence)>) -> Vec<Effect> {
        let Some(entry) = self.nav.entry() else { return Vec::new() };
        let session = self.sessions.at_mut(entry.chain);
        let Some(known) = session.known_addresses.get_mut(&entry.viewed) else { return Vec::new() };
        let added = evidence.into_iter().filter(|(address, how)| known.add(*address, *how));
        match added.count() {
            0 => Vec::new(),
            _ => self.send_to_visible(|| PaneEvent::NamesChanged),
        }
    }

    pub(super) fn navigate(&mut self, route: Route) -> Vec<Effect> {
        self.navigate_on(self.nav.chain(), route)
    }

    fn open_source(&mut self, contract: Address, source: Option<SourcePlace>) -> Vec<Effect> {
        let route = Route::Target(TargetKind::Address(contract));
        let mut entry = self.nav.create_entry(route, self.nav.chain());
        let tab = entry.tabs.iter().position(|tab| tab.kind == PaneKind::Contract);
        entry.active = tab.unwrap_or(0);
        if let Some(tab) = entry.tabs.get_mut(entry.active) {
            tab.pane.restore(ViewParams { source, ..ViewParams::default() });
        }
        self.push_entry(entry)
    }

    /// Shows a call in the trace of a transaction: of the page, or of another.
    fn open_call(&mut self, transaction: TxHash, path: Vec<u32>) -> Vec<Effect> {
        let target = TargetKind::Transaction(transaction);
        let is_trace = |tab: &PaneInstance| tab.kind == PaneKind::Trace;
        let entry = self.nav.entry().filter(|entry| entry.route.target() == Some(target.clone()));
        if let Some(tab) = entry.and_then(|entry| entry.tabs.iter().position(is_trace)) {
            let mut effects = self.switch_tab(tab);
            effects.extend(self.send_event(PaneSlot::Tab(tab), PaneEvent::CallChosen(path)));
            return effects;
        }
        let mut entry = self.nav.create_entry(Route::Target(target), self.nav.chain());
        entry.active = entry.tabs.iter().position(is_trace).unwrap_or(0);
        if let Some(tab) = entry.tabs.get_mut(entry.active) {
            tab.pane.restore(ViewParams { node: path, ..ViewParams::default() });
        }
        self.push_entry(entry)
    }

    pub(super) fn navigate_on(&mut self, chain: ChainIndex, route: Route) -> Vec<Effect> {
        let mut entry = self.nav.create_entry(route, chain);
        entry.remove_instances(&self.sessions.at(chain).name_cache);
        (entry.gives_way, entry.seeks_rows) = (true, true);
        self.push_entry(entry)
    }

    pub(super) fn push_entry(&mut self, entry: HistoryEntry) -> Vec<Effect> {
        let mut effects = self.hide_page();
        effects.extend(self.sessions.record_recent(entry.chain, &entry.route));
        let (chain, viewed) = (entry.chain, entry.viewed);
        self.nav.push(entry);
        let known = &mut self.sessions.at_mut(chain).known_addresses;
        known.retain(|viewed, _| self.nav.entries.iter().any(|entry| entry.viewed == *viewed));
        known.entry(viewed).or_insert_with(|| KnownAddresses::new(viewed));
        effects.extend(self.activate_page());
        effects
    }

    /// Cancels the requests that a pane waits for, because it is hidden or interrupted.
    pub(super) fn cancel_pane(&mut self, slot: PaneSlot) -> Option<Effect> {
        self.set_delayed(slot, false);
        let cancelled = self.ledger.cancel_awaited(Owner::Pane(self.nav.tab(slot)?.id));
        self.with_pane(slot, |tab, cx| {
            tab.restart_wait();
            tab.pane.on_cancelled(cx);
        });
        cancel_effect(cancelled)
    }

    pub(super) fn hide_page(&mut self) -> Vec<Effect> {
        let tabs = [PaneSlot::Header, self.nav.active_slot()].into_iter();
        let mut effects: Vec<Effect> = tabs.filter_map(|slot| self.cancel_pane(slot)).collect();
        effects.extend(self.hide_preview());
        let tabs: Vec<PaneId> = self
            .nav
            .entry()
            .map(|entry| entry.tabs.iter().map(|tab| tab.id).collect())
            .unwrap_or_default();
        effects.extend(tabs.into_iter().filter_map(|pane| self.cancel_contract_names(pane)));
        effects.extend(self.cancel_tokens());
        effects
    }

    pub(super) fn go_to_page(&mut self, at: usize) -> Vec<Effect> {
        let mut effects = self.hide_page();
        self.nav.go_to(at);
        effects.extend(self.step_to_page());
        effects
    }

    pub(super) fn switch_tab(&mut self, tab: usize) -> Vec<Effect> {
        if self.nav.active_slot() == PaneSlot::Tab(tab) {
            return Vec::new();
        }
        let mut effects: Vec<Effect> =
            self.cancel_pane(self.nav.active_slot()).into_iter().collect();
        self.nav.select_tab(tab);
        effects.extend(self.activate_after_step(&[PaneSlot::Tab(tab)]));
        effects
    }

    /// Activates the current page at once.
    pub(super) fn activate_page(&mut self) -> Vec<Effect> {
        let mut effects = self.lay_out_page();
        for slot in self.nav.page_slots() {
            effects.extend(self.activate_pane(slot));
        }
        effects
    }

    /// Activates the current page as the result of a step.
    pub(super) fn step_to_page(&mut self) -> Vec<Effect> {
        let mut effects = self.lay_out_page();
        effects.extend(self.activate_after_step(&self.nav.page_slots()));
        effects
    }

    /// Prepares the current page for its activation.
    fn lay_out_page(&mut self) -> Vec<Effect> {
        let mut effects = self.update_split();
        if self.nav.is_start() {
            effects.extend(self.load_user_data());
        }
        effects
    }
}
