//! Finds the steps of a failed call among the steps of its transaction.

use crate::messages::chain_data::StepsError;
use crate::rpc::wire::struct_log::{RpcBareSteps, StepKind};
use crate::store::FailedCall;

/// A call and its own steps.
struct CallSteps {
    /// Their positions in the code.
    positions: Vec<usize>,
    has_failed: bool,
}

/// Returns the positions in the code of the steps of a call. Its depth and the gas that it began with
/// identify it, unless several calls are given the same fixed amount: these must all have the same
/// steps.
pub(in crate::indexer) fn failed_steps(
    run: &RpcBareSteps,
    call: &FailedCall,
) -> Result<Vec<usize>, StepsError> {
    if run.steps.is_empty() {
        return Err(StepsError::NoSteps);
    }
    let mut calls = Vec::<CallSteps>::new();
    let mut outermost = None;
    let (mut last_depth, mut is_inside) = (None, false);
    for step in &run.steps {
        let own_depth = step.depth.ok_or(StepsError::NoDepth)?;
        let depth = own_depth.saturating_sub(*outermost.get_or_insert(own_depth));
        if last_depth.is_none_or(|last| last < depth) && depth == call.depth {
            is_inside = call.depth == 0 || step.gas == call.gas;
            if is_inside {
                calls.push(CallSteps { positions: Vec::new(), has_failed: false });
            }
        }
        is_inside &= depth >= call.depth;
        last_depth = Some(depth);
        if let Some(steps) = calls.last_mut().filter(|_| is_inside && depth == call.depth) {
            let position = step.pc.ok_or(StepsError::NoPosition)?;
            steps.positions.push(usize::try_from(position).unwrap_or(usize::MAX));
            steps.has_failed = step.op != StepKind::End;
        }
    }
    calls.retain(|call| call.has_failed);
    let found = calls.pop().ok_or(StepsError::NoSuchCall)?;
    let is_certain = calls.iter().all(|other| other.positions == found.positions);
    is_certain.then_some(found.positions).ok_or(StepsError::Ambiguous)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Steps as `(position, operation, depth, gas)`.
    fn find(
        steps: &[(u64, &str, u64, u64)],
        depth: u64,
        gas: u64,
    ) -> Result<Vec<usize>, StepsError> {
        let steps = steps.iter().map(|(pc, op, depth, gas)| {
            json!({ "pc": pc, "op": op, "depth": depth, "gas": gas, "gasCost": -1 })
        });
        let run = json!({ "structLogs": steps.collect::<Vec<_>>() });
        let run = serde_json::from_value(run).unwrap();
        failed_steps(&run, &FailedCall { depth, gas: Some(gas) })
    }

    #[test]
    fn steps_are_those_of_the_call_alone() {
        let mut steps = vec![
            (0, "PUSH1", 1, 90),
            (2, "CALL", 1, 80),
            (0, "PUSH1", 2, 50),
            (5, "CALL", 2, 45),
            (7, "STOP", 3, 50),
            (6, "REVERT", 2, 40),
            (3, "CALL", 1, 30),
            (0, "RETURN", 2, 20),
            (4, "INVALID", 1, 10),
        ];
        assert_eq!(find(&steps, 1, 50), Ok(vec![0, 5, 6]));
        assert_eq!(find(&steps, 0, 1), Ok(vec![0, 2, 3, 4]), "whatever gas it had");
        for (depth, gas) in [(1, 20), (2, 50), (1, 45), (3, 50)] {
            assert_eq!(find(&steps, depth, gas), Err(StepsError::NoSuchCall));
        }
        steps.extend([
            (8, "PUSH1", 1, 9),
            (0, "PUSH1", 2, 50),
            (5, "CALL", 2, 45),
            (6, "REVERT", 2, 40),
        ]);
        assert_eq!(find(&steps, 1, 50), Ok(vec![0, 5, 6]));
        steps.extend([(9, "PUSH1", 1, 9), (0, "REVERT", 2, 50)]);
        assert_eq!(find(&steps, 1, 50), Err(StepsError::Ambiguous));
        assert_eq!(find(&[], 0, 0), Err(StepsError::NoSteps));
    }
}
