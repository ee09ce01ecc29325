//! Tokens by themselves, and their counters.

use std::collections::HashSet;

use alloy_primitives::Address;
use serde::Serialize;

use crate::api_server::request::{JsonResult, RequestContext, to_json};
use crate::store::{StoreError, StoreResult, serde_util};

pub(crate) fn token(request: &RequestContext<'_>, token: Address) -> JsonResult {
    let found = request.snapshot.state.token(token)?.ok_or_else(|| request.not_found())?;
    if request.snapshot.coverage.is_none() {
        request.snapshot.state.request_holder_count(token);
    }
    to_json(found)
}

#[derive(Debug, Serialize)]
struct TokenCountersResponse {
    #[serde(rename = "token_holders_count", with = "serde_util::option")]
    holders: Option<usize>,
    #[serde(rename = "transfers_count", with = "serde_util::option")]
    transfers: Option<usize>,
}

/// Counts the holders and the transfer logs of a token, unless only some blocks are known.
pub(crate) fn token_counters(request: &RequestContext<'_>, token: Address) -> JsonResult {
    let snapshot = request.snapshot;
    snapshot.state.token(token)?.ok_or_else(|| request.not_found())?;
    if snapshot.coverage.is_some() {
        // Answered without them in the end.
        let _ = snapshot.require_older_blocks();
        return to_json(&TokenCountersResponse { holders: None, transfers: None });
    }
    let holders = match snapshot.state.holders(token) {
        Ok(rows) => {
            let rows = rows.filter(|row| !row.address.is_zero());
            Some(rows.map(|row| row.address).collect::<HashSet<_>>().len())
        }
        Err(StoreError::Unsupported(_)) => None,
        Err(error) => return Err(error.into()),
    };
    let transfers = count_transfers(request, token)?;
    to_json(&TokenCountersResponse { holders, transfers: Some(transfers) })
}

fn count_transfers(request: &RequestContext<'_>, token: Address) -> StoreResult<usize> {
    let transfers = request.snapshot.transfers(u64::MAX)?.filter(|row| row.token == token);
    let mut positions: Vec<_> = transfers.map(|row| row.position).collect();
    positions.dedup_by(|next, position| next.is_same_log(*position));
    Ok(positions.len())
}
