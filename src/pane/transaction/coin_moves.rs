//! The coin that the calls of a transaction moved, from its internal transactions.

use std::collections::HashSet;
use std::sync::Arc;

use super::list_pages::ListPages;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{ApiError, Cursor, Item, ReplyResult};
use crate::chain::call_kind::CallKind;
use crate::chain::{Address, U256};
use crate::messages::transaction::{MissingTransfers, TransferList};
use crate::pane::{PaneContext, PanePlace};
use crate::sanitize::SafeText;

/// Coin that a call, or the transaction itself, moved.
#[derive(Debug)]
pub(super) struct CoinMove {
    pub(super) from: Address,
    pub(super) to: Address,
    pub(super) wei: U256,
}

/// A call that failed itself, not with its parent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FailedInnerCall {
    index: Option<u64>,
    pub(super) from: Option<Address>,
    /// `None` of a failed creation.
    pub(super) to: Option<Address>,
    error: Option<SafeText>,
}

impl FailedInnerCall {
    /// Returns the error, unless it only says that the call reverted: the list lacks revert data.
    pub(super) fn error(&self) -> Option<&SafeText> {
        self.error.as_ref().filter(|error| !error.to_ascii_lowercase().contains("revert"))
    }
}

/// A delegated call of a contract to itself, such as an item of a multicall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SelfCall {
    index: u64,
    contract: Address,
    has_failed: bool,
}

#[derive(Debug, Default)]
pub(super) struct CoinMoves {
    moves: Vec<CoinMove>,
    /// The coin of contracts that selfdestructed to themselves.
    selfdestructs: Vec<CoinMove>,
    /// The contracts that were created.
    created: HashSet<Address>,
    /// The number of calls, and of those that cannot be read.
    calls: usize,
    unreadable: usize,
    /// The indexes of the calls.
    indexes: HashSet<u64>,
    /// The calls that failed.
    failures: Vec<FailedInnerCall>,
    /// The delegated calls of contracts to themselves.
    self_calls: Vec<SelfCall>,
    pages: ListPages,
}

impl CoinMoves {
    /// Returns the moves that were not reverted, as far as that is known.
    pub(super) fn moves(&self, cx: &PaneContext<'_>) -> &[CoinMove] {
        if self.may_be_reverted(cx) { &[] } else { &self.moves }
    }

    /// Returns the coin of contracts that selfdestructed to themselves, as far as it is known that it was not reverted.
    pub(super) fn selfdestructs(&self, cx: &PaneContext<'_>) -> &[CoinMove] {
        if self.may_be_reverted(cx) { &[] } else { &self.selfdestructs }
    }

    /// Returns `true` if a call created the contract.
    pub(super) fn has_created(&self, contract: &Address) -> bool {
        self.created.contains(contract)
    }

    /// Returns `true` if a call failed and the list does not report which others were reverted with it: few explorers
    /// do, unlike this program's own lists.
    fn may_be_reverted(&self, cx: &PaneContext<'_>) -> bool {
        !self.failures.is_empty() && !cx.network.endpoint.is_served_here()
    }

    /// Returns the number of calls that failed, and of all calls, if it is known.
    pub(super) fn failed_calls(&self) -> Option<(usize, usize)> {
        let is_known = self.pages.is_complete() && !self.failures.is_empty();
        is_known.then_some((self.failures.len(), self.calls))
    }

    /// Returns `true` if the list has the transaction's own call, a creation that failed.
    pub(super) fn lists_own_failure(&self) -> bool {
        self.failures.iter().any(|call| call.index == Some(0))
    }

    /// Returns `true` if there are more calls than are requested.
    pub(super) fn is_limited(&self) -> bool {
        self.pages.is_limited()
    }

    /// Returns the number of calls so far.
    pub(super) fn loaded_calls(&self) -> usize {
        self.calls
    }

    /// Returns the number of calls, if all are known.
    pub(super) fn call_count(&self) -> Option<u64> {
        self.pages.is_complete().then_some(self.calls as u64)
    }

    /// Returns the calls that failed, in the order of their beginnings.
    pub(super) fn failures(&self) -> &[FailedInnerCall] {
        &self.failures
    }

    /// Returns the last of the calls that failed, unless their order is unknown.
    pub(super) fn last_failure(&self) -> Option<&FailedInnerCall> {
        let are_ordered = self.failures.iter().all(|call| call.index.is_some());
        self.failures.last().filter(|_| are_ordered)
    }

