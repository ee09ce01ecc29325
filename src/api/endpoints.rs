//! The endpoints of an explorer: one row of [`Query::endpoint`] for each query.

use std::sync::Arc;

use serde_json::value::RawValue;
use strum::{IntoStaticStr, VariantNames};

use super::address::{AddressCounters, AddressInfo};
use super::balance_history::{CoinBalanceChange, DailyBalances};
use super::blocks::{Block, Withdrawal};
use super::contract::Contract;
use super::cursor::Cursor;
use super::eth_call::{CallResponse, EthCall};
use super::failure_line::{FailureLine, FailureQuery};
use super::filters::{Direction, TokenType};
use super::holders::Holder;
use super::internal_transactions::InternalTransaction;
use super::json_fields::FromJson;
use super::logs::Log;
use super::nft_collections::Collection;
use super::nft_instances::TokenInstance;
use super::page::{Item, Page, parse_single};
use super::reply::{Reply, ReplyData};
use super::search_redirect::SearchRedirect;
use super::search_results::SearchResult;
use super::state_changes::StateChange;
use super::stats::{DailyTransactions, Stats};
use super::subject::{InstanceKey, Subject};
use super::token::{Token, TokenCounters};
use super::token_balances::TokenBalance;
use super::token_transfers::TokenTransfer;
use super::transactions::Transaction;
use crate::chain::{Address, BlockId, TxHash};
use crate::sanitize::SafeText;
use Subject as Of;

/// A query to an explorer. Some servers do not support `Address`, `Counters`, `Transaction`,
/// `TransactionInternals` and `Redirect`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, IntoStaticStr, VariantNames)]
pub enum Query {
    Address(Address),
    Counters(Address),
    Contract(Address),
    Call(EthCall),
    Transaction(TxHash),
    TransactionInternals(TxHash),
    TransactionTransfers(TxHash),
    TransactionLogs(TxHash),
    /// The logs of a transaction with the calls that emitted them, which cost a trace. Only this
    /// program's own server knows it.
    LogsInCalls(TxHash),
    StateChanges(TxHash),
    /// A transaction's raw trace, in the format of the chain's node.
    RawTrace(TxHash),
    /// The line of the source that a failed call ended at. Only this program's own server knows it.
    FailureLine(FailureQuery),
    /// The target of a name.
    Redirect(SafeText),
    Blocks,
    Block(BlockId),
    BlockTransactions(BlockId),
    BlockInternals(BlockId),
    BlockWithdrawals(BlockId),
    /// The transactions of the whole chain.
    ChainTransactions,
    /// The tokens of the whole chain.
    ChainTokens {
        types: Vec<TokenType>,
    },
    /// A few of the newest blocks, for the start page.
    LatestBlocks,
    /// A few of the newest transactions, for the start page.
    LatestTransactions,
    Stats,
    DailyTransactions,
    /// Whatever a text is found in.
    Search(SafeText),
    Transactions {
        address: Address,
        direction: Option<Direction>,
    },
    InternalTransactions {
        address: Address,
        direction: Option<Direction>,
    },
    AddressLogs(Address),
    TokenTransfers {
        /// The address, or `None` for the whole chain.
        address: Option<Address>,
        direction: Option<Direction>,
        /// Only these standards; all if empty.
        types: Vec<TokenType>,
        token: Option<Address>,
    },
    Tokens {
        address: Address,
        types: Vec<TokenType>,
    },
    Collections {
        address: Address,
        types: Vec<TokenType>,
    },
    Instances {
        token: Address,
        holder: Option<Address>,
    },
    Instance(InstanceKey),
    InstanceTransfers(InstanceKey),
    InstanceHolders(InstanceKey),
    Token(Address),
    TokenCounters(Address),
    TransfersOfToken(Address),
    Holders(Address),
    /// The coin balance of an address after each block that changed it.
    BalanceHistory(Address),
    /// The coin balance of an address at the end of each of the latest days.
    DailyBalances(Address),
}

