//! The line of the source that a failed call ended at, which explorers do not tell.

use alloy_primitives::Address;

use crate::api_server::{
    error::ApiServerError,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext, to_json},
};
use crate::store::{FailedCall, TransactionRecord};

pub(crate) const FAILURE_LINE_PARAMETERS: &[ParamSpec] =
    &[("contract", ParamRule::Address), ("depth", ParamRule::Id), ("gas", ParamRule::Id)];

pub(crate) fn failure_line(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
) -> JsonResult {
    let contract = request.params.get::<Address>("contract");
    let account = contract.map(|it| request.snapshot.state.account(it)).transpose()?.flatten();
    // A clone has the artifact of what it runs, but no source of its own.
    let account = account.filter(|account| account.proxy_type.as_deref() != Some("eip1167"));
    let artifact = account.and_then(|account| account.artifact.as_ref());
    let why = || ApiServerError::Unsupported("not compiled in this project".to_owned());
    let artifact = artifact.ok_or_else(why)?;
    let depth = request.params.get("depth").unwrap_or(0);
    let call = FailedCall { depth, gas: request.params.get("gas") };
    let steps = request.chain.failed_steps(transaction, &call)?;
    let line = artifact.line_of_end(&steps);
    to_json(&line.map_err(|why| ApiServerError::Unsupported(why.to_string()))?)
}
