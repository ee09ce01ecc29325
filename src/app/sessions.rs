//! State of each chain that was opened.

use std::collections::HashMap;
use std::sync::Arc;

use super::chain_head::ChainHead;
use super::requests::contract_requests::ContractRequests;
use super::requests::token_requests::TokenRequests;
use crate::abi::{Selector, SignatureDb, SignatureHash};
use crate::api::{Query, Reply};
use crate::app_message::{ChainIndex, ConnectionStatus, Effect, UserDataJob};
use crate::chain::Address;
use crate::chain::network::{Endpoint, Network};
use crate::indexer::IndexProgress;
use crate::messages::abi::SignatureError;
use crate::name_cache::NameCache;
use crate::pane::Route;
use crate::route::DiffBaseline;
use crate::safety::address_poisoning::KnownAddresses;
use crate::sanitize::SafeText;
use crate::user_data::labels::Labels;
use crate::user_data::recents::{Recents, RecentsChange};
use crate::watch::watched_addresses::WatchedAddresses;

#[derive(Debug)]
pub(super) struct ChainSession {
    pub(super) network: Network,
    /// The endpoint as it was opened, which may have been undecided.
    opened_at: Endpoint,
    pub(super) name_cache: NameCache,
    /// The addresses that others may imitate, by the viewed address, for the pages of the history.
    pub(super) known_addresses: HashMap<Option<Address>, KnownAddresses>,
    pub(super) watched: WatchedAddresses,
    pub(super) recents: Recents,
    /// Reason why the recents cannot be stored.
    pub(super) recents_error: Option<SafeText>,
    pub(super) signature_db: SignatureDb,
    pub(super) contract_requests: ContractRequests,
    pub(super) token_requests: TokenRequests,
    /// `true` after the request for the coin.
    pub(super) has_requested_coin: bool,
    /// The trace that others are compared with.
    pub(super) diff_baseline: Option<DiffBaseline>,
    pub(super) connection: ConnectionStatus,
    /// Newest block of an explorer's chain that a reply has reported.
    pub(super) head: Option<ChainHead>,
    /// Progress of indexing the chain of a node.
    pub(super) index: Option<IndexProgress>,
    /// The root of a project that may name its contracts once the user permits it.
    pub(super) foreign_project: Option<SafeText>,
    /// `true` if requests can be sent to its explorer.
    pub(super) has_provider: bool,
}

impl ChainSession {
    fn new(network: Network, signature_db: &SignatureDb) -> Self {
        let mut name_cache = NameCache::default();
        if network.endpoint == Endpoint::Embedded {
            name_cache.name_demo_accounts();
        }
        Self {
            signature_db: signature_db.clone(),
            opened_at: network.endpoint.clone(),
            network,
            name_cache,
            contract_requests: ContractRequests::default(),
            token_requests: TokenRequests::default(),
            has_requested_coin: false,
            known_addresses: HashMap::new(),
            watched: WatchedAddresses::default(),
            recents: Recents::default(),
            recents_error: None,
            diff_baseline: None,
            connection: ConnectionStatus::default(),
            head: None,
            index: None,
            foreign_project: None,
            has_provider: false,
        }
    }

    pub(super) fn is_at(&self, endpoint: &Endpoint) -> bool {
        self.network.endpoint.may_be(endpoint) || self.opened_at == *endpoint
    }

    /// Records a newer head of the chain.
    pub(super) fn update_head(&mut self, query: &Query, reply: &Reply) {
        let reported = ChainHead::in_reply(query, reply);
        let newer = reported.filter(|new| self.head.is_none_or(|head| head.number < new.number));
        self.head = newer.or(self.head);
    }

    /// Drops cached responses: after a restart of a node, other contracts have the same addresses.
    pub(super) fn forget(&mut self) {
        self.name_cache.forget();
        self.head = None;
        self.contract_requests = ContractRequests::default();
        self.token_requests = TokenRequests::default();
        self.signature_db.forget_explorer_abis();
        for (viewed, known) in &mut self.known_addresses {
            *known = KnownAddresses::new(*viewed);
        }
    }
}

/// The sessions in the order in which their chains were opened. There is always a first.
#[derive(Debug)]
pub(super) struct ChainSessions {
    first: ChainSession,
    others: Vec<ChainSession>,
    /// Page to open once its chain has a provider.
    pub(super) pending: Option<(ChainIndex, Route)>,
    /// The chains of the nodes that were last found on this machine.
    pub(super) local_nodes: Vec<Network>,
    records_recents: bool,
    /// The signatures for all chains.
    signatures: SignatureDb,
}

impl ChainSessions {
    pub(super) fn new(network: Network, signatures: &SignatureDb, records_recents: bool) -> Self {
        let first = ChainSession { has_provider: true, ..ChainSession::new(network, signatures) };
        let signatures = signatures.clone();
        Self {
            first,
            others: Vec::new(),
            pending: None,
            local_nodes: Vec::new(),
            records_recents,
            signatures,
        }
    }

