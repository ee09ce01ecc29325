//! Functions of libraries with pointers to storage, which their ABIs lack.
//!
//! The compiler lists them with their selectors, which are hashes of types that no ABI has.

use std::collections::{BTreeMap, HashSet};

use super::artifact::Artifact;
use crate::abi::code_selectors::code_selectors;
use crate::abi::contract_abi::{AbiFunction, ContractAbi};
use crate::abi::selector::Selector;

/// End of the type of a pointer to storage, and a declaration for it.
const STORAGE_POINTER: &str = " storage";
const SLOT: &str = "uint256 slot";

/// Functions by name and types, with their selectors in hex.
pub(super) type MethodIdentifiers = BTreeMap<String, String>;

impl Artifact {
    /// Returns the selectors and declarations of such functions of a library.
    pub(super) fn library_functions(&self) -> Vec<(Selector, String)> {
        if !self.is_library() || !self.has_unknown_selectors() {
            return Vec::new();
        }
        let listed = self.method_identifiers().unwrap_or_default();
        let function = |(types, selector): (String, String)| {
            let bytes = alloy_primitives::hex::decode(selector).ok()?;
            types
                .contains(STORAGE_POINTER)
                .then_some((bytes.try_into().ok()?, declaration(&types)?))
        };
        listed.into_iter().filter_map(function).collect()
    }

    fn has_unknown_selectors(&self) -> bool {
        let known: HashSet<Selector> = ContractAbi::parse(self.abi.get())
            .map(|abi| abi.functions.iter().map(AbiFunction::selector).collect())
            .unwrap_or_default();
        code_selectors(&self.code).iter().any(|selector| !known.contains(selector))
    }
}

/// Returns a declaration with the numbers of slots for pointers:
/// `take(uint256 slot,address)` for `take(mapping(address => uint256) storage,address)`.
fn declaration(identifier: &str) -> Option<String> {
    let (name, types) = identifier.strip_suffix(')')?.split_once('(')?;
    let mut depth = 0_usize;
    let is_separator = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    let declared =
        |kind: &str| if kind.ends_with(STORAGE_POINTER) { SLOT } else { kind }.to_owned();
    let parameters: Vec<String> = types.split(is_separator).map(declared).collect();
    Some(format!("{name}({})", parameters.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_to_storage_are_slots() {
        for (listed, declared) in [
            (
                "take(mapping(address => uint256) storage,address,uint256)",
                Some("take(uint256 slot,address,uint256)"),
            ),
            ("add(Set.Data storage,(uint256,bool)[])", Some("add(uint256 slot,(uint256,bool)[])")),
            ("none()", Some("none()")),
            ("broken", None),
        ] {
            assert_eq!(declaration(listed).as_deref(), declared, "{listed}");
        }
    }
}
