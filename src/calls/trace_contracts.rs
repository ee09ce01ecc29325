//! Contracts in the calls of a trace, for fetching their names and ABIs.

use std::collections::HashSet;

use crate::abi::CONSOLE_ADDRESS;
use crate::chain::{Address, TxHash};
use crate::trace::CallTree;

/// Maximum contracts of a trace whose names are fetched unasked, without their implementations.
pub const MAX_NAMED_CONTRACTS: usize = 32;
/// Maximum calls of a transaction whose trace is requested for the names and failures on a page.
pub const MAX_TRACED_CALLS: u64 = 100;
/// Maximum pages of internal transactions read for the names of a trace's contracts.
pub const MAX_NAME_PAGES: usize = 10;

/// The contracts of a trace whose names and ABIs have not been fetched yet.
#[derive(Debug, Clone)]
pub struct UnknownContracts {
    pub transaction: TxHash,
    /// In the order of the requests.
    pub addresses: Vec<Address>,
    /// `true` if the user has requested all of them.
    pub is_unlimited: bool,
}

impl UnknownContracts {
    /// Returns the contracts that are requested without the user, if there are any.
    pub fn new(transaction: TxHash, addresses: Vec<Address>) -> Option<Self> {
        let unknown = Self { transaction, addresses, is_unlimited: false };
        (!unknown.addresses.is_empty()).then_some(unknown)
    }
}

/// Returns the distinct contracts that calls run, in order of appearance.
pub fn called_contracts(tree: &CallTree, calls: impl Iterator<Item = u32>) -> Vec<Address> {
    let mut seen = HashSet::new();
    let addresses = calls.filter_map(|call| called_contract(tree, call));
    addresses.filter(|address| seen.insert(*address)).collect()
}

/// Returns the contract that a call runs: not an account that is only paid, a precompile or the
/// console.
pub fn called_contract(tree: &CallTree, call: u32) -> Option<Address> {
    let frame = tree.get(call)?;
    let address = tree.target_address(call)?;
    let is_built_in = address.as_slice().iter().take(18).all(|byte| *byte == 0);
    let runs_code = frame.kind.creates() || tree.hex_len(frame.input).is_none_or(|n| n > 0);
    (runs_code && !is_built_in && address != CONSOLE_ADDRESS).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_file_has_the_maximum() {
        let text = format!("at most {MAX_NAMED_CONTRACTS} for each trace");
        assert!(include_str!("../../assets/config.toml").contains(&text), "{text}");
    }
}
