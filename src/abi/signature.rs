//! A function or an error as Solidity writes it: its name, what goes in and what comes out.

use std::fmt::{self, Write};
use std::sync::Arc;

use alloy_dyn_abi::DynSolType;
use alloy_primitives::keccak256;

use crate::sanitize::SafeText;

/// Bytes of a signature; the longest in use have a few hundred.
pub(super) const MAX_SIGNATURE_BYTES: usize = 8_192;
/// Types inside types. No compiler makes this many, and a person could type any number.
const MAX_TYPE_DEPTH: usize = 8;
/// Values that a type holds when each of its arrays without a length has one.
const MAX_TYPE_VALUES: usize = 16_384;

/// What the first four bytes of calldata or of revert data say.
pub type Selector = [u8; 4];

/// What a signature may be of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignatureKind {
    /// A function.
    Function,
    /// A custom error.
    Error,
    /// The text does not say.
    Any,
}

/// A function or an error.
#[derive(Debug, Clone)]
pub(super) struct Signature {
    pub(super) kind: SignatureKind,
    pub(super) name: SafeText,
    pub(super) inputs: Arc<[AbiParameter]>,
    /// None if it was not said.
    pub(super) outputs: Option<Arc<[AbiParameter]>>,
}

/// A named value of a type: an argument, or a field of a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbiParameter {
    /// Its name, empty if it has none.
    pub name: SafeText,
    /// Its type.
    pub ty: SolType,
}

/// A Solidity type. As text it is what selectors are made from: `(address,uint256)[]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SolType {
    /// `bool`
    Bool,
    /// `uint256`, with its bits.
    Uint(usize),
    /// `int256`, with its bits.
    Int(usize),
    /// `bytes32`, with its bytes.
    FixedBytes(usize),
    /// `address`
    Address,
    /// `function`: an address and a selector.
    Function,
    /// `bytes`
    Bytes,
    /// `string`
    String,
    /// `T[]` or `T[3]`.
    Array(Arc<SolType>, Option<usize>),
    /// A struct.
    Tuple(Arc<[AbiParameter]>),
}

impl SolType {
    /// The elementary type of this name.
    fn parse_elementary(name: &str) -> Option<Self> {
        let digits = name.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let size = match digits {
            "" => None,
            _ if digits.starts_with('0') || digits.len() > 3 => return None,
            _ => Some(digits.parse::<usize>().ok()?),
        };
        let bits = |bits: &usize| (8..=256).contains(bits) && bits.is_multiple_of(8);
        match (&name[..name.len() - digits.len()], size) {
            ("bool", None) => Some(Self::Bool),
            ("address", None) => Some(Self::Address),
            ("function", None) => Some(Self::Function),
            ("bytes", None) => Some(Self::Bytes),
            ("string", None) => Some(Self::String),
            ("bytes", Some(bytes)) => (1..=32).contains(&bytes).then_some(Self::FixedBytes(bytes)),
            ("uint", size) => Some(size.unwrap_or(256)).filter(bits).map(Self::Uint),
            ("int", size) => Some(size.unwrap_or(256)).filter(bits).map(Self::Int),
            _ => None,
        }
    }

    /// Whether its encoding has a length of its own, and lies behind an offset.
    pub(super) fn is_dynamic(&self) -> bool {
        match self {
            Self::Bytes | Self::String | Self::Array(_, None) => true,
            Self::Array(of, Some(_)) => of.is_dynamic(),
            Self::Tuple(fields) => fields.iter().any(|field| field.ty.is_dynamic()),
            _ => false,
        }
    }

    /// Values in it when each array without a length has one.
    pub(super) fn value_count(&self) -> usize {
        match self {
            Self::Array(of, length) => length.unwrap_or(1).saturating_mul(of.value_count()),
            Self::Tuple(fields) => total_value_count(fields),
            _ => 1,
        }
    }

