//! Parses ABI files: the compiler's JSON, bare or in the artifacts of Foundry and Hardhat.
//!
//! `alloy-json-abi` cannot replace this parser: it rejects entries without `type` or `outputs`, as
//! written by old compilers, and unusual names, and does not expand `uint` before hashing.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::event::EventSignature;
use super::signature::{Signature, SignatureKind};
use super::signature_parser::{MAX_SIGNATURE_BYTES, parse_json_type};
use crate::abi::json_files::MAX_FILE_BYTES;
use crate::abi::selector::{SpecialFunction, SpecialFunctions};
use crate::abi::sol_type::{AbiParameter, heap_bytes};
use crate::messages::abi::{AbiError, SignatureError};
use crate::safety::name_marks::guard_identifier;
use crate::sanitize::for_each_element;

/// Maximum bytes of an entry. The longest signatures have a tenth of it.
const MAX_ENTRY_BYTES: usize = 256 << 10;
/// Maximum memory of an ABI in bytes. Large contracts take some 100 kB.
const MAX_KEPT_BYTES: usize = 16 << 20;

#[derive(Deserialize)]
struct AbiFile<'a> {
    #[serde(borrow)]
    abi: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct AbiEntry {
    #[serde(rename = "type", default)]
    entry_type: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    inputs: Vec<JsonParameter>,
    outputs: Option<Vec<JsonParameter>>,
    #[serde(default)]
    anonymous: bool,
    #[serde(rename = "stateMutability", default)]
    mutability: String,
    /// Written by old compilers instead of `stateMutability`.
    #[serde(default)]
    constant: bool,
    #[serde(default)]
    payable: bool,
}

#[derive(Deserialize)]
struct JsonParameter {
    #[serde(default)]
    indexed: bool,
    #[serde(default)]
    name: String,
    #[serde(rename = "type")]
    ty: String,
    #[serde(rename = "internalType", default)]
    internal_type: String,
    #[serde(default)]
    components: Vec<JsonParameter>,
}

pub(super) struct ParsedAbi {
    pub(super) signatures: Vec<Signature>,
    pub(super) events: Vec<EventSignature>,
    pub(super) special: SpecialFunctions,
    /// Parameters of the constructor, if one is declared.
    pub(super) constructor: Vec<AbiParameter>,
    pub(super) first_problem: Option<AbiError>,
    /// Approximate memory of the signatures and events in bytes.
    pub(super) kept_bytes: usize,
}

pub(in crate::abi) enum ParsedEntry {
    Signature { signature: Signature, is_view: bool, is_payable: bool },
    Event(EventSignature),
    Constructor { inputs: Vec<AbiParameter>, is_payable: bool },
    Special(SpecialFunction),
}

impl ParsedEntry {
    fn kept_bytes(&self) -> usize {
        match self {
            Self::Signature { signature, .. } => signature.kept_bytes(),
            Self::Event(event) => event.kept_bytes(),
            Self::Constructor { inputs, .. } => heap_bytes(inputs),
            Self::Special(_) => 0,
        }
    }
}

/// Parses the valid functions, errors and events of an ABI file.
pub(super) fn parse(json: &str) -> Result<ParsedAbi, AbiError> {
    let mut signatures = Vec::new();
    let mut events = Vec::new();
    let mut special = SpecialFunctions::default();
    let mut constructor = Vec::new();
    let mut kept_bytes = 0;
    let first_problem = parse_entries(json, |entry| {
        kept_bytes += entry.kept_bytes();
        match entry {
            ParsedEntry::Signature { signature, .. } => signatures.push(signature),
            ParsedEntry::Event(event) => events.push(event),
            ParsedEntry::Constructor { inputs, .. } => constructor = inputs,
            ParsedEntry::Special(function) => special.add(function),
        }
    })?;
    Ok(ParsedAbi { signatures, events, special, constructor, first_problem, kept_bytes })
}

