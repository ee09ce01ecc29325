//! The source line of a failed call, which the embedded server finds for the contracts of a project.

use super::contract::SourceCode;
use super::json_fields::{Field, json_object};
use super::reply::ReplyData;
use crate::chain::{Address, TxHash};
use crate::sanitize::SafeText;

/// Identification of a failed call in its transaction, and the contract whose code it ran.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FailureQuery {
    pub transaction: TxHash,
    /// `None` for the creation that the transaction is.
    pub contract: Option<Address>,
    pub depth: u64,
    pub gas: Option<u64>,
}

impl FailureQuery {
    /// Returns the parameters of the request.
    #[expect(clippy::disallowed_types, reason = "not shown, but sent to the server")]
    pub(super) fn params(&self) -> Vec<(&'static str, String)> {
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
