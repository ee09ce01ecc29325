//! The source line of a failed call, which explorers do not report.

use alloy_primitives::Address;

use crate::api_server::{
    error::ApiServerError,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext, to_json},
};
use crate::messages::project::SourceError;
use crate::store::{FailedCall, TransactionRecord};

pub(crate) const FAILURE_LINE_PARAMETERS: &[ParamSpec] =
    &[("contract", ParamRule::Address), ("depth", ParamRule::Id), ("gas", ParamRule::Id)];

/// Answers for a call of a contract, or without one for the creation that the transaction is.
pub(crate) fn failure_line(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
) -> JsonResult {
    let not_compiled = || ApiServerError::Unsupported(SourceError::NotCompiled.into());
    let depth = request.params.get("depth").unwrap_or(0);
    let call = FailedCall { depth, gas: request.params.get("gas") };
    let steps = || request.chain.failed_steps(transaction, &call);
    let line = if let Some(contract) = request.params.get::<Address>("contract") {
        let account = request.snapshot.state.account(contract)?;
        // A clone has the artifact of what it runs, but no source of its own.
        let account = account.filter(|account| account.proxy_type.as_deref() != Some("eip1167"));
        let artifact = account.and_then(|account| account.artifact.as_ref());
        artifact.ok_or_else(not_compiled)?.line_of_end(&steps()?)
    } else {
        let compiled = request.chain.compiled().filter(|_| depth == 0 && transaction.to.is_none());
        let artifacts = &compiled.as_ref().ok_or_else(not_compiled)?.artifacts;
        artifacts.line_of_creation_end(&transaction.input, &steps()?)
    };
    to_json(&line.map_err(|why| ApiServerError::Unsupported(why.into()))?)
}
