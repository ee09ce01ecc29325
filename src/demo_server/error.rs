//! What the service says when it cannot answer, in the words of the real one.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::demo_chain::DemoDataError;

/// One thing wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldError {
    /// The parameter it is about.
    pub(crate) parameter: String,
    /// What is wrong with it.
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

/// Why a request has no answer.
#[derive(Clone, Debug)]
pub(crate) enum DemoApiError {
    /// No such route.
    UnknownAction,
    /// The chain has no such transaction or token.
    NotFound,
    /// Parameters that are malformed, or that the route does not have.
    Unprocessable(Vec<FieldError>),
    /// The service itself failed, and how.
    Internal(String),
}

impl From<DemoDataError> for DemoApiError {
    fn from(broken: DemoDataError) -> Self {
        Self::Internal(broken.to_string())
    }
}

impl IntoResponse for DemoApiError {
    fn into_response(self) -> Response {
        let (status, body) = match self {
            Self::UnknownAction => {
                (StatusCode::BAD_REQUEST, json!({ "message": "Unknown API v2 action" }))
            }
            Self::NotFound => (StatusCode::NOT_FOUND, json!({ "message": "Not found" })),
            Self::Unprocessable(complaints) => {
                let errors: Vec<_> = complaints.iter().map(FieldError::to_json).collect();
                (StatusCode::UNPROCESSABLE_ENTITY, json!({ "errors": errors }))
            }
            // A bare string: the real service's view for crashes has no object around it.
            Self::Internal(how) => (StatusCode::INTERNAL_SERVER_ERROR, json!(how)),
        };
        (status, [(header::CONTENT_TYPE, "application/json; charset=utf-8")], body.to_string())
            .into_response()
    }
}
