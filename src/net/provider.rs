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

use super::cache::{self, Cache};
use super::recording::Tape;
use super::response_body::Body;
use super::scheduler::Desk;
use crate::api::api_key::Key;
use crate::api::client::{Client, Reach};
use crate::api::exchange::{Exchange, decode};
use crate::api::{ApiError, Cursor, Query, Reply};
use crate::chain::network::{Endpoint, Network};
use crate::demo_server::{Explorer, Options};
use crate::msg::{NetNews, Why};
use crate::sanitize::Text;

/// A chain's explorer. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Source(Arc<Inner>);

/// By which ways answers come.
#[derive(Debug)]
pub struct Ways {
    /// Is shown to the explorer that it belongs to.
    pub key: Option<Key>,
    /// Where answers are kept that cannot change; none if nowhere.
    pub cache: Option<Cache>,
    /// A recording that is made, or that answers.
    pub tape: Option<Tape>,
    /// How the network is reached.
    pub reach: Reach,
    /// Orders the requests: one for all sources that ask the same host, which counts them together.
    pub desk: Arc<Desk>,
}

impl Default for Ways {
    fn default() -> Self {
        Self {
            key: None,
            cache: Some(Cache::in_memory()),
            tape: None,
            desk: Arc::default(),
            reach: Reach::default(),
        }
    }
}

#[derive(Debug)]
struct Inner {
    endpoint: Endpoint,
    ways: Ways,
    connected: OnceCell<Connected>,
}

#[derive(Debug)]
struct Connected {
    client: Client,
    /// Serves until it is dropped.
    _embedded: Option<Explorer>,
}

impl Source {
    /// The explorer of a chain; nothing is started or asked yet.
    pub fn of(network: &Network) -> Self {
        Self::by(network, Ways::default())
    }

    /// The same by other ways.
    pub fn by(network: &Network, mut ways: Ways) -> Self {
        let (endpoint, connected) = (network.endpoint.clone(), OnceCell::new());
        if endpoint == Endpoint::Embedded || ways.tape.is_some() {
            // The demo chain's port is another one each time, and a recording has to hold whatever
            // the run was answered.
            ways.cache = ways.cache.map(Cache::without_folder);
        }
        Self(Arc::new(Inner { endpoint, ways, connected }))
    }

    /// The time; of a run that has its answers from a recording, the time it had then.
    pub fn now(&self) -> Timestamp {
        match &self.0.ways.tape {
            Some(Tape::Record(recorder)) => recorder.now(),
            Some(Tape::Replay(replay)) => replay.now(),
            None => Timestamp::now(),
        }
    }

    /// What is heard of the requests from now on. There is one listener.
    pub fn news(&self) -> UnboundedReceiver<NetNews> {
        self.0.ways.desk.news()
    }

    /// Asks it, and reads the answer. Dropping the future ends the request on the wire.
    pub async fn fetch(
        &self,
        query: &Query,
        cursor: Option<&Cursor>,
        why: Why,
    ) -> Result<Reply, ApiError> {
        if let Some(body) = self.kept(query, why).await {
            return decode(query, body, cursor).await;
        }
        let exchange = self.exchange(query, cursor, why).await?;
        let error = match exchange.body {
            Ok(body) => {
                if let Some(cache) = self.cache(query) {
                    cache.put(query, &exchange.url, &body).await;
                }
                return decode(query, body, cursor).await;
            }
            Err(error) => error,
        };
        let Some(shorter) = cursor.and_then(|cursor| cursor.shortened(&error)) else {
            return Err(error);
        };
        let body = self.exchange(query, Some(&shorter), why).await?.body?;
        decode(query, body, Some(&shorter)).await
    }

    /// The cache, if answers to this may be kept.
    fn cache(&self, query: &Query) -> Option<&Cache> {
        self.0.ways.cache.as_ref().filter(|_| cache::keeps(query))
    }

    /// An answer that was kept, unless it is to be asked for once more.
    async fn kept(&self, query: &Query, why: Why) -> Option<Bytes> {
        let cache = self.cache(query).filter(|_| why != Why::Refresh)?;
        let asked = Instant::now();
        let url = self.client().await.ok()?.url(query, None).ok()?;
        let body = cache.get(&url).await?;
        self.0.ways.desk.recall(&url, body.len() as u64, asked.elapsed(), why);
        Some(body)
    }

    /// Sends a request when it is its turn.
    async fn exchange(
        &self,
        query: &Query,
        cursor: Option<&Cursor>,
        why: Why,
    ) -> Result<Exchange, ApiError> {
        let client = self.client().await?;
        let url = client.url(query, cursor)?;
        Ok(self.0.ways.desk.send(why, &url, || self.ask(&url, query, cursor, client)).await)
    }

    /// Asks it for an answer that is taken piece by piece. A long one, or one that waits for the
    /// user, keeps no other request waiting once it has begun.
    pub async fn open(
        &self,
        query: &Query,
        patience: Duration,
        why: Why,
    ) -> Result<Body, ApiError> {
        if let Some(body) = self.kept(query, why).await {
            return Ok(Body::whole(body));
        }
        let client = self.client().await?;
        let url = client.url(query, None)?;
        let send = self.0.ways.desk.send(why, &url, || self.begin(&url, query, patience, client));
        let body = send.await.body?;
        Ok(match self.cache(query) {
            Some(cache) => body.kept_in(cache.clone(), query.clone(), url),
            None => body,
        })
    }

    /// Asks, and takes the whole of an answer.
    async fn ask(
        &self,
        url: &Url,
        query: &Query,
        cursor: Option<&Cursor>,
        client: &Client,
    ) -> Exchange {
        match &self.0.ways.tape {
            Some(Tape::Replay(replay)) => replay.ask(url),
            Some(Tape::Record(recorder)) => {
                let exchange = client.ask(query, cursor).await;
                recorder.note(&exchange);
                exchange
            }
            None => client.ask(query, cursor).await,
        }
    }

    /// Asks, and waits until the answer begins.
    async fn begin(
        &self,
        url: &Url,
        query: &Query,
        patience: Duration,
        client: &Client,
    ) -> Exchange<Body> {
        match &self.0.ways.tape {
            Some(Tape::Replay(replay)) => replay.open(url),
            Some(Tape::Record(recorder)) => {
                recorder.follow(client.open(query, patience).await.map(Body::from))
            }
            None => client.open(query, patience).await.map(Body::from),
        }
    }

    async fn client(&self) -> Result<&Client, ApiError> {
        let connected = self.0.connected.get_or_try_init(|| connect(&self.0)).await?;
        Ok(&connected.client)
    }
}

async fn connect(of: &Inner) -> Result<Connected, ApiError> {
    let no_demo = |why: &dyn Display| ApiError::NoDemo(Text::from(why.to_string()));
    match &of.endpoint {
        Endpoint::Remote(base) => Ok(Connected {
            client: Client::reaching(base, of.ways.reach.clone())?.keyed(of.ways.key.clone())?,
            _embedded: None,
        }),
        Endpoint::Embedded if matches!(of.ways.tape, Some(Tape::Replay(_))) => {
            let nobody = Url::parse("http://127.0.0.1/").map_err(|e| no_demo(&e))?;
            Ok(Connected { client: Client::new(&nobody)?, _embedded: None })
        }
        Endpoint::Embedded => {
            let explorer = Explorer::start(Options::default()).await.map_err(|e| no_demo(&e))?;
            let base = format!("http://{}", explorer.address());
            let base = Url::parse(&base).map_err(|e| no_demo(&e))?;
            Ok(Connected { client: Client::new(&base)?, _embedded: Some(explorer) })
        }
    }
}