#[expect(clippy::disallowed_types, reason = "not shown, but sent to the server")]
pub(super) type Params = Vec<(&'static str, String)>;

/// Decodes JSON. Takes the cursor of the request.
type Decoder = fn(&RawValue, Option<&Cursor>) -> Result<Reply, SafeText>;

/// The request for a query, and the type of its reply.
#[expect(clippy::disallowed_types, reason = "not shown, but sent to the server")]
pub(super) struct ApiEndpoint {
    pub(super) subject: Subject,
    /// Path below the base URL.
    pub(super) path: String,
    /// Name of the items of a list. Empty if the response is the subject itself.
    pub(super) words: &'static str,
    /// The address that the response is about, if any.
    pub(super) viewed: Option<Address>,
    /// Parameters of the first page besides filters.
    pub(super) params: Params,
    /// Body to post. Other requests have none.
    pub(super) body: Option<String>,
    pub(super) decode: Decoder,
}

impl Query {
    /// Returns the endpoint: its subject, its path below the subject's, and its data.
    #[expect(clippy::too_many_lines, reason = "a table with a row for each query")]
    pub(super) fn endpoint(&self) -> ApiEndpoint {
        match self {
            Self::Address(a) => row(Of::Address(*a), "", object::<AddressInfo>),
            Self::Counters(a) => row(Of::Address(*a), "counters", object::<AddressCounters>),
            Self::Contract(a) => row(Of::Contract(*a), "", item::<Contract>),
            Self::Call(call) => ApiEndpoint {
                path: "api/eth-rpc".into(),
                body: Some(call.body()),
                ..row(Of::Chain, "", object::<CallResponse>)
            },
            Self::Transaction(hash) => row(Of::Transaction(*hash), "", item::<Transaction>),
            Self::TransactionInternals(hash) => {
                row(Of::Transaction(*hash), "internal-transactions", page::<InternalTransaction>)
            }
            Self::TransactionTransfers(hash) => {
                row(Of::Transaction(*hash), "token-transfers", page::<TokenTransfer>)
            }
            Self::TransactionLogs(hash) => row(Of::Transaction(*hash), "logs", page::<Log>),
            Self::LogsInCalls(hash) => ApiEndpoint {
                params: vec![("calls", "true".into())],
                ..row(Of::Transaction(*hash), "logs", page::<Log>)
            },
            Self::StateChanges(hash) => {
                row(Of::Transaction(*hash), "state-changes", page::<StateChange>)
            }
            Self::RawTrace(hash) => row(Of::Transaction(*hash), "raw-trace", raw_json),
            Self::FailureLine(call) => ApiEndpoint {
                params: call.params(),
                ..row(Of::Transaction(call.transaction), "failure-line", object::<FailureLine>)
            },
            Self::Redirect(text) => ApiEndpoint {
                params: vec![("q", text.to_string())],
                ..row(Of::Chain, "search/check-redirect", object::<SearchRedirect>)
            },
            Self::Search(text) => ApiEndpoint {
                params: vec![("q", text.to_string())],
                ..row(Of::Chain, "search", page::<SearchResult>)
            },
            Self::Blocks => row(Of::Chain, "blocks", page::<Block>),
            Self::Block(id) => row(Of::Block(*id), "", item::<Block>),
            Self::BlockTransactions(id) => row(Of::Block(*id), "transactions", page::<Transaction>),
            Self::BlockInternals(id) => {
                row(Of::Block(*id), "internal-transactions", page::<InternalTransaction>)
            }
            Self::BlockWithdrawals(id) => row(Of::Block(*id), "withdrawals", page::<Withdrawal>),
            Self::ChainTransactions => row(Of::Chain, "transactions", page::<Transaction>),
            Self::ChainTokens { .. } => row(Of::Chain, "tokens", page::<Token>),
            Self::LatestBlocks => row(Of::Chain, "main-page/blocks", array::<Block>),
            Self::LatestTransactions => {
                row(Of::Chain, "main-page/transactions", array::<Transaction>)
            }
            Self::Stats => row(Of::Chain, "stats", object::<Stats>),
            Self::DailyTransactions => {
                row(Of::Chain, "stats/charts/transactions", object::<DailyTransactions>)
            }
            Self::Transactions { address, .. } => {
                row(Of::Address(*address), "transactions", page::<Transaction>)
            }
            Self::InternalTransactions { address, .. } => {
                row(Of::Address(*address), "internal-transactions", page::<InternalTransaction>)
            }
            Self::AddressLogs(a) => row(Of::Address(*a), "logs", page::<Log>),
            Self::TokenTransfers { address, .. } => row(
                address.map_or(Of::Chain, Of::Address),
                "token-transfers",
                page::<TokenTransfer>,
            ),
            Self::Tokens { address, .. } => {
                row(Of::Address(*address), "tokens", page::<TokenBalance>)
            }
            Self::Collections { address, .. } => {
                row(Of::Address(*address), "nft/collections", page::<Collection>)
            }
            Self::Instances { token, holder } => ApiEndpoint {
                viewed: *holder,
                params: Vec::from_iter(
                    holder.map(|holder| ("holder_address_hash", holder.to_string())),
                ),
                ..row(Of::Token(*token), "instances", page::<TokenInstance>)
            },
            Self::Instance(key) => row(Of::Instance(*key), "", item::<TokenInstance>),
            Self::InstanceTransfers(key) => ApiEndpoint {
                words: "token transfers",
                ..row(Of::Instance(*key), "transfers", page::<TokenTransfer>)
            },
            Self::InstanceHolders(key) => ApiEndpoint {
                viewed: Some(key.token),
                ..row(Of::Instance(*key), "holders", page::<Holder>)
            },
            Self::Token(token) => row(Of::Token(*token), "", object::<Token>),
            Self::TokenCounters(token) => {
                row(Of::Token(*token), "counters", object::<TokenCounters>)
            }
            Self::TransfersOfToken(token) => ApiEndpoint {
                words: "token transfers",
                viewed: None,
                ..row(Of::Token(*token), "transfers", page::<TokenTransfer>)
            },
            Self::Holders(token) => row(Of::Token(*token), "holders", page::<Holder>),
            Self::BalanceHistory(a) => {
                row(Of::Address(*a), "coin-balance-history", page::<CoinBalanceChange>)
            }
            Self::DailyBalances(a) => {
                row(Of::Address(*a), "coin-balance-history-by-day", object::<DailyBalances>)
            }
        }
    }
}

fn row(subject: Subject, path: &'static str, decode: Decoder) -> ApiEndpoint {
    ApiEndpoint {
        subject,
        path: subject.path(path),
        words: path.rsplit('/').next().unwrap_or_default(),
        viewed: subject.address(),
        params: Vec::new(),
        body: None,
        decode,
    }
}

/// Decodes raw JSON, which stays as it is.
#[expect(clippy::unnecessary_wraps, reason = "a decoder may fail")]
fn raw_json(json: &RawValue, _: Option<&Cursor>) -> Result<Reply, SafeText> {
    Ok(Reply::new(Arc::<RawValue>::from(json.to_owned())))
}

fn page<T: FromJson + ReplyData>(
    json: &RawValue,
    sent: Option<&Cursor>,
) -> Result<Reply, SafeText> {
    Page::<T>::from_json(json, sent).map(Reply::new)
}

fn array<T: FromJson + ReplyData>(json: &RawValue, _: Option<&Cursor>) -> Result<Reply, SafeText> {
    Page::<T>::from_array(json).map(Reply::new)
}

#[expect(clippy::unnecessary_wraps, reason = "a decoder may fail")]
fn item<T: FromJson + ReplyData>(json: &RawValue, _: Option<&Cursor>) -> Result<Reply, SafeText> {
    Ok(Reply::new(Arc::new(Item::<T>::from_json(json))))
}

fn object<T: FromJson + ReplyData>(json: &RawValue, _: Option<&Cursor>) -> Result<Reply, SafeText> {
    parse_single::<T>(json).map(Reply::new)
}
