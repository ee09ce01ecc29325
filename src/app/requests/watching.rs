//! Requests for new rows at the watched addresses of the chain on the screen: while the start page is
//! shown in a terminal with the focus, and always if the user wants notifications. There is one at a
//! time, and a round of them every two minutes, or with each block of a node.

use std::time::Duration;

use super::ledger::Owner;
use crate::api::{Query, ReplyResult};
use crate::app::App;
use crate::app_message::{ChainIndex, ChainRequest, Effect, NotificationMethod, Priority};
use crate::chain::Address;
use crate::chain::network::Endpoint;
use crate::indexer::IndexProgress;
use crate::messages::watch::UnreadMark;
use crate::pane::PaneKind;
use crate::sanitize::SafeText;
use crate::watch::arrival::Arrival;
use crate::watch::arrival_format::ArrivalFormat;

/// Interval between looks at the clock while addresses are watched.
const WATCH_TICK: Duration = Duration::from_mins(1);

impl App {
    /// Returns the title of the terminal. `None` if nothing is unread.
    pub fn title(&self) -> Option<String> {
        let unread = self.sessions.all().map(|session| session.watched.all_unread()).sum();
        (unread > 0).then(|| UnreadMark::Title { unread }.to_string())
    }

    /// Returns the interval between ticks that watching needs.
    pub(in crate::app) fn watch_interval(&self) -> Option<Duration> {
        self.is_watching().then_some(WATCH_TICK)
    }

    fn is_watching(&self) -> bool {
        let session = self.session();
        let can_change = match session.network.endpoint {
            Endpoint::Embedded | Endpoint::Undecided(_) => false,
            Endpoint::Remote(_) | Endpoint::Node(_) => true,
        };
        let is_looked_at = self.nav.is_start() && self.display.has_focus;
        let is_notified = self.display.settings.notification != NotificationMethod::Off;
        can_change
            && (is_looked_at || is_notified)
            && session.name_cache.labels().watched().next().is_some()
    }

    /// Begins to read the lists if they are due.
    pub(in crate::app) fn tick_watching(&mut self) {
        if self.is_watching() {
            let now = self.display.now;
            self.session_mut().watched.on_tick(now);
        }
    }

    /// Notes that a node has new blocks, or lost some.
    pub(in crate::app) fn on_watched_chain(
        &mut self,
        chain: ChainIndex,
        progress: &IndexProgress,
        before: &IndexProgress,
    ) {
        let last_block = |progress: &IndexProgress| {
            progress.coverage.as_ref().map(|coverage| coverage.last_block)
        };
        let watched = &mut self.sessions.at_mut(chain).watched;
        if progress.rollback != before.rollback {
            watched.roll_back(progress.rollback.and_then(|rollback| rollback.last_block));
        } else if last_block(progress) != last_block(before) {
            watched.on_new_blocks();
        }
    }

    /// Sends the next request, or cancels the one that is no longer wanted. Called after every message.
    pub(in crate::app) fn sync_watching(&mut self) -> Option<Effect> {
        self.sync_watched_addresses();
        let chain = self.nav.chain();
        let wanted = self.is_watching().then_some(chain);
        if let Some(asked) = self.ledger.chain_of(Owner::Watching) {
            return if wanted == Some(asked) { None } else { self.cancel(Owner::Watching) };
        }
        let watched = &mut self.sessions.at_mut(wanted?).watched;
        watched.catch_up();
        let (query, cursor) = watched.next_request()?;
        let request = ChainRequest::Fetch { query, cursor, priority: Priority::Idle };
        Some(self.request_in_background(Owner::Watching, chain, request))
    }

    /// Watches the addresses of the watch list. The address on the screen has nothing unread.
    fn sync_watched_addresses(&mut self) {
        let open = self.nav.focused_address().filter(|_| self.display.has_focus);
        let session = self.session_mut();
        let is_node = matches!(session.network.endpoint, Endpoint::Node(_));
        let coverage = session.index.as_ref().and_then(|index| index.coverage.as_ref());
        if coverage.is_some() || !is_node {
            let since = coverage.map(|coverage| coverage.last_block.saturating_add(1));
            session.watched.set(session.name_cache.labels().watched(), since);
        }
        if let Some(address) = open {
            session.watched.mark_read(address);
        }
    }

    /// Handles the reply to a request. Notifies the user of new rows that are not in a live list on the screen.
    pub(super) fn on_watched(
        &mut self,
        chain: ChainIndex,
        query: &Query,
        reply: &ReplyResult,
    ) -> Vec<Effect> {
        let session = self.sessions.at_mut(chain);
        let Some(mut new) = session.watched.receive(query, reply.as_ref()) else {
            return Vec::new();
        };
        let live = self.live_list(new.address);
        new.rows.retain(|row| !live.is_some_and(|list| shows(list, row)));
        if new.rows.is_empty() {
            return Vec::new();
        }
        let session = self.sessions.at(chain);
        let format = ArrivalFormat {
            unit: self.display.format.unit,
            network: &session.network,
            names: &session.name_cache,
            signatures: &session.signature_db,
        };
        let text = format.notification(new.address, &new.rows);
        self.notify_outside(&text)
    }

    /// Returns the live list of the address on the screen.
    fn live_list(&self, address: Address) -> Option<PaneKind> {
        let is_open = self.display.has_focus && self.nav.focused_address() == Some(address);
        let tab = self.nav.focused_tab().filter(|tab| is_open && tab.pane.state().is_live);
        tab.map(|tab| tab.kind)
    }

    /// Shows a notification, and sends it to the terminal if the user wants that.
    pub(in crate::app) fn notify_outside(&mut self, text: &str) -> Vec<Effect> {
        self.notify(text);
        match self.display.settings.notification {
            NotificationMethod::Off => Vec::new(),
            method => vec![Effect::NotifyUser { method, text: SafeText::new(text) }],
        }
    }
}

/// Returns `true` if a list of an address has rows of this kind.
fn shows(list: PaneKind, row: &Arrival) -> bool {
    let own = match row {
        Arrival::Transaction(_) => PaneKind::Transactions,
        Arrival::TokenTransfer(_) => PaneKind::TokenTransfers,
        Arrival::InternalTransaction(_) => PaneKind::InternalTransactions,
    };
    [own, PaneKind::Activity].contains(&list)
}
