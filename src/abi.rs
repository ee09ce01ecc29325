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
use crate::sanitize::Text;

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

pub use precompile::{Precompile, precompile};
pub use revert_reason::Reason;
pub use signature::{Kind, Parameter, Selector};
pub use value::{Line, Value};
pub use value_format::Mode;

use signature::{Item, Signature};

/// Characters of a call in one line.
const LINE: usize = 200;

/// Signatures by selector.
#[derive(Debug, Default, Clone)]
struct Index(HashMap<Selector, Vec<Known>>);

/// A signature, and the name of the contract or file that it is from.
#[derive(Debug, Clone)]
struct Known {
    signature: Arc<Signature>,
    origin: Text,
}

impl Index {
    /// Adds a signature in place of the same one, whose parameters may have had other names.
    fn insert(&mut self, known: Known) {
        let same = self.0.entry(known.signature.selector()).or_default();
        same.retain(|other| {
            other.signature.item != known.signature.item
                || other.signature.canonical() != known.signature.canonical()
        });
        same.push(known);
    }

    fn find(&self, selector: Selector) -> &[Known] {
        self.0.get(&selector).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Every signature that is known, by selector, and the ABIs of addresses and contracts.
#[derive(Debug, Default, Clone)]
pub struct Book {
    addresses: HashMap<Address, Index>,
    contracts: HashMap<String, Index>,
    typed: Index,
    /// Of all ABIs, for contracts that no ABI is bound to.
    anywhere: Index,
    demo: bool,
    curated: bool,
}

impl Book {
    /// The curated table that comes with the program. It is indexed at the first look-up.
    pub fn embedded() -> Self {
        Self { curated: true, ..Self::default() }
    }

    /// Adds the ABIs of the demo chain's contracts, which are its verified source.
    pub fn add_demo(&mut self) {
        self.demo = true;
    }

    /// The same, with the ABIs of the demo chain's contracts or without them.
    #[must_use]
    pub fn for_demo(&self, demo: bool) -> Self {
        Self { demo, ..self.clone() }
    }

    /// Adds an ABI file: a bare array, or what Foundry and Hardhat write. The name of the file says
    /// whose it is: `0x….json` of that address, any other of contracts with that name.
    ///
    /// If some of its entries cannot be read the others are added, and the first problem is told.
    pub fn add_abi(&mut self, path: &Path, json: &str) -> Result<(), Text> {
        let abi = abi_json::read(json)?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = file.split('.').next().unwrap_or_default();
        let origin = Text::new(name);
        let bound = match address(name) {
            Some(address) => self.addresses.entry(address).or_default(),
            None => self.contracts.entry(name.to_owned()).or_default(),
        };
        for signature in abi.signatures {
            let known = Known { signature: Arc::new(signature), origin: origin.clone() };
            bound.insert(known.clone());
            self.anywhere.insert(known);
        }
        abi.problem.map_or(Ok(()), Err)
    }

    /// Adds everything that another book knows.
    pub fn add_all(&mut self, other: Self) {
        let merge = |ours: &mut Index, theirs: Index| {
            theirs.0.into_values().flatten().for_each(|known| ours.insert(known));
        };
        for (address, index) in other.addresses {
            merge(self.addresses.entry(address).or_default(), index);
        }
        for (contract, index) in other.contracts {
            merge(self.contracts.entry(contract).or_default(), index);
        }
        merge(&mut self.typed, other.typed);
        merge(&mut self.anywhere, other.anywhere);
        (self.demo, self.curated) = (self.demo || other.demo, self.curated || other.curated);
    }

    /// Adds a signature that was typed: `transfer(address to, uint256 amount) returns (bool)`. The
    /// error says what is wrong with it. If it does not begin with `function` or `error` it is
    /// taken for both.
    pub fn add_signature(&mut self, text: &str) -> Result<Selector, Text> {
        let signature = Arc::new(Signature::parse(text)?);
        let selector = signature.selector();
        self.typed.insert(Known { signature, origin: Text::default() });
        Ok(selector)
    }

    /// What a call means. `names` are what the contract and its implementation are called; they may
    /// select an ABI that was added for contracts of that name.
    pub fn call(&self, to: Option<Address>, names: &[&str], input: &[u8]) -> Option<Decoded> {
        nested_calls::find(self, Item::Function, (to, names), input)
    }

    /// What a call is probably called, by its selector alone: for calldata that is too long to be
    /// decoded in passing.
    pub fn name(&self, to: Option<Address>, names: &[&str], selector: Selector) -> Option<Text> {
        nested_calls::name(self, (to, names), selector)
    }

    /// What the call returned, by the same signature. None if that does not say, or if the data do
    /// not fit it.
    pub fn returned(&self, decoded: &Decoded, output: &[u8]) -> Option<Vec<Argument>> {
        let outputs = decoded.outputs.as_deref().unwrap_or_default();
        let (values, trailing) = decode::decode(outputs, output)?;
        (trailing == 0).then(|| arguments(outputs, values))
    }

    /// The custom error that `data` are.
    fn error(&self, data: &[u8]) -> Option<Decoded> {
        nested_calls::find(self, Item::Error, (None, &[]), data)
    }
}

/// The address that a file is named after.
fn address(name: &str) -> Option<Address> {
    let hex = name.starts_with("0x") && name.len() == 42;
    hex.then(|| Address::from_str(name).ok())?
}

/// What runs when there is no selector: without calldata `receive()`, with less than four bytes
/// `fallback()`.
pub fn unnamed(input: &[u8]) -> Option<&'static str> {
    match input.len() {
        0 => Some("receive()"),
        1..=3 => Some("fallback()"),
        _ => None,
    }
}

/// A call, or a custom error, that is understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Decoded {
    /// The name of the function or error.
    pub name: Text,
    /// With the types of its parameters, and their names where these are known.
    pub signature: Text,
    /// The arguments in order.
    pub arguments: Vec<Argument>,
    /// Where the signature is from.
    pub source: Source,
    /// Bytes after the arguments.
    pub trailing: usize,
    /// Other signatures that fit as well.
    pub others: Vec<Text>,
    outputs: Option<Arc<[Parameter]>>,
}

