//! Parses signatures in Solidity's syntax, and the types in ABI files.
//!
//! The parser of `alloy-json-abi` cannot replace this one: it rejects names of fields in tuples and
//! `address payable`, accepts unknown types, which have no selector, and does not bound their size.

use std::sync::Arc;

use alloy_dyn_abi::DynSolType;

use super::event::EventSignature;
use super::signature::{Signature, SignatureKind};
use crate::abi::sol_type::{AbiParameter, MAX_TYPE_DEPTH, MAX_TYPE_VALUES, SolType};
use crate::messages::abi::{SignatureError, SignaturePart};

/// Maximum bytes of a signature. The longest in use have a few hundred.
pub(super) const MAX_SIGNATURE_BYTES: usize = 8_192;
/// Words between the parameters and `returns`. They do not affect the encoding.
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
const DATA_LOCATIONS: &[&str] = &["memory", "calldata", "storage"];

impl Signature {
    /// Parses `function transfer(address to, uint256 amount) returns (bool)`. Keywords, names and
    /// outputs are optional.
    pub(in crate::abi) fn parse(text: &str) -> Result<Self, SignatureError> {
        let mut parser = SignatureParser::new(text)?;
        let kind = match () {
            () if parser.consume_keyword("function") => SignatureKind::Function,
            () if parser.consume_keyword("error") => SignatureKind::Error,
            () => SignatureKind::Any,
        };
        let name = parser.parse_name()?;
        let inputs = parser.parse_parameters(0)?;
        parser.skip_words(SPECIFIERS);
        let returns = parser.consume_keyword("returns");
        let outputs = returns.then(|| parser.parse_parameters(0)).transpose()?;
        parser.consume(";");
        if !parser.rest.is_empty() {
            return Err(parser.expected(SignaturePart::End));
        }
        Self::new(kind, name, inputs, outputs)
    }
}

impl EventSignature {
    /// Parses `event Transfer(address indexed from, address indexed to, uint256 value) anonymous`.
    /// `event` and `anonymous` are optional.
    pub(super) fn parse(text: &str) -> Result<Self, SignatureError> {
        let mut parser = SignatureParser::new(text)?;
        parser.consume_keyword("event");
        let name = parser.parse_name()?;
        let inputs = parser.parse_parameters(0)?;
        let is_anonymous = parser.consume_keyword("anonymous");
        let signature = Signature::new(SignatureKind::Event, name, inputs, None)?;
        Ok(Self { signature, indexed: parser.indexed, is_anonymous })
    }
}

struct SignatureParser<'a> {
    rest: &'a str,
    /// `true` for each parameter so far, not in a tuple, that is indexed.
    indexed: Vec<bool>,
}

impl<'a> SignatureParser<'a> {
    fn new(text: &'a str) -> Result<Self, SignatureError> {
        if text.len() > MAX_SIGNATURE_BYTES {
            return Err(SignatureError::TooLong);
        }
        Ok(Self { rest: text.trim(), indexed: Vec::new() })
    }

    /// Consumes `token` and the space after it, if it is next.
    fn consume(&mut self, token: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(token) else { return false };
        self.rest = rest.trim_start();
        true
    }

    /// Returns the next identifier, or an empty string.
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

    /// Consumes `word` if it is next and not the name of a function, as in `error(uint256)`.
    fn consume_keyword(&mut self, word: &str) -> bool {
        let after = self.rest[self.peek_word().len()..].trim_start();
        let is_name = word != "returns" && after.starts_with('(');
        if self.peek_word() != word || is_name {
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

    fn parse_name(&mut self) -> Result<&'a str, SignatureError> {
        match self.next_word() {
            name if name.starts_with(|c: char| !c.is_ascii_digit()) => Ok(name),
            _ => Err(self.expected(SignaturePart::Name)),
        }
    }

    fn parse_parameters(&mut self, depth: usize) -> Result<Vec<AbiParameter>, SignatureError> {
        if !self.consume("(") {
            return Err(self.expected(SignaturePart::Token("(")));
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
                return Err(self.expected(SignaturePart::Token(", or )")));
            }
        }
    }

    fn parse_parameter(&mut self, depth: usize) -> Result<AbiParameter, SignatureError> {
        let ty = self.parse_type(depth)?;
        let is_indexed = self.consume_keyword("indexed");
        if depth == 0 {
            self.indexed.push(is_indexed);
        }
        self.skip_words(DATA_LOCATIONS);
        Ok(AbiParameter::new(self.next_word(), ty))
    }

