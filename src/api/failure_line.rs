//! The source lines of failed calls, which the embedded server finds for the contracts of a project.

use super::address::AddressRef;
use super::contract::SourceCode;
use super::decoded_input::RevertReason;
use super::exchange::Params;
use super::json_fields::{Field, json_object};
use super::reply::ReplyData;
use crate::chain::{Address, TxHash};
use crate::sanitize::SafeText;

/// Identification of a failed call in its transaction, and the contract whose code it ran.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FailureQuery {
    pub transaction: TxHash,
    /// `None` for a creation.
    pub contract: Option<Address>,
    pub depth: u64,
    pub gas: Option<u64>,
}

impl FailureQuery {
    /// Returns the parameters of the request.
    pub(super) fn params(&self) -> Params {
        let contract = self.contract.map(|contract| ("contract", contract.to_string()));
        let gas = self.gas.map(|gas| ("gas", gas.to_string()));
        contract.into_iter().chain([("depth", self.depth.to_string())]).chain(gas).collect()
    }
}

json_object! {
    pub struct FailureLine {
        pub file_path: Field<SafeText>,
        pub line: Field<u64>,
        pub is_exact: Field<bool>,
        pub first_line: Field<u64>,
        /// The lines around it.
        pub source_code: Field<SourceCode>,
    }
}

impl ReplyData for FailureLine {}

json_object! {
    /// The calls that failed with a transaction.
    pub struct FailureStack {
        /// The outermost call first, the origin of the failure last.
        pub calls: Field<Vec<StackCall>>,
        /// The number of calls around these.
        pub left_out: Field<u64>,
        pub revert_reason: Field<RevertReason>,
        /// The usual cause of a failure without revert data.
        pub cause: Field<SafeText>,
        /// The first failures that the transaction survived.
        pub caught: Field<Vec<CaughtFailure>>,
        pub caught_left_out: Field<u64>,
    }
}

json_object! {
    /// A failure that a caller of the call caught.
    pub struct CaughtFailure {
        /// The outermost call first, the origin of the failure last.
        pub calls: Field<Vec<StackCall>>,
        pub left_out: Field<u64>,
        /// Place of the outermost call in the trace.
        pub trace_address: Field<Vec<u64>>,
        pub revert_reason: Field<RevertReason>,
        pub cause: Field<SafeText>,
        /// The node's word for the failure of the origin, unless that is a revert without a reason.
        pub error: Field<SafeText>,
    }
}

json_object! {
    /// A failed call, with the line of its source that it ended at.
    pub struct StackCall {
        pub contract: Field<AddressRef>,
        pub function: Field<SafeText>,
        pub file_path: Field<SafeText>,
        pub line: Field<u64>,
        pub is_exact: Field<bool>,
        pub first_line: Field<u64>,
        /// The lines around it.
        pub source_code: Field<SourceCode>,
        /// The function around the line, with the contract that defines it.
        pub definition: Field<SafeText>,
        /// Lines of the functions of the same contract that called it, the outermost first.
        pub callers: Field<Vec<CallerLine>>,
        /// Reason why the line is unknown.
        pub problem: Field<SafeText>,
    }
}

json_object! {
    /// The line of an internal call.
    pub struct CallerLine {
        pub file_path: Field<SafeText>,
        pub line: Field<u64>,
        pub definition: Field<SafeText>,
        pub first_line: Field<u64>,
        pub source_code: Field<SourceCode>,
    }
}

impl ReplyData for FailureStack {
    fn parties(&self) -> Vec<&AddressRef> {
        let caught = self.caught.value().into_iter().flatten();
        let stacks = [&self.calls].into_iter().chain(caught.map(|failure| &failure.calls));
        let calls = stacks.filter_map(Field::value).flatten();
        calls.filter_map(|call| call.contract.value()).collect()
    }
}
