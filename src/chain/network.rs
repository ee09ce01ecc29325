//! The current chain, and the endpoint of its data.

use std::fmt;

use alloy_primitives::{hex, keccak256};
use jiff::Timestamp;
use url::{Host, Position, Url};

use super::node_url::NodeUrl;
use super::target::{LinkedChain, TargetKind};
use crate::sanitize::SafeText;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    Embedded,
    /// A remote explorer, by the base URL in front of `/api/v2/…`.
    Remote(Url),
    /// A bare JSON-RPC node.
    Node(NodeUrl),
    /// A node or an explorer, until a request decides it.
    Undecided(NodeUrl),
}

impl Endpoint {
    /// Returns `true` if the endpoint is another one, or may turn out to be.
    pub fn may_be(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Undecided(url), Self::Remote(base))
            | (Self::Remote(base), Self::Undecided(url)) => {
                normalize_base_url(url.expose()) == *base
            }
            _ => self == other,
        }
    }

    pub fn is_node(&self) -> bool {
        matches!(self, Self::Node(_))
    }

    /// Returns `true` if this program serves the chain itself, as it does in a replay.
    pub fn is_served_here(&self) -> bool {
        matches!(self, Self::Embedded | Self::Node(_))
    }

    /// Returns `true` if a request stays on this machine.
    pub fn is_on_this_machine(&self) -> bool {
        match self {
            Self::Embedded => true,
            Self::Remote(base) => is_loopback(base),
            Self::Node(url) | Self::Undecided(url) => is_loopback(url.expose()),
        }
    }

    /// Returns `true` for the PRO API, which takes credits for each request.
    pub fn takes_credits(&self) -> bool {
        matches!(self, Self::Remote(base) if is_multichain_host(base))
    }

    /// Returns the host, with its port if it is not the default, or `None` for the demo server.
    pub fn host(&self) -> Option<String> {
        match self {
            Self::Embedded => None,
            Self::Remote(base) => Some(host_and_port(base)),
            Self::Node(url) | Self::Undecided(url) => Some(url.shown_address().to_string()),
        }
    }
}

/// A chain with the endpoint that the user chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    pub id: Option<u64>,
    pub name: String,
    pub symbol: Option<SafeText>,
    pub decimals: u8,
    pub testnet: bool,
    pub endpoint: Endpoint,
    /// The chain's web explorer, also if the endpoint is another host.
    pub web: Option<Url>,
    /// `true` if a recording named the chain and not the user.
    pub is_recorded: bool,
    /// `true` if the node says that it is a development node on this machine, whatever its chain's id.
    pub is_local_development: bool,
    /// The newest block of a development chain, whose clock may be ahead.
    pub newest_block: Option<NewestBlock>,
}

/// The time of a chain's newest block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewestBlock {
    pub time: Timestamp,
    /// The time on this machine when it was first seen.
    pub seen_at: Timestamp,
}

impl NewestBlock {
    /// Returns the time on the chain: the clock of a chain whose block was ahead goes on from there.
    pub fn chain_time(self, now: Timestamp) -> Timestamp {
        let ahead = self.time.duration_since(self.seen_at);
        let there = if ahead.is_positive() { now.checked_add(ahead).unwrap_or(now) } else { now };
        there.max(self.time)
    }
}

pub(super) const DEMO_NAME: &str = "demo";
const DEMO_ID: u64 = 31_337;
/// Time of the demo chain's last block, at which its clock stands still.
pub const DEMO_LAST_BLOCK_TIME: Timestamp = Timestamp::constant(1_700_006_008, 0);
/// Number of the demo chain's last block.
pub const DEMO_LAST_BLOCK: u64 = 334;
/// Default ids of development nodes' chains.
pub const DEVELOPMENT_IDS: [u64; 2] = [1337, 31_337];
pub(super) const DEFAULT_SYMBOL: &str = "ETH";
/// Decimals of the native coin, unless configured.
const DEFAULT_DECIMALS: u8 = 18;
/// Host of the PRO API, which serves every chain and requires a key. The path of a base URL contains the chain id.
pub const PRO_HOST: &str = "api.blockscout.com";

