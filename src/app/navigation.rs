//! The history of pages, and which pane of the current one has the focus.
//!
//! A page is a route with its panes: a header, tabs, and the preview of a split view. Each pane has an id
//! for its requests. Pages that are left keep their panes with the loaded rows, so that going back needs
//! no request.

pub(super) mod history;
pub(super) mod location;
pub(super) mod pane_instance;
pub(super) mod route_title;
pub(super) mod split_state;

use super::PaneSlot;
use crate::app::requests::ledger::PaneId;
use crate::app_message::ChainIndex;
use crate::chain::Address;
use crate::chain::target::TargetKind;
use crate::keymap::KeyContext;
use crate::pane::{PaneKind, PaneOfKind, Route};
use history::HistoryEntry;
use pane_instance::PaneInstance;
use split_state::{Preview, SplitPane, SplitSettings};

/// Upper bound on the pages of the history. Each keeps the rows that it has loaded.
const MAX_HISTORY_ENTRIES: usize = 32;

#[derive(Debug)]
pub(super) struct Navigation {
    /// All pages, the oldest first.
    pub(super) entries: Vec<HistoryEntry>,
    /// The index of the current page.
    pub(super) current: usize,
    last_pane_id: u32,
    pub(super) split: SplitSettings,
}

impl Navigation {
    pub(super) fn new(is_split: bool) -> Self {
        let kind = PaneKind::Transaction;
        let split = SplitSettings { is_enabled: is_split, preview_kind: kind };
        Self { entries: Vec::new(), current: 0, last_pane_id: 0, split }
    }

    /// Returns `true` if the page of a block is shown.
    pub(super) fn is_of_block(&self) -> bool {
        self.entry().is_some_and(HistoryEntry::is_of_block)
    }

    /// The current page. There is none before the app is started.
    pub(super) fn entry(&self) -> Option<&HistoryEntry> {
        self.entries.get(self.current)
    }

    pub(super) fn entry_mut(&mut self) -> Option<&mut HistoryEntry> {
        self.entries.get_mut(self.current)
    }

    pub(super) fn chain(&self) -> ChainIndex {
        self.entry().map(|entry| entry.chain).unwrap_or_default()
    }

    /// Creates a page that is opened from the current one.
    pub(super) fn create_entry(&mut self, route: Route, chain: ChainIndex) -> HistoryEntry {
        let from = self.entries.get(self.current);
        HistoryEntry::new(route, chain, &mut self.last_pane_id, from)
    }

    pub(super) fn create_tabs(&mut self, panes: Vec<PaneOfKind>) -> Vec<PaneInstance> {
        PaneInstance::create_all(panes, &mut self.last_pane_id)
    }

    /// Makes `entry` the current page. Drops the pages ahead of the current one.
    pub(super) fn push(&mut self, entry: HistoryEntry) {
        self.entries.truncate(self.current + 1);
        if self.entries.len() == MAX_HISTORY_ENTRIES {
            self.entries.remove(0);
        }
        self.entries.push(entry);
        self.current = self.entries.len() - 1;
    }

    /// Puts `entry` in the place of the current page.
    pub(super) fn replace(&mut self, entry: HistoryEntry) {
        if let Some(current) = self.entry_mut() {
            *current = entry;
        }
    }

    pub(super) fn can_go(&self, by: isize) -> bool {
        self.current.checked_add_signed(by).is_some_and(|to| to < self.entries.len())
    }

    /// Makes the page at an index current.
    pub(super) fn go_to(&mut self, at: usize) {
        self.current = at.min(self.entries.len().saturating_sub(1));
    }

    /// Selects a tab of the current page.
    pub(super) fn select_tab(&mut self, at: usize) {
        if let Some(entry) = self.entry_mut() {
            entry.active = at;
            entry.is_header_focused = false;
            // The user wants this page.
            (entry.gives_way, entry.seeks_rows) = (false, false);
        }
    }

    /// Marks the panes of a chain whose data may be gone.
    pub(super) fn mark_stale(&mut self, chain: ChainIndex) {
        for entry in self.entries.iter_mut().filter(|entry| entry.chain == chain) {
            entry.panes_mut().for_each(|tab| tab.is_stale = true);
        }
    }

    pub(super) fn active_slot(&self) -> PaneSlot {
        PaneSlot::Tab(self.entry().map_or(0, |entry| entry.active))
    }

    pub(super) fn active_tab(&self) -> Option<&PaneInstance> {
        self.tab(self.active_slot())
    }

    pub(super) fn visible_slots(&self) -> [PaneSlot; 3] {
        [PaneSlot::Header, self.active_slot(), PaneSlot::Preview]
    }

