//! Finds the development nodes that run on this machine, at their usual ports.

use std::time::Duration;

use serde_json::json;

use crate::chain::chains::local_node;
use crate::chain::network::{Endpoint, Network};
use crate::http::TransportConfig;
use crate::rpc::RpcClient;

/// Default ports of anvil, Hardhat, Ganache's app and Truffle, with the next two of anvil.
const USUAL_PORTS: [u16; 5] = [8545, 8546, 8547, 7545, 9545];
/// Maximum time for an answer. A busier node is not listed, and has to be typed.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(500);
const MAX_ANSWER_BYTES: u64 = 4 << 10;

/// Returns the chains of the nodes that answer at their usual ports, in the order of the ports.
pub async fn find_local_nodes() -> Vec<Network> {
    find_at(&USUAL_PORTS).await
}

/// Returns the chains of the nodes that answer at some ports of this machine.
pub async fn find_at(ports: &[u16]) -> Vec<Network> {
    let asked = ports.iter().map(|port| node_at(*port));
    futures_util::future::join_all(asked).await.into_iter().flatten().collect()
}

async fn node_at(port: u16) -> Option<Network> {
    let network = local_node(&format!("node:{port}"))?;
    let Endpoint::Node(url) = &network.endpoint else { return None };
    let transport = TransportConfig {
        connect_timeout: ANSWER_TIMEOUT,
        response_timeout: ANSWER_TIMEOUT,
        max_body_bytes: MAX_ANSWER_BYTES,
        ..TransportConfig::default()
    };
    let client = RpcClient::with_transport(url.clone(), transport).ok()?;
    let version: String = client.call("web3_clientVersion", json!([])).await.ok()?;
    local_node(&format!("{}:{port}", node_name(&version)))
}

/// Returns the name of a development node by its version, such as `anvil/v1.7.1`.
fn node_name(version: &str) -> &'static str {
    let program = version.split('/').next().unwrap_or_default();
    match program.to_ascii_lowercase().as_str() {
        "anvil" => "anvil",
        "hardhatnetwork" => "hardhat",
        "ganache" => "ganache",
        _ => "node",
    }
}
