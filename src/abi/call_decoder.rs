//! Decodes calls with the first signature that fits, and the calls inside their arguments.

use std::sync::Arc;

use alloy_dyn_abi::{DynSolType, DynSolValue};
use strum::VariantArray;

use super::SignatureSource;
use super::decode::{decode, is_abi_like};
use super::multi_send::{MULTI_SEND, unpack_transactions};
use super::selector::SELECTOR_BYTES;
use super::signatures::{
    CallTarget, Candidate, LookupScope, Signature, SignatureDb, SignatureKind,
};
use super::value::{AbiValue, Argument, DecodedCall};
use crate::chain::{Address, WORD_BYTES};
use crate::sanitize::SafeText;

const MAX_NESTING_DEPTH: usize = 8;
const MAX_NESTED_CALLS: usize = 256;

/// Functions whose `bytes` arguments are calls. Bytes after the arguments of such a call are accepted.
const CALL_CARRYING_FUNCTIONS: &[&str] = &[
    "aggregate",
    "aggregate3",
    "aggregate3Value",
    "batch",
    "blockAndAggregate",
    "execTransaction",
    "execTransactionFromModule",
    "execTransactionFromModuleReturnData",
    "execute",
    "executeBatch",
    "handleOps",
    MULTI_SEND,
    "multicall",
    "propose",
    "schedule",
    "scheduleBatch",
    "tryAggregate",
    "tryBlockAndAggregate",
    "tryMulticall",
    "upgradeAndCall",
    "upgradeToAndCall",
];
/// Functions among these that only keep calls for later.
const SCHEDULING_FUNCTIONS: &[&str] = &["propose", "schedule", "scheduleBatch"];
const SELF_CALLING_FUNCTIONS: &[&str] = &["multicall", "tryMulticall"];
/// Names of parameters that hold the address called with the neighbouring bytes.
const TARGET_PARAMETER_NAMES: &[&str] = &["to", "target", "dest", "callee", "_to", "_target"];

/// Returns the names of the contract at an address and of its implementations.
pub type NamesOf<'a> = &'a dyn Fn(Address) -> Vec<String>;

impl SignatureDb {
    /// Decodes a call, and the calls in its arguments, of contracts with known names.
    pub(super) fn decode_named_call(
        &self,
        to: Option<Address>,
        names_of: NamesOf<'_>,
        input: &[u8],
    ) -> Option<DecodedCall> {
        let target = CallTarget { address: to, names: &[] };
        let decoder = CallDecoder::new(self, SignatureKind::Function);
        CallDecoder { names_of: Some(names_of), ..decoder }.decode(target, input)
    }

    /// Decodes a call. `names` are the contract's and its implementation's: an ABI added under one of
    /// them is preferred.
    pub fn decode_call(
        &self,
        to: Option<Address>,
        names: &[&str],
        input: &[u8],
    ) -> Option<DecodedCall> {
        let target = CallTarget { address: to, names };
        CallDecoder::new(self, SignatureKind::Function).decode(target, input)
    }

    /// Decodes a call by a declaration that is certain, and the calls in its arguments by all known
    /// signatures. Returns `None` if the declaration does not fit.
    pub fn decode_declared(
        &self,
        declaration: &str,
        to: Option<Address>,
        names: &[&str],
        input: &[u8],
    ) -> Option<DecodedCall> {
        let signature = Arc::new(Signature::parse(declaration).ok()?);
        let (selector, data) = input.split_first_chunk::<4>()?;
        if signature.selector() != *selector {
            return None;
        }
        let declared = Candidate { signature, source: SignatureSource::User };
        let mut call = best_match(vec![declared], data)?;
        let target = CallTarget { address: to, names };
        let context = NestedContext { target, may_trail: true, depth: 0 };
        CallDecoder::new(self, SignatureKind::Function).decode_all_calls(&mut call, context);
        Some(call)
    }

