//! The endpoints of a batch of blocks that an Optimism chain posted to its L1.

use strum::{IntoStaticStr, VariantNames};

use super::{ApiEndpoint, EndpointPath, item, page};
use crate::api::endpoints::block::Block;
use crate::api::endpoints::subject::Subject;
use crate::api::optimism::OptimismBatch;
use crate::api::transactions::Transaction;

/// A query for a batch, or for something in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantNames)]
pub enum BatchQuery {
    Details,
    Blocks,
    Transactions,
}

impl BatchQuery {
    pub(super) fn endpoint(self, number: u64) -> ApiEndpoint {
        let row = |list, words, decode| ApiEndpoint {
            path: EndpointPath::Numbered(list, number),
            ..ApiEndpoint::new(Subject::Chain, words, decode)
        };
        match self {
            Self::Details => row("optimism/batches", "batch", item::<OptimismBatch>),
            Self::Blocks => row("blocks/optimism-batch", "blocks", page::<Block>),
            Self::Transactions => {
                row("transactions/optimism-batch", "transactions", page::<Transaction>)
            }
        }
    }
}
