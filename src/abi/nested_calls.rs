//! The signature that data fit, and the calls inside a call.

use std::sync::Arc;

use super::decode::{decode, is_abi_like};
use super::signature::{Selector, Signature, SignatureKind};
use super::signature_table::{BUILTIN_SIGNATURES, DEMO_SIGNATURES};
use super::value::AbiValue;
use super::{DecodedCall, SignatureDb, SignatureSource, named_arguments};
use crate::chain::Address;
use crate::sanitize::SafeText;

/// Calls inside calls that are decoded.
const MAX_NESTING_DEPTH: usize = 4;
/// Calls inside one call that are decoded.
const MAX_NESTED_CALLS: usize = 256;

/// Functions whose bytes are calls. What is behind the arguments of such a call is let pass.
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
/// Functions that call their own contract.
const SELF_CALLING_FUNCTIONS: &[&str] = &["multicall", "tryMulticall"];
/// What the parameter is named that says whom bytes beside it are for.
const TARGET_PARAMETER_NAMES: &[&str] = &["to", "target", "dest", "callee", "_to", "_target"];

/// Where signatures are looked for, in this order. The first place with one that fits decides.
const LOOKUP_ORDER: [LookupScope; 5] = [
    LookupScope::Address,
    LookupScope::Names,
    LookupScope::Typed,
    LookupScope::Demo,
    LookupScope::Selector,
];

#[derive(Debug, Clone, Copy)]
enum LookupScope {
    Address,
    Names,
    Typed,
    Demo,
    Selector,
}

/// Whose function it may be: the address, and the names of the contract.
type CallTarget<'a> = (Option<Address>, &'a [&'a str]);

/// A look-up, and how many more calls inside it may be decoded.
struct CallDecoder<'a> {
    book: &'a SignatureDb,
    item: SignatureKind,
    remaining_calls: usize,
}

/// The function, or the error, that `data` fit.
pub(super) fn decode_call(
    book: &SignatureDb,
    item: SignatureKind,
    whose: CallTarget<'_>,
    data: &[u8],
) -> Option<DecodedCall> {
    CallDecoder { book, item, remaining_calls: MAX_NESTED_CALLS }.decode_call(whose, data, true, 0)
}

/// The name that a function with this selector probably has, whatever its arguments.
pub(super) fn find_function_name(
    book: &SignatureDb,
    whose: CallTarget<'_>,
    selector: Selector,
) -> Option<SafeText> {
    let search = CallDecoder { book, item: SignatureKind::Function, remaining_calls: 0 };
    let mut places =
        LOOKUP_ORDER.iter().flat_map(|place| search.candidates(*place, whose, selector));
    places.next().map(|(signature, _)| signature.name.clone())
}

