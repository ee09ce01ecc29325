//! The tokens of the chain: by market cap, price and holders, the most first, then by name.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use alloy_primitives::Address;

use super::{ITEMS_COUNT_PARAM, NULLABLE_INTEGER, TYPE_PARAM, page_of_all};
use crate::api_server::{
    cursor::NextPageParams,
    error::ApiServerError,
    query_params::{ParamRule, ParamSpec, QueryParams},
    request::{JsonResult, RequestContext},
};
use crate::chain::decimal::Decimal;
use crate::store::{Snapshot, StoreResult, TokenRecord};

const NULLABLE_DECIMAL: ParamRule =
    ParamRule::AnyOf(&[ParamRule::Decimal, ParamRule::Empty, ParamRule::Null]);

pub(crate) const PARAMETERS: &[ParamSpec] = &[
    TYPE_PARAM,
    ("contract_address_hash", ParamRule::Address),
    ("market_cap", NULLABLE_DECIMAL),
    ("fiat_value", NULLABLE_DECIMAL),
    ("holders_count", NULLABLE_INTEGER),
    ("is_name_null", ParamRule::OneOf(&["true", "false"])),
    ("name", ParamRule::Text),
    ITEMS_COUNT_PARAM,
];

/// Market cap, price and holders, then whether it has no name, its name and its address.
type TokenSortKey = (Reverse<[Option<Decimal>; 2]>, Reverse<Option<u64>>, bool, Box<str>, Address);

pub(crate) fn list(request: &RequestContext<'_>) -> JsonResult {
    let RequestContext { snapshot, params, .. } = *request;
    let types = params.token_types();
    if params.raw("market_cap").is_some() && params.raw("fiat_value").is_none() {
        // Blockscout fails in the same way.
        return Err(ApiServerError::Internal("Internal server error".to_owned()));
    }
    let after = cursor_key(params);
    let mut rows: Vec<(TokenSortKey, &TokenRecord)> = all_tokens(snapshot)?
        .into_iter()
        .filter(|token| types.as_ref().is_none_or(|types| types.contains(&token.standard)))
        .map(|token| (sort_key(token), token))
        .filter(|(key, _)| after.as_ref().is_none_or(|after| key > after))
        .collect();
    rows.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let cursor = |(key, token): &(TokenSortKey, &TokenRecord), next: NextPageParams| {
        let (Reverse([market_cap, price]), Reverse(holders), is_name_null, ..) = key;
        next.with("contract_address_hash", format!("{:#x}", token.address_hash))
            .with("market_cap", market_cap.map(|cap| cap.to_string()))
            .with("fiat_value", price.map(|price| price.to_string()))
            .with("holders_count", *holders)
            .with("is_name_null", *is_name_null)
            .with("name", token.name.as_deref())
    };
    page_of_all(request, rows, cursor, |(_, token)| Ok(token))
}

/// Returns the tokens of the state, and tokens known only by their transfers.
fn all_tokens(snapshot: &Snapshot) -> StoreResult<Vec<&TokenRecord>> {
    let known = snapshot.state.tokens.get()?.keys().copied();
    let transferred = snapshot.transfers(u64::MAX)?.map(|row| row.token);
    let all: BTreeSet<Address> = known.chain(transferred).collect();
    if snapshot.coverage.is_none() {
        for token in &all {
            snapshot.state.request_holder_count(*token);
        }
    }
    let tokens = all.into_iter().map(|token| snapshot.state.token(token));
    tokens.filter_map(Result::transpose).collect()
}

fn sort_key(token: &TokenRecord) -> TokenSortKey {
    let decimal = |text: &Option<Box<str>>| text.as_deref()?.parse().ok();
    let values = [decimal(&token.circulating_market_cap), decimal(&token.exchange_rate)];
    let holders = token.holders_count.as_deref().and_then(|count| count.parse().ok());
    let sent = token.name.clone();
    let is_name_null = sent.is_none();
    let name = sent.unwrap_or_default();
    (Reverse(values), Reverse(holders), is_name_null, name, token.address_hash)
}

/// Returns the key of the last row before the page. Without one of its parts, even a null one, the list
/// begins again, as Blockscout's does.
fn cursor_key(params: &QueryParams) -> Option<TokenSortKey> {
    let is_complete = ["market_cap", "fiat_value", "holders_count", "is_name_null", "name"]
        .iter()
        .all(|name| params.raw(name).is_some());
    let address = params.get("contract_address_hash").filter(|_| is_complete)?;
    let values = [params.get("market_cap"), params.get("fiat_value")];
    let is_name_null = params.get::<bool>("is_name_null").unwrap_or_default();
    let name = params.raw("name").filter(|_| !is_name_null).unwrap_or_default().into();
    let holders = Reverse(params.get("holders_count"));
    Some((Reverse(values), holders, is_name_null, name, address))
}
