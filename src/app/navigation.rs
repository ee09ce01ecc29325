//! Going about: the history of places, the panes of the present one, and what they want.

use super::chain_switching::ChainSession;
use super::filters::FilterMenu;
use super::history::HistoryEntry;
use super::split_view::state::SplitPane;
use super::tab::Tab;
use super::{App, Overlay, PaneSlot, PromptKind, PromptState};
use crate::abi::SignatureDb;
use crate::keymap::key_hints::KeyHints;
use crate::msg::{ChainIndex, Effect};
use crate::pane::{Command, PaneContext, Route};
use crate::safety::address_poisoning::OutgoingTransfer;
use crate::sanitize::SafeText;

/// Places that can be gone back to. Each holds the rows that were loaded in it.
const MAX_HISTORY_ENTRIES: usize = 32;

impl App {
    /// Does what a pane of the present place wants.
    pub(super) fn apply_commands(&mut self, part: PaneSlot, wants: Vec<Command>) -> Vec<Effect> {
        let Some(ticket) = self.with_pane(part, |tab, _| tab.ticket()) else { return Vec::new() };
        let mut effects = Vec::new();
        for want in wants {
            match want {
                Command::Request(request) => effects.push(Effect::Request { ticket, request }),
                Command::Effect(effect) => effects.push(effect),
                Command::SetDiffBaseline(marked) => self.session_mut().diff_baseline = Some(marked),
                Command::AddSignature(signature) => effects.extend(self.add_signature(&signature)),
                Command::EditLabel(change) => effects.extend(self.edit_label(change)),
                Command::RemoveRecent(visit) => effects.extend(self.remove_recent(visit)),
                Command::Notify(text) => self.notice = Some(text),
                Command::NotifyKeys(words) => drop(self.notify_with_keys(words)),
                Command::RecordCounterparties(sent) => self.record_counterparties(sent),
                Command::Navigate(link) => effects.extend(self.navigate(link)),
                Command::Confirm(confirm) => self.overlay = Some(Overlay::Confirm(confirm)),
                Command::Prompt(prompt, text) => {
                    self.overlay =
                        Some(Overlay::Prompt(PromptState::new(PromptKind::Pane(prompt), &text)));
                }
                Command::Filters(query, token) => match FilterMenu::new(query, token) {
                    Some(filters) => self.overlay = Some(Overlay::Filters(filters)),
                    None => self.notice = Some("this list has no filters".into()),
                },
            }
        }
        effects
    }

    /// Knows a signature from now on, and keeps it for the next time.
    fn add_signature(&mut self, signature: &SafeText) -> Vec<Effect> {
        match self.sessions.add_signature(signature) {
            Ok(selector) => {
                let selector = alloy_primitives::hex::encode_prefixed(selector);
                let mut effects = self.notify(&format!("{selector} is {signature} from now on"));
                effects.extend(self.activate_page());
                effects.push(Effect::SaveSignature(signature.clone()));
                effects
            }
            Err(why) => self.notify(&format!("no signature: {why}")),
        }
    }

    /// Knows the user's ABIs from now on.
    pub(super) fn on_abis_loaded(
        &mut self,
        book: &SignatureDb,
        problems: &[SafeText],
    ) -> Vec<Effect> {
        self.sessions.add_abis(book);
        match problems {
            [] => Vec::new(),
            [only] => self.notify(&format!("an ABI file cannot be used: {only}")),
            [first, rest @ ..] => {
                self.notify(&format!("{} ABI files cannot be used: {first}", rest.len() + 1))
            }
        }
    }

    fn record_counterparties(&mut self, sent: Vec<OutgoingTransfer>) {
        if let Some(place) = self.history.get_mut(self.current) {
            for sent in sent {
                place.known_addresses.add(sent);
            }
        }
    }

    /// Goes to a new place on the same chain.
    pub(super) fn navigate(&mut self, link: Route) -> Vec<Effect> {
        self.navigate_on(self.current_chain(), link)
    }

    /// Goes to a new place; what was ahead in the history is forgotten.
    pub(super) fn navigate_on(&mut self, chain: ChainIndex, link: Route) -> Vec<Effect> {
        let place =
            HistoryEntry::new(link, chain, &mut self.next_pane_id, self.history.get(self.current));
        self.push_entry(place)
    }

