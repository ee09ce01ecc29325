//! Connects to a chain with the first request: to an explorer, or to an embedded server that serves the
//! demo chain or a node's.
//!
//! An undecided URL is probed (`endpoint_probe`), unless an explorer is remembered there
//! (`explorer_memory`): then requests go to that until an answer proves it, or refutes it.

use std::fmt::Display;
use std::future::ready;
use std::iter;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Notify, OnceCell};
use tokio::time::timeout;
use url::Url;

use super::cache::ResponseCache;
use super::endpoint_probe::EndpointProbe;
use super::explorer_memory::{ExplorerMemory, is_json_rpc};
use super::recording::{RecordedSource, RecordingMode};
use super::response_source::{ResponseSource, SourceRequest};
use super::scheduler::RequestScheduler;
use crate::abi::ProjectContracts;
use crate::api::client::Client;
use crate::api::client::api_key::ApiKey;
use crate::api::exchange::Exchange;
use crate::api::{ApiError, Query};
use crate::api_server::{ApiServer, ApiServerOptions};
use crate::chain::network::{Endpoint, Network, is_loopback};
use crate::demo_chain::DemoChain;
use crate::disk_cache::DiskCache;
use crate::http::TransportConfig;
use crate::indexer::{IndexLimits, IndexWatch, NodeChain};
use crate::rpc::RpcClient;
use crate::safety::public_hosts::is_public;
use crate::store::ServedChain;

/// Time between the first two attempts to connect to a URL where nothing answers. It doubles with each
/// further one.
const MIN_RETRY_DELAY: Duration = Duration::from_secs(1);
const MAX_RETRY_DELAY: Duration = Duration::from_mins(1);
/// Attempts after the first, which take an hour.
const MAX_RETRIES: usize = 65;
/// Maximum time between attempts on this machine, where a node may start at any time. They do not end.
const MAX_LOCAL_RETRY_DELAY: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub struct ProviderOptions {
    /// An API key, sent only to its own host.
    pub key: Option<ApiKey>,
    /// The cache of responses. Explorers on this machine or in private networks are not cached: their
    /// chains are restarted.
    pub cache: Option<ResponseCache>,
    /// The cache of empty blocks of development nodes.
    pub index_cache: Option<Arc<DiskCache>>,
    pub recording: Option<RecordingMode>,
    /// Source of responses instead of the network: the chain is neither probed nor served.
    pub source: Option<Arc<dyn ResponseSource>>,
    pub transport: TransportConfig,
    /// Schedules requests. Providers of the same host share it, because the host counts their
    /// requests together.
    pub scheduler: Arc<RequestScheduler>,
    /// Provides names for the contracts of a development node.
    pub project: Option<Arc<ProjectContracts>>,
}

#[derive(Debug)]
pub(super) struct Connector {
    /// The chain as the user chose it.
    pub(super) network: Network,
    pub(super) options: ProviderOptions,
    /// The client, once its server has answered as an explorer or a node.
    pub(super) proven: OnceCell<Arc<ConnectedClient>>,
    /// Wakes what waits for `proven`.
    on_connected: Notify,
    /// Created once, since a client reads the system's certificates.
    probe: OnceCell<EndpointProbe>,
    memory: Option<ExplorerMemory>,
    /// The explorer that is remembered for an undecided URL, until an answer proves it.
    remembered: OnceCell<Option<Arc<ConnectedClient>>>,
    /// Error of the last attempt to connect, with its time.
    last_failure: Mutex<Option<(Instant, ApiError)>>,
}

#[derive(Debug)]
pub(super) struct ConnectedClient {
    /// The chain, decided if it was undecided.
    pub(super) network: Network,
    /// Names the URLs of requests.
    pub(super) client: Client,
    source: Arc<dyn ResponseSource>,
    /// `true` for an explorer on the public internet, which counts requests.
    pub(super) is_public: bool,
    _embedded: Option<ApiServer>,
    /// Index of a node's chain.
    pub(super) index: Option<IndexWatch>,
}

impl Connector {
    pub(super) fn new(network: Network, options: ProviderOptions) -> Self {
        let cache = options.cache.clone().filter(|_| options.source.is_none());
        Self {
            memory: cache.and_then(|cache| ExplorerMemory::new(&network, cache)),
            network,
            options,
            proven: OnceCell::new(),
            on_connected: Notify::new(),
            probe: OnceCell::new(),
            remembered: OnceCell::new(),
            last_failure: Mutex::default(),
        }
    }

