//! Pages of addresses without transactions: a token's contract gives its place to the token's page, with its
//! transfers, holders and NFTs, and other pages show their first tab with rows.

use crate::app::App;
use crate::app_message::Effect;
use crate::chain::Address;
use crate::chain::target::TargetKind;
use crate::pane::{PaneKind, Route, RowCount};

impl App {
    /// Shows the page of a token in the place of its contract's, if that was opened on its transactions and
    /// is known to have none. The page of a collection opens on its NFTs.
    pub(in crate::app) fn show_token_instead(&mut self) -> Vec<Effect> {
        let Some(token) = self.token_without_transactions() else { return Vec::new() };
        let mut entry = self.nav.create_entry(Route::Token(token), self.nav.chain());
        entry.remove_instances(&self.session().name_cache);
        entry.active = entry.show_tab(PaneKind::TokenInstances).unwrap_or(0);
        let effects = self.hide_page();
        self.nav.replace(entry);
        [effects, self.activate_page()].concat()
    }

    /// Shows the first tab with rows of a page that was opened without one and whose first tab is empty.
    pub(in crate::app) fn show_tab_with_rows(&mut self) -> Vec<Effect> {
        let entry = self.nav.entry().filter(|entry| entry.seeks_rows && !entry.is_header_focused);
        let free = entry.filter(|_| self.overlays.top.is_none());
        let Some(entry) = free else { return Vec::new() };
        match entry.first_tab_with_rows() {
            Some(tab) => self.switch_tab(tab),
            None => Vec::new(),
        }
    }

    fn token_without_transactions(&self) -> Option<Address> {
        let entry = self.nav.entry().filter(|entry| entry.gives_way && !entry.is_header_focused)?;
        let Route::Target(TargetKind::Address(address)) = entry.route else { return None };
        let list = entry.tabs.get(entry.active)?;
        let is_empty = list.kind == PaneKind::Transactions
            && list.pane.row_count(list.kind) == Some(RowCount::Exactly(0));
        let is_free = self.overlays.top.is_none();
        (is_empty && is_free && self.session().name_cache.is_token(&address)).then_some(address)
    }
}
