//! Who is asked for a chain that was named, and why.

use super::network::{Endpoint, multichain_url};
use super::registry::{ChainInfo, ChainSource};

/// Who is asked, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointChoice {
    /// Who is asked.
    pub endpoint: Endpoint,
    /// Why it is they.
    pub reason: EndpointReason,
}

/// Why somebody is asked for a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EndpointReason {
    /// It is in this program.
    Demo,
    /// The user's configuration says so.
    Config,
    /// There is a key for the PRO API, which serves the chain.
    Pro,
    /// There is none.
    NoKey,
    /// There is one, and the PRO API is not known to serve the chain.
    NotServed,
}

impl EndpointReason {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Demo => "built in",
            Self::Config => "your configuration",
            Self::Pro => "PRO API, your key",
            Self::NoKey => "own API, no PRO key",
            Self::NotServed => "own API, not Blockscout's",
        }
    }
}

/// Who is asked for a chain, if a key for the PRO API is there or not. Which chains that serves cannot
/// be known without asking: those are taken whose explorers Blockscout hosts.
pub fn choose_endpoint(known: &ChainInfo, has_pro: bool) -> EndpointChoice {
    let own = known.network.endpoint.clone();
    let (endpoint, reason) = match (known.source, known.network.id.and_then(multichain_url)) {
        (ChainSource::Demo, _) => (own, EndpointReason::Demo),
        (ChainSource::Config, _) => (own, EndpointReason::Config),
        (ChainSource::Table { hosted: true }, Some(pro)) if has_pro => {
            (Endpoint::Remote(pro), EndpointReason::Pro)
        }
        (ChainSource::Table { hosted: false }, _) if has_pro => (own, EndpointReason::NotServed),
        _ => (own, EndpointReason::NoKey),
    };
    EndpointChoice { endpoint, reason }
}