    /// Decodes the arguments of a constructor, and the calls in them, of a contract that was compiled in the
    /// project. The name is the contract's.
    pub fn decode_creation(&self, init_code: &[u8]) -> Option<DecodedCall> {
        let (constructor, arguments) = self.find_creation(init_code)?;
        let mut call = best_match(vec![constructor], arguments)?;
        let address = call.arguments.iter().find_map(|argument| match argument.value {
            AbiValue::Address(address) => Some(address),
            _ => None,
        });
        // A proxy calls its implementation.
        let target = CallTarget { address, names: &[] };
        let named = call.arguments.iter().map(|argument| (&argument.name, &argument.value));
        let inside = NestedContext { target, may_trail: false, depth: 1 }
            .with_target(explicit_target(named));
        let mut decoder = CallDecoder::new(self, SignatureKind::Function);
        for argument in &mut call.arguments {
            decoder.decode_calls_in(&mut argument.value, inside);
        }
        call.has_unread_calls = decoder.has_left_out;
        Some(call)
    }

    /// Decodes the outputs of carried calls in a list of as many bytes, such as a multicall returns: the value
    /// of a call with one, or the error of one that failed.
    pub(super) fn decode_carried_outputs(&self, call: &DecodedCall, values: &mut [Argument]) {
        let carried = call.arguments.iter().find_map(|argument| match &argument.value {
            AbiValue::Array(_, items) => items.iter().map(carried_call).collect::<Option<Vec<_>>>(),
            _ => None,
        });
        let Some(carried) = carried else { return };
        for value in values.iter_mut().map(|argument| &mut argument.value) {
            let AbiValue::Array(_, items) = value else { continue };
            if items.len() != carried.len() {
                continue;
            }
            for (item, call) in items.iter_mut().zip(&carried) {
                self.decode_carried_output(call, item);
            }
        }
    }

    fn decode_carried_output(&self, call: &DecodedCall, item: &mut AbiValue) {
        match item {
            AbiValue::Tuple(_, fields) => {
                for field in fields {
                    self.decode_carried_output(call, field);
                }
            }
            AbiValue::Bytes(bytes) if bytes.len() % WORD_BYTES == SELECTOR_BYTES => {
                if let Some(error) = self.decode_error(bytes) {
                    *item = AbiValue::Call(bytes.clone(), Box::new(error));
                }
            }
            AbiValue::Bytes(bytes) => {
                let outputs = self.decode_output(call, bytes).unwrap_or_default();
                if let Ok([only]) = <[Argument; 1]>::try_from(outputs) {
                    *item = only.value;
                }
            }
            _ => {}
        }
    }

    /// Decodes the errors that the arguments of another one hold in bytes.
    pub fn decode_errors_in(&self, arguments: &mut [Argument]) {
        let inside = NestedContext { target: CallTarget::default(), may_trail: false, depth: 1 };
        let mut decoder = CallDecoder::new(self, SignatureKind::Error);
        for argument in arguments {
            decoder.decode_calls_in(&mut argument.value, inside);
        }
    }

    pub(super) fn decode_error(&self, data: &[u8]) -> Option<DecodedCall> {
        CallDecoder::new(self, SignatureKind::Error).decode(CallTarget::default(), data)
    }
}

impl DecodedCall {
    /// Returns the contracts that calls in the arguments name as their targets.
    pub fn named_targets(&self) -> Vec<Address> {
        let mut targets = Vec::new();
        self.visit_calls(Visited { to: None, is_made: true }, &mut |_, call| {
            targets.extend(call.to);
        });
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// Visits the call, and the calls in its arguments with the contract that those name.
    pub(super) fn visit_calls(&self, call: Visited, visit: &mut dyn FnMut(&Self, Visited)) {
        visit(self, call);
        let named = self.arguments.iter().map(|argument| (&argument.name, &argument.value));
        let is_self_call = SELF_CALLING_FUNCTIONS.contains(&&*self.name);
        let is_executor = CALL_CARRYING_FUNCTIONS.contains(&&*self.name)
            && !SCHEDULING_FUNCTIONS.contains(&&*self.name);
        let inside = Visited {
            to: explicit_target(named).or(call.to.filter(|_| is_self_call)),
            is_made: call.is_made && is_executor,
        };
        for argument in &self.arguments {
            argument.value.visit_calls(inside, visit);
        }
    }
}

/// A call among others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visited {
    /// The called contract, if it is known.
    pub(super) to: Option<Address>,
    /// `false` if the calls around it need not make it: they schedule it, or are of an unknown contract.
    pub(super) is_made: bool,
}

