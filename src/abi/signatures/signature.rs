//! Signatures of functions, custom errors and events, and their selectors.

use std::sync::Arc;

use alloy_primitives::keccak256;

use crate::abi::selector::Selector;
use crate::abi::sol_type::{
    AbiParameter, MAX_TYPE_DEPTH, MAX_TYPE_VALUES, SolType, heap_bytes, total_value_count,
    write_named,
};
use crate::messages::abi::{SignatureError, SignatureSource};
use crate::safety::name_marks::guard_identifier;
use crate::sanitize::SafeText;

/// Bytes of an index entry, without its names and types.
const INDEX_ENTRY_BYTES: usize = 512;

/// A name for display, and for hashing: an ABI can have any text for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::abi) struct AbiName {
    /// The name, quoted and cut if it is not an identifier.
    pub(in crate::abi) shown: SafeText,
    /// The name if it is not an identifier.
    raw: Option<Box<str>>,
}

impl AbiName {
    pub(in crate::abi) fn new(name: &str) -> Self {
        let shown = guard_identifier(name);
        let raw = (*shown != *name).then(|| name.into());
        Self { shown, raw }
    }

    /// Returns the name used for selectors and topics.
    pub(in crate::abi) fn hashed(&self) -> &str {
        self.raw.as_deref().unwrap_or(&self.shown)
    }

    fn heap_bytes(&self) -> usize {
        self.shown.len() + self.raw.as_ref().map_or(0, |name| name.len())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::abi) enum SignatureKind {
    Function,
    Error,
    Event,
    /// A function or an error: the text has no keyword.
    Any,
}

impl SignatureKind {
    /// Returns the word before the name in a declaration.
    pub(super) fn keyword(self) -> &'static str {
        match self {
            Self::Function => "function ",
            Self::Error => "error ",
            Self::Event => "event ",
            Self::Any => "",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::abi) struct Signature {
    pub(in crate::abi) kind: SignatureKind,
    pub(in crate::abi) name: AbiName,
    pub(in crate::abi) inputs: Arc<[AbiParameter]>,
    pub(in crate::abi) outputs: Option<Arc<[AbiParameter]>>,
}

impl Signature {
    /// Creates a signature, unless its types are too large to decode.
    pub(super) fn new(
        kind: SignatureKind,
        name: &str,
        inputs: Vec<AbiParameter>,
        outputs: Option<Vec<AbiParameter>>,
    ) -> Result<Self, SignatureError> {
        let mut all = inputs.iter().chain(outputs.iter().flatten());
        if all.any(|parameter| parameter.ty.depth() > MAX_TYPE_DEPTH) {
            return Err(SignatureError::TooDeep);
        }
        let output_count = total_value_count(outputs.as_deref().unwrap_or_default());
        if total_value_count(&inputs) > MAX_TYPE_VALUES || output_count > MAX_TYPE_VALUES {
            return Err(SignatureError::TooLarge);
        }
        let name = AbiName::new(name);
        Ok(Self { kind, name, inputs: inputs.into(), outputs: outputs.map(Into::into) })
    }

    /// Returns the canonical form, which is hashed: `transfer(address,uint256)`.
    pub(in crate::abi) fn canonical(&self) -> String {
        format!("{}{}", self.name.hashed(), SolType::Tuple(self.inputs.clone()))
    }

    /// Returns the form with parameter names: `transfer(address to, uint256 amount)`.
    pub(in crate::abi) fn declaration(&self) -> SafeText {
        let mut out = self.name.shown.to_string();
        write_named(&self.inputs, &mut out);
        SafeText::new(&out)
    }

    /// Returns the declaration with its keyword and outputs:
    /// `function balanceOf(address owner) returns (uint256)`.
    pub(super) fn full_declaration(&self) -> String {
        let mut text = format!("{}{}", self.kind.keyword(), self.declaration());
        if let Some(outputs) = &self.outputs {
            text.push_str(" returns ");
            write_named(outputs, &mut text);
        }
        text
    }

    pub(super) fn has_dynamic_input(&self) -> bool {
        self.inputs.iter().any(|parameter| parameter.ty.is_dynamic())
    }

    /// Returns the approximate memory of the signature in an index, in bytes.
    pub(super) fn kept_bytes(&self) -> usize {
        let outputs = self.outputs.as_deref().unwrap_or_default();
        INDEX_ENTRY_BYTES + self.name.heap_bytes() + heap_bytes(&self.inputs) + heap_bytes(outputs)
    }

    pub(in crate::abi) fn selector(&self) -> Selector {
        let hash = keccak256(self.canonical());
        [hash[0], hash[1], hash[2], hash[3]]
    }
}

type SourceOfName = fn(SafeText) -> SignatureSource;

/// Sources of signatures of a contract: in the user's ABIs, and in the project's.
pub(super) const CONTRACT_SOURCES: [SourceOfName; 2] =
    [SignatureSource::Contract, SignatureSource::Compiled];
/// Sources of signatures of other contracts: in the user's ABIs, and in the project's.
pub(super) const OTHER_SOURCES: [SourceOfName; 2] =
    [SignatureSource::OtherAbi, SignatureSource::OtherCompiled];

/// A signature that may fit, with its source.
pub(in crate::abi) struct Candidate {
    pub(in crate::abi) signature: Arc<Signature>,
    pub(in crate::abi) source: SignatureSource,
}
