//! One page of the history: a route and its panes.

use std::mem;

use super::pane_instance::PaneInstance;
use super::split_state::SplitPane;
use crate::app::PaneSlot;
use crate::app::requests::shared_replies::SharedReplies;
use crate::app_message::ChainIndex;
use crate::chain::Address;
use crate::chain::target::TargetKind;
use crate::name_cache::NameCache;
use crate::pane::{PageList, PaneKind, Route, RowCount, hidden_lists};

/// A page. All of its panes are created at once; each sends requests when it is first activated.
#[derive(Debug)]
pub(in crate::app) struct HistoryEntry {
    pub(in crate::app) chain: ChainIndex,
    pub(in crate::app) route: Route,
    pub(in crate::app) header: Option<PaneInstance>,
    pub(in crate::app) tabs: Vec<PaneInstance>,
    /// The tabs that are not shown, because nothing on the page shows that they have rows.
    pub(in crate::app) hidden_tabs: Vec<PaneInstance>,
    pub(in crate::app) active: usize,
    pub(in crate::app) is_header_focused: bool,
    /// Next to the active tab, if that is a list and the screen is wide enough.
    pub(in crate::app) split: Option<SplitPane>,
    /// The address that the page is about, or that it was opened from.
    pub(in crate::app) viewed: Option<Address>,
    pub(in crate::app) replies: SharedReplies,
    /// `true` if no tab was asked for, so that another page with more may take its place.
    pub(in crate::app) gives_way: bool,
    /// `true` if no tab was asked for, so that another one may be shown if the first is empty.
    pub(in crate::app) seeks_rows: bool,
}

impl HistoryEntry {
    /// Returns `true` for the page of a block.
    pub(in crate::app) fn is_of_block(&self) -> bool {
        self.tabs.iter().any(|tab| tab.kind == PaneKind::Block)
    }

    /// Creates the page of a route that was opened from another page. `last_id` is the id of the pane
    /// created last.
    pub(in crate::app) fn new(
        route: Route,
        chain: ChainIndex,
        last_id: &mut u32,
        from: Option<&Self>,
    ) -> Self {
        let mut tabs = PaneInstance::create_all(PaneKind::create_all(&route), last_id);
        let hidden = hidden_lists(&route).into_iter().map(PageList::into_pane).collect();
        let hidden_tabs = PaneInstance::create_all(hidden, last_id);
        let header = tabs.iter().position(|tab| tab.kind.is_header()).map(|at| tabs.remove(at));
        let viewed = match &route {
            Route::Target(TargetKind::Address(address)) => Some(*address),
            _ => from.filter(|from| from.chain == chain).and_then(|from| from.viewed),
        };
        let (split, replies) = (None, SharedReplies::default());
        let (active, is_header_focused) = (0, false);
        let (gives_way, seeks_rows) = (false, false);
        let mut entry = Self {
            chain,
            route,
            header,
            tabs,
            hidden_tabs,
            active,
            is_header_focused,
            split,
            viewed,
            replies,
            gives_way,
            seeks_rows,
        };
        entry.show_tabs_with_rows();
        entry
    }

    pub(in crate::app) fn tab(&self, slot: PaneSlot) -> Option<&PaneInstance> {
        match slot {
            PaneSlot::Header => self.header.as_ref(),
            PaneSlot::Tab(at) => self.tabs.get(at),
            PaneSlot::Preview => self.split.as_ref()?.tab(),
        }
    }

    pub(in crate::app) fn tab_mut(&mut self, slot: PaneSlot) -> Option<&mut PaneInstance> {
        match slot {
            PaneSlot::Header => self.header.as_mut(),
            PaneSlot::Tab(at) => self.tabs.get_mut(at),
            PaneSlot::Preview => self.split.as_mut()?.tab_mut(),
        }
    }

    pub(in crate::app) fn panes_mut(&mut self) -> impl Iterator<Item = &mut PaneInstance> {
        let preview = self.split.as_mut().and_then(|split| split.preview.as_mut());
        let previewed = preview.into_iter().flat_map(|preview| &mut preview.tabs);
        self.header.iter_mut().chain(&mut self.tabs).chain(previewed)
    }

    /// Shows the hidden tabs that have rows according to the header, or else the first tab.
    pub(in crate::app) fn show_tabs_with_rows(&mut self) {
        let Some(first) = self.header.as_ref().or(self.tabs.first()) else { return };
        let (shown, hidden) = mem::take(&mut self.hidden_tabs).into_iter().partition(|tab| {
            first.pane.row_count(tab.kind).is_some_and(|count| count != RowCount::Exactly(0))
        });
        self.hidden_tabs = hidden;
        self.tabs.extend::<Vec<_>>(shown);
        self.order_tabs();
    }

    /// Orders the tabs as they were created, whatever showed those that were hidden.
    fn order_tabs(&mut self) {
        let active = self.tabs.get(self.active).map(|tab| tab.id);
        self.tabs.sort_by_key(|tab| tab.id.0);
        let place = active.and_then(|id| self.tabs.iter().position(|tab| tab.id == id));
        self.active = place.unwrap_or(self.active);
    }

    /// Returns the position of the first tab that has rows according to the header, if the first of all is
    /// shown, is a list and is known to have none.
    pub(in crate::app) fn first_tab_with_rows(&self) -> Option<usize> {
        let header = self.header.as_ref()?;
        let first = self.tabs.first().filter(|_| self.active == 0)?;
        let is_empty = first.pane.row_count(first.kind) == Some(RowCount::Exactly(0));
        let has_rows = |tab: &PaneInstance| {
            header.pane.row_count(tab.kind).is_some_and(|count| count != RowCount::Exactly(0))
        };
        self.tabs.iter().position(has_rows).filter(|_| is_empty)
    }

    /// Returns the position of the tab of a kind, which is shown if it was hidden.
    pub(in crate::app) fn show_tab(&mut self, kind: PaneKind) -> Option<usize> {
        if let Some(at) = self.hidden_tabs.iter().position(|tab| tab.kind == kind) {
            self.tabs.push(self.hidden_tabs.remove(at));
            self.order_tabs();
        }
        self.tabs.iter().position(|tab| tab.kind == kind)
    }

    /// Removes the tab of the instances from the page of a token that has none, unless it is selected.
    pub(in crate::app) fn remove_instances(&mut self, names: &NameCache) {
        if matches!(&self.route, Route::Token(token) if names.is_erc20(token))
            && self.active + 1 < self.tabs.len()
        {
            self.tabs.pop_if(|tab| tab.kind == PaneKind::TokenInstances);
        }
    }
}