impl AbiValue {
    fn visit_calls(&self, inside: Visited, visit: &mut dyn FnMut(&DecodedCall, Visited)) {
        match self {
            Self::Array(_, items) => {
                for item in items {
                    item.visit_calls(inside, visit);
                }
            }
            Self::Tuple(fields, items) => {
                let names = fields.iter().map(|field| &field.name);
                let to = explicit_target(names.zip(items.iter())).or(inside.to);
                for item in items {
                    item.visit_calls(Visited { to, ..inside }, visit);
                }
            }
            Self::Call(_, call) => call.visit_calls(inside, visit),
            _ => {}
        }
    }
}

struct CallDecoder<'a> {
    signatures: &'a SignatureDb,
    kind: SignatureKind,
    /// Names of contracts that have none in the context.
    names_of: Option<NamesOf<'a>>,
    remaining_calls: usize,
    /// `true` if bytes that may be a call were left as they are for a limit.
    has_left_out: bool,
}

#[derive(Clone, Copy)]
struct NestedContext<'a> {
    target: CallTarget<'a>,
    may_trail: bool,
    depth: usize,
}

impl NestedContext<'_> {
    fn with_target(self, address: Option<Address>) -> Self {
        match address {
            Some(_) => Self { target: CallTarget { address, names: &[] }, ..self },
            None => self,
        }
    }
}

impl<'a> CallDecoder<'a> {
    fn new(signatures: &'a SignatureDb, kind: SignatureKind) -> Self {
        let (remaining_calls, has_left_out) = (MAX_NESTED_CALLS, false);
        Self { signatures, kind, names_of: None, remaining_calls, has_left_out }
    }

    fn decode(mut self, target: CallTarget<'_>, data: &[u8]) -> Option<DecodedCall> {
        let context = NestedContext { target, may_trail: true, depth: 0 };
        let mut decoded = self.decode_in(context, data)?;
        decoded.has_unread_calls = self.has_left_out;
        Some(decoded)
    }

    fn decode_all_calls(mut self, decoded: &mut DecodedCall, context: NestedContext<'_>) {
        self.decode_nested_calls(decoded, context);
        decoded.has_unread_calls = self.has_left_out;
    }

    fn decode_in(&mut self, context: NestedContext<'_>, data: &[u8]) -> Option<DecodedCall> {
        let (selector, data) = data.split_first_chunk::<4>()?;
        let unnamed = context.target.address.filter(|_| context.target.names.is_empty());
        let known = unnamed.zip(self.names_of).map(|(address, names_of)| names_of(address));
        let known: Vec<&str> = known.iter().flatten().map(String::as_str).collect();
        let named = CallTarget { names: &known, ..context.target };
        let target = if known.is_empty() { context.target } else { named };
        let found = LookupScope::VARIANTS.iter().find_map(|scope| {
            let candidates = self.signatures.candidates(*scope, self.kind, target, *selector);
            best_match(candidates, data)
        });
        let mut decoded = found.filter(|found| context.may_trail || found.trailing_bytes == 0)?;
        self.decode_nested_calls(&mut decoded, context);
        Some(decoded)
    }

    fn decode_nested_calls(&mut self, decoded: &mut DecodedCall, context: NestedContext<'_>) {
        let name = &*decoded.name;
        let is_self_call = SELF_CALLING_FUNCTIONS.contains(&name);
        let named = decoded.arguments.iter().map(|argument| (&argument.name, &argument.value));
        let inside = NestedContext {
            target: if is_self_call { context.target } else { CallTarget::default() },
            may_trail: CALL_CARRYING_FUNCTIONS.contains(&name),
            depth: context.depth + 1,
        }
        .with_target(explicit_target(named));
        for argument in &mut decoded.arguments {
            if let (MULTI_SEND, AbiValue::Bytes(packed)) = (name, &argument.value)
                && let Some(transactions) = unpack_transactions(packed)
            {
                argument.value = transactions;
            }
            self.decode_calls_in(&mut argument.value, inside);
        }
    }

