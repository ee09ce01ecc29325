//! The endpoints of the Blockscout API: their paths, parameters and responses.
//!
//! A new endpoint is a file under `api/` with its item, a variant of [`Query`] and one of
//! [`Reply`]. The compiler then asks for the path, the parameters and the decoder.

#![deny(clippy::disallowed_types)]

pub mod address;
pub mod api_key;
pub mod balance_history;
pub mod blocks;
pub mod client;
pub mod contract;
mod coverage;
pub mod cursor;
pub mod decoded_input;
pub mod error;
pub mod eth_call;
pub mod exchange;
pub mod failure_line;
pub mod holders;
pub mod internal_transactions;
pub mod json;
pub mod json_fields;
pub mod logs;
pub mod nft_collections;
pub mod nft_instances;
pub mod page;
pub mod paged_rows;
pub mod response_stream;
pub mod search_redirect;
pub mod search_results;
pub mod state_changes;
pub mod stats;
pub mod token;
pub mod token_balances;
pub mod token_transfers;
pub mod transactions;

use std::sync::Arc;

use serde_json::value::RawValue;
use strum::{EnumString, EnumTryAs, IntoStaticStr, VariantNames};

pub use cursor::Cursor;
pub use error::{ApiError, tried_again};
pub use json_fields::Field;
pub use page::{Item, Next, Page};

use crate::chain::{Address, BlockId, Timestamp, TxHash, U256};
use crate::sanitize::SafeText;
use address::{AddressCounters, AddressInfo};
use balance_history::{CoinBalanceChange, DailyBalances};
use blocks::{Block, Withdrawal};
use contract::Contract;
use eth_call::{CallResponse, EthCall};
use failure_line::{FailureLine, FailureQuery};
use holders::Holder;
use internal_transactions::InternalTransaction;
use logs::Log;
use nft_collections::Collection;
use nft_instances::TokenInstance;
use search_redirect::SearchRedirect;
use search_results::SearchResult;
use state_changes::StateChange;
use stats::{DailyTransactions, Stats};
use token::{Token, TokenCounters};
use token_balances::TokenBalance;
use token_transfers::TokenTransfer;
use transactions::Transaction;

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
    StateChanges(TxHash),
    /// A transaction's raw trace, in the format of the chain's node.
    RawTrace(TxHash),
    /// The line of the source that a failed call ended at. Only this program's own server knows it.
    FailureLine(FailureQuery),
    /// What a name leads to.
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

/// What tells an NFT from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct InstanceKey {
    pub token: Address,
    pub id: U256,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Direction {
    To,
    From,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, VariantNames)]
#[strum(ascii_case_insensitive)]
pub enum TokenType {
    #[strum(serialize = "ERC-20")]
    Erc20,
    #[strum(serialize = "ERC-721")]
    Erc721,
    /// Multi-token: an amount of each id.
    #[strum(serialize = "ERC-1155")]
    Erc1155,
    #[strum(serialize = "ERC-404")]
    Erc404,
    /// Confidential. Known to servers since version 10.
    #[strum(serialize = "ERC-7984")]
    Erc7984,
}

impl TokenType {
    /// The types that every server knows.
    pub const COMMON: [Self; 4] = [Self::Erc20, Self::Erc721, Self::Erc1155, Self::Erc404];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    Direction(Direction),
    Type(TokenType),
    Token(Address),
}

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

    /// Returns whether this is a list of transactions or token transfers with rows.
    pub fn has_rows(&self) -> bool {
        match self {
            Self::Transactions(page) => !page.items.is_empty(),
            Self::TokenTransfers(page) => !page.items.is_empty(),
            _ => false,
        }
    }
}

#[expect(clippy::disallowed_types, reason = "not shown, but sent to the server")]
type Params = Vec<(&'static str, String)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterOption {
    pub filter: Filter,
    pub is_set: bool,
}

#[derive(Default)]
struct FilterValues<'a> {
    direction: Option<Direction>,
    types: &'a [TokenType],
    token: Option<Address>,
    holder: Option<Address>,
}

impl Query {
    /// Creates an unfiltered query for the token transfers of an address, or of the whole chain.
    pub fn token_transfers(address: Option<Address>) -> Self {
        Self::TokenTransfers { address, direction: None, types: Vec::new(), token: None }
    }

