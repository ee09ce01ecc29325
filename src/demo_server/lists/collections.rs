//! The NFT collections an address holds something of, by standard and then by address.

use alloy_primitives::Address;
use serde::Serialize;

use super::{
    ITEMS_COUNT_PARAM, PageResponse, RequestContext, TYPE_PARAM, instances::held_instances,
    take_page,
};
use crate::demo_server::{
    cursor::DemoCursor,
    demo_chain::DemoDataError,
    error::DemoApiError,
    models::{DemoTokenType, TokenRecord},
    query_params::{ParamRule, ParamSpec, QueryParams},
    responses::InstanceResponse,
    serde_util,
    store::Store,
};

/// What the list takes.
pub(crate) const PARAMETERS: &[ParamSpec] = &[
    TYPE_PARAM,
    ("token_contract_address_hash", ParamRule::Address),
    ("token_type", ParamRule::OneOf(&["ERC-20", "ERC-721", "ERC-1155", "ERC-404", "ERC-7984"])),
    ITEMS_COUNT_PARAM,
];

/// Instances shown of each collection.
const MAX_PREVIEW_INSTANCES: usize = 9;

/// A collection.
#[derive(Debug, Serialize)]
pub(crate) struct CollectionResponse<'a> {
    token: &'a TokenRecord,
    /// How many different ids are held, not how many of them.
    #[serde(with = "serde_util::text")]
    amount: usize,
    token_instances: Vec<InstanceResponse<'a>>,
}

/// Lists the collections an address holds.
pub(crate) fn list<'a>(
    question: &RequestContext<'a>,
    whom: Address,
) -> Result<PageResponse<CollectionResponse<'a>>, DemoApiError> {
    let RequestContext { store: ledger, params, page_size } = *question;
    let mut tokens = held_collections(ledger, whom, params.parse_token_types().as_deref())?;
    let mark = cursor_key(params);
    tokens.retain(|token| mark.is_none_or(|mark| mark < sort_key(token)));

    let (page, next) = take_page(tokens.into_iter(), page_size);
    let next_page_params = next.and(page.last()).map(|last| cursor(params, last, page.len()));
    let items = page.into_iter().map(|token| collection_response(ledger, whom, token));
    Ok(PageResponse { items: items.collect::<Result<_, _>>()?, next_page_params })
}

fn sort_key(token: &TokenRecord) -> (DemoTokenType, Address) {
    (token.standard, token.address_hash)
}

/// The key of the last row of the page before.
fn cursor_key(params: &QueryParams) -> Option<(DemoTokenType, Address)> {
    Some((params.get("token_type")?, params.get("token_contract_address_hash")?))
}

fn held_collections<'a>(
    ledger: &'a Store,
    whom: Address,
    types: Option<&[DemoTokenType]>,
) -> Result<Vec<&'a TokenRecord>, DemoDataError> {
    let tokens = ledger.tokens()?;
    let mut held: Vec<&TokenRecord> = (ledger.balances()?.iter())
        .filter(|row| row.address == whom && row.token_type != DemoTokenType::Erc20)
        .filter(|row| types.is_none_or(|types| types.contains(&row.token_type)))
        .filter_map(|row| tokens.get(&row.token))
        .collect();
    held.sort_unstable_by_key(|token| sort_key(token));
    // A multi-token has a balance for every id.
    held.dedup_by_key(|token| sort_key(token));
    Ok(held)
}

fn collection_response<'a>(
    ledger: &'a Store,
    whom: Address,
    token: &'a TokenRecord,
) -> Result<CollectionResponse<'a>, DemoDataError> {
    let held = held_instances(ledger, whom, token)?;
    let previews = held.iter().take(MAX_PREVIEW_INSTANCES);
    Ok(CollectionResponse {
        token,
        amount: held.len(),
        token_instances: previews
            .map(|&(record, value)| InstanceResponse::preview(record, token.standard, value))
            .collect(),
    })
}

fn cursor(params: &QueryParams, last: &TokenRecord, items_count: usize) -> DemoCursor {
    DemoCursor::echo(params)
        .with("token_contract_address_hash", last.address_hash)
        .with("token_type", <&str>::from(last.standard))
        .with("items_count", items_count)
}
