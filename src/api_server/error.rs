//! Error responses, worded like Blockscout's.

use std::fmt::Display;

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use crate::chain::coverage::BlockCoverage;
use crate::messages::chain_data::ChainDataError;
use crate::messages::index::NotFoundError;
use crate::messages::node::{NodeErrorCode, NodeOutage, PENDING};
use crate::store::StoreError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldError {
    pub(crate) parameter: String,
    pub(crate) detail: String,
}

impl FieldError {
    pub(crate) fn new(parameter: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { parameter: parameter.into(), detail: detail.into() }
    }

    fn to_json(&self) -> Value {
        json!({
            "title": "Invalid value",
            "source": { "pointer": format!("/{}", self.parameter) },
            "detail": self.detail,
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) enum ApiServerError {
    UnknownAction,
    /// A service next to an explorer is not there.
    ServiceDisabled,
    /// The path is not below `/api/`.
    NoPage,
    /// The body of a post is not declared as JSON.
    NotJson,
    /// The request is meant for a host that is not this machine.
    OtherHost,
    /// The chain, or its known blocks, have no such transaction or token.
    NotFound(Option<BlockCoverage>),
    /// The transaction is in no block yet.
    Pending,
    /// The transaction is in no block and in no pool any more, for this reason.
    Dropped(String),
    /// Parameters are malformed or unknown to the route.
    Unprocessable(Vec<FieldError>),
    Internal(String),
    /// The transaction, or the rows, may be in blocks that are still being indexed.
    StillIndexing(BlockCoverage),
    Unavailable(NodeOutage),
    /// The node lacks a method or a block.
    Unsupported(ChainDataError),
}

impl ApiServerError {
    pub(crate) fn internal(error: impl Display) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<StoreError> for ApiServerError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Damaged(why) => Self::internal(why),
            StoreError::StillIndexing(coverage) => Self::StillIndexing(coverage),
            StoreError::Unavailable(outage) => Self::Unavailable(outage),
            StoreError::Unsupported(why) => Self::Unsupported(why),
        }
    }
}

impl IntoResponse for ApiServerError {
    fn into_response(self) -> Response {
        let (status, body) = match self {
            Self::UnknownAction => {
                (StatusCode::BAD_REQUEST, json!({ "message": "Unknown API v2 action" }))
            }
            Self::ServiceDisabled => {
                (StatusCode::NOT_IMPLEMENTED, json!({ "message": "Service is disabled" }))
            }
            Self::NoPage => (StatusCode::NOT_FOUND, json!("Page not found")),
            Self::NotJson => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                json!({ "message": "Content-Type is not application/json" }),
            ),
            Self::OtherHost => (
                StatusCode::MISDIRECTED_REQUEST,
                json!({ "message": "Host is neither localhost nor a loopback address" }),
            ),
            Self::NotFound(None) => {
                (StatusCode::NOT_FOUND, coded("Not found", NodeErrorCode::NotFound))
            }
            Self::NotFound(Some(coverage)) => {
                let message = NotFoundError(coverage).to_string();
                (StatusCode::NOT_FOUND, coded(&message, NodeErrorCode::OutsideIndex))
            }
            Self::Pending => (StatusCode::NOT_FOUND, coded(PENDING, NodeErrorCode::Pending)),
            Self::Dropped(why) => (StatusCode::NOT_FOUND, coded(&why, NodeErrorCode::Dropped)),
            Self::Unprocessable(errors) => {
                let errors: Vec<_> = errors.iter().map(FieldError::to_json).collect();
                (StatusCode::UNPROCESSABLE_ENTITY, json!({ "errors": errors }))
            }
            Self::StillIndexing(coverage) => {
                let message = format!("nothing {coverage}");
                (StatusCode::SERVICE_UNAVAILABLE, coded(&message, NodeErrorCode::StillIndexing))
            }
            Self::Unavailable(outage) => {
                (StatusCode::SERVICE_UNAVAILABLE, coded(&outage.to_string(), outage.code()))
            }
            Self::Unsupported(why) => {
                (StatusCode::NOT_IMPLEMENTED, coded(&why.to_string(), NodeErrorCode::Unsupported))
            }
            // A bare string: Blockscout's error view for crashes has no object around it.
            Self::Internal(message) => (StatusCode::INTERNAL_SERVER_ERROR, json!(message)),
        };
        (status, [(header::CONTENT_TYPE, "application/json; charset=utf-8")], body.to_string())
            .into_response()
    }
}

/// Returns a body with the reason in words, and as a code for the client.
fn coded(message: &str, code: NodeErrorCode) -> Value {
    let code: &str = code.into();
    json!({ "message": message, "code": code })
}
