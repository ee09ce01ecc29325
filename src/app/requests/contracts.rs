//! Names and ABIs of the contracts in traces, fetched in the background, each once.

use std::collections::{HashMap, HashSet};

use super::ledger::Owner;
use crate::api::contract::Contract;
use crate::api::{ApiError, Query, Reply};
use crate::app::App;
use crate::calls::contract_names::{MAX_NAMED_CONTRACTS, UnknownContracts};
use crate::chain::{Address, TxHash};
use crate::msg::{ChainIndex, ChainRequest, Effect, Priority};
use crate::name_cache::add_verified_abi;
use crate::pane::PaneEvent;

/// Contracts of a chain whose names were requested.
#[derive(Debug, Default)]
pub(in crate::app) struct AskedContracts {
    asked: HashSet<Address>,
    /// The requested contracts that a trace calls.
    called: HashSet<Address>,
    counts: HashMap<TxHash, usize>,
}

impl AskedContracts {
    /// Returns the contracts to request now, and records them.
    fn take(&mut self, unknown: UnknownContracts) -> Vec<Address> {
        let count = self.counts.entry(unknown.transaction).or_default();
        let limit = if unknown.is_unlimited { usize::MAX } else { MAX_NAMED_CONTRACTS };
        let mut new = unknown.addresses;
        new.retain(|address| {
            let is_new = *count < limit && self.asked.insert(*address);
            *count += usize::from(is_new);
            is_new && self.called.insert(*address)
        });
        new
    }
}

impl App {
    pub(in crate::app) fn fetch_contract_names(
        &mut self,
        chain: ChainIndex,
        unknown: UnknownContracts,
    ) -> Vec<Effect> {
        if !self.display.settings.fetches_contract_names && !unknown.is_unlimited {
            return Vec::new();
        }
        let addresses = self.sessions.at_mut(chain).asked_contracts.take(unknown);
        self.request_contracts(chain, addresses)
    }

    /// Adds the ABI of a contract, and requests its implementations if a trace calls it.
    pub(in crate::app) fn on_contract(
        &mut self,
        chain: ChainIndex,
        query: &Query,
        reply: &Result<Reply, ApiError>,
    ) -> Vec<Effect> {
        let (&Query::Contract(address), Ok(reply)) = (query, reply) else { return Vec::new() };
        let item = reply.item::<Contract>();
        let Some(Ok(contract)) = item.map(|item| item.parsed.as_ref()) else { return Vec::new() };
        let session = self.sessions.at_mut(chain);
        let AskedContracts { asked, called, .. } = &mut session.asked_contracts;
        asked.insert(address);
        let mut behind = add_verified_abi(&mut session.signature_db, address, contract);
        behind.retain(|implementation| called.contains(&address) && asked.insert(*implementation));
        let effects = self.request_contracts(chain, behind);
        [effects, self.send_to_visible(|| PaneEvent::LabelsChanged)].concat()
    }

    fn request_contracts(&mut self, chain: ChainIndex, addresses: Vec<Address>) -> Vec<Effect> {
        let request = |address| {
            let (query, priority) = (Query::Contract(address), Priority::Prefetch);
            let request = ChainRequest::Fetch { query, cursor: None, priority };
            self.request_in_background(Owner::Contracts, chain, request)
        };
        addresses.into_iter().map(request).collect()
    }
}
