//! Where answers come from: an explorer elsewhere, or the embedded one, started when it is first
//! asked.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::sync::mpsc::UnboundedReceiver;
use url::Url;

use super::desk::Desk;
use crate::api::client::{Client, Streamed};
use crate::api::exchange::{Exchange, decode};
use crate::api::key::Key;
use crate::api::{ApiError, Cursor, Query, Reply};
use crate::chain::network::{Endpoint, Network};
use crate::explorer::{Explorer, Options};
use crate::msg::{NetNews, Why};
use crate::text::Text;

/// A chain's explorer. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Source(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    endpoint: Endpoint,
    key: Option<Key>,
    connected: OnceCell<Connected>,
    desk: Desk,
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
        Self(Arc::new(Inner { endpoint, key, connected, desk: Desk::default() }))
    }

    /// What is heard of the requests from now on. There is one listener.
    pub fn news(&self) -> UnboundedReceiver<NetNews> {
        self.0.desk.news()
    }

    /// Asks it, and reads the answer. Dropping the future ends the request on the wire.
    pub async fn fetch(
        &self,
        query: &Query,
        cursor: Option<&Cursor>,
        why: Why,
    ) -> Result<Reply, ApiError> {
        let error = match self.exchange(query, cursor, why).await?.body {
            Ok(body) => return decode(query, body, cursor).await,
            Err(error) => error,
        };
        let Some(shorter) = cursor.and_then(|cursor| cursor.shortened(&error)) else {
            return Err(error);
        };
        let body = self.exchange(query, Some(&shorter), why).await?.body?;
        decode(query, body, Some(&shorter)).await
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
        Ok(self.0.desk.send(why, &url, || client.ask(query, cursor)).await)
    }

    /// Asks it for an answer that is taken piece by piece. A long one, or one that waits for the
    /// user, keeps no other request waiting once it has begun.
    pub async fn open(&self, query: &Query, patience: Duration) -> Result<Streamed, ApiError> {
        let client = self.client().await?;
        let url = client.url(query, None)?;
        self.0.desk.send(Why::Asked, &url, || client.open(query, patience)).await.body
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