impl Network {
    pub fn demo() -> Self {
        Self {
            id: Some(DEMO_ID),
            name: DEMO_NAME.into(),
            symbol: Some(DEFAULT_SYMBOL.into()),
            decimals: DEFAULT_DECIMALS,
            testnet: true,
            endpoint: Endpoint::Embedded,
            web: None,
            is_recorded: false,
            is_local_development: false,
            newest_block: None,
        }
    }

    pub(super) fn from_base_url(base: Url) -> Self {
        Self {
            id: multichain_id(&base),
            name: name_from_url(&base),
            symbol: None,
            decimals: DEFAULT_DECIMALS,
            testnet: false,
            web: Some(base.clone()).filter(|base| !is_multichain_host(base)),
            endpoint: Endpoint::Remote(base),
            is_recorded: false,
            is_local_development: false,
            newest_block: None,
        }
    }

    /// Creates the chain of a node before the first request to it.
    pub fn of_node(name: &str, url: NodeUrl) -> Self {
        Self {
            id: None,
            name: name.into(),
            symbol: None,
            decimals: DEFAULT_DECIMALS,
            testnet: true,
            endpoint: Endpoint::Node(url),
            web: None,
            is_recorded: false,
            is_local_development: false,
            newest_block: None,
        }
    }

    /// Creates the chain of a node or an explorer.
    pub(super) fn undecided(url: NodeUrl) -> Self {
        let name = host_and_port(url.expose());
        Self {
            testnet: false,
            endpoint: Endpoint::Undecided(url.clone()),
            ..Self::of_node(&name, url)
        }
    }

    /// Returns `true` for the chain of a development node.
    pub fn is_development(&self) -> bool {
        let is_node = matches!(self.endpoint, Endpoint::Node(_));
        let has_usual_id = self.id.is_some_and(|id| DEVELOPMENT_IDS.contains(&id));
        is_node && (has_usual_id || self.is_local_development)
    }

    /// Turns an undecided chain into a node's.
    #[must_use]
    pub fn into_node(self) -> Self {
        match self.endpoint {
            Endpoint::Undecided(url) => {
                let local = local_node_name(url.expose());
                Self::of_node(local.as_deref().unwrap_or(&self.name), url)
            }
            _ => self,
        }
    }

    /// Turns an undecided chain into an explorer's.
    #[must_use]
    pub fn into_explorer(self) -> Self {
        match self.endpoint {
            Endpoint::Undecided(url) => Self::from_base_url(normalize_base_url(url.expose())),
            _ => self,
        }
    }

    /// Returns the base URL of the explorer, if the endpoint is or may be one.
    pub fn explorer_base(&self) -> Option<Url> {
        match &self.endpoint {
            Endpoint::Remote(base) => Some(base.clone()),
            Endpoint::Undecided(url) => Some(normalize_base_url(url.expose())),
            Endpoint::Embedded | Endpoint::Node(_) => None,
        }
    }

    /// Returns a stable file name for the data kept per chain. A recording, which can claim to be any
    /// chain, has its own.
    pub fn storage_key(&self) -> String {
        let key = match (&self.endpoint, self.id) {
            (Endpoint::Embedded, _) => DEMO_NAME.into(),
            (Endpoint::Remote(_), Some(id)) => id.to_string(),
            (Endpoint::Remote(base), None) => file_name_from_url(base),
            // All projects share the ids of development chains.
            (Endpoint::Node(_), Some(id)) if !DEVELOPMENT_IDS.contains(&id) => id.to_string(),
            (Endpoint::Node(url) | Endpoint::Undecided(url), _) => {
                file_name_from_url(&url.without_keys())
            }
        };
        // No other key has an underscore.
        if self.is_recorded { format!("recording_{key}") } else { key }
    }

