//! What addresses hold: tokens, NFTs and the chain's coin.

use clap::Subcommand;

use super::super::address_arg::AddressArg;
use super::super::filters::{TypesArg, parse_address};
use super::{ListPrinter, OutputArgs};
use crate::api::Query;
use crate::api::balance_history::CoinBalanceChange;
use crate::api::holders::Holder;
use crate::api::nft_collections::Collection;
use crate::api::nft_instances::TokenInstance;
use crate::api::token::Token;
use crate::api::token_balances::TokenBalance;
use crate::api::token_transfers::TokenTransfer;
use crate::chain::Address;
use crate::chain::target::LinkedChain;
use crate::output::CliError;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum HoldingsCommand {
    /// Token balances of an address, or the tokens of the whole chain
    Tokens {
        /// Address, link to one, or name
        address: Option<AddressArg>,
        #[command(flatten)]
        types: TypesArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// NFT collections held by an address
    NftCollections(HoldingsArgs),
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
    BalanceHistory(AddressListArgs),
    /// Holders of a token
    Holders(TokenArgs),
    /// Transfers of a token
    TransfersOfToken(TokenArgs),
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct HoldingsArgs {
    /// Address, link to one, or name
    address: AddressArg,
    #[command(flatten)]
    types: TypesArg,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct AddressListArgs {
    /// Address, link to one, or name
    address: AddressArg,
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
            Self::NftCollections(HoldingsArgs { address, .. })
            | Self::BalanceHistory(AddressListArgs { address, .. })
            | Self::Holders(TokenArgs { token: address, .. })
            | Self::TransfersOfToken(TokenArgs { token: address, .. })
            | Self::Instances { token: address, .. } => address.linked_chain(),
        }
    }

    pub(super) async fn print(self, lists: ListPrinter<'_>) -> Result<(), CliError> {
        let provider = lists.provider;
        match self {
            Self::Tokens { address: Some(address), types, output } => {
                let address = address.resolve(provider).await?;
                let query = Query::Tokens { address, types: types.types };
                lists.print::<TokenBalance>(query, output.into()).await
            }
            Self::Tokens { address: None, types, output } => {
                let query = Query::ChainTokens { types: types.types };
                lists.print::<Token>(query, output.into()).await
            }
            Self::NftCollections(HoldingsArgs { address, types, output }) => {
                let address = address.resolve(provider).await?;
                let query = Query::Collections { address, types: types.types };
                lists.print::<Collection>(query, output.into()).await
            }
            Self::Instances { token, holder, output } => {
                let token = token.resolve(provider).await?;
                lists
                    .print::<TokenInstance>(Query::Instances { token, holder }, output.into())
                    .await
            }
            Self::BalanceHistory(AddressListArgs { address, output }) => {
                let address = address.resolve(provider).await?;
                lists
                    .print::<CoinBalanceChange>(Query::BalanceHistory(address), output.into())
                    .await
            }
            Self::Holders(TokenArgs { token, output }) => {
                let token = token.resolve(provider).await?;
                lists.print::<Holder>(Query::Holders(token), output.into()).await
            }
            Self::TransfersOfToken(TokenArgs { token, output }) => {
                let token = token.resolve(provider).await?;
                lists.print::<TokenTransfer>(Query::TransfersOfToken(token), output.into()).await
            }
        }
    }
}
