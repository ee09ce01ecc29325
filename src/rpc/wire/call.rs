//! Calls: the flat entries of `trace_block` and flatCallTracer, and the nested ones of callTracer.

use serde::Deserialize;
use serde::de::Error;
use serde_json::value::RawValue;

use super::{FromWire, wire_object};
use crate::chain::call_kind::CallKind;
use crate::chain::{Address, B256, Bytes, U256};
use crate::messages::node::ResponseDefect;
use crate::sanitize::SafeText;

/// Maximum bytes that are read of nested calls, each level again with those inside: a response of
/// 64 MB whose calls are 64 deep.
const MAX_NESTED_BYTES: u64 = 4 << 30;

/// A call, creation or destruction, in the order of execution.
#[derive(Debug, Clone, Default)]
pub struct RpcCall {
    pub kind: CallKind,
    /// The caller, or the contract that selfdestructs.
    pub from: Option<Address>,
    /// The callee, the created contract, or the beneficiary of a selfdestruct or reward. Unknown
    /// for a creation that failed.
    pub to: Option<Address>,
    pub value: Option<U256>,
    pub gas: Option<u64>,
    pub gas_used: Option<u64>,
    /// The calldata or the creation code.
    pub input: Option<Bytes>,
    /// Returned data, deployed code or revert data.
    pub output: Option<Bytes>,
    /// Reason of the failure.
    pub error: Option<SafeText>,
    /// The index of each call in its parent, from the outermost one, which has none.
    pub trace_address: Vec<u32>,
    /// Known for flat entries.
    pub transaction_hash: Option<B256>,
    pub transaction_position: Option<u64>,
    /// Logs of callTracer with `withLog`.
    pub logs: Vec<RpcCallLog>,
}

impl RpcCall {
    /// Returns `true` if its sender and its kind are known, so that a list can have it. Rewards are no calls.
    pub fn is_listable(&self) -> bool {
        self.kind == CallKind::Reward || (self.kind != CallKind::Other && self.from.is_some())
    }

    /// Returns `true` if it may be the outermost call of a transaction. zkSync's has no sender.
    pub fn may_be_root_of(
        &self,
        transaction: B256,
        [from, to]: [Option<Address>; 2],
        value: Option<U256>,
    ) -> bool {
        let is_other = |own: Option<Address>, sent: Option<Address>| {
            own.zip(sent).is_some_and(|(own, sent)| own != sent)
        };
        let is_system = |sender: Option<Address>| sender.is_some_and(|sender| sender.is_zero());
        let is_other_kind = self.kind != CallKind::Other && self.kind.creates() != to.is_none();
        let is_other_hash = self.transaction_hash.is_some_and(|hash| hash != transaction);
        let is_other_value = self.value.zip(value).is_some_and(|(own, sent)| own != sent);
        let differs =
            is_other(self.from, from) || is_other(self.to, to) || is_other_kind || is_other_value;
        !is_other_hash && (!differs || is_system(self.from) || is_system(from))
    }

    /// Returns `true` if it failed by a `REVERT`.
    pub fn has_reverted(&self) -> bool {
        self.error.as_ref().is_some_and(|error| error.to_lowercase().contains("revert"))
    }
}

wire_object! {
    /// A log with its place between the calls of its call.
    pub struct RpcCallLog {
        pub address: Address,
        pub topics: Vec<B256>,
        pub data: Bytes,
    } or unknown {
        /// The number of calls before it.
        pub position: u64,
        /// Its index in the transaction.
        pub index: u64,
    }
}

/// The calls of a trace. Decoding fails for anything else that a node sends for a trace, such as
/// `{}`, struct logs or `null`.
#[derive(Debug, Clone)]
pub struct RpcCalls(pub Vec<RpcCall>);