    /// Returns the file name of earlier versions, if it contains the path of a URL, which may be a key.
    pub fn former_storage_key(&self) -> Option<FormerStorageKey> {
        let url = match &self.endpoint {
            Endpoint::Embedded => return None,
            Endpoint::Remote(base) => base,
            Endpoint::Node(url) | Endpoint::Undecided(url) => url.expose(),
        };
        let base = normalize_base_url(url);
        let has_path = !base.path().trim_matches('/').is_empty() && multichain_id(&base).is_none();
        has_path.then(|| FormerStorageKey {
            name: file_name(&base, base.path()),
            replacement: file_name_from_url(&base),
        })
    }

    /// Returns the web explorer's page about a target, if the chain has a web explorer.
    pub fn web_page(&self, target: &TargetKind) -> Option<Url> {
        let mut url = self.web.clone()?;
        let path = match target {
            TargetKind::Address(address) => format!("address/{address}"),
            TargetKind::Transaction(hash) => format!("tx/{hash}"),
            TargetKind::Block(id) => format!("block/{id}"),
        };
        let path = [url.path().trim_end_matches('/'), "/", &path].concat();
        url.set_path(&path);
        Some(url)
    }

    pub fn is_linked_by(&self, chain: &LinkedChain) -> bool {
        match chain {
            // It may be a fork, which has the id of another chain.
            _ if self.endpoint.is_node() => false,
            LinkedChain::At(base) => self.has_explorer_at(base),
            LinkedChain::Id(id) => self.id == Some(*id),
        }
    }

    /// Returns `true` if `base` is an explorer of this chain: the endpoint, its own web explorer, or
    /// the PRO API with this chain's id.
    pub fn has_explorer_at(&self, base: &Url) -> bool {
        let base = normalize_base_url(base);
        self.web.as_ref() == Some(&base)
            || multichain_id(&base).is_some_and(|id| self.id == Some(id))
            || self.endpoint == Endpoint::Remote(base)
    }
}

/// A file name that may contain a key, and the name that replaces it.
#[derive(Clone, PartialEq, Eq)]
pub struct FormerStorageKey {
    /// The file name, which is neither displayed nor in debug output.
    pub name: String,
    pub replacement: String,
}

impl fmt::Debug for FormerStorageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FormerStorageKey({})", self.replacement)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

pub(super) fn multichain_url(id: u64) -> Option<Url> {
    Url::parse(&format!("https://{PRO_HOST}/{id}")).ok()
}

fn is_multichain_host(base: &Url) -> bool {
    base.host_str() == Some(PRO_HOST)
}

pub(super) fn multichain_id(base: &Url) -> Option<u64> {
    base.path().trim_matches('/').parse().ok().filter(|_| is_multichain_host(base))
}

