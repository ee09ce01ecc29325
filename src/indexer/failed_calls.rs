//! Calls whose effects were undone with a call around them.

use crate::rpc::wire::call::RpcCall;

/// The paths of the outermost failed calls of a transaction, sorted.
pub(super) struct FailedCalls<'a>(Vec<&'a [u32]>);

impl<'a> FailedCalls<'a> {
    pub(super) fn new(calls: &'a [RpcCall]) -> Self {
        let failed = calls.iter().filter(|call| call.error.is_some());
        let mut paths: Vec<&[u32]> = failed.map(|call| &*call.trace_address).collect();
        paths.sort_unstable();
        // Those inside a failed call follow it.
        paths.dedup_by(|path, outer| path.starts_with(outer));
        Self(paths)
    }

    /// Returns `true` if a call is inside a failed one.
    pub(super) fn contain(&self, call: &RpcCall) -> bool {
        let path = &*call.trace_address;
        // Nothing stands between a call and the calls inside it.
        let before = self.0.partition_point(|failed| *failed < path);
        let nearest = before.checked_sub(1).and_then(|at| self.0.get(at));
        nearest.is_some_and(|failed| path.starts_with(failed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::wire::call::RpcCalls;

    #[test]
    fn calls_in_failed_ones_are_undone_at_any_depth() {
        let calls = r#"{"type":"CALL","calls":[
            {"type":"CALL","error":"x","calls":[
                {"type":"CALL","calls":[{"type":"CALL"}]},
                {"type":"CALL","error":"x"},
                {"type":"CALL"}]},
            {"type":"CALL"},
            {"type":"CALL","error":"x"}]}"#;
        let RpcCalls(calls) = serde_json::from_str(calls).unwrap();
        let failed = FailedCalls::new(&calls);
        let undone: Vec<bool> = calls.iter().map(|call| failed.contain(call)).collect();
        assert_eq!(undone, [false, false, true, true, true, true, false, false]);
    }
}