    /// Returns the connection, which may be to a remembered explorer.
    pub(super) async fn connected(&self) -> Result<Arc<ConnectedClient>, ApiError> {
        match self.remembered().await {
            Some(explorer) => Ok(explorer),
            None => self.probed().await,
        }
    }

    /// Returns the connection to what answered as an explorer or a node.
    async fn probed(&self) -> Result<Arc<ConnectedClient>, ApiError> {
        let asked = Instant::now();
        let connected = self.proven.get_or_try_init(|| self.connect_for(asked)).await?;
        self.on_connected.notify_waiters();
        Ok(Arc::clone(connected))
    }

    /// Returns a connection to the remembered explorer, as long as no answer has proven or refuted it.
    pub(super) async fn remembered(&self) -> Option<Arc<ConnectedClient>> {
        let memory = self.memory.as_ref()?;
        if self.proven.initialized() || memory.is_refuted() {
            return None;
        }
        self.remembered
            .get_or_init(|| async {
                let explorer = self.network.clone().into_explorer();
                let is_explorer = memory.is_explorer().await;
                is_explorer.then(|| connect_to_explorer(explorer, &self.options).ok()).flatten()
            })
            .await
            .clone()
    }

    /// Handles an answer to a request to the remembered explorer. Returns `true` if something else is
    /// there, which is to be probed.
    pub(super) async fn is_refuted_by(
        &self,
        exchange: &Exchange,
        explorer: Arc<ConnectedClient>,
    ) -> bool {
        let unproven = self.memory.as_ref().filter(|_| !self.proven.initialized());
        let Some(memory) = unproven else { return false };
        let is_refuted = match &exchange.body {
            Err(error) if error.is_transient() => return false,
            Ok(body) => is_json_rpc(body),
            Err(_) => true,
        };
        if is_refuted {
            memory.refute().await;
        } else {
            // Fails if another answer has proven it in the meantime.
            let _ = self.proven.set(explorer);
        }
        self.on_connected.notify_waiters();
        is_refuted
    }

    /// Waits until the remembered explorer is proven or refuted.
    async fn until_judged(&self) {
        loop {
            let mut judged = pin!(self.on_connected.notified());
            judged.as_mut().enable();
            if self.remembered().await.is_none() {
                return;
            }
            judged.await;
        }
    }

    /// Connects, with further attempts as long as something may still answer. After the last one, or a
    /// refusal, only the requests of the user connect.
    pub(super) async fn wait(&self) -> Arc<ConnectedClient> {
        self.until_judged().await;
        let endpoint = &self.network.endpoint;
        let is_local = matches!(endpoint, Endpoint::Undecided(url) if is_loopback(url.expose()));
        let mut delays = retry_delays(is_local);
        loop {
            let mut on_connected = pin!(self.on_connected.notified());
            on_connected.as_mut().enable();
            match self.probed().await {
                Ok(connected) => return connected,
                Err(error) => match delays.next().filter(|_| error.may_come_with_blocks()) {
                    // Ends early if another request connects.
                    Some(delay) => drop(timeout(delay, on_connected).await),
                    None => on_connected.await,
                },
            }
        }
    }

    /// Connects for a request made at `asked`. A failure since then is its answer too.
    async fn connect_for(&self, asked: Instant) -> Result<Arc<ConnectedClient>, ApiError> {
        if let Some((_, error)) = self.last_failure.lock().as_ref().filter(|(at, _)| *at >= asked) {
            return Err(error.clone());
        }
        let connected = self.connect().await;
        *self.last_failure.lock() =
            connected.as_ref().err().map(|error| (Instant::now(), error.clone()));
        if let (Ok(connected), Some(memory)) = (&connected, &self.memory)
            && !connected.network.endpoint.is_node()
        {
            memory.record().await;
        }
        connected
    }

