//! Problems of ABIs, signatures and values, and the sources of signatures.

use crate::chain::{Address, U256};
use crate::sanitize::SafeText;

super::sentences! {
    NOT_A_NUMBER = "not a number";
    NOT_AN_ADDRESS = "not an address";
    LOOKUP_NOT_JSON = "cannot read the answer: not JSON";
    LOOKUP_NO_RESULT = "cannot read the answer: no result in it";
}

/// Meanings of the codes of `Panic(uint256)`.
pub const PANICS: [(u64, &str); 10] = [
    (0x00, "generic compiler check"),
    (0x01, "assertion failed"),
    (0x11, "arithmetic overflow or underflow"),
    (0x12, "division or modulo by zero"),
    (0x21, "invalid enum value"),
    (0x22, "invalid byte array in storage"),
    (0x31, "pop() on an empty array"),
    (0x32, "index out of bounds"),
    (0x41, "too much memory allocated"),
    (0x51, "call of an uninitialized function variable"),
];

/// An ABI, or an entry of one, that is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AbiError {
    #[error("file is larger than 16 MB")]
    LargeFile,
    #[error("the ABI takes 16 MB; the rest is skipped")]
    LargeAbi,
    #[error("skipped: the ABIs take 64 MB")]
    MemoryLimit,
    #[error("an entry is larger than 256 kB")]
    LargeEntry,
    #[error("not an ABI: {0}")]
    Invalid(SafeText),
    #[error("no `abi` field")]
    NoAbi,
    #[error("{name}: {why}")]
    Entry { name: SafeText, why: SignatureError },
    #[error(transparent)]
    Signature(#[from] SignatureError),
}

/// A text that is not a storage slot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SlotError {
    #[error("neither a slot nor a known variable: {0}")]
    Invalid(SafeText),
    #[error("no mapping or array, or another one in it")]
    NoMapping,
    #[error("the array has {length} elements")]
    NoElement { length: U256 },
    #[error("a bracket is not closed")]
    OpenBracket,
    #[error("not an address, a number, 32 bytes or \"text\": {0}")]
    Key(SafeText),
    #[error("not of type {ty}: {text}")]
    KeyType { ty: SafeText, text: SafeText },
}

/// A folder of JSON files that is read in part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonFolderError {
    #[error("more than 256 MB or 10 s of ABIs; the rest is skipped")]
    TooLarge,
    #[error("more than 10,000 files; the rest is skipped")]
    TooManyFiles,
}

/// A signature that cannot be parsed or used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("signature too long")]
    TooLong,
    #[error("names too long")]
    LongNames,
    #[error("types nested too deep")]
    TooDeep,
    #[error("types too large")]
    TooLarge,
    #[error("tuple without fields")]
    EmptyTuple,
    #[error("invalid array length `{0}`")]
    ArrayLength(SafeText),
    #[error("unknown type `{0}`")]
    UnknownType(SafeText),
    #[error("expected {0} at the end")]
    EndsEarly(SignaturePart),
    #[error("expected {expected}, found `{found}`")]
    Unexpected { expected: SignaturePart, found: SafeText },
}

/// A part of a signature that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum SignaturePart {
    #[strum(to_string = "a name, as in transfer(address to, uint256 amount)")]
    Name,
    #[strum(to_string = "a type")]
    Type,
    #[strum(to_string = "the end")]
    End,
    #[strum(to_string = "{0}")]
    Token(&'static str),
}

/// A text that is not a value of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    #[error("enter {} {ty}", article(ty))]
    Empty { ty: SafeText },
    #[error("not of type {ty}: {text}")]
    Invalid { ty: SafeText, text: SafeText },
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'i']) { "an" } else { "a" }
}

/// Source of a signature, from the user's own ABI to a signature database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignatureSource {
    /// The user's ABI of this address.
    Address(Address),
    /// The user's ABI of contracts with this name.
    Contract(SafeText),
    /// The project's ABI of contracts with this name.
    Compiled(SafeText),
    User,
    /// The explorer's ABI of this contract, or of its implementation.
    Explorer(SafeText),
    /// The user's ABI of another contract, matched by selector.
    OtherAbi(SafeText),
    /// The project's ABI of another contract, matched by selector.
    OtherCompiled(SafeText),
    /// The built-in table under this heading, matched by selector.
    BuiltIn(&'static str),
    /// A signature database, matched by the hash alone.
    Database,
}

impl SignatureSource {
    pub fn is_selector_only(&self) -> bool {
        self.is_of_other_contract() || matches!(self, Self::BuiltIn(_) | Self::Database)
    }

    pub fn is_of_other_contract(&self) -> bool {
        matches!(self, Self::OtherAbi(_) | Self::OtherCompiled(_))
    }

    pub fn describe(&self) -> SafeText {
        let description = match self {
            Self::Address(address) => format!("your ABI of {}", address.to_checksum(None)),
            Self::Contract(name) => format!("your ABI of {name}"),
            Self::Compiled(name) => format!("the project's ABI of {name}"),
            Self::User => "the signature you typed".to_owned(),
            Self::Explorer(name) => format!("the explorer's ABI of {name}"),
            Self::OtherAbi(name) => format!("by its selector, the ABI of {name}"),
            Self::OtherCompiled(name) => format!("by its selector, the project's ABI of {name}"),
            Self::Database => "the signature database".to_owned(),
            Self::BuiltIn(group) => format!("by its selector, {group}"),
        };
        SafeText::new(&description)
    }
}