    /// Returns `true` for each delegated call of a contract to itself that failed, if all are known.
    pub(super) fn failed_self_calls(&self, contract: Address) -> Vec<bool> {
        let calls: &[SelfCall] = if self.pages.is_complete() { &self.self_calls } else { &[] };
        let own = calls.iter().filter(|call| call.contract == contract);
        own.map(|call| call.has_failed).collect()
    }

    /// Returns `true` if the calls have to be requested.
    pub(super) fn are_missing(&self, transaction: &Transaction, cx: &PaneContext<'_>) -> bool {
        use TransactionOutcome::{Failed, Ok, OkInnerFailure};
        // An explorer may still index the calls. Nodes that trace no blocks leave open whether one failed.
        let is_indexed = transaction.has_inner_error.value().is_some()
            || cx.network.endpoint.is_node() && cx.place != PanePlace::Preview;
        self.pages.is_unasked()
            && matches!(transaction.outcome(), Ok | OkInnerFailure | Failed)
            && is_indexed
            && may_run_code(transaction)
    }

    /// Adds a page, and returns the cursor of the next one.
    pub(super) fn add(&mut self, reply: ReplyResult) -> Option<Cursor> {
        self.pages.add(reply, |items: Vec<Arc<Item<InternalTransaction>>>| {
            for item in &items {
                // Rows that move between pages are on both.
                let index = item.parsed.as_ref().ok().and_then(|call| call.index.value().copied());
                if index.is_some_and(|index| !self.indexes.insert(index)) {
                    continue;
                }
                self.calls += 1;
                if let Ok(call) = &item.parsed {
                    self.failures.extend(failed_call(call));
                    self.self_calls.extend(self_call(call));
                    self.created.extend(created_contract(call));
                }
                match item.parsed.as_ref() {
                    Ok(call) if !moves_coin(call) => {}
                    call => match call.ok().and_then(coin_move) {
                        Some(moved)
                            if call.is_ok_and(is_selfdestruct) && moved.from == moved.to =>
                        {
                            self.selfdestructs.push(moved);
                        }
                        Some(moved) => self.moves.push(moved),
                        None => self.unreadable += 1,
                    },
                }
            }
            self.failures.sort_unstable();
            self.self_calls.sort_unstable();
        })
    }

    pub(super) fn failure(&self) -> Option<&ApiError> {
        self.pages.failure()
    }

    /// Returns the internal transfers that are not known.
    pub(super) fn missing(
        &self,
        transaction: &Transaction,
        cx: &PaneContext<'_>,
    ) -> Option<MissingTransfers> {
        use TransactionOutcome::{Failed, Ok, OkInnerFailure, Unknown};
        let outcome = transaction.outcome();
        let is_unasked = self.pages.is_unasked()
            && may_run_code(transaction)
            && matches!(outcome, Ok | OkInnerFailure);
        // The page of a preview may know more.
        let may_ask = cx.place == PanePlace::Preview || self.are_missing(transaction, cx);
        if outcome == Failed {
            None
        } else if outcome == Unknown {
            Some(MissingTransfers::UnknownOutcome)
        } else if is_unasked && may_ask {
            Some(MissingTransfers::NotLoaded(TransferList::Internal))
        } else if is_unasked {
            Some(MissingTransfers::NotIndexed(TransferList::Internal))
        } else if self.may_be_reverted(cx) && !self.moves.is_empty() {
            Some(MissingTransfers::SeeTrace)
        } else if self.unreadable > 0 {
            Some(MissingTransfers::UnreadableCalls(self.unreadable))
        } else {
            self.pages.missing(TransferList::Internal, cx)
        }
    }
}

/// Returns `true` unless it is known that a transaction ran no code.
pub(super) fn may_run_code(transaction: &Transaction) -> bool {
    let to = transaction.to.value();
    let has_data = transaction.raw_input.value().is_none_or(|input| !input.is_empty());
    let is_call = to.is_none_or(|to| to.is_contract.value() != Some(&false));
    !transaction.runs_no_code() && (has_data || is_call)
}

/// Returns `true` if a call may have moved coin.
fn moves_coin(call: &InternalTransaction) -> bool {
    let kind = call.kind.value().map(|kind| kind.to_ascii_lowercase());
    !matches!(kind.as_deref(), Some("delegatecall" | "staticcall" | "callcode"))
        && call.success.value() != Some(&false)
        && call.value.value().is_none_or(|wei| !wei.is_zero())
}

fn is_selfdestruct(call: &InternalTransaction) -> bool {
    let kind = call.kind.value().map(|kind| CallKind::from_name(kind.as_bytes()));
    kind == Some(CallKind::SelfDestruct)
}

