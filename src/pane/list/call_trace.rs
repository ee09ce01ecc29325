//! The trace of the transaction whose calls, transfers or state changes are listed: it names their functions.

use super::ListPane;
use crate::api::page::paged_rows::TailState;
use crate::api::{Query, TransactionQuery};
use crate::calls::trace_contracts::{MAX_TRACED_CALLS, UnknownContracts, called_contracts};
use crate::chain::TxHash;
use crate::chain::network::Endpoint;
use crate::pane::{Command, PaneContext, PanePlace};

impl ListPane {
    /// Requests the trace once all rows are loaded, if they are few. A node would run the transaction again. The
    /// demo chain's answers cost nothing: there, other lists have the trace too, and the balances and the pools.
    pub(super) fn request_trace(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        use TransactionQuery::{
            InternalTransactions, Logs, RawTrace, StateChanges, TokenTransfers,
        };
        let &Query::Transaction(hash, ref list) = &self.query else { return Vec::new() };
        let others: &[TransactionQuery] = match list {
            InternalTransactions | StateChanges => &[Logs],
            TokenTransfers => &[Logs, StateChanges],
            Logs => &[],
            _ => return Vec::new(),
        };
        let is_demo = cx.network.endpoint == Endpoint::Embedded;
        let rows = u64::try_from(self.paged.rows().len()).unwrap_or(u64::MAX);
        let is_due = !self.has_asked_trace
            && (is_demo || *list == InternalTransactions)
            && *self.paged.tail() == TailState::End
            && (1..=MAX_TRACED_CALLS).contains(&rows)
            && cx.place != PanePlace::Preview
            && !cx.network.endpoint.is_node();
        if !is_due {
            return Vec::new();
        }
        self.has_asked_trace = true;
        let background = |query| Command::Background(Query::Transaction(hash, query), None);
        let trace = match cx.name_cache.trace(&hash) {
            Some(_) => request_names(hash, cx),
            None => Some(background(RawTrace)),
        };
        let free = others.iter().filter(|_| is_demo).map(|query| background(query.clone()));
        trace.into_iter().chain(free).collect()
    }
}

/// Requests the ABIs of the contracts in a trace.
pub(super) fn request_names(transaction: TxHash, cx: &PaneContext<'_>) -> Option<Command> {
    let tree = cx.name_cache.trace(&transaction)?;
    let addresses = called_contracts(tree, 0..tree.len());
    UnknownContracts::new(transaction, addresses).map(Command::FetchContractNames)
}