    fn parse_type(&mut self, depth: usize) -> Result<SolType, SignatureError> {
        if depth > MAX_TYPE_DEPTH {
            return Err(SignatureError::TooDeep);
        }
        let word = self.peek_word();
        if self.rest.starts_with('(') || word == "tuple" {
            self.next_word();
            let fields = self.parse_parameters(depth + 1)?;
            return self.parse_array_suffixes(tuple_type(fields)?);
        }
        let ty =
            SolType::parse_elementary(word).ok_or_else(|| self.expected(SignaturePart::Type))?;
        self.next_word();
        if ty == SolType::Elementary(DynSolType::Address) && self.peek_word() == "payable" {
            self.next_word();
        }
        self.parse_array_suffixes(ty)
    }

    fn parse_array_suffixes(&mut self, mut ty: SolType) -> Result<SolType, SignatureError> {
        let mut depth = 0;
        while self.consume("[") {
            depth += 1;
            if depth > MAX_TYPE_DEPTH {
                return Err(SignatureError::TooDeep);
            }
            let length = match self.next_word() {
                "" => None,
                digits => Some(parse_array_length(digits)?),
            };
            if !self.consume("]") {
                return Err(self.expected(SignaturePart::Token("]")));
            }
            ty = SolType::Array(Arc::new(ty), length);
        }
        Ok(ty)
    }

    fn expected(&self, expected: SignaturePart) -> SignatureError {
        let found: String = self.rest.chars().take(40).collect();
        match found.as_str() {
            "" => SignatureError::EndsEarly(expected),
            _ => SignatureError::Unexpected { expected, found: found.into() },
        }
    }
}

/// Creates a struct type. A struct without fields and an array of length 0 are rejected: they have no
/// encoding, so any number of them would fit in no bytes.
fn tuple_type(fields: Vec<AbiParameter>) -> Result<SolType, SignatureError> {
    if fields.is_empty() {
        return Err(SignatureError::EmptyTuple);
    }
    Ok(SolType::Tuple(fields.into()))
}

fn parse_array_length(digits: &str) -> Result<usize, SignatureError> {
    match digits.parse() {
        Ok(length @ 1..=MAX_TYPE_VALUES) => Ok(length),
        _ => Err(SignatureError::ArrayLength(digits.into())),
    }
}

/// Parses a type in an ABI file, such as `tuple[2][]`, whose fields are listed separately.
pub(super) fn parse_json_type(
    name: &str,
    fields: Vec<AbiParameter>,
) -> Result<SolType, SignatureError> {
    let mut parser = SignatureParser { rest: name, indexed: Vec::new() };
    let ty = match parser.next_word() {
        "tuple" => tuple_type(fields)?,
        word => SolType::parse_elementary(word)
            .ok_or_else(|| SignatureError::UnknownType(word.into()))?,
    };
    let ty = parser.parse_array_suffixes(ty)?;
    match parser.rest {
        "" if ty.depth() <= MAX_TYPE_DEPTH => Ok(ty),
        "" => Err(SignatureError::TooDeep),
        _ => Err(parser.expected(SignaturePart::End)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn declaration(text: &str) -> String {
        match Signature::parse(text) {
            Ok(signature) => signature.declaration().to_string(),
            Err(why) => format!("! {why}"),
        }
    }

    #[test]
    fn signatures_are_parsed_in_every_spelling() {
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
    fn mistakes_are_reported() {
        for (text, why) in [
            ("", "! expected a name, as in transfer(address to, uint256 amount) at the end"),
            ("f", "! expected ( at the end"),
            ("f(uint7)", "! expected a type, found `uint7)`"),
            ("f(IERC20 token)", "! expected a type, found `IERC20 token)`"),
            ("f(uint256", "! expected , or ) at the end"),
            ("f(uint256 a b)", "! expected , or ), found `b)`"),
            ("f(bytes33)", "! expected a type, found `bytes33)`"),
            ("f(uint08)", "! expected a type, found `uint08)`"),
            ("f(uint[0])", "! invalid array length `0`"),
            ("f(()[])", "! tuple without fields"),
            ("f(uint[99999])", "! invalid array length `99999`"),
            ("f(uint[999][999])", "! types too large"),
            ("f() garbage", "! expected the end, found `garbage`"),
            ("f(uint\u{202e})", "! expected , or ), found `␦)`"),
        ] {
            assert_eq!(declaration(text), why, "{text}");
        }
        for deep in ["[]".repeat(1_000), "[2]".repeat(9)] {
            assert_eq!(declaration(&format!("f(uint{deep})")), "! types nested too deep");
        }
        let deep = format!("f({}uint{})", "(".repeat(2_000), ")".repeat(2_000));
        assert_eq!(declaration(&deep), "! types nested too deep");
        assert_eq!(declaration(&"f".repeat(9_000)), "! signature too long");
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "\\PC*|[a-z(),\\[\\]0-9 ]{0,60}") {
            if let Ok(signature) = Signature::parse(&text) {
                let again = Signature::parse(&signature.declaration()).unwrap();
                prop_assert_eq!(again.canonical(), signature.canonical());
            }
        }
    }
}
