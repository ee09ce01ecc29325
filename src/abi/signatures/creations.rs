//! Creation code of a project's contracts, recognised at the start of init code, and their constructors.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use alloy_primitives::{hex, keccak256};
use serde::{Deserialize, Serialize};

use super::signature::{Candidate, Signature};
use crate::chain::B256;
use crate::messages::abi::SignatureSource;

const ADDRESS_BYTES: usize = 20;
const TAIL_BYTES: usize = 32;
/// Start of the 40-character placeholder for a library's address.
const LINK_MARK: &[u8] = b"__";

/// Length and hash of a creation code as the compiler wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(in crate::abi) struct CreationCode {
    pub(in crate::abi) length: usize,
    hash: B256,
    /// The last bytes, which differ in most codes.
    pub(in crate::abi) tail: B256,
    /// Ranges of the addresses of libraries, which are zero in the hash.
    links: Vec<Range<usize>>,
}

impl CreationCode {
    /// Returns `None` for unreadable code, and for code that is too short to identify a contract.
    pub(in crate::abi) fn parse(object: &str) -> Option<Self> {
        let mut digits = object.trim_start_matches("0x").as_bytes().to_vec();
        let links = link_addresses(&mut digits);
        let code = hex::decode(digits).ok()?;
        let tail = code.last_chunk::<TAIL_BYTES>()?;
        let has_fixed_tail = links.iter().all(|link| link.end + TAIL_BYTES <= code.len());
        has_fixed_tail.then(|| Self {
            length: code.len(),
            hash: keccak256(&code),
            tail: tail.into(),
            links,
        })
    }

    /// Returns the arguments of the constructor in an init code that begins with this code.
    pub(in crate::abi) fn arguments<'a>(&self, init_code: &'a [u8]) -> Option<&'a [u8]> {
        let (code, arguments) = init_code.split_at_checked(self.length)?;
        if code.last_chunk() != Some(&*self.tail) {
            return None;
        }
        let mut code = code.to_vec();
        for link in &self.links {
            code.get_mut(link.clone())?.fill(0);
        }
        (keccak256(&code) == self.hash).then_some(arguments)
    }

    /// Returns the bytes of memory that the ranges take.
    pub(in crate::abi) fn heap_bytes(&self) -> usize {
        self.links.len() * size_of::<Range<usize>>()
    }
}

/// Replaces the placeholders of addresses by zeros, and returns their ranges in the code.
pub(in crate::abi) fn link_addresses(digits: &mut [u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for at in 1..digits.len() / 2 {
        let is_operand = digits[2 * (at - 1)..2 * at] == *b"73";
        let operand = digits.get_mut(2 * at..2 * (at + ADDRESS_BYTES));
        if let Some(operand) = operand.filter(|digits| is_operand && digits.starts_with(LINK_MARK))
        {
            operand.fill(b'0');
            found.push(at..at + ADDRESS_BYTES);
        }
    }
    found
}

/// A creation code and its constructor, or `None` if contracts of different names share the code.
type KnownCreation = (CreationCode, Option<Arc<Signature>>);

/// Constructors as signatures with the name of the contract.
#[derive(Debug, Default, Clone)]
pub(super) struct CreationIndex {
    by_tail: HashMap<B256, Vec<KnownCreation>>,
    lengths: BTreeSet<usize>,
}

impl CreationIndex {
    pub(super) fn insert(&mut self, code: CreationCode, constructor: Signature) {
        self.lengths.insert(code.length);
        let same = self.by_tail.entry(code.tail).or_default();
        match same.iter_mut().find(|(known, _)| *known == code) {
            None => same.push((code, Some(Arc::new(constructor)))),
            // Of an older build.
            Some((_, Some(known))) if known.name.shown == constructor.name.shown => {
                *known = Arc::new(constructor);
            }
            Some((_, ambiguous)) => *ambiguous = None,
        }
    }

    /// Returns the constructor of an init code, and the arguments in it.
    pub(super) fn find<'a>(&self, init_code: &'a [u8]) -> Option<(Candidate, &'a [u8])> {
        let lengths = self.lengths.range(..=init_code.len());
        let mut codes = lengths.filter_map(|length| {
            let tail = init_code.get(..*length)?.last_chunk::<32>()?;
            self.by_tail.get(&B256::from(tail))
        });
        codes.find_map(|same| {
            same.iter().find_map(|(code, constructor)| {
                let arguments = code.arguments(init_code)?;
                let signature = constructor.clone()?;
                let source = SignatureSource::Compiled(signature.name.shown.clone());
                Some((Candidate { signature, source }, arguments))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::signatures::signature::SignatureKind;

    #[test]
    fn equal_codes_of_different_names_are_of_none() {
        let mut index = CreationIndex::default();
        let object = "6001".repeat(30);
        let init_code = hex::decode(&object).unwrap();
        for (name, found) in [("A", Some("A")), ("A", Some("A")), ("B", None), ("B", None)] {
            let constructor =
                Signature::new(SignatureKind::Function, name, Vec::new(), None).unwrap();
            index.insert(CreationCode::parse(&object).unwrap(), constructor);
            let constructor = index.find(&init_code).map(|(candidate, _)| candidate.signature);
            assert_eq!(constructor.as_ref().map(|known| &*known.name.shown), found);
        }
    }

    #[test]
    fn arguments_follow_the_code_whatever_library_is_linked() {
        let placeholder = format!("__${}$__", "ab".repeat(17));
        let [before, after] = ["6001".repeat(10), "6002".repeat(20)];
        let code = CreationCode::parse(&format!("0x{before}73{placeholder}{after}")).unwrap();
        let init_code = |library: u8, after: &str| {
            hex::decode(format!("{before}73{}{after}0506", hex::encode([library; 20]))).unwrap()
        };
        for library in [1, 0xff] {
            assert_eq!(code.arguments(&init_code(library, &after)), Some(&[5, 6][..]));
        }
        assert_eq!(code.arguments(&init_code(1, &"6003".repeat(20))), None);
        assert_eq!(CreationCode::parse("0x6001"), None);
    }
}
