//! Chooses the API for a chain: its own explorer or the PRO API.

use super::registry::{ChainInfo, ChainSource};
use crate::chain::network::{Endpoint, multichain_url};

/// The endpoint of a chain, with the reason for the choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointChoice {
    pub endpoint: Endpoint,
    pub reason: EndpointReason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum EndpointReason {
    Demo,
    LocalNode,
    Config,
    /// There is a key for the PRO API, which has the chain.
    Pro,
    NoKey,
    /// There is a key, but the chain may not be in the PRO API.
    NotServed,
}

/// Chooses the endpoint of a chain.
///
/// The chains of the PRO API cannot be known without requests, so it is used for chains whose explorers
/// Blockscout hosts.
pub fn choose_endpoint(known: &ChainInfo, has_pro_key: bool) -> EndpointChoice {
    let own = known.network.endpoint.clone();
    let (endpoint, reason) = match (known.source, known.network.id.and_then(multichain_url)) {
        (ChainSource::Demo, _) => (own, EndpointReason::Demo),
        (ChainSource::LocalNode, _) => (own, EndpointReason::LocalNode),
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