impl<'de> Deserialize<'de> for RpcCalls {
    fn deserialize<D: serde::Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(json)?;
        let parsed = match json.get().as_bytes() {
            [b'[', ..] => flat_calls(json),
            _ => nested_calls(json, MAX_NESTED_BYTES),
        };
        let mut calls = parsed.map_err(D::Error::custom)?;
        // Some nodes name the contract that would have been.
        let failed = calls.iter_mut().filter(|call| call.kind.creates() && call.error.is_some());
        failed.for_each(|call| call.to = None);
        Ok(Self(calls))
    }
}

/// The outermost call of a trace, if it has any, without those inside.
#[derive(Debug)]
pub struct RpcRootCall(pub Option<RpcCall>);

impl<'de> Deserialize<'de> for RpcRootCall {
    fn deserialize<D: serde::Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(json)?.get();
        let root = match json.strip_prefix('[') {
            Some("]") => Ok(None),
            Some(entries) => {
                let mut entries = serde_json::Deserializer::from_str(entries).into_iter();
                let first = entries.next().transpose();
                first.map(|first: Option<FlatEntry>| first.map(RpcCall::from))
            }
            None => serde_json::from_str(json)
                .map(|root: NestedCall<'_>| Some(root.into_call(Vec::new()))),
        };
        root.map(Self).map_err(D::Error::custom)
    }
}

wire_object! {
    struct FlatEntry {
        action: FlatAction,
        #[serde(default)]
        result: Option<FlatResult>,
        trace_address: Vec<u32>,
    } or unknown {
        #[serde(rename = "type")]
        kind: SafeText,
        error: SafeText,
        /// Besu's revert data.
        revert_reason: Bytes,
        transaction_hash: B256,
        transaction_position: u64,
    }
}

wire_object! {
    struct FlatAction {
    } or unknown {
        from: Address,
        to: Address,
        value: U256,
        gas: u64,
        input: Bytes,
        init: Bytes,
        call_type: SafeText,
        creation_method: SafeText,
        /// The contract that selfdestructs.
        address: Address,
        refund_address: Address,
        balance: U256,
        author: Address,
    }
}

wire_object! {
    #[derive(Default)]
    struct FlatResult {
    } or unknown {
        gas_used: u64,
        output: Bytes,
        address: Address,
        code: Bytes,
    }
}

fn flat_calls(json: &RawValue) -> serde_json::Result<Vec<RpcCall>> {
    let entries: Vec<FlatEntry> = serde_json::from_str(json.get())?;
    Ok(entries.into_iter().map(RpcCall::from).collect())
}

impl From<FlatEntry> for RpcCall {
    fn from(entry: FlatEntry) -> Self {
        let FlatEntry { action, result, kind, error, revert_reason, .. } = entry;
        let result = result.unwrap_or_default();
        let name = match kind.as_deref() {
            Some("call") => action.call_type.or(kind),
            Some("create") => action.creation_method.or(kind),
            _ => kind,
        };
        Self {
            kind: CallKind::from_name(name.unwrap_or_default().as_bytes()),
            from: action.from.or(action.address),
            to: result.address.or(action.to).or(action.refund_address).or(action.author),
            value: action.value.or(action.balance),
            gas: action.gas,
            gas_used: result.gas_used,
            input: action.input.or(action.init),
            output: result.output.or(result.code).or(revert_reason),
            error,
            trace_address: entry.trace_address,
            transaction_hash: entry.transaction_hash,
            transaction_position: entry.transaction_position,
            logs: Vec::new(),
        }
    }
}

wire_object! {
    struct NestedCall<'a> {
        #[serde(rename = "type")]
        kind: SafeText,
        #[serde(borrow, default)]
        calls: Option<Vec<&'a RawValue>>,
        #[serde(default)]
        logs: Option<Vec<RpcCallLog>>,
    } or unknown {
        from: Address,
        to: Address,
        value: U256,
        gas: u64,
        gas_used: u64,
        input: Bytes,
        output: Bytes,
        error: SafeText,
        revert_reason: SafeText,
    }
}

