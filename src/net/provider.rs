//! Fetches responses for one chain: from the cache, a recording, or the explorer by way of the
//! scheduler and a client. The embedded explorer of the demo chain starts with the first request.

use std::fmt::Display;
use std::future::ready;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use jiff::Timestamp;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{Notify, OnceCell};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use url::Url;

use super::cache::TraceCache;
use super::clock::Clock;
use super::endpoint_probe::EndpointProbe;
use super::explorer_memory::{ExplorerMemory, is_json_rpc};
use super::recording::{RecordedSource, RecordingMode};
use super::response_body::ResponseBody;
use super::response_source::{ResponseSource, SourceRequest};
use super::scheduler::RequestScheduler;
use crate::abi::{ProjectContracts, SignatureDb};
use crate::api::api_key::ApiKey;
use crate::api::client::Client;
use crate::api::exchange::Exchange;
use crate::api::transactions::Transaction;
use crate::api::{ApiError, Cursor, Page, Query, Reply, TransactionQuery, decode};
use crate::api_server::{ApiServer, ApiServerOptions};
use crate::chain::TxHash;
use crate::chain::network::{Endpoint, Network};
use crate::demo_chain::DemoChain;
use crate::http::TransportConfig;
use crate::indexer::{IndexLimits, IndexProgress, IndexWatch, NodeChain};
use crate::msg::{NetworkEvent, Priority};
use crate::rpc::RpcClient;
use crate::safety::public_hosts::is_public;
use crate::store::ServedChain;

/// Time between the first two attempts to connect to a URL where nothing answers. It doubles with each
/// further one.
const MIN_RETRY_DELAY: Duration = Duration::from_secs(1);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(10);
/// Maximum time for fetching a transaction before its trace.
const MAX_PREPARATION: Duration = Duration::from_secs(5);

/// A chain's explorer. Clones share its state.
#[derive(Debug, Clone)]
pub struct Provider(Arc<ProviderInner>);

#[derive(Debug, Default)]
pub struct ProviderOptions {
    /// An API key, sent only to its own host.
    pub key: Option<ApiKey>,
    /// The cache of traces. Explorers on this machine or in private networks are not cached: their
    /// chains are restarted.
    pub cache: Option<TraceCache>,
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
struct ProviderInner {
    network: Network,
    options: ProviderOptions,
    /// `None` for the system's clock.
    clock: Option<Clock>,
    connected: OnceCell<Arc<ConnectedClient>>,
    /// Wakes what waits for `connected`.
    on_connected: Notify,
    /// Created once, since a client reads the system's certificates.
    probe: OnceCell<EndpointProbe>,
    memory: Option<ExplorerMemory>,
    /// The explorer that is remembered for an undecided URL, until an answer proves it.
    remembered: OnceCell<Option<Arc<ConnectedClient>>>,
    /// Error of the last attempt to connect, with its time.
    last_failure: Mutex<Option<(Instant, ApiError)>>,
    /// The project's signatures that were returned last.
    taken_signatures: Mutex<Option<Arc<SignatureDb>>>,
}

#[derive(Debug)]
struct ConnectedClient {
    /// The chain, decided if it was undecided.
    network: Network,
    /// Names the URLs of requests.
    client: Client,
    source: Arc<dyn ResponseSource>,
    /// `true` for an explorer on the public internet, which counts requests.
    is_public: bool,
    _embedded: Option<ApiServer>,
    /// Index of a node's chain.
    index: Option<IndexWatch>,
}

impl Provider {
    /// Creates a provider with default options; sends nothing yet.
    pub fn new(network: &Network) -> Self {
        Self::with_options(network, ProviderOptions::default())
    }

