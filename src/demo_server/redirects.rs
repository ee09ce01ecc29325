//! Which page, if any, a text typed into a search box names.

use std::cmp::Reverse;

use alloy_primitives::Address;
use serde::Serialize;

use super::{
    demo_chain::DemoDataError,
    query_params::{self, ParamRule, ParamSpec},
    store::Store,
};

/// What the search takes.
pub(crate) const PARAMETERS: &[ParamSpec] = &[("q", ParamRule::Text)];

/// Where to go for a text.
#[derive(Debug, Default, Serialize)]
pub(crate) struct RedirectResponse {
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

/// Looks an address, a hash, a block number or a name up; what the chain does not have leads nowhere.
pub(crate) fn check_redirect(
    ledger: &Store,
    text: &str,
) -> Result<RedirectResponse, DemoDataError> {
    let text = text.trim();
    if let Some(address) = query_params::parse_address(text) {
        let known = ledger.accounts()?.contains_key(&address);
        return Ok(if known {
            RedirectResponse::to("address", &address)
        } else {
            RedirectResponse::default()
        });
    }
    if let Some(hash) = query_params::parse_hash(text) {
        if ledger.transactions()?.get(hash).is_some() {
            return Ok(RedirectResponse::to("transaction", &hash));
        }
        let known = ledger.blocks()?.iter().any(|block| block.hash == hash);
        return Ok(if known {
            RedirectResponse::to("block", &hash)
        } else {
            RedirectResponse::default()
        });
    }
    if let Ok(number) = text.parse() {
        let block = ledger.block(number)?;
        return Ok(block.map_or_else(RedirectResponse::default, |it| {
            RedirectResponse::to("block", &it.number)
        }));
    }
    let named = find_by_name(ledger, text)?;
    Ok(named.map_or_else(RedirectResponse::default, |address| {
        RedirectResponse::to("address", &address)
    }))
}

/// Whose domain this is, or else the token that is called so: of several the one that most hold.
fn find_by_name(ledger: &Store, text: &str) -> Result<Option<Address>, DemoDataError> {
    let is_it = |name: &Option<Box<str>>| {
        name.as_deref().is_some_and(|name| name.to_lowercase() == text.to_lowercase())
    };
    let owner = ledger.accounts()?.values().find(|account| is_it(&account.ens));
    if let Some(owner) = owner {
        return Ok(Some(owner.hash));
    }
    let tokens = ledger.tokens()?.values();
    let called = tokens.filter(|token| is_it(&token.symbol) || is_it(&token.name));
    let most = called.max_by_key(|token| (token.holder_count(), Reverse(token.address_hash)));
    Ok(most.map(|token| token.address_hash))
}
