//! Which page, if any, a text typed into a search box names.

use serde::Serialize;

use super::{
    demo::Broken,
    ledger::Ledger,
    params::{self, Declared, Rule},
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

/// Looks an address, a hash or a block number up; what the chain does not have leads nowhere.
pub(crate) fn redirect(ledger: &Ledger, text: &str) -> Result<Redirect, Broken> {
    let text = text.trim();
    if let Some(address) = params::address(text) {
        let known = ledger.accounts()?.contains_key(&address);
        return Ok(if known { Redirect::to("address", &address) } else { Redirect::default() });
    }
    if let Some(hash) = params::hash(text) {
        if ledger.transactions()?.get(hash).is_some() {
            return Ok(Redirect::to("transaction", &hash));
        }
        let known = ledger.blocks()?.iter().any(|block| block.hash == hash);
        return Ok(if known { Redirect::to("block", &hash) } else { Redirect::default() });
    }
    let number = text.parse().ok().map(|number| ledger.block(number)).transpose()?.flatten();
    Ok(number.map_or_else(Redirect::default, |block| Redirect::to("block", &block.number)))
}
