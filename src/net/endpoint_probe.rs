//! Determines whether a node or an explorer is at a URL.
//!
//! Only an answer of either kind proves it: the page of a gateway does not, and until then the path of
//! the URL may be a key.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::scheduler::RequestScheduler;
use crate::api::ApiError;
use crate::api::client::Client;
use crate::api::client::api_key::ApiKey;
use crate::api::exchange::{Exchange, POST};
use crate::app_message::Priority;
use crate::chain::network::{Endpoint, Network};
use crate::chain::node_url::NodeUrl;
use crate::http::TransportConfig;
use crate::messages::connect_error::ConnectError;
use crate::messages::node::NodeErrorCode;
use crate::rpc::{RpcClient, RpcError};
use crate::safety::public_hosts::is_public;
use crate::sanitize::SafeText;

/// Maximum time for each answer.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of each answer.
const MAX_ANSWER_BYTES: u64 = 1 << 20;
/// Path that only Blockscout instances answer.
const STATUS_PATH: &str = "api/v2/main-page/indexing-status";

/// The fields of an instance's status that identify Blockscout.
#[derive(Deserialize)]
#[expect(dead_code, reason = "the names are compared")]
struct IndexingStatus {
    finished_indexing_blocks: bool,
    indexed_blocks_ratio: serde::de::IgnoredAny,
}

/// Returns a chain, after probing its URL if it is undecided.
pub async fn decide(
    network: &Network,
    transport: &TransportConfig,
    key: Option<ApiKey>,
    scheduler: &RequestScheduler,
) -> Result<Network, ApiError> {
    match &network.endpoint {
        Endpoint::Undecided(url) => {
            EndpointProbe::new(network, url, transport, key)?.decide(scheduler).await
        }
        _ => Ok(network.clone()),
    }
}

/// The clients for the URL of an undecided chain, for any number of attempts.
#[derive(Debug)]
pub struct EndpointProbe {
    network: Network,
    url: NodeUrl,
    explorer: Option<ExplorerProbe>,
    node: RpcClient,
}

#[derive(Debug)]
struct ExplorerProbe {
    client: Client,
    status: Url,
    /// The displayed URL.
    shown: Url,
}

impl EndpointProbe {
    /// Creates the clients for a chain with this URL.
    pub fn new(
        network: &Network,
        url: &NodeUrl,
        transport: &TransportConfig,
        key: Option<ApiKey>,
    ) -> Result<Self, ApiError> {
        let transport = TransportConfig {
            connect_timeout: transport.connect_timeout.min(PROBE_TIMEOUT),
            response_timeout: transport.response_timeout.min(PROBE_TIMEOUT),
            max_body_bytes: MAX_ANSWER_BYTES,
            ..transport.clone()
        };
        let explorer = network
            .clone()
            .into_explorer()
            .explorer_base()
            .map(|base| ExplorerProbe::new(&base, url, &transport, key));
        let node = RpcClient::with_transport(url.clone(), transport.clone());
        Ok(Self {
            network: network.clone(),
            url: url.clone(),
            explorer: explorer.transpose()?,
            node: node.map_err(|error| unproven(&error, url))?,
        })
    }

    /// Requests the status of an explorer, then the chain id of a node. Returns the chain of the first
    /// that answers.
    ///
    /// # Errors
    ///
    /// Fails if neither answers as expected. Without any answer, the server may still start later, or
    /// the network may come back.
    pub async fn decide(&self, scheduler: &RequestScheduler) -> Result<Network, ApiError> {
        let url = &self.url;
        let mut last_error = None;
        if let Some(explorer) = &self.explorer {
            match self.run(scheduler, &explorer.shown, || explorer.ask(url)).await.body {
                Ok(()) => return Ok(self.network.clone().into_explorer()),
                // The network or a CDN answers in place of any server.
                Err(
                    error @ (ApiError::Node { .. }
                    | ApiError::CdnFailed { .. }
                    | ApiError::BrowserCheck { .. }
                    | ApiError::SignInPage { .. }),
                ) => return Err(error),
                Err(error) => last_error = Some(error),
            }
        }
        let answer = self.run(scheduler, &url.without_keys(), || ask_node(&self.node, url)).await;
        // A gateway in front of a server that is down answers both alike.
        let is_down = answer.status.is_some_and(|status| status >= 500);
        match (answer.body, last_error) {
            (Ok(()), _) => Ok(self.network.clone().into_node()),
            (Err(_), Some(error)) if error.is_of_explorer() && !is_down => {
                Ok(self.network.clone().into_explorer())
            }
            // A failure that passes says nothing about the URL.
            (Err(_), Some(error)) if error.is_transient() => Err(error),
            (Err(error), _) => Err(error),
        }
    }