/// Parses an `http:` or `https:` URL with a host.
pub fn parse_web_url(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// Returns a typed URL or name for an error message: only the host of a URL, because every other part
/// may be a key or a password.
pub fn without_secrets(text: &str) -> String {
    if let Some((scheme, _)) = text.split_once("://") {
        let url = Url::parse(text).ok().filter(Url::has_host);
        let host = url.map(|url| host_and_port(&url) + "/").unwrap_or_default();
        return format!("{scheme}://{host}…");
    }
    let text = text.split(['?', '#']).next().unwrap_or(text);
    text.rsplit('@').next().unwrap_or(text).to_owned()
}

fn name_from_url(base: &Url) -> String {
    let path = if is_multichain_host(base) { base.path().trim_end_matches('/') } else { "" };
    host_and_port(base) + path
}

/// Returns `true` for a URL of this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Returns the host of a URL, with its port if it is not the default.
pub fn host_and_port(base: &Url) -> String {
    base[Position::BeforeHost..Position::AfterPort].to_owned()
}

/// Returns the name of a node on this machine, by which it is found again: `node:9545`.
fn local_node_name(url: &Url) -> Option<String> {
    let is_local = matches!(url.host_str(), Some("127.0.0.1" | "localhost"));
    let is_plain = url.scheme() == "http" && url.path() == "/" && url.query().is_none();
    let port = url.port().filter(|_| is_local && is_plain && url.username().is_empty())?;
    Some(format!("node:{port}"))
}

/// Converts a base URL to a file name: `host-port`, and a hash of the path, which may be a key.
fn file_name_from_url(base: &Url) -> String {
    let path = base.path().trim_matches('/');
    let hash = (!path.is_empty()).then(|| hex::encode(keccak256(path)));
    file_name(base, hash.as_ref().and_then(|hash| hash.get(..PATH_HASH_DIGITS)).unwrap_or_default())
}

fn file_name(base: &Url, path: &str) -> String {
    let port = base.port().map(|port| port.to_string());
    let parts = base
        .host_str()
        .into_iter()
        .chain(port.as_deref())
        .chain(path.split('/').filter(|part| !part.is_empty()));
    let joined = parts.collect::<Vec<_>>().join("-");
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
    let name: String = joined.chars().map(safe).take(MAX_FILE_NAME_CHARS).collect();
    if name == DEMO_NAME { "demo-".into() } else { name }
}

/// Hexadecimal digits of the hash of a path.
const PATH_HASH_DIGITS: usize = 16;
/// Maximum characters of a file name. Some systems refuse longer ones.
const MAX_FILE_NAME_CHARS: usize = 200;

/// Removes `/api/v2`, query, fragment and credentials from a base URL.
pub(super) fn normalize_base_url(base: &Url) -> Url {
    let mut url = base.clone();
    let full_path = base.path().trim_end_matches('/');
    let path = full_path
        .strip_suffix("/api/v2")
        .or_else(|| full_path.strip_suffix("/api"))
        .unwrap_or(full_path);
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    // A key in the URL would be shown and logged. Keys are sent in headers only.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(base: &str) -> Network {
        Network::from_base_url(normalize_base_url(&base.parse().unwrap()))
    }

    #[test]
    fn unknown_explorer_is_named_by_its_host() {
        let local = at("http://127.0.0.1:4000/sub/api/v2");
        assert_eq!((local.name.as_str(), local.id, &local.symbol), ("127.0.0.1:4000", None, &None));
        assert_eq!(local.endpoint, Endpoint::Remote("http://127.0.0.1:4000/sub".parse().unwrap()));
    }

    #[test]
    fn credentials_in_a_url_are_dropped() {
        let Endpoint::Remote(url) = at("https://u:p@x.org/?apikey=k#f").endpoint else {
            panic!("remote");
        };
        assert_eq!(url.as_str(), "https://x.org/");
    }

    #[test]
    fn errors_repeat_no_secret() {
        for (text, shown) in [
            ("https://u:canary@x.org:81/canary?canary#canary", "https://x.org:81/…"),
            ("ftp://u:canary@x.org/canary", "ftp://x.org/…"),
            ("https://[::canary/", "https://…"),
            ("u:canary@x.org?canary", "x.org"),
            ("etereum", "etereum"),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }

    #[test]
    fn storage_keys_are_file_names() {
        for (base, key) in [
            ("https://api.blockscout.com/1", "1"),
            ("https://x.org", "x.org"),
            ("http://demo/", "demo-"),
            ("http://127.0.0.1:4000/a/../b%2f..%5C:c/", "127.0.0.1-4000-b113a76e4647d069"),
            ("http://[::1]:4000/", "---1--4000"),
        ] {
            assert_eq!(at(base).storage_key(), key, "{base}");
        }
        assert_eq!(Network::demo().storage_key(), "demo");
        let recorded = Network { is_recorded: true, ..at("http://recording_1/") };
        assert_eq!(recorded.storage_key(), "recording_recording-1");
        assert_eq!(
            at(&format!("https://{}.org/", "a.".repeat(120))).storage_key().len(),
            MAX_FILE_NAME_CHARS
        );
    }
}
