//! A function or an error as Solidity writes it: its name, what goes in and what comes out.

use std::fmt::{self, Write};
use std::sync::Arc;

use alloy_dyn_abi::DynSolType;
use alloy_primitives::keccak256;

use crate::sanitize::Text;

/// Bytes of a signature; the longest in use have a few hundred.
pub(super) const LONGEST: usize = 8_192;
/// Types inside types. No compiler makes this many, and a person could type any number.
const DEPTH: usize = 8;
/// Values that a type holds when each of its arrays without a length has one.
const SIZE: usize = 16_384;

/// What the first four bytes of calldata or of revert data say.
pub type Selector = [u8; 4];

/// What a signature may be of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
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
    pub(super) item: Item,
    pub(super) name: Text,
    pub(super) inputs: Arc<[Parameter]>,
    /// None if it was not said.
    pub(super) outputs: Option<Arc<[Parameter]>>,
}

/// A named value of a type: an argument, or a field of a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, empty if it has none.
    pub name: Text,
    /// Its type.
    pub kind: Kind,
}

/// A Solidity type. As text it is what selectors are made from: `(address,uint256)[]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// `bool`
    Bool,
    /// `uint256`, with its bits.
    Uint(usize),
    /// `int256`, with its bits.
    Int(usize),
    /// `bytes32`, with its bytes.
    Fixed(usize),
    /// `address`
    Address,
    /// `function`: an address and a selector.
    Function,
    /// `bytes`
    Bytes,
    /// `string`
    String,
    /// `T[]` or `T[3]`.
    List(Arc<Kind>, Option<usize>),
    /// A struct.
    Tuple(Arc<[Parameter]>),
}

