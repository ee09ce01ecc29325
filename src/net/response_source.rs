//! Sources of responses: an explorer over HTTP, a recording, or the simulated network of a test.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use url::Url;

use super::response_body::ResponseBody;
use crate::api::Query;
use crate::api::client::Client;
use crate::api::exchange::Exchange;

/// Answers the requests that the scheduler lets through. Dropping a future cancels its request.
///
/// A request is a query and its URL, which contains the cursor.
pub trait ResponseSource: Debug + Send + Sync {
    /// Returns a response with its whole body.
    fn fetch<'a>(&'a self, url: &'a Url, query: &'a Query) -> BoxFuture<'a, Exchange>;

    /// Returns a response whose body is read in pieces, when it starts, at most after `start_timeout`.
    fn open_stream<'a>(
        &'a self,
        url: &'a Url,
        query: &'a Query,
        start_timeout: Duration,
    ) -> BoxFuture<'a, Exchange<ResponseBody>>;
}

impl ResponseSource for Client {
    fn fetch<'a>(&'a self, url: &'a Url, query: &'a Query) -> BoxFuture<'a, Exchange> {
        self.fetch_page(url.clone(), query).boxed()
    }

    fn open_stream<'a>(
        &'a self,
        _url: &'a Url,
        query: &'a Query,
        start_timeout: Duration,
    ) -> BoxFuture<'a, Exchange<ResponseBody>> {
        async move { self.open_stream(query, start_timeout).await.map(ResponseBody::from) }.boxed()
    }
}

/// A request to a source, for each attempt to send it.
#[derive(Debug, Clone)]
pub(super) struct SourceRequest {
    pub(super) source: Arc<dyn ResponseSource>,
    pub(super) url: Url,
    pub(super) query: Query,
}

impl SourceRequest {
    pub(super) async fn fetch(self) -> Exchange {
        self.source.fetch(&self.url, &self.query).await
    }

    pub(super) async fn open_stream(self, start_timeout: Duration) -> Exchange<ResponseBody> {
        self.source.open_stream(&self.url, &self.query, start_timeout).await
    }
}
