//! Where answers come from: an explorer elsewhere, or the embedded one, started when it is first
//! asked.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use jiff::Timestamp;
use tokio::sync::OnceCell;
use tokio::sync::mpsc::UnboundedReceiver;
use url::Url;

use super::cache::{self, ResponseCache};
use super::recording::RecordingMode;
use super::response_body::ResponseBody;
use super::scheduler::RequestScheduler;
use crate::api::api_key::ApiKey;
use crate::api::client::{Client, TransportConfig};
use crate::api::exchange::{Exchange, decode};
use crate::api::{ApiError, Cursor, Query, Reply};
use crate::chain::network::{Endpoint, Network};
use crate::demo_server::{DemoServer, DemoServerOptions};
use crate::msg::{NetworkEvent, Priority};
use crate::sanitize::SafeText;

/// A chain's explorer. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Provider(Arc<ProviderInner>);

/// By which ways answers come.
#[derive(Debug)]
pub struct ProviderOptions {
    /// Is shown to the explorer that it belongs to.
    pub key: Option<ApiKey>,
    /// Where answers are kept that cannot change; none if nowhere.
    pub cache: Option<ResponseCache>,
    /// A recording that is made, or that answers.
    pub recording: Option<RecordingMode>,
    /// How the network is reached.
    pub transport: TransportConfig,
    /// Orders the requests: one for all sources that ask the same host, which counts them together.
    pub scheduler: Arc<RequestScheduler>,
}

impl Default for ProviderOptions {
    fn default() -> Self {
        Self {
            key: None,
            cache: Some(ResponseCache::in_memory()),
            recording: None,
            scheduler: Arc::default(),
            transport: TransportConfig::default(),
        }
    }
}

#[derive(Debug)]
struct ProviderInner {
    endpoint: Endpoint,
    options: ProviderOptions,
    connected: OnceCell<ConnectedClient>,
}

#[derive(Debug)]
struct ConnectedClient {
    client: Client,
    /// Serves until it is dropped.
    _embedded: Option<DemoServer>,
}

impl Provider {
    /// The explorer of a chain; nothing is started or asked yet.
    pub fn new(network: &Network) -> Self {
        Self::with_options(network, ProviderOptions::default())
    }

    /// The same by other ways.
    pub fn with_options(network: &Network, mut ways: ProviderOptions) -> Self {
        let (endpoint, connected) = (network.endpoint.clone(), OnceCell::new());
        if endpoint == Endpoint::Embedded || ways.recording.is_some() {
            // The demo chain's port is another one each time, and a recording has to hold whatever
            // the run was answered.
            ways.cache = ways.cache.map(ResponseCache::without_disk);
        }
        Self(Arc::new(ProviderInner { endpoint, options: ways, connected }))
    }

    /// The time; of a run that has its answers from a recording, the time it had then.
    pub fn now(&self) -> Timestamp {
        match &self.0.options.recording {
            Some(RecordingMode::Record(recorder)) => recorder.now(),
            Some(RecordingMode::Replay(replay)) => replay.now(),
            None => Timestamp::now(),
        }
    }

    /// What is heard of the requests from now on. There is one listener.
    pub fn subscribe(&self) -> UnboundedReceiver<NetworkEvent> {
        self.0.options.scheduler.subscribe()
    }

    /// Asks it, and reads the answer. Dropping the future ends the request on the wire.
    pub async fn fetch(
        &self,
        query: &Query,
        cursor: Option<&Cursor>,
        why: Priority,
    ) -> Result<Reply, ApiError> {
        if let Some(body) = self.cached_body(query, why).await {
            return decode(query, body, cursor).await;
        }
        let exchange = self.request(query, cursor, why).await?;
        let error = match exchange.body {
            Ok(body) => {
                if let Some(cache) = self.cache(query) {
                    cache.put(query, &exchange.url, &body).await;
                }
                return decode(query, body, cursor).await;
            }
            Err(error) => error,
        };
        let Some(shorter) = cursor.and_then(|cursor| cursor.without_rejected_key(&error)) else {
            return Err(error);
        };
        let body = self.request(query, Some(&shorter), why).await?.body?;
        decode(query, body, Some(&shorter)).await
    }

