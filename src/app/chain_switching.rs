//! The chains that were looked at: what belongs to each alone, and going from one to another.

use super::user_data::RecentsState;
use super::{App, Overlay};
use crate::abi::{Selector, SignatureDb};
use crate::chain::network::{Endpoint, Network};
use crate::msg::{ChainIndex, ConnectionStatus, Effect, NetworkEvent};
use crate::name_cache::NameCache;
use crate::pane::Route;
use crate::route::DiffBaseline;
use crate::sanitize::SafeText;

/// A chain, and all that belongs to it alone.
#[derive(Debug)]
pub(super) struct ChainSession {
    pub(super) network: Network,
    pub(super) name_cache: NameCache,
    /// Places of it that were visited lately.
    pub(super) recents: RecentsState,
    /// Known signatures: everybody's, and those of its own contracts.
    pub(super) signature_db: SignatureDb,
    /// The trace that its others are compared with.
    pub(super) diff_baseline: Option<DiffBaseline>,
    /// How the requests to its explorer stand.
    pub(super) connection: ConnectionStatus,
    is_connected: bool,
}

impl ChainSession {
    fn new(network: Network, book: &SignatureDb) -> Self {
        Self {
            signature_db: book.with_demo(network.endpoint == Endpoint::Embedded),
            network,
            name_cache: NameCache::default(),
            recents: RecentsState::default(),
            diff_baseline: None,
            connection: ConnectionStatus::default(),
            is_connected: false,
        }
    }
}

/// The chains in the order in which they were come to. There is always a first.
#[derive(Debug)]
pub(super) struct ChainSessions {
    first: ChainSession,
    others: Vec<ChainSession>,
}

impl ChainSessions {
    /// The first, whose explorer can be asked from the start.
    pub(super) fn new(network: Network, book: &SignatureDb) -> Self {
        let first = ChainSession { is_connected: true, ..ChainSession::new(network, book) };
        Self { first, others: Vec::new() }
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

    /// Those whose files have this name: one chain may be looked at through two explorers.
    pub(super) fn with_key(&mut self, key: &str) -> impl Iterator<Item = &mut ChainSession> {
        self.all_mut().filter(move |chain| chain.network.storage_key() == key)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut ChainSession> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// Whether a chain was looked at already.
    pub(super) fn is_connected(&self, network: &Network) -> bool {
        let asked =
            |chain: &ChainSession| chain.is_connected && chain.network.endpoint == network.endpoint;
        self.all().any(asked)
    }

    /// The chain that is asked in the same place; a new one, if none is.
    fn find_or_add(&mut self, network: Network) -> ChainIndex {
        let known = self.all().position(|chain| chain.network.endpoint == network.endpoint);
        ChainIndex(known.unwrap_or_else(|| {
            let new = ChainSession::new(network, &self.first.signature_db);
            let host = new.network.endpoint.host();
            let same = self.all().find(|chain| chain.network.endpoint.host() == host);
            let standing = same.map(|chain| chain.connection).unwrap_or_default();
            self.others.push(ChainSession { connection: standing, ..new });
            self.others.len()
        }))
    }

    /// Every chain knows a signature from now on.
    pub(super) fn add_signature(&mut self, signature: &SafeText) -> Result<Selector, SafeText> {
        let selector = self.first.signature_db.add_signature(signature)?;
        for chain in &mut self.others {
            chain.signature_db.add_signature(signature)?;
        }
        Ok(selector)
    }

    /// Every chain knows the user's ABIs from now on.
    pub(super) fn add_abis(&mut self, abis: &SignatureDb) {
        self.all_mut().for_each(|chain| chain.signature_db.merge(abis.clone()));
    }

    /// How the requests to a chain's explorer stand, and so those to every explorer of its host: what
    /// a host allows, it allows for all of them together.
    pub(super) fn set_connection(&mut self, chain: ChainIndex, standing: ConnectionStatus) {
        let host = self.at(chain).network.endpoint.host();
        let same = self.all_mut().filter(|chain| chain.network.endpoint.host() == host);
        same.for_each(|chain| chain.connection = standing);
    }
}

impl App {
    /// The chain of the present place.
    pub(super) fn current_chain(&self) -> ChainIndex {
        self.current_entry().map(|place| place.chain).unwrap_or_default()
    }

    pub(super) fn session(&self) -> &ChainSession {
        self.sessions.at(self.current_chain())
    }

    pub(super) fn session_mut(&mut self) -> &mut ChainSession {
        self.sessions.at_mut(self.current_chain())
    }

    /// Goes to the start screen of a chain, unless that is looked at already.
    pub fn switch_chain(&mut self, network: Network) -> Vec<Effect> {
        if self.session().network.endpoint == network.endpoint {
            return self.notify(&format!("this is {network} already"));
        }
        self.open_on_chain(network, Route::Start)
    }

    /// Goes to a place on a chain, as soon as its explorer can be asked.
    pub(super) fn open_on_chain(&mut self, network: Network, link: Route) -> Vec<Effect> {
        let at = self.sessions.find_or_add(network);
        let chain = self.sessions.at(at);
        if chain.is_connected {
            return self.navigate_on(at, link);
        }
        let network = chain.network.clone();
        self.pending_route = Some((at, link));
        vec![Effect::Connect { chain: at, network }]
    }

    /// Hears of the requests to a chain's explorer.
    pub(super) fn on_network_event(
        &mut self,
        chain: ChainIndex,
        news: NetworkEvent,
    ) -> Vec<Effect> {
        match news {
            NetworkEvent::Status(standing) => self.sessions.set_connection(chain, standing),
            NetworkEvent::Request(sent) => {
                self.request_log.add(*sent);
                if let Some(Overlay::RequestLog(inspector)) = &mut self.overlay {
                    inspector.on_entry_added(&self.request_log);
                }
            }
        }
        Vec::new()
    }

    /// The explorer of a chain can be asked, or not: then everything stays as it is.
    pub(super) fn on_connected(
        &mut self,
        at: ChainIndex,
        ready: Result<Option<SafeText>, SafeText>,
    ) -> Vec<Effect> {
        let awaited = self.pending_route.take_if(|(awaited, _)| *awaited == at);
        let chain = self.sessions.at_mut(at);
        match ready {
            Ok(warning) => {
                chain.is_connected = true;
                self.notice = warning.or(self.notice.take());
                let Some((_, link)) = awaited else { return Vec::new() };
                // What lies on top was opened on the chain before.
                let given_up = self.cancel_resolution();
                self.overlay = None;
                // A start screen reads it by itself.
                let is_start = matches!(link, Route::Start);
                let own = if is_start { Vec::new() } else { self.load_user_data_of(at) };
                [given_up, own, self.navigate_on(at, link)].concat()
            }
            Err(why) => {
                let words = format!("{} is not opened: {why}", chain.network);
                self.notify(&words)
            }
        }
    }
}
