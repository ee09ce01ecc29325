//! The contracts of a trace whose names and ABIs are asked for: those on the screen, or all.

use std::collections::HashSet;

use super::TracePane;
use crate::abi::CONSOLE_ADDRESS;
use crate::chain::{Address, TxHash};
use crate::pane::{Command, PaneContext};
use crate::trace::CallTree;

/// The contracts of a trace that are not known to be known.
#[derive(Debug, Clone)]
pub struct UnknownContracts {
    pub transaction: TxHash,
    /// In the order in which they are asked for.
    pub addresses: Vec<Address>,
    /// Whether the user wants all of them.
    pub is_unlimited: bool,
}

impl TracePane {
    pub(super) fn learn_visible(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let rows = self.calls_on_screen(cx.area).to_vec();
        let addresses = rows.into_iter().filter_map(|call| called_contract(&self.tree, call));
        let addresses: Vec<Address> = addresses.filter(|it| self.learned.insert(*it)).collect();
        let transaction = self.transaction;
        // A node's contracts are named after the project's.
        (!addresses.is_empty() && !cx.network.endpoint.is_node()).then_some(
            Command::LearnContracts(UnknownContracts {
                transaction,
                addresses,
                is_unlimited: false,
            }),
        )
    }

    pub(super) fn learn_all(&mut self) -> Vec<Command> {
        let transaction = self.transaction;
        let addresses = called_contracts(&self.tree, 0..self.tree.len());
        let count = addresses.len();
        self.learned.extend(&addresses);
        let unknown = UnknownContracts { transaction, addresses, is_unlimited: true };
        let notice = format!("asking for the names of up to {count} contracts");
        vec![Command::LearnContracts(unknown), Command::Notify(notice.into())]
    }
}

/// Returns the different contracts that calls run, in their order.
pub fn called_contracts(tree: &CallTree, calls: impl Iterator<Item = u32>) -> Vec<Address> {
    let mut seen = HashSet::new();
    let addresses = calls.filter_map(|call| called_contract(tree, call));
    addresses.filter(|address| seen.insert(*address)).collect()
}

/// Returns the contract that a call runs: not an account that is only paid, nor the node's own code.
fn called_contract(tree: &CallTree, call: u32) -> Option<Address> {
    let frame = tree.get(call)?;
    let address = tree.target_address(call)?;
    let is_built_in = address.as_slice().iter().take(18).all(|byte| *byte == 0);
    let runs_code = frame.kind.creates() || tree.hex_len(frame.input).is_none_or(|n| n > 0);
    (runs_code && !is_built_in && address != CONSOLE_ADDRESS).then_some(address)
}
