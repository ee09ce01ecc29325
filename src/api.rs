//! The endpoint table: what can be asked, where, and what the answer is read as.
//!
//! A new endpoint is one file under `api/` with its item, one [`Query`] variant and one [`Reply`]
//! variant; the compiler then asks for its path, its parameters and its decoding.

#![deny(clippy::disallowed_types)]

pub mod address;
pub mod api_key;
pub mod client;
pub mod cursor;
pub mod decoded_input;
pub mod error;
pub mod exchange;
pub mod internal_transactions;
pub mod json_fields;
pub mod nft_collections;
pub mod page;
pub mod paged_rows;
pub mod search_redirect;
pub mod token;
pub mod token_balances;
pub mod token_instances;
pub mod token_transfers;
pub mod transactions;

use std::sync::Arc;

use serde_json::value::RawValue;
use strum::{EnumString, EnumTryAs, IntoStaticStr, VariantNames};

pub use cursor::Cursor;
pub use error::ApiError;
pub use json_fields::Field;
pub use page::{Item, Next, Page};

use crate::chain::{Address, TxHash};
use crate::sanitize::SafeText;
use address::{AddressCounters, AddressInfo};
use internal_transactions::InternalTransaction;
use json_fields::FromJson;
use nft_collections::Collection;
use search_redirect::SearchRedirect;
use token_balances::TokenBalance;
use token_instances::TokenInstance;
use token_transfers::TokenTransfer;
use transactions::Transaction;

/// One question to an explorer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Query {
    /// An address by itself (a neighbour: not every server answers).
    Address(Address),
    /// Its counters (a neighbour).
    Counters(Address),
    /// A transaction by its hash (a neighbour).
    Transaction(TxHash),
    /// A transaction's internal transactions (a neighbour).
    TransactionInternals(TxHash),
    /// A transaction's raw trace, in whatever form the chain's node gives it.
    RawTrace(TxHash),
    /// Where a text leads that is neither an address nor a hash: a name (a neighbour).
    Redirect(SafeText),
    /// An address's transactions.
    Transactions {
        /// Whose.
        address: Address,
        /// Only those to, or from, the address.
        direction: Option<Direction>,
    },
    /// An address's internal transactions.
    InternalTransactions {
        /// Whose.
        address: Address,
        /// Only those to, or from, the address.
        direction: Option<Direction>,
    },
    /// An address's token transfers, or the whole chain's.
    TokenTransfers {
        /// Whose; none for the whole chain's.
        address: Option<Address>,
        /// Only those to, or from, the address.
        direction: Option<Direction>,
        /// Only of these standards; all when empty.
        types: Vec<TokenType>,
        /// Only of this token.
        token: Option<Address>,
    },
    /// The tokens an address holds.
    Tokens {
        /// Whose.
        address: Address,
        /// Only of these standards; all when empty.
        types: Vec<TokenType>,
    },
    /// The NFT collections an address holds pieces of.
    Collections {
        /// Whose.
        address: Address,
        /// Only of these standards; all when empty.
        types: Vec<TokenType>,
    },
    /// The instances of a token contract.
    Instances {
        /// The contract.
        token: Address,
        /// Only those held by this address.
        holder: Option<Address>,
    },
}

/// The value of a direction filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Direction {
    /// To the address.
    To,
    /// From the address.
    From,
}

/// The values of a token-type filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, VariantNames)]
#[strum(ascii_case_insensitive)]
pub enum TokenType {
    /// Fungible.
    #[strum(serialize = "ERC-20")]
    Erc20,
    /// One of a kind.
    #[strum(serialize = "ERC-721")]
    Erc721,
    /// Many kinds, many of each.
    #[strum(serialize = "ERC-1155")]
    Erc1155,
    /// Both at once.
    #[strum(serialize = "ERC-404")]
    Erc404,
    /// Confidential: servers since 10.
    #[strum(serialize = "ERC-7984")]
    Erc7984,
}

impl TokenType {
    /// Those that every server knows.
    pub const COMMON: [Self; 4] = [Self::Erc20, Self::Erc721, Self::Erc1155, Self::Erc404];
}

