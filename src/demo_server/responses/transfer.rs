//! Token transfers.

use alloy_primitives::{B256, U256};
use serde::Serialize;

use super::{AddressResponse, InstanceResponse, address, nested_instance};
use crate::demo_server::{
    demo_chain::DemoDataError,
    models::{DemoTokenType, TokenRecord},
    serde_util,
    store::Store,
    transfer_batches,
};

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
    timestamp: Option<&'a str>,
    method: Option<&'a str>,
    #[serde(with = "serde_util::option")]
    block_hash: Option<B256>,
    block_number: u32,
    log_index: u32,
    token_type: DemoTokenType,
}

/// The amount or the id, with keys that differ by token standard.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum TransferTotalResponse<'a> {
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
    store: &'a Store,
    row: &'a transfer_batches::DemoTransfer,
) -> Result<TransferResponse<'a>, DemoDataError> {
    let position = row.position;
    let block = store.block(position.block_number)?;
    let transaction = store.transactions()?.get(row.transaction_hash);
    let token = store.tokens()?.get(&row.token);
    Ok(TransferResponse {
        transaction_hash: row.transaction_hash,
        from: address(store, row.from)?,
        to: address(store, row.to)?,
        total: token.map(|token| total(store, row, token)).transpose()?,
        token,
        kind: transfer_kind(row),
        timestamp: block.map(|it| &*it.timestamp),
        method: transaction.and_then(|it| it.method.as_deref()),
        block_hash: block.map(|it| it.hash),
        block_number: position.block_number,
        log_index: position.log_index,
        token_type: row.token_type,
    })
}

/// Renders a transfer inside its transaction, where Blockscout leaves out what both have.
pub(crate) fn nested_transfer<'a>(
    store: &'a Store,
    row: &'a transfer_batches::DemoTransfer,
) -> Result<TransferResponse<'a>, DemoDataError> {
    Ok(TransferResponse { timestamp: None, method: None, ..transfer(store, row)? })
}

fn total<'a>(
    store: &'a Store,
    row: &transfer_batches::DemoTransfer,
    token: &'a TokenRecord,
) -> Result<TransferTotalResponse<'a>, DemoDataError> {
    let (token_id, value, decimals) = (row.token_id, row.value, token.decimals.as_deref());
    let token_instance = nested_instance(store, token, token_id)?;
    Ok(match row.token_type {
        DemoTokenType::Erc20 | DemoTokenType::Erc7984 => {
            TransferTotalResponse::Amount { value, decimals }
        }
        DemoTokenType::Erc721 => TransferTotalResponse::Unique { token_id, token_instance },
        DemoTokenType::Erc1155 | DemoTokenType::Erc404 => {
            TransferTotalResponse::Multiple { token_id, value, decimals, token_instance }
        }
    })
}

fn transfer_kind(row: &transfer_batches::DemoTransfer) -> &'static str {
    match (row.from.is_zero(), row.to.is_zero()) {
        (false, false) => "token_transfer",
        (true, false) => "token_minting",
        (false, true) => "token_burning",
        (true, true) => "token_spawning",
    }
}
