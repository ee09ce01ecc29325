//! Requests and timers: each has an entry with its owner in the ledger. A reply, an event of a trace or
//! a timer that has run out is delivered to that owner as long as the entry is there.
//!
//! Before a pane gets a reply, the name cache learns from it, and `shared_replies` keeps it for the other
//! tabs of its transaction. The files below have what the app itself requests: names of contracts,
//! tokens, hashes that may be blocks, new rows at watched addresses, and again what failed in an outage.

mod block_hashes;
mod coin;
pub(super) mod contract_requests;
pub(super) mod ledger;
pub(super) mod recovery;
pub(super) mod shared_replies;
mod signature_lookup;
mod token_pages;
pub(super) mod token_requests;
mod watching;

use std::time::Duration;

use super::{App, PaneSlot};
use crate::api::transactions::Transaction;
use crate::api::{BlockQuery, Page, Query, Reply, ReplyResult};
use crate::app_message::{ChainIndex, ChainRequest, Effect, RequestId, TraceEvent};
use crate::messages::notice::{AppNotice, Notice, NoticeKind};
use crate::name_cache::add_decoded_events;
use crate::pane::PaneEvent;
use ledger::{Owner, PaneId, Pending, PendingKind};

/// Time without a step after which the user rests. Who takes the next step sooner does not see the answer,
/// which takes 300 ms at least: five steps a second are fast.
pub(super) const REST_DELAY: Duration = Duration::from_millis(250);

impl App {
    pub(super) fn request(
        &mut self,
        owner: Owner,
        chain: ChainIndex,
        request: ChainRequest,
    ) -> Effect {
        let id = self.ledger.open(owner, chain, PendingKind::of(&request));
        Effect::Request { id, chain, request }
    }

    pub(super) fn request_in_background(
        &mut self,
        owner: Owner,
        chain: ChainIndex,
        request: ChainRequest,
    ) -> Effect {
        let id = self.ledger.open(owner, chain, PendingKind::Background);
        Effect::Request { id, chain, request }
    }

    pub(super) fn start_timer(&mut self, owner: Owner, delay: Duration) -> Effect {
        let id = self.ledger.open(owner, self.nav.chain(), PendingKind::Timer);
        Effect::StartTimer(id, delay)
    }

    /// Cancels everything that an owner waits for.
    pub(super) fn cancel(&mut self, owner: Owner) -> Option<Effect> {
        cancel_effect(self.ledger.cancel(owner))
    }

    pub(super) fn is_busy(&self, slot: PaneSlot) -> bool {
        let is_awaited = |pane| self.ledger.is_busy(Owner::Pane(pane));
        self.nav.tab(slot).is_some_and(|tab| tab.is_delayed || is_awaited(tab.id))
    }

    /// Returns `true` if nothing is in flight but the timer of the next attempt after a failure.
    pub fn is_idle(&self) -> bool {
        self.ledger.is_empty_except(Owner::Recovery)
    }

    pub(super) fn on_timer(&mut self, id: RequestId) -> Vec<Effect> {
        let Some(Pending { owner, chain, .. }) = self.ledger.close(id) else { return Vec::new() };
        match owner {
            Owner::Pane(pane) => self.deliver(pane, PaneEvent::Woken),
            Owner::Search => self.on_search_timer(chain),
            Owner::DelayedPage => self.activate_delayed(&self.nav.page_slots()),
            Owner::DelayedPreview => self.activate_delayed(&[PaneSlot::Preview]),
            Owner::Recovery => self.retry_failed(),
            Owner::WhichKey => {
                self.input.on_timer();
                Vec::new()
            }
            // The tokens on the screen are requested after every message.
            Owner::DelayedTokens
            | Owner::GoTo
            | Owner::Contracts(_)
            | Owner::Tokens
            | Owner::Watching
            | Owner::Coin => Vec::new(),
        }
    }

    pub(super) fn on_trace_update(&mut self, id: RequestId, event: TraceEvent) -> Vec<Effect> {
        let pending = match event {
            TraceEvent::Failed(_) | TraceEvent::Ended => self.ledger.close(id),
            _ => self.ledger.get(id),
        };
        let Some(Owner::Pane(pane)) = pending.map(|pending| pending.owner) else {
            return Vec::new(); // cancelled
        };
        let has_failed = matches!(event, TraceEvent::Failed(_));
        let effects = self.deliver(pane, PaneEvent::Trace(event));
        self.update_refresh_notice(has_failed);
        effects
    }

