//! What calldata, return data and revert data mean, as far as that can be told without asking
//! anybody.
//!
//! A decode counts only if encoding the values again gives the same bytes. What is matched by
//! selector alone stays a guess all the same: anybody may give a function any four bytes.

use std::collections::HashMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use crate::chain::Address;
use crate::sanitize::SafeText;

pub mod abi_dir;
mod abi_json;
mod decode;
mod nested_calls;
mod precompile;
mod revert_reason;
mod signature;
mod signature_table;
mod value;
mod value_format;

pub use precompile::decode_precompile;
pub use revert_reason::DecodedRevert;
pub use signature::{AbiParameter, Selector};
pub use value::{AbiValue, ValueLine};
pub use value_format::ValueFormat;

use signature::{Signature, SignatureKind};

/// Characters of a call in one line.
const MAX_CALL_LINE_BYTES: usize = 200;

/// Signatures by selector.
#[derive(Debug, Default, Clone)]
struct SignatureIndex(HashMap<Selector, Vec<IndexedSignature>>);

/// A signature, and the name of the contract or file that it is from.
#[derive(Debug, Clone)]
struct IndexedSignature {
    signature: Arc<Signature>,
    origin: SafeText,
}

impl SignatureIndex {
    /// Adds a signature in place of the same one, whose parameters may have had other names.
    fn insert(&mut self, known: IndexedSignature) {
        let same = self.0.entry(known.signature.selector()).or_default();
        same.retain(|other| {
            other.signature.kind != known.signature.kind
                || other.signature.canonical() != known.signature.canonical()
        });
        same.push(known);
    }

    fn find(&self, selector: Selector) -> &[IndexedSignature] {
        self.0.get(&selector).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Every signature that is known, by selector, and the ABIs of addresses and contracts.
#[derive(Debug, Default, Clone)]
pub struct SignatureDb {
    by_address: HashMap<Address, SignatureIndex>,
    by_contract_name: HashMap<String, SignatureIndex>,
    user_signatures: SignatureIndex,
    /// Of all ABIs, for contracts that no ABI is bound to.
    all_abis: SignatureIndex,
    includes_demo: bool,
    includes_builtin: bool,
}

impl SignatureDb {
    /// The curated table that comes with the program. It is indexed at the first look-up.
    pub fn builtin() -> Self {
        Self { includes_builtin: true, ..Self::default() }
    }

    /// Adds the ABIs of the demo chain's contracts, which are its verified source.
    pub fn add_demo(&mut self) {
        self.includes_demo = true;
    }

    /// The same, with the ABIs of the demo chain's contracts or without them.
    #[must_use]
    pub fn with_demo(&self, demo: bool) -> Self {
        Self { includes_demo: demo, ..self.clone() }
    }

    /// Adds an ABI file: a bare array, or what Foundry and Hardhat write. The name of the file says
    /// whose it is: `0x….json` of that address, any other of contracts with that name.
    ///
    /// If some of its entries cannot be read the others are added, and the first problem is told.
    pub fn add_abi(&mut self, path: &Path, json: &str) -> Result<(), SafeText> {
        let abi = abi_json::parse(json)?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = file.split('.').next().unwrap_or_default();
        let origin = SafeText::new(name);
        let bound = match address_from_file_name(name) {
            Some(address) => self.by_address.entry(address).or_default(),
            None => self.by_contract_name.entry(name.to_owned()).or_default(),
        };
        for signature in abi.signatures {
            let known = IndexedSignature { signature: Arc::new(signature), origin: origin.clone() };
            bound.insert(known.clone());
            self.all_abis.insert(known);
        }
        abi.first_problem.map_or(Ok(()), Err)
    }

    /// Adds everything that another book knows.
    pub fn merge(&mut self, other: Self) {
        let merge = |ours: &mut SignatureIndex, theirs: SignatureIndex| {
            theirs.0.into_values().flatten().for_each(|known| ours.insert(known));
        };
        for (address, index) in other.by_address {
            merge(self.by_address.entry(address).or_default(), index);
        }
        for (contract, index) in other.by_contract_name {
            merge(self.by_contract_name.entry(contract).or_default(), index);
        }
        merge(&mut self.user_signatures, other.user_signatures);
        merge(&mut self.all_abis, other.all_abis);
        (self.includes_demo, self.includes_builtin) = (
            self.includes_demo || other.includes_demo,
            self.includes_builtin || other.includes_builtin,
        );
    }

    /// Adds a signature that was typed: `transfer(address to, uint256 amount) returns (bool)`. The
    /// error says what is wrong with it. If it does not begin with `function` or `error` it is
    /// taken for both.
    pub fn add_signature(&mut self, text: &str) -> Result<Selector, SafeText> {
        let signature = Arc::new(Signature::parse(text)?);
        let selector = signature.selector();
        self.user_signatures.insert(IndexedSignature { signature, origin: SafeText::default() });
        Ok(selector)
    }

    /// What a call means. `names` are what the contract and its implementation are called; they may
    /// select an ABI that was added for contracts of that name.
    pub fn decode_call(
        &self,
        to: Option<Address>,
        names: &[&str],
        input: &[u8],
    ) -> Option<DecodedCall> {
        nested_calls::decode_call(self, SignatureKind::Function, (to, names), input)
    }

    /// What a call is probably called, by its selector alone: for calldata that is too long to be
    /// decoded in passing.
    pub fn function_name(
        &self,
        to: Option<Address>,
        names: &[&str],
        selector: Selector,
    ) -> Option<SafeText> {
        nested_calls::find_function_name(self, (to, names), selector)
    }

    /// What the call returned, by the same signature. None if that does not say, or if the data do
    /// not fit it.
    pub fn decode_output(&self, decoded: &DecodedCall, output: &[u8]) -> Option<Vec<Argument>> {
        let outputs = decoded.outputs.as_deref().unwrap_or_default();
        let (values, trailing) = decode::decode(outputs, output)?;
        (trailing == 0).then(|| named_arguments(outputs, values))
    }

    /// The custom error that `data` are.
    fn decode_error(&self, data: &[u8]) -> Option<DecodedCall> {
        nested_calls::decode_call(self, SignatureKind::Error, (None, &[]), data)
    }
}

/// The address that a file is named after.
fn address_from_file_name(name: &str) -> Option<Address> {
    let hex = name.starts_with("0x") && name.len() == 42;
    hex.then(|| Address::from_str(name).ok())?
}

/// What runs when there is no selector: without calldata `receive()`, with less than four bytes
/// `fallback()`.
pub fn special_function_name(input: &[u8]) -> Option<&'static str> {
    match input.len() {
        0 => Some("receive()"),
        1..=3 => Some("fallback()"),
        _ => None,
    }
}

/// A call, or a custom error, that is understood.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedCall {
    /// The name of the function or error.
    pub name: SafeText,
    /// With the types of its parameters, and their names where these are known.
    pub signature: SafeText,
    /// The arguments in order.
    pub arguments: Vec<Argument>,
    /// Where the signature is from.
    pub source: SignatureSource,
    /// Bytes after the arguments.
    pub trailing_bytes: usize,
    /// Other signatures that fit as well.
    pub alternatives: Vec<SafeText>,
    outputs: Option<Arc<[AbiParameter]>>,
}

