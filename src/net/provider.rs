//! Fetches responses for one chain: from the cache, a recording, or the explorer by way of the
//! scheduler and a client.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::FutureExt;
use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::approval_list::{ApprovalLists, ApprovalRequest};
use super::cache::ResponseCache;
use super::clock::Clock;
use super::connector::Connector;
pub use super::connector::ProviderOptions;
use super::past_balances::{PastBalanceRequest, with_balances};
use super::recording::RecordingMode;
use super::response_body::ResponseBody;
use crate::abi::SignatureDb;
use crate::api::endpoints::address::TokenBalance;
use crate::api::exchange::Exchange;
use crate::api::transactions::Transaction;
use crate::api::{
    AddressQuery, ApiError, Cursor, Page, Query, Reply, ReplyResult, TransactionQuery, decode,
};
use crate::app_message::{NetworkEvent, Priority};
use crate::chain::TxHash;
use crate::chain::network::{Endpoint, Network};
use crate::indexer::IndexProgress;
use crate::safety::public_hosts::is_public;

/// Maximum time for fetching a transaction before its trace.
const MAX_PREPARATION: Duration = Duration::from_secs(5);

/// A chain's explorer. Clones share its state.
#[derive(Debug, Clone)]
pub struct Provider(Arc<ProviderInner>);