    fn filter_values(&self) -> FilterValues<'_> {
        let none = FilterValues::default();
        match self {
            Self::Transactions { direction, .. } | Self::InternalTransactions { direction, .. } => {
                FilterValues { direction: *direction, ..none }
            }
            Self::TokenTransfers { direction, types, token, .. } => {
                FilterValues { direction: *direction, types, token: *token, ..none }
            }
            Self::Tokens { types, .. }
            | Self::Collections { types, .. }
            | Self::ChainTokens { types } => FilterValues { types, ..none },
            Self::Instances { holder, .. } => FilterValues { holder: *holder, ..none },
            _ => none,
        }
    }

    /// Returns the filters that the server offers for this list. `token` is offered as a token to
    /// filter by, unless one is set.
    pub fn filters(&self, token: Option<Address>) -> Vec<FilterOption> {
        let values = self.filter_values();
        let types = match self {
            Self::TokenTransfers { .. } | Self::Tokens { .. } | Self::ChainTokens { .. } => {
                &TokenType::COMMON[..]
            }
            Self::Collections { .. } => &TokenType::COMMON[1..],
            _ => &[],
        };
        let directions = match self {
            Self::Transactions { .. }
            | Self::InternalTransactions { .. }
            | Self::TokenTransfers { address: Some(_), .. } => {
                &[Direction::To, Direction::From][..]
            }
            _ => &[],
        };
        let token = match self {
            Self::TokenTransfers { address: Some(_), .. } => values.token.or(token),
            _ => None,
        };
        let types = types.iter().map(|kind| FilterOption {
            filter: Filter::Type(*kind),
            is_set: values.types.contains(kind),
        });
        let directions = directions.iter().map(|direction| FilterOption {
            filter: Filter::Direction(*direction),
            is_set: values.direction == Some(*direction),
        });
        let token = token.map(|token| FilterOption {
            filter: Filter::Token(token),
            is_set: values.token == Some(token),
        });
        types.chain(directions).chain(token).collect()
    }

    #[must_use]
    pub fn toggled(mut self, filter: Filter) -> Self {
        match (&mut self, filter) {
            (
                Self::Transactions { direction, .. }
                | Self::InternalTransactions { direction, .. }
                | Self::TokenTransfers { direction, .. },
                Filter::Direction(value),
            ) => toggle(direction, value),
            (
                Self::TokenTransfers { types, .. }
                | Self::Tokens { types, .. }
                | Self::Collections { types, .. }
                | Self::ChainTokens { types },
                Filter::Type(kind),
            ) => match types.iter().position(|t| *t == kind) {
                Some(at) => drop(types.remove(at)),
                None => types.push(kind),
            },
            (Self::TokenTransfers { token, .. }, Filter::Token(value)) => toggle(token, value),
            _ => {}
        }
        self
    }

    /// Returns the path below the base URL.
    #[expect(clippy::disallowed_types, reason = "not shown, but sent to the server")]
    pub fn path(&self) -> String {
        if let Self::Call(_) = self {
            "api/eth-rpc".into()
        } else {
            format!("api/v2/{}", self.endpoint())
        }
    }

    /// Returns the path below that of the REST API.
    #[expect(clippy::disallowed_types, reason = "not shown, but sent to the server")]
    fn endpoint(&self) -> String {
        match self {
            Self::Address(address) => format!("addresses/{address}"),
            Self::Counters(address) => format!("addresses/{address}/counters"),
            Self::Contract(address) => format!("smart-contracts/{address}"),
            Self::Call(_) => String::new(),
            Self::Transaction(hash) => format!("transactions/{hash}"),
            Self::TransactionInternals(hash) => {
                format!("transactions/{hash}/internal-transactions")
            }
            Self::TransactionTransfers(hash) => format!("transactions/{hash}/token-transfers"),
            Self::TransactionLogs(hash) => format!("transactions/{hash}/logs"),
            Self::StateChanges(hash) => format!("transactions/{hash}/state-changes"),
            Self::AddressLogs(address) => format!("addresses/{address}/logs"),
            Self::RawTrace(hash) => format!("transactions/{hash}/raw-trace"),
            Self::FailureLine(of) => format!("transactions/{}/failure-line", of.transaction),
            Self::Redirect(_) => "search/check-redirect".into(),
            Self::Transactions { address, .. } => format!("addresses/{address}/transactions"),
            Self::InternalTransactions { address, .. } => {
                format!("addresses/{address}/internal-transactions")
            }
            Self::TokenTransfers { address: Some(address), .. } => {
                format!("addresses/{address}/token-transfers")
            }
            Self::TokenTransfers { address: None, .. } => "token-transfers".into(),
            Self::Tokens { address, .. } => format!("addresses/{address}/tokens"),
            Self::Collections { address, .. } => format!("addresses/{address}/nft/collections"),
            Self::Instances { token, .. } => format!("tokens/{token}/instances"),
            Self::Instance(InstanceKey { token, id }) => format!("tokens/{token}/instances/{id}"),
            Self::InstanceTransfers(InstanceKey { token, id }) => {
                format!("tokens/{token}/instances/{id}/transfers")
            }
            Self::InstanceHolders(InstanceKey { token, id }) => {
                format!("tokens/{token}/instances/{id}/holders")
            }
            Self::Token(token) => format!("tokens/{token}"),
            Self::TokenCounters(token) => format!("tokens/{token}/counters"),
            Self::TransfersOfToken(token) => format!("tokens/{token}/transfers"),
            Self::Holders(token) => format!("tokens/{token}/holders"),
            Self::BalanceHistory(address) => format!("addresses/{address}/coin-balance-history"),
            Self::DailyBalances(address) => {
                format!("addresses/{address}/coin-balance-history-by-day")
            }
            Self::Blocks => "blocks".into(),
            Self::Block(id) => format!("blocks/{id}"),
            Self::BlockTransactions(id) => format!("blocks/{id}/transactions"),
            Self::BlockInternals(id) => format!("blocks/{id}/internal-transactions"),
            Self::BlockWithdrawals(id) => format!("blocks/{id}/withdrawals"),
            Self::ChainTransactions => "transactions".into(),
            Self::ChainTokens { .. } => "tokens".into(),
            Self::LatestBlocks => "main-page/blocks".into(),
            Self::LatestTransactions => "main-page/transactions".into(),
            Self::Stats => "stats".into(),
            Self::Search(_) => "search".into(),
            Self::DailyTransactions => "stats/charts/transactions".into(),
        }
    }

    pub fn method(&self) -> &'static str {
        if let Self::Call(_) = self { exchange::POST } else { exchange::GET }
    }

    /// Returns the body to post. Other queries are requests without one.
    #[expect(clippy::disallowed_types, reason = "not shown, but sent to the server")]
    fn body(&self) -> Option<String> {
        if let Self::Call(call) = self { Some(call.body()) } else { None }
    }

    /// Returns the request for the first page as it is shown: `GET /api/v2/…?type=ERC-20`.
    pub fn request_line(&self) -> SafeText {
        let params: Vec<_> = self.params().iter().map(|(k, v)| format!("{k}={v}")).collect();
        let mark = if params.is_empty() { "" } else { "?" };
        SafeText::new(&format!("{} /{}{mark}{}", self.method(), self.path(), params.join("&")))
    }

    /// Returns the address that the response is about, if any.
    pub fn viewed_address(&self) -> Option<Address> {
        match self {
            Self::Address(address)
            | Self::Counters(address)
            | Self::AddressLogs(address)
            | Self::Contract(address)
            | Self::Transactions { address, .. }
            | Self::InternalTransactions { address, .. }
            | Self::Tokens { address, .. }
            | Self::Collections { address, .. }
            | Self::Token(address)
            | Self::TokenCounters(address)
            | Self::Holders(address)
            | Self::BalanceHistory(address)
            | Self::DailyBalances(address) => Some(*address),
            Self::InstanceHolders(InstanceKey { token, .. }) => Some(*token),
            Self::TokenTransfers { address, .. } => *address,
            Self::Instances { holder, .. } => *holder,
            _ => None,
        }
    }

    /// Returns whether the response is a list of what one transaction did.
    pub fn is_of_transaction(&self) -> bool {
        matches!(
            self,
            Self::TransactionInternals(_)
                | Self::TransactionTransfers(_)
                | Self::TransactionLogs(_)
                | Self::StateChanges(_)
        )
    }

    /// Returns whether the response is a list of what one token has.
    pub fn is_of_token(&self) -> bool {
        matches!(
            self,
            Self::TransfersOfToken(_)
                | Self::InstanceTransfers(_)
                | Self::Instances { .. }
                | Self::Holders(_)
                | Self::InstanceHolders(_)
        )
    }

    /// Returns the parameters of the first page.
    pub fn params(&self) -> Params {
        let FilterValues { direction, types, token, holder } = self.filter_values();
        let mut params = Params::new();
        if let Self::Redirect(text) | Self::Search(text) = self {
            params.push(("q", text.to_string()));
        }
        if let Self::FailureLine(FailureQuery { contract, depth, gas, .. }) = self {
            params.extend(contract.map(|contract| ("contract", contract.to_string())));
            params.push(("depth", depth.to_string()));
            params.extend(gas.map(|gas| ("gas", gas.to_string())));
        }
        if !types.is_empty() {
            let names: Vec<&str> = types.iter().map(Into::into).collect();
            params.push(("type", names.join(",")));
        }
        if let Some(direction) = direction {
            params.push(("filter", <&str>::from(direction).into()));
        }
        if let Some(token) = token {
            params.push(("token", token.to_string()));
        }
        if let Some(holder) = holder {
            params.push(("holder_address_hash", holder.to_string()));
        }
        params
    }

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
            Self::TransactionLogs(_) | Self::AddressLogs(_) => {
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

fn toggle<T: PartialEq>(set: &mut Option<T>, value: T) {
    *set = if set.as_ref() == Some(&value) { None } else { Some(value) };
}