    /// Creates a provider; sends nothing yet.
    pub fn with_options(network: &Network, mut options: ProviderOptions) -> Self {
        let is_cached = network.explorer_base().is_some_and(|base| is_public(&base));
        // A recording must contain every response.
        options.cache = options.cache.filter(|_| is_cached && options.recording.is_none());
        let clock = Clock::of_stopped_chain(&network.endpoint);
        let cache = options.cache.clone().filter(|_| options.source.is_none());
        Self(Arc::new(ProviderInner {
            network: network.clone(),
            options,
            clock,
            connected: OnceCell::new(),
            on_connected: Notify::new(),
            probe: OnceCell::new(),
            memory: cache.and_then(|cache| ExplorerMemory::new(network, cache)),
            remembered: OnceCell::new(),
            last_failure: Mutex::default(),
            taken_signatures: Mutex::default(),
        }))
    }

    /// Returns the current time; in a replay, the time of the recorded run; on the demo chain, the time
    /// since its last block.
    pub fn now(&self) -> Timestamp {
        match &self.0.options.recording {
            Some(RecordingMode::Record(recorder)) => recorder.now(),
            Some(RecordingMode::Replay(replay)) => replay.now(),
            None => self.0.clock.as_ref().map_or_else(Timestamp::now, Clock::now),
        }
    }

    /// Returns the scheduler's events from now on. A new subscriber replaces the previous one.
    pub fn subscribe(&self) -> UnboundedReceiver<NetworkEvent> {
        self.0.options.scheduler.subscribe()
    }

    /// Follows the chain of a node, and reports each change of its index. Other chains have none. For
    /// an undecided chain, its kind is reported first, once something answers.
    pub async fn watch_index(&self, report: impl Fn(NetworkEvent)) {
        if !matches!(self.0.network.endpoint, Endpoint::Node(_) | Endpoint::Undecided(_)) {
            return;
        }
        self.until_judged().await;
        let mut delay = MIN_RETRY_DELAY;
        let connected = loop {
            let mut on_connected = pin!(self.0.on_connected.notified());
            on_connected.as_mut().enable();
            match self.proven().await {
                Ok(connected) => break connected,
                Err(error) if error.may_come_with_blocks() => {
                    // Ends early if another request connects.
                    let _ = timeout(delay, on_connected).await;
                    delay = (delay * 2).min(MAX_RETRY_DELAY);
                }
                // Refused: only the user retries.
                Err(_) => on_connected.await,
            }
        };
        if connected.network != self.0.network {
            report(NetworkEvent::Decided(Box::new(connected.network.clone())));
        }
        let Some(mut index) = connected.index.clone() else { return };
        while let Some(progress) = index.next().await {
            let is_foreign = progress.chain_id.is_some() && !progress.is_local;
            report(NetworkEvent::Index(Box::new(progress)));
            let project = self.0.options.project.as_ref();
            if let Some(project) = project.filter(|project| is_foreign && !project.is_allowed()) {
                report(NetworkEvent::ProjectFound(project.root()));
            }
        }
    }

    /// Lets the project name the contracts of this chain, although the user does not run it.
    pub fn allow_project(&self) {
        if let Some(project) = &self.0.options.project {
            project.allow();
        }
    }

    /// Returns the functions and errors of the project's contracts, if they have changed since the last
    /// call.
    pub async fn take_project_signatures(&self) -> Option<Arc<SignatureDb>> {
        self.0.options.project.as_ref()?;
        let is_local = self.connected().await.ok()?.index.clone()?.is_local().await;
        let provider = Arc::clone(&self.0);
        let take = move || {
            let project = provider.options.project.as_ref()?;
            project.set_chain_local(is_local);
            let current = Arc::clone(&project.current()?.signatures);
            let mut taken =
                provider.taken_signatures.lock().unwrap_or_else(PoisonError::into_inner);
            let is_new = taken.as_ref().is_none_or(|taken| !Arc::ptr_eq(taken, &current));
            is_new.then(|| Arc::clone(taken.insert(current)))
        };
        spawn_blocking(take).await.ok()?
    }

    /// Waits until the chain of a node is indexed or fails, and reports the progress.
    pub async fn wait_for_index(&self, report: impl Fn(&IndexProgress)) {
        let Some(mut index) = self.connected().await.ok().and_then(|node| node.index.clone())
        else {
            return;
        };
        while let Some(progress) = index.next().await {
            report(&progress);
            let is_read = progress.coverage.as_ref().is_some_and(|blocks| blocks.unread == 0);
            if is_read || progress.error.is_some() {
                return;
            }
        }
    }

