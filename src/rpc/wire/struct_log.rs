//! Struct logs: the steps of the EVM, which nodes without a tracer report for a transaction.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::wire_object;
use crate::chain::Bytes;

wire_object! {
    pub struct RpcStructLogs<'a> {
        /// Each an [`RpcStep`].
        #[serde(borrow)]
        pub struct_logs: Vec<&'a RawValue>,
    } or unknown {
        /// `true` if the outermost call failed.
        pub failed: bool,
        /// Output of the outermost call.
        pub return_value: Bytes,
    }
}

wire_object! {
    /// An instruction, and the state before it ran.
    pub struct RpcStep<'a> {
        #[serde(borrow)]
        pub op: Cow<'a, str>,
        /// Words as hex, the top at the end.
        #[serde(borrow, default)]
        pub stack: Option<&'a RawValue>,
        /// Words as hex.
        #[serde(borrow, default)]
        pub memory: Option<&'a RawValue>,
    } or unknown {
        pub depth: u64,
        pub gas: u64,
        /// Negative numbers, as ganache has them, are unknown.
        pub gas_cost: u64,
    }
}

wire_object! {
    pub struct RpcBareSteps {
        #[serde(rename = "structLogs")]
        pub steps: Vec<RpcBareStep>,
    } or unknown {
        /// Output of the outermost call.
        pub return_value: Bytes,
    }
}

wire_object! {
    /// An instruction without stack and memory.
    pub struct RpcBareStep {
        pub op: StepKind,
    } or unknown {
        /// The position in the code.
        pub pc: u64,
        pub depth: u64,
        pub gas: u64,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum StepKind {
    /// It ends code without failure.
    #[serde(rename = "STOP", alias = "RETURN", alias = "SELFDESTRUCT", alias = "SUICIDE")]
    End,
    #[serde(rename = "LOG0", alias = "LOG1", alias = "LOG2", alias = "LOG3", alias = "LOG4")]
    Log,
    #[serde(other)]
    Other,
}
