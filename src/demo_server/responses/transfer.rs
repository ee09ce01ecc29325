//! Token transfers.

use alloy_primitives::{B256, U256};
use serde::Serialize;

use super::{Address, Instance, address, instance_part};
use crate::demo_server::{
    demo_chain::Broken,
    models::{Token, TokenType},
    serde_util,
    store::Ledger,
    transfer_batches,
};

/// A token transfer, in a list or on the page of a transaction.
#[derive(Debug, Serialize)]
pub(crate) struct Transfer<'a> {
    #[serde(with = "serde_util::text")]
    transaction_hash: B256,
    from: Address<'a>,
    to: Address<'a>,
    total: Option<Total<'a>>,
    token: Option<&'a Token>,
    #[serde(rename = "type")]
    kind: &'static str,
    timestamp: Option<&'a str>,
    method: Option<&'a str>,
    #[serde(with = "serde_util::option")]
    block_hash: Option<B256>,
    block_number: u32,
    log_index: u32,
    token_type: TokenType,
}

/// What moved. The keys differ by token standard.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Total<'a> {
    Amount {
        #[serde(with = "serde_util::option")]
        value: Option<U256>,
        decimals: Option<&'a str>,
    },
    Unique {
        #[serde(with = "serde_util::option")]
        token_id: Option<U256>,
        token_instance: Option<Instance<'a>>,
    },
    Multiple {
        #[serde(with = "serde_util::option")]
        token_id: Option<U256>,
        #[serde(with = "serde_util::option")]
        value: Option<U256>,
        decimals: Option<&'a str>,
        token_instance: Option<Instance<'a>>,
    },
}

/// Renders a token transfer.
pub(crate) fn transfer<'a>(
    ledger: &'a Ledger,
    row: &'a transfer_batches::Transfer,
) -> Result<Transfer<'a>, Broken> {
    let place = row.place();
    let block = ledger.block(place.block_number)?;
    let transaction = ledger.transactions()?.get(row.transaction_hash);
    let token = ledger.tokens()?.get(&row.token);
    Ok(Transfer {
        transaction_hash: row.transaction_hash,
        from: address(ledger, row.from)?,
        to: address(ledger, row.to)?,
        total: token.map(|token| total(ledger, row, token)).transpose()?,
        token,
        kind: kind(row),
        timestamp: block.map(|it| &*it.timestamp),
        method: transaction.and_then(|it| it.method.as_deref()),
        block_hash: block.map(|it| it.hash),
        block_number: place.block_number,
        log_index: place.log_index,
        token_type: row.token_type,
    })
}

fn total<'a>(
    ledger: &'a Ledger,
    row: &transfer_batches::Transfer,
    token: &'a Token,
) -> Result<Total<'a>, Broken> {
    let (token_id, value, decimals) = (row.token_id, row.value, token.decimals.as_deref());
    let token_instance = instance_part(ledger, token, token_id)?;
    Ok(match row.token_type {
        TokenType::Erc20 | TokenType::Erc7984 => Total::Amount { value, decimals },
        TokenType::Erc721 => Total::Unique { token_id, token_instance },
        TokenType::Erc1155 | TokenType::Erc404 => {
            Total::Multiple { token_id, value, decimals, token_instance }
        }
    })
}

fn kind(row: &transfer_batches::Transfer) -> &'static str {
    match (row.from.is_zero(), row.to.is_zero()) {
        (false, false) => "token_transfer",
        (true, false) => "token_minting",
        (false, true) => "token_burning",
        (true, true) => "token_spawning",
    }
}
