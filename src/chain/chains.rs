//! Finds chains by name, id or URL: the user's custom chains first, then the built-in ones.
//!
//! Both are rows of a [`registry`]: the built-in ones of `assets/chains.toml`, the user's of `config.toml`
//! ([`custom_chain`]). A text that fits none or several is an error with suggestions ([`unknown_chain`]). Of a chain's own
//! explorer and the PRO API, [`endpoint`] chooses one.

pub mod custom_chain;
pub mod endpoint;
pub mod registry;
pub mod unknown_chain;

use std::iter;
use std::sync::Arc;

use url::Url;

use super::explorer_links::chain_by_name;
use super::network::{
    DEFAULT_SYMBOL, DEVELOPMENT_IDS, Endpoint, Network, multichain_id, normalize_base_url,
    parse_web_url,
};
use super::node_url::NodeUrl;
use super::target::LinkedChain;
use custom_chain::{ChainConfigError, CustomChain};
use endpoint::{EndpointChoice, choose_endpoint};
use registry::{ChainInfo, builtin_table, demo_chain, normalize_name};
use unknown_chain::UnknownChainError;

/// All known chains, with the API used for each. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct Chains {
    custom: Arc<[ChainInfo]>,
    has_pro_key: bool,
}

impl Chains {
    /// Combines the custom chains with the built-in ones. `has_pro_key` is `true` if there is a key for
    /// the PRO API.
    pub fn new(custom: Vec<CustomChain>, has_pro_key: bool) -> Result<Self, ChainConfigError> {
        let custom = custom.into_iter().map(CustomChain::into_chain_info);
        Ok(Self { custom: custom.collect::<Result<_, _>>()?, has_pro_key })
    }

    /// Resolves the argument of `--chain`: a name, an id, the beginning of a name, or a base URL with
    /// or without `/api/v2`. A URL is used as given, a name as `choose_endpoint` decides.
    pub fn resolve(&self, text: &str) -> Result<Network, UnknownChainError> {
        let text = text.trim();
        match parse_web_url(text) {
            _ if let Some(own) = self.find_custom(text)? => Ok(self.resolve_endpoint(own)),
            _ if let Some(node) = local_node(text) => Ok(node),
            Some(url) => Ok(self.network_of(url)),
            None => self.find_by_name(text).map(|known| self.resolve_endpoint(known)),
        }
    }

    /// Returns the chain of a typed URL. An unknown URL may be a node's, and its path a key, whatever
    /// the path ends with.
    fn network_of(&self, url: Url) -> Network {
        let base = normalize_base_url(&url);
        let names_api = !matches!(url.path(), "" | "/") && base.path() == "/";
        let is_explorer = names_api || self.known_at(&base).is_some();
        match NodeUrl::try_from(url) {
            Ok(url) if !is_explorer && multichain_id(&base).is_none() => Network::undecided(url),
            _ => self.network_at(&base),
        }
    }

    fn known_at(&self, base: &Url) -> Option<&ChainInfo> {
        let id = multichain_id(base);
        let mut chains = self.custom.iter().chain(builtin_chains());
        chains.find(|known| known.is_same(id, base))
    }

    /// Returns the chain of an explorer's base URL, with that URL as its endpoint.
    pub fn network_at(&self, base: &Url) -> Network {
        let base = normalize_base_url(base);
        match self.known_at(&base) {
            Some(known) => Network { endpoint: Endpoint::Remote(base), ..known.network.clone() },
            None => Network::from_base_url(base),
        }
    }

    /// Returns the chain of a link, or `None` if its id is unknown.
    pub fn linked_network(&self, chain: &LinkedChain) -> Option<Network> {
        match chain {
            LinkedChain::At(base) if base.path() == "/" => Some(self.network_at(base)),
            LinkedChain::At(base) => Some(self.network_of(base.clone())),
            LinkedChain::Id(id) => {
                let known = self.all().find(|known| known.network.id == Some(*id))?;
                Some(self.resolve_endpoint(known))
            }
        }
    }