/// Passes the valid entries of an ABI file to `add`. Returns the first problem of the others.
pub(in crate::abi) fn parse_entries(
    json: &str,
    mut add: impl FnMut(ParsedEntry),
) -> Result<Option<AbiError>, AbiError> {
    if json.len() as u64 > MAX_FILE_BYTES {
        return Err(AbiError::LargeFile);
    }
    let bare = json.trim_start().starts_with('[');
    let abi = if bare { json } else { extract_abi(json)? };
    let (mut first_problem, mut kept_bytes) = (None, 0);
    let visited = for_each_element(abi, |item| match parse_entry(item) {
        _ if kept_bytes > MAX_KEPT_BYTES => {}
        Ok(entry) => {
            kept_bytes += entry.as_ref().map_or(0, ParsedEntry::kept_bytes);
            entry.into_iter().for_each(&mut add);
        }
        Err(why) => first_problem = first_problem.take().or(Some(why)),
    });
    visited.map_err(|e| invalid_abi(&e))?;
    let is_full = kept_bytes > MAX_KEPT_BYTES;
    Ok(if is_full { Some(AbiError::LargeAbi) } else { first_problem })
}

fn extract_abi(json: &str) -> Result<&str, AbiError> {
    let file: AbiFile<'_> = serde_json::from_str(json).map_err(|e| invalid_abi(&e))?;
    file.abi.map(RawValue::get).ok_or(AbiError::NoAbi)
}

fn invalid_abi(error: &serde_json::Error) -> AbiError {
    AbiError::Invalid(error.to_string().into())
}

fn parse_entry(entry: &RawValue) -> Result<Option<ParsedEntry>, AbiError> {
    if entry.get().len() > MAX_ENTRY_BYTES {
        return Err(AbiError::LargeEntry);
    }
    let entry: AbiEntry = serde_json::from_str(entry.get()).map_err(|e| invalid_abi(&e))?;
    let is_payable = entry.payable || entry.mutability == "payable";
    let kind = match entry.entry_type.as_str() {
        "function" | "" => SignatureKind::Function,
        "error" => SignatureKind::Error,
        "event" => return Ok(Some(ParsedEntry::Event(parse_event(entry)?))),
        "constructor" => {
            let inputs = resolve_parameters(entry.inputs)?;
            return Ok(Some(ParsedEntry::Constructor { inputs, is_payable }));
        }
        "receive" => return Ok(Some(ParsedEntry::Special(SpecialFunction::Receive))),
        "fallback" => return Ok(Some(ParsedEntry::Special(SpecialFunction::Fallback))),
        _ => return Ok(None),
    };
    let is_view = entry.constant || matches!(&*entry.mutability, "view" | "pure");
    let parsed = resolve_parameters(entry.inputs)
        .and_then(|inputs| {
            let outputs = entry.outputs.map(resolve_parameters).transpose()?;
            short_signature(kind, &entry.name, inputs, outputs)
        })
        .map(|signature| Some(ParsedEntry::Signature { signature, is_view, is_payable }));
    let name: String = guard_identifier(&entry.name).chars().take(80).collect();
    parsed.map_err(|why| AbiError::Entry { name: name.into(), why })
}

fn parse_event(entry: AbiEntry) -> Result<EventSignature, SignatureError> {
    let indexed: Vec<bool> = entry.inputs.iter().map(|input| input.indexed).collect();
    let inputs = resolve_parameters(entry.inputs)?;
    let signature = short_signature(SignatureKind::Event, &entry.name, inputs, None)?;
    Ok(EventSignature { signature, indexed, is_anonymous: entry.anonymous })
}

/// Creates a signature, unless its names are too long: they are shown, and compilers do not bound their length.
fn short_signature(
    kind: SignatureKind,
    name: &str,
    inputs: Vec<AbiParameter>,
    outputs: Option<Vec<AbiParameter>>,
) -> Result<Signature, SignatureError> {
    let signature = Signature::new(kind, name, inputs, outputs)?;
    let is_short = signature.declaration().len() <= MAX_SIGNATURE_BYTES;
    is_short.then_some(signature).ok_or(SignatureError::LongNames)
}