fn created_contract(call: &InternalTransaction) -> Option<Address> {
    call.created_contract.value().filter(|_| !has_failed(call)).map(|created| created.hash)
}

fn has_failed(call: &InternalTransaction) -> bool {
    call.success.value() == Some(&false)
}

fn failed_call(call: &InternalTransaction) -> Option<FailedInnerCall> {
    let [from, to] = [&call.from, &call.to].map(|party| party.value().map(|party| party.hash));
    let (index, error) = (call.index.value().copied(), call.error.value().cloned());
    let has_own_error = !call.is_reverted_with_parent();
    (has_failed(call) && has_own_error).then_some(FailedInnerCall { index, from, to, error })
}

fn self_call(call: &InternalTransaction) -> Option<SelfCall> {
    let kind = call.kind.value().filter(|kind| kind.eq_ignore_ascii_case("delegatecall"));
    let (index, contract) = (*call.index.value()?, call.from.value()?.hash);
    let is_own = kind.is_some() && call.to.value()?.hash == contract;
    is_own.then_some(SelfCall { index, contract, has_failed: has_failed(call) })
}

fn coin_move(call: &InternalTransaction) -> Option<CoinMove> {
    let to = call.to.value().or_else(|| call.created_contract.value())?;
    Some(CoinMove { from: call.from.value()?.hash, to: to.hash, wei: *call.value.value()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Query, TransactionQuery};
    use crate::chain::TxHash;

    const VAULT: &str = "0x0165878A594ca255338adfa4d48449f69242Eb8F";

    fn added(calls: &[&str]) -> CoinMoves {
        let query = Query::Transaction(TxHash::ZERO, TransactionQuery::InternalTransactions);
        let page = format!(r#"{{"items":[{}],"next_page_params":null}}"#, calls.join(","));
        let mut moves = CoinMoves::default();
        assert!(moves.add(Ok(query.decode(page.as_bytes(), None).unwrap())).is_none());
        moves
    }

    fn failed(index: u64, to: &str) -> String {
        format!(
            r#"{{"index":{index},"type":"call","success":false,"value":"0",
            "from":{{"hash":"{VAULT}"}}{to}}}"#
        )
    }

    #[test]
    fn failed_creation_is_the_last_of_no_contract() {
        let to = format!(r#","to":{{"hash":"{VAULT}"}}"#);
        let (first, last) = (failed(1, &to), failed(2, ""));
        assert_eq!(added(&[&first]).last_failure().unwrap().to, VAULT.parse().ok());
        let moves = added(&[&last, &first]);
        assert_eq!((moves.failures().len(), moves.last_failure().unwrap().to), (2, None));
    }

    #[test]
    fn repeated_calls_are_added_once() {
        let to = format!(r#","to":{{"hash":"{VAULT}"}}"#);
        let call = failed(1, &to).replace("false", "true").replace(r#""0""#, r#""5""#);
        let moves = added(&[&call, &call, &failed(2, &to), &failed(2, &to)]);
        assert_eq!((moves.moves.len(), moves.failures().len(), moves.loaded_calls()), (1, 1, 2));
    }

    #[test]
    fn selfdestruct_to_itself_is_no_move() {
        let to = |contract: &str| format!(r#","to":{{"hash":"{contract}"}}"#);
        let selfdestruct = |index, contract: &str| {
            let call = failed(index, &to(contract)).replace("false", "true");
            call.replace(r#""0""#, r#""5""#).replace(r#""call""#, r#""selfdestruct""#)
        };
        let moves = added(&[&selfdestruct(1, VAULT), &selfdestruct(2, &VAULT.replace('F', "A"))]);
        assert_eq!((moves.moves.len(), moves.selfdestructs.len(), moves.unreadable), (1, 1, 0));
    }

    #[test]
    fn failed_items_of_a_multicall_are_distinguished() {
        let item = |index: u64, success: bool| {
            format!(
                r#"{{"index":{index},"type":"delegatecall","success":{success},"value":"0",
                "from":{{"hash":"{VAULT}"}},"to":{{"hash":"{VAULT}"}}}}"#
            )
        };
        let moves = added(&[&item(7, true), &item(1, true), &item(4, false)]);
        let vault: Address = VAULT.parse().unwrap();
        assert_eq!(moves.failed_self_calls(vault), [false, true, false]);
        assert!(moves.failed_self_calls(Address::ZERO).is_empty());
    }
}