    /// Returns the visible slots in the order in which they are loaded.
    pub(super) fn page_slots(&self) -> [PaneSlot; 3] {
        [self.active_slot(), PaneSlot::Header, PaneSlot::Preview]
    }

    pub(super) fn focused_slot(&self) -> PaneSlot {
        match self.split_pane() {
            Some(SplitPane { is_focused: true, .. }) => PaneSlot::Preview,
            _ if self.is_header_focused() => PaneSlot::Header,
            _ => self.active_slot(),
        }
    }

    /// Returns the slot of the content with the focus, or below the header with it.
    pub(super) fn content_slot(&self) -> PaneSlot {
        match self.focused_slot() {
            PaneSlot::Header => self.active_slot(),
            slot => slot,
        }
    }

    pub(super) fn is_header_focused(&self) -> bool {
        self.entry().is_some_and(|entry| entry.is_header_focused && entry.header.is_some())
    }

    pub(super) fn is_preview_focused(&self) -> bool {
        self.focused_slot() == PaneSlot::Preview
    }

    pub(super) fn focus(&mut self, slot: PaneSlot) {
        if let Some(entry) = self.entry_mut() {
            entry.is_header_focused = slot == PaneSlot::Header;
        }
        if let Some(split) = self.split_pane_mut() {
            split.is_focused = slot == PaneSlot::Preview;
        }
    }

    pub(super) fn focus_list(&mut self) {
        self.focus(self.active_slot());
    }

    pub(super) fn tab(&self, slot: PaneSlot) -> Option<&PaneInstance> {
        self.entry()?.tab(slot)
    }

    pub(super) fn focused_tab(&self) -> Option<&PaneInstance> {
        self.tab(self.focused_slot())
    }

    pub(super) fn focused_route(&self) -> Option<&Route> {
        match self.preview().filter(|_| self.is_preview_focused()) {
            Some(preview) => Some(&preview.target.link),
            None => self.entry().map(|entry| &entry.route),
        }
    }

    /// The address or the token that the focused route is about.
    pub(super) fn focused_address(&self) -> Option<Address> {
        match self.focused_route()? {
            Route::Target(TargetKind::Address(address)) => Some(*address),
            Route::Token(token) | Route::Instances { token, .. } => Some(*token),
            _ => None,
        }
    }

    pub(super) fn key_context(&self) -> KeyContext {
        self.focused_tab().map_or(KeyContext::Everywhere, |tab| tab.pane.state().key_context)
    }

    pub(super) fn is_list(&self) -> bool {
        self.active_tab().is_some_and(|tab| tab.pane.state().key_context == KeyContext::List)
    }

    pub(super) fn is_trace(&self) -> bool {
        self.key_context() == KeyContext::Trace
    }

    /// Returns `true` if the focused tab is about a transaction, with folds.
    pub(super) fn has_folds(&self) -> bool {
        let tab = self.tab(self.focused_slot());
        self.is_trace() || tab.is_some_and(|tab| tab.kind == PaneKind::Transaction)
    }

    pub(super) fn is_transaction(&self) -> bool {
        let target = self.focused_route().and_then(Route::target);
        matches!(target, Some(TargetKind::Transaction(_)))
    }

    pub(super) fn is_start(&self) -> bool {
        self.entry().is_some_and(|entry| matches!(entry.route, Route::Start))
    }

    pub(super) fn split_pane(&self) -> Option<&SplitPane> {
        self.entry()?.split.as_ref()
    }

    pub(super) fn split_pane_mut(&mut self) -> Option<&mut SplitPane> {
        self.entry_mut()?.split.as_mut()
    }

    pub(super) fn preview(&self) -> Option<&Preview> {
        self.split_pane()?.preview.as_ref()
    }

    pub(super) fn preview_mut(&mut self) -> Option<&mut Preview> {
        self.split_pane_mut()?.preview.as_mut()
    }

    /// Returns the slot of a pane of the current page.
    pub(super) fn find_pane(&self, pane: PaneId) -> Option<PaneSlot> {
        let entry = self.entry()?;
        let tabs = (0..entry.tabs.len()).map(PaneSlot::Tab);
        let mut slots = [PaneSlot::Header, PaneSlot::Preview].into_iter().chain(tabs);
        slots.find(|slot| entry.tab(*slot).is_some_and(|tab| tab.id == pane))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_pages_make_way_for_new_ones() {
        let mut navigation = Navigation::new(false);
        for number in 0..40 {
            let route = Route::Target(TargetKind::Address(Address::with_last_byte(number)));
            let page = navigation.create_entry(route, ChainIndex::default());
            navigation.push(page);
        }
        let kept = navigation.entries.iter().filter_map(|page| page.viewed);
        assert!(kept.eq((8..40).map(Address::with_last_byte)));
        assert_eq!(navigation.current, 31);
    }
}