    /// Runs a request, which may be lost on its way to a public host.
    async fn run<F>(
        &self,
        scheduler: &RequestScheduler,
        shown: &Url,
        ask: impl Fn() -> F,
    ) -> Exchange<()>
    where
        F: Future<Output = Exchange<()>>,
    {
        if is_public(self.url.expose()) {
            scheduler.run_until_answered(shown, ask).await
        } else {
            scheduler.run(Priority::Interactive, shown, ask).await
        }
    }
}

fn status_url(base: &Url) -> Url {
    let mut url = base.clone();
    url.set_path(&[base.path().trim_end_matches('/'), "/", STATUS_PATH].concat());
    url
}

impl ExplorerProbe {
    fn new(
        base: &Url,
        url: &NodeUrl,
        transport: &TransportConfig,
        key: Option<ApiKey>,
    ) -> Result<Self, ApiError> {
        let client = Client::with_transport(base, transport.clone())?.with_key(key)?;
        let client = if url.has_keys() { client.with_unproven_base(url.clone()) } else { client };
        let status = status_url(base);
        let shown = if url.has_keys() { url.without_keys() } else { status.clone() };
        Ok(Self { client, status, shown })
    }

    /// Requests the status of an explorer at a URL. The exchange contains the displayed URL.
    async fn ask(&self, base: &NodeUrl) -> Exchange<()> {
        let exchange = self.client.get(self.status.clone()).await;
        let body = match &exchange.body {
            Ok(body) if serde_json::from_slice::<IndexingStatus>(body).is_ok() => Ok(()),
            Ok(_) => Err(unidentified(base, &format!("HTTP {}", exchange.status.unwrap_or(200)))),
            // A port of this machine or its network is closed.
            Err(ApiError::Unreachable { why: why @ ConnectError::Refused, .. })
                if !is_public(base.expose()) =>
            {
                let (address, why) = (base.shown_address(), why.clone());
                Err(unproven(&RpcError::Unreachable { address, why }, base))
            }
            Err(error) => Err(error.clone()),
        };
        Exchange { url: self.shown.clone(), body, ..exchange.map(drop) }
    }
}

/// Requests the chain id of a node.
async fn ask_node(client: &RpcClient, url: &NodeUrl) -> Exchange<()> {
    let started = Instant::now();
    let answer = client.quantity("eth_chainId", json!([])).await;
    let status = match &answer {
        Ok(_) => Some(200),
        Err(RpcError::NotJsonRpc { status, .. }) => Some(*status),
        Err(_) => None,
    };
    let body = match answer {
        // Explorers and gateways have no such codes.
        Ok(_) | Err(RpcError::Unsupported | RpcError::Other { code: Some(..0), .. }) => Ok(()),
        Err(error) => Err(unproven(&error, url)),
    };
    let exchange = Exchange::failed(url.without_keys(), unidentified(url, ""));
    let elapsed = started.elapsed();
    Exchange { method: POST, status, elapsed, body, ..exchange }
}

/// Converts the error of the last request that could have identified the server.
fn unproven(error: &RpcError, url: &NodeUrl) -> ApiError {
    match error {
        // Nothing answered, or nothing yet: the server may start later.
        RpcError::Unreachable { .. }
        | RpcError::Interrupted { .. }
        | RpcError::Timeout { .. }
        | RpcError::RateLimited { .. } => ApiError::Node {
            code: NodeErrorCode::Unavailable,
            why: SafeText::new(&error.to_string()),
        },
        RpcError::NotJsonRpc { status, what, .. } => {
            unidentified(url, &format!("HTTP {status}, {what}"))
        }
        RpcError::Other { code: Some(code), message, .. } => {
            unidentified(url, &format!("{code}, {message}"))
        }
        error => unidentified(url, &error.to_string()),
    }
}

fn unidentified(url: &NodeUrl, why: &str) -> ApiError {
    ApiError::Unidentified { address: url.shown_address(), why: SafeText::new(why) }
}