impl Decoded {
    /// Whether the signature may be that of another function: it is shown with `?`.
    pub fn is_guess(&self) -> bool {
        self.source.is_selector_alone() || !self.others.is_empty()
    }

    /// The call in one line, `transfer(0x…, 5)`. Long ones are cut.
    pub fn line(&self) -> Text {
        let mut line = format!("{}(", self.name);
        for (n, argument) in self.arguments.iter().enumerate() {
            if line.len() > LINE {
                line.push_str(", …");
                break;
            }
            line.push_str(if n == 0 { "" } else { ", " });
            line.push_str(&argument.value.line());
        }
        line.push(')');
        Text::new(&line)
    }

    /// The arguments and all that is in them, line by line, at most `limit` lines.
    pub fn lines(&self, limit: usize) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        for argument in &self.arguments {
            value::push(argument.at(0), &mut lines, limit);
        }
        lines
    }
}

/// Where a signature is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The user's ABI of this address.
    Address(Address),
    /// The user's ABI of contracts with this name.
    Contract(Text),
    /// Typed by the user.
    Typed,
    /// The demo chain's own contracts.
    Demo,
    /// The user's ABI of another contract, by selector alone.
    Elsewhere(Text),
    /// The table that comes with the program, under this heading, by selector alone.
    Curated(&'static str),
}

impl Source {
    /// Whether nothing but the selector speaks for it.
    pub fn is_selector_alone(&self) -> bool {
        matches!(self, Self::Elsewhere(_) | Self::Curated(_))
    }

    /// The source in words.
    pub fn words(&self) -> Text {
        let words = match self {
            Self::Address(address) => format!("your ABI of {}", address.to_checksum(None)),
            Self::Contract(name) => format!("your ABI of {name}"),
            Self::Typed => "the signature you typed".to_owned(),
            Self::Demo => "the source of the demo chain's contracts".to_owned(),
            Self::Elsewhere(name) => format!("by its selector, from your ABI of {name}"),
            Self::Curated(group) => format!("by its selector, from the built-in table ({group})"),
        };
        Text::new(&words)
    }
}

/// An argument, or a value that was returned.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// Its name, often empty.
    pub name: Text,
    /// Its Solidity type.
    pub kind: Text,
    /// Its value.
    pub value: Value,
}

impl Argument {
    /// The first of its lines.
    fn at(&self, level: usize) -> Line<'_> {
        Line { level, label: self.name.clone(), kind: self.kind.clone(), value: &self.value }
    }

    /// The argument and all that is in it, line by line, at most `limit` lines.
    pub fn lines(&self, limit: usize) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        value::push(self.at(0), &mut lines, limit);
        lines
    }
}

fn arguments(parameters: &[Parameter], values: Vec<Value>) -> Vec<Argument> {
    let one = |(parameter, value): (&Parameter, Value)| Argument {
        name: parameter.name.clone(),
        kind: Text::new(&parameter.kind.to_string()),
        value,
    };
    parameters.iter().zip(values).map(one).collect()
}

#[cfg(test)]
mod tests;