impl DecodedCall {
    /// Whether the signature may be that of another function: it is shown with `?`.
    pub fn is_guess(&self) -> bool {
        self.source.is_selector_only() || !self.alternatives.is_empty()
    }

    /// The call in one line, `transfer(0x…, 5)`. Long ones are cut.
    pub fn summary(&self) -> SafeText {
        let mut line = format!("{}(", self.name);
        for (n, argument) in self.arguments.iter().enumerate() {
            if line.len() > MAX_CALL_LINE_BYTES {
                line.push_str(", …");
                break;
            }
            line.push_str(if n == 0 { "" } else { ", " });
            line.push_str(&argument.value.summary());
        }
        line.push(')');
        SafeText::new(&line)
    }

    /// The arguments and all that is in them, line by line, at most `limit` lines.
    pub fn lines(&self, limit: usize) -> Vec<ValueLine<'_>> {
        let mut lines = Vec::new();
        for argument in &self.arguments {
            value::push_lines(argument.first_line(0), &mut lines, limit);
        }
        lines
    }
}

/// Where a signature is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignatureSource {
    /// The user's ABI of this address.
    Address(Address),
    /// The user's ABI of contracts with this name.
    Contract(SafeText),
    /// Typed by the user.
    User,
    /// The demo chain's own contracts.
    Demo,
    /// The user's ABI of another contract, by selector alone.
    OtherAbi(SafeText),
    /// The table that comes with the program, under this heading, by selector alone.
    BuiltIn(&'static str),
}

impl SignatureSource {
    /// Whether nothing but the selector speaks for it.
    pub fn is_selector_only(&self) -> bool {
        matches!(self, Self::OtherAbi(_) | Self::BuiltIn(_))
    }

    /// The source in words.
    pub fn describe(&self) -> SafeText {
        let words = match self {
            Self::Address(address) => format!("your ABI of {}", address.to_checksum(None)),
            Self::Contract(name) => format!("your ABI of {name}"),
            Self::User => "the signature you typed".to_owned(),
            Self::Demo => "the source of the demo chain's contracts".to_owned(),
            Self::OtherAbi(name) => format!("by its selector, from your ABI of {name}"),
            Self::BuiltIn(group) => format!("by its selector, from the built-in table ({group})"),
        };
        SafeText::new(&words)
    }
}

/// An argument, or a value that was returned.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Its name, often empty.
    pub name: SafeText,
    /// Its Solidity type.
    pub type_name: SafeText,
    /// Its value.
    pub value: AbiValue,
}

impl Argument {
    /// The first of its lines.
    fn first_line(&self, level: usize) -> ValueLine<'_> {
        ValueLine {
            depth: level,
            label: self.name.clone(),
            type_name: self.type_name.clone(),
            value: &self.value,
        }
    }

    /// The argument and all that is in it, line by line, at most `limit` lines.
    pub fn lines(&self, limit: usize) -> Vec<ValueLine<'_>> {
        let mut lines = Vec::new();
        value::push_lines(self.first_line(0), &mut lines, limit);
        lines
    }
}

fn named_arguments(parameters: &[AbiParameter], values: Vec<AbiValue>) -> Vec<Argument> {
    let one = |(parameter, value): (&AbiParameter, AbiValue)| Argument {
        name: parameter.name.clone(),
        type_name: SafeText::new(&parameter.ty.to_string()),
        value,
    };
    parameters.iter().zip(values).map(one).collect()
}

#[cfg(test)]
mod tests;
