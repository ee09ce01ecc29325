//! Adds ABIs in responses to the known signatures.

use crate::abi::SignatureDb;
use crate::api::contract::Contract;
use crate::chain::Address;

/// Maximum implementations of a contract.
const MAX_IMPLEMENTATIONS: usize = 32;

/// Adds the ABI of a contract. Returns the contract's implementations.
pub fn add_verified_abi(
    signatures: &mut SignatureDb,
    address: Address,
    contract: &Contract,
) -> Vec<Address> {
    if let Some((name, abi)) = contract.named_abi() {
        // Entries that cannot be parsed decode nothing.
        let _ = signatures.add_explorer_abi(address, name, abi.get());
    }
    let mut behind = contract.implementation_addresses();
    behind.truncate(MAX_IMPLEMENTATIONS);
    signatures.set_implementations(address, behind.clone());
    behind
}
