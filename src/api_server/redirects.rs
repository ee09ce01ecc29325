//! The search redirect: the page that a search text names, if any.

use alloy_primitives::{Address, B256};
use serde::Serialize;

use super::{
    coverage::CoverageResponse,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext, to_json},
};
use crate::store::{Snapshot, StoreResult};

pub(crate) const PARAMETERS: &[ParamSpec] = &[("q", ParamRule::Text)];

#[derive(Debug, Default, Serialize)]
struct RedirectResponse {
    #[serde(rename = "redirect")]
    found: bool,
    #[serde(rename = "type")]
    kind: Option<&'static str>,
    parameter: Option<String>,
    /// The blocks that were searched, if not all.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<CoverageResponse>,
}

impl RedirectResponse {
    fn to(kind: &'static str, parameter: &impl ToString) -> Self {
        Self {
            found: true,
            kind: Some(kind),
            parameter: Some(parameter.to_string()),
            coverage: None,
        }
    }
}

/// Looks up an address or a hash, with or without `0x`, a block number, a domain, or a contract of the
/// project. Any address is one, used or not.
pub(crate) fn check_redirect(request: &RequestContext<'_>) -> JsonResult {
    let snapshot = request.snapshot;
    let text = request.params.raw("q").unwrap_or_default().trim();
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let redirect = match digits.len() {
        40 => {
            digits.parse::<Address>().ok().map(|address| RedirectResponse::to("address", &address))
        }
        64 => digits.parse().map_or(Ok(None), |hash| find_by_hash(request, hash))?,
        _ => match text.parse() {
            Ok(number) => {
                snapshot.block(number)?.map(|block| RedirectResponse::to("block", &block.hash))
            }
            Err(_) => match find_by_domain(snapshot, text)? {
                Some(found) => Some(found),
                None => find_by_name(snapshot, text)?,
            },
        },
    };
    let is_of_block = text.parse::<u64>().is_ok() || digits.len() == 64;
    if redirect.is_none() && is_of_block {
        request.snapshot.require_older_blocks()?;
    }
    let nothing = RedirectResponse { coverage: request.coverage(), ..RedirectResponse::default() };
    to_json(&redirect.unwrap_or(nothing))
}

fn find_by_hash(request: &RequestContext<'_>, hash: B256) -> StoreResult<Option<RedirectResponse>> {
    let snapshot = request.snapshot;
    let kind = if snapshot.transaction(hash)?.is_some() {
        Some("transaction")
    } else if snapshot.block_by_hash(hash)?.is_some() {
        Some("block")
    } else {
        request.pending(hash)?.map(|_| "transaction")
    };
    Ok(kind.map(|kind| RedirectResponse::to(kind, &hash)))
}

fn find_by_domain(snapshot: &Snapshot, text: &str) -> StoreResult<Option<RedirectResponse>> {
    let owner = snapshot.state.account_by_domain(text)?;
    Ok(owner.map(|owner| RedirectResponse::to("address", &owner.hash)))
}

/// Looks up a contract of the project by its name, unless several have it.
fn find_by_name(snapshot: &Snapshot, text: &str) -> StoreResult<Option<RedirectResponse>> {
    if snapshot.state.imitates_blockscout {
        return Ok(None);
    }
    snapshot.state.request_contracts();
    let mut named = snapshot.state.accounts.get()?.values().filter(|account| {
        account.name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(text))
    });
    let only = named.next().filter(|_| named.next().is_none());
    Ok(only.map(|account| RedirectResponse::to("address", &account.hash)))
}
