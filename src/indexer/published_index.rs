//! The index as it is published: the segments, and the progress with which they were read.

use std::collections::HashSet;
use std::sync::Arc;

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