    /// The cache, if answers to this may be kept.
    fn cache(&self, query: &Query) -> Option<&ResponseCache> {
        self.0.options.cache.as_ref().filter(|_| cache::is_cacheable(query))
    }

    /// An answer that was kept, unless it is to be asked for once more.
    async fn cached_body(&self, query: &Query, why: Priority) -> Option<Bytes> {
        let cache = self.cache(query).filter(|_| why != Priority::Refresh)?;
        let asked = Instant::now();
        let url = self.client().await.ok()?.url(query, None).ok()?;
        let body = cache.get(&url).await?;
        self.0.options.scheduler.log_cache_hit(&url, body.len() as u64, asked.elapsed(), why);
        Some(body)
    }

    /// Sends a request when it is its turn.
    async fn request(
        &self,
        query: &Query,
        cursor: Option<&Cursor>,
        why: Priority,
    ) -> Result<Exchange, ApiError> {
        let client = self.client().await?;
        let url = client.url(query, cursor)?;
        Ok(self.0.options.scheduler.run(why, &url, || self.send(&url, query, cursor, client)).await)
    }

    /// Asks it for an answer that is taken piece by piece. A long one, or one that waits for the
    /// user, keeps no other request waiting once it has begun.
    pub async fn open_stream(
        &self,
        query: &Query,
        patience: Duration,
        why: Priority,
    ) -> Result<ResponseBody, ApiError> {
        if let Some(body) = self.cached_body(query, why).await {
            return Ok(ResponseBody::from_bytes(body));
        }
        let client = self.client().await?;
        let url = client.url(query, None)?;
        let send = self
            .0
            .options
            .scheduler
            .run(why, &url, || self.start_stream(&url, query, patience, client));
        let body = send.await.body?;
        Ok(match self.cache(query) {
            Some(cache) => body.with_cache(cache.clone(), query.clone(), url),
            None => body,
        })
    }

    /// Asks, and takes the whole of an answer.
    async fn send(
        &self,
        url: &Url,
        query: &Query,
        cursor: Option<&Cursor>,
        client: &Client,
    ) -> Exchange {
        match &self.0.options.recording {
            Some(RecordingMode::Replay(replay)) => replay.fetch(url),
            Some(RecordingMode::Record(recorder)) => {
                let exchange = client.fetch(query, cursor).await;
                recorder.record(&exchange);
                exchange
            }
            None => client.fetch(query, cursor).await,
        }
    }

    /// Asks, and waits until the answer begins.
    async fn start_stream(
        &self,
        url: &Url,
        query: &Query,
        patience: Duration,
        client: &Client,
    ) -> Exchange<ResponseBody> {
        match &self.0.options.recording {
            Some(RecordingMode::Replay(replay)) => replay.open_stream(url),
            Some(RecordingMode::Record(recorder)) => {
                recorder.observe(client.open_stream(query, patience).await.map(ResponseBody::from))
            }
            None => client.open_stream(query, patience).await.map(ResponseBody::from),
        }
    }

    async fn client(&self) -> Result<&Client, ApiError> {
        let connected = self.0.connected.get_or_try_init(|| connect(&self.0)).await?;
        Ok(&connected.client)
    }
}

async fn connect(of: &ProviderInner) -> Result<ConnectedClient, ApiError> {
    let no_demo = |why: &dyn Display| ApiError::DemoFailed(SafeText::from(why.to_string()));
    match &of.endpoint {
        Endpoint::Remote(base) => Ok(ConnectedClient {
            client: Client::with_transport(base, of.options.transport.clone())?
                .with_key(of.options.key.clone())?,
            _embedded: None,
        }),
        Endpoint::Embedded if matches!(of.options.recording, Some(RecordingMode::Replay(_))) => {
            let nobody = Url::parse("http://127.0.0.1/").map_err(|e| no_demo(&e))?;
            Ok(ConnectedClient { client: Client::new(&nobody)?, _embedded: None })
        }
        Endpoint::Embedded => {
            let explorer =
                DemoServer::start(DemoServerOptions::default()).await.map_err(|e| no_demo(&e))?;
            let base = format!("http://{}", explorer.address());
            let base = Url::parse(&base).map_err(|e| no_demo(&e))?;
            Ok(ConnectedClient { client: Client::new(&base)?, _embedded: Some(explorer) })
        }
    }
}
