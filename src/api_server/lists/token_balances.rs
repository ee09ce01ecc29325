//! The token balances of an address, by descending fiat value.

use std::cmp::Reverse;

use alloy_primitives::{Address, U256, U512};
use serde::Serialize;

use super::{ITEMS_COUNT_PARAM, NULLABLE_DIGITS, TYPE_PARAM, page_of_all};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec, QueryParams},
    request::{JsonResult, RequestContext},
    responses::{self, InstanceResponse},
};
use crate::chain::decimal::Decimal;
use crate::store::{BalanceRecord, Snapshot, StoreResult, TokenRecord, serde_util};

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    TYPE_PARAM,
    ("fiat_value", ParamRule::AnyOf(&[ParamRule::Decimal, ParamRule::Empty, ParamRule::Null])),
    ("value", NULLABLE_DIGITS),
    ("id", ParamRule::Id),
    ITEMS_COUNT_PARAM,
];

/// Digits after the point of a fiat value, which is a part of cursors.
const FIAT_DECIMALS: usize = 18;

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
type BalanceSortKey = (Option<Decimal>, Option<U256>, u64);

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

fn fiat_value(balance: &BalanceRecord, token: &TokenRecord) -> Option<Decimal> {
    let rate = token.exchange_rate.as_deref()?.parse().ok()?;
    let decimals = token.decimals.as_deref().map_or(Ok(0), str::parse).ok()?;
    let value = Decimal::new(U512::from(balance.value?), decimals).checked_mul(rate)?;
    value.floor_to_units(FIAT_DECIMALS).map(|units| Decimal::new(units, FIAT_DECIMALS))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::token_standard::TokenStandard;

    #[test]
    fn fiat_value_has_eighteen_decimals() {
        let worth = |value: U256, decimals: &str, rate: &str| {
            let (address, token_type) = (Address::ZERO, TokenStandard::Erc20);
            let [decimals, exchange_rate] = [decimals, rate].map(|text| Some(text.into()));
            let token = TokenRecord::new(address, token_type);
            let token = TokenRecord { decimals, exchange_rate, ..token };
            let (token_id, value) = (None, Some(value));
            let row = BalanceRecord { id: 0, address, token: address, token_type, token_id, value };
            fiat_value(&row, &token).unwrap()
        };
        for (value, decimals, rate, shown) in [
            (1_500_000_u64, "6", "1.0003", "1.50045"),
            (100_042_234_069_907, "8", "0.0000001234", "0.123452116842265238"),
            (7, "255", "3150.42", "0"),
        ] {
            assert_eq!(worth(U256::from(value), decimals, rate).to_string(), shown);
        }
        assert!(worth(U256::MAX, "0", "1000000") > worth(U256::MAX, "1", "1000000"));
    }
}
