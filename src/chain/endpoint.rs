//! Chooses the API that is used for a chain: its own explorer or the PRO API.

use super::network::{Endpoint, multichain_url};
use super::registry::{ChainInfo, ChainSource};

/// The endpoint of a chain, and why it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointChoice {
    pub endpoint: Endpoint,
    pub reason: EndpointReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EndpointReason {
    Demo,
    Config,
    /// There is a key for the PRO API, which has the chain.
    Pro,
    NoKey,
    /// There is a key, but the PRO API is not known to have the chain.
    NotServed,
}

impl EndpointReason {
    pub fn describe(self) -> &'static str {
        match self {
            Self::Demo => "built in",
            Self::Config => "your configuration",
            Self::Pro => "PRO API (your key)",
            Self::NoKey => "own instance (no PRO key)",
            Self::NotServed => "own instance (not on PRO)",
        }
    }
}

/// Chooses the endpoint of a chain.
///
/// Which chains the PRO API has cannot be known without requests, so it is used for those whose
/// explorers Blockscout hosts.
pub fn choose_endpoint(known: &ChainInfo, has_pro_key: bool) -> EndpointChoice {
    let own = known.network.endpoint.clone();
    let (endpoint, reason) = match (known.source, known.network.id.and_then(multichain_url)) {
        (ChainSource::Demo, _) => (own, EndpointReason::Demo),
        (ChainSource::Config, _) => (own, EndpointReason::Config),
        (ChainSource::Table { hosted: true }, Some(pro)) if has_pro_key => {
            (Endpoint::Remote(pro), EndpointReason::Pro)
        }
        (ChainSource::Table { hosted: false }, _) if has_pro_key => {
            (own, EndpointReason::NotServed)
        }
        _ => (own, EndpointReason::NoKey),
    };
    EndpointChoice { endpoint, reason }
}
