//! Which page, if any, a text typed into a search box names.

use std::cmp::Reverse;

use alloy_primitives::Address;
use serde::Serialize;

use super::{
    demo_chain::Broken,
    query_params::{self, Declared, Rule},
    store::Ledger,
};

/// What the search takes.
pub(crate) const PARAMETERS: &[Declared] = &[("q", Rule::Text)];

/// Where to go for a text.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Redirect {
    #[serde(rename = "redirect")]
    found: bool,
    #[serde(rename = "type")]
    kind: Option<&'static str>,
    parameter: Option<String>,
}

impl Redirect {
    fn to(kind: &'static str, parameter: &impl ToString) -> Self {
        Self { found: true, kind: Some(kind), parameter: Some(parameter.to_string()) }
    }
}

/// Looks an address, a hash, a block number or a name up; what the chain does not have leads nowhere.
pub(crate) fn redirect(ledger: &Ledger, text: &str) -> Result<Redirect, Broken> {
    let text = text.trim();
    if let Some(address) = query_params::address(text) {
        let known = ledger.accounts()?.contains_key(&address);
        return Ok(if known { Redirect::to("address", &address) } else { Redirect::default() });
    }
    if let Some(hash) = query_params::hash(text) {
        if ledger.transactions()?.get(hash).is_some() {
            return Ok(Redirect::to("transaction", &hash));
        }
        let known = ledger.blocks()?.iter().any(|block| block.hash == hash);
        return Ok(if known { Redirect::to("block", &hash) } else { Redirect::default() });
    }
    if let Ok(number) = text.parse() {
        let block = ledger.block(number)?;
        return Ok(block.map_or_else(Redirect::default, |it| Redirect::to("block", &it.number)));
    }
    let named = named(ledger, text)?;
    Ok(named.map_or_else(Redirect::default, |address| Redirect::to("address", &address)))
}

/// Whose domain this is, or else the token that is called so: of several the one that most hold.
fn named(ledger: &Ledger, text: &str) -> Result<Option<Address>, Broken> {
    let is_it = |name: &Option<Box<str>>| {
        name.as_deref().is_some_and(|name| name.to_lowercase() == text.to_lowercase())
    };
    let owner = ledger.accounts()?.values().find(|account| is_it(&account.ens));
    if let Some(owner) = owner {
        return Ok(Some(owner.hash));
    }
    let tokens = ledger.tokens()?.values();
    let called = tokens.filter(|token| is_it(&token.symbol) || is_it(&token.name));
    let most = called.max_by_key(|token| (token.holders(), Reverse(token.address_hash)));
    Ok(most.map(|token| token.address_hash))
}
