//! The instances of a token, optionally of one holder, by descending id.

use alloy_primitives::{Address, U256};

use super::page_of_all;
use crate::api_server::{
    cursor::{CursorValue, NextPageParams},
    error::ApiServerError,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext},
    responses::{self, HoldingResponse},
};
use crate::chain::token_standard::TokenStandard;
use crate::store::{InstanceRecord, Snapshot, StoreResult, TokenRecord};

pub(crate) const PARAMETERS: &[ParamSpec] =
    &[("holder_address_hash", ParamRule::Address), ("unique_token", ParamRule::Digits)];

pub(crate) fn list(request: &RequestContext<'_>, token: Address) -> JsonResult {
    let RequestContext { snapshot, params, .. } = *request;
    let token = snapshot.state.token(token)?.ok_or_else(|| request.not_found())?;
    let holder: Option<Address> = params.get("holder_address_hash");
    if holder.is_some() && token.standard == TokenStandard::Erc20 {
        return Err(ApiServerError::NotFound(None));
    }
    let mut rows: Vec<(&InstanceRecord, Option<HoldingResponse>)> = match holder {
        Some(holder) => {
            let held = held_instances(snapshot, holder, token)?;
            held.into_iter().map(|(row, holding)| (row, Some(holding))).collect()
        }
        None => (snapshot.state.instances(token.address_hash)?).map(|row| (row, None)).collect(),
    };
    let after: Option<U256> = params.get("unique_token");
    rows.retain(|(row, _)| after.is_none_or(|after| row.id < after));
    let cursor = |(last, _): &(&InstanceRecord, _), _| {
        NextPageParams::echo(params).with("unique_token", CursorValue::BigNumber(last.id))
    };
    page_of_all(request, rows, cursor, |(row, held)| {
        responses::instance(snapshot, row, token, held)
    })
}

/// Returns the instances of a token that an address holds, by descending id.
pub(super) fn held_instances<'a>(
    snapshot: &'a Snapshot,
    holder: Address,
    token: &TokenRecord,
) -> StoreResult<Vec<(&'a InstanceRecord, HoldingResponse)>> {
    let balances: Vec<_> =
        snapshot.state.balances(holder)?.filter(|row| row.token == token.address_hash).collect();
    let value = |row: &InstanceRecord| match token.standard {
        // ERC-721 balances are per contract, so the owner decides.
        TokenStandard::Erc721 => (row.owner == Some(holder)).then_some(row.held_by_owner()),
        _ => balances
            .iter()
            .find(|balance| balance.token_id == Some(row.id))
            .map(|balance| balance.value),
    };
    let token_type = token.standard;
    let held = |row| Some((row, HoldingResponse { token_type, value: value(row)? }));
    Ok(snapshot.state.instances(token.address_hash)?.filter_map(held).collect())
}
