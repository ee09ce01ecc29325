//! Changes of balances.

use alloy_primitives::{Address, U256};
use serde::Serialize;

use super::{AddressResponse, address};
use crate::store::{BalanceShift, Snapshot, StoreResult, TokenRecord, TokenShift, serde_util};

#[derive(Debug)]
pub(crate) enum ChangedBalance {
    Coin { address: Address, balance: BalanceShift, is_miner: bool },
    Token(TokenShift),
}

#[derive(Debug, Serialize)]
pub(crate) struct StateChangeResponse<'a> {
    address: AddressResponse<'a>,
    #[serde(with = "serde_util::option")]
    balance_before: Option<U256>,
    #[serde(with = "serde_util::option")]
    balance_after: Option<U256>,
    change: ChangeResponse,
    is_miner: bool,
    token: Option<&'a TokenRecord>,
    #[serde(with = "serde_util::option")]
    token_id: Option<U256>,
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ChangeResponse {
    Amount(String),
    Instances(Vec<InstanceMoveResponse>),
}

#[derive(Debug, Serialize)]
struct InstanceMoveResponse {
    direction: &'static str,
    total: MovedInstanceResponse,
}

#[derive(Debug, Serialize)]
struct MovedInstanceResponse {
    #[serde(with = "serde_util::text")]
    token_id: U256,
    token_instance: Option<()>,
}

pub(crate) fn state_change<'a>(
    snapshot: &'a Snapshot,
    change: &ChangedBalance,
) -> StoreResult<StateChangeResponse<'a>> {
    let (owner, balance) = match change {
        ChangedBalance::Coin { address, balance, .. } => (*address, balance),
        ChangedBalance::Token(change) => (change.holding.holder, &change.balance),
    };
    let response = StateChangeResponse {
        address: address(snapshot, owner)?,
        balance_before: balance.before,
        balance_after: balance.after,
        change: ChangeResponse::Amount(balance.change.to_string()),
        is_miner: matches!(change, ChangedBalance::Coin { is_miner: true, .. }),
        token: None,
        token_id: None,
        kind: "coin",
    };
    let ChangedBalance::Token(TokenShift { holding, instances, .. }) = change else {
        return Ok(response);
    };
    let token = snapshot.state.token(holding.token)?;
    let response = StateChangeResponse { token, token_id: holding.id, kind: "token", ..response };
    if instances.is_empty() {
        return Ok(response);
    }
    let moved = instances.iter().map(|&(token_id, is_gain)| InstanceMoveResponse {
        direction: if is_gain { "to" } else { "from" },
        total: MovedInstanceResponse { token_id, token_instance: None },
    });
    Ok(StateChangeResponse { change: ChangeResponse::Instances(moved.collect()), ..response })
}