impl Kind {
    /// The elementary type of this name.
    fn elementary(name: &str) -> Option<Self> {
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
            ("bytes", Some(bytes)) => (1..=32).contains(&bytes).then_some(Self::Fixed(bytes)),
            ("uint", size) => Some(size.unwrap_or(256)).filter(bits).map(Self::Uint),
            ("int", size) => Some(size.unwrap_or(256)).filter(bits).map(Self::Int),
            _ => None,
        }
    }

    /// Whether its encoding has a length of its own, and lies behind an offset.
    pub(super) fn is_dynamic(&self) -> bool {
        match self {
            Self::Bytes | Self::String | Self::List(_, None) => true,
            Self::List(of, Some(_)) => of.is_dynamic(),
            Self::Tuple(fields) => fields.iter().any(|field| field.kind.is_dynamic()),
            _ => false,
        }
    }

    /// Values in it when each array without a length has one.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::List(of, length) => length.unwrap_or(1).saturating_mul(of.size()),
            Self::Tuple(fields) => sizes(fields),
            _ => 1,
        }
    }

    /// Levels of types inside types.
    fn depth(&self) -> usize {
        match self {
            Self::List(of, _) => 1 + of.depth(),
            Self::Tuple(fields) => {
                1 + fields.iter().map(|field| field.kind.depth()).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// The type for the decoder. A string is taken as bytes, which are encoded alike and keep
    /// what is not UTF-8.
    pub(super) fn decoder(&self) -> DynSolType {
        match self {
            Self::Bool => DynSolType::Bool,
            Self::Uint(bits) => DynSolType::Uint(*bits),
            Self::Int(bits) => DynSolType::Int(*bits),
            Self::Fixed(bytes) => DynSolType::FixedBytes(*bytes),
            Self::Address => DynSolType::Address,
            Self::Function => DynSolType::Function,
            Self::Bytes | Self::String => DynSolType::Bytes,
            Self::List(of, None) => DynSolType::Array(Box::new(of.decoder())),
            Self::List(of, Some(length)) => DynSolType::FixedArray(Box::new(of.decoder()), *length),
            Self::Tuple(fields) => decoder(fields),
        }
    }

    /// The type with the names of fields, for people.
    fn write_named(&self, out: &mut String) {
        match self {
            Self::List(of, length) => {
                of.write_named(out);
                write_length(out, *length);
            }
            Self::Tuple(fields) => write_named(fields, out),
            _ => write_to(out, self),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Uint(bits) => write!(f, "uint{bits}"),
            Self::Int(bits) => write!(f, "int{bits}"),
            Self::Fixed(bytes) => write!(f, "bytes{bytes}"),
            Self::Address => f.write_str("address"),
            Self::Function => f.write_str("function"),
            Self::Bytes => f.write_str("bytes"),
            Self::String => f.write_str("string"),
            Self::List(of, None) => write!(f, "{of}[]"),
            Self::List(of, Some(length)) => write!(f, "{of}[{length}]"),
            Self::Tuple(fields) => {
                f.write_str("(")?;
                for (n, field) in fields.iter().enumerate() {
                    let comma = if n == 0 { "" } else { "," };
                    write!(f, "{comma}{}", field.kind)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Writing to a String cannot fail.
fn write_to(out: &mut String, what: impl fmt::Display) {
    let _ = write!(out, "{what}");
}

fn write_length(out: &mut String, length: Option<usize>) {
    match length {
        Some(length) => write_to(out, format_args!("[{length}]")),
        None => out.push_str("[]"),
    }
}

fn write_named(parameters: &[Parameter], out: &mut String) {
    out.push('(');
    for (n, parameter) in parameters.iter().enumerate() {
        out.push_str(if n == 0 { "" } else { ", " });
        parameter.kind.write_named(out);
        if !parameter.name.is_empty() {
            write_to(out, format_args!(" {}", parameter.name));
        }
    }
    out.push(')');
}

fn sizes(parameters: &[Parameter]) -> usize {
    parameters.iter().fold(0, |sum, parameter| sum.saturating_add(parameter.kind.size()))
}

/// The type of parameters taken together, for the decoder.
pub(super) fn decoder(parameters: &[Parameter]) -> DynSolType {
    DynSolType::Tuple(parameters.iter().map(|parameter| parameter.kind.decoder()).collect())
}

impl Signature {
    /// Reads `function transfer(address to, uint256 amount) returns (bool)`. The words around and
    /// the names may be left out.
    pub(super) fn parse(text: &str) -> Result<Self, Text> {
        if text.len() > LONGEST {
            return Err(Text::new("the signature is too long"));
        }
        let mut reader = Reader { rest: text.trim() };
        let item = match () {
            () if reader.keyword("function") => Item::Function,
            () if reader.keyword("error") => Item::Error,
            () => Item::Any,
        };
        let name = reader.word();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(reader.expected("a name, as in transfer(address to, uint256 amount)"));
        }
        let inputs = reader.parameters(0)?;
        reader.skip(SPECIFIERS);
        let returns = reader.keyword("returns");
        let outputs = returns.then(|| reader.parameters(0)).transpose()?;
        reader.token(";");
        if !reader.rest.is_empty() {
            return Err(reader.expected("the end"));
        }
        Self::new(item, name, inputs, outputs)
    }

    /// A signature, if it is small enough to be decoded with.
    pub(super) fn new(
        item: Item,
        name: &str,
        inputs: Vec<Parameter>,
        outputs: Option<Vec<Parameter>>,
    ) -> Result<Self, Text> {
        let all = || inputs.iter().chain(outputs.iter().flatten());
        if all().any(|parameter| parameter.kind.depth() > DEPTH) {
            return Err(Text::new("its types are nested too deep"));
        }
        if sizes(&inputs) > SIZE || sizes(outputs.as_deref().unwrap_or_default()) > SIZE {
            return Err(Text::new("its types are too large"));
        }
        let name = Text::new(name);
        Ok(Self { item, name, inputs: inputs.into(), outputs: outputs.map(Into::into) })
    }

    /// What the selector is made from: `transfer(address,uint256)`.
    pub(super) fn canonical(&self) -> String {
        format!("{}{}", self.name, Kind::Tuple(self.inputs.clone()))
    }

    /// With the names of the parameters: `transfer(address to, uint256 amount)`.
    pub(super) fn shown(&self) -> Text {
        let mut out = self.name.to_string();
        write_named(&self.inputs, &mut out);
        Text::new(&out)
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
const LOCATIONS: &[&str] = &["memory", "calldata", "storage", "indexed"];

/// What is left to read of a signature.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Takes `token` if it is next.
    fn token(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest.trim_start();
        true
    }

    /// The identifier that is next, empty if there is none.
    fn peek(&self) -> &'a str {
        let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        let end = self.rest.find(|c| !inside(c)).unwrap_or(self.rest.len());
        &self.rest[..end]
    }

    fn word(&mut self) -> &'a str {
        let word = self.peek();
        self.rest = self.rest[word.len()..].trim_start();
        word
    }

    /// Takes `word` if it is next, and not the name of a function: `error(uint256)`.
    fn keyword(&mut self, word: &str) -> bool {
        let after = self.rest[self.peek().len()..].trim_start();
        let named = word != "returns" && after.starts_with('(');
        if self.peek() != word || named {
            return false;
        }
        self.rest = after;
        true
    }

    fn skip(&mut self, words: &[&str]) {
        while words.contains(&self.peek()) {
            self.word();
        }
    }

    fn parameters(&mut self, depth: usize) -> Result<Vec<Parameter>, Text> {
        if !self.token("(") {
            return Err(self.expected("("));
        }
        let mut parameters = Vec::new();
        if self.token(")") {
            return Ok(parameters);
        }
        loop {
            parameters.push(self.parameter(depth)?);
            if self.token(")") {
                return Ok(parameters);
            }
            if !self.token(",") {
                return Err(self.expected(", or )"));
            }
        }
    }

    fn parameter(&mut self, depth: usize) -> Result<Parameter, Text> {
        let kind = self.kind(depth)?;
        self.skip(LOCATIONS);
        Ok(Parameter { name: Text::new(self.word()), kind })
    }

    fn kind(&mut self, depth: usize) -> Result<Kind, Text> {
        if depth > DEPTH {
            return Err(Text::new("its types are nested too deep"));
        }
        let word = self.peek();
        if self.rest.starts_with('(') || word == "tuple" {
            self.word();
            let fields = self.parameters(depth + 1)?;
            return self.lists(tuple(fields)?);
        }
        let Some(kind) = Kind::elementary(word) else { return Err(self.expected("a type")) };
        self.word();
        if kind == Kind::Address && self.peek() == "payable" {
            self.word();
        }
        self.lists(kind)
    }

    /// The `[]` and `[3]` after a type.
    fn lists(&mut self, mut kind: Kind) -> Result<Kind, Text> {
        let mut depth = 0;
        while self.token("[") {
            depth += 1;
            if depth > DEPTH {
                return Err(Text::new("its types are nested too deep"));
            }
            let length = match self.word() {
                "" => None,
                digits => Some(length(digits)?),
            };
            if !self.token("]") {
                return Err(self.expected("]"));
            }
            kind = Kind::List(Arc::new(kind), length);
        }
        Ok(kind)
    }

    fn expected(&self, what: &str) -> Text {
        let found: String = self.rest.chars().take(40).collect();
        match found.as_str() {
            "" => Text::new(&format!("{what} is missing at the end")),
            _ => Text::new(&format!("{what} is expected where it says `{found}`")),
        }
    }
}

/// A struct without fields, as an array of length 0, has no encoding: any number of them fits in
/// no bytes.
fn tuple(fields: Vec<Parameter>) -> Result<Kind, Text> {
    if fields.is_empty() {
        return Err(Text::new("a tuple without fields is no type"));
    }
    Ok(Kind::Tuple(fields.into()))
}

fn length(digits: &str) -> Result<usize, Text> {
    match digits.parse() {
        Ok(0) => Err(Text::new("an array of length 0 is no type")),
        Ok(length) if length <= SIZE => Ok(length),
        _ => Err(Text::new(&format!("`{digits}` is no length of an array"))),
    }
}

/// The type that an ABI file names, such as `tuple[2][]`, with the fields of its struct.
pub(super) fn from_json(name: &str, fields: Vec<Parameter>) -> Result<Kind, Text> {
    let mut reader = Reader { rest: name };
    let kind = match reader.word() {
        "tuple" => tuple(fields)?,
        word => Kind::elementary(word)
            .ok_or_else(|| Text::new(&format!("`{word}` is no type of the ABI")))?,
    };
    let kind = reader.lists(kind)?;
    match reader.rest {
        "" if kind.depth() <= DEPTH => Ok(kind),
        "" => Err(Text::new("its types are nested too deep")),
        _ => Err(reader.expected("the end")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> String {
        match Signature::parse(text) {
            Ok(signature) => signature.shown().to_string(),
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
            assert_eq!(&*signature.shown(), named);
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
                let again = Signature::parse(&signature.shown()).unwrap();
                prop_assert_eq!(again.canonical(), signature.canonical());
            }
        }
    }
}
