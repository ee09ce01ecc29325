//! `get`: a list of the explorer's, printed.

use std::process::ExitCode;

use clap::Subcommand;

use super::filters::{DirectionArg, TypesArg, address};
use crate::api::Query;
use crate::api::internal_transactions::InternalTransaction;
use crate::api::nft_collections::Collection;
use crate::api::token_balances::TokenBalance;
use crate::api::token_instances::TokenInstance;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::Transaction;
use crate::batch::{self, Failure, Manner, Output};
use crate::chain::network::Network;
use crate::chain::{Address, TxHash};
use crate::net::provider::Source;

/// Which list.
#[derive(Debug, Subcommand)]
pub(super) enum Get {
    /// An address's transactions
    Transactions {
        /// The address
        #[arg(value_parser = address)]
        address: Address,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// An address's internal transactions
    InternalTransactions {
        /// The address
        #[arg(value_parser = address)]
        address: Address,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// An address's token transfers, or without one the whole chain's
    TokenTransfers {
        /// The address
        #[arg(value_parser = address)]
        address: Option<Address>,
        #[command(flatten)]
        direction: DirectionArg,
        #[command(flatten)]
        types: TypesArg,
        /// Only of this token contract
        #[arg(long, requires = "address", value_parser = address)]
        token: Option<Address>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// The tokens an address holds
    Tokens {
        /// The address
        #[arg(value_parser = address)]
        address: Address,
        #[command(flatten)]
        types: TypesArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// The NFT collections an address holds pieces of
    NftCollections {
        /// The address
        #[arg(value_parser = address)]
        address: Address,
        #[command(flatten)]
        types: TypesArg,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// A transaction's raw trace as the chain's node gave it: an array is printed an entry a line
    RawTrace {
        /// The transaction
        transaction: TxHash,
    },
    /// The instances of a token contract
    Instances {
        /// The token contract
        #[arg(value_parser = address)]
        token: Address,
        /// Only those held by this address
        #[arg(long, value_parser = address)]
        holder: Option<Address>,
        #[command(flatten)]
        output: OutputArgs,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct OutputArgs {
    /// How many rows [default: 50]
    #[arg(long, conflicts_with = "all")]
    limit: Option<usize>,
    /// All rows, page after page
    #[arg(long)]
    all: bool,
    /// `table` for reading, `jsonl` as the server sent it, `csv` with full values
    #[arg(long, value_enum, default_value_t = batch::Format::Table)]
    format: batch::Format,
}

impl From<OutputArgs> for Output {
    fn from(args: OutputArgs) -> Self {
        let chosen = if args.all { Some(usize::MAX) } else { args.limit };
        Self { limit: chosen.unwrap_or(50), format: args.format, say_more: chosen.is_none() }
    }
}

/// Prints a list.
pub(super) async fn print(
    get: Get,
    network: Network,
    source: Source,
    manner: &Manner,
) -> Result<ExitCode, Failure> {
    let to = |direction: DirectionArg| direction.filter.map(Into::into);
    match get {
        Get::Transactions { address, direction, output } => {
            let query = Query::Transactions { address, direction: to(direction) };
            batch::list::<Transaction>(&source, query, &network, output.into(), manner).await
        }
        Get::InternalTransactions { address, direction, output } => {
            let query = Query::InternalTransactions { address, direction: to(direction) };
            batch::list::<InternalTransaction>(&source, query, &network, output.into(), manner)
                .await
        }
        Get::TokenTransfers {
            address: None, direction: DirectionArg { filter: Some(_) }, ..
        } => Err(Failure::Usage("--filter needs an address: to or from whom?".into())),
        Get::TokenTransfers { address, direction, types: TypesArg { types }, token, output } => {
            let query = Query::TokenTransfers { address, direction: to(direction), types, token };
            batch::list::<TokenTransfer>(&source, query, &network, output.into(), manner).await
        }
        Get::Tokens { address, types: TypesArg { types }, output } => {
            let query = Query::Tokens { address, types };
            batch::list::<TokenBalance>(&source, query, &network, output.into(), manner).await
        }
        Get::NftCollections { address, types: TypesArg { types }, output } => {
            let query = Query::Collections { address, types };
            batch::list::<Collection>(&source, query, &network, output.into(), manner).await
        }
        Get::RawTrace { transaction } => batch::raw_trace(&source, transaction).await,
        Get::Instances { token, holder, output } => {
            let query = Query::Instances { token, holder };
            batch::list::<TokenInstance>(&source, query, &network, output.into(), manner).await
        }
    }?;
    Ok(ExitCode::SUCCESS)
}
