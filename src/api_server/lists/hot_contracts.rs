//! The contracts with the most transactions of the last day, or of another time before the newest block.

use std::cmp::Reverse;
use std::collections::HashMap;

use alloy_primitives::Address;
use jiff::SignedDuration;
use serde::Serialize;

use super::{ITEMS_COUNT_PARAM, ListEnd, page};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext},
    responses::{self, AddressResponse},
};
use crate::store::{Snapshot, StoreResult};

const SCALE: &str = "scale";

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    (SCALE, ParamRule::OneOf(&["5m", "1h", "3h", "1d", "7d", "30d"])),
    ("transactions_count", ParamRule::Integer(1)),
    ("total_gas_used", ParamRule::Digits),
    ("contract_address_hash", ParamRule::Address),
    ITEMS_COUNT_PARAM,
];

#[derive(Debug, Serialize)]
struct HotContractResponse<'a> {
    contract_address: AddressResponse<'a>,
    balance: Option<&'a str>,
    transactions_count: u64,
    total_gas_used: String,
}

/// Use of a contract: transactions, their gas, and `true` if one had calldata.
#[derive(Debug, Default)]
struct ContractUse {
    transactions: u64,
    gas: u64,
    is_called: bool,
}

/// The place of a contract in the list: by transactions, then by gas, the most first.
type ContractPlace = (Reverse<u64>, Reverse<u64>, Address);

pub(crate) fn list(request: &RequestContext<'_>) -> JsonResult {
    let RequestContext { snapshot, params, .. } = *request;
    let scale = params.raw(SCALE).unwrap_or("1d");
    let after: Option<ContractPlace> = params
        .get("transactions_count")
        .zip(params.get("total_gas_used"))
        .zip(params.get("contract_address_hash"))
        .map(|((transactions, gas), contract)| (Reverse(transactions), Reverse(gas), contract));
    let mut rows: Vec<ContractPlace> = used_contracts(snapshot, span(scale))?
        .into_iter()
        .map(|(contract, used)| (Reverse(used.transactions), Reverse(used.gas), contract))
        .filter(|place| after.is_none_or(|after| *place > after))
        .collect();
    rows.sort_unstable();
    // An account may be sent calldata too. Only addresses of the page are looked up.
    let asked = rows
        .into_iter()
        .filter(|(.., address)| {
            let account = snapshot.state.account_detail(*address);
            account.map_or(true, |account| {
                account.is_none_or(|account| account.is_contract != Some(false))
            })
        })
        .take(request.page_size.saturating_add(1));
    // After the last load, addresses that are still unknown are not listed.
    let known = asked.filter(|(.., address)| !matches!(snapshot.state.account(*address), Ok(None)));
    page(
        request,
        known,
        ListEnd::Complete,
        |last, next| add_place(next.with(SCALE, scale), *last),
        |place| hot_contract(snapshot, place),
    )
}

fn add_place(
    next: NextPageParams,
    (Reverse(transactions), Reverse(gas), contract): ContractPlace,
) -> NextPageParams {
    next.with("transactions_count", transactions)
        .with("total_gas_used", gas.to_string())
        .with("contract_address_hash", contract.to_string())
}

fn hot_contract(
    snapshot: &Snapshot,
    (Reverse(transactions_count), Reverse(gas), contract): ContractPlace,
) -> StoreResult<HotContractResponse<'_>> {
    let account = snapshot.state.account_detail(contract)?;
    Ok(HotContractResponse {
        contract_address: responses::address(snapshot, contract)?,
        balance: account.and_then(|account| account.coin_balance.as_deref()),
        transactions_count,
        total_gas_used: gas.to_string(),
    })
}

/// Returns the time of a scale such as `7d`.
fn span(scale: &str) -> SignedDuration {
    let count = scale.trim_end_matches(char::is_alphabetic).parse().unwrap_or(1);
    match scale.chars().last() {
        Some('m') => SignedDuration::from_mins(count),
        Some('h') => SignedDuration::from_hours(count),
        _ => SignedDuration::from_hours(24 * count),
    }
}

/// Returns the addresses that were called in the time before the newest block.
fn used_contracts(
    snapshot: &Snapshot,
    span: SignedDuration,
) -> StoreResult<HashMap<Address, ContractUse>> {
    let mut blocks = snapshot.blocks(u64::MAX)?.peekable();
    let newest = blocks.peek().map(|block| block.timestamp);
    let is_recent = |time| newest.is_some_and(|newest| newest.duration_since(time) <= span);
    let first = blocks
        .take_while(|block| is_recent(block.timestamp))
        .last()
        .map_or(u64::MAX, |block| block.number);
    let mut used: HashMap<Address, ContractUse> = HashMap::new();
    let recent = snapshot.transactions(u64::MAX)?.take_while(|row| row.block_number >= first);
    for (row, to) in recent.filter_map(|row| Some((row, row.to?))) {
        let used = used.entry(to).or_default();
        used.transactions += 1;
        used.gas = used.gas.saturating_add(row.gas_used);
        used.is_called |= !row.input.is_empty();
    }
    used.retain(|_, used| used.is_called);
    Ok(used)
}