#[derive(Debug)]
struct ProviderInner {
    connector: Connector,
    /// `None` for the system's clock.
    clock: Option<Clock>,
    /// The project's signatures that were returned last.
    taken_signatures: Mutex<Option<Arc<SignatureDb>>>,
    approvals: ApprovalLists,
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
        let connector = Connector::new(network.clone(), options);
        Self(Arc::new(ProviderInner {
            connector,
            clock,
            taken_signatures: Mutex::default(),
            approvals: ApprovalLists::default(),
        }))
    }

    fn options(&self) -> &ProviderOptions {
        &self.0.connector.options
    }

    /// Returns the current time; in a replay, the time of the recorded run; on the demo chain, the time
    /// since its last block.
    pub fn now(&self) -> Timestamp {
        match &self.options().recording {
            Some(RecordingMode::Record(recorder)) => recorder.now(),
            Some(RecordingMode::Replay(replay)) => replay.now(),
            None => self.0.clock.as_ref().map_or_else(Timestamp::now, Clock::now),
        }
    }

    /// Returns the scheduler's events from now on. A new subscriber replaces the previous one.
    pub fn subscribe(&self) -> UnboundedReceiver<NetworkEvent> {
        self.options().scheduler.subscribe()
    }

    /// Follows the chain of a node, and reports each change of its index. Other chains have none. For
    /// an undecided chain, its kind is reported first, once something answers.
    pub async fn watch_index(&self, report: impl Fn(NetworkEvent)) {
        if !matches!(self.network().endpoint, Endpoint::Node(_) | Endpoint::Undecided(_)) {
            return;
        }
        let connected = self.0.connector.wait().await;
        if connected.network != *self.network() {
            report(NetworkEvent::Decided(Box::new(connected.network.clone())));
        }
        let Some(mut index) = connected.index.clone() else { return };
        let mut recorded_id = None;
        while let Some(progress) = index.next().await {
            if let Some(RecordingMode::Record(recorder)) = &self.options().recording
                && let Some(id) = progress.chain_id
                && recorded_id.replace(id) != Some(id)
            {
                recorder.record_chain_id(id);
            }
            let is_foreign = progress.chain_id.is_some() && !progress.is_local;
            report(NetworkEvent::Index(Box::new(progress)));
            let project = self.options().project.as_ref();
            if let Some(project) = project.filter(|project| is_foreign && !project.is_allowed()) {
                report(NetworkEvent::ProjectFound(project.root()));
            }
        }
    }

    /// Lets the project name the contracts of this chain, although the user does not run it.
    pub fn allow_project(&self) {
        if let Some(project) = &self.options().project {
            project.allow();
        }
    }

    /// Returns the functions and errors of the project's contracts, if they have changed since the last
    /// call. In a replay they are from the recording.
    pub async fn take_project_signatures(&self) -> Option<Arc<SignatureDb>> {
        if let Some(RecordingMode::Replay(replay)) = &self.options().recording {
            return replay.take_project_signatures();
        }
        self.options().project.as_ref()?;
        let is_local = self.0.connector.connected().await.ok()?.index.clone()?.is_local().await;
        let provider = Arc::clone(&self.0);
        spawn_blocking(move || {
            let project = provider.connector.options.project.as_ref()?;
            project.set_chain_local(is_local);
            let current = Arc::clone(&project.current()?.signatures);
            let mut taken = provider.taken_signatures.lock();
            let is_new = taken.as_ref().is_none_or(|taken| !Arc::ptr_eq(taken, &current));
            if !is_new {
                return None;
            }
            if let Some(RecordingMode::Record(recorder)) = &provider.connector.options.recording {
                recorder.record_project(&current);
            }
            Some(Arc::clone(taken.insert(current)))
        })
        .await
        .ok()?
    }

    /// Waits until the chain of a node is indexed or fails, and reports the progress.
    pub async fn wait_for_index(&self, report: impl Fn(&IndexProgress)) {
        let Some(mut index) =
            self.0.connector.connected().await.ok().and_then(|node| node.index.clone())
        else {
            return;
        };
        while let Some(progress) = index.next().await {
            report(&progress);
            let is_indexed = progress.coverage.as_ref().is_some_and(|blocks| blocks.unindexed == 0);
            if is_indexed || progress.error.is_some() {
                return;
            }
        }
    }

    /// Returns the progress of the index of a node's chain. `None` for other chains, or before the first
    /// connection.
    pub fn index_progress(&self) -> Option<IndexProgress> {
        Some(self.0.connector.proven.get()?.index.as_ref()?.progress())
    }

    /// Fetches and decodes a response. Dropping the future cancels the request.
    pub async fn fetch(
        &self,
        query: &Query,
        cursor: Option<&Cursor>,
        priority: Priority,
    ) -> ReplyResult {
        let reply = match (query, query.past_block()) {
            (Query::Address(owner, _), Some(block)) => {
                let may_ask_each = !matches!(self.network().endpoint, Endpoint::Remote(_));
                let request = PastBalanceRequest { owner: *owner, block, may_ask_each };
                self.fetch_past_balances(query, request, cursor, priority).boxed().await
            }
            _ => self.fetch_reply(query, cursor, priority).await,
        };
        if self.response_cache().is_some() {
            self.record_transactions(query, &reply);
        }
        reply
    }

    async fn fetch_past_balances(
        &self,
        query: &Query,
        request: PastBalanceRequest,
        cursor: Option<&Cursor>,
        priority: Priority,
    ) -> ReplyResult {
        let listed = query.at_block(None).unwrap_or_else(|| query.clone());
        let reply = self.fetch_reply(&listed, cursor, priority).await?;
        let Some(page) = reply.page::<TokenBalance>() else { return Ok(reply) };
        let ask = |query| self.request_body(query, priority);
        Ok(with_balances(page, request, ask).await)
    }

    async fn fetch_reply(
        &self,
        query: &Query,
        cursor: Option<&Cursor>,
        priority: Priority,
    ) -> ReplyResult {
        if let Query::Address(owner, AddressQuery::Approvals { is_history }) = query {
            let request =
                ApprovalRequest { owner: *owner, is_history: *is_history, now: self.now() };
            let ask = |query| self.request_body(query, priority);
            // On the heap, as it makes further requests.
            return self.0.approvals.fetch_page(request, cursor, ask).boxed().await;
        }
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
        if self.options().cache.is_some() {
            let query = Query::Transaction(transaction, TransactionQuery::Details);
            let reply = self.fetch(&query, None, Priority::Interactive);
            drop(timeout(MAX_PREPARATION, reply).await);
        }
    }

    /// Records the transactions that the explorer reports as final.
    fn record_transactions(&self, query: &Query, reply: &ReplyResult) {
        // Without a connection there is nothing to record.
        let (Some(cache), Some(connected)) = (self.response_cache(), self.0.connector.proven.get())
        else {
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
                record(*hash, found);
            }
            (_, Ok(reply)) => {
                let rows = reply.get::<Page<Transaction>>().into_iter().flat_map(Page::parsed);
                rows.for_each(|transaction| record(transaction.hash, Some(transaction)));
            }
            _ => {}
        }
    }

    fn cache(&self, query: &Query) -> Option<&ResponseCache> {
        self.response_cache().filter(|_| {
            matches!(query, Query::Transaction(_, TransactionQuery::RawTrace) | Query::Contract(_))
        })
    }

    fn response_cache(&self) -> Option<&ResponseCache> {
        self.options().cache.as_ref().filter(|_| !self.is_node())
    }

    /// Returns a cached body, unless this is a refresh.
    async fn cached_body(&self, query: &Query, priority: Priority) -> Option<Bytes> {
        let cache = self.cache(query).filter(|_| priority != Priority::Refresh)?;
        let started = Instant::now();
        let url = self.0.connector.connected().await.ok()?.client.url(query, None).ok()?;
        let body = cache.get(&url).await?;
        let bytes = body.len() as u64;
        self.options().scheduler.log_cache_hit(&url, bytes, started.elapsed(), priority);
        Some(body)
    }

    async fn request_body(&self, query: Query, priority: Priority) -> Result<Bytes, ApiError> {
        self.request(&query, None, priority).await?.body
    }

    /// Sends a request, a second time if it finds that the remembered explorer is gone.
    async fn request(
        &self,
        query: &Query,
        cursor: Option<&Cursor>,
        priority: Priority,
    ) -> Result<Exchange, ApiError> {
        let remembered = self.0.connector.remembered().await;
        let exchange = self.request_once(query, cursor, priority).await?;
        if let Some(explorer) = remembered
            && self.0.connector.is_refuted_by(&exchange, explorer).await
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
        let connected = self.0.connector.connected().await?;
        let url = connected.client.url(query, cursor)?;
        let request = connected.request(&url, query);
        let send = move || request.clone().fetch();
        let scheduler = &self.options().scheduler;
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
        let connected = self.0.connector.connected().await?;
        let url = connected.client.url(query, None)?;
        let request = connected.request(&url, query);
        let start = move || request.clone().open_stream(start_timeout);
        let scheduler = &self.options().scheduler;
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
        &self.0.connector.network
    }

    /// Returns `true` if it is known to be connected to a node.
    pub fn is_node(&self) -> bool {
        self.0.connector.proven.get().is_some_and(|connected| connected.network.endpoint.is_node())
    }
}
