//! The accounts of the chain by balance, the most first, of a node those that it has the keys of, and
//! the chain's verified contracts.

use std::cmp::Reverse;

use alloy_primitives::{Address, U256};
use serde::Serialize;

use super::{ITEMS_COUNT_PARAM, ListEnd, NULLABLE_DIGITS, NULLABLE_INTEGER, page};
use crate::api_server::{
    cursor::NextPageParams,
    error::ApiServerError,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext},
    responses::{self, AddressResponse},
};
use crate::messages::chain_data::ChainDataError;
use crate::store::{AccountRecord, StateParts, StoreResult};

const SORT_PARAM: ParamSpec = ("sort", ParamRule::OneOf(&["balance", "transactions_count"]));
const ORDER_PARAM: ParamSpec = ("order", ParamRule::OneOf(&["asc", "desc"]));

/// Maximum accounts of a node that are read: an option of the node sets their number.
const MAX_NODE_ACCOUNTS: usize = 100;

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    SORT_PARAM,
    ORDER_PARAM,
    ("fetched_coin_balance", NULLABLE_DIGITS),
    ("hash", ParamRule::Address),
    ("transactions_count", NULLABLE_INTEGER),
    ITEMS_COUNT_PARAM,
];

pub(crate) const CONTRACT_PARAMETERS: &[ParamSpec] =
    &[("smart_contract_id", ParamRule::Integer(0)), ITEMS_COUNT_PARAM];

#[derive(Debug, Serialize)]
struct RankedAccountResponse<'a> {
    #[serde(flatten)]
    address: AddressResponse<'a>,
    coin_balance: Option<&'a str>,
    transactions_count: String,
}

#[derive(Debug, Serialize)]
struct VerifiedContractResponse<'a> {
    address: AddressResponse<'a>,
    certified: bool,
    coin_balance: Option<&'a str>,
    compiler_version: Option<&'a str>,
    has_constructor_args: Option<()>,
    language: Option<&'a str>,
    license_type: Option<&'a str>,
    market_cap: Option<()>,
    optimization_enabled: Option<bool>,
    reputation: &'static str,
    transactions_count: usize,
    verified_at: Option<()>,
}

/// Returns all accounts, which a node does not list: the error says what a list lacks then.
fn all_accounts<'a>(
    request: &RequestContext<'a>,
    missing: ChainDataError,
) -> Result<impl Iterator<Item = &'a AccountRecord>, ApiServerError> {
    let state = &request.snapshot.state;
    match state.parts {
        StateParts::All => Ok(state.accounts.get()?.values()),
        StateParts::Some { .. } => Err(ApiServerError::Unsupported(missing)),
    }
}

/// Returns all accounts, or the node's own.
fn known_accounts<'a>(
    request: &RequestContext<'a>,
) -> Result<Vec<&'a AccountRecord>, ApiServerError> {
    let state = &request.snapshot.state;
    let own = match state.parts {
        StateParts::All => Vec::new(),
        StateParts::Some { .. } => request.chain.node_accounts()?,
    };
    if own.is_empty() {
        return Ok(all_accounts(request, ChainDataError::NoAccountList)?.collect());
    }
    let records = own.into_iter().take(MAX_NODE_ACCOUNTS).map(|hash| state.account_detail(hash));
    Ok(records.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

pub(crate) fn list(request: &RequestContext<'_>) -> JsonResult {
    let key = |balance: U256, hash: Address| (Reverse(balance), hash);
    let params = request.params;
    let after = params
        .get("fetched_coin_balance")
        .zip(params.get("hash"))
        .map(|(balance, hash)| key(balance, hash));
    let mut rows: Vec<_> = known_accounts(request)?
        .into_iter()
        .filter_map(|account| {
            let balance: U256 = account.coin_balance.as_deref()?.parse().ok()?;
            (!balance.is_zero()).then_some((key(balance, account.hash), account))
        })
        .filter(|(key, _)| after.is_none_or(|after| *key > after))
        .collect();
    rows.sort_unstable_by_key(|(key, _)| *key);
    let cursor = |((balance, hash), _): &((Reverse<U256>, Address), _), next: NextPageParams| {
        next.with("fetched_coin_balance", balance.0.to_string())
            .with("hash", hash.to_string())
            .with("transactions_count", None::<u64>)
    };
    page(request, rows, ListEnd::Complete, cursor, |(_, account)| {
        let transactions = request.snapshot.transactions(u64::MAX)?;
        Ok(RankedAccountResponse {
            address: responses::address(request.snapshot, account.hash)?,
            coin_balance: account.coin_balance.as_deref(),
            transactions_count: transactions
                .filter(|row| row.involves(account.hash))
                .count()
                .to_string(),
        })
    })
}

pub(crate) fn list_verified(request: &RequestContext<'_>) -> JsonResult {
    let accounts = all_accounts(request, ChainDataError::NoVerifiedContracts)?;
    let mut verified: Vec<_> = accounts.filter(|account| account.has_verified_source()).collect();
    // Explorers number contracts as they are verified, which demo contracts are at their creation.
    verified.sort_by_cached_key(|account| (creation_place(request, account), account.hash));
    let after: Option<usize> = request.params.get("smart_contract_id");
    let rows = verified
        .into_iter()
        .enumerate()
        .rev()
        .filter(|(id, _)| after.is_none_or(|after| *id < after));
    let cursor = |(id, _): &(usize, _), next: NextPageParams| next.with("smart_contract_id", *id);
    page(request, rows, ListEnd::Complete, cursor, |(_, account)| {
        verified_contract(request, account)
    })
}

/// Returns the block of a contract's creation, and the place in it.
fn creation_place(request: &RequestContext<'_>, account: &AccountRecord) -> Option<(u64, u32)> {
    let transaction = request.snapshot.transaction(account.creation_tx?).ok()??;
    Some((transaction.block_number, transaction.index))
}

fn verified_contract<'a>(
    request: &RequestContext<'a>,
    account: &'a AccountRecord,
) -> StoreResult<VerifiedContractResponse<'a>> {
    let contracts = request.snapshot.contracts()?;
    let sent = request.snapshot.transactions(u64::MAX)?;
    let source = account.name.as_deref().and_then(|name| contracts.source(name));
    Ok(VerifiedContractResponse {
        address: responses::address(request.snapshot, account.hash)?,
        certified: false,
        coin_balance: account.coin_balance.as_deref(),
        compiler_version: source.and_then(|source| source.compiler_version.as_deref()),
        has_constructor_args: None,
        language: source.and_then(|source| source.language.as_deref()),
        license_type: source.and_then(|source| source.license_type.as_deref()),
        market_cap: None,
        optimization_enabled: source.and_then(|source| source.optimization_enabled),
        reputation: "ok",
        transactions_count: sent.filter(|row| row.involves(account.hash)).count(),
        verified_at: None,
    })
}
