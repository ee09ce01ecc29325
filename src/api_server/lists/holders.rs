//! The holders of a token or of an instance, by descending amount.

use std::cmp::Reverse;

use alloy_primitives::{Address, U256};
use serde::Serialize;

use super::{ITEMS_COUNT_PARAM, NULLABLE_DIGITS, page_of_all};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext},
    responses::{self, AddressResponse},
};
use crate::chain::token_standard::TokenStandard;
use crate::store::{BalanceRecord, InstanceRecord, serde_util};

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    ("address_hash", ParamRule::Address),
    ("value", NULLABLE_DIGITS),
    ("token_id", ParamRule::Digits),
    ITEMS_COUNT_PARAM,
];

#[derive(Debug, Serialize)]
struct HolderResponse<'a> {
    address: AddressResponse<'a>,
    #[serde(with = "serde_util::option")]
    token_id: Option<U256>,
    #[serde(with = "serde_util::option")]
    value: Option<U256>,
}

pub(crate) fn list(request: &RequestContext<'_>, token: Address) -> JsonResult {
    request.snapshot.state.token(token)?.ok_or_else(|| request.not_found())?;
    respond(request, request.snapshot.state.holders(token)?.collect(), None)
}

pub(crate) fn list_of_instance(
    request: &RequestContext<'_>,
    instance: &InstanceRecord,
) -> JsonResult {
    let held = |row: &&BalanceRecord| match row.token_type {
        // ERC-721 balances are per contract, so the owner decides.
        TokenStandard::Erc721 => instance.owner == Some(row.address),
        _ => row.token_id == Some(instance.id),
    };
    let rows = request.snapshot.state.holders(instance.token)?.filter(held).collect();
    respond(request, rows, Some(instance))
}

/// Responds with the balances of a token, or of one instance.
fn respond(
    request: &RequestContext<'_>,
    mut rows: Vec<&BalanceRecord>,
    instance: Option<&InstanceRecord>,
) -> JsonResult {
    let RequestContext { snapshot, params, .. } = *request;
    let key = |row: &BalanceRecord| (row.value, row.address, row.token_id.unwrap_or_default());
    let after = params
        .get("address_hash")
        .map(|address| (params.get("value"), address, params.get("token_id").unwrap_or_default()));
    rows.retain(|row| !row.address.is_zero() && after.is_none_or(|after| key(row) < after));
    rows.sort_unstable_by_key(|row| Reverse(key(row)));
    let cursor = |last: &&BalanceRecord, next: NextPageParams| {
        next.with("address_hash", last.address.to_string())
            .with("value", last.value.map(|value| value.to_string()))
            .with("token_id", last.token_id.map(|id| id.to_string()))
    };
    page_of_all(request, rows, cursor, |row| {
        let address = responses::address(snapshot, row.address)?;
        Ok(match instance.filter(|_| row.token_type == TokenStandard::Erc721) {
            Some(instance) => {
                let value = instance.held_by_owner();
                HolderResponse { address, token_id: Some(instance.id), value }
            }
            None => HolderResponse { address, token_id: row.token_id, value: row.value },
        })
    })
}
