//! The search redirect: the page that a search text names, if any.

use std::cmp::Reverse;

use alloy_primitives::Address;
use serde::Serialize;

use super::{
    demo_chain::DemoDataError,
    query_params::{self, ParamRule, ParamSpec},
    request::{JsonResult, RequestContext, to_json},
    store::Store,
};

pub(crate) const PARAMETERS: &[ParamSpec] = &[("q", ParamRule::Text)];

#[derive(Debug, Default, Serialize)]
struct RedirectResponse {
    #[serde(rename = "redirect")]
    found: bool,
    #[serde(rename = "type")]
    kind: Option<&'static str>,
    parameter: Option<String>,
}

impl RedirectResponse {
    fn to(kind: &'static str, parameter: &impl ToString) -> Self {
        Self { found: true, kind: Some(kind), parameter: Some(parameter.to_string()) }
    }
}

/// Looks up an address, a hash, a block number or a name.
pub(crate) fn check_redirect(request: &RequestContext<'_>) -> JsonResult {
    let store = request.store;
    let text = request.params.raw("q").unwrap_or_default().trim();
    let redirect = if let Some(address) = query_params::parse_address(text) {
        store.accounts()?.get(&address).map(|_| RedirectResponse::to("address", &address))
    } else if let Some(hash) = query_params::parse_hash(text) {
        let kind = if store.transactions()?.get(hash).is_some() {
            Some("transaction")
        } else {
            store.blocks()?.iter().any(|block| block.hash == hash).then_some("block")
        };
        kind.map(|kind| RedirectResponse::to(kind, &hash))
    } else if let Ok(number) = text.parse() {
        store.block(number)?.map(|block| RedirectResponse::to("block", &block.number))
    } else {
        find_by_name(store, text)?.map(|address| RedirectResponse::to("address", &address))
    };
    to_json(&redirect.unwrap_or_default())
}

/// Finds the owner of a domain, or else the token with this name or symbol that has most holders.
fn find_by_name(store: &Store, text: &str) -> Result<Option<Address>, DemoDataError> {
    let matches = |name: &Option<Box<str>>| {
        name.as_deref().is_some_and(|name| name.to_lowercase() == text.to_lowercase())
    };
    let owner = store.accounts()?.values().find(|account| matches(&account.ens));
    if let Some(owner) = owner {
        return Ok(Some(owner.hash));
    }
    let tokens = store.tokens()?.values();
    let matching = tokens.filter(|token| matches(&token.symbol) || matches(&token.name));
    let most_held =
        matching.max_by_key(|token| (token.holder_count(), Reverse(token.address_hash)));
    Ok(most_held.map(|token| token.address_hash))
}
