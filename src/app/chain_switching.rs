//! The chains that were looked at: what belongs to each alone, and going from one to another.

use super::user_data::Lately;
use super::{App, Overlay};
use crate::abi::{Book, Selector};
use crate::chain::network::{Endpoint, Network};
use crate::msg::{ChainIndex, Effect, NetNews, Standing};
use crate::name_cache::Seen;
use crate::pane::Link;
use crate::pane::diff_baseline::Marked;
use crate::sanitize::Text;

/// A chain, and all that belongs to it alone.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) network: Network,
    pub(super) seen: Seen,
    /// Places of it that were visited lately.
    pub(super) lately: Lately,
    /// Known signatures: everybody's, and those of its own contracts.
    pub(super) book: Book,
    /// The trace that its others are compared with.
    pub(super) marked: Option<Marked>,
    /// How the requests to its explorer stand.
    pub(super) standing: Standing,
    is_connected: bool,
}

impl Chain {
    fn new(network: Network, book: &Book) -> Self {
        Self {
            book: book.for_demo(network.endpoint == Endpoint::Embedded),
            network,
            seen: Seen::default(),
            lately: Lately::default(),
            marked: None,
            standing: Standing::default(),
            is_connected: false,
        }
    }
}

/// The chains in the order in which they were come to. There is always a first.
#[derive(Debug)]
pub(super) struct Visited {
    first: Chain,
    others: Vec<Chain>,
}

impl Visited {
    /// The first, whose explorer can be asked from the start.
    pub(super) fn new(network: Network, book: &Book) -> Self {
        let first = Chain { is_connected: true, ..Chain::new(network, book) };
        Self { first, others: Vec::new() }
    }

    pub(super) fn at(&self, ChainIndex(at): ChainIndex) -> &Chain {
        at.checked_sub(1).and_then(|at| self.others.get(at)).unwrap_or(&self.first)
    }

    pub(super) fn at_mut(&mut self, ChainIndex(at): ChainIndex) -> &mut Chain {
        at.checked_sub(1).and_then(|at| self.others.get_mut(at)).unwrap_or(&mut self.first)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Chain> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Those whose files have this name: one chain may be looked at through two explorers.
    pub(super) fn of_key(&mut self, key: &str) -> impl Iterator<Item = &mut Chain> {
        self.all_mut().filter(move |chain| chain.network.key() == key)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Chain> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// Whether a chain was looked at already.
    pub(super) fn has(&self, network: &Network) -> bool {
        let asked =
            |chain: &Chain| chain.is_connected && chain.network.endpoint == network.endpoint;
        self.all().any(asked)
    }

    /// The chain that is asked in the same place; a new one, if none is.
    fn of(&mut self, network: Network) -> ChainIndex {
        let known = self.all().position(|chain| chain.network.endpoint == network.endpoint);
        ChainIndex(known.unwrap_or_else(|| {
            let new = Chain::new(network, &self.first.book);
            let host = new.network.endpoint.host();
            let same = self.all().find(|chain| chain.network.endpoint.host() == host);
            let standing = same.map(|chain| chain.standing).unwrap_or_default();
            self.others.push(Chain { standing, ..new });
            self.others.len()
        }))
    }

    /// Every chain knows a signature from now on.
    pub(super) fn learn(&mut self, signature: &Text) -> Result<Selector, Text> {
        let selector = self.first.book.add_signature(signature)?;
        for chain in &mut self.others {
            chain.book.add_signature(signature)?;
        }
        Ok(selector)
    }

    /// Every chain knows the user's ABIs from now on.
    pub(super) fn add_abis(&mut self, abis: &Book) {
        self.all_mut().for_each(|chain| chain.book.add_all(abis.clone()));
    }

    /// How the requests to a chain's explorer stand, and so those to every explorer of its host: what
    /// a host allows, it allows for all of them together.
    pub(super) fn stand(&mut self, chain: ChainIndex, standing: Standing) {
        let host = self.at(chain).network.endpoint.host();
        let same = self.all_mut().filter(|chain| chain.network.endpoint.host() == host);
        same.for_each(|chain| chain.standing = standing);
    }
}

impl App {
    /// The chain of the present place.
    pub(super) fn here(&self) -> ChainIndex {
        self.place().map(|place| place.chain).unwrap_or_default()
    }

    pub(super) fn chain(&self) -> &Chain {
        self.visited.at(self.here())
    }

    pub(super) fn chain_mut(&mut self) -> &mut Chain {
        self.visited.at_mut(self.here())
    }

    /// Goes to the start screen of a chain, unless that is looked at already.
    pub fn switch_chain(&mut self, network: Network) -> Vec<Effect> {
        if self.chain().network.endpoint == network.endpoint {
            return self.say(&format!("this is {network} already"));
        }
        self.open_on(network, Link::Start)
    }

    /// Goes to a place on a chain, as soon as its explorer can be asked.
    pub(super) fn open_on(&mut self, network: Network, link: Link) -> Vec<Effect> {
        let at = self.visited.of(network);
        let chain = self.visited.at(at);
        if chain.is_connected {
            return self.visit_on(at, link);
        }
        let network = chain.network.clone();
        self.awaited = Some((at, link));
        vec![Effect::Connect { chain: at, network }]
    }

    /// Hears of the requests to a chain's explorer.
    pub(super) fn hear(&mut self, chain: ChainIndex, news: NetNews) -> Vec<Effect> {
        match news {
            NetNews::Standing(standing) => self.visited.stand(chain, standing),
            NetNews::Sent(sent) => {
                self.requests.add(*sent);
                if let Some(Overlay::Requests(inspector)) = &mut self.overlay {
                    inspector.follow(&self.requests);
                }
            }
        }
        Vec::new()
    }

    /// The explorer of a chain can be asked, or not: then everything stays as it is.
    pub(super) fn connected(
        &mut self,
        at: ChainIndex,
        ready: Result<Option<Text>, Text>,
    ) -> Vec<Effect> {
        let awaited = self.awaited.take_if(|(awaited, _)| *awaited == at);
        let chain = self.visited.at_mut(at);
        match ready {
            Ok(warning) => {
                chain.is_connected = true;
                self.notice = warning.or(self.notice.take());
                let Some((_, link)) = awaited else { return Vec::new() };
                // What lies on top was opened on the chain before.
                let given_up = self.give_up();
                self.overlay = None;
                // A start screen reads it by itself.
                let is_start = matches!(link, Link::Start);
                let own = if is_start { Vec::new() } else { self.read_own_of(at) };
                [given_up, own, self.visit_on(at, link)].concat()
            }
            Err(why) => {
                let words = format!("{} is not opened: {why}", chain.network);
                self.say(&words)
            }
        }
    }
}