    fn decode_calls_in(&mut self, value: &mut AbiValue, inside: NestedContext<'_>) {
        match value {
            AbiValue::Array(_, items) => {
                for item in items {
                    self.decode_calls_in(item, inside);
                }
            }
            AbiValue::Tuple(fields, items) => {
                let names = fields.iter().map(|field| &field.name);
                let inside = inside.with_target(explicit_target(names.zip(items.iter())));
                for item in items {
                    self.decode_calls_in(item, inside);
                }
            }
            AbiValue::Bytes(bytes) if bytes.len() >= SELECTOR_BYTES => {
                if self.remaining_calls == 0 || inside.depth > MAX_NESTING_DEPTH {
                    self.has_left_out = true;
                    return;
                }
                self.remaining_calls -= 1;
                match self.decode_in(inside, bytes) {
                    Some(decoded) => *value = AbiValue::Call(bytes.clone(), Box::new(decoded)),
                    None => self.remaining_calls += 1,
                }
            }
            _ => {}
        }
    }
}

/// Returns the call that an item of a list carries, alone or among the fields of a struct.
fn carried_call(item: &AbiValue) -> Option<&DecodedCall> {
    match item {
        AbiValue::Call(_, call) => Some(call),
        AbiValue::Tuple(_, fields) => fields.iter().find_map(carried_call),
        _ => None,
    }
}

/// Returns the address to which the bytes among these values are sent.
fn explicit_target<'a>(
    mut named: impl Iterator<Item = (&'a SafeText, &'a AbiValue)>,
) -> Option<Address> {
    named.find_map(|(name, value)| match value {
        AbiValue::Address(address) if TARGET_PARAMETER_NAMES.contains(&&**name) => Some(*address),
        _ => None,
    })
}

/// Decodes with the first candidate that fits, and lists the others that fit as well.
fn best_match(candidates: Vec<Candidate>, data: &[u8]) -> Option<DecodedCall> {
    let mut fitting: Vec<_> = candidates
        .into_iter()
        .filter_map(|candidate| {
            let decoded = decode(&candidate.signature.inputs, data)?;
            let is_plausible =
                !candidate.source.is_selector_only() || is_abi_like(data, decoded.trailing_bytes);
            is_plausible.then_some((candidate, decoded))
        })
        .collect();
    // A signature that leaves no bytes is likelier.
    fitting.sort_by_key(|(_, decoded)| decoded.trailing_bytes > 0);
    let mut fitting = fitting.into_iter();
    let (Candidate { signature, source }, decoded) = fitting.next()?;
    let mut alternatives = Vec::new();
    for (Candidate { signature: other, .. }, _) in fitting {
        // The same function in another ABI may have other parameter names.
        let is_new = other.canonical() != signature.canonical();
        if is_new && !alternatives.contains(&other.declaration()) {
            alternatives.push(other.declaration());
        }
    }
    Some(DecodedCall {
        name: signature.name.shown.clone(),
        signature: signature.declaration(),
        arguments: Argument::from_values(&signature.inputs, decoded.values),
        source,
        trailing_bytes: decoded.trailing_bytes,
        has_unread_calls: false,
        alternatives,
        outputs: signature.outputs.clone(),
    })
}

