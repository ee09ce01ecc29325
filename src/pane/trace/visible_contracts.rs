//! Requests for the names and ABIs of the contracts of a trace: those on the screen, or all.

use super::TracePane;
use crate::calls::contract_names::{UnknownContracts, called_contract, called_contracts};
use crate::chain::Address;
use crate::messages::Count;
use crate::messages::trace::TraceNote;
use crate::pane::{Command, PaneContext};

impl TracePane {
    pub(super) fn fetch_visible_names(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let rows = self.calls_on_screen(cx.area).to_vec();
        let addresses = rows.into_iter().filter_map(|call| called_contract(&self.tree, call));
        let addresses: Vec<Address> =
            addresses.filter(|address| self.loading.asked_names.insert(*address)).collect();
        let transaction = self.transaction;
        // A node's contracts are named after the project's.
        (!addresses.is_empty() && !cx.network.endpoint.is_node()).then_some(
            Command::FetchContractNames(UnknownContracts {
                transaction,
                addresses,
                is_unlimited: false,
            }),
        )
    }

    pub(super) fn fetch_all_names(&mut self) -> Vec<Command> {
        let transaction = self.transaction;
        let addresses = called_contracts(&self.tree, 0..self.tree.len());
        let contracts = Count(addresses.len(), "contract");
        self.loading.asked_names.extend(&addresses);
        let unknown = UnknownContracts { transaction, addresses, is_unlimited: true };
        let notice = Command::notify(&TraceNote::FetchingNames { contracts });
        vec![Command::FetchContractNames(unknown), notice]
    }
}
