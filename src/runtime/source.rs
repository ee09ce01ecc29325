//! Where answers come from: an explorer elsewhere, or the embedded one, started when it is first
//! asked.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;
use url::Url;

use crate::api::client::{Client, Streamed};
use crate::api::exchange::decode;
use crate::api::key::Key;
use crate::api::{ApiError, Cursor, Query, Reply};
use crate::chain::network::{Endpoint, Network};
use crate::explorer::{Explorer, Options};
use crate::text::Text;

/// A chain's explorer. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Source(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    endpoint: Endpoint,
    key: Option<Key>,
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
        Self::keyed(network, None)
    }

    /// The same with a key, which is shown to the explorer that it belongs to.
    pub fn keyed(network: &Network, key: Option<Key>) -> Self {
        let (endpoint, connected) = (network.endpoint.clone(), OnceCell::new());
        Self(Arc::new(Inner { endpoint, key, connected }))
    }

    /// Asks it, and reads the answer. Dropping the future ends the request on the wire.
    pub async fn fetch(&self, query: &Query, cursor: Option<&Cursor>) -> Result<Reply, ApiError> {
        let client = self.client().await?;
        match client.ask(query, cursor).await.body {
            Ok(body) => decode(query, body, cursor).await,
            Err(error) => match cursor.and_then(|cursor| cursor.shortened(&error)) {
                Some(shorter) => {
                    let body = client.ask(query, Some(&shorter)).await.body?;
                    decode(query, body, Some(&shorter)).await
                }
                None => Err(error),
            },
        }
    }

    /// Asks it for an answer that is taken piece by piece.
    pub async fn open(&self, query: &Query, patience: Duration) -> Result<Streamed, ApiError> {
        self.client().await?.open(query, patience).await.body
    }

    async fn client(&self) -> Result<&Client, ApiError> {
        let connected = self.0.connected.get_or_try_init(|| connect(&self.0)).await?;
        Ok(&connected.client)
    }
}

async fn connect(of: &Inner) -> Result<Connected, ApiError> {
    match &of.endpoint {
        Endpoint::Remote(base) => {
            Ok(Connected { client: Client::new(base)?.keyed(of.key.clone())?, _embedded: None })
        }
        Endpoint::Embedded => {
            let no_demo = |why: String| ApiError::NoDemo(Text::from(why));
            let explorer =
                Explorer::start(Options::default()).await.map_err(|e| no_demo(e.to_string()))?;
            let base = format!("http://{}", explorer.address());
            let base = Url::parse(&base).map_err(|e| no_demo(e.to_string()))?;
            Ok(Connected { client: Client::new(&base)?, _embedded: Some(explorer) })
        }
    }
}
