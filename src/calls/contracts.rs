//! Contracts that the calls of a trace run, for asking for their names and ABIs.

use std::collections::HashSet;

use crate::abi::CONSOLE_ADDRESS;
use crate::chain::{Address, TxHash};
use crate::trace::CallTree;

/// Maximum pages of internal transactions that are read for the names of a trace's contracts.
pub const MAX_NAME_PAGES: usize = 10;

/// The contracts of a trace that are not known to be known.
#[derive(Debug, Clone)]
pub struct UnknownContracts {
    pub transaction: TxHash,
    /// In the order in which they are asked for.
    pub addresses: Vec<Address>,
    /// Whether the user wants all of them.
    pub is_unlimited: bool,
}

/// Returns the different contracts that calls run, in their order.
pub fn called_contracts(tree: &CallTree, calls: impl Iterator<Item = u32>) -> Vec<Address> {
    let mut seen = HashSet::new();
    let addresses = calls.filter_map(|call| called_contract(tree, call));
    addresses.filter(|address| seen.insert(*address)).collect()
}

/// Returns the contract that a call runs: not an account that is only paid, nor the node's own code.
pub fn called_contract(tree: &CallTree, call: u32) -> Option<Address> {
    let frame = tree.get(call)?;
    let address = tree.target_address(call)?;
    let is_built_in = address.as_slice().iter().take(18).all(|byte| *byte == 0);
    let runs_code = frame.kind.creates() || tree.hex_len(frame.input).is_none_or(|n| n > 0);
    (runs_code && !is_built_in && address != CONSOLE_ADDRESS).then_some(address)
}