    pub(super) fn at(&self, ChainIndex(at): ChainIndex) -> &ChainSession {
        at.checked_sub(1).and_then(|at| self.others.get(at)).unwrap_or(&self.first)
    }

    pub(super) fn at_mut(&mut self, ChainIndex(at): ChainIndex) -> &mut ChainSession {
        at.checked_sub(1).and_then(|at| self.others.get_mut(at)).unwrap_or(&mut self.first)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &ChainSession> {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut ChainSession> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// Returns the sessions that share a storage key: one chain through several explorers.
    fn with_key(&mut self, key: &str) -> impl Iterator<Item = &mut ChainSession> {
        self.all_mut().filter(move |session| session.network.storage_key() == key)
    }

    pub(super) fn has_provider(&self, network: &Network) -> bool {
        self.all().any(|session| session.has_provider && session.is_at(&network.endpoint))
    }

    pub(super) fn find_or_add(&mut self, network: Network) -> ChainIndex {
        let known = self.all().position(|session| session.is_at(&network.endpoint));
        ChainIndex(known.unwrap_or_else(|| {
            let new = ChainSession::new(network, &self.signatures);
            let host = new.network.endpoint.host();
            let same = self.all().find(|session| session.network.endpoint.host() == host);
            let connection = same.map(|session| session.connection).unwrap_or_default();
            self.others.push(ChainSession { connection, ..new });
            self.others.len()
        }))
    }

    pub(super) fn add_signature(
        &mut self,
        signature: &SafeText,
    ) -> Result<Selector, SignatureError> {
        let selector = self.signatures.add_signature(signature)?;
        for session in self.all_mut() {
            session.signature_db.add_signature(signature)?;
        }
        Ok(selector)
    }

    pub(super) fn add_database_signatures(
        &mut self,
        hash: SignatureHash,
        sent: &[SafeText],
    ) -> Vec<SafeText> {
        for session in self.all_mut() {
            session.signature_db.add_database_signatures(hash, sent);
        }
        self.signatures.add_database_signatures(hash, sent)
    }

    pub(super) fn add_abis(&mut self, abis: &SignatureDb) {
        self.signatures.share_abis(abis);
        self.all_mut().for_each(|session| session.signature_db.share_abis(abis));
    }

    /// Updates the connection status of every session with the same host: hosts limit requests as a
    /// whole.
    pub(super) fn set_connection(&mut self, chain: ChainIndex, connection: ConnectionStatus) {
        let host = self.at(chain).network.endpoint.host();
        let same = self.all_mut().filter(|session| session.network.endpoint.host() == host);
        same.for_each(|session| session.connection = connection);
    }

    pub(super) fn load_user_data(&self, chain: ChainIndex) -> Vec<Effect> {
        let network = &self.at(chain).network;
        let key = network.storage_key();
        let recents = self.stores_recents(chain).then(|| UserDataJob::LoadRecents(key.clone()));
        let former = network.former_storage_key().map(UserDataJob::RenameFormer);
        let jobs = former.into_iter().chain([UserDataJob::LoadLabels(key)]).chain(recents);
        jobs.map(Effect::UserData).collect()
    }

    /// Returns `true` if recents are stored in a file. The demo chain's are not.
    fn stores_recents(&self, chain: ChainIndex) -> bool {
        let is_stored =
            |endpoint: &Endpoint| !matches!(endpoint, Endpoint::Embedded | Endpoint::Undecided(_));
        self.records_recents && is_stored(&self.at(chain).network.endpoint)
    }

    pub(super) fn record_recent(&mut self, chain: ChainIndex, route: &Route) -> Option<Effect> {
        let entry = route.recent_entry().filter(|_| self.records_recents)?;
        self.change_recents(chain, RecentsChange::Add(entry))
    }

    /// Changes the recents of a chain. Returns the effect that stores the change.
    pub(super) fn change_recents(
        &mut self,
        chain: ChainIndex,
        change: RecentsChange,
    ) -> Option<Effect> {
        let is_stored = self.stores_recents(chain);
        let session = self.at_mut(chain);
        session.recents.apply(change);
        let key = session.network.storage_key();
        is_stored.then_some(Effect::UserData(UserDataJob::UpdateRecents { key, change }))
    }

    pub(super) fn set_recents(&mut self, key: &str, loaded: &Result<Recents, SafeText>) {
        if !self.records_recents {
            return;
        }
        for session in self.with_key(key) {
            session.recents_error = loaded.as_ref().err().cloned();
            if let Ok(recents) = loaded {
                session.recents = recents.clone();
            }
        }
    }

    /// Sets the labels that were loaded for a storage key. Returns `true` if their problems are new.
    pub(super) fn set_labels(&mut self, key: &str, labels: &Arc<Labels>) -> bool {
        let mut has_new_problems = false;
        for session in self.with_key(key) {
            let known = session.name_cache.labels();
            has_new_problems |= labels.problems() != known.problems();
            if **labels != *known {
                session.name_cache.set_labels(Arc::clone(labels));
            }
        }
        has_new_problems
    }
}