    /// Ends the notice of a refresh: with a failure, which the page shows, or once the page waits for nothing.
    fn update_refresh_notice(&mut self, has_failed: bool) {
        let is_refreshing = |notice: &mut Notice| notice.kind == NoticeKind::Refresh;
        let owner = |slot| Some(Owner::Pane(self.nav.tab(slot)?.id));
        let mut owners = self.nav.visible_slots().into_iter().filter_map(owner);
        let is_over = has_failed || !owners.any(|owner| self.ledger.is_busy(owner));
        if is_over && self.notice.take_if(is_refreshing).is_some() && !has_failed {
            self.notify(&AppNotice::Refreshed);
        }
    }

    /// Caches the data in a response, and passes it to its owner.
    pub(super) fn on_fetched(
        &mut self,
        id: RequestId,
        query: &Query,
        reply: ReplyResult,
    ) -> Vec<Effect> {
        let Some(Pending { owner, chain, .. }) = self.ledger.close(id) else { return Vec::new() };
        let has_failed = reply.is_err() && matches!(owner, Owner::Pane(_));
        if let Ok(reply) = &reply {
            if let Some(entry) = self.nav.entry_mut() {
                entry.replies.add(id, reply);
            }
            let session = self.sessions.at_mut(chain);
            session.update_head(query, reply);
            let names = &mut session.name_cache;
            names.ingest(query, reply);
            add_decoded_events(&mut session.signature_db, reply);
            if let Some(entry) = self.nav.entry_mut().filter(|entry| entry.chain == chain) {
                entry.remove_instances(names);
            }
        }
        let coin = reply.is_ok().then(|| self.request_coin(chain)).flatten();
        let contracts = self.on_contract((owner, chain), query, &reply);
        let tokens = self.on_token((owner, chain), query, &reply);
        let delivered = match owner {
            Owner::Pane(pane) => self
                .on_hash_looked_up(pane, query, &reply)
                .unwrap_or_else(|| self.deliver_reply(pane, query, reply)),
            Owner::GoTo => self.on_target_found(chain, query, &reply),
            Owner::Search => self.on_searched(chain, &reply),
            Owner::Watching => self.on_watched(chain, query, &reply),
            Owner::Coin => self.on_coin(chain, &reply),
            Owner::Contracts(_)
            | Owner::Tokens
            | Owner::DelayedTokens
            | Owner::DelayedPage
            | Owner::DelayedPreview
            | Owner::Recovery
            | Owner::WhichKey => Vec::new(),
        };
        if let Some(entry) = self.nav.entry_mut().filter(|entry| entry.chain == chain) {
            entry.show_tabs_with_rows();
        }
        let instead = self.show_token_instead();
        self.update_refresh_notice(has_failed);
        let tab = self.show_tab_with_rows();
        [contracts, tokens, delivered, instead, tab, coin.into_iter().collect()].concat()
    }

    /// Passes a reply to the pane that requested it, and its rows to the header.
    fn deliver_reply(&mut self, pane: PaneId, query: &Query, reply: ReplyResult) -> Vec<Effect> {
        let Some(slot) = self.nav.find_pane(pane) else { return Vec::new() };
        if let (
            Query::Block(_, BlockQuery::Details),
            Ok(block),
            PaneSlot::Header | PaneSlot::Tab(_),
        ) = (query, &reply, slot)
            && self.nav.is_of_block()
        {
            return self.share_reply(query, block);
        }
        let listed = reply.as_ref().ok().and_then(Reply::get::<Page<Transaction>>);
        let is_listed = listed.is_some_and(|page| !page.items.is_empty());
        let time = |listed: &Transaction| Some((listed.hash, *listed.timestamp.value()?));
        let transactions: Vec<_> =
            listed.into_iter().flat_map(Page::parsed).filter_map(time).collect();
        let mut effects = self.send_event(slot, PaneEvent::Reply { query, reply });
        if is_listed {
            let event = PaneEvent::Listed { query, transactions: &transactions };
            effects.extend(self.send_event(PaneSlot::Header, event));
        }
        effects
    }

    /// Passes an event to a pane of the current page.
    pub(super) fn deliver(&mut self, pane: PaneId, event: PaneEvent<'_>) -> Vec<Effect> {
        let slot = self.nav.find_pane(pane);
        slot.map(|slot| self.send_event(slot, event)).unwrap_or_default()
    }
}

pub(super) fn cancel_effect(requests: Vec<RequestId>) -> Option<Effect> {
    (!requests.is_empty()).then_some(Effect::Cancel(requests))
}
