//! Storage slots whose numbers are published: hashes of the names that standards and libraries gave them.

use alloy_primitives::keccak256;

use crate::chain::{Address, B256, U256, b256};

/// The slot of EIP-1967 with the address of a proxy's implementation.
pub const IMPLEMENTATION_SLOT: B256 =
    b256!("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc");

/// Names of slots whose number is the hash of the name.
const HASHED_NAMES: [&str; 7] = [
    "PROXIABLE",
    "org.zeppelinos.proxy.implementation",
    "org.zeppelinos.proxy.admin",
    "diamond.standard.diamond.storage",
    "fallback_manager.handler.address",
    "guard_manager.guard.address",
    "module_manager.module_guard.address",
];
/// Names of slots whose number is one less than the hash (EIP-1967).
const NAMES_LESS_ONE: [&str; 4] = [
    "eip1967.proxy.implementation",
    "eip1967.proxy.admin",
    "eip1967.proxy.beacon",
    "eip1967.proxy.rollback",
];
/// Names of structs whose slot is a formula of the name (ERC-7201).
const NAMESPACES: [&str; 14] = [
    "openzeppelin.storage.AccessControl",
    "openzeppelin.storage.AccessControlDefaultAdminRules",
    "openzeppelin.storage.EIP712",
    "openzeppelin.storage.ERC1155",
    "openzeppelin.storage.ERC20",
    "openzeppelin.storage.ERC4626",
    "openzeppelin.storage.ERC721",
    "openzeppelin.storage.Governor",
    "openzeppelin.storage.Initializable",
    "openzeppelin.storage.Nonces",
    "openzeppelin.storage.Ownable",
    "openzeppelin.storage.Ownable2Step",
    "openzeppelin.storage.Pausable",
    "openzeppelin.storage.ReentrancyGuard",
];

/// Names of the slots with the parts of a proxy (EIP-1967). Each contains an address.
pub const PROXY_SLOTS: [&str; 3] =
    ["eip1967.proxy.implementation", "eip1967.proxy.admin", "eip1967.proxy.beacon"];

/// Returns the address in the slot of a proxy's part, unless that is empty or has a word that is none.
pub fn proxy_address(word: U256) -> Option<Address> {
    let address = Address::from_word(word.into());
    (!word.is_zero() && address.into_word() == B256::from(word)).then_some(address)
}

/// A slot of a name.
type SlotOfName = fn(&str) -> U256;

/// The names, by the formulas of their slots.
const FORMULAS: [(SlotOfName, &[&str]); 3] =
    [(less_one, &NAMES_LESS_ONE), (hash, &HASHED_NAMES), (namespace, &NAMESPACES)];

/// Returns the name of a storage slot.
pub fn known_slot_name(slot: B256) -> Option<&'static str> {
    let number = U256::from_be_bytes(slot.0);
    FORMULAS
        .iter()
        .find_map(|(slot_of, names)| names.iter().copied().find(|name| slot_of(name) == number))
}

/// Returns the storage slot with a name.
pub fn known_slot(name: &str) -> Option<U256> {
    let formula = FORMULAS.iter().find(|(_, names)| names.contains(&name));
    formula.map(|(slot_of, _)| slot_of(name))
}

fn hash(name: &str) -> U256 {
    U256::from_be_bytes(keccak256(name).0)
}

fn less_one(name: &str) -> U256 {
    hash(name).wrapping_sub(U256::ONE)
}

fn namespace(name: &str) -> U256 {
    let start = U256::from_be_bytes(keccak256(less_one(name).to_be_bytes::<32>()).0);
    start & !U256::from(0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_of_20_bytes_are_addresses_of_proxies() {
        let address = Address::repeat_byte(0x11);
        let word = U256::from_be_bytes(address.into_word().0);
        let junk = word | U256::ONE << 160;
        assert_eq!([word, junk, U256::ZERO].map(proxy_address), [Some(address), None, None]);
    }

    #[test]
    fn published_slots_have_names() {
        for (slot, name) in [
            (
                "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
                Some("eip1967.proxy.implementation"),
            ),
            ("0xc5f016be3b2d3e6b3f1c5a9d1d9b8a4ab5f1c1e5c3a3d4f1b0a1c2d3e4f50617", None),
            (
                "0x9016d09d72d40fdae2fd8ceac6b6234c7706214fd39c1cd1e609a0528c199300",
                Some("openzeppelin.storage.Ownable"),
            ),
            (
                "0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00",
                Some("openzeppelin.storage.ERC20"),
            ),
            (
                "0xc8fcad8db84d3cc18b4c41d551ea0ee66dd599cde068d998e57d5e09332c131c",
                Some("diamond.standard.diamond.storage"),
            ),
        ] {
            assert_eq!(known_slot_name(slot.parse().unwrap()), name, "{slot}");
            if let Some(name) = name {
                assert_eq!(known_slot(name), slot.parse().ok(), "{name}");
            }
        }
        assert_eq!(known_slot_name(IMPLEMENTATION_SLOT), Some(PROXY_SLOTS[0]));
    }
}