/// One filter that a list's server knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Only to, or from, the address.
    Direction(Direction),
    /// Also this standard.
    Type(TokenType),
    /// Only this token.
    Token(Address),
}

/// What an answer holds.
#[derive(Debug, Clone, EnumTryAs)]
#[expect(missing_docs, reason = "each variant answers the query of its name")]
pub enum Reply {
    Address(Box<AddressInfo>),
    Counters(AddressCounters),
    Transaction(Arc<Item<Transaction>>),
    RawTrace(Arc<RawValue>),
    Redirect(SearchRedirect),
    Transactions(Page<Transaction>),
    /// Of an address, or of a transaction.
    InternalTransactions(Page<InternalTransaction>),
    TokenTransfers(Page<TokenTransfer>),
    Tokens(Page<TokenBalance>),
    Collections(Page<Collection>),
    Instances(Page<TokenInstance>),
}

/// Parameters of a first page.
#[expect(clippy::disallowed_types, reason = "ours, on their way out")]
type Params = Vec<(&'static str, String)>;

impl Query {
    /// The token transfers of an address, or of the whole chain, unfiltered.
    pub fn token_transfers(address: Option<Address>) -> Self {
        Self::TokenTransfers { address, direction: None, types: Vec::new(), token: None }
    }

    /// The filters that its list knows, and whether each is set. `token` is one that may be asked for.
    pub fn filters(&self, token: Option<Address>) -> Vec<(Filter, bool)> {
        let ways = |set: &Option<Direction>| {
            let set = *set;
            [Direction::To, Direction::From].map(move |d| (Filter::Direction(d), set == Some(d)))
        };
        let kinds = |known: &[TokenType], set: &[TokenType]| -> Vec<_> {
            known.iter().map(|t| (Filter::Type(*t), set.contains(t))).collect()
        };
        match self {
            Self::Transactions { direction, .. } | Self::InternalTransactions { direction, .. } => {
                ways(direction).to_vec()
            }
            Self::TokenTransfers { address: None, types, .. } | Self::Tokens { types, .. } => {
                kinds(&TokenType::COMMON, types)
            }
            Self::TokenTransfers { direction, types, token: set, .. } => {
                let tokens = set.or(token).map(|t| (Filter::Token(t), *set == Some(t)));
                [
                    kinds(&TokenType::COMMON, types),
                    ways(direction).to_vec(),
                    tokens.into_iter().collect(),
                ]
                .concat()
            }
            Self::Collections { types, .. } => kinds(&TokenType::COMMON[1..], types),
            Self::Instances { .. }
            | Self::Address(_)
            | Self::Counters(_)
            | Self::Transaction(_)
            | Self::TransactionInternals(_)
            | Self::RawTrace(_)
            | Self::Redirect(_) => Vec::new(),
        }
    }

    /// The same question with a filter set, or unset when it was set.
    #[must_use]
    pub fn toggled(mut self, filter: Filter) -> Self {
        let flip = |set: &mut Option<Address>, to: Address| {
            *set = if *set == Some(to) { None } else { Some(to) }
        };
        match (&mut self, filter) {
            (
                Self::Transactions { direction, .. }
                | Self::InternalTransactions { direction, .. }
                | Self::TokenTransfers { direction, .. },
                Filter::Direction(to),
            ) => *direction = if *direction == Some(to) { None } else { Some(to) },
            (
                Self::TokenTransfers { types, .. }
                | Self::Tokens { types, .. }
                | Self::Collections { types, .. },
                Filter::Type(kind),
            ) => match types.iter().position(|t| *t == kind) {
                Some(at) => drop(types.remove(at)),
                None => types.push(kind),
            },
            (Self::TokenTransfers { token, .. }, Filter::Token(to)) => flip(token, to),
            _ => {}
        }
        self
    }

    /// The path below the base address.
    #[expect(clippy::disallowed_types, reason = "ours, on its way out")]
    pub fn path(&self) -> String {
        match self {
            Self::Address(address) => format!("api/v2/addresses/{address}"),
            Self::Counters(address) => format!("api/v2/addresses/{address}/counters"),
            Self::Transaction(hash) => format!("api/v2/transactions/{hash}"),
            Self::TransactionInternals(hash) => {
                format!("api/v2/transactions/{hash}/internal-transactions")
            }
            Self::RawTrace(hash) => format!("api/v2/transactions/{hash}/raw-trace"),
            Self::Redirect(_) => "api/v2/search/check-redirect".into(),
            Self::Transactions { address, .. } => {
                format!("api/v2/addresses/{address}/transactions")
            }
            Self::InternalTransactions { address, .. } => {
                format!("api/v2/addresses/{address}/internal-transactions")
            }
            Self::TokenTransfers { address: Some(address), .. } => {
                format!("api/v2/addresses/{address}/token-transfers")
            }
            Self::TokenTransfers { address: None, .. } => "api/v2/token-transfers".into(),
            Self::Tokens { address, .. } => format!("api/v2/addresses/{address}/tokens"),
            Self::Collections { address, .. } => {
                format!("api/v2/addresses/{address}/nft/collections")
            }
            Self::Instances { token, .. } => format!("api/v2/tokens/{token}/instances"),
        }
    }

    /// Whose list it is, where it is somebody's.
    pub fn viewed_address(&self) -> Option<Address> {
        match self {
            Self::Address(address)
            | Self::Counters(address)
            | Self::Transactions { address, .. }
            | Self::InternalTransactions { address, .. }
            | Self::Tokens { address, .. }
            | Self::Collections { address, .. } => Some(*address),
            Self::TokenTransfers { address, .. } => *address,
            Self::Instances { holder, .. } => *holder,
            Self::Transaction(_)
            | Self::TransactionInternals(_)
            | Self::RawTrace(_)
            | Self::Redirect(_) => None,
        }
    }

    /// The parameters of the first page.
    pub fn params(&self) -> Params {
        let mut params = Params::new();
        let (direction, types, token, holder) = match self {
            Self::Address(_)
            | Self::Counters(_)
            | Self::Transaction(_)
            | Self::TransactionInternals(_)
            | Self::RawTrace(_)
            | Self::Redirect(_) => (&None, &[][..], &None, &None),
            Self::Transactions { direction, .. } | Self::InternalTransactions { direction, .. } => {
                (direction, &[][..], &None, &None)
            }
            Self::TokenTransfers { direction, types, token, .. } => {
                (direction, &types[..], token, &None)
            }
            Self::Tokens { types, .. } | Self::Collections { types, .. } => {
                (&None, &types[..], &None, &None)
            }
            Self::Instances { holder, .. } => (&None, &[][..], &None, holder),
        };
        if let Self::Redirect(text) = self {
            params.push(("q", text.to_string()));
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

    /// Reads the answer. `sent` is the cursor the page was asked with.
    pub fn decode(&self, body: &[u8], sent: Option<&Cursor>) -> Result<Reply, ApiError> {
        let json: &RawValue = serde_json::from_slice(json_fields::strip_bom(body))
            .map_err(|e| ApiError::InvalidResponse(SafeText::new(&e.to_string())))?;
        match self {
            Self::Address(_) => AddressInfo::from_json(json).map(Box::new).map(Reply::Address),
            Self::Counters(_) => AddressCounters::from_json(json).map(Reply::Counters),
            Self::Transaction(_) => Ok(Reply::Transaction(Arc::new(Item::from_json(json)))),
            Self::RawTrace(_) => Ok(Reply::RawTrace(Arc::from(json.to_owned()))),
            Self::Redirect(_) => SearchRedirect::from_json(json).map(Reply::Redirect),
            Self::Transactions { .. } => Page::from_json(json, sent).map(Reply::Transactions),
            Self::InternalTransactions { .. } | Self::TransactionInternals(_) => {
                Page::from_json(json, sent).map(Reply::InternalTransactions)
            }
            Self::TokenTransfers { .. } => Page::from_json(json, sent).map(Reply::TokenTransfers),
            Self::Tokens { .. } => Page::from_json(json, sent).map(Reply::Tokens),
            Self::Collections { .. } => Page::from_json(json, sent).map(Reply::Collections),
            Self::Instances { .. } => Page::from_json(json, sent).map(Reply::Instances),
        }
        .map_err(ApiError::InvalidResponse)
    }
}
