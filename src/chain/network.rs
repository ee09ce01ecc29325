//! Which chain is looked at, and where its explorer answers.

use std::fmt;

use url::Url;

use super::subject::Subject;

/// Where answers come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// The demo chain, served by this program itself.
    Embedded,
    /// An explorer elsewhere; the address that `/api/v2/…` is appended to.
    Remote(Url),
}

/// A chain as the user chose it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// What the screen calls it.
    pub name: String,
    /// The native coin's symbol, where it is known.
    pub symbol: Option<&'static str>,
    /// The native coin's decimals.
    pub decimals: u8,
    /// Who is asked.
    pub endpoint: Endpoint,
}

/// A chain that nobody here knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown chain {0:?}: give `demo` (31337), `eth` (1), or an explorer's base address (https://…)"
)]
pub struct UnknownChain(pub String);

struct Known {
    names: &'static [&'static str],
    title: &'static str,
    symbol: &'static str,
    base: &'static str,
}

/// The demo chain's own id.
const DEMO_ID: &str = "31337";

/// The chains that can be named.
const KNOWN: &[Known] = &[Known {
    names: &["eth", "ethereum", "mainnet", "1"],
    title: "Ethereum",
    symbol: "ETH",
    base: "https://eth.blockscout.com/",
}];

impl Network {
    /// The demo chain.
    pub fn demo() -> Self {
        Self {
            name: "demo".into(),
            symbol: Some("ETH"),
            decimals: 18,
            endpoint: Endpoint::Embedded,
        }
    }

    /// Reads what `--chain` takes: `demo`, a known name or id, or a base address with or without
    /// `/api/v2`.
    pub fn find(text: &str) -> Result<Self, UnknownChain> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("demo") || text == DEMO_ID {
            return Ok(Self::demo());
        }
        if let Some(known) =
            KNOWN.iter().find(|k| k.names.iter().any(|n| n.eq_ignore_ascii_case(text)))
        {
            return known.network().ok_or_else(|| UnknownChain(text.into()));
        }
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                Ok(Self::at(&url))
            }
            _ => Err(UnknownChain(without_secrets(text).into())),
        }
    }

    /// The chain an explorer's base address belongs to.
    pub fn at(base: &Url) -> Self {
        let base = trimmed(base);
        let known = KNOWN
            .iter()
            .find(|k| k.base.trim_end_matches('/') == base.as_str().trim_end_matches('/'));
        known.and_then(Known::network).unwrap_or_else(|| Self {
            name: name(&base),
            symbol: by_path(&base).map(|known| known.symbol),
            decimals: 18,
            endpoint: Endpoint::Remote(base),
        })
    }

    /// The web explorer's page about something, where there is a web explorer.
    pub fn web_page(&self, subject: &Subject) -> Option<Url> {
        let Endpoint::Remote(base) = &self.endpoint else { return None };
        let mut url = match by_path(base) {
            Some(known) => Url::parse(known.base).ok()?,
            None if is_shared(base) => return None,
            None => base.clone(),
        };
        let path = match subject {
            Subject::Address(address) => format!("address/{address}"),
            Subject::Transaction(hash) => format!("tx/{hash}"),
        };
        let path = [url.path().trim_end_matches('/'), "/", &path].concat();
        url.set_path(&path);
        Some(url)
    }

    /// What the user's files about this chain are called: its id, `demo`, or the host of its explorer.
    pub fn key(&self) -> String {
        let Endpoint::Remote(base) = &self.endpoint else { return "demo".into() };
        let known = KNOWN.iter().find(|k| k.base == base.as_str()).or_else(|| by_path(base));
        let id = known.and_then(|known| known.names.last()).map(|id| (*id).to_owned());
        let safe = |c: char| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' };
        id.unwrap_or_else(|| name(base).chars().map(safe).collect())
    }

    /// Whether `base` is this chain's own explorer.
    pub fn is_at(&self, base: &Url) -> bool {
        self.endpoint == Self::at(base).endpoint
    }
}

