//! The inputs of a request handler, and its result.

use serde::Serialize;

use super::{error::DemoApiError, query_params::QueryParams, store::Store};

#[derive(Debug)]
pub(crate) struct RequestContext<'a> {
    pub(crate) store: &'a Store,
    pub(crate) params: &'a QueryParams,
    pub(crate) page_size: usize,
}

/// The body of a response.
pub(crate) type JsonResult = Result<Vec<u8>, DemoApiError>;

pub(crate) fn to_json(value: &impl Serialize) -> JsonResult {
    serde_json::to_vec(value).map_err(|error| DemoApiError::Internal(error.to_string()))
}
