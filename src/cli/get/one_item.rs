//! A block, a transaction, an address or a token by itself.

use clap::Subcommand;

use super::super::address_arg::{AddressArg, AnyBlockArg};
use super::super::trace::TraceTarget;
use super::{ListArgs, OutputArgs};
use crate::api::endpoints::address::AddressInfo;
use crate::api::endpoints::block::Block;
use crate::api::token::Token;
use crate::api::transactions::Transaction;
use crate::api::{AddressQuery, BlockQuery, Query, TokenQuery, TransactionQuery};
use crate::chain::target::LinkedChain;
use crate::columns::ListRow;
use crate::net::provider::Provider;
use crate::output::CliError;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ItemCommand {
    /// One transaction
    Transaction {
        /// Transaction hash, or a link to one
        transaction: TraceTarget,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// One address: balance, kind and creator
    Address {
        /// Address, link to one, or name
        address: AddressArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// One token: supply, decimals and holders
    Token {
        /// Token contract, link to one, or name
        token: AddressArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// One block
    Block {
        /// Number (also 0x…), hash, "latest", "earliest" or time of UTC (2026-01-01, "yesterday noon", "12h ago"), or a link to one
        block: AnyBlockArg,
        #[command(flatten)]
        output: OutputArgs,
    },
}

impl ItemCommand {
    pub(super) fn linked_chain(&self) -> Option<&LinkedChain> {
        match self {
            Self::Transaction { transaction, .. } => transaction.chain.as_ref(),
            Self::Address { address, .. } | Self::Token { token: address, .. } => {
                address.linked_chain()
            }
            Self::Block { block, .. } => block.linked_chain(),
        }
    }

    /// Returns `true` for what is in a block, so that a node has it as soon as that block is indexed.
    pub(super) fn is_in_block(&self) -> bool {
        matches!(self, Self::Transaction { .. } | Self::Block { .. })
    }

    pub(super) async fn list(self, provider: &Provider) -> Result<ListArgs, CliError> {
        Ok(match self {
            Self::Transaction { transaction, output } => {
                let query = Query::Transaction(transaction.hash, TransactionQuery::Details);
                (Transaction::KIND, query, output)
            }
            Self::Address { address, output } => {
                let hash = address.resolve(provider).await?;
                (AddressInfo::KIND, Query::Address(hash, AddressQuery::Details), output)
            }
            Self::Token { token, output } => {
                let hash = token.resolve(provider).await?;
                (Token::KIND, Query::Token(hash, TokenQuery::Details), output)
            }
            Self::Block { block, output } => {
                let block = block.resolve(provider).await?;
                (Block::KIND, Query::Block(block, BlockQuery::Details), output)
            }
        })
    }
}
