//! Replies of an explorer: which item each query is answered with.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;
use strum::EnumTryAs;

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
use super::logs::Log;
use super::nft_collections::Collection;
use super::nft_instances::TokenInstance;
use super::page::{Item, Page};
use super::query::Query;
use super::search_redirect::SearchRedirect;
use super::search_results::SearchResult;
use super::state_changes::StateChange;
use super::stats::{DailyTransactions, Stats};
use super::token::{Token, TokenCounters};
use super::token_balances::TokenBalance;
use super::token_transfers::TokenTransfer;
use super::transactions::Transaction;
use super::{json, page};
use crate::chain::target::TargetKind;
use crate::chain::{Address, Timestamp, TxHash};
use crate::sanitize::SafeText;

/// Characters that an explorer searches for: of fewer it finds nothing.
const MIN_SEARCH_CHARS: usize = 3;
/// Maximum size of a body that is decoded on the asynchronous worker.
const MAX_INLINE_DECODE_BYTES: usize = 256 << 10;

#[derive(Debug, Clone, EnumTryAs)]
pub enum Reply {
    Address(Box<AddressInfo>),
    Counters(AddressCounters),
    Contract(Address, Arc<Item<Contract>>),
    Call(CallResponse),
    Transaction(Arc<Item<Transaction>>),
    RawTrace(Arc<RawValue>),
    FailureLine(Box<FailureLine>),
    Redirect(SearchRedirect),
    Transactions(Page<Transaction>),
    /// Of an address, or of a transaction.
    InternalTransactions(Page<InternalTransaction>),
    /// Of an address, of a transaction, or of the chain.
    TokenTransfers(Page<TokenTransfer>),
    Logs(Page<Log>),
    StateChanges(Page<StateChange>),
    Tokens(Page<TokenBalance>),
    Collections(Page<Collection>),
    Instances(Page<TokenInstance>),
    Instance(Arc<Item<TokenInstance>>),
    Token(Box<Token>),
    ChainTokens(Page<Token>),
    TokenCounters(TokenCounters),
    Holders(Page<Holder>),
    BalanceHistory(Page<CoinBalanceChange>),
    DailyBalances(DailyBalances),
    Block(Arc<Item<Block>>),
    Blocks(Page<Block>),
    Withdrawals(Page<Withdrawal>),
    Stats(Box<Stats>),
    DailyTransactions(DailyTransactions),
    SearchResults(Page<SearchResult>),
}

impl Reply {
    /// Returns the transactions of a list of them, with their times.
    pub fn transaction_times(&self) -> Vec<(TxHash, Timestamp)> {
        let Self::Transactions(page) = self else { return Vec::new() };
        let parsed = page.items.iter().filter_map(|item| item.parsed.as_ref().ok());
        parsed.filter_map(|it| Some((it.hash, *it.timestamp.value()?))).collect()
    }

    /// Returns whether this is a list of transactions with rows.
    pub fn has_transactions(&self) -> bool {
        matches!(self, Self::Transactions(page) if !page.items.is_empty())
    }
}

impl Query {
    /// Decodes a response. `sent` is the cursor of the request.
    pub fn decode(&self, body: &[u8], sent: Option<&Cursor>) -> Result<Reply, ApiError> {
        let json: &RawValue = serde_json::from_slice(json::strip_bom(body))
            .map_err(|e| ApiError::InvalidResponse { why: SafeText::new(&e.to_string()) })?;
        match self {
            Self::Address(_) => page::parse_single(json).map(Box::new).map(Reply::Address),
            Self::Counters(_) => page::parse_single(json).map(Reply::Counters),
            Self::Contract(of) => Ok(Reply::Contract(*of, Arc::new(Item::from_json(json)))),
            Self::Call(_) => page::parse_single(json).map(Reply::Call),
            Self::Transaction(_) => Ok(Reply::Transaction(Arc::new(Item::from_json(json)))),
            Self::RawTrace(_) => Ok(Reply::RawTrace(Arc::from(json.to_owned()))),
            Self::FailureLine(_) => page::parse_single(json).map(Box::new).map(Reply::FailureLine),
            Self::Redirect(_) => page::parse_single(json).map(Reply::Redirect),
            Self::Transactions { .. } | Self::ChainTransactions | Self::BlockTransactions(_) => {
                Page::from_json(json, sent).map(Reply::Transactions)
            }
            Self::InternalTransactions { .. }
            | Self::TransactionInternals(_)
            | Self::BlockInternals(_) => {
                Page::from_json(json, sent).map(Reply::InternalTransactions)
            }
            Self::TokenTransfers { .. }
            | Self::TransactionTransfers(_)
            | Self::TransfersOfToken(_)
            | Self::InstanceTransfers(_) => Page::from_json(json, sent).map(Reply::TokenTransfers),
            Self::TransactionLogs(_) | Self::LogsInCalls(_) | Self::AddressLogs(_) => {
                Page::from_json(json, sent).map(Reply::Logs)
            }
            Self::StateChanges(_) => Page::from_json(json, sent).map(Reply::StateChanges),
            Self::Block(_) => Ok(Reply::Block(Arc::new(Item::from_json(json)))),
            Self::Blocks => Page::from_json(json, sent).map(Reply::Blocks),
            Self::BlockWithdrawals(_) => Page::from_json(json, sent).map(Reply::Withdrawals),
            Self::LatestBlocks => Page::from_array(json).map(Reply::Blocks),
            Self::LatestTransactions => Page::from_array(json).map(Reply::Transactions),
            Self::Stats => page::parse_single(json).map(Box::new).map(Reply::Stats),
            Self::DailyTransactions => page::parse_single(json).map(Reply::DailyTransactions),
            Self::Search(_) => Page::from_json(json, sent).map(Reply::SearchResults),
            Self::Tokens { .. } => Page::from_json(json, sent).map(Reply::Tokens),
            Self::Collections { .. } => Page::from_json(json, sent).map(Reply::Collections),
            Self::Instances { .. } => Page::from_json(json, sent).map(Reply::Instances),
            Self::Instance(_) => Ok(Reply::Instance(Arc::new(Item::from_json(json)))),
            Self::Token(_) => page::parse_single(json).map(Box::new).map(Reply::Token),
            Self::ChainTokens { .. } => Page::from_json(json, sent).map(Reply::ChainTokens),
            Self::TokenCounters(_) => page::parse_single(json).map(Reply::TokenCounters),
            Self::Holders(_) | Self::InstanceHolders(_) => {
                Page::from_json(json, sent).map(Reply::Holders)
            }
            Self::BalanceHistory(_) => Page::from_json(json, sent).map(Reply::BalanceHistory),
            Self::DailyBalances(_) => page::parse_single(json).map(Reply::DailyBalances),
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

/// Returns what a name leads to, by the server's reply.
pub fn resolved_target(
    name: &str,
    reply: &Result<Reply, ApiError>,
) -> Result<TargetKind, SafeText> {
    match reply {
        Ok(Reply::Redirect(redirect)) if name.chars().count() < MIN_SEARCH_CHARS => {
            let why = |_| "too short: explorers search for three characters or more".into();
            redirect.target().map_err(why)
        }
        Ok(Reply::Redirect(redirect)) => redirect.target(),
        Ok(_) | Err(ApiError::Refused { status: 400 | 404 | 501, .. }) => {
            Err("this explorer cannot resolve names: enter an address or a hash".into())
        }
        Err(error) => Err(SafeText::new(&error.to_string())),
    }
}
