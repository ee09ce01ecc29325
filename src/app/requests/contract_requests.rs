//! Names and ABIs of the contracts in traces, fetched in the background, each once. The requests for a
//! page that is left are cancelled, so that no other page waits for them, and repeated on return.

use std::collections::{HashMap, HashSet};

use super::ledger::{Owner, PaneId};
use crate::api::contract::Contract;
use crate::api::{Query, Reply, ReplyResult};
use crate::app::App;
use crate::app_message::{ChainIndex, ChainRequest, Effect, Priority};
use crate::calls::trace_contracts::{MAX_NAMED_CONTRACTS, UnknownContracts};
use crate::chain::{Address, TxHash};
use crate::name_cache::add_verified_abi;
use crate::pane::PaneEvent;

/// Contracts of a chain whose names were requested.
#[derive(Debug, Default)]
pub(in crate::app) struct ContractRequests {
    asked: HashSet<Address>,
    /// The requested contracts that a trace calls.
    called: HashSet<Address>,
    by_transaction: HashMap<TxHash, HashSet<Address>>,
    /// The contracts without a reply, with the panes that named them.
    unanswered: Vec<(PaneId, Address)>,
    /// The contracts whose requests failed, or were cancelled because their pane was hidden. They are
    /// requested again when it is shown.
    cancelled: HashMap<PaneId, Vec<Address>>,
}

impl ContractRequests {
    /// Returns the contracts to request now, and records them.
    fn take(&mut self, unknown: UnknownContracts) -> Vec<Address> {
        let counted = self.by_transaction.entry(unknown.transaction).or_default();
        let limit = if unknown.is_unlimited { usize::MAX } else { MAX_NAMED_CONTRACTS };
        let mut new = unknown.addresses;
        new.retain(|address| {
            let fits = counted.len() < limit || counted.contains(address);
            let is_new = fits && self.asked.insert(*address);
            if is_new {
                counted.insert(*address);
                self.called.insert(*address);
            }
            is_new
        });
        new
    }

    /// Returns the contracts of a pane without a reply. They may be requested again.
    fn cancel(&mut self, pane: PaneId) -> Vec<Address> {
        let own = self.unanswered.extract_if(.., |(owner, _)| *owner == pane);
        let cancelled: Vec<Address> = own.map(|(_, address)| address).collect();
        for address in &cancelled {
            self.asked.remove(address);
        }
        cancelled
    }

    /// Takes the contracts of a pane that are to be requested again.
    fn resume(&mut self, pane: PaneId) -> Vec<Address> {
        let mut again = self.cancelled.remove(&pane).unwrap_or_default();
        again.retain(|address| self.asked.insert(*address));
        again
    }
}

impl App {
    pub(in crate::app) fn fetch_contract_names(
        &mut self,
        pane: PaneId,
        chain: ChainIndex,
        unknown: UnknownContracts,
    ) -> Vec<Effect> {
        if !self.display.settings.fetches_contract_names && !unknown.is_unlimited {
            return Vec::new();
        }
        let addresses = self.sessions.at_mut(chain).contract_requests.take(unknown);
        self.request_contracts(pane, chain, addresses)
    }

    /// Cancels the requests for the names that a pane shows, because its page is left.
    pub(in crate::app) fn cancel_contract_names(&mut self, pane: PaneId) -> Option<Effect> {
        let asked = &mut self.session_mut().contract_requests;
        let cancelled = asked.cancel(pane);
        if !cancelled.is_empty() {
            asked.cancelled.entry(pane).or_default().extend(cancelled);
        }
        self.cancel(Owner::Contracts(pane))
    }

    /// Cancels the requests for the names that a pane shows, because the pane is dropped.
    pub(in crate::app) fn drop_contract_names(&mut self, pane: PaneId) -> Option<Effect> {
        let asked = &mut self.session_mut().contract_requests;
        asked.cancel(pane);
        asked.cancelled.remove(&pane);
        self.cancel(Owner::Contracts(pane))
    }

    /// Repeats the requests for names that were cancelled when the page of a pane was left.
    pub(in crate::app) fn resume_contract_names(&mut self, pane: PaneId) -> Vec<Effect> {
        let addresses = self.session_mut().contract_requests.resume(pane);
        self.request_contracts(pane, self.nav.chain(), addresses)
    }

    /// Adds the ABI of a contract, and requests its implementations for the same pane if a trace calls
    /// it.
    pub(in crate::app) fn on_contract(
        &mut self,
        (owner, chain): (Owner, ChainIndex),
        query: &Query,
        reply: &ReplyResult,
    ) -> Vec<Effect> {
        let &Query::Contract(address) = query else { return Vec::new() };
        let session = self.sessions.at_mut(chain);
        let ContractRequests { asked, called, unanswered, cancelled, .. } =
            &mut session.contract_requests;
        unanswered.retain(|(_, unanswered)| *unanswered != address);
        if let (Err(error), Owner::Contracts(pane)) = (reply, owner)
            && error.is_repeated()
        {
            asked.remove(&address);
            cancelled.entry(pane).or_default().push(address);
        }
        let item = reply.as_ref().ok().and_then(Reply::item::<Contract>);
        let Some(Ok(contract)) = item.map(|item| item.parsed.as_ref()) else { return Vec::new() };
        asked.insert(address);
        let mut behind = add_verified_abi(&mut session.signature_db, address, contract);
        behind.retain(|implementation| called.contains(&address) && asked.insert(*implementation));
        let effects = match owner {
            Owner::Contracts(pane) | Owner::Pane(pane) => {
                self.request_contracts(pane, chain, behind)
            }
            _ => Vec::new(),
        };
        [effects, self.send_to_visible(|| PaneEvent::NamesChanged)].concat()
    }

    fn request_contracts(
        &mut self,
        pane: PaneId,
        chain: ChainIndex,
        addresses: Vec<Address>,
    ) -> Vec<Effect> {
        let unanswered = &mut self.sessions.at_mut(chain).contract_requests.unanswered;
        unanswered.extend(addresses.iter().map(|address| (pane, *address)));
        let request = |address| {
            let (query, priority) = (Query::Contract(address), Priority::Prefetch);
            let request = ChainRequest::Fetch { query, cursor: None, priority };
            self.request_in_background(Owner::Contracts(pane), chain, request)
        };
        addresses.into_iter().map(request).collect()
    }
}