impl Known {
    fn network(&self) -> Option<Network> {
        Some(Network {
            name: self.title.into(),
            symbol: Some(self.symbol),
            decimals: 18,
            endpoint: Endpoint::Remote(Url::parse(self.base).ok()?),
        })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

/// The host that answers for every chain: which one is meant stands in the path.
const SHARED: &str = "api.blockscout.com";

fn is_shared(base: &Url) -> bool {
    base.host_str() == Some(SHARED)
}

/// The chain that the path of the shared host names, if we know it.
fn by_path(base: &Url) -> Option<&'static Known> {
    let id = base.path().trim_matches('/');
    KNOWN.iter().find(|known| is_shared(base) && known.names.contains(&id))
}

/// What the screen calls an explorer that we do not know.
fn name(base: &Url) -> String {
    let host = base.host_str().unwrap_or("explorer");
    let port = base.port().map(|p| format!(":{p}")).unwrap_or_default();
    let path = if is_shared(base) { base.path().trim_end_matches('/') } else { "" };
    [host, &port, path].concat()
}

/// What was given for a chain, without where a key or a password may stand.
fn without_secrets(text: &str) -> &str {
    let text = text.split(['?', '#']).next().unwrap_or(text);
    text.rsplit('@').next().unwrap_or(text)
}

/// The base address without `/api/v2`, query and fragment.
fn trimmed(base: &Url) -> Url {
    let mut url = base.clone();
    let path = base.path().trim_end_matches('/');
    let path = path.strip_suffix("/api/v2").or_else(|| path.strip_suffix("/api")).unwrap_or(path);
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    // A key in the address would be shown and sent: keys travel in headers only.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ids_and_addresses() {
        assert_eq!(Network::find("demo").unwrap().endpoint, Endpoint::Embedded);
        let eth = Network::find("eth").unwrap();
        assert_eq!(Network::find("1").unwrap(), eth);
        assert_eq!(Network::find("https://eth.blockscout.com/api/v2/").unwrap(), eth);
        let local = Network::find("http://127.0.0.1:4000/sub/api/v2").unwrap();
        assert_eq!(local.name, "127.0.0.1:4000");
        assert_eq!(local.symbol, None);
        assert_eq!(local.endpoint, Endpoint::Remote("http://127.0.0.1:4000/sub".parse().unwrap()));
    }

    #[test]
    fn the_host_of_every_chain_has_the_chain_in_its_path() {
        let of = |base: &str| Network::find(base).unwrap();
        let eth = of("https://api.blockscout.com/1/api/v2/");
        assert_eq!((eth.name.as_str(), eth.symbol), ("api.blockscout.com/1", Some("ETH")));
        assert_eq!(eth.endpoint, Endpoint::Remote("https://api.blockscout.com/1".parse().unwrap()));
        let (hash, page) = ("0x".to_owned() + &"a".repeat(64), "https://eth.blockscout.com/tx/0x");
        let subject: Subject = hash.parse().unwrap();
        assert!(eth.web_page(&subject).unwrap().as_str().starts_with(page));
        let other = of("https://api.blockscout.com/8453");
        assert_eq!((other.name.as_str(), other.symbol), ("api.blockscout.com/8453", None));
        assert_eq!(other.web_page(&subject), None);
    }

    #[test]
    fn every_chain_has_a_name_for_files() {
        for (chain, key) in [
            ("demo", "demo"),
            ("eth", "1"),
            ("https://api.blockscout.com/1", "1"),
            ("http://127.0.0.1:4000/sub", "127.0.0.1_4000"),
            ("https://x.example/a/../..", "x.example"),
        ] {
            assert_eq!(Network::find(chain).unwrap().key(), key);
        }
    }

    #[test]
    fn credentials_in_an_address_are_dropped() {
        let Endpoint::Remote(url) =
            Network::find("https://u:p@x.org/?apikey=k#f").unwrap().endpoint
        else {
            panic!("remote");
        };
        assert_eq!(url.as_str(), "https://x.org/");
    }

    #[test]
    fn a_miss_says_what_is_accepted() {
        let error = Network::find("etj").unwrap_err().to_string();
        assert!(error.contains("etj") && error.contains("demo"), "{error}");
        for text in ["ftp://x.org/?apikey=canary", "ftp://me:canary@x.org/", "x.org/#canary"] {
            let error = Network::find(text).unwrap_err().to_string();
            assert!(error.contains("x.org/") && !error.contains("canary"), "{error}");
        }
    }
}