    async fn connect(&self) -> Result<Arc<ConnectedClient>, ApiError> {
        let Self { network, options, .. } = self;
        let is_simulated =
            options.source.is_some() || matches!(options.recording, Some(RecordingMode::Replay(_)));
        let network = match &network.endpoint {
            Endpoint::Undecided(url) if !is_simulated => {
                let ProviderOptions { transport, key, scheduler, .. } = options;
                let create = || ready(EndpointProbe::new(network, url, transport, key.clone()));
                let decided = self.probe.get_or_try_init(create).await?.decide(scheduler).await?;
                if let Some(RecordingMode::Record(recorder)) = &options.recording
                    && decided.endpoint.is_node()
                {
                    recorder.record_node();
                }
                decided
            }
            _ => network.clone(),
        };
        match &network.endpoint {
            Endpoint::Embedded | Endpoint::Node(_) if is_simulated => {
                // Only paths matter, so any base will do.
                let base = Url::parse("http://127.0.0.1/").map_err(|e| cannot_connect(&e))?;
                Ok(Arc::new(ConnectedClient::new(network, Client::new(&base)?, options)))
            }
            Endpoint::Embedded => {
                let chain = DemoChain::open()
                    .map_err(|e| ApiError::DemoFailed { why: e.to_string().into() })?;
                let served = serve_chain(network, chain, None, options).await;
                served.map_err(|error| match error {
                    ApiError::CannotConnect { why } => ApiError::DemoFailed { why },
                    other => other,
                })
            }
            Endpoint::Node(url) => {
                let node = RpcClient::with_transport(url.clone(), options.transport.clone())
                    .map_err(|e| cannot_connect(&e))?;
                let cache = options.index_cache.clone();
                let chain = NodeChain::follow_with_cache(node, IndexLimits::default(), cache)
                    .with_project(options.project.clone());
                let index = chain.watch();
                serve_chain(network, Arc::new(chain), Some(index), options).await
            }
            Endpoint::Remote(_) | Endpoint::Undecided(_) => connect_to_explorer(network, options),
        }
    }
}

/// Returns the times between attempts to connect to a URL where nothing answers.
fn retry_delays(is_local: bool) -> impl Iterator<Item = Duration> {
    let (longest, count) =
        if is_local { (MAX_LOCAL_RETRY_DELAY, usize::MAX) } else { (MAX_RETRY_DELAY, MAX_RETRIES) };
    iter::successors(Some(MIN_RETRY_DELAY), move |delay| Some((*delay * 2).min(longest)))
        .take(count)
}

fn connect_to_explorer(
    network: Network,
    options: &ProviderOptions,
) -> Result<Arc<ConnectedClient>, ApiError> {
    let base = network.explorer_base().ok_or_else(|| cannot_connect(&"no URL"))?;
    let client =
        Client::with_transport(&base, options.transport.clone())?.with_key(options.key.clone())?;
    Ok(Arc::new(ConnectedClient::new(network, client, options)))
}

impl ConnectedClient {
    fn new(network: Network, client: Client, options: &ProviderOptions) -> Self {
        let source = options.source.clone().unwrap_or_else(|| Arc::new(client.clone()));
        let source = match &options.recording {
            None => source,
            Some(RecordingMode::Replay(replay)) => Arc::clone(replay) as Arc<dyn ResponseSource>,
            Some(RecordingMode::Record(recorder)) => {
                Arc::new(RecordedSource { source, recorder: Arc::clone(recorder) })
            }
        };
        let is_replay = matches!(options.recording, Some(RecordingMode::Replay(_)));
        let is_public = network.explorer_base().is_some_and(|base| is_public(&base)) && !is_replay;
        Self { network, client, source, is_public, _embedded: None, index: None }
    }

    pub(super) fn request(&self, url: &Url, query: &Query) -> SourceRequest {
        SourceRequest { source: Arc::clone(&self.source), url: url.clone(), query: query.clone() }
    }
}

/// Serves a chain to an own client.
async fn serve_chain(
    network: Network,
    chain: Arc<dyn ServedChain>,
    index: Option<IndexWatch>,
    options: &ProviderOptions,
) -> Result<Arc<ConnectedClient>, ApiError> {
    let starting = ApiServer::start(chain, ApiServerOptions::default());
    let server = starting.await.map_err(|e| cannot_connect(&e))?;
    let base = format!("http://{}", server.address());
    let base = Url::parse(&base).map_err(|e| cannot_connect(&e))?;
    let (system_certificates, liveness) = (false, None);
    let transport = TransportConfig { system_certificates, liveness, ..TransportConfig::default() };
    let client = Client::with_transport(&base, transport)?;
    let connected = ConnectedClient::new(network, client, options);
    Ok(Arc::new(ConnectedClient { _embedded: Some(server), index, ..connected }))
}

fn cannot_connect(error: &dyn Display) -> ApiError {
    ApiError::CannotConnect { why: error.to_string().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_to_connect_end_after_an_hour_but_on_this_machine() {
        let minutes = retry_delays(false).sum::<Duration>().as_secs() / 60;
        assert_eq!(minutes, 60);
        let local = || retry_delays(true);
        assert_eq!(local().take(1_000).max(), Some(MAX_LOCAL_RETRY_DELAY));
        assert_eq!(local().take(1_000).count(), 1_000);
    }
}