impl CallDecoder<'_> {
    fn decode_call(
        &mut self,
        whose: CallTarget<'_>,
        data: &[u8],
        may_trail: bool,
        depth: usize,
    ) -> Option<DecodedCall> {
        let (selector, data) = data.split_first_chunk::<4>()?;
        let found = LOOKUP_ORDER.iter().find_map(|place| {
            let candidates = self.candidates(*place, whose, *selector);
            best_match(candidates, data)
        });
        let mut decoded = found.filter(|found| may_trail || found.trailing_bytes == 0)?;
        if depth < MAX_NESTING_DEPTH {
            self.decode_nested_calls(&mut decoded, whose, depth + 1);
        }
        Some(decoded)
    }

    fn candidates(
        &self,
        place: LookupScope,
        (to, names): CallTarget<'_>,
        selector: Selector,
    ) -> Vec<(Arc<Signature>, SignatureSource)> {
        let mut found = Vec::new();
        let book = self.book;
        let index = |index: &super::SignatureIndex,
                     found: &mut Vec<_>,
                     source: &dyn Fn(&SafeText) -> SignatureSource| {
            let known = index.find(selector).iter();
            found.extend(known.map(|known| (Arc::clone(&known.signature), source(&known.origin))));
        };
        match place {
            LookupScope::Address => {
                if let Some((to, abi)) = to.and_then(|to| Some((to, book.by_address.get(&to)?))) {
                    index(abi, &mut found, &|_| SignatureSource::Address(to));
                }
            }
            LookupScope::Names => {
                for abi in names.iter().filter_map(|name| book.by_contract_name.get(*name)) {
                    index(abi, &mut found, &|origin| SignatureSource::Contract(origin.clone()));
                }
            }
            LookupScope::Typed => {
                index(&book.user_signatures, &mut found, &|_| SignatureSource::User)
            }
            LookupScope::Demo if book.includes_demo => {
                let known = DEMO_SIGNATURES.find(selector).into_iter();
                found.extend(
                    known.map(|(signature, _)| (Arc::new(signature), SignatureSource::Demo)),
                );
            }
            LookupScope::Demo => {}
            LookupScope::Selector => {
                index(&book.all_abis, &mut found, &|origin| {
                    SignatureSource::OtherAbi(origin.clone())
                });
                if book.includes_builtin {
                    let known = BUILTIN_SIGNATURES.find(selector).into_iter();
                    found.extend(
                        known.map(|(known, group)| {
                            (Arc::new(known), SignatureSource::BuiltIn(group))
                        }),
                    );
                }
            }
        }
        found.retain(|(signature, _)| {
            signature.kind == self.item || signature.kind == SignatureKind::Any
        });
        found
    }

    /// Decodes the bytes that are calls themselves.
    fn decode_nested_calls(
        &mut self,
        decoded: &mut DecodedCall,
        whose: CallTarget<'_>,
        depth: usize,
    ) {
        let name = &*decoded.name;
        let inside = NestedContext {
            target: if SELF_CALLING_FUNCTIONS.contains(&name) { whose } else { (None, &[]) },
            may_trail: CALL_CARRYING_FUNCTIONS.contains(&name),
            depth,
        };
        let target = explicit_target(
            decoded.arguments.iter().map(|argument| (&argument.name, &argument.value)),
        );
        for argument in &mut decoded.arguments {
            self.decode_calls_in(&mut argument.value, inside.with_target(target));
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
                let target = explicit_target(names.zip(items.iter()));
                for item in items {
                    self.decode_calls_in(item, inside.with_target(target));
                }
            }
            AbiValue::Bytes(bytes) if self.remaining_calls > 0 && bytes.len() >= 4 => {
                let NestedContext { target: whose, may_trail, depth } = inside;
                self.remaining_calls -= 1;
                match self.decode_call(whose, bytes, may_trail, depth) {
                    Some(decoded) => *value = AbiValue::Call(bytes.clone(), Box::new(decoded)),
                    None => self.remaining_calls += 1,
                }
            }
            _ => {}
        }
    }
}

/// What is known of the calls inside a call.
#[derive(Clone, Copy)]
struct NestedContext<'a> {
    target: CallTarget<'a>,
    may_trail: bool,
    depth: usize,
}

impl NestedContext<'_> {
    /// The same, with the address beside the bytes.
    fn with_target(self, target: Option<Address>) -> Self {
        match target {
            Some(target) => Self { target: (Some(target), &[]), ..self },
            None => self,
        }
    }
}

/// Whom the bytes among these values are for.
fn explicit_target<'a>(
    mut named: impl Iterator<Item = (&'a SafeText, &'a AbiValue)>,
) -> Option<Address> {
    named.find_map(|(name, value)| match value {
        AbiValue::Address(address) if TARGET_PARAMETER_NAMES.contains(&&**name) => Some(*address),
        _ => None,
    })
}

/// The first signature that the data fit, with the others that they fit as well.
fn best_match(
    candidates: Vec<(Arc<Signature>, SignatureSource)>,
    data: &[u8],
) -> Option<DecodedCall> {
    let mut fitting = candidates.into_iter().filter_map(|(signature, source)| {
        let (values, trailing) = decode(&signature.inputs, data)?;
        let believed = !source.is_selector_only() || is_abi_like(data, trailing);
        believed.then_some((signature, source, values, trailing))
    });
    let (signature, source, values, trailing) = fitting.next()?;
    let mut others = Vec::new();
    for (other, ..) in fitting {
        // The same function in another ABI may have other names for its parameters.
        if other.canonical() != signature.canonical() && !others.contains(&other.declaration()) {
            others.push(other.declaration());
        }
    }
    Some(DecodedCall {
        name: signature.name.clone(),
        signature: signature.declaration(),
        arguments: named_arguments(&signature.inputs, values),
        source,
        trailing_bytes: trailing,
        alternatives: others,
        outputs: signature.outputs.clone(),
    })
}
