//! The ABI of one contract, for listing and calling its functions.

use std::sync::Arc;

use alloy_dyn_abi::{DynSolType, DynSolValue};
use alloy_primitives::{hex, keccak256};
use strum::IntoStaticStr;

use super::decode::decode;
use super::selector::{Selector, SpecialFunctions};
use super::signatures::{ParsedEntry, Signature, SignatureKind, parse_entries};
use super::sol_type::AbiParameter;
use super::value::Argument;
use crate::chain::{B256, Bytes, U256, WORD_BYTES};
use crate::messages::abi::{AbiError, ArgumentError};
use crate::messages::failure::CallRejection;
use crate::sanitize::SafeText;

/// Maximum words tried as constructor arguments.
const MAX_CONSTRUCTOR_WORDS: usize = 1_000;

/// Kinds of ABI entries, in the order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum AbiKind {
    Read,
    Write,
    Events,
    Errors,
}

#[derive(Debug, Default)]
pub struct ContractAbi {
    pub functions: Vec<AbiFunction>,
    pub events: Vec<AbiEvent>,
    constructor: Vec<AbiParameter>,
    has_payable_constructor: bool,
    special: SpecialFunctions,
    /// Problem of the first entry that could not be parsed.
    pub problem: Option<AbiError>,
}

/// An event with its topic, which an anonymous one lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbiEvent {
    pub declaration: SafeText,
    pub topic: Option<B256>,
}

/// A call without revert data. A creation has no calldata.
#[derive(Debug, Clone, Copy)]
pub struct RejectedCall<'a> {
    pub calldata: Option<&'a [u8]>,
    /// In wei.
    pub value: U256,
}

/// A function or an error.
#[derive(Debug, Clone)]
pub struct AbiFunction {
    pub kind: AbiKind,
    pub is_payable: bool,
    signature: Arc<Signature>,
}

impl ContractAbi {
    pub fn parse(json: &str) -> Result<Self, AbiError> {
        let mut abi = Self::default();
        abi.problem = parse_entries(json, |entry| match entry {
            ParsedEntry::Signature { signature, is_view, is_payable } => {
                let kind = match signature.kind {
                    SignatureKind::Error => AbiKind::Errors,
                    _ if is_view => AbiKind::Read,
                    _ => AbiKind::Write,
                };
                let signature = Arc::new(signature);
                abi.functions.push(AbiFunction { kind, is_payable, signature });
            }
            ParsedEntry::Event(event) => abi.events.push(AbiEvent {
                declaration: event.declaration(),
                topic: (!event.is_anonymous).then(|| event.topic()),
            }),
            ParsedEntry::Constructor { inputs, is_payable } => {
                abi.constructor = inputs;
                abi.has_payable_constructor = is_payable;
            }
            ParsedEntry::Special(function) => abi.special.add(function),
        })?;
        Ok(abi)
    }

    /// Returns the reason for which the contract rejects a call, or its creation, before it runs any code of
    /// its own, if there is one.
    pub fn rejection(&self, call: RejectedCall<'_>) -> Option<CallRejection> {
        let RejectedCall { calldata, value } = call;
        let Some(calldata) = calldata else {
            let is_rejected = !self.has_payable_constructor && !value.is_zero();
            return is_rejected
                .then(|| CallRejection::NotPayable { function: "constructor".into(), value });
        };
        let is_called = |function: &&AbiFunction| {
            function.kind != AbiKind::Errors && calldata.starts_with(&function.selector())
        };
        match self.functions.iter().find(is_called) {
            Some(function) if !function.is_payable && !value.is_zero() => {
                Some(CallRejection::NotPayable { function: function.name().clone(), value })
            }
            Some(_) => None,
            None if self.problem.is_some() || self.special.run_by(calldata).is_some() => None,
            None if calldata.is_empty() => Some(CallRejection::NoReceive),
            None => {
                let selector = calldata.get(..4).unwrap_or(calldata);
                Some(CallRejection::NoFunction { selector: hex::encode_prefixed(selector).into() })
            }
        }
    }

    /// Decodes the arguments of the constructor, which are at the end of the creation code.
    pub fn constructor_arguments(&self, creation: &[u8]) -> Option<(usize, Vec<Argument>)> {
        let words = (creation.len() / WORD_BYTES).min(MAX_CONSTRUCTOR_WORDS);
        let mut ends = (1..=words).map(|words| creation.len() - words * WORD_BYTES);
        ends.find_map(|start| {
            let decoded = decode(&self.constructor, creation.get(start..)?)?;
            let is_all = decoded.trailing_bytes == 0 && !self.constructor.is_empty();
            is_all.then(|| (start, Argument::from_values(&self.constructor, decoded.values)))
        })
    }
}