    /// Fetches and decodes a response. Dropping the future cancels the request.
    pub async fn fetch(
        &self,
        query: &Query,
        cursor: Option<&Cursor>,
        priority: Priority,
    ) -> Result<Reply, ApiError> {
        let reply = self.fetch_reply(query, cursor, priority).await;
        if self.trace_cache().is_some() {
            self.record_transactions(query, &reply);
        }
        reply
    }

    async fn fetch_reply(
        &self,
        query: &Query,
        cursor: Option<&Cursor>,
        priority: Priority,
    ) -> Result<Reply, ApiError> {
        if let Some(body) = self.cached_body(query, priority).await {
            return decode(query, body, cursor).await;
        }
        let exchange = self.request(query, cursor, priority).await?;
        let error = match exchange.body {
            Ok(body) => {
                if let Some(cache) = self.cache(query) {
                    cache.put(&exchange.url, body.clone()).await;
                }
                return decode(query, body, cursor).await;
            }
            Err(error) => error,
        };
        let Some(shorter) = cursor.and_then(|cursor| cursor.without_rejected_key(query, &error))
        else {
            return Err(error);
        };
        let body = self.request(query, Some(&shorter), priority).await?.body?;
        decode(query, body, Some(&shorter)).await
    }

    /// Fetches a transaction, without which its trace is not cached. Gives up after a few seconds,
    /// because the trace itself is more important.
    pub async fn prepare_cache(&self, transaction: TxHash) {
        if self.0.options.cache.is_some() {
            let query = Query::Transaction(transaction, TransactionQuery::Details);
            let reply = self.fetch(&query, None, Priority::Interactive);
            drop(timeout(MAX_PREPARATION, reply).await);
        }
    }

    /// Records the transactions that the explorer reports as final.
    fn record_transactions(&self, query: &Query, reply: &Result<Reply, ApiError>) {
        // Without a connection there is nothing to record.
        let (Some(cache), Some(connected)) = (self.trace_cache(), self.0.connected.get()) else {
            return;
        };
        let client = &connected.client;
        let record = |hash, transaction| {
            if let Ok(url) = client.url(&Query::Transaction(hash, TransactionQuery::RawTrace), None)
            {
                cache.record_transaction(&url, transaction);
            }
        };
        match (query, reply) {
            (Query::Transaction(hash, TransactionQuery::Details), reply) => {
                let item = reply.as_ref().ok().and_then(Reply::item::<Transaction>);
                let found = item.and_then(|item| item.parsed.as_ref().ok());
                record(*hash, found.filter(|found| found.hash == *hash));
            }
            (_, Ok(reply)) => {
                let rows = reply.get::<Page<Transaction>>().into_iter().flat_map(Page::parsed);
                rows.for_each(|transaction| record(transaction.hash, Some(transaction)));
            }
            _ => {}
        }
    }

    fn cache(&self, query: &Query) -> Option<&TraceCache> {
        self.trace_cache().filter(|_| {
            matches!(query, Query::Transaction(_, TransactionQuery::RawTrace) | Query::Contract(_))
        })
    }

    fn trace_cache(&self) -> Option<&TraceCache> {
        self.0.options.cache.as_ref().filter(|_| !self.is_node())
    }

    /// Returns a cached body, unless this is a refresh.
    async fn cached_body(&self, query: &Query, priority: Priority) -> Option<Bytes> {
        let cache = self.cache(query).filter(|_| priority != Priority::Refresh)?;
        let started = Instant::now();
        let url = self.connected().await.ok()?.client.url(query, None).ok()?;
        let body = cache.get(&url).await?;
        let bytes = body.len() as u64;
        self.0.options.scheduler.log_cache_hit(&url, bytes, started.elapsed(), priority);
        Some(body)
    }