    /// Sets the id that a node reports, and the coin of the known chain with that id. Returns the
    /// previous id. `is_own` is `true` for a development node that forks no other chain: any id is its
    /// own. `was_own` is `true` if the node was one before a restart.
    pub fn replace_id(network: &mut Network, id: u64, is_own: bool, was_own: bool) -> Option<u64> {
        let before = network.id.replace(id);
        let is_assumed = network.symbol.as_deref().is_none_or(|symbol| symbol == DEFAULT_SYMBOL);
        if is_assumed && (is_own || DEVELOPMENT_IDS.contains(&id)) {
            network.symbol = Some(DEFAULT_SYMBOL.into());
        } else if is_assumed && (was_own || before != Some(id)) {
            let known = builtin_chains().find(|known| known.network.id == Some(id));
            network.symbol =
                known.map_or(network.symbol.take(), |chain| chain.network.symbol.clone());
        }
        before
    }

    /// Returns all chains, custom ones first. They replace built-in ones with the same id or URL.
    pub fn all(&self) -> impl Iterator<Item = &ChainInfo> {
        self.custom.iter().chain([demo_chain()]).chain(self.unshadowed_builtin())
    }

    pub fn endpoint_choice(&self, known: &ChainInfo) -> EndpointChoice {
        choose_endpoint(known, self.has_pro_key)
    }

    pub fn resolve_endpoint(&self, known: &ChainInfo) -> Network {
        Network { endpoint: self.endpoint_choice(known).endpoint, ..known.network.clone() }
    }

    /// Returns the built-in chains that no custom chain replaces.
    fn unshadowed_builtin(&self) -> impl Iterator<Item = &ChainInfo> {
        let replaces = |own: &ChainInfo, known: &ChainInfo| {
            let base = known.network.web.as_ref();
            base.is_some_and(|base| own.is_same(known.network.id, base))
        };
        builtin_chains().filter(move |known| !self.custom.iter().any(|own| replaces(own, known)))
    }

    fn find_custom(&self, text: &str) -> Result<Option<&ChainInfo>, UnknownChainError> {
        let wanted = normalize_name(text);
        unique_match(text, self.custom.iter().filter(|own| own.has_name_or_id(&wanted)))
    }

    /// Finds a chain by name or id, else by the unique beginning of a name.
    fn find_by_name(&self, text: &str) -> Result<&ChainInfo, UnknownChainError> {
        let wanted = normalize_name(text);
        let is = |known: &&ChainInfo| known.has_name_or_id(&wanted);
        let begins = |known: &&ChainInfo| !wanted.is_empty() && known.has_name_prefix(&wanted);
        if let Some(own) = self.find_custom(text)? {
            return Ok(own);
        }
        if demo_chain().has_name_or_id(&wanted) {
            return Ok(demo_chain()); // before the table is loaded
        }
        if let Some(known) = unique_match(text, self.unshadowed_builtin().filter(is))? {
            return Ok(known);
        }
        if let Some(own) = unique_match(text, self.custom.iter().filter(begins))? {
            return Ok(own);
        }
        let begun = unique_match(text, self.all().filter(begins))?;
        // The usual name of a chain, which the user calls something else.
        let of_id = || {
            let id = chain_by_name(&wanted)?;
            self.custom.iter().find(|own| own.network.id == Some(id))
        };
        begun.or_else(of_id).ok_or_else(|| UnknownChainError::unknown(text, self.all()))
    }
}

/// Returns the chain of a node on this machine: `anvil`, `hardhat`, `ganache` or `node`, with or
/// without `:PORT`, or an address with the usual port of nodes.
pub fn local_node(text: &str) -> Option<Network> {
    const NAMES: [&str; 6] = ["anvil", "hardhat", "ganache", "node", "localhost", "127.0.0.1"];
    let bare = text.strip_prefix("http://").unwrap_or(text);
    let is_url = bare.len() < text.len();
    let bare = if is_url { bare.trim_end_matches('/') } else { bare };
    let (name, port) = bare.split_once(':').map_or((bare, None), |(name, port)| (name, Some(port)));
    let is_host = matches!(name, "localhost" | "127.0.0.1");
    let is_node = match port {
        Some(port) if is_url => is_host && port == NODE_PORT,
        Some(_) => name.is_empty() || NAMES.contains(&name),
        None => !is_url && !is_host && NAMES.contains(&name),
    };
    let port: u16 = port.unwrap_or(NODE_PORT).parse().ok().filter(|_| is_node)?;
    let url = Url::parse(&format!("http://127.0.0.1:{port}/")).ok()?.try_into().ok()?;
    let shown = if name.is_empty() || is_host { "node" } else { name };
    let shown =
        if port.to_string() == NODE_PORT { shown.into() } else { format!("{shown}:{port}") };
    let symbol = Some(DEFAULT_SYMBOL.into());
    Some(Network { symbol, ..Network::of_node(&shown, url) })
}

