//! The logs of failed calls, which are in no receipt.

use crate::rpc::wire::call::RpcCall;
use crate::rpc::wire::struct_log::{RpcBareSteps, StepKind};
use crate::store::{LogOrigin, LogRecord, TransactionPosition, UndoneLog};

use crate::indexer::failed_calls::FailedCalls;

/// Returns `true` if a transaction with this number of logs in its receipt emitted no others. No steps are no run.
pub(in crate::indexer) fn has_reported_all_logs(run: &RpcBareSteps, reported: usize) -> bool {
    let emitted = run.steps.iter().filter(|step| step.op == StepKind::Log).count();
    !run.steps.is_empty() && emitted <= reported
}

/// Returns the logs of calls that failed, or that are inside failed ones, in the order of emission. The
/// calls have their logs, as [`replay`](super::call_replay::replay) finds them.
pub(in crate::indexer) fn undone_logs(
    TransactionPosition { block_number, index: transaction_index }: TransactionPosition,
    calls: &[RpcCall],
) -> Vec<UndoneLog> {
    let failed = FailedCalls::new(calls);
    let mut undone = Vec::new();
    for call in calls.iter().filter(|call| call.error.is_some() || failed.contain(call)) {
        for log in &call.logs {
            let Some(call_position) = log.position else { continue };
            let trace_address = call.trace_address.clone();
            undone.push(UndoneLog {
                record: LogRecord {
                    block_number,
                    transaction_index,
                    index: 0,
                    address: log.address,
                    topics: log.topics.as_slice().into(),
                    data: log.data.clone(),
                },
                origin: LogOrigin { emitter: log.address, trace_address, call_position },
            });
        }
    }
    undone.sort_by_cached_key(|log| log.origin.emission_time());
    undone
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::wire::call::RpcCalls;

    #[test]
    fn logs_of_failed_calls_and_of_calls_in_them_are_undone() {
        let log = |to: u64, position: u64| {
            format!(
                r#"{{"address":"0x{to:040x}","topics":[],"data":"0x","position":"{position:#x}"}}"#
            )
        };
        let calls = format!(
            r#"{{"type":"CALL","logs":[{}],"calls":[
                {{"type":"CALL","error":"reverted","logs":[{},{}],"calls":[
                    {{"type":"CALL","logs":[{}]}}]}},
                {{"type":"CALL","logs":[{}]}}]}}"#,
            log(1, 0),
            log(2, 0),
            log(3, 1),
            log(4, 0),
            log(5, 0),
        );
        let RpcCalls(calls) = serde_json::from_str(&calls).unwrap();
        let undone = undone_logs(TransactionPosition { block_number: 7, index: 2 }, &calls);
        let shown: Vec<_> =
            undone.iter().map(|log| (log.record.address[19], &*log.origin.trace_address)).collect();
        assert_eq!(shown, [(2, &[0][..]), (4, &[0, 0]), (3, &[0])]);
        assert_eq!(undone[0].record.transaction().index, 2);
    }

    #[test]
    fn steps_show_whether_there_are_other_logs() {
        let run = |steps: &str| -> RpcBareSteps {
            serde_json::from_str(&format!(r#"{{"structLogs":[{steps}]}}"#)).unwrap()
        };
        let two = run(r#"{"op":"PUSH1"},{"op":"LOG0"},{"op":"LOG4"},{"op":"REVERT"}"#);
        assert!(has_reported_all_logs(&two, 2));
        assert!(!has_reported_all_logs(&two, 1));
        assert!(!has_reported_all_logs(&run(""), 0), "no run");
    }
}