    /// Sends a request, a second time if it finds that the remembered explorer is gone.
    async fn request(
        &self,
        query: &Query,
        cursor: Option<&Cursor>,
        priority: Priority,
    ) -> Result<Exchange, ApiError> {
        let remembered = self.remembered().await;
        let exchange = self.request_once(query, cursor, priority).await?;
        if let Some(explorer) = remembered
            && self.is_refuted_by(&exchange, explorer).await
        {
            return self.request_once(query, cursor, priority).await;
        }
        Ok(exchange)
    }

    async fn request_once(
        &self,
        query: &Query,
        cursor: Option<&Cursor>,
        priority: Priority,
    ) -> Result<Exchange, ApiError> {
        let connected = self.connected().await?;
        let url = connected.client.url(query, cursor)?;
        let request = connected.request(&url, query);
        let send = move || request.clone().fetch();
        let scheduler = &self.0.options.scheduler;
        let exchange = if connected.is_public {
            scheduler.run_shared(priority, &url, send).await
        } else {
            scheduler.run(priority, &url, send).await
        };
        Ok(self.with_node_error(exchange))
    }

    /// Opens a response that is read in pieces. It counts as in flight only until it starts, so a
    /// long or paused one does not block other requests.
    pub async fn open_stream(
        &self,
        query: &Query,
        start_timeout: Duration,
        priority: Priority,
    ) -> Result<ResponseBody, ApiError> {
        if let Some(body) = self.cached_body(query, priority).await {
            return Ok(ResponseBody::from_bytes(body));
        }
        let connected = self.connected().await?;
        let url = connected.client.url(query, None)?;
        let request = connected.request(&url, query);
        let start = move || request.clone().open_stream(start_timeout);
        let scheduler = &self.0.options.scheduler;
        let exchange = if connected.is_public {
            scheduler.run_detached(priority, &url, start).await
        } else {
            scheduler.run(priority, &url, start).await
        };
        let body = self.with_node_error(exchange).body?;
        Ok(match self.cache(query) {
            Some(cache) => body.with_cache(cache.clone(), url),
            None => body,
        })
    }

    /// Converts the embedded server's errors into the node's.
    fn with_node_error<B>(&self, exchange: Exchange<B>) -> Exchange<B> {
        if self.is_node() {
            Exchange { body: exchange.body.map_err(ApiError::into_node_error), ..exchange }
        } else {
            exchange
        }
    }

    /// Returns the chain as the user chose it.
    pub fn network(&self) -> &Network {
        &self.0.network
    }

    /// Returns `true` if it is known to be connected to a node.
    pub fn is_node(&self) -> bool {
        self.0.connected.get().is_some_and(|connected| connected.network.endpoint.is_node())
    }

    /// Returns the connection, which may be to a remembered explorer.
    async fn connected(&self) -> Result<Arc<ConnectedClient>, ApiError> {
        match self.remembered().await {
            Some(explorer) => Ok(explorer),
            None => self.proven().await,
        }
    }

    /// Returns the connection to what answered as an explorer or a node.
    async fn proven(&self) -> Result<Arc<ConnectedClient>, ApiError> {
        let asked = Instant::now();
        let connected = self.0.connected.get_or_try_init(|| connect_for(&self.0, asked)).await?;
        self.0.on_connected.notify_waiters();
        Ok(Arc::clone(connected))
    }

    /// Returns a connection to the remembered explorer, as long as no answer has proven or refuted it.
    async fn remembered(&self) -> Option<Arc<ConnectedClient>> {
        let memory = self.0.memory.as_ref()?;
        if self.0.connected.initialized() || memory.is_refuted() {
            return None;
        }
        let connect = || async {
            let explorer = self.0.network.clone().into_explorer();
            let is_explorer = memory.is_explorer().await;
            is_explorer.then(|| connect_to_explorer(explorer, &self.0.options).ok()).flatten()
        };
        self.0.remembered.get_or_init(connect).await.clone()
    }

    /// Handles an answer to a request to the remembered explorer. Returns `true` if something else is
    /// there, which is to be probed.
    async fn is_refuted_by(&self, exchange: &Exchange, explorer: Arc<ConnectedClient>) -> bool {
        let unproven = self.0.memory.as_ref().filter(|_| !self.0.connected.initialized());
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
            let _ = self.0.connected.set(explorer);
        }
        self.0.on_connected.notify_waiters();
        is_refuted
    }

