//! Signatures of functions and custom errors, and their selectors.

use std::sync::Arc;

use alloy_primitives::keccak256;

use super::abi_name::AbiName;
use super::sol_type::{
    AbiParameter, MAX_TYPE_DEPTH, MAX_TYPE_VALUES, SolType, heap_bytes, total_value_count,
    write_named,
};
use crate::sanitize::SafeText;

/// Bytes of a signature or an event in an index, besides its names and types.
pub(super) const INDEX_ENTRY_BYTES: usize = 512;

/// The first four bytes of calldata or of revert data.
pub type Selector = [u8; 4];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignatureKind {
    Function,
    Error,
    /// A function or an error: the text has no keyword.
    Any,
}

#[derive(Debug, Clone)]
pub(super) struct Signature {
    pub(super) kind: SignatureKind,
    pub(super) name: AbiName,
    pub(super) inputs: Arc<[AbiParameter]>,
    pub(super) outputs: Option<Arc<[AbiParameter]>>,
}

impl Signature {
    /// Creates a signature, unless its types are too large to decode with.
    pub(super) fn new(
        kind: SignatureKind,
        name: &str,
        inputs: Vec<AbiParameter>,
        outputs: Option<Vec<AbiParameter>>,
    ) -> Result<Self, SafeText> {
        let mut all = inputs.iter().chain(outputs.iter().flatten());
        if all.any(|parameter| parameter.ty.depth() > MAX_TYPE_DEPTH) {
            return Err("types nested too deep".into());
        }
        let output_count = total_value_count(outputs.as_deref().unwrap_or_default());
        if total_value_count(&inputs) > MAX_TYPE_VALUES || output_count > MAX_TYPE_VALUES {
            return Err("types too large".into());
        }
        let name = AbiName::new(name);
        Ok(Self { kind, name, inputs: inputs.into(), outputs: outputs.map(Into::into) })
    }

    /// Returns the form that the selector is made from: `transfer(address,uint256)`.
    pub(super) fn canonical(&self) -> String {
        format!("{}{}", self.name.hashed(), SolType::Tuple(self.inputs.clone()))
    }

    /// Returns the form with the names of the parameters: `transfer(address to, uint256 amount)`.
    pub(super) fn declaration(&self) -> SafeText {
        let mut out = self.name.shown.to_string();
        write_named(&self.inputs, &mut out);
        SafeText::new(&out)
    }

    /// Returns about as many bytes as it takes in an index.
    pub(super) fn kept_bytes(&self) -> usize {
        let outputs = self.outputs.as_deref().unwrap_or_default();
        INDEX_ENTRY_BYTES + self.name.heap_bytes() + heap_bytes(&self.inputs) + heap_bytes(outputs)
    }

    pub(super) fn selector(&self) -> Selector {
        let hash = keccak256(self.canonical());
        [hash[0], hash[1], hash[2], hash[3]]
    }
}

/// Returns the special function that runs if there is no selector: `receive()` without calldata,
/// `fallback()` with less than four bytes.
pub fn special_function_name(input: &[u8]) -> Option<&'static str> {
    match input.len() {
        0 => Some("receive()"),
        1..=3 => Some("fallback()"),
        _ => None,
    }
}
