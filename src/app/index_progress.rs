//! State of the index of a node's chain: its progress, and the cached data that a rollback invalidates.

use std::collections::HashSet;

use super::overlays::overlay::Overlay;
use super::requests::cancel_effect;
use super::requests::ledger::Owner;
use super::sessions::ChainSession;
use super::{App, PaneSlot};
use crate::abi::SignatureDb;
use crate::app_message::{ChainIndex, Effect};
use crate::chain::amount::Grouped;
use crate::chain::chains::Chains;
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::network::{DEVELOPMENT_IDS, Network};
use crate::chain::target::LinkedChain;
use crate::indexer::{IndexCoverage, IndexProgress, TransactionInBlock};
use crate::messages::index::{self, IndexedRange};
use crate::messages::node::{ChainNotice, NodeOutage};
use crate::messages::notice::{Notice, NoticeKind, with_keys};
use crate::messages::prompt;
use crate::pane::{Confirmation, PaneEvent};
use crate::rpc::ForkedNetwork;
use crate::sanitize::SafeText;

impl App {
    pub(super) fn on_index_progress(
        &mut self,
        chain: ChainIndex,
        progress: &IndexProgress,
    ) -> Vec<Effect> {
        let is_own = progress.is_own_chain();
        let was_development = self.sessions.at(chain).network.is_development();
        let asked = progress.chain_id.map(|id| self.on_chain_id(chain, id, is_own));
        let mut effects = asked.unwrap_or_default();
        let session = self.sessions.at_mut(chain);
        session.network.is_local_development = progress.is_local;
        let before = session.index.replace(progress.clone()).unwrap_or_default();
        let is_development = session.network.is_development();
        session.network.newest_block = progress.newest_block.filter(|_| is_development);
        if progress.rollback != before.rollback {
            session.forget();
            effects.extend(self.cancel_chain(chain));
            self.nav.mark_stale(chain);
        }
        if progress.is_local {
            self.sessions.at_mut(chain).name_cache.name_development_accounts();
        }
        self.on_watched_chain(chain, progress, &before);
        if chain != self.nav.chain() {
            return effects;
        }
        self.notify_of_progress(progress, &before);
        effects.extend(self.notify_of_failure(progress, &before));
        if is_development != was_development {
            // Replies may have come before the node said what it is.
            effects.extend(self.send_to_visible(|| PaneEvent::NamesChanged));
        }
        let advanced = match progress.error {
            None => self.send_to_visible(|| PaneEvent::ChainAdvanced),
            Some(_) => Vec::new(), // nothing new to report
        };
        let slots = self.nav.visible_slots();
        let reloaded = slots.into_iter().flat_map(|slot| self.reload_stale(slot)).collect();
        [effects, advanced, reloaded].concat()
    }

    /// Cancels all requests to a chain after a rollback: their replies may be of blocks that are gone. The
    /// prompt repeats its request, and panes do when they are shown.
    fn cancel_chain(&mut self, chain: ChainIndex) -> Vec<Effect> {
        let (requests, owners): (Vec<_>, HashSet<_>) =
            self.ledger.cancel_chain(chain).into_iter().unzip();
        for slot in self.nav.visible_slots() {
            if self.nav.tab(slot).is_some_and(|tab| owners.contains(&Owner::Pane(tab.id))) {
                self.with_pane(slot, |tab, cx| tab.pane.on_cancelled(cx));
            }
        }
        let mut effects: Vec<Effect> = cancel_effect(requests).into_iter().collect();
        if owners.contains(&Owner::GoTo) || owners.contains(&Owner::Search) {
            effects.extend(self.ask_prompt_again(owners.contains(&Owner::GoTo)));
        }
        effects
    }

    fn notify_of_progress(&mut self, progress: &IndexProgress, before: &IndexProgress) {
        if let Some(rollback) = progress.rollback.filter(|new| before.rollback != Some(*new)) {
            self.warn(&rollback);
        } else if let Some(fork) = progress.fork.filter(|new| before.fork != Some(*new)) {
            self.notify(&self.describe_fork(fork));
        } else if let Some(error) = progress.error.as_ref().filter(|_| before.error.is_none()) {
            let text = SafeText::new(&error.while_retrying());
            self.notice = Some(Notice { text, kind: NoticeKind::Outage });
        } else if progress.error.is_none() {
            self.notice.take_if(|notice| notice.kind == NoticeKind::Outage);
        }
    }

    /// Notifies of a transaction that failed on a development node on this machine.
    fn notify_of_failure(
        &mut self,
        progress: &IndexProgress,
        before: &IndexProgress,
    ) -> Vec<Effect> {
        let new = progress.failure.filter(|new| before.failure != Some(*new));
        let Some(TransactionInBlock { hash, block }) = new.filter(|_| progress.is_local) else {
            return Vec::new();
        };
        let block = Grouped(block).to_string();
        let key = self.pane_keys().expand("{transactions}");
        let notice = ChainNotice::Failed { hash: &abbreviate(&hash), block: &block, key: &key };
        self.notify_outside(&notice.to_string())
    }

    fn describe_fork(&self, fork: ForkedNetwork) -> String {
        let block = Grouped(fork.fork_block_number).to_string();
        // Many development chains have the id of the demo chain.
        let known_id = fork.chain_id.filter(|id| !DEVELOPMENT_IDS.contains(id));
        let known = known_id.and_then(|id| self.chains.linked_network(&LinkedChain::Id(id)));
        let chain =
            fork.chain_id.map_or_else(|| index::OTHER_CHAIN.into(), |id| format!("chain {id}"));
        let key = self.pane_keys().expand("{chains}");
        let way_out = known.map(|known| format!(" ({key}: {known})")).unwrap_or_default();
        ChainNotice::Fork { chain: &chain, block: &block, way_out: &way_out }.to_string()
    }

