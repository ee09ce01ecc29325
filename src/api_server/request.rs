//! The inputs of a request handler, and its result.

use serde::Serialize;

use super::{error::ApiServerError, query_params::QueryParams};
use crate::chain::coverage::BlockCoverage;
use crate::store::{ServedChain, Snapshot};

#[derive(Debug)]
pub(crate) struct RequestContext<'a> {
    pub(crate) chain: &'a dyn ServedChain,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) params: &'a QueryParams,
    pub(crate) page_size: usize,
    /// The blocks that the response depends on, unless these are all blocks, or known ones.
    pub(crate) coverage: Option<&'a BlockCoverage>,
}

impl RequestContext<'_> {
    /// Returns the error for something that the chain lacks, or that its indexed blocks lack.
    pub(crate) fn not_found(&self) -> ApiServerError {
        match self.snapshot.require_older_blocks() {
            Ok(()) => ApiServerError::NotFound(self.snapshot.coverage.clone()),
            Err(unread) => unread.into(),
        }
    }
}

/// The body of a response.
pub(crate) type JsonResult = Result<Vec<u8>, ApiServerError>;

pub(crate) fn to_json(value: &impl Serialize) -> JsonResult {
    serde_json::to_vec(value).map_err(|error| ApiServerError::Internal(error.to_string()))
}