impl AbiFunction {
    pub fn name(&self) -> &SafeText {
        &self.signature.name.shown
    }

    pub fn selector(&self) -> Selector {
        self.signature.selector()
    }

    /// Returns the name with parameters and outputs.
    pub fn declaration(&self) -> SafeText {
        let outputs = self.signature.outputs.as_deref().unwrap_or_default();
        let types: Vec<String> = outputs.iter().map(|output| output.ty.to_string()).collect();
        let arrow = if types.is_empty() { "" } else { " → " };
        format!("{}{arrow}{}", self.signature.declaration(), types.join(", ")).into()
    }

    pub fn inputs(&self) -> &[AbiParameter] {
        &self.signature.inputs
    }

    /// Encodes a call with typed arguments.
    pub fn encode_call(&self, arguments: &[SafeText]) -> Result<Bytes, ArgumentError> {
        let pairs = self.inputs().iter().zip(arguments);
        let values = DynSolValue::Tuple(
            pairs.map(|(input, text)| input.parse_value(text)).collect::<Result<_, _>>()?,
        );
        Ok([&self.selector()[..], &values.abi_encode_params()].concat().into())
    }

    pub fn decode_output(&self, output: &[u8]) -> Option<Vec<Argument>> {
        let outputs = self.signature.outputs.as_deref()?;
        let decoded = decode(outputs, output)?;
        Some(Argument::from_values(outputs, decoded.values))
    }
}

impl AbiParameter {
    /// Parses a typed value.
    fn parse_value(&self, text: &str) -> Result<DynSolValue, ArgumentError> {
        let ty = || SafeText::from(self.ty.to_string());
        let invalid = || match text.trim() {
            "" => ArgumentError::Empty { ty: ty() },
            text => ArgumentError::Invalid { ty: ty(), text: text.into() },
        };
        let ty = DynSolType::parse(&self.ty.to_string()).map_err(|_| invalid())?;
        match ty {
            // Taken literally, with brackets, quotes and spaces.
            DynSolType::String => Ok(DynSolValue::String(text.to_owned())),
            DynSolType::FixedBytes(size) if let Some(word) = word_of_text(text.trim(), size) => {
                Ok(DynSolValue::FixedBytes(word, size))
            }
            ty => ty.coerce_str(text.trim()).map_err(|_| invalid()),
        }
    }

    /// Checks that a text is a value of the parameter.
    pub fn check_value(&self, text: &str) -> Result<(), ArgumentError> {
        self.parse_value(text).map(drop)
    }
}

