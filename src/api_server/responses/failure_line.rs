//! The source lines of a failed transaction, which explorers do not report: of one call, and of all
//! calls from the outermost to the origin of the failure.

use alloy_primitives::Address;
use bytes::Bytes;
use serde::Serialize;

use super::failure_cause::{cause_by_calls, cause_by_end, creation_input, is_bare_revert};
use super::{
    AddressResponse, RevertReasonResponse, function_name, optional_address, revert_reason,
};
use crate::abi::SourceLine;
use crate::api_server::{
    error::ApiServerError,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext, to_json},
};
use crate::messages::chain_data::StepsError;
use crate::messages::failure::FailureCause;
use crate::messages::project::SourceError;
use crate::store::{FailedCall, StoreError, StoreResult, TransactionRecord};
use crate::trace::parser::parse_trace;
use crate::trace::revert_origin::find_origin;
use crate::trace::{CallFrame, CallTree};

pub(crate) const FAILURE_LINE_PARAMETERS: &[ParamSpec] =
    &[("contract", ParamRule::Address), ("depth", ParamRule::Id), ("gas", ParamRule::Id)];
/// Maximum calls of a stack, of which the innermost are kept.
const MAX_STACK_CALLS: usize = 20;
/// Maximum failures that a transaction survived, of which the first are kept.
const MAX_CAUGHT: usize = 20;
const MAX_REASON_BYTES: usize = 1 << 16;
/// The name of a revert without data.
const BARE_REVERT: &str = "Reverted";

#[derive(Debug, Default, Serialize)]
struct FailureStackResponse<'a> {
    #[serde(flatten)]
    own: StackResponse<'a>,
    /// The first failures that the transaction survived, in their order.
    caught: Vec<StackResponse<'a>>,
    /// The number of further ones.
    caught_left_out: usize,
}

#[derive(Debug, Default, Serialize)]
struct StackResponse<'a> {
    /// The outermost call first.
    calls: Vec<StackCallResponse<'a>>,
    /// Calls around these.
    left_out: usize,
    /// Place of the outermost call in the trace.
    trace_address: Vec<u32>,
    /// In the list of transactions, the reason is unknown on nodes that only have steps.
    revert_reason: Option<RevertReasonResponse>,
    /// The usual cause of a failure without revert data.
    cause: Option<String>,
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct StackCallResponse<'a> {
    contract: Option<AddressResponse<'a>>,
    function: Option<String>,
    #[serde(flatten)]
    line: Option<SourceLine>,
    /// Reason why the line is unknown, of a project's contracts.
    problem: Option<String>,
}

/// Answers for a call of a contract, or without one for the creation that the transaction is.
pub(crate) fn failure_line(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
) -> JsonResult {
    let depth = request.params.get("depth").unwrap_or(0);
    let call = FailedCall { depth, gas: request.params.get("gas") };
    let code = match request.params.get("contract") {
        Some(contract) => RunningCode::Deployed(contract),
        None if depth == 0 => RunningCode::Creation(transaction.input.to_vec()),
        None => RunningCode::Creation(init_code(request, transaction, call)?),
    };
    to_json(&line_of_end(request, code, || {
        let steps = request.chain.failed_steps(transaction, &[call])?.pop();
        steps.unwrap_or(Ok(Vec::new())).map_err(|why| StoreError::Unsupported(why.into()))
    })?)
}

