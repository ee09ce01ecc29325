//! The state that the follower publishes: the index, how much of the chain it has, and why it cannot be read.

use super::{Follower, IndexBound};
use crate::chain::Timestamp;
use crate::chain::coverage::MissingBlocks;
use crate::chain::network::{NewestBlock, is_loopback};
use crate::indexer::progress::{IndexCoverage, IndexProgress};
use crate::indexer::published_index::PublishedIndex;
use crate::messages::chain_data::ReadError;
use crate::messages::node::NodeOutage;
use crate::rpc::RpcError;
use crate::sanitize::SafeText;

impl Follower {
    pub(super) fn coverage(&self) -> Option<IndexCoverage> {
        let IndexBound { first_block: oldest, missing } = &self.bound;
        let known = self.segments.indexed_blocks();
        let first_block = known.map_or(*oldest, |known| known.first);
        let last_block =
            known.map_or_else(|| oldest.checked_sub(1), |known| Some(known.last.number))?;
        let is_unindexed = first_block > *oldest;
        Some(IndexCoverage {
            first_block,
            last_block,
            transactions: self.segments.transaction_count(),
            unreadable: u64::try_from(self.segments.unreadable_count()).unwrap_or(u64::MAX),
            unindexed: first_block.saturating_sub(*oldest) + self.head.saturating_sub(last_block),
            older: if is_unindexed { Some(MissingBlocks::Unindexed) } else { missing.clone() },
        })
    }

    pub(super) fn outage(&self, error: &ReadError) -> NodeOutage {
        match error {
            ReadError::Rpc(RpcError::Unreachable { address, .. })
                if is_loopback(self.client.url().expose()) =>
            {
                NodeOutage::NoLocalNode { address: address.clone() }
            }
            ReadError::Block(error) => NodeOutage::Unusable(error.describe()),
            error => NodeOutage::Other(SafeText::new(&error.to_string())),
        }
    }

    /// Publishes the segments, which the node has just confirmed to be of its chain.
    pub(super) fn publish(&mut self) {
        let progress = IndexProgress {
            chain_id: self.identity.as_ref().map(|identity| identity.chain_id),
            fork: self.fork(),
            is_local: self.is_local(),
            coverage: self.coverage(),
            newest_block: self.newest_block(),
            error: None,
            rollback: self.rollback,
            failure: self.failure,
        };
        let is_unchanged = self.publisher.borrow().progress == progress;
        if is_unchanged && !self.is_unpublished {
            return; // nothing wakes for an unchanged chain
        }
        self.is_unpublished = false;
        let segments = Some(self.segments.to_published());
        let capabilities = self.capabilities.clone();
        self.publisher.send_replace(PublishedIndex { segments, capabilities, progress });
    }

    /// Returns the time of the newest block, with the time when it was published first.
    fn newest_block(&self) -> Option<NewestBlock> {
        let time = self.segments.head_time()?;
        let known = self.publisher.borrow().progress.newest_block;
        let same = known.filter(|known| known.time == time);
        Some(same.unwrap_or_else(|| NewestBlock { time, seen_at: Timestamp::now() }))
    }

    /// Publishes the reason why the node cannot be read now, with the last snapshot.
    pub(super) fn publish_error(&self, error: &ReadError) {
        let error = Some(self.outage(error));
        self.publisher.send_if_modified(|index| {
            let is_new = index.progress.error != error;
            index.progress.error = error;
            is_new
        });
    }
}
