//! The chain of a node as it is served.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::json;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::abi::Project;
use crate::rpc::{CallSource, CallSupport, RpcClient, RpcError, RpcRequest};
use crate::store::{ServedChain, Snapshot, StateKey, StoreError, TransactionRecord};

use super::follower::{Follower, IndexLimits, PollPace, PublishedIndex};
use super::progress::IndexProgress;
use super::state_reader::StateReader;

/// Time that a request waits for the blocks, which is less than the server gives it.
const BLOCKS_TIMEOUT: Duration = Duration::from_secs(8);

/// The chain of a node, followed until this is dropped.
#[derive(Debug)]
pub struct NodeChain {
    client: RpcClient,
    state: StateReader,
    published: watch::Receiver<PublishedIndex>,
    runtime: Handle,
    follower: AbortHandle,
}

impl NodeChain {
    /// Begins to follow a node. Must be called in a runtime.
    pub fn follow(client: RpcClient, limits: IndexLimits) -> Self {
        Self::follow_at_pace(client, limits, PollPace::default())
    }

    /// Begins to follow a node, which is asked as often as this. Must be called in a runtime.
    pub fn follow_at_pace(client: RpcClient, limits: IndexLimits, pace: PollPace) -> Self {
        let (sender, published) = watch::channel(PublishedIndex::default());
        let follower = Follower::new(client.clone(), limits, pace, sender);
        Self {
            state: StateReader::new(client.clone(), None),
            client,
            published,
            runtime: Handle::current(),
            follower: tokio::spawn(follower.run()).abort_handle(),
        }
    }

    /// Names contracts after the artifacts of a project.
    #[must_use]
    pub fn with_project(mut self, project: Option<Project>) -> Self {
        self.state = StateReader::new(self.client.clone(), project);
        self
    }

    /// Returns how far the index is.
    pub fn progress(&self) -> IndexProgress {
        self.published.borrow().progress.clone()
    }

    /// Reports the progress from here on.
    pub fn watch(&self) -> IndexWatch {
        let mut published = self.published.clone();
        published.mark_changed();
        IndexWatch(published)
    }

    /// Waits for a change of the chain or of the progress.
    pub async fn changed(&mut self) -> bool {
        self.published.changed().await.is_ok()
    }

    /// Waits until all blocks are read that will be, or the node fails. Those of a forked chain, those
    /// that the node forgot and those over the limits are not.
    async fn whole_snapshot(&self) -> Result<Snapshot, StoreError> {
        let mut published = self.published.clone();
        let is_settled =
            |index: &PublishedIndex| index.is_whole() || index.progress.error.is_some();
        let settled = timeout(BLOCKS_TIMEOUT, published.wait_for(is_settled)).await;
        let index = match settled {
            Ok(Ok(index)) => index.clone(),
            _ => self.published.borrow().clone(),
        };
        match index {
            PublishedIndex { snapshot: Some(snapshot), .. } if index.is_whole() => Ok(snapshot),
            PublishedIndex { progress, .. } => {
                Err(StoreError::Unavailable(progress.describe().into()))
            }
        }
    }

    async fn trace(&self, of: &TransactionRecord) -> Result<Option<Box<RawValue>>, StoreError> {
        let calls = self.published.borrow().capabilities.as_ref().map(|node| node.calls.clone());
        let source = match calls {
            Some(CallSupport::Supported(source)) => source,
            Some(CallSupport::Unsupported { why }) => {
                return Err(StoreError::Unsupported(why.to_string().into()));
            }
            Some(CallSupport::Undecided) | None => return Ok(None),
        };
        // A whole block's trace is cheaper for each transaction, but not for one.
        let request = match source {
            CallSource::TraceBlock => RpcRequest::new("trace_transaction", json!([of.hash])),
            _ => source.request(of.block_number, of.hash),
        };
        match self.client.call(request.method, request.params).await {
            Ok(trace) => Ok(Some(trace)),
            Err(
                error @ (RpcError::Unsupported
                | RpcError::Pruned { .. }
                | RpcError::TooLarge { .. }),
            ) => Err(StoreError::Unsupported(error.to_string().into())),
            Err(error) => Err(StoreError::Unavailable(error.to_string().into())),
        }
    }
}

/// Reports the progress of an index, first as it is.
#[derive(Debug, Clone)]
pub struct IndexWatch(watch::Receiver<PublishedIndex>);

impl IndexWatch {
    /// Waits for a change of the chain or of the progress. Returns `None` if the index is dropped.
    pub async fn next(&mut self) -> Option<IndexProgress> {
        self.0.changed().await.ok()?;
        Some(self.0.borrow_and_update().progress.clone())
    }
}

impl ServedChain for NodeChain {
    fn snapshot(&self) -> Result<Snapshot, StoreError> {
        self.runtime.block_on(self.whole_snapshot())
    }

    fn load(&self, snapshot: &Snapshot, parts: HashSet<StateKey>) -> Result<Snapshot, StoreError> {
        self.runtime.block_on(self.state.load(snapshot, parts))
    }

    fn raw_trace(&self, of: &TransactionRecord) -> Result<Option<Box<RawValue>>, StoreError> {
        self.runtime.block_on(self.trace(of))
    }
}

impl Drop for NodeChain {
    fn drop(&mut self) {
        self.follower.abort();
    }
}