fn resolve_parameters(parameters: Vec<JsonParameter>) -> Result<Vec<AbiParameter>, SignatureError> {
    parameters
        .into_iter()
        .map(|parameter| {
            let ty = parse_json_type(&parameter.ty, resolve_parameters(parameter.components)?)?;
            Ok(AbiParameter::new(&parameter.name, ty).with_internal_type(&parameter.internal_type))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declarations(json: &str) -> Vec<String> {
        let abi = parse(json).unwrap();
        abi.signatures.iter().map(|signature| signature.declaration().to_string()).collect()
    }

    #[test]
    fn functions_and_errors_are_parsed() {
        let abi = r#"[
            {"type":"constructor","inputs":[{"name":"x","type":"uint256"}]},
            {"type":"event","name":"E","inputs":[{"name":"x","type":"uint256","indexed":true}]},
            {"type":"receive","stateMutability":"payable"},
            {"type":"function","name":"f","inputs":[{"name":"calls","type":"tuple[2][]",
              "components":[{"name":"to","type":"address"},{"name":"","type":"bytes"}]}],
              "outputs":[]},
            {"constant":true,"name":"old","inputs":[],"payable":false},
            {"type":"error","name":"Nope","inputs":[{"name":"who","type":"address"}]}]"#;
        let expected = ["f((address to, bytes)[2][] calls)", "old()", "Nope(address who)"];
        assert_eq!(declarations(abi), expected);
        let artifact = format!(r#"{{"bytecode":{{"object":"0x"}},"abi":{abi}}}"#);
        assert_eq!(declarations(&artifact), expected);
    }

    #[test]
    fn structs_and_enums_have_their_names() {
        for (ty, internal, shown) in [
            ("tuple[]", "struct Vault.Order[]", "Order[]"),
            ("tuple[]", "struct Order[2][]", "Order[2][]"),
            ("uint8", "enum Vault.Kind", "Kind"),
            ("address", "contract IERC20", "address"),
            ("uint256", "Price", "uint256"),
            ("uint8", "enum A b", "uint8"),
            ("uint8", "enum ␛", "uint8"),
            ("int256", "enum uint256", "int256"),
            ("bytes20", "enum Vault.address", "bytes20"),
        ] {
            let input = format!(
                r#"{{"name":"x","type":"{ty}","internalType":"{internal}","components":[{{"type":"bool"}}]}}"#
            );
            let json = format!(r#"[{{"type":"function","name":"f","inputs":[{input}]}}]"#);
            let abi = parse(&json).unwrap();
            assert_eq!(&*abi.signatures[0].inputs[0].type_name(), shown);
        }
    }

    #[test]
    fn problems_are_reported() {
        let abi = r#"[{"type":"function","name":"f","inputs":[{"type":"fixed128x18"}]},
            {"type":"function","name":"g","inputs":[{"type":"tuple"}]}, 5,
            {"type":"function","name":"h"}]"#;
        assert_eq!(declarations(abi), ["h()"]);
        let problem = parse(abi).unwrap().first_problem.unwrap();
        assert_eq!(problem.to_string(), "f: unknown type `fixed128x18`");
        let why = |json: &str| parse(json).err().map(|why| why.to_string()).unwrap_or_default();
        assert_eq!(why("{}"), "no `abi` field");
        assert!(why("hello").starts_with("not an ABI: "));
        assert!(why(&format!("[{}", "[".repeat(1_000))).starts_with("not an ABI: "));
        assert_eq!(why(&" ".repeat((16 << 20) + 1)), "file is larger than 16 MB");
        let deep = r#"{"type":"tuple","components":["#.repeat(40);
        let json =
            format!(r#"[{{"type":"function","name":"f","inputs":[{deep}{}]}}]"#, "]}".repeat(40));
        assert!(parse(&json).unwrap().first_problem.is_some());
        let error = |length| format!(r#"[{{"type":"error","name":"{}"}}]"#, "x".repeat(length));
        assert_eq!(declarations(&error(MAX_SIGNATURE_BYTES - 2)).len(), 1, "with its parentheses");
        let long = error(MAX_SIGNATURE_BYTES - 1);
        let problem = parse(&long).unwrap().first_problem.unwrap();
        assert_eq!(problem.to_string(), format!("{}: names too long", "x".repeat(80)));
    }
}
