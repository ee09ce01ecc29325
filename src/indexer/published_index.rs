//! The index as it is published: the segments, and the progress with which they were read.

use std::collections::HashSet;
use std::sync::Arc;

use tokio::sync::watch;

use super::progress::{IndexCoverage, IndexProgress};
use crate::chain::coverage::{BlockCoverage, MissingBlocks};
use crate::rpc::capabilities::NodeCapabilities;
use crate::store::{ChainState, Segment, Snapshot};

/// The segments with the progress of the index.
#[derive(Debug, Clone, Default)]
pub(super) struct PublishedIndex {
    /// `None` before the first blocks.
    pub(super) segments: Option<Arc<[Arc<Segment>]>>,
    pub(super) capabilities: Option<NodeCapabilities>,
    pub(super) progress: IndexProgress,
}

impl PublishedIndex {
    pub(super) fn is_unindexed(&self) -> bool {
        let coverage = self.progress.coverage.as_ref();
        coverage.is_some_and(|blocks| blocks.older == Some(MissingBlocks::Unindexed))
    }

    /// Returns the chain without its state, which is read for each request.
    pub(super) fn snapshot(&self) -> Option<Snapshot> {
        let coverage = self.progress.coverage.clone().and_then(|coverage| {
            let IndexCoverage { first_block, last_block, unreadable, older, .. } = coverage;
            let is_whole = unreadable == 0 && older.is_none();
            (!is_whole).then_some(BlockCoverage { first_block, last_block, unreadable, older })
        });
        Some(Snapshot {
            segments: Arc::clone(self.segments.as_ref()?),
            histories: Arc::default(),
            coverage,
            state: Arc::new(ChainState::partial(HashSet::new())),
        })
    }
}

/// Reports the progress of an index, first as it is.
#[derive(Debug, Clone)]
pub struct IndexWatch(pub(super) watch::Receiver<PublishedIndex>);

impl IndexWatch {
    /// Waits for a change of the chain or of the progress. Returns `None` if the index is dropped.
    pub async fn next(&mut self) -> Option<IndexProgress> {
        self.0.changed().await.ok()?;
        Some(self.0.borrow_and_update().progress.clone())
    }

    /// Returns the progress now.
    pub fn progress(&self) -> IndexProgress {
        self.0.borrow().progress.clone()
    }

    /// Waits for the node, and returns `true` if it is a development node on this machine.
    pub async fn is_local(&mut self) -> bool {
        self.0
            .wait_for(|index| index.progress.chain_id.is_some() || index.progress.error.is_some())
            .await
            .is_ok_and(|index| index.progress.is_local)
    }

    /// Returns the rows so far, perhaps without older ones, if they or the progress have changed.
    pub fn take_changed(&mut self) -> Option<Snapshot> {
        self.0.has_changed().ok()?.then(|| self.0.borrow_and_update().snapshot())?
    }
}
