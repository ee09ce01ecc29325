//! What the user has marked.

use std::sync::Arc;

use crate::chain::TxHash;
use crate::trace::Tree;

/// A trace that others are compared with.
#[derive(Debug, Clone)]
pub struct Marked {
    /// The transaction.
    pub transaction: TxHash,
    /// Its complete trace.
    pub tree: Arc<Tree>,
}
