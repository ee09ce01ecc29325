//! Decodes responses: into which data, each query decides.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;

use super::address::{AddressCounters, AddressInfo};
use super::balance_history::{CoinBalanceChange, DailyBalances};
use super::blocks::{Block, Withdrawal};
use super::contract::Contract;
use super::cursor::Cursor;
use super::error::ApiError;
use super::eth_call::CallResponse;
use super::failure_line::FailureLine;
use super::holders::Holder;
use super::internal_transactions::InternalTransaction;
use super::json;
use super::json_fields::FromJson;
use super::logs::Log;
use super::nft_collections::Collection;
use super::nft_instances::TokenInstance;
use super::page::{Item, Page, parse_single};
use super::query::Query;
use super::reply::{Reply, ReplyData};
use super::search_redirect::SearchRedirect;
use super::search_results::SearchResult;
use super::state_changes::StateChange;
use super::stats::{DailyTransactions, Stats};
use super::token::{Token, TokenCounters};
use super::token_balances::TokenBalance;
use super::token_transfers::TokenTransfer;
use super::transactions::Transaction;
use crate::sanitize::SafeText;

/// Maximum size of a body that is decoded on the asynchronous worker.
const MAX_INLINE_DECODE_BYTES: usize = 256 << 10;

impl Query {
    /// Decodes a response. `sent` is the cursor of the request.
    pub fn decode(&self, body: &[u8], sent: Option<&Cursor>) -> Result<Reply, ApiError> {
        let json: &RawValue = serde_json::from_slice(json::strip_bom(body))
            .map_err(|e| ApiError::InvalidResponse { why: SafeText::new(&e.to_string()) })?;
        match self {
            Self::Address(_) => object::<AddressInfo>(json),
            Self::Counters(_) => object::<AddressCounters>(json),
            Self::Contract(_) => Ok(item::<Contract>(json)),
            Self::Call(_) => object::<CallResponse>(json),
            Self::Transaction(_) => Ok(item::<Transaction>(json)),
            Self::RawTrace(_) => Ok(Reply::new(Arc::<RawValue>::from(json.to_owned()))),
            Self::FailureLine(_) => object::<FailureLine>(json),
            Self::Redirect(_) => object::<SearchRedirect>(json),
            Self::Transactions { .. } | Self::ChainTransactions | Self::BlockTransactions(_) => {
                page::<Transaction>(json, sent)
            }
            Self::InternalTransactions { .. }
            | Self::TransactionInternals(_)
            | Self::BlockInternals(_) => page::<InternalTransaction>(json, sent),
            Self::TokenTransfers { .. }
            | Self::TransactionTransfers(_)
            | Self::TransfersOfToken(_)
            | Self::InstanceTransfers(_) => page::<TokenTransfer>(json, sent),
            Self::TransactionLogs(_) | Self::LogsInCalls(_) | Self::AddressLogs(_) => {
                page::<Log>(json, sent)
            }
            Self::StateChanges(_) => page::<StateChange>(json, sent),
            Self::Block(_) => Ok(item::<Block>(json)),
            Self::Blocks => page::<Block>(json, sent),
            Self::BlockWithdrawals(_) => page::<Withdrawal>(json, sent),
            Self::LatestBlocks => array::<Block>(json),
            Self::LatestTransactions => array::<Transaction>(json),
            Self::Stats => object::<Stats>(json),
            Self::DailyTransactions => object::<DailyTransactions>(json),
            Self::Search(_) => page::<SearchResult>(json, sent),
            Self::Tokens { .. } => page::<TokenBalance>(json, sent),
            Self::Collections { .. } => page::<Collection>(json, sent),
            Self::Instances { .. } => page::<TokenInstance>(json, sent),
            Self::Instance(_) => Ok(item::<TokenInstance>(json)),
            Self::Token(_) => object::<Token>(json),
            Self::ChainTokens { .. } => page::<Token>(json, sent),
            Self::TokenCounters(_) => object::<TokenCounters>(json),
            Self::Holders(_) | Self::InstanceHolders(_) => page::<Holder>(json, sent),
            Self::BalanceHistory(_) => page::<CoinBalanceChange>(json, sent),
            Self::DailyBalances(_) => object::<DailyBalances>(json),
        }
        .map_err(|why| ApiError::InvalidResponse { why })
    }
}

/// Decodes a body, a large one off the asynchronous workers.
pub async fn decode(
    query: &Query,
    body: Bytes,
    cursor: Option<&Cursor>,
) -> Result<Reply, ApiError> {
    if body.len() < MAX_INLINE_DECODE_BYTES {
        return query.decode(&body, cursor);
    }
    let query = query.clone();
    let cursor = cursor.cloned();
    let decoded = tokio::task::spawn_blocking(move || query.decode(&body, cursor.as_ref()));
    decoded
        .await
        .unwrap_or_else(|e| Err(ApiError::Interrupted { why: SafeText::new(&e.to_string()) }))
}

fn page<T: FromJson + ReplyData>(
    json: &RawValue,
    sent: Option<&Cursor>,
) -> Result<Reply, SafeText> {
    Page::<T>::from_json(json, sent).map(Reply::new)
}

fn array<T: FromJson + ReplyData>(json: &RawValue) -> Result<Reply, SafeText> {
    Page::<T>::from_array(json).map(Reply::new)
}

fn item<T: FromJson + ReplyData>(json: &RawValue) -> Reply {
    Reply::new(Arc::new(Item::<T>::from_json(json)))
}

fn object<T: FromJson + ReplyData>(json: &RawValue) -> Result<Reply, SafeText> {
    parse_single::<T>(json).map(Reply::new)
}