impl DecodedCall {
    /// Returns the canonical signature and the arguments as texts, as `cast` takes them. `None` if they are not encoded
    /// into the same calldata: it may have more bytes, or a text that no quotes can hold.
    pub fn typed(&self, calldata: &[u8]) -> Option<(String, Vec<String>)> {
        let signature = Signature::parse(&self.signature).ok()?;
        let texts: Vec<String> =
            self.arguments.iter().map(|argument| argument.value.typed_text()).collect();
        let parameters = signature.inputs.iter().zip(&texts);
        let values = parameters
            .map(|(parameter, text)| {
                DynSolType::parse(&parameter.ty.to_string()).ok()?.coerce_str(text).ok()
            })
            .collect::<Option<Vec<_>>>()?;
        let arguments = DynSolValue::Tuple(values).abi_encode_params();
        let encoded = [&signature.selector()[..], &arguments].concat();
        (encoded == calldata).then(|| (signature.canonical(), texts))
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{hex, keccak256};

    use super::*;
    use crate::abi::signatures::CreationCode;
    use crate::chain::U256;

    #[test]
    fn functions_that_carry_calls_are_spelt_as_in_their_signatures() {
        let known = include_str!("../../assets/selectors.txt");
        for name in CALL_CARRYING_FUNCTIONS {
            // The only one without a signature that is common.
            let is_known = known.contains(&format!(" {name}(")) || *name == "batch";
            assert!(is_known, "{name}");
        }
        assert!(SELF_CALLING_FUNCTIONS.iter().all(|name| CALL_CARRYING_FUNCTIONS.contains(name)));
    }

    #[test]
    fn only_carried_calls_may_have_bytes_after_their_arguments() {
        let word = |n: u64| U256::from(n).to_be_bytes::<32>();
        let has_call = |name: &str| {
            let mut signatures = SignatureDb::default();
            let inner = signatures.add_signature("ping(uint256)").unwrap();
            let outer = signatures.add_signature(&format!("{name}(bytes)")).unwrap();
            let carried = [&inner[..], &word(7), &[1; 28]].concat();
            let data = [&outer[..], &word(32), &word(64), &carried].concat();
            let call = signatures.decode_call(None, &[], &data).unwrap();
            matches!(call.arguments[0].value, AbiValue::Call(..))
        };
        // The calls of a multiSend are packed.
        let functions = CALL_CARRYING_FUNCTIONS.iter().filter(|name| **name != MULTI_SEND);
        for name in functions {
            assert!(has_call(name), "{name}");
        }
        assert!(!has_call("send"));
    }

    #[test]
    fn error_of_a_carried_call_is_decoded_in_the_output() {
        let abi = r#"[
            {"type":"function","name":"ping","inputs":[{"name":"n","type":"uint256"}]},
            {"type":"function","name":"multicall","inputs":[{"name":"calls","type":"bytes[]"}],
             "outputs":[{"name":"results","type":"bytes[]"}]},
            {"type":"error","name":"Denied","inputs":[{"name":"code","type":"uint256"}]}]"#;
        let mut signatures = SignatureDb::default();
        signatures.add_contract_abi(None, "Vault", abi).unwrap();
        let word = |n: u64| U256::from(n).to_be_bytes::<32>();
        // A list of one: a selector, a number, and padding.
        let list = |signature: &str| {
            let selector = keccak256(signature)[..4].to_vec();
            let lengths = [word(32), word(1), word(32), word(36)].concat();
            [&*lengths, &selector, &word(7), &[0; 28]].concat()
        };
        let multicall = keccak256("multicall(bytes[])")[..4].to_vec();
        let data = [multicall, list("ping(uint256)")].concat();
        let call = signatures.decode_call(None, &[], &data).unwrap();
        let output = signatures.decode_output(&call, &list("Denied(uint256)")).unwrap();
        let AbiValue::Array(_, items) = &output[0].value else { panic!("{output:?}") };
        assert!(matches!(&items[0], AbiValue::Call(_, error) if &*error.name == "Denied"));
    }

    #[test]
    fn call_of_a_constructor_is_decoded_as_the_implementation_declares_it() {
        let abi = |name: &str| {
            let input = format!(r#"{{"name":"{name}","type":"uint256"}}"#);
            format!(r#"[{{"type":"function","name":"initialize","inputs":[{input}]}}]"#)
        };
        let proxy = r#"[{"type":"constructor","inputs":[
            {"name":"logic","type":"address"},{"name":"data","type":"bytes"}]}]"#;
        let logic = Address::repeat_byte(0xaa);
        let object = "6001".repeat(30);
        let mut signatures = SignatureDb::default();
        let code = CreationCode::parse(&object);
        signatures.add_compiled(&"Proxy".into(), proxy, code.as_ref()).unwrap();
        signatures.add_contract_abi(Some(logic), "Vault", &abi("cap")).unwrap();
        signatures.add_contract_abi(None, "Other", &abi("supply")).unwrap();
        let word = |n: u64| U256::from(n).to_be_bytes::<32>();
        let call = [&keccak256("initialize(uint256)")[..4], &word(7)].concat();
        let arguments = [&logic.into_word()[..], &word(64), &word(36), &call, &[0; 28]].concat();
        let init_code = [hex::decode(object).unwrap(), arguments].concat();
        let creation = signatures.decode_creation(&init_code).unwrap();
        let AbiValue::Call(_, carried) = &creation.arguments[1].value else {
            panic!("{creation:?}")
        };
        assert_eq!(&*carried.arguments[0].name, "cap");
    }
}
