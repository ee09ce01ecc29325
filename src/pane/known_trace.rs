//! The calls of a transaction whose trace is known, in the words of its trace.

use super::PaneContext;
use super::detail::value_entries::deeper;
use crate::api::logs::Log;
use crate::api::token_transfers::TokenTransfer;
use crate::calls::formatter::CallFormatter;
use crate::calls::transfer_matching::TransferMap;
use crate::chain::amount::Grouped;
use crate::chain::{Address, TxHash};
use crate::messages::call::CallNote;
use crate::messages::column;
use crate::trace::{CallKind, CallTree, log_places};
use crate::ui::document::{DocumentEntry, EntryLink};

/// Maximum calls that are searched for an account.
const MAX_SEARCHED_CALLS: u32 = 4_096;

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

    pub(super) fn transaction(&self) -> TxHash {
        self.transaction
    }

    /// Returns the call that made a transfer.
    pub(super) fn call_of(&self, transfer: &TokenTransfer) -> Option<u32> {
        self.transfers.call_of(transfer)
    }

    /// Returns the call that emitted a log: of a transfer, or the only one that could.
    pub(super) fn emitter_of(&self, log: &Log) -> Option<u32> {
        let moved = log.index.value().and_then(|index| self.transfers.calls_by_log().remove(index));
        moved.or_else(|| {
            // A call that is missing may have emitted it.
            let contract = log.address.value()?.hash;
            let calls = log_places::is_whole(self.tree).then(|| self.tree.len())?;
            let mut able = (0..calls).filter(|call| self.can_emit(*call, contract));
            able.next().filter(|_| able.next().is_none())
        })
    }

    /// Returns the first call from or to an account, among the first calls of a long trace.
    pub(super) fn first_call_of(&self, account: Address) -> Option<u32> {
        let is_party = |call: &u32| {
            let frame = self.tree.get(*call);
            let parties = frame.into_iter().flat_map(|frame| [frame.from, frame.to]);
            parties.filter_map(|party| self.tree.address(party)).any(|party| party == account)
        };
        (0..self.tree.len().min(MAX_SEARCHED_CALLS)).find(is_party)
    }

    /// Returns `true` for a call whose code acts as a contract, and may emit its events.
    fn can_emit(&self, call: u32, contract: Address) -> bool {
        let Some(frame) = self.tree.get(call).filter(|frame| frame.is_committed()) else {
            return false;
        };
        let actor = match frame.kind {
            CallKind::Call | CallKind::Create | CallKind::Create2 => frame.to,
            CallKind::DelegateCall | CallKind::CallCode => frame.from,
            _ => return false,
        };
        self.tree.address(actor) == Some(contract)
    }

    /// Returns a line for a call, and below it one for each call around it.
    pub(super) fn call_entries(&self, label: &str, call: u32) -> Vec<DocumentEntry> {
        let formatter = self.formatter();
        let entry = |label: &str, call: u32| {
            let number = Grouped(u64::from(call) + 1);
            let label_text = formatter.call_label(call).without_arrow();
            let text = CallNote::Numbered { number, call: &label_text }.to_string();
            let link = EntryLink::Call(self.transaction, self.tree.path(call));
            DocumentEntry::text(label, text).link(link)
        };
        let callers = self.tree.ancestors(call);
        let around = deeper(callers.map(|call| entry(column::CALLED_BY, call)));
        std::iter::once(entry(label, call).fold(true)).chain(around).collect()
    }

    /// Returns the formatter of its calls on the screen.
    pub(super) fn formatter(&self) -> CallFormatter<'_> {
        self.cx.call_formatter(self.tree, &self.transaction, &self.transfers)
    }
}
