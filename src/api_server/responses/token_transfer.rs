//! Token transfers.

use alloy_primitives::{B256, U256};
use jiff::Timestamp;
use serde::Serialize;

use super::{AddressResponse, InstanceResponse, address, method, nested_instance};
use crate::chain::token_standard::TokenStandard;
use crate::store::{Snapshot, StoreResult, TokenRecord, TransferRecord, serde_util};

#[derive(Debug, Serialize)]
pub(crate) struct TransferResponse<'a> {
    #[serde(with = "serde_util::text")]
    transaction_hash: B256,
    from: AddressResponse<'a>,
    to: AddressResponse<'a>,
    total: Option<TransferTotalResponse<'a>>,
    token: Option<&'a TokenRecord>,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(with = "serde_util::time_option")]
    timestamp: Option<Timestamp>,
    method: Option<String>,
    #[serde(with = "serde_util::option")]
    block_hash: Option<B256>,
    block_number: u64,
    log_index: u32,
    token_type: TokenStandard,
}

/// The amount or the id, with keys that differ by token standard.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum TransferTotalResponse<'a> {
    Amount {
        #[serde(with = "serde_util::option")]
        value: Option<U256>,
        decimals: Option<&'a str>,
    },
    Unique {
        #[serde(with = "serde_util::option")]
        token_id: Option<U256>,
        token_instance: Option<InstanceResponse<'a>>,
    },
    Multiple {
        #[serde(with = "serde_util::option")]
        token_id: Option<U256>,
        #[serde(with = "serde_util::option")]
        value: Option<U256>,
        decimals: Option<&'a str>,
        token_instance: Option<InstanceResponse<'a>>,
    },
}

pub(crate) fn transfer<'a>(
    snapshot: &'a Snapshot,
    row: &'a TransferRecord,
) -> StoreResult<TransferResponse<'a>> {
    let position = row.position;
    let block = snapshot.block(position.block_number)?;
    let transaction = snapshot.transaction_in_block(position.block_number, row.transaction_hash)?;
    let token = snapshot.state.token(row.token)?;
    Ok(TransferResponse {
        transaction_hash: row.transaction_hash,
        from: address(snapshot, row.from)?,
        to: address(snapshot, row.to)?,
        total: token.map(|token| total(snapshot, row, token)).transpose()?,
        token,
        kind: transfer_kind(row),
        timestamp: block.map(|block| block.timestamp),
        method: transaction.map(|transaction| method(snapshot, transaction)).transpose()?.flatten(),
        block_hash: block.map(|block| block.hash),
        block_number: position.block_number,
        log_index: position.log_index,
        token_type: row.standard,
    })
}

/// Renders a transfer inside its transaction, where Blockscout leaves out what both have.
pub(crate) fn nested_transfer<'a>(
    snapshot: &'a Snapshot,
    row: &'a TransferRecord,
) -> StoreResult<TransferResponse<'a>> {
    Ok(TransferResponse { timestamp: None, method: None, ..transfer(snapshot, row)? })
}

pub(super) fn total<'a>(
    snapshot: &'a Snapshot,
    row: &TransferRecord,
    token: &'a TokenRecord,
) -> StoreResult<TransferTotalResponse<'a>> {
    let (token_id, value, decimals) = (row.token_id, row.value, token.decimals.as_deref());
    let token_instance = nested_instance(snapshot, token, token_id)?;
    Ok(match row.standard {
        TokenStandard::Erc20 | TokenStandard::Erc7984 => {
            TransferTotalResponse::Amount { value, decimals }
        }
        TokenStandard::Erc721 => TransferTotalResponse::Unique { token_id, token_instance },
        TokenStandard::Erc1155 | TokenStandard::Erc404 => {
            TransferTotalResponse::Multiple { token_id, value, decimals, token_instance }
        }
    })
}

fn transfer_kind(row: &TransferRecord) -> &'static str {
    match (row.from.is_zero(), row.to.is_zero()) {
        (false, false) => "token_transfer",
        (true, false) => "token_minting",
        (false, true) => "token_burning",
        (true, true) => "token_spawning",
    }
}