    /// Goes to a new place that is made already.
    pub(super) fn push_entry(&mut self, place: HistoryEntry) -> Vec<Effect> {
        let mut effects = self.deactivate_page();
        effects.extend(self.record_recent(place.chain, &place.route));
        self.history.truncate(self.current + 1);
        if self.history.len() == MAX_HISTORY_ENTRIES {
            self.history.remove(0);
        }
        self.history.push(place);
        self.current = self.history.len() - 1;
        effects.extend(self.activate_page());
        effects
    }

    /// Goes through the history.
    pub(super) fn go_history(&mut self, by: isize) -> Vec<Effect> {
        let Some(to) = self.current.checked_add_signed(by).filter(|to| *to < self.history.len())
        else {
            return self.notify(if by < 0 { "nothing before this" } else { "nothing after this" });
        };
        let mut effects = self.deactivate_page();
        self.current = to;
        effects.extend(self.activate_page());
        effects
    }

    pub(super) fn switch_tab(&mut self, tab: usize) -> Vec<Effect> {
        let Some(place) = self.history.get_mut(self.current) else { return Vec::new() };
        if tab >= place.tabs.len() {
            return self.notify("there is no such tab here");
        }
        if tab == place.active {
            return Vec::new();
        }
        let left = place.tabs.get_mut(place.active).and_then(Tab::deactivate);
        place.active = tab;
        let mut effects: Vec<Effect> = left.into_iter().collect();
        effects.extend(self.activate_pane(PaneSlot::Tab(tab)));
        effects
    }

    /// Nobody looks at the present place any more.
    pub(super) fn deactivate_page(&mut self) -> Vec<Effect> {
        let Some(place) = self.history.get_mut(self.current) else { return Vec::new() };
        let slots = place.header.iter_mut().chain(place.tabs.get_mut(place.active));
        let left: Vec<_> = slots.filter_map(Tab::deactivate).collect();
        let beside = place.split.as_mut().and_then(SplitPane::deactivate);
        left.into_iter().chain(beside).collect()
    }

    /// The present place comes into sight.
    pub(super) fn activate_page(&mut self) -> Vec<Effect> {
        let room = self.update_split();
        let tab = PaneSlot::Tab(self.current_entry().map_or(0, |place| place.active));
        let is_start = matches!(self.current_entry().map(|place| &place.route), Some(Route::Start));
        let own = if is_start { self.load_user_data() } else { Vec::new() };
        [
            room,
            own,
            self.activate_pane(tab),
            self.activate_pane(PaneSlot::Header),
            self.activate_preview(),
        ]
        .concat()
    }

    pub(super) fn activate_pane(&mut self, part: PaneSlot) -> Vec<Effect> {
        self.run_in_pane(part, |tab, cx| tab.pane.activate(cx))
    }

    /// Calls a pane of the present place with its surroundings.
    pub(super) fn with_pane<R>(
        &mut self,
        part: PaneSlot,
        call: impl FnOnce(&mut Tab, &PaneContext<'_>) -> R,
    ) -> Option<R> {
        let regions = self.layout();
        let HistoryEntry { chain, header, tabs, split: side, known_addresses: known, .. } =
            self.history.get_mut(self.current)?;
        let (slot, area) = match part {
            PaneSlot::Header => (header.as_mut()?, regions.header),
            PaneSlot::Tab(tab) => (tabs.get_mut(tab)?, regions.body),
            PaneSlot::Preview => (side.as_mut()?.tab_mut()?, regions.preview),
        };
        let ChainSession {
            network,
            name_cache: seen,
            recents: lately,
            signature_db: book,
            diff_baseline: marked,
            ..
        } = self.sessions.at(*chain);
        let (now, styles, notation) = (self.now, &self.styles, &self.format);
        let (marked, visits) = (marked.as_ref(), (&lately.recents, lately.error.as_ref()));
        let keys = KeyHints::new(&self.keymap, slot.pane.state().key_context);
        let cx = PaneContext {
            area,
            now,
            network,
            styles,
            signature_db: book,
            diff_baseline: marked,
            known_addresses: known,
            name_cache: seen,
            recents: visits,
            format: notation,
            keys,
        };
        Some(call(slot, &cx))
    }
}