    /// Waits until the remembered explorer is proven or refuted.
    async fn until_judged(&self) {
        loop {
            let mut judged = pin!(self.0.on_connected.notified());
            judged.as_mut().enable();
            if self.remembered().await.is_none() {
                return;
            }
            judged.await;
        }
    }
}

/// Connects for a request made at `asked`. A failure since then is its answer too.
async fn connect_for(
    provider: &ProviderInner,
    asked: Instant,
) -> Result<Arc<ConnectedClient>, ApiError> {
    let last_failure = || provider.last_failure.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, error)) = last_failure().as_ref().filter(|(at, _)| *at >= asked) {
        return Err(error.clone());
    }
    let connected = connect(provider).await;
    *last_failure() = connected.as_ref().err().map(|error| (Instant::now(), error.clone()));
    if let (Ok(connected), Some(memory)) = (&connected, &provider.memory)
        && !connected.network.endpoint.is_node()
    {
        memory.record().await;
    }
    connected
}

async fn connect(provider: &ProviderInner) -> Result<Arc<ConnectedClient>, ApiError> {
    let ProviderInner { network, options, .. } = provider;
    let is_simulated =
        options.source.is_some() || matches!(options.recording, Some(RecordingMode::Replay(_)));
    let network = match &network.endpoint {
        Endpoint::Undecided(url) if !is_simulated => {
            let ProviderOptions { transport, key, scheduler, .. } = options;
            let create = || ready(EndpointProbe::new(network, url, transport, key.clone()));
            provider.probe.get_or_try_init(create).await?.decide(scheduler).await?
        }
        _ => network.clone(),
    };
    match &network.endpoint {
        Endpoint::Embedded | Endpoint::Node(_) if is_simulated => {
            // Only paths matter, so any base will do.
            let base = Url::parse("http://127.0.0.1/").map_err(|e| cannot_start(&e))?;
            Ok(Arc::new(ConnectedClient::new(network, Client::new(&base)?, options)))
        }
        Endpoint::Embedded => {
            let chain = DemoChain::open().map_err(|e| cannot_start(&e))?;
            serve_chain(network, chain, None, options).await
        }
        Endpoint::Node(url) => {
            let node = RpcClient::with_transport(url.clone(), options.transport.clone());
            let node = node.map_err(|e| cannot_start(&e))?;
            let chain = NodeChain::follow(node, IndexLimits::default());
            let chain = chain.with_project(options.project.clone());
            let index = chain.watch();
            serve_chain(network, Arc::new(chain), Some(index), options).await
        }
        Endpoint::Remote(_) | Endpoint::Undecided(_) => connect_to_explorer(network, options),
    }
}

fn connect_to_explorer(
    network: Network,
    options: &ProviderOptions,
) -> Result<Arc<ConnectedClient>, ApiError> {
    let base = network.explorer_base().ok_or_else(|| cannot_start(&"no URL"))?;
    let client = Client::with_transport(&base, options.transport.clone())?;
    let client = client.with_key(options.key.clone())?;
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

    fn request(&self, url: &Url, query: &Query) -> SourceRequest {
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
    let server = ApiServer::start(chain, ApiServerOptions::default());
    let server = server.await.map_err(|e| cannot_start(&e))?;
    let base = format!("http://{}", server.address());
    let base = Url::parse(&base).map_err(|e| cannot_start(&e))?;
    let (system_certificates, liveness) = (false, None);
    let transport = TransportConfig { system_certificates, liveness, ..TransportConfig::default() };
    let client = Client::with_transport(&base, transport)?;
    let connected = ConnectedClient::new(network, client, options);
    Ok(Arc::new(ConnectedClient { _embedded: Some(server), index, ..connected }))
}

fn cannot_start(error: &dyn Display) -> ApiError {
    ApiError::DemoFailed { why: error.to_string().into() }
}
