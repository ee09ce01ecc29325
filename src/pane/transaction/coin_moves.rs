//! The coin that the calls of a transaction moved, from its internal transactions.

use super::listing::Listing;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{ApiError, Cursor, Reply};
use crate::chain::{Address, U256};
use crate::messages::transaction::{MissingTransfers, TransferList};
use crate::pane::PaneContext;

/// A sender, a receiver and an amount in wei.
pub(super) type CoinMove = (Address, Address, U256);

#[derive(Debug, Default)]
pub(super) struct CoinMoves {
    moves: Vec<CoinMove>,
    /// The number of calls, of those that failed, and of those that cannot be read.
    calls: usize,
    failed: usize,
    /// Index of the last call that failed, and the contract that it called.
    last_failed: Option<(u64, Address)>,
    unreadable: usize,
    listing: Listing,
}

impl CoinMoves {
    /// Returns the moves that were not reverted. If a call failed, the list does not report which others
    /// were reverted with it.
    pub(super) fn moves(&self) -> &[CoinMove] {
        if self.failed == 0 { &self.moves } else { &[] }
    }

    /// Returns the number of calls that failed, and of all calls, if it is known.
    pub(super) fn failed_calls(&self) -> Option<(usize, usize)> {
        let is_known = self.listing.is_complete() && self.failed > 0;
        is_known.then_some((self.failed, self.calls))
    }

    /// Returns the contract that the last of the failed calls called.
    pub(super) fn last_failed_contract(&self) -> Option<Address> {
        self.last_failed.map(|(_, contract)| contract)
    }

    /// Returns `true` if the calls have to be requested.
    pub(super) fn are_missing(&self, transaction: &Transaction) -> bool {
        use TransactionOutcome::{Failed, Ok, OkInnerFailure};
        let runs_code = transaction.raw_input.value().is_some_and(|input| !input.is_empty())
            || transaction.to.value().is_some_and(|to| to.is_contract.value() == Some(&true));
        self.listing.is_unasked()
            && matches!(transaction.outcome(), Ok | OkInnerFailure | Failed)
            && transaction.has_inner_error.value().is_some()
            && runs_code
    }

    /// Adds a page, and returns the cursor of the next one.
    pub(super) fn add(&mut self, reply: Result<Reply, ApiError>) -> Option<Cursor> {
        let page = match reply.map(|reply| reply.page::<InternalTransaction>()) {
            Ok(page) => page?,
            Err(error) => return self.listing.advance(Err(error)),
        };
        self.calls += page.items.len();
        for item in &page.items {
            let call = item.parsed.as_ref().ok();
            if let Some(failed) = call.filter(|call| call.success.value() == Some(&false)) {
                self.failed += 1;
                let called = failed.to.hash();
                let last = failed.index.value().copied().zip(called);
                self.last_failed = self.last_failed.max(last);
            }
            match item.parsed.as_ref() {
                Ok(call) if !moves_coin(call) => {}
                call => match call.ok().and_then(coin_move) {
                    Some(moved) => self.moves.push(moved),
                    None => self.unreadable += 1,
                },
            }
        }
        self.listing.advance(Ok(page.next))
    }

    pub(super) fn failure(&self) -> Option<&ApiError> {
        self.listing.failure()
    }

    /// Returns the internal transfers that are not known.
    pub(super) fn missing(
        &self,
        transaction: &Transaction,
        cx: &PaneContext<'_>,
    ) -> Option<MissingTransfers> {
        if transaction.outcome() == TransactionOutcome::Failed {
            None
        } else if self.are_missing(transaction) {
            Some(MissingTransfers::NotLoaded(TransferList::Internal))
        } else if self.failed > 0 && !self.moves.is_empty() {
            Some(MissingTransfers::SeeTrace)
        } else if self.unreadable > 0 {
            Some(MissingTransfers::UnreadableCalls(self.unreadable))
        } else {
            self.listing.missing(TransferList::Internal, cx)
        }
    }
}

/// Returns `true` if a call may have moved coin.
fn moves_coin(call: &InternalTransaction) -> bool {
    let kind = call.kind.value().map(|kind| kind.to_ascii_lowercase());
    !matches!(kind.as_deref(), Some("delegatecall" | "staticcall" | "callcode"))
        && call.success.value() != Some(&false)
        && call.value.value().is_none_or(|wei| !wei.is_zero())
}

fn coin_move(call: &InternalTransaction) -> Option<CoinMove> {
    let to = call.to.value().or_else(|| call.created_contract.value())?;
    Some((call.from.value()?.hash, to.hash, *call.value.value()?))
}
