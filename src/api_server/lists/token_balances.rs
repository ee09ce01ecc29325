//! The token balances of an address, by descending fiat value.

use std::cmp::Reverse;

use alloy_primitives::{Address, U256};
use serde::Serialize;

use super::{ITEMS_COUNT_PARAM, NULLABLE_DIGITS, TYPE_PARAM, page_of_all};
use crate::api_server::{
    cursor::NextPageParams,
    decimal::FixedDecimal,
    query_params::{ParamRule, ParamSpec, QueryParams},
    request::{JsonResult, RequestContext},
    responses::{self, InstanceResponse},
};
use crate::store::{BalanceRecord, Snapshot, StoreResult, TokenRecord, serde_util};

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    TYPE_PARAM,
    ("fiat_value", ParamRule::AnyOf(&[ParamRule::Decimal, ParamRule::Empty, ParamRule::Null])),
    ("value", NULLABLE_DIGITS),
    ("id", ParamRule::Id),
    ITEMS_COUNT_PARAM,
];

#[derive(Debug, Serialize)]
struct BalanceResponse<'a> {
    #[serde(with = "serde_util::option")]
    value: Option<U256>,
    token: Option<&'a TokenRecord>,
    #[serde(with = "serde_util::option")]
    token_id: Option<U256>,
    token_instance: Option<InstanceResponse<'a>>,
}

/// The descending sort key: fiat value, amount, id. Balances without a price come
/// last, unknown ones after them.
type BalanceSortKey = (Option<FixedDecimal>, Option<U256>, u64);

pub(crate) fn list(request: &RequestContext<'_>, address: Address) -> JsonResult {
    let RequestContext { snapshot, params, .. } = *request;
    let types = params.token_types();
    let after = cursor_key(params);
    let mut rows: Vec<(BalanceSortKey, &BalanceRecord)> = (snapshot.state.balances(address)?)
        .filter(|row| types.as_ref().is_none_or(|types| types.contains(&row.token_type)))
        .map(|row| {
            let token = snapshot.state.token(row.token).ok().flatten();
            ((token.and_then(|token| fiat_value(row, token)), row.value, row.id), row)
        })
        .filter(|(key, _)| after.is_none_or(|after| *key < after))
        .collect();
    rows.sort_unstable_by_key(|(key, _)| Reverse(*key));
    let cursor = |((fiat, value, id), _): &(BalanceSortKey, _), next: NextPageParams| {
        next.with("fiat_value", fiat.map(|fiat| fiat.to_string()))
            .with("value", value.map(|value| value.to_string()))
            .with("id", *id)
    };
    page_of_all(request, rows, cursor, |(_, row)| balance_response(snapshot, row))
}

/// Returns the key of the last row before the page, if all of its parts were sent, null ones too.
fn cursor_key(params: &QueryParams) -> Option<BalanceSortKey> {
    params.raw("fiat_value").and(params.raw("value"))?;
    Some((params.get("fiat_value"), params.get("value"), params.get("id")?))
}

fn fiat_value(balance: &BalanceRecord, token: &TokenRecord) -> Option<FixedDecimal> {
    let rate = token.exchange_rate.as_deref()?.parse().ok()?;
    let decimals = token.decimals.as_deref().map_or(Ok(0), str::parse).ok()?;
    FixedDecimal::fiat_value(balance.value?, decimals, rate)
}

fn balance_response<'a>(
    snapshot: &'a Snapshot,
    row: &'a BalanceRecord,
) -> StoreResult<BalanceResponse<'a>> {
    let token = snapshot.state.token(row.token)?;
    let part = token.map(|token| responses::nested_instance(snapshot, token, row.token_id));
    let token_instance = part.transpose()?.flatten();
    Ok(BalanceResponse { value: row.value, token, token_id: row.token_id, token_instance })
}
