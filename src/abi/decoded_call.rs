//! Decoded calls and custom errors, and where their signatures are from.

use std::sync::Arc;

use super::sol_type::AbiParameter;
use super::value::{AbiValue, ValueLine, push_lines};
use crate::chain::Address;
use crate::sanitize::SafeText;

/// Maximum bytes of a call in one line, before its last argument.
const MAX_SUMMARY_BYTES: usize = 200;

/// A decoded call or custom error.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedCall {
    /// The name of the function or error.
    pub name: SafeText,
    /// The name with the types of the parameters, and their names where known.
    pub signature: SafeText,
    /// The arguments in order.
    pub arguments: Vec<Argument>,
    /// Where the signature is from.
    pub source: SignatureSource,
    /// The number of bytes after the arguments.
    pub trailing_bytes: usize,
    /// Other signatures that fit as well.
    pub alternatives: Vec<SafeText>,
    pub(super) outputs: Option<Arc<[AbiParameter]>>,
}

impl DecodedCall {
    /// Returns whether the signature may be that of another function. Guesses are shown with `?`.
    pub fn is_guess(&self) -> bool {
        self.source.is_selector_only() || !self.alternatives.is_empty()
    }

    /// Formats the call in one line, `transfer(0x…, 5)`. Long ones are cut.
    pub fn summary(&self) -> SafeText {
        let mut line = format!("{}(", self.name);
        for (n, argument) in self.arguments.iter().enumerate() {
            if line.len() > MAX_SUMMARY_BYTES {
                line.push_str(", …");
                break;
            }
            line.push_str(if n == 0 { "" } else { ", " });
            line.push_str(&argument.value.summary());
        }
        line.push(')');
        SafeText::new(&line)
    }

    /// Lays out the arguments and everything in them, in at most `limit` lines.
    pub fn lines(&self, limit: usize) -> Vec<ValueLine<'_>> {
        let mut lines = Vec::new();
        for argument in &self.arguments {
            push_lines(argument.first_line(0), &mut lines, limit);
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
    /// The user typed it.
    User,
    /// The demo chain's own contracts.
    Demo,
    /// The user's ABI of another contract, matched by selector.
    OtherAbi(SafeText),
    /// The built-in table under this heading, matched by selector.
    BuiltIn(&'static str),
}

impl SignatureSource {
    /// Returns whether only the selector matches.
    pub fn is_selector_only(&self) -> bool {
        matches!(self, Self::OtherAbi(_) | Self::BuiltIn(_))
    }

    /// Describes the source for the screen.
    pub fn describe(&self) -> SafeText {
        let description = match self {
            Self::Address(address) => format!("your ABI of {}", address.to_checksum(None)),
            Self::Contract(name) => format!("your ABI of {name}"),
            Self::User => "the signature you typed".to_owned(),
            Self::Demo => "demo contract source".to_owned(),
            Self::OtherAbi(name) => format!("selector match in your ABI of {name}"),
            Self::BuiltIn(group) => format!("selector match in the built-in table, {group}"),
        };
        SafeText::new(&description)
    }
}

/// An argument or a returned value.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// The name, often empty.
    pub name: SafeText,
    pub type_name: SafeText,
    pub value: AbiValue,
}

impl Argument {
    /// Pairs parameters with their values.
    pub(super) fn from_values(parameters: &[AbiParameter], values: Vec<AbiValue>) -> Vec<Self> {
        let pairs = parameters.iter().zip(values);
        pairs
            .map(|(parameter, value)| Self {
                name: parameter.name.clone(),
                type_name: SafeText::new(&parameter.ty.to_string()),
                value,
            })
            .collect()
    }

    pub(super) fn first_line(&self, depth: usize) -> ValueLine<'_> {
        ValueLine {
            depth,
            label: self.name.clone(),
            type_name: self.type_name.clone(),
            value: &self.value,
        }
    }

    /// Lays out the argument and everything in it, in at most `limit` lines.
    pub fn lines(&self, limit: usize) -> Vec<ValueLine<'_>> {
        let mut lines = Vec::new();
        push_lines(self.first_line(0), &mut lines, limit);
        lines
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
