//! Lists of holdings: tokens, NFTs and the chain's coin.

use clap::Subcommand;

use super::super::address_arg::{AddressArg, BlockArg};
use super::super::filters::{TypesArg, parse_address};
use super::{ListArgs, OutputArgs};
use crate::api::approvals::Approval;
use crate::api::balance_history::CoinBalanceChange;
use crate::api::endpoints::address::{Collection, TokenBalance};
use crate::api::endpoints::token::Holder;
use crate::api::nft_instances::TokenInstance;
use crate::api::token::Token;
use crate::api::token_transfers::TokenTransfer;
use crate::api::{AddressQuery, ChainQuery, Query, TokenQuery};
use crate::chain::Address;
use crate::chain::amount::Grouped;
use crate::chain::target::LinkedChain;
use crate::columns::ListRow;
use crate::messages::export::ExportNote;
use crate::net::provider::Provider;
use crate::output::{CliError, print_note};

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum HoldingsCommand {
    /// Token balances of an address, or the tokens of the whole chain
    Tokens {
        /// Address, link to one, or name
        address: Option<AddressArg>,
        /// Block after which each balance is asked for too: its number (also 0x…), "latest" or time of UTC.
        /// Tokens that the address has no longer are left out
        #[arg(long, requires = "address")]
        block: Option<BlockArg>,
        #[command(flatten)]
        list: TypedListArgs,
    },
    /// NFT collections held by an address
    NftCollections {
        /// Address, link to one, or name
        address: AddressArg,
        #[command(flatten)]
        list: TypedListArgs,
    },
    /// Instances of a token contract
    Instances {
        /// Token contract, link to one, or name
        token: AddressArg,
        /// Only instances held by this address
        #[arg(long, value_parser = parse_address)]
        holder: Option<Address>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Coin balance of an address after each change
    BalanceHistory {
        /// Address, link to one, or name
        address: AddressArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Approvals of an address: spenders, allowances, and the worth at risk
    Approvals {
        /// Address, link to one, or name
        address: AddressArg,
        /// All events, also revoked ones, without what is allowed now
        #[arg(long)]
        history: bool,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Holders of a token
    Holders(TokenArgs),
    /// Transfers of a token
    TransfersOfToken(TokenArgs),
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TypedListArgs {
    #[command(flatten)]
    types: TypesArg,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TokenArgs {
    /// Token contract, link to one, or name
    token: AddressArg,
    #[command(flatten)]
    output: OutputArgs,
}

impl HoldingsCommand {
    pub(super) fn linked_chain(&self) -> Option<&LinkedChain> {
        match self {
            Self::Tokens { address, .. } => address.as_ref()?.linked_chain(),
            Self::NftCollections { address, .. }
            | Self::BalanceHistory { address, .. }
            | Self::Approvals { address, .. }
            | Self::Holders(TokenArgs { token: address, .. })
            | Self::TransfersOfToken(TokenArgs { token: address, .. })
            | Self::Instances { token: address, .. } => address.linked_chain(),
        }
    }

    pub(super) async fn list(self, provider: &Provider) -> Result<ListArgs, CliError> {
        Ok(match self {
            Self::Tokens { address: Some(address), block, list } => {
                let address = address.resolve(provider).await?;
                let types = list.types.types;
                let query = match block {
                    Some(block) => {
                        let block = block.resolve_known(provider).await?;
                        let note = ExportNote::PastTokens { block: Grouped(block) };
                        print_note(&note.to_string());
                        AddressQuery::PastTokens { types, block }
                    }
                    None => AddressQuery::Tokens { types },
                };
                (TokenBalance::KIND, Query::Address(address, query), list.output)
            }
            Self::Tokens { address: None, list, .. } => (
                Token::KIND,
                Query::Chain(ChainQuery::Tokens { types: list.types.types }),
                list.output,
            ),
            Self::NftCollections { address, list } => {
                let address = address.resolve(provider).await?;
                let query =
                    Query::Address(address, AddressQuery::Collections { types: list.types.types });
                (Collection::KIND, query, list.output)
            }
            Self::Instances { token, holder, output } => {
                let query =
                    Query::Token(token.resolve(provider).await?, TokenQuery::Instances { holder });
                (TokenInstance::KIND, query, output)
            }
            Self::BalanceHistory { address, output } => {
                let query =
                    Query::Address(address.resolve(provider).await?, AddressQuery::BalanceHistory);
                (CoinBalanceChange::KIND, query, output)
            }
            Self::Approvals { address, history, output } => {
                let query = AddressQuery::Approvals { is_history: history };
                (Approval::KIND, Query::Address(address.resolve(provider).await?, query), output)
            }
            Self::Holders(TokenArgs { token, output }) => {
                let token = token.resolve(provider).await?;
                (Holder::KIND, Query::Token(token, TokenQuery::Holders), output)
            }
            Self::TransfersOfToken(TokenArgs { token, output }) => {
                let query = Query::Token(token.resolve(provider).await?, TokenQuery::Transfers);
                (TokenTransfer::KIND, query, output)
            }
        })
    }
}
