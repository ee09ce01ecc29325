//! Finds the steps of a call that failed among those of its transaction.

use serde_json::value::RawValue;

use crate::rpc::wire::struct_log::{RpcStep, RpcStructLogs};
use crate::store::FailedCall;

/// How code ends that does not fail.
const SUCCESSES: [&str; 4] = ["RETURN", "STOP", "SELFDESTRUCT", "SUICIDE"];

/// A call whose steps are looked at.
struct CallSteps {
    /// The positions in the code of the call's own steps.
    positions: Vec<usize>,
    has_failed: bool,
}

/// Returns the positions in the code of the steps of a call. It is known by its depth and by the gas
/// that it began with, which are the same for no two calls but for those that are given a fixed
/// amount: these must all fail at the same place.
pub(super) fn failed_steps(
    struct_logs: &RawValue,
    call: &FailedCall,
) -> Result<Vec<usize>, String> {
    let logs: RpcStructLogs<'_> = serde_json::from_str(struct_logs.get())
        .map_err(|error| format!("cannot read the steps: {error}"))?;
    if logs.struct_logs.is_empty() {
        return Err("this node keeps no steps (anvil does with --steps-tracing)".into());
    }
    let mut calls = Vec::<CallSteps>::new();
    let mut outermost = None;
    let (mut last_depth, mut is_inside) = (None, false);
    for json in logs.struct_logs {
        let step: RpcStep<'_> = serde_json::from_str(json.get())
            .map_err(|error| format!("cannot read the steps: {error}"))?;
        let depth = step.depth.ok_or("the steps have no depth")?;
        let depth = depth.saturating_sub(*outermost.get_or_insert(depth));
        if last_depth.is_none_or(|last| last < depth) && depth == call.depth {
            is_inside = call.depth == 0 || step.gas == call.gas;
            if is_inside {
                calls.push(CallSteps { positions: Vec::new(), has_failed: false });
            }
        }
        is_inside &= depth >= call.depth;
        last_depth = Some(depth);
        if let Some(steps) = calls.last_mut().filter(|_| is_inside && depth == call.depth) {
            let position = step.pc.ok_or("the steps have no position in the code")?;
            steps.positions.push(usize::try_from(position).unwrap_or(usize::MAX));
            steps.has_failed = !SUCCESSES.contains(&&*step.op);
        }
    }
    calls.retain(|call| call.has_failed);
    let found = calls.pop().ok_or("the node's steps have no such call")?;
    let is_certain = calls.iter().all(|other| other.positions.last() == found.positions.last());
    is_certain.then_some(found.positions).ok_or_else(|| "several calls of its gas failed".into())
}
