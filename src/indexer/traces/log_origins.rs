//! Origins of logs: the call that emitted each, found in nested calls with logs.

use crate::rpc::wire::call::RpcCall;
use crate::store::LogOrigin;

/// Returns the origins of the logs of calls that did not fail, in the order of emission. The calls are
/// in the order of execution. Returns `None` if a log has no position.
pub(in crate::indexer) fn log_origins(calls: &[RpcCall]) -> Option<Vec<LogOrigin>> {
    let mut origins = Vec::new();
    let mut failed: Option<&[u32]> = None;
    for call in calls {
        if failed.is_some_and(|above| call.trace_address.starts_with(above)) {
            continue;
        }
        if call.error.is_some() {
            failed = Some(&call.trace_address);
            continue;
        }
        for log in &call.logs {
            let trace_address = call.trace_address.clone();
            let call_position = log.position?;
            origins.push(LogOrigin { emitter: log.address, trace_address, call_position });
        }
    }
    origins.sort_by_cached_key(LogOrigin::emission_time);
    Some(origins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::wire::call::RpcCalls;

    #[test]
    fn origins_are_in_the_order_of_emission_without_those_of_failed_calls() {
        let log = |to: u64, position: &str| {
            format!(
                r#"{{"address":"0x{to:040x}","topics":[],"data":"0x","position":"{position}"}}"#
            )
        };
        let calls = format!(
            r#"{{"type":"CALL","logs":[{},{}],"calls":[
                {{"type":"CALL","logs":[{}]}},
                {{"type":"CALL","error":"execution reverted","logs":[{}],"calls":[
                    {{"type":"CALL","logs":[{}]}}]}},
                {{"type":"DELEGATECALL","calls":[{{"type":"CALL","logs":[{}]}}],"logs":[{}]}}]}}"#,
            log(1, "0x0"),
            log(1, "0x3"),
            log(2, "0x0"),
            log(9, "0x0"),
            log(9, "0x0"),
            log(4, "0x0"),
            log(1, "0x0"),
        );
        let calls: RpcCalls = serde_json::from_str(&calls).unwrap();
        let origins = log_origins(&calls.0).unwrap();
        let shown: Vec<_> = origins
            .iter()
            .map(|origin| (origin.emitter[19], origin.trace_address.clone(), origin.call_position))
            .collect();
        assert_eq!(
            shown,
            [(1, vec![], 0), (2, vec![0], 0), (1, vec![2], 0), (4, vec![2, 0], 0), (1, vec![], 3)]
        );
    }
}
