//! The trace of the transaction whose internal transactions are listed: it names their functions.

use super::ListPane;
use crate::api::page::paged_rows::TailState;
use crate::api::{Query, TransactionQuery};
use crate::calls::trace_contracts::{UnknownContracts, called_contracts};
use crate::chain::TxHash;
use crate::pane::{Command, PaneContext, PanePlace};

/// Maximum calls of a transaction whose trace is requested for its list of them.
const MAX_TRACED_CALLS: usize = 100;

impl ListPane {
    /// Requests the trace once all rows are loaded, if they are few. A node would run the transaction again.
    pub(super) fn request_trace(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let Query::Transaction(hash, TransactionQuery::InternalTransactions) = &self.query else {
            return None;
        };
        let is_due = !self.has_asked_trace
            && *self.paged.tail() == TailState::End
            && (1..=MAX_TRACED_CALLS).contains(&self.paged.rows().len())
            && cx.place != PanePlace::Preview
            && !cx.network.endpoint.is_node();
        if !is_due {
            return None;
        }
        self.has_asked_trace = true;
        if cx.name_cache.trace(hash).is_some() {
            return request_names(*hash, cx);
        }
        let trace = Query::Transaction(*hash, TransactionQuery::RawTrace);
        Some(Command::Background(trace, None))
    }
}

/// Requests the ABIs of the contracts in a trace.
pub(super) fn request_names(transaction: TxHash, cx: &PaneContext<'_>) -> Option<Command> {
    let tree = cx.name_cache.trace(&transaction)?;
    let addresses = called_contracts(tree, 0..tree.len());
    UnknownContracts::new(transaction, addresses).map(Command::FetchContractNames)
}
