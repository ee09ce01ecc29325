//! What the user has marked.

use std::sync::Arc;

use crate::chain::TxHash;
use crate::trace::CallTree;

/// A trace that others are compared with.
#[derive(Debug, Clone)]
pub struct DiffBaseline {
    /// The transaction.
    pub transaction: TxHash,
    /// Its complete trace.
    pub tree: Arc<CallTree>,
}
