//! The changes that a transaction made: of balances of the coin, the producer's last, then of tokens,
//! then of storage, where the chain is a node's.

use serde::Serialize;
use serde_json::Value;

use super::{ListEnd, page};
use crate::api_server::{
    cursor::NextPageParams,
    query_params::{ParamRule, ParamSpec},
    request::{JsonResult, RequestContext},
    responses::{self, ChangedBalance, ChangedSlot, StateChangeResponse, StorageChangeResponse},
};
use crate::store::TransactionRecord;

pub(crate) const PARAMETERS: &[ParamSpec] =
    &[("state_changes", ParamRule::Null), ("items_count", ParamRule::Integer(1))];

pub(crate) fn list(request: &RequestContext<'_>, transaction: &TransactionRecord) -> JsonResult {
    let snapshot = request.snapshot;
    let miner = snapshot.block(transaction.block_number)?.and_then(|block| block.miner);
    let reported = request.chain.coin_changes(transaction)?;
    let is_node = reported.is_some();
    let coins = reported.map_or_else(|| snapshot.coin_changes(transaction), Ok)?.into_iter().map(
        |(address, balance)| ChangedBalance::Coin {
            address,
            balance,
            is_miner: Some(address) == miner,
        },
    );
    let mut rows: Vec<ChangedBalance> = coins.collect();
    rows.sort_by_key(|row| matches!(row, ChangedBalance::Coin { is_miner: true, .. }));
    let mut tokens = snapshot.token_changes(transaction, !is_node)?;
    if is_node {
        let holdings: Vec<_> = tokens.iter().map(|change| change.holding).collect();
        let balances = request.chain.block_balances(transaction.block_number, &holdings)?;
        snapshot.add_block_balances(transaction, &mut tokens, &balances)?;
    }
    rows.extend(tokens.into_iter().map(ChangedBalance::Token));
    let mut rows: Vec<ChangedState> = rows.into_iter().map(ChangedState::Balance).collect();
    rows.extend(changed_storage(request, transaction));

    let seen: usize = request.params.get("items_count").unwrap_or(0);
    // Without its null key the list begins again, as Blockscout's does.
    let has_cursor = request.params.raw("state_changes").is_some();
    let rest = rows.iter().skip(if has_cursor { seen } else { 0 });
    // Unlike in other lists, it counts from the first page on.
    let cursor = |_: &&ChangedState, _| {
        NextPageParams::echo(request.params)
            .with("state_changes", Value::Null)
            .with("items_count", seen.saturating_add(request.page_size))
    };
    page(request, rest, ListEnd::Complete, cursor, |row| {
        Ok(match row {
            ChangedState::Balance(change) => {
                let response = responses::state_change(snapshot, change)?;
                ChangedStateResponse::Balance(Box::new(response))
            }
            ChangedState::Slot(slot) => {
                let response = responses::storage_change(snapshot, slot)?;
                ChangedStateResponse::Slot(Box::new(response))
            }
            ChangedState::Unknown(why) => ChangedStateResponse::Unknown(UnknownStorageResponse {
                kind: "storage",
                unknown: why,
            }),
        })
    })
}

/// Returns the storage that a transaction changed, or the reason why it is unknown.
fn changed_storage(
    request: &RequestContext<'_>,
    transaction: &TransactionRecord,
) -> Vec<ChangedState> {
    let slots = request.chain.storage_changes(transaction).and_then(|changes| {
        let slots = changes.map(|changes| responses::changed_slots(request, transaction, &changes));
        slots.transpose()
    });
    match slots {
        Ok(slots) => slots.into_iter().flatten().map(ChangedState::Slot).collect(),
        Err(why) => vec![ChangedState::Unknown(why.to_string())],
    }
}

/// A balance, a slot of storage, or the reason why slots are unknown.
#[derive(Debug)]
enum ChangedState {
    Balance(ChangedBalance),
    Slot(ChangedSlot),
    Unknown(String),
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ChangedStateResponse<'a> {
    Balance(Box<StateChangeResponse<'a>>),
    Slot(Box<StorageChangeResponse<'a>>),
    Unknown(UnknownStorageResponse<'a>),
}

#[derive(Debug, Serialize)]
struct UnknownStorageResponse<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    unknown: &'a str,
}
