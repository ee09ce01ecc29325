//! The signature that data fit, and the calls inside a call.

use std::sync::Arc;

use super::decode::{decode, is_abi_like};
use super::signature::{Item, Selector, Signature};
use super::signature_table::{CURATED, DEMO};
use super::value::Value;
use super::{Book, Decoded, Source, arguments};
use crate::chain::Address;
use crate::sanitize::Text;

/// Calls inside calls that are decoded.
const DEPTH: usize = 4;
/// Calls inside one call that are decoded.
const CALLS: usize = 256;

/// Functions whose bytes are calls. What is behind the arguments of such a call is let pass.
const CARRIERS: &[&str] = &[
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
const OWN: &[&str] = &["multicall", "tryMulticall"];
/// What the parameter is named that says whom bytes beside it are for.
const TARGETS: &[&str] = &["to", "target", "dest", "callee", "_to", "_target"];

/// Where signatures are looked for, in this order. The first place with one that fits decides.
const PLACES: [Place; 5] =
    [Place::Address, Place::Names, Place::Typed, Place::Demo, Place::Selector];

#[derive(Debug, Clone, Copy)]
enum Place {
    Address,
    Names,
    Typed,
    Demo,
    Selector,
}

/// Whose function it may be: the address, and the names of the contract.
type Whose<'a> = (Option<Address>, &'a [&'a str]);

/// A look-up, and how many more calls inside it may be decoded.
struct Search<'a> {
    book: &'a Book,
    item: Item,
    left: usize,
}

/// The function, or the error, that `data` fit.
pub(super) fn find(book: &Book, item: Item, whose: Whose<'_>, data: &[u8]) -> Option<Decoded> {
    Search { book, item, left: CALLS }.find(whose, data, true, 0)
}

/// The name that a function with this selector probably has, whatever its arguments.
pub(super) fn name(book: &Book, whose: Whose<'_>, selector: Selector) -> Option<Text> {
    let search = Search { book, item: Item::Function, left: 0 };
    let mut places = PLACES.iter().flat_map(|place| search.candidates(*place, whose, selector));
    places.next().map(|(signature, _)| signature.name.clone())
}

impl Search<'_> {
    fn find(
        &mut self,
        whose: Whose<'_>,
        data: &[u8],
        may_trail: bool,
        depth: usize,
    ) -> Option<Decoded> {
        let (selector, data) = data.split_first_chunk::<4>()?;
        let found = PLACES.iter().find_map(|place| {
            let candidates = self.candidates(*place, whose, *selector);
            best(candidates, data)
        });
        let mut decoded = found.filter(|found| may_trail || found.trailing == 0)?;
        if depth < DEPTH {
            self.nest(&mut decoded, whose, depth + 1);
        }
        Some(decoded)
    }

    fn candidates(
        &self,
        place: Place,
        (to, names): Whose<'_>,
        selector: Selector,
    ) -> Vec<(Arc<Signature>, Source)> {
        let mut found = Vec::new();
        let book = self.book;
        let index = |index: &super::Index, found: &mut Vec<_>, source: &dyn Fn(&Text) -> Source| {
            let known = index.find(selector).iter();
            found.extend(known.map(|known| (Arc::clone(&known.signature), source(&known.origin))));
        };
        match place {
            Place::Address => {
                if let Some((to, abi)) = to.and_then(|to| Some((to, book.addresses.get(&to)?))) {
                    index(abi, &mut found, &|_| Source::Address(to));
                }
            }
            Place::Names => {
                for abi in names.iter().filter_map(|name| book.contracts.get(*name)) {
                    index(abi, &mut found, &|origin| Source::Contract(origin.clone()));
                }
            }
            Place::Typed => index(&book.typed, &mut found, &|_| Source::Typed),
            Place::Demo if book.demo => {
                let known = DEMO.find(selector).into_iter();
                found.extend(known.map(|(signature, _)| (Arc::new(signature), Source::Demo)));
            }
            Place::Demo => {}
            Place::Selector => {
                index(&book.anywhere, &mut found, &|origin| Source::Elsewhere(origin.clone()));
                if book.curated {
                    let known = CURATED.find(selector).into_iter();
                    found.extend(
                        known.map(|(known, group)| (Arc::new(known), Source::Curated(group))),
                    );
                }
            }
        }
        found.retain(|(signature, _)| signature.item == self.item || signature.item == Item::Any);
        found
    }

    /// Decodes the bytes that are calls themselves.
    fn nest(&mut self, decoded: &mut Decoded, whose: Whose<'_>, depth: usize) {
        let name = &*decoded.name;
        let inside = Inside {
            whose: if OWN.contains(&name) { whose } else { (None, &[]) },
            may_trail: CARRIERS.contains(&name),
            depth,
        };
        let target =
            target(decoded.arguments.iter().map(|argument| (&argument.name, &argument.value)));
        for argument in &mut decoded.arguments {
            self.look_inside(&mut argument.value, inside.aimed(target));
        }
    }

    fn look_inside(&mut self, value: &mut Value, inside: Inside<'_>) {
        match value {
            Value::List(_, items) => {
                for item in items {
                    self.look_inside(item, inside);
                }
            }
            Value::Tuple(fields, items) => {
                let names = fields.iter().map(|field| &field.name);
                let target = target(names.zip(items.iter()));
                for item in items {
                    self.look_inside(item, inside.aimed(target));
                }
            }
            Value::Bytes(bytes) if self.left > 0 && bytes.len() >= 4 => {
                let Inside { whose, may_trail, depth } = inside;
                self.left -= 1;
                match self.find(whose, bytes, may_trail, depth) {
                    Some(decoded) => *value = Value::Call(bytes.clone(), Box::new(decoded)),
                    None => self.left += 1,
                }
            }
            _ => {}
        }
    }
}

/// What is known of the calls inside a call.
#[derive(Clone, Copy)]
struct Inside<'a> {
    whose: Whose<'a>,
    may_trail: bool,
    depth: usize,
}

impl Inside<'_> {
    /// The same, with the address beside the bytes.
    fn aimed(self, target: Option<Address>) -> Self {
        match target {
            Some(target) => Self { whose: (Some(target), &[]), ..self },
            None => self,
        }
    }
}

/// Whom the bytes among these values are for.
fn target<'a>(mut named: impl Iterator<Item = (&'a Text, &'a Value)>) -> Option<Address> {
    named.find_map(|(name, value)| match value {
        Value::Address(address) if TARGETS.contains(&&**name) => Some(*address),
        _ => None,
    })
}

/// The first signature that the data fit, with the others that they fit as well.
fn best(candidates: Vec<(Arc<Signature>, Source)>, data: &[u8]) -> Option<Decoded> {
    let mut fitting = candidates.into_iter().filter_map(|(signature, source)| {
        let (values, trailing) = decode(&signature.inputs, data)?;
        let believed = !source.is_selector_alone() || is_abi_like(data, trailing);
        believed.then_some((signature, source, values, trailing))
    });
    let (signature, source, values, trailing) = fitting.next()?;
    let mut others = Vec::new();
    for (other, ..) in fitting {
        // The same function in another ABI may have other names for its parameters.
        if other.canonical() != signature.canonical() && !others.contains(&other.shown()) {
            others.push(other.shown());
        }
    }
    Some(Decoded {
        name: signature.name.clone(),
        signature: signature.shown(),
        arguments: arguments(&signature.inputs, values),
        source,
        trailing,
        others,
        outputs: signature.outputs.clone(),
    })
}
