//! The rows of an address's lists, counted up to a limit as in Blockscout.

use alloy_primitives::Address;
use serde::Serialize;

use crate::api_server::request::{JsonResult, RequestContext, to_json};

/// Number at which a count ends: there may be more.
const MAX_COUNT: usize = 51;

#[derive(Debug, Serialize)]
struct TabCountersResponse {
    #[serde(rename = "transactions_count", skip_serializing_if = "Option::is_none")]
    transactions: Option<usize>,
    #[serde(rename = "internal_transactions_count", skip_serializing_if = "Option::is_none")]
    internal_transactions: Option<usize>,
    #[serde(rename = "token_transfers_count", skip_serializing_if = "Option::is_none")]
    token_transfers: Option<usize>,
    #[serde(rename = "token_balances_count", skip_serializing_if = "Option::is_none")]
    token_balances: Option<usize>,
    #[serde(rename = "logs_count", skip_serializing_if = "Option::is_none")]
    logs: Option<usize>,
    #[serde(rename = "withdrawals_count", skip_serializing_if = "Option::is_none")]
    withdrawals: Option<usize>,
    #[serde(rename = "validations_count", skip_serializing_if = "Option::is_none")]
    validations: Option<usize>,
}

/// Counts the rows of each list. A count that blocks without rows may change is left out.
pub(crate) fn address_tab_counters(request: &RequestContext<'_>, address: Address) -> JsonResult {
    let snapshot = request.snapshot;
    let is_whole = snapshot
        .coverage
        .as_ref()
        .is_none_or(|known| known.older.is_none() && known.unreadable == 0);
    let (calls, end_of_calls) = snapshot.newest_internal_transactions(MAX_COUNT, |row| {
        row.index > 0 && (row.from == address || row.is_received_by(address))
    });
    let transactions =
        snapshot.newest_transactions(u64::MAX, MAX_COUNT, |row| row.involves(address))?;
    let transfers = snapshot.newest_transfers(MAX_COUNT, |row| row.involves(address))?;
    let balances = snapshot.state.balances(address).ok();
    let logs = if snapshot.state.never_had_code(address)? {
        Vec::new()
    } else {
        snapshot.newest_logs(MAX_COUNT, |row| row.address == address)?
    };
    let withdrawals = snapshot
        .blocks(u64::MAX)?
        .filter_map(|block| block.withdrawals.0.as_deref())
        .flatten()
        .filter(|row| row.receiver == address);
    let validations = snapshot.blocks(u64::MAX)?.filter(|block| block.miner == Some(address));
    to_json(&TabCountersResponse {
        transactions: count(transactions, is_whole),
        internal_transactions: count(calls, is_whole && end_of_calls.is_ok()),
        token_transfers: count(transfers, is_whole),
        token_balances: balances.and_then(|rows| count(rows, is_whole)),
        logs: count(logs, is_whole),
        withdrawals: count(withdrawals, is_whole),
        validations: count(validations, is_whole),
    })
}

/// Counts rows up to the limit. Returns `None` if there may be more rows than these.
fn count<T>(rows: impl IntoIterator<Item = T>, is_whole: bool) -> Option<usize> {
    let count = rows.into_iter().take(MAX_COUNT).count();
    (is_whole || count == MAX_COUNT).then_some(count)
}
