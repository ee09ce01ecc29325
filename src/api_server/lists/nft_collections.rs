//! The NFT collections of an address, by standard and then by contract.

use alloy_primitives::{Address, U256};
use serde::Serialize;

use super::{ITEMS_COUNT_PARAM, TYPE_PARAM, nft_instances::held_instances, page_of_all};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec, QueryParams},
    request::{JsonResult, RequestContext},
    responses::{self, InstanceResponse},
};
use crate::chain::token_standard::TokenStandard;
use crate::store::{Snapshot, StoreResult, TokenRecord, serde_util};

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    TYPE_PARAM,
    ("token_contract_address_hash", ParamRule::Address),
    ("token_type", ParamRule::OneOf(&["ERC-20", "ERC-721", "ERC-1155", "ERC-404", "ERC-7984"])),
    ITEMS_COUNT_PARAM,
];

const MAX_PREVIEW_INSTANCES: usize = 9;

#[derive(Debug, Serialize)]
struct CollectionResponse<'a> {
    token: &'a TokenRecord,
    /// Number of different ids, not the sum of their amounts. `None` if the token does not report it.
    #[serde(with = "serde_util::option")]
    amount: Option<U256>,
    token_instances: Vec<InstanceResponse<'a>>,
}

pub(crate) fn list(request: &RequestContext<'_>, address: Address) -> JsonResult {
    let RequestContext { snapshot, params, .. } = *request;
    let mut types = params.token_types().unwrap_or_default();
    // A filter that names no type of NFT lists all.
    types.retain(|&standard| standard != TokenStandard::Erc20);
    let mut tokens = held_collections(snapshot, address, &types)?;
    let after = cursor_key(params);
    tokens.retain(|token| after.is_none_or(|after| after < sort_key(token)));
    let cursor = |last: &&TokenRecord, next: NextPageParams| {
        next.with("token_contract_address_hash", format!("{:#x}", last.address_hash))
            .with("token_type", <&str>::from(last.standard))
    };
    page_of_all(request, tokens, cursor, |token| collection_response(snapshot, address, token))
}

fn sort_key(token: &TokenRecord) -> (TokenStandard, Address) {
    (token.standard, token.address_hash)
}

fn cursor_key(params: &QueryParams) -> Option<(TokenStandard, Address)> {
    Some((params.get("token_type")?, params.get("token_contract_address_hash")?))
}

fn held_collections<'a>(
    snapshot: &'a Snapshot,
    address: Address,
    types: &[TokenStandard],
) -> StoreResult<Vec<&'a TokenRecord>> {
    let mut held: Vec<&TokenRecord> = (snapshot.state.balances(address)?)
        .filter(|row| row.token_type != TokenStandard::Erc20)
        .filter(|row| types.is_empty() || types.contains(&row.token_type))
        .filter_map(|row| snapshot.state.token(row.token).transpose())
        .collect::<Result<_, _>>()?;
    held.sort_unstable_by_key(|token| sort_key(token));
    // An ERC-1155 token has a balance per id.
    held.dedup_by_key(|token| sort_key(token));
    Ok(held)
}

fn collection_response<'a>(
    snapshot: &'a Snapshot,
    address: Address,
    token: &'a TokenRecord,
) -> StoreResult<CollectionResponse<'a>> {
    let held = held_instances(snapshot, address, token)?;
    let amount = match token.standard {
        // Some of its ids may be unknown.
        TokenStandard::Erc721 => {
            let mut balances = snapshot.state.balances(address)?;
            balances.find(|row| row.token == token.address_hash).and_then(|row| row.value)
        }
        _ => Some(U256::from(held.len())),
    };
    let previews = held.iter().take(MAX_PREVIEW_INSTANCES);
    Ok(CollectionResponse {
        token,
        amount,
        token_instances: previews
            .map(|&(record, holding)| responses::preview(snapshot, record, holding))
            .collect::<Result<_, _>>()?,
    })
}