/// Returns the hash of a text, `keccak256("MINTER")`, or a text in quotes at the left of a word.
pub(super) fn word_of_text(text: &str, size: usize) -> Option<B256> {
    let quoted = |text: &str| text.strip_prefix('"')?.strip_suffix('"').map(ToOwned::to_owned);
    let call = text.strip_prefix("keccak256(").or_else(|| text.strip_prefix("keccak("));
    if let Some(inside) = call.and_then(|rest| rest.strip_suffix(')')).filter(|_| size == 32) {
        return Some(keccak256(quoted(inside).unwrap_or_else(|| inside.to_owned())));
    }
    let short = quoted(text).filter(|text| text.len() <= size)?;
    Some(B256::right_padding_from(short.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABI: &str = r#"[
        {"type":"constructor","inputs":[{"name":"n","type":"string"},{"name":"d","type":"uint8"}]},
        {"type":"function","name":"balanceOf","stateMutability":"view",
         "inputs":[{"name":"who","type":"address"}],"outputs":[{"name":"","type":"uint256"}]},
        {"type":"function","name":"poke","stateMutability":"nonpayable",
         "inputs":[{"name":"words","type":"string[]"}],"outputs":[]},
        {"name":"old","constant":true,"inputs":[],"outputs":[{"name":"","type":"bytes32"}]},
        {"type":"event","name":"E","inputs":[{"name":"x","type":"uint256","indexed":true}]},
        {"type":"error","name":"Nope","inputs":[{"name":"who","type":"address"}]}, 5]"#;

    #[test]
    fn entries_are_listed_by_kind() {
        let abi = ContractAbi::parse(ABI).unwrap();
        let listed: Vec<_> = abi
            .functions
            .iter()
            .map(|function| (function.kind, function.declaration().to_string()))
            .collect();
        assert_eq!(
            listed,
            [
                (AbiKind::Read, "balanceOf(address who) → uint256".to_owned()),
                (AbiKind::Write, "poke(string[] words)".to_owned()),
                (AbiKind::Read, "old() → bytes32".to_owned()),
                (AbiKind::Errors, "Nope(address who)".to_owned()),
            ]
        );
        let [event] = &abi.events[..] else { panic!() };
        assert_eq!(*event.declaration, *"E(uint256 indexed x)");
        assert_eq!(event.topic, Some(keccak256("E(uint256)")));
        assert!(abi.problem.is_some());
    }

    #[test]
    fn calls_are_rejected_for_their_value_or_their_function() {
        let abi = r#"[{"type":"constructor","inputs":[]},{"type":"receive"},
            {"type":"function","name":"pay","stateMutability":"payable","inputs":[]},
            {"type":"function","name":"poke","stateMutability":"nonpayable","inputs":[]}]"#;
        let [open, closed] =
            [abi, &abi.replace("receive", "event")].map(|abi| ContractAbi::parse(abi).unwrap());
        let selector = |name: &str| keccak256(name)[..4].to_vec();
        let why = |abi: &ContractAbi, calldata: Option<&[u8]>, value: u64| {
            abi.rejection(RejectedCall { calldata, value: U256::from(value) })
                .map(|why| why.to_string())
        };
        let [pay, poke] = [selector("pay()"), selector("poke()")];
        assert_eq!(why(&open, Some(&pay), 1), None);
        assert_eq!(why(&open, Some(&poke), 0), None);
        assert_eq!(why(&open, Some(&poke), 1).unwrap(), "poke is not payable: 1 wei sent");
        assert_eq!(why(&open, None, 2).unwrap(), "constructor is not payable: 2 wei sent");
        assert_eq!(why(&open, Some(&[]), 1), None);
        let no_function = why(&open, Some(&[1, 2, 3, 4, 5]), 0).unwrap();
        assert_eq!(no_function, "no function 0x01020304 and no fallback");
        assert_eq!(
            why(&closed, Some(&[]), 1).unwrap(),
            "takes no coin: no receive and no fallback"
        );
    }

    #[test]
    fn text_is_an_argument_by_its_hash_or_its_bytes() {
        let hash = Some(keccak256("MINTER"));
        for text in ["keccak256(\"MINTER\")", "keccak(MINTER)"] {
            assert_eq!((word_of_text(text, 32), word_of_text(text, 4)), (hash, None));
        }
        let mut word = [0; 32];
        word[..2].copy_from_slice(b"ab");
        assert_eq!(word_of_text("\"ab\"", 2), Some(word.into()));
        assert_eq!([word_of_text("\"abc\"", 2), word_of_text("0xab", 2)], [None; 2]);
    }

    #[test]
    fn typed_arguments_are_encoded_and_answers_decoded() {
        let abi = ContractAbi::parse(ABI).unwrap();
        let [balance_of, poke, ..] = &abi.functions[..] else { panic!() };
        let who = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266".into();
        let call = balance_of.encode_call(&[who]).unwrap();
        assert_eq!(
            hex::encode(&call),
            "70a08231000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266"
        );
        let values = balance_of.decode_output(&[&[0; 31][..], &[7]].concat()).unwrap();
        assert_eq!(&*values[0].value.summary(), "7");
        assert_eq!(balance_of.decode_output(&[]), None);
        assert!(balance_of.encode_call(&["Alice".into()]).is_err());
        assert!(poke.encode_call(&["[a, b]".into()]).is_ok());
    }

    #[test]
    fn constructor_arguments_are_the_end_of_the_creation() {
        let abi = ContractAbi::parse(ABI).unwrap();
        let values = DynSolValue::Tuple(vec![
            DynSolValue::String("Gold".to_owned()),
            DynSolValue::Uint(alloy_primitives::U256::from(18), 8),
        ]);
        let code = hex!("6080604052f3fe");
        let creation = [&code[..], &values.abi_encode_params()].concat();
        let (start, arguments) = abi.constructor_arguments(&creation).unwrap();
        assert_eq!(start, code.len());
        assert_eq!(&*arguments[0].value.summary(), "\"Gold\"");
        assert_eq!(abi.constructor_arguments(&code), None);
    }
}
