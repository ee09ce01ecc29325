//! Finds out whether a node or an explorer is at a URL.

use std::time::Duration;

use serde_json::json;

use crate::api::ApiError;
use crate::chain::network::{Endpoint, Network};
use crate::chain::node_url::NodeUrl;
use crate::http::TransportConfig;
use crate::rpc::{RpcClient, RpcError};
use crate::safety::public_hosts::is_public;
use crate::sanitize::SafeText;

/// Maximum time for an answer. What takes longer is no node.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// Asks the URL of an undecided chain, as a node, for its id. Returns the chain of the node, or else
/// of the explorer. Fails if nothing is there.
pub async fn decide(network: &Network, transport: &TransportConfig) -> Result<Network, ApiError> {
    let Endpoint::Undecided(url) = &network.endpoint else { return Ok(network.clone()) };
    let asked = ask(url.clone(), transport).await;
    let is_node = match &asked {
        // Explorers have no such codes.
        Ok(_) | Err(RpcError::Unsupported) => true,
        Err(RpcError::Other { code: Some(code), .. }) => *code < 0,
        // Nothing is there yet, or a path that may be a key would be taken for that of an explorer,
        // which is shown.
        Err(error) if is_absent(error, url) || url.has_keys() && is_silent(error) => {
            return Err(ApiError::Node { status: 503, why: SafeText::new(&error.to_string()) });
        }
        Err(_) => false,
    };
    Ok(if is_node { network.clone().into_node() } else { network.clone().into_explorer() })
}

/// Returns whether a port of this machine or its network is closed.
fn is_absent(error: &RpcError, url: &NodeUrl) -> bool {
    let is_refused = |why: &str| why == "connection refused";
    matches!(error, RpcError::Unreachable { why, .. } if is_refused(why))
        && !is_public(url.expose())
}

/// Returns whether an error tells nothing about what is at a URL.
fn is_silent(error: &RpcError) -> bool {
    matches!(
        error,
        RpcError::Unreachable { .. }
            | RpcError::Interrupted { .. }
            | RpcError::Timeout { .. }
            | RpcError::RateLimited { .. }
    )
}

async fn ask(url: NodeUrl, transport: &TransportConfig) -> Result<u64, RpcError> {
    let transport = TransportConfig {
        connect_timeout: transport.connect_timeout.min(PROBE_TIMEOUT),
        response_timeout: transport.response_timeout.min(PROBE_TIMEOUT),
        ..transport.clone()
    };
    RpcClient::with_transport(url, transport)?.quantity("eth_chainId", json!([])).await
}
