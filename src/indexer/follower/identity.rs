//! The node that answers: whether it is another than before, or has begun another run.

use serde_json::json;
use serde_json::value::RawValue;

use super::{Follower, IndexBound};
use crate::chain::coverage::MissingBlocks;
use crate::chain::network::is_loopback;
use crate::messages::chain_data::{BlockError, ReadError};
use crate::rpc::capabilities::{ForkedNetwork, NodeIdentity, RunIdentity};
use crate::rpc::wire::Readable;
use crate::rpc::{RpcError, RpcRequest};

impl Follower {
    /// Notes which node answers, and returns whether it is another. Blocks of a chain that it forked
    /// are never asked for, not even to compare them.
    pub(super) fn set_identity(&mut self, identity: NodeIdentity) -> bool {
        if self.fork() != identity.fork() {
            self.drop_from(0);
        }
        let is_new = self.identity.as_ref() != Some(&identity);
        if is_new {
            self.identity = Some(identity);
            self.capabilities = None;
            self.judgements = 0;
            self.is_unpublished = true;
            if self.segments.is_empty() {
                self.bound = self.fork_bound();
            }
        }
        is_new
    }

    /// Returns the oldest block that may be asked for.
    pub(super) fn fork_bound(&self) -> IndexBound {
        let Some(ForkedNetwork { fork_block_number, chain_id }) = self.fork() else {
            return IndexBound::default();
        };
        IndexBound::new(fork_block_number.saturating_add(1), MissingBlocks::Forked { chain_id })
    }

    pub(super) fn is_local(&self) -> bool {
        let is_development = self.identity.as_ref().is_some_and(NodeIdentity::is_development);
        is_development && is_loopback(self.client.url().expose())
    }

    pub(super) fn fork(&self) -> Option<ForkedNetwork> {
        self.identity.as_ref().and_then(NodeIdentity::fork)
    }

    /// Fails if the node has begun another run or has another chain.
    pub(super) async fn check_identity(&mut self) -> Result<(), ReadError> {
        let has_run = self.identity.as_ref().is_some_and(|identity| identity.run.is_some());
        let mut requests = vec![RpcRequest::new("eth_chainId", json!([]))];
        requests.extend(has_run.then(RunIdentity::request));
        let mut results = self.client.batch(&requests).await?.into_iter();
        self.check_chain_id(results.next())?;
        if let (Some(run), Some(identity)) = (results.next(), self.identity.clone()) {
            let run = Some(self.client.decode(&run?)?);
            if self.set_identity(NodeIdentity { run, ..identity }) {
                return Err(BlockError::Inconsistent.into());
            }
        }
        Ok(())
    }

    /// Fails if the node says that its chain is another than before. A refusal says nothing.
    fn check_chain_id(
        &self,
        answer: Option<Result<Box<RawValue>, RpcError>>,
    ) -> Result<(), ReadError> {
        let now = answer
            .and_then(Result::ok)
            .and_then(|id| self.client.decode(&id).ok())
            .map(|Readable(id)| id);
        match (&self.identity, now) {
            (Some(NodeIdentity { chain_id, .. }), Some(now)) if *chain_id != now => {
                Err(ReadError::OtherChain { before: *chain_id, now })
            }
            _ => Ok(()),
        }
    }
}
