//! Calls whose effects were undone with a call around them.

use std::collections::HashSet;

use crate::rpc::wire::call::RpcCall;

/// The paths of the failed calls of a transaction.
pub(super) struct FailedCalls<'a>(HashSet<&'a [u32]>);

impl<'a> FailedCalls<'a> {
    pub(super) fn new(calls: &'a [RpcCall]) -> Self {
        let failed = calls.iter().filter(|call| call.error.is_some());
        Self(failed.map(|call| &*call.trace_address).collect())
    }

    /// Returns `true` if a call is inside a failed one.
    pub(super) fn contain(&self, call: &RpcCall) -> bool {
        let path = &call.trace_address;
        !self.0.is_empty() && (0..path.len()).any(|depth| self.0.contains(&path[..depth]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::wire::call::RpcCalls;

    #[test]
    fn calls_in_failed_ones_are_undone_at_any_depth() {
        let calls = r#"{"type":"CALL","calls":[
            {"type":"CALL","error":"x","calls":[{"type":"CALL","calls":[{"type":"CALL"}]}]},
            {"type":"CALL"}]}"#;
        let RpcCalls(calls) = serde_json::from_str(calls).unwrap();
        let failed = FailedCalls::new(&calls);
        let undone: Vec<bool> = calls.iter().map(|call| failed.contain(call)).collect();
        assert_eq!(undone, [false, false, true, true, false]);
    }
}