/// Answers for all calls that failed with the transaction, down to the origin, or for those that it survived.
pub(crate) fn failure_stack(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
) -> JsonResult {
    let trace = request.chain.raw_trace(transaction)?.ok_or_else(|| request.not_found())?;
    let tree = parse_trace(Bytes::copy_from_slice(trace.get().as_bytes()));
    let failures: Vec<u32> = outermost_failures(&tree).collect();
    let paths: Vec<Vec<u32>> = { failures.iter() }
        .take(MAX_CAUGHT)
        .filter_map(|call| Some(find_origin(&tree, *call)?.path))
        .collect();
    let shown: Vec<u32> = paths.iter().flat_map(|path| innermost(path)).copied().collect();
    for call in &shown {
        function(request, &tree, *call)?;
    }
    let causes: Vec<Option<FailureCause>> = paths
        .iter()
        .map(|path| path.last().map_or(Ok(None), |origin| cause_by_calls(request, &tree, *origin)))
        .collect::<Result<_, _>>()?;
    // The answer is made again with the accounts, and the steps are long.
    let needs_steps =
        request.chain.compiled().is_some() && request.snapshot.state.parts.missed().is_empty();
    let asked: Vec<FailedCall> = shown.iter().map(|call| failed_call(&tree, *call)).collect();
    let found = if needs_steps && !asked.is_empty() {
        request.chain.failed_steps(transaction, &asked)
    } else {
        Ok(Vec::new())
    };
    let mut steps = StepsOfCalls(found.map(Vec::into_iter));
    let stacks: Vec<StackResponse<'_>> = paths
        .iter()
        .zip(causes)
        .map(|(path, cause)| stack(request, &tree, path, cause, &mut steps))
        .collect::<Result<_, _>>()?;
    let has_failed = tree.get(0).is_some_and(CallFrame::failed);
    to_json(&if has_failed {
        let own = stacks.into_iter().next().unwrap_or_default();
        FailureStackResponse { own, ..FailureStackResponse::default() }
    } else {
        let caught_left_out = failures.len() - stacks.len();
        FailureStackResponse { caught: stacks, caught_left_out, ..FailureStackResponse::default() }
    })
}

/// Returns the failed calls that are in no other failed call.
fn outermost_failures(tree: &CallTree) -> impl Iterator<Item = u32> {
    let mut covered = 0;
    (0..tree.len()).filter(move |call| {
        let is_outermost = *call >= covered && tree.get(*call).is_some_and(CallFrame::failed);
        if is_outermost {
            covered = tree.end(*call);
        }
        is_outermost
    })
}

/// Returns the calls of a path that a stack has.
fn innermost(path: &[u32]) -> &[u32] {
    path.get(path.len().saturating_sub(MAX_STACK_CALLS)..).unwrap_or_default()
}

/// The steps of calls in their order, or the reason why there are none.
struct StepsOfCalls(StoreResult<std::vec::IntoIter<Result<Vec<usize>, StepsError>>>);

impl StepsOfCalls {
    fn next(&mut self) -> StoreResult<Vec<usize>> {
        match &mut self.0 {
            Ok(steps) => {
                let steps = steps.next().unwrap_or(Ok(Vec::new()));
                steps.map_err(|why| StoreError::Unsupported(why.into()))
            }
            Err(why) => Err(why.clone()),
        }
    }
}

/// Returns the calls of a failure from the outermost to its origin.
fn stack<'a>(
    request: &RequestContext<'a>,
    tree: &CallTree,
    path: &[u32],
    mut cause: Option<FailureCause>,
    steps: &mut StepsOfCalls,
) -> StoreResult<StackResponse<'a>> {
    let has_project = request.chain.compiled().is_some();
    let (outermost, origin) = (path.first().copied(), path.last().copied());
    let shown = innermost(path);
    let mut calls = Vec::with_capacity(shown.len());
    for call in shown {
        let created_by = creation_input(tree, *call);
        let contract = tree.target_address(*call).filter(|_| created_by.is_none());
        let found_steps = steps.next();
        let code = match contract {
            Some(contract) => RunningCode::Deployed(contract),
            None => RunningCode::Creation(created_by.unwrap_or_default()),
        };
        let last = found_steps.as_ref().ok().and_then(|steps| steps.last().copied());
        let instruction = last.map(|last| instruction(request, &code, last)).transpose()?.flatten();
        let found = line_of_end(request, code, || found_steps);
        if Some(*call) == origin {
            let line = found.as_ref().ok();
            cause = cause.or_else(|| cause_by_end(tree, *call, line, instruction));
        }
        let (line, problem) = match found {
            Ok(line) => (Some(line), None),
            Err(why) => (None, has_project.then(|| why.to_string())),
        };
        calls.push(StackCallResponse {
            contract: optional_address(request.snapshot, contract)?,
            function: function(request, tree, *call)?,
            line,
            problem,
        });
    }
    let frame = |call: Option<u32>| tree.get(call?);
    let output = frame(outermost).and_then(|frame| tree.hex(frame.output, MAX_REASON_BYTES));
    let error = match origin {
        // Nodes have several sentences for it.
        Some(origin) if is_bare_revert(tree, origin) => Some(BARE_REVERT.into()),
        origin => frame(origin).and_then(|frame| tree.text(frame.error)),
    };
    Ok(StackResponse {
        calls,
        left_out: path.len() - shown.len(),
        trace_address: outermost.map(|call| tree.path(call)).unwrap_or_default(),
        revert_reason: output.map(|data| revert_reason(request.snapshot, &data)).transpose()?,
        cause: cause.map(|cause| cause.to_string()),
        error: error.map(|error| error.to_string()),
    })
}