    /// Levels of types inside types.
    fn depth(&self) -> usize {
        match self {
            Self::Array(of, _) => 1 + of.depth(),
            Self::Tuple(fields) => {
                1 + fields.iter().map(|field| field.ty.depth()).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// The type for the decoder. A string is taken as bytes, which are encoded alike and keep
    /// what is not UTF-8.
    pub(super) fn dyn_type(&self) -> DynSolType {
        match self {
            Self::Bool => DynSolType::Bool,
            Self::Uint(bits) => DynSolType::Uint(*bits),
            Self::Int(bits) => DynSolType::Int(*bits),
            Self::FixedBytes(bytes) => DynSolType::FixedBytes(*bytes),
            Self::Address => DynSolType::Address,
            Self::Function => DynSolType::Function,
            Self::Bytes | Self::String => DynSolType::Bytes,
            Self::Array(of, None) => DynSolType::Array(Box::new(of.dyn_type())),
            Self::Array(of, Some(length)) => {
                DynSolType::FixedArray(Box::new(of.dyn_type()), *length)
            }
            Self::Tuple(fields) => dyn_type(fields),
        }
    }

    /// The type with the names of fields, for people.
    fn write_named(&self, out: &mut String) {
        match self {
            Self::Array(of, length) => {
                of.write_named(out);
                write_length(out, *length);
            }
            Self::Tuple(fields) => write_named(fields, out),
            _ => write_display(out, self),
        }
    }
}

impl fmt::Display for SolType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Uint(bits) => write!(f, "uint{bits}"),
            Self::Int(bits) => write!(f, "int{bits}"),
            Self::FixedBytes(bytes) => write!(f, "bytes{bytes}"),
            Self::Address => f.write_str("address"),
            Self::Function => f.write_str("function"),
            Self::Bytes => f.write_str("bytes"),
            Self::String => f.write_str("string"),
            Self::Array(of, None) => write!(f, "{of}[]"),
            Self::Array(of, Some(length)) => write!(f, "{of}[{length}]"),
            Self::Tuple(fields) => {
                f.write_str("(")?;
                for (n, field) in fields.iter().enumerate() {
                    let comma = if n == 0 { "" } else { "," };
                    write!(f, "{comma}{}", field.ty)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Writing to a String cannot fail.
fn write_display(out: &mut String, what: impl fmt::Display) {
    let _ = write!(out, "{what}");
}

fn write_length(out: &mut String, length: Option<usize>) {
    match length {
        Some(length) => write_display(out, format_args!("[{length}]")),
        None => out.push_str("[]"),
    }
}

fn write_named(parameters: &[AbiParameter], out: &mut String) {
    out.push('(');
    for (n, parameter) in parameters.iter().enumerate() {
        out.push_str(if n == 0 { "" } else { ", " });
        parameter.ty.write_named(out);
        if !parameter.name.is_empty() {
            write_display(out, format_args!(" {}", parameter.name));
        }
    }
    out.push(')');
}

fn total_value_count(parameters: &[AbiParameter]) -> usize {
    parameters.iter().fold(0, |sum, parameter| sum.saturating_add(parameter.ty.value_count()))
}

/// The type of parameters taken together, for the decoder.
pub(super) fn dyn_type(parameters: &[AbiParameter]) -> DynSolType {
    DynSolType::Tuple(parameters.iter().map(|parameter| parameter.ty.dyn_type()).collect())
}

impl Signature {
    /// Reads `function transfer(address to, uint256 amount) returns (bool)`. The words around and
    /// the names may be left out.
    pub(super) fn parse(text: &str) -> Result<Self, SafeText> {
        if text.len() > MAX_SIGNATURE_BYTES {
            return Err(SafeText::new("the signature is too long"));
        }
        let mut reader = SignatureParser { rest: text.trim() };
        let item = match () {
            () if reader.consume_keyword("function") => SignatureKind::Function,
            () if reader.consume_keyword("error") => SignatureKind::Error,
            () => SignatureKind::Any,
        };
        let name = reader.next_word();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(reader.unexpected("a name, as in transfer(address to, uint256 amount)"));
        }
        let inputs = reader.parse_parameters(0)?;
        reader.skip_words(SPECIFIERS);
        let returns = reader.consume_keyword("returns");
        let outputs = returns.then(|| reader.parse_parameters(0)).transpose()?;
        reader.consume(";");
        if !reader.rest.is_empty() {
            return Err(reader.unexpected("the end"));
        }
        Self::new(item, name, inputs, outputs)
    }

    /// A signature, if it is small enough to be decoded with.
    pub(super) fn new(
        item: SignatureKind,
        name: &str,
        inputs: Vec<AbiParameter>,
        outputs: Option<Vec<AbiParameter>>,
    ) -> Result<Self, SafeText> {
        let all = || inputs.iter().chain(outputs.iter().flatten());
        if all().any(|parameter| parameter.ty.depth() > MAX_TYPE_DEPTH) {
            return Err(SafeText::new("its types are nested too deep"));
        }
        if total_value_count(&inputs) > MAX_TYPE_VALUES
            || total_value_count(outputs.as_deref().unwrap_or_default()) > MAX_TYPE_VALUES
        {
            return Err(SafeText::new("its types are too large"));
        }
        let name = SafeText::new(name);
        Ok(Self { kind: item, name, inputs: inputs.into(), outputs: outputs.map(Into::into) })
    }

    /// What the selector is made from: `transfer(address,uint256)`.
    pub(super) fn canonical(&self) -> String {
        format!("{}{}", self.name, SolType::Tuple(self.inputs.clone()))
    }

    /// With the names of the parameters: `transfer(address to, uint256 amount)`.
    pub(super) fn declaration(&self) -> SafeText {
        let mut out = self.name.to_string();
        write_named(&self.inputs, &mut out);
        SafeText::new(&out)
    }

    /// The first four bytes of the hash of the canonical form.
    pub(super) fn selector(&self) -> Selector {
        let hash = keccak256(self.canonical());
        [hash[0], hash[1], hash[2], hash[3]]
    }
}

/// Words between the parameters and `returns` that change nothing about the encoding.
const SPECIFIERS: &[&str] = &[
    "external",
    "public",
    "internal",
    "private",
    "view",
    "pure",
    "payable",
    "nonpayable",
    "constant",
    "virtual",
    "override",
];

/// Words between a type and its name.
const DATA_LOCATIONS: &[&str] = &["memory", "calldata", "storage", "indexed"];

/// What is left to read of a signature.
struct SignatureParser<'a> {
    rest: &'a str,
}

impl<'a> SignatureParser<'a> {
    /// Takes `consume` if it is next.
    fn consume(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest.trim_start();
        true
    }

    /// The identifier that is next, empty if there is none.
    fn peek_word(&self) -> &'a str {
        let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        let end = self.rest.find(|c| !inside(c)).unwrap_or(self.rest.len());
        &self.rest[..end]
    }

    fn next_word(&mut self) -> &'a str {
        let word = self.peek_word();
        self.rest = self.rest[word.len()..].trim_start();
        word
    }

    /// Takes `next_word` if it is next, and not the name of a function: `error(uint256)`.
    fn consume_keyword(&mut self, word: &str) -> bool {
        let after = self.rest[self.peek_word().len()..].trim_start();
        let named = word != "returns" && after.starts_with('(');
        if self.peek_word() != word || named {
            return false;
        }
        self.rest = after;
        true
    }

    fn skip_words(&mut self, words: &[&str]) {
        while words.contains(&self.peek_word()) {
            self.next_word();
        }
    }

    fn parse_parameters(&mut self, depth: usize) -> Result<Vec<AbiParameter>, SafeText> {
        if !self.consume("(") {
            return Err(self.unexpected("("));
        }
        let mut parameters = Vec::new();
        if self.consume(")") {
            return Ok(parameters);
        }
        loop {
            parameters.push(self.parse_parameter(depth)?);
            if self.consume(")") {
                return Ok(parameters);
            }
            if !self.consume(",") {
                return Err(self.unexpected(", or )"));
            }
        }
    }

    fn parse_parameter(&mut self, depth: usize) -> Result<AbiParameter, SafeText> {
        let kind = self.parse_type(depth)?;
        self.skip_words(DATA_LOCATIONS);
        Ok(AbiParameter { name: SafeText::new(self.next_word()), ty: kind })
    }

    fn parse_type(&mut self, depth: usize) -> Result<SolType, SafeText> {
        if depth > MAX_TYPE_DEPTH {
            return Err(SafeText::new("its types are nested too deep"));
        }
        let word = self.peek_word();
        if self.rest.starts_with('(') || word == "tuple" {
            self.next_word();
            let fields = self.parse_parameters(depth + 1)?;
            return self.parse_array_suffixes(tuple_type(fields)?);
        }
        let Some(kind) = SolType::parse_elementary(word) else {
            return Err(self.unexpected("a type"));
        };
        self.next_word();
        if kind == SolType::Address && self.peek_word() == "payable" {
            self.next_word();
        }
        self.parse_array_suffixes(kind)
    }

    /// The `[]` and `[3]` after a type.
    fn parse_array_suffixes(&mut self, mut kind: SolType) -> Result<SolType, SafeText> {
        let mut depth = 0;
        while self.consume("[") {
            depth += 1;
            if depth > MAX_TYPE_DEPTH {
                return Err(SafeText::new("its types are nested too deep"));
            }
            let length = match self.next_word() {
                "" => None,
                digits => Some(parse_array_length(digits)?),
            };
            if !self.consume("]") {
                return Err(self.unexpected("]"));
            }
            kind = SolType::Array(Arc::new(kind), length);
        }
        Ok(kind)
    }

    fn unexpected(&self, what: &str) -> SafeText {
        let found: String = self.rest.chars().take(40).collect();
        match found.as_str() {
            "" => SafeText::new(&format!("{what} is missing at the end")),
            _ => SafeText::new(&format!("{what} is expected where it says `{found}`")),
        }
    }
}

/// A struct without fields, as an array of length 0, has no encoding: any number of them fits in
/// no bytes.
fn tuple_type(fields: Vec<AbiParameter>) -> Result<SolType, SafeText> {
    if fields.is_empty() {
        return Err(SafeText::new("a tuple without fields is no type"));
    }
    Ok(SolType::Tuple(fields.into()))
}

fn parse_array_length(digits: &str) -> Result<usize, SafeText> {
    match digits.parse() {
        Ok(0) => Err(SafeText::new("an array of length 0 is no type")),
        Ok(length) if length <= MAX_TYPE_VALUES => Ok(length),
        _ => Err(SafeText::new(&format!("`{digits}` is no length of an array"))),
    }
}

/// The type that an ABI file names, such as `tuple[2][]`, with the fields of its struct.
pub(super) fn parse_json_type(name: &str, fields: Vec<AbiParameter>) -> Result<SolType, SafeText> {
    let mut reader = SignatureParser { rest: name };
    let kind = match reader.next_word() {
        "tuple" => tuple_type(fields)?,
        word => SolType::parse_elementary(word)
            .ok_or_else(|| SafeText::new(&format!("`{word}` is no type of the ABI")))?,
    };
    let kind = reader.parse_array_suffixes(kind)?;
    match reader.rest {
        "" if kind.depth() <= MAX_TYPE_DEPTH => Ok(kind),
        "" => Err(SafeText::new("its types are nested too deep")),
        _ => Err(reader.unexpected("the end")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> String {
        match Signature::parse(text) {
            Ok(signature) => signature.declaration().to_string(),
            Err(why) => format!("! {why}"),
        }
    }

    #[test]
    fn a_signature_is_read_as_people_write_it() {
        for (text, named, canonical) in [
            ("f()", "f()", "f()"),
            ("transfer(address,uint)", "transfer(address, uint256)", "transfer(address,uint256)"),
            (
                " function transfer ( address  to , uint256 amount ) external returns (bool);",
                "transfer(address to, uint256 amount)",
                "transfer(address,uint256)",
            ),
            ("error Nope(bytes32)", "Nope(bytes32)", "Nope(bytes32)"),
            ("error(uint8 function)", "error(uint8 function)", "error(uint8)"),
            (
                "function split(address payable[] calldata to) public payable",
                "split(address[] to)",
                "split(address[])",
            ),
            (
                "aggregate((address target, bytes data)[2][] memory calls)",
                "aggregate((address target, bytes data)[2][] calls)",
                "aggregate((address,bytes)[2][])",
            ),
            ("f(tuple(int8,(bool a)) x)", "f((int8, (bool a)) x)", "f((int8,(bool)))"),
        ] {
            let signature = Signature::parse(text).unwrap();
            assert_eq!(&*signature.declaration(), named);
            assert_eq!(signature.canonical(), canonical);
        }
        let with = |text| Signature::parse(text).unwrap().outputs.map(|outputs| outputs.len());
        assert_eq!(with("f() returns (uint a, bool)"), Some(2));
        assert_eq!(with("f() view returns(bytes)"), Some(1));
        assert_eq!(with("f()"), None);
    }

    #[test]
    fn a_mistake_is_told() {
        for (text, why) in [
            ("", "! a name, as in transfer(address to, uint256 amount) is missing at the end"),
            ("f", "! ( is missing at the end"),
            ("f(uint7)", "! a type is expected where it says `uint7)`"),
            ("f(IERC20 token)", "! a type is expected where it says `IERC20 token)`"),
            ("f(uint256", "! , or ) is missing at the end"),
            ("f(uint256 a b)", "! , or ) is expected where it says `b)`"),
            ("f(bytes33)", "! a type is expected where it says `bytes33)`"),
            ("f(uint08)", "! a type is expected where it says `uint08)`"),
            ("f(uint[0])", "! an array of length 0 is no type"),
            ("f(()[])", "! a tuple without fields is no type"),
            ("f(uint[99999])", "! `99999` is no length of an array"),
            ("f(uint[999][999])", "! its types are too large"),
            ("f() garbage", "! the end is expected where it says `garbage`"),
            ("f(uint\u{202e})", "! , or ) is expected where it says `␦)`"),
        ] {
            assert_eq!(shown(text), why, "{text}");
        }
        for deep in ["[]".repeat(1_000), "[2]".repeat(9)] {
            assert_eq!(shown(&format!("f(uint{deep})")), "! its types are nested too deep");
        }
        let deep = format!("f({}uint{})", "(".repeat(2_000), ")".repeat(2_000));
        assert_eq!(shown(&deep), "! its types are nested too deep");
        assert_eq!(shown(&"f".repeat(9_000)), "! the signature is too long");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*|[a-z(),\\[\\]0-9 ]{0,60}") {
            if let Ok(signature) = Signature::parse(&text) {
                let again = Signature::parse(&signature.declaration()).unwrap();
                prop_assert_eq!(again.canonical(), signature.canonical());
            }
        }
    }
}
