//! Queries to an explorer: their paths and parameters.

use strum::{EnumString, IntoStaticStr, VariantNames};

use super::eth_call::EthCall;
use super::exchange;
use super::failure_line::FailureQuery;
use crate::chain::{Address, BlockId, TxHash, U256};
use crate::sanitize::SafeText;

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

/// Identity of an NFT.
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

#[expect(clippy::disallowed_types, reason = "not shown, but sent to the server")]
type Params = Vec<(&'static str, String)>;

/// Subject of a list, which the page names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListSubject {
    Other,
    Transaction,
    Block,
    Token,
}

impl Query {
    /// Creates an unfiltered query for the token transfers of an address, or of the whole chain.
    pub fn token_transfers(address: Option<Address>) -> Self {
        Self::TokenTransfers { address, direction: None, types: Vec::new(), token: None }
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

    /// Returns the path below the REST API's.
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
            Self::TransactionLogs(hash) | Self::LogsInCalls(hash) => {
                format!("transactions/{hash}/logs")
            }
            Self::StateChanges(hash) => format!("transactions/{hash}/state-changes"),
            Self::AddressLogs(address) => format!("addresses/{address}/logs"),
            Self::RawTrace(hash) => format!("transactions/{hash}/raw-trace"),
            Self::FailureLine(call) => format!("transactions/{}/failure-line", call.transaction),
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
    pub(super) fn body(&self) -> Option<String> {
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

    /// Returns the subject of the response's list, if it is neither an address nor the chain.
    pub fn subject(&self) -> ListSubject {
        match self {
            Self::TransactionInternals(_)
            | Self::TransactionTransfers(_)
            | Self::TransactionLogs(_)
            | Self::LogsInCalls(_)
            | Self::StateChanges(_) => ListSubject::Transaction,
            Self::BlockTransactions(_) | Self::BlockInternals(_) | Self::BlockWithdrawals(_) => {
                ListSubject::Block
            }
            Self::TransfersOfToken(_)
            | Self::InstanceTransfers(_)
            | Self::Instances { .. }
            | Self::Holders(_)
            | Self::InstanceHolders(_) => ListSubject::Token,
            _ => ListSubject::Other,
        }
    }

    /// Returns the parameters of the first page.
    pub fn params(&self) -> Params {
        let filters = self.filter_values();
        let mut params = Params::new();
        if let Self::Redirect(text) | Self::Search(text) = self {
            params.push(("q", text.to_string()));
        }
        if let Self::LogsInCalls(_) = self {
            params.push(("calls", "true".into()));
        }
        if let Self::FailureLine(FailureQuery { contract, depth, gas, .. }) = self {
            params.extend(contract.map(|contract| ("contract", contract.to_string())));
            params.push(("depth", depth.to_string()));
            params.extend(gas.map(|gas| ("gas", gas.to_string())));
        }
        if !filters.types.is_empty() {
            let names: Vec<&str> = filters.types.iter().map(Into::into).collect();
            params.push(("type", names.join(",")));
        }
        if let Some(direction) = filters.direction {
            params.push(("filter", <&str>::from(direction).into()));
        }
        if let Some(token) = filters.token {
            params.push(("token", token.to_string()));
        }
        if let Some(holder) = filters.holder {
            params.push(("holder_address_hash", holder.to_string()));
        }
        params
    }
}