/// Reads nested calls, without recursion: the EVM allows a depth of 1,024.
fn nested_calls(root: &RawValue, max_bytes: u64) -> serde_json::Result<Vec<RpcCall>> {
    let mut calls = Vec::new();
    let mut unread = vec![(root, Vec::new())];
    let mut bytes = 0;
    while let Some((json, path)) = unread.pop() {
        bytes += json.get().len() as u64;
        if bytes > max_bytes {
            return Err(serde_json::Error::custom(ResponseDefect::DeepCalls));
        }
        let mut call: NestedCall<'_> = serde_json::from_str(json.get())?;
        let children = call.calls.take().unwrap_or_default();
        for (index, child) in (0_u32..).zip(&children).collect::<Vec<_>>().into_iter().rev() {
            unread.push((child, [&path[..], &[index]].concat()));
        }
        calls.push(call.into_call(path));
    }
    Ok(calls)
}

impl NestedCall<'_> {
    fn into_call(self, trace_address: Vec<u32>) -> RpcCall {
        let data = match &self.revert_reason {
            // Besu has a text, or data that are none.
            Some(reason) => reason.starts_with("0x").then(|| Bytes::from_text(reason)).flatten(),
            None => Some(Bytes::new()), // Geth leaves out an empty output
        };
        let call = RpcCall {
            kind: CallKind::from_name(self.kind.as_bytes()),
            from: self.from,
            to: self.to,
            value: self.value,
            gas: self.gas,
            gas_used: self.gas_used,
            input: self.input,
            output: self.output,
            error: self.error.or(self.revert_reason),
            trace_address,
            logs: self.logs.unwrap_or_default(),
            ..RpcCall::default()
        };
        let output = call.output.clone().or(data.filter(|_| call.has_reverted()));
        RpcCall { output, ..call }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revert_data_are_empty_only_if_the_tracer_says_so() {
        let output = |json: &str| {
            let RpcCalls(calls) = serde_json::from_str(json).unwrap();
            calls[0].output.as_ref().map(ToString::to_string)
        };
        let nested = |more: &str| {
            output(&format!(r#"{{"type":"CALL","error":"execution reverted"{more}}}"#))
        };
        assert_eq!(nested("").as_deref(), Some("0x"), "Geth");
        assert_eq!(nested(r#","revertReason":"no","output":"0x01""#).as_deref(), Some("0x01"));
        assert_eq!(nested(r#","revertReason":"cafe""#), None, "Besu, a text");
        assert_eq!(nested(r#","revertReason":"0x0102""#).as_deref(), Some("0x0102"));
        assert_eq!(output(r#"{"type":"CALL","error":"out of gas"}"#), None);
        let flat = |more: &str| {
            output(&format!(
                r#"[{{"type":"call","action":{{}},"traceAddress":[],"error":"Reverted"{more}}}]"#
            ))
        };
        assert_eq!(flat(""), None);
        assert_eq!(flat(r#","result":null"#), None);
        assert_eq!(flat(r#","result":{"output":"0x"}"#).as_deref(), Some("0x"));
        assert_eq!(flat(r#","revertReason":"0x0102""#).as_deref(), Some("0x0102"), "Besu");
    }

    #[test]
    fn calls_nest_deeper_than_the_stack_up_to_a_limit() {
        let depth = 1_100;
        let text = [r#"{"type":"CALL","calls":["#.repeat(depth), "]}".repeat(depth)].concat();
        let json: &RawValue = serde_json::from_str(&text).unwrap();
        let calls = nested_calls(json, MAX_NESTED_BYTES).unwrap();
        assert_eq!((calls.len(), calls[1_099].trace_address.len()), (1_100, 1_099));
        let error = nested_calls(json, 1 << 20).unwrap_err().to_string();
        assert_eq!(error, "the calls nest too deep");
    }
}
