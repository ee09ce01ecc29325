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
            _ => Err(UnknownChain(text.into())),
        }
    }

    /// The chain an explorer's base address belongs to.
    pub fn at(base: &Url) -> Self {
        let base = trimmed(base);
        let known = KNOWN
            .iter()
            .find(|k| k.base.trim_end_matches('/') == base.as_str().trim_end_matches('/'));
        known.and_then(Known::network).unwrap_or_else(|| Self {
            name: base.host_str().unwrap_or("explorer").to_owned()
                + &base.port().map(|p| format!(":{p}")).unwrap_or_default(),
            symbol: None,
            decimals: 18,
            endpoint: Endpoint::Remote(base),
        })
    }

    /// The web explorer's page about something, where there is a web explorer.
    pub fn web_page(&self, subject: &Subject) -> Option<Url> {
        let Endpoint::Remote(base) = &self.endpoint else { return None };
        let mut url = base.clone();
        let path = match subject {
            Subject::Address(address) => format!("address/{address}"),
            Subject::Transaction(hash) => format!("tx/{hash}"),
        };
        url.set_path(&[base.path().trim_end_matches('/'), "/", &path].concat());
        Some(url)
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
        assert!(Network::find("ftp://x.org").is_err());
    }
}
