//! The calls of a transaction whose trace is known, in the words of its trace.

use super::PaneContext;
use crate::api::token_transfers::TokenTransfer;
use crate::calls::formatter::CallFormatter;
use crate::calls::transfer_matching::TransferMap;
use crate::chain::TxHash;
use crate::trace::CallTree;

/// A trace outside of its own pane, with the transfers that give amounts their tokens.
pub(super) struct KnownTrace<'a> {
    cx: PaneContext<'a>,
    tree: &'a CallTree,
    transaction: TxHash,
    transfers: TransferMap,
}

impl<'a> KnownTrace<'a> {
    /// Returns the trace of a transaction that another pane has received.
    pub(super) fn of_transaction(hash: &TxHash, cx: &PaneContext<'a>) -> Option<Self> {
        Some(Self::new(cx.name_cache.trace(hash)?, hash, cx))
    }

    pub(super) fn new(tree: &'a CallTree, hash: &TxHash, cx: &PaneContext<'a>) -> Self {
        let transfers = TransferMap::build(tree, &cx.name_cache.transfers(hash));
        Self { cx: *cx, tree, transaction: *hash, transfers }
    }

    /// Returns the call that made a transfer.
    pub(super) fn call_of(&self, transfer: &TokenTransfer) -> Option<u32> {
        self.transfers.call_of(transfer)
    }

    /// Returns the formatter of its calls on the screen.
    pub(super) fn formatter(&self) -> CallFormatter<'_> {
        self.cx.call_formatter(self.tree, &self.transaction, &self.transfers)
    }
}