/// Default port of nodes.
const NODE_PORT: &str = "8545";

/// Returns the chains of the built-in table, which is loaded at the first use.
fn builtin_chains<'a>() -> impl Iterator<Item = &'a ChainInfo> {
    iter::once_with(|| -> &'a [ChainInfo] { builtin_table() }).flatten()
}

/// Returns the only match, or an error if there are several.
fn unique_match<'a>(
    text: &str,
    mut fitting: impl Iterator<Item = &'a ChainInfo>,
) -> Result<Option<&'a ChainInfo>, UnknownChainError> {
    match (fitting.next(), fitting.next()) {
        (Some(one), Some(other)) => {
            Err(UnknownChainError::ambiguous(text, [one, other].into_iter().chain(fitting)))
        }
        (one, _) => Ok(one),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::chain::chains::endpoint::EndpointReason;
    use crate::chain::target::TargetKind;

    fn found(text: &str) -> Network {
        Chains::default().resolve(text).unwrap()
    }

    fn at(base: &str) -> Network {
        Chains::default().network_at(&base.parse().unwrap())
    }

    fn error_of(text: &str) -> String {
        Chains::default().resolve(text).unwrap_err().to_string()
    }

    fn base(network: &Network) -> &str {
        let Endpoint::Remote(base) = &network.endpoint else { return "demo" };
        base.as_str()
    }

    fn own(key: &str, url: &str) -> CustomChain {
        CustomChain { key: key.into(), url: url.into(), ..CustomChain::default() }
    }

    fn with(own: CustomChain) -> Chains {
        Chains::new(vec![own], true).unwrap()
    }

    #[test]
    fn names_ids_and_urls_are_resolved() {
        for text in ["demo", "31337", " DEMO "] {
            assert_eq!(found(text), Network::demo());
        }
        let eth = found("eth");
        assert_eq!((eth.id, base(&eth)), (Some(1), "https://eth.blockscout.com/"));
        for text in ["1", "ETH", "mainnet", "Ethereum", "https://eth.blockscout.com/api/v2/"] {
            assert_eq!(found(text), eth, "{text}");
        }
        for text in ["op", "OP Mainnet", "op-mainnet", "op_main", "10"] {
            assert_eq!(found(text).id, Some(10), "{text}");
        }
    }

    #[test]
    fn usual_name_of_a_chain_finds_the_users_chain_of_its_id() {
        assert!(error_of("bsc").contains("no Blockscout explorer is known"));
        let chains = with(CustomChain { id: Some(56), ..own("mine", "https://mine.example") });
        assert_eq!(base(&chains.resolve("bsc").unwrap()), "https://mine.example/");
    }

    #[test]
    fn nodes_on_this_machine_are_resolved() {
        let node = |text: &str| match found(text) {
            Network { endpoint: Endpoint::Node(url), name, .. } => (name, url.to_string()),
            other => panic!("{text}: {other:?}"),
        };
        for (text, name, host) in [
            ("anvil", "anvil", "127.0.0.1:8545"),
            ("hardhat:8546", "hardhat:8546", "127.0.0.1:8546"),
            (":8546", "node:8546", "127.0.0.1:8546"),
            ("http://localhost:8545/", "node", "127.0.0.1:8545"),
            ("localhost:9545", "node:9545", "127.0.0.1:9545"),
        ] {
            assert_eq!(node(text), (name.into(), host.into()));
            assert_eq!(node(name).1, host, "the name leads back");
        }
        assert_eq!(found("anvil").storage_key(), "127.0.0.1-8545");
        for text in ["http://127.0.0.1:4000", "http://localhost", "https://node.example:8545"] {
            let undecided = found(text);
            assert!(matches!(undecided.endpoint, Endpoint::Undecided(_)), "{text}");
            assert_eq!(undecided.clone().into_explorer(), at(text));
            assert!(undecided.into_node().endpoint.is_node());
        }
        assert_eq!(found("http://127.0.0.1:4000").into_node().name, "node:4000");
        assert_eq!(found("https://node.example:8545").into_node().name, "node.example:8545");
        for text in ["https://x.example/api/v2/", "https://api.blockscout.com/987654", "op"] {
            assert!(matches!(found(text).endpoint, Endpoint::Remote(_)), "{text}");
        }
        let secret = found("https://u:canary@node.example/v2/canary?key=canary");
        let shown = format!("{secret:?} {secret} {}", secret.storage_key());
        assert!(shown.contains("node.example") && !shown.contains("canary"), "{shown}");
        for text in [":", "anvil:", "anvil:x", ":99999"] {
            assert!(Chains::default().resolve(text).is_err(), "{text}");
        }
    }

    #[test]
    fn id_of_a_node_brings_its_coin_and_the_place_of_its_labels() {
        let mut node = found("anvil");
        for (id, before, coin, key) in [
            (31_337, None, "ETH", "127.0.0.1-8545"),
            (137, Some(31_337), "POL", "137"),
            (1337, Some(137), "POL", "127.0.0.1-8545"),
        ] {
            assert_eq!(Chains::replace_id(&mut node, id, false, false), before);
            assert_eq!((node.symbol.as_deref(), &*node.storage_key()), (Some(coin), key));
        }
        assert!(!node.is_linked_by(&LinkedChain::Id(1337)), "it may be a fork");
        let mut own = found("anvil");
        for (is_own, was_own, coin) in
            [(true, false, "ETH"), (true, true, "ETH"), (false, true, "POL")]
        {
            Chains::replace_id(&mut own, 137, is_own, was_own);
            assert_eq!(own.symbol.as_deref(), Some(coin), "any id is its own, unless it forks");
        }
    }

    #[test]
    fn custom_nodes_do_not_show_their_keys() {
        let rpc = Some("https://u:canary@node.example/v2/canary?key=canary".into());
        let chains = with(CustomChain { rpc, id: Some(1), ..own("anvil", "") });
        let network = chains.resolve("anvil").unwrap();
        assert_eq!((network.id, network.storage_key()), (Some(1), "1".into()));
        let shown = format!("{network:?} {:?} {}", network.endpoint.host(), network.storage_key());
        assert!(shown.contains("node.example/‹…›") && !shown.contains("canary"), "{shown}");
        let wrong = CustomChain { rpc: Some("ws://x".into()), ..own("a", "https://a.example") };
        assert!(Chains::new(vec![wrong], false).is_err());
    }

    #[test]
    fn every_chain_is_found_by_names_id_and_url() {
        let chains = Chains::default();
        for known in builtin_table() {
            let ChainInfo { network, names, .. } = known;
            let id = network.id.map(|id| id.to_string());
            let names = names.iter().map(|name| &**name).chain(id.as_deref());
            for text in names.chain([base(network), &known.handle()]) {
                assert_eq!(chains.resolve(text).as_ref(), Ok(network), "{text}");
            }
            assert_eq!(&chains.network_at(network.web.as_ref().unwrap()), network);
            match chains.resolve(&network.name) {
                Ok(found) => assert_eq!(&found, network),
                Err(error) => assert!(error.to_string().contains(&known.handle()), "{error}"),
            }
        }
    }

    #[test]
    fn unique_prefix_is_enough() {
        assert_eq!(found("zilliqa 2 m").id, Some(32769));
        assert_eq!(found("karu").name, "Karura");
    }

    #[test]
    fn ambiguous_names_are_listed() {
        let error = error_of("gnos");
        for words in ["\"gnos\" matches several chains", "gnosis (Gnosis)", "chiado (Gnosis Chi"] {
            assert!(error.contains(words), "{error}");
        }
        assert!(error_of("iota evm testnet").contains("1075 (IOTA EVM Testnet), 1076 (IOTA"));
        let error = error_of("elastos");
        assert!(error.contains("https://eid.elastos.io/ (Elastos)"), "{error}");
        assert!(error_of("e").contains(" more"), "the list is bounded");
    }

    #[test]
    fn unknown_names_get_suggestions_and_a_hint() {
        let error = error_of("etereum");
        assert!(error.starts_with("unknown chain \"etereum\": did you mean eth (Eth"), "{error}");
        assert!(error.contains("`chainglass chains`") && error.contains("https://…"), "{error}");
        for text in
            ["", "  ", "qqqqqqqq", "nosuchchain", "9999999999999999999999", &"ethereum".repeat(99)]
        {
            let error = error_of(text);
            assert!(error.starts_with("unknown chain") && !error.contains("mean"), "{error}");
        }
        for text in ["ftp://x.org/?apikey=canary", "ftp://me:canary@x.org/", "x.org/#canary"] {
            let error = error_of(text);
            assert!(error.contains("x.org/") && !error.contains("canary"), "{error}");
        }
    }

    #[test]
    fn websocket_of_a_node_is_refused_with_its_http_address() {
        for (text, http) in [
            ("ws://127.0.0.1:8545", "http://127.0.0.1:8545"),
            (" wss://user:canary@x.org/canary?key=canary ", "https://x.org/‹…›"),
        ] {
            let expected = UnknownChainError::WebSocket { http: http.to_owned() };
            assert_eq!(Chains::default().resolve(text), Err(expected));
        }
    }

    #[test]
    fn at_most_three_chains_are_suggested() {
        let Err(UnknownChainError::Unknown { near, .. }) = Chains::default().resolve("sepolea")
        else {
            panic!("unknown");
        };
        assert!((1..=3).contains(&near.len()), "{near:?}");
    }

    #[test]
    fn multichain_host_has_the_id_in_its_path() {
        let eth = at("https://api.blockscout.com/1/api/v2/");
        assert_eq!(
            (eth.storage_key(), at("https://eth.blockscout.com/").storage_key()),
            ("1".into(), "1".into())
        );
        assert_eq!((eth.name.as_str(), eth.symbol.as_deref()), ("Ethereum", Some("ETH")));
        assert_eq!(eth.endpoint, Endpoint::Remote("https://api.blockscout.com/1".parse().unwrap()));
        let hash = "0x".to_owned() + &"a".repeat(64);
        let page = "https://eth.blockscout.com/tx/0x";
        let subject: TargetKind = hash.parse().unwrap();
        assert!(eth.web_page(&subject).unwrap().as_str().starts_with(page));
        let other = at("https://api.blockscout.com/987654");
        assert_eq!((other.id, other.symbol.as_ref()), (Some(987_654), None));
        assert_eq!(other.name, "api.blockscout.com/987654");
        assert_eq!(other.web_page(&subject), None);
        assert_eq!(at("https://api.blockscout.com/").id, None);
    }

    #[test]
    fn chain_is_at_its_own_explorer_and_at_the_multichain_host() {
        let own = at("https://eth.blockscout.com");
        let pro = at("https://api.blockscout.com/1");
        let is_at = |network: &Network, base: &str| network.has_explorer_at(&base.parse().unwrap());
        for network in [&own, &pro] {
            assert!(is_at(network, "https://eth.blockscout.com/api/v2/"));
            assert!(is_at(network, "https://api.blockscout.com/1/api/v2"));
            assert!(!is_at(network, "https://base.blockscout.com/"));
            assert!(!is_at(network, "https://api.blockscout.com/8453"));
            assert!(!is_at(network, "https://api.blockscout.com/"));
        }
        assert!(!is_at(&Network::demo(), "https://api.blockscout.com/1"));
    }

    #[test]
    fn pro_key_selects_the_pro_api_for_hosted_chains() {
        let chains = Chains::new(Vec::new(), true).unwrap();
        let reason = |chains: &Chains, text| {
            let known = chains.find_by_name(text).unwrap();
            assert_eq!(
                chains.resolve_endpoint(known).endpoint,
                chains.endpoint_choice(known).endpoint
            );
            chains.endpoint_choice(known).reason
        };
        let eth = chains.resolve("eth").unwrap();
        assert_eq!((eth.name.as_str(), base(&eth)), ("Ethereum", "https://api.blockscout.com/1"));
        assert_eq!(Network { endpoint: found("eth").endpoint, ..eth.clone() }, found("eth"));
        assert_eq!(chains.network_at(&"https://api.blockscout.com/1".parse().unwrap()), eth);
        assert_eq!(chains.resolve("https://eth.blockscout.com").unwrap(), found("eth"), "as given");
        assert_eq!(chains.resolve("demo").unwrap(), Network::demo());
        assert_eq!(base(&chains.resolve("linea").unwrap()), "https://explorer.linea.build/");
        let none = &Chains::default();
        for (text, with, without) in [
            ("demo", EndpointReason::Demo, EndpointReason::Demo),
            ("sepolia", EndpointReason::Pro, EndpointReason::NoKey),
            ("linea", EndpointReason::NotServed, EndpointReason::NoKey),
        ] {
            assert_eq!((reason(&chains, text), reason(none, text)), (with, without), "{text}");
        }
    }

    #[test]
    fn custom_chain_replaces_the_builtin_one_with_its_id() {
        let url = "http://127.0.0.1:4000/api/v2";
        let chains = with(CustomChain { id: Some(1), ..own("my node", url) });
        let mine = chains.resolve("my-node").unwrap();
        assert_eq!((mine.name.as_str(), mine.id), ("my node", Some(1)));
        assert_eq!((mine.symbol.as_deref(), base(&mine)), (Some("ETH"), "http://127.0.0.1:4000/"));
        for text in ["my", "1", "eth", "Ethereum", "main", "http://127.0.0.1:4000"] {
            assert_eq!(chains.resolve(text).unwrap(), mine, "{text}");
        }
        assert_eq!(
            chains.endpoint_choice(chains.find_by_name("1").unwrap()).reason,
            EndpointReason::Config
        );
        let public = chains.network_at(&"https://eth.blockscout.com".parse().unwrap());
        assert_eq!(public, found("eth"), "a URL is used as given");
        assert_eq!(chains.all().filter(|known| known.network.id == Some(1)).count(), 1);
        let one = with(own("mine", "https://eth.blockscout.com/api"));
        assert_eq!(one.resolve("ethereum").unwrap().name, "mine");
    }

    #[test]
    fn custom_fields_override_builtin_ones() {
        let mine = CustomChain {
            key: "x".into(),
            id: Some(31_337),
            name: Some("X\u{1b}[2J".into()),
            rpc: None,
            url: "https://u:canary@x.org/scan?apikey=canary".into(),
            symbol: Some("MINE".into()),
            decimals: Some(6),
            testnet: Some(true),
        };
        let chains = with(mine);
        let found = chains.resolve("31337").unwrap();
        assert_eq!(base(&found), "https://x.org/scan");
        assert_eq!((found.name.as_str(), found.decimals), ("X␛[2J", 6));
        assert_eq!((found.symbol.as_deref(), found.testnet), (Some("MINE"), true));
        assert_eq!(chains.resolve("demo").unwrap(), Network::demo());
        assert_eq!(chains.network_at(&"https://x.org/scan/api/v2".parse().unwrap()), found);
    }

    #[test]
    fn config_errors_do_not_repeat_the_url() {
        for url in ["", "x.org", "ftp://x.org/?apikey=canary", "https://"] {
            let error = Chains::new(vec![own("x", url)], false).unwrap_err().to_string();
            assert!(error.starts_with("chains.x: ") && !error.contains("canary"), "{error}");
        }
        for key in ["", " ", "demo", "https://x.org"] {
            Chains::new(vec![own(key, "https://x.org")], false).unwrap_err();
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn any_text_is_a_chain_or_a_one_line_error(text in "\\PC{0,60}|[a-z -]{1,8}") {
            match Chains::default().resolve(&text) {
                Ok(network) => prop_assert!(!network.storage_key().contains(['/', '\\', ':'])),
                Err(error) => prop_assert!(!error.to_string().contains('\n')),
            }
        }
    }
}