    /// Notifies once of a project in the current folder that may name the contracts of a chain that the user
    /// does not run.
    pub(super) fn on_project_found(&mut self, chain: ChainIndex, root: SafeText) -> Vec<Effect> {
        if chain != self.nav.chain() {
            return Vec::new(); // found again with the next block
        }
        let is_new = self.session_mut().foreign_project.replace(root).is_none();
        if is_new { self.notify_with_keys(with_keys::PROJECT_FOUND) } else { Vec::new() }
    }

    /// Prompts before that project names the contracts of the chain.
    pub(super) fn ask_for_project_names(&mut self) -> Vec<Effect> {
        let chain = self.nav.chain();
        let session = self.session();
        let Some(root) = &session.foreign_project else { return Vec::new() };
        let lines = [format!("project: {root}"), format!("chain: {}", session.network)];
        self.open_overlay(Overlay::Confirm(Confirmation {
            title: prompt::NAME_CONTRACTS,
            lines: lines.iter().map(SafeText::from).collect(),
            indent: 0,
            effect: Some(Effect::AllowProject(chain)),
        }))
    }

    /// Adds the signatures of a project. Rows that had no names are updated.
    pub(super) fn on_project_loaded(
        &mut self,
        chain: ChainIndex,
        signatures: &SignatureDb,
    ) -> Vec<Effect> {
        let session = self.sessions.at_mut(chain);
        session.signature_db.share_project_abis(signatures);
        if session.foreign_project.take().is_none() {
            return self.send_to_visible(|| PaneEvent::NamesChanged);
        }
        self.nav.mark_stale(chain);
        let slots = self.nav.visible_slots();
        slots.into_iter().flat_map(|slot| self.reload_stale(slot)).collect()
    }

    /// Sets the kind of server at the URL of a chain. Only now the location of its recents is known.
    pub(super) fn on_decided(&mut self, chain: ChainIndex, network: Network) -> Vec<Effect> {
        self.sessions.at_mut(chain).network = network;
        let here = self.nav.entry().filter(|entry| entry.chain == chain);
        let route = here.map(|entry| entry.route.clone());
        let recent = route.and_then(|route| self.sessions.record_recent(chain, &route));
        let mut effects = self.sessions.load_user_data(chain);
        effects.extend(recent);
        if chain != self.nav.chain() {
            return effects;
        }
        for slot in self.nav.visible_slots() {
            // Requests in flight are answered by the server that is there now.
            if !self.is_busy(slot) {
                effects.extend(self.send_event(slot, PaneEvent::ChainAdvanced));
            }
        }
        effects
    }

    /// Sets the id that a node reports. Labels may be stored under it.
    fn on_chain_id(&mut self, chain: ChainIndex, id: u64, is_own: bool) -> Vec<Effect> {
        let session = self.sessions.at_mut(chain);
        let reported = session.index.as_ref().and_then(|before| before.chain_id);
        let was_own = session.index.as_ref().is_some_and(IndexProgress::is_own_chain);
        let known = Chains::replace_id(&mut session.network, id, is_own, was_own);
        if known == Some(id) {
            return Vec::new();
        }
        if let Some(expected) = known {
            self.warn(&match reported {
                Some(_) => ChainNotice::Changed { id, expected },
                None => ChainNotice::Unexpected { id, expected },
            });
        }
        self.sessions.load_user_data(chain)
    }

    /// Reports to a pane that was hidden what happened to the chain of its node.
    pub(super) fn catch_up(&mut self, slot: PaneSlot) -> Vec<Effect> {
        let reloaded = self.reload_stale(slot);
        if self.is_busy(slot) || self.session().index.is_none() {
            return reloaded;
        }
        [reloaded, self.send_event(slot, PaneEvent::ChainAdvanced)].concat()
    }

    /// Loads a pane again if blocks that it may show are gone.
    fn reload_stale(&mut self, slot: PaneSlot) -> Vec<Effect> {
        let is_stale = self.with_pane(slot, |tab, _| std::mem::take(&mut tab.is_stale));
        if is_stale == Some(true) {
            self.send_event(slot, PaneEvent::ChainRolledBack)
        } else {
            Vec::new()
        }
    }
}

/// Describes the progress of indexing a node's chain.
pub(super) fn describe_progress(session: &ChainSession) -> String {
    let Some(IndexProgress { coverage, error, .. }) = &session.index else { return String::new() };
    let mut parts = Vec::new();
    if let Some(coverage) = coverage {
        let IndexCoverage { first_block: first, last_block: last, older, .. } = coverage;
        let blocks = match (coverage.indexing(), older) {
            (Some(indexing), _) => indexing,
            (None, _) if coverage.blocks() == 0 => IndexedRange::None,
            (None, None) => IndexedRange::All { last: *last },
            (None, Some(_)) => IndexedRange::Last { first: *first, last: *last },
        };
        parts.push(blocks.to_string());
        if coverage.unreadable > 0 {
            parts.push(format!("{} unreadable", Grouped(coverage.unreadable)));
        }
    }
    let is_indexed = coverage.as_ref().is_none_or(|coverage| coverage.unindexed == 0);
    match (error, is_indexed) {
        (Some(NodeOutage::Unusable(_)), _) => parts.push(index::UNUSABLE.to_owned()),
        (Some(_), _) => parts.push(index::UNREACHABLE.to_owned()),
        (None, true) => parts.push("live".to_owned()),
        (None, false) => {}
    }
    parts.join(" · ")
}