fn failed_call(tree: &CallTree, call: u32) -> FailedCall {
    let depth = tree.ancestors(call).count() as u64;
    let gas = tree.get(call).and_then(CallFrame::gas);
    FailedCall { depth, gas }
}

fn function(
    request: &RequestContext<'_>,
    tree: &CallTree,
    call: u32,
) -> StoreResult<Option<String>> {
    if let Some(init_code) = creation_input(tree, call) {
        let compiled = request.chain.compiled();
        let created = compiled.as_ref().and_then(|all| all.artifacts.find_creation(&init_code));
        let contract = created.map(|created| format!("{}.", created.name));
        return Ok(Some([&*contract.unwrap_or_default(), "constructor"].concat()));
    }
    let called = tree.target_address(call).zip(tree.selector(call));
    called.map(|(code, selector)| function_name(request.snapshot, code, selector)).transpose()
}

/// The code that a call ran.
enum RunningCode {
    Deployed(Address),
    /// Init code.
    Creation(Vec<u8>),
}

/// Returns the init code of a failed creation inside of a transaction.
fn init_code(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
    creation: FailedCall,
) -> Result<Vec<u8>, ApiServerError> {
    let trace = request.chain.raw_trace(transaction)?.ok_or_else(|| request.not_found())?;
    let tree = parse_trace(Bytes::copy_from_slice(trace.get().as_bytes()));
    let is_asked = |call: &u32| {
        let FailedCall { depth, gas } = failed_call(&tree, *call);
        tree.get(*call).is_some_and(CallFrame::failed)
            && (depth, gas) == (creation.depth, creation.gas)
    };
    let mut calls = (0..tree.len()).filter(is_asked);
    Ok(calls.find_map(|call| creation_input(&tree, call)).unwrap_or_default())
}

/// Returns the instruction at a position of a code.
fn instruction(
    request: &RequestContext<'_>,
    code: &RunningCode,
    position: usize,
) -> StoreResult<Option<u8>> {
    Ok(match code {
        RunningCode::Creation(init_code) => init_code.get(position).copied(),
        RunningCode::Deployed(contract) => {
            let account = request.snapshot.state.running_account(*contract)?;
            let artifact = account.and_then(|account| account.artifact.as_ref());
            artifact.and_then(|artifact| artifact.instruction(position))
        }
    })
}

/// Returns the line at which a call ended.
fn line_of_end(
    request: &RequestContext<'_>,
    code: RunningCode,
    steps: impl FnOnce() -> StoreResult<Vec<usize>>,
) -> StoreResult<SourceLine> {
    let not_compiled = || StoreError::Unsupported(SourceError::NotCompiled.into());
    let line = match code {
        RunningCode::Deployed(contract) => {
            let found = request.snapshot.state.running_account(contract)?;
            // A clone has the artifact of what it runs, but no source of its own.
            let account = found.filter(|account| !account.is_clone());
            let artifact = account.and_then(|account| account.artifact.as_ref());
            artifact.ok_or_else(not_compiled)?.line_of_end(&steps()?)
        }
        RunningCode::Creation(init_code) => {
            let compiled = request.chain.compiled().ok_or_else(not_compiled)?;
            let created = compiled.artifacts.find_creation(&init_code).ok_or_else(not_compiled)?;
            created.line_of_creation_end(&steps()?)
        }
    };
    line.map_err(|why| StoreError::Unsupported(why.into()))
}
